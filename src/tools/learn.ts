import * as z from 'zod'
import { watchLearning } from '#engine/locks'
import { type Graph, keyOf, type NodeId } from '#graph/graph'
import { confirmedPairs, type FeedbackKind, learnFromFeedback, strengthOf } from '#plasticity/feedback'
import { recall, type Scored } from '#plasticity/learned'
import { type Scope, undo } from '#plasticity/undo'
import { learnedEdges } from '#plasticity/weights'
import { observe, observeOnly } from '#query/cochange'
import { gistOf } from '#query/gist'
import { findSeeds } from '#query/seeds'
import { nodesOf, notFound, type ResolvedAll } from '#tools/resolve-node'
import { AgentId, AmbiguousNodes, NodeRef, round } from '#tools/shapes'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

/** Seeds that are looked for when the query is not remembered. */
const FRESH_SEEDS = 20

export default defineTool({
  name: 'learn',
  group: 'memory',
  effect: 'learn',
  changesGraph: true,
  summary: 'Say which answers were right or wrong, so that later questions rank better.',
  details: [
    'correct: node_ids are right; wrong: they are not; partial: only these were right; reset takes learning back.',
    'All agents profit at once. What has been learned: drift.',
  ],
  input: z.object({
    agent_id: AgentId,
    query: z.string().default('').describe('The question asked.'),
    feedback: z.enum(['correct', 'wrong', 'partial', 'reset']).describe('Verdict.'),
    node_ids: z.array(NodeRef).max(1000).default([]).describe('What it is about.'),
    strength: z.number().min(0).max(1).default(0.2).describe('Size of the change, at least 0.01.'),
    grade: z.number().min(0).max(1).default(1).describe('Scales strength.'),
    scope: z.enum(['nodes', 'agent', 'all']).default('nodes').describe('What reset forgets.'),
    target_agent: z.string().default('').describe('For scope agent; none = caller.'),
  }),
  output: z.looseObject({
    query: z.string(),
    feedback: z.string(),
    learning_type: z.string(),
    edges_adjusted: z.int(),
    edges_modified: z.int(),
    edges_strengthened: z.int(),
    edges_weakened: z.int(),
    nodes_affected: z.int(),
    nodes_found: z.int(),
    nodes_expanded: z.int(),
    strength: z.number(),
    plasticity_delta: z.number(),
    mean_weight_change: z.number(),
    plasticity_records: z.int(),
    ltp_events: z.int(),
    ltd_events: z.int(),
    plasticity_generation: z.int(),
    unresolved_nodes: z.array(z.string()),
    ambiguous_nodes: AmbiguousNodes,
    note: z.string(),
  }),
  examples: [
    {
      title: 'Two right answers',
      input: { agent_id: 'dev', query: 'session pool', feedback: 'correct', node_ids: ['pool.py', 'session.py'] },
    },
    {
      title: 'Forget what was learned about a file',
      input: { agent_id: 'dev', feedback: 'reset', node_ids: ['pool.py'] },
    },
  ],

  run(context, input) {
    const { graph, brain, engine, agent, now } = context
    const { query, feedback } = input
    const { nodes, unresolved, ambiguous } = nodesOf(graph, input.node_ids)
    if (feedback === 'reset') return reset(context, input, { nodes, unresolved, ambiguous })
    refuseEmpty(graph, input.node_ids, nodes)

    const known = query.trim() === '' ? null : recall(graph, brain.learned, query)
    const seeds = known?.seeds ?? freshSeeds(context, query)
    const activated = known?.activated.map((it) => it.node) ?? []
    const told = {
      kind: feedback,
      text: query,
      agent,
      time: now,
      nodes,
      seeds,
      words: gistOf(context.indexes.lexical, query),
      activated,
      strength: input.strength,
      grade: input.grade,
    }
    const noteChanges = watchLearning(engine)
    const counts = learnFromFeedback(graph, brain.learned, told, engine.settings)
    observe(context.indexes.cochange, counts.pairs)
    graph.meta.plasticityGeneration++
    noteChanges(agent, now)
    engine.touch()

    const edges = counts.strengthened + counts.weakened
    const strength = round(strengthOf(input))
    return {
      query,
      feedback,
      learning_type: feedback === 'wrong' ? 'hebbian_ltd' : 'hebbian_ltp',
      edges_adjusted: edges,
      edges_modified: edges,
      edges_strengthened: counts.strengthened,
      edges_weakened: counts.weakened,
      nodes_affected: nodes.length,
      nodes_found: nodes.length,
      nodes_expanded: counts.expanded,
      strength,
      plasticity_delta: strength,
      mean_weight_change: round(counts.meanChange),
      plasticity_records: learnedEdges(graph),
      ltp_events: counts.ltp,
      ltd_events: counts.ltd,
      plasticity_generation: graph.meta.plasticityGeneration,
      unresolved_nodes: unresolved,
      ...(ambiguous.length > 0 && { ambiguous_nodes: ambiguous }),
      note: noteOf(feedback, { edges, truncated: counts.truncated, seeds: seeds.length, strength }),
    }
  },

  announce: ({ agent_id, feedback, node_ids }) => ({ type: 'learn', agent_id, feedback, node_ids }),

  render: ({
    feedback,
    edges_adjusted,
    edges_strengthened,
    edges_weakened,
    nodes_affected,
    unresolved_nodes,
    ambiguous_nodes = [],
    note,
  }) =>
    [
      feedback === 'reset'
        ? `${edges_adjusted} edges set back`
        : `${feedback}: ${nodes_affected} nodes, ${edges_strengthened} edges strengthened, ${edges_weakened} weakened`,
      ...(unresolved_nodes.length > 0 ? [`not found: ${unresolved_nodes.join(', ')}`] : []),
      ...ambiguous_nodes.map((it) => `${it.ref} was taken for ${it.node_id}, one of ${it.ambiguous_matches} that fit`),
      ...(note ? [note] : []),
    ].join('\n'),
})

