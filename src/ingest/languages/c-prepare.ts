/** The text of C and C++ as the grammar sees it, and what was taken out of it. */

import { type MacroCall, withoutMacros } from '#ingest/languages/c-macros'
import { type Directive, preprocess } from '#ingest/languages/c-preprocessor'
import type { Match } from '#ingest/parse'
import type { Source } from '#ingest/source'

export interface Prepared {
  /** As long as the text, with the same line breaks. */
  code: string
  directives: Directive[]
  calls: MacroCall[]
  /** Pairs of start and end in source order: code that the grammar did not see. */
  dropped: number[]
  /** Pairs of start and end in source order: code that no build takes. */
  dead: number[]
}

let lastText = ''
let lastCpp = false
let last: Prepared = { code: '', directives: [], calls: [], dropped: [], dead: [] }

/** Remembers the last text, since a file is asked for when it is parsed and again when its facts are read. */
export function prepare(text: string, isCpp: boolean): Prepared {
  if (text !== lastText || isCpp !== lastCpp) {
    const { code, directives, dropped, dead } = preprocess(text)
    last = { ...withoutMacros(code, isCpp), directives, dropped, dead }
    lastText = text
    lastCpp = isCpp
  }
  return last
}

/** What was taken out as matches, among those of the grammar. */
export function withPrepared(matches: readonly Match[], prepared: Prepared, source: Source): Match[] {
  const added: Match[] = []
  const add = (kind: string, start: number, end: number, parts: [string, number, number][]) =>
    added.push({
      kind,
      start,
      end,
      line: source.lineAt(start),
      parts: parts.map(([name, from, to]) => ({ name, start: from, end: to, line: source.lineAt(from) })),
    })
  const { dropped } = prepared
  for (let i = 0; i < dropped.length; i += 2) add('dropped', dropped[i], dropped[i + 1], [])
  for (const it of prepared.calls)
    add(it.argsRemain ? 'loop' : 'use', it.start, it.argsEnd, [
      ['callee', it.start, it.nameEnd],
      ['args', it.argsStart, it.argsEnd],
    ])
  for (const { name, start, end, rest } of prepared.directives) {
    const text = source.text.slice(rest, end)
    if (name === 'include' || name === 'include_next' || name === 'import') {
      const path = /^\s*(<[^>\n]+>|"[^"\n]+"|[A-Za-z_]\w*)/.exec(text)
      if (path === null) continue
      const from = rest + path[0].length - path[1].length
      add('include', start, end, [['path', from, from + path[1].length]])
    } else if (name === 'define') {
      const found = /^\s*([A-Za-z_]\w*)(\([^)]*\))?/.exec(text)
      if (found === null) continue
      const from = rest + found[0].length - found[1].length - (found[2]?.length ?? 0)
      const value = rest + found[0].length
      const parts: [string, number, number][] = [['name', from, from + found[1].length]]
      if (found[2] !== undefined) parts.push(['params', from + found[1].length, value])
      if (source.text.slice(value, end).trim() !== '') parts.push(['value', value, end])
      add(found[2] === undefined ? 'define' : 'macro', start, end, parts)
    }
  }
  if (added.length === 0) return [...matches]
  return [...added, ...matches].sort((a, b) => a.start - b.start || b.end - a.end)
}

/** True when an offset lies in one of the ranges, pairs in order. */
export function isWithin(ranges: readonly number[], offset: number): boolean {
  for (let i = 0; i < ranges.length && ranges[i] <= offset; i += 2) if (offset < ranges[i + 1]) return true
  return false
}
