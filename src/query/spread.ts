/**
 * Spreading activation: seeds pass value · weight · decay along edges, a node keeps its strongest arrival.
 * Two separate passes, along edges and against them; no walk mixes the two. Two engines give the same values:
 * the wavefront (all cases) and the heap (few seeds on a sparse graph without inhibition).
 */

import { type Graph, INHIBITORY, type NodeId } from '#graph/graph'
import { type ColumnPool, type NodeValues, poolOf } from '#query/node-values'
import type { Seed } from '#query/seeds'
import { Heap } from '#std/heap'

export interface SpreadOptions {
  /** Kept per hop, (0, 1]. */
  decay: number
  /** Weaker signals are discarded and go no further; above 0. */
  threshold: number
  /** Hops, 1..20. */
  maxDepth: number
  /** No value rises above it. */
  cap: number
  /** Share of an inhibitory signal that is subtracted, [0, 1]. */
  inhibitoryFactor: number
  /** Factor of each hop against an edge, [0, 1]; 0 spreads forward only. */
  reverseFactor: number
}

export const SPREAD_DEFAULTS: SpreadOptions = {
  decay: 0.55,
  threshold: 0.04,
  maxDepth: 5,
  cap: 1,
  inhibitoryFactor: 0.5,
  reverseFactor: 1,
}
const DEEPEST = 20
/** Share of a causal signal that a hop against an edge keeps. */
const CAUSAL_REVERSE = 0.7
/** The heap pays off for fewer seeds per node than this … */
const HEAP_SEEDS = 0.001
/** … on graphs with fewer edge slots per node than this. */
const HEAP_DEGREE = 8
/** A rise counts, and lets a node fire again, above this. */
export const RISE = 1e-9

/** The structural dimension: the stronger of the two passes, less inhibition. Give the column back to the pool. */
export function spread(graph: Graph, seeds: readonly Seed[], options: SpreadOptions = SPREAD_DEFAULTS): NodeValues {
  if (seeds.length / Math.max(graph.nNodes, 1) < HEAP_SEEDS && graph.nEdges / Math.max(graph.nNodes, 1) < HEAP_DEGREE) {
    const values = spreadByHeap(graph, seeds, options)
    if (values !== null) return values
  }
  return spreadByWavefront(graph, seeds, options)
}

export function spreadByWavefront(
  graph: Graph,
  seeds: readonly Seed[],
  options: SpreadOptions = SPREAD_DEFAULTS,
): NodeValues {
  const pool = poolOf(graph, graph.nNodes)
  const values = pool.take()
  const inhibition = pool.take()
  wavefront(graph, seeds, passes(graph, options).forward, options, { values, inhibition, pool })
  if (options.reverseFactor > 0) {
    const against = pool.take()
    wavefront(graph, seeds, passes(graph, options).backward, options, { values: against, inhibition: null, pool })
    raiseAll(values, against)
    pool.give(against)
  }
  if (inhibition.count === 0) {
    pool.give(inhibition)
    return values
  }

  const net = pool.take()
  for (let i = 0; i < values.count; i++) {
    const v = values.nodes[i]
    const left = values.value[v] - inhibition.value[v]
    if (left > 0) net.set(v, left)
  }
  pool.give(values, inhibition)
  return net
}

/** One pass: what rose on each hop from 0, which is that of the seed, and what it held then. */
export interface Rises {
  nodes: Uint32Array
  values: Float64Array
}

/** A spread and how it came about, so that what is left of it without some nodes can be told from that. */
export interface RecordedSpread {
  /** As of `spreadByWavefront`; give the column back to the pool. */
  values: NodeValues
  /** Null where inhibition makes a hop depend on more than the one before. */
  passes: { along: Rises[]; against: Rises[] } | null
}

/** `spreadByWavefront` from one seed with the options of `SPREAD_DEFAULTS`, on the record. */
export function recordSpread(graph: Graph, seed: NodeId): RecordedSpread {
  const seeds = [{ node: seed, relevance: 1 }]
  if (inhibits(graph)) return { values: spreadByWavefront(graph, seeds), passes: null }
  const pool = poolOf(graph, graph.nNodes)
  const record = (pass: Pass, values: NodeValues): Rises[] => {
    const hops: Rises[] = [{ nodes: Uint32Array.of(seed), values: Float64Array.of(SPREAD_DEFAULTS.cap) }]
    const watch: Watch = (_hop, _frontier, arriving) => {
      const nodes = arriving.nodes.subarray(0, arriving.count).filter((u) => arriving.value[u] > values.value[u])
      hops.push({ nodes, values: Float64Array.from(nodes, (u) => arriving.value[u]) })
    }
    wavefront(graph, seeds, pass, SPREAD_DEFAULTS, { values, inhibition: null, pool, watch })
    return hops
  }
  const { forward, backward } = passes(graph, SPREAD_DEFAULTS)
  const values = pool.take()
  const other = pool.take()
  const recorded = { along: record(forward, values), against: record(backward, other) }
  raiseAll(values, other)
  pool.give(other)
  return { values, passes: recorded }
}

