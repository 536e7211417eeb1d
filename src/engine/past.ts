/**
 * What git says about the past when a tool asks. Fixed argument lists, names after `--`, refs looked at before git
 * sees them; output and time are bounded, and what was cut off is said.
 */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CommitGraph } from '#engine/commit-graph'
import { isInside } from '#engine/project'
import { type Graph, NONE, type NodeId, type Root, text } from '#graph/graph'
import { rootsOf } from '#graph/ingest-roots'
import { splitNul, startGit } from '#ingest/git'
import { isBinaryName } from '#ingest/text'

export interface Repository {
  /** Top level of the work tree. */
  top: string
  /** '' before the first commit. */
  head: string
  isShallow: boolean
  /** Commits at which a shallow clone ends. Git tells the whole tree as added there; what they changed is not known. */
  ends: ReadonlySet<string>
  signal: AbortSignal
  /** Makes the next questions quicker. */
  commits: CommitGraph
}

export interface FileCommit {
  hash: string
  /** Epoch seconds. */
  time: number
  author: string
  subject: string
  /** Path of the file at that time. */
  path: string
  added: number
  deleted: number
}

export interface Change {
  added: number
  deleted: number
}

const MAX_BYTES = 32 * 1024 * 1024
/** Only stops what would never end. */
const MAX_MS = 8000
const MAX_RENAMES = 10
/** Commits whose files are listed, for what changed together. */
export const MAX_LISTED = 500
/** Commits of a window whose files are listed. */
export const MAX_IN_WINDOW = 5000
const HASH = /^[0-9a-f]{40,64}$/
/** Letters of refs and of steps from one (`HEAD~3`, `v1^2`, `main@{1}`); never an option, a range or a path. */
const REF = /^(?!-)(?!.*\.\.)[\p{L}\p{N}_.,/@{}~^+#=%!-]{1,200}$/u
const COMMIT = '%x01%H%x1f%ct%x1f%an%x1f%s'
const LOG = ['log', '-z', '--no-merges', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv']
const NO_SUBMODULES = '--ignore-submodules=all'

/** Root of a node and its path below the root's base; null when it has no file. */
export function placeOf(graph: Graph, v: NodeId): { root: Root; path: string } | null {
  if (graph.paths[v] === NONE) return null
  const path = text(graph, graph.paths[v])
  const roots = rootsOf(graph, v)
  const root = roots.find((it) => isInside(join(it.base, path), it.path)) ?? roots[0]
  return root === undefined ? null : { root, path }
}

/**
 * The repository around a path of a root, which need not be there any more; null when there is none, or no git. `shelf` is
 * the folder of the state, '' for none.
 */
export async function repositoryAt(folder: string, shelf: string, signal: AbortSignal): Promise<Repository | null> {
  let at = folder
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at)
  const wanted = [
    'rev-parse',
    '--show-toplevel',
    '--is-shallow-repository',
    '--git-path',
    'objects',
    '--git-path',
    'shallow',
  ]
  const [answer, head] = await Promise.all([
    run(at, wanted, signal),
    run(at, ['rev-parse', '--verify', '-q', 'HEAD'], signal),
  ])
  if (answer === null) return null
  const [top, shallow, objects, ends] = answer.bytes.toString('utf8').split('\n')
  return {
    top,
    head: head?.bytes.toString('utf8').trim() ?? '',
    isShallow: shallow === 'true',
    ends: new Set(shallow === 'true' ? readFileSync(resolve(at, ends), 'utf8').split('\n') : []),
    signal,
    commits: new CommitGraph(shallow === 'true' ? '' : shelf, resolve(at, objects)),
  }
}

export function isRef(ref: string): boolean {
  return REF.test(ref)
}

/** Hash of the commit that a ref names, null when there is none. */
export async function commitOf({ top, signal }: Repository, ref: string): Promise<string | null> {
  if (!isRef(ref)) return null
  const answer = await run(top, ['rev-parse', '--verify', '-q', `${ref}^{commit}`], signal)
  const hash = answer?.bytes.toString('utf8').trim() ?? ''
  return HASH.test(hash) ? hash : null
}

/** The last commit of the current branch before a time (epoch seconds), null when all are younger. */
export async function commitBefore({ top, signal }: Repository, time: number): Promise<string | null> {
  const answer = await run(top, ['rev-list', '--max-count=1', `--before=${iso(time)}`, 'HEAD', '--'], signal)
  const hash = answer?.bytes.toString('utf8').trim() ?? ''
  return HASH.test(hash) ? hash : null
}

export interface FileLog {
  /** Newest first, without merges. */
  commits: FileCommit[]
  /** Names the file had, newest first. */
  names: string[]
  /** Git stopped before the end. */
  isCut: boolean
}

/** The commits that touched a file since a time (epoch seconds; null = ever), also under the names it had before. */
export async function fileLog(repository: Repository, path: string, since: number | null): Promise<FileLog> {
  return withLines(repository, await fileCommits(repository, path, since))
}

/** The same without lines, which take most of the time. */
export async function fileCommits(repository: Repository, path: string, since: number | null): Promise<FileLog> {
  const log: FileLog = { commits: [], names: [path], isCut: false }
  let [from, name] = ['HEAD', path]
  for (let i = 0; i <= MAX_RENAMES; i++) {
    const part = await commitsOf(repository, from, name, since)
    log.isCut ||= part.isCut
    log.commits.push(...part.commits)
    const oldest = part.commits.at(-1)
    const before = oldest === undefined ? null : await renamedIn(repository, oldest.hash, name)
    if (oldest === undefined || before === null || log.names.includes(before)) break
    log.names.push(before)
    from = `${oldest.hash}^`
    name = before
  }
  return log
}

async function commitsOf(repository: Repository, from: string, path: string, since: number | null) {
  const limit = since === null ? [] : [`--since=${iso(since)}`]
  // from the top: of a path with more signs git does not look up which commits changed it
  const args = [...LOG, '--no-mailmap', `--format=${COMMIT}`, ...limit, from, '--', `:(literal)${path}`]
  const answer = await ask(repository, args)
  const heads = splitNul(answer?.bytes ?? Buffer.alloc(0)).map(commitIn)
  const commits = heads
    .filter((it) => it !== null)
    .filter((it) => !repository.ends.has(it.hash))
    .map((it) => ({ ...it, path, added: 0, deleted: 0 }))
  return { commits, isCut: answer?.isWhole === false }
}

/**
 * The log with the lines of each commit, two processes at a time. It ends before the first commit of which git cannot
 * tell them, as in a clone without all contents.
 */
export async function withLines(repository: Repository, log: FileLog): Promise<FileLog> {
  const parts = log.names.map((name) => log.commits.filter((it) => it.path === name))
  const waiting = parts.flatMap((it) => piecesOf(it))
  const lines = new Map<FileCommit, Change>()
  const work = async () => {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift())
      await readLines(repository, piece, lines)
  }
  // git tells the whole file as added where it got its name
  const renames = parts.slice(0, -1).map(async (part, i) => {
    const oldest = part.at(-1)
    const moved = oldest && (await changeIn(repository, oldest.hash, log.names[i + 1], log.names[i]))
    return { oldest, moved }
  })
  await Promise.all([work(), work()])
  for (const { oldest, moved } of await Promise.all(renames)) if (oldest && moved) lines.set(oldest, moved)
  const first = log.commits.findIndex((it) => !lines.has(it))
  const commits = (first === -1 ? log.commits : log.commits.slice(0, first)).map((it) => ({ ...it, ...lines.get(it) }))
  const last = log.names.indexOf(commits.at(-1)?.path ?? log.names[0])
  return first === -1 ? { ...log, commits } : { commits, names: log.names.slice(0, last + 1), isCut: true }
}

