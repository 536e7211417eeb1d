/** Small graphs for the tests of this folder. */

import { buildGraph } from '#graph/build'
import { CLASS, FILE, FUNCTION, type Graph, type NodeId } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { nodeByKey } from '#graph/lookup'
import { emptyMeta } from '#graph/meta'
import { causalStrength } from '#graph/relations'
import { findSlot } from '#plasticity/exchange'
import type { Rates } from '#plasticity/weights'

export const LITERAL: Rates = {
  plasticity: 'literal',
  learningRate: 0.08,
  decayRate: 0.005,
  ltdCountsPassiveDecay: true,
}
export const DEFAULT: Rates = { ...LITERAL, plasticity: 'default' }

export type EdgeLine = readonly [
  source: string,
  relation: string,
  target: string,
  weight: number,
  bidirectional?: boolean,
]

/** The graph of these edges. A node is named by its key; what stands before the last `#` contains it. */
export function graphOf(lines: readonly EdgeLine[]): Graph {
  const nodes: NodeInput[] = []
  const ids = new Map<string, number>()
  const add = (key: string): number => {
    const known = ids.get(key)
    if (known !== undefined) return known
    const cut = key.lastIndexOf('#')
    const parent = cut < 0 ? -1 : add(key.slice(0, cut))
    const label = key.slice(cut + 1)
    const type = cut < 0 ? FILE : /^[A-Z]/.test(label) ? CLASS : FUNCTION
    ids.set(key, nodes.length)
    nodes.push({ key, label, type, parent })
    return nodes.length - 1
  }
  const edges = lines.map(
    ([source, relation, target, weight, bidirectional = false]): EdgeInput => ({
      source: add(source),
      target: add(target),
      relation,
      weight,
      causal: causalStrength(relation),
      bidirectional,
      inhibitory: relation === 'replaces',
    }),
  )
  return buildGraph({ nodes, edges, meta: emptyMeta() })
}

export function slotOf(graph: Graph, source: string, target: string, relation = 'imports'): number {
  return findSlot(graph, nodeByKey(graph, source), nodeByKey(graph, target), relation)
}

export function weightOf(graph: Graph, source: string, target: string, relation = 'imports'): number {
  return graph.weights[slotOf(graph, source, target, relation)]
}

/** Keys with scores as the scored nodes of a graph. */
export function scored(graph: Graph, scores: Record<string, number>): { node: NodeId; score: number }[] {
  return Object.entries(scores).map(([key, score]) => ({ node: nodeByKey(graph, key), score }))
}
