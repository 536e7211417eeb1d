/**
 * Which nodes change together: a sparse symmetric matrix with at most 100 entries per row and 500,000 in all.
 * History comes first; what is left of the budget is filled from the structure of the graph, marked as such.
 */

import { DEAD_EDGE, type Graph, INHIBITORY, type NodeId } from '#graph/graph'
import { type ColumnSet, columnReader, type TypedArray } from '#query/columns'
import { NodeValues } from '#query/node-values'
import { topNodes } from '#query/top-nodes'

export const MAX_ENTRIES = 500_000
export const MAX_PER_ROW = 100
/** Strength that one common commit adds, up to 1 in all. */
const PER_COMMIT = 0.1
/** A commit of more files than this is a bulk change: a pair in it gets `PER_COMMIT` · 50 / files. */
const FULL_COMMIT_FILES = 50
const LEAST_STRENGTH = 0.001
/** From so many files on a pair of a bulk change is below the least strength by itself. */
const BULK_FILES = 5000
/** Pairs counted over all commits, about half a second; the largest commits are left out first. */
const MAX_COUNTED = 20_000_000

const STRUCTURE_HOPS = 3
const STRUCTURE_PER_HOP = 0.95
const STRUCTURE_SHARE = 0.3
/** Slots looked at from one node: so many per partner that it may get, nearest first. */
const VISITS_PER_PARTNER = 16
const MAX_VISITS = 256
/** From so many edges on a node is a hub that ties nothing together. */
const STRUCTURE_HUB = 64

export interface CoChange {
  /** CSR by node: its partners in no particular order; read them with `coChangeOf`. */
  offsets: Uint32Array
  nodes: Uint32Array
  /** 0..1 */
  strengths: Float32Array
  /** Commits that touched both, 0 where only structure or feedback says so; 65,535 stands for more. */
  commits: Uint16Array
  /** 1: seen in history or confirmed by feedback. 0: derived from structure. */
  observed: Uint8Array
  /** Whether history was too large to be counted whole. */
  truncated: boolean
}

export interface Partner {
  node: NodeId
  strength: number
  observed: boolean
  commits: number
}

/** Undirected entries as parallel lists. */
interface Pairs {
  a: number[]
  b: number[]
  strength: number[]
  commits: number[]
}

/** The matrix for a graph whose commits touched these nodes (files). */
export function buildCoChange(graph: Graph, groups: readonly Uint32Array[]): CoChange {
  const matrix = new Matrix(graph.nNodes)
  const { pairs, truncated } = pairsFromHistory(graph, groups)
  matrix.admit(pairs, 1)
  matrix.admit(pairsFromStructure(graph, MAX_ENTRIES - matrix.size), 0)
  return matrix.toCoChange(truncated)
}

/** What changes with `v`, strongest first, equal ones by node. */
export function coChangeOf({ offsets, nodes, strengths, commits, observed }: CoChange, v: NodeId): Partner[] {
  const partners: Partner[] = []
  for (let i = offsets[v]; i < offsets[v + 1]; i++) {
    partners.push({ node: nodes[i], strength: strengths[i], observed: observed[i] === 1, commits: commits[i] })
  }
  return partners.sort((a, b) => b.strength - a.strength || a.node - b.node)
}

/** By matrix: its columns before feedback. */
const untaught = new WeakMap<CoChange, Omit<CoChange, 'truncated'>>()

/**
 * Adds 0.1 to each pair, both ways, and marks it as observed. A full row gives up its weakest entry for a new
 * one that is stronger. `observeOnly` takes it back.
 */
export function observe(cochange: CoChange, pairs: readonly (readonly [NodeId, NodeId])[]): void {
  if (pairs.length === 0) return
  if (!untaught.has(cochange)) {
    // strengths and marks are written in place, the other columns are replaced
    const { offsets, nodes, strengths, commits, observed } = cochange
    untaught.set(cochange, { offsets, nodes, strengths: strengths.slice(), commits, observed: observed.slice() })
  }
  const added: [row: NodeId, partner: NodeId][] = []
  for (const [a, b] of pairs) {
    if (a === b) continue
    if (!strengthenEntry(cochange, a, b)) added.push([a, b])
    if (!strengthenEntry(cochange, b, a)) added.push([b, a])
  }
  if (added.length > 0) insert(cochange, added)
}

