/** What the page reads beside the tools, over HTTP. */

import { describe, expect, test } from 'vitest'
import { ActivationAnswer, ImpactAnswer, MapAnswer, NeighboursAnswer } from '#views/shapes'
import { elsewhere, serveShop } from '../../test/shop-server.ts'
import { answer } from '../../test/support.ts'

const SHOP = {
  'shop/__init__.py': '',
  'shop/price.py': 'def net(amount):\n    return amount / 1.19\n\n\ndef gross(amount):\n    return amount * 1.19\n',
  'shop/cart.py':
    'from shop.price import gross\n\n\nclass Cart:\n    def __init__(self):\n        self.rows = []\n\n    def add(self, row):\n        self.rows.append(row)\n\n    def total(self):\n        return sum(gross(it) for it in self.rows)\n',
  'tests/test_cart.py':
    'from shop.cart import Cart\n\n\ndef test_total():\n    cart = Cart()\n    cart.add(1)\n    assert cart.total() > 1\n',
  'README.md': '# Shop\n',
}

const shop = serveShop(SHOP)
const { get, read } = shop

const query = (words: Readonly<Record<string, string>>) => `?${new URLSearchParams(words)}`

describe('the map', () => {
  test('shows what lies at the top, and opens what is asked for', async () => {
    const closed = await read(MapAnswer, '/api/graph/map')
    expect(closed.items.map((it) => it.name).sort()).toEqual(['README.md', 'shop', 'tests'])
    expect(closed.edges).toMatchObject([{ source: 'dir::tests/', target: 'dir::shop/', guesses: 0 }])
    expect(closed.served_brain).toEqual({ project_root: shop.root, display_name: 'shop' })
    const open = await read(MapAnswer, `/api/graph/map${query({ open: 'file::shop/cart.py' })}`)
    expect(open.items.filter((it) => it.open).map((it) => it.id)).toEqual(['dir::shop/', 'file::shop/cart.py'])
    expect(open.items.find((it) => it.name === 'Cart')).toMatchObject({ line: 4, path: 'shop/cart.py', children: 3 })
    const all = await read(MapAnswer, '/api/graph/map?open=*&edges=1')
    expect([all.edges.length, all.aggregated, all.truncated]).toEqual([1, { nodes: 0, groups: 0 }, null])
    expect(all.edges_total).toBeGreaterThan(1)
  })

  test('says what it does not know, and refuses what is no number', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `open=x${i}`).join('&')
    const { unknown } = await read(MapAnswer, `/api/graph/map?${many}&open=../../etc/passwd&show=%00`)
    expect(unknown).toHaveLength(50)
    expect(await get('/api/graph/map?edges=many')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
    const most = await read(MapAnswer, '/api/graph/map?edges=999999999999')
    expect(most.edges).toHaveLength(1)
  })

  test('is empty before anything was read', async () => {
    const { body } = await elsewhere((other) => get('/api/graph/map?open=*', other))
    expect(MapAnswer.parse(body)).toMatchObject({ items: [], edges: [] })
  })
})

