import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TIERS } from '#graph/graph'
import { type Definition, emptyFacts } from '#ingest/facts'
import { EdgeSet, RANK } from '#ingest/resolve/edges'
import { createProgram } from '#ingest/resolve/program'

function functions(n: number): Definition[] {
  return Array.from({ length: n }, (_, i) => ({
    name: `shelf${i}`,
    kind: 'fn' as const,
    parent: -1,
    line: i + 1,
    endLine: i + 1,
    nameLine: i + 1,
    tags: [],
    excerpt: '',
  }))
}

function all(set: EdgeSet) {
  return [...set.of(0), ...set.of(1)]
}

describe('the set of edges', () => {
  test('keeps one edge per source, target and relation with the best tier, however many there are', () => {
    const program = createProgram({
      root: '/library',
      files: ['a.py', 'b.py'].map((path) => ({ path, facts: { ...emptyFacts('python'), definitions: functions(30) } })),
      configFiles: new Map(),
    })
    const node = fc.integer({ min: 0, max: 61 })
    const edge = fc.record({
      from: fc.integer({ min: 0, max: 2 }),
      to: node,
      relation: fc.constantFrom('calls', 'references'),
      tier: fc.constantFrom(...TIERS),
    })
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 200 }), (list) => {
        const set = new EdgeSet(program)
        const slow = new Map<string, number>()
        for (const { from, to, relation, tier } of list) {
          set.add(from, to, relation, { tier, line: 1 })
          if (from === to) continue
          const key = `${from} ${to} ${relation}`
          slow.set(key, Math.min(slow.get(key) ?? 9, RANK[tier]))
        }
        const seen = new Map(
          all(set).map((it) => {
            const number = (file: number, local: number) => (local < 0 ? 60 + file : file * 30 + local)
            return [`${number(it.fromFile, it.from)} ${number(it.toFile, it.to)} ${it.relation}`, RANK[it.tier]]
          }),
        )
        expect(seen).toEqual(slow)
        expect(all(set)).toHaveLength(slow.size)
      }),
    )
  })

  test('halves the weight of a guess and forgets that once something better is known', () => {
    const program = createProgram({
      root: '/library',
      files: [{ path: 'a.py', facts: { ...emptyFacts('python'), definitions: functions(2) } }],
      configFiles: new Map(),
    })
    const set = new EdgeSet(program)
    set.add(0, 1, 'calls', { tier: 'guess', line: 3 })
    expect(set.of(0)[0].weight).toBeCloseTo(0.2)
    set.add(0, 1, 'calls', { tier: 'typed', line: 9 })
    expect(set.of(0)).toMatchObject([{ tier: 'typed', line: 3, weight: 0.4 }])
  })

  test('leaves edges that were kept as they were', () => {
    const program = createProgram({
      root: '/library',
      files: [{ path: 'a.py', facts: { ...emptyFacts('python'), definitions: functions(2) } }],
      configFiles: new Map(),
    })
    const set = new EdgeSet(program)
    set.add(0, 1, 'calls', { tier: 'guess', line: 3 })
    const kept = set.keep(0)
    set.add(0, 1, 'calls', { tier: 'exact', line: 4 })
    expect(kept).toMatchObject([{ tier: 'guess' }])
    expect(set.of(0)).toMatchObject([{ tier: 'exact' }])

    const later = new EdgeSet(program)
    later.resume(0, kept)
    later.add(0, 1, 'calls', { tier: 'typed', line: 5 })
    expect(kept).toMatchObject([{ tier: 'guess' }])
    expect(later.of(0)).toMatchObject([{ tier: 'typed', line: 3 }])
  })
})
