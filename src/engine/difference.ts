/** How a new graph differs from the one that it is to replace. */

import type { IngestReport, IngestRequest } from '#engine/brain'
import { isInside } from '#engine/project'
import { Refusal } from '#engine/refusal'
import { DEAD_EDGE, FILE, type Graph, keyOf, NONE, PRIMARY } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'

/** Numbers that compare the new graph with the one it replaces. */
export function compare(report: IngestReport, old: Graph, graph: Graph, { mode, incremental }: IngestRequest): void {
  report.node_count = graph.nNodes - graph.dead.reduce((sum, it) => sum + it, 0)
  report.edge_count = graph.nLogical
  const compared = mode === 'merge' || incremental
  const created = compared ? countMissing(graph, old) : { nodes: report.node_count, edges: report.edge_count }
  report.nodes_created = created.nodes
  report.edges_created = created.edges
  report.nodes_removed = compared ? countMissing(old, graph).nodes : 0
  report.dropped_roots = old.meta.roots
    .map((it) => it.path)
    .filter((it) => !graph.meta.roots.some(({ path }) => path === it))
}

/** A graph that is worth something is replaced by nothing only when there is really nothing left to read. */
export function refuseEmpty(old: Graph, graph: Graph, report: IngestReport): void {
  if (old.nNodes === 0 || hasContent(graph) || report.files_scanned === 0) return
  throw new Refusal(
    'ingest_refused',
    `None of ${report.files_scanned} files could be read, so the graph in place was kept.`,
    'Look at the problems with health, and ingest again once the files can be read.',
  )
}

/** Of all files of two graphs, this part must be in both for one to be a copy of the other at another place. */
const ALIKE = 0.5

/**
 * Whether the new graph is of other code altogether: no root of one lies in a root of the other, and they have few
 * files in common. Names that happen to be the same, like `src/index.ts`, must not inherit what was learned.
 */
export function isAnotherProject(old: Graph, graph: Graph): boolean {
  if (old.nNodes === 0 || old.meta.roots.length === 0 || graph.meta.roots.length === 0) return false
  const nested = old.meta.roots.some((a) =>
    graph.meta.roots.some((b) => isInside(a.path, b.path) || isInside(b.path, a.path)),
  )
  if (nested) return false
  const before = filesOf(old)
  const after = filesOf(graph)
  const shared = before.filter((key) => nodeByKey(graph, key) !== NONE).length
  return shared < ALIKE * (before.length + after.length - shared)
}

function filesOf(graph: Graph): string[] {
  const keys: string[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] === FILE && graph.dead[v] === 0) keys.push(keyOf(graph, v))
  }
  return keys
}

function hasContent(graph: Graph): boolean {
  return graph.meta.roots.some((it) => it.adapter !== 'code') ? graph.nNodes > 0 : graph.types.includes(FILE)
}

/** Nodes and logical edges of `graph` that `other` lacks. */
function countMissing(graph: Graph, other: Graph): { nodes: number; edges: number } {
  const counterpart = new Uint32Array(graph.nNodes).fill(NONE)
  let nodes = 0
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    counterpart[v] = nodeByKey(other, keyOf(graph, v))
    if (counterpart[v] === NONE) nodes++
  }

  const relations = new Map<number, number>()
  let edges = 0
  for (let v = 0; v < graph.nNodes; v++) {
    const known = edgesOf(other, counterpart[v])
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      const handle = graph.relations[e]
      const relation = relations.get(handle) ?? other.strings.find(graph.strings.get(handle))
      relations.set(handle, relation)
      const target = counterpart[graph.out.targets[e]]
      if (target === NONE || relation === NONE || !known.has(target * other.strings.count + relation)) edges++
    }
  }
  return { nodes, edges }
}

/** Targets and relations of the out-edges of a node, as one number each. */
function edgesOf({ out, relations, strings }: Graph, v: number): Set<number> {
  const edges = new Set<number>()
  if (v === NONE) return edges
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) edges.add(out.targets[e] * strings.count + relations[e])
  return edges
}
