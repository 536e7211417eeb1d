/** Who works with the graph, what they keep in it, and what happens at the moment. */

import './agents.css'
import { useEffect, useRef } from 'preact/hooks'
import type { AgentsAnswer } from '#views/shapes'
import { AgentList } from '../parts/agent-list.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { type Answer, useGet } from '../state/answers.ts'
import { count, many } from '../state/format.ts'
import { onEvent } from '../state/live.ts'
import { address, link, param } from '../state/route.ts'
import type { View } from '../views.ts'
import { keptByAgent } from './agents/cards.tsx'
import { Feed } from './agents/feed.tsx'

/** What agents keep is asked for again this long after the last call of one, and at least every second while calls go on. */
const DEBOUNCE_MS = 300
const LONGEST_WAIT_MS = 1000

/** Calls of agents change what is shown here without changing the graph. */
function useAgents(): Answer<AgentsAnswer> {
  const answer = useGet<AgentsAnswer>('/api/agents')
  const again = useRef(answer.again)
  again.current = answer.again
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let first = 0
    const stop = onEvent((event) => {
      if (event.type !== 'tool_result' && event.type !== 'lock_touched') return
      const now = Date.now()
      first ||= now
      clearTimeout(timer)
      timer = setTimeout(
        () => {
          first = 0
          again.current()
        },
        Math.max(0, Math.min(DEBOUNCE_MS, first + LONGEST_WAIT_MS - now)),
      )
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
  return answer
}

function Ask() {
  const answer = useGet<AgentsAnswer>('/api/agents')
  return (
    <Answered answer={answer} loading="Asking who is here">
      {({ sessions, totals }) => (
        <>
          <h2>Agents</h2>
          <AgentList
            view="agents"
            agents={sessions.map((it) => ({
              agent: it.agent_id,
              said: many(it.query_count, 'query', 'queries'),
              last_ms: it.last_seen_ms,
            }))}
          />
          {sessions.length < totals.sessions && (
            <p class="quiet">The {count(sessions.length)} that were seen last are shown.</p>
          )}
          <p class="quiet">
            An agent is here from its first call on, and is forgotten some hours after its last one. Trails stay.
          </p>
        </>
      )}
    </Answered>
  )
}

function Main() {
  const answer = useAgents()
  return (
    <div class="page-text">
      <h1>Agents</h1>
      <Answered answer={answer} loading="Looking at what agents keep">
        {(it) => <Kept all={it} />}
      </Answered>
    </div>
  )
}

function Kept({ all }: { all: AgentsAnswer }) {
  const agent = param('agent')
  const wanted = address.value.about
  const kept = keptByAgent(all).filter((it) => agent === '' || it.agent === agent)
  const isThere = kept.some(({ things }) => things.some((it) => it.id === wanted))
  useEffect(() => {
    if (isThere) document.getElementById(wanted)?.scrollIntoView({ block: 'nearest' })
  }, [wanted, isThere])
  if (kept.length === 0)
    return (
      <Empty title={agent === '' ? 'No agent keeps anything here.' : `${agent} keeps nothing here.`}>
        <p>
          Agents can keep perspectives (where they stand in the graph, and the way that led there), locks (regions they
          watch) and trails (investigations to go on with). They are shown here as soon as there is one.
        </p>
        {agent !== '' && (
          <p>
            <a href={link('agents')}>See everyone.</a>
          </p>
        )}
      </Empty>
    )
  return (
    <>
      {wanted !== '' && !isThere && (
        <p class="stale">{agent === '' ? `${wanted} is not there any more.` : `${agent} has no ${wanted}.`}</p>
      )}
      {all.truncated !== null && <p class="stale">{all.truncated.how}</p>}
      {kept.map(({ agent, things }) => (
        <section key={agent} aria-label={agent}>
          <h2>{agent}</h2>
          <ul class="kept">
            {things.map(({ id, card }) => (
              <li key={id} id={id} class={id === wanted ? 'kept-one chosen' : 'kept-one'}>
                {card}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function Meaning() {
  return <Feed />
}

export default { Ask, Main, Meaning } satisfies View
