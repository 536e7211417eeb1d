/** Where one might go from a node: directions of several kinds, each with what speaks for it in numbers. */

import { likelyNeighbours, reasonFor as affinityReason } from '#analysis/affinity'
import { impact } from '#analysis/impact'
import { closenessTo, folderOf, hopsFrom, type Link, neighboursOf, pathsTo } from '#analysis/neighbours'
import { amplitudesAt, propagate } from '#analysis/resonance'
import { stepName } from '#analysis/steps'
import {
  DIRECTORY,
  fileOf,
  type Graph,
  GUESS,
  keyOf,
  labelOf,
  NONE,
  type NodeId,
  relationOf,
  tagsOf,
  text,
  typeName,
} from '#graph/graph'
import { isContainment } from '#graph/relations'
import { DIMENSIONS, type Dimension, type Ranked } from '#query/blend'
import { type CoChange, coChangeOf } from '#query/cochange'
import { isTestPath } from '#query/corpus'
import { MIN_SIBLING_ACTIVATION } from '#query/holes'
import { likeness } from '#query/likeness'
import { quietNodes } from '#query/quiet'
import { fastQuery, type Semantic } from '#query/semantic'
import { fnv1a } from '#std/hash'

/** In the order that decides between equal ones, with the short kind of each and the dimension that it is of. */
export const FAMILIES = [
  { family: 'structural_neighbor', kind: 'structural', dimension: 'structural' },
  { family: 'causal_downstream', kind: 'causal', dimension: 'causal' },
  { family: 'causal_upstream', kind: 'causal', dimension: 'causal' },
  { family: 'semantic_neighbor', kind: 'semantic', dimension: 'semantic' },
  { family: 'co_change', kind: 'temporal', dimension: 'temporal' },
  { family: 'configuration', kind: 'structural', dimension: 'structural' },
  { family: 'ghost_edge', kind: 'ghost', dimension: 'semantic' },
  { family: 'structural_hole', kind: 'hole', dimension: 'structural' },
  { family: 'resonance', kind: 'resonant', dimension: 'structural' },
] as const
export type Family = (typeof FAMILIES)[number]['family']

export const WEIGHT_NAMES = ['local_activation', 'path_coherence', 'novelty', 'anchor_relevance', 'continuity'] as const
export type Weights = Record<(typeof WEIGHT_NAMES)[number], number>

export const DEFAULT_WEIGHTS: Weights = {
  local_activation: 0.35,
  path_coherence: 0.25,
  novelty: 0.15,
  anchor_relevance: 0.15,
  continuity: 0.1,
}

export type Lens = {
  /** Empty = all four. */
  dimensions: Dimension[]
  /** Families or kinds, empty = all. */
  route_families: string[]
  xlr: boolean
  include_ghost_edges: boolean
  include_structural_holes: boolean
  top_k: number
  namespaces: string[]
  tags: string[]
  node_types: string[]
  ranking_weights: Weights
}

/** What counts for a route, each 0..1; null where it does not apply. */
export type Breakdown = {
  local_activation: number
  path_coherence: number
  novelty: number
  anchor_relevance: number | null
  continuity: number | null
}

export interface Route {
  id: string
  target: NodeId
  family: Family
  kind: string
  score: number
  breakdown: Breakdown
  /** From the focus to the target. */
  path: NodeId[]
  /** Of the first hop, null when no edge leads there. */
  relation: string | null
  reason: string
}

export interface RouteOptions {
  focus: NodeId
  /** NONE when there is none, or when it is too far away to matter. */
  anchor: NodeId
  query: string
  lens: Lens
  visited: ReadonlySet<NodeId>
  /** How the last step was taken, null before the first. */
  last: { family: string; folder: string } | null
  /** `seed`: edges, strengths and signals as they are. `calibrated`: relative to the strongest of their kind at the focus. */
  activation: 'calibrated' | 'seed'
  /** Asked before each source, which may take so many calls; false when there is no budget left. */
  mayAsk: (calls: number) => boolean
}

