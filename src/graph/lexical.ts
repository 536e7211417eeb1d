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

import { DIRECTORY, FILE, fileOf, type Graph, labelOf, NONE, type NodeId, tagsOf, text } from '#graph/graph'
import { termsIn } from '#graph/terms'

/** Terms of one file as the extractor found them; the shape of `Words` in `ingest/facts`. */
export interface FileWords {
  terms: readonly string[]
  /** Per posting: index into the definitions of the file, -1 for text outside of any. */
  owner: Int32Array
  term: Uint32Array
  /** Position in `FIELD_NAMES`. */
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
}

/** A term of a question and how much it counts. */
export interface WeightedTerm {
  term: string
  weight: number
}

/** Documents with a score above 0, best first; equal scores in order of node id. */
export interface Ranking {
  nodes: Uint32Array
  scores: Float32Array
}

export const FIELD_NAMES = ['path', 'name', 'signature', 'doc', 'body', 'literal'] as const
const PATH = 0
const NAME = 1
const DOC = 3
const LITERAL = 5
/** Weight of one occurrence in each field; a name says more about a file than a line of its body. */
const FIELD_WEIGHTS = [4, 5, 1.5, 1.2, 1, 0.8]
/** How much the length of a field counts, 0 (not at all) to 1. */
const LENGTH_WEIGHTS = [0.9, 0.75, 0.75, 0.75, 0.75, 0.75]
/** A frequency of this size gives half of the most that a term can give. */
const SATURATION = 2
const IMPACT_UNIT = 65535

const N_FIELDS = FIELD_NAMES.length

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
  }
}

/**
 * Builds the index of a graph. The order of `files` decides the order of documents. Nodes of no such file (of a
 * graph that was not read from source code, or that came without its text) follow in order of node id, with what the
 * graph itself says of them: name, path, tags and excerpt. Directories are left out.
 */
export function buildLexical(filesWithText: readonly LexicalFile[], graph: Graph): Lexical {
  const files = filesWithText.concat(filesWithoutText(filesWithText, graph))
  const vocabulary = new Vocabulary()
  const documents = findDocuments(files, graph)
  const lengths = fieldLengths(files, documents)

  const fileRecords = new Records()
  const definitionRecords = new Records()
  const pathRecords = new Records()
  const frequency = new Frequencies(documents.mostDefinitions + 1)
  for (let f = 0; f < files.length; f++) {
    const { words } = files[f]
    const first = documents.firstDefinition[f]
    const globalTerms = vocabulary.addAll(words.terms)
    const order = orderByTerm(words)
    let i = 0
    while (i < order.length) {
      const term = words.term[order[i]]
      let inPath = 0
      for (; i < order.length && words.term[order[i]] === term; i++) {
        const posting = order[i]
        const field = words.field[posting]
        const count = words.count[posting]
        frequency.add(0, (FIELD_WEIGHTS[field] * count) / lengths.ofFile(f, field))
        if (field === PATH) inPath += count / lengths.ofFile(f, field)
        for (let d = documents.definitionOf(f, words.owner[posting], field); d !== NONE; d = documents.enclosing[d]) {
          frequency.add(1 + d - first, (FIELD_WEIGHTS[field] * count) / lengths.ofDefinition(d, field))
        }
      }
      const id = globalTerms[term]
      frequency.drain((slot, value) => {
        if (slot === 0) fileRecords.add(id, f, impact(value))
        else definitionRecords.add(id, first + slot - 1, impact(value))
      })
      if (inPath > 0) pathRecords.add(id, f, impact(inPath))
    }
  }

  const { termBytes, termOffsets, rank } = vocabulary.sort()
  return {
    termBytes,
    termOffsets,
    files: Uint32Array.from(files, (it) => it.node),
    definitions: documents.nodes,
    fileOfDefinition: documents.fileOf,
    inFiles: fileRecords.toPostings(rank),
    inDefinitions: definitionRecords.toPostings(rank),
    inPaths: pathRecords.toPostings(rank),
  }
}

