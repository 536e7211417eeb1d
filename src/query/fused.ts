/**
 * The fused ranking: files are ranked by several lists, and each shows its best definition, so that the order of rows
 * serves both who looks for a file and who looks for a function.
 */

import { FILE, type Graph, keyOf, NONE, type NodeId } from '#graph/graph'
import { type Lexical, scoreDefinitions, scoreFiles, scorePaths } from '#graph/lexical'
import { CODE_ROLE, CONFIG_ROLE, type Corpus, corpusOf, DOC_ROLE, EXAMPLE_ROLE, TEST_ROLE } from '#query/corpus'
import { CONFIRMED_GAIN, fuse, type List, REJECTED_LOSS, toCertainty, toShares } from '#query/fuse'
import { findIdentifiers, findPlaces } from '#query/mentions'
import { type Evidence, meritsOf } from '#query/merits'
import { type Past, scorePast } from '#query/past'
import type { Question } from '#query/question'
import { normalizeScope, type SeekIndexes } from '#query/seek-options'
import { spreadToNeighbours } from '#query/vicinity'
import { topPositions } from '#std/heap'

export interface FusedOptions {
  topK: number
  /** Prefix of the path or of the node id; '' for everything. */
  scope: string
  /** Codes of node types to return; empty for all. */
  nodeTypes: ReadonlySet<number>
  /** Whether relations between files take part. */
  graphRerank: boolean
  /** What was said about files and definitions as answers to like questions, -1..1. */
  remembered?: ReadonlyMap<NodeId, number>
  nowSeconds: number
}

/** One row of the ranking. */
export interface Scored {
  node: NodeId
  /** File document. */
  file: number
  /** Definition document, NONE for the file itself. */
  definition: number
  /** 0..1; the first row has 1. */
  score: number
}

export interface Fused {
  /** Best first, more than `topK` where there are. */
  rows: Scored[]
  /** Files and definitions that any list reached. */
  scanned: number
  lists: readonly List[]
  /** By definition document, share of the best. */
  definitionScores: Float32Array
  /** By file document: the file that its share of the graph list comes from. */
  via: Uint32Array
  past: Past
  /** By file document: what was said about it, -1..1. */
  remembered: Float32Array
}

/** Share that stays of a file by its role, in the order of `ROLE_NAMES`, unless the question asks for such. */
const STANDING = [1, 0.2, 0.35, 0.45, 0.3, 0.4, 0.6, 0.5]
/** The same for what the question's title asks for. */
const WANTED_STANDING = { tests: 0.6, docs: 0.9, settings: 0.9 }
/** Files whose neighbours are looked at. */
const SPREADING_FILES = 40
/** An identifier of the question in its own spelling counts as certain from this weight on. */
const CERTAIN_IDENTIFIER = 2
/** Beside its best definition a file shows at most so many, and only those at least so good against the best. */
const MORE_DEFINITIONS = 5
const GOOD_DEFINITION = 0.6
const FILES_WITH_MORE = 4
/** A definition that collects less than this of the best definition's words does not stand for its file. */
const POOR_DEFINITION = 0.15
/** What the merit of a definition counts in a file that is not ordinary code. */
const STANDING_OF_PARTS = 0.3

/** All rows for a question, before a cut. */
export function rankFused(
  graph: Graph,
  { lexical, messages, semantic }: SeekIndexes,
  question: Question,
  options: FusedOptions,
): Fused {
  const corpus = corpusOf(graph, lexical)
  const nFiles = lexical.files.length
  const definitionScores = toShares(scoreDefinitions(lexical, question.terms))
  const named = findIdentifiers(graph, semantic.names, corpus, question.identifiers)
  const places = findPlaces(graph, semantic.names, lexical, corpus, question.places)
  const past = scorePast(messages, question.terms, {
    fileDocOf: corpus.fileDocOf,
    nFiles,
    nowSeconds: options.nowSeconds,
  })

  const lists: List[] = [
    { name: 'text', shares: toShares(scoreFiles(lexical, question.terms)) },
    { name: 'definition', shares: bestByFile(lexical, definitionScores) },
    { name: 'path', shares: toShares(scorePaths(lexical, question.terms)) },
    { name: 'identifier', shares: toCertainty(bySource(named.files, nFiles), CERTAIN_IDENTIFIER) },
    { name: 'place', shares: bySource(places.files, nFiles) },
    { name: 'history', shares: toShares(past.scores) },
  ]
  let totals = fuse(lists, nFiles)
  let via: Uint32Array = new Uint32Array(0)
  if (options.graphRerank) {
    addPriors(graph, lexical, totals, lists, options.nowSeconds)
    stand(totals, corpus, question)
    const first = topPositions(totals, SPREADING_FILES)
    const neighbours = spreadToNeighbours(graph, lexical, corpus, first, totals)
    lists.push({ name: 'graph', shares: toShares(neighbours.scores) })
    via = neighbours.via
    totals = fuse(lists, nFiles)
  }
  stand(totals, corpus, question)
  const remembered = remember(totals, lexical, options.remembered)
  const scanned = countAbove(totals) + countAbove(definitionScores)
  restrict(graph, lexical, corpus, totals, options.scope)

  const evidence = {
    shares: definitionScores,
    named: named.definitions,
    placed: withConfirmed(places.definitions, corpus, options.remembered),
    terms: new Set(question.terms.map((it) => it.term)),
  }
  const meant = meantFiles(question, places.files.keys(), corpus)
  const rows = pickRows({ graph, lexical, corpus, totals, evidence, meant }, options)
  return { rows, scanned, lists, definitionScores, via, past, remembered }
}

