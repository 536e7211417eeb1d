/** What the state of a project takes on disk. */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files directly in the folder of the state, the largest first; none when nothing is kept. */
export function storedFiles(folder: string): { name: string; bytes: number }[] {
  if (folder === '') return []
  const files = readdirSync(folder).flatMap((name) => {
    // what is replaced meanwhile is gone for a moment
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    return stat?.isFile() === true ? [{ name, bytes: stat.size }] : []
  })
  return files.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
}
