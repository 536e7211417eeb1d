/** What can be told from the graph about whether a node is still what it was. */

import { DEAD_EDGE, type Graph, keyOf, labelOf, type NodeId, relationOf, text } from '#graph/graph'
import { fnv1a } from '#std/hash'

/**
 * Eight hexadecimal digits that differ when the node does: its name, kind, length, excerpt, the time of the last change
 * of its file, and what it points at. Weights are no part of it, nor is its place in the file.
 */
export function stateOf(graph: Graph, v: NodeId): string {
  const parts = [
    labelOf(graph, v),
    String(graph.types[v]),
    String(graph.lineEnd[v] - graph.lineStart[v]),
    String(graph.lastModified[v]),
    text(graph, graph.excerpts[v]),
  ]
  const edges: string[] = []
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    if ((graph.flags[e] & DEAD_EDGE) === 0) edges.push(`${relationOf(graph, e)} ${keyOf(graph, graph.out.targets[e])}`)
  }
  return fnv1a([...parts, ...edges.sort()].join('\n'))
    .toString(16)
    .padStart(8, '0')
}
