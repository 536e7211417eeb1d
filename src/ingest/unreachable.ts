/** Lines that never run, because the condition before them is written as false. */

import type { FactsBuilder } from '#ingest/source'

/** Languages whose blocks end with a word in place of a brace. */
const WORDS: ReadonlySet<string> = new Set(['ruby', 'lua'])
const NEVER = /\bif\s*(?:constexpr\s*)?(?:\(\s*(?:false|FALSE|0)\s*\)|false\b)\s*(then\b)?/g
/** Indentation blocks are read by the modules of their languages, text of unknown kind by nobody. */
const WITHOUT: ReadonlySet<string> = new Set(['python', 'bash', 'generic'])

/**
 * Marks references on lines that belong to such a block alone; what shares its line with code that runs is
 * left as it is.
 */
export function markUnreachable({ facts, source, quiet }: FactsBuilder): void {
  const { text } = source
  if (WITHOUT.has(facts.language) || !/\bif\b[^\n]{0,12}\b(?:false|FALSE|0)\b/.test(text)) return
  const dead: { first: number; last: number }[] = []
  for (const found of text.matchAll(NEVER)) {
    if (isQuiet(quiet, found.index)) continue
    const from = found.index + found[0].length
    const end = WORDS.has(facts.language) ? endOfWords(text, found.index, from) : endOfBlock(text, quiet, from)
    if (end < 0) continue
    const first = source.lineAt(found.index)
    const last = source.lineAt(end)
    const isAlone =
      /^\s*$/.test(text.slice(source.lineStarts[first - 1], found.index)) &&
      /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 200))
    if (first === last) {
      if (isAlone) dead.push({ first, last })
    } else dead.push({ first: first + 1, last: last - 1 })
  }
  if (dead.length === 0) return
  for (const it of facts.references)
    if (dead.some(({ first, last }) => first <= it.line && it.line <= last)) it.unreachable = true
}

function isQuiet(quiet: readonly number[], at: number): boolean {
  for (let i = 0; i < quiet.length && quiet[i] <= at; i += 3) if (at < quiet[i + 1]) return true
  return false
}

/** Where the block in braces, or the one statement, ends that begins at `from`; -1 when it does not. */
function endOfBlock(text: string, quiet: readonly number[], from: number): number {
  let depth = 0
  let next = 0
  for (let i = from; i < text.length; i++) {
    while (next < quiet.length && quiet[next + 1] <= i) next += 3
    if (next < quiet.length && quiet[next] <= i) {
      i = quiet[next + 1] - 1
      continue
    }
    const c = text[i]
    if (c === '{' || c === '(') depth++
    else if (c === '}' || c === ')') {
      depth--
      if (depth <= 0) return depth < 0 ? -1 : c === '}' ? i + 1 : endOfBlock(text, quiet, i + 1)
    } else if (c === ';' && depth === 0) return i + 1
  }
  return -1
}

/** Where the block ends that a word of the same indentation closes: `end`, or `else` before it. */
function endOfWords(text: string, start: number, from: number): number {
  const line = text.lastIndexOf('\n', start) + 1
  const rest = text.slice(from)
  const same = /^[^\n]*?\b(end|else)\b/.exec(rest)
  if (same !== null) return from + same[0].length
  const indent = /^[ \t]*/.exec(text.slice(line, start))?.[0] ?? ''
  const closing = new RegExp(`\\n${indent}(?:end|else|elsif|elseif)\\b`).exec(rest)
  return closing === null ? -1 : from + closing.index + closing[0].length
}
