/** From the bytes of a file to its text, or to the reason why there is none to read. */

import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** How much of a file is searched for NUL bytes. */
const BINARY_WINDOW = 8192
/** A text read as Latin-1 may hold this share of control characters. */
const MAX_CONTROL_SHARE = 0.01
/** Generated files say so in their first lines. */
const HEADER_CHARACTERS = 2000

const BINARY_EXTENSIONS = new Set(
  (
    'png jpg jpeg gif bmp ico icns webp avif tif tiff psd heic xcf ' +
    'zip gz tgz bz2 xz zst 7z rar tar jar war ear whl egg deb rpm dmg iso apk cab lz4 br ' +
    'ttf otf woff woff2 eot mp3 mp4 m4a m4v wav ogg oga ogv flac aac avi mov mkv webm wmv ' +
    'o a so dylib dll exe obj lib class pyc pyo pyd wasm beam node bin dat db sqlite sqlite3 mdb ' +
    'pdf doc docx xls xlsx ppt pptx odt ods odp parquet arrow feather avro npy npz pkl pickle h5 hdf5 onnx pt pth ' +
    'safetensors gguf tflite pb mo gmo jks keystore p12 pfx der crt cer swf blend fbx glb keras rds rdata'
  ).split(' '),
)
const DOCUMENT_EXTENSIONS = new Set('md markdown mdx txt text rst adoc asciidoc html htm org tex'.split(' '))
const LOCK_NAMES = new Set([
  'npm-shrinkwrap.json',
  'packages.lock.json',
  'bun.lockb',
  'package.resolved',
  'gopkg.lock',
  'deno.lock',
  'flake.lock',
])

export interface TextLimits {
  /** Largest source file, in bytes. */
  maxCodeBytes: number
  maxDocumentBytes: number
  /** A file with a longer line was not written by hand. */
  maxLineBytes: number
}

export const TEXT_LIMITS: TextLimits = {
  maxCodeBytes: 1024 * 1024,
  maxDocumentBytes: 10 * 1024 * 1024,
  maxLineBytes: 20_000,
}

export type Source =
  /** Text to extract facts from. */
  | { kind: 'text'; text: string; hash: string; normalisedHash: string; tags: string[]; lossy: boolean }
  /** Kept as a file without content. */
  | { kind: 'bare'; hash: string; normalisedHash: string; tag: 'oversize' | 'minified' | 'generated' | 'absent' }
  | { kind: 'skipped'; reason: 'binary' | 'encoding'; hash: string }
  | { kind: 'failed'; message: string }

/** Extensions that never hold text; such files need not be opened. */
export function isBinaryName(path: string): boolean {
  return BINARY_EXTENSIONS.has(extensionOf(path))
}

export function isDocument(path: string): boolean {
  return DOCUMENT_EXTENSIONS.has(extensionOf(path))
}

/**
 * Reads a file that the walk found. Never follows a link put in its place since, never waits for a pipe, and
 * reads no more than the limits allow; what changes meanwhile is read as it is then.
 */
export function readSource(file: string, path: string, limits: TextLimits): Source {
  const maxBytes = isDocument(path) ? limits.maxDocumentBytes : limits.maxCodeBytes
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return { kind: 'failed', message: `The file cannot be opened (${codeOf(error)}).` }
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return { kind: 'failed', message: 'The file is no longer a regular file.' }
    if (stats.size > maxBytes) {
      const head = readBytes(descriptor, BINARY_WINDOW)
      return looksBinary(head)
        ? { kind: 'skipped', reason: 'binary', hash: '' }
        : { kind: 'bare', hash: '', normalisedHash: '', tag: 'oversize' }
    }
    return readText(readBytes(descriptor, stats.size), path, limits)
  } catch (error) {
    return { kind: 'failed', message: `The file cannot be read (${codeOf(error)}).` }
  } finally {
    closeSync(descriptor)
  }
}

