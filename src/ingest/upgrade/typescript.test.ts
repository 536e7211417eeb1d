import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { blobHash } from '#ingest/text'
import { Tree } from '#ingest/tree-for-tests'
import { type Site, sitesOf } from '#ingest/upgrade'
import { checkProject } from '#ingest/upgrade/typescript'

// each test loads a compiler
vi.setConfig({ testTimeout: 120_000 })

const libraries = dirname(createRequire(import.meta.url).resolve('typescript-checker'))

function check(files: Record<string, string>, { tree = new Tree(files), budgetMs = 60_000 } = {}) {
  const scripts = Object.entries(files).filter(
    ([path]) => /\.[cm]?[jt]sx?$/.test(path) && !path.includes('node_modules'),
  )
  const project = {
    root: tree.root,
    files: new Map(scripts.map(([path, text]) => [path, blobHash(Buffer.from(text))])),
    configPaths: Object.keys(files).filter((it) => it.endsWith('.json') && !it.includes('node_modules')),
  }
  return checkProject(project, { libraries, budgetMs, progress: () => {} })
}

/** `total call cart.ts:3`, with `outside` for what is no part of the project. */
function said(files: Record<string, string>, path: string, tree?: Tree): string[] {
  const checked = check(files, tree === undefined ? {} : { tree })
  if (checked.kind !== 'done') throw new Error(checked.kind)
  const file = checked.set.files.find((it) => it.path === path)
  if (file === undefined) throw new Error(`nothing is said about ${path}`)
  const where = ({ targets }: Site) =>
    targets.map((it) => (it.path === '' ? 'outside' : `${it.path}:${it.line}`)).join(' ')
  return sitesOf({ set: checked.set, file }).map((it) => `${it.name} ${it.role} ${where(it)}`)
}

const CART = 'export class Cart {\n  lines: number[] = []\n  total() {\n    return this.lines.length\n  }\n}\n'

describe('the checker', () => {
  test('finds methods through inferred types, generics and callbacks', () => {
    const files = {
      'cart.ts': CART,
      'shop.ts': [
        "import { Cart } from './cart'",
        'const carts = new Map([["a", [new Cart()]]])',
        'export const sums = [...carts.values()].flatMap((it) => it.map((cart) => cart.total()))',
        'export function pick<T extends { cart: Cart }>(from: T) { return from.cart.total() }',
      ].join('\n'),
    }
    const got = said(files, 'shop.ts')
    expect(got.filter((it) => it.startsWith('total'))).toEqual(['total call cart.ts:3', 'total call cart.ts:3'])
    expect(got).toContain('Cart import cart.ts:1')
    expect(got).toContain('Cart call cart.ts:1')
    expect(got).toContain('flatMap call outside')
  })

  test('gives all members behind a union, all places of a function with a body, and the signature that is taken of others', () => {
    const files = {
      'shop.ts': [
        'class Box { weight() { return 1 } }',
        'class Bag { weight() { return 2 } }',
        'export function sum(it: Box | Bag) { return it.weight() }',
        'export function count(a: string): number',
        'export function count(a: number): number',
        'export function count() { return 1 }',
        'count(1)',
        'interface Till { open(a: string): void',
        '  open(a: number): void }',
        'export function go(till: Till) { till.open(1) }',
      ].join('\n'),
    }
    const got = said(files, 'shop.ts')
    expect(got).toContain('weight call shop.ts:1 shop.ts:2')
    expect(got).toContain('count call shop.ts:4 shop.ts:5 shop.ts:6')
    expect(got).toContain('open call shop.ts:9')
  })

  test('means the type itself, not what other modules add to it', () => {
    const files = {
      'till.ts': 'export interface Till { open(): void }\n',
      'more.ts': "declare module './till' { interface Till { close(): void } }\nexport {}\n",
      'shop.ts':
        "import type { Till } from './till'\nexport interface Big extends Till {}\nexport const go = (it: Till) => it.close()\n",
    }
    expect(said(files, 'shop.ts').filter((it) => !it.startsWith('it '))).toEqual([
      'Till import till.ts:1',
      'Till heritage till.ts:1',
      'Till type till.ts:1',
      'close call more.ts:1',
    ])
  })

  test('reads plain JavaScript without any configuration', () => {
    const files = {
      'tax.js':
        'function rate() { return 2 }\nfunction Tax() {}\nTax.prototype.of = function () { return 1 }\nmodule.exports = { rate, Tax }\n',
      'till.js':
        "const { rate, Tax } = require('./tax')\nconst all = require('./tax')\nrate()\nall.rate()\nnew Tax().of()\n",
      'view.jsx': "import { Row } from './row'\nexport const View = () => <Row><b /></Row>\n",
      'row.jsx': 'export function Row() { return null }\n',
    }
    const got = said(files, 'till.js')
    expect(got.filter((it) => it.includes('call') && !it.startsWith('require'))).toEqual([
      'rate call tax.js:1',
      'rate call tax.js:1',
      'Tax call tax.js:2',
      'of call tax.js:3',
    ])
    expect(said(files, 'view.jsx')).toContain('Row call row.jsx:1')
  })

  test('finds packages of a workspace in their sources, each by its own configuration, installed or not', () => {
    const files = {
      'package.json': '{ "name": "all", "workspaces": ["packages/*"] }',
      'packages/core/package.json': '{ "name": "@shop/core", "exports": { ".": "./dist/index.js" } }',
      'packages/core/src/index.ts': "export * from './cart'\n",
      'packages/core/src/cart.ts': CART,
      'packages/web/package.json': '{ "name": "@shop/web" }',
      'packages/web/tsconfig.json': '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } }',
      'packages/web/src/page.ts':
        "import { Cart } from '@shop/core'\nimport { show } from '@/show'\nshow(new Cart().total())\n",
      'packages/web/src/show.ts': 'export const show = (it: number) => it\n',
      'packages/app/tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }',
      'packages/app/lib/show.ts': 'export const show = (it: number) => it\n',
      'packages/app/main.ts': "import { show } from '@/show'\nshow(1)\n",
    }
    const page = said(files, 'packages/web/src/page.ts')
    expect(page).toContain('total call packages/core/src/cart.ts:3')
    expect(page).toContain('show call packages/web/src/show.ts:1')
    expect(said(files, 'packages/app/main.ts')).toContain('show call packages/app/lib/show.ts:1')
  })

  test('keeps what one package declares for itself out of the others', () => {
    const files = {
      'package.json': '{ "name": "all", "workspaces": ["packages/*"] }',
      'packages/core/package.json': '{ "name": "@shop/core", "main": "index.ts" }',
      'packages/core/index.ts': CART,
      'packages/lint/package.json': '{ "name": "@shop/lint" }',
      'packages/lint/fixture.d.ts': "declare module '@shop/core' {\n  export class Cart { total(): 1 }\n}\n",
      'packages/lint/shared.d.ts':
        "declare module 'pen' {\n  export function write(): void\n}\ndeclare function beep(): void\n",
      'packages/lint/rule.ts': "import { write } from 'pen'\nwrite()\nbeep()\n",
      'packages/web/package.json': '{ "name": "@shop/web" }',
      'packages/web/page.ts':
        "import { Cart } from '@shop/core'\nimport { write } from 'pen'\nnew Cart().total()\nwrite()\nbeep()\n",
    }
    const callsIn = (path: string) => said(files, path).filter((it) => it.includes(' call '))
    expect(callsIn('packages/web/page.ts')).toEqual([
      'Cart call packages/core/index.ts:1',
      'total call packages/core/index.ts:3',
    ])
    expect(callsIn('packages/lint/rule.ts')).toEqual([
      'write call packages/lint/shared.d.ts:2',
      'beep call packages/lint/shared.d.ts:4',
    ])
  })

  test('takes types of installed packages, and knows nothing of what others give back', () => {
    const files: Record<string, string> = {
      'node_modules/pen/package.json': '{ "name": "pen", "types": "index.d.ts" }',
      'node_modules/pen/index.d.ts': 'export function take(): { write(): void }\n',
      'shop.ts':
        "import { take } from 'pen'\nimport lost from 'lost'\ntake().write()\nconst { pen } = lost\npen.open()\nlost.make().shut()\n",
    }
    files['till.js'] = "var path = require('path')\nconst { read } = require('fs')\npath.join()\nread()\n"
    expect(said(files, 'till.js').filter((it) => it.includes('call'))).toEqual([
      'join call outside',
      'read call outside',
    ])
    const got = said(files, 'shop.ts')
    expect(got.filter((it) => it.includes('call'))).toEqual([
      'take call outside',
      'write call outside',
      'open call outside',
      'make call outside',
    ])
  })
})

