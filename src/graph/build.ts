/** Records → `Graph` and back, and the two operations on whole graphs that need both: merge and removal. */

import { expand, reverse } from '#graph/build/edges'
import { joined } from '#graph/build/join'
import { merge } from '#graph/build/merge'
import { readNodes } from '#graph/build/nodes'
import {
  BIDIRECTIONAL,
  DEAD_EDGE,
  type Graph,
  INHIBITORY,
  keyOf,
  LIFTED,
  labelOf,
  NONE,
  type NodeId,
  PRIMARY,
  relationOf,
  TIERS,
  tagsOf,
  text,
  UNREACHABLE,
} from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { pageRank } from '#graph/pagerank'
import { internAll } from '#graph/strings'

/**
 * The graph of some nodes and edges. Edges of the same source, target and relation become one: weight and
 * causal strength take the maximum, the confidence the best tier, the line the smallest known one, flags are
 * joined (unreachable only when all are), and it is bidirectional if either is. A bidirectional edge gets two
 * slots; `PRIMARY` marks the one that runs as it was added. Numbers that are not finite become 0.
 *
 * Building is a fixed point: `buildGraph(toInput(graph))` has the same columns. The generation in `meta` is
 * taken over as it is; whoever puts the graph into service counts it up. Throws on a key that occurs twice
 * and on an edge or parent outside of the list of nodes.
 */
export function buildGraph({ nodes, edges, meta }: GraphInput): Graph {
  const nNodes = nodes.length
  const texts: string[] = []
  const columns = readNodes(nodes, texts)
  const slots = expand(edges, nNodes, (relation) => texts.push(relation) - 1)

  // so far the columns hold positions in the list of all texts
  const { strings, handles } = internAll(texts)
  for (let v = 0; v < nNodes; v++) {
    if (handles[v] !== v) throw new Error(`nodes ${handles[v]} and ${v} have the same key ${nodes[v].key}`)
  }
  for (const column of [
    columns.labels,
    columns.paths,
    columns.excerpts,
    columns.namespaces,
    columns.tags,
    slots.relations,
  ]) {
    translate(column, handles)
  }

  return joined(columns, slots, strings, meta)
}

function translate(column: Uint32Array, handles: Uint32Array): void {
  for (let i = 0; i < column.length; i++) if (column[i] !== NONE) column[i] = handles[column[i]]
}

export function emptyGraph(): Graph {
  return buildGraph({ nodes: [], edges: [], meta: emptyMeta() })
}

/**
 * The records that a graph is made of: nodes and edges that are not removed, every logical edge once, as it
 * was added and with its weight at ingest. What was learned is not part of them.
 */
export function toInput(graph: Graph): GraphInput {
  const { nNodes, out, flags, dead } = graph
  const index = new Int32Array(nNodes).fill(-1)
  let nLive = 0
  for (let v = 0; v < nNodes; v++) if (!dead[v]) index[v] = nLive++

  const nodes: NodeInput[] = []
  const edges: EdgeInput[] = []
  for (let v = 0; v < nNodes; v++) {
    if (dead[v]) continue
    nodes.push(nodeInput(graph, v, index))
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      const target = index[out.targets[e]]
      if ((flags[e] & PRIMARY) === 0 || flags[e] & DEAD_EDGE || target < 0) continue
      edges.push(edgeInput(graph, e, index[v], target))
    }
  }
  return { nodes, edges, meta: graph.meta }
}

function nodeInput(graph: Graph, v: NodeId, index: Int32Array): NodeInput {
  const parent = graph.parents[v]
  return {
    key: keyOf(graph, v),
    label: labelOf(graph, v),
    type: graph.types[v],
    tags: tagsOf(graph, v),
    lastModified: graph.lastModified[v],
    changeFrequency: graph.changeFrequency[v],
    path: text(graph, graph.paths[v]) || undefined,
    lineStart: graph.lineStart[v],
    lineEnd: graph.lineEnd[v],
    excerpt: text(graph, graph.excerpts[v]) || undefined,
    namespace: text(graph, graph.namespaces[v]) || undefined,
    canonical: graph.canonical[v] === 1,
    parent: parent === NONE ? -1 : index[parent],
  }
}

function edgeInput(graph: Graph, e: number, source: number, target: number): EdgeInput {
  const flags = graph.flags[e]
  return {
    source,
    target,
    relation: relationOf(graph, e),
    weight: graph.ingestWeights[e],
    causal: graph.causal[e],
    bidirectional: (flags & BIDIRECTIONAL) !== 0,
    inhibitory: (flags & INHIBITORY) !== 0,
    tier: TIERS[graph.tiers[e]],
    line: graph.lines[e],
    lifted: (flags & LIFTED) !== 0,
    unreachable: (flags & UNREACHABLE) !== 0,
  }
}

