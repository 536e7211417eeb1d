/** Numbers, times and sizes in words. */

const counts = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function count(n: number): string {
  return counts.format(n)
}

export function short(n: number): string {
  return n < 10_000 ? counts.format(n) : compact.format(n)
}

/** `3 files`, `1 file`. */
export function many(n: number, one: string, more = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : more}`
}

/** A share of one. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

export function bytes(n: number): string {
  return n < 1e6 ? `${Math.round(n / 1e3)} kB` : n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(2)} GB`
}

const STEPS: readonly (readonly [number, string])[] = [
  [86_400 * 365, 'year'],
  [86_400 * 30, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

/** How long something takes or has taken: `3 hours`, `12 s`. */
export function duration(seconds: number): string {
  for (const [length, name] of STEPS) if (seconds >= length) return many(Math.floor(seconds / length), name)
  return seconds >= 1 || seconds === 0 ? `${Math.round(seconds)} s` : `${Math.round(seconds * 1000)} ms`
}

/** `3 hours ago`; epoch ms. */
export function ago(ms: number, now = Date.now()): string {
  const seconds = (now - ms) / 1000
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`
}
