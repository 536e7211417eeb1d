import { describe, expect, test } from 'vitest'
import { CLASS, DIRECTORY, FUNCTION, type Graph, NONE } from '#graph/graph'
import type { Ranked } from '#query/blend'
import { arrows, graphOf, labelIn, nodeIn } from '#query/graph-for-tests'
import { findHoles } from '#query/holes'
import { communitiesOf, regionOf } from '#query/region'

/** A ranking from a text like `a 0.8, b 0.7`. */
function rankingOf(graph: Graph, text: string): Ranked[] {
  return text.split(', ').map((row) => {
    const [label, score] = row.split(' ')
    return { node: nodeIn(graph, label), score: Number(score), dims: [0, 0, 0, 0] }
  })
}

const holesOf = (graph: Graph, ranking: string) => findHoles(graph, rankingOf(graph, ranking)).holes

describe('a quiet node among active ones', () => {
  const graph = graphOf(['a', 'b', 'c', 'd'], arrows('x>a x>b x>c y>a y>d'))

  test('is named with the number and mean of its active neighbours', () => {
    expect(holesOf(graph, 'a 0.8, b 0.7, c 0.65, d 0.2')).toEqual([
      {
        kind: 'inactive',
        type: 'structural_hole',
        node: nodeIn(graph, 'x'),
        end: NONE,
        id: 'x',
        label: 'x',
        reason: '3 activated neighbors (avg=0.72) but node inactive',
        siblingAverage: expect.closeTo(0.716667, 5),
        adjacent: 3,
      },
    ])
  })

  test('counts from a threshold of the caller', () => {
    const found = findHoles(graph, rankingOf(graph, 'a 0.8, b 0.7, c 0.65, d 0.2'), 0.1)
    expect(found.holes.map((it) => it.label)).toEqual(['x', 'y'])
    expect(findHoles(graph, rankingOf(graph, 'a 0.8, b 0.7, c 0.65, d 0.2'), 0.75).total).toBe(0)
  })

  test('may stand in the ranking with next to no activation', () => {
    expect(holesOf(graph, 'a 0.8, b 0.7, x 0.01').map((it) => it.label)).toContain('x')
    expect(holesOf(graph, 'a 0.8, b 0.7, x 0.02').map((it) => it.label)).not.toContain('x')
  })

  test('a parent of many active nodes counts them once', () => {
    const folder = graphOf(
      ['cart.ts', 'total.ts', 'price.ts'],
      [
        ...arrows('shop>cart.ts shop>total.ts', { relation: 'contains', bidirectional: true }),
        ...arrows('shop>price.ts'),
      ],
    )
    expect(holesOf(folder, 'cart.ts 0.8, total.ts 0.6')).toEqual([])
    expect(holesOf(folder, 'cart.ts 0.8, total.ts 0.6, price.ts 0.4')).toMatchObject([
      { label: 'shop', adjacent: 2, siblingAverage: expect.closeTo(0.6) },
    ])
  })

  test('at most ten are shown, the strongest first, and the total is told', () => {
    const many = graphOf(
      [],
      arrows(Array.from({ length: 15 }, (_, i) => `q${i}>a q${i}>b q${i}>${i < 2 ? 'top' : 'b'}`).join(' ')),
    )
    const { holes, total } = findHoles(many, rankingOf(many, 'top 0.9, a 0.5, b 0.5'))
    expect(total).toBe(15)
    expect(holes).toHaveLength(10)
    expect(holes.slice(0, 3).map((it) => it.label)).toEqual(['q0', 'q1', 'q2'])
  })
})

