/** The names of SCIP symbols: `scheme manager package version descriptor…`, or `local N`. */

export interface SymbolName {
  /** Name of the last descriptor, without backticks. */
  name: string
  /** What it is: `type`, `method`, `term`, or anything else that has no name of its own in the text. */
  kind: 'type' | 'method' | 'term' | 'other'
}

const NO_NAME: SymbolName = { name: '', kind: 'other' }

export function isLocal(symbol: string): boolean {
  return symbol.startsWith('local ')
}

/** Scheme, manager and name of the package; versions differ between an index and its dependencies. */
export function packageOf(symbol: string): string {
  return /^(?:[^ ]| {2})* (?:[^ ]| {2})* (?:[^ ]| {2})*(?= )/.exec(symbol)?.[0] ?? ''
}

export function symbolName(symbol: string): SymbolName {
  if (isLocal(symbol)) return NO_NAME
  const end = symbol.length
  if (symbol.endsWith('#')) return { name: nameBefore(symbol, end - 1), kind: 'type' }
  if (symbol.endsWith(').')) {
    const open = symbol.lastIndexOf('(')
    return { name: nameBefore(symbol, open), kind: 'method' }
  }
  if (symbol.endsWith('.')) return { name: nameBefore(symbol, end - 1), kind: 'term' }
  return NO_NAME
}

/** A name is plain, or in backticks in which a backtick is doubled. */
function nameBefore(symbol: string, end: number): string {
  if (symbol[end - 1] !== '`') return /[\p{L}\p{N}_$+-]*$/u.exec(symbol.slice(Math.max(0, end - 300), end))?.[0] ?? ''
  let start = end - 2
  while (start > 0 && (symbol[start] !== '`' || symbol[start - 1] === '`')) start -= symbol[start] === '`' ? 2 : 1
  return symbol.slice(start + 1, end - 1).replaceAll('``', '`')
}
