/** Records of one form: read once and checked, kept as they are, written through on every change. */

import type * as z from 'zod'
import type { Json, Kind, Records } from '#engine/records'

export interface ShelfOptions<T> {
  kind: Kind
  /** What the names of these records begin with among those of their kind. */
  prefix: string
  schema: z.ZodType<T>
}

export class Shelf<T extends Json> {
  readonly #records: Records
  readonly #options: ShelfOptions<T>
  readonly #values = new Map<string, T>()
  /** Names of records that are of another form: of a later version, or damaged. They stay where they are. */
  readonly unreadable: string[] = []

  constructor(records: Records, options: ShelfOptions<T>) {
    this.#records = records
    this.#options = options
    const { kind, prefix, schema } = options
    for (const [name, value] of records.all(kind)) {
      if (!name.startsWith(prefix)) continue
      const read = schema.safeParse(value)
      const key = name.slice(prefix.length)
      if (read.success) this.#values.set(key, read.data)
      else this.unreadable.push(key)
    }
  }

  get(key: string): T | undefined {
    return this.#values.get(key)
  }

  /** In the order in which they came to be, those of an earlier process by name. */
  values(): IterableIterator<T> {
    return this.#values.values()
  }

  get size(): number {
    return this.#values.size
  }

  /** The value must not change afterwards. */
  put(key: string, value: T): void {
    this.#records.put(this.#options.kind, this.#options.prefix + key, value)
    this.#values.set(key, value)
  }

  remove(key: string): boolean {
    this.#records.remove(this.#options.kind, this.#options.prefix + key)
    return this.#values.delete(key)
  }
}

/** One object per set of records, made when it is first asked for. */
export function perRecords<T>(make: (records: Records) => T): (records: Records) => T {
  const made = new WeakMap<Records, T>()
  return (records) => {
    const before = made.get(records)
    if (before !== undefined) return before
    const fresh = make(records)
    made.set(records, fresh)
    return fresh
  }
}
