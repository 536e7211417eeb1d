/** The line at the top: which project, how fresh, how large, and whether the server is there. */

import { useSignal } from '@preact/signals'
import { ago, many, short } from '../state/format.ts'
import { keysShown } from '../state/keys.ts'
import { connection, nextAttempt, refresh, tryNow, working } from '../state/live.ts'
import { useNow } from '../state/now.ts'
import { useHealth, useSelf } from '../state/project.ts'
import { link, param } from '../state/route.ts'
import { pastOf, selected } from '../state/selection.ts'
import { giveToken } from '../state/server.ts'
import { setTheme, type Theme, theme } from '../state/theme.ts'
import { type ViewEntry, VIEWS } from '../views.ts'

const SAID = {
  connecting: 'connecting',
  live: 'live',
  polling: 'looking every 5 s',
  gone: 'server gone',
}

export function TopLine({ current }: { current: ViewEntry | null }) {
  const { value: server } = useSelf()
  const graph = server?.graph_state
  return (
    <header class="top">
      <a class="mark" href={link(VIEWS[0].name)}>
        m1nd
      </a>
      <span class="project" title={server?.project_root ?? undefined}>
        {server?.display_name ?? ''}
      </span>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map((it) => (
            <li key={it.name}>
              <a href={link(it.name, subjectOf(it), keptFor(it))} aria-current={it === current ? 'page' : undefined}>
                {it.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <span class="spring" />
      <Freshness />
      {graph !== undefined && graph.node_count > 0 && (
        <span class="sizes" title={`${many(graph.node_count, 'node')}, ${many(graph.edge_count, 'edge')}`}>
          {short(graph.node_count)} nodes · {short(graph.edge_count)} edges
        </span>
      )}
      <span class={`connection ${connection.value}`} role="status">
        {SAID[connection.value]}
      </span>
      <ThemeButton />
      <button
        type="button"
        class="icon"
        aria-label="Keys"
        aria-expanded={keysShown.value}
        onClick={() => {
          keysShown.value = !keysShown.value
        }}
      >
        ?
      </button>
    </header>
  )
}

/** What a view is about when one comes to it from what is selected. */
function subjectOf({ of }: ViewEntry): string {
  if (of === undefined) return ''
  return of === 'node' ? selected.value : pastOf(selected.value)
}

function keptFor({ keeps = [] }: ViewEntry): Record<string, string> {
  const words = { query: param('query'), node: selected.value }
  return Object.fromEntries(keeps.map((it) => [it, words[it]]))
}

function Freshness() {
  const { value: health } = useHealth()
  const now = useNow(30_000)
  if (working.value !== null) return <span class="fresh">reading…</span>
  if (health === null || health.node_count === 0) return null
  const { ingested_at, checker, watcher } = health
  if (checker.state === 'running') return <span class="fresh">checking types…</span>
  const read = ingested_at === null ? 'read' : `read ${ago(Date.parse(ingested_at), now)}`
  return (
    <span class="fresh" title={watcher.message}>
      {watcher.state === 'watching' ? `${read}, follows changes` : read}
    </span>
  )
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const SIGNS: Record<Theme, string> = { system: '◐', light: '○', dark: '●' }

function ThemeButton() {
  const now = theme.value
  return (
    <button
      type="button"
      class="icon"
      aria-label={`Colours: ${now}`}
      title={`Colours: ${now}`}
      onClick={() => setTheme(NEXT[now])}
    >
      {SIGNS[now]}
    </button>
  )
}

/** A line below the top while the server is gone. */
export function Gone() {
  const now = useNow(1000)
  if (connection.value !== 'gone') return null
  const seconds = Math.max(0, Math.ceil((nextAttempt.value - now) / 1000))
  return (
    <p class="gone" role="alert">
      The server does not answer. Start it with <code>m1nd serve</code>; this page comes back by itself.{' '}
      <span aria-hidden="true">{seconds > 0 ? `Next try in ${many(seconds, 'second')}. ` : 'Trying… '}</span>
      <button type="button" class="link" onClick={tryNow}>
        Try now
      </button>
    </p>
  )
}

/** Asks for the token of a server that wants one. */
export function Token() {
  const text = useSignal('')
  return (
    <main class="alone" id="main" tabIndex={-1}>
      <form
        class="state"
        onSubmit={(event) => {
          event.preventDefault()
          giveToken(text.value)
          tryNow()
          refresh()
        }}
      >
        <h2>This server asks for a token.</h2>
        <label>
          Token{' '}
          <input
            type="password"
            autocomplete="off"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value
            }}
          />
        </label>
        <p class="quiet">It is what the server was started with (M1ND_TOKEN), and is kept until this window closes.</p>
        <button type="submit">Go on</button>
      </form>
    </main>
  )
}
