/** The search terms of one file, per definition and field, gathered in one pass over its text. */

import { isWordUnit, joinHyphenated, RESERVED_WORDS, termsOf } from '#graph/terms'
import type { Definition, Words } from '#ingest/facts'
import { COMMENT, FIELDS } from '#ingest/facts'

const PATH = FIELDS.indexOf('path')
const NAME = FIELDS.indexOf('name')
const SIGNATURE = FIELDS.indexOf('signature')
const DOC = FIELDS.indexOf('doc')
const BODY = FIELDS.indexOf('body')
const LITERAL = FIELDS.indexOf('literal')

/** More distinct terms than this in one file are data, not code; further ones are left out. */
const TERMS_PER_FILE = 20_000
/** Longer runs of letters are encoded data, in scripts without spaces too. */
const LONGEST_RUN = 1024
/** Bound of the memory kept between files. */
const REMEMBERED_WORDS = 200_000

type WordDefinition = Pick<Definition, 'name' | 'line' | 'endLine' | 'nameLine'>

/**
 * Reads `text` once and counts its terms: for the innermost definition around them, or for the file, and by
 * field. `ranges` holds comments and strings as triples of start, end (UTF-16 offsets) and kind, in order and
 * without overlap; text outside of them is code. A comment that ends right above a definition belongs to it.
 */
export function collectWords(
  path: string,
  text: string,
  definitions: readonly WordDefinition[],
  ranges: Int32Array = new Int32Array(0),
): Words {
  const counter = new Counter()
  countPath(counter, path)
  if (isData(path, text.length)) return counter.finish()
  for (let i = 0; i < definitions.length; i++) counter.addText(definitions[i].name, i, NAME)

  const lineStarts = findLineStarts(text)
  const owners = ownersOfLines(definitions, lineStarts.length)
  const documented = ownersOfComments(definitions, owners, ranges, lineStarts)
  const isSignature = new Uint8Array(lineStarts.length + 1)
  for (const { line, nameLine } of definitions) {
    for (let at = line; at <= nameLine && at < isSignature.length; at++) isSignature[at] = 1
  }

  let position = 0
  let line = 1
  /** Counts `text[position, end)`, changing owner from line to line unless one is given. */
  const countTo = (end: number, field: number, owner: number | null) => {
    while (position < end) {
      while (line < lineStarts.length && lineStarts[line] <= position) line++
      const stop = line < lineStarts.length ? Math.min(end, lineStarts[line]) : end
      const here = field === BODY && isSignature[line] === 1 ? SIGNATURE : field
      counter.addSpan(text, position, stop, owner ?? owners[line], here)
      position = stop
    }
  }
  for (let i = 0; i + 2 < ranges.length; i += 3) {
    const end = Math.min(ranges[i + 1], text.length)
    countTo(Math.min(ranges[i], text.length), BODY, null)
    if (ranges[i + 2] === COMMENT) countTo(end, DOC, documented.get(i) ?? null)
    else countTo(end, LITERAL, null)
  }
  countTo(text.length, BODY, null)
  return counter.finish()
}

const DATA = /\.(?:po|pot|csv|tsv|svg|geojson|ndjson|jsonl|snap|ipynb|har|map|dat|data|out|log|diff|patch|lock)$/i
const DOCUMENT_DATA = /\.(?:json|xml|ya?ml|html?|txt|sql)$/i
/** Settings and templates are smaller than this, dumps and fixtures larger. */
const LARGEST_DOCUMENT = 64 * 1024

/** Translations, tables, recorded output: their words say nothing about the code, and there are many. */
function isData(path: string, length: number): boolean {
  return DATA.test(path) || (length > LARGEST_DOCUMENT && DOCUMENT_DATA.test(path))
}

