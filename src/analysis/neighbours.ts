/** The immediate surroundings of nodes, over edges in both directions. */

import { DEAD_EDGE, type Graph, INHIBITORY, NONE, type NodeId } from '#graph/graph'

/** A step from one node to the next. */
export interface Link {
  node: NodeId
  slot: number
  /** Whether it goes from the slot's source to its target. */
  along: boolean
  /** At most 1. */
  weight: number
}

/** Visits every live edge of a node but those to what only stands beside it. */
export function eachLink(graph: Graph, v: NodeId, visit: (link: Link) => void): void {
  const skipped = graph.strings.find('sibling')
  const offer = (slot: number, node: NodeId, along: boolean) => {
    if (node === v || graph.dead[node] === 1 || graph.relations[slot] === skipped) return
    if (graph.flags[slot] & (DEAD_EDGE | INHIBITORY)) return
    visit({ node, slot, along, weight: Math.min(1, graph.weights[slot]) })
  }
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) offer(e, graph.out.targets[e], true)
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++)
    offer(graph.in.slots[i], graph.in.targets[i], false)
}

/** The neighbours of a node, each by its strongest edge; of equal ones the first. */
export function neighboursOf(graph: Graph, v: NodeId): Map<NodeId, Link> {
  const found = new Map<NodeId, Link>()
  eachLink(graph, v, (link) => {
    if (link.weight > (found.get(link.node)?.weight ?? -1)) found.set(link.node, link)
  })
  return found
}

/** Hops from `source`, up to `most`; 255 for what is farther away. Ends early once all of `wanted` are reached. */
export function hopsFrom(graph: Graph, source: NodeId, most: number, wanted: ReadonlySet<NodeId>): Uint8Array {
  const hops = new Uint8Array(graph.nNodes).fill(FAR)
  const queue = new Uint32Array(graph.nNodes)
  const skipped = graph.strings.find('sibling')
  const { out, in: into, flags, relations, dead } = graph
  let end = 0
  let missing = wanted.size
  const reach = (u: NodeId, slot: number, at: number) => {
    if (hops[u] !== FAR || dead[u] === 1 || flags[slot] & DEAD_EDGE || relations[slot] === skipped) return
    hops[u] = at
    queue[end++] = u
    if (wanted.has(u)) missing--
  }
  hops[source] = 0
  queue[end++] = source
  if (wanted.has(source)) missing--
  for (let i = 0; i < end && missing > 0; i++) {
    const v = queue[i]
    const at = hops[v] + 1
    if (at > Math.min(most, FAR - 1)) break
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) reach(out.targets[e], e, at)
    for (let j = into.offsets[v]; j < into.offsets[v + 1]; j++) reach(into.targets[j], into.slots[j], at)
  }
  return hops
}

export const FAR = 255

/** Nodes from which shortest paths are told, nearest first, at most. */
const BALL = 3000

/** Shortest paths from a node to what is near it; of several the one with the strongest last step. */
export class Paths {
  readonly #graph: Graph
  readonly #steps = new Map<NodeId, Link & { from: NodeId }>()
  readonly #source: NodeId

  constructor(graph: Graph, source: NodeId, hops: number) {
    this.#graph = graph
    this.#source = source
    let rim = [source]
    for (let hop = 0; hop < hops && rim.length > 0 && this.#steps.size < BALL; hop++) {
      const next = new Map<NodeId, Link & { from: NodeId }>()
      for (const v of rim) {
        if (next.size + this.#steps.size >= BALL) break
        eachLink(graph, v, (link) => {
          if (link.node === source || this.#steps.has(link.node)) return
          if (link.weight > (next.get(link.node)?.weight ?? -1)) next.set(link.node, { ...link, from: v })
        })
      }
      for (const [u, step] of next) this.#steps.set(u, step)
      rim = [...next.keys()]
    }
  }

  /** The steps to a node, null when it is not near. */
  to(target: NodeId): Link[] | null {
    if (target === this.#source) return []
    const steps: Link[] = []
    for (let v = target; v !== this.#source; ) {
      const step = this.#steps.get(v)
      if (step === undefined || steps.length > this.#graph.nNodes) return null
      steps.unshift(step)
      v = step.from
    }
    return steps
  }
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
