/** An axis of time: where a moment lies, and which moments are named. */

export interface Tick {
  ms: number
  /** `2021`, `Mar 2021` or `3 Mar`. */
  name: string
}

const DAY = 86_400_000
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
/** Steps in months, from fine to coarse. */
const STEPS = [1, 2, 3, 6, 12, 24, 60, 120] as const

/** At most `most` moments between two others, at beginnings of years, months or days (UTC). */
export function ticksBetween(from: number, to: number, most: number): Tick[] {
  const days = (to - from) / DAY
  if (days < 62) return dayTicks(from, to, Math.max(1, Math.ceil(days / most)))
  const step = STEPS.find((it) => days / 30.4 / it <= most) ?? 240
  const begin = new Date(from)
  const ticks: Tick[] = []
  const first = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / step) * step
  for (let month = first; ; month += step) {
    const ms = Date.UTC(Math.floor(month / 12), month % 12)
    if (ms > to) return ticks
    const year = String(Math.floor(month / 12))
    if (ms >= from) ticks.push({ ms, name: step >= 12 ? year : `${MONTHS[month % 12]} ${year}` })
  }
}

function dayTicks(from: number, to: number, step: number): Tick[] {
  const ticks: Tick[] = []
  for (let ms = Math.ceil(from / DAY) * DAY; ms <= to; ms += step * DAY) {
    const at = new Date(ms)
    ticks.push({ ms, name: `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}` })
  }
  return ticks
}

/** From a time to 0..1; all in the middle where there is but one moment. */
export function scaleOf(from: number, to: number): (ms: number) => number {
  return (ms) => (to > from ? (ms - from) / (to - from) : 0.5)
}

/** `2021-03-04`, UTC. */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** How high a commit stands, 0..1 by its changed lines: ten times as many add as much again. */
export function heightOf(lines: number): number {
  return Math.min(1, (1 + Math.log10(1 + lines)) / 5)
}
