/** The plain ranking of nodes by name, importance and spelling, without fusion. */

import { FILE, type Graph, keyOf, labelOf, NONE, type NodeId, tagsOf, text } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import { corpusOf } from '#query/corpus'
import { gramIndex, gramsOf, type Names, NODE_MASK, STEM_ONLY, stemsOfFile } from '#query/names'
import { type NodeValues, poolOf } from '#query/node-values'
import { normalizeScope, type SeekIndexes, type SeekOptions, type SeekRow } from '#query/seek-options'
import { normalizeName, partsOf } from '#query/tokens'

const KEYWORD_SHARE = 0.6
const IMPORTANCE_SHARE = 0.3
const TRIGRAM_SHARE = 0.1
const LEAST_KEYWORD = 0.01
const LEAST_TRIGRAM = 0.15
const SEPARATORS = /[\s?!.,;:()[\]{}"'`]+/u
const STOP_WORDS = new Set(
  'the and for that this with from into where which what when how does are was were has have not all any can code'.split(
    ' ',
  ),
)
const SHORTEST_TOKEN = 2
/** A shorter token is looked for as a whole name, part, tag or path segment, not inside of names. */
const SHORTEST_INSIDE = 3
/** Of a pasted text so much is read. */
const MOST_TOKENS = 64
const MOST_CHARS = 20_000
const EXACT_HIT = 2
const PARTIAL_HIT = 1

/**
 * Every node on its own: 0.6 · keyword + 0.3 · PageRank + 0.1 · trigram. Keyword is the sum over the tokens of the
 * query of 2 (equal to the label or file stem) or 1 (inside of it, a part of it, a tag, a segment of the path),
 * divided by the number of tokens, at most 1; trigram is the cosine of the query and the label. Nodes below 0.01
 * and 0.15 in these are left out. Without relations PageRank drops out and the rest is divided by 0.7.
 */
export function seekBySeedFormula(graph: Graph, { lexical, semantic }: SeekIndexes, options: SeekOptions) {
  const { names } = semantic
  const pool = poolOf(graph, graph.nNodes)
  const keyword = pool.take()
  const hits = pool.take()
  const tokens = tokensOf(options.query)
  for (const token of tokens) {
    hitNames(names, token, hits)
    hitPaths(graph, lexical, token, hits)
    for (let i = 0; i < hits.count; i++) keyword.add(hits.nodes[i], hits.value[hits.nodes[i]] / tokens.length)
    hits.clear()
  }
  const trigram = hits
  matchSpelling(names, options.query, trigram)

  const rows: SeekRow[] = []
  const consider = (v: NodeId) => {
    const matched = Math.min(1, keyword.value[v])
    const spelled = Math.min(1, trigram.value[v])
    if (graph.dead[v] === 1 || (matched < LEAST_KEYWORD && spelled < LEAST_TRIGRAM)) return
    const text = KEYWORD_SHARE * matched + TRIGRAM_SHARE * spelled
    const score = options.graphRerank
      ? text + IMPORTANCE_SHARE * graph.pagerank[v]
      : text / (KEYWORD_SHARE + TRIGRAM_SHARE)
    if (score < options.minScore || !isWanted(graph, v, options)) return
    const parts = {
      keyword_match: matched,
      trigram: spelled,
      graph_activation: options.graphRerank ? graph.pagerank[v] : 0,
    }
    rows.push({ node: v, score, parts, reason: matched >= LEAST_KEYWORD ? 'name, tag or path' : 'similar spelling' })
  }
  for (let i = 0; i < keyword.count; i++) consider(keyword.nodes[i])
  for (let i = 0; i < trigram.count; i++) if (keyword.value[trigram.nodes[i]] === 0) consider(trigram.nodes[i])
  const scanned = keyword.count + trigram.count
  pool.give(keyword, trigram)
  rows.sort((a, b) => b.score - a.score || a.node - b.node)
  return { rows: rows.slice(0, options.topK), total: rows.length, scanned }
}

/** The two parts of the formula that depend on the question, for one node; without an index. */
export function seedParts(
  graph: Graph,
  v: NodeId,
  query: string,
  tokens: readonly string[],
): { keyword: number; trigram: number } {
  const label = labelOf(graph, v)
  const name = normalizeName(label)
  const stems = graph.types[v] === FILE ? stemsOfFile(name) : []
  const wholes = new Set([name, ...stems])
  const pieces = new Set([
    ...partsOf(label),
    ...tagsOf(graph, v).map(normalizeName),
    ...segmentsOf(text(graph, graph.paths[v])),
  ])
  let sum = 0
  for (const token of tokens) {
    if (wholes.has(token)) sum += EXACT_HIT
    else if (pieces.has(token) || (token.length >= SHORTEST_INSIDE && name.includes(token))) sum += PARTIAL_HIT
  }
  const trigram = cosine(normalizeName(query.slice(0, MOST_CHARS).trim()), name)
  return { keyword: tokens.length === 0 ? 0 : Math.min(1, sum / tokens.length), trigram }
}

/** Cosine of the counts of three-character groups of two normalized names. */
function cosine(a: string, b: string): number {
  const counts = gramCounts(a)
  const others = gramCounts(b)
  let dot = 0
  for (const [gram, count] of counts) dot += count * (others.get(gram) ?? 0)
  const norm = (grams: Map<number, number>) =>
    Math.sqrt(Array.from(grams.values()).reduce((sum, it) => sum + it * it, 0))
  return dot === 0 ? 0 : dot / (norm(counts) * norm(others))
}

function gramCounts(name: string): Map<number, number> {
  const grams = new Uint32Array(200)
  const count = gramsOf(name, grams)
  const counts = new Map<number, number>()
  for (let i = 0; i < count; i++) counts.set(grams[i], (counts.get(grams[i]) ?? 0) + 1)
  return counts
}

/** Distinct tokens of a query with the parts of those that are identifiers. */
export function tokensOf(query: string): string[] {
  const tokens = new Set<string>()
  for (const raw of query.slice(0, MOST_CHARS).normalize('NFC').split(SEPARATORS)) {
    for (const token of [normalizeName(raw), ...partsOf(raw)]) {
      if (token.length >= SHORTEST_TOKEN && !STOP_WORDS.has(token)) tokens.add(token)
    }
    if (tokens.size >= MOST_TOKENS) break
  }
  return Array.from(tokens).slice(0, MOST_TOKENS)
}

function isWanted(graph: Graph, v: NodeId, { nodeTypes, scope }: SeekOptions): boolean {
  if (nodeTypes.size > 0 && !nodeTypes.has(graph.types[v])) return false
  return (
    scope === '' || text(graph, graph.paths[v]).startsWith(normalizeScope(scope)) || keyOf(graph, v).startsWith(scope)
  )
}

function hitNames(names: Names, token: string, hits: NodeValues): void {
  const same = names.text.find(token)
  if (same !== NONE) {
    raiseBearers(names, same, EXACT_HIT, hits)
    for (let i = names.partOffsets[same]; i < names.partOffsets[same + 1]; i++)
      raiseBearers(names, names.partNames[i], PARTIAL_HIT, hits)
    for (let i = names.tagOffsets[same]; i < names.tagOffsets[same + 1]; i++) hits.raise(names.tagNodes[i], PARTIAL_HIT)
  }
  if (token.length < SHORTEST_INSIDE) return
  for (const name of namesAround(names, token)) raiseBearers(names, name, PARTIAL_HIT, hits)
}

function raiseBearers({ offsets, nodes }: Names, name: number, hit: number, hits: NodeValues): void {
  for (let i = offsets[name]; i < offsets[name + 1]; i++) hits.raise(nodes[i] & NODE_MASK, hit)
}

/** Names that contain a token: among the names with its rarest group of three characters. */
function namesAround(names: Names, token: string): number[] {
  const grams = new Uint32Array(200)
  const count = gramsOf(token, grams)
  let rarest = -1
  let fewest = Number.POSITIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const gram = gramIndex(names, grams[i])
    if (gram < 0) return []
    const size = names.postingOffsets[gram + 1] - names.postingOffsets[gram]
    if (size < fewest) {
      fewest = size
      rarest = gram
    }
  }
  if (rarest < 0) return []
  const around: number[] = []
  for (let i = names.postingOffsets[rarest]; i < names.postingOffsets[rarest + 1]; i++) {
    const name = names.postingNames[i]
    if (names.text.get(name).includes(token)) around.push(name)
  }
  return around
}