function impact(frequency: number): number {
  return Math.max(1, Math.round((IMPACT_UNIT * frequency) / (frequency + SATURATION)))
}

/** Nodes without text as documents of their own: files with their definitions, all others alone. */
function filesWithoutText(files: readonly LexicalFile[], graph: Graph): LexicalFile[] {
  const covered = graph.dead.slice()
  for (const { node, definitionNodes } of files) {
    covered[node] = 1
    for (const v of definitionNodes) if (v !== NONE) covered[v] = 1
  }
  const members = new Map<NodeId, NodeId[]>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (covered[v] === 1 || graph.types[v] === DIRECTORY) continue
    const file = fileOf(graph, v)
    const top = file === NONE || covered[file] === 1 ? v : file
    const group = members.get(top) ?? []
    if (v !== top) group.push(v)
    members.set(top, group)
  }
  const groups = Array.from(members).sort(([a], [b]) => a - b)
  return groups.map(([node, definitions]) => ({
    node,
    definitionNodes: Uint32Array.from(definitions),
    words: wordsOfNodes(graph, node, definitions),
  }))
}

function wordsOfNodes(graph: Graph, node: NodeId, definitions: readonly NodeId[]): FileWords {
  const ids = new Map<string, number>()
  const owners: number[] = []
  const terms: number[] = []
  const fields: number[] = []
  const add = (owner: number, field: number, content: string) => {
    for (const term of termsIn(content)) {
      const id = ids.get(term) ?? ids.size
      ids.set(term, id)
      owners.push(owner)
      terms.push(id)
      fields.push(field)
    }
  }
  if (graph.types[node] === FILE) add(-1, PATH, text(graph, graph.paths[node]))
  for (let owner = -1; owner < definitions.length; owner++) {
    const v = owner < 0 ? node : definitions[owner]
    add(owner, NAME, labelOf(graph, v))
    add(owner, DOC, text(graph, graph.excerpts[v]))
    add(owner, LITERAL, tagsOf(graph, v).join(' '))
  }
  return {
    terms: Array.from(ids.keys()),
    owner: Int32Array.from(owners),
    term: Uint32Array.from(terms),
    field: Uint8Array.from(fields),
    count: new Uint16Array(terms.length).fill(1),
  }
}

/** Position of a term in the index, NONE when no document holds it. */
export function findTerm(lexical: Lexical, term: string): number {
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

export type LexicalColumns = Record<string, Uint8Array | Uint16Array | Uint32Array>

/** The index as named columns, to be saved. */
export function lexicalColumns(lexical: Lexical): LexicalColumns {
  const { termBytes, termOffsets, files, definitions, fileOfDefinition } = lexical
  const columns: LexicalColumns = { termBytes, termOffsets, files, definitions, fileOfDefinition }
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
  }
}

/** Numbering of definition documents, file after file. */
interface Documents {
  /** Node of each definition document. */
  nodes: Uint32Array
  fileOf: Uint32Array
  /** The next definition around each, in the same file; NONE at the top. */
  enclosing: Uint32Array
  /** First definition document of each file. */
  firstDefinition: Uint32Array
  mostDefinitions: number
  /** Document of a definition by its position in the file; that of the file's own text for -1; NONE for paths. */
  definitionOf(file: number, position: number, field: number): number
}

