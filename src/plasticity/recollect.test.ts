import { describe, expect, test } from 'vitest'
import { type Graph, keyOf } from '#graph/graph'
import { DEFAULT, graphOf, LITERAL, scored } from '#plasticity/graph-for-tests'
import { fromJson, toJson } from '#plasticity/exchange'
import { emptyLearned, judge, type Learned } from '#plasticity/learned'
import { recollect } from '#plasticity/recollect'
import { undo } from '#plasticity/undo'

const shop = (): Graph =>
  graphOf([
    ['till', 'imports', 'bank#pay', 0.5],
    ['till', 'imports', 'drawer', 0.5],
  ])
const REFUND = [
  { term: 'refund', weight: 0.8 },
  { term: 'money', weight: 0.6 },
]
const MONEY = [{ term: 'money', weight: 1 }]

function said(graph: Graph, learned: Learned, value: number, keys: string[], agent = 'ann'): void {
  const nodes = keys.map((key) => scored(graph, { [key]: 1 })[0].node)
  judge(graph, learned, { text: '', agent, time: 0 }, { value, seeds: [], words: REFUND, nodes })
}

function recalled(graph: Graph, learned: Learned, words = REFUND, rates = DEFAULT): Record<string, number> {
  const found = recollect(graph, learned, words, rates)
  return Object.fromEntries([...found].map(([v, value]) => [keyOf(graph, v), Math.round(value * 1e3) / 1e3]))
}

describe('what was said about answers', () => {
  test('holds as far as questions share words', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, 1, ['till'])
    expect(recalled(graph, learned)).toEqual({ till: 1 })
    expect(recalled(graph, learned, MONEY)).toEqual({ till: 0.6 })
    expect(recalled(graph, learned, [{ term: 'door', weight: 1 }])).toEqual({})
    expect(recalled(graph, learned, [])).toEqual({})
    expect(recalled(graph, learned, REFUND, LITERAL)).toEqual({})
  })

  test('is divided among the files it is about, and includes the file around a definition', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, 1, ['till', 'bank#pay'])
    const half = expect.closeTo(Math.SQRT1_2, 3)
    expect(recalled(graph, learned)).toEqual({ till: half, bank: half, 'bank#pay': half })
  })

  test('is between -1 and 1, and a wrong definition says less about its file', () => {
    const graph = shop()
    const learned = emptyLearned()
    for (let i = 0; i < 5; i++) said(graph, learned, 1, ['till'])
    said(graph, learned, -1, ['bank#pay'])
    said(graph, learned, -0.5, ['drawer'])
    expect(recalled(graph, learned)).toEqual({ till: 1, bank: -0.5, 'bank#pay': -1, drawer: -0.5 })
  })

  test('fades to half in 1000 queries', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, 1, ['till'])
    learned.queryNumber += 1000
    expect(recalled(graph, learned)).toEqual({ till: 0.5 })
  })

  test('survives a save, and goes with its agent', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, 1, ['till'])
    said(graph, learned, 1, ['drawer'], 'bob')
    const again = fromJson(JSON.stringify(toJson(learned, graph)), graph).learned
    expect(recalled(graph, again)).toEqual({ till: 1, drawer: 1 })
    undo(graph, again, { scope: 'agent', agent: 'bob' }, { text: '', agent: 'ann', time: 0 }, DEFAULT)
    expect(recalled(graph, again)).toEqual({ till: 1 })
    undo(
      graph,
      again,
      { scope: 'nodes', nodes: [scored(graph, { till: 1 })[0].node] },
      { text: '', agent: 'ann', time: 0 },
      DEFAULT,
    )
    expect(recalled(graph, again)).toEqual({})
  })
})
