/**
 * Which of the values that a name is bound to in one scope holds where. A name that is bound once stands for itself;
 * where only some of several values can hold, it is written `name#2`, and `name#2` is bound to those.
 *
 * A binding holds from its statement to the end of its block; behind the block it is one of several. What only holds
 * in a range (a comprehension, a lambda, a branch behind `isinstance`) is `bounded`.
 */

import type { Binding } from '#ingest/facts'
import { isMade } from '#ingest/languages/python-syntax'
import type { FactsBuilder, Source } from '#ingest/source'

export interface Range {
  start: number
  end: number
}

/** What a name is bound to: a declared type, or a value whose text stands at `valueAt`. */
export interface Meaning {
  type: string
  value: string
  valueAt: number
  line: number
}

interface Bound extends Range, Meaning {
  /** Ends for good at `end`. */
  bounded: boolean
  /** The facts have a binding of it under the plain name. */
  plain: boolean
  /** Conditions in whose body it stands. */
  branches?: Branch[]
}

interface Branch extends Range {
  bodyStart: number
  bodyEnd: number
}

/** A name bound more often than this is not followed. */
const MAX_BOUND = 60
const LEAVES = /^(?:return|raise|continue|break)\b/

export class Flow {
  readonly #source: Source
  readonly #facts: FactsBuilder
  /** By scope and name. */
  readonly #bound = new Map<number, Map<string, Bound[]>>()
  readonly #versions = new Map<string, string>()
  readonly #counts = new Map<number, number>()
  readonly #references: number[] = []
  readonly #values: number[] = []
  readonly loops: Range[] = []
  readonly branches: Branch[] = []
  #indents: Int32Array | undefined

  constructor(source: Source, facts: FactsBuilder) {
    this.#source = source
    this.#facts = facts
  }

  /** Binds a name from `start` on, to the end of its block where no end is given. */
  bind(scope: number, name: string, meaning: Meaning, start: number, end = -1): void {
    this.#add(scope, name, { ...meaning, start, end, bounded: false, plain: true })
  }

  /** Binds a name within a range alone. */
  within(scope: number, name: string, meaning: Meaning, { start, end }: Range): void {
    if (end > start) this.#add(scope, name, { ...meaning, start, end, bounded: true, plain: false })
  }

