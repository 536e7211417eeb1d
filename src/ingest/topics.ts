/** Topical tags: the few words that a file is about, counted from its names, imports and first sentence. */

import { eachWord, RESERVED_WORDS, splitIdentifier, STOP_WORDS } from '#graph/terms'
import type { Facts } from '#ingest/facts'

const DEFINED = 3
const IMPORTED = 2
const DESCRIBED = 2
const USED = 1
/** A word must count this much to be a topic, and a file has at most so many. */
const MIN_COUNT = 3
const MAX_TOPICS = 6

/** Remembers how names fall into words, as the same names occur in file after file. */
export class Topics {
  private readonly known = new Map<string, string[]>()

  /** The words of a name or expression that can be topics: lower-case, no keywords, numbers or fragments. */
  wordsOf(name: string): string[] {
    const known = this.known.get(name)
    if (known !== undefined) return known
    const words: string[] = []
    eachWord(name, 0, name.length, (from, to) => {
      for (const part of splitIdentifier(name.slice(from, to))) {
        const word = part.toLowerCase()
        if (word.length < 3 || /^\p{N}/u.test(word) || STOP_WORDS.has(word) || RESERVED_WORDS.has(word)) continue
        words.push(word)
      }
    })
    this.known.set(name, words)
    return words
  }

  /** Topics of a file, the strongest first; equal ones in alphabetical order. */
  topicsOf(facts: Facts): string[] {
    const counts = new Map<string, number>()
    const count = (name: string, weight: number) => {
      for (const word of this.wordsOf(name)) counts.set(word, (counts.get(word) ?? 0) + weight)
    }
    for (const it of facts.definitions) count(it.name, DEFINED)
    for (const it of facts.imports) count(it.alias === '' ? it.name : it.alias, IMPORTED)
    for (const it of facts.references) count(it.path, USED)
    count(facts.excerpt, DESCRIBED)
    const topics = [...counts].filter((it) => it[1] >= MIN_COUNT)
    topics.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    return topics.slice(0, MAX_TOPICS).map((it) => it[0])
  }
}
