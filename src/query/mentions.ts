/** Names and paths that a question quotes, found in the graph. */

import { FILE, type Graph, labelOf, NONE, type NodeId } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import type { Corpus } from '#query/corpus'
import { type Names, NODE_MASK } from '#query/names'
import type { Identifier, Place } from '#query/question'
import { normalizeName } from '#query/tokens'

export interface PlaceMentions extends Mentions {
  /** Paths of files that nothing indexed has. */
  missing: string[]
}

export interface Mentions {
  /** How surely each file is meant, by file document. */
  files: Map<number, number>
  /** The same by definition document. */
  definitions: Map<number, number>
}

/** A name with more bearers than this says nothing. */
const MOST_BEARERS = 200
/** A name in another case than it has in the code. */
const OTHER_CASE = 0.5
/** With its owner a member is meant more surely than the owner itself. */
const OF_OWNER = 2
/** Share of a folder's mention that its files get. */
const IN_FOLDER = 0.2

/**
 * Files and definitions that bear a name of the question. A name counts the less the more files share it; with an
 * owner (`Cart.total`) only members of that owner count, if there are any.
 */
export function findIdentifiers(
  graph: Graph,
  names: Names,
  corpus: Corpus,
  identifiers: readonly Identifier[],
): Mentions {
  const found: Mentions = { files: new Map(), definitions: new Map() }
  for (const { name, owner, weight } of identifiers) {
    const all = bearersOf(names, name).filter((v) => corpus.fileDocOf[v] !== NONE)
    const members = owner === '' ? [] : all.filter((v) => belongsTo(graph, v, owner))
    const bearers = members.length > 0 ? members : all
    const exact = bearers.filter((v) => labelOf(graph, v).startsWith(name))
    const chosen = exact.length > 0 ? exact : bearers
    if (chosen.length === 0 || chosen.length > MOST_BEARERS) continue
    const files = new Set(chosen.map((v) => corpus.fileDocOf[v]))
    const worth = (weight * (exact.length > 0 ? 1 : OTHER_CASE)) / Math.sqrt(files.size)
    for (const f of files) add(found.files, f, worth)
    for (const v of chosen) {
      const doc = corpus.definitionDocOf[v]
      if (doc !== NONE) add(found.definitions, doc, members.length > 0 ? worth * OF_OWNER : worth)
    }
  }
  return found
}

/** Nodes whose label, or label without extension, is `name` in any case. */
function bearersOf(names: Names, name: string): NodeId[] {
  const handle = names.text.find(normalizeName(name))
  if (handle === NONE) return []
  const bearers: NodeId[] = []
  for (let i = names.offsets[handle]; i < names.offsets[handle + 1]; i++) {
    const v = names.nodes[i] & NODE_MASK
    if (!bearers.includes(v)) bearers.push(v)
    if (bearers.length > MOST_BEARERS) break
  }
  return bearers
}

/** Whether a node stands directly in what is called `owner`, a file's name counting without extension. */
function belongsTo(graph: Graph, v: NodeId, owner: string): boolean {
  const parent = graph.parents[v]
  if (parent === NONE) return false
  const label = labelOf(graph, parent).toLowerCase()
  const wanted = owner.toLowerCase()
  return label === wanted || label.startsWith(`${wanted}.`)
}

/**
 * Files whose path ends as a place says, or lies below the folder that it names; with a line also the innermost
 * definition around it. A dotted name is read as a path of modules too.
 */
export function findPlaces(
  graph: Graph,
  names: Names,
  lexical: Lexical,
  corpus: Corpus,
  places: readonly Place[],
): PlaceMentions {
  const found: PlaceMentions = { files: new Map(), definitions: new Map(), missing: [] }
  for (const { path, line } of places) {
    const files = filesAt(graph, names, corpus, path)
    for (const f of files) {
      raise(found.files, f, 1 / Math.sqrt(files.length))
      const doc = line === 0 ? NONE : innermost(graph, lexical, corpus, f, line)
      if (doc !== NONE) raise(found.definitions, doc, 1)
    }
    if (files.length > 0) continue
    if (/\.\w+$/.test(path) && (line > 0 || path.includes('/'))) found.missing.push(path)
    else if (path.includes('/')) {
      const folder = `/${path.toLowerCase()}/`
      for (let f = 0; f < corpus.lowerPaths.length; f++) {
        if (corpus.lowerPaths[f].includes(folder)) raise(found.files, f, IN_FOLDER)
      }
    }
  }
  return found
}

/** File documents that a path may mean: those that share most of its last segments. */
function filesAt(graph: Graph, names: Names, corpus: Corpus, path: string): number[] {
  const segments = path.split('/')
  const direct = bestSuffix(graph, names, corpus, segments)
  if (direct.length > 0 || path.includes('/')) return direct
  const modules = path.split('.')
  for (let length = modules.length; length >= 2; length--) {
    const files = bestSuffix(graph, names, corpus, modules.slice(0, length))
    if (files.length > 0) return files
  }
  return []
}

function bestSuffix(graph: Graph, names: Names, corpus: Corpus, segments: readonly string[]): number[] {
  const wanted = segments.map((it) => it.toLowerCase())
  let most = 0
  let best: number[] = []
  for (const v of bearersOf(names, segments[segments.length - 1])) {
    if (graph.types[v] !== FILE || corpus.fileDocOf[v] === NONE) continue
    const f = corpus.fileDocOf[v]
    const shared = sharedSuffix(corpus.lowerPaths[f].split('/'), wanted)
    if (shared < most) continue
    if (shared > most) best = []
    most = shared
    best.push(f)
  }
  // of a longer path more than the last name must agree, or the only file of that name with its extension is meant
  const isFileName = wanted[wanted.length - 1].includes('.')
  return most >= Math.min(2, segments.length) || (isFileName && best.length === 1) ? best : []
}

/** How many last segments two paths share; the last one of the first path counts without extension too. */
function sharedSuffix(file: readonly string[], wanted: readonly string[]): number {
  let shared = 0
  while (shared < file.length && shared < wanted.length) {
    const mine = file[file.length - 1 - shared]
    const other = wanted[wanted.length - 1 - shared]
    if (mine !== other && !(shared === 0 && mine.startsWith(`${other}.`))) break
    shared++
  }
  return shared
}

function innermost(
  graph: Graph,
  { definitions }: Lexical,
  { firstDefinition }: Corpus,
  file: number,
  line: number,
): number {
  let best = NONE
  let size = Number.POSITIVE_INFINITY
  for (let doc = firstDefinition[file]; doc < firstDefinition[file + 1]; doc++) {
    const v = definitions[doc]
    if (graph.lineStart[v] > line || graph.lineEnd[v] < line) continue
    const span = graph.lineEnd[v] - graph.lineStart[v]
    if (span <= size) {
      size = span
      best = doc
    }
  }
  return best
}

function add(scores: Map<number, number>, at: number, worth: number): void {
  scores.set(at, (scores.get(at) ?? 0) + worth)
}

function raise(scores: Map<number, number>, at: number, worth: number): void {
  scores.set(at, Math.max(scores.get(at) ?? 0, worth))
}
