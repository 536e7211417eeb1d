/** What the tools for perspectives share: how routes are named and shown. */

import * as z from 'zod'
import { openLens, type Lens } from '#analysis/routes'
import {
  current,
  type KeptRoute,
  noteReading,
  type Perspective,
  perspectiveOf,
  readingOf,
  refocus,
} from '#engine/perspectives'
import { isReadable } from '#engine/read-source'
import { type Graph, labelOf, NONE, type NodeId, text } from '#graph/graph'
import { rootsOf } from '#graph/ingest-roots'
import { nodeByKey } from '#graph/lookup'
import { DIMENSIONS } from '#query/blend'
import { activateWithMemory } from '#tools/memory'
import { AgentId } from '#tools/shapes'
import { type Style, type ToolContext, ToolError } from '#tools/tool'

export const PerspectiveId = z.string().min(1).max(300).describe('Yours, open.')
export const Version = z.int().describe('As last answered.')

/** How a route is addressed: by its id, or by its place on the page served last. */
export const RouteAddress = z.object({
  agent_id: AgentId,
  perspective_id: PerspectiveId,
  route_id: z.string().max(100).optional().describe('Or route_index.'),
  route_index: z.int().optional().describe('From 1, on the last page.'),
  route_set_version: Version,
})

export const RouteRow = z.looseObject({
  route_id: z.string(),
  index: z.int(),
  route_index: z.int(),
  target_node: z.string(),
  target_label: z.string(),
  target: z.string(),
  family: z.string(),
  family_kind: z.string(),
  score: z.number(),
  path_preview: z.array(z.string()),
  reason: z.string(),
  relation: z.string().nullable(),
  label: z.string().nullable(),
  peek_available: z.boolean(),
  provenance: z
    .object({
      source_path: z.string(),
      line_start: z.int(),
      line_end: z.int(),
      namespace: z.string().nullable(),
    })
    .nullable(),
})

/** A page of routes with what it is a page of. */
export const RoutesPage = {
  mode: z.string(),
  mode_effective: z.string(),
  routes: z.array(RouteRow),
  total_routes: z.int(),
  page: z.int(),
  total_pages: z.int(),
  route_set_version: z.int(),
  cache_generation: z.int(),
  suggested: z.string().nullable(),
}

/** The page that the perspective is read at, from its number on. */
export function pageOf(context: ToolContext, perspective: Perspective) {
  const { graph, engine } = context
  const { page, page_size } = readingOf(engine.records, perspective)
  const { routes, at, mode_effective, route_set_version, diagnostic } = perspective
  const first = (page - 1) * page_size
  const next = bestUnvisited(perspective)
  return {
    mode: at.mode,
    mode_effective,
    routes: routes.slice(first, first + page_size).map((it, i) => routeRow(context, it, first + i, i)),
    total_routes: routes.length,
    page,
    total_pages: pagesOf(perspective, page_size),
    route_set_version,
    cache_generation: Math.max(graph.meta.generation, graph.meta.plasticityGeneration),
    suggested: next === null ? null : `inspect ${next.route_id} (${labelOfKey(graph, next.target)})`,
    ...(diagnostic !== null && { diagnostic }),
    ...dominance(routes),
  }
}

export function pagesOf({ routes }: Perspective, size: number): number {
  return Math.max(1, Math.ceil(routes.length / size))
}

/** A family that makes up more than this of the routes is told. */
const DOMINANT = 0.6

function dominance(routes: readonly KeptRoute[]) {
  const counts = new Map<string, number>()
  for (const { family } of routes) counts.set(family, (counts.get(family) ?? 0) + 1)
  const [family, n] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0]
  return n > DOMINANT * routes.length && routes.length > 1
    ? { family_diversity_warning: true, dominant_family: family }
    : {}
}

function routeRow({ graph }: ToolContext, route: KeptRoute, index: number, onPage: number) {
  const v = nodeByKey(graph, route.target)
  const label = labelOfKey(graph, route.target)
  return {
    route_id: route.route_id,
    index: index + 1,
    route_index: onPage + 1,
    target_node: route.target,
    target_label: label,
    target: route.target,
    family: route.family,
    family_kind: route.kind,
    score: short(route.score),
    path_preview: route.path.map((it) => labelOfKey(graph, it)),
    reason: route.reason,
    relation: route.relation,
    label: route.relation,
    peek_available: v !== NONE && isReadable(rootsOf(graph, v), text(graph, graph.paths[v])),
    provenance: placeOf(graph, v),
  }
}

export function placeOf(graph: Graph, v: NodeId) {
  if (v === NONE || graph.paths[v] === NONE) return null
  return {
    source_path: text(graph, graph.paths[v]),
    line_start: graph.lineStart[v],
    line_end: graph.lineEnd[v],
    namespace: text(graph, graph.namespaces[v]) || null,
  }
}

export function labelOfKey(graph: Graph, key: string): string {
  const v = nodeByKey(graph, key)
  return v === NONE ? key : labelOf(graph, v)
}

/** Scores are compared, not calculated with. */
function short(x: number): number {
  return Math.round(x * 1e4) / 1e4
}

export function bestUnvisited({ routes, visited }: Perspective): KeptRoute | null {
  const been = new Set(visited)
  return routes.find((it) => !been.has(it.target)) ?? null
}

