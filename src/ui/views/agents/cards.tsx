/** What agents keep: perspectives, locks and trails, each as a card. */

import type { VNode } from 'preact'
import type { AgentsAnswer, LockBrief, PerspectiveBrief, TrailBrief } from '#views/shapes'
import { Ago } from '../../parts/ago.tsx'
import { NodeLink, NodeLinks } from '../../parts/node-link.tsx'
import { count, many, percent } from '../../state/format.ts'
import { link } from '../../state/route.ts'

export interface Kept {
  agent: string
  things: { id: string; card: VNode }[]
}

/** The agents that keep something, those seen last first, with what they keep in the order of the answer. */
export function keptByAgent({ sessions, perspectives, locks, trails }: AgentsAnswer): Kept[] {
  const things = [
    ...perspectives.map((it) => ({ agent: it.agent_id, id: it.perspective_id, card: <PerspectiveCard it={it} /> })),
    ...locks.map((it) => ({ agent: it.agent_id, id: it.lock_id, card: <LockCard it={it} /> })),
    ...trails.map((it) => ({ agent: it.agent_id, id: it.trail_id, card: <TrailCard it={it} /> })),
  ]
  // trails stay when their agent is long forgotten
  const agents = [...new Set([...sessions.map((it) => it.agent_id), ...things.map((it) => it.agent)])]
  return agents
    .map((agent) => ({ agent, things: things.filter((it) => it.agent === agent) }))
    .filter((it) => it.things.length > 0)
}

interface HeadProps {
  kind: string
  id: string
  /** When it was made and last used, epoch ms. */
  made: number
  used: number
}

function Head({ kind, id, made, used }: HeadProps) {
  return (
    <header>
      <strong>{kind}</strong> <code>{id}</code>{' '}
      <span class="quiet">
        made <Ago ms={made} />
        {used > made && (
          <>
            , used <Ago ms={used} />
          </>
        )}
      </span>
    </header>
  )
}

/** Steps of a way that are shown, the last ones. */
const STEPS = 8

function PerspectiveCard({ it }: { it: PerspectiveBrief }) {
  return (
    <>
      <Head kind="Perspective" id={it.perspective_id} made={it.created_at_ms} used={it.accessed_at_ms} />
      <dl class="facts">
        {it.query !== '' && (
          <>
            <dt>Question</dt>
            <dd>
              <a href={link('graph', '', { query: it.query })}>{it.query}</a>
            </dd>
          </>
        )}
        {it.anchor !== null && (
          <>
            <dt>Anchor</dt>
            <dd>
              <NodeLink id={it.anchor} />
            </dd>
          </>
        )}
        <dt>Stands at</dt>
        <dd>
          {it.focus === null ? 'nowhere: the graph has nothing to offer' : <NodeLink id={it.focus} />}
          {`, ${it.mode}, ${many(it.routes, 'route')} ahead`}
        </dd>
        <dt>Way</dt>
        <dd>
          {it.visited.length > STEPS && `${count(it.visited.length - STEPS)} more, then `}
          {it.visited.slice(-STEPS).map((id, i) => (
            <span key={id}>
              {i > 0 && ' › '}
              <NodeLink id={id} />
            </span>
          ))}
        </dd>
        {it.branch_of !== null && (
          <>
            <dt>Branch</dt>
            <dd>
              {it.branch_name} of <a href={link('agents', it.branch_of)}>{it.branch_of}</a>
            </dd>
          </>
        )}
        {it.branches.length > 0 && (
          <>
            <dt>Branches</dt>
            <dd>
              {it.branches.map((id, i) => (
                <span key={id}>
                  {i > 0 && ', '}
                  <a href={link('agents', id)}>{id}</a>
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      {it.stale && <p class="stale">Out of date: code or feedback has changed since its routes were made.</p>}
    </>
  )
}

const WATCHES: Readonly<Record<string, string>> = {
  on_ingest: 'told when files of it are read',
  on_learn: 'told when something in it is learned',
  manual: 'nobody is told; its agent looks itself',
}

function LockCard({ it }: { it: LockBrief }) {
  return (
    <>
      <Head kind="Lock" id={it.lock_id} made={it.created_at_ms} used={it.taken_at_ms} />
      <dl class="facts">
        <dt>Region</dt>
        <dd>
          <Region it={it} />
          {`: ${many(it.nodes, 'node')}, ${many(it.edges, 'edge')} when it was taken`}
        </dd>
        <dt>Watched</dt>
        <dd>{it.strategy === null ? 'not watched' : (WATCHES[it.strategy] ?? it.strategy)}</dd>
        {it.perspective_id !== null && (
          <>
            <dt>With</dt>
            <dd>
              <a href={link('agents', it.perspective_id)}>{it.perspective_id}</a>
            </dd>
          </>
        )}
        <dt>Drift</dt>
        <dd>
          {it.touched.length === 0 ? (
            it.strategy === null || it.strategy === 'manual' ? (
              'not noted without a watch; lock_diff compares'
            ) : (
              'nothing has touched it since its agent looked'
            )
          ) : (
            <ul class="touches">
              {it.touched.map((one, i) => (
                <li key={i}>
                  {one.kind === 'learn' ? 'learning' : 'reading files'} by{' '}
                  {one.agent_id === '' ? 'the server' : one.agent_id}, <Ago ms={one.at_ms} />
                </li>
              ))}
            </ul>
          )}
        </dd>
      </dl>
    </>
  )
}

function Region({ it }: { it: LockBrief }) {
  if (it.scope === 'query_neighborhood')
    return (
      <>
        what <a href={link('graph', '', { query: it.query })}>“{it.query}”</a> finds
      </>
    )
  return (
    <>
      {it.scope === 'path' && 'the path over '}
      <NodeLinks ids={it.roots} />
      {it.scope === 'subgraph' && ` and what is within ${many(it.radius, 'hop')}`}
    </>
  )
}

function TrailCard({ it }: { it: TrailBrief }) {
  return (
    <>
      <Head kind="Trail" id={it.trail_id} made={it.created_at_ms} used={it.last_modified_ms} />
      <dl class="facts">
        <dt>Name</dt>
        <dd>{it.label}</dd>
        <dt>Status</dt>
        <dd>
          {it.status}
          {it.tags.length > 0 && ` · ${it.tags.join(', ')}`}
        </dd>
        {it.summary !== '' && (
          <>
            <dt>Summary</dt>
            <dd>{it.summary}</dd>
          </>
        )}
        {it.visited.length > 0 && (
          <>
            <dt>Visited</dt>
            <dd>
              <NodeLinks ids={it.visited.map((one) => one.node)} most={STEPS} />
            </dd>
          </>
        )}
      </dl>
      <Notes
        title="Hypotheses"
        notes={it.hypotheses.map((one) => `${one.statement} (${one.status}, ${percent(one.confidence)})`)}
      />
      <Notes title="Conclusions" notes={it.conclusions.map((one) => `${one.statement} (${percent(one.confidence)})`)} />
      <Notes title="Open questions" notes={it.open_questions} />
    </>
  )
}

function Notes({ title, notes }: { title: string; notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <details>
      <summary>
        {title}: {count(notes.length)}
      </summary>
      <ul class="notes">
        {notes.map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
    </details>
  )
}
