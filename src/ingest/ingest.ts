/** The pipeline: a folder becomes nodes, edges and everything that indexes are built from. */

import { lstatSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, sep } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { emptyMeta } from '#graph/meta'
import { type AgedFile, fileAges } from '#ingest/commits'
import { languageOf } from '#ingest/extract'
import { emptyFacts, type Facts } from '#ingest/facts'
import { type History, noHistory, readHistory } from '#ingest/history'
import { changeOf, Ingested, type Live, resolveAgain, type Source } from '#ingest/live'
import { isScriptFile, type Mark, manifestMarks, marked } from '#ingest/manifest-roots'
import { isConfigFile } from '#ingest/manifests'
import type { FileEntry } from '#ingest/nodes'
import { type Packed, Unpacker } from '#ingest/pack'
import { runJobs } from '#ingest/pool'
import type { BatchResult, Job, Outcome } from '#ingest/read-batch'
import { Records } from '#ingest/records'
import { breathe, type Problem, type Progress, throwIfAborted, type Truncation } from '#ingest/report'
import { compactStore, type FactsStore, type Read, type StoredFile, storeVersion } from '#ingest/store'
import { coverageOf, summarise } from '#ingest/summary'
import type { UpgradeSet } from '#ingest/upgrade'
import { attachUpgrades, mergeSets } from '#ingest/upgrade/attach'
import { readIndexFiles } from '#ingest/upgrade/index-files'
import { isBinaryName, readSource, TEXT_LIMITS, type TextLimits } from '#ingest/text'
import { compareBytes, STAMP_MS, type Walk, type WalkedFile, walk } from '#ingest/walk'

export type { Ingested } from '#ingest/live'

export interface IngestSettings {
  /** A folder, or one file. */
  root: string
  includeDotfiles?: boolean
  dotfilePatterns?: readonly string[]
  /** Names of folders and files that are left out, in place of those built in. */
  skipDirs?: readonly string[]
  skipFiles?: readonly string[]
  /** Files are taken whole and in order of path until the next one would exceed it. */
  maxNodes?: number
  /** Only ends what would never end; what was read until then becomes a graph. */
  timeoutMs?: number
  /** Memory of this thread beyond which no further file is taken; else what the thread may have. */
  memoryMb?: number
  maxFileBytes?: number
  maxLineBytes?: number
  /** Number of threads that read files. */
  parallelism?: number
  /** Whether packages from outside become nodes. */
  externalPackages?: boolean
  maxCommits?: number
  /** Facts of the previous ingest of this root; files that are as they were are not read again. */
  stored?: FactsStore
  /** What the previous ingest of this root left in memory; with it only what depends upon changes is worked out. */
  live?: Live
  /** What compilers have said since the facts were stored. */
  upgrades?: readonly UpgradeSet[]
  /** An index file to be read besides those in the project; '' for none. */
  scip?: string
  /** Larger index files are not read; 0 reads none. */
  scipMaxBytes?: number
  /** Epoch milliseconds, kept as the time of the ingest. */
  now?: number
}

export interface IngestContext {
  signal: AbortSignal
  progress: (at: Progress) => void
}

const MAX_NODES = 2_000_000
const TIMEOUT_MS = 300_000
const SCIP_MAX_BYTES = 268_435_456
const MAX_WORKERS = 8
/** Fewer files are read faster than workers start. */
const INLINE_FILES = 64
/** Share of the heap in use beyond which no further file is taken. */
const FULL_HEAP = 0.85
/** What follows reading takes about this share of the time of reading. */
const LATER_SHARE = 0.7

/**
 * Reads a project. The same tree, history and settings give the same result, whatever the number of threads
 * and whether facts were stored. Problems of single files are part of the report; throws an `IngestError`
 * when there is nothing to read or the caller cancels.
 */
export async function ingest(settings: IngestSettings, context: IngestContext): Promise<Ingested> {
  const run = new Run(settings, context)
  try {
    return await run.all()
  } finally {
    run.stop()
  }
}

