/** The graph as pages and other viewers read it: counts, the whole, and a part. */

import { basename } from 'node:path'
import type { Brain } from '#engine/brain'
import {
  BIDIRECTIONAL,
  DEAD_EDGE,
  type Graph,
  INHIBITORY,
  keyOf,
  labelOf,
  type NodeId,
  PRIMARY,
  relationOf,
  TIERS,
  tagsOf,
  text,
} from '#graph/graph'
import { nodeByKey } from '#graph/lookup'

/** Characters gathered before a piece is handed on. */
const CHUNK = 1 << 16

export interface GraphStats {
  node_count: number
  edge_count: number
  domain: string
  namespaces: string[]
  /** Of the arrays and texts of the graph. */
  memory_estimate_bytes: number
}

export function countNodes(graph: Graph): number {
  return graph.dead.reduce((sum, it) => sum + 1 - it, 0)
}

export function graphStats(graph: Graph): GraphStats {
  const names = new Set<string>()
  for (let v = 0; v < graph.nNodes; v++) if (graph.dead[v] === 0) names.add(text(graph, graph.namespaces[v]))
  for (const { prefix } of graph.meta.roots) names.add(prefix.replace(/::$/, ''))
  names.delete('')
  return {
    node_count: countNodes(graph),
    edge_count: graph.nLogical,
    domain: graph.meta.domain,
    namespaces: [...names].sort(),
    memory_estimate_bytes: bytesIn(graph, 2),
  }
}

/** Typed arrays in an object and in the objects in it, `depth` levels down. */
export function bytesIn(value: object, depth: number): number {
  let bytes = 0
  for (const it of Object.values(value)) {
    if (ArrayBuffer.isView(it)) bytes += it.byteLength
    else if (typeof it === 'object' && it !== null && depth > 0) bytes += bytesIn(it, depth - 1)
  }
  return bytes
}

/** What to call a brain: the base name of its first root of code, else of its project; null when nothing is bound. */
export function displayName({ root, graph }: Brain): string | null {
  const code = graph.meta.roots.find(
    ({ adapter, path }) => adapter === 'code' && !path.endsWith('.light.md') && basename(path) !== 'agent-memory',
  )
  return basename(code?.path ?? root) || null
}

/**
 * The whole graph as pieces of JSON, about 64 kB each: living nodes in order of id, every logical edge once as it
 * was added, with its present weight. `head` are further fields of the answer.
 */
export function* snapshotForViewers(graph: Graph, head: object): Generator<string> {
  let piece = `{"version":1,${JSON.stringify(head).slice(1, -1)},"nodes":[`
  let separator = ''
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v]) continue
    piece += separator + JSON.stringify(viewedNode(graph, v))
    separator = ','
    if (piece.length < CHUNK) continue
    yield piece
    piece = ''
  }
  piece += '],"edges":['
  separator = ''
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      piece += separator + JSON.stringify(viewedEdge(graph, v, e))
      separator = ','
      if (piece.length < CHUNK) continue
      yield piece
      piece = ''
    }
  }
  yield `${piece}]}`
}

function viewedNode(graph: Graph, v: NodeId) {
  return {
    external_id: keyOf(graph, v),
    label: labelOf(graph, v),
    node_type: graph.types[v],
    tags: tagsOf(graph, v),
    last_modified: graph.lastModified[v],
    change_frequency: short(graph.changeFrequency[v]),
    pagerank: short(graph.pagerank[v]),
    provenance: {
      source_path: text(graph, graph.paths[v]) || null,
      line_start: graph.lineStart[v],
      line_end: graph.lineEnd[v],
      namespace: text(graph, graph.namespaces[v]) || undefined,
      canonical: graph.canonical[v] === 1,
      excerpt: text(graph, graph.excerpts[v]) || undefined,
    },
  }
}

function viewedEdge(graph: Graph, v: NodeId, e: number) {
  return {
    source_id: keyOf(graph, v),
    target_id: keyOf(graph, graph.out.targets[e]),
    relation: relationOf(graph, e),
    weight: short(graph.weights[e]),
    direction: graph.flags[e] & BIDIRECTIONAL ? 1 : 0,
    inhibitory: (graph.flags[e] & INHIBITORY) !== 0,
    causal_strength: short(graph.causal[e]),
    confidence: TIERS[graph.tiers[e]],
  }
}

/** What an activation found, by name, as the graph may be another one by now. */
export interface Lit {
  node_id: string
  activation: number
}

/**
 * The activated nodes, filled up with their neighbours within `depth` hops until there are `most`, and the edges
 * among them. Nearer neighbours come first, then those over stronger edges.
 */
export function subgraph(graph: Graph, lit: readonly Lit[], { depth, most }: { depth: number; most: number }) {
  const activation = new Map<NodeId, number>()
  for (const it of lit) {
    const v = nodeByKey(graph, it.node_id)
    if (v < graph.nNodes && activation.size < most) activation.set(v, it.activation)
  }
  let frontier = [...activation.keys()]
  for (let hop = 0; hop < depth && activation.size < most && frontier.length > 0; hop++) {
    frontier = neighbours(graph, frontier)
      .filter((it) => !activation.has(it))
      .slice(0, most - activation.size)
    for (const v of frontier) activation.set(v, 0)
  }
  const nodes = [...activation].map(([v, value]) => ({
    id: keyOf(graph, v),
    label: labelOf(graph, v),
    node_type: graph.types[v],
    activation: value,
    tags: tagsOf(graph, v),
    source_path: text(graph, graph.paths[v]) || null,
    pagerank: short(graph.pagerank[v]),
  }))
  const edges = [...activation.keys()].flatMap((v) => edgesFrom(graph, v, activation))
  return { nodes, edges }
}

/** Nodes at the other end of an edge in either direction, over the strongest edges first, equal ones by id. */
function neighbours(graph: Graph, nodes: readonly NodeId[]): NodeId[] {
  const strongest = new Map<NodeId, number>()
  const see = (u: NodeId, e: number) => {
    if ((graph.flags[e] & DEAD_EDGE) === 0 && graph.dead[u] === 0)
      strongest.set(u, Math.max(strongest.get(u) ?? 0, graph.weights[e]))
  }
  for (const v of nodes) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) see(graph.out.targets[e], e)
    for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) see(graph.in.targets[i], graph.in.slots[i])
  }
  return [...strongest].sort(([u, a], [v, b]) => b - a || u - v).map(([v]) => v)
}

function edgesFrom(graph: Graph, v: NodeId, among: ReadonlyMap<NodeId, number>) {
  const edges: { source: string; target: string; weight: number; relation: string }[] = []
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    const u = graph.out.targets[e]
    if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY || !among.has(u)) continue
    edges.push({
      source: keyOf(graph, v),
      target: keyOf(graph, u),
      weight: short(graph.weights[e]),
      relation: relationOf(graph, e),
    })
  }
  return edges
}

/** Six significant decimals are enough to draw. */
function short(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : 0
}