/**
 * The causal dimension: like `spread`, but a hop also costs the causal strength of its edge, hops against an
 * edge keep 0.7, and edges without causal strength carry nothing.
 */
export function spreadCausal(
  graph: Graph,
  seeds: readonly Seed[],
  options: SpreadOptions = SPREAD_DEFAULTS,
): NodeValues {
  const pool = poolOf(graph, graph.nNodes)
  const values = pool.take()
  const against = pool.take()
  const { forward, backward } = passes(graph, options)
  wavefront(graph, seeds, { ...forward, causal: graph.causal }, options, { values, inhibition: null, pool })
  const gain = options.decay * CAUSAL_REVERSE
  wavefront(graph, seeds, { ...backward, gain, causal: graph.causal }, options, {
    values: against,
    inhibition: null,
    pool,
  })
  raiseAll(values, against)
  pool.give(against)
  return values
}

/** What reached a node on one hop. */
export interface Arrival {
  node: NodeId
  /** What the node holds from now on, before inhibition. */
  energy: number
  /** The node that gave most, and the slot over which it did. */
  from: NodeId
  slot: number
  /** It went against the edge. */
  against: boolean
}

/**
 * How the values of `spread`, or with `causal` of `spreadCausal`, come about: for every hop the nodes that hold more
 * after it than before, the strongest first. What they hold in the end is what these functions give, but for
 * inhibition.
 */
export function traceSpread(
  graph: Graph,
  seeds: readonly Seed[],
  { causal = false, options = SPREAD_DEFAULTS }: { causal?: boolean; options?: SpreadOptions } = {},
): Arrival[][] {
  const pool = poolOf(graph, graph.nNodes)
  const { forward, backward } = passes(graph, options)
  const strengths = causal ? graph.causal : null
  const gain = causal ? options.decay * CAUSAL_REVERSE : backward.gain
  const arrivals: Arrival[][] = []
  for (const pass of [
    { ...forward, causal: strengths },
    { ...backward, gain, causal: strengths },
  ]) {
    const against = pass.slots !== null
    if (against && options.reverseFactor === 0) continue
    const values = pool.take()
    const inhibition = causal || against ? null : pool.take()
    const watch: Watch = (hop, frontier, arriving) => {
      const sending = new Set(frontier)
      const list = (arrivals[hop] ??= [])
      for (let i = 0; i < arriving.count; i++) {
        const u = arriving.nodes[i]
        if (arriving.value[u] <= values.value[u]) continue
        const origin = strongestSource(graph, u, { ...pass, options, values, inhibition, sending })
        if (origin !== null) list.push({ node: u, energy: arriving.value[u], against, ...origin })
      }
    }
    wavefront(graph, seeds, pass, options, { values, inhibition, pool, watch })
    pool.give(values)
    if (inhibition !== null) pool.give(inhibition)
  }

  // a node keeps the stronger of both passes
  const held = new Map<NodeId, number>()
  for (const { node, relevance } of seeds)
    held.set(node, Math.max(held.get(node) ?? 0, Math.min(options.cap, relevance)))
  const hops = arrivals.map((all) => {
    const risen = new Map<NodeId, Arrival>()
    for (const it of all.sort((a, b) => b.energy - a.energy || a.node - b.node)) {
      if (it.energy > (held.get(it.node) ?? 0) && !risen.has(it.node)) risen.set(it.node, it)
    }
    for (const it of risen.values()) held.set(it.node, it.energy)
    return [...risen.values()]
  })
  while (hops.at(-1)?.length === 0) hops.pop()
  return hops
}

