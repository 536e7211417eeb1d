/**
 * Who waits for whom. Reading calls overlap; calls that learn run one at a time, and so do calls that write.
 * Learning does not wait for a write: an ingest works aside and swaps at its end. An agent's own calls wait for
 * the writes that it sent before them, so that `ingest` and a question sent right after it answer from the new graph.
 */

import { ToolError } from '#tools/tool'

export class Lane {
  readonly #places: number
  readonly #limit: number
  readonly #waiting: { start(): void }[] = []
  #running = 0

  /** `places` run at once, at most `limit` wait; a further one is refused as `busy`. */
  constructor(places: number, limit: number) {
    this.#places = places
    this.#limit = limit
  }

  async run<T>(task: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running >= this.#places) await this.#queue(signal)
    else this.#running++
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next.start()
    }
  }

  #queue(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#limit) {
      const state = `${this.#waiting.length} calls are waiting already, the limit is ${this.#limit}`
      throw new ToolError(
        'busy',
        `The server is busy: ${state}.`,
        'Wait for earlier calls to be answered, then try again.',
      )
    }
    return new Promise((resolve, reject) => {
      const entry = { start: () => finish(resolve) }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1)
        finish(() =>
          reject(
            new ToolError('cancelled', 'The call was cancelled before it ran.', 'Call again if it is still wanted.'),
          ),
        )
      }
      const finish = (settle: () => void) => {
        signal.removeEventListener('abort', leave)
        settle()
      }
      signal.addEventListener('abort', leave)
      this.#waiting.push(entry)
    })
  }
}
