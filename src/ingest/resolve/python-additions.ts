/** What code puts into modules and classes of others by assignment: `shop.ring = loud`, `Till.late = late`. */

import type { Host } from '#ingest/resolve/host'
import { isClass, scopeOf } from '#ingest/resolve/program'
import { DEFINITION, isOpaque, MODULE, type Value } from '#ingest/resolve/value'

interface Addition {
  scope: number
  owner: string
  value: string
}

export class PythonAdditions {
  readonly #host: Host
  readonly #files: readonly number[]
  #byName: Map<string, Addition[]> | undefined

  constructor(host: Host, files: readonly number[]) {
    this.#host = host
    this.#files = files
  }

  /** What is put into a module or class under a name; undefined when nothing is. */
  find(owner: Value, name: string): Value | undefined {
    this.#byName ??= this.#collect()
    const { program } = this.#host
    const evaluator = this.#host.evaluator()
    for (const it of this.#byName.get(name) ?? []) {
      const target = evaluator.evaluate(it.scope, it.owner)
      const isSame = target !== undefined && target.kind === owner.kind && target.id === owner.id
      if (!isSame || (owner.kind === DEFINITION && !isClass(program.defs[owner.id]))) continue
      if (owner.kind !== DEFINITION && owner.kind !== MODULE) continue
      const value = evaluator.evaluate(it.scope, it.value)
      if (value !== undefined && !isOpaque(value)) return value
    }
    return undefined
  }

  #collect(): Map<string, Addition[]> {
    const { program } = this.#host
    const byName = new Map<string, Addition[]>()
    for (const file of this.#files) {
      for (const { name, scope, value } of program.facts[file].bindings) {
        const dot = name.lastIndexOf('.')
        if (dot < 0) continue
        const addition = { scope: scopeOf(program, file, scope), owner: name.slice(0, dot), value }
        const list = byName.get(name.slice(dot + 1))
        if (list) list.push(addition)
        else byName.set(name.slice(dot + 1), [addition])
      }
    }
    return byName
  }
}
