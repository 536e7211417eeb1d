/** Steps of expression paths that only Python has: `with`, loops, unpacking, literals, `type(x)`. */

import type { Evaluator } from '#ingest/resolve/evaluate'
import { isClass } from '#ingest/resolve/program'
import {
  BASE,
  CONTAINER,
  containerOf,
  DEFINITION,
  EXTERNAL,
  INSTANCE,
  instanceOf,
  PARAMETER,
  RESULT,
  resultOf,
  UNION,
  unionOf,
  UNKNOWN,
  unknown,
  type Value,
} from '#ingest/resolve/value'

/** What is gone through by its first type argument: keys, or what is yielded. */
const BY_FIRST = new Set([
  'Generator',
  'AsyncGenerator',
  'dict',
  'Dict',
  'Mapping',
  'MutableMapping',
  'defaultdict',
  'OrderedDict',
])
const TUPLES = new Set(['tuple', 'Tuple'])
const GENERATORS = new Set(['Generator', 'AsyncGenerator', 'Iterator', 'AsyncIterator', 'Iterable', 'AsyncIterable'])
const TYPED_DICTIONARY = /(?:^|\.)TypedDict$/
const ENUM = /(?:^|\.)(?:Int|Str)?(?:Enum|Flag)$/

/** Follows one step, `@each` or the like, from a value. */
export function pythonStep(evaluator: Evaluator, value: Value, step: string): Value | undefined {
  if (step === '@list') return containerOf('list', [value])
  if (step === '@dict') return containerOf('dict', [unknown, value])
  if (step === '@ref') return resultOf(value)
  if (step === '@given') return given(evaluator, value)
  if (step === '@elements') return containerOf('list', [evaluator.member(value, '@each') ?? unknown])
  const inner = within(evaluator, value, step)
  if (inner !== undefined) return inner
  switch (step) {
    case '@each':
      return each(evaluator, value)
    case '@enter':
      return entered(evaluator, value)
    case '@class':
      return value.kind === INSTANCE ? evaluator.definition(value.id) : unknown
    default:
      if (step.startsWith('@=')) return keyed(evaluator, value, step.slice(2))
      return itemAt(evaluator, value, Number(step.slice(1)))
  }
}

/** Takes the step from the parts of a union, the bound of a type parameter, the value of a property; undefined for the rest. */
function within(evaluator: Evaluator, value: Value, step: string): Value | undefined {
  // by way of the evaluator, which ends what goes round in a circle
  const go = (it: Value): Value => evaluator.member(it, step) ?? unknown
  switch (value.kind) {
    case UNION:
      return unionOf(value.args.map(go))
    case EXTERNAL:
      return value
    case RESULT:
    case PARAMETER:
      return go(value.args[0])
    case BASE:
      return unknown
    case DEFINITION: {
      const definition = evaluator.program.defs[value.id]
      if (isClass(definition)) return undefined
      const inner =
        definition.kind === 'fn' ? evaluator.result(value.id, value.self, value.args) : evaluator.constant(value.id)
      return inner.kind === DEFINITION && inner.id === value.id ? unknown : go(inner)
    }
  }
  return undefined
}

function each(evaluator: Evaluator, value: Value): Value {
  switch (value.kind) {
    case CONTAINER:
      if (TUPLES.has(value.name)) return unionOf(value.args)
      if (BY_FIRST.has(value.name)) return value.args[0] ?? unknown
      return value.args[value.args.length - 1] ?? unknown
    case DEFINITION:
      return isDerivedFrom(evaluator, value.id, ENUM) ? instanceOf(value.id) : unknown
    case INSTANCE: {
      const aliased = evaluator.aliased(value.id)
      if (aliased.kind === CONTAINER || aliased.kind === UNION) return evaluator.member(aliased, '@each') ?? unknown
      const iterator = called(evaluator, value, '__iter__', '__aiter__')
      if (iterator !== undefined && iterator.kind !== EXTERNAL)
        return iterator.kind === INSTANCE
          ? (called(evaluator, iterator, '__next__', '__anext__') ?? unknown)
          : iterator.kind === UNION || iterator.kind === CONTAINER
            ? (evaluator.member(iterator, '@each') ?? unknown)
            : unknown
      const held = heldByBase(evaluator, value.id)
      if (held !== undefined) return each(evaluator, held)
      return called(evaluator, value, '__getitem__') ?? unknown
    }
  }
  return unknown
}

/** What a method of an instance gives, by the first name that it has; undefined when it has none of them. */
function called(evaluator: Evaluator, value: Value, ...names: string[]): Value | undefined {
  for (const name of names) {
    const method = evaluator.instanceMember(value, name)
    if (method?.kind === DEFINITION) return evaluator.call(method)
  }
  return undefined
}

/** The list or dictionary type that a class is derived from: `class Shelves(list[Shelf])`. */
function heldByBase(evaluator: Evaluator, id: number): Value | undefined {
  const { program, classes } = evaluator
  for (const at of classes.order(id)) {
    for (const { file, reference } of program.heritage.get(at) ?? []) {
      if (reference.argTypes === undefined) continue
      const scope = classes.heritageScope(file, reference)
      const type = evaluator.type(scope, `${reference.path}<${reference.argTypes.join(',')}>`)
      if (type.kind === CONTAINER) return type
    }
  }
  return undefined
}

function entered(evaluator: Evaluator, value: Value): Value {
  // a generator under `contextmanager` hands out what it yields
  if (value.kind === CONTAINER) return each(evaluator, value)
  if (value.kind !== INSTANCE) return unknown
  return called(evaluator, value, '__enter__', '__aenter__') ?? value
}

/** What a fixture gives to a test: what it returns, or the one thing that it yields. */
function given(evaluator: Evaluator, value: Value): Value {
  const result = evaluator.call(value)
  return result.kind === CONTAINER && GENERATORS.has(result.name) ? each(evaluator, result) : result
}

/** `x["name"]`: a field where `x` is a typed dictionary. */
function keyed(evaluator: Evaluator, value: Value, name: string): Value {
  if (value.kind === INSTANCE) {
    const field = evaluator.instanceMember(value, name)
    if (field !== undefined && field.kind !== EXTERNAL && isDerivedFrom(evaluator, value.id, TYPED_DICTIONARY))
      return field
  }
  return evaluator.element(value)
}

function itemAt(evaluator: Evaluator, value: Value, index: number): Value {
  // `tuple[Shelf, ...]` has one argument
  if (value.kind === CONTAINER && TUPLES.has(value.name) && value.args.length > 1) return value.args[index] ?? unknown
  const element = evaluator.element(value)
  return element.kind === UNKNOWN && value.kind === INSTANCE ? each(evaluator, value) : element
}

/** True when a class, or one above it, has a base of the standard library that is named so. */
function isDerivedFrom(evaluator: Evaluator, id: number, base: RegExp): boolean {
  return evaluator.classes
    .order(id)
    .some((it) => (evaluator.program.heritage.get(it) ?? []).some(({ reference }) => base.test(reference.path)))
}
