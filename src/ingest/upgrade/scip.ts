/** An index file in the SCIP format → what it says about the files that are still as they were when it was written. */

import { fileURLToPath } from 'node:url'
import type { Facts } from '#ingest/facts'
import type { Problem } from '#ingest/report'
import { type Site, type Target, type UpgradeSet, UpgradeWriter } from '#ingest/upgrade'
import {
  DEFINITION_ROLE,
  IMPORT_ROLE,
  readIndex,
  type ScipDocument,
  type ScipOccurrence,
  UTF32,
  UTF8,
} from '#ingest/upgrade/scip-format'
import { isLocal, packageOf, symbolName } from '#ingest/upgrade/scip-symbol'

/** A file of the project as it is now. */
export interface CurrentFile {
  text: string
  hash: string
}

export interface ScipProject {
  /** Absolute. */
  root: string
  /** Facts of every file of the project by path. */
  facts: ReadonlyMap<string, Facts>
  /** Undefined when there is no text to read. */
  read: (path: string) => CurrentFile | undefined
}

interface IndexFile {
  /** How it is called in messages and told from others. */
  origin: string
  stamp: string
  /** Folder that holds it, relative to the root; undefined when it lies outside. */
  folder: string | undefined
}

const NAMED = 3
const OUTSIDE: Target = { path: '', line: 0, name: '' }
/** Words that stand for a symbol of another name. */
const SELF = new Set(['self', 'cls', 'this', 'Self', 'super', 'new', 'constructor', 'init', 'default'])
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/** A set that says nothing comes with the problem that explains it. */
export function readScip(
  bytes: Uint8Array,
  { origin, stamp, folder }: IndexFile,
  project: ScipProject,
): { set: UpgradeSet | null; problems: Problem[] } {
  const problem = (message: string) => ({ set: null, problems: [{ path: origin, line: 0, message }] })
  let reading: Reading
  try {
    const { base, defined } = survey(bytes, folder, project)
    if (base === undefined)
      return problem('None of the documents of the index is a file of this project; it was left out.')
    reading = new Reading(bytes, base, defined, project)
    reading.all()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return problem(`The file is no SCIP index that can be read (${reason}).`)
  }
  const { writer, stale, taken, hashes } = reading
  const problems: Problem[] = []
  if (stale.length > 0) {
    const named = stale.slice(0, NAMED).map((it) => `${it.path} (${it.wrong} of ${it.total} names)`)
    const more = stale.length > NAMED ? ` and ${stale.length - NAMED} more` : ''
    const from = taken === 0 ? 'It seems to be of another commit. ' : ''
    problems.push({
      path: origin,
      line: 0,
      message: `${from}${stale.length} of ${stale.length + taken} documents do not match their files any more and were left out: ${named.join(', ')}${more}.`,
    })
  }
  const from = { source: 'scip' as const, origin, originHash: stamp, stale: stale.length }
  return { set: writer.finish(from, (path) => hashes.get(path) ?? ''), problems }
}

interface Survey {
  /** The folder that paths of documents are relative to: the one under which most of them are found, if any. */
  base: string | undefined
  /** Symbols that the index defines. */
  defined: Set<string>
}

function survey(bytes: Uint8Array, folder: string | undefined, { root, facts }: ScipProject): Survey {
  const candidates = [folder ?? '', '']
  const counts = new Map<string, number>()
  const defined = new Set<string>()
  for (const it of readIndex(bytes)) {
    if ('projectRoot' in it) {
      const named = folderOf(it.projectRoot, root)
      if (named !== undefined) candidates.unshift(named)
      continue
    }
    for (const base of new Set(candidates))
      if (facts.has(within(base, it.path))) counts.set(base, (counts.get(base) ?? 0) + 1)
    for (const { symbol, roles } of it.occurrences)
      if ((roles & DEFINITION_ROLE) !== 0 && !isLocal(symbol)) defined.add(symbol)
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || candidates.indexOf(a[0]) - candidates.indexOf(b[0]))
  return { base: best?.[0], defined }
}

/** The path below the root that an address leads to, when it does. */
function folderOf(address: string, root: string): string | undefined {
  let path: string
  try {
    path = fileURLToPath(address)
  } catch {
    // an address of another kind says nothing about this machine
    return undefined
  }
  const clean = path.replace(/\/+$/, '')
  if (clean === root) return ''
  return clean.startsWith(`${root}/`) ? clean.slice(root.length + 1) : undefined
}

