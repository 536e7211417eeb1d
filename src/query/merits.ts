/** Which definitions of the found files are meant. */

import { FILE, FUNCTION, type Graph, labelOf, type NodeId } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import { termsOf } from '#graph/terms'
import type { Corpus } from '#query/corpus'

/** What one definition has against others of its file. */
export interface Merit {
  /** Definition document. */
  doc: number
  /** 0 and more; added to the file's share for a ranking of definitions across files. */
  merit: number
}

/** What is known of definitions for one question. */
export interface Evidence {
  /** Share, 0..1, of the best definition's words, by definition document. */
  shares: Float32Array
  /** Definitions named in the question and how surely. */
  named: ReadonlyMap<number, number>
  /** Definitions around lines of the question. */
  placed: ReadonlyMap<number, number>
  /** Terms of the question. */
  terms: ReadonlySet<string>
}

/** Measured on the functions that past commits changed; what each part brings stands in `fuse.md`. */
const WORDS = 0.26
const SIZE = 0.4
const NAME = 0.12
const NAMED = 0.2
const PLACED = 2
/** Logarithm of the lines of a function of about 400, from which on more does not count. */
const LARGE = 6
/** A type counts like a function of five lines, since its methods stand for themselves. */
const TYPE_SIZE = 0.3

/**
 * The best `most` definitions of a file that the question reaches, best first: by their words against the best of the
 * file, by the part of their name that the question has, and by their size, since a longer function is changed more
 * often. `accepts` leaves definitions out.
 */
export function meritsOf(
  graph: Graph,
  { lexical, corpus }: { lexical: Lexical; corpus: Corpus },
  file: number,
  { shares, named, placed, terms }: Evidence,
  { most, accepts }: { most: number; accepts: (v: NodeId) => boolean },
): Merit[] {
  const first = corpus.firstDefinition[file]
  const end = corpus.firstDefinition[file + 1]
  let best = 0
  for (let doc = first; doc < end; doc++) if (shares[doc] > best) best = shares[doc]
  const found: Merit[] = []
  for (let doc = first; doc < end; doc++) {
    const certain = NAMED * Math.min(2, named.get(doc) ?? 0) + PLACED * (placed.get(doc) ?? 0)
    if (shares[doc] === 0 && certain === 0) continue
    const v = lexical.definitions[doc]
    if (!accepts(v)) continue
    const words = best === 0 ? 0 : shares[doc] / best
    found.push({ doc, merit: certain + WORDS * words + SIZE * sizeOf(graph, v) })
  }
  // taking names apart costs most: only those are looked at that a full match would bring among the best
  const least = found.length <= most ? 0 : found.map((it) => it.merit).sort((a, b) => b - a)[most - 1] - NAME
  const near = found.filter((it) => it.merit >= least)
  for (const it of near) it.merit += NAME * coverage(labelOf(graph, lexical.definitions[it.doc]), terms)
  return near.sort((a, b) => b.merit - a.merit || a.doc - b.doc).slice(0, most)
}

/** Part of a name's words that the question has. */
function coverage(label: string, terms: ReadonlySet<string>): number {
  const all = termsOf(label)
  const parts = all.length > 1 ? all.slice(1) : all
  if (parts.length === 0) return 0
  let held = 0
  for (const it of parts) if (terms.has(it)) held++
  return held / parts.length
}

/** 0..1; a file's text outside of its definitions has none. */
function sizeOf(graph: Graph, v: NodeId): number {
  if (graph.types[v] === FILE) return 0
  if (graph.types[v] !== FUNCTION) return TYPE_SIZE
  return Math.min(1, Math.log1p(Math.max(0, graph.lineEnd[v] - graph.lineStart[v])) / LARGE)
}
