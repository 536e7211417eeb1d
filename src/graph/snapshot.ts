/**
 * The binary snapshot: a header and named columns of numbers, each a view on the file's bytes when read.
 * The layout is described in `docs/formats.md`. `encodeSections` and `decodeSections` know nothing of graphs,
 * so that other indexes keep their columns in the same file, under names with their own prefix.
 */

import { DEAD_EDGE, type Graph, PRIMARY } from '#graph/graph'
import { metaFromJson } from '#graph/meta'
import { stringsFrom } from '#graph/strings'
import { checksum } from '#std/hash'

export type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array
export type Columns = Record<string, TypedArray>

const MAGIC = 'M1ND'
/** Version of the container, not of what the columns mean. */
const VERSION = 1
/** Magic, version, length of the header, checksum of the header: four words. */
const PREAMBLE_BYTES = 16
/** Eight, so that every column can be a `Float64Array`. */
const ALIGNMENT = 8
const SPACE = 0x20

interface ColumnEntry {
  name: string
  type: string
  /** Number of elements. */
  length: number
  /** Position of its first byte behind the header; a column of nothing but zeros has no bytes and -1. */
  offset: number
  checksum: number
}

/**
 * The parts of a snapshot file, to be written one after the other. They are views on the columns, not copies:
 * write them before anything changes the columns. `header` must be plain data; it comes back as it is.
 */
export function encodeSections(header: object, columns: Columns): Uint8Array[] {
  const entries: ColumnEntry[] = []
  const parts: Uint8Array[] = []
  let offset = 0
  for (const [name, column] of Object.entries(columns)) {
    const entry = { name, type: typeOf(column), length: column.length, offset: -1, checksum: 0 }
    entries.push(entry)
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
    if (isZero(bytes)) continue
    entry.offset = offset
    entry.checksum = checksum(bytes)
    parts.push(bytes, new Uint8Array(padding(bytes.length)))
    offset += bytes.length + padding(bytes.length)
  }

  // spaces behind the text keep what follows aligned, and are under its checksum
  const text = new TextEncoder().encode(JSON.stringify({ header, columns: entries, bytes: offset }))
  const head = new Uint8Array(PREAMBLE_BYTES + text.length + padding(text.length)).fill(SPACE)
  head.set(text, PREAMBLE_BYTES)
  const json = head.subarray(PREAMBLE_BYTES)
  const view = new DataView(head.buffer)
  for (let i = 0; i < MAGIC.length; i++) view.setUint8(i, MAGIC.charCodeAt(i))
  view.setUint32(4, VERSION, true)
  view.setUint32(8, json.length, true)
  view.setUint32(12, checksum(json), true)
  return [head, ...parts]
}

/**
 * Header and columns of a snapshot file. The columns are views on `bytes` (on a copy, when `bytes` does not
 * begin at a multiple of 8 in its buffer). Throws an `Error` that says what was expected and what was found
 * when the file is of another kind or version, cut off, or damaged.
 */
