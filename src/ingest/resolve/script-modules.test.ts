/** How modules of TypeScript and JavaScript find each other, and what is said where they do not. */

import { describe, expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

const TAX = 'export function rate() { return 1 }\n'
const use = (specifier: string) => `import { rate } from '${specifier}'\nexport function go() { return rate() }\n`

interface Case {
  files: Record<string, string>
  has?: string[]
  lacks?: string[]
}

const CASES: Record<string, Case> = {
  'extends takes a list, a package of the workspace, and a path without extension': {
    files: {
      'package.json': '{ "workspaces": ["config", "apps/*"] }',
      'config/package.json': '{ "name": "@acme/config" }',
      'config/base.json': '{ "compilerOptions": { "strict": true } }',
      'config/tsconfig.paths.json': '{ "compilerOptions": { "paths": { "@tax": ["../lib/tax"] } } }',
      'apps/web/package.json': '{ "name": "web" }',
      'apps/web/tsconfig.json': '{ "extends": ["@acme/config/base.json", "../../config/tsconfig.paths"] }',
      'apps/web/a.ts': use('@tax'),
      'lib/tax.ts': TAX,
    },
    has: ['apps/web/a.ts#go calls lib/tax.ts#rate'],
  },
  'a missing base hides nothing else': {
    files: {
      'tsconfig.json':
        '{ "extends": "@tsconfig/node20/tsconfig.json", "compilerOptions": { "baseUrl": "./src", "paths": { "~/*": ["lib/*"] } } }',
      'src/a.ts': use('~/tax'),
      'src/b.ts': use('lib/tax'),
      'src/lib/tax.ts': TAX,
    },
    has: ['src/a.ts#go calls src/lib/tax.ts#rate', 'src/b.ts#go calls src/lib/tax.ts#rate'],
  },
  'projects that are referred to hold for the files that they include': {
    files: {
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }, { "path": "./tools" }] }',
      'tsconfig.app.json': '{ "include": ["src"], "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'tools/tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
      'src/a.ts': use('@/tax'),
      'src/tax.ts': TAX,
      'tools/a.ts': use('@/tax'),
      'tools/tax.ts': TAX,
    },
    has: ['src/a.ts#go calls src/tax.ts#rate', 'tools/a.ts#go calls tools/tax.ts#rate'],
  },
  'jsconfig, exact names and the longest pattern': {
    files: {
      'jsconfig.json':
        '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "@/lib/*": ["./library/*"], "tax": ["./library/tax.js"] } } }',
      'src/a.js': use('@/lib/tax'),
      'src/b.js': use('tax'),
      'library/tax.js': TAX,
      'src/lib/tax.js': TAX,
    },
    has: ['src/a.js#go calls library/tax.js#rate', 'src/b.js#go calls library/tax.js#rate'],
    lacks: ['src/a.js#go calls src/lib/tax.js#rate'],
  },
  'written and left out extensions': {
    files: {
      'a.mts': `${use('./tax.mjs')}import './b.cjs'\nimport './c.jsx'\nimport './d'\nimport './e'\nimport './f'\n`,
      'tax.mts': TAX,
      'b.cts': '',
      'c.tsx': '',
      'd.mts': '',
      'e.cts': '',
      'f/index.mts': '',
    },
    has: [
      'a.mts#go calls tax.mts#rate',
      'a.mts imports b.cts',
      'a.mts imports c.tsx',
      'a.mts imports d.mts',
      'a.mts imports e.cts',
      'a.mts imports f/index.mts',
    ],
  },
  'exports and imports of a package, with patterns, conditions and itself': {
    files: {
      'kit/package.json': `{ "name": "@acme/kit", "exports": {
        ".": { "@acme/source": "./src/main.ts", "import": "./dist/main.js" },
        "./tools/*": { "require": "./dist/cjs/tools/*.cjs", "import": "./dist/tools/*.js" }, "./internal/*": null },
        "imports": { "#lib/*": "./src/lib/*.ts", "#tax": { "node": "./src/lib/tax.ts" } } }`,
      'kit/src/main.ts': "export * from '#lib/tax'\n",
      'kit/src/lib/tax.ts': TAX,
      'kit/src/tools/tax.ts': TAX,
      'kit/src/own.ts': use('@acme/kit'),
      'kit/src/hash.ts': use('#tax'),
      'app/a.ts': use('@acme/kit'),
      'app/b.ts': use('@acme/kit/tools/tax'),
    },
    has: [
      'app/a.ts#go calls kit/src/lib/tax.ts#rate',
      'app/b.ts#go calls kit/src/tools/tax.ts#rate',
      'kit/src/own.ts#go calls kit/src/lib/tax.ts#rate',
      'kit/src/hash.ts#go calls kit/src/lib/tax.ts#rate',
    ],
  },
  'dependencies by another name': {
    files: {
      'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n",
      'packages/kit/package.json': '{ "name": "@acme/kit", "main": "dist/index.js" }',
      'packages/kit/src/index.ts': TAX,
      'packages/app/package.json':
        '{ "name": "app", "dependencies": { "kit": "workspace:@acme/kit@*", "near": "file:../kit" } }',
      'packages/app/a.ts': use('kit'),
      'packages/app/b.ts': use('near'),
    },
    has: [
      'packages/app/a.ts#go calls packages/kit/src/index.ts#rate',
      'packages/app/b.ts#go calls packages/kit/src/index.ts#rate',
    ],
  },
  'aliases of bundlers and test runners': {
    files: {
      'web/vite.config.ts':
        "export default { resolve: { alias: { '@': path.resolve(__dirname, './src'), tax: fileURLToPath(new URL('./src/tax.ts', import.meta.url)) } } }",
      'web/src/a.ts': use('@/tax'),
      'web/src/b.ts': use('tax'),
      'web/src/tax.ts': TAX,
      'list/vite.config.ts':
        "export default { resolve: { alias: [{ find: /^~\\//, replacement: path.join(process.cwd(), 'lib/') }] } }",
      'list/a.ts': use('~/tax'),
      'list/lib/tax.ts': TAX,
      'jest/package.json': '{ "jest": { "moduleNameMapper": { "^@lib/(.*)$": "<rootDir>/lib/$1" } } }',
      'jest/a.ts': use('@lib/tax'),
      'jest/lib/tax.ts': TAX,
    },
    has: [
      'web/src/a.ts#go calls web/src/tax.ts#rate',
      'web/src/b.ts#go calls web/src/tax.ts#rate',
      'list/a.ts#go calls list/lib/tax.ts#rate',
      'jest/a.ts#go calls jest/lib/tax.ts#rate',
    ],
  },
  'dynamic, lazy and mocked modules': {
    files: {
      'tax.tsx': `${TAX}export default function Page() { return null }\n`,
      'a.tsx': `import { lazy } from 'react'
const Page = lazy(() => import('./tax'))
export const View = () => <Page />
export async function go() { const { rate } = await import('./tax'); return rate() }`,
      'b.test.ts': "import { vi } from 'vitest'\nvi.mock('./tax')\n",
      'c.test.js': "jest.mock('./tax', () => ({}))\n",
    },
    has: [
      'a.tsx#View calls tax.tsx#Page',
      'a.tsx#go calls tax.tsx#rate',
      'b.test.ts imports tax.tsx',
      'c.test.js imports tax.tsx',
    ],
  },
  'barrels, renames, namespaces and types only': {
    files: {
      'tax.ts': `${TAX}export default class Till { open() {} }\nexport type Money = number\n`,
      'one.ts': "export { rate as price, default as Desk } from './tax'\nexport type { Money } from './tax'\n",
      'two.ts': "export * as shop from './one'\n",
      'three.ts': "export * from './two'\n",
      'a.ts': `import { shop } from './three'
import type { Money } from './one'
export function go(it: Money) { shop.price(); new shop.Desk().open() }`,
    },
    has: [
      'a.ts#go calls tax.ts#rate',
      'a.ts#go calls tax.ts#Till',
      'a.ts#go calls tax.ts#Till.open',
      'a.ts#go references tax.ts#Money',
    ],
  },
  'CommonJS in its forms': {
    files: {
      'named.js': 'exports.rate = function () {}\nmodule.exports.cost = () => 1\nexports.Till = class { open() {} }\n',
      'object.js': "function sum() {}\nmodule.exports = { sum, total: sum, tax() {}, ...require('./named') }\n",
      'handed.js': "module.exports = require('./object')\n",
      'chain.js':
        'var app = exports = module.exports = {}\napp.start = function () { this.stop() }\napp.stop = function () {}\n',
      'more.js': "Object.assign(exports, { late: () => 1 }, require('./named'))\n",
      'proto.js':
        'function Shelf() { this.till = new Till() }\nfunction Till() {}\nTill.prototype = { open() { return this.shut() }, shut: function () {} }\nShelf.prototype.show = function () { this.till.open() }\nmodule.exports = Shelf\n',
      'use.js': `const { sum, rate: price } = require('./handed')
const app = require('./chain')
const Shelf = require('./proto')
const more = require('./more')
let extra
if (process.env.EXTRA) extra = require('./named')
function go() { sum(); price(); app.start(); new Shelf().show(); require('./object').tax(); more.cost(); extra.rate(); new more.Till().open() }`,
    },
    has: [
      'use.js#go calls object.js#sum',
      'use.js#go calls named.js#rate',
      'use.js#go calls chain.js#app.start',
      'chain.js#app.start calls chain.js#app.stop',
      'use.js#go calls proto.js#Shelf.show',
      'proto.js#Shelf.show calls proto.js#prototype.open',
      'proto.js#prototype.open calls proto.js#prototype.shut',
      'use.js#go calls object.js#exports.tax',
      'use.js#go calls named.js#cost',
      'use.js#go calls named.js#Till.open',
    ],
  },
}

