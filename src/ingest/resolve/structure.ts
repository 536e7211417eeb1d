/**
 * Types and values that have a structure instead of a name: unions, functions, tuples, objects. They are written
 * `A | B`, `A & B`, `(A,B : R)`, `[A,B]`, `{a:A,b:B}` and `typeof path`.
 */

import type { Reader } from '#ingest/resolve/classes'
import {
  containerOf,
  DEFINITION,
  FUNCTION,
  functionOf,
  INSTANCE,
  isOpaque,
  objectOf,
  RESULT,
  UNION,
  unionOf,
  UNKNOWN,
  unknown,
  type Value,
} from '#ingest/resolve/value'

/** The type that a structured text means; undefined when the text is a plain name with arguments. */
export function structuredType(scope: number, text: string, reader: Reader): Value | undefined {
  const first = text.charCodeAt(0)
  const isOpen = first === 40 /* ( */ || first === 91 /* [ */ || first === 123 /* { */
  if (!isOpen && text.indexOf(' ') < 0) return undefined
  const type = (it: string): Value => (it === '' ? unknown : reader.type(scope, it))
  const alternatives = splitAt(text, ' | ')
  if (alternatives.length > 1) return unionOf(alternatives.map(type))
  const parts = splitAt(text, ' & ')
  if (parts.length > 1) return unionOf(parts.map(type), '&')
  if (text.startsWith('typeof ')) return reader.evaluate(scope, text.slice('typeof '.length))
  if (!isOpen) return undefined
  const inside = text.slice(1, -1)
  if (first === 91) return containerOf('Tuple', splitAt(inside, ',').map(type))
  if (first === 123) {
    const members = splitAt(inside, ',').map((it) => it.split(/:([\s\S]*)/, 2))
    return objectOf(
      members.map(([name]) => name),
      members.map(([, it]) => type(it ?? '')),
    )
  }
  const [parameters, result] = splitAt(inside, ' : ')
  if (result === undefined) return type(inside)
  const list = parameters === '' ? [] : splitAt(parameters, ',')
  const takesMany = list.at(-1)?.startsWith('...') === true
  return functionOf(
    type(result),
    list.map((it) => type(it.replace(/^\.\.\./, ''))),
    takesMany,
  )
}

/** The member of an object known by its members, or of one that is spread in it; undefined when there is none. */
export function objectMember(
  { name, args }: Value,
  member: string,
  memberOf: (spread: Value) => Value | undefined,
): Value | undefined {
  const names = name.split(',')
  const position = names.lastIndexOf(member)
  if (position >= 0) return args[position]
  let open: Value | undefined
  for (let i = names.length - 1; i >= 0; i--) {
    if (names[i] !== '...') continue
    const found = memberOf(args[i])
    if (found !== undefined && !isOpaque(found)) return found
    open ??= found
  }
  return open
}

/**
 * A member of several values in one. Of a union and an intersection all definitions that have the name; of one of
 * several signatures only one that is the same in all.
 */
export function unionMember(union: Value, memberOf: (part: Value) => Value | undefined): Value | undefined {
  const found: Value[] = []
  for (const part of union.args) {
    const value = memberOf(part)
    if (value !== undefined) found.push(value)
  }
  if (found.length === 0) return undefined
  const told = found.filter((it) => !isOpaque(it))
  if (told.length === 0) return found.find((it) => it.kind === UNKNOWN) ?? found[0]
  if (union.name === '&') return told[0]
  const value = unionOf(told, union.name === '?' ? '?' : '|')
  return value.kind === UNION && value.name === '?' && told.some((it) => it.kind === DEFINITION || it.kind === INSTANCE)
    ? unknown
    : value
}

/** Type of the parameter at `index` of a function type or built-in function; undefined for any other value. */
export function declaredParameter(
  { kind, args, name }: Value,
  index: number,
  element: (it: Value) => Value,
): Value | undefined {
  if (kind === RESULT) return index === 0 ? (args[1] ?? unknown) : unknown
  if (kind !== FUNCTION) return undefined
  if (name === '...' && index >= args.length - 2) return element(args[args.length - 1])
  return args[index + 1] ?? unknown
}

/** Parts of a text between separators that stand outside of all brackets. */
export function splitAt(text: string, separator: string): string[] {
  if (!text.includes(separator)) return text === '' ? [] : [text]
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '(' || c === '[' || c === '{' || c === '<') depth++
    else if (c === ')' || c === ']' || c === '}' || c === '>') depth--
    else if (depth === 0 && text.startsWith(separator, i)) {
      parts.push(text.slice(from, i))
      i += separator.length - 1
      from = i + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}
