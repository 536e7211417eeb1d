import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cosine, lookAlikePairs, lookAlikes, probesFor, respond } from '#analysis/fingerprint'
import { names, node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'

const repositories = sketch(`
  users.ts imports db.ts 0.5
  users.ts imports log.ts 0.5
  orders.ts imports db.ts 0.5
  orders.ts imports log.ts 0.5
  api.ts imports users.ts 0.5
  api.ts imports orders.ts 0.5
  main.ts imports api.ts 0.5
  users.ts contains find() 1
  orders.ts contains list() 1
`)

function responsesOf(graph: Graph, ...keys: string[]) {
  return respond(
    graph,
    keys.map((key) => [{ node: node(graph, key), relevance: 1 }]),
  )
}

describe('cosine', () => {
  test('of two fingerprints', () => {
    expect(cosine([1, 0, 0.5], [0.8, 0.1, 0.4])).toBeCloseTo(0.993808, 6)
    expect(cosine([0, 0], [1, 1])).toBe(0)
  })
})

describe('probes', () => {
  test('are the strongest neighbours, then the tops of the largest communities', () => {
    const probes = names(repositories, probesFor(repositories, node(repositories, 'users.ts')))
    expect(probes.slice(0, 1)).toEqual(['find()'])
    expect(probes.slice(1, 4).sort()).toEqual(['api.ts', 'db.ts', 'log.ts'])
    expect(probes).not.toContain('users.ts')
    expect(new Set(probes).size).toBe(probes.length)
  })

  test('without a node are one per community', () => {
    const graph = sketch('a.ts imports b.ts 1\nb.ts imports c.ts 1\nx.ts imports y.ts 1')
    const probes = names(graph, probesFor(graph, null))
    expect(probes).toEqual(['c.ts', 'y.ts'])
  })
})

describe('look-alikes', () => {
  test('stand in the same place and play the same role', () => {
    const responses = responsesOf(repositories, 'db.ts', 'log.ts', 'api.ts')
    const users = node(repositories, 'users.ts')
    const { equivalents, limited } = lookAlikes(repositories, users, responses, 0.85)
    expect(equivalents).toEqual([
      {
        node: node(repositories, 'orders.ts'),
        similarity: expect.closeTo(1, 9),
        sharedNeighbours: 3,
        connected: false,
      },
    ])
    expect(limited).toBe(false)
  })

  test('are fewer the higher the threshold, and never the node, its parent or its parts', () => {
    const users = node(repositories, 'users.ts')
    const responses = responsesOf(repositories, 'db.ts', 'log.ts')
    const at = (threshold: number) => lookAlikes(repositories, users, responses, threshold).equivalents
    expect(at(0).length).toBeGreaterThanOrEqual(at(0.5).length)
    expect(at(0.5).length).toBeGreaterThanOrEqual(at(1).length)
    for (const it of at(0)) expect([users, node(repositories, 'find()')]).not.toContain(it.node)
    for (const it of at(0)) expect(repositories.types[it.node]).toBe(repositories.types[users])
  })

  test('of a node that no probe reaches are told by role alone', () => {
    const graph = sketch('a.ts imports x.ts 0.5\nb.ts imports y.ts 0.5\nlone.ts imports z.ts 0.5')
    const responses = responsesOf(graph, 'x.ts')
    const { equivalents } = lookAlikes(graph, node(graph, 'lone.ts'), responses, 0.99)
    expect(
      names(
        graph,
        equivalents.map((it) => it.node),
      ),
    ).toContain('b.ts')
  })

  test('in pairs are found over the whole project', () => {
    const responses = responsesOf(repositories, 'db.ts')
    const { pairs, total, limited } = lookAlikePairs(repositories, responses, 0.95)
    expect(pairs.map((it) => names(repositories, [it.a, it.b]))).toContainEqual(['users.ts', 'orders.ts'])
    expect(total).toBe(pairs.length)
    expect(limited).toBe(false)
  })

  test('are symmetric', () => {
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(edges, (list) => {
        const graph = sketch(['f0.ts', ...list.map(([a, b]) => `f${a}.ts imports f${b}.ts 1`)].join('\n'))
        const responses = responsesOf(graph, 'f0.ts')
        const { pairs } = lookAlikePairs(graph, responses, 0.9)
        for (const { a, b, similarity } of pairs) {
          const there = lookAlikes(graph, a, responses, 0.9).equivalents.find((it) => it.node === b)
          const back = lookAlikes(graph, b, responses, 0.9).equivalents.find((it) => it.node === a)
          expect(there?.similarity).toBeCloseTo(similarity, 9)
          expect(back?.similarity).toBeCloseTo(similarity, 9)
        }
      }),
    )
  })
})
