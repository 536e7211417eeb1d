/** Runs TypeScript's checker in a worker with a heap and a time of its own. */

import { Worker } from 'node:worker_threads'
import { workerUrl } from '#std/worker-url'
import type { CheckedProject } from '#ingest/check'
import type { Checked } from '#ingest/upgrade/typescript'

export interface CheckTask {
  project: CheckedProject
  budgetMs: number
}

export type FromChecker =
  | { kind: 'progress'; done: number; total: number; file: string }
  | { kind: 'checked'; checked: Checked }

export interface CheckLimits {
  memoryMb: number
  budgetMs: number
}

/** What one file may take beyond the budget before the worker is ended from outside. */
const GRACE_MS = 2000

/** `time` and `memory` when a limit was met, null when it was cancelled. Rejects with what else the worker fails with. */
export function runCheck(
  project: CheckedProject,
  { memoryMb, budgetMs }: CheckLimits,
  { signal, progress }: { signal: AbortSignal; progress: (done: number, total: number, file: string) => void },
): Promise<Checked | null> {
  const { url, execArgv } = workerUrl('ingest/check-worker')
  const workerData: CheckTask = { project, budgetMs }
  const worker = new Worker(url, { execArgv, workerData, resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  let timer: NodeJS.Timeout | undefined
  return new Promise<Checked | null>((resolve, reject) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
    timer = setTimeout(() => resolve({ kind: 'time' }), budgetMs + GRACE_MS)
    worker.on('message', (message: FromChecker) => {
      if (message.kind === 'progress') progress(message.done, message.total, message.file)
      else resolve(message.checked)
    })
    worker.on('error', (error) => {
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ kind: 'memory' })
      else reject(error)
    })
    worker.on('exit', (code) => reject(new Error(`The checker ended early (exit code ${code}).`)))
  }).finally(() => {
    clearTimeout(timer)
    void worker.terminate()
  })
}
