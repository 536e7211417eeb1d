/** The tokens of Rust source, brackets paired, so that bodies and macro arguments can be read without a tree. */

export const NAME = 1
export const NUMBER = 2
export const TEXT = 3
export const LIFETIME = 4
export const OPEN = 5
export const CLOSE = 6
export const SIGN = 7
/** Behind the last token. */
export const END = 0

/** Parallel arrays over the tokens in source order; comments and white space have none. */
export interface Tokens {
  text: string
  count: number
  kinds: Uint8Array
  starts: Int32Array
  ends: Int32Array
  /** Of a bracket: the token that closes or opens it, -1 when nothing does. */
  pairs: Int32Array
}

const TWO = new Set(
  ['::', '->', '=>', '==', '!=', '<=', '>=', '&&', '||', '..', '+=', '-=', '*=', '/=', '%=', '^=', '&=', '|='].map(
    (it) => (it.charCodeAt(0) << 8) | it.charCodeAt(1),
  ),
)
const SPACE = 1
const LETTER = 2
const DIGIT = 3
const CLASSES = new Uint8Array(128)
for (let c = 0; c < 128; c++) {
  const text = String.fromCharCode(c)
  if (/\s/.test(text)) CLASSES[c] = SPACE
  else if (/[A-Za-z_]/.test(text)) CLASSES[c] = LETTER
  else if (/[0-9]/.test(text)) CLASSES[c] = DIGIT
}
const WIDE_NAME = /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy
const RAW_STRING = /[bc]?r(#*)"/y
const CHARACTER = /b?'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|[\s\S])|[^\\'\n]{1,2})'/y

export function tokenize(text: string): Tokens {
  const kinds: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const pairs: number[] = []
  const open: number[] = []
  const { length } = text
  const add = (kind: number, start: number, end: number): void => {
    kinds.push(kind)
    starts.push(start)
    ends.push(end)
    pairs.push(-1)
  }

  for (let i = 0; i < length; ) {
    const c = text.charCodeAt(i)
    const kind = c < 128 ? CLASSES[c] : 0
    if (kind === SPACE) {
      i++
      continue
    }
    if (c === 47 /* / */) {
      const next = text.charCodeAt(i + 1)
      if (next === 47) {
        const end = text.indexOf('\n', i)
        i = end < 0 ? length : end
        continue
      }
      if (next === 42) {
        i = skipBlockComment(text, i)
        continue
      }
    }
    if (kind === LETTER || c >= 128) {
      const literal = c === 98 || c === 99 || c === 114 ? literalEnd(text, i) : -1
      if (literal >= 0) {
        add(TEXT, i, literal)
        i = literal
        continue
      }
      let end = text.startsWith('r#', i) ? i + 2 : i
      const from = end
      while (end < length && text.charCodeAt(end) < 128 && CLASSES[text.charCodeAt(end)] >= LETTER) end++
      if (end < length && text.charCodeAt(end) >= 128) {
        WIDE_NAME.lastIndex = from
        end = WIDE_NAME.test(text) ? WIDE_NAME.lastIndex : end + 1
      }
      add(NAME, from, end)
      i = end
      continue
    }
    if (kind === DIGIT) {
      const end = numberEnd(text, i)
      add(NUMBER, i, end)
      i = end
      continue
    }
    if (c === 34 /* " */) {
      const end = stringEnd(text, i)
      add(TEXT, i, end)
      i = end
      continue
    }
    if (c === 39 /* ' */) {
      CHARACTER.lastIndex = i
      if (CHARACTER.test(text)) {
        add(TEXT, i, CHARACTER.lastIndex)
        i = CHARACTER.lastIndex
      } else {
        let end = i + 1
        while (end < length && text.charCodeAt(end) < 128 && CLASSES[text.charCodeAt(end)] >= LETTER) end++
        add(LIFETIME, i, end)
        i = end
      }
      continue
    }
    if (c === 40 || c === 91 || c === 123) {
      open.push(kinds.length)
      add(OPEN, i, i + 1)
      i++
      continue
    }
    if (c === 41 || c === 93 || c === 125) {
      const opener = open.pop()
      add(CLOSE, i, i + 1)
      if (opener !== undefined) {
        pairs[opener] = kinds.length - 1
        pairs[kinds.length - 1] = opener
      }
      i++
      continue
    }
    const two = (c << 8) | text.charCodeAt(i + 1)
    // the end of type arguments in front of a sign: `Vec<T>=`
    const joined = TWO.has(two) && (c !== 62 || CLASSES[text.charCodeAt(i - 1)] === SPACE)
    const end = joined ? (two === 0x2e2e && /[=.]/.test(text[i + 2] ?? '') ? i + 3 : i + 2) : i + 1
    add(SIGN, i, end)
    i = end
  }

  return {
    text,
    count: kinds.length,
    kinds: Uint8Array.from(kinds),
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ends),
    pairs: Int32Array.from(pairs),
  }
}

