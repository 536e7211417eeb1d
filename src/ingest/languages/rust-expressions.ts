/** Reads expressions of Rust: tells calls and names, and gives the path of the value that comes out. */

import { SAME_VALUE, STD_MACROS, STOPPING, TEXTUAL, TRUTHS, TRYING } from '#ingest/languages/rust-macros-known'
import type { MacroRules } from '#ingest/languages/rust-macro-rules'
import { LONGEST_RECEIVER, type NameCounts, Names, NEVER } from '#ingest/languages/rust-names'
import { Patterns, RANGES } from '#ingest/languages/rust-patterns'
import { type Cursor, LIFETIME, NAME, NUMBER, OPEN, SIGN, TEXT } from '#ingest/languages/rust-tokens'
import { readArguments, readExpressionPath, readType } from '#ingest/languages/rust-types'
import type { FactsBuilder } from '#ingest/source'

/** Expressions within expressions that are followed. */
const DEEPEST = 200

const COMPARISONS = new Set(['==', '!=', '<=', '>=', '<', '>', '&&', '||'])
const ARITHMETIC = new Set(['+', '-', '*', '/', '%', '^', '&', '|'])
const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '&=', '|='])
const WORDS = new Set('mut ref move box dyn where in else true false crate self Self super as'.split(' '))

export abstract class Expressions {
  readonly cursor: Cursor
  readonly rules: MacroRules
  readonly names: Names
  readonly patterns: Patterns
  /** Where the next expression is handed to, when it is a function: `items#.iter().map.|0`. */
  #taker = ''
  #depth = 0

  constructor(cursor: Cursor, facts: FactsBuilder, scope: number, counts: NameCounts, rules: MacroRules) {
    this.rules = rules
    this.cursor = cursor
    this.names = new Names(cursor, facts, scope, counts)
    this.patterns = new Patterns(this.names)
  }

  /** The statements of the block here; returns the path of what it gives. */
  abstract block(): string

  /** The arguments of the macro here, whose brackets are next. */
  abstract macroArguments(name: string): string[]

  /** What begins with a word. */
  abstract word(struct: boolean, taker: string): string

  expression(struct: boolean, logic = true): string {
    if (this.#depth > DEEPEST) {
      this.cursor.skip()
      return ''
    }
    this.#depth++
    const value = this.binary(this.#operand(struct), struct, logic)
    this.#depth--
    return value
  }

  binary(first: string, struct: boolean, logic: boolean): string {
    const c = this.cursor
    let value = first
    while (c.kind === SIGN) {
      const sign = c.word()
      if (ASSIGNMENTS.has(sign)) {
        c.at++
        const right = this.expression(struct)
        if (sign === '=') this.names.assigned(value, right)
        value = '@Unit()'
      } else if (sign === '<' || sign === '>') {
        // a shift is two signs
        c.at++
        if (c.take(sign)) c.take('=')
        else {
          c.take('=')
          value = '@bool()'
        }
        this.#operand(struct)
      } else if (COMPARISONS.has(sign)) {
        if (!logic && (sign === '&&' || sign === '||')) break
        c.at++
        this.#operand(struct)
        value = '@bool()'
      } else if (RANGES.has(sign)) {
        c.at++
        if (this.beginsOperand(struct)) this.#operand(struct)
        value = `@Range(${this.names.short(value)})`
      } else if (ARITHMETIC.has(sign)) {
        c.at++
        const other = this.#operand(struct)
        if (value === '' || value === '@int()') value = other
      } else break
    }
    return value
  }

  beginsOperand(struct: boolean): boolean {
    const c = this.cursor
    if (c.kind === OPEN) return struct || !c.is('{')
    if (c.kind === SIGN) return c.is('&') || c.is('*') || c.is('-') || c.is('!') || c.is('::') || c.is('<')
    return c.kind === NAME || c.kind === NUMBER || c.kind === TEXT
  }

  #operand(struct: boolean): string {
    const c = this.cursor
    const taker = this.#taker
    this.#taker = ''
    for (;;) {
      c.skipAttributes()
      if (c.is('&') || c.is('&&')) {
        c.at++
        if (c.is('raw') && (c.is('const', c.at + 1) || c.is('mut', c.at + 1))) c.at++
        if (c.is('mut') || (c.is('const') && c.isName(c.at + 1))) c.at++
      } else if (c.is('*') || c.is('-') || c.is('!') || c.is('$') || c.is('mut')) c.at++
      else if (c.is('move') || c.is('static')) c.at++
      else break
    }
    if (c.is('|') || c.is('||')) return this.closure(taker)
    if (c.kind === SIGN && RANGES.has(c.word())) {
      c.at++
      if (this.beginsOperand(struct)) this.#operand(struct)
      return '@Range()'
    }
    return this.postfix(this.primary(struct, taker))
  }

