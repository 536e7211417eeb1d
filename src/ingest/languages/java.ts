/** Java. */

import { argumentTypes, literalType } from '#ingest/arguments'
import {
  expressionPath,
  headOf,
  skipAnnotations,
  type Syntax,
  splitTopLevel,
  typePath,
  withoutLeadingComments,
} from '#ingest/expression'
import type { DefinitionKind } from '#ingest/facts'
import type { Match } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const syntax: Syntax = { lineComment: '//', generics: '<', transparent: new Set(), methodReferences: true }

const QUERY = `
(package_declaration (_) @name) @package
(module_declaration) @module
(import_declaration) @import
(class_declaration name: (identifier) @name type_parameters: (_)? @generics superclass: (_)? @base interfaces: (_)? @interfaces) @class
(interface_declaration name: (identifier) @name type_parameters: (_)? @generics (extends_interfaces)? @interfaces) @interface
(enum_declaration name: (identifier) @name interfaces: (_)? @interfaces) @enum
(record_declaration name: (identifier) @name type_parameters: (_)? @generics parameters: (formal_parameters) @params interfaces: (_)? @interfaces) @record
(annotation_type_declaration name: (identifier) @name) @annotationtype
(enum_constant name: (identifier) @name arguments: (_)? @args) @constant
(method_declaration type_parameters: (_)? @generics type: (_) @result name: (identifier) @name parameters: (formal_parameters) @params) @method
(constructor_declaration type_parameters: (_)? @generics name: (identifier) @name parameters: (formal_parameters) @params) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor
(annotation_type_element_declaration type: (_) @result name: (identifier) @name) @element
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @field
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @field
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @local
(enhanced_for_statement type: (_) @type name: (identifier) @name value: (_) @value) @for
(resource type: (_) @type name: (identifier) @name value: (_) @value) @local
(catch_formal_parameter (catch_type) @type name: (identifier) @name) @catch
(instanceof_expression right: (_) @type name: (identifier) @name) @local
(type_pattern (_) @type (identifier) @name) @local
(lambda_expression parameters: (_) @params) @lambda
(assignment_expression left: (_) @left right: (_) @right) @assign
(method_invocation name: (identifier) @name arguments: (argument_list) @args) @call
(object_creation_expression type: (_) @type arguments: (argument_list) @args (class_body) @body) @anonymous
(object_creation_expression type: (_) @type arguments: (argument_list) @args) @new
(explicit_constructor_invocation constructor: (super) arguments: (argument_list) @args) @super
(method_reference) @methodref
(marker_annotation name: (_) @name) @annotation
(annotation name: (_) @name) @annotation
(type_parameters) @generics
(type_identifier) @typename
(scoped_type_identifier) @typename
(if_statement condition: (parenthesized_expression (false)) consequence: (_) @body) @never
(line_comment) @comment
(block_comment) @comment
(string_literal) @string
(character_literal) @string
(ERROR) @error
`

export const java: Language = { name: 'java', extensions: ['java'], grammar: 'java', query: QUERY, syntax, read }

/** Annotations of the language itself. */
const PLAIN_ANNOTATIONS = new Set(['Override', 'Deprecated', 'SuppressWarnings', 'FunctionalInterface', 'SafeVarargs'])
const TYPES_WITHOUT_NODE = new Set('var int long short byte char float double boolean void String Object'.split(' '))

const KEYWORDS = new Set(
  'abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for goto if implements import instanceof int interface long native new package private protected public return short static strictfp super switch synchronized this throw throws transient try void volatile while true false null var record sealed permits yield when'.split(
    ' ',
  ),
)

