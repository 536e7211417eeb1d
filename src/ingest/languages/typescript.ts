/** TypeScript and JavaScript. The grammar with JSX reads plain JavaScript as well. */

import { expressionPath, skipAnnotations, splitTopLevel, typePath } from '#ingest/expression'
import {
  readExportedObject,
  readExportStatement,
  readImportStatement,
  readRequire,
  specifierIn,
} from '#ingest/languages/es-modules'
import { bindParameters, bindPattern } from '#ingest/languages/es-patterns'
import { prepare } from '#ingest/languages/es-prepare'
import { isKey, keyOf, returnType, syntax, valuePath } from '#ingest/languages/es-syntax'
import type { Match, Part } from '#ingest/parse'
import { cut, dottedAt, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const QUERY = `
(class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(class name: (type_identifier)? @name body: (class_body) @body) @classexpr
(extends_clause value: (_) @base type_arguments: (_)? @args) @extends
(implements_clause (_) @base) @implements
(extends_type_clause type: (_) @base) @extends
(interface_declaration name: (type_identifier) @name body: (_) @body) @interface
(type_alias_declaration name: (type_identifier) @name value: (_) @value) @type
(enum_declaration name: (identifier) @name) @enum
(function_declaration name: (identifier) @name parameters: (formal_parameters) @params return_type: (_)? @result) @fn
(generator_function_declaration name: (identifier) @name parameters: (formal_parameters) @params return_type: (_)? @result) @fn
(function_signature name: (identifier) @name parameters: (formal_parameters) @params return_type: (_)? @result) @fn
(method_definition name: (_) @name parameters: (formal_parameters) @params return_type: (_)? @result) @method
(method_signature name: (_) @name parameters: (formal_parameters) @params return_type: (_)? @result) @method
(abstract_method_signature name: (_) @name parameters: (formal_parameters) @params return_type: (_)? @result) @method
(property_signature name: (_) @name type: (type_annotation)? @type) @property
(public_field_definition name: (_) @name type: (type_annotation)? @type value: (_)? @value) @field
(variable_declarator name: (_) @name type: (type_annotation)? @type value: (_)? @value) @variable
(arrow_function parameters: (formal_parameters) @params return_type: (_)? @result) @function
(arrow_function parameter: (identifier) @params) @function
(function_expression name: (identifier)? @name parameters: (formal_parameters) @params return_type: (_)? @result) @function
(generator_function parameters: (formal_parameters) @params return_type: (_)? @result) @function
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @value) @pair
(assignment_expression left: (member_expression) @left right: (_) @right) @assign
(assignment_expression left: (identifier) @left right: (_) @right) @assign
(internal_module name: (_) @name body: (_)? @body) @namespace
(module name: (_) @name body: (_)? @body) @namespace
(import_statement) @import
(import_alias) @import
(export_statement) @export
(call_expression function: (_) @callee arguments: (_) @args) @call
(pair key: (_) @name value: (object) @value) @object
(new_expression constructor: (_) @callee) @new
(return_statement (_) @value) @return
(decorator (_) @value) @decorator
(type_identifier) @typename
(nested_type_identifier) @typename
(type_parameter name: (type_identifier) @name constraint: (constraint)? @constraint) @typeparam
(for_in_statement left: (_) @left right: (_) @right) @for
(catch_clause parameter: (identifier) @name) @catch
(if_statement condition: (parenthesized_expression (false)) consequence: (_) @body) @never
(comment) @comment
(string) @string
(template_string) @string
(regex) @string
(ERROR) @error
`

const JSX_QUERY = `
(jsx_opening_element name: (_) @name) @jsx
(jsx_self_closing_element name: (_) @name) @jsx
(jsx_closing_element name: (_) @name) @closing
(jsx_text) @string
`

/** Beyond it, `a<b,a<b,` takes hundreds of megabytes and more. */
const MAX_ANGLES = 1000

export const typescript: Language = {
  name: 'typescript',
  extensions: ['ts', 'mts', 'cts'],
  interpreters: ['ts-node', 'tsx', 'deno', 'bun'],
  grammar: 'typescript',
  query: QUERY,
  syntax,
  maxAngles: MAX_ANGLES,
  prepare,
  read,
}

export const tsx: Language = {
  name: 'tsx',
  extensions: ['tsx'],
  grammar: 'tsx',
  query: QUERY + JSX_QUERY,
  syntax,
  maxAngles: MAX_ANGLES,
  read,
}

export const javascript: Language = {
  name: 'javascript',
  extensions: ['js', 'jsx', 'mjs', 'cjs'],
  interpreters: ['node'],
  grammar: 'tsx',
  query: QUERY + JSX_QUERY,
  syntax,
  maxAngles: MAX_ANGLES,
  read,
}

const TYPES_WITHOUT_NODE = new Set(
  'String Number Boolean Promise Array Record Partial Required Readonly Map Set Date Error Function Object Omit Pick Exclude Extract ReturnType Parameters Awaited NonNullable InstanceType ReadonlyArray WeakMap WeakSet RegExp Symbol const'.split(
    ' ',
  ),
)

/** Array methods whose callback gets an element first. */
const ELEMENT_FIRST = /^(.+)\.(?:map|forEach|filter|find|findLast|some|every|flatMap|findIndex|sort)$/

const ROUTER = /(?:^|\.)(?:use|register|route|mount)$/

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  new Reader(source, matches, facts).read()
}

