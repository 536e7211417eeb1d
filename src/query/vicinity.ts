/** One step along relations: files next to those that a question already found. */

import { DEAD_EDGE, type Graph, GUESS, NONE, type NodeId } from '#graph/graph'
import type { Lexical } from '#graph/lexical'
import type { Corpus } from '#query/corpus'
import { placements } from '#query/region'

export interface Vicinity {
  /** By file document. */
  scores: Float32Array
  /** The file from which each file got most, NONE where it got nothing. */
  via: Uint32Array
}

/**
 * Passes the totals of the files in `first` to the files they are related to, in both directions of an edge. A file
 * divides what it passes by the square root of its number of neighbours, so that what everything uses gets little from
 * each. Relations between definitions count for their files; containment and siblings do not.
 */
export function spreadToNeighbours(
  graph: Graph,
  lexical: Lexical,
  corpus: Corpus,
  first: readonly number[],
  totals: ArrayLike<number>,
): Vicinity {
  const nFiles = lexical.files.length
  const scores = new Float32Array(nFiles)
  const via = new Uint32Array(nFiles).fill(NONE)
  const most = new Float32Array(nFiles)
  const skipped = placements(graph)
  for (const f of first) {
    const links = new Map<number, number>()
    addLinks(graph, corpus, lexical.files[f], f, skipped, links)
    for (let d = corpus.firstDefinition[f]; d < corpus.firstDefinition[f + 1]; d++) {
      addLinks(graph, corpus, lexical.definitions[d], f, skipped, links)
    }
    const share = totals[f] / Math.sqrt(links.size + 1)
    for (const [g, strength] of links) {
      const passed = share * strength
      scores[g] += passed
      if (passed > most[g]) {
        most[g] = passed
        via[g] = f
      }
    }
  }
  return { scores, via }
}

/** Strongest edge to each other file, by file document. */
function addLinks(
  graph: Graph,
  { fileDocOf }: Corpus,
  v: NodeId,
  own: number,
  skipped: ReadonlySet<number>,
  links: Map<number, number>,
): void {
  const take = (slot: number, other: NodeId) => {
    if (graph.flags[slot] & DEAD_EDGE || graph.tiers[slot] === GUESS || skipped.has(graph.relations[slot])) return
    const f = fileDocOf[other]
    if (f === NONE || f === own) return
    // as ingest gave it: feedback reaches a search by the words of questions, which does better (`fuse.md`)
    const strength = Math.min(1, graph.ingestWeights[slot])
    if (strength > (links.get(f) ?? 0)) links.set(f, strength)
  }
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) take(e, graph.out.targets[e])
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) take(graph.in.slots[i], graph.in.targets[i])
}
