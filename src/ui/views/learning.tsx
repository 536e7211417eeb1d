/** What was learned: which edges are stronger and weaker than they were read, who taught what, and how to take it back. */

import './learning.css'
import type learn from '#tools/learn'
import type { LearnedEdge, LearningAnswer, Lesson } from '#views/shapes'
import { AgentList } from '../parts/agent-list.tsx'
import { Ago } from '../parts/ago.tsx'
import { ShareBar } from '../parts/bar.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { NodeLink } from '../parts/node-link.tsx'
import { Path } from '../parts/path.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { type Answer, useGet } from '../state/answers.ts'
import { count, many, signed } from '../state/format.ts'
import { refresh } from '../state/live.ts'
import { link, param } from '../state/route.ts'
import { callTool } from '../state/server.ts'
import type { View } from '../views.ts'

/** Lessons of one page. */
const LESSONS = 50
/** Edges of each list. */
const EDGES = 100

function useLearning(): Answer<LearningAnswer> {
  const agent = param('agent')
  return useGet<LearningAnswer>('/api/learning', { agent, offset: param('offset'), limit: LESSONS, edges: EDGES })
}

function Ask() {
  const answer = useLearning()
  const agent = param('agent')
  return (
    <Answered answer={answer} loading="Asking who taught">
      {({ agents, queries_learned, policy }) => (
        <>
          <h2>Taught by</h2>
          <AgentList
            view="learning"
            agents={agents.map((it) => ({
              agent: it.agent,
              said: `${many(it.lessons, 'lesson')}, ${many(it.queries, 'query', 'queries')}`,
              last_ms: it.last_ms,
            }))}
          />
          <h2>How</h2>
          <p>
            Verdicts on answers change the weights of edges between a question and what was judged; questions that are
            asked again and again do so a little. {many(queries_learned, 'question has', 'questions have')} gone through
            it.
          </p>
          <p class="quiet">
            {policy === 'literal'
              ? 'Policy: literal. Idle edges decay with every query.'
              : 'Policy: default. What is learned fades back to what was read; the weights of the code stay.'}
          </p>
          {agents.length > 0 && <TakeBack agent={agent} />}
        </>
      )}
    </Answered>
  )
}

function TakeBack({ agent }: { agent: string }) {
  return (
    <>
      <h2>Take back</h2>
      {agent !== '' && (
        <div>
          <Confirm
            key={agent}
            name={`Forget what ${agent} taught`}
            question={`Forget everything that ${agent} taught, by verdicts and by questions? What others taught stays. This cannot be undone.`}
            choices={[{ name: 'Forget it', run: () => forget({ scope: 'agent', target_agent: agent, node_ids: [] }) }]}
          />
        </div>
      )}
      <div>
        <Confirm
          name="Forget everything"
          question="Set every edge back to the weight it was read with, and forget all questions and verdicts of every agent? This cannot be undone."
          choices={[{ name: 'Forget everything', run: () => forget({ scope: 'all', node_ids: [] }) }]}
        />
      </div>
    </>
  )
}

async function forget(what: { scope: 'nodes' | 'agent' | 'all'; target_agent?: string; node_ids: string[] }) {
  const { edges_adjusted } = await callTool<typeof learn>('learn', { feedback: 'reset', ...what })
  refresh()
  return `Done: ${many(edges_adjusted, 'edge')} set back.`
}

function Main() {
  const answer = useLearning()
  const agent = param('agent')
  return (
    <div class="page-text">
      <h1>Learning</h1>
      <Answered answer={answer} loading="Looking for what was learned">
        {(it) =>
          it.total_strengthened + it.total_weakened + it.total_taught === 0 ? (
            <NothingLearned agent={agent} />
          ) : (
            <>
              <Changes
                title="Strengthened"
                edges={it.strengthened}
                total={it.total_strengthened}
                none="No edge is stronger than it was read."
                most={largest(it)}
              />
              <Changes
                title="Weakened"
                edges={it.weakened}
                total={it.total_weakened}
                none="No edge is weaker than it was read."
                most={largest(it)}
              />
            </>
          )
        }
      </Answered>
    </div>
  )
}

