/** What manifests and start scripts name: files and functions that run though nothing in the project calls them. */

import { ROOT_TAG } from '#graph/roots'
import type { Facts } from '#ingest/facts'
import { readToml, tableAt, type TomlTable, textAt } from '#ingest/toml'

interface Named {
  path: string
  facts: Facts
}

const SCRIPT_NAMES =
  /^(?:Procfile(?:\.\w+)?|Dockerfile(?:[.-][\w.-]+)?|[\w.-]+\.dockerfile|Makefile|justfile|docker-compose[\w.-]*\.ya?ml|compose\.ya?ml|app\.yaml|fly\.toml|render\.yaml|serverless\.ya?ml|template\.ya?ml|tox\.ini|noxfile\.py)$/i
const WORKFLOW =
  /(?:^|\/)\.(?:github\/workflows|circleci|gitlab\/ci)\/[^/]+\.ya?ml$|(?:^|\/)(?:\.gitlab-ci|\.travis|azure-pipelines|appveyor)\.ya?ml$/
const SERVICE = /(?:^|\/)META-INF\/services\/[^/]+$|(?:^|\/)META-INF\/spring(?:\.factories|\/[^/]+\.imports)$/

/** Files that say what is run. */
export function isScriptFile(path: string): boolean {
  return SCRIPT_NAMES.test(path.slice(path.lastIndexOf('/') + 1)) || WORKFLOW.test(path) || SERVICE.test(path)
}

/** A tag for a definition of a file, or for the file itself when it is -1. */
export interface Mark {
  definition: number
  tag: string
}

/** By path: tags for the files and definitions that the texts of manifests and scripts (path → text) name. */
export function manifestMarks(
  files: readonly Named[],
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly Mark[]> {
  const roots = new ManifestRoots(files)
  for (const [path, text] of texts) roots.read(path, text)
  return roots.marks
}

/** The same facts with more tags. */
export function marked(facts: Facts, marks: readonly Mark[]): Facts {
  const withMarks = (tags: readonly string[], definition: number) => [
    ...new Set([...tags, ...marks.filter((it) => it.definition === definition).map((it) => it.tag)]),
  ]
  const named = new Set(marks.map((it) => it.definition))
  return {
    ...facts,
    tags: withMarks(facts.tags, -1),
    definitions: facts.definitions.map((it, d) => (named.has(d) ? { ...it, tags: withMarks(it.tags, d) } : it)),
  }
}

/** `-m package.module`, `package.module:app`, or the path of a script. */
const COMMAND_WORD =
  /(?:^|[\s"'=([,])(?:-m[\s"',]+([A-Za-z_][\w.]*)|([A-Za-z_][\w.]*:[A-Za-z_]\w*)|([\w@./-]*\w\.(?:py|[cm]?[jt]sx?|sh|bash|rb|php|pl|lua)))(?=$|[\s"'\]),;:&|])/gm
