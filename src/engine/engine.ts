/** The state of a running process: one project's graph and what was learned on it, kept between runs. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { Bound, indexesOf } from '#engine/bound'
import type { Builder, Built, Task } from '#engine/build-brain'
import type {
  Baseline,
  Brain,
  Engine,
  EngineStatus,
  FederateRequest,
  FederationReport,
  Indexes,
  IngestReport,
  IngestRequest,
  Progress,
  Relay,
  Settings,
} from '#engine/brain'
import { Checking } from '#engine/checking'
import { compare, isAnotherProject, refuseEmpty, refusePart } from '#engine/difference'
import { EventList } from '#engine/events'
import { fromImage, takeLate } from '#engine/image'
import { Freshness } from '#engine/freshness'
import { IngestThread } from '#engine/ingest-thread'
import {
  gitTopLevel,
  hasState,
  isInside,
  isTooWide,
  localPath,
  nearestFolder,
  projectOf,
  startProject,
} from '#engine/project'
import type { Records } from '#engine/records'
import { Refusal } from '#engine/refusal'
import type { Store } from '#engine/store'
import { FILE, type Graph, type NodeId, type Root, text } from '#graph/graph'
import { rootsOf, rootsWith } from '#graph/ingest-roots'
import { pageRank } from '#graph/pagerank'
import { linesOf } from '#ingest/lines'
import type { CodeSearch } from '#ingest/search'

export interface EngineOptions {
  version: string
  /** Lines for the operator. */
  log: (line: string) => void
  /** Where the process was started. */
  cwd: string
  /** The process stays: what takes long may follow an answer. */
  background?: boolean
  /** Builds graphs; in a worker unless told otherwise. */
  builder?: Builder
  /** Finds the process that owns the state in a folder. */
  attach?: (folder: string) => Promise<Relay | 'nobody' | 'no answer'>
  /** Is told the folder whose state this process owns, '' for none, whenever that changes. */
  owns?: (folder: string) => void
}

/** Starts loading the saved state of the project and returns at once. Throws `SettingsError` when there is no such project. */
export function openEngine(settings: Settings, options: EngineOptions): Engine {
  return new LocalEngine(settings, options)
}

/** Another project that was just bound, and what to do about the one before. */
interface Binding {
  keep(): void
  undo(): void
}

const MAX_WARNINGS = 20
/** The graph is read this long after the start even if nobody asks. */
const LOAD_AFTER_MS = 250
/** The checker waits until an ingest is answered, and until a series of edits has come to rest. */
const CHECK_AFTER_MS = 300
const CHECK_AFTER_EDIT_MS = 15_000
/** Several changes that come one after the other are saved once. */
const SAVE_AFTER_MS = 300
/** What the next ingest could be made from is let go when none has come for so long. */
const IDLE_MS = 600_000
/** So often at most watchers are told how far an ingest is. */
const TELL_EVERY_MS = 200
/** From this size on the journal of what clients keep is made part of a save. */
const LONG_JOURNAL = 8_388_608
/** An owner that is only starting, or just gone, is looked for so often, milliseconds apart. */
const REACH_AFTER_MS = [0, 30, 100, 300, 600]
/** After that the state is read without it for so long. */
const REACH_AGAIN_MS = 5000
/** So much of the machine's memory may be in use by this process while it waits for the next ingest. */
const MOST_MEMORY = 0.25

