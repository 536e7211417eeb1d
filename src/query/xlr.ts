/**
 * The noise filter (XLR, after the balanced cable): what a question shares with unrelated places is noise.
 * Pulses start from the seeds (hot) and from nodes far from them (cold); where cold pulses arrive as strongly
 * as hot ones stands a hub that answers every question.
 */

import { DEAD_EDGE, type Graph, type NodeId, NONE } from '#graph/graph'
import { type NodeValues, poolOf } from '#query/node-values'
import { sendPulses } from '#query/pulses'
import type { Seed } from '#query/seeds'

const ANTI_SEEDS = 3
const IMMUNITY_HOPS = 2
const LEAST_DEGREE_RATIO = 0.3
const MAX_OVERLAP = 0.2
/** A node of more edges than so many times the average is a hub. */
const HUB_RATIO = 3
/** Nodes looked at for anti-seeds, from the most fitting degree outwards. */
const MAX_CANDIDATES = 20_000
const STEEPNESS = 6
const MAX_EXPONENT = 20
const LEAST_DENSITY = 0.3
const MAX_DENSITY = 2
const KEPT_ABOVE = 0.01

export interface FilterOptions {
  /** Nodes that the question itself names are no anti-seeds. */
  semantic: NodeValues
  /** `seed`: the sigmoid as it is, so that 0.5 means undecided. `rescaled`: 0 means undecided. */
  gate: 'seed' | 'rescaled'
  hubImmunity: boolean
}

export interface Filtered {
  /** What takes the place of the structural dimension; the caller gives it back to the pool. */
  values: NodeValues
  /** Nothing passed the gate: the values are the hot amplitudes. */
  fallbackUsed: boolean
  /** A pulse budget ran out. */
  truncated: boolean
}

/** Null when no node can serve as anti-seed: then there is nothing to filter with. */
export function filterNoise(
  graph: Graph,
  seeds: readonly Seed[],
  { semantic, gate, hubImmunity }: FilterOptions,
): Filtered | null {
  const antiSeeds = findAntiSeeds(graph, seeds, semantic)
  if (antiSeeds.length === 0) return null

  const { hot, cold, truncated } = sendPulses(graph, seeds, antiSeeds)
  const { total, average } = degreesOf(graph)
  const pool = poolOf(graph, graph.nNodes)
  const immune = pool.take()
  // immunity only matters where both channels arrive
  let isContested = false
  for (let i = 0; i < hot.count && !isContested; i++) isContested = cold.value[hot.nodes[i]] > 0
  if (isContested) markImmune(graph, seeds, hubImmunity, immune)
  const values = pool.take()
  for (let i = 0; i < hot.count; i++) {
    const v = hot.nodes[i]
    const raw = hot.value[v] - (immune.value[v] > 0 ? 0 : cold.value[v])
    const density = average === 0 ? 1 : Math.min(MAX_DENSITY, Math.max(LEAST_DENSITY, total[v] / average))
    const passed = sigmoid(STEEPNESS * raw * density)
    const value = gate === 'rescaled' ? Math.max(0, 2 * passed - 1) : passed
    if (value > KEPT_ABOVE) values.set(v, value)
  }

  const fallbackUsed = values.count === 0
  if (fallbackUsed) {
    for (let i = 0; i < hot.count; i++) {
      const v = hot.nodes[i]
      if (hot.value[v] > KEPT_ABOVE) values.set(v, Math.min(1, hot.value[v]))
    }
  }
  pool.give(hot, cold, immune)
  return { values, fallbackUsed, truncated }
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-Math.min(MAX_EXPONENT, Math.max(-MAX_EXPONENT, x))))
}

interface Degrees {
  /** Living in- and out-edge slots, by node. */
  total: Uint32Array
  average: number
  hubAbove: number
  /** Living nodes by degree, then by node: those of degree d are `nodes[offsets[d] … offsets[d + 1] - 1]`. */
  offsets: Uint32Array
  nodes: Uint32Array
  /** Scratch: when a node was last met. */
  met: Uint32Array
  clock: number
}

const knownDegrees = new WeakMap<Graph, Degrees>()

/** Computed at the first query of a graph, whose structure never changes. */
function degreesOf(graph: Graph): Degrees {
  const known = knownDegrees.get(graph)
  if (known !== undefined) return known
  const { nNodes, flags, dead } = graph
  const total = new Uint32Array(nNodes)
  let living = 0
  let sum = 0
  let largest = 0
  for (let v = 0; v < nNodes; v++) {
    if (dead[v] === 1) continue
    living++
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((flags[e] & DEAD_EDGE) !== 0) continue
      total[v]++
      total[graph.out.targets[e]]++
      sum += 2
    }
  }
  for (const degree of total) largest = Math.max(largest, degree)
  const offsets = new Uint32Array(largest + 2)
  for (let v = 0; v < nNodes; v++) if (dead[v] === 0) offsets[total[v] + 1]++
  for (let d = 0; d <= largest; d++) offsets[d + 1] += offsets[d]
  const nodes = new Uint32Array(living)
  const next = offsets.slice()
  for (let v = 0; v < nNodes; v++) if (dead[v] === 0) nodes[next[total[v]]++] = v
  const average = living === 0 ? 0 : sum / living
  const degrees = {
    total,
    average,
    hubAbove: HUB_RATIO * average,
    offsets,
    nodes,
    met: new Uint32Array(nNodes),
    clock: 0,
  }
  knownDegrees.set(graph, degrees)
  return degrees
}

