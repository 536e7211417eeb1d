/** Measures of rankings. */

/** How well one ranking finds what it should. */
export interface Score {
  /** Whether all of it is among the first 1, 3, 5 and 10: 0 or 1. */
  acc1: number
  acc3: number
  acc5: number
  acc10: number
  /** Share of it among the first ten. */
  recall10: number
  /** 1 / position of the first right one, 0 when none was found. */
  rr: number
}

export function scoreOf(ranked: readonly string[], gold: readonly string[]): Score {
  const places = gold.map((it) => ranked.indexOf(it)).map((it) => (it < 0 ? Number.POSITIVE_INFINITY : it + 1))
  const within = (k: number) => places.filter((it) => it <= k).length
  const all = (k: number) => (within(k) === gold.length ? 1 : 0)
  const first = Math.min(...places)
  return {
    acc1: all(1),
    acc3: all(3),
    acc5: all(5),
    acc10: all(10),
    recall10: within(10) / Math.max(1, gold.length),
    rr: Number.isFinite(first) ? 1 / first : 0,
  }
}

/** Means over several questions; `mrr` is the mean of `rr`. */
export interface Figures {
  n: number
  acc1: number
  acc3: number
  acc5: number
  acc10: number
  recall10: number
  mrr: number
}

export function figuresOf(scores: readonly Score[]): Figures {
  const of = (part: keyof Score) => rounded(mean(scores.map((it) => it[part])))
  return {
    n: scores.length,
    acc1: of('acc1'),
    acc3: of('acc3'),
    acc5: of('acc5'),
    acc10: of('acc10'),
    recall10: of('recall10'),
    mrr: of('rr'),
  }
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, it) => sum + it, 0) / values.length
}

/** The smallest value that `percent` of the values do not exceed; 0 without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted.length === 0 ? 0 : sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]
}

export function rounded(x: number, digits = 4): number {
  return Math.round(x * 10 ** digits) / 10 ** digits
}
