/** From the words of a question to the nodes whose names or tags match them. */

import type { Graph, NodeId } from '#graph/graph'
import { gramIndex, gramsOf, type Names, NODE_MASK, WITH_EXTENSION } from '#query/names'
import { type NodeValues, poolOf } from '#query/node-values'
import { fastQuery, type Semantic } from '#query/semantic'
import { type ParsedQuery, parseQuery, type Term } from '#query/tokens'
import { topNodes } from '#query/top-nodes'

/** At most so many seeds, whatever is asked for. */
export const MAX_SEEDS = 200

// how much a match of each kind counts
const EXACT = 1
const PREFIX = 0.9
const SUBSTRING = 0.8
const TAG = 0.85
const FUZZY = 0.7
/** Cosine of gram counts from which a fuzzy match counts. */
const FUZZY_ABOVE = 0.3
const LEAST = 0.1
/** Neither name nor word may be shorter for one to be found inside the other. */
const SHORTEST_INSIDE = 3
/** A node that matches all words of the question keeps its score, one that matches none would keep this share. */
const PARTIAL_COVER = 0.75

const BASIC_SHARE = 0.6
const SEMANTIC_SHARE = 0.4

export interface Seed {
  node: NodeId
  /** 0..1 */
  relevance: number
}

/** What seed finding needs of the indexes; a `Semantic` is one. */
export interface SeedIndex {
  names: Names
}

/** The question as words; of too many words those that are names are preferred. */
export function parseFor({ names }: SeedIndex, query: string): ParsedQuery {
  return parseQuery(query, (word) => {
    const name = names.text.find(word)
    return name < names.text.count && names.gramCounts[name] > 0
  })
}

/**
 * The `k` (at most 200) nodes whose label, file stem or tags match the words best: equal 1, prefix 0.9, tag
 * 0.85, substring 0.8, similar spelling up to 0.7. Best first, equal ones by PageRank, then by node.
 */
export function findSeeds(graph: Graph, index: SeedIndex, query: string, k: number): Seed[] {
  return matchWords(graph, index, parseFor(index, query), Math.min(k, MAX_SEEDS))
}

/** Like `findSeeds`, ranked with 0.4 for what the semantic index says about the whole question. */
export function findSeedsSemantic(graph: Graph, semantic: Semantic, query: string, k: number): Seed[] {
  const limit = Math.min(k, MAX_SEEDS)
  const matched = matchWords(graph, semantic, parseFor(semantic, query), 3 * limit)
  return rerank(graph, matched, fastQuery(graph, semantic, query, 3 * limit), limit)
}

/** Blends matches of words with semantic scores and keeps the best `limit`. */
export function rerank(
  graph: Graph,
  basic: Seed[],
  semantic: readonly { node: NodeId; score: number }[],
  limit: number,
): Seed[] {
  const scores = new Map(semantic.map((it) => [it.node, it.score]))
  const { pagerank } = graph
  return basic
    .map(({ node, relevance }) => ({
      node,
      relevance: BASIC_SHARE * relevance + SEMANTIC_SHARE * (scores.get(node) ?? 0),
    }))
    .sort((a, b) => b.relevance - a.relevance || pagerank[b.node] - pagerank[a.node] || a.node - b.node)
    .slice(0, limit)
}

/** The `limit` best nodes for words that are already parsed; words that match nothing are added to `unmatched`. */
export function matchWords(
  graph: Graph,
  { names }: SeedIndex,
  { words }: ParsedQuery,
  limit: number,
  unmatched: string[] = [],
): Seed[] {
  const pool = poolOf(graph, graph.nNodes)
  const best = pool.take()
  const covered = pool.take()
  const ofWord = pool.take()
  for (const word of words) {
    for (const term of word.terms) {
      if (term.whole) matchWhole(names, term, ofWord)
      else matchTerm(names, term, ofWord)
    }
    if (ofWord.count === 0) unmatched.push(word.terms[0].text)
    for (let i = 0; i < ofWord.count; i++) {
      const v = ofWord.nodes[i]
      best.raise(v, ofWord.value[v])
      covered.add(v, 1)
    }
    ofWord.clear()
  }

  // scores take the place of the counts of words
  const scores = ofWord
  for (let i = 0; i < best.count; i++) {
    const v = best.nodes[i]
    if (graph.dead[v] === 1) continue
    const score = best.value[v] * (PARTIAL_COVER + ((1 - PARTIAL_COVER) * covered.value[v]) / words.length)
    if (score >= LEAST) scores.set(v, score)
  }
  const seeds = topNodes(scores, limit, graph.pagerank).map((node) => ({ node, relevance: scores.value[node] }))
  pool.give(best, covered, ofWord)
  return seeds
}

const gramScratch = new Uint32Array(200)
const encoder = new TextEncoder()

/**
 * Raises every node with a name that matches the term. One walk over the postings of the term's grams gives
 * for each name both the grams it shares, which is all a name needs to be inside the term or around it, and
 * the cosine of the two.
 */
