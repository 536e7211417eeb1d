/** Classes, functions, methods, fields, variables and types of ECMAScript and TypeScript. */

import { headOf, skipAnnotations } from '#ingest/expression'
import { readExportChain } from '#ingest/languages/es-assignments'
import { readExportStatement, readRequire } from '#ingest/languages/es-modules'
import { bindPattern } from '#ingest/languages/es-patterns'
import type { Reader } from '#ingest/languages/es-reader'
import { keyOf, syntax } from '#ingest/languages/es-syntax'
import { functionType } from '#ingest/languages/es-types'
import { valuePath } from '#ingest/languages/es-values'
import type { Match, Part } from '#ingest/parse'
import { cut, type FactsBuilder } from '#ingest/source'

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u
const COMPONENT = /^(?:React\.)?(?:memo|forwardRef|observer|styled|withRouter|connect)\b/
/** Shorter objects are read for what their members are. */
const LONGEST_OBJECT = 2000

export function readClass(reader: Reader, match: Match, scope: number): void {
  const { source, facts, text } = reader
  if (reader.ownClasses.has(match.start)) return
  const name = source.part(match, 'name')
  let label = name === undefined ? '' : source.slice(name)
  if (label === '') {
    const before = text.slice(Math.max(0, match.start - 40), match.start)
    if (scope >= 0 || !/(?:export\s+default|module\.exports\s*=)\s*$/.test(before)) return
    label = 'default'
  }
  reader.decoratedUntil = Math.max(reader.decoratedUntil, name?.start ?? match.start)
  reader.decorate(
    facts.define(
      {
        name: label,
        kind: 'class',
        tags: text.startsWith('abstract', match.start) ? ['abstract'] : [],
        excerpt: reader.excerptOf(match.start, source.part(match, 'body')?.start ?? match.end),
      },
      { ...reader.spanOf(match), nameStart: name?.start ?? match.start },
    ),
  )
}

