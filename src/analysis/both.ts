/** Two graphs side by side: which nodes of one are nodes of the other. */

import { DEAD_EDGE, DIRECTORY, type Graph, keyOf, labelOf, type NodeId, NONE, PRIMARY, REFERENCE } from '#graph/graph'

/** The neighbourhood of what a question is about. */
const FOCUS_HOPS = 2

/** The nodes of two graphs under common numbers: those of `before` first, then those that are only in `now`. */
export class Both {
  readonly before: Graph
  readonly now: Graph
  readonly ofBefore: Uint32Array
  /** Common number of each node of `now`. */
  readonly ofNow: Uint32Array
  readonly count: number
  /** Node of `now` by common number, NONE when it has none. */
  readonly #inNow: Uint32Array

  constructor(before: Graph, now: Graph) {
    this.before = before
    this.now = now
    this.ofBefore = Uint32Array.from({ length: before.nNodes }, (_, v) => v)
    this.ofNow = new Uint32Array(now.nNodes)
    let count = before.nNodes
    const { bytes, offsets } = now.strings
    for (let v = 0; v < now.nNodes; v++) {
      const handle = now.keys[v]
      const found = before.strings.findBytes(bytes, offsets[handle], offsets[handle + 1])
      this.ofNow[v] = found < before.nNodes && before.dead[found] === 0 ? found : count++
    }
    this.count = count
    this.#inNow = new Uint32Array(count).fill(NONE)
    for (let v = 0; v < now.nNodes; v++) if (now.dead[v] === 0) this.#inNow[this.ofNow[v]] = v
  }

  onlyNow(): NodeId[] {
    const found: NodeId[] = []
    for (let v = 0; v < this.now.nNodes; v++)
      if (this.now.dead[v] === 0 && this.ofNow[v] >= this.before.nNodes) found.push(v)
    return found
  }

  onlyBefore(): NodeId[] {
    const found: NodeId[] = []
    for (let v = 0; v < this.before.nNodes; v++) if (this.before.dead[v] === 0 && this.#inNow[v] === NONE) found.push(v)
    return found
  }

  /** Common numbers around the keys and words in either graph; null when neither is given. */
  focus(keys: readonly string[], words: readonly string[]): ReadonlySet<number> | null {
    if (keys.length === 0 && words.length === 0) return null
    const wanted = new Set(keys)
    const found = new Set<number>()
    for (const [graph, numbers] of this.#sides()) {
      for (let v = 0; v < graph.nNodes; v++) {
        if (graph.dead[v] === 1) continue
        const label = labelOf(graph, v).toLowerCase()
        if (wanted.has(keyOf(graph, v)) || words.some((it) => label.includes(it))) found.add(numbers[v])
      }
    }
    let edge = found
    for (let hop = 0; hop < FOCUS_HOPS; hop++) {
      const next = new Set<number>()
      for (const [graph, numbers] of this.#sides()) {
        eachEdge(graph, (u, slot) => {
          const v = graph.out.targets[slot]
          // folders and packages of others are next to everything
          if (edge.has(numbers[u]) && !isCrossing(graph, u)) next.add(numbers[v])
          if (edge.has(numbers[v]) && !isCrossing(graph, v)) next.add(numbers[u])
        })
      }
      edge = new Set([...next].filter((it) => !found.has(it)))
      for (const it of edge) found.add(it)
    }
    return found
  }

  #sides(): [Graph, Uint32Array][] {
    return [
      [this.before, this.ofBefore],
      [this.now, this.ofNow],
    ]
  }
}

function isCrossing(graph: Graph, v: NodeId): boolean {
  return graph.types[v] === DIRECTORY || graph.types[v] === REFERENCE
}

/** Visits every logical edge once, as it was added. */
export function eachEdge(graph: Graph, visit: (source: NodeId, slot: number) => void): void {
  const { out, flags, dead } = graph
  for (let u = 0; u < graph.nNodes; u++) {
    if (dead[u] === 1) continue
    for (let e = out.offsets[u]; e < out.offsets[u + 1]; e++)
      if ((flags[e] & (PRIMARY | DEAD_EDGE)) === PRIMARY && dead[out.targets[e]] === 0) visit(u, e)
  }
}