/** Commits that one command line names at most, and that are worth a process of their own. */
const MOST_NAMED = 500
const LEAST_NAMED = 50

function piecesOf(commits: readonly FileCommit[]): FileCommit[][] {
  const size = Math.min(MOST_NAMED, Math.max(LEAST_NAMED, Math.ceil(commits.length / 2)))
  return Array.from({ length: Math.ceil(commits.length / size) }, (_, i) => commits.slice(i * size, (i + 1) * size))
}

/** Lines of commits of one path. */
async function readLines(
  { top, signal, commits: graph }: Repository,
  commits: readonly FileCommit[],
  lines: Map<FileCommit, Change>,
): Promise<void> {
  const byHash = new Map(commits.map((it) => [it.hash, it]))
  const path = `:(literal)${commits[0].path}`
  const args = [...LOG, '--numstat', `--format=${COMMIT}`, '--no-walk=unsorted', ...byHash.keys(), '--', path]
  const answer = await run(top, args, signal, graph.objects)
  let at: FileCommit | undefined
  for (const token of splitNul(answer?.bytes ?? Buffer.alloc(0))) {
    const head = commitIn(token)
    if (head !== null) at = byHash.get(head.hash)
    if (at !== undefined) lines.set(at, head === null ? numbersIn(token) : { added: 0, deleted: 0 })
  }
}