function skipBlockComment(text: string, at: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = at
  let depth = 0
  for (let it = marks.exec(text); it !== null; it = marks.exec(text)) {
    depth += it[0] === '/*' ? 1 : -1
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}

/** The end of the raw, byte or C string that starts with a letter at `at`; -1 when none does. */
function literalEnd(text: string, at: number): number {
  RAW_STRING.lastIndex = at
  const raw = RAW_STRING.exec(text)
  if (raw !== null) {
    const close = text.indexOf(`"${raw[1]}`, RAW_STRING.lastIndex)
    return close < 0 ? text.length : close + 1 + raw[1].length
  }
  const next = text.charCodeAt(at + 1)
  if (next === 34) return stringEnd(text, at + 1)
  CHARACTER.lastIndex = at
  return next === 39 && CHARACTER.test(text) ? CHARACTER.lastIndex : -1
}

function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 92) i++
    else if (c === 34) return i + 1
  }
  return text.length
}

function numberEnd(text: string, at: number): number {
  let end = at
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end)
    if (c < 128 && CLASSES[c] >= LETTER) continue
    // a point belongs to it only in front of a digit, and never behind the point of a tuple position
    if (c === 46 && text.charCodeAt(at - 1) !== 46 && CLASSES[text.charCodeAt(end + 1)] === DIGIT) continue
    break
  }
  return end
}

/** Position of the first token that starts at or behind `offset`. */
export function tokenAt({ starts, count }: Tokens, offset: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle] < offset) low = middle + 1
    else high = middle
  }
  return low
}

/** A place among tokens, with the few questions that readers ask there. */
export class Cursor {
  readonly tokens: Tokens
  at: number
  /** Nothing from here on is read. */
  end: number

  constructor(tokens: Tokens, at: number, end: number) {
    this.tokens = tokens
    this.at = at
    this.end = end
  }

  get kind(): number {
    return this.at < this.end ? this.tokens.kinds[this.at] : END
  }

  get start(): number {
    return this.at < this.tokens.count ? this.tokens.starts[this.at] : this.tokens.text.length
  }

  word(at = this.at): string {
    return at < this.end ? this.tokens.text.slice(this.tokens.starts[at], this.tokens.ends[at]) : ''
  }

  is(text: string, at = this.at): boolean {
    if (at >= this.end) return false
    const { starts, ends } = this.tokens
    return ends[at] - starts[at] === text.length && this.tokens.text.startsWith(text, starts[at])
  }

  isName(at = this.at): boolean {
    return at < this.end && this.tokens.kinds[at] === NAME
  }

  isLiteral(): boolean {
    return this.kind === NUMBER || this.kind === TEXT
  }

  /** Goes on when `text` stands here. */
  take(text: string): boolean {
    if (!this.is(text)) return false
    this.at++
    return true
  }

  /** The token that closes the bracket here, at most the end. */
  close(at = this.at): number {
    const pair = this.tokens.pairs[at]
    return pair < 0 || pair > this.end ? this.end : pair
  }

  /** Goes behind the bracket here, or one token on. */
  skip(): void {
    if (this.kind === OPEN) this.at = Math.min(this.end, this.close() + 1)
    else this.at++
  }

  /** Goes behind the attributes that stand here. */
  skipAttributes(): void {
    while (this.is('#') && (this.is('[', this.at + 1) || (this.is('!', this.at + 1) && this.is('[', this.at + 2)))) {
      this.at++
      this.take('!')
      this.skip()
    }
  }

  /** Goes to the next of these signs outside of brackets. */
  skipTo(...signs: string[]): void {
    while (this.at < this.end && !signs.some((it) => this.is(it))) this.skip()
  }

  /** Goes behind the type arguments that open here. */
  skipAngles(): void {
    let depth = 0
    while (this.at < this.end) {
      if (this.is('<')) depth++
      else if (this.is('>')) {
        depth--
        if (depth === 0) {
          this.at++
          return
        }
      } else if (this.is(';') || this.is('}')) return
      this.skip()
    }
  }
}
