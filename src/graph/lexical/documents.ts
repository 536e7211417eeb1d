/** What counts as a document of the lexical index, and how long its fields are. */

import { DIRECTORY, FILE, fileOf, type Graph, labelOf, NONE, type NodeId, tagsOf, text } from '#graph/graph'
import type { FileWords, LexicalFile } from '#graph/lexical'
import { DOC, LENGTH_WEIGHTS, LITERAL, N_FIELDS, NAME, PATH } from '#graph/lexical/fields'
import { termsIn } from '#graph/terms'

/** Numbering of definition documents, file after file. */
export interface Documents {
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

export function findDocuments(files: readonly LexicalFile[], graph: Graph): Documents {
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
export interface Lengths {
  ofFile(file: number, field: number): number
  ofDefinition(doc: number, field: number): number
}

export function fieldLengths(files: readonly LexicalFile[], documents: Documents): Lengths {
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
export function orderByTerm(words: FileWords): Uint32Array {
  const starts = new Uint32Array(words.terms.length + 1)
  for (let i = 0; i < words.term.length; i++) starts[words.term[i] + 1]++
  for (let t = 0; t < words.terms.length; t++) starts[t + 1] += starts[t]
  const order = new Uint32Array(words.term.length)
  for (let i = 0; i < words.term.length; i++) order[starts[words.term[i]]++] = i
  return order
}

/** Nodes without text as documents of their own: files with their definitions, all others alone. */
export function filesWithoutText(files: readonly LexicalFile[], graph: Graph): LexicalFile[] {
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
