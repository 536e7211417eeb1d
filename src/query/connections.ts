/** The strongest relations of one node, as a row of a result shows them. */

import {
  BIDIRECTIONAL,
  DEAD_EDGE,
  type Graph,
  GUESS,
  type NodeId,
  PRIMARY,
  relationOf,
  UNREACHABLE,
} from '#graph/graph'
import { inverse, isContainment } from '#graph/relations'

export interface Connection {
  node: NodeId
  /** Read from the node in question: `calls`, `called_by`, … */
  relation: string
  /** No proof stands behind it. */
  isGuess: boolean
}

interface Candidate {
  other: NodeId
  slot: number
  incoming: boolean
  contained: boolean
}

/** At most `most` connections, strongest first, containment after all others; each neighbour once. */
export function connectionsOf(graph: Graph, v: NodeId, most: number): Connection[] {
  const found: Candidate[] = []
  const add = (slot: number, other: NodeId, incoming: boolean) => {
    const relation = relationOf(graph, slot)
    if (graph.flags[slot] & (DEAD_EDGE | UNREACHABLE) || other === v || relation === 'sibling') return
    found.push({ other, slot, incoming, contained: isContainment(relation) })
  }
  // of a bidirectional edge the slot that leaves `v` is enough; it runs backwards unless it is the primary one
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++)
    add(e, graph.out.targets[e], (graph.flags[e] & PRIMARY) === 0)
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const slot = graph.in.slots[i]
    if ((graph.flags[slot] & BIDIRECTIONAL) === 0) add(slot, graph.in.targets[i], true)
  }
  found.sort(
    (a, b) =>
      Number(a.contained) - Number(b.contained) ||
      graph.weights[b.slot] - graph.weights[a.slot] ||
      a.other - b.other ||
      Number(a.incoming) - Number(b.incoming),
  )
  const seen = new Set<NodeId>()
  const connections: Connection[] = []
  for (const { other, slot, incoming } of found) {
    if (connections.length === most) break
    if (seen.has(other)) continue
    seen.add(other)
    const relation = relationOf(graph, slot)
    connections.push({
      node: other,
      relation: incoming ? inverse(relation) : relation,
      isGuess: graph.tiers[slot] === GUESS,
    })
  }
  return connections
}
