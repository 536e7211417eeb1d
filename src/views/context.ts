/** The page as somebody who asks: it reads through the same functions as the tools, and is nobody's agent. */

import type { Brain, Engine } from '#engine/brain'
import { type Graph, keyOf, labelOf, type NodeId, text, typeName } from '#graph/graph'
import { around, idOf, type MapTree } from '#analysis/map-tree'
import { round } from '#tools/shapes'
import type { ToolContext } from '#tools/tool'
import type { NodeBrief } from '#views/shapes'

/** The name of the page among agents. */
const VIEWER = 'gui'

export function contextOf(engine: Engine, brain: Brain, signal: AbortSignal): ToolContext {
  const { graph, indexes } = brain
  return { engine, brain, graph, indexes, agent: VIEWER, now: Date.now(), signal, progress: () => {} }
}

/** A node in a list. */
export function plainBriefOf(graph: Graph, v: NodeId): Omit<NodeBrief, 'within'> {
  return {
    id: keyOf(graph, v),
    label: labelOf(graph, v),
    node_type: typeName(graph.types[v]),
    path: text(graph, graph.paths[v]) || null,
    line: graph.lineStart[v],
    pagerank: round(graph.pagerank[v]),
  }
}

/** The same with its place on the map. */
export function briefOf(tree: MapTree, v: NodeId): NodeBrief {
  const { graph } = tree
  return { ...plainBriefOf(graph, v), within: around(tree, tree.standsFor[v]).map((it) => idOf(tree, it)) }
}