class LocalEngine implements Engine {
  readonly settings: Settings
  readonly events = new EventList()
  page = ''
  readonly #options: EngineOptions
  readonly #startedAt = Date.now()
  #bound: Bound
  /** Null until somebody asks for it: the first message of a client is answered before the graph is read. */
  #ready: Promise<void> | null = null
  #working: Progress | null = null
  #toldAt = Number.NEGATIVE_INFINITY
  #warnings: string[] = []
  #queries = 0
  #queriesSinceSave = 0
  readonly #builder: Builder
  /** Whose last ingest the builder remembers, and the number of the build that made the graph in place. */
  #warm: { bound: Bound; base: number } | null = null
  #idle: NodeJS.Timeout | undefined
  /** Settles when the indexes in place are all of the graph in place. */
  #late: Promise<void> = Promise.resolve()
  #saving: Promise<void> = Promise.resolve()
  /** Why the last save failed, '' when it did not. */
  #saveFailure = ''
  readonly #checking: Checking
  /** Of a process that stays. */
  readonly #freshness: Freshness | null
  /** Ends when no ingest is under way; they come one after the other. */
  #ingesting: Promise<unknown> = Promise.resolve()
  readonly #stop = new AbortController()
  /** How the graph was last read, to read it so again. */
  #request: IngestRequest | null = null
  #closed = false
  #relay: Relay | null = null
  /** The one whose events are told on. */
  #watched: Relay | null = null
  #reaching: Promise<Relay | null> | undefined
  /** Of the clock that nobody sets back, like all spans of time. */
  #reachedAt = Number.NEGATIVE_INFINITY

  constructor(settings: Settings, options: EngineOptions) {
    this.settings = settings
    this.#options = options
    this.#checking = new Checking(settings)
    this.#freshness = options.background === true ? this.#follower() : null
    this.#bound = this.#boundTo(startProject(settings, options.cwd))
    this.#builder = options.builder ?? new IngestThread()
    options.owns?.(this.#bound.owned)
    setTimeout(() => {
      if (!this.#mayAttach) void this.ready
    }, LOAD_AFTER_MS).unref()
  }

  #boundTo(project: string): Bound {
    return new Bound(this.settings, project, (it) => this.#warn(it))
  }

  get #mayAttach(): boolean {
    return this.#store.mode === 'read_only' && !this.settings.readOnly && this.#options.attach !== undefined
  }

  async owner(): Promise<Relay | null> {
    this.#noticeLoss()
    if (!this.#mayAttach) return null
    if (this.#relay !== null) return this.#relay
    this.#reaching ??= this.#reach().finally(() => {
      this.#reaching = undefined
    })
    return this.#reaching
  }

  /** A process that slept for long may find that another one has taken the state over; it asks that one from now on. */
  #noticeLoss(): void {
    if (this.#store.mode !== 'file' || this.#store.isOwner()) return
    this.#options.owns?.('')
    this.#options.log(`Another process has taken over the state of ${this.#bound.project}.`)
  }

  async #reach(): Promise<Relay | null> {
    if (performance.now() - this.#reachedAt < REACH_AGAIN_MS) return null
    for (const wait of REACH_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait))
      const relay = (await this.#options.attach?.(this.#store.place)) ?? 'nobody'
      if (typeof relay === 'object') {
        this.#relay = relay
        void relay.closed.then(() => {
          if (this.#relay === relay) this.#relay = null
        })
        return relay
      }
      if (this.#takeOver()) {
        await this.ready
        return null
      }
      if (relay === 'no answer') break
    }
    this.#reachedAt = performance.now()
    return null
  }

  /** Watchers of this process see what the owner's other clients do. */
  #watchOwner(relay: Relay): void {
    if (!this.events.isWatched || this.#watched === relay) return
    this.#watched = relay
    relay.watch((event) => this.events.push(event))
  }

  /** Opens the state anew; false while somebody else owns it. */
  #takeOver(): boolean {
    const { store, project } = this.#bound
    const bound = this.#boundTo(project)
    if (bound.store.mode === 'read_only') {
      bound.store.close()
      return false
    }
    store.close()
    this.#bound = bound
    this.#ready = this.#load()
    this.#options.owns?.(bound.owned)
    this.#options.log(`This process owns the state of ${project} now.`)
    return true
  }

