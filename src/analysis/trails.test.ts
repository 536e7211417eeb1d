import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sketch } from '#analysis/sketch'
import { type Claim, compareClaims, connectionsOf, meaningOf } from '#analysis/trails'

const claim = (trail: number, statement: string, confidence: number, supporting: string[], ageDays = 0): Claim => ({
  trail,
  statement,
  confidence,
  supporting,
  ageDays,
})

describe('claims of several trails', () => {
  test('about the same nodes are in conflict, and the clearly better one wins', () => {
    const claims = [claim(0, 'the cache is shared', 0.9, ['a', 'b']), claim(1, 'the cache is per request', 0.4, ['a'])]
    const { conflicts } = compareClaims(claims)
    expect(conflicts).toEqual([{ a: 0, b: 1, delta: expect.closeTo(0.35, 6), winner: 0, node: 'a' }])
  })

  test('too close to each other stay undecided, unless one is much older', () => {
    const a = claim(0, 'the cache is shared', 0.6, ['a'])
    const b = claim(1, 'the cache is not shared', 0.5, ['a'])
    expect(compareClaims([a, b]).conflicts[0].winner).toBeNull()
    // a week costs half of the share that recency has
    expect(compareClaims([a, { ...b, ageDays: 7 }]).conflicts[0]).toMatchObject({
      winner: 0,
      delta: expect.closeTo(0.07 + 0.15, 6),
    })
  })

  test('are no conflict when their supports hardly overlap, or when they are of one trail', () => {
    const a = claim(0, 'the cache is shared', 0.9, ['a', 'b', 'c', 'd'])
    expect(compareClaims([a, claim(1, 'the cache is cold', 0.4, ['a'])]).conflicts).toEqual([])
    expect(compareClaims([a, claim(0, 'the cache is cold', 0.4, ['a', 'b'])]).conflicts).toEqual([])
  })

  test('that say the same in other words agree', () => {
    for (const [a, b] of [
      ['The worker depends on the queue.', 'worker uses the queue'],
      ["the pool doesn't close", 'The pool does not close'],
      ['sessions leak', 'the session leaks'],
    ]) {
      expect(meaningOf(a)).toBe(meaningOf(b))
      const { conflicts, agreements } = compareClaims([claim(0, a, 0.5, ['x']), claim(1, b, 0.6, ['x'])])
      expect(conflicts).toEqual([])
      expect(agreements).toEqual([{ a: 0, b: 1 }])
    }
    expect(meaningOf('the constructor')).toBe('constructor')
    expect(meaningOf('the pool closes')).not.toBe(meaningOf('the pool never closes'))
    expect(meaningOf('a calls b')).not.toBe(meaningOf('b calls a'))
  })

  test('are compared alike whichever trail comes first', () => {
    const any = fc.record({
      trail: fc.constantFrom(0, 1, 2),
      statement: fc.constantFrom('x is y', 'x is not y', 'x uses z'),
      confidence: fc.float({ min: 0, max: 1, noNaN: true }),
      supporting: fc.subarray(['a', 'b', 'c', 'd']),
      ageDays: fc.nat(30),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), (claims) => {
        const there = compareClaims(claims)
        const back = compareClaims(claims.toReversed())
        const n = claims.length - 1
        const turned = back.conflicts.map((it) => `${n - it.b} ${n - it.a} ${it.winner === null ? '-' : n - it.winner}`)
        expect(turned.sort()).toEqual(there.conflicts.map((it) => `${it.a} ${it.b} ${it.winner ?? '-'}`).sort())
      }),
    )
  })
})

test('trails are tied by nodes of both, by edges from one to the other, and by what supports both', () => {
  const graph = sketch(`a.py imports b.py
b.py imports c.py
c.py imports d.py`)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((it) => `${it}.py`)
  const found = connectionsOf(graph, [
    { visited: [a, b], supporting: [b] },
    { visited: [b, c, 'gone.py'], supporting: [b] },
    { visited: [d], supporting: [] },
  ])
  expect(found.map(({ type, from, to }) => `${type} ${from} ${to}`)).toEqual([
    `shared_node ${b} `,
    `bridge_edge ${c} ${d}`,
    `cross_support ${b} `,
  ])
  expect(found[0].weight).toBeCloseTo(2 / 3)
})
