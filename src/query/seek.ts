/**
 * Finds code by purpose. Files are ranked by several lists that are fused; each file then shows its best
 * definition, so that the order of rows serves both who looks for a file and who looks for a function.
 */

import { FILE, type Graph, keyOf, labelOf, NONE, type NodeId } from '#graph/graph'
import { findTerm, holds, type Lexical, rarity, scoreDefinitions, scoreFiles, scorePaths } from '#graph/lexical'
import type { Messages } from '#graph/messages'
import {
  CODE_ROLE,
  CONFIG_ROLE,
  type Corpus,
  corpusOf,
  DOC_ROLE,
  EXAMPLE_ROLE,
  ROLE_NAMES,
  TEST_ROLE,
} from '#query/corpus'
import { fuse, type List, type ListName, toCertainty, toShares } from '#query/fuse'
import { findIdentifiers, findPlaces } from '#query/mentions'
import { type Evidence, meritsOf } from '#query/merits'
import { type Past, quoteSubject, scorePast } from '#query/past'
import { type Question, readQuestion } from '#query/question'
import { normalizeScope, type SeekIndexes, type SeekOptions, type SeekRow } from '#query/seek-options'
import { seekBySeedFormula } from '#query/seek-seed'
import { spreadToNeighbours } from '#query/vicinity'
import { topPositions } from '#std/heap'

export interface SeekResult {
  rows: SeekRow[]
  /** Rows above `minScore` before the cut to `topK`. */
  total: number
  /** Files and definitions that any list reached. */
  scanned: number
  /** What the caller should know about the answer, '' when nothing. */
  note: string
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
/** What a second row of a file loses. */
const SECOND_ROW = 1
/** A definition that collects less than this of the best definition's words does not stand for its file. */
const POOR_DEFINITION = 0.15
/** What the merit of a definition counts in a file that is not ordinary code. */
const STANDING_OF_PARTS = 0.3

export function seek(graph: Graph, indexes: SeekIndexes, options: SeekOptions): SeekResult {
  const question = readQuestion(options.query)
  const { rows, total, scanned } =
    options.ranking === 'seed'
      ? seekBySeedFormula(graph, indexes, options)
      : seekFused(graph, indexes, question, options)
  const notes = [question.note]
  if (question.note === '') notes.push(...unknowns(graph, indexes, question))
  if (rows.length === 0 && question.terms.length > 0) notes.push(emptyReason(graph, indexes.lexical, options, scanned))
  return { rows, total, scanned, note: notes.filter((it) => it !== '').join(' ') }
}

/** In a question of at most so many words each of them matters. */
const SHORT_QUESTION = 8

/** Words and paths of the question that are nowhere in the index, worth saying when they are a good part of it. */
function unknowns(graph: Graph, { lexical, semantic }: SeekIndexes, question: Question): string[] {
  const { missing } = findPlaces(graph, semantic.names, lexical, corpusOf(graph, lexical), question.places)
  const own = question.terms.filter((it) => it.weight >= 1)
  const unknown = own.filter((it) => findTerm(lexical, it.term) === NONE).map((it) => it.word)
  const notes: string[] = []
  if (missing.length > 0) notes.push(`No indexed file has the path ${missing.slice(0, 3).join(', ')}.`)
  if (unknown.length > 0 && (own.length <= SHORT_QUESTION || unknown.length * 3 >= own.length)) {
    notes.push(`Found nowhere in the index: ${Array.from(new Set(unknown)).slice(0, 5).join(', ')}.`)
  }
  return notes
}

function seekFused(
  graph: Graph,
  { lexical, messages, semantic }: SeekIndexes,
  question: Question,
  options: SeekOptions,
) {
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
  const scanned = countAbove(totals) + countAbove(definitionScores)
  restrict(graph, lexical, corpus, totals, options.scope)

  const rows = pickRows(
    {
      graph,
      lexical,
      corpus,
      totals,
      evidence: {
        shares: definitionScores,
        named: named.definitions,
        placed: places.definitions,
        terms: new Set(question.terms.map((it) => it.term)),
      },
    },
    options,
  )
  const kept = rows.filter((it) => it.score >= options.minScore)
  const findings = {
    graph,
    lexical,
    corpus,
    question,
    lists,
    via,
    past,
    messages,
    words: findWords(lexical, question),
    definitionScores,
  }
  return {
    rows: kept.slice(0, options.topK).map((row) => describe(findings, row)),
    total: kept.length,
    scanned,
  }
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

function restrict(graph: Graph, { files }: Lexical, { paths }: Corpus, totals: Float64Array, scope: string): void {
  const wanted = normalizeScope(scope)
  if (wanted === '') return
  for (let f = 0; f < files.length; f++) {
    if (totals[f] > 0 && !paths[f].startsWith(wanted) && !keyOf(graph, files[f]).startsWith(scope)) totals[f] = 0
  }
}

interface Scored {
  node: NodeId
  file: number
  /** Definition document, NONE for the file itself. */
  definition: number
  score: number
}

interface Ranked {
  graph: Graph
  lexical: Lexical
  corpus: Corpus
  totals: Float64Array
  evidence: Evidence
}

/** With a filter on types that leaves files out, definitions of all files are ranked against each other. */
function pickRows(ranked: Ranked, options: SeekOptions): Scored[] {
  const { nodeTypes } = options
  const rows =
    nodeTypes.size > 0 && !nodeTypes.has(FILE) ? pickDefinitions(ranked, options) : pickFiles(ranked, options)
  return normalise(rows).sort((a, b) => b.score - a.score || a.node - b.node)
}

/**
 * One row for each file, at its place in the order of files: the definition that fits best, or the file where
 * none does. Further good definitions of the first files follow as rows of a lower score.
 */
function pickFiles(ranked: Ranked, { topK, nodeTypes }: SeekOptions): Scored[] {
  const { graph, lexical, totals, evidence } = ranked
  const order = topPositions(totals, nodeTypes.size === 0 ? Math.max(topK * 2, 50) : totals.length)
  const rows: Scored[] = []
  for (let i = 0; i < order.length; i++) {
    const file = order[i]
    const score = totals[file]
    const accepts = (v: NodeId) => nodeTypes.size === 0 || nodeTypes.has(graph.types[v])
    const definitions = meritsOf(graph, ranked, file, evidence).filter((it) => accepts(lexical.definitions[it.doc]))
    const stands = definitions.some(
      ({ doc }) => evidence.shares[doc] >= POOR_DEFINITION || evidence.named.has(doc) || evidence.placed.has(doc),
    )
    if (!stands && accepts(lexical.files[file])) {
      rows.push({ node: lexical.files[file], file, definition: NONE, score })
      continue
    }
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
        score: score * SECOND_ROW * share,
      })
    }
  }
  return rows
}

