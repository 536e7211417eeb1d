import { describe, expect, test } from 'vitest'
import { affinity, confidenceOf } from '#analysis/affinity'
import { hopsFrom, pathsTo } from '#analysis/neighbours'
import { coherence, DEFAULT_WEIGHTS, findRoutes, openLens, type RouteOptions, scoreOf } from '#analysis/routes'
import { names, node, sketch } from '#analysis/sketch'
import { suggest } from '#analysis/suggest'
import { type Graph, keyOf, NONE } from '#graph/graph'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'

const indexesOf = (graph: Graph) => ({ semantic: buildSemantic(graph), cochange: buildCoChange(graph, []) })

function routesAt(graph: Graph, focus: string, more: Partial<RouteOptions> = {}) {
  const at = node(graph, focus)
  const { routes, ...rest } = findRoutes(graph, indexesOf(graph), {
    focus: at,
    anchor: NONE,
    query: '',
    lens: openLens(50),
    visited: new Set([at]),
    last: null,
    activation: 'calibrated',
    mayAsk: () => true,
    ...more,
  })
  return { ...rest, routes, by: new Map(routes.map((it) => [keyOf(graph, it.target), it])) }
}

const SHOP = `till.py contains pay()
till.py contains refund()
bank.py contains authorise()
pay() calls authorise() 0.4
refund() calls authorise() 0.2
app.py imports till.py 0.6
web.py imports app.py 0.6
shop/ contains till.py
shop/ contains bank.py`

describe('routes', () => {
  test('lead along edges in both directions, and say by which', () => {
    const { by } = routesAt(sketch(SHOP), 'authorise()')
    expect(by.get('pay()')).toMatchObject({ family: 'structural_neighbor', relation: 'calls', path: { length: 2 } })
    expect(by.get('pay()')?.reason).toBe('authorise called_by pay')
    expect(by.get('app.py')?.family).not.toBe('structural_neighbor')
  })

  test('with plain numbers rank containment by its weight, calibrated below the strongest edges', () => {
    const graph = sketch(SHOP)
    const plain = routesAt(graph, 'authorise()', { activation: 'seed' }).by
    expect(plain.get('pay()')?.breakdown.local_activation).toBeCloseTo(0.4)
    expect(plain.get('bank.py')?.breakdown.local_activation).toBe(1)
    const calibrated = routesAt(graph, 'authorise()').by
    expect(calibrated.get('pay()')?.breakdown.local_activation).toBe(1)
    expect(calibrated.get('refund()')?.breakdown.local_activation).toBeCloseTo(0.5)
    expect(calibrated.get('bank.py')?.breakdown.local_activation).toBe(0.5)
  })

  test('never offer folders, nor lead over them', () => {
    const graph = sketch(SHOP)
    const { by } = routesAt(graph, 'till.py')
    expect(by.has('shop/')).toBe(false)
    const paths = pathsTo(graph, node(graph, 'till.py'), new Set([node(graph, 'bank.py')]), 4)
    const path = paths.get(node(graph, 'bank.py')) ?? []
    expect(names(graph, path)).toEqual(['till.py', 'pay()', 'authorise()', 'bank.py'])
    expect(hopsFrom(graph, node(graph, 'web.py'), 8, new Set(path))[node(graph, 'bank.py')]).toBe(5)
  })

  test('what is only contained leaves room for the rest', () => {
    const parts = Array.from({ length: 30 }, (_, i) => `till.py contains part${i}()`).join('\n')
    const users = Array.from({ length: 30 }, (_, i) => `user${i}.py imports till.py 0.1`).join('\n')
    const graph = sketch(`${parts}\n${users}`)
    const { routes } = routesAt(graph, 'till.py', { lens: openLens(12), activation: 'seed' })
    expect(routes).toHaveLength(12)
    expect(routes.filter((it) => keyOf(graph, it.target).includes('()'))).toHaveLength(4)
  })

  test('are the same whatever was visited, but for what is new', () => {
    const graph = sketch(SHOP)
    const visited = new Set(['authorise()', 'pay()'].map((it) => node(graph, it)))
    const before = routesAt(graph, 'authorise()').by
    const after = routesAt(graph, 'authorise()', { visited }).by
    expect(after.get('pay()')?.breakdown.novelty).toBe(0)
    expect(after.get('pay()')?.id).toBe(before.get('pay()')?.id)
  })

  test('name the sources that the budget left out', () => {
    const { sourcesChecked, sourcesFailed } = routesAt(sketch(SHOP), 'pay()', { mayAsk: (calls) => calls === 0 })
    expect(sourcesChecked).toEqual(['structural'])
    expect(sourcesFailed).toEqual(['causal', 'semantic', 'co_change', 'ghost', 'hole', 'resonance'])
  })
})

