/**
 * Where state is kept between runs: a few named values per project, read and replaced whole. `openStore` keeps
 * them as files; another place to keep them only has to offer the same methods.
 */

import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { copyFile, type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Settings } from '#engine/brain'
import { makeFolder } from '#engine/folders'
import { type Journal, noJournal, openJournal } from '#engine/journal'
import { leaseOwner, takeLease, type Lease } from '#engine/lease'
import { Refusal } from '#engine/refusal'

/** The values kept. `graph.json` is the exchange form, kept only where the user named a `.json` file. */
export const VALUES = ['graph', 'graph.json', 'learned', 'facts', 'records', 'last_session'] as const
export type ValueName = (typeof VALUES)[number]

export interface Store {
  /** What to show to a user: the folder, '' in memory. */
  readonly place: string
  /** `memory` with a place: the folder cannot be written, and what it holds is read only once. */
  readonly mode: 'file' | 'memory' | 'read_only'
  /** Process that owns the state when this one may only read it, else 0. */
  readonly owner: number
  /** What went wrong while reading, for the user. */
  readonly warnings: string[]
  /**
   * The last value saved, else the one before when `decode` throws on the last, else null. An unreadable value
   * is set aside and never overwritten.
   */
  read<T>(name: ValueName, decode: (bytes: Uint8Array) => T): T | null
  /** Replaces a value; either the old or the new one can be read at any moment, also after a crash. */
  write(name: ValueName, chunks: Iterable<Uint8Array>): Promise<void>
  keeps(name: ValueName): boolean
  /** What was answered for since the last save. Read at the first call. */
  journal(): Journal
  /** Whether this process still may write; from then on it may not when another one has taken the state over. */
  isOwner(): boolean
  /** Epoch ms of the last save, 0 when there is none. */
  savedAt(name: ValueName): number
  /** Leaves a note for the process after this one about what is answered for and not saved yet; '' takes it away. */
  leaveUnsaved(note: string): void
  unsaved(): string
  close(): void
}

/** The state of one project, in its own folder unless the settings name files. */
export function openStore(settings: Settings, project: string, now: () => number): Store {
  if (settings.ephemeral) return memoryStore()
  const folder = stateFolder(settings, project)
  if (folder === '') return memoryStore()
  const store = new FileStore(folder, settings, now)
  return store
}

/** Folder of a project's state: asked for, beside a named graph file, else by the project's real path. */
export function stateFolder(settings: Settings, project: string): string {
  if (settings.runtimeDir !== '') return settings.runtimeDir
  if (settings.graphSource !== '') return dirname(settings.graphSource)
  if (project === '') return ''
  const path = realpathSync.native(project)
  const fingerprint = createHash('sha256').update(path).digest('hex').slice(0, 12)
  const name = basename(path).replace(/[^\w.-]/g, '_') || 'root'
  return join(settings.home, 'projects', `${name}-${fingerprint}`)
}

function memoryStore(): Store {
  const journal = noJournal()
  return {
    place: '',
    mode: 'memory',
    owner: 0,
    warnings: [],
    read: () => null,
    write: async () => {},
    keeps: () => false,
    journal: () => journal,
    isOwner: () => false,
    savedAt: () => 0,
    leaveUnsaved: () => {},
    unsaved: () => '',
    close() {},
  }
}

const HOUR_MS = 3_600_000
/** Not forced to the disk: it is to survive the end of the process, not that of power. */
const UNSAVED = 'unsaved.json'
const JOURNAL = 'journal'
const LEASE = 'lease.json'

class FileStore implements Store {
  readonly place: string
  mode: 'file' | 'memory' | 'read_only' = 'read_only'
  owner = 0
  readonly warnings: string[] = []
  readonly #files: Map<ValueName, string>
  readonly #now: () => number
  #lease: Lease | null = null
  #journal: Journal | null = null
  readonly #isNew: boolean
  #temporaries = 0

  constructor(folder: string, settings: Settings, now: () => number) {
    this.place = folder
    this.#isNew = !existsSync(folder)
    this.#now = now
    this.#files = fileNames(folder, settings)
    try {
      this.#claim(settings.readOnly)
    } catch (error) {
      if (!isSystemError(error)) throw error
      this.mode = 'memory'
      this.warnings.push(`State cannot be kept in ${folder} (${error.message}); this process works in memory only.`)
    }
  }