export interface Routes {
  routes: Route[]
  sourcesChecked: string[]
  sourcesWithResults: string[]
  /** Left out for want of budget. */
  sourcesFailed: string[]
  /** Targets before the lens chose. */
  candidates: number
}

interface Candidate {
  target: NodeId
  family: Family
  local: number
  /** Nodes from the focus on, null to look for them. */
  path: NodeId[] | null
  reason: string
  /** Only contained by, or containing, the focus. */
  contained: boolean
}

interface Indexes {
  semantic: Semantic
  cochange: CoChange
}

/**
 * Under `calibrated`, what a source can reach at most. By the plain numbers containment (weight 1) and co-change (1 after
 * ten commits) stand above every call (0.4).
 */
const CEILINGS: Readonly<Record<Family, number>> = {
  structural_neighbor: 1,
  causal_downstream: 0.8,
  causal_upstream: 0.8,
  semantic_neighbor: 0.8,
  co_change: 0.6,
  configuration: 1,
  ghost_edge: 1,
  structural_hole: 0.5,
  resonance: 1,
}
/** Under `calibrated`, what counts at most for a step that is mere containment. */
const CONTAINED = 0.5
/** Under `calibrated`, what stays of a route from code to a test: there are many, and they say the same. */
const TESTS = 0.4
const CAUSAL_HOPS = 3
const PER_SOURCE = 20
const MOST_QUIET = 10
const CONFIGURATION = 0.4
const FAINTEST = 0.01
const SYMPATHETIC = 0.05
/** Paths to targets that a source found without any. */
const PATH_HOPS = 4
const PER_EDGE = 0.1
/** Farther than this an anchor says the same of all nodes. */
const ANCHOR_HOPS = 12
/** What only contains the focus, or is contained in it, makes up this part of the routes as long as there are others. */
const CONTAINED_SHARE = 1 / 3
const SHORTEST_ID = 6

interface Source {
  name: string
  /** Calls of engines that it takes. */
  calls: number
  families: readonly Family[]
  find: () => Candidate[]
}

/** Routes from the focus, best first. Reads only; the same question gives the same answer. */
export function findRoutes(graph: Graph, indexes: Indexes, options: RouteOptions): Routes {
  const { focus, lens } = options
  // a folder is next to everything in it, and leads nowhere but from another folder
  const isOffered = (v: NodeId) => graph.types[v] !== DIRECTORY || graph.types[focus] === DIRECTORY
  const found: Routes = { routes: [], sourcesChecked: [], sourcesWithResults: [], sourcesFailed: [], candidates: 0 }
  const best = new Map<NodeId, Candidate>()
  const isTest = (v: NodeId) => isTestPath(text(graph, graph.paths[v]))
  const besideTests = (it: Candidate) => (isTest(it.target) && !isTest(focus) ? { ...it, local: it.local * TESTS } : it)
  for (const source of sourcesAt(graph, indexes, options, best)) {
    if (!source.families.some((it) => isWanted(it, lens))) continue
    if (!options.mayAsk(source.calls)) {
      found.sourcesFailed.push(source.name)
      continue
    }
    found.sourcesChecked.push(source.name)
    const named = source.find().filter((it) => it.target !== focus && it.target !== NONE && isOffered(it.target))
    const candidates = options.activation === 'seed' ? named : calibrated(named).map(besideTests)
    if (candidates.length > 0) found.sourcesWithResults.push(source.name)
    for (const it of candidates) {
      if (!isWanted(it.family, lens)) continue
      const known = best.get(it.target)
      if (known === undefined || it.local > known.local) best.set(it.target, it)
    }
  }
  found.candidates = best.size
  const seen = [...best.values()].filter((it) => passes(graph, it.target, lens))
  found.routes = chosen(withIds(graph, scored(graph, indexes, seen, options)), lens.top_k)
  return found
}

