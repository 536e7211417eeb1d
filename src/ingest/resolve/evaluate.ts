/**
 * Says what an expression path or a type stands for: a scope chain for the first name, then members, results
 * of calls and elements. What holds for good is remembered per scope and text, so that a path is worked out once.
 */

import { type Binding, type Definition, isAnonymous } from '#ingest/facts'
import {
  builtinMember,
  isCallback,
  isCommonMethod,
  isContainerType,
  isPrimitive,
  isTransparent,
  isUnwrapping,
} from '#ingest/resolve/builtins'
import { Classes } from '#ingest/resolve/classes'
import { type Arguments, givenArguments, NO_ARGUMENTS, openingOf, writtenArguments } from '#ingest/resolve/arguments'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { Generics } from '#ingest/resolve/generics'
import { type Held, MapSlot, Memo, type Slot } from '#ingest/resolve/memo'
import { declaredParameter, objectMember, splitAt, structuredType, unionMember } from '#ingest/resolve/structure'
import {
  bindingAt,
  ENTRY_BINDING,
  ENTRY_DEFINITION,
  ENTRY_IMPORT,
  type Entry,
  fileOfScope,
  empty,
  importAt,
  isClass,
  type Program,
} from '#ingest/resolve/program'
import {
  BASE,
  baseOf,
  builtin,
  CONTAINER,
  containerOf,
  DEFINITION,
  definitionOf,
  EXTERNAL,
  FUNCTION,
  viaVariable,
  INSTANCE,
  instanceOf,
  isOpaque,
  MODULE,
  OBJECT,
  objectOf,
  PACKAGE,
  PARAMETER,
  parameterOf,
  RESULT,
  resultOf,
  STANDARD,
  STANDARD_FUNCTION,
  STANDARD_ITEM,
  standardOf,
  UNION,
  unionOf,
  UNKNOWN,
  unknown,
  unseen,
  type Value,
} from '#ingest/resolve/value'

const SELF_TYPES = new Set(['Self', 'self', 'this', 'static', '$this', 'typing.Self', 'Self.Self'])

/** A value, null for none. */
type Remembered = Value | null | Held<Value | null>

/** What a question gives that leads back to itself. */
const NOTHING = { value: null }
const UNKNOWN_YET = { value: unknown }

/** Most steps from one value to the next, far above the longest chain of calls that people write. */
const MAX_DEPTH = 200
/** Longest way through re-exports that is followed. */
const MAX_REEXPORTS = 20
/** The name under which a class of Python keeps its metaclass. */
const METACLASS = 'metaclass@'

/** Most values that one name is said to stand for. */
const MAX_UNITED = 8

export class Evaluator {
  readonly program: Program
  readonly ecosystems: readonly Ecosystem[]
  readonly classes: Classes
  readonly #generics: Generics
  /** What the languages remember of what they ask here is kept in it too. */
  readonly memo = new Memo()
  readonly #values: (Map<string, Remembered> | undefined)[]
  readonly #types: (Map<string, Value | Held<Value>> | undefined)[]
  readonly #members: (Map<string, Remembered> | undefined)[]
  #definitionValues: (Value | undefined)[]
  readonly #library: Ecosystem['library']
  readonly #step: Ecosystem['step']
  readonly #added: Ecosystem['added']
  #depth = 0

  constructor(program: Program, ecosystems: readonly Ecosystem[]) {
    this.program = program
    this.ecosystems = ecosystems
    const nScopes = program.nDefs + program.nFiles
    this.#values = empty(nScopes)
    this.#types = empty(nScopes)
    this.#members = empty(program.nDefs)
    this.#definitionValues = empty(program.nDefs)
    this.classes = new Classes(program, ecosystems, this)
    this.#generics = new Generics(program, this.classes, this)
    this.#library = ecosystems.find((it) => it.library !== undefined)?.library
    const stepping = ecosystems.find((it) => it.step !== undefined)
    this.#step = stepping?.step
    this.#added = stepping?.added
  }

  /** To be called once, before anything else is asked. */
  prepare(): void {
    this.classes.attachOwners()
    this.#library?.prepare()
  }

  ecosystemOf(scope: number): Ecosystem {
    return this.ecosystems[fileOfScope(this.program, scope)]
  }

  definition(id: number): Value {
    let value = this.#definitionValues[id]
    if (value === undefined) {
      value = definitionOf([id])
      this.#definitionValues[id] = value
    }
    return value
  }

  /** The value of an expression path; undefined when its first name, or a member of something known, does not exist. */
  evaluate(scope: number, path: string): Value | undefined {
    let known = this.#values[scope]
    if (known === undefined) {
      known = new Map()
      this.#values[scope] = known
    }
    const before = known.get(path)
    if (before !== undefined) return this.memo.read(before) ?? undefined
    if (this.#isTooDeep()) return unknown
    const value = this.memo.work(new MapSlot(known, path), null, () => this.#evaluate(scope, path) ?? null)
    this.#depth--
    return value ?? undefined
  }

  /** Counts a step. What is cut here would go on elsewhere, where fewer steps lead to it. */
  #isTooDeep(): boolean {
    if (this.#depth <= MAX_DEPTH) {
      this.#depth++
      return false
    }
    this.memo.meetCircle()
    return true
  }

  #evaluate(scope: number, path: string): Value | undefined {
    const last = path.charCodeAt(path.length - 1)
    const first = path.charCodeAt(0)
    if (first === 124 /* | */) return this.ecosystemOf(scope).library?.closure(scope, path.slice(1)) ?? unknown
    if (path.indexOf(' | ') > 0) {
      const alternatives = splitAt(path, ' | ')
      if (alternatives.length > 1) return unionOf(alternatives.map((it) => this.evaluate(scope, it) ?? unknown))
    }
    if (last === 41 /* ) */ && path.length > 2) {
      const open = path.charCodeAt(path.length - 2) === 40 ? path.length - 2 : openingOf(path)
      if (open < 0) return unknown
      const callee = path.slice(0, open)
      const text = path.slice(open + 1, -1)
      if (first === 64 /* @ */ && callee.indexOf('(') < 0)
        return this.ecosystemOf(scope).library?.special(scope, callee.slice(1), text) ?? unknown
      let value = this.callee(scope, callee) ?? this.#head(scope, callee)
      if (value.kind === MODULE) value = this.functionBeside(scope, callee) ?? value
      return this.call(value, text === '' ? NO_ARGUMENTS : this.#written(scope, text))
    }
    if (last === 33 /* ! */)
      return this.ecosystemOf(scope).macro?.(fileOfScope(this.program, scope), scope, path.slice(0, -1))
    if (last === 93 /* ] */ && path.length > 2) {
      const open = path.lastIndexOf('[')
      const held = this.#head(scope, path.slice(0, open))
      return open === path.length - 2 ? this.element(held) : this.#position(held, Number(path.slice(open + 1, -1)))
    }
    if (last === 125 /* } */) {
      if (path.startsWith('{')) return this.#object(scope, path)
      const open = path.lastIndexOf('{')
      return this.parameter(this.#head(scope, path.slice(0, open)), Number(path.slice(open + 1, -1)))
    }
    if (last === 62 /* > */ && path.startsWith('<')) return this.type(scope, path.slice(1, -1))
    const dot = path.lastIndexOf('.')
    if (dot < 0) return this.lookup(scope, path)
    if (dot === 0) return undefined
    const name = path.slice(dot + 1)
    const prefix = path.slice(0, dot)
    let head = this.#head(scope, prefix)
    // in front of a name stands the module, not the function beside it
    if (head.kind === DEFINITION && !prefix.endsWith(')') && this.program.defs[head.id].kind === 'fn')
      head = this.#beside(scope, prefix, false) ?? head
    const value = this.member(head, name)
    if (isOpaque(value)) {
      const extensions = this.ecosystemOf(scope).extensions?.(scope, name) ?? []
      if (extensions.length > 0) return definitionOf(extensions)
    }
    return value === undefined ? this.#otherwise(scope, path.slice(0, dot), name) : value
  }

  readonly #read = (scope: number, path: string): Value | undefined => this.evaluate(scope, path)

  #written(scope: number, text: string): Arguments {
    return writtenArguments(scope, splitArguments(text), this.#read)
  }

  given(values: readonly Value[]): Arguments {
    return givenArguments(values)
  }

  #object(scope: number, path: string): Value {
    const members = splitAt(path.slice(1, -1), ',').map((it) => it.split(/:([\s\S]*)/, 2))
    return objectOf(
      members.map(([name]) => name),
      members.map(([, value]) => (value === '' ? undefined : this.evaluate(scope, value)) ?? unknown),
    )
  }

  /** What a tuple holds at a position; of a list any element. */
  #position(value: Value, index: number): Value {
    if (value.kind === CONTAINER && value.name === 'Tuple') return value.args[index] ?? unknown
    if (value.kind === OBJECT) return this.member(value, String(index)) ?? unknown
    if (value.kind === INSTANCE) {
      const aliased = this.aliased(value.id)
      if (aliased.kind === CONTAINER) return this.#generics.substituted(this.#position(aliased, index), value)
    }
    return this.element(value)
  }

