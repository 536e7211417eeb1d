/** Gives each file the upgrade that speaks of its present content, and says which files have lost theirs. */

import type { FileEntry } from '#ingest/nodes'
import { PARTLY_CHECKED, UPGRADE_TAGS, type UpgradeSet, upgradesInForce } from '#ingest/upgrade'

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
    entry.facts.tags.push(UPGRADE_TAGS[upgrade.set.source])
    if (!upgrade.file.whole) entry.facts.tags.push(PARTLY_CHECKED)
  }
  if (lost.length === 0) return []
  const more = lost.length > NAMED ? ` and ${lost.length - NAMED} more` : ''
  const subject = lost.length === 1 ? '1 file' : `${lost.length} files`
  return [
    `${subject} changed since a compiler looked at the project, so their edges are resolved without it: ${lost.slice(0, NAMED).join(', ')}${more}.`,
  ]
}

/** Sets with which something can still be done. A newer set takes the place of one with the same origin. */
export function mergeSets(older: readonly UpgradeSet[], newer: readonly UpgradeSet[]): UpgradeSet[] {
  const originOf = ({ source, origin }: UpgradeSet) => `${source} ${origin}`
  const replaced = new Set(newer.map(originOf))
  return [...older.filter((it) => !replaced.has(originOf(it))), ...newer]
}