/** Shares of the strongest of the same family, below its ceiling. What has a scale of its own keeps it. */
function calibrated(candidates: readonly Candidate[]): Candidate[] {
  const strongest = new Map<Family, number>()
  for (const { family, local, contained } of candidates)
    if (!contained) strongest.set(family, Math.max(local, strongest.get(family) ?? 0))
  return candidates.map((it) => {
    if (it.contained) return { ...it, local: Math.min(it.local, 1) * CONTAINED }
    const most = RELATIVE.has(it.family) ? (strongest.get(it.family) ?? 1) : 1
    return { ...it, local: most > 0 ? (it.local / most) * CEILINGS[it.family] : 0 }
  })
}

/** Edges and signals, whose size says more about their relation than about this one. */
const RELATIVE = new Set<Family>(['structural_neighbor', 'causal_downstream', 'causal_upstream'])

function isWanted(family: Family, lens: Lens): boolean {
  const row = FAMILIES.find((it) => it.family === family)
  if (row === undefined) return false
  if (lens.dimensions.length > 0 && !lens.dimensions.includes(row.dimension)) return false
  if (family === 'ghost_edge' && !lens.include_ghost_edges) return false
  if (family === 'structural_hole' && !lens.include_structural_holes) return false
  const { route_families } = lens
  return route_families.length === 0 || route_families.includes(family) || route_families.includes(row.kind)
}

function passes(graph: Graph, v: NodeId, { namespaces, tags, node_types }: Lens): boolean {
  if (node_types.length > 0 && !node_types.includes(typeName(graph.types[v]))) return false
  if (namespaces.length > 0 && !namespaces.includes(text(graph, graph.namespaces[v]))) return false
  return tags.length === 0 || tagsOf(graph, v).some((it) => tags.includes(it))
}

/** `best` holds what the sources before have found, which the search for holes starts from. */
function sourcesAt(
  graph: Graph,
  { semantic, cochange }: Indexes,
  { focus, anchor, query, last, activation }: RouteOptions,
  best: ReadonlyMap<NodeId, Candidate>,
): Source[] {
  const near = neighboursOf(graph, focus)
  return [
    {
      name: 'structural',
      // no engine is asked, the edges are there
      calls: 0,
      families: ['structural_neighbor', 'configuration'],
      find: () => [...structural(graph, focus, near), ...configured(graph, focus, near)],
    },
    {
      name: 'causal',
      calls: 2,
      families: ['causal_downstream', 'causal_upstream'],
      find: () => [...causal(graph, focus, 'forward'), ...causal(graph, focus, 'reverse')],
    },
    {
      name: 'semantic',
      calls: 1,
      families: ['semantic_neighbor'],
      find: () => {
        const asked = query !== '' && (anchor !== NONE || last === null) ? query : labelOf(graph, focus)
        return fastQuery(graph, semantic, asked, PER_SOURCE).map(({ node, score }) =>
          candidate(node, 'semantic_neighbor', score, `named like "${clipped(asked)}"`),
        )
      },
    },
    {
      name: 'co_change',
      calls: 1,
      families: ['co_change'],
      find: () => {
        const file = fileOf(graph, focus)
        if (file === NONE) return []
        return coChangeOf(cochange, file)
          .filter((it) => it.observed)
          .slice(0, PER_SOURCE)
          .map(({ node, strength, commits }) =>
            candidate(
              node,
              'co_change',
              strength,
              commits > 0 ? `changed in ${commits} of the same commits` : 'confirmed as changing along',
            ),
          )
      },
    },
    {
      name: 'ghost',
      calls: 1,
      families: ['ghost_edge'],
      find: () =>
        likelyNeighbours(graph, { semantic, cochange }, focus, { byName: false })
          .slice(0, PER_SOURCE)
          .map(({ node, score, name, shared }) => {
            const reason = affinityReason(graph, { shared, parts: { ...NO_PARTS, semantic_overlap: name } })
            return candidate(node, 'ghost_edge', score, `no edge, but ${reason}`)
          }),
    },
    {
      name: 'hole',
      calls: 1,
      families: ['structural_hole'],
      find: () =>
        quietNodes(
          graph,
          [
            rowOf(focus, 1),
            // what is only contained, called alike or changed along is no sign of activity
            ...[...best.values()]
              .filter((it) => activation === 'seed' || (!it.contained && IS_EDGE.has(it.family)))
              .map((it) => rowOf(it.target, Math.min(1, it.local))),
          ],
          MIN_SIBLING_ACTIVATION,
          MOST_QUIET,
        )
          .quiet.filter((it) => graph.paths[it.node] !== NONE)
          .map(({ node, average, reason }) => candidate(node, 'structural_hole', average, reason)),
    },
    {
      name: 'resonance',
      calls: 1,
      families: ['resonance'],
      find: () => sympathetic(graph, focus),
    },
  ]
}

