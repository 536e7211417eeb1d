/** What seems to be missing, as it is sent. */

import * as z from 'zod'
import { type Graph, keyOf, NONE, text, typeName } from '#graph/graph'
import type { Hole } from '#query/holes'
import { round } from '#tools/shapes'

export const HoleRow = z.looseObject({
  node_id: z.string(),
  label: z.string(),
  region: z.string(),
  type: z.string(),
  kind: z.string(),
  node_type: z.string().nullable(),
  adjacent_nodes: z.int(),
  sibling_avg_activation: z.number(),
  reason: z.string(),
  description: z.string(),
})

/** A gap has no node of its own; `member` is the one that lacks something, `shared` what it lacks, null for tests. */
export function holeRow(
  graph: Graph,
  { node, end, id, label, type, kind, reason, siblingAverage, adjacent }: Hole,
): z.input<typeof HoleRow> {
  const path = node === NONE ? '' : text(graph, graph.paths[node])
  return {
    node_id: id,
    label,
    region: label,
    type,
    kind,
    node_type: node === NONE ? null : typeName(graph.types[node]),
    ...(kind === 'gap' &&
      node !== NONE && { member: keyOf(graph, node), shared: end === NONE ? null : keyOf(graph, end) }),
    ...(path !== '' && { source_path: path, line: Math.max(1, graph.lineStart[node]) }),
    adjacent_nodes: adjacent,
    sibling_avg_activation: round(siblingAverage),
    reason,
    description: reason,
  }
}
