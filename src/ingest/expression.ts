/**
 * Expressions and types as text → the dotted paths and type names that facts hold. One scanner serves all
 * languages, since what differs between them (separators, generics, casts) can be told apart by its signs.
 */

/** How comments look inside expressions of a language. */
export interface Syntax {
  /** `//` or `#` or `--`. */
  lineComment: '//' | '#' | '--'
  /** Brackets of type arguments. */
  generics: '<' | '['
  /** Names may end with a question or exclamation mark. */
  markedNames?: boolean
  /** `Cart::total` is a function as a value, not a member of a namespace. */
  methodReferences?: boolean
  /** Types whose argument stands for them: `Optional[User]` is `User`. */
  transparent: ReadonlySet<string>
  /** Several alternatives of a type are written with ` | ` between them; without it such a type is ''. */
  unions?: true
}

const SIMPLE = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u
const NAME = /[#@]{0,2}[\p{L}_$][\p{L}\p{N}_$]*[?!]?/uy
const SPACE = /(?:\s|\\\r?\n)*/y

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at
  SPACE.exec(text)
  return SPACE.lastIndex
}

/** The position after white space and comments. */
function skipGap(text: string, from: number, syntax: Syntax): number {
  let at = skipSpace(text, from)
  for (;;) {
    if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      at = end < 0 ? text.length : end + 2
    } else if (text.startsWith(syntax.lineComment, at)) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else return at
    at = skipSpace(text, at)
  }
}

/** What does not close within so many characters is taken for a single mark; bounds the time spent on odd text. */
const LONGEST_STRING = 4000

/** The position after the string literal that opens at `at`. */
function skipString(text: string, at: number): number {
  const quote = text[at]
  if (text.startsWith(quote.repeat(3), at) && quote !== '`') {
    const end = text.indexOf(quote.repeat(3), at + 3)
    return end < 0 ? text.length : end + 3
  }
  const last = quote === '`' ? text.length : Math.min(text.length, at + LONGEST_STRING)
  for (let i = at + 1; i < last; i++) {
    const c = text[i]
    if (c === '\\') i++
    else if (c === quote) return i + 1
    // an apostrophe that does not close on its line is a lifetime or a mark in prose
    else if (c === '\n' && quote !== '`') return at + 1
  }
  return at + 1
}

/** The position after the bracket that closes the one at `at`; the text's end when none does. */
export function skipBalanced(text: string, at: number, syntax: Syntax): number {
  let depth = 0
  for (let i = at; i < text.length; ) {
    const c = text[i]
    if (c === '(' || c === '[' || c === '{') depth++
    else if (c === ')' || c === ']' || c === '}') {
      depth--
      if (depth === 0) return i + 1
    } else if (c === '"' || c === "'" || c === '`') {
      i = skipString(text, i)
      continue
    } else if (c === '/' && text[i + 1] === '*') {
      const end = text.indexOf('*/', i + 2)
      i = end < 0 ? text.length : end + 2
      continue
    } else if (text.startsWith(syntax.lineComment, i) && (c !== '#' || i === 0 || /\s/.test(text[i - 1]))) {
      const end = text.indexOf('\n', i)
      i = end < 0 ? text.length : end
      continue
    }
    i++
  }
  return text.length
}

/** The position after balanced `<…>` at `at`, or -1 when it is no list of type arguments. */
function skipAngles(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < text.length && i < at + 400; i++) {
    const c = text[i]
    if (c === '<') depth++
    else if (c === '>') {
      if (text[i - 1] === '-' || text[i - 1] === '=') continue
      depth--
      if (depth === 0) return i + 1
    } else if (c === ';' || c === '{' || c === '}') return -1
  }
  return -1
}

