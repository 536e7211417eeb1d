/**
 * Reads what runs: bodies of functions, initial values and arguments of macros. Goes through the tokens once and
 * tells facts of every call, every name used as a value, and every variable with the path of its value. Each
 * variable gets a name of its own, so that one that hides another is told apart: `book#`, then `book#2`.
 */

import type { Binding } from '#ingest/facts'
import { type Cursor, LIFETIME, NAME, NUMBER, OPEN, SIGN, TEXT } from '#ingest/languages/rust-tokens'
import { readArguments, readType } from '#ingest/languages/rust-types'
import type { FactsBuilder } from '#ingest/source'

/** Paths longer than this get a name, so that text does not grow with the length of a chain. */
const LONGEST_ARGUMENT = 60
const LONGEST_RECEIVER = 160
/** Expressions within expressions that are followed. */
const DEEPEST = 200
/** What an expression is that never gives a value. */
const NEVER = '!'

const ITEMS = new Set('fn struct enum impl trait mod use static type extern pub union macro_rules'.split(' '))
const BLOCKS = new Set(['if', 'match', 'loop', 'while', 'for', 'unsafe'])
const COMPARISONS = new Set(['==', '!=', '<=', '>=', '<', '>', '&&', '||'])
const ARITHMETIC = new Set(['+', '-', '*', '/', '%', '^', '&', '|'])
const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '&=', '|='])
const RANGES = new Set(['..', '..=', '...'])
const WORDS = new Set('mut ref move box dyn where in else true false crate self Self super as'.split(' '))
/** Macros whose argument is code of another place. */
const QUOTING = new Set(['quote', 'quote_spanned', 'parse_quote', 'parse_quote_spanned', 'macro_rules', 'stringify'])
const MATCHING = new Set(['matches', 'assert_matches', 'debug_assert_matches', 'assert_let'])
const STOPPING = new Set([
  'panic',
  'todo',
  'unimplemented',
  'unreachable',
  'bail',
  'compile_error',
  'unreachable_unchecked',
])
const TEXTUAL = new Set(['format', 'concat', 'stringify', 'env', 'include_str', 'file', 'module_path'])
const TRUTHS = new Set(['matches', 'cfg', 'assert_matches'])
const SAME = new Set(['dbg', 'pin', 'black_box', 'const_format', 'identity'])
const TRYING = new Set(['try', 'ready', 'try_ready', 'task_ready'])
export const STD_MACROS = new Set(
  'println print eprintln eprint format write writeln panic assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne vec todo unimplemented unreachable matches concat stringify include include_str include_bytes env option_env line column file module_path cfg compile_error dbg thread_local macro_rules format_args try'.split(
    ' ',
  ),
)
/** Names that stand for no symbol of the project. */
const KNOWN = new Set(
  'self Self Some None Ok Err str bool char usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 Option Vec Box String'.split(
    ' ',
  ),
)
/** Values that say nothing yet of what they will hold. */
const HOLLOW =
  /^(?:(?:[\w.]+\.)?(?:Vec|VecDeque|BinaryHeap|HashSet|BTreeSet|HashMap|BTreeMap|IndexMap|IndexSet|FxHashMap|AHashMap|SmallVec|ArrayVec)\.(?:new|with_capacity|default)\(.*\)|@Vec\(\)|None)$/
const KEYED = /Map\./

/** How often a variable of a name was bound, by definition. */
export type NameCounts = Map<number, Map<string, number>>

export class Body {
  readonly #cursor: Cursor
  readonly #facts: FactsBuilder
  readonly #scope: number
  readonly #counts: Map<string, number>
  /** Variables in sight, innermost last: plain names beside the names in facts. */
  readonly #names: string[] = []
  readonly #bound: string[] = []
  /** Variables whose value is hollow so far. */
  readonly #hollow = new Map<string, Binding>()
  /** Where the next expression is handed to, when it is a function: `items#.iter().map.|0`. */
  #taker = ''
  #depth = 0

  constructor(cursor: Cursor, facts: FactsBuilder, scope: number, counts: NameCounts) {
    this.#cursor = cursor
    this.#facts = facts
    this.#scope = scope
    let own = counts.get(scope)
    if (own === undefined) {
      own = new Map()
      counts.set(scope, own)
    }
    this.#counts = own
  }

  // ---- names

