/** What an expression stands for, as far as names and declared types tell. */

export const UNKNOWN = 0
export const EXTERNAL = 1
/** One file as a namespace; `id` is the file. */
export const MODULE = 2
/** Several files as one namespace; `id` counts in `Program.packages`. */
export const PACKAGE = 3
/** A definition itself; `ids` holds all that share the name in one scope, such as overloads. */
export const DEFINITION = 4
/** A value whose type is the definition `id`; `args` are its type arguments. */
export const INSTANCE = 5
/** The bases of the class `id`, as `super` sees them. */
export const BASE = 6
/** A list, map or the like of the language itself; `args` are its type arguments. */
export const CONTAINER = 7
/** A built-in function; calling it gives `args[0]`. */
export const RESULT = 8
/** A type parameter `name` of the class `id`; `args[0]` is its bound. */
export const PARAMETER = 9
/** A value of the type `name` of a library that is known by a table; `args` are its type arguments. */
export const STANDARD = 10
/** A type, module or function `name` of such a library itself. */
export const STANDARD_ITEM = 11
/** The function `name` of the value or item `args[0]` of such a library. */
export const STANDARD_FUNCTION = 12
/** One of `args`, where `name` is `|`; all of them at once for `&`; one of several signatures for `?`. */
export const UNION = 13
/** A function known by its type: `args[0]` is its result, the rest its parameters; `name` is `...` when the last takes many. */
export const FUNCTION = 14
/** An object known by its members: `name` lists their names with commas between, `args` their values. */
export const OBJECT = 15

export interface Value {
  readonly kind: number
  readonly id: number
  readonly ids: readonly number[]
  readonly args: readonly Value[]
  /** Package of something external, type name of a container. */
  readonly name: string
  /** Class through which a method was reached, for results of type `Self`; -1 when none. */
  readonly self: number
}

const NO_IDS: readonly number[] = []
const NO_ARGS: readonly Value[] = []

function make(
  kind: number,
  id: number,
  ids: readonly number[],
  args: readonly Value[],
  name: string,
  self: number,
): Value {
  return { kind, id, ids, args, name, self }
}

export const unknown = make(UNKNOWN, -1, NO_IDS, NO_ARGS, '', -1)
/** External without a known package: built-ins, globals, the standard library. */
export const builtin = make(EXTERNAL, -1, NO_IDS, NO_ARGS, '', -1)

/** A member that an unseen base may bring. Compared by identity: a member whose type is external is none such. */
export const unseen = make(EXTERNAL, -1, NO_IDS, NO_ARGS, '', -1)

export function external(name: string): Value {
  return make(EXTERNAL, -1, NO_IDS, NO_ARGS, name, -1)
}

export function moduleOf(file: number): Value {
  return make(MODULE, file, NO_IDS, NO_ARGS, '', -1)
}

export function packageOf(id: number): Value {
  return make(PACKAGE, id, NO_IDS, NO_ARGS, '', -1)
}

/** `args` are the type arguments of the instance through which a method was reached. */
export function definitionOf(ids: readonly number[], self = -1, args: readonly Value[] = NO_ARGS): Value {
  return make(DEFINITION, ids[0], ids, args, '', self)
}

const VARIABLE = 'variable'

/** A definition as a variable, parameter or field gives it, which may give another one the next time. */
export function viaVariable(value: Value): Value {
  if (value.kind === UNION) return { ...value, args: value.args.map(viaVariable) }
  return value.kind === DEFINITION ? { ...value, name: VARIABLE } : value
}

export function isViaVariable(value: Value): boolean {
  return value.kind === DEFINITION && value.name === VARIABLE
}

export function instanceOf(id: number, args: readonly Value[] = NO_ARGS): Value {
  return make(INSTANCE, id, NO_IDS, args, '', -1)
}

export function baseOf(id: number): Value {
  return make(BASE, id, NO_IDS, NO_ARGS, '', -1)
}

export function containerOf(name: string, args: readonly Value[]): Value {
  return make(CONTAINER, -1, NO_IDS, args, name, -1)
}

/** A built-in function; `callback` is the function that it takes first, when it takes one. */
export function resultOf(value: Value, callback?: Value): Value {
  return make(RESULT, -1, NO_IDS, callback === undefined ? [value] : [value, callback], '', -1)
}

export function functionOf(result: Value, parameters: readonly Value[], takesMany = false): Value {
  return make(FUNCTION, -1, NO_IDS, [result, ...parameters], takesMany ? '...' : '', -1)
}

export function objectOf(names: readonly string[], values: readonly Value[]): Value {
  return make(OBJECT, -1, NO_IDS, values, names.join(','), -1)
}

/** Several values in one, without those of which nothing is known; the value itself when only one is left. */
export function unionOf(values: readonly Value[], name: '|' | '&' | '?' = '|'): Value {
  const parts: Value[] = []
  for (const value of values) {
    const inner = value.kind === UNION && value.name === name ? value.args : [value]
    for (const it of inner) if (it.kind !== UNKNOWN && !parts.some((other) => isSame(it, other))) parts.push(it)
  }
  if (parts.length === 0) return unknown
  return parts.length === 1 ? parts[0] : make(UNION, -1, NO_IDS, parts, name, -1)
}

/** True for one definition or type, whatever its arguments. */
function isSame(a: Value, b: Value): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.id !== b.id || a.name !== b.name) return false
  return a.kind === INSTANCE || a.kind === DEFINITION || a.kind === MODULE || a.kind === EXTERNAL
}

export function parameterOf(owner: number, name: string, bound: Value): Value {
  return make(PARAMETER, owner, NO_IDS, [bound], name, -1)
}

export function standardOf(name: string, args: readonly Value[] = NO_ARGS): Value {
  return make(STANDARD, -1, NO_IDS, args, name, -1)
}

export function standardItem(name: string): Value {
  return make(STANDARD_ITEM, -1, NO_IDS, NO_ARGS, name, -1)
}

export function standardFunction(owner: Value, name: string): Value {
  return make(STANDARD_FUNCTION, -1, NO_IDS, [owner], name, -1)
}

/** True when the value says nothing that a project symbol could be reached through. */
export function isOpaque(value: Value | undefined): boolean {
  return value === undefined || value.kind === UNKNOWN || value.kind === EXTERNAL
}