/** The agent's perspective with routes of the graph as it is. */
export function openPerspective(context: ToolContext, id: string): Perspective {
  const { engine, agent, now } = context
  const fresh = current(engine, perspectiveOf(engine.records, id, agent), now)
  if (fresh.at.focus !== '') return fresh
  // what it was at is gone, and so is its anchor: the question decides again
  const focus = focusFor(context, fresh.query, fresh.lens)
  return focus === NONE ? fresh : refocus(engine, fresh, focus, now)
}

/** The node that a question leads to first, NONE when it leads nowhere. Learns nothing. */
export function focusFor(context: ToolContext, query: string, lens: Lens): NodeId {
  const { found } = activateWithMemory(context, {
    query,
    topK: 1,
    dimensions: lens.dimensions.length > 0 ? lens.dimensions : DIMENSIONS,
    xlr: lens.xlr,
    ghostEdges: false,
    holes: false,
    priming: true,
  })
  return found.ranked[0]?.node ?? NONE
}

export interface Addressed {
  perspective: Perspective
  route: KeptRoute
  /** Place on the page, 0 when it is not on it. */
  onPage: number
}

/** Finds the route that is addressed; an address of an older set is refused with the version of this one. */
export function addressed(
  context: ToolContext,
  tool: string,
  { perspective_id, route_id, route_index, route_set_version }: z.output<typeof RouteAddress>,
): Addressed {
  const { engine, now } = context
  const perspective = openPerspective(context, perspective_id)
  if ((route_id === undefined) === (route_index === undefined)) {
    const given = route_id === undefined ? 'neither' : 'both'
    throw new ToolError(
      'route_selector',
      `${tool}: give exactly one of route_id and route_index, got ${given}`,
      'route_id works on any page, route_index is the place on the page served last.',
      { detail: perspective_id },
    )
  }
  checkVersion(perspective, route_set_version)
  const { page, page_size } = readingOf(engine.records, perspective)
  const first = (page - 1) * page_size
  const shown = perspective.routes.slice(first, first + page_size)
  const at =
    route_index === undefined
      ? perspective.routes.findIndex((it) => it.route_id === route_id)
      : route_index >= 1 && route_index <= shown.length
        ? first + route_index - 1
        : -1
  const route = perspective.routes[at]
  if (route === undefined) {
    const what = route_id ?? `route_index ${route_index}`
    const hint =
      shown.length === 0
        ? 'It has no routes: go back, or start another perspective.'
        : `Page ${page} has route_index 1 to ${shown.length}; perspective_routes shows them.`
    throw new ToolError('route_not_found', `Route not found: ${what} in ${perspective_id}`, hint, {
      detail: what,
      suggestedNextStep: 'perspective_routes',
    })
  }
  noteReading(engine.records, perspective, now)
  return { perspective, route, onPage: at >= first && at < first + page_size ? at - first + 1 : 0 }
}

export function checkVersion({ perspective_id, route_set_version }: Perspective, given: number): void {
  if (given === route_set_version) return
  throw new ToolError(
    'route_set_stale',
    `Route set stale: given ${given}, current ${route_set_version}`,
    `The routes of ${perspective_id} are others now: look at perspective_routes first.`,
    { detail: String(given), suggestedNextStep: 'perspective_routes' },
  )
}

/** Routes of a new perspective. */
const ROUTES = 12

const Names = z.array(z.string().min(1).max(200)).max(100).optional()
const Weight = z.number().min(0).max(1)

export const LensInput = z
  .object({
    dimensions: z.array(z.enum(DIMENSIONS)).optional(),
    route_families: Names,
    xlr: z.boolean().optional(),
    include_ghost_edges: z.boolean().optional(),
    include_structural_holes: z.boolean().optional(),
    top_k: z.int().optional(),
    namespaces: Names,
    tags: Names,
    node_types: Names,
    ranking_weights: z
      .object({
        local_activation: Weight,
        path_coherence: Weight,
        novelty: Weight,
        anchor_relevance: Weight,
        continuity: Weight,
      })
      .optional(),
  })
  .optional()
  .describe('Which routes.')

const MOST_ROUTES = 50

export function lensFrom(given: z.output<typeof LensInput>, nNodes: number): Lens {
  const lens = openLens(ROUTES)
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== undefined) Object.assign(lens, { [name]: value })
  lens.top_k = Math.max(1, Math.min(lens.top_k, MOST_ROUTES, nNodes))
  return lens
}

/** The lines of routes on the command line. */
export function renderRoutes(routes: readonly z.output<typeof RouteRow>[], style: Style): string[] {
  return routes.map(
    (it) =>
      `${String(it.route_index).padStart(2)}  ${it.score.toFixed(3)}  ${style.bold(it.target_label)}  ${style.dim(it.family)}  ${it.reason}  ${style.dim(it.route_id)}`,
  )
}

export function renderPage(
  output: {
    routes: z.output<typeof RouteRow>[]
    page: number
    total_pages: number
    total_routes: number
    route_set_version: number
  },
  style: Style,
): string[] {
  const { routes, page, total_pages, total_routes, route_set_version } = output
  if (routes.length === 0) return ['No routes lead on from here.']
  return [
    ...renderRoutes(routes, style),
    style.dim(`page ${page} of ${total_pages}, ${total_routes} routes, version ${route_set_version}`),
  ]
}
