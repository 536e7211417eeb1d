import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

describe('Python', () => {
  test('the worked example of a cart gives its calls, references and bases', async () => {
    const { edges } = await resolveSources({
      'shop/__init__.py': '',
      'shop/db.py': 'class Session:\n    pass\n\ndef connect(n):\n    return n\n',
      'cart.py': `import os
from shop.db import Session, connect as dial

class Base:
    pass

class Money:
    pass

class Tax:
    @staticmethod
    def apply(n):
        return n

def route(path):
    return lambda f: f

class Cart(Base):
    """Shopping cart."""
    def total(self) -> Money:
        return self.sum() + Tax.apply(3)

    def sum(self):
        return 0

@route("/cart")
async def show(cart: Cart):
    s = "def fake(): class Nope"
    return dial(cart.total())
`,
    })
    for (const edge of [
      'cart.py imports shop/db.py',
      'cart.py imports shop/db.py#Session',
      'cart.py imports shop/db.py#connect',
      'cart.py#Cart implements cart.py#Base',
      'cart.py#Cart.total references cart.py#Money',
      'cart.py#Cart.total calls cart.py#Cart.sum',
      'cart.py#Cart.total calls cart.py#Tax.apply',
      'cart.py#Cart.total references cart.py#Tax',
      'cart.py#show references cart.py#Cart',
      'cart.py#show references cart.py#route',
      'cart.py#show calls shop/db.py#connect',
      'cart.py#show calls cart.py#Cart.total',
    ])
      expect(edges).toContain(edge)
  })

  test('a name that two modules define is guessed from the same folder, and the import decides where there is one', async () => {
    const files = {
      'a/config.py': 'class Config:\n    pass\n',
      'b/config.py': 'class Config:\n    pass\n',
    }
    const without = await resolveSources({ ...files, 'a/x.py': 'def read(c: Config):\n    return c\n' })
    expect(without.tiers).toContain('a/x.py#read references a/config.py#Config (guess)')
    const withImport = await resolveSources({
      ...files,
      'a/x.py': 'from b.config import Config\n\ndef read(c: Config):\n    return c\n',
    })
    expect(withImport.tiers).toContain('a/x.py#read references b/config.py#Config (exact)')
    expect(withImport.edges.join()).not.toContain('a/x.py#read references a/config.py')
  })

  test('relative imports count their dots, and a package gives its submodules as well as its own names', async () => {
    const { edges } = await resolveSources({
      'shop/__init__.py': 'from .cart import Cart as Basket\n',
      'shop/cart.py': 'class Cart:\n    def pay(self):\n        return 1\n',
      'shop/api/__init__.py': '',
      'shop/api/orders.py':
        'from .. import cart\nfrom ..cart import Cart\nfrom . import routes\n\ndef place():\n    routes.add()\n    return cart.Cart().pay()\n',
      'shop/api/routes.py': 'def add():\n    pass\n',
      'main.py': 'from shop import Basket, cart\n\ndef run():\n    Basket().pay()\n    return cart\n',
    })
    expect(edges).toContain('shop/api/orders.py imports shop/cart.py')
    expect(edges).toContain('shop/api/orders.py imports shop/__init__.py')
    expect(edges).toContain('shop/api/orders.py imports shop/api/routes.py')
    expect(edges).toContain('shop/api/orders.py#place calls shop/api/routes.py#add')
    expect(edges).toContain('shop/api/orders.py#place calls shop/cart.py#Cart')
    expect(edges).toContain('shop/api/orders.py#place calls shop/cart.py#Cart.pay')
    expect(edges).toContain('main.py#run calls shop/cart.py#Cart')
    expect(edges).toContain('main.py#run calls shop/cart.py#Cart.pay')
    expect(edges).toContain('main.py imports shop/cart.py')
  })

  test('super, inherited methods, class attributes and properties lead to where they are defined', async () => {
    const { edges } = await resolveSources({
      'base.py':
        'class Shelf:\n    def add(self, book):\n        return self.check(book)\n\n    def check(self, book):\n        return True\n',
      'tall.py':
        'from base import Shelf\nfrom label import Label\n\nclass Tall(Shelf):\n    label = Label()\n\n    def add(self, book):\n        self.label.show()\n        return super().add(book)\n\n    @property\n    def sign(self) -> Label:\n        return self.label\n\ndef use():\n    t = Tall()\n    t.check(1)\n    return t.sign.show()\n',
      'label.py': 'class Label:\n    def show(self):\n        return ""\n',
      'decoy.py':
        'class Decoy:\n    def add(self, b):\n        pass\n    def check(self, b):\n        pass\n    def show(self):\n        pass\n',
    })
    expect(edges).toContain('tall.py#Tall.add calls base.py#Shelf.add')
    expect(edges).toContain('tall.py#Tall.add calls label.py#Label.show')
    expect(edges).toContain('tall.py#use calls base.py#Shelf.check')
    expect(edges).toContain('tall.py#use calls label.py#Label.show')
    expect(edges.filter((it) => it.includes('decoy.py'))).toEqual([])
  })

  test('what comes from an installed library never binds to a project symbol of the same name', async () => {
    const { edges, result } = await resolveSources({
      'local.py': 'def dumps(x):\n    return x\n\nclass Client:\n    def fetch(self):\n        pass\n',
      'use.py':
        'import json\nimport requests\n\ndef save(x):\n    c = requests.Client()\n    c.fetch()\n    return json.dumps(x)\n',
    })
    expect(edges.filter((it) => it.startsWith('use.py'))).toEqual([])
    expect(result.externals.map((it) => it.package).sort()).toEqual(['pypi::json', 'pypi::requests'])
  })

  test('an import in a function, under a condition or in a try holds in its scope', async () => {
    const { edges } = await resolveSources({
      'fast.py': 'def parse(x):\n    return x\n',
      'slow.py': 'def parse(x):\n    return x\n',
      'use.py':
        'try:\n    from fast import parse\nexcept ImportError:\n    from slow import parse\n\ndef a():\n    return parse(1)\n\ndef b():\n    from slow import parse as p\n    return p(2)\n',
    })
    expect(edges).toContain('use.py#a calls fast.py#parse')
    expect(edges).toContain('use.py#b calls slow.py#parse')
    expect(edges).toContain('use.py imports slow.py')
  })

  test('a field takes the type of the parameter that fills it', async () => {
    const { edges } = await resolveSources({
      'store.py': 'class Store:\n    def load(self):\n        pass\n',
      'service.py':
        'from store import Store\n\nclass Service:\n    def __init__(self, store: Store):\n        self.store = store\n\n    def run(self):\n        return self.store.load()\n',
    })
    expect(edges).toContain('service.py#Service.run calls store.py#Store.load')
  })

  test('code that cannot run is marked', async () => {
    const { result } = await resolveSources({ 'a.py': 'def old():\n    pass\n\nif False:\n    old()\n' })
    expect(result.edges.filter((it) => it.relation === 'calls').map((it) => it.unreachable)).toEqual([true])
  })

  test('routers are registered with the file that includes them', async () => {
    const { edges } = await resolveSources({
      'app.py': 'from fastapi import FastAPI\nimport users\n\napp = FastAPI()\napp.include_router(users.router)\n',
      'users.py': 'from fastapi import APIRouter\n\nrouter = APIRouter()\n',
    })
    expect(edges).toContain('app.py registers users.py')
  })

  test('several methods of one name and no type give a guess of half weight, more than five give none', async () => {
    const two = await resolveSources({
      'a/ship.py': 'class Ship:\n    def board(self):\n        pass\n',
      'b/train.py': 'class Train:\n    def board(self):\n        pass\n',
      'a/use.py': 'def go(x):\n    x.board()\n',
    })
    expect(two.tiers).toContain('a/use.py#go calls a/ship.py#Ship.board (guess)')
    expect(two.result.edges.find((it) => it.relation === 'calls' && it.tier === 'guess')?.weight).toBeCloseTo(0.2)
    const many: Record<string, string> = { 'x/use.py': 'def go(x):\n    x.board()\n' }
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      many[`${name}/m.py`] = `class ${name.toUpperCase()}:\n    def board(self):\n        pass\n`
    const none = await resolveSources(many)
    expect(none.edges.filter((it) => it.includes(' calls '))).toEqual([])
    expect(none.result.sites.map((it) => it.text)).toEqual(['x.board()'])
  })

  test('every call that leads nowhere known is kept by name, however many a file has', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `    x.stop_${i}()\n`)
    const { result } = await resolveSources({ 'use.py': `def go(x):\n${lines.join('')}` })
    expect(result.counts.unresolved).toBe(300)
    expect(result.sites).toHaveLength(300)
  })

  test('a method name that every container has says nothing about a receiver of unknown type', async () => {
    const { edges } = await resolveSources({
      'bag.py': 'class Bag:\n    def append(self, x):\n        pass\n',
      'use.py': 'def go(x):\n    x.append(1)\n',
    })
    expect(edges.filter((it) => it.startsWith('use.py'))).toEqual([])
  })
})

