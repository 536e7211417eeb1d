/** What the modules that read ECMAScript and TypeScript share: spelling of expressions and keys. */

import type { Syntax } from '#ingest/expression'

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

/** The text of a property name without its quotes or brackets. */
export function keyOf(text: string): string {
  return text.replace(/^\[?["'`]?|["'`]?\]?$/g, '')
}

/** A key of an object literal, a label, a parameter name or an assignment target. */
export function isKey(text: string, end: number): boolean {
  // two words in a row are no value: `keyof T`, `readonly string[]`, `get total()`
  if (/^[ \t]+(?!(?:in|of|instanceof|as|satisfies|is|extends|implements)\b)[\p{L}_$]/u.test(text.slice(end, end + 20)))
    return true
  const next = /^\s*(\?:|:(?!:)|=(?![=>])|\?\s*:)/.exec(text.slice(end, end + 40))
  if (next === null) return false
  if (next[1].startsWith('=')) return true
  // after `?` or `case` a colon ends a value
  const line = text.slice(Math.max(0, text.lastIndexOf('\n', end - 1)), end)
  return !/\?(?!\.)[^?:{]*$|\bcase\b[^:]*$/.test(line)
}
