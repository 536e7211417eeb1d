/** What one graph has that another has not, by keys. */

import { DEAD_EDGE, type Graph, keyOf, NONE, PRIMARY } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'

/** Nodes and logical edges of `graph` that `other` lacks. */
export function countMissing(graph: Graph, other: Graph): { nodes: number; edges: number } {
  const counterpart = new Uint32Array(graph.nNodes).fill(NONE)
  let nodes = 0
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    counterpart[v] = nodeByKey(other, keyOf(graph, v))
    if (counterpart[v] === NONE) nodes++
  }

  const relations = new Map<number, number>()
  let edges = 0
  for (let v = 0; v < graph.nNodes; v++) {
    const known = edgesOf(other, counterpart[v])
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      const handle = graph.relations[e]
      const relation = relations.get(handle) ?? other.strings.find(graph.strings.get(handle))
      relations.set(handle, relation)
      const target = counterpart[graph.out.targets[e]]
      if (target === NONE || relation === NONE || !known.has(target * other.strings.count + relation)) edges++
    }
  }
  return { nodes, edges }
}

/** Targets and relations of the out-edges of a node, as one number each. */
function edgesOf({ out, relations, strings }: Graph, v: number): Set<number> {
  const edges = new Set<number>()
  if (v === NONE) return edges
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) edges.add(out.targets[e] * strings.count + relations[e])
  return edges
}
