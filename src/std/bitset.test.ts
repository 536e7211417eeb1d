import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Bitset } from '#std/bitset'

describe('Bitset', () => {
  test('holds what a set would hold', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(99)), { maxLength: 300 })
    fc.assert(
      fc.property(steps, (changes) => {
        const bits = new Bitset(100)
        const set = new Set<number>()
        for (const [adds, i] of changes) {
          if (adds) {
            expect(bits.add(i)).toBe(!set.has(i))
            set.add(i)
          } else {
            bits.delete(i)
            set.delete(i)
          }
        }
        expect(bits.count()).toBe(set.size)
        for (let i = 0; i < 100; i++) expect(bits.has(i)).toBe(set.has(i))
      }),
    )
  })

  test('is empty after it is cleared', () => {
    const bits = new Bitset(64)
    bits.add(31)
    bits.add(63)
    bits.clear()
    expect(bits.count()).toBe(0)
  })
})
