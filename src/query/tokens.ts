/** A question as words, each with the spellings under which it may stand in a name. */

import { synonymsOf } from '#query/synonyms'
import { splitIdentifier } from '#graph/terms'

const SEPARATORS = /[\s?!.,;:()[\]{}"'`]+/u
const STOP_WORDS = new Set(
  'the and for that this with from into where which what when how does are was were has have not all any can code'.split(
    ' ',
  ),
)
const SHORTEST = 3
const PART_WEIGHT = 0.9
const SYNONYM_WEIGHT = 0.6
/** A part or synonym is looked up once per word; a word made of more parts than this is data, not a name. */
const MAX_PARTS = 8
/** Words are cut here: names in the index are not longer. */
const LONGEST = 200

/** A question may be a pasted log. This much of it is read; a word costs up to 0.3 ms on 100,000 names. */
export const MAX_QUERY_CHARS = 200_000
export const MAX_WORDS = 48

export interface Term {
  /** Lower case, NFC. */
  text: string
  /** What a match counts, 0..1. */
  weight: number
  /** Only whole names, tags and parts of names match. */
  whole: boolean
}

export interface Word {
  text: string
  /** The word itself first, then its parts, then synonyms. */
  terms: Term[]
}

export interface ParsedQuery {
  words: Word[]
  /** Distinct words that were left out because there were more than `MAX_WORDS`. */
  omitted: number
}

/**
 * Splits a question into words: lower case, at least three characters, no stop words, each once. When nothing
 * is left the longest original token stays. Of too many words those are kept that `isKnown` tells to be names,
 * then those that come first.
 */
export function parseQuery(query: string, isKnown: (word: string) => boolean = () => false): ParsedQuery {
  const spelled = new Map<string, string>()
  let longest = ''
  for (const raw of query.slice(0, MAX_QUERY_CHARS).normalize('NFC').split(SEPARATORS)) {
    const token = raw.slice(0, LONGEST)
    const word = normalizeName(token)
    if (word.length > longest.length) longest = word
    if (word.length < SHORTEST || STOP_WORDS.has(word)) continue
    // the spelling with the most parts tells most about the word
    const known = spelled.get(word)
    if (known === undefined || splitIdentifier(known).length < splitIdentifier(token).length) spelled.set(word, token)
  }
  if (spelled.size === 0 && longest !== '') spelled.set(longest, longest)

  let chosen = Array.from(spelled.keys())
  const total = chosen.length
  if (total > MAX_WORDS) {
    const names = chosen.filter((it) => isKnown(it))
    const others = chosen.filter((it) => !isKnown(it))
    chosen = names.concat(others).slice(0, MAX_WORDS)
  }
  return { words: chosen.map((it) => expand(it, spelled.get(it) ?? it)), omitted: total - chosen.length }
}

/** The form in which names and words are compared: NFC, lower case, at most 200 characters. */
export function normalizeName(name: string): string {
  const lower = isPlain(name) ? name.toLowerCase() : name.normalize('NFC').toLowerCase()
  if (lower.length <= LONGEST) return lower
  // a character has at most two units
  return Array.from(lower.slice(0, 2 * LONGEST))
    .slice(0, LONGEST)
    .join('')
}

/** The lower-case parts of an identifier, each once. */
export function partsOf(identifier: string): string[] {
  const parts: string[] = []
  for (const part of splitIdentifier(identifier)) {
    const lower = part.toLowerCase()
    if (!parts.includes(lower)) parts.push(lower)
  }
  return parts
}

function expand(word: string, spelling: string): Word {
  const terms: Term[] = [{ text: word, weight: 1, whole: false }]
  const add = (text: string, weight: number, whole: boolean) => {
    if (!terms.some((it) => it.text === text)) terms.push({ text, weight, whole })
  }
  const parts = partsOf(spelling)
    .filter((it) => it !== word && it.length >= SHORTEST && !STOP_WORDS.has(it))
    .slice(0, MAX_PARTS)
  for (const part of parts) add(part, PART_WEIGHT, false)
  for (const synonym of synonymsOf(word)) add(synonym, SYNONYM_WEIGHT, true)
  for (const part of parts) for (const synonym of synonymsOf(part)) add(synonym, SYNONYM_WEIGHT * PART_WEIGHT, true)
  return { text: word, terms }
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
