/** Connections that a node probably has although the graph has no edge for them: neighbours of the same kind, names, history. */

import { eachLink, neighboursOf } from '#analysis/neighbours'
import { amplitudesAt, propagate } from '#analysis/resonance'
import { degree, DIRECTORY, fileOf, type Graph, labelOf, NONE, type NodeId } from '#graph/graph'
import { type CoChange, coChangeOf } from '#query/cochange'
import { likeness } from '#query/likeness'
import { ngramTop, type Semantic } from '#query/semantic'

const NEIGHBOUR_SHARE = 0.5
const NAME_SHARE = 0.3
const HISTORY_SHARE = 0.2
const LEAST_SCORE = 0.2

/** A common neighbour of more edges than this says nothing. */
const HUB = 200
/** Nodes looked at, those with the most common neighbours first. */
const MOST_CANDIDATES = 300
const SPELLED_ALIKE = 20

/** Components of a confidence, 0 where there is nothing. */
export interface Parts {
  ghost_edge_strength: number
  structural_hole_pressure: number
  resonant_amplitude: number
  semantic_overlap: number
  provenance_overlap: number
  route_path_neighborhood: number
}

export type AffinityKind = 'hypothesized_latent_edge' | 'missing_bridge' | 'resonant_neighbor'

export interface Affine {
  node: NodeId
  /** Half likeness of neighbours, three tenths of names, two tenths of history. */
  score: number
  /** 0.15..0.85: geometric mean of the parts that are there, at most 0.4 when there is only one. */
  confidence: number
  kind: AffinityKind
  parts: Parts
  /** Neighbours that both have. */
  shared: NodeId[]
}

interface Indexes {
  semantic: Semantic
  cochange: CoChange
}

export interface AffinityOptions {
  /** Nodes of the way to the target, the target last. */
  path: readonly NodeId[]
  most: number
  /** Says that time is over; what was found until then is returned. */
  isOver: () => boolean
}

const LEAST_CONFIDENCE = 0.15
const MOST_CONFIDENCE = 0.85
const ONE_SOURCE = 0.4
/** From this mean strength on common neighbours press for an edge. */
const LEAST_PRESSURE = 0.3
const FAINTEST = 0.01
const SAME_FILE = 0.5
const NEAR_LINES = 50

/** The likeliest unknown neighbours of a node, strongest first. Nodes with an edge to it are never among them. */
export function affinity(
  graph: Graph,
  indexes: Indexes,
  target: NodeId,
  { path, most, isOver }: AffinityOptions,
): { found: Affine[]; truncated: boolean } {
  const candidates = likelyNeighbours(graph, indexes, target, { byName: true })
  const amplitudes = amplitudesFrom(graph, target)
  const found: Affine[] = []
  let truncated = false
  for (const { node, score, neighbours, name, shared } of candidates) {
    truncated = isOver()
    if (truncated) break
    const parts: Parts = {
      ghost_edge_strength: Math.sqrt(neighbours),
      structural_hole_pressure: pressure(graph, target, node, shared),
      resonant_amplitude: amplitudes.get(node) ?? 0,
      semantic_overlap: name,
      provenance_overlap: nearness(graph, target, node),
      route_path_neighborhood: closenessTo(graph, node, path),
    }
    const confidence = confidenceOf(Object.values(parts))
    if (confidence >= LEAST_CONFIDENCE) found.push({ node, score, confidence, kind: kindOf(parts), parts, shared })
  }
  found.sort((a, b) => b.confidence - a.confidence || b.score - a.score || a.node - b.node)
  return { found: found.slice(0, most), truncated }
}

/** Geometric mean of what is there, at most 0.85, and 0.4 when only one thing speaks for it. */
export function confidenceOf(parts: readonly number[]): number {
  const present = parts.filter((it) => it > 0)
  if (present.length === 0) return 0
  const mean = Math.exp(present.reduce((sum, it) => sum + Math.log(Math.min(1, it)), 0) / present.length)
  return Math.min(mean, present.length === 1 ? ONE_SOURCE : MOST_CONFIDENCE)
}

export interface Likely {
  node: NodeId
  score: number
  /** Jaccard of the neighbours. */
  neighbours: number
  /** Likeness of the labels. */
  name: number
  shared: NodeId[]
}

