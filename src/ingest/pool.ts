/** Worker threads that read files. One that dies or hangs is replaced, and the file in its hands is named. */

import { Worker } from 'node:worker_threads'
import { type BatchResult, type Job, type Outcome, readBatch } from '#ingest/read-batch'
import { breathe, throwIfAborted } from '#ingest/report'
import type { TextLimits } from '#ingest/text'
import { workerUrl } from '#std/worker-url'

export interface WorkerSetup {
  /** One 32-bit integer: position of the file being read in its batch, -1 while idle. */
  current: SharedArrayBuffer
  limits: TextLimits
}

export interface WorkerTask {
  jobs: Job[]
}

export interface PoolOptions {
  /** Number of threads; 0 reads on the calling thread. */
  workers: number
  limits: TextLimits
  signal: AbortSignal
  /** Longest time for one file. */
  hangMs?: number
  /** Heap of one worker; a file that needs more ends the worker, not the process. */
  heapMb?: number
  /** Program of the workers. */
  program?: { url: URL; execArgv: string[] }
  /** Asked before each batch; false stops taking new files. */
  mayContinue: () => boolean
  /** Receives the positions of some jobs and what became of them, in any order. */
  take: (positions: readonly number[], result: BatchResult) => void
}

const HANG_MS = 10_000
/** A worker that takes longer to start will not. */
const START_MS = 60_000
const TICK_MS = 250
/** Batches end at the first of the two; small enough to balance, large enough to be worth a message. */
const BATCH_BYTES = 384 * 1024
const BATCH_FILES = 96
const HEAP_MB = 1024
/** Facts live until their batch is packed; with the default of 16 MB they are copied several times before. */
const YOUNG_MB = 32
/** Workers that may die in a row without finishing anything before the rest is read on the calling thread. */
const MAX_FAILED_STARTS = 3

interface Batch {
  positions: number[]
  jobs: Job[]
}

/** Reads all jobs. Which thread reads what does not show in the results. */
export async function runJobs(jobs: readonly Job[], options: PoolOptions): Promise<void> {
  const batches = splitBatches(jobs)
  if (options.workers === 0) return runInline(batches, options)
  const left = await new Pool(batches, options).run()
  await runInline(left, options)
}

function splitBatches(jobs: readonly Job[]): Batch[] {
  const batches: Batch[] = []
  let batch: Batch = { positions: [], jobs: [] }
  let bytes = 0
  for (let i = 0; i < jobs.length; i++) {
    batch.positions.push(i)
    batch.jobs.push(jobs[i])
    bytes += jobs[i].size
    if (bytes < BATCH_BYTES && batch.jobs.length < BATCH_FILES) continue
    batches.push(batch)
    batch = { positions: [], jobs: [] }
    bytes = 0
  }
  if (batch.jobs.length > 0) batches.push(batch)
  return batches
}

async function runInline(batches: readonly Batch[], { signal, limits, take, mayContinue }: PoolOptions): Promise<void> {
  for (const { positions, jobs } of batches) {
    for (let i = 0; i < jobs.length; i++) {
      throwIfAborted(signal)
      if (!mayContinue()) return
      take([positions[i]], await readBatch([jobs[i]], limits, () => {}))
      await breathe()
    }
  }
}

interface Member {
  worker: Worker
  current: Int32Array
  started: boolean
  /** The batch in its hands. */
  batch: Batch | null
  /** File it read when last looked at, and since when. */
  seen: number
  since: number
  ended: boolean
}

class Pool {
  private readonly waiting: Batch[]
  private readonly options: PoolOptions
  private readonly program: { url: URL; execArgv: string[] }
  private readonly hangMs: number
  private readonly members = new Set<Member>()
  private failedStarts = 0
  private stopped = false
  private error: unknown = null
  private finish: () => void = () => {}

  constructor(batches: Batch[], options: PoolOptions) {
    this.waiting = batches
    this.options = options
    this.program = options.program ?? workerUrl('ingest/extract-worker')
    this.hangMs = options.hangMs ?? HANG_MS
  }

  /** Resolves with the batches that no worker could be started for. */
  async run(): Promise<Batch[]> {
    const { signal, workers } = this.options
    const stop = () => {
      this.stopped = true
      this.finish()
    }
    signal.addEventListener('abort', stop)
    const ticks = setInterval(() => this.tick(), TICK_MS)
    try {
      await new Promise<void>((resolve) => {
        this.finish = resolve
        const count = Math.min(workers, this.waiting.length)
        for (let i = 0; i < count; i++) this.start()
        if (count === 0) resolve()
      })
    } finally {
      clearInterval(ticks)
      signal.removeEventListener('abort', stop)
      await Promise.all([...this.members].map((it) => it.worker.terminate()))
    }
    throwIfAborted(signal)
    if (this.error !== null) throw this.error
    return this.stopped ? [] : this.waiting
  }

