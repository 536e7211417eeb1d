/** Files as a compiler may see them: those below one folder, by their real path, and those of the compiler itself. */

import { readdirSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { decode } from '#ingest/text'

/** Larger files are not declarations that anybody wrote. */
const MAX_BYTES = 16 * 1024 * 1024

export class ContainedFiles {
  readonly #folders: readonly string[]
  /** Real path of each folder looked at, '' when it is not there or lies outside. */
  readonly #real = new Map<string, string>()

  /** `folders` are absolute real paths. */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** The bytes of a regular file, undefined when there is none to be seen. */
  read(path: string): Buffer | undefined {
    const stats = this.#stats(path)
    if (stats === undefined || !stats.isFile() || stats.size > MAX_BYTES) return undefined
    return readFileSync(path)
  }

  text(path: string): string | undefined {
    const bytes = this.read(path)
    return bytes === undefined ? undefined : decode(bytes)?.text
  }

  isFile(path: string): boolean {
    return this.#stats(path)?.isFile() === true
  }

  isFolder(path: string): boolean {
    return this.#stats(path)?.isDirectory() === true
  }

  foldersIn(path: string): string[] {
    if (!this.isFolder(path)) return []
    return readdirSync(path, { withFileTypes: true }).flatMap((it) => (it.isDirectory() ? [it.name] : []))
  }

  realpath(path: string): string {
    return this.#stats(path) === undefined ? path : realpathSync.native(path)
  }

  /** Of what lies inside by its real path, links followed. */
  #stats(path: string): Stats | undefined {
    if (this.#realFolder(dirname(path)) === '' && !this.#folders.includes(path)) return undefined
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    const real = realpathSync.native(path)
    return this.#folders.some((it) => real === it || real.startsWith(`${it}/`)) ? stats : undefined
  }

  #realFolder(path: string): string {
    const known = this.#real.get(path)
    if (known !== undefined) return known
    const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    const real = isThere ? realpathSync.native(path) : ''
    const inside = this.#folders.some((it) => real === it || real.startsWith(`${it}/`)) ? real : ''
    this.#real.set(path, inside)
    return inside
  }
}
