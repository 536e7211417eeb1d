/** JSON as clients send it, looked at before a parser or a reader of the value meets it. */

const MAX_DEPTH = 512
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const QUOTE = 34
const BACKSLASH = 92

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The value of UTF-8 bytes. Throws an `Error` when they are no text, no JSON, or nest too deep. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes)
  if (isTooDeep(text)) throw new SyntaxError(`more than ${MAX_DEPTH} levels of nesting`)
  return JSON.parse(text)
}

/** A message or an array of them; ids that no number can hold exactly become `bigint`, so that they can be given back. */
export function parseMessage(bytes: Uint8Array): unknown {
  const value = parseJson(bytes)
  const inexact = (Array.isArray(value) ? value : [value]).filter(isRecord).filter(({ id }) => isInexact(id))
  if (inexact.length === 0) return value
  const written = Array.from(decoder.decode(bytes).matchAll(/"id"\s*:\s*(-?\d+)(?=\s*[,}])/g), ([, digits]) => digits)
  for (const it of inexact) {
    const at = written.findIndex((digits) => Number(digits) === it.id)
    if (at >= 0) it.id = BigInt(written.splice(0, at + 1)[at])
  }
  return value
}

/** Whether more than one written number reads as this one. */
export function isInexact(id: unknown): boolean {
  return typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id)
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (quoted) {
      if (c === BACKSLASH) i++
      else if (c === QUOTE) quoted = false
    } else if (c === QUOTE) quoted = true
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--
  }
  return false
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
