/**
 * Look-alikes: nodes that answer the same probes alike (where they stand) and have edges of the same kinds (what role
 * they play).
 */

import { communitiesOf } from '#analysis/communities'
import { DEAD_EDGE, DIRECTORY, type Graph, type NodeId, NONE, PRIMARY } from '#graph/graph'
import { poolOf } from '#query/node-values'
import type { Seed } from '#query/seeds'
import { spread } from '#query/spread'

export const PROBES = 5
/** Pairs that are compared at most. */
const COMPARISONS = 100_000
const PAIRS_KEPT = 50

/** Seeds of one activation whose strength at a node is one number of its fingerprint. */
export type Probe = readonly Seed[]

/** Responses per probe, one number per node. */
export type Responses = readonly Float64Array[]

export function respond(graph: Graph, probes: readonly Probe[]): Responses {
  const pool = poolOf(graph, graph.nNodes)
  return probes.map((seeds) => {
    const response = new Float64Array(graph.nNodes)
    if (seeds.length === 0) return response
    const reached = spread(graph, seeds)
    for (let i = 0; i < reached.count; i++) response[reached.nodes[i]] = reached.value[reached.nodes[i]]
    pool.give(reached)
    return response
  })
}

/**
 * The five strongest distinct neighbours of a node (by weight, then PageRank), filled up with the top nodes of the
 * largest communities; without a node only these.
 */
export function probesFor(graph: Graph, target: NodeId | null): NodeId[] {
  const probes = target === null ? [] : neighboursOf(graph, target).slice(0, PROBES)
  for (const top of communityTops(graph)) {
    if (probes.length >= PROBES) break
    if (top !== target && !probes.includes(top)) probes.push(top)
  }
  return probes
}

function neighboursOf({ out, in: into, weights, pagerank, flags, dead }: Graph, v: NodeId): NodeId[] {
  const best = new Map<NodeId, number>()
  const offer = (u: NodeId, slot: number) => {
    if (u === v || dead[u] === 1 || (flags[slot] & DEAD_EDGE) !== 0) return
    best.set(u, Math.max(best.get(u) ?? 0, weights[slot]))
  }
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) offer(out.targets[e], e)
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) offer(into.targets[i], into.slots[i])
  return [...best].sort(([a, x], [b, y]) => y - x || pagerank[b] - pagerank[a] || a - b).map(([u]) => u)
}

const tops = new WeakMap<Graph, NodeId[]>()

/** The node with the most PageRank of each community, of the largest community first; folders stand for nothing. */
function communityTops(graph: Graph): NodeId[] {
  const before = tops.get(graph)
  if (before !== undefined) return before
  const { of, count } = communitiesOf(graph)
  const sizes = new Uint32Array(count)
  const top = new Uint32Array(count).fill(NONE)
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1 || graph.types[v] === DIRECTORY) continue
    const c = of[v]
    sizes[c]++
    if (top[c] === NONE || graph.pagerank[v] > graph.pagerank[top[c]]) top[c] = v
  }
  const found = Array.from(top.keys())
    .filter((c) => top[c] !== NONE)
    .sort((a, b) => sizes[b] - sizes[a] || a - b)
    .map((c) => top[c])
  tops.set(graph, found)
  return found
}

export interface Equivalent {
  node: NodeId
  /** 0..1 */
  similarity: number
  sharedNeighbours: number
  connected: boolean
}

export interface LookAlikes {
  /** At least as alike as the threshold, most alike first, then by node. */
  equivalents: Equivalent[]
  compared: number
  /** The limit of comparisons left some out. */
  limited: boolean
}

/** Nodes of the target's type in its bucket or in one that differs in one probe, without its parent and its parts. */
export function lookAlikes(graph: Graph, target: NodeId, responses: Responses, threshold: number): LookAlikes {
  const { parents, types } = graph
  const peers = nodesOfType(graph, types[target])
  const patternOf = patterns(responses, peers)
  const own = patternOf(target)
  const near = new Set(neighboursOf(graph, target))
  const likeness = new Likeness(graph, responses)
  const equivalents: Equivalent[] = []
  let compared = 0
  let limited = false
  for (const v of peers) {
    if (v === target || parents[v] === target || parents[target] === v || bits(patternOf(v) ^ own) > 1) continue
    if (compared === COMPARISONS) {
      limited = true
      break
    }
    compared++
    const alike = likeness.of(target, v)
    if (alike < threshold) continue
    const theirs = neighboursOf(graph, v)
    equivalents.push({
      node: v,
      similarity: alike,
      sharedNeighbours: theirs.filter((it) => near.has(it)).length,
      connected: near.has(v),
    })
  }
  equivalents.sort((a, b) => b.similarity - a.similarity || a.node - b.node)
  return { equivalents, compared, limited }
}

