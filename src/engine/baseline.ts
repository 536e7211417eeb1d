/** The graph as the last session left it, for `drift`. */

import type { Baseline } from '#engine/brain'
import { DEAD_EDGE, type Graph, keyOf, relationOf } from '#graph/graph'

/** `weights` names an edge `source -> target|relation` by the keys of its ends. */
export function baselineOf(graph: Graph, savedAt: number): Baseline {
  const keys: string[] = []
  const weights = new Map<string, number>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    keys.push(keyOf(graph, v))
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if (graph.weights[e] === graph.ingestWeights[e] || graph.flags[e] & DEAD_EDGE) continue
      weights.set(
        `${keyOf(graph, v)} -> ${keyOf(graph, graph.out.targets[e])}|${relationOf(graph, e)}`,
        graph.weights[e],
      )
    }
  }
  return { savedAt, nodeCount: keys.length, edgeCount: graph.nLogical, keys, weights }
}
