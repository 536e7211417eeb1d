/** Past changes whose messages are like the question, and the files that they touched. */

import { NONE } from '#graph/graph'
import type { WeightedTerm } from '#graph/lexical'
import { type Messages, scoreMessages, subjectAt } from '#graph/messages'
import { topPositions } from '#std/heap'

export interface Past {
  /** By file document. */
  scores: Float32Array
  /** The commit that gave each file most, NONE where none did. */
  via: Uint32Array
}

/** Messages that are looked at. */
const NEAREST = 60
const HALF_LIFE_SECONDS = 3 * 365.25 * 86_400

/**
 * Each of the nearest messages gives its files (score / best)² · 0.5^(age / 3 years) / √(number of its files).
 * `fileDocOf` is the file document of a node, NONE for nodes without one.
 */
export function scorePast(
  messages: Messages,
  terms: readonly WeightedTerm[],
  { fileDocOf, nFiles, nowSeconds }: { fileDocOf: Uint32Array; nFiles: number; nowSeconds: number },
): Past {
  const past: Past = { scores: new Float32Array(nFiles), via: new Uint32Array(nFiles).fill(NONE) }
  const found = scoreMessages(messages, terms)
  const nearest = topPositions(found, NEAREST)
  const most = new Float32Array(nFiles)
  for (const c of nearest) {
    const likeness = (found[c] / found[nearest[0]]) ** 2
    const age = Math.max(0, nowSeconds - messages.times[c])
    const start = messages.fileOffsets[c]
    const end = messages.fileOffsets[c + 1]
    const given = (likeness * 0.5 ** (age / HALF_LIFE_SECONDS)) / Math.sqrt(end - start)
    for (let i = start; i < end; i++) {
      const f = fileDocOf[messages.files[i]]
      if (f === NONE) continue
      past.scores[f] += given
      if (given > most[f]) {
        most[f] = given
        past.via[f] = c
      }
    }
  }
  return past
}

const LONGEST = 60

/** The subject of a commit for a reason; control characters and quotes are left out, since it is quoted. */
export function quoteSubject(messages: Messages, commit: number): string {
  const clean = subjectAt(messages, commit).replace(/[\p{C}"]/gu, '')
  return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST - 1)}…`
}
