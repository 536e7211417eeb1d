/** From node records to node columns. */

import { NONE } from '#graph/graph'
import type { NodeInput } from '#graph/input'

/** The node columns of a `Graph` that come from the input. */
export type NodeColumns = ReturnType<typeof readNodes>

/**
 * The node columns, with all their texts put into `texts` and its positions in place of handles. Keys come
 * first, so that the handle of a key is its node: `keys[v] === v`.
 */
export function readNodes(nodes: readonly NodeInput[], texts: string[]) {
  const nNodes = nodes.length
  for (const { key } of nodes) texts.push(key)

  let nTags = 0
  for (let v = 0; v < nNodes; v++) nTags += nodes[v].tags?.length ?? 0
  const columns = {
    keys: new Uint32Array(nNodes),
    labels: new Uint32Array(nNodes),
    types: new Uint8Array(nNodes),
    lastModified: new Float64Array(nNodes),
    changeFrequency: new Float32Array(nNodes),
    paths: new Uint32Array(nNodes).fill(NONE),
    lineStart: new Uint32Array(nNodes),
    lineEnd: new Uint32Array(nNodes),
    excerpts: new Uint32Array(nNodes).fill(NONE),
    namespaces: new Uint32Array(nNodes).fill(NONE),
    canonical: new Uint8Array(nNodes),
    dead: new Uint8Array(nNodes),
    parents: new Uint32Array(nNodes).fill(NONE),
    tagOffsets: new Uint32Array(nNodes + 1),
    tags: new Uint32Array(nTags),
  }

  // by tag as it is written, so that lower case is made once per spelling
  const tagPositions = new Map<string, number>()
  const tagPosition = (tag: string): number => {
    let position = tagPositions.get(tag)
    if (position === undefined) {
      const lower = tag.toLowerCase()
      position = tagPositions.get(lower) ?? texts.push(lower) - 1
      tagPositions.set(lower, position).set(tag, position)
    }
    return position
  }

  const path = repeated(texts)
  const namespace = repeated(texts)
  let at = 0
  for (let v = 0; v < nNodes; v++) {
    const node = nodes[v]
    columns.keys[v] = v
    columns.labels[v] = texts.push(node.label) - 1
    columns.types[v] = node.type
    columns.lastModified[v] = finite(node.lastModified)
    columns.changeFrequency[v] = Math.min(1, Math.max(0, finite(node.changeFrequency)))
    if (node.path) columns.paths[v] = path(node.path)
    columns.lineStart[v] = node.lineStart ?? 0
    columns.lineEnd[v] = node.lineEnd ?? 0
    if (node.excerpt) columns.excerpts[v] = texts.push(node.excerpt) - 1
    if (node.namespace) columns.namespaces[v] = namespace(node.namespace)
    columns.canonical[v] = node.canonical ? 1 : 0
    const parent = node.parent ?? -1
    if (parent >= nNodes) throw new Error(`node ${v} has the parent ${parent}, but there are ${nNodes} nodes`)
    if (parent >= 0 && parent !== v) columns.parents[v] = parent

    const begin = at
    for (const tag of node.tags ?? []) {
      const position = tagPosition(tag)
      let i = begin
      while (i < at && columns.tags[i] !== position) i++
      if (i === at) columns.tags[at++] = position
    }
    columns.tagOffsets[v + 1] = at
  }
  if (at < nTags) columns.tags = columns.tags.slice(0, at)
  return columns
}

/** Puts a text into a list unless it is the one put there before by the same function; returns its position. */
function repeated(texts: string[]): (text: string) => number {
  let last = ''
  let position = NONE
  return (text) => {
    if (position === NONE || text !== last) {
      last = text
      position = texts.push(text) - 1
    }
    return position
  }
}

function finite(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? value : 0
}
