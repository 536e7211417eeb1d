/** Runs ingests in a worker, so that questions are answered in the meantime, and what one found is there for the next. */

import { Worker } from 'node:worker_threads'
import type { Progress } from '#engine/brain'
import { LESS_MEMORY } from '#engine/difference'
import type { BuildContext, Builder, Built, Task } from '#engine/build-brain'
import type { Image } from '#engine/image'
import type { LateIndexes } from '#engine/index-worker'
import { workingFolder } from '#engine/folders'
import { Refusal } from '#engine/refusal'
import { workerUrl } from '#std/worker-url'

/** Answered one after the other, under their numbers. */
export type ToWorker = { id: number } & ({ kind: 'build'; task: Task } | { kind: 'facts' })

export type FromWorker =
  | { kind: 'progress'; id: number; at: Progress }
  | { kind: 'done'; id: number; built: Omit<Built, 'late'>; isLate: boolean }
  | { kind: 'late'; number: number; indexes: LateIndexes | null }
  | { kind: 'facts'; id: number; image: Image | null }
  | { kind: 'refused'; id: number; code: string; message: string; hint: string; detail: string }
  | { kind: 'failed'; id: number; message: string }

/** Much of what an ingest allocates lives for one phase; with the default of 16 MB it is copied again and again. */
const YOUNG_MB = 48

/** An ingest ends by itself between two files when its time is up. One that does not is ended after this much more. */
const PATIENCE_MS = 60_000

/** What waits for an answer of the worker. */
interface Waiting {
  resolve(message: FromWorker): void
  reject(error: Error): void
  progress(at: Progress): void
}

/** One worker, started when it is needed. It keeps the process alive only while something is to come from it. */
export class IngestThread implements Builder {
  #worker: Worker | null = null
  #memoryMb = 0
  #asked = 0
  readonly #waiting = new Map<number, Waiting>()
  readonly #late = new Map<number, (indexes: LateIndexes | null) => void>()
  readonly #patienceMs: number

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs
  }

  /** Cancelling ends the worker at once. */
  async build(task: Task, { signal, progress }: BuildContext): Promise<Built> {
    const cancelled = () =>
      new Refusal('cancelled', 'The ingest was cancelled.', 'The graph in place is unchanged; call ingest again.')
    if (signal.aborted) throw cancelled()
    const cancel = () => this.#end(cancelled())
    signal.addEventListener('abort', cancel, { once: true })
    let last = ''
    const tell = (at: Progress) => {
      last = at.file || last
      progress(at)
    }
    const repositories = task.federation?.repositories.length ?? 1
    // what was read when the time is up is still put together
    const mostMs = 2 * repositories * task.settings.ingestTimeoutMs + this.#patienceMs
    const hung = setTimeout(() => this.#end(tooLong(mostMs, last)), Math.min(mostMs, LONGEST_TIMER_MS)).unref()
    try {
      workingFolder()
      this.#memoryMb = task.settings.ingestMemoryMb
      const message = await this.#ask((id) => ({ id, kind: 'build', task }), tell)
      if (message.kind !== 'done') throw new Error(`The ingest answered with ${message.kind}.`)
      const { built, isLate } = message
      return { ...built, late: isLate ? this.#lateOf(built.number) : null }
    } finally {
      clearTimeout(hung)
      signal.removeEventListener('abort', cancel)
    }
  }

  async facts(): Promise<Image | null> {
    if (this.#worker === null) return null
    const message = await this.#ask(
      (id) => ({ id, kind: 'facts' }),
      () => {},
    )
    return message.kind === 'facts' ? message.image : null
  }

  close(): void {
    this.#end(new Error('The ingest was ended.'))
  }

  #lateOf(number: number): Promise<LateIndexes> {
    this.#worker?.ref()
    return new Promise((resolve, reject) => {
      this.#late.set(number, (indexes) => {
        if (indexes === null) reject(new Error('Another ingest came first.'))
        else resolve(indexes)
      })
    })
  }

  #ask(ask: (id: number) => ToWorker, progress: (at: Progress) => void): Promise<FromWorker> {
    const worker = this.#started()
    const id = ++this.#asked
    worker.ref()
    return new Promise<FromWorker>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress })
      worker.postMessage(ask(id))
    }).finally(() => {
      this.#waiting.delete(id)
      this.#rest()
    })
  }

  #rest(): void {
    if (this.#waiting.size + this.#late.size === 0) this.#worker?.unref()
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const { url, execArgv } = workerUrl('engine/ingest-worker')
    const worker = new Worker(url, {
      execArgv,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: this.#memoryMb },
    })
    const failed = (error: Error) => {
      if (worker === this.#worker) this.#end(error)
    }
    this.#worker = worker
    worker.on('message', (message: FromWorker) => this.#receive(message))
    worker.on('error', (error) => failed(isOutOfMemory(error) ? this.#tooMuch() : asError(error)))
    worker.on('exit', (code) => failed(new Error(`The ingest ended early (exit code ${code}).`)))
    return worker
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'late') {
      this.#late.get(message.number)?.(message.indexes)
      this.#late.delete(message.number)
      this.#rest()
      return
    }
    const waiting = this.#waiting.get(message.id)
    if (message.kind === 'progress') waiting?.progress(message.at)
    else if (message.kind === 'refused')
      waiting?.reject(new Refusal(message.code, message.message, message.hint, message.detail))
    else if (message.kind === 'failed') waiting?.reject(new Error(message.message))
    else waiting?.resolve(message)
  }

  #tooMuch(): Refusal {
    const why = `The ingest took more than ${this.#memoryMb} MB of memory, so the graph in place was kept.`
    return new Refusal('ingest_budget', why, LESS_MEMORY)
  }

  /** Whoever still waits is told the reason. */
  #end(reason: Error): void {
    const worker = this.#worker
    this.#worker = null
    for (const it of this.#waiting.values()) it.reject(reason)
    for (const give of this.#late.values()) give(null)
    this.#waiting.clear()
    this.#late.clear()
    void worker?.terminate()
  }
}

/** Longer ones fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** `at` is the file that it told of last, '' for none. */
function tooLong(ms: number, at: string): Refusal {
  return new Refusal(
    'ingest_timeout',
    `The ingest did not come to an end within ${Math.round(ms / 1000)} s and was ended; the graph in place was kept.`,
    `Leave ${at === '' ? 'folders' : `${at} or its folder`} out in a .m1ndignore file.`,
  )
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