/**
 * `base` with `added` laid over it. Nodes of the same key become one: tags are united, times and change
 * frequency take the larger value, what `base` knows of label, type and place stays, unless its type says
 * nothing (a reference or a custom one). Edges are listed together; building merges them.
 *
 * Two rules are about roots of source code. A root that `base` already has replaces what it claimed before:
 * its nodes that are not in `added` go, the others take the new record, and edges that began at them go; so
 * do packages and the like that nothing else uses. A root that `base` does not have, but whose keys meet keys
 * of `base`, gets the prefix `<folder name>::`.
 */
export function mergeInputs(base: GraphInput, added: GraphInput): GraphInput {
  return merge(base, added)
}

/**
 * A graph without some nodes. Ids stay as they are: a removed node keeps its place and its key, marked in
 * `dead`, but loses label, tags and parent; its edges leave the arrays, so slots move. Nodes that it
 * contained go to the nearest node above it that is left. Learned state of other edges is kept. Returns the
 * same graph when there is nothing to remove; throws on an id outside of the graph.
 */
export function removeNodes(graph: Graph, ids: Iterable<NodeId>): Graph {
  const { nNodes, strings, out } = graph
  const dead = graph.dead.slice()
  let nRemoved = 0
  for (const v of ids) {
    if (!(v >= 0 && v < nNodes)) throw new Error(`node ${v} is not one of ${nNodes}`)
    nRemoved += 1 - dead[v]
    dead[v] = 1
  }
  if (nRemoved === 0) return graph

  const labels = graph.labels.slice()
  const parents = graph.parents.slice()
  const tagOffsets = new Uint32Array(nNodes + 1)
  const tags: number[] = []
  // NONE, when there is no empty text, reads as '' too
  const empty = strings.find('')
  for (let v = 0; v < nNodes; v++) {
    if (dead[v]) {
      labels[v] = empty
      parents[v] = NONE
    } else {
      for (let i = graph.tagOffsets[v]; i < graph.tagOffsets[v + 1]; i++) tags.push(graph.tags[i])
      let parent = graph.parents[v]
      while (parent !== NONE && dead[parent]) parent = graph.parents[parent]
      parents[v] = parent
    }
    tagOffsets[v + 1] = tags.length
  }

  // slots that stay, and where they go
  const kept = new Uint32Array(graph.nEdges)
  const moved = new Uint32Array(graph.nEdges).fill(NONE)
  const offsets = new Uint32Array(nNodes + 1)
  let nKept = 0
  let nLogical = 0
  for (let v = 0; v < nNodes; v++) {
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      if (dead[v] || dead[out.targets[e]] || graph.flags[e] & DEAD_EDGE) continue
      moved[e] = nKept
      kept[nKept++] = e
      if (graph.flags[e] & PRIMARY) nLogical++
    }
    offsets[v + 1] = nKept
  }
  const slots = kept.subarray(0, nKept)
  const targets = pick(out.targets, slots, new Uint32Array(nKept))
  const flags = pick(graph.flags, slots, new Uint8Array(nKept))
  const inEdges = reverse(offsets, targets)
  const mirrors = pick(graph.mirrors, slots, new Uint32Array(nKept))
  for (let e = 0; e < nKept; e++) if (mirrors[e] !== NONE) mirrors[e] = moved[mirrors[e]]

  return {
    ...graph,
    nEdges: nKept,
    nLogical,
    labels,
    dead,
    parents,
    tagOffsets,
    tags: Uint32Array.from(tags),
    out: { offsets, targets },
    in: inEdges,
    pagerank: pageRank({ out: { offsets, targets }, in: inEdges, flags, dead }),
    relations: pick(graph.relations, slots, new Uint32Array(nKept)),
    weights: pick(graph.weights, slots, new Float32Array(nKept)),
    ingestWeights: pick(graph.ingestWeights, slots, new Float32Array(nKept)),
    causal: pick(graph.causal, slots, new Float32Array(nKept)),
    flags,
    tiers: pick(graph.tiers, slots, new Uint8Array(nKept)),
    lines: pick(graph.lines, slots, new Uint32Array(nKept)),
    mirrors,
    strengthened: pick(graph.strengthened, slots, new Uint32Array(nKept)),
    weakened: pick(graph.weakened, slots, new Uint32Array(nKept)),
    strengthenRun: pick(graph.strengthenRun, slots, new Uint16Array(nKept)),
    weakenRun: pick(graph.weakenRun, slots, new Uint16Array(nKept)),
    marks: pick(graph.marks, slots, new Uint8Array(nKept)),
    lastUsed: pick(graph.lastUsed, slots, new Uint32Array(nKept)),
  }
}

function pick<T extends Uint8Array | Uint16Array | Uint32Array | Float32Array>(
  from: T,
  slots: Uint32Array,
  into: T,
): T {
  for (let i = 0; i < slots.length; i++) into[i] = from[slots[i]]
  return into
}
