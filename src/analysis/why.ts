/** How two nodes are connected: simple paths, strongest first. */

import {
  CONTAINMENT,
  eachInfluence,
  isProof,
  Kinds,
  leadsToPart,
  REVERSE,
  type Skipped,
  stepName,
} from '#analysis/steps'
import { DEAD_EDGE, type Graph, GUESS, INHIBITORY, type NodeId, PRIMARY, UNREACHABLE } from '#graph/graph'
import { Heap } from '#std/heap'

const EXPANSIONS = 10_000
/** Neighbours looked at by the search; a crowded node costs more than one expansion should. */
const LOOKS = 20_000
const SHOWN = 50
/** Neighbours looked at to learn the best ways to the target, once the source is reached. */
const FURTHER_LOOKS = 5000
/** Neighbours looked at from the target before the source is reached; a rougher bound is cheaper than a long way. */
const TOWARDS_LOOKS = 40_000
/** Hops in which common dependents are looked for. */
const DEPENDENT_HOPS = 3

export interface WhyOptions {
  /** 1 to 20. */
  maxHops: number
  includeGuesses: boolean
  /** Breaks ties between equally strong and long paths. */
  boosts?: ReadonlyMap<NodeId, number>
}

export interface Path {
  nodes: NodeId[]
  /** As read along the path: `imports`, or `imported_by` when the edge runs the other way. */
  relations: string[]
  slots: number[]
  /** Product of the weights, each at most 1. */
  strength: number
  /** Every step is stated in the code: none is only seen in history, guessed or a matter of place. */
  proof: boolean
  dependence: Dependence
}

/**
 * What a path proves. One end depends on the other when the path goes down into parts, then along
 * dependencies, then up to wholes; a path that merely meets somewhere relates them, no more.
 */
export type Dependence = 'source_on_target' | 'target_on_source' | 'none'

export interface Connection {
  /** At most 50, by strength, then hops, then node ids. */
  paths: Path[]
  total: number
  /** The limit of expansions ended the search, so that there may be more; never when there is none. */
  exhausted: boolean
  /** Nodes that were expanded. */
  explored: number
  /** Edges at either end that no path may use. */
  skipped: Skipped
}

/**
 * Best-first over neighbours in either direction. Between two neighbours the strongest edge that is proof
 * counts, else the strongest. The queue is ordered by the strength so far times the best strength that is
 * still possible, found beforehand from the target, so that the search runs towards it.
 */
