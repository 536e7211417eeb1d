/**
 * Languages whose facts can be read from declarations that look alike: types with a list of bases, functions
 * with parameters, typed variables, calls. A dialect says how these are spelled; its query names its matches
 * `class`, `interface`, `struct`, `enum`, `trait`, `mod`, `type`, `fn`, `variant`, `var`, `each`, `caught`,
 * `lambda`, `call`, `new`, `mixin`, `annotation`, `generic`, `typename`, `import`, `package`.
 */

import {
  argumentTypes,
  expressionPath,
  headOf,
  skipAnnotations,
  skipBalanced,
  type Syntax,
  splitTopLevel,
  typePath,
  withoutLeadingComments,
} from '#ingest/expression'
import type { DefinitionKind } from '#ingest/facts'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Source } from '#ingest/source'

export interface Parameter {
  name: string
  /** As written. */
  type: string
  variadic: boolean
  /** A parameter of the constructor that is a field as well. */
  isField: boolean
}

export interface Dialect {
  tag: string
  syntax: Syntax
  /** Paths of test files. */
  tests: RegExp
  /** Names of the current object; `self` and `super` are what they are written as in facts. */
  selfNames: readonly string[]
  /** Words that are no names. */
  keywords: ReadonlySet<string>
  typesWithoutNode: ReadonlySet<string>
  /** Kind of a type by the text in front of its body. */
  kindOf?(header: string, kind: DefinitionKind): DefinitionKind
  /** True for a block that adds members to a type that is defined elsewhere. */
  isExtension?(header: string): boolean
  /** Bases in the text that follows the name of a type. */
  bases(rest: string): string[]
  parameter(text: string): Parameter | null
  /** Result type in the text that follows the parameters, where the query has no `result`. */
  result?(rest: string): string
  /** The type that a function belongs to though it stands outside of it. */
  owner?(header: string, name: string): string
  /** Reads an import statement. */
  import(statement: string, line: number, scope: number, facts: FactsBuilder): void
  /** Spells an expression so that it can be read as a path. */
  plain?(expression: string): string
  /** Calls that only exist at run time. */
  dynamic?: RegExp
  /** Calls that bring in files: the specifier or ''. */
  includes?(path: string, args: string): string
}

