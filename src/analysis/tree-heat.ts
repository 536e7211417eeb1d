/** How hot the parts of a project are: changed lately and often, and taught. */

import { DEAD_EDGE, FILE, type Graph, NONE, type NodeId, PRIMARY } from '#graph/graph'
import { temporalScorer } from '#query/temporal'
import type { Work } from '#std/work'

/** Columns by node; a container is as hot as the hottest in it. */
export interface TreeHeat {
  /** 0..1 against the hottest of the project: the temporal score at the time of the newest change; 0 for definitions. */
  change: Float32Array
  /** 0..1 likewise: how far the weights of its edges are from those of the ingest, in sum. */
  learning: Float32Array
  /** Files in it, itself included. */
  files: Uint32Array
  /** Living nodes in it, itself included. */
  nodes: Uint32Array
  /** Epoch seconds of the newest change of a file in it, 0 without one. */
  changed: Float64Array
}

const SLICE = 10_000

export function* treeHeatWork(graph: Graph): Work<TreeHeat> {
  const { nNodes, dead, types, lastModified } = graph
  const heat: TreeHeat = {
    change: new Float32Array(nNodes),
    learning: new Float32Array(nNodes),
    files: new Uint32Array(nNodes),
    nodes: new Uint32Array(nNodes),
    changed: new Float64Array(nNodes),
  }
  let newest = 0
  for (let v = 0; v < nNodes; v++) if (dead[v] === 0 && types[v] === FILE) newest = Math.max(newest, lastModified[v])
  const score = temporalScorer(graph, newest)
  const taught = yield* taughtWork(graph)
  for (let v = 0; v < nNodes; v++) {
    if (v % SLICE === 0) yield
    if (dead[v] === 1) continue
    // history is kept by file
    const isFile = types[v] === FILE
    const change = isFile ? score(v) : 0
    for (const u of withWholes(graph, v)) {
      heat.change[u] = Math.max(heat.change[u], change)
      heat.learning[u] = Math.max(heat.learning[u], taught[v])
      if (isFile) heat.changed[u] = Math.max(heat.changed[u], lastModified[v])
      heat.nodes[u]++
      if (isFile) heat.files[u]++
    }
  }
  againstMost(heat.change)
  againstMost(heat.learning)
  return heat
}

/** Sum of what each node's edges have gained and lost; an edge counts at both of its ends. */
function* taughtWork({ nNodes, nEdges, out, weights, ingestWeights, flags }: Graph): Work<Float64Array> {
  const taught = new Float64Array(nNodes)
  if (nEdges === 0) return taught
  for (let v = 0; v < nNodes; v++) {
    if (v % SLICE === 0) yield
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      // both halves of an edge that runs both ways learn alike
      if ((flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY) continue
      const change = Math.abs(weights[e] - ingestWeights[e])
      taught[v] += change
      taught[out.targets[e]] += change
    }
  }
  return taught
}

/** A node and what it lies in, from inside to outside. */
function withWholes({ parents }: Graph, v: NodeId): NodeId[] {
  const nodes: NodeId[] = []
  for (let u = v; u !== NONE && !nodes.includes(u); u = parents[u]) nodes.push(u)
  return nodes
}

function againstMost(column: Float32Array): void {
  let most = 0
  for (const it of column) most = Math.max(most, it)
  if (most > 0) for (let v = 0; v < column.length; v++) column[v] /= most
}
