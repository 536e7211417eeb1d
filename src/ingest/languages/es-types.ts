/**
 * Types of TypeScript as facts write them. Besides names with arguments they have a structure: unions `A | B`,
 * intersections `A & B`, functions `(Context,...Array<Next> : Response)`, tuples `[A,B]`, objects `{id:A,owner:B}`,
 * values `typeof config.port`. A part that has no name is empty: `( : Cart)` takes nothing, `(,Cart : )` gives nothing.
 */

import { skipBalanced, splitTopLevel } from '#ingest/expression'
import { syntax } from '#ingest/languages/es-syntax'

const NOTHING = new Set(['null', 'undefined', 'void', 'never'])
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*(?:\s*\.\s*[\p{L}_$][\p{L}\p{N}_$]*)*/uy
const SPACE = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*)*/y
const MODIFIER = /(?:readonly|abstract|unique|asserts|infer)\s+/y
/** Longer types are data or type arithmetic. */
const LONGEST = 2000
const DEEPEST = 12
const MOST_MEMBERS = 40

/** A type as facts write it, '' when nothing of it has a name. */
export function typeOf(text: string): string {
  return read(text.trim(), 0)
}

const PLAIN = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/
/** Names that begin another kind of type. */
const WORDS = new Set(['typeof', 'keyof', 'new', 'infer', 'unique', 'asserts', 'readonly', 'abstract'])

function read(text: string, depth: number): string {
  if (text === '' || text.length > LONGEST || depth > DEEPEST) return ''
  // most types are a name
  if (PLAIN.test(text)) return NOTHING.has(text) || WORDS.has(text) ? '' : text
  return new TypeReader(text, depth).union()
}

class TypeReader {
  readonly #text: string
  readonly #depth: number
  #at = 0

  constructor(text: string, depth: number) {
    this.#text = text
    this.#depth = depth
  }

  #inner(text: string): string {
    return read(text.trim(), this.#depth + 1)
  }

  #skip(): string {
    SPACE.lastIndex = this.#at
    SPACE.exec(this.#text)
    this.#at = SPACE.lastIndex
    return this.#text[this.#at] ?? ''
  }

