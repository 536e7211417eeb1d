/**
 * Which nodes turn up together on random walks: positive pointwise mutual information (PPMI) between the start
 * of a walk and the nodes it meets, one sparse vector per node.
 */

import { DEAD_EDGE, type Graph, type NodeId } from '#graph/graph'
import type { NodeValues } from '#query/node-values'
import { Random } from '#std/random'

/** Above this many nodes the index is not built: its cost grows with walks, its use does not. */
export const COOCCURRENCE_MAX_NODES = 50_000
const WALKS = 20
/** Nodes on a walk, the start included. */
const WALK_LENGTH = 10
const WINDOW = 4
const SEED = 42
/** Strongest contexts kept per node. */
const CONTEXTS = 64

export interface Cooccurrence {
  /** CSR by node: its contexts, ascending, and their PPMI scaled so that the vector has length 1. */
  offsets: Uint32Array
  contexts: Uint32Array
  weights: Float32Array
  /** The same by context: the nodes that have it. */
  inverseOffsets: Uint32Array
  inverseNodes: Uint32Array
  inverseWeights: Float32Array
}

/** Null above `COOCCURRENCE_MAX_NODES`. */
export function buildCooccurrence(graph: Graph): Cooccurrence | null {
  if (graph.nNodes > COOCCURRENCE_MAX_NODES) return null
  return toVectors(graph.nNodes, countWalks(graph))
}

interface Counts {
  offsets: Uint32Array
  contexts: Uint32Array
  counts: Uint16Array
}

/**
 * Per start node, how often each other node stands within the window of a position of a walk. A walk adds to
 * its start only, so a position counts once for every other position in its window.
 */
function countWalks(graph: Graph): Counts {
  const nNodes = graph.nNodes
  const { offsets: out, targets } = livingEdges(graph)
  const random = new Random(SEED)
  const offsets = new Uint32Array(nNodes + 1)
  let contexts = new Uint32Array(1 << 16)
  let counts = new Uint16Array(1 << 16)
  const tally = new Uint32Array(nNodes)
  const met = new Uint32Array(WALKS * WALK_LENGTH)
  const walk = new Uint32Array(WALK_LENGTH)
  let end = 0

  for (let start = 0; start < nNodes; start++) {
    let nMet = 0
    for (let w = out[start] === out[start + 1] ? WALKS : 0; w < WALKS; w++) {
      walk[0] = start
      let length = 1
      for (; length < WALK_LENGTH; length++) {
        const v = walk[length - 1]
        const degree = out[v + 1] - out[v]
        if (degree === 0) break
        walk[length] = targets[out[v] + random.below(degree)]
      }
      for (let j = 0; j < length; j++) {
        const v = walk[j]
        if (v === start) continue
        if (tally[v] === 0) met[nMet++] = v
        tally[v] += Math.min(WINDOW, j) + Math.min(WINDOW, length - 1 - j)
      }
    }
    if (end + nMet > contexts.length) {
      contexts = grow(contexts, new Uint32Array(contexts.length * 2))
      counts = grow(counts, new Uint16Array(counts.length * 2))
    }
    for (const v of met.subarray(0, nMet).sort()) {
      contexts[end] = v
      counts[end++] = tally[v]
      tally[v] = 0
    }
    offsets[start + 1] = end
  }
  return { offsets, contexts, counts }
}

function livingEdges(graph: Graph): { offsets: Uint32Array; targets: Uint32Array } {
  const { flags } = graph
  if (!flags.some((it) => (it & DEAD_EDGE) !== 0)) return graph.out
  const offsets = new Uint32Array(graph.nNodes + 1)
  const targets = new Uint32Array(graph.nEdges)
  let end = 0
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if ((flags[e] & DEAD_EDGE) === 0) targets[end++] = graph.out.targets[e]
    }
    offsets[v + 1] = end
  }
  return { offsets, targets }
}

