/** Classes: what stands around what, methods that stand elsewhere, bases and derived classes. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import type { Reference } from '#ingest/facts'
import { Held, MapSlot, type Memo } from '#ingest/resolve/memo'
import { ENTRY_DEFINITION, isClass, type Program, SCRIPT_LANGUAGES, scopeOf } from '#ingest/resolve/program'
import {
  DEFINITION,
  definitionOf,
  INSTANCE,
  isOpaque,
  isViaVariable,
  MODULE,
  UNION,
  unknown,
  type Value,
} from '#ingest/resolve/value'

/** Deepest chain of bases, aliases or re-exports that is followed. */
export const MAX_DEPTH = 40

export interface Bases {
  /** Resolved base classes in source order. */
  ids: number[]
  /** True when a base is not part of the project, so that members may come from there. */
  open: boolean
}

const NO_BASES: Bases = { ids: [], open: false }

/** How expressions and types are read. */
export interface Reader {
  readonly memo: Memo
  evaluate(scope: number, path: string): Value | undefined
  type(scope: number, text: string): Value
  constant(id: number): Value
}

export class Classes {
  readonly #program: Program
  readonly #ecosystems: readonly Ecosystem[]
  readonly #reader: Reader
  /** Per definition: the class it belongs to although it stands elsewhere, or -1. */
  readonly owners: Int32Array
  readonly #attached = new Map<number, Map<string, number[]>>()
  readonly #bases = new Map<number, Bases | Held<Bases>>()
  readonly #ancestors = new Map<number, ReadonlySet<number> | Held<ReadonlySet<number>>>()
  #subclasses: Map<number, number[]> | undefined
  /** Bases whose reading asks for other bases. */
  #depth = 0

  constructor(program: Program, ecosystems: readonly Ecosystem[], reader: Reader) {
    this.#program = program
    this.#ecosystems = ecosystems
    this.#reader = reader
    this.owners = new Int32Array(program.nDefs).fill(-1)
  }

  /** Joins methods to types that stand in another place. Must run before anything else is asked. */
  attachOwners(): void {
    const { memo } = this.#reader
    // as long as methods are missing from their types, nothing holds for good
    memo.temporary = true
    this.#attachAll()
    memo.temporary = false
    memo.settle()
  }

  #attachAll(): void {
    const { defs, parent, fileOf, nDefs, heritage } = this.#program
    for (let id = 0; id < nDefs; id++) {
      const { owner, tags, name, parameters } = defs[id]
      if (!owner && parameters !== undefined && tags.includes('extension')) {
        const extended = this.#reader.type(this.outerScope(id), parameters[0])
        if (extended.kind === INSTANCE) this.#attach(extended.id, name, id)
      }
      if (!owner) continue
      const scope = parent[id] < 0 ? nDefs + fileOf[id] : parent[id]
      // tables, functions and objects that methods are put on; one object of a class is not the class
      const isScript = SCRIPT_LANGUAGES.has(this.#program.facts[fileOf[id]].language)
      const type = isScript ? unknown : this.#reader.type(scope, owner)
      const value = type.kind === INSTANCE ? type : this.#reader.evaluate(scope, owner.replace(/<.*$/, ''))
      if (isScript && (value?.kind !== DEFINITION || isViaVariable(value))) continue
      if (value === undefined || (value.kind !== INSTANCE && value.kind !== DEFINITION)) continue
      this.owners[id] = value.id
      if (value.id !== parent[id]) this.#attach(value.id, defs[id].name, id)
      // bases named by a method's surroundings belong to the type of the method
      const bases = heritage.get(id)
      if (bases === undefined || isClass(defs[id])) continue
      heritage.delete(id)
      heritage.set(value.id, [...(heritage.get(value.id) ?? []), ...bases])
    }
    for (const it of this.#program.implementations) {
      const { file, reference } = it
      const type = this.#reader.type(scopeOf(this.#program, file, reference.from), reference.owner ?? '')
      if (type.kind === INSTANCE) heritage.set(type.id, [...(heritage.get(type.id) ?? []), it])
    }
    for (const [id, list] of Array.from(heritage)) {
      if (isClass(defs[id]) || defs[id].kind === 'const') continue
      const around = this.classAround(id)
      if (around >= 0 && around !== id) heritage.set(around, [...(heritage.get(around) ?? []), ...list])
    }
  }

