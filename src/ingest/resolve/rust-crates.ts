/** Crates as Cargo.toml declares them: their roots, their names in code, their dependencies and features. */

import { ancestors, baseName, directoryOf, joinPath } from '#ingest/resolve/host'
import { readToml, tableAt, type TomlTable, textAt, textsAt } from '#ingest/toml'

export interface Crate {
  folder: string
  name: string
  /** Paths in `use` start at the root of the crate, as they did before 2018. */
  fromRoot: boolean
  /** Root file of the library, -1 when there is none. */
  library: number
  /** What code of the package calls its library. */
  libraryName: string
  /** Name in code → folder of the package that is meant, or its name when no path is given. */
  dependencies: Map<string, { folder: string | null; name: string }>
  /** Features that are on unless somebody turns them off. */
  features: ReadonlySet<string>
}

export interface Crates {
  /** The package that a file belongs to. */
  of(path: string): Crate | undefined
  /** Root files, of libraries and of everything else that is compiled on its own. */
  roots: ReadonlySet<number>
  /** The root of the library that code of `path` means by a name; undefined when there is none in the project. */
  library(path: string, name: string): number | undefined
}

type Report = (path: string, line: number, message: string) => void

const TARGETS = ['bin', 'example', 'test', 'bench']
const ROOT = /(?:^|\/)(?:src\/(?:lib|main)|build|(?:src\/bin|examples|tests|benches)\/(?:[^/]+|[^/]+\/main))\.rs$/

export function readCrates(
  configFiles: ReadonlyMap<string, string>,
  fileByPath: ReadonlyMap<string, number>,
  report: Report,
): Crates {
  const byFolder = new Map<string, Crate>()
  const manifests = new Map<string, TomlTable>()
  for (const [path, text] of configFiles) {
    if (baseName(path) !== 'Cargo.toml') continue
    manifests.set(path, readToml(text))
  }

  const roots = new Set<number>()
  const addRoot = (folder: string, path: string): void => {
    const file = fileAt(folder, path, fileByPath)
    if (file >= 0) roots.add(file)
  }
  for (const [path, manifest] of manifests) {
    const folder = directoryOf(path)
    const about = tableAt(manifest, 'package')
    const name = textAt(about, 'name')
    if (name === '') continue
    const lib = tableAt(manifest, 'lib')
    const library = fileAt(folder, textAt(lib, 'path') || 'src/lib.rs', fileByPath)
    if (library >= 0) roots.add(library)
    if (textAt(about, 'build') !== '') addRoot(folder, textAt(about, 'build'))
    for (const kind of TARGETS)
      for (const it of tablesAt(manifest, kind)) if (textAt(it, 'path') !== '') addRoot(folder, textAt(it, 'path'))
    const workspace = workspaceOf(folder, manifests)
    const edition = textAt(about, 'edition') || (isInherited(about, 'edition') ? inherited(workspace, 'edition') : '')
    byFolder.set(folder, {
      folder,
      name,
      fromRoot: edition === '2015' || (edition === '' && !isInherited(about, 'edition')),
      library,
      libraryName: codeName(textAt(lib, 'name') || name),
      dependencies: readDependencies(folder, manifest, workspace),
      features: readFeatures(manifest),
    })
  }
  const isPackage = (folder: string): boolean =>
    manifests.size === 0 || manifests.has(folder === '' ? 'Cargo.toml' : `${folder}/Cargo.toml`)
  for (const [path, file] of fileByPath) {
    const root = ROOT.exec(path)
    if (root !== null && isPackage(path.slice(0, root.index))) roots.add(file)
  }

  const byName = new Map<string, Crate>()
  for (const crate of byFolder.values()) {
    const key = codeName(crate.name)
    const other = byName.get(key)
    if (other !== undefined) {
      const path = joinPath(crate.folder, 'Cargo.toml') ?? ''
      const line = lineOf(configFiles.get(path) ?? '', /^\s*name\s*=/m)
      report(path, line, `The package ${crate.name} is also declared in ${other.folder || '.'}/Cargo.toml.`)
      continue
    }
    byName.set(key, crate)
  }
  for (const [path, manifest] of manifests) {
    checkMembers(path, manifest, byFolder, configFiles, report)
    checkPaths(path, byFolder, manifests, configFiles, report)
  }

  const known = new Map<string, Crate | undefined>()
  function of(path: string): Crate | undefined {
    const folder = directoryOf(path)
    if (!known.has(folder))
      known.set(
        folder,
        ancestors(folder)
          .map((it) => byFolder.get(it))
          .find((it) => it !== undefined),
      )
    return known.get(folder)
  }

  return {
    of,
    roots,
    library(path, name) {
      const own = of(path)
      const crate = own === undefined ? byName.get(name) : meant(own, name)
      return crate === undefined || crate.library < 0 ? undefined : crate.library
    },
  }

  function meant(own: Crate, name: string): Crate | undefined {
    const dependency = own.dependencies.get(name)
    if (dependency === undefined) return own.libraryName === name ? own : undefined
    if (dependency.folder !== null) return byFolder.get(dependency.folder)
    return byName.get(codeName(dependency.name))
  }
}

