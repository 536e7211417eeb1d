/** Small graphs for tests, written as names and arrows. */

import { buildGraph } from '#graph/build'
import { FILE, FUNCTION, type Graph, type NodeId } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import type { NodeValues } from '#query/node-values'

export interface Arrow extends Partial<Omit<EdgeInput, 'source' | 'target'>> {
  from: string
  to: string
}

/** A graph of files (labels with a dot) and functions; nodes that only arrows name come after the given ones. */
export function graphOf(
  nodes: readonly (string | (Partial<NodeInput> & { label: string }))[],
  arrows: readonly Arrow[] = [],
): Graph {
  const inputs: NodeInput[] = []
  const indexOf = new Map<string, number>()
  const add = (node: Partial<NodeInput> & { label: string }): number => {
    const known = indexOf.get(node.key ?? node.label)
    if (known !== undefined) return known
    const key = node.key ?? node.label
    inputs.push({ type: node.label.includes('.') ? FILE : FUNCTION, ...node, key })
    indexOf.set(key, inputs.length - 1)
    return inputs.length - 1
  }
  for (const node of nodes) add(typeof node === 'string' ? { label: node } : node)
  const edges = arrows.map(({ from, to, ...rest }): EdgeInput => {
    return {
      source: add({ label: from }),
      target: add({ label: to }),
      relation: 'imports',
      weight: 1,
      causal: 0.6,
      ...rest,
    }
  })
  return buildGraph({ nodes: inputs, edges, meta: emptyMeta() })
}

/** Arrows from a text like `a>b c>d`. */
export function arrows(text: string, rest: Partial<Arrow> = {}): Arrow[] {
  return text.split(/\s+/).map((arrow) => {
    const [from, to] = arrow.split('>')
    return { ...rest, from, to }
  })
}

/** Values by label; each label is that of one node. */
export function byLabel(graph: Graph, values: NodeValues): Record<string, number> {
  const named: Record<string, number> = {}
  for (let i = 0; i < values.count; i++) {
    const v = values.nodes[i]
    if (values.value[v] !== 0) named[labelIn(graph, v)] = values.value[v]
  }
  return named
}

export function labelIn(graph: Graph, v: NodeId): string {
  return graph.strings.get(graph.labels[v])
}

export function nodeIn(graph: Graph, label: string): NodeId {
  for (let v = 0; v < graph.nNodes; v++) if (labelIn(graph, v) === label) return v
  throw new Error(`no node is called ${label}`)
}
