/** Parts of a graph between which there is no edge at all. */

import { DEAD_EDGE, type Graph, type NodeId, NONE } from '#graph/graph'

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