  private start(): void {
    const current = new Int32Array(new SharedArrayBuffer(4)).fill(-1)
    const setup: WorkerSetup = { current: current.buffer, limits: this.options.limits }
    const worker = new Worker(this.program.url, {
      workerData: setup,
      execArgv: this.program.execArgv,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: this.options.heapMb ?? HEAP_MB },
    })
    const member: Member = {
      worker,
      current,
      started: false,
      batch: null,
      seen: -1,
      since: performance.now(),
      ended: false,
    }
    this.members.add(member)
    worker.on('message', (message: 'ready' | BatchResult) => this.guard(() => this.receive(member, message)))
    // the error itself is followed by the end of the worker, where it is dealt with
    worker.on('error', (error) =>
      this.guard(() => this.end(member, error instanceof Error ? error.message : String(error))),
    )
    worker.on('exit', () => this.guard(() => this.end(member, 'its reader stopped')))
  }

  /** A failure of ours inside an event must end the run, not the process. */
  private guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.error ??= error
      this.stopped = true
      this.finish()
    }
  }

  private receive(member: Member, message: 'ready' | BatchResult): void {
    if (member.ended) return
    if (message === 'ready') member.started = true
    else if (member.batch !== null) {
      this.failedStarts = 0
      const { positions } = member.batch
      member.batch = null
      this.options.take(positions, message)
      if (message.spent === true) {
        this.retire(member)
        return
      }
    }
    this.feed(member)
  }

  private feed(member: Member): void {
    if (this.waiting.length > 0 && !this.stopped && !this.options.mayContinue()) {
      this.stopped = true
      this.waiting.length = 0
    }
    const batch = this.waiting.shift()
    if (batch === undefined) {
      this.members.delete(member)
      member.ended = true
      void member.worker.terminate()
      if (this.members.size === 0) this.finish()
      return
    }
    member.batch = batch
    member.seen = -1
    member.since = performance.now()
    const task: WorkerTask = { jobs: batch.jobs }
    member.worker.postMessage(task)
  }

  /** Ends a worker whose batch is done, and starts another in its place. */
  private retire(member: Member): void {
    member.ended = true
    this.members.delete(member)
    void member.worker.terminate()
    if (this.waiting.length > 0 && !this.stopped) this.start()
    else if (this.members.size === 0) this.finish()
  }

  private tick(): void {
    const now = performance.now()
    for (const member of this.members) {
      const at = Atomics.load(member.current, 0)
      if (at !== member.seen || (member.started && at === -1)) {
        member.seen = at
        member.since = now
        continue
      }
      const limit = member.started ? this.hangMs : START_MS
      if (now - member.since > limit) this.guard(() => this.end(member, `it took more than ${limit / 1000} s`))
    }
  }

  /** A worker is gone or given up: names the file in its hands, returns the rest of the batch, starts another. */
  private end(member: Member, reason: string): void {
    if (member.ended) return
    member.ended = true
    this.members.delete(member)
    void member.worker.terminate()
    const { batch } = member
    if (batch === null) this.failedStarts++
    else this.split(batch, Atomics.load(member.current, 0), reason)
    if (this.waiting.length > 0 && this.failedStarts < MAX_FAILED_STARTS && !this.stopped) this.start()
    else if (this.members.size === 0) this.finish()
  }

  private split({ positions, jobs }: Batch, at: number, reason: string): void {
    if (at >= 0 || jobs.length === 1) {
      const culprit = Math.max(0, at)
      const outcome: Outcome = {
        kind: 'failed',
        hash: '',
        normalisedHash: '',
        message: `The file was given up: ${reason}.`,
      }
      this.options.take([positions[culprit]], {
        outcomes: [outcome],
        packed: { strings: '', ints: Int32Array.of(0, 0) },
      })
      const rest = { positions: positions.filter((_, i) => i !== culprit), jobs: jobs.filter((_, i) => i !== culprit) }
      if (rest.jobs.length > 0) this.waiting.unshift(rest)
      return
    }
    // it ended between two files: halves find the one that is too much
    const half = jobs.length >> 1
    this.waiting.unshift(
      { positions: positions.slice(0, half), jobs: jobs.slice(0, half) },
      { positions: positions.slice(half), jobs: jobs.slice(half) },
    )
  }
}
