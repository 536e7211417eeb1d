/** Python. */

import {
  argumentsOf,
  expressionPath,
  headOf,
  type Syntax,
  splitTopLevel,
  typeNames,
  typePath,
  withoutLeadingComments,
} from '#ingest/expression'
import type { Match } from '#ingest/parse'
import type { FactsBuilder } from '#ingest/source'
import { cut, dottedAt, firstSentence, type Language, type Source } from '#ingest/source'

const syntax: Syntax = {
  lineComment: '#',
  generics: '[',
  transparent: new Set([
    'Optional',
    'Awaitable',
    'Coroutine',
    'ClassVar',
    'Final',
    'Annotated',
    'Required',
    'NotRequired',
    'ReadOnly',
    'Future',
    'Task',
    'TypeGuard',
  ]),
}

const TYPES_WITHOUT_NODE = new Set([
  'None',
  'True',
  'False',
  'Any',
  'Optional',
  'List',
  'Dict',
  'Tuple',
  'Set',
  'Union',
  'Type',
  'Callable',
  'ClassVar',
  'Final',
  'Literal',
  'Annotated',
  'int',
  'str',
  'float',
  'bool',
  'bytes',
  'list',
  'dict',
  'tuple',
  'set',
  'frozenset',
  'object',
  'type',
  'complex',
  'bytearray',
  'self',
  'cls',
  'Self',
  'typing',
  't.Any',
  't.Optional',
  't.List',
  't.Dict',
  't.Tuple',
  't.Set',
  't.Union',
  't.Type',
  't.Callable',
  't.ClassVar',
  't.Final',
  't.Literal',
  't.Annotated',
])

const QUERY = `
(decorated_definition) @decorated
(decorator (_) @value) @decorator
(class_definition name: (identifier) @name type_parameters: (_)? @generics superclasses: (argument_list)? @bases body: (block) @body) @class
(function_definition name: (identifier) @name type_parameters: (_)? @generics parameters: (parameters) @params return_type: (type)? @result body: (block) @body) @fn
(type_alias_statement . (type) @name (type) @right) @alias
(import_statement) @import
(import_from_statement) @from
(future_import_statement) @future
(if_statement condition: (_) @condition consequence: (block) @body) @if
(try_statement) @try
(assignment left: (_) @left type: (type)? @type right: (_)? @right) @assign
(augmented_assignment left: (identifier) @left right: (_) @right) @augmented
(named_expression name: (_) @left value: (_) @right) @assign
(for_statement left: (_) @left right: (_) @right) @for
(for_in_clause left: (_) @left right: (_) @right) @for
(except_clause . (_) @right) @except
(as_pattern (_) @right alias: (as_pattern_target (_) @left)) @as
(case_pattern (dotted_name . (identifier) @name .)) @capture
(keyword_pattern (identifier) (dotted_name . (identifier) @name .)) @capture
(lambda_parameters) @lambda
(return_statement (_) @value) @return
(raise_statement . [(identifier) (attribute) (call)] @value) @raise
(call function: (_) @callee) @call
(type) @annotation
(comment) @comment
(string) @string
(ERROR) @error
`

export const python: Language = {
  name: 'python',
  extensions: ['py', 'pyi', 'pyw'],
  interpreters: ['python', 'pypy'],
  grammar: 'python',
  query: QUERY,
  syntax,
  read,
}

const CONSTANT = /^_{0,2}[A-Z][A-Z0-9_]*$/
const TYPE_FACTORY =
  /^(?:(?:typing|t|collections|te|typing_extensions)\.)?(?:namedtuple|NamedTuple|NewType|TypedDict|TypeVar|ParamSpec|Enum)\(\)$/
