/** How a new graph differs from the one that it is to replace. */

import type { IngestReport, IngestRequest, Settings } from '#engine/brain'
import { isInside } from '#engine/project'
import { Refusal } from '#engine/refusal'
import { DEAD_EDGE, FILE, type Graph, keyOf, NONE, PRIMARY } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'

/** What came and what went. */
export interface Difference {
  nodesCreated: number
  nodesRemoved: number
  edgesCreated: number
}

/** Numbers that compare the new graph with the one it replaces; `known` is their difference where it is at hand. */
export function compare(
  report: IngestReport,
  old: Graph,
  graph: Graph,
  { mode, incremental }: IngestRequest,
  known: Difference | null,
): void {
  report.node_count = graph.nNodes - graph.dead.reduce((sum, it) => sum + it, 0)
  report.edge_count = graph.nLogical
  const compared = mode === 'merge' || incremental
  const difference = compared
    ? (known ?? differenceOf(old, graph, null))
    : { nodesCreated: report.node_count, nodesRemoved: 0, edgesCreated: report.edge_count }
  report.nodes_created = difference.nodesCreated
  report.edges_created = difference.edgesCreated
  report.nodes_removed = difference.nodesRemoved
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

/** What the clock or the memory ended before its time does not take the place of more of the same. */
export function refusePart(
  old: Graph,
  graph: Graph,
  { truncated }: IngestReport,
  { ingestTimeoutMs, ingestMemoryMb }: Settings,
): void {
  if (truncated !== 'timeout' && truncated !== 'memory') return
  const isSame = old.meta.roots.some((a) => graph.meta.roots.some((b) => a.path === b.path))
  if (!isSame || graph.nNodes >= old.nNodes) return
  throw truncated === 'timeout'
    ? new Refusal(
        'ingest_timeout',
        `The ingest took more than ${ingestTimeoutMs / 1000} s, ${KEPT}`,
        'Raise ingest_timeout_ms, or ingest less.',
      )
    : new Refusal('ingest_budget', `The ingest took more than ${ingestMemoryMb} MB of memory, ${KEPT}`, LESS_MEMORY)
}

const KEPT = 'so the graph in place was kept.'
export const LESS_MEMORY = 'Raise ingest_memory_mb, or leave folders out in a .m1ndignore file.'

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

/** `oldOf` is the node of the old graph for each of the new one, found by key when null. */
export function differenceOf(old: Graph, graph: Graph, oldOf: Uint32Array | null): Difference {
  const counterpart = oldOf ?? counterparts(graph, old)
  let nodesCreated = 0
  let nLive = 0
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    nLive++
    if (counterpart[v] === NONE) nodesCreated++
  }
  let nOld = 0
  for (let v = 0; v < old.nNodes; v++) nOld += 1 - old.dead[v]

  const relations = new Map<number, number>()
  let edgesCreated = 0
  for (let v = 0; v < graph.nNodes; v++) {
    const u = counterpart[v]
    let known: Set<number> | null = null
    const begin = graph.out.offsets[v]
    const before = u === NONE ? 0 : old.out.offsets[u]
    for (let e = begin; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      const handle = graph.relations[e]
      let relation = relations.get(handle)
      if (relation === undefined) {
        relation = old.strings.find(graph.strings.get(handle))
        relations.set(handle, relation)
      }
      const target = counterpart[graph.out.targets[e]]
      // most nodes have the same edges in the same order
      const same = before + e - begin
      if (
        u !== NONE &&
        same < old.out.offsets[u + 1] &&
        old.out.targets[same] === target &&
        old.relations[same] === relation
      )
        continue
      known ??= edgesOf(old, u)
      if (target === NONE || relation === NONE || !known.has(target * old.strings.count + relation)) edgesCreated++
    }
  }
  return { nodesCreated, nodesRemoved: nOld - (nLive - nodesCreated), edgesCreated }
}

/** The node of `other` with the key of each node, NONE when there is none. */
function counterparts(graph: Graph, other: Graph): Uint32Array {
  return Uint32Array.from({ length: graph.nNodes }, (_, v) =>
    graph.dead[v] === 1 ? NONE : nodeByKey(other, keyOf(graph, v)),
  )
}

/** Targets and relations of the out-edges of a node, as one number each. */
function edgesOf({ out, relations, strings }: Graph, v: number): Set<number> {
  const edges = new Set<number>()
  if (v === NONE) return edges
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) edges.add(out.targets[e] * strings.count + relations[e])
  return edges
}
