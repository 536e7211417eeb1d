/** Go: modules by go.mod, packages by folder, names that differ from folders. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { ancestors, baseName, directoryOf, filesOf, type Host, joinPath } from '#ingest/resolve/host'
import { definitionOf, external, PACKAGE, packageOf, type Value } from '#ingest/resolve/value'

interface GoModule {
  folder: string
  path: string
  replaced: { path: string; folder: string }[]
}

const NONE: ReadonlySet<string> = new Set()

export function goEcosystem(host: Host): Ecosystem {
  const { program } = host
  const { facts, paths } = program
  const files = filesOf(program, new Set(['go']))
  const modules = readModules(program.project.configFiles)
  const byFolder = new Map<string, number[]>()
  const isTest = new Uint8Array(program.nFiles)
  const folders = paths.map((it) => directoryOf(it))
  for (const file of files) {
    const folder = folders[file]
    if (paths[file].endsWith('_test.go')) isTest[file] = 1
    const list = byFolder.get(folder)
    if (list) list.push(file)
    else byFolder.set(folder, [file])
  }

  /** Per folder and package name: the names that its files declare. */
  const plain = new Map<string, Map<string, Map<string, number[]>>>()
  const tested = new Map<string, Map<string, Map<string, number[]>>>()
  function namesOf(folder: string, name: string, withTests: boolean): Map<string, number[]> {
    const cache = withTests ? tested : plain
    let byName = cache.get(folder)
    if (byName === undefined) {
      byName = new Map()
      cache.set(folder, byName)
    }
    const before = byName.get(name)
    if (before !== undefined) return before
    const names = new Map<string, number[]>()
    byName.set(name, names)
    for (const file of byFolder.get(folder) ?? []) {
      if (facts[file].package !== name || (!withTests && isTest[file] === 1)) continue
      facts[file].definitions.forEach((it, d) => {
        if (it.parent >= 0 || it.owner) return
        const list = names.get(it.name)
        if (list) list.push(program.base[file] + d)
        else names.set(it.name, [program.base[file] + d])
      })
    }
    return names
  }

  /** The name by which a folder's package is called in code. */
  function packageName(folder: string): string {
    const own = byFolder.get(folder) ?? []
    const first =
      own.find((it) => isTest[it] === 0 && facts[it].package !== 'main') ?? own.find((it) => isTest[it] === 0) ?? own[0]
    return first === undefined ? '' : facts[first].package
  }

  const packages = new Map<string, Value>()
  function packageValue(folder: string): Value {
    let value = packages.get(folder)
    if (value === undefined) {
      const name = packageName(folder)
      const own = (byFolder.get(folder) ?? []).filter((it) => isTest[it] === 0)
      value = packageOf(program.packages.length)
      program.packages.push({
        name,
        files: own,
        always: true,
        member(it) {
          const ids = namesOf(folder, name, false).get(it)
          return ids === undefined ? undefined : definitionOf(ids)
        },
      })
      packages.set(folder, value)
    }
    return value
  }

  function moduleAround(folder: string): GoModule | undefined {
    for (const it of ancestors(folder)) {
      const found = modules.find((one) => one.folder === it)
      if (found !== undefined) return found
    }
    return undefined
  }

  const resolved = new Map<string, Map<string, Value>>()
  function resolveImport(file: number, path: string): Value {
    const from = folders[file]
    let known = resolved.get(from)
    if (known === undefined) {
      known = new Map()
      resolved.set(from, known)
    }
    let value = known.get(path)
    if (value === undefined) {
      const folder = findFolder(from, path)
      value = folder === undefined ? external(path) : packageValue(folder)
      known.set(path, value)
    }
    return value
  }

  /** Per file: the packages that it imports without an alias, by the names that they give themselves. */
  const ownNames = new Map<number, Map<string, Value>>()
  function importedByOwnName(file: number): Map<string, Value> {
    let names = ownNames.get(file)
    if (names === undefined) {
      names = new Map()
      for (const item of facts[file].imports) {
        if (item.alias !== '' && item.alias !== baseName(item.module)) continue
        const value = resolveImport(file, item.module)
        if (value.kind === PACKAGE) names.set(program.packages[value.id].name, value)
      }
      ownNames.set(file, names)
    }
    return names
  }

  function findFolder(from: string, path: string): string | undefined {
    if (path.startsWith('./') || path.startsWith('../')) {
      const folder = joinPath(from, path)
      return folder !== null && byFolder.has(folder) ? folder : undefined
    }
    const own = moduleAround(from)
    if (own !== undefined) {
      const vendored = joinPath(own.folder, `vendor/${path}`)
      if (vendored !== null && byFolder.has(vendored)) return vendored
      for (const it of own.replaced) {
        const folder = inside(it.path, it.folder, path)
        if (folder !== undefined) return folder
      }
      const folder = inside(own.path, own.folder, path)
      if (folder !== undefined) return folder
    }
    let best: string | undefined
    let length = -1
    for (const it of modules) {
      const folder = it.path.length > length ? inside(it.path, it.folder, path) : undefined
      if (folder === undefined) continue
      best = folder
      length = it.path.length
    }
    if (best !== undefined || own !== undefined) return best
    // without any go.mod, a path ends with its folder
    const alike = [...byFolder.keys()].filter((it) => it !== '' && (path === it || path.endsWith(`/${it}`)))
    return path.includes('.') && alike.length > 0 ? alike.sort((a, b) => b.length - a.length)[0] : undefined
  }

  function inside(prefix: string, folder: string, path: string): string | undefined {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined
    const found = joinPath(folder, path.slice(prefix.length))
    return found !== null && byFolder.has(found) ? found : undefined
  }

  return {
    name: 'go',
    module: (file, item) => resolveImport(file, item.module),
    exported: (file, name) => host.evaluator().nameIn(program.nDefs + file, name),
    ambient(file, name) {
      const ids = namesOf(folders[file], facts[file].package, isTest[file] === 1).get(name)
      if (ids !== undefined) return definitionOf(ids)
      // an import without an alias is called by the name that its package gives itself
      return importedByOwnName(file).get(name)
    },
    selfNames: NONE,
    ownClassNames: NONE,
    superNames: NONE,
    implicitThis: false,
    modulesAreClosed: false,
    closedWorld: true,
  }
}

/** Every go.mod with its local replacements, and those that go.work makes for all; longest module path first. */
function readModules(configFiles: ReadonlyMap<string, string>): GoModule[] {
  const modules: GoModule[] = []
  const shared: { path: string; folder: string }[] = []
  for (const [path, text] of configFiles) {
    if (baseName(path) === 'go.work') shared.push(...replacements(directoryOf(path), text))
    if (baseName(path) !== 'go.mod') continue
    const name = /^\s*module\s+"?([^\s"]+)"?/m.exec(text)?.[1]
    if (name === undefined) continue
    modules.push({ folder: directoryOf(path), path: name, replaced: replacements(directoryOf(path), text) })
  }
  for (const module of modules) module.replaced.push(...shared)
  return modules.sort((a, b) => b.path.length - a.path.length || (a.folder < b.folder ? -1 : 1))
}

function replacements(folder: string, text: string): { path: string; folder: string }[] {
  const found: { path: string; folder: string }[] = []
  for (const match of text.matchAll(
    /^\s*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s*=>\s*(\.{1,2}(?:\/\S*)?)\s*(?:\/\/.*)?$/gm,
  )) {
    const target = joinPath(folder, match[2])
    if (target !== null) found.push({ path: match[1], folder: target })
  }
  return found.sort((a, b) => b.path.length - a.path.length)
}
