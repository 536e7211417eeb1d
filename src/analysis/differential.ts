/** What differs between two graphs: nodes, edges, weights, and how much parts of the project lean on each other. */

import { Both, eachEdge } from '#analysis/both'
import { coupling, type CouplingDelta } from '#analysis/coupling'
import { BIDIRECTIONAL, type Graph, keyOf, type NodeId, relationOf } from '#graph/graph'
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

  const old = edgesOf(before, both.ofBefore, both.count)
  const fresh = edgesOf(now, both.ofNow, both.count)
  const added = shows('new') ? fresh.filter((it) => isSeen(it.u, it.v) && !old.has(it)) : []
  const gone = shows('removed') ? old.filter((it) => isSeen(it.u, it.v) && !fresh.has(it)) : []
  const weightChanges: WeightChange[] = []
  for (const edge of shows('weights') ? fresh.all : []) {
    const known = isSeen(edge.u, edge.v) ? old.find(edge) : undefined
    if (known === undefined) continue
    const change = { before: before.weights[known.slot], now: now.weights[edge.slot] }
    if (Math.abs(change.now - change.before) > LEAST_CHANGE) weightChanges.push({ ...names(now, edge), ...change })
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
  relation: string
  isBoth: boolean
  source: NodeId
  slot: number
}

class Edges {
  readonly all: Edge[] = []
  readonly #known = new Map<string, Map<number, Edge>>()
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  add(edge: Edge): void {
    this.all.push(edge)
    const known = this.#known.get(edge.relation) ?? new Map<number, Edge>()
    this.#known.set(edge.relation, known.set(edge.u * this.#count + edge.v, edge))
  }

  /** A bidirectional edge is the same when it was added from its other end. */
  find({ u, v, relation, isBoth }: Edge): Edge | undefined {
    const known = this.#known.get(relation)
    const found = known?.get(u * this.#count + v)
    if (found !== undefined || !isBoth) return found
    const turned = known?.get(v * this.#count + u)
    return turned?.isBoth === true ? turned : undefined
  }

  has(edge: Edge): boolean {
    return this.find(edge) !== undefined
  }

  filter(isWanted: (edge: Edge) => boolean): Edge[] {
    return this.all.filter(isWanted)
  }
}

function edgesOf(graph: Graph, numbers: Uint32Array, count: number): Edges {
  const edges = new Edges(count)
  eachEdge(graph, (source, slot) => {
    edges.add({
      u: numbers[source],
      v: numbers[graph.out.targets[slot]],
      relation: relationOf(graph, slot),
      isBoth: (graph.flags[slot] & BIDIRECTIONAL) !== 0,
      source,
      slot,
    })
  })
  return edges
}

function names(graph: Graph, { source, slot, relation }: Edge): Omit<EdgeRow, 'weight'> {
  return { source: keyOf(graph, source), target: keyOf(graph, graph.out.targets[slot]), relation }
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
