/**
 * Reads what runs: bodies of functions, initial values and arguments of macros. Goes through the tokens once and
 * tells facts of every call, every name used as a value, and every variable with the path of its value. Each
 * variable gets a name of its own, so that one that hides another is told apart: `book#`, then `book#2`.
 */

import { Expressions } from '#ingest/languages/rust-expressions'
import { MATCHING, QUOTING } from '#ingest/languages/rust-macros-known'
import { LONGEST_RECEIVER, NEVER } from '#ingest/languages/rust-names'
import { LIFETIME, NAME } from '#ingest/languages/rust-tokens'
import { readType } from '#ingest/languages/rust-types'

const ITEMS = new Set('fn struct enum impl trait mod use static type extern pub union macro_rules'.split(' '))
const BLOCKS = new Set(['if', 'match', 'loop', 'while', 'for', 'unsafe'])
export class Body extends Expressions {
  // ---- entries

  /** The parameters between the brackets here, `self` left out; returns their types. */
  parameters(): string[] {
    const c = this.cursor
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
          const type = readType(c, this.names.typeNamed)
          types.push(type)
          this.patterns.within(from, to, '', type, 'parameter')
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
    const c = this.cursor
    if (!c.is('{')) return ''
    const close = c.close()
    c.at++
    const value = this.statements(close)
    c.at = Math.min(c.end, close + 1)
    return value
  }

  value(): string {
    return this.expression(true)
  }

  /** What stands up to the token `end`, as arguments of a macro do. */
  arguments(end: number): void {
    this.statements(end, [])
  }

  /** The arguments of the macro here, whose brackets are next. */
  macroArguments(name: string): string[] {
    const c = this.cursor
    const close = c.close()
    const values: string[] = []
    if (QUOTING.has(name)) {
      c.at = Math.min(c.end, close + 1)
      return values
    }
    const names = this.names.plain.length
    c.at++
    if (MATCHING.has(name)) {
      const outer = c.end
      c.end = close
      const value = this.expression(true)
      if (c.take(',')) this.patterns.read(value, '', 'local', true)
      if (c.take('if')) this.expression(true)
      c.end = outer
    }
    this.statements(close, values)
    this.names.leave(names)
    c.at = Math.min(c.end, close + 1)
    return values
  }

  // ---- statements

  /** Statements up to the token `end`, of a macro also its arguments. The value of the last expression. */
  statements(end: number, values?: string[]): string {
    const c = this.cursor
    const outer = c.end
    c.end = Math.min(end, outer)
    const names = this.names.plain.length
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
    this.names.leave(names)
    c.end = outer
    return value
  }

  /** An expression; one that ends with a block ends the statement. */
  #statement(): string {
    const c = this.cursor
    const isBlock = c.is('{') || (c.kind === NAME && BLOCKS.has(c.word())) || c.kind === LIFETIME
    if (!isBlock) return this.expression(true)
    const value = this.primary(true)
    if (!c.is('.') && !c.is('?')) return value
    return this.binary(this.postfix(value), true, true)
  }

  #isItem(word: string): boolean {
    const c = this.cursor
    if (word === 'const') return !c.is('{', c.at + 1) && !c.is('|', c.at + 1) && !c.is('move', c.at + 1)
    if (word === 'async') return c.is('fn', c.at + 1) || c.is('unsafe', c.at + 1)
    if (word === 'unsafe') return !c.is('{', c.at + 1)
    if (!ITEMS.has(word)) return false
    if (word === 'union' || word === 'macro_rules') return c.isName(c.at + 1) || c.is('!', c.at + 1)
    return c.isName(c.at + 1) || !c.is('.', c.at + 1)
  }

  #skipItem(word: string): void {
    const c = this.cursor
    if (word === 'use' || word === 'static' || word === 'type' || (word === 'const' && !c.is('fn', c.at + 1)))
      c.skipTo(';')
    else c.skipTo(';', '{')
    c.skip()
  }

  #let(): void {
    const c = this.cursor
    c.at++
    const from = c.at
    c.skipTo(':', '=', ';')
    const to = c.at
    const type = c.take(':') ? readType(c, this.names.typeNamed) : ''
    const value = c.take('=') ? this.expression(true) : ''
    if (c.take('else')) this.block()
    this.patterns.within(from, to, value, type, 'local')
    c.take(';')
  }

  // ---- expressions

  word(struct: boolean, taker: string): string {
    const c = this.cursor
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
        const names = this.names.plain.length
        this.#condition()
        this.block()
        this.names.leave(names)
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
        if (c.is('|') || c.is('||')) return this.closure(taker)
        return this.block()
      case 'return':
      case 'break':
      case 'yield':
      case 'become':
      case 'continue': {
        c.at++
        if (c.kind === LIFETIME) c.at++
        if (this.beginsOperand(struct) || c.is('|') || c.is('||')) this.expression(struct)
        return NEVER
      }
      case 'let': {
        // within a condition
        c.at++
        const from = c.at
        c.skipTo('=')
        const to = c.at
        c.at++
        const value = this.expression(false, false)
        this.patterns.within(from, to, value, '', 'local')
        return '@bool()'
      }
      case 'else':
      case 'in':
      case 'where':
        c.at++
        return ''
    }
    return this.path(struct)
  }

  #condition(): void {
    this.expression(false)
  }

  #if(): string {
    const c = this.cursor
    c.at++
    const names = this.names.plain.length
    this.#condition()
    const values = [this.block()]
    this.names.leave(names)
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
      .map((it) => this.names.short(it))
      .join(',')})`
  }

  #for(): string {
    const c = this.cursor
    c.at++
    const names = this.names.plain.length
    const from = c.at
    c.skipTo('in', '{')
    const to = c.at
    c.take('in')
    const value = this.expression(false)
    this.patterns.within(
      from,
      to,
      value === '' ? '' : `${this.names.short(value, LONGEST_RECEIVER)}.into_iter().next().?`,
      '',
      'local',
    )
    this.block()
    this.names.leave(names)
    return '@Unit()'
  }

  #match(): string {
    const c = this.cursor
    c.at++
    const value = this.expression(false)
    if (!c.is('{')) return ''
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const matched = value === '' ? '' : this.names.short(value)
    const values: string[] = []
    while (c.at < close) {
      const before = c.at
      c.skipAttributes()
      const names = this.names.plain.length
      this.patterns.read(matched, '', 'local', true)
      if (c.take('if')) this.expression(true)
      if (c.take('=>')) {
        values.push(c.is('{') ? this.#statement() : this.expression(true))
      }
      this.names.leave(names)
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    return this.#oneOf(values)
  }

  // ---- paths

  // ---- patterns
}
