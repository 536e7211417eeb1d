/** What the rules of patterns look at, one file at a time, and where they put down what they found. */

import type { RuleName } from '#graph/patterns'
import type { Definition, Facts, Reference } from '#ingest/facts'
import type { Match } from '#ingest/parse'
import { cut, type FactsBuilder, type Source } from '#ingest/source'

export class Sightings {
  readonly facts: Facts
  readonly source: Source
  readonly text: string
  /** Matches of the query parts of `#ingest/patterns`, in source order. */
  readonly marks: readonly Match[]
  readonly #builder: FactsBuilder
  readonly #seen = new Set<string>()
  /** Calls by the last name of their path. */
  readonly #calls = new Map<string, Reference[]>()
  /** Variables and constants at the top of the file. */
  readonly variables = new Map<string, Definition>()

  constructor(builder: FactsBuilder, marks: readonly Match[]) {
    this.#builder = builder
    this.facts = builder.facts
    this.source = builder.source
    this.text = builder.source.text
    this.marks = marks
    for (const it of this.facts.definitions)
      if (it.parent < 0 && it.kind === 'const' && !this.variables.has(it.name)) this.variables.set(it.name, it)
    for (const reference of this.facts.references) {
      if (reference.relation !== 'calls') continue
      const name = reference.path.slice(reference.path.lastIndexOf('.') + 1)
      const known = this.#calls.get(name)
      if (known === undefined) this.#calls.set(name, [reference])
      else known.push(reference)
    }
  }

  /** Notes that a rule holds at a line; once per line and rule. */
  add(rule: RuleName, line: number, remedy = ''): void {
    const id = `${rule} ${line}`
    if (this.#seen.has(id)) return
    this.#seen.add(id)
    this.facts.patterns.push({ rule, line, text: cut(this.lineText(line)), remedy })
  }

  lineText(line: number): string {
    const { lineStarts } = this.source
    return this.text.slice(lineStarts[line - 1], line < lineStarts.length ? lineStarts[line] : undefined).trim()
  }

  /** Last names of all calls. */
  get calledNames(): IterableIterator<string> {
    return this.#calls.keys()
  }

  /** Calls whose last name is one of these and whose path fits, each with the offset of its head, -1 unknown. */
  *calls(names: readonly string[], fits?: RegExp): Generator<{ reference: Reference; at: number }> {
    for (const name of names) {
      for (const reference of this.#calls.get(name) ?? []) {
        if (fits === undefined || fits.test(reference.path)) yield { reference, at: this.offsetOf(reference) }
      }
    }
  }

  /** Where a call stands: its path if that is written so, else its head; -1 when neither is on its line. */
  offsetOf({ path, line }: Reference): number {
    const start = this.source.lineStarts[line - 1]
    const end = line < this.source.lineStarts.length ? this.source.lineStarts[line] : this.text.length
    for (let at = this.text.indexOf(path, start); at >= 0 && at < end; at = this.text.indexOf(path, at + 1)) {
      const next = this.text[at + path.length]
      if ((next === '(' || next === '<' || next === '!') && !/[\w$.]/.test(this.text[at - 1] ?? '')) return at
    }
    const head = /^[\p{L}_$@][\p{L}\p{N}_$]*/u.exec(path)?.[0] ?? ''
    const at = head === '' ? -1 : this.text.indexOf(head, start)
    return at < 0 || at >= end ? -1 : at
  }

  /** What stands on the line before an offset. */
  before(at: number): string {
    return this.text.slice(this.source.lineStarts[this.source.lineAt(at) - 1], at)
  }

  /** Offset behind the bracket that closes the one at or after `at`; -1 when none does within reach. */
  closing(at: number): number {
    const open = this.text.indexOf('(', at)
    if (open < 0) return -1
    let depth = 0
    const limit = Math.min(this.text.length, open + MOST_ARGUMENTS)
    for (let i = open; i < limit; i++) {
      const c = this.text.charCodeAt(i)
      if (c === 40) depth++
      else if (c === 41 && --depth === 0) return i + 1
    }
    return -1
  }

  /** Whether the call at `at` is a statement by itself, so that nothing takes its result. */
  isStatement(at: number): boolean {
    const before = this.before(at)
    if (!/^\s*$/.test(before)) return /(?:^|[;{}])\s*$/.test(before) && !/=>\s*\{?\s*$/.test(before)
    const line = this.source.lineStarts[this.source.lineAt(at) - 1]
    const last = /(\S)\s*$/.exec(this.text.slice(Math.max(0, line - 200), line))?.[1] ?? ''
    if ('([,=+&|?:.<>!*%^~\\-'.includes(last) && last !== '' && !(last === ':' && this.facts.language === 'python'))
      return false
    const end = this.closing(at)
    const rest = end < 0 ? '' : this.text.slice(end, end + 200)
    // without a semicolon it is what the block gives
    if (this.facts.language === 'rust' && !/^\s*;/.test(rest)) return false
    return /^\s*(?:;|\}|\r?\n\s*[^\s.?]|#|\/\/|$)/.test(rest) && !/^\s*\r?\n\s*(?:\.|\?\.)/.test(rest)
  }

  isQuiet(at: number): boolean {
    const { quiet } = this.#builder
    let low = 0
    let high = quiet.length / 3 - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      if (quiet[middle * 3] > at) high = middle - 1
      else if (quiet[middle * 3 + 1] <= at) low = middle + 1
      else return true
    }
    return false
  }

  /** Offsets of a piece of code, without those in comments and strings. */
  *occurrences(piece: string): Generator<number> {
    for (let at = this.text.indexOf(piece); at >= 0; at = this.text.indexOf(piece, at + piece.length))
      if (!this.isQuiet(at)) yield at
  }

  get quiet(): readonly number[] {
    return this.#builder.quiet
  }

  /** The innermost definition around an offset, -1 = the file. */
  scopeAt(at: number): number {
    const { starts, ends } = this.#builder
    let low = 0
    let high = starts.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      if (starts[middle] <= at) low = middle + 1
      else high = middle - 1
    }
    for (let d = high; d >= 0; d = this.facts.definitions[d].parent) if (at < ends[d]) return d
    return -1
  }

  /** The function around a definition, itself when it is one; -1 when there is none. */
  functionOf(scope: number): number {
    for (let d = scope; d >= 0; d = this.facts.definitions[d].parent)
      if (this.facts.definitions[d].kind === 'fn') return d
    return -1
  }

  definition(d: number): Definition | undefined {
    return this.facts.definitions[d]
  }

  startOf(d: number): number {
    return d < 0 ? 0 : this.#builder.starts[d]
  }

  /** Text of a definition, or of the whole file. */
  textOf(d: number): string {
    return d < 0 ? this.text : this.text.slice(this.#builder.starts[d], this.#builder.ends[d])
  }
}

/** Arguments longer than this are not followed. */
const MOST_ARGUMENTS = 4000
