/** Program of a worker thread: answers each batch of jobs with its facts. */

import { parentPort, workerData } from 'node:worker_threads'
import { parserFailure } from '#ingest/parse'
import type { WorkerSetup, WorkerTask } from '#ingest/pool'
import { readBatch } from '#ingest/read-batch'

/** Value of `current` while no file is being read. */
const IDLE = -1

const port = parentPort
if (port === null) throw new Error('extract-worker runs as a worker thread only')
const { current: shared, limits }: WorkerSetup = workerData
const current = new Int32Array(shared)

port.on('message', (task: WorkerTask) => {
  const work = readBatch(task.jobs, limits, (job) => {
    // the file before this one broke the parser: it is the one in hand, and another worker reads the rest
    if (parserFailure() !== '') throw new Error(parserFailure())
    Atomics.store(current, 0, job)
  })
  work.then(
    (result) => {
      Atomics.store(current, 0, IDLE)
      port.postMessage({ ...result, spent: parserFailure() !== '' }, [result.packed.ints.buffer])
    },
    (error: unknown) => {
      // ends this worker; the pool blames the file in hand and goes on with another worker
      throw error
    },
  )
})
port.postMessage('ready')
