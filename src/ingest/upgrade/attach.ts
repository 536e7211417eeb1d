/** Gives each file the upgrade that speaks of its present content, and says which files have lost theirs. */

import { CHECKED_TAGS, PARTLY_CHECKED } from '#graph/checked'
import type { Facts } from '#ingest/facts'
import type { Mark } from '#ingest/manifest-roots'
import type { FileEntry } from '#ingest/nodes'
import { lastName } from '#ingest/resolve/told'
import { sitesOf, type Upgrade, type UpgradedFile, type UpgradeSet, upgradesInForce } from '#ingest/upgrade'

const NAMED = 3

export interface Attached {
  /** Tags by path. */
  marks: ReadonlyMap<string, readonly Mark[]>
  /** Sentences for the reader of the report. */
  lost: string[]
}

/** Gives the entries their upgrades. */
export function attachUpgrades(entries: readonly FileEntry[], sets: readonly UpgradeSet[]): Attached {
  const marks = new Map<string, Mark[]>()
  if (sets.length === 0) return { marks, lost: [] }
  const hashes = new Map(entries.map((it) => [it.path, it.hash ?? '']))
  const upgrades = upgradesInForce(sets, (path) => hashes.get(path) ?? '')
  const known = new Set(sets.flatMap((set) => set.files.map((it) => it.path)))
  const lost: string[] = []
  for (const entry of entries) {
    const upgrade = upgrades.get(entry.path)
    if (upgrade === undefined) {
      if (known.has(entry.path)) lost.push(entry.path)
      continue
    }
    entry.upgrade = upgrade
    const tags = [CHECKED_TAGS[upgrade.set.source], ...(isWhole(entry, upgrade) ? [] : [PARTLY_CHECKED])]
    marks.set(
      entry.path,
      tags.map((tag) => ({ definition: -1, tag })),
    )
  }
  if (lost.length === 0) return { marks, lost: [] }
  const more = lost.length > NAMED ? ` and ${lost.length - NAMED} more` : ''
  const subject = lost.length === 1 ? '1 file' : `${lost.length} files`
  const names = lost.slice(0, NAMED).join(', ')
  return {
    marks,
    lost: [
      `${subject} changed since a compiler looked at the project, so their edges are resolved without it: ${names}${more}.`,
    ],
  }
}

/** Upgrades of which it is known, and what it is known for. */
const judged = new WeakMap<UpgradedFile, { facts: Facts; isWhole: boolean }>()

/** Whether something is said about every call in the file whose callee has a name. */
function isWhole({ facts }: FileEntry, upgrade: Upgrade): boolean {
  const before = judged.get(upgrade.file)
  if (before?.facts === facts) return before.isWhole
  const isWhole = isAllSaid(facts, upgrade)
  judged.set(upgrade.file, { facts, isWhole })
  return isWhole
}

function isAllSaid(facts: Facts, upgrade: Upgrade): boolean {
  const known = new Set(sitesOf(upgrade).map((it) => `${it.line} ${it.name}`))
  return facts.references.every(({ relation, path, line }) => {
    const name = lastName(path)
    return relation !== 'calls' || name === '' || known.has(`${line} ${name}`)
  })
}

/** All sets; a newer set takes the place of one with the same origin. */
export function mergeSets(older: readonly UpgradeSet[], newer: readonly UpgradeSet[]): UpgradeSet[] {
  const originOf = ({ source, origin }: UpgradeSet) => `${source} ${origin}`
  const replaced = new Set(newer.map(originOf))
  return [...older.filter((it) => !replaced.has(originOf(it))), ...newer]
}
