import * as z from 'zod'
import { visitedBy } from '#engine/perspectives'
import { addTrail, HYPOTHESIS_STATUS, type Trail, type Visited } from '#engine/trails'
import { keyOf, NONE } from '#graph/graph'
import { nodeByKey, resolveNode } from '#graph/lookup'
import { ensureRoom } from '#tools/handle-room'
import { AgentId } from '#tools/shapes'
import { stateByKey, summarize } from '#tools/trail-parts'
import { plural } from '#tools/table'
import { defineTool, type ToolContext } from '#tools/tool'

const Share = z.number().min(0).max(1).default(0.5)
const Texts = z.array(z.string().min(1).max(2000)).max(5000).default([])
const Statement = z.string().trim().min(1).max(2000)

/** Nodes of recent queries that become visited ones. */
const RECENT_NODES = 200
/** Of an agent's recent results so many are primed again when a trail is resumed. */
const BOOSTS = 12
/** The boost of the strongest of them, as at `warmup`. */
const STRENGTH = 0.15
/** Queries of an agent that count as recent. */
const RECENT_QUERIES = 20

export default defineTool({
  name: 'trail_save',
  group: 'memory',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Keep an investigation: where you were, what you think, what is open.',
  details: [
    'Any agent can go on with trail_resume. Without visited_nodes they are taken from perspectives and queries.',
  ],
  input: z.object({
    agent_id: AgentId,
    label: z.string().trim().min(1).max(200).describe('Short name.'),
    hypotheses: z
      .array(
        z.object({
          statement: Statement,
          confidence: Share,
          supporting_nodes: Texts,
          contradicting_nodes: Texts,
          status: z.enum(HYPOTHESIS_STATUS).default('investigating'),
        }),
      )
      .default([])
      .describe('Suspicions.'),
    conclusions: z
      .array(z.object({ statement: Statement, confidence: Share, from_hypotheses: Texts, supporting_nodes: Texts }))
      .default([])
      .describe('Findings.'),
    open_questions: Texts.describe('To do.'),
    tags: Texts.describe('To find it by.'),
    summary: z.string().max(2000).default('').describe('One line.'),
    visited_nodes: z
      .array(
        z.object({
          node_external_id: z.string().min(1).max(2000),
          annotation: z.string().max(2000).default(''),
          relevance: Share,
        }),
      )
      .default([])
      .describe('Nodes seen.'),
    activation_boosts: z
      .record(z.string(), z.number().min(0).max(1))
      .default({})
      .describe('Node id → 0..1, for resume.'),
  }),
  output: z.looseObject({
    trail_id: z.string(),
    label: z.string(),
    agent_id: z.string(),
    nodes_saved: z.int(),
    nodes_captured: z.int(),
    hypotheses_saved: z.int(),
    conclusions_saved: z.int(),
    open_questions_saved: z.int(),
    activation_boosts_saved: z.int(),
    unknown_nodes: z.array(z.string()),
    ambiguous_nodes: z.array(z.looseObject({ given: z.string(), node_id: z.string(), ambiguous_matches: z.int() })),
    note: z.string(),
    graph_generation_at_creation: z.int(),
    created_at_ms: z.number(),
  }),
  examples: [
    {
      title: 'A suspicion and what it rests on',
      input: {
        agent_id: 'dev',
        label: 'refunds fail',
        hypotheses: [{ statement: 'the bank is opened twice', confidence: 0.6, supporting_nodes: ['server/bank.py'] }],
        open_questions: ['who closes the bank?'],
        tags: ['refund'],
      },
    },
  ],

  run(context, input) {
    const { graph, engine, agent, now } = context
    const unsure = new Map<string, { given: string; node_id: string; ambiguous_matches: number }>()
    const id = (ref: string) => {
      const found = resolveNode(graph, ref)
      if (found === null) return ref
      const node_id = keyOf(graph, found.node)
      if (found.ambiguousMatches > 1)
        unsure.set(ref, { given: ref, node_id, ambiguous_matches: found.ambiguousMatches })
      return node_id
    }
    const ids = (refs: readonly string[]) => [...new Set(refs.map(id))]
    const hypotheses = input.hypotheses.map((it) => ({
      ...it,
      supporting_nodes: ids(it.supporting_nodes),
      contradicting_nodes: ids(it.contradicting_nodes),
      lost_to: '',
    }))
    const conclusions = input.conclusions.map((it) => ({ ...it, supporting_nodes: ids(it.supporting_nodes) }))
    const recent = recentResults(context)
    const given = Object.entries(input.activation_boosts).map(([ref, share]): [string, number] => [id(ref), share])
    const boosts = given.length > 0 ? given : strongest(recent)

    const nodes = new Map<string, Omit<Visited, 'state'>>()
    const visit = (key: string, relevance: number, annotation = '') => {
      const before = nodes.get(key)
      if (before === undefined || before.relevance < relevance) nodes.set(key, { node: key, relevance, annotation })
    }
    for (const it of input.visited_nodes) visit(id(it.node_external_id), it.relevance, it.annotation)
    if (nodes.size === 0) {
      for (const key of visitedBy(engine.records, agent)) visit(key, 0.5)
      for (const [key, share] of [...recent].slice(0, RECENT_NODES)) visit(key, share)
    }
    if (nodes.size === 0) {
      for (const it of [...hypotheses, ...conclusions]) for (const key of it.supporting_nodes) visit(key, it.confidence)
      for (const [key, share] of given) visit(key, share)
    }

    const visited = [...nodes.values()].map((it) => ({ ...it, state: stateByKey(graph, it.node) }))
    ensureRoom(engine, 'trail_limit')
    const trail = addTrail(
      engine.records,
      {
        agent_id: agent,
        label: input.label,
        status: 'saved',
        visited,
        hypotheses,
        conclusions,
        open_questions: input.open_questions,
        tags: input.tags,
        summary: input.summary || summarize(input.label, visited.length, hypotheses.length, conclusions.length),
        boosts: boosts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
        graph_generation: graph.meta.generation,
        source_trails: [],
      },
      now,
      engine.settings,
    )
    return {
      trail_id: trail.trail_id,
      label: trail.label,
      agent_id: agent,
      nodes_saved: visited.length,
      nodes_captured: visited.length,
      hypotheses_saved: hypotheses.length,
      conclusions_saved: conclusions.length,
      open_questions_saved: trail.open_questions.length,
      activation_boosts_saved: trail.boosts.length,
      unknown_nodes: visited.filter((it) => it.state === '').map((it) => it.node),
      ambiguous_nodes: [...unsure.values()],
      note: isEmpty(trail) ? 'It holds its label alone: nothing was given, and you have asked nothing yet.' : '',
      graph_generation_at_creation: trail.graph_generation,
      created_at_ms: now,
    }
  },

  render: (
    {
      note,
      ambiguous_nodes,
      trail_id,
      nodes_saved,
      hypotheses_saved,
      conclusions_saved,
      open_questions_saved,
      unknown_nodes,
    },
    style,
  ) =>
    [
      `${style.bold(trail_id)}  ${plural(nodes_saved, 'node')}, ${hypotheses_saved} hypotheses, ${plural(conclusions_saved, 'conclusion')}, ${plural(open_questions_saved, 'open question')}`,
      ...(unknown_nodes.length > 0 ? [`not in the graph: ${unknown_nodes.join(', ')}`] : []),
      ...ambiguous_nodes.map((it) => `${it.given} may be ${it.ambiguous_matches} nodes: ${it.node_id} is taken`),
      ...(note ? [note] : []),
    ].join('\n'),
})

function isEmpty({ visited, hypotheses, conclusions, open_questions }: Trail): boolean {
  return visited.length + hypotheses.length + conclusions.length + open_questions.length === 0
}

/** What the agent's last queries returned, by node id, with the strongest activation that each had. */
function recentResults({ graph, brain, agent }: ToolContext): Map<string, number> {
  const own = brain.learned.memory.filter((it) => it.agent === agent).slice(-RECENT_QUERIES)
  const scores = new Map<string, number>()
  for (const { activated } of own) {
    activated.keys.forEach((key, i) => {
      if (nodeByKey(graph, key) !== NONE) scores.set(key, Math.max(scores.get(key) ?? 0, activated.scores[i]))
    })
  }
  return new Map([...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)))
}

function strongest(recent: ReadonlyMap<string, number>): [string, number][] {
  const top = [...recent].slice(0, BOOSTS)
  const most = top[0]?.[1] || 1
  return top.map(([key, score]) => [key, (STRENGTH * score) / most])
}
