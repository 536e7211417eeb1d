/** Which weights differ from those of ingest, or from those of an earlier time. */

import { type Graph, keyOf, type NodeId, NONE, relationOf } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { findSlot } from '#plasticity/exchange'
import { isDead, isSecondHalf } from '#plasticity/weights'

export interface WeightChange {
  slot: number
  source: NodeId
  before: number
  now: number
}

/** Smaller changes are noise. */
const CHANGED = 0.001

/** Every edge whose weight is not that of ingest, by slot; one that runs both ways is told once. */
export function changesFromIngest(graph: Graph): WeightChange[] {
  return once(graph, slotsFromIngest(graph))
}

/** Without second halves whose first one is there as well. */
function once(graph: Graph, changes: readonly WeightChange[]): WeightChange[] {
  const changed = new Set(changes.map((it) => it.slot))
  return changes.filter(({ slot }) => !isSecondHalf(graph, slot) || !changed.has(graph.mirrors[slot]))
}

function slotsFromIngest(graph: Graph): WeightChange[] {
  const { weights, ingestWeights, out } = graph
  const changes: WeightChange[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      if (Math.abs(weights[e] - ingestWeights[e]) <= CHANGED || isDead(graph, e)) continue
      changes.push({ slot: e, source: v, before: ingestWeights[e], now: weights[e] })
    }
  }
  return changes
}

/**
 * Every edge whose weight is not what it was at an earlier time. `then` has the weights that differed from
 * ingest at that time, named `source -> target|relation` by key; only those and what differs now can have changed.
 */
export function changesSince(graph: Graph, then: ReadonlyMap<string, number>): WeightChange[] {
  const fromIngest = slotsFromIngest(graph)
  const changes = fromIngest.map((it) => ({ ...it, before: then.get(slotName(graph, it)) ?? it.before }))
  const seen = new Set(fromIngest.map((it) => it.slot))
  for (const [name, before] of then) {
    const [ends, relation] = split(name, '|', name.lastIndexOf('|'))
    const [from, to] = split(ends, ' -> ', ends.indexOf(' -> '))
    const source = nodeByKey(graph, from)
    const slot = findSlot(graph, source, nodeByKey(graph, to), relation)
    if (slot !== NONE && !seen.has(slot)) changes.push({ slot, source, before, now: graph.weights[slot] })
  }
  return once(
    graph,
    changes.filter((it) => Math.abs(it.now - it.before) > CHANGED),
  )
}

/** The largest changes first. */
export function bySize(changes: readonly WeightChange[]): WeightChange[] {
  return [...changes].sort((a, b) => Math.abs(b.now - b.before) - Math.abs(a.now - a.before) || a.slot - b.slot)
}

/** The ends of a slot as text. */
export function edgeName(graph: Graph, { slot, source }: WeightChange): string {
  return `${keyOf(graph, source)} -> ${keyOf(graph, graph.out.targets[slot])}`
}

function slotName(graph: Graph, change: WeightChange): string {
  return `${edgeName(graph, change)}|${relationOf(graph, change.slot)}`
}

function split(text: string, separator: string, at: number): [string, string] {
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}
