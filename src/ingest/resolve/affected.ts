/** Which files have to be resolved again after some of them changed. */

import type { Facts } from '#ingest/facts'
import { isClass } from '#ingest/resolve/program'
import type { SourceFile } from '#ingest/resolve/project'
import { DECLARED } from '#ingest/resolve/guess'
import type { Meanings, Source } from '#ingest/resolve/meanings'
import {
  changedNames,
  type FileChange,
  isMentioned,
  keyOf,
  namedIn,
  reachNames,
  spreadChange,
} from '#ingest/resolve/visible'

/** More names than this lead everywhere. */
const MAX_NAMES = 100
/** From this share of the files on, resolving all of them is as fast. */
const MAX_SHARE = 0.6

export interface Affected {
  /** Ascending, those that changed among them. */
  files: number[]
  /** Nothing that one file can see of another has changed. */
  sameInterfaces: boolean
}

/**
 * A file has another outcome only if a name on the way from its text means something else: it mentions a name that
 * changed, or one that is defined by such a name, and so on. `before` are the facts of the files that changed;
 * `meanings` tell whether what is defined by a changed name is really something else.
 * Returns null when everything has to be resolved again.
 */
export function affectedFiles(
  files: readonly SourceFile[],
  before: ReadonlyMap<number, Facts>,
  meanings: Meanings,
): Affected | null {
  const changes = new Map<number, FileChange>()
  for (const [file, facts] of before) {
    const change = changedNames(facts, files[file].facts)
    if (change === null) return null
    changes.set(file, change)
    meanings.changed.set(file, change.names)
  }
  let fresh = new Origins()
  for (const [file, change] of changes) {
    const both = { before: before.get(file) ?? files[file].facts, after: files[file].facts }
    if (!spreadChange(change, both, (old, now) => meanings.differs(file, old, now))) return null
    for (const it of change.names) fresh.add(it, file)
  }
  const affected = new Set(before.keys())
  if (fresh.size === 0) return { files: ascending(affected), sameInterfaces: true }

  const all = new Set<string>()
  while (fresh.size > 0) {
    for (const it of fresh.keys()) all.add(it)
    if (all.size > MAX_NAMES) return null
    const isNamed = namedIn(new Set([...fresh.keys(), ...methodsOf(files, fresh)]))
    const found = new Origins()
    for (let file = 0; file < files.length; file++) {
      const { facts } = files[file]
      if (!isMentioned(facts, isNamed)) continue
      affected.add(file)
      if (affected.size > MAX_SHARE * files.length + before.size || meanings.isSpent) return null
      const names = meanings.changed.get(file) ?? new Set()
      meanings.changed.set(file, names)
      const known = new Set(names)
      const partners = changes.get(file)?.partners
      const differs = (now: Source) => {
        const old = partners === undefined ? now : partners.get(keyOf(now))
        return old === undefined || meanings.differs(file, old, now)
      }
      // what follows from its own names is among them already
      if (!reachNames(facts, fresh.beside(file), names, differs)) return null
      for (const it of names) if (!known.has(it)) found.add(it, file)
    }
    fresh = found
  }
  return { files: ascending(affected), sameInterfaces: false }
}

/** Methods of classes of these names, where a file may guess at a method by whether it sees the class. */
function methodsOf(files: readonly SourceFile[], names: { has(name: string): boolean }): Set<string> {
  const methods = new Set<string>()
  for (const { facts } of files) {
    if (!DECLARED.has(facts.language) && facts.language !== 'groovy' && !facts.tags.includes('test')) continue
    const { definitions } = facts
    const isInside = new Uint8Array(definitions.length)
    definitions.forEach((it, d) => {
      const owner = it.owner === undefined ? '' : it.owner.replace(/[<[(].*$/s, '').replace(/^.*\W/s, '')
      if ((isClass(it) && names.has(it.name)) || names.has(owner) || isInside[it.parent] === 1) isInside[d] = 1
      if (isInside[d] === 1 && it.kind === 'fn') methods.add(it.name)
    })
  }
  return methods
}

/** Names and the file in which each means something else, -1 for several. */
class Origins extends Map<string, number> {
  add(name: string, file: number): void {
    this.set(name, this.has(name) && this.get(name) !== file ? -1 : file)
  }

  /** Those of other files. */
  beside(file: number): Set<string> {
    return new Set([...this].filter(([, origin]) => origin !== file).map(([name]) => name))
  }
}

function ascending(files: Iterable<number>): number[] {
  return [...files].sort((a, b) => a - b)
}