  primary(struct: boolean, taker = ''): string {
    const c = this.cursor
    switch (c.kind) {
      case LIFETIME:
        c.at++
        if (!c.take(':')) return ''
        return this.primary(struct)
      case TEXT: {
        const quote = c.tokens.text.charCodeAt(c.tokens.ends[c.at] - 1)
        c.at++
        return quote === 39 ? '@char()' : '@str()'
      }
      case NUMBER:
        c.at++
        return '@int()'
      case OPEN:
        return this.#bracketed()
      case SIGN:
        if (c.is('<') || c.is('::')) return this.path(struct)
        return ''
      case NAME:
        return this.word(struct, taker)
    }
    return ''
  }

  #bracketed(): string {
    const c = this.cursor
    if (c.is('{')) return this.block()
    const isArray = c.is('[')
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const parts: string[] = []
    let commas = 0
    while (c.at < close) {
      const before = c.at
      parts.push(this.expression(true))
      if (c.take(',')) commas++
      else if (!c.take(';') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    if (isArray) return `@Array(${parts.length === 0 ? '' : this.names.short(parts[0])})`
    if (parts.length === 0) return '@Unit()'
    if (parts.length === 1 && commas === 0) return parts[0]
    return `@Tuple(${parts.map((it) => this.names.short(it)).join(',')})`
  }

  closure(taker: string): string {
    const c = this.cursor
    const names = this.names.plain.length
    if (!c.take('||')) {
      c.at++
      for (let i = 0; c.at < c.end && !c.is('|'); i++) {
        const before = c.at
        const from = c.at
        c.skipTo(':', ',', '|')
        const to = c.at
        const type = c.take(':') ? readType(c, this.names.typeNamed) : ''
        this.patterns.within(from, to, taker === '' ? '' : `${taker}.${i}`, type, 'local')
        c.skipTo(',', '|')
        if (!c.take(',') && c.at === before) c.skip()
      }
      c.take('|')
    }
    let result = ''
    if (c.take('->')) {
      const type = readType(c, this.names.typeNamed, false)
      this.block()
      if (type !== '') result = `@as(:${type})`
    } else result = this.expression(true)
    this.names.leave(names)
    return `|${result === NEVER ? '' : this.names.short(result)}`
  }

  postfix(first: string): string {
    const c = this.cursor
    let value = first
    for (;;) {
      if (c.is('.')) {
        const at = c.at + 1
        if (c.is('await', at)) {
          c.at += 2
          value = value === '' ? '' : `${value}.await`
          continue
        }
        if (at < c.end && c.tokens.kinds[at] === NUMBER) {
          const position = c.word(at)
          c.at += 2
          value = value === '' ? '' : `${this.names.short(value, LONGEST_RECEIVER)}.${position}`
          continue
        }
        if (!c.isName(at)) return value
        c.at = at
        value = this.#member(value)
      } else if (c.is('?')) {
        c.at++
        if (value !== '') value = `${value}.?`
      } else if (c.is('(')) {
        const args = this.callArguments(value === '' ? '' : this.names.short(value, LONGEST_RECEIVER), '').text
        value = value === '' || value === NEVER ? '' : `${value}(${args})`
      } else if (c.is('[')) {
        value = this.#index(value)
      } else if (c.is('as') && c.at + 1 < c.end) {
        c.at++
        const type = readType(c, this.names.typeNamed, false)
        value = type === '' ? '' : `@as(:${type})`
      } else return value
    }
  }

  /** `.name`, `.name(…)` or `.name::<T>(…)`. */
  #member(receiver: string): string {
    const c = this.cursor
    const offset = c.start
    const name = c.word()
    c.at++
    let types = ''
    if (c.is('::') && c.is('<', c.at + 1)) {
      c.at++
      types = readArguments(c, this.names.typeNamed)
    }
    const head = receiver === '' || receiver === NEVER ? '?' : this.names.short(receiver, LONGEST_RECEIVER)
    if (!c.is('(')) return head === '?' ? '' : `${head}.${name}`
    const path = `${head}.${name}`
    const count = this.names.facts.facts.references.length
    this.names.refer('calls', path, offset, 0)
    const args = this.callArguments(path, types)
    if (this.names.facts.facts.references.length > count) this.names.facts.facts.references[count].args = args.length
    this.names.fill(receiver, name, args)
    return `${path}(${args.text})`
  }

