import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { evaluate, type EvaluateOptions, PARTS, type RepositoryResult } from '#evaluation/evaluate'
import { renderResults } from '#evaluation/report'
import { changedLines, checkOut, RepositoryError, windowOf } from '#evaluation/repository'
import { readTasks } from '#evaluation/task-file'

let folder = ''
let shop = ''
const hashes: string[] = []

function git(...args: string[]): string {
  const env = { ...process.env, GIT_AUTHOR_DATE: date(), GIT_COMMITTER_DATE: date() }
  const who = ['-c', 'user.name=ann', '-c', 'user.email=ann@shop.org']
  return execFileSync('git', ['-C', shop, ...who, ...args], { env, encoding: 'utf8' }).trim()
}

function date(): string {
  return `2025-01-${String(hashes.length + 1).padStart(2, '0')}T12:00:00Z`
}

function commit(message: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(shop, path)), { recursive: true })
    writeFileSync(join(shop, path), text)
  }
  git('add', '-A')
  git('commit', '-q', '-m', message)
  hashes.push(git('rev-parse', 'HEAD'))
}

const CART = ['export function cartTotal(prices) {', '  let sum = 0', '  return sum', '}', '']
const STOCK = [
  'export function reserve(item) {',
  '  return item',
  '}',
  '',
  'export function restock(item) {',
  '  return item',
  '}',
  '',
]

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-history-')))
  shop = join(folder, 'shop')
  mkdirSync(shop)
  git('init', '-q', '-b', 'main')
  commit('A shop with a cart and a stock', {
    'src/cart.ts': CART.join('\n'),
    'src/stock.ts': STOCK.join('\n'),
    'src/log.ts': 'export function log(text) { return text }\n',
    'README.md': '# Shop\n',
  })
  commit('Say what the shop is', { 'README.md': '# Shop\n\nA shop.\n' })
  commit('Sum up the prices of a cart', { 'src/cart.ts': CART.with(1, '  const sum = prices.length').join('\n') })
  commit('Log what is reserved in the stock', { 'src/stock.ts': ['// stock', ...STOCK].join('\n') })
  commit('Round the total of the cart and log it (#7)', {
    'src/cart.ts': CART.with(2, '  return Math.round(sum)').join('\n'),
    'src/log.ts': 'export function log(text) { return `${text}` }\n',
  })
  commit('Restock an item only once in stock.ts', {
    'src/stock.ts': ['// stock', ...STOCK.with(5, '  return once(item)')].join('\n'),
  })
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function options(over: Partial<EvaluateOptions> = {}): EvaluateOptions {
  return { parts: PARTS, count: 3, version: '0', log: () => {}, signal: new AbortController().signal, ...over }
}

describe('the window of changes', () => {
  test('ends with the newest and starts after the latest commit that has as many behind it', async () => {
    const { base, tasks, time } = await windowOf(shop, 3)
    expect(base).toBe(hashes[2])
    expect(time).toBe(Date.UTC(2025, 0, 3, 12) / 1000)
    expect(tasks.map(({ query, gold }) => [query, gold])).toEqual([
      ['Log what is reserved in the stock', ['src/stock.ts']],
      ['Round the total of the cart and log it', ['src/cart.ts', 'src/log.ts']],
      ['Restock an item only once in', ['src/stock.ts']],
    ])
  })

  test('is the whole history when that has fewer', async () => {
    const { base, tasks } = await windowOf(shop, 100)
    expect(base).toBe(hashes[0])
    expect(tasks).toHaveLength(4)
  })

  test('a folder without history is refused by name', async () => {
    await expect(windowOf(folder, 3)).rejects.toThrow(RepositoryError)
  })
})

test('a copy knows nothing of what comes later', async () => {
  const copy = join(folder, 'copy')
  await checkOut(shop, hashes[2], copy)
  const log = execFileSync('git', ['-C', copy, 'log', '--all', '--format=%H'], { encoding: 'utf8' }).trim().split('\n')
  expect(log).toEqual(hashes.slice(0, 3).reverse())
  expect(execFileSync('git', ['-C', copy, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('')
  expect(existsSync(join(copy, '.git/hooks/pre-commit'))).toBe(false)
})

test('changed lines are numbered as in the base', async () => {
  const { base, tasks } = await windowOf(shop, 3)
  // a line above them was added in between
  expect(await changedLines(shop, base, tasks[2], 'src/stock.ts')).toEqual([6])
})

describe('an evaluation', () => {
  let results: RepositoryResult[] = []
  beforeAll(async () => {
    results = await evaluate([shop], options())
  }, 120_000)

  test('measures every part beside plain searches', () => {
    const [{ rows, learning, tasks, base }] = results
    expect({ tasks, base }).toEqual({ tasks: 3, base: hashes[2] })
    expect(rows.map((it) => it.name)).toEqual([
      'bm25',
      'bm25 + path',
      'path',
      'most changed',
      'm1nd seek',
      'm1nd activate',
      'm1nd seek, functions',
      'commits in common',
      'm1nd predict',
    ])
    const seek = rows.find((it) => it.name === 'm1nd seek')
    expect(seek?.all).toMatchObject({ n: 3, acc5: 1, recall10: 1 })
    expect(seek?.tokens).toBeGreaterThan(50)
    // of two functions the one around the changed line is wanted
    expect(rows.find((it) => it.part === 'functions')?.all).toMatchObject({ n: 2, acc3: 1 })
    expect(rows.find((it) => it.name === 'm1nd predict')?.all.n).toBe(2)
    expect(learning.map((it) => [it.tool, it.n])).toEqual([
      ['seek', 1],
      ['activate', 1],
    ])
  })

  test('gives the same figures again, and leaves nothing behind', async () => {
    const own = join(folder, 'tmp')
    mkdirSync(own)
    vi.stubEnv('TMPDIR', own)
    const withoutTimes = ([{ rows, learning, nodes }]: readonly RepositoryResult[]) => ({
      rows: rows.filter((it) => it.part === 'seek').map((it) => ({ ...it, p50: 0, p95: 0 })),
      learning: learning.filter((it) => it.tool === 'seek'),
      nodes,
    })
    const again = await evaluate([shop], options({ parts: ['seek', 'learn'] }))
    expect(withoutTimes(again)).toEqual(withoutTimes(results))
    expect(readdirSync(own).filter((it) => it.startsWith('m1nd'))).toEqual([])
  }, 120_000)

  test('takes given changes', async () => {
    const file = join(folder, 'tasks.jsonl')
    const task = { base_commit: hashes[2], commit: hashes[3], query: 'reserve', gold_files: ['src/stock.ts'] }
    writeFileSync(file, `${JSON.stringify(task)}\n`)
    const window = await readTasks(file, shop)
    // a folder below stands for its repository
    const [{ rows, tasks }] = await evaluate([join(shop, 'src')], options({ window, parts: ['seek'] }))
    expect(tasks).toBe(1)
    expect(rows.find((it) => it.name === 'm1nd seek')?.all.acc1).toBe(1)
    writeFileSync(file, '{"query": 1}\n')
    await expect(readTasks(file, shop)).rejects.toThrow(`${file}:1: not a task`)
  }, 120_000)

  test('is shown as a table', () => {
    const text = renderResults(results)
    expect(text).toContain(`shop at ${hashes[2].slice(0, 12)}: 3 changes`)
    expect(text).toMatch(/m1nd seek +3 /)
    expect(text).toMatch(/^seek: MRR over sources of 1 later questions/m)
  })
})
