/**
 * What strings and settings name: a file by its path, a definition or module by its full name. Only what there is exactly
 * one of counts; a part of a name or of a path names nothing.
 */

import type { Named } from '#ingest/facts'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import type { Evaluator } from '#ingest/resolve/evaluate'
import { ancestors, baseName, directoryOf, foldersOf, joinPath } from '#ingest/resolve/host'
import { fileScope, type Program, SCRIPT_LANGUAGES, scopeOf } from '#ingest/resolve/program'
import { DEFINITION, definitionOf, MODULE, moduleOf, type Value } from '#ingest/resolve/value'

/** Folders whose content is known by paths below them: resources of the JVM, templates and assets of web frameworks. */
const CONVENTIONAL = /(?:^|\/)(?:src\/\w+\/(?:resources|webapp)|templates|static|public)$/
const MANIFEST =
  /^(?:package\.json|deno\.jsonc?|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|Gemfile|[\w.-]+\.(?:gemspec|csproj))$/
/** Endings that scripts leave out. */
const SCRIPT_ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.json']
const HAS_ENDING = /\.[A-Za-z]\w*$/

export class NamedThings {
  readonly #program: Program
  readonly #evaluator: Evaluator
  /** Ecosystems in which settings name definitions. */
  readonly #open: readonly Ecosystem[]
  #places: { folders: ReadonlySet<string>; conventional: readonly string[]; packages: ReadonlySet<string> } | undefined

  constructor(program: Program, evaluator: Evaluator) {
    this.#program = program
    this.#evaluator = evaluator
    this.#open = [...new Set(evaluator.ecosystems)].filter((it) => it.named !== undefined && !it.namesByScope)
  }

  /** Definitions, or files as scopes, that a text of a file names; none when there are none or when it may be another. */
  targets(file: number, named: Named): readonly number[] {
    switch (named.form) {
      case 'name':
        return this.#byName(file, named)
      case 'path':
      case 'beside': {
        const found = this.#byPath(file, named)
        return found < 0 ? [] : [fileScope(this.#program, found)]
      }
      case 'word':
        return []
    }
  }

  #byName(file: number, { from, text }: Named): readonly number[] {
    const segments = text.split('.')
    const own = this.#evaluator.ecosystems[file]
    const scope = scopeOf(this.#program, file, from)
    if (own.named !== undefined) return own.named(file, segments, scope)
    const found = this.#open.map((it) => it.named?.(file, segments, scope) ?? []).filter((it) => it.length > 0)
    return found.length === 1 ? found[0] : []
  }

  #byPath(file: number, { form, text, from }: Named): number {
    const folder = directoryOf(this.#program.paths[file])
    const beside = this.#fileAt(file, folder, text)
    if (form === 'beside' || text.startsWith('../') || (text.startsWith('./') && beside >= 0)) return beside
    if (!text.includes('/')) return beside >= 0 ? beside : this.#inNamedFolder(file, from, text)
    const { conventional, packages } = (this.#places ??= this.#findPlaces())
    const around = ancestors(folder).find((it) => packages.has(it)) ?? ''
    const found = new Set([beside])
    for (const it of [around, '', ...conventional]) found.add(this.#fileAt(file, it, text))
    found.delete(-1)
    const [only] = found
    return found.size === 1 ? only : -1
  }

  /** The file of a bare name in the folders that a class, else the whole file, names by words. */
  #inNamedFolder(file: number, from: number, text: string): number {
    const { paths, facts } = this.#program
    const { named, definitions } = facts[file]
    const { folders } = (this.#places ??= this.#findPlaces())
    const own = directoryOf(paths[file])
    const outermost = (local: number) => {
      let at = local
      while (at >= 0 && definitions[at].parent >= 0) at = definitions[at].parent
      return at
    }
    const words = named.filter((it) => it.form === 'word')
    const inside = words.filter((it) => outermost(it.from) === outermost(from))
    for (const some of [inside, words]) {
      const found = new Set<number>()
      for (const it of some) {
        const folder = joinPath(own, it.text)
        if (folder !== null && folders.has(folder)) found.add(this.#fileAt(file, folder, text))
      }
      found.delete(-1)
      const [only] = found
      if (only !== undefined) return found.size === 1 ? only : -1
    }
    return -1
  }

  #fileAt(file: number, folder: string, text: string): number {
    const { fileByPath, facts } = this.#program
    const path = joinPath(folder, text)
    if (path === null || path === '') return -1
    const exact = fileByPath.get(path)
    if (exact !== undefined) return exact
    const { language } = facts[file]
    const isScript = SCRIPT_LANGUAGES.has(language)
    const spellings: string[] = []
    if (isScript && /\.[cm]?jsx?$/.test(path))
      spellings.push(path.replace(/js(x?)$/, 'ts$1'), path.replace(/\.js$/, '.tsx'))
    else if (!HAS_ENDING.test(text) || text.startsWith('.')) {
      if (isScript || language === 'generic') for (const it of SCRIPT_ENDINGS) spellings.push(path + it)
      if (language === 'go' || language === 'generic' || language === 'bash') spellings.push(`${path}/main.go`)
    }
    const found = new Set(spellings.map((it) => fileByPath.get(it) ?? -1))
    found.delete(-1)
    const [only] = found
    return found.size === 1 ? only : -1
  }

  #findPlaces() {
    const { paths, project } = this.#program
    const folders = foldersOf(paths)
    const packages = new Set<string>()
    for (const it of project.configFiles.keys()) if (MANIFEST.test(baseName(it))) packages.add(directoryOf(it))
    return { folders, packages, conventional: [...folders].filter((it) => CONVENTIONAL.test(it)).sort() }
  }
}

/**
 * The node that names lead to from a file or a definition: what is defined, or for a variable what holds it. -1 when there
 * is no such name.
 */
export function memberNamed(program: Program, evaluator: Evaluator, from: number, names: readonly string[]): number {
  let node = from
  for (const [i, name] of names.entries()) {
    const holder = node < program.nDefs ? definitionOf([node]) : moduleOf(node - program.nDefs)
    const next = nodeOf(program, evaluator.member(holder, name))
    if (next >= 0) node = next
    else return i === names.length - 1 && program.scopes.at(node)?.has(name) === true ? node : -1
  }
  return node
}

/** The definition, or the file as a scope, that a value is; -1 for anything else. */
export function nodeOf(program: Program, value: Value | undefined): number {
  if (value?.kind === DEFINITION) return value.id
  return value?.kind === MODULE ? fileScope(program, value.id) : -1
}
