/** Everything that feels a removal, distance by distance. */

import type { ContainmentRule } from '#analysis/impact'
import {
  CONTAINMENT,
  eachInfluence,
  FROM_PARTLY,
  Kinds,
  leadsToPart,
  NAMED_BY_FILE,
  type Skipped,
} from '#analysis/steps'
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
  // by node, the best way it was hit; a depth of 0 is none
  const depths = new Uint8Array(nNodes)
  const slots = new Uint32Array(nNodes)
  const alongs = new Uint8Array(nNodes)
  const heaviest = new Float32Array(nNodes)
  const waiting: number[][] = Array.from({ length: 2 * MAX_DEPTH + 1 }, () => [])

  const wholly = { direction: 'dependents' as const, includeGuesses }
  const partly = { ...wholly, only: FROM_PARTLY }
  // what passes on
  let sender: NodeId = 0
  let distance = 0

  const silent = new Uint8Array(nNodes)
  const wholes = new Uint8Array(nNodes)
  for (const v of without ?? []) silent[v] = 1
  for (const v of removed) {
    silent[v] = 1
    distances[2 * v] = 1
    waiting[0].push(2 * v)
    if (!freely) for (let u = parents[v]; u !== NONE && wholes[u] === 0; u = parents[u]) wholes[u] = 1
  }
  for (let d = 0; d <= 2 * MAX_DEPTH; d++) {
    for (const state of waiting[d]) if (distances[state] === d + 1) passOn(state, d)
  }
  const hits: Hit[][] = Array.from({ length: MAX_DEPTH + 1 }, () => [])
  const none: Hit[] = []
  for (let v = 0; v < nNodes; v++) {
    const depth = depths[v]
    if (depth > 0 && wholes[v] === 0)
      hits[depth].push({ node: v, depth, slot: slots[v], along: alongs[v] === 1, weight: heaviest[v] })
  }
  return none.concat(...hits)

  function passOn(state: number, from: number): void {
    sender = state >>> 1
    distance = from
    eachInfluence(graph, kinds, sender, (state & 1) === 1 && !freely ? partly : wholly, skipped, arrive)
  }

  function arrive(u: NodeId, slot: number, kind: number, along: boolean): void {
    const contains = (kind & CONTAINMENT) !== 0
    const at = distance + (contains ? 1 : 2)
    if (at > 2 * MAX_DEPTH || silent[u] === 1) return
    let next = 2 * u
    if (!freely && contains) {
      if (leadsToPart(graph, slot, kind) === along || types[sender] === FILE || types[u] === DIRECTORY) return
      next += 1
    } else if (!freely && !along && (kind & NAMED_BY_FILE) !== 0) next += 1
    const depth = Math.max(1, at >> 1)
    if (depths[u] === 0 || depth <= depths[u]) hit(u, depth, slot, along, contains ? 0 : weights[slot])
    const known = distances[next]
    if ((known !== 0 && known <= at + 1) || (distances[2 * u] !== 0 && distances[2 * u] <= at + 1)) return
    distances[next] = at + 1
    waiting[at].push(next)
  }

  function hit(u: NodeId, depth: number, slot: number, along: boolean, weight: number): void {
    if (depth === depths[u] && weight <= heaviest[u]) return
    depths[u] = depth
    slots[u] = slot
    alongs[u] = along ? 1 : 0
    heaviest[u] = weight
  }
}
