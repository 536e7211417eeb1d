/** Parameters and destructuring patterns of ECMAScript and TypeScript → bindings. */

import { splitTopLevel, withoutLeadingComments } from '#ingest/expression'
import { syntax } from '#ingest/languages/es-syntax'
import { valuePath } from '#ingest/languages/es-values'
import type { Part } from '#ingest/parse'
import type { FactsBuilder } from '#ingest/source'

/** In front of a path that is no function but what the function is handed. */
export const SETTLED = 'settled:'

export interface ParameterScope {
  /** Scope that the names hold in. */
  scope: number
  /** Class of constructor properties, -1 when there are none. */
  holder: number
  /** Path of the function type that the surroundings expect, '' when they expect none. */
  context: string
  /** Types by name from a documentation comment. */
  documented?: ReadonlyMap<string, string>
  /** Parameters of a callback are locals of what the callback stands in. */
  kind: 'parameter' | 'local'
}

/** Facts with a way to read types into them. */
interface TypedSource {
  facts: FactsBuilder
  type(text: string, line: number): string
}

export interface Parameters {
  /** -1 when variadic. */
  arity: number
  /** Declared types in order, `...` in front of that of a rest parameter; empty when none is declared. */
  types: string[]
}

/** Binds the names of a parameter list. */
export function bindParameters(
  reader: TypedSource,
  params: Part,
  { scope, holder, context, documented, kind }: ParameterScope,
): Parameters {
  const { facts } = reader
  const list = facts.source.slice(params)
  const { line } = params
  if (!list.startsWith('(')) {
    facts.bind({
      scope,
      name: list,
      kind,
      type: documented?.get(list) ?? '',
      value: argument(context, 0),
      line,
    })
    return { arity: 1, types: [] }
  }
  const types: string[] = []
  let variadic = false
  for (const part of splitTopLevel(list.slice(1, -1), ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax).replace(/^(?:@[\w$.]+(?:\([^)]*\))?\s*)+/, '')
    if (plain.trim() === '') continue
    const property = /^((?:(?:public|private|protected|readonly|override)\s+)+)/.exec(plain)
    const whole = property === null ? plain : plain.slice(property[0].length)
    const isRest = whole.startsWith('...')
    const rest = isRest ? whole.slice(3) : whole
    variadic ||= isRest
    const declared = splitDefault(rest)
    const value = isRest ? '' : argument(context, types.length)
    const found = /^\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*\??\s*(?::\s*([\s\S]*))?$/u.exec(declared)
    if (found === null) {
      const colon = splitTopLevel(rest, ':', syntax)
      const type = colon.length > 1 ? reader.type(splitDefault(colon.slice(1).join(':')), line) : ''
      types.push(isRest ? `...${type}` : type)
      bindPattern(facts, splitDefault(colon[0]).trim(), type === '' ? value : `<${type}>`, '', scope, kind, line)
      continue
    }
    const [, name] = found
    if (name === 'this' && types.length === 0 && found[2] !== undefined) continue
    const defaultValue = rest.length > declared.length ? valuePath(rest.slice(declared.length + 1)) : ''
    const type = found[2] === undefined ? (documented?.get(name) ?? '') : reader.type(found[2], line)
    types.push(isRest ? `...${type}` : type)
    const known = value === '' && /^[\w.]*[A-Z][\w]*\(\)$/.test(defaultValue) ? defaultValue : value
    facts.bind({ scope, name, kind, type, value: known, line })
    if (property !== null && holder >= 0) facts.bind({ scope: holder, name, kind: 'field', type, value: '', line })
  }
  return { arity: variadic ? -1 : types.length, types: types.some((it) => it !== '' && it !== '...') ? types : [] }
}

/** Path of the argument at a position of the function that `context` stands for. */
function argument(context: string, position: number): string {
  if (context.startsWith(SETTLED)) return position === 0 ? context.slice(SETTLED.length) : ''
  return context === '' ? '' : `${context}{${position}}`
}

/** Names of a destructuring pattern, each bound to its part of `value`. */
export function bindPattern(
  facts: FactsBuilder,
  pattern: string,
  value: string,
  type: string,
  scope: number,
  kind: 'parameter' | 'local',
  line: number,
): void {
  const text = pattern.trim()
  if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text)) {
    facts.bind({ scope, name: text, kind, type, value, line })
    return
  }
  const from = type === '' ? value : `<${type}>`
  if (text.startsWith('{') && text.endsWith('}')) {
    for (const part of splitTopLevel(text.slice(1, -1), ',', syntax)) {
      const plain = splitDefault(withoutLeadingComments(part, syntax)).trim()
      if (plain === '') continue
      const rest = /^\.\.\.\s*([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(plain)
      if (rest !== null) {
        facts.bind({ scope, name: rest[1], kind, type: '', value: '', line })
        continue
      }
      const [key, ...target] = splitTopLevel(plain, ':', syntax)
      const name = key.trim()
      const member = from !== '' && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `${from}.${name}` : ''
      bindPattern(facts, target.length === 0 ? name : splitDefault(target.join(':')), member, '', scope, kind, line)
    }
  } else if (text.startsWith('[') && text.endsWith(']')) {
    splitTopLevel(text.slice(1, -1), ',', syntax).forEach((part, i) => {
      const isRest = /^\s*\.\.\./.test(part)
      bindPattern(
        facts,
        splitDefault(part).replace(/^\s*\.\.\./, ''),
        from === '' || isRest ? '' : `${from}[${i}]`,
        '',
        scope,
        kind,
        line,
      )
    })
  }
}

/** The part of a parameter or pattern in front of its default value. */
function splitDefault(text: string): string {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '(' || c === '[' || c === '{' || c === '<') depth++
    else if (c === ')' || c === ']' || c === '}' || (c === '>' && text[i - 1] !== '=')) depth--
    else if (c === '=' && depth <= 0 && text[i + 1] !== '>' && text[i + 1] !== '=') return text.slice(0, i)
  }
  return text
}