/** Calls whose lambda gets an element of what they are called on. */
const ELEMENT_CALL =
  /([\w.]+(?:\(\))?)\s*\.\s*(?:forEach|map|filter|anyMatch|allMatch|noneMatch|flatMap|peek|removeIf|mapToInt|mapToLong|mapToDouble|ifPresent|takeWhile|dropWhile)\s*\(\s*$/

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  const { text } = source
  let anonymous = 0
  let neverUntil = -1
  const components = new Map<number, Parameter[]>()
  /** Per class: the class that it extends. */
  const superclasses = new Map<number, string>()
  facts.facts.tags.push('java')
  if (/(?:^|\/)src\/test\/|(?:^|\/)tests?\/|Tests?\.java$|TestCase\.java$/.test(source.path))
    facts.facts.tags.push('test')

  const call = (scope: number, path: string, offset: number, args: string, start: number) => {
    const list = splitTopLevel(args.slice(1, -1), ',', syntax).filter((it) => it.trim() !== '')
    facts.reference(scope, 'calls', path, source.lineAt(offset), {
      args: list.length,
      ...(list.length === 0 ? {} : { argTypes: argumentTypes(list, syntax) }),
      ...(start < neverUntil ? { unreachable: true } : {}),
    })
  }

  for (const match of matches) {
    const scope = facts.scopeAt(match.start)
    const name = source.part(match, 'name')
    switch (match.kind) {
      case 'package':
        facts.facts.package = source.partText(match, 'name').replace(/\s/g, '')
        facts.toldRanges.push(match.start, match.end)
        break

      case 'module':
        facts.toldRanges.push(match.start, match.end)
        for (const [, names] of source
          .slice(match)
          .matchAll(/\b(?:uses|provides|with)\s+([\w.\s,]+?)(?=\s*;|\s+with\b)/g))
          for (const one of names.split(',')) facts.reference(scope, 'references', one.trim(), match.line)
        break

      case 'import': {
        facts.toldRanges.push(match.start, match.end)
        const found = /^import\s+(static\s+)?([\w.\s$]+?)(\s*\.\s*\*)?\s*;/.exec(source.slice(match))
        if (found === null) break
        const path = found[2].replace(/\s/g, '')
        const cutAt = path.lastIndexOf('.')
        if (found[3] !== undefined)
          facts.import({ kind: 'import', module: path, name: '*', alias: '', scope: -1, line: match.line })
        else
          facts.import({
            kind: 'import',
            module: path.slice(0, Math.max(0, cutAt)),
            name: path.slice(cutAt + 1),
            alias: path.slice(cutAt + 1),
            scope: -1,
            line: match.line,
          })
        break
      }

      case 'class':
      case 'interface':
      case 'enum':
      case 'record':
      case 'annotationtype': {
        if (name === undefined) break
        const kind: DefinitionKind =
          match.kind === 'record'
            ? 'struct'
            : match.kind === 'annotationtype'
              ? 'interface'
              : match.kind === 'class' || match.kind === 'interface'
                ? match.kind
                : 'enum'
        const tags = modifiers(text.slice(match.start, name.start))
        if (kind === 'interface') tags.push('interface')
        if (match.kind === 'annotationtype') tags.push('annotation')
        const index = define(source, facts, match, { name: source.slice(name), kind, tags }, name.start)
        const base = source.partText(match, 'base').replace(/^\s*extends\s+/, '')
        const interfaces = source.partText(match, 'interfaces').replace(/^\s*(?:implements|extends)\s+/, '')
        for (const one of [base, ...splitTopLevel(interfaces, ',', syntax)]) {
          const base = typePath(one, syntax)
          if (base !== 'Object') facts.inherit(index, base, match.line)
        }
        if (base !== '') superclasses.set(index, headOf(typePath(base, syntax)))
        for (const name of ['base', 'interfaces']) {
          const part = source.part(match, name)
          if (part !== undefined) facts.tellHeads(part)
        }
        const fields = readParameters(source.partText(match, 'params'))
        components.set(index, fields)
        for (const it of fields)
          facts.bind({ scope: index, name: it.name, kind: 'field', type: it.type, value: '', line: match.line })
        break
      }

      case 'constant':
        if (name === undefined || scope < 0) break
        define(source, facts, match, { name: source.slice(name), kind: 'variant', tags: ['variant'] }, name.start)
        facts.bind({
          scope,
          name: source.slice(name),
          kind: 'field',
          type: facts.facts.definitions[scope].name,
          value: '',
          line: match.line,
        })
        break

      case 'method':
      case 'constructor':
      case 'element': {
        if (name === undefined) break
        // a compact constructor takes what its record is made of
        const parameters =
          match.kind === 'constructor' && source.part(match, 'params') === undefined
            ? (components.get(scope) ?? [])
            : readParameters(source.partText(match, 'params'))
        const result = source.partText(match, 'result')
        const head = text.slice(match.start, name.start)
        const tags = modifiers(head)
        tags.push(match.kind === 'constructor' ? 'constructor' : 'method')
        if (/@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest)\b/.test(head)) tags.push('test')
        if (/@Override\b/.test(head)) tags.push('override')
        if (source.slice(name) === 'main' && tags.includes('static')) {
          tags.push('entrypoint')
          facts.facts.tags.push('entrypoint')
        }
        const index = define(
          source,
          facts,
          match,
          {
            name: source.slice(name),
            kind: 'fn',
            tags,
            type: result === '' || result === 'void' ? '' : typePath(result, syntax),
            arity: parameters.some((it) => it.variadic) ? -1 : parameters.length,
            parameters: parameters.map((it) => it.type),
          },
          name.start,
        )
        for (const it of parameters)
          facts.bind({ scope: index, name: it.name, kind: 'parameter', type: it.type, value: '', line: match.line })
        break
      }

      case 'field':
      case 'local': {
        if (name === undefined) break
        facts.told.add(name.start)
        const typeText = source.partText(match, 'type')
        const type =
          typeText === 'var' ? literalType(source.partText(match, 'value').trim()) : typePath(typeText, syntax)
        const value = type === '' ? expressionPath(source.partText(match, 'value'), syntax) : ''
        facts.bind({ scope, name: source.slice(name), kind: match.kind, type, value, line: match.line })
        break
      }

      case 'for': {
        if (name === undefined) break
        const type = source.partText(match, 'type')
        const value = expressionPath(source.partText(match, 'value'), syntax)
        facts.bind({
          scope,
          name: source.slice(name),
          kind: 'local',
          type: type === 'var' ? '' : typePath(type, syntax),
          value: type === 'var' && value !== '' ? `${value}[]` : '',
          line: match.line,
        })
        break
      }

      case 'catch':
        facts.bind({
          scope,
          name: source.partText(match, 'name'),
          kind: 'local',
          type: typePath(source.partText(match, 'type'), syntax),
          value: '',
          line: match.line,
        })
        for (const part of match.parts) if (part.name === 'type') facts.tellHeads(part)
        for (const one of source.partText(match, 'type').split('|'))
          facts.reference(scope, 'catches', typePath(one, syntax), match.line)
        break

      case 'lambda': {
        const params = source.partText(match, 'params')
        const list = params.startsWith('(') ? params.slice(1, -1) : params
        const called = ELEMENT_CALL.exec(text.slice(Math.max(0, match.start - 160), match.start))
        splitTopLevel(list, ',', syntax).forEach((one, i) => {
          const [parameter] = readParameters(`(${one})`)
          const label = parameter?.name ?? one.trim()
          const value =
            i === 0 && called !== null ? `${called[1].replace(/\.(?:stream|parallelStream)\(\)$/, '')}[]` : ''
          if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(label))
            facts.bind({
              scope,
              name: label,
              // its value is read where the lambda stands, which is inside of the function
              kind: 'local',
              type: parameter?.type ?? '',
              value: parameter === undefined ? value : '',
              line: match.line,
            })
        })
        break
      }

      case 'assign': {
        const left = source.part(match, 'left')
        if (left !== undefined && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(source.slice(left))) facts.told.add(left.start)
        break
      }

      case 'call': {
        const args = source.part(match, 'args')
        if (args === undefined || name === undefined) break
        facts.told.add(match.start)
        facts.told.add(name.start)
        const path = withoutSuper(expressionPath(text.slice(match.start, args.start), syntax), scope, facts)
        if (path === '') break
        if (/^(?:Class\.forName|.*\.(?:getMethod|getDeclaredMethod|newInstance|loadClass))$/.test(path))
          facts.dynamic(match.line, source.slice(match))
        call(scope, path, name.start, text.slice(args.start, args.end), match.start)
        break
      }

      case 'anonymous': {
        const type = source.part(match, 'type')
        const body = source.part(match, 'body')
        if (type === undefined || body === undefined) break
        // the construction itself belongs to the code around
        const base = typePath(source.slice(type), syntax)
        const path = headOf(base)
        call(scope, path, match.start, source.partText(match, 'args'), match.start)
        anonymous++
        const index = facts.define(
          {
            name: `$${anonymous}`,
            kind: 'class',
            tags: ['anonymous'],
            excerpt: cut(text.slice(match.start, body.start)),
          },
          { start: match.start, end: match.end, nameStart: match.start },
        )
        facts.inherit(index, base, match.line)
        facts.tellHeads(type)
        break
      }

      case 'new': {
        const type = source.part(match, 'type')
        if (type === undefined) break
        // an anonymous class is told by its own pattern
        const args = source.part(match, 'args')
        if (args !== undefined && text.slice(args.end, match.end).includes('{')) break
        facts.tellHeads(type)
        // `outer.new Inner()`
        const outer = expressionPath(text.slice(match.start, type.start).replace(/\.?\s*new\s*$/, ''), syntax)
        call(
          scope,
          `${outer === '' ? '' : `${outer}.`}${headOf(typePath(source.slice(type), syntax))}`,
          match.start,
          source.partText(match, 'args'),
          match.start,
        )
        break
      }

      case 'super': {
        const base = superclasses.get(facts.classOf(scope))
        if (base !== undefined) call(scope, base, match.start, source.partText(match, 'args'), match.start)
        break
      }

      case 'methodref': {
        const path = expressionPath(
          source
            .slice(match)
            .replace(/::\s*new$/, '')
            .replace(/::/g, '.'),
          syntax,
        )
        facts.told.add(match.start)
        facts.reference(scope, 'references', path, match.line)
        break
      }

      case 'annotation': {
        if (name === undefined) break
        facts.told.add(name.start)
        if (!PLAIN_ANNOTATIONS.has(source.slice(name)))
          facts.reference(scope, 'decorates', source.slice(name).replace(/\s/g, ''), match.line)
        break
      }

      case 'generics':
        for (const part of splitTopLevel(source.slice(match).slice(1, -1), ',', syntax)) {
          const found = /^\s*(?:@\w+\s+)*([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:extends\s+([\s\S]+))?$/u.exec(part)
          if (found !== null && scope >= 0)
            facts.bindType(scope, found[1], found[2] === undefined ? '' : typePath(found[2], syntax), match.line)
        }
        break

      case 'typename': {
        if (facts.told.has(match.start)) break
        const path = source
          .slice(match)
          .replace(/@\w+\s+/g, '')
          .replace(/\s/g, '')
        facts.told.add(match.start)
        for (const part of source.slice(match).matchAll(/\.\s*/g))
          facts.told.add(match.start + part.index + part[0].length)
        if (!TYPES_WITHOUT_NODE.has(path)) facts.reference(scope, 'references', path, match.line)
        break
      }

      case 'never':
        neverUntil = Math.max(neverUntil, source.part(match, 'body')?.end ?? -1)
        break
    }
  }
  facts.mentions(['this'], (offset) => dottedAt(text, offset, isKey), KEYWORDS)
}

