/** TypeScript and JavaScript. The grammar with JSX reads plain JavaScript as well. */

import { expressionPath } from '#ingest/expression'
import { readAssignment } from '#ingest/languages/es-assignments'
import { instanceChecks, readCall, readElement, readInstanceof, readNew, readReturn } from '#ingest/languages/es-calls'
import {
  defineFunction,
  readCallSignature,
  readClass,
  readExport,
  readField,
  readFunction,
  readHeritage,
  readMethod,
  readNamed,
  readPair,
  readTypeAlias,
  readVariable,
  tellPath,
} from '#ingest/languages/es-definitions'
import { documentedImports } from '#ingest/languages/es-jsdoc'
import { readImportStatement } from '#ingest/languages/es-modules'
import { bindPattern } from '#ingest/languages/es-patterns'
import { prepare } from '#ingest/languages/es-prepare'
import { JSX_QUERY, QUERY } from '#ingest/languages/es-query'
import { Reader } from '#ingest/languages/es-reader'
import { isKey, syntax } from '#ingest/languages/es-syntax'
import { COMMENT } from '#ingest/facts'
import type { Match } from '#ingest/parse'
import { dottedAt, type FactsBuilder, type Language, type Source } from '#ingest/source'

/** Beyond it, `a<b,a<b,` takes hundreds of megabytes and more. */
const MAX_ANGLES = 1000

export const typescript: Language = {
  name: 'typescript',
  extensions: ['ts', 'mts', 'cts'],
  interpreters: ['ts-node', 'tsx', 'deno', 'bun'],
  grammar: 'typescript',
  query: QUERY,
  syntax,
  maxAngles: MAX_ANGLES,
  prepare,
  read,
}

export const tsx: Language = {
  name: 'tsx',
  extensions: ['tsx'],
  grammar: 'tsx',
  query: QUERY + JSX_QUERY,
  syntax,
  maxAngles: MAX_ANGLES,
  read,
}

export const javascript: Language = {
  name: 'javascript',
  extensions: ['js', 'jsx', 'mjs', 'cjs'],
  interpreters: ['node'],
  grammar: 'tsx',
  query: QUERY + JSX_QUERY,
  syntax,
  maxAngles: MAX_ANGLES,
  read,
}

const TYPES_WITHOUT_NODE = new Set(
  'String Number Boolean Promise Array Record Partial Required Readonly Map Set Date Error Function Object Omit Pick Exclude Extract ReturnType Parameters Awaited NonNullable InstanceType ReadonlyArray WeakMap WeakSet RegExp Symbol const'.split(
    ' ',
  ),
)

const TEST_FILE = /(?:^|\/)(?:__tests__|__mocks__|tests?|e2e|specs?)\/|\.(?:test|spec|e2e|bench|stories)\.[cm]?[jt]sx?$/

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { tags, language } = facts.facts
  tags.push(language === 'javascript' ? 'javascript' : 'typescript')
  if (TEST_FILE.test(source.path)) tags.push('test')
  if (source.text.startsWith('#!')) tags.push('entrypoint')
  const reader = new Reader(source, matches, facts)
  if (language === 'javascript') importDocumented(facts)
  const checks = instanceChecks(source)
  let next = 0
  for (const match of matches) {
    while (next < checks.length && checks[next].start < match.start) readInstanceof(reader, checks[next++])
    readMatch(reader, match)
  }
  while (next < checks.length) readInstanceof(reader, checks[next++])
  bindReturns(reader)
  markOverloads(reader)
  const exported = new Set(facts.facts.exports.map((it) => it.local))
  for (const it of facts.facts.definitions) if (it.parent < 0 && exported.has(it.name)) it.exported = true
  facts.mentions(['this'], (offset) => dottedAt(source.text, offset, isKey))
}

/** Types of other modules that comments name. */
function importDocumented(facts: FactsBuilder): void {
  const { quiet, source } = facts
  for (let i = 0; i < quiet.length; i += 3) {
    if (quiet[i + 2] !== COMMENT || !source.text.startsWith('/**', quiet[i])) continue
    const comment = source.text.slice(quiet[i], quiet[i + 1])
    if (!comment.includes('import')) continue
    for (const { name, module, member } of documentedImports(comment))
      facts.import({ kind: 'comment', module, name: member, alias: name, scope: -1, line: source.lineAt(quiet[i]) })
  }
}

/** What functions without a declared result return. */
function bindReturns({ facts, returns }: Reader): void {
  for (const [scope, paths] of returns) {
    const { kind, type, line } = facts.facts.definitions[scope]
    if (kind !== 'fn' || (type ?? '') !== '') continue
    facts.bind({ scope, name: 'return', kind: 'local', type: '', value: paths.join(' | '), line })
  }
}

