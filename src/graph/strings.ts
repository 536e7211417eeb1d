/**
 * Interned text: every distinct text once, as UTF-8 in one buffer, named by its handle `0 … count - 1` in
 * order of first appearance. All of it is typed arrays, so that a million texts load as three buffers.
 */

import { NONE } from '#graph/graph'

declare global {
  /** Node 20 has these methods, the library `es2023` does not list them. */
  interface String {
    isWellFormed(): boolean
    toWellFormed(): string
  }
}

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
const encoder = new TextEncoder()

class StringTable implements Strings {
  readonly count: number
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  readonly table: Uint32Array
  /** Texts read so far; at full length from the first use, since an array that grows by leaps is slow. */
  private readonly cache: (string | undefined)[] = []

  constructor(bytes: Uint8Array, offsets: Uint32Array, table: Uint32Array) {
    this.bytes = bytes
    this.offsets = offsets
    this.table = table
    this.count = offsets.length - 1
  }

  get(handle: number): string {
    if (this.cache.length === 0) this.cache.length = this.count
    const known = this.cache[handle]
    if (known !== undefined) return known
    if (!(handle >= 0 && handle < this.count)) throw new Error(`string ${handle} is not one of ${this.count}`)
    const text = decode(this.bytes, this.offsets[handle], this.offsets[handle + 1])
    this.cache[handle] = text
    return text
  }

  find(text: string): number {
    const bytes = encoder.encode(text)
    return this.findBytes(bytes, 0, bytes.length)
  }

  findBytes(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.table.length - 1
    for (let i = hashOf(bytes, start, end) & mask; ; i = (i + 1) & mask) {
      const handle = this.table[i]
      if (handle === NONE) return NONE
      if (same(this.bytes, this.offsets[handle], this.offsets[handle + 1], bytes, start, end)) return handle
    }
  }
}

/** Collects texts, gives out their handles, and is then turned into `Strings` once. */
export class StringsBuilder {
  private readonly handles = new Map<string, number>()
  private readonly texts: string[] = []

  /** The handle of a text, a new one at its first appearance. */
  intern(text: string): number {
    const known = this.handles.get(text)
    if (known !== undefined) return known
    // two texts that only differ in halves of surrogate pairs are one in UTF-8, so they must share a handle
    if (!text.isWellFormed()) return this.intern(text.toWellFormed())
    const handle = this.texts.push(text) - 1
    this.handles.set(text, handle)
    return handle
  }

  build(): Strings {
    return internAll(this.texts).strings
  }
}

/** Texts encoded together; one call per text would cost more than the texts. */
const TEXTS_PER_CALL = 1024

/**
 * All texts of a list as `Strings`, and the handle of each. Several times faster than interning one by one:
 * texts are compared as bytes, so nothing is kept per text but numbers.
 */
export function internAll(texts: readonly string[]): { strings: Strings; handles: Uint32Array } {
  const handles = new Uint32Array(texts.length)
  const hashes = new Uint32Array(texts.length)
  const offsets = new Uint32Array(texts.length + 1)
  const table = new Uint32Array(tableSize(texts.length)).fill(NONE)
  const mask = table.length - 1
  let bytes = new Uint8Array(1 << 16)
  let count = 0

  for (let begin = 0; begin < texts.length; begin += TEXTS_PER_CALL) {
    // half a surrogate pair must not be joined with the half that the next text begins with
    const some = texts.slice(begin, begin + TEXTS_PER_CALL)
    for (let i = 0; i < some.length; i++) if (!some[i].isWellFormed()) some[i] = some[i].toWellFormed()
    const joined = some.join('')
    const first = offsets[count]
    if (first + joined.length * 3 > bytes.length) bytes = grown(bytes, first + joined.length * 3)
    const { written } = encoder.encodeInto(joined, bytes.subarray(first))
    const plain = written === joined.length

    // keep the bytes of new texts, moved up over those of known ones
    let start = first
    for (let i = 0; i < some.length; i++) {
      const end = start + (plain ? some[i].length : utf8Length(some[i]))
      const hash = hashOf(bytes, start, end)
      let slot = hash & mask
      let handle = table[slot]
      while (handle !== NONE) {
        if (hashes[handle] === hash && same(bytes, offsets[handle], offsets[handle + 1], bytes, start, end)) break
        slot = (slot + 1) & mask
        handle = table[slot]
      }
      if (handle === NONE) {
        handle = count++
        table[slot] = handle
        hashes[handle] = hash
        const at = offsets[handle]
        if (at !== start) bytes.copyWithin(at, start, end)
        offsets[count] = at + end - start
      }
      handles[begin + i] = handle
      start = end
    }
  }
  const fitting = table.length === tableSize(count) ? table : tableOf(hashes.subarray(0, count))
  const strings = new StringTable(bytes.slice(0, offsets[count]), offsets.slice(0, count + 1), fitting)
  return { strings, handles }
}

const knownHashes = new WeakMap<Strings, Uint32Array>()

