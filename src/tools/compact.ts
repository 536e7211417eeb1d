/** Answers of default size: short rows first, then what else there is of each row as far as there is room. */

/** Four characters of JSON count as a token. */
const CHARACTERS_PER_TOKEN = 4
const DEFAULT_TOKENS = 2000
const TOKENS_PER_ROW = 100
const MOST_TOKENS = 8000

/** Characters that an answer of `topK` rows may take unless its caller says otherwise. */
export function budgetFor(topK: number, maxTokens?: number): number {
  const usual = Math.min(MOST_TOKENS, Math.max(DEFAULT_TOKENS, TOKENS_PER_ROW * topK))
  return CHARACTERS_PER_TOKEN * (maxTokens ?? usual)
}

/** Characters of a value as JSON, with the comma after it. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value).length + 1
}

/** The first rows that fit, and `fewest` in any case. */
export function rowsThatFit<Row>(rows: readonly Row[], room: number, fewest = 1): Row[] {
  let left = room
  let shown = 0
  for (; shown < rows.length; shown++) {
    left -= sizeOf(rows[shown])
    if (left < 0 && shown >= fewest) break
  }
  return rows.slice(0, shown)
}
