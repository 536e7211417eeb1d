/** How alike two names are spelled. */

import { gramIndex, gramsOf, type Names } from '#query/names'
import { normalizeName } from '#query/tokens'

const scratchA = new Uint32Array(200)
const scratchB = new Uint32Array(200)

/** Cosine of the groups of three characters of two names, 0..1, weighted by how rare they are in the project. */
export function likeness(names: Names, a: string, b: string): number {
  const nA = gramsOf(normalizeName(a), scratchA)
  const nB = gramsOf(normalizeName(b), scratchB)
  let dot = 0
  let squaresA = 0
  let squaresB = 0
  let j = 0
  for (let i = 0; i < nA; ) {
    const gram = scratchA[i]
    const tally = run(scratchA, i, nA)
    i += tally
    const rarity = idfOf(names, gram)
    squaresA += (tally * rarity) ** 2
    while (j < nB && scratchB[j] < gram) j++
    if (j < nB && scratchB[j] === gram) dot += tally * run(scratchB, j, nB) * rarity ** 2
  }
  for (let i = 0; i < nB; ) {
    const tally = run(scratchB, i, nB)
    squaresB += (tally * idfOf(names, scratchB[i])) ** 2
    i += tally
  }
  const norm = Math.sqrt(squaresA * squaresB)
  return norm === 0 ? 0 : Math.min(1, dot / norm)
}

/** How often the value at `i` stands there in a row. */
function run(values: Uint32Array, i: number, end: number): number {
  let n = 1
  while (i + n < end && values[i + n] === values[i]) n++
  return n
}

function idfOf(names: Names, gram: number): number {
  const i = gramIndex(names, gram)
  return i < 0 ? 1 : names.idf[i]
}