/** Directories and file name without its extension; the name counts twice, since it says most. */
function countPath(counter: Counter, path: string): void {
  const slash = path.lastIndexOf('/')
  const dot = path.indexOf('.', slash + 2)
  const stemmed = dot === -1 ? path : path.slice(0, dot)
  counter.addText(stemmed, -1, PATH)
  counter.addText(stemmed.slice(slash + 1), -1, PATH)
  // names of several words count as one word too
  for (const segment of stemmed.split('/'))
    if (segment.includes('-')) counter.addText(joinHyphenated(segment), -1, PATH)
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Index by 1-based line: the innermost definition, -1 outside. A parent precedes its children. */
function ownersOfLines(definitions: readonly WordDefinition[], nLines: number): Int32Array {
  const owners = new Int32Array(nLines + 1).fill(-1)
  for (let i = 0; i < definitions.length; i++) {
    owners.fill(i, Math.max(0, definitions[i].line), Math.min(nLines, definitions[i].endLine) + 1)
  }
  return owners
}

/** For comments directly above a definition, by position in `ranges`: that definition. */
function ownersOfComments(
  definitions: readonly WordDefinition[],
  owners: Int32Array,
  ranges: Int32Array,
  lineStarts: number[],
): Map<number, number> {
  const startsAt = new Map<number, number>()
  for (let i = definitions.length - 1; i >= 0; i--) startsAt.set(definitions[i].line, i)

  const found = new Map<number, number>()
  let line = lineStarts.length
  const lineOf = (offset: number) => {
    while (line > 1 && lineStarts[line - 1] > offset) line--
    return line
  }
  for (let i = ranges.length - 3; i >= 0; i -= 3) {
    if (ranges[i + 2] !== COMMENT) continue
    const last = lineOf(Math.max(ranges[i], ranges[i + 1] - 1))
    const first = lineOf(ranges[i])
    const owner = startsAt.get(last + 1)
    if (owner === undefined || owners[first] === owner) continue
    found.set(i, owner)
    startsAt.set(first, owner)
  }
  return found
}

/**
 * A word as this thread has met it. Its terms are numbered across files; their numbers within a file are worked
 * out once per file, and hold while `file` is the file being read.
 */
interface Known {
  terms: readonly number[]
  reserved: boolean
  file: number
  /** Indices into the terms of the file. */
  local: number[]
}

const remembered = new Map<string, Known>()
const allTerms: string[] = []
const termNumbers = new Map<string, number>()
let file = 0
/** By number of a term: the file that met it last, and its index there. */
let metIn = new Uint32Array(1024)
let indexThere = new Uint32Array(1024)

function remember(word: string): Known {
  const terms = termsOf(word).map((term) => {
    const known = termNumbers.get(term)
    if (known !== undefined) return known
    const number = allTerms.length
    allTerms.push(term)
    termNumbers.set(term, number)
    if (number === metIn.length) {
      metIn = grown(metIn, new Uint32Array(number * 2))
      indexThere = grown(indexThere, new Uint32Array(number * 2))
    }
    return number
  })
  const known = { terms, reserved: RESERVED_WORDS.has(word.toLowerCase()), file: 0, local: [] }
  // a copy, since a part of a text keeps all of it in memory
  remembered.set(Buffer.from(word).toString(), known)
  return known
}

/** Counts by (owner, field, term) in an open-addressing table. */
class Counter {
  readonly #terms: string[] = []
  #mask = 1023
  /** Position in the columns below plus one, 0 = free. */
  #table = new Int32Array(1024)
  #size = 0
  #slots = new Int32Array(512)
  #postingTerms = new Uint32Array(512)
  #counts = new Uint16Array(512)

  constructor() {
    file++
    if (remembered.size < REMEMBERED_WORDS && file < 0xffff_ffff) return
    remembered.clear()
    termNumbers.clear()
    allTerms.length = 0
    metIn.fill(0)
    file = 1
  }

  addText(text: string, owner: number, field: number): void {
    this.addSpan(text, 0, text.length, owner, field)
  }

  addSpan(text: string, start: number, end: number, owner: number, field: number): void {
    const slot = (owner + 1) * FIELDS.length + field
    const isCode = field === BODY || field === SIGNATURE
    let i = start
    while (i < end) {
      while (i < end && !isWordUnit(text.charCodeAt(i))) i++
      const from = i
      while (i < end && isWordUnit(text.charCodeAt(i))) i++
      const length = i - from
      if (length > LONGEST_RUN || length === 0 || (length === 1 && text.charCodeAt(from) < 128)) continue
      const known = this.#lookUp(text.slice(from, i))
      if (isCode && known.reserved) continue
      for (const term of known.local) this.#count(slot, term)
    }
  }

  finish(): Words {
    const { length } = FIELDS
    const size = this.#size
    const owner = new Int32Array(size)
    const field = new Uint8Array(size)
    for (let i = 0; i < size; i++) {
      owner[i] = Math.floor(this.#slots[i] / length) - 1
      field[i] = this.#slots[i] % length
    }
    return {
      terms: this.#terms,
      owner,
      term: this.#postingTerms.slice(0, size),
      field,
      count: this.#counts.slice(0, size),
    }
  }

  #lookUp(word: string): Known {
    const known = remembered.get(word) ?? remember(word)
    if (known.file === file) return known
    known.file = file
    known.local = []
    for (const term of known.terms) {
      if (metIn[term] !== file) {
        if (this.#terms.length >= TERMS_PER_FILE) continue
        metIn[term] = file
        indexThere[term] = this.#terms.length
        this.#terms.push(allTerms[term])
      }
      known.local.push(indexThere[term])
    }
    return known
  }

  #count(slot: number, term: number): void {
    let at = hashPair(slot, term) & this.#mask
    for (;;) {
      const found = this.#table[at] - 1
      if (found === -1) break
      if (this.#slots[found] === slot && this.#postingTerms[found] === term) {
        if (this.#counts[found] < 0xffff) this.#counts[found]++
        return
      }
      at = (at + 1) & this.#mask
    }
    const added = this.#size++
    this.#slots[added] = slot
    this.#postingTerms[added] = term
    this.#counts[added] = 1
    this.#table[at] = added + 1
    if (this.#size * 2 > this.#mask) this.#grow()
  }

  #grow(): void {
    const capacity = (this.#mask + 1) * 2
    this.#mask = capacity - 1
    this.#table = new Int32Array(capacity)
    this.#slots = grown(this.#slots, new Int32Array(capacity / 2))
    this.#postingTerms = grown(this.#postingTerms, new Uint32Array(capacity / 2))
    this.#counts = grown(this.#counts, new Uint16Array(capacity / 2))
    for (let i = 0; i < this.#size; i++) {
      let at = hashPair(this.#slots[i], this.#postingTerms[i]) & this.#mask
      while (this.#table[at] !== 0) at = (at + 1) & this.#mask
      this.#table[at] = i + 1
    }
  }
}

function hashPair(slot: number, term: number): number {
  const mixed = Math.imul(slot, 0x9e3779b1) ^ Math.imul(term, 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}

function grown<T extends Int32Array | Uint32Array | Uint16Array>(from: T, to: T): T {
  to.set(from)
  return to
}
