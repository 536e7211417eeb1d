/** Go. */

import { argumentsOf, expressionPath, headOf, splitTopLevel, typePath } from '#ingest/expression'
import {
  holdsTypes,
  readParameters,
  syntax,
  writtenResult,
  writtenType,
  writtenTypes,
} from '#ingest/languages/go-types'
import { madeType, resultPath, valuePath } from '#ingest/languages/go-values'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const QUERY = `
(package_clause (package_identifier) @name) @package
(import_spec name: (_)? @name path: (_) @path) @import
(function_declaration name: (identifier) @name type_parameters: (_)? @generics parameters: (parameter_list) @params result: (_)? @result) @fn
(method_declaration receiver: (parameter_list) @receiver name: (field_identifier) @name parameters: (parameter_list) @params result: (_)? @result) @method
(type_spec name: (type_identifier) @name type_parameters: (_)? @generics type: (_) @type) @type
(type_alias name: (type_identifier) @name type: (_) @type) @type
(field_declaration name: (field_identifier) @name type: (_) @type) @field
(field_declaration . type: (_) @type) @embedded
(interface_type (type_elem . [(type_identifier) (qualified_type) (generic_type)] @type .)) @embeds
(method_elem name: (field_identifier) @name parameters: (parameter_list) @params result: (_)? @result) @signature
(const_spec) @const
(var_spec) @var
(short_var_declaration left: (_) @left right: (_) @right) @assign
(assignment_statement left: (_) @left right: (_) @right) @store
(receive_statement left: (_) @left right: (_) @right) @assign
(range_clause left: (_) @left right: (_) @right) @range
(type_switch_statement alias: (_)? @alias value: (_) @value) @switch
(type_case) @case
(func_literal parameters: (parameter_list) @params) @literal
(call_expression function: (_) @callee arguments: (argument_list) @args) @call
(composite_literal type: (_) @type) @composite
(type_identifier) @typename
(qualified_type) @typename
(comment) @comment
(interpreted_string_literal) @string
(raw_string_literal) @string
(rune_literal) @string
(ERROR) @error
`

export const go: Language = { name: 'go', extensions: ['go'], grammar: 'go', query: QUERY, syntax, read }

