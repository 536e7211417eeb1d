import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fnv1a } from '#std/hash'
import { addSimilar, buildCooccurrence, COOCCURRENCE_MAX_NODES, similarity } from '#query/cooccurrence'
import { arrows, graphOf, labelIn, nodeIn } from '#query/graph-for-tests'
import { gramsOf } from '#query/names'
import { NodeValues } from '#query/node-values'
import {
  buildSemantic,
  fastQuery,
  fastRankings,
  fullQuery,
  ngramTop,
  semanticColumns,
  semanticFromColumns,
} from '#query/semantic'

describe('groups of three characters', () => {
  test('are named by 24 bits of FNV-1a over their UTF-8', () => {
    const out = new Uint32Array(200)
    const gram = (text: string) => out.slice(0, gramsOf(text, out))
    expect([...gram('aut')]).toEqual([6546365])
    expect([...gram('uth')]).toEqual([9685324])
    expect([...gram('tho')]).toEqual([967130])
    expect([...gram('hor')]).toEqual([12821678])
    expect([...gram('pool')]).toEqual([2701981, 3366461])
    expect([...gram('né→')]).toEqual([fnv1a('né→') & 0xff_ffff])
    expect(gramsOf('ab', out)).toBe(1)
    expect(gramsOf('', out)).toBe(0)
  })

  test('compare labels by cosine of tf-idf', () => {
    const graph = graphOf(['auth', 'author', 'pool'])
    const index = buildSemantic(graph)
    const scores = Object.fromEntries(
      ngramTop(graph, index, 'auth', 10).map((it) => [labelIn(graph, it.node), it.score]),
    )
    expect(scores.auth).toBeCloseTo(1, 6)
    expect(scores.author).toBeCloseTo(0.556451, 4)
    expect(scores).not.toHaveProperty('pool')
  })

  test('agree with vectors written out in full', () => {
    const label = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ü'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 10 }), label, (labels, query) => {
        const graph = graphOf(labels.map((it, i) => ({ label: it, key: `${i}` })))
        const found = new Map(ngramTop(graph, buildSemantic(graph), query, 100).map((it) => [it.node, it.score]))
        labels.forEach((it, v) => {
          const expected = slowCosine(labels, query, it)
          expect(found.get(v) ?? 0).toBeCloseTo(expected > 0.01 ? expected : 0, 4)
        })
      }),
    )
  })

  test('of equally spelled labels the smaller nodes are taken', () => {
    const graph = graphOf(Array.from({ length: 30 }, (_, i) => ({ label: 'loan', key: `loan ${i}` })))
    expect(ngramTop(graph, buildSemantic(graph), 'loan', 5).map((it) => it.node)).toEqual([0, 1, 2, 3, 4])
  })
})

function slowCosine(labels: string[], query: string, label: string): number {
  const grams = (text: string): Map<string, number> => {
    const counts = new Map<string, number>()
    const characters = Array.from(text)
    for (let i = 0; i <= Math.max(0, characters.length - 3); i++) {
      const gram = characters.slice(i, i + 3).join('')
      counts.set(gram, (counts.get(gram) ?? 0) + 1)
    }
    return counts
  }
  const weigh = (text: string): Map<string, number> => {
    const vector = new Map<string, number>()
    for (const [gram, count] of grams(text)) {
      const bearing = labels.filter((it) => grams(it).has(gram)).length
      vector.set(gram, count * (bearing === 0 ? 1 : Math.log(labels.length / bearing) + 1))
    }
    return vector
  }
  const a = weigh(query)
  const b = weigh(label)
  const norm = (vector: Map<string, number>) =>
    Math.sqrt(Array.from(vector.values()).reduce((acc, x) => acc + x * x, 0))
  let dot = 0
  for (const [gram, weight] of a) dot += weight * (b.get(gram) ?? 0)
  return dot / (norm(a) * norm(b))
}

