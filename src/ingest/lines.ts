/** Single lines of files, as they are on disk now. */

import { join } from 'node:path'
import { cut } from '#ingest/source'
import { ContainedFiles } from '#ingest/upgrade/contained'

export interface LineOfFile {
  /** Folders that the file may lie in, absolute real paths; the first that has it counts. */
  bases: readonly string[]
  path: string
  /** 1-based. */
  line: number
}

/** The lines at these places, '' where there is none. */
export function linesOf(places: readonly LineOfFile[]): string[] {
  const files = new ContainedFiles([...new Set(places.flatMap((it) => it.bases))])
  const known = new Map<string, string[]>()
  return places.map(({ bases, path, line }) => {
    const key = [...bases, path].join('\0')
    let lines = known.get(key)
    if (lines === undefined) {
      const text = bases.map((it) => files.text(join(it, path))).find((it) => it !== undefined)
      lines = text?.split(/\r\n|\n|\r/) ?? []
      known.set(key, lines)
    }
    return cut(lines[line - 1] ?? '')
  })
}
