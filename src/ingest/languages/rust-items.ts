/** Items of Rust → definitions, imports, fields, bases and the types in their heads. */

import { argumentsOf, headOf } from '#ingest/expression'
import type { Definition } from '#ingest/facts'
import { Body } from '#ingest/languages/rust-body'
import { STD_MACROS } from '#ingest/languages/rust-macros-known'
import type { NameCounts } from '#ingest/languages/rust-names'
import { type Made, MacroRules } from '#ingest/languages/rust-macro-rules'
import { findWrappers, type Wrapper } from '#ingest/languages/rust-macros'
import { Cursor, OPEN, tokenAt, tokenize, type Tokens } from '#ingest/languages/rust-tokens'
import { type Named, readType, readTypeParameters, readWhere, type TypeParameter } from '#ingest/languages/rust-types'
import { readUse } from '#ingest/languages/rust-use'
import type { Match, Part } from '#ingest/parse'
import { cut, type FactsBuilder, firstSentence, type Source } from '#ingest/source'

/** Types that are never a symbol of the project. */
const KNOWN = new Set(
  'Self str bool char usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 Option Vec Box String Send Sync Sized'.split(
    ' ',
  ),
)
const PLAIN_ATTRIBUTES = new Set(
  'derive cfg cfg_attr test allow warn deny forbid inline doc must_use repr path non_exhaustive macro_use macro_export deprecated ignore should_panic automatically_derived cold track_caller no_mangle link export_name global_allocator target_feature feature expect default serde clap arg command error from source'.split(
    ' ',
  ),
)

interface Impl {
  end: number
  /** The type as written, `.` between segments; `_` when it is a type parameter. */
  owner: string
  /** Its definition in this file or -1. */
  definition: number
  isTrait: boolean
  condition: string | undefined
  parameters: TypeParameter[]
}

export class RustItems {
  readonly #source: Source
  readonly #facts: FactsBuilder
  readonly #tokens: Tokens
  readonly #rules: MacroRules
  readonly #impls: Impl[] = []
  readonly #counts: NameCounts = new Map()
  #attributes: Match[] = []
  #threadLocals: readonly Wrapper[] = []
  /** Code in front of this has been read. */
  #readUntil = 0

  constructor(source: Source, facts: FactsBuilder) {
    this.#source = source
    this.#facts = facts
    this.#tokens = tokenize(source.text)
    this.#rules = new MacroRules(this.#tokens)
  }

  read(matches: readonly Match[]): void {
    const wrappers = findWrappers(this.#source.text)
    this.#threadLocals = wrappers.filter((it) => it.path.endsWith('thread_local') || it.path.endsWith('task_local'))
    let wrapper = 0
    for (const match of matches) {
      for (; wrapper < wrappers.length && wrappers[wrapper].start <= match.start; wrapper++)
        this.#invoked(wrappers[wrapper].path, wrappers[wrapper].start)
      this.#item(match, this.#source.part(match, 'name'))
    }
    for (; wrapper < wrappers.length; wrapper++) this.#invoked(wrappers[wrapper].path, wrappers[wrapper].start)
  }

  #invoked(path: string, offset: number): void {
    if (!STD_MACROS.has(path) || this.#rules.has(path))
      this.#facts.reference(this.#facts.scopeAt(offset), 'calls', `${path}!`, this.#source.lineAt(offset))
  }

  #item(match: Match, name: Part | undefined): void {
    const scope = this.#facts.scopeAt(match.start)
    switch (match.kind) {
      case 'attribute':
        this.#attribute(match)
        return
      case 'use':
        readUse(this.#source.slice(match), match.line, scope, this.#facts, this.#takeCondition(match.start))
        return
      case 'extern':
        this.#externCrate(match, scope)
        return
      case 'impl':
        this.#impl(match, scope)
        return
      case 'invoke':
        this.#invoke(match, scope)
        return
    }
    if (name === undefined) return
    switch (match.kind) {
      case 'mod':
        this.#mod(match, name, scope)
        return
      case 'struct':
      case 'enum':
        this.#type(match, name, match.kind)
        return
      case 'variant':
        this.#variant(match, name, scope)
        return
      case 'trait':
        this.#trait(match, name)
        return
      case 'alias':
        this.#alias(match, name, scope)
        return
      case 'fn':
        this.#fn(match, name, scope)
        return
      case 'const':
        this.#const(match, name, scope)
        return
      case 'macro':
        this.#define(match, { name: this.#source.slice(name), kind: 'fn', tags: ['macro'] }, name.start)
        this.#readUntil = match.end
    }
  }

  /** A cursor behind the name of an item. */
  #behind(part: Part, end: number): Cursor {
    return new Cursor(this.#tokens, tokenAt(this.#tokens, part.end), tokenAt(this.#tokens, end))
  }

  /** Tells the types that are named within the definition `scope`. */
  #namedIn(scope: number): Named {
    return (path, offset) => {
      if (!KNOWN.has(path)) this.#facts.reference(scope, 'references', path, this.#source.lineAt(offset))
    }
  }

