/** How reports travel along edges: who feels a change, which edges count as proof, how a step is called. */

import {
  DEAD_EDGE,
  FILE,
  type Graph,
  GUESS,
  INHIBITORY,
  keyOf,
  type NodeId,
  NONE,
  OBSERVED,
  PRIMARY,
  relationOf,
  text,
  UNREACHABLE,
} from '#graph/graph'
import { influence, inverse, isContainment } from '#graph/relations'

/** Bits of a relation's kind. */
/** A change of the source is felt by the target. */
export const FORWARD = 1
/** A change of the target is felt by the source, which depends on it. */
export const REVERSE = 2
/** One end is a part of the other. */
export const CONTAINMENT = 4
/** The source is a subtype of the target. */
export const INHERITANCE = 8
export const TESTS = 16
/** Containment that runs from the part to the whole. */
const FROM_PART = 32
const KNOWN = 64

/** Bits of a slot besides. */
/** Removed, inhibitory, or the half of an inheritance that is only there to spread. */
export const BLOCKED = 128
export const GUESSED = 256
/** Stands in code that cannot run. */
export const IDLE = 512
/** One half of a pair. */
const PAIRED = 1024
/** A string or a setting names the target. */
const NAMING = 4096
/** Rests on a text of a file alone: then that text is what a change is felt by, not what else the file is used for. */
export const NAMED_BY_FILE = 2048

const INHERITING = new Set(['implements', 'inherits', 'implements_trait'])

const known = new WeakMap<Graph, Pick<Kinds, 'bySlot' | 'byInEdge'>>()

/** What walks need to know of every slot, put together once per graph: one number instead of five columns, four bytes an edge. */
export class Kinds {
  /** Bits by slot. */
  readonly bySlot: Uint16Array
  /** The same in the order of in-edges, so that most of them need no look at their slot. */
  readonly byInEdge: Uint16Array

  constructor(graph: Graph) {
    let columns = known.get(graph)
    if (columns === undefined) {
      const bySlot = kindsOfSlots(graph)
      columns = { bySlot, byInEdge: Uint16Array.from(graph.in.slots, (e) => bySlot[e]) }
      known.set(graph, columns)
    }
    this.bySlot = columns.bySlot
    this.byInEdge = columns.byInEdge
  }

  of(slot: number): number {
    return this.bySlot[slot]
  }
}

function kindsOfSlots(graph: Graph): Uint16Array {
  const { nNodes, nEdges, types, out, relations, flags, tiers, mirrors, strings } = graph
  const ofRelation = new Uint16Array(strings.count)
  const bySlot = new Uint16Array(nEdges)
  for (let e = 0; e < nEdges; e++) {
    const handle = relations[e]
    let kind: number = ofRelation[handle]
    if (kind === 0) {
      kind = KNOWN | kindOf(relationOf(graph, e))
      ofRelation[handle] = kind
    }
    const isBlocked =
      (flags[e] & (DEAD_EDGE | INHIBITORY)) !== 0 || ((kind & INHERITANCE) !== 0 && (flags[e] & PRIMARY) === 0)
    bySlot[e] =
      kind |
      (isBlocked ? BLOCKED : 0) |
      (tiers[e] === GUESS ? GUESSED : 0) |
      ((flags[e] & UNREACHABLE) !== 0 ? IDLE : 0) |
      (mirrors[e] !== NONE ? PAIRED : 0)
  }
  for (let v = 0; v < nNodes; v++) {
    if (types[v] !== FILE) continue
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) if ((bySlot[e] & NAMING) !== 0) bySlot[e] |= NAMED_BY_FILE
  }
  return bySlot
}

function kindOf(relation: string): number {
  const felt = influence(relation)
  if (felt === 'none') return 0
  if (isContainment(relation) || (felt === 'both' && relation.startsWith('declares_'))) {
    return FORWARD | REVERSE | CONTAINMENT | (relation === 'subsection_of' ? FROM_PART : 0)
  }
  let kind = felt === 'both' ? FORWARD | REVERSE : felt === 'forward' ? FORWARD : REVERSE
  if (INHERITING.has(relation)) kind |= INHERITANCE
  if (relation === 'tests') kind |= TESTS
  if (relation === 'names') kind |= NAMING
  return kind
}

/** True when the slot's source is the whole and its target the part. */
export function leadsToPart(graph: Graph, slot: number, kind: number): boolean {
  return ((graph.flags[slot] & PRIMARY) !== 0) !== ((kind & FROM_PART) !== 0)
}

