import { describe, expect, test } from 'vitest'
import { FILE, type Graph } from '#graph/graph'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { type ActivateOptions, type Activation, activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'
import { buildCoChange } from '#query/cochange'
import { arrows, graphOf, labelIn } from '#query/graph-for-tests'
import { buildSemantic } from '#query/semantic'
import { MAX_WORDS } from '#query/tokens'

const NOW = 1_700_000_000
const DEFAULTS: ActivateOptions = {
  query: '',
  topK: 20,
  dimensions: DIMENSIONS,
  xlr: true,
  gate: 'seed',
  hubImmunity: false,
  ghostEdges: true,
  holes: true,
  boosts: new Map(),
  ranking: 'seed',
  nowSeconds: NOW,
}

const indexesOf = (graph: Graph) => ({
  semantic: buildSemantic(graph),
  cochange: buildCoChange(graph, []),
  lexical: buildLexical([], graph),
  messages: emptyMessages(),
})

function ask(graph: Graph, query: string, options: Partial<ActivateOptions> = {}): Activation {
  return activate(graph, indexesOf(graph), { ...DEFAULTS, query, ...options })
}

const labelsOf = (graph: Graph, answer: Activation) => answer.ranked.map((it) => labelIn(graph, it.node))

/** The files of a small service, changed yesterday. */
const service = graphOf(
  ['main.py', 'routes.py', 'user.py', 'middleware.py', 'auth.py', 'session.py', 'database.py'].map((label) => ({
    label,
    type: FILE,
    tags: label === 'session.py' ? ['auth'] : [],
    lastModified: NOW - 86_400,
    changeFrequency: 0.3,
  })),
  arrows(
    'main.py>auth.py main.py>routes.py routes.py>auth.py routes.py>middleware.py auth.py>session.py auth.py>user.py ' +
      'auth.py>database.py session.py>database.py middleware.py>session.py user.py>database.py',
  ),
)

describe('activate', () => {
  test('finds seeds by name and tag and reaches all around them', () => {
    const answer = ask(service, 'authentication', { xlr: false })
    const seeds = answer.seeds.map((it) => [labelIn(service, it.node), it.relevance])
    expect(seeds.map((it) => it[0])).toEqual(['auth.py', 'session.py'])
    expect(labelsOf(service, answer).slice(0, 2)).toEqual(['auth.py', 'session.py'])
    expect(answer.ranked).toHaveLength(7)
    expect(answer.totalActive).toBe(7)
    expect(answer.note).toBe('')
    for (const { dims } of answer.ranked) {
      expect(dims[0]).toBeGreaterThan(0)
      expect(dims[2]).toBeGreaterThan(0)
    }
  })

  test('gives the same answer twice', () => {
    expect(ask(service, 'session database')).toEqual(ask(service, 'session database'))
  })

  test('a dimension that is left out contributes nothing', () => {
    const answer = ask(service, 'auth', { dimensions: ['semantic'] })
    for (const { dims } of answer.ranked) expect([dims[0], dims[2], dims[3]]).toEqual([0, 0, 0])
    expect(answer.xlrSkipped).toBe(true)
  })

  test('cuts to the rows asked for and tells how many were active', () => {
    const answer = ask(service, 'auth', { topK: 2 })
    expect(answer.ranked).toHaveLength(2)
    expect(answer.totalActive).toBe(7)
  })

  test('names what a ranking leaves quiet only when asked', () => {
    expect(ask(service, 'auth', { topK: 3, holes: false })).toMatchObject({ holes: [], holesTotal: 0 })
    expect(ask(service, 'auth', { topK: 3 }).holesTotal).toBeGreaterThan(0)
    expect(ask(service, 'auth', { ghostEdges: false }).ghosts).toEqual([])
  })

  test('boosts raise their node', () => {
    const user = 2
    const score = (answer: Activation) => answer.ranked.find((it) => it.node === user)?.score ?? 0
    const before = score(ask(service, 'auth'))
    expect(score(ask(service, 'auth', { boosts: new Map([[user, 0.5]]) }))).toBeCloseTo(before * 1.5, 6)
  })

  test('silences a hub that everything uses', () => {
    const shop = graphOf(
      ['payment', 'billing_plan', 'inventory', 'config'],
      arrows(
        'payment>billing_plan payment>config billing_plan>inventory billing_plan>config inventory>config u1>u2 u2>u3 u3>u4 u4>u1 ' +
          'u5>u6 u6>u7 u7>u8 u8>u5 u1>config u2>config u3>config u4>config u5>config u6>config u7>config u8>config',
      ),
    )
    const structural = (answer: Activation) =>
      answer.ranked.find((it) => labelIn(shop, it.node) === 'config')?.dims[0] ?? 0
    expect(structural(ask(shop, 'payment', { xlr: false }))).toBeGreaterThan(0.3)
    expect(structural(ask(shop, 'payment'))).toBe(0)
  })

  test('a question that matches nothing says so', () => {
    expect(ask(service, 'zzzz qqqq')).toMatchObject({ seeds: [], ranked: [], totalActive: 0 })
    expect(ask(service, 'zzzz').note).toBe('No name or tag in the graph matches the query.')
    expect(ask(service, ' ?? ').note).toContain('The query has no words to search for')
  })

  test('a pasted log of a hundred kilobytes is answered from some of its words', () => {
    const log = Array.from({ length: 8000 }, (_, i) => `session line${i} ok`).join('\n')
    const start = performance.now()
    const answer = ask(service, log)
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(answer.seeds.map((it) => labelIn(service, it.node))).toContain('session.py')
    expect(answer.note).toContain(`${MAX_WORDS} of them were used`)
  })
})

describe('degenerate graphs', () => {
  test('no node', () => {
    expect(ask(graphOf([]), 'cart')).toMatchObject({ ranked: [], note: 'The graph is empty.' })
  })

  test('one node, alone or with an edge to itself', () => {
    const alone = graphOf(['cart'])
    expect(labelsOf(alone, ask(alone, 'cart'))).toEqual(['cart'])
    const self = graphOf([], arrows('cart>cart'))
    expect(ask(self, 'cart').ranked).toMatchObject([
      { dims: [expect.any(Number), expect.any(Number), 0, expect.any(Number)] },
    ])
    expect(ask(self, 'cart').ranked[0].dims.every(Number.isFinite)).toBe(true)
  })

  test('only isolated nodes', () => {
    const graph = graphOf(['cart', 'total', 'price'])
    const answer = ask(graph, 'total')
    expect(labelsOf(graph, answer)[0]).toBe('total')
    expect(answer.xlrSkipped).toBe(true)
  })

  test('a node without a label', () => {
    const graph = graphOf(['cart', { label: '', key: 'nameless' }], [{ from: 'cart', to: 'nameless' }])
    expect(ask(graph, 'cart').ranked).toHaveLength(2)
  })

  test('search gives seeds too, unless only names are wanted or given', () => {
    const graph = graphOf([
      { label: 'till.py', type: FILE, excerpt: 'Rounds vouchers to whole cents.' },
      { label: 'menu.py', type: FILE },
    ])
    expect(ask(graph, 'voucher rounding').ranked).toEqual([])
    const found = ask(graph, 'vouchers rounded to cents', { ranking: 'fused' })
    expect(labelsOf(graph, found)[0]).toBe('till.py')
    expect(found.seeds.map((it) => labelIn(graph, it.node))).toEqual(['till.py'])
    // one or two words are names, as long as something has them
    expect(ask(graph, 'whole cents', { ranking: 'fused' }).seeds).toHaveLength(1)
    expect(ask(graph, 'menu cents', { ranking: 'fused' }).seeds.map((it) => labelIn(graph, it.node))).toEqual([
      'menu.py',
    ])
  })

  test('a star of a hundred thousand edges, asked at its hub and at a leaf', () => {
    const leaves = Array.from({ length: 100_000 }, (_, i) => `leaf_${i}`)
    const star = graphOf(
      ['hub', ...leaves],
      leaves.map((to) => ({ from: 'hub', to, weight: 0.5 })),
    )
    const indexes = indexesOf(star)
    const start = performance.now()
    const [atHub, atLeaf] = ['hub', 'leaf_77'].map((query) => activate(star, indexes, { ...DEFAULTS, query }))
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(labelIn(star, atHub.ranked[0].node)).toBe('hub')
    expect(labelIn(star, atLeaf.ranked[0].node)).toBe('leaf_77')
    expect(atHub.ranked).toHaveLength(20)
  })
})
