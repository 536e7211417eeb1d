/** The whole query: seeds, four dimensions, noise filter, ranking, and what seems to be missing around it. */

import type { Graph, NodeId } from '#graph/graph'
import { blend, DIMENSIONS, type Dimension, type Ranked } from '#query/blend'
import type { CoChange } from '#query/cochange'
import { rankFused } from '#query/fused'
import { findGhosts, type Ghost } from '#query/ghosts'
import { findHoles, type Hole } from '#query/holes'
import { poolOf } from '#query/node-values'
import { readQuestion } from '#query/question'
import type { SeekIndexes } from '#query/seek-options'
import { MAX_SEEDS, matchWords, parseFor, rerank, type Seed } from '#query/seeds'
import { fastRankings } from '#query/semantic'
import { spread, spreadCausal } from '#query/spread'
import { temporalScorer } from '#query/temporal'
import type { ParsedQuery } from '#query/tokens'
import { filterNoise } from '#query/xlr'

export interface ActivateOptions {
  query: string
  /** Rows to return, 1..1000. */
  topK: number
  /** Dimensions that take part; the others contribute nothing. */
  dimensions: readonly Dimension[]
  /** Whether the noise filter replaces the structural dimension. */
  xlr: boolean
  gate: 'seed' | 'rescaled'
  /** Whether hubs near the seeds are immune to the noise filter too. */
  hubImmunity: boolean
  ghostEdges: boolean
  holes: boolean
  /** Activation from which a neighbour counts for a hole, default 0.3. */
  minSiblingActivation?: number
  /** Share of its score that a node gains from warmup, trails and priming, or loses when negative. */
  boosts: ReadonlyMap<NodeId, number> | ((seeds: readonly Seed[]) => ReadonlyMap<NodeId, number>)
  /** What was said about files and definitions as answers to like questions, -1..1. */
  remembered?: ReadonlyMap<NodeId, number>
  /** `fused`: search by words, history and relations gives seeds too; `seed`: only names and spelling do. */
  ranking: 'fused' | 'seed'
  nowSeconds: number
}

export interface Activation {
  seeds: Seed[]
  ranked: Ranked[]
  /** Nodes that anything reached, before the cut to `topK`. */
  totalActive: number
  /** Share of each dimension in the scores, in the order of `DIMENSIONS`. */
  weights: number[]
  ghosts: Ghost[]
  holes: Hole[]
  /** Holes before the cut. */
  holesTotal: number
  xlrFallbackUsed: boolean
  xlrSkipped: boolean
  xlrTruncated: boolean
  /** What the caller should know about the answer, '' when nothing. */
  note: string
}

/** The semantic dimension covers this many nodes at least, and five times the rows asked for. */
const LEAST_SEMANTIC = 50
const PER_ROW = 5

/**
 * Runs a question through the graph. Reads only: what is learned from the answer is up to the caller. An empty
 * graph or a question that matches nothing gives an empty answer whose note says so.
 */
