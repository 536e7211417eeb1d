import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { names, node, sketch } from '#analysis/sketch'
import { commonDependents, firstPaths, type Path, why } from '#analysis/why'
import type { Graph } from '#graph/graph'

function connect(graph: Graph, from: string, to: string, options: Partial<Parameters<typeof why>[3]> = {}) {
  const { paths, ...rest } = why(graph, node(graph, from), node(graph, to), {
    maxHops: 6,
    includeGuesses: false,
    ...options,
  })
  return {
    ...rest,
    rows: paths.map((it) => [names(graph, it.nodes).join(' '), it.relations.join(' '), Number(it.strength.toFixed(6))]),
    paths,
  }
}

describe('why', () => {
  const graph = sketch(`
    A calls B 0.8
    B imports C 0.85
    A imports D 0.5
    C calls D 0.9
  `)

  test('lists all simple paths by strength and reads edges backwards where they run the other way', () => {
    expect(connect(graph, 'A', 'C')).toMatchObject({
      rows: [
        ['A B C', 'calls imports', 0.68],
        ['A D C', 'imports called_by', 0.45],
      ],
      total: 2,
      exhausted: false,
    })
  })

  test('a path can have as many hops as allowed and no more', () => {
    expect(connect(graph, 'A', 'C', { maxHops: 1 }).rows).toEqual([])
    expect(connect(graph, 'A', 'B', { maxHops: 1 }).rows).toEqual([['A B', 'calls', 0.8]])
  })

  test('a direct edge is among the paths however weak it is', () => {
    const weak = sketch(`
      A calls B 0.8
      B calls C 0.8
      A references C 0.1
    `)
    const { paths } = connect(weak, 'A', 'C')
    expect(firstPaths(paths, 1).map((it) => it.relations)).toEqual([['references']])
    expect(firstPaths(paths, 2).map((it) => it.relations.length)).toEqual([2, 1])
  })

  test('a node is connected to itself by a path without hops', () => {
    expect(connect(graph, 'A', 'A').rows).toEqual([['A', '', 1]])
  })

  test('weights above 1 do not make longer paths stronger', () => {
    expect(connect(sketch('A calls B 3\nB calls C 0.5'), 'A', 'C').rows).toEqual([['A B C', 'calls calls', 0.5]])
  })

  test('changing together is told but is no proof, and an edge of the code comes before it', () => {
    const history = sketch(`
      cart.ts co_changes price.ts 0.5 observed both
      cart.ts calls price.ts 0.4
      till.ts co_changes price.ts 0.5 observed both
    `)
    expect(connect(history, 'cart.ts', 'price.ts').paths[0]).toMatchObject({ relations: ['calls'], proof: true })
    const [path] = connect(history, 'till.ts', 'price.ts').paths
    expect(path).toMatchObject({ relations: ['co_changes'], proof: false, dependence: 'none' })
  })

  test('says which end depends on which, and that a shared folder proves nothing', () => {
    const shop = sketch(`
      shop/ contains cart.ts 0.3
      shop/ contains price.ts 0.3
      shop/ contains log.ts 0.3
      cart.ts contains total() 1
      price.ts contains net() 1
      total() calls net() 0.4
    `)
    const first = (from: string, to: string) => connect(shop, from, to).paths[0]
    expect(first('cart.ts', 'price.ts')).toMatchObject({
      relations: ['contains', 'calls', 'contained_in'],
      dependence: 'source_on_target',
    })
    expect(first('net()', 'cart.ts').dependence).toBe('target_on_source')
    expect(first('cart.ts', 'log.ts')).toMatchObject({ relations: ['contained_in', 'contains'], dependence: 'none' })
  })

  test('a subtype depends on its supertype whichever half of the edge is walked', () => {
    const types = sketch('Card implements Payment 0.7')
    expect(connect(types, 'Card', 'Payment').paths[0]).toMatchObject({
      relations: ['implements'],
      dependence: 'source_on_target',
    })
    expect(connect(types, 'Payment', 'Card').paths[0]).toMatchObject({
      relations: ['implemented_by'],
      dependence: 'target_on_source',
    })
  })

  test('guesses are left out and counted unless wanted', () => {
    const guessed = sketch('A calls B 0.4 guess')
    expect(connect(guessed, 'A', 'B')).toMatchObject({ rows: [], skipped: { guesses: 1 } })
    expect(connect(guessed, 'A', 'B', { includeGuesses: true }).paths[0]).toMatchObject({
      strength: expect.closeTo(0.4),
      proof: false,
    })
  })

  test('a dense graph ends at the limit and says so', () => {
    const lines: string[] = []
    for (let i = 0; i < 14; i++) for (let j = 0; j < i; j++) lines.push(`N${i} calls N${j} 0.9`)
    const found = connect(sketch(lines.join('\n')), 'N0', 'N13')
    expect(found.exhausted).toBe(true)
    expect(found.paths).toHaveLength(50)
    expect(found.total).toBeGreaterThan(50)
  })

  test('a weak short path is found although stronger ways are too long', () => {
    const lines = ['start calls N0 1', 'N0 calls c1 1', 'start calls aside 0.1', 'aside calls end 0.1']
    for (let i = 0; i < 14; i++) for (let j = 0; j < i; j++) lines.push(`N${i} calls N${j} 1`)
    for (let i = 1; i < 8; i++) lines.push(`c${i} calls ${i === 7 ? 'end' : `c${i + 1}`} 1`)
    const found = connect(sketch(lines.join('\n')), 'start', 'end')
    expect(found).toMatchObject({ rows: [['start aside end', 'calls calls', 0.01]], exhausted: true })
  })

  test('that nothing is near enough is sure even where the search for the strongest ended at its limit', () => {
    const lines = ['start calls N0 1']
    for (let i = 0; i < 14; i++) for (let j = 0; j < i; j++) lines.push(`N${i} calls N${j} 1`)
    for (let i = 1; i < 10; i++) lines.push(`${i === 1 ? 'N0' : `c${i - 1}`} calls ${i === 9 ? 'end' : `c${i}`} 1`)
    expect(connect(sketch(lines.join('\n')), 'start', 'end')).toMatchObject({ rows: [], total: 0, exhausted: false })
  })

  test('finds a far target past a crowd of strong neighbours', () => {
    const crowd = Array.from({ length: 3000 }, (_, i) => `hub.ts contains f${i}() 1`)
    const graph = sketch(
      [...crowd, 'hub.ts imports a.ts 0.1', 'a.ts imports b.ts 0.1', 'b.ts imports c.ts 0.1'].join('\n'),
    )
    expect(connect(graph, 'hub.ts', 'c.ts').rows).toEqual([['hub.ts a.ts b.ts c.ts', 'imports imports imports', 0.001]])
  })

  test('agrees with trying every path', () => {
    const edges = fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(edges, fc.integer({ min: 1, max: 5 }), (list, maxHops) => {
        const text = ['N0', 'N1', ...list.map(([a, b, w]) => `N${a} calls N${b} 0.${w}`)].join('\n')
        const graph = sketch(text)
        const fast = connect(graph, 'N0', 'N1', { maxHops })
        expect(fast.total).toBe(everyPath(graph, node(graph, 'N0'), node(graph, 'N1'), maxHops).length)
        const slow = everyPath(graph, node(graph, 'N0'), node(graph, 'N1'), maxHops)
        expect(fast.paths.map(strengthOf)).toEqual(slow.map((it) => Number(it.toFixed(6))))
      }),
      { numRuns: 200 },
    )
  })
})

