/** All indexes of a graph; for a large one, two threads share the work. */

import { Worker } from 'node:worker_threads'
import type { Indexes } from '#engine/brain'
import type { IndexTask, LateIndexes } from '#engine/index-worker'
import { emptyGraph } from '#graph/build'
import { FILE, type Graph, NONE } from '#graph/graph'
import { buildLexical, type LexicalFile } from '#graph/lexical'
import { pageRank } from '#graph/pagerank'
import { buildMessages, type PastCommit } from '#graph/messages'
import { graphColumns } from '#graph/snapshot'
import { buildCoChange, coChangeFromColumns } from '#query/cochange'
import { buildNames } from '#query/names'
import { buildSemantic, semanticFromColumns } from '#query/semantic'
import { workerUrl } from '#std/worker-url'

export type { LateIndexes } from '#engine/index-worker'

/** Below it the indexes are there before a thread has started. */
const WORTH_A_THREAD = 10_000
/** Below it an update has them before its answer. */
const WORTH_WAITING = 3_000

/** The result does not depend on the number of threads. */
export async function buildIndexes(graph: Graph, commits: PastCommit[], words: LexicalFile[]): Promise<Indexes> {
  const messages = buildMessages(commits)
  if (graph.nNodes < WORTH_A_THREAD) {
    const lexical = buildLexical(words, graph)
    return { semantic: buildSemantic(graph), cochange: buildCoChange(graph, groupsOf(commits)), lexical, messages }
  }
  const beside = inThread(graph, commits)
  try {
    const begun = beside.start()
    const lexical = buildLexical(words, graph)
    const { semantic, cochange } = await begun
    return { semantic: semanticFromColumns(semantic), cochange: coChangeFromColumns(cochange), lexical, messages }
  } finally {
    beside.stop()
  }
}

export interface Before {
  graph: Graph
  indexes: Indexes
  /** Node of the new graph for each of the old one. */
  newOf: Uint32Array
  /** The same files are changed by the same commits. */
  samePast: boolean
}

/** Indexes that take longer than an answer may wait for. */
export interface Late {
  /** Begins with the work. */
  start(): Promise<LateIndexes>
  stop(): void
}

type Begun = Omit<Indexes, 'lexical'> & { late: Late | null }

/**
 * The indexes without words, as far as they can be had at once. With `late`, names, company, what changes together and
 * PageRank have to be waited for; if the nodes are the same, those of before stand in for them, else there are none.
 */
export function beginIndexes(graph: Graph, commits: () => PastCommit[], before: Before): Begun {
  const { newOf, indexes, samePast } = before
  const isSame = newOf.length === graph.nNodes && newOf.every((to, v) => to === v)
  const { messages: old } = indexes
  const messages = samePast ? { ...old, files: old.files.map((v) => newOf[v]) } : buildMessages(commits())
  if (isSame && samePast && isSameStructure(before.graph, graph) && isSameNames(before.graph, graph))
    return { semantic: indexes.semantic, cochange: indexes.cochange, messages, late: null }
  if (graph.nNodes < WORTH_WAITING) {
    graph.pagerank = pageRank(graph)
    const cochange = buildCoChange(graph, groupsOf(commits()))
    return { semantic: buildSemantic(graph), cochange, messages, late: null }
  }
  const { semantic, cochange } = isSame ? indexes : emptyIndexes(graph)
  return { semantic, cochange, messages, late: inThread(graph, commits()) }
}

function emptyIndexes(graph: Graph): Pick<Indexes, 'semantic' | 'cochange'> {
  const nothing = emptyGraph()
  const cochange = { ...buildCoChange(nothing, []), offsets: new Uint32Array(graph.nNodes + 1) }
  return { semantic: { names: buildNames(nothing), cooccurrence: null }, cochange }
}

/** Files of the commits that touched at least two. */
function groupsOf(commits: readonly PastCommit[]): Uint32Array[] {
  return commits.filter(({ files }) => files.length > 1).map(({ files }) => Uint32Array.from(files))
}

function inThread(graph: Graph, commits: readonly PastCommit[]): Late {
  let worker: Worker | null = null
  let isStopped = false
  return {
    start() {
      if (isStopped) return Promise.reject(new Error('It was stopped before it began.'))
      const { url, execArgv } = workerUrl('engine/index-worker')
      const task: IndexTask = { columns: graphColumns(graph), groups: groupsOf(commits) }
      const started = new Worker(url, { execArgv, workerData: task, resourceLimits: { maxYoungGenerationSizeMb: 32 } })
      worker = started
      return new Promise<LateIndexes>((resolve, reject) => {
        started.once('message', resolve)
        started.once('error', reject)
        started.once('exit', (code) => reject(new Error(`The index thread ended early (exit code ${code}).`)))
      })
    },
    stop() {
      isStopped = true
      void worker?.terminate()
    },
  }
}

/** Whether two graphs of the same nodes have the same edges. */
function isSameStructure(a: Graph, b: Graph): boolean {
  if (a.nEdges !== b.nEdges) return false
  const isSame = sameTexts(a, b)
  for (let v = 0; v <= a.nNodes; v++) if (a.out.offsets[v] !== b.out.offsets[v]) return false
  for (let e = 0; e < a.nEdges; e++) {
    if (a.out.targets[e] !== b.out.targets[e] || a.ingestWeights[e] !== b.ingestWeights[e]) return false
    if (a.flags[e] !== b.flags[e] || !isSame(a.relations[e], b.relations[e])) return false
  }
  return true
}

/** Whether the nodes of two graphs are called alike. */
function isSameNames(a: Graph, b: Graph): boolean {
  if (a.tags.length !== b.tags.length) return false
  const isSame = sameTexts(a, b)
  for (let v = 0; v < a.nNodes; v++) {
    if ((a.types[v] === FILE) !== (b.types[v] === FILE) || !isSame(a.labels[v], b.labels[v])) return false
    if (a.tagOffsets[v + 1] !== b.tagOffsets[v + 1]) return false
  }
  for (let i = 0; i < a.tags.length; i++) if (!isSame(a.tags[i], b.tags[i])) return false
  return true
}

/** Whether a text of one graph is that of the other, by handles. */
function sameTexts({ strings: a }: Graph, { strings: b }: Graph): (one: number, other: number) => boolean {
  const known = new Uint32Array(a.count).fill(NONE)
  return (one, other) => {
    if (one === NONE || other === NONE) return one === other
    if (known[one] === other) return true
    const length = a.offsets[one + 1] - a.offsets[one]
    if (length !== b.offsets[other + 1] - b.offsets[other]) return false
    for (let i = 0; i < length; i++) if (a.bytes[a.offsets[one] + i] !== b.bytes[b.offsets[other] + i]) return false
    known[one] = other
    return true
  }
}
