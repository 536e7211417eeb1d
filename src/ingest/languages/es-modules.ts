/** Import and export statements of ECMAScript, TypeScript and CommonJS, read from their text. */

import { expressionPath, splitTopLevel, withoutLeadingComments } from '#ingest/expression'
import type { Import } from '#ingest/facts'
import { syntax } from '#ingest/languages/es-syntax'
import type { FactsBuilder } from '#ingest/source'

const SPECIFIER = /(['"`])((?:(?!\1)[^\\$])+)\1/

/** The text between the first pair of quotes when it holds no interpolation, else ''. */
export function specifierIn(text: string): string {
  return SPECIFIER.exec(text)?.[2] ?? ''
}

function withoutComments(text: string): string {
  return !text.includes('/*') && !text.includes('//') ? text : text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, ' ')
}

interface Listed {
  name: string
  alias: string
  isType: boolean
}

/** `a, b as c, type D, default as e` */
function listed(list: string): Listed[] {
  const names: Listed[] = []
  for (const part of list.split(',')) {
    const words = part.trim().split(/\s+/)
    const isType = words[0] === 'type' && words.length > 1 && words[1] !== 'as'
    if (isType || (words[0] === 'typeof' && words.length > 1)) words.shift()
    const name = words[0]?.replace(/^["']|["']$/g, '')
    if (name === undefined || name === '') continue
    names.push({
      name,
      alias: words[1] === 'as' && words[2] !== undefined ? words[2].replace(/^["']|["']$/g, '') : name,
      isType,
    })
  }
  return names
}

export function readImportStatement(statement: string, line: number, scope: number, facts: FactsBuilder): void {
  const plain = withoutComments(statement)
  const required = /^import\s+(?:type\s+)?([\w$]+)\s*=\s*require\s*\(\s*(['"])([^'"]+)\2/.exec(plain)
  if (required !== null) {
    facts.import({ kind: 'require', module: required[3], name: '', alias: required[1], scope, line })
    return
  }
  const aliased = /^import\s+(?:type\s+)?([\w$]+)\s*=\s*([\w$.]+)/.exec(plain)
  if (aliased !== null) {
    facts.bind({ scope, name: aliased[1], kind: 'local', type: '', value: aliased[2], line })
    return
  }
  const found = /^import\s*([\s\S]*?)\s*(?:\bfrom\s*)?(['"])([^'"\n]+)\2/.exec(plain)
  if (found === null) return
  const module = found[3]
  let clause = found[1]
  const typeOnly = /^type\s+(?!from\b|,)/.test(clause) || /^typeof\s/.test(clause)
  if (typeOnly) clause = clause.replace(/^type(?:of)?\s+/, '')
  const add = (kind: Import['kind'], name: string, alias: string) =>
    facts.import({ kind, module, name, alias, scope, line })
  const kind = typeOnly ? 'type' : 'import'
  if (clause === '') {
    add('import', '', '')
    return
  }
  const braces = /\{([\s\S]*)\}/.exec(clause)
  const rest = clause.replace(/\{[\s\S]*\}/, '')
  for (const part of rest.split(',')) {
    const namespace = /^\s*\*\s*as\s+([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(part)
    const plainName = /^\s*(?:defer\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*$/u.exec(part)
    if (namespace !== null) add(kind, '', namespace[1])
    else if (plainName !== null) add(kind, 'default', plainName[1])
  }
  if (braces !== null) {
    const names = listed(braces[1])
    for (const { name, alias, isType } of names) add(isType ? 'type' : kind, name, alias)
    if (names.length === 0 && rest.trim() === '') add(kind, '', '')
  }
}

/** A declaration behind `export` without anything between. */
const DECLARED =
  /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\s*\*?\s+|function\*|class\s+|interface\s+|type\s+|enum\s+|const\s+enum\s+|namespace\s+)([\p{L}_$][\p{L}\p{N}_$]*)(?![\p{L}\p{N}_$]|\s*,)/u

/** What an export statement says besides the declaration that it may hold. */
export function readExportStatement(statement: string, line: number, scope: number, facts: FactsBuilder): void {
  const plainly = scope < 0 ? DECLARED.exec(statement) : null
  if (plainly !== null) {
    facts.export({ name: plainly[1], local: plainly[1], line })
    return
  }
  const plain = withoutComments(statement.slice(0, 4000))
  const head = /^export\s+(?:@[\w$.]+(?:\([^)]*\))?\s*)*/.exec(plain)
  if (head === null) {
    if (/^export\s*[*{]/.test(plain)) readExportStatement(plain.replace(/^export/, 'export '), line, scope, facts)
    return
  }
  const body = plain.slice(head[0].length)

  const star = /^(?:type\s+)?\*\s*(?:as\s+(["']?)([\w$-]+)\1\s*)?from\s*(['"])([^'"\n]+)\3/.exec(body)
  if (star !== null) {
    facts.import({
      kind: 'reexport',
      module: star[4],
      name: star[2] === undefined ? '*' : '',
      alias: star[2] ?? '',
      scope,
      line,
    })
    return
  }
  const list = /^(?:type\s+)?\{([\s\S]*?)\}\s*(?:from\s*(['"])([^'"\n]+)\2)?/.exec(body)
  if (list !== null) {
    for (const { name, alias } of listed(list[1])) {
      if (list[3] === undefined) facts.export({ name: alias, local: name, line })
      else facts.import({ kind: 'reexport', module: list[3], name, alias, scope, line })
    }
    if (list[3] !== undefined && list[1].trim() === '')
      facts.import({ kind: 'reexport', module: list[3], name: '', alias: '', scope, line })
    return
  }
  const assigned = /^=\s*([\s\S]*?);?\s*$/.exec(body)
  if (assigned !== null) {
    facts.export({ name: 'default', local: expressionPath(assigned[1], syntax), line })
    return
  }
  if (scope >= 0) return
  if (body.startsWith('default')) {
    const value = body.slice('default'.length).trim().replace(/;\s*$/, '')
    const named =
      /^(?:async\s+)?(?:abstract\s+)?(?:function\s*\*?|class|interface|enum)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(value)
    if (named !== null && named[1] !== 'extends' && named[1] !== 'implements')
      facts.export({ name: 'default', local: named[1], line })
    else if (/^(?:async\s+)?(?:function\b|class\b|\(|\{|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)/u.test(value))
      facts.export({ name: 'default', local: 'default', line })
    else {
      // `export default memo(App)` hands on what it wraps
      const path = expressionPath(value, syntax)
      const wrapped = /^[\w$.]+\(\s*([\w$.]+)\s*[,)]/.exec(value)?.[1]
      const local = path.endsWith('()') && wrapped !== undefined ? wrapped : path
      if (local !== '') facts.export({ name: 'default', local, line })
    }
    return
  }
  const declared =
    /^(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\s*\*?|class|interface|type|enum|const\s+enum|namespace|module)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(
      body,
    )
  if (declared !== null) {
    facts.export({ name: declared[1], local: declared[1], line })
    return
  }
  const variables = /^(?:declare\s+)?(?:const|let|var)\s+([\s\S]*)$/.exec(body)
  if (variables !== null) {
    for (const part of splitTopLevel(variables[1], ',', syntax)) {
      const pattern = /^\s*[[{]([\s\S]*?)[\]}]\s*=/.exec(part)
      const names = pattern === null ? [part.replace(/[:=;!][\s\S]*$/, '')] : splitTopLevel(pattern[1], ',', syntax)
      for (const one of names) {
        const name = /(?:^|:|\.\.\.)\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:=[\s\S]*)?$/u.exec(one.trim())?.[1]
        if (name !== undefined) facts.export({ name, local: name, line })
      }
    }
  }
  const alias = /^import\s+([\w$]+)\s*=/.exec(body)
  if (alias !== null) facts.export({ name: alias[1], local: alias[1], line })
}

/** Entries of the object that a CommonJS module exports. Inline functions are members of `holder`. */
export function readExportedObject(
  object: string,
  holder: string,
  line: number,
  scope: number,
  facts: FactsBuilder,
): void {
  for (const part of splitTopLevel(object.slice(1, -1), ',', syntax)) {
    const entry = withoutLeadingComments(part, syntax).trim()
    if (entry === '') continue
    const spread = /^\.\.\.\s*require\(\s*(['"])([^'"]+)\1\s*\)/.exec(entry)
    if (spread !== null) {
      facts.import({ kind: 'reexport', module: spread[2], name: '*', alias: '', scope, line })
      continue
    }
    const shorthand = /^([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(entry)
    if (shorthand !== null) {
      facts.export({ name: shorthand[1], local: shorthand[1], line })
      continue
    }
    const pair = /^(["']?)([\p{L}_$][\p{L}\p{N}_$-]*)\1\s*:\s*([\s\S]+)$/u.exec(entry)
    if (pair === null) {
      const method = /^(?:async\s+)?(?:get\s+|set\s+|\*\s*)?([\p{L}_$][\p{L}\p{N}_$]*)\s*\(/u.exec(entry)
      if (method !== null) facts.export({ name: method[1], local: `${holder}.${method[1]}`, line })
      continue
    }
    const required = /^require\(\s*(['"])([^'"]+)\1\s*\)(?:\.([\w$]+))?$/.exec(pair[3])
    if (required !== null) {
      facts.import({ kind: 'reexport', module: required[2], name: required[3] ?? '', alias: pair[2], scope, line })
      continue
    }
    const path = expressionPath(pair[3], syntax)
    const isFunction = /^(?:async\s+)?(?:function\b|\([\s\S]*?\)\s*=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)/u.test(pair[3])
    facts.export({ name: pair[2], local: isFunction || path === '' ? `${holder}.${pair[2]}` : path, line })
  }
}

/** Imports that are written as values; true when the declaration is nothing but one. */
export function readRequire(facts: FactsBuilder, target: string, value: string, scope: number, line: number): boolean {
  const required = /^(?:(await\s+)?import|require)\s*\(\s*(['"`])([^'"`$]+)\2\s*\)\s*(?:\.([\w$]+))?\s*(?:\(|$|;)/.exec(
    value,
  )
  if (required !== null) {
    const kind = value.startsWith('require') ? 'require' : 'dynamic'
    if (kind === 'dynamic' && required[1] === undefined) return false
    const member = required[4]
    const called = required[0].endsWith('(')
    if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(target)) {
      if (called) return false
      facts.import({ kind, module: required[3], name: member ?? '', alias: target, scope, line })
      return true
    }
    if (!target.startsWith('{') || member !== undefined) return false
    for (const part of splitTopLevel(target.slice(1, -1), ',', syntax)) {
      const pair = /^\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::\s*([\p{L}_$][\p{L}\p{N}_$]*))?\s*(?:=[\s\S]*)?$/u.exec(part)
      if (pair !== null)
        facts.import({ kind, module: required[3], name: pair[1], alias: pair[2] ?? pair[1], scope, line })
    }
    return true
  }
  const lazy = /^(?:[\w$.]+)\(\s*(?:async\s*)?\(\)\s*=>\s*import\(\s*(['"`])([^'"`$]+)\1\s*\)([\s\S]*)$/.exec(value)
  if (lazy !== null && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(target)) {
    const name = /default\s*:\s*[\w$]+\.([\w$]+)/.exec(lazy[3])?.[1] ?? 'default'
    facts.import({ kind: 'dynamic', module: lazy[2], name, alias: target, scope, line })
    return true
  }
  return false
}
