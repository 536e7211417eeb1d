/** Finds code by purpose, and says of each row why it is there. */

import { type Graph, keyOf, labelOf, NONE } from '#graph/graph'
import { findTerm, holds, type Lexical, rarity } from '#graph/lexical'
import type { Messages } from '#graph/messages'
import { CODE_ROLE, type Corpus, corpusOf, ROLE_NAMES } from '#query/corpus'
import type { ListName } from '#query/fuse'
import { type Fused, rankFused, type Scored } from '#query/fused'
import { findPlaces } from '#query/mentions'
import { quoteSubject } from '#query/past'
import { type Question, readQuestion } from '#query/question'
import { normalizeScope, type SeekIndexes, type SeekOptions, type SeekRow } from '#query/seek-options'
import { seekBySeedFormula } from '#query/seek-seed'

export interface SeekResult {
  rows: SeekRow[]
  /** Rows above `minScore` before the cut to `topK`. */
  total: number
  /** Files and definitions that any list reached. */
  scanned: number
  /** What the caller should know about the answer, '' when nothing. */
  note: string
}

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

function seekFused(graph: Graph, indexes: SeekIndexes, question: Question, options: SeekOptions) {
  const { lexical, messages } = indexes
  const fused = rankFused(graph, indexes, question, options)
  const kept = fused.rows.filter((it) => it.score >= options.minScore)
  const corpus = corpusOf(graph, lexical)
  const findings = { graph, lexical, corpus, question, messages, words: findWords(lexical, question), ...fused }
  return {
    rows: kept.slice(0, options.topK).map((row) => describe(findings, row)),
    total: kept.length,
    scanned: fused.scanned,
  }
}

/** Most words that a reason lists. */
const MOST_WORDS = 5
/** A file that its neighbours give less than this is not said to be near them. */
const NEAR = 0.3
/** A file that past changes give less than this is not said to be known from them. */
const LIKELY_PAST = 0.3

/** What was said about a file for questions less alike than this is no reason. */
const SAID = 0.25

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

interface Findings extends Fused {
  graph: Graph
  lexical: Lexical
  corpus: Corpus
  question: Question
  messages: Messages
  words: readonly Word[]
}

function describe(findings: Findings, { node, file, definition, score }: Scored): SeekRow {
  const { graph, lexical, corpus, question, lists, via, past, messages, words, definitionScores, remembered } = findings
  const parts: Partial<Record<ListName | 'memory', number>> = {}
  for (const { name, shares } of lists) if (shares[file] > 0) parts[name] = shares[file]
  if (definition !== NONE && parts.definition !== undefined) parts.definition = definitionScores[definition]

  if (remembered[file] !== 0) parts.memory = remembered[file]

  const reasons: string[] = []
  if (Math.abs(remembered[file]) >= SAID)
    reasons.push(remembered[file] > 0 ? 'confirmed before' : 'called wrong before')
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
