/**
 * Module specifiers of JavaScript and TypeScript → files of the project, from the list of files and the texts of its
 * configuration files: relative paths, aliases of compilers and bundlers, packages of the workspace.
 */

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Alias, aliasedPath, findAliases } from '#ingest/resolve/aliases'
import { ancestors, directoryOf, joinPath } from '#ingest/resolve/host'
import { addedTargets, collectExports } from '#ingest/resolve/package-exports'
import type { Project } from '#ingest/resolve/project'
import { type Configuration, Configurations } from '#ingest/resolve/tsconfig'
import { findWorkspacePackages, isRecord, type Problem, type WorkspacePackage } from '#ingest/resolve/workspace'

export interface Target {
  /** -1 when it is no file of the project. */
  file: number
  /** Name of the package when it is external, else ''. */
  package: string
  /** Why nothing was found, '' when something was or nothing needs to be said. */
  reason: string
}

export interface Specifiers {
  resolve(fromPath: string, specifier: string): Target
  /** What is wrong with configuration files and the names of files. */
  problems: readonly Problem[]
  /** What is wrong when too few of the aliases among all imports of the project lead to a file. */
  aliasProblem(imports: Iterable<{ path: string; specifier: string }>): Problem | undefined
}

const EXTENSIONS = [
  '.ts',
  '.tsx',
  '.d.ts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.mts',
  '.cts',
  '.d.mts',
  '.d.cts',
  '.vue',
  '.svelte',
  '.json',
]
/** A written extension and those that the source may have instead. */
const SOURCE_EXTENSIONS: Record<string, string[]> = {
  '.js': ['.ts', '.tsx', '.jsx', '.d.ts', '.mts', '.cts'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts', '.d.mts', '.ts'],
  '.cjs': ['.cts', '.d.cts', '.ts'],
}
const NODE_MODULES = new Set(
  `assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2
  https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys test timers tls
  trace_events tty url util v8 vm wasi worker_threads zlib`.split(/\s+/),
)
const NOTHING: Target = { file: -1, package: '', reason: '' }
/** Names that no package can have; only an alias explains them. */
const ALIAS_ONLY = /^(?:[@~]\/|#|\$[\w-]+(?:\/|$))/
/** Fewer aliased imports say nothing about a configuration. */
const MIN_ALIASED = 2

/** Where files and configuration are. */
export interface Ground {
  fileByPath: ReadonlyMap<string, number>
  project: Pick<Project, 'root' | 'configFiles'>
}

export function createSpecifiers({ fileByPath, project }: Ground): Specifiers {
  const root = project.root.replace(/\/+$/, '')
  const problems: Problem[] = []
  const workspace = findWorkspacePackages(project.configFiles, problems)
  const configurations = new Configurations({
    root,
    texts: project.configFiles,
    packageFolder: (name) => workspace.byName.get(name)?.folder,
    report: (path, line, message) => problems.push({ path, line, message }),
  })
  const byFolder = new Map<string, Target>()
  const configurationOf = new Map<string, Configuration | null>()
  let aliases: Alias[] | undefined
  let lowerCase: Map<string, string> | undefined
  const aliased = { found: 0, lost: 0, path: '' }

  function at(path: string): number {
    return fileByPath.get(path) ?? -1
  }

  /** A path as a module specifier means it: with other extensions, or the index of a folder. */
  function probe(path: string): number {
    const exact = at(path)
    if (exact >= 0) return exact
    const dot = path.lastIndexOf('.')
    const extension = dot > path.lastIndexOf('/') ? path.slice(dot) : ''
    for (const other of SOURCE_EXTENSIONS[extension] ?? []) {
      const found = at(path.slice(0, dot) + other)
      if (found >= 0) return found
    }
    for (const other of EXTENSIONS) {
      const found = at(path + other)
      if (found >= 0) return found
    }
    const folder = path === '' ? '' : `${path}/`
    for (const other of EXTENSIONS) {
      const found = at(`${folder}index${other}`)
      if (found >= 0) return found
    }
    return -1
  }

  /** A path, or the entry of the package that lies there. */
  function probePackage(path: string): number {
    const found = probe(path)
    if (found >= 0) return found
    const member = workspace.byFolder.get(path)
    return member === undefined ? -1 : packageEntry(member, '')
  }

  function probeAbsolute(path: string): number {
    return path.startsWith(`${root}/`) ? probePackage(path.slice(root.length + 1)) : -1
  }

  /** A link in the work tree leads to the file that it stands for. */
  function linked(path: string): number {
    for (const extension of ['', ...EXTENSIONS]) {
      const real = realPath(join(root, path + extension))
      if (real.startsWith(`${root}/`)) {
        const found = at(real.slice(root.length + 1))
        if (found >= 0) return found
      }
    }
    return -1
  }

  function relative(fromPath: string, specifier: string): Target {
    const path = joinPath(directoryOf(fromPath), specifier)
    if (path === null) return NOTHING
    const file = probePackage(path)
    if (file >= 0) return { file, package: '', reason: '' }
    const other = otherCase(path)
    if (other !== '')
      return { ...NOTHING, reason: `"${specifier}" is written otherwise than ${other}: only some systems find it.` }
    return { ...NOTHING, file: linked(path) }
  }

  /** The file that a path means where letter case does not count; '' when there is none. */
  function otherCase(path: string): string {
    if (lowerCase === undefined) {
      lowerCase = new Map()
      for (const it of fileByPath.keys()) {
        const key = it.toLowerCase()
        lowerCase.set(key, it)
        const stem = key.replace(/\.(?:d\.)?[cm]?[jt]sx?$/, '')
        if (!lowerCase.has(stem)) lowerCase.set(stem, it)
      }
    }
    const key = path.toLowerCase()
    return lowerCase.get(key) ?? lowerCase.get(key.replace(/\.[cm]?jsx?$/, '')) ?? lowerCase.get(`${key}/index`) ?? ''
  }

  function search(fromPath: string, specifier: string): Target {
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return relative(fromPath, specifier)
    if (specifier.startsWith('/')) return { ...NOTHING, file: probe(specifier.slice(1)) }
    const folder = directoryOf(fromPath)
    const configuration = configurationFor(folder, fromPath)
    const pattern = configuration === null ? undefined : matching(configuration, specifier)
    if (pattern !== undefined) {
      for (const target of pattern.targets) {
        const file = probeAbsolute(target)
        if (file >= 0) return foundAlias(file, pattern.isAll)
      }
    }
    if (specifier.startsWith('#')) {
      const file = ownImport(folder, specifier)
      return file >= 0 ? foundAlias(file, false) : lostAlias(fromPath, specifier)
    }
    if (specifier.startsWith('node:') || NODE_MODULES.has(specifier.split('/')[0]))
      return { ...NOTHING, package: specifier.replace(/^node:/, '').split('/')[0] }
    if (/^[a-z]+:/i.test(specifier) && !specifier.startsWith('npm:')) return { ...NOTHING, package: specifier }
    if (configuration !== null && configuration.baseUrl !== '') {
      const file = probeAbsolute(join(configuration.baseUrl, specifier))
      if (file >= 0) return { ...NOTHING, file }
    }

    const name = packageName(specifier)
    const member = workspace.byName.get(name)
    if (member !== undefined) {
      const file = packageEntry(member, specifier.slice(name.length + 1))
      if (file >= 0) return { ...NOTHING, file }
    }
    const bundled = aliasedPath((aliases ??= findAliases(project.configFiles)), folder, specifier)
    const file = bundled === null ? -1 : probePackage(bundled)
    if (file >= 0) return foundAlias(file, false)
    const declared = declaredAs(folder, name)
    if (declared !== undefined) {
      const entry = packageEntry(declared, specifier.slice(name.length + 1))
      if (entry >= 0) return { ...NOTHING, file: entry }
    }
    if (member !== undefined) return { ...NOTHING, package: name }
    if (ALIAS_ONLY.test(specifier) || (pattern !== undefined && !pattern.isAll && !isDependency(folder, name)))
      return lostAlias(fromPath, specifier)
    return { ...NOTHING, package: name }
  }

  function foundAlias(file: number, isAll: boolean): Target {
    // a pattern for everything is where the compiler looks, not a name for something
    if (!isAll) aliased.found++
    return { ...NOTHING, file }
  }

  function lostAlias(fromPath: string, specifier: string): Target {
    aliased.lost++
    if (aliased.path === '') aliased.path = fromPath
    return { ...NOTHING, reason: `The alias in "${specifier}" is not known from any configuration file.` }
  }

  function configurationFor(folder: string, fromPath: string): Configuration | null {
    // files of one folder share a configuration unless one is told by name
    let found = configurationOf.get(folder)
    if (found === undefined) {
      found = configurations.for(fromPath)
      configurationOf.set(folder, found)
    }
    return found
  }

  /** A specifier with `#`: `imports` of the nearest package. */
  function ownImport(folder: string, specifier: string): number {
    for (const dir of ancestors(folder)) {
      const own = workspace.byFolder.get(dir)
      if (own === undefined) continue
      const targets: string[] = []
      if (isRecord(own.manifest.imports)) addedTargets(own.manifest.imports, specifier, targets)
      for (const target of targets) {
        if (target.startsWith('.')) {
          const file = sourceOf(dir, target)
          if (file >= 0) return file
        } else {
          const name = packageName(target)
          const member = workspace.byName.get(name)
          const file = member === undefined ? -1 : packageEntry(member, target.slice(name.length + 1))
          if (file >= 0) return file
        }
      }
      if (own.manifest.name !== undefined || own.manifest.imports !== undefined) return -1
    }
    return -1
  }

  /** What the nearest manifest says that a name stands for: `file:../kit`, `link:`, `workspace:@acme/kit@*`. */
  function declaredAs(folder: string, name: string): WorkspacePackage | undefined {
    for (const dir of ancestors(folder)) {
      const written = dependencyOf(workspace.byFolder.get(dir), name)
      if (written === undefined) continue
      const path = /^(?:file|link|portal|workspace):(\.{1,2}\/.*|\.{1,2})$/.exec(written)?.[1]
      if (path !== undefined) return workspace.byFolder.get(joinPath(dir, path) ?? '?')
      const other = /^workspace:((?:@[^/@]+\/)?[^@/]+)@/.exec(written)?.[1]
      return other === undefined ? undefined : workspace.byName.get(other)
    }
    return undefined
  }

  function isDependency(folder: string, name: string): boolean {
    return ancestors(folder).some((it) => dependencyOf(workspace.byFolder.get(it), name) !== undefined)
  }

  /** The source file that a package of the workspace gives under a sub-path ('' for the package itself). */
  function packageEntry(member: WorkspacePackage, subpath: string): number {
    const { manifest, folder } = member
    const targets: string[] = []
    if (manifest.exports !== undefined) collectExports(manifest.exports, subpath === '' ? '.' : `./${subpath}`, targets)
    if (subpath === '')
      for (const field of ['source', 'types', 'typings', 'module', 'main']) {
        const value = manifest[field]
        if (typeof value === 'string') targets.push(value)
      }
    for (const target of targets) {
      const found = sourceOf(folder, target)
      if (found >= 0) return found
    }
    if (subpath !== '' && manifest.exports !== undefined && targets.length > 0) return -1
    for (const guess of subpath === '' ? ['', 'src', 'lib'] : [subpath, `src/${subpath}`, `lib/${subpath}`]) {
      const path = joinPath(folder, guess)
      const found = path === null ? -1 : probe(path)
      if (found >= 0) return found
    }
    return -1
  }

  /** A file named by a manifest, or the source that it would be built from. */
  function sourceOf(folder: string, target: string): number {
    const path = joinPath(folder, target)
    if (path === null) return -1
    const found = probe(path)
    if (found >= 0) return found
    const inside = folder === '' ? path : path.slice(folder.length + 1)
    const built =
      /^(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings)\/(?:(?:esm|cjs|es|types|src|node|browser|modern|legacy)\/)*(.*)$/.exec(
        inside,
      )
    if (built === null) return -1
    const stem = built[1].replace(/\.(d\.[mc]?ts|[mc]?js|[mc]?ts|jsx|tsx)$/, '')
    for (const guess of [`src/${stem}`, stem, `lib/${stem}`, `source/${stem}`]) {
      const source = joinPath(folder, guess)
      const file = source === null ? -1 : probe(source)
      if (file >= 0) return file
    }
    return -1
  }

  return {
    resolve(fromPath, specifier) {
      if (specifier === '') return NOTHING
      const key = `${directoryOf(fromPath)}\0${specifier}`
      let target = byFolder.get(key)
      if (target === undefined) {
        target = search(
          fromPath,
          specifier.replace(/[?#](?=.)[^/]*$/, (it) => (specifier.startsWith('#') ? it : '')),
        )
        byFolder.set(key, target)
      }
      return target
    },
    problems,
    aliasProblem(imports) {
      for (const { path, specifier } of imports) if (!specifier.startsWith('.')) this.resolve(path, specifier)
      const { found, lost, path } = aliased
      if (found + lost < MIN_ALIASED || found >= lost) return undefined
      const message = `Only ${found} of ${found + lost} aliased imports lead to a file; most edges between files are missing.`
      return { path, line: 1, message }
    },
  }
}

/** The first pattern of `paths` that fits, with what it makes of the specifier. */
function matching({ paths }: Configuration, specifier: string): { targets: string[]; isAll: boolean } | undefined {
  for (const { pattern, targets } of paths) {
    const star = pattern.indexOf('*')
    if (star < 0) {
      if (pattern === specifier) return { targets, isAll: false }
      continue
    }
    const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)]
    if (!specifier.startsWith(head) || !specifier.endsWith(tail) || specifier.length < head.length + tail.length)
      continue
    const rest = specifier.slice(head.length, specifier.length - tail.length)
    return { targets: targets.map((it) => it.replace('*', () => rest)), isAll: pattern === '*' }
  }
  return undefined
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

function dependencyOf(member: WorkspacePackage | undefined, name: string): string | undefined {
  for (const field of DEPENDENCIES) {
    const list = member?.manifest[field]
    const version = isRecord(list) ? list[name] : undefined
    if (typeof version === 'string') return version
  }
  return undefined
}

function packageName(specifier: string): string {
  const parts = specifier.replace(/^npm:/, '').split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]
}

/** The path behind all links, '' when there is nothing. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path).replaceAll('\\', '/')
  } catch {
    // the usual case: most of the names that are tried do not exist
    return ''
  }
}
