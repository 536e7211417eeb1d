/** What an event says to who watches, and where the page shows what it is about. */

import type { EngineEvent } from '#engine/events'
import { count, many, nameOf, timeOfDay } from '../../state/format.ts'
import type { LiveEvent } from '../../state/live.ts'
import { link } from '../../state/route.ts'
import { AGENT } from '../../state/server.ts'

export const KINDS = ['calls', 'questions', 'learning', 'graph', 'locks', 'saves'] as const
export type Kind = (typeof KINDS)[number]

/** Text, and text that leads somewhere. */
export type Said = string | { text: string; to: string }

export interface Told {
  kind: Kind | 'gap'
  said: Said[]
  /** More of it, for who opens it; '' for none. */
  detail: string
  isFailure: boolean
}

const KIND_OF: Readonly<Record<Exclude<LiveEvent['type'], 'ingest_progress'>, Told['kind']>> = {
  tool_result: 'calls',
  tool_timeout: 'calls',
  activation: 'questions',
  learn: 'learning',
  graph_changed: 'graph',
  ingest: 'graph',
  lock_touched: 'locks',
  persist: 'saves',
  gap: 'gap',
}

/** Nodes of one event that are named. */
const NAMED = 3
const QUERY_CHARACTERS = 80

/** Null for what is told in other ways. */
export function tell(event: LiveEvent): Told | null {
  if (event.type === 'ingest_progress') return null
  const said = wordsOf(event).filter((it) => it !== '')
  return {
    kind: KIND_OF[event.type],
    said,
    detail: event.type === 'tool_result' && event.success ? event.result_preview : '',
    isFailure: event.type === 'tool_timeout' || (event.type === 'tool_result' && !event.success),
  }
}

function wordsOf(event: Exclude<LiveEvent, { type: 'ingest_progress' }>): Said[] {
  switch (event.type) {
    case 'tool_result':
      return [
        who(event.agent_id),
        ' called ',
        placeOf(event),
        ...(event.success ? subjectOf(event.result_preview) : [`, which failed: ${event.result_preview}`]),
      ]
    case 'tool_timeout':
      return [who(event.agent_id), ' waited ', `${event.timeout_secs} s for ${event.tool}; it goes on`]
    case 'activation':
      return [who(event.agent_id), ' asked ', asked(event.query), ...found(event.activated)]
    case 'learn':
      return [who(event.agent_id), ...verdictOf(event)]
    case 'graph_changed':
      return [{ text: 'The graph', to: link('graph') }, ` was changed by ${causeOf(event)}`]
    case 'ingest':
      return [
        who(event.agent_id),
        ' read ',
        { text: event.path, to: link('health') },
        `: ${many(event.nodes_added, 'node')}, ${many(event.edges_added, 'edge')} made`,
      ]
    case 'lock_touched':
      return [
        event.agent_id === '' ? 'The server' : who(event.agent_id),
        ` touched the region of `,
        { text: event.lock_id, to: link('agents', event.lock_id) },
        event.kind === 'learn' ? ' by learning' : ' by reading files',
      ]
    case 'persist':
      return [{ text: 'State', to: link('health') }, ` saved, generation ${count(event.generation)}`]
    case 'gap':
      return [
        event.missed > 0
          ? `${many(event.missed, 'event')} came faster than this page could take them`
          : `No connection since ${timeOfDay(event.from)}; what happened until now is not told`,
      ]
  }
}

function who(agent: string): Said {
  if (agent === AGENT) return 'This page'
  return agent === '' ? 'Somebody' : { text: agent, to: link('agents', '', { agent }) }
}

/** The tool, leading to the view that shows what it works on. */
function placeOf({ tool, agent_id: agent }: Extract<EngineEvent, { type: 'tool_result' }>): Said {
  if (/^(perspective|lock|trail)_/.test(tool)) return { text: tool, to: link('agents', '', { agent }) }
  if (tool === 'learn' || tool === 'drift' || tool === 'warmup')
    return { text: tool, to: link('learning', '', { agent }) }
  if (tool === 'health' || tool === 'ingest' || tool === 'persist' || tool === 'federate')
    return { text: tool, to: link('health') }
  return { text: tool, to: link('graph') }
}

/** Many answers name first what they are about; what is shown of one may end anywhere. */
function subjectOf(preview: string): Said[] {
  const [, field = '', value = '""'] = /^\{"(\w+)":("(?:[^"\\]|\\.)*")/.exec(preview) ?? []
  const text: string = JSON.parse(value)
  if (text === '') return []
  if (field === 'query') return [': ', asked(text)]
  if (/^(perspective|lock|trail)_id$/.test(field)) return [': ', { text, to: link('agents', text) }]
  return text.startsWith('file::') ? [': ', nodeAt(text)] : []
}

function asked(query: string): Said {
  const text = query.length > QUERY_CHARACTERS ? `${query.slice(0, QUERY_CHARACTERS - 1)}…` : query
  return { text: `“${text}”`, to: link('graph', '', { query }) }
}

function found(activated: readonly { node_id: string }[]): Said[] {
  return activated.length === 0 ? ['; nothing was found'] : ['; first ', nodeAt(activated[0].node_id)]
}

function verdictOf({ feedback, node_ids }: Extract<EngineEvent, { type: 'learn' }>): Said[] {
  if (feedback === 'reset')
    return [' took ', { text: 'learning', to: link('learning') }, ' back', ...named(' about ', node_ids)]
  const verdict = { correct: 'right', wrong: 'wrong', partial: 'partly right' }[feedback] ?? feedback
  return [' said ', { text: verdict, to: link('learning') }, ...named(' about ', node_ids)]
}

function named(before: string, ids: readonly string[]): Said[] {
  if (ids.length === 0) return []
  const names = ids.slice(0, NAMED).flatMap((id, i): Said[] => (i === 0 ? [nodeAt(id)] : [', ', nodeAt(id)]))
  return [before, ...names, ids.length > NAMED ? ` and ${count(ids.length - NAMED)} more` : '']
}

function nodeAt(id: string): Said {
  return { text: nameOf(id), to: link('node', id) }
}

function causeOf({ event, source, agent_id: agent }: Extract<EngineEvent, { type: 'graph_changed' }>): string {
  if (source === 'watcher') return 'files that changed on disk'
  if (source === 'checker') return "TypeScript's checker"
  if (source === 'startup') return 'files that changed while no server ran'
  return agent === undefined || agent === '' ? event : `${event} of ${agent === AGENT ? 'this page' : agent}`
}

/** Whose doing an event was, '' for nobody's. */
export function agentOf(event: LiveEvent): string {
  return 'agent_id' in event ? (event.agent_id ?? '') : ''
}

/** Questions that the page itself asks in order to show things; what its reader teaches or reads anew is told. */
export function isOwnQuestion(event: LiveEvent): boolean {
  return event.type === 'tool_result' && event.agent_id === AGENT
}

/** `3 calls, 1 save`, for who hears what is new. */
export function summary(told: readonly Told[]): string {
  const counts = KINDS.map((kind) => [kind, told.filter((it) => it.kind === kind).length] as const)
  const names: Record<Kind, string> = {
    calls: 'call',
    questions: 'question',
    learning: 'verdict',
    graph: 'change of the graph',
    locks: 'touched region',
    saves: 'save',
  }
  return counts
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => many(n, names[kind], kind === 'graph' ? 'changes of the graph' : `${names[kind]}s`))
    .join(', ')
}
