/** Merges what the four dimensions say about a node into one score, and ranks. */

import type { Graph, NodeId } from '#graph/graph'
import { type NodeValues, poolOf } from '#query/node-values'
import { topNodes } from '#query/top-nodes'

export const DIMENSIONS = ['structural', 'semantic', 'temporal', 'causal'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Share of each dimension in the score, in the order of `DIMENSIONS`, when all four take part. */
export const BASE_WEIGHTS = [0.35, 0.25, 0.15, 0.25] as const
/** From this value on a dimension counts as agreeing. */
export const AGREES_ABOVE = 0.01
const FOUR_AGREE = 1.5
const THREE_AGREE = 1.3
const PAGERANK_SHARE = 0.1
/** A node that only a boost reaches takes part from this boost on … */
const BOOST_ALONE = 0.1
/** … with this share of it as its score. */
const BOOST_SHARE = 0.5
/** A loss leaves this part of a score at least, so that the node stays one that was reached. */
const LEAST_LEFT = 0.01

export interface Ranked {
  node: NodeId
  /** Raw score; may exceed 1. */
  score: number
  /** Values of the four dimensions, in the order of `DIMENSIONS`, 0 where absent. */
  dims: [number, number, number, number]
}

/** One value of each dimension per node; null for a dimension that was not asked for. */
export type Columns = readonly [NodeValues | null, NodeValues | null, NodeValues | null, NodeValues | null]

/**
 * The merged ranking, best first (equal scores: higher structural value, then smaller node), at most `topK`
 * long, the number of nodes that any dimension or boost reached, and the share of each dimension. A negative boost is a loss. Dimensions without any value drop out
 * and the rest share their weight.
 */
export function blend(
  graph: Graph,
  columns: Columns,
  { boosts, topK }: { boosts: ReadonlyMap<NodeId, number>; topK: number },
): { ranked: Ranked[]; totalActive: number; weights: number[] } {
  const [structural, semantic, temporal, causal] = columns
  const weights = activeWeights(columns)
  const pool = poolOf(graph, graph.nNodes)
  const scores = pool.take()

  const { pagerank } = graph
  for (const column of columns) {
    if (column === null) continue
    for (let i = 0; i < column.count; i++) {
      const v = column.nodes[i]
      if (scores.value[v] !== 0) continue
      const d1 = structural === null ? 0 : structural.value[v]
      const d2 = semantic === null ? 0 : semantic.value[v]
      const d3 = temporal === null ? 0 : temporal.value[v]
      const d4 = causal === null ? 0 : causal.value[v]
      const agreeing =
        Number(d1 > AGREES_ABOVE) + Number(d2 > AGREES_ABOVE) + Number(d3 > AGREES_ABOVE) + Number(d4 > AGREES_ABOVE)
      let score = weights[0] * d1 + weights[1] * d2 + weights[2] * d3 + weights[3] * d4
      if (agreeing >= 4) score *= FOUR_AGREE
      else if (agreeing >= 3) score *= THREE_AGREE
      scores.set(v, score + PAGERANK_SHARE * pagerank[v])
    }
  }

  for (const [v, boost] of boosts) {
    if (!(v >= 0 && v < graph.nNodes) || graph.dead[v] === 1 || Number.isNaN(boost)) continue
    if (scores.value[v] > 0) scores.value[v] *= Math.max(LEAST_LEFT, 1 + boost)
    else if (boost >= BOOST_ALONE) scores.set(v, BOOST_SHARE * boost)
  }

  const totalActive = scores.count
  const best = topNodes(scores, topK, structural === null ? null : structural.value)
  const ranked = best.map((node): Ranked => {
    const dims: Ranked['dims'] = [
      valueOf(structural, node),
      valueOf(semantic, node),
      valueOf(temporal, node),
      valueOf(causal, node),
    ]
    return { node, score: scores.value[node], dims }
  })
  pool.give(scores)
  return { ranked, totalActive, weights }
}

/** Base weights of the dimensions that have a value, scaled to a sum of 1; zeros when none has. */
function activeWeights(columns: Columns): number[] {
  const weights = columns.map((column, d): number => (column !== null && column.count > 0 ? BASE_WEIGHTS[d] : 0))
  const sum = weights.reduce((acc, weight) => acc + weight, 0)
  return sum === 0 ? weights : weights.map((weight) => weight / sum)
}

function valueOf(column: NodeValues | null, v: NodeId): number {
  return column === null ? 0 : column.value[v]
}