/** Parts of `text` between `separator`s that stand outside of all brackets and strings. */
export function splitTopLevel(text: string, separator: string, syntax: Syntax): string[] {
  const parts: string[] = []
  let from = 0
  let angles = 0
  for (let i = 0; i < text.length; ) {
    const c = text[i]
    if (c === '(' || c === '[' || c === '{') {
      i = skipBalanced(text, i, syntax)
      continue
    }
    if (c === '"' || c === "'" || c === '`') {
      i = skipString(text, i)
      continue
    }
    if (c === '/' && text[i + 1] === '*') {
      const end = text.indexOf('*/', i + 2)
      i = end < 0 ? text.length : end + 2
      continue
    }
    if (text.startsWith(syntax.lineComment, i) && (c !== '#' || i === 0 || /\s/.test(text[i - 1]))) {
      const end = text.indexOf('\n', i)
      i = end < 0 ? text.length : end
      continue
    }
    if (syntax.generics === '<') {
      if (c === '<') angles++
      else if (c === '>' && angles > 0 && text[i - 1] !== '-' && text[i - 1] !== '=') angles--
    }
    if (angles === 0 && text.startsWith(separator, i)) {
      parts.push(text.slice(from, i))
      i += separator.length
      from = i
      continue
    }
    i++
  }
  parts.push(text.slice(from))
  return parts
}

/** A text without the white space and comments in front of it. */
export function withoutLeadingComments(text: string, syntax: Syntax): string {
  return text.slice(skipGap(text, 0, syntax))
}

const LONGEST_EXPRESSION = 20_000
/** Brackets within brackets that are followed; a deeper expression names nothing. */
const DEEPEST = 40

const PREFIX = /(?:await|new|yield|return|throw|go|defer|typeof|void|mut|ref|move|unsafe)\s+|[&*]+(?:mut\s+)?/y
const CAST = /\s+(?:as|satisfies)[?!]?\s+/y

/**
 * The dotted path of an expression, '' when it is none (an operator, a literal). `?` stands for a head that
 * cannot be named, as in `(a || b).close`.
 */
export function expressionPath(text: string, syntax: Syntax): string {
  return pathWithin(text, syntax, 0)
}