function within(folder: string, path: string): string {
  const plain = path.replace(/^\.\//, '')
  return folder === '' ? plain : `${folder}/${plain}`
}

class Reading {
  readonly writer = new UpgradeWriter()
  readonly stale: { path: string; wrong: number; total: number }[] = []
  readonly hashes = new Map<string, string>()
  taken = 0
  readonly #bytes: Uint8Array
  readonly #base: string
  readonly #project: ScipProject
  readonly #defined: ReadonlySet<string>
  /** Packages of which the index defines something. */
  readonly #packages = new Set<string>()
  /** Where each symbol is defined. */
  readonly #definitions = new Map<string, Target[]>()

  constructor(bytes: Uint8Array, base: string, defined: ReadonlySet<string>, project: ScipProject) {
    this.#bytes = bytes
    this.#base = base
    this.#defined = defined
    for (const it of defined) this.#packages.add(packageOf(it))
    this.#project = project
  }

  all(): void {
    for (const document of this.#documents()) this.#define(document)
    for (const document of this.#documents()) this.#use(document)
  }

  *#documents(): Generator<ScipDocument & { at: string }> {
    const seen = new Set<string>()
    for (const it of readIndex(this.#bytes)) {
      if ('projectRoot' in it) continue
      const at = within(this.#base, it.path)
      // of two documents of one file the first counts
      if (!this.#project.facts.has(at) || seen.has(at)) continue
      seen.add(at)
      yield { ...it, at }
    }
  }

  #define(document: ScipDocument & { at: string }): void {
    const current = this.#project.read(document.at)
    if (current === undefined) return
    const text = new Text(current.text, document.encoding)
    const { wrong, total } = this.#compare(document, text, current)
    if (wrong > 0) this.stale.push({ path: document.at, wrong, total })
    else {
      this.hashes.set(document.at, current.hash)
      this.taken++
    }
    for (const { symbol, roles, range } of document.occurrences) {
      if ((roles & DEFINITION_ROLE) === 0 || isLocal(symbol)) continue
      const { kind } = symbolName(symbol)
      const name = kind === 'other' ? '' : text.at(range)
      const target =
        name === '' ? { path: document.at, line: 0, name: '' } : { path: document.at, line: range[0] + 1, name }
      const list = this.#definitions.get(symbol)
      if (list) list.push(target)
      else this.#definitions.set(symbol, [target])
    }
  }

  /** How many names of a document are not where it says. */
  #compare(
    document: ScipDocument & { at: string },
    text: Text,
    current: CurrentFile,
  ): { wrong: number; total: number } {
    const { occurrences } = document
    const total = occurrences.length
    if (document.text !== '') return { wrong: document.text === current.text ? 0 : total, total }
    const aliases = new Set(this.#project.facts.get(document.at)?.imports.map((it) => it.alias))
    const locals = localNames(document, text)
    let wrong = 0
    for (const { symbol, roles, range } of occurrences) {
      if (range[0] === range[2] && range[1] === range[3]) continue
      const written = text.at(range)
      if (!text.isWord(range)) wrong++
      else if (isLocal(symbol)) {
        if (!alike(written, locals.get(symbol)?.name ?? written)) wrong++
        // what is defined elsewhere may be called by any name
      } else if (this.#defined.has(symbol) && !fits(symbol, written, (roles & DEFINITION_ROLE) === 0, aliases)) wrong++
    }
    return { wrong, total }
  }

  /** Undefined for what the index should have defined and did not. */
  #targetsOf(symbol: string): Target[] | undefined {
    const known = this.#definitions.get(symbol)
    if (known !== undefined) return known
    return this.#packages.has(packageOf(symbol)) ? undefined : [OUTSIDE]
  }

  #use(document: ScipDocument & { at: string }): void {
    const hash = this.hashes.get(document.at)
    // reading again is cheaper than keeping the texts of a large project
    const current = hash === undefined ? undefined : this.#project.read(document.at)
    if (current === undefined || current.hash !== hash) return
    const text = new Text(current.text, document.encoding)
    const locals = localNames(document, text)
    const sites: Site[] = []
    for (const { symbol, roles, range } of document.occurrences) {
      const name = text.at(range)
      const at = { line: range[0] + 1, column: text.column(range[0], range[1]), name }
      if ((roles & DEFINITION_ROLE) !== 0) {
        for (const base of document.bases.get(symbol) ?? []) {
          const targets = symbolName(symbol).kind === 'type' ? (this.#definitions.get(base) ?? []) : []
          if (targets.length > 0) sites.push({ ...at, role: 'heritage', targets })
        }
        continue
      }
      if (!NAME.test(name) || SELF.has(name)) continue
      const targets = isLocal(symbol) ? listed(locals.get(symbol)) : this.#targetsOf(symbol)
      if (targets === undefined) continue
      const role = (roles & IMPORT_ROLE) !== 0 ? 'import' : text.isCalled(range) ? 'call' : 'any'
      sites.push({ ...at, role, targets })
    }
    this.writer.add(document.at, hash, sites)
  }
}

function listed(target: Target | undefined): Target[] | undefined {
  return target === undefined ? undefined : [target]
}

/** Names that are seen in one document only, as far as it defines them. */
function localNames({ occurrences, at }: ScipDocument & { at: string }, text: Text): Map<string, Target> {
  const names = new Map<string, Target>()
  for (const { symbol, roles, range } of occurrences)
    if (isLocal(symbol) && (roles & DEFINITION_ROLE) !== 0)
      names.set(symbol, { path: at, line: range[0] + 1, name: text.at(range) })
  return names
}

/** Whether a written word may stand for the symbol: its name, a name that an import gave it, or part of it. */
function fits(symbol: string, written: string, isUse: boolean, aliases: ReadonlySet<string>): boolean {
  const { name, kind } = symbolName(symbol)
  if (kind === 'other' || name.startsWith('__') || written.startsWith('__') || (isUse && aliases.has(written)))
    return true
  if (alike(name, written)) return true
  // accessors and the like: `getName` for `name`
  const [short, long] = [name.toLowerCase(), written.toLowerCase()].sort((a, b) => a.length - b.length)
  return short.length > 2 && long.includes(short)
}

/** False only for two different words of which neither is a keyword. */
function alike(name: string, written: string): boolean {
  return name === written || !NAME.test(name) || !NAME.test(written) || SELF.has(written)
}

/** A text by lines, with the columns of one encoding. */
class Text {
  readonly #lines: string[]
  readonly #encoding: number

  constructor(text: string, encoding: number) {
    this.#lines = text.split(/\r\n|\n|\r/)
    this.#encoding = encoding
  }

  /** UTF-16 units for a column of the document's own encoding; past the end of the line when it has no such place. */
  column(line: number, given: number): number {
    const text = this.#lines[line] ?? ''
    if (this.#encoding !== UTF8 && this.#encoding !== UTF32) return given
    let units = 0
    let counted = 0
    for (const character of text) {
      if (counted >= given) break
      counted += this.#encoding === UTF32 ? 1 : Buffer.byteLength(character)
      units += character.length
    }
    return counted < given ? text.length + 1 : units
  }

  /** What a range of one line holds; '' for any other. */
  at([line, from, endLine, to]: ScipOccurrence['range']): string {
    return line === endLine ? (this.#lines[line] ?? '').slice(this.column(line, from), this.column(line, to)) : ''
  }

  /** True when the range holds text that no letter continues on either side. */
  isWord(range: ScipOccurrence['range']): boolean {
    const [line, from, endLine, to] = range
    if (line !== endLine) return endLine < this.#lines.length
    const text = this.#lines[line]
    const end = this.column(line, to)
    if (text === undefined || end > text.length) return false
    const written = this.at(range)
    if (!/^[\p{L}\p{N}_$]/u.test(written)) return written !== ''
    const before = text.slice(0, this.column(line, from))
    return (
      !/[\p{L}\p{N}_$]$/u.test(before) &&
      !(/[\p{L}\p{N}_$]$/u.test(written) && /^[\p{L}\p{N}_$]/u.test(text.slice(end)))
    )
  }

  isCalled([, , line, to]: ScipOccurrence['range']): boolean {
    return /^\s*\(/.test((this.#lines[line] ?? '').slice(this.column(line, to)))
  }
}
