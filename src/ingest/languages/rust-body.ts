/**
 * Reads what runs: bodies of functions, initial values and arguments of macros. Goes through the tokens once and
 * tells facts of every call, every name used as a value, and every variable with the path of its value. Each
 * variable gets a name of its own, so that one that hides another is told apart: `book#`, then `book#2`.
 */

import {
  MATCHING,
  QUOTING,
  SAME_VALUE,
  STD_MACROS,
  STOPPING,
  TEXTUAL,
  TRUTHS,
  TRYING,
} from '#ingest/languages/rust-macros-known'
import type { MacroRules } from '#ingest/languages/rust-macro-rules'
import { LONGEST_RECEIVER, type NameCounts, Names, NEVER } from '#ingest/languages/rust-names'
import { Patterns, RANGES } from '#ingest/languages/rust-patterns'
import { type Cursor, LIFETIME, NAME, NUMBER, OPEN, SIGN, TEXT } from '#ingest/languages/rust-tokens'
import { readArguments, readExpressionPath, readType } from '#ingest/languages/rust-types'
import type { FactsBuilder } from '#ingest/source'

/** Expressions within expressions that are followed. */
const DEEPEST = 200

const ITEMS = new Set('fn struct enum impl trait mod use static type extern pub union macro_rules'.split(' '))
const BLOCKS = new Set(['if', 'match', 'loop', 'while', 'for', 'unsafe'])
const COMPARISONS = new Set(['==', '!=', '<=', '>=', '<', '>', '&&', '||'])
const ARITHMETIC = new Set(['+', '-', '*', '/', '%', '^', '&', '|'])
const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '&=', '|='])
const WORDS = new Set('mut ref move box dyn where in else true false crate self Self super as'.split(' '))
export class Body {
  readonly #cursor: Cursor
  readonly #rules: MacroRules
  readonly #names: Names
  readonly #patterns: Patterns
  /** Where the next expression is handed to, when it is a function: `items#.iter().map.|0`. */
  #taker = ''
  #depth = 0

  constructor(cursor: Cursor, facts: FactsBuilder, scope: number, counts: NameCounts, rules: MacroRules) {
    this.#rules = rules
    this.#cursor = cursor
    this.#names = new Names(cursor, facts, scope, counts)
    this.#patterns = new Patterns(this.#names)
  }

  // ---- entries

  /** The parameters between the brackets here, `self` left out; returns their types. */
  parameters(): string[] {
    const c = this.#cursor
    const types: string[] = []
    const outer = c.end
    c.end = c.close()
    c.at++
    while (c.at < c.end) {
      const before = c.at
      c.skipAttributes()
      const from = c.at
      while (c.is('&') || c.is('mut') || c.kind === LIFETIME) c.at++
      if (c.is('self')) {
        c.skipTo(',')
      } else {
        c.at = from
        c.skipTo(':', ',')
        const to = c.at
        if (c.take(':')) {
          const type = readType(c, this.#names.typeNamed)
          types.push(type)
          this.#patterns.within(from, to, '', type, 'parameter')
        }
      }
      c.skipTo(',')
      c.take(',')
      if (c.at === before) c.skip()
    }
    c.at = Math.min(outer, c.end + 1)
    c.end = outer
    return types
  }

  /** The statements of the block here; returns the path of what it gives. */
  block(): string {
    const c = this.#cursor
    if (!c.is('{')) return ''
    const close = c.close()
    c.at++
    const value = this.#statements(close)
    c.at = Math.min(c.end, close + 1)
    return value
  }

  value(): string {
    return this.#expression(true)
  }

  /** What stands up to the token `end`, as arguments of a macro do. */
  arguments(end: number): void {
    this.#statements(end, [])
  }

  /** The arguments of the macro here, whose brackets are next. */
  macroArguments(name: string): string[] {
    const c = this.#cursor
    const close = c.close()
    const values: string[] = []
    if (QUOTING.has(name)) {
      c.at = Math.min(c.end, close + 1)
      return values
    }
    const names = this.#names.plain.length
    c.at++
    if (MATCHING.has(name)) {
      const outer = c.end
      c.end = close
      const value = this.#expression(true)
      if (c.take(',')) this.#patterns.read(value, '', 'local', true)
      if (c.take('if')) this.#expression(true)
      c.end = outer
    }
    this.#statements(close, values)
    this.#names.leave(names)
    c.at = Math.min(c.end, close + 1)
    return values
  }

  // ---- statements

  /** Statements up to the token `end`, of a macro also its arguments. The value of the last expression. */
  #statements(end: number, values?: string[]): string {
    const c = this.#cursor
    const outer = c.end
    c.end = Math.min(end, outer)
    const names = this.#names.plain.length
    let value = '@Unit()'
    while (c.at < c.end) {
      c.skipAttributes()
      if (c.is(';')) {
        c.at++
        value = '@Unit()'
        continue
      }
      if (c.kind === NAME) {
        const word = c.word()
        if (word === 'let') {
          this.#let()
          value = '@Unit()'
          continue
        }
        if (this.#isItem(word)) {
          this.#skipItem(word)
          value = '@Unit()'
          continue
        }
        // a named argument of a macro
        if (values !== undefined && c.is('=', c.at + 1) && !c.is('.')) c.at += 2
      }
      const before = c.at
      value = this.#statement()
      if (c.at === before) c.skip()
      else values?.push(value)
    }
    this.#names.leave(names)
    c.end = outer
    return value
  }

