import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Engine, IngestRequest, Settings } from '#engine/brain'
import { BrainBuilder } from '#engine/build-brain'
import { type EngineOptions, openEngine } from '#engine/engine'
import { ingestFolder } from '#engine/ingest-for-tests'
import { Refusal } from '#engine/refusal'
import { defaults } from '#engine/settings'
import { type Graph, keyOf, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { learnFromFeedback } from '#plasticity/feedback'
import { coChangeOf, observe } from '#query/cochange'

let home = ''
let shop = ''
const opened: Engine[] = []

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-engine-')))
  shop = join(home, 'shop')
  write(shop, 'cart.ts', "import { price } from './price'\nexport function total() { return price() }\n")
  write(shop, 'price.ts', 'export function price() { return 1 }\n')
})
afterEach(async () => {
  for (const it of opened.splice(0)) await it.close()
  rmSync(home, { recursive: true, force: true })
})

function write(folder: string, name: string, content: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), content)
}

/** Builds on the thread of the test; `inWorker` builds as the program does. */
function open(over: Partial<Settings> = {}, { inWorker = false } = {}): Engine {
  const settings: Settings = { ...defaults(), home: join(home, 'state'), project: shop, parallelism: 1, ...over }
  const options: EngineOptions = {
    version: '1',
    log: () => {},
    cwd: home,
    ...(!inWorker && { builder: new BrainBuilder() }),
  }
  const engine = openEngine(settings, options)
  opened.push(engine)
  return engine
}

const ingest = (engine: Engine, over: Partial<IngestRequest> = {}) => ingestFolder(engine, shop, over)

/** Keys of nodes, and edges by the keys of their ends, in order. */
function structure(graph: Graph): string[] {
  const rows: string[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    rows.push(keyOf(graph, v))
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      rows.push(
        `${keyOf(graph, v)} -${graph.strings.get(graph.relations[e])}> ${keyOf(graph, graph.out.targets[e])} ${graph.ingestWeights[e]}`,
      )
    }
  }
  return rows.sort()
}

/** The slot of the import of price by cart. */
function importSlot({ graph }: { graph: Graph }): number {
  const [source, target] = [nodeByKey(graph, 'file::cart.ts'), nodeByKey(graph, 'file::price.ts')]
  for (let e = graph.out.offsets[source]; e < graph.out.offsets[source + 1]; e++) {
    if (graph.out.targets[e] === target && graph.strings.get(graph.relations[e]) === 'imports') return e
  }
  throw new Error('the import is missing')
}

