/** Connections that the dimensions suggest although the graph has no edge for them. They are never stored. */

import { DEAD_EDGE, type Graph, type NodeId } from '#graph/graph'
import { AGREES_ABOVE, BASE_WEIGHTS, DIMENSIONS, type Dimension, type Ranked } from '#query/blend'

/** Rows of the ranking that are paired: 50 give 1,225 pairs. */
const PAIRED = 50
const LEAST_SHARED = 2
const SHOWN = 10

export interface Ghost {
  source: NodeId
  target: NodeId
  shared: Dimension[]
  /** 0..1 */
  strength: number
}

/**
 * Pairs of ranked nodes without an edge or containment between them that agree in at least two dimensions:
 * √(a · b), at most 1, times the weights of the shared dimensions. The ten strongest, equal ones by node.
 */
export function findGhosts(graph: Graph, ranked: readonly Ranked[]): Ghost[] {
  const rows = ranked
    .filter((it) => it.dims.filter((value) => value > AGREES_ABOVE).length >= LEAST_SHARED)
    .slice(0, PAIRED)
  const linked = linksAmong(graph, rows)
  const ghosts: Ghost[] = []
  for (let i = 0; i < rows.length; i++) {
    for (let j = i + 1; j < rows.length; j++) {
      const a = rows[i]
      const b = rows[j]
      if (linked.has(i * PAIRED + j) || graph.parents[a.node] === b.node || graph.parents[b.node] === a.node) continue
      const shared = DIMENSIONS.filter((_, d) => a.dims[d] > AGREES_ABOVE && b.dims[d] > AGREES_ABOVE)
      if (shared.length < LEAST_SHARED) continue
      const weight = shared.reduce((acc, dimension) => acc + BASE_WEIGHTS[DIMENSIONS.indexOf(dimension)], 0)
      ghosts.push({
        source: a.node,
        target: b.node,
        shared,
        strength: Math.min(1, Math.sqrt(a.score * b.score)) * weight,
      })
    }
  }
  return ghosts.sort((x, y) => y.strength - x.strength || x.source - y.source || x.target - y.target).slice(0, SHOWN)
}

/** Pairs of rows with an edge between them in either direction, as `smaller · PAIRED + larger`. */
function linksAmong(graph: Graph, rows: readonly Ranked[]): Set<number> {
  const rowOf = new Map(rows.map((it, i) => [it.node, i]))
  const linked = new Set<number>()
  rows.forEach(({ node }, i) => {
    for (let e = graph.out.offsets[node]; e < graph.out.offsets[node + 1]; e++) {
      const j = rowOf.get(graph.out.targets[e])
      if (j !== undefined && (graph.flags[e] & DEAD_EDGE) === 0) linked.add(Math.min(i, j) * PAIRED + Math.max(i, j))
    }
  })
  return linked
}
