/** The graph that the program makes of a folder, as scoring wants it, and how long its parts took. */

import { CLASS, ENUM, FILE, FUNCTION, STRUCT, TYPE } from '#graph/graph'
import { ingest } from '#ingest/ingest'
import type { ScoredGraph } from './score.ts'

export interface Made extends ScoredGraph {
  /** Node around each node, -1 for none. */
  parents: readonly number[]
  milliseconds: { reading: number; resolving: number }
}

const DEFINITIONS: ReadonlySet<number> = new Set([FUNCTION, CLASS, STRUCT, ENUM, TYPE])
const VALUE = /::(?:const|variant)::[^:]+$/

export async function graphOf(root: string): Promise<Made> {
  const { input, report } = await ingest({ root }, { signal: new AbortController().signal, progress: () => undefined })
  const prefix = prefixOf(input.nodes.map((it) => ({ key: it.key, path: it.path ?? '' })))
  const nodes = input.nodes.map(({ key, label, type, path = '', lineStart = 0, lineEnd = 0 }) => ({
    file: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    label,
    isFile: type === FILE,
    kind:
      type === FUNCTION
        ? ('function' as const)
        : DEFINITIONS.has(type) && !VALUE.test(key)
          ? ('type' as const)
          : ('value' as const),
    start: lineStart,
    end: lineEnd,
    isDefinition: DEFINITIONS.has(type) && path !== '',
  }))
  // compilers do not look into strings
  const edges = input.edges
    .filter((it) => it.relation !== 'names')
    .map(({ source, target, relation, tier = 'given' }) => ({ source, target, relation, tier }))
  const { walk = 0, extract = 0, resolve = 0 } = report.phase_ms
  const parents = input.nodes.map((it) => it.parent ?? -1)
  return { nodes, edges, parents, milliseconds: { reading: walk + extract, resolving: resolve } }
}

/** What paths have before the folder that was read, when it lies inside of a repository. */
function prefixOf(nodes: readonly { key: string; path: string }[]): string {
  const file = nodes.find(({ key, path }) => key.startsWith('file::') && !key.includes('::', 6) && path !== '')
  return file === undefined ? '' : file.path.slice(0, file.path.length - (file.key.length - 6))
}