describe('ingest', () => {
  test('brings in files, definitions and edges, and counts them', async () => {
    const engine = open()
    const report = await ingest(engine)
    const { graph } = engine.brain
    expect(report).toMatchObject({
      files_scanned: 2,
      files_parsed: 2,
      node_count: graph.nNodes,
      edge_count: graph.nLogical,
    })
    expect(structure(graph)).toContainEqual(expect.stringContaining('file::cart.ts -imports> file::price.ts'))
    expect(graph.meta).toMatchObject({ generation: 1, domain: 'code', roots: [{ path: shop, adapter: 'code' }] })
  })

  test('of what changed gives the graph that a full one gives, and says what came and went', async () => {
    const engine = open()
    await ingest(engine)
    write(shop, 'cart.ts', "import { price } from './price'\nexport function sum() { return price() }\n")
    write(shop, 'till.ts', "import { sum } from './cart'\nexport const till = sum()\n")
    rmSync(join(shop, 'price.ts'))
    write(shop, 'price.ts', 'export function price() { return 2 }\nexport function discount() { return 0 }\n')
    const report = await ingest(engine, { incremental: true })
    const fresh = open({ ephemeral: true })
    await ingest(fresh)
    expect(structure(engine.brain.graph)).toEqual(structure(fresh.brain.graph))
    expect(report.nodes_removed).toBe(1)
    expect(report.nodes_created).toBeGreaterThanOrEqual(3)
    expect(engine.brain.graph.meta.generation).toBe(2)
  })

  test('of what did not change changes nothing and reads no file', async () => {
    const engine = open()
    const old = new Date(Date.now() - 60_000)
    for (const it of ['cart.ts', 'price.ts']) utimesSync(join(shop, it), old, old)
    await new Promise((resolve) => setTimeout(resolve, 2100))
    await ingest(engine)
    const before = structure(engine.brain.graph)
    const report = await ingest(engine, { incremental: true })
    expect(report).toMatchObject({
      files_parsed: 0,
      files_unchanged: 2,
      nodes_created: 0,
      edges_created: 0,
      nodes_removed: 0,
    })
    expect(structure(engine.brain.graph)).toEqual(before)
  })

  test('merges a second root beside the first, under its name where names meet, and keeps both when one is read again', async () => {
    const engine = open()
    await ingest(engine)
    const stall = join(home, 'stall')
    write(stall, 'price.ts', 'export function price() { return 3 }\n')
    const report = await ingest(engine, { path: stall, mode: 'merge' })
    const { graph } = engine.brain
    expect(report.dropped_roots).toEqual([])
    expect(graph.meta.roots.map((it) => it.path)).toEqual([shop, stall])
    expect(nodeByKey(graph, 'stall::file::price.ts')).toBeLessThan(graph.nNodes)
    expect(nodeByKey(graph, 'file::price.ts')).toBeLessThan(graph.nNodes)

    const before = structure(graph)
    await ingest(engine, { mode: 'merge', incremental: true })
    expect(structure(engine.brain.graph)).toEqual(before)
    expect((await ingest(engine, { incremental: true })).dropped_roots).toEqual([])
    expect(structure(engine.brain.graph)).toEqual(before)
    expect((await ingest(engine)).dropped_roots).toEqual([stall])
  })

  test('takes a part of a root, and a folder around one, for the same source and not for a second copy', async () => {
    const engine = open()
    await ingest(engine)
    const whole = structure(engine.brain.graph)
    const { warnings } = await ingest(engine, { path: join(shop, 'cart.ts'), mode: 'merge' })
    expect(warnings.join()).toContain('brought up to date as a whole')
    expect(structure(engine.brain.graph)).toEqual(whole)

    write(join(home, 'market'), 'stall.ts', 'export const stall = 1\n')
    const inner = join(home, 'market', 'inner')
    write(inner, 'price.ts', 'export function price() { return 1 }\n')
    await ingest(engine, { path: inner })
    await ingest(engine, { path: join(home, 'market'), mode: 'merge' })
    const { graph } = engine.brain
    expect(graph.meta.roots.map((it) => it.path)).toEqual([join(home, 'market')])
    expect(structure(graph).filter((it) => it.endsWith('file::inner/price.ts'))).toHaveLength(1)
  })

  test('reads a graph from JSON', async () => {
    write(
      home,
      'plan.json',
      JSON.stringify({
        nodes: [{ id: 'oven', type: 'system' }, { id: 'bread' }],
        edges: [{ source: 'oven', target: 'bread' }],
      }),
    )
    const engine = open()
    await ingest(engine, { path: join(home, 'plan.json'), adapter: 'json' })
    expect(structure(engine.brain.graph)).toContain('oven -relates_to> bread 1')
  })

  test.each([
    ['a path that is not there', { path: '/no/such/shop' }, 'ingest_path_missing'],
    ['an adapter that is not there', { adapter: 'telepathy' }, 'unknown_adapter'],
  ])('refuses %s and keeps the graph in place', async (_, over, code) => {
    const engine = open({ graphSource: join(home, 'graph.bin') })
    await ingest(engine)
    const { graph } = engine.brain
    await expect(ingest(engine, over)).rejects.toMatchObject({ code })
    await expect(ingest(engine, over)).rejects.toBeInstanceOf(Refusal)
    expect(engine.brain.graph).toBe(graph)
    expect(engine.status()).toMatchObject({ working: null, status: 'ok' })
  })

  test('refuses the root of the disk', async () => {
    const engine = open({ graphSource: join(home, 'graph.bin') }, { inWorker: true })
    await expect(ingest(engine, { path: '/' })).rejects.toMatchObject({ code: 'ingest_refused' })
  })

  test.each([
    ['a path that is refused', '/', {}, 'ingest_refused'],
    ['another project with an adapter that is not there', 'other', { adapter: 'telepathy' }, 'unknown_adapter'],
  ])('of %s leaves the project bound that was', async (_, path, over, code) => {
    write(join(home, 'other'), 'scale.ts', 'export function weigh() { return 1 }\n')
    const engine = open({ project: '' })
    await ingest(engine)
    const { brain } = engine
    await expect(ingest(engine, { path: path === '/' ? path : join(home, path), ...over })).rejects.toMatchObject({
      code,
    })
    expect(engine.brain).toBe(brain)
    expect(engine.status()).toMatchObject({ mode: 'file', stateFolder: expect.stringContaining('shop-') })
    engine.touch()
    await engine.persist()
    expect(readdirSync(join(home, 'state', 'projects'))).toHaveLength(1)
    await ingest(engine, { path: '.' })
    expect(engine.brain.root).toBe(shop)
  })

  test('of a repository inside a bound folder is a project of its own', async () => {
    const inner = join(shop, 'vendored')
    write(inner, 'scale.ts', 'export function weigh() { return 1 }\n')
    write(join(inner, '.git'), 'HEAD', 'ref: refs/heads/main\n')
    const engine = open()
    await ingest(engine)
    await ingest(engine, { path: inner })
    expect(engine.brain.root).toBe(inner)
    expect(readdirSync(join(home, 'state', 'projects'))).toHaveLength(2)
  })

  test('of one changed file brings its whole root up to date', async () => {
    const engine = open()
    await ingest(engine)
    write(shop, 'price.ts', 'export function price() { return 1 }\nexport function vat() { return 2 }\n')
    const report = await ingest(engine, { path: join(shop, 'price.ts'), incremental: true })
    expect(report.warnings.join()).toContain('brought up to date as a whole')
    expect(nodeByKey(engine.brain.graph, 'file::price.ts::fn::vat')).not.toBe(NONE)
    expect(nodeByKey(engine.brain.graph, 'file::cart.ts::fn::total')).not.toBe(NONE)
    expect(engine.brain.graph.meta.roots.map((it) => it.path)).toEqual([shop])
  })

  test('takes a path as people and clients write it', async () => {
    const engine = open()
    expect((await ingest(engine, { path: `file://${shop}` })).files_parsed).toBe(2)
    await expect(ingest(engine, { path: '~/no-such-shop' })).rejects.toThrow(join(homedir(), 'no-such-shop'))
    await expect(ingest(engine, { path: 'x'.repeat(4000) })).rejects.toThrow(/x…$/)
  })

  test('can be cancelled, which keeps the graph in place', async () => {
    const engine = open({}, { inWorker: true })
    await ingest(engine)
    const { graph } = engine.brain
    const abort = new AbortController()
    const running = ingestFolder(engine, shop, {}, { signal: abort.signal, progress: () => abort.abort() })
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    expect(engine.brain.graph).toBe(graph)
  })
})

