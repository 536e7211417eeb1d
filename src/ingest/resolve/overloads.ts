/** Which of several definitions of one name a reference means. */

import type { Evaluator } from '#ingest/resolve/evaluate'
import { SCRIPT_LANGUAGES } from '#ingest/resolve/program'
import { isClass, type Program } from '#ingest/resolve/program'
import { isTyped, type Signatures } from '#ingest/resolve/signatures'
import { INSTANCE, STANDARD } from '#ingest/resolve/value'

/** Languages whose compilers choose among methods by the types of the arguments, as `Signatures` does. */
const OVERLOADING = new Set(['java', 'kotlin', 'scala', 'groovy', 'csharp', 'swift'])
const CALLABLE = new Set(['fn', 'class', 'struct', 'enum', 'const', 'variant'])

export interface Picked {
  id: number
  /** False when others fit as well. */
  sure: boolean
  /** Definitions of the same name for other builds: which of them is meant, the build decides. */
  variants: readonly number[]
}

export interface Use {
  relation: string
  file: number
  line: number
  /** Number of arguments, -1 unknown. */
  args: number
  /** Types of literals, paths of other arguments, '' unknown. */
  argTypes: readonly string[]
  scope: number
  /** The receiver is the own instance, so that private members are seen. */
  isSelf: boolean
  evaluator: Evaluator
  signatures: Signatures
}

export function pickDefinition(program: Program, ids: readonly number[], use: Use): Picked {
  if (ids.length === 1) return { id: ids[0], sure: true, variants: NONE }
  const { defs, fileOf, facts } = program
  const { relation, args, argTypes } = use
  let fitting = ids
  if (relation === 'calls') fitting = narrowed(ids, (it) => CALLABLE.has(defs[it].kind))
  else if (relation === 'implements' || relation === 'references') fitting = narrowed(ids, (it) => isClass(defs[it]))
  fitting = narrowed(fitting, (it) => !isSecondary(defs[it].tags))
  if (!use.isSelf && ids.length > 1)
    fitting = narrowed(fitting, (it) => fileOf[it] === use.file || !defs[it].tags.includes('private'))
  const isOverloaded = relation === 'calls' && args >= 0 && fitting.length > 1
  if (isOverloaded && OVERLOADING.has(facts[use.file].language) && fitting.every((it) => isTyped(program, it))) {
    const given = argTypes.length === args ? argTypes : Array.from({ length: args }, () => '')
    return { ...use.signatures.choose(fitting, use.scope, given), variants: NONE }
  }
  // builds for several systems define a name once each
  fitting = narrowed(fitting, (it) => fileOf[it] === use.file)
  if (args >= 0 && fitting.length > 1) {
    const exact = fitting.filter((it) => defs[it].arity === args)
    fitting =
      exact.length > 0 ? exact : narrowed(fitting, (it) => defs[it].arity === -1 || (defs[it].arity ?? -1) > args)
  }
  if (fitting.length > 1 && argTypes.length > 0 && !isRust(use)) fitting = byArguments(program, fitting, use)
  if (fitting.length > 1 && SCRIPT_LANGUAGES.has(facts[use.file].language) && fileOf[fitting[0]] === use.file) {
    // blocks of one function may define a name each: the nearest one above, else the first
    const above = fitting.filter((it) => defs[it].line <= use.line)
    if (above.length > 0) return { id: above[above.length - 1], sure: true, variants: NONE }
  }
  // implementations of one trait for several types
  if (fitting.length > 1 && isRust(use)) {
    const exact = fitting.filter((it) => takes(use, it))
    return exact.length === 1
      ? { id: exact[0], sure: true, variants: NONE }
      : { id: fitting[0], sure: false, variants: NONE }
  }
  return { id: fitting[0], sure: true, variants: variantsOf(program, fitting) }
}

const NONE: readonly number[] = []
/** Languages in which one name is defined for each kind of build: by conditions of the preprocessor, by build tags. */
const BUILT_APART = new Set(['go', 'c', 'cpp'])

