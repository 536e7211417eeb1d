/** What many agents on one graph were promised, through the program itself and clients on its pipes. */

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, copyOf, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

type Answer = Record<string, unknown>

function start(cwd: string, home = temporaryFolder()): Client {
  return new Client([], { cwd, env: { M1ND_HOME: home, M1ND_PROJECT: cwd, M1ND_PARALLELISM: '1' } })
}

async function ask(client: Client, name: string, args: Answer = {}): Promise<Answer> {
  const { structuredContent, isError, content } = await client.call(name, args)
  if (isError === true || structuredContent === undefined) throw new Error(`${name}: ${content[0]?.text}`)
  return structuredContent
}

/** The code and message of a call that fails. */
async function refused(client: Client, name: string, args: Answer): Promise<{ code: string; text: string }> {
  const { isError, content } = await client.call(name, args)
  expect(isError, name).toBe(true)
  return { code: JSON.parse(content[1].text).code, text: content.map((it) => it.text).join('\n') }
}

function rows(found: unknown): Answer[] {
  if (!Array.isArray(found)) throw new Error(`no list: ${JSON.stringify(found)?.slice(0, 200)}`)
  return found
}

const BANK = 'file::server/bank.py'
const addFunction = (shop: string, name: string) =>
  appendFileSync(join(shop, 'server', 'bank.py'), `\n\ndef ${name}(card):\n    return authorise(card, 1)\n`)

async function ingested(): Promise<{ client: Client; shop: string; home: string }> {
  const shop = copyOf('shop')
  const home = temporaryFolder()
  const client = start(shop, home)
  await ask(client, 'ingest', { path: shop })
  return { client, shop, home }
}

test('isolation: nobody sees, pages, follows or closes what belongs to another, but may compare with it', async () => {
  const { client } = await ingested()
  const a = await ask(client, 'perspective_start', { agent_id: 'a', query: 'refund payment' })
  const b = await ask(client, 'perspective_start', { agent_id: 'b', query: 'cart total' })
  const { perspective_id, route_set_version } = a
  const { route_id } = rows(a.routes)[0]
  const calls: [string, Answer][] = [
    ['perspective_routes', {}],
    ['perspective_inspect', { route_id, route_set_version }],
    ['perspective_peek', { route_id, route_set_version }],
    ['perspective_follow', { route_id, route_set_version }],
    ['perspective_affinity', { route_id, route_set_version }],
    ['perspective_suggest', { route_set_version }],
    ['perspective_branch', {}],
    ['perspective_back', {}],
    ['perspective_close', {}],
  ]
  for (const [name, args] of calls) {
    const foreign = await refused(client, name, { agent_id: 'b', perspective_id, ...args })
    const none = await refused(client, name, { agent_id: 'b', perspective_id: 'persp_a_777', ...args })
    expect(foreign.code).toBe('perspective_not_found')
    expect(foreign.text.replaceAll(String(perspective_id), 'persp_a_777'), name).toBe(none.text)
  }
  expect(rows((await ask(client, 'perspective_list', { agent_id: 'b' })).perspectives)).toHaveLength(1)
  const compared = await ask(client, 'perspective_compare', {
    agent_id: 'b',
    perspective_id_a: perspective_id,
    perspective_id_b: b.perspective_id,
  })
  expect(compared).toMatchObject({ owner_a: 'a', owner_b: 'b', cross_agent: true })
  expect(await ask(client, 'perspective_routes', { agent_id: 'a', perspective_id })).toMatchObject({
    route_set_version,
  })
  await client.end()
})

test('locks: what another agent adds to a watched region is told, and an ingest elsewhere is not', async () => {
  const { client, shop } = await ingested()
  const lock = { scope: 'subgraph', root_nodes: [BANK], radius: 1 }
  const { lock_id } = await ask(client, 'lock_create', { agent_id: 'a', ...lock })
  const own = { agent_id: 'a', lock_id }
  await ask(client, 'lock_watch', { ...own, strategy: 'on_ingest' })
  mkdirSync(join(shop, 'far'))
  writeFileSync(join(shop, 'far', 'aisle.ts'), 'export const aisle = 1\n')
  await ask(client, 'ingest', { agent_id: 'b', path: shop, incremental: true })
  expect(await ask(client, 'lock_watch', own)).toMatchObject({ pending_count: 0 })
  addFunction(shop, 'audit')
  await ask(client, 'ingest', { agent_id: 'b', path: shop, incremental: true })
  expect(await ask(client, 'lock_watch', own)).toMatchObject({ pending_events: [{ kind: 'ingest', agent_id: 'b' }] })
  expect(await ask(client, 'lock_diff', own)).toMatchObject({
    new_nodes: [`${BANK}::fn::audit`],
    watcher_events_drained: 1,
  })
  await ask(client, 'lock_rebase', own)
  expect(await ask(client, 'lock_diff', own)).toMatchObject({ diff: { no_changes: true, baseline_stale: false } })
  expect(await ask(client, 'lock_release', own)).toMatchObject({ released: true })
  expect((await refused(client, 'lock_diff', own)).code).toBe('lock_not_found')
  await client.end()
})

