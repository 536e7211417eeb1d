/**
 * Interned text: every distinct text once, as UTF-8 in one buffer, named by its handle `0 … count - 1` in
 * order of first appearance. All of it is typed arrays, so that a million texts load as three buffers.
 */

import { NONE } from '#graph/graph'
import { fnv1aBytes } from '#std/hash'

export interface Strings {
  readonly count: number
  /** The text of a handle. */
  get(handle: number): string
  /** The handle of a text, NONE when it is not there. */
  find(text: string): number
  /** The handle of a text given as UTF-8 in `bytes[start … end - 1]`, NONE when it is not there. */
  findBytes(bytes: Uint8Array, start: number, end: number): number
  /** UTF-8 of all texts, one after the other. */
  readonly bytes: Uint8Array
  /** length count + 1; the text of `h` is `bytes[offsets[h] … offsets[h + 1] - 1]`. */
  readonly offsets: Uint32Array
  /** Handles by hash with linear probing, NONE where free; its length is a power of two. */
  readonly table: Uint32Array
}

/** Strings over given arrays, which are used as they are. */
export function stringsFrom(bytes: Uint8Array, offsets: Uint32Array, table: Uint32Array): Strings {
  return new StringTable(bytes, offsets, table)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** Where UTF-8 cannot say a text (a lone surrogate), U+FFFD takes its place. */
const REPLACEMENT = 0xfffd

class StringTable implements Strings {
  readonly count: number
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  readonly table: Uint32Array
  /** Texts read so far; made at the first use, at full length, since a sparse array would be slow. */
  private cache: (string | undefined)[] | null = null

  constructor(bytes: Uint8Array, offsets: Uint32Array, table: Uint32Array) {
    this.bytes = bytes
    this.offsets = offsets
    this.table = table
    this.count = offsets.length - 1
  }

  get(handle: number): string {
    this.cache ??= new Array<string | undefined>(this.count)
    const known = this.cache[handle]
    if (known !== undefined) return known
    if (!(handle >= 0 && handle < this.count)) throw new Error(`string ${handle} is not one of ${this.count}`)
    const text = decode(this.bytes, this.offsets[handle], this.offsets[handle + 1])
    this.cache[handle] = text
    return text
  }

  find(text: string): number {
    const scratch = new Uint8Array(text.length * 3)
    return this.findBytes(scratch, 0, write(text, scratch, 0))
  }

  findBytes(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.table.length - 1
    for (let i = spread(fnv1aBytes(bytes, start, end)) & mask; ; i = (i + 1) & mask) {
      const handle = this.table[i]
      if (handle === NONE) return NONE
      if (same(this.bytes, this.offsets[handle], this.offsets[handle + 1], bytes, start, end)) return handle
    }
  }
}

/** Collects texts, gives out their handles, and is then turned into `Strings` once. */
export class StringsBuilder {
  private bytes = new Uint8Array(1 << 16)
  private offsets = new Uint32Array(1 << 10)
  private table = new Uint32Array(1 << 11).fill(NONE)
  private hashes = new Uint32Array(1 << 10)
  private count = 0
  private last = ''
  private lastHandle = NONE

  /** The handle of a text, a new one at its first appearance. */
  intern(text: string): number {
    // columns often repeat the text of the row before
    if (this.lastHandle !== NONE && text === this.last) return this.lastHandle
    const start = this.offsets[this.count]
    if (start + text.length * 3 > this.bytes.length) this.growBytes(start + text.length * 3)
    const end = write(text, this.bytes, start)
    const hash = spread(fnv1aBytes(this.bytes, start, end))
    const handle = this.place(hash, start, end)
    this.last = text
    this.lastHandle = handle
    return handle
  }

  build(): Strings {
    return new StringTable(
      this.bytes.slice(0, this.offsets[this.count]),
      this.offsets.slice(0, this.count + 1),
      this.table.slice(),
    )
  }

  private place(hash: number, start: number, end: number): number {
    const mask = this.table.length - 1
    let i = hash & mask
    for (; ; i = (i + 1) & mask) {
      const handle = this.table[i]
      if (handle === NONE) break
      if (this.hashes[handle] === hash && same(this.bytes, this.offsets[handle], this.offsets[handle + 1], this.bytes, start, end)) return handle
    }
    const handle = this.count++
    if (this.count === this.offsets.length) this.growTexts()
    this.hashes[handle] = hash
    this.offsets[this.count] = end
    this.table[i] = handle
    if (this.count * 2 > this.table.length) this.rehash()
    return handle
  }

  private growBytes(needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    bytes.set(this.bytes)
    this.bytes = bytes
  }

  private growTexts(): void {
    const offsets = new Uint32Array(this.offsets.length * 2)
    offsets.set(this.offsets)
    this.offsets = offsets
    const hashes = new Uint32Array(offsets.length)
    hashes.set(this.hashes)
    this.hashes = hashes
  }

  private rehash(): void {
    const table = new Uint32Array(this.table.length * 2).fill(NONE)
    const mask = table.length - 1
    for (let handle = 0; handle < this.count; handle++) {
      let i = this.hashes[handle] & mask
      while (table[i] !== NONE) i = (i + 1) & mask
      table[i] = handle
    }
    this.table = table
  }
}

/** Mixes high bits into the low ones that index the table. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

function same(a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): boolean {
  if (aEnd - aStart !== bEnd - bStart) return false
  for (let i = aStart, j = bStart; i < aEnd; i++, j++) if (a[i] !== b[j]) return false
  return true
}

/** Writes a text as UTF-8 at `at` and returns the position behind it. */
function write(text: string, bytes: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i)
    if (code < 0x80) {
      bytes[at++] = code
      continue
    }
    if (code >= 0xd800 && code < 0xe000) {
      const low = i + 1 < text.length ? text.charCodeAt(i + 1) : 0
      if (code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
        i++
      } else code = REPLACEMENT
    }
    if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6)
    else {
      if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12)
      else {
        bytes[at++] = 0xf0 | (code >> 18)
        bytes[at++] = 0x80 | ((code >> 12) & 0x3f)
      }
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f)
    }
    bytes[at++] = 0x80 | (code & 0x3f)
  }
  return at
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  // for short plain texts a call of the decoder costs more than the text
  if (end - start <= 256) {
    let i = start
    while (i < end && bytes[i] < 0x80) i++
    if (i === end) return Reflect.apply(String.fromCharCode, null, bytes.subarray(start, end))
  }
  return decoder.decode(bytes.subarray(start, end))
}
