/** A graph with some of its nodes and edges replaced, made from its columns instead of from records. */

import { layOut, type Logical, readLogical, type Slots } from '#graph/build/edges'
import { asIngested, joined } from '#graph/build/join'
import { type NodeColumns, readNodes } from '#graph/build/nodes'
import { DEAD_EDGE, type Graph, type GraphMeta, keyOf, NONE, type NodeId, PRIMARY } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { renumberStrings } from '#graph/strings'

/** A stretch of nodes of the new graph: nodes of the old one, `from … to - 1`, or records. */
export type Stretch = { from: NodeId; to: NodeId } | { nodes: readonly NodeInput[] }

export interface Patch {
  /** All nodes of the new graph, in their order. A parent in a record is a node of the new graph. */
  stretches: readonly Stretch[]
  /** Nodes of the new graph whose edges are given anew, or that are new and have none. */
  hasNewEdges: Uint8Array
  /** Their edges, between nodes of the new graph. */
  edges: readonly EdgeInput[]
  meta: GraphMeta
}

export interface Patched {
  graph: Graph
  /** Node of the old graph for each of the new one, NONE for a new node. */
  oldOf: Uint32Array
}

/**
 * Has the same columns as `buildGraph` of the whole new input, except for PageRank, which is that of the old graph
 * (0 for a new node) until it is worked out anew; provided that no edge given anew runs against a
 * bidirectional one that is kept. Nodes are recognised by their keys. Null when an edge that is kept leads to a node
 * that is gone. Throws on a key that occurs twice.
 */
export function patchGraph(old: Graph, { stretches, hasNewEdges, edges, meta }: Patch): Patched | null {
  const nNodes = hasNewEdges.length
  const { newOf, oldOf } = matchNodes(old, stretches, nNodes)
  const texts: string[] = []
  const columns = patchNodes(old, stretches, newOf, texts)
  const slots = patchEdges(old, { newOf, oldOf, hasNewEdges, edges }, texts)
  if (slots === null) return null
  const { labels, paths, excerpts, namespaces, tagOffsets, tags } = columns
  const strings = renumberStrings(old.strings, texts, (take) => {
    for (let v = 0; v < nNodes; v++) take(columns.keys, v)
    for (let v = 0; v < nNodes; v++) {
      take(labels, v)
      take(paths, v)
      take(excerpts, v)
      take(namespaces, v)
      for (let i = tagOffsets[v]; i < tagOffsets[v + 1]; i++) take(tags, i)
    }
    for (let e = 0; e < slots.relations.length; e++) take(slots.relations, e)
  })
  for (let v = 0; v < nNodes; v++)
    if (columns.keys[v] !== v) throw new Error(`nodes ${columns.keys[v]} and ${v} have the same key`)
  const pagerank = Float32Array.from(oldOf, (v) => (v === NONE ? 0 : old.pagerank[v]))
  return { graph: joined(columns, slots, strings, meta, pagerank), oldOf }
}

function matchNodes(old: Graph, stretches: readonly Stretch[], nNodes: number) {
  const newOf = new Uint32Array(old.nNodes).fill(NONE)
  const oldOf = new Uint32Array(nNodes).fill(NONE)
  let at = 0
  for (const it of stretches) {
    if ('nodes' in it) at += it.nodes.length
    else
      for (let v = it.from; v < it.to; v++, at++) {
        newOf[v] = at
        oldOf[at] = v
      }
  }
  if (at !== nNodes) throw new Error(`${at} nodes, but marks for ${nNodes}`)

  const replaced = new Map<string, NodeId>()
  for (let v = 0; v < old.nNodes; v++) if (newOf[v] === NONE && old.dead[v] === 0) replaced.set(keyOf(old, v), v)
  at = 0
  for (const it of stretches) {
    if (!('nodes' in it)) {
      at += it.to - it.from
      continue
    }
    for (const { key } of it.nodes) {
      const v = replaced.get(key)
      if (v !== undefined) {
        newOf[v] = at
        oldOf[at] = v
      }
      at++
    }
  }
  return { newOf, oldOf }
}

