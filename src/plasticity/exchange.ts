/** What was learned, as plain data and back; matched by keys, so that it survives every new ingest. */

import { type Graph, keyOf, LTD_APPLIED, LTP_APPLIED, type NodeId, NONE, relationOf } from '#graph/graph'
import type { WeightedTerm } from '#graph/lexical'
import { nodeByKey } from '#graph/lookup'
import {
  emptyLearned,
  type JournalEntry,
  type Kept,
  type Learned,
  type QueryRecord,
  type Verdict,
} from '#plasticity/learned'
import { CAP, FLOOR, isDead, isLearned } from '#plasticity/weights'

export const VERSION = 1

/** State of one edge slot; the two `label` fields hold node keys, as files of this kind always did. */
export interface StateRecord {
  source_label: string
  target_label: string
  relation: string
  original_weight: number
  current_weight: number
  strengthen_count: number
  weaken_count: number
  ltp_applied: boolean
  ltd_applied: boolean
  strengthen_run: number
  weaken_run: number
  last_used: number
}

interface KeptJson {
  ids: string[]
  scores: number[]
}

export interface LearnedJson {
  version: number
  /** Learning generation of the graph. */
  generation: number
  /** Epoch ms. */
  saved_at: number
  query_number: number
  states: StateRecord[]
  query_memory: { text: string; agent: string; time: number; query: number; seeds: KeptJson; activated: KeptJson }[]
  verdicts: {
    value: number
    agent: string
    time: number
    query: number
    seeds: KeptJson
    about: KeptJson
    words: WeightedTerm[]
  }[]
  journal: JournalEntry[]
}

/** Everything learned that outlives the process; boosts do not. `savedAt` in epoch ms. */
export function toJson(learned: Learned, graph: Graph, savedAt = 0): LearnedJson {
  const bare = ({ keys, scores }: Kept): KeptJson => ({ ids: keys, scores })
  return {
    version: VERSION,
    generation: graph.meta.plasticityGeneration,
    saved_at: savedAt,
    query_number: learned.queryNumber,
    states: [...states(graph)],
    query_memory: learned.memory.map((it) => ({ ...it, seeds: bare(it.seeds), activated: bare(it.activated) })),
    verdicts: learned.verdicts.map((it) => ({
      ...it,
      seeds: bare(it.seeds),
      about: bare(it.about),
      words: [...it.words],
    })),
    journal: learned.journal,
  }
}

function* states(graph: Graph): Generator<StateRecord> {
  const { offsets, targets } = graph.out
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      if (isDead(graph, e) || !isLearned(graph, e)) continue
      const original = graph.ingestWeights[e]
      yield {
        source_label: keyOf(graph, v),
        target_label: keyOf(graph, targets[e]),
        relation: relationOf(graph, e),
        original_weight: original,
        current_weight: Number.isFinite(graph.weights[e]) ? graph.weights[e] : original,
        strengthen_count: graph.strengthened[e],
        weaken_count: graph.weakened[e],
        ltp_applied: (graph.marks[e] & LTP_APPLIED) !== 0,
        ltd_applied: (graph.marks[e] & LTD_APPLIED) !== 0,
        strengthen_run: graph.strengthenRun[e],
        weaken_run: graph.weakenRun[e],
        last_used: graph.lastUsed[e],
      }
    }
  }
}

/** The slot from one node to another with this relation (a graph has at most one); NONE when there is none. */
export function findSlot(graph: Graph, source: NodeId, target: NodeId, relation: string): number {
  if (source === NONE || target === NONE) return NONE
  const handle = graph.strings.find(relation)
  for (let e = graph.out.offsets[source]; e < graph.out.offsets[source + 1]; e++) {
    if (graph.out.targets[e] === target && graph.relations[e] === handle && !isDead(graph, e)) return e
  }
  return NONE
}