class Reader {
  readonly source: Source
  readonly text: string
  readonly matches: readonly Match[]
  readonly facts: FactsBuilder
  /** Function expressions by where they start. */
  readonly functions = new Map<number, Match>()
  /** Definition that a function expression is the body of, by where the function starts. */
  readonly bodies = new Map<number, number>()
  /** Path of the elements that a callback gets, by where the callback starts. */
  readonly elements = new Map<number, string>()
  /** Class expressions that are named by what they are assigned to. */
  readonly ownClasses = new Map<number, number>()
  /** Functions without a body. */
  readonly signatures = new Set<number>()
  readonly returns = new Map<number, string | null>()
  /** Function expressions that are open where the reader stands, innermost last. */
  readonly callbacks: Match[] = []
  decorators: { path: string; line: number; end: number }[] = []
  /** Where the field or the parameters end that the reader is in. */
  decoratedUntil = -1
  /** Objects within objects that the reader is in; they become definitions when they hold a function. */
  readonly objects: { name: string; nameStart: number; match: Match; definition: number }[] = []
  exportedFrom = -1
  exportedAt = -1
  neverUntil = -1

  constructor(source: Source, matches: readonly Match[], facts: FactsBuilder) {
    this.source = source
    this.text = source.text
    this.matches = matches
    this.facts = facts
  }

  read(): void {
    const { source, facts, text } = this
    facts.facts.tags.push(facts.facts.language === 'javascript' ? 'javascript' : 'typescript')
    if (
      /(?:^|\/)(?:__tests__|__mocks__|tests?|e2e|specs?)\/|\.(?:test|spec|e2e|bench|stories)\.[cm]?[jt]sx?$/.test(
        source.path,
      )
    )
      facts.facts.tags.push('test')
    if (text.startsWith('#!')) facts.facts.tags.push('entrypoint')
    for (const match of this.matches) if (match.kind === 'function') this.functions.set(match.start, match)
    for (const match of this.matches) this.one(match)

    for (const [scope, path] of this.returns) {
      const definition = facts.facts.definitions[scope]
      if (path === null || definition.kind !== 'fn' || (definition.type ?? '') !== '') continue
      facts.bind({ scope, name: 'return', kind: 'local', type: '', value: path, line: definition.line })
    }
    this.markOverloads()
    const exported = new Set(facts.facts.exports.map((it) => it.local))
    for (const it of facts.facts.definitions) if (it.parent < 0 && exported.has(it.name)) it.exported = true
    facts.mentions(['this'], (offset) => dottedAt(text, offset, isKey))
  }

  /** Signatures of a function whose body follows under the same name. */
  markOverloads(): void {
    const { definitions } = this.facts.facts
    const bodies = new Set<string>()
    for (let i = definitions.length - 1; i >= 0; i--) {
      const it = definitions[i]
      if (it.kind !== 'fn') continue
      const id = `${it.parent} ${it.name}`
      if (!this.signatures.has(i)) bodies.add(id)
      else if (bodies.has(id)) it.tags.push('overload')
    }
  }

