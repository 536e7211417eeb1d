import { describe, expect, test } from 'vitest'
import { causalStrength, influence, ingestWeight, inverse } from '#graph/relations'

describe('a relation', () => {
  test('has its strength, weight and inverse', () => {
    expect([causalStrength('contains'), ingestWeight('imports'), inverse('imports')]).toEqual([0.8, 0.5, 'imported_by'])
  })

  // a graph from elsewhere may call its relations what it likes
  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'melts'])(
    'called %s is one like any',
    (name) => {
      expect(causalStrength(name)).toBe(0.4)
      expect(ingestWeight(name)).toBe(0.4)
      expect(inverse(name)).toBe(`${name}_by`)
      expect(influence(name)).toBe('forward')
    },
  )
})
