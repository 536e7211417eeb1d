import { expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'
import type { Role, Site, Target } from '#ingest/upgrade'

function site(line: number, name: string, role: Role, ...targets: Target[]): Site {
  return { line, column: 0, name, role, targets }
}

function at(path: string, line: number, name: string): Target {
  return { path, line, name }
}

const OUTSIDE: Target = { path: '', line: 0, name: '' }

const SHOP = {
  'cart.py': 'class Cart:\n    def total(self):\n        return 0\n',
  'order.py': 'class Order:\n    def total(self):\n        return 1\n',
  'show.py': 'def show(thing):\n    return thing.total()\n',
}

test('what a compiler says about a call takes the place of a guess', async () => {
  const before = await resolveSources(SHOP)
  expect(before.tiers).toContain('show.py#show calls cart.py#Cart.total (guess)')

  const { tiers, result } = await resolveSources(SHOP, {
    sites: { 'show.py': [site(2, 'total', 'call', at('order.py', 2, 'total'))] },
  })
  expect(tiers.filter((it) => it.startsWith('show.py'))).toEqual(['show.py#show calls order.py#Order.total (exact)'])
  expect(result.counts.ambiguous).toBe(0)
})

test('several targets of one site are all meant', async () => {
  const { tiers } = await resolveSources(SHOP, {
    sites: { 'show.py': [site(2, 'total', 'call', at('order.py', 2, 'total'), at('cart.py', 2, 'total'))] },
  })
  expect(tiers.filter((it) => it.startsWith('show.py'))).toEqual([
    'show.py#show calls cart.py#Cart.total (exact)',
    'show.py#show calls order.py#Order.total (exact)',
  ])
})

test('a call that leaves the project makes no edge and is no open question', async () => {
  const { tiers, result } = await resolveSources(SHOP, { sites: { 'show.py': [site(2, 'total', 'call', OUTSIDE)] } })
  expect(tiers.filter((it) => it.startsWith('show.py'))).toEqual([])
  expect(result.sites).toEqual([])
  expect(result.files[2].counts.external).toBe(1)
})

test('nothing is guessed from the name of a variable, and the call stays an open question', async () => {
  const { tiers, result } = await resolveSources(SHOP, {
    sites: { 'show.py': [site(2, 'total', 'call', at('show.py', 1, 'total'))] },
  })
  expect(tiers.filter((it) => it.startsWith('show.py'))).toEqual([])
  expect(result.sites).toEqual([
    { path: 'show.py', line: 2, text: 'thing.total()', reason: 'the value of a variable is called' },
  ])
})

test('a name that facts do not list becomes an edge from the innermost definition around it', async () => {
  const files = {
    ...SHOP,
    'show.py': 'def show(thing):\n    def inner():\n        return thing.total\n    return inner\n',
  }
  const { tiers } = await resolveSources(files, {
    sites: { 'show.py': [site(3, 'total', 'value', at('cart.py', 2, 'total'))] },
  })
  expect(tiers).toContain('show.py#show.inner references cart.py#Cart.total (exact)')
})

test('bases and imports follow what was said as well', async () => {
  const files = {
    'base.py': 'class Item:\n    pass\n\nclass Thing:\n    pass\n',
    'goods.py': 'from base import Item\n\nclass Book(Item):\n    pass\n',
  }
  const { tiers } = await resolveSources(files, {
    sites: {
      'goods.py': [
        site(1, 'Item', 'import', at('base.py', 4, 'Thing')),
        site(3, 'Item', 'heritage', at('base.py', 4, 'Thing')),
      ],
    },
  })
  expect(tiers.filter((it) => it.startsWith('goods.py'))).toEqual([
    'goods.py imports base.py (exact)',
    'goods.py imports base.py#Thing (exact)',
    'goods.py#Book implements base.py#Thing (exact)',
  ])
})

test('a target whose file changed since is found by its name, and only when one definition has it', async () => {
  const sites = { 'show.py': [site(2, 'total', 'call', at('cart.py', 2, 'total'))] }
  const moved = { ...SHOP, 'cart.py': `# the cart\n\n${SHOP['cart.py']}` }
  const { tiers } = await resolveSources(moved, { sites, before: SHOP })
  expect(tiers).toContain('show.py#show calls cart.py#Cart.total (typed)')

  const doubled = { ...SHOP, 'cart.py': `${SHOP['cart.py']}\nclass Bag:\n    def total(self):\n        return 2\n` }
  const { tiers: unsure } = await resolveSources(doubled, { sites, before: SHOP })
  expect(unsure.filter((it) => it.startsWith('show.py') && it.endsWith('(exact)'))).toEqual([])
})

test('definitions side by side on one line are not told apart', async () => {
  const files = {
    'cart.ts': 'export class Cart { total() { return rate } }\nexport const rate = 1\n',
    'both.ts': "import { rate } from './cart'\nexport class A { a() { return rate } b() { return 2 } }\n",
  }
  const { edges } = await resolveSources(files, {
    sites: { 'both.ts': [site(2, 'rate', 'value', at('cart.ts', 2, 'rate'))] },
  })
  expect(edges).not.toContain('both.ts#A.b references cart.ts#rate')
})
