/**
 * Where agents stand in the graph: a focus with routes from it, the way that led there, and branches of it. A value is
 * never changed in place; each step puts a new one, so that what is in memory is what is kept.
 */

import * as z from 'zod'
import { FAR, folderOf, hopsFrom } from '#analysis/neighbours'
import { type Breakdown, findRoutes, type Lens, type Routes } from '#analysis/routes'
import type { Brain, Engine, Settings } from '#engine/brain'
import { nextPerspective, ownersOf } from '#engine/handles'
import type { Records } from '#engine/records'
import { Refusal } from '#engine/refusal'
import { perRecords, Shelf } from '#engine/shelf'
import { FILE, type Graph, keyOf, NONE, type NodeId, tagsOf } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { DIMENSIONS } from '#query/blend'

const MODES = ['anchored', 'local'] as const

const Texts = z.array(z.string())
const Share = z.number().nullable()

const Lens = z.object({
  dimensions: z.array(z.enum(DIMENSIONS)),
  route_families: Texts,
  xlr: z.boolean(),
  include_ghost_edges: z.boolean(),
  include_structural_holes: z.boolean(),
  top_k: z.int(),
  namespaces: Texts,
  tags: Texts,
  node_types: Texts,
  ranking_weights: z.object({
    local_activation: z.number(),
    path_coherence: z.number(),
    novelty: z.number(),
    anchor_relevance: z.number(),
    continuity: z.number(),
  }),
}) satisfies z.ZodType<Lens>

/** A route with ids in place of nodes. */
const KeptRoute = z.object({
  route_id: z.string(),
  target: z.string(),
  family: z.string(),
  kind: z.string(),
  score: z.number(),
  breakdown: z.object({
    local_activation: z.number(),
    path_coherence: z.number(),
    novelty: z.number(),
    anchor_relevance: Share,
    continuity: Share,
  }) satisfies z.ZodType<Breakdown>,
  path: Texts,
  relation: z.string().nullable(),
  reason: z.string(),
})
export type KeptRoute = z.infer<typeof KeptRoute>

/** How a focus was reached; '' at the first one. */
const Arrival = z.object({ focus: z.string(), mode: z.enum(MODES), family: z.string(), folder: z.string() })

const Diagnostic = z.object({
  sources_checked: Texts,
  sources_with_results: Texts,
  sources_failed: Texts,
  reason: z.enum([
    'well_connected',
    'under_indexed',
    'narrow_lens',
    'query_mismatch',
    'dead_end',
    'all_visited',
    'budget_exhausted',
  ]),
  suggestion: z.string(),
  graph_stats: z.object({ node_count: z.int(), edge_count: z.int() }),
})

const Perspective = z.object({
  perspective_id: z.string(),
  agent: z.string(),
  /** '' when there is none. */
  anchor: z.string(),
  query: z.string(),
  lens: Lens,
  /** The focus, '' when the graph has nothing to offer, and how it was reached. */
  at: Arrival,
  mode_effective: z.enum(MODES),
  /** In the order of the first visit. */
  visited: Texts,
  history: z.array(
    z.object({
      action: z.enum(['follow', 'back']),
      from: z.string(),
      to: z.string(),
      family: z.string(),
      at_ms: z.number(),
    }),
  ),
  checkpoints: z.array(Arrival),
  routes: z.array(KeptRoute),
  route_set_version: z.int(),
  diagnostic: Diagnostic.nullable(),
  /** Of the graph when the routes were made. */
  generation: z.int(),
  plasticity: z.int(),
  ingested_at: z.number(),
  created_at_ms: z.number(),
  branches: Texts,
  /** Of a branch: where it comes from and what it is called. */
  parent: z.string(),
  branch_name: z.string(),
})
export type Perspective = z.infer<typeof Perspective>

/** What is read at the moment; kept apart, since it changes with every look. */
const Reading = z.object({
  page: z.int(),
  page_size: z.int(),
  accessed_at_ms: z.number(),
  /** Rises with every use, since several may be at one millisecond. */
  turn: z.int(),
})
export type Reading = z.infer<typeof Reading>

