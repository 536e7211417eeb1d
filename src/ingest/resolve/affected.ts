/** Which files have to be resolved again after some of them changed. */

import type { Facts } from '#ingest/facts'
import type { SourceFile } from '#ingest/resolve/project'
import { changedNames, isMentioned, namedIn, namesReached } from '#ingest/resolve/visible'

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
 * changed, or one that is defined by such a name, and so on. `before` are the facts of the files that changed.
 * Returns null when everything has to be resolved again.
 */
export function affectedFiles(files: readonly SourceFile[], before: ReadonlyMap<number, Facts>): Affected | null {
  const names = new Set<string>()
  const own = new Map<number, ReadonlySet<string>>()
  for (const [file, facts] of before) {
    const changed = changedNames(facts, files[file].facts)
    if (changed === null) return null
    own.set(file, changed)
    for (const it of changed) names.add(it)
  }
  const affected = new Set(before.keys())
  if (names.size === 0) return { files: ascending(affected), sameInterfaces: true }

  let fresh: ReadonlySet<string> = new Set(names)
  while (fresh.size > 0) {
    if (names.size > MAX_NAMES) return null
    const isNamed = namedIn(fresh)
    const found = new Set<string>()
    for (let file = 0; file < files.length; file++) {
      const { facts } = files[file]
      if (!isMentioned(facts, isNamed)) continue
      affected.add(file)
      if (affected.size > MAX_SHARE * files.length + before.size) return null
      // what follows from its own names is among them already
      const known = own.get(file)
      const reached = namesReached(facts, known === undefined ? fresh : without(fresh, known))
      if (reached === null) return null
      for (const it of reached) if (!names.has(it)) found.add(it)
    }
    for (const it of found) names.add(it)
    fresh = found
  }
  return { files: ascending(affected), sameInterfaces: false }
}

function without(names: ReadonlySet<string>, known: ReadonlySet<string>): Set<string> {
  return new Set([...names].filter((it) => !known.has(it)))
}

function ascending(files: Iterable<number>): number[] {
  return [...files].sort((a, b) => a - b)
}