/** Calls `visit` once for every living in- or out-neighbour. */
function eachNeighbour(graph: Graph, degrees: Degrees, v: NodeId, visit: (u: NodeId) => void): void {
  const { met } = degrees
  degrees.clock++
  if (degrees.clock === NONE) {
    met.fill(0)
    degrees.clock = 1
  }
  const now = degrees.clock
  met[v] = now
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    const u = graph.out.targets[e]
    if (met[u] === now || (graph.flags[e] & DEAD_EDGE) !== 0) continue
    met[u] = now
    visit(u)
  }
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const u = graph.in.targets[i]
    if (met[u] === now || (graph.flags[graph.in.slots[i]] & DEAD_EDGE) !== 0) continue
    met[u] = now
    visit(u)
  }
}

/**
 * Up to three nodes that resemble the seeds in degree but not in surroundings: outside their neighbourhood
 * first, then by little overlap with it, then by how near their degree is to the seeds' average.
 */
export function findAntiSeeds(graph: Graph, seeds: readonly Seed[], semantic: NodeValues): NodeId[] {
  const degrees = degreesOf(graph)
  const { total, hubAbove } = degrees
  const pool = poolOf(graph, graph.nNodes)
  const near = pool.take()
  const isSeed = new Set(seeds.map((it) => it.node))
  let sum = 0
  for (const { node } of seeds) {
    sum += total[node]
    near.set(node, 1)
    eachNeighbour(graph, degrees, node, (u) => {
      if (total[u] <= hubAbove) near.set(u, 1)
    })
  }
  const average = seeds.length === 0 ? 0 : sum / seeds.length

  // candidates come by distance of degree, then by node, so that the first of equal scores wins
  const best: { node: NodeId; score: number }[] = []
  let looked = 0
  let perfect = 0
  for (const v of average === 0 ? [] : byFittingDegree(degrees, average)) {
    if (perfect === ANTI_SEEDS || looked === MAX_CANDIDATES) break
    if (isSeed.has(v) || semantic.value[v] > 0) continue
    looked++
    let neighbours = 0
    let shared = 0
    eachNeighbour(graph, degrees, v, (u) => {
      if (total[u] > hubAbove) return
      neighbours++
      if (near.value[u] > 0) shared++
    })
    const overlap = neighbours === 0 ? 0 : shared / neighbours
    if (overlap > MAX_OVERLAP) continue
    const score = (near.value[v] > 0 ? 0 : 1) + (1 - overlap)
    if (score === 2) perfect++
    let at = best.length
    while (at > 0 && best[at - 1].score < score) at--
    best.splice(at, 0, { node: v, score })
    if (best.length > ANTI_SEEDS) best.pop()
  }
  pool.give(near)
  return best.map((it) => it.node)
}

/** Nodes that are no hubs by how near their degree is to `average`, equal ones by node. */
function* byFittingDegree({ offsets, nodes, hubAbove }: Degrees, average: number): Generator<NodeId> {
  const least = Math.ceil(LEAST_DEGREE_RATIO * average)
  const most = Math.min(offsets.length - 2, Math.floor(hubAbove))
  const distance = (degree: number): number => Math.abs(degree / average - 1)
  let below = Math.min(most, Math.floor(average))
  let above = below + 1
  while (below >= least || above <= most) {
    const down = below >= least ? distance(below) : Number.POSITIVE_INFINITY
    const up = above <= most ? distance(above) : Number.POSITIVE_INFINITY
    let i = down <= up ? offsets[below] : 0
    const iEnd = down <= up ? offsets[below + 1] : 0
    let j = up <= down ? offsets[above] : 0
    const jEnd = up <= down ? offsets[above + 1] : 0
    while (i < iEnd || j < jEnd) {
      if (j >= jEnd || (i < iEnd && nodes[i] < nodes[j])) yield nodes[i++]
      else yield nodes[j++]
    }
    if (down <= up) below--
    if (up <= down) above++
  }
}

/**
 * Marks the seeds and what lies within two hops. Hubs are not immune and nothing is reached through them,
 * unless they are seeds or `hubImmunity` says so.
 */
function markImmune(graph: Graph, seeds: readonly Seed[], hubImmunity: boolean, immune: NodeValues): void {
  const degrees = degreesOf(graph)
  for (const { node } of seeds) immune.set(node, 1)
  let from = 0
  for (let hop = 0; hop < IMMUNITY_HOPS; hop++) {
    const end = immune.count
    for (let i = from; i < end; i++) {
      eachNeighbour(graph, degrees, immune.nodes[i], (u) => {
        if (hubImmunity || degrees.total[u] <= degrees.hubAbove) immune.set(u, 1)
      })
    }
    from = end
  }
}