test.each(Object.entries(CASES))('%s', async (_, { files, has = [], lacks = [] }) => {
  const { edges } = await resolveSources(files)
  expect(edges).toEqual(expect.arrayContaining(has))
  for (const it of lacks) expect(edges).not.toContain(it)
})

describe('says what is wrong:', () => {
  const problemsOf = async (files: Record<string, string>) =>
    (await resolveSources(files)).result.problems.map((it) => `${it.path}:${it.line} ${it.message}`)

  test('a configuration that is no JSON, with its line', async () => {
    const found = await problemsOf({
      'tsconfig.json': '{\n  "compilerOptions": {\n    "paths": oops\n  }\n}',
      'a.ts': '',
    })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^tsconfig\.json:3 The configuration is no valid JSON/)
  })

  test('comments and trailing commas are no fault', async () => {
    expect(await problemsOf({ 'tsconfig.json': '{ // a\n "files": ["a.ts",], /* b */ }', 'a.ts': '' })).toEqual([])
  })

  test('configurations that extend each other', async () => {
    const found = await problemsOf({
      'tsconfig.json': '{\n "extends": "./base.tsconfig.json" }',
      'base.tsconfig.json': '{ "extends": "./tsconfig.json" }',
      'a.ts': '',
    })
    expect(found).toContain(
      'tsconfig.json:2 The configuration extends itself: tsconfig.json → base.tsconfig.json → tsconfig.json.',
    )
  })

  test('a base that is not there', async () => {
    expect(await problemsOf({ 'tsconfig.json': '{ "extends": "./gone.json" }', 'a.ts': '' })).toEqual([
      'tsconfig.json:1 The configuration extends "./gone.json", which is not there.',
    ])
  })

  test('modules that re-export each other', async () => {
    expect(
      await problemsOf({ 'a.ts': "export * from './b'\n", 'b.ts': "\nexport * from './a'\n", 'c.ts': use('./a') }),
    ).toEqual(['a.ts:1 Modules re-export each other in a circle: a.ts → b.ts → a.ts.'])
  })

  test('a workspace pattern without packages', async () => {
    expect(
      await problemsOf({
        'package.json': '{ "workspaces": [\n "apps/*",\n "libs/*"] }',
        'apps/web/package.json': '{ "name": "web" }',
        'pnpm-workspace.yaml': 'packages:\n  - apps/*\n  # none yet\n  - "tools/**"\n  - "!apps/old"\n',
        'a.ts': '',
      }),
    ).toEqual([
      'package.json:3 The workspace pattern "libs/*" matches no package.',
      'pnpm-workspace.yaml:4 The workspace pattern "tools/**" matches no package.',
    ])
  })

  test('two packages of one name', async () => {
    expect(
      await problemsOf({
        'package.json': '{ "workspaces": ["apps/*"] }',
        'apps/a/package.json': '{ "name": "shop" }',
        'apps/b/package.json': '{ "name": "shop" }',
        'a.ts': '',
      }),
    ).toEqual([
      'apps/b/package.json:1 The package name "shop" is that of apps/a/package.json as well; imports of it lead to the first.',
    ])
  })

  test('names that differ in letter case only', async () => {
    const found = await problemsOf({ 'button.ts': TAX, 'a.ts': use('./Button'), 'Shelf.ts': '', 'shelf.ts': '' })
    expect(found.sort()).toEqual([
      'a.ts:1 "./Button" is written otherwise than button.ts: only some systems find it.',
      'shelf.ts:1 The name differs from Shelf.ts in case alone; some systems keep only one of them.',
    ])
  })

  test('a manifest that is no JSON', async () => {
    const found = await problemsOf({ 'package.json': '{\n "name": "shop"\n "main": 1 }', 'a.ts': '' })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^package\.json:3 The manifest is no valid JSON/)
  })

  test('aliases that mostly lead nowhere', async () => {
    expect(await problemsOf({ 'a.ts': `${use('@/one')}${use('~/two')}`, 'b.ts': use('#three') })).toContain(
      'a.ts:1 Only 0 of 3 aliased imports lead to a file; most edges between files are missing.',
    )
  })
})
