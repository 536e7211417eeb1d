/** Candidates by name alone, for what no scope and no type settles. */

import type { Tier } from '#graph/graph'
import type { Evaluator } from '#ingest/resolve/evaluate'
import { directoryOf } from '#ingest/resolve/host'
import { isClass, type Program } from '#ingest/resolve/program'
import { DEFINITION } from '#ingest/resolve/value'

/** More equally good candidates than this are noise. */
const MAX_EQUAL = 5
/** A list longer than this is not worth weighing. */
const MAX_CANDIDATES = 200

export interface Guess {
  id: number
  tier: Tier
}

export interface Question {
  file: number
  name: string
  /** Methods when there is a receiver, else definitions of files and namespaces. */
  kind: 'method' | 'free' | 'type'
  /** Last name of the receiver: `repo` for `self.repo.find`. */
  receiver: string
}

/** Languages whose definitions can be meant by each other's names. */
const FAMILY = new Map<string, string>()
for (const family of [
  ['typescript', 'javascript', 'tsx', 'jsx', 'vue', 'svelte'],
  ['java', 'kotlin', 'scala', 'groovy'],
  ['c', 'cpp', 'objc'],
]) {
  for (const language of family) FAMILY.set(language, family[0])
}

/** Languages in which variables have types that are written or follow from what is. */
export const DECLARED: ReadonlySet<string> = new Set([
  'java',
  'kotlin',
  'scala',
  'csharp',
  'swift',
  'rust',
  'go',
  'c',
  'cpp',
])

/** Definitions by name, in the order of their numbers. */
interface NamedDefinitions {
  methods: Map<string, number[]>
  /** Those of files, namespaces and classes that are no methods. */
  free: Map<string, number[]>
}

export class Candidates {
  readonly #program: Program
  readonly #evaluator: Evaluator
  #index: NamedDefinitions | undefined

  constructor(program: Program, evaluator: Evaluator) {
    this.#program = program
    this.#evaluator = evaluator
  }

  /** The likeliest target, or 'none' and 'many' when there is no candidate or too many equal ones. */
  ask(question: Question): Guess | 'none' | 'many' {
    const { fileOf } = this.#program
    const all = this.#named(question)
    if (all.length === 0) return 'none'
    if (all.length > MAX_CANDIDATES) return 'many'
    const candidates = this.#withoutOverrides(all)
    if (candidates.length === 1)
      return { id: candidates[0], tier: this.#isLikely(question, candidates[0]) ? 'unique' : 'guess' }

    let best = -1
    const ties: number[] = []
    for (const id of candidates) {
      const score = this.#score(question, id)
      if (score > best) {
        best = score
        ties.length = 0
      }
      if (score === best) ties.push(id)
    }
    if (ties.length > MAX_EQUAL) return 'many'
    let chosen = ties[0]
    for (const id of ties)
      if (this.#distance(question.file, fileOf[id]) < this.#distance(question.file, fileOf[chosen])) chosen = id
    return { id: chosen, tier: 'guess' }
  }

  /** Classes that define a method of this name, as far as code of a file may mean them. */
  ownersOf(file: number, name: string): readonly number[] {
    const owners = new Set<number>()
    for (const id of this.#named({ file, name, kind: 'method', receiver: '' })) {
      const owner = this.#ownerOf(id)
      if (owner >= 0) owners.add(owner)
    }
    return [...owners]
  }

  #named({ file, name, kind }: Question): number[] {
    const { facts, fileOf, defs } = this.#program
    const { methods, free } = this.#indexed()
    const list = (kind === 'method' ? methods : free).get(name) ?? []
    const { language, tags } = facts[file]
    const family = FAMILY.get(language) ?? language
    const isTest = tags.includes('test')
    return list.filter((id) => {
      const other = facts[fileOf[id]]
      if ((FAMILY.get(other.language) ?? other.language) !== family) return false
      if (kind === 'type' && !isClass(defs[id])) return false
      // code does not use what its tests define
      return isTest || !other.tags.includes('test')
    })
  }

  #indexed(): NamedDefinitions {
    if (this.#index !== undefined) return this.#index
    const { defs, parent, nDefs } = this.#program
    const index: NamedDefinitions = { methods: new Map(), free: new Map() }
    for (let id = 0; id < nDefs; id++) {
      const { kind, name, owner } = defs[id]
      if (kind === 'variant' || kind === 'section' || kind === 'route' || kind === 'table') continue
      const around = parent[id]
      const isMethod = kind === 'fn' && (Boolean(owner) || (around >= 0 && isClass(defs[around])))
      if (!isMethod && around >= 0 && defs[around].kind === 'fn') continue
      const names = isMethod ? index.methods : index.free
      const list = names.get(name)
      if (list) list.push(id)
      else names.set(name, [id])
    }
    this.#index = index
    return index
  }

  /**
   * False for the only method of a name when it is one of a class that the file does not see. Where values have
   * declared types, a receiver of unknown type is mostly of a library; and nobody uses the classes of another test.
   */
  #isLikely({ file, kind }: Question, id: number): boolean {
    const { facts, fileOf, defs, nDefs, parent } = this.#program
    const other = fileOf[id]
    if (kind !== 'method' || other === file) return true
    if (!DECLARED.has(facts[file].language) && !facts[other].tags.includes('test')) return true
    let owner = this.#ownerOf(id)
    if (owner < 0) return true
    while (parent[owner] >= 0 && isClass(defs[parent[owner]])) owner = parent[owner]
    const value = this.#evaluator.lookup(nDefs + file, defs[owner].name)
    return value?.kind === DEFINITION && value.ids.includes(owner)
  }

  /** Only the topmost of methods that override each other, and one of several overloads. */
  #withoutOverrides(ids: readonly number[]): readonly number[] {
    if (ids.length === 1) return ids
    const owners = ids.map((it) => this.#ownerOf(it))
    const kept: number[] = []
    const seen = new Set<number>()
    ids.forEach((id, i) => {
      const owner = owners[i]
      if (owner < 0) {
        kept.push(id)
        return
      }
      if (seen.has(owner)) return
      seen.add(owner)
      if (!owners.some((other) => other >= 0 && other !== owner && this.#evaluator.classes.descends(owner, other)))
        kept.push(id)
    })
    return kept.length === 0 ? ids : kept
  }

  #ownerOf(id: number): number {
    const { parent, defs } = this.#program
    if (this.#evaluator.classes.owners[id] >= 0) return this.#evaluator.classes.owners[id]
    return parent[id] >= 0 && isClass(defs[parent[id]]) ? parent[id] : -1
  }

  #score({ file, receiver }: Question, id: number): number {
    const { paths, fileOf, defs } = this.#program
    const other = fileOf[id]
    let score = 10
    if (other === file) score = 100
    else if (directoryOf(paths[other]) === directoryOf(paths[file])) score = 50
    const owner = this.#ownerOf(id)
    if (owner >= 0 && receiver !== '') {
      const type = defs[owner].name.toLowerCase()
      const name = receiver.toLowerCase().replace(/[_\d]+/g, '')
      if (name.length > 1 && type === name) score += 60
      else if (name.length > 2 && (type.includes(name) || name.includes(type))) score += 30
    }
    return score
  }

  /** Number of path segments between two files. */
  #distance(a: number, b: number): number {
    const { paths } = this.#program
    const first = paths[a].split('/')
    const second = paths[b].split('/')
    let shared = 0
    while (shared < first.length - 1 && shared < second.length - 1 && first[shared] === second[shared]) shared++
    return first.length + second.length - 2 * shared
  }
}
