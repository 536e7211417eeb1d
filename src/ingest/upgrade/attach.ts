/** Gives each file the upgrade that speaks of its present content, and says which files have lost theirs. */

import { CHECKED_TAGS, PARTLY_CHECKED } from '#graph/checked'
import type { FileEntry } from '#ingest/nodes'
import { lastName } from '#ingest/resolve/told'
import { sitesOf, type Upgrade, type UpgradeSet, upgradesInForce } from '#ingest/upgrade'

const NAMED = 3

/** Changes the entries. Returns sentences for the reader of the report. */
export function attachUpgrades(entries: readonly FileEntry[], sets: readonly UpgradeSet[]): string[] {
  if (sets.length === 0) return []
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
    entry.facts.tags.push(CHECKED_TAGS[upgrade.set.source])
    if (!isWhole(entry, upgrade)) entry.facts.tags.push(PARTLY_CHECKED)
  }
  if (lost.length === 0) return []
  const more = lost.length > NAMED ? ` and ${lost.length - NAMED} more` : ''
  const subject = lost.length === 1 ? '1 file' : `${lost.length} files`
  return [
    `${subject} changed since a compiler looked at the project, so their edges are resolved without it: ${lost.slice(0, NAMED).join(', ')}${more}.`,
  ]
}

/** Whether something is said about every call in the file whose callee has a name. */
function isWhole({ facts }: FileEntry, upgrade: Upgrade): boolean {
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
