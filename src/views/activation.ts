/** `GET /api/graph/activation`: what `activate` finds, and how its energy travels. Nothing is learned or primed by looking. */

import type { MapTree } from '#analysis/map-tree'
import type { Engine } from '#engine/brain'
import { keyOf, labelOf, type NodeId, relationOf, tagsOf } from '#graph/graph'
import type { Activation } from '#query/activate'
import { DIMENSIONS, type Dimension, type Ranked } from '#query/blend'
import { traceSpread } from '#query/spread'
import { activateWithMemory } from '#tools/memory'
import { reasonsFor } from '#tools/reasons'
import { round, truncated } from '#tools/shapes'
import { type ToolContext, ToolError } from '#tools/tool'
import { briefOf, contextOf } from '#views/context'
import { look } from '#views/map'
import type { ActivationAnswer, ActivationRow } from '#views/shapes'
import { breathe } from '#views/slices'

export const DIMENSION_NAMES = DIMENSIONS
/** Arrivals of one hop that are told. */
const ARRIVALS = 400

export interface ActivationQuery {
  query: string
  xlr: 'on' | 'off' | 'both'
  dimensions: readonly Dimension[]
  topK: number
  signal: AbortSignal
}

type Answer = Omit<ActivationAnswer, 'served_brain'>
type Shares = ActivationAnswer['weights']

export async function readActivation(
  engine: Engine,
  { query, xlr, dimensions, topK, signal }: ActivationQuery,
): Promise<Answer> {
  const began = performance.now()
  const { tree, brain } = await look(engine)
  const context = contextOf(engine, brain, signal)
  const { graph } = context
  if (graph.nNodes === 0)
    throw new ToolError('graph_empty', 'The graph is empty.', 'Call ingest with the path of a project.')
  const ask = (filter: boolean) =>
    activateWithMemory(context, { query, topK, dimensions, xlr: filter, ghostEdges: true, holes: false, priming: true })
      .found
  const found = ask(xlr !== 'off')
  await breathe()
  const without = xlr === 'both' ? ask(false) : null
  await breathe()
  const travels = (['structural', 'causal'] as const).find((it) => dimensions.includes(it)) ?? 'none'
  const hops = travels === 'none' ? [] : traceSpread(graph, found.seeds, { causal: travels === 'causal' })
  await breathe()

  const shown = hops.map((it) => it.slice(0, ARRIVALS))
  const named = new Set<NodeId>([
    ...found.seeds.map((it) => it.node),
    ...shown.flat().flatMap((it) => [it.node, it.from]),
    ...[found, without].flatMap((it) => it?.ranked ?? []).map((it) => it.node),
    ...found.ghosts.flatMap((it) => [it.source, it.target]),
  ])
  return {
    query,
    generation: graph.meta.generation,
    seeds: found.seeds.map(({ node, relevance }) => ({
      id: keyOf(graph, node),
      label: labelOf(graph, node),
      relevance: round(relevance),
    })),
    total_seeds: found.seeds.length,
    travels,
    hops: hops.map((all, i) => ({
      hop: i + 1,
      arrivals: shown[i].map(({ node, energy, from, slot, against }) => ({
        id: keyOf(graph, node),
        energy: round(energy),
        from: keyOf(graph, from),
        relation: relationOf(graph, slot),
        against,
      })),
      total: all.length,
    })),
    nodes: [...named].map((v) => briefOf(tree, v)),
    rows: rowsOf(context, tree, query, found),
    total_active: found.totalActive,
    without_xlr:
      without === null ? null : { rows: rowsOf(context, tree, query, without), total_active: without.totalActive },
    ghost_edges: found.ghosts.map(({ source, target, shared, strength }) => ({
      source: keyOf(graph, source),
      target: keyOf(graph, target),
      shared_dimensions: shared,
      strength: round(strength),
    })),
    weights: byDimension(found.weights),
    xlr: { used: !found.xlrSkipped && xlr !== 'off', fallback: found.xlrFallbackUsed, truncated: found.xlrTruncated },
    note: found.note,
    truncated: truncated(found.ranked.length, found.totalActive, 'Raise top_k.'),
    elapsed_ms: round(performance.now() - began),
  }
}

function rowsOf(
  { graph, indexes }: ToolContext,
  tree: MapTree,
  query: string,
  { seeds, ranked, weights }: Activation,
): ActivationRow[] {
  const reasonOf = reasonsFor(graph, { query, seeds, ranked, cochange: indexes.cochange })
  return ranked.map((row: Ranked) => ({
    ...briefOf(tree, row.node),
    line_end: graph.lineEnd[row.node],
    activation: round(Math.min(1, row.score)),
    reason: reasonOf(row),
    dimensions: byDimension(row.dims),
    contributions: byDimension(row.dims.map((it, d) => it * weights[d])),
    tags: tagsOf(graph, row.node),
  }))
}

function byDimension(values: readonly number[]): Shares {
  const [structural, semantic, temporal, causal] = DIMENSIONS.map((_, d) => round(values[d]))
  return { structural, semantic, temporal, causal }
}
