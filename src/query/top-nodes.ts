/** Picks the best few of many nodes without sorting them all. */

import type { NodeValues } from '#query/node-values'

/**
 * The `k` nodes of highest value, best first; equal values by the value in `second`, if given, then by node.
 * One pass with a heap of `k`.
 */
export function topNodes(values: NodeValues, k: number, second: ArrayLike<number> | null = null): number[] {
  const { value, nodes, count } = values
  const precedes = (a: number, b: number): boolean => {
    if (value[a] !== value[b]) return value[a] > value[b]
    if (second !== null && second[a] !== second[b]) return second[a] > second[b]
    return a < b
  }
  const size = Math.min(k, count)
  if (size < 1) return []
  const kept = Array.from(nodes.subarray(0, size))
  const compare = (a: number, b: number): number => (a === b ? 0 : precedes(a, b) ? -1 : 1)
  if (count > size) {
    // a heap with the worst of the kept on top; most candidates lose against it at once
    for (let i = (size >> 1) - 1; i >= 0; i--) sink(kept, i, precedes)
    for (let i = size; i < count; i++) {
      const v = nodes[i]
      if (!precedes(v, kept[0])) continue
      kept[0] = v
      sink(kept, 0, precedes)
    }
  }
  return kept.sort(compare)
}

function sink(heap: number[], from: number, precedes: (a: number, b: number) => boolean): void {
  const item = heap[from]
  let i = from
  for (;;) {
    let child = 2 * i + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && precedes(heap[child], heap[child + 1])) child++
    if (!precedes(item, heap[child])) break
    heap[i] = heap[child]
    i = child
  }
  heap[i] = item
}
