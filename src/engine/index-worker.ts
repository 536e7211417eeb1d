/** Builds the name and co-change indexes of a graph while another thread builds the word index. */

import { parentPort, workerData } from 'node:worker_threads'
import { buffersOf } from '#engine/image'
import { type Columns, graphFromColumns } from '#graph/snapshot'
import { buildCoChange, coChangeColumns } from '#query/cochange'
import { buildSemantic, semanticColumns } from '#query/semantic'

export interface IndexTask {
  columns: Columns
  groups: Uint32Array[]
}

export interface LateIndexes {
  semantic: ReturnType<typeof semanticColumns>
  cochange: ReturnType<typeof coChangeColumns>
}

const { columns, groups }: IndexTask = workerData
const graph = graphFromColumns(columns, {})
const built: LateIndexes = {
  semantic: semanticColumns(buildSemantic(graph)),
  cochange: coChangeColumns(buildCoChange(graph, groups)),
}
parentPort?.postMessage(built, [...buffersOf(built.semantic), ...buffersOf(built.cochange)])
