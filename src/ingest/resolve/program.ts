/**
 * The definitions, scopes and names of all files under one numbering. A definition is a number `0 … nDefs - 1`
 * in file order; a scope is the number of its definition, or `nDefs + file` for the outermost scope of a file.
 */

import type { Binding, Definition, Facts, Import, Reference } from '#ingest/facts'
import type { Held } from '#ingest/resolve/memo'
import type { Project } from '#ingest/resolve/project'
import type { Value } from '#ingest/resolve/value'

export const ENTRY_DEFINITION = 0
export const ENTRY_IMPORT = 1
export const ENTRY_BINDING = 2

/** One way in which a name is bound in a scope; `next` leads to further ones of the same name and scope. */
export interface Entry {
  kind: number
  /** Definition number, or position in the imports or bindings of the file. */
  index: number
  next: Entry | undefined
  /** On the first entry: the end of the chain when it has more than one. */
  last: Entry | undefined
  /** On the first entry of a name, once it has been evaluated. */
  value: Value | null | Held<Value | null> | undefined
}

/** Several files that share one namespace: a Go package, a Java package, a folder of Python modules. */
export interface Package {
  name: string
  member(name: string): Value | undefined
  /** An import of the package is an edge to those of these files that are used. */
  files: readonly number[]
  /** Such an import is an edge to the first file when none of them is used by name. */
  always: boolean
}

/** A base as a class names it. */
export interface Heritage {
  file: number
  reference: Reference
}

export interface Program {
  project: Project
  nFiles: number
  nDefs: number
  paths: string[]
  facts: Facts[]
  /** First definition of each file; length nFiles + 1. */
  base: Int32Array
  defs: Definition[]
  fileOf: Int32Array
  /** Enclosing definition or -1. */
  parent: Int32Array
  scopes: Scopes
  /** Per scope: its `*` imports as positions in the imports of the file. */
  stars: Map<number, number[]>
  /** Per class: the references that name its bases. */
  heritage: Map<number, Heritage[]>
  /** Bases that are told apart from the class that has them. */
  implementations: Heritage[]
  /** Classes that have type parameters, or bases that do. */
  generic: Set<number>
  /** Definitions that add up to one class. */
  twins: Map<number, number[]>
  fileByPath: Map<string, number>
  packages: Package[]
}

/** Languages whose namespaces are found by name, never by scope. */
const OPEN_NAMESPACES = new Set(['csharp', 'cpp', 'php', 'ruby'])

/** Languages of one family, whose files import each other. */
export const SCRIPT_LANGUAGES: ReadonlySet<string> = new Set([
  'typescript',
  'javascript',
  'tsx',
  'jsx',
  'vue',
  'svelte',
])

/** Kinds that have members and instances. */
const CLASS_KINDS = new Set(['class', 'struct', 'enum', 'interface', 'trait', 'type'])

export function isClass(definition: Definition): boolean {
  return CLASS_KINDS.has(definition.kind)
}

/** A list of `undefined`, to be filled at any place. */
export function empty(length: number): undefined[] {
  return Array<undefined>(length).fill(undefined)
}

export function fileScope(program: Program, file: number): number {
  return program.nDefs + file
}

/** The scope that a file-local index of facts means. */
export function scopeOf(program: Program, file: number, local: number): number {
  return local < 0 ? program.nDefs + file : program.base[file] + local
}

export function fileOfScope(program: Program, scope: number): number {
  return scope >= program.nDefs ? scope - program.nDefs : program.fileOf[scope]
}

export function importAt(program: Program, scope: number, index: number): Import {
  return program.facts[fileOfScope(program, scope)].imports[index]
}

export function bindingAt(program: Program, scope: number, index: number): Binding {
  return program.facts[fileOfScope(program, scope)].bindings[index]
}

/** The name under which an import is visible, '' when under none. */
export function boundName(item: Import): string {
  if (item.name === '*') return ''
  const name = item.alias !== '' ? item.alias : item.name
  // `import shop.db` makes `shop` known
  const dot = name.indexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}

/** Names that are bound in each scope. Those of a file are listed when the first of its scopes is asked for. */
class Scopes {
  readonly #program: () => Program
  readonly #names: Names
  readonly #isListed: Uint8Array

  constructor(nScopes: number, nFiles: number, program: () => Program) {
    this.#program = program
    this.#names = empty(nScopes)
    this.#isListed = new Uint8Array(nFiles)
  }

