/** Go: modules by go.mod, packages by folder, names that differ from folders. */

import { assumedName } from '#ingest/languages/go'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { ancestors, baseName, directoryOf, filesOf, foldersOf, type Host, joinPath } from '#ingest/resolve/host'
import { definitionOf, external, PACKAGE, packageOf, type Value } from '#ingest/resolve/value'

interface GoModule {
  folder: string
  path: string
  replaced: Replacement[]
}

/** A module path and the folder that takes its place. */
interface Replacement {
  path: string
  folder: string
}

const NONE: ReadonlySet<string> = new Set()

export function goEcosystem(host: Host): Ecosystem {
  const { program } = host
  const { facts, paths } = program
  const files = filesOf(program, new Set(['go']))
  const modules = readModules(program.project.configFiles, foldersOf(files.map((it) => paths[it])), host.problemIn)
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
        if (item.alias === '' || item.alias !== assumedName(item.module)) continue
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
    membersApart: true,
    modulesAreClosed: false,
    closedWorld: true,
  }
}

type Report = (path: string, line: number, message: string) => void

/** Every go.mod with its local replacements, and those that go.work makes for all; longest module path first. */
function readModules(
  configFiles: ReadonlyMap<string, string>,
  folders: ReadonlySet<string>,
  report: Report,
): GoModule[] {
  const modules: GoModule[] = []
  const shared: Replacement[] = []
  const known = new Map<string, string>()
  for (const [path, text] of configFiles) {
    const folder = directoryOf(path)
    if (baseName(path) === 'go.work') {
      readUses(path, text, configFiles, report)
      shared.push(...replacements(path, text, folders, report))
    }
    if (baseName(path) !== 'go.mod') continue
    const found = /^\s*module\s+"?([^\s"()]+)"?/m.exec(text)
    const replaced = replacements(path, text, folders, report)
    checkBrackets(path, text, report)
    if (found === null) {
      report(path, 1, 'There is no module line, so no import can name its packages.')
      continue
    }
    const name = found[1]
    const before = known.get(name)
    if (before === undefined) known.set(name, path)
    else if (!FIXTURE.test(path))
      report(
        path,
        lineOf(text, found.index),
        `The module ${name} is also that of ${before}; imports from outside of both lead to the one that holds the package.`,
      )
    modules.push({ folder, path: name, replaced })
  }
  for (const module of modules) module.replaced.push(...shared)
  return modules.sort((a, b) => b.path.length - a.path.length || (a.folder < b.folder ? -1 : 1))
}

/** Folders of modules that nobody imports. */
const FIXTURE = /(?:^|\/)(?:testdata|_[^/]*|\.[^/]*)\//

/** Says what is wrong with the modules that a workspace lists. */
function readUses(path: string, text: string, configFiles: ReadonlyMap<string, string>, report: Report): void {
  const plain = withoutComments(text)
  checkBrackets(path, text, report)
  for (const block of plain.matchAll(/^[ \t]*use\s*(?:\(([^)]*)\)?|([^\s(]+))/gm)) {
    const list = block[1] ?? block[2]
    const from = block.index + block[0].indexOf(list)
    for (const it of list.matchAll(/[^\s"]+/g)) {
      const folder = joinPath(directoryOf(path), it[0])
      const manifest = folder === '' ? 'go.mod' : `${folder ?? ''}/go.mod`
      if (folder === null || !configFiles.has(manifest))
        report(path, lineOf(text, from + it.index), `The workspace uses ${it[0]}, where no go.mod is.`)
    }
  }
}

function checkBrackets(path: string, text: string, report: Report): void {
  const plain = withoutComments(text)
  const opened = plain.split('(').length - plain.split(')').length
  if (opened !== 0) report(path, lineOf(text, plain.lastIndexOf('(')), 'The brackets of the file do not match.')
}

function withoutComments(text: string): string {
  return text.replace(/\/\/.*/g, (it) => ' '.repeat(it.length))
}

function replacements(path: string, text: string, folders: ReadonlySet<string>, report: Report): Replacement[] {
  const found: Replacement[] = []
  for (const match of text.matchAll(
    /^[^\S\n]*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s*=>\s*(\.{1,2}(?:\/\S*)?)\s*(?:\/\/.*)?$/gm,
  )) {
    const target = joinPath(directoryOf(path), match[2])
    if (target === null || !folders.has(target))
      report(path, lineOf(text, match.index), `${match[1]} is replaced by ${match[2]}, where no Go code is.`)
    if (target !== null) found.push({ path: match[1], folder: target })
  }
  return found.sort((a, b) => b.path.length - a.path.length)
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split('\n').length
}