describe('a member without what its siblings have', () => {
  const folder = { label: 'routes/', type: DIRECTORY }
  const inFolder = (label: string) => ({ label, parent: 0 })
  const gapsOf = (graph: Graph, ranking: string) => holesOf(graph, ranking).filter((it) => it.kind === 'gap')

  test('names the call that is missing', () => {
    const handlers = ['list_books', 'lend_book', 'return_book', 'reserve_book']
    const graph = graphOf(
      [folder, ...handlers.map(inFolder), 'validate'],
      arrows('list_books>validate lend_book>validate return_book>validate', { relation: 'calls' }),
    )
    expect(gapsOf(graph, 'list_books 0.6, lend_book 0.9, return_book 0.6, reserve_book 0.8, validate 0.2')).toEqual([
      {
        kind: 'gap',
        type: 'structural_hole',
        node: nodeIn(graph, 'reserve_book'),
        end: nodeIn(graph, 'validate'),
        id: 'structural_hole_1',
        label: 'validate',
        reason: '3 of 4 siblings call validate, reserve_book does not',
        siblingAverage: expect.closeTo(0.7),
        adjacent: 3,
      },
    ])
  })

  test('names the test that is missing', () => {
    const graph = graphOf(
      [folder, ...['books.ts', 'loans.ts', 'fines.ts'].map(inFolder)],
      arrows('books.test.ts>books.ts loans.test.ts>loans.ts', { relation: 'tests' }),
    )
    expect(gapsOf(graph, 'books.ts 0.6, loans.ts 0.6, fines.ts 0.6')).toMatchObject([
      { label: 'tests', reason: '2 of 3 siblings have tests, fines.ts does not' },
    ])
  })

  test('is no gap where fewer than three fifths have it, or all', () => {
    const members = ['a', 'b', 'c', 'd', 'e']
    const nodes = [folder, ...members.map(inFolder), 'validate']
    const ranking = 'a 0.5, b 0.5, c 0.5, d 0.5, e 0.5'
    const calls = (text: string) => graphOf(nodes, arrows(text, { relation: 'calls' }))
    expect(gapsOf(calls('a>validate b>validate'), ranking)).toEqual([])
    expect(gapsOf(calls('a>validate b>validate c>validate'), ranking)).toHaveLength(2)
    expect(gapsOf(calls('a>validate b>validate c>validate d>validate e>validate'), ranking)).toEqual([])
  })

  test('groups of a folder come before communities, which stand in where a folder has fewer than three', () => {
    const graph = graphOf(
      ['a', 'b', 'c', 'validate'],
      [...arrows('a>validate b>validate', { relation: 'calls' }), ...arrows('a>b b>c c>a', { relation: 'references' })],
    )
    expect(gapsOf(graph, 'a 0.5, b 0.5, c 0.5').map((it) => it.reason)).toContain(
      '2 of 3 siblings call validate, c does not',
    )
  })

  test('who holds the shared thing itself does not lack it, and a file counts only where nothing in it does', () => {
    const graph = graphOf(
      [
        folder,
        ...['a.ts', 'b.ts', 'c.ts', 'd.ts', 'failure.ts'].map(inFolder),
        { label: 'onFailure', parent: 5, type: FUNCTION },
      ],
      [
        ...arrows('a.ts>onFailure b.ts>onFailure c.ts>onFailure', { relation: 'imports' }),
        ...arrows('a.ts>failure.ts b.ts>failure.ts c.ts>failure.ts', { relation: 'imports' }),
      ],
    )
    expect(gapsOf(graph, 'a.ts 0.5, b.ts 0.5, c.ts 0.5, d.ts 0.5, failure.ts 0.5').map((it) => it.reason)).toEqual([
      '3 of 4 siblings import onFailure, d.ts does not',
    ])
  })

  test('a file is as active as what is defined in it', () => {
    const names = ['cash.ts', 'card.ts', 'bank.ts', 'points.ts']
    const graph = graphOf(
      [folder, ...names.map(inFolder), { label: 'payPoints', parent: 4, type: FUNCTION }, 'registry.ts'],
      arrows('registry.ts>cash.ts registry.ts>card.ts registry.ts>bank.ts', { relation: 'imports' }),
    )
    expect(gapsOf(graph, 'payPoints 0.9').map((it) => it.reason)).toEqual([
      '3 of 4 siblings are imported by registry.ts, points.ts is not',
    ])
  })

  test('a part of what is active lacks what all other parts have', () => {
    const graph = graphOf(
      [
        folder,
        inFolder('token.ts'),
        { label: 'Token', parent: 1, type: CLASS },
        ...['open', 'close', 'text', 'end'].map((label) => ({ label, parent: 2, type: FUNCTION })),
        'peek',
      ],
      arrows('peek>open peek>close peek>text', { relation: 'references' }),
    )
    expect(gapsOf(graph, 'Token 0.8').map((it) => it.reason)).toEqual([
      '3 of 4 siblings are referenced by peek, end is not',
    ])
  })

  test('the entry of a folder and what makes an object are no siblings of the rest', () => {
    const entry = graphOf(
      [folder, ...['__init__.py', 'cash.py', 'card.py', 'bank.py'].map(inFolder), 'registry.py'],
      arrows('registry.py>cash.py registry.py>card.py registry.py>bank.py', { relation: 'imports' }),
    )
    expect(gapsOf(entry, '__init__.py 0.9, cash.py 0.5, card.py 0.5, bank.py 0.5')).toEqual([])
    const maker = graphOf(
      [
        folder,
        inFolder('Cart.java'),
        { label: 'Cart', parent: 1, type: CLASS },
        ...['Cart', 'add', 'drop', 'pay'].map((label) => ({ label, parent: 2, type: FUNCTION })),
        'check',
      ],
      arrows('add>check drop>check pay>check', { relation: 'calls' }),
    )
    expect(gapsOf(maker, 'add 0.9, drop 0.5, pay 0.5')).toEqual([])
  })

  test('what one alone lacks comes first, errors before mere mention, and further lacks of a node stand back', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const graph = graphOf(
      [folder, ...names.map(inFolder), 'log', 'wrapError', 'Row'],
      [
        ...arrows('a>log b>log c>log d>log', { relation: 'calls' }),
        ...arrows('a>wrapError b>wrapError c>wrapError d>wrapError e>wrapError', { relation: 'calls' }),
        ...arrows('a>Row b>Row c>Row d>Row e>Row', { relation: 'references' }),
      ],
    )
    expect(gapsOf(graph, 'a 0.5, b 0.5, c 0.5, d 0.5, e 0.5, f 0.5').map((it) => it.reason)).toEqual([
      '5 of 6 siblings call wrapError, f does not',
      '4 of 6 siblings call log, e does not',
      '5 of 6 siblings reference Row, f does not',
      '4 of 6 siblings call log, f does not',
    ])
  })

  test('what is both imported and called is lacking once', () => {
    const graph = graphOf(
      [folder, ...['a', 'b', 'c'].map(inFolder), 'errors'],
      [...arrows('a>errors b>errors', { relation: 'imports' }), ...arrows('a>errors b>errors', { relation: 'calls' })],
    )
    expect(gapsOf(graph, 'a 0.5, b 0.5, c 0.5')).toHaveLength(1)
  })
})

