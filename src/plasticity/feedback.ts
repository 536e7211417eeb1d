/** Explicit feedback on the answers to a query, and undoing it. */

import { type Graph, INHIBITORY, keyOf, type NodeId, NONE, relationOf } from '#graph/graph'
import type { WeightedTerm } from '#graph/lexical'
import { nodeByKey } from '#graph/lookup'
import { bind, type JournalEntry, judge, type Learned, note, type Occasion, type Scored } from '#plasticity/learned'
import { edgesOf, regionOf, subtrees } from '#plasticity/region'
import { normalize, type Rates, strengthen, weaken } from '#plasticity/weights'

export type FeedbackKind = 'correct' | 'wrong' | 'partial'

export interface Feedback extends Occasion {
  kind: FeedbackKind
  /** The right ones (`correct`), the wrong ones (`wrong`), or the confirmed ones of several (`partial`). */
  nodes: readonly NodeId[]
  /** Where the query started, the strongest first; may be empty. */
  seeds: readonly Scored[]
  /** What the query was about, a vector of length 1; may be empty. */
  words?: readonly WeightedTerm[]
  /** What the query returned; may be empty. */
  activated: readonly NodeId[]
  /** Size of the change, 0.01..1. */
  strength: number
  /** Scales `strength`, 0..1. */
  grade: number
}

export interface FeedbackCounts {
  /** Logical edges, a bidirectional one once. */
  strengthened: number
  weakened: number
  /** Mean absolute change of the slots that changed. */
  meanChange: number
  /** Reported nodes with all that they contain. */
  expanded: number
  ltp: number
  ltd: number
  rescaled: number
  /** Pairs of nodes that were confirmed together. */
  pairs: [NodeId, NodeId][]
  /** Some edges may have been left out, since a budget was used up. */
  truncated: boolean
}

const PAIRS = 200
/** A weaker word would change nothing that counts. */
const LEAST_STRENGTH = 0.01
/** The strength that gives a verdict its full value. */
const FULL_STRENGTH = 0.2

/**
 * Learns from feedback: "correct" strengthens the edges of the region around the reported nodes, "wrong" weakens
 * them, "partial" strengthens half as much those among the confirmed nodes and weakens those that lead from them
 * to other answers. Records the verdict for priming, and who changed what in the journal.
 */
export function learnFromFeedback(graph: Graph, learned: Learned, feedback: Feedback, rates: Rates): FeedbackCounts {
  const bound = bind(learned, graph)
  const query = learned.queryNumber
  const reported = [...new Set(feedback.nodes)]
  const seeds = feedback.seeds.map((it) => it.node)
  const region = regionOf(graph, reported, seeds)
  const strength = strengthOf(feedback)

  const counts = { strengthened: 0, weakened: 0, ltp: 0, ltd: 0 }
  const touched = new Set<NodeId>()
  const changes: { slot: number; source: NodeId; delta: number }[] = []
  const change = (slot: number, source: NodeId, { up, by }: Change) => {
    const before = graph.weights[slot]
    if (up && strengthen(graph, slot, by, rates, query)) counts.ltp++
    if (!up && weaken(graph, slot, by, rates, query)) counts.ltd++
    changes.push({ slot, source, delta: graph.weights[slot] - before })
    bound.changed.set(slot, source)
    touched.add(graph.out.targets[slot])
  }

  if (strength > 0) {
    for (const { slot, source, near } of edgesAround(
      graph,
      region.reported,
      region.nodes,
      new Set(feedback.activated),
    )) {
      const wanted = effect(feedback.kind, strength, near)
      if (wanted === null) continue
      // stronger suppression would push down the very nodes that were confirmed
      if (wanted.up && rates.plasticity === 'default' && (graph.flags[slot] & INHIBITORY) !== 0) continue
      change(slot, source, wanted)
      const mirror = graph.mirrors[slot]
      if (mirror !== NONE) change(mirror, graph.out.targets[slot], wanted)
      if (wanted.up) counts.strengthened++
      else counts.weakened++
    }
  }
  const rescaled = normalize(graph, touched, rates)

  const value = VALUE[feedback.kind] * Math.min(1, strength / FULL_STRENGTH)
  if (value !== 0)
    judge(graph, learned, feedback, { value, seeds: feedback.seeds, words: feedback.words, nodes: reported })
  note(learned, entryFor(graph, feedback, query, reported, changes))
  const moved = changes.reduce((sum, it) => sum + Math.abs(it.delta), 0)
  return {
    ...counts,
    meanChange: changes.length === 0 ? 0 : moved / changes.length,
    expanded: region.reported.size,
    rescaled,
    pairs: feedback.kind === 'correct' && strength > 0 ? pairsOf(reported) : [],
    truncated: region.truncated,
  }
}