const segmentIndexes = new WeakMap<Lexical, Map<string, number[]>>()

/** Nodes of files that have the token as a segment of their path. */
function hitPaths(graph: Graph, lexical: Lexical, token: string, hits: NodeValues): void {
  const { paths, firstDefinition } = corpusOf(graph, lexical)
  const segments = segmentIndexes.get(lexical) ?? segmentIndex(paths)
  segmentIndexes.set(lexical, segments)
  for (const f of segments.get(token) ?? []) {
    hits.raise(lexical.files[f], PARTIAL_HIT)
    for (let d = firstDefinition[f]; d < firstDefinition[f + 1]; d++) hits.raise(lexical.definitions[d], PARTIAL_HIT)
  }
}

function segmentIndex(paths: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (let f = 0; f < paths.length; f++) {
    for (const segment of segmentsOf(paths[f])) {
      const files = found.get(segment)
      if (files === undefined) found.set(segment, [f])
      else files.push(f)
    }
  }
  return found
}

/** Folders and file name of a path in lower case, the name without its extension too. */
function segmentsOf(path: string): Set<string> {
  const segments = path.normalize('NFC').toLowerCase().split('/')
  segments.push(segments[segments.length - 1].replace(/\.[^.]*$/, ''))
  return new Set(segments)
}

/** Cosine of the counts of three-character groups, query against every label that shares one. */
function matchSpelling(names: Names, query: string, reached: NodeValues): void {
  const pool = poolOf(names, names.text.count)
  const dot = pool.take()
  const grams = new Uint32Array(200)
  const count = gramsOf(normalizeName(query.slice(0, MOST_CHARS).trim()), grams)
  let squares = 0
  for (let i = 0; i < count; ) {
    let end = i + 1
    while (end < count && grams[end] === grams[i]) end++
    const tally = end - i
    squares += tally * tally
    const gram = gramIndex(names, grams[i])
    i = end
    if (gram < 0) continue
    for (let p = names.postingOffsets[gram]; p < names.postingOffsets[gram + 1]; p++) {
      dot.add(names.postingNames[p], tally * names.postingCounts[p])
    }
  }
  for (let i = 0; i < dot.count; i++) {
    const name = dot.nodes[i]
    const cosine = dot.value[name] / (Math.sqrt(squares) * names.countNorms[name])
    for (let j = names.offsets[name]; j < names.offsets[name + 1]; j++) {
      if ((names.nodes[j] & STEM_ONLY) === 0) reached.raise(names.nodes[j] & NODE_MASK, cosine)
    }
  }
  pool.give(dot)
}
