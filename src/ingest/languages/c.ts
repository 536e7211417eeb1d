/** C and C++. Headers are read as C++ when they hold what only C++ has. */

import { argumentTypes } from '#ingest/arguments'
import { expressionPath, headOf, splitTopLevel, typePath } from '#ingest/expression'
import { isTest, readDeclarator, readParameters, syntax, testOf } from '#ingest/languages/c-declarators'
import { isWithin, prepare, withPrepared } from '#ingest/languages/c-prepare'
import { castPath, valuePath } from '#ingest/languages/c-values'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const C_QUERY = `
(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @struct
(enum_specifier name: (_) @name body: (_) @body) @enum
(enumerator name: (identifier) @name) @enumerator
(type_definition type: (_) @type declarator: (_) @declarator) @typedef
(function_definition type: (_)? @type declarator: (_) @declarator) @fn
(declaration type: (_) @type declarator: (_) @declarator value: (_)? @value) @declaration
(field_declaration type: (_) @type declarator: (_) @declarator) @field
(assignment_expression left: (identifier) @left right: (_) @right) @assign
(call_expression function: (_) @callee arguments: (argument_list) @args) @call
(type_identifier) @typename
(comment) @comment
(string_literal) @string
(char_literal) @string
(ERROR) @error
`

const CPP_QUERY = `
(namespace_definition name: (_) @name) @namespace
(class_specifier name: (_) @name body: (_) @body) @class
(base_class_clause) @bases
(template_parameter_list) @generics
(using_declaration) @using
(alias_declaration name: (type_identifier) @name type: (_) @type) @alias
(namespace_definition !name body: (_) @body) @unnamed
(namespace_alias_definition name: (_) @name . (_) @value) @rename
(concept_definition name: (identifier) @name) @concept
(declaration !type declarator: (_) @declarator) @declaration
(field_declaration !type declarator: (_) @declarator) @field
(new_expression type: (_) @type) @new
(for_range_loop type: (_) @type declarator: (_) @declarator right: (_) @right) @for
(lambda_expression declarator: (abstract_function_declarator parameters: (parameter_list) @params)) @lambda
(raw_string_literal) @string
`