function findDocuments(files: readonly LexicalFile[], graph: Graph): Documents {
  const nodes: number[] = []
  const fileOf: number[] = []
  const enclosing: number[] = []
  const firstDefinition = new Uint32Array(files.length)
  const docsByPosition: Uint32Array[] = []
  const docOfNode = new Uint32Array(graph.nNodes).fill(NONE)
  let mostDefinitions = 0
  for (let f = 0; f < files.length; f++) {
    firstDefinition[f] = nodes.length
    const { node, definitionNodes } = files[f]
    nodes.push(node)
    fileOf.push(f)
    const docs = new Uint32Array(definitionNodes.length).fill(firstDefinition[f])
    for (let i = 0; i < definitionNodes.length; i++) {
      const v = definitionNodes[i]
      if (v === NONE) continue
      // two definitions merged into one node share its document
      if (docOfNode[v] === NONE || docOfNode[v] < firstDefinition[f]) {
        docOfNode[v] = nodes.length
        nodes.push(v)
        fileOf.push(f)
      }
      docs[i] = docOfNode[v]
    }
    for (let d = firstDefinition[f]; d < nodes.length; d++)
      enclosing.push(docAround(graph, docOfNode, nodes[d], firstDefinition[f]))
    docsByPosition.push(docs)
    mostDefinitions = Math.max(mostDefinitions, nodes.length - firstDefinition[f])
  }
  return {
    nodes: Uint32Array.from(nodes),
    fileOf: Uint32Array.from(fileOf),
    enclosing: Uint32Array.from(enclosing),
    firstDefinition,
    mostDefinitions,
    definitionOf(file, position, field) {
      if (position >= 0) return docsByPosition[file][position]
      return field === PATH ? NONE : firstDefinition[file]
    },
  }
}

/** The nearest node above that is a definition document of the same file, from `first` on. */
function docAround(graph: Graph, docOfNode: Uint32Array, v: NodeId, first: number): number {
  for (let u = graph.parents[v]; u !== NONE && graph.types[u] !== FILE; u = graph.parents[u]) {
    const doc = docOfNode[u]
    if (doc !== NONE && doc >= first) return doc
  }
  return NONE
}

/** Lengths of fields relative to their average, as divisors of counts. */
interface Lengths {
  ofFile(file: number, field: number): number
  ofDefinition(doc: number, field: number): number
}

function fieldLengths(files: readonly LexicalFile[], documents: Documents): Lengths {
  const ofFiles = new Float64Array(files.length * N_FIELDS)
  const ofDefinitions = new Float64Array(documents.nodes.length * N_FIELDS)
  for (let f = 0; f < files.length; f++) {
    const { owner, field, count } = files[f].words
    for (let i = 0; i < count.length; i++) {
      ofFiles[f * N_FIELDS + field[i]] += count[i]
      for (let d = documents.definitionOf(f, owner[i], field[i]); d !== NONE; d = documents.enclosing[d]) {
        ofDefinitions[d * N_FIELDS + field[i]] += count[i]
      }
    }
  }
  toDivisors(ofFiles)
  toDivisors(ofDefinitions)
  return {
    ofFile: (file, field) => ofFiles[file * N_FIELDS + field],
    ofDefinition: (doc, field) => ofDefinitions[doc * N_FIELDS + field],
  }
}

/** In place: length → 1 - b + b · length / average, where the average is over documents that have the field. */
function toDivisors(lengths: Float64Array): void {
  for (let field = 0; field < N_FIELDS; field++) {
    let sum = 0
    let n = 0
    for (let i = field; i < lengths.length; i += N_FIELDS) {
      if (lengths[i] === 0) continue
      sum += lengths[i]
      n++
    }
    const average = n === 0 ? 1 : sum / n
    const b = LENGTH_WEIGHTS[field]
    for (let i = field; i < lengths.length; i += N_FIELDS) lengths[i] = 1 - b + (b * lengths[i]) / average
  }
}

/** Positions of the postings of one file, grouped by term. */
function orderByTerm(words: FileWords): Uint32Array {
  const starts = new Uint32Array(words.terms.length + 1)
  for (let i = 0; i < words.term.length; i++) starts[words.term[i] + 1]++
  for (let t = 0; t < words.terms.length; t++) starts[t + 1] += starts[t]
  const order = new Uint32Array(words.term.length)
  for (let i = 0; i < words.term.length; i++) order[starts[words.term[i]]++] = i
  return order
}

