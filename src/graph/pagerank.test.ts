import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph, removeNodes } from '#graph/build'
import { emptyMeta } from '#graph/meta'

function ranks(names: string[], edges: [string, string][]): Record<string, number> {
  const graph = graphOf(names, edges)
  return Object.fromEntries(names.map((name, v) => [name, graph.pagerank[v]]))
}

function graphOf(names: string[], edges: [string, string][]) {
  return buildGraph({
    nodes: names.map((key) => ({ key, label: key, type: 0 })),
    edges: edges.map(([from, to]) => ({
      source: names.indexOf(from),
      target: names.indexOf(to),
      relation: 'imports',
      weight: 1,
      causal: 0.6,
    })),
    meta: emptyMeta(),
  })
}

describe('pageRank', () => {
  test('ranks three nodes in a row with a short cut', () => {
    const { a, b, c } = ranks(
      ['a', 'b', 'c'],
      [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
      ],
    )
    expect(a).toBeCloseTo(0.379327, 6)
    expect(b).toBeCloseTo(0.540541, 6)
    expect(c).toBe(1)
  })

  test('ranks seven files by who imports them', () => {
    const names = ['main', 'routes', 'user', 'middleware', 'auth', 'session', 'database']
    const found = ranks(names, [
      ['main', 'auth'],
      ['main', 'routes'],
      ['routes', 'auth'],
      ['routes', 'middleware'],
      ['auth', 'session'],
      ['auth', 'user'],
      ['auth', 'database'],
      ['session', 'database'],
      ['middleware', 'session'],
      ['user', 'database'],
    ])
    const expected = {
      main: 0.184724,
      routes: 0.263231,
      user: 0.291003,
      middleware: 0.296597,
      auth: 0.375104,
      session: 0.543111,
      database: 1,
    }
    for (const [name, rank] of Object.entries(expected)) expect(found[name]).toBeCloseTo(rank, 4)
  })

  test('gives equal nodes without edges the same rank, and nothing to no nodes', () => {
    expect(ranks(['a', 'b'], [])).toEqual({ a: 1, b: 1 })
    expect(ranks([], [])).toEqual({})
  })

  test('ignores removed nodes as if they had never been there', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const pairs = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 20 })
    fc.assert(
      fc.property(pairs, (edges) => {
        const removed = removeNodes(graphOf(names, edges), [4])
        const without = graphOf(
          names.slice(0, 4),
          edges.filter((it) => !it.includes('e')),
        )
        for (let v = 0; v < 4; v++) expect(removed.pagerank[v]).toBeCloseTo(without.pagerank[v], 5)
        expect(removed.pagerank[4]).toBe(0)
      }),
    )
  })
})
