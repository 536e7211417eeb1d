/** Investigations that are saved, gone on with by others, and put together, while the code changes. */

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Engine, Settings } from '#engine/brain'
import { callTool } from '#tools/call'
import { answer, ask, cleanUp, copyOf, engineFor, NOW, projectOf, temporaryFolder } from './support.ts'

afterAll(cleanUp)

async function openShop(over: Partial<Settings> = {}): Promise<{ engine: Engine; shop: string }> {
  const shop = copyOf('shop')
  const engine = engineFor(shop, over)
  await answer(engine, 'ingest', { path: shop })
  return { engine, shop }
}

const BANK = 'file::server/bank.py'
const REFUND = 'file::server/refund.py'
const PRICE = 'file::src/price.ts'
const seen = (...nodes: string[]) => nodes.map((node_external_id) => ({ node_external_id }))

describe('saving', () => {
  test('keeps what is given, with ids as the graph has them, and says which it does not know', async () => {
    const { engine } = await openShop()
    const saved = await answer(engine, 'trail_save', {
      label: 'rounding',
      visited_nodes: [{ node_external_id: 'price.ts', relevance: 0.8 }, { node_external_id: 'no/such.ts' }],
      hypotheses: [{ statement: 'cents are cut', supporting_nodes: ['price.ts'] }],
      conclusions: [{ statement: 'use integers', from_hypotheses: ['cents are cut'] }],
      open_questions: ['where?', 'since when?'],
      activation_boosts: { 'price.ts': 1 },
    })
    expect(saved).toMatchObject({
      nodes_saved: 2,
      nodes_captured: 2,
      hypotheses_saved: 1,
      conclusions_saved: 1,
      open_questions_saved: 2,
      activation_boosts_saved: 1,
      unknown_nodes: ['no/such.ts'],
      created_at_ms: NOW,
    })
    expect(saved.trail_id).toMatch(/^trail_dev_001_[0-9a-f]{6}$/)
    const { missing_nodes, visited_nodes } = await answer(engine, 'trail_resume', { trail_id: saved.trail_id })
    expect(missing_nodes).toEqual(['no/such.ts'])
    expect(visited_nodes).toMatchObject([{ node_external_id: PRICE, state: 'same' }, { state: 'missing' }])
  })

  test("without nodes and boosts takes the agent's own recent results, the twelve strongest as boosts", async () => {
    const { engine } = await openShop()
    const { activated } = await answer(engine, 'activate', { query: 'refund', top_k: 30 })
    await answer(engine, 'activate', { agent_id: 'other', query: 'price' })
    const saved = await answer(engine, 'trail_save', { label: 'recent' })
    expect(saved.nodes_saved).toBe(Array.isArray(activated) ? activated.length : -1)
    expect(saved.activation_boosts_saved).toBe(12)
    expect(await answer(engine, 'trail_save', { agent_id: 'new', label: 'empty' })).toMatchObject({ nodes_saved: 0 })
  })

  test('without any of these visits the nodes that the hypotheses rest on', async () => {
    const { engine } = await openShop()
    const hypotheses = [{ statement: 'x', supporting_nodes: [BANK, REFUND] }]
    expect(await answer(engine, 'trail_save', { label: 'l', hypotheses })).toMatchObject({ nodes_saved: 2 })
  })

  test('says which of several nodes of one name it took', async () => {
    const folder = projectOf('twins', { 'a/app.py': 'x = 1\n', 'b/app.py': 'y = 1\n' })
    const engine = engineFor(folder)
    await answer(engine, 'ingest', { path: folder })
    const found = await answer(engine, 'trail_save', {
      label: 'l',
      hypotheses: [{ statement: 'x', supporting_nodes: ['app.py', 'b/app.py'] }],
    })
    expect(found.ambiguous_nodes).toEqual([{ given: 'app.py', node_id: 'file::a/app.py', ambiguous_matches: 2 }])
    await engine.close()
  })

  test('with nothing to keep says so', async () => {
    const { engine } = await openShop()
    const empty = await answer(engine, 'trail_save', { agent_id: 'new', label: 'l' })
    expect(empty).toMatchObject({ nodes_saved: 0, note: expect.stringContaining('its label alone') })
    const full = await answer(engine, 'trail_save', { agent_id: 'new', label: 'l', open_questions: ['why?'] })
    expect(full.note).toBe('')
  })

  test('refuses what is no share, no statement or too much, and keeps nothing of it', async () => {
    const { engine } = await openShop({ maxTrails: 1, maxTrailNodes: 2 })
    const bad = [
      { label: ' ' },
      { label: 'l', hypotheses: [{ confidence: 0.5 }] },
      { label: 'l', hypotheses: [{ statement: 's', confidence: 1.1 }] },
      { label: 'l', conclusions: [{ confidence: 0.5 }] },
      { label: 'l', visited_nodes: [{ node_external_id: 'a', relevance: -1 }] },
      { label: 'l', activation_boosts: { a: 2 } },
    ]
    for (const it of bad)
      expect(await ask(engine, 'trail_save', it)).toMatchObject({ failure: { code: 'invalid_params' } })
    const large = { label: 'l', visited_nodes: seen('a', 'b', 'c') }
    expect(await ask(engine, 'trail_save', large)).toMatchObject({
      failure: { code: 'trail_limit', message: expect.stringMatching('3 visited nodes .* limit is 2') },
    })
    await answer(engine, 'trail_save', { label: 'l' })
    expect(await ask(engine, 'trail_save', { label: 'l' })).toMatchObject({ failure: { code: 'trail_limit' } })
    expect(await answer(engine, 'trail_list', {})).toMatchObject({ total_count: 1 })
  })
})

