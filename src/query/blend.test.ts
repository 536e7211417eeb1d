import { describe, expect, test } from 'vitest'
import type { Graph } from '#graph/graph'
import { blend, type Columns, type Ranked } from '#query/blend'
import { findGhosts } from '#query/ghosts'
import { arrows, graphOf, labelIn, nodeIn } from '#query/graph-for-tests'
import { NodeValues } from '#query/node-values'

/** Columns from rows of four values per node; null leaves a dimension out. */
function columnsOf(graph: Graph, rows: Record<string, readonly (number | null)[]>): Columns {
  const column = (d: number): NodeValues | null => {
    const values = new NodeValues(graph.nNodes)
    for (const [label, row] of Object.entries(rows)) {
      const value = row[d]
      if (value === null || value === undefined) return null
      if (value > 0) values.set(nodeIn(graph, label), value)
    }
    return values
  }
  return [column(0), column(1), column(2), column(3)]
}

const plain = (graph: Graph): Graph => ({ ...graph, pagerank: new Float32Array(graph.nNodes) })
const NO_BOOSTS = { boosts: new Map<number, number>(), topK: 10 }

function scoresOf(graph: Graph, rows: Record<string, readonly (number | null)[]>): [string, number][] {
  return blend(graph, columnsOf(graph, rows), NO_BOOSTS).ranked.map((it) => [labelIn(graph, it.node), it.score])
}

describe('blend', () => {
  const rows = {
    auth: [0.9, 0.88, 0.7, 0.65],
    session: [0.85, 0.4, 0.5, 0.45],
    middleware: [0.47, 0.15, 0.6, 0.3],
    user: [0.5, 0.3, 0.1, 0.2],
    database: [0.5, 0.05, 0.2, 0.1],
  }
  const service = graphOf(Object.keys(rows))

  function expectScores(found: [string, number][], expected: [string, number][]): void {
    expect(found.map((it) => it[0])).toEqual(expected.map((it) => it[0]))
    found.forEach(([, score], i) => {
      expect(score).toBeCloseTo(expected[i][1], 5)
    })
  }

  test('weighs the dimensions and rewards agreement', () => {
    expectScores(scoresOf(plain(service), rows), [
      ['auth', 1.20375],
      ['session', 0.8775],
      ['middleware', 0.5505],
      ['user', 0.4725],
      ['database', 0.36375],
    ])
  })

  test('adds a tenth of the PageRank', () => {
    expectScores(scoresOf({ ...service, pagerank: Float32Array.of(0.12, 0.08, 0.1, 0.06, 0.09) }, rows), [
      ['auth', 1.21575],
      ['session', 0.8855],
      ['middleware', 0.5605],
      ['user', 0.4785],
      ['database', 0.37275],
    ])
  })

  test('shares the weight of dimensions that are silent or not asked for', () => {
    const graph = plain(graphOf(['cart']))
    const score = (...row: (number | null)[]) => scoresOf(graph, { cart: row })[0][1]
    expect(score(0.8, 0.6, null, null)).toBeCloseTo(0.716667, 5)
    expect(score(0.8, 0.6, 0, 0)).toBeCloseTo(0.716667, 5)
    expect(score(0.8, 0.6, 0.5, null)).toBeCloseTo(0.875333, 5)
    expect(score(0.8, 0.6, 0.5, 0.01)).toBeCloseTo(0.65975, 5)
    expect(score(0.8, 0.6, 0.5, 0.011)).toBeCloseTo(0.761625, 5)
    expect(score(null, 0.4, null, null)).toBeCloseTo(0.4, 5)
  })

  test('keeps all weights while some node has every dimension', () => {
    const graph = plain(graphOf(['cart', 'total']))
    expect(scoresOf(graph, { cart: [0.8, 0, 0, 0], total: [0.1, 0.1, 0.1, 0.1] })[0][1]).toBeCloseTo(0.28, 5)
  })

  test('cuts after the PageRank, so that it can lift a node into the list', () => {
    const graph = { ...graphOf(['cart', 'total']), pagerank: Float32Array.of(0, 1) }
    const columns = columnsOf(graph, { cart: [0.5, null, null, null], total: [0.45, null, null, null] })
    const { ranked, totalActive } = blend(graph, columns, { boosts: new Map(), topK: 1 })
    expect(ranked.map((it) => it.node)).toEqual([1])
    expect(totalActive).toBe(2)
  })

  test('boosts lift what was reached, and bring in what was not from 0.1 on', () => {
    const graph = plain(graphOf(['cart', 'total', 'price', 'stock']))
    const boosts = new Map([
      [0, 0.5],
      [1, 0.4],
      [2, 0.09],
      [99, 1],
    ])
    const { ranked } = blend(graph, columnsOf(graph, { cart: [0.4, null, null, null] }), { boosts, topK: 10 })
    expect(ranked.map((it) => [it.node, it.score])).toEqual([
      [0, expect.closeTo(0.6)],
      [1, expect.closeTo(0.2)],
    ])
    expect(ranked[1].dims).toEqual([0, 0, 0, 0])
  })

  test('a loss moves a node down before the cut, so that the next one takes its place', () => {
    const graph = plain(graphOf(['cart', 'total', 'price']))
    const columns = columnsOf(graph, {
      cart: [0.9, null, null, null],
      total: [0.5, null, null, null],
      price: [0.4, null, null, null],
    })
    const { ranked, totalActive } = blend(graph, columns, { boosts: new Map([[0, -0.7]]), topK: 2 })
    expect(ranked.map((it) => [it.node, it.score])).toEqual([
      [1, expect.closeTo(0.5)],
      [2, expect.closeTo(0.4)],
    ])
    expect(totalActive).toBe(3)
    const [last] = blend(graph, columns, { boosts: new Map([[0, -2]]), topK: 3 }).ranked.slice(-1)
    expect(last.node).toBe(0)
    expect(last.score).toBeGreaterThan(0)
  })

  test('equal scores: the higher structural value, then the smaller node', () => {
    const graph = plain(graphOf(['a', 'b', 'c']))
    const columns = columnsOf(graph, { a: [0.25, 0, 0, 0.35], b: [0.35, 0, 0, 0.25], c: [0.25, 0, 0, 0.35] })
    expect(blend(graph, columns, NO_BOOSTS).ranked.map((it) => it.node)).toEqual([1, 0, 2])
  })
})