  #bind(name: string, kind: 'local' | 'parameter', type: string, value: string, offset: number): string {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    const unique = count === 1 ? `${name}#` : `${name}#${count}`
    this.#names.push(name)
    this.#bound.push(unique)
    this.#tell(unique, kind, type, value, offset)
    return unique
  }

  #tell(name: string, kind: 'local' | 'parameter', type: string, value: string, offset: number): void {
    const binding: Binding = {
      scope: this.#scope,
      name,
      kind,
      type,
      value: value === NEVER ? '' : value,
      line: this.#facts.source.lineAt(offset),
    }
    this.#facts.bind(binding)
    if (kind === 'local' && type === '' && (value === '' || HOLLOW.test(value))) this.#hollow.set(name, binding)
  }

  #local(name: string): string | undefined {
    for (let i = this.#names.length - 1; i >= 0; i--) if (this.#names[i] === name) return this.#bound[i]
    return undefined
  }

  /** Forgets the variables bound since there were `count`. */
  #leave(count: number): void {
    this.#names.length = count
    this.#bound.length = count
  }

  /** A path short enough to stand within others. */
  #short(value: string, longest = LONGEST_ARGUMENT): string {
    if (value === '' || value === NEVER) return '_'
    if (value.length <= longest) return value
    const name = `%${this.#counts.get('%') ?? 0}`
    this.#counts.set('%', (this.#counts.get('%') ?? 0) + 1)
    this.#facts.bind({
      scope: this.#scope,
      name,
      kind: 'local',
      type: '',
      value,
      line: this.#facts.source.lineAt(this.#cursor.start),
    })
    return name
  }

  #refer(relation: 'calls' | 'references', path: string, offset: number, args?: number): void {
    if (path === '' || KNOWN.has(path)) return
    const line = this.#facts.source.lineAt(offset)
    this.#facts.reference(this.#scope, relation, path, line, args === undefined ? undefined : { args })
  }

  readonly #typeNamed = (path: string, offset: number): void => this.#refer('references', path, offset)

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
      this.#skipAttributes()
      const from = c.at
      while (c.is('&') || c.is('mut') || c.kind === LIFETIME) c.at++
      if (c.is('self')) {
        c.skipTo(',')
      } else {
        c.at = from
        c.skipTo(':', ',')
        const to = c.at
        if (c.take(':')) {
          const type = readType(c, this.#typeNamed)
          types.push(type)
          this.#patternWithin(from, to, '', type, 'parameter')
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

  /** The arguments of the macro here, whose brackets are next. */
  macroArguments(name: string): string[] {
    const c = this.#cursor
    const close = c.close()
    const values: string[] = []
    if (QUOTING.has(name)) {
      c.at = Math.min(c.end, close + 1)
      return values
    }
    const names = this.#names.length
    c.at++
    if (MATCHING.has(name)) {
      const outer = c.end
      c.end = close
      const value = this.#expression(true)
      if (c.take(',')) this.#pattern(value, '', 'local', true)
      if (c.take('if')) this.#expression(true)
      c.end = outer
    }
    this.#statements(close, values)
    this.#leave(names)
    c.at = Math.min(c.end, close + 1)
    return values
  }

  // ---- statements

  #skipAttributes(): void {
    const c = this.#cursor
    while (c.is('#') && (c.is('[', c.at + 1) || (c.is('!', c.at + 1) && c.is('[', c.at + 2)))) {
      c.at++
      c.take('!')
      c.skip()
    }
  }

  /** Statements up to the token `end`, of a macro also its arguments. The value of the last expression. */
  #statements(end: number, values?: string[]): string {
    const c = this.#cursor
    const outer = c.end
    c.end = Math.min(end, outer)
    const names = this.#names.length
    let value = '@Unit()'
    while (c.at < c.end) {
      this.#skipAttributes()
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
    this.#leave(names)
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
    const type = c.take(':') ? readType(c, this.#typeNamed) : ''
    const value = c.take('=') ? this.#expression(true) : ''
    if (c.take('else')) this.block()
    this.#patternWithin(from, to, value, type, 'local')
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
        if (sign === '=') this.#assigned(value, right)
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
        value = `@Range(${this.#short(value)})`
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

  /** A variable that was hollow holds what it is set to. */
  #assigned(target: string, value: string): void {
    const binding = this.#hollow.get(target)
    if (binding === undefined || value === '' || value === NEVER || value === 'None') return
    binding.value = value
    this.#hollow.delete(target)
  }

  #operand(struct: boolean): string {
    const c = this.#cursor
    const taker = this.#taker
    this.#taker = ''
    for (;;) {
      this.#skipAttributes()
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
    if (isArray) return `@Array(${parts.length === 0 ? '' : this.#short(parts[0])})`
    if (parts.length === 0) return '@Unit()'
    if (parts.length === 1 && commas === 0) return parts[0]
    return `@Tuple(${parts.map((it) => this.#short(it)).join(',')})`
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
        const names = this.#names.length
        this.#condition()
        this.block()
        this.#leave(names)
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
        this.#patternWithin(from, to, value, '', 'local')
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
    const names = this.#names.length
    this.#condition()
    const values = [this.block()]
    this.#leave(names)
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
      .map((it) => this.#short(it))
      .join(',')})`
  }

  #for(): string {
    const c = this.#cursor
    c.at++
    const names = this.#names.length
    const from = c.at
    c.skipTo('in', '{')
    const to = c.at
    c.take('in')
    const value = this.#expression(false)
    this.#patternWithin(
      from,
      to,
      value === '' ? '' : `${this.#short(value, LONGEST_RECEIVER)}.into_iter().next().?`,
      '',
      'local',
    )
    this.block()
    this.#leave(names)
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
    const matched = value === '' ? '' : this.#short(value)
    const values: string[] = []
    while (c.at < close) {
      const before = c.at
      this.#skipAttributes()
      const names = this.#names.length
      this.#pattern(matched, '', 'local', true)
      if (c.take('if')) this.#expression(true)
      if (c.take('=>')) {
        values.push(c.is('{') ? this.#statement() : this.#expression(true))
      }
      this.#leave(names)
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
    return this.#oneOf(values)
  }

  #closure(taker: string): string {
    const c = this.#cursor
    const names = this.#names.length
    if (!c.take('||')) {
      c.at++
      for (let i = 0; c.at < c.end && !c.is('|'); i++) {
        const before = c.at
        const from = c.at
        c.skipTo(':', ',', '|')
        const to = c.at
        const type = c.take(':') ? readType(c, this.#typeNamed) : ''
        this.#patternWithin(from, to, taker === '' ? '' : `${taker}.${i}`, type, 'local')
        c.skipTo(',', '|')
        if (!c.take(',') && c.at === before) c.skip()
      }
      c.take('|')
    }
    let result = ''
    if (c.take('->')) {
      const type = readType(c, this.#typeNamed, false)
      this.block()
      if (type !== '') result = `@as(:${type})`
    } else result = this.#expression(true)
    this.#leave(names)
    return `|${result === NEVER ? '' : this.#short(result)}`
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
          value = value === '' ? '' : `${this.#short(value, LONGEST_RECEIVER)}.${position}`
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
        const type = readType(c, this.#typeNamed, false)
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
      types = readArguments(c, this.#typeNamed)
    }
    const head = receiver === '' || receiver === NEVER ? '?' : this.#short(receiver, LONGEST_RECEIVER)
    if (!c.is('(')) return head === '?' ? '' : `${head}.${name}`
    const path = `${head}.${name}`
    const count = this.#facts.facts.references.length
    this.#refer('calls', path, offset, 0)
    const args = this.#arguments(path, types)
    if (this.#facts.facts.references.length > count) this.#facts.facts.references[count].args = args.length
    this.#fill(receiver, name, args)
    return `${path}(${args.text})`
  }

  /** What is put into a collection says what it holds. */
  #fill(receiver: string, name: string, args: { values: string[] }): void {
    const binding = this.#hollow.get(receiver)
    if (binding === undefined) return
    const { values } = args
    const known = (it: string | undefined): it is string => it !== undefined && it !== '' && it !== '_'
    const type = /(\w+)\.\w+\(/.exec(binding.value)?.[1] ?? 'Vec'
    if (/^push(?:_back|_front)?$/.test(name) && known(values[0])) binding.value = `@${type}(${this.#short(values[0])})`
    else if (name === 'insert' && KEYED.test(binding.value) && known(values[1]))
      binding.value = `@${type}(${this.#short(values[0] ?? '')},${this.#short(values[1])})`
    else if (name === 'insert' && type.endsWith('Set') && known(values[0]))
      binding.value = `@${type}(${this.#short(values[0])})`
    else if (name === 'extend' && known(values[0]))
      binding.value = `@${type}(${this.#short(`${this.#short(values[0])}.into_iter().next().?`)})`
    else return
    this.#hollow.delete(receiver)
  }

  #call(callee: string): string {
    return this.#arguments(callee === '' ? '' : this.#short(callee, LONGEST_RECEIVER), '').text
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
    const parts = values.map((it) => this.#short(it))
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
    return `${this.#short(value, LONGEST_RECEIVER)}[]`
  }

  // ---- paths

  /** A path with its last type arguments, read from here; '' when none starts. */
  #readPath(): { path: string; types: string; start: number } {
    const c = this.#cursor
    const { start } = c
    let types = ''
    let path = ''
    if (c.is('<')) {
      c.at++
      path = readType(c, this.#typeNamed).replace(/<.*$/, '')
      if (c.take('as')) readType(c, this.#typeNamed)
      while (c.at < c.end && !c.is('>')) c.skip()
      c.take('>')
    } else if (c.is('::')) {
      c.at++
      path = `::${c.word()}`
      c.at++
    } else {
      path = c.word()
      c.at++
    }
    for (;;) {
      if (!c.is('::')) break
      if (c.is('<', c.at + 1)) {
        c.at++
        types = readArguments(c, this.#typeNamed)
        if (!c.is('::')) break
      }
      if (!c.isName(c.at + 1)) break
      path = path === '' ? c.word(c.at + 1) : `${path}.${c.word(c.at + 1)}`
      c.at += 2
    }
    return { path, types, start }
  }

  #path(struct: boolean): string {
    const c = this.#cursor
    const { path, types, start } = this.#readPath()
    if (path === '') return ''
    if (c.is('!') && c.at + 1 < c.end && c.tokens.kinds[c.at + 1] === OPEN) {
      c.at++
      return this.#macro(path, start)
    }
    if (!path.includes('.')) {
      const local = this.#local(path)
      if (local !== undefined) {
        if (!c.is('(')) return local
        const args = this.#called(local, start, types)
        return `${local}(${args})`
      }
      if (path === 'self') return path
      if (WORDS.has(path) && path !== 'Self' && path !== 'crate' && path !== 'super') return ''
    }
    if (c.is('(')) {
      return `${path}(${this.#called(path, start, types)})`
    }
    if (struct && c.is('{') && this.#beginsFields(path)) {
      this.#facts.reference(this.#scope, 'calls', path, this.#facts.source.lineAt(start))
      this.#fields()
      return `${path}()`
    }
    this.#refer('references', path, start)
    return path
  }

  /** Tells a call of a path whose arguments are next; gives their text. */
  #called(path: string, start: number, types: string): string {
    const { references } = this.#facts.facts
    const count = references.length
    if (path === 'Self') this.#facts.reference(this.#scope, 'calls', path, this.#facts.source.lineAt(start))
    else this.#refer('calls', path, start)
    const told = references.length > count
    const args = this.#arguments(path, types)
    if (told) references[count].args = args.length
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
      this.#skipAttributes()
      if (c.take('..')) this.#expression(true)
      else {
        const name = c.word()
        c.at++
        if (c.take(':')) this.#expression(true)
        else if (this.#local(name) === undefined) this.#refer('references', name, c.tokens.starts[before])
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }

  #macro(path: string, start: number): string {
    const name = path.slice(path.lastIndexOf('.') + 1)
    if (!STD_MACROS.has(path)) this.#refer('calls', `${path}!`, start)
    const [first, ...more] = this.macroArguments(name)
    if (name === 'vec') return `@Vec(${first === undefined ? '' : this.#short(first)})`
    if (STOPPING.has(name)) return NEVER
    if (TEXTUAL.has(name)) return name === 'format' ? '@String()' : '@str()'
    if (TRUTHS.has(name)) return '@bool()'
    if (SAME.has(name) && more.length === 0) return first ?? ''
    if (TRYING.has(name) && first !== undefined && first !== '') return `${first}.?`
    return ''
  }

  // ---- patterns

  /** Reads a pattern that stands elsewhere, and comes back. */
  #patternWithin(from: number, to: number, value: string, type: string, kind: 'local' | 'parameter'): void {
    const c = this.#cursor
    const { at, end } = c
    c.at = from
    c.end = to
    this.#pattern(value, type, kind, true)
    c.at = at
    c.end = end
  }

  /** Binds the names of a pattern to parts of `value`. */
  #pattern(value: string, type: string, kind: 'local' | 'parameter', several: boolean): void {
    const c = this.#cursor
    const from = this.#names.length
    c.take('|')
    this.#onePattern(value, type, kind)
    while (several && c.take('|')) this.#alternative(value, type, kind, from)
  }

  /** A further alternative binds the names of the first one. */
  #alternative(value: string, type: string, kind: 'local' | 'parameter', from: number): void {
    const names = this.#names.length
    this.#onePattern(value, type, kind)
    const { bindings } = this.#facts.facts
    for (let i = names; i < this.#names.length; i++) {
      const first = this.#names.indexOf(this.#names[i], from)
      if (first < 0 || first >= names) continue
      for (let b = bindings.length - 1; b >= 0; b--) {
        if (bindings[b].scope !== this.#scope || bindings[b].name !== this.#bound[i]) continue
        bindings[b].name = this.#bound[first]
        break
      }
    }
    this.#leave(names)
  }

  #onePattern(whole: string, type: string, kind: 'local' | 'parameter'): void {
    const c = this.#cursor
    while (c.is('&') || c.is('&&') || c.is('mut') || c.is('ref') || c.is('box')) c.at++
    if (c.is('(') || c.is('[')) {
      const value = type === '' ? whole : `@as(:${type})`
      this.#parts(value, kind, c.is('['))
      return
    }
    if (c.kind !== NAME) {
      while (c.is('-') || c.kind === TEXT || c.kind === NUMBER || (c.kind === SIGN && RANGES.has(c.word()))) c.at++
      return
    }
    if (c.take('_')) return
    const offset = c.start
    const isPlain = !c.is('::', c.at + 1) && !c.is('(', c.at + 1) && !c.is('{', c.at + 1) && !c.is('!', c.at + 1)
    const first = c.word()
    if (isPlain && /^[\p{Ll}_]/u.test(first) && first !== 'crate' && first !== 'self') {
      c.at++
      this.#bind(first, kind, type, type === '' ? whole : '', offset)
      if (c.take('@')) this.#onePattern(whole, type, kind)
      return
    }
    const { path } = this.#readPath()
    if (c.take('!')) {
      c.skip()
      return
    }
    this.#refer('references', path, offset)
    const value = type === '' ? whole : `@as(:${type})`
    if (c.is('(')) this.#parts(`@match(${this.#short(value)},${path})`, kind, false)
    else if (c.is('{')) this.#namedParts(`@match(${this.#short(value)},${path})`, kind)
    else if (RANGES.has(c.word())) {
      c.at++
      if (c.isName() || c.isLiteral()) c.at++
    }
  }

  /** The parts of a tuple, or of a slice. */
  #parts(value: string, kind: 'local' | 'parameter', isSlice: boolean): void {
    const c = this.#cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const isView = value.startsWith('@match(')
    let comma = c.at
    while (comma < close && !c.is(',', comma)) comma = c.tokens.kinds[comma] === OPEN ? c.close(comma) + 1 : comma + 1
    // brackets that only group
    const groups = !isSlice && !isView && comma >= close
    const short = value === '' || groups ? value : this.#short(value)
    let open = false
    for (let i = 0; c.at < close; i++) {
      const before = c.at
      if (c.take('..')) open = true
      else {
        const rest = c.is('..', c.at + 2) && c.is('@', c.at + 1)
        const part =
          short === '' || (open && !isSlice) ? '' : groups || rest ? short : isSlice ? `${short}[]` : `${short}.${i}`
        this.#pattern(part, '', kind, true)
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }

  #namedParts(value: string, kind: 'local' | 'parameter'): void {
    const c = this.#cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const short = this.#short(value)
    while (c.at < close) {
      const before = c.at
      this.#skipAttributes()
      while (c.is('ref') || c.is('mut') || c.is('box')) c.at++
      if (c.kind === NAME || c.kind === NUMBER) {
        const name = c.word()
        const offset = c.start
        c.at++
        if (c.take(':')) this.#pattern(`${short}.${name}`, '', kind, true)
        else this.#bind(name, kind, '', `${short}.${name}`, offset)
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }
}
