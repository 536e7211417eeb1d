/** What the history of one file says: how often and how it changes, whether faster than before, and what goes with it. */

export interface PastChange {
  /** Epoch seconds. */
  time: number
  added: number
  deleted: number
  /** Paths that the commit touched besides the file. */
  others: readonly string[]
  /** Made by a program that saves everything; says nothing about what belongs together. */
  isAutomatic: boolean
}

export type Velocity = 'accelerating' | 'decelerating' | 'stable'
export type Pattern = 'dormant' | 'churning' | 'stable' | 'expanding' | 'shrinking'

export interface Partner {
  path: string
  /** Commits that touched both. */
  times: number
  /** `times` over the commits of the one that changed more often, 0..1. */
  degree: number
}

export interface Timeline {
  velocity: Velocity
  /** 1 with no commits, falling towards 0. */
  stability: number
  pattern: Pattern
  added: number
  deleted: number
  /** By times, then path. */
  partners: Partner[]
}

export interface Window {
  /** Epoch seconds. */
  from: number
  to: number
  /** Commits of another file in the window, as far as they are known. */
  commitsOf: (path: string) => number
}

/** Fewer commits say nothing about speed. */
const FEWEST_FOR_SPEED = 4
const FASTER = 1.5
const SLOWER = 0.67
const STABILITY_SCALE = 10
const MANY_COMMITS = 10
const FEW_COMMITS = 2
const FEW_LINES = 20
const ONE_SIDED = 0.3
/** A commit that touches more files says nothing about what belongs together. */
export const WIDEST_COMMIT = 30

/** `changes` are those of the window, in any order; the window is halved by time. */
export function timeline(changes: readonly PastChange[], { from, to, commitsOf }: Window): Timeline {
  const added = changes.reduce((sum, it) => sum + it.added, 0)
  const deleted = changes.reduce((sum, it) => sum + it.deleted, 0)
  const middle = (from + to) / 2
  const recent = changes.filter((it) => it.time >= middle).length
  const velocity = velocityOf(recent, changes.length - recent)
  return {
    velocity,
    stability: 1 / (1 + changes.length / STABILITY_SCALE),
    pattern: patternOf(changes.length, velocity, added, deleted),
    added,
    deleted,
    partners: partnersOf(changes, commitsOf),
  }
}

function velocityOf(recent: number, older: number): Velocity {
  if (recent + older < FEWEST_FOR_SPEED) return 'stable'
  if (older === 0 || recent / older > FASTER) return 'accelerating'
  return recent / older < SLOWER ? 'decelerating' : 'stable'
}

function patternOf(commits: number, velocity: Velocity, added: number, deleted: number): Pattern {
  if (commits === 0) return 'dormant'
  if (commits > MANY_COMMITS && velocity === 'accelerating') return 'churning'
  const churn = added + deleted
  if (commits <= FEW_COMMITS && churn < FEW_LINES) return 'stable'
  const net = churn === 0 ? 0 : (added - deleted) / churn
  if (net > ONE_SIDED) return 'expanding'
  if (net < -ONE_SIDED) return 'shrinking'
  return commits > MANY_COMMITS ? 'churning' : 'stable'
}

function partnersOf(changes: readonly PastChange[], commitsOf: Window['commitsOf']): Partner[] {
  const times = new Map<string, number>()
  for (const { others, isAutomatic } of changes) {
    if (isAutomatic || others.length >= WIDEST_COMMIT) continue
    for (const it of others) times.set(it, (times.get(it) ?? 0) + 1)
  }
  const partners = [...times].map(([path, count]) => ({
    path,
    times: count,
    degree: count / Math.max(changes.length, commitsOf(path), count),
  }))
  return partners.sort((a, b) => b.times - a.times || b.degree - a.degree || (a.path < b.path ? -1 : 1))
}