/** Takes back all that `observe` has added, and observes these pairs instead. */
export function observeOnly(cochange: CoChange, pairs: readonly (readonly [NodeId, NodeId])[]): void {
  Object.assign(cochange, untaught.get(cochange))
  untaught.delete(cochange)
  observe(cochange, pairs)
}

/** As it was before feedback: what somebody said can be taken back, what is saved with a graph cannot. */
export function coChangeColumns(cochange: CoChange): Record<string, TypedArray> {
  const { truncated, ...columns } = cochange
  return { ...(untaught.get(cochange) ?? columns), truncated: Uint8Array.of(Number(truncated)) }
}

/** The matrix over arrays of a snapshot, which are used as they are. A missing array is an error that names it. */
export function coChangeFromColumns(columns: ColumnSet): CoChange {
  const { bytes, shorts, ints, floats } = columnReader(columns, '')
  return {
    offsets: ints('offsets'),
    nodes: ints('nodes'),
    strengths: floats('strengths'),
    commits: shorts('commits'),
    observed: bytes('observed'),
    truncated: bytes('truncated')[0] === 1,
  }
}

function strengthenEntry({ offsets, nodes, strengths, observed }: CoChange, row: NodeId, partner: NodeId): boolean {
  for (let i = offsets[row]; i < offsets[row + 1]; i++) {
    if (nodes[i] !== partner) continue
    strengths[i] = Math.min(1, strengths[i] + PER_COMMIT)
    observed[i] = 1
    return true
  }
  return false
}

/** Puts new entries into their rows by copying the matrix once. */
function insert(cochange: CoChange, added: [row: NodeId, partner: NodeId][]): void {
  const { offsets, nodes, strengths, commits, observed } = cochange
  const nNodes = offsets.length - 1
  const ofRow = new Map<NodeId, Map<NodeId, number>>()
  for (const [row, partner] of added) {
    const partners = ofRow.get(row) ?? new Map<NodeId, number>()
    partners.set(partner, Math.min(1, (partners.get(partner) ?? 0) + PER_COMMIT))
    ofRow.set(row, partners)
  }
  const next = {
    offsets: new Uint32Array(nNodes + 1),
    nodes: new Uint32Array(nodes.length + added.length),
    strengths: new Float32Array(nodes.length + added.length),
    commits: new Uint16Array(nodes.length + added.length),
    observed: new Uint8Array(nodes.length + added.length),
  }
  let spare = MAX_ENTRIES - nodes.length
  let end = 0
  for (let row = 0; row < nNodes; row++) {
    const start = end
    for (let i = offsets[row]; i < offsets[row + 1]; i++, end++) {
      next.nodes[end] = nodes[i]
      next.strengths[end] = strengths[i]
      next.commits[end] = commits[i]
      next.observed[end] = observed[i]
    }
    for (const [partner, strength] of ofRow.get(row) ?? []) {
      let at = end
      if (end - start >= MAX_PER_ROW || spare <= 0) {
        at = start
        for (let i = start; i < end; i++) if (next.strengths[i] < next.strengths[at]) at = i
        if (at === end || next.strengths[at] >= strength) continue
      } else {
        end++
        spare--
      }
      next.nodes[at] = partner
      next.strengths[at] = strength
      next.commits[at] = 0
      next.observed[at] = 1
    }
    next.offsets[row + 1] = end
  }
  cochange.offsets = next.offsets
  cochange.nodes = next.nodes.slice(0, end)
  cochange.strengths = next.strengths.slice(0, end)
  cochange.commits = next.commits.slice(0, end)
  cochange.observed = next.observed.slice(0, end)
}

