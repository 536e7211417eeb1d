/** What earlier queries and feedback say about the answers to a new one, and boosts given beforehand. */

import { type Graph, keyOf, type NodeId, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { bind, type Kept, type Learned, type Scored, SEEDS_KEPT } from '#plasticity/learned'
import { subtrees } from '#plasticity/region'
import type { Rates } from '#plasticity/weights'

/** The boost that the strongest memory gives at an `activate`. */
export const PRIMING = 0.05
const PRIMED_MAX = 50
/** A weaker boost is no boost. */
export const FAINT = 0.01

// `literal`: what a record says about each of its nodes
const SEEN = 1
const CONFIRMED = 2
const REJECTED = -1

// `default`
/** Records whose seeds are less alike than this are about something else. */
const ALIKE = 0.2
/** All exposures together say at most this much … */
const SEEN_MAX = 0.3
/** … and nearly reach it after some tens, so that one feedback outweighs ten of them. */
const SEEN_SLOPE = 10
/** Small memories count as well, since here the signal is not relative to the strongest one. */
const FAINT_DEFAULT = 0.001
/** Queries after which a verdict counts half. */
const HALF_LIFE = 1000
/** What a verdict about the very same question adds to a score, or takes from it. */
const CONFIRMED_GAIN = 0.3
const REJECTED_LOSS = 0.7

/**
 * The boost of each node for a query with these seeds, from memory: at most `strength`, for at most 50 nodes,
 * the seeds left out. Under `literal` the signal counts the remembered queries that share a seed and is relative
 * to the strongest one; under `default` records count by how alike their seeds are, and exposure counts little.
 */
export function priming(
  graph: Graph,
  learned: Learned,
  seeds: readonly Scored[],
  { plasticity }: Rates,
  strength = PRIMING,
): Map<NodeId, number> {
  bind(learned, graph)
  const literal = plasticity === 'literal'
  const signal = literal ? countShared(graph, learned, seeds) : weighAlike(graph, learned, seeds)
  const strongest = literal ? Math.max(0, ...signal.values()) : 1
  const own = new Set(seeds.map((it) => it.node))

  const boosts: Scored[] = []
  for (const [node, value] of signal) {
    if (node === NONE || graph.dead[node] === 1 || own.has(node) || value <= 0) continue
    const boost = (strength * Math.min(value, strongest)) / strongest
    if (boost > (literal ? FAINT : FAINT_DEFAULT)) boosts.push({ node, score: boost })
  }
  boosts.sort((a, b) => b.score - a.score || a.node - b.node)
  return new Map(boosts.slice(0, PRIMED_MAX).map((it) => [it.node, it.score]))
}

/**
 * Under `default`, what was said about answers to questions like the one with these seeds: between +0.3 of the
 * score for a node that was called right and -0.7 for one that was called wrong, seeds included. It fades with
 * the likeness of the questions and with age. Under `literal` verdicts only count for priming.
 */
export function verdicts(
  graph: Graph,
  learned: Learned,
  seeds: readonly Scored[],
  { plasticity }: Rates,
): Map<NodeId, number> {
  bind(learned, graph)
  const boosts = new Map<NodeId, number>()
  if (plasticity === 'literal') return boosts
  for (const [v, value] of sumVerdicts(graph, learned, likenessTo(graph, seeds))) {
    if (v === NONE || graph.dead[v] === 1) continue
    const boost = value * (value > 0 ? CONFIRMED_GAIN : REJECTED_LOSS)
    if (Math.abs(boost) > FAINT) boosts.set(v, boost)
  }
  return boosts
}

function countShared(graph: Graph, learned: Learned, seeds: readonly Scored[]): Map<NodeId, number> {
  const own = new Uint8Array(graph.nNodes)
  for (const { node } of seeds) own[node] = 1
  const shares = ({ nodes }: Kept) => {
    for (let i = 0; i < nodes.length; i++) if (own[nodes[i]] === 1) return true
    return false
  }
  const signal = new Map<NodeId, number>()
  for (const it of learned.memory) if (shares(it.seeds)) for (const v of it.activated.nodes) add(signal, v, SEEN)
  for (const it of learned.verdicts) {
    if (shares(it.seeds)) for (const v of it.about.nodes) add(signal, v, it.value > 0 ? CONFIRMED : REJECTED)
  }
  // relative to the strongest node that is no seed
  for (const { node } of seeds) signal.delete(node)
  signal.delete(NONE)
  return signal
}

function weighAlike(graph: Graph, learned: Learned, seeds: readonly Scored[]): Map<NodeId, number> {
  const alike = likenessTo(graph, seeds)
  const signal = sumVerdicts(graph, learned, alike)
  const seen = new Map<NodeId, number>()
  for (const it of learned.memory) {
    const likeness = alike(it.seeds)
    if (likeness >= ALIKE) for (const v of it.activated.nodes) add(seen, v, likeness)
  }
  for (const [v, amount] of seen) {
    if ((signal.get(v) ?? 0) >= 0) add(signal, v, SEEN_MAX * (1 - Math.exp(-amount / SEEN_SLOPE)))
  }
  return signal
}

/**
 * Per node the sum of the verdicts on alike questions, the older the less. However many there are, they say no
 * more about this question than the most alike one could. What was called wrong includes all that it contains.
 */
function sumVerdicts(graph: Graph, learned: Learned, alike: (seeds: Kept) => number): Map<NodeId, number> {
  const sums = new Map<NodeId, number>()
  const most = new Map<NodeId, number>()
  for (const { seeds, about, value, query } of learned.verdicts) {
    const likeness = alike(seeds)
    if (likeness < ALIKE) continue
    const known = [...about.nodes].filter((v) => v !== NONE)
    const weight = likeness * 0.5 ** ((learned.queryNumber - query) / HALF_LIFE)
    for (const v of value < 0 ? subtrees(graph, known).nodes : known) {
      add(sums, v, weight * value)
      most.set(v, Math.max(weight, most.get(v) ?? 0))
    }
  }
  for (const [v, sum] of sums) {
    const bound = most.get(v) ?? 0
    sums.set(v, Math.min(bound, Math.max(-bound, sum)))
  }
  return sums
}

function add(sums: Map<NodeId, number>, v: NodeId, amount: number): void {
  sums.set(v, (sums.get(v) ?? 0) + amount)
}

/** How alike the seeds of two queries are, 0..1: shared relevance over joint relevance of the strongest. */
function likenessTo(graph: Graph, seeds: readonly Scored[]): (other: Kept) => number {
  // by node, since every record of the memory is compared
  const relevance = new Float32Array(graph.nNodes)
  for (const { node, score } of seeds.slice(0, SEEDS_KEPT)) relevance[node] = score
  let own = 0
  for (const { score } of seeds.slice(0, SEEDS_KEPT)) own += score
  return ({ nodes, scores }) => {
    let shared = 0
    let total = own
    for (let i = 0; i < nodes.length; i++) {
      const both = nodes[i] < relevance.length ? Math.min(relevance[nodes[i]], scores[i]) : 0
      shared += both
      total += scores[i] - both
    }
    return total > 0 ? shared / total : 0
  }
}

/** Each later processed query leaves this part of a boost. */
const BOOST_KEEPS = 0.9

/** Primes nodes; a node that has a stronger boost keeps it. `processed` is the number of queries processed so far. */
export function addBoosts(
  graph: Graph,
  learned: Learned,
  boosts: Iterable<readonly [NodeId, number]>,
  processed: number,
): void {
  for (const [v, boost] of boosts) {
    const key = keyOf(graph, v)
    const before = learned.boosts.get(key)
    if (before !== undefined && faded(before, processed) >= boost) continue
    learned.boosts.set(key, { boost, since: processed })
  }
}

/** The boosts that are left after `processed` queries, by node; those under 0.01 have vanished. */
export function currentBoosts(graph: Graph, learned: Learned, processed: number): Map<NodeId, number> {
  const current = new Map<NodeId, number>()
  for (const [key, given] of learned.boosts) {
    const boost = faded(given, processed)
    const v = nodeByKey(graph, key)
    if (boost >= FAINT && v !== NONE) current.set(v, boost)
  }
  return current
}

/** Removes boosts that have vanished. */
export function dropFaded(learned: Learned, processed: number): void {
  for (const [key, given] of learned.boosts) if (faded(given, processed) < FAINT) learned.boosts.delete(key)
}

function faded({ boost, since }: { boost: number; since: number }, processed: number): number {
  return boost * BOOST_KEEPS ** Math.max(0, processed - since)
}

/** Two kinds of boosts together: of two the stronger counts, a loss is added. */
export function mergeBoosts(
  given: ReadonlyMap<NodeId, number>,
  more: ReadonlyMap<NodeId, number>,
): Map<NodeId, number> {
  const merged = new Map(given)
  for (const [v, boost] of more) {
    const before = merged.get(v) ?? 0
    merged.set(v, boost < 0 ? before + boost : Math.max(before, boost))
  }
  return merged
}
