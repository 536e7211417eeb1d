import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { communities, communitiesOf, undirected } from '#analysis/communities'
import { node, sketch } from '#analysis/sketch'

const triangles = `
  A calls B 1
  B calls C 1
  C calls A 1
  D calls E 1
  E calls F 1
  F calls D 1
  C calls D 1
`

describe('communities', () => {
  test('two triangles joined by one edge are two communities', () => {
    const { of, count, modularity, converged } = communitiesOf(sketch(triangles))
    expect([...of]).toEqual([0, 0, 0, 1, 1, 1])
    expect(count).toBe(2)
    expect(modularity).toBeCloseTo(0.357143, 6)
    expect(converged).toBe(true)
  })

  test('the halves of a bidirectional edge count once, parallel edges add up, a loop stays whole', () => {
    const { offsets, targets, weights } = undirected(
      sketch('A contains B 0.5\nA calls B 0.25\nB calls A 1\nB calls B 2'),
    )
    const between = [...targets]
      .map((u, e) => [e < offsets[1] ? 0 : 1, u, weights[e]])
      .filter(([v, u]) => v === 0 && u === 1)
    expect(between.reduce((sum, [, , weight]) => sum + weight, 0)).toBe(1.75)
    expect([...targets].filter((u, e) => u === 1 && e >= offsets[1])).toHaveLength(1)
  })

  test('a file and what it contains are in one community, whatever its parts call', () => {
    const graph = sketch(
      'till.ts contains pay() 1\ntill.ts contains print() 1\nbank.ts contains charge() 1\nbank.ts contains refund() 1\npay() calls charge() 0.4\nprint() calls pay() 0.4\ncharge() calls refund() 0.4',
    )
    const { of } = communitiesOf(graph)
    const at = (key: string) => of[node(graph, key)]
    expect([at('pay()'), at('print()')]).toEqual([at('till.ts'), at('till.ts')])
    expect([at('charge()'), at('refund()')]).toEqual([at('bank.ts'), at('bank.ts')])
  })

  test('nothing, one node and lone nodes are fine', () => {
    expect(communitiesOf(sketch(''))).toMatchObject({ count: 0, modularity: 0, converged: true })
    expect(communitiesOf(sketch('A\nB'))).toMatchObject({ count: 2, modularity: 0 })
    expect(communitiesOf(sketch('A calls A 1'))).toMatchObject({ count: 1, modularity: 0 })
  })

  test('modularity is what its definition gives for the communities found, and never below one community for all', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(edges, (list) => {
        const graph = sketch(list.map(([a, b]) => `N${a} calls N${b} 1`).join('\n'))
        const matrix = Array.from({ length: graph.nNodes }, () => new Array<number>(graph.nNodes).fill(0))
        for (let v = 0; v < graph.nNodes; v++) {
          for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
            matrix[v][graph.out.targets[e]]++
            matrix[graph.out.targets[e]][v]++
          }
        }
        const degrees = matrix.map((row) => row.reduce((a, b) => a + b, 0))
        const all = degrees.reduce((a, b) => a + b, 0)
        const { of, modularity } = communities(undirected(graph))
        let defined = 0
        for (let i = 0; i < graph.nNodes; i++) {
          for (let j = 0; j < graph.nNodes; j++)
            if (of[i] === of[j]) defined += matrix[i][j] / all - (degrees[i] * degrees[j]) / all ** 2
        }
        expect(modularity).toBeCloseTo(defined, 9)
        expect(modularity).toBeGreaterThan(-1e-9)
      }),
    )
  })
})
