/**
 * Languages in which files add to namespaces that others see by name: Java, Kotlin, Scala, C#, PHP, Ruby, Swift,
 * C and C++. They differ in what a file sees without naming it, which `Rules` tell.
 */

import type { Definition, Import } from '#ingest/facts'
import { isGlobal } from '#ingest/resolve/builtins'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { checkComposer } from '#ingest/resolve/composer'
import { baseName, filesOf, type Host } from '#ingest/resolve/host'
import { Nearest } from '#ingest/resolve/nearest'
import { type Held, MapSlot } from '#ingest/resolve/memo'
import { memberNamed } from '#ingest/resolve/named'
import { suffixSearch } from '#ingest/resolve/plain'
import { fileOfScope, isClass } from '#ingest/resolve/program'
import {
  builtin,
  DEFINITION,
  definitionOf,
  external,
  isOpaque,
  moduleOf,
  packageOf,
  unknown,
  type Value,
} from '#ingest/resolve/value'

export interface Rules {
  name: string
  languages: readonly string[]
  /** Names of the namespaces around the own one are seen as well. */
  enclosing: boolean
  /** Names outside of any namespace are seen everywhere. */
  global: boolean
  /** Only what a file includes, directly or not, is seen. */
  included: boolean
  /** Several definitions of one class add up. */
  partial: boolean
  closedWorld: boolean
  selfNames: readonly string[]
  ownClassNames: readonly string[]
  superNames: readonly string[]
  implicitThis: boolean
}

const JVM: Rules = {
  name: 'maven',
  languages: ['java', 'kotlin', 'scala', 'groovy'],
  enclosing: false,
  global: false,
  included: false,
  partial: false,
  closedWorld: true,
  selfNames: ['this'],
  ownClassNames: [],
  superNames: ['super'],
  implicitThis: true,
}
const RULES: readonly Rules[] = [
  JVM,
  {
    ...JVM,
    name: 'nuget',
    languages: ['csharp'],
    enclosing: true,
    global: true,
    partial: true,
    superNames: ['base', 'super'],
  },
  {
    ...JVM,
    name: 'composer',
    languages: ['php'],
    global: true,
    closedWorld: false,
    selfNames: ['this', '$this'],
    ownClassNames: ['self', 'static'],
    superNames: ['parent', 'super'],
    implicitThis: false,
  },
  {
    ...JVM,
    name: 'gem',
    languages: ['ruby'],
    enclosing: true,
    global: true,
    partial: true,
    closedWorld: false,
    selfNames: ['self'],
    ownClassNames: [],
  },
  {
    ...JVM,
    name: 'swift',
    languages: ['swift'],
    global: true,
    closedWorld: false,
    selfNames: ['self'],
    ownClassNames: ['Self'],
  },
  {
    ...JVM,
    name: 'c',
    languages: ['c', 'cpp', 'objc'],
    enclosing: true,
    global: true,
    included: true,
    closedWorld: false,
  },
]

export function namespaceRules(language: string): Rules | undefined {
  return RULES.find((it) => it.languages.includes(language))
}

