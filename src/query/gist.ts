/** What a question is about, in a form in which it can be kept and compared with later ones. */

import { findTerm, type Lexical, rarity, type WeightedTerm } from '#graph/lexical'
import { NONE } from '#graph/graph'
import { readQuestion } from '#query/question'

/** The heaviest terms tell what it was about. */
const MOST_TERMS = 24

/** Its heaviest terms, weighed by how rare they are in the code, as a vector of length 1; empty without terms. */
export function gistOf(lexical: Lexical, query: string): WeightedTerm[] {
  const nFiles = lexical.files.length
  // a word that the code does not have tells two questions about it from all others
  const unknown = Math.log(1 + (nFiles + 0.5) / 0.5)
  const terms = readQuestion(query).terms.map(({ term, weight }) => {
    const id = findTerm(lexical, term)
    const isKnown = id !== NONE && rarity(lexical.inFiles, nFiles, id) > 0
    return { term, weight: weight * (isKnown ? rarity(lexical.inFiles, nFiles, id) : unknown) }
  })
  const heaviest = terms
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : a.term > b.term ? 1 : 0))
    .slice(0, MOST_TERMS)
  const length = Math.sqrt(heaviest.reduce((sum, it) => sum + it.weight ** 2, 0))
  return heaviest.map(({ term, weight }) => ({ term, weight: weight / length }))
}
