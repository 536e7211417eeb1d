import { describe, expect, test } from 'vitest'
import type { Graph } from '#graph/graph'
import { keyOf } from '#graph/graph'
import { DEFAULT, graphOf, LITERAL, scored } from '#plasticity/graph-for-tests'
import { emptyLearned, judge, type Learned, MEMORY, recall, remember } from '#plasticity/learned'
import { addBoosts, currentBoosts, dropFaded, mergeBoosts, priming, verdicts } from '#plasticity/priming'
import type { Rates } from '#plasticity/weights'

const shop = (): Graph =>
  graphOf([
    ['till', 'imports', 'bank', 0.5],
    ['till', 'imports', 'drawer', 0.5],
    ['door', 'imports', 'bell', 0.5],
  ])

const ann = { text: 'till', agent: 'ann', time: 0 }

function seen(graph: Graph, learned: Learned, seeds: Record<string, number>, activated: Record<string, number>): void {
  learned.queryNumber++
  remember(graph, learned, ann, scored(graph, seeds), scored(graph, activated))
}

function said(graph: Graph, learned: Learned, value: number, seeds: Record<string, number>, keys: string[]): void {
  const nodes = keys.map((key) => scored(graph, { [key]: 1 })[0].node)
  judge(graph, learned, ann, { value, seeds: scored(graph, seeds), nodes })
}

function primed(
  graph: Graph,
  learned: Learned,
  seeds: Record<string, number>,
  rates: Rates,
  strength?: number,
): Record<string, number> {
  const boosts = priming(graph, learned, scored(graph, seeds), rates, strength)
  return Object.fromEntries([...boosts].map(([v, boost]) => [keyOf(graph, v), Math.round(boost * 1e4) / 1e4]))
}

describe('literal policy', () => {
  test('nodes count once for each query that shares a seed, relative to the strongest; seeds do not count', () => {
    const graph = shop()
    const learned = emptyLearned()
    seen(graph, learned, { till: 1 }, { till: 1, bank: 0.9, drawer: 0.2 })
    seen(graph, learned, { till: 1, door: 0.1 }, { bank: 0.9 })
    seen(graph, learned, { door: 1 }, { bell: 1 })
    expect(primed(graph, learned, { till: 1 }, LITERAL)).toEqual({ bank: 0.05, drawer: 0.025 })
    expect(primed(graph, learned, { till: 1 }, LITERAL, 0.2)).toEqual({ bank: 0.2, drawer: 0.1 })
  })

  test('a confirmed node counts twice, a rejected one is subtracted', () => {
    const graph = shop()
    const learned = emptyLearned()
    seen(graph, learned, { till: 1 }, { bank: 1, drawer: 1 })
    said(graph, learned, 1, { till: 1 }, ['bell'])
    said(graph, learned, -1, { till: 1 }, ['drawer'])
    expect(primed(graph, learned, { till: 1 }, LITERAL)).toEqual({ bell: 0.05, bank: 0.025 })
  })

  test('a signal at or under 0.01 is left out', () => {
    const graph = shop()
    const learned = emptyLearned()
    for (let i = 0; i < 5; i++) seen(graph, learned, { till: 1 }, { bank: 1 })
    seen(graph, learned, { till: 1 }, { drawer: 1 })
    expect(primed(graph, learned, { till: 1 }, LITERAL)).toEqual({ bank: 0.05 })
  })
})

describe('default policy', () => {
  test('a confirmed node gets the whole boost, one that was only shown a trace of it', () => {
    const graph = shop()
    const learned = emptyLearned()
    seen(graph, learned, { till: 1 }, { bank: 1, drawer: 1 })
    said(graph, learned, 1, { till: 1 }, ['bell'])
    expect(primed(graph, learned, { till: 1 }, DEFAULT)).toEqual({ bell: 0.05, bank: 0.0014, drawer: 0.0014 })
  })

  test('any number of exposures counts less than one feedback', () => {
    const graph = shop()
    const learned = emptyLearned()
    for (let i = 0; i < 500; i++) seen(graph, learned, { till: 1 }, { bank: 1 })
    said(graph, learned, 1, { till: 1 }, ['bell'])
    expect(primed(graph, learned, { till: 1 }, DEFAULT)).toEqual({ bell: expect.closeTo(0.05, 3), bank: 0.015 })
  })

  test('what was called wrong is not primed, a later confirmation takes that back', () => {
    const graph = shop()
    const learned = emptyLearned()
    seen(graph, learned, { till: 1 }, { bank: 1 })
    said(graph, learned, -1, { till: 1 }, ['bank'])
    expect(primed(graph, learned, { till: 1 }, DEFAULT)).toEqual({})
    said(graph, learned, 1, { till: 1 }, ['bank'])
    expect(primed(graph, learned, { till: 1 }, DEFAULT)).toEqual({ bank: 0.0014 })
  })

  test('a verdict counts half after 1000 queries', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, 1, { till: 1 }, ['bank'])
    learned.queryNumber += 1000
    expect(primed(graph, learned, { till: 1 }, DEFAULT)).toEqual({ bank: 0.025 })
  })
})