function fileAt(folder: string, path: string, fileByPath: ReadonlyMap<string, number>): number {
  const file = joinPath(folder, path)
  return file === null ? -1 : (fileByPath.get(file) ?? -1)
}

function readDependencies(
  folder: string,
  manifest: TomlTable,
  workspace: { folder: string; table: TomlTable } | undefined,
): Crate['dependencies'] {
  const found: Crate['dependencies'] = new Map()
  const targets = tableAt(manifest, 'target')
  for (const from of [manifest, ...Object.keys(targets).map((it) => tableAt(targets, it))]) {
    for (const kind of ['dependencies', 'dev-dependencies', 'build-dependencies']) {
      const table = tableAt(from, kind)
      for (const key of Object.keys(table)) {
        let base = folder
        let about = tableAt(table, key)
        if (about.workspace === true && workspace !== undefined) {
          base = workspace.folder
          about = tableAt(tableAt(workspace.table, 'dependencies'), key)
        }
        const path = textAt(about, 'path')
        const name = textAt(about, 'package') || key
        found.set(codeName(key), { folder: path === '' ? null : joinPath(base, path), name })
      }
    }
  }
  return found
}

/** The features that `default` turns on, directly or through others. */
function readFeatures(manifest: TomlTable): ReadonlySet<string> {
  const table = tableAt(manifest, 'features')
  const on = new Set<string>()
  const queue = ['default']
  for (let it = queue.pop(); it !== undefined; it = queue.pop()) {
    if (on.has(it)) continue
    on.add(it)
    queue.push(...textsAt(table, it).filter((next) => !next.includes('/') && !next.startsWith('dep:')))
  }
  return on
}

function workspaceOf(
  folder: string,
  manifests: ReadonlyMap<string, TomlTable>,
): { folder: string; table: TomlTable } | undefined {
  for (const it of ancestors(folder)) {
    const manifest = manifests.get(it === '' ? 'Cargo.toml' : `${it}/Cargo.toml`)
    if (manifest !== undefined && Object.hasOwn(manifest, 'workspace'))
      return { folder: it, table: tableAt(manifest, 'workspace') }
  }
  return undefined
}

function isInherited(about: TomlTable, name: string): boolean {
  return tableAt(about, name).workspace === true
}

function inherited(workspace: { table: TomlTable } | undefined, name: string): string {
  return workspace === undefined ? '' : textAt(tableAt(workspace.table, 'package'), name)
}

/** Says which `members` of a workspace name no package. */
function checkMembers(
  path: string,
  manifest: TomlTable,
  byFolder: ReadonlyMap<string, Crate>,
  configFiles: ReadonlyMap<string, string>,
  report: Report,
): void {
  const folder = directoryOf(path)
  for (const member of textsAt(tableAt(manifest, 'workspace'), 'members')) {
    const pattern = member.replace(/^\.\/|\/$/g, '')
    const matches = new RegExp(
      `^${pattern
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replace(/\*\*/g, '\0')
        .replace(/\*/g, '[^/]*')
        .replace(/\?/g, '[^/]')
        .replaceAll('\0', '.*')}$`,
    )
    const prefix = folder === '' ? '' : `${folder}/`
    const own = (it: string): string => (pattern.startsWith('..') ? it : it.slice(prefix.length))
    const inside = [...byFolder.keys()].filter((it) => it.startsWith(prefix))
    const direct = joinPath(folder, pattern)
    if ((direct !== null && byFolder.has(direct)) || inside.some((it) => matches.test(own(it)))) continue
    const line = lineOf(
      configFiles.get(path) ?? '',
      new RegExp(`["']${member.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}["']`),
    )
    report(path, line, `The workspace member ${member} matches no package.`)
  }
}

/** Says which dependencies of a crate lie in a folder without a manifest. */
function checkPaths(
  path: string,
  byFolder: ReadonlyMap<string, Crate>,
  manifests: ReadonlyMap<string, TomlTable>,
  configFiles: ReadonlyMap<string, string>,
  report: Report,
): void {
  for (const [key, { folder, name }] of byFolder.get(directoryOf(path))?.dependencies ?? []) {
    if (folder === null || manifests.has(folder === '' ? 'Cargo.toml' : `${folder}/Cargo.toml`)) continue
    const written = key.replace(/[^\w]/g, '\\$&').replaceAll('_', '[-_]')
    const line = lineOf(configFiles.get(path) ?? '', new RegExp(`^[^#\\n]*?\\b${written}\\b`, 'm'))
    report(path, line, `The dependency ${name} is said to be in ${folder}, where no Cargo.toml is.`)
  }
}

function lineOf(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)
  return found === null ? 1 : text.slice(0, found.index + found[0].length).split('\n').length
}

function tablesAt(table: TomlTable, name: string): TomlTable[] {
  const value = Object.hasOwn(table, name) ? table[name] : undefined
  if (!Array.isArray(value)) return []
  const tables: TomlTable[] = []
  for (const it of value) if (typeof it === 'object' && !Array.isArray(it) && !(it instanceof Date)) tables.push(it)
  return tables
}

export function codeName(name: string): string {
  return name.replaceAll('-', '_')
}
