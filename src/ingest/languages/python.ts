/** Python. */

import { expressionPath, splitTopLevel, typeNames, typePath } from '#ingest/expression'
import { bindElements, bindTargets, readAssignment } from '#ingest/languages/python-assignments'
import { bindTypeParameters, defineClass, defineFunction } from '#ingest/languages/python-definitions'
import { importLazyNames, readImport, readPublicNames } from '#ingest/languages/python-imports'
import { PythonReader } from '#ingest/languages/python-reader'
import {
  argumentsAt,
  pathOf,
  syntax,
  TARGET,
  testedType,
  TYPES_WITHOUT_NODE,
  valuePath,
} from '#ingest/languages/python-syntax'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

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
(elif_clause condition: (_) @condition consequence: (block) @body) @if
(while_statement) @while
(match_statement subject: (_) @subject) @match
(case_clause (case_pattern) @pattern consequence: (block) @body) @case
(try_statement) @try
(assignment left: (_) @left type: (type)? @type right: (_)? @right) @assign
(augmented_assignment left: (identifier) @left right: (_) @right) @augmented
(named_expression name: (_) @left value: (_) @right) @assign
(for_statement left: (_) @left right: (_) @right) @for
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @comprehension
(for_in_clause left: (_) @left right: (_) @right) @each
(except_clause . (_) @right) @except
(with_item value: (as_pattern (_) @right alias: (as_pattern_target (_) @left))) @with
(case_pattern (as_pattern (case_pattern) @right (identifier) @left)) @captured
(case_pattern (dotted_name . (identifier) @name .)) @capture
(keyword_pattern (identifier) (dotted_name . (identifier) @name .)) @capture
(lambda parameters: (lambda_parameters) @params) @lambda
(return_statement (_) @value) @return
(yield . (_) @value) @yield
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
  read: (source, matches, facts) => new Reading(source, facts).read(matches),
}

/** Decorators of the language itself. */
const PLAIN_DECORATORS = /^(?:property|classmethod|staticmethod|super)$|\.(?:setter|getter|deleter)$/

/** One walk over the matches of a file. */
class Reading {
  readonly source: Source
  readonly facts: FactsBuilder
  readonly reader: PythonReader
  /** The decorated definition whose decorators are being read. */
  decorated: Match | null = null
  decorators: { path: string; line: number; name: string }[] = []
  decoratorAt = -1
  conditionalUntil = -1
  unreachable = { start: -1, end: -1 }
  typeOnly = { start: -1, end: -1 }
  /** The latest condition with its body. */
  condition: Match | null = null
  comprehensions: Match[] = []
  subjects: { end: number; subject: string; at: number }[] = []
  /** By function: the path that all its returns give; null when they differ. */
  readonly returns = new Map<number, string[]>()

  constructor(source: Source, facts: FactsBuilder) {
    this.source = source
    this.facts = facts
    this.reader = new PythonReader(source, facts)
  }

  read(matches: readonly Match[]): void {
    this.#readHead()
    for (const match of matches) this.#readMatch(match, this.facts.scopeAt(match.start))
    importLazyNames(this.reader)
    const { flow } = this.reader
    const globals = this.#globals()
    flow.drop(globals)
    flow.finish()
    const { facts } = this.facts
    if (globals.size > 0) facts.bindings = facts.bindings.filter((it) => globals.get(it.scope)?.has(it.name) !== true)
    const { text } = this.source
    const versionAt = (scope: number, path: string, offset: number): string => flow.rename(scope, path, offset)
    this.facts.mentions(['self', 'cls'], (offset) => dottedAt(text, offset, isKeyword), undefined, versionAt)
  }

