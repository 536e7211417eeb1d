/** The frame: a line at the top, three columns, and what is the matter when something is. */

import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { EmptyGraph } from './parts/empty-graph.tsx'
import { Keys } from './parts/keys.tsx'
import { Empty, Failed, Loading } from './parts/states.tsx'
import { Gone, Token, TopLine } from './parts/top-line.tsx'
import { useKey } from './state/keys.ts'
import { useSelf } from './state/project.ts'
import { address, go, link } from './state/route.ts'
import { pastOf, selected } from './state/selection.ts'
import { needsToken, ServerError } from './state/server.ts'
import { type View, type ViewEntry, viewOf, VIEWS } from './views.ts'

export function App() {
  const { view } = address.value
  const entry = viewOf(view)
  const { value: server } = useSelf()
  useKey('i', 'impact of the selected node', () => {
    if (selected.value !== '') go(link('impact', selected.value))
  })
  useKey('h', 'history of the selected file', () => {
    if (pastOf(selected.value) !== '') go(link('history', pastOf(selected.value)))
  })
  useEffect(() => {
    document.title = [entry?.title, server?.display_name, 'm1nd'].filter(Boolean).join(' · ')
  }, [entry, server?.display_name])

  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        To the content
      </a>
      <TopLine current={entry} />
      <Gone />
      {needsToken.value ? <Token /> : <Place entry={entry} isEmpty={server?.graph_state.node_count === 0} />}
      <Keys />
    </>
  )
}

function toMain(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Place({ entry, isEmpty }: { entry: ViewEntry | null; isEmpty: boolean }) {
  if (entry === null)
    return (
      <main class="alone" id="main" tabIndex={-1}>
        <Empty title="There is no such view.">
          <p>
            <a href={link(VIEWS[0].name)}>{VIEWS[0].title}</a> is where to begin.
          </p>
        </Empty>
      </main>
    )
  if (isEmpty && entry.worksEmpty !== true)
    return (
      <main class="alone" id="main" tabIndex={-1}>
        <EmptyGraph />
      </main>
    )
  return <Columns key={entry.name} entry={entry} />
}

type Column = 'ask' | 'main' | 'meaning'
const TABS: readonly [string, string, string] = ['Ask', 'Picture', 'Meaning']

function Columns({ entry }: { entry: ViewEntry }) {
  const { view, error, again } = useView(entry)
  const shown = useSignal<Column>('main')
  const [ask, main, meaning] = entry.tabs ?? TABS
  if (error !== null)
    return (
      <main class="alone" id="main" tabIndex={-1}>
        <Failed error={error} again={again} />
      </main>
    )
  if (view === null)
    return (
      <main class="alone" id="main" tabIndex={-1}>
        <Loading what="Loading the view" />
      </main>
    )
  const { Ask, Main, Meaning } = view
  const tabs: [Column, string][] = [
    ...(Ask === undefined ? [] : [['ask', ask] satisfies [Column, string]]),
    ['main', main],
    ...(Meaning === undefined ? [] : [['meaning', meaning] satisfies [Column, string]]),
  ]
  return (
    <>
      {tabs.length > 1 && (
        <nav class="tabs" aria-label="Columns">
          {tabs.map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={shown.value === name}
              onClick={() => {
                shown.value = name
              }}
            >
              {title}
            </button>
          ))}
        </nav>
      )}
      <div class="columns" data-shown={shown.value}>
        {Ask !== undefined && (
          <Side name="ask" title={ask}>
            <Ask />
          </Side>
        )}
        <main class="column main" id="main" tabIndex={-1}>
          <Main />
        </main>
        {Meaning !== undefined && (
          <Side name="meaning" title={meaning}>
            <Meaning />
          </Side>
        )}
      </div>
    </>
  )
}

interface SideProps {
  name: Column
  title: string
  children: preact.ComponentChildren
}

/** A column at the side, which folds away. */
function Side({ name, title, children }: SideProps) {
  const key = `m1nd-folded-${name}`
  const [folded, setFolded] = useState(localStorage.getItem(key) === 'yes')
  const fold = () => {
    localStorage.setItem(key, folded ? 'no' : 'yes')
    setFolded(!folded)
  }
  return (
    <aside class={`column ${name}${folded ? ' folded' : ''}`} aria-label={title}>
      <button
        type="button"
        class="fold"
        aria-expanded={!folded}
        aria-label={`${folded ? 'Show' : 'Fold'} ${title}`}
        onClick={fold}
      >
        {folded === (name === 'ask') ? '›' : '‹'}
      </button>
      <div class="column-body">{children}</div>
    </aside>
  )
}

const loaded = new Map<ViewEntry, View>()

/** The parts of a view, which are loaded when it is first shown. */
function useView(entry: ViewEntry) {
  const [attempt, setAttempt] = useState(0)
  const [error, setError] = useState<ServerError | null>(null)
  const [view, setView] = useState(loaded.get(entry) ?? null)
  useMemo(() => {
    setError(null)
    entry.load().then(
      ({ default: it }) => {
        loaded.set(entry, it)
        setView(it)
      },
      () => setError(new ServerError('unreachable', 'The view cannot be loaded.', 'Is the server still there?')),
    )
  }, [entry, attempt])
  return { view, error, again: () => setAttempt(attempt + 1) }
}
