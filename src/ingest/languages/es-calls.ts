/** Calls of ECMAScript and TypeScript, and what they say of modules and types. */

import { expressionPath, splitTopLevel } from '#ingest/expression'
import { readAssignedExports } from '#ingest/languages/es-assignments'
import { specifierIn } from '#ingest/languages/es-modules'
import { SETTLED } from '#ingest/languages/es-patterns'
import type { Reader } from '#ingest/languages/es-reader'
import { syntax } from '#ingest/languages/es-syntax'
import { valuePath } from '#ingest/languages/es-values'
import type { Match } from '#ingest/parse'
import type { Source } from '#ingest/source'

const ROUTER = /(?:^|\.)(?:use|register|route|mount)$/
const MOCKED =
  /^(?:vi|jest)\.(?:mock|doMock|importActual|requireActual|importMock|requireMock|unmock|unstable_mockModule)$/
/** The callback of a promise gets what the promise stands for. */
const THEN = /^(.+)\.then$/

export function readCall(reader: Reader, match: Match, scope: number): void {
  const { source, facts, text } = reader
  const callee = source.part(match, 'callee')
  const args = source.part(match, 'args')
  if (callee === undefined || args === undefined) return
  facts.told.add(callee.start)
  const name = source.slice(callee)
  // a template behind a name is no list
  const isList = text[args.start] === '('
  const line = source.lineAt(callee.end)
  if (name === 'import' || name === 'require' || name === 'require.resolve') {
    readModuleCall(reader, match, name, isList ? text.slice(args.start + 1, args.end - 1) : '', scope)
    return
  }
  const isDecorator = reader.decorators.some((it) => it.end === match.end) || text[match.start - 1] === '@'
  if (isDecorator) return
  const path = calleePath(reader, name, line)
  if (path === '' || path === 'super' || /^(?:import|require)\(\)/.test(path)) return
  if (path === 'eval' || path === 'Function') facts.dynamic(line, source.slice(match))
  if (MOCKED.test(path)) {
    const module = isList ? specifierIn(text.slice(args.start + 1, args.end - 1)) : ''
    if (module !== '') facts.import({ kind: 'dynamic', module, name: '', alias: '', scope, line })
  }
  if (path === 'Object.assign' && isList) {
    const [target, ...parts] = splitTopLevel(text.slice(args.start + 1, args.end - 1), ',', syntax)
    if (/^\s*(?:module\.)?exports\s*$/.test(target)) readAssignedExports(reader, parts, line, scope)
  }
  const settled = THEN.exec(path)
  if (settled === null) reader.contexts.expectArguments(args, path)
  else {
    const start = args.start + 1 + (/^\s*/.exec(text.slice(args.start + 1, args.end))?.[0].length ?? 0)
    if (reader.functions.has(start)) reader.contexts.set(start, `${SETTLED}${settled[1]}`)
  }
  reader.call(scope, path, match, line)
  if (isList && path.includes('.') && ROUTER.test(path)) {
    for (const argument of splitTopLevel(text.slice(args.start + 1, args.end - 1), ',', syntax)) {
      const handler = expressionPath(argument, syntax)
      if (handler !== '' && !/^['"`]/.test(argument.trim())) facts.reference(scope, 'registers', handler, line)
    }
  }
}

const LOADED = /^(?:\(\s*await\s+(import)|(require))\s*\(\s*(["'])([^"'\n]+)\3\s*\)\s*(?:\)\s*)?(?=\.)/

/** The path of what is called; a module that is loaded on the spot has a name of its own. */
function calleePath(reader: Reader, text: string, line: number): string {
  const loaded = LOADED.exec(text)
  if (loaded === null) return expressionPath(text, syntax)
  const kind = loaded[1] === undefined ? 'require' : 'dynamic'
  return expressionPath(reader.module(loaded[4], kind, line) + text.slice(loaded[0].length), syntax)
}

/** `import(…)`, `require(…)`: a module when it is written out, else only known when the code runs. */
function readModuleCall({ source, facts }: Reader, match: Match, name: string, list: string, scope: number): void {
  const module = specifierIn(list)
  if (module === '' || !/^\s*['"`]/.test(list)) {
    facts.dynamic(match.line, source.slice(match))
    return
  }
  if (facts.facts.imports.some((it) => it.line === match.line && it.module === module)) return
  const kind = name === 'import' ? 'dynamic' : 'require'
  facts.import({ kind, module, name: '', alias: '', scope, line: match.line })
}

export function readNew(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const callee = source.part(match, 'callee')
  if (callee === undefined) return
  facts.told.add(callee.start)
  const path = expressionPath(source.slice(callee), syntax)
  const args = source.part(match, 'args')
  if (args !== undefined) reader.contexts.expectArguments(args, path)
  reader.call(scope, path, match)
}

export function readElement(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const name = source.part(match, 'name')
  if (name === undefined) return
  const path = source.slice(name).replace(/\s/g, '')
  facts.told.add(name.start)
  // elements of the page are written in lower case
  if (/^[A-Z_$]|\./.test(path)) reader.call(scope, path, match)
}

export function readReturn(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const value = source.part(match, 'value')
  if (scope < 0 || value === undefined || reader.isInsideCallback(scope, match.start)) return
  const { type } = facts.facts.definitions[scope]
  if (type !== undefined && type !== '') reader.contexts.expectValue(value, `<${type}>`)
  else reader.returned(scope, valuePath(source.slice(value)))
}

const INSTANCEOF = ' instanceof '
const CLASS = /[\w$]+(?:\.[\w$]+)*/y

interface InstanceCheck {
  start: number
  name: string
  /** Expression path of the class. */
  type: string
}

/** Every `x instanceof Cart`, in source order; a pattern of the grammar would look at each operator. */
export function instanceChecks({ text }: Source): InstanceCheck[] {
  const checks: InstanceCheck[] = []
  for (let at = text.indexOf(INSTANCEOF); at >= 0; at = text.indexOf(INSTANCEOF, at + 1)) {
    let start = at
    while (/[\w$]/.test(text[start - 1] ?? '')) start--
    CLASS.lastIndex = at + INSTANCEOF.length
    const type = CLASS.exec(text)?.[0]
    if (start < at && text[start - 1] !== '.' && type !== undefined)
      checks.push({ start, name: text.slice(start, at), type })
  }
  return checks
}

/** Where the members of the class are used of what is checked, it is one. */
export function readInstanceof({ source, facts }: Reader, { start, name, type }: InstanceCheck): void {
  const scope = facts.scopeAt(start)
  if (!facts.facts.bindings.some((it) => it.scope === scope && it.name === name)) return
  facts.bind({ scope, name, kind: 'local', type, value: '', line: source.lineAt(start) })
}
