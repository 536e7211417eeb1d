/** What the modules that read a script share: its text and matches, and what was found in it so far. */

import type { Import } from '#ingest/facts'
import { skipAnnotations } from '#ingest/expression'
import { Contexts } from '#ingest/languages/es-contexts'
import { documentedTypes, type Documented } from '#ingest/languages/es-jsdoc'
import { bindParameters, type Parameters, type ParameterScope } from '#ingest/languages/es-patterns'
import { keyOf, syntax } from '#ingest/languages/es-syntax'
import { typeOf } from '#ingest/languages/es-types'
import type { Match, Part } from '#ingest/parse'
import { cut, type FactsBuilder, firstSentence, type Source } from '#ingest/source'

interface Place extends Omit<ParameterScope, 'documented'> {
  documented?: Documented
}

export class Reader {
  readonly source: Source
  readonly text: string
  readonly facts: FactsBuilder
  /** Function expressions by where they start. */
  readonly functions = new Map<number, Match>()
  readonly contexts: Contexts
  /** Definition that a function expression is the body of, by where the function starts. */
  readonly bodies = new Map<number, number>()
  /** Class expressions that are named by what they are assigned to, by where they start. */
  readonly ownClasses = new Set<number>()
  /** Functions without a body. */
  readonly signatures = new Set<number>()
  /** What functions return, as paths. */
  readonly returns = new Map<number, string[]>()
  decorators: { path: string; line: number; end: number }[] = []
  /** Where the field or the parameters end that the reader is in. */
  decoratedUntil = -1
  exportedFrom = -1
  exportedAt = -1
  neverUntil = -1
  /** Up to where assignments are told by the declaration that they stand in. */
  chainUntil = -1
  /** Objects that are assigned to a prototype, and whose it is. */
  readonly prototypes = new Map<number, string>()
  /** Function expressions that are open where the reader stands, innermost last. */
  readonly #callbacks: Match[] = []
  /** Objects within objects that the reader is in; they become definitions when they hold a function. */
  readonly #objects: { name: string; nameStart: number; match: Match; definition: number }[] = []
  readonly #modules = new Map<string, string>()
  readonly #isPlain: boolean

  constructor(source: Source, matches: readonly Match[], facts: FactsBuilder) {
    this.source = source
    this.text = source.text
    this.facts = facts
    this.#isPlain = facts.facts.language === 'javascript'
    const starts: number[] = []
    for (const match of matches) {
      if (match.kind === 'function') this.functions.set(match.start, match)
      if (match.kind === 'function' || match.kind === 'method') starts.push(match.start)
    }
    this.contexts = new Contexts(source, facts, this.functions, starts)
  }

