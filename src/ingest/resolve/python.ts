/** Python: package roots, relative dots, submodules, namespace packages, `__all__`. */

import type { Import } from '#ingest/facts'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { isGlobal } from '#ingest/resolve/builtins'
import { readManifests } from '#ingest/manifests'
import { ancestors, baseName, directoryOf, filesOf, foldersOf, type Host, joinPath } from '#ingest/resolve/host'
import { type Held, MapSlot } from '#ingest/resolve/memo'
import { PythonAdditions } from '#ingest/resolve/python-additions'
import { pythonNamed } from '#ingest/resolve/python-named'
import { reportCircles } from '#ingest/resolve/python-circles'
import { STANDARD_MODULES } from '#ingest/resolve/python-standard'
import { pythonStep } from '#ingest/resolve/python-steps'
import { ENTRY_DEFINITION, ENTRY_IMPORT } from '#ingest/resolve/program'
import {
  builtin,
  external,
  isOpaque,
  MODULE,
  moduleOf,
  packageOf,
  UNKNOWN,
  unknown,
  type Value,
} from '#ingest/resolve/value'

/** How fixtures of tests are bound, so that they meet no other names. */
const FIXTURE = '@'
/** Longest way through re-exports that is followed. */
const MAX_REEXPORTS = 20
const SELF = new Set(['self'])
const CLS = new Set(['cls'])
const SUPER = new Set(['super'])