/** The others of what remains when they differ from the first in nothing but the build. */
function variantsOf(program: Program, fitting: readonly number[]): readonly number[] {
  const { defs, fileOf, facts } = program
  const [first] = fitting
  const { language } = facts[fileOf[first]]
  if (fitting.length < 2 || !BUILT_APART.has(language)) return NONE
  const { kind } = defs[first]
  if (kind !== 'fn' && language !== 'go') return NONE
  const parameters = language === 'cpp' ? (defs[first].parameters ?? []).join() : ''
  return fitting.filter(
    (it) =>
      it !== first &&
      defs[it].kind === kind &&
      (language === 'go' || fileOf[it] === fileOf[first]) &&
      (language !== 'cpp' || (defs[it].parameters ?? []).join() === parameters),
  )
}

function isRust(use: Use): boolean {
  return use.evaluator.ecosystems[use.file].library !== undefined
}

/** True when the first argument is of the type that the function declares. */
function takes({ evaluator, scope, argTypes }: Use, id: number): boolean {
  const { parameters } = evaluator.program.defs[id]
  if (argTypes.length === 0 || parameters === undefined || parameters.length === 0) return false
  const value = evaluator.evaluate(scope, argTypes[0])
  const wanted = evaluator.type(id, parameters[0])
  if (value === undefined || value.kind !== wanted.kind) return false
  return value.kind === INSTANCE ? value.id === wanted.id : value.kind === STANDARD && value.name === wanted.name
}

/** Those whose declared parameters agree best with what is known of the arguments. */
function byArguments(program: Program, ids: readonly number[], use: Use): readonly number[] {
  let best = Number.NEGATIVE_INFINITY
  let kept: number[] = []
  for (const id of ids) {
    const parameters = program.defs[id].parameters ?? []
    let score = 0
    use.argTypes.forEach((argument, i) => {
      const parameter = parameters[Math.min(i, parameters.length - 1)]
      if (parameter !== undefined && argument !== '') score += agreement(use, id, parameter, argument)
    })
    if (score > best) {
      best = score
      kept = []
    }
    if (score === best) kept.push(id)
  }
  return kept
}

const ANYTHING = new Set(['Object', 'object', 'any', 'Any', 'T', 'E', 'K', 'V'])
const WIDER = new Map<string, readonly string[]>([
  ['int', ['Integer', 'long', 'Long', 'Number', 'double', 'float']],
  ['long', ['Long', 'Number']],
  ['double', ['Double', 'Number']],
  ['boolean', ['Boolean']],
  ['char', ['Character', 'int']],
  ['String', ['CharSequence', 'Comparable']],
  ['Class', ['Type']],
])

/** 4 for the very type, less for wider ones, negative for another type. */
function agreement(use: Use, id: number, parameter: string, argument: string): number {
  const { evaluator, scope } = use
  const declared = plain(parameter)
  const text = evaluator.writtenType(scope, argument)
  const type = plain(text === '' ? argument : text)
  if (type === declared) return 4
  if (WIDER.get(type)?.includes(declared)) return 2
  const value = text !== '' ? evaluator.type(scope, text) : evaluator.evaluate(scope, argument)
  if (value !== undefined && value.kind === INSTANCE) {
    const wanted = evaluator.type(id, parameter)
    if (wanted.kind === INSTANCE) {
      if (wanted.id === value.id) return 4
      return evaluator.classes.descends(value.id, wanted.id) ? 3 : -2
    }
    return ANYTHING.has(declared) ? 1 : -1
  }
  if (ANYTHING.has(declared)) return 1
  return WIDER.has(type) ? -2 : 0
}

function plain(type: string): string {
  return type.replace(/<.*$/, '').replace(/^.*\./, '')
}

/** Those that pass, or all when none does. */
function narrowed(ids: readonly number[], passes: (id: number) => boolean): readonly number[] {
  if (ids.length < 2) return ids
  const kept = ids.filter(passes)
  return kept.length === 0 ? ids : kept
}

/** Prototypes, overload signatures and setters stand for another definition of the same name. */
function isSecondary(tags: readonly string[]): boolean {
  return tags.includes('declaration') || tags.includes('overload') || tags.includes('setter')
}