const KINDS: Record<string, DefinitionKind> = {
  class: 'class',
  interface: 'interface',
  struct: 'struct',
  enum: 'enum',
  trait: 'trait',
  mod: 'mod',
  type: 'type',
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u
/** Calls whose lambda gets an element of what they are called on. */
const ELEMENT_CALL =
  /([\w.$]+)\s*\??\.\s*(?:forEach|each|map|filter|find|first|any|all|none|flatMap|Select|Where|Any|All|First|FirstOrDefault|ForEach|foreach|exists|forall|let|also|apply|run|compactMap|sortedBy|groupBy)\s*[({]?\s*$/

export function readDeclared(dialect: Dialect, source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  const { syntax } = dialect
  const plainOf = (expression: string) => dialect.plain?.(expression) ?? expression
  const pathOf = (expression: string) => expressionPath(plainOf(expression), syntax)
  const typeOf = (type: string) => typePath(plainOf(type), syntax)
  const nameOf = (type: string) => headOf(typeOf(type))
  const extensions: { end: number; owner: string; definition: number; bases: string[]; line: number }[] = []
  facts.facts.tags.push(dialect.tag)
  if (dialect.tests.test(source.path)) facts.facts.tags.push('test')

  const define = (
    match: Match,
    definition: Parameters<FactsBuilder['define']>[0],
    nameStart: number,
    headerEnd: number,
    isScope = true,
  ): number => {
    const comment = facts.commentAbove(match.start)
    const start = skipAnnotations(text, match.start, syntax)
    const signature = text.slice(start, Math.min(headerEnd, start + 400))
    const sentence = comment === '' ? '' : firstSentence(comment.replace(/<\/?\w+[^>]*>/g, ' '))
    return facts.define(
      {
        exported: !/\b(?:private|fileprivate)\b/.test(signature),
        ...definition,
        excerpt: sentence === '' ? cut(signature) : sentence,
      },
      { start: match.start, end: match.end, nameStart, isScope },
    )
  }
  /** Binds parameters in `scope`; those that are fields as well are fields of `holder`. */
  const bindParameters = (list: string, scope: number, holder: number, line: number): Parameter[] => {
    const parameters: Parameter[] = []
    for (const part of splitTopLevel(list, ',', syntax)) {
      const plain = withoutLeadingComments(part, syntax).trim()
      const one = plain === '' ? null : dialect.parameter(plain)
      if (one === null) continue
      parameters.push(one)
      const type = one.type === '' ? '' : typeOf(one.type)
      const isField = one.isField && holder >= 0
      // in the scope of a type, a parameter is one of the type itself
      if (!isField || holder !== scope)
        facts.bind({
          scope,
          name: one.name,
          kind: holder === scope ? 'local' : 'parameter',
          type: one.variadic && type !== '' ? `Array<${type}>` : type,
          value: '',
          line,
        })
      if (isField) facts.bind({ scope: holder, name: one.name, kind: 'field', type, value: '', line })
    }
    return parameters
  }

  for (const match of matches) {
    const scope = facts.scopeAt(match.start)
    const name = source.part(match, 'name')
    const bodyStart = source.part(match, 'body')?.start ?? match.end
    switch (match.kind) {
      case 'package':
        if (source.part(match, 'body') === undefined)
          facts.facts.package = source.partText(match, 'name').replace(/\s/g, '').replace(/\\|::/g, '.')
        else if (name !== undefined)
          define(
            match,
            { name: source.slice(name).replace(/\s/g, '').replace(/\\|::/g, '.'), kind: 'mod' },
            name.start,
            bodyStart,
          )
        if (name !== undefined) facts.toldRanges.push(name.start, name.end)
        break

      case 'import':
        facts.toldRanges.push(match.start, match.end)
        dialect.import(source.slice(match), match.line, scope, facts)
        break

      case 'class':
      case 'interface':
      case 'struct':
      case 'enum':
      case 'trait':
      case 'mod':
      case 'type': {
        if (name === undefined) break
        const header = text.slice(match.start, bodyStart)
        if (dialect.isExtension?.(header)) {
          const owner = nameOf(source.slice(name))
          const definition = facts.typeNamed(owner.slice(owner.lastIndexOf('.') + 1))
          const bases = dialect.bases(text.slice(name.end, bodyStart)).map(typeOf)
          if (definition >= 0) for (const base of bases) facts.inherit(definition, base, match.line)
          extensions.push({ end: match.end, owner, definition, bases: definition >= 0 ? [] : bases, line: match.line })
          break
        }
        const kind = dialect.kindOf?.(header, KINDS[match.kind]) ?? KINDS[match.kind]
        const label = nameOf(source.slice(name)) || source.slice(name)
        const rest = text.slice(name.end, bodyStart)
        const isAlias = kind === 'type'
        const tags = modifiers(text.slice(match.start, name.start))
        if (kind === 'interface' || kind === 'trait') tags.push('interface')
        const index = define(
          match,
          {
            name: label.slice(label.lastIndexOf('.') + 1),
            kind,
            tags,
            type: isAlias ? typeOf(rest.replace(/^[^=]*=/, '')) : '',
          },
          name.start,
          bodyStart,
          !isAlias,
        )
        if (isAlias) break
        const open =
          /^\s*(?:<[^()]*>|\[[^()]*\])?\s*(?:(?:private|protected|internal|public|@\w+)\s+)*(?:constructor\s*)?\(/.exec(
            rest,
          )
        let after = rest
        if (open !== null) {
          const from = open[0].length - 1
          const end = skipBalanced(rest, from, syntax)
          const list = rest.slice(from + 1, end - 1)
          bindParameters(list, index, index, match.line)
          after = rest.slice(end)
        }
        for (const base of dialect.bases(after)) {
          const path = typeOf(base.replace(/\([\s\S]*$/, ''))
          if (!dialect.typesWithoutNode.has(headOf(path))) facts.inherit(index, path, match.line)
        }
        break
      }

      case 'mixin': {
        const owner = facts.classOf(scope)
        for (const one of source.partText(match, 'name').split(',')) {
          facts.inherit(owner, typeOf(one), match.line)
        }
        break
      }

      case 'variant':
        if (name !== undefined && scope >= 0) {
          define(
            match,
            { name: source.slice(name), kind: 'variant', tags: ['variant'] },
            name.start,
            match.end,
            source.part(match, 'body') !== undefined,
          )
          facts.bind({
            scope,
            name: source.slice(name),
            kind: 'field',
            type: facts.facts.definitions[scope].name,
            value: '',
            line: match.line,
          })
        }
        break

      case 'fn': {
        const label =
          name === undefined
            ? /^(?:[\w@\s]*\s)?(init|deinit|constructor)\b/.exec(text.slice(match.start, match.start + 200))?.[1]
            : source.slice(name)
        if (label === undefined) break
        const header = text.slice(match.start, bodyStart)
        const nameEnd = name?.end ?? match.start + header.indexOf(label) + label.length
        const rest = text.slice(nameEnd, bodyStart)
        const generic = /^\s*(?:<[^()]*>|\[[^()]*\])/.exec(rest)?.[0] ?? ''
        const open = rest.indexOf('(', generic.length)
        const end = open < 0 ? generic.length : skipBalanced(rest, open, syntax)
        const list = open < 0 ? '' : rest.slice(open + 1, end - 1)
        const resultText =
          source.part(match, 'result') === undefined
            ? (dialect.result?.(rest.slice(end)) ?? '')
            : source.partText(match, 'result').replace(/^\s*:\s*/, '')
        while (extensions.length > 0 && extensions[extensions.length - 1].end <= match.start) extensions.pop()
        const extension = extensions.at(-1)
        const extended =
          extension !== undefined && (scope < 0 || facts.ends[scope] >= extension.end) ? extension : undefined
        const owner = extended?.owner ?? dialect.owner?.(header, label) ?? ''
        const inType = scope >= 0 && !['fn', 'mod', 'const'].includes(facts.facts.definitions[scope].kind)
        const tags = modifiers(text.slice(match.start, name?.start ?? match.start))
        if (inType || owner !== '') tags.push('method')
        if (
          /@(?:\w+\.)*Test\b|\[(?:Test|Fact|Theory|TestMethod)\b/.test(header) ||
          (/^test/.test(label) && dialect.tests.test(source.path))
        )
          tags.push('test')
        if (label === 'main' || label === 'Main') {
          tags.push('entrypoint')
          facts.facts.tags.push('entrypoint')
        }
        const result = resultText === '' ? '' : typeOf(resultText)
        const index = define(
          match,
          {
            name: label,
            kind: 'fn',
            tags,
            type: dialect.typesWithoutNode.has(result) && /^(?:void|Unit|Void)$/.test(result) ? '' : result,
            ...(owner === '' ? {} : { owner }),
            ...(extended !== undefined && extended.definition >= 0 ? { parent: extended.definition } : {}),
          },
          name?.start ?? match.start,
          bodyStart,
        )
        const parameters = bindParameters(
          list,
          index,
          inType && /^(?:init|constructor|__construct)$/.test(label) ? scope : -1,
          match.line,
        )
        const definition = facts.facts.definitions[index]
        definition.arity = parameters.some((it) => it.variadic) ? -1 : parameters.length
        definition.parameters = parameters.map((it) => (it.type === '' ? '' : typeOf(it.type)))
        break
      }

      case 'generic':
        if (name !== undefined) {
          facts.told.add(name.start)
          if (scope >= 0) facts.bindType(scope, source.slice(name), '', match.line)
        }
        break

      case 'var': {
        if (name === undefined) break
        const label = plainOf(source.slice(name)).trim()
        const typeText = source.partText(match, 'type').replace(/^\s*:\s*/, '')
        const type = typeText === 'var' || typeText === '' ? '' : typeOf(typeText)
        const value = type === '' ? valueOf(source.partText(match, 'value'), pathOf) : ''
        const inType = scope >= 0 && !['fn', 'mod', 'const', 'variant'].includes(facts.facts.definitions[scope].kind)
        facts.told.add(name.start)
        const own = /^(?:this|self)\.([\p{L}_]\w*)$/u.exec(pathOf(label))
        if (own !== null) {
          const owner = facts.classOf(scope)
          if (owner >= 0)
            facts.bind({ scope: owner, name: own[1], kind: 'field', type, value, valueScope: scope, line: match.line })
          break
        }
        if (!NAME.test(label)) {
          for (const part of label.replace(/^[([]|[)\]]$/g, '').split(',')) {
            const one = part.trim().replace(/^(?:let|var|val)\s+/, '')
            if (NAME.test(one)) facts.bind({ scope, name: one, kind: 'local', type: '', value: '', line: match.line })
          }
          break
        }
        if (scope < 0 || facts.facts.definitions[scope].kind === 'mod') {
          define(
            match,
            { name: label, kind: 'const', type, tags: modifiers(text.slice(match.start, name.start)) },
            name.start,
            match.end,
            false,
          )
        }
        facts.bind({ scope, name: label, kind: inType ? 'field' : 'local', type, value, line: match.line })
        break
      }

      case 'each': {
        const value = pathOf(source.partText(match, 'value'))
        const type = source.partText(match, 'type')
        for (const part of source
          .partText(match, 'name')
          .replace(/^[([]|[)\]]$/g, '')
          .split(',')) {
          const label = plainOf(part).trim()
          const typed = type === '' || type === 'var' ? '' : typeOf(type)
          if (NAME.test(label))
            facts.bind({
              scope,
              name: label,
              kind: 'local',
              type: typed,
              value: typed === '' && value !== '' ? `${value}[]` : '',
              line: match.line,
            })
        }
        break
      }

      case 'caught': {
        const type = source.partText(match, 'type')
        if (name !== undefined)
          facts.bind({
            scope,
            name: plainOf(source.slice(name)).trim(),
            kind: 'local',
            type: typeOf(type),
            value: '',
            line: match.line,
          })
        for (const one of type.split('|')) facts.reference(scope, 'catches', nameOf(one), match.line)
        break
      }

      case 'lambda': {
        const called = ELEMENT_CALL.exec(text.slice(Math.max(0, match.start - 120), match.start))
        const receiver = called === null ? '' : pathOf(called[1])
        const list = source.partText(match, 'params').replace(/^[(|]|[)|]$/g, '')
        splitTopLevel(list, ',', syntax).forEach((part, i) => {
          const one = dialect.parameter(part.trim())
          const label = one?.name ?? plainOf(part).trim()
          if (NAME.test(label))
            facts.bind({
              scope,
              name: label,
              kind: 'parameter',
              type: one === null || one.type === '' ? '' : typeOf(one.type),
              value: i === 0 && receiver !== '' ? `${receiver}[]` : '',
              line: match.line,
            })
        })
        break
      }

      case 'new':
      case 'call': {
        const callee = source.part(match, match.kind === 'new' ? 'type' : 'callee')
        if (callee === undefined) break
        const args = source.part(match, 'args')
        const last = source.part(match, 'name')
        const calleeText = text.slice(callee.start, last?.end ?? callee.end)
        facts.told.add(callee.start)
        const path = match.kind === 'new' ? nameOf(calleeText) : pathOf(calleeText)
        if (path === '' || path === 'super') break
        for (const it of calleeText.split('<')[0].matchAll(/[\p{L}_]\w*/gu)) facts.told.add(callee.start + it.index)
        const argsText = args === undefined ? '' : source.slice(args)
        const inner = argsText.startsWith('(') ? argsText.slice(1, skipBalanced(argsText, 0, syntax) - 1) : ''
        const line = source.lineAt((last?.end ?? callee.end) - 1)
        const included = dialect.includes?.(path, inner) ?? ''
        if (included !== '') {
          facts.import({ kind: 'include', module: included, name: '', alias: '', scope, line })
          break
        }
        if (dialect.dynamic?.test(path)) facts.dynamic(line, source.slice(match))
        const list = splitTopLevel(inner, ',', syntax).filter((it) => it.trim() !== '')
        facts.reference(
          scope,
          'calls',
          path,
          line,
          args === undefined
            ? {}
            : {
                args: list.length + (/^\([\s\S]*\)\s*\{/.test(argsText) || argsText.startsWith('{') ? 1 : 0),
                ...(list.length === 0 ? {} : { argTypes: argumentTypes(list.map(plainOf), syntax) }),
              },
        )
        break
      }

      case 'annotation':
        if (name === undefined) break
        facts.told.add(name.start)
        facts.reference(scope, 'decorates', nameOf(source.slice(name)), match.line)
        break

      case 'typename': {
        if (facts.told.has(match.start)) break
        facts.told.add(match.start)
        const before =
          /(?:[\p{L}_]\w*\s*(?:\.|::|\\)\s*)+$/u.exec(text.slice(Math.max(0, match.start - 120), match.start))?.[0] ??
          ''
        const path = nameOf(before + source.slice(match))
        if (path !== '' && !dialect.typesWithoutNode.has(path)) facts.reference(scope, 'references', path, match.line)
        break
      }
    }
  }
  facts.mentions(dialect.selfNames, (offset) => dottedAt(text, offset, isKey), dialect.keywords)
}

/** An argument label, a name being declared or assigned. */
function isKey(text: string, end: number): boolean {
  return (
    /^\s*(?:=(?![=>])|:(?!:))/.test(text.slice(end, end + 20)) &&
    !/\?[^?:;]*$|\bcase\b[^:]*$/.test(text.slice(Math.max(0, end - 120), end))
  )
}

function modifiers(head: string): string[] {
  return [
    'public',
    'private',
    'protected',
    'internal',
    'static',
    'abstract',
    'final',
    'async',
    'suspend',
    'override',
    'open',
    'sealed',
    'inline',
  ].filter((it) => new RegExp(`\\b${it}\\b`).test(head))
}

/** The path of a value; a cast says the type: `x as Foo`, `(Foo) x`. */
function valueOf(text: string, pathOf: (expression: string) => string): string {
  const path = pathOf(text)
  if (path !== '') return path
  const choice = /^([\s\S]+?)\s*(?:\?:|\?\?)\s*([\s\S]+)$/.exec(text)
  return choice === null ? '' : pathOf(choice[1])
}