class Run {
  private readonly settings: IngestSettings
  private readonly context: IngestContext
  private readonly limits: TextLimits
  private readonly maxNodes: number
  private readonly started = performance.now()
  private readonly deadline: number
  private readonly takenAt: number
  /** Ends git when this run ends, however it does. */
  private readonly stopping = new AbortController()
  private readonly phases: Record<string, number> = {}
  private readonly problems: Problem[] = []
  /** Of index files as a whole. */
  private readonly upgradeProblems: Problem[] = []
  private readonly chunks: Packed[] = []
  private truncated: Truncation = ''

  constructor(settings: IngestSettings, context: IngestContext) {
    this.settings = settings
    this.context = context
    this.limits = {
      maxCodeBytes: settings.maxFileBytes ?? TEXT_LIMITS.maxCodeBytes,
      maxDocumentBytes: Math.max(settings.maxFileBytes ?? 0, TEXT_LIMITS.maxDocumentBytes),
      maxLineBytes: settings.maxLineBytes ?? TEXT_LIMITS.maxLineBytes,
    }
    this.maxNodes = settings.maxNodes ?? MAX_NODES
    this.deadline = this.started + (settings.timeoutMs ?? TIMEOUT_MS)
    this.takenAt = settings.now ?? Date.now()
  }

  stop(): void {
    this.stopping.abort()
  }

  async all(): Promise<Ingested> {
    const { signal } = this.context
    throwIfAborted(signal)
    this.report('walk', 0, 0)
    const walked = await this.timed('walk', () => this.walk())
    const commits = this.settings.maxCommits
    const limit = AbortSignal.any([signal, this.stopping.signal])
    const options = { repositories: walked.repositories, maxCommits: commits }
    const reading = readHistory(walked.root, options, limit, this.settings.live?.history)
    const reads = await this.timed('extract', () => this.read(walked))
    throwIfAborted(signal)
    const history = await this.timed('history', () => this.inTime(reading))
    throwIfAborted(signal)
    return this.assemble(walked, reads, history)
  }

  private walk(): Promise<Walk> {
    const { root, includeDotfiles = false, dotfilePatterns = [], skipDirs, skipFiles } = this.settings
    const isSource = (path: string) => languageOf(path) !== 'generic'
    const before = this.settings.live?.walk
    const rules = { includeDotfiles, dotfilePatterns, skipDirs, skipFiles, isSource, before }
    return walk(root, rules, this.context.signal)
  }

  // ---- reading

  private async read({ files }: Walk): Promise<(Read | undefined)[]> {
    const reads: (Read | undefined)[] = files.map(() => undefined)
    const previous = this.previous()
    const jobs: Job[] = []
    const jobFiles: number[] = []
    let totalBytes = 0
    for (let f = 0; f < files.length; f++) {
      const file = files[f]
      const known = previous.get(file.path)
      if (known !== undefined && this.isUntouched(file, known)) reads[f] = reused(known)
      else if (isBinaryName(file.path)) reads[f] = { ...NOTHING, kind: 'binary' }
      else {
        const hash = known !== undefined && isReusable(file, known) ? known.hash : ''
        jobs.push({ path: file.path, file: file.file, size: file.size, hash, generated: isGenerated(file) })
        jobFiles.push(f)
        totalBytes += file.size
      }
    }

    let nodes = 0
    let done = 0
    let bytes = 0
    const began = performance.now()
    const take = (positions: readonly number[], { outcomes, packed }: BatchResult) => {
      const chunk = this.chunks.length
      this.chunks.push(packed)
      const reader = new Unpacker(packed)
      let position = 0
      outcomes.forEach((outcome, i) => {
        const f = jobFiles[positions[i]]
        const known = previous.get(files[f].path)
        bytes += files[f].size
        if (outcome.kind === 'unchanged' && known !== undefined) reads[f] = reused(known)
        else if (outcome.kind === 'text' || outcome.kind === 'bare') {
          nodes += 1 + reader.definitionCount(position)
          reads[f] = { ...outcome, chunk, position: position++, reused: false }
        } else reads[f] = { ...outcome, chunk: -1, position: -1, reused: false }
      })
      done += positions.length
      const rate = (performance.now() - began) / Math.max(1, bytes)
      this.report(
        'extract',
        done,
        jobs.length,
        files[jobFiles[positions[positions.length - 1]]].path,
        rate * (totalBytes - bytes + LATER_SHARE * totalBytes),
      )
    }
    const mayContinue = () => {
      if (performance.now() > this.deadline) this.truncated = 'timeout'
      else if (isFull(this.settings.memoryMb)) this.truncated = 'memory'
      else return nodes <= this.maxNodes
      return false
    }
    const wanted = Math.min(MAX_WORKERS, this.settings.parallelism ?? availableParallelism())
    const workers = jobs.length < INLINE_FILES ? 0 : wanted
    await runJobs(jobs, { workers, limits: this.limits, signal: this.context.signal, mayContinue, take })
    return reads
  }

