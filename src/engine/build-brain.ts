/** Roots on disk → graph, indexes and the facts for the next time. Runs in a worker. */

import { join } from 'node:path'
import type {
  FederateRequest,
  FederationReport,
  Indexes,
  IngestReport,
  IngestRequest,
  Progress,
  Settings,
} from '#engine/brain'
import { beginIndexes, buildIndexes, type Late } from '#engine/build-indexes'
import type { LateIndexes } from '#engine/index-worker'
import { type Difference, differenceOf } from '#engine/difference'
import { fromImage, type Image, shared, takeLate, toImage } from '#engine/image'
import { isInside } from '#engine/project'
import { Refusal } from '#engine/refusal'
import { defaults } from '#engine/settings'
import { buildGraph, mergeInputs } from '#graph/build'
import { FILE, type Graph, NONE, REFERENCE, type NodeId, type Root } from '#graph/graph'
import { type LexicalFile, patchLexical } from '#graph/lexical'
import { nodeByKey } from '#graph/lookup'
import { patchGraph, repeatGraph } from '#graph/patch'
import { shareHashes } from '#graph/strings'
import { type CrossEdge, crossEdges, crossInputs, type Federated } from '#ingest/federation'
import { ingest, type Ingested } from '#ingest/ingest'
import type { Live } from '#ingest/live'
import { ingestNotes, linkMentions } from '#ingest/memory-adapter'
import { fileKey } from '#ingest/nodes'
import { IngestError } from '#ingest/report'
import { type FactsStore, storeColumns, storeFromColumns } from '#ingest/store'
import type { UpgradeSet } from '#ingest/upgrade'

export interface Task {
  request: IngestRequest
  settings: Settings
  /** Roots of the graph in place, which a merge keeps. */
  roots: Root[]
  /** Facts of earlier ingests as they were given back; null when the builder has them itself, or there are none. */
  facts: Image | null
  /** What compilers have said since the last ingest, by root. */
  upgrades?: ReadonlyMap<string, UpgradeSet[]>
  /** Number of the build that made the graph in place, 0 when it is none of this builder. */
  base: number
  /** Repositories that become one graph, in place of the one root of the request. */
  federation?: FederateRequest
}

export interface Built {
  /** Counts the builds of a builder, from 1. */
  number: number
  image: Image
  /** Keys of files that were moved without a change since the facts were taken, old and new. */
  renamed: [string, string][]
  /** From the graph in place, when that was at hand. */
  difference: Difference | null
  report: IngestReport
  /** Some indexes in the image are of the graph before, until those that belong to it are there. */
  late: Promise<LateIndexes> | null
  /** Of several repositories. */
  federation?: FederationReport
}

export interface BuildContext {
  signal: AbortSignal
  progress: (at: Progress) => void
}

/** Makes graphs, one at a time, and remembers what the next one can be made from. */
export interface Builder {
  /** Throws a `Refusal` for what the caller can mend. */
  build(task: Task, context: BuildContext): Promise<Built>
  /** Facts of the last build, to be given to another builder; null when there are none. */
  facts(): Promise<Image | null>
  /** Forgets everything. */
  close(): void
}

/** What one root says, of whatever kind. */
interface Part extends Pick<Ingested, 'meta' | 'input' | 'words' | 'commits' | 'report'> {
  path: string
  facts: FactsStore | null
}

/** The last build of a single root. */
interface Last {
  path: string
  graph: Graph
  indexes: Indexes
  live: Live
}

const ADAPTERS = ['code', 'json', 'memory']
/** Between the name of a repository and what its keys are without it. */
const SEPARATOR = '::'

export class BrainBuilder implements Builder {
  #number = 0
  #parts: Pick<Part, 'path' | 'facts'>[] = []
  #last: Last | null = null
  #late: Late | null = null