function pathWithin(text: string, syntax: Syntax, depth: number): string {
  if (text.length === 0 || text.length > LONGEST_EXPRESSION || depth > DEEPEST) return ''
  if (SIMPLE.test(text)) return text

  let at = skipGap(text, 0, syntax)
  let constructs = false
  for (;;) {
    PREFIX.lastIndex = at
    const prefix = PREFIX.exec(text)
    if (prefix === null || prefix[0].length === 0) break
    if (prefix[0].startsWith('new')) constructs = true
    at = skipSpace(text, PREFIX.lastIndex)
  }

  let path = ''
  if (text[at] === '(') {
    const end = skipBalanced(text, at, syntax)
    const after = skipGap(text, end, syntax)
    if (/[\p{L}_$"]/u.test(text[after] ?? '') && after > at) {
      // a cast in front of what it casts: `(Foo) item.get()`
      const type = typeHead(text.slice(at + 1, end - 1), syntax)
      return type === '' || pathWithin(text.slice(after), syntax, depth + 1) === '' ? '' : `${type}()`
    }
    path = pathWithin(text.slice(at + 1, end - 1), syntax, depth + 1)
    if (path === '') {
      if (after >= text.length) return ''
      path = '?'
    }
    at = end
  } else {
    // a Rust path that starts with `<Type as Trait>::` or `::`
    if (text[at] === '<') {
      const end = skipAngles(text, at)
      if (end < 0) return ''
      const inner = text.slice(at + 1, end - 1).split(/\s+as\s+/)[0]
      path = typeHead(inner, syntax)
      if (path === '') return ''
      at = end
    } else {
      if (text.startsWith('::', at)) at += 2
      if (text[at] === '\\') at++
      NAME.lastIndex = at
      const name = NAME.exec(text)
      if (name === null) return ''
      path = cleanName(name[0], syntax)
      at = NAME.lastIndex - (isMarked(name[0], syntax) ? 1 : 0)
    }
  }

  while (at < text.length) {
    const here = skipGap(text, at, syntax)
    if (here >= text.length) break
    const c = text[here]
    if (c === '(') {
      path += '()'
      at = skipBalanced(text, here, syntax)
    } else if (c === '[') {
      path += '[]'
      at = skipBalanced(text, here, syntax)
    } else if (c === '`') {
      path += '()'
      at = skipString(text, here)
    } else if (c === '{' && here > 0) {
      // a composite or builder literal: `Service{…}`; behind arguments a class body or a trailing closure
      if (!path.endsWith('()')) path += '()'
      at = skipBalanced(text, here, syntax)
    } else if (c === '!' || c === '?') {
      // non-null mark, optional chaining, the try operator
      const next = text[here + 1]
      if (next !== undefined && !/[.([;,)\s!?:{]/.test(next)) return ''
      if (next !== undefined && /\s/.test(next) && skipSpace(text, here + 1) < text.length) {
        const after = text[skipSpace(text, here + 1)]
        if (after !== '.' && after !== ')') return ''
      }
      at = here + 1
    } else {
      const separator =
        text.startsWith('::', here) ||
        text.startsWith('&.', here) ||
        // the arrow of a lambda has white space behind it
        (text.startsWith('->', here) && !/\s/.test(text[here + 2] ?? ' '))
          ? 2
          : c === '.' || c === '\\'
            ? 1
            : 0
      if (separator === 0) {
        if (c === '<') {
          const end = skipAngles(text, here)
          const next = end < 0 ? '' : (text[skipSpace(text, end)] ?? '')
          if (end < 0 || (next !== '' && !'(.:{['.includes(next))) return ''
          at = end
          continue
        }
        CAST.lastIndex = at
        if (CAST.exec(text) !== null) {
          const head = typeHead(text.slice(CAST.lastIndex), syntax)
          return head === '' || head === 'any' || head === 'const' || head === 'unknown' ? path : `${head}()`
        }
        return ''
      }
      let next = skipGap(text, here + separator, syntax)
      if (separator === 2 && text[next] === '<') {
        const end = skipAngles(text, next)
        if (end < 0) return ''
        at = end
        continue
      }
      // Java's explicit type arguments: `List.<String>of`
      if (text[next] === '<') {
        const end = skipAngles(text, next)
        if (end < 0) return ''
        next = skipSpace(text, end)
      }
      if (text[next] === '(' || text[next] === '[') {
        at = next
        continue
      }
      if (text[next] === '*') next++
      NAME.lastIndex = next
      const name = NAME.exec(text)
      if (name === null) {
        // a tuple position: `pair.0`
        const digits = /\d+/y
        digits.lastIndex = next
        if (digits.exec(text) === null) return ''
        path += '[]'
        at = digits.lastIndex
        continue
      }
      at = NAME.lastIndex - (isMarked(name[0], syntax) ? 1 : 0)
      const clean = cleanName(name[0], syntax)
      if (clean !== 'await') path += `.${clean}`
    }
  }
  return constructs && !path.includes('(') ? `${path}()` : path
}

/** True for a name with an operator behind it. */
function isMarked(name: string, syntax: Syntax): boolean {
  return syntax.markedNames !== true && (name.endsWith('?') || name.endsWith('!'))
}

/** A name without the marks of instance variables and without the operator behind it. */
function cleanName(name: string, syntax: Syntax): string {
  const clean = isMarked(name, syntax) ? name.slice(0, -1) : name
  return clean.startsWith('@') ? `self.${clean.replace(/^@+/, '')}` : clean
}

/** The name path at the start of a type, without its arguments. */
function typeHead(text: string, syntax: Syntax): string {
  return headOf(typePath(text, syntax))
}

const NULL_TYPES = new Set(['None', 'null', 'undefined', 'nil', 'void', 'NoneType', 'never'])
/** Words that begin a type without a name. */
const NO_TYPES = new Set(['typeof', 'keyof', 'func', 'fn', 'struct', 'interface', 'enum', 'union'])
const TYPE_PREFIX =
  /(?:&\s*|\*+\s*|'[a-z_]\w*\s+|(?:mut|dyn|impl|readonly|const|final|volatile|in|out|inout|ref|params|vararg|struct|enum|union|unsigned|signed|register|static|extern|inline|typename|restrict|some|any|async|@\w+(?:\([^)]*\))?)\s+|\.\.\.\s*|\?\s*(?:(?:extends|super)\s+)?)/y
const CHANNEL = /(?:<-\s*chan|chan\s*<-|chan(?=\s|\())\s*/y
const TYPE_NAME = /[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|\\)[\p{L}_$][\p{L}\p{N}_$]*)*/uy

/**
 * A type as facts write it: name path with arguments in angle brackets. '' for functions, tuples, literals and
 * unions of several types.
 */
export function typePath(text: string, syntax: Syntax): string {
  return typeWithin(text, syntax, 0)
}

function typeWithin(text: string, syntax: Syntax, depth: number): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > 2000 || depth > DEEPEST) return ''
  return new TypeReader(trimmed, syntax, depth).read()
}

class TypeReader {
  readonly text: string
  readonly syntax: Syntax
  readonly depth: number
  at = 0

  constructor(text: string, syntax: Syntax, depth: number) {
    this.text = text
    this.syntax = syntax
    this.depth = depth
  }

  /** The type that a part of the text says. */
  inner(text: string): string {
    return typeWithin(text, this.syntax, this.depth + 1)
  }

  read(): string {
    const alternatives: string[] = []
    for (;;) {
      const one = this.one()
      if (one === null) return ''
      if (!NULL_TYPES.has(one)) alternatives.push(one)
      this.at = skipSpace(this.text, this.at)
      if (this.text[this.at] === '|') this.at++
      else if (this.text[this.at] === '&' || this.text[this.at] === '+') {
        // an intersection or several bounds: the first one stands for all
        break
      } else break
    }
    // a type that depends on another one
    if (this.text.startsWith('extends', this.at)) return ''
    const distinct = [...new Set(alternatives)]
    return distinct.length === 1 || this.syntax.unions ? distinct.join(' | ') : ''
  }

  /** One type without unions; null when it has no name. */
  one(): string | null {
    const { text, syntax } = this
    this.at = skipSpace(text, this.at)
    if (text[this.at] === '|') this.at = skipSpace(text, this.at + 1)
    for (;;) {
      TYPE_PREFIX.lastIndex = this.at
      if (TYPE_PREFIX.exec(text) === null) break
      this.at = skipSpace(text, TYPE_PREFIX.lastIndex)
    }
    CHANNEL.lastIndex = this.at
    if (CHANNEL.exec(text) !== null) {
      this.at = CHANNEL.lastIndex
      const element = this.one()
      return element === null ? null : `chan<${element}>`
    }
    const c = text[this.at]
    if (c === undefined) return null
    if (c === '"' || c === "'") {
      // a forward reference
      const end = skipString(text, this.at)
      const inner = text.slice(this.at + 1, end - 1)
      this.at = end
      return syntax.generics === '[' ? this.inner(inner) || null : null
    }
    if (c === '[') {
      // Go and Swift slices, arrays and dictionaries; Rust slices
      const end = skipBalanced(text, this.at, syntax)
      const inner = text.slice(this.at + 1, end - 1)
      this.at = end
      const next = text[end]
      if (next !== undefined && /[\p{L}_*[(&]/u.test(next)) {
        const element = this.one()
        return element === null ? null : `Array<${element}>`
      }
      const [key, value] = splitTopLevel(inner, ':', syntax)
      if (value !== undefined) return `Map<${this.inner(key)},${this.inner(value)}>`
      const element = this.inner(inner.split(';')[0])
      return element === '' ? null : `Array<${element}>`
    }
    if (c === '(') {
      const end = skipBalanced(text, this.at, syntax)
      const after = skipSpace(text, end)
      if (text.startsWith('=>', after) || text.startsWith('->', after)) return null
      const inner = text.slice(this.at + 1, end - 1)
      this.at = end
      if (splitTopLevel(inner, ',', syntax).length > 1) return null
      const one = this.inner(inner)
      return this.suffix(one === '' ? null : one)
    }
    if (text.startsWith('map[', this.at)) {
      const end = skipBalanced(text, this.at + 3, syntax)
      const key = this.inner(text.slice(this.at + 4, end - 1))
      this.at = end
      const value = this.one()
      return value === null ? null : `Map<${key},${value}>`
    }
    TYPE_NAME.lastIndex = this.at
    const name = TYPE_NAME.exec(text)
    if (name === null || NO_TYPES.has(name[0])) return null
    this.at = TYPE_NAME.lastIndex
    const path = name[0].replace(/::|\\/g, '.')
    return this.suffix(this.withArguments(path))
  }

  withArguments(path: string): string | null {
    const { text, syntax } = this
    let at = skipSpace(text, this.at)
    if (text.startsWith('::<', at)) at += 2
    const open = text[at]
    const last = path.slice(path.lastIndexOf('.') + 1)
    if (open !== syntax.generics || (open === '[' && text[at + 1] === ']')) return path
    const end = open === '<' ? skipAngles(text, at) : skipBalanced(text, at, syntax)
    if (end < 0) return path
    const parts = splitTopLevel(text.slice(at + 1, end - 1), ',', syntax)
    this.at = end
    if (last === 'Literal' || last === 'Callable') return null
    if (last === 'Union') {
      const alternatives = [
        ...new Set(parts.map((it) => this.inner(it)).filter((it) => it !== '' && !NULL_TYPES.has(it))),
      ]
      return alternatives.length === 1 || (syntax.unions && alternatives.length > 1) ? alternatives.join(' | ') : null
    }
    const types = parts.filter((it) => !/^\s*'/.test(it) || syntax.generics === '[').map((it) => this.inner(it))
    if (syntax.transparent.has(last)) {
      // what is sent to a coroutine comes first, what it gives last
      const held = last === 'Coroutine' ? types[types.length - 1] : types[0]
      return held === undefined || held === '' ? null : held
    }
    return `${path}<${types.join(',')}>`
  }

  /** `T[]`, `T?`, `T!`, `T*`, `T&`. */
  suffix(type: string | null): string | null {
    let result = type
    for (;;) {
      const at = skipSpace(this.text, this.at)
      const c = this.text[at]
      if (c === '[' && (this.syntax.generics === '<' || this.text[at + 1] === ']')) {
        const end = skipBalanced(this.text, at, this.syntax)
        const inner = this.text.slice(at + 1, end - 1).trim()
        this.at = end
        // an indexed access type has no name of its own
        result = result === null || (inner !== '' && !/^\d+$|^[,\s]*$/.test(inner)) ? null : `Array<${result}>`
      } else if (
        c === '?' ||
        c === '!' ||
        c === '*' ||
        (c === '&' && !/[\p{L}_]/u.test(this.text[skipSpace(this.text, at + 1)] ?? ''))
      ) {
        this.at = at + 1
      } else return result
    }
  }
}

const TYPE_WORD = /[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|\\)[\p{L}_$][\p{L}\p{N}_$]*)*/uy

/** Every type named in a piece of type text, as paths, without `skip`ped and lower-case built-in names. */
export function typeNames(text: string, skip: ReadonlySet<string>, syntax: Syntax): string[] {
  const names = new Set<string>()
  for (let at = 0; at < text.length; ) {
    const c = text[at]
    if (c === '"' || c === "'" || c === '`') {
      const end = skipString(text, at)
      if (syntax.generics === '[' && end > at + 1) {
        for (const name of typeNames(text.slice(at + 1, end - 1), skip, syntax)) names.add(name)
      }
      at = end
      if (end === at + 1) at++
      continue
    }
    TYPE_WORD.lastIndex = at
    const word = TYPE_WORD.exec(text)
    if (word === null) {
      at++
      continue
    }
    const end = TYPE_WORD.lastIndex
    const next = skipSpace(text, end)
    // a member name of an object type or a named parameter of a function type
    const isKey = (text[next] === ':' && text[next + 1] !== ':') || (text[next] === '?' && text[next + 1] === ':')
    const isLifetime = at > 0 && text[at - 1] === "'"
    const path = word[0].replace(/::|\\/g, '.')
    if (!isKey && !isLifetime && !skip.has(path)) names.add(path)
    at = end
  }
  return [...names]
}

/** The position behind the decorators or annotations that stand at `start`. */
export function skipAnnotations(text: string, start: number, syntax: Syntax): number {
  let at = start
  while (text[at] === '@' && !text.startsWith('@interface', at)) {
    const name = /@[\w$.]*/y
    name.lastIndex = at
    name.exec(text)
    const open = skipSpace(text, name.lastIndex)
    at = skipSpace(text, text[open] === '(' ? skipBalanced(text, open, syntax) : name.lastIndex)
  }
  return at
}

/** `List<User>` → `List`; takes what `typePath` gives. */
export function headOf(type: string): string {
  const angle = type.indexOf('<')
  return angle < 0 ? type : type.slice(0, angle)
}

/** `Map<str,List<User>>` → `str`, `List<User>`; takes what `typePath` gives. */
export function argumentsOf(type: string): string[] {
  const open = type.indexOf('<')
  if (open < 0) return []
  const args: string[] = []
  let depth = 0
  let from = open + 1
  for (let i = from; i < type.length - 1; i++) {
    const c = type[i]
    if (c === '<' || c === '(') depth++
    else if (c === ')' || (c === '>' && type[i - 1] !== '=')) depth--
    else if (c === ',' && depth === 0) {
      args.push(type.slice(from, i))
      from = i + 1
    }
  }
  args.push(type.slice(from, -1))
  return args
}
