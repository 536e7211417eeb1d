/**
 * What the preprocessor does to C and C++, as far as a grammar needs it done. Directives are read here, since they
 * may stand where no grammar expects them, and are blanked for the parser. Of branches that are no whole statements
 * only one is left: `if (a) {` of one and `if (b) {` of the other cannot both be code.
 */

export interface Directive {
  /** Of `#include`, `#define` and the like. */
  name: string
  start: number
  /** After the last of its continued lines, before the line break. */
  end: number
  /** Where the text behind the name begins. */
  rest: number
}

export interface Preprocessed {
  /** As long as the text, with the same line breaks: what is left for the parser. */
  code: string
  /** In source order. */
  directives: Directive[]
  /** Pairs of start and end: branches that are not left for the parser. In source order. */
  dropped: number[]
  /** Pairs of start and end: branches that no build takes, `#if 0`. In source order. */
  dead: number[]
}

interface Branch {
  condition: string
  start: number
  end: number
  /** Brackets open at its end, and the least number of them open in between, zero or less. */
  depth: number
  lowest: number
  /** Last significant character, 0 when it has no code. */
  last: number
  /** Position of the first significant character. */
  first: number
}

interface Group {
  branches: Branch[]
  /** Last significant character in front of it, 0 at the start of the text. */
  before: number
}

const NEWLINE = 10
const RETURN = 13
const QUOTE = 34
const HASH = 35
const APOSTROPHE = 39
const STAR = 42
const SLASH = 47
const BACKSLASH = 92
const OPEN = charSet('([{')
const CLOSE = charSet(')]}')
/** A statement or a list item may begin behind these. */
const STATEMENT_EDGE = charSet(';{}:')
const ITEM_EDGE = charSet(',{(')
/** Conditions that hold on other systems than the one which most builds are for. */
const OTHER_SYSTEM =
  /\b(?:_?WIN(?:32|64|NT|CE)\b|_WIN\w*|_MSC_VER|__?MINGW\w*|__CYGWIN__|__APPLE__|__MACH__|__OS2__|_AIX|__sun|__hpux|VMS|__VMS|MSDOS|__DJGPP__|__BORLANDC__|__WATCOMC__|AMIGA|__BEOS__|__HAIKU__|__QNX\w*|__EMSCRIPTEN__|__wasm\w*)/

function charSet(chars: string): Uint8Array {
  const set = new Uint8Array(128)
  for (let i = 0; i < chars.length; i++) set[chars.charCodeAt(i)] = 1
  return set
}

export function preprocess(text: string): Preprocessed {
  return new Preprocessor(text).run()
}

class Preprocessor {
  readonly text: string
  readonly directives: Directive[] = []
  readonly dropped: number[] = []
  readonly dead: number[] = []
  /** Pairs of start and end. */
  readonly #comments: number[] = []
  readonly #groups: Group[] = []
  /** What stands outside of all groups, then the open branch of each. */
  readonly #open: Branch[] = [{ condition: '', start: 0, end: 0, depth: 0, lowest: 0, last: 0, first: -1 }]

  constructor(text: string) {
    this.text = text
  }