/** The name from which a commit renamed a file, null when it did not. */
async function renamedIn({ top, signal }: Repository, hash: string, path: string): Promise<string | null> {
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '-M',
    '-l1000',
    '--no-commit-id',
    '--name-status',
    '--diff-filter=R',
    hash,
    '--',
  ]
  const tokens = splitNul((await run(top, args, signal))?.bytes ?? Buffer.alloc(0))
  for (let i = 0; i + 2 < tokens.length; i += 3) if (tokens[i + 2].normalize('NFC') === path) return tokens[i + 1]
  return null
}

async function changeIn({ top, signal }: Repository, hash: string, from: string, to: string): Promise<Change | null> {
  const paths = [`:(top,literal)${from}`, `:(top,literal)${to}`]
  const args = ['diff-tree', '-r', '-z', '-M', '--no-commit-id', '--numstat', hash, '--', ...paths]
  const [first] = splitNul((await run(top, args, signal))?.bytes ?? Buffer.alloc(0))
  return first === undefined ? null : numbersIn(first)
}

/** What a commit of a listing touched. */
export interface Listed {
  hash: string
  time: number
  subject: string
  /** Paths below the top level, NFC. */
  paths: string[]
}

/** Files of the commits since a time, newest first. */
export function commitsSince(repository: Repository, since: number): Promise<Listed[]> {
  return list(repository, [`--max-count=${MAX_IN_WINDOW}`, `--since=${iso(since)}`, 'HEAD'])
}

/** Files of the newest commits that one commit has and another (if any) has not. */
export function commitsUpTo(
  repository: Repository,
  to: string,
  without: string | null,
  most: number,
): Promise<Listed[]> {
  return list(repository, [`--max-count=${most}`, to, ...(without === null ? [] : [`^${without}`])])
}

/** Files of these commits, at most `MAX_LISTED`. */
export function commitsNamed(repository: Repository, hashes: readonly string[]): Promise<Listed[]> {
  const named = hashes.slice(0, MAX_LISTED)
  return named.length === 0 ? Promise.resolve([]) : list(repository, ['--no-walk=unsorted', ...named])
}

async function list(repository: Repository, which: readonly string[]): Promise<Listed[]> {
  const answer = await ask(repository, [...LOG, NO_SUBMODULES, '--name-only', `--format=${COMMIT}`, ...which, '--'])
  const commits: Listed[] = []
  for (const token of splitNul(answer?.bytes ?? Buffer.alloc(0))) {
    const head = commitIn(token)
    if (head !== null) commits.push({ hash: head.hash, time: head.time, subject: head.subject, paths: [] })
    else if (token !== '') commits.at(-1)?.paths.push(token.replace(/^\n/, '').normalize('NFC'))
  }
  return commits.filter((it) => !repository.ends.has(it.hash))
}

/** Paths in a commit below the top level, NFC; null when git fails. */
export async function filesIn({ top, signal }: Repository, commit: string): Promise<string[] | null> {
  const answer = await run(top, ['ls-tree', '-r', '-z', '--full-tree', '--name-only', commit, '--'], signal)
  return answer === null ? null : splitNul(answer.bytes).map((it) => it.normalize('NFC'))
}

