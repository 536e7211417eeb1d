/** Ruby. Instance variables are written `self.x`, `Foo.new` is `Foo()`. */

import { expressionPath, type Syntax, splitTopLevel } from '#ingest/expression'
import { type Dialect, readDeclared } from '#ingest/languages/declared'
import type { Match } from '#ingest/parse'
import type { FactsBuilder, Language, Source } from '#ingest/source'

const syntax: Syntax = { lineComment: '#', generics: '<', transparent: new Set(), markedNames: true }

const QUERY = `
(module name: (_) @name body: (_)? @body) @mod
(class name: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @fn
(singleton_method name: (_) @name body: (_)? @body) @fn
(assignment left: (_) @name right: (_) @value) @var
(method body: (body_statement (_) @value .)) @last
(singleton_method body: (body_statement (_) @value .)) @last
(return (argument_list . (_) @value .)) @return
(super) @super
(operator_assignment left: (_) @name right: (_) @value) @var
(call receiver: (_) @callee method: (_) @name arguments: (_)? @args) @call
(call !receiver method: (_) @callee arguments: (_)? @args) @call
(block_parameters) @blockparams
(rescue exceptions: (exceptions (_) @type) variable: (exception_variable (_) @name)?) @caught
(for pattern: (_) @name value: (in (_) @value)) @each
(body_statement (identifier) @callee) @bare
(then (identifier) @callee) @bare
(block_body (identifier) @callee) @bare
(program (identifier) @callee) @bare
(string_array) @string
(symbol_array) @string
(comment) @comment
(string) @string
(heredoc_body) @string
(regex) @string
(simple_symbol) @string
(ERROR) @error
`

const dialect: Dialect = {
  tag: 'ruby',
  syntax,
  tests: /(?:^|\/)(?:tests?|spec)\/|_(?:test|spec)\.rb$/,
  selfNames: ['self'],
  keywords: new Set(
    'BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield private public protected __FILE__ __LINE__ __dir__ __method__'.split(
      ' ',
    ),
  ),
  typesWithoutNode: new Set(['Object', 'BasicObject', 'Kernel']),
  bases(rest) {
    const base = /^\s*<\s*([\w:]+)/.exec(rest)?.[1]
    return base === undefined ? [] : [base]
  },
  parameter(text) {
    const found = /^(\*{0,2}|&)([\p{Ll}_][\p{L}\p{N}_]*)(?::.*|\s*=.*)?$/su.exec(text.trim())
    return found === null
      ? null
      : { name: found[2], type: '', variadic: found[1].startsWith('*') || found[1] === '&', isField: false }
  },
  import() {},
  constants: /^[A-Z]/,
  typeValue: /^(?:Struct|Class|Module)\.new\b|^Data\.define\b/,
  plain: plainRuby,
  dynamic:
    /(?:^|\.)(?:send|public_send|const_get|instance_variable_get|define_method|class_eval|instance_eval|eval|method_missing)$/,
}

const REQUIRES = new Set(['require', 'require_relative', 'load', 'autoload', 'require_dependency'])
const MIXINS = new Set(['include', 'extend', 'prepend'])
const FIELDS = new Set(['attr_reader', 'attr_writer', 'attr_accessor'])
/** A name that no constant has. */
const LOWER = /^[\p{Ll}_][\p{L}\p{N}_]*[?!]?$/u
const WORDS = new Set([
  'private',
  'public',
  'protected',
  'module_function',
  'puts',
  'raise',
  'lambda',
  'proc',
  'loop',
  'p',
  'print',
  'block_given?',
  'freeze',
  'nil?',
  'new',
])

export const ruby: Language = {
  name: 'ruby',
  extensions: ['rb', 'rake', 'gemspec', 'ru', 'podspec'],
  fileNames: ['Rakefile', 'Gemfile', 'Guardfile', 'Vagrantfile', 'Podfile', 'Fastfile', 'Capfile'],
  interpreters: ['ruby'],
  grammar: 'ruby',
  query: QUERY,
  syntax,
  read,
}