function grow<T extends Uint32Array | Uint16Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function toVectors(nNodes: number, { offsets: from, contexts: met, counts }: Counts): Cooccurrence {
  const rowSums = new Float64Array(nNodes)
  const columnSums = new Float64Array(nNodes)
  let total = 0
  for (let v = 0; v < nNodes; v++) {
    for (let i = from[v]; i < from[v + 1]; i++) {
      rowSums[v] += counts[i]
      columnSums[met[i]] += counts[i]
    }
    total += rowSums[v]
  }

  // kept in place of the counts: the vectors are never longer
  const offsets = new Uint32Array(nNodes + 1)
  const contexts = new Uint32Array(Math.min(met.length, nNodes * CONTEXTS))
  const weights = new Float32Array(contexts.length)
  const ratios = new Float64Array(WALKS * WALK_LENGTH)
  let end = 0
  for (let v = 0; v < nNodes; v++) {
    const length = from[v + 1] - from[v]
    for (let i = 0; i < length; i++) ratios[i] = counts[from[v] + i] / columnSums[met[from[v] + i]]
    // PPMI rises with the ratio, so the strongest are found before any logarithm is taken
    let least = 0
    let ties = CONTEXTS
    if (length > CONTEXTS) {
      const sorted = ratios.slice(0, length).sort()
      least = sorted[length - CONTEXTS]
      ties = 0
      for (let i = length - CONTEXTS; i < length && sorted[i] === least; i++) ties++
    }
    const scale = total / rowSums[v]
    const start = end
    let squares = 0
    for (let i = 0; i < length; i++) {
      if (ratios[i] < least || (ratios[i] === least && ties-- <= 0)) continue
      const ppmi = Math.log(ratios[i] * scale)
      if (!(ppmi > 1e-12)) continue
      contexts[end] = met[from[v] + i]
      weights[end++] = ppmi
      squares += ppmi * ppmi
    }
    const norm = Math.sqrt(squares)
    for (let i = start; i < end; i++) weights[i] /= norm
    offsets[v + 1] = end
  }
  const vectors = { offsets, contexts: contexts.slice(0, end), weights: weights.slice(0, end) }
  return { ...vectors, ...invert(nNodes, vectors) }
}

function invert(
  nNodes: number,
  { offsets, contexts, weights }: Pick<Cooccurrence, 'offsets' | 'contexts' | 'weights'>,
) {
  const inverseOffsets = new Uint32Array(nNodes + 1)
  for (const context of contexts) inverseOffsets[context + 1]++
  for (let i = 0; i < nNodes; i++) inverseOffsets[i + 1] += inverseOffsets[i]
  const inverseNodes = new Uint32Array(contexts.length)
  const inverseWeights = new Float32Array(contexts.length)
  const next = inverseOffsets.slice(0, nNodes)
  for (let v = 0; v < nNodes; v++) {
    for (let i = offsets[v]; i < offsets[v + 1]; i++) {
      const at = next[contexts[i]]++
      inverseNodes[at] = v
      inverseWeights[at] = weights[i]
    }
  }
  return { inverseOffsets, inverseNodes, inverseWeights }
}

/** Adds `factor` · similarity to `v` for every node that shares a context with it, itself included. */
export function addSimilar(index: Cooccurrence, v: NodeId, factor: number, sum: NodeValues): void {
  const { offsets, contexts, weights, inverseOffsets, inverseNodes, inverseWeights } = index
  for (let i = offsets[v]; i < offsets[v + 1]; i++) {
    const context = contexts[i]
    const weight = weights[i] * factor
    const end = inverseOffsets[context + 1]
    for (let j = inverseOffsets[context]; j < end; j++) sum.add(inverseNodes[j], weight * inverseWeights[j])
  }
}

/** Cosine of two nodes' vectors, by merging them. */
export function similarity({ offsets, contexts, weights }: Cooccurrence, a: NodeId, b: NodeId): number {
  let dot = 0
  let i = offsets[a]
  let j = offsets[b]
  while (i < offsets[a + 1] && j < offsets[b + 1]) {
    if (contexts[i] < contexts[j]) i++
    else if (contexts[i] > contexts[j]) j++
    else dot += weights[i++] * weights[j++]
  }
  return Math.min(1, dot)
}
