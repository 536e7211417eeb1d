/** The immediate surroundings of nodes, over edges in both directions. */

import { DEAD_EDGE, DIRECTORY, FILE, type Graph, INHIBITORY, NONE, type NodeId, PRIMARY } from '#graph/graph'
import { isContainment } from '#graph/relations'

/** A step from one node to the next. */
export interface Link {
  node: NodeId
  slot: number
  /** Whether it goes from the slot's source to its target. */
  along: boolean
  /** At most 1. */
  weight: number
}

/** Relations of a graph by handle. */
interface Places {
  sibling: number
  containment: ReadonlySet<number>
}

const placesOf = new WeakMap<Graph, Places>()

function places(graph: Graph): Places {
  const before = placesOf.get(graph)
  if (before !== undefined) return before
  const handles = [...new Set(graph.relations)]
  const containment = new Set(handles.filter((it) => isContainment(graph.strings.get(it))))
  const found = { sibling: graph.strings.find('sibling'), containment }
  placesOf.set(graph, found)
  return found
}

/**
 * Whether a step says where things stand and no more: to a sibling, or from a file or folder up to what holds it. All
 * files of a project would be four steps apart by these.
 */
function isPlacement(
  graph: Graph,
  { sibling, containment }: Places,
  slot: number,
  from: NodeId,
  along: boolean,
): boolean {
  if (graph.relations[slot] === sibling) return true
  if (graph.types[from] !== FILE && graph.types[from] !== DIRECTORY) return false
  const isUp = along !== ((graph.flags[slot] & PRIMARY) !== 0)
  return isUp && containment.has(graph.relations[slot])
}

/** Another node, the slot, whether it goes from the slot's source to its target, and the weight, at most 1. */
export type Visit = (node: NodeId, slot: number, along: boolean, weight: number) => void

/** Visits every live edge of a node but those that only say where it stands. */
export function eachLink(graph: Graph, v: NodeId, visit: Visit): void {
  const where = places(graph)
  const { out, in: into, flags, dead, weights } = graph
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
    const u = out.targets[e]
    if (u === v || dead[u] === 1 || flags[e] & (DEAD_EDGE | INHIBITORY) || isPlacement(graph, where, e, v, true))
      continue
    visit(u, e, true, Math.min(1, weights[e]))
  }
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) {
    const u = into.targets[i]
    const e = into.slots[i]
    if (u === v || dead[u] === 1 || flags[e] & (DEAD_EDGE | INHIBITORY) || isPlacement(graph, where, e, v, false))
      continue
    visit(u, e, false, Math.min(1, weights[e]))
  }
}

/** The neighbours of a node, each by its strongest edge; of equal ones the first. */
export function neighboursOf(graph: Graph, v: NodeId): Map<NodeId, Link> {
  const found = new Map<NodeId, Link>()
  eachLink(graph, v, (node, slot, along, weight) => {
    if (weight > (found.get(node)?.weight ?? -1)) found.set(node, { node, slot, along, weight })
  })
  return found
}

/** Hops from `source`, up to `most`; 255 for what is farther away. Ends early once all of `wanted` are reached. */
export function hopsFrom(graph: Graph, source: NodeId, most: number, wanted: ReadonlySet<NodeId>): Uint8Array {
  const hops = new Uint8Array(graph.nNodes).fill(FAR)
  const queue = new Uint32Array(graph.nNodes)
  const where = places(graph)
  const { out, in: into, flags, dead } = graph
  let end = 0
  let missing = wanted.size
  const reach = (u: NodeId, slot: number, v: NodeId, along: boolean) => {
    if (hops[u] !== FAR || dead[u] === 1 || flags[slot] & DEAD_EDGE || isPlacement(graph, where, slot, v, along)) return
    hops[u] = hops[v] + 1
    queue[end++] = u
    if (wanted.has(u)) missing--
  }
  hops[source] = 0
  queue[end++] = source
  if (wanted.has(source)) missing--
  for (let i = 0; i < end && missing > 0; i++) {
    const v = queue[i]
    if (hops[v] >= Math.min(most, FAR - 1)) break
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) reach(out.targets[e], e, v, true)
    for (let j = into.offsets[v]; j < into.offsets[v + 1]; j++) reach(into.targets[j], into.slots[j], v, false)
  }
  return hops
}

export const FAR = 255

/** Nodes that a search for paths looks at, nearest first. */
const BALL = 3000

/**
 * Shortest paths from a node to those of `wanted` that are near it, as nodes from the one to the other; of several the
 * one with the strongest last step.
 */
export function pathsTo(
  graph: Graph,
  source: NodeId,
  wanted: ReadonlySet<NodeId>,
  hops: number,
): Map<NodeId, NodeId[]> {
  const cameFrom = new Map<NodeId, NodeId>([[source, source]])
  let missing = wanted.size - (wanted.has(source) ? 1 : 0)
  let rim = [source]
  for (let hop = 0; hop < hops && missing > 0 && cameFrom.size < BALL; hop++) {
    const strongest = new Map<NodeId, number>()
    const parents = new Map<NodeId, NodeId>()
    for (const v of rim) {
      if (cameFrom.size + parents.size >= BALL) break
      eachLink(graph, v, (u, _slot, _along, weight) => {
        if (cameFrom.has(u) || weight <= (strongest.get(u) ?? -1)) return
        strongest.set(u, weight)
        parents.set(u, v)
      })
    }
    for (const [u, v] of parents) {
      cameFrom.set(u, v)
      if (wanted.has(u)) missing--
    }
    rim = [...parents.keys()]
  }
  const paths = new Map<NodeId, NodeId[]>()
  for (const target of wanted) {
    if (!cameFrom.has(target)) continue
    const path = [target]
    for (let v = target; v !== source; path.unshift(v)) v = cameFrom.get(v) ?? source
    paths.set(target, path)
  }
  return paths
}

/** Whether `v` or any neighbour of it is among `nodes`: 2 for itself, 1 for a neighbour, 0 for neither. */
export function closenessTo(graph: Graph, v: NodeId, nodes: ReadonlySet<NodeId>): 0 | 1 | 2 {
  if (nodes.has(v)) return 2
  const { out, in: into } = graph
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) if (nodes.has(out.targets[e])) return 1
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) if (nodes.has(into.targets[i])) return 1
  return 0
}

/** The nearest whole of a node that is no node itself: '' or the folder of its path. */
export function folderOf(graph: Graph, v: NodeId): string {
  const path = graph.paths[v] === NONE ? '' : graph.strings.get(graph.paths[v])
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
