import { describe, expect, test } from 'vitest'
import { buildGraph } from '#graph/build'
import { CLASS, FILE, FUNCTION, type Graph, keyOf, NONE, type NodeId, REFERENCE } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { buildLexical } from '#graph/lexical'
import { buildMessages, emptyMessages } from '#graph/messages'
import { emptyMeta } from '#graph/meta'
import { seek } from '#query/seek'
import type { SeekOptions } from '#query/seek-options'
import { buildSemantic } from '#query/semantic'

const CLASSES = ['Cart', 'Invoice']

/** Per file: its definitions with their comments. `Cart.total` stands in the class. */
const SHOP: Record<string, Record<string, string>> = {
  'src/cart.py': {
    Cart: 'Holds what a customer wants.',
    'Cart.total': 'Sums prices of items with taxes.',
    add_item: 'Puts an item in.',
  },
  'src/invoice.py': {
    Invoice: 'What a customer pays.',
    'Invoice.total': 'Sums what is due.',
    send_invoice: 'Mails it.',
  },
  'src/tax.py': { tax_rate: 'Taxes of a country.', round_cents: 'Rounds half up.' },
  'src/payment/card.py': { charge_card: 'Charges a card through the bank.' },
  'src/payment/bank.py': { open_bank: 'Connects to the bank.' },
  'src/log.py': { log: 'Writes a line.' },
  'tests/test_cart.py': { test_total: 'Sums prices of items with taxes.' },
  'docs/carts.md': { Carts: 'Sums prices of items with taxes.' },
}
const IMPORTS = ['cart>tax', 'cart>log', 'invoice>log', 'card>bank', 'card>log', 'test_cart>cart']

function shop(): Graph {
  const nodes: NodeInput[] = [{ key: 'pkg::pip::taxes', label: 'taxes', type: REFERENCE }]
  const edges: EdgeInput[] = []
  const files = new Map<string, number>()
  for (const [path, definitions] of Object.entries(SHOP)) {
    const label = path.slice(path.lastIndexOf('/') + 1)
    const file = nodes.length
    files.set(label.replace(/\..*/, ''), file)
    nodes.push({ key: `file::${path}`, label, type: FILE, path, lineStart: 1, lineEnd: 100 })
    const indexOf = new Map<string, number>()
    for (const [name, excerpt] of Object.entries(definitions)) {
      const [owner, member] = name.includes('.') ? name.split('.') : ['', name]
      const line = 10 * (indexOf.size + 1)
      indexOf.set(name, nodes.length)
      nodes.push({
        key: `file::${path}::${name}`,
        label: member,
        type: CLASSES.includes(name) ? CLASS : FUNCTION,
        path,
        lineStart: line,
        lineEnd: line + (CLASSES.includes(name) ? 19 : 9),
        excerpt,
        parent: indexOf.get(owner) ?? file,
      })
    }
  }
  for (const arrow of IMPORTS) {
    const [source, target] = arrow.split('>').map((it) => files.get(it) ?? -1)
    edges.push({ source, target, relation: 'imports', weight: 0.5, causal: 0.6 })
  }
  return buildGraph({ nodes, edges, meta: emptyMeta() })
}

const graph = shop()
const indexes = { lexical: buildLexical([], graph), messages: emptyMessages(), semantic: buildSemantic(graph) }
const DEFAULTS: Omit<SeekOptions, 'query'> = {
  topK: 20,
  scope: '',
  nodeTypes: new Set(),
  minScore: 0.1,
  graphRerank: true,
  ranking: 'fused',
  nowSeconds: 0,
}
const ask = (query: string, options: Partial<SeekOptions> = {}) =>
  seek(graph, indexes, { ...DEFAULTS, query, ...options })
const keysOf = (rows: { node: NodeId }[]) => rows.map((it) => keyOf(graph, it.node).replace('file::', ''))
const keysFor = (query: string, options: Partial<SeekOptions> = {}) => keysOf(ask(query, options).rows)

