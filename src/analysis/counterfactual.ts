/** What would be lost if nodes were removed. Nothing is changed: removed nodes are masked. */

import { cascade, type Hit } from '#analysis/cascade'
import { componentsOf, eachNeighbour, reachableWithout } from '#analysis/components'
import { type ContainmentRule, partsOf } from '#analysis/impact'
import type { Skipped } from '#analysis/steps'
import { DEAD_EDGE, degree, type Graph, type NodeId } from '#graph/graph'
import { type NodeValues, poolOf } from '#query/node-values'
import { type RecordedSpread, recordSpread, SPREAD_DEFAULTS, spreadByWavefront } from '#query/spread'
import { spreadWithout } from '#query/spread-without'

const TRIALS = 8
const WEAKENED_ABOVE = 0.5
const LOST_ABOVE = 0.99
const MAX_SYNERGY = 10
/** Edges, and share of activation lost, from which a node carries the architecture. */
const ARCHITECTURAL_DEGREE = 5
const ARCHITECTURAL_LOSS = 0.3

export interface Removal {
  /** The nodes asked for and, with `withParts`, everything inside them. */
  removed: Set<NodeId>
  /** 0..1, over all trials. */
  activationLost: number
  /** Activation lost per trial. */
  totalImpact: number
  trials: number
  /** A node with at least five edges whose removal takes more than 0.3: nothing to be advised for deletion. */
  architectural: boolean
  /** Trials that were possible, of eight. */
  confidence: number
  /** Nodes that keep no neighbour. */
  orphaned: NodeId[]
  /** Nodes that lose more than half of their activation on average, largest loss first. */
  weakened: { node: NodeId; loss: number; lost: boolean }[]
  /** Size of the undirected component of the survivor with the most edges. */
  reachableBefore: number
  reachableAfter: number
  hits: Hit[]
  skipped: Skipped
}

export interface RemovalOptions {
  includeGuesses: boolean
  withParts: boolean
  containment: ContainmentRule
}

/** What spreads from single nodes while nothing is removed, each worked out once; to be released after the question. */
export class Baselines {
  readonly #graph: Graph
  readonly #known = new Map<NodeId, RecordedSpread>()

  constructor(graph: Graph) {
    this.#graph = graph
  }

