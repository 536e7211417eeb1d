/** Which project a path belongs to. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
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
  return realpathSync.native(project)
}

/** Whether a folder was ingested before, as a project of its own. */
export function hasState(settings: Settings, folder: string): boolean {
  return existsSync(join(stateFolder({ ...settings, graphSource: '', runtimeDir: '' }, folder), 'graph.bin'))
}

/** What an ingest of `path` belongs to: its repository, else the folder itself. The path must exist. */
export function projectOf(path: string): string {
  const real = realpathSync.native(path)
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

/** By the rules of this system: separators, drives, upper and lower case. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/**
 * What a caller gave, with an absolute path that leads into one of these folders by a link, or by another spelling, as
 * the path that it really is. Anything else stays as it is. Values are JSON.
 */
export function withRealPaths(given: object, folders: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, it]) => [name, realValue(it, folders)]))
}

function realValue(value: unknown, folders: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((it) => realValue(it, folders))
  if (typeof value === 'object' && value !== null) return withRealPaths(value, folders)
  if (typeof value !== 'string' || value.length > LONGEST_PATH || !isAbsolute(value)) return value
  if (/[\0\n]/.test(value) || folders.some((it) => isInside(value, it))) return value
  const real = realAbove(value)
  return folders.some((it) => isInside(real, it)) ? real : value
}

const LONGEST_PATH = 4096

/** The real path as far as there is one, and the rest as it was written. */
function realAbove(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(at)) return join(realpathSync.native(at), path.slice(at.length))
    if (at === dirname(at)) return path
  }
}

/** Home and root hold everything; a repository in them is somebody's settings, not a project. */
export function isTooWide(folder: string): boolean {
  return folder === parse(folder).root || folder === homeFolder() || folder === realHome()
}

function realHome(): string {
  return existsSync(homeFolder()) ? realpathSync.native(homeFolder()) : ''
}

function foldersUp(path: string): string[] {
  if (!existsSync(path)) return []
  const folders: string[] = []
  for (let folder = realpathSync.native(path); ; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === dirname(folder)) return folders
  }
}
