import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { removal, synergy, synergyFactor } from '#analysis/counterfactual'
import { names, node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'

const chain = sketch(`
  b.ts imports a.ts 0.5
  c.ts imports b.ts 0.5
  d.ts imports b.ts 0.5
  e.ts
`)

function remove(graph: Graph, ...keys: string[]) {
  const options = { includeGuesses: false, withParts: true, containment: 'parts' } as const
  const { hits, orphaned, ...rest } = removal(
    graph,
    keys.map((key) => node(graph, key)),
    options,
  )
  const depths: Record<string, number> = {}
  for (const it of hits) depths[names(graph, [it.node])[0]] = it.depth
  return { ...rest, depths, orphaned: names(graph, orphaned) }
}

describe('removal', () => {
  test('of a leaf that others stand on cascades to all of them and loses no other activation', () => {
    expect(remove(chain, 'a.ts')).toMatchObject({
      depths: { 'b.ts': 1, 'c.ts': 2, 'd.ts': 2 },
      activationLost: 0,
      orphaned: [],
    })
  })

  test('of the middle orphans its neighbours and loses everything', () => {
    expect(remove(chain, 'b.ts')).toMatchObject({
      depths: { 'c.ts': 1, 'd.ts': 1 },
      activationLost: 1,
      trials: 3,
      orphaned: ['a.ts', 'c.ts', 'd.ts'],
      weakened: [],
      reachableBefore: 4,
      reachableAfter: 1,
    })
    expect(remove(chain, 'b.ts').totalImpact).toBeCloseTo(0.3025 / 3, 6)
  })

  test('of what much hangs on is told as architectural, with how many trials say so', () => {
    const hub = sketch(
      Array.from({ length: 6 }, (_, i) => `f${i}.ts imports hub.ts 1\nhub.ts imports g${i}.ts 1`).join('\n'),
    )
    expect(remove(hub, 'hub.ts')).toMatchObject({ architectural: true, confidence: 1 })
    expect(remove(hub, 'f1.ts').architectural).toBe(false)
    // too few edges
    expect(remove(chain, 'b.ts')).toMatchObject({ architectural: false, confidence: 3 / 8 })
  })

  test('of a top that nothing uses changes nothing', () => {
    expect(remove(chain, 'c.ts')).toMatchObject({ depths: {}, activationLost: 0 })
  })

  test('the cascade is that of the whole set', () => {
    expect(remove(chain, 'a.ts', 'b.ts').depths).toEqual({ 'c.ts': 1, 'd.ts': 1 })
  })

  test('a file takes its functions with it, and its folder and siblings stay untouched', () => {
    const shop = sketch(`
      shop/ contains price.ts 0.3
      shop/ contains cart.ts 0.3
      price.ts contains net() 1
      cart.ts contains total() 1
      cart.ts contains clear() 1
      total() calls net() 0.4
    `)
    const found = remove(shop, 'price.ts')
    expect(names(shop, [...found.removed])).toEqual(['price.ts', 'net()'])
    expect(found.depths).toEqual({ 'total()': 1, 'cart.ts': 1 })
    expect(found.orphaned).toEqual([])
  })

  test('a file that names something as a text is hit, and what uses that file is not', () => {
    const named = sketch(`
      settings.py names till.py 0.15
      main.py imports settings.py 0.6
    `)
    expect(remove(named, 'till.py').depths).toEqual({ 'settings.py': 1 })
  })

  test('leaves the graph as it was, and removing nothing changes nothing', () => {
    const weights = chain.weights.slice()
    remove(chain, 'b.ts')
    expect(chain.weights).toEqual(weights)
    expect(remove(chain)).toMatchObject({ activationLost: 0, depths: {}, orphaned: [], weakened: [] })
  })

  test('of everything leaves nothing to reach', () => {
    expect(remove(chain, 'a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts')).toMatchObject({
      reachableBefore: 0,
      reachableAfter: 0,
      trials: 0,
      depths: {},
    })
  })

  test('a node is weakened when it loses more than half of what reached it', () => {
    const graph = sketch(`
      till.ts imports cart.ts 1
      cart.ts imports price.ts 1
      till.ts imports price.ts 0.1
    `)
    const { weakened } = remove(graph, 'cart.ts')
    expect(weakened.map((it) => names(graph, [it.node])[0])).toEqual(['till.ts', 'price.ts'])
  })

  test('removing a node twice equals once, and shares stay between 0 and 1', () => {
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(edges, fc.nat(7), (list, pick) => {
        const graph = sketch(list.map(([a, b, w]) => `N${a} imports N${b} 0.${w}`).join('\n'))
        const v = pick % graph.nNodes
        const options = { includeGuesses: false, withParts: true, containment: 'parts' } as const
        const once = removal(graph, [v], options)
        expect(removal(graph, [v, v], options)).toEqual(once)
        expect(once.activationLost).toBeGreaterThanOrEqual(0)
        expect(once.activationLost).toBeLessThanOrEqual(1)
        expect(once.reachableAfter).toBeLessThanOrEqual(once.reachableBefore)
      }),
    )
  })
})

describe('synergy', () => {
  test('is the loss of all against the sum of the single losses', () => {
    expect(synergyFactor([0.2, 0.1], 0.45)).toBeCloseTo(1.5, 9)
    expect(synergyFactor([0, 0], 0)).toBe(1)
    expect(synergyFactor([0.001, 0], 1)).toBe(10)
  })

  test('two ways that stand in for each other back each other up', () => {
    const graph = sketch(`
      till.ts imports cash.ts 1
      till.ts imports card.ts 0.8
      cash.ts imports bank.ts 1
      card.ts imports bank.ts 1
    `)
    const nodes = [node(graph, 'cash.ts'), node(graph, 'card.ts')]
    const combined = remove(graph, 'cash.ts', 'card.ts').activationLost
    const { individual, factor } = synergy(graph, nodes, combined, { withParts: true })
    expect(individual.map((it) => it.node)).toEqual(nodes)
    expect(factor).toBeGreaterThan(1)
  })
})