describe('the fused ranking', () => {
  test('puts the file first that a purpose describes, with the definition that does it', () => {
    const { rows } = ask('how are prices of items summed')
    expect(keysOf(rows)[0]).toBe('src/cart.py::Cart.total')
    expect(rows[0].score).toBe(1)
    expect(rows[0].reason).toContain('prices')
  })

  test('puts tests and documentation behind code that fits less, unless they are asked for', () => {
    const files = keysFor('sums prices of items with taxes').map((it) => it.split('::')[0])
    expect(files[0]).toBe('src/cart.py')
    expect(files.indexOf('tests/test_cart.py')).toBeGreaterThan(files.indexOf('src/tax.py'))
    expect(keysFor('tests of the cart')[0]).toMatch(/test_cart|cart\.py/)
    const asked = ask('tests that sum prices of items with taxes').rows.find((it) =>
      keyOf(graph, it.node).includes('test_total'),
    )
    const plain = ask('sum prices of items with taxes').rows.find((it) => keyOf(graph, it.node).includes('test_total'))
    expect(asked?.score).toBeGreaterThan(plain?.score ?? 1)
  })

  test('shows each file at its place and further definitions below', () => {
    const { rows } = ask('customer total')
    const scores = rows.map((it) => it.score)
    expect(scores).toEqual(scores.slice().sort((a, b) => b - a))
    const perFile = keysOf(rows).filter((it) => it.startsWith('src/cart.py'))
    expect(perFile.length).toBeLessThanOrEqual(3)
    expect(new Set(keysOf(rows)).size).toBe(rows.length)
  })

  test('takes a name spelled as in code for what it is, with its owner', () => {
    expect(keysFor('round_cents')[0]).toBe('src/tax.py::round_cents')
    expect(keysFor('Invoice.total')[0]).toBe('src/invoice.py::Invoice.total')
    expect(keysFor('Cart.total')[0]).toBe('src/cart.py::Cart.total')
    expect(ask('round_cents').rows[0].reason).toContain('defines round_cents')
  })

  test('finds the place of a path, of a line in it and of a module', () => {
    expect(keysFor('src/payment/card.py')[0]).toMatch(/^src\/payment\/card\.py/)
    expect(keysFor('/srv/app/src/cart.py:25')[0]).toBe('src/cart.py::Cart.total')
    expect(keysFor('  File "src/tax.py", line 22, in round_cents')[0]).toBe('src/tax.py::round_cents')
    expect(keysFor('src.payment.bank')[0]).toMatch(/^src\/payment\/bank\.py/)
    expect(keysFor('payment/')[0]).toMatch(/^src\/payment/)
  })

  test.each(['src/payment/card.py', './src/payment/card.py', 'card.py', '`card.py`,', '/srv/app/src/payment/card.py'])(
    'shows the file itself for %j, which says nothing else',
    (query) => {
      expect(keysFor(query)[0]).toMatch(/^(file::)?src\/payment\/card\.py$/)
      expect(keysFor(query, { nodeTypes: new Set([FUNCTION]) })[0]).toMatch(/card\.py::/)
    },
  )

  test('shows a definition of a file that is named among other words', () => {
    expect(keysFor('src/payment/card.py charge the card')[0]).toBe('src/payment/card.py::charge_card')
    expect(keysFor('where does card.py charge a card')[0]).toBe('src/payment/card.py::charge_card')
  })

  test('brings files next to those found, and not without relations', () => {
    const found = ask('round half up', { minScore: 0.01 }).rows
    expect(keysOf(found)).toContain('src/cart.py')
    expect(keysFor('round half up', { minScore: 0.01, graphRerank: false })).not.toContain('src/cart.py')
    const near = found.find((it) => keyOf(graph, it.node) === 'file::src/cart.py')
    expect(near?.reason).toContain('near tax.py')
    expect(near?.parts.graph).toBeGreaterThan(0)
  })

  test('keeps to a scope, to types of nodes and to a least score', () => {
    expect(new Set(keysFor('bank card', { scope: 'src/payment' }).map((it) => it.split('::')[0]))).toEqual(
      new Set(['src/payment/card.py', 'src/payment/bank.py']),
    )
    expect(keysFor('customer', { scope: 'file::src/cart.py' }).every((it) => it.startsWith('src/cart.py'))).toBe(true)
    expect(keysFor('customer', { nodeTypes: new Set([CLASS]) }).sort()).toEqual([
      'src/cart.py::Cart',
      'src/invoice.py::Invoice',
    ])
    expect(keysFor('customer', { nodeTypes: new Set([FILE]) })[0]).toMatch(/^src\/(cart|invoice)\.py$/)
    expect(ask('bank', { minScore: 1 }).rows.length).toBe(1)
    expect(ask('taxes', { topK: 1 })).toMatchObject({ rows: [{ score: 1 }] })
    expect(ask('taxes', { topK: 1 }).total).toBeGreaterThan(1)
  })

  test('finds what an alike change touched before, and quotes that change', () => {
    const log = graph.strings.find('src/log.py')
    const file = Array.from(indexes.lexical.files).find((v) => graph.paths[v] === log) ?? NONE
    const past = [{ time: 0, message: 'Zebra stripes in the "audit"\n\nReported often.', files: [file], width: 1 }]
    const { rows } = seek(graph, { ...indexes, messages: buildMessages(past) }, { ...DEFAULTS, query: 'zebra stripes' })
    expect(keysOf(rows)[0]).toBe('src/log.py')
    expect(rows[0].parts.history).toBe(1)
    expect(rows[0].reason).toContain('past change "Zebra stripes in the audit"')
  })

  test('ranks definitions of all files against each other when no files are wanted', () => {
    const rows = ask('how are prices of items summed', { nodeTypes: new Set([FUNCTION]), minScore: 0 }).rows
    expect(keysOf(rows)[0]).toBe('src/cart.py::Cart.total')
    expect(rows.every((it) => graph.types[it.node] === FUNCTION)).toBe(true)
    expect(rows.map((it) => it.score)).toEqual(rows.map((it) => it.score).sort((a, b) => b - a))
  })

  test('gives the same rows for the same question', () => {
    expect(ask('customer total')).toEqual(ask('customer total'))
  })
})

describe('an answer without rows', () => {
  test.each([
    ['the and of', {}, 'no words'],
    ['zebra', {}, 'Found nowhere in the index: zebra'],
    ['customer', { scope: 'warehouse/' }, 'No indexed file lies under warehouse/'],
    ['bank', { scope: 'docs' }, 'none is left after scope docs'],
    ['zebra', { ranking: 'seed' as const }, 'No indexed name'],
  ])('says why: %s %j', (query, options, reason) => {
    const { rows, note } = ask(query, options)
    expect(rows).toEqual([])
    expect(note).toContain(reason)
  })

  test('or with others names the path that is not there', () => {
    const { rows, note } = ask('src/warehouse/cart_store.py:12')
    expect(rows.length).toBeGreaterThan(0)
    expect(note).toContain('No indexed file has the path src/warehouse/cart_store.py')
  })

  test('is given on an empty graph', () => {
    const empty = buildGraph({ nodes: [], edges: [], meta: emptyMeta() })
    const { rows } = seek(
      empty,
      { lexical: buildLexical([], empty), messages: emptyMessages(), semantic: buildSemantic(empty) },
      { ...DEFAULTS, query: 'cart' },
    )
    expect(rows).toEqual([])
  })
})