/** Rows as linked lists while the matrix is filled, strongest pairs first. */
class Matrix {
  size = 0
  private readonly nNodes: number
  /** First entry of each row, -1 for none, and the length of the row. */
  private readonly first: Int32Array
  private readonly lengths: Uint8Array
  private readonly next: Int32Array
  private readonly nodes: Uint32Array
  private readonly strengths: Float32Array
  private readonly commits: Uint16Array
  private readonly observed: Uint8Array

  constructor(nNodes: number) {
    this.nNodes = nNodes
    this.first = new Int32Array(nNodes).fill(-1)
    this.lengths = new Uint8Array(nNodes)
    const capacity = Math.min(MAX_ENTRIES, nNodes * MAX_PER_ROW)
    this.next = new Int32Array(capacity)
    this.nodes = new Uint32Array(capacity)
    this.strengths = new Float32Array(capacity)
    this.commits = new Uint16Array(capacity)
    this.observed = new Uint8Array(capacity)
  }

  /** Takes the strongest pairs for which both rows and the whole have room; pairs that are there stay as they are. */
  admit(pairs: Pairs, observed: number): void {
    for (const i of strongestFirst(pairs.strength)) {
      const a = pairs.a[i]
      const b = pairs.b[i]
      if (this.size + 2 > MAX_ENTRIES) return
      if (this.lengths[a] >= MAX_PER_ROW || this.lengths[b] >= MAX_PER_ROW || this.has(a, b)) continue
      this.append(a, b, { strength: pairs.strength[i], commits: pairs.commits[i], observed })
      this.append(b, a, { strength: pairs.strength[i], commits: pairs.commits[i], observed })
    }
  }

  toCoChange(truncated: boolean): CoChange {
    const offsets = new Uint32Array(this.nNodes + 1)
    const nodes = new Uint32Array(this.size)
    const strengths = new Float32Array(this.size)
    const commits = new Uint16Array(this.size)
    const observed = new Uint8Array(this.size)
    let end = 0
    for (let v = 0; v < this.nNodes; v++) {
      for (let i = this.first[v]; i >= 0; i = this.next[i], end++) {
        nodes[end] = this.nodes[i]
        strengths[end] = this.strengths[i]
        commits[end] = this.commits[i]
        observed[end] = this.observed[i]
      }
      offsets[v + 1] = end
    }
    return { offsets, nodes, strengths, commits, observed, truncated }
  }

  private has(row: NodeId, partner: NodeId): boolean {
    for (let i = this.first[row]; i >= 0; i = this.next[i]) if (this.nodes[i] === partner) return true
    return false
  }

  private append(
    row: NodeId,
    partner: NodeId,
    { strength, commits, observed }: Omit<Partner, 'node' | 'observed'> & { observed: number },
  ): void {
    const i = this.size++
    this.next[i] = this.first[row]
    this.first[row] = i
    this.lengths[row]++
    this.nodes[i] = partner
    this.strengths[i] = strength
    this.commits[i] = Math.min(commits, 0xffff)
    this.observed[i] = observed
  }
}

/** Strengths are told apart in steps of 1/4096; within a step the given order stays. */
const STEPS = 4096

/** Positions by falling strength, by counting. */
function strongestFirst(strength: number[]): Uint32Array {
  const starts = new Uint32Array(STEPS + 2)
  const stepOf = (value: number): number => STEPS - Math.floor(value * STEPS)
  for (const value of strength) starts[stepOf(value) + 1]++
  for (let i = 0; i <= STEPS; i++) starts[i + 1] += starts[i]
  const order = new Uint32Array(strength.length)
  for (let i = 0; i < strength.length; i++) order[starts[stepOf(strength[i])]++] = i
  return order
}

