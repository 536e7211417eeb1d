import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine, Settings } from '#engine/brain'
import { BrainBuilder } from '#engine/build-brain'
import { openEngine } from '#engine/engine'
import { ingestFolder } from '#engine/ingest-for-tests'
import { defaults } from '#engine/settings'
import { anyChangedSince, foldersAround } from '#engine/watching'
import { keyOf } from '#graph/graph'

let home = ''
let shop = ''
const opened: Engine[] = []

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-fresh-')))
  shop = join(home, 'shop')
  write('src/cart.ts', "import { price } from './price'\nexport function total() { return price() }\n")
  write('src/price.ts', 'export function price() { return 1 }\n')
  git('init', '-q')
  write('.gitignore', '*.log\n')
  commit('Open the shop')
})
afterEach(async () => {
  for (const it of opened.splice(0)) await it.close()
  rmSync(home, { recursive: true, force: true })
})

function write(path: string, content: string): void {
  const file = join(shop, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, content)
}

function git(...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }
  execFileSync('git', ['-c', 'user.name=Clerk', '-c', 'user.email=clerk@shop.example', ...args], { cwd: shop, env })
}

function commit(message: string): void {
  git('add', '-A')
  git('commit', '-q', '-m', message)
}

async function serve(over: Partial<Settings> = {}): Promise<Engine> {
  const settings: Settings = {
    ...defaults(),
    home: join(home, 'state'),
    project: shop,
    parallelism: 1,
    typescriptChecker: 'off',
    ...over,
  }
  const engine = openEngine(settings, {
    version: '1',
    log: () => {},
    cwd: home,
    background: true,
    builder: new BrainBuilder(),
  })
  opened.push(engine)
  await engine.ready
  return engine
}

async function ingested(over: Partial<Settings> = {}): Promise<Engine> {
  // what was written a moment ago is older than what is read now
  const past = Date.now() / 1000 - 100
  for (const it of ['.', 'src', 'src/cart.ts', 'src/price.ts', '.gitignore']) utimesSync(join(shop, it), past, past)
  const engine = await serve(over)
  await ingestFolder(engine, shop)
  // the watcher takes its place behind the answer
  await new Promise((resolve) => setImmediate(resolve))
  return engine
}

const keys = ({ brain: { graph } }: Engine) => new Set(Array.from({ length: graph.nNodes }, (_, v) => keyOf(graph, v)))

/** Waits until the graph is as it should be. */
async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo() && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isSo()).toBe(true)
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 1500))

