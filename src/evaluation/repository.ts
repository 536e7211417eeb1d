/** Reading a repository's past for tasks, and a copy of one state of it that knows nothing of what came later. */

import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceFile } from '#evaluation/baselines'
import { isCode, type PastChange, type Task, taskOf } from '#evaluation/tasks'
import { readGit, splitNul } from '#ingest/git'

/** Tasks are looked for among at most so many of the newest commits of the main line. */
const MOST_COMMITS = 20_000
/** Commits over which the baselines count, newest first, and files beyond which one of them says nothing. */
const COUNTED_COMMITS = 8000
const MOST_FILES = 30
/** Larger files are no code that somebody wrote. */
const MOST_BYTES = 1_500_000

export class RepositoryError extends Error {}

/** A state of a repository and the changes that came after it. */
export interface Window {
  base: string
  /** Epoch seconds of the base commit. */
  time: number
  /** In the order of the history. */
  tasks: Task[]
}

/** The top folder of the work tree around `folder`. */
export async function topOf(folder: string): Promise<string> {
  return text(folder, ['rev-parse', '--show-toplevel'])
}

/**
 * A commit of the main line, as late as `count` changes after it that make a task allow, and the first `count` of
 * these. Fewer when the history is short.
 */
export async function windowOf(repository: string, count: number): Promise<Window> {
  const line = lines(await git(repository, ['rev-list', '--first-parent', `--max-count=${MOST_COMMITS}`, 'HEAD']))
  const last = line.length - 1
  if (last < 1) throw new RepositoryError(`${repository}: its history has fewer than two commits`)
  let wanted = count
  let depth = Math.min(last, count)
  for (;;) {
    const changes = await changesSince(repository, line[depth])
    const candidates = changes.filter((it) => taskOf(it, () => true) !== null)
    if (candidates.length < wanted && depth < last) {
      depth = Math.min(last, 2 * depth)
      continue
    }
    const base = line[await latestBase(repository, { line, deepest: depth, candidates, wanted })]
    const window = await openWindow(repository, base, changes)
    const missing = count - window.tasks.length
    if (missing <= 0 || base === line[last]) {
      if (window.tasks.length === 0)
        throw new RepositoryError(`${repository}: no commit changes source files and says why in three words`)
      return { ...window, tasks: window.tasks.slice(0, count) }
    }
    // that many change only what was added after the base
    wanted += missing
  }
}

/** The tasks after a given base. */
async function openWindow(repository: string, base: string, changes: readonly PastChange[]): Promise<Window> {
  const there = new Set(splitNul(await git(repository, ['ls-tree', '-r', '--name-only', '-z', base])))
  const since = new Set(lines(await git(repository, ['rev-list', `${base}..HEAD`])))
  const tasks = changes.filter((it) => since.has(it.hash)).flatMap((it) => taskOf(it, (path) => there.has(path)) ?? [])
  return { base, time: await timeOf(repository, base), tasks }
}

/** Epoch seconds of a commit. */
export async function timeOf(repository: string, commit: string): Promise<number> {
  return Number(await text(repository, ['log', '-1', '--no-show-signature', '--format=%ct', commit]))
}

interface Search {
  line: readonly string[]
  deepest: number
  candidates: readonly PastChange[]
  wanted: number
}

/** The place on the main line nearest to its head after which there are as many candidates as wanted. */
async function latestBase(repository: string, { line, deepest, candidates, wanted }: Search): Promise<number> {
  const hashes = new Set(candidates.map((it) => it.hash))
  let low = 1
  let high = deepest
  while (low < high) {
    const middle = (low + high) >> 1
    const since = lines(await git(repository, ['rev-list', '--no-merges', `${line[middle]}..HEAD`]))
    if (since.filter((it) => hashes.has(it)).length >= wanted) high = middle
    else low = middle + 1
  }
  return low
}

/** The oldest first. */
async function changesSince(repository: string, base: string): Promise<PastChange[]> {
  const args = ['--reverse', '--topo-order', '--diff-filter=M', '--format=%x01%H%x00%P%x00%B', `${base}..HEAD`, '--']
  return parseLog(await git(repository, [...LOG, ...args]))
}

const LOG = [
  'log',
  '-z',
  '--name-only',
  '--no-merges',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-mailmap',
]

/** Per commit a mark, its hash, its parents, its message, then the names. */
function parseLog(bytes: Buffer): PastChange[] {
  return bytes
    .toString('utf8')
    .split('\x01')
    .slice(1)
    .map((record) => {
      const [hash, parents, message = '', ...names] = record.split('\0')
      const modified = names.map((it) => it.replace(/^\n/, '')).filter((it) => it !== '')
      return { hash, parent: parents.split(' ')[0], message: message.trim(), modified }
    })
}

