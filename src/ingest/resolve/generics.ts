/** Type parameters and what takes their place. */

import { type Classes, MAX_DEPTH, type Reader } from '#ingest/resolve/classes'
import type { Program } from '#ingest/resolve/program'
import {
  CONTAINER,
  FUNCTION,
  INSTANCE,
  instanceOf,
  OBJECT,
  PARAMETER,
  parameterOf,
  RESULT,
  STANDARD,
  STANDARD_FUNCTION,
  UNION,
  unknown,
  type Value,
} from '#ingest/resolve/value'

const STRUCTURED: ReadonlySet<number> = new Set([
  CONTAINER,
  INSTANCE,
  RESULT,
  STANDARD,
  STANDARD_FUNCTION,
  FUNCTION,
  UNION,
  OBJECT,
])

export class Generics {
  readonly #program: Program
  readonly #classes: Classes
  readonly #reader: Reader
  readonly #names = new Map<number, readonly string[]>()
  /** Types that parameters have when none is given, '' for none; only of classes where some has one. */
  readonly #defaults = new Map<number, readonly string[]>()

  constructor(program: Program, classes: Classes, reader: Reader) {
    this.#program = program
    this.#classes = classes
    this.#reader = reader
  }

  /** A value with the type parameters of a class replaced by what an instance of it, or of a derived class, gives them. */
  substituted(value: Value, receiver: Value): Value {
    if (value.kind === PARAMETER) {
      const args = this.#argumentsFor(receiver, value.id, 0)
      const position = this.#parametersOf(value.id).indexOf(value.name)
      return args?.[position] ?? value
    }
    if (value.args.length === 0 || !STRUCTURED.has(value.kind)) return value
    return { ...value, args: value.args.map((it) => this.substituted(it, receiver)) }
  }

  /** A type that the head of a class says, with the class's own parameters replaced by the arguments of an instance. */
  #withOwnArguments(value: Value, receiver: Value): Value {
    if (value.kind === PARAMETER)
      return value.id === receiver.id
        ? (receiver.args[this.#parametersOf(value.id).indexOf(value.name)] ?? value)
        : value
    if (value.args.length === 0) return value
    return { ...value, args: value.args.map((it) => this.#withOwnArguments(it, receiver)) }
  }

  /** Type arguments with the defaults of the parameters that none is given for. */
  completed(id: number, args: readonly Value[]): readonly Value[] {
    const names = this.#parametersOf(id)
    if (args.length >= names.length || (args.length === 0 && !this.#defaults.has(id))) return args
    const defaults = this.#defaults.get(id)
    if (defaults === undefined) return args
    return names.map((_, i) => args[i] ?? (defaults[i] === '' ? unknown : this.#reader.type(id, defaults[i])))
  }

  /** The type parameters of a class as values. */
  parametersAs(id: number): readonly Value[] {
    return this.#parametersOf(id).map((it) => {
      const value = this.#reader.type(id, it)
      return value.kind === PARAMETER ? value : parameterOf(id, it, unknown)
    })
  }

  #parametersOf(id: number): readonly string[] {
    let known = this.#names.get(id)
    if (known !== undefined) return known
    const { facts, fileOf, base } = this.#program
    const file = fileOf[id]
    const local = id - base[file]
    const bindings = facts[file].bindings.filter((it) => it.scope === local && it.kind === 'parameter')
    known = bindings.map((it) => it.name)
    this.#names.set(id, known)
    if (bindings.some((it) => it.value !== ''))
      this.#defaults.set(
        id,
        bindings.map((it) => it.value),
      )
    return known
  }

  /** The type arguments with which a class is used by an instance of it or of a class derived from it. */
  #argumentsFor(receiver: Value, owner: number, depth: number, seen = new Set<number>()): readonly Value[] | undefined {
    if (receiver.id === owner) return receiver.args
    if (depth > MAX_DEPTH || seen.has(receiver.id)) return undefined
    seen.add(receiver.id)
    for (const { file, reference } of this.#program.heritage.get(receiver.id) ?? []) {
      const scope = this.#classes.heritageScope(file, reference)
      const base = this.#classes.asClass(this.#reader.evaluate(scope, reference.path))
      if (base < 0 || base === receiver.id) continue
      const args = (reference.argTypes ?? []).map((it) =>
        this.#withOwnArguments(this.#reader.type(receiver.id, it), receiver),
      )
      const found = this.#argumentsFor(instanceOf(base, args), owner, depth + 1, seen)
      if (found !== undefined) return found
    }
    return undefined
  }
}