/** Which of the sending nodes gave a node most, equal ones by id. */
function strongestSource(
  { out, in: into, weights, flags }: Graph,
  u: NodeId,
  {
    slots,
    gain,
    causal,
    values,
    inhibition,
    sending,
    options: { threshold },
  }: Pass & {
    options: SpreadOptions
    values: NodeValues
    inhibition: NodeValues | null
    sending: ReadonlySet<number>
  },
): { from: NodeId; slot: number } | null {
  // along edges they come in, against edges they go out
  const [ends, slotAt] = slots === null ? [into, into.slots] : [out, null]
  let best = 0
  let origin: { from: NodeId; slot: number } | null = null
  for (let i = ends.offsets[u]; i < ends.offsets[u + 1]; i++) {
    const from = ends.targets[i]
    const slot = slotAt === null ? i : slotAt[i]
    if (from === u || !sending.has(from) || (flags[slot] & INHIBITORY) !== 0) continue
    const net = values.value[from] - (inhibition === null ? 0 : inhibition.value[from])
    const signal = net < threshold ? 0 : net * weights[slot] * gain * (causal === null ? 1 : causal[slot])
    if (signal < best || signal === 0 || (signal === best && origin !== null && from >= origin.from)) continue
    best = signal
    origin = { from, slot }
  }
  return origin
}

/** One direction to spread in. */
export interface Pass {
  offsets: Uint32Array
  targets: Uint32Array
  /** Slot of each entry, null where the entry is the slot. */
  slots: Uint32Array | null
  /** Factor of every hop besides the weight. */
  gain: number
  causal: Float32Array | null
}

export function passes(graph: Graph, { decay, reverseFactor }: SpreadOptions): { forward: Pass; backward: Pass } {
  return {
    forward: { offsets: graph.out.offsets, targets: graph.out.targets, slots: null, gain: decay, causal: null },
    backward: {
      offsets: graph.in.offsets,
      targets: graph.in.targets,
      slots: graph.in.slots,
      gain: decay * reverseFactor,
      causal: null,
    },
  }
}

interface Scratch {
  /** Filled with the excitation of every reached node. */
  values: NodeValues
  /** Filled with what inhibitory edges subtract; null leaves them out. */
  inhibition: NodeValues | null
  pool: ColumnPool
  watch?: Watch
}

/** Is told what arrives on a hop (from 0) before any value changes. */
type Watch = (hop: number, frontier: readonly number[], arriving: NodeValues) => void

/**
 * One pass, hop by hop. A hop reads the whole frontier before any value changes, so the order of edges does
 * not matter; a node whose net value rose fires again, since a longer way can be the stronger one.
 */
function wavefront(
  graph: Graph,
  seeds: readonly Seed[],
  pass: Pass,
  options: SpreadOptions,
  { values, inhibition, pool, watch }: Scratch,
): void {
  const { offsets, targets, slots, gain, causal } = pass
  const { threshold, cap, inhibitoryFactor } = options
  const { weights, flags } = graph
  const { value } = values
  const maxDepth = Math.min(options.maxDepth, DEEPEST)
  const arriving = pool.take()
  const inhibiting = pool.take()
  /** Largest contribution so far of every inhibitory slot that fired. */
  const spent = new Map<number, number>()

  for (const { node, relevance } of seeds) values.raise(node, Math.min(relevance, cap))
  let frontier = Array.from(values.nodes.subarray(0, values.count))

  const isPlain = !inhibits(graph)
  for (let hop = 0; hop < maxDepth && frontier.length > 0; hop++) {
    if (isPlain) sendPlain(graph, frontier, pass, options, value, arriving)
    else
      for (const v of frontier) {
        const net = inhibition === null ? value[v] : value[v] - inhibition.value[v]
        if (net < threshold) continue
        const end = offsets[v + 1]
        for (let i = offsets[v]; i < end; i++) {
          const e = slots === null ? i : slots[i]
          const u = targets[i]
          let signal = net * weights[e] * gain
          if ((flags[e] & INHIBITORY) !== 0) {
            if (inhibition === null || u === v) continue
            const amount = signal * inhibitoryFactor
            const before = spent.get(e) ?? 0
            if (amount <= before) continue
            spent.set(e, amount)
            inhibiting.add(u, amount - before)
            continue
          }
          if (causal !== null) signal *= causal[e]
          if (signal < threshold || u === v) continue
          arriving.raise(u, signal < cap ? signal : cap)
        }
      }

    watch?.(hop, frontier, arriving)

    // commit: a node whose net value rose fires on the next hop
    frontier = []
    for (let i = 0; i < arriving.count; i++) {
      const u = arriving.nodes[i]
      const before = value[u]
      const now = arriving.value[u]
      if (now <= before) continue
      values.raise(u, now)
      const inhibited = inhibition === null ? 0 : inhibition.value[u]
      if (Math.max(0, now - inhibited - inhibiting.value[u]) > Math.max(0, before - inhibited) + RISE) frontier.push(u)
    }
    if (inhibition !== null) {
      for (let i = 0; i < inhibiting.count; i++)
        inhibition.add(inhibiting.nodes[i], inhibiting.value[inhibiting.nodes[i]])
    }
    arriving.clear()
    inhibiting.clear()
  }
  pool.give(arriving, inhibiting)
}