/** Decorators of the language itself. */
const PLAIN_DECORATORS = /^(?:property|classmethod|staticmethod|super)$|\.(?:setter|getter|deleter)$/
const ROUTE = /(?:^|\.)(?:route|get|post|put|delete|patch|head|options|websocket|api_route)$/

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  let decorated: Match | null = null
  let decorators: { path: string; line: number }[] = []
  let decoratorAt = -1
  let caughtAt = -1
  let conditionalUntil = -1
  let unreachableFrom = -1
  let unreachableUntil = -1
  let typeOnlyUntil = -1
  let typeOnlyFrom = -1
  const globals = new Map<number, Set<string>>()
  const returns = new Map<number, string | null>()

  facts.facts.tags.push('python')
  if (/(?:^|\/)(?:tests?\/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)/.test(source.path))
    facts.facts.tags.push('test')
  if (/^if\s+__name__\s*==/m.test(text) || source.path.endsWith('__main__.py')) facts.facts.tags.push('entrypoint')
  const head = /^(?:\s|#[^\n]*\n)*/.exec(text)?.[0].length ?? 0
  const moduleDoc = facts.markDoc(head)
  if (moduleDoc !== '') facts.facts.excerpt = firstSentence(moduleDoc)

  for (const match of matches) {
    const scope = facts.scopeAt(match.start)
    switch (match.kind) {
      case 'decorated':
        decorated = match
        decorators = []
        break

      case 'decorator': {
        const value = source.part(match, 'value')
        if (value === undefined) break
        facts.told.add(value.start)
        decoratorAt = value.start
        const path = expressionPath(text.slice(value.start, value.end), syntax).replace(/\(\)$/, '')
        if (path !== '') decorators.push({ path, line: match.line })
        break
      }

      case 'class':
      case 'fn': {
        const start = decorated === null ? match.start : decorated.start
        const own = decorated === null ? [] : decorators
        decorated = null
        decorators = []
        const index =
          match.kind === 'class'
            ? defineClass(source, match, start, facts)
            : defineFunction(source, match, start, own, facts)
        for (const { path, line } of own)
          if (!PLAIN_DECORATORS.test(path)) facts.reference(index, 'decorates', path, line)
        break
      }

      case 'alias': {
        const name = source.part(match, 'name')
        if (name === undefined) break
        const label = /^[\p{L}\p{N}_]+/u.exec(source.slice(name))?.[0] ?? source.slice(name)
        const index = facts.define(
          {
            name: label,
            kind: 'type',
            excerpt: cut(source.slice(match)),
            type: typePath(source.partText(match, 'right'), syntax),
          },
          { start: match.start, end: match.end, nameStart: name.start },
        )
        facts.toldRanges.push(name.start, name.end)
        bindTypeParameters(source.slice(name).slice(label.length), index, match.line, facts)
        break
      }

      case 'import':
      case 'from': {
        facts.toldRanges.push(match.start, match.end)
        const typeOnly = match.start >= typeOnlyFrom && match.start < typeOnlyUntil
        readImport(source.slice(match), match.line, scope, typeOnly, match.start < conditionalUntil, facts)
        break
      }

      case 'future':
        facts.toldRanges.push(match.start, match.end)
        break

      case 'if': {
        const condition = source.partText(match, 'condition')
        const body = source.part(match, 'body')
        conditionalUntil = Math.max(conditionalUntil, match.end)
        if (body === undefined) break
        if (condition === 'False' || condition === '0') {
          unreachableFrom = body.start
          unreachableUntil = body.end
        } else if (/(?:^|\.)TYPE_CHECKING$/.test(condition)) {
          typeOnlyFrom = body.start
          typeOnlyUntil = body.end
        }
        break
      }

      case 'try':
        conditionalUntil = Math.max(conditionalUntil, match.end)
        break

      case 'assign':
        readAssignment(source, match, scope, facts)
        break

      case 'augmented':
        if (source.partText(match, 'left') === '__all__') readAll(source, match, facts)
        break

      case 'except': {
        const right = source.part(match, 'right')
        if (right === undefined) break
        caughtAt = right.start
        const [caught, name] = source.slice(right).split(/\s+as\s+(?=[\p{L}_][\p{L}\p{N}_]*$)/u)
        const types = splitTopLevel(caught.trim().replace(/^\(([\s\S]*)\)$/, '$1'), ',', syntax)
          .map((it) => expressionPath(it, syntax))
          .filter((it) => it !== '')
        facts.toldRanges.push(right.start, right.end)
        for (const type of types) facts.reference(scope, 'catches', type, match.line)
        if (name !== undefined) bindTargets(name, types.length === 1 ? `${types[0]}()` : '', scope, match.line, facts)
        break
      }

      case 'for':
      case 'as': {
        if (match.start === caughtAt) break
        const text = source.partText(match, 'right')
        if (match.kind === 'for') bindElements(source.partText(match, 'left'), text, scope, match.line, facts)
        else bindTargets(source.partText(match, 'left'), expressionPath(text, syntax), scope, match.line, facts)
        break
      }

      case 'capture':
        bindTargets(source.partText(match, 'name'), '', scope, match.line, facts)
        break

      case 'lambda':
        for (const one of splitTopLevel(source.slice(match), ',', syntax)) {
          const name = /^[\s*]*([\p{L}_][\p{L}\p{N}_]*)/u.exec(one)?.[1]
          if (name !== undefined) facts.bind({ scope, name, kind: 'parameter', type: '', value: '', line: match.line })
        }
        break

      case 'return': {
        if (scope < 0) break
        const path = expressionPath(source.partText(match, 'value'), syntax)
        const known = returns.get(scope)
        if (path === 'None') break
        if (known === undefined) returns.set(scope, path === '' ? null : path)
        else if (known !== path) returns.set(scope, null)
        break
      }

      case 'raise': {
        const value = source.part(match, 'value')
        if (value === undefined) break
        facts.told.add(value.start)
        facts.reference(scope, 'raises', expressionPath(source.slice(value), syntax).replace(/\(\)$/, ''), match.line)
        break
      }

      case 'annotation': {
        const last = facts.toldRanges.length - 2
        if (last >= 0 && facts.toldRanges[last + 1] >= match.end) break
        facts.toldRanges.push(match.start, match.end)
        for (const name of typeNames(source.slice(match), TYPES_WITHOUT_NODE, syntax))
          facts.reference(scope, 'references', name, match.line)
        break
      }

      case 'call': {
        // the call that a decorator consists of is told by the decorator
        if (match.start === decoratorAt) break
        const unreachable = match.start >= unreachableFrom && match.start < unreachableUntil
        readCall(source, match, scope, unreachable, facts)
        break
      }
    }
  }

  for (const [scope, path] of returns) {
    const definition = facts.facts.definitions[scope]
    if (path === null || definition.kind !== 'fn' || definition.type !== '') continue
    facts.bind({
      scope,
      name: 'return',
      kind: 'local',
      type: '',
      value: path.replace(/^super\(\)/, 'super'),
      line: definition.line,
    })
  }
  for (const match of text.matchAll(/^[ \t]*(?:global|nonlocal)[ \t]+([\w, \t]+)/gm)) {
    const line = source.lineAt(match.index)
    let scope = -1
    facts.facts.definitions.forEach((it, index) => {
      if (it.kind === 'fn' && it.line <= line && it.endLine >= line) scope = index
    })
    const names = globals.get(scope) ?? new Set<string>()
    for (const name of match[1].split(',')) names.add(name.trim())
    globals.set(scope, names)
  }
  if (globals.size > 0)
    facts.facts.bindings = facts.facts.bindings.filter((it) => !(globals.get(it.scope)?.has(it.name) ?? false))
  facts.mentions(['self', 'cls'], (offset) => dottedAt(text, offset, isKeyword))
}

