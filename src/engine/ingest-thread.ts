/** Runs an ingest in a worker, so that questions are answered in the meantime. */

import { Worker } from 'node:worker_threads'
import type { Progress } from '#engine/brain'
import type { Built, Task } from '#engine/build-brain'
import { Refusal } from '#engine/refusal'
import { workerUrl } from '#std/worker-url'

export type FromWorker =
  | { kind: 'progress'; at: Progress }
  | { kind: 'done'; built: Built }
  | { kind: 'refused'; code: string; message: string; hint: string }
  | { kind: 'failed'; message: string }

/** Much of what an ingest allocates lives for one phase; with the default of 16 MB it is copied again and again. */
const YOUNG_MB = 48

/** Throws a `Refusal` for what the caller can mend. Cancelling ends the worker at once. */
export function runIngest(
  task: Task,
  { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
): Promise<Built> {
  const { url, execArgv } = workerUrl('engine/ingest-worker')
  const worker = new Worker(url, { execArgv, workerData: task, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } })
  return new Promise<Built>((resolve, reject) => {
    const cancel = () =>
      reject(
        new Refusal('cancelled', 'The ingest was cancelled.', 'The graph in place is unchanged; call ingest again.'),
      )
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'progress') progress(message.at)
      else if (message.kind === 'done') resolve(message.built)
      else if (message.kind === 'refused') reject(new Refusal(message.code, message.message, message.hint))
      else reject(new Error(message.message))
    })
    worker.on('error', reject)
    worker.on('exit', (code) => reject(new Error(`The ingest ended early (exit code ${code}).`)))
  }).finally(() => void worker.terminate())
}
