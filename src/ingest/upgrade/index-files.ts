/** Index files that a compiler left in the project, or that the caller names. */

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isConfigFile } from '#ingest/manifests'
import type { FileEntry } from '#ingest/nodes'
import type { Problem } from '#ingest/report'
import { readSource, type TextLimits } from '#ingest/text'
import type { UpgradeSet } from '#ingest/upgrade'
import type { CurrentFile } from '#ingest/upgrade/scip'

export interface IndexFileOptions {
  /** Absolute real path. */
  root: string
  /** A file that the caller names, '' for none; relative to the root or absolute. */
  given: string
  /** Larger index files are named, not read. */
  maxBytes: number
  limits: TextLimits
  /** What was read before. */
  stored: readonly UpgradeSet[]
}

/** An index is looked for in the root and in the folders of this many packages. */
const MAX_FOLDERS = 1000
const MAX_FILES = 50

/** Sets of the index files that are there now, and what is wrong with the others. */
export async function readIndexFiles(
  entries: readonly FileEntry[],
  { root, given, maxBytes, limits, stored }: IndexFileOptions,
): Promise<{ sets: UpgradeSet[]; problems: Problem[] }> {
  const sets: UpgradeSet[] = []
  const problems: Problem[] = []
  const asked = given === '' ? [] : [resolve(root, given)]
  const before = stored.filter((it) => it.source === 'scip')
  // one that was named once is looked at again
  const remembered = before.map((it) => resolve(root, it.origin))
  const files = [...new Set([...asked, ...remembered, ...found(root, entries)])]
  const facts = new Map(entries.map((it) => [it.path, it.facts]))
  const read = (path: string): CurrentFile | undefined => {
    const source = readSource(join(root, path), path, limits)
    return source.kind === 'text' ? { text: source.text, hash: source.hash } : undefined
  }
  for (const file of files) {
    const inside = file.startsWith(`${root}/`)
    const origin = inside ? file.slice(root.length + 1) : file
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile()) {
      if (asked.includes(file)) problems.push({ path: origin, line: 0, message: 'There is no such index file.' })
      continue
    }
    if (stats.size > maxBytes) {
      const message = `The index is larger than scip_max_bytes (${stats.size} bytes); it was not read.`
      problems.push({ path: origin, line: 0, message })
      continue
    }
    const stamp = `${stats.size} ${stats.mtimeMs}`
    const known = before.find((it) => it.origin === origin && it.originHash === stamp && it.stale === 0)
    if (known !== undefined) {
      sets.push(known)
      continue
    }
    const { readScip } = await import('#ingest/upgrade/scip')
    const slash = origin.lastIndexOf('/')
    const folder = inside ? origin.slice(0, Math.max(0, slash)) : undefined
    const result = readScip(readFileSync(file), { origin, stamp, folder }, { root, facts, read })
    if (result.set !== null) sets.push(result.set)
    problems.push(...result.problems)
  }
  return { sets, problems }
}

/** `*.scip` beside the manifests of packages, spelled as on disk and inside of the root. */
function found(root: string, entries: readonly FileEntry[]): string[] {
  const folders = new Set([''])
  for (const { path } of entries) {
    if (folders.size < MAX_FOLDERS && isConfigFile(path)) folders.add(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  }
  const files: string[] = []
  for (const folder of folders) {
    for (const name of namesIn(join(root, folder))) {
      if (!name.endsWith('.scip') || files.length >= MAX_FILES) continue
      const file = join(root, folder, name)
      if (existsSync(file) && realpathSync.native(file).startsWith(`${root}/`)) files.push(realpathSync.native(file))
    }
  }
  return files
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    // a folder that went away holds no index
    return []
  }
}