  /** Stored files by path, none when they were read under other rules. */
  private previous(): Map<string, StoredFile> {
    const { stored } = this.settings
    if (stored === undefined || stored.version !== storeVersion(this.limits)) return new Map()
    for (const it of stored.chunks) this.chunks.push(it)
    return new Map(stored.files.map((it) => [it.path, it]))
  }

  private isUntouched(file: WalkedFile, known: StoredFile): boolean {
    const { stored } = this.settings
    if (stored === undefined || !isReusable(file, known)) return false
    const same = file.size === known.size && file.mtimeMs === known.mtimeMs && file.ctimeMs === known.ctimeMs
    return same && Math.max(file.mtimeMs, file.ctimeMs) < stored.takenAt - STAMP_MS
  }

  // ---- assembling

  private async assemble(walked: Walk, reads: (Read | undefined)[], history: History): Promise<Ingested> {
    const { signal } = this.context
    const { live, externalPackages = true } = this.settings
    const before = live?.rules === this.rules() ? live : null
    const configFiles = this.configFiles(walked)
    const taken = this.timedNow('build', () => this.take(walked, reads, history, before))
    const upgrades = await this.timed('upgrade', () => this.upgradeSets(walked, taken.entries))
    const { marks: told, lost } = attachUpgrades(taken.entries, upgrades)
    this.timedNow('build', () => markEntries(taken, [told, manifestMarks(taken.entries, configFiles)], before))
    await breathe()
    throwIfAborted(signal)
    this.report('resolve', 0, taken.entries.length)
    const progress = (done: number, total: number) => this.report('resolve', done, total)
    const resolved = this.timedNow('resolve', () =>
      resolveAgain({ root: walked.root, files: taken.entries, configFiles }, before, { signal, progress }),
    )
    await breathe()
    throwIfAborted(signal)

    this.report('build', 0, 1)
    return this.timedNow('cross_file', () => {
      const { entries, sources, plain, marks } = taken
      const { resolution, again } = resolved
      const records = new Records(
        { root: walked.root, entries, resolution, configFiles, history, externalPackages },
        again === null ? null : (before?.records ?? null),
        again?.changed ?? [],
      )
      const report = summarise({
        walked,
        reads,
        entries,
        resolution,
        nNodes: records.nNodes,
        collisions: records.collisions,
        problems: this.problems,
        truncated: this.truncated,
      })
      report.warnings.push(...this.upgradeProblems.map((it) => `${it.path}: ${it.message}`), ...lost)
      report.commits = history.commits.length
      report.phase_ms = this.phases
      const meta = {
        ...emptyMeta(),
        ingestedAt: this.takenAt,
        roots: [
          {
            path: walked.given,
            prefix: '',
            adapter: 'code',
            base: walked.base,
            ...(history.head && { commit: history.head }),
          },
        ],
        commit: history.head,
        coverage: coverageOf(entries, resolution, report),
      }
      const facts = () => this.store(walked, reads, upgrades)
      const kept =
        this.truncated === ''
          ? {
              rules: this.rules(),
              walk: walked.memory,
              entries,
              sources,
              plain,
              marks,
              configFiles,
              resolution,
              history,
              records,
            }
          : null
      return new Ingested({ meta, records, facts, report, live: kept, change: changeOf(before, records, resolved) })
    })
  }

  /** What decides about the result beside the files; what was made under other rules is of no use. */
  private rules(): string {
    return JSON.stringify([this.limits, this.maxNodes, this.settings.externalPackages ?? true])
  }