describe('verdicts', () => {
  const judged = (graph: Graph, learned: Learned, seeds: Record<string, number>, rates = DEFAULT) =>
    Object.fromEntries(
      [...verdicts(graph, learned, scored(graph, seeds), rates)].map(([v, it]) => [
        keyOf(graph, v),
        Math.round(it * 1e4) / 1e4,
      ]),
    )

  test('lift and sink a node, also a seed, as much as the questions are alike', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, -1, { till: 1, drawer: 0.8 }, ['till'])
    said(graph, learned, 0.5, { till: 1, drawer: 0.8 }, ['bank'])
    expect(judged(graph, learned, { till: 1, drawer: 0.8 })).toEqual({ till: -0.7, bank: 0.15 })
    expect(judged(graph, learned, { till: 1, bell: 0.8 })).toEqual({ till: -0.2692, bank: 0.0577 })
    expect(judged(graph, learned, { till: 0.3, door: 1, bell: 1 })).toEqual({})
  })

  test('are bounded, fade, and cancel each other', () => {
    const graph = shop()
    const learned = emptyLearned()
    for (let i = 0; i < 9; i++) said(graph, learned, 1, { till: 1 }, ['bank'])
    expect(judged(graph, learned, { till: 1 })).toEqual({ bank: 0.3 })
    learned.queryNumber += 4000
    expect(judged(graph, learned, { till: 1 })).toEqual({ bank: expect.closeTo(0.3 / 16, 3) })
    const fresh = emptyLearned()
    said(graph, fresh, -1, { till: 1 }, ['bank'])
    said(graph, fresh, 1, { till: 1 }, ['bank'])
    expect(judged(graph, fresh, { till: 1 })).toEqual({})
  })

  test('about a container hold for its content when it was wrong', () => {
    const graph = graphOf([['till', 'imports', 'bank#Vault', 0.5]])
    const learned = emptyLearned()
    said(graph, learned, -1, { till: 1 }, ['bank'])
    expect(judged(graph, learned, { till: 1 })).toEqual({ bank: -0.7, 'bank#Vault': -0.7 })
  })

  test('do nothing under literal', () => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, -1, { till: 1 }, ['bank'])
    expect(judged(graph, learned, { till: 1 }, LITERAL)).toEqual({})
  })
})

test.each([LITERAL, DEFAULT])(
  'nothing is primed without memory, without seeds and by verdicts without seeds, under $plasticity',
  (rates) => {
    const graph = shop()
    const learned = emptyLearned()
    said(graph, learned, 1, {}, ['bank'])
    expect(primed(graph, learned, { till: 1 }, rates)).toEqual({})
    seen(graph, learned, { till: 1 }, { bank: 1 })
    expect(primed(graph, learned, {}, rates)).toEqual({})
  },
)

test('the memory forgets the oldest query, also for priming', () => {
  const graph = shop()
  const learned = emptyLearned()
  seen(graph, learned, { till: 1 }, { bank: 1 })
  for (let i = 0; i < MEMORY; i++) seen(graph, learned, { door: 1 }, { bell: 1 })
  expect(learned.memory).toHaveLength(MEMORY)
  expect(primed(graph, learned, { till: 1 }, LITERAL)).toEqual({})
  expect(recall(graph, learned, 'nobody asked this')).toBeNull()
})

test('a question of any length is remembered', () => {
  const graph = shop()
  const learned = emptyLearned()
  const text = `where is the till ${'and the bell '.repeat(200)}`
  remember(graph, learned, { text, agent: 'ann', time: 0 }, scored(graph, { till: 1 }), scored(graph, { bank: 1 }))
  expect(recall(graph, learned, text)?.seeds).toHaveLength(1)
})

test('memory survives a new graph that numbers its nodes otherwise; what is gone is skipped until it is back', () => {
  const learned = emptyLearned()
  seen(shop(), learned, { till: 1 }, { bank: 1, drawer: 1 })
  const fewer = graphOf([
    ['bell', 'imports', 'till', 0.5],
    ['till', 'imports', 'bank', 0.5],
  ])
  expect(primed(fewer, learned, { till: 1 }, LITERAL)).toEqual({ bank: 0.05 })
  expect(primed(shop(), learned, { till: 1 }, LITERAL)).toEqual({ bank: 0.05, drawer: 0.05 })
})

describe('boosts', () => {
  test('shrink by a tenth with each processed query and vanish under 0.01', () => {
    const graph = shop()
    const learned = emptyLearned()
    const [{ node: till }] = scored(graph, { till: 1 })
    addBoosts(graph, learned, [[till, 0.15]], 10)
    expect(currentBoosts(graph, learned, 10).get(till)).toBeCloseTo(0.15, 9)
    expect(currentBoosts(graph, learned, 12).get(till)).toBeCloseTo(0.15 * 0.81, 9)
    expect(currentBoosts(graph, learned, 35).get(till)).toBeCloseTo(0.15 * 0.9 ** 25, 9)
    expect(currentBoosts(graph, learned, 36).size).toBe(0)
    dropFaded(learned, 36)
    expect(learned.boosts.size).toBe(0)
  })

  test('a stronger boost stays when a weaker one is given', () => {
    const graph = shop()
    const learned = emptyLearned()
    const [{ node: till }] = scored(graph, { till: 1 })
    addBoosts(graph, learned, [[till, 0.3]], 0)
    addBoosts(graph, learned, [[till, 0.1]], 1)
    expect(currentBoosts(graph, learned, 1).get(till)).toBeCloseTo(0.27, 9)
    addBoosts(graph, learned, [[till, 0.4]], 1)
    expect(currentBoosts(graph, learned, 1).get(till)).toBeCloseTo(0.4, 9)
  })

  test('merge with those from memory: the stronger counts, a rejection is added', () => {
    const merged = mergeBoosts(
      new Map([
        [1, 0.15],
        [2, 0.02],
        [3, 0.1],
      ]),
      new Map([
        [2, 0.05],
        [3, -0.7],
        [4, 0.01],
      ]),
    )
    expect([...merged]).toEqual([
      [1, 0.15],
      [2, 0.05],
      [3, expect.closeTo(-0.6, 9)],
      [4, 0.01],
    ])
  })
})