export function why(
  graph: Graph,
  source: NodeId,
  target: NodeId,
  { maxHops, includeGuesses, boosts }: WhyOptions,
): Connection {
  const skipped = skippedAt(graph, source, target, includeGuesses)
  if (source === target) {
    const self: Path = { nodes: [source], relations: [], slots: [], strength: 1, proof: true, dependence: 'none' }
    return { paths: [self], total: 1, exhausted: false, explored: 0, skipped }
  }
  const kinds = new Kinds(graph)
  const neighbours = new Neighbours(graph, kinds, includeGuesses)
  const possible = bestTowards(graph, target, source, includeGuesses)

  // states of the search as parallel lists; each knows the state before it
  const nodes: NodeId[] = []
  const before: number[] = []
  const slots: number[] = []
  const strengths: number[] = []
  const hops: number[] = []
  const queue = new Heap(1024)
  extend(-1, source, -1, 1)
  queue.push(0, possible(source))

  const paths: Path[] = []
  let expansions = 0
  let looks = 0
  while (queue.size > 0 && expansions < EXPANSIONS && looks < LOOKS) {
    const at = queue.pop()
    if (nodes[at] === target) {
      paths.push(readPath(at))
      continue
    }
    expansions++
    neighbours.load(nodes[at])
    looks += neighbours.count
    for (let i = 0; i < neighbours.count; i++) {
      const u = neighbours.nodes[i]
      if (u !== target && (hops[at] + 1 === maxHops || isOnPath(at, u))) continue
      const strength = strengths[at] * neighbours.weightTo(u)
      const bound = strength * possible(u)
      if (bound <= 0) continue
      extend(at, u, neighbours.slotTo(u), strength)
      queue.push(nodes.length - 1, bound)
    }
  }

  // what ties the two directly says most about them, however weak, and the search may end before it
  if (!paths.some((it) => it.nodes.length === 2)) {
    neighbours.load(source)
    const slot = neighbours.nodes.includes(target) ? neighbours.slotTo(target) : -1
    if (slot >= 0 && isProof(graph, kinds, slot))
      paths.push(readPath(extend(0, target, slot, neighbours.weightTo(target))))
  }

  // the strongest ways may all be too long; the shortest one decides whether there is any
  if (paths.length === 0 && queue.size > 0) {
    const end = shortest()
    if (end !== -1) paths.push(readPath(end))
  }

  // without any path the search for the shortest one has looked at all
  const exhausted = queue.size > 0 && paths.length > 0
  const boost = (path: Path) => path.nodes.reduce((sum, v) => sum + (boosts?.get(v) ?? 0), 0)
  paths.sort(
    (a, b) => b.strength - a.strength || a.nodes.length - b.nodes.length || boost(b) - boost(a) || compareNodes(a, b),
  )
  return { paths: firstPaths(paths, SHOWN), total: paths.length, exhausted, explored: expansions, skipped }

  /**
   * The state at the end of a path with the fewest hops, -1 when there is none short enough. Two searches, of
   * which the narrower one goes on, meet in the middle.
   */
  function shortest(): number {
    const stateOf = new Map([[source, extend(-1, source, -1, 1)]])
    const onward = new Map<NodeId, { next: NodeId; slot: number }>([[target, { next: target, slot: -1 }]])
    let front = [source]
    let back = [target]
    for (let hop = 0; hop < maxHops && front.length > 0 && back.length > 0; hop++) {
      const isForward = front.length <= back.length
      const next: NodeId[] = []
      for (const v of isForward ? front : back) {
        neighbours.load(v)
        for (const u of neighbours.nodes) {
          const slot = neighbours.slotTo(u)
          if (isForward ? stateOf.has(u) : onward.has(u)) continue
          const from = stateOf.get(v)
          if (!isForward) onward.set(u, { next: v, slot })
          else if (from !== undefined) stateOf.set(u, extend(from, u, slot, strengths[from] * neighbours.weightTo(u)))
          if (isForward ? onward.has(u) : stateOf.has(u)) return join(u)
          next.push(u)
        }
      }
      if (isForward) front = next
      else back = next
    }
    return -1

    function join(meeting: NodeId): number {
      let state = stateOf.get(meeting) ?? -1
      for (let step = onward.get(meeting); step !== undefined && step.slot !== -1; step = onward.get(step.next)) {
        state = extend(state, step.next, step.slot, strengths[state] * Math.min(1, graph.weights[step.slot]))
      }
      return state
    }
  }

  function extend(at: number, u: NodeId, slot: number, strength: number): number {
    nodes.push(u)
    before.push(at)
    slots.push(slot)
    strengths.push(strength)
    hops.push(at === -1 ? 0 : hops[at] + 1)
    return nodes.length - 1
  }

  function isOnPath(state: number, u: NodeId): boolean {
    for (let i = state; i !== -1; i = before[i]) if (nodes[i] === u) return true
    return false
  }

  function readPath(end: number): Path {
    const path: Path = {
      nodes: [],
      relations: [],
      slots: [],
      strength: strengths[end],
      proof: true,
      dependence: 'none',
    }
    for (let i = end; i !== -1; i = before[i]) {
      path.nodes.unshift(nodes[i])
      if (before[i] === -1) continue
      const slot = slots[i]
      path.slots.unshift(slot)
      path.relations.unshift(stepName(graph, slot, graph.out.targets[slot] === nodes[i]))
      path.proof &&= isProof(graph, kinds, slot)
    }
    if (path.proof) path.dependence = dependenceOf(graph, kinds, path)
    return path
  }
}

