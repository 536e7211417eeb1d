/** From edge records to the columns of edge slots: read, merge duplicates, sort, expand. */

import { BIDIRECTIONAL, GIVEN, type InCsr, INHIBITORY, LIFTED, NONE, PRIMARY, TIERS, UNREACHABLE } from '#graph/graph'
import type { EdgeInput } from '#graph/input'
import { isInhibitory } from '#graph/relations'
import type { StringsBuilder } from '#graph/strings'

/** Logical edges as columns; a bidirectional edge once, as it was added. */
interface Logical {
  sources: Uint32Array
  targets: Uint32Array
  relations: Uint32Array
  weights: Float32Array
  causal: Float32Array
  flags: Uint8Array
  tiers: Uint8Array
  lines: Uint32Array
}

/** The edge columns of a `Graph` that come from the input. */
export interface Slots {
  nLogical: number
  offsets: Uint32Array
  targets: Uint32Array
  relations: Uint32Array
  weights: Float32Array
  causal: Float32Array
  flags: Uint8Array
  tiers: Uint8Array
  lines: Uint32Array
  mirrors: Uint32Array
}

const MAX_WEIGHT = 3
const tierCodes = new Map<string, number>(TIERS.map((tier, code) => [tier, code]))

/**
 * Slots of all edges. Logical edges are merged where source, target and relation agree, and sorted by source,
 * otherwise in the order of the input; expanding them in that order makes the result a fixed point: the
 * primary slots, read in order and built again, give the same slots. Throws on an end outside of the nodes.
 */
export function expand(input: readonly EdgeInput[], nNodes: number, strings: StringsBuilder): Slots {
  const edges = read(input, nNodes, strings)
  const kept = bySource(edges.sources, mergeDuplicates(edges, nNodes), nNodes)
  const { sources, targets, flags } = edges

  // count the slots of every node
  const offsets = new Uint32Array(nNodes + 1)
  for (const e of kept) {
    offsets[sources[e] + 1]++
    if (hasMirror(flags[e], sources[e], targets[e])) offsets[targets[e] + 1]++
  }
  for (let v = 0; v < nNodes; v++) offsets[v + 1] += offsets[v]

  const nSlots = offsets[nNodes]
  const slots: Slots = {
    nLogical: kept.length,
    offsets,
    targets: new Uint32Array(nSlots),
    relations: new Uint32Array(nSlots),
    weights: new Float32Array(nSlots),
    causal: new Float32Array(nSlots),
    flags: new Uint8Array(nSlots),
    tiers: new Uint8Array(nSlots),
    lines: new Uint32Array(nSlots),
    mirrors: new Uint32Array(nSlots).fill(NONE),
  }
  const next = offsets.slice(0, nNodes)
  const put = (slot: number, e: number, target: number, flag: number, line: number) => {
    slots.targets[slot] = target
    slots.relations[slot] = edges.relations[e]
    slots.weights[slot] = edges.weights[e]
    slots.causal[slot] = edges.causal[e]
    slots.flags[slot] = flag
    slots.tiers[slot] = edges.tiers[e]
    slots.lines[slot] = line
  }
  for (const e of kept) {
    const slot = next[sources[e]]++
    put(slot, e, targets[e], flags[e] | PRIMARY, edges.lines[e])
    if (!hasMirror(flags[e], sources[e], targets[e])) continue
    // the line stands in the file of the primary's source, so the mirror has none
    const mirror = next[targets[e]]++
    put(mirror, e, sources[e], flags[e], 0)
    slots.mirrors[slot] = mirror
    slots.mirrors[mirror] = slot
  }
  return slots
}

/** In-edges of all nodes, those of a node in the order of their slots. */
export function reverse(offsets: Uint32Array, targets: Uint32Array): InCsr {
  const nNodes = offsets.length - 1
  const inOffsets = new Uint32Array(nNodes + 1)
  for (let e = 0; e < targets.length; e++) inOffsets[targets[e] + 1]++
  for (let v = 0; v < nNodes; v++) inOffsets[v + 1] += inOffsets[v]

  const sources = new Uint32Array(targets.length)
  const slots = new Uint32Array(targets.length)
  const next = inOffsets.slice(0, nNodes)
  for (let v = 0; v < nNodes; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const i = next[targets[e]]++
      sources[i] = v
      slots[i] = e
    }
  }
  return { offsets: inOffsets, targets: sources, slots }
}

function hasMirror(flags: number, source: number, target: number): boolean {
  return (flags & BIDIRECTIONAL) !== 0 && source !== target
}

