/** Blast radius: what may be affected when a node changes, or what it relies on itself. */

import {
  CONTAINMENT,
  eachInfluence,
  INHERITANCE,
  Kinds,
  leadsToPart,
  NAMED_BY_FILE,
  type Skipped,
  TESTS,
} from '#analysis/steps'
import { DIRECTORY, FILE, type Graph, type NodeId, NONE } from '#graph/graph'
import { childrenOf } from '#graph/lookup'

/** What is left of a signal after one hop over an edge of weight 1. */
const HOP_DECAY = 0.55
const MIN_SIGNAL = 0.01
/** Distances are counted in half hops: a step between a whole and its part costs one, any other two. */
const HALF_HOP = 1
const WHOLE_HOP = 2

/**
 * Which way a walk may go between wholes and their parts. `parts`: down only inside the node asked for (a
 * change of a class is a change of its methods), up from an affected part to its classes and file, and from
 * there only to subtypes and tests. `both`: freely, also through directories, which reaches all siblings.
 */
export type ContainmentRule = 'parts' | 'both'

export interface ImpactOptions {
  /** `forward`: who may be affected. `reverse`: what the node relies on. `both`: the union, the larger signal wins. */
  direction: 'forward' | 'reverse' | 'both'
  /** Hops, 1 to 5. */
  depth: number
  includeGuesses: boolean
  containment: ContainmentRule
  /** Breaks ties between equal signals. */
  boosts?: ReadonlyMap<NodeId, number>
}

export interface Affected {
  node: NodeId
  /** 0..1 */
  signal: number
  hops: number
  /** The node and the slot by which the strongest signal arrived. */
  from: NodeId
  slot: number
  along: boolean
}

export interface Impact {
  /** Sorted by signal; without the node itself and, under `parts`, without its parts and wholes. */
  affected: Affected[]
  /** Those parts and wholes that were reached: a change goes on through them. */
  between: Affected[]
  /** Sum of all signals. */
  totalEnergy: number
  maxHops: number
  /** Nodes inside the one asked for, whose edges count as its own. */
  parts: NodeId[]
  skipped: Skipped
  /** Edges of the node and its parts that were too light to pass a signal of 0.01 on; learning can make them so. */
  faint: number
}

/**
 * Spreads from `source` over edges of influence: each step passes signal · weight · 0.55, starting from 1;
 * a node keeps the strongest arrival of at least 0.01. Under `parts` a change of a folder is one of each file in it.
 */
export function impact(graph: Graph, source: NodeId, options: ImpactOptions): Impact {
  const { direction, boosts } = options
  const skipped = { guesses: 0, unreachable: 0 }
  const parts = options.containment === 'parts' ? partsOf(graph, source) : []
  const hidden = new Uint8Array(graph.nNodes)
  if (options.containment === 'parts') for (const v of [...parts, ...wholesOf(graph, source)]) hidden[v] = 1

  const walks: Walk[] = []
  if (direction !== 'reverse') walks.push(spreadInfluence(graph, source, parts, 'dependents', options, skipped))
  if (direction !== 'forward') walks.push(spreadInfluence(graph, source, parts, 'dependencies', options, skipped))

  // by node, the strongest of its states in any walk
  const signals = new Float64Array(graph.nNodes)
  const stateOf = new Uint32Array(graph.nNodes)
  const walkOf = new Uint8Array(graph.nNodes)
  const nodes: NodeId[] = []
  for (const [w, { reached, strongest }] of walks.entries()) {
    for (const state of reached) {
      const v = state >>> 1
      // the stronger of its two states stands for a node
      if (v === source || strongest[state ^ 1] > strongest[state] || strongest[state] <= signals[v]) continue
      if (signals[v] === 0) nodes.push(v)
      signals[v] = strongest[state]
      stateOf[v] = state
      walkOf[v] = w
    }
  }

  const rowOf = (node: NodeId): Affected => {
    const state = stateOf[node]
    const { distances, from, slots } = walks[walkOf[node]]
    const hops = Math.max(1, Math.floor(distances[state] / WHOLE_HOP))
    const slot = slots[state]
    return { node, signal: signals[node], hops, from: from[state], slot, along: graph.out.targets[slot] === node }
  }
  const between = nodes.filter((v) => hidden[v] === 1).map(rowOf)
  const affected = strongestFirst(
    nodes.filter((v) => hidden[v] === 0),
    signals,
    boosts,
  ).map(rowOf)
  let totalEnergy = 0
  let maxHops = 0
  for (const it of affected) {
    totalEnergy += it.signal
    maxHops = Math.max(maxHops, it.hops)
  }
  const faint = walks.reduce((sum, it) => sum + it.faint, 0)
  return { affected, between, totalEnergy, maxHops, parts, skipped, faint }
}

/**
 * By signal, equal ones by boost, then by node. Many nodes share few signals: they are counted by signal, which takes a
 * tenth of the time of comparing them one with the other.
 */
function strongestFirst(nodes: NodeId[], signals: Float64Array, boosts: ImpactOptions['boosts']): NodeId[] {
  const groups = new Map<number, NodeId[]>()
  for (const v of Uint32Array.from(nodes).sort()) {
    const group = groups.get(signals[v])
    if (group === undefined) groups.set(signals[v], [v])
    else group.push(v)
  }
  const boost = (v: NodeId) => boosts?.get(v) ?? 0
  const sorted: NodeId[] = []
  for (const signal of new Float64Array(groups.keys()).sort().reverse()) {
    const group = groups.get(signal) ?? []
    if (group.some((v) => boost(v) !== 0)) group.sort((a, b) => boost(b) - boost(a) || a - b)
    for (const v of group) sorted.push(v)
  }
  return sorted
}