/** Files whose definitions are looked at for one answer of `topK` rows: so many, and as many again. */
const FILES_FOR_DEFINITIONS = 50

function pickDefinitions(ranked: Ranked, { topK, nodeTypes }: SeekOptions): Scored[] {
  const { graph, lexical, corpus, totals, evidence } = ranked
  const order = topPositions(totals, FILES_FOR_DEFINITIONS + topK)
  const best = order.length === 0 ? 1 : totals[order[0]]
  return order.flatMap((file) => {
    const standing = corpus.roles[file] === CODE_ROLE ? 1 : STANDING_OF_PARTS
    return meritsOf(graph, ranked, file, evidence)
      .filter(({ doc }) => nodeTypes.has(graph.types[lexical.definitions[doc]]))
      .map(({ doc, merit }) => ({
        node: lexical.definitions[doc],
        file,
        definition: doc,
        score: totals[file] / best + standing * merit,
      }))
  })
}

/** The first row has 1. */
function normalise(rows: Scored[]): Scored[] {
  const best = rows.reduce((most, it) => Math.max(most, it.score), 0)
  return best === 0 ? rows : rows.map((it) => ({ ...it, score: it.score / best }))
}

/** Most words that a reason lists. */
const MOST_WORDS = 5
/** A file that its neighbours give less than this is not said to be near them. */
const NEAR = 0.3
/** A file that past changes give less than this is not said to be known from them. */
const LIKELY_PAST = 0.3

/** A word of the question by its place in the index, and what it is worth in files and in definitions. */
interface Word {
  word: string
  term: number
  inFiles: number
  inDefinitions: number
}

function findWords(lexical: Lexical, { terms }: Question): Word[] {
  const words: Word[] = []
  for (const { term: text, weight, word } of terms) {
    const term = findTerm(lexical, text)
    if (term === NONE) continue
    const inFiles = weight * rarity(lexical.inFiles, lexical.files.length, term)
    const inDefinitions = weight * rarity(lexical.inDefinitions, lexical.definitions.length, term)
    words.push({ word, term, inFiles, inDefinitions })
  }
  return words
}