/** New texts are put into `texts`; their handles follow those of the old strings. */
function patchNodes(old: Graph, stretches: readonly Stretch[], newOf: Uint32Array, texts: string[]): NodeColumns {
  const records: NodeInput[] = []
  for (const it of stretches) if ('nodes' in it) for (const node of it.nodes) records.push({ ...node, parent: -1 })
  const fresh = readNodes(records, texts)
  const shift = old.strings.count
  for (const column of [fresh.keys, fresh.labels, fresh.paths, fresh.excerpts, fresh.namespaces, fresh.tags])
    for (let i = 0; i < column.length; i++) if (column[i] !== NONE) column[i] += shift

  let nNodes = 0
  let nTags = fresh.tags.length
  for (const it of stretches) {
    nNodes += 'nodes' in it ? it.nodes.length : it.to - it.from
    if (!('nodes' in it)) nTags += old.tagOffsets[it.to] - old.tagOffsets[it.from]
  }
  const columns: NodeColumns = {
    keys: new Uint32Array(nNodes),
    labels: new Uint32Array(nNodes),
    types: new Uint8Array(nNodes),
    lastModified: new Float64Array(nNodes),
    changeFrequency: new Float32Array(nNodes),
    paths: new Uint32Array(nNodes),
    lineStart: new Uint32Array(nNodes),
    lineEnd: new Uint32Array(nNodes),
    excerpts: new Uint32Array(nNodes),
    namespaces: new Uint32Array(nNodes),
    canonical: new Uint8Array(nNodes),
    dead: new Uint8Array(nNodes),
    parents: new Uint32Array(nNodes).fill(NONE),
    tagOffsets: new Uint32Array(nNodes + 1),
    tags: new Uint32Array(nTags),
  }
  let at = 0
  let tagAt = 0
  let taken = 0
  for (const it of stretches) {
    const isNew = 'nodes' in it
    const source = isNew ? fresh : old
    const from = isNew ? taken : it.from
    const to = isNew ? taken + it.nodes.length : it.to
    copyRange(source, columns, { from, to, at })
    const firstTag = source.tagOffsets[from]
    columns.tags.set(source.tags.subarray(firstTag, source.tagOffsets[to]), tagAt)
    for (let v = from; v < to; v++) {
      columns.tagOffsets[at + v - from + 1] = tagAt + source.tagOffsets[v + 1] - firstTag
      const parent = isNew ? (it.nodes[v - from].parent ?? -1) : old.parents[v] === NONE ? -1 : newOf[old.parents[v]]
      if (parent >= 0 && parent !== at + v - from) columns.parents[at + v - from] = parent
    }
    tagAt += source.tagOffsets[to] - firstTag
    at += to - from
    if (isNew) taken = to
  }
  return columns
}

type PlainColumn = Exclude<keyof NodeColumns, 'tags' | 'tagOffsets' | 'parents' | 'dead'>
const PLAIN: readonly PlainColumn[] = [
  'keys',
  'labels',
  'types',
  'lastModified',
  'changeFrequency',
  'paths',
  'lineStart',
  'lineEnd',
  'excerpts',
  'namespaces',
  'canonical',
]

function copyRange(
  source: Pick<Graph, PlainColumn>,
  into: NodeColumns,
  { from, to, at }: { from: number; to: number; at: number },
): void {
  for (const name of PLAIN) into[name].set(source[name].subarray(from, to), at)
}

/** The graph again, when nothing of it is given anew. */
export function repeatGraph(old: Graph, meta: GraphMeta): Patched {
  return { graph: asIngested(old, meta), oldOf: Uint32Array.from({ length: old.nNodes }, (_, v) => v) }
}

interface EdgePatch {
  newOf: Uint32Array
  oldOf: Uint32Array
  hasNewEdges: Uint8Array
  edges: readonly EdgeInput[]
}

/** Slots whose relations are handles like those of the nodes. */
function patchEdges(old: Graph, { newOf, oldOf, hasNewEdges, edges }: EdgePatch, texts: string[]): Slots | null {
  const nNodes = hasNewEdges.length
  const fresh = readLogical(edges, nNodes)
  let nKept = 0
  for (let v = 0; v < nNodes; v++) {
    const u = hasNewEdges[v] === 1 ? NONE : oldOf[v]
    if (u === NONE) continue
    for (let e = old.out.offsets[u]; e < old.out.offsets[u + 1]; e++) if (isLogical(old, e)) nKept++
  }
  const n = nKept + fresh.kept.length
  const all: Logical = {
    sources: new Uint32Array(n),
    targets: new Uint32Array(n),
    relations: new Uint32Array(n),
    weights: new Float32Array(n),
    causal: new Float32Array(n),
    flags: new Uint8Array(n),
    tiers: new Uint8Array(n),
    lines: new Uint32Array(n),
  }
  const handles = fresh.relations.map((it) => old.strings.count + texts.push(it) - 1)
  let at = 0
  let next = 0
  for (let v = 0; v < nNodes; v++) {
    if (hasNewEdges[v] === 1) {
      for (; next < fresh.kept.length && fresh.edges.sources[fresh.kept[next]] === v; next++, at++) {
        const e = fresh.kept[next]
        all.sources[at] = v
        all.targets[at] = fresh.edges.targets[e]
        all.relations[at] = handles[fresh.edges.relations[e]]
        all.weights[at] = fresh.edges.weights[e]
        all.causal[at] = fresh.edges.causal[e]
        all.flags[at] = fresh.edges.flags[e]
        all.tiers[at] = fresh.edges.tiers[e]
        all.lines[at] = fresh.edges.lines[e]
      }
      continue
    }
    const u = oldOf[v]
    if (u === NONE) continue
    for (let e = old.out.offsets[u]; e < old.out.offsets[u + 1]; e++) {
      if (!isLogical(old, e)) continue
      const target = newOf[old.out.targets[e]]
      if (target === NONE) return null
      all.sources[at] = v
      all.targets[at] = target
      all.relations[at] = old.relations[e]
      all.weights[at] = old.ingestWeights[e]
      all.causal[at] = old.causal[e]
      all.flags[at] = old.flags[e] & ~PRIMARY
      all.tiers[at] = old.tiers[e]
      all.lines[at] = old.lines[e]
      at++
    }
  }
  if (next !== fresh.kept.length) throw new Error('an edge given anew begins at a node whose edges are kept')
  const order = new Uint32Array(n)
  for (let e = 0; e < n; e++) order[e] = e
  return layOut(all, order, nNodes)
}

function isLogical({ flags }: Graph, e: number): boolean {
  return (flags[e] & (PRIMARY | DEAD_EDGE)) === PRIMARY
}