  #claim(readOnly: boolean): void {
    if (readOnly) return
    for (const folder of [this.place, ...[...this.#files.values()].map((it) => dirname(it))]) makeFolder(folder)
    const { held, owner } = takeLease(join(this.place, LEASE), this.#now)
    this.#lease = held
    this.owner = owner
    if (held === null) return
    this.mode = 'file'
    this.#sweep()
  }

  keeps(name: ValueName): boolean {
    return this.mode === 'file' && this.#files.has(name)
  }

  read<T>(name: ValueName, decode: (bytes: Uint8Array) => T): T | null {
    const file = this.#files.get(name)
    if (file === undefined) return null
    for (const path of [file, `${file}.bak`]) {
      const bytes = this.#bytesOf(path)
      if (bytes === null) continue
      try {
        const value = decode(bytes)
        if (path !== file) this.warnings.push(`${basename(file)} could not be read; its predecessor is used.`)
        return value
      } catch (error) {
        this.#setAside(path, error)
      }
    }
    return null
  }

  /** Null when there is no such file; one out of reach is not damaged and stays where it is, whatever happens here. */
  #bytesOf(path: string): Uint8Array | null {
    try {
      return existsSync(path) ? readFileSync(path) : null
    } catch (error) {
      if (!isSystemError(error)) throw error
      if (this.mode === 'file') this.mode = 'memory'
      this.warnings.push(
        `${basename(path)} could not be read (${error.message}); nothing is saved, so that it stays as it is.`,
      )
      return null
    }
  }

  async write(name: ValueName, chunks: Iterable<Uint8Array>): Promise<void> {
    const file = this.#files.get(name)
    if (file === undefined || this.mode !== 'file') return
    for (const folder of [dirname(file), this.place]) makeFolder(folder)
    this.#checkLease()
    const temporary = `${file}.${process.pid}.${this.#temporaries++}.tmp`
    try {
      const handle = await open(temporary, 'wx', 0o600)
      try {
        for (const chunk of chunks) await writeAll(handle, chunk)
        await handle.sync()
      } finally {
        await handle.close()
      }
      if (existsSync(file)) await keepPredecessor(file)
      await rename(temporary, file)
    } catch (error) {
      if (existsSync(temporary)) unlinkSync(temporary)
      throw error
    }
    syncFolder(dirname(file))
  }

  journal(): Journal {
    if (this.#journal !== null) return this.#journal
    const writes = this.mode === 'file'
    try {
      const options = { writes, now: this.#now, check: () => this.#checkLease() }
      this.#journal = openJournal(join(this.place, JOURNAL), options)
    } catch (error) {
      if (!isSystemError(error)) throw error
      if (writes) this.mode = 'memory'
      this.warnings.push(
        `${JOURNAL} could not be read (${error.message}); nothing is saved, so that it stays as it is.`,
      )
      this.#journal = noJournal()
    }
    this.warnings.push(...this.#journal.warnings)
    return this.#journal
  }

  isOwner(): boolean {
    if (this.mode !== 'file') return false
    // a folder that somebody removed belongs to nobody else
    if (!existsSync(this.place) || this.#lease?.isHeld() === true) return true
    this.mode = 'read_only'
    this.owner = leaseOwner(join(this.place, LEASE), this.#now)
    return false
  }

  #checkLease(): void {
    if (this.isOwner()) return
    throw new Refusal(
      'read_only',
      'another process has taken this state over while this one was silent; nothing more is saved here',
      'Ask through that process, or end it.',
    )
  }

  savedAt(name: ValueName): number {
    const file = this.#files.get(name)
    return file !== undefined && existsSync(file) ? (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0
  }

  leaveUnsaved(note: string): void {
    if (this.mode !== 'file') return
    const file = join(this.place, UNSAVED)
    if (note === '') rmSync(file, { force: true })
    else writeFileSync(file, note, { mode: 0o600 })
  }

  unsaved(): string {
    const file = join(this.place, UNSAVED)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  close(): void {
    this.#journal?.close()
    this.#lease?.release()
    // a process that saved nothing leaves nothing
    if (this.#isNew && this.mode === 'file' && existsSync(this.place) && readdirSync(this.place).length === 0)
      rmdirSync(this.place)
  }

  #setAside(path: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (this.mode !== 'file') {
      this.warnings.push(`${basename(path)} could not be read (${reason}).`)
      return
    }
    const aside = `${path}.corrupt-${this.#now()}`
    try {
      renameSync(path, aside)
    } catch {
      this.mode = 'memory'
      this.warnings.push(
        `${basename(path)} could not be read (${reason}) nor set aside; nothing is saved, so that it stays as it is.`,
      )
      return
    }
    this.warnings.push(`${basename(path)} could not be read (${reason}); it is kept as ${basename(aside)}.`)
  }

  /** Files that a killed process left half written. */
  #sweep(): void {
    const folders = new Set([...this.#files.values()].map((it) => dirname(it)))
    const ours = new Set([...this.#files.values(), JOURNAL].map((it) => basename(it)))
    for (const folder of folders) {
      for (const name of readdirSync(folder)) {
        const base = name.replace(/\.\d+\.\d+\.tmp$/, '')
        if (base === name || !ours.has(base)) continue
        const path = join(folder, name)
        if (this.#now() - statSync(path).mtimeMs > HOUR_MS) unlinkSync(path)
      }
    }
  }
}

/** A full disk takes a part before it takes nothing. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function fileNames(folder: string, settings: Settings): Map<ValueName, string> {
  const { graphSource, plasticityState } = settings
  const files = new Map<ValueName, string>()
  if (graphSource.endsWith('.json')) {
    files.set('graph.json', graphSource)
    files.set('graph', join(folder, `${basename(graphSource, '.json')}.bin`))
  } else {
    files.set('graph', graphSource === '' ? join(folder, 'graph.bin') : graphSource)
  }
  files.set(
    'learned',
    plasticityState === '' || plasticityState === ':memory:' ? join(folder, 'plasticity_state.json') : plasticityState,
  )
  if (plasticityState === ':memory:') files.delete('learned')
  files.set('facts', join(folder, 'facts.bin'))
  files.set('last_session', join(folder, 'last_session.json'))
  files.set('records', join(folder, 'records.json'))
  return files
}

/** A hard link keeps the old file in place until the rename; where links are not possible it is copied. */
async function keepPredecessor(file: string): Promise<void> {
  const predecessor = `${file}.bak`
  if (existsSync(predecessor)) await unlink(predecessor)
  try {
    await link(file, predecessor)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT')
      await copyFile(file, predecessor, constants.COPYFILE_FICLONE)
    else throw error
  }
}

/** Makes a rename last through a power failure. Some systems cannot open a folder; there the rename alone must do. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