interface Findings {
  graph: Graph
  lexical: Lexical
  corpus: Corpus
  question: Question
  lists: readonly List[]
  /** By file document: the file that its share of the graph list comes from. */
  via: Uint32Array
  past: Past
  messages: Messages
  words: readonly Word[]
  definitionScores: Float32Array
}

function describe(findings: Findings, { node, file, definition, score }: Scored): SeekRow {
  const { graph, lexical, corpus, question, lists, via, past, messages, words, definitionScores } = findings
  const parts: Partial<Record<ListName, number>> = {}
  for (const { name, shares } of lists) if (shares[file] > 0) parts[name] = shares[file]
  if (definition !== NONE && parts.definition !== undefined) parts.definition = definitionScores[definition]

  const reasons: string[] = []
  if (parts.place !== undefined) reasons.push('named by its path')
  if (parts.identifier !== undefined) reasons.push(`defines ${identifierIn(graph, lexical, corpus, question, file)}`)
  const inPath = matched(words, 'inFiles', (term) => holds(lexical.inPaths, file, term))
  if (inPath.length > 0) reasons.push(`path: ${inPath.join(', ')}`)
  const inText =
    definition === NONE
      ? matched(words, 'inFiles', (term) => holds(lexical.inFiles, file, term))
      : matched(words, 'inDefinitions', (term) => holds(lexical.inDefinitions, definition, term))
  const others = inText.filter((it) => !inPath.includes(it))
  if (others.length > 0) reasons.push(`text: ${others.join(', ')}`)
  if (parts.graph !== undefined && parts.graph > NEAR && via[file] !== NONE)
    reasons.push(`near ${labelOf(graph, lexical.files[via[file]])}`)
  if (parts.history !== undefined && parts.history > LIKELY_PAST && past.via[file] !== NONE)
    reasons.push(`past change "${quoteSubject(messages, past.via[file])}"`)
  if (corpus.roles[file] !== CODE_ROLE) reasons.push(ROLE_NAMES[corpus.roles[file]])
  return { node, score, parts, reason: reasons.join('; ') }
}

/** The words that are there, those that say most first. */
function matched(
  words: readonly Word[],
  worth: 'inFiles' | 'inDefinitions',
  isThere: (term: number) => boolean,
): string[] {
  const found = words.filter((it) => isThere(it.term)).sort((a, b) => b[worth] - a[worth] || a.term - b.term)
  return Array.from(new Set(found.map((it) => it.word))).slice(0, MOST_WORDS)
}

function identifierIn(
  graph: Graph,
  lexical: Lexical,
  { firstDefinition }: Corpus,
  { identifiers }: Question,
  file: number,
): string {
  const labels = new Set([labelOf(graph, lexical.files[file]).toLowerCase()])
  for (let d = firstDefinition[file]; d < firstDefinition[file + 1]; d++)
    labels.add(labelOf(graph, lexical.definitions[d]).toLowerCase())
  const found = identifiers.filter((it) => labels.has(it.name.toLowerCase()))
  return found.length === 0
    ? 'what the query names'
    : found
        .slice(0, 2)
        .map((it) => it.name)
        .join(', ')
}

function countAbove(scores: ArrayLike<number>): number {
  let count = 0
  for (let i = 0; i < scores.length; i++) if (scores[i] > 0) count++
  return count
}

function emptyReason(graph: Graph, lexical: Lexical, options: SeekOptions, scanned: number): string {
  const scope = normalizeScope(options.scope)
  const { paths } = corpusOf(graph, lexical)
  if (
    scope !== '' &&
    !paths.some((it) => it.startsWith(scope)) &&
    !lexical.files.some((v) => keyOf(graph, v).startsWith(options.scope))
  ) {
    return `No indexed file lies under ${scope}; check the path, or ingest its folder.`
  }
  if (scanned === 0) return 'No indexed name or text holds any of these words.'
  const filters = [
    scope === '' ? '' : `scope ${scope}`,
    options.nodeTypes.size === 0 ? '' : 'node_types',
    `min_score ${options.minScore}`,
  ]
  return `There are matches, but none is left after ${filters.filter((it) => it !== '').join(', ')}.`
}