function refuseEmpty(graph: Graph, refs: readonly string[], nodes: readonly NodeId[]): void {
  if (refs.length === 0) {
    throw new ToolError(
      'invalid_params',
      'Invalid params for learn: node_ids is empty.',
      'Name at least one node of the answer that it is about.',
      {
        detail: 'node_ids',
      },
    )
  }
  if (nodes.length === 0) throw notFound(graph, refs[0])
}

function freshSeeds({ graph, indexes }: ToolContext, query: string): Scored[] {
  if (query.trim() === '') return []
  return findSeeds(graph, indexes.semantic, query, FRESH_SEEDS).map(({ node, relevance }) => ({
    node,
    score: relevance,
  }))
}

interface Told {
  edges: number
  truncated: boolean
  seeds: number
  strength: number
}

function noteOf(feedback: FeedbackKind, { edges, truncated, seeds, strength }: Told): string {
  const notes: string[] = []
  if (strength === 0) notes.push('With a grade of 0 only the journal keeps it.')
  else if (edges === 0) notes.push('No edge lies between these nodes and the question, so no weight changed.')
  if (feedback !== 'partial' && seeds === 0)
    notes.push('Without a query that matches something, later rankings change by weights only.')
  if (truncated) notes.push('The region was too large to be walked whole; its nearest part was changed.')
  return notes.join(' ')
}

interface Reset {
  query: string
  node_ids: string[]
  scope: 'nodes' | 'agent' | 'all'
  target_agent: string
}

function reset(
  { graph, brain, indexes, engine, agent, now }: ToolContext,
  input: Reset,
  { nodes, unresolved, ambiguous }: ResolvedAll,
) {
  if (input.scope === 'nodes') refuseEmpty(graph, input.node_ids, nodes)
  const whose = input.target_agent || agent
  const what: Scope =
    input.scope === 'nodes'
      ? { scope: 'nodes', nodes }
      : input.scope === 'agent'
        ? { scope: 'agent', agent: whose }
        : { scope: 'all' }
  const noteChanges = watchLearning(engine)
  const by = { text: input.query, agent, time: now }
  const { edges, records } = undo(graph, brain.learned, what, by, engine.settings)
  observeOnly(indexes.cochange, confirmedPairs(graph, brain.learned))
  graph.meta.plasticityGeneration++
  noteChanges(agent, now)
  engine.touch()
  const about =
    input.scope === 'nodes'
      ? `about ${nodes.map((v) => keyOf(graph, v)).join(', ')}`
      : input.scope === 'agent'
        ? `from agent ${whose}`
        : 'from anybody'
  return {
    query: input.query,
    feedback: 'reset',
    learning_type: 'reset',
    edges_adjusted: edges,
    edges_modified: edges,
    edges_strengthened: 0,
    edges_weakened: 0,
    nodes_affected: nodes.length,
    nodes_found: nodes.length,
    nodes_expanded: nodes.length,
    strength: 0,
    plasticity_delta: 0,
    mean_weight_change: 0,
    records_forgotten: records,
    plasticity_records: learnedEdges(graph),
    ltp_events: 0,
    ltd_events: 0,
    plasticity_generation: graph.meta.plasticityGeneration,
    unresolved_nodes: unresolved,
    ...(ambiguous.length > 0 && { ambiguous_nodes: ambiguous }),
    note:
      edges + records > 0
        ? `Forgot what was learned ${about}.`
        : `Nothing that was learned ${about} is kept, so nothing was forgotten.`,
  }
}
