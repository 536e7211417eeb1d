/** What differs between two graphs: nodes, edges, weights, and how much parts of the project lean on each other. */

import { Both, eachEdge } from '#analysis/both'
import { coupling, type CouplingDelta } from '#analysis/coupling'
import { BIDIRECTIONAL, type Graph, keyOf, type NodeId, NONE, relationOf } from '#graph/graph'
import { isContainment } from '#graph/relations'
import { STOP_WORDS } from '#graph/terms'

/** Smaller changes of a weight are noise of rounding. */
const LEAST_CHANGE = 0.001
const SHORTEST_WORD = 3

/** One logical edge, by the keys of its ends. */
export interface EdgeRow {
  source: string
  target: string
  relation: string
  weight: number
}

export interface WeightChange {
  source: string
  target: string
  relation: string
  before: number
  now: number
}

export const SECTIONS = ['new', 'removed', 'weights', 'coupling'] as const
export type Section = (typeof SECTIONS)[number]

export interface Differential {
  newNodes: string[]
  removedNodes: string[]
  newEdges: EdgeRow[]
  removedEdges: EdgeRow[]
  weightChanges: WeightChange[]
  couplingDeltas: CouplingDelta[]
  /** Nodes in focus, null when everything is. */
  inFocus: number | null
  sections: readonly Section[]
}

export interface DifferentialOptions {
  question: string
  /** Keys; only what lies within two steps of them, in either graph, is told. */
  focus: readonly string[]
}

/**
 * Compares `before` with `now`. Nodes are matched by key, edges by source, target and relation, where both halves of
 * a bidirectional edge are one. Structure before containment, then the larger weight, then by key. A question
 * narrows by its words, and by naming a section (`new`, `removed`, `weight`, `coupling`).
 */
export function differential(before: Graph, now: Graph, options: DifferentialOptions): Differential {
  const both = new Both(before, now)
  const { words, sections } = read(options)
  const focus = both.focus(options.focus, words)
  const isSeen = (u: number, v: number) => focus === null || (focus.has(u) && focus.has(v))
  const shows = (section: Section) => sections.includes(section)

  const nothing = {
    newNodes: [],
    removedNodes: [],
    newEdges: [],
    removedEdges: [],
    weightChanges: [],
    couplingDeltas: [],
  }
  // nothing differs from itself
  if (before === now) return { ...nothing, inFocus: focus === null ? null : focus.size, sections }

  const codes = new Map<string, number>()
  const old = new Edges(before, both.ofBefore, codes)
  const fresh = new Edges(now, both.ofNow, codes)
  const added = shows('new') ? fresh.filter((it) => isSeen(it.u, it.v) && old.slotOf(it, now) === NONE) : []
  const gone = shows('removed') ? old.filter((it) => isSeen(it.u, it.v) && fresh.slotOf(it, before) === NONE) : []
  const weightChanges: WeightChange[] = []
  const changeOf = (edge: Edge): number => {
    const known = isSeen(edge.u, edge.v) ? old.slotOf(edge, now) : NONE
    return known === NONE ? 0 : Math.abs(now.weights[edge.slot] - before.weights[known])
  }
  for (const edge of shows('weights') ? fresh.filter((it) => changeOf(it) > LEAST_CHANGE) : []) {
    const change = { before: before.weights[old.slotOf(edge, now)], now: now.weights[edge.slot] }
    weightChanges.push({ ...names(now, edge), ...change })
  }
  const size = (it: WeightChange) => Math.abs(it.now - it.before)
  weightChanges.sort((a, b) => size(b) - size(a) || compareText(a.source, b.source) || compareText(a.target, b.target))

  const newNodes = shows('new') ? both.onlyNow().filter((v) => focus?.has(both.ofNow[v]) !== false) : []
  const removed = shows('removed') ? both.onlyBefore().filter((v) => focus?.has(both.ofBefore[v]) !== false) : []
  return {
    newNodes: newNodes.map((v) => keyOf(now, v)),
    removedNodes: removed.map((v) => keyOf(before, v)),
    newEdges: rows(now, added),
    removedEdges: rows(before, gone),
    weightChanges,
    couplingDeltas: shows('coupling') ? coupling(before, now, both, focus) : [],
    inFocus: focus === null ? null : focus.size,
    sections,
  }
}

interface Edge {
  /** Common numbers of its ends. */
  u: number
  v: number
  /** Code of the relation. */
  code: number
  source: NodeId
  slot: number
}

/** The edges of one graph by the common numbers of their ends, as columns: an object for each would cost a second. */
class Edges {
  readonly #graph: Graph
  readonly #sources: Uint32Array
  readonly #slots: Uint32Array
  readonly #from: Uint32Array
  readonly #to: Uint32Array
  readonly #relations: Uint16Array
  /** Positions counted from 1 by hash, with linear probing, 0 where free; its length is a power of two. */
  readonly #table: Uint32Array
  #count = 0

