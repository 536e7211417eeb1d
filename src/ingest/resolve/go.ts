/** Go: modules by go.mod, packages by folder, names that differ from folders. */

import { isGlobal } from '#ingest/resolve/builtins'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { ancestors, baseName, directoryOf, filesOf, type Host, joinPath } from '#ingest/resolve/host'
import { builtin, definitionOf, external, PACKAGE, packageOf, type Value } from '#ingest/resolve/value'

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
  for (const file of files) {
    const folder = directoryOf(paths[file])
    const list = byFolder.get(folder)
    if (list) list.push(file)
    else byFolder.set(folder, [file])
  }

  /** Per folder and package name: the names that its files declare. */
  const scopes = new Map<string, Map<string, number[]>>()
  function namesOf(folder: string, name: string, withTests: boolean): Map<string, number[]> {
    const key = `${folder}\0${name}\0${withTests}`
    let names = scopes.get(key)
    if (names !== undefined) return names
    names = new Map()
    scopes.set(key, names)
    for (const file of byFolder.get(folder) ?? []) {
      if (facts[file].package !== name || (!withTests && isTest(file))) continue
      facts[file].definitions.forEach((it, d) => {
        if (it.parent >= 0 || it.owner) return
        const list = names.get(it.name)
        if (list) list.push(program.base[file] + d)
        else names.set(it.name, [program.base[file] + d])
      })
    }
    return names
  }

  function isTest(file: number): boolean {
    return paths[file].endsWith('_test.go')
  }

  /** The name by which a folder's package is called in code. */
  function packageName(folder: string): string {
    const own = byFolder.get(folder) ?? []
    const first =
      own.find((it) => !isTest(it) && facts[it].package !== 'main') ?? own.find((it) => !isTest(it)) ?? own[0]
    return first === undefined ? '' : facts[first].package
  }

  const packages = new Map<string, Value>()
  function packageValue(folder: string): Value {
    let value = packages.get(folder)
    if (value === undefined) {
      const name = packageName(folder)
      const own = (byFolder.get(folder) ?? []).filter((it) => !isTest(it))
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

  const resolved = new Map<string, Value>()
  function resolveImport(file: number, path: string): Value {
    const from = directoryOf(paths[file])
    const key = `${from}\0${path}`
    let value = resolved.get(key)
    if (value === undefined) {
      const folder = findFolder(from, path)
      value = folder === undefined ? external(path) : packageValue(folder)
      resolved.set(key, value)
    }
    return value
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
      const own = facts[file].package
      const ids = namesOf(directoryOf(paths[file]), own, isTest(file)).get(name)
      if (ids !== undefined) return definitionOf(ids)
      // an import without an alias is called by the name that its package gives itself
      for (const item of facts[file].imports) {
        if (item.alias !== '' && item.alias !== baseName(item.module)) continue
        const value = resolveImport(file, item.module)
        if (value.kind === PACKAGE && program.packages[value.id].name === name) return value
      }
      return isGlobal('go', name) ? builtin : undefined
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