/** Nodes at least two steps away that score 0.2 or more, best first; `byName` also looks for those that are only called alike. */
export function likelyNeighbours(
  graph: Graph,
  { semantic, cochange }: Indexes,
  target: NodeId,
  { byName }: { byName: boolean },
): Likely[] {
  const own = neighboursOf(graph, target)
  const shared = new Map<NodeId, NodeId[]>()
  for (const between of own.keys()) {
    if (isPlaceOnly(graph, between) || degree(graph, between) > HUB) continue
    eachLink(graph, between, (node) => {
      if (node === target || own.has(node)) return
      const known = shared.get(node)
      if (known === undefined) shared.set(node, [between])
      else if (known.at(-1) !== between) known.push(between)
    })
  }
  const history = new Map(coChangeOf(cochange, target).map((it) => [it.node, it.observed ? it.strength : 0]))
  const label = labelOf(graph, target)
  const nodes = new Set(
    [...shared]
      .sort((a, b) => b[1].length - a[1].length || a[0] - b[0])
      .slice(0, MOST_CANDIDATES)
      .map(([node]) => node),
  )
  if (byName) for (const { node } of ngramTop(graph, semantic, label, SPELLED_ALIKE)) nodes.add(node)
  for (const node of history.keys()) nodes.add(node)

  const likely: Likely[] = []
  for (const node of nodes) {
    if (node === target || own.has(node) || isPlaceOnly(graph, node)) continue
    const common = shared.get(node) ?? []
    const neighbours = jaccard(graph, own.size, node, common.length)
    const name = likeness(semantic.names, label, labelOf(graph, node))
    const score = NEIGHBOUR_SHARE * neighbours + NAME_SHARE * name + HISTORY_SHARE * (history.get(node) ?? 0)
    if (score >= LEAST_SCORE) likely.push({ node, score, neighbours, name, shared: common })
  }
  return likely.sort((a, b) => b.score - a.score || a.node - b.node)
}

/** Folders and the like are next to everything in them. */
function isPlaceOnly(graph: Graph, v: NodeId): boolean {
  return graph.types[v] === DIRECTORY
}

function jaccard(graph: Graph, nOwn: number, other: NodeId, common: number): number {
  if (common === 0) return 0
  const union = nOwn + neighboursOf(graph, other).size - common
  return union > 0 ? common / union : 0
}

/** How strongly common neighbours hold both, above the least that counts, 0..1. */
function pressure(graph: Graph, target: NodeId, node: NodeId, shared: readonly NodeId[]): number {
  if (shared.length < 2) return 0
  const [own, other] = [neighboursOf(graph, target), neighboursOf(graph, node)]
  const held = shared.map((it) => Math.min(own.get(it)?.weight ?? 0, other.get(it)?.weight ?? 0))
  const average = held.reduce((sum, it) => sum + it, 0) / held.length
  return Math.max(0, (average - LEAST_PRESSURE) / (1 - LEAST_PRESSURE))
}

/** Amplitudes of a wave from a node, relative to the largest besides its own. */
function amplitudesFrom(graph: Graph, source: NodeId): Map<NodeId, number> {
  const waves = propagate(graph, [{ node: source, relevance: 1 }], FAINTEST)
  const amplitudes = amplitudesAt(waves, 1)
  const found = new Map<NodeId, number>()
  let most = 0
  waves.nodes.forEach((node, row) => {
    if (node === source || amplitudes[row] <= FAINTEST) return
    found.set(node, amplitudes[row])
    most = Math.max(most, amplitudes[row])
  })
  for (const [node, amplitude] of found) found.set(node, amplitude / most)
  return found
}

/** 1 within fifty lines of each other, one half in the same file, else 0. */
function nearness(graph: Graph, a: NodeId, b: NodeId): number {
  if (graph.paths[a] === NONE || graph.paths[a] !== graph.paths[b] || fileOf(graph, a) === NONE) return 0
  return Math.abs(graph.lineStart[a] - graph.lineStart[b]) <= NEAR_LINES ? 1 : SAME_FILE
}

/** One over one more than the steps to the nearest node of the path before the target, 0 beyond two steps. */
function closenessTo(graph: Graph, node: NodeId, path: readonly NodeId[]): number {
  const before = path.slice(0, -1)
  if (before.length === 0) return 0
  const near = neighboursOf(graph, node)
  if (before.includes(node)) return 1
  if (before.some((it) => near.has(it))) return 1 / 2
  for (const v of before) {
    if (degree(graph, v) > HUB) continue
    for (const u of neighboursOf(graph, v).keys()) if (near.has(u)) return 1 / 3
  }
  return 0
}

function kindOf(parts: Parts): AffinityKind {
  const { structural_hole_pressure, resonant_amplitude, ghost_edge_strength, semantic_overlap } = parts
  const latent = Math.max(ghost_edge_strength, semantic_overlap)
  if (structural_hole_pressure > Math.max(latent, resonant_amplitude)) return 'missing_bridge'
  return resonant_amplitude > latent ? 'resonant_neighbor' : 'hypothesized_latent_edge'
}

/** In words, what speaks for an unknown connection. */
export function reasonFor(graph: Graph, { shared, parts }: Pick<Affine, 'shared' | 'parts'>): string {
  const reasons: string[] = []
  if (shared.length > 0) {
    const names = shared.slice(0, 3).map((v) => labelOf(graph, v))
    reasons.push(`both next to ${names.join(', ')}${shared.length > 3 ? ` and ${shared.length - 3} more` : ''}`)
  }
  if (parts.semantic_overlap > 0.3) reasons.push('names alike')
  if (parts.provenance_overlap > 0) reasons.push(parts.provenance_overlap === 1 ? 'close in one file' : 'in one file')
  if (parts.resonant_amplitude > 0.3) reasons.push('swings along')
  return reasons.join('; ') || 'changed together'
}