function read(input: readonly EdgeInput[], nNodes: number, strings: StringsBuilder): Logical {
  const n = input.length
  const edges: Logical = {
    sources: new Uint32Array(n),
    targets: new Uint32Array(n),
    relations: new Uint32Array(n),
    weights: new Float32Array(n),
    causal: new Float32Array(n),
    flags: new Uint8Array(n),
    tiers: new Uint8Array(n),
    lines: new Uint32Array(n),
  }
  const handles = new Map<string, number>()
  for (let e = 0; e < n; e++) {
    const edge = input[e]
    const { source, target, relation } = edge
    if (!(source >= 0 && source < nNodes && target >= 0 && target < nNodes)) {
      throw new Error(`edge ${e} runs from node ${source} to node ${target}, but there are ${nNodes} nodes`)
    }
    let handle = handles.get(relation)
    if (handle === undefined) {
      handle = strings.intern(relation)
      handles.set(relation, handle)
    }
    edges.sources[e] = source
    edges.targets[e] = target
    edges.relations[e] = handle
    edges.weights[e] = between(edge.weight, MAX_WEIGHT)
    edges.causal[e] = between(edge.causal, 1)
    edges.tiers[e] = edge.tier === undefined ? GIVEN : (tierCodes.get(edge.tier) ?? GIVEN)
    edges.lines[e] = edge.line ?? 0
    let flags = 0
    if (edge.inhibitory ?? isInhibitory(relation)) flags |= INHIBITORY
    if (edge.bidirectional) flags |= BIDIRECTIONAL
    if (edge.lifted) flags |= LIFTED
    if (edge.unreachable) flags |= UNREACHABLE
    edges.flags[e] = flags
  }
  return edges
}

/** A number from 0 to `max`; what is no number is 0. */
function between(value: number, max: number): number {
  return value > 0 ? Math.min(value, max) : 0
}

/**
 * Merges edges of the same ends and relation into the first of them and returns the indices of those that
 * stay, ascending. A bidirectional edge also takes in edges that run the other way, since it has a slot there
 * already; the first bidirectional one decides which end is the source.
 */
function mergeDuplicates(edges: Logical, nNodes: number): Uint32Array {
  const { sources, targets, relations, flags, lines } = edges
  const nEdges = sources.length

  // first[e]: the first edge between the same two nodes, either way, with the same relation
  const low = new Uint32Array(nEdges)
  for (let e = 0; e < nEdges; e++) low[e] = Math.min(sources[e], targets[e])
  const order = bySource(low, null, nNodes)
  const first = new Uint32Array(nEdges)
  // per far end, the firsts seen at the current near end, as a chain through `next`
  const head = new Uint32Array(nNodes).fill(NONE)
  const next = new Uint32Array(nEdges)
  for (let begin = 0; begin < nEdges; ) {
    const near = low[order[begin]]
    let end = begin
    for (; end < nEdges && low[order[end]] === near; end++) {
      const e = order[end]
      const far = Math.max(sources[e], targets[e])
      let it = head[far]
      while (it !== NONE && relations[it] !== relations[e]) it = next[it]
      first[e] = it === NONE ? e : it
      if (it !== NONE) continue
      next[e] = head[far]
      head[far] = e
    }
    for (let i = begin; i < end; i++) head[Math.max(sources[order[i]], targets[order[i]])] = NONE
    begin = end
  }

  const bidirectional = order.fill(NONE)
  for (let e = 0; e < nEdges; e++) {
    if (flags[e] & BIDIRECTIONAL && bidirectional[first[e]] === NONE) bidirectional[first[e]] = e
  }

  // the first edge that runs against the first one, where the two stay apart
  const opposite = next.fill(NONE)
  const kept = low
  let nKept = 0
  for (let e = 0; e < nEdges; e++) {
    let into = first[e]
    const decides = bidirectional[into]
    if (decides === NONE && sources[e] !== sources[into]) {
      if (opposite[into] === NONE) opposite[into] = e
      into = opposite[into]
    }
    if (into !== e) {
      combine(edges, into, e)
      continue
    }
    kept[nKept++] = e
    if (decides !== NONE && sources[e] !== sources[decides]) {
      const source = sources[e]
      sources[e] = targets[e]
      targets[e] = source
      lines[e] = 0
    }
  }
  return kept.slice(0, nKept)
}

function combine({ sources, weights, causal, flags, tiers, lines }: Logical, into: number, e: number): void {
  if (weights[e] > weights[into]) weights[into] = weights[e]
  if (causal[e] > causal[into]) causal[into] = causal[e]
  if (tiers[e] < tiers[into]) tiers[into] = tiers[e]
  flags[into] = ((flags[into] | flags[e]) & ~UNREACHABLE) | (flags[into] & flags[e] & UNREACHABLE)
  if (sources[e] !== sources[into] || lines[e] === 0) return
  if (lines[into] === 0 || lines[e] < lines[into]) lines[into] = lines[e]
}

/** Edges (all, or those of `which`) in ascending order of `sources[e]`, equal ones as they came. */
function bySource(sources: Uint32Array, which: Uint32Array | null, nNodes: number): Uint32Array {
  const n = which === null ? sources.length : which.length
  const next = new Uint32Array(nNodes + 1)
  for (let i = 0; i < n; i++) next[sources[which === null ? i : which[i]] + 1]++
  for (let v = 0; v < nNodes; v++) next[v + 1] += next[v]
  const sorted = new Uint32Array(n)
  for (let i = 0; i < n; i++) {
    const e = which === null ? i : which[i]
    sorted[next[sources[e]]++] = e
  }
  return sorted
}
