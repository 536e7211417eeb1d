/**
 * TypeScript's own checker over all scripts of a project at once. It only reads: no plugin, no transformer, no
 * configuration of the repository, nothing outside of the root. Modules are found as everywhere in the project, by the
 * nearest configuration of each file and by workspace packages; what is left may be types of installed packages.
 */

import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import ts from 'typescript-checker'
import type { CheckedProject } from '#ingest/check'
import { createSpecifiers, type Specifiers } from '#ingest/resolve/specifiers'
import { blobHash, decode } from '#ingest/text'
import { type UpgradeSet, UpgradeWriter } from '#ingest/upgrade'
import { ContainedFiles } from '#ingest/upgrade/contained'
import { sitesIn } from '#ingest/upgrade/typescript-sites'

export interface CheckOptions {
  /** Where the declarations of the language itself are. */
  libraries: string
  /** Milliseconds that all of it may take. */
  budgetMs: number
  progress: (done: number, total: number, file: string) => void
}

/** `time`, `memory`: the budget was used up, and nothing is known. */
export type Checked = { kind: 'done'; set: UpgradeSet } | { kind: 'time' | 'memory' }

const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  allowJs: true,
  checkJs: false,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  // files of different programs must not share names
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowImportingTsExtensions: true,
  allowArbitraryExtensions: true,
  experimentalDecorators: true,
  jsx: ts.JsxEmit.Preserve,
  maxNodeModuleJsDepth: 0,
}
/** Share of the heap in use beyond which the pass gives up before it is ended. */
const FULL_HEAP = 0.92

export function checkProject(project: CheckedProject, { libraries, budgetMs, progress }: CheckOptions): Checked {
  const deadline = performance.now() + budgetMs
  const host = new Host(project, libraries)
  const rootNames = [...project.files.keys()].filter((it) => !host.hidesProject(it)).map((it) => join(project.root, it))
  const program = ts.createProgram({ rootNames, options: OPTIONS, host: host.host })
  const checker = program.getTypeChecker()
  const writer = new UpgradeWriter()
  let done = 0
  for (const [path, hash] of project.files) {
    if (performance.now() > deadline) return { kind: 'time' }
    if (isHeapFull()) return { kind: 'memory' }
    progress(done++, project.files.size, path)
    const file = program.getSourceFile(join(project.root, path))
    // a file that changed since the ingest is none of its graph
    if (file === undefined || host.changed.has(path)) continue
    const reaches = (from: ts.SourceFile) => host.reaches(from, path)
    writer.add(path, hash, sitesIn(file, checker, { pathOf: host.pathOf, reaches }))
  }
  const from = { source: 'typescript' as const, origin: '', originHash: '', stale: 0 }
  const hashOf = (path: string) => (host.changed.has(path) ? '' : (project.files.get(path) ?? ''))
  return { kind: 'done', set: writer.finish(from, hashOf) }
}

class Host {
  /** Files whose content is no longer the one that was asked about. */
  readonly changed = new Set<string>()
  readonly host: ts.CompilerHost
  readonly #project: CheckedProject
  readonly #files: ContainedFiles
  readonly #specifiers: Specifiers
  /** Folders with a configuration or a manifest. */
  readonly #configured: ReadonlySet<string>

  constructor(project: CheckedProject, libraries: string) {
    this.#project = project
    this.#files = new ContainedFiles([project.root, libraries])
    const files = this.#files
    this.#specifiers = createSpecifiers({ fileByPath: this.#fileByPath(), project: this.#ground() })
    this.#configured = new Set(project.configPaths.map((it) => it.slice(0, Math.max(0, it.lastIndexOf('/')))))
    const resolve = this.#resolver()
    this.host = {
      getSourceFile: (path, version) => {
        const text = this.#text(path)
        return text === undefined ? undefined : ts.createSourceFile(path, text, version, true)
      },
      getDefaultLibFileName: (options) => join(libraries, ts.getDefaultLibFileName(options)),
      getDefaultLibLocation: () => libraries,
      getCurrentDirectory: () => project.root,
      getCanonicalFileName: (path) => path,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      writeFile: () => {},
      fileExists: (path) => files.isFile(path),
      readFile: (path) => files.text(path),
      directoryExists: (path) => files.isFolder(path),
      getDirectories: (path) => files.foldersIn(path),
      realpath: (path) => files.realpath(path),
      resolveModuleNameLiterals: (literals, from) => literals.map((it) => resolve(it.text, from)),
    }
  }