/** What a reach leaves out because of its weights, for its completeness. */
export function faintReasons({ faint }: Impact): string[] {
  const edges = faint === 1 ? '1 edge' : `${faint} edges`
  return faint === 0 ? [] : [`${edges} of weights too small for a signal of ${MIN_SIGNAL} not followed`]
}

/** Everything inside a node, nearest first. */
export function partsOf(graph: Graph, source: NodeId): NodeId[] {
  const parts = [...childrenOf(graph, source)]
  const seen = new Set([source, ...parts])
  for (let i = 0; i < parts.length; i++) {
    for (const u of childrenOf(graph, parts[i])) {
      if (seen.has(u)) continue
      seen.add(u)
      parts.push(u)
    }
  }
  return parts
}

export function wholesOf(graph: Graph, source: NodeId): NodeId[] {
  const wholes: NodeId[] = []
  for (let u = graph.parents[source]; u !== NONE && !wholes.includes(u); u = graph.parents[u]) wholes.push(u)
  return wholes
}

/** What one walk reached, by state: twice the node, plus one when it is reached only because a part of it is affected. */
interface Walk {
  /** States in order of first arrival. */
  reached: number[]
  strongest: Float64Array
  /** How the strongest arrival came: half hops, the node before, the slot. */
  distances: Uint8Array
  from: Uint32Array
  slots: Uint32Array
  faint: number
}

/** What arrives at one distance, as parallel lists. */
class Arrivals {
  readonly states: number[] = []
  readonly signals: number[] = []
  readonly from: NodeId[] = []
  readonly slots: number[] = []

  add(state: number, signal: number, from: NodeId, slot: number): void {
    this.states.push(state)
    this.signals.push(signal)
    this.from.push(from)
    this.slots.push(slot)
  }
}

/**
 * Distance by distance. A weaker arrival at the same or a larger distance can never matter, so a node passes
 * on only what rose, and what remains is the maximum over all walks within the limit.
 */
function spreadInfluence(
  graph: Graph,
  source: NodeId,
  parts: readonly NodeId[],
  direction: 'dependents' | 'dependencies',
  { depth, includeGuesses, containment }: ImpactOptions,
  skipped: Skipped,
): Walk {
  const { nNodes, weights, types } = graph
  const kinds = new Kinds(graph)
  const freely = containment === 'both'
  const own = new Uint8Array(nNodes)
  own[source] = 1
  for (const v of parts) own[v] = 1
  const limit = depth * WHOLE_HOP
  const waiting = Array.from({ length: limit + 1 }, () => new Arrivals())
  const uncounted = { guesses: 0, unreachable: 0 }
  const strongest = new Float64Array(2 * nNodes)
  const passedOn = new Uint8Array(nNodes)
  // how the strongest arrival at a state came
  const distances = new Uint8Array(2 * nNodes)
  const from = new Uint32Array(2 * nNodes)
  const slots = new Uint32Array(2 * nNodes)
  const reached: number[] = []

  const risenAt = new Uint8Array(2 * nNodes)
  let faint = 0

  strongest[2 * source] = 1
  passOn(2 * source, 0)
  for (let distance = 0; distance <= limit; distance++) {
    const arrivals = waiting[distance]
    const risen: number[] = []
    for (let i = 0; i < arrivals.states.length; i++) {
      const state = arrivals.states[i]
      const signal = arrivals.signals[i]
      if (signal <= strongest[state] || signal <= strongest[state & ~1]) continue
      if (strongest[state] === 0) reached.push(state)
      strongest[state] = signal
      distances[state] = distance
      from[state] = arrivals.from[i]
      slots[state] = arrivals.slots[i]
      // what is in a folder stands at no distance from it, and adds to what is just being read
      if (distance === 0) passOn(state, distance)
      else if (risenAt[state] !== distance) {
        risen.push(state)
        risenAt[state] = distance
      }
    }
    if (distance < limit) for (const state of risen) passOn(state, distance)
  }
  return { reached, strongest, distances, from, slots, faint }

  function passOn(state: number, distance: number): void {
    const v = state >>> 1
    const isPartly = (state & 1) === 1
    const signal = strongest[state]
    const count = passedOn[v] === 1 ? uncounted : skipped
    passedOn[v] = 1
    eachInfluence(graph, kinds, v, { direction, includeGuesses }, count, (u, slot, kind, along) => {
      const contains = (kind & CONTAINMENT) !== 0
      let at = distance + (contains ? HALF_HOP : WHOLE_HOP)
      let passed = Math.min(1, signal * weights[slot] * HOP_DECAY)
      // most edges end here
      if (!contains) {
        if (passed < MIN_SIGNAL && own[v] === 1 && own[u] === 0) faint++
        if (at > limit || passed < MIN_SIGNAL || passed <= strongest[2 * u]) return
      }
      const toPart = contains && leadsToPart(graph, slot, kind) === along
      if (toPart && !freely && types[v] === DIRECTORY) {
        at = distance
        passed = signal
      }
      if (at > limit || passed < MIN_SIGNAL || passed <= strongest[2 * u]) return
      let next = 2 * u
      if (!freely) {
        if (toPart) {
          if (own[u] === 0) return
        } else if (contains) {
          if (types[v] === FILE || types[u] === DIRECTORY) return
          next += 1
        } else if (isPartly && (kind & (INHERITANCE | TESTS)) === 0) return
        else if (!along && (kind & NAMED_BY_FILE) !== 0) next += 1
      }
      if (passed > strongest[next]) waiting[at].add(next, passed, v, slot)
    })
  }
}
