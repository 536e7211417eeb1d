/** Which edges a piece of feedback is about. */

import type { Graph, NodeId } from '#graph/graph'
import { childrenOf } from '#graph/lookup'
import { isDead } from '#plasticity/weights'

export interface Region {
  /** The reported nodes and all that they contain. */
  reported: Set<NodeId>
  /** These, the seeds of the question, and the nodes on short paths between seeds and reported nodes. */
  nodes: Set<NodeId>
  /** A budget was used up, so the region may lack some nodes. */
  truncated: boolean
}

const CONTAINED = 2000
const PATH_HOPS = 3
const PATH_PAIRS = 200
const PATH_EXPANSIONS = 5000

/** The part of the graph that feedback about `reported` nodes as answers to a question with these `seeds` concerns. */
export function regionOf(graph: Graph, reported: readonly NodeId[], seeds: readonly NodeId[]): Region {
  const contained = subtrees(graph, reported)
  const between = nodesBetween(graph, reported, seeds)
  return {
    reported: contained.nodes,
    nodes: new Set([...contained.nodes, ...seeds, ...between.nodes]),
    truncated: contained.truncated || between.truncated,
  }
}

/** The nodes and everything they contain, at most `CONTAINED` contained ones, the nearest first. */
export function subtrees(graph: Graph, roots: readonly NodeId[]): { nodes: Set<NodeId>; truncated: boolean } {
  const nodes = new Set(roots)
  const most = nodes.size + CONTAINED
  // a set is walked in the order of insertion, also over what is added on the way
  for (const v of nodes) {
    for (const child of childrenOf(graph, v)) {
      if (nodes.size >= most && !nodes.has(child)) return { nodes, truncated: true }
      nodes.add(child)
    }
  }
  return { nodes, truncated: false }
}

/** Inner nodes of one shortest path, direction aside and of at most 3 hops, for each pair of a reported node with a seed or with another reported one. */
function nodesBetween(
  graph: Graph,
  reported: readonly NodeId[],
  seeds: readonly NodeId[],
): { nodes: Set<NodeId>; truncated: boolean } {
  const nodes = new Set<NodeId>()
  const ends = [...new Set(seeds)]
  const share = Math.ceil(PATH_EXPANSIONS / Math.max(1, reported.length))
  let pairs = 0
  let truncated = false
  reported.forEach((from, i) => {
    const wanted = new Set([...ends, ...reported.slice(i + 1)].slice(0, PATH_PAIRS - pairs))
    if (wanted.size < ends.length + reported.length - i - 1) truncated = true
    pairs += wanted.size
    wanted.delete(from)
    const { previous, exhausted } = search(graph, from, wanted, share)
    truncated ||= exhausted
    for (const end of wanted) {
      for (let v = previous.get(end); v !== undefined && v !== from; v = previous.get(v)) nodes.add(v)
    }
  })
  return { nodes, truncated }
}

/** Breadth-first search until all wanted nodes are found; `previous` leads back from each node reached. */
function search(
  graph: Graph,
  from: NodeId,
  wanted: ReadonlySet<NodeId>,
  budget: number,
): { previous: Map<NodeId, NodeId>; exhausted: boolean } {
  const previous = new Map<NodeId, NodeId>()
  let missing = wanted.size
  let frontier = [from]
  for (let hop = 0; hop < PATH_HOPS && frontier.length > 0; hop++) {
    const next: NodeId[] = []
    for (const v of frontier) {
      if (missing === 0) return { previous, exhausted: false }
      if (budget-- === 0) return { previous, exhausted: true }
      for (const [, u] of edgesOf(graph, v)) {
        if (u === from || previous.has(u)) continue
        previous.set(u, v)
        next.push(u)
        if (wanted.has(u)) missing--
      }
    }
    frontier = next
  }
  return { previous, exhausted: false }
}

/** Slots at a node, out-edges first, each with its other end; without removed edges and loops. */
export function* edgesOf(graph: Graph, v: NodeId): Generator<[slot: number, other: NodeId]> {
  const { out, in: into } = graph
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
    if (out.targets[e] !== v && !isDead(graph, e)) yield [e, out.targets[e]]
  }
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) {
    if (into.targets[i] !== v && !isDead(graph, into.slots[i])) yield [into.slots[i], into.targets[i]]
  }
}
