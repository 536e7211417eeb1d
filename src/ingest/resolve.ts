/** Facts of all files → edges with relation, tier and line; and an account of what could not be resolved. */

import { type FileCoverage, MAX_SITES, type Tier } from '#graph/graph'
import { ingestWeight } from '#graph/relations'
import { type Import, isAnonymous, type Reference } from '#ingest/facts'
import { isCommonMethod, isGlobal } from '#ingest/resolve/builtins'
import { EdgeSet, RANK } from '#ingest/resolve/edges'
import { Evaluator } from '#ingest/resolve/evaluate'
import { chooseEcosystems } from '#ingest/resolve/families'
import { Candidates } from '#ingest/resolve/guess'
import type { Host } from '#ingest/resolve/host'
import { implicitInterfaces } from '#ingest/resolve/interfaces'
import { reportFaults } from '#ingest/resolve/manifest-faults'
import type { World } from '#ingest/resolve/meanings'
import { NamedThings } from '#ingest/resolve/named'
import { pickDefinition, type Use } from '#ingest/resolve/overloads'
import {
  createProgram,
  ENTRY_BINDING,
  fileOfScope,
  fileScope,
  isClass,
  type Program,
  SCRIPT_LANGUAGES,
  scopeOf,
} from '#ingest/resolve/program'
import type { ExternalEdge, FileResolution, Project, Resolution } from '#ingest/resolve/project'
import { type Shaped, Shapes } from '#ingest/resolve/shapes'
import { Signatures } from '#ingest/resolve/signatures'
import { StaticTypes } from '#ingest/resolve/static-types'
import { findTestSubjects } from '#ingest/resolve/subjects'
import { lastName, type Told, ToldSites } from '#ingest/resolve/told'
import {
  BASE,
  CONTAINER,
  DEFINITION,
  definitionOf,
  EXTERNAL,
  INSTANCE,
  instanceOf,
  isOpaque,
  isViaVariable,
  MODULE,
  moduleOf,
  PACKAGE,
  PARAMETER,
  OBJECT,
  FUNCTION,
  RESULT,
  STANDARD,
  STANDARD_FUNCTION,
  STANDARD_ITEM,
  UNION,
  UNKNOWN,
  type Value,
} from '#ingest/resolve/value'

export type { FileResolution, Project, Resolution, ResolvedEdge, SourceFile } from '#ingest/resolve/project'

/** Receivers that are known by their type. */
const TYPED: ReadonlySet<number> = new Set([INSTANCE, UNION, OBJECT, FUNCTION])
/** Raising and catching a project's own errors is felt like a call. */
const ERROR_RELATIONS = new Set(['raises', 'catches'])
const RAISE_CAUSAL = 0.5
const DECORATE_WEIGHT = 0.4
const IMPORT_FILE_WEIGHT = 0.6
const LIFTED_WEIGHT = 0.4
/** Bases that hold data or a mark and call no method of what derives from them. */
const NEVER_CALLS =
  /(?:^|\.)(?:object|Object|\w*Exception|\w*Error|Throwable|Enum|IntEnum|StrEnum|Flag|ABC|ABCMeta|Protocol|Generic|NamedTuple|TypedDict|Serializable|Cloneable|Record|Send|Sync|Copy|Unpin|UnwindSafe|RefUnwindSafe|Sized|Struct|StandardError|Any|AnyObject|Sendable)$/
const RUST_IMPLEMENTS_WEIGHT = 0.8
/** Most variables that are gone through to where a value comes from. */
const MAX_STEPS = 6

export interface ResolveOptions {
  signal?: AbortSignal
  progress?: (done: number, total: number) => void
  before?: Before
}

/** An earlier resolution of the same files, numbered alike; what it says of files that are not asked again still holds. */
export interface Before {
  files: readonly FileResolution[]
  /** Files to be resolved again, ascending. */
  asked: readonly number[]
  /** Nothing that one file can see of another has changed. */
  sameInterfaces: boolean
}

/** Pure in its input, except that aliases of JavaScript are looked up in the configuration files on disk. */
export function resolve(project: Project, options: ResolveOptions): Resolution {
  return prepared(project).run(options)
}

/** What resolves a project once. What its texts stand for can be asked before. */
export interface Resolving extends World {
  run(options: ResolveOptions): Resolution
}

export function prepared(project: Project): Resolving {
  return new Run(project)
}

function noCounts(): FileCoverage {
  return { resolved: 0, ambiguous: 0, unresolved: 0, external: 0 }
}

function emptyFile(): Account {
  return {
    edges: [],
    own: [],
    satisfies: [],
    externalBases: [],
    bases: [],
    givesBasesTo: [],
    externals: [],
    packageImports: [],
    counts: noCounts(),
    heritage: noCounts(),
    sites: [],
    problems: [],
  }
}

/** Being filled in. */
type Account = { -readonly [K in keyof FileResolution]: FileResolution[K] }

const OUTCOMES = ['resolved', 'ambiguous', 'unresolved', 'external'] as const
type Outcome = (typeof OUTCOMES)[number]

const SHAPELESS: Shaped = { id: -1, isSure: false }

class Run implements Resolving {
  readonly program: Program
  readonly evaluator: Evaluator
  readonly candidates: Candidates
  readonly shapes: Shapes
  readonly signatures: Signatures
  readonly told: ToldSites
  readonly named: NamedThings
  readonly edges: EdgeSet
  readonly #files: Account[]
  /** Problems as they come up, also of files that are not asked. */
  readonly #told: { file: number; line: number; message: string }[] = []
  /** Of configuration files. */
  readonly #problems: Resolution['problems'] = []
  /** 1 for files whose own text is read. */
  readonly #isAsked: Uint8Array
  readonly #externals = new Set<string>()
  /** The name of the reference at hand is known to be a variable or a property: nothing is to be guessed from it. */
  #isVariable = false