export interface Pair {
  a: NodeId
  b: NodeId
  similarity: number
  connected: boolean
}

/**
 * Pairs of one type and bucket among the nodes that any probe reaches. Where there are too many to compare them all,
 * nodes are put in order of their degree, which nodes of one role share, and each is compared with those that follow.
 */
export function lookAlikePairs(
  graph: Graph,
  responses: Responses,
  threshold: number,
): { pairs: Pair[]; total: number; compared: number; limited: boolean } {
  const likeness = new Likeness(graph, responses)
  const groups = bucketsOf(graph, responses)
  const all = groups.reduce((sum, it) => sum + (it.length * (it.length - 1)) / 2, 0)
  const nodes = groups.reduce((sum, it) => sum + it.length, 0)
  const limited = all > COMPARISONS
  const window = limited ? Math.max(1, Math.floor(COMPARISONS / Math.max(1, nodes))) : Number.POSITIVE_INFINITY
  const found: Pair[] = []
  let compared = 0
  for (const bucket of groups) {
    if (compared === COMPARISONS) break
    const group = limited ? byDegree(graph, bucket) : bucket
    for (let i = 0; i < group.length && compared < COMPARISONS; i++) {
      const a = group[i]
      for (let j = i + 1; j < group.length && j - i <= window && compared < COMPARISONS; j++) {
        const b = group[j]
        compared++
        if (graph.parents[a] === b || graph.parents[b] === a) continue
        const alike = likeness.of(a, b)
        if (alike >= threshold)
          found.push({ a: Math.min(a, b), b: Math.max(a, b), similarity: alike, connected: false })
      }
    }
  }
  const pairs = mostAlike(graph, found).map((it) => ({
    ...it,
    connected: neighboursOf(graph, it.a).includes(it.b),
  }))
  return { pairs, total: found.length, compared, limited }
}

/** The pairs that are kept: of equally alike ones those with more edges say more. */
function mostAlike(graph: Graph, found: readonly Pair[]): Pair[] {
  // far fewer are kept than found, and most of these are less alike than any that is kept
  const least = Float64Array.from(found, (it) => it.similarity).sort()[Math.max(0, found.length - PAIRS_KEPT)]
  const edges = (it: Pair) => Math.min(degreeOf(graph, it.a), degreeOf(graph, it.b))
  return found
    .filter((it) => it.similarity >= least)
    .map((it) => ({ it, edges: edges(it) }))
    .sort((x, y) => y.it.similarity - x.it.similarity || y.edges - x.edges || x.it.a - y.it.a || x.it.b - y.it.b)
    .slice(0, PAIRS_KEPT)
    .map(({ it }) => it)
}

/** Nodes in order of their degree, equal ones as they come, which is by id: by counting. */
function byDegree(graph: Graph, nodes: readonly NodeId[]): NodeId[] {
  const most = nodes.reduce((max, v) => Math.max(max, degreeOf(graph, v)), 0)
  const starts = new Uint32Array(most + 2)
  for (const v of nodes) starts[degreeOf(graph, v) + 1]++
  for (let d = 0; d <= most; d++) starts[d + 1] += starts[d]
  const sorted = new Array<NodeId>(nodes.length)
  for (const v of nodes) sorted[starts[degreeOf(graph, v)]++] = v
  return sorted
}

/** Nodes that a probe reaches, by type and sign pattern, in order of their ids. */
function bucketsOf(graph: Graph, responses: Responses): NodeId[][] {
  const byType = new Map<number, NodeId[]>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1 || !responses.some((it) => it[v] > 0)) continue
    const same = byType.get(graph.types[v])
    if (same === undefined) byType.set(graph.types[v], [v])
    else same.push(v)
  }
  return [...byType.values()].flatMap((nodes) => {
    const patternOf = patterns(responses, nodes)
    const buckets = new Map<number, NodeId[]>()
    for (const v of nodes) {
      const pattern = patternOf(v)
      const bucket = buckets.get(pattern)
      if (bucket === undefined) buckets.set(pattern, [v])
      else bucket.push(v)
    }
    return [...buckets.values()]
  })
}

function nodesOfType({ nNodes, types, dead }: Graph, type: number): NodeId[] {
  const nodes: NodeId[] = []
  for (let v = 0; v < nNodes; v++) if (types[v] === type && dead[v] === 0) nodes.push(v)
  return nodes
}

