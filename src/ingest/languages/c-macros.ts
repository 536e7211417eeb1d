/**
 * Macros whose use is no C or C++ by itself: what stands in front of a declaration or behind a declarator, calls
 * at file level without a semicolon, loops made by macros. They are told apart by where they stand and taken out
 * of the text, so that the grammar reads the rest.
 */

import { blank, commentEnd, literalEnd, stringEnd } from '#ingest/languages/c-preprocessor'

/** A use of a macro that the grammar does not see. */
export interface MacroCall {
  start: number
  /** The end of its name. */
  nameEnd: number
  /** The brackets of its arguments. */
  argsStart: number
  argsEnd: number
  /** The arguments are still seen by the grammar. */
  argsRemain: boolean
}

/** What brackets enclose: declarations, statements, items of a list, or a part of an expression. */
const DECLARATIONS = 0
const STATEMENTS = 1
const ITEMS = 2
const PART = 3

const NAME = /[A-Za-z_]\w*/y
const MACRO_NAME = /^_*[A-Z][A-Z0-9_]*$/
const BODY_WORDS = new Set(['struct', 'class', 'union', 'namespace', 'enum'])
const QUALIFIERS = new Set(
  'const volatile static extern inline register typedef virtual explicit friend constexpr consteval constinit mutable thread_local restrict typename template typeof __inline __inline__ __restrict __extension__ __const _Noreturn _Thread_local auto'.split(
    ' ',
  ),
)
const PLAIN_TYPES = new Set(
  'void int char short long float double bool signed unsigned _Bool __int64 __int128 wchar_t'.split(' '),
)
/** May stand behind the parameters of a function. */
const TRAILERS = new Set(
  'const volatile noexcept override final throw try requires asm __asm__ __attribute__ mutable'.split(' '),
)
const ACCESS = new Set(['public', 'private', 'protected', 'signals', 'slots', 'Q_SIGNALS', 'Q_SLOTS'])
const CONTROL = new Set(
  'if for while switch return sizeof alignof _Alignof catch else do case goto defined decltype static_assert _Static_assert alignas _Alignas operator new delete throw asm __asm__ __asm __attribute__ __attribute __declspec typeof __typeof__ noexcept requires co_return co_await co_yield and or not using typename'.split(
    ' ',
  ),
)

interface Word {
  start: number
  end: number
  text: string
}

/** A declaration as far as it has been read. */
interface Head {
  /** Names that are no words of the language. */
  names: Word[]
  /** `struct` and the like, '' when none. */
  body: string
  plain: boolean
  /** Brackets of parameters have been read. */
  params: boolean
  /** An initialiser, a list of bases or of member initialisers has begun. */
  assigned: boolean
  colon: boolean
  /** A string: `extern "C"`. */
  quoted: boolean
  /** A body has been closed: what follows are declarators. */
  bodied: boolean
}

interface Level {
  kind: number
  head: Head
}

export function withoutMacros(text: string, isCpp: boolean): { code: string; calls: MacroCall[] } {
  return new Reader(text, isCpp).run()
}

class Reader {
  readonly text: string
  readonly isCpp: boolean
  readonly calls: MacroCall[] = []
  /** Start, end and what takes the place, as long as what it replaces. In order. */
  readonly #edits: { start: number; end: number; by: string }[] = []
  readonly #levels: Level[] = []
  #kind = DECLARATIONS
  #head = newHead()
  /** Last significant character. */
  #last = 59
  #lastWord = ''

  constructor(text: string, isCpp: boolean) {
    this.text = text
    this.isCpp = isCpp
  }

  run(): { code: string; calls: MacroCall[] } {
    const { text } = this
    for (let i = 0; i < text.length; ) {
      const c = text.charCodeAt(i)
      if (c <= 32) {
        i++
        continue
      }
      if (c === 47 /* / */) {
        const end = commentEnd(text, i)
        if (end > 0) {
          i = end
          continue
        }
      }
      if (isNameStart(c)) {
        i = this.#word(i)
        continue
      }
      i = this.#mark(i, c)
    }
    return { code: this.#edited(), calls: this.calls }
  }

  #edited(): string {
    if (this.#edits.length === 0) return this.text
    const parts: string[] = []
    let at = 0
    for (const { start, end, by } of this.#edits.sort((a, b) => a.start - b.start)) {
      if (start < at) continue
      parts.push(this.text.slice(at, start), by)
      at = end
    }
    parts.push(this.text.slice(at))
    return parts.join('')
  }

  #blank(start: number, end: number): void {
    this.#edits.push({ start, end, by: blank(this.text, start, end) })
  }

