/** Keeps what was resolved before in step with files whose definitions have moved. */

import type { Definition, Facts } from '#ingest/facts'
import type { FileResolution, ResolvedEdge } from '#ingest/resolve/project'

/** For every definition of `before` the position of the same one in `after`, -1 when it is gone. */
export function counterparts(before: Facts, after: Facts): Int32Array {
  const positions = new Map(identities(after.definitions).map((it, d) => [it, d]))
  return Int32Array.from(identities(before.definitions), (it) => positions.get(it) ?? -1)
}

/** Kind and name of a definition and of those around it; of several alike, their number. */
function identities(definitions: readonly Definition[]): string[] {
  const counts = new Map<string, number>()
  const names: string[] = []
  for (const { kind, name, owner, parent } of definitions) {
    const plain = `${parent < 0 ? '' : names[parent]}/${kind} ${owner ?? ''} ${name}`
    const count = (counts.get(plain) ?? 0) + 1
    counts.set(plain, count)
    names.push(count === 1 ? plain : `${plain}#${count}`)
  }
  return names
}

/**
 * The same resolution with edges led to the new positions of their targets; `counterpartsOf` gives those by file. Also returns
 * the files that had edges to definitions which are gone.
 */
export function renumber(
  files: readonly FileResolution[],
  counterpartsOf: ReadonlyMap<number, Int32Array>,
): { files: FileResolution[]; lost: number[] } {
  const lost: number[] = []
  const moved = new Map([...counterpartsOf].filter(([, positions]) => positions.some((to, d) => to !== d)))
  if (moved.size === 0) return { files: [...files], lost }
  const isTarget = new Uint8Array(files.length)
  for (const f of moved.keys()) isTarget[f] = 1
  const renumbered = files.map((file, f) => {
    let isWhole = true
    const lead = <T extends { toFile: number; to: number }>(list: readonly T[]): readonly T[] => {
      if (!list.some((it) => isTarget[it.toFile] === 1 && isMoved(it, moved))) return list
      return list.map((it) => {
        const to = it.to < 0 ? -1 : (moved.get(it.toFile)?.[it.to] ?? it.to)
        isWhole &&= to >= 0 || it.to < 0
        return to === it.to ? it : { ...it, to }
      })
    }
    const edges = lead(file.edges)
    const own = lead<ResolvedEdge>(file.own)
    const satisfies = lead(file.satisfies)
    const bases = lead(file.bases)
    if (!isWhole) lost.push(f)
    return edges === file.edges && own === file.own && satisfies === file.satisfies && bases === file.bases
      ? file
      : { ...file, edges, own, satisfies, bases }
  })
  return { files: renumbered, lost }
}

function isMoved({ toFile, to }: { toFile: number; to: number }, moved: ReadonlyMap<number, Int32Array>): boolean {
  if (to < 0) return false
  const positions = moved.get(toFile)
  return positions !== undefined && positions[to] !== to
}
