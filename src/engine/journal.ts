/**
 * Changes that were answered for, one line each, until they are part of a saved value. A line is in the hands of the
 * system before its call is answered, so it outlives this process whatever ends it; the disk is told within a second.
 */

import {
  closeSync,
  copyFileSync,
  existsSync,
  fdatasync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeFolder } from '#engine/folders'

export interface Journal {
  /** What is in it, in the order it was written, each with its number. */
  readonly entries: readonly Entry[]
  /** What could not be read, for the user. */
  readonly warnings: readonly string[]
  /** Number of the last entry. */
  readonly last: number
  /** Bytes written since it was last cut. */
  readonly bytes: number
  /** Adds a line and gives its number. Throws when it could not be written. */
  append(text: string): number
  /** Numbers what comes after those of the last save. */
  continueFrom(number: number): void
  /** Forgets the entries up to a number: they are part of what was saved. */
  cut(upTo: number): void
  close(): void
}

export interface Entry {
  number: number
  text: string
}

/** What may be lost to a failure of power. */
const SYNC_AFTER_MS = 500

export interface JournalOptions {
  /** Without it the file is read and never touched. */
  writes: boolean
  now: () => number
  /** Throws when this process may not write any more. */
  check: () => void
}

/** The journal in a file. */
export function openJournal(file: string, options: JournalOptions): Journal {
  return new FileJournal(file, options)
}

/** A journal of a process that keeps nothing. */
export function noJournal(): Journal {
  let last = 0
  return {
    entries: [],
    warnings: [],
    bytes: 0,
    get last() {
      return last
    },
    append: () => ++last,
    continueFrom(number) {
      last = Math.max(last, number)
    },
    cut() {},
    close() {},
  }
}

class FileJournal implements Journal {
  entries: Entry[] = []
  readonly warnings: string[] = []
  last = 0
  bytes = 0
  readonly #file: string
  readonly #options: JournalOptions
  #handle: number | null = null
  #syncing: NodeJS.Timeout | undefined
  /** The file ends within a line. */
  #torn = false

  constructor(file: string, options: JournalOptions) {
    this.#file = file
    this.#options = options
    if (existsSync(file)) this.#read()
  }

  #read(): void {
    const { writes, now } = this.#options
    const text = readFileSync(this.#file, 'utf8')
    const lines = text.split('\n')
    // half a line at the end was never answered for
    const tail = Buffer.byteLength(lines.pop() ?? '')
    this.bytes = Buffer.byteLength(text) - tail
    if (tail > 0 && writes) truncateSync(this.#file, this.bytes)
    let damaged = 0
    for (const line of lines) {
      const entry = parse(line)
      if (entry !== null && entry.number > this.last) {
        this.entries.push(entry)
        this.last = entry.number
      } else if (line !== '') damaged++
    }
    if (damaged === 0) return
    const aside = `${this.#file}.corrupt-${now()}`
    if (writes) copyFileSync(this.#file, aside)
    const kept = writes ? `; the file is kept as ${basename(aside)}` : ''
    this.warnings.push(`${damaged} of ${lines.length} lines of ${basename(this.#file)} could not be read${kept}.`)
  }

  append(text: string): number {
    const number = this.last + 1
    const line = render({ number, text })
    if (this.#options.writes) {
      this.#options.check()
      if (this.#handle === null) {
        makeFolder(dirname(this.#file))
        this.#handle = openSync(this.#file, 'a', 0o600)
      }
      const bytes = Buffer.from(this.#torn ? `\n${line}` : line)
      this.#torn = true
      let done = 0
      while (done < bytes.length) done += writeSync(this.#handle, bytes, done)
      this.#torn = false
      this.bytes += bytes.length
      this.#syncing ??= setTimeout(() => this.#sync(), SYNC_AFTER_MS).unref()
    }
    this.last = number
    this.entries.push({ number, text })
    return number
  }

  continueFrom(number: number): void {
    this.last = Math.max(this.last, number)
  }

  cut(upTo: number): void {
    this.entries = this.entries.filter((it) => it.number > upTo)
    if (!this.#options.writes || this.bytes === 0) return
    this.#options.check()
    this.#end()
    this.#torn = false
    if (this.entries.length === 0) {
      rmSync(this.#file, { force: true })
      this.bytes = 0
      return
    }
    const temporary = `${this.#file}.${process.pid}.0.tmp`
    writeFileSync(temporary, this.entries.map(render).join(''), { mode: 0o600 })
    const handle = openSync(temporary, 'r+')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, this.#file)
    this.bytes = this.entries.reduce((sum, it) => sum + Buffer.byteLength(render(it)), 0)
  }

  close(): void {
    this.#end()
  }

  /** The handle may be closed by the time the system has answered; then what was written is forced already. */
  #sync(): void {
    this.#syncing = undefined
    if (this.#handle !== null) fdatasync(this.#handle, () => undefined)
  }

  #end(): void {
    clearTimeout(this.#syncing)
    this.#syncing = undefined
    if (this.#handle === null) return
    fsyncSync(this.#handle)
    closeSync(this.#handle)
    this.#handle = null
  }
}

function render({ number, text }: Entry): string {
  const content = `${number} ${text}`
  return `${crc32(content).toString(16).padStart(8, '0')} ${content}\n`
}

function parse(line: string): Entry | null {
  const content = line.slice(9)
  if (line[8] !== ' ' || line.slice(0, 8) !== crc32(content).toString(16).padStart(8, '0')) return null
  const space = content.indexOf(' ')
  const number = Number(content.slice(0, space))
  return space > 0 && Number.isSafeInteger(number) ? { number, text: content.slice(space + 1) } : null
}
