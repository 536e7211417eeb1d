import { describe, expect, test } from 'vitest'
import { Random } from '#std/random'

describe('Random', () => {
  test('gives the same numbers for the same seed and others for another', () => {
    const first = (seed: number) => {
      const random = new Random(seed)
      return [random.next(), random.next(), random.next()]
    }
    expect(first(42)).toEqual(first(42))
    expect(first(42)).not.toEqual(first(43))
  })

  test('spreads evenly over its range', () => {
    const random = new Random(7)
    const counts = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 10_000; i++) counts[random.below(10)]++
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150)
  })
})