/** A keyword argument or the target of an assignment. */
function isKeyword(text: string, end: number): boolean {
  return /^[ \t]*(?:=(?!=)|:=)/.test(text.slice(end, end + 12))
}

function visibility(name: string): string[] {
  return name.startsWith('_') && !name.endsWith('__') ? ['private'] : []
}

function docOf(source: Source, match: Match, facts: FactsBuilder): string {
  const body = source.part(match, 'body')
  return body === undefined ? '' : facts.markDoc(body.start)
}

function defineClass(source: Source, match: Match, start: number, facts: FactsBuilder): number {
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
        facts.reference(
          index,
          'references',
          expressionPath(plain.slice(keyword[0].length), syntax).replace(/\(\)$/, ''),
          match.line,
        )
        continue
      }
      const type = typePath(plain, syntax)
      const path = expressionPath(plain, syntax).replace(/\[\]$/, '')
      if (path === '' || path === 'object') continue
      if (headOf(type) === path) facts.inherit(index, type, match.line)
      else facts.reference(index, 'implements', path, match.line)
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

function defineFunction(
  source: Source,
  match: Match,
  start: number,
  decorators: readonly { path: string }[],
  facts: FactsBuilder,
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
  const index = facts.define(
    {
      name: label,
      kind: 'fn',
      tags,
      excerpt:
        doc === '' ? cut(`${label}${source.slice(params)}${result === '' ? '' : ` -> ${result}`}`) : firstSentence(doc),
      type: result === '' ? '' : typePath(result, syntax),
      arity: parameters.some((it) => it.variadic) ? -1 : parameters.length - (isMethod && !isStatic ? 1 : 0),
    },
    { start, end: match.end, nameStart: name.start },
  )
  bindTypeParameters(source.partText(match, 'generics'), index, match.line, facts)
  parameters.forEach((it, i) => {
    if (i === 0 && isMethod && !isStatic && !it.variadic) {
      const self = tags.includes('classmethod') ? 'cls' : 'self'
      if (it.name !== self)
        facts.bind({ scope: index, name: it.name, kind: 'parameter', type: '', value: self, line: match.line })
      return
    }
    const type = it.variadic ? '' : typePath(it.type, syntax)
    facts.bind({ scope: index, name: it.name, kind: 'parameter', type, value: '', line: match.line })
  })
  return index
}

