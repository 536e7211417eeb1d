/** Which project a path belongs to. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, parse } from 'node:path'

/** The nearest folder at or above `path` that is a repository; '' when there is none below home and root. */
export function gitTopLevel(path: string): string {
  for (const folder of foldersUp(path)) if (existsSync(`${folder}/.git`)) return isTooWide(folder) ? '' : folder
  return ''
}

/** The nearest folder at or above `path` for which `knows` says yes, else ''. */
export function nearestFolder(path: string, knows: (folder: string) => boolean): string {
  return foldersUp(path).find((it) => !isTooWide(it) && knows(it)) ?? ''
}

/** What an ingest of `path` belongs to: its repository, else the folder itself. The path must exist. */
export function projectOf(path: string): string {
  const real = realpathSync(path)
  const folder = statSync(real).isDirectory() ? real : dirname(real)
  return gitTopLevel(folder) || folder
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Home and root hold everything; a repository in them is somebody's settings, not a project. */
function isTooWide(folder: string): boolean {
  return folder === parse(folder).root || folder === homedir() || folder === realHome()
}

function realHome(): string {
  return existsSync(homedir()) ? realpathSync(homedir()) : ''
}

function foldersUp(path: string): string[] {
  if (!existsSync(path)) return []
  const folders: string[] = []
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === dirname(folder)) return folders
  }
}
