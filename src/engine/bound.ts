/** What a process holds of one project: its place of state, the brain, what clients keep; how it is read and saved. */

import { createHash } from 'node:crypto'
import { baselineFromJson, LastSession } from '#engine/baseline'
import type { Brain, Indexes, Session, Settings } from '#engine/brain'
import { encodeStructure, fromImage, type Image } from '#engine/image'
import { KeptRecords } from '#engine/records'
import { keepSessions, restoreSessions } from '#engine/sessions'
import { openStore, stateFolder, type Store } from '#engine/store'
import { buildGraph, emptyGraph } from '#graph/build'
import { carryLearning } from '#graph/carry'
import type { Graph } from '#graph/graph'
import { readJson, writeJson } from '#graph/json'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { decodeSections, encodeSections } from '#graph/snapshot'
import { fromJson, toJson } from '#plasticity/exchange'
import { confirmedPairs } from '#plasticity/feedback'
import { emptyLearned, type Learned } from '#plasticity/learned'
import { buildCoChange, observeOnly } from '#query/cochange'
import { buildSemantic } from '#query/semantic'

/** What only the process around it knows. */
export interface SaveOptions {
  /** Resolves when the indexes of the graph in place are whole. */
  late: Promise<void>
  /** Facts of the last ingest of this project, null when nobody remembers them. */
  facts: () => Promise<Image | null>
  /** The process ends: how agents were seen is kept as well. */
  closing: boolean
}

export class Bound {
  readonly store: Store
  brain: Brain
  readonly records = new KeptRecords()
  readonly sessions = new Map<string, Session>()
  readonly lastSession: LastSession
  /** The graph in place is not saved. */
  graphDirty = false
  /** What was learned is not saved. */
  dirty = false
  /** Epoch ms of the last save of this process, 0 = never. */
  savedAt = 0
  readonly #settings: Settings
  readonly #warn: (text: string) => void
  /** What was learned is there, but not the graph that it belongs to: it waits for the next ingest. */
  #learnedWaits = false
  /** Facts of the last ingest where they cannot be saved. */
  #facts: Image | null = null
  /** When the state that was last read had been saved. */
  #readAt = 0

  constructor(settings: Settings, project: string, warn: (text: string) => void) {
    this.#settings = settings
    this.#warn = warn
    this.store = openStore(settings, project, Date.now)
    this.brain = emptyBrain(project)
    this.lastSession = new LastSession(() =>
      this.store.read('last_session', (bytes) => baselineFromJson(JSON.parse(Buffer.from(bytes).toString()))),
    )
  }

  get project(): string {
    return this.brain.root
  }

  /** Folder whose state this process owns, '' for none. */
  get owned(): string {
    return this.store.mode === 'file' ? this.store.place : ''
  }

  /** Whether another project's state lies in the same place, as named files do. */
  holdsAlso(project: string): boolean {
    return this.store.place !== '' && stateFolder(this.#settings, project) === this.store.place
  }

  /** Whether somebody has saved since this was read. */
  get isOutdated(): boolean {
    return this.#lastSave() !== this.#readAt
  }

  #lastSave(): number {
    return Math.max(this.store.savedAt('graph'), this.store.savedAt('learned'))
  }

  /** Reads what is saved. Whether there was a graph. */
  load(): boolean {
    this.#readAt = this.#lastSave()
    const read = this.#readGraph()
    this.#learnedWaits = read === null
    if (read !== null) {
      this.savedAt = this.#readAt
      this.brain = { root: this.project, learned: emptyLearned(), ...read }
      this.brain.learned = this.#readLearned(read.graph) ?? this.brain.learned
      observeOnly(read.indexes.cochange, confirmedPairs(read.graph, this.brain.learned))
      this.lastSession.load(read.graph, this.store.savedAt('learned') || this.store.savedAt('graph'))
    }
    const records = this.store.read('records', (bytes) => JSON.parse(Buffer.from(bytes).toString()))
    this.records.restore(records, this.store.journal())
    restoreSessions(this.records, this.sessions, Date.now())
    return read !== null
  }

