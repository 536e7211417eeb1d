/** Quiet nodes among active ones. */

import { DEAD_EDGE, type Graph, type NodeId } from '#graph/graph'
import { AGREES_ABOVE, type Ranked } from '#query/blend'
import { poolOf } from '#query/node-values'
import { placements } from '#query/region'
import { topNodes } from '#query/top-nodes'

const LEAST_NEIGHBOURS = 2

export interface Quiet {
  node: NodeId
  /** Mean activation of the active neighbours, and how many there are. */
  average: number
  adjacent: number
  reason: string
}

/**
 * Nodes that the ranking does not show and that have at least two neighbours above `least`: the `most` with the highest
 * mean, then with the most neighbours, and how many there are in all. However many neighbours only contain a node or
 * stand beside it, they count as one, the strongest.
 */
export function quietNodes(
  graph: Graph,
  ranked: readonly Ranked[],
  least: number,
  most: number,
): { quiet: Quiet[]; total: number } {
  const { related, placed, counts, reached } = activityAround(graph, ranked, least)
  const averages = poolOf(graph, graph.nNodes).take()
  for (let i = 0; i < reached.length; i++) {
    const v = reached[i]
    if (placed[v] > 0) counts[v]++
    if (counts[v] >= LEAST_NEIGHBOURS) averages.set(v, (related[v] + placed[v]) / counts[v])
  }
  const total = averages.count
  const quiet = topNodes(averages, most, counts).map((node) => {
    const [average, adjacent] = [averages.value[node], counts[node]]
    const reason = `${adjacent} activated neighbors (avg=${average.toFixed(2)}) but node inactive`
    return { node, average, adjacent, reason }
  })
  poolOf(graph, graph.nNodes).give(averages)
  return { quiet, total }
}

/** By node, what arrives from active neighbours. */
interface Activity {
  /** Sum over the related ones. */
  related: Float64Array
  /** The strongest of the others, 0 where there is none. */
  placed: Float64Array
  /** How many are related. */
  counts: Uint32Array
  /** Every node with an active neighbour. */
  reached: NodeId[]
}

function activityAround(graph: Graph, ranked: readonly Ranked[], least: number): Activity {
  const { nNodes, out, in: into, relations, flags, dead } = graph
  const related = new Float64Array(nNodes)
  const placed = new Float64Array(nNodes)
  const counts = new Uint32Array(nNodes)
  const reached: NodeId[] = []
  const isPlacement = placements(graph)
  // nodes that are left out, the one at hand among them
  const isShown = new Uint8Array(nNodes)
  for (const { node, score } of ranked) if (score > AGREES_ABOVE) isShown[node] = 1

  /** Of the node at hand: neighbours, and how each is met; cleared by whoever takes them. */
  const BESIDE = 1
  const RELATED = 2
  const met = new Uint8Array(nNodes)
  let neighbours: NodeId[] = []
  const meet = (u: NodeId, slot: number) => {
    if (isShown[u] === 1 || dead[u] === 1 || (flags[slot] & DEAD_EDGE) !== 0) return
    if (met[u] === 0) neighbours.push(u)
    met[u] |= isPlacement.has(relations[slot]) ? BESIDE : RELATED
  }

  for (const { node, score } of ranked) {
    if (score <= least) continue
    neighbours = []
    for (let e = out.offsets[node]; e < out.offsets[node + 1]; e++) meet(out.targets[e], e)
    for (let i = into.offsets[node]; i < into.offsets[node + 1]; i++) meet(into.targets[i], into.slots[i])
    for (const u of neighbours) {
      const isRelated = (met[u] & RELATED) !== 0
      met[u] = 0
      if (u === node) continue
      if (counts[u] === 0 && placed[u] === 0) reached.push(u)
      if (isRelated) {
        related[u] += score
        counts[u]++
      } else placed[u] = Math.max(placed[u], score)
    }
  }
  return { related, placed, counts, reached }
}
