import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reach, type ReachOptions } from '#analysis/reach'
import { names, node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'

const OPTIONS: ReachOptions = { maxHops: 5, includeGuesses: false, containment: 'parts', pathBudget: 1000 }

function paths(graph: Graph, from: string, to: string, over: Partial<ReachOptions> = {}): string[] {
  const found = reach(graph, node(graph, from), node(graph, to), { ...OPTIONS, ...over })
  return found.paths.map((it) => names(graph, it.nodes).join(' > '))
}

const helpers = sketch(`
  worker.ts contains work() 1
  helper.ts contains post() 1
  helper.ts contains idle() 1
  messaging.ts contains send() 1
  clock.ts contains now() 1
  work() calls post() 0.4
  post() calls send() 0.4
  idle() calls now() 0.4
  helper.ts imports messaging.ts 0.5
`)

describe('reach', () => {
  test('finds a dependency over a helper, and folds parts into the files asked for', () => {
    const { paths: found } = reach(helpers, node(helpers, 'worker.ts'), node(helpers, 'messaging.ts'), OPTIONS)
    expect(found.map((it) => names(helpers, it.nodes))).toEqual([
      ['worker.ts', 'helper.ts', 'messaging.ts'],
      ['worker.ts', 'post()', 'messaging.ts'],
    ])
    expect(found[0].relations).toEqual(['calls', 'imports'])
    expect(found[0].weight).toBeCloseTo(0.2)
  })

  test('a text that names something is a dependence of its file alone, and closes no circle', () => {
    const graph = sketch(`
      main.py imports settings.py 0.6
      settings.py names till.py 0.15
      till.py imports settings.py 0.6
    `)
    expect(paths(graph, 'settings.py', 'till.py')).toEqual(['settings.py > till.py'])
    expect(paths(graph, 'main.py', 'till.py')).toEqual([])
    expect(paths(graph, 'till.py', 'till.py')).toEqual([])
  })

  test('has a direction', () => {
    expect(paths(helpers, 'messaging.ts', 'worker.ts')).toEqual([])
  })

  test('using one part of a file is not using what its other parts use', () => {
    expect(paths(helpers, 'worker.ts', 'clock.ts')).toEqual([])
    expect(paths(helpers, 'worker.ts', 'clock.ts', { containment: 'both' })).not.toEqual([])
  })

  test('importing a file is not using each of its definitions, but what they use counts', () => {
    const graph = sketch(`
      b.ts contains f() 1
      b.ts contains g() 1
      c.ts contains h() 1
      a.ts imports b.ts 0.5
      g() calls h() 0.4
    `)
    expect(paths(graph, 'a.ts', 'f()')).toEqual([])
    expect(paths(graph, 'a.ts', 'h()')).toEqual(['a.ts > b.ts > h()'])
    expect(paths(graph, 'a.ts', 'f()', { containment: 'both' })).not.toEqual([])
  })

  test('a method is reached with its class and file, a folder with its files', () => {
    const graph = sketch(`
      lib/ contains pool.ts 0.3
      pool.ts contains Pool 1
      Pool contains acquire() 1
      main.ts calls acquire() 0.4
    `)
    for (const whole of ['acquire()', 'Pool', 'pool.ts', 'lib/']) expect(paths(graph, 'main.ts', whole)).toHaveLength(1)
  })

  test('a function does not answer for its file', () => {
    const graph = sketch(`
      a.ts contains f() 1
      a.ts contains g() 1
      a.ts imports b.ts 0.5
      f() calls g() 0.4
    `)
    expect(paths(graph, 'a.ts', 'b.ts')).toEqual(['a.ts > b.ts'])
    expect(paths(graph, 'f()', 'b.ts')).toEqual([])
  })

  test('history, neighbourhood, dead code, and guesses unless asked for prove nothing', () => {
    const graph = sketch(`
      a.ts co_changes b.ts 0.5 observed
      a.ts sibling b.ts 0.1
      a.ts imports b.ts 0.5 unreachable
      a.ts calls b.ts 0.2 guess
    `)
    const { paths: none, skipped } = reach(graph, node(graph, 'a.ts'), node(graph, 'b.ts'), OPTIONS)
    expect(none).toEqual([])
    expect(skipped).toEqual({ guesses: 1, unreachable: 1 })
    expect(paths(graph, 'a.ts', 'b.ts', { includeGuesses: true })).toEqual(['a.ts > b.ts'])
  })

  test('only the subtype depends on its supertype', () => {
    const graph = sketch('Circle implements Shape 0.7')
    expect(paths(graph, 'Circle', 'Shape')).toHaveLength(1)
    expect(paths(graph, 'Shape', 'Circle')).toEqual([])
  })

  test('ends at the limit of hops', () => {
    const chain = sketch('a.ts imports b.ts 1\nb.ts imports c.ts 1\nc.ts imports d.ts 1')
    expect(paths(chain, 'a.ts', 'd.ts', { maxHops: 2 })).toEqual([])
    expect(paths(chain, 'a.ts', 'd.ts', { maxHops: 3 })).toEqual(['a.ts > b.ts > c.ts > d.ts'])
  })

  test('tells when the budget ended it', () => {
    const star = sketch(
      Array.from({ length: 200 }, (_, i) => `a.ts imports x${i}.ts 1\nx${i}.ts imports y.ts 1`).join('\n'),
    )
    const found = reach(star, node(star, 'a.ts'), node(star, 'y.ts'), { ...OPTIONS, pathBudget: 1 })
    expect(found).toMatchObject({ exhausted: true, paths: [], explored: 50 })
    expect(paths(star, 'a.ts', 'y.ts')).toHaveLength(200)
  })

  test('from a node to itself finds a circle that leaves it', () => {
    const graph = sketch(`
      a.ts contains f() 1
      b.ts contains g() 1
      f() calls g() 0.4
      b.ts imports a.ts 0.5
      f() calls f() 0.4
      c.ts contains h() 1
      c.ts contains i() 1
      h() calls i() 0.4
      i() calls h() 0.4
    `)
    expect(paths(graph, 'a.ts', 'a.ts')).toEqual(['a.ts > b.ts > a.ts'])
    expect(paths(graph, 'c.ts', 'c.ts')).toEqual([])
    expect(paths(graph, 'h()', 'h()')).toEqual(['h() > i() > h()'])
  })

  test('agrees with a plain search on graphs of files', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 })
    fc.assert(
      fc.property(edges, fc.integer({ min: 1, max: 6 }), (pairs, maxHops) => {
        const lines = pairs.map(([a, b]) => `f${a}.ts imports f${b}.ts 1`)
        const graph = sketch(['f0.ts', 'f9.ts', ...lines].join('\n'))
        let front = new Set([0])
        let hops = -1
        for (let hop = 1; hop <= maxHops && hops < 0; hop++) {
          front = new Set(pairs.filter(([a, b]) => front.has(a) && a !== b).map(([, b]) => b))
          if (front.has(9)) hops = hop
        }
        const found = reach(graph, node(graph, 'f0.ts'), node(graph, 'f9.ts'), { ...OPTIONS, maxHops })
        expect(found.paths[0]?.relations.length ?? -1).toBe(hops)
        for (const { nodes, slots } of found.paths) {
          expect(new Set(nodes).size).toBe(nodes.length)
          slots.forEach((e, i) => expect(graph.out.targets[e]).toBe(nodes[i + 1]))
        }
      }),
    )
  })
})
