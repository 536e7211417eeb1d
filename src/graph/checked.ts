/** Marks on nodes of files about which a compiler had its say. */

import { FILE, type Graph, type NodeId } from '#graph/graph'

/** Who looked up the names of a file: TypeScript's own checker, or the compiler behind an index file. */
export const CHECKERS = ['typescript', 'scip'] as const
export type Checker = (typeof CHECKERS)[number]

/** Tag of the node of a file whose names were looked up. */
export const CHECKED_TAGS: Record<Checker, string> = {
  typescript: 'checked:typescript',
  scip: 'checked:scip',
}
/** Beside it: about some calls in the file nothing was said. */
export const PARTLY_CHECKED = 'checked:partly'

export interface CheckedFile {
  checker: Checker
  partly: boolean
}

const known = new WeakMap<Graph, Map<NodeId, CheckedFile>>()

/** The files that were looked at, by node. */
export function checkedFiles(graph: Graph): Map<NodeId, CheckedFile> {
  const before = known.get(graph)
  if (before !== undefined) return before
  const files = new Map<NodeId, CheckedFile>()
  const partly = graph.strings.find(PARTLY_CHECKED)
  for (const checker of CHECKERS) {
    const handle = graph.strings.find(CHECKED_TAGS[checker])
    for (let v = 0; v < graph.nNodes; v++) {
      if (graph.types[v] !== FILE || graph.dead[v] === 1) continue
      const tags = graph.tags.subarray(graph.tagOffsets[v], graph.tagOffsets[v + 1])
      if (tags.includes(handle)) files.set(v, { checker, partly: tags.includes(partly) })
    }
  }
  known.set(graph, files)
  return files
}