  constructor(project: Project) {
    this.program = createProgram(project)
    this.#files = project.files.map(emptyFile)
    this.#isAsked = new Uint8Array(this.program.nFiles)
    const host: Host = {
      program: this.program,
      evaluator: () => this.evaluator,
      problem: (file, line, message) => this.#told.push({ file, line, message }),
      problemIn: (path, line, message) => this.#problems.push({ path, line, message }),
    }
    reportFaults(host)
    this.evaluator = new Evaluator(this.program, chooseEcosystems(host))
    this.candidates = new Candidates(this.program, this.evaluator)
    this.shapes = new Shapes(this.program, this.evaluator, this.candidates)
    this.signatures = new Signatures(this.program, this.evaluator, new StaticTypes(this.program, this.evaluator))
    this.told = new ToldSites(this.program)
    this.named = new NamedThings(this.program, this.evaluator)
    this.edges = new EdgeSet(this.program)
    this.evaluator.prepare()
  }

  run({ signal, progress, before }: ResolveOptions): Resolution {
    const { program, evaluator, edges } = this
    const everything = Array.from(program.paths, (_, file) => file)
    const asked = before?.asked ?? everything
    if (before !== undefined) before.files.forEach((it, file) => (this.#files[file] = it))
    for (const file of asked) {
      this.#isAsked[file] = 1
      this.#files[file] = emptyFile()
    }
    this.#takeBases()
    asked.forEach((file, i) => {
      signal?.throwIfAborted()
      this.#imports(file)
      this.#references(file)
      this.#named(file)
      this.#files[file].own = edges.keep(file)
      if (i % 64 === 0) progress?.(i, asked.length)
    })
    this.#listGivenBases()
    if (before?.sameInterfaces === true)
      for (const file of asked) this.#files[file].satisfies = before.files[file].satisfies
    const satisfied = before?.sameInterfaces === true ? [] : this.#listSatisfied()
    const late = before === undefined ? everything : this.#touched(before, satisfied)
    for (const it of new Set(evaluator.ecosystems)) it.check?.((file) => this.#isAsked[file] === 1)
    for (const file of asked) this.#cycles(file)
    for (const file of asked) this.#files[file].bases = this.#basesIn(file)
    this.#addLate(late)
    for (const file of late) this.#files[file].edges = edges.keep(file)
    for (const { file, line, message } of this.#told)
      if (this.#isAsked[file] === 1) this.#files[file].problems.push({ line, message })
    progress?.(asked.length, asked.length)
    return this.#result()
  }

  /** Files that have edges which do not come from their own text alone, as far as those may be others than before. */
  #touched({ files, asked }: Before, satisfied: readonly number[]): number[] {
    const touched = new Set([...asked, ...satisfied])
    for (const file of asked) {
      for (const it of files[file].givesBasesTo) touched.add(it)
      for (const it of this.#files[file].givesBasesTo) touched.add(it)
    }
    for (const file of touched) {
      if (this.#isAsked[file] === 1) continue
      this.#files[file] = { ...this.#files[file], externalBases: [] }
      this.edges.resume(file, this.#files[file].own)
    }
    return [...touched].sort((a, b) => a - b)
  }

  /** Adds what shows only when the edges of all files are known. */
  #addLate(files: readonly number[]): void {
    const { program, edges } = this
    this.#heritage(files)
    for (const file of files) this.#owners(file)
    for (const file of files) {
      for (const { from, toFile, to } of this.#files[file].satisfies) {
        const id = program.base[file] + from
        edges.add(id, program.base[toFile] + to, 'implements', { tier: 'typed', line: program.defs[id].nameLine })
      }
    }
    for (const file of files) this.#packages(file)
    const imports = (file: number) => edges.of(file)
    for (const { test, subject, tier } of findTestSubjects(program, files, imports))
      edges.add(fileScope(program, test), fileScope(program, subject), 'tests', { tier, line: 1 })
    for (const file of files) this.#lift(file)
  }

  #result(): Resolution {
    const { paths } = this.program
    const counts = noCounts()
    const problems = [...this.#problems]
    const files = this.#files
    const result: Resolution = {
      files,
      get edges() {
        return files.flatMap((it) => it.edges)
      },
      get externals() {
        return files.flatMap((it) => it.externals)
      },
      counts,
      sites: [],
      problems,
    }
    this.#files.forEach((file, f) => {
      const path = paths[f]
      for (const outcome of OUTCOMES) counts[outcome] += file.counts[outcome] + file.heritage[outcome]
      for (const it of file.sites) if (result.sites.length < MAX_SITES) result.sites.push({ path, ...it })
      for (const it of file.problems) problems.push({ path, ...it })
    })
    return result
  }

  // ---- imports

  #imports(file: number): void {
    const { program, evaluator, edges } = this
    const { imports, language } = program.facts[file]
    const ecosystem = evaluator.ecosystems[file]
    const from = fileScope(program, file)
    imports.forEach((item, index) => {
      if (item.kind === 'comment') return
      evaluator.memo.settle()
      const scope = scopeOf(program, file, item.scope)
      const relation = item.kind === 'reexport' ? 'reexports' : item.kind === 'module' ? 'declares_module' : 'imports'
      const details = { tier: 'exact' as const, line: item.line }
      const whole = relation === 'imports' ? { ...details, weight: IMPORT_FILE_WEIGHT } : details
      const target = ecosystem.module(file, item, scope)
      if (target.kind === MODULE) {
        edges.add(from, fileScope(program, target.id), relation, whole)
        // to declare a module is to take its file in
        if (relation === 'declares_module')
          edges.add(from, fileScope(program, target.id), 'imports', { ...details, weight: IMPORT_FILE_WEIGHT })
      } else if (target.kind === PACKAGE) this.#packageImport(file, target.id, item.line)
      else if (target.kind === EXTERNAL) this.#external(file, ecosystem.name, target.name, item.line)
      else if (target.kind === DEFINITION)
        edges.add(from, fileScope(program, program.fileOf[target.id]), relation, whole)

      if (item.name === '' || item.name === '*' || target.kind === EXTERNAL) {
        this.#imported(file, item, target)
        return
      }
      const value = this.#toldImport(file, item) ?? evaluator.imported(file, scope, index)
      if (value.kind === MODULE) edges.add(from, fileScope(program, value.id), relation, whole)
      else if (value.kind === DEFINITION) {
        const id = pickDefinition(program, value.ids, {
          relation: 'imports',
          file,
          line: item.line,
          args: -1,
          argTypes: [],
          scope,
          isSelf: false,
          evaluator,
          signatures: this.signatures,
        }).id
        if (program.fileOf[id] === file) return
        edges.add(from, id, relation, details)
        // packages and inline modules are no files: the edge between files goes to where the symbol stands
        if (target.kind !== MODULE || language === 'rust')
          edges.add(from, fileScope(program, program.fileOf[id]), relation, whole)
      } else if (value.kind === PACKAGE) this.#packageImport(file, value.id, item.line)
      else {
        // a variable is no definition, but the file depends on where it is bound
        const origin = ecosystem.origin?.(file, item) ?? -1
        if (origin >= 0 && origin !== file) edges.add(from, fileScope(program, origin), relation, whole)
        if (value.kind === EXTERNAL) this.#external(file, ecosystem.name, value.name, item.line)
        if (origin >= 0) {
          this.#count(file, 'resolved')
          return
        }
      }
      this.#imported(file, item, value)
    })
  }

  #toldImport(file: number, { line, name }: Import): Value | undefined {
    const { nDefs } = this.program
    const told = this.told.at(file, line, name, false)
    if (told === undefined || told.targets.length === 0) return undefined
    const [target] = told.targets
    return target < nDefs ? definitionOf(told.targets) : moduleOf(target - nDefs)
  }

  /** Counts an import by what it leads to. */
  #imported(file: number, item: Import, { kind }: Value): void {
    const { module, name, line } = item
    if (kind === UNKNOWN) {
      if (item.kind === 'reexport' && this.evaluator.ecosystems[file].isCircular?.(file, item) === true)
        this.#told.push({ file, line, message: `The re-export of ${name} leads back to itself.` })
      const named = name === '' || name === '*' ? '' : ` ${name}`
      this.#site(file, { line, text: `import ${module}${named}`, reason: 'no such module or name in the project' })
    }
    this.#count(file, kind === UNKNOWN ? 'unresolved' : kind === EXTERNAL ? 'external' : 'resolved')
  }

  #site(file: number, site: { line: number; text: string; reason: string }): void {
    const { sites } = this.#files[file]
    if (sites.length < MAX_SITES) sites.push(site)
  }