const BUILT = /^(?:dist|lib|build|out|esm|cjs|es|umd|bin|target|output)\//
const FORMAT = /^(?:esm|cjs|es|umd|node|browser|types|module|commonjs|src)\//
const SOURCE_ENDINGS: readonly [RegExp, readonly string[]][] = [
  [/\.(?:d\.)?([cm]?)[jt]sx?$/, ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs']],
]

class ManifestRoots {
  readonly marks = new Map<string, Mark[]>()
  readonly #files = new Map<string, Facts>()
  /** Files by base name without ending, for names of modules and classes. */
  #stems: ReadonlyMap<string, string[]> | undefined

  constructor(files: readonly Named[]) {
    for (const { path, facts } of files) this.#files.set(path, facts)
  }

  #byStem(): ReadonlyMap<string, string[]> {
    if (this.#stems !== undefined) return this.#stems
    const stems = new Map<string, string[]>()
    for (const path of this.#files.keys()) {
      const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
      const same = stems.get(stem)
      if (same === undefined) stems.set(stem, [path])
      else same.push(path)
    }
    this.#stems = stems
    return stems
  }

  read(path: string, text: string): void {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const base = path.slice(folder.length)
    if (base === 'package.json') this.#npm(folder, text)
    else if (base === 'composer.json') this.#composer(folder, text)
    else if (base === 'Cargo.toml') this.#cargo(folder, readToml(text))
    else if (base === 'pyproject.toml') this.#pyproject(folder, readToml(text))
    else if (base === 'setup.cfg' || base === 'setup.py') this.#entryPoints(folder, text)
    else if (base === 'pom.xml' || /\.gradle(?:\.kts)?$/.test(base)) this.#classes(text, 'package_command')
    else if (base.endsWith('.gemspec')) this.#words(folder, text, 'package_command')
    else if (SERVICE.test(path)) this.#classes(text, 'plugin')
    else if (WORKFLOW.test(path)) this.#words('', text, 'workflow')
    else if (isScriptFile(path)) this.#words(folder, text, 'start_script')
  }

  // ---- ecosystems

  #npm(folder: string, text: string): void {
    const json = objectOf(text)
    for (const field of [
      'main',
      'module',
      'browser',
      'exports',
      'source',
      'svelte',
      'react-native',
      'unpkg',
      'jsdelivr',
    ])
      for (const it of textsIn(json[field])) this.#source(folder, it, 'package_entry')
    for (const it of textsIn(json.bin)) this.#source(folder, it, 'package_command')
    if (json.main === undefined && json.exports === undefined && json.module === undefined)
      this.#source(folder, 'index.js', 'package_entry')
    for (const it of textsIn(json.scripts)) this.#words(folder, it, 'package_script')
  }

  #composer(folder: string, text: string): void {
    const json = objectOf(text)
    for (const it of textsIn(json.bin)) this.#file(folder + it, 'package_command')
    for (const field of ['autoload', 'autoload-dev'])
      for (const it of textsIn(record(json[field]).files)) this.#file(folder + it, 'package_entry')
    this.#classes(JSON.stringify(json.extra ?? {}), 'plugin')
  }

  #cargo(folder: string, manifest: TomlTable): void {
    if (!('package' in manifest)) return
    this.#file(folder + (textAt(tableAt(manifest, 'lib'), 'path') || 'src/lib.rs'), 'package_entry')
    this.#file(`${folder}${textAt(tableAt(manifest, 'package'), 'build') || 'build.rs'}`, 'build_script')
    this.#file(`${folder}src/main.rs`, 'package_command')
    for (const kind of ['bin', 'example', 'bench', 'test']) {
      for (const it of textsIn(manifest[kind])) this.#file(folder + it, kind === 'bin' ? 'package_command' : kind)
    }
    for (const path of this.#files.keys()) {
      if (!path.startsWith(folder)) continue
      const found = /^(?:(src\/bin)|(examples|benches|tests))\/(?:[^/]+|[^/]+\/main)\.rs$/.exec(
        path.slice(folder.length),
      )
      if (found !== null)
        this.#file(
          path,
          found[1] === undefined
            ? ({ examples: 'example', benches: 'bench', tests: 'test' }[found[2]] ?? '')
            : 'package_command',
        )
    }
  }

  #pyproject(folder: string, manifest: TomlTable): void {
    const project = tableAt(manifest, 'project')
    const poetry = tableAt(tableAt(manifest, 'tool'), 'poetry')
    for (const table of [tableAt(project, 'scripts'), tableAt(project, 'gui-scripts'), tableAt(poetry, 'scripts')])
      for (const it of textsIn(table)) this.#module(folder, it, 'package_command')
    for (const table of [tableAt(project, 'entry-points'), tableAt(poetry, 'plugins')])
      for (const it of textsIn(table)) this.#module(folder, it, 'plugin')
  }

  /** `name = package.module:function`, in any kind of text. */
  #entryPoints(folder: string, text: string): void {
    for (const it of text.matchAll(/^[\s'"]*[\w.-]+\s*=\s*([\w.]+:[\w.]+)/gm))
      this.#module(folder, it[1], 'package_command')
  }

  /** Full names of classes. */
  #classes(text: string, kind: string): void {
    for (const it of text.matchAll(/[\w$]+(?:(?:\.|\\+)[\w$]+)+/g)) this.#class(it[0].split(/\.|\\+/), kind)
  }

  /** Words of a command line that are paths of files, or modules of Python. */
  #words(folder: string, text: string, kind: string): void {
    for (const [, module, called, path] of text.matchAll(COMMAND_WORD)) {
      const name = module ?? called
      if (name !== undefined) this.#module(folder, name, kind)
      else if (!this.#file(folder + plainPath(path), kind)) this.#file(plainPath(path), kind)
    }
  }

  // ---- what is named

  /** A file that may be built from a source elsewhere. */
  #source(folder: string, written: string, kind: string): void {
    const path = plainPath(written)
    if (path.includes('*') || this.#file(folder + path, kind)) return
    const stems: string[] = []
    for (const [ending, others] of SOURCE_ENDINGS) {
      const stem = path.replace(ending, '')
      const rest = stem.replace(BUILT, '')
      const plain = rest.replace(FORMAT, '')
      for (const it of new Set([stem, `src/${rest}`, rest, `src/${plain}`, plain, `lib/${plain}`]))
        for (const other of others) stems.push(it + other, `${it}/index${other}`)
    }
    for (const it of stems) if (this.#file(folder + it, kind)) return
  }

  #file(path: string, kind: string): boolean {
    if (!this.#files.has(path)) return false
    this.#mark(path, -1, 'entrypoint')
    this.#mark(path, -1, ROOT_TAG + kind)
    return true
  }

  /** `package.module:function`, `package.module`. */
  #module(folder: string, written: string, kind: string): void {
    const [module, name = ''] = written.trim().split(/[:\s[]/)
    const path = module.replaceAll('.', '/')
    for (const root of [folder, `${folder}src/`, '']) {
      for (const ending of ['.py', '/__main__.py', '/__init__.py']) {
        const file = root + path + ending
        if (!this.#files.has(file)) continue
        this.#mark(file, -1, 'entrypoint')
        if (name === '') this.#mark(file, -1, ROOT_TAG + kind)
        else this.#definition(file, name.split('.'), kind)
        return
      }
    }
  }

  /** A class by its full name, when one file alone has its name and package. */
  #class(names: readonly string[], kind: string): void {
    const name = names[names.length - 1]
    const inPackage = names.slice(0, -1).join('.')
    const found = (this.#byStem().get(name) ?? []).filter((it) => this.#files.get(it)?.package === inPackage)
    if (found.length === 1) this.#definition(found[0], [name], kind)
  }

  #definition(path: string, names: readonly string[], kind: string): void {
    const definitions = this.#files.get(path)?.definitions ?? []
    let parent = -1
    for (const name of names) {
      const at = definitions.findIndex((it) => it.name === name && (parent < 0 || it.parent === parent))
      if (at < 0) break
      parent = at
    }
    this.#mark(path, parent, ROOT_TAG + kind)
  }

  #mark(path: string, definition: number, tag: string): void {
    const marks = this.marks.get(path)
    if (marks) marks.push({ definition, tag })
    else this.marks.set(path, [{ definition, tag }])
  }
}

function plainPath(written: string): string {
  return written.replace(/^(?:\.\/)+/, '').replace(/^\//, '')
}

function objectOf(text: string): Record<string, unknown> {
  try {
    return record(JSON.parse(text))
  } catch {
    // a manifest that is no JSON names nothing; the file itself is reported where it is read
    return {}
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** All texts in a value, however deep; of tables with a `path` only that. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 8) return []
  if ('path' in value && typeof value.path === 'string') return [value.path]
  return Object.values(value).flatMap((it) => textsIn(it, depth + 1))
}