function pairsFromHistory(graph: Graph, groups: readonly Uint32Array[]): { pairs: Pairs; truncated: boolean } {
  const { nNodes, dead } = graph
  let counted = 0
  let truncated = false
  const commits: Uint32Array[] = []
  const distinct = groups.map((group) => Uint32Array.from(new Set(group)).filter((v) => v < nNodes && dead[v] === 0))
  for (const files of distinct.sort((x, y) => x.length - y.length)) {
    if (files.length < 2 || files.length >= BULK_FILES) continue
    counted += (files.length * (files.length - 1)) / 2
    if (counted > MAX_COUNTED) {
      truncated = true
      break
    }
    commits.push(files)
  }

  // commits of each node
  const offsets = new Uint32Array(nNodes + 1)
  for (const files of commits) for (const v of files) offsets[v + 1]++
  for (let v = 0; v < nNodes; v++) offsets[v + 1] += offsets[v]
  const commitsOf = new Uint32Array(offsets[nNodes])
  const next = offsets.slice(0, nNodes)
  for (let c = 0; c < commits.length; c++) for (const v of commits[c]) commitsOf[next[v]++] = c

  const pairs: Pairs = { a: [], b: [], strength: [], commits: [] }
  const strength = new NodeValues(nNodes)
  const together = new Float64Array(nNodes)
  for (let a = 0; a < nNodes; a++) {
    for (let i = offsets[a]; i < offsets[a + 1]; i++) {
      const files = commits[commitsOf[i]]
      const share = PER_COMMIT * Math.min(1, FULL_COMMIT_FILES / files.length)
      for (const b of files) {
        if (b <= a) continue
        strength.add(b, share)
        together[b]++
      }
    }
    takeStrongest(pairs, a, strength, { limit: MAX_PER_ROW, commits: together })
    for (let i = 0; i < strength.count; i++) together[strength.nodes[i]] = 0
    strength.clear()
  }
  return { pairs, truncated }
}

/** Adds the strongest partners of `a` to the pairs. */
function takeStrongest(
  pairs: Pairs,
  a: NodeId,
  strength: NodeValues,
  { limit, commits }: { limit: number; commits: Float64Array | null },
): void {
  for (const b of topNodes(strength, limit)) {
    const value = Math.min(1, strength.value[b])
    if (value <= LEAST_STRENGTH) break
    pairs.a.push(a)
    pairs.b.push(b)
    pairs.strength.push(value)
    pairs.commits.push(commits === null ? 0 : commits[b])
  }
}

/**
 * What structure suggests: up to three hops along edges, 0.3 · product of weights · 0.95 per hop. Every node
 * gets the same share of the `room` that is left, so that the first ones do not use it up.
 */
function pairsFromStructure(graph: Graph, room: number): Pairs {
  const pairs: Pairs = { a: [], b: [], strength: [], commits: [] }
  const { nNodes, ingestWeights, flags, relations, dead } = graph
  const { offsets, targets } = graph.out
  const limit = Math.min(MAX_PER_ROW, Math.floor(room / 2 / Math.max(1, nNodes)))
  if (limit < 1) return pairs
  const maxVisits = Math.min(MAX_VISITS, VISITS_PER_PARTNER * limit)
  // these two already come from history and from folders
  const skipped = new Set([graph.strings.find('co_changes'), graph.strings.find('sibling')])
  const strength = new NodeValues(nNodes)
  for (let a = 0; a < nNodes; a++) {
    if (dead[a] === 1) continue
    strength.set(a, STRUCTURE_SHARE)
    let visits = 0
    let from = 0
    for (let hop = 0; hop < STRUCTURE_HOPS && visits < maxVisits; hop++) {
      const end = strength.count
      for (let i = from; i < end && visits < maxVisits; i++) {
        const v = strength.nodes[i]
        if (v !== a && offsets[v + 1] - offsets[v] > STRUCTURE_HUB) continue
        for (let e = offsets[v]; e < offsets[v + 1] && visits < maxVisits; e++) {
          visits++
          if ((flags[e] & (DEAD_EDGE | INHIBITORY)) !== 0 || skipped.has(relations[e])) continue
          const reached = strength.value[v] * Math.min(1, ingestWeights[e]) * STRUCTURE_PER_HOP
          if (reached > LEAST_STRENGTH && targets[e] !== a) strength.raise(targets[e], reached)
        }
      }
      from = end
    }
    strength.value[a] = 0
    takeStrongest(pairs, a, strength, { limit, commits: null })
    strength.value[a] = STRUCTURE_SHARE
    strength.clear()
  }
  return pairs
}
