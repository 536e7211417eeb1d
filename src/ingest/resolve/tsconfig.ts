/** Configurations of the TypeScript compiler: which one holds for a file, and what it says of module names. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseJsonc } from '#ingest/resolve/jsonc'
import { isRecord } from '#ingest/resolve/workspace'

export interface Configuration {
  /** Absolute. */
  path: string
  /** Where `paths` are read from: pattern, folders with at most one `*`; absolute. */
  paths: { pattern: string; targets: string[] }[]
  /** Absolute, '' when none is set. */
  baseUrl: string
}

export interface ConfigurationSources {
  /** Absolute path of the project. */
  root: string
  /** Relative path → text. */
  texts: ReadonlyMap<string, string>
  /** Folder of a package of the workspace, relative; undefined for any other package. */
  packageFolder(name: string): string | undefined
  report(path: string, line: number, message: string): void
}

/** A pattern of more parts than this is nobody's. */
const MOST_STARS = 12
const NOTHING = /(?!)/
const NAMES = ['tsconfig.json', 'jsconfig.json']

interface Raw {
  path: string
  text: string
  value: Record<string, unknown>
}

/** Own settings and those of what a configuration extends, later ones first. */
interface Settings {
  paths?: { value: Record<string, unknown>; folder: string }
  baseUrl?: string
}

export class Configurations {
  readonly #sources: ConfigurationSources
  readonly #raw = new Map<string, Raw | null>()
  readonly #read = new Map<string, Configuration | null>()
  readonly #nearest = new Map<string, string>()
  readonly #reported = new Set<string>()

  constructor(sources: ConfigurationSources) {
    this.#sources = sources
    for (const path of [...sources.texts.keys()].sort())
      if (/(?:^|\/)[tj]sconfig[\w.-]*\.json$/.test(path)) this.configuration(join(sources.root, path))
  }

  /** The configuration of a file given by its path from the root; null when there is none. */
  for(path: string): Configuration | null {
    const file = join(this.#sources.root, path)
    const nearest = this.#nearestTo(dirname(file))
    if (nearest === '') return null
    return this.#amongReferences(nearest, file, new Set()) ?? this.configuration(nearest)
  }

  /** The nearest configuration file in a folder or above it. */
  #nearestTo(folder: string): string {
    const known = this.#nearest.get(folder)
    if (known !== undefined) return known
    let found = ''
    for (const name of NAMES) {
      const path = join(folder, name)
      if (found === '' && this.#load(path) !== null) found = path
    }
    const above = dirname(folder)
    if (found === '' && above !== folder) found = this.#nearestTo(above)
    this.#nearest.set(folder, found)
    return found
  }

  /** Of a configuration that leaves its files to others, the one that takes the file. */
  #amongReferences(path: string, file: string, seen: Set<string>): Configuration | null {
    const raw = this.#load(path)
    if (raw === null || seen.has(path) || !Array.isArray(raw.value.references) || covers(raw, file)) return null
    seen.add(path)
    for (const reference of raw.value.references) {
      if (!isRecord(reference) || typeof reference.path !== 'string') continue
      const named = join(dirname(path), reference.path)
      const target = named.endsWith('.json') ? named : join(named, 'tsconfig.json')
      const referred = this.#load(target)
      if (referred === null) continue
      if (covers(referred, file)) return this.configuration(target)
      const inner = this.#amongReferences(target, file, seen)
      if (inner !== null) return inner
    }
    return null
  }

  configuration(path: string): Configuration | null {
    const known = this.#read.get(path)
    if (known !== undefined) return known
    const raw = this.#load(path)
    const configuration = raw === null ? null : this.#resolved(raw)
    this.#read.set(path, configuration)
    return configuration
  }

