/** Long work in short slices, between which questions are answered. */

import type { Work } from '#std/work'

/** Length of a slice, ms. */
const SLICE_MS = 8

/** Does all of it; stops with the reason of the signal when that is aborted. */
export async function inSlices<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS
    do {
      const { done, value } = work.next()
      if (done === true) return value
    } while (performance.now() < until)
    await breathe()
    signal?.throwIfAborted()
  }
}

/** Lets others be answered in between. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
