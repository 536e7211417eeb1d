/**
 * The only place where weights and their counters are written. Strengthening is long-term potentiation (LTP),
 * weakening long-term depression (LTD), normalizing homeostasis; `policies.md` says how the two policies differ.
 */

import { DEAD_EDGE, type Graph, LTD_APPLIED, LTP_APPLIED, type NodeId, NONE, PRIMARY } from '#graph/graph'

/** How to learn; the fields are those of the settings of the same name. */
export interface Rates {
  plasticity: 'default' | 'literal'
  /** Weight gained by one edge between two fully active nodes, (0, 1]. */
  learningRate: number
  /** Share of a weight lost at a query that does not touch it, (0, 1]. */
  decayRate: number
  /** Under `literal`: idle decay counts towards the depression of an edge. */
  ltdCountsPassiveDecay: boolean
}

export const FLOOR = 0.05
export const CAP = 3
/** Events in a row after which an edge gets its bonus or penalty, once. */
const RUN = 5
const BONUS = 0.15
/** Sum of the weights of a node's in-edges. */
const CEILING = 5
/** Under `default` the ceiling leaves room above what ingest gave. */
const HEADROOM = 1.2
/** Under `default` what was learned about an edge is at most this, upwards, and four fifths of it, downwards. */
const LEARNED_MAX = 1.5
const LEARNED_MIN = 0.2
/** Smaller changes of a 32-bit weight are rounding. */
export const EPSILON = 1e-6
const MAX_RUN = 0xffff

export function isDead(graph: Graph, slot: number): boolean {
  return (graph.flags[slot] & DEAD_EDGE) !== 0
}

/** The largest weight that an edge can be raised to. */
export function highest(ingest: number, { plasticity }: Rates): number {
  return plasticity === 'literal' ? CAP : Math.max(ingest, Math.min(CAP, ingest + LEARNED_MAX))
}

/** The smallest weight that an edge can be lowered to. */
export function lowest(ingest: number, { plasticity }: Rates): number {
  return plasticity === 'literal' ? FLOOR : Math.min(ingest, Math.max(FLOOR, ingest * LEARNED_MIN))
}

/** Adds to a weight and counts the event; the fifth in a row brings the bonus. Returns whether it did. */
export function strengthen(graph: Graph, slot: number, amount: number, rates: Rates, query: number): boolean {
  const { weights, ingestWeights, strengthened, strengthenRun, weakenRun, marks, lastUsed } = graph
  const max = highest(ingestWeights[slot], rates)
  if (weights[slot] < max) weights[slot] = Math.min(weights[slot] + amount, max)
  strengthened[slot]++
  if (strengthenRun[slot] < MAX_RUN) strengthenRun[slot]++
  weakenRun[slot] = 0
  lastUsed[slot] = query
  if (strengthenRun[slot] < RUN || (marks[slot] & LTP_APPLIED) !== 0) return false
  if (weights[slot] < max) weights[slot] = Math.min(weights[slot] + BONUS, max)
  marks[slot] |= LTP_APPLIED
  return true
}

/** Takes a share of a weight away and counts the event; the fifth in a row brings the penalty. Returns whether it did. */
export function weaken(graph: Graph, slot: number, share: number, rates: Rates, query: number): boolean {
  const { weights, ingestWeights, weakened, strengthenRun, weakenRun, marks, lastUsed } = graph
  const min = lowest(ingestWeights[slot], rates)
  if (weights[slot] > min) weights[slot] = Math.max(weights[slot] * (1 - share), min)
  weakened[slot]++
  if (weakenRun[slot] < MAX_RUN) weakenRun[slot]++
  strengthenRun[slot] = 0
  lastUsed[slot] = query
  if (weakenRun[slot] < RUN || (marks[slot] & LTD_APPLIED) !== 0) return false
  if (weights[slot] > min) weights[slot] = Math.max(weights[slot] - BONUS, min)
  marks[slot] |= LTD_APPLIED
  return true
}

/** Decay, under `literal`, of every edge whose source is not among the `active` nodes. */
export function decayIdle(
  graph: Graph,
  active: Iterable<NodeId>,
  rates: Rates,
): { decayed: number; depressed: number } {
  const { offsets } = graph.out
  const counts = { decayed: 0, depressed: 0 }
  let start = 0
  for (const v of Uint32Array.from(active).sort()) {
    decaySlots(graph, start, offsets[v], rates, counts)
    start = offsets[v + 1]
  }
  decaySlots(graph, start, graph.nEdges, rates, counts)
  return counts
}

/**
 * Flat over the slots of idle sources and without calls: this runs over nearly the whole graph at every
 * query (1.3 ms for 400,000 slots).
 */