describe('ghost edges', () => {
  const row = (node: number, score: number, ...dims: [number, number, number, number]): Ranked => ({
    node,
    score,
    dims,
  })

  test('√(a · b) times the weights of the shared dimensions', () => {
    const graph = graphOf(['a', 'b'])
    const ghosts = findGhosts(graph, [row(0, 0.89, 0, 0.5, 0.3, 0.4), row(1, 0.52, 0.3, 0.4, 0.005, 0.2)])
    expect(ghosts).toEqual([
      { source: 0, target: 1, shared: ['semantic', 'causal'], strength: expect.closeTo(0.340147) },
    ])
  })

  test('none where an edge or containment already says it', () => {
    const nodes = ['a', 'b', 'c', { label: 'd', parent: 2 }]
    const graph = graphOf(nodes, arrows('b>a'))
    const rows = [0, 1].map((v) => row(v, 0.5, 0.5, 0.5, 0, 0))
    expect(findGhosts(graph, rows)).toEqual([])
    expect(
      findGhosts(
        graph,
        [2, 3].map((v) => row(v, 0.5, 0.5, 0.5, 0, 0)),
      ),
    ).toEqual([])
  })

  test('the ten strongest of the fifty best, at most 1 before the weights', () => {
    const graph = graphOf(Array.from({ length: 60 }, (_, i) => `n${i}`))
    const ghosts = findGhosts(
      graph,
      Array.from({ length: 60 }, (_, v) => row(v, 2 - v / 100, 0.5, 0.5, 0.5, 0.5)),
    )
    expect(ghosts).toHaveLength(10)
    expect(ghosts[0]).toMatchObject({ source: 0, target: 1, strength: 1 })
  })
})
