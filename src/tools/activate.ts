import * as z from 'zod'
import { type Graph, keyOf, labelOf, type NodeId, tagsOf } from '#graph/graph'
import { learnFromQuery } from '#plasticity/cycle'
import { dropFaded } from '#plasticity/priming'
import type { Activation } from '#query/activate'
import { DIMENSIONS, type Ranked } from '#query/blend'
import type { Ghost } from '#query/ghosts'
import { HoleRow, holeRow } from '#tools/hole-rows'
import { budgetFor, rowsThatFit, sizeOf } from '#tools/compact'
import { activateWithMemory } from '#tools/memory'
import { reasonsFor } from '#tools/reasons'
import {
  AgentId,
  Detail,
  NodeRow,
  nodeRow,
  Provenance,
  provenance,
  round,
  TopK,
  Truncated,
  truncated,
} from '#tools/shapes'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

const Dimensions = z.object({ structural: z.number(), semantic: z.number(), temporal: z.number(), causal: z.number() })

const Row = NodeRow.extend({
  activation: z.number(),
  reason: z.string(),
  provenance: Provenance.nullable(),
  score: z.number().optional(),
  dimensions: Dimensions.optional(),
  dimension_scores: Dimensions.optional(),
  pagerank: z.number().optional(),
  tags: z.array(z.string()).optional(),
})

const GhostEdge = z.looseObject({
  source: z.string(),
  target: z.string(),
  from: z.string(),
  to: z.string(),
  shared_dimensions: z.array(z.string()),
  strength: z.number(),
  confidence: z.number(),
})

/** Tags of a compact row. */
const TAGS_SHOWN = 2
/** Characters kept free for what stands around the lists. */
const ROOM = 1000
/** Characters of a reason in a short row. */
const REASON = 60
/** Of seeds at least so many are shown. */
const FEWEST_SEEDS = 1

export default defineTool({
  name: 'activate',
  group: 'query',
  effect: 'learn',
  summary: 'Find the code that matters for a topic, over structure, names, history and causes.',
  details: [
    'Rows say why. It learns: tell learn which rows were right.',
    'For one place use seek, for what a change breaks impact.',
  ],
  input: z.object({
    agent_id: AgentId,
    query: z.string().trim().min(1).describe('Words or names.'),
    top_k: TopK,
    dimensions: z.array(z.enum(DIMENSIONS)).default([]).describe('None = all four.'),
    xlr: z.boolean().default(true).describe('Suppress hubs.'),
    include_ghost_edges: z.boolean().default(true).describe('Likely links.'),
    include_structural_holes: z.boolean().default(false).describe('Gaps.'),
    priming: z.boolean().default(true).describe('Earlier queries.'),
    learn: z.boolean().default(true).describe('Learn from it.'),
    ranking: z.enum(['fused', 'seed']).default('fused').describe('seed: by names.'),
    detail: Detail,
    max_tokens: z.int().min(500).max(25_000).optional().describe('Size limit; follows top_k.'),
  }),
  output: z.looseObject({
    query: z.string(),
    total_active: z.int(),
    activated: z.array(Row),
    seeds: z.array(z.looseObject({ node_id: z.string(), label: z.string(), relevance: z.number() })),
    total_seeds: z.int(),
    ghost_edges: z.array(GhostEdge),
    total_ghost_edges: z.int(),
    structural_holes: z.array(HoleRow),
    total_holes: z.int(),
    plasticity: z.looseObject({
      edges_strengthened: z.int(),
      edges_decayed: z.int(),
      ltp_events: z.int(),
      ltd_events: z.int(),
      homeostatic_rescales: z.int(),
      priming_nodes: z.int(),
    }),
    xlr_fallback_used: z.boolean(),
    xlr_skipped: z.boolean(),
    xlr_truncated: z.boolean(),
    note: z.string(),
    truncated: Truncated,
  }),
  examples: [
    { title: 'Everything around login', input: { agent_id: 'dev', query: 'login session' } },
    {
      title: 'By structure and causes only',
      input: { agent_id: 'dev', query: 'billing', dimensions: ['structural', 'causal'], top_k: 10 },
    },
  ],

  run(context, input) {
    const { graph, brain, engine, agent, now } = context
    const { query } = input
    if (graph.nNodes === 0)
      throw new ToolError('graph_empty', 'The graph is empty.', 'Call ingest with the path of a project.')

    const { found, primed } = activateWithMemory(context, {
      query,
      topK: input.top_k,
      dimensions: input.dimensions.length > 0 ? input.dimensions : DIMENSIONS,
      xlr: input.xlr,
      ghostEdges: input.include_ghost_edges,
      holes: input.include_structural_holes,
      priming: input.priming,
      ranking: input.ranking,
    })
    const full = rowsOf(context, query, found, input.detail)
    const room = input.detail ? Number.POSITIVE_INFINITY : budgetFor(input.top_k, input.max_tokens) - ROOM
    const rows = rowsThatFit(input.detail ? full : full.map(shortRow), room)
    let left = room - rows.reduce((sum, it) => sum + sizeOf(it), 0)
    const seeds = rowsThatFit(
      found.seeds.map(({ node, relevance }) => ({
        node_id: keyOf(graph, node),
        label: labelOf(graph, node),
        relevance: short(relevance),
      })),
      left / 4,
      FEWEST_SEEDS,
    )
    left -= sizeOf(seeds)
    const ghosts = rowsThatFit(
      found.ghosts.map((it) => ghostRow(graph, it)),
      left / 2,
      0,
    )
    left -= sizeOf(ghosts)
    for (let i = 0; i < rows.length; i++) {
      left -= sizeOf(full[i]) - sizeOf(rows[i])
      if (left < 0) break
      rows[i] = full[i]
    }
    const learns = input.learn && engine.status().mode !== 'read_only'
    const counts = learns
      ? learnFromQuery(graph, brain.learned, processed(query, agent, now, found), engine.settings)
      : NOTHING_LEARNED
    if (learns) {
      dropFaded(brain.learned, engine.status().queriesProcessed)
      engine.touch()
    }

    return {
      query: query.length > 200 ? `${query.slice(0, 200)}…` : query,
      total_active: found.totalActive,
      activated: rows,
      seeds,
      total_seeds: found.seeds.length,
      ghost_edges: ghosts,
      total_ghost_edges: found.ghosts.length,
      structural_holes: found.holes.map((it) => holeRow(graph, it)),
      total_holes: found.holesTotal,
      plasticity: { ...counts, priming_nodes: primed },
      xlr_fallback_used: found.xlrFallbackUsed,
      xlr_skipped: found.xlrSkipped,
      xlr_truncated: found.xlrTruncated,
      note: found.note,
      truncated: truncated(
        rows.length,
        found.totalActive,
        rows.length < found.ranked.length ? 'Raise max_tokens.' : 'Raise top_k.',
      ),
    }
  },

  announce: ({ agent_id, query, top_k }, { activated }) => ({
    type: 'activation',
    agent_id,
    query,
    activated: activated.map(({ node_id, activation }) => ({ node_id, activation })),
    top_k,
  }),

  render({ activated, total_active, note }, style) {
    if (activated.length === 0) return note
    const lines = activated.map((it) => {
      const at = it.provenance?.source_path
        ? `${it.provenance.source_path}:${Math.max(1, it.provenance.line_start)}`
        : it.node_id
      return `${it.activation.toFixed(3)}  ${style.bold(it.label)}  ${style.dim(it.type)}  ${at}  ${style.dim(it.reason)}`
    })
    const left = total_active - activated.length
    return [
      ...lines,
      ...(left > 0 ? [style.dim(`${left} more nodes are active; --top-k shows more.`)] : []),
      ...(note ? [note] : []),
    ].join('\n')
  },
})