/** Sums by small slot numbers, given out in ascending order and cleared. */
class Frequencies {
  readonly #values: Float64Array
  readonly #touched: number[] = []

  constructor(size: number) {
    this.#values = new Float64Array(size)
  }

  add(slot: number, value: number): void {
    if (this.#values[slot] === 0) this.#touched.push(slot)
    this.#values[slot] += value
  }

  drain(visit: (slot: number, value: number) => void): void {
    const touched = this.#touched
    if (touched.length > 1) touched.sort((a, b) => a - b)
    for (const slot of touched) {
      visit(slot, this.#values[slot])
      this.#values[slot] = 0
    }
    touched.length = 0
  }
}

/** Postings in the order in which they are found, documents ascending. */
class Records {
  #terms = new Uint32Array(4096)
  #docs = new Uint32Array(4096)
  #impacts = new Uint16Array(4096)
  #size = 0

  add(term: number, doc: number, value: number): void {
    if (this.#size === this.#terms.length) this.#grow()
    this.#terms[this.#size] = term
    this.#docs[this.#size] = doc
    this.#impacts[this.#size] = value
    this.#size++
  }

  /** Grouped by term; `rank` gives the final number of each term. */
  toPostings(rank: Uint32Array): Postings {
    const offsets = new Uint32Array(rank.length + 1)
    for (let i = 0; i < this.#size; i++) offsets[rank[this.#terms[i]] + 1]++
    for (let t = 0; t < rank.length; t++) offsets[t + 1] += offsets[t]
    const next = offsets.slice(0, rank.length)
    const docs = new Uint32Array(this.#size)
    const impacts = new Uint16Array(this.#size)
    for (let i = 0; i < this.#size; i++) {
      const at = next[rank[this.#terms[i]]]++
      docs[at] = this.#docs[i]
      impacts[at] = this.#impacts[i]
    }
    return { offsets, docs, impacts }
  }

  #grow(): void {
    const size = this.#terms.length * 2
    const terms = new Uint32Array(size)
    terms.set(this.#terms)
    this.#terms = terms
    const docs = new Uint32Array(size)
    docs.set(this.#docs)
    this.#docs = docs
    const impacts = new Uint16Array(size)
    impacts.set(this.#impacts)
    this.#impacts = impacts
  }
}

class Vocabulary {
  readonly #ids = new Map<string, number>()

  /** Numbers of the terms of one file, by their position. */
  addAll(terms: readonly string[]): Uint32Array {
    const ids = new Uint32Array(terms.length)
    for (let i = 0; i < terms.length; i++) {
      let id = this.#ids.get(terms[i])
      if (id === undefined) {
        id = this.#ids.size
        this.#ids.set(terms[i], id)
      }
      ids[i] = id
    }
    return ids
  }

  /** Terms in byte order; `rank[number]` is the place of a term in it. */
  sort(): { termBytes: Uint8Array; termOffsets: Uint32Array; rank: Uint32Array } {
    const terms = [...this.#ids.keys()].sort(compareText)
    const rank = new Uint32Array(terms.length)
    const termOffsets = new Uint32Array(terms.length + 1)
    const termBytes = encoder.encode(terms.join(''))
    for (let i = 0; i < terms.length; i++) {
      rank[this.#ids.get(terms[i]) ?? 0] = i
      termOffsets[i + 1] = termOffsets[i] + utf8Length(terms[i])
    }
    return { termBytes, termOffsets, rank }
  }
}

const encoder = new TextEncoder()

function utf8Length(term: string): number {
  let length = 0
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i)
    length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }
  return length
}

/** Order of UTF-16 units; terms hold no surrogates, so it is the order of UTF-8 bytes too. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareBytes(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): number {
  const length = Math.min(end - start, wanted.length)
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i] - wanted[i]
    if (difference !== 0) return difference
  }
  return end - start - wanted.length
}
