/**
 * Languages whose facts can be read from declarations that look alike: types with a list of bases, functions
 * with parameters, typed variables, calls. A dialect says how these are spelled; its query names its matches
 * `class`, `interface`, `struct`, `enum`, `trait`, `mod`, `type`, `anonymous`, `extends`, `fn`, `variant`, `var`,
 * `capture`, `each`, `caught`, `lambda`, `call`, `new`, `runtime`, `mixin`, `annotation`, `generic`, `typename`,
 * `import`, `package`.
 */

import { argumentTypes, FUNCTION_ARGUMENT, literalType } from '#ingest/arguments'
import {
  expressionPath,
  headOf,
  skipAnnotations,
  skipBalanced,
  type Syntax,
  splitTopLevel,
  typeNames,
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
  /** True for a type whose parameters are its fields. */
  isRecord?(header: string): boolean
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
  /** Spells an expression or type so that it can be read as a path. */
  plain?(expression: string): string
  /** The same for expressions alone. */
  expression?(expression: string): string
  /** Names of the values at the top of a file that are constants; all when absent. */
  constants?: RegExp
  /** Values that make a type of the name that they are bound to. */
  typeValue?: RegExp
  /** Annotations of the language itself. */
  plainAnnotations?: ReadonlySet<string>
  /** True when what stands at `at` is no use of the name there. */
  isLabel?(text: string, end: number): boolean
  /** In front of variables, whose uses name nothing. */
  sigil?: string
  /** Calls that only exist at run time. */
  dynamic?: RegExp
  /** Calls that bring in files: the specifier or ''. */
  includes?(path: string, args: string): string
  /** What a lambda behind a call of that name is handed: the receiver as `this` or `it`, or elements of it. */
  handed?(name: string): 'this' | 'it' | 'each' | undefined
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

/** Operators that are written like calls. */
const NO_CALL = /^(?:typeof|nameof|sizeof|default|checked)$/
/** The name of an argument. */
const LABEL = /^\s*[\p{L}_][\p{L}\p{N}_]*\s*(?::(?!:)|=(?![=>]))\s*/u
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u
/** Calls whose lambda gets an element of what they are called on. */
const ELEMENT_CALL =
  /([\w.$]+)\s*\??\.\s*(?:forEach|each|map|filter|find|first|any|all|none|flatMap|Select|Where|Any|All|First|FirstOrDefault|ForEach|foreach|exists|forall|let|also|apply|run|compactMap|sortedBy|groupBy)\s*[({]?\s*$/

/** A lambda that is handed something without naming it. */
interface Block {
  start: number
  end: number
  name: 'this' | 'it'
  value: string
  line: number
}

interface Extension {
  end: number
  owner: string
  /** The type that it extends, where that is of this file. */
  definition: number
  bases: string[]
  line: number
  /** Name of the extended value, where it has one. */
  self?: string
}

export function readDeclared(dialect: Dialect, source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  const { syntax } = dialect
  const plainOf = (expression: string) => dialect.plain?.(expression) ?? expression
  const expressionOf = (expression: string) =>
    plainOf(withoutLiteral(dialect.expression?.(expression) ?? expression, syntax))
  const pathOf = (expression: string) => expressionPath(expressionOf(expression), syntax)
  const typeOf = (type: string) => typePath(plainOf(type), syntax)
  // where there are no type arguments, `<` stands in front of a base
  const brackets = syntax.markedNames === true ? '' : syntax.generics === '[' ? '[]' : '<>'
  let anonymous = 0
  const nameOf = (type: string) => headOf(typeOf(type))
  const extensions: Extension[] = []
  const blocks: Block[] = []
  /** What the lambda of such a scope is handed. */
  const handed = new Map<number, string>()
  const extensionAt = (offset: number, scope: number): Extension | undefined => {
    while (extensions.length > 0 && extensions[extensions.length - 1].end <= offset) extensions.pop()
    const last = extensions.at(-1)
    return last !== undefined && (scope < 0 || facts.ends[scope] >= last.end) ? last : undefined
  }
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
    let start = skipAnnotations(text, match.start, syntax)
    // attributes in square brackets
    for (
      let open = /^#?\[/.exec(text.slice(start, start + 2));
      open !== null;
      open = /^#?\[/.exec(text.slice(start, start + 2))
    ) {
      start = skipBalanced(text, start + open[0].length - 1, syntax)
      start += /^\s*/.exec(text.slice(start, start + 200))?.[0].length ?? 0
    }
    const written = text.slice(start, Math.min(headerEnd, start + 400))
    const signature = (syntax.lineComment === '#' ? written.split('\n')[0] : written).replace(/\s*[=;]\s*$/, '')
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
  const bindParameters = (
    list: string,
    scope: number,
    holder: number,
    line: number,
    areFields = false,
  ): Parameter[] => {
    const parameters: Parameter[] = []
    for (const part of splitTopLevel(list, ',', syntax)) {
      const plain = withoutComments(withoutLeadingComments(part, syntax)).trim()
      const one = plain === '' ? null : dialect.parameter(plain)
      if (one === null) continue
      parameters.push(one)
      const type = one.type === '' ? '' : typeOf(one.type)
      const isField = (one.isField || areFields) && holder >= 0
      // in the scope of a type, a parameter is one of the type itself
      if (!isField || holder !== scope)
        facts.bind({
          scope,
          name: one.name,
          kind: holder === scope ? 'local' : 'parameter',
          type: one.variadic && type !== '' && !type.startsWith('Array<') ? `Array<${type}>` : type,
          value: '',
          line,
        })
      if (isField) facts.bind({ scope: holder, name: one.name, kind: 'field', type, value: '', line })
    }
    return parameters
  }

  for (const match of matches) {
    while (blocks.length > 0 && blocks[blocks.length - 1].start <= match.start) {
      const block = blocks.pop()
      if (block === undefined || block.end <= match.start) continue
      const index = facts.define({ name: '$', kind: 'fn', tags: ['anonymous'] }, { ...block, nameStart: block.start })
      facts.bind({ scope: index, name: block.name, kind: 'parameter', type: '', value: block.value, line: block.line })
      if (block.name === 'it') handed.set(index, block.value)
    }
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
          facts.tellHeads({ start: name.start, end: bodyStart }, brackets)
          const owner = nameOf(source.slice(name))
          const definition = facts.typeNamed(owner.slice(owner.lastIndexOf('.') + 1))
          const bases = dialect.bases(text.slice(name.end, bodyStart)).map(typeOf)
          if (definition >= 0) for (const base of bases) facts.inherit(definition, base, match.line)
          extensions.push({ end: match.end, owner, definition, bases: definition >= 0 ? [] : bases, line: match.line })
          break
        }
        const kind = dialect.kindOf?.(header, KINDS[match.kind]) ?? KINDS[match.kind]
        const label = nameOf(source.slice(name)) || source.slice(name)
        const dot = label.lastIndexOf('.')
        const rest = text.slice(name.end, bodyStart)
        const isAlias = kind === 'type'
        const tags = modifiers(text.slice(match.start, name.start))
        if (kind === 'interface' || kind === 'trait') tags.push('interface')
        const index = define(
          match,
          {
            name: kind === 'mod' ? label : label.slice(dot + 1),
            kind,
            tags,
            ...(dot < 0 || kind === 'mod' ? {} : { owner: label.slice(0, dot) }),
            type: isAlias ? typeOf(rest.replace(/^[^=]*=/, '')) : '',
          },
          name.start,
          bodyStart,
          !isAlias,
        )
        if (isAlias) break
        const open =
          /^\s*(?:<[^()]*>|\[[^()]*\])?\s*(?:(?:private|protected|internal|public|actual|expect|@\w+(?:\([^()]*\))?)\s+)*(?:constructor\s*)?\(/.exec(
            rest,
          )
        let after = rest
        if (open !== null) {
          const from = open[0].length - 1
          const end = skipBalanced(rest, from, syntax)
          bindParameters(rest.slice(from + 1, end - 1), index, index, match.line, dialect.isRecord?.(header))
          after = rest.slice(end)
        }
        const constraints = after.search(/\bwhere\b/)
        const heads = name.end + rest.length - after.length
        facts.tellHeads({ start: heads, end: constraints < 0 ? bodyStart : heads + constraints }, brackets)
        for (const base of dialect.bases(after)) {
          const path = typeOf(base.replace(/\([\s\S]*$/, ''))
          if (!dialect.typesWithoutNode.has(headOf(path))) facts.inherit(index, path, match.line)
        }
        break
      }

      case 'mixin': {
        const owner = ownerOf(facts, scope)
        if (name !== undefined) facts.toldRanges.push(name.start, name.end)
        for (const one of source.partText(match, 'name').split(',')) {
          facts.inherit(owner, typeOf(one), match.line)
        }
        break
      }

      case 'anonymous': {
        const body = source.part(match, 'body')
        if (body === undefined) break
        anonymous++
        const bases = dialect.bases(
          text.slice(match.start, body.start).replace(/^(?:new\s+class|object|new)\b\s*(?:\([^()]*\))?/, ''),
        )
        facts.tellHeads({ start: match.start, end: body.start }, brackets)
        const index = define(
          match,
          { name: `$${anonymous}`, kind: 'class', tags: ['anonymous'] },
          match.start,
          body.start,
        )
        for (const base of bases) facts.inherit(index, typeOf(base.replace(/\([\s\S]*$/, '')), match.line)
        break
      }

      case 'extends': {
        const list = source.partText(match, 'params')
        const one = dialect.parameter(splitTopLevel(list.slice(1, -1), ',', syntax)[0]?.trim() ?? '')
        if (one === null) break
        const owner = nameOf(one.type)
        extensions.push({
          end: match.end,
          owner,
          definition: facts.typeNamed(owner),
          bases: [],
          line: match.line,
          self: one.name,
        })
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
        const extended = extensionAt(match.start, scope)
        const owner = extended?.owner ?? dialect.owner?.(header, label) ?? ''
        const inType = scope >= 0 && !['fn', 'mod', 'const'].includes(facts.facts.definitions[scope].kind)
        const tags = modifiers(text.slice(match.start, name?.start ?? match.start))
        if (inType || owner !== '') tags.push('method')
        if (
          /@(?:\w+\.)*Test\b|\[(?:Test|Fact|Theory|TestMethod)\b/.test(header) ||
          (label.startsWith('test') && dialect.tests.test(source.path))
        )
          tags.push('test')
        if (name !== undefined) facts.tellHeads({ start: match.start, end: name.start })
        if (label === 'main' || label === 'Main') {
          tags.push('entrypoint')
          facts.facts.tags.push('entrypoint')
        }
        const result = resultText === '' || label === 'constructor' ? '' : typeOf(resultText)
        const index = define(
          match,
          {
            name: label.replace(/^`|`$/g, ''),
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
        if (dialect.tag === 'csharp' && /^\s*(?:\[[^\]]*\]\s*)?this\s/.test(list)) definition.tags.push('extension')
        definition.arity = parameters.some((it) => it.variadic) ? -1 : parameters.length
        if (parameters.some((it) => it.type !== ''))
          definition.parameters = parameters.map((it) => (it.type === '' ? '' : typeOf(it.type)))
        // further lists of parameters
        let further = rest.slice(end)
        while (open >= 0 && /^\s*\(/.test(further)) {
          const at = further.indexOf('(')
          const until = skipBalanced(further, at, syntax)
          bindParameters(
            further.slice(at + 1, until - 1).replace(/^\s*(?:implicit|using)\s+/, ''),
            index,
            -1,
            match.line,
          )
          further = further.slice(until)
        }
        if (extended?.self !== undefined)
          facts.bind({
            scope: index,
            name: extended.self,
            kind: 'parameter',
            type: extended.owner,
            value: '',
            line: match.line,
          })
        // bases named by an extension of a type of another file
        if (extended !== undefined && extended.bases.length > 0) {
          for (const base of extended.bases) facts.inherit(index, base, extended.line)
          extended.bases = []
        }
        break
      }

      case 'generic':
        if (name !== undefined) {
          facts.told.add(name.start)
          if (scope >= 0) {
            const label = source.slice(name)
            const header = text.slice(match.start, Math.min(facts.ends[scope], match.start + 400)).split('{')[0]
            const bound =
              /^[^:<]*(?::|<:)\s*([\s\S]+)$/.exec(source.slice(match))?.[1] ??
              new RegExp(`\\bwhere\\s+${label}\\s*:\\s*([\\p{L}_][\\p{L}\\p{N}_.<>]*)`, 'u').exec(header)?.[1] ??
              ''
            facts.bindType(
              scope,
              label,
              /^(?:class|struct|notnull|unmanaged)$/.test(bound) ? '' : typeOf(bound),
              match.line,
            )
          }
        }
        break

      case 'var': {
        if (name === undefined) break
        const label = plainOf(source.slice(name))
          .trim()
          .replace(/^(?:let|var)\s+/, '')
        const typeText = source.partText(match, 'type').replace(/^\s*:\s*/, '')
        const written = typeText === 'var' || typeText === '' ? '' : typeOf(typeText)
        const type = written === '' ? literalType(source.partText(match, 'value').trim()) : written
        const value = type === '' ? valueOf(source.partText(match, 'value'), pathOf) : ''
        const extended = extensionAt(match.start, scope)
        const inType =
          extended !== undefined ||
          (scope >= 0 && !['fn', 'mod', 'const', 'variant'].includes(facts.facts.definitions[scope].kind))
        facts.told.add(name.start)
        if (dialect.typeValue?.test(source.partText(match, 'value')) && NAME.test(label)) {
          define(match, { name: label, kind: 'class' }, name.start, match.end)
          break
        }
        const own = /^(?:this|self)\.([\p{L}_][\p{L}\p{N}_]*)$/u.exec(pathOf(label))
        if (own !== null) {
          const owner = ownerOf(facts, scope)
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
        if (extended !== undefined) {
          if (extended.definition >= 0)
            facts.bind({ scope: extended.definition, name: label, kind: 'field', type, value, line: match.line })
          break
        }
        const isConstant = dialect.constants?.test(source.slice(name)) !== false
        if (isConstant && (scope < 0 || facts.facts.definitions[scope].kind === 'mod')) {
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
        const names = source
          .partText(match, 'name')
          .replace(/^[([]|[)\]]$/g, '')
          .split(',')
        for (const part of names) {
          const label = plainOf(part).trim()
          const typed = type === '' || type === 'var' ? '' : typeOf(type)
          if (NAME.test(label))
            facts.bind({
              scope,
              name: label,
              kind: 'local',
              type: typed,
              // of a pair the second one is the element
              value: typed === '' && value !== '' && part === names[names.length - 1] ? `${value}[]` : '',
              line: match.line,
            })
        }
        break
      }

      case 'capture': {
        const label = plainOf(source.partText(match, 'name')).trim()
        if (name !== undefined) facts.told.add(name.start)
        if (/^[\p{Ll}_]/u.test(label) && NAME.test(label))
          facts.bind({ scope, name: label, kind: 'local', type: '', value: '', line: match.line })
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
        for (const part of match.parts) if (part.name === 'type') facts.tellHeads(part, brackets)
        for (const one of type.split('|')) facts.reference(scope, 'catches', nameOf(one), match.line)
        break
      }

      case 'lambda': {
        const called = ELEMENT_CALL.exec(text.slice(Math.max(0, match.start - 120), match.start))
        const receiver = called === null ? '' : pathOf(called[1])
        const value = handed.get(scope) ?? (receiver === '' ? '' : `${receiver}[]`)
        const list = source.partText(match, 'params').replace(/^[(|]|[)|]$/g, '')
        splitTopLevel(list, ',', syntax).forEach((part, i) => {
          const one = dialect.parameter(part.trim())
          const label = one?.name ?? plainOf(part).trim()
          if (NAME.test(label))
            facts.bind({
              scope,
              name: label,
              // its value is read where the lambda stands, which is inside of the function
              kind: handed.has(scope) ? 'parameter' : 'local',
              type: one === null || one.type === '' ? '' : typeOf(one.type),
              value: i === 0 ? value : '',
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
        const path = match.kind === 'new' ? nameOf(calleeText) : pathOf(calleeText)
        if (path === '' || path === 'super') break
        facts.told.add(callee.start)
        for (const it of calleeText.split('<')[0].matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu))
          facts.told.add(callee.start + it.index)
        const argsText = args === undefined ? '' : source.slice(args)
        // a subscript, an operator of types, a block handed to a call that is told itself
        if (argsText.startsWith('[') || NO_CALL.test(path) || (path.endsWith('()') && argsText.startsWith('{'))) break
        const inner = argsText.startsWith('(')
          ? argsText.slice(1, skipBalanced(argsText, 0, syntax) - 1)
          : argsText.startsWith('{')
            ? ''
            : argsText
        const line = source.lineAt((last?.end ?? callee.end) - 1)
        const included = dialect.includes?.(path, inner) ?? ''
        if (included !== '') {
          facts.import({ kind: 'include', module: included, name: '', alias: '', scope, line })
          break
        }
        if (dialect.dynamic?.test(path)) facts.dynamic(line, source.slice(match))
        const list = splitTopLevel(inner, ',', syntax).filter((it) => it.trim() !== '')
        const argTypes = argumentTypes(
          list.map((it) => expressionOf(it.replace(LABEL, ''))),
          syntax,
        )
        const brace = argsText.startsWith('{') ? 0 : argsText.startsWith('(') ? braceBehind(argsText, syntax) : -1
        if (brace >= 0) argTypes.push(FUNCTION_ARGUMENT)
        facts.reference(
          scope,
          'calls',
          path,
          line,
          args === undefined ? {} : { args: argTypes.length, ...(argTypes.length === 0 ? {} : { argTypes }) },
        )
        const gives =
          args === undefined || brace < 0 ? undefined : dialect.handed?.(path.slice(path.lastIndexOf('.') + 1))
        if (args !== undefined && gives !== undefined) {
          const receiver = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : pathOf(list[0] ?? '')
          if (receiver !== '')
            blocks.push({
              start: args.start + brace,
              end: args.end,
              name: gives === 'this' ? 'this' : 'it',
              value: gives === 'each' ? `${receiver}[]` : receiver,
              line,
            })
          blocks.sort((a, b) => b.start - a.start)
        }
        break
      }

      case 'runtime':
        facts.dynamic(match.line, source.slice(match))
        break

      case 'annotation':
        if (name === undefined) break
        facts.told.add(name.start)
        if (dialect.plainAnnotations?.has(source.slice(name)) === true) break
        facts.reference(scope, 'decorates', nameOf(source.slice(name)), match.line)
        break

      case 'typename': {
        if (facts.told.has(match.start)) break
        for (const it of source.slice(match).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
          facts.told.add(match.start + it.index)
        const before =
          /(?:[\p{L}_][\p{L}\p{N}_]*\s*(?:\.|::|\\)\s*)+$/u.exec(
            text.slice(Math.max(0, match.start - 120), match.start),
          )?.[0] ?? ''
        for (const path of typeNames(plainOf(before + source.slice(match)), dialect.typesWithoutNode, syntax))
          facts.reference(scope, 'references', path, match.line)
        break
      }
    }
  }
  const isOther = (whole: string, end: number) => isKey(whole, end) || dialect.isLabel?.(whole, end) === true
  facts.mentions(
    dialect.selfNames,
    (offset) => (text[offset] === dialect.sigil ? '' : dottedAt(text, offset, isOther)),
    dialect.keywords,
  )
}

/** An argument label, a name being declared or assigned. */
function isKey(text: string, end: number): boolean {
  return (
    /^\s*(?:=(?![=>])|:(?!:))/.test(text.slice(end, end + 20)) &&
    !/\s\?\s[^?:;]*$|\bcase\b[^:(]*$/.test(text.slice(Math.max(0, end - 120), end))
  )
}

/** The type or module whose members stand in `scope`. */
function ownerOf(facts: FactsBuilder, scope: number): number {
  const type = facts.classOf(scope)
  if (type >= 0) return type
  for (let at = scope; at >= 0; at = facts.facts.definitions[at].parent)
    if (facts.facts.definitions[at].kind === 'mod') return at
  return -1
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
    'expect',
    'actual',
    'partial',
  ].filter((it) => new RegExp(`\\b${it}\\b`).test(head))
}

/** The path of a value; a cast says the type: `x as Foo`, `(Foo) x`. */
function valueOf(text: string, pathOf: (expression: string) => string): string {
  const path = pathOf(text)
  if (path !== '' || text.length > 2000) return path
  const choice = /^([\s\S]+?)\s*(?:\?:|\?\?)\s*([\s\S]+)$/.exec(text)
  return choice === null ? '' : pathOf(choice[1])
}

/** Where the lambda behind the arguments of a call opens; -1 when there is none. */
function braceBehind(args: string, syntax: Syntax): number {
  const end = skipBalanced(args, 0, syntax)
  const gap = /^\s*/.exec(args.slice(end, end + 200))?.[0].length ?? 0
  return args[end + gap] === '{' ? end + gap : -1
}

/** A parameter without the line comments that stand between its parts. */
function withoutComments(text: string): string {
  return text.includes('//') ? text.replace(/(^|\s)\/\/[^\n]*/g, '$1') : text
}

const LITERAL = /^\s*"(?:[^"\\\n]|\\.)*"(?=\s*\??\.\s*[\p{L}_])/u

/** A literal whose member is named, written as a value of the type `String`. */
function withoutLiteral(expression: string, syntax: Syntax): string {
  return syntax.lineComment === '#' ? expression : expression.replace(LITERAL, 'String()')
}
