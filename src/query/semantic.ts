/**
 * The semantic dimension: nodes whose labels are spelled like the question (cosine of tf-idf over groups of
 * three characters) and nodes that stand near those in the graph (random walks).
 */

import type { Graph, NodeId } from '#graph/graph'
import { type ColumnSet, columnReader, prefixed, type TypedArray } from '#query/columns'
import { addSimilar, buildCooccurrence, type Cooccurrence } from '#query/cooccurrence'
import {
  buildNames,
  gramIndex,
  gramsOf,
  type Names,
  namesColumns,
  namesFromColumns,
  NODE_MASK,
  STEM_ONLY,
} from '#query/names'
import { type NodeValues, poolOf } from '#query/node-values'
import { synonymsOf } from '#query/synonyms'
import { normalizeName, partsOf } from '#query/tokens'
import { topNodes } from '#query/top-nodes'

export interface Semantic {
  names: Names
  /** Null for graphs above 50,000 nodes. */
  cooccurrence: Cooccurrence | null
}

export interface Scored {
  node: NodeId
  /** 0..1 */
  score: number
}

/** Weaker similarities are noise and are dropped. */
const NOISE = 0.01
/** Best spelled candidates whose surroundings are searched. */
const PROBES = 3
/** In the fast query spelling and surroundings count alike. */
const FAST_SHARE = 0.5
const FULL_NGRAM = 0.4
const FULL_COOCCURRENCE = 0.4
const FULL_SYNONYM = 0.2

export function buildSemantic(graph: Graph): Semantic {
  return { names: buildNames(graph), cooccurrence: buildCooccurrence(graph) }
}

/** All arrays of the index by name, for the snapshot. */
export function semanticColumns({ names, cooccurrence }: Semantic): Record<string, TypedArray> {
  return {
    ...prefixed('names.', namesColumns(names)),
    ...(cooccurrence === null ? {} : prefixed('cooccurrence.', { ...cooccurrence })),
  }
}

/** The index over arrays of a snapshot, which are used as they are. A missing array is an error that names it. */
export function semanticFromColumns(columns: ColumnSet): Semantic {
  const names = namesFromColumns(columns, 'names.')
  if (columns['cooccurrence.offsets'] === undefined) return { names, cooccurrence: null }
  const { ints, floats } = columnReader(columns, 'cooccurrence.')
  const cooccurrence = {
    offsets: ints('offsets'),
    contexts: ints('contexts'),
    weights: floats('weights'),
    inverseOffsets: ints('inverseOffsets'),
    inverseNodes: ints('inverseNodes'),
    inverseWeights: floats('inverseWeights'),
  }
  return { names, cooccurrence }
}

const gramScratch = new Uint32Array(200)

/** The `k` nodes whose labels are spelled most like `text`, best first, equal ones by node; cosine above 0.01. */
export function ngramTop(graph: Graph, { names }: Semantic, text: string, k: number): Scored[] {
  const pool = poolOf(names, names.text.count)
  const dot = pool.take()
  const total = gramsOf(normalizeName(text), gramScratch)
  let squares = 0
  for (let i = 0; i < total; ) {
    let end = i + 1
    while (end < total && gramScratch[end] === gramScratch[i]) end++
    const tally = end - i
    const gram = gramIndex(names, gramScratch[i])
    i = end
    const idf = gram < 0 ? 1 : names.idf[gram]
    squares += (tally * idf) ** 2
    if (gram < 0) continue
    const { postingNames, postingCounts, labelNorms } = names
    const last = names.postingOffsets[gram + 1]
    for (let p = names.postingOffsets[gram]; p < last; p++) {
      const name = postingNames[p]
      if (labelNorms[name] > 0) dot.add(name, tally * idf * postingCounts[p] * idf)
    }
  }

  const norm = Math.sqrt(squares)
  for (let i = 0; i < dot.count; i++) {
    const name = dot.nodes[i]
    dot.value[name] = Math.min(1, dot.value[name] / (norm * names.labelNorms[name]))
  }
  const top = bearersOfBest(graph, names, dot, k)
  pool.give(dot)
  return top
}

/** The `k` best nodes, each with the score of its label. */
function bearersOfBest(graph: Graph, names: Names, scores: NodeValues, k: number): Scored[] {
  // a label has at least one node, so no node of a label below the k-th best can be among the k best
  const least = lowerBoundOfBest(scores, k)
  const pool = poolOf(graph, graph.nNodes)
  const ofNodes = pool.take()
  for (let i = 0; i < scores.count; i++) {
    const name = scores.nodes[i]
    const score = scores.value[name]
    if (score <= NOISE || score < least) continue
    for (let j = names.offsets[name]; j < names.offsets[name + 1]; j++) {
      const bearer = names.nodes[j]
      if ((bearer & STEM_ONLY) === 0 && graph.dead[bearer & NODE_MASK] === 0) ofNodes.set(bearer & NODE_MASK, score)
    }
  }
  const top = topScored(ofNodes, k)
  pool.give(ofNodes)
  return top
}

