/** What earlier queries and feedback say about the answers to a new one, and boosts given beforehand. */

import { type Graph, keyOf, type NodeId, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { bind, type Kept, type Learned, type Scored, SEEDS_KEPT } from '#plasticity/learned'
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
/** A node that was rejected for the same seeds keeps this part of its score. */
const REJECTED_KEEPS = 0.3
/** Queries after which a verdict counts half. */
const HALF_LIFE = 1000
/** Small memories count as well, since here the signal is not relative to the strongest one. */
const FAINT_DEFAULT = 0.001

/**
 * The boost of each node for a query with these seeds, from memory: at most `strength`, for at most 50 nodes,
 * the seeds left out. Under `literal` the signal counts the remembered queries that share a seed and is relative
 * to the strongest one; under `default` records count by how alike their seeds are, exposure counts little, and
 * a node that was called wrong gets a negative boost, down to -0.7.
 */
export function priming(
  graph: Graph,
  learned: Learned,
  seeds: readonly Scored[],
  { plasticity }: Rates,
  strength = PRIMING,
): Map<NodeId, number> {
  bind(learned, graph)
  const signal = plasticity === 'literal' ? countShared(learned, seeds) : weighAlike(learned, seeds)
  const faint = plasticity === 'literal' ? FAINT : FAINT_DEFAULT
  const strongest = plasticity === 'literal' ? Math.max(0, ...signal.values()) : 1
  const own = new Set(seeds.map((it) => it.node))

  const boosts: Scored[] = []
  for (const [node, value] of signal) {
    if (node === NONE || graph.dead[node] === 1) continue
    if (value > 0) {
      const boost = (strength * Math.min(value, strongest)) / strongest
      if (boost > faint && !own.has(node)) boosts.push({ node, score: boost })
    } else if (value < 0 && plasticity === 'default') {
      boosts.push({ node, score: (1 - REJECTED_KEEPS) * Math.max(-1, value) })
    }
  }
  boosts.sort((a, b) => Math.abs(b.score) - Math.abs(a.score) || a.node - b.node)
  return new Map(boosts.slice(0, PRIMED_MAX).map((it) => [it.node, it.score]))
}

function countShared(learned: Learned, seeds: readonly Scored[]): Map<NodeId, number> {
  const own = new Set(seeds.map((it) => it.node))
  const shares = ({ nodes }: Kept) => nodes.some((v) => own.has(v))
  const signal = new Map<NodeId, number>()
  const add = (node: NodeId, amount: number) => signal.set(node, (signal.get(node) ?? 0) + amount)
  for (const it of learned.memory)
    if (shares(it.seeds)) for (const v of it.activated.nodes) if (!own.has(v)) add(v, SEEN)
  for (const it of learned.verdicts) {
    if (shares(it.seeds)) for (const v of it.about.nodes) if (!own.has(v)) add(v, it.value > 0 ? CONFIRMED : REJECTED)
  }
  return signal
}

function weighAlike(learned: Learned, seeds: readonly Scored[]): Map<NodeId, number> {
  const alike = likenessTo(seeds.slice(0, SEEDS_KEPT))
  const said = new Map<NodeId, number>()
  const seen = new Map<NodeId, number>()
  for (const it of learned.verdicts) {
    const likeness = alike(it.seeds)
    if (likeness < ALIKE) continue
    const weight = likeness * it.value * 0.5 ** ((learned.queryNumber - it.query) / HALF_LIFE)
    for (const v of it.about.nodes) said.set(v, (said.get(v) ?? 0) + weight)
  }
  for (const it of learned.memory) {
    const likeness = alike(it.seeds)
    if (likeness >= ALIKE) for (const v of it.activated.nodes) seen.set(v, (seen.get(v) ?? 0) + likeness)
  }

  for (const [v, amount] of seen) {
    const verdict = said.get(v) ?? 0
    if (verdict >= 0) said.set(v, verdict + SEEN_MAX * (1 - Math.exp(-amount / SEEN_SLOPE)))
  }
  return said
}

/** How alike the seeds of two queries are, 0..1: shared relevance over joint relevance. */
function likenessTo(seeds: readonly Scored[]): (other: Kept) => number {
  const relevance = new Map(seeds.map((it) => [it.node, it.score]))
  let own = 0
  for (const score of relevance.values()) own += score
  return ({ nodes, scores }) => {
    let shared = 0
    let total = own
    nodes.forEach((v, i) => {
      const both = Math.min(relevance.get(v) ?? 0, scores[i])
      shared += both
      total += scores[i] - both
    })
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

/** Boosts from warmup or a trail together with those from memory: the stronger one counts, a rejection is added. */
export function mergeBoosts(
  given: ReadonlyMap<NodeId, number>,
  primed: ReadonlyMap<NodeId, number>,
): Map<NodeId, number> {
  const merged = new Map(given)
  for (const [v, boost] of primed) {
    const before = merged.get(v) ?? 0
    merged.set(v, boost < 0 ? before + boost : Math.max(before, boost))
  }
  return merged
}
