import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Engine, IngestRequest, Settings } from '#engine/brain'
import { BrainBuilder } from '#engine/build-brain'
import { type EngineOptions, openEngine } from '#engine/engine'
import { ingestFolder } from '#engine/ingest-for-tests'
import { defaults } from '#engine/settings'
import { checkedFiles } from '#graph/checked'
import { keyOf, relationOf, TIERS } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'

// each test loads a compiler
vi.setConfig({ testTimeout: 120_000 })

let home = ''
let shop = ''
const opened: Engine[] = []

const CART = 'export class Cart {\n  total() { return 1 }\n}\n'
const ORDER = 'export class Order {\n  total() { return 2 }\n}\n'
const SHOW = [
  "import { Order } from './order'",
  'const orders = new Map([["a", new Order()]])',
  'export function show() { return [...orders.values()].map((it) => it.total()) }',
].join('\n')

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-checking-')))
  shop = join(home, 'shop')
  mkdirSync(shop)
  write({ 'cart.ts': CART, 'order.ts': ORDER, 'show.ts': SHOW })
})
afterEach(async () => {
  for (const it of opened.splice(0)) await it.close()
  rmSync(home, { recursive: true, force: true })
})

function write(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(shop, name), content)
}

function open(over: Partial<Settings> = {}, options: Partial<EngineOptions> = {}): Engine {
  const settings: Settings = { ...defaults(), home: join(home, 'state'), project: shop, parallelism: 1, ...over }
  const engine = openEngine(settings, {
    version: '1',
    log: () => {},
    cwd: home,
    builder: new BrainBuilder(),
    ...options,
  })
  opened.push(engine)
  return engine
}

const ingest = (engine: Engine, over: Partial<IngestRequest> = {}) => ingestFolder(engine, shop, over)

/** Calls of `show` to methods, with their tiers. */
function calls({ brain: { graph } }: Engine): string[] {
  const v = nodeByKey(graph, 'file::show.ts::fn::show')
  const found: string[] = []
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    if (relationOf(graph, e) === 'calls') found.push(`${keyOf(graph, graph.out.targets[e])} ${TIERS[graph.tiers[e]]}`)
  }
  return found
}

function checked({ brain: { graph } }: Engine): string[] {
  return [...checkedFiles(graph)].map(([v, { checker }]) => `${keyOf(graph, v)} ${checker}`)
}

async function settled(engine: Engine): Promise<void> {
  while (['idle', 'running'].includes(engine.status().checker.state)) await new Promise((go) => setTimeout(go, 50))
}

const PROVEN = ['file::order.ts::class::Order::fn::total exact']

test('a server answers first and puts the better graph in place behind, with what was learned', async () => {
  const engine = open({}, { background: true })
  await ingest(engine)
  const { graph } = engine.brain
  expect(calls(engine)).not.toEqual(PROVEN)
  expect(checked(engine)).toEqual([])
  const [source, target] = [nodeByKey(graph, 'file::show.ts'), nodeByKey(graph, 'file::order.ts')]
  const slot = graph.out.targets.indexOf(target, graph.out.offsets[source])
  graph.weights[slot] = 0.9

  await settled(engine)
  expect(engine.status().checker).toEqual({ state: 'done', done: 3, total: 3, message: '' })
  expect(calls(engine)).toEqual(PROVEN)
  expect(checked(engine)).toEqual(['cart', 'order', 'show'].map((it) => `file::${it}.ts typescript`))
  expect(engine.brain.graph.meta.generation).toBe(graph.meta.generation + 1)
  expect(engine.brain.graph.weights).toContain(Math.fround(0.9))

  // what was said is kept with the state, for the files that are as they were
  await engine.close()
  const again = open()
  await again.ready
  expect(calls(again)).toEqual(PROVEN)
  write({ 'cart.ts': `${CART}export const more = 1\n` })
  const report = await ingest(again, { incremental: true })
  expect(checked(again)).toEqual(['order', 'show'].map((it) => `file::${it}.ts typescript`))
  expect(report.warnings).toEqual([expect.stringContaining('1 file changed since a compiler looked at the project')])
})

test('who asks for it waits for it, and gets the numbers of the better graph', async () => {
  const engine = open()
  const report = await ingest(engine, { checker: true })
  expect(calls(engine)).toEqual(PROVEN)
  expect(report).toMatchObject({ edge_count: engine.brain.graph.nLogical, references_ambiguous: 0 })
})

test('without being asked, a command that ends does not start it', async () => {
  const engine = open()
  await ingest(engine)
  await new Promise((go) => setTimeout(go, 500))
  expect(engine.status().checker.state).toBe('idle')
  const off = open({ typescriptChecker: 'off', ephemeral: true }, { background: true })
  await ingest(off, { checker: true })
  expect(off.status().checker).toMatchObject({ state: 'off', message: 'It is switched off (typescript_checker).' })
})

test.each([
  ['time', { typescriptCheckerTimeoutMs: 1 }, 'It took more than 1 ms (typescript_checker_timeout_ms)'],
  ['memory', { typescriptCheckerMemoryMb: 24 }, 'It needed more than 24 MB (typescript_checker_memory_mb)'],
])('when its %s is used up, the first graph stays and the status says why', async (_, limits, message) => {
  const engine = open(limits)
  await ingest(engine)
  const before = calls(engine)
  const report = await ingest(engine, { checker: true, incremental: true })
  expect(engine.status().checker.state).toBe('failed')
  expect(engine.status().checker.message).toContain(message)
  expect(calls(engine)).toEqual(before)
  expect(report.node_count).toBe(engine.brain.graph.nNodes)
})

test('an ingest ends a pass that is under way', async () => {
  const engine = open({}, { background: true })
  await ingest(engine)
  while (engine.status().checker.state !== 'running') await new Promise((go) => setTimeout(go, 20))
  write({ 'show.ts': SHOW.replace('it.total()', '1') })
  await ingest(engine)
  expect(calls(engine)).toEqual([])
  await settled(engine)
  expect(calls(engine)).toEqual([])
  expect(checked(engine)).toHaveLength(3)
})