  #readHead(): void {
    const { source, facts } = this
    const { text, path } = source
    facts.facts.tags.push('python')
    if (/(?:^|\/)(?:tests?\/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)/.test(path)) facts.facts.tags.push('test')
    if (/^if\s+__name__\s*==/m.test(text) || path.endsWith('__main__.py')) facts.facts.tags.push('entrypoint')
    const head = /^(?:\s|#[^\n]*\n)*/.exec(text)?.[0].length ?? 0
    const doc = facts.markDoc(head)
    if (doc !== '') facts.facts.excerpt = firstSentence(doc)
  }

  #readMatch(match: Match, scope: number): void {
    const { source, facts, reader } = this
    switch (match.kind) {
      case 'decorated':
        this.decorated = match
        this.decorators = []
        break
      case 'decorator':
        this.#readDecorator(match)
        break
      case 'class':
      case 'fn':
        this.#readDefinition(match)
        break
      case 'alias':
        this.#readAlias(match)
        break
      case 'import':
      case 'from': {
        facts.toldRanges.push(match.start, match.end)
        const typeOnly = isWithin(match.start, this.typeOnly)
        const isConditional = match.start < this.conditionalUntil
        readImport(source.slice(match), { scope, line: match.line, typeOnly, isConditional }, facts)
        break
      }
      case 'future':
        facts.toldRanges.push(match.start, match.end)
        break
      case 'if':
        this.#readCondition(match)
        break
      case 'while':
        reader.flow.loops.push({ start: match.start, end: match.end })
        break
      case 'match': {
        const subject = source.part(match, 'subject')
        if (subject !== undefined)
          this.subjects.push({ end: match.end, subject: source.slice(subject).trim(), at: subject.start })
        break
      }
      case 'case':
        this.#readCase(match, scope)
        break
      case 'try':
        this.conditionalUntil = Math.max(this.conditionalUntil, match.end)
        break
      case 'assign':
        readAssignment(reader, match, scope)
        break
      case 'augmented':
        if (source.partText(match, 'left') === '__all__')
          readPublicNames(source.partText(match, 'right'), match.line, facts)
        break
      case 'except':
        this.#readExcept(match, scope)
        break
      case 'for':
      case 'with':
      case 'each':
      case 'captured':
        this.#readBinder(match, scope)
        break
      case 'comprehension':
        this.comprehensions.push(match)
        break
      case 'capture': {
        const place = { scope, at: match.start, line: match.line, start: match.end }
        bindTargets(reader, source.partText(match, 'name'), '', place)
        break
      }
      case 'lambda':
        this.#readLambda(match, scope)
        break
      case 'return':
      case 'yield':
        this.#readResult(match, scope)
        break
      case 'raise': {
        const value = source.part(match, 'value')
        if (value === undefined) break
        facts.told.add(value.start)
        const path = pathOf(source.slice(value)).replace(/\(\)$/, '')
        reader.refer(scope, 'raises', path, value.start, match.line)
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
      case 'call':
        // the call that a decorator consists of is told by the decorator
        if (match.start !== this.decoratorAt) this.#readCall(match, scope)
        break
    }
  }

  // ---- definitions

  #readDecorator(match: Match): void {
    const { source, facts } = this
    const value = source.part(match, 'value')
    if (value === undefined) return
    facts.told.add(value.start)
    this.decoratorAt = value.start
    const path = expressionPath(source.slice(value), syntax).replace(/\(\)$/, '')
    const name = path.endsWith('fixture') ? (/\bname\s*=\s*["'](\w+)["']/.exec(source.slice(value))?.[1] ?? '') : ''
    if (path !== '') this.decorators.push({ path, line: match.line, name })
  }

  #readDefinition(match: Match): void {
    const start = this.decorated === null ? match.start : this.decorated.start
    const own = this.decorated === null ? [] : this.decorators
    this.decorated = null
    this.decorators = []
    const index =
      match.kind === 'class' ? defineClass(this.reader, match, start) : defineFunction(this.reader, match, start, own)
    for (const { path, line } of own)
      if (!PLAIN_DECORATORS.test(path)) this.facts.reference(index, 'decorates', path, line)
  }