  /** What compilers say about the project: kept, handed over, and in index files. */
  private async upgradeSets({ root }: Walk, entries: readonly FileEntry[]): Promise<UpgradeSet[]> {
    const { stored, upgrades = [], scip = '', scipMaxBytes = SCIP_MAX_BYTES } = this.settings
    const before = stored?.upgrades ?? []
    const options = { root, given: scip, maxBytes: scipMaxBytes, limits: this.limits, stored: before }
    const { sets, problems } = scipMaxBytes === 0 ? { sets: [], problems: [] } : await readIndexFiles(entries, options)
    this.upgradeProblems.push(...problems)
    const compiled = before.filter((it) => it.source !== 'scip')
    return mergeSets(compiled, [...upgrades, ...sets])
  }

  /** Files with nodes, in order of path, as many as the budget allows. */
  private take(walked: Walk, reads: (Read | undefined)[], history: History, before: Live | null): Taken {
    const { root, base, files } = walked
    const readers: (Unpacker | undefined)[] = []
    const aged: AgedFile[] = []
    const found: { facts: Facts; hash: string }[] = []
    const sources: Source[] = []
    const known = new KnownFacts(before)
    let nodes = 0
    for (let f = 0; f < files.length; f++) {
      const read = reads[f]
      if (read === undefined || !hasNode(read.kind)) continue
      const { path, mtimeMs, tracked, tags } = files[f]
      const source = { kind: read.kind, hash: read.hash, tags }
      const facts = known.of(path, source) ?? this.factsOf(files[f], read, readers)
      nodes += 1 + facts.definitions.length
      if (nodes > this.maxNodes) {
        this.truncated ||= 'max_nodes'
        reads.fill(undefined, f)
        break
      }
      found.push({ facts, hash: read.hash })
      sources.push(source)
      for (const { line, message } of facts.problems) this.problems.push({ path, line, message })
      aged.push({ path, mtimeMs, tracked, clean: isClean(files[f], read) })
    }
    const prefix = base === root ? '' : `${relative(base, root).split(sep).join('/')}/`
    const entries = fileAges(aged, history).map((age, i): FileEntry => {
      const { path } = aged[i]
      return { ...age, path, ...found[i], sourcePath: prefix + path }
    })
    return { entries, sources, plain: found.map((it) => it.facts), marks: [] }
  }

  private factsOf(
    { path, tags }: WalkedFile,
    { kind, chunk, position }: Read,
    readers: (Unpacker | undefined)[],
  ): Facts {
    let facts: Facts
    if (chunk === -1) facts = emptyFacts(languageOf(path))
    else {
      const reader = (readers[chunk] ??= new Unpacker(this.chunks[chunk]))
      facts = reader.facts(position)
    }
    if (kind === 'failed') facts.tags.push('parse_failed')
    if (facts.partial) facts.tags.push('parse_partial')
    facts.tags.push(...tags)
    return facts
  }

  /** Texts that say how names are looked up. They are few, and read once more rather than kept by every worker. */
  private configFiles({ root, files }: Walk): Map<string, string> {
    const texts = new Map<string, string>()
    for (const { path, file } of [...files, ...workflows(root)]) {
      if (!isConfigFile(path) && !isScriptFile(path)) continue
      const source = readSource(file, path, this.limits)
      if (source.kind === 'text') texts.set(path, source.text)
    }
    return texts
  }

  private store({ files }: Walk, reads: readonly (Read | undefined)[], upgrades: UpgradeSet[]): FactsStore {
    const stored: StoredFile[] = []
    for (let f = 0; f < files.length; f++) {
      const read = reads[f]
      if (read === undefined || read.hash === '') continue
      const { path, size, mtimeMs, ctimeMs } = files[f]
      const { kind, hash, normalisedHash, chunk, position } = read
      stored.push({
        path,
        size,
        mtimeMs,
        ctimeMs,
        hash,
        normalisedHash,
        kind,
        generated: isGenerated(files[f]),
        chunk,
        position,
      })
    }
    return compactStore({
      version: storeVersion(this.limits),
      takenAt: this.takenAt,
      files: stored,
      chunks: this.chunks,
      upgrades,
    })
  }

  // ---- telling

  private report(phase: Progress['phase'], done: number, total: number, file = '', etaMs = -1): void {
    this.context.progress({ phase, done, total, file, etaMs: etaMs < 0 ? -1 : Math.round(etaMs) })
  }

  private async timed<T>(phase: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await work()
    this.addTime(phase, began)
    return result
  }

