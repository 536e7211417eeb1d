/** All indexes of a graph; for a large one, two threads share the work. */

import { Worker } from 'node:worker_threads'
import type { Indexes } from '#engine/brain'
import type { BuiltIndexes, IndexTask } from '#engine/index-worker'
import type { Graph } from '#graph/graph'
import { buildLexical, type LexicalFile } from '#graph/lexical'
import { buildMessages, type PastCommit } from '#graph/messages'
import { metaToJson } from '#graph/meta'
import { graphColumns } from '#graph/snapshot'
import { buildCoChange, coChangeFromColumns } from '#query/cochange'
import { buildSemantic, semanticFromColumns } from '#query/semantic'
import { workerUrl } from '#std/worker-url'

/** Below it the indexes are there before a thread has started. */
const WORTH_A_THREAD = 10_000

/** The result does not depend on the number of threads. */
export async function buildIndexes(graph: Graph, commits: PastCommit[], words: LexicalFile[]): Promise<Indexes> {
  const groups = commits.filter(({ files }) => files.length > 1).map(({ files }) => Uint32Array.from(files))
  if (graph.nNodes < WORTH_A_THREAD) {
    return {
      semantic: buildSemantic(graph),
      cochange: buildCoChange(graph, groups),
      lexical: buildLexical(words, graph),
      messages: buildMessages(commits),
    }
  }
  const { url, execArgv } = workerUrl('engine/index-worker')
  const task: IndexTask = { columns: graphColumns(graph), meta: metaToJson(graph.meta), groups }
  const worker = new Worker(url, { execArgv, workerData: task, resourceLimits: { maxYoungGenerationSizeMb: 32 } })
  const beside = new Promise<BuiltIndexes>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The index thread ended early (exit code ${code}).`)))
  })
  try {
    const lexical = buildLexical(words, graph)
    const messages = buildMessages(commits)
    const { semantic, cochange } = await beside
    return { semantic: semanticFromColumns(semantic), cochange: coChangeFromColumns(cochange), lexical, messages }
  } finally {
    void worker.terminate()
  }
}