  #mark(at: number, c: number): number {
    const { text } = this
    let next = at + 1
    switch (c) {
      case 34 /* " */:
        next = stringEnd(text, at)
        this.#head.quoted = true
        break
      case 39 /* ' */:
        next = literalEnd(text, at)
        break
      case 40 /* ( */:
        if (this.#kind === DECLARATIONS) this.#parameters(at)
        this.#enter(PART)
        break
      case 91 /* [ */:
        this.#enter(PART)
        break
      case 123 /* { */:
        this.#enter(this.#bodyKind())
        break
      case 41 /* ) */:
      case 93 /* ] */:
        this.#leave(PART)
        this.#last = c
        return c === 41 && this.#kind === DECLARATIONS ? this.#trailers(next) : next
      case 125 /* } */:
        this.#leaveBody()
        break
      case 59 /* ; */:
        if (this.#kind === DECLARATIONS) this.#declared(at)
        this.#head = newHead()
        break
      case 61 /* = */:
        if (this.#kind === DECLARATIONS && !this.#head.assigned) this.#declared(at)
        this.#head.assigned = true
        break
      case 58 /* : */:
        if (text.charCodeAt(next) === 58) {
          // the name before is part of the one behind
          this.#head.names.pop()
          next++
          this.#last = 64
          return next
        }
        if (this.#kind === DECLARATIONS && ACCESS.has(this.#lastWord)) this.#head = newHead()
        else this.#head.colon = true
        break
      case 60 /* < */:
        if (this.#kind === DECLARATIONS) next = Math.max(next, anglesEnd(text, at))
        break
    }
    this.#last = c
    this.#lastWord = ''
    return next
  }

  #enter(kind: number): void {
    this.#levels.push({ kind: this.#kind, head: this.#head })
    this.#kind = kind
    this.#head = newHead()
  }

  #leave(kind: number): void {
    if (this.#kind !== kind) return
    const outer = this.#levels.pop()
    if (outer === undefined) return
    this.#kind = outer.kind
    this.#head = outer.head
  }

  #leaveBody(): void {
    // brackets that were not closed end with their body
    while (this.#kind === PART && this.#levels.length > 0) this.#leave(PART)
    const inner = this.#kind
    if (this.#levels.length === 0) return
    this.#leave(inner)
    const { head } = this
    const goesOn =
      (inner === DECLARATIONS && (head.body === 'struct' || head.body === 'class' || head.body === 'union')) ||
      (inner === ITEMS && (this.#kind === DECLARATIONS || this.#kind === STATEMENTS))
    if (goesOn) head.bodied = true
    else if (this.#kind !== PART) this.#head = newHead()
  }

  get head(): Head {
    return this.#head
  }

  /** What an opening brace begins. */
  #bodyKind(): number {
    const head = this.#head
    if (this.#kind === DECLARATIONS) {
      if (head.body !== '' && !head.params && !head.assigned) {
        this.#bodyName()
        return head.body === 'enum' ? ITEMS : DECLARATIONS
      }
      if (head.quoted && !head.params && !head.assigned) return DECLARATIONS
      if (head.assigned && this.#last !== 41) return ITEMS
      // `Cart() : total{0} {`
      if (head.colon && this.#lastWord !== '' && !TRAILERS.has(this.#lastWord)) return ITEMS
      return head.params ? STATEMENTS : head.names.length > 0 ? ITEMS : STATEMENTS
    }
    if (this.#kind === STATEMENTS) {
      if (head.body !== '' && !head.params && !head.assigned && this.#last !== 41)
        return head.body === 'enum' ? ITEMS : DECLARATIONS
      if (this.#last === 41 || this.#last === 93 || STATEMENT_EDGE.has(this.#last)) return STATEMENTS
      return /^(?:else|do|try|const|mutable|noexcept)$/.test(this.#lastWord) ? STATEMENTS : ITEMS
    }
    return this.#last === 41 || this.#last === 93 ? STATEMENTS : ITEMS
  }

  #word(at: number): number {
    const { text } = this
    NAME.lastIndex = at
    NAME.exec(text)
    const end = NAME.lastIndex
    const word = text.slice(at, end)
    const head = this.#head
    const begins = STATEMENT_EDGE.has(this.#last)
    if (begins && this.#last !== 58 && this.#kind !== PART) {
      const after = this.#macroCall(at, end, word)
      if (after > 0) return after
    }
    if (
      MACRO_NAME.test(word) &&
      BEFORE_TYPE.test(text.slice(end, end + 24)) &&
      this.#last !== 46 &&
      this.#last !== 62
    ) {
      this.#blank(at, end)
      return end
    }
    this.#last = 97
    this.#lastWord = word
    if (this.#kind === PART || this.#kind === ITEMS) return end
    if (BODY_WORDS.has(word)) {
      if (head.body === '' || word !== 'class') head.body = word
    } else if (word === 'operator') {
      head.params = true
    } else if (PLAIN_TYPES.has(word)) head.plain = true
    else if (!QUALIFIERS.has(word) && !CONTROL.has(word) && this.#kind === DECLARATIONS)
      head.names.push({ start: at, end, text: word })
    return end
  }

  /** A statement or declaration that begins with `NAME(…)`: the position behind what was taken out, 0 when nothing was. */
  #macroCall(at: number, end: number, word: string): number {
    const { text } = this
    if (CONTROL.has(word) || QUALIFIERS.has(word) || PLAIN_TYPES.has(word)) return 0
    const open = this.#skip(end)
    if (text[open] !== '(') {
      // a word of its own line in front of a declaration: `BEGIN_DECLS`
      if (this.#kind === DECLARATIONS && MACRO_NAME.test(word) && /^[ \t]*\r?\n/.test(text.slice(end, end + 40))) {
        const next = text.slice(open, open + 12)
        if (EDGE_MACRO.test(word) || next === '' || next.startsWith('}') || DECLARATION_WORD.test(next)) {
          this.#blank(at, end)
          return end
        }
      }
      return 0
    }
    const close = this.#closing(open)
    if (close < 0) return 0
    const next = this.#skip(close)
    const c = text.charCodeAt(next)
    if (this.#kind === STATEMENTS) {
      if (c !== 123 && !isNameStart(c)) return 0
      if (c !== 123 && /^(?:and|or|not|xor|bitand|bitor)\b/.test(text.slice(next, next + 8))) return 0
      if (word.length < 2) return 0
      this.calls.push({ start: at, nameEnd: end, argsStart: open, argsEnd: close, argsRemain: true })
      this.#edits.push({ start: at, end, by: 'if'.padEnd(end - at) })
      this.#last = 97
      this.#lastWord = 'if'
      return end
    }
    if (this.#kind !== DECLARATIONS) return 0
    if (c === 123) {
      // a body made by a macro, such as a test: arguments that are no parameters mean nothing to the grammar
      if (MACRO_NAME.test(word) && /["\d]/.test(text.slice(open, close))) this.#blank(open + 1, close - 1)
      return 0
    }
    const isEnd = Number.isNaN(c) || c === 125
    if (!isEnd && !isNameStart(c)) return 0
    if (!isEnd) {
      NAME.lastIndex = next
      const follower = NAME.exec(text)?.[0] ?? ''
      if (TRAILERS.has(follower)) return 0
      // a constructor and a macro behind its parameters
      if (this.isCpp && MACRO_NAME.test(follower) && !MACRO_NAME.test(word)) return 0
      // parameters with their types behind them, in the old style
      if (!MACRO_NAME.test(word) && OLD_STYLE.test(text.slice(close, close + 1000))) return 0
      const inner = text.slice(open + 1, close - 1)
      if (ONE_TYPE.test(inner) && this.#isFunction(NAME.lastIndex)) {
        // the type of what follows, wrapped: `LOCAL(void) sell(…) {`
        this.#blank(at, open + 1)
        this.#blank(close - 1, close)
        return open + 1
      }
    }
    this.calls.push({ start: at, nameEnd: end, argsStart: open, argsEnd: close, argsRemain: false })
    this.#blank(at, close)
    return close
  }

  /** True when parameters, and a body or the end of a prototype, follow. */
  #isFunction(at: number): boolean {
    const open = this.#skip(at)
    if (this.text[open] !== '(') return false
    const close = this.#closing(open)
    if (close < 0) return false
    const c = this.text[this.#skip(close)]
    return c === '{' || c === ';'
  }

  /** Brackets behind a declared name: takes out the macros around it. */
  #parameters(at: number): void {
    const head = this.#head
    if (head.params || head.assigned) return
    const macro = head.names.at(-1)
    const close = this.#closing(at)
    if (close < 0) return
    if (head.names.length > this.#needed() && macro !== undefined && MACRO_NAME.test(macro.text)) {
      // parameters that old compilers are not shown: `int sell OF((int n))`
      if (this.text[at + 1] === '(' && this.text[close - 2] === ')') {
        this.#blank(macro.start, at + 1)
        this.#blank(close - 1, close)
        head.names.pop()
        this.#declared(at)
        head.params = true
        return
      }
      const before = head.names[head.names.length - 2]
      const next = this.text[this.#skip(close)]
      if (before !== undefined && !MACRO_NAME.test(before.text) && (next === ';' || next === '=' || next === ',')) {
        // a field and what guards it
        this.#blank(macro.start, close)
        head.names.pop()
        return
      }
    }
    // `class ALIGNED(8) Point {`
    if (head.body !== '' && head.names.length === 1 && macro !== undefined && MACRO_NAME.test(macro.text)) {
      if (/^\s*[A-Za-z_]\w*(?:\s+final)?\s*[:{]/.test(this.text.slice(close, close + 200))) {
        this.#blank(macro.start, close)
        head.names.pop()
        return
      }
    }
    this.#declared(at)
    // a calling convention in front of a pointer: `(CALLBACK *name)(…)`
    if (this.text[this.#skip(close)] === '(') {
      const convention = /\(\s*([A-Z][A-Z0-9_]+)(?=\s*\*|\s+[A-Za-z_]\w*\s*\))/y
      convention.lastIndex = at
      const found = convention.exec(this.text)
      if (found !== null) {
        const start = convention.lastIndex - found[1].length
        const isPointer = this.text[this.#skip(convention.lastIndex)] !== '*'
        this.#edits.push({
          start,
          end: convention.lastIndex,
          by: (isPointer ? '*' : '').padEnd(found[1].length),
        })
      }
    }
    head.params = true
  }

  /** How many names a declaration has: the one declared, and its type where that is no word of the language. */
  #needed(): number {
    const { plain, body } = this.#head
    return plain || body !== '' ? (body !== '' ? 2 : 1) : 2
  }

  /** A declarator is complete: macros in front of it are taken out. */
  #declared(at: number): void {
    const head = this.#head
    if (head.params || head.assigned || head.bodied || head.colon) return
    const needed = this.#needed()
    let tooMany = head.names.length - needed
    for (let i = 0; i < head.names.length - 1 && tooMany > 0; i++) {
      const it = head.names[i]
      if (!MACRO_NAME.test(it.text)) continue
      this.#blank(it.start, it.end)
      tooMany--
    }
    const last = head.names.at(-1)
    // what stands behind the name: `int level UNUSED;`
    if (tooMany > 0 && last !== undefined && MACRO_NAME.test(last.text) && this.text[at] !== '(')
      this.#blank(last.start, last.end)
  }

  /** The names between `struct` and its body: macros in front of its own. */
  #bodyName(): void {
    const { names, colon } = this.#head
    if (colon && names.length < 2) return
    const own = colon ? names.findIndex((it) => /^\s*(?:final\s*)?:/.test(this.text.slice(it.end, it.end + 80))) : -1
    const list = own >= 0 ? names.slice(0, own + 1) : names
    const last = list.at(-1)?.text === 'final' ? list.length - 2 : list.length - 1
    for (let i = 0; i < last; i++) if (MACRO_NAME.test(list[i].text)) this.#blank(list[i].start, list[i].end)
  }

  /** Takes out macros behind parameters; the position to go on from. */
  #trailers(from: number): number {
    if (!this.#head.params || this.#head.assigned || this.#head.colon) return from
    const { text } = this
    let at = this.#skip(from)
    const taken: [number, number][] = []
    while (isNameStart(text.charCodeAt(at))) {
      NAME.lastIndex = at
      const word = NAME.exec(text)?.[0] ?? ''
      let end = NAME.lastIndex
      const isMacro = !TRAILERS.has(word) && !QUALIFIERS.has(word) && !PLAIN_TYPES.has(word) && !BODY_WORDS.has(word)
      if (isMacro && (this.isCpp || this.#levels.length > 0) && !MACRO_NAME.test(word)) return from
      const open = this.#skip(end)
      if (text[open] === '(') {
        const close = this.#closing(open)
        if (close < 0) return from
        end = close
      } else if (isMacro && isNameStart(text.charCodeAt(open)) && !MACRO_NAME.test(word)) return from
      if (isMacro) taken.push([at, end])
      else if (!TRAILERS.has(word)) return from
      at = this.#skip(end)
    }
    if (text[at] !== ';' && text[at] !== '{' && text[at] !== '=' && text[at] !== ',' && text[at] !== ':') return from
    for (const [start, end] of taken) this.#blank(start, end)
    return from
  }

  /** The position after white space and comments. */
  #skip(from: number): number {
    const { text } = this
    let at = from
    for (;;) {
      while (text.charCodeAt(at) <= 32) at++
      const end = text.charCodeAt(at) === 47 ? commentEnd(text, at) : 0
      if (end === 0) return at
      at = end
    }
  }

  /** The position behind the bracket that closes the one at `open`; -1 when none does within bounds. */
  #closing(open: number): number {
    const { text } = this
    const last = Math.min(text.length, open + LONGEST_ARGUMENTS)
    let depth = 0
    for (let i = open; i < last; ) {
      const c = text.charCodeAt(i)
      if (c === 40) depth++
      else if (c === 41 && --depth === 0) return i + 1
      else if (c === 34) {
        i = stringEnd(text, i)
        continue
      } else if (c === 39) {
        i = literalEnd(text, i)
        continue
      } else if (c === 47) {
        const end = commentEnd(text, i)
        if (end > 0) {
          i = end
          continue
        }
      }
      i++
    }
    return -1
  }
}

const STATEMENT_EDGE = new Set([59 /* ; */, 123 /* { */, 125 /* } */, 58 /* : */])
/** Bounds the time spent on brackets that do not close. */
const LONGEST_ARGUMENTS = 20_000
const OLD_STYLE =
  /^\s*(?:(?:register|const|struct|unsigned)\s+)*[A-Za-z_]\w*[\s*]+[A-Za-z_][\w\s*,[\]]*;[\w\s*,;[\]()]*\{/
/** A macro that opens or closes a region. */
const EDGE_MACRO = /(?:^|_)(?:BEGIN|END)(?:_|$)/
const DECLARATION_WORD = /^(?:extern|namespace|typedef|struct|enum|class|union|template|using|static)\b/
/** A word of the language that no name stands in front of. */
const BEFORE_TYPE = /^\s+(?:void|int|char|short|long|float|double|bool|signed|unsigned|const|struct|static)\b/
const ONE_TYPE = /^\s*(?:(?:const|struct|enum|union|unsigned|signed|long|static|inline)\s+)*[A-Za-z_]\w*[\s*]*$/

function newHead(): Head {
  return {
    names: [],
    body: '',
    plain: false,
    params: false,
    assigned: false,
    colon: false,
    quoted: false,
    bodied: false,
  }
}

function isNameStart(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95
}

/** The position after balanced `<…>`; 0 when it is none. */
function anglesEnd(text: string, at: number): number {
  let depth = 0
  const last = Math.min(text.length, at + 400)
  for (let i = at; i < last; i++) {
    const c = text.charCodeAt(i)
    if (c === 60) depth++
    else if (c === 62) {
      if (--depth === 0) return i + 1
    } else if (c === 59 || c === 123 || c === 125) return 0
  }
  return 0
}
