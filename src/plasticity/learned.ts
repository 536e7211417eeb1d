/**
 * Everything that is learned besides the weights and counters in the graph: what was asked, what was said about
 * the answers, what is primed, and who changed which edges. Nodes are kept by key, since ids change with every
 * ingest; `bind` finds them again in the current graph.
 */

import { type Graph, keyOf, type NodeId, NONE } from '#graph/graph'
import type { WeightedTerm } from '#graph/lexical'
import { nodeByKey } from '#graph/lookup'
import { EPSILON, isDead } from '#plasticity/weights'

/** A node with how strongly it matched or was activated, 0..1. */
export interface Scored {
  node: NodeId
  score: number
}

/** Nodes as they are kept: by key, and as ids of the graph that is bound (`NONE` where it has no such node). */
export interface Kept {
  keys: string[]
  scores: number[]
  nodes: Uint32Array
}

/** A query that was processed. */
export interface QueryRecord {
  text: string
  agent: string
  /** Epoch ms. */
  time: number
  /** Number of the query. */
  query: number
  /** The strongest first. */
  seeds: Kept
  activated: Kept
}

/** What somebody said about nodes as answers to a query. */
export interface Verdict {
  /** 1: fully right, -1: fully wrong, and between. */
  value: number
  agent: string
  time: number
  query: number
  seeds: Kept
  about: Kept
  /** What the question was about, a vector of length 1; empty when there was none. */
  words: readonly WeightedTerm[]
}

/** Who changed which edges by feedback, so that it can be looked at and undone. */
export interface JournalEntry {
  kind: 'correct' | 'wrong' | 'partial' | 'reset'
  agent: string
  time: number
  query: number
  text: string
  /** Of the feedback, 0..1; absent where it was not kept. */
  grade?: number
  /** What the feedback was about, then the other ends of the edges. */
  keys: string[]
  /** How many of the keys the feedback was about. */
  about: number
  /** Source and target as positions in `keys`, relation, and how much the weight changed. */
  edges: [number, number, string, number][]
}

export interface Boost {
  boost: number
  /** Queries processed by the server when it was given. */
  since: number
}

export interface Learned {
  /** Queries that went through the learning cycle. */
  queryNumber: number
  /** The last `MEMORY` queries, oldest first. */
  memory: QueryRecord[]
  /** The last `MEMORY` verdicts, oldest first. */
  verdicts: Verdict[]
  /** Oldest first; bounded in entries and in edges. */
  journal: JournalEntry[]
  /** Temporary boosts by node key, from warmup and resumed trails; never saved. */
  boosts: Map<string, Boost>
  /** What is derived for the graph in use; null before the first use. */
  bound: Bound | null
}

export interface Bound {
  graph: Graph
  /** Slots whose weight is not that of ingest, with their sources. */
  changed: Map<number, NodeId>
  /** Whether the sums of in-edges were checked once in full. */
  normalized: boolean
}

export const MEMORY = 1000
/** Seeds and activated nodes kept of one query; the strongest tell what it was about. */
export const SEEDS_KEPT = 20
const ACTIVATED_KEPT = 50
const JOURNAL = 2000
const JOURNAL_EDGES = 50_000

export function emptyLearned(): Learned {
  return { queryNumber: 0, memory: [], verdicts: [], journal: [], boosts: new Map(), bound: null }
}

/** What is derived for this graph, built anew after an ingest. */
export function bind(learned: Learned, graph: Graph): Bound {
  if (learned.bound?.graph === graph) return learned.bound
  for (const { seeds, activated } of learned.memory) for (const kept of [seeds, activated]) find(graph, kept)
  for (const { seeds, about } of learned.verdicts) for (const kept of [seeds, about]) find(graph, kept)
  const changed = new Map<number, NodeId>()
  const { offsets } = graph.out
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      if (Math.abs(graph.weights[e] - graph.ingestWeights[e]) > EPSILON && !isDead(graph, e)) changed.set(e, v)
    }
  }
  learned.bound = { graph, changed, normalized: false }
  return learned.bound
}