/** Files that the question names by their path when it says nothing else: they are meant, not what is in them. */
function meantFiles({ places, isPlaces }: Question, files: Iterable<number>, { paths }: Corpus): Set<number> {
  const isNamed = (f: number) =>
    places.some(({ path }) => `/${paths[f]}`.endsWith(`/${path}`) || `/${path}`.endsWith(`/${paths[f]}`))
  return new Set(isPlaces ? [...files].filter(isNamed) : [])
}

/** For each file the best score among its definitions. */
function bestByFile({ files, fileOfDefinition }: Lexical, scores: Float32Array): Float32Array {
  const best = new Float32Array(files.length)
  for (let d = 0; d < scores.length; d++) {
    if (scores[d] > best[fileOfDefinition[d]]) best[fileOfDefinition[d]] = scores[d]
  }
  return best
}

function bySource(found: ReadonlyMap<number, number>, nFiles: number): Float32Array {
  const scores = new Float32Array(nFiles)
  for (const [f, score] of found) scores[f] = score
  return scores
}

const RECENCY_HALF_LIFE_SECONDS = 90 * 86_400

/** What is known of a file without the question, for files that the question reaches. */
function addPriors(graph: Graph, { files }: Lexical, totals: Float64Array, lists: List[], nowSeconds: number): void {
  const importance = new Float32Array(files.length)
  const recency = new Float32Array(files.length)
  for (let f = 0; f < files.length; f++) {
    if (totals[f] === 0) continue
    const v = files[f]
    importance[f] = graph.pagerank[v]
    if (graph.lastModified[v] > 0) {
      const age = Math.max(0, nowSeconds - graph.lastModified[v])
      recency[f] = 0.5 * graph.changeFrequency[v] + 0.5 * 2 ** (-age / RECENCY_HALF_LIFE_SECONDS)
    }
  }
  lists.push({ name: 'importance', shares: importance }, { name: 'recency', shares: recency })
}

/** In place: puts files that are not ordinary code behind. */
function stand(totals: Float64Array, { roles }: Corpus, { wants }: Question): void {
  const standing = STANDING.slice()
  if (wants.tests) standing[TEST_ROLE] = WANTED_STANDING.tests
  if (wants.settings) standing[CONFIG_ROLE] = WANTED_STANDING.settings
  if (wants.docs) standing[DOC_ROLE] = standing[EXAMPLE_ROLE] = WANTED_STANDING.docs
  for (let f = 0; f < totals.length; f++) totals[f] *= standing[roles[f]]
}

/** In place: files that were confirmed gain a share of the best total, those that were called wrong lose one of their own. */
function remember(totals: Float64Array, { files }: Lexical, said: FusedOptions['remembered']): Float32Array {
  const remembered = new Float32Array(totals.length)
  if (said === undefined || said.size === 0) return remembered
  let best = 0
  for (let f = 0; f < totals.length; f++) if (totals[f] > best) best = totals[f]
  for (let f = 0; f < totals.length; f++) {
    const value = said.get(files[f]) ?? 0
    if (value > 0) totals[f] += CONFIRMED_GAIN * best * value
    else totals[f] *= 1 + REJECTED_LOSS * value
    remembered[f] = value
  }
  return remembered
}

/** A definition counts as confirmed from this on. */
const CONFIRMED = 0.25

/** Definitions that were confirmed count as if the question named their lines. */
function withConfirmed(
  placed: ReadonlyMap<number, number>,
  { definitionDocOf }: Corpus,
  said: FusedOptions['remembered'],
): ReadonlyMap<number, number> {
  if (said === undefined || said.size === 0) return placed
  const all = new Map(placed)
  for (const [v, value] of said) {
    const doc = definitionDocOf[v]
    if (doc !== NONE && value >= CONFIRMED) all.set(doc, Math.max(all.get(doc) ?? 0, value))
  }
  return all
}

