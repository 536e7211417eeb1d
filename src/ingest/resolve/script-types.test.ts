/** What types tell about calls in TypeScript and JavaScript. */

import { expect, test } from 'vitest'
import { resolveSources } from '#ingest/resolve/testing'

interface Case {
  files: Record<string, string>
  has?: string[]
  lacks?: string[]
}

const SHOP = `export class Book { sell() { return 1 }\n title() { return '' } }
export class Shelf { books: Book[] = []\n first(): Book { return this.books[0] }\n close() {} }
export class Till { open() {}\n close() {} }
`

const CASES: Record<string, Case> = {
  'a callback is handed what the function that takes it declares': {
    files: {
      'app.ts': `import { Book } from './shop'
export type Handler = (book: Book, next: () => void) => void
export interface Router { (handler: Handler): void; (path: string, handler: Handler): void }
export class App { get!: Router\n on(path: string, handler: Handler) {} }`,
      'use.ts': `import { App } from './app'
const app = new App()
app.get('/', (book) => { book.sell() })
app.on('/', function (it) { it.title() })`,
    },
    has: ['use.ts calls shop.ts#Book.sell', 'use.ts calls shop.ts#Book.title'],
  },
  'objects hand their expected types on to the functions in them': {
    files: {
      'app.ts': `import { Book } from './shop'
export interface Rule { name: string\n create(book: Book): void\n on: { sale: (book: Book) => void } }
export function define(rule: Rule) { return rule }`,
      'use.ts': `import { define, type Rule } from './app'
define({ name: 'a', create(book) { book.sell() }, on: { sale: (it) => it.title() } })
export const rule: Rule = { name: 'b', create: (b) => b.sell(), on: { sale(it) { it.title() } } }
export const other = { name: 'c', create(x) { x.title() }, on: { sale() {} } } satisfies Rule`,
    },
    has: [
      'use.ts#create calls shop.ts#Book.sell',
      'use.ts calls shop.ts#Book.title',
      'use.ts#rule.create calls shop.ts#Book.sell',
      'use.ts#rule.on.sale calls shop.ts#Book.title',
      'use.ts#other.create calls shop.ts#Book.title',
    ],
  },
  'elements reach callbacks of lists, maps and promises': {
    files: {
      'use.ts': `import { Book, Shelf } from './shop'
declare function load(): Promise<Shelf>
export function all(shelves: Shelf[], byName: Map<string, Book>) {
  shelves.map((it) => it.first()).length
  shelves.filter((one) => one.books.some((book) => book.sell()))
  shelves.reduce((sum, last) => { last.close(); return sum }, 0)
  byName.forEach((value) => value.title())
  for (const entry of byName.values()) entry.sell()
  load().then((loaded) => loaded.close())
}`,
    },
    has: [
      'use.ts#all calls shop.ts#Shelf.first',
      'use.ts#all calls shop.ts#Book.sell',
      'use.ts#all calls shop.ts#Book.title',
      'use.ts#all calls shop.ts#Shelf.close',
    ],
    lacks: ['use.ts#all calls shop.ts#Till.close'],
  },
  'a member of a union is that of each type, of an intersection that of the one that has it': {
    files: {
      'use.ts': `import { Book, Shelf, Till } from './shop'
export function close(it: Shelf | Till) { it.close() }
export function both(it: Book & { shelf: Shelf }) { it.sell(); it.shelf.first() }`,
    },
    has: [
      'use.ts#close calls shop.ts#Shelf.close',
      'use.ts#close calls shop.ts#Till.close',
      'use.ts#both calls shop.ts#Book.sell',
      'use.ts#both calls shop.ts#Shelf.first',
    ],
  },
  'derived types are those that they derive from': {
    files: {
      'use.ts': `import { Book, Shelf } from './shop'
function make() { return new Shelf() }
async function find(): Promise<Book> { return new Book() }
type Made = ReturnType<typeof make>
type Keep<T> = { value: T }
export function go(a: Made, b: Awaited<ReturnType<typeof find>>, c: Partial<Book>, d: InstanceType<typeof Shelf>, e: Keep<Book>) {
  a.first(); b.title(); c.sell!(); d.close(); e.value.sell()
}`,
    },
    has: [
      'use.ts#go calls shop.ts#Shelf.first',
      'use.ts#go calls shop.ts#Book.title',
      'use.ts#go calls shop.ts#Book.sell',
      'use.ts#go calls shop.ts#Shelf.close',
    ],
  },
  'one of several values gives each of its types': {
    files: {
      'use.ts': `import { Shelf, Till } from './shop'
function pick(open: boolean) { if (open) return new Shelf()\n return new Till() }
export function go(given?: Shelf) {
  const one = given ?? new Till()
  one.close()
  pick(true).close()
}`,
    },
    has: ['use.ts#go calls shop.ts#Till.close', 'use.ts#go calls shop.ts#Shelf.close'],
  },
  'objects that functions give back keep what they hold': {
    files: {
      'kit.ts': `import { Shelf } from './shop'
export function sort() {}
export function useShop() { const shelf = new Shelf(); return { shelf, sort, pair: [1] } }`,
      'use.ts': `import { useShop } from './kit'
export function go() { const { shelf } = useShop(); shelf.first(); useShop().sort() }`,
    },
    has: ['use.ts#go calls shop.ts#Shelf.first', 'use.ts#go calls kit.ts#sort'],
  },
  'positions of a tuple have types of their own': {
    files: {
      'use.ts': `import { Book, Shelf } from './shop'
declare function pair(): [Book, Shelf]
export function go() { const [book, shelf] = pair(); book.sell(); shelf.close() }`,
    },
    has: ['use.ts#go calls shop.ts#Book.sell', 'use.ts#go calls shop.ts#Shelf.close'],
  },
  'what a component keeps between its calls has a type': {
    files: {
      'use.tsx': `import { useState, useRef, useMemo } from 'react'
import { Book, Shelf, Till } from './shop'
export function Panel() {
  const [shelf] = useState(() => new Shelf())
  const till = useRef<Till>(null)
  const book = useMemo(() => new Book(), [])
  shelf.first(); till.current?.open(); book.sell()
  return null
}`,
    },
    has: [
      'use.tsx#Panel calls shop.ts#Shelf.first',
      'use.tsx#Panel calls shop.ts#Till.open',
      'use.tsx#Panel calls shop.ts#Book.sell',
    ],
  },
  'an instance that was asked for is one': {
    files: {
      'use.ts': `import { Book } from './shop'
export function go(it: unknown) { if (it instanceof Book) it.sell() }`,
    },
    has: ['use.ts#go calls shop.ts#Book.sell'],
  },
  'generic containers of the language and of the project hand on what they hold': {
    files: {
      'box.ts': 'export class Box<T> { constructor(private value: T) {}\n get(): T { return this.value } }',
      'use.ts': `import { Book } from './shop'
import { Box } from './box'
const box = new Box<Book>(new Book())
const books = new Map<string, Book>()
export function go() { box.get().sell(); books.get('a')?.title() }`,
    },
    has: ['use.ts#go calls shop.ts#Book.sell', 'use.ts#go calls shop.ts#Book.title'],
  },
  'comments of plain JavaScript declare types, of other modules too': {
    files: {
      'use.js': `/** @typedef {import('./shop').Shelf} Shelf */
/**
 * @param {Shelf} shelf
 * @param {import('./shop').Book} book
 * @returns {import('./shop').Till}
 */
export function go(shelf, book) { shelf.first(); book.sell() }
/** @type {import('./shop').Till} */
const till = make()
till.open()
go().close()
`,
    },
    has: [
      'use.js#go calls shop.ts#Shelf.first',
      'use.js#go calls shop.ts#Book.sell',
      'use.js calls shop.ts#Till.open',
      'use.js calls shop.ts#Till.close',
    ],
    lacks: ['use.js imports shop.ts'],
  },
  'overloads, accessors, statics and this': {
    files: {
      'cart.ts': `import { Book } from './shop'
export class Cart {
  static empty(): Cart { return new Cart() }
  get best(): Book { return new Book() }
  add(book: Book): this
  add(title: string): this
  add(it: unknown): this { return this }
}`,
      'use.ts': `import { Cart } from './cart'
export function go() { Cart.empty().add('a').add('b').best.sell() }`,
    },
    has: [
      'use.ts#go calls cart.ts#Cart.empty',
      'use.ts#go calls cart.ts#Cart.add',
      'use.ts#go calls shop.ts#Book.sell',
    ],
  },
  'declarations of one name add up': {
    files: {
      'log.ts': `export function log() {}\nexport namespace log { export function warn() {} }
export interface Options { level: Level }\nexport interface Options { open(): void }
export enum Level { Low, High }`,
      'use.ts': `import { log, Level, type Options } from './log'
export function go(it: Options) { log(); log.warn(); it.open(); return Level.High }`,
    },
    has: [
      'use.ts#go calls log.ts#log',
      'use.ts#go calls log.ts#log.warn',
      'use.ts#go calls log.ts#Options.open',
      'use.ts#go references log.ts#Level',
    ],
  },
  'what a variable holds is used, not called': {
    files: {
      'use.ts': `import { Book } from './shop'
function fallback() {}
export function go(options: { run?: () => void }) { const run = options.run ?? fallback; run() }
export function shadow(Book: () => void) { Book() }`,
    },
    has: ['use.ts#go references use.ts#fallback'],
    lacks: ['use.ts#go calls use.ts#fallback', 'use.ts#shadow calls shop.ts#Book'],
  },
  'a method put on one object is no method of its class': {
    files: {
      'use.ts': `import { Shelf } from './shop'
const shelf = new Shelf()
shelf.first = () => { throw new Error() }`,
      'other.ts': `import { Shelf } from './shop'\nexport function go() { new Shelf().first() }`,
    },
    has: ['other.ts#go calls shop.ts#Shelf.first'],
    lacks: ['other.ts#go calls use.ts#shelf.first'],
  },
  'functions handed on by value are referred to': {
    files: {
      'use.ts': `import { Till } from './shop'
function onSale() {}\nfunction onOpen() {}\nfunction onClose() {}
export function go(run: (...it: unknown[]) => void) { run(onSale, { open: onOpen }, [onClose]); return Till }`,
    },
    has: [
      'use.ts#go references use.ts#onSale',
      'use.ts#go references use.ts#onOpen',
      'use.ts#go references use.ts#onClose',
    ],
  },
  'components that are wrapped are called by their elements': {
    files: {
      'ui.tsx': `import { memo, forwardRef } from 'react'
import { withShop } from './hoc'
function Plain() { return <b /> }
export const Badge = memo(Plain)
export const Field = forwardRef((props, ref) => <i><Plain /></i>)
export const Panel = withShop(Plain)`,
      'hoc.tsx': 'export function withShop(Component) { return () => <Component /> }',
      'use.tsx': `import * as ui from './ui'
import { Badge } from './ui'
export const Page = () => <main><Badge /><ui.Field /><ui.Panel /></main>`,
    },
    has: [
      'use.tsx#Page calls ui.tsx#Badge',
      'use.tsx#Page calls ui.tsx#Field',
      'use.tsx#Page calls ui.tsx#Panel',
      'ui.tsx#Field calls ui.tsx#Plain',
      'ui.tsx#Badge references ui.tsx#Plain',
    ],
    lacks: ['use.tsx#Page calls ui.tsx#Plain'],
  },
}

test.each(Object.entries(CASES))('%s', async (_, { files, has = [], lacks = [] }) => {
  const { edges } = await resolveSources({ 'shop.ts': SHOP, ...files })
  expect(edges).toEqual(expect.arrayContaining(has))
  for (const it of lacks) expect(edges).not.toContain(it)
})