export function decodeSections(bytes: Uint8Array): { header: Record<string, unknown>; columns: Columns } {
  if (bytes.byteOffset % ALIGNMENT !== 0) return decodeSections(bytes.slice())
  if (bytes.length < PREAMBLE_BYTES) {
    throw new Error(`snapshot is cut off: expected at least ${PREAMBLE_BYTES} bytes, found ${bytes.length}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const magic = String.fromCharCode(bytes[0], bytes[1], bytes[2], bytes[3])
  if (magic !== MAGIC)
    throw new Error(`not a snapshot: expected it to begin with ${MAGIC}, found ${JSON.stringify(magic)}`)
  const version = view.getUint32(4, true)
  if (version !== VERSION) throw new Error(`snapshot has version ${version}, expected version ${VERSION}`)

  const jsonEnd = PREAMBLE_BYTES + view.getUint32(8, true)
  if (jsonEnd > bytes.length)
    throw new Error(`snapshot is cut off: expected ${jsonEnd} bytes of header, found ${bytes.length}`)
  const json = bytes.subarray(PREAMBLE_BYTES, jsonEnd)
  expectChecksum('the header', view.getUint32(12, true), checksum(json))

  const { header, entries, nBytes } = readHeader(JSON.parse(new TextDecoder().decode(json)))
  if (jsonEnd + nBytes > bytes.length) {
    throw new Error(`snapshot is cut off: expected ${jsonEnd + nBytes} bytes, found ${bytes.length}`)
  }
  const columns: Columns = {}
  for (const { name, type, length, offset, checksum: expected } of entries) {
    if (offset < 0) {
      columns[name] = create(type, new ArrayBuffer(length * bytesPerElement(type)), 0, length)
      continue
    }
    const size = length * bytesPerElement(type)
    if (offset % ALIGNMENT !== 0 || offset + size > nBytes) {
      throw new Error(`snapshot is damaged: column ${name} lies at ${offset} … ${offset + size} of ${nBytes} bytes`)
    }
    expectChecksum(`column ${name}`, expected, checksum(bytes.subarray(jsonEnd + offset, jsonEnd + offset + size)))
    columns[name] = create(type, bytes.buffer, bytes.byteOffset + jsonEnd + offset, length)
  }
  return { header, columns }
}

/** All columns of a graph; they share memory with it. Its meta goes into the header, see `metaToJson`. */
export function graphColumns(graph: Graph): Columns {
  const columns: Columns = {
    'strings.bytes': graph.strings.bytes,
    'strings.offsets': graph.strings.offsets,
    'strings.table': graph.strings.table,
    'out.offsets': graph.out.offsets,
    'out.targets': graph.out.targets,
    'in.offsets': graph.in.offsets,
    'in.targets': graph.in.targets,
    'in.slots': graph.in.slots,
    tagOffsets: graph.tagOffsets,
    tags: graph.tags,
    keys: graph.keys,
    labels: graph.labels,
    types: graph.types,
    lastModified: graph.lastModified,
    changeFrequency: graph.changeFrequency,
    pagerank: graph.pagerank,
    paths: graph.paths,
    lineStart: graph.lineStart,
    lineEnd: graph.lineEnd,
    excerpts: graph.excerpts,
    namespaces: graph.namespaces,
    canonical: graph.canonical,
    dead: graph.dead,
    parents: graph.parents,
    relations: graph.relations,
    weights: graph.weights,
    ingestWeights: graph.ingestWeights,
    causal: graph.causal,
    flags: graph.flags,
    tiers: graph.tiers,
    lines: graph.lines,
    mirrors: graph.mirrors,
    strengthened: graph.strengthened,
    weakened: graph.weakened,
    strengthenRun: graph.strengthenRun,
    weakenRun: graph.weakenRun,
    marks: graph.marks,
    lastUsed: graph.lastUsed,
  }
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [`graph.${name}`, column]))
}

/**
 * The graph of some columns, which it uses as they are; other columns are ignored. `meta` is what
 * `metaToJson` gave. Throws when a column is missing, of another type or of another length than it must be.
 */
export function graphFromColumns(columns: Columns, meta: unknown): Graph {
  const { u8, u16, u32, f32, f64 } = readers(columns)
  const strings = stringsFrom(u8('graph.strings.bytes'), u32('graph.strings.offsets'), u32('graph.strings.table'))
  const nNodes = u32('graph.keys').length
  const nEdges = u32('graph.out.targets').length
  const flags = u8('graph.flags', nEdges)
  let nLogical = 0
  for (let e = 0; e < nEdges; e++) if ((flags[e] & (PRIMARY | DEAD_EDGE)) === PRIMARY) nLogical++

  return {
    nNodes,
    nEdges,
    nLogical,
    strings,
    keys: u32('graph.keys'),
    labels: u32('graph.labels', nNodes),
    types: u8('graph.types', nNodes),
    lastModified: f64('graph.lastModified', nNodes),
    changeFrequency: f32('graph.changeFrequency', nNodes),
    pagerank: f32('graph.pagerank', nNodes),
    paths: u32('graph.paths', nNodes),
    lineStart: u32('graph.lineStart', nNodes),
    lineEnd: u32('graph.lineEnd', nNodes),
    excerpts: u32('graph.excerpts', nNodes),
    namespaces: u32('graph.namespaces', nNodes),
    canonical: u8('graph.canonical', nNodes),
    dead: u8('graph.dead', nNodes),
    parents: u32('graph.parents', nNodes),
    tagOffsets: u32('graph.tagOffsets', nNodes + 1),
    tags: u32('graph.tags'),
    out: { offsets: u32('graph.out.offsets', nNodes + 1), targets: u32('graph.out.targets') },
    in: {
      offsets: u32('graph.in.offsets', nNodes + 1),
      targets: u32('graph.in.targets', nEdges),
      slots: u32('graph.in.slots', nEdges),
    },
    relations: u32('graph.relations', nEdges),
    weights: f32('graph.weights', nEdges),
    ingestWeights: f32('graph.ingestWeights', nEdges),
    causal: f32('graph.causal', nEdges),
    flags,
    tiers: u8('graph.tiers', nEdges),
    lines: u32('graph.lines', nEdges),
    mirrors: u32('graph.mirrors', nEdges),
    strengthened: u32('graph.strengthened', nEdges),
    weakened: u32('graph.weakened', nEdges),
    strengthenRun: u16('graph.strengthenRun', nEdges),
    weakenRun: u16('graph.weakenRun', nEdges),
    marks: u8('graph.marks', nEdges),
    lastUsed: u32('graph.lastUsed', nEdges),
    meta: metaFromJson(meta),
  }
}

/**
 * Functions that take a column by name, and throw when it is missing, of another type, or not of the given
 * length. For everyone who keeps columns in a snapshot.
 */
export function readers(columns: Columns) {
  const take = (name: string, length: number | undefined): TypedArray => {
    const column = columns[name]
    if (column === undefined) throw new Error(`snapshot has no column ${name}`)
    if (length !== undefined && column.length !== length) {
      throw new Error(`column ${name} has ${column.length} elements, expected ${length}`)
    }
    return column
  }
  const wrong = (name: string, type: string): Error =>
    new Error(`column ${name} has the type ${typeOf(columns[name])}, expected ${type}`)
  return {
    u8(name: string, length?: number): Uint8Array {
      const column = take(name, length)
      if (column instanceof Uint8Array) return column
      throw wrong(name, 'u8')
    },
    u16(name: string, length?: number): Uint16Array {
      const column = take(name, length)
      if (column instanceof Uint16Array) return column
      throw wrong(name, 'u16')
    },
    u32(name: string, length?: number): Uint32Array {
      const column = take(name, length)
      if (column instanceof Uint32Array) return column
      throw wrong(name, 'u32')
    },
    i32(name: string, length?: number): Int32Array {
      const column = take(name, length)
      if (column instanceof Int32Array) return column
      throw wrong(name, 'i32')
    },
    f32(name: string, length?: number): Float32Array {
      const column = take(name, length)
      if (column instanceof Float32Array) return column
      throw wrong(name, 'f32')
    },
    f64(name: string, length?: number): Float64Array {
      const column = take(name, length)
      if (column instanceof Float64Array) return column
      throw wrong(name, 'f64')
    },
  }
}

function typeOf(column: TypedArray): string {
  if (column instanceof Uint8Array) return 'u8'
  if (column instanceof Uint16Array) return 'u16'
  if (column instanceof Uint32Array) return 'u32'
  if (column instanceof Int32Array) return 'i32'
  return column instanceof Float32Array ? 'f32' : 'f64'
}

function bytesPerElement(type: string): number {
  if (type === 'u8') return 1
  if (type === 'u16') return 2
  return type === 'f64' ? 8 : 4
}

function create(type: string, buffer: ArrayBufferLike, offset: number, length: number): TypedArray {
  switch (type) {
    case 'u8':
      return new Uint8Array(buffer, offset, length)
    case 'u16':
      return new Uint16Array(buffer, offset, length)
    case 'u32':
      return new Uint32Array(buffer, offset, length)
    case 'i32':
      return new Int32Array(buffer, offset, length)
    case 'f32':
      return new Float32Array(buffer, offset, length)
    case 'f64':
      return new Float64Array(buffer, offset, length)
    default:
      throw new Error(`snapshot has a column of type ${type}, expected u8, u16, u32, i32, f32 or f64`)
  }
}

function readHeader(value: unknown): { header: Record<string, unknown>; entries: ColumnEntry[]; nBytes: number } {
  const damaged = (what: string) => new Error(`snapshot is damaged: expected ${what} in its header`)
  if (!isRecord(value) || !isRecord(value.header)) throw damaged('an object')
  if (!Array.isArray(value.columns)) throw damaged('a table of columns')
  const number = (it: unknown): number => {
    if (typeof it !== 'number' || !Number.isSafeInteger(it)) throw damaged('whole numbers')
    return it
  }
  const entries = value.columns.map((it: unknown): ColumnEntry => {
    if (!isRecord(it) || typeof it.name !== 'string' || typeof it.type !== 'string') throw damaged('named columns')
    const length = number(it.length)
    if (length < 0) throw damaged('lengths from 0 up')
    return { name: it.name, type: it.type, length, offset: number(it.offset), checksum: number(it.checksum) }
  })
  return { header: value.header, entries, nBytes: number(value.bytes) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function expectChecksum(what: string, expected: number, found: number): void {
  if (expected === found) return
  throw new Error(
    `snapshot is damaged: checksum of ${what} should be ${expected.toString(16)}, found ${found.toString(16)}`,
  )
}

function padding(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT
}

function isZero(bytes: Uint8Array): boolean {
  let i = 0
  if (bytes.byteOffset % 4 === 0) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2)
    for (; i < words.length; i++) if (words[i] !== 0) return false
    i *= 4
  }
  for (; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}
