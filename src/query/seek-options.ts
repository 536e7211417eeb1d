/** What is asked of a search and what comes back, the same for every way of ranking. */

import type { NodeId } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import type { Messages } from '#graph/messages'
import type { Semantic } from '#query/semantic'

export interface SeekIndexes {
  lexical: Lexical
  messages: Messages
  semantic: Semantic
}

export interface SeekOptions {
  query: string
  topK: number
  /** Prefix of the path or of the node id; '' for everything. */
  scope: string
  /** Codes of node types to return; empty for all. */
  nodeTypes: ReadonlySet<number>
  /** Share of the first row's score below which rows are left out, 0..1. With the seed formula the score itself. */
  minScore: number
  /** Whether relations between files take part. */
  graphRerank: boolean
  /** What was said about files and definitions as answers to like questions, -1..1. */
  remembered?: ReadonlyMap<NodeId, number>
  ranking: 'fused' | 'seed'
  nowSeconds: number
}

export interface SeekRow {
  node: NodeId
  /** 0..1; the first row of the fused ranking has 1. */
  score: number
  /** What each list, or each part of the seed formula, gives the row, 0..1. */
  parts: Record<string, number>
  /** Why it is here, in a few words. */
  reason: string
}

/** A scope as prefix of paths: no leading `./`, no id prefix of a file or directory. */
export function normalizeScope(scope: string): string {
  return scope
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:file|dir)::/, '')
    .replace(/^(?:\.\/)+/, '')
}
