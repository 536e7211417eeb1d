/** Which of several definitions of one qualified name a file means: that of its own module and source set. */

import type { Host } from '#ingest/resolve/host'
import { directoryOf } from '#ingest/resolve/host'
import { isClass } from '#ingest/resolve/program'

/** Folder of the module that a file belongs to: what stands in front of `src`. */
function moduleOfPath(path: string): string {
  const at = `/${path}`.lastIndexOf('/src/')
  return at < 0 ? '' : path.slice(0, Math.max(0, at - 1))
}

export class Nearest {
  readonly #host: Host
  /** By file. */
  readonly #modules: readonly string[]

  constructor(host: Host) {
    this.#host = host
    this.#modules = host.program.paths.map(moduleOfPath)
  }

  /** Functions of one module are overloads of each other; of classes only one is meant. */
  of(file: number, ids: readonly number[]): readonly number[] {
    if (ids.length < 2) return ids
    const { paths, fileOf, defs, facts } = this.#host.program
    if (ids.every((it) => fileOf[it] === fileOf[ids[0]])) return ids
    const own = this.#modules[file]
    let near = narrowed(ids, (it) => this.#modules[fileOf[it]] === own)
    if (!facts[file].tags.includes('test')) near = narrowed(near, (it) => !facts[fileOf[it]].tags.includes('test'))
    if (near.length < 2 || !near.every((it) => isClass(defs[it])) || near.some((it) => isPart(defs[it].tags)))
      return near
    const from = directoryOf(paths[file]).split('/')
    const shared = near.map((it) => sharedLength(from, directoryOf(paths[fileOf[it]]).split('/')))
    const most = Math.max(...shared)
    return near.filter((_, i) => shared[i] === most)
  }

  /** Reports classes that a module has twice. */
  report(qualified: string, ids: readonly number[]): void {
    const { paths, fileOf, defs, facts } = this.#host.program
    const seen = new Map<string, number>()
    for (const id of ids) {
      if (!isClass(defs[id]) || isPart(defs[id].tags)) continue
      const key = `${this.#modules[fileOf[id]]} ${facts[fileOf[id]].language}`
      const first = seen.get(key)
      if (first === undefined) seen.set(key, id)
      else if (fileOf[first] !== fileOf[id])
        this.#host.problem(
          fileOf[first],
          defs[first].nameLine,
          `The class ${qualified} is defined in ${paths[fileOf[id]]} as well.`,
        )
    }
  }
}

/** Classes that are written in several places. */
function isPart(tags: readonly string[]): boolean {
  return tags.includes('expect') || tags.includes('actual') || tags.includes('partial')
}

function sharedLength(a: readonly string[], b: readonly string[]): number {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n
}

function narrowed(ids: readonly number[], passes: (id: number) => boolean): readonly number[] {
  const kept = ids.filter(passes)
  return kept.length === 0 ? ids : kept
}