export interface Loaded {
  learned: Learned
  /** Records that found their edge. */
  applied: number
  /** Records whose edge the graph does not have. */
  unmatched: number
  warnings: string[]
}

/**
 * Applies what `toJson` gave, also as text, or a plain array of state records. Weights are kept within bounds,
 * one that is not a number becomes the original one, and records without their edge are counted. When no
 * record at all fits, the file is that of another project: the graph stays as it is and a warning says so.
 * Throws an `Error` with the reason, before anything is changed, when the data has another shape.
 */
export function fromJson(json: unknown, graph: Graph): Loaded {
  const { states, learned, generation } = read(json)
  const found = states.map((it) => {
    const source = nodeByKey(graph, it.source_label)
    return findSlot(graph, source, nodeByKey(graph, it.target_label), it.relation)
  })
  const applied = found.filter((slot) => slot !== NONE).length
  const unmatched = states.length - applied
  if (states.length > 0 && applied === 0) {
    const warning = `None of the ${states.length} learned edges fits this graph; the file is that of another project and was not used.`
    return { learned: emptyLearned(), applied, unmatched, warnings: [warning] }
  }

  found.forEach((slot, i) => {
    if (slot !== NONE) restore(graph, slot, states[i])
  })
  graph.meta.plasticityGeneration = Math.max(graph.meta.plasticityGeneration, generation)
  const warnings = unmatched === 0 ? [] : [`${unmatched} of ${states.length} learned edges are no longer in the graph.`]
  return { learned, applied, unmatched, warnings }
}

function restore(graph: Graph, slot: number, state: StateRecord): void {
  const original = Number.isFinite(state.original_weight) ? state.original_weight : graph.ingestWeights[slot]
  const current = Number.isFinite(state.current_weight) ? state.current_weight : original
  graph.ingestWeights[slot] = original
  graph.weights[slot] = Math.min(CAP, Math.max(FLOOR, current))
  graph.strengthened[slot] = state.strengthen_count
  graph.weakened[slot] = state.weaken_count
  graph.strengthenRun[slot] = state.strengthen_run
  graph.weakenRun[slot] = state.weaken_run
  graph.marks[slot] = (state.ltp_applied ? LTP_APPLIED : 0) | (state.ltd_applied ? LTD_APPLIED : 0)
  graph.lastUsed[slot] = state.last_used
}

// reading

