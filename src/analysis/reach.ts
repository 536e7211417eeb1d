/** Whether and how one node depends on another: directed paths along what the code states. */

import { type ContainmentRule, partsOf, wholesOf } from '#analysis/impact'
import {
  BLOCKED,
  CONTAINMENT,
  FORWARD,
  GUESSED,
  IDLE,
  Kinds,
  leaveOut,
  NAMED_BY_FILE,
  REVERSE,
  type Skipped,
  stepName,
} from '#analysis/steps'
import { DIRECTORY, type Graph, LIFTED, type NodeId, NONE, OBSERVED } from '#graph/graph'
import { childIndexOf } from '#graph/lookup'
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
  /** The first path is enough. */
  onlyWhether?: boolean
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
  /** Everything that was reached, in order of arrival, and the hops to each. */
  reached: NodeId[]
  reachedIn: number[]
  /** Nodes looked at. */
  explored: number
  /** The budget ended the search. */
  exhausted: boolean
  /** The limit of hops ended the search, before all was reached. */
  hasLonger: boolean
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
  const { maxHops, includeGuesses, containment, pathBudget, onlyWhether = false } = options
  const { nNodes, dead, flags, tiers, out, parents } = graph
  const freely = containment === 'both'
  const { bySlot } = new Kinds(graph)
  const doubtful = includeGuesses ? IDLE : IDLE | GUESSED
  const children = childIndexOf(graph)
  const ofWholes = new Set([...OF_WHOLES].map((it) => graph.strings.find(it)))
  const limit = LOOKS_PER_PATH * pathBudget
  const skipped: Skipped = { guesses: 0, unreachable: 0 }
  const isCircle = from === to
  const goal = STATES * nNodes

  const own = new Uint8Array(nNodes)
  own[from] = 1
  for (const part of partsOf(graph, from)) own[part] = 1
  const ownOrAround = own.slice()
  for (const whole of wholesOf(graph, from)) ownOrAround[whole] = 1

  /** Hops to each state plus one, 0 for those not reached. */
  const hops = new Uint8Array(STATES * nNodes + 1)
  const links = new Links()
  const reached: NodeId[] = []
  const reachedIn: number[] = []
  let layer: number[] = []
  let next: number[] = []
  let hop = 0
  let explored = 0
  let hasLonger = false
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
  const paths = ends.length === 0 ? [] : pathsAlong(graph, links, { from, to, ends, pathBudget, onlyWhether })
  return { paths, reached, reachedIn, explored, exhausted, hasLonger, skipped }

  function isReached(v: NodeId): boolean {
    return hops[STATES * v + USED] !== 0 || hops[STATES * v + WHOLE] !== 0 || (freely && hops[STATES * v + PART] !== 0)
  }

  function leave(state: number): void {
    const v = Math.floor(state / STATES)
    const how = state % STATES
    if (how === WHOLE && graph.types[v] === DIRECTORY) return
    const narrow = how === WHOLE && !freely
    if (!narrow) {
      const as = own[v] === 1 && hop === 0 ? USED : PART
      for (let i = children.offsets[v]; i < children.offsets[v + 1]; i++)
        arrive(state, children.nodes[i], as, NONE, hop, layer)
    }
    if (hop === maxHops) {
      for (let e = out.offsets[v]; e < out.offsets[v + 1] && !hasLonger; e++)
        hasLonger = hops[STATES * out.targets[e] + USED] === 0 && dead[out.targets[e]] === 0 && doubts(e, narrow) === 0
      return
    }
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      const u = out.targets[e]
      if (u === v || dead[u] === 1 || !carries(e, narrow) || isBeside(e)) continue
      if (isCircle && own[u] === 1) {
        if (own[v] === 1) continue
        links.add(state, goal, e)
        hops[goal] ||= hop + 2
        continue
      }
      const before = hops[STATES * u + USED]
      // known from an earlier hop, and with it all its wholes
      if (before !== 0 && before < hop + 2) continue
      arrive(state, u, USED, e, hop + 1, next)
      for (let whole = parents[u]; whole !== NONE; whole = parents[whole])
        if (ownOrAround[whole] === 0) arrive(STATES * u + USED, whole, WHOLE, NONE, hop + 1, next)
    }
  }

  /** A file that names something as a text depends on it; what uses the file need not, and no circle is closed by it. */
  function isBeside(e: number): boolean {
    return (bySlot[e] & NAMED_BY_FILE) !== 0 && (isCircle || hop > 0)
  }

  function carries(e: number, narrow: boolean): boolean {
    const found = doubts(e, narrow)
    if (found > 0) leaveOut(found, skipped)
    return found === 0
  }

  /** 0 for an edge that a path may use, -1 for one that none may, else why it is doubtful. */
  function doubts(e: number, narrow: boolean): number {
    const kind = bySlot[e]
    if ((kind & (FORWARD | REVERSE)) === 0 || (kind & (CONTAINMENT | BLOCKED)) !== 0 || tiers[e] === OBSERVED) return -1
    if (narrow && ((flags[e] & LIFTED) !== 0 || !ofWholes.has(graph.relations[e]))) return -1
    return kind & doubtful
  }

  function arrive(before: number, u: NodeId, how: number, slot: number, at: number, queue: number[]): void {
    const state = STATES * u + how
    const known = hops[state]
    if (known !== 0 && known < at + 1) return
    // what was used itself needs no second state
    if (how !== USED && hops[STATES * u + USED] !== 0 && hops[STATES * u + USED] <= at + 1 && u !== to) return
    // nothing leaves a folder, so that only a way that ends there has to be kept
    if (how !== WHOLE || graph.types[u] !== DIRECTORY || u === to) links.add(before, state, slot)
    if (known !== 0) return
    hops[state] = at + 1
    queue.push(state)
    if (own[u] === 1) return
    reached.push(u)
    reachedIn.push(at)
  }
}