  one(match: Match): void {
    const { source, facts } = this
    const scope = facts.scopeAt(match.start)
    switch (match.kind) {
      case 'class':
      case 'classexpr':
        this.defineClass(match, scope)
        break
      case 'interface':
      case 'enum':
      case 'namespace': {
        const name = source.part(match, 'name')
        if (name === undefined) break
        const kind = match.kind === 'namespace' ? 'mod' : match.kind
        const label = source.slice(name).replace(/^["']|["']$/g, '')
        this.decorate(
          facts.define(
            {
              name: label,
              kind,
              tags: kind === 'interface' ? ['interface'] : [],
              excerpt: this.excerptOf(match.start, source.part(match, 'body')?.start ?? match.end),
            },
            { ...this.spanOf(match), nameStart: name.start },
          ),
        )
        break
      }
      case 'type': {
        const name = source.part(match, 'name')
        const value = source.part(match, 'value')
        if (name === undefined || value === undefined) break
        facts.define(
          {
            name: source.slice(name),
            kind: 'type',
            excerpt: this.excerptOf(match.start, match.end),
            type: typePath(source.slice(value), syntax),
          },
          { ...this.spanOf(match), nameStart: name.start },
        )
        break
      }
      case 'extends':
      case 'implements': {
        const base = source.part(match, 'base')
        if (base === undefined || scope < 0) break
        const line = source.lineAt(base.start)
        // `extends mixin(Base)` adds to what it is handed
        const mixed = /^[\w$.]+\(\s*([\w$.]+)/.exec(source.slice(base))
        if (mixed !== null) facts.reference(scope, 'implements', mixed[1], line)
        else {
          tellPath(source.slice(base), base.start, facts)
          facts.inherit(scope, typePath(source.slice(base) + source.partText(match, 'args'), syntax), line)
        }
        break
      }
      case 'fn': {
        const name = source.part(match, 'name')
        if (name !== undefined) this.defineFunction(match, source.slice(name), name.start, scope, [])
        break
      }
      case 'method':
        this.defineMethod(match, scope)
        break
      case 'property':
      case 'field':
        this.readField(match, scope)
        break
      case 'variable':
        this.readVariable(match, scope)
        break
      case 'pair':
        this.readPair(match, scope)
        break
      case 'assign':
        this.readAssignment(match, scope)
        break
      case 'function':
        this.readFunction(match, scope)
        break
      case 'import':
        facts.toldRanges.push(match.start, match.end)
        readImportStatement(source.slice(match), match.line, scope, facts)
        break
      case 'export':
        this.readExport(match, scope)
        break
      case 'call':
        this.readCall(match, scope)
        break
      case 'new': {
        const callee = source.part(match, 'callee')
        if (callee === undefined) break
        facts.told.add(callee.start)
        this.call(scope, expressionPath(source.slice(callee), syntax), match)
        break
      }
      case 'jsx': {
        const name = source.part(match, 'name')
        if (name === undefined) break
        const path = source.slice(name).replace(/\s/g, '')
        facts.told.add(name.start)
        if (/^[A-Z_$]|\./.test(path)) this.call(scope, path, match)
        break
      }
      case 'closing': {
        const name = source.part(match, 'name')
        if (name !== undefined) facts.told.add(name.start)
        break
      }
      case 'object': {
        const name = source.part(match, 'name')
        if (name !== undefined)
          this.objects.push({ name: source.slice(name), nameStart: name.start, match, definition: -1 })
        break
      }
      case 'return': {
        if (scope < 0 || this.isInsideCallback(scope, match.start)) break
        this.returned(scope, valuePath(source.partText(match, 'value')))
        break
      }
      case 'decorator': {
        const value = source.part(match, 'value')
        if (value === undefined) break
        facts.told.add(value.start)
        const path = expressionPath(source.slice(value), syntax).replace(/\(\)$/, '')
        // those of fields and parameters stand inside of what they decorate
        if (match.start < this.decoratedUntil) facts.reference(scope, 'decorates', path, match.line)
        else this.decorators.push({ path, line: match.line, end: match.end })
        break
      }
      case 'typename': {
        if (facts.told.has(match.start)) break
        tellPath(source.slice(match), match.start, facts)
        const path = source.slice(match).replace(/\s/g, '')
        if (!TYPES_WITHOUT_NODE.has(path)) facts.reference(scope, 'references', path, match.line)
        break
      }
      case 'typeparam': {
        const name = source.part(match, 'name')
        if (name === undefined) break
        facts.told.add(name.start)
        const constraint = source.partText(match, 'constraint').replace(/^\s*(?:extends|:)\s*/, '')
        facts.bindType(scope, source.slice(name), typePath(constraint, syntax), match.line)
        break
      }
      case 'for': {
        const right = expressionPath(source.partText(match, 'right'), syntax)
        const isOf = /\sof\s/.test(
          this.text.slice(
            source.part(match, 'left')?.end ?? match.start,
            source.part(match, 'right')?.start ?? match.end,
          ),
        )
        bindPattern(
          facts,
          source.partText(match, 'left').replace(/^(?:const|let|var)\s+/, ''),
          isOf && right !== '' ? `${right}[]` : '',
          '',
          scope,
          'local',
          match.line,
        )
        break
      }
      case 'catch':
        facts.bind({
          scope,
          name: source.partText(match, 'name'),
          kind: 'local',
          type: '',
          value: '',
          line: match.line,
        })
        break
      case 'never':
        this.neverUntil = Math.max(this.neverUntil, match.end)
        break
    }
  }

  /** The statement around a definition, with `export` and decorators. */
  spanOf(match: Match): { start: number; end: number } {
    let { start } = match
    if (
      this.exportedFrom >= 0 &&
      this.exportedFrom <= start &&
      /^(?:\s|declare|default|async|abstract|const|let|var)*$/.test(
        this.text.slice(skipAnnotations(this.text, this.exportedAt, syntax), start),
      )
    )
      start = this.exportedFrom
    const decorator = this.decorators[0]
    if (
      decorator !== undefined &&
      /^\s*(?:(?:export|default|abstract|public|private|protected|static|async|readonly|declare|override|accessor)\s+)*$/.test(
        this.text.slice(this.decorators[this.decorators.length - 1].end, match.start),
      )
    ) {
      start = Math.min(start, this.source.lineStarts[decorator.line - 1])
    }
    return { start, end: match.end }
  }

  /** The comment in front of a definition, else its text up to `end`. */
  excerptOf(start: number, end: number): string {
    const comment = this.facts.commentAbove(start)
    if (comment !== '' && !/^\/[/*]+\s*(?:eslint|@ts-|prettier|biome|istanbul|c8|v8)/.test(comment)) {
      const sentence = firstSentence(comment)
      if (sentence !== '') return sentence
    }
    return cut(this.text.slice(skipAnnotations(this.text, start, syntax), Math.min(end, start + 300)))
  }

  /** Where the signature of a function ends. */
  signatureEnd(match: Match): number {
    return (this.source.part(match, 'result') ?? this.source.part(match, 'params'))?.end ?? match.end
  }

  signatureEndAt(start: number): number {
    const match = this.functions.get(start)
    return match === undefined ? start : this.signatureEnd(match)
  }

  decorate(definition: number): number {
    if (definition >= 0)
      for (const { path, line } of this.decorators) this.facts.reference(definition, 'decorates', path, line)
    this.decorators = []
    return definition
  }

  defineClass(match: Match, scope: number): void {
    const { source, facts } = this
    const owner = this.ownClasses.get(match.start)
    if (owner !== undefined) return
    const name = source.part(match, 'name')
    let label = name === undefined ? '' : source.slice(name)
    if (label === '') {
      const isDefault =
        scope < 0 && /export\s+default\s*$/.test(this.text.slice(Math.max(0, match.start - 40), match.start))
      const isModule =
        scope < 0 && /module\.exports\s*=\s*$/.test(this.text.slice(Math.max(0, match.start - 40), match.start))
      if (!isDefault && !isModule) return
      label = 'default'
    }
    this.decoratedUntil = Math.max(this.decoratedUntil, name?.start ?? match.start)
    this.decorate(
      facts.define(
        {
          name: label,
          kind: 'class',
          tags: this.text.startsWith('abstract', match.start) ? ['abstract'] : [],
          excerpt: this.excerptOf(match.start, source.part(match, 'body')?.start ?? match.end),
        },
        { ...this.spanOf(match), nameStart: name?.start ?? match.start },
      ),
    )
  }

  defineFunction(
    match: Match,
    name: string,
    nameStart: number,
    scope: number,
    tags: string[],
    more: { owner?: string } = {},
  ): number {
    const { source, facts } = this
    const result = source.partText(match, 'result').replace(/^\s*:\s*/, '')
    if (/^async\b/.test(this.text.slice(match.start, match.start + 5))) tags.push('async')
    const index = facts.define(
      {
        name,
        kind: 'fn',
        tags,
        excerpt: this.excerptOf(match.start, this.signatureEnd(match)),
        type: returnType(result),
        arity: -1,
        ...more,
      },
      { ...this.spanOf(match), nameStart },
    )
    if (!this.text.endsWith('}', match.end)) this.signatures.add(index)
    const params = source.part(match, 'params')
    if (params !== undefined) facts.facts.definitions[index].arity = this.parameters(params, index, scope)
    return this.decorate(index)
  }

  defineMethod(match: Match, scope: number): void {
    const { source, facts } = this
    const name = source.part(match, 'name')
    if (name === undefined) return
    const label = keyOf(source.slice(name))
    const holder = this.objectAt(scope, match.start)
    const head = this.text.slice(match.start, name.start)
    const inClass = scope >= 0 && ['class', 'interface', 'type'].includes(facts.facts.definitions[scope].kind)
    const tags = inClass ? ['method'] : []
    if (/\bget\s+$/.test(head)) tags.push('property')
    else if (/\bset\s+$/.test(head)) tags.push('setter')
    if (/\bstatic\b/.test(head)) tags.push('static')
    if (/\basync\b/.test(head)) tags.push('async')
    if (/\bprivate\b/.test(head) || this.text[name.start] === '#') tags.push('private')
    if (/\babstract\b/.test(head)) tags.push('abstract')
    this.defineFunction(match, label, name.start, holder, tags)
  }

  readField(match: Match, scope: number): void {
    const { source, facts } = this
    const name = source.part(match, 'name')
    if (name === undefined || scope < 0) return
    const label = keyOf(source.slice(name))
    facts.told.add(name.start)
    this.decoratedUntil = Math.max(this.decoratedUntil, match.end)
    const value = source.part(match, 'value')
    const kind = facts.facts.definitions[scope].kind
    if (value !== undefined && this.isFunctionValue(value) && kind === 'class') {
      const fn = this.functionIn(value)
      const index = facts.define(
        {
          name: label,
          kind: 'fn',
          tags: ['method', 'arrow'],
          excerpt: this.excerptOf(match.start, fn === undefined ? match.end : this.signatureEnd(fn)),
          arity: -1,
        },
        { ...this.spanOf(match), nameStart: name.start },
      )
      if (fn !== undefined) {
        this.bodies.set(fn.start, index)
        this.decoratedUntil = fn.start
      }
      this.decorate(index)
      return
    }
    const type = typePath(source.partText(match, 'type').replace(/^\s*:\s*/, ''), syntax)
    if (kind === 'fn' || kind === 'mod') return
    facts.bind({
      scope,
      name: label,
      kind: 'field',
      type,
      value: value === undefined ? '' : valuePath(source.slice(value)),
      line: match.line,
    })
  }

  /** A function, or a call that is handed one: `memo(() => …)`. */
  isFunctionValue(value: Part): boolean {
    return this.functionIn(value) !== undefined
  }

  functionIn(value: Part): Match | undefined {
    const direct = this.functions.get(value.start)
    if (direct !== undefined) return direct
    const text = this.text.slice(value.start, Math.min(value.end, value.start + 600))
    const wrapped = /^[\w$.]+(?:<[^()]*>)?\((?:\s*[\w$.'"/-]+\s*,)*\s*/.exec(text)
    return wrapped === null ? undefined : this.functions.get(value.start + wrapped[0].length)
  }

  readVariable(match: Match, scope: number): void {
    const { source, facts } = this
    const name = source.part(match, 'name')
    if (name === undefined) return
    const label = source.slice(name)
    const value = source.part(match, 'value')
    const typeText = source.partText(match, 'type').replace(/^\s*:\s*/, '')
    const type = typePath(typeText, syntax)
    const valueText = value === undefined ? '' : source.slice(value)
    if (value !== undefined && readRequire(facts, label, valueText, scope, match.line)) {
      facts.toldRanges.push(name.start, name.end)
      return
    }
    if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(label)) {
      bindPattern(facts, label, valuePath(valueText), type, scope, 'local', match.line)
      return
    }
    facts.told.add(name.start)
    const outer = scope < 0 || facts.facts.definitions[scope].kind === 'mod'
    const span = { ...this.spanOf(match), nameStart: name.start }

    const fn = value === undefined ? undefined : this.functions.get(value.start)
    if (value !== undefined && fn !== undefined) {
      const excerpt = this.excerptOf(match.start, this.signatureEnd(fn))
      const index = facts.define({ name: label, kind: 'fn', tags: ['arrow'], excerpt, arity: -1 }, span)
      this.bodies.set(value.start, index)
      if (type !== '') facts.bind({ scope, name: label, kind: 'local', type, value: '', line: match.line })
      return
    }
    if (/^class\b/.test(valueText) && value !== undefined) {
      this.ownClasses.set(
        value.start,
        facts.define(
          { name: label, kind: 'class', excerpt: this.excerptOf(match.start, this.text.indexOf('{', value.start)) },
          span,
        ),
      )
      return
    }
    if (outer && !this.isInsideCallback(scope, match.start)) {
      const wrapped = value === undefined ? undefined : this.functionIn(value)
      const isComponent =
        /^[A-Z]/.test(label) && /^(?:React\.)?(?:memo|forwardRef|observer|styled|withRouter|connect)\b/.test(valueText)
      const isObject = valueText.startsWith('{')
      const index = facts.define(
        {
          name: label,
          kind: wrapped !== undefined || isComponent ? 'fn' : 'const',
          tags: wrapped !== undefined || isComponent ? ['wrapped'] : [],
          excerpt: this.excerptOf(match.start, wrapped === undefined ? match.end : this.signatureEnd(wrapped)),
          type,
        },
        { ...span, isScope: isObject || wrapped !== undefined },
      )
      if (wrapped !== undefined) this.bodies.set(wrapped.start, index)
    }
    facts.bind({ scope, name: label, kind: 'local', type, value: valuePath(valueText), line: match.line })
  }

  readPair(match: Match, scope: number): void {
    const { source, facts } = this
    const name = source.part(match, 'name')
    const value = source.part(match, 'value')
    if (name === undefined || value === undefined || scope < 0 || facts.facts.definitions[scope].kind !== 'const')
      return
    const label = keyOf(source.slice(name))
    if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(label)) return
    this.objectAt(scope, match.start)
    const index = facts.define(
      {
        name: label,
        kind: 'fn',
        tags: ['arrow'],
        excerpt: this.excerptOf(match.start, this.signatureEndAt(value.start)),
        arity: -1,
      },
      { start: match.start, end: match.end, nameStart: name.start },
    )
    this.bodies.set(value.start, index)
  }

  /** The object within `scope` around `offset`, which becomes a definition unless it is `scope` itself. */
  objectAt(scope: number, offset: number): number {
    const { facts, objects } = this
    while (objects.length > 0 && objects[objects.length - 1].match.end <= offset) objects.pop()
    if (scope < 0 || facts.facts.definitions[scope].kind !== 'const') return scope
    let holder = scope
    for (const it of objects) {
      if (it.match.start < facts.starts[scope]) continue
      if (it.definition < 0)
        it.definition = facts.define(
          { name: keyOf(it.name), kind: 'const', parent: holder, excerpt: cut(this.source.slice(it.match)) },
          { start: it.match.start, end: it.match.end, nameStart: it.nameStart },
        )
      holder = it.definition
    }
    return holder
  }

  readAssignment(match: Match, scope: number): void {
    const { source, facts } = this
    const left = source.part(match, 'left')
    const right = source.part(match, 'right')
    if (left === undefined || right === undefined) return
    const target = expressionPath(source.slice(left), syntax)
    const value = source.slice(right)
    if (target === '') return
    const isFunction = this.functions.has(right.start)

    const own = /^this\.([^.()[\]]+)$/.exec(target)
    if (own !== null) {
      facts.told.add(left.start)
      const owner = facts.classOf(scope)
      if (owner >= 0)
        facts.bind({
          scope: owner,
          name: own[1],
          kind: 'field',
          type: '',
          value: isFunction ? '' : valuePath(value),
          valueScope: scope,
          line: match.line,
        })
      else if (isFunction && scope >= 0)
        this.bodies.set(
          right.start,
          facts.define(
            {
              name: own[1],
              kind: 'fn',
              tags: ['method'],
              excerpt: this.excerptOf(match.start, this.signatureEndAt(right.start)),
              arity: -1,
            },
            { start: match.start, end: match.end, nameStart: left.start },
          ),
        )
      return
    }

    const exported = /^(?:module\.)?exports\.([^.()[\]]+)$/.exec(target)
    if (exported !== null) {
      facts.told.add(left.start)
      const [, name] = exported
      if (isFunction) {
        const index = facts.define(
          {
            name,
            kind: 'fn',
            tags: ['arrow'],
            excerpt: this.excerptOf(match.start, this.signatureEndAt(right.start)),
            arity: -1,
          },
          { start: match.start, end: match.end, nameStart: left.start },
        )
        this.bodies.set(right.start, index)
        facts.export({ name, local: name, line: match.line })
        return
      }
      const required = /^require\(\s*(['"])([^'"]+)\1\s*\)(?:\.([\w$]+))?/.exec(value)
      if (required !== null)
        facts.import({
          kind: 'reexport',
          module: required[2],
          name: required[3] ?? '',
          alias: name,
          scope,
          line: match.line,
        })
      else {
        const inner = /^(?:module\.)?exports\.[\w$]+\s*=\s*([\s\S]+)$/.exec(value)
        const path = expressionPath(inner === null ? value : inner[1], syntax)
        if (path !== '' && path !== 'void') facts.export({ name, local: path, line: match.line })
      }
      return
    }

    if (target === 'module.exports' || (target === 'exports' && scope < 0)) {
      facts.told.add(left.start)
      if (value.startsWith('{')) {
        facts.define(
          { name: 'exports', kind: 'const', excerpt: cut(source.slice(match)) },
          { start: match.start, end: match.end, nameStart: left.start },
        )
        readExportedObject(value, 'exports', match.line, scope, facts)
        facts.export({ name: 'default', local: 'exports', line: match.line })
      } else if (isFunction) {
        const name = /^(?:async\s+)?function\s*\*?\s*([\w$]+)/.exec(value)?.[1] ?? 'default'
        this.bodies.set(
          right.start,
          facts.define(
            {
              name,
              kind: 'fn',
              tags: [],
              excerpt: this.excerptOf(match.start, this.signatureEndAt(right.start)),
              arity: -1,
            },
            { start: match.start, end: match.end, nameStart: left.start },
          ),
        )
        facts.export({ name: 'default', local: name, line: match.line })
      } else if (/^class\b/.test(value)) {
        const name = /^class\s+(?!extends\b)([\w$]+)/.exec(value)?.[1] ?? 'default'
        facts.export({ name: 'default', local: name, line: match.line })
      } else {
        const required = /^require\(\s*(['"])([^'"]+)\1\s*\)/.exec(value)
        if (required !== null)
          facts.import({ kind: 'reexport', module: required[2], name: '*', alias: '', scope, line: match.line })
        else
          facts.export({
            name: 'default',
            local: expressionPath(value.replace(/^(?:module\.)?exports\s*=\s*/, ''), syntax),
            line: match.line,
          })
      }
      return
    }

    const member = /^(.+)\.([^.()[\]]+)$/.exec(target)
    if (member !== null && isFunction && !member[1].includes('(') && !member[1].includes('[')) {
      const owner = member[1].replace(/\.prototype$/, '')
      facts.told.add(left.start)
      const tags = member[1].endsWith('.prototype') ? ['method'] : ['static']
      this.bodies.set(
        right.start,
        facts.define(
          {
            name: member[2],
            kind: 'fn',
            tags,
            excerpt: this.excerptOf(match.start, this.signatureEndAt(right.start)),
            arity: -1,
            owner,
          },
          { start: match.start, end: match.end, nameStart: left.start },
        ),
      )
      return
    }
    if (member === null && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(target)) {
      facts.told.add(left.start)
      if (readRequire(facts, target, value, scope, match.line)) return
      facts.bind({ scope, name: target, kind: 'local', type: '', value: valuePath(value), line: match.line })
    }
  }

  /** A function expression: the body of a definition, or a callback whose parameters hide outer names. */
  readFunction(match: Match, scope: number): void {
    const { source, facts, callbacks } = this
    while (callbacks.length > 0 && callbacks[callbacks.length - 1].end <= match.start) callbacks.pop()
    callbacks.push(match)
    const name = source.part(match, 'name')
    if (name !== undefined) facts.told.add(name.start)
    const owner = this.bodies.get(match.start)
    const params = source.part(match, 'params')
    if (owner !== undefined) {
      const definition = facts.facts.definitions[owner]
      if (/^async\b/.test(this.text.slice(match.start, match.start + 5))) definition.tags.push('async')
      const result = returnType(source.partText(match, 'result').replace(/^\s*:\s*/, ''))
      if (result !== '') definition.type = result
      if (params !== undefined) definition.arity = this.parameters(params, owner, definition.parent)
      // an arrow without a block returns its expression
      const body = /^[^{]*?=>\s*(?!\{)([\s\S]*)$/.exec(this.text.slice(params?.end ?? match.start, match.end))
      if (body !== null) this.returned(owner, valuePath(body[1].trim()))
      return
    }
    if (
      scope < 0 &&
      /export\s+default\s*(?:async\s*)?$/.test(this.text.slice(Math.max(0, match.start - 40), match.start))
    ) {
      this.defineFunction(match, 'default', match.start, scope, ['arrow'])
      return
    }
    if (params !== undefined) this.parameters(params, scope, -1, this.elements.get(match.start))
  }

  parameters(params: Part, scope: number, holder: number, element?: string): number {
    this.decoratedUntil = Math.max(this.decoratedUntil, params.end)
    return bindParameters(this.facts, params, scope, holder, element)
  }

  readExport(match: Match, scope: number): void {
    const { facts } = this
    const start = skipAnnotations(this.text, match.start, syntax)
    const statement = this.text.slice(start, match.end)
    this.exportedFrom = match.start
    this.exportedAt = start + (/^export\s*/.exec(statement)?.[0].length ?? 0)
    if (/^export\s*(?:type\s+)?[*{]/.test(statement)) facts.toldRanges.push(match.start, match.end)
    const word = /^export\s+default\b/.exec(statement)
    if (word !== null) facts.toldRanges.push(start, start + word[0].length)
    readExportStatement(statement, match.line, scope, facts)
    if (/^export\s+default\s*\{/.test(statement) && scope < 0) {
      facts.define(
        { name: 'default', kind: 'const', excerpt: cut(statement) },
        { start: match.start, end: match.end, nameStart: match.start },
      )
    }
  }

  call(scope: number, path: string, match: Match, line = match.line): void {
    this.facts.reference(scope, 'calls', path, line, match.start < this.neverUntil ? { unreachable: true } : {})
  }

  readCall(match: Match, scope: number): void {
    const { source, facts } = this
    const callee = source.part(match, 'callee')
    const args = source.part(match, 'args')
    if (callee === undefined || args === undefined) return
    facts.told.add(callee.start)
    const name = source.slice(callee)
    // a template behind a name is no list
    const list = this.text[args.start] === '(' ? this.text.slice(args.start + 1, args.end - 1) : ''
    const line = source.lineAt(callee.end)
    if (name === 'import' || name === 'require' || name === 'require.resolve') {
      const module = specifierIn(list)
      if (module !== '' && /^\s*['"`]/.test(list)) {
        if (!facts.facts.imports.some((it) => it.line === match.line && it.module === module))
          facts.import({
            kind: name === 'import' ? 'dynamic' : 'require',
            module,
            name: '',
            alias: '',
            scope,
            line: match.line,
          })
      } else facts.dynamic(match.line, source.slice(match))
      return
    }
    const isDecorator = this.decorators.some((it) => it.end === match.end) || this.text[match.start - 1] === '@'
    if (isDecorator) return
    const path = expressionPath(name, syntax)
    if (path === '' || path === 'super' || /^(?:import|require)\(\)/.test(path)) return
    if (path === 'eval' || path === 'Function') facts.dynamic(line, source.slice(match))
    if (/^(?:vi|jest)\.(?:mock|doMock|importActual|requireActual|unmock)$/.test(path)) {
      const module = specifierIn(list)
      if (module !== '') facts.import({ kind: 'dynamic', module, name: '', alias: '', scope, line })
    }
    const element = ELEMENT_FIRST.exec(path)
    if (element !== null) {
      const start = args.start + 1 + (/^\s*/.exec(list)?.[0].length ?? 0)
      this.elements.set(start, `${element[1]}[]`)
    }
    this.call(scope, path, match, line)
    if (ROUTER.test(path) && path.includes('.')) {
      for (const argument of splitTopLevel(list, ',', syntax)) {
        const handler = expressionPath(argument, syntax)
        if (handler !== '' && !/^['"`]/.test(argument.trim())) facts.reference(scope, 'registers', handler, line)
      }
    }
  }

  returned(scope: number, path: string): void {
    const known = this.returns.get(scope)
    if (path === 'undefined' || path === 'null') return
    if (known === undefined) this.returns.set(scope, path === '' ? null : path)
    else if (known !== path) this.returns.set(scope, null)
  }

  /** True when `offset` lies in a function expression inside of the definition that is not its own body. */
  isInsideCallback(scope: number, offset: number): boolean {
    const { callbacks } = this
    while (callbacks.length > 0 && callbacks[callbacks.length - 1].end <= offset) callbacks.pop()
    const inner = callbacks.at(-1)
    if (inner === undefined || this.bodies.get(inner.start) === scope) return false
    return inner.start >= (scope < 0 ? 0 : this.facts.starts[scope])
  }
}

/** Marks every segment of a dotted name as told. */
function tellPath(path: string, start: number, facts: FactsBuilder): void {
  facts.told.add(start)
  for (const part of path.split('<')[0].matchAll(/\.\s*/g)) facts.told.add(start + part.index + part[0].length)
}
