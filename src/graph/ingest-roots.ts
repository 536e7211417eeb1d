/** Which of the folders that were ingested a node, or a path of the graph, belongs to. */

import { FILE, type Graph, keyOf, type NodeId, NONE, type Root } from '#graph/graph'

/** Handles of paths to the prefixes of the files that have them; only of graphs with several roots. */
const prefixes = new WeakMap<Graph, ReadonlyMap<number, ReadonlySet<string>>>()

/**
 * Roots that a node may lie in: those with the longest prefix that its key begins with. Parts of one repository share
 * a prefix.
 */
export function rootsOf(graph: Graph, v: NodeId): readonly Root[] {
  const { roots } = graph.meta
  if (roots.length < 2) return roots
  const prefix = prefixOf(roots, keyOf(graph, v))
  return roots.filter((it) => it.prefix === prefix)
}

/** Roots by prefix in which the graph has a file of this path; all of them, each alone, when it has none. */
export function rootsWith(graph: Graph, path: string): readonly (readonly Root[])[] {
  const { roots } = graph.meta
  if (roots.length < 2) return [roots]
  const handle = graph.strings.find(path.toWellFormed())
  const known = handle === NONE ? undefined : prefixesByPath(graph).get(handle)
  if (known === undefined) return roots.map((it) => [it])
  return Array.from(known, (prefix) => roots.filter((it) => it.prefix === prefix))
}

function prefixesByPath(graph: Graph): ReadonlyMap<number, ReadonlySet<string>> {
  const before = prefixes.get(graph)
  if (before !== undefined) return before
  const found = new Map<number, Set<string>>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] || graph.paths[v] === NONE) continue
    const prefix = prefixOf(graph.meta.roots, keyOf(graph, v))
    const same = found.get(graph.paths[v])
    if (same === undefined) found.set(graph.paths[v], new Set([prefix]))
    else same.add(prefix)
  }
  prefixes.set(graph, found)
  return found
}

function prefixOf(roots: readonly Root[], key: string): string {
  let longest = ''
  for (const { prefix } of roots) if (prefix.length > longest.length && key.startsWith(prefix)) longest = prefix
  return longest
}
