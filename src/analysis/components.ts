/** Parts of a graph between which there is no edge at all. */

import { DEAD_EDGE, degree, type Graph, type NodeId, NONE } from '#graph/graph'

export interface Components {
  /** Component of each node, numbered by their first nodes; NONE for removed nodes. */
  of: Uint32Array
  sizes: number[]
  /** The node with the most PageRank of each. */
  tops: NodeId[]
}

const known = new WeakMap<Graph, Components>()

/** Worked out once per graph, since structure never changes. */
export function componentsOf(graph: Graph): Components {
  const before = known.get(graph)
  if (before !== undefined) return before
  const { nNodes, out, in: into, flags, dead, pagerank } = graph
  const of = new Uint32Array(nNodes).fill(NONE)
  const sizes: number[] = []
  const tops: NodeId[] = []
  const queue = new Uint32Array(nNodes)
  for (let start = 0; start < nNodes; start++) {
    if (dead[start] === 1 || of[start] !== NONE) continue
    const number = sizes.length
    let size = 0
    let top = start
    const visit = (v: NodeId) => {
      if (dead[v] === 1 || of[v] !== NONE) return
      of[v] = number
      queue[size++] = v
      if (pagerank[v] > pagerank[top]) top = v
    }
    visit(start)
    for (let i = 0; i < size; i++) {
      const v = queue[i]
      for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) if ((flags[e] & DEAD_EDGE) === 0) visit(out.targets[e])
      for (let j = into.offsets[v]; j < into.offsets[v + 1]; j++)
        if ((flags[into.slots[j]] & DEAD_EDGE) === 0) visit(into.targets[j])
    }
    sizes.push(size)
    tops.push(top)
  }
  const found = { of, sizes, tops }
  known.set(graph, found)
  return found
}

/** Breadth first from the node with the most edges of each component. */
interface Tree {
  /** Nodes of all components, each after the one it was reached from. */
  order: Uint32Array
  /** The node it was reached from, NONE for the first of a component. */
  from: Uint32Array
}

const trees = new WeakMap<Graph, Tree>()

function treeOf(graph: Graph): Tree {
  const before = trees.get(graph)
  if (before !== undefined) return before
  const { nNodes, dead } = graph
  const { of, sizes } = componentsOf(graph)
  const roots = new Uint32Array(sizes.length).fill(NONE)
  for (let v = 0; v < nNodes; v++) {
    if (dead[v] === 1) continue
    const root = roots[of[v]]
    if (root === NONE || degree(graph, v) > degree(graph, root)) roots[of[v]] = v
  }
  const order = new Uint32Array(nNodes)
  const from = new Uint32Array(nNodes).fill(NONE)
  const seen = new Uint8Array(nNodes)
  let length = 0
  for (const root of roots) {
    seen[root] = 1
    order[length++] = root
    for (let i = length - 1; i < length; i++) {
      eachNeighbour(graph, order[i], (u) => {
        if (seen[u] === 1) return
        seen[u] = 1
        from[u] = order[i]
        order[length++] = u
      })
    }
  }
  const tree = { order: order.slice(0, length), from }
  trees.set(graph, tree)
  return tree
}

/**
 * How many nodes can be reached from `start` without those removed. What is not below a removed node in a tree over its
 * component keeps its way to the root, so that only the rest is searched, and all only when the root itself goes.
 */
export function reachableWithout(graph: Graph, start: NodeId, removed: ReadonlySet<NodeId>): number {
  const { of, sizes } = componentsOf(graph)
  const { order, from } = treeOf(graph)
  const component = of[start]
  const fate = new Uint8Array(graph.nNodes)
  for (const v of removed) fate[v] = GONE
  const below: NodeId[] = []
  let left = sizes[component]
  for (const v of removed) if (of[v] === component) left--
  let isRooted = true
  for (const v of order) {
    if (of[v] !== component) continue
    if (fate[v] === GONE) {
      if (from[v] === NONE) isRooted = false
    } else if (from[v] !== NONE && fate[from[v]] !== KEPT) {
      fate[v] = BELOW
      below.push(v)
    }
  }
  if (!isRooted) return fill(graph, start, fate)

  // those below with a neighbour that keeps its way, and then theirs
  const queue: NodeId[] = []
  for (const v of below) {
    let isKept = false
    eachNeighbour(graph, v, (u) => {
      if (fate[u] === KEPT) isKept = true
    })
    if (isKept) queue.push(v)
  }
  const cut = below.length
  let rejoined = 0
  for (const v of queue) {
    if (fate[v] !== BELOW) continue
    fate[v] = KEPT
    rejoined++
    eachNeighbour(graph, v, (u) => {
      if (fate[u] === BELOW) queue.push(u)
    })
  }
  return fate[start] === KEPT ? left - (cut - rejoined) : fill(graph, start, fate)
}

/** What becomes of a node when others are removed. */
const KEPT = 0
const GONE = 1
/** Below a removed node in the tree, and not known to have another way. */
const BELOW = 2
const FILLED = 3

/** Counts what can be reached from `start` besides what is gone. */
function fill(graph: Graph, start: NodeId, fate: Uint8Array): number {
  const queue = new Uint32Array(graph.nNodes)
  let length = 1
  queue[0] = start
  fate[start] = FILLED
  for (let i = 0; i < length; i++) {
    eachNeighbour(graph, queue[i], (u) => {
      if (fate[u] === GONE || fate[u] === FILLED) return
      fate[u] = FILLED
      queue[length++] = u
    })
  }
  return length
}

/** Calls back with the live neighbours in either direction; one may come several times. */
export function eachNeighbour(graph: Graph, v: NodeId, visit: (u: NodeId) => void): void {
  const { out, in: into, flags, dead } = graph
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
    const u = out.targets[e]
    if (u !== v && dead[u] === 0 && (flags[e] & DEAD_EDGE) === 0) visit(u)
  }
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) {
    const u = into.targets[i]
    if (u !== v && dead[u] === 0 && (flags[into.slots[i]] & DEAD_EDGE) === 0) visit(u)
  }
}