describe('nothing of the repository', () => {
  test('is run, and no configuration leads out of the root', () => {
    const secret = new Tree({
      'secret.ts': 'export function secret() {}\n',
      'base.json': '{ "compilerOptions": { "paths": { "secret": ["./secret.ts"] } } }',
    })
    const ran = secret.path('ran')
    const plugin = `require('fs').writeFileSync(${JSON.stringify(ran)}, '')\nmodule.exports = () => ({ create() {} })\n`
    const files = {
      'tsconfig.json': JSON.stringify({
        extends: secret.path('base.json'),
        compilerOptions: {
          plugins: [{ name: 'evil', transform: './evil.js' }],
          typeRoots: [secret.root],
          rootDirs: ['/'],
        },
        files: [secret.path('secret.ts')],
      }),
      'node_modules/evil/package.json': '{ "name": "evil", "main": "index.js" }',
      'node_modules/evil/index.js': plugin,
      'evil.js': plugin,
      'shop.ts': `import { secret } from ${JSON.stringify(secret.path('secret'))}\nimport { other } from './linked'\nsecret()\nother()\n/// <reference path="${secret.path('secret.ts')}" />\n`,
    }
    const tree = new Tree(files).link('linked.ts', secret.path('secret.ts'))
    const got = said(files, 'shop.ts', tree)
    // a file that had been read would at least be known to lie outside
    expect(got.filter((it) => it.includes('call'))).toEqual([])
    expect(existsSync(ran)).toBe(false)
  })

  test('is said about a file that changed since it was ingested', () => {
    const files = { 'cart.ts': CART, 'shop.ts': "import { Cart } from './cart'\nnew Cart().total()\n" }
    const tree = new Tree(files).write({ 'cart.ts': `// new\n${CART}` })
    const checked = check(files, { tree })
    expect(checked.kind === 'done' && checked.set.files.map((it) => it.path)).toEqual(['shop.ts'])
  })

  test('is said when the time is over', () => {
    expect(check({ 'cart.ts': CART }, { budgetMs: 0 })).toEqual({ kind: 'time' })
  })
})
