import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

describe('TypeScript and JavaScript', () => {
  test('names lead through barrels of barrels to the defining symbol, and cycles end', async () => {
    const { edges } = await resolveSources({
      'src/index.ts': "export * from './shop'\nexport { default as Till } from './till'\n",
      'src/shop/index.ts': "export * from './cart'\nexport * from '../index'\n",
      'src/shop/cart.ts': 'export class Cart { total() { return 1 } }\n',
      'src/till.ts': 'export default class Cashier { open() { return 1 } }\n',
      'src/use.ts':
        "import * as shop from './index'\nimport { Cart as Basket } from '.'\nexport function run() { new Basket().total(); return new shop.Till().open() }\n",
    })
    expect(edges).toContain('src/use.ts#run calls src/shop/cart.ts#Cart')
    expect(edges).toContain('src/use.ts#run calls src/shop/cart.ts#Cart.total')
    expect(edges).toContain('src/use.ts#run calls src/till.ts#Cashier')
    expect(edges).toContain('src/use.ts#run calls src/till.ts#Cashier.open')
    expect(edges).toContain('src/index.ts reexports src/shop/index.ts')
    expect(edges).toContain('src/use.ts imports src/index.ts')
  })

  test('aliases come from the nearest tsconfig, through extends', async () => {
    const { edges } = await resolveSources({
      'tsconfig.base.json': '{ // shared\n "compilerOptions": { "paths": { "@lib/*": ["./libs/*/src"], } } }',
      'apps/web/tsconfig.json': '{ "extends": "../../tsconfig.base.json" }',
      'apps/web/main.ts': "import { log } from '@lib/log'\nexport function main() { log() }\n",
      'libs/log/src/index.ts': 'export function log() {}\n',
    })
    expect(edges).toContain('apps/web/main.ts imports libs/log/src/index.ts')
    expect(edges).toContain('apps/web/main.ts#main calls libs/log/src/index.ts#log')
  })

  test('an alias that no configuration explains is reported, not guessed', async () => {
    const { edges, result } = await resolveSources({
      'src/a.ts': "import { sum } from '@/math'\nexport const a = sum()\n",
      'src/math.ts': 'export function sum() { return 1 }\n',
    })
    expect(edges).toEqual([])
    expect(result.problems).toEqual([
      { path: 'src/a.ts', line: 1, message: 'The alias in "@/math" is not known from any configuration file.' },
    ])
  })

  test('packages of the workspace are found by exports, by main and by their own imports', async () => {
    const { edges } = await resolveSources({
      'package.json': '{ "private": true, "workspaces": ["packages/*"] }',
      'packages/kit/package.json':
        '{ "name": "@acme/kit", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./math": "./dist/math.js" }, "imports": { "#inner/*": "./src/inner/*.ts" } }',
      'packages/kit/src/index.ts': "import { deep } from '#inner/deep'\nexport function hello() { return deep() }\n",
      'packages/kit/src/math.ts': 'export function add() { return 1 }\n',
      'packages/kit/src/inner/deep.ts': 'export function deep() { return 1 }\n',
      'packages/app/package.json': '{ "name": "app" }',
      'packages/app/run.ts':
        "import { hello } from '@acme/kit'\nimport { add } from '@acme/kit/math'\nimport react from 'react'\nexport function run() { return hello() + add() + react.use() }\n",
    })
    expect(edges).toContain('packages/app/run.ts#run calls packages/kit/src/index.ts#hello')
    expect(edges).toContain('packages/app/run.ts#run calls packages/kit/src/math.ts#add')
    expect(edges).toContain('packages/kit/src/index.ts#hello calls packages/kit/src/inner/deep.ts#deep')
  })

  test('written extensions find their sources', async () => {
    const { edges } = await resolveSources({
      'a.ts': "import { b } from './b.js'\nimport { c } from './c.mjs'\nimport { d } from './d'\nb(); c(); d()\n",
      'b.ts': 'export function b() {}\n',
      'c.mts': 'export function c() {}\n',
      'd/index.tsx': 'export function d() {}\n',
    })
    expect(edges).toContain('a.ts calls b.ts#b')
    expect(edges).toContain('a.ts calls c.mts#c')
    expect(edges).toContain('a.ts calls d/index.tsx#d')
  })

  test('CommonJS exports and requires, also in part', async () => {
    const { edges } = await resolveSources({
      'shelf.js':
        'class Shelf { put() { return 1 } }\nfunction make() { return new Shelf() }\nmodule.exports = { Shelf, make }\n',
      'lone.js': 'module.exports = function lone() { return 1 }\n',
      'use.js':
        "const shelf = require('./shelf')\nconst { make: build } = require('./shelf')\nconst lone = require('./lone')\nfunction go() { build().put(); new shelf.Shelf(); return lone() }\n",
    })
    expect(edges).toContain('use.js#go calls shelf.js#make')
    expect(edges).toContain('use.js#go calls shelf.js#Shelf.put')
    expect(edges).toContain('use.js#go calls shelf.js#Shelf')
    expect(edges).toContain('use.js#go calls lone.js#lone')
  })

  test('components used as elements are called, lower-case tags are not', async () => {
    const { edges } = await resolveSources({
      'Badge.tsx': 'export const Badge = () => <b />\nexport function b() { return 1 }\n',
      'ui.ts': "export * as parts from './Badge'\n",
      'Panel.tsx':
        "import { Badge } from './Badge'\nimport { parts } from './ui'\nexport const Panel = () => <div><Badge /><parts.Badge /><b /></div>\n",
    })
    expect(edges).toContain('Panel.tsx#Panel calls Badge.tsx#Badge')
    expect(edges.filter((it) => it.endsWith('Badge.tsx#b'))).toEqual([])
  })

  test('types flow through fields, results, generics and dynamic imports', async () => {
    const { edges } = await resolveSources({
      'user.ts':
        'export class User { greet() { return 1 } }\nexport async function load(): Promise<User> { return new User() }\n',
      'use.ts': `import { load, User } from './user'
export class Page {
  constructor(private readonly user: User) {}
  users: User[] = []
  async show() {
    this.user.greet()
    const one = await load()
    one.greet()
    for (const it of this.users) it.greet()
  }
}
export async function later() {
  const { load: lazy } = await import('./user')
  return lazy()
}
`,
    })
    expect(edges).toContain('use.ts#Page.show calls user.ts#User.greet')
    expect(edges).toContain('use.ts#later calls user.ts#load')
    expect(edges).toContain('use.ts imports user.ts')
  })

  test('a method of a library object does not bind to a local function of that name', async () => {
    const { edges } = await resolveSources({
      'a.ts':
        "import { z } from 'zod'\nexport function record() { return 1 }\nexport const schema = z.record()\nconsole.record()\n",
    })
    expect(edges.filter((it) => it.includes('calls'))).toEqual([])
  })

  test('what the members of an untyped parameter tell is its class', async () => {
    const { tiers } = await resolveSources({
      'context.ts':
        'export class Context { json() { return 1 }\n redirectTo() { return 2 } }\nexport class Other { json() { return 3 } }\n',
      'use.ts': 'export function handle(c) { c.redirectTo(); return c.json() }\n',
    })
    expect(tiers).toContain('use.ts#handle calls context.ts#Context.json (unique)')
  })

  test('tests belong to the file of their name and to the only file they import', async () => {
    const { edges } = await resolveSources({
      'src/cart.ts': 'export const total = () => 1\n',
      'src/cart.test.ts': "import { total } from './cart'\ntotal()\n",
      'src/__tests__/till.ts': "import { open } from '../till'\nopen()\n",
      'src/till.ts': 'export const open = () => 1\n',
    })
    expect(edges).toContain('src/cart.test.ts tests src/cart.ts')
    expect(edges).toContain('src/__tests__/till.ts tests src/till.ts')
  })

  test('calls between files are lifted once per pair', async () => {
    const { result } = await resolveSources({
      'a.ts': "import { x, y } from './b'\nexport function f() { x(); y() }\n",
      'b.ts': 'export function x() {}\nexport function y() {}\n',
    })
    const lifted = result.edges.filter((it) => it.lifted)
    expect(lifted.map((it) => [it.fromFile, it.from, it.toFile, it.to, it.weight])).toEqual([[0, -1, 1, -1, 0.4]])
  })

  test('long chains of calls are followed to their end', async () => {
    const chain = '.set()'.repeat(60)
    const { edges } = await resolveSources({
      'query.ts': 'export class Query { set(): this { return this }\n done() { return 1 } }\n',
      'use.ts': `import { Query } from './query'\nexport const run = () => new Query()${chain}.done()\n`,
    })
    expect(edges).toContain('use.ts#run calls query.ts#Query.done')
  })

  test('edges, counts and sites are the same for the same input', async () => {
    const files = { 'a.ts': "import { x } from './b'\nx(); missing.thing.go()\n", 'b.ts': 'export function x() {}\n' }
    const [one, two] = [await resolveSources(files), await resolveSources(files)]
    expect(one.result).toEqual(two.result)
    expect(one.result.counts.resolved).toBeGreaterThan(0)
  })
})
