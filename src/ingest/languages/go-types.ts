/** Types and parameter lists of Go, as facts hold them and as written. */

import { skipBalanced, splitTopLevel, type Syntax, typePath, withoutLeadingComments } from '#ingest/expression'

export const syntax: Syntax = { lineComment: '//', generics: '[', transparent: new Set() }

interface Parameter {
  name: string
  type: string
  /** The type as written. */
  text: string
  variadic: boolean
}

/** `(a, b int, c ...string)` or `(int, error)`; a name is '' when only types are listed. */
export function readParameters(list: string): Parameter[] {
  const parts = splitTopLevel(list.trim().replace(/^[([]|[)\]]$/g, ''), ',', syntax)
    .map((it) => withoutLeadingComments(it, syntax).trim())
    .filter((it) => it !== '')
  const named = parts
    .map((it) => /^([\p{L}_][\p{L}\p{N}_]*)\s+(\S[\s\S]*)$/u.exec(it))
    .map((it) => (it !== null && !/^(?:chan|func|map|struct|interface)$/.test(it[1]) ? it : null))
  if (named.every((it) => it === null))
    return parts.map((it) => ({ name: '', type: typePath(it, syntax), text: it, variadic: it.startsWith('...') }))
  const parameters: Parameter[] = []
  let type = ''
  let text = ''
  let variadic = false
  for (let i = parts.length - 1; i >= 0; i--) {
    const one = named[i]
    if (one !== null) {
      type = typePath(one[2], syntax)
      text = one[2]
      variadic = one[2].startsWith('...')
    }
    parameters.unshift({ name: one === null ? parts[i] : one[1], type, text, variadic })
  }
  return parameters
}

/** The types of a parameter list as written, without names: `(*Order,...any)`. */
export function writtenTypes(list: string): string {
  return `(${readParameters(list)
    .map((it) => writtenType(it.text))
    .join(',')})`
}

export function writtenResult(text: string): string {
  const result = text.trim()
  if (result === '') return '()'
  return result.startsWith('(') ? writtenTypes(result) : `(${writtenType(result)})`
}

/** A type as written, spaced in one way and without the names of parameters. */
export function writtenType(text: string): string {
  const trimmed = withoutLeadingComments(text, syntax).trim()
  const prefix = /^(?:\*|\.\.\.|<-\s*chan\b|chan\s*<-|chan\b|\[[^\]]*\])\s*/.exec(trimmed)
  if (prefix !== null) {
    const mark = prefix[0].trim().replace(/\s+/g, '')
    return `${mark}${mark.endsWith('chan') ? ' ' : ''}${writtenType(trimmed.slice(prefix[0].length))}`
  }
  if (/^func\b/.test(trimmed)) {
    const open = trimmed.indexOf('(')
    const close = skipBalanced(trimmed, open, syntax)
    return `func${writtenTypes(trimmed.slice(open, close))}${writtenResult(trimmed.slice(close))}`
  }
  if (trimmed.startsWith('map[')) {
    const close = skipBalanced(trimmed, 3, syntax)
    return `map[${writtenType(trimmed.slice(4, close - 1))}]${writtenType(trimmed.slice(close))}`
  }
  return trimmed.replace(/\s+/g, ' ').replace(/^interface ?\{ ?\}$/, 'any')
}

/** True for an interface that lists types: `~int | ~string`, `*T`. */
export function holdsTypes(body: string): boolean {
  return body
    .replace(/\/\/.*/g, '')
    .slice(body.indexOf('{') + 1)
    .split(/[\n;]/)
    .some((it) => !it.includes('(') && /^\s*[*~[]|\|/.test(it))
}