  from(seed: NodeId): RecordedSpread {
    let recorded = this.#known.get(seed)
    if (recorded === undefined) {
      recorded = recordSpread(this.#graph, seed)
      this.#known.set(seed, recorded)
    }
    return recorded
  }

  release(): void {
    poolOf(this.#graph, this.#graph.nNodes).give(...Array.from(this.#known.values(), (it) => it.values))
    this.#known.clear()
  }
}

export function removal(
  graph: Graph,
  nodes: readonly NodeId[],
  options: RemovalOptions,
  baselines: Baselines = new Baselines(graph),
): Removal {
  const removed = removedSet(graph, nodes, options.withParts)
  const skipped = { guesses: 0, unreachable: 0 }
  const loss = activationLoss(graph, removed, baselines)
  const orphaned = orphans(graph, removed)
  const isOrphan = new Set(orphaned)
  const [reachableBefore, reachableAfter] = reachability(graph, removed)
  return {
    removed,
    activationLost: loss.share,
    totalImpact: loss.trials === 0 ? 0 : loss.total / loss.trials,
    trials: loss.trials,
    architectural: loss.share > ARCHITECTURAL_LOSS && nodes.some((v) => degree(graph, v) >= ARCHITECTURAL_DEGREE),
    confidence: loss.trials / TRIALS,
    orphaned,
    weakened: loss.weakened.filter((it) => !isOrphan.has(it.node)),
    reachableBefore,
    reachableAfter,
    hits: cascade(graph, removed, options, skipped),
    skipped,
  }
}

export interface Synergy {
  /** Share of activation lost when each node is removed alone. */
  individual: { node: NodeId; activationLost: number }[]
  /** What the removal of all costs against the sum of the single ones, at most 10; above 1 they back each other up. */
  factor: number
}

export function synergy(
  graph: Graph,
  nodes: readonly NodeId[],
  combined: number,
  { withParts }: { withParts: boolean },
  baselines: Baselines = new Baselines(graph),
): Synergy {
  const individual = nodes.map((node) => ({
    node,
    activationLost: activationLoss(graph, removedSet(graph, [node], withParts), baselines).share,
  }))
  const parts = individual.map((it) => it.activationLost)
  return { individual, factor: synergyFactor(parts, combined) }
}

export function synergyFactor(individual: readonly number[], combined: number): number {
  const sum = individual.reduce((a, b) => a + b, 0)
  return sum === 0 ? 1 : Math.min(MAX_SYNERGY, combined / sum)
}

function removedSet(graph: Graph, nodes: readonly NodeId[], withParts: boolean): Set<NodeId> {
  const removed = new Set(nodes)
  if (withParts) for (const v of nodes) for (const part of partsOf(graph, v)) removed.add(part)
  return removed
}

interface Loss {
  share: number
  total: number
  trials: number
  weakened: Removal['weakened']
}

/**
 * Spreads from up to eight trial seeds with and without the removed nodes and compares what arrives elsewhere.
 */
function activationLoss(graph: Graph, removed: ReadonlySet<NodeId>, baselines: Baselines): Loss {
  const seeds = trialSeeds(graph, removed)
  const isGone = new Uint8Array(graph.nNodes)
  for (const v of removed) isGone[v] = 1
  let before = 0
  let after = 0
  // per node: sum of its losses, and the trials that reach it
  const losses = new Float64Array(graph.nNodes)
  const reachedBy = new Uint8Array(graph.nNodes)
  const losers: NodeId[] = []

  for (const seed of seeds) {
    const recorded = baselines.from(seed)
    const { values: baseline } = recorded
    // without a removed node among what is reached, the removal changes nothing for this seed
    const touched = reaches(baseline, removed)
    const changed = touched ? spreadWithout(graph, recorded, { nodes: removed, isGone }) : NOTHING
    const anew = changed === null ? spreadMasked(graph, seed, removed) : null
    for (let i = 0; i < baseline.count; i++) {
      const v = baseline.nodes[i]
      if (v === seed || isGone[v] === 1) continue
      const full = baseline.value[v]
      const left = anew === null ? (changed?.get(v) ?? full) : anew.value[v]
      before += full
      after += left
      if (full < SPREAD_DEFAULTS.threshold) continue
      reachedBy[v]++
      if (left >= full) continue
      if (losses[v] === 0) losers.push(v)
      losses[v] += 1 - left / full
    }
    if (anew !== null) poolOf(graph, graph.nNodes).give(anew)
  }

  const weakened: Removal['weakened'] = []
  for (const node of losers) {
    const loss = losses[node] / reachedBy[node]
    if (loss > WEAKENED_ABOVE) weakened.push({ node, loss, lost: loss > LOST_ABOVE })
  }
  weakened.sort((a, b) => b.loss - a.loss || a.node - b.node)
  const share = before === 0 ? 0 : Math.min(1, Math.max(0, 1 - after / before))
  return { share, total: Math.max(0, before - after), trials: seeds.length, weakened }
}

const NOTHING: ReadonlyMap<NodeId, number> = new Map()

function reaches(values: NodeValues, removed: ReadonlySet<NodeId>): boolean {
  for (const v of removed) if (values.value[v] > 0) return true
  return false
}

const views = new WeakMap<Graph, Graph>()

/** What spreads from a seed where every edge of a removed node has weight 0; only the column of weights is its own. */
function spreadMasked(graph: Graph, seed: NodeId, removed: Iterable<NodeId>): NodeValues {
  let masked = views.get(graph)
  if (masked === undefined) {
    masked = { ...graph, weights: new Float32Array(graph.nEdges) }
    views.set(graph, masked)
  }
  const { weights } = masked
  weights.set(graph.weights)
  const { out, in: into } = graph
  for (const v of removed) {
    weights.fill(0, out.offsets[v], out.offsets[v + 1])
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) weights[into.slots[i]] = 0
  }
  return spreadByWavefront(masked, [{ node: seed, relevance: 1 }])
}

/**
 * Seeds spread evenly over the nodes by PageRank. One that is removed gives way to its strongest surviving
 * neighbour (out, then in), else to the next node by PageRank; without any left the trial is dropped.
 */
function trialSeeds(graph: Graph, removed: ReadonlySet<NodeId>): NodeId[] {
  const order = byPageRank(graph)
  const places: number[] = []
  for (let k = 0; k < TRIALS; k++) {
    const place = Math.floor((k * order.length) / TRIALS)
    if (order.length > 0 && places[places.length - 1] !== place) places.push(place)
  }
  const taken = new Set(places.map((place) => order[place]).filter((v) => !removed.has(v)))
  const isFree = (v: NodeId) => !removed.has(v) && !taken.has(v) && graph.dead[v] === 0
  const seeds: NodeId[] = []
  for (const place of places) {
    const v = order[place]
    if (!removed.has(v)) {
      seeds.push(v)
      continue
    }
    const instead = strongestNeighbour(graph, v, isFree) ?? order.subarray(place + 1).find(isFree) ?? order.find(isFree)
    if (instead === undefined) continue
    taken.add(instead)
    seeds.push(instead)
  }
  return seeds
}

function strongestNeighbour(graph: Graph, v: NodeId, isFree: (u: NodeId) => boolean): NodeId | undefined {
  const { out, in: into, weights, flags } = graph
  let best: NodeId | undefined
  let weight = 0
  const offer = (u: NodeId, slot: number) => {
    if (u === v || (flags[slot] & DEAD_EDGE) !== 0 || !isFree(u)) return
    if (weights[slot] > weight || (weights[slot] === weight && best !== undefined && u < best)) {
      best = u
      weight = weights[slot]
    }
  }
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) offer(out.targets[e], e)
  if (best !== undefined) return best
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) offer(into.targets[i], into.slots[i])
  return best
}

