/** What git knows about the past of the files: how often and when each changed, what changed together, and why. */

import { readGit, startGit } from '#ingest/git'

export interface HistoryOptions {
  /** Folders of repositories below the root, ending in `/`; '' for the one around it. */
  repositories: readonly string[]
  /** Newest commits read per repository. */
  maxCommits?: number
}

export interface Commit {
  /** Epoch seconds. */
  time: number
  /** Subject and body. */
  message: string
  /** Paths relative to the root, `/` between parts, NFC. */
  paths: string[]
}

export interface History {
  /** Newest first within a repository; merges are left out. */
  commits: Commit[]
  /** Head commit of the first repository, '' when there is none. */
  head: string
  /** The same by repository, for the next time. */
  logs: Log[]
}

/** What one repository says. */
export interface Log {
  folder: string
  /** '' when there is no commit. */
  head: string
  maxCommits: number
  /** False for a shallow clone, whose past may grow. */
  isWhole: boolean
  commits: Commit[]
}

/** A count, so that the same repository gives the same history on any machine. */
const MAX_COMMITS = 5000
/** A message beyond this is a log, not an explanation. */
const MAX_MESSAGE = 4000
/** Only stops a git that never ends; such a repository is then without history. */
const MAX_MS = 120_000
/** Repositories of a workspace whose history is read. */
const MAX_REPOSITORIES = 50

const FORMAT = '%x01%H%x00%ct%x00%B'
const MARK = '\x01'
const HASH = /^[0-9a-f]{40,64}$/

export function noHistory(): History {
  return { commits: [], head: '', logs: [] }
}

/**
 * Reads the history of every repository in turn; those without git or commits give none. Of what `known` holds only
 * what came since is read, and when nothing did, `known` itself is returned.
 */
export async function readHistory(
  root: string,
  options: HistoryOptions,
  signal: AbortSignal,
  known: History | null = null,
): Promise<History> {
  const history = noHistory()
  for (const folder of options.repositories.slice(0, MAX_REPOSITORIES)) {
    const before = known?.logs.find((it) => it.folder === folder) ?? null
    const log = await readLog(root, folder, options.maxCommits ?? MAX_COMMITS, before, signal)
    history.logs.push(log)
    // one by one: spreading thousands of arguments overflows the stack
    for (const it of log.commits) history.commits.push(it)
    if (history.head === '') history.head = log.head
  }
  const isKnown =
    known !== null && known.logs.length === history.logs.length && known.logs.every((it, i) => it === history.logs[i])
  return isKnown ? known : history
}

async function readLog(
  root: string,
  folder: string,
  maxCommits: number,
  known: Log | null,
  signal: AbortSignal,
): Promise<Log> {
  const at = `${root}/${folder}`
  const answer = await readGit(at, ['rev-parse', '-q', 'HEAD', '--show-prefix', '--is-shallow-repository'], signal)
  const [head, prefix, shallow] = (answer?.toString('utf8') ?? '').split('\n')
  const log: Log = { folder, head, maxCommits, isWhole: shallow === 'false', commits: [] }
  if (answer === null) return known?.head === '' ? known : log
  const isUsable = known?.isWhole === true && log.isWhole && known.maxCommits === maxCommits
  const usable = isUsable ? known : null
  if (usable?.head === head) return usable
  if (usable !== null && (await isContinuation(at, usable.head, head, signal))) {
    const added = await readCommits(at, { folder, prefix, maxCommits, range: `${usable.head}..${head}` }, signal)
    if (added !== null) return { ...log, commits: added.concat(usable.commits).slice(0, maxCommits) }
  }
  return { ...log, commits: (await readCommits(at, { folder, prefix, maxCommits, range: head }, signal)) ?? [] }
}

/** Whether the commits from one head to the next stand in one row on top of it, so that git would list them first. */
async function isContinuation(at: string, from: string, to: string, signal: AbortSignal): Promise<boolean> {
  if ((await readGit(at, ['merge-base', '--is-ancestor', from, to], signal)) === null) return false
  const merges = await readGit(at, ['rev-list', '--count', '--merges', `${from}..${to}`], signal)
  return merges?.toString('utf8').trim() === '0'
}

interface Range {
  folder: string
  /** Of the folder below the top level of its repository. */
  prefix: string
  maxCommits: number
  range: string
}

/** Null when git fails. */
function readCommits(
  at: string,
  { folder, prefix, maxCommits, range }: Range,
  signal: AbortSignal,
): Promise<Commit[] | null> {
  const args = [
    'log',
    '-z',
    '--name-only',
    '--no-renames',
    '--no-merges',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-mailmap',
    '--no-show-signature',
    '--ignore-submodules=all',
    `--format=${FORMAT}`,
    `--max-count=${maxCommits}`,
    '--relative',
  ]
  // below the top level only commits that touch the folder count
  args.push(range, '--')
  if (prefix !== '') args.push('.')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)])
  return new Promise((resolve) => {
    const parser = new LogParser(folder)
    const child = startGit(at, args, limit)
    child.stdout.on('data', (part: Buffer) => parser.add(part))
    child.on('error', () => resolve(null))
    child.on('close', (code) => resolve(code === 0 ? parser.commits : null))
  })
}

/**
 * Takes the output of `git log` in pieces of any size. Per commit: mark with hash, time, message, an empty
 * piece, then the names; the first name follows a line feed.
 */
export class LogParser {
  readonly commits: Commit[] = []
  private readonly folder: string
  private readonly names = new Map<string, string>()
  private rest: Buffer = Buffer.alloc(0)
  private time = 0
  private state: 'time' | 'message' | 'first name' | 'name' = 'name'

  constructor(folder: string) {
    this.folder = folder
  }

  add(part: Buffer): void {
    const bytes = this.rest.length === 0 ? part : Buffer.concat([this.rest, part])
    let start = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      this.piece(bytes.toString('utf8', start, end))
      start = end + 1
    }
    this.rest = bytes.subarray(start)
  }

  private piece(text: string): void {
    if (this.state === 'time') {
      this.time = Number(text)
      this.state = 'message'
    } else if (this.state === 'message') {
      this.commits.push({ time: this.time, message: text.trim().slice(0, MAX_MESSAGE), paths: [] })
      this.state = 'first name'
    } else if (text.startsWith(MARK) && HASH.test(text.slice(1))) {
      this.state = 'time'
    } else {
      const name = this.state === 'first name' ? text.replace(/^\n/, '') : text
      this.state = 'name'
      if (name !== '') this.commits[this.commits.length - 1]?.paths.push(this.path(name))
    }
  }

  /** The same text for the same name, as names repeat thousands of times. */
  private path(name: string): string {
    const known = this.names.get(name)
    if (known !== undefined) return known
    const path = (this.folder + name).normalize('NFC')
    this.names.set(name, path)
    return path
  }
}

/** How often a file changes, from its number of commits: 50 and more are 1, never below 0.1. */
export function changeFrequency(commits: number): number {
  return Math.min(1, Math.max(0.1, commits / 50))
}

/** Change frequency of a file that git knows nothing about. */
export const UNKNOWN_FREQUENCY = 0.3
