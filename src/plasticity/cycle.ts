/** What a processed query does to the weights of the graph. */

import { type Graph, INHIBITORY, type NodeId } from '#graph/graph'
import { bind, type Learned, type Occasion, remember, type Scored } from '#plasticity/learned'
import { decayIdle, EPSILON, highest, isDead, normalize, type Rates, strengthen } from '#plasticity/weights'

export interface Processed extends Occasion {
  /** The strongest first. */
  seeds: readonly Scored[]
  /** The ranking as it was returned. */
  ranked: readonly Scored[]
}

export interface CycleCounts {
  edges_strengthened: number
  edges_decayed: number
  ltp_events: number
  ltd_events: number
  homeostatic_rescales: number
}

/** Under `default` being shown together counts a tenth of the learning rate … */
const EXPOSURE = 0.1
/** … and never lifts an edge further than this above ingest, so that no number of exposures beats one feedback. */
const EXPOSURE_MAX = 1.05
/**
 * Under `default` the share of `decayRate` by which what was learned relaxes at each idle query: with the default
 * rate of 0.005 half of it is left after 1000 queries.
 */
const RELAXATION = (1 - 0.5 ** (1 / 1000)) / 0.005
/** Less than this is forgotten altogether: smaller steps would drown in the rounding of 32-bit weights. */
const FORGOTTEN = 1e-3

/**
 * The learning cycle after a query: edges between returned nodes grow, idle ones decay (`literal`) or relax
 * towards their ingest weight (`default`), runs of five bring a bonus or a penalty, sums of in-edges are kept
 * under their ceiling, and the query is remembered. `policies.md` has the reasons and the figures.
 */
export function learnFromQuery(graph: Graph, learned: Learned, query: Processed, rates: Rates): CycleCounts {
  const bound = bind(learned, graph)
  learned.queryNumber++
  const ranked = query.ranked.map(({ node, score }) => ({ node, score: Math.min(1, Math.max(0, score)) }))

  // activation by node, -1 where idle
  const active = new Float64Array(graph.nNodes).fill(-1)
  for (const { node, score } of ranked) active[node] = score

  const literal = rates.plasticity === 'literal'
  const grown = literal
    ? fireTogether(graph, ranked, active, rates, learned.queryNumber)
    : expose(graph, ranked, active, rates, learned.queryNumber)
  let decayed = 0
  let depressed = 0
  if (literal) {
    ;({ decayed, depressed } = decayIdle(
      graph,
      ranked.map((it) => it.node),
      rates,
    ))
  } else {
    for (const [slot, source] of grown.slots) bound.changed.set(slot, source)
    decayed = relax(graph, bound.changed, active, rates.decayRate * RELAXATION)
  }

  // only sums with an edge that grew can have passed their ceiling, once all were checked
  const all = literal && !bound.normalized
  const touched = all ? allNodes(graph) : new Set(grown.slots.map(([slot]) => graph.out.targets[slot]))
  bound.normalized ||= all
  const rescaled = normalize(graph, touched, rates)

  remember(graph, learned, query, query.seeds, ranked)
  return {
    edges_strengthened: grown.slots.length,
    edges_decayed: decayed,
    ltp_events: grown.bonuses,
    ltd_events: depressed,
    homeostatic_rescales: rescaled,
  }
}

interface Grown {
  /** Slots with their sources. */
  slots: [number, NodeId][]
  bonuses: number
}

/** Nodes that are active together: each edge between them grows by rate · activation · activation. */
function fireTogether(
  graph: Graph,
  ranked: readonly Scored[],
  active: Float64Array,
  rates: Rates,
  query: number,
): Grown {
  const { offsets, targets } = graph.out
  const slots: [number, NodeId][] = []
  let bonuses = 0
  for (const { node: v, score } of ranked) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const other = active[targets[e]]
      if (other < 0 || isDead(graph, e)) continue
      if (strengthen(graph, e, rates.learningRate * score * other, rates, query)) bonuses++
      slots.push([e, v])
    }
  }
  return { slots, bonuses }
}

/** As `fireTogether`, but little, bounded, and without counting towards a bonus: being shown is not being right. */
function expose(graph: Graph, ranked: readonly Scored[], active: Float64Array, rates: Rates, query: number): Grown {
  const { weights, ingestWeights, strengthened, lastUsed, flags } = graph
  const { offsets, targets } = graph.out
  const slots: [number, NodeId][] = []
  for (const { node: v, score } of ranked) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const other = active[targets[e]]
      if (other < 0 || isDead(graph, e) || (flags[e] & INHIBITORY) !== 0) continue
      const before = weights[e]
      const most = Math.min(ingestWeights[e] * EXPOSURE_MAX, highest(ingestWeights[e], rates))
      const after = Math.min(before + exposure(rates.learningRate, score, other), most)
      // what feedback raised further is left alone, and so is what it lowered: only time softens a "wrong"
      if (after - before <= EPSILON || before < ingestWeights[e] - EPSILON) continue
      weights[e] = after
      strengthened[e]++
      lastUsed[e] = query
      slots.push([e, v])
    }
  }
  return { slots, bonuses: 0 }
}

/** What one query adds to an edge between two nodes that it returned, under `default`. */
export function exposure(learningRate: number, source: number, target: number): number {
  return learningRate * EXPOSURE * source * target
}

/** Moves changed weights with an idle source a share of the way back to ingest; drops what has arrived. */
function relax(graph: Graph, changed: Map<number, NodeId>, active: Float64Array, share: number): number {
  const { weights, ingestWeights } = graph
  let moved = 0
  for (const [slot, source] of changed) {
    if (active[source] >= 0) continue
    const gap = weights[slot] - ingestWeights[slot]
    if (Math.abs(gap) < FORGOTTEN) {
      weights[slot] = ingestWeights[slot]
      changed.delete(slot)
      continue
    }
    weights[slot] = ingestWeights[slot] + gap * (1 - share)
    if (Math.abs(gap) * share > EPSILON) moved++
  }
  return moved
}

function* allNodes(graph: Graph): Generator<NodeId> {
  for (let v = 0; v < graph.nNodes; v++) yield v
}