  /** `codes` numbers relations for several graphs. */
  constructor(graph: Graph, numbers: Uint32Array, codes: Map<string, number>) {
    this.#graph = graph
    this.#sources = new Uint32Array(graph.nEdges)
    this.#slots = new Uint32Array(graph.nEdges)
    this.#from = new Uint32Array(graph.nEdges)
    this.#to = new Uint32Array(graph.nEdges)
    this.#relations = new Uint16Array(graph.nEdges)
    this.#table = new Uint32Array(2 ** Math.ceil(Math.log2(2 * graph.nEdges + 2)))
    eachEdge(graph, (source, slot) => {
      const i = this.#count++
      this.#sources[i] = source
      this.#slots[i] = slot
      this.#from[i] = numbers[source]
      this.#to[i] = numbers[graph.out.targets[slot]]
      const relation = relationOf(graph, slot)
      const code = codes.get(relation) ?? codes.size
      codes.set(relation, code)
      this.#relations[i] = code
      // of edges that read alike the last stands for all
      this.#table[this.#place(this.#from[i], this.#to[i], code)] = i + 1
    })
  }

  /** What is wanted is asked with one object for all. */
  filter(isWanted: (edge: Readonly<Edge>) => boolean): Edge[] {
    const found: Edge[] = []
    const edge: Edge = { u: 0, v: 0, code: 0, source: 0, slot: 0 }
    for (let i = 0; i < this.#count; i++) {
      edge.u = this.#from[i]
      edge.v = this.#to[i]
      edge.code = this.#relations[i]
      edge.source = this.#sources[i]
      edge.slot = this.#slots[i]
      if (isWanted(edge)) found.push({ ...edge })
    }
    return found
  }

  /** The slot of the same edge, NONE when there is none; a bidirectional edge is the same when it was added from its other end. */
  slotOf(edge: Readonly<Edge>, graph: Graph): number {
    const { code } = edge
    const found = this.#table[this.#place(edge.u, edge.v, code)]
    if (found !== 0) return this.#slots[found - 1]
    if (!isBoth(graph, edge.slot)) return NONE
    const turned = this.#table[this.#place(edge.v, edge.u, code)]
    return turned !== 0 && isBoth(this.#graph, this.#slots[turned - 1]) ? this.#slots[turned - 1] : NONE
  }

  /** Where an edge stands in the table, or would. */
  #place(u: number, v: number, code: number): number {
    const mask = this.#table.length - 1
    const mixed = Math.imul(u, 0x9e3779b1) ^ Math.imul(v, 0x85ebca6b) ^ Math.imul(code, 0xc2b2ae35)
    for (let at = (mixed ^ (mixed >>> 15)) & mask; ; at = (at + 1) & mask) {
      const i = this.#table[at] - 1
      if (i < 0 || (this.#from[i] === u && this.#to[i] === v && this.#relations[i] === code)) return at
    }
  }
}

function isBoth(graph: Graph, slot: number): boolean {
  return (graph.flags[slot] & BIDIRECTIONAL) !== 0
}

function names(graph: Graph, { source, slot }: Edge): Omit<EdgeRow, 'weight'> {
  return {
    source: keyOf(graph, source),
    target: keyOf(graph, graph.out.targets[slot]),
    relation: relationOf(graph, slot),
  }
}

function rows(graph: Graph, edges: readonly Edge[]): EdgeRow[] {
  const found = edges.map((it) => ({ ...names(graph, it), weight: graph.weights[it.slot] }))
  return found.sort(
    (a, b) =>
      Number(isContainment(a.relation)) - Number(isContainment(b.relation)) ||
      b.weight - a.weight ||
      compareText(a.source, b.source) ||
      compareText(a.target, b.target) ||
      compareText(a.relation, b.relation),
  )
}

const NAMED: readonly [RegExp, Section][] = [
  [/^(?:new|added)$/, 'new'],
  [/^(?:removed|gone|deleted)$/, 'removed'],
  [/^(?:weights?|strengths?)$/, 'weights'],
  [/^(?:coupling|coupled)$/, 'coupling'],
]

/** Words that ask about sections choose them; the others say what the question is about. */
function read({ question }: DifferentialOptions): { words: string[]; sections: readonly Section[] } {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []
  const sections = new Set<Section>()
  const about = words.filter((word) => {
    const named = NAMED.find(([pattern]) => pattern.test(word))
    if (named !== undefined) sections.add(named[1])
    return named === undefined && word.length >= SHORTEST_WORD && !STOP_WORDS.has(word) && !ABOUT_GRAPHS.has(word)
  })
  return {
    words: [...new Set(about)],
    sections: sections.size === 0 ? SECTIONS : SECTIONS.filter((it) => sections.has(it)),
  }
}

/** What is said about any comparison. */
const ABOUT_GRAPHS = new Set([
  'changed',
  'change',
  'changes',
  'edges',
  'edge',
  'nodes',
  'node',
  'differ',
  'difference',
  'differences',
  'between',
  'since',
  'become',
  'became',
])

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