/**
 * A work tree of `commit` in the new folder `to`, whose history ends there: a repository of its own that borrows
 * objects, with one branch, and without the settings, filters and hooks of the other one.
 */
export async function checkOut(repository: string, commit: string, to: string): Promise<void> {
  const objects = realpathSync.native(join(repository, await text(repository, ['rev-parse', '--git-path', 'objects'])))
  const shallow = join(repository, await text(repository, ['rev-parse', '--git-path', 'shallow']))
  mkdirSync(to, { recursive: true })
  await git(to, ['init', '-q', '-b', 'main'])
  writeFileSync(join(to, '.git/objects/info/alternates'), `${objects}\n`)
  if (existsSync(shallow)) copyFileSync(shallow, join(to, '.git/shallow'))
  for (const [key, value] of PLAIN) await git(to, ['config', key, value])
  await git(to, ['update-ref', 'refs/heads/main', commit])
  await git(to, ['read-tree', commit])
  // fails for the files whose content a partial clone lacks; they are missing from the tree then
  await readGit(to, ['checkout-index', '-a', '-f', '-q'])
}

const PLAIN = [
  ['core.autocrlf', 'false'],
  ['gc.auto', '0'],
  ['filter.lfs.required', 'false'],
  ['filter.lfs.smudge', ''],
  ['filter.lfs.process', ''],
]

/** The code of a work tree, and the files of each commit up to it. */
export async function readForBaselines(folder: string): Promise<{ files: SourceFile[]; history: string[][] }> {
  const files: SourceFile[] = []
  for (const entry of splitNul(await git(folder, ['ls-files', '-s', '-z']))) {
    const [, path] = /^100\d+ \w+ 0\t([\s\S]*)$/.exec(entry) ?? []
    if (path === undefined || !isCode(path)) continue
    const file = join(folder, path)
    if (existsSync(file) && statSync(file).size <= MOST_BYTES) files.push({ path, text: readFileSync(file, 'utf8') })
  }
  const there = new Set(files.map((it) => it.path))
  const log = await git(folder, [...LOG, `--max-count=${COUNTED_COMMITS}`, '--format=%x01%H%x00%P%x00', 'HEAD', '--'])
  const history = parseLog(log)
    .filter(({ modified }) => modified.length <= MOST_FILES)
    .map(({ modified }) => modified.filter((it) => there.has(it)))
    .filter((it) => it.length > 0)
  return { files, history }
}

/**
 * Lines of `path` that the task's commit changed, as they are numbered in the base; what was changed between the base
 * and the commit cannot be found there and is left out. An insertion is the line before it.
 */
export async function changedLines(
  repository: string,
  base: string,
  { id, parent }: Task,
  path: string,
): Promise<number[]> {
  const [drift, change] = await Promise.all([
    hunks(repository, base, parent, path),
    hunks(repository, parent, id, path),
  ])
  const changed: number[] = []
  for (const { from, count } of change) {
    for (let at = from; at < from + Math.max(1, count); at++) {
      const before = lineBefore(drift, at)
      if (before > 0) changed.push(before)
    }
  }
  return changed
}

interface Hunk {
  /** Lines of the old file; with none, the one after which something was inserted. */
  from: number
  count: number
  /** The same of the new file. */
  toFrom: number
  toCount: number
}

async function hunks(repository: string, from: string, to: string, path: string): Promise<Hunk[]> {
  const args = ['diff', '-U0', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', from, to, '--', path]
  const patch = (await git(repository, args)).toString('latin1')
  return Array.from(patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm), (it) => ({
    from: Number(it[1]),
    count: Number(it[2] ?? 1),
    toFrom: Number(it[3]),
    toCount: Number(it[4] ?? 1),
  }))
}

/** Number of a line before some changes, 0 when it was not there. */
function lineBefore(changes: readonly Hunk[], line: number): number {
  let shift = 0
  for (const { count, toFrom, toCount } of changes) {
    if (toCount > 0 && line >= toFrom && line < toFrom + toCount) return 0
    const end = toCount > 0 ? toFrom + toCount - 1 : toFrom
    if (line <= end) break
    shift += count - toCount
  }
  return line + shift
}

async function git(folder: string, args: readonly string[]): Promise<Buffer> {
  const answer = await readGit(folder, args)
  if (answer === null) throw new RepositoryError(`git ${args[0]} failed in ${folder}; is it a repository with commits?`)
  return answer
}

async function text(folder: string, args: readonly string[]): Promise<string> {
  return (await git(folder, args)).toString('utf8').trim()
}

function lines(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').filter(Boolean)
}
