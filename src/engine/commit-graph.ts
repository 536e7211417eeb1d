/**
 * Git finds the commits of one file by comparing the trees of all. It can be told which paths each commit changed, by a
 * commit graph; ours lies beside the state, in a folder of objects that borrows those of the repository, which is only
 * read. What git answers is the same with it, and commits that came since are looked at as ever (`commit-graph.md`).
 */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { leaveGit } from '#ingest/git'

/** A question to git that took so long is worth a new graph. */
const SLOW_MS = 100
/** Not more often than this, whether it worked or not. */
const AGAIN_MS = 600_000
/** A history for which this is not enough goes without. */
const MAX_MS = 60_000
const WRITE = ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress']

export class CommitGraph {
  /** Folder of our objects, '' where none can be. */
  readonly #folder: string
  /** Folder of the repository's objects. */
  readonly #borrowed: string

  /** `shelf` is a folder of ours that is there, '' for none. */
  constructor(shelf: string, borrowed: string) {
    const id = createHash('sha256').update(borrowed).digest('hex').slice(0, 16)
    // a list of folders to borrow from has its own signs
    this.#folder = shelf === '' || /^[#"]|\n/.test(borrowed) ? '' : join(shelf, 'git', id)
    this.#borrowed = borrowed
  }

  /** Folder of objects to ask git with, '' for the repository's own. */
  get objects(): string {
    return this.#folder !== '' && existsSync(join(this.#folder, 'info/commit-graph')) ? this.#folder : ''
  }

  /** Has a graph written behind the answer when a question took long. */
  tell(top: string, tookMs: number): void {
    if (tookMs >= SLOW_MS && this.#folder !== '' && Date.now() - this.#triedAt >= AGAIN_MS) void this.write(top)
  }

  /** Resolves when git has ended; whether there is a graph now. */
  async write(top: string): Promise<boolean> {
    if (this.#folder === '') return false
    try {
      mkdirSync(join(this.#folder, 'info'), { recursive: true })
      writeFileSync(this.#list, `${this.#borrowed}\n`)
    } catch {
      // without room on the shelf questions take as long as before
      return false
    }
    await leaveGit(top, WRITE, { objects: this.#folder, maxMs: MAX_MS })
    return this.objects !== ''
  }

  get #list(): string {
    return join(this.#folder, 'info/alternates')
  }

  /** Epoch ms. */
  get #triedAt(): number {
    return statSync(this.#list, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}
