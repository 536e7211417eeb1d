/**
 * Module specifiers of JavaScript and TypeScript → files of the project. Relative ones are looked up in the list
 * of files; aliases, `baseUrl`, `imports` and installed packages are left to oxc-resolver, which reads the
 * nearest tsconfig; packages of the workspace need no installation.
 */

import { join } from 'node:path'
import { ResolverFactory } from 'oxc-resolver'
import { directoryOf, joinPath } from '#ingest/resolve/host'
import type { Project } from '#ingest/resolve/project'
import { findWorkspacePackages, isRecord, type WorkspacePackage } from '#ingest/resolve/workspace'

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
}

const EXTENSIONS = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.vue', '.svelte', '.json']
/** A written extension and those that the source may have instead. */
const SOURCE_EXTENSIONS: Record<string, string[]> = {
  '.js': ['.ts', '.tsx', '.jsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.ts'],
  '.cjs': ['.cts', '.ts'],
}
const CONDITIONS = ['source', 'development', 'types', 'import', 'require', 'module', 'browser', 'node', 'default']
const NODE_MODULES = new Set(
  `assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2
  https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys test timers tls
  trace_events tty url util v8 vm wasi worker_threads zlib`.split(/\s+/),
)
const NOTHING: Target = { file: -1, package: '', reason: '' }

/** Where files and configuration are. */
export interface Ground {
  fileByPath: ReadonlyMap<string, number>
  project: Pick<Project, 'root' | 'configFiles'>
}

export function createSpecifiers({ fileByPath, project }: Ground): Specifiers {
  const workspace = findWorkspacePackages(project.configFiles)
  const root = project.root.replace(/\/+$/, '')
  const hasTsconfig = [...project.configFiles.keys()].some((it) => /(^|\/)(ts|js)config[^/]*\.json$/.test(it))
  const byFolder = new Map<string, Target>()
  let factory: ResolverFactory | undefined

  function resolver(): ResolverFactory {
    factory ??= new ResolverFactory({
      tsconfig: 'auto',
      extensions: EXTENSIONS,
      extensionAlias: {
        '.js': ['.ts', '.tsx', '.js', '.jsx', '.d.ts'],
        '.jsx': ['.tsx', '.jsx'],
        '.mjs': ['.mts', '.mjs', '.ts'],
        '.cjs': ['.cts', '.cjs', '.ts'],
      },
      conditionNames: CONDITIONS,
      mainFields: ['source', 'types', 'typings', 'module', 'main'],
      symlinks: true,
    })
    return factory
  }

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

  function fromDisk(fromPath: string, specifier: string): number {
    const result = resolver().resolveFileSync(join(root, fromPath), specifier)
    if (result.path === undefined) return -1
    const path = result.path.replaceAll('\\', '/')
    return path.startsWith(`${root}/`) ? at(path.slice(root.length + 1)) : -1
  }

  function search(fromPath: string, specifier: string): Target {
    if (specifier.startsWith('./') || specifier.startsWith('../') || specifier === '.' || specifier === '..') {
      const path = joinPath(directoryOf(fromPath), specifier)
      const found = path === null ? -1 : probe(path)
      if (found >= 0) return { file: found, package: '', reason: '' }
      const folder = path === null ? undefined : workspace.byFolder.get(path)
      const entry = folder === undefined ? -1 : packageEntry(folder, '')
      return { file: entry, package: '', reason: '' }
    }
    if (specifier.startsWith('/')) return { file: probe(specifier.slice(1)), package: '', reason: '' }
    if (specifier.startsWith('node:') || NODE_MODULES.has(specifier.split('/')[0])) {
      return { file: -1, package: specifier.replace(/^node:/, '').split('/')[0], reason: '' }
    }
    if (/^[a-z]+:/i.test(specifier) && !specifier.startsWith('npm:'))
      return { file: -1, package: specifier, reason: '' }

    const name = packageName(specifier)
    const member = workspace.byName.get(name)
    if (member !== undefined) {
      const file = packageEntry(member, specifier.slice(name.length + 1))
      if (file >= 0) return { file, package: '', reason: '' }
    }
    if (hasTsconfig || specifier.startsWith('#')) {
      const file = fromDisk(fromPath, specifier)
      if (file >= 0) return { file, package: '', reason: '' }
    }
    if (member !== undefined) return { file: -1, package: name, reason: '' }
    if (/^[@~]\//.test(specifier) || specifier.startsWith('#')) {
      return { file: -1, package: '', reason: `The alias in "${specifier}" is not known from any configuration file.` }
    }
    return { file: -1, package: name, reason: '' }
  }

  /** The source file that a package of the workspace gives under a sub-path ('' for the package itself). */
  function packageEntry(member: WorkspacePackage, subpath: string): number {
    const key = subpath === '' ? '.' : `./${subpath}`
    const { manifest, folder } = member
    const targets: string[] = []
    if (manifest.exports !== undefined) collectExports(manifest.exports, key, targets)
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
      /^(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings)\/(?:(?:esm|cjs|es|types|src|node|browser)\/)*(.*)$/.exec(
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
  }
}

function packageName(specifier: string): string {
  const parts = specifier.replace(/^npm:/, '').split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]
}

/** Targets of an `exports` map for one key, by the order of our conditions and patterns with the longest prefix first. */
function collectExports(value: unknown, key: string, targets: string[]): void {
  if (typeof value === 'string' || Array.isArray(value)) {
    if (key === '.') collectConditions(value, '', targets)
    return
  }
  if (!isRecord(value)) return
  const keys = Object.keys(value)
  if (!keys.some((it) => it.startsWith('.'))) {
    if (key === '.') collectConditions(value, '', targets)
    return
  }
  if (key in value) {
    collectConditions(value[key], '', targets)
    return
  }
  const patterns = keys.filter((it) => it.includes('*')).sort((a, b) => b.indexOf('*') - a.indexOf('*'))
  for (const pattern of patterns) {
    const [head, tail] = pattern.split('*')
    if (!key.startsWith(head) || !key.endsWith(tail) || key.length < head.length + tail.length) continue
    collectConditions(value[pattern], key.slice(head.length, key.length - tail.length), targets)
    return
  }
}

function collectConditions(value: unknown, star: string, targets: string[]): void {
  if (typeof value === 'string') targets.push(value.replaceAll('*', star))
  else if (Array.isArray(value)) for (const item of value) collectConditions(item, star, targets)
  else if (isRecord(value)) {
    const order = [...CONDITIONS, ...Object.keys(value).filter((it) => !CONDITIONS.includes(it))]
    for (const condition of order) if (condition in value) collectConditions(value[condition], star, targets)
  }
}
