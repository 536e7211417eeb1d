/** Roots on disk → graph, indexes and the facts for the next time. Runs in a worker. */

import type { IngestReport, IngestRequest, Progress, Settings } from '#engine/brain'
import { buildIndexes } from '#engine/build-indexes'
import { type Image, toImage } from '#engine/image'
import { isInside } from '#engine/project'
import { Refusal } from '#engine/refusal'
import { buildGraph, mergeInputs } from '#graph/build'
import { type Graph, NONE, type NodeId, type Root } from '#graph/graph'
import type { LexicalFile } from '#graph/lexical'
import { nodeByKey } from '#graph/lookup'
import { ingest, type Ingested } from '#ingest/ingest'
import { fileKey } from '#ingest/nodes'
import { type FactsStore, storeColumns, storeFromColumns } from '#ingest/store'
import type { UpgradeSet } from '#ingest/upgrade'

export interface Task {
  request: IngestRequest
  settings: Settings
  /** Roots of the graph in place, which a merge keeps. */
  roots: Root[]
  /** Facts of earlier ingests, as they were given back. */
  facts: Image | null
  /** What compilers have said since the last ingest, by root. */
  upgrades?: ReadonlyMap<string, UpgradeSet[]>
}

export interface Built {
  image: Image
  facts: Image | null
  /** Keys of files that were moved without a change since the facts were taken, old and new. */
  renamed: [string, string][]
  report: IngestReport
}

interface Context {
  signal: AbortSignal
  progress: (at: Progress) => void
}

/** What one root says, of whatever kind. */
type Part = Pick<Ingested, 'input' | 'words' | 'commits' | 'report'> & { path: string; facts: FactsStore | null }

const ADAPTERS = ['code', 'json']

/**
 * A merge reads the other roots again too, from their stored facts, so that the result is that of reading all of
 * them at once, in the same order. One that is gone from disk is left out with a warning.
 */
export async function buildBrain(
  { request, settings, roots, facts, upgrades }: Task,
  context: Context,
): Promise<Built> {
  if (!ADAPTERS.includes(request.adapter)) {
    throw new Refusal(
      'unknown_adapter',
      `There is no adapter "${request.adapter}".`,
      `There are: ${ADAPTERS.join(', ')}.`,
    )
  }
  const stored = readFacts(facts)
  const part = await readRoot(request, settings, request.incremental ? stored : new Map(), upgrades, context)
  const { report } = part
  const others: Part[] = []
  // source inside of the new root is read with it
  const isPart = (it: Root) => it.path === part.path || (it.adapter === 'code' && isInside(it.path, part.path))
  for (const root of request.mode === 'merge' ? roots.filter((it) => !isPart(it)) : []) {
    const again = { ...request, path: root.path, adapter: root.adapter, incremental: true, scip: '' }
    try {
      others.push(await readRoot(again, settings, stored, upgrades, context))
    } catch (error) {
      if (!(error instanceof Error) || context.signal.aborted) throw error
      report.warnings.push(`${root.path} could not be read again and is left out: ${error.message}`)
    }
  }

  // in the order in which roots were first added, since the first of two that share names keeps them bare
  const known = roots.findIndex((it) => it.path === part.path)
  const parts = known < 0 ? [...others, part] : [...others.slice(0, known), part, ...others.slice(known)]
  const at = (phase: 'build' | 'index', done: number) =>
    context.progress({ phase, done, total: 2, file: '', etaMs: -1 })
  const began = performance.now()
  at('build', 0)
  const input = parts.map((it) => it.input).reduce(mergeInputs)
  input.meta.domain = settings.domain
  input.meta.ingestedAt = part.input.meta.ingestedAt
  const graph = buildGraph(input)
  const ids = parts.map((it) => nodesIn(graph, it))
  at('index', 1)
  const commits = parts.flatMap((it, i) =>
    it.commits.map((commit) => ({
      ...commit,
      files: commit.files.map((v) => ids[i][v]).filter((v) => v !== NONE),
    })),
  )
  const words = parts.flatMap((it, i) => it.words.flatMap((file) => wordsIn(file, ids[i])))
  const indexes = await buildIndexes(graph, commits, words)
  const renamed = parts.flatMap((it) => renames(stored.get(it.path), it, graph))
  report.phase_ms.finalize = Math.round(performance.now() - began)
  return { image: toImage(graph, indexes), facts: writeFacts(parts), renamed, report }
}

async function readRoot(
  request: IngestRequest,
  settings: Settings,
  stored: ReadonlyMap<string, FactsStore>,
  upgrades: Task['upgrades'],
  context: Context,
): Promise<Part> {
  const { path, adapter, includeDotfiles, dotfilePatterns } = request
  if (adapter === 'json') {
    const { ingestJson } = await import('#ingest/json-adapter')
    const { input, report } = await ingestJson(path, context.signal)
    return { input, report, words: [], commits: [], facts: null, path: input.meta.roots[0]?.path ?? path }
  }
  const given = {
    root: path,
    includeDotfiles,
    dotfilePatterns,
    maxNodes: settings.maxNodes,
    timeoutMs: settings.ingestTimeoutMs,
    maxFileBytes: settings.maxFileBytes,
    maxLineBytes: settings.maxLineBytes,
    parallelism: settings.parallelism,
    externalPackages: settings.externalPackages,
    skipDirs: settings.skipDirs.length > 0 ? settings.skipDirs : undefined,
    skipFiles: settings.skipFiles.length > 0 ? settings.skipFiles : undefined,
    stored: stored.get(path),
    upgrades: upgrades?.get(path),
    scip: request.scip,
    scipMaxBytes: settings.scipMaxBytes,
    now: Date.now(),
  }
  const ingested = await ingest(given, context)
  return { ...ingested, path: ingested.input.meta.roots[0]?.path ?? path }
}

/** The node of the graph for each node of a part; a second root's keys may have got a prefix. */
function nodesIn(graph: Graph, { input, path }: Part): Uint32Array {
  const prefix = graph.meta.roots.find((it) => it.path === path)?.prefix ?? ''
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
function renames(before: FactsStore | undefined, { facts, path }: Part, graph: Graph): [string, string][] {
  if (before === undefined || facts === null) return []
  const prefix = graph.meta.roots.find((it) => it.path === path)?.prefix ?? ''
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

function writeFacts(parts: readonly Part[]): Image | null {
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
