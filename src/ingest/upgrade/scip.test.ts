import { describe, expect, test } from 'vitest'
import { type Ingested, type IngestSettings, ingest } from '#ingest/ingest'
import { storeColumns, storeFromColumns } from '#ingest/store'
import { Tree } from '#ingest/tree-for-tests'
import { type IndexedDocument, nameIn, writeIndex } from '#ingest/upgrade/scip-for-tests'
import { packageOf, symbolName } from '#ingest/upgrade/scip-symbol'

const CART = 'class Cart:\n    def total(self):\n        return 0\n'
const ORDER = 'class Order:\n    def total(self):\n        return 1\n'
const SHOW = 'def show(thing):\n    return thing.total()\n'
const SHOP = { 'cart.py': CART, 'order.py': ORDER, 'show.py': SHOW }

const CART_TOTAL = 'py pip shop 1 `cart`/Cart#total().'
const ORDER_TOTAL = 'py pip shop 1 `order`/Order#total().'

const DOCUMENTS: IndexedDocument[] = [
  {
    path: 'cart.py',
    names: [nameIn(CART, 'Cart', 'py pip shop 1 `cart`/Cart#', true), nameIn(CART, 'total', CART_TOTAL, true)],
  },
  {
    path: 'order.py',
    names: [nameIn(ORDER, 'Order', 'py pip shop 1 `order`/Order#', true), nameIn(ORDER, 'total', ORDER_TOTAL, true)],
  },
  {
    path: 'show.py',
    names: [
      nameIn(SHOW, 'show', 'py pip shop 1 `show`/show().', true),
      nameIn(SHOW, 'thing', 'local 0', true),
      nameIn(SHOW, 'thing', 'local 0', false, 'return'),
      nameIn(SHOW, 'total', ORDER_TOTAL),
    ],
  },
]

function run(tree: Tree, settings: Partial<IngestSettings> = {}): Promise<Ingested> {
  return ingest({ root: tree.root, ...settings }, { signal: new AbortController().signal, progress: () => {} })
}

function callsOf({ input: { nodes, edges } }: Ingested): string[] {
  return edges
    .filter((it) => it.relation === 'calls' && !it.lifted)
    .map((it) => `${nodes[it.source].label} > ${nodes[it.target].key} (${it.tier})`)
}

function tagged({ input: { nodes } }: Ingested): string[] {
  return nodes.flatMap(({ key, tags = [] }) =>
    tags.filter((it) => it.startsWith('checked:')).map((it) => `${key} ${it}`),
  )
}

const GUESSED = ['show > file::cart.py::class::Cart::fn::total (guess)']
const PROVEN = ['show > file::order.py::class::Order::fn::total (exact)']

describe('an index file', () => {
  test('in the root turns a guess into a proven call to what is really meant', async () => {
    const tree = new Tree(SHOP)
    expect(callsOf(await run(tree))).toEqual(GUESSED)

    const got = await run(tree.write({ 'index.scip': writeIndex(DOCUMENTS) }))
    expect(callsOf(got)).toEqual(PROVEN)
    expect(tagged(got)).toEqual(['cart.py', 'order.py', 'show.py'].map((it) => `file::${it} checked:scip`))
    expect(got.report.warnings).toEqual([])
  })

  test('in the folder of a package, with paths from there, serves that package', async () => {
    const tree = new Tree({
      ...Object.fromEntries(Object.entries(SHOP).map(([path, text]) => [`packages/shop/${path}`, text])),
      'packages/shop/pyproject.toml': '[project]\nname = "shop"\n',
      'packages/shop/py.scip': writeIndex(DOCUMENTS),
    })
    expect(callsOf(await run(tree))).toEqual(['show > file::packages/shop/order.py::class::Order::fn::total (exact)'])
  })

  test('anywhere is read when it is named, and again by the next ingest', async () => {
    const tree = new Tree(SHOP)
    const elsewhere = new Tree({ 'shop.scip': writeIndex(DOCUMENTS) })
    const got = await run(tree, { scip: elsewhere.path('shop.scip') })
    expect(callsOf(got)).toEqual(PROVEN)
    expect(callsOf(await run(tree, { stored: got.facts }))).toEqual(PROVEN)

    const missing = await run(tree, { scip: 'none.scip' })
    expect(missing.report.warnings).toEqual(['none.scip: There is no such index file.'])
  })

  test('counts columns as it says, whatever letters come before', async () => {
    const text = `def show(thing):\n    return f("é漢😀", thing.total())\n`
    const tree = new Tree({ ...SHOP, 'show.py': text })
    const utf16 = nameIn(text, 'total', ORDER_TOTAL)
    const line = text.split('\n')[1]
    const before = line.slice(0, utf16.from)
    const shifted = (offset: number) => ({ ...utf16, from: offset, to: offset + 'total'.length })
    const encodings = { 0: utf16, 1: shifted(Buffer.byteLength(before)), 2: utf16, 3: shifted([...before].length) }
    for (const [encoding, name] of Object.entries(encodings)) {
      const documents = [...DOCUMENTS.slice(0, 2), { path: 'show.py', names: [name], encoding: Number(encoding) }]
      expect(callsOf(await run(tree.write({ 'index.scip': writeIndex(documents) })))).toContain(PROVEN[0])
    }
  })

  test('tells which types a type stands for', async () => {
    const files = {
      'store.go': 'package shop\n\ntype Store struct{}\n',
      'port.go': 'package shop\n\ntype Port interface{ Open() }\n',
    }
    const [store, port] = ['go mod shop 1 shop/Store#', 'go mod shop 1 shop/Port#']
    const documents: IndexedDocument[] = [
      { path: 'store.go', names: [nameIn(files['store.go'], 'Store', store, true)], bases: { [store]: port } },
      { path: 'port.go', names: [nameIn(files['port.go'], 'Port', port, true)] },
    ]
    const { input } = await run(new Tree({ ...files, 'index.scip': writeIndex(documents) }))
    const found = input.edges.filter((it) => it.relation === 'implements')
    expect(found.map((it) => `${input.nodes[it.source].label} ${input.nodes[it.target].label} ${it.tier}`)).toEqual([
      'Store Port exact',
    ])
  })
})