const IS_EDGE = new Set<Family>(['structural_neighbor', 'causal_downstream', 'causal_upstream'])

const NO_PARTS = {
  ghost_edge_strength: 0,
  structural_hole_pressure: 0,
  resonant_amplitude: 0,
  semantic_overlap: 0,
  provenance_overlap: 0,
  route_path_neighborhood: 0,
}

function candidate(target: NodeId, family: Family, local: number, reason: string): Candidate {
  return { target, family, local: Math.min(1, local), path: null, reason, contained: false }
}

function rowOf(node: NodeId, score: number): Ranked {
  return { node, score, dims: [score, 0, 0, 0] }
}

/** Direct neighbours. */
function structural(graph: Graph, focus: NodeId, near: ReadonlyMap<NodeId, Link>): Candidate[] {
  const found: Candidate[] = []
  for (const { node, slot, along, weight } of near.values()) {
    const contained = isContainment(relationOf(graph, slot))
    const guessed = graph.tiers[slot] === GUESS ? ', a guess' : ''
    found.push({
      target: node,
      family: 'structural_neighbor',
      local: weight,
      path: [focus, node],
      reason: `${labelOf(graph, focus)} ${stepName(graph, slot, along)} ${labelOf(graph, node)}${guessed}`,
      contained,
    })
  }
  return found
}

/** What configures the focus, what it configures, and what is configured by the same. */
function configured(graph: Graph, focus: NodeId, near: ReadonlyMap<NodeId, Link>): Candidate[] {
  const found: Candidate[] = []
  for (const { node, slot } of near.values()) {
    if (relationOf(graph, slot) !== 'configures') continue
    const name = labelOf(graph, node)
    found.push({ ...candidate(node, 'configuration', CONFIGURATION, `configuration of ${name}`), path: [focus, node] })
    for (const other of neighboursOf(graph, node).values()) {
      if (relationOf(graph, other.slot) !== 'configures') continue
      const path = [focus, node, other.node]
      found.push({ ...candidate(other.node, 'configuration', CONFIGURATION, `shares configuration ${name}`), path })
    }
  }
  return found
}

function causal(graph: Graph, focus: NodeId, direction: 'forward' | 'reverse'): Candidate[] {
  const { affected } = impact(graph, focus, {
    direction,
    depth: CAUSAL_HOPS,
    includeGuesses: false,
    containment: 'parts',
  })
  const steps = new Map(affected.map((it) => [it.node, it]))
  return affected.slice(0, PER_SOURCE).map(({ node, signal, hops, slot, along }) => {
    const path = [node]
    for (let at = steps.get(node); at !== undefined && path.length <= 2 * CAUSAL_HOPS + 1; at = steps.get(at.from))
      path.unshift(at.from)
    const what = direction === 'forward' ? 'may be affected' : 'is relied on'
    return {
      target: node,
      family: direction === 'forward' ? ('causal_downstream' as const) : ('causal_upstream' as const),
      local: signal,
      // a walk that began at a part of the focus has no path of its own
      path: path[0] === focus ? path : null,
      reason: `${what}, ${hops} ${hops === 1 ? 'hop' : 'hops'} away by ${stepName(graph, slot, along)}`,
      contained: false,
    }
  })
}