  run(): Preprocessed {
    this.#scan()
    while (this.#groups.length > 0) this.#close(this.text.length)
    const blank = this.#blankRanges()
    return {
      code: blank.length === 0 ? this.text : blanked(this.text, blank, this.#comments),
      directives: this.directives,
      dropped: outermost(this.dropped),
      dead: outermost(this.dead),
    }
  }

  #scan(): void {
    const { text } = this
    let lineHasCode = false
    for (let i = 0; i < text.length; ) {
      const c = text.charCodeAt(i)
      if (c === NEWLINE || c === RETURN) {
        lineHasCode = false
        i++
        continue
      }
      if (c === 32 || c === 9) {
        i++
        continue
      }
      if (c === SLASH) {
        const end = commentEnd(text, i)
        if (end > 0) {
          this.#comments.push(i, end)
          i = end
          continue
        }
      }
      if (c === HASH && !lineHasCode) {
        i = this.#directive(i)
        continue
      }
      lineHasCode = true
      const branch = this.#open[this.#open.length - 1]
      branch.last = c
      if (branch.first < 0) branch.first = i
      if (c === QUOTE || c === APOSTROPHE) {
        i = c === QUOTE ? stringEnd(text, i) : literalEnd(text, i)
        continue
      }
      if (c < 128) {
        if (OPEN[c] === 1) branch.depth++
        else if (CLOSE[c] === 1) {
          branch.depth--
          if (branch.depth < branch.lowest) branch.lowest = branch.depth
        }
      }
      i++
    }
  }

  #directive(start: number): number {
    const { text } = this
    const name = /#[ \t]*([A-Za-z_]*)/y
    name.lastIndex = start
    const found = name.exec(text)?.[1] ?? ''
    const rest = name.lastIndex
    let end = rest
    while (end < text.length) {
      const c = text.charCodeAt(end)
      if (c === NEWLINE || c === RETURN) {
        let back = end - 1
        if (c === NEWLINE && text.charCodeAt(back) === RETURN) back--
        if (text.charCodeAt(back) !== BACKSLASH || back < rest) break
        end++
      } else if (c === QUOTE) end = literalEnd(text, end)
      else if (c === SLASH) {
        const after = commentEnd(text, end)
        if (after > 0) this.#comments.push(end, after)
        end = Math.max(end + 1, after)
      } else end++
    }
    this.directives.push({ name: found, start, end, rest })
    if (found === 'if' || found === 'ifdef' || found === 'ifndef') this.#enter(`${found} ${text.slice(rest, end)}`, end)
    else if (this.#groups.length === 0) return end
    else if (found === 'else' || found.startsWith('elif')) this.#next(`${found} ${text.slice(rest, end)}`, start, end)
    else if (found === 'endif') this.#close(start)
    return end
  }

  #enter(condition: string, start: number): void {
    const outer = this.#open[this.#open.length - 1]
    const branch = newBranch(condition, start)
    this.#groups.push({ branches: [branch], before: outer.last })
    // what stands in front of a branch is what it follows
    this.#open.push(branch)
  }

  #next(condition: string, end: number, start: number): void {
    const group = this.#groups[this.#groups.length - 1]
    const branch = newBranch(condition, start)
    this.#open[this.#open.length - 1].end = end
    this.#open[this.#open.length - 1] = branch
    group.branches.push(branch)
  }

  #close(end: number): void {
    const group = this.#groups.pop()
    const last = this.#open.pop()
    if (group === undefined || last === undefined) return
    last.end = end
    const { branches } = group
    for (const it of branches) if (isDead(it, branches)) this.dead.push(it.start, it.end)
    const outer = this.#open[this.#open.length - 1]
    // a branch that begins a nested group has seen nothing yet: what it follows stands further out
    const before = group.before === 0 ? this.#before() : group.before
    if (isWhole(branches, before) && !(branches.length > 1 && branches.some((it) => this.#goesOn(it)))) {
      const kept = branches.findLast((it) => it.last !== 0)
      if (kept !== undefined) outer.last = kept.last
      return
    }
    const chosen = choose(branches)
    for (const it of branches) if (it !== chosen) this.dropped.push(it.start, it.end)
    if (chosen === undefined) return
    if (outer.depth + chosen.lowest < outer.lowest) outer.lowest = outer.depth + chosen.lowest
    outer.depth += chosen.depth
    if (chosen.last !== 0) outer.last = chosen.last
  }

  /** True when a branch goes on with a statement that began in front of it. */
  #goesOn({ first }: Branch): boolean {
    return first >= 0 && this.text.startsWith('else', first)
  }

  #before(): number {
    for (let i = this.#open.length - 1; i >= 0; i--) if (this.#open[i].last !== 0) return this.#open[i].last
    return 0
  }

  /** Directives and dropped branches: pairs of start and end in order. */
  #blankRanges(): number[] {
    const ranges: [number, number][] = this.directives.map((it) => [it.start, it.end])
    for (let i = 0; i < this.dropped.length; i += 2) ranges.push([this.dropped[i], this.dropped[i + 1]])
    return ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]).flat()
  }
}

function newBranch(condition: string, start: number): Branch {
  return { condition, start, end: start, depth: 0, lowest: 0, last: 0, first: -1 }
}

/** True when no build takes the branch. */
function isDead(branch: Branch, branches: readonly Branch[]): boolean {
  if (/^(?:el)?if\s+\(?\s*0\s*\)?\s*$/.test(branch.condition)) return true
  return branch !== branches[0] && /^if\s+\(?\s*1\s*\)?\s*$/.test(branches[0].condition)
}

