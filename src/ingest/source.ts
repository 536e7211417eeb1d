/** What language modules work with: the text of one file, and a builder that keeps track of scopes. */

import type { Binding, Definition, Export, Facts, Import } from '#ingest/facts'
import { COMMENT, emptyFacts, STRING } from '#ingest/facts'
import { argumentsOf, headOf, type Syntax } from '#ingest/expression'
import type { Match, Part } from '#ingest/parse'

export interface Language {
  name: string
  /** Without the dot. */
  extensions: readonly string[]
  /** Whole base names, `Rakefile`. */
  fileNames?: readonly string[]
  /** Interpreters of a `#!` line. */
  interpreters?: readonly string[]
  /** Name of the grammar file, `python`; '' for the generic scanner. */
  grammar: string
  /**
   * Patterns whose first, outermost capture names the kind of the match. `@comment` and `@string` matches say
   * where names mean nothing; `@error` where the grammar gave up.
   */
  query: string
  syntax: Syntax
  /** Name of the language that reads this text, where the extension does not tell. */
  refine?(path: string, text: string): string
  /** Angle brackets that may be open at once in one statement. */
  maxAngles?: number
  /** Rewrites what the grammar misreads, keeping length and line breaks. */
  prepare?(text: string): string
  /** Reads the matches, outer before inner in source order, into facts. Pure. */
  read(source: Source, matches: readonly Match[], facts: FactsBuilder): void
}

export class Source {
  readonly path: string
  readonly text: string
  /** Offset of the first character of each line. */
  readonly lineStarts: Uint32Array

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
    const starts = [0]
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i)
      if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1)
    }
    this.lineStarts = Uint32Array.from(starts)
  }

  /** 1-based line of an offset. */
  lineAt(offset: number): number {
    let low = 0
    let high = this.lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.lineStarts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  slice(span: { start: number; end: number }): string {
    return this.text.slice(span.start, span.end)
  }

  part(match: Match, name: string): Part | undefined {
    for (const part of match.parts) if (part.name === name) return part
    return undefined
  }

  /** Text of a named part, '' when the match has none. */
  partText(match: Match, name: string): string {
    const part = this.part(match, name)
    return part === undefined ? '' : this.text.slice(part.start, part.end)
  }
}

const EXCERPT = 200
const NO_DESCRIPTION =
  /^#!|copyright|licen[sc]ed?\b|spdx-|\bcoding[:=]|eslint|@ts-|prettier|biome-|<reference|go:build|\+build|frozen_string|rubocop|shellcheck|vim:|-\*-|code generated/i

