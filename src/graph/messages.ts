/**
 * The words of past commit messages, and which files each commit touched. People describe a change in the words in
 * which others will ask for the place, so a question that is like an old message leads to what was changed then.
 *
 * Messages are documents of a BM25 index (Robertson and Zaragoza, 2009); all that does not depend on a question is
 * worked out when it is built.
 */

import { findTerm, type Postings, rarity, type WeightedTerm } from '#graph/lexical'
import { Records, Vocabulary } from '#graph/lexical/collect'
import { NONE, type NodeId } from '#graph/graph'
import { eachWord, termsOf } from '#graph/terms'

/** What one commit says and what it touched. */
export interface PastCommit {
  /** Epoch seconds. */
  time: number
  /** Subject and body. */
  message: string
  /** Nodes of the files that still exist. */
  files: ArrayLike<NodeId>
  /** Files that it touched, those gone since included. */
  width: number
}

export interface Messages {
  /** Distinct terms in ascending order of their UTF-8 bytes, and where each begins (nTerms + 1). */
  termBytes: Uint8Array
  termOffsets: Uint32Array
  /** Commits that hold a term; impacts are saturated frequencies. */
  postings: Postings
  /** Epoch seconds of each commit, in the order given. */
  times: Uint32Array
  /** Nodes of the files of each commit: `files[fileOffsets[c] .. fileOffsets[c + 1]]`. */
  fileOffsets: Uint32Array
  files: Uint32Array
  /** Subjects as UTF-8 bytes, one after the other, and where each begins. */
  subjectBytes: Uint8Array
  subjectOffsets: Uint32Array
}

/** A commit that touches more files says nothing about each of them. */
const MOST_FILES = 30
/** Saturation and weight of length of BM25. */
const K1 = 1.2
const B = 0.75
const IMPACT_UNIT = 65535
const MOST_COUNTED = 0xffff
const LONGEST_SUBJECT = 120
const TRAILER = /^\s*(?:[a-z]+-(?:off-)?by|cc|change-id|git-svn-id)\s*:/i
const NUMBER = /^\d+$/

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function buildMessages(commits: readonly PastCommit[]): Messages {
  const kept = commits.filter(({ files, width }) => files.length > 0 && width <= MOST_FILES)
  const vocabulary = new Vocabulary()
  const counts = kept.map(({ message }) => countTerms(message))
  const lengths = counts.map((it) => it.reduce((sum, [, count]) => sum + count, 0))
  const average = lengths.reduce((sum, it) => sum + it, 0) / Math.max(1, kept.length)
  const records = new Records()
  counts.forEach((terms, c) => {
    const norm = K1 * (1 - B + (B * lengths[c]) / Math.max(1, average))
    terms.forEach(([term, count]) =>
      records.add(vocabulary.add(term), c, Math.max(1, Math.round((IMPACT_UNIT * count) / (count + norm)))),
    )
  })
  const { termBytes, termOffsets, rank } = vocabulary.sort()
  const subjects = kept.map(({ message }) => subjectOf(message))
  return {
    termBytes,
    termOffsets,
    postings: records.toPostings(rank),
    times: Uint32Array.from(kept, ({ time }) => Math.max(0, time)),
    fileOffsets: offsetsOf(kept.map(({ files }) => files.length)),
    files: Uint32Array.from(kept.flatMap(({ files }) => Array.from(files))),
    subjectBytes: encoder.encode(subjects.join('')),
    subjectOffsets: offsetsOf(subjects.map((it) => encoder.encode(it).length)),
  }
}

export function emptyMessages(): Messages {
  return buildMessages([])
}

/** BM25 of every commit, indexed by commit. */
export function scoreMessages(messages: Messages, terms: readonly WeightedTerm[]): Float32Array {
  const nCommits = messages.times.length
  const scores = new Float32Array(nCommits)
  const { offsets, docs, impacts } = messages.postings
  for (const { term, weight } of terms) {
    const id = findTerm(messages, term)
    if (id === NONE) continue
    const unit = (weight * rarity(messages.postings, nCommits, id) * (K1 + 1)) / IMPACT_UNIT
    for (let i = offsets[id]; i < offsets[id + 1]; i++) scores[docs[i]] += unit * impacts[i]
  }
  return scores
}

/** First line of a commit's message, at most 120 characters. */
export function subjectAt({ subjectBytes, subjectOffsets }: Messages, commit: number): string {
  return decoder.decode(subjectBytes.subarray(subjectOffsets[commit], subjectOffsets[commit + 1]))
}

function subjectOf(message: string): string {
  const end = message.indexOf('\n')
  return (end < 0 ? message : message.slice(0, end)).trim().slice(0, LONGEST_SUBJECT).toWellFormed()
}

/** Terms of a message with their counts; people who signed it and numbers of reports are no terms. */
function countTerms(message: string): [string, number][] {
  const counts = new Map<string, number>()
  for (const line of message.split('\n')) {
    if (TRAILER.test(line)) continue
    eachWord(line, 0, line.length, (from, to) => {
      const word = line.slice(from, to)
      if (NUMBER.test(word)) return
      for (const term of termsOf(word)) counts.set(term, Math.min(MOST_COUNTED, (counts.get(term) ?? 0) + 1))
    })
  }
  return [...counts]
}

function offsetsOf(sizes: readonly number[]): Uint32Array {
  const offsets = new Uint32Array(sizes.length + 1)
  sizes.forEach((size, i) => {
    offsets[i + 1] = offsets[i] + size
  })
  return offsets
}

export type MessageColumns = Record<string, Uint8Array | Uint16Array | Uint32Array>

/** The index as named columns, to be saved. */
export function messageColumns({ postings, ...rest }: Messages): MessageColumns {
  return { ...rest, offsets: postings.offsets, docs: postings.docs, impacts: postings.impacts }
}

/** Inverse of `messageColumns`; throws when a column is missing or of another type. */
export function messagesFromColumns(columns: Readonly<Record<string, ArrayBufferView>>): Messages {
  const read = <T extends ArrayBufferView>(name: string, type: new (length: number) => T): T => {
    const column = columns[name]
    if (column instanceof type) return column
    throw new Error(`index of messages: column ${name} is no ${type.name}`)
  }
  return {
    termBytes: read('termBytes', Uint8Array),
    termOffsets: read('termOffsets', Uint32Array),
    postings: {
      offsets: read('offsets', Uint32Array),
      docs: read('docs', Uint32Array),
      impacts: read('impacts', Uint16Array),
    },
    times: read('times', Uint32Array),
    fileOffsets: read('fileOffsets', Uint32Array),
    files: read('files', Uint32Array),
    subjectBytes: read('subjectBytes', Uint8Array),
    subjectOffsets: read('subjectOffsets', Uint32Array),
  }
}