test('trails: another agent goes on, sees what is gone, and two opinions are put together', async () => {
  const { client, shop } = await ingested()
  const first = await ask(client, 'trail_save', {
    agent_id: 'a',
    label: 'closed',
    visited_nodes: [BANK, 'src/cart.ts', 'src/price.ts'].map((node_external_id) => ({ node_external_id })),
    hypotheses: [
      { statement: 'the cart keeps prices', confidence: 0.9, supporting_nodes: ['src/cart.ts'] },
      { statement: 'the bank refuses twice', confidence: 0.8, supporting_nodes: [BANK] },
    ],
    activation_boosts: { 'src/cart.ts': 0.6 },
  })
  const second = await ask(client, 'trail_save', {
    agent_id: 'c',
    label: 'open',
    visited_nodes: [{ node_external_id: 'src/cart.ts' }],
    hypotheses: [{ statement: 'the cart keeps no prices', confidence: 0.3, supporting_nodes: ['src/cart.ts'] }],
  })
  rmSync(join(shop, 'server', 'bank.py'))
  await ask(client, 'ingest', { agent_id: 'b', path: shop, incremental: true })
  const resumed = await ask(client, 'trail_resume', { agent_id: 'b', trail_id: first.trail_id })
  expect(resumed).toMatchObject({
    stale: true,
    missing_nodes: [BANK],
    nodes_reactivated: 1,
    hypotheses_restored: 2,
    hypotheses_downgraded: ['the bank refuses twice'],
  })
  const merged = await ask(client, 'trail_merge', { agent_id: 'b', trail_ids: [first.trail_id, second.trail_id] })
  expect(merged).toMatchObject({
    label: 'Merged: closed + open',
    conflicts: [{ resolution: 'resolved', winner: 'the cart keeps prices', node: 'file::src/cart.ts' }],
  })
  await client.end()
})

test('an orchestrator starts up, and its warmup is felt by another agent', async () => {
  const { client: before, shop, home } = await ingested()
  await ask(before, 'learn', { query: 'refund', feedback: 'correct', node_ids: ['server/refund.py', BANK] })
  await before.end()
  const client = start(shop, home)
  expect(await ask(client, 'health', { agent_id: 'lead' })).toMatchObject({ status: 'ok', healthy: true })
  await ask(client, 'drift', { agent_id: 'lead' })
  addFunction(shop, 'audit')
  expect(await ask(client, 'ingest', { agent_id: 'lead', path: shop, incremental: true })).toMatchObject({
    nodes_created: 1,
  })
  expect(await ask(client, 'impact', { agent_id: 'lead', node_id: BANK })).toHaveProperty('blast_radius')
  const scores = async () => {
    const { activated } = await ask(client, 'activate', {
      agent_id: 'worker',
      query: 'cart',
      learn: false,
      detail: true,
      top_k: 100,
    })
    return new Map(rows(activated).map((it) => [String(it.node_id), Number(it.raw_score)]))
  }
  const cold = await scores()
  const { top_primed } = await ask(client, 'warmup', { agent_id: 'lead', task_description: 'refund by the bank' })
  const warm = await scores()
  const raised = rows(top_primed).filter((it) => {
    const id = String(it.node_id)
    return (warm.get(id) ?? 0) > (cold.get(id) ?? 0)
  })
  expect(raised.length).toBeGreaterThan(0)
  await client.end()
})

test('ten steps of a perspective, from start to close', async () => {
  const { client } = await ingested()
  const agent_id = 'scout'
  const call = (name: string, args: Answer = {}) => ask(client, `perspective_${name}`, { agent_id, ...args })
  const { perspective_id, route_set_version } = await call('start', {
    query: 'refund payment',
    anchor_node: 'server/payment.py',
  })
  const own = { perspective_id }
  const page = await call('routes', { ...own, route_set_version })
  const { route_id } = rows(page.routes)[0]
  const inspected = await call('inspect', { ...own, route_id, route_set_version })
  expect(Object(inspected.score_breakdown).local_activation).toBeGreaterThan(0)
  const moved = await call('follow', { ...own, route_id, route_set_version })
  expect(moved.new_focus).toBe(inspected.target_node)
  const { suggestion } = await call('suggest', { ...own, route_set_version: moved.route_set_version })
  expect(Object(suggestion).action).toBe('follow')
  const { branch_perspective_id } = await call('branch', { ...own, branch_name: 'aside' })
  await call('follow', { ...own, route_id: Object(suggestion).route_id, route_set_version: moved.route_set_version })
  await call('follow', {
    perspective_id: branch_perspective_id,
    route_index: 2,
    route_set_version: moved.route_set_version,
  })
  const compared = await call('compare', { perspective_id_a: perspective_id, perspective_id_b: branch_perspective_id })
  expect(rows(compared.shared_node_ids)).toContain(moved.new_focus)
  expect(await call('back', own)).toMatchObject({ restored_focus: moved.new_focus })
  const { lock_id } = await ask(client, 'lock_create', { agent_id, scope: 'node', root_nodes: [BANK], ...own })
  expect(await call('close', own)).toMatchObject({ closed: true, locks_released: [lock_id] })
  expect(rows((await call('list')).perspectives)).toMatchObject([{ perspective_id: branch_perspective_id }])
  await client.end()
})