  at(scope: number): ReadonlyMap<string, Entry> | undefined {
    const names = this.#names[scope]
    if (names !== undefined || scope < 0) return names
    const program = this.#program()
    const file = fileOfScope(program, scope)
    if (this.#isListed[file] === 1) return undefined
    this.#isListed[file] = 1
    bindNames(program, file, this.#names)
    return this.#names[scope]
  }
}

export function createProgram(project: Project): Program {
  const nFiles = project.files.length
  const base = new Int32Array(nFiles + 1)
  for (let f = 0; f < nFiles; f++) base[f + 1] = base[f] + project.files[f].facts.definitions.length
  const nDefs = base[nFiles]
  const program: Program = {
    project,
    nFiles,
    nDefs,
    paths: project.files.map((it) => it.path),
    facts: project.files.map((it) => it.facts),
    base,
    defs: [],
    fileOf: new Int32Array(nDefs),
    parent: new Int32Array(nDefs),
    scopes: new Scopes(nDefs + nFiles, nFiles, () => program),
    stars: new Map(),
    heritage: new Map(),
    implementations: [],
    generic: new Set(),
    twins: new Map(),
    fileByPath: new Map(),
    packages: [],
  }
  for (let f = 0; f < nFiles; f++) addFile(program, f)
  return program
}

function addFile(program: Program, file: number): void {
  const { base, defs, fileOf, parent, stars, heritage } = program
  const facts = program.facts[file]
  const first = base[file]
  program.fileByPath.set(program.paths[file], file)

  for (let d = 0; d < facts.definitions.length; d++) {
    const definition = facts.definitions[d]
    defs.push(definition)
    fileOf[first + d] = file
    parent[first + d] = definition.parent < 0 ? -1 : first + definition.parent
  }
  for (let i = 0; i < facts.imports.length; i++) {
    if (facts.imports[i].name !== '*') continue
    const scope = scopeOf(program, file, facts.imports[i].scope)
    const list = stars.get(scope)
    if (list) list.push(i)
    else stars.set(scope, [i])
  }
  for (const reference of facts.references) {
    if (reference.relation !== 'implements') continue
    if (reference.owner !== undefined) program.implementations.push({ file, reference })
    if (reference.owner !== undefined || reference.from < 0) continue
    if (reference.argTypes !== undefined && reference.argTypes.length > 0) program.generic.add(first + reference.from)
    const list = heritage.get(first + reference.from)
    if (list) list.push({ file, reference })
    else heritage.set(first + reference.from, [{ file, reference }])
  }
}

type Names = (Map<string, Entry> | undefined)[]

function bindNames(program: Program, file: number, names: Names): void {
  const facts = program.facts[file]
  const first = program.base[file]
  for (let d = 0; d < facts.definitions.length; d++) {
    const definition = facts.definitions[d]
    // a method outside of its type's body is no name of the scope that it stands in
    if (definition.owner && (definition.parent < 0 || !isClass(facts.definitions[definition.parent]))) continue
    // neither is a piece of a namespace that other files add to
    if (definition.kind === 'mod' && OPEN_NAMESPACES.has(facts.language)) continue
    // nor a prototype, whose body may be anywhere
    if (definition.parent < 0 && definition.tags.includes('declaration')) continue
    const name =
      facts.language === 'rust' && definition.tags.includes('macro') ? `${definition.name}!` : definition.name
    bind(names, scopeOf(program, file, definition.parent), name, ENTRY_DEFINITION, first + d)
  }
  for (let i = 0; i < facts.imports.length; i++) {
    const item = facts.imports[i]
    // a re-export is a name of the module's users, not of its own text
    const name = boundName(item)
    if (name !== '' && (item.kind !== 'reexport' || facts.language === 'rust'))
      bind(names, scopeOf(program, file, item.scope), name, ENTRY_IMPORT, i)
  }
  for (let i = 0; i < facts.bindings.length; i++) {
    const binding = facts.bindings[i]
    bind(names, scopeOf(program, file, binding.scope), binding.name, ENTRY_BINDING, i)
  }
}

function bind(all: Names, scope: number, name: string, kind: number, index: number): void {
  let names = all[scope]
  if (names === undefined) {
    names = new Map()
    all[scope] = names
  }
  const entry: Entry = { kind, index, next: undefined, last: undefined, value: undefined }
  const head = names.get(name)
  if (head === undefined) {
    names.set(name, entry)
    return
  }
  const last = head.last ?? head
  last.next = entry
  head.last = entry
}