const NOTHING_LEARNED = {
  edges_strengthened: 0,
  edges_decayed: 0,
  ltp_events: 0,
  ltd_events: 0,
  homeostatic_rescales: 0,
}

/** Three decimals are enough to compare rows. */
function short(x: number): number {
  return Math.round(x * 1e3) / 1e3
}

function shorter(x: number): number {
  return Math.round(x * 100) / 100
}

function ghostRow(graph: Graph, { source, target, shared, strength }: Ghost): z.input<typeof GhostEdge> {
  const ends = { source: keyOf(graph, source), target: keyOf(graph, target) }
  return {
    ...ends,
    from: ends.source,
    to: ends.target,
    shared_dimensions: shared,
    strength: short(strength),
    confidence: short(strength),
  }
}

function processed(text: string, agent: string, time: number, { seeds, ranked }: Activation) {
  return { text, agent, time, seeds: seeds.map(({ node, relevance }) => ({ node, score: relevance })), ranked }
}

function rowsOf(
  { graph, indexes }: ToolContext,
  query: string,
  found: Activation,
  detail: boolean,
): z.input<typeof Row>[] {
  const reasonOf = reasonsFor(graph, { query, seeds: found.seeds, ranked: found.ranked, cochange: indexes.cochange })
  return found.ranked.map((it) => {
    const activation = short(Math.min(1, it.score))
    const dimensions = dimensionsOf(it, detail ? short : shorter)
    return {
      ...nodeRow(graph, it.node),
      activation,
      score: activation,
      reason: reasonOf(it),
      dimensions,
      dimension_scores: dimensions,
      pagerank: short(graph.pagerank[it.node]),
      tags: detail ? tagsOf(graph, it.node) : tagsOf(graph, it.node).slice(0, TAGS_SHOWN),
      provenance: detail ? provenance(graph, it.node) : place(graph, it.node),
      ...(detail && { raw_score: round(it.score) }),
    }
  })
}

/** What a row is, where, and why it is here. */
function shortRow({ node_id, label, type, activation, reason, provenance }: z.input<typeof Row>): z.input<typeof Row> {
  const why = reason.length <= REASON ? reason : `${reason.slice(0, REASON - 1)}…`
  return { node_id, label, type, activation, reason: why, provenance }
}

function dimensionsOf({ dims }: Ranked, rounded: (x: number) => number): z.input<typeof Dimensions> {
  const [structural, semantic, temporal, causal] = dims.map(rounded)
  return { structural, semantic, temporal, causal }
}

/** Where a node stands in the code, without the excerpt. */
function place(graph: Graph, v: NodeId): z.input<typeof Provenance> | null {
  const { source_path, line_start, line_end, canonical } = provenance(graph, v)
  return source_path === null ? null : { source_path, line_start, line_end, canonical }
}
