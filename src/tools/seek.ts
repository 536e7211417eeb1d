import * as z from 'zod'
import { CUSTOM, type Graph, keyOf, labelOf, NODE_TYPES, tagsOf, text, typeName } from '#graph/graph'
import { connectionsOf } from '#query/connections'
import { seek } from '#query/seek'
import type { SeekRow } from '#query/seek-options'
import { seedParts, tokensOf } from '#query/seek-seed'
import { AgentId, Detail, NodeRow, nodeRow, round, scopeBelow, TopK, Truncated, truncated } from '#tools/shapes'
import { budgetFor, rowsThatFit, sizeOf } from '#tools/compact'
import { saidBefore } from '#tools/memory'
import { footnotes, pathIn, plural, table } from '#tools/table'
import { defineTool, ToolError } from '#tools/tool'

/** Tokens of an answer with all fields, unless its caller says otherwise. */
const DETAILED_TOKENS = 8000
/** Characters kept free for what stands around the rows. */
const ROOM = 1000

const RECENCY_HALF_LIFE_HOURS = 168

export default defineTool({
  name: 'seek',
  group: 'exploration',
  effect: 'read',
  summary: 'Find the code for a purpose, an issue, a symbol, a path or a stack trace.',
  details: [
    'Names and paths as in code count most. Best files first, with their definitions.',
    'For what surrounds a topic use activate, for what a change breaks impact.',
  ],
  input: z.object({
    agent_id: AgentId,
    query: z.string().min(1).describe('Words, names, an issue, a trace.'),
    top_k: TopK,
    scope: z.string().default('').describe('Path or id prefix.'),
    node_types: z.array(z.string()).default([]).describe('function, class, file …; none = all.'),
    min_score: z.number().min(0).max(1).default(0.1).describe('The best row has 1.'),
    graph_rerank: z.boolean().default(true).describe('false: text only.'),
    ranking: z.enum(['fused', 'seed']).default('fused').describe('seed: names and PageRank.'),
    detail: Detail,
    max_tokens: z.int().min(500).max(25_000).optional().describe('Size limit; follows top_k.'),
  }),
  output: z.looseObject({
    query: z.string(),
    total_matches: z.int(),
    total_candidates_scanned: z.int(),
    embeddings_used: z.boolean(),
    ranking: z.string(),
    reason: z.string().nullable(),
    results: z.array(
      NodeRow.extend({
        score: z.number(),
        reason: z.string(),
        file_path: z.string().optional(),
        line_start: z.int().optional(),
        line_end: z.int().optional(),
        intent_summary: z.string().optional(),
        excerpt: z.string().optional(),
        score_breakdown: z
          .looseObject({
            embedding_similarity: z.number(),
            graph_activation: z.number(),
            temporal_recency: z.number(),
            keyword_match: z.number(),
            trigram: z.number(),
          })
          .optional(),
        connections: z
          .array(z.looseObject({ node_id: z.string(), label: z.string(), relation: z.string() }))
          .optional(),
      }),
    ),
    truncated: Truncated,
  }),
  examples: [
    { title: 'Code for a purpose', input: { agent_id: 'dev', query: 'total price of the cart' } },
    {
      title: 'Functions only, below a folder',
      input: { agent_id: 'dev', query: 'price', scope: 'cart', node_types: ['function'] },
    },
  ],

  run(context, { query, top_k, scope, node_types, min_score, graph_rerank, ranking, detail, max_tokens }) {
    const { graph, indexes, now } = context
    if (query.trim() === '') {
      throw new ToolError(
        'invalid_params',
        'Invalid params for seek: query: it is blank',
        'Give words, a name or a path.',
        { detail: 'query' },
      )
    }
    const found = seek(graph, indexes, {
      query,
      topK: top_k,
      scope: scopeBelow(graph, scope),
      nodeTypes: new Set(node_types.map(typeCode)),
      minScore: min_score,
      graphRerank: graph_rerank,
      ...(graph_rerank && { remembered: saidBefore(context, query) }),
      ranking,
      nowSeconds: now / 1000,
    })
    const tokens = tokensOf(query)
    const answer = {
      query: query.length > 200 ? `${query.slice(0, 200)}…` : query,
      total_matches: found.total,
      total_candidates_scanned: found.scanned,
      embeddings_used: false,
      ranking,
      reason: found.note === '' ? null : found.note,
    }
    const room = budgetFor(top_k, detail ? (max_tokens ?? DETAILED_TOKENS) : max_tokens) - ROOM - sizeOf(answer)
    const extras = (row: SeekRow) => extrasOf(graph, row, { query, tokens, nowSeconds: now / 1000, detail })
    const full = found.rows.map((row) => ({ ...rowOf(graph, row, detail), ...extras(row) }))
    const results = detail
      ? rowsThatFit(full, room)
      : fillRows(
          found.rows.map((row) => rowOf(graph, row, false)),
          full,
          room,
        )
    const how =
      results.length < found.rows.length ? 'Raise max_tokens or lower top_k.' : 'Raise top_k or lower min_score.'
    return { ...answer, results, truncated: truncated(results.length, found.total, how) }
  },

  render(output, style) {
    const { results, reason, total_matches } = output
    if (results.length === 0) return reason ?? 'Nothing found.'
    const rows = results.map((it) => [it.score.toFixed(3), it.type, it.label, it.reason, placeOf(it)])
    const head = `${style.bold(plural(total_matches, 'match', 'matches'))}`
    return [
      head,
      '',
      table(rows, style),
      ...(reason === null ? [] : [style.dim(reason)]),
      ...footnotes(output, style),
    ].join('\n')
  },
})

