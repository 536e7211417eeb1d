/** From edge records to the columns of edge slots: read, merge duplicates, sort, expand. */

import { BIDIRECTIONAL, GIVEN, type InCsr, INHIBITORY, LIFTED, NONE, PRIMARY, TIERS, UNREACHABLE } from '#graph/graph'
import type { EdgeInput } from '#graph/input'
import { isInhibitory } from '#graph/relations'

/** Logical edges as columns; a bidirectional edge once, as it was added. */
export interface Logical {
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
 * primary slots, read in order and built again, give the same slots. `relationOf` gives a number to every
 * relation. Throws on an end outside of the nodes.
 */
export function expand(input: readonly EdgeInput[], nNodes: number, relationOf: (text: string) => number): Slots {
  const { edges, kept, relations } = readLogical(input, nNodes)
  const slots = layOut(edges, kept, nNodes)
  // numbered by slots, since the order of the input leaves no trace in them
  const numbers = new Uint32Array(relations.length).fill(NONE)
  for (let e = 0; e < slots.relations.length; e++) {
    const relation = slots.relations[e]
    if (numbers[relation] === NONE) numbers[relation] = relationOf(relations[relation])
    slots.relations[e] = numbers[relation]
  }
  return slots
}

/** Logical edges by source, as positions `kept` in the columns; relations are positions in the list of their names. */
export function readLogical(
  input: readonly EdgeInput[],
  nNodes: number,
): { edges: Logical; kept: Uint32Array; relations: string[] } {
  const { edges, relations } = read(input, nNodes)
  return { edges, kept: bySource(edges.sources, mergeDuplicates(edges, nNodes), nNodes), relations }
}

/** Slots of the edges `kept`, which come by source. */
export function layOut(edges: Logical, kept: Uint32Array, nNodes: number): Slots {
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
  for (const e of kept) {
    const source = sources[e]
    const target = targets[e]
    const slot = next[source]++
    slots.targets[slot] = target
    slots.lines[slot] = edges.lines[e]
    slots.flags[slot] = flags[e] | PRIMARY
    copySlot(edges, e, slots, slot)
    if (!hasMirror(flags[e], source, target)) continue
    // the line stands in the file of the primary's source, so the mirror has none
    const mirror = next[target]++
    slots.targets[mirror] = source
    slots.flags[mirror] = flags[e]
    copySlot(edges, e, slots, mirror)
    slots.mirrors[slot] = mirror
    slots.mirrors[mirror] = slot
  }
  return slots
}

/** What an edge and its mirror have in common. */
function copySlot(edges: Logical, e: number, slots: Slots, slot: number): void {
  slots.relations[slot] = edges.relations[e]
  slots.weights[slot] = edges.weights[e]
  slots.causal[slot] = edges.causal[e]
  slots.tiers[slot] = edges.tiers[e]
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

/** The records as columns; relations are positions in the list of their names. */
function read(input: readonly EdgeInput[], nNodes: number): { edges: Logical; relations: string[] } {
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
  const positions = new Map<string, number>()
  for (let e = 0; e < n; e++) {
    const edge = input[e]
    const { source, target, relation } = edge
    if (!(source >= 0 && source < nNodes && target >= 0 && target < nNodes)) {
      throw new Error(`edge ${e} runs from node ${source} to node ${target}, but there are ${nNodes} nodes`)
    }
    let position = positions.get(relation)
    if (position === undefined) {
      position = positions.size
      positions.set(relation, position)
    }
    edges.sources[e] = source
    edges.targets[e] = target
    edges.relations[e] = position
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
  return { edges, relations: [...positions.keys()] }
}

/** A number from 0 to `max`; what is no number is 0. */
function between(value: number, max: number): number {
  return value > 0 ? Math.min(value, max) : 0
}

/**
 * Merges edges of the same source, target and relation into the first of them and returns the indices of
 * those that stay, ascending. A bidirectional edge also takes in the edge that runs the other way, since it
 * has a slot there already; which end is the source is decided by the bidirectional one, or by the first if
 * both are.
 */
function mergeDuplicates(edges: Logical, nNodes: number): Uint32Array {
  const { sources, targets, relations, flags, lines } = edges
  const nEdges = sources.length
  const gone = new Uint8Array(nEdges)

  // per target, the edges of the current source, as a chain through `next`
  const order = bySource(sources, null, nNodes)
  const head = new Uint32Array(nNodes).fill(NONE)
  const next = new Uint32Array(nEdges)
  const find = (it: number, relation: number): number => {
    while (it !== NONE && relations[it] !== relation) it = next[it]
    return it
  }
  for (let begin = 0; begin < nEdges; ) {
    const source = sources[order[begin]]
    let end = begin
    for (; end < nEdges && sources[order[end]] === source; end++) {
      const e = order[end]
      const same = find(head[targets[e]], relations[e])
      if (same === NONE) {
        next[e] = head[targets[e]]
        head[targets[e]] = e
      } else {
        combine(edges, same, e)
        gone[e] = 1
      }
    }
    for (let i = begin; i < end; i++) head[targets[order[i]]] = NONE
    begin = end
  }

  // pair every bidirectional edge with the one against it: those that come in at v, by source, with those that go out
  const bidirectional = new Uint32Array(nEdges)
  let nBidirectional = 0
  for (let e = 0; e < nEdges; e++) {
    if (!gone[e] && hasMirror(flags[e], sources[e], targets[e])) bidirectional[nBidirectional++] = e
  }
  const incoming = bySource(targets, bidirectional.subarray(0, nBidirectional), nNodes)
  const against = bidirectional.fill(NONE)
  for (let begin = 0, out = 0; begin < nBidirectional; ) {
    const v = targets[incoming[begin]]
    let end = begin
    for (; end < nBidirectional && targets[incoming[end]] === v; end++) {
      const e = incoming[end]
      next[e] = head[sources[e]]
      head[sources[e]] = e
    }
    while (out < nEdges && sources[order[out]] < v) out++
    for (; out < nEdges && sources[order[out]] === v; out++) {
      const f = order[out]
      const e = gone[f] ? NONE : find(head[targets[f]], relations[f])
      if (e === NONE) continue
      against[e] = f
      against[f] = e
    }
    for (let i = begin; i < end; i++) head[sources[incoming[i]]] = NONE
    begin = end
  }

  const kept = order
  let nKept = 0
  for (let e = 0; e < nEdges; e++) {
    const other = against[e]
    if (gone[e] || other < e) continue
    kept[nKept++] = e
    if (other === NONE) continue
    if ((flags[e] & BIDIRECTIONAL) === 0) {
      sources[e] = sources[other]
      targets[e] = targets[other]
      lines[e] = 0
    }
    combine(edges, e, other)
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