function find(graph: Graph, kept: Kept): void {
  kept.nodes = Uint32Array.from(kept.keys, (key) => nodeByKey(graph, key))
}

/** Nodes as they are kept; scores to four decimals, which is what a save keeps. */
export function keep(graph: Graph, nodes: readonly Scored[], limit = nodes.length): Kept {
  const kept = nodes.slice(0, limit)
  return {
    keys: kept.map((it) => keyOf(graph, it.node)),
    scores: kept.map((it) => Math.round(Math.min(1, Math.max(0, it.score)) * 1e4) / 1e4),
    nodes: Uint32Array.from(kept, (it) => it.node),
  }
}

export interface Occasion {
  text: string
  agent: string
  /** Epoch ms. */
  time: number
}

/** Characters kept of a query; somebody may paste a whole log. */
const MAX_TEXT = 1000

/** Remembers a query; beyond `MEMORY` the oldest one is forgotten. */
export function remember(
  graph: Graph,
  learned: Learned,
  { text, agent, time }: Occasion,
  seeds: readonly Scored[],
  activated: readonly Scored[],
): void {
  learned.memory.push({
    text: text.slice(0, MAX_TEXT),
    agent,
    time,
    query: learned.queryNumber,
    seeds: keep(graph, seeds, SEEDS_KEPT),
    activated: keep(graph, activated, ACTIVATED_KEPT),
  })
  if (learned.memory.length > MEMORY) learned.memory.shift()
}

/** Records a verdict of `value` about nodes as answers to a question with these seeds and words; with neither it says nothing. */
export function judge(
  graph: Graph,
  learned: Learned,
  { agent, time }: Occasion,
  verdict: { value: number; seeds: readonly Scored[]; words?: readonly WeightedTerm[]; nodes: readonly NodeId[] },
): void {
  const words = (verdict.words ?? []).map(({ term, weight }) => ({ term, weight: Math.round(weight * 1e4) / 1e4 }))
  if (verdict.seeds.length === 0 && words.length === 0) return
  const about = keep(
    graph,
    verdict.nodes.map((node) => ({ node, score: 1 })),
  )
  const seeds = keep(graph, verdict.seeds, SEEDS_KEPT)
  learned.verdicts.push({ value: verdict.value, agent, time, query: learned.queryNumber, seeds, about, words })
  if (learned.verdicts.length > MEMORY) learned.verdicts.shift()
}

/** The last query with this text (letter case and spaces aside) and what it found; null when it is not remembered. */
export function recall(graph: Graph, learned: Learned, query: string): { seeds: Scored[]; activated: Scored[] } | null {
  bind(learned, graph)
  const wanted = normalized(query.slice(0, MAX_TEXT))
  for (let i = learned.memory.length - 1; i >= 0; i--) {
    const { text, seeds, activated } = learned.memory[i]
    if (normalized(text) === wanted) return { seeds: alive(graph, seeds), activated: alive(graph, activated) }
  }
  return null
}

function normalized(query: string): string {
  return query.toLowerCase().split(/\s+/).filter(Boolean).join(' ')
}

function alive(graph: Graph, { nodes, scores }: Kept): Scored[] {
  const found: Scored[] = []
  nodes.forEach((node, i) => {
    if (node !== NONE && graph.dead[node] === 0) found.push({ node, score: scores[i] })
  })
  return found
}

/** Adds an entry; beyond the bounds the oldest ones are dropped. */
export function note(learned: Learned, entry: JournalEntry): void {
  const { journal } = learned
  journal.push({ ...entry, text: entry.text.slice(0, MAX_TEXT) })
  let edges = 0
  for (const it of journal) edges += it.edges.length
  while (journal.length > JOURNAL || (edges > JOURNAL_EDGES && journal.length > 1))
    edges -= journal.shift()?.edges.length ?? 0
}