/** The relation as read along a step; `along` when the step goes from the slot's source to its target. */
export function stepName(graph: Graph, slot: number, along: boolean): string {
  const relation = relationOf(graph, slot)
  return ((graph.flags[slot] & PRIMARY) !== 0) === along ? relation : inverse(relation)
}

/** Where in the code an edge is stated, `path:line`; the key of its source where that is no code. */
export function placeOf(graph: Graph, slot: number): string {
  const source = sourceOf(graph, slot)
  const path = text(graph, graph.paths[source])
  if (path === '') return keyOf(graph, source)
  return graph.lines[slot] > 0 ? `${path}:${graph.lines[slot]}` : path
}

/** `named_at` of an edge that rests on a string or a setting: where that stands. */
export function namedAt(graph: Graph, slot: number): { named_at?: string } {
  return relationOf(graph, slot) !== 'names' ? {} : { named_at: placeOf(graph, slot) }
}

/** The node whose out-edges a slot is among. */
function sourceOf({ out, nNodes }: Graph, slot: number): NodeId {
  let low = 0
  let high = nNodes
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (out.offsets[middle] <= slot) low = middle
    else high = middle
  }
  return low
}

/** True for edges that the code itself states: no guess, and neither history nor place alone stands behind them. */
export function isProof(graph: Graph, kinds: Kinds, slot: number): boolean {
  const tier = graph.tiers[slot]
  return tier !== GUESS && tier !== OBSERVED && (kinds.of(slot) & (FORWARD | REVERSE)) !== 0
}

/** What a walk left out. */
export interface Skipped {
  /** Edges that are only guesses. */
  guesses: number
  /** References in code that cannot run. */
  unreachable: number
}

/** One step of influence: the other end, the slot, and whether it goes from the slot's source to its target. */
export type Visit = (u: NodeId, slot: number, kind: number, along: boolean) => void

export interface InfluenceOptions {
  /** `dependents`: who feels a change of the node. `dependencies`: whose changes it feels. */
  direction: 'dependents' | 'dependencies'
  includeGuesses: boolean
  /** Bits of which a kind must have one, all when left out. */
  only?: number
}

/** Kinds by which what is reached through a part of it alone is left again: to subtypes, tests and wholes. */
export const FROM_PARTLY = INHERITANCE | TESTS | CONTAINMENT
const ANY = 0xffff

/**
 * Visits the nodes that a change of `v` is felt by (or that `v` feels), edge by edge. Subtypes are stored in
 * both directions for the sake of spreading, but only the subtype depends on its supertype; containment
 * counts both ways. Inhibitory and removed edges carry nothing.
 */
export function eachInfluence(
  graph: Graph,
  kinds: Kinds,
  v: NodeId,
  { direction, includeGuesses, only = ANY }: InfluenceOptions,
  skipped: Skipped,
  visit: Visit,
): void {
  const { out, in: into, dead } = graph
  const { bySlot, byInEdge } = kinds
  const alongBit = direction === 'dependents' ? FORWARD : REVERSE
  const againstBit = direction === 'dependents' ? REVERSE : FORWARD
  const doubtful = includeGuesses ? IDLE : IDLE | GUESSED

  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
    const kind = bySlot[e]
    // either half of a pair stands for both, save for subtypes
    const bits = (kind & (PAIRED | INHERITANCE)) === PAIRED ? FORWARD | REVERSE : alongBit
    if ((kind & bits) === 0 || (kind & BLOCKED) !== 0) continue
    if ((kind & (only | doubtful)) === 0) continue
    const u = out.targets[e]
    if (u === v || dead[u] === 1) continue
    if ((kind & doubtful) === 0) visit(u, e, kind, true)
    else leaveOut(kind & doubtful, skipped)
  }
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) {
    const kind = byInEdge[i]
    if ((kind & againstBit) === 0 || (kind & BLOCKED) !== 0 || (kind & (PAIRED | INHERITANCE)) === PAIRED) continue
    if ((kind & (only | doubtful)) === 0) continue
    const u = into.targets[i]
    if (u === v || dead[u] === 1) continue
    if ((kind & doubtful) === 0) visit(u, into.slots[i], kind, false)
    else leaveOut(kind & doubtful, skipped)
  }
}

/** Counts a slot that a walk does not follow; of a guess in code that cannot run it is the guess that counts. */
export function leaveOut(doubts: number, skipped: Skipped): void {
  if ((doubts & GUESSED) !== 0) skipped.guesses++
  else skipped.unreachable++
}
