/**
 * Macros of the own file that define what their arguments name: `func_tests! { empty: "", dot: "." }` of a macro
 * whose body says `fn $name`. Patterns are matched by their marks only, which is enough to find the names.
 */

import { Cursor, NAME, OPEN, SIGN, tokenAt, type Tokens } from '#ingest/languages/rust-tokens'

export interface Made {
  kind: 'fn' | 'struct' | 'enum' | 'trait' | 'type' | 'const' | 'mod'
  /** Token of the name. */
  at: number
  /** Behind the last token that belongs to it. */
  end: number
}

interface Rule {
  /** Tokens of the pattern, without its brackets. */
  from: number
  to: number
  /** Tokens of the body. */
  body: number
  end: number
  /** Variables behind `fn`, `struct` and the like in the body. */
  makes: Map<string, Made['kind']>
}

const KINDS: Record<string, Made['kind']> = {
  fn: 'fn',
  struct: 'struct',
  enum: 'enum',
  union: 'struct',
  trait: 'trait',
  type: 'type',
  const: 'const',
  static: 'const',
  mod: 'mod',
}
/** More rules, tokens or steps than people write. */
const MAX_STEPS = 20_000

export class MacroRules {
  readonly #tokens: Tokens
  readonly #rules = new Map<string, Rule[]>()
  #steps = 0

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    const { text } = tokens
    const cursor = new Cursor(tokens, 0, tokens.count)
    for (let at = text.indexOf('macro_rules!'); at >= 0; at = text.indexOf('macro_rules!', at + 1)) {
      const word = tokenAt(tokens, at)
      if (tokens.starts[word] !== at || !cursor.isName(word + 2)) continue
      const name = cursor.word(word + 2)
      const open = word + 3
      if (tokens.kinds[open] === OPEN) this.#rules.set(name, this.#readRules(open, name))
    }
  }

  /** Macros that the file defines. */
  has(name: string): boolean {
    return this.#rules.has(name)
  }

  /** What an invocation defines whose arguments stand in the brackets at `open`. */
  made(name: string, open: number): Made[] {
    const close = this.#tokens.pairs[open]
    if (close < 0) return []
    for (const rule of this.#rules.get(name) ?? []) {
      if (rule.makes.size === 0) continue
      const found: { variable: string; at: number }[] = []
      this.#steps = 0
      if (this.#match(rule.from, rule.to, open + 1, close, found) !== close) continue
      const made: Made[] = []
      for (const { variable, at } of found) {
        const kind = rule.makes.get(variable)
        if (kind === undefined) continue
        if (made.length > 0) made[made.length - 1].end = at
        made.push({ kind, at, end: close })
      }
      return made
    }
    return []
  }

  #readRules(open: number, name: string): Rule[] {
    const tokens = this.#tokens
    const close = tokens.pairs[open] < 0 ? tokens.count : tokens.pairs[open]
    const rules: Rule[] = []
    const cursor = new Cursor(tokens, open + 1, close)
    while (cursor.at < close) {
      if (cursor.kind !== OPEN) {
        cursor.at++
        continue
      }
      const from = cursor.at + 1
      const to = cursor.close()
      cursor.at = to + 1
      if (!cursor.take('=>') || cursor.kind !== OPEN) continue
      const makes = this.#readBody(cursor.at + 1, cursor.close())
      rules.push({ from, to, body: cursor.at + 1, end: cursor.close(), makes })
      cursor.skip()
    }
    // one that only hands its variables on to another one makes what that one does
    const all = new Map(rules.flatMap((it) => [...it.makes]))
    for (const rule of rules) if (rule.makes.size === 0 && this.#calls(rule, name)) rule.makes = all
    return rules
  }

  #calls({ body, end }: Rule, name: string): boolean {
    const cursor = new Cursor(this.#tokens, body, end)
    for (; cursor.at < end; cursor.at++) if (cursor.is(name) && cursor.is('!', cursor.at + 1)) return true
    return false
  }

  #readBody(from: number, to: number): Map<string, Made['kind']> {
    const makes = new Map<string, Made['kind']>()
    const cursor = new Cursor(this.#tokens, from, to)
    let depth = 0
    for (; cursor.at < to; cursor.at++) {
      // what stands in braces belongs to something else, unless they only repeat
      if (cursor.is('{')) depth++
      else if (cursor.is('}')) depth--
      if (depth > 0 || !cursor.is('$') || !cursor.isName(cursor.at + 1)) continue
      const kind = Object.hasOwn(KINDS, cursor.word(cursor.at - 1)) ? KINDS[cursor.word(cursor.at - 1)] : undefined
      if (kind !== undefined) makes.set(cursor.word(cursor.at + 1), kind)
    }
    return makes
  }

  /** Matches a pattern at `at`; returns the token behind what it takes, -1 when it does not fit. */
  #match(from: number, to: number, at: number, end: number, found: { variable: string; at: number }[]): number {
    const tokens = this.#tokens
    const pattern = new Cursor(tokens, from, to)
    let position = at
    while (pattern.at < to) {
      if (++this.#steps > MAX_STEPS) return -1
      if (pattern.is('$') && pattern.isName(pattern.at + 1)) {
        const variable = pattern.word(pattern.at + 1)
        const fragment = pattern.word(pattern.at + 3)
        pattern.at += 4
        const next = this.#fragment(fragment, pattern, position, end)
        if (next < 0) return -1
        if (fragment === 'ident') found.push({ variable, at: position })
        position = next
      } else if (pattern.is('$') && pattern.is('(', pattern.at + 1)) {
        const inner = pattern.at + 2
        const innerEnd = pattern.close(pattern.at + 1)
        pattern.at = innerEnd + 1
        const separator = pattern.is('*') || pattern.is('+') || pattern.is('?') ? '' : pattern.word()
        if (separator !== '') pattern.at++
        pattern.at++
        for (;;) {
          const mark = found.length
          const next = position < end ? this.#match(inner, innerEnd, position, end, found) : -1
          if (next <= position) {
            found.length = mark
            break
          }
          position = next
          if (separator === '' || position >= end) continue
          if (tokens.text.slice(tokens.starts[position], tokens.ends[position]) !== separator) break
          position++
        }
      } else if (pattern.kind === OPEN) {
        if (position >= end || !pattern.is(this.#word(position))) return -1
        const close = tokens.pairs[position]
        if (close < 0 || this.#match(pattern.at + 1, pattern.close(), position + 1, close, found) !== close) return -1
        position = close + 1
        pattern.skip()
      } else {
        if (position >= end || !pattern.is(this.#word(position))) return -1
        position++
        pattern.at++
      }
    }
    return position
  }

  #word(at: number): string {
    return this.#tokens.text.slice(this.#tokens.starts[at], this.#tokens.ends[at])
  }

  /** The token behind a fragment: of more than one token it goes to the mark that follows in the pattern. */
  #fragment(fragment: string, pattern: Cursor, at: number, end: number): number {
    const { kinds, pairs } = this.#tokens
    if (at >= end) return fragment === 'vis' ? at : -1
    const behind = kinds[at] === OPEN ? pairs[at] + 1 : at + 1
    switch (fragment) {
      case 'ident':
        return kinds[at] === NAME ? at + 1 : -1
      case 'tt':
      case 'literal':
      case 'lifetime':
      case 'block':
        return behind
      case 'vis':
        if (this.#word(at) !== 'pub') return at
        return at + 1 < end && this.#word(at + 1) === '(' ? pairs[at + 1] + 1 : at + 1
    }
    const stop = pattern.kind === 0 || pattern.is('$') || pattern.kind === OPEN ? '' : pattern.word()
    let angles = 0
    let i = at
    while (i < end) {
      const word = this.#word(i)
      if (i > at && angles <= 0 && (word === stop || (stop === '' && (word === ',' || word === ';' || word === '=>'))))
        break
      if (fragment === 'ty' || fragment === 'path') {
        if (word === '<') angles++
        else if (word === '>') angles--
      }
      const isOperand = kinds[i] !== SIGN && word !== 'as' && word !== 'mut'
      i = kinds[i] === OPEN ? pairs[i] + 1 : i + 1
      if (i <= 0) return end
      // two values side by side are two expressions
      if (
        stop === '' &&
        fragment === 'expr' &&
        isOperand &&
        i < end &&
        kinds[i] !== SIGN &&
        kinds[i] !== OPEN &&
        this.#word(i) !== 'as'
      )
        break
    }
    return i
  }
}