function restrict(graph: Graph, { files }: Lexical, { paths }: Corpus, totals: Float64Array, scope: string): void {
  const wanted = normalizeScope(scope)
  if (wanted === '') return
  for (let f = 0; f < files.length; f++) {
    if (totals[f] > 0 && !paths[f].startsWith(wanted) && !keyOf(graph, files[f]).startsWith(scope)) totals[f] = 0
  }
}

interface Ranked {
  graph: Graph
  lexical: Lexical
  corpus: Corpus
  totals: Float64Array
  evidence: Evidence
  /** Files that are asked for as such. */
  meant: ReadonlySet<number>
}

/** With a filter on types that leaves files out, definitions of all files are ranked against each other. */
function pickRows(ranked: Ranked, options: FusedOptions): Scored[] {
  const { nodeTypes } = options
  const rows =
    nodeTypes.size > 0 && !nodeTypes.has(FILE) ? pickDefinitions(ranked, options) : pickFiles(ranked, options)
  return normalise(rows).sort((a, b) => b.score - a.score || a.node - b.node)
}

/**
 * One row for each file, at its place in the order of files: the definition that fits best, or the file where
 * none does or the file itself is meant. Further good definitions of the first files follow as rows of a lower score.
 */
function pickFiles(ranked: Ranked, { topK, nodeTypes }: FusedOptions): Scored[] {
  const { graph, lexical, totals, evidence, meant } = ranked
  const order = topPositions(totals, nodeTypes.size === 0 ? Math.max(topK * 2, 50) : totals.length)
  const rows: Scored[] = []
  for (let i = 0; i < order.length; i++) {
    const file = order[i]
    const score = totals[file]
    const accepts = (v: NodeId) => nodeTypes.size === 0 || nodeTypes.has(graph.types[v])
    if (accepts(lexical.files[file]) && (meant.has(file) || !stands(ranked, file, accepts))) {
      rows.push({ node: lexical.files[file], file, definition: NONE, score })
      continue
    }
    const most = i < FILES_WITH_MORE ? MORE_DEFINITIONS + 2 : 1
    const definitions = meritsOf(graph, ranked, file, evidence, { most, accepts })
    if (definitions.length === 0) continue
    const { doc, merit } = definitions[0]
    rows.push({ node: lexical.definitions[doc], file, definition: doc, score })
    if (i >= FILES_WITH_MORE) continue
    const others = definitions.slice(1).filter((it) => lexical.definitions[it.doc] !== lexical.files[file])
    for (const other of others.slice(0, MORE_DEFINITIONS)) {
      const share = other.merit / merit
      if (share < GOOD_DEFINITION) break
      rows.push({
        node: lexical.definitions[other.doc],
        file,
        definition: other.doc,
        score: score * share,
      })
    }
  }
  return rows
}

/** Whether a definition of the file is good enough to be shown in its place. */
function stands({ lexical, corpus, evidence }: Ranked, file: number, accepts: (v: NodeId) => boolean): boolean {
  const { shares, named, placed } = evidence
  for (let doc = corpus.firstDefinition[file]; doc < corpus.firstDefinition[file + 1]; doc++) {
    const isGood = shares[doc] >= POOR_DEFINITION || named.has(doc) || placed.has(doc)
    if (isGood && accepts(lexical.definitions[doc])) return true
  }
  return false
}

/** Files whose definitions are looked at for one answer of `topK` rows: so many, and as many again. */
const FILES_FOR_DEFINITIONS = 50

function pickDefinitions(ranked: Ranked, { topK, nodeTypes }: FusedOptions): Scored[] {
  const { graph, lexical, corpus, totals, evidence } = ranked
  const order = topPositions(totals, FILES_FOR_DEFINITIONS + topK)
  const best = order.length === 0 ? 1 : totals[order[0]]
  return order.flatMap((file) => {
    const standing = corpus.roles[file] === CODE_ROLE ? 1 : STANDING_OF_PARTS
    const accepts = (v: NodeId) => nodeTypes.has(graph.types[v])
    return meritsOf(graph, ranked, file, evidence, { most: Number.POSITIVE_INFINITY, accepts }).map(
      ({ doc, merit }) => ({
        node: lexical.definitions[doc],
        file,
        definition: doc,
        score: totals[file] / best + standing * merit,
      }),
    )
  })
}

/** The first row has 1. */
function normalise(rows: Scored[]): Scored[] {
  const best = rows.reduce((most, it) => Math.max(most, it.score), 0)
  return best === 0 ? rows : rows.map((it) => ({ ...it, score: it.score / best }))
}

function countAbove(scores: ArrayLike<number>): number {
  let count = 0
  for (let i = 0; i < scores.length; i++) if (scores[i] > 0) count++
  return count
}
