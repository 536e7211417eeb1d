/** Which of several definitions of one name a reference means. */

import { isClass, type Program } from '#ingest/resolve/program'

const CALLABLE = new Set(['fn', 'class', 'struct', 'enum', 'const', 'variant'])

export interface Picked {
  id: number
  /** False when others fit as well. */
  sure: boolean
}

export function pickDefinition(program: Program, ids: readonly number[], relation: string, args: number): Picked {
  if (ids.length === 1) return { id: ids[0], sure: true }
  const { defs } = program
  let fitting = ids
  if (relation === 'calls') fitting = narrowed(ids, (it) => CALLABLE.has(defs[it].kind))
  else if (relation === 'implements') fitting = narrowed(ids, (it) => isClass(defs[it]))
  else if (relation === 'references') fitting = narrowed(ids, (it) => isClass(defs[it]))
  fitting = narrowed(fitting, (it) => !isSecondary(defs[it].tags))
  if (args >= 0 && fitting.length > 1) {
    const exact = narrowed(fitting, (it) => defs[it].arity === args)
    fitting = exact.length < fitting.length ? exact : narrowed(fitting, (it) => defs[it].arity === -1 || (defs[it].arity ?? -1) > args)
  }
  return { id: fitting[0], sure: true }
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
