import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildCoChange,
  type CoChange,
  coChangeColumns,
  coChangeFromColumns,
  coChangeOf,
  MAX_PER_ROW,
  observe,
  observeOnly,
} from '#query/cochange'
import { arrows, graphOf } from '#query/graph-for-tests'

const files = (count: number) => graphOf(Array.from({ length: count }, (_, i) => `shelf${i}.ts`))
const commit = (...nodes: number[]) => Uint32Array.from(nodes)
const repeat = (times: number, group: Uint32Array) => Array.from({ length: times }, () => group)

describe('history', () => {
  test('adds 0.1 per common commit, both ways, up to 1', () => {
    const twice = buildCoChange(files(3), repeat(2, commit(0, 1)))
    expect(coChangeOf(twice, 0)).toEqual([{ node: 1, strength: Math.fround(0.2), observed: true, commits: 2 }])
    expect(coChangeOf(twice, 1)).toEqual([{ node: 0, strength: Math.fround(0.2), observed: true, commits: 2 }])
    expect(coChangeOf(twice, 2)).toEqual([])
    expect(coChangeOf(buildCoChange(files(2), repeat(12, commit(0, 1))), 0)[0]).toMatchObject({
      strength: 1,
      commits: 12,
    })
  })

  test('a bulk commit of n files adds 50/n of that', () => {
    const matrix = buildCoChange(files(100), [Uint32Array.from({ length: 100 }, (_, i) => i)])
    expect(coChangeOf(matrix, 0)[0].strength).toBeCloseTo(0.05, 6)
  })

  test('counts a file once per commit', () => {
    expect(coChangeOf(buildCoChange(files(2), [commit(0, 1, 1, 0)]), 0)).toMatchObject([{ node: 1, commits: 1 }])
  })

  test('keeps the strongest hundred partners', () => {
    const groups = [...Array.from({ length: 150 }, (_, i) => commit(0, i + 1)), commit(0, 150)]
    const partners = coChangeOf(buildCoChange(files(151), groups), 0)
    expect(partners).toHaveLength(MAX_PER_ROW)
    expect(partners[0]).toMatchObject({ node: 150, commits: 2 })
  })

  test('agrees with counting pairs', () => {
    const group = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(group, { maxLength: 20 }), (groups) => {
        const matrix = buildCoChange(
          files(10),
          groups.map((it) => Uint32Array.from(it)),
        )
        for (let a = 0; a < 10; a++) {
          const found = new Map(coChangeOf(matrix, a).map((it) => [it.node, it.commits]))
          for (let b = 0; b < 10; b++) {
            const together = groups.filter((it) => a !== b && it.includes(a) && it.includes(b)).length
            expect(found.get(b) ?? 0).toBe(together)
          }
        }
      }),
    )
  })
})

describe('structure', () => {
  test('fills in 0.3 · weights · 0.95 per hop, both ways and marked as not observed', () => {
    const matrix = buildCoChange(graphOf([], arrows('a>b b>c', { weight: 0.5 })), [])
    const [toB, toC] = coChangeOf(matrix, 0)
    expect(toB).toMatchObject({ node: 1, observed: false, commits: 0 })
    expect(toB.strength).toBeCloseTo(0.3 * 0.5 * 0.95, 5)
    expect(toC.strength).toBeCloseTo(0.3 * 0.25 * 0.9025, 5)
    expect(coChangeOf(matrix, 2).map((it) => it.node)).toEqual([1, 0])
  })

  test('never adds to what history says', () => {
    const matrix = buildCoChange(graphOf([], arrows('a>b')), [commit(0, 1)])
    expect(coChangeOf(matrix, 0)).toEqual([{ node: 1, strength: Math.fround(0.1), observed: true, commits: 1 }])
  })

  test('does not count edges that come from history or from folders', () => {
    const edges = [...arrows('a>b', { relation: 'co_changes' }), ...arrows('a>c', { relation: 'sibling' })]
    expect(coChangeOf(buildCoChange(graphOf([], edges), []), 0)).toEqual([])
  })
})