  #startsWith(word: string): boolean {
    return this.#text.startsWith(word, this.#at)
  }

  union(): string {
    if (this.#skip() === '|') this.#at++
    const parts: string[] = []
    for (;;) {
      const part = this.#intersection()
      if (part !== '' && !NOTHING.has(part) && !parts.includes(part)) parts.push(part)
      if (this.#skip() !== '|') break
      this.#at++
    }
    // a conditional type: what it gives depends on another type
    if (/^extends\b/.test(this.#text.slice(this.#at, this.#at + 8))) return ''
    return parts.join(' | ')
  }

  #intersection(): string {
    if (this.#skip() === '&') this.#at++
    const parts: string[] = []
    for (;;) {
      const part = this.#suffixed()
      if (part !== '' && !parts.includes(part)) parts.push(part)
      if (this.#skip() !== '&') break
      this.#at++
    }
    return parts.join(' & ')
  }

  #suffixed(): string {
    let type = this.#primary()
    while (this.#skip() === '[') {
      const end = skipBalanced(this.#text, this.#at, syntax)
      const inside = this.#text.slice(this.#at + 1, end - 1).trim()
      this.#at = end
      const key = /^(["'])([\p{L}_$][\p{L}\p{N}_$]*)\1$/u.exec(inside)?.[2]
      if (inside === '') type = type === '' ? '' : `Array<${type}>`
      else type = key !== undefined && /^[\w$.]+$/.test(type) ? `${type}.${key}` : ''
    }
    return type
  }

  #primary(): string {
    const text = this.#text
    let c = this.#skip()
    for (;;) {
      MODIFIER.lastIndex = this.#at
      if (MODIFIER.exec(text) === null) break
      this.#at = MODIFIER.lastIndex
      c = this.#skip()
    }
    if (c === '(') return this.#parenthesised()
    if (c === '<') {
      this.#skipAngles()
      return this.#skip() === '(' ? this.#parenthesised() : ''
    }
    if (c === '[') {
      const list = this.#bracketed()
      return `[${splitTopLevel(list, ',', syntax)
        .filter((it) => it.trim() !== '')
        .map((it) => this.#inner(it.replace(/^\s*\.\.\./, '').replace(/^\s*[\w$]+\??\s*:(?!:)/, '')))
        .join(',')}]`
    }
    if (c === '{') return this.#object(this.#bracketed())
    if (c === '"' || c === "'" || c === '`') {
      const end = text.indexOf(c, this.#at + 1)
      this.#at = end < 0 ? text.length : end + 1
      return ''
    }
    NAME.lastIndex = this.#at
    const name = NAME.exec(text)?.[0].replace(/\s/g, '')
    if (name === undefined) {
      // a number, or nothing that is a type
      const word = /^-?[\d.]+/.exec(text.slice(this.#at, this.#at + 40))
      this.#at = word === null ? text.length : this.#at + word[0].length
      return ''
    }
    this.#at = NAME.lastIndex
    if (name === 'new') {
      // what a constructor makes
      if (this.#skip() === '<') this.#skipAngles()
      if (this.#skip() === '(') return this.#parenthesised()
      return ''
    }
    if (name === 'typeof') {
      this.#skip()
      NAME.lastIndex = this.#at
      const value = NAME.exec(text)?.[0].replace(/\s/g, '')
      if (value === undefined) return ''
      this.#at = NAME.lastIndex
      if (this.#skip() === '<') this.#skipAngles()
      return `typeof ${value}`
    }
    if (name === 'keyof') {
      this.#suffixed()
      return ''
    }
    if (/^is\b/.test(text.slice(this.#at).trimStart())) {
      // a type predicate
      this.#at = text.length
      return ''
    }
    if (this.#skip() !== '<') return name
    const open = this.#at
    this.#skipAngles()
    const parts = splitTopLevel(text.slice(open + 1, this.#at - 1), ',', syntax)
    const last = name.slice(name.lastIndexOf('.') + 1)
    if (syntax.transparent.has(last)) return this.#inner(parts[0] ?? '')
    if (last === 'Pick' || last === 'Omit' || last === 'Exclude' || last === 'Extract')
      return this.#inner(parts[0] ?? '')
    return `${name}<${parts.map((it) => this.#inner(it)).join(',')}>`
  }

  #bracketed(): string {
    const end = skipBalanced(this.#text, this.#at, syntax)
    const inside = this.#text.slice(this.#at + 1, end - 1)
    this.#at = end
    return inside
  }

  #skipAngles(): void {
    const text = this.#text
    let depth = 0
    let at = this.#at
    while (at < text.length) {
      const c = text[at]
      if (c === '(' || c === '[' || c === '{') {
        at = skipBalanced(text, at, syntax)
        continue
      }
      at++
      if (c === '<') depth++
      else if (c === '>' && text[at - 2] !== '=') {
        depth--
        if (depth === 0) break
      }
    }
    this.#at = at
  }

  /** A function, or a type in parentheses. */
  #parenthesised(): string {
    const list = this.#bracketed()
    if (this.#skip() !== '=' || !this.#startsWith('=>')) return group(this.#inner(list))
    this.#at += 2
    const parameters = splitTopLevel(list, ',', syntax)
      .filter((it) => it.trim() !== '')
      .map((it) => parameterType(it, (type) => this.#inner(type)))
    return `(${parameters.join(',')} : ${this.union()})`
  }

  /** Members of an object type; an index signature is a map. */
  #object(body: string): string {
    if (body.length > LONGEST / 2) return ''
    const members: string[] = []
    for (const line of splitTopLevel(body, ';', syntax).flatMap((it) => splitTopLevel(it, ',', syntax))) {
      for (const part of splitTopLevel(line, '\n', syntax)) {
        const member = memberOf(part, (type) => this.#inner(type))
        if (member !== '' && members.length < MOST_MEMBERS) members.push(member)
      }
    }
    return members.length === 0 ? '' : `{${members.join(',')}}`
  }
}

/** A union in parentheses keeps its extent by them. */
function group(type: string): string {
  return type.includes(' | ') && !type.startsWith('(') ? `(${type})` : type
}

/** `name?: Type` → its type, with `...` in front for a rest parameter. */
function parameterType(text: string, read: (type: string) => string): string {
  const parts = splitTopLevel(text, ':', syntax)
  const type = parts.length < 2 ? '' : read(parts.slice(1).join(':'))
  return /^\s*\.\.\./.test(text) ? `...${type}` : type
}

const MEMBER = /^\s*(?:readonly\s+)?(["']?)([\p{L}_$][\p{L}\p{N}_$]*)\1\s*\??\s*([:(<])/u

/** `load?(id: string): Cart` → `load:( : Cart)`. */
function memberOf(text: string, read: (type: string) => string): string {
  const found = MEMBER.exec(text)
  if (found === null) return ''
  const [head, , name, mark] = found
  if (mark === ':') {
    const type = read(text.slice(head.length))
    return type === '' ? '' : `${name}:${type}`
  }
  const open = mark === '(' ? head.length - 1 : text.indexOf('(', head.length)
  if (open < 0) return ''
  const end = skipBalanced(text, open, syntax)
  const result = /^\s*:\s*([\s\S]+)$/.exec(text.slice(end))?.[1] ?? ''
  return `${name}:${functionType(text.slice(open, end), result, read)}`
}

/** A function type from a parameter list in parentheses and a result. */
export function functionType(list: string, result: string, read: (type: string) => string = typeOf): string {
  const parameters = splitTopLevel(list.slice(1, -1), ',', syntax)
    .filter((it) => it.trim() !== '')
    .map((it) => parameterType(it, read))
  return `(${parameters.join(',')} : ${read(result)})`
}