export interface Changes {
  byPath: Map<string, Change>
  /** False when git could not look at the work tree, and what is committed is told alone. */
  withWorkTree: boolean
}

/** Lines added and deleted between a commit and the work tree, by path; null when git fails. */
export async function changesSince({ top, signal }: Repository, commit: string): Promise<Changes | null> {
  const args = ['-z', '--numstat', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv', NO_SUBMODULES]
  const whole = await run(top, [...(await withoutFilters(top, signal)), 'diff', ...args, commit, '--'], signal)
  // a clone without all contents may lack one that the work tree would have to be compared with
  const answer = whole?.isWhole === true ? whole : await run(top, ['diff', ...args, commit, 'HEAD', '--'], signal)
  if (answer === null) return null
  const byPath = new Map<string, Change>()
  for (const token of splitNul(answer.bytes)) {
    const path = token.split('\t').slice(2).join('\t')
    if (path !== '') byPath.set(path.normalize('NFC'), numbersIn(token))
  }
  return { byPath, withWorkTree: answer === whole }
}

/** Filters are programs that the repository names; comparing with the work tree would run them. */
async function withoutFilters(top: string, signal: AbortSignal): Promise<string[]> {
  const answer = await run(top, ['config', '-z', '--name-only', '--get-regexp', '^filter[.]'], signal)
  const names = splitNul(answer?.bytes ?? Buffer.alloc(0)).filter((it) => /[.](?:clean|smudge|process)$/i.test(it))
  return [...new Set(names)].flatMap((it) => ['-c', `${it}=`])
}

/** Git takes a date before 1970 for a time of today. */
const LATEST = Date.UTC(2099, 11, 31) / 1000

function iso(time: number): string {
  return new Date(Math.floor(Math.min(LATEST, Math.max(0, time))) * 1000).toISOString()
}

function commitIn(token: string): Omit<FileCommit, 'path' | 'added' | 'deleted'> | null {
  const piece = token.replace(/^\n/, '')
  if (!piece.startsWith('\u0001')) return null
  const [hash, time, author = '', ...subject] = piece.slice(1).split('\u001f')
  return HASH.test(hash) ? { hash, time: Number(time), author, subject: subject.join('\u001f') } : null
}

/** `-` stands for a binary file. */
function numbersIn(token: string): Change {
  const [added, deleted] = token.trim().split('\t')
  return { added: Number(added) || 0, deleted: Number(deleted) || 0 }
}

interface Answer {
  bytes: Buffer
  /** False when the limit of output or time ended git. */
  isWhole: boolean
}

/** What git prints about the commits of a repository, null when it says no. */
async function ask({ top, signal, commits }: Repository, args: readonly string[]): Promise<Answer | null> {
  const began = performance.now()
  const answer = await run(top, args, signal, commits.objects)
  commits.tell(top, performance.now() - began)
  return answer
}

/** What git prints, null when it is missing or says no. */
function run(folder: string, args: readonly string[], signal: AbortSignal, objects = ''): Promise<Answer | null> {
  return new Promise((resolve) => {
    const stopping = new AbortController()
    const child = startGit(
      folder,
      args,
      AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(MAX_MS)]),
      objects,
    )
    const parts: Buffer[] = []
    let size = 0
    child.stdout.on('data', (part: Buffer) => {
      size += part.length
      if (size > MAX_BYTES) stopping.abort()
      else parts.push(part)
    })
    // in a clone without all contents git stops at the first that is missing; what it said before still holds
    const end = (isWhole: boolean) => resolve(isWhole || size > 0 ? { bytes: Buffer.concat(parts), isWhole } : null)
    child.on('error', () => end(false))
    child.on('close', (code) => end(code === 0))
  })
}

/** Path as in `source_path` for one below the top level of a repository, '' when it is outside of the root's base. */
export function sourcePathOf(root: Root, { top }: Repository, path: string): string {
  const file = join(top, path)
  return file.startsWith(`${root.base}/`) ? file.slice(root.base.length + 1) : ''
}

/** Whether a file of this name would have a node. */
export function isIndexable(path: string): boolean {
  return !isBinaryName(path)
}