/** `@x.find` → `self.x.find`, `Foo.new` → `Foo()`, `@` of variables dropped. */
function plainRuby(expression: string): string {
  return expression
    .replace(/(^|[^\w:)\]])::(?=[A-Z])/g, '$1Object::')
    .replace(/@@?([\p{Ll}_][\p{L}\p{N}_]*)/gu, 'self.$1')
    .replace(/\.new\b(?!\()/g, '()')
    .replace(/\.new\(/g, '(')
}

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const rest: Match[] = []
  const calls: Match[] = []
  const results: Match[] = []
  for (const match of matches) {
    if (match.kind === 'blockparams') {
      rest.push({
        ...match,
        kind: 'lambda',
        parts: [{ name: 'params', start: match.start, end: match.end, line: match.line }],
      })
      continue
    }
    if (match.kind === 'last' || match.kind === 'return' || match.kind === 'super') {
      results.push(match)
      continue
    }
    if (match.kind !== 'call' && match.kind !== 'bare') {
      rest.push(match)
      continue
    }
    const callee = source.part(match, 'callee')
    // a statement of one name
    if (match.kind === 'bare') {
      if (callee !== undefined && !WORDS.has(source.slice(callee)))
        rest.push({ ...match, kind: 'call', start: callee.start, end: callee.end, line: callee.line })
      continue
    }
    const word = callee === undefined || source.part(match, 'name') !== undefined ? '' : source.slice(callee)
    if (REQUIRES.has(word)) {
      const specifier = /(['"])([^'"#]+)\1\s*\)?\s*$/.exec(source.partText(match, 'args'))?.[2]
      if (specifier === undefined) facts.dynamic(match.line, source.slice(match))
      else
        facts.import({
          kind: 'include',
          module: word === 'require_relative' && !specifier.startsWith('.') ? `./${specifier}` : specifier,
          name: '',
          alias: '',
          scope: -1,
          line: match.line,
        })
    } else if (MIXINS.has(word)) {
      const args = source.part(match, 'args')
      if (args !== undefined) rest.push({ ...match, kind: 'mixin', parts: [{ ...args, name: 'name' }] })
    } else if (FIELDS.has(word)) calls.push(match)
    else if (!WORDS.has(word)) rest.push(match)
  }
  readDeclared(
    dialect,
    source,
    rest.sort((a, b) => a.start - b.start || b.end - a.end),
    facts,
  )

  for (const match of calls) {
    const owner = innermostType(facts, match.line)
    if (owner < 0) continue
    for (const part of splitTopLevel(source.partText(match, 'args').replace(/^\(|\)$/g, ''), ',', syntax)) {
      const name = /:([\p{Ll}_][\p{L}\p{N}_]*)/u.exec(part)?.[1]
      if (name !== undefined) facts.bind({ scope: owner, name, kind: 'field', type: '', value: '', line: match.line })
    }
  }
  for (const match of results) {
    const value = source.part(match, 'value')
    const scope = methodAround(facts, value?.start ?? match.start)
    if (scope < 0) continue
    if (value === undefined) facts.reference(scope, 'calls', `super.${facts.facts.definitions[scope].name}`, match.line)
    else {
      const path = expressionPath(plainRuby(source.slice(value).replace(/^new\b(?!\s*[(=:])/, 'new()')), syntax)
      if (path !== '') facts.bind({ scope, name: 'return', kind: 'local', type: '', value: path, line: match.line })
    }
  }
  for (const it of facts.facts.references) {
    if (it.relation !== 'calls') continue
    it.path = it.path.replace(/\.new$/, '').replace(/\(\)$/, '')
  }
  // a name alone is a call unless it is bound
  const bound = new Set(facts.facts.bindings.map((it) => `${it.scope} ${it.name}`))
  const told = new Set<string>()
  facts.facts.references = facts.facts.references.filter((it) => {
    if (!LOWER.test(it.path) || it.args !== undefined) return true
    if (bound.has(`${it.from} ${it.path}`)) return it.relation !== 'calls'
    const id = `${it.from} ${it.path} ${it.line}`
    if (told.has(id)) return false
    told.add(id)
    it.relation = 'calls'
    return true
  })
}

function innermostType(facts: FactsBuilder, line: number): number {
  let found = -1
  facts.facts.definitions.forEach((it, i) => {
    if ((it.kind === 'class' || it.kind === 'mod') && it.line <= line && it.endLine >= line) found = i
  })
  return found
}

/** The innermost method around an offset; -1 when there is none. */
function methodAround({ starts, ends, facts }: FactsBuilder, offset: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle] <= offset) low = middle + 1
    else high = middle
  }
  let at = low - 1
  while (at >= 0 && (ends[at] <= offset || facts.definitions[at].kind !== 'fn')) at = facts.definitions[at].parent
  return at
}
