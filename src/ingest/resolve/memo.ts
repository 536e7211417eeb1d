/**
 * Remembers what was worked out, so that the answer to a question never depends on which questions came before it.
 *
 * A name may lead back to itself (`node = node.next`). The way is then cut where it closes, and what was worked out
 * on it holds only there: seen from another place on the circle it would be cut elsewhere. So a result that leans on
 * a question still open is kept until that one is answered, and a result that met a circle at all until `settle`;
 * only what met none is kept for good.
 */

/** Where one result is kept. */
export interface Slot<T> {
  write(value: T | Held<T>): void
  forget(): void
}

/** A result that does not hold for good. */
export class Held<T> {
  readonly value: T
  /** The lowest open question that it leans on; `NEVER` when it leans on none. */
  readonly level: number

  constructor(value: T, level: number) {
    this.value = value
    this.level = level
  }
}

const NEVER = 0x7fff_ffff

/** An entry of a map. */
export class MapSlot<K, T> implements Slot<T> {
  readonly #map: Map<K, T | Held<T>>
  readonly #key: K

  constructor(map: Map<K, T | Held<T>>, key: K) {
    this.#map = map
    this.#key = key
  }

  write(value: T | Held<T>): void {
    this.#map.set(this.#key, value)
  }

  forget(): void {
    this.#map.delete(this.#key)
  }
}

interface Forgettable {
  forget(): void
}

export class Memo {
  /** Number of open questions. */
  #level = 0
  /** The lowest open question that the one being worked out leans on. */
  #cut = NEVER
  #circular = false
  readonly #leaning: { slot: Forgettable; level: number }[] = []
  readonly #passing: Forgettable[] = []
  /** While set, nothing is kept beyond the next `settle`. */
  temporary = false

  get level(): number {
    return this.#level
  }

  /** Whether something asked since the last `settle` leads back to itself. */
  get metCircle(): boolean {
    return this.#circular
  }

  /** Takes a remembered result. */
  read<T>(found: T | Held<T>): T {
    if (!(found instanceof Held)) return found
    this.lean(found.level)
    return found.value
  }

  /** Says that the question being worked out met an open one, opened at `level`. */
  lean(level: number): void {
    this.#circular = true
    if (level < this.#cut) this.#cut = level
  }

  /** Says that the question being worked out would be answered otherwise elsewhere. */
  meetCircle(): void {
    this.#circular = true
  }

  /** Works out a result and remembers it. `open` is what the question is answered with while it is open. */
  work<T>(slot: Slot<T>, open: { value: T } | null, compute: () => T): T {
    const level = ++this.#level
    const cutBefore = this.#cut
    const circularBefore = this.#circular
    const mark = this.#leaning.length
    this.#cut = NEVER
    this.#circular = false
    if (open !== null) slot.write(new Held(open.value, level))
    const value = compute()
    this.#level--

    const leans = this.#cut < level
    const circular = this.#circular || this.temporary
    if (leans) {
      slot.write(new Held(value, this.#cut))
      this.#leaning.push({ slot, level: this.#cut })
    } else {
      if (this.#leaning.length > mark) this.#drop(mark, level)
      if (circular) {
        slot.write(new Held(value, NEVER))
        this.#passing.push(slot)
      } else slot.write(value)
    }
    if (!leans || cutBefore < this.#cut) this.#cut = cutBefore
    this.#circular ||= circularBefore
    return value
  }

  /** Forgets what holds for one question only. To be called between questions. */
  settle(): void {
    this.#cut = NEVER
    this.#circular = false
    if (this.#leaning.length > 0) this.#drop(0, 0)
    for (const it of this.#passing) it.forget()
    this.#passing.length = 0
  }

  /** Forgets what leans on the question of a level, which is answered now, or on one above it. */
  #drop(mark: number, level: number): void {
    let kept = mark
    for (let i = mark; i < this.#leaning.length; i++) {
      const it = this.#leaning[i]
      if (it.level >= level) it.slot.forget()
      else this.#leaning[kept++] = it
    }
    this.#leaning.length = kept
  }
}