  // ---- what stands around items

  #attribute(match: Match): void {
    const last = this.#attributes.at(-1)
    if (last !== undefined && /\S/.test(withoutComments(this.#source.text.slice(last.end, match.start))))
      this.#attributes = []
    this.#attributes.push(match)
  }

  /** The condition of what the attributes so far stand in front of. */
  #takeCondition(start: number): { condition?: string } {
    const attributes = this.#attributes
    this.#attributes = []
    const last = attributes.at(-1)
    if (last === undefined || /\S/.test(withoutComments(this.#source.text.slice(last.end, start)))) return {}
    for (const it of attributes) {
      const condition = conditionOf(this.#source.slice(it))
      if (condition !== '') return { condition }
    }
    return {}
  }

  #implAt(offset: number): Impl | undefined {
    const impls = this.#impls
    while (impls.length > 0 && impls[impls.length - 1].end <= offset) impls.pop()
    return impls.at(-1)
  }

  /** The implementation that a definition directly stands in. */
  #implOf(offset: number, scope: number): Impl | undefined {
    const impl = this.#implAt(offset)
    return impl === undefined || (scope >= 0 && this.#facts.ends[scope] < impl.end) ? undefined : impl
  }

  #ownership(impl: Impl | undefined): { owner?: string; parent?: number } {
    if (impl === undefined) return {}
    return { owner: impl.owner, ...(impl.definition >= 0 ? { parent: impl.definition } : {}) }
  }

  #define(match: Match, definition: Parameters<FactsBuilder['define']>[0], nameStart: number, isScope = true): number {
    const { text } = this.#source
    const attributes = this.#attributes
    const start = attributes.length > 0 ? attributes[0].start : match.start
    const isPublic = text.startsWith('pub', match.start)
    const tags = [...(definition.tags ?? [])]
    for (const it of attributes) tags.push(...attributeTags(this.#source.slice(it)))
    if (isPublic) tags.push('public')
    const comment = this.#facts.commentBefore(start)
    const head = text.slice(match.start, Math.min(match.end, match.start + 300))
    const index = this.#facts.define(
      {
        ...definition,
        tags: [...new Set(tags)],
        excerpt:
          comment === '' ? cut(definition.kind === 'const' ? head : head.split(/[{;]/)[0]) : firstSentence(comment),
        exported: isPublic,
      },
      { start, end: match.end, nameStart, isScope },
    )
    for (const it of attributes) {
      const path = /^#\[\s*([\w:]+)/.exec(this.#source.slice(it))?.[1].replace(/::/g, '.') ?? ''
      if (path !== '' && !PLAIN_ATTRIBUTES.has(path) && !path.startsWith('rustfmt') && !path.startsWith('clippy'))
        this.#facts.reference(index, 'decorates', path, it.line)
    }
    this.#attributes = []
    return index
  }

  #bindTypes(parameters: readonly TypeParameter[], scope: number, line: number): void {
    for (const { name, bound } of parameters) this.#facts.bindType(scope, name, bound, line)
  }

  /** Binds the type parameters that open here before anything names them; their bounds are filled in by `bound`. */
  #openTypes(cursor: Cursor, scope: number, line: number): { bound: (parameters: readonly TypeParameter[]) => void } {
    const { bindings } = this.#facts.facts
    const { at } = cursor
    const first = bindings.length
    const names = readTypeParameters(cursor, () => {})
    this.#bindTypes(names, scope, line)
    cursor.at = at
    const own = bindings.slice(first)
    const isType = this.#facts.facts.definitions[scope].kind !== 'fn'
    return {
      bound: (parameters) => {
        own.forEach((it, i) => {
          it.type = parameters[i]?.bound ?? ''
          if (isType) it.value = parameters[i]?.value ?? ''
        })
      },
    }
  }

  // ---- modules and macros

  #externCrate(match: Match, scope: number): void {
    this.#attributes = []
    const module = this.#source.partText(match, 'name')
    const alias = this.#source.partText(match, 'alias') || module
    this.#facts.import({ kind: 'import', module: `::${module}`, name: '', alias, scope, line: match.line })
  }

  #mod(match: Match, name: Part, scope: number): void {
    const label = this.#source.slice(name).replace(/^r#/, '')
    if (this.#source.part(match, 'body') !== undefined) {
      this.#define(match, { name: label, kind: 'mod' }, name.start)
      return
    }
    const path = this.#attributes
      .map((it) => /^#\[\s*path\s*=\s*"([^"]+)"/.exec(this.#source.slice(it))?.[1])
      .find((it) => it !== undefined)
    const module = path === undefined ? label : `./${path}`
    const condition = this.#takeCondition(match.start)
    this.#facts.import({ kind: 'module', module, name: '', alias: label, scope, line: match.line, ...condition })
  }

  /** A macro that stands where items do, or within one whose tokens are not read otherwise. */
  #invoke(match: Match, scope: number): void {
    this.#attributes = []
    if (match.start < this.#readUntil) return
    const callee = this.#source.part(match, 'callee')
    if (callee === undefined) return
    const path = this.#source.slice(callee).replace(/::/g, '.').replace(/\s/g, '')
    this.#invoked(path, match.start)
    const cursor = this.#behind(callee, match.end)
    cursor.at++
    this.#readUntil = match.end
    if (cursor.kind !== OPEN) return
    const name = path.slice(path.lastIndexOf('.') + 1)
    const made = this.#rules.has(name) ? this.#rules.made(name, cursor.at) : this.#madeOutside(cursor)
    if (made.length > 0) this.#make(match, made, cursor)
    else new Body(cursor, this.#facts, scope, this.#counts, this.#rules).macroArguments(name)
  }

  /** Where items stand, a name and a block or closure that follows it can only become a function. */
  #madeOutside(cursor: Cursor): Made[] {
    const { at } = cursor
    const close = cursor.close()
    if (!cursor.isName(at + 1) || !/^[a-z_]/.test(cursor.word(at + 1)) || !cursor.is(',', at + 2)) return []
    let start = true
    for (let i = at + 3; i < close; ) {
      if (start && (cursor.is('|', i) || cursor.is('||', i) || cursor.is('{', i)))
        return [{ kind: 'fn', at: at + 1, end: close }]
      start = cursor.is(',', i)
      i = this.#tokens.kinds[i] === OPEN ? cursor.close(i) + 1 : i + 1
    }
    return []
  }

  /** Defines what a macro makes of the names in its arguments, and reads what stands between them. */
  #make(match: Match, made: readonly Made[], cursor: Cursor): void {
    const { starts, ends } = this.#tokens
    const close = cursor.close()
    made.forEach(({ kind, at, end }, i) => {
      cursor.end = close
      // a single one is all of the invocation
      const start = made.length === 1 ? match.start : starts[at]
      const last = made.length === 1 ? match.end : ends[end - 1]
      const index = this.#facts.define(
        {
          name: cursor.word(at),
          kind,
          tags: ['macro_made'],
          excerpt: cut(this.#source.text.slice(start, Math.min(last, start + 200)).split('\n')[0]),
          exported: false,
        },
        { start, end: last, nameStart: starts[at], isScope: made.length === 1 },
      )
      cursor.at = at + 1
      cursor.end = i === made.length - 1 ? close : end
      // which of several uses which argument is not to be seen
      const scope = made.length === 1 ? index : this.#facts.scopeAt(match.start)
      new Body(cursor, this.#facts, scope, this.#counts, this.#rules).arguments(cursor.end)
    })
  }

  // ---- types

  #type(match: Match, name: Part, kind: 'struct' | 'enum'): void {
    const index = this.#define(match, { name: this.#source.slice(name), kind, type: '' }, name.start)
    const cursor = this.#behind(name, match.end)
    const named = this.#namedIn(index)
    const open = this.#openTypes(cursor, index, match.line)
    const parameters = readTypeParameters(cursor, named)
    readWhere(cursor, named, parameters)
    if (kind === 'struct') {
      this.#fields(cursor, index, named)
      readWhere(cursor, named, parameters)
    }
    open.bound(parameters)
  }

