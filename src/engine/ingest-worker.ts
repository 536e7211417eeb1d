/** The worker's side of an ingest: one task, then it ends. */

import { parentPort, workerData } from 'node:worker_threads'
import { buildBrain, type Task } from '#engine/build-brain'
import { buffersOf } from '#engine/image'
import type { FromWorker } from '#engine/ingest-thread'
import { Refusal } from '#engine/refusal'
import { IngestError } from '#ingest/report'

const PROGRESS_EVERY_MS = 50

const task: Task = workerData
let toldAt = 0
let phase = ''

function tell(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

try {
  const built = await buildBrain(task, {
    signal: new AbortController().signal,
    progress(at) {
      const now = performance.now()
      if (at.phase === phase && now - toldAt < PROGRESS_EVERY_MS) return
      toldAt = now
      phase = at.phase
      tell({ kind: 'progress', at })
    },
  })
  tell({ kind: 'done', built }, [...buffersOf(built.image.columns), ...buffersOf(built.facts?.columns ?? {})])
} catch (error) {
  if (error instanceof Refusal || error instanceof IngestError)
    tell({ kind: 'refused', code: error.code, message: error.message, hint: error.hint })
  else tell({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}
