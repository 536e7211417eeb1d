/** Values of Rust that no definition of the project stands for: what its library, its syntax and its generics give. */

import type { Arguments } from '#ingest/resolve/arguments'
import { type Evaluator, splitArguments } from '#ingest/resolve/evaluate'
import type { Host } from '#ingest/resolve/host'
import { type Held, MapSlot } from '#ingest/resolve/memo'
import { type Program, scopeOf } from '#ingest/resolve/program'
import { RUST_LIBRARY, type Signature, type TypeShape } from '#ingest/resolve/rust-std'
import {
  builtin,
  DEFINITION,
  definitionOf,
  EXTERNAL,
  INSTANCE,
  instanceOf,
  isOpaque,
  PARAMETER,
  STANDARD,
  STANDARD_FUNCTION,
  STANDARD_ITEM,
  standardFunction,
  standardItem,
  standardOf,
  unknown,
  UNKNOWN,
  type Value,
} from '#ingest/resolve/value'

/** Methods that give what they are called on, whatever that is. */
const SAME = new Set('clone to_owned borrow borrow_mut as_ref as_mut by_ref deref deref_mut into_iter iter'.split(' '))
/** Steps through a pin, or through what pins its fields. */
const PINNED = new Set('project project_ref get_mut get_ref get_unchecked_mut as_pin_mut'.split(' '))
/** Functions that make a value of the type they belong to. */
const MAKING = /^(?:new|default|from|with_|from_|try_from|create|open|builder)/
/** Traits whose functions give a type that only the place of the call tells. */
const OPEN_TRAITS = new Set(
  'Default From Into TryFrom TryInto FromStr FromIterator Clone ToOwned Add Sub Mul Sum'.split(' '),
)
/** Methods of well-known crates that the table has among those of the library; the project may be such a crate. */
const NOT_STANDARD = /^(?:into_)?par_/
const MODULES_OF_FUNCTIONS = ['mem', 'ptr', 'iter', 'thread', 'cmp', 'future', 'task']
/** Names that are steps of their own, not functions to be called. */
const isStep = (name: string): boolean => /^(?:\?|await|\d|[A-Z])/.test(name)

interface Extension {
  /** Name of the type; `_` when it is a parameter. */
  type: string
  trait: number
  /** What a type must be for an implementation for every type; undefined when it may be any. */
  bound: Value | undefined
  /** Where the implementation stands. */
  file: number
}

export class RustLibrary {
  readonly #host: Host
  readonly #program: Program
  #extensions: readonly Extension[] = []
  readonly #traits = new Map<number, number>()
  readonly #extensionMembers = new Map<string, Value | null | Held<Value | null>>()

  constructor(host: Host) {
    this.#host = host
    this.#program = host.program
  }