function hashesOf(strings: Strings): Uint32Array {
  let hashes = knownHashes.get(strings)
  if (hashes === undefined) {
    const { bytes, offsets, count } = strings
    hashes = new Uint32Array(count)
    for (let h = 0; h < count; h++) hashes[h] = hashOf(bytes, offsets[h], offsets[h + 1])
    knownHashes.set(strings, hashes)
  }
  return hashes
}

/** Says that two tables hold the same texts, so that what is known of one need not be worked out for the other. */
export function shareHashes(from: Strings, to: Strings): void {
  const hashes = knownHashes.get(from)
  if (hashes !== undefined) knownHashes.set(to, hashes)
}

/**
 * Strings made of old ones and of texts that follow them, whose handles begin at `old.count`. `visit` calls `take`
 * for every place of a column that holds a handle (or NONE); strings are numbered anew in the order in which they are
 * met, and the new numbers take the place of the old ones. What no column holds is left out. Gives the old strings
 * themselves when they are all there is.
 */
export function renumberStrings(
  old: Strings,
  texts: readonly string[],
  visit: (take: (column: Uint32Array, i: number) => void) => void,
): Strings {
  const added = internAll(texts)
  // one handle for every text: that of the old strings where they have it
  const source = new Uint32Array(added.strings.count)
  const { bytes: newBytes, offsets: newOffsets } = added.strings
  for (let h = 0; h < source.length; h++) {
    const known = old.findBytes(newBytes, newOffsets[h], newOffsets[h + 1])
    source[h] = known === NONE ? old.count + h : known
  }
  const numbers = new Uint32Array(old.count + added.strings.count).fill(NONE)
  const order = new Uint32Array(numbers.length)
  let count = 0
  visit((column, i) => {
    let handle = column[i]
    if (handle === NONE) return
    if (handle >= old.count) handle = source[added.handles[handle - old.count]]
    let number = numbers[handle]
    if (number === NONE) {
      number = count
      numbers[handle] = number
      order[count++] = handle
    }
    column[i] = number
  })

  if (count === old.count && isCounting(order, count)) return old
  const oldHashes = hashesOf(old)
  const addedHashes = hashesOf(added.strings)
  const offsets = new Uint32Array(count + 1)
  const hashes = new Uint32Array(count)
  for (let h = 0; h < count; h++) {
    const handle = order[h]
    const isOld = handle < old.count
    const from = isOld ? old.offsets : newOffsets
    const at = isOld ? handle : handle - old.count
    offsets[h + 1] = offsets[h] + from[at + 1] - from[at]
    hashes[h] = isOld ? oldHashes[at] : addedHashes[at]
  }
  const bytes = new Uint8Array(offsets[count])
  for (let h = 0; h < count; ) {
    // stretches that stay together are copied at once
    const handle = order[h]
    let end = h + 1
    while (end < count && order[end] === handle + end - h && order[end] < old.count === handle < old.count) end++
    if (handle < old.count)
      bytes.set(old.bytes.subarray(old.offsets[handle], old.offsets[handle + end - h]), offsets[h])
    else {
      const at = handle - old.count
      bytes.set(newBytes.subarray(newOffsets[at], newOffsets[at + end - h]), offsets[h])
    }
    h = end
  }
  const strings = new StringTable(bytes, offsets, tableOf(hashes))
  knownHashes.set(strings, hashes)
  return strings
}

/** Whether the first numbers are 0, 1, 2 and so on. */
function isCounting(numbers: Uint32Array, count: number): boolean {
  for (let i = 0; i < count; i++) if (numbers[i] !== i) return false
  return true
}

function grown(bytes: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2))
  larger.set(bytes)
  return larger
}

function tableSize(count: number): number {
  let size = 2
  while (size < count * 2) size *= 2
  return size
}

function tableOf(hashes: Uint32Array): Uint32Array {
  const table = new Uint32Array(tableSize(hashes.length)).fill(NONE)
  const mask = table.length - 1
  for (let handle = 0; handle < hashes.length; handle++) {
    let slot = hashes[handle] & mask
    while (table[slot] !== NONE) slot = (slot + 1) & mask
    table[slot] = handle
  }
  return table
}

function utf8Length(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // either half of a surrogate pair stands for two of its four bytes
    if (code >= 0x80) length += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
  }
  return length
}

/** Hash of `bytes[start … end - 1]`, four bytes at a time; its low bits index the table. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start
  let i = start
  for (; i + 3 < end; i += 4) {
    const word = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
    hash = Math.imul(hash ^ word ^ (hash >>> 15), 0x85ebca6b)
  }
  for (; i < end; i++) hash = Math.imul(hash ^ bytes[i] ^ (hash >>> 15), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return (hash ^ (hash >>> 13)) >>> 0
}

function same(a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): boolean {
  if (aEnd - aStart !== bEnd - bStart) return false
  for (let i = aStart, j = bStart; i < aEnd; i++, j++) if (a[i] !== b[j]) return false
  return true
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
