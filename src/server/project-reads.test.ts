/** What the page reads about the project, over HTTP. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import type { Engine } from '#engine/brain'
import { type HttpServer, serveHttp } from '#server/http'
import { CoverageAnswer } from '#views/shapes'
import { answer, cleanUp, engineFor, projectOf, temporaryFolder } from '../../test/support.ts'

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

let engine: Engine
let http: HttpServer
let root = ''

beforeAll(async () => {
  root = projectOf('shop', SHOP)
  engine = engineFor(root, { port: 0 })
  http = await serveHttp(engine, { version: '0.0.0', log: () => {} })
  await answer(engine, 'ingest', { path: root })
})
afterAll(async () => {
  await http.close(1000)
  await engine.close()
  cleanUp()
})

async function get(path: string, to = http): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(to.url + path)
  const body = await response.json()
  return { status: response.status, body: Object(body) }
}

/** An answer of status 200 that has exactly this shape. */
async function read<T>(shape: z.ZodType<T>, path: string, to = http): Promise<T> {
  const { status, body } = await get(path, to)
  expect(status, JSON.stringify(body)).toBe(200)
  const read = shape.parse(body)
  expect(body).toEqual(read)
  return read
}

/** A server that has read nothing yet. */
async function elsewhere<T>(act: (other: HttpServer) => Promise<T>): Promise<T> {
  const empty = engineFor(temporaryFolder(), { port: 0 })
  const other = await serveHttp(empty, { version: '0.0.0', log: () => {} })
  try {
    return await act(other)
  } finally {
    await other.close(1000)
    await empty.close()
  }
}

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
    writeFileSync(join(root, 'README.md'), '# The shop\n')
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

test.each(['/api/coverage'])('%s answers for another project like every read', async (path) => {
  const also = path.includes('?') ? '&' : '?'
  const { status, body } = await get(`${path}${also}brain=/nowhere`)
  expect([status, body.error]).toEqual([404, 'unknown_brain'])
  expect((await get(`${path}${also}brain=${encodeURIComponent(root)}`)).status).toBe(200)
})