  get #evaluator(): Evaluator {
    return this.#host.evaluator()
  }

  /** A name of the prelude, or of a type that everybody knows. */
  prelude(name: string): Value | undefined {
    if (name === 'std' || name === 'core' || name === 'alloc' || name === 'None') return standardItem(name)
    return RUST_LIBRARY.has(name) ? standardItem(name) : undefined
  }

  /** An item that is imported from another crate. */
  item(name: string): Value | undefined {
    return RUST_LIBRARY.has(name) ? standardItem(name) : undefined
  }

  type(name: string, args: readonly Value[]): Value {
    return standardOf(name, args)
  }

  // ---- heads of expressions

  /** `@name(text)`. */
  special(scope: number, name: string, text: string): Value {
    const evaluator = this.#evaluator
    if (name === 'as') return evaluator.type(scope, text.slice(1))
    const parts = splitArguments(text)
    if (name === 'any') {
      let first = unknown
      for (const part of parts) {
        const value = evaluator.evaluate(scope, part)
        if (value === undefined) continue
        if (!isOpaque(value)) return value
        if (first.kind === UNKNOWN) first = value
      }
      return first
    }
    const values = parts.map((it) => evaluator.evaluate(scope, it) ?? unknown)
    if (name === 'fill') return filledWith(values[0] ?? unknown, values.slice(1))
    if (name === 'match') return standardOf('View', [values[0] ?? unknown, values[1] ?? standardItem(parts[1] ?? '')])
    return standardOf(name, values)
  }

  /** `|text`: a function that gives what the text does. */
  closure(scope: number, text: string): Value {
    const result = text === '_' || text === '' ? unknown : (this.#evaluator.evaluate(scope, text) ?? unknown)
    return standardOf('Fn', [standardOf('Tuple'), result])
  }

  // ---- members

  member(value: Value, name: string): Value | undefined {
    switch (value.kind) {
      case STANDARD:
        return this.#memberOfValue(value, name)
      case STANDARD_ITEM:
        if (RUST_LIBRARY.get(value.name)?.methods.has(name) !== true && /^[A-Z]/.test(name))
          return this.item(name) ?? (this.#extension(value.name, name) ? undefined : standardItem(name))
        return this.#extension(value.name, name) ?? standardFunction(value, name)
      case STANDARD_FUNCTION: {
        if (name.startsWith('|')) return this.#taken(value, Number(name.slice(1)))
        // what looked like a function was a module
        return value.args[0].kind === STANDARD_ITEM ? this.member(standardItem(value.name), name) : builtin
      }
    }
    return undefined
  }

  #memberOfValue(value: Value, name: string): Value | undefined {
    const evaluator = this.#evaluator
    switch (value.name) {
      case 'View':
        return this.#viewed(value.args[0], value.args[1], name)
      case 'Tuple':
        return value.args[Number(name)] ?? this.#common(value, name)
      case 'Fn':
        if (/^\d+$/.test(name)) return value.args[0]?.args[Number(name)] ?? unknown
        return this.#common(value, name)
      case 'Bounds':
        for (const bound of value.args) {
          const found = evaluator.member(bound, name)
          if (found !== undefined && !isOpaque(found)) return found
        }
        return this.#common(value, name)
    }
    // methods that take a pinned `self` are those of what is pinned
    const pinned =
      value.name === 'Pin' && value.args[0]?.kind === INSTANCE ? evaluator.member(value.args[0], name) : undefined
    if (pinned?.kind === DEFINITION) return pinned
    if (!isStep(name)) {
      const own =
        this.#extension(value.name, name) ?? (NOT_STANDARD.test(name) ? this.#blanket(value, name) : undefined)
      if (own !== undefined) return own
    }
    const info = RUST_LIBRARY.get(value.name)
    const signature = info?.methods.get(name)
    if (signature !== undefined)
      return isStep(name) ? this.#result(value, signature, undefined) : standardFunction(value, name)
    if (info?.target !== undefined) {
      const target = this.#shape(info.target, value, undefined, undefined)
      if (!isOpaque(target)) {
        const found = evaluator.member(target, name)
        if (found !== undefined && found.kind !== EXTERNAL) return found
      } else return target
    }
    return this.#common(value, name)
  }

  #common(value: Value, name: string): Value {
    if (name === '?' || name === 'await') return value
    const extension = SAME.has(name) ? undefined : this.#blanket(value, name)
    if (extension !== undefined) return extension
    return SAME.has(name) ? standardFunction(value, name) : builtin
  }

  /** A part of a value that was matched as `pattern`. */
  #viewed(value: Value, pattern: Value, name: string): Value | undefined {
    const evaluator = this.#evaluator
    if (pattern.kind === DEFINITION) {
      const found = evaluator.member(pattern, name)
      return found === undefined || value.kind !== INSTANCE ? found : evaluator.substituted(found, value)
    }
    if (value.kind === EXTERNAL) return builtin
    if (pattern.kind !== STANDARD_ITEM || value.kind !== STANDARD) return unknown
    const parts = evaluator.member(value, pattern.name)
    return parts === undefined || parts.kind === EXTERNAL ? unknown : evaluator.member(parts, name)
  }

  /** What the function calls its argument `i` with. */
  #taken(value: Value, i: number): Value {
    const owner = value.args[0]
    const info = RUST_LIBRARY.get(owner.name)
    if (owner.kind === STANDARD_ITEM) {
      const takes = (info?.functions.get(value.name) ?? info?.methods.get(value.name))?.takes
      const shapes = takes?.[i] ?? takes?.[i - 1]
      return shapes === undefined
        ? unknown
        : standardOf('Fn', [
            standardOf(
              'Tuple',
              shapes.map((it) => this.#shape(it, unknown, undefined, undefined)),
            ),
          ])
    }
    const shapes = info?.methods.get(value.name)?.takes[i]
    if (shapes === undefined) return unknown
    return standardOf('Fn', [
      standardOf(
        'Tuple',
        shapes.map((it) => this.#shape(it, owner, undefined, undefined)),
      ),
      unknown,
    ])
  }

  /** What a type of the project has from the library: by `Iterator`, `Deref`, or as every value. */
  fallback(value: Value, name: string): Value | undefined {
    const evaluator = this.#evaluator
    const { heritage } = this.#program
    const given = isStep(name) ? undefined : this.#blanket(value, name)
    if (given !== undefined) return given
    for (const { reference } of heritage.get(value.id) ?? []) {
      const trait = reference.path.slice(reference.path.lastIndexOf('.') + 1)
      if (trait === 'Deref' && name !== 'Target') {
        const target = this.#associated(value, 'Target')
        const found = target === undefined ? undefined : evaluator.member(target, name)
        if (found !== undefined && found.kind !== EXTERNAL) return found
      } else if (trait === 'Future' && name === 'await') return this.#associated(value, 'Output') ?? unknown
      else if ((trait === 'Iterator' || trait === 'Stream') && name !== 'Item') {
        if (name === 'into_iter' || name === 'iter') return standardFunction(value, 'by_ref')
        const info = RUST_LIBRARY.get('Iterator')
        if (info?.methods.has(name) !== true || isStep(name)) continue
        const item = this.#associated(value, 'Item') ?? this.#argument(reference.argTypes, value) ?? unknown
        return standardFunction(standardOf('Iterator', [item]), name)
      }
    }
    if (name === '?' || name === 'await') return value
    return SAME.has(name) || PINNED.has(name) ? standardFunction(value, name) : undefined
  }

  #argument(types: readonly string[] | undefined, value: Value): Value | undefined {
    return types === undefined || types.length === 0 ? undefined : this.#evaluator.type(value.id, types[0])
  }

  #associated(value: Value, name: string): Value | undefined {
    const found = this.#evaluator.classMember(value.id, name)
    if (found === undefined || found.kind !== DEFINITION) return undefined
    return this.#evaluator.substituted(this.#evaluator.aliased(found.id), value)
  }

  // ---- calls

  call(value: Value, args: Arguments): Value {
    if (value.kind === STANDARD) return value.name === 'Fn' ? (value.args[1] ?? unknown) : builtin
    if (value.kind === STANDARD_ITEM) return this.#made(value.name, args)
    const owner = value.args[0]
    const { name } = value
    const info = RUST_LIBRARY.get(owner.name)
    if (owner.kind === STANDARD_ITEM) {
      const own = info?.functions.get(name)
      if (own !== undefined) return this.#result(owner, own, args)
      const method = info?.methods.get(name)
      if (method !== undefined) {
        const receiver = args.value(0)
        const found = this.#evaluator.member(receiver, name)
        return found === undefined ? unknown : this.#evaluator.call(found, args.from(1))
      }
      if (SAME.has(name)) return args.value(0)
      if (info !== undefined && MAKING.test(name))
        return standardOf(
          owner.name,
          info.parameters.map(() => unknown),
        )
      return OPEN_TRAITS.has(owner.name) ? unknown : builtin
    }
    const signature = info?.methods.get(name)
    if (signature === undefined) return SAME.has(name) || PINNED.has(name) ? owner : unknown
    return this.#result(owner, signature, args)
  }

  /** `Some(x)`, `Wrapping(x)`, or a function that was imported by name. */
  #made(name: string, args: Arguments): Value {
    const own = RUST_LIBRARY.get(name)?.functions.get('call')
    if (own !== undefined) return this.#result(unknown, own, args)
    if (/^[A-Z]/.test(name)) return standardOf(name, args.count === 0 ? [] : [args.value(0)])
    for (const module of MODULES_OF_FUNCTIONS) {
      const found = RUST_LIBRARY.get(module)?.functions.get(name)
      if (found !== undefined) return this.#result(unknown, found, args)
    }
    return builtin
  }

  #result(receiver: Value, signature: Signature, args: Arguments | undefined): Value {
    if (signature.result === undefined) return unknown
    let given: Value | undefined
    if (args !== undefined) {
      for (let i = 0; i < signature.takes.length && given === undefined; i++) {
        if (signature.takes[i] === undefined || i >= args.count) continue
        const taken = args.value(i)
        if (taken.kind === STANDARD && taken.name === 'Fn') given = taken.args[1]
        else {
          const shapes = signature.takes[i] ?? []
          const handed = shapes.map((it) => this.#shape(it, receiver, args, undefined))
          given = this.#evaluator.call(taken, this.#evaluator.given(handed))
        }
      }
    }
    return this.#shape(signature.result, receiver, args, given)
  }

  #shape(shape: TypeShape, receiver: Value, args: Arguments | undefined, given: Value | undefined): Value {
    const { name } = shape
    const evaluator = this.#evaluator
    if (shape.args.length === 0) {
      const parameters = RUST_LIBRARY.get(receiver.name)?.parameters
      const position = parameters === undefined ? -1 : parameters.indexOf(name)
      // a library's own `Result<T>` leaves the error out
      if (position >= 0) return receiver.args[position] ?? (receiver.args.length > 0 ? builtin : unknown)
      if (name === 'Self') return receiver
      if (name === 'R') return given ?? unknown
      if (name === '_') return unknown
      if (name === '0' || name === '1') return args?.value(Number(name)) ?? unknown
      if (name === 'collect') return this.#collected(receiver, args)
      if (name === 'parse') return this.#written(args) ?? unknown
      return standardOf(name)
    }
    const first = this.#shape(shape.args[0], receiver, args, given)
    if (name === '?') return evaluator.member(first, '?') ?? unknown
    if (name === '*') return this.itemOf(first)
    if (name.startsWith('.')) return evaluator.member(first, name.slice(1)) ?? unknown
    return standardOf(name, [first, ...shape.args.slice(1).map((it) => this.#shape(it, receiver, args, given))])
  }

  /** What iteration over a value gives. */
  itemOf(value: Value): Value {
    return this.#evaluator.follow(value, '.into_iter().next().?') ?? unknown
  }

  /** The first type argument of a call. */
  #written(args: Arguments | undefined): Value | undefined {
    const types = args?.types()
    if (types === undefined || types === '' || args === undefined) return undefined
    return this.#evaluator.type(args.scope, splitArguments(types)[0] ?? '')
  }

  #collected(receiver: Value, args: Arguments | undefined): Value {
    const item = receiver.args[0] ?? unknown
    const target = this.#written(args)
    return target === undefined ? standardOf('Vec', [item]) : this.filled(target, item)
  }

  /** A collection whose item is not written: `Vec<_>` of what is collected. */
  filled(target: Value, item: Value): Value {
    if (target.kind !== STANDARD || target.args.length === 0) return target
    if ((target.name === 'Result' || target.name === 'Option') && item.kind === STANDARD) {
      const inner = this.#evaluator.member(item, '?') ?? unknown
      return standardOf(target.name, [this.filled(target.args[0], inner), ...target.args.slice(1)])
    }
    if (target.args.length === 2 && item.kind === STANDARD && item.name === 'Tuple')
      return standardOf(
        target.name,
        target.args.map((it, i) => (it.kind === UNKNOWN ? (item.args[i] ?? it) : it)),
      )
    return standardOf(
      target.name,
      target.args.map((it) => (it.kind === UNKNOWN ? item : it)),
    )
  }

  element(value: Value): Value {
    const signature = RUST_LIBRARY.get(value.name)?.methods.get('[]')
    if (signature !== undefined) return this.#result(value, signature, undefined)
    const target = RUST_LIBRARY.get(value.name)?.target
    if (target !== undefined) return this.#evaluator.element(this.#shape(target, value, undefined, undefined))
    return unknown
  }

  // ---- type parameters

  /** What a call gives once the type parameters of the function are known from its arguments. */
  inferred(id: number, result: Value, args: Arguments): Value {
    if (!hasParameter(result)) return result
    const { defs } = this.#program
    const found = new Map<string, Value>()
    const types = args.types()
    if (types !== '') {
      const names = this.#parametersOf(id)
      splitArguments(types).forEach((it, i) => {
        if (i < names.length && it !== '_') found.set(`${id} ${names[i]}`, this.#evaluator.type(args.scope, it))
      })
    }
    const parameters = defs[id].parameters ?? []
    for (let i = 0; i < parameters.length && i < args.count; i++) {
      const pattern = this.#evaluator.type(id, parameters[i])
      if (hasParameter(pattern)) this.#unify(pattern, args.value(i), found, 0)
    }
    return found.size === 0 ? result : replaced(result, found, 0)
  }

  #parametersOf(id: number): string[] {
    const { facts, fileOf, base } = this.#program
    const local = id - base[fileOf[id]]
    return facts[fileOf[id]].bindings
      .filter((it) => it.scope === local && it.kind === 'parameter' && !it.name.includes('#'))
      .map((it) => it.name)
      .filter((it) => {
        const value = this.#evaluator.nameIn(id, it)
        return value?.kind === PARAMETER && value.id === id
      })
  }

  #unify(pattern: Value, value: Value, found: Map<string, Value>, depth: number): void {
    if (depth > 8 || value.kind === UNKNOWN) return
    if (pattern.kind === PARAMETER) {
      const key = `${pattern.id} ${pattern.name}`
      if (!found.has(key)) found.set(key, value)
      if (pattern.args[0].kind === STANDARD) this.#unify(pattern.args[0], value, found, depth + 1)
      return
    }
    if (pattern.kind === STANDARD && value.kind === STANDARD && pattern.name === value.name)
      pattern.args.forEach((it, i) => {
        if (i < value.args.length) this.#unify(it, value.args[i], found, depth + 1)
      })
    else if (pattern.kind === INSTANCE && value.kind === INSTANCE && pattern.id === value.id)
      pattern.args.forEach((it, i) => {
        if (i < value.args.length) this.#unify(it, value.args[i], found, depth + 1)
      })
    else if (pattern.kind === STANDARD && pattern.name === 'Fn' && value.kind === DEFINITION && pattern.args[1])
      this.#unify(pattern.args[1], this.#evaluator.call(value), found, depth + 1)
    else if (pattern.kind === STANDARD && pattern.name.endsWith('Iterator') && pattern.args.length > 0)
      this.#unify(pattern.args[0], this.itemOf(value), found, depth + 1)
  }

  // ---- traits of the project for types of others

  /** A method that a trait of the project gives to a type of the library; `_` stands for any type. */
  #extension(type: string, name: string): Value | undefined {
    if (this.#extensions.length === 0) return undefined
    const key = `${type} ${name}`
    const { memo } = this.#evaluator
    const known = this.#extensionMembers.get(key)
    if (known !== undefined) return memo.read(known) ?? undefined
    const slot = new MapSlot(this.#extensionMembers, key)
    return memo.work<Value | null>(slot, { value: null }, () => this.#findExtension(type, name) ?? null) ?? undefined
  }

  /** A method that a trait gives to every type that is what its implementation asks for. */
  #blanket(value: Value, name: string): Value | undefined {
    for (const it of this.#extensions) {
      if (it.type !== '_' || !this.#satisfies(value, it.bound, it.trait)) continue
      const member = this.#evaluator.classMember(it.trait, name)
      if (member?.kind === DEFINITION) return this.#givenBy(it.trait, this.#ownMember(it, name) ?? member)
    }
    return undefined
  }

  /** Remembers the trait through which a method reaches types of others. */
  #givenBy(trait: number, member: Value): Value {
    this.#traits.set(member.id, trait)
    return member
  }

  /** False for a method that a trait gives to a type of others, in a file that does not have the trait in scope. */
  isVisible(file: number, method: number): boolean {
    const trait = this.#traits.get(method)
    const { fileOf, facts, defs } = this.#program
    if (trait === undefined || fileOf[trait] === file) return true
    const evaluator = this.#evaluator
    const isTrait = (value: Value | undefined): boolean => value?.kind === DEFINITION && value.id === trait
    return facts[file].imports.some((item, index) => {
      if (item.kind === 'module') return false
      const scope = scopeOf(this.#program, file, item.scope)
      if (item.name !== '*') return isTrait(evaluator.imported(file, scope, index))
      const target = evaluator.ecosystems[file].module(file, item, scope)
      return isTrait(evaluator.member(target, defs[trait].name))
    })
  }

  /** The type of that name in the implementation for a type of others that a scope stands in. */
  associatedBeside(scope: number, name: string): number | undefined {
    const { base, defs, fileOf, nDefs, parent } = this.#program
    const { classes } = this.#evaluator
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      const { owner, line } = defs[s]
      if (owner === undefined || classes.owners[s] >= 0) continue
      let best: number | undefined
      const distance = (id: number): number => Math.abs(defs[id].line - line)
      for (let id = base[fileOf[s]]; id < base[fileOf[s] + 1]; id++) {
        if (defs[id].kind !== 'type' || defs[id].name !== name || defs[id].owner !== owner || id === s) continue
        if (best === undefined || distance(id) < distance(best)) best = id
      }
      return best
    }
    return undefined
  }

  #satisfies(value: Value, bound: Value | undefined, trait: number): boolean {
    if (bound === undefined) return value.kind === INSTANCE || value.kind === STANDARD
    if (bound.kind === STANDARD && bound.name === 'Bounds')
      return bound.args.every((it) => this.#satisfies(value, it, trait))
    if (bound.kind === STANDARD) {
      if (value.kind !== INSTANCE) return value.kind === STANDARD && value.name === bound.name
      const bases = this.#program.heritage.get(value.id) ?? []
      return bases.some(({ reference }) => headName(reference.path) === bound.name)
    }
    if (bound.kind !== INSTANCE) return false
    if (value.kind === STANDARD) return this.#extensions.some((it) => it.type === value.name && it.trait === bound.id)
    // what is asked for is the trait itself: references to what has it anyway
    if (bound.id === trait || value.kind !== INSTANCE) return false
    return value.id === bound.id || this.#evaluator.classes.descends(value.id, bound.id)
  }

  #findExtension(type: string, name: string): Value | undefined {
    for (const it of this.#extensions) {
      if (it.type !== type) continue
      const member = this.#evaluator.classMember(it.trait, name)
      if (member?.kind === DEFINITION) return this.#givenBy(it.trait, this.#ownMember(it, name) ?? member)
    }
    return undefined
  }

  /** The method as the implementation writes it. */
  #ownMember({ file, type }: Extension, name: string): Value | undefined {
    const { base, defs } = this.#program
    const { classes } = this.#evaluator
    for (let id = base[file]; id < base[file + 1]; id++) {
      const { owner } = defs[id]
      if (defs[id].name !== name || !owner || classes.owners[id] >= 0) continue
      if (headName(owner) !== type) continue
      return definitionOf([id])
    }
    return undefined
  }

  /** Finds the implementations for types that no definition of the project stands for. */
  prepare(): void {
    const all: Extension[] = []
    const evaluator = this.#evaluator
    for (const { file, reference } of this.#program.implementations) {
      const { owner = '', path } = reference
      const scope = evaluator.classes.heritageScope(file, reference)
      const type = evaluator.type(scope, owner)
      if (type.kind === INSTANCE) continue
      const trait = evaluator.classes.asClass(evaluator.evaluate(scope, path))
      if (trait < 0) continue
      const written = owner.startsWith('_<') ? owner.slice(2, -1).split(',').slice(1).join(',') : ''
      const bound = written === '' ? undefined : evaluator.type(scope, written)
      all.push({
        type: type.kind === STANDARD && !owner.startsWith('_') ? type.name : headName(owner),
        trait,
        bound,
        file,
      })
      evaluator.memo.settle()
    }
    this.#extensions = all
  }
}

function headName(type: string): string {
  const head = type.replace(/<.*$/, '')
  return head.slice(head.lastIndexOf('.') + 1).replace('@', '')
}

/** An empty collection with what is put into it. */
function filledWith(value: Value, held: readonly Value[]): Value {
  if (value.kind === STANDARD) return standardOf(value.name, held)
  if (value.kind !== INSTANCE || value.args.length === 0) return value
  return instanceOf(
    value.id,
    value.args.map((it, i) => (held[i] === undefined || held[i].kind === UNKNOWN ? it : held[i])),
  )
}

function hasParameter(value: Value, depth = 0): boolean {
  if (value.kind === PARAMETER) return true
  return depth < 8 && value.args.some((it) => hasParameter(it, depth + 1))
}

function replaced(value: Value, found: ReadonlyMap<string, Value>, depth: number): Value {
  if (value.kind === PARAMETER) return found.get(`${value.id} ${value.name}`) ?? value
  if (depth > 8 || value.args.length === 0 || !hasParameter(value)) return value
  const args = value.args.map((it) => replaced(it, found, depth + 1))
  return value.kind === INSTANCE ? instanceOf(value.id, args) : { ...value, args }
}