describe('going on', () => {
  test('boosts the nodes of the trail in the next questions of everybody', async () => {
    const { engine } = await openShop()
    const score = async () => {
      const answered = await answer(engine, 'activate', { query: 'refund', learn: false, top_k: 50, detail: true })
      const rows: Record<string, unknown>[] = Array.isArray(answered.activated) ? answered.activated : []
      return Number(rows.find((it) => it.node_id === BANK)?.raw_score ?? 0)
    }
    const before = await score()
    await answer(engine, 'trail_save', { label: 'bank', visited_nodes: seen(BANK), activation_boosts: { [BANK]: 0.5 } })
    expect(await score()).toBeCloseTo(before, 6)
    const resumed = await answer(engine, 'trail_resume', { agent_id: 'heir', trail_id: 'bank' })
    expect(resumed).toMatchObject({ nodes_reactivated: 1, reactivated_node_ids: [BANK], stale: false })
    expect(await score()).toBeGreaterThan(1.3 * before)
  })

  test('tells what is gone and what changed, and halves a hypothesis that lost its support, once', async () => {
    const { engine, shop } = await openShop()
    const saved = await answer(engine, 'trail_save', {
      label: 'bank',
      visited_nodes: seen(BANK, REFUND, PRICE),
      hypotheses: [
        { statement: 'the bank is slow', confidence: 0.8, supporting_nodes: [BANK] },
        { statement: 'prices round', confidence: 0.6, supporting_nodes: [PRICE, BANK] },
      ],
    })
    // being behind alone is not being stale
    writeFileSync(join(shop, 'aisle.ts'), 'export const aisle = 1\n')
    await answer(engine, 'ingest', { path: shop, incremental: true })
    const { trail_id } = saved
    expect(await answer(engine, 'trail_resume', { trail_id })).toMatchObject({ stale: false, generations_behind: 1 })

    rmSync(join(shop, 'server', 'bank.py'))
    writeFileSync(join(shop, 'src', 'price.ts'), 'export function grossPrice(net: number) { return net }\n')
    await answer(engine, 'ingest', { path: shop, incremental: true })
    for (let i = 0; i < 2; i++) {
      expect(await answer(engine, 'trail_resume', { trail_id })).toMatchObject({
        stale: true,
        generations_behind: 2,
        missing_nodes: [BANK],
        hypotheses_downgraded: ['the bank is slow'],
        hypotheses_downgraded_count: 1,
        hypotheses_restored: 2,
        hypotheses: [{ confidence: 0.4 }, { confidence: 0.6 }],
        trail: { status: 'active' },
      })
    }
  })

  test('is refused when most is gone, unless forced, and changes nothing then', async () => {
    const { engine } = await openShop()
    const visited_nodes = seen(BANK, 'gone/a.py', 'gone/b.py')
    await answer(engine, 'trail_save', { label: 'gone', visited_nodes })
    const refused = await ask(engine, 'trail_resume', { trail_id: 'gone' })
    expect(refused).toMatchObject({ failure: { code: 'trail_stale', message: expect.stringMatching('2 of 3') } })
    expect(await answer(engine, 'trail_list', { filter_status: 'saved' })).toMatchObject({ total_count: 1 })
    expect(await answer(engine, 'trail_resume', { trail_id: 'gone', force: true })).toMatchObject({
      stale: true,
      missing_nodes: ['gone/a.py', 'gone/b.py'],
      trail: { status: 'stale' },
    })
  })

  test('with a trail of somebody else works on a copy, the same one each time', async () => {
    const { engine } = await openShop()
    const { trail_id } = await answer(engine, 'trail_save', {
      agent_id: 'ann',
      label: 'bank',
      visited_nodes: seen(BANK),
    })
    const first = await answer(engine, 'trail_resume', { agent_id: 'bob', trail_id })
    const second = await answer(engine, 'trail_resume', { agent_id: 'bob', trail_id })
    expect(first.copied_to).toMatch(/^trail_bob_001_/)
    expect(second.copied_to).toBe(first.copied_to)
    expect(await answer(engine, 'trail_list', { filter_agent_id: 'ann' })).toMatchObject({
      trails: [{ status: 'saved' }],
    })
    expect(await answer(engine, 'trail_list', { filter_status: 'active' })).toMatchObject({
      trails: [{ agent_id: 'bob', trail_id: first.copied_to }],
    })
  })

  test('by its label goes on each time, with a copy of one of others', async () => {
    const { engine } = await openShop()
    await answer(engine, 'trail_save', { agent_id: 'ann', label: 'bank', visited_nodes: seen(BANK) })
    const first = await answer(engine, 'trail_resume', { agent_id: 'bob', trail_id: 'bank' })
    const second = await answer(engine, 'trail_resume', { agent_id: 'bob', trail_id: 'bank' })
    expect(second.trail_id).toBe(first.copied_to)
    const cleo = await answer(engine, 'trail_resume', { agent_id: 'cleo', trail_id: 'bank' })
    expect(cleo.trail_id).toBe(first.trail_id)
    expect(await answer(engine, 'trail_list', {})).toMatchObject({ total_count: 3 })
  })

  test('needs a trail that there is, by id or by a label that is one of a kind', async () => {
    const { engine } = await openShop()
    await answer(engine, 'trail_save', { label: 'twice' })
    await answer(engine, 'trail_save', { label: 'twice' })
    for (const trail_id of ['nowhere', '../../etc/passwd', 'twice', 'trail_dev_001_000000'])
      expect(await ask(engine, 'trail_resume', { trail_id })).toMatchObject({
        failure: { code: 'trail_not_found', detail: trail_id },
      })
  })
})

