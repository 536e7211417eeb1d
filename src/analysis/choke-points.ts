/** Nodes through which much of a project hangs together: the most central ones, and files that keep parts of it together. */

import { CONTAINMENT, isProof, Kinds } from '#analysis/steps'
import { DEAD_EDGE, degree, DIRECTORY, FILE, fileOf, type Graph, type NodeId, NONE, UNREACHABLE } from '#graph/graph'

/** Share of the nodes that counts as central, by PageRank. */
const CENTRAL = 0.01
/** A piece of one file that falls off splits nothing. */
const LEAST_PIECE = 2

export interface ChokePoint {
  central: boolean
  /** Files that lose their connection to the rest without it; 0 when none do. */
  cutOff: number
}

export function chokePoint(graph: Graph, v: NodeId): ChokePoint {
  const known = pointsOf(graph)
  return { central: graph.pagerank[v] > known.threshold, cutOff: known.cutOff.get(v) ?? 0 }
}

interface Points {
  /** PageRank of the first node that is not central. */
  threshold: number
  cutOff: Map<NodeId, number>
}

const points = new WeakMap<Graph, Points>()

function pointsOf(graph: Graph): Points {
  const before = points.get(graph)
  if (before !== undefined) return before
  const ranks: number[] = []
  for (let v = 0; v < graph.nNodes; v++)
    if (graph.dead[v] === 0 && graph.types[v] !== DIRECTORY && degree(graph, v) > 0) ranks.push(graph.pagerank[v])
  ranks.sort((a, b) => b - a)
  const threshold = ranks[Math.ceil(ranks.length * CENTRAL)] ?? 0
  const found = { threshold, cutOff: splitting(fileLinks(graph)) }
  points.set(graph, found)
  return found
}

/** Files and the files that they are related to, either way; only what the code states counts. */
function fileLinks(graph: Graph): Map<NodeId, Set<NodeId>> {
  const kinds = new Kinds(graph)
  const links = new Map<NodeId, Set<NodeId>>()
  for (let v = 0; v < graph.nNodes; v++) if (graph.types[v] === FILE && graph.dead[v] === 0) links.set(v, new Set())
  for (let v = 0; v < graph.nNodes; v++) {
    const a = fileOf(graph, v)
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (DEAD_EDGE | UNREACHABLE)) !== 0 || (kinds.of(e) & CONTAINMENT) !== 0) continue
      const b = fileOf(graph, graph.out.targets[e])
      if (a === NONE || b === NONE || a === b || !isProof(graph, kinds, e)) continue
      links.get(a)?.add(b)
      links.get(b)?.add(a)
    }
  }
  return links
}

/**
 * For each file without which its component falls into pieces of at least two files: how many files are in all but the
 * largest. One pass in depth (Tarjan 1972): what is below a child that reaches nothing above `v` falls off without `v`.
 */
function splitting(links: ReadonlyMap<NodeId, ReadonlySet<NodeId>>): Map<NodeId, number> {
  const found = new Map<NodeId, number>()
  const order = new Map<NodeId, number>()
  const low = new Map<NodeId, number>()
  const size = new Map<NodeId, number>()
  const pieces = new Map<NodeId, number[]>()

  for (const root of links.keys()) {
    if (order.has(root)) continue
    const visited: NodeId[] = []
    const stack = [{ v: root, parent: NONE, next: enter(root) }]
    while (stack.length > 0) {
      const { v, parent, next } = stack[stack.length - 1]
      const step = next.next()
      if (!step.done) {
        const u = step.value
        if (u === parent) continue
        const seen = order.get(u)
        if (seen === undefined) stack.push({ v: u, parent: v, next: enter(u) })
        else low.set(v, Math.min(low.get(v) ?? seen, seen))
        continue
      }
      stack.pop()
      if (parent === NONE) continue
      const lowest = low.get(v) ?? 0
      low.set(parent, Math.min(low.get(parent) ?? lowest, lowest))
      size.set(parent, (size.get(parent) ?? 0) + (size.get(v) ?? 0))
      if (lowest >= (order.get(parent) ?? 0)) pieces.get(parent)?.push(size.get(v) ?? 0)
    }
    for (const v of visited) {
      const own = pieces.get(v) ?? []
      const rest = visited.length - 1 - own.reduce((sum, it) => sum + it, 0)
      const sizes = [...own, rest].sort((a, b) => b - a)
      if ((sizes[1] ?? 0) >= LEAST_PIECE)
        found.set(
          v,
          sizes.slice(1).reduce((sum, it) => sum + it, 0),
        )
    }

    function enter(v: NodeId): Iterator<NodeId> {
      order.set(v, order.size)
      low.set(v, order.size - 1)
      size.set(v, 1)
      pieces.set(v, [])
      visited.push(v)
      return (links.get(v) ?? new Set<NodeId>()).values()
    }
  }
  return found
}
