/** Growing lists from which the lexical index is made, and its vocabulary. */

import type { Postings } from '#graph/lexical'

const encoder = new TextEncoder()

/** Sums by small slot numbers, given out in ascending order and cleared. */
export class Frequencies {
  readonly #values: Float64Array
  readonly #touched: number[] = []

  constructor(size: number) {
    this.#values = new Float64Array(size)
  }

  add(slot: number, value: number): void {
    if (this.#values[slot] === 0) this.#touched.push(slot)
    this.#values[slot] += value
  }

  drain(visit: (slot: number, value: number) => void): void {
    const touched = this.#touched
    if (touched.length > 1) touched.sort((a, b) => a - b)
    for (const slot of touched) {
      visit(slot, this.#values[slot])
      this.#values[slot] = 0
    }
    touched.length = 0
  }
}

/** Postings in the order in which they are found, documents ascending. */
export class Records {
  #terms = new Uint32Array(4096)
  #docs = new Uint32Array(4096)
  #impacts = new Uint16Array(4096)
  #size = 0

  add(term: number, doc: number, value: number): void {
    if (this.#size === this.#terms.length) this.#grow()
    this.#terms[this.#size] = term
    this.#docs[this.#size] = doc
    this.#impacts[this.#size] = value
    this.#size++
  }

  /** Grouped by term; `rank` gives the final number of each term. */
  toPostings(rank: Uint32Array): Postings {
    const offsets = new Uint32Array(rank.length + 1)
    for (let i = 0; i < this.#size; i++) offsets[rank[this.#terms[i]] + 1]++
    for (let t = 0; t < rank.length; t++) offsets[t + 1] += offsets[t]
    const next = offsets.slice(0, rank.length)
    const docs = new Uint32Array(this.#size)
    const impacts = new Uint16Array(this.#size)
    for (let i = 0; i < this.#size; i++) {
      const at = next[rank[this.#terms[i]]]++
      docs[at] = this.#docs[i]
      impacts[at] = this.#impacts[i]
    }
    return { offsets, docs, impacts }
  }

  #grow(): void {
    const size = this.#terms.length * 2
    const terms = new Uint32Array(size)
    terms.set(this.#terms)
    this.#terms = terms
    const docs = new Uint32Array(size)
    docs.set(this.#docs)
    this.#docs = docs
    const impacts = new Uint16Array(size)
    impacts.set(this.#impacts)
    this.#impacts = impacts
  }
}

export class Vocabulary {
  readonly #ids = new Map<string, number>()

  /** The number of a term, a new one at its first appearance. */
  add(term: string): number {
    const known = this.#ids.get(term)
    if (known !== undefined) return known
    const id = this.#ids.size
    this.#ids.set(term, id)
    return id
  }

  /** Terms in byte order; `rank[number]` is the place of a term in it. */
  sort(): { termBytes: Uint8Array; termOffsets: Uint32Array; rank: Uint32Array } {
    const terms = [...this.#ids.keys()].sort(compareText)
    const rank = new Uint32Array(terms.length)
    const termOffsets = new Uint32Array(terms.length + 1)
    const termBytes = encoder.encode(terms.join(''))
    for (let i = 0; i < terms.length; i++) {
      rank[this.#ids.get(terms[i]) ?? 0] = i
      termOffsets[i + 1] = termOffsets[i] + utf8Length(terms[i])
    }
    return { termBytes, termOffsets, rank }
  }
}

function utf8Length(term: string): number {
  let length = 0
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i)
    length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }
  return length
}

/** Order of UTF-16 units; terms hold no surrogates, so it is the order of UTF-8 bytes too. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