describe('a fragile bridge', () => {
  const bridgesOf = (graph: Graph, ranking: string) =>
    holesOf(graph, ranking).filter((it) => it.type === 'fragile_bridge')

  test('is a node whose removal splits the region', () => {
    const graph = graphOf([], arrows('a>b b>c c>a c>door door>x x>y y>z z>x', { relation: 'calls' }))
    const found = bridgesOf(graph, 'a 0.5, b 0.5, c 0.5, door 0.5, x 0.5, y 0.5, z 0.5')
    expect(found.map((it) => it.label)).toEqual(['door', 'c', 'x'])
    expect(found[0]).toMatchObject({
      kind: 'bridge',
      adjacent: 2,
      reason: 'without it 3 of 7 connected nodes lose their connection to the rest',
    })
  })

  test('is no node that only holds leaves, and no folder or file by its contents', () => {
    expect(bridgesOf(graphOf([], arrows('a>b a>c a>d')), 'a 0.5, b 0.5, c 0.5, d 0.5')).toEqual([])
    const contained = graphOf([], arrows('file>a file>b a>x b>y', { relation: 'contains', bidirectional: true }))
    expect(bridgesOf(contained, 'file 0.5, a 0.5, b 0.5, x 0.5, y 0.5')).toEqual([])
  })

  test('is also the only link between two communities that hang together by a detour', () => {
    const clique = (names: string[]) => names.flatMap((from, i) => names.slice(i + 1).map((to) => ({ from, to })))
    const graph = graphOf(
      [],
      [
        ...clique(['a1', 'a2', 'a3', 'a4']),
        ...clique(['b1', 'b2', 'b3', 'b4']),
        ...clique(['c1', 'c2', 'c3', 'c4']),
        ...arrows('a1>b1 b2>c1 c2>a2'),
      ],
    )
    const all = ['a', 'b', 'c'].flatMap((it) => [1, 2, 3, 4].map((i) => `${it}${i} 0.5`)).join(', ')
    const found = bridgesOf(graph, all)
    expect(found).toHaveLength(3)
    expect(found[0].reason).toBe('its link to b1 is the only one between two groups of 4 and 4 nodes')
  })
})

test('communities are the parts that hang together', () => {
  const graph = graphOf([], arrows('a>b b>c c>a c>x x>y y>z z>x'))
  const rows = rankingOf(graph, 'a 1, b 1, c 1, x 1, y 1, z 1')
  const communities = communitiesOf(regionOf(graph, rows))
  const named = Object.fromEntries(rows.map((it, i) => [labelIn(graph, it.node), communities[i]]))
  expect(named.a).toBe(named.b)
  expect(named.b).toBe(named.c)
  expect(named.x).toBe(named.y)
  expect(named.y).toBe(named.z)
  expect(named.a).not.toBe(named.x)
})
