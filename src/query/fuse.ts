/**
 * Several rankings of the same documents made into one. A list gives each document a share, 0..1, of its best
 * score; the shares are weighed and summed. What was tried instead, with figures, stands in `fuse.md`.
 */

/** Lists by name with their weights. A new list is a line here and a column of shares for `fuse`. */
export const LIST_WEIGHTS = {
  /** Words anywhere in the file. */
  text: 1,
  /** Words in its best definition. */
  definition: 0.7,
  /** Words in its path. */
  path: 0.5,
  /** Definitions named in the question as in code. */
  identifier: 0.5,
  /** Paths and lines of the question. */
  place: 0.7,
  /** Neighbours of what the other lists found. */
  graph: 0.35,
  /** Past changes whose messages are like the question. */
  history: 0.4,
  /** How much depends on it. */
  importance: 0.05,
  /** How lately and often it was changed. */
  recency: 0.15,
} as const

/** What files that were confirmed for the very same question gain, as a share of the best total … */
export const CONFIRMED_GAIN = 0.3
/** … and what is taken from those that were called wrong. */
export const REJECTED_LOSS = 0.7

export type ListName = keyof typeof LIST_WEIGHTS

export interface List {
  name: ListName
  /** 0..1, indexed by document. */
  shares: Float32Array
}

/** Sums the weighed shares of all lists into `totals`, indexed by document. */
export function fuse(lists: readonly List[], nDocs: number): Float64Array {
  const totals = new Float64Array(nDocs)
  for (const { name, shares } of lists) {
    if (shares.length !== nDocs) throw new Error(`list ${name} has ${shares.length} shares for ${nDocs} documents`)
    const weight = LIST_WEIGHTS[name]
    for (let i = 0; i < nDocs; i++) totals[i] += weight * shares[i]
  }
  return totals
}

/** In place: scores divided by the highest, so that the best document has 1. */
export function toShares(scores: Float32Array): Float32Array {
  let best = 0
  for (let i = 0; i < scores.length; i++) if (scores[i] > best) best = scores[i]
  if (best > 0) for (let i = 0; i < scores.length; i++) scores[i] /= best
  return scores
}

/** In place: scores divided by a size that counts as certain; more is not better. */
export function toCertainty(scores: Float32Array, certain: number): Float32Array {
  for (let i = 0; i < scores.length; i++) scores[i] = Math.min(1, scores[i] / certain)
  return scores
}
