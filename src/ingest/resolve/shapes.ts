/** The class that a variable of unknown type must be of, told by the members that are used of it. */

import { isCommonMethod } from '#ingest/resolve/builtins'
import type { Evaluator } from '#ingest/resolve/evaluate'
import type { Candidates } from '#ingest/resolve/guess'
import { type Program, scopeOf } from '#ingest/resolve/program'
import { EXTERNAL, instanceOf, RESULT } from '#ingest/resolve/value'

export interface Shaped {
  id: number
  /** False when the members are used of several variables of that name. */
  isSure: boolean
}

export class Shapes {
  readonly #program: Program
  readonly #evaluator: Evaluator
  readonly #candidates: Candidates
  readonly #used = new Map<number, Map<string, Set<string>>>()
  readonly #known = new Map<string, Shaped>()

  constructor(program: Program, evaluator: Evaluator, candidates: Candidates) {
    this.#program = program
    this.#evaluator = evaluator
    this.#candidates = candidates
  }

  /** The only class that has all members which the file uses of a variable; its id is -1 when there is none or several. */
  classOf(file: number, scope: number, variable: string): Shaped {
    const key = `${this.#bindingScope(scope, variable)} ${variable}`
    const full = `${file} ${key}`
    let shaped = this.#known.get(full)
    if (shaped === undefined) {
      const used = this.#membersOf(file)
      const own = this.#find(file, used.get(key))
      // a file mostly calls the same thing by the same name
      shaped = own >= 0 ? { id: own, isSure: true } : { id: this.#find(file, used.get(variable)), isSure: false }
      this.#known.set(full, shaped)
    }
    return shaped
  }

  #find(file: number, names: ReadonlySet<string> | undefined): number {
    if (names === undefined || names.size < 2) return -1
    // a list or a map has nothing but common names
    if ([...names].every((it) => isCommonMethod(it))) return -1
    let rarest: readonly number[] | undefined
    for (const name of names) {
      const owners = this.#candidates.ownersOf(file, name)
      if (owners.length > 0 && (rarest === undefined || owners.length < rarest.length)) rarest = owners
    }
    if (rarest === undefined || rarest.length > 50) return -1
    const fitting = rarest.filter((owner) => {
      for (const name of names) {
        const member = this.#evaluator.instanceMember(instanceOf(owner), name)
        if (member === undefined || member.kind === EXTERNAL || member.kind === RESULT) return false
      }
      return true
    })
    const topmost = fitting.filter(
      (it) => !fitting.some((other) => other !== it && this.#evaluator.classes.descends(it, other)),
    )
    return topmost.length === 1 ? topmost[0] : -1
  }

  #membersOf(file: number): Map<string, Set<string>> {
    let used = this.#used.get(file)
    if (used !== undefined) return used
    used = new Map()
    this.#used.set(file, used)
    for (const { path, from } of this.#program.facts[file].references) {
      const dot = path.indexOf('.')
      if (dot <= 0 || path[dot - 1] === ')' || path[dot - 1] === ']') continue
      const variable = path.slice(0, dot)
      const key = `${this.#bindingScope(scopeOf(this.#program, file, from), variable)} ${variable}`
      let end = dot + 1
      while (end < path.length && !isStep(path.charCodeAt(end))) end++
      const name = path.slice(dot + 1, end)
      for (const it of [key, variable]) {
        const names = used.get(it)
        if (names) names.add(name)
        else used.set(it, new Set([name]))
      }
    }
    return used
  }

  /** The scope that binds a variable, else that of the file. */
  #bindingScope(scope: number, variable: string): number {
    const { nDefs, parent, fileOf, scopes } = this.#program
    for (let s = scope; s < nDefs; s = parent[s] < 0 ? nDefs + fileOf[s] : parent[s])
      if (scopes.at(s)?.has(variable)) return s
    return scope < nDefs ? nDefs + fileOf[scope] : scope
  }
}

/** `.`, `(` or `[`. */
function isStep(code: number): boolean {
  return code === 46 || code === 40 || code === 91
}
