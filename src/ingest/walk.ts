/**
 * Lists the files of a project. Inside a git work tree the list is git's own, nested repositories and
 * submodules included; elsewhere, or without git, folders are read and ignore files obeyed. Nothing outside
 * of the root is ever listed: symbolic links are not followed, neither as files nor as folders on the way.
 */

import { type Stats, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { readAttributes } from '#ingest/attributes'
import { readGit, splitNul } from '#ingest/git'
import { breathe, IngestError, type Problem, throwIfAborted } from '#ingest/report'

export const SKIP_DIRS = ['.git', 'node_modules', '__pycache__', '.venv', 'target', 'dist', 'build', '.next', 'vendor']
export const SKIP_FILES = [
  'package-lock.json',
  'yarn.lock',
  'Cargo.lock',
  'poetry.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'composer.lock',
  'Gemfile.lock',
  'go.sum',
  'uv.lock',
]
/** More files than this are a home folder or a disk, not a project. */
const MAX_FILES = 500_000
/** Ignore files larger than this are not read. */
const MAX_RULES_BYTES = 1_000_000
/** Time stamps are this coarse on some file systems: what is younger may have changed without a trace. */
export const STAMP_MS = 2000
/** How git marks what a sparse checkout leaves out. */
const SPARSE = 'S'
const BEYOND = /[\ud800-\udfff]/
/** Files looked at between two chances for timers and signals. */
const SLICE = 512

export interface WalkOptions {
  includeDotfiles: boolean
  /** Exact relative paths, `dir/*` for direct children, `dir/**` for a subtree. */
  dotfilePatterns: readonly string[]
  skipDirs?: readonly string[]
  skipFiles?: readonly string[]
  maxFiles?: number
  /** What an earlier walk of the same root left. */
  before?: WalkMemory
  /** The user's home folder, which is refused as a root like those above it. */
  home?: string
  /** Says whether a path is source code; used to tell a folder of repositories from a repository. */
  isSource?: (path: string) => boolean
}

/** What the next walk of the same root can make use of. */
export interface WalkMemory {
  /** Top level of the repository around the root, if there is one. */
  repository: string | undefined
  /** Files that were listed, relative to the root, as on disk. */
  names: readonly string[]
  /** Folders that were read without git. */
  folders: ReadonlyMap<string, ReadFolder>
  /** Epoch milliseconds when the walk began; what changed later may have changed unseen. */
  takenAt: number
}

/** What a folder holds, in order of name. */
interface ReadFolder {
  mtimeMs: number
  ctimeMs: number
  entries: readonly FolderEntry[]
}

interface FolderEntry {
  name: string
  isFolder: boolean
  isFile: boolean
}

export interface WalkedFile {
  /** Relative to the root, `/` between parts, Unicode NFC. */
  path: string
  /** Absolute, spelled as on disk. */
  file: string
  size: number
  mtimeMs: number
  ctimeMs: number
  tracked: boolean
  /** Hash of the content that git's index holds, '' when untracked. */
  blob: string
  /** `generated`, `vendored` as the repository's attributes say. */
  tags: string[]
}

export interface Walk {
  /** Absolute real path of what was asked for: the root, or one file in it. */
  given: string
  /** Absolute real path of the folder that `path`s are relative to. */
  root: string
  /** Top level of the repository around the root, else the root. */
  base: string
  /** In ascending byte order of path. */
  files: WalkedFile[]
  /** Folders of repositories, relative to the root and ending in `/`; '' when the root lies in one. */
  repositories: string[]
  /** Files left out by rules (dotfiles, skip lists, own ignore file); not those that git already left out. */
  ignored: number
  links: number
  warnings: string[]
  problems: Problem[]
  memory: WalkMemory
}

/** A listed path before it is looked at. `name` is relative to the root, as on disk. */
interface Listed {
  name: string
  tracked: boolean
  blob: string
}

/** Rules of one ignore file for paths that begin with `under`; `lead` stands before the path they see. */
interface Level {
  under: string
  lead: string
  rules: Ignore
}

/**
 * Throws an `IngestError` when the root is missing or unreadable (`ingest_path_missing`), is a whole disk or
 * home folder (`ingest_refused`), or holds too many files (`ingest_budget`, with the largest folders).
 */
export async function walk(path: string, options: WalkOptions, signal: AbortSignal): Promise<Walk> {
  const { root, single } = checkRoot(path, options.home ?? homedir())
  const walker = new Walker(root, options, signal)
  await walker.findRepository()
  if (single !== '') {
    await walker.takeSingle(single)
    return walker.finish()
  }
  await walker.list()
  await walker.look()
  return walker.finish()
}

/** The real path of the root, and the name of the file when the root is one. */
function checkRoot(path: string, home: string): { root: string; single: string } {
  let real: string
  let isFile: boolean
  try {
    real = realpathSync.native(resolve(path))
    isFile = statSync(real).isFile()
    if (!isFile) readdirSync(real)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    const what =
      reason === 'ENOTDIR'
        ? 'is neither a folder nor a regular file'
        : reason === 'ENOENT'
          ? 'does not exist'
          : `cannot be read (${reason})`
    throw new IngestError(
      'ingest_path_missing',
      `The path ${path} ${what}.`,
      'Give the absolute path of an existing project folder.',
    )
  }
  if (isFile) return { root: dirname(real), single: basename(real) }
  refuseWholeDisks(real, home)
  refuseNoProject(real)
  return { root: real, single: '' }
}

function refuseWholeDisks(root: string, given: string): void {
  const hint = 'Give the folder of one project inside it.'
  if (root === parse(root).root)
    throw new IngestError('ingest_refused', `${root} is a whole disk, not a project.`, hint)
  // an environment may name none
  if (!isAbsolute(given)) return
  const homes = [given]
  try {
    homes.push(realpathSync.native(given))
  } catch {
    // an account without a home folder has nothing to protect
    homes.length = 0
  }
  for (const home of homes) {
    if (root === home) throw new IngestError('ingest_refused', `${root} is a home folder, not a project.`, hint)
    if (home.startsWith(root + sep))
      throw new IngestError('ingest_refused', `${root} contains home folders; it is not a project.`, hint)
  }
}

/** The nearest folder at or above `folder` that looks like a repository, '' when there is none. */
function repositoryAbove(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return ''
  }
}

