/**
 * The lexical index: which files and which definitions hold a term, and how much of them it makes up. A file
 * counts with all of its text, a definition with its own and that of the definitions inside it; what stands outside
 * of any definition counts like one. The measure is
 * BM25F: counts of all fields, each divided by the relative length of its field and weighed, are summed into one
 * frequency, which is saturated once. Everything but the rarity of a term is worked out when the index is
 * built, so a query only adds up numbers.
 *
 * Source of the formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
 */

import { type Graph, NONE, type NodeId } from '#graph/graph'
import {
  addTotals,
  averages,
  fieldLengths,
  filesWithoutText,
  findDocuments,
  noTotals,
  type Totals,
} from '#graph/lexical/documents'
import { SATURATION } from '#graph/lexical/fields'
import { collect, IMPACT_UNIT } from '#graph/lexical/frequencies'
import { type LexicalPatch, patched } from '#graph/lexical/patch'

/** Terms of one file as the extractor found them; the shape of `Words` in `ingest/facts`. */
export interface FileWords {
  terms: readonly string[]
  /** Per posting: index into the definitions of the file, -1 for text outside of any. */
  owner: Int32Array
  term: Uint32Array
  /** Position in `FIELD_NAMES` of `lexical/fields`. */
  field: Uint8Array
  count: Uint16Array
}

export interface LexicalFile {
  /** The file's own node. */
  node: NodeId
  /** Node of each definition of the file, NONE where there is none. */
  definitionNodes: Uint32Array
  words: FileWords
}

/** Documents that hold a term, ascending, and its saturated frequency there: 0..65535 stands for 0..1. */
export interface Postings {
  /** Length nTerms + 1. */
  offsets: Uint32Array
  docs: Uint32Array
  impacts: Uint16Array
}

export interface Lexical {
  /** Distinct terms in ascending order of their UTF-8 bytes, one after the other, and where each begins (nTerms + 1). */
  termBytes: Uint8Array
  termOffsets: Uint32Array
  /** Node of each file document, ascending order of documents. */
  files: Uint32Array
  /** Node of each definition document. The first one of each file is the file itself, with its text outside of any. */
  definitions: Uint32Array
  /** File document of each definition document. */
  fileOfDefinition: Uint32Array
  /** Terms of whole files, all fields. */
  inFiles: Postings
  /** Terms of definitions, all fields but the path. */
  inDefinitions: Postings
  /** Terms of the paths of files alone. */
  inPaths: Postings
  totals: Totals
}

/** A term of a question and how much it counts. */
export interface WeightedTerm {
  term: string
  weight: number
}

export function emptyLexical(): Lexical {
  const none = (): Postings => ({ offsets: new Uint32Array(1), docs: new Uint32Array(0), impacts: new Uint16Array(0) })
  return {
    termBytes: new Uint8Array(0),
    termOffsets: new Uint32Array(1),
    files: new Uint32Array(0),
    definitions: new Uint32Array(0),
    fileOfDefinition: new Uint32Array(0),
    inFiles: none(),
    inDefinitions: none(),
    inPaths: none(),
    totals: noTotals(),
  }
}

/**
 * Builds the index of a graph. The order of `files` decides the order of documents. Nodes of no such file (of a
 * graph that was not read from source code, or that came without its text) follow in order of node id, with what the
 * graph itself says of them: name, path, tags and excerpt. Directories are left out.
 */
export function buildLexical(filesWithText: readonly LexicalFile[], graph: Graph): Lexical {
  const files = filesWithText.concat(filesWithoutText(filesWithText, graph))
  const documents = findDocuments(files, graph)
  const lengths = fieldLengths(files, documents)
  const totals = noTotals()
  addTotals(totals, lengths, 1)
  const { vocabulary, inFiles, inDefinitions, inPaths } = collect(files, documents, lengths, averages(totals))
  const { termBytes, termOffsets, rank } = vocabulary.sort()
  return {
    termBytes,
    termOffsets,
    files: Uint32Array.from(files, (it) => it.node),
    definitions: documents.nodes,
    fileOfDefinition: documents.fileOf,
    inFiles: inFiles.toPostings(rank),
    inDefinitions: inDefinitions.toPostings(rank),
    inPaths: inPaths.toPostings(rank),
    totals,
  }
}

/**
 * The index after some files changed, numbered as before: what it says of the others is taken over. Has the same
 * columns as `buildLexical` of all `files`, which are asked for only when that is needed.
 */
export function patchLexical(old: Lexical, patch: LexicalPatch, files: () => readonly LexicalFile[]): Lexical {
  return patched(old, patch) ?? buildLexical(files(), patch.graph)
}

