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

/** Terms and documents per field, over all documents that have the field: first those of files, then of definitions. */
export interface Totals {
  lengths: Float64Array
  documents: Float64Array
}

export function noTotals(): Totals {
  return { lengths: new Float64Array(2 * N_FIELDS), documents: new Float64Array(2 * N_FIELDS) }
}

/** Lengths of fields as numbers of terms, by document and field. */
export interface Lengths {
  ofFiles: Float64Array
  ofDefinitions: Float64Array
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
  return { ofFiles, ofDefinitions }
}

/** Adds lengths to totals, or with -1 takes them away. */
export function addTotals({ lengths, documents }: Totals, { ofFiles, ofDefinitions }: Lengths, sign: 1 | -1): void {
  const add = (all: Float64Array, at: number) => {
    for (let i = 0; i < all.length; i++) {
      if (all[i] === 0) continue
      lengths[at + (i % N_FIELDS)] += sign * all[i]
      documents[at + (i % N_FIELDS)] += sign
    }
  }
  add(ofFiles, 0)
  add(ofDefinitions, N_FIELDS)
}

/** Average lengths are told apart in steps of a 16th of an octave, so that a small change leaves other documents alone. */
const STEPS_PER_OCTAVE = 16

export function averages({ lengths, documents }: Totals): Float64Array {
  return lengths.map((sum, i) =>
    documents[i] === 0 ? 1 : 2 ** (Math.round(STEPS_PER_OCTAVE * Math.log2(sum / documents[i])) / STEPS_PER_OCTAVE),
  )
}

/** In place: length → 1 - b + b · length / average. */
export function toDivisors({ ofFiles, ofDefinitions }: Lengths, average: Float64Array): void {
  const divide = (all: Float64Array, at: number) => {
    for (let i = 0; i < all.length; i++) {
      const field = i % N_FIELDS
      const b = LENGTH_WEIGHTS[field]
      all[i] = 1 - b + (b * all[i]) / average[at + field]
    }
  }
  divide(ofFiles, 0)
  divide(ofDefinitions, N_FIELDS)
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
  return filesBeside(covered, graph)
}

/** The same for the nodes that are not covered. */
export function filesBeside(covered: Uint8Array, graph: Graph): LexicalFile[] {
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
