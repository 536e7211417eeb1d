/**
 * What the surroundings of a function expression or an object literal say of its type: an argument has the type of
 * the parameter that it fills, a value that of the variable that it is for, a property that of the member of its
 * object. Kept as expression paths by where the expression starts: `app.get{1}` is the second parameter of `app.get`.
 */

import type { Match, Part } from '#ingest/parse'
import type { FactsBuilder, Source } from '#ingest/source'

/** Objects within objects that are followed. */
const DEEPEST = 8
const KEY = /(?:async\s+)?(?:[gs]et\s+(?=[\p{L}_$"']))?\*?\s*(["']?)([\p{L}_$][\p{L}\p{N}_$]*)\1\s*([:(])/uy

export class Contexts {
  readonly #text: string
  readonly #quiet: readonly number[]
  /** Function expressions by where they start. */
  readonly #functions: ReadonlyMap<number, Match>
  /** Where function expressions and methods start, ascending. */
  readonly #starts: readonly number[]
  readonly #paths = new Map<number, string>()

  constructor(source: Source, facts: FactsBuilder, functions: ReadonlyMap<number, Match>, starts: readonly number[]) {
    this.#text = source.text
    this.#quiet = facts.quiet
    this.#functions = functions
    this.#starts = starts
  }

  /** Path of the type that is expected of the function or method that starts at `start`, '' when nothing is. */
  at(start: number): string {
    return this.#paths.get(start) ?? ''
  }

  set(start: number, path: string): void {
    this.#paths.set(start, path)
  }

  /** Says what the arguments of a call are expected to be. */
  expectArguments({ start, end }: Part, callee: string): void {
    if (callee === '' || callee === '?' || !this.#holdsFunction(start, end) || this.#text[start] !== '(') return
    this.#eachOf(start + 1, end, (at, index) => this.#value(at, end, `${callee}{${index}}`, 0))
  }

  /** Says what a value is expected to be. */
  expectValue({ start, end }: { start: number; end: number }, path: string): void {
    if (path !== '' && this.#holdsFunction(start, end)) this.#value(start, end, path, 0)
  }

  /** Where what was understood of the value ends. */
  #value(start: number, end: number, path: string, depth: number): number {
    const fn = this.#functions.get(start)
    if (fn !== undefined) {
      this.#paths.set(start, path)
      return fn.end
    }
    const c = this.#text[start]
    if (depth >= DEEPEST || (c !== '{' && c !== '[')) return start
    if (c === '[') return this.#eachOf(start + 1, end, (at) => this.#value(at, end, `${path}[]`, depth + 1))
    return this.#eachOf(start + 1, end, (at) => {
      KEY.lastIndex = at
      const key = KEY.exec(this.#text)
      if (key === null) return at
      const member = `${path}.${key[2]}`
      if (key[3] === '(') {
        this.#paths.set(at, member)
        return KEY.lastIndex - 1
      }
      return this.#value(this.#skipBlank(KEY.lastIndex, end), end, member, depth + 1)
    })
  }

  /** Calls `visit` for each item of a list between commas; returns the position behind its closing bracket. */
  #eachOf(from: number, end: number, visit: (at: number, index: number) => number): number {
    let at = this.#skipBlank(from, end)
    for (let index = 0; at < end && !isClosing(this.#text.charCodeAt(at)); index++) {
      at = this.#itemEnd(visit(at, index), end)
      if (this.#text[at] !== ',') break
      at = this.#skipBlank(at + 1, end)
    }
    return at + 1
  }

  /** The comma or bracket that ends an item. */
  #itemEnd(from: number, end: number): number {
    const text = this.#text
    let quiet = this.#firstQuiet(from)
    let depth = 0
    for (let i = from; i < end; i++) {
      while (quiet < this.#quiet.length && this.#quiet[quiet + 1] <= i) quiet += 3
      if (quiet < this.#quiet.length && this.#quiet[quiet] <= i) {
        i = this.#quiet[quiet + 1] - 1
        continue
      }
      const c = text.charCodeAt(i)
      const fn = c === 40 || c === 97 || c === 102 ? this.#functions.get(i) : undefined
      if (fn !== undefined) i = fn.end - 1
      else if (c === 40 || c === 91 || c === 123) depth++
      else if (isClosing(c)) {
        if (depth === 0) return i
        depth--
      } else if (c === 44 && depth === 0) return i
    }
    return end
  }

  #skipBlank(from: number, end: number): number {
    let at = from
    let quiet = this.#firstQuiet(from)
    for (;;) {
      while (at < end && this.#text.charCodeAt(at) <= 32) at++
      // comments, not strings
      if (this.#quiet[quiet] !== at || this.#text[at] !== '/') return at
      at = this.#quiet[quiet + 1]
      quiet += 3
    }
  }

  /** Position of the first comment or string that ends behind `at`. */
  #firstQuiet(at: number): number {
    let low = 0
    let high = this.#quiet.length / 3
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#quiet[middle * 3 + 1] <= at) low = middle + 1
      else high = middle
    }
    return low * 3
  }

  #holdsFunction(start: number, end: number): boolean {
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#starts[middle] < start) low = middle + 1
      else high = middle
    }
    return low < this.#starts.length && this.#starts[low] < end
  }
}

function isClosing(c: number): boolean {
  return c === 41 || c === 93 || c === 125
}
