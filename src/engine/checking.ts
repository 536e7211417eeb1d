/** The pass of TypeScript's checker that follows an ingest: whether it runs, how far it is, and what it found. */

import type { CheckStatus, Progress, Settings } from '#engine/brain'
import type { Image } from '#engine/image'
import type { UpgradeSet } from '#ingest/upgrade'

/** What the checker says, by root; null when it was told to stop, has nothing to look at, or failed. */
export type Found = ReadonlyMap<string, UpgradeSet[]> | null

interface Context {
  signal: AbortSignal
  progress: (at: Progress) => void
}

const OFF = 'It is switched off (typescript_checker).'

export class Checking {
  readonly #settings: Settings
  #status: CheckStatus
  #stopping = new AbortController()
  #waiting: NodeJS.Timeout | undefined
  /** It met a limit, and would again after a few changes. */
  #gaveUp = false

  constructor(settings: Settings) {
    this.#settings = settings
    const isOff = settings.typescriptChecker === 'off'
    this.#status = { state: isOff ? 'off' : 'idle', done: 0, total: 0, message: isOff ? OFF : '' }
  }

  get status(): CheckStatus {
    return this.#status
  }

  /** Ends a pass that runs or waits; what it would have found is of a graph that is about to be replaced. */
  stop(): void {
    clearTimeout(this.#waiting)
    this.#stopping.abort()
    this.#stopping = new AbortController()
    if (this.#status.state !== 'off') this.#status = { state: 'idle', done: 0, total: 0, message: '' }
  }

  /** Calls `start` when nothing has stopped it for so long; not again after a pass that met a limit. */
  later(ms: number, incremental: boolean, start: (signal: AbortSignal) => void): void {
    if (this.#status.state === 'off' || (this.#gaveUp && incremental)) return
    this.#gaveUp = false
    const { signal } = this.#stopping
    this.#waiting = setTimeout(() => start(signal), ms).unref()
  }

  /** Never rejects: what went wrong is in the status. */
  async run(facts: Image, context: Context): Promise<Found> {
    if (this.#status.state === 'off') return null
    try {
      return await this.#all(facts, context)
    } catch (error) {
      return this.fail(error instanceof Error ? error.message : String(error))
    }
  }

  /** Aborted by the next `stop`. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Says that the graph with what was found is in place. */
  finish(): void {
    const { total } = this.#status
    this.#status = { state: 'done', done: total, total, message: '' }
  }

  fail(message: string): null {
    this.#status = { ...this.#status, state: 'failed', message }
    return null
  }

  async #all(facts: Image, { signal, progress }: Context): Promise<Found> {
    // what only this pass needs is not read before the first answer
    const [{ scriptsIn }, { runCheck }] = await Promise.all([import('#ingest/check'), import('#ingest/check-thread')])
    const roots: unknown[] = Array.isArray(facts.header.roots) ? facts.header.roots : []
    const projects = roots.flatMap((it) =>
      typeof it === 'object' && it !== null && 'path' in it && 'header' in it
        ? [scriptsIn(String(it.path), it.header)]
        : [],
    )
    const total = projects.reduce((sum, it) => sum + it.files.size, 0)
    if (total === 0) return null
    this.#status = { state: 'running', done: 0, total, message: '' }
    const { typescriptCheckerMemoryMb: memoryMb, typescriptCheckerTimeoutMs } = this.#settings
    const deadline = performance.now() + typescriptCheckerTimeoutMs
    const found = new Map<string, UpgradeSet[]>()
    let before = 0
    for (const project of projects) {
      if (project.files.size === 0) continue
      const budgetMs = Math.max(1, deadline - performance.now())
      const checked = await runCheck(
        project,
        { memoryMb, budgetMs },
        {
          signal,
          progress: (done, _total, file) => {
            if (signal.aborted) return
            this.#status = { state: 'running', done: before + done, total, message: '' }
            progress({ phase: 'check', done: before + done, total, file, etaMs: -1 })
          },
        },
      )
      if (checked === null || signal.aborted) return null
      if (checked.kind !== 'done') {
        this.#gaveUp = true
        return this.fail(
          checked.kind === 'time'
            ? `It took more than ${typescriptCheckerTimeoutMs} ms (typescript_checker_timeout_ms); the graph is as without it.`
            : `It needed more than ${memoryMb} MB (typescript_checker_memory_mb); the graph is as without it.`,
        )
      }
      found.set(project.root, [checked.set])
      before += project.files.size
    }
    return found
  }
}