/** The first paths of a list; one by a direct edge of the code is among them, as the last where it comes later. */
export function firstPaths(paths: readonly Path[], count: number): Path[] {
  const direct = paths.findIndex((it) => it.nodes.length === 2 && it.proof)
  return direct < count ? paths.slice(0, count) : [...paths.slice(0, count - 1), paths[direct]]
}

const DOWN = 'd'
const UP = 'u'
const DEPENDS = '>'
const DEPENDED_ON = '<'

function dependenceOf(graph: Graph, kinds: Kinds, { nodes, slots }: Path): Dependence {
  const steps = slots.map((slot, i) => {
    const kind = kinds.of(slot)
    const along = graph.out.targets[slot] === nodes[i + 1]
    if ((kind & CONTAINMENT) !== 0) return leadsToPart(graph, slot, kind) === along ? DOWN : UP
    // the mirrored half of a pair says the same as its primary half
    const forth = ((graph.flags[slot] & PRIMARY) !== 0) === along
    return ((kind & REVERSE) !== 0) === forth ? DEPENDS : DEPENDED_ON
  })
  const shape = steps.join('')
  if (/^d*>+u*$/.test(shape)) return 'source_on_target'
  return /^d*<+u*$/.test(shape) ? 'target_on_source' : 'none'
}

function compareNodes(a: Path, b: Path): number {
  for (let i = 0; i < a.nodes.length; i++) if (a.nodes[i] !== b.nodes[i]) return a.nodes[i] - b.nodes[i]
  return 0
}

function skippedAt(graph: Graph, source: NodeId, target: NodeId, includeGuesses: boolean): Skipped {
  const { out, in: into, tiers, flags } = graph
  const slots = new Set<number>()
  for (const v of [source, target]) {
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) slots.add(e)
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) slots.add(into.slots[i])
  }
  const skipped = { guesses: 0, unreachable: 0 }
  for (const e of slots) {
    if ((flags[e] & (DEAD_EDGE | INHIBITORY)) !== 0 || (flags[e] & PRIMARY) === 0) continue
    if (tiers[e] === GUESS && !includeGuesses) skipped.guesses++
    else if ((flags[e] & UNREACHABLE) !== 0) skipped.unreachable++
  }
  return skipped
}

/** The distinct neighbours of one node at a time, each with the edge that connects best. */
class Neighbours {
  readonly nodes: NodeId[] = []
  private readonly graph: Graph
  private readonly kinds: Kinds
  private readonly includeGuesses: boolean
  /** Which load saw a node last, and by which slot. */
  private readonly seen: Uint32Array
  private readonly best: Uint32Array
  private loads = 0

  constructor(graph: Graph, kinds: Kinds, includeGuesses: boolean) {
    this.graph = graph
    this.kinds = kinds
    this.includeGuesses = includeGuesses
    this.seen = new Uint32Array(graph.nNodes)
    this.best = new Uint32Array(graph.nNodes)
  }

  get count(): number {
    return this.nodes.length
  }

  slotTo(u: NodeId): number {
    return this.best[u]
  }

  weightTo(u: NodeId): number {
    return Math.min(1, this.graph.weights[this.best[u]])
  }