export const c: Language = {
  name: 'c',
  extensions: ['c', 'h'],
  grammar: 'c',
  query: C_QUERY,
  syntax,
  prepare: (text) => prepare(text, false).code,
  refine: (path, text) =>
    path.endsWith('.h') &&
    /^\s*(?:class\s+\w|namespace\b|template\s*<|using\s|(?:public|private|protected)\s*:)|\bstd::|\boperator\s*[=<>+\-*/[(]/m.test(
      text,
    )
      ? 'cpp'
      : 'c',
  read,
}

export const cpp: Language = {
  name: 'cpp',
  extensions: ['cpp', 'cxx', 'cc', 'c++', 'hpp', 'hxx', 'hh', 'h++', 'ipp', 'inl', 'tpp', 'cu', 'cuh', 'ixx', 'cppm'],
  grammar: 'cpp',
  query: C_QUERY + CPP_QUERY,
  syntax,
  prepare: (text) => prepare(text, true).code,
  read,
}

const PLAIN_TYPES = new Set(
  'void int char short long float double bool signed unsigned size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t wchar_t auto FILE va_list off_t time_t'.split(
    ' ',
  ),
)
const KEYWORDS = new Set(
  'alignas alignof concept final override requires and asm auto bool break case catch char class const consteval constexpr constinit continue co_await co_return co_yield decltype default defined delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not NULL nullptr operator or private protected public register requires restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile while std include define undef ifdef ifndef elif endif pragma error line'.split(
    ' ',
  ),
)
const CASTS =
  /^(?:static_cast|dynamic_cast|reinterpret_cast|const_cast|std\.move|std\.forward|sizeof|alignof|decltype|defined|typeid)$/

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  const generics: { names: string[]; start: number; end: number; outer: number }[] = []
  /** Values with a declared type, by scope, so that no argument of a construction is taken for a type. */
  const values = new Set<string>()
  const isC = facts.facts.language === 'c'
  const pathOf = (expression: string) =>
    isC ? expressionPath(expression, syntax).replaceAll('[]', '') : castPath(expression)
  let hiddenUntil = -1
  const prepared = prepare(text, !isC)
  const { dead } = prepared
  facts.facts.tags.push(facts.facts.language)
  if (/(?:^|\/)(?:tests?|unittests?)\/|(?:_test|_unittest|Test|Tests|^test_[^/]*)\.(?:c|cc|cpp|cxx)$/.test(source.path))
    facts.facts.tags.push('test')
  if (/\.(?:h|hh|hpp|hxx)$/.test(source.path)) facts.facts.tags.push('header')

  const define = (
    match: Match,
    definition: Parameters<FactsBuilder['define']>[0],
    nameStart: number,
    isScope = true,
  ): number => {
    const template = generics.at(-1)
    const own = template !== undefined && /^\s*$/.test(text.slice(template.end, match.start)) ? template : undefined
    const start = own?.outer ?? match.start
    const comment = facts.commentAbove(start)
    const signature = text.slice(match.start, Math.min(match.end, match.start + 400)).split(/[{;]/)[0]
    const index = facts.define(
      {
        exported: match.start >= hiddenUntil,
        ...definition,
        excerpt: comment === '' ? cut(signature) : firstSentence(comment),
      },
      { start, end: match.end, nameStart, isScope },
    )
    if (own !== undefined) {
      for (const name of own.names) facts.bindType(index, name, '', match.line)
      generics.pop()
    }
    return index
  }

  for (const match of withPrepared(matches, prepared, source)) {
    const scope = facts.scopeAt(match.start)
    const name = source.part(match, 'name')
    switch (match.kind) {
      case 'include': {
        facts.toldRanges.push(match.start, match.end)
        if (isWithin(dead, match.start)) break
        const path = source.partText(match, 'path')
        // what stands in angle brackets is looked for on the search path only
        facts.import({
          kind: 'include',
          module: path.startsWith('<') ? path : path.replace(/^"|"$/g, ''),
          name: '',
          alias: '',
          scope: -1,
          line: match.line,
        })
        break
      }

      case 'define':
        if (name === undefined || source.partText(match, 'value').trim() === '') break
        define(match, { name: source.slice(name), kind: 'const', tags: ['macro'] }, name.start, false)
        break

      case 'macro': {
        if (name === undefined) break
        const index = define(
          match,
          {
            name: source.slice(name),
            kind: 'fn',
            tags: ['macro'],
            arity: source.partText(match, 'params').split(',').length,
          },
          name.start,
        )
        const parameters = new Set(
          source
            .partText(match, 'params')
            .replace(/[()]/g, '')
            .split(',')
            .map((it) => it.trim().replace(/\.\.\.$/, '')),
        )
        for (const one of parameters)
          facts.bind({ scope: index, name: one, kind: 'parameter', type: '', value: '', line: match.line })
        const value = source.part(match, 'value')
        if (value === undefined) break
        callsWithin(value, index, parameters, source, facts)
        break
      }

      case 'dropped':
        facts.toldRanges.push(match.start, match.end)
        break

      case 'use':
      case 'loop': {
        const callee = source.part(match, 'callee')
        const args = source.part(match, 'args')
        if (callee === undefined || args === undefined) break
        facts.told.add(callee.start)
        facts.reference(scope, 'calls', source.slice(callee), match.line, {
          args: splitTopLevel(text.slice(args.start + 1, args.end - 1), ',', syntax).length,
        })
        if (match.kind === 'use') callsWithin(args, scope, NO_NAMES, source, facts)
        break
      }

      case 'namespace': {
        if (name === undefined) break
        const label = source.slice(name).replace(/::/g, '.')
        define(match, { name: label, kind: 'mod' }, name.start)
        break
      }

      case 'struct':
      case 'class':
      case 'enum': {
        if (name === undefined) break
        const label =
          headOf(typePath(source.slice(name), syntax))
            .split('.')
            .at(-1) ?? ''
        if (label !== '') define(match, { name: label, kind: match.kind }, name.start)
        break
      }

      case 'enumerator':
        if (name !== undefined && scope >= 0)
          define(match, { name: source.slice(name), kind: 'variant', tags: ['variant'] }, name.start, false)
        break

      case 'bases':
        if (scope < 0) break
        facts.tellHeads(match)
        for (const one of splitTopLevel(source.slice(match).replace(/^\s*:/, ''), ',', syntax)) {
          const base = typePath(one.replace(/\b(?:public|private|protected|virtual)\b/g, ' '), syntax)
          facts.inherit(scope, base, match.line)
        }
        break

      case 'unnamed':
        hiddenUntil = Math.max(hiddenUntil, match.end)
        break

      case 'rename':
        facts.toldRanges.push(match.start, match.end)
        facts.bind({
          scope,
          name: source.partText(match, 'name'),
          kind: 'local',
          type: '',
          value: expressionPath(source.partText(match, 'value'), syntax),
          line: match.line,
        })
        break

      case 'concept':
        if (name !== undefined) define(match, { name: source.slice(name), kind: 'type' }, name.start)
        break

      case 'generics': {
        for (const it of source.slice(match).matchAll(/\b(?:typename|class)(?:\s*\.\.\.)?\s+([A-Za-z_]\w*)/g))
          facts.told.add(match.start + it.index + it[0].length - it[1].length)
        const names = splitTopLevel(source.slice(match).slice(1, -1), ',', syntax).map(
          (it) => /([A-Za-z_]\w*)\s*(?:=[\s\S]*)?$/.exec(it.trim())?.[1] ?? '',
        )
        const outer = text.lastIndexOf('template', match.start)
        generics.push({
          names: names.filter((it) => it !== ''),
          start: match.start,
          end: match.end,
          outer: outer < 0 ? match.start : outer,
        })
        break
      }

      case 'using': {
        facts.toldRanges.push(match.start, match.end)
        const found = /^using\s+(namespace\s+|enum\s+)?([\w:\s]+?)\s*;/.exec(source.slice(match))
        if (found === null) break
        const path = found[2].replace(/\s/g, '').replace(/^::/, '').replace(/::/g, '.')
        if (found[1]?.startsWith('namespace'))
          facts.import({ kind: 'import', module: path, name: '*', alias: '', scope, line: match.line })
        else {
          const dot = path.lastIndexOf('.')
          facts.import({
            kind: 'import',
            module: path.slice(0, Math.max(0, dot)),
            name: path.slice(dot + 1),
            alias: path.slice(dot + 1),
            scope,
            line: match.line,
          })
        }
        break
      }

      case 'alias':
        if (name !== undefined)
          define(
            match,
            { name: source.slice(name), kind: 'type', type: typePath(source.partText(match, 'type'), syntax) },
            name.start,
            false,
          )
        break

      case 'typedef': {
        const declarator = source.part(match, 'declarator')
        if (declarator === undefined) break
        const label = readDeclarator(source.slice(declarator), declarator.start)
        if (label === null || label.name === '') break
        // names of parameters in it mean nothing
        facts.toldRanges.push(declarator.start, declarator.end)
        const typeText = source.partText(match, 'type')
        const body = /^(struct|union|enum)\s*(\w*)\s*\{/.exec(typeText)
        const type = body === null ? typePath(typeText, syntax) : body[2]
        const isOwn = body !== null && body[2] === label.name
        if (!isOwn) {
          const kind = body === null || body[2] !== '' ? 'type' : body[1] === 'enum' ? 'enum' : 'struct'
          define(
            match,
            { name: label.name, kind, type: label.params === '' ? type : '' },
            label.nameStart,
            kind !== 'type',
          )
        }
        break
      }

      case 'fn':
        defineFunction(source, match, scope, define, facts, values, [])
        break

      case 'declaration':
      case 'field': {
        const declarator = source.part(match, 'declarator')
        if (declarator === undefined) break
        const found = readDeclarator(source.slice(declarator), declarator.start)
        if (found === null) break
        if (found.isPointerToFunction) facts.toldRanges.push(declarator.start, declarator.end)
        const inFunction = scope >= 0 && facts.facts.definitions[scope].kind === 'fn'
        const typeText = source.partText(match, 'type')
        if (found.params !== '' && !found.isPointerToFunction && !inFunction) {
          // a prototype; the body, if there is one, stands elsewhere
          if (/^\s*typedef\b/.test(source.slice(match))) break
          defineFunction(source, { ...match, end: declarator.end }, scope, define, facts, values, ['declaration'])
          break
        }
        facts.told.add(found.nameStart)
        const plain = /^(?:const\s+)?auto\b/.test(typeText) ? '' : typePath(typeText, syntax)
        const isArray = !isC && plain !== '' && /^[^=(]*\[/.test(source.slice(declarator))
        const type = isArray ? `Array<${plain}>` : plain
        const initial =
          source.partText(match, 'value') || (/^[^=]*=(?!=)([\s\S]*)$/.exec(source.slice(declarator))?.[1] ?? '')
        const kind = match.kind === 'field' ? 'field' : 'local'
        const isGlobal = scope < 0 || facts.facts.definitions[scope].kind === 'mod'
        if (isGlobal && kind === 'local' && !/^\s*extern\b/.test(source.slice(match)) && /^[\w]+$/.test(found.name)) {
          define(
            match,
            {
              name: found.name,
              kind: 'const',
              type,
              tags: /\bstatic\b/.test(text.slice(match.start, declarator.start)) ? ['static'] : [],
            },
            found.nameStart,
            false,
          )
        }
        facts.bind({
          scope,
          name: found.name,
          kind,
          type,
          value: type === '' ? valuePath(initial, pathOf) : '',
          line: match.line,
        })
        values.add(`${scope} ${found.name}`)
        // `Cart cart(repo);` and `Cart cart{repo};` construct
        if (
          inFunction &&
          type !== '' &&
          !/[*&]/.test(source.slice(declarator).split(/[({=]/)[0]) &&
          /^[\w]+\s*[({]/.test(source.slice(declarator)) &&
          facts.facts.language === 'cpp'
        ) {
          const path = headOf(type)
          if (!PLAIN_TYPES.has(path)) facts.reference(scope, 'calls', path, match.line)
        }
        break
      }

      case 'assign': {
        const left = source.part(match, 'left')
        if (left !== undefined) facts.told.add(left.start)
        break
      }

      case 'for': {
        const declarator = source.part(match, 'declarator')
        if (declarator === undefined) break
        const typeText = source.partText(match, 'type')
        const type = /auto/.test(typeText) ? '' : typePath(typeText, syntax)
        const value = pathOf(source.partText(match, 'right'))
        const label = /([A-Za-z_]\w*)\s*$/.exec(source.slice(declarator))?.[1] ?? ''
        facts.bind({
          scope,
          name: label,
          kind: 'local',
          type,
          value: type === '' && value !== '' ? `${value}[]` : '',
          line: match.line,
        })
        break
      }

      case 'lambda':
        for (const it of readParameters(source.partText(match, 'params')))
          facts.bind({ scope, name: it.name, kind: 'parameter', type: it.type, value: '', line: match.line })
        break

      case 'new': {
        const type = headOf(typePath(source.partText(match, 'type'), syntax))
        if (type !== '' && !PLAIN_TYPES.has(type)) facts.reference(scope, 'calls', type, match.line)
        tellHead(source, match, 'type', facts)
        break
      }

      case 'call': {
        const callee = source.part(match, 'callee')
        const args = source.part(match, 'args')
        if (callee === undefined || args === undefined) break
        facts.told.add(callee.start)
        tellHead(source, match, 'callee', facts)
        const made = /^(?:std::)?make_(?:unique|shared)\s*<([\s\S]+)>$/.exec(source.slice(callee))
        const path = made === null ? pathOf(source.slice(callee)) : headOf(typePath(made[1], syntax))
        if (path === '' || CASTS.test(path) || PLAIN_TYPES.has(path)) break
        const list = splitTopLevel(text.slice(args.start + 1, args.end - 1), ',', syntax).filter(
          (it) => it.trim() !== '',
        )
        facts.reference(scope, 'calls', path, source.lineAt(callee.end - 1), {
          args: list.length,
          ...(list.length === 0 || facts.facts.language === 'c' ? {} : { argTypes: argumentTypes(list, syntax) }),
          ...(isWithin(dead, match.start) ? { unreachable: true } : {}),
        })
        if (path === 'dlsym' || path === 'GetProcAddress') facts.dynamic(match.line, source.slice(match))
        break
      }

      case 'typename': {
        if (facts.told.has(match.start)) break
        facts.told.add(match.start)
        const before =
          /(?:[A-Za-z_]\w*\s*::\s*)+$/.exec(text.slice(Math.max(0, match.start - 120), match.start))?.[0] ?? ''
        const path = (before + source.slice(match)).replace(/\s/g, '').replace(/::/g, '.')
        if (!isC && values.has(`${scope} ${path}`)) break
        if (!PLAIN_TYPES.has(path) && !path.startsWith('std.')) facts.reference(scope, 'references', path, match.line)
        break
      }
    }
  }
  facts.mentions(['this'], (offset) => dottedAt(text, offset, isKey), KEYWORDS)
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** Calls in text that the grammar does not read: the value of a macro, arguments of one. */
function callsWithin(
  span: { start: number; end: number },
  from: number,
  parameters: ReadonlySet<string>,
  source: Source,
  facts: FactsBuilder,
): void {
  for (const found of source.slice(span).matchAll(/(?<![\w.>:])([A-Za-z_]\w*)\s*\(/g)) {
    const at = span.start + found.index
    facts.told.add(at)
    if (!KEYWORDS.has(found[1]) && !parameters.has(found[1]) && !PLAIN_TYPES.has(found[1]))
      facts.reference(from, 'calls', found[1], source.lineAt(at))
  }
}

function isKey(text: string, end: number): boolean {
  return (
    /^\s*(?:=(?!=)|:(?!:))/.test(text.slice(end, end + 20)) &&
    !/\?[^?:;]*$|\bcase\b[^:]*$/.test(text.slice(Math.max(0, end - 120), end))
  )
}

function defineFunction(
  source: Source,
  match: Match,
  scope: number,
  define: (match: Match, definition: Parameters<FactsBuilder['define']>[0], nameStart: number) => number,
  facts: FactsBuilder,
  values: Set<string>,
  tags: string[],
): void {
  const declarator = source.part(match, 'declarator')
  if (declarator === undefined) return
  const found = readDeclarator(source.slice(declarator), declarator.start)
  if (found === null || found.params === '') return
  facts.tellHeads({ start: declarator.start, end: declarator.end - (isTest(found.name) ? 0 : found.params.length) })
  const test = scope < 0 || facts.facts.definitions[scope].kind === 'mod' ? testOf(found.name, found.params) : null
  const dot = found.name.lastIndexOf('.')
  const label = test?.name ?? found.name.slice(dot + 1)
  const path = test?.fixture ?? (dot < 0 ? '' : found.name.slice(0, dot))
  const owner = path.slice(path.lastIndexOf('.') + 1)
  const inClass = scope >= 0 && ['class', 'struct'].includes(facts.facts.definitions[scope].kind)
  const parent = owner === '' ? -1 : facts.typeNamed(owner)
  const head = source.text.slice(match.start, declarator.start)
  const all = test === null ? [...tags] : [...tags, 'test']
  if (inClass || parent >= 0) all.push('method')
  if (/\bstatic\b/.test(head)) all.push('static')
  if (/^\s*=\s*0\s*;/.test(source.text.slice(declarator.end, declarator.end + 20))) all.push('abstract')
  if (label === 'main' && scope < 0) {
    all.push('entrypoint')
    facts.facts.tags.push('entrypoint')
  }
  const type = typePath(source.partText(match, 'type'), syntax)
  const parameters = test === null ? readParameters(found.params) : []
  const isStaticHere = /\bstatic\b/.test(head) && !inClass
  const index = define(
    match,
    {
      name: label,
      kind: 'fn',
      tags: all,
      type: type === 'void' || type === 'auto' ? '' : type,
      arity: parameters.some((it) => it.variadic) ? -1 : parameters.length,
      parameters: parameters.map((it) => it.type),
      ...(isStaticHere ? { exported: false } : {}),
      ...(owner === '' ? {} : { owner: path }),
      ...(parent >= 0 ? { parent } : {}),
    },
    found.nameStart,
  )
  for (const it of parameters) {
    facts.bind({ scope: index, name: it.name, kind: 'parameter', type: it.type, value: '', line: match.line })
    values.add(`${index} ${it.name}`)
  }
}

/** Marks the names of a path in front of template arguments as told. */
function tellHead(source: Source, match: Match, part: string, facts: FactsBuilder): void {
  const span = source.part(match, part)
  if (span === undefined || span.end - span.start > 300) return
  for (const it of source
    .slice(span)
    .split('<')[0]
    .matchAll(/[A-Za-z_]\w*/g))
    facts.told.add(span.start + it.index)
}
