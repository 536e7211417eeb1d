/**
 * Types, bounds and type parameters of Rust → the texts that facts hold. References, pointers and lifetimes are
 * dropped; `(A, B)` is `@Tuple<A,B>`, `[A; 3]` is `@Array<A>`, `fn(A) -> B` and `impl Fn(A) -> B` are
 * `@Fn<@Tuple<A>,B>`, `A + B` is `@Bounds<A,B>`, `Iterator<Item = A>` is `Iterator<A>`.
 */

import { type Cursor, LIFETIME, NAME, NUMBER, OPEN, TEXT } from '#ingest/languages/rust-tokens'

/** Hears of every type that is named, as a path with its place in the text. */
export type Named = (path: string, offset: number) => void

export interface TypeParameter {
  name: string
  /** `@Bounds<…>` of several, '' when unbounded. */
  bound: string
  /** The type that it is when none is given, '' for none. */
  value: string
}

const PREFIXES = new Set(['mut', 'dyn', 'impl', 'const', 'unsafe', 'async'])
const SUGARED = new Set(['Fn', 'FnMut', 'FnOnce', 'AsyncFn', 'AsyncFnMut', 'AsyncFnOnce'])
/** Bounds that give a value no methods of its own. */
const MARKERS = new Set(['Send', 'Sync', 'Sized', 'Copy', 'Unpin', 'UnwindSafe', 'RefUnwindSafe'])
const PASSED_ON = new Set(['Item', 'Output'])

/** The type that starts here; '' when it has no name. Stops behind it. */
export function readType(cursor: Cursor, named: Named, several = true): string {
  const first = readOne(cursor, named)
  if (!several || !cursor.is('+')) return first
  const all = first === '' || MARKERS.has(first) ? [] : [first]
  while (cursor.take('+')) {
    const next = readOne(cursor, named)
    if (next !== '' && !MARKERS.has(next)) all.push(next)
  }
  return all.length < 2 ? (all[0] ?? first) : `@Bounds<${all.join(',')}>`
}

function readOne(cursor: Cursor, named: Named): string {
  for (;;) {
    if (cursor.kind === LIFETIME || cursor.is('&') || cursor.is('&&') || cursor.is('*') || cursor.is('?')) cursor.at++
    else if (cursor.is('for') && cursor.is('<', cursor.at + 1)) {
      cursor.at++
      cursor.skipAngles()
    } else if (cursor.is('extern')) {
      cursor.at++
      if (cursor.kind === TEXT) cursor.at++
    } else if (cursor.kind === NAME && PREFIXES.has(cursor.word())) cursor.at++
    else break
  }
  if (cursor.kind === OPEN) return readBracketed(cursor, named)
  if (cursor.is('<')) return readQualified(cursor, named)
  if (cursor.take('!')) return ''
  if (cursor.is('fn')) {
    cursor.at++
    return readFunction(cursor, named)
  }
  const isCrate = cursor.take('::')
  const isModule = cursor.is('self') && cursor.is('::', cursor.at + 1)
  if (cursor.kind === NAME) return readPath(cursor, named, cursor.start, isCrate || isModule ? '::' : '')
  if (cursor.kind === NUMBER || cursor.kind === TEXT || cursor.is('-')) {
    if (cursor.is('-')) cursor.at++
    cursor.at++
  }
  return ''
}

function readBracketed(cursor: Cursor, named: Named): string {
  const close = cursor.close()
  const outer = cursor.end
  const isTuple = cursor.is('(')
  const isBlock = cursor.is('{')
  cursor.at++
  cursor.end = close
  const parts: string[] = []
  let commas = 0
  while (!isBlock && cursor.at < close) {
    const before = cursor.at
    parts.push(readType(cursor, named))
    if (!isTuple) break
    if (cursor.take(',')) commas++
    else if (cursor.at === before) cursor.skip()
  }
  cursor.end = outer
  cursor.at = Math.min(outer, close + 1)
  if (isBlock) return '_'
  if (!isTuple) return `@Array<${parts[0] || '_'}>`
  if (parts.length === 0) return '@Unit'
  return parts.length === 1 && commas === 0 ? parts[0] : `@Tuple<${parts.map((it) => it || '_').join(',')}>`
}

/** `<T as Trait>::Name`, as `T.Name`. */
function readQualified(cursor: Cursor, named: Named): string {
  cursor.at++
  const type = readType(cursor, named)
  if (cursor.take('as')) readType(cursor, named)
  while (cursor.at < cursor.end && !cursor.is('>')) cursor.skip()
  cursor.take('>')
  if (!cursor.take('::') || cursor.kind !== NAME) return type
  return readPath(cursor, () => {}, cursor.start, type.replace(/<.*$/, ''))
}

/** Parameters in brackets and the result behind them. */
function readFunction(cursor: Cursor, named: Named): string {
  if (!cursor.is('(')) return ''
  const close = cursor.close()
  const outer = cursor.end
  cursor.at++
  cursor.end = close
  const parts: string[] = []
  while (cursor.at < close) {
    const before = cursor.at
    // a parameter of a function pointer may have a name
    if (cursor.kind === NAME && cursor.is(':', cursor.at + 1)) cursor.at += 2
    parts.push(readType(cursor, named) || '_')
    if (!cursor.take(',') && cursor.at === before) cursor.skip()
  }
  cursor.end = outer
  cursor.at = Math.min(outer, close + 1)
  const result = cursor.take('->') ? readType(cursor, named, false) || '_' : '@Unit'
  return `@Fn<@Tuple<${parts.join(',')}>,${result}>`
}