describe('listing', () => {
  test('filters by agent, status and any of the tags, the last changed first', async () => {
    const { engine } = await openShop()
    const save = (agent_id: string, label: string, tags: string[], now: number) =>
      callTool(engine, 'trail_save', { agent_id, label, tags, visited_nodes: seen(BANK) }, { now })
    await save('ann', 'a', ['tax'], NOW)
    await save('bob', 'b', ['price', 'tax'], NOW + 1)
    await save('bob', 'c', [], NOW + 2)
    const labels = async (filters: Record<string, unknown>) => {
      const { trails } = await answer(engine, 'trail_list', filters)
      return Array.isArray(trails) ? trails.map((it) => it.label).join('') : ''
    }
    expect(await labels({})).toBe('cba')
    expect(await labels({ filter_agent_id: 'bob' })).toBe('cb')
    expect(await labels({ filter_tags: ['tax', 'none'] })).toBe('ba')
    expect(await labels({ filter_status: 'archived' })).toBe('')
    expect(await ask(engine, 'trail_list', { filter_status: 'lost' })).toMatchObject({
      failure: { code: 'invalid_params' },
    })
  })
})

describe('putting together', () => {
  test('unites nodes and hypotheses, tells conflicts and links, and marks the sources', async () => {
    const { engine } = await openShop()
    const one = await answer(engine, 'trail_save', {
      agent_id: 'ann',
      label: 'one',
      tags: ['x'],
      visited_nodes: [
        { node_external_id: BANK, relevance: 0.3, annotation: 'weak' },
        { node_external_id: REFUND, relevance: 0.9 },
      ],
      hypotheses: [{ statement: 'the bank is closed', confidence: 0.9, supporting_nodes: [BANK] }],
      activation_boosts: { [BANK]: 0.2 },
    })
    const two = await answer(engine, 'trail_save', {
      agent_id: 'bob',
      label: 'two',
      visited_nodes: [{ node_external_id: BANK, relevance: 0.7, annotation: 'strong' }],
      hypotheses: [
        { statement: 'the bank is not closed', confidence: 0.5, supporting_nodes: [BANK] },
        { statement: 'The bank is closed!', confidence: 0.2, supporting_nodes: [BANK, REFUND] },
      ],
      activation_boosts: { [BANK]: 0.4 },
    })
    const trail_ids = [one.trail_id, two.trail_id]
    const merged = await answer(engine, 'trail_merge', { agent_id: 'lead', trail_ids })
    expect(merged).toMatchObject({
      label: 'Merged: one + two',
      source_trails: trail_ids,
      nodes_merged: 2,
      total_nodes: 2,
      shared_nodes: 1,
      hypotheses_merged: 2,
      hypotheses_combined: 1,
      conflict_count: 1,
      conflicts: [{ resolution: 'resolved', winner: 'the bank is closed', score_delta: 0.28, node: BANK }],
    })
    expect(await answer(engine, 'trail_list', { filter_status: 'merged' })).toMatchObject({ total_count: 2 })
    expect(await answer(engine, 'trail_resume', { agent_id: 'lead', trail_id: merged.merged_trail_id })).toMatchObject({
      hypotheses: [
        { statement: 'the bank is closed', confidence: 0.9, supporting_nodes: [BANK, REFUND] },
        { statement: 'the bank is not closed', lost_to: 'the bank is closed' },
      ],
      visited_nodes: [
        { node_external_id: REFUND, relevance: 0.9 },
        { node_external_id: BANK, relevance: 0.7, annotation: 'strong' },
      ],
    })
    expect((await answer(engine, 'trail_merge', { trail_ids })).note).toContain('Merged once before')
  })

  test('needs two different trails that exist', async () => {
    const { engine } = await openShop()
    await answer(engine, 'trail_save', { label: 'a' })
    for (const trail_ids of [[], ['a'], ['a', 'a']])
      expect(await ask(engine, 'trail_merge', { trail_ids })).toMatchObject({ failure: { code: 'invalid_params' } })
    expect(await ask(engine, 'trail_merge', { trail_ids: ['a', 'b'] })).toMatchObject({
      failure: { code: 'trail_not_found' },
    })
    expect(await answer(engine, 'trail_list', {})).toMatchObject({ total_count: 1 })
  })
})

test('trails and numbers of handles outlive the process', async () => {
  const shop = copyOf('shop')
  const over = { ephemeral: false, home: temporaryFolder() }
  const first = engineFor(shop, over)
  await answer(first, 'ingest', { path: shop })
  const { trail_id } = await answer(first, 'trail_save', { label: 'kept', visited_nodes: seen(BANK) })
  await first.close()
  const second = engineFor(shop, over)
  expect(await answer(second, 'trail_list', {})).toMatchObject({ trails: [{ trail_id, label: 'kept' }] })
  const next = await answer(second, 'trail_save', { label: 'next' })
  expect(next.trail_id).toMatch(/^trail_dev_002_/)
  await second.close()
})
