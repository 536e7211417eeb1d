/** Regions of a graph that somebody keeps an eye on: what lies in them, what they looked like, and how that differs. */

import { DEAD_EDGE, DIRECTORY, FILE, type Graph, keyOf, NONE, type NodeId, PRIMARY, relationOf } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { isContainment } from '#graph/relations'

/** A smaller change of a weight is none. */
const WEIGHT_CHANGE = 0.001

/**
 * A region as it was, without the graph. Edges are parallel lists of positions in `keys` and `relations`; those inside
 * come first and have weights, then those with one end outside.
 */
export type Snapshot = {
  /** Ids of the nodes inside, then of the outer ends of edges. */
  keys: string[]
  nInside: number
  relations: string[]
  sources: number[]
  targets: number[]
  kinds: number[]
  /** Of the edges inside, along the edge and against it; the same where it runs one way. */
  weights: number[]
  backWeights: number[]
}

/**
 * All nodes within `radius` steps of the roots, in both directions of edges. What only stands beside something is not
 * next to it, and what holds files (folders, packages) is walked from above only, starting at a root: else two steps
 * would take in the whole folder of each file.
 */
export function ballAround(graph: Graph, roots: readonly NodeId[], radius: number): NodeId[] {
  const inside = new Set(roots)
  /** Roots, and what was reached from one by going from wholes to files only. */
  const above = new Set(roots)
  let rim = [...inside]
  const skipped = siblings(graph)
  for (let hop = 0; hop < radius && rim.length > 0; hop++) {
    const next: NodeId[] = []
    for (const v of rim) {
      const reach = (slot: number, u: NodeId, outgoing: boolean) => {
        if (graph.flags[slot] & DEAD_EDGE || graph.relations[slot] === skipped || graph.dead[u] === 1) return
        if (inside.has(u)) return
        if (isContainment(relationOf(graph, slot))) {
          const isDown = outgoing === ((graph.flags[slot] & PRIMARY) !== 0)
          if (isPlace(graph, isDown ? u : v)) {
            if (!isDown || !above.has(v)) return
            above.add(u)
          }
        }
        inside.add(u)
        next.push(u)
      }
      for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) reach(e, graph.out.targets[e], true)
      for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++)
        reach(graph.in.slots[i], graph.in.targets[i], false)
    }
    rim = next
  }
  return [...inside].sort((a, b) => a - b)
}

function isPlace(graph: Graph, v: NodeId): boolean {
  return graph.types[v] === FILE || graph.types[v] === DIRECTORY
}

/** The handle of the relation of files that only stand side by side. */
function siblings(graph: Graph): number {
  return graph.strings.find('sibling')
}

/** What the region of these nodes looks like now. */
export function takeSnapshot(graph: Graph, nodes: readonly NodeId[]): Snapshot {
  const positions = new Map<NodeId, number>()
  const keys: string[] = []
  const position = (v: NodeId) => {
    const known = positions.get(v)
    if (known !== undefined) return known
    positions.set(v, keys.length)
    return keys.push(keyOf(graph, v)) - 1
  }
  for (const v of nodes) position(v)
  const relations: string[] = []
  const kindOf = new Map<number, number>()
  const kind = (slot: number) => {
    const handle = graph.relations[slot]
    const known = kindOf.get(handle)
    if (known !== undefined) return known
    kindOf.set(handle, relations.length)
    return relations.push(relationOf(graph, slot)) - 1
  }

  const snapshot: Snapshot = {
    keys,
    nInside: nodes.length,
    relations,
    sources: [],
    targets: [],
    kinds: [],
    weights: [],
    backWeights: [],
  }
  const add = (slot: number, source: NodeId, target: NodeId) => {
    snapshot.sources.push(position(source))
    snapshot.targets.push(position(target))
    snapshot.kinds.push(kind(slot))
  }
  const inside = new Set(nodes)
  const skipped = siblings(graph)
  const counts = (slot: number) =>
    (graph.flags[slot] & (PRIMARY | DEAD_EDGE)) === PRIMARY && graph.relations[slot] !== skipped
  const outgoing: [slot: number, source: NodeId, target: NodeId][] = []
  for (const v of nodes) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if (!counts(e)) continue
      const u = graph.out.targets[e]
      if (!inside.has(u)) {
        outgoing.push([e, v, u])
        continue
      }
      add(e, v, u)
      snapshot.weights.push(rounded(graph.weights[e]))
      snapshot.backWeights.push(rounded(graph.weights[graph.mirrors[e] === NONE ? e : graph.mirrors[e]]))
    }
  }
  for (const [slot, source, target] of outgoing) add(slot, source, target)
  for (const v of nodes) {
    for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
      const u = graph.in.targets[i]
      if (counts(graph.in.slots[i]) && !inside.has(u)) add(graph.in.slots[i], u, v)
    }
  }
  return snapshot
}

/** Six decimals are far below a change that counts. */
function rounded(weight: number): number {
  return Math.round(weight * 1e6) / 1e6
}

export interface WeightChange {
  edge_key: string
  old_weight: number
  new_weight: number
}

/** Everything in the order of the snapshot that it stands in, without any cut. */
export interface Difference {
  newNodes: string[]
  removedNodes: string[]
  newEdges: string[]
  removedEdges: string[]
  boundaryAdded: string[]
  boundaryRemoved: string[]
  weightChanges: WeightChange[]
}