describe('what an index says is left out', () => {
  test('of a file that changed, which is named with the number of names that are elsewhere', async () => {
    const tree = new Tree({ ...SHOP, 'show.py': `# new\n${SHOW}`, 'index.scip': writeIndex(DOCUMENTS) })
    const got = await run(tree)
    expect(callsOf(got)).toEqual(GUESSED)
    expect(got.report.warnings).toEqual([
      'index.scip: 1 of 3 documents do not match their files any more and were left out: show.py (4 of 4 names).',
    ])
  })

  test('of a file in which one name became another', async () => {
    const tree = new Tree({ ...SHOP, 'show.py': SHOW.replace('total', 'count'), 'index.scip': writeIndex(DOCUMENTS) })
    expect((await run(tree)).report.warnings[0]).toContain('show.py (1 of 4 names)')
  })

  test('of a file whose text is not the one in the index', async () => {
    const documents = [...DOCUMENTS.slice(0, 2), { ...DOCUMENTS[2], text: `${SHOW}# old\n` }]
    const got = await run(new Tree({ ...SHOP, 'index.scip': writeIndex(documents) }))
    expect(callsOf(got)).toEqual(GUESSED)
    expect(got.report.warnings[0]).toContain('show.py (4 of 4 names)')
  })

  test('of another commit, of another project, when it is broken, and when it is too large', async () => {
    const other = Object.fromEntries(Object.entries(SHOP).map(([path, text]) => [path, `# licence\n\n${text}`]))
    const foreign = writeIndex(DOCUMENTS.map((it) => ({ ...it, path: `library/${it.path}` })))
    const whole = writeIndex(DOCUMENTS)
    const warn = async (files: Record<string, string>, bytes: Uint8Array, settings: Partial<IngestSettings> = {}) => {
      const got = await run(new Tree({ ...files, 'index.scip': bytes }), settings)
      expect(callsOf(got)).toEqual(GUESSED)
      expect(tagged(got)).toEqual([])
      return got.report.warnings
    }
    expect(await warn(other, whole)).toEqual([
      expect.stringMatching(/^index\.scip: It seems to be of another commit\. 3 of 3 documents/),
    ])
    expect(await warn(SHOP, foreign)).toEqual([
      'index.scip: None of the documents of the index is a file of this project; it was left out.',
    ])
    expect(await warn(SHOP, whole.subarray(0, whole.length - 7))).toEqual([
      expect.stringMatching(/^index\.scip: The file is no SCIP index that can be read/),
    ])
    expect(await warn(SHOP, Buffer.from('not an index at all'))).toHaveLength(1)
    expect(await warn(SHOP, whole, { scipMaxBytes: 100 })).toEqual([
      `index.scip: The index is larger than scip_max_bytes (${whole.length} bytes); it was not read.`,
    ])
    expect(await warn(SHOP, whole, { scipMaxBytes: 0 })).toEqual([])
  })

  test('when a link leads out of the project', async () => {
    const elsewhere = new Tree({ 'index.scip': writeIndex(DOCUMENTS) })
    const tree = new Tree(SHOP).link('index.scip', elsewhere.path('index.scip'))
    expect(callsOf(await run(tree))).toEqual(GUESSED)
  })
})

test('after an edit the changed file loses what was said about it and the others keep it', async () => {
  const tree = new Tree({ ...SHOP, 'index.scip': writeIndex(DOCUMENTS) })
  const { header, columns } = storeColumns((await run(tree)).facts)
  const stored = storeFromColumns(JSON.parse(JSON.stringify(header)), columns) ?? undefined
  tree.write({ 'show.py': `${SHOW}\n\ndef more(thing):\n    return thing.total()\n` })

  const got = await run(tree, { stored })
  expect(tagged(got)).toEqual(['file::cart.py checked:scip', 'file::order.py checked:scip'])
  expect(callsOf(got)).toContain(GUESSED[0])
  expect(got.report.warnings).toEqual([
    '1 file changed since a compiler looked at the project, so their edges are resolved without it: show.py.',
  ])

  tree.write({ 'show.py': SHOW })
  expect(callsOf(await run(tree, { stored: got.facts }))).toEqual(PROVEN)
})

test('names of symbols are their last part', () => {
  const named = (symbol: string) => symbolName(`py pip shop 1 ${symbol}`)
  expect(named('`shop.cart`/Cart#')).toEqual({ name: 'Cart', kind: 'type' })
  expect(named('`shop.cart`/Cart#total().')).toEqual({ name: 'total', kind: 'method' })
  expect(named('`shop.cart`/Cart#total(+1).')).toEqual({ name: 'total', kind: 'method' })
  expect(named('`shop.cart`/rate.')).toEqual({ name: 'rate', kind: 'term' })
  expect(named('`shop.cart`/`a``b`().')).toEqual({ name: 'a`b', kind: 'method' })
  expect(named('`shop.cart`/total().(self)')).toEqual({ name: '', kind: 'other' })
  expect(named('`shop.cart`/__init__:')).toEqual({ name: '', kind: 'other' })
  expect(packageOf('py pip shop 1 `cart`/Cart#')).toBe('py pip shop')
})