describe('How sure Python is', () => {
  test('a call through `cls`, a field or a variable is as sure as a type, not as a name', async () => {
    const { tiers } = await resolveSources({
      'till.py':
        'class Cart:\n    pass\n\ndef ring():\n    pass\n\nclass Till:\n    cart_class = Cart\n    @classmethod\n    def make(cls):\n        return cls()\n    def open(self):\n        return self.cart_class()\n\ndef go():\n    call = ring\n    call()\n    Cart()\n',
    })
    expect(tiers).toContain('till.py#Till.make calls till.py#Till (typed)')
    expect(tiers).toContain('till.py#Till.open calls till.py#Cart (typed)')
    expect(tiers).toContain('till.py#go calls till.py#ring (typed)')
    expect(tiers).toContain('till.py#go calls till.py#Cart (exact)')
  })

  test('members used of one variable tell its class; members used of several of one name only suggest it', async () => {
    const sources = {
      'pool.py': 'class Pool:\n    def lease(self):\n        pass\n    def drain_all(self):\n        pass\n',
      'lot.py': 'class Lot:\n    def lease(self):\n        pass\n',
    }
    const together = await resolveSources({
      ...sources,
      'use.py': 'def go(x):\n    x.lease()\n    x.drain_all()\n',
    })
    expect(together.tiers).toContain('use.py#go calls pool.py#Pool.lease (unique)')
    const apart = await resolveSources({
      ...sources,
      'use.py': 'def go(x):\n    x.lease()\n\ndef come(x):\n    x.drain_all()\n',
    })
    expect(apart.tiers).toContain('use.py#go calls pool.py#Pool.lease (guess)')
  })
})

test('names that stand for each other come to an end', async () => {
  const { edges } = await resolveSources({
    'a.py':
      'from b import second, Odd\n\nfirst = second\nFIRST = SECOND\nSECOND = FIRST\n\ndef ping():\n    return pong\n\ndef pong():\n    return ping\n\nclass Even(Odd):\n    pass\n\ndef go(x: FIRST):\n    first.run()\n    ping.deep.name()\n    ping()[0].name()\n    FIRST()\n    x.run()\n    Even().size()\n',
    'b.py': 'from a import first, Even\n\nsecond = first\n\nclass Odd(Even):\n    pass\n',
  })
  expect(edges).toContain('a.py#Even implements b.py#Odd')
  expect(edges).toContain('b.py#Odd implements a.py#Even')
})