describe('co-occurrence on walks', () => {
  const graph = graphOf([], arrows('a>b b>c c>a d>e e>d'))

  test('gives the cosine of the PPMI vectors', () => {
    const index = buildCooccurrence(graph)
    if (index === null) throw new Error('five nodes are not too many')
    const [a, b, d] = ['a', 'b', 'd'].map((it) => nodeIn(graph, it))
    expect(similarity(index, a, b)).toBeCloseTo(0.5, 4)
    expect(similarity(index, a, d)).toBe(0)
    const sum = new NodeValues(graph.nNodes)
    addSimilar(index, a, 1, sum)
    expect(sum.value[b]).toBeCloseTo(0.5, 4)
    expect(sum.value[a]).toBeCloseTo(1, 4)
    expect(sum.value[d]).toBe(0)
  })

  test('is empty where every walk sees the same', () => {
    const index = buildCooccurrence(graphOf([], arrows('a>b')))
    expect(index?.contexts).toHaveLength(0)
  })

  test('searching by context finds what comparing pairs finds', () => {
    const edge = fc.tuple(fc.integer({ min: 0, max: 14 }), fc.integer({ min: 0, max: 14 }))
    fc.assert(
      fc.property(fc.array(edge, { minLength: 1, maxLength: 40 }), (edges) => {
        const random = graphOf(
          Array.from({ length: 15 }, (_, i) => `shelf_${i}`),
          edges.map(([from, to]) => ({ from: `shelf_${from}`, to: `shelf_${to}` })),
        )
        const index = buildCooccurrence(random)
        if (index === null) throw new Error('15 nodes are not too many')
        for (let v = 0; v < 15; v++) {
          const sum = new NodeValues(15)
          addSimilar(index, v, 1, sum)
          for (let u = 0; u < 15; u++) expect(sum.value[u]).toBeCloseTo(similarity(index, v, u), 5)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('is left out above its limit of nodes', () => {
    const large = graphOf([])
    expect(buildCooccurrence({ ...large, nNodes: COOCCURRENCE_MAX_NODES + 1 })).toBeNull()
  })
})

describe('queries', () => {
  const graph = graphOf([], arrows('session_pool>acquire acquire>release release>session_pool wallet>coin coin>wallet'))
  const index = buildSemantic(graph)

  test('the fast one also finds what stands beside the best spelled', () => {
    const found = fastQuery(graph, index, 'session pool', 10).map((it) => labelIn(graph, it.node))
    expect(found[0]).toBe('session_pool')
    expect(found).toContain('acquire')
    expect(found).not.toContain('coin')
  })

  test('the fast one uses spelling alone without co-occurrence', () => {
    const bare = { ...index, cooccurrence: null }
    expect(fastQuery(graph, bare, 'session pool', 10)).toEqual(ngramTop(graph, bare, 'session pool', 10))
  })

  test('several lengths at once are the same as one after the other', () => {
    const [short, long] = fastRankings(graph, index, 'session wallet', [1, 10])
    expect(short).toEqual(fastQuery(graph, index, 'session wallet', 1))
    expect(long).toEqual(fastQuery(graph, index, 'session wallet', 10))
  })

  test('the full one adds 0.2 for a synonym in the label', () => {
    const forms = graphOf(['run_fn', 'config'])
    expect(fullQuery(forms, buildSemantic(forms), 'function', 5)).toEqual([{ node: 0, score: 0.2 }])
  })

  test('the index survives being taken apart into columns', () => {
    const back = semanticFromColumns(semanticColumns(index))
    expect(fastQuery(graph, back, 'session pool', 10)).toEqual(fastQuery(graph, index, 'session pool', 10))
    expect(semanticFromColumns(semanticColumns({ ...index, cooccurrence: null })).cooccurrence).toBeNull()
  })

  test('a missing column is named', () => {
    const { 'names.idf': _, ...columns } = semanticColumns(index)
    expect(() => semanticFromColumns(columns)).toThrow('column names.idf: expected Float32Array, found none')
  })
})