function read(json: unknown): { states: StateRecord[]; learned: Learned; generation: number } {
  const value = typeof json === 'string' ? parse(json) : json
  const learned = emptyLearned()
  if (Array.isArray(value)) return { states: list(value, 'states').map(readState), learned, generation: 0 }
  const file = object(value, 'the learned state')
  const version = number(file.version, 'version')
  if (version > VERSION)
    throw new Error(`the learned state has version ${version}, this program reads up to ${VERSION}`)
  learned.queryNumber = number(file.query_number ?? 0, 'query_number')
  learned.memory = list(file.query_memory ?? [], 'query_memory').map(readQuery)
  learned.verdicts = list(file.verdicts ?? [], 'verdicts').map(readVerdict)
  learned.journal = list(file.journal ?? [], 'journal').map(readEntry)
  return {
    states: list(file.states, 'states').map(readState),
    learned,
    generation: number(file.generation ?? 0, 'generation'),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`the learned state is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

function readState(value: unknown, i: number): StateRecord {
  const where = `states[${i}]`
  const it = object(value, where)
  return {
    source_label: string(it.source_label, `${where}.source_label`),
    target_label: string(it.target_label, `${where}.target_label`),
    relation: string(it.relation, `${where}.relation`),
    original_weight: weight(it.original_weight, `${where}.original_weight`),
    current_weight: weight(it.current_weight, `${where}.current_weight`),
    strengthen_count: count(it.strengthen_count, `${where}.strengthen_count`),
    weaken_count: count(it.weaken_count, `${where}.weaken_count`),
    ltp_applied: it.ltp_applied === true,
    ltd_applied: it.ltd_applied === true,
    strengthen_run: count(it.strengthen_run, `${where}.strengthen_run`),
    weaken_run: count(it.weaken_run, `${where}.weaken_run`),
    last_used: count(it.last_used, `${where}.last_used`),
  }
}

function readQuery(value: unknown, i: number): QueryRecord {
  const where = `query_memory[${i}]`
  const it = object(value, where)
  return {
    ...readOrigin(it, where),
    text: string(it.text, `${where}.text`),
    seeds: readKept(it.seeds, `${where}.seeds`),
    activated: readKept(it.activated, `${where}.activated`),
  }
}

function readVerdict(value: unknown, i: number): Verdict {
  const where = `verdicts[${i}]`
  const it = object(value, where)
  return {
    ...readOrigin(it, where),
    value: Math.min(1, Math.max(-1, number(it.value, `${where}.value`))),
    seeds: readKept(it.seeds, `${where}.seeds`),
    about: readKept(it.about, `${where}.about`),
    words: list(it.words ?? [], `${where}.words`).map((word, k) => readTerm(word, `${where}.words[${k}]`)),
  }
}

function readTerm(value: unknown, where: string): WeightedTerm {
  const it = object(value, where)
  return { term: string(it.term, `${where}.term`), weight: number(it.weight, `${where}.weight`) }
}

function readOrigin(it: Fields, where: string): { agent: string; time: number; query: number } {
  return {
    agent: string(it.agent, `${where}.agent`),
    time: number(it.time, `${where}.time`),
    query: count(it.query, `${where}.query`),
  }
}

function readKept(value: unknown, where: string): Kept {
  const it = object(value, where)
  const keys = list(it.ids, `${where}.ids`).map((id, i) => string(id, `${where}.ids[${i}]`))
  const scores = list(it.scores, `${where}.scores`).map((score, i) => number(score, `${where}.scores[${i}]`))
  if (scores.length !== keys.length) throw new Error(`${where} has ${keys.length} ids and ${scores.length} scores`)
  return { keys, scores, nodes: new Uint32Array(keys.length).fill(NONE) }
}

const KINDS = ['correct', 'wrong', 'partial', 'reset'] as const

function readEntry(value: unknown, i: number): JournalEntry {
  const where = `journal[${i}]`
  const it = object(value, where)
  const kind = KINDS.find((known) => known === it.kind)
  if (kind === undefined) throw new Error(`${where}.kind is none of ${KINDS.join(', ')}`)
  const keys = list(it.keys, `${where}.keys`).map((key, k) => string(key, `${where}.keys[${k}]`))
  const edges = list(it.edges, `${where}.edges`).map((edge, k): [number, number, string, number] => {
    const at = `${where}.edges[${k}]`
    const [source, target, relation, delta] = list(edge, at)
    const ends: [number, number] = [count(source, at), count(target, at)]
    if (Math.max(...ends) >= keys.length) throw new Error(`${at} names a key that the entry does not have`)
    return [...ends, string(relation, at), number(delta, at)]
  })
  return {
    kind,
    ...readOrigin(it, where),
    text: string(it.text, `${where}.text`),
    ...(it.grade !== undefined && { grade: number(it.grade, `${where}.grade`) }),
    keys,
    about: count(it.about, `${where}.about`),
    edges,
  }
}

type Fields = Record<string, unknown>

function object(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} is not an object`)
  return { ...value }
}

function list(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} is not a list`)
  return value
}

function string(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new Error(`${where} is not a text`)
  return value
}

function number(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`${where} is not a number`)
  return value
}

/** A weight; JSON has no NaN, so `null` stands for one. */
function weight(value: unknown, where: string): number {
  return value === null ? Number.NaN : typeof value === 'number' ? value : number(value, where)
}

/** A count, 0 where the file does not have it. */
function count(value: unknown, where: string): number {
  return Math.max(0, Math.trunc(number(value ?? 0, where)))
}