describe('the impact', () => {
  test('counts every hop and leads back to the source', async () => {
    const answer = await read(ImpactAnswer, '/api/graph/impact?node=shop/price.py')
    expect(answer.source).toMatchObject({ id: 'file::shop/price.py', label: 'price.py' })
    expect(answer.reason).toBe(null)
    expect(answer.hops.reduce((sum, it) => sum + it.nodes, 0)).toBe(answer.total_affected)
    expect(answer.hops.reduce((sum, it) => sum + it.files, 0)).toBe(answer.files_affected)
    const rows = new Map([...answer.affected, ...answer.between].map((it) => [it.id, it]))
    for (const row of answer.affected) {
      const way = new Set([row.id])
      let at = row.from
      while (at !== answer.source.id) {
        expect(way, `from ${row.id} back`).not.toContain(at)
        way.add(at)
        at = rows.get(at)?.from ?? expect.unreachable(`${at} is on no list`)
      }
    }
    const total = answer.affected.find((it) => it.label === 'total')
    expect(total).toMatchObject({ path: 'shop/cart.py', site: { path: 'shop/cart.py', line: 12 } })
  })

  test('keeps its counts when rows are cut, and says so', async () => {
    const whole = await read(ImpactAnswer, '/api/graph/impact?node=shop/price.py')
    const cut = await read(ImpactAnswer, '/api/graph/impact?node=shop/price.py&limit=1')
    expect(cut.affected).toEqual(whole.affected.slice(0, 1))
    expect([cut.hops, cut.truncated]).toEqual([
      whole.hops,
      { shown: 1, total: whole.total_affected, how: 'Look at fewer hops.' },
    ])
  })

  test('says why it is empty, and what it does not know', async () => {
    const none = await read(ImpactAnswer, '/api/graph/impact?node=tests/test_cart.py&depth=1')
    expect([none.total_affected, none.hops]).toEqual([0, []])
    expect(none.reason).toMatch(/./)
    expect(await get('/api/graph/impact?node=nowhere.py')).toMatchObject({
      status: 404,
      body: { error: 'node_not_found' },
    })
    expect(await get('/api/graph/impact')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
    expect(await get('/api/graph/impact?node=x&direction=up')).toMatchObject({ status: 400 })
  })
})

describe('neighbours', () => {
  const at = (words: Readonly<Record<string, string>>) => `/api/graph/neighbours${query(words)}`

  test('are both ends of each edge, once, with how sure it is and where it stands', async () => {
    const { node, incoming, outgoing, relations } = await read(NeighboursAnswer, at({ node: 'gross' }))
    expect(node).toMatchObject({ id: 'file::shop/price.py::fn::gross', within: ['dir::shop/', 'file::shop/price.py'] })
    const shown = incoming.map((it) => `${it.label} ${it.relation} ${it.confidence} ${it.site_line}`)
    expect(shown.sort()).toEqual(['cart.py imports exact 1', 'price.py contains given 5', 'total calls exact 12'])
    expect(outgoing).toEqual([])
    expect(relations).toEqual([
      { relation: 'calls', incoming: 1, outgoing: 0, guesses: 0 },
      { relation: 'contains', incoming: 1, outgoing: 0, guesses: 0 },
      { relation: 'imports', incoming: 1, outgoing: 0, guesses: 0 },
    ])
  })

  test('of some relations, as many as are asked for', async () => {
    const some = await read(NeighboursAnswer, at({ node: 'shop/cart.py', relation: 'imports', limit: '1' }))
    expect(some.outgoing.map((it) => [it.label, it.relation])).toEqual([['price.py', 'imports']])
    expect([some.total_outgoing, some.total_incoming]).toEqual([2, 1])
    expect(some.truncated).toMatchObject({ shown: 2, total: 3 })
    const cut = await read(NeighboursAnswer, at({ node: 'Cart', limit: '1' }))
    expect(cut.truncated?.total).toBe(cut.total_incoming + cut.total_outgoing)
    expect(cut.relations.reduce((sum, it) => sum + it.incoming, 0)).toBe(cut.total_incoming)
    expect((await read(NeighboursAnswer, at({ node: 'Cart', relation: 'sings' }))).incoming).toEqual([])
  })

  test('of what there is not', async () => {
    for (const node of ['nothing_like_it', '../../etc/passwd', '\0', 'x'.repeat(5000)]) {
      const { status, body } = await get(at({ node }))
      expect([status, body.error]).toEqual([404, 'node_not_found'])
    }
    expect(await get('/api/graph/neighbours')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
    const empty = await elsewhere((other) => get('/api/graph/neighbours?node=x', other))
    expect(empty).toMatchObject({ status: 409, body: { error: 'graph_empty' } })
  })
})

describe('an activation', () => {
  const at = (words: Readonly<Record<string, string>>) => `/api/graph/activation${query(words)}`

  test('has the rows of the tool, and says what each dimension adds', async () => {
    const found = await read(ActivationAnswer, at({ query: 'cart total', top_k: '8' }))
    const told = await answer(shop.engine, 'activate', { query: 'cart total', top_k: 8, learn: false, detail: true })
    const rows = Object(told).activated.map((it: { node_id: string }) => it.node_id)
    expect(found.rows.map((it) => it.id)).toEqual(rows)
    expect(found.weights).toEqual({ structural: 0.35, semantic: 0.25, temporal: 0.15, causal: 0.25 })
    const [{ dimensions, contributions, reason, line, within }] = found.rows
    expect(contributions.structural).toBeCloseTo(0.35 * dimensions.structural, 5)
    expect([reason.length > 0, line > 0, within.length > 0]).toEqual([true, true, true])
    const known = new Set(found.nodes.map((it) => it.id))
    for (const { arrivals } of found.hops)
      for (const { id, from } of arrivals) expect([known.has(id), known.has(from)]).toEqual([true, true])
    expect(found.hops.map((it) => it.hop)).toEqual(found.hops.map((_, i) => i + 1))
    expect(found.hops.length).toBeGreaterThan(0)
  })

  test('with and without the noise filter, side by side', async () => {
    const both = await read(ActivationAnswer, at({ query: 'cart total', xlr: 'both' }))
    const off = await read(ActivationAnswer, at({ query: 'cart total', xlr: 'off' }))
    expect(both.without_xlr?.rows).toEqual(off.rows)
    expect([both.xlr.used, off.xlr.used, off.without_xlr]).toEqual([true, false, null])
    const plain = off.rows.map((it) => it.dimensions.structural)
    expect(both.rows.map((it) => it.dimensions.structural)).not.toEqual(plain)
  })

  test('dimensions that are switched off give their share to the others', async () => {
    const some = await read(ActivationAnswer, at({ query: 'cart total', dimensions: 'semantic,causal' }))
    expect(some.weights).toEqual({ structural: 0, semantic: 0.5, temporal: 0, causal: 0.5 })
    expect(some.rows.every((it) => it.dimensions.structural === 0 && it.contributions.temporal === 0)).toBe(true)
    expect(some.travels).toBe('causal')
    const still = await read(ActivationAnswer, at({ query: 'cart', dimensions: 'temporal' }))
    expect([still.travels, still.hops]).toEqual(['none', []])
  })

  test('teaches nothing and primes nothing', async () => {
    const state = () => JSON.stringify([[...shop.engine.brain.graph.weights], shop.engine.brain.learned.memory])
    const before = state()
    const first = await read(ActivationAnswer, at({ query: 'gross price' }))
    const again = await read(ActivationAnswer, at({ query: 'gross price' }))
    expect({ ...again, elapsed_ms: 0 }).toEqual({ ...first, elapsed_ms: 0 })
    expect(state()).toBe(before)
    expect(shop.engine.status().sessions.map((it) => it.agent_id)).not.toContain('gui')
  })

  test('says why it is empty, and refuses what makes no sense', async () => {
    const none = await read(ActivationAnswer, at({ query: 'zzqx' }))
    expect([none.rows, none.hops, none.note]).toEqual([[], [], 'No name or tag in the graph matches the query.'])
    expect(await get('/api/graph/activation?query=%20')).toMatchObject({
      status: 400,
      body: { error: 'missing_query' },
    })
    for (const words of ['xlr=maybe', 'dimensions=causal,magic', 'top_k=1e9']) {
      const { status, body } = await get(`/api/graph/activation?query=cart&${words}`)
      expect([status, body.error]).toEqual([400, 'invalid_params'])
    }
    await read(ActivationAnswer, at({ query: '\0'.repeat(50), top_k: '99999999' }))
    const empty = await elsewhere((other) => get('/api/graph/activation?query=x', other))
    expect(empty).toMatchObject({ status: 409, body: { error: 'graph_empty' } })
  })
})

test.each([
  '/api/graph/map',
  '/api/graph/impact?node=shop/price.py',
  '/api/graph/activation?query=cart',
  '/api/graph/neighbours?node=gross',
])('%s answers for another project like every read', async (path) => {
  const { status, body } = await get(`${path}${path.includes('?') ? '&' : '?'}brain=/nowhere`)
  expect([status, body.error]).toEqual([404, 'unknown_brain'])
  expect((await get(`${path}${path.includes('?') ? '&' : '?'}brain=${encodeURIComponent(shop.root)}`)).status).toBe(200)
})
