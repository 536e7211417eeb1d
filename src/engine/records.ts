/**
 * What clients keep between calls: trails, perspectives, locks. Values by kind and name, in memory, each change in the
 * journal before the call that made it is answered; a save makes one value of all and cuts the journal.
 */

import { type Journal, noJournal } from '#engine/journal'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Kinds are the namespaces of names. */
export type Kind = 'trail' | 'perspective' | 'lock' | 'session' | 'ingest' | 'report'

export interface Records {
  get(kind: Kind, name: string): Json | undefined
  /** All of a kind, by name. */
  all(kind: Kind): [name: string, value: Json][]
  /** Keeps a value; it is safe from the end of the process when this returns. The value must not change afterwards. */
  put(kind: Kind, name: string, value: Json): void
  /** Whether there was one. */
  remove(kind: Kind, name: string): boolean
}

const SEPARATOR = '\n'

/** Records with what saves and restores them; the engine holds it, tools see `Records`. */
export class KeptRecords implements Records {
  readonly #values = new Map<string, Json>()
  #journal: Journal = noJournal()

  /** Takes over what was saved and what the journal adds to it. Entries that a save already holds are skipped. */
  restore(saved: Json | null, journal: Journal): void {
    this.#values.clear()
    this.#journal = journal
    let upTo = 0
    if (isObject(saved) && isObject(saved.values)) {
      for (const [key, value] of Object.entries(saved.values)) this.#values.set(key, value)
      if (typeof saved.up_to === 'number') upTo = saved.up_to
    }
    // a journal that was cut starts where the save ends
    journal.continueFrom(upTo)
    for (const { number, text } of journal.entries) if (number > upTo) this.#apply(JSON.parse(text))
  }

  get(kind: Kind, name: string): Json | undefined {
    return this.#values.get(keyOf(kind, name))
  }

  all(kind: Kind): [string, Json][] {
    const start = keyOf(kind, '')
    return [...this.#values]
      .filter(([key]) => key.startsWith(start))
      .map(([key, value]): [string, Json] => [key.slice(start.length), value])
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }

  put(kind: Kind, name: string, value: Json): void {
    this.#journal.append(JSON.stringify({ put: keyOf(kind, name), value }))
    this.#values.set(keyOf(kind, name), value)
  }

  remove(kind: Kind, name: string): boolean {
    if (!this.#values.has(keyOf(kind, name))) return false
    this.#journal.append(JSON.stringify({ remove: keyOf(kind, name) }))
    return this.#values.delete(keyOf(kind, name))
  }

  /** Whether the journal holds what the last save does not. */
  get isDirty(): boolean {
    return this.#journal.entries.length > 0
  }

  /** Bytes that the next start would have to read from the journal. */
  get journalBytes(): number {
    return this.#journal.bytes
  }

  /** Saves all values by `write`, then cuts the journal; what comes meanwhile stays in it. */
  async save(write: (text: string) => Promise<void>): Promise<void> {
    const journal = this.#journal
    const upTo = journal.last
    const values = Object.fromEntries([...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)))
    await write(JSON.stringify({ version: 1, up_to: upTo, values }))
    journal.cut(upTo)
  }

  close(): void {
    this.#journal.close()
  }

  #apply(entry: Json): void {
    if (!isObject(entry)) return
    if (typeof entry.put === 'string' && entry.value !== undefined) this.#values.set(entry.put, entry.value)
    if (typeof entry.remove === 'string') this.#values.delete(entry.remove)
  }
}

function keyOf(kind: Kind, name: string): string {
  return `${kind}${SEPARATOR}${name}`
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