  /** A type as facts write it; modules that it names become imports. */
  type(text: string, line: number, kind: Import['kind'] = 'type'): string {
    return typeOf(this.#withModules(text, line, kind))
  }

  /** `import("./cart").Cart` names the module by an import of its own. */
  #withModules(text: string, line: number, kind: Import['kind']): string {
    if (!text.includes('import(')) return text
    return text.replace(/import\(\s*(["'])([^"'\n]+)\1\s*\)/g, (_, __, module: string) =>
      this.module(module, kind, line),
    )
  }

  /** A name for a module that an expression or a type loads by itself. */
  module(module: string, kind: Import['kind'], line: number): string {
    const key = `${kind} ${module}`
    let alias = this.#modules.get(key)
    if (alias === undefined) {
      alias = `import$${this.#modules.size}`
      this.#modules.set(key, alias)
      this.facts.import({ kind, module, name: '', alias, scope: -1, line })
    }
    return alias
  }

  /** Types in the comment above a definition of plain JavaScript; undefined when there are none. */
  documented(start: number): Documented | undefined {
    if (!this.#isPlain || !this.#hasCommentAbove(start)) return undefined
    const comment = this.#commentAbove(start)
    return comment.startsWith('/**')
      ? documentedTypes(comment, (text) => this.type(text, this.source.lineAt(start), 'comment'))
      : undefined
  }

  /** A quick look, since most variables have none. */
  #hasCommentAbove(start: number): boolean {
    const { text } = this
    const line = text.lastIndexOf('\n', start) + 1
    let end = line - 1
    while (end > 0 && text.charCodeAt(end - 1) <= 32) end--
    return text.startsWith('*/', end - 2) || text.slice(line, start).includes('*/')
  }

  #comment = { start: -1, text: '' }

  /** The comment above a definition; several ask for that of one. */
  #commentAbove(start: number): string {
    if (this.#comment.start !== start) this.#comment = { start, text: this.facts.commentAbove(start) }
    return this.#comment.text
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
    const comment = this.#commentAbove(start)
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

  /** A definition whose body is the function expression that starts at `body`. */
  defineBody(
    definition: { name: string; tags: string[]; owner?: string },
    body: number,
    match: { start: number; end: number },
    nameStart: number,
    span = match,
  ): number {
    const index = this.facts.define(
      {
        name: definition.name,
        kind: 'fn',
        tags: definition.tags,
        excerpt: this.excerptOf(match.start, this.signatureEndAt(body)),
        arity: -1,
        ...(definition.owner === undefined ? {} : { owner: definition.owner }),
      },
      { start: span.start, end: span.end, nameStart },
    )
    this.bodies.set(body, index)
    return index
  }

  /** Binds the parameters of a definition and says what is known of them. */
  takeParameters(definition: number, params: Part, match: Match, holder: number): void {
    const it = this.facts.facts.definitions[definition]
    const documented = this.documented(this.facts.starts[definition])
    const context = this.contexts.at(match.start)
    const { arity, types } = this.#bind(params, { scope: definition, holder, context, documented, kind: 'parameter' })
    it.arity = arity
    if (types.length > 0) it.parameters = types
    if (documented?.result !== undefined && (it.type ?? '') === '') it.type = documented.result
  }

  /** Binds the parameters of a function that is no definition in the scope around it. */
  takeCallback(params: Part, scope: number, match: Match): void {
    this.#bind(params, { scope, holder: -1, context: this.contexts.at(match.start), kind: 'local' })
  }

  #bind(params: Part, place: Place): Parameters {
    this.decoratedUntil = Math.max(this.decoratedUntil, params.end)
    const { scope, holder, context, documented, kind } = place
    return bindParameters(this, params, { scope, holder, context, documented: documented?.parameters, kind })
  }

  /** The object within `scope` around `offset`, which becomes a definition unless it is `scope` itself. */
  objectAt(scope: number, offset: number): number {
    const { facts } = this
    const objects = this.#objects
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

  enterObject(match: Match): void {
    const name = this.source.part(match, 'name')
    if (name !== undefined)
      this.#objects.push({ name: this.source.slice(name), nameStart: name.start, match, definition: -1 })
  }

  enterFunction(match: Match): void {
    this.#leaveFunctions(match.start)
    this.#callbacks.push(match)
  }

  #leaveFunctions(offset: number): void {
    const callbacks = this.#callbacks
    while (callbacks.length > 0 && callbacks[callbacks.length - 1].end <= offset) callbacks.pop()
  }

  /** True when `offset` lies in a function expression inside of the definition that is not its own body. */
  isInsideCallback(scope: number, offset: number): boolean {
    this.#leaveFunctions(offset)
    const inner = this.#callbacks.at(-1)
    if (inner === undefined || this.bodies.get(inner.start) === scope) return false
    return inner.start >= (scope < 0 ? 0 : this.facts.starts[scope])
  }

  /** A function expression, or the one that a call is handed: `memo(() => …)`. */
  functionIn(value: Part): Match | undefined {
    const direct = this.functions.get(value.start)
    if (direct !== undefined) return direct
    const text = this.text.slice(value.start, Math.min(value.end, value.start + 600))
    const wrapped = /^[\w$.]+(?:<[^()]*>)?\((?:\s*[\w$.'"/-]+\s*,)*\s*/.exec(text)
    return wrapped === null ? undefined : this.functions.get(value.start + wrapped[0].length)
  }

  call(scope: number, path: string, match: Match, line = match.line): void {
    this.facts.reference(scope, 'calls', path, line, match.start < this.neverUntil ? { unreachable: true } : {})
  }

  returned(scope: number, path: string): void {
    if (path === 'undefined' || path === 'null' || path === '') return
    const known = this.returns.get(scope)
    if (known === undefined) this.returns.set(scope, [path])
    else if (!known.includes(path)) known.push(path)
  }
}
