/** Everything that feels a removal, distance by distance. */

import type { ContainmentRule } from '#analysis/impact'
import { CONTAINMENT, eachInfluence, INHERITANCE, Kinds, leadsToPart, type Skipped, TESTS } from '#analysis/steps'
import { DIRECTORY, FILE, type Graph, type NodeId, NONE } from '#graph/graph'

const MAX_DEPTH = 5

export interface Hit {
  node: NodeId
  /** Hops from the nearest removed node, at least 1. */
  depth: number
  /** The heaviest edge by which it was reached at that depth, and its direction; containment counts as weight 0. */
  slot: number
  along: boolean
  weight: number
}

export interface CascadeOptions {
  includeGuesses: boolean
  containment: ContainmentRule
  /** Nodes that pass nothing on and are no hits. */
  without?: ReadonlySet<NodeId>
}

/**
 * Breadth first along influence from the removed nodes, at most 5 hops; by depth, then node. Under `parts` a
 * hit goes up to its classes and file and from there only to subtypes and tests, and the wholes of what is
 * removed are not hits; under `both` containment is followed freely. It costs half a hop either way.
 */
export function cascade(
  graph: Graph,
  removed: ReadonlySet<NodeId>,
  { includeGuesses, containment, without }: CascadeOptions,
  skipped: Skipped,
): Hit[] {
  const { nNodes, types, parents, weights } = graph
  const kinds = new Kinds(graph)
  const freely = containment === 'both'
  // in half hops plus one, by state as in impact: twice the node, plus one when only a part is affected
  const distances = new Uint8Array(2 * nNodes)
  const hits = new Map<NodeId, Hit>()
  const waiting: number[][] = Array.from({ length: 2 * MAX_DEPTH + 1 }, () => [])

  const wholes = new Set<NodeId>()
  for (const v of removed) {
    distances[2 * v] = 1
    waiting[0].push(2 * v)
    if (!freely) for (let u = parents[v]; u !== NONE && !wholes.has(u); u = parents[u]) wholes.add(u)
  }
  for (let distance = 0; distance <= 2 * MAX_DEPTH; distance++) {
    for (const state of waiting[distance]) if (distances[state] === distance + 1) passOn(state, distance)
  }
  return [...hits.values()].filter((it) => !wholes.has(it.node)).sort((a, b) => a.depth - b.depth || a.node - b.node)

  function passOn(state: number, distance: number): void {
    const v = state >>> 1
    const isPartly = (state & 1) === 1
    eachInfluence(graph, kinds, v, { direction: 'dependents', includeGuesses }, skipped, (u, slot, kind, along) => {
      const contains = (kind & CONTAINMENT) !== 0
      const at = distance + (contains ? 1 : 2)
      if (at > 2 * MAX_DEPTH || removed.has(u) || without?.has(u)) return
      let next = 2 * u
      if (!freely) {
        if (contains) {
          if (leadsToPart(graph, slot, kind) === along || types[v] === FILE || types[u] === DIRECTORY) return
          next += 1
        } else if (isPartly && (kind & (INHERITANCE | TESTS)) === 0) return
      }
      hit({ node: u, depth: Math.max(1, Math.floor(at / 2)), slot, along, weight: contains ? 0 : weights[slot] })
      const known = distances[next]
      if ((known !== 0 && known <= at + 1) || (distances[2 * u] !== 0 && distances[2 * u] <= at + 1)) return
      distances[next] = at + 1
      waiting[at].push(next)
    })
  }

  function hit(it: Hit): void {
    const known = hits.get(it.node)
    if (known === undefined || it.depth < known.depth || (it.depth === known.depth && it.weight > known.weight)) {
      hits.set(it.node, it)
    }
  }
}
