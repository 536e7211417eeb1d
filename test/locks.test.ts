/** Regions that agents watch while others work in them. */

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Engine, Settings } from '#engine/brain'
import { answer, ask, cleanUp, copyOf, engineFor, temporaryFolder } from './support.ts'

afterAll(cleanUp)

async function openShop(over: Partial<Settings> = {}): Promise<{ engine: Engine; shop: string }> {
  const shop = copyOf('shop')
  const engine = engineFor(shop, over)
  await answer(engine, 'ingest', { path: shop })
  return { engine, shop }
}

const BANK = 'file::server/bank.py'
const lockBank = (engine: Engine, more: Record<string, unknown> = {}) =>
  answer(engine, 'lock_create', { scope: 'subgraph', root_nodes: ['server/bank.py'], radius: 1, ...more })

/** Adds a function at the end of the bank and reads it again. */
async function extendBank(engine: Engine, shop: string, name = 'audit'): Promise<void> {
  appendFileSync(join(shop, 'server', 'bank.py'), `\n\ndef ${name}(card):\n    return authorise(card, 1)\n`)
  await answer(engine, 'ingest', { agent_id: 'builder', path: shop, incremental: true })
}

async function addElsewhere(engine: Engine, shop: string): Promise<void> {
  mkdirSync(join(shop, 'far'), { recursive: true })
  writeFileSync(join(shop, 'far', 'aisle.ts'), 'export const aisle = 1\n')
  await answer(engine, 'ingest', { agent_id: 'builder', path: shop, incremental: true })
}

const failure = (code: string, message = '') => ({
  ok: false,
  failure: { code, message: expect.stringContaining(message) },
})

describe('creating', () => {
  test('takes one node, a ball, a path, or what a query finds', async () => {
    const { engine } = await openShop()
    const create = (input: Record<string, unknown>) => answer(engine, 'lock_create', input)
    expect(await create({ scope: 'node', root_nodes: [BANK] })).toMatchObject({
      lock_id: 'lock_dev_001',
      baseline_nodes: 1,
      nodes_locked: 1,
      baseline_edges: 0,
      radius: null,
      graph_generation: 1,
    })
    const small = await create({ scope: 'subgraph', root_nodes: ['bank.py'], radius: 1 })
    const byDefault = await create({ scope: 'subgraph', root_nodes: ['bank.py'] })
    expect(byDefault.radius).toBe(2)
    expect(Number(byDefault.nodes_locked)).toBeGreaterThan(Number(small.nodes_locked))
    expect(await create({ scope: 'path', root_nodes: [BANK], path_nodes: [BANK, 'refund.py'] })).toMatchObject({
      nodes_locked: 2,
    })
    const found = await create({ scope: 'query_neighborhood', root_nodes: ['price.ts'], query: 'refund' })
    expect(Number(found.nodes_locked)).toBeGreaterThan(10)
    expect(await answer(engine, 'lock_diff', { lock_id: found.lock_id })).toMatchObject({ diff: { no_changes: true } })
  })

  test('refuses what is no region, too much of it, and one lock too many, and keeps nothing then', async () => {
    const { engine } = await openShop({ maxLocksPerAgent: 2, maxLockNodes: 8, maxLockEdges: 7 })
    const create = (input: Record<string, unknown>) => ask(engine, 'lock_create', { root_nodes: [BANK], ...input })
    for (const it of [
      { scope: 'everything' },
      { scope: 'node', root_nodes: [] },
      { scope: 'subgraph', radius: 0 },
      { scope: 'subgraph', radius: 99 },
      { scope: 'subgraph', radius: 1.5 },
      { scope: 'query_neighborhood' },
      { scope: 'query_neighborhood', query: '  ' },
      { scope: 'path' },
    ])
      expect(await create(it)).toMatchObject(failure('invalid_params'))
    expect(await create({ scope: 'node', root_nodes: [BANK, 'nowhere'] })).toMatchObject(
      failure('node_not_found', 'nowhere'),
    )
    const tooLarge = await create({ scope: 'subgraph', root_nodes: [BANK], radius: 4 })
    expect(tooLarge).toMatchObject(failure('lock_scope_too_large', 'cap of 8'))
    expect(await create({ scope: 'node' })).toMatchObject({ ok: true, output: { lock_id: 'lock_dev_001' } })
    expect(await create({ scope: 'node' })).toMatchObject({ ok: true })
    expect(await create({ scope: 'node' })).toMatchObject(failure('lock_limit', '2/2'))
    // the limit is that of each agent
    expect(await create({ scope: 'node', agent_id: 'other' })).toMatchObject({ ok: true })
    await answer(engine, 'lock_release', { lock_id: 'lock_dev_001' })
    expect(await create({ scope: 'node' })).toMatchObject({ ok: true, output: { lock_id: 'lock_dev_003' } })
  })
})