/** Folders of the system, whose files describe the machine. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev']

function refuseNoProject(root: string): void {
  const system = SYSTEM_FOLDERS.find((it) => root === it || root.startsWith(`${it}/`))
  if (system !== undefined)
    throw new IngestError(
      'ingest_refused',
      `${root} belongs to the system; it is not a project.`,
      'Give the folder of one project.',
    )
  if (['HEAD', 'objects', 'refs'].every((it) => existsSync(join(root, it))) && !existsSync(join(root, '.git')))
    throw new IngestError(
      'ingest_refused',
      `${root} is a git repository without files of its own (bare).`,
      'Give a clone or a work tree of it: git clone, or git worktree add.',
    )
}

class Walker {
  private readonly root: string
  private readonly options: WalkOptions
  private readonly signal: AbortSignal
  private readonly skipDirs: Set<string>
  private readonly skipFiles: Set<string>
  private readonly maxFiles: number
  private base: string
  private inGit = false
  private readonly listed: Listed[] = []
  private readonly levels: Level[] = []
  private readonly attributes: { under: string; lead: string; tag: string; matches: Ignore }[] = []
  private readonly realFolders = new Map<string, boolean>([['', true]])
  private readonly folders = new Map<string, ReadFolder>()
  private readonly startedAt = Date.now()
  /** Files that were looked at while git was listing; null for one that could not be. */
  private readonly looks = new Map<string, Stats | null>()
  private readonly result: Walk
  /** Tracked files that the checkout is told to leave out. */
  private sparse = 0

  constructor(root: string, options: WalkOptions, signal: AbortSignal) {
    this.root = root
    this.base = root
    this.options = options
    this.signal = signal
    this.skipDirs = new Set(options.skipDirs ?? SKIP_DIRS)
    this.skipFiles = new Set(options.skipFiles ?? SKIP_FILES)
    this.maxFiles = options.maxFiles ?? MAX_FILES
    this.result = {
      given: root,
      root,
      base: root,
      files: [],
      repositories: [],
      ignored: 0,
      links: 0,
      warnings: [],
      problems: [],
      memory: { repository: undefined, names: [], folders: this.folders, takenAt: this.startedAt },
    }
  }

  async findRepository(): Promise<void> {
    const repository = repositoryAbove(this.root)
    if (repository === '') return
    if (repository === this.options.before?.repository) {
      this.inGit = true
      this.base = repository
      this.result.repositories.push('')
      return
    }
    const output = await readGit(this.root, ['rev-parse', '--is-inside-work-tree', '--show-cdup'], this.signal)
    const [inside, up] = (output?.toString('utf8') ?? '').split('\n')
    if (inside !== 'true') {
      if (output === null)
        this.result.warnings.push(
          `${repository} is a repository, but git cannot be asked about it (not installed, or it belongs to another user: see safe.directory of git config). Its history is missing, and files are listed without git.`,
        )
      return
    }
    const top = realpathSync.native(resolve(this.root, up ?? ''))
    if (top !== this.root && !this.root.startsWith(top.endsWith(sep) ? top : top + sep)) return
    this.inGit = true
    this.base = top
    this.result.repositories.push('')
  }

  /** A file that was named itself is taken whatever the rules say. */
  async takeSingle(name: string): Promise<void> {
    this.result.given = join(this.root, name)
    const output = this.inGit
      ? await readGit(this.root, ['ls-files', '-z', '-s', '--', `:(literal)${name}`], this.signal)
      : null
    const blob = output?.toString('utf8').split(' ')[1] ?? ''
    this.take({ name, tracked: blob !== '', blob })
  }

  async list(): Promise<void> {
    const done = this.inGit && (await this.listThroughGit())
    if (!done) await this.listFolder('', [])
    this.readOwnRules()
  }

  private async listThroughGit(): Promise<boolean> {
    const found = await this.listRepository('', false)
    if (found !== null && (this.listed.length > 0 || !(await this.isIgnored()))) {
      await this.addChildRepositories()
      return true
    }
    // an ignored folder, such as an installed package: nothing that git knows describes it
    this.inGit = false
    this.base = this.root
    this.result.repositories.length = 0
    this.listed.length = 0
    return false
  }

  /** Lists through git below `prefix`; null when git cannot. Untracked ones obey the rules for folder names. */
  private async listRepository(prefix: string, nested: boolean): Promise<number | null> {
    throwIfAborted(this.signal)
    const args = ['ls-files', '-z', '-c', '-o', '-t', '-s', '--exclude-standard', '--deduplicate']
    const reading = readGit(join(this.root, prefix), args, this.signal)
    if (!nested) await this.lookAhead()
    const output = await reading
    throwIfAborted(this.signal)
    if (output === null) return null
    if (nested) this.result.repositories.push(prefix)
    const seen = new Set<string>()
    const inner: string[] = []
    for (const entry of splitNul(output)) {
      const untracked = entry.startsWith('? ')
      const tab = untracked ? 1 : entry.indexOf('\t')
      const name = entry.slice(tab + 1)
      // unmerged files are listed once per side
      if (name === '' || seen.has(name)) continue
      seen.add(name)
      const [state, mode, blob] = untracked ? [] : entry.slice(0, tab).split(' ')
      if (state === SPARSE) this.sparse++
      if (mode === '160000' || name.endsWith('/')) inner.push(prefix + (name.endsWith('/') ? name : `${name}/`))
      else this.add({ name: prefix + name, tracked: !untracked, blob: blob ?? '' })
    }
    for (const folder of inner) {
      const parts = folder.slice(0, -1).split('/')
      if (this.isHidden(folder.slice(0, -1)) || parts.some((it) => this.skipDirs.has(it)) || !this.isRepository(folder))
        continue
      if ((await this.listRepository(folder, true)) === null) await this.listFolder(folder, [])
    }
    return this.listed.length
  }

  /** While git makes its list, looks at the files that were there before: most of them still are. */
  private async lookAhead(): Promise<void> {
    const { names } = this.options.before ?? { names: [] }
    for (let i = 0; i < names.length; i++) {
      if (i % SLICE === 0) await breathe()
      const slash = names[i].lastIndexOf('/')
      if (slash === -1 || this.isRealFolder(names[i].slice(0, slash)))
        this.looks.set(names[i], lookAt(join(this.root, names[i])))
    }
  }

  private isRepository(folder: string): boolean {
    return this.isRealFolder(folder.slice(0, -1)) && existsSync(join(this.root, folder, '.git'))
  }

  private async isIgnored(): Promise<boolean> {
    return (await readGit(this.root, ['check-ignore', '-q', '.'], this.signal)) !== null
  }

  /**
   * A repository without source code of its own whose direct children are repositories that it ignores is a
   * workspace: the children are what one wants to see.
   */
  private async addChildRepositories(): Promise<void> {
    const isSource = this.options.isSource ?? (() => true)
    if (this.listed.some((it) => isSource(it.name))) return
    for (const entry of this.readFolder('')) {
      const folder = `${entry.name}/`
      if (!entry.isFolder || entry.name.startsWith('.') || this.skipDirs.has(entry.name)) continue
      if (this.result.repositories.includes(folder) || !this.isRepository(folder)) continue
      await this.listRepository(folder, true)
      this.result.warnings.push(
        `${folder} is a repository that ${this.root} ignores; it was taken in. Name it in .m1ndignore to leave it out.`,
      )
    }
  }

  /** Own ignore files and attributes: those between the top level and the root, and those that were listed. */
  private readOwnRules(): void {
    const lead = this.base === this.root ? '' : `${relative(this.base, this.root).split(sep).join('/')}/`
    const parts = lead === '' ? [] : lead.slice(0, -1).split('/')
    for (let depth = 0; depth <= parts.length; depth++) {
      const folder = join(this.base, ...parts.slice(0, depth))
      const rest = parts
        .slice(depth)
        .map((it) => `${it}/`)
        .join('')
      this.addRules(folder, '', rest, ['.m1ndignore'], this.levels)
      this.addAttributes(folder, '', rest)
    }
    for (const { name } of this.listed) {
      const slash = name.lastIndexOf('/')
      if (slash === -1) continue
      const under = name.slice(0, slash + 1)
      if (name.endsWith('/.m1ndignore')) this.addRules(join(this.root, under), under, '', ['.m1ndignore'], this.levels)
      else if (name.endsWith('/.gitattributes')) this.addAttributes(join(this.root, under), under, '')
    }
    this.levels.sort((a, b) => b.lead.length - a.lead.length || a.under.length - b.under.length)
  }

  /** Reads a folder and those below it, with the ignore files found on the way. */
  private async listFolder(folder: string, above: readonly Level[]): Promise<void> {
    const waiting: { folder: string; above: readonly Level[] }[] = [{ folder, above }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.listed.length % SLICE === 0) await breathe()
      throwIfAborted(this.signal)
      const { folder } = next
      const entries = this.readFolder(folder)
      if (folder !== '' && entries.some((it) => it.name === '.git')) {
        if ((await this.listRepository(folder, true)) !== null) continue
      }
      const levels = [...next.above]
      const names = ['.gitignore', '.ignore', '.m1ndignore'].filter((name) =>
        entries.some((it) => it.name === name && it.isFile),
      )
      if (folder === '' && existsSync(join(this.root, '.git/info/exclude'))) names.unshift('.git/info/exclude')
      if (names.length > 0) this.addRules(join(this.root, folder), folder, '', names, levels)

      for (const entry of entries) {
        const name = folder + entry.name
        if (!entry.isFolder) {
          if (isExcluded(levels, name)) this.result.ignored++
          else this.add({ name, tracked: false, blob: '' })
          continue
        }
        if (name.includes('\ufffd') && !existsSync(join(this.root, name))) {
          this.problem(`${name}/`, 'The name is not valid UTF-8; the folder was skipped.')
          continue
        }
        if (
          entry.name === '.git' ||
          this.skipDirs.has(entry.name) ||
          !this.mayHoldWanted(name) ||
          isExcluded(levels, `${name}/`)
        )
          continue
        this.realFolders.set(name, this.isRealFolder(folder.slice(0, -1)))
        waiting.push({ folder: `${name}/`, above: levels })
      }
    }
  }

  /** What a folder holds; read anew when it may be something else than before. */
  private readFolder(folder: string): readonly FolderEntry[] {
    const { before } = this.options
    const known = before?.folders.get(folder)
    try {
      const path = join(this.root, folder)
      const { mtimeMs, ctimeMs } = lstatSync(path)
      const isSame =
        known !== undefined &&
        known.mtimeMs === mtimeMs &&
        known.ctimeMs === ctimeMs &&
        Math.max(mtimeMs, ctimeMs) < (before?.takenAt ?? 0) - STAMP_MS
      const read = isSame ? known : { mtimeMs, ctimeMs, entries: entriesIn(path) }
      this.folders.set(folder, read)
      return read.entries
    } catch (error) {
      this.problem(folder, `The folder cannot be read (${codeOf(error)}).`)
      return []
    }
  }

  private addRules(folder: string, under: string, lead: string, names: readonly string[], levels: Level[]): void {
    const rules = ignore({ allowRelativePaths: true })
    let any = false
    for (const name of names) {
      const text = readRules(join(folder, name))
      if (text === '') continue
      rules.add(text)
      any = true
    }
    if (any) levels.push({ under, lead, rules })
  }

  private addAttributes(folder: string, under: string, lead: string): void {
    const text = readRules(join(folder, '.gitattributes'))
    for (const { tag, matches } of readAttributes(text) ?? []) this.attributes.push({ under, lead, tag, matches })
  }

  private add(entry: Listed): void {
    this.listed.push(entry)
    if (this.listed.length > this.maxFiles) this.refuseTooMany()
  }

  private refuseTooMany(): never {
    const sizes = new Map<string, number>()
    for (const { name } of this.listed) {
      const top = name.includes('/') ? name.slice(0, name.indexOf('/') + 1) : './'
      sizes.set(top, (sizes.get(top) ?? 0) + 1)
    }
    const largest = [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 5)
    const preview = largest.map(([folder, count]) => `${folder} ${count}`).join(', ')
    throw new IngestError(
      'ingest_budget',
      `${this.root} holds more than ${this.maxFiles} files; among those seen: ${preview}.`,
      'Ingest one folder of it, or leave folders out in a .m1ndignore file.',
    )
  }

  /** Drops what rules leave out and looks at the rest. */
  async look(): Promise<void> {
    for (let i = 0; i < this.listed.length; i++) {
      if (i % SLICE === SLICE - 1) {
        await breathe()
        throwIfAborted(this.signal)
      }
      const entry = this.listed[i]
      if (this.isLeftOut(entry)) this.result.ignored++
      else this.take(entry)
    }
  }

  private isLeftOut({ name, tracked }: Listed): boolean {
    if (this.isHidden(name)) return true
    const parts = name.split('/')
    if (this.skipFiles.has(parts[parts.length - 1])) return true
    if (!tracked && parts.some((it, i) => i < parts.length - 1 && this.skipDirs.has(it))) return true
    return this.levels.length > 0 && isExcluded(this.levels, name)
  }

  private take({ name, tracked, blob }: Listed): void {
    const file = join(this.root, name)
    const path = name.normalize('NFC')
    if (name.includes('\ufffd') && !existsSync(file))
      return this.problem(path, 'The name is not valid UTF-8; the file was skipped.')
    const slash = name.lastIndexOf('/')
    if (slash !== -1 && !this.isRealFolder(name.slice(0, slash))) {
      this.result.links++
      return
    }
    let stats = this.looks.get(name)
    try {
      stats ??= lstatSync(file)
    } catch (error) {
      // a tracked file that is gone from the work tree is no trouble
      if (codeOf(error) !== 'ENOENT') this.problem(path, `The file cannot be looked at (${codeOf(error)}).`)
      return
    }
    if (stats.isSymbolicLink()) this.result.links++
    if (!stats.isFile()) return
    const { size, mtimeMs, ctimeMs } = stats
    this.result.files.push({ path, file, size, mtimeMs, ctimeMs, tracked, blob, tags: this.tagsOf(name) })
  }

  private tagsOf(name: string): string[] {
    const tags: string[] = []
    for (const { under, lead, tag, matches } of this.attributes) {
      if (!name.startsWith(under)) continue
      const { ignored, unignored } = matches.test(lead + name.slice(under.length))
      const at = tags.indexOf(tag)
      if (ignored && at === -1) tags.push(tag)
      else if (unignored && at !== -1) tags.splice(at, 1)
    }
    return tags
  }

  /** Whether all folders of this path are real ones, so that nothing below leads outside of the root. */
  private isRealFolder(folder: string): boolean {
    const known = this.realFolders.get(folder)
    if (known !== undefined) return known
    const slash = folder.lastIndexOf('/')
    let real = slash === -1 || this.isRealFolder(folder.slice(0, slash))
    if (real) real = lookAt(join(this.root, folder))?.isDirectory() ?? false
    this.realFolders.set(folder, real)
    return real
  }

  /** Whether a part of the path begins with a dot and no option lets it in. */
  private isHidden(name: string): boolean {
    if (!name.startsWith('.') && !name.includes('/.')) return false
    if (this.options.includeDotfiles) return name === '.git' || name.startsWith('.git/')
    return !this.options.dotfilePatterns.some((it) => allows(it, name))
  }

  /** Whether a folder may hold files that are not hidden, or let in by a pattern. */
  private mayHoldWanted(folder: string): boolean {
    if (!this.isHidden(folder)) return true
    return this.options.dotfilePatterns.some((it) => it.startsWith(`${folder}/`) || allows(it, `${folder}/x`))
  }

  private problem(path: string, message: string): void {
    this.result.problems.push({ path, line: 0, message })
  }

  finish(): Walk {
    const { result } = this
    result.base = this.base
    result.files = uniquePaths(sortedByPath(result.files), result.problems)
    result.memory = {
      repository: result.repositories.includes('') ? this.base : undefined,
      names: this.inGit ? this.listed.map((it) => it.name) : [],
      folders: this.folders,
      takenAt: this.startedAt,
    }
    if (this.inGit && existsSync(join(this.base, '.git', 'shallow')))
      result.warnings.push('The clone is shallow: of its history only the newest commits are known.')
    if (this.sparse > 0)
      result.warnings.push(
        `${this.sparse} files of the repository are not checked out (sparse checkout); nothing is known of them.`,
      )
    if (result.links > 0)
      result.warnings.push(`${result.links} symbolic link${result.links === 1 ? ' was' : 's were'} not followed.`)
    return result
  }
}

