/** Folders of the user and of our own. */

import { existsSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, isAbsolute, parse } from 'node:path'

/** Absolute also where the environment names none, as in a bare container; the folder need not be there. */
export function homeFolder(): string {
  const named = homedir()
  if (isAbsolute(named)) return named
  try {
    return userInfo().homedir
  } catch {
    // an account without an entry
    return tmpdir()
  }
}

/**
 * Where the process works. When that folder is gone (another branch may not have it), the process goes to the root of
 * the disk, which is no project: without a working folder no thread starts.
 */
export function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    process.chdir(parse(process.execPath).root)
    return process.cwd()
  }
}

/**
 * Makes a folder and those above it, for this user alone unless told otherwise; one that is there stays as it is. Throws
 * what the system says. `mkdirSync` with `recursive` tries for ever where the system denies that there could be such a folder, as
 * below `/proc`.
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (existsSync(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // another process was faster
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST' && existsSync(path))) throw error
  }
}
