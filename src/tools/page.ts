/** Where the web page shows what an answer is about. */

import { type Graph, keyOf, text } from '#graph/graph'
import { resolveNode } from '#graph/lookup'
import type { Tool } from '#tools/tool'

/** Names under which tools take a node. */
const NODE_FIELDS = ['node_id', 'changed_node', 'target_node', 'node', 'source', 'node_ids']
/** Names under which they take words. */
const TEXT_FIELDS = ['query', 'task_description', 'claim']

/** Path and query of the address, with a slash in front: `/impact/file%3A%3Acart.ts`, `/graph?query=cart`. */
export function pageOf(
  { name, group }: Pick<Tool, 'name' | 'group'>,
  input: Record<string, unknown>,
  graph: Graph,
): string {
  if (group === 'perspective' || /^(lock|trail)_/.test(name)) return '/agents'
  if (group === 'lifecycle') return '/health'
  if (name === 'learn' || name === 'drift' || name === 'warmup') return '/learning'
  if (name === 'counterfactual') return removalPage(textsIn(input.node_ids).slice(0, 2), graph)
  const ref = first(input, NODE_FIELDS)
  if (ref !== '') return nodePage(name, ref, graph)
  const words = first(input, TEXT_FIELDS)
  return words === '' ? '/graph' : `/graph?query=${encodeURIComponent(words.slice(0, 300).toWellFormed())}`
}

function nodePage(tool: string, ref: string, graph: Graph): string {
  const found = resolveNode(graph, ref.toWellFormed())
  const key = found === null ? ref.toWellFormed() : keyOf(graph, found.node)
  const path = found === null ? '' : text(graph, graph.paths[found.node])
  if ((tool === 'predict' || tool === 'timeline') && path !== '') return `/history/${encodeURIComponent(path)}`
  return `/${tool === 'impact' ? 'impact' : 'node'}/${encodeURIComponent(key)}`
}

/** What would be lost, of one node or of the first two. */
function removalPage(refs: readonly string[], graph: Graph): string {
  const [key, other] = refs.map((ref) => {
    const found = resolveNode(graph, ref.toWellFormed())
    return found === null ? ref.toWellFormed() : keyOf(graph, found.node)
  })
  const words = new URLSearchParams({ ...(other !== undefined && { with: other }), show: 'removal' })
  return `/impact/${encodeURIComponent(key)}?${words}`
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : []
}

function first(input: Record<string, unknown>, names: readonly string[]): string {
  for (const name of names) {
    const value: unknown = input[name]
    const given: unknown = Array.isArray(value) ? value[0] : value
    if (typeof given === 'string' && given !== '') return given
  }
  return ''
}
