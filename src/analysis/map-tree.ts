/**
 * The graph as things in things, for a map: folders, files, definitions, as a person of the repository knows them.
 * Folders that hold nothing but one other folder are one with it, a flat folder is divided by communities, and
 * packages and other nodes that lie nowhere have groups of their own. Items are numbers: nodes first, then what was
 * made.
 */

import type { Communities } from '#analysis/communities'
import { DIRECTORY, FILE, type Graph, keyOf, labelOf, MODULE, NONE, REFERENCE, text, typeName } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import type { Work } from '#std/work'

/** A group that is no node. */
export interface Made {
  id: string
  name: string
  path: string
}

export interface MapTree {
  graph: Graph
  communities: Communities
  nItems: number
  /** Items from `graph.nNodes` on. */
  made: Made[]
  /** The item around each, `TOP` for the outermost, `NOWHERE` for dead nodes and folders that are one with another. */
  parents: Int32Array
  childOffsets: Uint32Array
  children: Uint32Array
  /** Items inside one another follow it: those of an item stand at `at[item] … end[item] - 1`. */
  order: Uint32Array
  at: Uint32Array
  end: Uint32Array
  /** Living nodes in an item, itself included. */
  counts: Uint32Array
  /** Sums. */
  pagerank: Float64Array
  /** Of files and what is in them by the time of their last change, of groups the mean over their files. */
  recency: Float32Array
  /** The item that stands for each node: itself, or the folder that it is one with. */
  standsFor: Int32Array
  /** Items by the ids of made groups. */
  madeById: Map<string, number>
}

export const TOP = -1
export const NOWHERE = -2
/** A folder with more files than this is divided if its files fall into communities … */
const FLAT = 60
/** … of at least so many; smaller ones stay by themselves. */
const LEAST_PART = 4
/** The largest part must leave so much to others, or the division says nothing. */
const MOST_OF_ALL = 0.75
const DAY = 86_400
/** Nodes that are looked at before the work can be put down. */
const PER_STEP = 4096

export function* mapTreeWork(graph: Graph, communities: Communities): Work<MapTree> {
  const { nNodes } = graph
  const parents = new Int32Array(nNodes)
  const root = soleRoot(graph)
  for (let v = 0; v < nNodes; v++) {
    if (v % PER_STEP === 0) yield
    const above = graph.parents[v]
    parents[v] = graph.dead[v] === 1 || v === root ? NOWHERE : above === NONE || above === root ? TOP : above
  }
  yield
  const standsFor = yield* joinChains(graph, parents)
  yield
  const made: Made[] = []
  const moved: [item: number, to: number][] = []
  gatherLoose(graph, parents, { made, moved })
  yield
  divideFlat(graph, parents, communities, { made, moved })
  yield

  const nItems = nNodes + made.length
  const whole = new Int32Array(nItems).fill(TOP)
  whole.set(parents)
  // what was made takes the place of its members
  for (const [item, to] of moved) {
    if (to >= nNodes && whole[to] === TOP) whole[to] = whole[item]
    whole[item] = to
  }
  yield
  const tree = yield* arrange(whole, nItems)
  const sums = yield* sumUp(graph, { ...tree, parents: whole, standsFor, nItems })
  return {
    graph,
    communities,
    nItems,
    made,
    parents: whole,
    standsFor,
    madeById: new Map(made.map((it, i) => [it.id, nNodes + i])),
    ...tree,
    ...sums,
  }
}

/** The folder that everything lies in; with several roots each of them is shown. */
function soleRoot(graph: Graph): number {
  let root = NONE
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1 || graph.types[v] !== DIRECTORY || graph.parents[v] !== NONE) continue
    if (root !== NONE) return NONE
    root = v
  }
  return root
}

