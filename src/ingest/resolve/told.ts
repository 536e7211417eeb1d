/** What upgrades say about the references of the program: an answer per place instead of an evaluation. */

import { fileScope, type Program, scopeOf } from '#ingest/resolve/program'
import { type Role, type Site, sitesOf, type Target, type Upgrade } from '#ingest/upgrade'

/** What one name means. */
export interface Told {
  /** Definitions, or `nDefs + file`, ascending. */
  targets: number[]
  /** It lies outside of the project. */
  outside: boolean
  /** What lies in files that changed since is found by name alone. */
  moved: boolean
}

/** A site that no reference of the facts stands for. */
export interface Leftover extends Told {
  /** Definition or `nDefs + file` in which it stands. */
  from: number
  role: Role
  line: number
}

interface Place extends Site {
  used: boolean
}

const NOT_A_CALL: ReadonlySet<Role> = new Set(['type', 'heritage', 'import', 'module', 'value', 'any'])
const A_CALL: ReadonlySet<Role> = new Set(['call', 'any'])

export class ToldSites {
  readonly #program: Program
  readonly #upgrades: readonly (Upgrade | undefined)[]
  readonly #places: (Map<string, Place[]> | undefined)[] = []
  /** Per file: its definitions by `line name` and by ` name`, -1 for a name that several have. */
  readonly #names: (Map<string, number> | undefined)[] = []

  constructor(program: Program) {
    this.#program = program
    this.#upgrades = program.project.files.map((it) => it.upgrade)
  }

  has(file: number): boolean {
    return this.#upgrades[file] !== undefined
  }

  /**
   * What the name at this line means; undefined when nothing is said. Where a line has the name several times, the
   * answer covers all of them.
   */
  at(file: number, line: number, name: string, isCall: boolean): Told | undefined {
    if (this.#upgrades[file] === undefined || name === '') return undefined
    const all = this.#placesOf(file).get(`${line} ${name}`)
    if (all === undefined) return undefined
    const roles = isCall ? A_CALL : NOT_A_CALL
    const fitting = all.filter((it) => roles.has(it.role))
    const places = fitting.length > 0 ? fitting : all
    for (const it of places) it.used = true
    return this.#told(
      file,
      places.flatMap((it) => it.targets),
    )
  }

  /** Names that no one asked for and that mean a definition of the project. */
  leftovers(file: number): Leftover[] {
    const found: Leftover[] = []
    if (this.#upgrades[file] === undefined) return found
    const scopes = this.#scopesOf(file)
    const imported = new Set(this.#program.facts[file].imports.flatMap((it) => [it.name, it.alias]))
    for (const places of this.#placesOf(file).values()) {
      for (const { used, role, line, name, targets } of places) {
        if (used || role === 'import' || role === 'module') continue
        const told = this.#told(file, targets)
        told.targets = told.targets.filter((it) => it < this.#program.nDefs)
        if (told.targets.length === 0) continue
        const own = role === 'heritage' ? this.#namesOf(file).get(`${line} ${name}`) : undefined
        const from = own ?? scopeOf(this.#program, file, scopes.get(line) ?? -1)
        // an import says it already
        if (from === fileScope(this.#program, file) && imported.has(name)) continue
        found.push({ ...told, from, role, line })
      }
    }
    return found
  }

  #placesOf(file: number): Map<string, Place[]> {
    const known = this.#places[file]
    if (known !== undefined) return known
    const places = new Map<string, Place[]>()
    const upgrade = this.#upgrades[file]
    for (const site of upgrade === undefined ? [] : sitesOf(upgrade)) {
      const key = `${site.line} ${site.name}`
      const list = places.get(key)
      if (list) list.push({ ...site, used: false })
      else places.set(key, [{ ...site, used: false }])
    }
    this.#places[file] = places
    return places
  }

  #told(file: number, targets: readonly Target[]): Told {
    const found = new Set<number>()
    let outside = false
    let moved = false
    for (const target of targets) {
      const other = target.path === '' ? undefined : this.#program.fileByPath.get(target.path)
      if (other === undefined) outside = true
      else if (target.name === '') found.add(fileScope(this.#program, other))
      else {
        const isSame = this.#upgrades[file]?.set.hashes.get(target.path) === this.#program.project.files[other].hash
        moved ||= !isSame
        const id = this.#namesOf(other).get(`${isSame ? target.line : ''} ${target.name}`) ?? -1
        if (id >= 0) found.add(id)
      }
    }
    return { targets: this.#withBodies([...found].sort((a, b) => a - b)), outside, moved }
  }

  /** Where a definition with a body is meant, the signatures of the same name beside it are not. */
  #withBodies(ids: number[]): number[] {
    const { defs, nDefs } = this.#program
    const rest = ids.filter((id) => id >= nDefs || !defs[id].tags.includes('overload'))
    return rest.length > 0 ? rest : ids
  }

  /** In a file that changed, the line says nothing: there it is the only one of that name. */
  #namesOf(file: number): Map<string, number> {
    const known = this.#names[file]
    if (known !== undefined) return known
    const { base, defs } = this.#program
    const names = new Map<string, number>()
    for (let id = base[file]; id < base[file + 1]; id++) {
      const { name, nameLine, tags } = defs[id]
      const place = `${nameLine} ${name}`
      const before = names.get(place)
      if (before === undefined || defs[before].tags.includes('overload')) names.set(place, id)
      if (!tags.includes('overload')) names.set(` ${name}`, names.has(` ${name}`) ? -1 : id)
    }
    this.#names[file] = names
    return names
  }

  /** Per line: the innermost definition around it. Where several stand side by side on it, what holds them all. */
  #scopesOf(file: number): Map<number, number> {
    const scopes = new Map<number, number>()
    const ends = new Map<number, number>()
    const { definitions } = this.#program.facts[file]
    definitions.forEach(({ parent, line, endLine }, d) => {
      for (let at = line; at <= endLine; at++) {
        let inner = scopes.get(at) ?? -1
        if (inner === parent) scopes.set(at, d)
        while (inner >= 0 && definitions[inner].parent !== parent) inner = definitions[inner].parent
        // a sibling ends or starts on the line of another
        if (inner >= 0 && inner !== d) ends.set(at, Math.min(parent, ends.get(at) ?? parent))
      }
    })
    for (const [at, holder] of ends) scopes.set(at, holder)
    return scopes
  }
}

/** The name that a path ends with, as it is written; '' when it ends with a call or an element. */
export function lastName(path: string): string {
  return /(#?[\p{L}\p{N}_$]+)(?:#\d*)?!?$/u.exec(path)?.[1] ?? ''
}