const strengthOf = (path: Path) => Number(path.strength.toFixed(6))

/** Strengths of all simple paths, strongest first. */
function everyPath(graph: Graph, from: number, to: number, maxHops: number): number[] {
  const best = (a: number, b: number) => {
    let weight = 0
    for (const [x, y] of [
      [a, b],
      [b, a],
    ]) {
      for (let e = graph.out.offsets[x]; e < graph.out.offsets[x + 1]; e++)
        if (graph.out.targets[e] === y) weight = Math.max(weight, graph.weights[e])
    }
    return Math.min(1, weight)
  }
  const found: number[] = []
  const walk = (path: number[], strength: number) => {
    const at = path[path.length - 1]
    if (at === to) {
      found.push(strength)
      return
    }
    if (path.length > maxHops) return
    for (let u = 0; u < graph.nNodes; u++)
      if (!path.includes(u) && best(at, u) > 0) walk([...path, u], strength * best(at, u))
  }
  walk([from], 1)
  return found.sort((a, b) => b - a)
}

describe('common dependents', () => {
  test('are named nearest first', () => {
    const graph = sketch(`
      app.ts imports cart.ts 0.6
      app.ts imports price.ts 0.6
      main.ts imports app.ts 0.6
    `)
    const found = commonDependents(graph, node(graph, 'cart.ts'), node(graph, 'price.ts'), false)
    expect(found.map((it) => [names(graph, [it.node])[0], it.hops])).toEqual([
      ['app.ts', [1, 1]],
      ['main.ts', [2, 2]],
    ])
  })
})
