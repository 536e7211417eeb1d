/** History laid over the files of an ingest: how often and when each changed, and which changed together. */

import type { EdgeInput } from '#graph/input'
import { coChangePairs } from '#graph/cochange-pairs'
import { changeFrequency, type Commit, type History, UNKNOWN_FREQUENCY } from '#ingest/history'

/** What happened, in terms of nodes: evidence for ranking beside the graph. */
export interface CommitRecord {
  /** Epoch seconds. */
  time: number
  /** Subject and body. */
  message: string
  /** Nodes of the files that still exist. */
  files: Uint32Array
  /** Files that it touched, those gone since included. */
  width: number
}

export interface FileAge {
  /** Epoch seconds. */
  lastModified: number
  changeFrequency: number
}

export interface AgedFile {
  path: string
  mtimeMs: number
  tracked: boolean
  /** Whether the work tree holds what git's index holds. */
  clean: boolean
}

const MAX_CO_CHANGE_WEIGHT = 0.5

/** How often and when files changed. */
interface Tally {
  counts: Map<string, number>
  newest: Map<string, number>
  oldest: number
}

const tallies = new WeakMap<readonly Commit[], Tally>()

function tallyOf(commits: readonly Commit[]): Tally {
  let tally = tallies.get(commits)
  if (tally !== undefined) return tally
  tally = { counts: new Map(), newest: new Map(), oldest: Number.POSITIVE_INFINITY }
  for (const { time, paths } of commits) {
    tally.oldest = Math.min(tally.oldest, time)
    for (const path of paths) {
      tally.counts.set(path, (tally.counts.get(path) ?? 0) + 1)
      tally.newest.set(path, Math.max(tally.newest.get(path) ?? 0, time))
    }
  }
  tallies.set(commits, tally)
  return tally
}

/** Age of each file: by its commits, or by the file system where git does not know its present content. */
export function fileAges(files: readonly AgedFile[], { commits }: Pick<History, 'commits'>): FileAge[] {
  const { counts, newest, oldest } = tallyOf(commits)
  const known = commits.length > 0
  return files.map(({ path, mtimeMs, tracked, clean }) => {
    const byGit = tracked && known
    // a file that no commit in reach touched is at least as old as the oldest of them
    const lastModified = byGit && clean ? (newest.get(path) ?? oldest) : Math.floor(mtimeMs / 1000)
    return { lastModified, changeFrequency: byGit ? changeFrequency(counts.get(path) ?? 0) : UNKNOWN_FREQUENCY }
  })
}

/** The commits that touched files which still exist, newest first. */
export function commitRecords(
  history: Pick<History, 'commits'>,
  nodeOfPath: ReadonlyMap<string, number>,
): CommitRecord[] {
  const records: CommitRecord[] = []
  for (const { time, message, paths } of history.commits) {
    const files = new Set<number>()
    for (const path of paths) {
      const node = nodeOfPath.get(path)
      if (node !== undefined) files.add(node)
    }
    if (files.size > 0) records.push({ time, message, files: Uint32Array.from(files).sort(), width: paths.length })
  }
  return records
}

/** Edges between files that change together regularly; seen in history, never proof of dependence. */
export function coChangeEdges(groups: readonly Uint32Array[]): EdgeInput[] {
  return coChangePairs(groups).map(({ a, b, strength }) => ({
    source: a,
    target: b,
    relation: 'co_changes',
    weight: Math.min(MAX_CO_CHANGE_WEIGHT, strength),
    causal: 0,
    bidirectional: true,
    tier: 'observed',
  }))
}
