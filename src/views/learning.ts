/** `GET /api/learning`: what was learned, against what ingest gave, and by whom. */

import type { Engine } from '#engine/brain'
import { type Graph, keyOf, labelOf, NONE, relationOf } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { bySize, changesFromIngest, type WeightChange } from '#plasticity/drift'
import { findSlot } from '#plasticity/exchange'
import type { JournalEntry, Learned } from '#plasticity/learned'
import { round, truncated } from '#tools/shapes'
import { briefOf } from '#views/context'
import { look, type Seen } from '#views/map'
import type { LearnedEdge, LearningAnswer, Lesson } from '#views/shapes'

export interface LearningQuery {
  /** Edges in each list. */
  edges: number
  /** Lessons, from this one on, the newest first. */
  offset: number
  limit: number
  /** The one whose lessons are told, and the edges that these changed; '' for all. */
  agent: string
}

/** Nodes that are named of one lesson. */
const NODES_NAMED = 50

export async function readLearning(
  engine: Engine,
  { edges, offset, limit, agent }: LearningQuery,
): Promise<Omit<LearningAnswer, 'served_brain'>> {
  const seen = await look(engine)
  const { graph, learned } = seen.brain
  const journal = agent === '' ? learned.journal : learned.journal.filter((it) => it.agent === agent)
  const own = agent === '' ? null : slotsIn(graph, journal)
  const changes = bySize(changesFromIngest(graph)).filter((it) => own?.has(it.slot) ?? true)
  const [up, down] = [changes.filter((it) => it.now > it.before), changes.filter((it) => it.now < it.before)]
  const [strengthened, weakened] = [up.slice(0, edges), down.slice(0, edges)]
  const taughtBy = teachersOf(graph, learned, [...strengthened, ...weakened])
  const rowOf = (it: WeightChange) => edgeOf(seen, it, taughtBy)
  const taught = journal.toReversed()
  return {
    policy: engine.settings.plasticity,
    plasticity_generation: graph.meta.plasticityGeneration,
    queries_learned: learned.queryNumber,
    strengthened: strengthened.map(rowOf),
    total_strengthened: up.length,
    weakened: weakened.map(rowOf),
    total_weakened: down.length,
    taught: taught.slice(offset, offset + limit).map((it) => lessonOf(graph, it)),
    total_taught: taught.length,
    offset,
    agents: agentsIn(learned),
    truncated: truncated(strengthened.length + weakened.length, changes.length, 'Raise edges.'),
  }
}

/** The edges that these lessons changed, of one that runs both ways either slot. */
function slotsIn(graph: Graph, journal: readonly JournalEntry[]): ReadonlySet<number> {
  const slots = new Set<number>()
  for (const { keys, edges } of journal) {
    const nodes = keys.map((key) => nodeByKey(graph, key))
    for (const [source, target, relation] of edges) {
      const slot = findSlot(graph, nodes[source], nodes[target], relation)
      if (slot === NONE) continue
      slots.add(slot)
      if (graph.mirrors[slot] !== NONE) slots.add(graph.mirrors[slot])
    }
  }
  return slots
}

/** Agents whose feedback changed these edges, by slot, the last one first. */
function teachersOf(
  graph: Graph,
  { journal }: Learned,
  changes: readonly WeightChange[],
): ReadonlyMap<number, readonly string[]> {
  const nameOf = (source: string, relation: string, target: string) => `${source}\n${relation}\n${target}`
  const slots = new Map(
    changes.map(({ slot, source }) => [
      nameOf(keyOf(graph, source), relationOf(graph, slot), keyOf(graph, graph.out.targets[slot])),
      slot,
    ]),
  )
  const teachers = new Map<number, string[]>()
  for (const { agent, keys, edges } of journal.toReversed()) {
    for (const [source, target, relation] of edges) {
      const slot = slots.get(nameOf(keys[source], relation, keys[target]))
      if (slot === undefined) continue
      const known = teachers.get(slot)
      if (known === undefined) teachers.set(slot, [agent])
      else if (!known.includes(agent)) known.push(agent)
    }
  }
  return teachers
}

function edgeOf(
  { tree }: Seen,
  { slot, source, before, now }: WeightChange,
  taughtBy: ReadonlyMap<number, readonly string[]>,
): LearnedEdge {
  const { graph } = tree
  return {
    source: briefOf(tree, source),
    target: briefOf(tree, graph.out.targets[slot]),
    relation: relationOf(graph, slot),
    weight: round(now),
    ingest_weight: round(before),
    change: round(now - before),
    times_strengthened: graph.strengthened[slot],
    times_weakened: graph.weakened[slot],
    taught_by: [...(taughtBy.get(slot) ?? [])],
  }
}

function lessonOf(graph: Graph, { time, agent, text, kind, grade, keys, about, edges }: JournalEntry): Lesson {
  return {
    at_ms: time,
    agent,
    query: text,
    feedback: kind,
    grade: grade ?? null,
    nodes: keys.slice(0, Math.min(about, NODES_NAMED)).map((id) => {
      const v = nodeByKey(graph, id)
      const exists = v < graph.nNodes && graph.dead[v] === 0
      return { id, label: exists ? labelOf(graph, v) : (id.split('::').at(-1) ?? id), exists }
    }),
    nodes_total: about,
    edges: edges.length,
    change: round(edges.reduce((sum, [, , , delta]) => sum + delta, 0)),
  }
}

function agentsIn({ journal, memory }: Learned): LearningAnswer['agents'] {
  const agents = new Map<string, LearningAnswer['agents'][number]>()
  const count = (agent: string, time: number, what: 'lessons' | 'queries') => {
    const known = agents.get(agent) ?? { agent, lessons: 0, queries: 0, last_ms: 0 }
    known[what]++
    known.last_ms = Math.max(known.last_ms, time)
    agents.set(agent, known)
  }
  for (const { agent, time } of journal) count(agent, time, 'lessons')
  for (const { agent, time } of memory) count(agent, time, 'queries')
  return [...agents.values()].sort((a, b) => b.last_ms - a.last_ms || (a.agent < b.agent ? -1 : 1))
}
