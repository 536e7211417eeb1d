/** Which functions of a graph a past change touched. */

import { changedLines } from '#evaluation/repository'
import type { Task } from '#evaluation/tasks'
import { FUNCTION, type Graph, keyOf, type NodeId, text } from '#graph/graph'

const functionsOf = new WeakMap<Graph, Map<string, NodeId[]>>()

/** Ids of the functions that hold lines which the task's commit changed. */
export async function changedFunctions(graph: Graph, repository: string, base: string, task: Task): Promise<string[]> {
  const found = new Set<NodeId>()
  for (const path of task.gold) {
    const functions = byPath(graph).get(path)
    if (functions === undefined) continue
    for (const line of await changedLines(repository, base, task, path)) {
      const around = functions.filter((v) => graph.lineStart[v] <= line && line <= graph.lineEnd[v])
      const innermost = around.reduce(
        (best, v) => (best === -1 || length(graph, v) < length(graph, best) ? v : best),
        -1,
      )
      if (innermost !== -1) found.add(innermost)
    }
  }
  return [...found].sort((a, b) => a - b).map((v) => keyOf(graph, v))
}

function length(graph: Graph, v: NodeId): number {
  return graph.lineEnd[v] - graph.lineStart[v]
}

function byPath(graph: Graph): Map<string, NodeId[]> {
  const known = functionsOf.get(graph)
  if (known !== undefined) return known
  const found = new Map<string, NodeId[]>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FUNCTION) continue
    const path = text(graph, graph.paths[v])
    const list = found.get(path)
    if (list === undefined) found.set(path, [v])
    else list.push(v)
  }
  functionsOf.set(graph, found)
  return found
}