/** Signatures of a function whose body follows under the same name. */
function markOverloads({ facts, signatures }: Reader): void {
  const { definitions } = facts.facts
  const bodies = new Set<string>()
  for (let i = definitions.length - 1; i >= 0; i--) {
    const it = definitions[i]
    if (it.kind !== 'fn') continue
    const id = `${it.parent} ${it.name}`
    if (!signatures.has(i)) bodies.add(id)
    else if (bodies.has(id)) it.tags.push('overload')
  }
}

function readMatch(reader: Reader, match: Match): void {
  const { source, facts } = reader
  const scope = facts.scopeAt(match.start)
  switch (match.kind) {
    case 'class':
    case 'classexpr':
      readClass(reader, match, scope)
      break
    case 'interface':
    case 'enum':
    case 'namespace':
      readNamed(reader, match)
      break
    case 'type':
      readTypeAlias(reader, match)
      break
    case 'extends':
    case 'implements':
      readHeritage(reader, match, scope)
      break
    case 'fn': {
      const name = source.part(match, 'name')
      if (name !== undefined) defineFunction(reader, match, { text: source.slice(name), start: name.start }, scope, [])
      break
    }
    case 'method':
      readMethod(reader, match, scope)
      break
    case 'signature':
      readCallSignature(reader, match, scope)
      break
    case 'property':
    case 'field':
      readField(reader, match, scope)
      break
    case 'variable':
      readVariable(reader, match, scope)
      break
    case 'pair':
      readPair(reader, match, scope)
      break
    case 'assign':
      readAssignment(reader, match, scope)
      break
    case 'function':
      readFunction(reader, match, scope)
      break
    case 'import':
      facts.toldRanges.push(match.start, match.end)
      readImportStatement(source.slice(match), match.line, scope, facts)
      break
    case 'export':
      readExport(reader, match, scope)
      break
    case 'call':
      readCall(reader, match, scope)
      break
    case 'new':
      readNew(reader, match, scope)
      break
    case 'jsx':
      readElement(reader, match, scope)
      break
    case 'closing': {
      const name = source.part(match, 'name')
      if (name !== undefined) facts.told.add(name.start)
      break
    }
    case 'object':
      reader.enterObject(match)
      break
    case 'return':
      readReturn(reader, match, scope)
      break
    case 'decorator':
      readDecorator(reader, match, scope)
      break
    case 'typename': {
      if (facts.told.has(match.start)) break
      tellPath(source.slice(match), match.start, facts)
      const path = source.slice(match).replace(/\s/g, '')
      if (!TYPES_WITHOUT_NODE.has(path)) facts.reference(scope, 'references', path, match.line)
      break
    }
    case 'word':
      facts.told.add(match.start)
      break
    case 'typeparam': {
      const name = source.part(match, 'name')
      if (name === undefined) break
      facts.told.add(name.start)
      const constraint = source.partText(match, 'constraint').replace(/^\s*(?:extends|:)\s*/, '')
      facts.bindType(scope, source.slice(name), reader.type(constraint, match.line), match.line)
      break
    }
    case 'for':
      readLoop(reader, match, scope)
      break
    case 'catch': {
      const name = source.partText(match, 'name')
      facts.bind({ scope, name, kind: 'local', type: '', value: '', line: match.line })
      break
    }
    case 'never':
      reader.neverUntil = Math.max(reader.neverUntil, match.end)
      break
  }
}

function readDecorator(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const value = source.part(match, 'value')
  if (value === undefined) return
  facts.told.add(value.start)
  const path = expressionPath(source.slice(value), syntax).replace(/\(\)$/, '')
  // those of fields and parameters stand inside of what they decorate
  if (match.start < reader.decoratedUntil) facts.reference(scope, 'decorates', path, match.line)
  else reader.decorators.push({ path, line: match.line, end: match.end })
}

function readLoop({ source, text, facts }: Reader, match: Match, scope: number): void {
  const left = source.part(match, 'left')
  const right = source.part(match, 'right')
  if (left === undefined || right === undefined) return
  const list = expressionPath(source.slice(right), syntax)
  const isOf = /\sof\s/.test(text.slice(left.end, right.start))
  const pattern = source.slice(left).replace(/^(?:const|let|var)\s+/, '')
  bindPattern(facts, pattern, isOf && list !== '' ? `${list}[]` : '', '', scope, 'local', match.line)
}