describe('watching', () => {
  test('tells ingests that touch the region, with the agent, and none that do not', async () => {
    const { engine, shop } = await openShop()
    const { lock_id } = await lockBank(engine)
    const watch = (strategy?: string) => answer(engine, 'lock_watch', { lock_id, ...(strategy && { strategy }) })
    expect(await watch()).toMatchObject({ strategy: null, previous_strategy: null, pending_count: 0 })
    expect(await watch('on_ingest')).toMatchObject({ strategy: 'on_ingest', previous_strategy: null })

    await addElsewhere(engine, shop)
    expect(await watch()).toMatchObject({ strategy: 'on_ingest', previous_strategy: 'on_ingest', pending_count: 0 })
    expect(await answer(engine, 'lock_diff', { lock_id })).toMatchObject({
      diff: { no_changes: true, baseline_stale: true },
      watcher_events_drained: 0,
      rebase_suggested: expect.stringContaining('lock_rebase'),
    })

    await extendBank(engine, shop)
    await answer(engine, 'learn', { feedback: 'correct', node_ids: [BANK, 'refund.py'] })
    const seen = await watch()
    expect(seen).toMatchObject({ pending_count: 1, pending_events: [{ kind: 'ingest', agent_id: 'builder' }] })
    // looking takes nothing off, lock_diff does
    expect(await watch()).toMatchObject({ pending_count: 1 })
    expect(await answer(engine, 'lock_diff', { lock_id })).toMatchObject({ watcher_events_drained: 1 })
    expect(await watch('manual')).toMatchObject({ previous_strategy: 'on_ingest', pending_count: 0 })
    await extendBank(engine, shop, 'inspect')
    expect(await watch()).toMatchObject({ pending_count: 0 })
  })

  test('tells feedback that changes a weight in the region, and none that does not', async () => {
    const { engine } = await openShop()
    const { lock_id } = await lockBank(engine)
    await answer(engine, 'lock_watch', { lock_id, strategy: 'on_learn' })
    const pending = async () => (await answer(engine, 'lock_watch', { lock_id })).pending_count
    await answer(engine, 'learn', { feedback: 'correct', node_ids: ['src/price.ts', 'src/config.ts'] })
    expect(await pending()).toBe(0)
    await answer(engine, 'learn', { agent_id: 'ann', feedback: 'correct', node_ids: [BANK, 'server/refund.py'] })
    expect(await pending()).toBe(1)
    await answer(engine, 'learn', { feedback: 'reset', scope: 'all' })
    expect(await pending()).toBe(2)
    const { diff } = await answer(engine, 'lock_diff', { lock_id })
    expect(diff).toMatchObject({ weight_changes: [], baseline_stale: true })
  })

  test('drops the oldest of too many events', async () => {
    const { engine, shop } = await openShop({ maxLockEvents: 2 })
    const { lock_id } = await lockBank(engine)
    await answer(engine, 'lock_watch', { lock_id, strategy: 'on_ingest' })
    for (const name of ['one', 'two', 'three']) await extendBank(engine, shop, name)
    const { pending_events } = await answer(engine, 'lock_watch', { lock_id })
    expect(pending_events).toMatchObject([{ graph_generation: 3 }, { graph_generation: 4 }])
  })

  test('is told to whoever listens in the process', async () => {
    const { engine, shop } = await openShop()
    const { lock_id } = await lockBank(engine)
    await answer(engine, 'lock_watch', { lock_id, strategy: 'on_ingest' })
    const heard: unknown[] = []
    const stop = engine.events.subscribe((it) => it.type === 'lock_touched' && heard.push(it))
    await extendBank(engine, shop)
    stop()
    await extendBank(engine, shop, 'again')
    expect(heard).toMatchObject([{ lock_id, owner: 'dev', kind: 'ingest', agent_id: 'builder', graph_generation: 2 }])
  })

  test('knows three strategies', async () => {
    const { engine } = await openShop()
    const { lock_id } = await lockBank(engine)
    const watch = (strategy: string) => ask(engine, 'lock_watch', { lock_id, strategy })
    expect(await watch('periodic')).toMatchObject(failure('watch_strategy', 'periodic'))
    expect(await watch('sometimes')).toMatchObject(failure('invalid_params', 'sometimes'))
    expect(await answer(engine, 'lock_watch', { lock_id })).toMatchObject({ strategy: null })
  })
})