  /** Fields of a struct or variant in the brackets here, bound in `scope`. */
  #fields(cursor: Cursor, scope: number, named: Named): void {
    if (cursor.kind !== OPEN || cursor.is('[')) return
    const isTuple = cursor.is('(')
    const outer = cursor.end
    const close = cursor.close()
    cursor.at++
    cursor.end = close
    for (let i = 0; cursor.at < close; ) {
      const before = cursor.at
      while (cursor.is('#')) {
        cursor.at++
        cursor.skip()
      }
      if (cursor.take('pub') && cursor.is('(') && !this.#isTupleType(cursor)) cursor.skip()
      const { start } = cursor
      const name = isTuple ? `${i}` : cursor.word()
      if (!isTuple) cursor.at++
      if (isTuple || cursor.take(':')) {
        const type = readType(cursor, named)
        this.#facts.bind({ scope, name, kind: 'field', type, value: '', line: this.#source.lineAt(start) })
        i++
      }
      if (cursor.is('=')) cursor.skipTo(',')
      if (!cursor.take(',') && cursor.at === before) cursor.skip()
    }
    cursor.end = outer
    cursor.at = Math.min(outer, close + 1)
  }

  /** `pub (A, B)` is a field whose type is a tuple, `pub(crate)` a restriction. */
  #isTupleType(cursor: Cursor): boolean {
    const at = cursor.at + 1
    return !(cursor.is('crate', at) || cursor.is('super', at) || cursor.is('self', at) || cursor.is('in', at))
  }

  #variant(match: Match, name: Part, scope: number): void {
    this.#attributes = []
    const index = this.#facts.define(
      {
        name: this.#source.slice(name),
        kind: 'variant',
        tags: ['variant'],
        excerpt: cut(this.#source.slice(match)),
      },
      { start: match.start, end: match.end, nameStart: name.start, isScope: false },
    )
    const cursor = this.#behind(name, match.end)
    if (cursor.take('=')) new Body(cursor, this.#facts, scope, this.#counts, this.#rules).value()
    else this.#fields(cursor, index, this.#namedIn(scope))
  }

  #trait(match: Match, name: Part): void {
    const index = this.#define(
      match,
      { name: this.#source.slice(name), kind: 'trait', type: '', tags: ['interface'] },
      name.start,
    )
    const cursor = this.#behind(name, match.end)
    const named = this.#namedIn(index)
    const open = this.#openTypes(cursor, index, match.line)
    const parameters = readTypeParameters(cursor, named)
    if (cursor.take(':')) this.#bounds(cursor, index, match.line)
    // `where Self: Other` is a base as well
    const own: TypeParameter = { name: 'Self', bound: '', value: '' }
    readWhere(cursor, named, [...parameters, own])
    if (own.bound !== '') this.#inheritAll(own.bound, index, match.line)
    open.bound(parameters)
  }

  /** `A + B` behind the name of a trait: its bases. */
  #bounds(cursor: Cursor, index: number, line: number): void {
    this.#inheritAll(
      readType(cursor, () => {}),
      index,
      line,
    )
  }

  #inheritAll(bound: string, index: number, line: number): void {
    const all = bound.startsWith('@Bounds<') ? splitArguments(bound.slice(8, -1)) : [bound]
    for (const base of all) if (base !== '') this.#facts.inherit(index, base, line)
  }

  #alias(match: Match, name: Part, scope: number): void {
    const cursor = this.#behind(name, match.end)
    const start = cursor.at
    readTypeParameters(cursor, () => {})
    if (cursor.take(':')) readType(cursor, () => {})
    readWhere(cursor, () => {}, [])
    const type = cursor.take('=') ? readType(cursor, () => {}) : ''
    const impl = this.#implOf(match.start, scope)
    const index = this.#define(
      match,
      { name: this.#source.slice(name), kind: 'type', type, ...this.#ownership(impl) },
      name.start,
    )
    if (impl !== undefined) this.#bindTypes(impl.parameters, index, match.line)
    const named = this.#namedIn(index)
    cursor.at = start
    const open = this.#openTypes(cursor, index, match.line)
    const parameters = readTypeParameters(cursor, named)
    const bound = cursor.take(':') ? readType(cursor, named) : ''
    readWhere(cursor, named, parameters)
    if (cursor.take('=')) readType(cursor, named)
    // an associated type of a trait is what its bounds say
    if (type === '' && bound !== '') this.#facts.facts.definitions[index].type = bound
    open.bound(parameters)
  }

  #impl(match: Match, scope: number): void {
    const { condition } = this.#takeCondition(match.start)
    const at = tokenAt(this.#tokens, match.start)
    const cursor = new Cursor(this.#tokens, at, tokenAt(this.#tokens, match.end))
    while (cursor.at < cursor.end && !cursor.take('impl')) cursor.at++
    const heads: { path: string; offset: number }[] = []
    const named: Named = (path, offset) => heads.push({ path, offset })
    const parameters = cursor.is('<') ? readTypeParameters(cursor, named) : []
    cursor.take('!')
    let type = readType(cursor, named)
    let trait = ''
    let isPointer = false
    if (cursor.take('for')) {
      trait = type
      isPointer = cursor.is('*')
      type = readType(cursor, named)
    }
    readWhere(cursor, named, parameters)
    // an implementation for every type has no owner, but says which types it is for
    const parameter = parameters.find((it) => it.name === type)
    if (isPointer) type = '@Pointer'
    else if (parameter !== undefined) type = parameter.bound === '' ? `_<${type}>` : `_<${type},${parameter.bound}>`
    const owner = headOf(type)
    const label = owner.slice(owner.lastIndexOf('.') + 1)
    const definition = this.#facts.typeNamed(label, scope)
    this.#impls.push({ end: match.end, owner: type, definition, isTrait: trait !== '', parameters, condition })
    if (trait !== '' && definition >= 0) this.#facts.inherit(definition, trait, match.line)
    else if (trait !== '' && type !== '')
      this.#facts.reference(scope, 'implements', headOf(trait), match.line, {
        owner: type,
        argTypes: argumentsOf(trait),
      })
    // the head belongs to its type
    const from = definition >= 0 ? definition : scope
    const tell = this.#namedIn(from)
    const own = new Set(parameters.map((it) => it.name))
    for (const { path, offset } of heads) {
      if (path !== owner && path !== headOf(trait) && !own.has(path.split('.')[0])) tell(path, offset)
    }
  }

  // ---- functions and constants

  #fn(match: Match, name: Part, scope: number): void {
    const { text } = this.#source
    const impl = this.#implOf(match.start, scope)
    const label = this.#source.slice(name).replace(/^r#/, '')
    const tags: string[] = []
    if (impl !== undefined || (scope >= 0 && this.#facts.facts.definitions[scope].kind === 'trait')) tags.push('method')
    if (impl?.isTrait === true) tags.push('impl_method')
    if (impl?.condition !== undefined) tags.push(`cfg:${impl.condition}`)
    if (/\basync\b/.test(text.slice(match.start, name.start))) tags.push('async')
    if (label === 'main' && scope < 0) tags.push('entrypoint')
    const index = this.#define(match, { name: label, kind: 'fn', tags, ...this.#ownership(impl) }, name.start)

    if (impl !== undefined) this.#bindTypes(impl.parameters, index, match.line)
    const cursor = this.#behind(name, match.end)
    const named = this.#namedIn(index)
    const open = this.#openTypes(cursor, index, match.line)
    const parameters = readTypeParameters(cursor, named)
    const body = new Body(cursor, this.#facts, index, this.#counts, this.#rules)
    const types = cursor.is('(') ? body.parameters() : []
    const result = cursor.take('->') ? readType(cursor, named) : ''
    readWhere(cursor, named, parameters)
    open.bound(parameters)
    const definition: Definition = this.#facts.facts.definitions[index]
    definition.type = result
    definition.arity = types.length
    if (types.length > 0) definition.parameters = types
    if (cursor.is('{')) {
      body.block()
      this.#readUntil = match.end
    }
  }

  #const(match: Match, name: Part, scope: number): void {
    const label = this.#source.slice(name)
    const cursor = this.#behind(name, match.end)
    const inFunction = scope >= 0 && this.#facts.facts.definitions[scope].kind === 'fn'
    const from = cursor.at
    const written = cursor.take(':') ? readType(cursor, () => {}) : ''
    const isLocal = this.#threadLocals.some((it) => it.open < match.start && match.start < it.close)
    const type = isLocal ? `LocalKey<${written}>` : written
    if (inFunction) {
      this.#attributes = []
      this.#facts.bind({ scope, name: label, kind: 'local', type, value: '', line: match.line })
    } else {
      const impl = this.#implOf(match.start, scope)
      this.#define(match, { name: label, kind: 'const', type, ...this.#ownership(impl) }, name.start, false)
      if (impl === undefined) this.#facts.bind({ scope, name: label, kind: 'local', type, value: '', line: match.line })
    }
    // what stands in it belongs to what is around it
    const named = this.#namedIn(scope)
    cursor.at = from
    if (cursor.take(':')) readType(cursor, named)
    if (cursor.take('=')) new Body(cursor, this.#facts, scope, this.#counts, this.#rules).value()
    this.#readUntil = Math.max(this.#readUntil, match.end)
  }
}

function withoutComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
}

