/**
 * What a compiler, or an index that one wrote, says about the names in files: which definition each of them means.
 * An upgrade speaks of one content of a file and holds only as long as the file has it.
 */

import type { Checker } from '#graph/checked'

/** How a name is used. `any` when the source does not tell. */
export const ROLES = ['call', 'type', 'heritage', 'import', 'module', 'value', 'any'] as const
export type Role = (typeof ROLES)[number]

export interface Target {
  /** Relative to the root, '' when it lies outside of the project. */
  path: string
  /** Line of the name, 1-based; 0 for a file itself. */
  line: number
  /** '' for a file itself. */
  name: string
}

/** One use of a name. Several targets are all meant, like the methods behind a union of types. */
export interface Site {
  line: number
  /** UTF-16 units from the start of the line. */
  column: number
  /** As written; of role `module` the specifier without quotes. */
  name: string
  role: Role
  targets: Target[]
}

export interface UpgradedFile {
  path: string
  /** Of the content that the sites are from, as git names it. */
  hash: string
  /** Where its sites are in `ints`. */
  start: number
  end: number
}

/**
 * Upgrades of many files as a few buffers. A site is its line, column, the number of its name in `texts`, its role
 * and the number of its targets; a target the numbers of path and name around its line.
 */
export interface UpgradeSet {
  source: Checker
  /** The index file, relative to the root or absolute; '' for a compiler. */
  origin: string
  /** What tells one state of the index file from another; '' for a compiler. */
  originHash: string
  /** Documents of the index file that did not match their files. */
  stale: number
  files: UpgradedFile[]
  /** Content hash by path of the files that have targets, as they were. */
  hashes: Map<string, string>
  texts: string[]
  ints: Int32Array<ArrayBuffer>
}

/** The sites of one file. */
export interface Upgrade {
  set: UpgradeSet
  file: UpgradedFile
}

export class UpgradeWriter {
  readonly #texts = new Map<string, number>()
  readonly #files: UpgradedFile[] = []
  #ints = new Int32Array(1024)
  #length = 0

  /** Takes the sites of one file; a file without any says that there are none. */
  add(path: string, hash: string, sites: readonly Site[]): void {
    const start = this.#length
    for (const { line, column, name, role, targets } of sites) {
      this.#push(line, column, this.#number(name), ROLES.indexOf(role), targets.length)
      for (const it of targets) this.#push(this.#number(it.path), it.line, this.#number(it.name))
    }
    this.#files.push({ path, hash, start, end: this.#length })
  }

  /** `hashOf` gives the content hash of a file of the project, '' for a file that is none. */
  finish(
    from: Pick<UpgradeSet, 'source' | 'origin' | 'originHash' | 'stale'>,
    hashOf: (path: string) => string,
  ): UpgradeSet {
    const hashes = new Map<string, string>()
    for (const path of this.#texts.keys()) {
      const hash = hashOf(path)
      if (hash !== '') hashes.set(path, hash)
    }
    const files = this.#files.sort((a, b) => (a.path < b.path ? -1 : 1))
    return { ...from, files, hashes, texts: [...this.#texts.keys()], ints: this.#ints.slice(0, this.#length) }
  }

  #number(text: string): number {
    const number = this.#texts.get(text) ?? this.#texts.size
    this.#texts.set(text, number)
    return number
  }

  #push(...values: number[]): void {
    if (this.#length + values.length > this.#ints.length) {
      const grown = new Int32Array(2 * this.#ints.length)
      grown.set(this.#ints)
      this.#ints = grown
    }
    this.#ints.set(values, this.#length)
    this.#length += values.length
  }
}

const textNumbers = new WeakMap<UpgradeSet, ReadonlyMap<string, number>>()

/** Whether a site has a target in one of the files. */
export function leadsTo({ set, file }: Upgrade, paths: readonly string[]): boolean {
  let numbers = textNumbers.get(set)
  if (numbers === undefined) {
    numbers = new Map(set.texts.map((it, i) => [it, i]))
    textNumbers.set(set, numbers)
  }
  const wanted = new Set(paths.flatMap((it) => numbers.get(it) ?? []))
  if (wanted.size === 0) return false
  const { ints } = set
  for (let at = file.start; at < file.end; ) {
    const end = at + 5 + 3 * ints[at + 4]
    for (let target = at + 5; target < end; target += 3) if (wanted.has(ints[target])) return true
    at = end
  }
  return false
}

/** In the order in which they were added. */
export function sitesOf({ set: { ints, texts }, file }: Upgrade): Site[] {
  const sites: Site[] = []
  for (let at = file.start; at < file.end; ) {
    const [line, column, name, role, count] = ints.subarray(at, at + 5)
    at += 5
    const targets: Target[] = []
    for (let i = 0; i < count; i++, at += 3)
      targets.push({ path: texts[ints[at]], line: ints[at + 1], name: texts[ints[at + 2]] })
    sites.push({ line, column, name: texts[name], role: ROLES[role], targets })
  }
  return sites
}

/**
 * The upgrade of each path whose content is still the one spoken of. The checker of the program itself wins over an
 * index file, and of several index files the first one that holds the file.
 */
export function upgradesInForce(sets: readonly UpgradeSet[], hashOf: (path: string) => string): Map<string, Upgrade> {
  const found = new Map<string, Upgrade>()
  for (const set of [...sets].sort((a, b) => rank(a) - rank(b))) {
    for (const file of set.files)
      if (!found.has(file.path) && hashOf(file.path) === file.hash) found.set(file.path, { set, file })
  }
  return found
}

function rank({ source }: UpgradeSet): number {
  return source === 'typescript' ? 0 : 1
}