describe('observe', () => {
  test('strengthens what is there and adds what is not', () => {
    const matrix = buildCoChange(files(4), [commit(0, 1)])
    observe(matrix, [
      [0, 1],
      [2, 3],
      [2, 3],
      [1, 1],
    ])
    expect(coChangeOf(matrix, 1)).toMatchObject([{ node: 0, commits: 1 }])
    expect(coChangeOf(matrix, 1)[0].strength).toBeCloseTo(0.2, 6)
    expect(coChangeOf(matrix, 3)).toMatchObject([{ node: 2, commits: 0, observed: true }])
    expect(coChangeOf(matrix, 3)[0].strength).toBeCloseTo(0.2, 6)
  })

  test('a full row gives up its weakest entry only for a stronger one', () => {
    const edges = Array.from({ length: 64 }, (_, i) => ({ from: 'hub', to: `leaf_${i}`, weight: i === 7 ? 0.01 : 0.2 }))
    const graph = graphOf(['hub', ...Array.from({ length: 140 }, (_, i) => `leaf_${i}`)], edges)
    const matrix = buildCoChange(
      graph,
      Array.from({ length: 36 }, (_, i) => commit(0, 65 + i)),
    )
    expect(coChangeOf(matrix, 0)).toHaveLength(MAX_PER_ROW)
    observe(matrix, [[0, 140]])
    const partners = coChangeOf(matrix, 0).map((it) => it.node)
    expect(partners).toHaveLength(MAX_PER_ROW)
    expect(partners).toContain(140)
    expect(partners).not.toContain(8)
  })
})

test('the matrix survives being taken apart into columns', () => {
  const matrix = buildCoChange(files(5), [commit(0, 1, 2), commit(3, 4)])
  expect(coChangeFromColumns(coChangeColumns(matrix))).toEqual(matrix)
})

test('an empty graph has an empty matrix', () => {
  expect(buildCoChange(graphOf([]), [])).toMatchObject({ truncated: false, offsets: Uint32Array.of(0) })
})

test('a commit of thousands of files does not take long', () => {
  const groups = [
    ...repeat(
      3,
      Uint32Array.from({ length: 4000 }, (_, i) => i),
    ),
    commit(1, 2),
  ]
  const matrix = buildCoChange(files(4000), groups)
  expect(matrix.truncated).toBe(true)
  expect(coChangeOf(matrix, 1)[0]).toMatchObject({ node: 2, commits: 3 })
})

describe('what feedback confirmed', () => {
  const table = ({ offsets, nodes, strengths, commits, observed }: CoChange) =>
    JSON.stringify([offsets, nodes, strengths, commits, observed].map((it) => [...it]))

  test('can be taken back wholly, whatever was there before', () => {
    const pair = fc.tuple(fc.nat(7), fc.nat(7))
    const group = fc.uniqueArray(fc.nat(7), { minLength: 2, maxLength: 4 }).map((it) => Uint32Array.from(it))
    fc.assert(
      fc.property(fc.array(group, { maxLength: 30 }), fc.array(pair, { maxLength: 40 }), (groups, pairs) => {
        const matrix = buildCoChange(files(8), groups)
        const before = table(matrix)
        for (const it of pairs) observe(matrix, [it])
        expect(JSON.stringify(coChangeColumns(matrix).strengths)).toBe(
          JSON.stringify(buildCoChange(files(8), groups).strengths),
        )
        observeOnly(matrix, [])
        expect(table(matrix)).toBe(before)
      }),
    )
  })

  test('what somebody else said stays', () => {
    const matrix = buildCoChange(files(3), [commit(0, 1)])
    observe(matrix, [
      [0, 1],
      [0, 2],
    ])
    observe(matrix, [[0, 1]])
    observeOnly(matrix, [[0, 1]])
    observeOnly(matrix, [])
    expect(coChangeOf(matrix, 1)).toEqual([{ node: 0, strength: Math.fround(0.1), observed: true, commits: 1 }])
  })
})
