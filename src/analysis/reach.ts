/** Whether and how one node depends on another: directed paths along what the code states. */

import { type ContainmentRule, partsOf, wholesOf } from '#analysis/impact'
import { CONTAINMENT, FORWARD, INHERITANCE, Kinds, REVERSE, type Skipped, stepName } from '#analysis/steps'
import {
  DEAD_EDGE,
  DIRECTORY,
  type Graph,
  GUESS,
  INHIBITORY,
  LIFTED,
  type NodeId,
  NONE,
  OBSERVED,
  PRIMARY,
  UNREACHABLE,
} from '#graph/graph'
import { childrenOf } from '#graph/lookup'
import { Heap } from '#std/heap'

export interface ReachOptions {
  /** 1 to 20; containment costs nothing. */
  maxHops: number
  includeGuesses: boolean
  /**
   * `parts`: who uses a part uses its whole, and what the whole itself imports or derives from; only what is used by
   * name counts as used. `both`: also all other parts of that whole, as if using one were using all.
   */
  containment: ContainmentRule
  /** Paths that are kept; the search looks at 50 times as many nodes. */
  pathBudget: number
}

export interface DirectedPath {
  /** From one end to the other, each step's node or the whole that stands for it. */
  nodes: NodeId[]
  slots: number[]
  relations: string[]
  /** Product of the weights, each at most 1. */
  weight: number
}

export interface Reach {
  /** Fewest hops first, then by weight; at most one hop longer than the shortest. */
  paths: DirectedPath[]
  /** Everything that was reached, with its hops, in order of arrival. */
  reached: { node: NodeId; hops: number }[]
  /** Nodes looked at. */
  explored: number
  /** The budget ended the search. */
  exhausted: boolean
  skipped: Skipped
}

const LOOKS_PER_PATH = 50
/** Paths longer than the shortest by more hops than this say nothing new. */
const DETOUR = 1

/** How a node was reached; a state is three times the node, plus this. */
const USED = 0
/** A part of what was used: its own edges count, but it was not named itself. */
const PART = 1
/** The whole around what was used. */
const WHOLE = 2
const STATES = 3

/** What a whole does that holds for whoever uses a part of it. */
const OF_WHOLES = new Set(['imports', 'reexports', 'implements', 'inherits', 'implements_trait', 'declares_module'])

/**
 * Breadth first from `from` along stored edges to `to`; from a node to itself it looks for a circle that leaves the node.
 * Containment, neighbourhood and history carry nothing, guesses only where asked for.
 */
export function reach(graph: Graph, from: NodeId, to: NodeId, options: ReachOptions): Reach {
  const { maxHops, includeGuesses, containment, pathBudget } = options
  const { nNodes, dead, flags, tiers, out } = graph
  const freely = containment === 'both'
  const kinds = new Kinds(graph)
  const ofWholes = new Set([...OF_WHOLES].map((it) => graph.strings.find(it)))
  const limit = LOOKS_PER_PATH * pathBudget
  const skipped: Skipped = { guesses: 0, unreachable: 0 }
  const isCircle = from === to
  const goal = STATES * nNodes

  const own = new Set([from, ...partsOf(graph, from)])
  const ownWholes = new Set(wholesOf(graph, from))

  /** Hops to each state plus one, 0 for those not reached. */
  const hops = new Uint8Array(STATES * nNodes + 1)
  const links: Links = { from: [], to: [], slots: [] }
  const reached: Reach['reached'] = []
  let layer: number[] = []
  let next: number[] = []
  let hop = 0
  let explored = 0
  let lastHop = maxHops

  hops[STATES * from + USED] = 1
  layer.push(STATES * from + USED)
  for (;;) {
    for (let i = 0; i < layer.length && explored < limit; i++) {
      explored++
      leave(layer[i])
    }
    if (next.length === 0 || hop >= lastHop || explored >= limit) break
    hop++
    if (hops[goal] !== 0 || isReached(to)) lastHop = Math.min(lastHop, hop + DETOUR)
    layer = next
    next = []
  }
  const exhausted = explored >= limit && (next.length > 0 || hop < lastHop)
  const found = isCircle ? [goal] : [USED, WHOLE, ...(freely ? [PART] : [])].map((it) => STATES * to + it)
  const ends = found.filter((it) => hops[it] !== 0)
  const paths = ends.length === 0 ? [] : pathsAlong(graph, links, { from, to, ends, pathBudget })
  return { paths, reached, explored, exhausted, skipped }

  function isReached(v: NodeId): boolean {
    return hops[STATES * v + USED] !== 0 || hops[STATES * v + WHOLE] !== 0 || (freely && hops[STATES * v + PART] !== 0)
  }

  function leave(state: number): void {
    const v = Math.floor(state / STATES)
    const how = state % STATES
    if (how === WHOLE && graph.types[v] === DIRECTORY) return
    const narrow = how === WHOLE && !freely
    if (!narrow) {
      const as = own.has(v) && hop === 0 ? USED : PART
      for (const part of childrenOf(graph, v)) arrive(state, part, as, NONE, hop, layer)
    }
    if (hop === maxHops) return
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      const u = out.targets[e]
      if (u === v || dead[u] === 1 || !carries(e, narrow)) continue
      if (isCircle && own.has(u)) {
        if (own.has(v)) continue
        link(state, goal, e)
        hops[goal] ||= hop + 2
        continue
      }
      arrive(state, u, USED, e, hop + 1, next)
      for (const whole of wholesOf(graph, u))
        if (!ownWholes.has(whole) && !own.has(whole)) arrive(STATES * u + USED, whole, WHOLE, NONE, hop + 1, next)
    }
  }

  function carries(e: number, narrow: boolean): boolean {
    const kind = kinds.of(e)
    if ((kind & (FORWARD | REVERSE)) === 0 || (kind & CONTAINMENT) !== 0 || tiers[e] === OBSERVED) return false
    if ((flags[e] & (DEAD_EDGE | INHIBITORY)) !== 0) return false
    if ((kind & INHERITANCE) !== 0 && (flags[e] & PRIMARY) === 0) return false
    if (narrow && ((flags[e] & LIFTED) !== 0 || !ofWholes.has(graph.relations[e]))) return false
    if (tiers[e] === GUESS && !includeGuesses) {
      skipped.guesses++
      return false
    }
    if ((flags[e] & UNREACHABLE) !== 0) {
      skipped.unreachable++
      return false
    }
    return true
  }

  function arrive(before: number, u: NodeId, how: number, slot: number, at: number, queue: number[]): void {
    const state = STATES * u + how
    const known = hops[state]
    if (known !== 0 && known < at + 1) return
    // what was used itself needs no second state
    if (how !== USED && hops[STATES * u + USED] !== 0 && hops[STATES * u + USED] <= at + 1 && u !== to) return
    link(before, state, slot)
    if (known !== 0) return
    hops[state] = at + 1
    queue.push(state)
    if (!own.has(u)) reached.push({ node: u, hops: at })
  }

  function link(before: number, state: number, slot: number): void {
    links.from.push(before)
    links.to.push(state)
    links.slots.push(slot)
  }
}

