/** Identifiers and their parts, grams of texts. */

const ASCII_ONLY = /^[\0-\x7f]*$/
const PARTS =
  /\p{Lu}{2,}s(?![\p{Ll}\p{M}])|\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{N}+/gu

/**
 * The words in a name, in lower case and in order: `getHTTPResponse_v2` is `get http response v 2`. Words end
 * at a change of case, at digits and at everything that is no letter; of a run of capitals the last one
 * begins the next word, and a plural `s` stays with it (`userIDs` is `user ids`).
 */
export function identifierParts(name: string): string[] {
  if (!ASCII_ONLY.test(name)) return (name.match(PARTS) ?? []).map((it) => it.toLowerCase())
  const parts: string[] = []
  const length = name.length
  for (let i = 0; i < length; ) {
    const start = i
    const kind = KINDS[name.charCodeAt(i)]
    if (kind === OTHER) {
      i++
      continue
    }
    i = endOfRun(name, i, kind)
    if (kind === UPPER) {
      const capitals = i - start
      const lowerEnd = endOfRun(name, i, LOWER)
      const plural = capitals > 1 && lowerEnd === i + 1 && name[i] === 's'
      if (plural || (capitals === 1 && lowerEnd > i)) i = lowerEnd
      else if (lowerEnd > i) i--
    }
    parts.push(name.slice(start, i).toLowerCase())
  }
  return parts
}

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3

/** Kind of every ASCII character. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  return code >= 48 && code <= 57 ? DIGIT : OTHER
})

function endOfRun(name: string, from: number, kind: number): number {
  let i = from
  while (i < name.length && KINDS[name.charCodeAt(i)] === kind) i++
  return i
}

/** Every three characters in a row, repeated ones too; a shorter text is one gram, '' none. */
export function trigrams(text: string): string[] {
  if (text === '') return []
  // by characters, not by halves of surrogate pairs
  const characters = ASCII_ONLY.test(text) ? text : [...text]
  if (characters.length <= 3) return [text]
  const grams: string[] = []
  for (let i = 0; i + 3 <= characters.length; i++) {
    grams.push(typeof characters === 'string' ? characters.slice(i, i + 3) : characters.slice(i, i + 3).join(''))
  }
  return grams
}