function decaySlots(
  graph: Graph,
  start: number,
  end: number,
  { decayRate, ltdCountsPassiveDecay }: Rates,
  counts: { decayed: number; depressed: number },
): void {
  const { weights, weakened, strengthenRun, weakenRun, marks } = graph
  const keep = 1 - decayRate
  let decayed = 0
  let depressed = 0
  for (let e = start; e < end; e++) {
    const before = weights[e]
    // a removed edge has weight 0, and one that normalizing pushed below the floor stays there
    if (before <= FLOOR) continue
    const less = before * keep
    const after = less > FLOOR ? less : FLOOR
    weights[e] = after
    if (before - after <= EPSILON) continue
    decayed++
    weakened[e]++
    strengthenRun[e] = 0
    if (!ltdCountsPassiveDecay) continue
    const run = weakenRun[e] + 1
    if (run <= MAX_RUN) weakenRun[e] = run
    if (run < RUN || (marks[e] & LTD_APPLIED) !== 0) continue
    weights[e] = after - BONUS > FLOOR ? after - BONUS : FLOOR
    marks[e] |= LTD_APPLIED
    depressed++
  }
  counts.decayed += decayed
  counts.depressed += depressed
}

/**
 * Keeps the sum of each node's in-edges under its ceiling. `literal` scales all of them to a sum of 5.
 * `default` has a ceiling that ingest alone never reaches, and scales only what was learned, so that the
 * weights of the code stay. Returns the nodes changed.
 */
export function normalize(graph: Graph, nodes: Iterable<NodeId>, { plasticity }: Rates): number {
  let rescaled = 0
  for (const v of nodes) if (plasticity === 'literal' ? scaleAll(graph, v) : scaleLearned(graph, v)) rescaled++
  return rescaled
}

function scaleAll(graph: Graph, v: NodeId): boolean {
  const { weights } = graph
  const { offsets, slots } = graph.in
  let total = 0
  for (let i = offsets[v]; i < offsets[v + 1]; i++) total += weights[slots[i]]
  if (total <= CEILING + EPSILON) return false
  const scale = CEILING / total
  for (let i = offsets[v]; i < offsets[v + 1]; i++) weights[slots[i]] *= scale
  return true
}

function scaleLearned(graph: Graph, v: NodeId): boolean {
  const { weights, ingestWeights } = graph
  const { offsets, slots } = graph.in
  let total = 0
  let ingest = 0
  let gained = 0
  for (let i = offsets[v]; i < offsets[v + 1]; i++) {
    const slot = slots[i]
    total += weights[slot]
    if (isDead(graph, slot)) continue
    ingest += ingestWeights[slot]
    gained += Math.max(0, weights[slot] - ingestWeights[slot])
  }
  const ceiling = Math.max(CEILING, ingest * HEADROOM)
  if (total <= ceiling + EPSILON) return false
  const scale = Math.max(0, 1 - (total - ceiling) / gained)
  for (let i = offsets[v]; i < offsets[v + 1]; i++) {
    const slot = slots[i]
    const gain = weights[slot] - ingestWeights[slot]
    if (gain > 0 && !isDead(graph, slot)) weights[slot] = ingestWeights[slot] + gain * scale
  }
  return true
}

/** Whether an edge slot differs from what ingest made, in its weight or its counters. */
export function isLearned(graph: Graph, slot: number): boolean {
  return (
    graph.strengthened[slot] > 0 ||
    graph.weakened[slot] > 0 ||
    Math.abs(graph.weights[slot] - graph.ingestWeights[slot]) > EPSILON
  )
}

/** Number of edges that carry something learned; one that runs both ways counts once. */
export function learnedEdges(graph: Graph): number {
  let count = 0
  for (let slot = 0; slot < graph.nEdges; slot++) {
    if (isDead(graph, slot) || isSecondHalf(graph, slot)) continue
    const mirror = graph.mirrors[slot]
    if (isLearned(graph, slot) || (mirror !== NONE && isLearned(graph, mirror))) count++
  }
  return count
}

/** An edge that runs both ways has two slots and is told by its primary one. */
export function isSecondHalf({ flags, mirrors }: Graph, slot: number): boolean {
  return mirrors[slot] !== NONE && (flags[slot] & PRIMARY) === 0
}

/** Sets a slot back to what ingest made. Returns whether there was something to forget. */
export function forget(graph: Graph, slot: number): boolean {
  if (isDead(graph, slot) || !isLearned(graph, slot)) return false
  graph.weights[slot] = graph.ingestWeights[slot]
  graph.strengthened[slot] = 0
  graph.weakened[slot] = 0
  graph.strengthenRun[slot] = 0
  graph.weakenRun[slot] = 0
  graph.marks[slot] = 0
  return true
}
