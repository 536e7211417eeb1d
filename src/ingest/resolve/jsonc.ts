/** JSON with comments and trailing commas, as configuration files have it. */

export type Jsonc = { value: unknown } | { message: string; line: number }

const DEEPEST = 200
const BLANK = /(?:\s|\uFEFF|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const STRING = /"(?:[^"\\\n]|\\.)*"/y
const WORD = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/y

class Fault extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** The value that a text holds, or what is wrong with it and in which line. */
export function parseJsonc(text: string): Jsonc {
  try {
    return { value: new Parser(text).whole() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { message: error.message, line: text.slice(0, error.at).split('\n').length }
  }
}

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): unknown {
    const value = this.#value(0)
    if (this.#next() !== '') throw this.#unexpected()
    return value
  }

  /** The character behind blanks and comments, '' at the end. */
  #next(): string {
    BLANK.lastIndex = this.#at
    BLANK.exec(this.#text)
    this.#at = BLANK.lastIndex
    return this.#text[this.#at] ?? ''
  }

  #unexpected(): Fault {
    const found = this.#text[this.#at]
    return new Fault(found === undefined ? 'the text ends too early' : `"${found}" is not expected`, this.#at)
  }

  #value(depth: number): unknown {
    if (depth > DEEPEST) throw new Fault('it is nested too deeply', this.#at)
    const c = this.#next()
    if (c === '{') {
      const entries = new Map<string, unknown>()
      this.#items('}', () => {
        if (this.#next() !== '"') throw this.#unexpected()
        const key = String(this.#token(STRING))
        if (this.#next() !== ':') throw this.#unexpected()
        this.#at++
        entries.set(key, this.#value(depth + 1))
      })
      return Object.fromEntries(entries)
    }
    if (c === '[') {
      const list: unknown[] = []
      this.#items(']', () => list.push(this.#value(depth + 1)))
      return list
    }
    return this.#token(c === '"' ? STRING : WORD)
  }

  #items(close: string, read: () => void): void {
    this.#at++
    while (this.#next() !== close) {
      read()
      const c = this.#next()
      if (c === ',') this.#at++
      else if (c !== close) throw this.#unexpected()
    }
    this.#at++
  }

  #token(pattern: RegExp): unknown {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) throw this.#unexpected()
    this.#at = pattern.lastIndex
    try {
      return JSON.parse(found[0])
    } catch {
      throw new Fault('a string holds what it must not', this.#at)
    }
  }
}
