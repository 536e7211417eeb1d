/** PageRank by power iteration. */

import { type Csr, DEAD_EDGE } from '#graph/graph'

const DAMPING = 0.85
const MAX_ITERATIONS = 50
const TOLERANCE = 1e-6

export interface PageRankInput {
  out: Csr
  /** In-edges with the slots of their forward edges. */
  in: Csr & { slots: Uint32Array }
  flags: Uint8Array
  dead: Uint8Array
}

/**
 * PageRank of every node, the highest scaled to 1; removed nodes get 0. Each node hands its rank on in equal
 * parts over its out-edges, whatever their weights; the rank of a node without out-edges goes nowhere.
 * Stops after 50 rounds, or when a round changes the sum by less than 1e-6.
 */
export function pageRank(graph: PageRankInput): Float32Array<ArrayBuffer> {
  const { dead, flags } = graph
  const { offsets, targets: sources, slots } = graph.in
  const nNodes = dead.length
  let nLive = 0
  let anyDead = false
  for (let v = 0; v < nNodes; v++) nLive += 1 - dead[v]
  for (let e = 0; e < flags.length && !anyDead; e++) anyDead = (flags[e] & DEAD_EDGE) !== 0

  // what one edge carries away: rank / number of out-edges
  const share = new Float64Array(nNodes)
  const perEdge = new Float64Array(nNodes)
  for (let v = 0; v < nNodes; v++) {
    let nOut = 0
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) nOut += flags[e] & DEAD_EDGE ? 0 : 1
    perEdge[v] = nOut === 0 ? 0 : 1 / nOut
  }

  const rank = new Float64Array(nNodes)
  for (let v = 0; v < nNodes; v++) rank[v] = dead[v] ? 0 : 1 / nLive
  const base = (1 - DAMPING) / Math.max(1, nLive)
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    for (let v = 0; v < nNodes; v++) share[v] = rank[v] * perEdge[v]
    let change = 0
    for (let v = 0; v < nNodes; v++) {
      if (dead[v]) continue
      let incoming = 0
      const end = offsets[v + 1]
      if (anyDead) {
        for (let i = offsets[v]; i < end; i++) if (!(flags[slots[i]] & DEAD_EDGE)) incoming += share[sources[i]]
      } else for (let i = offsets[v]; i < end; i++) incoming += share[sources[i]]
      const next = base + DAMPING * incoming
      change += Math.abs(next - rank[v])
      rank[v] = next
    }
    if (change < TOLERANCE) break
  }

  let max = 0
  for (let v = 0; v < nNodes; v++) max = Math.max(max, rank[v])
  const scaled = new Float32Array(nNodes)
  for (let v = 0; v < nNodes; v++) scaled[v] = max === 0 ? 0 : rank[v] / max
  return scaled
}