  private timedNow<T>(phase: string, work: () => T): T {
    const began = performance.now()
    const result = work()
    this.addTime(phase, began)
    return result
  }

  private addTime(phase: string, began: number): void {
    this.phases[phase] = Math.round((this.phases[phase] ?? 0) + performance.now() - began)
  }

  /** The history, or none when it is not there by the time that everything must be. */
  private async inTime(reading: Promise<History>): Promise<History> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<History>((resolve) => {
      timer = setTimeout(() => resolve(noHistory()), Math.max(1000, this.deadline - performance.now()))
    })
    this.report('history', 0, 1)
    const history = await Promise.race([reading, late])
    clearTimeout(timer)
    return history
  }
}

const WORKFLOWS = ['.github', 'workflows']

/** Workflows are hidden, and still say what is run. */
function workflows(root: string): { path: string; file: string }[] {
  const folder = join(root, ...WORKFLOWS)
  const isFolder = [join(root, WORKFLOWS[0]), folder].every((it) =>
    lstatSync(it, { throwIfNoEntry: false })?.isDirectory(),
  )
  if (!isFolder) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => ({ path: [...WORKFLOWS, it.name].join('/'), file: join(folder, it.name) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Files that become nodes. */
interface Taken {
  entries: FileEntry[]
  /** What the facts of each were made of. */
  sources: Source[]
  /** Facts as the file itself says them. */
  plain: Facts[]
  /** What manifests and compilers say about each file, as text. */
  marks: string[]
}

/** Facts of before, to be asked for in the order of paths. */
class KnownFacts {
  readonly #before: Live | null
  #next = 0

  constructor(before: Live | null) {
    this.#before = before
  }

  /** Facts of a file, when they were made of the same. */
  of(path: string, { kind, hash, tags }: Source): Facts | undefined {
    if (this.#before === null || hash === '') return undefined
    const { entries, sources, plain } = this.#before
    while (this.#next < entries.length && compareBytes(entries[this.#next].path, path) < 0) this.#next++
    if (entries[this.#next]?.path !== path) return undefined
    const old = sources[this.#next]
    const isSame = old.kind === kind && old.hash === hash && old.tags.join() === tags.join()
    return isSame ? plain[this.#next] : undefined
  }
}

/** Gives entries the facts with the marks on them; those of before where both are as they were. */
function markEntries(taken: Taken, found: readonly ReadonlyMap<string, readonly Mark[]>[], before: Live | null): void {
  const { entries, plain } = taken
  const known = new Map(before?.plain.map((facts, f) => [facts, f]))
  taken.marks = entries.map((entry, f) => {
    const marks = found.flatMap((it) => it.get(entry.path) ?? NO_MARKS)
    const text = marks.length === 0 ? '[]' : JSON.stringify(marks)
    const old = known.get(plain[f])
    if (before !== null && old !== undefined && before.marks[old] === text) entry.facts = before.entries[old].facts
    else if (marks.length > 0) entry.facts = marked(plain[f], marks)
    return text
  })
}

const NO_MARKS: readonly Mark[] = []
const NOTHING = { hash: '', normalisedHash: '', message: '', chunk: -1, position: -1, reused: false }

function reused({ kind, hash, normalisedHash, chunk, position }: StoredFile): Read {
  return { kind, hash, normalisedHash, message: '', chunk, position, reused: true }
}

function isGenerated({ tags }: WalkedFile): boolean {
  return tags.includes('generated')
}

function isReusable(file: WalkedFile, known: StoredFile): boolean {
  return known.kind !== 'failed' && known.generated === isGenerated(file)
}

function hasNode(kind: Outcome['kind']): boolean {
  return kind === 'text' || kind === 'bare' || kind === 'failed'
}

/** Content that was not read is taken to be what git holds. */
function isClean({ blob }: WalkedFile, { hash, normalisedHash }: Read): boolean {
  return blob !== '' && (hash === '' || hash === blob || normalisedHash === blob)
}

/** Buffers count too, whose space is not on the heap. */
function isFull(memoryMb = Number.POSITIVE_INFINITY): boolean {
  const { used_heap_size, heap_size_limit, external_memory } = getHeapStatistics()
  return used_heap_size > FULL_HEAP * heap_size_limit || used_heap_size + external_memory > memoryMb * 2 ** 20
}