const orders = new WeakMap<Graph, Uint32Array>()

/** Connected nodes by PageRank; sorted once per graph, since neither changes. */
function byPageRank(graph: Graph): Uint32Array {
  const known = orders.get(graph)
  if (known !== undefined) return known
  const nodes: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) if (graph.dead[v] === 0 && degree(graph, v) > 0) nodes.push(v)
  nodes.sort((a, b) => graph.pagerank[b] - graph.pagerank[a] || a - b)
  const order = Uint32Array.from(nodes)
  orders.set(graph, order)
  return order
}

function orphans(graph: Graph, removed: ReadonlySet<NodeId>): NodeId[] {
  const isGone = new Uint8Array(graph.nNodes)
  for (const v of removed) isGone[v] = 1
  const seen = isGone.slice()
  const found: NodeId[] = []
  const look = (v: NodeId) => {
    if (seen[v] === 1) return
    seen[v] = 1
    let keepsOne = false
    eachNeighbour(graph, v, (u) => {
      if (isGone[u] === 0) keepsOne = true
    })
    if (!keepsOne) found.push(v)
  }
  for (const v of removed) eachNeighbour(graph, v, look)
  return found.sort((a, b) => a - b)
}

function reachability(graph: Graph, removed: ReadonlySet<NodeId>): [before: number, after: number] {
  let start = -1
  let most = -1
  for (let v = 0; v < graph.nNodes; v++) {
    const edges = degree(graph, v)
    if (edges <= most || graph.dead[v] === 1 || removed.has(v)) continue
    start = v
    most = edges
  }
  if (start === -1) return [0, 0]
  const { of, sizes } = componentsOf(graph)
  return [sizes[of[start]], reachableWithout(graph, start, removed)]
}