describe('a server follows the files', () => {
  test('that are changed, added in a new folder, removed', async () => {
    const engine = await ingested()
    expect(engine.status().watcher.state).toBe('watching')
    write('src/price.ts', 'export function price() { return 1 }\nexport function discount() { return 2 }\n')
    await until(() => keys(engine).has('file::src/price.ts::fn::discount'))
    write('lib/tax/rate.ts', 'export function rate() { return 3 }\n')
    await until(() => keys(engine).has('file::lib/tax/rate.ts::fn::rate'))
    write('lib/tax/rate.ts', 'export function duty() { return 3 }\n')
    await until(() => keys(engine).has('file::lib/tax/rate.ts::fn::duty'))
    rmSync(join(shop, 'src/price.ts'))
    await until(() => !keys(engine).has('file::src/price.ts'))
  })

  test('and the commits', async () => {
    const engine = await ingested()
    const before = engine.brain.graph.meta.commit
    git('commit', '-q', '--allow-empty', '-m', 'Nothing but words')
    await until(() => engine.brain.graph.meta.commit !== before)
  })

  test('through a switch of branches, a rebase and a reset', async () => {
    const engine = await ingested()
    git('checkout', '-q', '-b', 'tax')
    write('src/tax.ts', "import { price } from './price'\nexport function tax() { return price() }\n")
    rmSync(join(shop, 'src/cart.ts'))
    commit('Tax in place of the cart')
    await until(() => keys(engine).has('file::src/tax.ts::fn::tax') && !keys(engine).has('file::src/cart.ts'))
    git('checkout', '-q', '-')
    await until(() => keys(engine).has('file::src/cart.ts::fn::total') && !keys(engine).has('file::src/tax.ts'))
    write('src/lamp.ts', 'export function lamp() { return 4 }\n')
    commit('A lamp')
    git('checkout', '-q', 'tax')
    git('rebase', '-q', '-')
    const wanted = ['src/tax.ts', 'src/lamp.ts', 'src/price.ts'].map((it) => `file::${it}`)
    await until(() => wanted.every((it) => keys(engine).has(it)) && !keys(engine).has('file::src/cart.ts'))
    git('reset', '-q', '--hard', 'HEAD~1')
    await until(() => keys(engine).has('file::src/cart.ts') && !keys(engine).has('file::src/tax.ts'))
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: shop, encoding: 'utf8' }).trim()
    await until(() => engine.brain.graph.meta.commit === head)

    // what was absorbed step by step is what a reading from nothing gives
    const absorbed = [...keys(engine)].sort()
    await engine.close()
    const anew = await ingested({ home: join(home, 'other'), watch: false })
    expect([...keys(anew)].sort()).toEqual(absorbed)
  }, 60_000)

  test.each([
    [
      'a linked work tree',
      () => {
        git('worktree', 'add', '-q', join(home, 'linked'))
        shop = join(home, 'linked')
      },
    ],
    [
      'a part of a repository',
      () => {
        shop = join(shop, 'src')
      },
    ],
  ])('and the commits of %s', async (_, go) => {
    go()
    const engine = await serve()
    await ingestFolder(engine, shop)
    await rest()
    const before = engine.brain.graph.meta.commit
    expect(before).not.toBe('')
    git('commit', '-q', '--allow-empty', '-m', 'Nothing but words')
    await until(() => engine.brain.graph.meta.commit !== before)
  })

  test('of several repositories, each by its own commit, and leaves them alone when nothing happened', async () => {
    const bank = shop
    shop = join(home, 'bank')
    write('ledger.ts', 'export function entry() {}\n')
    git('init', '-q')
    commit('Open the bank')
    const engine = await serve()
    const long = new Date(Date.now() - 100_000)
    for (const it of [bank, join(bank, 'src'), shop, join(shop, 'ledger.ts')]) utimesSync(it, long, long)
    for (const it of ['cart.ts', 'price.ts']) utimesSync(join(bank, 'src', it), long, long)
    utimesSync(join(bank, '.gitignore'), long, long)
    const repositories = [
      { name: 'shop', path: bank, adapter: 'code' },
      { name: 'bank', path: shop, adapter: 'code' },
    ]
    await engine.federate(
      { repositories, incremental: false, crossEdges: true, agent: 'dev' },
      { signal: new AbortController().signal, progress: () => {} },
    )
    await rest()
    expect(engine.brain.graph.meta.generation).toBe(1)
    const commits = () => engine.brain.graph.meta.roots.map((it) => it.commit)
    const [ofShop, ofBank] = commits()
    expect(ofShop).not.toBe(ofBank)
    git('commit', '-q', '--allow-empty', '-m', 'Nothing but words')
    await until(() => commits()[1] !== ofBank)
    expect(commits()[0]).toBe(ofShop)
    const { generation } = engine.brain.graph.meta
    await rest()
    expect(engine.brain.graph.meta.generation).toBe(generation)
  })

  test('under a clock that is set back', async () => {
    const engine = await ingested()
    await rest()
    // as if the clock had been an hour ahead when the files were read
    engine.brain.graph.meta.ingestedAt += 3_600_000
    write('src/price.ts', 'export function price() { return 1 }\nexport function discount() { return 2 }\n')
    await until(() => keys(engine).has('file::src/price.ts::fn::discount'))
  })

  test('reads nothing again for a log that grows, or for what an editor leaves for a moment', async () => {
    const engine = await ingested()
    write('src/shop.log', 'open\n')
    write('src/.cart.ts.swp', 'x')
    await rest()
    await rest()
    const { generation } = engine.brain.graph.meta
    for (let i = 0; i < 5; i++) appendFileSync(join(shop, 'src/shop.log'), 'sold\n')
    appendFileSync(join(shop, 'src/.cart.ts.swp'), 'y')
    await rest()
    expect(engine.brain.graph.meta.generation).toBe(generation)
  })

  test('that changed while no process was there', async () => {
    const first = await ingested()
    await first.close()
    write('src/later.ts', 'export function later() {}\n')
    const second = await serve()
    await until(() => keys(second).has('file::src/later.ts::fn::later'))
  })

  test('as they were asked to be read, also after a restart', async () => {
    const first = await serve()
    await ingestFolder(first, shop, { includeDotfiles: true })
    expect(keys(first)).toContain('file::.gitignore')
    await first.close()
    write('src/later.ts', 'export function later() {}\n')
    const second = await serve()
    await until(() => keys(second).has('file::src/later.ts::fn::later'))
    expect(keys(second)).toContain('file::.gitignore')
  })

  test('behind the questions when there are more folders than may be watched', async () => {
    const engine = await ingested({ watchMaxHandles: 1 })
    expect(engine.status().watcher).toMatchObject({ state: 'failed', handles: 0 })
    write('src/later.ts', 'export function later() {}\n')
    await rest()
    expect(keys(engine)).not.toContain('file::src/later.ts::fn::later')
    engine.record('dev', Date.now(), true)
    await until(() => keys(engine).has('file::src/later.ts::fn::later'))
  })

  test('not at all when told so', async () => {
    const engine = await ingested({ watch: false })
    expect(engine.status().watcher).toEqual({ state: 'off', handles: 0, message: '' })
    write('src/later.ts', 'export function later() {}\n')
    engine.record('dev', Date.now(), true)
    await rest()
    expect(keys(engine)).not.toContain('file::src/later.ts::fn::later')
  })
})

test('folders around files reach up to the root', () => {
  expect(foldersAround('/shop', ['/shop/a/b/c.ts', '/shop/a/d.ts', '/shop/e.ts']).sort()).toEqual([
    '/shop',
    '/shop/a',
    '/shop/a/b',
  ])
})

test('a file that is gone has changed, one that is older has not', async () => {
  const file = join(shop, 'src/cart.ts')
  utimesSync(file, 100, 100)
  expect(await anyChangedSince([file], 100_000)).toBe(false)
  expect(await anyChangedSince([file], 99_999)).toBe(true)
  expect(await anyChangedSince([file, join(shop, 'gone.ts')], 100_000)).toBe(true)
})
