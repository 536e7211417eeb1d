/** Nodes by label, in any case. */

import { type Graph, labelOf, NONE, type NodeId } from '#graph/graph'
import { fnv1a } from '#std/hash'

/**
 * Nodes in buckets by the hash of their label in lower case, so that one index serves both exact look-ups and
 * those in any case. Nodes of a bucket are in order of id.
 */
export interface LabelIndex {
  /** Number of buckets (a power of two) less one. */
  mask: number
  /** length mask + 2 */
  offsets: Uint32Array
  nodes: Uint32Array
}

const indexes = new WeakMap<Graph, LabelIndex>()

/** The index of a graph, made at the first call. */
export function labelIndex(graph: Graph): LabelIndex {
  let index = indexes.get(graph)
  if (index === undefined) {
    index = build(graph)
    indexes.set(graph, index)
  }
  return index
}

/** Nodes with a label, by id. */
export function nodesLabelled(graph: Graph, index: LabelIndex, label: string, anyCase: boolean): NodeId[] {
  const { offsets, nodes, mask } = index
  const folded = label.toLowerCase()
  const bucket = fnv1a(folded) & mask
  const handle = anyCase ? NONE : graph.strings.find(label)
  const found: NodeId[] = []
  if (!anyCase && handle === NONE) return found
  for (let i = offsets[bucket]; i < offsets[bucket + 1]; i++) {
    const v = nodes[i]
    const same = anyCase ? labelOf(graph, v).toLowerCase() === folded : graph.labels[v] === handle
    if (same) found.push(v)
  }
  return found
}

function build(graph: Graph): LabelIndex {
  const { nNodes, labels, dead } = graph
  let size = 1
  while (size < nNodes) size *= 2
  const mask = size - 1

  const buckets = new Uint32Array(nNodes).fill(NONE)
  const offsets = new Uint32Array(size + 1)
  for (let v = 0; v < nNodes; v++) {
    if (dead[v] || labels[v] === NONE) continue
    buckets[v] = foldedHash(graph, labels[v]) & mask
    offsets[buckets[v] + 1]++
  }
  for (let i = 0; i < size; i++) offsets[i + 1] += offsets[i]
  const nodes = new Uint32Array(offsets[size])
  const next = offsets.slice(0, size)
  for (let v = 0; v < nNodes; v++) if (buckets[v] !== NONE) nodes[next[buckets[v]]++] = v
  return { mask, offsets, nodes }
}

/** `fnv1a` of a text in lower case, from its bytes as long as they are plain. */
function foldedHash(graph: Graph, handle: number): number {
  const { bytes, offsets } = graph.strings
  let hash = 0x811c9dc5
  for (let i = offsets[handle]; i < offsets[handle + 1]; i++) {
    let byte = bytes[i]
    if (byte >= 0x80) return fnv1a(graph.strings.get(handle).toLowerCase())
    if (byte >= 65 && byte <= 90) byte += 32
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return hash >>> 0
}
