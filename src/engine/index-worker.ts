/** Builds what does not depend on the words of files, while another thread builds the word index or has answered. */

import { parentPort, workerData } from 'node:worker_threads'
import { buffersOf } from '#engine/image'
import { pageRank } from '#graph/pagerank'
import { type Columns, graphFromColumns } from '#graph/snapshot'
import { buildCoChange, coChangeColumns } from '#query/cochange'
import { buildSemantic, semanticColumns } from '#query/semantic'

export interface IndexTask {
  columns: Columns
  groups: Uint32Array[]
}

export interface LateIndexes {
  pagerank: Float32Array<ArrayBuffer>
  semantic: ReturnType<typeof semanticColumns>
  cochange: ReturnType<typeof coChangeColumns>
}

const { columns, groups }: IndexTask = workerData
const graph = graphFromColumns(columns, {})
const built: LateIndexes = {
  pagerank: pageRank(graph),
  semantic: semanticColumns(buildSemantic(graph)),
  cochange: coChangeColumns(buildCoChange(graph, groups)),
}
parentPort?.postMessage(built, [built.pagerank.buffer, ...buffersOf(built.semantic), ...buffersOf(built.cochange)])