describe('the difference', () => {
  test('names a function that another agent added, and is none after a rebase', async () => {
    const { engine, shop } = await openShop()
    const { lock_id } = await lockBank(engine)
    await extendBank(engine, shop)
    const found = await answer(engine, 'lock_diff', { lock_id })
    expect(found).toMatchObject({
      structural_changes: true,
      new_nodes: [`${BANK}::fn::audit`],
      diff: { no_changes: false, new_nodes: [`${BANK}::fn::audit`], baseline_stale: true },
      rebase_suggested: expect.stringContaining(String(lock_id)),
    })
    expect(JSON.stringify(found.diff)).toContain(`${BANK}->${BANK}::fn::audit|contains`)
    // looking changes nothing
    expect(await answer(engine, 'lock_diff', { lock_id })).toMatchObject({ new_nodes: [`${BANK}::fn::audit`] })
    expect(await answer(engine, 'lock_rebase', { lock_id })).toMatchObject({
      previous_generation: 1,
      new_generation: 2,
      watcher_preserved: true,
    })
    expect(await answer(engine, 'lock_diff', { lock_id })).toMatchObject({
      diff: { no_changes: true, baseline_stale: false },
      rebase_suggested: null,
    })
  })

  test('shows weights that feedback and questions changed', async () => {
    const { engine } = await openShop()
    const { lock_id } = await lockBank(engine)
    await answer(engine, 'learn', { query: 'bank', feedback: 'correct', node_ids: [BANK, 'server/refund.py'] })
    const found = await answer(engine, 'lock_diff', { lock_id })
    expect(found).toMatchObject({ structural_changes: false, diff: { no_changes: false } })
    expect(Number(found.weight_change_count)).toBeGreaterThan(0)
    const cart = await answer(engine, 'lock_create', { scope: 'subgraph', root_nodes: ['src/cart.ts'] })
    expect(await answer(engine, 'lock_diff', { lock_id: cart.lock_id })).toMatchObject({ diff: { no_changes: true } })
    for (let i = 0; i < 5; i++) await answer(engine, 'activate', { query: 'cart total' })
    const { diff } = await answer(engine, 'lock_diff', { lock_id: cart.lock_id })
    // a question is no feedback: the baseline is as good as before
    expect(diff).toMatchObject({ baseline_stale: false, no_changes: false })
  })

  test('of a region that is gone is all of it, and there is nothing to rebase on', async () => {
    const { engine, shop } = await openShop()
    const { lock_id } = await answer(engine, 'lock_create', { scope: 'node', root_nodes: [BANK] })
    rmSync(join(shop, 'server', 'bank.py'))
    // where a file was there may be a folder
    mkdirSync(join(shop, 'server', 'bank.py'))
    writeFileSync(join(shop, 'server', 'bank.py', 'safe.py'), 'def open_safe():\n    return 1\n')
    await answer(engine, 'ingest', { path: shop, incremental: true })
    expect(await answer(engine, 'lock_diff', { lock_id })).toMatchObject({ removed_nodes: [BANK], new_nodes: [] })
    expect(await ask(engine, 'lock_rebase', { lock_id })).toMatchObject(failure('node_not_found', 'lock_dev_001'))
    expect(await answer(engine, 'lock_release', { lock_id })).toEqual({
      lock_id,
      released: true,
      elapsed_ms: expect.any(Number),
    })
  })

  test('lists so many rows and says how many there are', async () => {
    const { engine, shop } = await openShop()
    const { lock_id } = await lockBank(engine)
    const functions = Array.from({ length: 70 }, (_, i) => `def audit${i}():\n    return ${i}\n`)
    writeFileSync(join(shop, 'server', 'bank.py'), functions.join('\n\n'))
    await answer(engine, 'ingest', { path: shop, incremental: true })
    const found = await answer(engine, 'lock_diff', { lock_id })
    expect(found).toMatchObject({ totals: { new_nodes: 70, new_edges: 70 } })
    expect(found.new_nodes).toHaveLength(50)
  })
})

test('a lock of somebody else answers as one that does not exist', async () => {
  const { engine } = await openShop()
  const { lock_id } = await lockBank(engine)
  for (const name of ['lock_watch', 'lock_diff', 'lock_rebase', 'lock_release']) {
    const [foreign, none] = await Promise.all([
      ask(engine, name, { agent_id: 'spy', lock_id }),
      ask(engine, name, { agent_id: 'spy', lock_id: 'lock_dev_777' }),
    ])
    expect(foreign).toMatchObject(failure('lock_not_found'))
    expect(JSON.stringify(foreign).replaceAll('lock_dev_001', 'lock_dev_777')).toBe(JSON.stringify(none))
  }
  await answer(engine, 'lock_release', { lock_id })
  expect(await ask(engine, 'lock_release', { lock_id })).toMatchObject(failure('lock_not_found'))
})

test('locks, what they watch and events that wait outlive the process', async () => {
  const shop = copyOf('shop')
  const over = { ephemeral: false, home: temporaryFolder() }
  const first = engineFor(shop, over)
  await answer(first, 'ingest', { path: shop })
  const { lock_id } = await lockBank(first)
  await answer(first, 'lock_watch', { lock_id, strategy: 'on_ingest' })
  await extendBank(first, shop)
  await first.close()

  const second = engineFor(shop, over)
  expect(await answer(second, 'lock_watch', { lock_id })).toMatchObject({ strategy: 'on_ingest', pending_count: 1 })
  await extendBank(second, shop, 'inspect')
  expect(await answer(second, 'lock_diff', { lock_id })).toMatchObject({
    watcher_events_drained: 2,
    new_nodes: [`${BANK}::fn::audit`, `${BANK}::fn::inspect`],
  })
  await second.close()
})