  #attach(owner: number, name: string, id: number): void {
    let names = this.#attached.get(owner)
    if (names === undefined) {
      names = new Map()
      this.#attached.set(owner, names)
    }
    const list = names.get(name)
    if (list) list.push(id)
    else names.set(name, [id])
  }

  hasAttached(owner: number): boolean {
    return this.#attached.has(owner)
  }

  /** Names of the methods that a class has from outside of its body. */
  attachedTo(owner: number): ReadonlyMap<string, number[]> | undefined {
    return this.#attached.get(owner)
  }

  /** The nearest enclosing class of a scope, or object with methods; -1 when none. */
  classAround(scope: number): number {
    const { nDefs, parent, defs } = this.#program
    let object = -1
    for (let s = scope; s >= 0 && s < nDefs; s = parent[s]) {
      if (isClass(defs[s])) return s
      if (defs[s].kind === 'mod' && this.#program.facts[this.#program.fileOf[s]].language === 'ruby') return s
      if (this.owners[s] >= 0) return this.owners[s]
      if (object < 0 && s !== scope && defs[s].kind === 'const') object = s
    }
    return object
  }

  attachedMember(id: number, name: string): Value | undefined {
    const ids = this.#attached.get(id)?.get(name)
    if (ids === undefined) return undefined
    return definitionOf(ids)
  }

  /** The scope that a definition stands in. */
  outerScope(id: number): number {
    const { parent, nDefs, fileOf } = this.#program
    return parent[id] < 0 ? nDefs + fileOf[id] : parent[id]
  }

  /** All classes above one, near and far. */
  above(id: number): ReadonlySet<number> {
    const known = this.#ancestors.get(id)
    if (known !== undefined) return this.#reader.memo.read(known)
    return this.#reader.memo.work<ReadonlySet<number>>(new MapSlot(this.#ancestors, id), null, () => {
      const above = new Set<number>()
      const queue = [...this.bases(id).ids]
      for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
        if (above.has(at)) continue
        above.add(at)
        queue.push(...this.bases(at).ids)
      }
      return above
    })
  }

  /** True when some base, near or far, is not part of the project. */
  isOpen(id: number): boolean {
    if (this.bases(id).open) return true
    for (const it of this.above(id)) if (this.bases(it).open) return true
    return false
  }

  bases(id: number): Bases {
    const known = this.#bases.get(id)
    if (known !== undefined) return this.#reader.memo.read(known)
    const references = this.#program.heritage.get(id) ?? []
    const twins = this.#program.twins.get(id)
    if (references.length === 0 && twins === undefined) return NO_BASES
    if (this.#depth > MAX_DEPTH) {
      this.#reader.memo.meetCircle()
      return NO_BASES
    }
    this.#depth++
    const bases: Bases = { ids: twins === undefined ? [] : [...twins], open: false }
    this.#reader.memo.work(new MapSlot(this.#bases, id), { value: bases }, () => {
      for (const { file, reference } of references) {
        const value = this.asClass(this.#reader.evaluate(this.heritageScope(file, reference), reference.path))
        if (value >= 0) {
          if (value !== id && !bases.ids.includes(value)) bases.ids.push(value)
        } else bases.open = true
      }
      this.#arrange(id, bases.ids, twins?.length ?? 0)
      return bases
    })
    this.#depth--
    return bases
  }

  /** The bases of a class as far as they are known for good. */
  lastingBases(id: number): Bases | undefined {
    const known = this.#bases.get(id)
    return known instanceof Held ? undefined : known
  }

  /** Says which bases a class has. */
  takeBases(id: number, bases: Bases): void {
    this.#bases.set(id, bases)
  }

  readonly #orders = new Map<number, readonly number[] | Held<readonly number[]>>()

  /** A class and all classes above it in the order of C3 linearisation; depth first where there is none. */
  order(id: number): readonly number[] {
    const { memo } = this.#reader
    const known = this.#orders.get(id)
    if (known !== undefined) return memo.read(known)
    // a class that comes up again on the way up adds nothing
    return memo.work<readonly number[]>(new MapSlot(this.#orders, id), { value: [id] }, () => this.#merged(id))
  }

  /** The class, then the classes above it so that each stands before its bases and bases stay in their order. */
  #merged(id: number): number[] {
    const bases = this.bases(id).ids
    const rows = bases.map((it) => [...this.order(it)])
    rows.push([...bases])
    const order = [id]
    for (;;) {
      const left = rows.filter((it) => it.length > 0)
      if (left.length === 0) return order
      const next = left.find(([head]) => !left.some((it) => it.indexOf(head) > 0))?.[0] ?? left[0][0]
      if (!order.includes(next)) order.push(next)
      for (const row of rows) {
        const at = row.indexOf(next)
        if (at >= 0) row.splice(at, 1)
      }
    }
  }

  /** Puts mixins in front of the superclass, the last one first, where they hide its methods. */
  #arrange(id: number, ids: number[], from: number): void {
    const { facts, fileOf, defs } = this.#program
    const { language } = facts[fileOf[id]]
    if (language !== 'ruby' && language !== 'scala' && language !== 'php') return
    const bases = ids.splice(from).reverse()
    if (language === 'php') {
      const isTrait = (it: number) => defs[it].kind === 'trait'
      ids.push(...bases.filter(isTrait), ...bases.filter((it) => !isTrait(it)).reverse())
    } else ids.push(...bases)
  }

  /** The bases of a class and of its other parts, without these parts themselves. */
  properBases(id: number): Bases {
    const twins = this.#program.twins.get(id)
    if (twins === undefined) return this.bases(id)
    const parts = [id, ...twins]
    const all = parts.map((it) => this.bases(it))
    return {
      ids: [...new Set(all.flatMap((it) => it.ids))].filter((it) => !parts.includes(it)),
      open: all.some((it) => it.open),
    }
  }

  /** Whether the way up from a class leads back to it. */
  isCyclic(id: number): boolean {
    const seen = new Set<number>()
    const queue = [...this.properBases(id).ids]
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (at === id) return true
      if (seen.has(at)) continue
      seen.add(at)
      queue.push(...this.properBases(at).ids)
    }
    return false
  }

  /** What stands for the actual code of a declaration that is only expected. */
  counterparts(id: number): readonly number[] {
    const { defs, parent, twins, scopes } = this.#program
    const { tags, name, arity } = defs[id]
    if (tags.includes('expect')) return (twins.get(id) ?? []).filter((it) => defs[it].tags.includes('actual'))
    const around = parent[id]
    if (around < 0 || !defs[around].tags.includes('expect')) return []
    const found: number[] = []
    for (const twin of twins.get(around) ?? [])
      for (let it = scopes.at(twin)?.get(name); it !== undefined; it = it.next)
        if (it.kind === ENTRY_DEFINITION && defs[it.index].arity === arity) found.push(it.index)
    return found
  }

  /** The scope in which the bases that a definition names are read. */
  heritageScope(file: number, { from: local, owner }: Reference): number {
    if (owner !== undefined) return scopeOf(this.#program, file, local)
    return local < 0 ? this.#program.nDefs + file : this.outerScope(this.#program.base[file] + local)
  }

  /** The class that a value denotes or is an instance of; -1 when none. */
  asClass(value: Value | undefined, depth = 0): number {
    // constants may stand for each other
    if (value === undefined || depth > MAX_DEPTH) return -1
    if (value.kind === INSTANCE) return value.id
    if (value.kind === UNION)
      return this.asClass(
        value.args.find((it) => !isOpaque(it)),
        depth + 1,
      )
    if (value.kind === MODULE) return this.asClass(this.#ecosystems[value.id].exported(value.id, 'default'), depth + 1)
    if (value.kind !== DEFINITION) return -1
    const { defs } = this.#program
    if (defs[value.id].kind === 'mod') return value.id
    for (const id of value.ids) if (isClass(defs[id])) return id
    const definition = defs[value.id]
    if (definition.kind === 'const') {
      const constant = this.#reader.constant(value.id)
      if (constant.kind === DEFINITION || constant.kind === INSTANCE)
        return constant.id === value.id ? -1 : this.asClass(constant, depth + 1)
    }
    // constructor functions of older JavaScript have methods attached, tables of Lua as well
    return (definition.kind === 'fn' || definition.kind === 'const') && this.#attached.has(value.id) ? value.id : -1
  }

  /** True when one class is derived from another, directly or not. */
  descends(derived: number, base: number): boolean {
    return this.above(derived).has(base)
  }

  /** Direct subclasses, in the order of their numbers. */
  subclasses(id: number): readonly number[] {
    if (this.#subclasses === undefined) {
      const { memo } = this.#reader
      memo.settle()
      const all = new Map<number, number[]>()
      for (const derived of [...this.#program.heritage.keys()].sort((a, b) => a - b)) {
        for (const base of this.bases(derived).ids) {
          const list = all.get(base)
          if (list) list.push(derived)
          else all.set(base, [derived])
        }
        memo.settle()
      }
      this.#subclasses = all
    }
    return this.#subclasses.get(id) ?? []
  }
}