const BUILTIN_TYPES = new Set(
  'any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr'.split(
    ' ',
  ),
)
const BUILTIN_CALLS = new Set(
  'append cap clear close complex copy delete imag len make max min new panic print println real recover any bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr complex64 complex128'.split(
    ' ',
  ),
)
const KEYWORDS = new Set(
  'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil iota any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min new panic print println real recover'.split(
    ' ',
  ),
)
const HANDLE = /(?:^|\.)(?:Handle|HandleFunc|Mount|Route)$/

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  facts.facts.tags.push('go')
  if (source.path.endsWith('_test.go')) facts.facts.tags.push('test')
  if (/^\/\/ Code generated .* DO NOT EDIT\.$/m.test(text.slice(0, 4000))) facts.facts.tags.push('generated')
  /** The name that a type switch binds, until where. */
  const switches: { name: string; until: number }[] = []
  const fields = new Set<number>()
  let fieldUntil = -1
  /** Type of the last constant, which those without a value of their own repeat. */
  let group = ''

  for (const match of matches) {
    const scope = facts.scopeAt(match.start)
    switch (match.kind) {
      case 'package':
        facts.facts.package = source.partText(match, 'name')
        facts.toldRanges.push(match.start, match.end)
        facts.facts.excerpt = firstSentence(facts.commentBefore(match.start))
        if (facts.facts.package === 'main') facts.facts.tags.push('entrypoint')
        break

      case 'import': {
        facts.toldRanges.push(match.start, match.end)
        const module = source.partText(match, 'path').slice(1, -1)
        const name = source.partText(match, 'name')
        if (name === '.') facts.import({ kind: 'import', module, name: '*', alias: '', scope: -1, line: match.line })
        else {
          const alias = name === '' ? assumedName(module) : name === '_' ? '' : name
          facts.import({ kind: 'import', module, name: '', alias, scope: -1, line: match.line })
        }
        break
      }

      case 'type': {
        const name = source.part(match, 'name')
        const type = source.part(match, 'type')
        if (name === undefined || type === undefined) break
        const body = source.slice(type)
        const kind = /^struct\b/.test(body) ? 'struct' : /^interface\b/.test(body) ? 'interface' : 'type'
        const label = source.slice(name)
        const isAlias = text.slice(name.end, type.start).includes('=')
        const isConstraint = kind === 'interface' && holdsTypes(body)
        const index = facts.define(
          {
            name: label,
            kind,
            tags: [
              ...(kind === 'interface' ? ['interface'] : []),
              ...(isConstraint ? ['constraint'] : []),
              ...(isAlias ? ['alias'] : []),
              ...visibility(label),
            ],
            excerpt: excerptOf(facts, match, `type ${source.slice(match).split('{')[0]}`),
            type: kind === 'type' ? typePath(body, syntax) : '',
            ...(isAlias ? { signature: writtenType(body) } : {}),
            exported: isExported(label),
          },
          { start: match.start, end: match.end, nameStart: name.start },
        )
        bindGenerics(source.partText(match, 'generics'), index, match.line, facts)
        break
      }

      case 'embedded': {
        if (scope < 0) break
        const base = typePath(source.partText(match, 'type'), syntax)
        const type = headOf(base)
        if (type === '' || fields.has(match.start)) break
        const part = source.part(match, 'type')
        if (part !== undefined) tellType(source, part, facts)
        facts.inherit(scope, base, match.line)
        facts.bind({
          scope,
          name: type.slice(type.lastIndexOf('.') + 1),
          kind: 'field',
          type: base,
          value: '',
          line: match.line,
        })
        break
      }

      case 'embeds': {
        const type = source.part(match, 'type')
        if (type === undefined || scope < 0) break
        tellType(source, type, facts)
        facts.inherit(scope, typePath(source.slice(type), syntax), source.lineAt(type.start))
        break
      }

      case 'field': {
        fields.add(match.start)
        // those of an unnamed struct have no owner
        const isOwn =
          scope >= 0 &&
          facts.facts.definitions[scope].kind !== 'fn' &&
          (match.start >= fieldUntil || match.end === fieldUntil)
        fieldUntil = Math.max(fieldUntil, match.end)
        const type = typePath(source.partText(match, 'type'), syntax)
        const name = source.part(match, 'name')
        if (name !== undefined) facts.told.add(name.start)
        if (isOwn)
          facts.bind({ scope, name: source.partText(match, 'name'), kind: 'field', type, value: '', line: match.line })
        break
      }

      case 'fn':
      case 'method':
      case 'signature':
        defineFunction(source, match, facts)
        break

      case 'const':
        group = readSpec(source, match, scope, facts, repeatsValue(source.slice(match)) ? group : '')
        break

      case 'var':
        readSpec(source, match, scope, facts, '')
        break

      case 'assign':
      case 'store':
      case 'range': {
        const right = source.partText(match, 'right')
        const names = splitTopLevel(source.partText(match, 'left'), ',', syntax).map((it) => it.trim())
        if (match.kind === 'range') {
          const path = valuePath(right)
          const type = madeType(right)
          names.forEach((name, i) => {
            const step = i === 1 ? '[]' : path.endsWith('()') && names.length === 1 ? '[]' : '.#key'
            const [key, element] = argumentsOf(type)
            const own = type === '' ? '' : i === 1 ? (element ?? key) : element === undefined ? '' : key
            bindLocal(name, path === '' ? '' : `${path}${step}`, scope, match.line, facts, own)
          })
          break
        }
        const values = splitTopLevel(right, ',', syntax)
        names.forEach((name, i) => {
          const value = values.length === names.length ? valuePath(values[i]) : resultPath(values[0], i)
          const type = values.length === names.length ? madeType(values[i]) : ''
          if (match.kind === 'store' && value === '' && type === '') return
          bindLocal(name, value, scope, match.line, facts, type)
        })
        break
      }

      case 'switch': {
        const alias = source.partText(match, 'alias').trim()
        if (alias !== '') switches.push({ name: alias, until: match.end })
        break
      }

      case 'case': {
        const inner = switches.filter((it) => it.until > match.start).at(-1)
        // several types in one case leave the value as it is
        const type = typePath(/^case\s+([^,:]+):/.exec(source.slice(match))?.[1] ?? '', syntax)
        if (inner !== undefined && type !== '' && !BUILTIN_TYPES.has(type))
          facts.bind({ scope, name: inner.name, kind: 'local', type, value: '', line: match.line })
        break
      }

      case 'literal':
        for (const it of readParameters(source.partText(match, 'params')))
          facts.bind({ scope, name: it.name, kind: 'parameter', type: it.type, value: '', line: match.line })
        break

      case 'call': {
        const callee = source.part(match, 'callee')
        if (callee === undefined) break
        facts.told.add(callee.start)
        const path = expressionPath(source.slice(callee), syntax).replace(/\[\]$/, '')
        if (path === '' || BUILTIN_CALLS.has(path) || path.startsWith('func()')) break
        const line = source.lineAt(callee.end)
        const args = splitTopLevel(source.partText(match, 'args').slice(1, -1), ',', syntax).filter(
          (it) => it.trim() !== '',
        )
        facts.reference(scope, 'calls', path, line, { args: args.length })
        if (HANDLE.test(path)) {
          for (const it of args) {
            const handler = expressionPath(it, syntax)
            if (handler !== '' && !/^\s*["`]/.test(it)) facts.reference(scope, 'registers', handler, line)
          }
        }
        if (/^reflect\.|^plugin\.Open$/.test(path) && /(?:MethodByName|FieldByName|Lookup|Open)$/.test(path))
          facts.dynamic(line, source.slice(match))
        break
      }

      case 'composite': {
        const type = source.part(match, 'type')
        if (type === undefined) break
        const path = headOf(typePath(source.slice(type), syntax))
        if (path === '' || path === 'Array' || path === 'Map' || /^(?:\[|map\b|struct\b)/.test(source.slice(type)))
          break
        tellType(source, type, facts)
        facts.reference(scope, 'calls', path, match.line)
        break
      }

      case 'typename': {
        if (facts.told.has(match.start)) break
        tellType(source, match, facts)
        const path = source.slice(match).replace(/\s/g, '')
        if (!BUILTIN_TYPES.has(path)) facts.reference(scope, 'references', path, match.line)
        break
      }
    }
  }
  facts.mentions([], (offset) => dottedAt(text, offset, isKey), KEYWORDS)
}

/** A key of a composite literal, a label, or a name being declared, with its type behind it, or assigned. */
function isKey(text: string, end: number): boolean {
  return (
    /^\s*(?::(?!=)|:=)|^[ \t]+(?:[\p{L}_]|\.\.\.|\*[\p{L}_]|\[\])/u.test(text.slice(end, end + 20)) &&
    !/\bcase\b[^:\n]*$/.test(text.slice(Math.max(0, end - 200), end))
  )
}

/** Marks a type name as told, with the last part of a qualified one. */
function tellType(source: Source, span: { start: number; end: number }, facts: FactsBuilder): void {
  const text = source.slice(span)
  facts.told.add(span.start)
  for (const part of text.matchAll(/(?<=[.*\]])\s*(?=[\p{L}_])/gu))
    facts.told.add(span.start + part.index + part[0].length)
}

/** The name by which a package is most likely called, told by the last part of its path. */
export function assumedName(module: string): string {
  const last = /([^/]+?)(?:\/v\d+)?$/.exec(module)?.[1] ?? module
  return last
    .replace(/\.v\d+$/, '')
    .replace(/^go-|-go$/, '')
    .replace(/-/g, '_')
}

function isExported(name: string): boolean {
  return /^\p{Lu}/u.test(name)
}

function visibility(name: string): string[] {
  return isExported(name) ? ['public'] : ['private']
}

function excerptOf(facts: FactsBuilder, match: Match, signature: string): string {
  const comment = facts.commentAbove(match.start)
  return comment === '' || /^\/\/(?:go:|nolint)/.test(comment) ? cut(signature) : firstSentence(comment)
}

function defineFunction(source: Source, match: Match, facts: FactsBuilder): void {
  const name = source.part(match, 'name')
  const params = source.part(match, 'params')
  if (name === undefined || params === undefined) return
  const label = source.slice(name)
  const receiver = source.part(match, 'receiver')
  const [self] = receiver === undefined ? [] : readParameters(source.slice(receiver))
  const owner = headOf(self?.type ?? '')
  const parameters = readParameters(source.slice(params))
  const result = source.partText(match, 'result')
  const results = result.startsWith('(') ? readParameters(result) : []
  const type =
    results.length > 1
      ? `Tuple<${results.map((it) => (it.type === '' ? '_' : it.type)).join(',')}>`
      : result.startsWith('(')
        ? (results[0]?.type ?? '')
        : typePath(result, syntax)
  const tags = visibility(label)
  if (receiver !== undefined || match.kind === 'signature') tags.push('method')
  if (/^(?:Test|Benchmark|Example|Fuzz)(?:\p{Lu}|_|$)/u.test(label) && source.path.endsWith('_test.go'))
    tags.push('test')
  if (receiver === undefined && match.kind === 'fn' && (label === 'main' || label === 'init')) tags.push('entrypoint')
  const signature = `${owner === '' ? '' : `(${owner}) `}${label}${source.slice(params)}${result === '' ? '' : ` ${result}`}`
  const parent = owner === '' ? -1 : facts.typeNamed(owner)
  const index = facts.define(
    {
      name: label,
      kind: 'fn',
      tags,
      excerpt: excerptOf(facts, match, signature),
      type,
      arity: parameters.some((it) => it.variadic) ? -1 : parameters.length,
      parameters: parameters.map((it) => it.type),
      exported: isExported(label),
      ...(receiver === undefined && match.kind !== 'signature'
        ? {}
        : { signature: `${writtenTypes(source.slice(params))}${writtenResult(result)}` }),
      ...(owner === '' ? {} : { owner }),
      ...(parent >= 0 ? { parent } : {}),
    },
    { start: match.start, end: match.end, nameStart: name.start },
  )
  bindGenerics(source.partText(match, 'generics'), index, match.line, facts)
  if (self !== undefined && receiver !== undefined) {
    // type parameters of the receiver: `(s *Service[T])`
    for (const it of /\[([\w\s,]+)\]/.exec(source.slice(receiver))?.[1].split(',') ?? []) {
      facts.bindType(index, it.trim(), '', match.line)
    }
    facts.bind({ scope: index, name: self.name, kind: 'parameter', type: owner, value: '', line: match.line })
  }
  for (const it of [...parameters, ...results])
    facts.bind({
      scope: index,
      name: it.name,
      kind: 'parameter',
      type: it.variadic ? `Array<${it.type}>` : it.type,
      value: '',
      line: match.line,
    })
}

function bindGenerics(generics: string, scope: number, line: number, facts: FactsBuilder): void {
  if (generics === '') return
  for (const it of readParameters(generics)) facts.bindType(scope, it.name, it.type, line)
}

function bindLocal(name: string, value: string, scope: number, line: number, facts: FactsBuilder, type = ''): void {
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) facts.bind({ scope, name, kind: 'local', type, value, line })
}