/** Makes each folder that holds one folder and nothing else one with that; changes `parents`. */
function* joinChains(graph: Graph, parents: Int32Array): Work<Int32Array> {
  const n = parents.length
  const holds = new Uint32Array(n)
  const last = new Int32Array(n)
  for (let v = 0; v < n; v++) {
    if (parents[v] < 0) continue
    holds[parents[v]]++
    last[parents[v]] = v
  }
  yield
  const standsFor = new Int32Array(n)
  for (let v = 0; v < n; v++) standsFor[v] = v
  const isFolder = (v: number) => graph.types[v] === DIRECTORY
  for (let v = 0; v < n; v++) {
    if (parents[v] === NOWHERE || !isFolder(v) || holds[v] !== 1 || !isFolder(last[v])) continue
    let inner = last[v]
    while (holds[inner] === 1 && isFolder(last[inner])) inner = last[inner]
    standsFor[v] = inner
  }
  yield
  for (let v = 0; v < n; v++) {
    if (standsFor[v] !== v || parents[v] < 0) continue
    let above = parents[v]
    while (above >= 0 && standsFor[above] === v) above = parents[above]
    parents[v] = above
  }
  for (let v = 0; v < n; v++) if (standsFor[v] !== v) parents[v] = NOWHERE
  return standsFor
}

interface Making {
  made: Made[]
  moved: [item: number, to: number][]
}

/** Nodes that lie nowhere: packages, and others by their type. */
function gatherLoose(graph: Graph, parents: Int32Array, { made, moved }: Making): void {
  const groups = new Map<string, number>()
  for (let v = 0; v < graph.nNodes; v++) {
    const type = graph.types[v]
    if (parents[v] !== TOP || graph.parents[v] !== NONE || type === DIRECTORY || type === FILE) continue
    const name = type === REFERENCE || type === MODULE ? 'packages' : typeName(type)
    let group = groups.get(name)
    if (group === undefined) {
      group = graph.nNodes + made.length
      groups.set(name, group)
      made.push({ id: `group::${name}`, name, path: '' })
    }
    moved.push([v, group])
  }
}

/** Gives the files of large flat folders groups by their communities, called after the strongest file of each. */
function divideFlat(graph: Graph, parents: Int32Array, { of }: Communities, { made, moved }: Making): void {
  const files = new Map<number, number[]>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || parents[v] < 0) continue
    const known = files.get(parents[v])
    if (known === undefined) files.set(parents[v], [v])
    else known.push(v)
  }
  for (const [folder, inside] of files) {
    if (inside.length <= FLAT) continue
    const parts = new Map<number, number[]>()
    for (const v of inside) {
      const part = parts.get(of[v])
      if (part === undefined) parts.set(of[v], [v])
      else part.push(v)
    }
    const large = [...parts.values()].filter((it) => it.length >= LEAST_PART)
    const most = Math.max(...large.map((it) => it.length))
    if (large.length < 2 || most > MOST_OF_ALL * inside.length) continue
    for (const part of large) {
      const strongest = part.reduce((a, b) => (graph.pagerank[b] > graph.pagerank[a] ? b : a))
      const group = graph.nNodes + made.length
      const path = text(graph, graph.paths[folder])
      made.push({ id: `part::${keyOf(graph, strongest)}`, name: `around ${labelOf(graph, strongest)}`, path })
      for (const v of part) moved.push([v, group])
    }
  }
}

type Arranged = Pick<MapTree, 'childOffsets' | 'children' | 'order' | 'at' | 'end'>