/** Steps between states that the search met, as parallel columns; a slot of NONE is one between a part and its whole. */
class Links {
  count = 0
  from = new Uint32Array(1024)
  to = new Uint32Array(1024)
  slots = new Uint32Array(1024)

  add(from: number, to: number, slot: number): void {
    if (this.count === this.from.length) {
      this.from = twiceAsLong(this.from)
      this.to = twiceAsLong(this.to)
      this.slots = twiceAsLong(this.slots)
    }
    this.from[this.count] = from
    this.to[this.count] = to
    this.slots[this.count++] = slot
  }
}

function twiceAsLong(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * column.length)
  longer.set(column)
  return longer
}

interface Ends {
  from: NodeId
  to: NodeId
  /** States in which the other end was reached. */
  ends: readonly number[]
  pathBudget: number
  onlyWhether: boolean
}

/** Simple paths over the links, fewest hops first, then the heaviest; those that read alike count once. */
function pathsAlong(graph: Graph, links: Links, { from, to, ends, pathBudget, onlyWhether }: Ends): DirectedPath[] {
  const nStates = STATES * graph.nNodes + 1
  const remaining = hopsTo(ends, links, nStates)
  const onward = byState(links.from, links.count, nStates)
  const states = [STATES * from + USED]
  const before = [-1]
  const slots = [NONE]
  const hops = [0]
  const weights = [1]
  const queue = new Heap()
  const isEnd = new Set(ends)
  const least = remaining[states[0]]
  if (least === NOWHERE) return []
  queue.push(0, -least)

  const found = new Map<string, DirectedPath>()
  const enough = onlyWhether ? 1 : pathBudget
  for (let looks = 0; queue.size > 0 && looks < LOOKS_PER_PATH * pathBudget && found.size < enough; looks++) {
    const at = queue.pop()
    if (at > 0 && isEnd.has(states[at])) {
      const path = read(at)
      const name = path.nodes.join()
      if (!found.has(name)) found.set(name, path)
      continue
    }
    for (let k = onward.offsets[states[at]]; k < onward.offsets[states[at] + 1]; k++) {
      const i = onward.links[k]
      const left = remaining[links.to[i]]
      const slot = links.slots[i]
      const far = hops[at] + (slot === NONE ? 0 : 1)
      if (left === NOWHERE || far + left > least + DETOUR || isOnWay(at, links.to[i])) continue
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

const NOWHERE = 0xff

/** Fewest hops from each state to one of the ends, NOWHERE for those that lead to none. */
function hopsTo(ends: readonly number[], links: Links, nStates: number): Uint8Array {
  const backward = byState(links.to, links.count, nStates)
  const remaining = new Uint8Array(nStates).fill(NOWHERE)
  for (const it of ends) remaining[it] = 0
  let layer = [...ends]
  for (let hop = 0; layer.length > 0; hop++) {
    const next: number[] = []
    // it grows by steps that are no hops
    for (const state of layer) {
      if (remaining[state] !== hop) continue
      for (let k = backward.offsets[state]; k < backward.offsets[state + 1]; k++) {
        const i = backward.links[k]
        const isHop = links.slots[i] !== NONE
        const far = hop + (isHop ? 1 : 0)
        if (remaining[links.from[i]] <= far) continue
        remaining[links.from[i]] = far
        ;(isHop ? next : layer).push(links.from[i])
      }
    }
    layer = next
  }
  return remaining
}

/** The links of each state, in their order: `links[offsets[s] … offsets[s + 1] - 1]`. */
function byState(states: Uint32Array, count: number, nStates: number): { offsets: Uint32Array; links: Uint32Array } {
  const offsets = new Uint32Array(nStates + 1)
  for (let i = 0; i < count; i++) offsets[states[i] + 1]++
  for (let s = 0; s < nStates; s++) offsets[s + 1] += offsets[s]
  const fill = offsets.slice(0, nStates)
  const links = new Uint32Array(count)
  for (let i = 0; i < count; i++) links[fill[states[i]]++] = i
  return { offsets, links }
}