/** What a wave from the focus moves strongly more than two hops away. */
function sympathetic(graph: Graph, focus: NodeId): Candidate[] {
  const waves = propagate(graph, [{ node: focus, relevance: 1 }], FAINTEST)
  const amplitudes = amplitudesAt(waves, 1)
  const strong = new Map<NodeId, number>()
  waves.nodes.forEach((node, row) => {
    if (amplitudes[row] >= SYMPATHETIC) strong.set(node, amplitudes[row])
  })
  if (strong.size === 0) return []
  const hops = hopsFrom(graph, focus, 3, new Set(strong.keys()))
  return [...strong]
    .filter(([node]) => hops[node] > 2)
    .map(([node, amplitude]) =>
      candidate(node, 'resonance', amplitude, `swings along, amplitude ${amplitude.toFixed(2)}`),
    )
}

function scored(
  graph: Graph,
  { semantic }: Indexes,
  candidates: readonly Candidate[],
  { focus, anchor, query, lens, visited, last, activation }: RouteOptions,
): Omit<Scored, 'id'>[] {
  const without = new Set(candidates.filter((it) => it.path === null).map((it) => it.target))
  const paths = pathsTo(graph, focus, without, PATH_HOPS)
  const linksOf = linksByNode(graph)
  const targets = new Set(candidates.map((it) => it.target))
  const hops = anchor === NONE ? null : hopsFrom(graph, anchor, ANCHOR_HOPS, targets)
  return candidates.map((it) => {
    const known = it.path ?? paths.get(it.target)
    const links = known === undefined ? null : linksAlong(known, linksOf)
    const path = known ?? [focus, it.target]
    const closeness = closenessTo(graph, it.target, visited)
    const breakdown: Breakdown = {
      local_activation: it.local,
      path_coherence: coherence(
        activation === 'seed' ? links : (links?.map((link) => lessContained(graph, link)) ?? null),
      ),
      novelty: closeness === 2 ? 0 : closeness === 1 ? 0.5 : 1,
      anchor_relevance:
        hops === null
          ? null
          : Math.max(likeness(semantic.names, query, labelOf(graph, it.target)), 1 / (1 + hops[it.target])),
      continuity:
        last === null ? null : last.family === it.family || last.folder === folderOf(graph, it.target) ? 1 : 0.5,
    }
    const first = links?.[0]
    return {
      ...it,
      path,
      relation: first === undefined ? null : relationOf(graph, first.slot),
      breakdown,
      score: scoreOf(breakdown, lens.ranking_weights),
    }
  })
}

/** Links of nodes, each read once: from a hub lead as many paths as it has edges. */
function linksByNode(graph: Graph): (v: NodeId) => ReadonlyMap<NodeId, Link> {
  const known = new Map<NodeId, ReadonlyMap<NodeId, Link>>()
  return (v) => {
    const links = known.get(v) ?? neighboursOf(graph, v)
    known.set(v, links)
    return links
  }
}

function linksAlong(path: readonly NodeId[], linksOf: (v: NodeId) => ReadonlyMap<NodeId, Link>): Link[] | null {
  const links: Link[] = []
  for (let i = 1; i < path.length; i++) {
    const link = linksOf(path[i - 1]).get(path[i])
    if (link === undefined) return null
    links.push(link)
  }
  return links
}

function lessContained(graph: Graph, link: Link): Link {
  return isContainment(relationOf(graph, link.slot)) ? { ...link, weight: link.weight * CONTAINED } : link
}

/** Geometric mean of the weights along a path, less with every further edge; 0 without a path. */
export function coherence(links: readonly { weight: number }[] | null): number {
  if (links === null || links.length === 0) return 0
  const product = links.reduce((acc, { weight }) => acc * weight, 1)
  return product ** (1 / links.length) / (1 + PER_EDGE * (links.length - 1))
}

/**
 * The weighted sum. Without an anchor its weight goes to what is near (two thirds) and what is new; without a last
 * step that of continuity is shared by all others.
 */