export function compareSnapshots(before: Snapshot, after: Snapshot): Difference {
  const [was, is] = [edgesOf(before), edgesOf(after)]
  const nodesBefore = new Set(before.keys.slice(0, before.nInside))
  const nodesAfter = new Set(after.keys.slice(0, after.nInside))
  const weightChanges: WeightChange[] = []
  for (const [key, i] of is.inside) {
    const j = was.inside.get(key)
    if (j === undefined) continue
    const along = after.weights[i] - before.weights[j]
    const back = after.backWeights[i] - before.backWeights[j]
    if (Math.max(Math.abs(along), Math.abs(back)) <= WEIGHT_CHANGE) continue
    const [from, to] =
      Math.abs(along) >= Math.abs(back)
        ? [before.weights[j], after.weights[i]]
        : [before.backWeights[j], after.backWeights[i]]
    weightChanges.push({ edge_key: key, old_weight: from, new_weight: to })
  }
  return {
    newNodes: without(nodesAfter, nodesBefore),
    removedNodes: without(nodesBefore, nodesAfter),
    newEdges: without(is.inside.keys(), was.inside),
    removedEdges: without(was.inside.keys(), is.inside),
    boundaryAdded: without(is.boundary, was.boundary),
    boundaryRemoved: without(was.boundary, is.boundary),
    weightChanges,
  }
}

export function isEmpty(difference: Difference): boolean {
  return Object.values(difference).every((it) => it.length === 0)
}

/** Edges by their text, `source->target|relation`: those inside with their position, and those over the boundary. */
function edgesOf(snapshot: Snapshot): { inside: Map<string, number>; boundary: Set<string> } {
  const { keys, relations, sources, targets, kinds, weights } = snapshot
  const inside = new Map<string, number>()
  const boundary = new Set<string>()
  for (let i = 0; i < sources.length; i++) {
    const key = `${keys[sources[i]]}->${keys[targets[i]]}|${relations[kinds[i]]}`
    if (i < weights.length) inside.set(key, i)
    else boundary.add(key)
  }
  return { inside, boundary }
}

function without(all: Iterable<string>, known: { has(key: string): boolean }): string[] {
  return [...all].filter((it) => !known.has(it))
}

/** The slots with both ends among these nodes, both halves of those that have two. */
export function slotsInside(graph: Graph, nodes: readonly NodeId[]): number[] {
  const inside = new Set(nodes)
  const slots: number[] = []
  for (const v of nodes) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & DEAD_EDGE) === 0 && inside.has(graph.out.targets[e])) slots.push(e)
    }
  }
  return slots
}

const UNKNOWN = 0
const SAME = 1
const OTHER = 2

/** Two graphs of the same code, one after the other; what was found out about a node is kept for further questions. */
export class Succession {
  readonly #before: Graph
  readonly #after: Graph
  readonly #counterparts = new Map<NodeId, NodeId>()
  readonly #sameness: Uint8Array

  constructor(before: Graph, after: Graph) {
    this.#before = before
    this.#after = after
    this.#sameness = new Uint8Array(before.nNodes)
  }

  /**
   * Whether anything of a region is another than before: a node came, went, changed, or has other neighbours. A node
   * counts as changed when its length, excerpt or the time of its file did. Weights do not count.
   */
  isTouched(before: readonly NodeId[], after: readonly NodeId[]): boolean {
    if (before.length !== after.length) return true
    const now = new Set(after)
    return before.some((v) => !now.has(this.#counterpart(v)) || !this.#isSame(v))
  }

  #counterpart(v: NodeId): NodeId {
    const known = this.#counterparts.get(v)
    if (known !== undefined) return known
    const found = nodeByKey(this.#after, keyOf(this.#before, v))
    this.#counterparts.set(v, found)
    return found
  }

  #isSame(v: NodeId): boolean {
    if (this.#sameness[v] === UNKNOWN) {
      const u = this.#counterpart(v)
      const same = u !== NONE && this.#isLike(v, u) && this.#sameEdges(v, u)
      this.#sameness[v] = same ? SAME : OTHER
    }
    return this.#sameness[v] === SAME
  }

  #isLike(v: NodeId, u: NodeId): boolean {
    const [a, b] = [this.#before, this.#after]
    return (
      a.types[v] === b.types[u] &&
      a.lastModified[v] === b.lastModified[u] &&
      a.lineEnd[v] - a.lineStart[v] === b.lineEnd[u] - b.lineStart[u] &&
      textOf(a, a.excerpts[v]) === textOf(b, b.excerpts[u])
    )
  }

  #sameEdges(v: NodeId, u: NodeId): boolean {
    const after = new Map<string, number>()
    for (const it of edgesAt(this.#after, u, (w) => w)) after.set(it, (after.get(it) ?? 0) + 1)
    for (const it of edgesAt(this.#before, v, (w) => this.#counterpart(w))) {
      const left = after.get(it) ?? 0
      if (left === 0) return false
      if (left === 1) after.delete(it)
      else after.set(it, left - 1)
    }
    return after.size === 0
  }
}

function textOf(graph: Graph, handle: number): string {
  return handle === NONE ? '' : graph.strings.get(handle)
}

/** The edges of a node as texts that are the same in both graphs when the other ends are. */
function* edgesAt(graph: Graph, v: NodeId, name: (u: NodeId) => NodeId): Generator<string> {
  const skipped = siblings(graph)
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    if (graph.flags[e] & DEAD_EDGE || graph.relations[e] === skipped) continue
    yield `> ${relationOf(graph, e)} ${name(graph.out.targets[e])}`
  }
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const e = graph.in.slots[i]
    if (graph.flags[e] & DEAD_EDGE || graph.relations[e] === skipped) continue
    yield `< ${relationOf(graph, e)} ${name(graph.in.targets[i])}`
  }
}