  #readAlias(match: Match): void {
    const { source, facts } = this
    const name = source.part(match, 'name')
    if (name === undefined) return
    const label = /^[\p{L}\p{N}_]+/u.exec(source.slice(name))?.[0] ?? source.slice(name)
    const type = typePath(source.partText(match, 'right'), syntax)
    const index = facts.define(
      { name: label, kind: 'type', excerpt: cut(source.slice(match)), type },
      { start: match.start, end: match.end, nameStart: name.start },
    )
    facts.toldRanges.push(name.start, name.end)
    bindTypeParameters(source.slice(name).slice(label.length), index, match.line, facts)
  }

  // ---- branches

  #readCondition(match: Match): void {
    const { source } = this
    const condition = source.partText(match, 'condition')
    const body = source.part(match, 'body')
    this.conditionalUntil = Math.max(this.conditionalUntil, match.end)
    if (body === undefined) return
    this.condition = match
    this.reader.flow.branches.push({ start: match.start, end: match.end, bodyStart: body.start, bodyEnd: body.end })
    if (condition === 'False' || condition === '0') this.unreachable = body
    else if (/(?:^|\.)TYPE_CHECKING$/.test(condition)) this.typeOnly = body
  }

  /** In the body of `case Shelf():` what is matched is a shelf. */
  #readCase(match: Match, scope: number): void {
    const { source } = this
    while (this.subjects.length > 0 && this.subjects[this.subjects.length - 1].end <= match.start) this.subjects.pop()
    const around = this.subjects[this.subjects.length - 1]
    const body = source.part(match, 'body')
    if (around === undefined || body === undefined || !TARGET.test(around.subject)) return
    const type = patternType(source.partText(match, 'pattern'))
    if (type === '') return
    const meaning = { type, value: '', valueAt: around.at, line: match.line }
    this.reader.flow.within(scope, around.subject, meaning, { start: match.start, end: body.end })
  }

  #readExcept(match: Match, scope: number): void {
    const { source, facts } = this
    const right = source.part(match, 'right')
    if (right === undefined) return
    const [caught, name] = source.slice(right).split(/\s+as\s+(?=[\p{L}_][\p{L}\p{N}_]*$)/u)
    const types = splitTopLevel(caught.trim().replace(/^\(([\s\S]*)\)$/, '$1'), ',', syntax)
      .map((it) => expressionPath(it, syntax))
      .filter((it) => it !== '')
    facts.toldRanges.push(right.start, right.end)
    for (const type of types) facts.reference(scope, 'catches', type, match.line)
    if (name === undefined) return
    const type = types.every((it) => /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(it)) ? types.join(' | ') : ''
    facts.bind({ scope, name, kind: 'local', type, value: '', line: match.line })
    this.reader.flow.within(scope, name, { type, value: '', valueAt: right.start, line: match.line }, match)
  }

  /** Names that a loop, a `with`, a comprehension or a pattern binds. */
  #readBinder(match: Match, scope: number): void {
    const { source, reader } = this
    const left = source.part(match, 'left')
    const right = source.part(match, 'right')
    if (left === undefined || right === undefined) return
    const place = { scope, at: right.start, line: match.line, start: right.end }
    const [target, text] = [source.slice(left), source.slice(right)]
    switch (match.kind) {
      case 'for':
        reader.flow.loops.push({ start: match.start, end: match.end })
        bindElements(reader, target, text, { ...place, start: left.start })
        break
      case 'each': {
        const { comprehensions } = this
        while (comprehensions.length > 0 && comprehensions[comprehensions.length - 1].end <= match.start)
          comprehensions.pop()
        const around = comprehensions[comprehensions.length - 1]
        if (around !== undefined) bindElements(reader, target, text, { ...place, start: around.start, end: around.end })
        break
      }
      case 'with': {
        const path = pathOf(text)
        bindTargets(reader, target, path === '' ? '' : `${path}.@enter`, place)
        break
      }
      default: {
        const type = patternType(text)
        reader.bind({ scope, name: target, kind: 'local', type, value: '', line: match.line }, right.start)
        reader.flow.bind(scope, target, { type, value: '', valueAt: right.start, line: match.line }, right.end)
      }
    }
  }

  #readLambda(match: Match, scope: number): void {
    const { source, reader } = this
    for (const one of splitTopLevel(source.partText(match, 'params'), ',', syntax)) {
      const name = /^[\s*]*([\p{L}_][\p{L}\p{N}_]*)/u.exec(one)?.[1]
      if (name !== undefined)
        reader.flow.within(scope, name, { type: '', value: '', valueAt: match.start, line: match.line }, match)
    }
  }

  // ---- results

  /** What a function without a declared result gives: each of its returns, or what it yields. */
  #readResult(match: Match, scope: number): void {
    const { source, facts, reader } = this
    const value = source.part(match, 'value')
    if (value === undefined || scope < 0) return
    const definition = facts.facts.definitions[scope]
    if (definition.kind !== 'fn' || definition.type !== '') return
    const text = source.slice(value)
    if (match.kind === 'return') {
      const parts = text.includes(',') ? tupleParts(text) : []
      if (parts.length > 1) {
        this.#bindResults(scope, parts, value.start, match.line)
        return
      }
    } else if (/^yield\s+from\b/.test(source.slice(match))) {
      const path = pathOf(text)
      if (path !== '')
        reader.bind(
          { scope, name: 'yield', kind: 'local', type: '', value: `${path}.@each`, line: definition.line },
          value.start,
        )
      return
    }
    const path = valuePath(text)
    if (path === '') return
    const name = match.kind
    const known = this.returns.get(scope) ?? []
    if (known.includes(path) || known.length > MAX_RESULTS) return
    known.push(path)
    this.returns.set(scope, known)
    reader.bind({ scope, name, kind: 'local', type: '', value: path, line: definition.line }, value.start)
  }

  /** A function that returns several values gives each of them by its place. */
  #bindResults(scope: number, parts: readonly string[], at: number, line: number): void {
    parts.forEach((it, i) => {
      const value = valuePath(it)
      this.reader.bind({ scope, name: `return@${i}`, kind: 'local', type: '', value, line }, at)
    })
  }

  // ---- calls

  #readCall(match: Match, scope: number): void {
    const { source, facts, reader } = this
    const callee = source.part(match, 'callee')
    if (callee === undefined) return
    facts.told.add(callee.start)
    const path = pathOf(source.slice(callee))
    if (path === '' || path === 'super') return
    const line = source.lineAt(callee.end)
    const unreachable = isWithin(match.start, this.unreachable)
    reader.refer(scope, 'calls', path, callee.start, line, unreachable ? { unreachable } : {})

    const last = path.slice(path.lastIndexOf('.') + 1)
    // a call ends with its arguments
    const list = source.text.slice(source.text.indexOf('(', callee.end) + 1, match.end - 1)
    switch (last) {
      case 'isinstance':
      case 'issubclass':
        if (path === 'isinstance') this.#narrow(match, scope, list)
        break
      case 'extend':
      case 'append':
        if (scope < 0 && path.startsWith('__all__.')) readPublicNames(list, line, facts)
        break
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
        const module = reader.importedModule(source.slice(match))
        if (module !== '') facts.import({ kind: 'dynamic', module, name: '', alias: '', scope, line })
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

  /** Where `isinstance(x, Shelf)` holds, `x` is a shelf. */
  #narrow(match: Match, scope: number, list: string): void {
    const { source, reader } = this
    const [subject, types] = splitTopLevel(list, ',', syntax).map((it) => it.trim())
    if (types === undefined || !TARGET.test(subject)) return
    const type = testedType(list.slice(list.indexOf(',') + 1).replace(/,\s*$/, ''))
    if (type === '') return
    const meaning = { type, value: '', valueAt: match.start, line: match.line }
    const { flow } = reader
    const condition = this.condition === null ? undefined : source.part(this.condition, 'condition')
    const body = this.condition === null ? undefined : source.part(this.condition, 'body')
    if (this.condition !== null && condition !== undefined && body !== undefined && isWithin(match.start, condition)) {
      const before = source.text.slice(condition.start, match.start).trim()
      const after = source.text.slice(match.end, condition.end).trim()
      if (before === 'not' && after === '') {
        if (!flow.leavesAfter(body)) return
        const { end } = flow.blockAt(this.condition.start, scope)
        flow.within(scope, subject, meaning, { start: this.condition.end, end })
        return
      }
      if (/(?:^|\s)(?:not|or)$/.test(before) || /\bor\b/.test(after)) return
      flow.within(scope, subject, meaning, { start: match.end, end: body.end })
      return
    }
    const lineStart = source.lineStarts[source.lineAt(match.start) - 1]
    const before = source.text.slice(lineStart, match.start)
    if (/^\s*assert\s*$/.test(before)) {
      flow.within(scope, subject, meaning, { start: match.end, end: flow.blockAt(match.start, scope).end })
      return
    }
    if (/\bnot\s*$/.test(before)) return
    const { comprehensions } = this
    while (comprehensions.length > 0 && comprehensions[comprehensions.length - 1].end <= match.start)
      comprehensions.pop()
    const around = comprehensions[comprehensions.length - 1]
    if (around !== undefined && /\bif\s*$/.test(source.text.slice(around.start, match.start)))
      flow.within(scope, subject, meaning, around)
    else if (/^\s*and\b/.test(source.text.slice(match.end, match.end + 8))) {
      const lineEnd = source.text.indexOf('\n', match.end)
      flow.within(scope, subject, meaning, { start: match.end, end: lineEnd < 0 ? source.text.length : lineEnd })
    }
  }

  // ---- scopes

  /** Per function the names that it declares global or nonlocal: they are no names of its own. */
  #globals(): Map<number, Set<string>> {
    const { source, facts } = this
    const globals = new Map<number, Set<string>>()
    for (const match of source.text.matchAll(/^[ \t]*(?:global|nonlocal)[ \t]+([\w, \t]+)/gm)) {
      const line = source.lineAt(match.index)
      let scope = -1
      facts.facts.definitions.forEach((it, index) => {
        if (it.kind === 'fn' && it.line <= line && it.endLine >= line) scope = index
      })
      const names = globals.get(scope) ?? new Set<string>()
      for (const name of match[1].split(',')) names.add(name.trim())
      globals.set(scope, names)
    }
    return globals
  }
}

/** More different results of one function say nothing. */
const MAX_RESULTS = 6

function isWithin(offset: number, { start, end }: { start: number; end: number }): boolean {
  return offset >= start && offset < end
}

/** The class or classes that a pattern asks for, as a type. */
function patternType(pattern: string): string {
  const classes = pattern
    .replace(/\s+as\s+\w+\s*$/, '')
    .split('|')
    .map((it) => /^\s*([\p{L}_][\p{L}\p{N}_.]*)\s*\(/u.exec(it)?.[1] ?? '')
  return classes.includes('') ? '' : classes.join(' | ')
}

/** The parts of a tuple; one when the text is none. */
function tupleParts(text: string): string[] {
  const plain = text.trim()
  const inner =
    /^\([\s\S]*\)$/.test(plain) && argumentsAt(plain, 0).join(',').length >= plain.length - 3
      ? plain.slice(1, -1)
      : plain
  return splitTopLevel(inner, ',', syntax).filter((it) => it.trim() !== '')
}

/** A keyword argument or the target of an assignment. */
function isKeyword(text: string, end: number): boolean {
  return /^[ \t]*(?:=(?!=)|:=)/.test(text.slice(end, end + 12))
}