function NothingLearned({ agent }: { agent: string }) {
  if (agent !== '')
    return (
      <Empty title={`Nothing that ${agent} taught is left.`}>
        <p>
          It may have been taken back, or {agent} has not taught anything.{' '}
          <a href={link('learning')}>See what everyone taught.</a>
        </p>
      </Empty>
    )
  return (
    <Empty title="Nothing was learned yet.">
      <p>
        Every edge has the weight it was read with. When somebody says that an answer was useful, the edges that lead
        from the question to it become stronger; when it was not, weaker. Later questions of everyone then rank better.
      </p>
      <p>
        Agents do it with the tool <code>learn</code>; you can with the buttons beside what a question finds.
      </p>
      <p>
        <a class="button" href={link('graph')}>
          Ask a question
        </a>
      </p>
    </Empty>
  )
}

function largest({ strengthened, weakened }: LearningAnswer): number {
  return Math.max(0, ...[...strengthened, ...weakened].map((it) => Math.abs(it.change)))
}

interface ChangesProps {
  title: string
  edges: readonly LearnedEdge[]
  total: number
  none: string
  /** The change whose bar is as long as there is room. */
  most: number
}

function Changes({ title, edges, total, none, most }: ChangesProps) {
  return (
    <section aria-label={title}>
      <h2>
        {title} {total > 0 && <span class="quiet">{count(total)}</span>}
      </h2>
      {total === 0 && <p class="quiet">{none}</p>}
      {edges.length < total && <p class="quiet">The {count(edges.length)} that changed most are shown.</p>}
      <ol class="changes">
        {edges.map((it) => (
          <Change key={`${it.source.id} ${it.relation} ${it.target.id}`} edge={it} most={most} />
        ))}
      </ol>
    </section>
  )
}

function Change({ edge, most }: { edge: LearnedEdge; most: number }) {
  const { source, target, relation, weight, ingest_weight, change, taught_by } = edge
  return (
    <li class={change < 0 ? 'change weaker' : 'change'}>
      <span class="ends">
        <NodeLink id={source.id} label={source.label} /> <span class="quiet">{relation.replaceAll('_', ' ')}</span>{' '}
        <NodeLink id={target.id} label={target.label} />
      </span>
      <span class="weights number">
        {ingest_weight.toFixed(2)} → {weight.toFixed(2)} <strong>{signed(change)}</strong>
      </span>
      <ShareBar share={most === 0 ? 0 : Math.abs(change) / most} label={`changed by ${signed(change)}`} />
      <span class="places">
        {source.path !== null && <Path path={source.path} line={source.line} />}
        {target.path !== null && target.path !== source.path && <Path path={target.path} line={target.line} />}
      </span>
      <div class="why">
        <span>
          {timesOf(edge)}
          {taught_by.length > 0 && ', taught by '}
          {taught_by.map((it, i) => (
            <span key={it}>
              {i > 0 && ', '}
              <a href={link('learning', '', { agent: it })}>{it}</a>
            </span>
          ))}
        </span>
        <Confirm
          name="Forget…"
          label={`Forget what was learned about ${source.label} or ${target.label}`}
          question="Set all edges of one of these back to the weight they were read with? A file takes along what is in it."
          choices={[
            { name: source.label, run: () => forget({ scope: 'nodes', node_ids: [source.id] }) },
            { name: target.label, run: () => forget({ scope: 'nodes', node_ids: [target.id] }) },
          ]}
        />
      </div>
    </li>
  )
}