describe('what was learned', () => {
  test('survives an ingest that gives every node another number, and a restart', async () => {
    const engine = open()
    await ingest(engine)
    engine.brain.graph.weights[importSlot(engine.brain)] = 0.75
    engine.brain.learned.queryNumber = 12
    write(shop, 'aisle.ts', 'export const aisle = 1\n')
    await ingest(engine)
    expect(engine.brain.graph.weights[importSlot(engine.brain)]).toBe(0.75)
    await engine.close()

    const next = open()
    await next.ready
    // when the state was saved is known, whoever saved it
    expect(Date.now() - next.status().lastPersistAt).toBeLessThan(60_000)
    expect(next.brain.graph.weights[importSlot(next.brain)]).toBe(0.75)
    expect(next.brain.learned.queryNumber).toBe(12)
    expect(next.brain.graph.meta.generation).toBe(2)
  })

  test('about what changes together survives an ingest and a restart, and is not counted twice', async () => {
    const first = open()
    await ingest(first)
    const strength = ({ brain: { graph, indexes } }: Engine) =>
      coChangeOf(indexes.cochange, nodeByKey(graph, 'file::cart.ts')).find(
        (it) => it.node === nodeByKey(graph, 'file::price.ts'),
      )?.strength
    const before = strength(first) ?? 0
    const { graph, learned, indexes } = first.brain
    const nodes = ['file::cart.ts', 'file::price.ts'].map((key) => nodeByKey(graph, key))
    const told = { text: '', agent: 'ann', time: 5, nodes, seeds: [], activated: [], strength: 0.2, grade: 1 }
    observe(indexes.cochange, learnFromFeedback(graph, learned, { kind: 'correct', ...told }, first.settings).pairs)
    first.touch()
    const taught = strength(first)
    expect(taught).toBeCloseTo(before + 0.1, 6)
    write(shop, 'stamp.ts', 'export const stamp = 1\n')
    await ingest(first, { incremental: true })
    expect(strength(first)).toBe(taught)
    await first.close()
    const second = open()
    await second.ready
    expect(strength(second)).toBe(taught)
  })

  test('waits for the next ingest when the graph cannot be read', async () => {
    const graphSource = join(home, 'data', 'graph.bin')
    const first = open({ graphSource })
    await ingest(first)
    const price = nodeByKey(first.brain.graph, 'file::price.ts::fn::price')
    first.brain.graph.weights.fill(0.9, first.brain.graph.out.offsets[0])
    first.touch()
    await first.close()
    const learned = readFileSync(join(home, 'data', 'plasticity_state.json'), 'utf8')
    expect(price).not.toBe(NONE)
    expect(JSON.parse(learned).states.length).toBeGreaterThan(0)

    writeFileSync(graphSource, 'torn')
    const second = open({ graphSource })
    await ingest(second)
    await second.close()
    expect(JSON.parse(readFileSync(join(home, 'data', 'plasticity_state.json'), 'utf8')).states).toEqual(
      JSON.parse(learned).states,
    )
  })

  test('on another project is set aside, not replaced', async () => {
    const plasticityState = join(home, 'theirs.json')
    const state = { source_label: 'file::oven.rs', target_label: 'file::bread.rs', relation: 'imports' }
    const theirs = JSON.stringify([{ ...state, original_weight: 0.5, current_weight: 0.9 }])
    writeFileSync(plasticityState, theirs)
    const engine = open({ plasticityState })
    await ingest(engine)
    await engine.close()
    expect(engine.status().warnings.join()).toContain('another project')
    const aside = readdirSync(home).filter((it) => it.startsWith('theirs.json.corrupt-'))
    expect(aside.map((it) => readFileSync(join(home, it), 'utf8'))).toEqual([theirs])
  })

  test('is saved after every so many counted calls, whatever their mix, and not when nothing changed', async () => {
    const engine = open({ autoPersistInterval: 3 })
    await ingest(engine)
    const file = join(engine.status().stateFolder, 'plasticity_state.json')
    const saved = () => JSON.parse(readFileSync(file, 'utf8')).query_number
    const turns = async (counted: boolean[]) => {
      for (const it of counted) {
        engine.brain.learned.queryNumber++
        engine.touch()
        engine.record('clerk', Date.now(), it)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await turns([true, false, true])
    expect(saved()).toBe(0)
    await turns([true])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(saved()).toBe(4)

    const { mtimeMs } = statSync(file)
    for (let i = 0; i < 3; i++) engine.record('clerk', Date.now(), true)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(statSync(file).mtimeMs).toBe(mtimeMs)
  })

  test('is compared with how the last session left it', async () => {
    const engine = open()
    expect(engine.baseline).toBeNull()
    await ingest(engine)
    engine.brain.graph.weights[importSlot(engine.brain)] = 0.75
    engine.touch()
    await engine.close()

    const next = open()
    await next.ready
    next.brain.graph.weights[importSlot(next.brain)] = 0.9
    write(shop, 'aisle.ts', 'export const aisle = 1\n')
    await ingest(next)
    const { baseline } = next
    expect(baseline?.keys).not.toContain('file::aisle.ts')
    expect(baseline?.nodeCount).toBe(baseline?.keys.length)
  })

  test('a save that fails is reported, the answer is given, and the next save tries again', async () => {
    const blocked = join(home, 'blocked')
    const engine = open({ graphSource: join(blocked, 'graph.bin') })
    await engine.ready
    rmSync(blocked, { recursive: true })
    writeFileSync(blocked, 'not a folder')
    await ingest(engine)
    expect(engine.notice(true)).toContain('Not saved')
    expect(engine.notice(false)).toBe('')
    expect(engine.status()).toMatchObject({ status: 'degraded', lastPersistAt: 0 })
    rmSync(blocked)
    mkdirSync(blocked)
    await engine.persist()
    expect(engine.notice(true)).toBe('')
    expect(engine.status().status).toBe('ok')
    expect(statSync(join(blocked, 'graph.bin')).size).toBeGreaterThan(100)
  })
})

describe('sessions', () => {
  test('list agents with their counted calls, and forget those not seen for long', async () => {
    const engine = open({ sessionIdleHours: 1 })
    const hour = 3_600_000
    engine.record('clerk', 1000, true)
    engine.record('clerk', 2000, false)
    engine.record('Clerk', 3000, true)
    expect(engine.status().sessions).toEqual([
      { agent_id: 'clerk', firstSeen: 1000, lastSeen: 2000, queryCount: 1 },
      { agent_id: 'Clerk', firstSeen: 3000, lastSeen: 3000, queryCount: 1 },
    ])
    engine.record('guest', 2500 + hour, false)
    expect(engine.status().sessions.map((it) => it.agent_id)).toEqual(['Clerk', 'guest'])
    expect(engine.status().queriesProcessed).toBe(2)
  })
})

describe('files', () => {
  test('are stale when they are younger than the ingest or gone', async () => {
    const engine = open()
    await ingest(engine)
    const later = new Date(Date.now() + 5000)
    utimesSync(join(shop, 'cart.ts'), later, later)
    expect(engine.staleFiles(['cart.ts', 'price.ts', 'gone.ts'])).toEqual(['cart.ts', 'gone.ts'])
  })
})

describe('files on disk', () => {
  test('are told from what lies outside of the roots', async () => {
    const engine = open()
    await ingest(engine)
    write(shop, 'new.ts', '')
    write(home, 'secret.ts', '')
    const asked = ['new.ts', join(shop, 'new.ts'), 'gone.ts', '', '../secret.ts', join(home, 'secret.ts'), 'a\0b']
    expect(asked.filter((it) => engine.isOnDisk(it))).toEqual(['new.ts', join(shop, 'new.ts')])
  })

  test('are left out by the names of the settings, in place of those built in', async () => {
    write(join(shop, 'attic'), 'old.ts', 'export const old = 1\n')
    write(join(shop, 'dist'), 'made.ts', 'export const made = 1\n')
    const engine = open({ skipDirs: ['attic'], skipFiles: ['price.ts'] })
    await ingest(engine)
    const has = (path: string) => nodeByKey(engine.brain.graph, `file::${path}`) !== NONE
    expect(['attic/old.ts', 'price.ts', 'dist/made.ts', 'cart.ts'].map(has)).toEqual([false, false, true, true])
  })
})

describe('the graph of other code', () => {
  test('inherits nothing that was learned, and a copy of the same code at another place inherits all', async () => {
    const state = join(home, 'state', 'graph.bin')
    const engine = open({ graphSource: state })
    await ingest(engine)
    const learned = importSlot(engine.brain)
    engine.brain.graph.weights[learned] = 0.9
    engine.brain.graph.strengthened[learned] = 3
    const copy = join(home, 'copy')
    write(copy, 'cart.ts', readFileSync(join(shop, 'cart.ts'), 'utf8'))
    write(copy, 'price.ts', readFileSync(join(shop, 'price.ts'), 'utf8'))
    expect((await ingest(engine, { path: copy })).warnings).toEqual([])
    expect(engine.brain.graph.weights[importSlot(engine.brain)]).toBeCloseTo(0.9)

    const other = join(home, 'library')
    for (const it of ['shelf', 'loan', 'desk']) write(other, `${it}.ts`, `export const ${it} = 1\n`)
    write(other, 'cart.ts', readFileSync(join(shop, 'cart.ts'), 'utf8'))
    write(other, 'price.ts', readFileSync(join(shop, 'price.ts'), 'utf8'))
    expect((await ingest(engine, { path: other })).warnings.join()).toContain('another project')
    const { graph } = engine.brain
    expect([...graph.weights]).toEqual([...graph.ingestWeights])
  })
})

test('a project that is no folder is refused', () => {
  expect(() => open({ project: join(home, 'nowhere') })).toThrow('is not a folder')
})

test('what clients keep is there for the next process, saved or not, and only in its own project', async () => {
  const first = open()
  await first.ready
  first.records.put('trail', 'a', { label: 'saved' })
  await first.persist()
  first.records.put('trail', 'b', { label: 'in the journal' })
  // no save: what a killed process leaves; its lease is dropped as a dead holder's is
  rmSync(join(first.status().stateFolder, 'lease.json'))

  const second = open()
  await second.ready
  expect(second.records.all('trail').map(([name]) => name)).toEqual(['a', 'b'])
  const other = join(home, 'other')
  write(other, 'a.ts', 'export const a = 1\n')
  await ingest(second, { path: other })
  expect(second.records.all('trail')).toEqual([])
})