/** First sentence of a comment or docstring, without its marks, at most 200 characters. */
export function firstSentence(comment: string): string {
  const plain = comment
    .replace(/^[rRbBuUfF]{0,2}("""|'''|"|')|("""|'''|"|')$/g, '')
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/^\s*(?:\/\*+!?|\*+\/|\*+|\/\/[/!]?|#+!?|--+|<!--|=begin|;+|%+)?\s?/, '')
        .replace(/\s*(?:\*+\/|-->)\s*$/, ''),
    )
    .join('\n')
    .trim()
  const paragraph = plain
    .split(/\n\s*\n|\n\s*@\w/)[0]
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph
  return cut(sentence.length < 8 ? paragraph : sentence)
}

export function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT - 1)}…`
}

const TYPES: ReadonlySet<string> = new Set(['class', 'struct', 'enum', 'interface', 'trait', 'type'])

interface Scope {
  definition: number
  end: number
}

export class FactsBuilder {
  readonly facts: Facts
  readonly source: Source
  /** Triples start, end, `COMMENT` or `STRING`, in source order. */
  readonly quiet: number[]
  /** Extents of definitions by index, in characters. */
  readonly starts: number[] = []
  readonly ends: number[] = []
  /** Where a name stands that is already told by another fact (definition, call, import, type). */
  readonly told = new Set<number>()
  /** Ranges told whole (import statements, type annotations): pairs start, end in source order. */
  readonly toldRanges: number[] = []
  readonly #stack: Scope[] = []
  /** Types defined so far, by name. */
  readonly #types = new Map<string, number[]>()
  /** Names of type parameters by definition. */
  readonly #typeParameters = new Map<number, Set<string>>()

  constructor(language: string, source: Source, quiet: number[]) {
    this.facts = emptyFacts(language)
    this.quiet = quiet
    this.source = source
    this.facts.lines = source.text === '' ? 0 : source.lineStarts.length - (source.text.endsWith('\n') ? 1 : 0)
  }

  /** The innermost definition around `offset`; offsets must not decrease from call to call. -1 = the file. */
  scopeAt(offset: number): number {
    while (this.#stack.length > 0 && this.#stack[this.#stack.length - 1].end <= offset) this.#stack.pop()
    return this.#stack.length === 0 ? -1 : this.#stack[this.#stack.length - 1].definition
  }

  /** The innermost definition that encloses `scope` and is a class-like one; -1 when there is none. */
  classOf(scope: number): number {
    for (let at = scope; at >= 0; at = this.facts.definitions[at].parent) {
      const { kind } = this.facts.definitions[at]
      if (kind !== 'fn' && kind !== 'const' && kind !== 'variant' && kind !== 'mod') return at
    }
    return -1
  }

  /** Adds a definition that spans `start … end` and makes it the scope of what follows inside. Returns its index. */
  define(
    definition: Pick<Definition, 'name' | 'kind'> & Partial<Definition>,
    span: { start: number; end: number; nameStart: number; isScope?: boolean },
  ): number {
    const index = this.facts.definitions.length
    const parent = definition.parent ?? this.scopeAt(span.start)
    this.facts.definitions.push({
      tags: [],
      excerpt: '',
      ...definition,
      parent,
      line: this.source.lineAt(span.start),
      endLine: this.source.lineAt(Math.max(span.start, span.end - 1)),
      nameLine: this.source.lineAt(span.nameStart),
    })
    this.starts.push(span.start)
    this.ends.push(span.end)
    // a type within an implementation is named through its owner
    if (TYPES.has(definition.kind) && !(definition.kind === 'type' && definition.owner)) {
      const same = this.#types.get(definition.name)
      if (same === undefined) this.#types.set(definition.name, [index])
      else same.push(index)
    }
    this.told.add(span.nameStart)
    if (span.isScope !== false) this.#stack.push({ definition: index, end: span.end })
    return index
  }

  /** The type of that name defined so far in this file, one with the given parent first; -1 when there is none. */
  typeNamed(name: string, parent = -1): number {
    const found = this.#types.get(name)
    if (found === undefined) return -1
    return found.find((it) => this.facts.definitions[it].parent === parent) ?? found[0]
  }

  import(one: Import): void {
    this.facts.imports.push(one)
  }

  export(one: Export): void {
    this.facts.exports.push(one)
  }

  bind(one: Binding): void {
    if (one.name !== '' && one.name !== '_') this.facts.bindings.push(one)
  }

  /** Binds a type parameter of the definition `scope`; as a type it names nothing outside of it. */
  bindType(scope: number, name: string, bound: string, line: number): void {
    this.bind({ scope, name, kind: 'parameter', type: bound, value: '', line })
    const names = this.#typeParameters.get(scope)
    if (names === undefined) this.#typeParameters.set(scope, new Set([name]))
    else names.add(name)
  }

  #isTypeParameter(from: number, name: string): boolean {
    if (this.#typeParameters.size === 0) return false
    for (let at = from; at >= 0; at = this.facts.definitions[at].parent)
      if (this.#typeParameters.get(at)?.has(name) === true) return true
    return this.#typeParameters.get(-1)?.has(name) === true
  }

  /** Marks the names in a piece of text that stand outside of the brackets of type arguments as told. */
  tellHeads(span: { start: number; end: number }, brackets = '<>'): void {
    let depth = 0
    for (const it of this.source.slice(span).matchAll(/[<>[\]]|[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
      if (it[0] === brackets[0]) depth++
      else if (it[0] === brackets[1]) depth--
      else if (depth === 0) this.told.add(span.start + it.index)
    }
  }

  reference(
    from: number,
    relation: string,
    path: string,
    line: number,
    more?: { args?: number; argTypes?: string[]; owner?: string; unreachable?: boolean },
  ): void {
    if (path === '' || (relation === 'references' && this.#isTypeParameter(from, path))) return
    this.facts.references.push({ from, relation, path, line, ...more })
  }

  /** Says that the type `from` has the base `type`, a path with type arguments. */
  inherit(from: number, type: string, line: number): void {
    const path = headOf(type)
    if (path === '' || from < 0) return
    const argTypes = argumentsOf(type)
    this.facts.references.push({
      from,
      relation: 'implements',
      path,
      line,
      ...(argTypes.length === 0 ? {} : { argTypes }),
    })
  }

  problem(line: number, message: string): void {
    this.facts.problems.push({ line, message })
  }

  dynamic(line: number, text: string): void {
    this.facts.dynamic.push({ line, text: cut(text) })
  }

  /** Says that the string at `offset` is documentation. Returns its text, '' when there is no string. */
  markDoc(offset: number): string {
    const i = lastQuietBefore(this.quiet, offset) + 3
    const at = i < 3 ? 0 : i
    if (this.quiet[at] !== offset || this.quiet[at + 2] !== STRING) return ''
    this.quiet[at + 2] = COMMENT
    return this.source.text.slice(offset, this.quiet[at + 1])
  }

  /** The comment at the head of the file that is about the file: no licence, and not that of its first definition. */
  headComment(): string {
    const { text } = this.source
    const first = this.facts.definitions[0]?.line ?? 0
    const shebang = /^#![^\n]*/.exec(text)?.[0].length ?? 0
    for (let i = 0, from = shebang; i < this.quiet.length && this.quiet[i + 2] === COMMENT; ) {
      const start = this.quiet[i]
      let end = this.quiet[i + 1]
      if (start >= from && /\S/.test(text.slice(from, start))) return ''
      // line comments without an empty line between them are one
      for (i += 3; i < this.quiet.length && this.quiet[i + 2] === COMMENT; i += 3) {
        if (/\S|\n[^\S\n]*\n/.test(text.slice(end, this.quiet[i])) || text.startsWith('#!', start)) break
        end = this.quiet[i + 1]
      }
      from = end
      if (this.source.lineAt(end - 1) + 1 === first) return ''
      const comment = text.slice(start, end)
      if (!NO_DESCRIPTION.test(comment)) return comment
    }
    return ''
  }

  /** The comment above the line on which a definition starts, or right in front of it. */
  commentAbove(start: number): string {
    const { text, lineStarts } = this.source
    const line = lineStarts[this.source.lineAt(start) - 1]
    const before = text.slice(line, start)
    const comment = /[{};]/.test(before) ? '' : this.commentBefore(line + (before.length - before.trimStart().length))
    return comment === '' ? this.commentBefore(start) : comment
  }

  /** The comment that ends right before `offset` (only white space between, at most one line break), else ''. */
  commentBefore(offset: number): string {
    const { text } = this.source
    let end = -1
    let start = offset
    // several line comments in a row are one
    for (let i = lastQuietBefore(this.quiet, offset); i >= 0; i -= 3) {
      if (this.quiet[i + 2] !== COMMENT || this.quiet[i + 1] > start) break
      const between = text.slice(this.quiet[i + 1], start)
      if (/\S/.test(between) || (between.match(/\n/g)?.length ?? 0) > 1) break
      if (end < 0) end = this.quiet[i + 1]
      start = this.quiet[i]
      // a comment behind code on its line belongs to that code
      const lineStart = text.lastIndexOf('\n', start) + 1
      if (/\S/.test(text.slice(lineStart, start))) {
        if (end === this.quiet[i + 1]) return ''
        start = this.quiet[i + 3] ?? offset
        break
      }
    }
    return end < 0 ? '' : text.slice(start, end)
  }

  /**
   * References by value: names of the file's own definitions, of imports and of typed values that stand in
   * code where no other fact tells of them. `this.run` handed on as a callback, `Level.High`, `cart.total`.
   * Where files see each other's names without importing them, `keywords` is given, and names that nothing in
   * the file binds count where a value stands. `versionAt` gives a path as it is to be written in a scope.
   */
  mentions(
    selfNames: readonly string[],
    pathAt: (offset: number) => string,
    keywords?: ReadonlySet<string>,
    versionAt?: (scope: number, path: string, offset: number) => string,
  ): void {
    const { facts, source } = this
    const names = new Set<string>(selfNames)
    const valued = new Set<string>()
    const bound = new Map<string, Set<number>>()
    for (const it of facts.imports) if (it.alias !== '') names.add(it.alias)
    for (const it of facts.definitions) names.add(it.name)
    for (const it of facts.bindings) {
      // what a callback is handed is mostly data
      if (it.type !== '' || (it.value !== '' && !it.value.endsWith('}')))
        valued.add(it.name.includes('#') ? it.name.slice(0, it.name.indexOf('#')) : it.name)
      if (keywords === undefined) continue
      const scopes = bound.get(it.name)
      if (scopes === undefined) bound.set(it.name, new Set([it.scope]))
      else scopes.add(it.scope)
    }
    const isBound = (name: string, from: number): boolean => {
      const scopes = bound.get(name)
      if (scopes === undefined) return false
      for (let at = from; at >= 0; at = facts.definitions[at].parent) if (scopes.has(at)) return true
      return scopes.has(-1)
    }
    const stars = facts.imports.some((it) => it.name === '*')
    const { text } = source
    const seen = new Set<string>()
    const stack: number[] = []
    let next = 0
    let quiet = 0
    let told = 0
    for (let end = 0; end < text.length; ) {
      const at = end
      end = nameEnd(text, at)
      if (end === at) {
        end++
        continue
      }
      const before = text.charCodeAt(at - 1)
      if (before === DOT || before === AT) continue
      if (before === COLON && text.charCodeAt(at - 2) === COLON) continue
      if (before === GREATER && text.charCodeAt(at - 2) === MINUS) continue
      while (quiet < this.quiet.length && this.quiet[quiet + 1] <= at) quiet += 3
      if (quiet < this.quiet.length && this.quiet[quiet] <= at) {
        end = Math.max(end, this.quiet[quiet + 1])
        continue
      }
      while (told < this.toldRanges.length && this.toldRanges[told + 1] <= at) told += 2
      if (told < this.toldRanges.length && this.toldRanges[told] <= at) continue
      if (this.told.has(at)) continue
      const name = text.slice(at, end)
      if (keywords?.has(name) === true) continue
      const known = names.has(name)
      const isValue = known || valued.has(name)
      if (!isValue && !(stars && /^[A-Z]/.test(name))) {
        if (keywords === undefined || name.length < 2 || !standsAsValue(text, at)) continue
      }
      const path = pathAt(at)
      if (path === '') continue
      if (selfNames.includes(name) && !path.includes('.')) continue
      while (next < this.starts.length && this.starts[next] <= at) {
        while (stack.length > 0 && this.ends[stack[stack.length - 1]] <= this.starts[next]) stack.pop()
        stack.push(next++)
      }
      while (stack.length > 0 && this.ends[stack[stack.length - 1]] <= at) stack.pop()
      const from = stack.length === 0 ? -1 : stack[stack.length - 1]
      // a value that is bound here is no use of a definition, its members are
      if (!known && !path.includes('.') && (keywords === undefined || isBound(name, from))) continue
      if (!isValue && isBound(name, from)) continue
      const written = versionAt === undefined ? path : versionAt(from, path, at)
      const id = `${from} ${written}`
      if (seen.has(id)) continue
      seen.add(id)
      facts.references.push({ from, relation: 'references', path: written, line: source.lineAt(at) })
    }
  }
}

const DOT = 46
const AT = 64
const COLON = 58
const GREATER = 62
const MINUS = 45
const LETTER = 1
const DIGIT = 2
/** Kinds of ASCII characters in names. */
const KINDS = new Uint8Array(128)
for (let c = 0; c < 128; c++) {
  const text = String.fromCharCode(c)
  if (/[A-Za-z_$]/.test(text)) KINDS[c] = LETTER
  else if (/[0-9]/.test(text)) KINDS[c] = DIGIT
}
const WIDE_NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy

/** The end of the name that starts at `at`; `at` itself when none does. */
function nameEnd(text: string, at: number): number {
  let end = at
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end)
    if (c < 128) {
      if (KINDS[c] === LETTER || (KINDS[c] === DIGIT && end > at)) continue
      return end
    }
    // letters beyond ASCII may take two units
    WIDE_NAME.lastIndex = at
    return WIDE_NAME.test(text) ? WIDE_NAME.lastIndex : at
  }
  return end
}

/** True when what stands before `at` is followed by a value: a bracket, a comma, an operator, `return`. */
function standsAsValue(text: string, at: number): boolean {
  let i = at - 1
  while (i >= 0 && (text[i] === ' ' || text[i] === '\n' || text[i] === '\t' || text[i] === '\r')) i--
  if (i < 0) return false
  if ('(,=:{[&|!+<>?*-/%'.includes(text[i])) return true
  return (
    /\breturn$/.test(text.slice(Math.max(0, i - 6), i + 1)) ||
    /\b(?:case|in|throw|when|is)$/.test(text.slice(Math.max(0, i - 5), i + 1))
  )
}

function lastQuietBefore(quiet: readonly number[], offset: number): number {
  let low = 0
  let high = quiet.length / 3 - 1
  let found = -1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (quiet[middle * 3 + 1] <= offset) {
      found = middle
      low = middle + 1
    } else high = middle - 1
  }
  return found < 0 ? -1 : found * 3
}

const DOTTED = /[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\s*(?:\?\.|!\.|\.|::)\s*#?|->)[\p{L}_$][\p{L}\p{N}_$]*)*/uy

/** The dotted name that starts at `at`, '' when it is a key (`name:` in a literal) or a variable assigned to. */
export function dottedAt(text: string, at: number, isKey: (text: string, end: number) => boolean): string {
  DOTTED.lastIndex = at
  const found = DOTTED.exec(text)
  if (found === null) return ''
  const path = found[0].replace(/\s*(?:\?\.|!\.|::|->|\.)\s*/g, '.')
  return !path.includes('.') && isKey(text, DOTTED.lastIndex) ? '' : path
}
