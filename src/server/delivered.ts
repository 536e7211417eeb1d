/** Whether what was written has reached its reader. */

import type { Writable } from 'node:stream'

/**
 * Waits until everything written to `stream` is handed over or cannot be; a reader that takes nothing for `idleMs`
 * is given up.
 */
export function delivered(stream: Writable, idleMs = Number.POSITIVE_INFINITY): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    let left = stream.writableLength
    const check = () => {
      if (stream.writableLength === left) finish()
      left = stream.writableLength
    }
    const watch = Number.isFinite(idleMs) ? setInterval(check, idleMs) : undefined
    const finish = () => {
      clearInterval(watch)
      resolve()
    }
    stream.once('error', finish)
    stream.once('close', finish)
    stream.write('', finish)
  })
}
