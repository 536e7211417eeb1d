/** The worker's side of a pass of TypeScript's checker: one task, then it ends. */

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckTask, FromChecker } from '#ingest/check-thread'
import { checkProject } from '#ingest/upgrade/typescript'

const PROGRESS_EVERY_MS = 200

const { project, budgetMs }: CheckTask = workerData
let toldAt = 0

function tell(message: FromChecker, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

/** Where the declarations of the language are: beside the bundle, else in the package that they come from. */
function libraries(): string {
  const here = import.meta.url
  return here.endsWith('.ts')
    ? dirname(createRequire(here).resolve('typescript-checker'))
    : join(dirname(fileURLToPath(here)), 'typescript')
}

const checked = checkProject(project, {
  libraries: libraries(),
  budgetMs,
  progress(done, total, file) {
    const now = performance.now()
    if (now - toldAt < PROGRESS_EVERY_MS) return
    toldAt = now
    tell({ kind: 'progress', done, total, file })
  },
})
tell({ kind: 'checked', checked }, checked.kind === 'done' ? [checked.set.ints.buffer] : [])
