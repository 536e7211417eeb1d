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
  if (n < 1000) return `${n} B`
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

const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** Day and time of day; epoch ms. */
export function moment(ms: number): string {
  return moments.format(ms)
}

/** Time of day to the second; epoch ms. */
export function timeOfDay(ms: number): string {
  return clock.format(ms)
}

/** `+0.43`, `-1.2`: a difference of weights. */
export function signed(n: number): string {
  const text = n.toFixed(n !== 0 && Math.abs(n) < 0.01 ? 4 : 2)
  return n > 0 ? `+${text}` : text
}

/** What a node is called, as far as its key tells: the path of a file, the names of a definition and what it is in. */
export function nameOf(key: string): string {
  const parts = key.replace(/\/$/, '').split('::')
  const at = parts.findIndex((it) => it === 'file' || it === 'dir')
  const names = at < 0 ? [] : parts.slice(at + 2).filter((_, i) => i % 2 === 1)
  const name = names.length > 0 ? names.join('.') : at < 0 ? parts.slice(-1)[0] : (parts[at + 1] ?? key)
  return name.replaceAll('%3A%3A', '::')
}