export function scoreOf(breakdown: Breakdown, weights: Weights): number {
  const { local_activation, path_coherence, novelty, anchor_relevance, continuity } = breakdown
  const moved = anchor_relevance === null ? weights.anchor_relevance : 0
  const sum =
    (weights.local_activation + (moved * 2) / 3) * local_activation +
    weights.path_coherence * path_coherence +
    (weights.novelty + moved / 3) * novelty +
    (weights.anchor_relevance - moved) * (anchor_relevance ?? 0)
  if (continuity !== null) return sum + weights.continuity * continuity
  const others = 1 - weights.continuity
  return others > 0 ? sum / others : 0
}

interface Scored extends Candidate {
  id: string
  path: NodeId[]
  relation: string | null
  breakdown: Breakdown
  score: number
}

/** Names of routes: of the target and the family alone, so that they stay; longer where two would be the same. */
function withIds(graph: Graph, routes: readonly Omit<Scored, 'id'>[]): Scored[] {
  const hashes = routes.map((it) => {
    const what = `${keyOf(graph, it.target)}\n${it.family}`
    return [what, `${what}\n`].map((part) => fnv1a(part).toString(16).padStart(8, '0')).join('')
  })
  const count = new Map<string, number>()
  for (const length of [SHORTEST_ID, SHORTEST_ID + 2, SHORTEST_ID + 4])
    for (const it of hashes) count.set(it.slice(0, length), (count.get(it.slice(0, length)) ?? 0) + 1)
  return routes.map((it, i) => {
    let length = SHORTEST_ID
    while (length < SHORTEST_ID + 4 && (count.get(hashes[i].slice(0, length)) ?? 0) > 1) length += 2
    return { ...it, id: `R_${hashes[i].slice(0, length)}` }
  })
}

const ORDINALS = new Map<string, number>(FAMILIES.map((it, i) => [it.family, i]))

/** The best, where parts and wholes of the focus do not crowd out everything else. */
function chosen(routes: readonly Scored[], topK: number): Route[] {
  const sorted = routes.toSorted(
    (a, b) =>
      b.score - a.score ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) ||
      a.target - b.target ||
      (ORDINALS.get(a.family) ?? 0) - (ORDINALS.get(b.family) ?? 0),
  )
  const others = sorted.filter((it) => !it.contained).length
  const most = Math.max(Math.ceil(topK * CONTAINED_SHARE), topK - others)
  let contained = 0
  return sorted
    .filter((it) => !it.contained || contained++ < most)
    .slice(0, topK)
    .map(({ id, target, family, score, breakdown, path, relation, reason }) => {
      const kind = FAMILIES.find((it) => it.family === family)?.kind ?? ''
      return { id, target, family, kind, score, breakdown, path, relation, reason }
    })
}

function clipped(query: string): string {
  return query.length > 60 ? `${query.slice(0, 59)}…` : query
}

/** A lens that hides nothing. */
export function openLens(topK: number): Lens {
  return {
    dimensions: [],
    route_families: [],
    xlr: true,
    include_ghost_edges: true,
    include_structural_holes: true,
    top_k: topK,
    namespaces: [],
    tags: [],
    node_types: [],
    ranking_weights: DEFAULT_WEIGHTS,
  }
}

/** What a lens lets through, in words. */
export function describeLens(lens: Lens): string {
  const parts: string[] = []
  if (lens.dimensions.length > 0 && lens.dimensions.length < DIMENSIONS.length)
    parts.push(`dimensions ${lens.dimensions.join(', ')}`)
  if (lens.route_families.length > 0) parts.push(`families ${lens.route_families.join(', ')}`)
  if (lens.node_types.length > 0) parts.push(`types ${lens.node_types.join(', ')}`)
  if (lens.tags.length > 0) parts.push(`tags ${lens.tags.join(', ')}`)
  if (lens.namespaces.length > 0) parts.push(`namespaces ${lens.namespaces.join(', ')}`)
  if (!lens.include_ghost_edges) parts.push('no ghost edges')
  if (!lens.include_structural_holes) parts.push('no holes')
  if (WEIGHT_NAMES.some((it) => lens.ranking_weights[it] !== DEFAULT_WEIGHTS[it])) parts.push('own weights')
  return `${parts.length > 0 ? parts.join('; ') : 'all routes'}; at most ${lens.top_k}`
}