  readonly pathOf = ({ fileName }: ts.SourceFile): string => {
    const path = this.#inRoot(fileName)
    return this.#project.files.has(path) ? path : ''
  }

  #inRoot(path: string): string {
    const { root } = this.#project
    return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : ''
  }

  #text(path: string): string | undefined {
    const own = this.#inRoot(path)
    const expected = this.#project.files.get(own)
    if (expected === undefined) return this.#files.text(path)
    const bytes = this.#files.read(path)
    if (bytes === undefined || blobHash(bytes) !== expected) this.changed.add(own)
    return bytes === undefined ? undefined : decode(bytes)?.text
  }

  /**
   * Whether a file says what a package of this very project is. It is meant for a place where that package cannot be
   * seen, and would hide it from all others.
   */
  hidesProject(path: string): boolean {
    if (!/\.d\.[cm]?ts$/.test(path)) return false
    const text = this.#files.text(join(this.#project.root, path)) ?? ''
    if (!/\bmodule\s*['"]/.test(text)) return false
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext)
    if (ts.isExternalModule(file)) return false
    return file.statements.some(
      (it) =>
        ts.isModuleDeclaration(it) &&
        ts.isStringLiteral(it.name) &&
        !it.name.text.includes('*') &&
        this.#specifiers.resolve(path, it.name.text).file >= 0,
    )
  }

  /** Whether what a file declares for all is meant for the file at `path`: it stands in the same package. */
  reaches({ fileName }: ts.SourceFile, path: string): boolean {
    let folder = this.#inRoot(fileName)
    if (folder === '' || folder.includes('node_modules/')) return true
    do folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
    while (folder !== '' && !this.#configured.has(folder))
    return folder === '' || path.startsWith(`${folder}/`)
  }

  #fileByPath(): Map<string, number> {
    return new Map([...this.#project.files.keys()].map((it, i) => [it, i]))
  }

  #ground(): { root: string; configFiles: Map<string, string> } {
    const { root, configPaths } = this.#project
    const configFiles = new Map<string, string>()
    for (const path of configPaths) {
      const text = this.#files.text(join(root, path))
      if (text !== undefined) configFiles.set(path, text)
    }
    return { root, configFiles }
  }

  /** Files of the project first: what is built or installed of them is not what was ingested. */
  #resolver(): (name: string, from: string) => ts.ResolvedModuleWithFailedLookupLocations {
    const { root, files } = this.#project
    const paths = [...files.keys()]
    const cache = ts.createModuleResolutionCache(root, (it) => it, OPTIONS)
    return (name, from) => {
      const own = this.#inRoot(from)
      const isOwn = own !== '' && !own.includes('node_modules/')
      const found = isOwn ? this.#specifiers.resolve(own, name).file : -1
      if (found < 0) return ts.resolveModuleName(name, from, OPTIONS, this.host, cache)
      const path = join(root, paths[found])
      return {
        resolvedModule: { resolvedFileName: path, extension: extensionOf(path), isExternalLibraryImport: false },
      }
    }
  }
}

function extensionOf(path: string): string {
  return /\.d\.[cm]?ts$/.exec(path)?.[0] ?? path.slice(path.lastIndexOf('.'))
}

function isHeapFull(): boolean {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  return used_heap_size > FULL_HEAP * heap_size_limit
}