/** An interface, an enumeration or a namespace. */
export function readNamed(reader: Reader, match: Match): void {
  const { source, facts } = reader
  const name = source.part(match, 'name')
  if (name === undefined) return
  reader.decorate(
    facts.define(
      {
        name: source.slice(name).replace(/^["']|["']$/g, ''),
        kind: match.kind === 'namespace' ? 'mod' : match.kind === 'enum' ? 'enum' : 'interface',
        tags: match.kind === 'interface' ? ['interface'] : [],
        excerpt: reader.excerptOf(match.start, source.part(match, 'body')?.start ?? match.end),
      },
      { ...reader.spanOf(match), nameStart: name.start },
    ),
  )
}

export function readTypeAlias(reader: Reader, match: Match): void {
  const { source, facts } = reader
  const name = source.part(match, 'name')
  const value = source.part(match, 'value')
  if (name === undefined || value === undefined) return
  const text = source.slice(value)
  facts.define(
    {
      name: source.slice(name),
      kind: 'type',
      excerpt: reader.excerptOf(match.start, match.end),
      // the members of an object type are bound in the scope of its name
      type: text.startsWith('{') ? '' : reader.type(text, match.line),
    },
    { ...reader.spanOf(match), nameStart: name.start },
  )
}

/** `extends` and `implements`. */
export function readHeritage(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const base = source.part(match, 'base')
  if (base === undefined || scope < 0) return
  const line = source.lineAt(base.start)
  // `extends mixin(Base)` adds to what it is handed
  const mixed = /^[\w$.]+\(\s*([\w$.]+)/.exec(source.slice(base))
  if (mixed !== null) facts.reference(scope, 'implements', mixed[1], line)
  else {
    tellPath(source.slice(base), base.start, facts)
    const written = source.slice(base) + source.partText(match, 'args')
    const type = reader.type(written, line)
    // `Omit<Cart, 'id'>` is another type than `Cart`
    const name = /^[\w$.\s]+/.exec(written)?.[0].replace(/\s/g, '') ?? ''
    facts.inherit(scope, headOf(type) === name ? type : name, line)
  }
}

export function defineFunction(
  reader: Reader,
  match: Match,
  name: { text: string; start: number },
  scope: number,
  tags: string[],
): number {
  const { source, facts, text } = reader
  if (/^async\b/.test(text.slice(match.start, match.start + 5))) tags.push('async')
  const index = facts.define(
    {
      name: name.text,
      kind: 'fn',
      tags,
      excerpt: reader.excerptOf(match.start, reader.signatureEnd(match)),
      type: resultType(reader, match),
      arity: -1,
    },
    { ...reader.spanOf(match), nameStart: name.start },
  )
  if (!text.endsWith('}', match.end)) reader.signatures.add(index)
  const params = source.part(match, 'params')
  if (params !== undefined) reader.takeParameters(index, params, match, scope)
  return reader.decorate(index)
}

/** The type that a function is written to return. */
function resultType(reader: Reader, match: Match): string {
  const text = reader.source.partText(match, 'result').replace(/^\s*:\s*/, '')
  return text === '' || /^asserts\s/.test(text) ? '' : reader.type(text, match.line)
}

export function readMethod(reader: Reader, match: Match, scope: number): void {
  const { source, facts, text } = reader
  const name = source.part(match, 'name')
  if (name === undefined) return
  const key = source.slice(name)
  if (key.startsWith('[') && !/^\[\s*(?:["'`][^"'`\n]*["'`]|[\w$.]+)\s*\]$/.test(key)) {
    // a name that is computed
    const params = source.part(match, 'params')
    if (params !== undefined) reader.takeCallback(params, scope, match)
    return
  }
  const holder = reader.objectAt(scope, match.start)
  const head = text.slice(match.start, name.start)
  const inClass = scope >= 0 && ['class', 'interface', 'type'].includes(facts.facts.definitions[scope].kind)
  const tags = inClass ? ['method'] : []
  if (/\bget\s+$/.test(head)) tags.push('property')
  else if (/\bset\s+$/.test(head)) tags.push('setter')
  if (/\bstatic\b/.test(head)) tags.push('static')
  if (/\basync\b/.test(head)) tags.push('async')
  if (/\bprivate\b/.test(head) || text[name.start] === '#') tags.push('private')
  if (/\babstract\b/.test(head)) tags.push('abstract')
  const owner = reader.prototypes.get(scope)
  if (owner !== undefined) tags.push('method')
  const index = defineFunction(reader, match, { text: keyOf(key), start: name.start }, holder, tags)
  if (owner !== undefined) facts.facts.definitions[index].owner = owner
}

/** One way of calling an object that is a function. */
export function readCallSignature({ source, facts }: Reader, match: Match, scope: number): void {
  const params = source.part(match, 'params')
  if (params === undefined || scope < 0) return
  const result = source.partText(match, 'result').replace(/^\s*:\s*/, '')
  const type = functionType(source.slice(params), result)
  facts.bind({ scope, name: '()', kind: 'field', type, value: '', line: match.line })
}

export function readField(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const name = source.part(match, 'name')
  if (name === undefined || scope < 0) return
  const label = keyOf(source.slice(name))
  facts.told.add(name.start)
  reader.decoratedUntil = Math.max(reader.decoratedUntil, match.end)
  const value = source.part(match, 'value')
  const { kind } = facts.facts.definitions[scope]
  const written = source.partText(match, 'type').replace(/^\s*:\s*/, '')
  const type = written === '' ? (reader.documented(match.start)?.type ?? '') : reader.type(written, match.line)
  if (value !== undefined && type !== '') reader.contexts.expectValue(value, `<${type}>`)
  const fn = value === undefined || kind !== 'class' ? undefined : reader.functionIn(value)
  if (value !== undefined && fn !== undefined) {
    const definition = { name: label, tags: ['method', 'arrow'] }
    const index = reader.defineBody(definition, fn.start, match, name.start, reader.spanOf(match))
    reader.decoratedUntil = fn.start
    reader.decorate(index)
    return
  }
  if (kind === 'fn' || kind === 'mod') return
  const path = value === undefined ? '' : valuePath(source.slice(value))
  facts.bind({ scope, name: label, kind: 'field', type, value: path, line: match.line })
}

export function readVariable(reader: Reader, match: Match, scope: number): void {
  const { source, facts, text } = reader
  const name = source.part(match, 'name')
  if (name === undefined) return
  const label = source.slice(name)
  const { line } = match
  let value = source.part(match, 'value')
  let valueText = value === undefined ? '' : source.slice(value)
  if (value !== undefined && scope < 0) {
    const chain = readExportChain(reader, label, valueText, line)
    if (chain > 0) {
      reader.chainUntil = value.start + chain
      value = { ...value, start: reader.chainUntil }
      valueText = valueText.slice(chain)
    }
  }
  if (value !== undefined && readRequire(facts, label, valueText, scope, line)) {
    facts.toldRanges.push(name.start, name.end)
    return
  }
  const written = source.partText(match, 'type').replace(/^\s*:\s*/, '')
  const type = written === '' ? (reader.documented(match.start)?.type ?? '') : reader.type(written, line)
  if (!IDENTIFIER.test(label)) {
    bindPattern(facts, label, valuePath(valueText), type, scope, 'local', line)
    return
  }
  facts.told.add(name.start)
  if (value !== undefined) expectType(reader, value, valueText, type)
  const span = { ...reader.spanOf(match), nameStart: name.start }
  if (value !== undefined && reader.functions.has(value.start)) {
    reader.defineBody({ name: label, tags: ['arrow'] }, value.start, match, name.start, span)
    if (type !== '') facts.bind({ scope, name: label, kind: 'local', type, value: '', line })
    return
  }
  if (value !== undefined && /^class\b/.test(valueText)) {
    reader.ownClasses.add(value.start)
    const excerpt = reader.excerptOf(match.start, text.indexOf('{', value.start))
    facts.define({ name: label, kind: 'class', excerpt }, span)
    return
  }
  const isOuter = scope < 0 || facts.facts.definitions[scope].kind === 'mod'
  if (isOuter && !reader.isInsideCallback(scope, match.start)) {
    const wrapped = value === undefined ? undefined : reader.functionIn(value)
    const isFunction = wrapped !== undefined || (/^[A-Z]/.test(label) && COMPONENT.test(valueText))
    const index = facts.define(
      {
        name: label,
        kind: isFunction ? 'fn' : 'const',
        tags: isFunction ? ['wrapped'] : [],
        excerpt: reader.excerptOf(match.start, wrapped === undefined ? match.end : reader.signatureEnd(wrapped)),
        type,
      },
      { ...span, isScope: valueText.startsWith('{') || wrapped !== undefined },
    )
    if (wrapped !== undefined) reader.bodies.set(wrapped.start, index)
  }
  facts.bind({ scope, name: label, kind: 'local', type, value: valuePath(valueText), line })
}

/** Hands a declared type, or one that follows as `satisfies`, on to the functions within a value. */
function expectType(reader: Reader, value: Part, text: string, type: string): void {
  if (type !== '') {
    reader.contexts.expectValue(value, `<${type}>`)
    return
  }
  if (text.endsWith('}') || text.endsWith(')')) return
  const said = /[}\])]\s*(?:satisfies|as)\s+(?!const\b)([^;{}]+)$/.exec(text.slice(-300))
  if (said === null) return
  const expected = reader.type(said[1], value.line)
  if (expected !== '') reader.contexts.expectValue(value, `<${expected}>`)
}

/** A function in an object that is a definition. */
export function readPair(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const name = source.part(match, 'name')
  const value = source.part(match, 'value')
  if (name === undefined || value === undefined || scope < 0 || facts.facts.definitions[scope].kind !== 'const') return
  const label = keyOf(source.slice(name))
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(label)) return
  reader.objectAt(scope, match.start)
  const owner = reader.prototypes.get(scope)
  const tags = owner === undefined ? ['arrow'] : ['method']
  reader.defineBody({ name: label, tags, owner }, value.start, match, name.start)
}

/** A function expression: the body of a definition, or a callback whose parameters hide outer names. */
export function readFunction(reader: Reader, match: Match, scope: number): void {
  const { source, facts, text } = reader
  reader.enterFunction(match)
  const name = source.part(match, 'name')
  if (name !== undefined) facts.told.add(name.start)
  const owner = reader.bodies.get(match.start)
  const params = source.part(match, 'params')
  if (owner === undefined) {
    const before = scope < 0 ? text.slice(Math.max(0, match.start - 40), match.start) : ''
    if (/export\s+default\s*(?:async\s*)?$/.test(before))
      defineFunction(reader, match, { text: 'default', start: match.start }, scope, ['arrow'])
    else if (params !== undefined) reader.takeCallback(params, scope, match)
    return
  }
  const definition = facts.facts.definitions[owner]
  if (/^async\b/.test(text.slice(match.start, match.start + 5))) definition.tags.push('async')
  const result = resultType(reader, match)
  if (result !== '') definition.type = result
  if (params !== undefined) reader.takeParameters(owner, params, match, definition.parent)
  // an arrow without a block returns its expression
  const body = /^[^{]*?=>\s*(?!\{)([\s\S]*)$/.exec(text.slice(params?.end ?? match.start, match.end))
  if (body !== null) reader.returned(owner, valuePath(arrowBody(body[1])))
}

/** `({ … })` is the object. */
function arrowBody(text: string): string {
  const body = text.trim()
  return /^\(\s*\{/.test(body) && body.endsWith(')') && body.length < LONGEST_OBJECT ? body.slice(1, -1).trim() : body
}

export function readExport(reader: Reader, match: Match, scope: number): void {
  const { facts, text } = reader
  const start = skipAnnotations(text, match.start, syntax)
  const statement = text.slice(start, match.end)
  reader.exportedFrom = match.start
  reader.exportedAt = start + (/^export\s*/.exec(statement)?.[0].length ?? 0)
  if (/^export\s*(?:type\s+)?[*{]/.test(statement)) facts.toldRanges.push(match.start, match.end)
  const word = /^export\s+default\b/.exec(statement)
  if (word !== null) facts.toldRanges.push(start, start + word[0].length)
  readExportStatement(statement, match.line, scope, facts)
  if (/^export\s+default\s*\{/.test(statement) && scope < 0) {
    facts.define(
      { name: 'default', kind: 'const', excerpt: cut(statement) },
      { start: match.start, end: match.end, nameStart: match.start },
    )
    const open = text.indexOf('{', start)
    const said = /\}\s*(?:satisfies|as)\s+(?!const\b)([^;{}]+)/.exec(statement.slice(-300))
    const expected = said === null ? (reader.documented(match.start)?.type ?? '') : reader.type(said[1], match.line)
    if (expected !== '') reader.contexts.expectValue({ start: open, end: match.end }, `<${expected}>`)
  }
}

/** Marks every segment of a dotted name as told. */
export function tellPath(path: string, start: number, facts: FactsBuilder): void {
  facts.told.add(start)
  if (!path.includes('.')) return
  for (const part of path.split('<')[0].matchAll(/\.\s*/g)) facts.told.add(start + part.index + part[0].length)
}