export const PAGE_SIZE = 6
const FIRST_VERSION = 100
/** Fewer routes than this are explained. */
const FEW = 3

class Perspectives {
  readonly #states: Shelf<Perspective>
  readonly #readings: Shelf<Reading>
  #turn = 0

  constructor(records: Records) {
    this.#states = new Shelf(records, { kind: 'perspective', prefix: 'state/', schema: Perspective })
    this.#readings = new Shelf(records, { kind: 'perspective', prefix: 'reading/', schema: Reading })
    for (const { turn } of this.#readings.values()) this.#turn = Math.max(this.#turn, turn)
  }

  all(): Perspective[] {
    return [...this.#states.values()]
  }

  get(id: string): Perspective | undefined {
    return this.#states.get(id)
  }

  put(perspective: Perspective): Perspective {
    this.#states.put(perspective.perspective_id, perspective)
    return perspective
  }

  reading(id: string): Reading {
    return this.#readings.get(id) ?? { page: 1, page_size: PAGE_SIZE, accessed_at_ms: 0, turn: 0 }
  }

  read(id: string, reading: Reading): void {
    this.#readings.put(id, { ...reading, turn: ++this.#turn })
  }

  remove(id: string): void {
    this.#readings.remove(id)
    this.#states.remove(id)
  }
}

const perspectivesOf = perRecords((records) => new Perspectives(records))

/** What the functions below need of the engine. */
type Place = Pick<Engine, 'records' | 'settings' | 'brain'>

/** An agent's own perspective. That of another agent is refused as one that does not exist. */
export function perspectiveOf(records: Records, id: string, agent: string): Perspective {
  const found = perspectivesOf(records).get(id)
  if (found?.agent === agent) return found
  throw notFound(id, agent)
}

export function notFound(id: string, agent: string, hint = 'perspective_list shows the open ones.'): Refusal {
  return new Refusal('perspective_not_found', `Perspective not found: ${id} for agent ${agent}`, hint, id)
}

/** Whoever it belongs to, for a comparison. */
export function anyPerspective(records: Records, id: string): Perspective | undefined {
  return perspectivesOf(records).get(id)
}

/** Of all agents, for the operator. */
export function allPerspectives(records: Records): Perspective[] {
  return perspectivesOf(records).all()
}

export function perspectivesOfAgent(records: Records, agent: string): Perspective[] {
  return perspectivesOf(records)
    .all()
    .filter((it) => it.agent === agent)
}

/** The one that the agent used last, if any is open. */
export function lastUsed(records: Records, agent: string): Perspective | null {
  let last: Perspective | null = null
  let at = -1
  for (const it of perspectivesOfAgent(records, agent)) {
    const { turn } = perspectivesOf(records).reading(it.perspective_id)
    if (turn < at) continue
    at = turn
    last = it
  }
  return last
}

/** Ids of all nodes that an agent's open perspectives have been at. */
export function visitedBy(records: Records, agent: string): string[] {
  return [...new Set(perspectivesOfAgent(records, agent).flatMap((it) => it.visited))]
}

export function readingOf(records: Records, { perspective_id }: Perspective): Reading {
  return perspectivesOf(records).reading(perspective_id)
}

/** Notes that a perspective was used, and what page of it was served. */
export function noteReading(
  records: Records,
  { perspective_id }: Perspective,
  now: number,
  page: Partial<Pick<Reading, 'page' | 'page_size'>> = {},
): void {
  const perspectives = perspectivesOf(records)
  perspectives.read(perspective_id, { ...perspectives.reading(perspective_id), ...page, accessed_at_ms: now })
}

/** Whether the graph or feedback changed since the routes were made. */
export function isStale({ generation, plasticity, ingested_at }: Perspective, { graph }: Brain): boolean {
  const { meta } = graph
  return generation !== meta.generation || plasticity !== meta.plasticityGeneration || ingested_at !== meta.ingestedAt
}

/** Estimated bytes: 40 for the id of a node, 100 for an event. */
export function sizeOf(perspective: Perspective): number {
  const { visited, checkpoints, history, routes } = perspective
  const ids = routes.reduce((sum, it) => sum + 1 + it.path.length, visited.length + checkpoints.length + 2)
  return 40 * ids + 100 * history.length
}

export function sizeOfAll(records: Records): number {
  return perspectivesOf(records)
    .all()
    .reduce((sum, it) => sum + sizeOf(it), 0)
}

export interface Start {
  agent: string
  query: string
  /** NONE when there is none. */
  anchor: NodeId
  /** NONE when the query matches nothing. */
  focus: NodeId
  lens: Lens
  /** Calls of engines that were made to find the focus. */
  calls: number
}

export function startPerspective(place: Place, start: Start, now: number): Perspective {
  const { records, settings, brain } = place
  const { agent, query, anchor, focus, lens } = start
  checkRoom(records, agent, settings)
  const key = (v: NodeId) => (v === NONE ? '' : keyOf(brain.graph, v))
  const fresh: Perspective = {
    perspective_id: '',
    agent,
    anchor: key(anchor),
    query,
    lens,
    at: { focus: key(focus), mode: anchor === NONE ? 'local' : 'anchored', family: '', folder: '' },
    mode_effective: 'local',
    visited: focus === NONE ? [] : [key(focus)],
    history: [],
    checkpoints: [],
    routes: [],
    route_set_version: FIRST_VERSION - 1,
    diagnostic: null,
    generation: 0,
    plasticity: 0,
    ingested_at: 0,
    created_at_ms: now,
    branches: [],
    parent: '',
    branch_name: '',
  }
  const routed = withRoutes(fresh, brain, settings, start.calls)
  return arrive(place, { ...routed, perspective_id: nextPerspective(ownersOf(records), agent) }, now)
}

function checkRoom(records: Records, agent: string, settings: Settings): void {
  const own = perspectivesOfAgent(records, agent)
  const ids = own.slice(0, 3).map((it) => it.perspective_id)
  if (own.length >= settings.maxPerspectivesPerAgent) {
    throw new Refusal(
      'perspective_limit',
      `Perspective limit reached for agent ${agent}: ${own.length}/${settings.maxPerspectivesPerAgent}`,
      `Close one with perspective_close: ${ids.join(', ')}${own.length > ids.length ? ', …' : ''}.`,
    )
  }
  const all = perspectivesOf(records).all().length
  if (all >= settings.maxPerspectives) {
    const hint = `Close those that are done with${ids.length > 0 ? `: ${ids.join(', ')}` : '; all are of other agents'}.`
    throw new Refusal('perspective_limit', `Perspective limit reached: ${all}/${settings.maxPerspectives}`, hint)
  }
}

/** Keeps a perspective at a new focus, of which the first page is read. */
function arrive({ records }: Place, perspective: Perspective, now: number): Perspective {
  perspectivesOf(records).put(perspective)
  noteReading(records, perspective, now, { page: 1, page_size: PAGE_SIZE })
  return perspective
}

/** The perspective as it is, or with new routes when the graph is another than it was. */
export function current(place: Place, perspective: Perspective, now: number): Perspective {
  const { brain, settings } = place
  if (!isStale(perspective, brain)) return perspective
  return arrive(place, withRoutes(onFirmGround(perspective, brain), brain, settings, 0), now)
}

/** A focus that is gone gives way to the anchor; without one there is none. */
function onFirmGround(perspective: Perspective, { graph }: Brain): Perspective {
  const { at, anchor, visited } = perspective
  if (at.focus !== '' && nodeByKey(graph, at.focus) !== NONE) return perspective
  const focus = anchor !== '' && nodeByKey(graph, anchor) !== NONE ? anchor : ''
  return {
    ...perspective,
    at: { ...at, focus },
    visited: focus === '' || visited.includes(focus) ? visited : [...visited, focus],
  }
}

/** Puts the focus where the query leads, for a perspective that has lost it. */
export function refocus(place: Place, perspective: Perspective, focus: NodeId, now: number): Perspective {
  const { brain, settings } = place
  const key = keyOf(brain.graph, focus)
  const visited = perspective.visited.includes(key) ? perspective.visited : [...perspective.visited, key]
  const moved = { ...perspective, at: { ...perspective.at, focus: key }, visited }
  return arrive(place, withRoutes(moved, brain, settings, 1), now)
}

/** Goes to the target of a route. */
export function follow(place: Place, perspective: Perspective, route: KeptRoute, now: number): Perspective {
  const { brain, settings } = place
  const { at, visited, history, checkpoints } = perspective
  const step = { action: 'follow' as const, from: at.focus, to: route.target, family: route.family, at_ms: now }
  const folder = folderOf(brain.graph, nodeByKey(brain.graph, route.target))
  const moved = {
    ...perspective,
    at: { focus: route.target, mode: at.mode, family: route.family, folder },
    visited: visited.includes(route.target) ? visited : [...visited, route.target].slice(-settings.maxNavigationEvents),
    history: [...history, step].slice(-settings.maxNavigationEvents),
    checkpoints: [...checkpoints, at].slice(-settings.maxCheckpoints),
  }
  return arrive(place, withRoutes(moved, brain, settings, 0), now)
}

/** Takes the last step back. */
export function back(place: Place, perspective: Perspective, now: number): Perspective {
  const { brain, settings } = place
  const { at, history, checkpoints } = perspective
  const before = checkpoints.at(-1)
  if (before === undefined) {
    const steps = history.length > 0 ? ' that is kept' : ''
    throw new Refusal(
      'nav_at_root',
      `Already at the first focus${steps} of ${perspective.perspective_id}`,
      'Follow a route, or close the perspective.',
    )
  }
  const step = { action: 'back' as const, from: at.focus, to: before.focus, family: at.family, at_ms: now }
  const moved = {
    ...perspective,
    at: before,
    history: [...history, step].slice(-settings.maxNavigationEvents),
    checkpoints: checkpoints.slice(0, -1),
  }
  return arrive(place, withRoutes(onFirmGround(moved, brain), brain, settings, 0), now)
}

/** A perspective that starts where this one stands, and goes its own way. */
export function branch(place: Place, perspective: Perspective, name: string, now: number): Perspective {
  const { records, settings } = place
  const { agent } = perspective
  const branches = perspectivesOfAgent(records, agent).filter((it) => it.parent !== '')
  if (branches.length >= settings.maxBranchesPerAgent) {
    const ids = branches.slice(0, 3).map((it) => it.perspective_id)
    throw new Refusal(
      'branch_limit',
      `Branch limit reached for agent ${agent}: ${branches.length}/${settings.maxBranchesPerAgent}`,
      `Close one with perspective_close: ${ids.join(', ')}.`,
    )
  }
  checkRoom(records, agent, settings)
  const perspectives = perspectivesOf(records)
  const id = nextPerspective(ownersOf(records), agent)
  const branch_name = name || `branch_${perspective.branches.length + 1}`
  const child = {
    ...perspective,
    perspective_id: id,
    created_at_ms: now,
    branches: [],
    parent: perspective.perspective_id,
    branch_name,
  }
  perspectives.put(child)
  perspectives.read(id, { ...readingOf(records, perspective), accessed_at_ms: now })
  perspectives.put({ ...perspective, branches: [...perspective.branches, id] })
  return child
}

export function closePerspective(records: Records, { perspective_id }: Perspective): void {
  perspectivesOf(records).remove(perspective_id)
}

/** A new set of routes from the focus. */
function withRoutes(perspective: Perspective, brain: Brain, settings: Settings, callsMade: number): Perspective {
  const { graph } = brain
  const { at, anchor, query, lens, visited } = perspective
  const focus = at.focus === '' ? NONE : nodeByKey(graph, at.focus)
  const anchorNode = at.mode === 'anchored' && anchor !== '' ? nodeByKey(graph, anchor) : NONE
  const isNear = anchorNode !== NONE && focus !== NONE && isNearAnchor(graph, anchorNode, focus, perspective, settings)
  const mayAsk = budgetOf(settings, callsMade)
  const found: Routes | null =
    focus === NONE
      ? null
      : findRoutes(graph, brain.indexes, {
          focus,
          anchor: isNear ? anchorNode : NONE,
          query,
          lens,
          visited: new Set(visited.map((it) => nodeByKey(graph, it)).filter((v) => v !== NONE)),
          activation: settings.routeActivation,
          last: at.family === '' ? null : { family: at.family, folder: at.folder },
          mayAsk,
        })
  const routes = (found?.routes ?? []).map(({ id, target, path, ...it }) => ({
    ...it,
    route_id: id,
    target: keyOf(graph, target),
    path: path.map((v) => keyOf(graph, v)),
  }))
  const { generation, plasticityGeneration, ingestedAt } = graph.meta
  const routed = {
    ...perspective,
    mode_effective: isNear ? ('anchored' as const) : ('local' as const),
    routes,
    route_set_version: perspective.route_set_version + 1,
    generation,
    plasticity: plasticityGeneration,
    ingested_at: ingestedAt,
  }
  return { ...routed, diagnostic: diagnose(routed, graph, focus, found) }
}

/** Says how many calls may still be made, by number and by time. */
function budgetOf({ synthesisCalls, synthesisMs }: Settings, callsMade: number): (calls: number) => boolean {
  const began = performance.now()
  let made = callsMade
  return (calls) => {
    if (made + calls > synthesisCalls || performance.now() - began > synthesisMs) return false
    made += calls
    return true
  }
}

/** Hops decide, where there is no way the number of steps taken. */
function isNearAnchor(graph: Graph, anchor: NodeId, focus: NodeId, { checkpoints }: Perspective, settings: Settings) {
  const { anchoredHops } = settings
  const wanted = new Set([focus])
  if (hopsFrom(graph, anchor, anchoredHops, wanted)[focus] <= anchoredHops) return true
  return hopsFrom(graph, anchor, FAR - 1, wanted)[focus] === FAR && checkpoints.length <= anchoredHops
}

/** Why there are few routes, or not all that there could be; null when there is nothing to say. */
function diagnose(
  { routes, visited, lens }: Perspective,
  graph: Graph,
  focus: NodeId,
  found: Routes | null,
): Perspective['diagnostic'] {
  const unvisited = routes.filter((it) => !visited.includes(it.target)).length
  const failed = found?.sourcesFailed ?? []
  if (routes.length >= FEW && unvisited > 0 && failed.length === 0) return null
  const facts = {
    sources_checked: found?.sourcesChecked ?? [],
    sources_with_results: found?.sourcesWithResults ?? [],
    sources_failed: failed,
    graph_stats: { node_count: graph.nNodes, edge_count: graph.nLogical },
  }
  const because = (reason: NonNullable<Perspective['diagnostic']>['reason'], suggestion: string) => ({
    ...facts,
    reason,
    suggestion,
  })
  if (found === null)
    return because('query_mismatch', 'Nothing matches the query: start anew with other words or an anchor_node.')
  if (failed.length > 0)
    return because('budget_exhausted', `Not asked for want of budget: ${failed.join(', ')}. Narrow the lens.`)
  if (routes.length > 0 && unvisited === 0)
    return because('all_visited', 'All of these were visited: go back, or start from another node.')
  if (found.candidates >= FEW && routes.length < Math.min(FEW, lens.top_k))
    return because('narrow_lens', `The lens hides ${found.candidates - routes.length} routes: start with a wider one.`)
  if (isReadInPart(graph, focus))
    return because('under_indexed', 'Its file could be read only in part: look into the source with perspective_peek.')
  if (routes.length === 0) return because('dead_end', 'Nothing leads on from here: go back, or close it.')
  return because('well_connected', 'These are all connections that it has.')
}

const READ_IN_PART = new Set(['parse_partial', 'parse_failed', 'minified', 'oversize', 'absent'])

function isReadInPart(graph: Graph, focus: NodeId): boolean {
  for (let v = focus; v !== NONE; v = graph.parents[v]) {
    if (graph.types[v] === FILE) return tagsOf(graph, v).some((it) => READ_IN_PART.has(it))
  }
  return false
}