describe('two clients at once', () => {
  test('use the same handles, and a third one after both have gone', async () => {
    const { client: first, shop, home } = await ingested()
    const second = start(shop, home)
    const agent_id = 'roamer'
    const { perspective_id } = await ask(first, 'perspective_start', { agent_id, query: 'refund', anchor_node: BANK })
    const { lock_id } = await ask(first, 'lock_create', { agent_id, scope: 'subgraph', root_nodes: [BANK] })
    const page = await ask(second, 'perspective_routes', { agent_id, perspective_id, page: 2, page_size: 2 })
    // the page that one served last counts for the other
    const at = { agent_id, perspective_id, route_index: 1, route_set_version: page.route_set_version }
    const moved = await ask(first, 'perspective_follow', at)
    expect(moved.new_focus).toBe(rows(page.routes)[0].target_node)
    addFunction(shop, 'audit')
    await ask(second, 'ingest', { agent_id: 'builder', path: shop, incremental: true })
    expect(await ask(first, 'lock_diff', { agent_id, lock_id })).toMatchObject({ new_nodes: [`${BANK}::fn::audit`] })
    expect(await ask(second, 'perspective_routes', { agent_id, perspective_id })).toMatchObject({
      focus: moved.new_focus,
    })
    await second.end()
    first.process.kill('SIGKILL')
    await first.exited

    const third = start(shop, home)
    expect(await ask(third, 'perspective_routes', { agent_id, perspective_id })).toMatchObject({
      focus: moved.new_focus,
    })
    // the ingest that was answered but not saved is made up for behind the first answers
    let found: unknown = []
    for (let i = 0; i < 100 && rows(found).length === 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      found = (await ask(third, 'lock_diff', { agent_id, lock_id })).new_nodes
    }
    expect(found).toEqual([`${BANK}::fn::audit`])
    await third.end()
  })
})

test('twenty agents at once: no error, nothing of one at another, and the answers of one after another', async () => {
  const { client, shop } = await ingested()
  const agents = Array.from({ length: 20 }, (_, i) => `agent-${i}`)
  const walk = async (agent_id: string, i: number) => {
    const call = (name: string, args: Answer) => ask(client, name, { agent_id, ...args })
    const anchor_node = ['server/bank.py', 'src/cart.ts', 'server/pool.py', 'src/price.ts'][i % 4]
    const { perspective_id, route_set_version } = await call('perspective_start', { query: 'refund', anchor_node })
    const { lock_id } = await call('lock_create', { scope: 'subgraph', root_nodes: [anchor_node], radius: 1 })
    await call('lock_watch', { lock_id, strategy: 'on_ingest' })
    if (i % 7 === 0) {
      addFunction(shop, `step${i}`)
      await call('ingest', { path: shop, incremental: true })
    }
    await call('activate', { query: 'price', learn: false })
    const page = await call('perspective_routes', { perspective_id })
    expect(Number(page.route_set_version)).toBeGreaterThanOrEqual(Number(route_set_version))
    await call('trail_save', { label: `of ${agent_id}`, visited_nodes: [{ node_external_id: anchor_node }] })
    return { perspective_id, lock_id, anchor_node }
  }
  const kept = await Promise.all(agents.map(walk))
  await ask(client, 'learn', { query: 'refund', feedback: 'correct', node_ids: ['server/refund.py'] })
  expect(new Set(kept.map((it) => it.perspective_id)).size).toBe(20)
  expect(new Set(kept.map((it) => it.lock_id)).size).toBe(20)

  for (const [i, agent_id] of agents.entries()) {
    const { perspective_id, lock_id, anchor_node } = kept[i]
    const { perspectives } = await ask(client, 'perspective_list', { agent_id })
    expect(rows(perspectives)).toMatchObject([{ perspective_id, focus: `file::${anchor_node}` }])
    const page = await ask(client, 'perspective_routes', { agent_id, perspective_id })
    // an agent that comes alone now gets the same routes
    const alone = await ask(client, 'perspective_start', { agent_id: `alone-${i}`, query: 'refund', anchor_node })
    expect(page.routes).toEqual(alone.routes)
    const { new_nodes } = await ask(client, 'lock_diff', { agent_id, lock_id })
    if (anchor_node !== 'server/bank.py') expect(new_nodes).toEqual([])
    expect((await refused(client, 'lock_diff', { agent_id: `alone-${i}`, lock_id })).code).toBe('lock_not_found')
  }
  expect(await ask(client, 'trail_list', {})).toMatchObject({ total_count: 20 })
  const health = await ask(client, 'health')
  expect(rows(health.active_sessions).length).toBe(41)
  await client.end()
})
