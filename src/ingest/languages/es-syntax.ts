/** What the modules that read ECMAScript and TypeScript share: spelling of expressions, values, keys. */

import { expressionPath, type Syntax, typePath } from '#ingest/expression'

export const syntax: Syntax = {
  lineComment: '//',
  generics: '<',
  transparent: new Set([
    'Promise',
    'PromiseLike',
    'Awaited',
    'Readonly',
    'Partial',
    'Required',
    'NonNullable',
    'DeepPartial',
    'MaybePromise',
    'Ref',
    'MutableRefObject',
    'RefObject',
  ]),
}

/** The path of a value; of `a ?? b`, `a || b` and `c ? a : b` the constructed one. */
export function valuePath(text: string): string {
  // an element, an import that is no path
  if (/^\s*(?:<|(?:await\s+)?import\b|require\b)/.test(text)) return ''
  const path = expressionPath(text, syntax)
  if (path !== '' || text.length > 2000) return path
  const choice =
    /^([\s\S]+?)\s*(?:\?\?|\|\|)\s*([\s\S]+)$/.exec(text) ?? /^[\s\S]+?\?\s*([\s\S]+?)\s*:\s*([\s\S]+)$/.exec(text)
  if (choice === null) return ''
  const first = expressionPath(choice[1], syntax)
  const second = expressionPath(choice[2], syntax)
  return /^new\s/.test(choice[2].trim()) ? second : /^new\s/.test(choice[1].trim()) ? first : ''
}

/** The type that a function is written to return; '' for assertions. */
export function returnType(text: string): string {
  return text === '' || /^\s*(?:asserts\s|[\w$]+\s+is\s)/.test(text) ? '' : typePath(text, syntax)
}

/** The text of a property name without its quotes or brackets. */
export function keyOf(text: string): string {
  return text.replace(/^\[?["'`]?|["'`]?\]?$/g, '')
}

/** A key of an object literal, a label, a parameter name or an assignment target. */
export function isKey(text: string, end: number): boolean {
  const next = /^\s*(\?:|:(?!:)|=(?![=>])|\?\s*:)/.exec(text.slice(end, end + 40))
  if (next === null) return false
  if (next[1].startsWith('=')) return true
  // after `?` or `case` a colon ends a value
  const line = text.slice(Math.max(0, text.lastIndexOf('\n', end - 1)), end)
  return !/\?(?!\.)[^?:{]*$|\bcase\b[^:]*$/.test(line)
}
