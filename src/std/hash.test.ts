import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checksum, fnv1a, fnv1aBytes } from '#std/hash'

describe('fnv1a', () => {
  test.each([
    ['aut', 6546365],
    ['uth', 9685324],
    ['tho', 967130],
    ['hor', 12821678],
    ['poo', 3366461],
    ['ool', 2701981],
  ])('gives %s the key %i in 24 bits', (gram, key) => {
    expect(fnv1a(gram) & 0xffffff).toBe(key)
  })

  test('is the hash of the UTF-8 bytes of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fnv1a(text)).toBe(fnv1aBytes(new TextEncoder().encode(text)))
      }),
    )
  })
})

describe('checksum', () => {
  test('changes with any one byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 80 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, at, flip) => {
          const before = checksum(bytes)
          bytes[at % bytes.length] ^= flip
          expect(checksum(bytes)).not.toBe(before)
        },
      ),
    )
  })

  test('changes with the length, though only zeros are added', () => {
    expect(new Set([0, 1, 3, 4, 8, 16].map((n) => checksum(new Uint8Array(n)))).size).toBe(6)
  })

  test('does not depend on where the bytes lie', () => {
    const bytes = Uint8Array.from({ length: 37 }, (_, i) => i * 7)
    const shifted = new Uint8Array(40)
    shifted.set(bytes, 3)
    expect(checksum(shifted.subarray(3))).toBe(checksum(bytes))
  })
})
