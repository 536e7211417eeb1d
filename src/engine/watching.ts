/**
 * Keeps an eye on the folders of what was read, so that the graph follows the disk. It says that something may have
 * changed; what has is found out by the ingest that follows.
 *
 * One handle for each folder that holds something of the graph, and no more than allowed: what is ignored, built or
 * installed is not watched. Where the system can watch a whole tree by one handle, it does.
 */

import { type FSWatcher, lstatSync, readFileSync, statSync, watch } from 'node:fs'
import { join, resolve, sep } from 'node:path'

export interface WatchedRoot {
  /** Absolute, real. */
  path: string
  /** Folders in it that hold what was read, absolute; the root among them. */
  folders: readonly string[]
  /** Folder in which git logs what becomes of its head, '' for none. */
  logs: string
}

export interface WatchingOptions {
  /** Most handles; 0 to watch nothing. */
  maxHandles: number
  /** Something may have changed in this root: looks, and reads it again if so. */
  update: (root: string) => Promise<Update>
  log: (line: string) => void
}

/** `vain`: files or folders are newer, and the graph is the same. */
export type Update = 'same' | 'vain' | 'changed'

export interface WatchStatus {
  state: 'off' | 'watching' | 'failed'
  handles: number
  /** Why it is off or failed, '' else. */
  message: string
}

/** A change is acted on when nothing has changed for so long, and a stream of them after so long at the latest. */
const QUIET_MS = 250
const LONGEST_WAIT_MS = 2000
/** A root whose changes came to nothing so far (a log that grows, a build) is looked at ever more seldom. */
const LONGEST_PAUSE_MS = 60_000
/** What editors write beside the file that they save. */
const PASSING = /~$|\.sw[a-z]$|\.tmp$|^\.#|^4913$|^\.DS_Store$|^#.*#$/
/** Folders of git are watched for one file only: it grows when a commit, a switch or a rebase is done. */
const LOGS = 'logs'
const HEAD = 'HEAD'
/** A linked work tree or a submodule has a file that says where its folder of git lies. */
const LINK = /^gitdir: (.+)$/m
const MOST_LINK_BYTES = 4096

interface Pending {
  since: number
  timer: NodeJS.Timeout
}

