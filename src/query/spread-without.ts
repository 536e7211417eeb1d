/**
 * What is left of a spread when nodes are removed, worked out from its record: only what a removed node had sent, and
 * what follows from that, is spread anew. The values are those of a spread on the graph without them, to the last bit.
 */

import type { Graph, NodeId } from '#graph/graph'
import { type Pass, passes, type RecordedSpread, RISE, type Rises, SPREAD_DEFAULTS } from '#query/spread'

/** Edges, and share of all edges, that are looked at in one pass before spreading anew is held to be quicker. */
const FEW_EDGES = 10_000
const MOST_EDGES = 1 / 4

export interface Removed {
  nodes: Iterable<NodeId>
  /** By node, 1 for these. */
  isGone: Uint8Array
}

/**
 * By node, the values that are other than before without the removed nodes, of which the seed is none; those of removed
 * nodes are not among them. Null when too much changes.
 */
export function spreadWithout(graph: Graph, recorded: RecordedSpread, removed: Removed): Map<NodeId, number> | null {
  if (recorded.passes === null) return null
  const { forward, backward } = passes(graph, SPREAD_DEFAULTS)
  const { along, against } = historiesOf(graph, recorded.passes)
  const withoutAlong = replay(graph, along, { pass: forward, reverse: backward }, removed)
  const withoutAgainst = withoutAlong && replay(graph, against, { pass: backward, reverse: forward }, removed)
  if (withoutAlong === null || withoutAgainst === null) return null
  const changed = new Map<NodeId, number>()
  for (const v of [...withoutAlong.keys(), ...withoutAgainst.keys()])
    changed.set(v, Math.max(withoutAlong.get(v) ?? along.last(v), withoutAgainst.get(v) ?? against.last(v)))
  return changed
}

const known = new WeakMap<object, { along: History; against: History }>()

function historiesOf(graph: Graph, recorded: NonNullable<RecordedSpread['passes']>) {
  const before = known.get(recorded)
  if (before !== undefined) return before
  const { nNodes } = graph
  const found = { along: new History(recorded.along, nNodes), against: new History(recorded.against, nNodes) }
  known.set(recorded, found)
  return found
}

/** What each node held after each hop of one pass. Hop 0 is that of the seed; what rose on one sends on the next. */
class History {
  readonly #values: Float64Array
  readonly #hops: Uint8Array
  /** By rise, one more than the rise of the same node before it, 0 for the first. */
  readonly #before: Uint32Array
  /** By node, one more than its last rise. */
  readonly #last: Uint32Array

  constructor(hops: readonly Rises[], nNodes: number) {
    const count = hops.reduce((sum, it) => sum + it.nodes.length, 0)
    this.#values = new Float64Array(count)
    this.#hops = new Uint8Array(count)
    this.#before = new Uint32Array(count)
    this.#last = new Uint32Array(nNodes)
    let i = 0
    for (const [hop, { nodes, values }] of hops.entries()) {
      this.#values.set(values, i)
      this.#hops.fill(hop, i, i + nodes.length)
      for (const v of nodes) {
        this.#before[i++] = this.#last[v]
        this.#last[v] = i
      }
    }
  }

  last(v: NodeId): number {
    return this.#last[v] === 0 ? 0 : this.#values[this.#last[v] - 1]
  }

  /** What it holds after a hop. */
  after(v: NodeId, hop: number): number {
    const at = this.#rise(v, hop)
    return at === 0 ? 0 : this.#values[at - 1]
  }

  /** What it rises to on a hop, else 0. */
  riseOn(v: NodeId, hop: number): number {
    const at = this.#rise(v, hop)
    return at === 0 || this.#hops[at - 1] !== hop ? 0 : this.#values[at - 1]
  }