  /** The declared type of a parameter of something that can be called; unknown when none is. */
  parameter(value: Value, index: number): Value {
    if (this.#depth > MAX_DEPTH) return unknown
    this.#depth++
    const declared = declaredParameter(value, index, (it) => this.element(it)) ?? this.#parameterOf(value, index)
    this.#depth--
    return declared
  }

  #parameterOf(value: Value, index: number): Value {
    switch (value.kind) {
      case PARAMETER:
        return this.parameter(value.args[0], index)
      case UNION:
        return unionOf(
          value.args.map((it) => this.parameter(it, index)),
          value.name === '?' ? '?' : '|',
        )
      case INSTANCE: {
        const aliased = this.aliased(value.id)
        const found =
          aliased.kind === UNKNOWN || aliased.kind === EXTERNAL
            ? unionOf(
                this.#signatures(value.id).map((it) => this.parameter(it, index)),
                '?',
              )
            : this.parameter(aliased, index)
        return this.#generics.substituted(found, value)
      }
      case DEFINITION: {
        const found = unionOf(
          value.ids.map((id) => this.#definedParameter(id, index)),
          '?',
        )
        return value.self >= 0 ? this.#generics.substituted(found, instanceOf(value.self, value.args)) : found
      }
    }
    return unknown
  }

  #definedParameter(id: number, index: number): Value {
    const definition = this.program.defs[id]
    if (isClass(definition)) {
      const maker = this.#classMember(id, 'constructor')
      return maker?.kind === DEFINITION ? this.parameter(maker, index) : unknown
    }
    if (definition.kind !== 'fn') {
      const constant = this.constant(id)
      return constant.kind === DEFINITION && constant.id === id ? unknown : this.parameter(constant, index)
    }
    const { parameters } = definition
    if (parameters === undefined || parameters.length === 0) return unknown
    const last = parameters[parameters.length - 1]
    const text = parameters[index] ?? (last.startsWith('...') ? last : '')
    if (text.startsWith('...')) return text === '...' ? unknown : this.element(this.type(id, text.slice(3)))
    return text === '' ? unknown : this.type(id, text)
  }

  /** The ways in which an object that is a function can be called. */
  #signatures(id: number, seen = new Set<number>()): Value[] {
    const found: Value[] = []
    if (seen.has(id)) return found
    seen.add(id)
    for (let it = this.program.scopes.at(id)?.get('()'); it !== undefined; it = it.next)
      if (it.kind === ENTRY_BINDING) found.push(this.type(id, bindingAt(this.program, id, it.index).type))
    if (found.length > 0) return found
    for (const base of this.classes.bases(id).ids) found.push(...this.#signatures(base, seen))
    return found
  }

  /** Goes on from a value along `.name`, `()` and `[]`. */
  follow(from: Value, steps: string): Value | undefined {
    let value: Value | undefined = from
    for (const [step] of steps.matchAll(/\(\)|\[\]|\.[^.()[\]]+/g)) {
      if (value === undefined) return undefined
      value = step === '()' ? this.call(value) : step === '[]' ? this.element(value) : this.member(value, step.slice(1))
    }
    return value
  }

