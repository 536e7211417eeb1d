/** Keeps the graph of a process that stays true to the disk: what changed is read again behind the questions. */

import { join } from 'node:path'
import type { Settings } from '#engine/brain'
import { isInside } from '#engine/project'
import { anyChangedSince, foldersAround, logsOf, type Update, Watching, type WatchStatus } from '#engine/watching'
import { FILE, type Graph, text } from '#graph/graph'
import { rootsOf } from '#graph/ingest-roots'
import { readGit } from '#ingest/git'

export interface FreshnessOptions {
  settings: Settings
  log: (line: string) => void
  graph: () => Graph
  /** Resolves when no ingest is under way. */
  idle: () => Promise<void>
  /** Brings a root up to date. Resolves to whether anything in it had changed. */
  read: (root: string) => Promise<boolean>
}

/** Of one root: what an ingest read, absolute. */
export interface Covered {
  root: string
  /** Top level of its repository. */
  base: string
  /** Commit that was checked out then, '' when that is not known. */
  commit: string
  files: string[]
  folders: string[]
}

export class Freshness {
  readonly #options: FreshnessOptions
  readonly #watching: Watching
  #covered: Covered[] = []
  /** Epoch ms from which on changes in a root have not been looked at. */
  readonly #lookedAt = new Map<string, number>()

  constructor(options: FreshnessOptions) {
    const { settings, log } = options
    this.#options = options
    this.#watching = new Watching({
      maxHandles: settings.watch ? settings.watchMaxHandles : 0,
      update: (root) => this.#update(root),
      log,
    })
  }

  get status(): WatchStatus {
    return this.#watching.status
  }

  /** A graph was put in place, or none: its folders are watched from now on. `look` for one that was read long ago. */
  follow({ look }: { look: boolean }): void {
    if (!this.#options.settings.watch) return
    this.#covered = coveredBy(this.#options.graph())
    this.#watching.follow(this.#covered.map(({ root, base, folders }) => ({ path: root, folders, logs: logsOf(base) })))
    if (look) this.#watching.lookAtAll()
  }

  /** A question was answered. */
  look(): void {
    this.#watching.look()
  }

  close(): void {
    this.#watching.close()
  }

  async #update(root: string): Promise<Update> {
    await this.#options.idle()
    const covered = this.#covered.find((it) => it.root === root)
    if (covered === undefined) return 'same'
    const { ingestedAt } = this.#options.graph().meta
    const began = Date.now()
    const since = Math.max(ingestedAt, this.#lookedAt.get(root) ?? 0)
    // a clock that was set back tells nothing
    const isNewer = began < since || (await anyChangedSince([...covered.files, ...covered.folders], since))
    if (!isNewer && (await headOf(root)) === covered.commit) return 'same'
    this.#lookedAt.set(root, began)
    return (await this.#options.read(root)) ? 'changed' : 'vain'
  }
}

/** What ingests of source code have read. */
export function coveredBy(graph: Graph): Covered[] {
  const { roots } = graph.meta
  const covered = roots.map(
    ({ path, base, commit = '' }): Covered => ({ root: path, base, commit, files: [], folders: [] }),
  )
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] === 1) continue
    const path = text(graph, graph.paths[v])
    if (path === '') continue
    const own = rootsOf(graph, v)
    for (const [i, it] of roots.entries()) {
      const file = join(it.base, path)
      if (own.includes(it) && isInside(file, it.path)) covered[i].files.push(file)
    }
  }
  for (const it of covered) it.folders = foldersAround(it.root, it.files)
  return covered.filter((_, i) => roots[i].adapter === 'code')
}

async function headOf(root: string): Promise<string> {
  const answer = await readGit(root, ['rev-parse', '-q', '--verify', 'HEAD'])
  return answer === null ? '' : answer.toString().trim()
}