function typeCode(name: string): number {
  const custom = /^custom\((\d{1,3})\)$/.exec(name)
  if (custom !== null) return CUSTOM + Number(custom[1])
  const code = NODE_TYPES.findIndex((it) => it === name.toLowerCase())
  if (code >= 0) return code
  throw new ToolError(
    'invalid_params',
    `Invalid params for seek: node_types: unknown type ${name}`,
    `Types are ${NODE_TYPES.join(', ')}.`,
    {
      detail: name,
    },
  )
}

function rowOf(graph: Graph, { node, score, reason }: SeekRow, detail: boolean) {
  const path = text(graph, graph.paths[node])
  const excerpt = text(graph, graph.excerpts[node])
  return {
    ...nodeRow(graph, node),
    score: detail ? round(score) : Math.round(score * 1000) / 1000,
    ...(path !== '' && { file_path: path }),
    ...(graph.lineStart[node] > 0 && { line_start: graph.lineStart[node], line_end: graph.lineEnd[node] }),
    reason: detail ? reason : shortened(reason, 90),
    ...(detail && excerpt !== '' && { excerpt }),
  }
}

interface Asked {
  query: string
  tokens: readonly string[]
  nowSeconds: number
  detail: boolean
}

/** The fields that a compact answer has only as far as there is room. */
function extrasOf(graph: Graph, { node, parts }: SeekRow, { query, tokens, nowSeconds, detail }: Asked) {
  const number = detail ? round : (value: number) => Math.round(value * 100) / 100
  const { keyword, trigram } = seedParts(graph, node, query, tokens)
  const age = Math.max(0, nowSeconds - graph.lastModified[node]) / 3600
  const breakdown = {
    embedding_similarity: number(keyword),
    graph_activation: number(parts.graph_activation ?? graph.pagerank[node]),
    temporal_recency: number(graph.lastModified[node] > 0 ? 2 ** (-age / RECENCY_HALF_LIFE_HOURS) : 0),
    ...Object.fromEntries(Object.entries(parts).map(([list, share]) => [list, number(share)])),
    keyword_match: number(keyword),
    trigram: number(trigram),
  }
  return {
    intent_summary: shortened(intentOf(graph, node), detail ? 200 : 80),
    score_breakdown: breakdown,
    connections: connectionsOf(graph, node, detail ? 5 : 3).map((it) => ({
      node_id: keyOf(graph, it.node),
      label: labelOf(graph, it.node),
      relation: it.relation,
      ...(it.isGuess && { confidence: 'guess' }),
    })),
  }
}

/** First sentence of the comment where there is one, else what kind of thing it is. */
function intentOf(graph: Graph, node: number): string {
  const excerpt = text(graph, graph.excerpts[node])
  if (excerpt !== '') return excerpt
  const tags = tagsOf(graph, node).slice(0, 4)
  return `${labelOf(graph, node)} (${[typeName(graph.types[node]), ...tags].join(', ')})`
}

type Compact = ReturnType<typeof rowOf>
type Full = Compact & ReturnType<typeof extrasOf>

/** Compact rows as far as they fit; then one kind of extra field after the other, from the first row down. */
function fillRows(compact: Compact[], full: Full[], room: number): (Compact & Partial<Full>)[] {
  const rows: (Compact & Partial<Full>)[] = rowsThatFit(compact, room)
  let left = room - rows.reduce((sum, row) => sum + sizeOf(row), 0)
  for (const field of ['intent_summary', 'score_breakdown', 'connections'] as const) {
    for (let i = 0; i < rows.length; i++) {
      const cost = JSON.stringify({ [field]: full[i][field] }).length
      if (cost > left) return rows
      left -= cost
      rows[i] = { ...rows[i], [field]: full[i][field] }
    }
  }
  return rows
}

function shortened(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, most - 1)}…`
}

function placeOf({
  file_path,
  line_start,
  node_id,
}: {
  file_path?: string
  line_start?: number
  node_id: string
}): string {
  if (file_path === undefined) return node_id
  const path = pathIn(node_id, file_path)
  return line_start === undefined ? path : `${path}:${line_start}`
}
