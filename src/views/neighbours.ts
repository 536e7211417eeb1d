/** `GET /api/graph/neighbours`: the edges of one node, as they are in the graph. */

import { completeness } from '#analysis/completeness'
import type { MapTree } from '#analysis/map-tree'
import type { Engine } from '#engine/brain'
import { DEAD_EDGE, GUESS, type NodeId, PRIMARY, relationOf, TIERS } from '#graph/graph'
import { nodeOf } from '#tools/resolve-node'
import { freshness, round, truncated } from '#tools/shapes'
import { ToolError } from '#tools/tool'
import { briefOf, contextOf } from '#views/context'
import { look } from '#views/map'
import type { Neighbour, NeighboursAnswer } from '#views/shapes'

export interface NeighboursQuery {
  /** As a caller writes it. */
  node: string
  /** None: all of them. */
  relations: readonly string[]
  /** In each direction. */
  limit: number
  signal: AbortSignal
}

/** An edge of a node, with its other end. */
interface End {
  slot: number
  other: NodeId
}

/** Throws a `ToolError` when there is no such node. */
export async function readNeighbours(
  engine: Engine,
  { node, relations, limit, signal }: NeighboursQuery,
): Promise<Omit<NeighboursAnswer, 'served_brain'>> {
  const { tree, brain } = await look(engine)
  const { graph } = tree
  if (graph.nNodes === 0)
    throw new ToolError('graph_empty', 'The graph is empty.', 'Call ingest with the path of a project.')
  const v = nodeOf(graph, node).node
  const isAsked = (it: End) => relations.length === 0 || relations.includes(relationOf(graph, it.slot))
  const [into, out] = [endsInto(tree, v), endsFrom(tree, v)]
  const [incoming, outgoing] = [into, out].map((ends) =>
    ends.filter(isAsked).sort((a, b) => graph.weights[b.slot] - graph.weights[a.slot] || a.other - b.other),
  )
  const shown = [incoming, outgoing].map((ends) => ends.slice(0, limit))
  const context = contextOf(engine, brain, signal)
  const fresh = freshness(context, [v, ...shown.flat().map((it) => it.other)])
  return {
    node: briefOf(tree, v),
    incoming: shown[0].map((it) => neighbourOf(tree, it)),
    outgoing: shown[1].map((it) => neighbourOf(tree, it)),
    relations: countsByRelation(tree, into, out),
    total_incoming: incoming.length,
    total_outgoing: outgoing.length,
    completeness: completeness(graph, {
      nodes: [v],
      asks: 'both',
      skipped: { guesses: 0, unreachable: 0 },
      stale: fresh.stale_files,
    }),
    truncated: truncated(shown[0].length + shown[1].length, incoming.length + outgoing.length, 'Raise limit.'),
    freshness: fresh,
  }
}

/** Each edge once, from where it was stated: the other half of one that runs both ways is left out. */
function endsFrom({ graph }: MapTree, v: NodeId): End[] {
  const ends: End[] = []
  for (let slot = graph.out.offsets[v]; slot < graph.out.offsets[v + 1]; slot++)
    if ((graph.flags[slot] & (PRIMARY | DEAD_EDGE)) === PRIMARY) ends.push({ slot, other: graph.out.targets[slot] })
  return ends
}

function endsInto({ graph }: MapTree, v: NodeId): End[] {
  const ends: End[] = []
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const slot = graph.in.slots[i]
    if ((graph.flags[slot] & (PRIMARY | DEAD_EDGE)) === PRIMARY) ends.push({ slot, other: graph.in.targets[i] })
  }
  return ends
}

function neighbourOf(tree: MapTree, { slot, other }: End): Neighbour {
  const { graph } = tree
  return {
    ...briefOf(tree, other),
    relation: relationOf(graph, slot),
    weight: round(graph.weights[slot]),
    ingest_weight: round(graph.ingestWeights[slot]),
    confidence: TIERS[graph.tiers[slot]],
    site_line: graph.lines[slot],
  }
}

function countsByRelation(
  { graph }: MapTree,
  into: readonly End[],
  out: readonly End[],
): NeighboursAnswer['relations'] {
  const counts = new Map<string, { incoming: number; outgoing: number; guesses: number }>()
  for (const [ends, direction] of [
    [into, 'incoming'],
    [out, 'outgoing'],
  ] as const) {
    for (const { slot } of ends) {
      const relation = relationOf(graph, slot)
      const count = counts.get(relation) ?? { incoming: 0, outgoing: 0, guesses: 0 }
      count[direction]++
      if (graph.tiers[slot] === GUESS) count.guesses++
      counts.set(relation, count)
    }
  }
  return [...counts]
    .map(([relation, count]) => ({ relation, ...count }))
    .sort((a, b) => b.incoming + b.outgoing - a.incoming - a.outgoing || (a.relation < b.relation ? -1 : 1))
}
