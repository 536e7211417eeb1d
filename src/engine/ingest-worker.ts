/** The worker's side of ingests: one task after the other, until it is ended. */

import { parentPort } from 'node:worker_threads'
import { BrainBuilder } from '#engine/build-brain'
import { buffersOf } from '#engine/image'
import type { FromWorker, ToWorker } from '#engine/ingest-thread'
import { Refusal } from '#engine/refusal'

const PROGRESS_EVERY_MS = 50

const builder = new BrainBuilder()

function tell(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

async function run(message: ToWorker): Promise<void> {
  const { id } = message
  if (message.kind === 'facts') {
    const image = await builder.facts()
    tell({ kind: 'facts', id, image }, buffersOf(image?.columns ?? {}))
    return
  }
  let toldAt = 0
  let phase = ''
  const { late, ...built } = await builder.build(message.task, {
    signal: new AbortController().signal,
    progress(at) {
      const now = performance.now()
      if (at.phase === phase && now - toldAt < PROGRESS_EVERY_MS) return
      toldAt = now
      phase = at.phase
      tell({ kind: 'progress', id, at })
    },
  })
  tell({ kind: 'done', id, built, isLate: late !== null })
  late?.then(
    (indexes) => tell({ kind: 'late', number: built.number, indexes }),
    // the next build has ended it
    () => tell({ kind: 'late', number: built.number, indexes: null }),
  )
}

function fail(id: number, error: unknown): void {
  if (error instanceof Refusal)
    tell({ kind: 'refused', id, code: error.code, message: error.message, hint: error.hint, detail: error.detail })
  else tell({ kind: 'failed', id, message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

let turn: Promise<void> = Promise.resolve()

parentPort?.on('message', (message: ToWorker) => {
  turn = turn.then(() => run(message)).catch((error: unknown) => fail(message.id, error))
})
