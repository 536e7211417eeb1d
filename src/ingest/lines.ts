/** Single lines of files, as they are on disk now. */

import { join } from 'node:path'
import { cut } from '#ingest/source'
import { ContainedFiles } from '#ingest/upgrade/contained'

/** The lines at places below the first of the bases (absolute real paths) that has the file; '' where there is none. */
export function linesOf(bases: readonly string[], places: readonly { path: string; line: number }[]): string[] {
  const files = new ContainedFiles(bases)
  const known = new Map<string, string[]>()
  return places.map(({ path, line }) => {
    let lines = known.get(path)
    if (lines === undefined) {
      const text = bases.map((it) => files.text(join(it, path))).find((it) => it !== undefined)
      lines = text?.split(/\r\n|\n|\r/) ?? []
      known.set(path, lines)
    }
    return cut(lines[line - 1] ?? '')
  })
}
