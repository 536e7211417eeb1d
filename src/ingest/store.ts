/** Facts of the previous ingest, kept so that the next one reads only what changed. */

import { countOf, type Packed, packFacts, Unpacker } from '#ingest/pack'
import type { Outcome } from '#ingest/read-batch'
import type { UpgradeSet } from '#ingest/upgrade'
import { upgradeColumns, upgradesFromColumns } from '#ingest/upgrade/columns'

/** Raise it when extraction says something else about the same text: older facts are then not used. */
const FACTS_VERSION = 17
/** A package whose facts are in use to less than this share is packed anew. */
const MIN_SHARE = 0.5

export interface StoredFile {
  path: string
  size: number
  mtimeMs: number
  ctimeMs: number
  /** As git names the content; '' when it was not read. */
  hash: string
  normalisedHash: string
  kind: Outcome['kind']
  /** Whether the repository said that it is generated. */
  generated: boolean
  /** Package and position in it that hold the facts, -1 when there are none. */
  chunk: number
  position: number
}

/** What is known of a walked file once it was read. */
export interface Read {
  kind: Outcome['kind']
  hash: string
  normalisedHash: string
  message: string
  /** Number of the package of facts and position in it, -1 when there are none. */
  chunk: number
  position: number
  reused: boolean
}

export interface FactsStore {
  /** Version of extraction and the limits under which files were read. */
  version: string
  /** Epoch milliseconds when the walk began; files changed later may have changed unseen. */
  takenAt: number
  /** In order of path. */
  files: StoredFile[]
  chunks: Packed[]
  /** What compilers said about files; those that changed since keep theirs, in case that they change back. */
  upgrades: UpgradeSet[]
}

export function storeVersion(limits: object): string {
  return `${FACTS_VERSION} ${JSON.stringify(limits)}`
}

/** The same store without the packages that hardly any file uses any more. */
export function compactStore(store: FactsStore): FactsStore {
  const users = new Map<number, StoredFile[]>()
  for (const file of store.files) {
    if (file.chunk === -1) continue
    const known = users.get(file.chunk)
    if (known) known.push(file)
    else users.set(file.chunk, [file])
  }
  const chunks: Packed[] = []
  const files = new Map<string, StoredFile>()
  for (const [chunk, used] of [...users].sort((a, b) => a[0] - b[0])) {
    const repack = used.length < MIN_SHARE * countOf(store.chunks[chunk])
    used.sort((a, b) => a.position - b.position)
    for (let i = 0; i < used.length; i++) {
      files.set(used[i].path, { ...used[i], chunk: chunks.length, position: repack ? i : used[i].position })
    }
    chunks.push(repack ? packedAnew(store.chunks[chunk], used) : store.chunks[chunk])
  }
  return { ...store, chunks, files: store.files.map((it) => files.get(it.path) ?? it) }
}

function packedAnew(chunk: Packed, used: readonly StoredFile[]): Packed {
  const reader = new Unpacker(chunk)
  return packFacts(used.map((it) => reader.facts(it.position)))
}

/** As one header and a few columns, to be kept beside a snapshot. */
export function storeColumns(store: FactsStore): { header: object; columns: Record<string, Int32Array | Uint8Array> } {
  const encoder = new TextEncoder()
  const texts = store.chunks.map((it) => encoder.encode(it.strings))
  const upgrades = upgradeColumns(store.upgrades)
  const columns = {
    ...upgrades.columns,
    ints: concatInts(store.chunks.map((it) => it.ints)),
    texts: concatBytes(texts),
  }
  const header = {
    version: store.version,
    takenAt: store.takenAt,
    upgrades: upgrades.rows,
    chunks: store.chunks.map((it, i) => [it.ints.length, texts[i].length]),
    files: store.files.map((it) => [
      it.path,
      it.size,
      it.mtimeMs,
      it.ctimeMs,
      it.hash,
      it.normalisedHash,
      it.kind,
      it.generated,
      it.chunk,
      it.position,
    ]),
  }
  return { header, columns }
}

const KINDS: readonly Outcome['kind'][] = ['text', 'bare', 'unchanged', 'binary', 'encoding', 'unreadable', 'failed']

/** Reads what `storeColumns` gave; null when it is anything else, as then all files are simply read again. */
export function storeFromColumns(
  header: unknown,
  columns: Readonly<Record<string, ArrayBufferView>>,
): FactsStore | null {
  const { ints, texts } = columns
  if (!(ints instanceof Int32Array) || !(texts instanceof Uint8Array) || !isRecord(header)) return null
  const { version, takenAt } = header
  if (
    typeof version !== 'string' ||
    typeof takenAt !== 'number' ||
    !Array.isArray(header.chunks) ||
    !Array.isArray(header.files)
  )
    return null
  const decoder = new TextDecoder()
  const chunks: Packed[] = []
  let intAt = 0
  let textAt = 0
  for (const lengths of header.chunks) {
    if (!Array.isArray(lengths)) return null
    const [nInts, nBytes] = lengths.map(Number)
    const strings = decoder.decode(texts.subarray(textAt, textAt + nBytes))
    chunks.push({ strings, ints: Int32Array.from(ints.subarray(intAt, intAt + nInts)) })
    intAt += nInts
    textAt += nBytes
  }
  if (intAt !== ints.length || textAt !== texts.length) return null
  const files: StoredFile[] = []
  for (const row of header.files) {
    const file = Array.isArray(row) ? fileFromRow(row) : null
    if (file === null || file.chunk >= chunks.length) return null
    files.push(file)
  }
  return { version, takenAt, files, chunks, upgrades: upgradesFromColumns(header.upgrades, columns) }
}

/** The files of a store, from its header alone; none when it is anything else. */
export function filesInHeader(header: unknown): StoredFile[] {
  if (!isRecord(header) || !Array.isArray(header.files)) return []
  return header.files.flatMap((row: unknown) => {
    const file = Array.isArray(row) ? fileFromRow(row) : null
    return file === null ? [] : [file]
  })
}

function fileFromRow(row: readonly unknown[]): StoredFile | null {
  const kind = KINDS.find((it) => it === row[6])
  if (kind === undefined) return null
  return {
    path: String(row[0]),
    size: Number(row[1]),
    mtimeMs: Number(row[2]),
    ctimeMs: Number(row[3]),
    hash: String(row[4]),
    normalisedHash: String(row[5]),
    kind,
    generated: row[7] === true,
    chunk: Number(row[8]),
    position: Number(row[9]),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function concatInts(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, it) => sum + it.length, 0))
  let at = 0
  for (const it of parts) {
    all.set(it, at)
    at += it.length
  }
  return all
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, it) => sum + it.length, 0))
  let at = 0
  for (const it of parts) {
    all.set(it, at)
    at += it.length
  }
  return all
}
