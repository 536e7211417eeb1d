/** From the terms of files to how much of each document they make up. */

import type { LexicalFile } from '#graph/lexical'
import { Frequencies, Records, Vocabulary } from '#graph/lexical/collect'
import { type Documents, type Lengths, orderByTerm, toDivisors } from '#graph/lexical/documents'
import { FIELD_WEIGHTS, N_FIELDS, PATH, SATURATION } from '#graph/lexical/fields'
import { NONE } from '#graph/graph'

/** Stands for an impact of 1. */
export const IMPACT_UNIT = 65535

export interface Collected {
  vocabulary: Vocabulary
  inFiles: Records
  inDefinitions: Records
  inPaths: Records
}

/** Records by the numbers of the vocabulary. Turns the lengths into divisors. */
export function collect(
  files: readonly LexicalFile[],
  documents: Documents,
  lengths: Lengths,
  average: Float64Array,
): Collected {
  toDivisors(lengths, average)
  const { ofFiles, ofDefinitions } = lengths
  const vocabulary = new Vocabulary()
  const inFiles = new Records()
  const inDefinitions = new Records()
  const inPaths = new Records()
  const frequency = new Frequencies(documents.mostDefinitions + 1)
  for (let f = 0; f < files.length; f++) {
    const { words } = files[f]
    const first = documents.firstDefinition[f]
    const order = orderByTerm(words)
    let i = 0
    while (i < order.length) {
      const term = words.term[order[i]]
      let inPath = 0
      for (; i < order.length && words.term[order[i]] === term; i++) {
        const posting = order[i]
        const field = words.field[posting]
        const count = words.count[posting]
        const divisor = ofFiles[f * N_FIELDS + field]
        frequency.add(0, (FIELD_WEIGHTS[field] * count) / divisor)
        if (field === PATH) inPath += count / divisor
        for (let d = documents.definitionOf(f, words.owner[posting], field); d !== NONE; d = documents.enclosing[d]) {
          frequency.add(1 + d - first, (FIELD_WEIGHTS[field] * count) / ofDefinitions[d * N_FIELDS + field])
        }
      }
      const id = vocabulary.add(words.terms[term])
      frequency.drain((slot, value) => {
        if (slot === 0) inFiles.add(id, f, impact(value))
        else inDefinitions.add(id, first + slot - 1, impact(value))
      })
      if (inPath > 0) inPaths.add(id, f, impact(inPath))
    }
  }
  return { vocabulary, inFiles, inDefinitions, inPaths }
}

function impact(frequency: number): number {
  return Math.max(1, Math.round((IMPACT_UNIT * frequency) / (frequency + SATURATION)))
}
