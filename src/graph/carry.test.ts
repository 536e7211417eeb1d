import { describe, expect, test } from 'vitest'
import { buildGraph } from '#graph/build'
import { carryLearning } from '#graph/carry'
import { type Graph, keyOf, LTP_APPLIED, relationOf } from '#graph/graph'
import { emptyMeta } from '#graph/meta'

type Edge = [from: string, to: string, relation: string, weight: number]

function library(edges: Edge[]): Graph {
  const keys = [...new Set(edges.flatMap(([from, to]) => [from, to]))]
  return buildGraph({
    nodes: keys.map((key) => ({ key, label: key, type: 0 })),
    edges: edges.map(([from, to, relation, weight]) => ({
      source: keys.indexOf(from),
      target: keys.indexOf(to),
      relation,
      weight,
      causal: 0.5,
      bidirectional: relation === 'contains',
    })),
    meta: emptyMeta(),
  })
}

function slot(graph: Graph, from: string, relation: string, to: string): number {
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      if (keyOf(graph, v) === from && relationOf(graph, e) === relation && keyOf(graph, graph.out.targets[e]) === to)
        return e
    }
  }
  throw new Error(`no slot ${from} ${relation} ${to}`)
}

describe('carryLearning', () => {
  test('finds every learned edge again by its ends and relation, both halves apart', () => {
    const before = library([
      ['shelf', 'book', 'contains', 1],
      ['book', 'loan', 'calls', 0.4],
      ['book', 'loan', 'imports', 0.5],
    ])
    const half = slot(before, 'book', 'contains', 'shelf')
    const calls = slot(before, 'book', 'calls', 'loan')
    before.weights[half] = 0.7
    before.weights[calls] = 0.9
    before.strengthened[calls] = 6
    before.strengthenRun[calls] = 5
    before.weakened[calls] = 2
    before.weakenRun[calls] = 1
    before.marks[calls] = LTP_APPLIED
    before.lastUsed[calls] = 77

    const after = library([
      ['loan', 'fine', 'calls', 0.4],
      ['book', 'loan', 'imports', 0.5],
      ['book', 'loan', 'calls', 0.4],
      ['shelf', 'book', 'contains', 1],
    ])
    expect(carryLearning(before, after)).toEqual({ kept: 2, lost: 0 })
    const found = slot(after, 'book', 'calls', 'loan')
    expect(after.weights[found]).toBeCloseTo(0.9)
    expect([
      after.strengthened[found],
      after.strengthenRun[found],
      after.weakened[found],
      after.weakenRun[found],
    ]).toEqual([6, 5, 2, 1])
    expect([after.marks[found], after.lastUsed[found]]).toEqual([LTP_APPLIED, 77])
    expect(after.weights[slot(after, 'book', 'contains', 'shelf')]).toBeCloseTo(0.7)
    expect(after.weights[slot(after, 'shelf', 'contains', 'book')]).toBe(1)
    expect(after.weights[slot(after, 'book', 'imports', 'loan')]).toBe(0.5)
  })

  test('keeps the learned difference where the weight at ingest has changed, within bounds', () => {
    const before = library([
      ['a', 'b', 'calls', 0.4],
      ['a', 'c', 'calls', 0.4],
      ['a', 'd', 'calls', 1],
    ])
    before.weights[0] = 0.6
    before.weights[1] = 2.9
    before.weights[2] = 0.1
    const after = library([
      ['a', 'b', 'calls', 0.2],
      ['a', 'c', 'calls', 1],
      ['a', 'd', 'calls', 0.5],
    ])
    carryLearning(before, after)
    expect(after.weights[0]).toBeCloseTo(0.4)
    expect(after.weights[1]).toBe(3)
    expect(after.weights[2]).toBeCloseTo(0.05)
    expect(after.ingestWeights[0]).toBeCloseTo(0.2)
  })

  test('leaves a weight below the floor as it is while the weight at ingest stays', () => {
    const before = library([['a', 'b', 'calls', 0.4]])
    before.weights[0] = 0.01
    const after = library([['a', 'b', 'calls', 0.4]])
    carryLearning(before, after)
    expect(after.weights[0]).toBeCloseTo(0.01)
  })

  test('counts what is gone: an end, the edge, or its relation', () => {
    const before = library([
      ['a', 'b', 'calls', 0.4],
      ['a', 'c', 'calls', 0.4],
      ['c', 'a', 'imports', 0.5],
      ['a', 'd', 'calls', 0.4],
    ])
    for (let e = 0; e < before.nEdges; e++) before.strengthened[e] = 1
    const after = library([
      ['a', 'b', 'calls', 0.4],
      ['c', 'd', 'references', 0.3],
    ])
    expect(carryLearning(before, after)).toEqual({ kept: 1, lost: 3 })
  })

  test('follows renamed files into what they contain', () => {
    const before = library([['file::cart.py::fn::total', 'file::tax.py', 'calls', 0.4]])
    before.weights[0] = 0.8
    const after = library([['file::shop/basket.py::fn::total', 'file::tax.py', 'calls', 0.4]])
    const renamed = new Map([['file::cart.py', 'file::shop/basket.py']])
    expect(carryLearning(before, after, renamed)).toEqual({ kept: 1, lost: 0 })
    expect(after.weights[0]).toBeCloseTo(0.8)
  })

  test('touches nothing where nothing was learned', () => {
    const edges: Edge[] = [['a', 'b', 'calls', 0.4]]
    expect(carryLearning(library(edges), library(edges))).toEqual({ kept: 0, lost: 0 })
  })
})
