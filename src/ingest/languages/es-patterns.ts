/** Parameters and destructuring patterns of ECMAScript and TypeScript → bindings. */

import { splitTopLevel, typePath, withoutLeadingComments } from '#ingest/expression'
import { syntax, valuePath } from '#ingest/languages/es-syntax'
import type { Part } from '#ingest/parse'
import type { FactsBuilder } from '#ingest/source'

/** Binds parameters in `scope`; `holder` is the class of constructor properties. Returns their number, -1 when variadic. */
export function bindParameters(facts: FactsBuilder, params: Part, scope: number, holder: number, element = ''): number {
  const list = facts.source.slice(params)
  if (!list.startsWith('(')) {
    facts.bind({ scope, name: list, kind: 'parameter', type: '', value: element, line: params.line })
    return 1
  }
  let count = 0
  let variadic = false
  for (const part of splitTopLevel(list.slice(1, -1), ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax).replace(/^(?:@[\w$.]+(?:\([^)]*\))?\s*)+/, '')
    if (plain.trim() === '') continue
    const property = /^((?:(?:public|private|protected|readonly|override)\s+)+)/.exec(plain)
    const rest = property === null ? plain : plain.slice(property[0].length)
    count++
    if (rest.startsWith('...')) variadic = true
    const found = /^(?:\.\.\.)?\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*\??\s*(?::\s*([\s\S]*))?$/u.exec(splitDefault(rest))
    if (found === null) {
      const colon = splitTopLevel(rest, ':', syntax)
      const type = colon.length > 1 ? typePath(splitDefault(colon.slice(1).join(':')), syntax) : ''
      bindPattern(
        facts,
        splitDefault(colon[0]).trim(),
        type === '' || type.includes('<') ? (count === 1 ? element : '') : `${type}()`,
        '',
        scope,
        'parameter',
        params.line,
      )
      continue
    }
    const value = count === 1 ? element : ''
    const defaultValue =
      rest.length > splitDefault(rest).length ? valuePath(rest.slice(splitDefault(rest).length + 1)) : ''
    const type = found[2] === undefined ? '' : typePath(found[2], syntax)
    facts.bind({
      scope,
      name: found[1],
      kind: 'parameter',
      type,
      value: value === '' && /^[\w.]*[A-Z][\w]*\(\)$/.test(defaultValue) ? defaultValue : value,
      line: params.line,
    })
    if (property !== null && holder >= 0)
      facts.bind({ scope: holder, name: found[1], kind: 'field', type, value: '', line: params.line })
  }
  return variadic ? -1 : count
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
  const from = value === '' && type !== '' && !type.includes('<') ? `${type}()` : value
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
    for (const part of splitTopLevel(text.slice(1, -1), ',', syntax))
      bindPattern(
        facts,
        splitDefault(part).replace(/^\s*\.\.\./, ''),
        from === '' ? '' : `${from}[]`,
        '',
        scope,
        kind,
        line,
      )
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
