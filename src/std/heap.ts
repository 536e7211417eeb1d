/**
 * A binary heap of integers, highest priority first; of equal priorities the smaller integer comes first,
 * so that the order never depends on the order of insertion.
 */
export class Heap {
  private priorities: Float64Array
  private items: Float64Array
  private length = 0

  constructor(capacity = 64) {
    this.priorities = new Float64Array(Math.max(1, capacity))
    this.items = new Float64Array(Math.max(1, capacity))
  }

  get size(): number {
    return this.length
  }

  /** Priority of the first item, -Infinity when empty. */
  get topPriority(): number {
    return this.length === 0 ? Number.NEGATIVE_INFINITY : this.priorities[0]
  }

  /** The first item without removing it, -1 when empty. */
  get top(): number {
    return this.length === 0 ? -1 : this.items[0]
  }

  clear(): void {
    this.length = 0
  }

  push(item: number, priority: number): void {
    if (this.length === this.items.length) this.grow()
    let i = this.length++
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!precedes(priority, item, this.priorities[parent], this.items[parent])) break
      this.priorities[i] = this.priorities[parent]
      this.items[i] = this.items[parent]
      i = parent
    }
    this.priorities[i] = priority
    this.items[i] = item
  }

  /** Removes and returns the first item, -1 when empty. */
  pop(): number {
    if (this.length === 0) return -1
    const first = this.items[0]
    const length = --this.length
    const priority = this.priorities[length]
    const item = this.items[length]

    // sink the last entry from the root
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= length) break
      const right = child + 1
      if (
        right < length &&
        precedes(this.priorities[right], this.items[right], this.priorities[child], this.items[child])
      )
        child = right
      if (!precedes(this.priorities[child], this.items[child], priority, item)) break
      this.priorities[i] = this.priorities[child]
      this.items[i] = this.items[child]
      i = child
    }
    this.priorities[i] = priority
    this.items[i] = item
    return first
  }

  private grow(): void {
    const priorities = new Float64Array(this.priorities.length * 2)
    const items = new Float64Array(this.items.length * 2)
    priorities.set(this.priorities)
    items.set(this.items)
    this.priorities = priorities
    this.items = items
  }
}

function precedes(priority: number, item: number, otherPriority: number, otherItem: number): boolean {
  return priority > otherPriority || (priority === otherPriority && item < otherItem)
}

/**
 * Positions of the `k` highest values above `above`, highest first, equal values by position. Costs one pass
 * and a heap of `k`.
 */
export function topPositions(values: ArrayLike<number>, k: number, above = 0): number[] {
  // the heap keeps the weakest of the best on top: priorities and positions are negated
  const heap = new Heap(k + 1)
  for (let i = 0; i < values.length && k > 0; i++) {
    const value = values[i]
    if (!(value > above)) continue
    if (heap.size === k && -value >= heap.topPriority) continue
    heap.push(-i, -value)
    if (heap.size > k) heap.pop()
  }
  const positions: number[] = []
  while (heap.size > 0) positions.push(0 - heap.pop())
  return positions.reverse()
}
