/** A graph and its indexes as one header and named columns: what is saved, loaded, and handed over by workers. */

import type { Indexes } from '#engine/brain'
import type { LateIndexes } from '#engine/index-worker'
import type { Graph } from '#graph/graph'
import { lexicalColumns, lexicalFromColumns } from '#graph/lexical'
import { messageColumns, messagesFromColumns } from '#graph/messages'
import { metaToJson } from '#graph/meta'
import { type Columns, encodeSections, graphColumns, graphFromColumns } from '#graph/snapshot'
import { coChangeColumns, coChangeFromColumns } from '#query/cochange'
import { semanticColumns, semanticFromColumns } from '#query/semantic'

export interface Image {
  header: Record<string, unknown>
  columns: Columns
}

/** Raise it when an index says something else about the same graph; older files are then built anew by an ingest. */
const IMAGE_VERSION = 3

/** Shares memory with the graph and the indexes. */
export function toImage(graph: Graph, indexes: Indexes): Image {
  return {
    header: { image: IMAGE_VERSION, meta: metaToJson(graph.meta) },
    columns: {
      ...graphColumns(graph),
      ...prefixed('semantic.', semanticColumns(indexes.semantic)),
      ...prefixed('cochange.', coChangeColumns(indexes.cochange)),
      ...prefixed('lexical.', lexicalColumns(indexes.lexical)),
      ...prefixed('messages.', messageColumns(indexes.messages)),
    },
  }
}

/** Uses the columns as they are. Throws when they do not fit together or are of another version. */
export function fromImage({ header, columns }: Image): { graph: Graph; indexes: Indexes } {
  if (header.image !== IMAGE_VERSION)
    throw new Error(`saved by another version (${String(header.image)}, this one is ${IMAGE_VERSION})`)
  const graph = graphFromColumns(columns, header.meta)
  return {
    graph,
    indexes: {
      semantic: semanticFromColumns(withoutSigned(ofPrefix('semantic.', columns))),
      cochange: coChangeFromColumns(withoutSigned(ofPrefix('cochange.', columns))),
      lexical: lexicalFromColumns(ofPrefix('lexical.', columns)),
      messages: messagesFromColumns(ofPrefix('messages.', columns)),
    },
  }
}

/** Puts what was made later than the graph in its place. */
export function takeLate(brain: { graph: Graph; indexes: Indexes }, late: LateIndexes): void {
  brain.graph.pagerank.set(late.pagerank)
  brain.indexes.semantic = semanticFromColumns(late.semantic)
  brain.indexes.cochange = coChangeFromColumns(late.cochange)
}

/** The same image over memory that several threads see at once, so that none needs a copy of its own. */
export function shared({ header, columns }: Image): Image {
  return { header, columns: Object.fromEntries(Object.entries(columns).map(([name, it]) => [name, sharedColumn(it)])) }
}

function sharedColumn(column: Columns[string]): Columns[string] {
  if (column.buffer instanceof SharedArrayBuffer) return column
  const buffer = new SharedArrayBuffer(column.byteLength)
  new Uint8Array(buffer).set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength))
  if (column instanceof Uint8Array) return new Uint8Array(buffer)
  if (column instanceof Uint16Array) return new Uint16Array(buffer)
  if (column instanceof Uint32Array) return new Uint32Array(buffer)
  if (column instanceof Int32Array) return new Int32Array(buffer)
  return column instanceof Float32Array ? new Float32Array(buffer) : new Float64Array(buffer)
}

/** Columns that learning writes; a saved graph has them as ingest left them, what was learned is saved by itself. */
const LEARNED = ['strengthened', 'weakened', 'strengthenRun', 'weakenRun', 'marks', 'lastUsed']

/**
 * The bytes of a file with the structure and the indexes, without what was learned. Nothing in it changes while it
 * is written, whatever is learned in the meantime.
 */
export function encodeStructure(graph: Graph, indexes: Indexes, extra: Record<string, unknown>): Uint8Array[] {
  const { header, columns } = toImage(graph, indexes)
  const still: Columns = { ...columns, 'graph.weights': graph.ingestWeights }
  for (const name of LEARNED) still[`graph.${name}`] = columns[`graph.${name}`].slice().fill(0)
  for (const name of Object.keys(columns)) if (name.startsWith('cochange.')) still[name] = columns[name].slice()
  return encodeSections({ ...header, ...extra }, still)
}

/** The buffers below the columns, each once, to be transferred instead of copied. */
export function buffersOf(columns: Columns): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const { buffer } of Object.values(columns)) if (buffer instanceof ArrayBuffer) buffers.add(buffer)
  return [...buffers]
}

function prefixed(prefix: string, columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, it]) => [prefix + name, it]))
}

function ofPrefix(prefix: string, columns: Columns): Columns {
  const own = Object.entries(columns).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, it]) => [name.slice(prefix.length), it]))
}

type Unsigned = Record<string, Exclude<Columns[string], Int32Array>>

function withoutSigned(columns: Columns): Unsigned {
  const unsigned: Unsigned = {}
  for (const [name, it] of Object.entries(columns)) if (!(it instanceof Int32Array)) unsigned[name] = it
  return unsigned
}