/** Position of a term in the index, NONE when no document holds it. */
export function findTerm(lexical: Pick<Lexical, 'termBytes' | 'termOffsets'>, term: string): number {
  const wanted = encoder.encode(term)
  const { termBytes, termOffsets } = lexical
  let low = 0
  let high = termOffsets.length - 2
  while (low <= high) {
    const middle = (low + high) >>> 1
    const order = compareBytes(termBytes, termOffsets[middle], termOffsets[middle + 1], wanted)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return NONE
}

/**
 * How much it says that a document holds the term: ln(1 + (N - n + 0.5) / (n + 0.5)) for n of N documents;
 * 0 for a term that none holds.
 */
export function rarity(postings: Postings, nDocs: number, term: number): number {
  if (term === NONE) return 0
  const holding = postings.offsets[term + 1] - postings.offsets[term]
  return holding === 0 ? 0 : Math.log(1 + (nDocs - holding + 0.5) / (holding + 0.5))
}

/** Scores of all file documents, indexed by document. */
export function scoreFiles(lexical: Lexical, terms: readonly WeightedTerm[]): Float32Array {
  return addScores(lexical, lexical.inFiles, lexical.files.length, terms)
}

/** Scores of all definition documents, indexed by document. */
export function scoreDefinitions(lexical: Lexical, terms: readonly WeightedTerm[]): Float32Array {
  return addScores(lexical, lexical.inDefinitions, lexical.definitions.length, terms)
}

/** Scores of all file documents by their paths alone. */
export function scorePaths(lexical: Lexical, terms: readonly WeightedTerm[]): Float32Array {
  return addScores(lexical, lexical.inPaths, lexical.files.length, terms)
}

function addScores(lexical: Lexical, postings: Postings, nDocs: number, terms: readonly WeightedTerm[]): Float32Array {
  const scores = new Float32Array(nDocs)
  const { offsets, docs, impacts } = postings
  for (const { term, weight } of terms) {
    const id = findTerm(lexical, term)
    if (id === NONE) continue
    const unit = (weight * rarity(postings, nDocs, id) * (SATURATION + 1)) / IMPACT_UNIT
    const end = offsets[id + 1]
    for (let i = offsets[id]; i < end; i++) scores[docs[i]] += unit * impacts[i]
  }
  return scores
}

/** Whether a document of these postings holds the term. */
export function holds({ offsets, docs }: Postings, doc: number, term: number): boolean {
  if (term === NONE) return false
  let low = offsets[term]
  let high = offsets[term + 1] - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    if (docs[middle] === doc) return true
    if (docs[middle] < doc) low = middle + 1
    else high = middle - 1
  }
  return false
}

export type LexicalColumns = Record<string, Uint8Array | Uint16Array | Uint32Array | Float64Array>

/** The index as named columns, to be saved. */
export function lexicalColumns(lexical: Lexical): LexicalColumns {
  const { termBytes, termOffsets, files, definitions, fileOfDefinition, totals } = lexical
  const columns: LexicalColumns = { termBytes, termOffsets, files, definitions, fileOfDefinition }
  columns.totalLengths = totals.lengths
  columns.totalDocuments = totals.documents
  for (const name of POSTINGS) {
    columns[`${name}Offsets`] = lexical[name].offsets
    columns[`${name}Docs`] = lexical[name].docs
    columns[`${name}Impacts`] = lexical[name].impacts
  }
  return columns
}

const POSTINGS = ['inFiles', 'inDefinitions', 'inPaths'] as const

/** Inverse of `lexicalColumns`; throws when a column is missing or of another type. */
export function lexicalFromColumns(columns: Record<string, ArrayBufferView>): Lexical {
  const bytes = (name: string) => {
    const column = columns[name]
    if (column instanceof Uint8Array) return column
    throw new Error(`lexical index: column ${name} is not a Uint8Array`)
  }
  const numbers = (name: string) => {
    const column = columns[name]
    if (column instanceof Uint32Array) return column
    throw new Error(`lexical index: column ${name} is not a Uint32Array`)
  }
  const halves = (name: string) => {
    const column = columns[name]
    if (column instanceof Uint16Array) return column
    throw new Error(`lexical index: column ${name} is not a Uint16Array`)
  }
  const doubles = (name: string) => {
    const column = columns[name]
    if (column instanceof Float64Array) return column
    throw new Error(`lexical index: column ${name} is not a Float64Array`)
  }
  const postings = (name: string): Postings => ({
    offsets: numbers(`${name}Offsets`),
    docs: numbers(`${name}Docs`),
    impacts: halves(`${name}Impacts`),
  })
  return {
    termBytes: bytes('termBytes'),
    termOffsets: numbers('termOffsets'),
    files: numbers('files'),
    definitions: numbers('definitions'),
    fileOfDefinition: numbers('fileOfDefinition'),
    inFiles: postings('inFiles'),
    inDefinitions: postings('inDefinitions'),
    inPaths: postings('inPaths'),
    totals: { lengths: doubles('totalLengths'), documents: doubles('totalDocuments') },
  }
}

const encoder = new TextEncoder()

function compareBytes(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): number {
  const length = Math.min(end - start, wanted.length)
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i] - wanted[i]
    if (difference !== 0) return difference
  }
  return end - start - wanted.length
}