export class Watching {
  readonly #options: WatchingOptions
  /** By absolute path of the folder. */
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #pending = new Map<string, Pending>()
  readonly #pauses = new Map<string, number>()
  readonly #running = new Set<string>()
  #roots: readonly WatchedRoot[] = []
  #message = ''
  #lookedAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: WatchingOptions) {
    this.#options = options
  }

  get status(): WatchStatus {
    const handles = this.#watchers.size
    if (this.#message !== '') return { state: 'failed', handles, message: this.#message }
    return { state: handles > 0 ? 'watching' : 'off', handles, message: '' }
  }

  /** Watches these roots from now on, and nothing else. */
  follow(roots: readonly WatchedRoot[]): void {
    if (this.#closed || this.#options.maxHandles === 0) return
    this.#roots = roots
    const wanted = new Map<string, string>()
    for (const { path, folders, logs } of roots) {
      if (seesTrees) wanted.set(path, path)
      else for (const it of folders) wanted.set(it, path)
      if (logs !== '') wanted.set(logs, path)
    }
    this.#message = ''
    if (wanted.size > this.#options.maxHandles)
      return this.#fail(`${wanted.size} folders are more than watch_max_handles (${this.#options.maxHandles}) allows`)
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    const unseen = new Set<string>()
    for (const [folder, root] of wanted) {
      if (this.#watchers.has(folder)) continue
      this.#watch(folder, root)
      unseen.add(root)
    }
    // between the ingest and this moment nobody has looked at them
    for (const root of unseen) this.#note(root)
  }

  #watch(folder: string, root: string): void {
    // it was there when the files were read, and its own folder tells when it comes back
    if (this.#message !== '' || !isFolder(folder)) return
    const isLogs = this.#roots.some((it) => it.logs === folder)
    try {
      const recursive = seesTrees && !isLogs
      const watcher = watch(folder, { persistent: false, recursive }, (_, name) => {
        if (isLogs ? name === HEAD : !isPassing(name)) this.#note(root)
      })
      watcher.on('error', () => {
        // the folder is gone; the one around it has told so
        watcher.close()
        this.#watchers.delete(folder)
      })
      this.#watchers.set(folder, watcher)
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  #note(root: string): void {
    if (this.#closed) return
    const now = Date.now()
    const pause = this.#pauses.get(root) ?? 0
    const before = this.#pending.get(root)
    const since = before?.since ?? now
    clearTimeout(before?.timer)
    const wait = Math.max(pause, Math.min(QUIET_MS, Math.max(0, since + LONGEST_WAIT_MS - now)))
    this.#pending.set(root, { since, timer: setTimeout(() => void this.#update(root), wait).unref() })
  }

  async #update(root: string): Promise<void> {
    this.#pending.delete(root)
    // one that is under way may have read this file before it changed
    if (this.#running.has(root)) return this.#note(root)
    this.#running.add(root)
    try {
      const update = await this.#options.update(root)
      const pause = this.#pauses.get(root) ?? 0
      if (update === 'changed') this.#pauses.delete(root)
      if (update === 'vain') this.#pauses.set(root, Math.min(LONGEST_PAUSE_MS, Math.max(QUIET_MS, pause * 2)))
    } catch (error) {
      this.#options.log(`The files could not be read again: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      this.#running.delete(root)
    }
  }

  #fail(why: string): void {
    this.#message = why
    for (const it of this.#watchers.values()) it.close()
    this.#watchers.clear()
    this.#options.log(`Changes on disk are not followed by themselves: ${why}.`)
  }

  /** Looks at all roots now, as if something had changed there. */
  lookAtAll(): void {
    for (const { path } of this.#roots) this.#note(path)
  }

  /** A question is about to be answered. Without handles this is when the files are looked at, behind the answer. */
  look(): void {
    const now = performance.now()
    if (this.#message === '' || now - this.#lookedAt < LOOK_EVERY_MS) return
    this.#lookedAt = now
    this.lookAtAll()
  }

  close(): void {
    this.#closed = true
    for (const it of this.#pending.values()) clearTimeout(it.timer)
    this.#pending.clear()
    for (const it of this.#watchers.values()) it.close()
    this.#watchers.clear()
  }
}

/** Without a watcher the files are looked at so often at most, behind an answer. */
const LOOK_EVERY_MS = 10_000

const seesTrees = process.platform === 'darwin' || process.platform === 'win32'

/** Where git logs what becomes of the head of this repository, '' when it is none. */
export function logsOf(repository: string): string {
  const entry = join(repository, '.git')
  const found = lstatSync(entry, { throwIfNoEntry: false })
  let folder = entry
  if (found?.isFile() && found.size <= MOST_LINK_BYTES) {
    const named = LINK.exec(readFileSync(entry, 'utf8'))
    if (named !== null) folder = resolve(repository, named[1].trimEnd())
  }
  const logs = join(folder, LOGS)
  return isFolder(logs) ? logs : ''
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** A name that the system does not tell may be anything. */
function isPassing(name: string | null): boolean {
  if (name === null) return false
  const parts = name.split(/[\\/]/)
  return parts[0] === '.git' || PASSING.test(parts[parts.length - 1])
}

/** Paths looked at before others get their turn. */
const AT_ONCE = 400

/** Whether one of these files or folders was changed after a moment (epoch ms), or is gone. */
export async function anyChangedSince(paths: readonly string[], since: number): Promise<boolean> {
  for (let i = 0; i < paths.length; i++) {
    if (i % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve))
    const found = statSync(paths[i], { throwIfNoEntry: false })
    if (found === undefined || Math.floor(found.mtimeMs) > since) return true
  }
  return false
}

/** The folders of these files, up to the root; absolute paths all. */
export function foldersAround(root: string, files: readonly string[]): string[] {
  const folders = new Set([root])
  for (const path of files) {
    let end = path.lastIndexOf(sep)
    while (end > root.length && !folders.has(path.slice(0, end))) {
      folders.add(path.slice(0, end))
      end = path.lastIndexOf(sep, end - 1)
    }
  }
  return [...folders]
}
