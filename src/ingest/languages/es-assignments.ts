/** Assignments of ECMAScript: exports of CommonJS, methods on prototypes and objects, fields, variables. */

import { expressionPath } from '#ingest/expression'
import { readExportedObject, readRequire } from '#ingest/languages/es-modules'
import type { Reader } from '#ingest/languages/es-reader'
import { syntax } from '#ingest/languages/es-syntax'
import { valuePath } from '#ingest/languages/es-values'
import type { Match, Part } from '#ingest/parse'
import { cut } from '#ingest/source'

const REQUIRED = /^require\(\s*(['"])([^'"]+)\1\s*\)(?:\.([\w$]+))?/
const EXPORTS = /^(?:(?:module\.)?exports(?:\.[\w$]+)?\s*=(?![=>])\s*)+/

interface Assignment {
  match: Match
  left: Part
  right: Part
  /** Expression path of the left side. */
  target: string
  /** Text of the right side. */
  value: string
  scope: number
}

export function readAssignment(reader: Reader, match: Match, scope: number): void {
  const { source, facts } = reader
  const left = source.part(match, 'left')
  const right = source.part(match, 'right')
  if (left === undefined || right === undefined || match.start < reader.chainUntil) return
  const target = expressionPath(source.slice(left), syntax)
  if (target === '') return
  const it: Assignment = { match, left, right, target, value: source.slice(right), scope }

  const own = /^this\.([^.()[\]]+)$/.exec(target)
  if (own !== null) readOwnField(reader, it, own[1])
  else if (target === 'module.exports' || (target === 'exports' && scope < 0)) readWholeExport(reader, it)
  else {
    const exported = /^(?:module\.)?exports\.([^.()[\]]+)$/.exec(target)
    if (exported !== null) readNamedExport(reader, it, exported[1])
    else if (!readMemberFunction(reader, it) && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(target)) {
      facts.told.add(left.start)
      if (readRequire(facts, target, it.value, scope, match.line)) return
      facts.bind({ scope, name: target, kind: 'local', type: '', value: valuePath(it.value), line: match.line })
    }
  }
}

/** `var app = exports = module.exports = …`: says what is exported; the length of the part in front of the value. */
export function readExportChain({ facts }: Reader, name: string, value: string, line: number): number {
  const chain = EXPORTS.exec(value)
  if (chain === null) return 0
  const names = new Set([...chain[0].matchAll(/exports(?:\.([\w$]+))?\s*=/g)].map((it) => it[1] ?? 'default'))
  for (const exported of names) facts.export({ name: exported, local: name, line })
  return chain[0].length
}

function readOwnField(reader: Reader, { match, left, right, value, scope }: Assignment, name: string): void {
  const { facts } = reader
  const isFunction = reader.functions.has(right.start)
  facts.told.add(left.start)
  const owner = facts.classOf(scope)
  if (owner >= 0) {
    const type = reader.documented(match.start)?.type ?? ''
    const path = isFunction ? '' : valuePath(value)
    facts.bind({ scope: owner, name, kind: 'field', type, value: path, valueScope: scope, line: match.line })
  } else if (scope >= 0 && isFunction) reader.defineBody({ name, tags: ['method'] }, right.start, match, left.start)
  else if (scope >= 0)
    facts.bind({ scope, name: `this.${name}`, kind: 'field', type: '', value: valuePath(value), line: match.line })
}

/** `exports.name = …` */
function readNamedExport(reader: Reader, { match, left, right, value, scope }: Assignment, name: string): void {
  const { facts } = reader
  const { line } = match
  facts.told.add(left.start)
  if (reader.functions.has(right.start)) {
    reader.defineBody({ name, tags: ['arrow'] }, right.start, match, left.start)
    facts.export({ name, local: name, line })
    return
  }
  if (/^class\b/.test(value)) {
    reader.ownClasses.add(right.start)
    const span = { start: match.start, end: match.end, nameStart: left.start }
    facts.define(
      { name, kind: 'class', excerpt: reader.excerptOf(match.start, reader.text.indexOf('{', right.start)) },
      span,
    )
    facts.export({ name, local: name, line })
    return
  }
  const required = REQUIRED.exec(value)
  if (required !== null) {
    facts.import({ kind: 'reexport', module: required[2], name: required[3] ?? '', alias: name, scope, line })
    return
  }
  const path = expressionPath(value.replace(EXPORTS, ''), syntax)
  if (path !== '' && path !== 'void' && path !== 'undefined') facts.export({ name, local: path, line })
}

/** `module.exports = …` */
function readWholeExport(reader: Reader, { match, left, right, value, scope }: Assignment): void {
  const { source, facts } = reader
  const { line } = match
  facts.told.add(left.start)
  // `exports = module.exports = …` is told by its inner half
  if (/^(?:module\.)?exports\s*=(?![=>])/.test(value)) return
  if (value.startsWith('{')) {
    const type = reader.documented(match.start)?.type ?? ''
    facts.define(
      { name: 'exports', kind: 'const', excerpt: cut(source.slice(match)), type },
      { start: match.start, end: match.end, nameStart: left.start },
    )
    if (type !== '') reader.contexts.expectValue(right, `<${type}>`)
    readExportedObject(value, 'exports', line, scope, facts)
    facts.export({ name: 'default', local: 'exports', line })
  } else if (reader.functions.has(right.start)) {
    const name = /^(?:async\s+)?function\s*\*?\s*([\w$]+)/.exec(value)?.[1] ?? 'default'
    reader.defineBody({ name, tags: [] }, right.start, match, left.start)
    facts.export({ name: 'default', local: name, line })
  } else if (/^class\b/.test(value)) {
    const name = /^class\s+(?!extends\b)([\w$]+)/.exec(value)?.[1] ?? 'default'
    facts.export({ name: 'default', local: name, line })
  } else {
    const required = REQUIRED.exec(value)
    if (required !== null && required[0].length === value.length)
      facts.import({
        kind: 'reexport',
        module: required[2],
        name: required[3] === undefined ? '*' : required[3],
        alias: required[3] === undefined ? '' : 'default',
        scope,
        line,
      })
    else facts.export({ name: 'default', local: expressionPath(value, syntax), line })
  }
}

/** `Cart.prototype.total = function …`, `Cart.empty = () => …`, `Cart.prototype = { … }`. */
function readMemberFunction(reader: Reader, { match, left, right, target, value }: Assignment): boolean {
  const member = /^([^()[\]]+)\.([^.()[\]]+)$/.exec(target)
  if (member === null) return false
  const [, object, name] = member
  const owner = object.replace(/\.prototype$/, '')
  if (reader.functions.has(right.start)) {
    reader.facts.told.add(left.start)
    reader.defineBody({ name, tags: [owner === object ? 'static' : 'method'], owner }, right.start, match, left.start)
    return true
  }
  if (name !== 'prototype' || !value.startsWith('{')) return false
  reader.facts.told.add(left.start)
  const index = reader.facts.define(
    { name: 'prototype', kind: 'const', excerpt: cut(reader.source.slice(match)) },
    { start: match.start, end: match.end, nameStart: left.start },
  )
  reader.prototypes.set(index, owner)
  return true
}

/** `Object.assign(exports, { add }, require("./more"))`. */
export function readAssignedExports(reader: Reader, parts: readonly string[], line: number, scope: number): void {
  const { facts } = reader
  for (const part of parts) {
    const text = part.trim()
    const required = REQUIRED.exec(text)
    if (required !== null) facts.import({ kind: 'reexport', module: required[2], name: '*', alias: '', scope, line })
    else if (text.startsWith('{')) readExportedObject(text, 'exports', line, scope, facts)
    else {
      const path = expressionPath(text, syntax)
      if (path !== '') facts.export({ name: '*', local: path, line })
    }
  }
}
