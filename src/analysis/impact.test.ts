import { describe, expect, test } from 'vitest'
import { causalChains } from '#analysis/chains'
import { type ContainmentRule, impact } from '#analysis/impact'
import { names, node, sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'

const chain = sketch(`
  b.ts imports a.ts 0.5
  c.ts imports b.ts 0.5
  d.ts imports b.ts 0.5
`)

function radius(graph: Graph, key: string, options: Partial<Parameters<typeof impact>[2]> = {}) {
  const { affected, ...rest } = impact(graph, node(graph, key), {
    direction: 'forward',
    depth: 3,
    includeGuesses: false,
    containment: 'parts',
    ...options,
  })
  return { ...rest, rows: affected.map((it) => [names(graph, [it.node])[0], Number(it.signal.toFixed(6)), it.hops]) }
}

const reached = (graph: Graph, key: string, containment: ContainmentRule = 'parts') =>
  radius(graph, key, { containment }).rows.map(([name]) => name)

describe('impact', () => {
  test('reaches dependents with a signal that fades by weight and hop', () => {
    const { rows, totalEnergy, maxHops } = radius(chain, 'a.ts')
    expect(rows).toEqual([
      ['b.ts', 0.275, 1],
      ['c.ts', 0.075625, 2],
      ['d.ts', 0.075625, 2],
    ])
    expect(totalEnergy).toBeCloseTo(0.42625, 6)
    expect(maxHops).toBe(2)
  })

  test('reverse tells what a file relies on, and nothing depends on a leaf', () => {
    expect(radius(chain, 'c.ts', { direction: 'reverse' }).rows).toEqual([
      ['b.ts', 0.275, 1],
      ['a.ts', 0.075625, 2],
    ])
    expect(radius(chain, 'c.ts').rows).toEqual([])
  })

  test('both directions are united with the larger signal', () => {
    const { rows } = radius(chain, 'b.ts', { direction: 'both' })
    expect(rows).toEqual([
      ['a.ts', 0.275, 1],
      ['c.ts', 0.275, 1],
      ['d.ts', 0.275, 1],
    ])
  })

  test('a longer way wins when it is stronger', () => {
    const graph = sketch(`
      till.ts imports price.ts 0.1
      cart.ts imports price.ts 1
      till.ts imports cart.ts 1
    `)
    expect(radius(graph, 'price.ts').rows).toEqual([
      ['cart.ts', 0.55, 1],
      ['till.ts', 0.3025, 2],
    ])
  })

  test('stops at the depth asked for', () => {
    expect(radius(chain, 'a.ts', { depth: 1 }).rows).toEqual([['b.ts', 0.275, 1]])
  })

  const shop = sketch(`
    shop/ contains price.ts 0.3
    shop/ contains cart.ts 0.3
    price.ts contains Price 1
    Price contains net() 1
    price.ts contains round() 1
    cart.ts contains total() 1
    cart.ts contains clear() 1
    total() calls net() 0.4
    shop/ contains price.test.ts 0.3
    price.test.ts tests price.ts 0.5
  `)

  test('the users of its parts count for a file, and its own parts are not listed', () => {
    expect(radius(shop, 'price.ts')).toMatchObject({
      rows: [
        ['price.test.ts', 0.275, 1],
        ['total()', 0.06655, 2],
        ['cart.ts', 0.036603, 2],
      ],
      parts: [node(shop, 'Price'), node(shop, 'round()'), node(shop, 'net()')],
    })
  })

  test('a function affects its callers, their files and its tests, but not its siblings', () => {
    expect(reached(shop, 'net()')).toEqual(['total()', 'cart.ts', 'price.test.ts'])
  })

  test('containment in both directions also goes through directories to all siblings', () => {
    expect(reached(shop, 'net()', 'both')).toEqual([
      'Price',
      'price.ts',
      'total()',
      'round()',
      'cart.ts',
      'price.test.ts',
      'clear()',
      'shop/',
    ])
  })

  test('an edge that is too light to pass anything on is counted', () => {
    const graph = sketch('a.ts imports hub.ts 0.01\nb.ts imports hub.ts 0.02\nc.ts imports b.ts 0.5')
    const found = radius(graph, 'hub.ts')
    expect(found).toMatchObject({ rows: [['b.ts', 0.011, 1]], faint: 1 })
    expect(radius(chain, 'a.ts').faint).toBe(0)
  })

  test('a change of a folder is one of every file in it, however deep', () => {
    const graph = sketch(`
      src/ contains src/shop/ 0.3
      src/shop/ contains price.ts 0.3
      src/shop/ contains cart.ts 0.3
      price.ts contains net() 1
      cart.ts imports price.ts 0.6
      web/ contains till.ts 0.3
      till.ts imports cart.ts 0.6
      till.ts contains pay() 1
      pay() calls net() 0.4
      door.ts imports till.ts 0.6
    `)
    const { rows, parts, between } = radius(graph, 'src/')
    expect(rows).toEqual([
      ['till.ts', 0.33, 1],
      ['pay()', 0.121, 1],
      ['door.ts', 0.1089, 2],
    ])
    expect(names(graph, parts).sort()).toEqual(['cart.ts', 'net()', 'price.ts', 'src/shop/'])
    expect(
      names(
        graph,
        between.map((it) => it.node),
      ).sort(),
    ).toEqual(['cart.ts', 'net()', 'price.ts', 'src/shop/'])
    expect(radius(graph, 'src/', { direction: 'reverse' }).rows).toEqual([])
    expect(radius(graph, 'web/', { direction: 'reverse' }).rows.map(([name]) => name)).toEqual([
      'cart.ts',
      'net()',
      'price.ts',
    ])
    // by the plain rule a folder hands on 0.3 · 0.55
    expect(radius(graph, 'src/', { containment: 'both' }).rows.map(([name]) => name)).not.toContain('till.ts')
  })

  test('a subtype is affected by its supertype and not the other way round', () => {
    const graph = sketch('Card implements Payment 0.7')
    expect(reached(graph, 'Payment')).toEqual(['Card'])
    expect(reached(graph, 'Card')).toEqual([])
  })

  test('guesses, dead code, history and replacements carry nothing, and what was left out is counted', () => {
    const graph = sketch(`
      a.ts calls price.ts 0.4 guess
      b.ts calls price.ts 0.4 unreachable
      c.ts co_changes price.ts 0.5 observed both
      price.ts replaces old.ts 1 inhibitory
    `)
    expect(radius(graph, 'price.ts')).toMatchObject({ rows: [], skipped: { guesses: 1, unreachable: 1 } })
    expect(radius(graph, 'price.ts', { includeGuesses: true }).rows).toEqual([['a.ts', 0.22, 1]])
  })

  test('a file that names something as a text is affected, and what uses that file is not', () => {
    const named = sketch(`
      settings.py names till.py 0.15
      main.py imports settings.py 0.6
      test.py tests settings.py 0.5
      load() names till.py 0.15
      run() calls load() 0.4
    `)
    expect(reached(named, 'till.py').toSorted()).toEqual(['load()', 'run()', 'settings.py', 'test.py'])
  })

  test('boosts only order what is equally strong', () => {
    const boosts = new Map([[node(chain, 'd.ts'), 0.9]])
    expect(radius(chain, 'a.ts', { boosts }).rows.map(([name]) => name)).toEqual(['b.ts', 'd.ts', 'c.ts'])
  })
})

describe('causal chains', () => {
  const options = { direction: 'dependents', includeGuesses: false, containment: 'parts' } as const
  const shown = (graph: Graph, key: string) =>
    causalChains(graph, node(graph, key), options).chains.map((it) => [
      names(graph, it.nodes).join(' '),
      it.relations.join(' '),
      Number(it.strength.toFixed(6)),
    ])

  test('follow influence and name the relations as they are read', () => {
    expect(shown(chain, 'a.ts')).toEqual([
      ['a.ts b.ts', 'imported_by', 0.6],
      ['a.ts b.ts c.ts', 'imported_by imported_by', 0.36],
      ['a.ts b.ts d.ts', 'imported_by imported_by', 0.36],
    ])
  })

  test('go down to the parts that are used, and never merely name parts', () => {
    const graph = sketch(`
      price.ts contains net() 1
      price.ts contains gross() 1
      total() calls net() 0.4
      cart.ts contains total() 1
    `)
    expect(shown(graph, 'price.ts')).toEqual([['price.ts net() total()', 'contains called_by', 0.4]])
  })

  test('say when a crowd of parts used up the search', () => {
    const parts = Array.from({ length: 10_100 }, (_, i) => `price.ts contains f${i}() 1`)
    const graph = sketch([...parts, 'total() calls f0() 0.4', 'cart.ts imports total() 0.5'].join('\n'))
    expect(causalChains(graph, node(graph, 'price.ts'), options).exhausted).toBe(true)
    expect(causalChains(chain, node(chain, 'a.ts'), options).exhausted).toBe(false)
  })

  test('end at 6 hops and below a strength of 0.1', () => {
    const long = sketch(
      'b.ts registers a.ts 1\nc.ts imports b.ts 1\nd.ts imports c.ts 1\ne.ts imports d.ts 1\nf.ts imports e.ts 1',
    )
    expect(shown(long, 'a.ts').map(([path]) => path)).toEqual([
      'a.ts b.ts',
      'a.ts b.ts c.ts',
      'a.ts b.ts c.ts d.ts',
      'a.ts b.ts c.ts d.ts e.ts',
    ])
  })
})

test('no edges, a loop and a crowd are no trouble', () => {
  const graph = sketch(
    ['lone.ts', 'loop.ts calls loop.ts 1', ...Array.from({ length: 5000 }, (_, i) => `f${i}() calls hub() 0.4`)].join(
      '\n',
    ),
  )
  expect(radius(graph, 'lone.ts').rows).toEqual([])
  expect(radius(graph, 'loop.ts', { direction: 'both' }).rows).toEqual([])
  expect(radius(graph, 'hub()').rows).toHaveLength(5000)
  expect(radius(graph, 'f7()', { direction: 'reverse' }).rows).toEqual([['hub()', 0.22, 1]])
})