  #external(file: number, ecosystem: string, name: string, line: number): void {
    if (name === '') return
    const key = `${file} ${name}`
    if (this.#externals.has(key)) return
    this.#externals.add(key)
    const edge: ExternalEdge = { fromFile: file, from: -1, package: `${ecosystem}::${name}`, relation: 'imports', line }
    this.#files[file].externals.push(edge)
  }

  #packageImport(file: number, id: number, line: number): void {
    const { files, always } = this.program.packages[id]
    this.#files[file].packageImports.push({ files, always, line })
  }

  /** Imports of packages are edges to the files whose symbols are used. */
  #packages(file: number): void {
    const { program, edges } = this
    const { packageImports } = this.#files[file]
    if (packageImports.length === 0) return
    const used = new Set<number>()
    for (const { toFile, tier, relation } of edges.of(file))
      if (tier !== 'guess' && relation !== 'names') used.add(toFile)
    for (const { files, always, line } of packageImports) {
      let targets = files.filter((it) => it !== file && used.has(it))
      if (targets.length === 0 && always) targets = files.slice(0, 1)
      for (const target of targets) {
        edges.add(fileScope(program, file), fileScope(program, target), 'imports', {
          tier: 'exact',
          line,
          weight: IMPORT_FILE_WEIGHT,
        })
      }
    }
  }

  // ---- references

  #references(file: number): void {
    const { references } = this.program.facts[file]
    for (const reference of references) {
      if (reference.relation === 'implements') continue
      this.evaluator.memo.settle()
      const outcome = this.#toldReference(file, reference) ?? this.#reference(file, reference)
      if (outcome === undefined) continue
      this.#count(file, outcome)
    }
    for (const { from, targets, role, line, moved } of this.told.leftovers(file)) {
      const tier = moved ? 'typed' : 'exact'
      const relation = role === 'call' ? 'calls' : role === 'heritage' ? 'implements' : 'references'
      for (const to of targets) this.edges.add(from, to, relation, { tier, line })
      this.#count(file, 'resolved')
    }
  }

  /** Things that strings and settings name, where nothing else ties the file to them. */
  #named(file: number): void {
    const { program, edges } = this
    for (const it of program.facts[file].named) {
      this.evaluator.memo.settle()
      const from = scopeOf(program, file, it.from)
      const details = { tier: 'unique' as const, line: it.line }
      for (const target of this.named.targets(file, it)) {
        if (!this.#isTied(file, from, target)) edges.add(from, target, 'names', details)
        const outer = fileScope(program, fileOfScope(program, target))
        if (!this.#isTied(file, fileScope(program, file), outer))
          edges.add(fileScope(program, file), outer, 'names', { ...details, lifted: true })
      }
    }
  }

  /** Whether a node, or its file, is tied to a target already, or the target holds it. */
  #isTied(file: number, from: number, target: number): boolean {
    const { program } = this
    const { nDefs, fileOf, base, parent } = program
    for (let at = from; at >= 0; at = at < nDefs ? parent[at] : -1) if (at === target) return true
    const toFile = fileOfScope(program, target)
    if (target >= nDefs && toFile === file) return true
    const local = from < nDefs ? from - base[file] : -1
    const to = target < nDefs ? target - base[fileOf[target]] : -1
    return this.edges.of(file).some((it) => {
      const isOwn = it.toFile === toFile && it.to === to && (it.from === -1 || it.from === local)
      return isOwn && it.relation !== 'names' && it.tier !== 'guess'
    })
  }

  /** What a compiler said about the site; undefined when nothing, or no more than that a variable stands there. */
  #toldReference(file: number, reference: Reference): Outcome | undefined {
    const { from, relation, line, path } = reference
    this.#isVariable = false
    if (relation === 'registers' || !this.told.has(file)) return undefined
    const told = this.told.at(file, line, lastName(path), relation === 'calls')
    if (told === undefined) return undefined
    if (told.targets.length === 0) {
      if (told.outside) return 'external'
      this.#isVariable = true
      return undefined
    }
    const scope = scopeOf(this.program, file, from)
    for (const to of told.targets) this.#toldEdge(scope, to, reference, told)
    return 'resolved'
  }

  #toldEdge(node: number, to: number, reference: Reference, { moved }: Told): void {
    const { defs, nDefs, parent } = this.program
    const tier = moved ? 'typed' : 'exact'
    this.#edge(node, to, reference, tier)
    // a variant is part of its type
    if (to < nDefs && defs[to].kind === 'variant' && parent[to] >= 0)
      this.edges.add(node, parent[to], 'references', { tier, line: reference.line })
  }

  #count(file: number, outcome: Outcome): void {
    this.#files[file].counts[outcome]++
  }

  #reference(file: number, reference: Reference): Outcome | undefined {
    const { program, evaluator } = this
    const { path, from, relation } = reference
    if (path === '') return undefined
    if (relation === 'registers') return this.#register(file, reference)
    if (relation === 'requests') return this.#request(file, reference)
    let scope = scopeOf(program, file, from)
    const node = scope
    // a decorator stands outside of what it decorates
    if (relation === 'decorates' && from >= 0)
      scope = scopeOf(program, file, program.facts[file].definitions[from].parent)

    // type arguments of a call look like an index
    if (relation === 'calls' && path.endsWith('[]')) {
      const generic = evaluator.evaluate(scope, path.slice(0, -2))
      if (generic?.kind === DEFINITION && program.defs[generic.id].kind !== 'const')
        return this.#emit(file, node, generic, reference, 'exact')
    }

    const dot = path.lastIndexOf('.')
    const last = path.charCodeAt(path.length - 1)
    if (dot < 0 || last === 41 || last === 93) {
      const value =
        (relation === 'calls' ? evaluator.callee(scope, path) : undefined) ?? evaluator.evaluate(scope, path)
      if (value === undefined) return this.#unbound(file, node, reference)
      // the result of a call is called: no name of a symbol stands here
      if (last === 41 && value.kind === DEFINITION) return 'resolved'
      // what a fixture gives is told by the request for it
      if (dot < 0 && this.#isGiven(file, scope, path)) return 'resolved'
      return this.#emit(file, node, value, reference, 'exact')
    }
    const prefix = path.slice(0, dot)
    const name = path.slice(dot + 1)
    const value = (relation === 'calls' ? evaluator.callee(scope, path) : undefined) ?? evaluator.evaluate(scope, path)
    const reached = evaluator.evaluate(scope, prefix)
    const implemented = this.#implemented(scope, reached, name, reference)
    if (implemented !== undefined) return this.#emit(file, node, implemented, reference, 'typed')
    const receiver = reached?.kind === PARAMETER ? reached.args[0] : reached
    this.#mention(node, scope, prefix, receiver, reference)
    if (value?.kind === DEFINITION && receiver !== undefined && isForeign(receiver)) {
      if (evaluator.ecosystemOf(scope).library?.isVisible(file, value.id) === false) return 'external'
    }
    if (value?.kind === DEFINITION && this.#isExtension(value.id) && isOutside(receiver))
      return this.#byExtension(node, scope, prefix, value, reference)
    if (value !== undefined && value.kind !== UNKNOWN) {
      const isSelf = dot === prefix.length && evaluator.ecosystemOf(scope).selfNames.has(prefix)
      const tier: Tier = receiver !== undefined && TYPED.has(receiver.kind) && !isSelf ? 'typed' : 'exact'
      return this.#emit(file, node, value, reference, this.#isGiven(file, scope, prefix) ? 'unique' : tier)
    }
    if (receiver === undefined || receiver.kind === UNKNOWN)
      return this.#byMethodName(file, node, reference, prefix, name)
    if (value === undefined && receiver.kind === INSTANCE && relation === 'calls') {
      const below = this.#memberBelow(receiver.id, name)
      if (below >= 0) {
        this.#edge(node, below, reference, 'typed')
        return 'resolved'
      }
    }
    if (value !== undefined)
      return relation === 'calls' ? this.#unresolved(file, reference, 'the value called is not known') : undefined
    // what the language gives to every value, or derives
    if (isCommonMethod(name)) return 'external'
    return this.#unresolved(file, reference, `no member ${name} is known of its receiver`)
  }

  /** `Trait::method(self)`: the method as the type of the first argument has it. */
  #implemented(
    scope: number,
    trait: Value | undefined,
    name: string,
    { relation, argTypes }: Reference,
  ): Value | undefined {
    const { program, evaluator } = this
    if (relation !== 'calls' || argTypes === undefined || trait?.kind !== DEFINITION) return undefined
    if (program.defs[trait.id].kind !== 'trait' || evaluator.ecosystemOf(scope).library === undefined) return undefined
    const value = evaluator.evaluate(scope, argTypes[0])
    if (value?.kind !== INSTANCE || value.id === trait.id) return undefined
    const member = evaluator.instanceMember(value, name)
    return member?.kind === DEFINITION ? member : undefined
  }

  /** Whether a function extends a type that is none of the project's. */
  #isExtension(id: number): boolean {
    const { owner, kind, tags } = this.program.defs[id]
    return kind === 'fn' && this.evaluator.classes.owners[id] < 0 && (Boolean(owner) || tags.includes('extension'))
  }

  /** A function that extends the type of a value that is not the project's. */
  #byExtension(node: number, scope: number, prefix: string, { ids }: Value, reference: Reference): Outcome {
    const fitting = this.signatures.extensionsOf(ids, scope, prefix)
    if (fitting.ids.length === 0) return 'external'
    const picked = pickDefinition(this.program, fitting.ids, this.#useOf(node, reference))
    const sure = picked.sure || fitting.ids.length === 1
    this.#edge(node, picked.id, reference, sure ? (fitting.known ? 'typed' : 'unique') : 'guess')
    return sure ? 'resolved' : 'ambiguous'
  }

  #useOf(node: number, { relation, line, args = -1, argTypes = [], path }: Reference): Use {
    return {
      relation,
      file: fileOfScope(this.program, node),
      line,
      args,
      argTypes,
      scope: node,
      isSelf: /^(?:[^.]*|(?:this|self|cls|super)\..*)$/.test(path),
      evaluator: this.evaluator,
      signatures: this.signatures,
    }
  }

  /** The classes and objects through which a path leads are referred to as well. */
  #mention(node: number, scope: number, prefix: string, receiver: Value | undefined, reference: Reference): void {
    let value = receiver
    for (let path = prefix; ; ) {
      if (value?.kind === DEFINITION && !path.endsWith(')')) {
        const { kind, tags } = this.program.defs[value.id]
        const isNamed = kind === 'fn' ? tags.includes('property') : kind !== 'mod'
        if (isNamed && !this.evaluator.ecosystemOf(scope).ownClassNames.has(path))
          this.edges.add(node, value.id, 'references', { tier: 'exact', line: reference.line })
      }
      const dot = path.lastIndexOf('.')
      if (dot < 0) return
      path = path.slice(0, dot)
      value = this.evaluator.evaluate(scope, path)
    }
  }

  /** The one method of that name among the classes derived from a type; -1 when there is none or several. */
  #memberBelow(id: number, name: string): number {
    this.evaluator.memo.settle()
    const found = new Set<number>()
    const seen = new Set([id])
    const queue = [id]
    for (let i = 0; i < queue.length && i < 200; i++) {
      for (const derived of this.evaluator.classes.subclasses(queue[i])) {
        if (seen.has(derived)) continue
        seen.add(derived)
        queue.push(derived)
        const value = this.evaluator.instanceMember(instanceOf(derived), name)
        if (value?.kind === DEFINITION) found.add(value.id)
      }
    }
    const [only] = found
    return found.size === 1 ? only : -1
  }

  #unbound(file: number, node: number, reference: Reference): Outcome | undefined {
    const { path, relation } = reference
    const { language } = this.program.facts[file]
    if (isGlobal(language, path)) return 'external'
    if (path.endsWith(')') || path.endsWith(']') || path.length < 2) return undefined
    const ecosystem = this.evaluator.ecosystems[file]
    if (ecosystem.closedWorld && language !== 'python') return 'external'
    if (this.#isVariable) return this.#unresolved(file, reference, 'the value of a variable is called')
    if (relation === 'calls' && ecosystem.implicitThis) {
      const own = this.evaluator.classes.classAround(node)
      const below = own < 0 ? -1 : this.#memberBelow(own, path)
      if (below >= 0) {
        this.#edge(node, below, reference, 'typed')
        return 'resolved'
      }
    }
    const guess = this.candidates.ask({ file, name: path, kind: relation === 'calls' ? 'free' : 'type', receiver: '' })
    if (guess === 'none')
      return ecosystem.closedWorld || relation !== 'calls'
        ? 'external'
        : this.#unresolved(file, reference, 'no such name in the project')
    if (guess === 'many') return this.#unresolved(file, reference, 'many definitions have this name')
    // where names must be imported, a name that is not can only be guessed
    const tier = ecosystem.closedWorld ? 'guess' : guess.tier
    this.#edge(node, guess.id, reference, tier)
    return tier === 'guess' ? 'ambiguous' : 'resolved'
  }

  #byMethodName(file: number, node: number, reference: Reference, prefix: string, name: string): Outcome | undefined {
    if (reference.relation !== 'calls') return undefined
    if (this.#isVariable) return this.#unresolved(file, reference, 'the value of a variable is called')
    const shaped = this.#byShape(file, node, prefix, name)
    if (shaped.id >= 0) {
      this.#edge(node, shaped.id, reference, shaped.isSure ? 'unique' : 'guess')
      return shaped.isSure ? 'resolved' : 'ambiguous'
    }
    if (isCommonMethod(name)) return this.#unresolved(file, reference, 'the type of the receiver is not known')
    const receiver = plainPath(prefix)
      .replace(/\(\)|\[\]/g, '')
      .replace(/^.*\./, '')
    const guess = this.candidates.ask({ file, name, kind: 'method', receiver })
    if (guess === 'none') return this.#unresolved(file, reference, 'the type of the receiver is not known')
    if (guess === 'many')
      return this.#unresolved(file, reference, 'many methods have this name and the type of the receiver is not known')
    this.#edge(node, guess.id, reference, guess.tier)
    return guess.tier === 'guess' ? 'ambiguous' : 'resolved'
  }

  /** The method that a chain from a variable leads to, when the members used of the variable tell its class. */
  #byShape(file: number, node: number, prefix: string, name: string): Shaped {
    const variable = /^[^.()[\]]*/.exec(prefix)?.[0] ?? ''
    const rest = prefix.slice(variable.length)
    if (variable === '' || variable === '?' || rest.startsWith('(') || rest.startsWith('[')) return SHAPELESS
    const { id, isSure } = this.shapes.classOf(file, node, variable)
    if (id < 0) return SHAPELESS
    const value = this.evaluator.follow(instanceOf(id), rest === '' ? `.${name}` : `${rest}.${name}`)
    return value?.kind === DEFINITION ? { id: value.id, isSure } : SHAPELESS
  }

  /** Whether a call goes through a variable, a field or `cls`, which may hold something else the next time. */
  #isHandedOn(file: number, node: number, value: Value, path: string): boolean {
    const { program, evaluator } = this
    const { language } = program.facts[file]
    if (value.kind !== DEFINITION || (language !== 'python' && !SCRIPT_LANGUAGES.has(language))) return false
    if (isViaVariable(value)) return true
    if (language !== 'python') return false
    const dot = path.lastIndexOf('.')
    if (dot < 0) return evaluator.ecosystems[file].ownClassNames.has(path)
    if (path.slice(dot + 1) === program.defs[value.id].name) return false
    const receiver = evaluator.evaluate(node, path.slice(0, dot))
    return receiver?.kind === INSTANCE || receiver?.kind === BASE || receiver?.kind === DEFINITION
  }

  #emit(file: number, node: number, value: Value, used: Reference, given: Tier): Outcome | undefined {
    const { program, evaluator } = this
    const isHandedOn = used.relation === 'calls' && this.#isHandedOn(file, node, value, used.path)
    const isScript = SCRIPT_LANGUAGES.has(program.facts[file].language)
    // in a script what a variable holds is used; what is called is the variable
    const reference = isHandedOn && isScript ? { ...used, relation: 'references' } : used
    const tier = isHandedOn && !isScript && given === 'exact' ? 'typed' : given
    const { relation } = reference
    switch (value.kind) {
      case DEFINITION: {
        const use = this.#useOf(node, reference)
        // a function of the standard library is called as if it were a member
        if (relation === 'calls' && program.facts[file].language === 'kotlin' && !this.signatures.takes(value.ids, use))
          return 'external'
        const picked = pickDefinition(program, value.ids, use)
        const { kind } = program.defs[picked.id]
        // what looks like a call of a Go type converts a value; literals have no number of arguments
        const isConversion =
          relation === 'calls' &&
          reference.args !== undefined &&
          isClass(program.defs[picked.id]) &&
          program.facts[file].language === 'go'
        this.#edge(
          node,
          picked.id,
          isConversion ? { ...reference, relation: 'references' } : reference,
          picked.sure ? tier : 'guess',
        )
        for (const variant of picked.variants) this.#edge(node, variant, reference, tier)
        for (const it of evaluator.classes.counterparts(picked.id)) this.#edge(node, it, reference, tier)
        if (kind === 'variant' && program.parent[picked.id] >= 0) {
          this.edges.add(node, program.parent[picked.id], 'references', { tier, line: reference.line })
        }
        return picked.sure ? 'resolved' : 'ambiguous'
      }
      case MODULE: {
        if (relation === 'calls') {
          const main = evaluator.ecosystems[value.id].exported(value.id, 'default')
          const beside = main ?? evaluator.functionBeside(node, reference.path)
          if (beside?.kind === DEFINITION) return this.#emit(file, node, beside, reference, tier)
          return this.#unresolved(file, reference, 'a module is called')
        }
        this.#edge(node, fileScope(program, value.id), reference, tier)
        return 'resolved'
      }
      case INSTANCE: {
        // `new this()` and the like
        if (relation !== 'calls' || evaluator.ecosystems[file].selfNames.has(reference.path)) return 'resolved'
        const method = evaluator.instanceMember(value, '__call__') ?? evaluator.instanceMember(value, 'invoke')
        if (method?.kind === DEFINITION) {
          // a protocol says what may be called, not what is
          const owner = program.parent[method.id]
          if (owner >= 0 && program.facts[file].language === 'python' && program.defs[owner].tags.includes('interface'))
            return 'resolved'
          this.#edge(node, method.id, reference, 'typed')
          return 'resolved'
        }
        return this.#unresolved(file, reference, 'a value is called')
      }
      case UNION: {
        let outcome: Outcome | undefined
        // one of several functions that a variable may hold
        const each = reference.path.includes('.') ? 'typed' : 'guess'
        for (const it of value.args) if (!isOpaque(it)) outcome = this.#emit(file, node, it, reference, each) ?? outcome
        return outcome
      }
      case BASE: {
        const [base] = evaluator.classes.bases(value.id).ids
        if (base === undefined) return 'external'
        if (relation === 'calls') this.#edge(node, base, reference, tier)
        return 'resolved'
      }
      case FUNCTION:
      case OBJECT:
        return 'resolved'
      case EXTERNAL:
      case CONTAINER:
      case RESULT:
      case STANDARD:
      case STANDARD_ITEM:
      case STANDARD_FUNCTION:
        return 'external'
      // a function handed over
      case PARAMETER:
        return 'external'
      case PACKAGE:
        return 'resolved'
    }
    return relation === 'calls' ? this.#unresolved(file, reference, 'the value called is not known') : undefined
  }

  /** A route module named by a path of modules, or the file in which a registered value is made. */
  #register(file: number, reference: Reference): Outcome | undefined {
    const { program, evaluator } = this
    const scope = scopeOf(program, file, reference.from)
    const ecosystem = evaluator.ecosystems[file]
    let target = -1
    for (
      let path = reference.path;
      path !== '' && target < 0;
      path = path.slice(0, Math.max(0, path.lastIndexOf('.')))
    ) {
      const value = evaluator.evaluate(scope, path)
      if (value?.kind === MODULE) target = value.id
      else if (value?.kind === DEFINITION) target = program.fileOf[value.id]
      else target = this.#importedFrom(file, reference.from, path)
    }
    if (target < 0) {
      const value = ecosystem.module(
        file,
        { kind: 'dynamic', module: reference.path, name: '', alias: '', scope: -1, line: reference.line },
        scope,
      )
      if (value.kind === MODULE) target = value.id
    }
    if (target < 0 || target === file) return undefined
    this.edges.add(fileScope(program, file), fileScope(program, target), 'registers', {
      tier: 'exact',
      line: reference.line,
    })
    return 'resolved'
  }

  /** A test asks for a fixture by the name of a parameter; many come with plug-ins. */
  #request(file: number, reference: Reference): Outcome | undefined {
    const scope = scopeOf(this.program, file, reference.from)
    const value = this.evaluator.evaluate(scope, reference.path)
    return value?.kind === DEFINITION ? this.#emit(file, scope, value, reference, 'exact') : undefined
  }

  /** True for a value of a test that comes from a fixture: the name of a parameter tells it, and nothing else. */
  #isGiven(file: number, scope: number, path: string): boolean {
    const { facts, scopes, base, fileOf, nDefs } = this.program
    if (scope >= nDefs || !facts[file].tags.includes('test')) return false
    let name = path
    for (let step = 0; step < MAX_STEPS; step++) {
      const [head] = /^[^.()[\]]*/.exec(name) ?? ['']
      if (head.endsWith('@')) return true
      const entry = scopes.at(scope)?.get(head)
      if (entry?.kind !== ENTRY_BINDING || fileOf[scope] !== file || base[file] > scope) return false
      name = facts[file].bindings[entry.index].value
    }
    return false
  }

  /** The file that an imported name comes from, when the name itself stands for no definition. */
  #importedFrom(file: number, local: number, name: string): number {
    const { program, evaluator } = this
    for (const item of program.facts[file].imports) {
      if ((item.alias !== '' ? item.alias : item.name) !== name) continue
      const value = evaluator.ecosystems[file].module(file, item, scopeOf(program, file, local))
      if (value.kind === MODULE) return value.id
    }
    return -1
  }

  #edge(node: number, to: number, reference: Reference, tier: Tier): void {
    const { relation, line, unreachable } = reference
    if (relation === 'decorates')
      this.edges.add(node, to, 'references', { tier, line, unreachable, weight: DECORATE_WEIGHT })
    else if (ERROR_RELATIONS.has(relation))
      this.edges.add(node, to, 'references', { tier, line, unreachable, causal: RAISE_CAUSAL })
    else this.edges.add(node, to, relation, { tier, line, unreachable })
  }

  #unresolved(file: number, reference: Reference, reason: string): Outcome | undefined {
    if (reference.relation !== 'calls') return undefined
    this.#site(file, { line: reference.line, text: `${plainPath(reference.path)}()`, reason })
    return 'unresolved'
  }

  // ---- types

  /** Whose types get bases from the text of other files. */
  #listGivenBases(): void {
    const { heritage, fileOf } = this.program
    const given = new Map<number, Set<number>>()
    for (const [id, references] of heritage) {
      for (const { file } of references) {
        if (file === fileOf[id] || this.#isAsked[file] === 0) continue
        const set = given.get(file)
        if (set) set.add(fileOf[id])
        else given.set(file, new Set([fileOf[id]]))
      }
    }
    for (const [file, set] of given) this.#files[file].givesBasesTo = [...set]
  }

  /** Bases of types in files that are not asked are those of before. */
  #takeBases(): void {
    const { program, evaluator } = this
    const { base } = program
    this.#files.forEach(({ bases }, file) => {
      let ids: number[] = []
      let open = false
      bases.forEach(({ from, toFile, to }, i) => {
        if (toFile < 0) open = true
        else ids.push(base[toFile] + to)
        if (bases[i + 1]?.from === from) return
        const id = base[file] + from
        if (this.#namesItsBases(id)) evaluator.classes.takeBases(id, { ids, open })
        ids = []
        open = false
      })
    })
  }

  #basesIn(file: number): FileResolution['bases'] {
    const { program, evaluator } = this
    const { base, fileOf } = program
    return this.#heirsOf(file).flatMap((id) => {
      const bases = this.#namesItsBases(id) ? evaluator.classes.lastingBases(id) : undefined
      if (bases === undefined) return []
      const from = id - base[file]
      const rows = bases.ids.map((it) => ({ from, toFile: fileOf[it], to: it - base[fileOf[it]] }))
      return bases.open ? [...rows, { from, toFile: -1, to: -1 }] : rows
    })
  }

  #namesItsBases(id: number): boolean {
    const { heritage, twins, fileOf } = this.program
    return !twins.has(id) && heritage.get(id)?.every((it) => it.file === fileOf[id]) === true
  }

  #heritage(files: readonly number[]): void {
    const { program, evaluator } = this
    for (const id of files.flatMap((file) => this.#heirsOf(file))) {
      for (const { file, reference } of program.heritage.get(id) ?? []) {
        evaluator.memo.settle()
        const told = this.told.at(file, reference.line, lastName(reference.path), false)
        if (told !== undefined && (told.targets.length > 0 || told.outside)) {
          for (const base of told.targets) this.#inherits(id, base, file, reference, told.moved ? 'typed' : 'exact')
          this.#countBase(file, told.targets.length > 0 ? 'resolved' : 'external')
          continue
        }
        const value = evaluator.evaluate(evaluator.classes.heritageScope(file, reference), reference.path)
        let base = evaluator.classes.asClass(value)
        let tier: Tier = 'exact'
        if (
          base < 0 &&
          value === undefined &&
          !reference.path.includes('.') &&
          !isGlobal(program.facts[file].language, reference.path)
        ) {
          const { closedWorld } = evaluator.ecosystems[file]
          const guess =
            closedWorld && program.facts[file].language !== 'python'
              ? 'none'
              : this.candidates.ask({ file, name: reference.path, kind: 'type', receiver: '' })
          if (guess !== 'none' && guess !== 'many') {
            base = guess.id
            tier = closedWorld ? 'guess' : guess.tier
          }
        }
        this.#countBase(file, base >= 0 ? (tier === 'guess' ? 'ambiguous' : 'resolved') : 'external')
        if (base >= 0) this.#inherits(id, base, file, reference, tier)
        else if (!NEVER_CALLS.test(reference.path) && !isAnonymous(program.defs[id])) {
          const own = program.fileOf[id]
          this.#files[own].externalBases.push({ from: id - program.base[own], name: reference.path })
        }
      }
    }
  }

  /** Definitions of a file that have bases, ascending. */
  #heirsOf(file: number): number[] {
    const { base, heritage } = this.program
    const ids: number[] = []
    for (let id = base[file]; id < base[file + 1]; id++) if (heritage.has(id)) ids.push(id)
    return ids
  }

  /** A base is counted with the file that names it, whatever other files it is looked at for. */
  #countBase(file: number, outcome: Outcome): void {
    if (this.#isAsked[file] === 1) this.#files[file].heritage[outcome]++
  }

  /** Classes that are derived from themselves; of those on one circle the first is told. */
  #cycles(file: number): void {
    const { classes } = this.evaluator
    for (const id of this.#heirsOf(file)) {
      const { name, nameLine } = this.program.defs[id]
      if (!isClass(this.program.defs[id]) || !classes.isCyclic(id)) continue
      const circle = [...classes.above(id)].filter((it) => classes.above(it).has(id))
      if (circle.every((it) => it >= id))
        this.#told.push({ file, line: nameLine, message: `The inheritance of ${name} leads back to itself.` })
    }
  }

  #inherits(id: number, base: number, file: number, { line, unreachable }: Reference, tier: Tier): void {
    const weight = this.program.facts[file].language === 'rust' ? RUST_IMPLEMENTS_WEIGHT : ingestWeight('implements')
    this.edges.add(id, base, 'implements', { tier, line, weight, unreachable })
  }

  /** Methods that stand outside of their type's body belong to it. */
  #owners(file: number): void {
    const { program, evaluator, edges } = this
    for (let id = program.base[file]; id < program.base[file + 1]; id++) {
      const owner = evaluator.classes.owners[id]
      if (owner >= 0 && owner !== program.parent[id])
        edges.add(id, owner, 'belongs_to_type', { tier: 'exact', line: program.defs[id].nameLine })
    }
  }

  /** Interfaces that types satisfy without naming them. Returns the files for which there are others than before. */
  #listSatisfied(): number[] {
    const { program, evaluator } = this
    const { base, fileOf } = program
    const found = new Map<number, FileResolution['satisfies'][number][]>()
    for (const { from, to } of implicitInterfaces(program, evaluator)) {
      const file = fileOf[from]
      const toFile = fileOf[to]
      const it = { from: from - base[file], toFile, to: to - base[toFile] }
      const list = found.get(file)
      if (list) list.push(it)
      else found.set(file, [it])
    }
    const changed: number[] = []
    for (let file = 0; file < program.nFiles; file++) {
      const list = found.get(file) ?? []
      if (isSame(list, this.#files[file].satisfies)) continue
      this.#files[file] = { ...this.#files[file], satisfies: list }
      changed.push(file)
    }
    return changed
  }

  // ---- files

  /** One call between files for each pair of them whose symbols are proven to call each other. */
  #lift(file: number): void {
    const { program, edges } = this
    const best = new Map<number, { tier: Tier; line: number }>()
    for (const { relation, toFile, tier, line } of edges.of(file)) {
      if (relation !== 'calls' || toFile === file || RANK[tier] >= RANK.unique) continue
      const before = best.get(toFile)
      if (before === undefined || RANK[tier] < RANK[before.tier]) best.set(toFile, { tier, line })
    }
    for (const [to, { tier, line }] of best) {
      edges.add(fileScope(program, file), fileScope(program, to), 'calls', {
        tier,
        line,
        weight: LIFTED_WEIGHT,
        lifted: true,
      })
    }
  }
}

/** True for a value of a type that is not of the project. */
function isForeign({ kind }: Value): boolean {
  return kind === STANDARD || kind === EXTERNAL
}

/** An expression path for people: without arguments, and variables by their names. */
function plainPath(path: string): string {
  if (!path.includes('#') && !path.includes('(') && !path.includes('@')) return path
  let plain = path.replace(/#\d*|\.@=?\w+/g, '').replace(/@match\(|\.\?/g, '')
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replace(/\([^()]+\)/g, '()')
  }
  return plain
}

function isSame(a: FileResolution['satisfies'], b: FileResolution['satisfies']): boolean {
  return (
    a.length === b.length && a.every((it, i) => it.from === b[i].from && it.toFile === b[i].toFile && it.to === b[i].to)
  )
}

/** Whether a value is none of the project's, or may be. */
function isOutside(value: Value | undefined): boolean {
  return isOpaque(value) || value?.kind === CONTAINER || value?.kind === RESULT
}