/** `Priced.super.total` names a method of the interface, unless it stands inside of a class of that name. */
function withoutSuper(path: string, scope: number, facts: FactsBuilder): string {
  const found = /^(.+)\.super\.([^.]+)$/.exec(path)
  if (found === null) return path
  const { definitions } = facts.facts
  for (let at = scope; at >= 0; at = definitions[at].parent) if (definitions[at].name === found[1]) return path
  return `${found[1]}.${found[2]}`
}

/** A name being assigned, or the key of an annotation. */
function isKey(text: string, end: number): boolean {
  return /^\s*=(?!=)/.test(text.slice(end, end + 20))
}

function modifiers(head: string): string[] {
  return ['public', 'private', 'protected', 'static', 'abstract', 'final', 'default'].filter((it) =>
    new RegExp(`\\b${it}\\b`).test(head),
  )
}

function define(
  source: Source,
  facts: FactsBuilder,
  match: Match,
  definition: Parameters<FactsBuilder['define']>[0],
  nameStart: number,
): number {
  const comment = facts.commentBefore(match.start)
  const start = skipAnnotations(source.text, match.start, syntax)
  const signature = source.text
    .slice(start, Math.min(match.end, start + 400))
    .split(/[{;]/)[0]
    .replace(/@(?!interface\b)\w+(?:\([^)]*\))?\s*/g, '')
  return facts.define(
    {
      ...definition,
      excerpt: comment.startsWith('/*')
        ? firstSentence(comment).replace(/\{@\w+\s+([^}]*)\}|<\/?\w+>/g, '$1')
        : cut(signature),
      exported: !definition.tags?.includes('private'),
    },
    { start: match.start, end: match.end, nameStart },
  )
}

interface Parameter {
  name: string
  type: string
  variadic: boolean
}

function readParameters(list: string): Parameter[] {
  const parameters: Parameter[] = []
  if (list === '') return parameters
  for (const part of splitTopLevel(list.slice(1, -1), ',', syntax)) {
    const plain = withoutLeadingComments(part, syntax)
      .replace(/@[\w.]+(?:\([^)]*\))?\s*/g, '')
      .replace(/\bfinal\s+/g, '')
      .trim()
    const found = /^([\s\S]+?)(\.\.\.|\s)\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*((?:\[\s*\]\s*)*)$/u.exec(plain)
    if (found === null || found[3] === 'this') continue
    const type = typePath(found[1] + found[4], syntax)
    const variadic = found[2] === '...' || found[1].trim().endsWith('...')
    parameters.push({ name: found[3], type: variadic ? `Array<${type}>` : type, variadic })
  }
  return parameters
}
