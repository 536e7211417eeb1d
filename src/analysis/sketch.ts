/** Small graphs for tests, written as text. */

import { buildGraph } from '#graph/build'
import { CLASS, DIRECTORY, FILE, FUNCTION, type Graph, keyOf, type NodeId, NONE, type Tier } from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { causalStrength } from '#graph/relations'

/**
 * One edge a line: `basket.ts imports price.ts 0.5`, then words that set flags: a tier, `unreachable`,
 * `named`, `inhibitory`. `net() tagged route async` gives tags, `shelf.net() labelled net` another label. Nodes appear in order of first mention; a line of one word only mentions a node. A name that
 * ends in `/` is a directory, one with `()` a function, one with a dot a file, any other a class; `contains`
 * and `implements` are bidirectional, as they are at ingest, and what a file contains has its path.
 */
export function sketch(text: string): Graph {
  return buildGraph(sketchInput(text))
}

export function sketchInput(text: string): GraphInput {
  const nodes: NodeInput[] = []
  const edges: EdgeInput[] = []
  const numbers = new Map<string, number>()
  const number = (key: string): number => {
    const known = numbers.get(key)
    if (known !== undefined) return known
    const type = key.endsWith('/') ? DIRECTORY : key.endsWith('()') ? FUNCTION : key.includes('.') ? FILE : CLASS
    nodes.push({ key, label: key.replace('()', ''), type, path: type === FILE ? key : '' })
    numbers.set(key, nodes.length - 1)
    return nodes.length - 1
  }
  for (const line of text.split('\n')) {
    const parts = line.trim().split(/\s+/)
    const [from, relation, to, weight = '1', ...words] = parts
    if (from === '') continue
    const source = number(from)
    if (relation === undefined || to === undefined) continue
    if (relation === 'tagged') nodes[source].tags = parts.slice(2)
    if (relation === 'labelled') nodes[source].label = to
    if (relation === 'tagged' || relation === 'labelled') continue
    const target = number(to)
    if (relation === 'contains') nodes[target].path ||= nodes[source].path
    edges.push({
      source,
      target,
      relation,
      weight: Number(weight),
      causal: causalStrength(relation),
      bidirectional: relation === 'contains' || relation === 'implements' || words.includes('both'),
      inhibitory: words.includes('inhibitory'),
      unreachable: words.includes('unreachable'),
      tier: tierIn(words),
    })
  }
  return { nodes, edges, meta: emptyMeta() }
}

function tierIn(words: readonly string[]): Tier {
  if (words.includes('guess')) return 'guess'
  return words.includes('observed') ? 'observed' : 'exact'
}

/** The node of this name; an error when the sketch has none. */
export function node(graph: Graph, key: string): NodeId {
  const handle = graph.strings.find(key)
  for (let v = 0; v < graph.nNodes; v++) if (handle !== NONE && graph.keys[v] === handle) return v
  throw new Error(`The sketch has no ${key}.`)
}

export function names(graph: Graph, nodes: readonly NodeId[]): string[] {
  return nodes.map((v) => keyOf(graph, v))
}
