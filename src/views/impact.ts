/** `GET /api/graph/impact` */

import { completeness, emptyReason } from '#analysis/completeness'
import { type Affected, faintReasons, impact, type ImpactOptions } from '#analysis/impact'
import { stepName } from '#analysis/steps'
import type { Engine } from '#engine/brain'
import { fileOf, type Graph, keyOf, NONE, type NodeId, text, TIERS } from '#graph/graph'
import { nodeOf } from '#tools/resolve-node'
import { freshness, round, truncated } from '#tools/shapes'
import { plainBriefOf } from '#views/context'
import type { ImpactAnswer, Reached } from '#views/shapes'

export interface ImpactQuery extends Pick<ImpactOptions, 'direction' | 'depth' | 'includeGuesses'> {
  node: string
  limit: number
}

/** The tool `impact` for somebody who looks: all hops are counted, and every row can be followed back to the source. */
export function readImpact(
  engine: Engine,
  { node: ref, direction, depth, includeGuesses, limit }: ImpactQuery,
): Omit<ImpactAnswer, 'served_brain'> {
  const { graph } = engine.brain
  const { node } = nodeOf(graph, ref)
  const found = impact(graph, node, { direction, depth, includeGuesses, containment: 'parts' })
  const shown = found.affected.slice(0, limit)
  const fresh = freshness({ engine, graph }, [node, ...shown.map((it) => it.node)])
  const asks = ({ forward: 'incoming', reverse: 'outgoing', both: 'both' } as const)[direction]
  const what = { forward: 'dependents', reverse: 'dependencies', both: 'dependents or dependencies' }[direction]
  const whole = completeness(graph, {
    nodes: [node],
    parts: found.parts,
    asks,
    skipped: found.skipped,
    reasons: faintReasons(found),
    stale: fresh.stale_files,
  })
  const { hops, files } = countHops(graph, found.affected)
  return {
    source: briefOf(graph, node),
    parts: found.parts.length,
    direction,
    depth,
    total_affected: found.affected.length,
    files_affected: files,
    hops,
    affected: shown.map((it) => rowOf(graph, it)),
    between: found.between.map((it) => rowOf(graph, it)),
    reason:
      found.affected.length > 0
        ? null
        : emptyReason(graph, [node], what, whole, found.skipped, fresh.stale_files).reason,
    completeness: whole,
    truncated: truncated(shown.length, found.affected.length, 'Look at fewer hops.'),
    freshness: fresh,
  }
}

/** Nodes and files at each distance; a file counts where the first of its nodes is reached. */
function countHops(graph: Graph, affected: readonly Affected[]): { hops: ImpactAnswer['hops']; files: number } {
  const hops: ImpactAnswer['hops'] = []
  const at = (hop: number) => {
    while (hops.length < hop) hops.push({ hop: hops.length + 1, nodes: 0, files: 0 })
    return hops[hop - 1]
  }
  const files = new Map<NodeId, number>()
  for (const { node, hops: hop } of affected) {
    at(hop).nodes++
    const file = fileOf(graph, node)
    if (file !== NONE) files.set(file, Math.min(hop, files.get(file) ?? hop))
  }
  for (const hop of files.values()) at(hop).files++
  return { hops, files: files.size }
}

function briefOf(graph: Graph, v: NodeId): ImpactAnswer['source'] {
  return { ...plainBriefOf(graph, v), line_end: graph.lineEnd[v] }
}

function rowOf(graph: Graph, { node, signal, hops, from, slot, along }: Affected): Reached {
  const stated = text(graph, graph.paths[along ? from : node])
  const line = graph.lines[slot]
  return {
    ...briefOf(graph, node),
    signal: round(signal),
    hop: hops,
    from: keyOf(graph, from),
    relation: stepName(graph, slot, along),
    confidence: TIERS[graph.tiers[slot]],
    site: stated === '' || line === 0 ? null : { path: stated, line },
  }
}