/**
 * What a frontier sends on a graph without inhibition. Most edges are too light for what is left to carry, and
 * most arrivals are weaker than what a node has; both are told before anything is written.
 */
function sendPlain(
  { weights }: Graph,
  frontier: readonly number[],
  { offsets, targets, slots, gain, causal }: Pass,
  { threshold, cap }: SpreadOptions,
  value: Float64Array,
  arriving: NodeValues,
): void {
  for (const v of frontier) {
    const net = value[v]
    if (net < threshold) continue
    // a little less than the lightest weight that passes, so that rounding decides nothing here
    const lightest = (threshold / (net * gain)) * (1 - 1e-6)
    const end = offsets[v + 1]
    for (let i = offsets[v]; i < end; i++) {
      const e = slots === null ? i : slots[i]
      const weight = weights[e]
      if (weight < lightest) continue
      let signal = net * weight * gain
      if (causal !== null) signal *= causal[e]
      if (signal < threshold) continue
      if (signal > cap) signal = cap
      const u = targets[i]
      if (signal > value[u] && u !== v) arriving.raise(u, signal)
    }
  }
}

const suppressing = new WeakMap<Graph, boolean>()

function inhibits(graph: Graph): boolean {
  let known = suppressing.get(graph)
  if (known === undefined) {
    known = graph.flags.some((it) => (it & INHIBITORY) !== 0)
    suppressing.set(graph, known)
  }
  return known
}

/** Depths are packed into the low bits of a heap item; 20 is the deepest. */
const DEPTH_RANGE = 32
const LEAST_OPERATIONS = 10_000

/**
 * The same values by always following the strongest signal next. Null where that does not hold: a hop that
 * could strengthen a signal, an inhibitory edge within reach, or more work than the wavefront would need.
 */
export function spreadByHeap(
  graph: Graph,
  seeds: readonly Seed[],
  options: SpreadOptions = SPREAD_DEFAULTS,
): NodeValues | null {
  const pool = poolOf(graph, graph.nNodes)
  const values = pool.take()
  const { forward, backward } = passes(graph, options)
  const exact =
    strongestFirst(graph, seeds, forward, options, { values, pool }) &&
    (options.reverseFactor === 0 || strongestFirst(graph, seeds, backward, options, { values, pool }))
  if (exact) return values
  pool.give(values)
  return null
}

function strongestFirst(
  graph: Graph,
  seeds: readonly Seed[],
  pass: Pass,
  options: SpreadOptions,
  { values, pool }: Omit<Scratch, 'inhibition'>,
): boolean {
  const { offsets, targets, slots, gain } = pass
  const { threshold, cap } = options
  const { weights, flags } = graph
  const maxDepth = Math.min(options.maxDepth, DEEPEST)
  const ceiling = Math.max(graph.nNodes * maxDepth, LEAST_OPERATIONS)
  const heap = new Heap()
  /** Depth + 1 at which a node was last expanded; earlier expansions were stronger but deeper. */
  const expanded = pool.take()
  let operations = 0
  let exact = true

  for (const { node, relevance } of seeds) {
    values.raise(node, Math.min(relevance, cap))
    heap.push(node * DEPTH_RANGE, Math.min(relevance, cap))
  }
  while (exact && heap.size > 0 && heap.topPriority >= threshold) {
    const value = heap.topPriority
    const item = heap.pop()
    const depth = item % DEPTH_RANGE
    const v = (item - depth) / DEPTH_RANGE
    const before = expanded.value[v]
    if (before !== 0 && depth + 1 >= before) continue
    expanded.set(v, depth + 1)
    values.raise(v, value)
    if (depth === maxDepth) continue

    const end = offsets[v + 1]
    operations += end - offsets[v] + 1
    if (operations > ceiling) exact = false
    for (let i = offsets[v]; i < end && exact; i++) {
      const e = slots === null ? i : slots[i]
      if ((flags[e] & INHIBITORY) !== 0) {
        if (slots === null) exact = false
        continue
      }
      const u = targets[i]
      if (weights[e] * gain > 1) exact = false
      const signal = value * weights[e] * gain
      if (signal < threshold || u === v) continue
      if (expanded.value[u] !== 0 && depth + 2 >= expanded.value[u]) continue
      heap.push(u * DEPTH_RANGE + depth + 1, signal < cap ? signal : cap)
    }
  }
  pool.give(expanded)
  return exact
}

function raiseAll(values: NodeValues, others: NodeValues): void {
  for (let i = 0; i < others.count; i++) values.raise(others.nodes[i], others.value[others.nodes[i]])
}
