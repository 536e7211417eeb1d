/** Forgetting on request: for some nodes, for one agent, or everything. */

import { type Graph, keyOf, type NodeId, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { exposure } from '#plasticity/cycle'
import { findSlot } from '#plasticity/exchange'
import { bind, type JournalEntry, type Kept, type Learned, note, type Occasion } from '#plasticity/learned'
import { edgesOf, subtrees } from '#plasticity/region'
import { EPSILON, forget, isLearned, isSecondHalf, type Rates } from '#plasticity/weights'

export type Scope = { scope: 'all' } | { scope: 'agent'; agent: string } | { scope: 'nodes'; nodes: readonly NodeId[] }

export interface Undone {
  /** Edges that were set back, wholly or in part; one that runs both ways counts once. */
  edges: number
  /** Queries, verdicts and journal entries that were forgotten. */
  records: number
}

/** Takes back what was learned in this scope; the journal keeps who asked for it. */
export function undo(graph: Graph, learned: Learned, what: Scope, by: Occasion, rates: Rates): Undone {
  bind(learned, graph)
  const undone =
    what.scope === 'all'
      ? undoAll(graph, learned)
      : what.scope === 'agent'
        ? undoAgent(graph, learned, what.agent, rates)
        : undoNodes(graph, learned, what.nodes)
  const about = what.scope === 'nodes' ? what.nodes.map((v) => keyOf(graph, v)) : []
  note(learned, { kind: 'reset', ...by, query: learned.queryNumber, keys: about, about: about.length, edges: [] })
  learned.bound = null
  return undone
}

function undoAll(graph: Graph, learned: Learned): Undone {
  const edges = new Set<number>()
  for (let slot = 0; slot < graph.nEdges; slot++) if (forget(graph, slot)) edges.add(firstHalf(graph, slot))
  const records = learned.memory.length + learned.verdicts.length + learned.journal.length
  learned.memory = []
  learned.verdicts = []
  learned.journal = []
  learned.boosts.clear()
  return { edges: edges.size, records }
}

function undoNodes(graph: Graph, learned: Learned, roots: readonly NodeId[]): Undone {
  const { nodes } = subtrees(graph, roots)
  const edges = new Set<number>()
  for (const v of nodes) {
    for (const [slot] of edgesOf(graph, v)) {
      const mirror = graph.mirrors[slot]
      const halves = [forget(graph, slot), mirror !== NONE && forget(graph, mirror)]
      if (halves.includes(true)) edges.add(firstHalf(graph, slot))
    }
  }

  const keys = new Set([...nodes].map((v) => keyOf(graph, v)))
  let records = 0
  for (const kept of [...learned.memory.map((it) => it.activated), ...learned.verdicts.map((it) => it.about)]) {
    if (without(kept, keys)) records++
  }
  learned.verdicts = learned.verdicts.filter((it) => it.about.keys.length > 0)
  for (const entry of learned.journal) {
    const before = entry.edges.length
    entry.edges = entry.edges.filter(
      ([source, target]) => !keys.has(entry.keys[source]) && !keys.has(entry.keys[target]),
    )
    if (entry.edges.length < before) records++
  }
  for (const key of keys) learned.boosts.delete(key)
  return { edges: edges.size, records }
}

function firstHalf(graph: Graph, slot: number): number {
  return isSecondHalf(graph, slot) ? graph.mirrors[slot] : slot
}

function without(kept: Kept, keys: ReadonlySet<string>): boolean {
  const stays = kept.keys.map((it) => !keys.has(it))
  if (!stays.includes(false)) return false
  kept.scores = kept.scores.filter((_, i) => stays[i])
  kept.nodes = kept.nodes.filter((_, i) => stays[i])
  kept.keys = kept.keys.filter((_, i) => stays[i])
  return true
}

interface Share {
  all: number
  own: number
}

/**
 * Takes an agent's part out of each weight. A weight has relaxed or been scaled since, so its remaining
 * difference from ingest is divided in the proportion of what each agent once added; no weight passes its
 * ingest value on the way.
 */
function undoAgent(graph: Graph, learned: Learned, agent: string, rates: Rates): Undone {
  const shares = contributions(graph, learned, agent, rates)
  const edges = new Set<number>()
  for (const [slot, { all, own }] of shares) {
    if (own === 0) continue
    edges.add(firstHalf(graph, slot))
    const ingest = graph.ingestWeights[slot]
    const gap = graph.weights[slot] - ingest
    // what was recorded never explains more than it added; a part that nobody recorded stays
    const remaining = all !== 0 && Math.sign(all) === Math.sign(gap) ? Math.min(1, gap / all) : 1
    const left = gap - own * remaining
    const passed = Math.sign(left) !== Math.sign(gap) && Math.sign(own) === Math.sign(gap)
    graph.weights[slot] = passed ? ingest : Math.max(0, ingest + left)
    if (Math.abs(all - own) < EPSILON) forget(graph, slot)
  }

  const total = learned.memory.length + learned.verdicts.length + learned.journal.length
  learned.memory = learned.memory.filter((it) => it.agent !== agent)
  learned.verdicts = learned.verdicts.filter((it) => it.agent !== agent)
  // what somebody asked to forget stays forgotten
  learned.journal = learned.journal.filter((it) => it.agent !== agent || it.kind === 'reset')
  return {
    edges: edges.size,
    records: total - learned.memory.length - learned.verdicts.length - learned.journal.length,
  }
}

/** Per slot what all agents and this one added, by feedback and by being shown. */
function contributions(graph: Graph, learned: Learned, agent: string, rates: Rates): Map<number, Share> {
  const shares = new Map<number, Share>()
  const add = (slot: number, amount: number, by: string) => {
    const share = shares.get(slot) ?? { all: 0, own: 0 }
    share.all += amount
    if (by === agent) share.own += amount
    shares.set(slot, share)
  }

  for (const entry of learned.journal) {
    for (const [slot, delta] of slotsOf(graph, entry)) add(slot, delta, entry.agent)
  }
  for (const { activated, agent: by } of learned.memory) {
    const scores = new Map([...activated.nodes].map((v, i): [NodeId, number] => [v, activated.scores[i]]))
    for (const [v, score] of scores) {
      if (v === NONE) continue
      for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
        const other = scores.get(graph.out.targets[e])
        if (other === undefined || !isLearned(graph, e)) continue
        const literal = rates.plasticity === 'literal'
        add(e, literal ? rates.learningRate * score * other : exposure(rates.learningRate, score, other), by)
      }
    }
  }
  return shares
}

/** The slots of a journal entry's edges in this graph; those that are gone are left out. */
function* slotsOf(graph: Graph, { keys, edges }: JournalEntry): Generator<[slot: number, delta: number]> {
  const nodes = keys.map((key) => nodeByKey(graph, key))
  for (const [source, target, relation, delta] of edges) {
    const slot = findSlot(graph, nodes[source], nodes[target], relation)
    if (slot !== NONE) yield [slot, delta]
  }
}
