/** What was said about the answers to questions in like words. */

import { fileOf, type Graph, type NodeId, NONE } from '#graph/graph'
import type { WeightedTerm } from '#graph/lexical'
import { bind, type Learned } from '#plasticity/learned'
import type { Rates } from '#plasticity/weights'

/** Questions that are less alike are about something else. */
const ALIKE = 0.1
/** Queries after which a verdict counts half. */
const HALF_LIFE = 1000
/** Who calls a definition wrong says less about the file around it. */
const AROUND_WRONG = 0.5

/**
 * Per file and definition what the verdicts on questions like the one with these words come to, between -1 and 1.
 * A verdict counts by the likeness of the words, the cosine of their weights, by its age, and divided by the root
 * of the number of files that it is about. Under `literal` nothing is recollected.
 */
export function recollect(
  graph: Graph,
  learned: Learned,
  words: readonly WeightedTerm[],
  { plasticity }: Rates,
): Map<NodeId, number> {
  const sums = new Map<NodeId, number>()
  if (plasticity === 'literal' || words.length === 0 || learned.verdicts.length === 0) return sums
  bind(learned, graph)
  const weights = new Map(words.map((it) => [it.term, it.weight]))
  for (const { about, value, query, words: asked } of learned.verdicts) {
    let likeness = 0
    for (const { term, weight } of asked) likeness += weight * (weights.get(term) ?? 0)
    if (likeness < ALIKE) continue
    const known = [...about.nodes].filter((v) => v !== NONE && graph.dead[v] === 0)
    const own = new Set(known)
    const files = new Set(known.map((v) => fileOf(graph, v)).filter((v) => v !== NONE))
    const amount =
      (likeness * value * 0.5 ** ((learned.queryNumber - query) / HALF_LIFE)) / Math.sqrt(Math.max(1, files.size))
    for (const v of own) if (!files.has(v)) add(sums, v, amount)
    for (const v of files) add(sums, v, amount < 0 && !own.has(v) ? AROUND_WRONG * amount : amount)
  }
  for (const [v, sum] of sums) sums.set(v, Math.min(1, Math.max(-1, sum)))
  return sums
}

function add(sums: Map<NodeId, number>, v: NodeId, amount: number): void {
  sums.set(v, (sums.get(v) ?? 0) + amount)
}