  /** An expression; one that ends with a block ends the statement. */
  #statement(): string {
    const c = this.#cursor
    const isBlock = c.is('{') || (c.kind === NAME && BLOCKS.has(c.word())) || c.kind === LIFETIME
    if (!isBlock) return this.#expression(true)
    const value = this.#primary(true)
    if (!c.is('.') && !c.is('?')) return value
    return this.#binary(this.#postfix(value), true, true)
  }

  #isItem(word: string): boolean {
    const c = this.#cursor
    if (word === 'const') return !c.is('{', c.at + 1) && !c.is('|', c.at + 1) && !c.is('move', c.at + 1)
    if (word === 'async') return c.is('fn', c.at + 1) || c.is('unsafe', c.at + 1)
    if (word === 'unsafe') return !c.is('{', c.at + 1)
    if (!ITEMS.has(word)) return false
    if (word === 'union' || word === 'macro_rules') return c.isName(c.at + 1) || c.is('!', c.at + 1)
    return c.isName(c.at + 1) || !c.is('.', c.at + 1)
  }

  #skipItem(word: string): void {
    const c = this.#cursor
    if (word === 'use' || word === 'static' || word === 'type' || (word === 'const' && !c.is('fn', c.at + 1)))
      c.skipTo(';')
    else c.skipTo(';', '{')
    c.skip()
  }

  #let(): void {
    const c = this.#cursor
    c.at++
    const from = c.at
    c.skipTo(':', '=', ';')
    const to = c.at
    const type = c.take(':') ? readType(c, this.#names.typeNamed) : ''
    const value = c.take('=') ? this.#expression(true) : ''
    if (c.take('else')) this.block()
    this.#patterns.within(from, to, value, type, 'local')
    c.take(';')
  }

  // ---- expressions

  #expression(struct: boolean, logic = true): string {
    if (this.#depth > DEEPEST) {
      this.#cursor.skip()
      return ''
    }
    this.#depth++
    const value = this.#binary(this.#operand(struct), struct, logic)
    this.#depth--
    return value
  }

  #binary(first: string, struct: boolean, logic: boolean): string {
    const c = this.#cursor
    let value = first
    while (c.kind === SIGN) {
      const sign = c.word()
      if (ASSIGNMENTS.has(sign)) {
        c.at++
        const right = this.#expression(struct)
        if (sign === '=') this.#names.assigned(value, right)
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
        if (this.#beginsOperand(struct)) this.#operand(struct)
        value = `@Range(${this.#names.short(value)})`
      } else if (ARITHMETIC.has(sign)) {
        c.at++
        const other = this.#operand(struct)
        if (value === '' || value === '@int()') value = other
      } else break
    }
    return value
  }

  #beginsOperand(struct: boolean): boolean {
    const c = this.#cursor
    if (c.kind === OPEN) return struct || !c.is('{')
    if (c.kind === SIGN) return c.is('&') || c.is('*') || c.is('-') || c.is('!') || c.is('::') || c.is('<')
    return c.kind === NAME || c.kind === NUMBER || c.kind === TEXT
  }

  #operand(struct: boolean): string {
    const c = this.#cursor
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
    if (c.is('|') || c.is('||')) return this.#closure(taker)
    if (c.kind === SIGN && RANGES.has(c.word())) {
      c.at++
      if (this.#beginsOperand(struct)) this.#operand(struct)
      return '@Range()'
    }
    return this.#postfix(this.#primary(struct, taker))
  }

  #primary(struct: boolean, taker = ''): string {
    const c = this.#cursor
    switch (c.kind) {
      case LIFETIME:
        c.at++
        if (!c.take(':')) return ''
        return this.#primary(struct)
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
        if (c.is('<') || c.is('::')) return this.#path(struct)
        return ''
      case NAME:
        return this.#word(struct, taker)
    }
    return ''
  }

  #bracketed(): string {
    const c = this.#cursor
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
      parts.push(this.#expression(true))
      if (c.take(',')) commas++
      else if (!c.take(';') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    if (isArray) return `@Array(${parts.length === 0 ? '' : this.#names.short(parts[0])})`
    if (parts.length === 0) return '@Unit()'
    if (parts.length === 1 && commas === 0) return parts[0]
    return `@Tuple(${parts.map((it) => this.#names.short(it)).join(',')})`
  }

  #word(struct: boolean, taker: string): string {
    const c = this.#cursor
    const word = c.word()
    switch (word) {
      case 'true':
      case 'false':
        c.at++
        return '@bool()'
      case 'if':
        return this.#if()
      case 'match':
        return this.#match()
      case 'while': {
        c.at++
        const names = this.#names.plain.length
        this.#condition()
        this.block()
        this.#names.leave(names)
        return '@Unit()'
      }
      case 'loop':
        c.at++
        this.block()
        return ''
      case 'for':
        return this.#for()
      case 'unsafe':
      case 'const':
      case 'try':
        c.at++
        return c.is('{') ? this.block() : ''
      case 'async':
        c.at++
        c.take('move')
        if (c.is('|') || c.is('||')) return this.#closure(taker)
        return this.block()
      case 'return':
      case 'break':
      case 'yield':
      case 'become':
      case 'continue': {
        c.at++
        if (c.kind === LIFETIME) c.at++
        if (this.#beginsOperand(struct) || c.is('|') || c.is('||')) this.#expression(struct)
        return NEVER
      }
      case 'let': {
        // within a condition
        c.at++
        const from = c.at
        c.skipTo('=')
        const to = c.at
        c.at++
        const value = this.#expression(false, false)
        this.#patterns.within(from, to, value, '', 'local')
        return '@bool()'
      }
      case 'else':
      case 'in':
      case 'where':
        c.at++
        return ''
    }
    return this.#path(struct)
  }

  #condition(): void {
    this.#expression(false)
  }

  #if(): string {
    const c = this.#cursor
    c.at++
    const names = this.#names.plain.length
    this.#condition()
    const values = [this.block()]
    this.#names.leave(names)
    if (c.take('else')) values.push(c.is('if') ? this.#if() : this.block())
    return this.#oneOf(values)
  }

  /** The value of several branches: that of the first that says something. */
  #oneOf(values: readonly string[]): string {
    const known = [...new Set(values.filter((it) => it !== '' && it !== NEVER && it !== '@Unit()'))]
    if (known.length === 0) return values.length > 0 && values.every((it) => it === NEVER) ? NEVER : (values[0] ?? '')
    if (known.length === 1) return known[0]
    return `@any(${known
      .slice(0, 4)
      .map((it) => this.#names.short(it))
      .join(',')})`
  }

  #for(): string {
    const c = this.#cursor
    c.at++
    const names = this.#names.plain.length
    const from = c.at
    c.skipTo('in', '{')
    const to = c.at
    c.take('in')
    const value = this.#expression(false)
    this.#patterns.within(
      from,
      to,
      value === '' ? '' : `${this.#names.short(value, LONGEST_RECEIVER)}.into_iter().next().?`,
      '',
      'local',
    )
    this.block()
    this.#names.leave(names)
    return '@Unit()'
  }

  #match(): string {
    const c = this.#cursor
    c.at++
    const value = this.#expression(false)
    if (!c.is('{')) return ''
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const matched = value === '' ? '' : this.#names.short(value)
    const values: string[] = []
    while (c.at < close) {
      const before = c.at
      c.skipAttributes()
      const names = this.#names.plain.length
      this.#patterns.read(matched, '', 'local', true)
      if (c.take('if')) this.#expression(true)
      if (c.take('=>')) {
        values.push(c.is('{') ? this.#statement() : this.#expression(true))
      }
      this.#names.leave(names)
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    return this.#oneOf(values)
  }

  #closure(taker: string): string {
    const c = this.#cursor
    const names = this.#names.plain.length
    if (!c.take('||')) {
      c.at++
      for (let i = 0; c.at < c.end && !c.is('|'); i++) {
        const before = c.at
        const from = c.at
        c.skipTo(':', ',', '|')
        const to = c.at
        const type = c.take(':') ? readType(c, this.#names.typeNamed) : ''
        this.#patterns.within(from, to, taker === '' ? '' : `${taker}.${i}`, type, 'local')
        c.skipTo(',', '|')
        if (!c.take(',') && c.at === before) c.skip()
      }
      c.take('|')
    }
    let result = ''
    if (c.take('->')) {
      const type = readType(c, this.#names.typeNamed, false)
      this.block()
      if (type !== '') result = `@as(:${type})`
    } else result = this.#expression(true)
    this.#names.leave(names)
    return `|${result === NEVER ? '' : this.#names.short(result)}`
  }

  #postfix(first: string): string {
    const c = this.#cursor
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
          value = value === '' ? '' : `${this.#names.short(value, LONGEST_RECEIVER)}.${position}`
          continue
        }
        if (!c.isName(at)) return value
        c.at = at
        value = this.#member(value)
      } else if (c.is('?')) {
        c.at++
        if (value !== '') value = `${value}.?`
      } else if (c.is('(')) {
        const args = this.#call(value)
        value = value === '' || value === NEVER ? '' : `${value}(${args})`
      } else if (c.is('[')) {
        value = this.#index(value)
      } else if (c.is('as') && c.at + 1 < c.end) {
        c.at++
        const type = readType(c, this.#names.typeNamed, false)
        value = type === '' ? '' : `@as(:${type})`
      } else return value
    }
  }

  /** `.name`, `.name(…)` or `.name::<T>(…)`. */
  #member(receiver: string): string {
    const c = this.#cursor
    const offset = c.start
    const name = c.word()
    c.at++
    let types = ''
    if (c.is('::') && c.is('<', c.at + 1)) {
      c.at++
      types = readArguments(c, this.#names.typeNamed)
    }
    const head = receiver === '' || receiver === NEVER ? '?' : this.#names.short(receiver, LONGEST_RECEIVER)
    if (!c.is('(')) return head === '?' ? '' : `${head}.${name}`
    const path = `${head}.${name}`
    const count = this.#names.facts.facts.references.length
    this.#names.refer('calls', path, offset, 0)
    const args = this.#arguments(path, types)
    if (this.#names.facts.facts.references.length > count) this.#names.facts.facts.references[count].args = args.length
    this.#names.fill(receiver, name, args)
    return `${path}(${args.text})`
  }

  #call(callee: string): string {
    return this.#arguments(callee === '' ? '' : this.#names.short(callee, LONGEST_RECEIVER), '').text
  }

  /** Reads the arguments in the brackets here. */
  #arguments(callee: string, types: string): { text: string; length: number; values: string[] } {
    const c = this.#cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const values: string[] = []
    while (c.at < close) {
      const before = c.at
      if (callee !== '' && this.#beginsClosure()) this.#taker = `${callee}.|${values.length}`
      values.push(this.#expression(true))
      this.#taker = ''
      if (!c.take(',') && c.at === before) {
        values.pop()
        c.skip()
      }
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    const parts = values.map((it) => this.#names.short(it))
    while (parts.length > 0 && parts[parts.length - 1] === '_') parts.pop()
    if (types !== '') parts.push(`:<${types}>`)
    return { text: parts.join(','), length: values.length, values }
  }

  #beginsClosure(): boolean {
    const c = this.#cursor
    if (c.is('|') || c.is('||')) return true
    return (c.is('move') || c.is('async') || c.is('static')) && !c.is('{', c.at + 1)
  }

  #index(value: string): string {
    const c = this.#cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const key = this.#expression(true)
    c.end = outer
    c.at = Math.min(outer, close + 1)
    if (value === '' || value === NEVER || key.startsWith('@Range(')) return value
    return `${this.#names.short(value, LONGEST_RECEIVER)}[]`
  }

  // ---- paths

  #path(struct: boolean): string {
    const c = this.#cursor
    const { path, types, start } = readExpressionPath(this.#cursor, this.#names.typeNamed)
    if (path === '') return ''
    if (c.is('!') && c.at + 1 < c.end && c.tokens.kinds[c.at + 1] === OPEN) {
      c.at++
      return this.#macro(path, start)
    }
    if (!path.includes('.')) {
      const local = this.#names.local(path)
      if (local !== undefined) {
        return c.is('(') ? `${local}(${this.#arguments(local, types).text})` : local
      }
      if (path === 'self') return path
      if (WORDS.has(path) && path !== 'Self' && path !== 'crate' && path !== 'super') return ''
    }
    if (c.is('(')) {
      return `${path}(${this.#called(path, start, types)})`
    }
    if (struct && c.is('{') && this.#beginsFields(path)) {
      this.#names.refer('calls', path, start)
      this.#fields()
      return `${path}()`
    }
    this.#names.refer('references', path, start)
    return path
  }

  /** Tells a call of a path whose arguments are next; gives their text. */
  #called(path: string, start: number, types: string): string {
    const { references } = this.#names.facts.facts
    const count = references.length
    this.#names.refer('calls', path, start)
    const told = references.length > count
    const args = this.#arguments(path, types)
    if (told) {
      references[count].args = args.length
      // which implementation is meant follows from the first argument
      const first = args.values[0] ?? ''
      if (path.includes('.') && first !== '' && (first === 'self' || /\.(?:try_)?from$/.test(path)))
        references[count].argTypes = [this.#names.short(first)]
    }
    return args.text
  }

  #beginsFields(path: string): boolean {
    const c = this.#cursor
    const at = c.at + 1
    if (!/^[A-Z]/.test(path.slice(path.lastIndexOf('.') + 1))) return false
    if (c.is('}', at) || c.is('..', at) || c.is('#', at)) return true
    const isField = c.isName(at) || c.tokens.kinds[at] === NUMBER
    return isField && (c.is(':', at + 1) || c.is(',', at + 1) || c.is('}', at + 1))
  }

  /** The fields of a literal, in the brackets here. */
  #fields(): void {
    const c = this.#cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    while (c.at < close) {
      const before = c.at
      c.skipAttributes()
      if (c.take('..')) this.#expression(true)
      else {
        const name = c.word()
        c.at++
        if (c.take(':')) this.#expression(true)
        else if (this.#names.local(name) === undefined) this.#names.refer('references', name, c.tokens.starts[before])
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }

  #macro(path: string, start: number): string {
    const name = path.slice(path.lastIndexOf('.') + 1)
    if (!STD_MACROS.has(path) || this.#rules.has(path)) this.#names.refer('calls', `${path}!`, start)
    const [first, ...more] = this.macroArguments(name)
    if (name === 'vec') return `@Vec(${first === undefined ? '' : this.#names.short(first)})`
    if (STOPPING.has(name)) return NEVER
    if (TEXTUAL.has(name)) return name === 'format' ? '@String()' : '@str()'
    if (TRUTHS.has(name)) return '@bool()'
    if (SAME_VALUE.has(name) && more.length === 0) return first ?? ''
    if (TRYING.has(name) && first !== undefined && first !== '') return `${first}.?`
    return ''
  }

  // ---- patterns
}