  load(v: NodeId): void {
    const { out, in: into } = this.graph
    this.nodes.length = 0
    this.loads++
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) this.offer(v, out.targets[e], e)
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) this.offer(v, into.targets[i], into.slots[i])
  }

  private offer(v: NodeId, u: NodeId, slot: number): void {
    const { flags, tiers, dead } = this.graph
    if (u === v || dead[u] === 1 || (flags[slot] & (DEAD_EDGE | INHIBITORY | UNREACHABLE)) !== 0) return
    if (tiers[slot] === GUESS && !this.includeGuesses) return
    if (this.seen[u] !== this.loads) {
      this.seen[u] = this.loads
      this.best[u] = slot
      this.nodes.push(u)
    } else if (this.connectsBetter(slot, this.best[u])) {
      this.best[u] = slot
    }
  }

  private connectsBetter(slot: number, than: number): boolean {
    const { weights } = this.graph
    const proof = isProof(this.graph, this.kinds, slot)
    if (proof !== isProof(this.graph, this.kinds, than)) return proof
    return weights[slot] > weights[than] || (weights[slot] === weights[than] && slot < than)
  }
}

/**
 * The largest product of weights from a node to the target: exact for what is nearer to the target than the limit
 * of the search, never too small for others, and 0 for nodes that cannot reach it. Between two neighbours the
 * heaviest edge counts, which may be more than a path will get, never less.
 */
function bestTowards(graph: Graph, target: NodeId, source: NodeId, includeGuesses: boolean): (v: NodeId) => number {
  const { out, in: into, weights, flags, tiers, dead } = graph
  const best = new Float64Array(graph.nNodes)
  const settled = new Uint8Array(graph.nNodes)
  const queue = new Heap(1024)
  let looks = FURTHER_LOOKS - TOWARDS_LOOKS
  let bound = 1
  best[target] = 1
  queue.push(target, 1)
  while (queue.size > 0 && looks < FURTHER_LOOKS) {
    bound = queue.topPriority
    const v = queue.pop()
    if (settled[v] === 1) continue
    settled[v] = 1
    if (v === source) looks = Math.max(looks, 0)
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) relax(out.targets[e], e)
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) relax(into.targets[i], into.slots[i])
    looks += out.offsets[v + 1] - out.offsets[v] + into.offsets[v + 1] - into.offsets[v]
  }
  const whole = queue.size === 0
  return (v) => (settled[v] === 1 ? best[v] : whole ? 0 : bound)

  function relax(u: NodeId, slot: number): void {
    const strength = weights[slot] < 1 ? bound * weights[slot] : bound
    if (strength <= best[u] || dead[u] === 1 || (flags[slot] & (DEAD_EDGE | INHIBITORY | UNREACHABLE)) !== 0) return
    if (tiers[slot] === GUESS && !includeGuesses) return
    best[u] = strength
    queue.push(u, strength)
  }
}

export interface CommonDependent {
  node: NodeId
  /** Hops to either of the two. */
  hops: [number, number]
}

/** Nodes that depend on both, nearest first, at most three. */
export function commonDependents(graph: Graph, a: NodeId, b: NodeId, includeGuesses: boolean): CommonDependent[] {
  const ofA = dependentsOf(graph, a, includeGuesses)
  const ofB = dependentsOf(graph, b, includeGuesses)
  const common: CommonDependent[] = []
  for (const [node, hops] of ofA) {
    const other = ofB.get(node)
    if (other !== undefined) common.push({ node, hops: [hops, other] })
  }
  const sum = ({ hops }: CommonDependent) => hops[0] + hops[1]
  return common.sort((x, y) => sum(x) - sum(y) || x.node - y.node).slice(0, 3)
}

function dependentsOf(graph: Graph, start: NodeId, includeGuesses: boolean): Map<NodeId, number> {
  const kinds = new Kinds(graph)
  const hops = new Map<NodeId, number>()
  const skipped = { guesses: 0, unreachable: 0 }
  let frontier = [start]
  for (let hop = 1; hop <= DEPENDENT_HOPS; hop++) {
    const next: NodeId[] = []
    for (const v of frontier) {
      eachInfluence(graph, kinds, v, { direction: 'dependents', includeGuesses }, skipped, (u) => {
        if (u === start || hops.has(u)) return
        hops.set(u, hop)
        next.push(u)
      })
    }
    frontier = next
  }
  return hops
}
