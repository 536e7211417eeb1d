/** Causal chains: the ways along which a change is most likely to be felt. */

import type { ContainmentRule } from '#analysis/impact'
import { CONTAINMENT, eachInfluence, INHERITANCE, Kinds, leadsToPart, stepName } from '#analysis/steps'
import { DIRECTORY, FILE, type Graph, type NodeId } from '#graph/graph'
import { Heap } from '#std/heap'

const MAX_HOPS = 6
const MIN_STRENGTH = 0.1
const EXPANSIONS = 10_000
const SHOWN = 10

export interface Chain {
  nodes: NodeId[]
  relations: string[]
  /** Product of the causal strengths. */
  strength: number
}

export interface Chains {
  chains: Chain[]
  /** The limit of expansions ended the search before ten were found. */
  exhausted: boolean
}

export interface ChainOptions {
  direction: 'dependents' | 'dependencies'
  includeGuesses: boolean
  containment: ContainmentRule
}

/**
 * The ten strongest simple chains from a node, at most 6 hops long and at least 0.1 strong, best first; equally
 * strong ones in the order in which they were found. Under `parts` a chain goes down only at its start, up
 * only at its end, and one that merely names parts or wholes is left out.
 */
export function causalChains(
  graph: Graph,
  source: NodeId,
  { direction, includeGuesses, containment }: ChainOptions,
): Chains {
  const kinds = new Kinds(graph)
  const skipped = { guesses: 0, unreachable: 0 }
  const nodes = [source]
  const before = [-1]
  const names = ['']
  const strengths = [1]
  const hops = [0]
  // how far a chain has come: 0 still inside the source, 1 along dependencies, 2 up to a whole
  const stages = [0]
  const queue = new Heap(256)
  queue.push(0, 1)

  const chains: Chain[] = []
  let expansions = 0
  for (; queue.size > 0 && expansions < EXPANSIONS && chains.length < SHOWN; expansions++) {
    const at = queue.pop()
    if (at > 0 && (containment === 'both' || stages[at] === 1)) chains.push(readChain(at))
    if (hops[at] === MAX_HOPS) continue
    eachInfluence(graph, kinds, nodes[at], { direction, includeGuesses }, skipped, (u, slot, kind, along) => {
      const strength = strengths[at] * graph.causal[slot]
      if (strength < MIN_STRENGTH || isOnChain(at, u)) return
      const stage = containment === 'both' ? 1 : nextStage(at, u, kind, leadsToPart(graph, slot, kind) === along)
      if (stage === -1) return
      nodes.push(u)
      before.push(at)
      names.push(stepName(graph, slot, along))
      strengths.push(strength)
      hops.push(hops[at] + 1)
      stages.push(stage)
      queue.push(nodes.length - 1, strength)
    })
  }
  return { chains, exhausted: expansions === EXPANSIONS && queue.size > 0 && chains.length < SHOWN }

  function nextStage(at: number, u: NodeId, kind: number, toPart: boolean): number {
    const stage = stages[at]
    if ((kind & CONTAINMENT) !== 0) {
      if (toPart) return stage === 0 ? 0 : -1
      return graph.types[nodes[at]] === FILE || graph.types[u] === DIRECTORY ? -1 : 2
    }
    return stage === 2 && (kind & INHERITANCE) === 0 ? -1 : 1
  }

  function isOnChain(state: number, u: NodeId): boolean {
    for (let i = state; i !== -1; i = before[i]) if (nodes[i] === u) return true
    return false
  }

  function readChain(end: number): Chain {
    const chain: Chain = { nodes: [], relations: [], strength: strengths[end] }
    for (let i = end; i !== -1; i = before[i]) {
      chain.nodes.unshift(nodes[i])
      if (before[i] !== -1) chain.relations.unshift(names[i])
    }
    return chain
  }
}
