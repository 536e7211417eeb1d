/** Which project a path belongs to. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, parse, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '#engine/brain'
import { homeFolder } from '#engine/folders'
import { SettingsError } from '#engine/settings'
import { stateFolder } from '#engine/store'

/** The nearest folder at or above `path` that is a repository; '' when there is none below home and root. */
export function gitTopLevel(path: string): string {
  for (const folder of foldersUp(path)) if (existsSync(`${folder}/.git`)) return isTooWide(folder) ? '' : folder
  return ''
}

/** The nearest folder at or above `path` for which `knows` says yes, else ''. */
export function nearestFolder(path: string, knows: (folder: string) => boolean): string {
  return foldersUp(path).find((it) => !isTooWide(it) && knows(it)) ?? ''
}

/** Asked for, else the repository around the working folder, else a folder above it that was ingested before. */
export function startProject(settings: Settings, cwd: string): string {
  const { project } = settings
  if (project === '') return gitTopLevel(cwd) || nearestFolder(cwd, (it) => hasState(settings, it))
  if (!existsSync(project) || !statSync(project).isDirectory())
    throw new SettingsError(`project: ${project} is not a folder.`)
  return realpathSync(project)
}

/** Whether a folder was ingested before, as a project of its own. */
export function hasState(settings: Settings, folder: string): boolean {
  return existsSync(join(stateFolder({ ...settings, graphSource: '', runtimeDir: '' }, folder), 'graph.bin'))
}

/** What an ingest of `path` belongs to: its repository, else the folder itself. The path must exist. */
export function projectOf(path: string): string {
  const real = realpathSync(path)
  const folder = statSync(real).isDirectory() ? real : dirname(real)
  return gitTopLevel(folder) || folder
}

/** A path as people and clients write it: relative to `base`, below the home folder with `~`, or as a `file:` address. */
export function localPath(given: string, base: string): string {
  if (given.startsWith('file://') && URL.canParse(given)) {
    const { hostname } = new URL(given)
    if (hostname === '' || hostname === 'localhost') return fileURLToPath(given)
  }
  return resolve(base, given === '~' || given.startsWith('~/') ? join(homeFolder(), given.slice(1)) : given)
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Home and root hold everything; a repository in them is somebody's settings, not a project. */
function isTooWide(folder: string): boolean {
  return folder === parse(folder).root || folder === homeFolder() || folder === realHome()
}

function realHome(): string {
  return existsSync(homeFolder()) ? realpathSync(homeFolder()) : ''
}

function foldersUp(path: string): string[] {
  if (!existsSync(path)) return []
  const folders: string[] = []
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === dirname(folder)) return folders
  }
}
