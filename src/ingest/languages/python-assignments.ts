/** Names that Python code binds: assignments, loops, `with`, `except`, patterns. */

import { splitTopLevel, typePath } from '#ingest/expression'
import { readLazyNames, readPublicNames } from '#ingest/languages/python-imports'
import type { PythonReader } from '#ingest/languages/python-reader'
import { argumentsAt, IDENTIFIER, isMade, pathOf, syntax, TARGET, valuePath } from '#ingest/languages/python-syntax'
import type { Match } from '#ingest/parse'
import { cut } from '#ingest/source'

const CONSTANT = /^_{0,2}[A-Z][A-Z0-9_]*$/
const TYPE_FACTORY =
  /^(?:(?:typing|t|collections|te|typing_extensions)\.)?(?:namedtuple|NamedTuple|NewType|TypedDict|TypeVar|ParamSpec|Enum)\(\)$/
const ENUM = /(?:Enum|Flag|Choices)$/
/** A type with arguments or alternatives, as an alias writes it. */
const TYPE_TEXT = /^[\p{L}_][\p{L}\p{N}_.]*\s*(?:\[[\s\S]*\]|(?:\s*\|\s*[\p{L}_"'][\p{L}\p{N}_.[\]"', ]*)+)$/u
/** Types of the language that an alias gives arguments to. */
const GENERIC_TYPES =
  /^(?:\w+\.)?(?:list|dict|set|tuple|frozenset|type|List|Dict|Set|Tuple|Type|Union|Optional|Sequence|Iterable|Iterator|Mapping|MutableMapping|Callable|Awaitable|Annotated)$/

export function visibility(name: string): string[] {
  return name.startsWith('_') && !name.endsWith('__') ? ['private'] : []
}

export function readAssignment(reader: PythonReader, match: Match, scope: number): void {
  const { source, facts } = reader
  const left = source.part(match, 'left')
  if (left === undefined) return
  const target = source.slice(left)
  const right = source.part(match, 'right')
  const text = right === undefined ? '' : source.slice(right)
  const typeText = source.partText(match, 'type')
  // `a = b = value`: the last value is that of all
  const value = right === undefined ? '' : valuePath(lastOfChain(text))
  const at = right === undefined ? match.start : right.start

  if (IDENTIFIER.test(target)) {
    assignName(reader, match, target, { scope, text, typeText, value, at })
    return
  }
  if (TARGET.test(target)) {
    facts.told.add(left.start)
    const type = typeText === '' ? '' : typePath(typeText, syntax)
    bindField(reader, target, { scope, type, value, at, line: match.line, end: match.end })
    return
  }
  if (/^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+$/u.test(target)) {
    // an attribute of something else: a function put into a module or class
    if (value !== '' && !value.endsWith(')'))
      reader.bind({ scope, name: target, kind: 'field', type: '', value, line: match.line }, at)
    return
  }
  if (/^[([\p{L}_*]/u.test(target) && target.includes(','))
    assignTargets(reader, match, {
      target,
      targetStart: left.start,
      text,
      value,
      place: { scope, at, line: match.line, start: match.end },
    })
}

interface Unpacked {
  target: string
  targetStart: number
  /** The value as written; '' when only its path is known. */
  text: string
  value: string
  place: Place
}

/** `a, self.b, (c, d) = …`: each target gets the value at its place, as far as those are written one by one. */
function assignTargets(
  reader: PythonReader,
  match: Match,
  { target, targetStart, text, value, place }: Unpacked,
): void {
  const { facts } = reader
  const names = splitTopLevel(target.replace(/^[([]|[)\]]$/g, ''), ',', syntax)
  const values = text === '' ? [] : splitTopLevel(text.trim().replace(/^[([]([\s\S]*)[)\]]$/, '$1'), ',', syntax)
  const isEven = values.length === names.length
  let from = 0
  names.forEach((one, i) => {
    const name = one.trim()
    const nameStart = targetStart + target.indexOf(name, from)
    from = nameStart - targetStart + name.length
    const own = isEven ? valuePath(values[i]) : value === '' ? '' : `${value}.@${i}`
    if (/^[([]/.test(name)) {
      const inner = isEven ? values[i] : ''
      assignTargets(reader, match, { target: name, targetStart: nameStart, text: inner, value: own, place })
      return
    }
    if (TARGET.test(name) && name.includes('.')) facts.told.add(nameStart)
    else if (place.scope < 0 && CONSTANT.test(name))
      defineConstant(reader, match, { name, nameStart, kind: 'const', type: '' })
    bindTargets(reader, name, own, place)
  })
}

function lastOfChain(text: string): string {
  if (!text.includes('=')) return text
  const chain = /^(?:[\p{L}_][\p{L}\p{N}_.]*\s*=\s*(?!=))+/u.exec(text)
  return chain === null ? text : text.slice(chain[0].length)
}

interface Assigned {
  scope: number
  text: string
  typeText: string
  value: string
  at: number
}

function assignName(
  reader: PythonReader,
  match: Match,
  target: string,
  { scope, text, typeText, value, at }: Assigned,
): void {
  const { source, facts } = reader
  const left = source.part(match, 'left')
  const right = source.part(match, 'right')
  if (left === undefined) return
  if (target === '__all__' && scope < 0) readPublicNames(text, match.line, facts)
  const isClassBody = scope >= 0 && facts.facts.definitions[scope].kind === 'class'
  const isType = scope < 0 && TYPE_FACTORY.test(value)
  const aliased = isClassBody || isType ? '' : aliasedType(typeText, text)
  const type = typeText === '' || aliased !== '' ? aliased : typePath(typeText, syntax)
  if (scope < 0 && (isType || CONSTANT.test(target))) {
    const made = isType ? factoryType(text) : type
    defineConstant(reader, match, { name: target, nameStart: left.start, kind: isType ? 'type' : 'const', type: made })
  } else facts.told.add(left.start)
  if (scope < 0 && text.startsWith('{')) readLazyNames(reader, target, text, match.line)
  // `module = None` where an import failed is no other module
  if (text === 'None' && facts.facts.imports.some((it) => it.scope === scope && it.alias === target)) return
  const dynamic = reader.importedModule(text)
  if (dynamic !== '') {
    facts.import({ kind: 'dynamic', module: dynamic, name: '', alias: target, scope, line: match.line })
    return
  }
  const kind = isClassBody ? 'field' : 'local'
  const made =
    isClassBody && right !== undefined && isMember(reader, scope, target)
      ? `${facts.facts.definitions[scope].name}()`
      : value
  reader.bind({ scope, name: target, kind, type, value: aliased === '' ? made : '', line: match.line }, at)
  if (!isClassBody) reader.flow.bind(scope, target, { type, value, valueAt: at, line: match.line }, match.end)
}

/** True for what the body of an enumeration names: its members are its instances. */
function isMember({ facts }: PythonReader, scope: number, name: string): boolean {
  if (name.startsWith('_')) return false
  return facts.facts.references.some((it) => it.from === scope && it.relation === 'implements' && ENUM.test(it.path))
}

/** The type that a name is made to stand for; '' when it is given a value. */
function aliasedType(typeText: string, text: string): string {
  if (/(?:^|\.)TypeAlias$/.test(typeText)) return typePath(text, syntax)
  if (typeText !== '' || text.length > 400 || !TYPE_TEXT.test(text)) return ''
  const head = text.split(/[[|]/)[0].trim()
  if (text[head.length] === '[' ? !GENERIC_TYPES.test(head) : text.includes('(')) return ''
  return typePath(text, syntax)
}

/** The type that `NewType` wraps, or the bound of a type variable. */
function factoryType(text: string): string {
  const open = text.indexOf('(')
  const args = argumentsAt(text, open)
  const bound = args.find((it) => /^\s*bound\s*=/.test(it))
  if (bound !== undefined) return typePath(bound.slice(bound.indexOf('=') + 1), syntax)
  return /NewType\s*$/.test(text.slice(0, open)) && args[1] !== undefined ? typePath(args[1], syntax) : ''
}

function defineConstant(
  { source, facts }: PythonReader,
  match: Match,
  { name, nameStart, kind, type }: { name: string; nameStart: number; kind: 'type' | 'const'; type: string },
): void {
  facts.define(
    { name, kind, tags: visibility(name), excerpt: cut(source.slice(match)), type },
    { start: match.start, end: match.end, nameStart, isScope: false },
  )
}

interface FieldBinding {
  scope: number
  type: string
  value: string
  /** Where the value stands. */
  at: number
  line: number
  /** Where the statement ends. */
  end: number
}

/** Binds `self.name` or `cls.name`, for the class and for the rest of the method. */
function bindField({ facts, flow }: PythonReader, target: string, field: FieldBinding): void {
  const { scope, type, value, at, line, end } = field
  const owner = facts.classOf(scope)
  if (owner < 0) return
  const name = target.slice(target.indexOf('.') + 1)
  facts.bind({ scope: owner, name, kind: 'field', type, value, valueScope: scope, line })
  flow.valueAt(at)
  if (scope !== owner)
    flow.bind(
      scope,
      target,
      { type: '', value: isMade(value) ? value : target, valueAt: isMade(value) ? at : -1, line },
      end,
    )
}

export interface Place {
  scope: number
  /** Where the value stands. */
  at: number
  line: number
  /** From where on the names are bound, and to where; without an end, to that of the block. */
  start: number
  end?: number
}

/** Binds the names of a loop over `right`, each to what it gets of every turn where that can be named. */
export function bindElements(reader: PythonReader, left: string, right: string, place: Place): void {
  const target = left.trim()
  const text = right.trim()
  const open = text.indexOf('(')
  const callee = open < 0 || !text.endsWith(')') ? '' : text.slice(0, open)
  const names = targetsOf(target)
  const args = callee === '' ? [] : argumentsAt(text, open)
  const isWhole = callee !== '' && argumentsAt(text, open).join(',').length >= text.length - open - 3
  switch (isWhole ? callee.slice(callee.lastIndexOf('.') + 1) : '') {
    case 'sorted':
    case 'reversed':
    case 'list':
    case 'tuple':
    case 'set':
    case 'iter':
    case 'tqdm':
      if (args[0] !== undefined) bindElements(reader, left, args[0], place)
      return
    case 'enumerate':
      if (names.length !== 2 || args[0] === undefined) break
      bindTargets(reader, names[0], '', place)
      bindElements(reader, names[1], args[0], place)
      return
    case 'zip':
    case 'product':
    case 'zip_longest':
      if (names.length !== args.length || names.length < 2) break
      names.forEach((it, i) => bindElements(reader, it, args[i], place))
      return
    case 'items': {
      if (names.length !== 2 || args.length > 0) break
      const path = pathOf(callee.slice(0, -'.items'.length))
      bindTargets(reader, names[0], path === '' ? '' : `${path}.@each`, place)
      bindTargets(reader, names[1], path === '' ? '' : `${path}[]`, place)
      return
    }
  }
  const path = valuePath(/^\([\s\S]*,[\s\S]*\)$/.test(text) ? `[${text.slice(1, -1)}]` : text)
  bindTargets(reader, target, path === '' ? '' : `${path}.@each`, place)
}

/** The names or patterns of a target; one when it is no list of them. */
function targetsOf(target: string): string[] {
  const inner = /^[([]/.test(target) ? target.slice(1, -1) : target
  return splitTopLevel(inner, ',', syntax)
    .map((it) => it.trim())
    .filter((it) => it !== '')
}

export function bindTargets(reader: PythonReader, target: string, value: string, place: Place): void {
  const text = target.trim()
  const isList = text.startsWith('(') || text.startsWith('[') || text.includes(',')
  const names = targetsOf(text)
  names.forEach((one, i) => {
    const own = !isList || value === '' ? value : `${value}.@${i}`
    if (/^[([]/.test(one)) bindTargets(reader, one, own, place)
    else if (one.startsWith('*')) bindName(reader, one.slice(1).trim(), '', place)
    else if (IDENTIFIER.test(one)) bindName(reader, one, own, place)
    else if (TARGET.test(one)) bindField(reader, one, { ...place, type: '', value: own, end: place.start })
  })
}

function bindName({ facts, flow }: PythonReader, name: string, value: string, place: Place): void {
  const { scope, at, line, start, end } = place
  const meaning = { type: '', value, valueAt: at, line }
  if (end !== undefined) {
    flow.within(scope, name, meaning, { start, end })
    return
  }
  facts.bind({ scope, name, kind: 'local', type: '', value, line })
  if (name !== '_') flow.valueAt(at)
  flow.bind(scope, name, meaning, start)
}