  #add(scope: number, name: string, bound: Bound): void {
    let names = this.#bound.get(scope)
    if (names === undefined) {
      names = new Map()
      this.#bound.set(scope, names)
    }
    const list = names.get(name)
    if (list) list.push(bound)
    else names.set(name, [bound])
  }

  /** Forgets names that belong to another scope. */
  drop(names: ReadonlyMap<number, ReadonlySet<string>>): void {
    for (const [scope, all] of names) for (const name of all) this.#bound.get(scope)?.delete(name)
  }

  /** Says where the text of the latest reference stands. */
  referenceAt(offset: number): void {
    this.#references.push(this.#facts.facts.references.length - 1, offset)
  }

  /** Says where the value of the latest binding stands. */
  valueAt(offset: number): void {
    this.#values.push(this.#facts.facts.bindings.length - 1, offset)
  }

  /** Writes what holds where into the paths of the facts. */
  finish(): void {
    for (const [scope, names] of this.#bound) {
      for (const [name, list] of names) {
        const isOne = list.length === 1 && !list[0].bounded
        if (isOne || list.length > MAX_BOUND) names.delete(name)
        else list.sort((a, b) => a.start - b.start)
      }
      if (names.size === 0) this.#bound.delete(scope)
    }
    if (this.#bound.size === 0) return
    const { references, bindings } = this.#facts.facts
    for (let i = 0; i < this.#values.length; i += 2) {
      const binding = bindings[this.#values[i]]
      binding.value = this.rename(binding.valueScope ?? binding.scope, binding.value, this.#values[i + 1])
    }
    for (let i = 0; i < this.#references.length; i += 2) {
      const reference = references[this.#references[i]]
      reference.path = this.rename(reference.from, reference.path, this.#references[i + 1])
    }
  }

  /** A path as it is written at `offset`, its first name in the version that holds there. */
  rename(scope: number, path: string, offset: number): string {
    const names = this.#bound.get(scope)
    if (names === undefined || path === '') return path
    let end = headEnd(path, 0)
    let list = names.get(path.slice(0, end))
    if (list === undefined && path[end] === '.') {
      end = headEnd(path, end + 1)
      list = names.get(path.slice(0, end))
    }
    if (list === undefined) return path
    const name = path.slice(0, end)
    const version = this.#versionAt(scope, name, list, offset)
    return version === name ? path : version + path.slice(end)
  }

  #versionAt(scope: number, name: string, list: Bound[], offset: number): string {
    const holding: number[] = []
    let definite = false
    for (let i = list.length - 1; i >= 0 && !definite; i--) {
      const it = list[i]
      if (it.start > offset) continue
      if (it.bounded) {
        if (offset < it.end) {
          holding.push(i)
          definite = true
        }
        continue
      }
      this.#close(scope, name, it)
      if (it.bounded) {
        if (offset < it.end) {
          holding.push(i)
          definite = true
        }
      } else if (offset < it.end) {
        holding.push(i)
        definite = true
      } else if (!this.#isOtherBranch(it, offset)) holding.push(i)
    }
    const bounded = holding.length === 1 && list[holding[0]].bounded
    if (!bounded) {
      for (const loop of this.loops) {
        if (loop.start > offset || offset >= loop.end) continue
        list.forEach((it, i) => {
          if (it.start > offset && it.start <= loop.end && !it.bounded && !holding.includes(i)) holding.push(i)
        })
      }
    }
    if (holding.length === 0) return name
    holding.sort((a, b) => a - b)
    const isPlain = holding.length === list.filter((it) => it.plain).length && holding.every((it) => list[it].plain)
    const isField = name.includes('.')
    if (!isField && isPlain) return name
    const key = `${scope} ${name} ${holding.join()}`
    let version = this.#versions.get(key)
    if (version === undefined) {
      const count = (this.#counts.get(scope) ?? 0) + 1
      this.#counts.set(scope, count)
      version = `${isField ? name.slice(name.indexOf('.') + 1) : name}#${count}`
      this.#versions.set(key, version)
      for (const i of holding) this.#bindVersion(scope, name, version, list, list[i])
      if (isField && !definite) this.#push(scope, version, '', name, list[holding[0]].line)
    }
    return version
  }

  #bindVersion(scope: number, name: string, version: string, list: readonly Bound[], it: Bound): void {
    const value = this.rename(scope, it.value, it.valueAt)
    this.#push(scope, version, it.type, value, it.line)
    // what an assignment does not tell, the declaration does
    if (it.type !== '' || it.bounded || isMade(value)) return
    const declared = list.find((other) => other.type !== '' && !other.bounded)
    if (declared !== undefined) this.#push(scope, version, declared.type, '', it.line)
    else if (name.includes('.')) this.#push(scope, version, '', name, it.line)
  }

  #push(scope: number, name: string, type: string, value: string, line: number): void {
    const binding: Binding = { scope, name, kind: 'local', type, value, line }
    this.#facts.facts.bindings.push(binding)
  }

  /** Finds where the block of a binding ends, and whether that leaves the function or loop. */
  #close(scope: number, name: string, it: Bound): void {
    if (it.end >= 0) return
    const block = this.blockAt(it.start, scope)
    it.end = block.end
    if (block.leaves) it.bounded = true
    // a field lasts as long as its function
    if (name.includes('.') && scope < 0) it.bounded = true
  }

  /** The end of the block that the statement at `offset` stands in; whether its last statement leaves it. */
  blockAt(offset: number, scope: number): { end: number; leaves: boolean } {
    const { lineStarts, text } = this.#source
    const limit = scope < 0 ? text.length : this.#facts.ends[scope]
    const indents = this.#indentsOf()
    let line = this.#source.lineAt(offset) - 1
    // the line that the statement begins on
    while (line > 0 && indents[line] < 0) line--
    const indent = indents[line]
    // a body behind the colon of its header ends with the line
    if (indent <= 0 && scope < 0) return { end: text.length, leaves: false }
    let last = line
    let at = line + 1
    for (; at < lineStarts.length && lineStarts[at] < limit; at++) {
      if (indents[at] < 0) continue
      if (indents[at] < indent) break
      if (indents[at] === indent) last = at
    }
    const end = at < lineStarts.length ? Math.min(limit, lineStarts[at]) : limit
    const isFunctionBlock = end >= limit && scope >= 0 && indent <= this.#bodyIndent(scope)
    return {
      end,
      leaves: !isFunctionBlock && LEAVES.test(text.slice(lineStarts[last] + indent, lineStarts[last] + indent + 10)),
    }
  }

  #bodyIndent(scope: number): number {
    const { lineStarts } = this.#source
    const indents = this.#indentsOf()
    const from = this.#source.lineAt(this.#facts.starts[scope]) - 1
    const limit = this.#facts.ends[scope]
    let least = Number.POSITIVE_INFINITY
    for (let line = from + 1; line < lineStarts.length && lineStarts[line] < limit; line++)
      if (indents[line] > indents[from] && indents[line] < least) least = indents[line]
    return least
  }

  /** True when the block of a statement ends by leaving its function or loop. */
  leavesAfter(range: Range): boolean {
    const indents = this.#indentsOf()
    const { lineStarts, text } = this.#source
    let line = this.#source.lineAt(Math.max(range.start, range.end - 1)) - 1
    while (line > 0 && indents[line] < 0) line--
    const start = Math.max(range.start, lineStarts[line] + Math.max(0, indents[line]))
    return LEAVES.test(text.slice(start, start + 10))
  }

  /** Per line the number of blanks that it begins with; -1 for empty lines and those that go on with a statement. */
  #indentsOf(): Int32Array {
    if (this.#indents !== undefined) return this.#indents
    const { lineStarts, text } = this.#source
    const indents = new Int32Array(lineStarts.length).fill(-1)
    const { quiet } = this.#facts
    let q = 0
    let depth = 0
    for (let line = 0; line < lineStarts.length; line++) {
      const start = lineStarts[line]
      const end = line + 1 < lineStarts.length ? lineStarts[line + 1] : text.length
      let at = start
      while (at < end && (text[at] === ' ' || text[at] === '\t')) at++
      while (q < quiet.length && quiet[q + 1] <= start) q += 3
      const isInside = q < quiet.length && quiet[q] < start
      const c = text[at]
      const isEmpty = at >= end || c === '\n' || c === '\r' || c === '#'
      if (depth === 0 && !isInside && !isEmpty && !(line > 0 && isContinued(text, start))) indents[line] = at - start
      for (let i = start; i < end; i++) {
        while (q < quiet.length && quiet[q + 1] <= i) q += 3
        if (q < quiet.length && quiet[q] <= i) {
          i = quiet[q + 1] - 1
          continue
        }
        const code = text.charCodeAt(i)
        if (code === 40 || code === 91 || code === 123) depth++
        else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth--
      }
    }
    this.#indents = indents
    return indents
  }

  /** True when a binding stands in the body of a condition in whose other branches `offset` lies. */
  #isOtherBranch(it: Bound, offset: number): boolean {
    it.branches ??= this.branches.filter(({ bodyStart, bodyEnd }) => it.start > bodyStart && it.start <= bodyEnd)
    return it.branches.some(({ bodyEnd, end }) => offset >= bodyEnd && offset < end)
  }
}

function headEnd(path: string, from: number): number {
  let end = from
  while (end < path.length) {
    const c = path.charCodeAt(end)
    if (c === 46 || c === 40 || c === 91) break
    end++
  }
  return end
}

/** True when the line before `start` ends with a backslash. */
function isContinued(text: string, start: number): boolean {
  return /\\\r?\n$/.test(text.slice(Math.max(0, start - 3), start))
}