  #resolved(raw: Raw): Configuration {
    const settings = this.#settings(raw, [])
    const folder = dirname(raw.path)
    const own = (text: string) => text.replaceAll('${configDir}', folder)
    const baseUrl = settings.baseUrl === undefined ? '' : own(settings.baseUrl)
    const paths: Configuration['paths'] = []
    if (settings.paths !== undefined) {
      const base = baseUrl === '' ? settings.paths.folder : baseUrl
      for (const [pattern, list] of Object.entries(settings.paths.value)) {
        if (!Array.isArray(list)) continue
        const targets = list
          .filter((it) => typeof it === 'string')
          .map((it) => (own(it).startsWith('/') ? own(it) : join(base, it)))
        paths.push({ pattern, targets })
      }
      // exact names first, then the longest text in front of `*`
      paths.sort((a, b) => rank(b.pattern) - rank(a.pattern))
    }
    return { path: raw.path, paths, baseUrl }
  }

  #settings(raw: Raw, chain: readonly string[]): Settings {
    if (chain.includes(raw.path)) {
      const names = [...chain.slice(chain.indexOf(raw.path)), raw.path].map((it) => this.#shown(it))
      this.#report(raw.path, lineOf(raw.text, '"extends"'), `The configuration extends itself: ${names.join(' → ')}.`)
      return {}
    }
    const settings: Settings = {}
    const { extends: bases, compilerOptions: options } = raw.value
    for (const base of Array.isArray(bases) ? bases : [bases]) {
      if (typeof base !== 'string') continue
      const path = this.#extended(raw, base)
      const target = path === '' ? null : this.#load(path)
      if (target !== null) Object.assign(settings, this.#settings(target, [...chain, raw.path]))
      else if (path === '')
        this.#report(
          raw.path,
          lineOf(raw.text, `"${base}"`),
          `The configuration extends "${base}", which is not there.`,
        )
    }
    if (!isRecord(options)) return settings
    const folder = dirname(raw.path)
    if (typeof options.baseUrl === 'string')
      settings.baseUrl = options.baseUrl.startsWith('$') ? options.baseUrl : join(folder, options.baseUrl)
    if (isRecord(options.paths)) settings.paths = { value: options.paths, folder }
    return settings
  }

  /** Absolute path of what `extends` names, '' when it is not there. */
  #extended({ path }: Raw, name: string): string {
    const folder = dirname(path)
    const candidates = (base: string) => [base, `${base}.json`, join(base, 'tsconfig.json')]
    if (/^\.{0,2}\//.test(name) || name === '.' || name === '..') {
      const base = name.startsWith('/') ? name : join(folder, name)
      return candidates(base).find((it) => this.#exists(it)) ?? ''
    }
    const parts = name.split('/')
    const owner = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/')
    const own = this.#sources.packageFolder(owner)
    if (own !== undefined) {
      const base = join(this.#sources.root, own, name.slice(owner.length))
      const found = candidates(base).find((it) => this.#exists(it))
      if (found !== undefined) return found
    }
    for (let at = folder; ; at = dirname(at)) {
      const found = candidates(join(at, 'node_modules', name)).find((it) => this.#exists(it))
      if (found !== undefined) return found
      if (dirname(at) === at) return ''
    }
  }

  #exists(path: string): boolean {
    return path.endsWith('.json') && (this.#sources.texts.has(this.#shown(path)) || existsSync(path))
  }

  #load(path: string): Raw | null {
    const known = this.#raw.get(path)
    if (known !== undefined) return known
    let text = this.#sources.texts.get(this.#shown(path))
    if (text === undefined && existsSync(path)) text = readFileSync(path, 'utf8')
    let raw: Raw | null = null
    if (text !== undefined) {
      const parsed = parseJsonc(text)
      if ('message' in parsed)
        this.#report(path, parsed.line, `The configuration is no valid JSON (${parsed.message}); it is not used.`)
      else if (isRecord(parsed.value)) raw = { path, text, value: parsed.value }
      else this.#report(path, 1, 'The configuration is no JSON object; it is not used.')
    }
    this.#raw.set(path, raw)
    return raw
  }

  /** The path from the root, the whole path for what lies outside. */
  #shown(path: string): string {
    return path.startsWith(`${this.#sources.root}/`) ? path.slice(this.#sources.root.length + 1) : path
  }

  #report(path: string, line: number, message: string): void {
    const key = `${path} ${message}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#sources.report(this.#shown(path), line, message)
  }
}

function rank(pattern: string): number {
  const star = pattern.indexOf('*')
  return star < 0 ? Number.MAX_SAFE_INTEGER : star
}

/** The line of the first occurrence of a text, 1 when there is none. */
export function lineOf(text: string, part: string): number {
  const at = text.indexOf(part)
  return at < 0 ? 1 : text.slice(0, at).split('\n').length
}

/** True when a configuration names a file as its own. */
function covers({ path, value }: Raw, file: string): boolean {
  const folder = dirname(path)
  const { files, include } = value
  if (!file.startsWith(`${folder}/`)) return false
  const relative = file.slice(folder.length + 1)
  if (Array.isArray(files) && files.some((it) => typeof it === 'string' && join(folder, it) === file)) return true
  if (Array.isArray(include)) return include.some((it) => typeof it === 'string' && globPattern(it).test(relative))
  return !Array.isArray(files)
}

/** `src`, `src/**` + `/*.ts` of `include` as a pattern for paths from the folder of the configuration. */
function globPattern(glob: string): RegExp {
  if (glob.split('*').length > MOST_STARS) return NOTHING
  const plain = glob.replace(/^\.\//, '').replace(/\/$/, '')
  const isFolder = !/[*?]/.test(plain) && !/\.\w+$/.test(plain)
  const source = (isFolder ? `${plain}/**` : plain)
    .replace(/[.+^$()|[\]{}\\]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (it) => (it.startsWith('**') ? '(?:.*)' : it === '*' ? '[^/]*' : '[^/]'))
  return new RegExp(`^${source.replace(/^\\\./, '(?:.*)')}$`)
}
