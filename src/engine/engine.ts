/** The state of a running process: one project's graph and what was learned on it, kept between runs. */

import { createHash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { baselineOf } from '#engine/baseline'
import type {
  Baseline,
  Brain,
  Engine,
  EngineStatus,
  Indexes,
  IngestReport,
  IngestRequest,
  Progress,
  Session,
  Settings,
} from '#engine/brain'
import { compare, refuseEmpty } from '#engine/difference'
import { encodeStructure, fromImage, type Image } from '#engine/image'
import { runIngest } from '#engine/ingest-thread'
import { gitTopLevel, hasState, isInside, nearestFolder, projectOf, startProject } from '#engine/project'
import { Refusal } from '#engine/refusal'
import { openStore, type Store } from '#engine/store'
import { buildGraph, emptyGraph } from '#graph/build'
import { carryLearning } from '#graph/carry'
import type { Graph } from '#graph/graph'
import { readJson, writeJson } from '#graph/json'
import { buildLexical } from '#graph/lexical'
import { decodeSections, encodeSections } from '#graph/snapshot'
import { fromJson, toJson } from '#plasticity/exchange'
import { emptyLearned } from '#plasticity/learned'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'

export interface EngineOptions {
  version: string
  /** Lines for the operator. */
  log: (line: string) => void
  /** Where the process was started. */
  cwd: string
  /** Builds the graph; in a worker unless told otherwise. */
  build?: typeof runIngest
}

/** Starts loading the saved state of the project and returns at once. Throws `SettingsError` when there is no such project. */
export function openEngine(settings: Settings, options: EngineOptions): Engine {
  return new LocalEngine(settings, options)
}

const MAX_WARNINGS = 20
/** The graph is read this long after the start even if nobody asks. */
const LOAD_AFTER_MS = 250

class LocalEngine implements Engine {
  readonly settings: Settings
  readonly #options: EngineOptions
  readonly #startedAt = Date.now()
  readonly #sessions = new Map<string, Session>()
  #project: string
  #store: Store
  #brain: Brain
  /** Null until somebody asks for it: the first message of a client is answered before the graph is read. */
  #ready: Promise<void> | null = null
  #baseline: Baseline | null = null
  /** The graph that was loaded, until the baseline is asked for or the graph is replaced. */
  #loaded: { graph: Graph; savedAt: number } | null = null
  #working: Progress | null = null
  #warnings: string[] = []
  #queries = 0
  #queriesSinceSave = 0
  /** Facts of the last ingest, kept while they are not saved. */
  #facts: Image | null = null
  #graphDirty = false
  #dirty = false
  #saving: Promise<void> = Promise.resolve()
  #saveFailed = false
  #lastPersistAt = 0
  #closed = false

  constructor(settings: Settings, options: EngineOptions) {
    this.settings = settings
    this.#options = options
    this.#project = startProject(settings, options.cwd)
    this.#store = openStore(settings, this.#project, Date.now)
    this.#brain = emptyBrain(this.#project)
    setTimeout(() => void this.ready, LOAD_AFTER_MS).unref()
  }

  get brain(): Brain {
    return this.#brain
  }

  get ready(): Promise<void> {
    this.#ready ??= this.#load()
    return this.#ready
  }

  get baseline(): Baseline | null {
    if (this.#baseline === null && this.#loaded !== null) this.#keepBaseline()
    return this.#baseline
  }

  status(): EngineStatus {
    const damaged = this.#store.warnings.length > 0
    return {
      mode: this.settings.readOnly ? 'read_only' : this.#store.mode,
      status:
        this.#ready === null || this.#working?.phase === 'load'
          ? 'loading'
          : damaged || this.#saveFailed
            ? 'degraded'
            : 'ok',
      working: this.#working,
      queriesProcessed: this.#queries,
      startedAt: this.#startedAt,
      lastPersistAt: this.#lastPersistAt,
      sessions: [...this.#sessions.values()],
      warnings: [...this.#store.warnings, ...this.#warnings],
      stateFolder: this.#store.place,
      version: this.#options.version,
    }
  }

  record(agent: string, now: number, counted: boolean): void {
    const session = this.#sessions.get(agent) ?? { agent_id: agent, firstSeen: now, lastSeen: now, queryCount: 0 }
    session.lastSeen = now
    this.#sessions.set(agent, session)
    const idle = this.settings.sessionIdleHours * 3_600_000
    for (const [name, { lastSeen }] of this.#sessions) if (now - lastSeen > idle) this.#sessions.delete(name)
    if (!counted) return
    session.queryCount++
    this.#queries++
    if (++this.#queriesSinceSave < this.settings.autoPersistInterval) return
    this.#queriesSinceSave = 0
    // after the answer
    setImmediate(() => {
      // the failure is in health and in the log, and the next save tries again
      this.persist().catch(() => undefined)
    })
  }

  suggestProject(path: Promise<string>): void {
    if (this.settings.project !== '' || this.settings.graphSource !== '' || this.settings.runtimeDir !== '') return
    const before = this.ready
    this.#ready = Promise.all([path, before]).then(async ([given]) => {
      const untouched = this.#queries === 0 && this.#working === null
      if (given === '' || !untouched || !existsSync(given)) return
      const project =
        gitTopLevel(given) || nearestFolder(given, (it) => hasState(this.settings, it)) || realpathSync(given)
      if (project !== this.#project) await this.#bind(project)
    })
  }

  async ingest(
    request: IngestRequest,
    { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<IngestReport> {
    await this.ready
    const path = resolve(this.#project || this.#options.cwd, request.path)
    if (!existsSync(path)) {
      throw new Refusal(
        'ingest_path_missing',
        `The path does not exist or cannot be read: ${path}`,
        'Give the absolute path of a folder or file on this machine.',
      )
    }
    await this.#bindFor(path, request)

    const before = this.#brain
    this.#working = { phase: 'walk', done: 0, total: 0, file: '', etaMs: -1 }
    try {
      const { image, facts, renamed, report } = await (this.#options.build ?? runIngest)(
        {
          request: { ...request, path: realpathSync(path) },
          settings: this.settings,
          roots: before.graph.meta.roots,
          facts: this.#storedFacts(),
        },
        {
          signal,
          progress: (at) => {
            this.#working = at
            progress(at)
          },
        },
      )
      const { graph, indexes } = fromImage(image)
      refuseEmpty(before.graph, graph, report)
      compare(report, before.graph, graph, request)
      this.#swap(graph, indexes, new Map(renamed))
      this.#working = { phase: 'save', done: 0, total: 0, file: '', etaMs: -1 }
      const began = performance.now()
      this.#facts = facts
      this.#graphDirty = true
      try {
        await this.persist()
      } catch (error) {
        // the answer says it, and every later save tries again
        report.warnings.push(`The graph could not be saved: ${reason(error)}`)
      }
      report.phase_ms.save = Math.round(performance.now() - began)
      return report
    } finally {
      this.#working = null
    }
  }

  touch(): void {
    this.#dirty = true
  }

  persist(): Promise<void> {
    const turn = this.#saving.then(() => this.#save())
    this.#saving = turn.catch(() => undefined)
    return turn
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    // a process that nobody asked anything has nothing to save
    if (this.#ready !== null) await this.#ready
    try {
      await this.persist()
    } finally {
      this.#store.close()
    }
  }

  staleFiles(paths: readonly string[]): string[] {
    const { ingestedAt, roots } = this.#brain.graph.meta
    if (ingestedAt === 0 || roots.length === 0) return []
    return paths.filter((path) => {
      const found = roots
        .map((it) => statSync(join(it.base, path), { throwIfNoEntry: false }))
        .find((it) => it !== undefined)
      return found === undefined || found.mtimeMs > ingestedAt
    })
  }

  // binding

  /** A path inside the bound project, a merge, and named files stay where they are; another project has its own state. */
  async #bindFor(path: string, { mode }: IngestRequest): Promise<void> {
    const fixed = this.settings.graphSource !== '' || this.settings.runtimeDir !== ''
    const real = realpathSync(path)
    if (this.#project !== '' && (fixed || mode === 'merge' || isInside(real, this.#project))) return
    const project = projectOf(path)
    if (project !== this.#project) await this.#bind(project)
    if (this.#store.mode === 'read_only') {
      const owner = this.#store.owner > 0 ? `process ${this.#store.owner}` : 'another process'
      throw new Refusal(
        'read_only',
        `The state of ${project} belongs to ${owner}.`,
        'Ask through that process, end it, or start with --ephemeral.',
      )
    }
  }

  async #bind(project: string): Promise<void> {
    await this.persist()
    this.#store.close()
    this.#project = project
    this.#store = openStore(this.settings, project, Date.now)
    this.#brain = emptyBrain(project)
    this.#baseline = null
    this.#loaded = null
    this.#facts = null
    await this.#load()
  }

  #storedFacts(): Image | null {
    return this.#facts ?? this.#store.read('facts', decodeSections)
  }

  // loading

  async #load(): Promise<void> {
    if (this.#store.mode === 'memory') return
    this.#working = { phase: 'load', done: 0, total: 0, file: '', etaMs: -1 }
    try {
      const read = this.#readGraph()
      if (read !== null) this.#brain = { root: this.#project, learned: emptyLearned(), ...read }
      const learned = this.#store.read('learned', (bytes) => fromJson(Buffer.from(bytes).toString(), this.#brain.graph))
      if (learned !== null) {
        this.#brain.learned = learned.learned
        for (const it of learned.warnings) this.#warn(it)
      }
      const savedAt = this.#store.savedAt('learned') || this.#store.savedAt('graph')
      if (read !== null) this.#loaded = { graph: this.#brain.graph, savedAt }
      for (const it of this.#store.warnings) this.#options.log(it)
      if (this.#store.mode === 'read_only' && !this.settings.readOnly) {
        this.#warn(
          `Another m1nd (process ${this.#store.owner}) owns the state of this project: questions are answered, nothing is saved.`,
        )
      }
    } finally {
      this.#working = null
    }
  }

  #readGraph(): { graph: Graph; indexes: Indexes } | null {
    if (!this.settings.graphSource.endsWith('.json'))
      return this.#store.read('graph', (bytes) => fromImage(decodeSections(bytes)))

    // the exchange form is the truth; the binary one beside it is used while it is of the same graph
    const json = this.#store.read('graph.json', (bytes) => ({
      bytes,
      value: JSON.parse(Buffer.from(bytes).toString()),
    }))
    if (json === null) return null
    const fingerprint = createHash('sha256').update(json.bytes).digest('hex')
    const image = this.#store.read('graph', (bytes): Image | null => {
      const it = decodeSections(bytes)
      return it.header.json === fingerprint ? it : null
    })
    if (image !== null) return fromImage(image)
    const { input, warnings } = readJson(json.value)
    for (const it of warnings) this.#warn(it)
    const graph = buildGraph(input)
    return { graph, indexes: indexesOf(graph) }
  }

  #keepBaseline(): void {
    if (this.#loaded === null) return
    this.#baseline = baselineOf(this.#loaded.graph, this.#loaded.savedAt)
    this.#loaded = null
  }

  // replacing and saving

  #swap(graph: Graph, indexes: Indexes, renamed: ReadonlyMap<string, string>): void {
    const { graph: old, learned } = this.#brain
    this.#keepBaseline()
    carryLearning(old, graph, renamed)
    graph.meta.generation = old.meta.generation + 1
    graph.meta.plasticityGeneration = old.meta.plasticityGeneration
    learned.bound = null
    this.#brain = { root: this.#project, graph, indexes, learned }
  }

  /** The graph first: what was learned means nothing without it. */
  async #save(): Promise<void> {
    try {
      if (this.#graphDirty) await this.#saveGraph()
      if (this.#dirty) await this.#saveLearned()
      this.#saveFailed = false
    } catch (error) {
      this.#saveFailed = true
      this.#warn(`State could not be saved: ${reason(error)}`)
      throw error
    }
  }

  async #saveGraph(): Promise<void> {
    const { graph, indexes } = this.#brain
    const extra: Record<string, unknown> = {}
    if (this.#store.keeps('graph.json')) {
      const hash = createHash('sha256')
      await this.#store.write('graph.json', hashed(writeJson(graph), hash))
      extra.json = hash.digest('hex')
    }
    await this.#store.write('graph', encodeStructure(graph, indexes, extra))
    if (this.#facts !== null) await this.#store.write('facts', encodeSections(this.#facts.header, this.#facts.columns))
    if (this.#store.mode === 'file') this.#facts = null
    this.#graphDirty = false
    this.#dirty = true
  }

  async #saveLearned(): Promise<void> {
    const { learned, graph } = this.#brain
    this.#dirty = false
    try {
      await this.#store.write('learned', [Buffer.from(JSON.stringify(toJson(learned, graph, Date.now())))])
    } catch (error) {
      this.#dirty = true
      throw error
    }
    if (this.#store.mode === 'file') this.#lastPersistAt = Date.now()
  }

  #warn(text: string): void {
    this.#options.log(text)
    this.#warnings = [...this.#warnings, text].slice(-MAX_WARNINGS)
  }
}

function emptyBrain(root: string): Brain {
  const graph = emptyGraph()
  let indexes: Indexes | null = null
  return {
    root,
    graph,
    // most processes load a graph before anybody looks
    get indexes() {
      indexes ??= indexesOf(graph)
      return indexes
    },
    learned: emptyLearned(),
  }
}

/** Indexes of a graph whose source text is not at hand: names and structure, without the words of files. */
function indexesOf(graph: Graph): Indexes {
  return { semantic: buildSemantic(graph), cochange: buildCoChange(graph, []), lexical: buildLexical([], graph) }
}

function* hashed(pieces: Iterable<string>, hash: { update(bytes: Uint8Array): unknown }): Generator<Uint8Array> {
  for (const it of pieces) {
    const bytes = Buffer.from(it)
    hash.update(bytes)
    yield bytes
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