export function pythonEcosystem(host: Host): Ecosystem {
  const { program } = host
  const files = filesOf(program, new Set(['python']))
  const paths = files.map((it) => program.paths[it])
  const folders = foldersOf(paths)
  const modules = new Map<string, number>()
  const packageFolders = new Set<string>()
  for (const file of files) {
    const path = program.paths[file]
    const stem = path.replace(/\.pyi?$/, '')
    const name = baseName(stem) === '__init__' ? directoryOf(stem) : stem
    if (baseName(stem) === '__init__') packageFolders.add(name)
    // a stub file stands for its module only when there is no source
    if (!modules.has(name) || path.endsWith('.py')) modules.set(name, file)
  }
  const roots = findRoots(packageFolders, folders)
  const declared = declaredPackages(program.project.configFiles)
  const bySuffix = new Map<string, number[]>()
  for (const [name, file] of modules) {
    const last = baseName(name)
    const list = bySuffix.get(last)
    if (list) list.push(file)
    else bySuffix.set(last, [file])
  }

  const additions = new PythonAdditions(host, files)
  const namespaces = new Map<string, Value>()
  function namespace(folder: string): Value {
    let value = namespaces.get(folder)
    if (value === undefined) {
      value = packageOf(program.packages.length)
      program.packages.push({
        name: folder,
        files: [],
        always: false,
        member: (name) => find(folder === '' ? name : `${folder}/${name}`),
      })
      namespaces.set(folder, value)
    }
    return value
  }

  /** The module or folder of modules at a path without extension. */
  function find(path: string): Value | undefined {
    const file = modules.get(path)
    if (file !== undefined) return moduleOf(file)
    return folders.has(path) && path !== '' ? namespace(path) : undefined
  }

  /** The longest part of the dotted path below a folder that is a file, and its members for the rest. */
  function below(folder: string, segments: readonly string[]): Value | undefined {
    const prefix = folder === '' ? '' : `${folder}/`
    const whole = modules.get(prefix + segments.join('/'))
    if (whole !== undefined) return moduleOf(whole)
    for (let n = segments.length - 1; n > 0; n--) {
      const file = modules.get(prefix + segments.slice(0, n).join('/'))
      if (file === undefined) continue
      let value: Value | undefined = moduleOf(file)
      for (const name of segments.slice(n)) value = value && host.evaluator().member(value, name)
      return isOpaque(value) ? moduleOf(file) : value
    }
    return undefined
  }

  const absolute = new Map<string, Value | Held<Value>>()
  function resolveAbsolute(file: number, dotted: string): Value {
    const folder = directoryOf(program.paths[file])
    const key = `${folder}\0${dotted}`
    const { memo } = host.evaluator()
    const known = absolute.get(key)
    if (known !== undefined) return memo.read(known)
    return memo.work(new MapSlot(absolute, key), null, () => searchAbsolute(folder, dotted))
  }

  function searchAbsolute(folder: string, dotted: string): Value {
    const segments = dotted.split('.')
    const near = ancestors(folder).filter((it) => !packageFolders.has(it))
    for (const root of near) {
      const found = below(root, segments)
      if (found !== undefined) return found
    }
    if (STANDARD_MODULES.has(segments[0])) return external(segments[0])
    const nearest = byNearness(roots, folder)
    for (const root of nearest) {
      const found = below(root, segments)
      if (found !== undefined) return found
    }
    const path = segments.join('/')
    for (const root of [...near, ...nearest]) {
      const whole = root === '' ? path : `${root}/${path}`
      if (folders.has(whole)) return namespace(whole)
    }
    if (declared.has(normalName(segments[0]))) return external(segments[0])
    // a script sees what lies beside it, also within a package
    const beside = below(folder, segments)
    if (beside !== undefined) return beside
    const alike = (bySuffix.get(segments[segments.length - 1]) ?? []).filter((it) => {
      const stem = program.paths[it].replace(/(\/__init__)?\.pyi?$/, '')
      if (!stem.endsWith(`/${path}`)) return false
      // a folder on the path of modules is no package itself
      return !packageFolders.has(stem.slice(0, -path.length - 1))
    })
    if (alike.length === 1) return moduleOf(alike[0])
    return external(segments[0])
  }

  function resolveModule(file: number, written: string): Value {
    let dots = 0
    while (written[dots] === '.') dots++
    if (dots === 0) return resolveAbsolute(file, written)
    let folder: string | null = directoryOf(program.paths[file])
    for (let i = 1; i < dots; i++) folder = folder === '' || folder === null ? null : directoryOf(folder)
    if (folder === null) return unknown
    const rest = written.slice(dots)
    if (rest === '') return find(folder) ?? namespace(folder)
    return below(folder, rest.split('.')) ?? find(joinPath(folder, rest.replaceAll('.', '/')) ?? '') ?? unknown
  }

  function exported(file: number, name: string): Value | undefined {
    const scope = program.nDefs + file
    const evaluator = host.evaluator()
    if (program.scopes.at(scope)?.get(name)?.kind === ENTRY_DEFINITION) return evaluator.nameIn(scope, name)
    const value = evaluator.fileName(file, name)
    if (value !== undefined && !isOpaque(value)) return value
    const path = program.paths[file]
    if (/(^|\/)__init__\.pyi?$/.test(path)) {
      const folder = directoryOf(path)
      const submodule = find(folder === '' ? name : `${folder}/${name}`)
      if (submodule !== undefined) return submodule
    }
    return lazily(file, name) ?? additions.find(moduleOf(file), name) ?? value
  }

  /** A name that the `__getattr__` of a module imports when it is asked for. */
  function lazily(file: number, name: string): Value | undefined {
    const getter = program.scopes.at(program.nDefs + file)?.get('__getattr__')
    if (getter === undefined || getter.kind !== ENTRY_DEFINITION) return undefined
    const imported = program.scopes.at(getter.index)?.get(name)
    return imported?.kind === ENTRY_IMPORT ? host.evaluator().nameIn(getter.index, name) : undefined
  }

  /** Follows an import from module to module, to the one that binds the name itself. */
  function origin(file: number, { module, name }: Import): number {
    let at = resolveModule(file, module)
    let wanted = name
    for (let step = 0; step < MAX_REEXPORTS && at.kind === MODULE; step++) {
      const from = at.id
      const scope = program.nDefs + from
      const entry = program.scopes.at(scope)?.get(wanted)
      if (entry !== undefined && entry.kind !== ENTRY_IMPORT) return from
      if (entry !== undefined) {
        const item = program.facts[from].imports[entry.index]
        if (item.name === '') return -1
        wanted = item.name
        at = resolveModule(from, item.module)
        continue
      }
      const star = (program.stars.get(scope) ?? []).map((it) =>
        resolveModule(from, program.facts[from].imports[it].module),
      )
      const next = star.find((it) => it.kind === MODULE && isPublic(it.id, wanted, new Set()) && hasName(it.id, wanted))
      if (next === undefined) return -1
      at = next
    }
    return -1
  }

  function hasName(file: number, name: string): boolean {
    const scope = program.nDefs + file
    return program.scopes.at(scope)?.has(name) === true || program.stars.has(scope)
  }

  /** Names the packages that have the name of another one: which of them is meant depends on where it is imported. */
  function reportTwins(): void {
    const places = new Map<string, string>()
    for (const folder of [...packageFolders].sort()) {
      if (folder === '' || packageFolders.has(directoryOf(folder))) continue
      const name = baseName(folder)
      const other = places.get(name)
      const file = modules.get(folder)
      if (other === undefined || file === undefined) places.set(name, folder)
      else
        host.problem(
          file,
          1,
          `The package ${name} is also in ${directoryOf(other) || 'the root folder'}; imports mean the nearer one.`,
        )
    }
  }

  /** A fixture that the nearest `conftest.py` at or above a file has. */
  function fixture(file: number, name: string): Value | undefined {
    for (const folder of ancestors(directoryOf(program.paths[file]))) {
      const conftest = modules.get(folder === '' ? 'conftest' : `${folder}/conftest`)
      if (conftest === undefined || conftest === file) continue
      const found = host.evaluator().nameIn(program.nDefs + conftest, name)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** True when `__all__` names it, itself or through the list of another module; all names without one. */
  function isPublic(file: number, name: string, seen: Set<number>): boolean {
    const { exports } = program.facts[file]
    if (exports.length === 0) return !name.startsWith('_')
    if (seen.has(file)) return false
    seen.add(file)
    return exports.some((it) => {
      if (it.name !== '*') return it.name === name
      const from = host.evaluator().evaluate(program.nDefs + file, it.local)
      return from?.kind === MODULE ? isPublic(from.id, name, seen) : from !== undefined && from.kind !== UNKNOWN
    })
  }

  let named: ReturnType<typeof pythonNamed> | undefined

  return {
    name: 'pypi',
    module: (file, item) => resolveModule(file, item.module),
    imported(file: number, item: Import) {
      // `import shop.db` binds `shop`
      if (item.name !== '' || !item.module.includes('.') || item.module.startsWith('.')) return undefined
      const first = item.module.slice(0, item.module.indexOf('.'))
      return item.alias === first || item.alias === item.module ? resolveModule(file, first) : undefined
    },
    exported,
    starred(file, name) {
      const { exports } = program.facts[file]
      if (!isPublic(file, name, new Set())) return undefined
      const value = exported(file, name)
      // a module that merely lies beside is not brought in
      return value?.kind === MODULE &&
        exports.length === 0 &&
        program.scopes.at(program.nDefs + file)?.has(name) !== true
        ? undefined
        : value
    },
    ambient: (file, name) =>
      name.endsWith(FIXTURE) ? fixture(file, name) : isGlobal('python', name) ? builtin : undefined,
    selfNames: SELF,
    ownClassNames: CLS,
    superNames: SUPER,
    bodySeesFields: true,
    implicitThis: false,
    modulesAreClosed: false,
    closedWorld: true,
    unites: true,
    linearises: true,
    step: (value, name) => pythonStep(host.evaluator(), value, name),
    origin,
    named(file, segments) {
      named ??= pythonNamed({ program, evaluator: () => host.evaluator(), modules, roots, packageFolders })
      return named(file, segments)
    },
    added: (owner, name) => additions.find(owner, name),
    check(isAsked) {
      reportCircles(host, files, files.filter(isAsked), resolveModule)
      reportTwins()
    },
  }
}

/** Folders from which a top-level package can be imported; shallow ones first. */
function findRoots(packageFolders: ReadonlySet<string>, folders: ReadonlySet<string>): string[] {
  const roots = new Set<string>([''])
  for (const folder of packageFolders) {
    const above = directoryOf(folder)
    if (folder !== '' && !packageFolders.has(above)) roots.add(above)
  }
  for (const folder of ['src', 'lib', 'python']) if (folders.has(folder)) roots.add(folder)
  return [...roots].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '_')
}

/** Number of folders that a path has in common with a folder, from the top. */
function sharedFolders(path: string, folder: string): number {
  const one = path.split('/')
  const other = folder.split('/')
  let shared = 0
  while (shared < one.length && shared < other.length && one[shared] === other[shared] && one[shared] !== '') shared++
  return shared
}

/** Roots that share more folders with where they are looked for come first: those of the own project. */
function byNearness(roots: readonly string[], folder: string): readonly string[] {
  if (roots.length < 3) return roots
  const shared = new Map(roots.map((it) => [it, sharedFolders(it, folder)]))
  return [...roots].sort((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))
}

/** Names of the distributions that the project asks for. */
function declaredPackages(configFiles: ReadonlyMap<string, string>): Set<string> {
  const names = new Set<string>()
  for (const { ecosystem, dependencies } of readManifests(configFiles))
    if (ecosystem === 'pypi') for (const it of dependencies) names.add(normalName(it))
  for (const [path, text] of configFiles) {
    const list = path.endsWith('setup.cfg')
      ? /^install_requires\s*=([\s\S]*?)(?=^\S|$(?![\s\S]))/m.exec(text)?.[1]
      : path.endsWith('setup.py')
        ? /install_requires\s*=\s*\[([\s\S]*?)\]/.exec(text)?.[1]
        : undefined
    for (const [, name] of (list ?? '').matchAll(/^[\s"',]*([A-Za-z][\w.-]*)/gm)) names.add(normalName(name))
  }
  return names
}
