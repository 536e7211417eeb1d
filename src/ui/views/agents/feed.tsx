/** What happens in the server, as it happens. */

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { timeOfDay } from '../../state/format.ts'
import { useKey } from '../../state/keys.ts'
import { connection, events, EVENTS_KEPT, type LiveEvent } from '../../state/live.ts'
import { param, setParams } from '../../state/route.ts'
import { agentOf, isOwnQuestion, type Kind, KINDS, type Said, summary, tell, type Told } from './tell.ts'

interface Row extends Told {
  event: LiveEvent
}

export function Feed() {
  /** The events as they were when they were held, null while they run. */
  const held = useSignal<readonly LiveEvent[] | null>(null)
  const hidden = new Set(param('hide').split(',').filter(Boolean))
  const agent = param('agent')
  const own = param('own') !== ''
  const rows = rowsOf(held.value ?? events.value, { hidden, agent, own })
  const waiting = held.value === null ? 0 : rowsOf(since(held.value), { hidden, agent, own }).length

  const hold = () => {
    held.value = held.value === null ? events.value : null
  }
  useKey('p', 'hold the events, or let them run', hold)

  return (
    <section class="feed" aria-labelledby="feed-title">
      <div class="feed-head">
        <h2 id="feed-title">Events</h2>
        <span class={`feed-line connection ${connection.value}`}>{LINES[connection.value]}</span>
        <button type="button" aria-pressed={held.value !== null} onClick={hold}>
          {held.value === null ? 'Hold' : waiting > 0 ? `Go on, ${waiting} new` : 'Go on'}
        </button>
      </div>
      <div class="chips" role="group" aria-label="Kinds of events">
        {KINDS.map((kind) => (
          <button key={kind} type="button" aria-pressed={!hidden.has(kind)} onClick={() => toggle(kind, hidden)}>
            {kind}
          </button>
        ))}
        <button type="button" aria-pressed={own} onClick={() => setParams({ own: own ? null : 'yes' })}>
          calls of this page
        </button>
      </div>
      {rows.length === 0 ? (
        <p class="quiet">
          {agent === ''
            ? 'Nothing has happened since this page was opened. What agents ask, teach and read comes here by itself.'
            : `Nothing of ${agent} since this page was opened.`}
        </p>
      ) : (
        <ol class="events" aria-label="Events, newest first">
          {rows.map((it) => (
            <EventRow key={it.event.number} row={it} />
          ))}
        </ol>
      )}
      {rows.length > 0 && (
        <p class="quiet">Since this page was opened; the last {EVENTS_KEPT} are kept. The server keeps no history.</p>
      )}
      <Spoken rows={held.value === null ? rows : []} />
    </section>
  )
}

interface Shown {
  hidden: ReadonlySet<string>
  agent: string
  own: boolean
}

function rowsOf(list: readonly LiveEvent[], { hidden, agent, own }: Shown): Row[] {
  return list.flatMap((event) => {
    const told = tell(event)
    if (told === null) return []
    if (told.kind === 'gap') return [{ ...told, event }]
    const isShown =
      !hidden.has(told.kind) && (own || !isOwnQuestion(event)) && (agent === '' || agentOf(event) === agent)
    return isShown ? [{ ...told, event }] : []
  })
}

/** What came after these. */
function since(list: readonly LiveEvent[]): readonly LiveEvent[] {
  const last = list[0]?.number ?? 0
  return events.value.filter((it) => it.number > last)
}

function toggle(kind: Kind, hidden: ReadonlySet<string>): void {
  const now = KINDS.filter((it) => (it === kind ? !hidden.has(it) : hidden.has(it)))
  setParams({ hide: now.join(',') })
}

function EventRow({ row }: { row: Row }) {
  const { event, said, detail, isFailure, kind } = row
  return (
    <li class={`event ${kind}${isFailure ? ' fault' : ''}`}>
      <time dateTime={new Date(event.received).toISOString()}>{timeOfDay(event.received)}</time>
      <div class="event-text">
        {said.map((it, i) => (
          <Words key={i} said={it} />
        ))}
        {detail !== '' && (
          <details>
            <summary>answer</summary>
            <pre>{detail}</pre>
          </details>
        )}
      </div>
    </li>
  )
}

function Words({ said }: { said: Said }) {
  return typeof said === 'string' ? <>{said}</> : <a href={said.to}>{said.text}</a>
}

const LINES = {
  connecting: 'connecting',
  live: 'live',
  polling: 'no stream: only changes of the graph are seen, every 5 s',
  gone: 'no connection',
}

/** Events are counted to who listens, at most this often: each by itself would never let them hear anything else. */
const SPOKEN_EVERY_MS = 10_000

function Spoken({ rows }: { rows: readonly Row[] }) {
  const text = useSignal('')
  const latest = useRef(rows)
  latest.current = rows
  useEffect(() => {
    let spoken = latest.current[0]?.event.number ?? 0
    const timer = setInterval(() => {
      const fresh = latest.current.filter((it) => it.event.number > spoken)
      if (fresh.length === 0) return
      spoken = fresh[0].event.number
      text.value = `New: ${summary(fresh) || 'the connection is back'}.`
    }, SPOKEN_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text.value}
    </p>
  )
}