/** Steps between states that the search met, as parallel lists; a slot of NONE is one between a part and its whole. */
interface Links {
  from: number[]
  to: number[]
  slots: number[]
}

interface Ends {
  from: NodeId
  to: NodeId
  /** States in which the other end was reached. */
  ends: readonly number[]
  pathBudget: number
}

/** Simple paths over the links, fewest hops first, then the heaviest; those that read alike count once. */
function pathsAlong(graph: Graph, links: Links, { from, to, ends, pathBudget }: Ends): DirectedPath[] {
  const remaining = hopsTo(ends, links)
  const onward = byState(links.from)
  const states = [STATES * from + USED]
  const before = [-1]
  const slots = [NONE]
  const hops = [0]
  const weights = [1]
  const queue = new Heap()
  const isEnd = new Set(ends)
  const least = remaining.get(states[0])
  if (least === undefined) return []
  queue.push(0, -least)

  const found = new Map<string, DirectedPath>()
  for (let looks = 0; queue.size > 0 && looks < LOOKS_PER_PATH * pathBudget && found.size < pathBudget; looks++) {
    const at = queue.pop()
    if (at > 0 && isEnd.has(states[at])) {
      const path = read(at)
      const name = path.nodes.join()
      if (!found.has(name)) found.set(name, path)
      continue
    }
    for (const i of onward.get(states[at]) ?? []) {
      const left = remaining.get(links.to[i])
      const slot = links.slots[i]
      const far = hops[at] + (slot === NONE ? 0 : 1)
      if (left === undefined || far + left > least + DETOUR || isOnWay(at, links.to[i])) continue
      states.push(links.to[i])
      before.push(at)
      slots.push(slot)
      hops.push(far)
      weights.push(slot === NONE ? weights[at] : weights[at] * Math.min(1, graph.weights[slot]))
      // a hop outweighs any difference of weights
      queue.push(states.length - 1, weights[states.length - 1] / 2 - far - left)
    }
  }
  return [...found.values()]

  function isOnWay(at: number, state: number): boolean {
    for (let i = at; i !== -1; i = before[i])
      if (Math.floor(states[i] / STATES) === Math.floor(state / STATES)) return true
    return false
  }

  function read(end: number): DirectedPath {
    const way: number[] = []
    for (let i = end; i !== -1; i = before[i]) way.unshift(i)
    const path: DirectedPath = { nodes: [from], slots: [], relations: [], weight: weights[end] }
    for (const i of way.slice(1)) {
      const v = Math.floor(states[i] / STATES)
      if (slots[i] !== NONE) {
        path.nodes.push(v)
        path.slots.push(slots[i])
        path.relations.push(stepName(graph, slots[i], true))
      } else if (states[i] % STATES === WHOLE) path.nodes[path.nodes.length - 1] = v
    }
    path.nodes[path.nodes.length - 1] = to
    return path
  }
}

/** Fewest hops from each state to one of the ends; states that lead to none are left out. */
function hopsTo(ends: readonly number[], links: Links): Map<number, number> {
  const backward = byState(links.to)
  const remaining = new Map(ends.map((it) => [it, 0]))
  let layer = [...ends]
  for (let hop = 0; layer.length > 0; hop++) {
    const next: number[] = []
    for (const state of layer) {
      if (remaining.get(state) !== hop) continue
      for (const i of backward.get(state) ?? []) {
        const isHop = links.slots[i] !== NONE
        const far = hop + (isHop ? 1 : 0)
        if ((remaining.get(links.from[i]) ?? Number.POSITIVE_INFINITY) <= far) continue
        remaining.set(links.from[i], far)
        ;(isHop ? next : layer).push(links.from[i])
      }
    }
    layer = next
  }
  return remaining
}

function byState(states: readonly number[]): Map<number, number[]> {
  const index = new Map<number, number[]>()
  states.forEach((state, i) => {
    const known = index.get(state)
    if (known === undefined) index.set(state, [i])
    else known.push(i)
  })
  return index
}
