/** Why a node is among the answers to a question, in a few words. */

import { BIDIRECTIONAL, type Graph, labelOf, type NodeId, PRIMARY, relationOf, tagsOf } from '#graph/graph'
import { inverse } from '#graph/relations'
import { type CoChange, coChangeOf } from '#query/cochange'
import { DIMENSIONS, type Ranked } from '#query/blend'
import type { Seed } from '#query/seeds'

interface Asked {
  query: string
  seeds: readonly Seed[]
  ranked: readonly Ranked[]
  cochange: CoChange
}

/**
 * Gives the reason of each row: the word of the question that its name contains, else its strongest edge to a
 * start node or to a better row, else files it changed with, else the dimension that speaks for it.
 */
export function reasonsFor(graph: Graph, { query, seeds, ranked, cochange }: Asked): (row: Ranked) => string {
  const words = wordsOf(query)
  const relevance = new Map(seeds.map((it) => [it.node, it.relevance]))
  const position = new Map(ranked.map((it, i) => [it.node, i]))

  return (row) => {
    const { node } = row
    const word = matchingWord(graph, node, words)
    if (relevance.has(node) && word !== null) return word
    const worth = (other: NodeId) => {
      const seed = relevance.get(other)
      if (seed !== undefined) return 1 + seed
      const at = position.get(other)
      return at !== undefined && at < (position.get(node) ?? 0) ? 1 / (1 + at) : 0
    }
    return strongestEdge(graph, node, worth) ?? changedWith(graph, node, cochange, worth) ?? word ?? dimensionOf(row)
  }
}

function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_$]{3,}/gu) ?? []
  return [...new Set(words)].sort((a, b) => b.length - a.length)
}

function matchingWord(graph: Graph, v: NodeId, words: readonly string[]): string | null {
  const label = labelOf(graph, v).toLowerCase()
  const stem = label.replace(/\.[^.]+$/, '')
  const tags = tagsOf(graph, v)
  for (const word of words) {
    if (label === word || stem === word) return `is named '${word}'`
    if (label.includes(word)) return `matches '${word}'`
  }
  for (const word of words) {
    if (stem.length >= 3 && word.startsWith(stem)) return `matches '${word}'`
    const tag = tags.find((it) => it === word || (it.length >= 3 && word.startsWith(it)))
    if (tag !== undefined) return `tagged '${tag}'`
  }
  return null
}

/** The edge with the largest weight · worth of its other end, as seen from the node; history is told by `changedWith`. */
function strongestEdge(graph: Graph, v: NodeId, worth: (other: NodeId) => number): string | null {
  const { out, in: into, weights } = graph
  let best = 0
  let reason: string | null = null
  const offer = (slot: number, other: NodeId, forward: boolean) => {
    const value = other === v ? 0 : weights[slot] * worth(other)
    if (value <= best) return
    const relation = relationOf(graph, slot)
    if (relation === 'co_changes') return
    best = value
    const name = forward === isPrimary(graph, slot) ? relation : inverse(relation)
    reason = `${name.replaceAll('_', ' ')} ${labelOf(graph, other)}`
  }
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) offer(e, out.targets[e], true)
  for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) offer(into.slots[i], into.targets[i], false)
  return reason
}

/** Whether a slot runs as its edge was stated; the mirrored half of a bidirectional edge does not. */
function isPrimary(graph: Graph, slot: number): boolean {
  return (graph.flags[slot] & BIDIRECTIONAL) === 0 || (graph.flags[slot] & PRIMARY) !== 0
}

function changedWith(graph: Graph, v: NodeId, cochange: CoChange, worth: (other: NodeId) => number): string | null {
  let best = 0
  let reason: string | null = null
  for (const { node, strength, observed, commits } of coChangeOf(cochange, v)) {
    const value = observed ? strength * worth(node) : 0
    if (value <= best) continue
    best = value
    reason =
      commits > 0
        ? `changed together with ${labelOf(graph, node)} ${commits} times`
        : `confirmed together with ${labelOf(graph, node)}`
  }
  return reason
}

const SPEAKS: Record<(typeof DIMENSIONS)[number], string> = {
  structural: 'connected to the matches over several steps',
  semantic: 'named like the question',
  temporal: 'changed recently',
  causal: 'depends on the matches over several steps',
}

function dimensionOf({ dims }: Ranked): string {
  let best = 0
  for (let d = 1; d < DIMENSIONS.length; d++) if (dims[d] > dims[best]) best = d
  return dims[best] > 0 ? SPEAKS[DIMENSIONS[best]] : 'primed beforehand'
}
