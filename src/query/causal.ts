/** Chains of causes: along which paths a change of one node is most likely felt. */

import { DEAD_EDGE, type Graph, GUESS, INHIBITORY, type NodeId, PRIMARY, relationOf } from '#graph/graph'
import { type Influence, influence, inverse } from '#graph/relations'
import { Heap } from '#std/heap'

const MAX_HOPS = 6
const LEAST_STRENGTH = 0.1
const MAX_EXPANSIONS = 10_000
/** States kept in memory; a hub alone can give as many as it has neighbours. */
const MAX_STATES = 100_000
const SHOWN = 10

export interface CausalChain {
  /** From the start to the last node felt. */
  nodes: NodeId[]
  /** Relation of each hop as read along the chain; one less than nodes. */
  relations: string[]
  /** Product of the causal strengths. */
  strength: number
}

export interface ChainOptions {
  /** `forward`: who may be affected by the start. `reverse`: what the start may be affected by. */
  direction?: 'forward' | 'reverse'
  /** Whether edges that are only a guess count. */
  includeGuesses?: boolean
}

/**
 * The ten strongest chains of influence from a node, strongest first (equal ones: shorter, then by node).
 * Chains are simple, at most six hops long and at least 0.1 strong; a chain that goes on is shown whole, not
 * once per hop. `truncated` says that the budget of 10,000 expansions ended the search.
 */
export function causalChains(
  graph: Graph,
  start: NodeId,
  options: ChainOptions = {},
): { chains: CausalChain[]; truncated: boolean } {
  // the search tree: a state is a node, the state before it and the slot between
  const nodes = [start]
  const before = [-1]
  const slots = [-1]
  const strengths = [1]
  const depths = [0]
  const leaves: number[] = []
  const heap = new Heap()
  heap.push(0, 1)

  let expansions = 0
  let truncated = false
  while (heap.size > 0 && !truncated) {
    const state = heap.pop()
    expansions++
    let extended = false
    const reached = depths[state] < MAX_HOPS ? influenced(graph, nodes[state], options) : []
    for (const [u, slot] of reached) {
      const strength = strengths[state] * graph.causal[slot]
      if (strength < LEAST_STRENGTH || isOnPath(u, state)) continue
      extended = true
      nodes.push(u)
      before.push(state)
      slots.push(slot)
      strengths.push(strength)
      depths.push(depths[state] + 1)
      heap.push(nodes.length - 1, strength)
    }
    if (!extended && state > 0) leaves.push(state)
    truncated = heap.size > 0 && (expansions >= MAX_EXPANSIONS || nodes.length >= MAX_STATES)
  }

  leaves.sort((a, b) => strengths[b] - strengths[a] || depths[a] - depths[b] || nodes[a] - nodes[b] || a - b)
  const chains = leaves.slice(0, SHOWN).map((leaf) => {
    const path: NodeId[] = [start]
    const relations: string[] = []
    for (let s = leaf; s > 0; s = before[s]) {
      path.splice(1, 0, nodes[s])
      relations.unshift(relationFrom(graph, nodes[before[s]], slots[s]))
    }
    return { nodes: path, relations, strength: strengths[leaf] }
  })
  return { chains, truncated }

  function isOnPath(u: NodeId, state: number): boolean {
    for (let s = state; s >= 0; s = before[s]) if (nodes[s] === u) return true
    return false
  }
}

/**
 * The nodes that feel a change of `v` (in reverse: that `v` feels), each with the strongest slot between, in
 * order of first slot. Only slots that run as their edge was stated say which end depends on which.
 */
function influenced(
  graph: Graph,
  v: NodeId,
  { direction = 'forward', includeGuesses = false }: ChainOptions,
): Map<NodeId, number> {
  const along = direction === 'forward' ? 'forward' : 'reverse'
  const against = direction === 'forward' ? 'reverse' : 'forward'
  const strongest = new Map<NodeId, number>()
  const consider = (u: NodeId, slot: number, way: Influence) => {
    if (u === v || !(graph.causal[slot] > 0) || (graph.flags[slot] & (PRIMARY | DEAD_EDGE | INHIBITORY)) !== PRIMARY)
      return
    if (!includeGuesses && graph.tiers[slot] === GUESS) return
    const felt = influence(relationOf(graph, slot))
    if (felt !== 'both' && felt !== way) return
    const known = strongest.get(u)
    if (known === undefined || graph.causal[known] < graph.causal[slot]) strongest.set(u, slot)
  }
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) consider(graph.out.targets[e], e, along)
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++)
    consider(graph.in.targets[i], graph.in.slots[i], against)
  return strongest
}

/** The relation of a slot read from `v`, one of its ends. */
function relationFrom(graph: Graph, v: NodeId, slot: number): string {
  const relation = relationOf(graph, slot)
  return slot >= graph.out.offsets[v] && slot < graph.out.offsets[v + 1] ? relation : inverse(relation)
}