/** Size of the change that feedback makes, 0..1: its strength, at least 0.01, scaled by its grade. */
export function strengthOf({ strength, grade }: Pick<Feedback, 'strength' | 'grade'>): number {
  return Math.min(1, Math.max(LEAST_STRENGTH, strength)) * Math.min(1, Math.max(0, grade))
}

const VALUE: Record<FeedbackKind, number> = { correct: 1, partial: 0.5, wrong: -1 }

interface Change {
  up: boolean
  /** Added to the weight when up, the share of it taken away when not. */
  by: number
}

/** How near an edge is: both ends reported, both in the region, or leading from it to another answer. */
type Near = 'reported' | 'region' | 'answer'

function effect(kind: FeedbackKind, strength: number, near: Near): Change | null {
  if (kind === 'partial') {
    if (near === 'reported') return { up: true, by: strength / 2 }
    return near === 'answer' ? { up: false, by: strength / 4 } : null
  }
  return { up: kind === 'correct', by: near === 'answer' ? strength / 2 : strength }
}

/** Edges with an end among the reported nodes, each once, whose other end is in the region or was another answer. */
function* edgesAround(
  graph: Graph,
  reported: ReadonlySet<NodeId>,
  region: ReadonlySet<NodeId>,
  answers: ReadonlySet<NodeId>,
): Generator<{ slot: number; source: NodeId; near: Near }> {
  const seen = new Set<number>()
  for (const v of reported) {
    for (const [slot, other] of edgesOf(graph, v)) {
      if (seen.has(slot)) continue
      const near = reported.has(other)
        ? 'reported'
        : region.has(other)
          ? 'region'
          : answers.has(other)
            ? 'answer'
            : null
      if (near === null) continue
      seen.add(slot)
      if (graph.mirrors[slot] !== NONE) seen.add(graph.mirrors[slot])
      yield { slot, source: graph.out.targets[slot] === v ? other : v, near }
    }
  }
}

/** Each with each other, as many as are confirmed by one feedback. */
function pairsOf(nodes: readonly NodeId[]): [NodeId, NodeId][] {
  const pairs: [NodeId, NodeId][] = []
  for (let i = 0; i < nodes.length; i++) {
    for (let j = i + 1; j < nodes.length && pairs.length < PAIRS; j++) pairs.push([nodes[i], nodes[j]])
  }
  return pairs
}

/** Pairs that the journal confirms for this graph, each as often as it was said and not taken back since. */
export function confirmedPairs(graph: Graph, { journal }: Learned): [NodeId, NodeId][] {
  let pairs: [NodeId, NodeId][] = []
  for (const { kind, grade, keys, about } of journal) {
    if (kind !== 'correct' && kind !== 'reset') continue
    const nodes = keys.slice(0, about).map((key) => nodeByKey(graph, key))
    if (kind === 'correct' && grade !== 0) pairs.push(...pairsOf(nodes).filter((pair) => !pair.includes(NONE)))
    if (kind === 'reset' && pairs.length > 0) {
      const forgotten = subtrees(
        graph,
        nodes.filter((v) => v !== NONE),
      ).nodes
      pairs = pairs.filter(([a, b]) => !forgotten.has(a) && !forgotten.has(b))
    }
  }
  return pairs
}

function entryFor(
  graph: Graph,
  { kind, agent, time, text, grade }: Feedback,
  query: number,
  reported: readonly NodeId[],
  changes: readonly { slot: number; source: NodeId; delta: number }[],
): JournalEntry {
  const positions = new Map<NodeId, number>()
  const position = (v: NodeId) => {
    const known = positions.get(v) ?? positions.size
    positions.set(v, known)
    return known
  }
  for (const v of reported) position(v)
  const edges = changes
    .filter((it) => it.delta !== 0)
    .map(({ slot, source, delta }): [number, number, string, number] => [
      position(source),
      position(graph.out.targets[slot]),
      relationOf(graph, slot),
      Math.round(delta * 1e6) / 1e6,
    ])
  const keys = [...positions.keys()].map((v) => keyOf(graph, v))
  return { kind, agent, time, query, text, grade, keys, about: reported.length, edges }
}