function readPath(cursor: Cursor, named: Named, offset: number, before: string): string {
  let path = before
  let args = ''
  for (;;) {
    const name = cursor.word()
    path = path === '' || path === '::' ? path + name : `${path}.${name}`
    cursor.at++
    if (SUGARED.has(name) && cursor.is('(')) return readFunction(cursor, named)
    if (cursor.is('::') && cursor.is('<', cursor.at + 1)) cursor.at++
    if (cursor.is('<')) args = readArguments(cursor, named)
    if (cursor.is('::') && cursor.kind !== 0 && cursor.isName(cursor.at + 1)) {
      cursor.at++
      args = ''
    } else break
  }
  if (path !== '_') named(path, offset)
  return args === '' ? path : `${path}<${args}>`
}

/** What stands between angle brackets, as facts write it. Stops behind them. */
export function readArguments(cursor: Cursor, named: Named): string {
  const args: string[] = []
  cursor.at++
  while (cursor.at < cursor.end && !cursor.is('>')) {
    const before = cursor.at
    if (cursor.kind === LIFETIME) cursor.at++
    else if (cursor.kind === NAME && (cursor.is('=', cursor.at + 1) || cursor.is(':', cursor.at + 1))) {
      const name = cursor.word()
      cursor.at += 2
      const type = readType(cursor, named)
      if (PASSED_ON.has(name)) args.push(type || '_')
    } else args.push(readType(cursor, named) || '_')
    if (cursor.is(';') || cursor.is('}') || cursor.is(')')) break
    if (!cursor.take(',') && cursor.at === before) cursor.skip()
  }
  cursor.take('>')
  return args.join(',')
}

/** `<'a, T: Bound = Default, const N: usize>` without lifetimes. Stops behind it. */
export function readTypeParameters(cursor: Cursor, named: Named): TypeParameter[] {
  const parameters: TypeParameter[] = []
  if (!cursor.take('<')) return parameters
  while (cursor.at < cursor.end && !cursor.is('>')) {
    const before = cursor.at
    while (cursor.is('#')) {
      cursor.at++
      cursor.skip()
    }
    if (cursor.kind === LIFETIME) {
      cursor.at++
      if (cursor.take(':')) readType(cursor, named)
    } else if (cursor.kind === NAME) {
      const isConst = cursor.take('const')
      const name = cursor.word()
      cursor.at++
      const bound = cursor.take(':') ? readType(cursor, named) : ''
      const value = cursor.take('=') ? readType(cursor, named) : ''
      parameters.push({ name, bound: isConst ? '' : bound, value: isConst ? '' : value })
    }
    if (cursor.is('{') || cursor.is(';')) break
    if (!cursor.take(',') && cursor.at === before) cursor.skip()
  }
  cursor.take('>')
  return parameters
}

/** Adds the bounds of a `where` clause, if one starts here, to the parameters that they are about. */
export function readWhere(cursor: Cursor, named: Named, parameters: TypeParameter[]): void {
  if (!cursor.take('where')) return
  while (cursor.at < cursor.end && !cursor.is('{') && !cursor.is(';') && !cursor.is('=')) {
    const before = cursor.at
    const type = readType(cursor, named, false)
    const bound = cursor.take(':') ? readType(cursor, named) : ''
    const about = parameters.find((it) => it.name === type)
    if (about !== undefined && bound !== '') about.bound = joinBounds(about.bound, bound)
    if (!cursor.take(',') && cursor.at === before) cursor.skip()
  }
}

function joinBounds(first: string, second: string): string {
  if (first === '' || first === second || MARKERS.has(first)) return second
  if (MARKERS.has(second)) return first
  const plain = (it: string): string => (it.startsWith('@Bounds<') ? it.slice(8, -1) : it)
  return `@Bounds<${plain(first)},${plain(second)}>`
}

/** A path with its last type arguments, read from here; '' when none starts. */
export function readExpressionPath(cursor: Cursor, named: Named): { path: string; types: string; start: number } {
  const c = cursor
  const { start } = c
  let types = ''
  let path = ''
  if (c.is('<')) {
    c.at++
    path = readType(c, named).replace(/<.*$/, '')
    if (c.take('as')) readType(c, named)
    while (c.at < c.end && !c.is('>')) c.skip()
    c.take('>')
  } else if (c.is('::')) {
    c.at++
    path = `::${c.word()}`
    c.at++
  } else {
    path = c.word()
    c.at++
    // the module, not the value
    if (path === 'self' && c.is('::')) path = '::self'
  }
  for (;;) {
    if (!c.is('::')) break
    if (c.is('<', c.at + 1)) {
      c.at++
      types = readArguments(c, named)
      if (!c.is('::')) break
    }
    if (!c.isName(c.at + 1)) break
    path = path === '' ? c.word(c.at + 1) : `${path}.${c.word(c.at + 1)}`
    c.at += 2
  }
  return { path, types, start }
}
