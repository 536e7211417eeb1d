/** Classes, functions and their parameters in Python. */

import {
  argumentsOf,
  expressionPath,
  headOf,
  splitTopLevel,
  typeNames,
  typePath,
  withoutLeadingComments,
} from '#ingest/expression'
import { visibility } from '#ingest/languages/python-assignments'
import type { PythonReader } from '#ingest/languages/python-reader'
import { isMade, METACLASS, pathOf, syntax, TYPES_WITHOUT_NODE } from '#ingest/languages/python-syntax'
import type { Match } from '#ingest/parse'
import { cut, type FactsBuilder, firstSentence, type Source } from '#ingest/source'

const ROUTE = /(?:^|\.)(?:route|get|post|put|delete|patch|head|options|websocket|api_route)$/

function docOf(source: Source, match: Match, facts: FactsBuilder): string {
  const body = source.part(match, 'body')
  return body === undefined ? '' : facts.markDoc(body.start)
}

export function defineClass({ source, facts }: PythonReader, match: Match, start: number): number {
  const name = source.part(match, 'name')
  const bases = source.part(match, 'bases')
  if (name === undefined) return -1
  const doc = docOf(source, match, facts)
  const label = source.slice(name)
  const body = source.part(match, 'body')
  const index = facts.define(
    {
      name: label,
      kind: 'class',
      tags: visibility(label),
      excerpt:
        doc === ''
          ? cut(source.text.slice(match.start, body?.start ?? match.end).replace(/:\s*$/, ''))
          : firstSentence(doc),
    },
    { start, end: match.end, nameStart: name.start },
  )
  bindTypeParameters(source.partText(match, 'generics'), index, match.line, facts)
  if (bases !== undefined) {
    facts.toldRanges.push(bases.start, bases.end)
    for (const one of splitTopLevel(source.text.slice(bases.start + 1, bases.end - 1), ',', syntax)) {
      const plain = withoutLeadingComments(one, syntax).trim()
      const keyword = /^\w+\s*=\s*/.exec(plain)
      if (keyword !== null) {
        const value = expressionPath(plain.slice(keyword[0].length), syntax).replace(/\(\)$/, '')
        facts.reference(index, 'references', value, match.line)
        if (keyword[0].startsWith('metaclass'))
          facts.bind({ scope: index, name: METACLASS, kind: 'field', type: '', value, line: match.line })
        continue
      }
      const type = typePath(plain, syntax)
      const path = expressionPath(plain, syntax).replace(/\[\]$/, '')
      if (path === '' || path === 'object') continue
      if (headOf(type) === path) facts.inherit(index, type, match.line)
      else facts.reference(index, 'implements', path, match.line)
      if (/(?:^|\.)Protocol$/.test(path)) facts.facts.definitions[index].tags.push('interface')
      const open = plain.search(/[[(]/)
      if (open < 0) continue
      for (const argument of typeNames(plain.slice(open), TYPES_WITHOUT_NODE, syntax))
        facts.reference(index, 'references', argument, match.line)
      if (/(?:^|\.)(?:Generic|Protocol)$/.test(path))
        bindTypeParameters(`[${argumentsOf(type).join(',')}]`, index, match.line, facts)
    }
  }
  return index
}

export function defineFunction(
  { source, facts, flow }: PythonReader,
  match: Match,
  start: number,
  decorators: readonly { path: string; name: string }[],
): number {
  const name = source.part(match, 'name')
  const params = source.part(match, 'params')
  if (name === undefined || params === undefined) return -1
  const label = source.slice(name)
  const parent = facts.scopeAt(start)
  const isMethod = parent >= 0 && facts.facts.definitions[parent].kind === 'class'
  const tags = visibility(label)
  if (isMethod) tags.push('method')
  if (source.text.startsWith('async', match.start)) tags.push('async')
  if (/^test(_|$)/.test(label)) tags.push('test')
  let isStatic = label === '__new__' || label === '__init_subclass__' || label === '__class_getitem__'
  for (const { path } of decorators) {
    const last = path.slice(path.lastIndexOf('.') + 1)
    if (last === 'property' || last === 'cached_property') tags.push('property')
    else if (path === 'staticmethod' || path === 'classmethod') tags.push(path)
    else if (last === 'abstractmethod') tags.push('abstract')
    else if (last === 'setter' || last === 'deleter') tags.push('setter')
    else if (last === 'overload') tags.push('overload')
    else if (ROUTE.test(path) && (path.includes('.') || path === 'route')) tags.push('route')
    else if (last === 'fixture') tags.push('fixture')
    if (path === 'staticmethod') isStatic = true
  }
  const doc = docOf(source, match, facts)
  const parameters = readParameters(source.text.slice(params.start + 1, params.end - 1))
  const result = source.partText(match, 'result')
  const own = isMethod && !isStatic ? (parameters[0]?.type.trim() ?? '') : ''
  const isOwn = own !== '' && (own === result || /^(?:\w+\.)?[Tt]ype\[(.*)\]$/.exec(own)?.[1] === result)
  const index = facts.define(
    {
      name: label,
      kind: 'fn',
      tags,
      excerpt:
        doc === '' ? cut(`${label}${source.slice(params)}${result === '' ? '' : ` -> ${result}`}`) : firstSentence(doc),
      type: isOwn ? 'Self' : result === '' ? '' : typePath(result, syntax),
      arity: parameters.some((it) => it.stars > 0) ? -1 : parameters.length - (isMethod && !isStatic ? 1 : 0),
    },
    { start, end: match.end, nameStart: name.start },
  )
  bindTypeParameters(source.partText(match, 'generics'), index, match.line, facts)
  const asked = tags.includes('fixture') || (tags.includes('test') && facts.facts.tags.includes('test'))
  if (tags.includes('fixture')) {
    const name = decorators.find((it) => it.name !== '')?.name ?? label
    facts.bind({ scope: parent, name: `${name}@`, kind: 'local', type: '', value: label, line: match.line })
  }
  parameters.forEach((it, i) => {
    if (i === 0 && isMethod && !isStatic && it.stars === 0) {
      const self = tags.includes('classmethod') ? 'cls' : 'self'
      if (it.name !== self)
        facts.bind({ scope: index, name: it.name, kind: 'parameter', type: '', value: self, line: match.line })
      return
    }
    const type = variadicType(it.stars, typePath(it.type, syntax))
    const isAsked = asked && it.stars === 0 && it.made === '' && it.name !== 'request'
    if (isAsked) facts.reference(index, 'requests', `${it.name}@`, match.line)
    const value = type !== '' ? '' : isAsked ? `${it.name}@.@given` : it.made
    facts.bind({ scope: index, name: it.name, kind: 'parameter', type, value, line: match.line })
    const meaning = { type, value: '', valueAt: start, line: match.line }
    flow.bind(index, it.name, meaning, start, match.end)
  })
  return index
}

/** `[A, B: Bound]` */
export function bindTypeParameters(list: string, scope: number, line: number, facts: FactsBuilder): void {
  if (list === '') return
  for (const part of splitTopLevel(list.slice(1, -1), ',', syntax)) {
    const [name, bound] = splitTopLevel(part.split('=')[0], ':', syntax)
    facts.bindType(scope, name.replace(/[\s*]/g, ''), bound === undefined ? '' : typePath(bound, syntax), line)
  }
}

interface Parameter {
  name: string
  type: string
  /** 1 for `*args`, 2 for `**named`. */
  stars: number
  /** The default value where it is a class that is made, `Shelf()`. */
  made: string
}

function readParameters(list: string): Parameter[] {
  const parameters: Parameter[] = []
  for (const part of splitTopLevel(list, ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax)
    const name = /^(\*{0,2})\s*([\p{L}_][\p{L}\p{N}_]*)\s*/u.exec(plain)
    if (name === null) continue
    const rest = plain.slice(name[0].length)
    const [type, value] = rest.startsWith(':') ? splitTopLevel(rest.slice(1), '=', syntax) : ['', rest.slice(1)]
    const made = value === undefined || !value.includes('(') ? '' : pathOf(value)
    parameters.push({ name: name[2], type, stars: name[1].length, made: isMade(made) ? made : '' })
  }
  return parameters
}

function variadicType(stars: number, type: string): string {
  if (stars === 0 || type === '') return type
  return stars === 1 ? `tuple<${type},>` : `dict<str,${type}>`
}