export function namespaceEcosystem(host: Host, rules: Rules): Ecosystem {
  const { program } = host
  const { defs, parent, fileOf, facts } = program
  const files = filesOf(program, new Set(rules.languages))
  const findFile = suffixSearch(program.paths, files)
  /** Namespace → name → definitions. */
  const index = new Map<string, Map<string, number[]>>()
  const filesByNamespace = new Map<string, Set<number>>()
  const modNames = new Map<number, string>()
  const nearest = new Nearest(host)
  /** Namespace → name → functions that extend a type. */
  const extensions = new Map<string, Map<string, number[]>>()
  for (const file of files) addFile(file)
  joinParts()
  if (rules.name === 'composer') checkComposer(host)

  function addFile(file: number): void {
    const own = normal(facts[file].package)
    addNamespace(own, file)
    facts[file].definitions.forEach((definition, d) => {
      const id = program.base[file] + d
      if (isExtension(definition)) addName(extensions, namespaceOf(id, own), definition.name, id)
      // `class Shop::Rate` is a name of the module
      if (definition.owner && rules.name === 'gem' && isClass(definition))
        addName(index, joined(namespaceOf(id, own), normal(definition.owner)), definition.name, id)
      if (definition.owner) return
      if (definition.kind === 'mod') {
        const outer = parent[id] >= 0 ? (modNames.get(parent[id]) ?? own) : own
        const name = joined(outer, normal(definition.name))
        modNames.set(id, name)
        addNamespace(name, file)
      }
      const around = parent[id]
      const namespace = around < 0 ? own : modNames.get(around)
      // modules of Ruby have methods and may be included: they are definitions to their users
      if (namespace === undefined || (definition.kind === 'mod' && rules.name !== 'gem')) return
      addName(index, namespace, definition.name, id)
    })
  }

  function addNamespace(name: string, file: number): void {
    for (let it = name; ; it = it.slice(0, Math.max(0, it.lastIndexOf('.')))) {
      let set = filesByNamespace.get(it)
      if (set === undefined) {
        set = new Set()
        filesByNamespace.set(it, set)
      }
      if (it === name) set.add(file)
      if (it === '') break
    }
  }

  /** The namespace that a definition stands in. */
  function namespaceOf(id: number, own: string): string {
    for (let at = parent[id]; at >= 0; at = parent[at]) {
      const name = modNames.get(at)
      if (name !== undefined) return name
    }
    return own
  }

  function addName(to: Map<string, Map<string, number[]>>, namespace: string, name: string, id: number): void {
    let names = to.get(namespace)
    if (names === undefined) {
      names = new Map()
      to.set(namespace, names)
    }
    const list = names.get(name)
    if (list) list.push(id)
    else names.set(name, [id])
  }

  /** Definitions that add up to one, by the rules of the language or because they say so. */
  function joinParts(): void {
    for (const [namespace, names] of index) {
      for (const [name, ids] of names) {
        if (ids.length < 2) continue
        const parts = ids.filter((it) => isJoined(defs[it]))
        if (parts.length < 2 || parts.length > 50) {
          if (rules.name === 'maven' || rules.name === 'composer') nearest.report(joined(namespace, name), ids)
          continue
        }
        for (const id of parts)
          program.twins.set(
            id,
            parts.filter((it) => it !== id && isClass(defs[it]) === isClass(defs[id])),
          )
      }
    }
  }

  function isJoined(definition: Definition): boolean {
    const { tags } = definition
    if (tags.includes('expect') || tags.includes('actual')) return true
    return rules.partial && isClass(definition) && (rules.name !== 'nuget' || tags.includes('partial'))
  }

  const packages = new Map<string, Value>()
  function packageValue(name: string): Value {
    let value = packages.get(name)
    if (value === undefined) {
      value = packageOf(program.packages.length)
      const own = [...(filesByNamespace.get(name) ?? [])].sort((a, b) => a - b)
      program.packages.push({ name, files: own, always: false, member: (it) => inNamespace(name, it, -1) })
      packages.set(name, value)
    }
    return value
  }

  /** A name of one namespace, or a namespace in it. `file` limits what is seen where only included files are. */
  function inNamespace(namespace: string, name: string, file: number): Value | undefined {
    const ids = index.get(namespace)?.get(name)
    if (ids !== undefined) {
      const seen = file >= 0 && rules.included ? withImplementations(file, ids) : ids
      if (seen.length > 0) return definitionOf(file < 0 || rules.included ? seen : nearest.of(file, seen))
    }
    const facade = rules.name === 'maven' ? facadeOf(namespace, name) : -1
    if (facade >= 0) return moduleOf(facade)
    const inner = joined(namespace, name)
    return filesByNamespace.has(inner) ? packageValue(inner) : undefined
  }

  /** A type or module by its namespace and name, and what is in it; `Outer$Inner` as binary names have it. */
  function named(_file: number, path: readonly string[]): readonly number[] {
    const segments = path.flatMap((it) => (rules.name === 'maven' ? it.split('$') : it)).filter((it) => it !== '')
    for (let n = segments.length - 1; n >= 0; n--) {
      const ids = index.get(segments.slice(0, n).join('.'))?.get(segments[n]) ?? []
      const [id] = ids
      if (id === undefined || (n === 0 && !rules.global)) continue
      const isOne = ids.every((it) => it === id || program.twins.get(id)?.includes(it) === true)
      const isType = isClass(defs[id]) || defs[id].kind === 'mod'
      if (!isOne || !isType) return []
      const node = memberNamed(program, host.evaluator(), id, segments.slice(n + 1))
      return node < 0 ? [] : [node]
    }
    return []
  }

  function near(file: number, value: Value): Value {
    if (value.kind !== DEFINITION || value.ids.length < 2 || rules.included) return value
    const ids = nearest.of(file, value.ids)
    return ids.length === value.ids.length ? value : definitionOf(ids, value.self, value.args)
  }

  /** The Kotlin file whose functions Java sees as members of a class named after it. */
  function facadeOf(namespace: string, name: string): number {
    if (!name.endsWith('Kt')) return -1
    const stem = `${name.slice(0, -2)}.kt`
    for (const file of filesByNamespace.get(namespace) ?? []) if (baseName(program.paths[file]) === stem) return file
    return -1
  }

  // ---- extensions

  /** Namespaces that all files use. */
  const everywhere = files.flatMap((file) =>
    facts[file].imports.filter((it) => it.kind === 'reexport' && it.name === '*').map((it) => normal(it.module)),
  )

  function extensionsSeen(scope: number, name: string): number[] {
    const file = fileOfScope(program, scope)
    // those of a type of the project are its members
    const { owners } = host.evaluator().classes
    const found: number[] = []
    const add = (namespace: string, wanted: string) => {
      for (const id of extensions.get(namespace)?.get(wanted) ?? [])
        if (owners[id] < 0 && !found.includes(id)) found.push(id)
    }
    if (rules.global) add('', name)
    for (let namespace = namespaceAt(file, scope); ; namespace = outerOf(namespace)) {
      add(namespace, name)
      if (namespace === '' || !rules.enclosing) break
    }
    for (const item of facts[file].imports) {
      if (item.name === '*') add(normal(item.module), name)
      else if (item.alias === name) add(normal(item.module), item.name)
    }
    for (const namespace of everywhere) add(namespace, name)
    return found
  }

  // ---- includes

  const closures = new Map<number, Set<number>>()
  function includedBy(file: number): Set<number> {
    let closure = closures.get(file)
    if (closure !== undefined) return closure
    closure = new Set([file])
    closures.set(file, closure)
    const queue = [file]
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const item of facts[at].imports) {
        const target = includedFile(at, item)
        if (target < 0 || closure.has(target)) continue
        closure.add(target)
        queue.push(target)
      }
    }
    return closure
  }

  const included = new Map<string, number>()
  function includedFile(file: number, item: Import): number {
    if (item.kind !== 'include' && !rules.included) return -1
    const key = `${file}\0${item.module}`
    let target = included.get(key)
    if (target === undefined) {
      target = findFile(program.paths[file], item.module)
      included.set(key, target)
    }
    return target
  }

  /** What a file sees of a name: definitions in included files, and the bodies of functions that these declare. */
  function withImplementations(file: number, ids: readonly number[]): readonly number[] {
    const closure = includedBy(file)
    const seen = ids.filter((it) => closure.has(fileOf[it]))
    if (seen.length === 0 || !seen.every((it) => isDeclaration(it))) return seen
    const bodies = ids.filter((it) => !closure.has(fileOf[it]) && !isDeclaration(it) && !isLocal(it))
    if (bodies.length === 0) return seen
    const headers = new Set(seen.map((it) => fileOf[it]))
    const including = bodies.filter((it) =>
      facts[fileOf[it]].imports.some((item) => headers.has(includedFile(fileOf[it], item))),
    )
    if (including.length > 0) return [...including, ...seen]
    return bodies.length === 1 ? [...bodies, ...seen] : seen
  }

  function isDeclaration(id: number): boolean {
    return defs[id].tags.includes('declaration')
  }

  function isLocal(id: number): boolean {
    return defs[id].exported === false || defs[id].tags.includes('static')
  }

  // ---- names

  function namespaceAt(file: number, scope: number): string {
    for (let s = scope; s >= 0 && s < program.nDefs; s = parent[s]) {
      const name = modNames.get(s)
      if (name !== undefined) return name
    }
    return normal(facts[file].package)
  }

  /** A dotted name from the root: the longest namespace it starts with, then members. */
  function qualified(path: string): Value | undefined {
    const segments = path.split('.')
    for (let n = segments.length; n > 0; n--) {
      const namespace = segments.slice(0, n).join('.')
      if (!filesByNamespace.has(namespace)) continue
      let value: Value | undefined = packageValue(namespace)
      for (const name of segments.slice(n))
        value = value === undefined ? undefined : host.evaluator().member(value, name)
      if (value !== undefined && !isOpaque(value)) return value
    }
    return rules.global ? fromMembers('', segments) : undefined
  }

  function fromMembers(namespace: string, segments: readonly string[]): Value | undefined {
    let value = inNamespace(namespace, segments[0], -1)
    for (const name of segments.slice(1)) value = value === undefined ? undefined : host.evaluator().member(value, name)
    return value
  }

  const modules = new Map<string, Value | Held<Value>>()
  function moduleValue(file: number, item: Import, scope: number): Value {
    if (item.kind === 'include' || rules.included || rules.name === 'gem') {
      const target = includedFile(file, item.kind === 'include' ? item : { ...item, kind: 'include' })
      if (target >= 0) return moduleOf(target)
      if (rules.name === 'gem' || item.kind === 'include') return external(item.module)
    }
    const path = normal(item.module)
    if (path === '') return packageValue('')
    const around = rules.enclosing ? namespaceAt(file, scope) : ''
    const key = `${around}\0${path}`
    const { memo } = host.evaluator()
    const known = modules.get(key)
    if (known !== undefined) return memo.read(known)
    return memo.work(new MapSlot(modules, key), null, () => {
      let value = qualified(path)
      for (
        let outer = around;
        value === undefined && outer !== '';
        outer = outer.slice(0, Math.max(0, outer.lastIndexOf('.')))
      ) {
        value = qualified(joined(outer, path))
      }
      return value ?? external(path)
    })
  }

  return {
    name: rules.name,
    module: moduleValue,
    imported(file, item, scope) {
      if (item.name === '*' || item.kind === 'include') return undefined
      const path = normal(item.module)
      const whole = item.name === '' ? path : joined(path, item.name)
      const target = qualified(whole)
      if (target !== undefined) return near(file, target)
      const module = moduleValue(file, item, scope)
      if (module.kind === builtin.kind) return module
      // a static member whose type is none of the project's
      return module.kind === DEFINITION ? (host.evaluator().member(module, item.name) ?? unknown) : unknown
    },
    exported(file, name) {
      const value = host.evaluator().fileName(file, name)
      return value !== undefined && !isOpaque(value) ? value : undefined
    },
    ambient(file, name, scope) {
      let namespace = namespaceAt(file, scope)
      for (;;) {
        if (namespace !== '' || rules.global || facts[file].package === '') {
          const value = inNamespace(namespace, name, file)
          if (value !== undefined) return value
        }
        if (namespace === '') break
        if (rules.enclosing) namespace = namespace.slice(0, Math.max(0, namespace.lastIndexOf('.')))
        else if (rules.global) namespace = ''
        else break
      }
      // a name written from the root
      if (rules.name === 'gem' && name === 'Object') return packageValue('')
      if (rules.name === 'gem' && name === 'new') {
        const own = host.evaluator().classes.classAround(scope)
        if (own >= 0) return definitionOf([own])
      }
      for (const namespace of everywhere) {
        const value = inNamespace(namespace, name, file)
        if (value !== undefined) return value
      }
      // the first part of a name written in full
      if (filesByNamespace.has(name)) return packageValue(name)
      return isGlobal(facts[file].language, name) ? builtin : undefined
    },
    nearest: near,
    named: rules.included ? undefined : named,
    extensions: extensions.size > 0 ? extensionsSeen : undefined,
    packageFirst: true,
    methodsApart: rules.name === 'maven',
    inheritsOverloads: rules.name === 'maven' || rules.name === 'nuget',
    keepsWrappers: rules.name === 'maven',
    selfNames: new Set(rules.selfNames),
    ownClassNames: new Set(rules.ownClassNames),
    superNames: new Set(rules.superNames),
    implicitThis: rules.implicitThis,
    modulesAreClosed: false,
    closedWorld: rules.closedWorld,
  }
}

function isExtension({ owner, kind, tags }: Definition): boolean {
  return kind === 'fn' && ((owner !== undefined && owner !== '') || tags.includes('extension'))
}

function outerOf(namespace: string): string {
  return namespace.slice(0, Math.max(0, namespace.lastIndexOf('.')))
}

function normal(name: string): string {
  return name.replace(/\\|::|\//g, '.').replace(/^\.+|\.+$/g, '')
}

function joined(outer: string, name: string): string {
  return outer === '' ? name : name === '' ? outer : `${outer}.${name}`
}
