/** Work that can be put down: every `next()` does a little of it, some ten thousand simple steps at most. */
export type Work<T> = Generator<void, T>

/** Does all of it at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}