function* arrange(parents: Int32Array, nItems: number): Work<Arranged> {
  const childOffsets = new Uint32Array(nItems + 1)
  for (const above of parents) if (above >= 0) childOffsets[above + 1]++
  for (let i = 0; i < nItems; i++) childOffsets[i + 1] += childOffsets[i]
  const fill = childOffsets.slice(0, nItems)
  const children = new Uint32Array(childOffsets[nItems])
  for (let i = 0; i < nItems; i++) if (parents[i] >= 0) children[fill[parents[i]]++] = i
  yield

  const order = new Uint32Array(nItems)
  const at = new Uint32Array(nItems)
  const end = new Uint32Array(nItems)
  let n = 0
  const open: number[] = []
  for (let top = 0; top < nItems; top++) {
    if (parents[top] !== TOP) continue
    if (top % PER_STEP === 0) yield
    open.push(top)
    while (open.length > 0) {
      const item = open[open.length - 1]
      // the second time everything in it has its place
      if (at[item] > 0 || (n > 0 && order[0] === item)) {
        end[item] = n
        open.pop()
        continue
      }
      at[item] = n
      order[n++] = item
      for (let i = childOffsets[item + 1] - 1; i >= childOffsets[item]; i--) open.push(children[i])
    }
  }
  return { childOffsets, children, order: order.subarray(0, n), at, end }
}

type Sums = Pick<MapTree, 'counts' | 'pagerank' | 'recency'>

function* sumUp(
  graph: Graph,
  { order, parents, standsFor, nItems }: Pick<MapTree, 'order' | 'parents' | 'standsFor' | 'nItems'>,
): Work<Sums> {
  const { nNodes, lastModified } = graph
  const counts = new Uint32Array(nItems)
  const pagerank = new Float64Array(nItems)
  const recency = new Float32Array(nItems)
  const files = new Uint32Array(nItems)
  let newest = 0
  let oldest = Number.POSITIVE_INFINITY
  for (let v = 0; v < nNodes; v++) {
    if (v % PER_STEP === 0) yield
    if (graph.dead[v] === 0) {
      counts[standsFor[v]]++
      pagerank[standsFor[v]] += graph.pagerank[v]
    }
    if (graph.types[v] !== FILE || lastModified[v] <= 0) continue
    newest = Math.max(newest, lastModified[v])
    oldest = Math.min(oldest, lastModified[v])
  }
  // days count by their logarithm: what was changed last week and last month differ, ten years and eleven do not
  const span = Math.log1p((newest - oldest) / DAY)
  const recencyOf = (v: number) => {
    if (lastModified[v] <= 0 || newest === 0) return 0
    const age = Math.log1p(Math.max(0, newest - lastModified[v]) / DAY)
    return span > 0 ? Math.max(0, 1 - age / span) : 0
  }
  // what is inside comes after what is around it
  for (let i = order.length - 1; i >= 0; i--) {
    if (i % PER_STEP === 0) yield
    const item = order[i]
    const isFile = item < nNodes && graph.types[item] === FILE
    if (item < nNodes && graph.types[item] !== DIRECTORY) recency[item] = recencyOf(item)
    else if (files[item] > 0) recency[item] /= files[item]
    const above = parents[item]
    if (above < 0) continue
    counts[above] += counts[item]
    pagerank[above] += pagerank[item]
    if (isFile) files[above]++
    else files[above] += files[item]
    if (isFile) recency[above] += recency[item]
    else if (above >= nNodes || graph.types[above] === DIRECTORY) recency[above] += recency[item] * files[item]
  }
  return { counts, pagerank, recency }
}

/** The item of a written id, -1 when there is none; a folder that is one with another is that one. */
export function itemOf({ graph, madeById, standsFor, parents }: MapTree, id: string): number {
  const made = madeById.get(id)
  if (made !== undefined) return made
  const v = nodeByKey(graph, id)
  if (v >= graph.nNodes || graph.dead[v] === 1) return -1
  const item = standsFor[v]
  return parents[item] === NOWHERE ? -1 : item
}

export function idOf({ graph, made }: MapTree, item: number): string {
  return item < graph.nNodes ? keyOf(graph, item) : made[item - graph.nNodes].id
}

/** Items around one, the outermost first. */
export function around({ parents }: MapTree, item: number): number[] {
  const items: number[] = []
  for (let it = parents[item]; it >= 0; it = parents[it]) items.unshift(it)
  return items
}