export function activate(
  graph: Graph,
  indexes: SeekIndexes & { cochange: CoChange },
  {
    query,
    topK,
    dimensions,
    xlr,
    gate,
    hubImmunity,
    ghostEdges,
    holes,
    minSiblingActivation,
    boosts,
    remembered,
    ranking,
    nowSeconds,
  }: ActivateOptions,
): Activation {
  const answer: Activation = {
    seeds: [],
    ranked: [],
    totalActive: 0,
    weights: [0, 0, 0, 0],
    ghosts: [],
    holes: [],
    holesTotal: 0,
    xlrFallbackUsed: false,
    xlrSkipped: false,
    xlrTruncated: false,
    note: '',
  }
  if (graph.nNodes === 0) return { ...answer, note: 'The graph is empty.' }

  // seeds, and the semantic list that both they and the second dimension rest on
  const { semantic } = indexes
  const parsed = parseFor(semantic, query)
  const nSeeds = Math.min(PER_ROW * topK, MAX_SEEDS)
  const unmatched: string[] = []
  const matched = matchWords(graph, semantic, parsed, 3 * nSeeds, unmatched)
  const note = noteOn(parsed, matched.length, unmatched)
  const isNamed = parsed.words.length <= NAMES_ONLY && matched.length > 0
  const searched = ranking === 'fused' && !isNamed ? search(graph, indexes, { query, remembered, nowSeconds }) : []
  if (matched.length === 0 && searched.length === 0) return { ...answer, note: emptyNote(query, note) }
  const [forSeeds, forDimension] = fastRankings(graph, semantic, query, [
    3 * nSeeds,
    Math.max(PER_ROW * topK, LEAST_SEMANTIC),
  ])
  const seeds = withSearched(searched, rerank(graph, matched, forSeeds, nSeeds), nSeeds)

  // the dimensions; all are computed, since the temporal one and the filter look at where the others arrive
  const pool = poolOf(graph, graph.nNodes)
  const plain = spread(graph, seeds)
  const meaning = pool.take()
  const known = searched.length > 0 ? SPELLED : 1
  for (const { node, score } of forDimension) meaning.set(node, known * score)
  for (const { node, relevance } of searched) meaning.raise(node, relevance)
  const causes = spreadCausal(graph, seeds)
  const times = pool.take()
  const scoreOf = temporalScorer(graph, nowSeconds)
  for (const column of [plain, meaning, causes]) {
    for (let i = 0; i < column.count; i++) {
      const v = column.nodes[i]
      if (times.value[v] === 0) times.raise(v, scoreOf(v))
    }
  }

  const filtered =
    xlr && dimensions.includes('structural')
      ? filterNoise(graph, seeds, { semantic: meaning, gate, hubImmunity })
      : null
  let structure = plain
  if (filtered !== null) {
    structure = filtered.values
    for (const { node } of seeds) structure.raise(node, plain.value[node])
  }

  const columns = [structure, meaning, times, causes] as const
  const [d1, d2, d3, d4] = columns.map((column, d) => (dimensions.includes(DIMENSIONS[d]) ? column : null))
  const { ranked, totalActive, weights } = blend(graph, [d1, d2, d3, d4], {
    boosts: typeof boosts === 'function' ? boosts(seeds) : boosts,
    topK,
  })
  pool.give(...new Set([plain, structure, meaning, times, causes]))

  const missing = holes ? findHoles(graph, ranked, minSiblingActivation) : { holes: [], total: 0 }
  return {
    seeds,
    ranked,
    totalActive,
    weights,
    ghosts: ghostEdges ? findGhosts(graph, ranked) : [],
    holes: missing.holes,
    holesTotal: missing.total,
    xlrFallbackUsed: filtered?.fallbackUsed ?? false,
    xlrSkipped: xlr && filtered === null,
    xlrTruncated: filtered?.truncated ?? false,
    note,
  }
}

/** A question of so few words names what it means. */
const NAMES_ONLY = 2
/** Rows of the search that become seeds. */
const SEARCHED = 30
/** What a match of names, and a like spelling, count beside the search. */
const NAMED = 0.5
const SPELLED = 0.5

/**
 * The best rows of the fused search. Measured on 240 past commits of six repositories, their files among the first ten:
 * 62 % by names and spelling alone, 85 % with these seeds (search itself 87 %).
 */
function search(
  graph: Graph,
  indexes: SeekIndexes,
  { query, remembered, nowSeconds }: Pick<ActivateOptions, 'query' | 'remembered' | 'nowSeconds'>,
): Seed[] {
  const nodeTypes = new Set<number>()
  const options = { topK: SEARCHED, scope: '', nodeTypes, graphRerank: true, remembered, nowSeconds }
  const { rows } = rankFused(graph, indexes, readQuestion(query), options)
  return rows.slice(0, SEARCHED).map(({ node, score }) => ({ node, relevance: score }))
}

function withSearched(searched: readonly Seed[], named: readonly Seed[], most: number): Seed[] {
  if (searched.length === 0) return [...named]
  const seeds = new Map(searched.map((it) => [it.node, it.relevance]))
  for (const { node, relevance } of named) seeds.set(node, Math.max(seeds.get(node) ?? 0, NAMED * relevance))
  return Array.from(seeds, ([node, relevance]) => ({ node, relevance }))
    .sort((a, b) => b.relevance - a.relevance || a.node - b.node)
    .slice(0, most)
}

/** Words of which the note names at most so many. */
const NAMED_WORDS = 5

/** Why nothing was found: a question without words is another matter than words that are nowhere. */
function emptyNote(query: string, note: string): string {
  const { terms, note: onQuestion } = readQuestion(query)
  return terms.length === 0 ? onQuestion : [note, onQuestion].filter((it) => it !== '').join(' ')
}

function noteOn({ words, omitted }: ParsedQuery, nMatched: number, unmatched: readonly string[]): string {
  const notes: string[] = []
  if (words.length === 0) notes.push('The query has no words.')
  else if (nMatched === 0) notes.push('No name or tag in the graph matches the query.')
  else if (unmatched.length > 0) {
    notes.push(
      `No name or tag matches ${unmatched.slice(0, NAMED_WORDS).join(', ')}${unmatched.length > NAMED_WORDS ? ', …' : ''}.`,
    )
  }
  if (omitted > 0)
    notes.push(`The query has ${words.length + omitted} distinct words; ${words.length} of them were used.`)
  return notes.join(' ')
}