  async build(task: Task, context: BuildContext): Promise<Built> {
    const { request, settings } = task
    const wanted = task.federation?.repositories ?? [request]
    const unknown = wanted.find((it) => !ADAPTERS.includes(it.adapter))
    if (unknown !== undefined) {
      throw new Refusal(
        'unknown_adapter',
        `There is no adapter "${unknown.adapter}".`,
        `There are: ${ADAPTERS.join(', ')}.`,
        unknown.adapter,
      )
    }
    const stored = task.facts === null ? this.#stores() : readFacts(task.facts)
    const last = request.incremental && task.base === this.#number ? this.#last : null
    this.#late?.stop()
    this.#late = null
    const reading =
      task.federation === undefined
        ? readParts(task, stored, last, context)
        : readRepositories(task, task.federation, stored, context)
    const read = await reading.catch(asRefusal)
    const { part, parts, report } = read
    const indexing = performance.now()
    const at = (phase: 'build' | 'index', done: number) =>
      context.progress({ phase, done, total: 2, file: '', etaMs: -1 })
    at('build', 0)
    const [only, ...others] = parts
    const made =
      others.length === 0 && read.ingested !== null && read.federation === undefined
        ? await buildSingle(read.ingested, settings, last, () => at('index', 1))
        : await buildSeveral(parts, part, { settings, withCross: task.federation?.crossEdges !== false }, () =>
            at('index', 1),
          )
    const { graph, indexes, late, oldOf } = made
    const federation = read.federation && { ...read.federation, ...made.cross }
    const renamed = parts.flatMap((it) => renames(stored.get(it.path), it, graph, read.ingested))
    const image = shared(toImage(graph, indexes))
    const difference = last === null ? null : differenceOf(last.graph, graph, oldOf)
    this.#parts = parts
    this.#number++
    const live = others.length === 0 ? (read.ingested?.live ?? null) : null
    live?.records.rest()
    this.#last = live === null ? null : { path: only.path, live, ...fromImage(image) }
    if (this.#last !== null) shareHashes(graph.strings, this.#last.graph.strings)
    this.#late = late
    report.phase_ms.finalize = Math.round(performance.now() - indexing)
    return {
      number: this.#number,
      image,
      renamed,
      difference,
      report,
      federation,
      late: late === null ? null : this.#finish(late),
    }
  }

  /** What comes late is the base of what comes next. */
  async #finish(late: Late): Promise<LateIndexes> {
    const last = this.#last
    // the answer comes first
    await new Promise((resolve) => setImmediate(resolve))
    try {
      const image = await late.start()
      if (last !== null && last === this.#last) takeLate(last, image)
      return image
    } finally {
      late.stop()
    }
  }

  async facts(): Promise<Image | null> {
    return writeFacts(this.#parts)
  }

  close(): void {
    this.#late?.stop()
    this.#parts = []
    this.#last = null
  }

  #stores(): Map<string, FactsStore> {
    return new Map(this.#parts.flatMap(({ path, facts }) => (facts === null ? [] : [[path, facts]])))
  }
}

function asRefusal(error: unknown): never {
  if (error instanceof IngestError) throw new Refusal(error.code, error.message, error.hint)
  throw error
}

interface Made {
  /** Edges between repositories, when these are several. */
  cross?: { cross: CrossEdge[]; isCut: boolean }
  graph: Graph
  indexes: Indexes
  late: Late | null
  /** Node of the last graph for each node; null when that is not known. */
  oldOf: Uint32Array | null
}

async function buildSingle(
  ingested: Ingested,
  { domain }: Settings,
  last: Last | null,
  indexing: () => void,
): Promise<Made> {
  const meta = { ...ingested.meta, domain }
  const { change } = ingested
  if (last !== null && change?.isNone) {
    indexing()
    return { ...repeatGraph(last.graph, meta), indexes: last.indexes, late: null }
  }
  const patched = last === null || !change?.patch ? null : patchGraph(last.graph, { ...change.patch, meta })
  const graph = patched?.graph ?? buildGraph({ ...ingested.input, meta })
  indexing()
  if (last === null || change === null)
    return {
      graph,
      indexes: await buildIndexes(graph, ingested.commits, ingested.words),
      late: null,
      oldOf: null,
    }
  const newOf = patched === null ? counterparts(last.graph, graph) : inverted(patched.oldOf, last.graph.nNodes)
  const lexical = patchLexical(
    last.indexes.lexical,
    { ...change.words, changed: change.files, oldGraph: last.graph, graph, newOf },
    () => ingested.words,
  )
  const before = { graph: last.graph, indexes: last.indexes, newOf, samePast: change.samePast }
  const { late, ...indexes } = beginIndexes(graph, () => ingested.commits, before)
  return { graph, indexes: { ...indexes, lexical }, late, oldOf: patched?.oldOf ?? null }
}

async function buildSeveral(
  parts: readonly Part[],
  part: Part,
  { settings: { domain }, withCross }: { settings: Settings; withCross: boolean },
  indexing: () => void,
): Promise<Made> {
  const merged = parts.map((it) => it.input).reduce(mergeInputs)
  const repositories = withCross ? repositoriesIn(parts) : []
  const cross = crossEdges(repositories)
  const edges = merged.edges.concat(linkMentions(merged), crossInputs(merged, cross.edges))
  const meta = { ...merged.meta, domain: domainOf(parts, domain), ingestedAt: part.meta.ingestedAt }
  const graph = buildGraph({ nodes: merged.nodes, edges, meta })
  const ids = parts.map((it) => nodesIn(graph, it))
  indexing()
  const commits = parts.flatMap((it, i) =>
    it.commits.map((commit) => ({
      ...commit,
      files: commit.files.map((v) => ids[i][v]).filter((v) => v !== NONE),
    })),
  )
  const words = parts.flatMap((it, i) => it.words.flatMap((file) => wordsIn(file, ids[i])))
  const indexes = await buildIndexes(graph, commits, words)
  return { graph, indexes, cross: { cross: cross.edges, isCut: cross.isCut }, late: null, oldOf: null }
}

/** What is no source code has half-lives of its own, unless the setting says otherwise. */
function domainOf(parts: readonly Part[], wanted: string): string {
  const [{ meta, input }] = parts
  // a graph of files, functions and the like is one of code, whoever wrote it down
  const isCode =
    parts.some((it) => it.meta.roots[0]?.adapter === 'code') ||
    (meta.domain === 'generic' && input.nodes.every((it) => it.type <= REFERENCE))
  return isCode || wanted !== defaults().domain ? wanted : meta.domain
}

/** Parts whose keys begin with a name of their own, as that of the first one does. */
function repositoriesIn(parts: readonly Part[]): Federated[] {
  const code = parts.filter((it) => it.meta.roots[0]?.adapter === 'code')
  const named = code.flatMap(({ input }) => {
    const prefix = input.meta.roots[0]?.prefix ?? ''
    return prefix === '' ? [] : [{ name: prefix.slice(0, -SEPARATOR.length), input }]
  })
  return named[0]?.input === code[0]?.input ? named : []
}

function inverted(oldOf: Uint32Array, nOld: number): Uint32Array {
  const newOf = new Uint32Array(nOld).fill(NONE)
  for (let v = 0; v < oldOf.length; v++) if (oldOf[v] !== NONE) newOf[oldOf[v]] = v
  return newOf
}

/** Node of the new graph for each node of the old one, by key. */
function counterparts(old: Graph, graph: Graph): Uint32Array {
  const { bytes, offsets } = old.strings
  return Uint32Array.from({ length: old.nNodes }, (_, v) => {
    const found = graph.strings.findBytes(bytes, offsets[v], offsets[v + 1])
    return found < graph.nNodes ? found : NONE
  })
}

interface Read {
  part: Part
  parts: Part[]
  report: IngestReport
  /** Of the root that was asked for, when it is source code. */
  ingested: Ingested | null
  federation?: FederationReport
}

/** Every repository by itself; one that cannot be read is left out with its reason. Throws when none can. */
async function readRepositories(
  { request, settings, upgrades }: Task,
  { repositories, incremental }: FederateRequest,
  stored: ReadonlyMap<string, FactsStore>,
  context: BuildContext,
): Promise<Read> {
  const parts: Part[] = []
  const federation: FederationReport = { repositories: [], cross: [], isCut: false, skipped: [] }
  let failure: unknown = null
  for (const { name, path, adapter } of repositories) {
    const began = performance.now()
    const wanted = { ...request, path, adapter, namespace: name, incremental: adapter === 'code' && incremental }
    const known = { stored: incremental ? stored : new Map<string, FactsStore>(), live: undefined, upgrades }
    try {
      const read = (await readRoot(wanted, settings, known, context)).part
      const twin = federation.repositories.find((it) => it.path === read.path)
      if (twin !== undefined) throw new Refusal('invalid_params', `It is the folder of ${twin.name}.`, 'Name it once.')
      const overlapping = adapter === 'code' ? parts.find((it) => sharesFiles(it, read)) : undefined
      if (overlapping !== undefined) {
        const other = federation.repositories.find((it) => it.path === overlapping.path)?.name ?? ''
        throw new Refusal(
          'invalid_params',
          `It shares files with ${other}, which is read already.`,
          'Name one of them.',
        )
      }
      const part = adapter === 'code' ? named(read, name + SEPARATOR) : read
      parts.push(part)
      const { nodes, edges } = part.input
      const { files_parsed, files_unchanged } = part.report
      const fromCache = files_parsed === 0 && files_unchanged > 0
      federation.repositories.push({
        name,
        path: part.path,
        nodes: nodes.length,
        edges: edges.length,
        fromCache,
        ms: Math.round(performance.now() - began),
      })
    } catch (error) {
      if (!(error instanceof Error) || context.signal.aborted) throw error
      failure ??= error
      federation.skipped.push({ name, reason: error.message })
    }
  }
  const [first] = parts
  if (first === undefined) throw failure
  return { part: first, parts, report: first.report, ingested: null, federation }
}

/** Whether files of one root of source code are those of another, which lies in it. */
function sharesFiles(a: Part, b: Part): boolean {
  if (a.meta.roots[0]?.adapter !== 'code' || !(isInside(a.path, b.path) || isInside(b.path, a.path))) return false
  const files = new Set(filesOf(a))
  return filesOf(b).some((it) => files.has(it))
}

/** Absolute paths. */
function filesOf({ input, meta }: Part): string[] {
  const base = meta.roots[0]?.base ?? ''
  return input.nodes.flatMap(({ type, path }) => (type === FILE && path !== undefined ? [join(base, path)] : []))
}

/** The part with a name before all keys but those of packages, which are the same for everybody. */
function named(part: Part, prefix: string): Part {
  const { nodes, edges, meta } = part.input
  const input = {
    nodes: nodes.map((it) => (it.key.startsWith('pkg::') ? it : { ...it, key: prefix + it.key })),
    edges,
    meta: { ...meta, roots: meta.roots.map((it) => ({ ...it, prefix })) },
  }
  const { words, commits, report, facts, path } = part
  return { meta: input.meta, input, words, commits, report, facts, path }
}

/**
 * A merge reads the other roots again too, from their stored facts, so that the result is that of reading all of
 * them at once, in the same order. One that is gone from disk is left out with a warning.
 */
async function readParts(
  { request, settings, roots, upgrades }: Task,
  stored: ReadonlyMap<string, FactsStore>,
  last: Last | null,
  context: BuildContext,
): Promise<Read> {
  const live = last?.path === request.path ? last.live : undefined
  const known = request.incremental ? stored : new Map<string, FactsStore>()
  const read = await readRoot(request, settings, { stored: known, live, upgrades }, context)
  const { report } = read.part
  let { part } = read
  const { ingested } = read
  const others: Part[] = []
  // the first of roots that are merely merged keeps its keys bare
  const isFederation = (roots.find((it) => it.adapter === 'code')?.prefix ?? '') !== ''
  const asBefore = (part: Part, root: Root | undefined) =>
    isFederation && root !== undefined && root.prefix !== '' && root.adapter === 'code'
      ? named(part, root.prefix)
      : part
  // source inside of the new root is read with it
  const isSame = (it: Root) => it.path === part.path && it.adapter === request.adapter
  const isPart = (it: Root) =>
    isSame(it) || (request.adapter === 'code' && it.adapter === 'code' && isInside(it.path, part.path))
  for (const root of request.mode === 'merge' ? roots.filter((it) => !isPart(it)) : []) {
    const namespace = root.prefix.slice(root.adapter === 'memory' ? 'memory::'.length : 0, -SEPARATOR.length)
    const again = { ...request, path: root.path, adapter: root.adapter, namespace, incremental: true, scip: '' }
    try {
      const { part } = await readRoot(again, settings, { stored, live: undefined, upgrades }, context)
      others.push(asBefore(part, root))
    } catch (error) {
      if (!(error instanceof Error) || context.signal.aborted) throw error
      report.warnings.push(`${root.path} could not be read again and is left out: ${error.message}`)
    }
  }
  if (request.mode === 'merge') part = asBefore(part, roots.find(isSame))
  // in the order in which roots were first added, since the first of two that share names keeps them bare
  const at = roots.findIndex(isSame)
  const parts = at < 0 ? [...others, part] : [...others.slice(0, at), part, ...others.slice(at)]
  return { part, parts, report, ingested }
}

async function readRoot(
  request: IngestRequest,
  settings: Settings,
  known: { stored: ReadonlyMap<string, FactsStore>; live: Live | undefined; upgrades: Task['upgrades'] },
  context: BuildContext,
): Promise<{ part: Part; ingested: Ingested | null }> {
  const { path, adapter, includeDotfiles, dotfilePatterns } = request
  if (adapter === 'json') {
    const { ingestJson } = await import('#ingest/json-adapter')
    const { input, report } = await ingestJson(path, context.signal, { namespace: request.namespace })
    const root = input.meta.roots[0]?.path ?? path
    return {
      part: { meta: input.meta, input, report, words: [], commits: [], facts: null, path: root },
      ingested: null,
    }
  }
  if (adapter === 'memory') {
    const options = { namespace: request.namespace, includeDotfiles, dotfilePatterns, now: Date.now() }
    const { input, words, report } = await ingestNotes(path, { ...options, ...skipLists(settings) }, context.signal)
    const root = input.meta.roots[0]?.path ?? path
    return { part: { meta: input.meta, input, report, words, commits: [], facts: null, path: root }, ingested: null }
  }
  const given = {
    root: path,
    includeDotfiles,
    dotfilePatterns,
    maxNodes: settings.maxNodes,
    timeoutMs: settings.ingestTimeoutMs,
    memoryMb: settings.ingestMemoryMb,
    maxFileBytes: settings.maxFileBytes,
    maxLineBytes: settings.maxLineBytes,
    parallelism: settings.parallelism,
    externalPackages: settings.externalPackages,
    ...skipLists(settings),
    stored: known.stored.get(path),
    live: known.live,
    upgrades: known.upgrades?.get(path),
    scip: request.scip,
    scipMaxBytes: settings.scipMaxBytes,
    now: Date.now(),
  }
  const ingested = await ingest(given, context)
  return { part: new CodePart(ingested, path), ingested }
}

function skipLists({ skipDirs, skipFiles }: Settings) {
  return {
    skipDirs: skipDirs.length > 0 ? skipDirs : undefined,
    skipFiles: skipFiles.length > 0 ? skipFiles : undefined,
  }
}

/** Makes what is asked of it only then. */
class CodePart implements Part {
  readonly path: string
  readonly #ingested: Ingested

  constructor(ingested: Ingested, path: string) {
    this.path = ingested.meta.roots[0]?.path ?? path
    this.#ingested = ingested
  }

  get meta() {
    return this.#ingested.meta
  }
  get input() {
    return this.#ingested.input
  }
  get words() {
    return this.#ingested.words
  }
  get commits() {
    return this.#ingested.commits
  }
  get report() {
    return this.#ingested.report
  }
  get facts() {
    return this.#ingested.facts
  }
}

/** The node of the graph for each node of a part; a second root's keys may have got a prefix. */
function nodesIn(graph: Graph, { input, meta, path }: Part): Uint32Array {
  const adapter = meta.roots[0]?.adapter
  const prefix = graph.meta.roots.find((it) => it.path === path && it.adapter === adapter)?.prefix ?? ''
  return Uint32Array.from(input.nodes, ({ key }) => {
    const v = prefix === '' ? NONE : nodeByKey(graph, prefix + key)
    return v === NONE ? nodeByKey(graph, key) : v
  })
}

function wordsIn(file: LexicalFile, ids: Uint32Array): LexicalFile[] {
  const node: NodeId = ids[file.node]
  return node === NONE
    ? []
    : [{ ...file, node, definitionNodes: file.definitionNodes.map((v) => (v === NONE ? NONE : ids[v])) }]
}

/** A file counts as moved when its content is gone from one path only and new at one path only. */
function renames(
  before: FactsStore | undefined,
  part: Part,
  graph: Graph,
  ingested: Ingested | null,
): [string, string][] {
  // with the same files as before none was moved
  if (before === undefined || (ingested?.meta === part.meta && ingested.change !== null)) return []
  const { facts, path } = part
  if (facts === null) return []
  const prefix = graph.meta.roots.find((it) => it.path === path && it.adapter === 'code')?.prefix ?? ''
  const gone = contentOnly(before, facts)
  const come = contentOnly(facts, before)
  return [...gone].flatMap(([hash, from]): [string, string][] => {
    const to = come.get(hash)
    return from === '' || to === undefined || to === '' ? [] : [[prefix + fileKey(from), prefix + fileKey(to)]]
  })
}

/** Content hash → the path that only `store` has with it, '' when there are several. */
function contentOnly(store: FactsStore, other: FactsStore): Map<string, string> {
  const known = new Set(other.files.map((it) => it.path))
  const found = new Map<string, string>()
  for (const { path, hash } of store.files) {
    if (!known.has(path)) found.set(hash, found.has(hash) ? '' : path)
  }
  return found
}

// facts, one store per root

function writeFacts(parts: readonly Pick<Part, 'path' | 'facts'>[]): Image | null {
  const stores = parts.flatMap(({ path, facts }) => (facts === null ? [] : [{ path, ...storeColumns(facts) }]))
  if (stores.length === 0) return null
  const header = { roots: stores.map(({ path, header }) => ({ path, header })) }
  const columns = Object.fromEntries(
    stores.flatMap(({ columns }, i) => Object.entries(columns).map(([name, it]) => [`${i}.${name}`, it])),
  )
  return { header, columns }
}

function readFacts(image: Image | null): Map<string, FactsStore> {
  const stores = new Map<string, FactsStore>()
  const roots: unknown[] = image !== null && Array.isArray(image.header.roots) ? image.header.roots : []
  roots.forEach((root, i) => {
    if (image === null || typeof root !== 'object' || root === null || !('path' in root) || !('header' in root)) return
    const own = Object.entries(image.columns).filter(([name]) => name.startsWith(`${i}.`))
    const store = storeFromColumns(
      root.header,
      Object.fromEntries(own.map(([name, it]) => [name.slice(`${i}.`.length), it])),
    )
    if (store !== null) stores.set(String(root.path), store)
  })
  return stores
}