  /** Reads the arguments in the brackets here. */
  callArguments(callee: string, types: string): { text: string; length: number; values: string[] } {
    const c = this.cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const values: string[] = []
    while (c.at < close) {
      const before = c.at
      if (callee !== '' && this.#beginsClosure()) this.#taker = `${callee}.|${values.length}`
      values.push(this.expression(true))
      this.#taker = ''
      if (!c.take(',') && c.at === before) {
        values.pop()
        c.skip()
      }
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    const parts = values.map((it) => this.names.short(it))
    while (parts.length > 0 && parts[parts.length - 1] === '_') parts.pop()
    if (types !== '') parts.push(`:<${types}>`)
    return { text: parts.join(','), length: values.length, values }
  }

  #beginsClosure(): boolean {
    const c = this.cursor
    if (c.is('|') || c.is('||')) return true
    return (c.is('move') || c.is('async') || c.is('static')) && !c.is('{', c.at + 1)
  }

  #index(value: string): string {
    const c = this.cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const key = this.expression(true)
    c.end = outer
    c.at = Math.min(outer, close + 1)
    if (value === '' || value === NEVER || key.startsWith('@Range(')) return value
    return `${this.names.short(value, LONGEST_RECEIVER)}[]`
  }

  path(struct: boolean): string {
    const c = this.cursor
    const { path, types, start } = readExpressionPath(this.cursor, this.names.typeNamed)
    if (path === '') return ''
    if (c.is('!') && c.at + 1 < c.end && c.tokens.kinds[c.at + 1] === OPEN) {
      c.at++
      return this.#macro(path, start)
    }
    if (!path.includes('.')) {
      const local = this.names.local(path)
      if (local !== undefined) {
        return c.is('(') ? `${local}(${this.callArguments(local, types).text})` : local
      }
      if (path === 'self') return path
      if (WORDS.has(path) && path !== 'Self' && path !== 'crate' && path !== 'super') return ''
    }
    if (c.is('(')) {
      return `${path}(${this.#called(path, start, types)})`
    }
    if (struct && c.is('{') && this.#beginsFields(path)) {
      this.names.refer('calls', path, start)
      this.#fields()
      return `${path}()`
    }
    this.names.refer('references', path, start)
    return path
  }

  /** Tells a call of a path whose arguments are next; gives their text. */
  #called(path: string, start: number, types: string): string {
    const { references } = this.names.facts.facts
    const count = references.length
    this.names.refer('calls', path, start)
    const told = references.length > count
    const args = this.callArguments(path, types)
    if (told) {
      references[count].args = args.length
      // which implementation is meant follows from the first argument
      const first = args.values[0] ?? ''
      if (path.includes('.') && first !== '' && (first === 'self' || /\.(?:try_)?from$/.test(path)))
        references[count].argTypes = [this.names.short(first)]
    }
    return args.text
  }

  #beginsFields(path: string): boolean {
    const c = this.cursor
    const at = c.at + 1
    if (!/^[A-Z]/.test(path.slice(path.lastIndexOf('.') + 1))) return false
    if (c.is('}', at) || c.is('..', at) || c.is('#', at)) return true
    const isField = c.isName(at) || c.tokens.kinds[at] === NUMBER
    return isField && (c.is(':', at + 1) || c.is(',', at + 1) || c.is('}', at + 1))
  }

  /** The fields of a literal, in the brackets here. */
  #fields(): void {
    const c = this.cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    while (c.at < close) {
      const before = c.at
      c.skipAttributes()
      if (c.take('..')) this.expression(true)
      else {
        const name = c.word()
        c.at++
        if (c.take(':')) this.expression(true)
        else if (this.names.local(name) === undefined) this.names.refer('references', name, c.tokens.starts[before])
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }

  #macro(path: string, start: number): string {
    const name = path.slice(path.lastIndexOf('.') + 1)
    if (!STD_MACROS.has(path) || this.rules.has(path)) this.names.refer('calls', `${path}!`, start)
    const [first, ...more] = this.macroArguments(name)
    if (name === 'vec') return `@Vec(${first === undefined ? '' : this.names.short(first)})`
    if (STOPPING.has(name)) return NEVER
    if (TEXTUAL.has(name)) return name === 'format' ? '@String()' : '@str()'
    if (TRUTHS.has(name)) return '@bool()'
    if (SAME_VALUE.has(name) && more.length === 0) return first ?? ''
    if (TRYING.has(name) && first !== undefined && first !== '') return `${first}.?`
    return ''
  }
}
