/** How sure the edges of a graph are, and which files a compiler has looked at. */

import { checkedFiles, CHECKERS } from '#graph/checked'
import { DEAD_EDGE, type Graph, type NodeId, PRIMARY, TIERS } from '#graph/graph'

export type Certainty = {
  /** Logical edges by tier; tiers without any are left out. */
  edges_by_tier: Record<string, number>
  /** Per kind of compiler: files, those of them about which it did not say all, and edges that start in them. */
  checked: Record<string, { files: number; partly: number; edges: number }>
}

const known = new WeakMap<Graph, Certainty>()

export function certainty(graph: Graph): Certainty {
  const before = known.get(graph)
  if (before !== undefined) return before
  const files = checkedFiles(graph)
  const byPath = new Map([...files].map(([v, { checker }]) => [graph.paths[v], checker]))
  const tiers = new Uint32Array(TIERS.length)
  const edges = new Map<string, number>()
  for (let v: NodeId = 0; v < graph.nNodes; v++) {
    const checker = byPath.get(graph.paths[v])
    let count = 0
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      tiers[graph.tiers[e]]++
      count++
    }
    if (checker !== undefined) edges.set(checker, (edges.get(checker) ?? 0) + count)
  }
  const rows = [...files.values()]
  const result: Certainty = {
    edges_by_tier: Object.fromEntries(TIERS.flatMap((it, i) => (tiers[i] > 0 ? [[it, tiers[i]]] : []))),
    checked: Object.fromEntries(
      CHECKERS.flatMap((name) => {
        const own = rows.filter((it) => it.checker === name)
        if (own.length === 0) return []
        return [
          [name, { files: own.length, partly: own.filter((it) => it.partly).length, edges: edges.get(name) ?? 0 }],
        ]
      }),
    ),
  }
  known.set(graph, result)
  return result
}