function allows(pattern: string, name: string): boolean {
  if (pattern.endsWith('/**')) return name.startsWith(pattern.slice(0, -2))
  if (pattern.endsWith('/*'))
    return name.startsWith(pattern.slice(0, -1)) && !name.slice(pattern.length - 1).includes('/')
  return name === pattern || name.startsWith(pattern.endsWith('/') ? pattern : `${pattern}/`)
}

/** The innermost rule that speaks of a path decides. */
function isExcluded(levels: readonly Level[], name: string): boolean {
  let excluded = false
  for (const { under, lead, rules } of levels) {
    if (!name.startsWith(under) || name.length === under.length) continue
    const { ignored, unignored } = rules.test(lead + name.slice(under.length))
    if (ignored) excluded = true
    else if (unignored) excluded = false
  }
  return excluded
}

function sortedByPath(files: WalkedFile[]): WalkedFile[] {
  // what characters beyond the basic plane ask for takes long
  const compare = files.some((it) => BEYOND.test(it.path)) ? compareBytes : comparePlain
  return files.sort((a, b) => compare(a.path, b.path))
}

/** Two spellings of one name in different Unicode forms are one path; the first is kept. */
function uniquePaths(files: WalkedFile[], problems: Problem[]): WalkedFile[] {
  return files.filter(({ path, file }, i) => {
    if (i === 0 || files[i - 1].path !== path) return true
    problems.push({
      path,
      line: 0,
      message: `Another file has the same name in another Unicode form; ${JSON.stringify(basename(file))} was skipped.`,
    })
    return false
  })
}

function entriesIn(folder: string): FolderEntry[] {
  const entries = readdirSync(folder, { withFileTypes: true }).map(
    (it): FolderEntry => ({ name: it.name, isFolder: it.isDirectory(), isFile: it.isFile() }),
  )
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function lookAt(file: string): Stats | null {
  try {
    return lstatSync(file)
  } catch {
    // what may not be looked at counts as absent
    return null
  }
}

function readRules(file: string): string {
  const stats = lookAt(file)
  if (stats === null || !stats.isFile() || stats.size > MAX_RULES_BYTES) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // an ignore file that may not be read says nothing
    return ''
  }
}

/** Order of the UTF-8 bytes; that of UTF-16 differs only for characters beyond the basic plane. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  if (BEYOND.test(a) || BEYOND.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}

function comparePlain(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
