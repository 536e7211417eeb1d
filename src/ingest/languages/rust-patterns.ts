/** Patterns of Rust: binds their names to parts of the value that is matched. */

import type { Names } from '#ingest/languages/rust-names'
import { type Cursor, NAME, NUMBER, OPEN, SIGN, TEXT } from '#ingest/languages/rust-tokens'
import { readExpressionPath } from '#ingest/languages/rust-types'

type Kind = 'local' | 'parameter'

export const RANGES = new Set(['..', '..=', '...'])

export class Patterns {
  readonly #names: Names
  readonly #cursor: Cursor

  constructor(names: Names) {
    this.#names = names
    this.#cursor = names.cursor
  }

  /** Reads a pattern that stands elsewhere, and comes back. */
  within(from: number, to: number, value: string, type: string, kind: Kind): void {
    const c = this.#cursor
    const { at, end } = c
    c.at = from
    c.end = to
    this.read(value, type, kind, true)
    c.at = at
    c.end = end
  }

  /** Binds the names of a pattern to parts of `value`. */
  read(value: string, type: string, kind: Kind, several: boolean): void {
    const c = this.#cursor
    const from = this.#names.plain.length
    c.take('|')
    this.#onePattern(value, type, kind)
    while (several && c.take('|')) this.#alternative(value, type, kind, from)
  }

  /** A further alternative binds the names of the first one. */
  #alternative(value: string, type: string, kind: Kind, from: number): void {
    const names = this.#names.plain.length
    this.#onePattern(value, type, kind)
    const { bindings } = this.#names.facts.facts
    for (let i = names; i < this.#names.plain.length; i++) {
      const first = this.#names.plain.indexOf(this.#names.plain[i], from)
      if (first < 0 || first >= names) continue
      for (let b = bindings.length - 1; b >= 0; b--) {
        if (bindings[b].scope !== this.#names.scope || bindings[b].name !== this.#names.bound[i]) continue
        bindings[b].name = this.#names.bound[first]
        break
      }
    }
    this.#names.leave(names)
  }

  #onePattern(whole: string, type: string, kind: Kind): void {
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
      this.#names.bind(first, kind, type, type === '' ? whole : '', offset)
      if (c.take('@')) this.#onePattern(whole, type, kind)
      return
    }
    const { path } = readExpressionPath(c, this.#names.typeNamed)
    if (c.take('!')) {
      c.skip()
      return
    }
    this.#names.refer('references', path, offset)
    const value = type === '' ? whole : `@as(:${type})`
    if (c.is('(')) this.#parts(`@match(${this.#names.short(value)},${path})`, kind, false)
    else if (c.is('{')) this.#namedParts(`@match(${this.#names.short(value)},${path})`, kind)
    else if (RANGES.has(c.word())) {
      c.at++
      if (c.isName() || c.isLiteral()) c.at++
    }
  }

  /** The parts of a tuple, or of a slice. */
  #parts(value: string, kind: Kind, isSlice: boolean): void {
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
    const short = value === '' || groups ? value : this.#names.short(value)
    let open = false
    for (let i = 0; c.at < close; i++) {
      const before = c.at
      if (c.take('..')) open = true
      else {
        const rest = c.is('..', c.at + 2) && c.is('@', c.at + 1)
        const part =
          short === '' || (open && !isSlice) ? '' : groups || rest ? short : isSlice ? `${short}[]` : `${short}.${i}`
        this.read(part, '', kind, true)
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }

  #namedParts(value: string, kind: Kind): void {
    const c = this.#cursor
    const close = c.close()
    const outer = c.end
    c.at++
    c.end = close
    const short = this.#names.short(value)
    while (c.at < close) {
      const before = c.at
      c.skipAttributes()
      while (c.is('ref') || c.is('mut') || c.is('box')) c.at++
      if (c.kind === NAME || c.kind === NUMBER) {
        const name = c.word()
        const offset = c.start
        c.at++
        if (c.take(':')) this.read(`${short}.${name}`, '', kind, true)
        else this.#names.bind(name, kind, '', `${short}.${name}`, offset)
      }
      if (!c.take(',') && c.at === before) c.skip()
    }
    c.end = outer
    c.at = Math.min(outer, close + 1)
  }
}