/** `raised 5 times, lowered once`; an edge that was only scaled with its neighbours has neither. */
function timesOf({ times_strengthened: up, times_weakened: down }: LearnedEdge): string {
  const said = [up > 0 ? `raised ${times(up)}` : '', down > 0 ? `lowered ${times(down)}` : ''].filter((it) => it !== '')
  return said.join(', ') || 'moved with the other edges of its target'
}

function times(n: number): string {
  return n === 1 ? 'once' : `${count(n)} times`
}

const VERDICTS = { correct: 'right', wrong: 'wrong', partial: 'partly right', reset: 'took back' } as const

function Meaning() {
  const answer = useLearning()
  return (
    <>
      <h2>Who taught what</h2>
      <Answered answer={answer} loading="Reading the journal">
        {({ taught, total_taught, offset }) => (
          <>
            {taught.length === 0 && (
              <p class="quiet">
                {total_taught === 0 ? 'No verdict is in the journal.' : 'The journal does not go back that far.'}
              </p>
            )}
            <ol class="lessons">
              {taught.map((it, i) => (
                <LessonRow key={total_taught - offset - i} lesson={it} />
              ))}
            </ol>
            <Pages offset={offset} shown={taught.length} total={total_taught} />
          </>
        )}
      </Answered>
    </>
  )
}

/** Nodes of one lesson that are named. */
const NAMED = 5

function LessonRow({ lesson }: { lesson: Lesson }) {
  const { at_ms, agent, query, feedback, grade, nodes, nodes_total, edges, change } = lesson
  const here = nodes.filter((it) => it.exists).map((it) => it.id)
  return (
    <li class="lesson">
      <header>
        <a href={link('learning', '', { agent })}>{agent}</a>
        <span class="verdict">{VERDICTS[feedback]}</span>
        <span class="quiet">
          <Ago ms={at_ms} />
        </span>
      </header>
      {query !== '' && (
        <p class="about">
          “
          <a href={link('graph', '', { query })} title={query}>
            {query.length > 120 ? `${query.slice(0, 119)}…` : query}
          </a>
          ”
        </p>
      )}
      {nodes.length > 0 && (
        <p class="about">
          {nodes.slice(0, NAMED).map((it, i) => (
            <span key={it.id}>
              {i > 0 && ', '}
              {it.exists ? (
                <NodeLink id={it.id} label={it.label} />
              ) : (
                <span class="gone-node" title={`${it.id} is no longer there`}>
                  {it.label}
                </span>
              )}
            </span>
          ))}
          {nodes_total > NAMED && ` and ${count(nodes_total - NAMED)} more`}
        </p>
      )}
      <footer>
        <span>
          {feedback === 'reset' ? 'weights set back' : `${many(edges, 'edge')}, ${signed(change)} in weight`}
          {grade !== null && grade < 1 && `, grade ${grade}`}
        </span>
        {feedback !== 'reset' && here.length > 0 && (
          <Confirm
            name="Take back…"
            label={`Take back what was learned about ${nodes[0].label}`}
            question={`Forget all that was learned about ${here.length === 1 ? 'this node' : `these ${count(here.length)} nodes`}, in this lesson and in others?`}
            choices={[{ name: 'Forget it', run: () => forget({ scope: 'nodes', node_ids: here }) }]}
          />
        )}
      </footer>
    </li>
  )
}

function Pages({ offset, shown, total }: { offset: number; shown: number; total: number }) {
  if (offset === 0 && shown >= total) return null
  const to = (from: number) => link('learning', '', { agent: param('agent'), offset: from > 0 ? String(from) : null })
  return (
    <nav class="pages" aria-label="Pages of lessons">
      {offset > 0 ? <a href={to(Math.max(0, offset - LESSONS))}>Newer</a> : <span />}
      <span class="quiet">{shown > 0 && `${count(offset + 1)} to ${count(offset + shown)} of ${count(total)}`}</span>
      {offset + shown < total ? <a href={to(offset + shown)}>Older</a> : <span />}
    </nav>
  )
}

export default { Ask, Main, Meaning } satisfies View
