import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Heap, topPositions } from '#std/heap'

const priorities = fc.array(fc.integer({ min: -5, max: 20 }), { maxLength: 200 })

describe('Heap', () => {
  test('gives items back by priority, equal ones by number, like a sort', () => {
    fc.assert(
      fc.property(priorities, (values) => {
        const heap = new Heap(1)
        values.forEach((priority, item) => heap.push(item, priority))
        const popped: number[] = []
        while (heap.size > 0) popped.push(heap.pop())
        const sorted = values.map((_, i) => i).sort((a, b) => values[b] - values[a] || a - b)
        expect(popped).toEqual(sorted)
      }),
    )
  })

  test('shows its first item without removing it', () => {
    const heap = new Heap()
    heap.push(3, 0.5)
    heap.push(7, 0.9)
    expect([heap.top, heap.topPriority, heap.size]).toEqual([7, 0.9, 2])
    heap.clear()
    expect([heap.top, heap.topPriority, heap.pop()]).toEqual([-1, Number.NEGATIVE_INFINITY, -1])
  })
})

describe('topPositions', () => {
  test('agrees with sorting everything', () => {
    fc.assert(
      fc.property(priorities, fc.integer({ min: 0, max: 12 }), (values, k) => {
        const sorted = values.map((_, i) => i).filter((i) => values[i] > 0)
        sorted.sort((a, b) => values[b] - values[a] || a - b)
        expect(topPositions(values, k)).toEqual(sorted.slice(0, k))
      }),
    )
  })

  test('takes the first position when all are equal', () => {
    expect(topPositions([1, 1, 1], 1)).toEqual([0])
  })
})
