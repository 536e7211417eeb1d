/** Folders and the past of files, over HTTP. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveHttp } from '#server/http'
import { HistoryAnswer, TreeAnswer } from '#views/shapes'
import { serveShop } from '../../test/shop-server.ts'
import { answer, commit, engineFor, projectOf } from '../../test/support.ts'

const SHOP = {
  'shop/__init__.py': '',
  'shop/price.py': 'def gross(amount):\n    return amount * 1.19\n',
  'shop/cart.py': 'from shop.price import gross\n\n\nclass Cart:\n    def total(self):\n        return gross(1)\n',
  'docs/price.txt': 'Gross is net with tax.\n',
  'README.md': '# Shop\n',
}

const shop = serveShop(SHOP, (root) => {
  commit(root, 'begin')
  // price, its user, its page and the package change together; nothing ties the package to price
  for (const rate of ['1.20', '1.21', '1.22', '1.23']) {
    writeFileSync(join(root, 'shop/price.py'), `def gross(amount):\n    return amount * ${rate}\n`)
    writeFileSync(join(root, 'shop/__init__.py'), `RATE = ${rate}\n`)
    writeFileSync(join(root, 'docs/price.txt'), `Gross is net times ${rate}.\n`)
    writeFileSync(join(root, 'shop/cart.py'), `${SHOP['shop/cart.py']}# ${rate}\n`)
    commit(root, `the tax is ${rate}`)
  }
})
const { get, read } = shop

describe('the tree', () => {
  test('shows folders first, then files, with what is in them', async () => {
    const top = await read(TreeAnswer, '/api/tree')
    expect([top.path, top.breadcrumbs, top.total, top.truncated]).toEqual(['', [], 3, null])
    expect(top.entries.map((it) => [it.name, it.path, it.node_type, it.files])).toEqual([
      ['docs', 'docs', 'directory', 1],
      ['shop', 'shop', 'directory', 3],
      ['README.md', 'README.md', 'file', 1],
    ])
    const shop = await read(TreeAnswer, '/api/tree?path=shop/')
    expect(shop.entries.map((it) => it.name)).toEqual(['__init__.py', 'cart.py', 'price.py'])
    expect(shop.entries.reduce((sum, it) => sum + it.nodes, 1)).toBe(top.entries[1].nodes)
  })

  test('goes down into definitions, by path and by id', async () => {
    const file = await read(TreeAnswer, '/api/tree?path=shop/cart.py')
    expect(file.breadcrumbs).toEqual([
      { name: 'shop', path: 'shop' },
      { name: 'cart.py', path: 'shop/cart.py' },
    ])
    expect(file.entries).toMatchObject([{ name: 'Cart', line: 4, path: 'shop/cart.py', files: 0, children: 1 }])
    const cart = await read(TreeAnswer, `/api/tree?path=${encodeURIComponent(file.entries[0].id)}`)
    expect(cart.entries.map((it) => it.name)).toEqual(['total'])
    expect(cart.breadcrumbs.map((it) => it.name)).toEqual(['shop', 'cart.py', 'Cart'])
  })

  test('is hottest where most was changed, up to the folder of it', async () => {
    const { entries } = await read(TreeAnswer, '/api/tree')
    const shop = await read(TreeAnswer, '/api/tree?path=shop')
    expect(shop.entries.find((it) => it.name === 'price.py')?.heat.change).toBe(1)
    expect(entries.find((it) => it.name === 'shop')?.heat.change).toBe(1)
    for (const it of entries) {
      expect(it.heat.learning).toBe(0)
      expect(it.last_changed_ms).toBe(Date.parse('2025-05-01T12:00:00Z'))
    }
  })

  test('is warm where something was taught', async () => {
    await answer(shop.engine, 'learn', { query: 'gross total', feedback: 'correct', node_ids: ['gross', 'Cart'] })
    const { entries } = await read(TreeAnswer, '/api/tree')
    expect(entries.map((it) => [it.name, it.heat.learning])).toEqual([
      ['docs', 0],
      ['shop', 1],
      ['README.md', 0],
    ])
  })

  test('finds files and folders by a part of the name, cuts and says so', async () => {
    const found = await read(TreeAnswer, '/api/tree?name=PRICE')
    expect(found.entries.map((it) => it.name)).toEqual(['docs/price.txt', 'shop/price.py'])
    const whole = await read(TreeAnswer, '/api/tree?name=price.py')
    expect(whole.entries.map((it) => it.name)).toEqual(['shop/price.py'])
    const begun = await read(TreeAnswer, '/api/tree?name=p')
    expect(begun.entries.map((it) => it.name)).toEqual([
      'docs/price.txt',
      'shop/price.py',
      'shop',
      'shop/__init__.py',
      'shop/cart.py',
    ])
    const below = await read(TreeAnswer, '/api/tree?path=shop&name=price&limit=1')
    expect(below.entries.map((it) => it.name)).toEqual(['price.py'])
    const cut = await read(TreeAnswer, '/api/tree?limit=1')
    expect([cut.entries.length, cut.truncated]).toEqual([
      1,
      { shown: 1, total: 3, how: 'Look for a part of the name.' },
    ])
    expect((await read(TreeAnswer, '/api/tree?name=zzz')).entries).toEqual([])
  })

  test('says what is not there', async () => {
    expect(await get('/api/tree?path=nowhere')).toMatchObject({ status: 404, body: { error: 'node_not_found' } })
    expect(await get('/api/tree?limit=all')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
  })
})

describe('the history', () => {
  test('has the commits of a file, newest first, and what changed with it', async () => {
    const found = await read(HistoryAnswer, '/api/history?path=shop/price.py')
    expect([found.id, found.total_commits, found.authors, found.note]).toEqual(['file::shop/price.py', 5, 1, ''])
    expect(found.commits.map((it) => it.subject)).toEqual([
      'the tax is 1.23',
      'the tax is 1.22',
      'the tax is 1.21',
      'the tax is 1.20',
      'begin',
    ])
    expect(found.commits[0]).toMatchObject({ added: 1, removed: 1, others: 3 })
    expect(found.commits.at(-1)?.others).toBe(4)
  })

  test('tells what the code ties to it from what only the past ties to it', async () => {
    const { partners, hidden_partners, counted_commits } = await read(HistoryAnswer, '/api/history?path=shop/price.py')
    const of = (path: string) => partners.find((it) => it.path === path)
    expect(of('shop/cart.py')).toMatchObject({ together: 5, imported: true, hidden: false })
    expect(of('shop/__init__.py')).toMatchObject({ together: 5, imported: false, hidden: true })
    // a text refers to nothing anyway
    expect(of('docs/price.txt')).toMatchObject({ together: 5, imported: false, hidden: false })
    expect(counted_commits).toBe(5)
    expect(of('shop/cart.py')?.strength).toBeCloseTo(5 / 6)
    expect(hidden_partners).toBe(partners.filter((it) => it.hidden).length)
  })

  test('is that of the file of a definition, and cuts only what is shown', async () => {
    const cut = await read(HistoryAnswer, '/api/history?path=Cart&limit=2')
    expect([cut.path, cut.commits.length, cut.total_commits]).toEqual(['shop/cart.py', 2, 5])
    expect(cut.truncated).toEqual({ shown: 2, total: 5, how: 'Older commits: git log.' })
  })

  test('says what it has no history of', async () => {
    expect(await get('/api/history?path=nowhere')).toMatchObject({ status: 404, body: { error: 'node_not_found' } })
    expect(await get('/api/history?path=dir::shop/')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
    expect(await get('/api/history')).toMatchObject({ status: 400, body: { error: 'invalid_params' } })
  })

  test('without git there is none, and it says so', async () => {
    const plain = projectOf('plain', { 'a.py': 'def f():\n    pass\n' })
    const other = engineFor(plain, { port: 0 })
    const server = await serveHttp(other, { version: '0.0.0', log: () => {} })
    await answer(other, 'ingest', { path: plain })
    const body = HistoryAnswer.parse(await (await fetch(`${server.url}/api/history?path=a.py`)).json())
    await server.close(1000)
    await other.close()
    expect([body.commits, body.partners, body.first_ms]).toEqual([[], [], null])
    expect(body.note).toBe('No git repository holds this file, or git is not installed.')
  })
})

test('both answer for another project like every read', async () => {
  for (const path of ['/api/tree?', '/api/history?path=README.md&']) {
    expect((await get(`${path}brain=/nowhere`)).status).toBe(404)
    expect((await get(`${path}brain=${encodeURIComponent(shop.root)}`)).status).toBe(200)
  }
})