function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const count = readSync(descriptor, bytes, filled, size - filled, filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

/** What the content of a file amounts to; pure. */
export function readText(bytes: Buffer, path: string, limits: TextLimits): Source {
  const hash = blobHash(bytes)
  if (isPointer(bytes)) return { kind: 'bare', hash, normalisedHash: '', tag: 'absent' }
  const decoded = decode(bytes)
  if (decoded === null) return { kind: 'skipped', reason: looksBinary(bytes) ? 'binary' : 'encoding', hash }
  const { text, lossy } = decoded
  const normalisedHash = text.includes('\r\n')
    ? blobHash(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'))
    : ''
  if (isLockFile(path)) return { kind: 'bare', hash, normalisedHash, tag: 'generated' }
  if (isMinifiedName(path) || hasLongLine(bytes, limits.maxLineBytes))
    return { kind: 'bare', hash, normalisedHash, tag: 'minified' }
  return { kind: 'text', text, hash, normalisedHash, tags: saysGenerated(text) ? ['generated'] : [], lossy }
}

const POINTER = 'version https://git-lfs.github.com/spec/'
const MOST_POINTER_BYTES = 1024

/** What stands in a checkout for a file that was not fetched from a store of large files. */
function isPointer(bytes: Buffer): boolean {
  return bytes.length <= MOST_POINTER_BYTES && bytes.toString('latin1', 0, POINTER.length) === POINTER
}

/** The name that git gives this content, so that a file can be compared with git's index. */
export function blobHash(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** `lossy` means that the bytes were no valid text in a known encoding and were read as Latin-1. */
export function decode(bytes: Buffer): { text: string; lossy: boolean } | null {
  if (startsWith(bytes, [0xff, 0xfe, 0, 0])) return strict(decodeUtf32(bytes.subarray(4), true))
  if (startsWith(bytes, [0, 0, 0xfe, 0xff])) return strict(decodeUtf32(bytes.subarray(4), false))
  if (startsWith(bytes, [0xff, 0xfe])) return strict(decodeAs('utf-16le', bytes))
  if (startsWith(bytes, [0xfe, 0xff])) return strict(decodeAs('utf-16be', bytes))
  if (looksBinary(bytes)) return null
  const text = decodeAs('utf-8', bytes)
  if (text !== null) return { text, lossy: false }
  const latin = bytes.toString('latin1')
  return controlShare(latin) < MAX_CONTROL_SHARE ? { text: latin, lossy: true } : null
}

function strict(text: string | null): { text: string; lossy: boolean } | null {
  return text === null ? null : { text, lossy: false }
}

/** Strict: null when the bytes do not fit. A byte-order mark is dropped. */
function decodeAs(encoding: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    // the only failure of a fatal decoder is a sequence that does not fit
    return null
  }
}

function decodeUtf32(bytes: Buffer, littleEndian: boolean): string | null {
  if (bytes.length % 4 !== 0) return null
  const parts: string[] = []
  for (let i = 0; i < bytes.length; i += 4) {
    const point = littleEndian ? bytes.readUInt32LE(i) : bytes.readUInt32BE(i)
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return null
    parts.push(String.fromCodePoint(point))
  }
  return parts.join('')
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((it, i) => bytes[i] === it)
}

export function looksBinary(bytes: Buffer): boolean {
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]) || startsWith(bytes, [0, 0, 0xfe, 0xff]))
    return false
  const at = bytes.indexOf(0)
  return at !== -1 && at < BINARY_WINDOW
}

function controlShare(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if ((c < 32 && (c < 9 || c > 13)) || c === 127) count++
  }
  return count / Math.max(1, text.length)
}

/** Looks for a line of more than `limit` bytes. */
export function hasLongLine(bytes: Buffer, limit: number): boolean {
  let start = 0
  while (bytes.length - start > limit) {
    // a short line ends within the limit; the search backwards skips all lines but the last one in reach
    const end = Math.max(bytes.lastIndexOf(10, start + limit), bytes.lastIndexOf(13, start + limit))
    if (end < start) return true
    start = end + 1
  }
  return false
}

/** Such a file is expected to be unreadable. */
export function isMinifiedName(path: string): boolean {
  return /\.min\.[^./]+$/i.test(path)
}

function isLockFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return LOCK_NAMES.has(name) || name.endsWith('.lock') || name.endsWith('.lock.hcl')
}

function saysGenerated(text: string): boolean {
  return /@generated\b|\bDO NOT EDIT\b/.test(text.slice(0, HEADER_CHARACTERS))
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase()
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