  async follow(): Promise<void> {
    const owner = await this.owner()
    if (owner !== null) this.#watchOwner(owner)
    await this.ready
    if (this.#store.mode !== 'read_only' || !this.#bound.isOutdated) return
    this.#ready = this.#load()
    await this.#ready
  }

  leadsElsewhere(path: string, { mode, incremental }: Pick<IngestRequest, 'mode' | 'incremental'>): boolean {
    const local = localPath(path, this.#bound.project || this.#options.cwd)
    if (!existsSync(local)) return false
    const fixed = this.settings.graphSource !== '' || this.settings.runtimeDir !== ''
    const real = realpathSync.native(local)
    const repository = gitTopLevel(real)
    const isOwn =
      isInside(real, this.#bound.project) && (repository === '' || isInside(this.#bound.project, repository))
    // one of several roots is brought up to date among them
    const isRoot = incremental && this.#bound.brain.graph.meta.roots.some((it) => isInside(real, it.path))
    if (this.#bound.project !== '' && (fixed || mode === 'merge' || isOwn || isRoot)) return false
    return projectOf(local) !== this.#bound.project
  }

  get brain(): Brain {
    return this.#bound.brain
  }

  get #store(): Store {
    return this.#bound.store
  }

  get ready(): Promise<void> {
    this.#ready ??= this.#load()
    return this.#ready
  }

  get shelf(): string {
    return this.#bound.owned
  }

  get settled(): Promise<void> {
    return this.#late
  }

  get baseline(): Baseline | null {
    return this.#bound.lastSession.baseline
  }

  baselineAt(time: number): Baseline | null {
    return this.#bound.lastSession.at(time)
  }

  get records(): Records {
    return this.#bound.records
  }

  status(): EngineStatus {
    const damaged = this.#store.warnings.length > 0
    return {
      mode: this.settings.readOnly ? 'read_only' : this.#store.mode,
      status:
        this.#ready === null || this.#working?.phase === 'load'
          ? 'loading'
          : damaged || this.#saveFailure !== ''
            ? 'degraded'
            : 'ok',
      working: this.#working,
      queriesProcessed: this.#queries,
      startedAt: this.#startedAt,
      lastPersistAt: this.#bound.savedAt,
      sessions: [...this.#bound.sessions.values()],
      warnings: [...this.#store.warnings, ...this.#warnings],
      checker: this.#checking.status,
      watcher: this.#freshness?.status ?? { state: 'off', handles: 0, message: '' },
      stateFolder: this.#store.place,
      version: this.#options.version,
    }
  }

  notice(isChange: boolean): string {
    const { mode, place, owner, warnings } = this.#store
    if (this.#relay !== null) return ''
    if (mode === 'read_only' && !this.settings.readOnly && owner > 0)
      return `Process ${owner} owns the state and does not answer; this is what it had saved.`
    if (!isChange || this.settings.readOnly || place === '') return ''
    const why = mode === 'memory' ? (warnings.at(-1) ?? '') : this.#saveFailure
    return why === '' ? '' : `Not saved, and lost if this process ends now: ${why}`
  }

  record(agent: string, now: number, counted: boolean): void {
    const { sessions, records } = this.#bound
    const session = sessions.get(agent) ?? { agent_id: agent, firstSeen: now, lastSeen: now, queryCount: 0 }
    session.lastSeen = now
    sessions.set(agent, session)
    const idle = this.settings.sessionIdleHours * 3_600_000
    for (const [name, { lastSeen }] of sessions) {
      if (now - lastSeen > idle)
        this.#forget(name).catch((error) => this.#warn(`What ${name} had open could not be closed: ${reason(error)}`))
    }
    if (counted) {
      session.queryCount++
      this.#queries++
      this.#queriesSinceSave++
    }
    this.#freshness?.look()
    const isDue = this.#queriesSinceSave >= this.settings.autoPersistInterval
    if (!isDue && records.journalBytes < LONG_JOURNAL) return
    this.#queriesSinceSave = 0
    // after the answer
    setImmediate(() => {
      // the failure is in health and in the log, and the next save tries again
      this.persist().catch(() => undefined)
    })
  }

  /** Of an agent that has not been seen for long; its trails stay. */
  async #forget(agent: string): Promise<void> {
    const { sessions, records } = this.#bound
    sessions.delete(agent)
    // loaded late: the first message of a client does not wait for it
    const [{ closePerspective, perspectivesOfAgent }, { locksOfAgent, releaseLock }] = await Promise.all([
      import('#engine/perspectives'),
      import('#engine/locks'),
    ])
    for (const it of perspectivesOfAgent(records, agent)) closePerspective(records, it)
    for (const it of locksOfAgent(records, agent)) releaseLock(records, it)
  }

  suggestProject(path: Promise<string>): void {
    if (this.settings.project !== '' || this.settings.graphSource !== '' || this.settings.runtimeDir !== '') return
    const before = this.ready
    this.#ready = Promise.all([path, before]).then(async ([given]) => {
      const untouched = this.#queries === 0 && this.#working === null
      if (given === '' || !untouched || !existsSync(given)) return
      const project =
        gitTopLevel(given) || nearestFolder(given, (it) => hasState(this.settings, it)) || realpathSync.native(given)
      if (project !== this.#bound.project) (await this.#bind(project)).keep()
    })
  }

  ingest(
    request: IngestRequest,
    options: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<IngestReport> {
    const turn = this.#ingesting.then(() => this.#ingest(request, options))
    this.#ingesting = turn.catch(() => undefined)
    return turn
  }

  async #ingest(
    request: IngestRequest,
    { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<IngestReport> {
    await this.ready
    this.#checking.stop()
    const path = localPath(request.path, this.#bound.project || this.#options.cwd)
    if (!existsSync(path)) {
      throw new Refusal(
        'ingest_path_missing',
        `The path does not exist or cannot be read: ${clipped(path)}`,
        'Give the absolute path of a folder or file on this machine.',
      )
    }
    const binding = await this.#bindFor(path, request)
    try {
      const real = realpathSync.native(path)
      const adds = request.incremental || (request.mode === 'merge' && request.adapter === 'code')
      const root = adds ? this.#rootAround(real) : real
      // bringing one root up to date leaves the others as they are
      const isKnown = request.incremental && this.#bound.brain.graph.meta.roots.some((it) => it.path === root)
      const mode = isKnown ? 'merge' : request.mode
      const report = await this.#ingestBound(root, { ...request, mode }, { signal, progress })
      if (root !== real) report.warnings.unshift(`${real} lies in ${root}, which was brought up to date as a whole.`)
      binding?.keep()
      // what else is merged leaves the code as it was read
      if (request.adapter === 'code' || mode === 'replace' || this.#request === null)
        this.#request = { ...request, path: root, mode: 'merge', incremental: true, scip: '' }
      this.#noteRequest(this.#request)
      if (request.checker || this.settings.typescriptChecker === 'on')
        renew(report, await this.#check({ signal, progress }))
      else if (this.#options.background)
        this.#checking.later(
          request.incremental ? CHECK_AFTER_EDIT_MS : CHECK_AFTER_MS,
          request.incremental,
          (stop) => void this.#check({ signal: stop, progress: () => {} }),
        )
      return report
    } catch (error) {
      binding?.undo()
      throw error
    }
  }

  #follower(): Freshness {
    return new Freshness({
      settings: this.settings,
      log: this.#options.log,
      graph: () => this.#bound.brain.graph,
      idle: () => this.#ingesting.then(() => undefined),
      read: (root) => this.#readAgain(root),
    })
  }

  /** Brings a root up to date without being asked. */
  async #readAgain(root: string): Promise<boolean> {
    const isThere = this.#bound.brain.graph.meta.roots.some((it) => it.path === root)
    if (!isThere || this.#closed || this.#store.mode === 'read_only') return false
    const noted = this.#bound.records.get('ingest', root)
    const request = requestOf({ ...(isObject(noted) ? noted : {}), path: root })
    if (request === null) return false
    const report = await this.ingest(request, { signal: this.#stop.signal, progress: () => {} })
    const kept = report.files_unchanged + report.files_skipped + report.files_failed
    const changed = kept < report.files_scanned || report.nodes_created > 0 || report.nodes_removed > 0
    if (changed)
      this.events.push({ type: 'graph_changed', event: 'ingest', source: 'watcher', timestamp_ms: Date.now() })
    return changed
  }

  /** How each root was read, to read it so again, also after a restart. */
  #noteRequest({ path, adapter, includeDotfiles, dotfilePatterns }: IngestRequest): void {
    const roots = new Set(this.#bound.brain.graph.meta.roots.map((it) => it.path))
    try {
      for (const [root] of this.#bound.records.all('ingest'))
        if (!roots.has(root)) this.#bound.records.remove('ingest', root)
      if (adapter !== 'code' || !roots.has(path)) return
      const value = { includeDotfiles, dotfilePatterns }
      const before = this.#bound.records.get('ingest', path)
      if (JSON.stringify(before) !== JSON.stringify(value)) this.#bound.records.put('ingest', path, value)
    } catch (error) {
      this.#warn(`How ${path} was read could not be noted: ${reason(error)}`)
    }
  }

  async #noteReport(root: string, report: IngestReport): Promise<void> {
    const { keepReport } = await import('#engine/reports')
    const roots = this.#bound.brain.graph.meta.roots.map((it) => it.path)
    try {
      keepReport(this.#bound.records, report, { root, roots, at: Date.now() })
    } catch (error) {
      this.#warn(`What was left out of ${root} could not be noted: ${reason(error)}`)
    }
  }

  /** What is read again may be a part of something ingested before: a part alone would take the place of the whole, or stand beside it. */
  #rootAround(path: string): string {
    const { roots } = this.#bound.brain.graph.meta
    return roots.find((it) => it.adapter === 'code' && isInside(path, it.path))?.path ?? path
  }

  async #ingestBound(
    path: string,
    request: IngestRequest,
    { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<IngestReport> {
    const before = this.#bound.brain
    this.#working = { phase: 'walk', done: 0, total: 0, file: '', etaMs: -1 }
    try {
      const built = await this.#build({ ...request, path }, { signal, progress })
      const { image, renamed, difference, report } = built
      const { graph, indexes } = fromImage(image)
      refuseEmpty(before.graph, graph, report)
      refusePart(before.graph, graph, report, this.settings)
      compare(report, before.graph, graph, request, difference)
      const isOther = isAnotherProject(before.graph, graph)
      if (isOther)
        report.warnings.push('This is another project than before; what was learned on that one is not carried over.')
      const { noteIngest } = await import('#engine/locks')
      this.#put(built, graph, indexes, isOther ? null : new Map(renamed))
      noteIngest(this, before.graph, request.agent ?? '', Date.now())
      await this.#saveIngest({ ...request, path }, report)
      await this.#noteReport(path, report)
      return report
    } finally {
      this.#working = null
    }
  }

  federate(
    request: FederateRequest,
    options: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<FederationReport> {
    const turn = this.#ingesting.then(() => this.#federate(request, options))
    this.#ingesting = turn.catch(() => undefined)
    return turn
  }

  async #federate(
    request: FederateRequest,
    { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<FederationReport> {
    await this.ready
    this.#checking.stop()
    const base = this.#bound.project || this.#options.cwd
    const repositories = request.repositories.map((it) => ({ ...it, path: localPath(it.path, base) }))
    const there = repositories.find((it) => existsSync(it.path))
    if (there === undefined) {
      throw new Refusal(
        'ingest_path_missing',
        `None of the paths exists or can be read: ${repositories.map((it) => clipped(it.path)).join(', ')}`,
        'Give absolute paths of folders on this machine.',
      )
    }
    const plain = { adapter: 'code', namespace: '', includeDotfiles: false, dotfilePatterns: [], agent: request.agent }
    const asked: IngestRequest = { ...plain, path: there.path, mode: 'merge', incremental: request.incremental }
    // without a project it belongs to where it was asked for, or to the first of them
    const place = isTooWide(base) ? there.path : base
    const binding = await this.#bindFor(place, asked)
    const before = this.#bound.brain
    this.#working = { phase: 'walk', done: 0, total: 0, file: '', etaMs: -1 }
    try {
      const federation = { ...request, repositories }
      const built = await this.#build({ ...asked, mode: 'replace' }, { signal, progress }, undefined, federation)
      const { graph, indexes } = fromImage(built.image)
      refuseEmpty(before.graph, graph, built.report)
      const { noteIngest } = await import('#engine/locks')
      this.#put(built, graph, indexes, isAnotherProject(before.graph, graph) ? null : new Map(built.renamed))
      noteIngest(this, before.graph, request.agent ?? '', Date.now())
      binding?.keep()
      this.#request = null
      // the failure is in health and in the log, and the next save tries again
      await this.persist().catch(() => undefined)
      if (built.federation === undefined) throw new Error('The repositories were not told apart.')
      return built.federation
    } catch (error) {
      binding?.undo()
      throw error
    } finally {
      this.#working = null
    }
  }

  /** Lets TypeScript's checker look at the files, and puts a graph with what it said in place of this one. */
  async #check(context: { signal: AbortSignal; progress: (at: Progress) => void }): Promise<IngestReport | null> {
    const request = this.#request
    if (request === null || request.adapter !== 'code') return null
    const facts = this.#warm?.bound === this.#bound ? await this.#builder.facts() : this.#bound.storedFacts()
    if (facts === null) return null
    const { stopping } = this.#checking
    const signal = AbortSignal.any([context.signal, stopping])
    const upgrades = await this.#checking.run(facts, { signal, progress: context.progress })
    if (upgrades === null) return null
    try {
      const built = await this.#build(request, { signal, progress: () => {} }, upgrades)
      const { noteIngest } = await import('#engine/locks')
      if (signal.aborted) return null
      const { graph, indexes } = fromImage(built.image)
      const before = this.#bound.brain.graph
      this.#put(built, graph, indexes, new Map(built.renamed))
      noteIngest(this, before, request.agent ?? '', Date.now())
      this.#checking.finish()
      built.report.edge_count = graph.nLogical
      this.events.push({ type: 'graph_changed', event: 'ingest', source: 'checker', timestamp_ms: Date.now() })
      await this.persist()
      return built.report
    } catch (error) {
      if (!signal.aborted) this.#checking.fail(reason(error))
      return null
    }
  }

  async #build(
    request: IngestRequest,
    { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
    upgrades?: Task['upgrades'],
    federation?: FederateRequest,
  ): Promise<Built> {
    clearTimeout(this.#idle)
    const warm = this.#warm?.bound === this.#bound ? this.#warm : null
    this.#warm = null
    const task = {
      request,
      settings: this.settings,
      roots: this.#bound.brain.graph.meta.roots,
      facts: warm === null ? this.#bound.storedFacts() : null,
      base: warm?.base ?? 0,
      upgrades,
      federation,
    }
    const built = await this.#builder.build(task, {
      signal,
      progress: (at) => {
        this.#working = at
        this.#tellProgress(at)
        progress(at)
      },
    })
    this.#idle = setTimeout(() => this.#release(), IDLE_MS).unref()
    return built
  }

  #tellProgress({ phase, done, total, file, etaMs }: Progress): void {
    const now = performance.now()
    if (!this.events.isWatched || now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    this.events.push({ type: 'ingest_progress', phase, done, total, file, eta_ms: etaMs, timestamp_ms: Date.now() })
  }

  /** Puts what was built into service. */
  #put(built: Built, graph: Graph, indexes: Indexes, renamed: ReadonlyMap<string, string> | null): void {
    const bound = this.#bound
    bound.put(graph, indexes, renamed)
    this.#warm = { bound, base: built.number }
    this.#late = this.#takeLate(built, bound.brain)
    // after the answer
    setImmediate(() => this.#freshness?.follow({ look: false }))
  }

  /** Indexes that were not there in time take the place of those of the graph before. */
  async #takeLate({ late }: Built, brain: Brain): Promise<void> {
    if (late === null) return
    try {
      takeLate(brain, await late)
    } catch (error) {
      // another ingest has come meanwhile, or this process ends
      if (this.#bound.brain !== brain || this.#closed) return
      this.#warn(`Some indexes were made without history: ${reason(error)}`)
      const { semantic, cochange } = indexesOf(brain.graph)
      Object.assign(brain.indexes, { semantic, cochange })
      brain.graph.pagerank.set(pageRank(brain.graph))
    }
  }

  /** A whole project is saved before the answer; a change behind it, as it can be made again from the files. */
  async #saveIngest(request: IngestRequest, report: IngestReport): Promise<void> {
    if (request.incremental && this.#noteUnsaved(request)) {
      setTimeout(() => {
        // the failure is in health and in the log, and the next save tries again
        this.persist().catch(() => undefined)
      }, SAVE_AFTER_MS).unref()
      return
    }
    this.#working = { phase: 'save', done: 0, total: 0, file: '', etaMs: -1 }
    const began = performance.now()
    // the answer says when it fails, and every later save tries again
    await this.persist().catch(() => undefined)
    report.phase_ms.save = Math.round(performance.now() - began)
  }

  /** Whether the next process will know of an ingest that is not saved yet. */
  #noteUnsaved(request: IngestRequest): boolean {
    try {
      this.#store.leaveUnsaved(JSON.stringify(request))
      return true
    } catch (error) {
      this.#warn(`The ingest could not be noted: ${reason(error)}`)
      return false
    }
  }

  /** Lets go of what only the next ingest would make use of; it is slower then, and gives the same. */
  #release(): void {
    clearTimeout(this.#idle)
    this.#warm = null
    this.#builder.close()
  }

  touch(): void {
    this.#bound.lastSession.change()
    this.#bound.dirty = true
  }

  persist(): Promise<void> {
    const turn = this.#saving.then(() => this.#save())
    this.#saving = turn.catch(() => undefined)
    return turn
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#freshness?.close()
    this.#stop.abort()
    this.#relay?.close()
    this.#options.owns?.('')
    this.#checking.stop()
    // a process that nobody asked anything has nothing to save
    if (this.#ready !== null) await this.#ready
    try {
      await this.persist()
    } finally {
      this.#release()
      this.#store.close()
    }
  }

  staleFiles(paths: readonly string[]): string[] {
    const { graph } = this.#bound.brain
    const { ingestedAt, roots } = graph.meta
    if (ingestedAt === 0 || roots.length === 0) return []
    const isStale = (path: string, among: readonly Root[]) => {
      const found = among
        .map((it) => statSync(join(it.base, path), { throwIfNoEntry: false }))
        .find((it) => it !== undefined)
      return found === undefined || Math.floor(found.mtimeMs) > ingestedAt
    }
    // a path may name a file in each of several repositories
    return paths.filter((path) => rootsWith(graph, path).some((it) => isStale(path, it)))
  }

  isOnDisk(path: string): boolean {
    if (path === '' || path.includes('\0')) return false
    return this.#bound.brain.graph.meta.roots.some(({ base }) => {
      const file = resolve(base, path)
      return isInside(file, base) && existsSync(file)
    })
  }

  linesOf(places: readonly { node: NodeId; path: string; line: number }[]): string[] {
    const { graph } = this.#bound.brain
    return linesOf(
      places.map(({ node, path, line }) => ({ bases: rootsOf(graph, node).map((it) => it.base), path, line })),
    )
  }

  async findCode(pattern: string, inScope: (path: string) => boolean, signal: AbortSignal): Promise<CodeSearch> {
    const { graph } = this.#bound.brain
    const { searchCode } = await import('#ingest/search')
    const files: { path: string; base: string }[] = []
    for (let v = 0; v < graph.nNodes; v++) {
      const path = graph.types[v] === FILE && graph.dead[v] === 0 ? text(graph, graph.paths[v]) : ''
      if (path === '' || !inScope(path)) continue
      const [root] = rootsOf(graph, v)
      if (root !== undefined) files.push({ path, base: root.base })
    }
    return searchCode(pattern, files, signal)
  }

  // binding

  /** A path of the bound project, a merge, and named files stay where they are; another project has its own state. */
  async #bindFor(path: string, request: IngestRequest): Promise<Binding | null> {
    if (!this.leadsElsewhere(path, request)) return this.#checkOwner(null)
    return this.#checkOwner(await this.#bind(projectOf(path)))
  }

  #checkOwner(binding: Binding | null): Binding | null {
    if (this.#store.mode !== 'read_only') return binding
    const owner = this.#store.owner > 0 ? `process ${this.#store.owner}` : 'another process'
    const project = this.#bound.project
    binding?.undo()
    throw new Refusal(
      'read_only',
      `The state of ${project} belongs to ${owner}.`,
      'Ask through that process, end it, or start with --ephemeral.',
    )
  }

  /** Goes over to another project. The one before stays open until it is known which of the two is wanted. */
  async #bind(project: string): Promise<Binding> {
    // what cannot be saved now is in health, and is kept in case that this project comes back
    await this.persist().catch(() => undefined)
    const before = this.#bound
    this.#reachedAt = Number.NEGATIVE_INFINITY
    // named state holds whatever project is bound
    if (before.holdsAlso(project)) {
      const { brain } = before
      before.brain = { ...brain, root: project }
      const undo = () => {
        before.brain = brain
      }
      return { keep: () => {}, undo }
    }
    this.#bound = this.#boundTo(project)
    const relay = this.#relay
    this.#relay = null
    // who is served by this process asked about the other project
    this.#options.owns?.('')
    await this.#load()
    return {
      keep: () => {
        relay?.close()
        before.store.close()
        this.#options.owns?.(this.#bound.owned)
      },
      undo: () => {
        this.#store.close()
        this.#relay = relay
        this.#bound = before
        this.#options.owns?.(before.owned)
      },
    }
  }

  // loading

  async #load(): Promise<void> {
    const { store } = this.#bound
    if (store.place === '') return
    this.#working = { phase: 'load', done: 0, total: 0, file: '', etaMs: -1 }
    try {
      const hasGraph = this.#bound.load()
      for (const it of store.warnings) this.#options.log(it)
      if (hasGraph && store.mode === 'file') {
        this.#catchUp(store.unsaved())
        setImmediate(() => this.#freshness?.follow({ look: true }))
      }
      if (store.mode === 'read_only' && !this.settings.readOnly) {
        this.#warn(
          `Another m1nd (process ${store.owner}) owns the state of this project: questions are answered, nothing is saved.`,
        )
      }
    } finally {
      this.#working = null
    }
  }

  /** The last process ended before it could save an ingest that it had answered for: the files say it again. */
  #catchUp(unsaved: string): void {
    const request = unsaved === '' ? null : requestOf(parsed(unsaved))
    if (request === null) return
    setImmediate(() => {
      const options = { signal: new AbortController().signal, progress: () => {} }
      this.ingest(request, options).then(
        () => this.events.push({ type: 'graph_changed', event: 'ingest', source: 'startup', timestamp_ms: Date.now() }),
        (error) => this.#warn(`The files could not be read again: ${reason(error)}`),
      )
    })
  }

  /** Works on what is bound at its start, whatever is bound meanwhile. */
  async #save(): Promise<void> {
    const bound = this.#bound
    try {
      const saved = await bound.save({
        late: this.#late,
        facts: async () => (this.#warm?.bound === bound ? await this.#builder.facts() : null),
        closing: this.#closed,
      })
      if (saved) this.events.push({ type: 'persist', generation: bound.brain.graph.meta.generation })
      this.#saveFailure = ''
    } catch (error) {
      this.#saveFailure = reason(error)
      this.#warn(`State could not be saved: ${this.#saveFailure}`)
      throw error
    }
    if (process.memoryUsage.rss() > MOST_MEMORY * totalmem()) this.#release()
  }

  #warn(text: string): void {
    this.#options.log(text)
    this.#warnings = [...this.#warnings, text].slice(-MAX_WARNINGS)
  }
}

/** Takes over the numbers of a later look at the same files. */
function renew(report: IngestReport, later: IngestReport | null): void {
  if (later === null) return
  const { edge_count, references_resolved, references_ambiguous, references_unresolved, references_external } = later
  Object.assign(report, {
    edge_count,
    references_resolved,
    references_ambiguous,
    references_unresolved,
    references_external,
  })
}

/** A request as it was noted, null when the note is no such thing. */
function requestOf(noted: unknown): IngestRequest | null {
  if (!isObject(noted) || typeof noted.path !== 'string') return null
  const patterns = Array.isArray(noted.dotfilePatterns) ? noted.dotfilePatterns : []
  return {
    path: noted.path,
    adapter: 'code',
    mode: 'merge',
    incremental: true,
    namespace: '',
    includeDotfiles: noted.includeDotfiles === true,
    dotfilePatterns: patterns.map(String),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // a note that was cut off when the process ended; files that are newer than the graph are told by every answer
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A path in a message; one of thousands of characters helps nobody. */
function clipped(path: string): string {
  return path.length > 300 ? `${path.slice(0, 297)}…` : path
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
