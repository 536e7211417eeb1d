import { describe, expect, test } from 'vitest'
import { fuse, LIST_WEIGHTS, toCertainty, toShares } from '#query/fuse'

describe('fuse', () => {
  test('adds shares by the weight of their list', () => {
    const totals = fuse(
      [
        { name: 'text', shares: Float32Array.of(1, 0.5, 0) },
        { name: 'path', shares: Float32Array.of(0, 1, 0) },
      ],
      3,
    )
    expect(Array.from(totals)).toEqual([LIST_WEIGHTS.text, LIST_WEIGHTS.text / 2 + LIST_WEIGHTS.path, 0])
  })

  test('names a list of the wrong length', () => {
    expect(() => fuse([{ name: 'graph', shares: new Float32Array(2) }], 3)).toThrow('graph has 2 shares for 3')
  })
})

describe('shares', () => {
  test('are relative to the best, or to what counts as certain', () => {
    expect(Array.from(toShares(Float32Array.of(2, 4, 0)))).toEqual([0.5, 1, 0])
    expect(Array.from(toShares(Float32Array.of(0, 0)))).toEqual([0, 0])
    expect(Array.from(toCertainty(Float32Array.of(1, 4), 2))).toEqual([0.5, 1])
  })
})
