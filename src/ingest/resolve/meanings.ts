/** Whether what the files of a project say means the same before and after some of them changed. */

import type { Reference } from '#ingest/facts'
import type { Evaluator } from '#ingest/resolve/evaluate'
import { type Program, SCRIPT_LANGUAGES, scopeOf } from '#ingest/resolve/program'
import { BASE, DEFINITION, INSTANCE, MODULE, PACKAGE, PARAMETER, unseen, type Value } from '#ingest/resolve/value'

/** A statement of the facts of a file, as a position in the list of its kind. */
export interface Source {
  kind: 'definition' | 'import' | 'export' | 'binding' | 'reference'
  at: number
}

/** The files at one time, and what their texts stand for. */
export interface World {
  program: Program
  evaluator: Evaluator
}

/** Languages of which nothing but the evaluator reads what other files say. */
const COMPARED: ReadonlySet<string> = new Set([...SCRIPT_LANGUAGES, 'python'])
/** Definitions that a value of these kinds names by its number. */
const OF_DEFINITIONS: ReadonlySet<number> = new Set([DEFINITION, INSTANCE, BASE, PARAMETER])
/** To compare more statements than this takes as long as to resolve all files. */
const MOST_COMPARED = 400
/** Deepest value that is compared. */
const MAX_DEPTH = 20

export class Meanings {
  readonly #worlds: () => { before: World; after: World }
  #made: { before: World; after: World } | undefined
  #compared = 0
  /** Position of every definition of `before`, for the files that changed. */
  readonly #moved: ReadonlyMap<number, Int32Array>
  /** By file: names that may mean something else to others. A value that leads to one of them is another. */
  readonly changed = new Map<number, Set<string>>()

  constructor(worlds: () => { before: World; after: World }, moved: ReadonlyMap<number, Int32Array>) {
    this.#worlds = worlds
    this.#moved = moved
  }

  /** Too much was asked: no more is compared. */
  get isSpent(): boolean {
    return this.#compared > MOST_COMPARED
  }

  /** Whether a statement of a file stands for something else than before; also true when that cannot be told. */
  differs(file: number, old: Source, now: Source): boolean {
    this.#compared++
    if (this.isSpent) return true
    this.#made ??= this.#worlds()
    const { before, after } = this.#made
    if (!COMPARED.has(after.program.facts[file].language)) return true
    const was = valuesOf(before, file, old)
    const is = valuesOf(after, file, now)
    if (was === null || is === null || was.length !== is.length) return true
    return !was.every((it, i) => this.#isSame(it, is[i], 0))
  }

  #isSame(a: Value | undefined, b: Value | undefined, depth: number): boolean {
    if (a === undefined || b === undefined) return a === b
    if (depth > MAX_DEPTH || a.kind !== b.kind || a.name !== b.name || (a === unseen) !== (b === unseen)) return false
    if (a.args.length !== b.args.length || !a.args.every((it, i) => this.#isSame(it, b.args[i], depth + 1)))
      return false
    if (a.kind === MODULE) return a.id === b.id
    if (a.kind === PACKAGE) return this.#packageOf(a, 'before') === this.#packageOf(b, 'after')
    if (!OF_DEFINITIONS.has(a.kind)) return a.id < 0 && b.id < 0
    if (!this.#isSameDefinition(a.id, b.id) || !this.#isSameDefinition(a.self, b.self)) return false
    return a.ids.length === b.ids.length && a.ids.every((it, i) => this.#isSameDefinition(it, b.ids[i]))
  }

  #packageOf({ id }: Value, time: 'before' | 'after'): string {
    return this.#made?.[time].program.packages[id].name ?? ''
  }

  #isSameDefinition(old: number, now: number): boolean {
    if (old < 0 || now < 0 || this.#made === undefined) return old < 0 && now < 0
    const { before, after } = this.#made
    const file = before.program.fileOf[old]
    if (after.program.fileOf[now] !== file) return false
    const local = old - before.program.base[file]
    if ((this.#moved.get(file)?.[local] ?? local) !== now - after.program.base[file]) return false
    return this.changed.get(file)?.has(after.program.defs[now].name) !== true
  }
}

/** What a statement stands for; null when the way there leads in a circle. */
function valuesOf({ program, evaluator }: World, file: number, { kind, at }: Source): (Value | undefined)[] | null {
  const { definitions, imports, exports, bindings, references } = program.facts[file]
  const { memo } = evaluator
  const outer = program.nDefs + file
  const values: (Value | undefined)[] = []
  const add = (read: () => Value | undefined): boolean => {
    memo.settle()
    values.push(read())
    return !memo.metCircle
  }
  const found = (): boolean => {
    switch (kind) {
      case 'definition': {
        const { type = '', owner, parameters = [] } = definitions[at]
        const scope = program.base[file] + at
        if (owner !== undefined) return false
        return [type, ...parameters].every((it) => {
          const text = it.replace(/^\.\.\./, '')
          return text === '' || add(() => evaluator.type(scope, text))
        })
      }
      case 'import': {
        const scope = scopeOf(program, file, imports[at].scope)
        return add(() => evaluator.imported(file, scope, at))
      }
      case 'export':
        return exports[at].local === '' || add(() => evaluator.evaluate(outer, exports[at].local))
      case 'binding': {
        const { name, scope } = bindings[at]
        const own = scopeOf(program, file, scope)
        const dot = name.lastIndexOf('.')
        if (dot > 0 && !add(() => evaluator.evaluate(own, name.slice(0, dot)))) return false
        return add(() => evaluator.binding(own, at))
      }
      case 'reference':
        return addBase(references[at])
    }
  }
  const addBase = (reference: Reference): boolean => {
    const scope = evaluator.classes.heritageScope(file, reference)
    return [reference.path, ...(reference.argTypes ?? [])].every(
      (it) => it === '' || add(() => evaluator.evaluate(scope, it)),
    )
  }
  const isWhole = found()
  memo.settle()
  return isWhole ? values : null
}