/** `const A, B = 1, 2`, `var x, y T = f()`. Returns the type that is written, else the repeated one. */
function readSpec(source: Source, match: Match, scope: number, facts: FactsBuilder, repeated: string): string {
  const found =
    /^([\p{L}\p{N}_]+(?:\s*,\s*[\p{L}\p{N}_]+)*)(?:\s+((?!=)[\p{L}[*(][^=]*?|(?:func|map|struct|interface)\b[\s\S]*?))?\s*(?:=(?!=)\s*([\s\S]+))?$/u.exec(
      source.slice(match),
    )
  if (found === null) return ''
  const names = found[1].split(',').map((it) => it.trim())
  const written = found[2] === undefined ? repeated : typePath(found[2], syntax)
  const values = found[3] === undefined ? [] : splitTopLevel(found[3], ',', syntax)
  let at = match.start
  names.forEach((name, i) => {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return
    const nameStart = source.text.indexOf(name, at)
    at = nameStart + name.length
    const type = written === '' && values.length === names.length ? madeType(values[i]) : written
    const value =
      type !== ''
        ? ''
        : values.length === names.length
          ? valuePath(values[i])
          : values.length === 1
            ? resultPath(values[0], i)
            : ''
    if (scope < 0 && name !== '_') {
      const line = names.length === 1 ? match : { start: nameStart, end: match.end }
      facts.define(
        {
          name,
          kind: 'const',
          tags: visibility(name),
          excerpt: excerptOf(facts, match, source.slice(match)),
          type,
          exported: isExported(name),
        },
        { start: line.start, end: line.end, nameStart, isScope: false },
      )
    } else facts.told.add(nameStart)
    facts.bind({ scope, name, kind: 'local', type, value, line: match.line })
  })
  return written
}

/** True for a constant without a value: it repeats the one above. */
function repeatsValue(spec: string): boolean {
  return !spec.includes('=')
}