  /** A name that inner blocks bind again may mean another value, one that does have the member. */
  #otherwise(scope: number, receiver: string, name: string): Value | undefined {
    if (receiver.indexOf('.') >= 0 || receiver.endsWith(')')) return undefined
    const { nDefs, parent } = this.program
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      const head = this.program.scopes.at(s)?.get(receiver)
      if (head === undefined) continue
      let open = false
      for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
        if (it.kind !== ENTRY_BINDING) return undefined
        const value = this.binding(s, it.index)
        open ||= value.kind === UNKNOWN
        const found = value.kind === UNKNOWN ? undefined : this.member(value, name)
        if (found !== undefined && found.kind !== UNKNOWN) return found
      }
      return open ? unknown : undefined
    }
    return undefined
  }

  /** The receiver of a step: a name that nobody binds is a global of the language where names are declared. */
  #head(scope: number, path: string): Value {
    const value = this.evaluate(scope, path)
    if (value !== undefined) return value
    const rootless = path.indexOf('.') < 0 && path.indexOf('(') < 0
    if (path === '?' || !rootless) return unknown
    return this.ecosystemOf(scope).closedWorld || isPrimitive(path) ? builtin : unknown
  }

  // ---- names

  lookup(scope: number, name: string): Value | undefined {
    const { nDefs, defs, parent, fileOf } = this.program
    const ecosystem = this.ecosystemOf(scope)
    // words of the language, which no import brings in
    if (ecosystem.library !== undefined && (name === 'super' || name === 'crate' || name === '$crate'))
      return ecosystem.ambient(fileOfScope(this.program, scope), name, scope)
    if (ecosystem.selfNames.has(name)) {
      const receiver = this.#receiver(scope, name)
      if (receiver !== undefined) return receiver
      const own = this.classes.classAround(scope)
      if (own >= 0) return this.#ownInstance(scope, own)
      if (ecosystem.library !== undefined) {
        const foreign = this.#foreignSelf(scope)
        if (foreign !== undefined) return foreign
      }
    } else if (ecosystem.ownClassNames.has(name)) {
      const own = this.classes.classAround(scope)
      if (own >= 0) return this.#boundAnew(scope, name) ?? this.definition(own)
    } else if (ecosystem.superNames.has(name)) {
      const own = this.classes.classAround(scope)
      // the body of a constant is a class derived from its enum
      if (own >= 0) return this.#inVariant(scope, own) ? instanceOf(own) : baseOf(own)
    }

    let openBase = false
    let hidden = false
    let s = scope
    while (s < nDefs) {
      const definition = defs[s]
      if (ecosystem.library !== undefined && isClass(definition)) {
        // what belongs to a type is named through it
        const value = this.#typeParameterIn(s, name)
        if (value !== undefined) return value
      } else if (isClass(definition)) {
        if (definition.name === name && ecosystem.implicitThis)
          return this.nameIn(this.classes.outerScope(s), name) ?? this.definition(s)
        const value = ecosystem.implicitThis
          ? this.#classMember(s, name)
          : this.#classLocal(s, name, s === scope && ecosystem.membersApart !== true)
        if (value !== undefined) {
          // what a library's class may well have itself is not taken from further out
          if (hidden && value.kind === DEFINITION && isCommonMethod(name)) return builtin
          if (value !== unseen) return this.#seenFrom(value, s)
          openBase = true
          hidden ||= !this.#isCallback(s)
        }
      } else {
        const value = this.nameIn(s, name)
        if (value !== undefined) return value
        if (isAnonymous(definition)) {
          // a lambda whose own instance is what it was handed
          const receiver = this.nameIn(s, 'this')
          const held = receiver === undefined ? undefined : this.member(receiver, name)
          if (held !== undefined && held !== unseen && !isOpaque(held)) return held
          if (receiver !== undefined && isOpaque(receiver)) {
            openBase = true
            hidden = true
          }
        }
        if (definition.kind === 'mod' || this.#hasStars(s)) {
          const starred = this.#starred(s, name)
          if (starred !== undefined) return starred
        }
        if (definition.kind === 'mod' && ecosystem.modulesAreClosed) return ecosystem.ambient(fileOf[s], name, s)
        if (ecosystem.implicitThis && this.classes.owners[s] >= 0) {
          const value = this.#classMember(this.classes.owners[s], name)
          if (value !== undefined && value !== unseen) return value
          if (value !== undefined) openBase = true
        } else if (ecosystem.implicitThis && ecosystem.extensions !== undefined && definition.owner) {
          // within an extension of a library's type
          const beside = ecosystem.extensions(s, name).filter((it) => defs[it].owner === definition.owner)
          if (beside.length > 0) return definitionOf(beside)
          openBase = true
          hidden = true
        }
      }
      s = parent[s] < 0 ? nDefs + fileOf[s] : parent[s]
    }

    const file = s - nDefs
    const value = ecosystem.packageFirst
      ? (this.nameIn(s, name) ?? ecosystem.ambient(file, name, scope) ?? this.#starred(s, name))
      : (this.fileName(file, name) ?? ecosystem.ambient(file, name, scope))
    if (value !== undefined) return value
    if (ecosystem.library !== undefined) return undefined
    // what an unseen base or an unseen library's `*` brings in may be anything
    return openBase || this.#hasOpenStar(file) ? builtin : undefined
  }

  /** The own instance, with the type arguments that the surroundings of a method write. */
  #ownInstance(scope: number, own: number): Value {
    const { nDefs, defs, parent } = this.program
    if (this.ecosystemOf(scope).library === undefined) return instanceOf(own)
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      const { owner } = defs[s]
      if (this.classes.owners[s] < 0 || owner === undefined) continue
      const value = owner.endsWith('>') ? this.type(s, owner) : undefined
      return value?.kind === INSTANCE && value.id === own ? value : instanceOf(own)
    }
    return instanceOf(own, this.#generics.parametersAs(own))
  }

  /** Whether all bases of a class that are seen by name only have few methods, which it has itself. */
  #isCallback(id: number): boolean {
    return (this.program.heritage.get(id) ?? []).every(({ reference }) => isCallback(reference.path))
  }

  /** What `this` stands for in a lambda with a receiver. */
  #receiver(scope: number, name: string): Value | undefined {
    const { nDefs, defs, parent } = this.program
    for (let s = scope; s < nDefs && s >= 0 && !isClass(defs[s]); s = parent[s]) {
      const value = isAnonymous(defs[s]) ? this.nameIn(s, name) : undefined
      if (value !== undefined) return value
    }
    return undefined
  }

  #inVariant(scope: number, own: number): boolean {
    const { defs, parent } = this.program
    for (let s = scope; s >= 0 && s < this.program.nDefs && s !== own; s = parent[s])
      if (defs[s].kind === 'variant') return true
    return false
  }

  /** A member as its own class sees it: with what the class says for the type parameters of its bases. */
  #seenFrom(value: Value, id: number): Value {
    if (!this.program.generic.has(id)) return value
    return value.kind === DEFINITION
      ? (this.#withSelf(value, id) ?? value)
      : this.#generics.substituted(value, instanceOf(id))
  }

  /** The receiver of a method that stands in an implementation for a type of others, or for every type. */
  #foreignSelf(scope: number): Value | undefined {
    const { nDefs, defs, parent } = this.program
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      const { owner, kind } = defs[s]
      if (owner !== undefined && kind === 'fn')
        return this.type(s, owner.startsWith('_<') ? splitArguments(owner.slice(2, -1))[0] : owner)
    }
    return undefined
  }

  /** What a function binds a name like `cls` to itself, by an import or an assignment. */
  #boundAnew(scope: number, name: string): Value | undefined {
    const { nDefs, defs, parent, scopes } = this.program
    for (let s = scope; s >= 0 && s < nDefs && !isClass(defs[s]); s = parent[s]) {
      const head = scopes.at(s)?.get(name)
      if (head === undefined || head.kind === ENTRY_DEFINITION) continue
      if (head.kind === ENTRY_IMPORT || bindingAt(this.program, s, head.index).kind === 'local')
        return this.#entry(s, head)
    }
    return undefined
  }

  /** The function that shares its name with a module, where the language keeps their names apart. */
  functionBeside(scope: number, path: string): Value | undefined {
    return this.#beside(scope, path, true)
  }

  /** The module that shares its name with a function. */
  moduleBeside(scope: number, path: string): Value | undefined {
    return this.#beside(scope, path, false)
  }

  #beside(scope: number, path: string, isFunction: boolean): Value | undefined {
    const { nDefs, parent, fileOf, scopes } = this.program
    if (this.ecosystemOf(scope).library === undefined) return undefined
    const dot = path.lastIndexOf('.')
    const name = path.slice(dot + 1)
    let s = scope
    if (dot > 0) {
      const around = this.evaluate(scope, path.slice(0, dot))
      if (around?.kind !== MODULE && around?.kind !== DEFINITION) return undefined
      s = around.kind === MODULE ? nDefs + around.id : around.id
    } else while (s < nDefs && scopes.at(s)?.has(name) !== true) s = parent[s] < 0 ? nDefs + fileOf[s] : parent[s]
    return this.#inScope(s, name, isFunction, 0)
  }

  /** A function, or a module, by the names and imports of one scope, whatever else has its name. */
  #inScope(scope: number, name: string, isFunction: boolean, depth: number): Value | undefined {
    const key = `${isFunction ? '' : '/'}${scope}:${name}`
    const asking = this.#besideBusy.get(key)
    if (depth > MAX_REEXPORTS || asking !== undefined) {
      if (asking !== undefined) this.memo.lean(asking)
      return undefined
    }
    this.#besideBusy.set(key, this.memo.level)
    const found = this.#findInScope(scope, name, isFunction, depth)
    this.#besideBusy.delete(key)
    return found
  }

  readonly #besideBusy = new Map<string, number>()

  #findInScope(scope: number, name: string, isFunction: boolean, depth: number): Value | undefined {
    const { nDefs, defs, scopes, stars } = this.program
    const file = fileOfScope(this.program, scope)
    const imports: number[] = []
    for (let it = scopes.at(scope)?.get(name); it !== undefined; it = it.next) {
      if (it.kind === ENTRY_DEFINITION && defs[it.index].kind === (isFunction ? 'fn' : 'mod'))
        return this.definition(it.index)
      if (it.kind === ENTRY_IMPORT) imports.push(it.index)
    }
    for (const index of [...imports, ...(stars.get(scope) ?? [])]) {
      const item = importAt(this.program, scope, index)
      if (item.kind === 'module') {
        if (isFunction) continue
        return this.#imported(scope, index)
      }
      const from = this.ecosystems[file].module(file, item, scope)
      const inner = from.kind === MODULE ? nDefs + from.id : from.kind === DEFINITION ? from.id : -1
      if (inner < 0 || inner === scope) continue
      const found = this.#inScope(
        inner,
        item.name === '*' || item.name === '' ? name : item.name,
        isFunction,
        depth + 1,
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  /** A name of the outermost scope of a file, with what its `*` imports bring in. */
  fileName(file: number, name: string): Value | undefined {
    const scope = this.program.nDefs + file
    return this.nameIn(scope, name) ?? this.#starred(scope, name)
  }

  #openStars = new Map<number, boolean | Held<boolean>>()

  #hasOpenStar(file: number): boolean {
    const known = this.#openStars.get(file)
    if (known !== undefined) return this.memo.read(known)
    const scope = this.program.nDefs + file
    const ecosystem = this.ecosystems[file]
    return this.memo.work(new MapSlot(this.#openStars, file), null, () =>
      (this.program.stars.get(scope) ?? []).some((it) => {
        const target = ecosystem.module(file, importAt(this.program, scope, it), scope)
        return target.kind === EXTERNAL && target.name !== ''
      }),
    )
  }

  /**
   * What a call means where methods and variables do not share names: the method, although a variable of that
   * name is nearer. undefined when the plain rules hold.
   */
  callee(scope: number, path: string): Value | undefined {
    const ecosystem = this.ecosystemOf(scope)
    if (ecosystem.library !== undefined) return this.#methodBeside(scope, path)
    if (!ecosystem.methodsApart || path.endsWith(')') || path.endsWith(']')) return undefined
    const value = this.evaluate(scope, path)
    if (value !== undefined && value.kind === DEFINITION) return value
    const dot = path.lastIndexOf('.')
    const name = path.slice(dot + 1)
    if (dot > 0) {
      const receiver = this.evaluate(scope, path.slice(0, dot))
      return receiver === undefined ? undefined : this.#methodOf(receiver, name)
    }
    const { nDefs, defs, parent } = this.program
    let openBase = false
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      if (!isClass(defs[s])) continue
      const method = this.#methodNamed(s, name)
      if (method !== undefined) return openBase && isCommonMethod(name) ? undefined : this.#seenFrom(method, s)
      openBase ||= this.#classMember(s, name) === unseen && !this.#isCallback(s)
    }
    return undefined
  }

  /** The method of that name which a receiver has beside a variable of the same name. */
  #methodOf(receiver: Value, name: string): Value | undefined {
    switch (receiver.kind) {
      case INSTANCE:
        return this.#withSelf(this.#methodNamed(receiver.id, name), receiver.id, receiver.args)
      case DEFINITION:
        return isClass(this.program.defs[receiver.id]) ? this.#methodNamed(receiver.id, name) : undefined
      case PARAMETER:
        return this.#methodOf(receiver.args[0], name)
      case BASE:
        for (const base of this.classes.bases(receiver.id).ids) {
          const method = this.#methodNamed(base, name)
          if (method !== undefined) return method
        }
    }
    return undefined
  }

  #methodNamed(id: number, name: string, seen = new Set<number>()): Value | undefined {
    if (seen.has(id)) return undefined
    seen.add(id)
    const value = this.#classMember(id, name)
    if (value === undefined || value === unseen || value.kind === DEFINITION)
      return value?.kind === DEFINITION ? value : undefined
    const ids: number[] = []
    for (let it = this.program.scopes.at(id)?.get(name); it !== undefined; it = it.next)
      if (it.kind === ENTRY_DEFINITION && this.program.defs[it.index].kind === 'fn') ids.push(it.index)
    if (ids.length > 0) return definitionOf(ids)
    for (const base of this.classes.bases(id).ids) {
      const found = this.#methodNamed(base, name, seen)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The method that shares its name with a field of its receiver. */
  #methodBeside(scope: number, path: string): Value | undefined {
    const dot = path.lastIndexOf('.')
    if (dot <= 0 || path.endsWith(')')) return undefined
    let receiver = this.evaluate(scope, path.slice(0, dot))
    if (receiver?.kind === PARAMETER) receiver = receiver.args[0]
    if (receiver?.kind !== INSTANCE) return undefined
    const name = path.slice(dot + 1)
    if (this.#fieldIn(receiver.id, name) === undefined) return undefined
    const method = this.classes.attachedMember(receiver.id, name) ?? this.nameIn(receiver.id, name)
    return method?.kind === DEFINITION ? this.#withSelf(method, receiver.id, receiver.args) : undefined
  }

  /** The field of a type, whatever methods have its name. */
  #fieldIn(id: number, name: string): Value | undefined {
    for (let it = this.program.scopes.at(id)?.get(name); it !== undefined; it = it.next) {
      if (it.kind === ENTRY_BINDING && bindingAt(this.program, id, it.index).kind === 'field')
        return this.binding(id, it.index)
    }
    return undefined
  }

  /** A type's own methods come before those of the traits that it has. */
  #inherentFirst(ids: readonly number[]): readonly number[] {
    if (ids.length < 2) return ids
    const own = ids.filter((it) => !this.program.defs[it].tags.includes('impl_method'))
    return own.length === 0 ? ids : own
  }

  /** In languages without an implicit receiver a class body's names serve only itself, its type parameters all. */
  #classLocal(scope: number, name: string, direct: boolean): Value | undefined {
    const head = this.program.scopes.at(scope)?.get(name)
    if (head === undefined) return undefined
    const ecosystem = this.ecosystemOf(scope)
    for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
      const kind = it.kind === ENTRY_BINDING ? bindingAt(this.program, scope, it.index).kind : undefined
      // a field may be called like its type
      const seen = direct ? kind !== 'field' || ecosystem.bodySeesFields === true : kind === 'parameter'
      if (seen) return this.#entry(scope, head)
    }
    return undefined
  }

  #typeParameterIn(scope: number, name: string): Value | undefined {
    for (let it = this.program.scopes.at(scope)?.get(name); it !== undefined; it = it.next) {
      if (it.kind === ENTRY_BINDING && bindingAt(this.program, scope, it.index).kind === 'parameter')
        return this.binding(scope, it.index)
    }
    return undefined
  }

  /** A name bound in this very scope. */
  nameIn(scope: number, name: string): Value | undefined {
    const head = this.program.scopes.at(scope)?.get(name)
    return head === undefined ? undefined : this.#entry(scope, head)
  }

  #hasStars(scope: number): boolean {
    return this.program.stars.has(scope)
  }

  /** Names being looked for in what `*` brings in, and the question in which they are. */
  #starBusy = new Map<string, number>()

  #starred(scope: number, name: string): Value | undefined {
    const stars = this.program.stars.get(scope)
    if (stars === undefined) return undefined
    const key = `${scope}:${name}`
    const asking = this.#starBusy.get(key)
    if (asking !== undefined) {
      this.memo.lean(asking)
      return undefined
    }
    this.#starBusy.set(key, this.memo.level)
    const file = fileOfScope(this.program, scope)
    const ecosystem = this.ecosystems[file]
    let found: Value | undefined
    for (const index of stars) {
      const item = importAt(this.program, scope, index)
      if (item.kind === 'reexport' && this.program.facts[file].language !== 'rust') continue
      const target = ecosystem.module(file, item, scope)
      if (target.kind === MODULE) {
        const from = this.ecosystems[target.id]
        found = from.starred ? from.starred(target.id, name) : from.exported(target.id, name)
      } else if (target.kind !== EXTERNAL && target.kind !== UNKNOWN) {
        const value = this.member(target, name)
        found = value === undefined || value.kind === EXTERNAL ? undefined : value
      }
      if (found !== undefined) break
    }
    this.#starBusy.delete(key)
    return found === undefined ? undefined : (ecosystem.nearest?.(file, found) ?? found)
  }

  #entry(scope: number, head: Entry): Value | undefined {
    if (head.value !== undefined) return this.memo.read(head.value) ?? undefined
    return this.memo.work(new EntrySlot(head), NOTHING, () => this.#bound(scope, head)) ?? undefined
  }

  #bound(scope: number, head: Entry): Value {
    let ids: number[] = []
    let variable: Entry | undefined
    for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
      if (it.kind === ENTRY_DEFINITION) ids.push(it.index)
      else if (it.kind === ENTRY_BINDING) variable ??= it
    }
    if (variable !== undefined && ids.length > 0 && this.ecosystemOf(scope).methodsApart)
      if (ids.every((it) => this.program.defs[it].kind === 'fn')) return this.binding(scope, variable.index)
    if (ids.length > 1) ids = this.#active(scope, ids)
    if (ids.length === 1) return this.definition(ids[0])
    if (ids.length > 1) return definitionOf(ids)

    let outside: Value | undefined
    const imports = head.next === undefined ? undefined : this.#activeImports(scope, head)
    const all: Value[] = []
    const unites = head.next !== undefined && head.kind === ENTRY_BINDING && this.ecosystemOf(scope).unites
    for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
      if (imports !== undefined && it.kind === ENTRY_IMPORT && !imports.has(it.index)) continue
      const value =
        it.kind === ENTRY_IMPORT ? this.#imported(scope, it.index) : viaVariable(this.binding(scope, it.index))
      if (!isOpaque(value)) {
        if (!unites || all.length === MAX_UNITED) return value
        all.push(value)
      }
      if (value.kind === EXTERNAL) outside ??= value
    }
    return all.length > 0 ? unionOf(all) : (outside ?? unknown)
  }

  /** Of several definitions of one name those that are built together; all when that leaves none. */
  #active(scope: number, ids: number[]): number[] {
    const { isActive } = this.ecosystemOf(scope)
    if (isActive === undefined) return ids
    const file = fileOfScope(this.program, scope)
    const kept = ids.filter((id) =>
      this.program.defs[id].tags.every((it) => !it.startsWith('cfg:') || isActive(file, it.slice(4))),
    )
    return kept.length === 0 ? ids : kept
  }

  /** The same of imports; undefined when none has a condition. */
  #activeImports(scope: number, head: Entry): Set<number> | undefined {
    const { isActive } = this.ecosystemOf(scope)
    if (isActive === undefined) return undefined
    const file = fileOfScope(this.program, scope)
    const kept = new Set<number>()
    let dropped = false
    for (let it: Entry | undefined = head; it !== undefined; it = it.next) {
      if (it.kind !== ENTRY_IMPORT) continue
      const { condition } = importAt(this.program, scope, it.index)
      if (condition === undefined || isActive(file, condition)) kept.add(it.index)
      else dropped = true
    }
    return dropped && kept.size > 0 ? kept : undefined
  }

  #imported(scope: number, index: number): Value {
    const file = fileOfScope(this.program, scope)
    return this.imported(file, scope, index)
  }

  /** What the import at a position of a file binds. */
  imported(file: number, scope: number, index: number): Value {
    const item = this.program.facts[file].imports[index]
    const ecosystem = this.ecosystems[file]
    const special = ecosystem.imported?.(file, item, scope)
    if (special !== undefined) return special
    const target = ecosystem.module(file, item, scope)
    if (item.name === '' || item.name === '*') return target
    if (target.kind === EXTERNAL) return target
    return this.member(target, item.name) ?? unknown
  }

  binding(scope: number, index: number): Value {
    const binding = bindingAt(this.program, scope, index)
    const { nDefs, defs } = this.program
    if (binding.kind === 'parameter' && scope < nDefs && isClass(defs[scope])) {
      return parameterOf(
        scope,
        binding.name,
        binding.type === '' ? unknown : this.type(this.classes.outerScope(scope), binding.type),
      )
    }
    const { library } = this.ecosystemOf(scope)
    if (library !== undefined && scope < nDefs && binding.kind === 'parameter' && !binding.name.includes('#'))
      return this.#typeParameter(scope, binding)
    if (binding.type !== '') {
      const value = this.type(scope, binding.type)
      if (library !== undefined && binding.value !== '' && binding.type.includes('_')) {
        const from = this.evaluate(scope, binding.value)
        const item = from?.kind === STANDARD ? from.args[0] : undefined
        return item === undefined ? value : library.filled(value, item)
      }
      if (value.kind !== UNKNOWN) return value
    }
    if (binding.value === '') return unknown
    return this.evaluate(this.#valueScope(scope, binding), binding.value) ?? unknown
  }

  /** A type parameter of a function, or that of its class which the head of the implementation gives it. */
  #typeParameter(scope: number, { name, type }: Binding): Value {
    const { defs } = this.program
    const bound = type === '' ? unknown : this.type(this.classes.outerScope(scope), type)
    const owner = this.classes.owners[scope]
    const written = owner < 0 ? undefined : defs[scope].owner
    if (written?.endsWith('>')) {
      const position = splitArguments(written.slice(written.indexOf('<') + 1, -1)).indexOf(name)
      const own = this.#generics.parametersAs(owner)[position]
      if (own !== undefined) return parameterOf(owner, own.name, bound.kind === UNKNOWN ? own.args[0] : bound)
    }
    return parameterOf(scope, name, bound)
  }

  /** Where the value of a binding is read: defaults outside of the function, fields in the method that sets them. */
  #valueScope(scope: number, binding: Binding): number {
    const { nDefs, base, fileOf } = this.program
    if (scope >= nDefs) return scope
    if (binding.valueScope !== undefined && binding.valueScope >= 0) return base[fileOf[scope]] + binding.valueScope
    return binding.kind === 'parameter' ? this.classes.outerScope(scope) : scope
  }

  // ---- steps

  /** Two functions may give each other back, so the way from one value to the next is bounded. */
  member(value: Value, name: string): Value | undefined {
    if (this.#isTooDeep()) return unknown
    const found =
      name.charCodeAt(0) === 64 /* @ */ && this.#step !== undefined
        ? this.#step(value, name)
        : this.#memberOf(value, name)
    this.#depth--
    return found
  }

  #memberOf(value: Value, name: string): Value | undefined {
    switch (value.kind) {
      case UNKNOWN:
        return unknown
      case EXTERNAL:
        return value
      case MODULE:
        return this.ecosystems[value.id].exported(value.id, name)
      case PACKAGE:
        return this.program.packages[value.id].member(name)
      case DEFINITION:
        return this.#definitionMember(value, name)
      case INSTANCE:
        return this.instanceMember(value, name)
      case BASE: {
        const bases = this.classes.properBases(value.id)
        const linear = this.ecosystemOf(value.id).linearises && bases.ids.length > 1
        for (const base of linear ? this.classes.order(value.id).slice(1) : bases.ids) {
          const found = linear ? this.#ownMember(base, name) : this.#classMember(base, name)
          if (found !== undefined && found !== unseen) return this.#seenFrom(found, value.id)
        }
        return bases.open ? unseen : undefined
      }
      case CONTAINER:
        return builtinMember(value, name) ?? builtin
      case UNION:
        return unionMember(value, (it) => this.member(it, name))
      case OBJECT:
        return objectMember(value, name, (it) => this.member(it, name))
      case FUNCTION:
        if (name === 'bind') return resultOf(value)
        return name === 'call' || name === 'apply' ? resultOf(value.args[0]) : builtin
      case RESULT:
      case PARAMETER:
        return this.member(value.args[0], name)
      case STANDARD:
      case STANDARD_ITEM:
      case STANDARD_FUNCTION:
        return this.#library?.member(value, name)
    }
    return undefined
  }

  /** A member as a class or its bases have it. */
  classMember(id: number, name: string): Value | undefined {
    return this.#classMember(id, name)
  }

  substituted(value: Value, receiver: Value): Value {
    return this.#generics.substituted(value, receiver)
  }

  #definitionMember(value: Value, name: string): Value | undefined {
    const { defs } = this.program
    let opaque: Value | undefined
    // what a function calls one of its arguments with
    if (name.charCodeAt(0) === 124 /* | */) {
      const type = defs[value.id].parameters?.[Number(name.slice(1))]
      if (type === undefined) return unknown
      const taken = this.type(value.id, type)
      return value.self < 0 ? taken : this.#generics.substituted(taken, instanceOf(value.self, value.args))
    }
    for (const id of value.ids) {
      const definition = defs[id]
      let found: Value | undefined
      if (isClass(definition)) {
        // an outer instance from within an inner class
        const { library } = this.ecosystemOf(id)
        if (library === undefined && name === 'this') return instanceOf(id)
        if (library === undefined && name === 'super') return baseOf(id)
        found = this.#withSelf(this.#classMember(id, name), id)
        if (found === undefined || found.kind === EXTERNAL) found = this.#metaclassMember(id, name) ?? found
        // Ruby makes instances by a method that no class defines
        if (library !== undefined) {
          if (found === undefined || found === unseen) found = library.fallback(instanceOf(id), name) ?? found
        } else if ((found === undefined || found.kind === EXTERNAL) && name === 'new') found = this.definition(id)
        // what tells about the class itself is part of the language
        if (found === undefined && name === 'class') found = builtin
        // how Java names an object of Kotlin
        if (found === undefined && (name === 'INSTANCE' || name === 'Companion') && this.ecosystemOf(id).methodsApart)
          found = instanceOf(id)
      } else {
        found = definition.kind === 'fn' ? undefined : this.nameIn(id, name)
        found ??= this.classes.attachedMember(id, name)
        if (found === undefined && definition.kind === 'mod') {
          found = this.#starred(id, name)
          if (name === 'super') found ??= this.ecosystemOf(id).ambient(this.program.fileOf[id], name, id)
        }
        if (found === undefined && definition.kind !== 'mod') {
          const inner = definition.kind === 'fn' ? this.result(id, value.self, value.args) : this.constant(id)
          found = inner.kind === DEFINITION && inner.id === id ? unknown : this.member(inner, name)
        }
      }
      if (found === undefined) continue
      if (!isOpaque(found)) return found
      opaque ??= found
    }
    return opaque
  }

  /** A class is an instance of its metaclass. */
  #metaclassMember(id: number, name: string, seen = new Set<number>()): Value | undefined {
    if (seen.has(id)) return undefined
    seen.add(id)
    const meta = this.nameIn(id, METACLASS)
    if (meta?.kind === DEFINITION) return this.instanceMember(instanceOf(meta.id), name)
    for (const base of meta === undefined ? this.classes.bases(id).ids : []) {
      const found = this.#metaclassMember(base, name, seen)
      if (found !== undefined) return found
    }
    return undefined
  }

  instanceMember(value: Value, name: string): Value | undefined {
    const found = this.#withSelf(this.#classMember(value.id, name), value.id, value.args)
    const { library } = this.ecosystemOf(value.id)
    if (library !== undefined) {
      if (found !== undefined && found !== unseen)
        return found.kind === DEFINITION ? found : this.#generics.substituted(found, value)
      return library.fallback(value, name) ?? found
    }
    if (found === undefined) return isUnwrapping(name) ? resultOf(value) : undefined
    return found.kind === DEFINITION ? found : this.#generics.substituted(found, value)
  }

  /** Methods whose result is the own type, or a type parameter, keep the instance that they were reached through. */
  #withSelf(value: Value | undefined, self: number, args: readonly Value[] = []): Value | undefined {
    if (value === undefined || value.kind !== DEFINITION || value.id < 0) return value
    const definition = this.program.defs[value.id]
    if (definition.kind !== 'fn') return value
    if (args.length === 0 && !this.#returnsSelf(value.id, definition) && !this.program.generic.has(self)) return value
    return definitionOf(value.ids, self, args)
  }

  #returnsSelf(id: number, definition: Definition): boolean {
    if (definition.type !== undefined && definition.type !== '') return SELF_TYPES.has(definition.type)
    return this.program.scopes.at(id)?.has('return') === true
  }

  /** Own member, then those of the bases. EXTERNAL when only an unseen base could have it. */
  #classMember(id: number, name: string): Value | undefined {
    let known = this.#members[id]
    if (known === undefined) {
      known = new Map()
      this.#members[id] = known
    }
    const before = known.get(name)
    if (before !== undefined) return this.memo.read(before) ?? undefined
    if (this.#isTooDeep()) return undefined
    // a class that comes up again on the way up adds nothing
    const value = this.memo.work(new MapSlot(known, name), NOTHING, () => this.#findMember(id, name) ?? null)
    this.#depth--
    return value ?? undefined
  }

  #findMember(id: number, name: string): Value | undefined {
    // constructors are named after the class and stand for it
    if (this.program.defs[id].name === name && isClass(this.program.defs[id]) && this.ecosystemOf(id).implicitThis) {
      return this.nameIn(this.classes.outerScope(id), name) ?? this.definition(id)
    }
    const isRust = this.ecosystemOf(id).library !== undefined
    // a field and a method of one name are told apart by the call
    const field = isRust ? this.#fieldIn(id, name) : undefined
    if (field !== undefined) return field
    const own = this.#ownMember(id, name)
    if (isRust && own?.kind === DEFINITION && own.ids.length > 1) return definitionOf(this.#inherentFirst(own.ids))
    if (own !== undefined && own.kind !== UNKNOWN) return isRust ? own : this.#withInherited(own, id, name)

    const definition = this.program.defs[id]
    const bases = this.classes.bases(id)
    const linear = bases.ids.length > 1 && this.ecosystemOf(id).linearises
    let inherited: Value | undefined
    for (const base of linear ? this.classes.order(id).slice(1) : bases.ids) {
      const found = linear ? this.#ownMember(base, name) : this.#classMember(base, name)
      if (found === undefined || found === unseen || found.kind === UNKNOWN) continue
      if (linear) return found
      if (inherited === undefined || this.#overrides(found, inherited)) inherited = found
    }
    if (inherited !== undefined) return isRust ? inherited : this.#withInherited(inherited, id, name)
    if (definition.kind === 'type' || definition.kind === 'const') {
      const aliased = definition.kind === 'const' ? this.constant(id) : this.aliased(id)
      if (aliased.kind === EXTERNAL) return own ?? unseen
      if (aliased.kind !== UNKNOWN && !(aliased.kind === INSTANCE && aliased.id === id)) {
        const found = this.member(aliased, name)
        if (found !== undefined) return found
      }
    }
    if (own !== undefined) return own
    const added = this.#added?.(this.definition(id), name)
    if (added !== undefined) return added
    return this.classes.isOpen(id) ? unseen : undefined
  }

  /** Whether a member belongs to a class that is derived from that of another one. */
  #overrides(member: Value, other: Value): boolean {
    if (member.kind !== DEFINITION || other.kind !== DEFINITION || member.id === other.id) return false
    const owner = this.#ownerOf(member.id)
    const above = this.#ownerOf(other.id)
    return owner >= 0 && above >= 0 && owner !== above && this.classes.descends(owner, above)
  }

  #ownerOf(id: number): number {
    return this.classes.owners[id] >= 0 ? this.classes.owners[id] : this.program.parent[id]
  }

  /** A method together with those of the bases that it does not override. */
  #withInherited(found: Value, id: number, name: string): Value {
    const { defs } = this.program
    if (found.kind !== DEFINITION || defs[found.id].kind !== 'fn') return found
    const { ids: bases } = this.classes.bases(id)
    if (bases.length === 0 || !this.ecosystemOf(id).inheritsOverloads) return found
    let ids = found.ids
    for (const base of bases) {
      const above = this.#classMember(base, name)
      if (above === undefined || above.kind !== DEFINITION || above.ids === found.ids) continue
      const further = above.ids.filter((it) => !ids.some((other) => overrides(defs[other], defs[it])))
      if (further.length > 0) ids = [...ids, ...further]
    }
    return ids === found.ids ? found : definitionOf(ids, found.self, found.args)
  }

  /** What the body of a class has itself, and what is attached to it. */
  #ownMember(id: number, name: string): Value | undefined {
    const own = this.#declaredMember(id, name)
    const attached = this.classes.attachedMember(id, name)
    if (attached === undefined) return own
    return own !== undefined && own.kind === DEFINITION ? definitionOf([...own.ids, ...attached.ids]) : attached
  }

  /** A constructor function has as members what it sets on `this`; its own names are its variables. */
  #declaredMember(id: number, name: string): Value | undefined {
    if (this.program.defs[id].kind !== 'fn') return this.nameIn(id, name)
    const set = this.nameIn(id, `this.${name}`)
    if (set !== undefined) return set
    const own = this.nameIn(id, name)
    return own?.kind === DEFINITION ? own : undefined
  }

  /** What an alias of a type stands for; unknown for anything else. */
  aliased(id: number): Value {
    const definition = this.program.defs[id]
    if (definition.kind !== 'type' || !definition.type) return unknown
    // its own names are the type parameters
    const isOuter = this.ecosystemOf(id).library === undefined && this.program.scopes.at(id) === undefined
    return this.type(isOuter ? this.classes.outerScope(id) : id, definition.type)
  }

  /** The type that a plain name is declared with; '' when the name or its type is not written. */
  writtenType(scope: number, name: string): string {
    if (name.includes('.') || name.includes(')')) return ''
    const { nDefs, parent, fileOf, scopes } = this.program
    for (let s = scope; ; s = parent[s] < 0 ? nDefs + fileOf[s] : parent[s]) {
      for (let it = scopes.at(s)?.get(name); it !== undefined; it = it.next) {
        if (it.kind !== ENTRY_BINDING) continue
        const { type } = bindingAt(this.program, s, it.index)
        if (type !== '') return type
      }
      if (s >= nDefs) return ''
    }
  }

  call(value: Value, args: Arguments = NO_ARGUMENTS): Value {
    if (this.#isTooDeep()) return unknown
    const result = this.#called(value, args)
    this.#depth--
    return result
  }

  #called(value: Value, args: Arguments): Value {
    switch (value.kind) {
      case DEFINITION: {
        const { defs, parent } = this.program
        for (const id of value.ids) {
          const definition = defs[id]
          if (isClass(definition)) return instanceOf(id)
        }
        const definition = defs[value.id]
        if (definition.kind === 'fn') {
          if (this.classes.hasAttached(value.id)) return instanceOf(value.id)
          // of overloads with different results the one that says most
          let best = unknown
          for (const id of value.ids) {
            const plain = this.result(id, value.self, value.args)
            const result = this.#library === undefined ? plain : this.#library.inferred(id, plain, args)
            if (!isOpaque(result)) return result
            if (result.kind === EXTERNAL) best = result
          }
          return best
        }
        if (definition.kind === 'variant') return parent[value.id] >= 0 ? instanceOf(parent[value.id]) : unknown
        if (definition.kind === 'const') {
          const constant = this.constant(value.id)
          if (constant.kind === UNKNOWN && this.classes.hasAttached(value.id)) return instanceOf(value.id)
          return constant.kind === DEFINITION && constant.id === value.id ? unknown : this.call(constant)
        }
        return unknown
      }
      case INSTANCE: {
        const aliased = this.aliased(value.id)
        if (aliased.kind === FUNCTION || aliased.kind === UNION || aliased.kind === INSTANCE)
          return this.#generics.substituted(this.call(aliased), value)
        const method = this.#classMember(value.id, '__call__') ?? this.#classMember(value.id, 'invoke')
        if (method !== undefined && method.kind === DEFINITION) return this.call(method)
        const results = unionOf(
          this.#signatures(value.id).map((it) => this.call(it)),
          '?',
        )
        return this.#generics.substituted(results, value)
      }
      case FUNCTION:
        return value.args[0]
      case UNION:
        return unionOf(
          value.args.map((it) => this.call(it)),
          value.name === '?' ? '?' : '|',
        )
      case BASE:
      case EXTERNAL:
        return value
      case MODULE: {
        const main = this.ecosystems[value.id].exported(value.id, 'default')
        return main === undefined || main.kind === MODULE ? unknown : this.call(main)
      }
      case RESULT:
        return value.args[0]
      case CONTAINER:
        return value
      case PARAMETER:
        return this.call(value.args[0], args)
      case STANDARD:
      case STANDARD_ITEM:
      case STANDARD_FUNCTION:
        return this.#library?.call(value, args) ?? unknown
    }
    return unknown
  }

  element(value: Value): Value {
    if (this.#isTooDeep()) return unknown
    const held = this.#elementOf(value)
    this.#depth--
    return held
  }

  #elementOf(value: Value): Value {
    switch (value.kind) {
      case CONTAINER:
        return value.args.length > 0 ? value.args[value.args.length - 1] : unknown
      case EXTERNAL:
        return value
      case UNION:
        return unionOf(value.args.map((it) => this.element(it)))
      case RESULT:
      case PARAMETER:
        return this.element(value.args[0])
      case STANDARD:
        return this.#library?.element(value) ?? unknown
      case INSTANCE: {
        const aliased = this.aliased(value.id)
        if (aliased.kind === CONTAINER) return this.#generics.substituted(this.element(aliased), value)
        if (this.ecosystemOf(value.id).library !== undefined) {
          const index = this.instanceMember(value, 'index') ?? this.instanceMember(value, '[]')
          return index === undefined ? unknown : this.call(index)
        }
        const method = this.#classMember(value.id, '__getitem__') ?? this.#classMember(value.id, '__iter__')
        if (method !== undefined && method.kind === DEFINITION) {
          const result = this.call(method)
          return result.kind === CONTAINER ? this.element(result) : result
        }
        return value.args.length > 0 ? value.args[value.args.length - 1] : unknown
      }
      case DEFINITION: {
        const definition = this.program.defs[value.id]
        // an element of a class is the class with type arguments
        if (isClass(definition)) return value
        const inner = definition.kind === 'fn' ? this.result(value.id, value.self, value.args) : this.constant(value.id)
        return inner.kind === DEFINITION && inner.id === value.id ? unknown : this.element(inner)
      }
    }
    return unknown
  }

  /** Functions whose result is being looked for, and the question in which it is. */
  #busyResults = new Map<number, number>()

  /** What a call of a function gives. */
  result(id: number, self: number, args: readonly Value[]): Value {
    const value = this.#plainResult(id, self)
    return self >= 0 ? this.#generics.substituted(value, instanceOf(self, args)) : value
  }

  #plainResult(id: number, self: number): Value {
    const definition = this.program.defs[id]
    if (definition.type !== undefined && definition.type !== '') {
      if (SELF_TYPES.has(definition.type)) {
        const own = self >= 0 ? self : this.classes.classAround(id)
        if (own < 0) return unknown
        return this.#library === undefined ? instanceOf(own) : instanceOf(own, this.#generics.parametersAs(own))
      }
      return this.type(id, definition.type)
    }
    const asking = this.#busyResults.get(id)
    if (asking !== undefined) {
      this.memo.lean(asking)
      return unknown
    }
    this.#busyResults.set(id, this.memo.level)
    const returned = this.#returned(id)
    this.#busyResults.delete(id)
    // `return this` of an inherited method is the class that it was called on
    if (returned.kind === INSTANCE && self >= 0 && returned.id === this.classes.classAround(id)) return instanceOf(self)
    return returned
  }

  /** What a function without a declared result gives: what it returns, yields, or returns by place. */
  #returned(id: number): Value {
    const names = this.program.scopes.at(id)
    if (names?.has('yield')) return containerOf('Generator', [this.nameIn(id, 'yield') ?? unknown])
    const one = this.nameIn(id, 'return') ?? unknown
    if (!names?.has('return@0')) return one
    const places: Value[] = []
    while (names.has(`return@${places.length}`)) places.push(this.nameIn(id, `return@${places.length}`) ?? unknown)
    return unionOf([one, containerOf('tuple', places)])
  }

  #constants = new Map<number, Value | Held<Value>>()

  /** The value of a constant or field that is a definition of its own. */
  constant(id: number): Value {
    const known = this.#constants.get(id)
    if (known !== undefined) return this.memo.read(known)
    return this.memo.work(new MapSlot(this.#constants, id), UNKNOWN_YET, () => this.#constant(id))
  }

  #constant(id: number): Value {
    const { defs, parent } = this.program
    const definition = defs[id]
    if (definition.kind === 'variant') return parent[id] >= 0 ? instanceOf(parent[id]) : unknown
    const scope = this.classes.outerScope(id)
    if (definition.type !== undefined && definition.type !== '') {
      const value = this.type(scope, definition.type)
      if (value.kind !== UNKNOWN) return value
    }
    for (let it = this.program.scopes.at(scope)?.get(definition.name); it !== undefined; it = it.next) {
      if (it.kind !== ENTRY_BINDING) continue
      const value = this.binding(scope, it.index)
      if (value.kind !== UNKNOWN) return value
    }
    return unknown
  }

  // ---- types

  /** An instance of the type that the text names. */
  type(scope: number, text: string): Value {
    let known = this.#types[scope]
    if (known === undefined) {
      known = new Map()
      this.#types[scope] = known
    }
    const before = known.get(text)
    if (before !== undefined) return this.memo.read(before)
    if (this.#isTooDeep()) return unknown
    const value = this.memo.work(new MapSlot(known, text), UNKNOWN_YET, () => this.#type(scope, text))
    this.#depth--
    return value
  }

  #type(scope: number, text: string): Value {
    if (SELF_TYPES.has(text)) {
      const own = this.classes.classAround(scope)
      if (own >= 0) return this.#ownInstance(scope, own)
      return (this.ecosystemOf(scope).library === undefined ? undefined : this.#foreignSelf(scope)) ?? unknown
    }
    const { library } = this.ecosystemOf(scope)
    if (library !== undefined && text === '_') return unknown
    if (library !== undefined && /^Self\.\w+$/.test(text)) {
      const beside = library.associatedBeside(scope, text.slice(5))
      if (beside !== undefined) return this.aliased(beside)
    }
    const structured = library === undefined ? structuredType(scope, text, this) : undefined
    if (structured !== undefined) return structured
    const angle = text.indexOf('<')
    const name = angle < 0 ? text : text.slice(0, angle)
    const args =
      angle < 0
        ? []
        : splitAt(text.slice(angle + 1, text.lastIndexOf('>')), ',').map((it) => {
            const argument = it.trim()
            return argument === '' ? unknown : this.type(scope, argument)
          })
    const short = name.slice(name.lastIndexOf('.') + 1)
    if (library !== undefined && name.charCodeAt(0) === 64 /* @ */) return standardOf(name.slice(1), args)
    const value = this.evaluate(scope, name)
    if (library !== undefined && (value === undefined || value.kind === EXTERNAL || value.kind === STANDARD_ITEM))
      return library.type(value?.kind === STANDARD_ITEM ? value.name : short, args)
    if (value === undefined || value.kind === EXTERNAL) {
      if ((short === 'type' || short === 'Type') && args.length === 1 && args[0].kind === INSTANCE)
        return this.definition(args[0].id)
      if ((short === 'ReturnType' || short === 'InstanceType') && args.length === 1) return this.call(args[0])
      if (isTransparent(short) && args.length > 0)
        return this.ecosystemOf(scope).keepsWrappers ? containerOf(short, args) : args[0]
      if (args.length > 0 && isContainerType(short)) return containerOf(short, args)
      if (value !== undefined) return value
      // an undeclared short capital is a type parameter
      if (/^[A-Z][0-9]?$/.test(name)) return unknown
      return this.ecosystemOf(scope).closedWorld || isPrimitive(name) || isContainerType(short) ? builtin : unknown
    }
    return this.#instance(value, args)
  }

  #instance(value: Value, given: readonly Value[], depth = 0): Value {
    let args = given
    const { defs, parent } = this.program
    if (depth > MAX_DEPTH) return unknown
    if (value.kind === DEFINITION) {
      for (const id of value.ids) {
        if (!isClass(defs[id])) continue
        const aliased =
          defs[id].kind === 'type' && this.ecosystemOf(id).library !== undefined ? this.aliased(id) : unknown
        if (aliased.kind === UNKNOWN || aliased.kind === EXTERNAL) return instanceOf(id, args)
        return this.#generics.substituted(aliased, instanceOf(id, args))
      }
      const definition = defs[value.id]
      if (definition.kind === 'const') {
        const constant = this.constant(value.id)
        return constant.kind === DEFINITION && constant.id !== value.id
          ? this.#instance(constant, args, depth + 1)
          : constant
      }
      if (definition.kind === 'variant' && parent[value.id] >= 0) return instanceOf(parent[value.id])
      if (definition.kind === 'fn' && this.classes.hasAttached(value.id)) return instanceOf(value.id)
      return unknown
    }
    if (value.kind === MODULE) {
      const main = this.ecosystems[value.id].exported(value.id, 'default')
      return main === undefined || main.kind === MODULE ? unknown : this.#instance(main, args, depth + 1)
    }
    return isType(value) ? value : unknown
  }
}

class EntrySlot implements Slot<Value | null> {
  readonly #entry: Entry

  constructor(entry: Entry) {
    this.#entry = entry
  }

  write(value: Value | null | Held<Value | null>): void {
    this.#entry.value = value
  }

  forget(): void {
    this.#entry.value = undefined
  }
}

/** Whether a method takes what another one takes; a type parameter may be any type. */
function overrides(method: Definition, other: Definition): boolean {
  if (method.arity !== other.arity) return false
  const own = method.parameters ?? []
  return (other.parameters ?? []).every(
    (it, i) => /^(?:Array<)*[A-Z][A-Z0-9]?>*$/.test(it) || bareType(it) === bareType(own[i] ?? ''),
  )
}

function bareType(type: string): string {
  const angle = type.startsWith('Array<') ? -1 : type.indexOf('<')
  const head = angle < 0 ? type : type.slice(0, angle)
  return head.slice(head.lastIndexOf('.') + 1)
}

function isType({ kind }: Value): boolean {
  return (
    kind === INSTANCE ||
    kind === CONTAINER ||
    kind === PARAMETER ||
    kind === STANDARD ||
    kind === FUNCTION ||
    kind === UNION ||
    kind === OBJECT
  )
}

/** Parts of a list of type arguments between its outermost commas. */
export function splitArguments(text: string): string[] {
  const parts = splitTopLevel(text, ',')
  if (parts[parts.length - 1] === '') parts.pop()
  return parts
}

function splitTopLevel(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '<' || c === '(' || c === '[') depth++
    else if (c === '>' || c === ')' || c === ']') depth--
    else if (depth === 0 && text.startsWith(separator, i)) {
      parts.push(text.slice(from, i).trim())
      i += separator.length - 1
      from = i + 1
    }
  }
  parts.push(text.slice(from).trim())
  return parts
}
