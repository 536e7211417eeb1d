/**
 * Regions that agents watch. A lock never stops anybody: it remembers what a region looked like, says how it differs
 * now, and notes calls that touched it.
 */

import * as z from 'zod'
import {
  ballAround,
  compareSnapshots,
  type Difference,
  isEmpty,
  slotsInside,
  Succession,
  takeSnapshot,
} from '#analysis/locked'
import type { Brain, Engine, Settings } from '#engine/brain'
import { nextLock, ownersOf } from '#engine/handles'
import type { Records } from '#engine/records'
import { Refusal } from '#engine/refusal'
import { perRecords, Shelf } from '#engine/shelf'
import { type Graph, NONE, type NodeId } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'

export const LOCK_SCOPES = ['node', 'subgraph', 'query_neighborhood', 'path'] as const
export const STRATEGIES = ['manual', 'on_ingest', 'on_learn'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** Results of a query that belong to its neighbourhood. */
const ACTIVATED = 50

const Snapshot = z.object({
  keys: z.array(z.string()),
  nInside: z.int(),
  relations: z.array(z.string()),
  sources: z.array(z.int()),
  targets: z.array(z.int()),
  kinds: z.array(z.int()),
  weights: z.array(z.number()),
  backWeights: z.array(z.number()),
})

const Lock = z.object({
  lock_id: z.string(),
  agent: z.string(),
  scope: z.enum(LOCK_SCOPES),
  roots: z.array(z.string()),
  /** 0 unless the scope is a subgraph. */
  radius: z.int(),
  query: z.string(),
  path: z.array(z.string()),
  /** The perspective that it is released with, '' for none. */
  perspective_id: z.string(),
  /** '' until one is set. */
  strategy: z.enum(['', ...STRATEGIES]),
  created_at_ms: z.number(),
  /** When the baseline was taken; a query is asked again as of that time, so that only the graph makes a difference. */
  taken_at_ms: z.number(),
  generation: z.int(),
  plasticity: z.int(),
  ingested_at: z.number(),
  baseline: Snapshot,
})
export type Lock = z.infer<typeof Lock>

const Event = z.object({
  lock_id: z.string(),
  number: z.int(),
  kind: z.enum(['ingest', 'learn']),
  at_ms: z.number(),
  agent_id: z.string(),
  graph_generation: z.int(),
})
export type WatchEvent = z.infer<typeof Event>

/** State of a graph and its weights, by numbers that rise with every change. */
interface Moment {
  generation: number
  plasticity: number
  query: number
}

class Locks {
  readonly #locks: Shelf<Lock>
  readonly #events: Shelf<WatchEvent>
  readonly #pending = new Map<string, WatchEvent[]>()
  /** When a lock was last found to be as its baseline; not kept, as another process cannot know what came between. */
  readonly #clean = new Map<string, Moment>()

  constructor(records: Records) {
    this.#locks = new Shelf(records, { kind: 'lock', prefix: 'state/', schema: Lock })
    this.#events = new Shelf(records, { kind: 'lock', prefix: 'event/', schema: Event })
    const events = [...this.#events.values()].sort((a, b) => a.number - b.number)
    for (const it of events) this.#pending.set(it.lock_id, [...this.pending(it.lock_id), it])
  }

  get(id: string): Lock | undefined {
    return this.#locks.get(id)
  }

  all(): Lock[] {
    return [...this.#locks.values()]
  }

  put(lock: Lock, clean: Moment): void {
    this.#locks.put(lock.lock_id, lock)
    this.#clean.set(lock.lock_id, clean)
  }

  change(lock: Lock): void {
    this.#locks.put(lock.lock_id, lock)
  }

  remove(id: string): void {
    this.drain(id)
    this.#clean.delete(id)
    this.#locks.remove(id)
  }

  pending(id: string): readonly WatchEvent[] {
    return this.#pending.get(id) ?? []
  }

  addEvent(event: Omit<WatchEvent, 'number'>, most: number): void {
    const waiting = [...this.pending(event.lock_id)]
    const whole = { ...event, number: (waiting.at(-1)?.number ?? 0) + 1 }
    this.#events.put(eventName(whole), whole)
    waiting.push(whole)
    for (const it of waiting.splice(0, waiting.length - most)) this.#events.remove(eventName(it))
    this.#pending.set(event.lock_id, waiting)
  }

  /** Forgets the events that wait and gives their number. */
  drain(id: string): number {
    const waiting = this.pending(id)
    for (const it of waiting) this.#events.remove(eventName(it))
    this.#pending.delete(id)
    return waiting.length
  }

  isClean(id: string, { generation, plasticity, query }: Moment): boolean {
    const known = this.#clean.get(id)
    return (
      known !== undefined && known.query === query && known.generation === generation && known.plasticity === plasticity
    )
  }

  setClean(id: string, moment: Moment): void {
    this.#clean.set(id, moment)
  }
}

function eventName({ lock_id, number }: WatchEvent): string {
  return `${lock_id}/${String(number).padStart(9, '0')}`
}

const locksOf = perRecords((records) => new Locks(records))

/** What the functions below need of the engine. */
type Place = Pick<Engine, 'records' | 'settings' | 'events' | 'brain'>

function momentOf({ graph, learned }: Brain): Moment {
  return {
    generation: graph.meta.generation,
    plasticity: graph.meta.plasticityGeneration,
    query: learned.queryNumber,
  }
}

/** An agent's own lock. That of another agent is refused as one that does not exist. */
export function lockOf(records: Records, id: string, agent: string): Lock {
  const lock = locksOf(records).get(id)
  if (lock?.agent === agent) return lock
  throw new Refusal('lock_not_found', `Lock not found: ${id} for agent ${agent}`, 'lock_create makes one.', id)
}

/** Of all agents, for the operator. */
export function allLocks(records: Records): Lock[] {
  return locksOf(records).all()
}

export function locksOfAgent(records: Records, agent: string): Lock[] {
  return locksOf(records)
    .all()
    .filter((it) => it.agent === agent)
}

/** Locks as they are kept, for the sum of what they take. */
export function lockSizes(records: Records): { nodes: number; edges: number; crossing: number; events: number } {
  const locks = locksOf(records)
  const sizes = { nodes: 0, edges: 0, crossing: 0, events: 0 }
  for (const { lock_id, baseline } of locks.all()) {
    sizes.nodes += baseline.keys.length
    sizes.edges += baseline.weights.length
    sizes.crossing += baseline.sources.length - baseline.weights.length
    sizes.events += locks.pending(lock_id).length
  }
  return sizes
}

export type Wanted = Pick<Lock, 'agent' | 'scope' | 'roots' | 'radius' | 'query' | 'path' | 'perspective_id'>

export function createLock({ records, settings, brain }: Place, wanted: Wanted, now: number): Lock {
  const { agent } = wanted
  const own = locksOfAgent(records, agent)
  if (own.length >= settings.maxLocksPerAgent) {
    const ids = own.slice(0, 3).map((it) => it.lock_id)
    throw new Refusal(
      'lock_limit',
      `Lock limit reached for agent ${agent}: ${own.length}/${settings.maxLocksPerAgent}`,
      `Release one with lock_release: ${ids.join(', ')}${own.length > ids.length ? ', …' : ''}.`,
    )
  }
  const nodes = regionOf(wanted, brain, settings, now)
  const baseline = measured(brain.graph, nodes, settings)
  const lock = {
    ...wanted,
    ...baselineAt(brain, now),
    lock_id: '',
    strategy: '' as const,
    created_at_ms: now,
    baseline,
  }
  lock.lock_id = nextLock(ownersOf(records), agent)
  locksOf(records).put(lock, momentOf(brain))
  return lock
}

function baselineAt({ graph }: Brain, now: number) {
  const { generation, plasticityGeneration, ingestedAt } = graph.meta
  return { taken_at_ms: now, generation, plasticity: plasticityGeneration, ingested_at: ingestedAt }
}

/** The region as it is; refused when it is larger than a lock may be. */
function measured(graph: Graph, nodes: readonly NodeId[], { maxLockNodes, maxLockEdges }: Settings) {
  const tooLarge = (n: number, what: string, cap: number) =>
    new Refusal(
      'lock_scope_too_large',
      `The region has ${n} ${what}, which exceeds the cap of ${cap}.`,
      'Take a smaller radius, fewer roots or the scope node.',
    )
  if (nodes.length > maxLockNodes) throw tooLarge(nodes.length, 'nodes', maxLockNodes)
  const snapshot = takeSnapshot(graph, nodes)
  if (snapshot.weights.length > maxLockEdges) throw tooLarge(snapshot.weights.length, 'edges', maxLockEdges)
  return snapshot
}

/** The nodes of a region in a graph; roots that are gone are left out. */
function regionOf({ scope, roots, radius, query, path }: Wanted, brain: Brain, settings: Settings, asOf: number) {
  const { graph, indexes } = brain
  const present = (keys: readonly string[]) =>
    [...new Set(keys.map((it) => nodeByKey(graph, it)))].filter((v) => v !== NONE)
  if (scope === 'subgraph') return ballAround(graph, present(roots), radius)
  const nodes = new Set(present(scope === 'path' ? path : roots))
  if (scope === 'query_neighborhood') {
    const { seeds, ranked } = activate(graph, indexes, {
      query,
      topK: ACTIVATED,
      dimensions: DIMENSIONS,
      xlr: settings.xlrEnabled,
      gate: settings.xlrGate,
      hubImmunity: settings.xlrHubImmunity,
      ghostEdges: false,
      holes: false,
      boosts: new Map(),
      ranking: 'fused',
      nowSeconds: asOf / 1000,
    })
    for (const { node } of [...seeds.slice(0, ACTIVATED), ...ranked]) nodes.add(node)
  }
  return [...nodes].sort((a, b) => a - b)
}

/** Whether the graph or feedback changed since the baseline was taken. */
export function isBaselineStale({ generation, plasticity, ingested_at }: Lock, { graph }: Brain): boolean {
  const { meta } = graph
  return generation !== meta.generation || plasticity !== meta.plasticityGeneration || ingested_at !== meta.ingestedAt
}

/** How the region differs from its baseline; null when nothing can have changed since that was last looked at. */
export function diffLock({ records, settings, brain }: Place, lock: Lock): Difference | null {
  const locks = locksOf(records)
  const moment = momentOf(brain)
  if (locks.isClean(lock.lock_id, moment)) return null
  const nodes = regionOf(lock, brain, settings, lock.taken_at_ms)
  const difference = compareSnapshots(lock.baseline, takeSnapshot(brain.graph, nodes))
  if (isEmpty(difference)) locks.setClean(lock.lock_id, moment)
  return difference
}

/** Takes the region as it is for the new baseline. */
export function rebaseLock({ records, settings, brain }: Place, lock: Lock, now: number): Lock {
  const nodes = regionOf(lock, brain, settings, now)
  if (nodes.length === 0) {
    throw new Refusal(
      'node_not_found',
      `Nothing of the region of ${lock.lock_id} is left: ${lock.roots.slice(0, 3).join(', ')}`,
      'Release it with lock_release and lock what took its place.',
    )
  }
  const rebased = { ...lock, ...baselineAt(brain, now), baseline: measured(brain.graph, nodes, settings) }
  locksOf(records).put(rebased, momentOf(brain))
  return rebased
}

export function watchLock(records: Records, lock: Lock, strategy: Strategy): void {
  locksOf(records).change({ ...lock, strategy })
}

export function pendingEvents(records: Records, lock: Lock): readonly WatchEvent[] {
  return locksOf(records).pending(lock.lock_id)
}

export function drainEvents(records: Records, lock: Lock): number {
  return locksOf(records).drain(lock.lock_id)
}

export function releaseLock(records: Records, { lock_id }: Lock): void {
  locksOf(records).remove(lock_id)
}

/** Notes an ingest at each lock that watches for one and whose region it touched. */
export function noteIngest(place: Place, before: Graph, agent: string, now: number): void {
  const { records, settings, brain } = place
  const watching = locksOf(records)
    .all()
    .filter((it) => it.strategy === 'on_ingest')
  if (watching.length === 0) return
  const succession = new Succession(before, brain.graph)
  for (const lock of watching) {
    const then = regionOf(fixed(lock), { ...brain, graph: before }, settings, now)
    if (succession.isTouched(then, regionOf(fixed(lock), brain, settings, now))) note(place, lock, 'ingest', agent, now)
  }
}

/** A neighbourhood of a query is watched as the nodes that it was: its ranking moves with things far away. */
function fixed(lock: Lock): Wanted {
  if (lock.scope !== 'query_neighborhood') return lock
  return { ...lock, scope: 'path', path: lock.baseline.keys.slice(0, lock.baseline.nInside) }
}

/** To be called before feedback; the function that it returns notes, at each lock that watches for it, changed weights. */
export function watchLearning(place: Place): (agent: string, now: number) => void {
  const { records, settings, brain } = place
  const watching = locksOf(records)
    .all()
    .filter((it) => it.strategy === 'on_learn')
  const { weights } = brain.graph
  const regions = watching.map((lock) => {
    const slots = slotsInside(brain.graph, regionOf(fixed(lock), brain, settings, 0))
    return { lock, slots, before: Float32Array.from(slots, (e) => weights[e]) }
  })
  return (agent, now) => {
    for (const { lock, slots, before } of regions)
      if (slots.some((e, i) => weights[e] !== before[i])) note(place, lock, 'learn', agent, now)
  }
}

function note(
  { records, events, settings, brain }: Place,
  { lock_id, agent: owner }: Lock,
  kind: WatchEvent['kind'],
  agent_id: string,
  now: number,
): void {
  const graph_generation = brain.graph.meta.generation
  locksOf(records).addEvent({ lock_id, kind, at_ms: now, agent_id, graph_generation }, settings.maxLockEvents)
  events.push({ type: 'lock_touched', lock_id, owner, kind, agent_id, graph_generation, timestamp_ms: now })
}