/** True when the branches may stand one after the other: each of them whole statements, or whole items of a list. */
function isWhole(branches: readonly Branch[], before: number): boolean {
  const statements = before === 0 || STATEMENT_EDGE[before] === 1
  const items = ITEM_EDGE[before] === 1
  if (!statements && !items) return false
  return branches.every(
    ({ depth, lowest, last }) =>
      depth === 0 &&
      lowest === 0 &&
      (last === 0 || (statements && (last === 59 || last === 125 || last === 58)) || (items && last === 44)),
  )
}

/** The branch that most builds take; undefined when none is taken by any. */
function choose(branches: readonly Branch[]): Branch | undefined {
  const living = branches.filter((it) => !isDead(it, branches))
  const withCode = living.filter((it) => it.last !== 0)
  return (
    withCode.find((it) => !isForOtherSystem(it.condition)) ??
    (living.length < branches.length || withCode.length === 0 ? living[0] : withCode[0])
  )
}

function isForOtherSystem(condition: string): boolean {
  if (condition.startsWith('ifndef') || /^(?:el)?if\b.*!/.test(condition)) return false
  return OTHER_SYSTEM.test(condition)
}

/** The pairs of start and end in order, without those inside of another. */
function outermost(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i], ranges[i + 1]])
  pairs.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  const outer: number[] = []
  for (const [start, end] of pairs) if (outer.length === 0 || start >= outer[outer.length - 1]) outer.push(start, end)
  return outer
}

/** Blanks ranges, which may lie in each other, but for the comments in them. */
function blanked(text: string, ranges: readonly number[], comments: readonly number[]): string {
  const parts: string[] = []
  let at = 0
  let comment = 0
  for (let i = 0; i < ranges.length; i += 2) {
    const end = ranges[i + 1]
    if (ranges[i] > at) {
      parts.push(text.slice(at, ranges[i]))
      at = ranges[i]
    }
    while (at < end) {
      while (comment < comments.length && comments[comment + 1] <= at) comment += 2
      const next = comment < comments.length ? Math.max(at, Math.min(end, comments[comment])) : end
      if (next > at) parts.push(blank(text, at, next))
      at = next
      if (at < end) {
        parts.push(text.slice(at, comments[comment + 1]))
        at = comments[comment + 1]
      }
    }
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** White space as long as a piece of text, with its line breaks. */
export function blank(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/[^\r\n]+/g, (it) => ' '.repeat(it.length))
}

/** The position after the comment that begins at `at`; 0 when none does. */
export function commentEnd(text: string, at: number): number {
  const next = text.charCodeAt(at + 1)
  if (next === STAR) {
    const end = text.indexOf('*/', at + 2)
    return end < 0 ? text.length : end + 2
  }
  if (next !== SLASH) return 0
  for (let end = at + 2; end < text.length; end++) {
    const c = text.charCodeAt(end)
    // a backslash at the end of the line goes on with it
    if ((c === NEWLINE || c === RETURN) && text.charCodeAt(end - 1) !== BACKSLASH) return end
  }
  return text.length
}

/** The position after a quoted text that ends on its line; after the quote when it does not. */
export function literalEnd(text: string, at: number): number {
  const quote = text.charCodeAt(at)
  // a digit separator of C++
  if (quote === APOSTROPHE && /[0-9a-fA-F]/.test(text[at - 1] ?? '') && /[0-9a-fA-F]/.test(text[at + 1] ?? '')) {
    if (/(?:^|[^\w.])(?:0x)?[0-9][0-9a-fA-F']*$/i.test(text.slice(Math.max(0, at - 24), at))) return at + 1
  }
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === BACKSLASH) {
      i++
      if (text.charCodeAt(i) === RETURN) i++
    } else if (c === quote) return i + 1
    else if (c === NEWLINE) return at + 1
  }
  return at + 1
}

/** The position after a string, raw or not. */
export function stringEnd(text: string, at: number): number {
  if (text.charCodeAt(at - 1) !== 82 /* R */) return literalEnd(text, at)
  const raw = /(?<=(?:^|[^\w])(?:u8|[uUL])?R)"([^()\\\s]{0,16})\(/y
  raw.lastIndex = at
  const found = raw.exec(text)
  if (found === null) return literalEnd(text, at)
  const end = text.indexOf(`)${found[1]}"`, raw.lastIndex)
  return end < 0 ? text.length : end + found[1].length + 2
}