function attributeTags(attribute: string): string[] {
  const derive = /^#\[\s*derive\s*\(([\s\S]*)\)\s*\]$/.exec(attribute)
  if (derive !== null)
    return derive[1]
      .split(',')
      .map((it) => `derive:${it.trim().replace(/^.*::/, '').toLowerCase()}`)
      .filter((it) => it !== 'derive:')
  if (/^#\[\s*(?:[\w:]+::)?test\b/.test(attribute) || /^#\[\s*cfg\s*\(\s*test\s*\)/.test(attribute)) return ['test']
  const condition = conditionOf(attribute)
  if (condition !== '') return [`cfg:${condition}`]
  return /^#\[\s*deprecated/.test(attribute) ? ['deprecated'] : []
}

/** What stands in `#[cfg(…)]`, '' in any other attribute. */
function conditionOf(attribute: string): string {
  const found = /^#\[\s*cfg\s*\(([\s\S]*)\)\s*\]$/.exec(attribute)
  return found === null
    ? ''
    : withoutComments(found[1])
        .replace(/[\s"]|,\s*$/g, '')
        .toLowerCase()
}

/** Parts between the outermost commas. */
function splitArguments(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const c = text[i]
    if (c === '<') depth++
    else if (c === '>') depth--
    else if ((c === ',' && depth === 0) || i === text.length) {
      parts.push(text.slice(from, i))
      from = i + 1
    }
  }
  return parts
}
