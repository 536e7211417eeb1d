/** What the page reads about the project, over HTTP. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveHttp } from '#server/http'
import { AgentsAnswer, CoverageAnswer, LearningAnswer } from '#views/shapes'
import { elsewhere, serveShop } from '../../test/shop-server.ts'
import { answer, engineFor, projectOf, temporaryFolder } from '../../test/support.ts'

const SHOP = {
  'shop/__init__.py': '',
  'shop/price.py': 'def net(amount):\n    return amount / 1.19\n\n\ndef gross(amount):\n    return amount * 1.19\n',
  'shop/cart.py':
    'from shop.price import gross\n\n\nclass Cart:\n    def add(self, row):\n        self.rows.append(row)\n\n    def total(self):\n        return sum(gross(it) for it in self.rows)\n',
  'tests/test_cart.py':
    'from shop.cart import Cart\n\n\ndef test_total():\n    cart = Cart()\n    cart.add(1)\n    assert cart.total() > 1\n    getattr(cart, name)()\n',
  'web/till.js': 'export function ring() {\n  return beep(\n}\n',
  'web/all.min.js': 'function a(){}\n',
  'logo.png': 'PNG\0\0',
  'README.md': '# Shop\n',
}

const shop = serveShop(SHOP)
const { get, read } = shop

describe('coverage', () => {
  test('counts files by how they were read, with the reasons', async () => {
    const { files, reasons, languages, stopped_by } = await read(CoverageAnswer, '/api/coverage')
    expect(files).toEqual({ parsed: 5, partly: 1, name_only: 1, skipped: 1 })
    expect(reasons).toEqual([
      { reason: 'binary', files: 1, sample: ['logo.png'] },
      { reason: 'minified', files: 1, sample: ['web/all.min.js'] },
      { reason: 'parse_partial', files: 1, sample: ['web/till.js'] },
    ])
    expect(languages.find((it) => it.language === 'python')).toMatchObject({
      files: 4,
      partly: 0,
      unresolved: 1,
      resolved_percent: expect.any(Number),
    })
    expect(languages.find((it) => it.language === 'javascript')).toMatchObject({ files: 2, partly: 1 })
    expect(stopped_by).toBe('')
  })

  test('counts calls and edges by how sure they are, and says what is not known', async () => {
    const found = await read(CoverageAnswer, '/api/coverage')
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0)
    expect(sum(found.edges_by_tier)).toBe(found.sizes.edge_count)
    expect(sum(found.edges_by_relation)).toBe(found.sizes.edge_count)
    expect(sum(found.nodes_by_type)).toBe(found.sizes.node_count)
    expect(sum(found.calls_by_tier)).toBeGreaterThan(2)
    expect(sum(found.calls_by_tier)).toBeLessThanOrEqual(found.edges_by_relation.calls)
    expect(found.unresolved.sample).toEqual([{ path: 'shop/cart.py', line: 6, text: 'self.rows.append()' }])
    expect(found.run_time).toEqual({
      total: 1,
      sample: [{ path: 'tests/test_cart.py', line: 8, text: expect.any(String) }],
    })
  })

  test('tells sizes, times and what has changed since', async () => {
    const found = await read(CoverageAnswer, '/api/coverage')
    expect(Object.keys(found.phase_ms)).toEqual(expect.arrayContaining(['walk', 'extract', 'resolve']))
    for (const it of [found.sizes.graph_bytes, found.sizes.indexes_bytes, found.sizes.process_bytes])
      expect(it).toBeGreaterThan(1000)
    expect(found.stale).toEqual({ files: 0, looked_at: 7, sample: [] })
    writeFileSync(join(shop.root, 'README.md'), '# The shop\n')
    expect((await read(CoverageAnswer, '/api/coverage')).stale).toEqual({
      files: 1,
      looked_at: 7,
      sample: ['README.md'],
    })
  })

  test('knows after a restart how the ingest went', async () => {
    const project = projectOf('kept', SHOP)
    const settings = { port: 0, ephemeral: false, home: temporaryFolder() }
    const first = engineFor(project, settings)
    await answer(first, 'ingest', { path: project })
    await first.close()
    const second = engineFor(project, settings)
    const other = await serveHttp(second, { version: '0.0.0', log: () => {} })
    try {
      const { phase_ms, reasons, sizes } = await read(CoverageAnswer, '/api/coverage', other)
      expect(phase_ms.walk).toBeGreaterThanOrEqual(0)
      expect(reasons.map((it) => it.reason)).toContain('binary')
      expect(sizes.stored.map((it) => it.name)).toContain('graph.bin')
    } finally {
      await other.close(1000)
      await second.close()
    }
  })

  test('of nothing is nothing', async () => {
    const { body } = await elsewhere((other) => get('/api/coverage', other))
    expect(CoverageAnswer.parse(body)).toMatchObject({ ingested_at_ms: null, reasons: [], languages: [] })
  })
})

describe('learning', () => {
  test('says what was strengthened and weakened, and who taught what', async () => {
    const before = await read(LearningAnswer, '/api/learning')
    expect([before.strengthened, before.weakened, before.taught, before.agents]).toEqual([[], [], [], []])
    const lesson = { query: 'cart total', feedback: 'correct', node_ids: ['shop/cart.py', 'shop/price.py'], grade: 0.5 }
    await answer(shop.engine, 'learn', { ...lesson, agent_id: 'ann' })
    await answer(shop.engine, 'learn', { feedback: 'wrong', node_ids: ['web/till.js'], agent_id: 'ben' })
    const found = await read(LearningAnswer, '/api/learning')
    expect(found.taught.map((it) => [it.agent, it.feedback, it.grade, it.query])).toEqual([
      ['ben', 'wrong', 1, ''],
      ['ann', 'correct', 0.5, 'cart total'],
    ])
    expect(found.taught[1]).toMatchObject({
      nodes: [
        { id: 'file::shop/cart.py', label: 'cart.py', exists: true },
        { id: 'file::shop/price.py', label: 'price.py', exists: true },
      ],
      nodes_total: 2,
    })
    expect(found.taught[1].change).toBeGreaterThan(0)
    const imported = found.strengthened.find((it) => it.relation === 'imports' && it.target.label === 'price.py')
    expect(imported).toMatchObject({ taught_by: ['ann'], source: { within: ['dir::shop/'] }, times_strengthened: 1 })
    expect(imported?.change).toBeCloseTo((imported?.weight ?? 0) - (imported?.ingest_weight ?? 0), 5)
    expect(found.weakened.some((it) => it.taught_by.includes('ben'))).toBe(true)
    expect(found.agents.map((it) => [it.agent, it.lessons]).sort()).toEqual([
      ['ann', 1],
      ['ben', 1],
    ])
  })

  test('comes in pages, newest first', async () => {
    const all = await read(LearningAnswer, '/api/learning')
    const second = await read(LearningAnswer, '/api/learning?offset=1&limit=1&edges=1')
    expect(second.taught).toEqual([all.taught[1]])
    expect([second.total_taught, second.offset]).toEqual([2, 1])
    expect([second.strengthened.length, second.total_strengthened]).toEqual([1, all.total_strengthened])
    expect(second.truncated?.total).toBe(all.total_strengthened + all.total_weakened)
    expect((await read(LearningAnswer, '/api/learning?offset=99999999999')).taught).toEqual([])
    expect(await get('/api/learning?limit=all')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
  })

  test('is told of one agent alone', async () => {
    const all = await read(LearningAnswer, '/api/learning')
    const ofBen = await read(LearningAnswer, '/api/learning?agent=ben')
    expect(ofBen.taught).toEqual(all.taught.filter((it) => it.agent === 'ben'))
    expect(ofBen.total_taught).toBe(1)
    const edges = [...ofBen.strengthened, ...ofBen.weakened]
    expect(edges).toEqual([...all.strengthened, ...all.weakened].filter((it) => it.taught_by.includes('ben')))
    expect(edges.length).toBeGreaterThan(0)
    // who else there is stays to be chosen from
    expect(ofBen.agents).toEqual(all.agents)
    const nobody = await read(LearningAnswer, '/api/learning?agent=nobody')
    expect([nobody.total_taught, nobody.total_strengthened, nobody.total_weakened]).toEqual([0, 0, 0])
  })

  test('can be taken back by the tool', async () => {
    await answer(shop.engine, 'learn', { feedback: 'reset', scope: 'agent', target_agent: 'ann', agent_id: 'gui' })
    const found = await read(LearningAnswer, '/api/learning')
    expect(found.taught.map((it) => [it.agent, it.feedback])).toEqual([
      ['gui', 'reset'],
      ['ben', 'wrong'],
    ])
    expect([...found.strengthened, ...found.weakened].filter((it) => it.taught_by.includes('ann'))).toEqual([])
  })
})

describe('agents', () => {
  test('are shown with all that they keep, to the operator', async () => {
    const as = (agent_id: string, name: string, args: object) => answer(shop.engine, name, { agent_id, ...args })
    const { perspective_id } = await as('ann', 'perspective_start', { query: 'cart total' })
    const { lock_id } = await as('ben', 'lock_create', { scope: 'subgraph', root_nodes: ['shop/cart.py'], radius: 1 })
    await as('ben', 'lock_watch', { lock_id, strategy: 'on_learn' })
    await as('ann', 'learn', { feedback: 'correct', node_ids: ['shop/cart.py', 'shop/price.py'] })
    const { trail_id } = await as('ann', 'trail_save', {
      label: 'prices',
      hypotheses: [{ statement: 'gross is wrong', confidence: 0.7 }],
    })
    const found = await read(AgentsAnswer, '/api/agents')
    expect(found.sessions.find((it) => it.agent_id === 'ann')).toMatchObject({ perspectives: 1, locks: 0, trails: 1 })
    expect(found.perspectives).toMatchObject([{ perspective_id, agent_id: 'ann', query: 'cart total', stale: true }])
    expect(found.locks).toMatchObject([
      { lock_id, agent_id: 'ben', scope: 'subgraph', roots: ['file::shop/cart.py'], radius: 1, strategy: 'on_learn' },
    ])
    expect(found.locks[0].touched).toMatchObject([{ kind: 'learn', agent_id: 'ann' }])
    expect(found.trails).toMatchObject([
      { trail_id, agent_id: 'ann', label: 'prices', hypotheses: [{ statement: 'gross is wrong', confidence: 0.7 }] },
    ])
    expect(found.totals).toMatchObject({ perspectives: 1, locks: 1, trails: 1 })
    // looking is not being there
    expect(found.sessions.map((it) => it.last_seen_ms)).toEqual(
      (await read(AgentsAnswer, '/api/agents')).sessions.map((it) => it.last_seen_ms),
    )
  })
})

test.each(['/api/coverage', '/api/learning', '/api/agents'])(
  '%s answers for another project like every read',
  async (path) => {
    const also = path.includes('?') ? '&' : '?'
    const { status, body } = await get(`${path}${also}brain=/nowhere`)
    expect([status, body.error]).toEqual([404, 'unknown_brain'])
    expect((await get(`${path}${also}brain=${encodeURIComponent(shop.root)}`)).status).toBe(200)
  },
)
