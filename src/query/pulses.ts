/** Pulses of the noise filter: how much of what starts at some nodes arrives where, all ways added up. */

import { type Graph, INHIBITORY, type NodeId } from '#graph/graph'
import { type NodeValues, poolOf } from '#query/node-values'
import type { Seed } from '#query/seeds'

const DECAY = 0.55
const MAX_DEPTH = 5
const LEAST_AMPLITUDE = 0.04
/** A pulse along an inhibitory edge. */
const INHIBITED = 0.5
/** Per channel and direction; 50,000 in all. */
const PULSES_PER_PASS = 12_500

/** Summed amplitudes of both channels, by node. */
export function sendPulses(
  graph: Graph,
  seeds: readonly Seed[],
  antiSeeds: readonly NodeId[],
): { hot: NodeValues; cold: NodeValues; truncated: boolean } {
  const pool = poolOf(graph, graph.nNodes)
  const hot = pool.take()
  const cold = pool.take()
  // about every other node has too little for even the heaviest edge
  let heaviest = 0
  for (const weight of graph.weights) if (weight > heaviest) heaviest = weight
  const leastUseful = LEAST_AMPLITUDE / (DECAY * heaviest)
  const hotDone = sendChannel(graph, seeds, hot, leastUseful)
  const coldDone = sendChannel(
    graph,
    antiSeeds.map((node) => ({ node, relevance: 1 })),
    cold,
    leastUseful,
  )
  return { hot, cold, truncated: !(hotDone && coldDone) }
}

/** Both directions of a channel; an origin counts once. Returns whether the budget sufficed. */
function sendChannel(graph: Graph, origins: readonly Seed[], amplitudes: NodeValues, leastUseful: number): boolean {
  for (const { node, relevance } of origins) amplitudes.add(node, relevance)
  const along = pulsePass(
    graph,
    origins,
    { offsets: graph.out.offsets, targets: graph.out.targets, slots: null },
    amplitudes,
    leastUseful,
  )
  const against = pulsePass(graph, origins, graph.in, amplitudes, leastUseful)
  return along && against
}

interface Direction {
  offsets: Uint32Array
  targets: Uint32Array
  /** Slot of each entry, null where the entry is the slot. */
  slots: Uint32Array | null
}

/** The pulses of one hop: at each node their sum, and each of them with where it came from. */
class Hop {
  /** By node; 0 where nothing stands. */
  readonly sum: Float64Array
  /** By node: its last pulse + 1, the others follow through `earlier`. */
  readonly last: Int32Array
  readonly nodes = new Uint32Array(PULSES_PER_PASS)
  nNodes = 0
  readonly from = new Uint32Array(PULSES_PER_PASS)
  readonly amplitude = new Float64Array(PULSES_PER_PASS)
  readonly earlier = new Int32Array(PULSES_PER_PASS)
  nPulses = 0

  constructor(nNodes: number) {
    this.sum = new Float64Array(nNodes)
    this.last = new Int32Array(nNodes)
  }

  clear(): void {
    for (let i = 0; i < this.nNodes; i++) {
      this.sum[this.nodes[i]] = 0
      this.last[this.nodes[i]] = 0
    }
    this.nNodes = 0
    this.nPulses = 0
  }

  arrive(u: NodeId, amplitude: number): void {
    if (this.sum[u] === 0) this.nodes[this.nNodes++] = u
    this.sum[u] += amplitude
  }

  arriveFrom(v: NodeId, u: NodeId, amplitude: number): void {
    this.arrive(u, amplitude)
    const pulse = this.nPulses++
    this.from[pulse] = v
    this.amplitude[pulse] = amplitude
    this.earlier[pulse] = this.last[u]
    this.last[u] = pulse + 1
  }
}

interface PulseScratch {
  hops: [Hop, Hop]
  /** By node: what came from it to the node in hand, and what leaves that node towards it; zeros in between. */
  cameFrom: Float64Array
  leaving: Float64Array
  /** The nodes where something leaves for, in order. */
  reached: Uint32Array
}

const pulseScratch = new WeakMap<Graph, PulseScratch>()

function scratchOf(graph: Graph): PulseScratch {
  const known = pulseScratch.get(graph)
  if (known !== undefined) return known
  const n = graph.nNodes
  const scratch: PulseScratch = {
    hops: [new Hop(n), new Hop(n)],
    cameFrom: new Float64Array(n),
    leaving: new Float64Array(n),
    reached: new Uint32Array(n),
  }
  pulseScratch.set(graph, scratch)
  return scratch
}

/**
 * Pulses in one direction, hop by hop. What stands at a node on a hop leaves along every edge together, less
 * what came from the far end of that edge: so no pulse turns back at once, and a hop costs at most one look at
 * every edge. Frequency and phase of the two channels never enter the sums, so they are not carried. Returns
 * whether the budget sufficed.
 */
function pulsePass(
  graph: Graph,
  origins: readonly Seed[],
  { offsets, targets, slots }: Direction,
  amplitudes: NodeValues,
  leastUseful: number,
): boolean {
  const { weights, flags } = graph
  const { hops, cameFrom, leaving, reached } = scratchOf(graph)
  let [standing, next] = hops
  standing.clear()
  for (const { node, relevance } of origins) standing.arrive(node, relevance)

  let used = standing.nNodes
  for (let depth = 0; depth < MAX_DEPTH && standing.nNodes > 0 && used < PULSES_PER_PASS; depth++) {
    next.clear()
    const goesOn = depth + 1 < MAX_DEPTH
    const { nodes, nNodes, sum, last, from, amplitude, earlier } = standing
    for (let k = 0; k < nNodes && used < PULSES_PER_PASS; k++) {
      const v = nodes[k]
      const whole = sum[v]
      if (whole < leastUseful) continue
      for (let p = last[v]; p > 0; p = earlier[p - 1]) cameFrom[from[p - 1]] = amplitude[p - 1]
      let nReached = 0
      const end = offsets[v + 1]
      for (let i = offsets[v]; i < end; i++) {
        const e = slots === null ? i : slots[i]
        // most edges are too weak for all that stands here, whatever came along them
        if (whole * weights[e] * DECAY < LEAST_AMPLITUDE) continue
        const u = targets[i]
        let passed = (whole - cameFrom[u]) * weights[e] * DECAY
        if (passed < LEAST_AMPLITUDE || u === v) continue
        if ((flags[e] & INHIBITORY) !== 0) {
          passed *= INHIBITED
          if (passed < LEAST_AMPLITUDE) continue
        }
        if (leaving[u] === 0) reached[nReached++] = u
        leaving[u] += passed
      }
      for (let p = last[v]; p > 0; p = earlier[p - 1]) cameFrom[from[p - 1]] = 0
      for (let i = 0; i < nReached; i++) {
        const u = reached[i]
        if (used < PULSES_PER_PASS) {
          used++
          amplitudes.add(u, leaving[u])
          if (goesOn) next.arriveFrom(v, u, leaving[u])
        }
        leaving[u] = 0
      }
    }
    const arrived = next
    next = standing
    standing = arrived
  }
  return used < PULSES_PER_PASS
}
