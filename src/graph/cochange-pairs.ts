/** Which files change together so regularly that the graph gets an edge for it. */

export interface CoChangePair {
  /** The smaller and the larger number of the pair. */
  a: number
  b: number
  /** Commits that touched both. */
  commits: number
  /** `commits` over the commits of the one that changed more often, 0..1. */
  confidence: number
  /** 0.1 per commit, at most 1. */
  strength: number
}

export interface CoChangePairOptions {
  minCommits: number
  /** Commits with more files say nothing about pairs and are left out. */
  maxFiles: number
  minConfidence: number
}

const DEFAULTS: CoChangePairOptions = { minCommits: 3, maxFiles: 30, minConfidence: 0.3 }
const STRENGTH_PER_COMMIT = 0.1

/**
 * The pairs of files that were seen together often enough, ordered by `a`, then `b`. `groups` has the files of
 * one commit each, as numbers of the caller's choice; a file named twice in a commit counts once. Confidence
 * is measured against the busier file: a change log that goes with everything makes no pair with anything.
 */
export function coChangePairs(
  groups: readonly ArrayLike<number>[],
  options: Partial<CoChangePairOptions> = {},
): CoChangePair[] {
  const { minCommits, maxFiles, minConfidence } = { ...DEFAULTS, ...options }
  const commitsOf = new Map<number, number[][]>()
  for (const group of groups) {
    const files = Array.from(new Set(Array.from(group)))
    if (files.length < 2 || files.length > maxFiles) continue
    for (const file of files) {
      const commits = commitsOf.get(file)
      if (commits === undefined) commitsOf.set(file, [files])
      else commits.push(files)
    }
  }

  const pairs: CoChangePair[] = []
  const files = Array.from(commitsOf.keys()).sort((a, b) => a - b)
  for (const a of files) {
    const commits = commitsOf.get(a) ?? []
    if (commits.length < minCommits) continue
    const together = new Map<number, number>()
    for (const commit of commits) for (const b of commit) if (b > a) together.set(b, (together.get(b) ?? 0) + 1)
    for (const [b, count] of Array.from(together).sort((x, y) => x[0] - y[0])) {
      const confidence = count / Math.max(commits.length, commitsOf.get(b)?.length ?? 0)
      if (count < minCommits || confidence < minConfidence) continue
      pairs.push({ a, b, commits: count, confidence, strength: Math.min(1, STRENGTH_PER_COMMIT * count) })
    }
  }
  return pairs
}