/** `[A, B: Bound]` */
function bindTypeParameters(list: string, scope: number, line: number, facts: FactsBuilder): void {
  if (list === '') return
  for (const part of splitTopLevel(list.slice(1, -1), ',', syntax)) {
    const [name, bound] = splitTopLevel(part.split('=')[0], ':', syntax)
    facts.bindType(scope, name.replace(/[\s*]/g, ''), bound === undefined ? '' : typePath(bound, syntax), line)
  }
}

function readParameters(list: string): { name: string; type: string; variadic: boolean }[] {
  const parameters: { name: string; type: string; variadic: boolean }[] = []
  for (const part of splitTopLevel(list, ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax)
    const name = /^(\*{0,2})\s*([\p{L}_][\p{L}\p{N}_]*)\s*/u.exec(plain)
    if (name === null) continue
    const rest = plain.slice(name[0].length)
    const type = rest.startsWith(':') ? splitTopLevel(rest.slice(1), '=', syntax)[0] : ''
    parameters.push({ name: name[2], type, variadic: name[1] !== '' })
  }
  return parameters
}

function readImport(
  statement: string,
  line: number,
  scope: number,
  typeOnly: boolean,
  isConditional: boolean,
  facts: FactsBuilder,
): void {
  const plain = statement.replace(/#[^\n]*/g, '').replace(/\\\r?\n/g, ' ')
  const kind = typeOnly ? 'type' : 'import'
  const conditional = isConditional ? { conditional: true } : {}
  const from = /^from\s+(\.*\s*[\p{L}\p{N}_.]*)\s*import\s*([\s\S]*)$/u.exec(plain)
  if (from !== null) {
    const module = from[1].replace(/\s/g, '')
    for (const part of from[2].replace(/[()]/g, '').split(',')) {
      const [name, , alias] = part.trim().split(/\s+/)
      if (name === undefined || name === '') continue
      facts.import({ kind, module, name, alias: name === '*' ? '' : (alias ?? name), scope, line, ...conditional })
    }
    return
  }
  for (const part of plain.replace(/^import\s+/, '').split(',')) {
    const [module, , alias] = part.trim().split(/\s+/)
    if (module === undefined || module === '') continue
    facts.import({ kind, module, name: '', alias: alias ?? module, scope, line, ...conditional })
  }
}

function readAll(source: Source, match: Match, facts: FactsBuilder): void {
  for (const name of source.partText(match, 'right').matchAll(/["']([^"'\n]+)["']/g)) {
    facts.export({ name: name[1], local: name[1], line: match.line })
  }
}

function readAssignment(source: Source, match: Match, scope: number, facts: FactsBuilder): void {
  const left = source.part(match, 'left')
  if (left === undefined) return
  const target = source.slice(left)
  const right = source.part(match, 'right')
  const value = right === undefined ? '' : valuePath(source.slice(right))
  const typeText = source.partText(match, 'type')
  const type = typeText === '' ? '' : typePath(typeText, syntax)

  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(target)) {
    if (target === '__all__' && scope < 0) readAll(source, match, facts)
    const inClass = scope >= 0 && facts.facts.definitions[scope].kind === 'class'
    const isType = scope < 0 && TYPE_FACTORY.test(value)
    if (scope < 0 && (isType || CONSTANT.test(target)))
      defineConstant(source, match, target, left.start, isType ? 'type' : 'const', type, facts)
    else facts.told.add(left.start)
    // `module = None` where an import failed is no other module
    const isImported = facts.facts.imports.some((it) => it.scope === scope && it.alias === target)
    if (right !== undefined && isImported && source.slice(right) === 'None') return
    facts.bind({ scope, name: target, kind: inClass ? 'field' : 'local', type, value, line: match.line })
    return
  }

  const attribute = /^(self|cls)\.([\p{L}_][\p{L}\p{N}_]*)$/u.exec(target)
  if (attribute !== null) {
    facts.told.add(left.start)
    const owner = facts.classOf(scope)
    if (owner >= 0)
      facts.bind({ scope: owner, name: attribute[2], kind: 'field', type, value, valueScope: scope, line: match.line })
    return
  }
  if (/^[([\p{L}_*]/u.test(target) && target.includes(',')) {
    const names = splitTopLevel(target.replace(/^[([]|[)\]]$/g, ''), ',', syntax)
    const values =
      right === undefined ? [] : splitTopLevel(source.slice(right).replace(/^\(([\s\S]*)\)$/, '$1'), ',', syntax)
    names.forEach((one, i) => {
      const name = one.trim()
      const own = values.length === names.length ? valuePath(values[i]) : ''
      const field = /^(?:self|cls)\.([\p{L}_][\p{L}\p{N}_]*)$/u.exec(name)
      const owner = field === null ? -1 : facts.classOf(scope)
      const nameStart = left.start + target.indexOf(name)
      if (field !== null && owner >= 0) {
        facts.told.add(nameStart)
        facts.bind({
          scope: owner,
          name: field[1],
          kind: 'field',
          type: '',
          value: own,
          valueScope: scope,
          line: match.line,
        })
        return
      }
      if (scope < 0 && CONSTANT.test(name)) defineConstant(source, match, name, nameStart, 'const', '', facts)
      bindTargets(name, own, scope, match.line, facts)
    })
  }
}

function defineConstant(
  source: Source,
  match: Match,
  name: string,
  nameStart: number,
  kind: 'type' | 'const',
  type: string,
  facts: FactsBuilder,
): void {
  facts.define(
    { name, kind, tags: visibility(name), excerpt: cut(source.slice(match)), type },
    { start: match.start, end: match.end, nameStart, isScope: false },
  )
}

/** The path of a value; of `a or b` and `a if c else b` the part that can be named. */
function valuePath(text: string): string {
  const path = expressionPath(text, syntax)
  if (path === 'None') return ''
  if (path !== '' || text.length > 2000) return path.replace(/^super\(\)/, 'super')
  const choice = /^([\s\S]+?)\s+(?:or|if\s[\s\S]+?\selse)\s+([\s\S]+)$/.exec(text)
  if (choice === null) return ''
  const first = expressionPath(choice[1], syntax)
  const second = expressionPath(choice[2], syntax)
  // of two values the constructed one tells the type
  return /^[\w.]*[A-Z]\w*\(\)$/.test(second) ? second : /^[\w.]*[A-Z]\w*\(\)$/.test(first) ? first : ''
}

/** Names of a loop over `right`, each bound to what it gets of every turn where that can be named. */
function bindElements(left: string, right: string, scope: number, line: number, facts: FactsBuilder): void {
  const text = right.trim()
  const paired = /^(?:enumerate\(([\s\S]*)\)|([\s\S]*)\.items\(\))$/.exec(text)
  const names = splitTopLevel(left.trim().replace(/^[([]|[)\]]$/g, ''), ',', syntax)
  if (paired !== null && names.length === 2) {
    const path = expressionPath(splitTopLevel(paired[1] ?? paired[2], ',', syntax)[0], syntax)
    bindTargets(names[0], '', scope, line, facts)
    bindTargets(names[1], path === '' ? '' : `${path}[]`, scope, line, facts)
    return
  }
  const ordered = /^(?:sorted|reversed|list|tuple|set)\(([\s\S]*)\)$/.exec(text)
  const path = expressionPath(ordered === null ? text : splitTopLevel(ordered[1], ',', syntax)[0], syntax)
  bindTargets(left, path === '' ? '' : `${path}[]`, scope, line, facts)
}

function bindTargets(target: string, value: string, scope: number, line: number, facts: FactsBuilder): void {
  const names = splitTopLevel(target.trim().replace(/^[([]|[)\]]$/g, ''), ',', syntax)
  for (const one of names) {
    const name = /^[\s*]*([\p{L}_][\p{L}\p{N}_]*)\s*$/u.exec(one)?.[1]
    if (name !== undefined)
      facts.bind({ scope, name, kind: 'local', type: '', value: names.length === 1 ? value : '', line })
    else if (/^\s*[([]/.test(one)) bindTargets(one, '', scope, line, facts)
  }
}

function readCall(source: Source, match: Match, scope: number, unreachable: boolean, facts: FactsBuilder): void {
  const callee = source.part(match, 'callee')
  if (callee === undefined) return
  facts.told.add(callee.start)
  const path = expressionPath(source.slice(callee), syntax).replace(/^super\(\)/, 'super')
  if (path === '' || path === 'super') return
  const line = source.lineAt(callee.end)
  facts.reference(scope, 'calls', path, line, unreachable ? { unreachable } : {})

  const last = path.slice(path.lastIndexOf('.') + 1)
  // a call ends with its arguments
  const list = source.text.slice(source.text.indexOf('(', callee.end) + 1, match.end - 1)
  switch (last) {
    case 'include_router':
    case 'register_blueprint':
    case 'register_router': {
      const first = expressionPath(splitTopLevel(list, ',', syntax)[0], syntax)
      facts.reference(scope, 'registers', first, line)
      break
    }
    case 'include': {
      const module = /^\s*["']([\w.]+)["']/.exec(list)?.[1]
      if (path !== 'include' || module === undefined) break
      facts.import({ kind: 'dynamic', module, name: '', alias: '', scope, line })
      facts.reference(scope, 'registers', module, line)
      break
    }
    case 'import_module':
    case '__import__': {
      const module = /^\s*["']([\w.]+)["']\s*(?:,|$)/.exec(list)?.[1]
      if (module !== undefined) facts.import({ kind: 'dynamic', module, name: '', alias: '', scope, line })
      else facts.dynamic(line, source.slice(match))
      break
    }
    case 'eval':
    case 'exec':
      if (path === last) facts.dynamic(line, source.slice(match))
      break
    case 'getattr':
      if (path === last && !/^[^,]*,\s*["']/.test(list)) facts.dynamic(line, source.slice(match))
      break
  }
}
