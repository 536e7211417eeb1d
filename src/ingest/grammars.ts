/** Whether the grammars that came with the program are all there. */

import { LANGUAGES } from '#ingest/languages'
import { loadGrammar } from '#ingest/parse'

/** What is wrong with each grammar that cannot be loaded. */
export async function checkGrammars(): Promise<string[]> {
  const broken: string[] = []
  for (const { grammar, query } of LANGUAGES) {
    if (grammar === '') continue
    try {
      await loadGrammar(grammar, query)
    } catch (error) {
      broken.push(`${grammar}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return broken
}