  /** What is of another project, or of none, is set aside like what is damaged: the next save would replace it. */
  #readLearned(graph: Graph): Learned | null {
    const read = this.store.read('learned', (bytes) => {
      const it = fromJson(Buffer.from(bytes).toString(), graph)
      if (it.applied === 0 && it.unmatched > 0) throw new Error(it.warnings.join(' '))
      return it
    })
    for (const it of read?.warnings ?? []) this.#warn(it)
    return read?.learned ?? null
  }

  #readGraph(): { graph: Graph; indexes: Indexes } | null {
    if (!this.#settings.graphSource.endsWith('.json'))
      return this.store.read('graph', (bytes) => fromImage(decodeSections(bytes)))

    // the exchange form is the truth; the binary one beside it is used while it is of the same graph
    const json = this.store.read('graph.json', (bytes) => ({
      bytes,
      value: JSON.parse(Buffer.from(bytes).toString()),
    }))
    if (json === null) return null
    const fingerprint = createHash('sha256').update(json.bytes).digest('hex')
    const image = this.store.read('graph', (bytes): Image | null => {
      const it = decodeSections(bytes)
      return it.header.json === fingerprint ? it : null
    })
    if (image !== null) return fromImage(image)
    const { input, warnings } = readJson(json.value)
    for (const it of warnings) this.#warn(it)
    const graph = buildGraph(input)
    return { graph, indexes: indexesOf(graph) }
  }

  /** Facts of the last ingest, as they were saved. */
  storedFacts(): Image | null {
    return this.#facts ?? this.store.read('facts', decodeSections)
  }

  /**
   * Puts a graph in place. `renamed` says which files have other names now; null when nothing learned on the old graph
   * holds for the new one.
   */
  put(graph: Graph, indexes: Indexes, renamed: ReadonlyMap<string, string> | null): void {
    const { graph: old } = this.brain
    const learned = renamed === null ? emptyLearned() : this.brain.learned
    this.lastSession.change()
    this.lastSession.settle()
    if (renamed !== null) carryLearning(old, graph, renamed)
    graph.meta.generation = old.meta.generation + 1
    graph.meta.plasticityGeneration = old.meta.plasticityGeneration
    const waiting = this.#learnedWaits ? this.#readLearned(graph) : null
    this.#learnedWaits = false
    learned.bound = null
    this.brain = { root: this.project, graph, indexes, learned: waiting ?? learned }
    observeOnly(indexes.cochange, confirmedPairs(graph, this.brain.learned))
    this.graphDirty = true
  }

  /** The graph first: what was learned means nothing without it. Whether there was something to save. */
  async save({ late, facts, closing }: SaveOptions): Promise<boolean> {
    const { store, records } = this
    const isNew = this.graphDirty || this.dirty
    if (isNew) await this.lastSession.keep((text) => store.write('last_session', [Buffer.from(text)]))
    if (this.graphDirty) await this.#saveGraph(late, facts)
    if (this.dirty) await this.#saveLearned()
    if (records.isDirty || (closing && this.brain.graph.nNodes > 0)) keepSessions(records, this.sessions)
    if (records.isDirty) await records.save((text) => store.write('records', [Buffer.from(text)]))
    return isNew && store.mode === 'file'
  }

  async #saveGraph(late: Promise<void>, facts: () => Promise<Image | null>): Promise<void> {
    const { store, brain } = this
    this.graphDirty = false
    try {
      await late
      const { graph, indexes } = brain
      const extra: Record<string, unknown> = {}
      if (store.keeps('graph.json')) {
        const hash = createHash('sha256')
        await store.write('graph.json', hashed(writeJson(graph), hash))
        extra.json = hash.digest('hex')
      }
      await store.write('graph', encodeStructure(graph, indexes, extra))
      await this.#saveFacts(await facts())
    } catch (error) {
      this.graphDirty = true
      throw error
    }
    if (this.brain === brain) store.leaveUnsaved('')
    this.dirty = true
  }

  async #saveFacts(facts: Image | null): Promise<void> {
    if (facts === null) return
    this.#facts = facts
    if (this.store.mode !== 'file') return
    await this.store.write('facts', encodeSections(facts.header, facts.columns))
    this.#facts = null
  }

  async #saveLearned(): Promise<void> {
    const { learned, graph } = this.brain
    this.dirty = false
    try {
      await this.store.write('learned', [Buffer.from(JSON.stringify(toJson(learned, graph, Date.now())))])
    } catch (error) {
      this.dirty = true
      throw error
    }
    if (this.store.mode === 'file') this.savedAt = Date.now()
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
export function indexesOf(graph: Graph): Indexes {
  return {
    semantic: buildSemantic(graph),
    cochange: buildCoChange(graph, []),
    lexical: buildLexical([], graph),
    messages: emptyMessages(),
  }
}

function* hashed(pieces: Iterable<string>, hash: { update(bytes: Uint8Array): unknown }): Generator<Uint8Array> {
  for (const it of pieces) {
    const bytes = Buffer.from(it)
    hash.update(bytes)
    yield bytes
  }
}