  /** Whether it rises on a hop by as much as makes it send. */
  sendsAfter(v: NodeId, hop: number): boolean {
    const at = this.#rise(v, hop)
    if (at === 0 || this.#hops[at - 1] !== hop) return false
    const before = this.#before[at - 1]
    return this.#values[at - 1] > (before === 0 ? 0 : this.#values[before - 1]) + RISE
  }

  /** One more than the last rise up to a hop. */
  #rise(v: NodeId, hop: number): number {
    let at = this.#last[v]
    while (at !== 0 && this.#hops[at - 1] > hop) at = this.#before[at - 1]
    return at
  }
}

interface Way {
  pass: Pass
  /** The same edges from their other ends. */
  reverse: Pass
}

/** What a node holds without what is gone, and whether it sends on the next hop. */
interface State {
  value: number
  sends: boolean
}

/** Hop by hop, the nodes that hold or send something else than they did; in the end what they hold. */
function replay(
  graph: Graph,
  history: History,
  { pass, reverse }: Way,
  { nodes: gone, isGone }: Removed,
): Map<NodeId, number> | null {
  const { weights } = graph
  const changed = new Map<NodeId, State>()
  let edgesLeft = Math.max(FEW_EDGES, graph.nEdges * MOST_EDGES)
  for (let hop = 1; hop <= SPREAD_DEFAULTS.maxDepth; hop++) {
    const suspects = new Set(changed.keys())
    for (const v of gone) if (history.sendsAfter(v, hop - 1)) suspectTargets(v, hop, history.after(v, hop - 1), 0)
    for (const [v, { value, sends }] of changed) {
      const before = history.sendsAfter(v, hop - 1) ? history.after(v, hop - 1) : 0
      if (before > 0 || sends) suspectTargets(v, hop, before, sends ? value : 0)
    }
    const states = Array.from(suspects, (u): [NodeId, State] => [u, stateAfter(u, hop)])
    if (edgesLeft < 0) return null
    for (const [u, state] of states) {
      const isAsBefore = state.value === history.after(u, hop) && state.sends === history.sendsAfter(u, hop)
      if (isAsBefore) changed.delete(u)
      else changed.set(u, state)
    }

    /** Those for which it may matter what a node sent before, or sends now: it gave them what they held, or gives more. */
    function suspectTargets(v: NodeId, hop: number, before: number, now: number): void {
      edgesLeft -= pass.offsets[v + 1] - pass.offsets[v]
      for (let i = pass.offsets[v]; i < pass.offsets[v + 1] && edgesLeft >= 0; i++) {
        const u = pass.targets[i]
        if (u === v || isGone[u] === 1) continue
        const weight = weights[pass.slots === null ? i : pass.slots[i]]
        const gave = signalOf(before, weight, pass.gain)
        const gives = signalOf(now, weight, pass.gain)
        if ((gave > 0 && gave === history.riseOn(u, hop)) || (gives > 0 && gives > held(u, hop - 1))) suspects.add(u)
      }
    }
  }
  return new Map(Array.from(changed, ([v, { value }]) => [v, value]))

  function held(u: NodeId, hop: number): number {
    return changed.get(u)?.value ?? history.after(u, hop)
  }

  function stateAfter(u: NodeId, hop: number): State {
    edgesLeft -= reverse.offsets[u + 1] - reverse.offsets[u]
    const before = held(u, hop - 1)
    let value = before
    for (let i = reverse.offsets[u]; i < reverse.offsets[u + 1] && edgesLeft >= 0; i++) {
      const v = reverse.targets[i]
      if (v === u || isGone[v] === 1) continue
      const state = changed.get(v)
      if (!(state?.sends ?? history.sendsAfter(v, hop - 1))) continue
      const weight = weights[reverse.slots === null ? i : reverse.slots[i]]
      value = Math.max(value, signalOf(state?.value ?? history.after(v, hop - 1), weight, pass.gain))
    }
    return { value, sends: value > before + RISE }
  }
}

/** What an edge passes on, 0 when that is too little. */
function signalOf(value: number, weight: number, gain: number): number {
  const { threshold, cap } = SPREAD_DEFAULTS
  const signal = value < threshold ? 0 : value * weight * gain
  return signal < threshold ? 0 : Math.min(cap, signal)
}