/** One bit per probe: whether a node's response is above the mean of the given nodes. */
function patterns(responses: Responses, nodes: readonly NodeId[]): (v: NodeId) => number {
  const means = responses.map((it) => {
    let sum = 0
    for (const v of nodes) sum += it[v]
    return sum / Math.max(1, nodes.length)
  })
  return (v) => {
    let pattern = 0
    for (let i = 0; i < responses.length; i++) if (responses[i][v] > means[i]) pattern |= 1 << i
    return pattern
  }
}

function bits(pattern: number): number {
  let count = 0
  for (let rest = pattern; rest !== 0; rest &= rest - 1) count++
  return count
}

/** How alike nodes are: half by fingerprint, half by role; by role alone where no probe reaches the first of the two. */
class Likeness {
  readonly #responses: Responses
  readonly #roles: Roles
  readonly #first: Float64Array
  readonly #second: Float64Array

  constructor(graph: Graph, responses: Responses) {
    this.#responses = responses
    this.#first = new Float64Array(responses.length)
    this.#second = new Float64Array(responses.length)
    this.#roles = new Roles(graph)
  }

  of(a: NodeId, b: NodeId): number {
    const byRole = this.#roles.cosine(a, b)
    const fingerprint = this.#read(a, this.#first)
    if (fingerprint.every((it) => it === 0)) return byRole
    const byPlace = cosine(fingerprint, this.#read(b, this.#second))
    return Math.min(1, Math.round((0.5 * byPlace + 0.5 * byRole) * 1e9) / 1e9)
  }

  #read(v: NodeId, into: Float64Array): Float64Array {
    for (let i = 0; i < into.length; i++) into[i] = this.#responses[i][v]
    return into
  }
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0
  let squaresA = 0
  let squaresB = 0
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i]
    squaresA += a[i] * a[i]
    squaresB += b[i] * b[i]
  }
  return squaresA === 0 || squaresB === 0 ? 0 : dot / Math.sqrt(squaresA * squaresB)
}

function degreeOf({ out, in: into }: Graph, v: NodeId): number {
  return out.offsets[v + 1] - out.offsets[v] + into.offsets[v + 1] - into.offsets[v]
}

/** Role vectors: `log(1 + count)` of edges per relation and direction, then `log(1 + degree)`. */
class Roles {
  readonly #graph: Graph
  /** Place of each relation by its string handle. */
  readonly #places: Uint16Array
  readonly #width: number
  /** Row of each node whose vector is known, counted from 1. */
  readonly #rows: Uint32Array
  #vectors = new Float64Array(4096)
  /** Sum of the squares of each row. */
  #squares = new Float64Array(64)
  #count = 0

  constructor(graph: Graph) {
    this.#graph = graph
    this.#rows = new Uint32Array(graph.nNodes)
    this.#places = new Uint16Array(graph.strings.count)
    const relations = relationsOf(graph)
    relations.forEach((handle, i) => {
      this.#places[handle] = 2 * i
    })
    this.#width = 2 * relations.length + 1
  }

  cosine(a: NodeId, b: NodeId): number {
    const [x, y] = [this.#rowOf(a), this.#rowOf(b)]
    const squares = this.#squares[x] * this.#squares[y]
    if (squares === 0) return 0
    const [i, j] = [x * this.#width, y * this.#width]
    let dot = 0
    for (let k = 0; k < this.#width; k++) dot += this.#vectors[i + k] * this.#vectors[j + k]
    return dot / Math.sqrt(squares)
  }

  #rowOf(v: NodeId): number {
    const known = this.#rows[v]
    if (known !== 0) return known - 1
    const row = this.#count++
    this.#rows[v] = row + 1
    const start = row * this.#width
    const end = start + this.#width
    if (end > this.#vectors.length) this.#vectors = longer(this.#vectors, Math.max(end, 2 * this.#vectors.length))
    if (row === this.#squares.length) this.#squares = longer(this.#squares, 2 * row)
    const { out, in: into, flags, relations } = this.#graph
    const counts = this.#vectors
    const last = end - 1
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      if ((flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      counts[start + this.#places[relations[e]]]++
      counts[last]++
    }
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) {
      const e = into.slots[i]
      if ((flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      counts[start + this.#places[relations[e]] + 1]++
      counts[last]++
    }
    let squares = 0
    for (let i = start; i < end; i++) {
      counts[i] = Math.log1p(counts[i])
      squares += counts[i] * counts[i]
    }
    this.#squares[row] = squares
    return row
  }
}

function longer(column: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const result = new Float64Array(length)
  result.set(column)
  return result
}

const relationLists = new WeakMap<Graph, number[]>()

function relationsOf(graph: Graph): number[] {
  const before = relationLists.get(graph)
  if (before !== undefined) return before
  const found = [...new Set(graph.relations)].sort((a, b) => a - b)
  relationLists.set(graph, found)
  return found
}
