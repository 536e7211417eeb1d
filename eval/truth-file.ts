/** Truth that was saved: one JSON file, packed or not, with `files`, `defs`, `refs`, `deps`, `inherits`, `dispatch`, `unknown`. */

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { NONE, type Truth } from './truth.ts'

interface Saved {
  meta: { lang: string; repo: string; commit: string; tool: string }
  files: string[]
  defs: {
    file: string
    kind: string
    name: string
    line: number
    ranges: [number, number][]
    required: boolean
    parent: number | null
  }[]
  refs: { from: number | null; file: string; to: number; kinds: Record<string, number>; line: number }[]
  deps: { from: string; to: string; required: boolean }[]
  inherits: { from: number; to: number }[]
  dispatch: [number, number][]
  unknown: string[]
}

export function readTruth(path: string): { truth: Truth; about: Saved['meta'] } {
  const bytes = readFileSync(path)
  const saved: Saved = JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
  const truth: Truth = {
    files: saved.files,
    definitions: saved.defs.map(({ file, kind, name, line, ranges, required, parent }) => ({
      file,
      kind,
      name,
      line,
      ranges: ranges.map(([start, end]) => ({ start, end })),
      required,
      parent: parent ?? NONE,
    })),
    references: saved.refs.map(({ from, file, to, kinds, line }) => ({
      from: from ?? NONE,
      file,
      to,
      kinds: new Set(Object.keys(kinds)),
      line,
    })),
    dependencies: saved.deps.map(({ from, to, required }) => ({ from, to, required })),
    inherits: saved.inherits.map(({ from, to }) => ({ from, to })),
    dispatch: saved.dispatch.map(([declared, implementing]) => ({ declared, implementing })),
    unknown: new Set(saved.unknown),
    unwritten: null,
  }
  return { truth, about: saved.meta }
}