const BINS = 1024

/** A score that at least `k` of the scores (0..1) reach, close to the k-th best; 0 when there are fewer. */
function lowerBoundOfBest({ value, nodes, count }: NodeValues, k: number): number {
  const bins = new Uint32Array(BINS + 1)
  for (let i = 0; i < count; i++) bins[Math.floor(value[nodes[i]] * BINS)]++
  let bin = BINS
  for (let reached = bins[bin]; reached < k && bin > 0; reached += bins[bin]) bin--
  return bin / BINS
}

function topScored(scores: NodeValues, k: number): Scored[] {
  return topNodes(scores, k).map((node) => ({ node, score: scores.value[node] }))
}

/** The fast query for one length; see `fastRankings`. */
export function fastQuery(graph: Graph, semantic: Semantic, query: string, k: number): Scored[] {
  return fastRankings(graph, semantic, query, [k])[0]
}

/**
 * The quick semantic ranking, cut to each of the lengths `ks`. Candidates are the 3k best spelled nodes and
 * whatever resembles the best three of them by its surroundings; both count alike. Without co-occurrence
 * spelling counts alone. Scores up to 0.01 are dropped.
 */
export function fastRankings(graph: Graph, semantic: Semantic, query: string, ks: readonly number[]): Scored[][] {
  const spelled = ngramTop(graph, semantic, query, 3 * Math.max(...ks))
  const { cooccurrence } = semantic
  if (cooccurrence === null) return ks.map((k) => spelled.slice(0, k))

  const pool = poolOf(graph, graph.nNodes)
  const similar = pool.take()
  const probes = spelled.slice(0, PROBES)
  for (const { node, score } of probes) addSimilar(cooccurrence, node, score / probes.length, similar)
  const sum = pool.take()
  const rankings = ks.map((k) => {
    for (let i = 0; i < similar.count; i++) {
      const v = similar.nodes[i]
      const score = FAST_SHARE * Math.min(1, similar.value[v])
      if (score > NOISE && graph.dead[v] === 0) sum.set(v, score)
    }
    for (const { node, score } of spelled.slice(0, 3 * k)) {
      const whole = FAST_SHARE * score + FAST_SHARE * Math.min(1, similar.value[node])
      if (whole > NOISE) sum.set(node, Math.min(1, whole))
    }
    const top = topScored(sum, k)
    sum.clear()
    return top
  })
  pool.give(similar, sum)
  return rankings
}

/**
 * The full semantic ranking: 0.4 spelling (5k candidates), 0.4 likeness of surroundings to the best spelled
 * node (3k), 0.2 for a label with a synonym of a word of the question as one of its parts.
 */
export function fullQuery(graph: Graph, semantic: Semantic, query: string, k: number): Scored[] {
  const { names, cooccurrence } = semantic
  const pool = poolOf(graph, graph.nNodes)
  const sum = pool.take()
  const spelled = ngramTop(graph, semantic, query, 5 * k)
  for (const { node, score } of spelled) sum.add(node, FULL_NGRAM * score)

  if (cooccurrence !== null && spelled.length > 0) {
    const similar = pool.take()
    addSimilar(cooccurrence, spelled[0].node, 1, similar)
    for (const { node, score } of topScored(similar, 3 * k)) sum.add(node, FULL_COOCCURRENCE * Math.min(1, score))
    pool.give(similar)
  }

  const matching = pool.take()
  for (const v of bearersOfSynonyms(names, query)) if (matching.raise(v, 1)) sum.add(v, FULL_SYNONYM)
  pool.give(matching)

  const top = topScored(sum, k)
    .filter(({ node, score }) => score > NOISE && graph.dead[node] === 0)
    .map(({ node, score }) => ({ node, score: Math.min(1, score) }))
  pool.give(sum)
  return top
}

/** Nodes with a part of the label, or the whole of it, that is a synonym of a word but not itself in the question. */
function bearersOfSynonyms(names: Names, query: string): NodeId[] {
  const words = new Set(partsOf(query).concat(query.normalize('NFC').toLowerCase().split(/\s+/u)))
  const bearers: NodeId[] = []
  const addLabel = (name: number) => {
    for (let j = names.offsets[name]; j < names.offsets[name + 1]; j++) {
      if ((names.nodes[j] & STEM_ONLY) === 0) bearers.push(names.nodes[j] & NODE_MASK)
    }
  }
  for (const word of words) {
    for (const synonym of synonymsOf(word)) {
      const name = names.text.find(synonym)
      if (words.has(synonym) || name >= names.text.count) continue
      addLabel(name)
      for (let i = names.partOffsets[name]; i < names.partOffsets[name + 1]; i++) addLabel(names.partNames[i])
    }
  }
  return bearers
}