function matchTerm(names: Names, { text, weight }: Term, reached: NodeValues): void {
  const pool = poolOf(names, names.text.count)
  const met = pool.take()
  const { postingOffsets, postingNames, postingCounts, gramCounts, countNorms } = names
  const total = gramsOf(text, gramScratch)
  let distinct = 0
  let squares = 0
  for (let i = 0; i < total; ) {
    let end = i + 1
    while (end < total && gramScratch[end] === gramScratch[i]) end++
    const tally = end - i
    distinct++
    squares += tally * tally
    const gram = gramIndex(names, gramScratch[i])
    i = end
    if (gram < 0) continue
    const last = postingOffsets[gram + 1]
    for (let p = postingOffsets[gram]; p < last; p++) met.add(postingNames[p], ONE_SHARED + tally * postingCounts[p])
  }

  const levels: Levels = { inside: 0, fuzzy: 0, tag: 0 }
  const least = FUZZY_ABOVE * Math.sqrt(squares)
  const bytes = encoder.encode(text)
  for (let i = 0; i < met.count; i++) {
    const name = met.nodes[i]
    const shared = Math.floor(met.value[name] / ONE_SHARED)
    const dot = met.value[name] - shared * ONE_SHARED
    const inside = shared === distinct || shared === gramCounts[name] ? containment(names, name, bytes) : 0
    const isFuzzy = dot > least * countNorms[name]
    if (inside === 0 && !isFuzzy) continue
    const fuzzy = isFuzzy ? FUZZY * Math.min(1, dot / (Math.sqrt(squares) * countNorms[name])) : 0
    levels.inside = weight * inside
    levels.fuzzy = weight * fuzzy
    levels.tag = inside > 0 ? weight * TAG : 0
    raiseBearers(names, name, levels, reached)
  }
  pool.give(met)
}

/**
 * Dot product and number of shared grams travel in one number: this per shared gram, plus the dot product,
 * which stays below it (at most 200 grams on either side, so at most 40,000).
 */
const ONE_SHARED = 65_536

/** A term that must be a whole name, a whole tag or a whole part of a label. */
function matchWhole(names: Names, { text, weight }: Term, reached: NodeValues): void {
  const name = names.text.find(text)
  if (name >= names.text.count) return
  raiseBearers(names, name, { inside: weight * EXACT, fuzzy: 0, tag: weight * TAG }, reached)
  for (let i = names.partOffsets[name]; i < names.partOffsets[name + 1]; i++) {
    const whole = names.partNames[i]
    const level = beginsWith(names, whole, name) ? PREFIX : SUBSTRING
    raiseBearers(names, whole, { inside: weight * level, fuzzy: 0, tag: 0 }, reached)
  }
}

function beginsWith({ text }: Names, name: number, beginning: number): boolean {
  const { bytes, offsets } = text
  const length = offsets[beginning + 1] - offsets[beginning]
  if (offsets[name + 1] - offsets[name] < length) return false
  for (let i = 0; i < length; i++) if (bytes[offsets[name] + i] !== bytes[offsets[beginning] + i]) return false
  return true
}

interface Levels {
  /** For bearers of the name as label or stem: equal, prefix or substring. */
  inside: number
  /** For bearers that have no better name than this, when it is not inside. */
  fuzzy: number
  tag: number
}

function raiseBearers(names: Names, name: number, { inside, fuzzy, tag }: Levels, reached: NodeValues): void {
  const { offsets, nodes, tagOffsets, tagNodes } = names
  for (let j = offsets[name]; j < offsets[name + 1]; j++) {
    const bearer = nodes[j]
    if (inside > 0) reached.raise(bearer & NODE_MASK, inside)
    else if ((bearer & WITH_EXTENSION) === 0) reached.raise(bearer & NODE_MASK, fuzzy)
  }
  if (tag > 0) for (let j = tagOffsets[name]; j < tagOffsets[name + 1]; j++) reached.raise(tagNodes[j], tag)
}

/** 1 for equal, 0.9 when the shorter begins the longer, 0.8 when it is inside, else 0. Works on UTF-8. */
function containment({ text }: Names, name: number, term: Uint8Array): number {
  const start = text.offsets[name]
  const length = text.offsets[name + 1] - start
  const within = length < term.length
  const shorter = within ? length : term.length
  const spare = Math.abs(length - term.length)
  if (shorter < SHORTEST_INSIDE && spare > 0) return 0
  const { bytes } = text
  for (let shift = 0; shift <= spare; shift++) {
    const nameAt = start + (within ? 0 : shift)
    const termAt = within ? shift : 0
    let i = 0
    while (i < shorter && bytes[nameAt + i] === term[termAt + i]) i++
    if (i < shorter) continue
    if (spare === 0) return EXACT
    return shift === 0 ? PREFIX : SUBSTRING
  }
  return 0
}