describe('the score of a route', () => {
  const all = { local_activation: 1, path_coherence: 1, novelty: 1, anchor_relevance: 1, continuity: 1 }

  test('is 1 when everything is, whatever does not apply', () => {
    expect(scoreOf(all, DEFAULT_WEIGHTS)).toBeCloseTo(1)
    expect(scoreOf({ ...all, anchor_relevance: null }, DEFAULT_WEIGHTS)).toBeCloseTo(1)
    expect(scoreOf({ ...all, continuity: null }, DEFAULT_WEIGHTS)).toBeCloseTo(1)
    expect(scoreOf({ ...all, anchor_relevance: null, continuity: null }, DEFAULT_WEIGHTS)).toBeCloseTo(1)
  })

  test('without an anchor gives 0.10 of its weight to what is near and 0.05 to what is new', () => {
    const none = { local_activation: 0, path_coherence: 0, novelty: 0, anchor_relevance: null, continuity: 0 }
    expect(scoreOf({ ...none, local_activation: 1 }, DEFAULT_WEIGHTS)).toBeCloseTo(0.45)
    expect(scoreOf({ ...none, novelty: 1 }, DEFAULT_WEIGHTS)).toBeCloseTo(0.2)
  })

  test('takes the geometric mean of a path, less for each further edge', () => {
    expect(coherence([{ weight: 0.4 }])).toBeCloseTo(0.4)
    expect(coherence([{ weight: 0.9 }, { weight: 0.4 }])).toBeCloseTo(0.6 / 1.1)
    expect(coherence(null)).toBe(0)
  })
})

describe('likely neighbours', () => {
  test('share neighbours with the target and have no edge to it', () => {
    const graph = sketch(`a() calls x()
a() calls y()
a() calls z()
b() calls x()
b() calls y()
b() calls z()
c() calls x()
a() calls d()`)
    const target = node(graph, 'a()')
    const { found, truncated } = affinity(graph, indexesOf(graph), target, {
      path: [target],
      most: 8,
      isOver: () => false,
    })
    expect(truncated).toBe(false)
    expect(keyOf(graph, found[0].node)).toBe('b()')
    expect(
      names(
        graph,
        found.map((it) => it.node),
      ),
    ).not.toContain('d()')
    expect(names(graph, found[0].shared)).toEqual(['x()', 'y()', 'z()'])
    const none = affinity(graph, indexesOf(graph), target, { path: [target], most: 8, isOver: () => true })
    expect(none).toEqual({ found: [], truncated: true })
  })

  test('are as sure as the mean of what speaks for them, and never very sure', () => {
    expect(confidenceOf([0.9, 0.4])).toBeCloseTo(0.6)
    expect(confidenceOf([0.9, 0, 0])).toBe(0.4)
    expect(confidenceOf([1, 1, 1])).toBe(0.85)
    expect(confidenceOf([0, 0])).toBe(0)
  })
})

describe('suggestions', () => {
  const route = (target: string, family: string, score: number, path = 1) => ({
    route_id: `R_${target}`,
    target,
    family,
    score,
    coherence: path,
  })
  const ask = (steps: { action: 'follow' | 'back'; family: string }[], visited: string[] = [], canGoBack = false) =>
    suggest([route('a', 'x', 0.5), route('b', 'y', 0.48)], steps, {
      isVisited: (it) => visited.includes(it),
      canGoBack,
      nameOf: (it) => it,
    })

  test('take the best unvisited route', () => {
    expect(ask([])).toMatchObject({ basedOn: 'initial_ranking', options: [{ action: 'follow', route_id: 'R_a' }, {}] })
    expect(ask([], ['a']).options).toMatchObject([{ route_id: 'R_b' }])
  })

  test('lean towards kinds that were followed, and away from those taken back', () => {
    expect(ask([{ action: 'follow', family: 'y' }])).toMatchObject({
      basedOn: 'navigation_history',
      options: [{ route_id: 'R_b' }, { route_id: 'R_a' }],
    })
    const undone = [
      { action: 'follow' as const, family: 'x' },
      { action: 'back' as const, family: 'x' },
    ]
    expect(ask(undone).options[0].route_id).toBe('R_b')
  })

  test('go back when all was visited, or close at the beginning', () => {
    expect(ask([], ['a', 'b'], true).options.map((it) => it.action)).toEqual(['back', 'close'])
    expect(ask([], ['a', 'b']).options.map((it) => it.action)).toEqual(['close'])
  })
})
