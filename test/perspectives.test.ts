/** Looking around in the graph: routes, steps, branches, and what happens to them when the code changes. */

import { mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine, Settings } from '#engine/brain'
import { callTool } from '#tools/call'
import { answer, ask, cleanUp, copyOf, engineFor, NOW, projectOf, temporaryFolder } from './support.ts'

afterAll(cleanUp)

interface Shop {
  engine: Engine
  shop: string
}

async function openShop(over: Partial<Settings> = {}): Promise<Shop> {
  const shop = copyOf('shop')
  const engine = engineFor(shop, over)
  await answer(engine, 'ingest', { path: shop })
  return { engine, shop }
}

const BANK = 'file::server/bank.py'
const failure = (code: string, message = '') => ({
  ok: false,
  failure: { code, message: expect.stringContaining(message) },
})

type Row = Record<string, unknown>
function rows(found: unknown): Row[] {
  if (!Array.isArray(found)) throw new Error('no list')
  return found
}

const start = (engine: Engine, more: Row = {}) =>
  answer(engine, 'perspective_start', { query: 'refund payment', anchor_node: 'server/bank.py', ...more })

let shared: Shop
beforeAll(async () => {
  shared = await openShop()
})
afterAll(() => shared.engine.close())

describe('starting', () => {
  test('at an anchor keeps near it, by a query alone stands at its best match', async () => {
    const { engine } = shared
    const anchored = await start(engine, { agent_id: 'agent-1' })
    expect(anchored).toMatchObject({
      perspective_id: 'persp_agent1_001',
      mode: 'anchored',
      mode_effective: 'anchored',
      anchor_node: BANK,
      focus_node: BANK,
      focus: BANK,
      page: 1,
      route_set_version: 100,
      cache_generation: 1,
    })
    const { activated } = await answer(engine, 'activate', { query: 'refund payment', top_k: 1, learn: false })
    const local = await start(engine, { agent_id: 'agent-1', anchor_node: '' })
    expect(local).toMatchObject({ mode: 'local', anchor_node: null, focus_node: rows(activated)[0].node_id })
  })

  test('teaches nothing', async () => {
    const { engine } = shared
    const { weights } = engine.brain.graph
    const before = weights.slice()
    const { queryNumber } = engine.brain.learned
    await start(engine, { agent_id: 'quiet', anchor_node: '' })
    expect(weights).toEqual(before)
    expect(engine.brain.learned.queryNumber).toBe(queryNumber)
  })

  test('routes are ranked, named by target and family alone, and tell where they lead', async () => {
    const { engine } = shared
    const { routes } = await start(engine, { agent_id: 'ranker' })
    const scores = rows(routes).map((it) => Number(it.score))
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    rows(routes).forEach((it, i) => {
      expect(it.route_id).toMatch(/^R_[0-9a-f]{6}$/)
      expect(it).toMatchObject({ index: i + 1, route_index: i + 1, target: it.target_node, label: it.relation })
      expect(it.score).toBeGreaterThan(0)
      expect(it.score).toBeLessThanOrEqual(1)
      expect(rows(it.path_preview)[0]).toBe('bank.py')
    })
    const again = await start(engine, { agent_id: 'other' })
    expect(again.routes).toEqual(routes)
    // who raises a refusal of the bank is next to it
    expect(rows(routes).map((it) => it.target_label)).toContain('payment.py')
  })

  test('a lens chooses families, types, dimensions, numbers and weights', async () => {
    const { engine } = shared
    const all = async (lens: Row) => {
      const { perspective_id } = await start(engine, { agent_id: 'lens', lens })
      const page = await answer(engine, 'perspective_routes', { agent_id: 'lens', perspective_id, page_size: 10 })
      await answer(engine, 'perspective_close', { agent_id: 'lens', perspective_id })
      return rows(page.routes)
    }
    const families = async (lens: Row) => [...new Set((await all(lens)).map((it) => it.family))].sort()
    expect(await families({ route_families: ['causal'] })).toEqual(['causal_downstream'])
    expect(await families({ route_families: ['structural_neighbor'] })).toEqual(['structural_neighbor'])
    expect(await families({ dimensions: ['semantic'], include_ghost_edges: false })).toEqual(['semantic_neighbor'])
    for (const it of await all({ node_types: ['class'] })) expect(it.target_node).toContain('::class::')
    expect(await all({ top_k: 2 })).toHaveLength(2)
    const onlyNew = { local_activation: 0, path_coherence: 0, novelty: 1, anchor_relevance: 0, continuity: 0 }
    for (const it of await all({ ranking_weights: onlyNew })) expect([0.5, 1]).toContain(it.score)
    expect(await all({ tags: ['no such tag'] })).toEqual([])
  })

  test('refuses what cannot be, and keeps nothing of it', async () => {
    const { engine } = await openShop({ maxPerspectivesPerAgent: 2, maxPerspectives: 3, maxBranchesPerAgent: 1 })
    const open = (more: Row) => ask(engine, 'perspective_start', { query: 'refund', ...more })
    const weights = { local_activation: 0.5, path_coherence: 0.5, novelty: 0.5, anchor_relevance: 0, continuity: 0 }
    for (const it of [
      { query: ' ' },
      { lens: { dimensions: ['smell'] } },
      { lens: { route_families: ['magic'] } },
      { lens: { node_types: ['planet'] } },
      { lens: { ranking_weights: weights } },
      { lens: { ranking_weights: { ...weights, novelty: -1 } } },
      { lens: 'wide' },
    ])
      expect(await open(it)).toMatchObject(failure('invalid_params'))
    expect(await open({ anchor_node: 'nowhere.py' })).toMatchObject(failure('node_not_found', 'nowhere.py'))
    expect(await open({})).toMatchObject({ ok: true, output: { perspective_id: 'persp_dev_001' } })
    const { perspective_id } = await answer(engine, 'perspective_start', { query: 'cart' })
    expect(await open({})).toMatchObject(failure('perspective_limit', '2/2'))
    expect(await ask(engine, 'perspective_branch', { perspective_id })).toMatchObject(failure('perspective_limit'))
    expect(await open({ agent_id: 'two' })).toMatchObject({ ok: true })
    expect(await open({ agent_id: 'three' })).toMatchObject(failure('perspective_limit', '3/3'))
    await answer(engine, 'perspective_close', { perspective_id })
    const branch = { perspective_id: 'persp_dev_001' }
    expect(await ask(engine, 'perspective_branch', branch)).toMatchObject({ ok: true })
    await answer(engine, 'perspective_close', { agent_id: 'two', perspective_id: 'persp_two_001' })
    expect(await ask(engine, 'perspective_branch', branch)).toMatchObject(failure('branch_limit', '1/1'))
  })

  test('by words that match nothing stands nowhere, and says so', async () => {
    const { engine } = shared
    const lost = await answer(engine, 'perspective_start', { agent_id: 'lost', query: 'zzqx' })
    expect(lost).toMatchObject({
      focus_node: null,
      routes: [],
      total_routes: 0,
      total_pages: 1,
      suggested: null,
      diagnostic: { reason: 'query_mismatch' },
    })
  })

  test('within a small budget asks fewer sources and names those left out', async () => {
    const { engine } = await openShop({ synthesisCalls: 3 })
    const { diagnostic } = await start(engine)
    expect(diagnostic).toMatchObject({
      sources_checked: ['structural', 'causal', 'semantic'],
      sources_failed: ['co_change', 'ghost', 'hole', 'resonance'],
    })
  })
})

describe('addressing routes', () => {
  test('works by id on any page and by the place on the page served last, from any connection', async () => {
    const { engine } = shared
    const agent_id = 'pager'
    const { perspective_id, route_set_version } = await start(engine, { agent_id })
    const page = (more: Row) => answer(engine, 'perspective_routes', { agent_id, perspective_id, ...more })
    const first = await page({ page_size: 3 })
    const second = await page({ page: 2, page_size: 3 })
    expect(rows(second.routes)[0]).toMatchObject({ index: 4, route_index: 1 })
    const inspect = (more: Row) =>
      answer(engine, 'perspective_inspect', { agent_id, perspective_id, route_set_version, ...more })
    expect(await inspect({ route_index: 1 })).toMatchObject({
      route_id: rows(second.routes)[0].route_id,
      route_index: 1,
    })
    const byId = await inspect({ route_id: rows(first.routes)[0].route_id })
    expect(byId).toMatchObject({ target_node: rows(first.routes)[0].target_node, route_index: null })
    // a page past the end is the last one, a size is clamped
    expect(await page({ page: 99, page_size: 3 })).toMatchObject({ page: second.total_pages, page_size_clamped: false })
    expect(await page({ page_size: 99 })).toMatchObject({ page: 1, page_size_clamped: true })
    expect(rows((await page({ page_size: -5 })).routes)).toHaveLength(1)
  })

  test('refuses both or neither selector, older versions, unknown routes and pages below 1', async () => {
    const { engine } = shared
    const agent_id = 'wrong'
    const { perspective_id, route_set_version, routes } = await start(engine, { agent_id })
    const { route_id } = rows(routes)[0]
    for (const name of ['inspect', 'peek', 'follow', 'affinity']) {
      const call = (more: Row) =>
        ask(engine, `perspective_${name}`, { agent_id, perspective_id, route_set_version, ...more })
      expect(await call({})).toMatchObject(failure('route_selector', 'neither'))
      expect(await call({ route_id, route_index: 1 })).toMatchObject(failure('route_selector', 'both'))
      expect(await call({ route_id, route_set_version: 99 })).toMatchObject(
        failure('route_set_stale', 'given 99, current 100'),
      )
      expect(await call({ route_id: 'R_000000' })).toMatchObject(failure('route_not_found', 'R_000000'))
      for (const route_index of [0, 7, -1])
        expect(await call({ route_index })).toMatchObject(failure('route_not_found', String(route_index)))
      expect(await call({ route_id, perspective_id: 'persp_wrong_009' })).toMatchObject(
        failure('perspective_not_found', 'persp_wrong_009'),
      )
    }
    const page = (more: Row) => ask(engine, 'perspective_routes', { agent_id, perspective_id, ...more })
    expect(await page({ page: 0 })).toMatchObject(failure('invalid_params', 'page'))
    expect(await page({ route_set_version: 7 })).toMatchObject(failure('route_set_stale'))
    // nothing of all that was a step
    expect(await page({})).toMatchObject({ output: { route_set_version: 100, focus: BANK } })
  })
})

describe('inspecting', () => {
  test('shows what a score is made of, and it adds up', async () => {
    const { engine } = shared
    const agent_id = 'sums'
    let { perspective_id, route_set_version } = await start(engine, { agent_id })
    for (const hasStepped of [false, true]) {
      const { total_routes } = await answer(engine, 'perspective_routes', { agent_id, perspective_id, page_size: 10 })
      for (let route_index = 1; route_index <= Math.min(10, Number(total_routes)); route_index++) {
        const at = { agent_id, perspective_id, route_index, route_set_version }
        const { score, score_breakdown, response_chars } = await answer(engine, 'perspective_inspect', at)
        expect(response_chars).toBeLessThanOrEqual(1500)
        const parts = Object.fromEntries(
          Object.entries(Object(score_breakdown)).map(([k, v]) => [k, v === null ? null : Number(v)]),
        )
        const sum =
          0.35 * (parts.local_activation ?? 0) +
          0.25 * (parts.path_coherence ?? 0) +
          0.15 * (parts.novelty ?? 0) +
          0.15 * (parts.anchor_relevance ?? Number.NaN)
        if (hasStepped) expect(score).toBeCloseTo(sum + 0.1 * (parts.continuity ?? Number.NaN), 4)
        else {
          expect(parts.continuity).toBeNull()
          expect(score).toBeCloseTo(sum / 0.9, 4)
        }
      }
      const step = { agent_id, perspective_id, route_index: 1, route_set_version }
      ;({ route_set_version } = await answer(engine, 'perspective_follow', step))
    }
  })

  test('in local mode has no relevance for an anchor', async () => {
    const { engine } = shared
    const agent_id = 'local'
    const { perspective_id, route_set_version } = await start(engine, { agent_id, anchor_node: '' })
    const at = { agent_id, perspective_id, route_set_version, route_index: 1 }
    const { score, score_breakdown } = await answer(engine, 'perspective_inspect', at)
    const { local_activation, path_coherence, novelty, anchor_relevance } = Object(score_breakdown)
    expect(anchor_relevance).toBeNull()
    expect(score).toBeCloseTo((0.45 * local_activation + 0.25 * path_coherence + 0.2 * novelty) / 0.9, 4)
  })

  test('affinity never names a neighbour, and says that it is not sure', async () => {
    const { engine } = shared
    const agent_id = 'kin'
    const { perspective_id, route_set_version } = await start(engine, { agent_id, anchor_node: 'server/refund.py' })
    const { graph } = engine.brain
    let found = 0
    for (let route_index = 1; route_index <= 6; route_index++) {
      const at = { agent_id, perspective_id, route_set_version, route_index }
      const { candidates, notice, target_node } = await answer(engine, 'perspective_affinity', at)
      expect(notice).toContain('not verified')
      expect(rows(candidates).length).toBeLessThanOrEqual(8)
      for (const it of rows(candidates)) {
        found++
        expect(it).toMatchObject({ is_hypothetical: true, proposed_relation: null, candidate_node: it.node_id })
        expect(Number(it.strength)).toBeGreaterThanOrEqual(0.15)
        expect(Number(it.strength)).toBeLessThanOrEqual(0.85)
        const parts = Object.values(Object(it.confidence_breakdown))
          .map(Number)
          .filter((x) => x > 0)
        const mean = parts.reduce((product, x) => product * x, 1) ** (1 / parts.length)
        expect(it.strength).toBeCloseTo(Math.min(mean, parts.length === 1 ? 0.4 : 0.85), 4)
        const a = graph.strings.find(String(target_node))
        const b = graph.strings.find(String(it.node_id))
        const ends = (v: number) => graph.out.targets.subarray(graph.out.offsets[v], graph.out.offsets[v + 1])
        expect(ends(a).includes(b) || ends(b).includes(a), `${it.node_id}`).toBe(false)
      }
    }
    expect(found).toBeGreaterThan(0)
  })
})

describe('going', () => {
  test('moves the focus, counts versions, and goes back the same way', async () => {
    const { engine } = shared
    const agent_id = 'walker'
    const started = await start(engine, { agent_id })
    const { perspective_id } = started
    let version = started.route_set_version
    const way = [BANK]
    for (let i = 0; i < 3; i++) {
      const moved = await answer(engine, 'perspective_follow', {
        agent_id,
        perspective_id,
        route_index: 1,
        route_set_version: version,
      })
      expect(moved).toMatchObject({ previous_focus: way.at(-1), page: 1, route_set_version: Number(version) + 1 })
      version = moved.route_set_version
      way.push(String(moved.new_focus))
    }
    for (let i = 2; i >= 0; i--) {
      const before = await answer(engine, 'perspective_back', { agent_id, perspective_id })
      expect(before).toMatchObject({
        restored_focus: way[i],
        restored_mode: 'anchored',
        route_set_version: Number(version) + 1,
      })
      version = before.route_set_version
    }
    expect(version).toBe(106)
    expect(await ask(engine, 'perspective_back', { agent_id, perspective_id })).toMatchObject(
      failure('nav_at_root', perspective_id === undefined ? '' : String(perspective_id)),
    )
    const { perspectives } = await answer(engine, 'perspective_list', { agent_id })
    expect(perspectives).toMatchObject([{ nav_event_count: 6, route_set_version: 106, stale: false }])
  })

  test('remembers so many steps, and drops the oldest', async () => {
    const { engine } = await openShop({ maxCheckpoints: 2, maxNavigationEvents: 4 })
    const { perspective_id } = await start(engine)
    for (let i = 0; i < 5; i++)
      await answer(engine, 'perspective_follow', { perspective_id, route_index: 1, route_set_version: 100 + i })
    expect(await answer(engine, 'perspective_list', {})).toMatchObject({ perspectives: [{ nav_event_count: 4 }] })
    for (let i = 0; i < 2; i++) await answer(engine, 'perspective_back', { perspective_id })
    expect(await ask(engine, 'perspective_back', { perspective_id })).toMatchObject(failure('nav_at_root'))
  })

  test('far from its anchor becomes local, and anchored again on the way back', async () => {
    const links = Array.from({ length: 12 }, (_, i) => `link${i}`)
    const files = Object.fromEntries(
      links.map((name, i) => [`${name}.py`, i === 11 ? 'x = 1\n' : `import link${i + 1}\n\nprint(link${i + 1})\n`]),
    )
    const folder = projectOf('chain', files)
    const engine = engineFor(folder)
    await answer(engine, 'ingest', { path: folder })
    const lens = { route_families: ['structural'] }
    const { perspective_id } = await answer(engine, 'perspective_start', {
      query: 'link',
      anchor_node: 'link0.py',
      lens,
    })
    const modes: unknown[] = []
    for (let i = 0; i < 11; i++) {
      const page = await answer(engine, 'perspective_routes', { perspective_id, page_size: 10 })
      const next = rows(page.routes).find((it) => it.target_node === `file::link${i + 1}.py`)
      const moved = await answer(engine, 'perspective_follow', {
        perspective_id,
        route_id: next?.route_id,
        route_set_version: page.route_set_version,
      })
      modes.push(moved.mode_effective)
      expect(moved.mode).toBe('anchored')
    }
    expect(modes).toEqual([...Array(8).fill('anchored'), ...Array(3).fill('local')])
    for (let i = 0; i < 3; i++) await answer(engine, 'perspective_back', { perspective_id })
    expect(await answer(engine, 'perspective_routes', { perspective_id })).toMatchObject({ mode_effective: 'anchored' })
    await engine.close()
  })

  test('suggests what was not visited, by the way taken, and back at a dead end', async () => {
    const { engine } = shared
    const agent_id = 'asker'
    let { perspective_id, route_set_version } = await start(engine, {
      agent_id,
      lens: { route_families: ['structural'], node_types: ['class', 'function'] },
    })
    const suggestion = async () => {
      const found = await answer(engine, 'perspective_suggest', { agent_id, perspective_id, route_set_version })
      return Object(found.suggestion)
    }
    const first = await suggestion()
    expect(first).toMatchObject({
      action: 'follow',
      based_on: 'initial_ranking',
      recommended_action: `follow ${first.route_id}`,
    })
    expect(first.confidence).toBeLessThanOrEqual(0.85)
    expect(first.alternatives.length).toBeLessThanOrEqual(3)
    const step = { agent_id, perspective_id, route_id: first.route_id, route_set_version }
    const { new_focus } = await answer(engine, 'perspective_follow', step)
    ;({ route_set_version } = await answer(engine, 'perspective_back', { agent_id, perspective_id }))
    const second = await suggestion()
    expect(second.based_on).toBe('navigation_history')
    expect(second.reason).not.toContain(String(new_focus))
    expect(second.route_id).not.toBe(first.route_id)

    // everything from here was visited
    for (let i = 0; i < 3; i++) {
      const at = { agent_id, perspective_id, route_index: i + 1, route_set_version }
      const went = await ask(engine, 'perspective_follow', at)
      if (went.ok) ({ route_set_version } = await answer(engine, 'perspective_back', { agent_id, perspective_id }))
    }
    expect(await suggestion()).toMatchObject({ action: 'close', based_on: 'exhaustion_recovery', route_id: null })
    const page = await answer(engine, 'perspective_routes', { agent_id, perspective_id })
    expect(page).toMatchObject({ suggested: null, diagnostic: { reason: 'all_visited' } })
  })
})

describe('branches', () => {
  test('start alike and go their own ways', async () => {
    const { engine } = shared
    const agent_id = 'forker'
    const { perspective_id, route_set_version } = await start(engine, { agent_id })
    const branched = await answer(engine, 'perspective_branch', { agent_id, perspective_id })
    expect(branched).toMatchObject({ branch_name: 'branch_1', branched_from_focus: BANK, route_set_version })
    const own = { agent_id, perspective_id: branched.branch_perspective_id }
    await answer(engine, 'perspective_follow', { ...own, route_index: 2, route_set_version })
    expect(await answer(engine, 'perspective_routes', { agent_id, perspective_id })).toMatchObject({
      focus: BANK,
      route_set_version,
    })
    await answer(engine, 'perspective_follow', { agent_id, perspective_id, route_index: 1, route_set_version })
    const names = { perspective_id_a: perspective_id, perspective_id_b: branched.branch_perspective_id }
    const compared = await answer(engine, 'perspective_compare', { agent_id, ...names })
    expect(compared.cross_agent).toBe(false)
    expect(rows(compared.shared_node_ids)).toContain(BANK)
    const lists = [compared.shared_node_ids, compared.unique_to_a_ids, compared.unique_to_b_ids].map(rows)
    expect(new Set(lists.flat()).size).toBe(lists.flat().length)
    for (const it of rows(compared.dimension_deltas))
      expect(it.delta).toBeCloseTo(Number(it.score_a) - Number(it.score_b), 5)
    expect(rows(compared.dimension_deltas).some((it) => it.delta !== 0)).toBe(true)
    expect(compared.response_chars).toBeLessThanOrEqual(3000)
    await answer(engine, 'perspective_back', own)
    expect(await ask(engine, 'perspective_back', own)).toMatchObject(failure('nav_at_root'))
  })
})

describe('peeking', () => {
  async function peek(prepare: (shop: string) => void, over: Partial<Settings> = {}) {
    const { engine, shop } = await openShop(over)
    const { perspective_id, route_set_version, routes } = await answer(engine, 'perspective_start', {
      query: 'bank',
      anchor_node: 'server/payment.py',
      lens: { route_families: ['structural'], node_types: ['file'] },
    })
    const route = rows(routes).find((it) => it.target_node === BANK)
    prepare(shop)
    const found = await ask(engine, 'perspective_peek', {
      perspective_id,
      route_set_version,
      route_id: route?.route_id,
    })
    await engine.close()
    return found
  }
  const bank = (shop: string) => join(shop, 'server', 'bank.py')

  test('shows the source around the target, and whether it changed', async () => {
    expect(await peek(() => {})).toMatchObject({
      ok: true,
      output: {
        target_node: BANK,
        content: {
          excerpt: expect.stringContaining('def authorise'),
          file_path: 'server/bank.py',
          line_start: 1,
          truncated: false,
          provenance_stale: false,
          encoding_lossy: false,
        },
      },
    })
    const long = await peek((shop) => {
      writeFileSync(bank(shop), Buffer.concat([Buffer.from([0xff]), Buffer.from(`ä${'x'.repeat(90)}\n`.repeat(60))]))
      utimesSync(bank(shop), Date.now() / 1000 + 60, Date.now() / 1000 + 60)
    })
    if (!long.ok) throw new Error(long.failure.message)
    const { excerpt, truncated, provenance_stale, encoding_lossy } = Object(long.output.content)
    expect({ truncated, provenance_stale, encoding_lossy }).toEqual({
      truncated: true,
      provenance_stale: true,
      encoding_lossy: true,
    })
    expect(excerpt.length).toBeLessThanOrEqual(2000)
    expect(excerpt.endsWith('x')).toBe(true)
  })

  test('refuses what is outside, no file, too large, binary or gone', async () => {
    const outside = join(temporaryFolder(), 'secret.py')
    writeFileSync(outside, 'password = 1\n')
    const replaced = (shop: string) => rmSync(bank(shop))
    const cases: [string, (shop: string) => void][] = [
      ['no such file', replaced],
      ['outside', (shop) => (replaced(shop), symlinkSync(outside, bank(shop)))],
      ['leads nowhere', (shop) => (replaced(shop), symlinkSync(join(shop, 'none'), bank(shop)))],
      ['a folder', (shop) => (replaced(shop), mkdirSync(bank(shop)))],
      ['binary', (shop) => writeFileSync(bank(shop), 'a\0b')],
      [
        'secrets',
        (shop) => (
          writeFileSync(join(shop, '.env'), 'A=1'), replaced(shop), symlinkSync(join(shop, '.env'), bank(shop))
        ),
      ],
      ['too large', (shop) => truncateSync(bank(shop), 5000)],
    ]
    for (const [reason, prepare] of cases) {
      const found = await peek(prepare, { peekMaxBytes: 4096 })
      expect(found, reason).toMatchObject(failure('peek_refused', reason))
      expect(JSON.stringify(found)).not.toContain('password')
    }
    // a link that stays inside is fine
    const inside = await peek((shop) => {
      replaced(shop)
      symlinkSync(join(shop, 'server', 'refund.py'), bank(shop))
    })
    expect(inside).toMatchObject({ ok: true })
  })
})

describe('when the graph changes', () => {
  test('an older version is refused once with the new one, and a call without a version refreshes', async () => {
    const { engine, shop } = await openShop()
    const { perspective_id, route_set_version } = await start(engine)
    writeFileSync(join(shop, 'server', 'branch.py'), 'from server.bank import authorise\n\nauthorise(1, 1)\n')
    await answer(engine, 'ingest', { agent_id: 'builder', path: shop, incremental: true })
    expect(await answer(engine, 'perspective_list', {})).toMatchObject({ perspectives: [{ stale: true }] })
    const at = { perspective_id, route_index: 1, route_set_version }
    expect(await ask(engine, 'perspective_inspect', at)).toMatchObject(
      failure('route_set_stale', 'given 100, current 101'),
    )
    expect(await answer(engine, 'perspective_inspect', { ...at, route_set_version: 101 })).toMatchObject({
      route_index: 1,
    })
    const page = await answer(engine, 'perspective_routes', { perspective_id, page_size: 10 })
    expect(page).toMatchObject({ route_set_version: 101, cache_generation: 2 })
    expect(rows(page.routes).map((it) => it.target_label)).toContain('branch.py')
    // feedback moves weights, and so routes
    await answer(engine, 'learn', { feedback: 'correct', node_ids: [BANK, 'refund.py'] })
    expect(await answer(engine, 'perspective_routes', { perspective_id })).toMatchObject({ route_set_version: 102 })
    // a question does not
    await answer(engine, 'activate', { query: 'refund' })
    expect(await answer(engine, 'perspective_routes', { perspective_id })).toMatchObject({ route_set_version: 102 })
  })

  test('a focus that is gone gives way to the anchor, or to what the question leads to', async () => {
    const { engine, shop } = await openShop()
    const lens = { route_families: ['structural'], node_types: ['file'] }
    const anchored = await start(engine, { anchor_node: 'server/payment.py', lens })
    const at = { perspective_id: anchored.perspective_id, route_set_version: 100 }
    const toBank = rows(anchored.routes).find((it) => it.target_node === BANK)
    await answer(engine, 'perspective_follow', { ...at, route_id: toBank?.route_id })
    const lost = await start(engine, { anchor_node: 'server/bank.py' })
    rmSync(join(shop, 'server', 'bank.py'))
    await answer(engine, 'ingest', { path: shop, incremental: true })
    expect(await answer(engine, 'perspective_routes', { perspective_id: anchored.perspective_id })).toMatchObject({
      focus: 'file::server/payment.py',
    })
    const { focus } = await answer(engine, 'perspective_routes', { perspective_id: lost.perspective_id })
    expect(focus).toMatch(/^file::/)
    expect(focus).not.toContain('bank.py')
  })

  test('perspectives come back after a restart as they were, and stale where the graph changed', async () => {
    const shop = copyOf('shop')
    const over = { ephemeral: false, home: temporaryFolder() }
    const first = engineFor(shop, over)
    await answer(first, 'ingest', { path: shop })
    const { perspective_id } = await start(first)
    await answer(first, 'perspective_follow', { perspective_id, route_index: 1, route_set_version: 100 })
    const page = await answer(first, 'perspective_routes', { perspective_id, page: 2, page_size: 4 })
    await first.close()

    const second = engineFor(shop, over)
    expect(await answer(second, 'perspective_list', {})).toMatchObject({ perspectives: [{ stale: false }] })
    // the place on the page served last still counts
    const at = { perspective_id, route_set_version: 101, route_index: 1 }
    expect(await answer(second, 'perspective_inspect', at)).toMatchObject({ route_id: rows(page.routes)[0].route_id })
    expect(await answer(second, 'perspective_back', { perspective_id })).toMatchObject({ restored_focus: BANK })
    writeFileSync(join(shop, 'aisle.ts'), 'export const aisle = 1\n')
    await answer(second, 'ingest', { path: shop, incremental: true })
    await second.close()
    const third = engineFor(shop, over)
    expect(await answer(third, 'perspective_list', {})).toMatchObject({ perspectives: [{ stale: true }] })
    await third.close()
  })
})

describe('between agents', () => {
  test("another agent's perspective answers as one that does not exist", async () => {
    const { engine } = await openShop()
    const { perspective_id, routes } = await start(engine)
    const { route_id } = rows(routes)[0]
    const at = { route_id, route_set_version: 100, perspective_id_a: 'x', perspective_id_b: 'y' }
    for (const name of ['routes', 'inspect', 'peek', 'follow', 'suggest', 'affinity', 'branch', 'back', 'close']) {
      const call = (id: unknown) => ask(engine, `perspective_${name}`, { ...at, agent_id: 'spy', perspective_id: id })
      const [foreign, none] = [await call(perspective_id), await call('persp_dev_777')]
      expect(foreign, name).toMatchObject(failure('perspective_not_found'))
      expect(JSON.stringify(foreign).replaceAll(String(perspective_id), 'persp_dev_777')).toBe(JSON.stringify(none))
    }
    const lock = { agent_id: 'spy', scope: 'node', root_nodes: [BANK], perspective_id }
    expect(await ask(engine, 'lock_create', lock)).toMatchObject(failure('perspective_not_found'))
    expect(await answer(engine, 'perspective_list', { agent_id: 'spy' })).toMatchObject({ perspectives: [] })
  })

  test('comparing works when the settings allow it and one of the two is the own', async () => {
    for (const allowCrossAgentCompare of [true, false]) {
      const { engine } = await openShop({ allowCrossAgentCompare })
      await start(engine)
      await start(engine, { agent_id: 'ann', anchor_node: 'src/cart.ts' })
      const compare = (agent_id: string, b = 'persp_ann_001') =>
        ask(engine, 'perspective_compare', { agent_id, perspective_id_a: 'persp_dev_001', perspective_id_b: b })
      expect(await compare('spy')).toMatchObject(failure('perspective_not_found'))
      const allowed = await compare('dev')
      if (allowCrossAgentCompare)
        expect(allowed).toMatchObject({ ok: true, output: { owner_a: 'dev', owner_b: 'ann', cross_agent: true } })
      else {
        expect(allowed).toMatchObject({
          failure: { code: 'perspective_not_found', hint: expect.stringContaining('allow_cross') },
        })
        const none = await compare('dev', 'persp_ann_777')
        expect(JSON.stringify(none).replaceAll('777', '001')).toBe(JSON.stringify(allowed))
      }
      expect(await compare('dev', 'persp_dev_001')).toMatchObject(failure('invalid_params'))
    }
  })

  test('closing releases the locks made for it and no others', async () => {
    const { engine } = await openShop()
    const lock = (more: Row = {}) => answer(engine, 'lock_create', { scope: 'node', root_nodes: [BANK], ...more })
    const free = await lock()
    expect(free.perspective_id).toBeNull()
    const one = await start(engine)
    const two = await start(engine)
    const byDefault = await lock()
    expect(byDefault.perspective_id).toBe(two.perspective_id)
    const named = await lock({ perspective_id: one.perspective_id })
    expect(await answer(engine, 'perspective_close', { perspective_id: one.perspective_id })).toMatchObject({
      closed: true,
      locks_released: [named.lock_id],
    })
    expect(await ask(engine, 'perspective_close', { perspective_id: one.perspective_id })).toMatchObject(
      failure('perspective_not_found'),
    )
    expect(await ask(engine, 'lock_diff', { lock_id: named.lock_id })).toMatchObject(failure('lock_not_found'))
    for (const it of [free, byDefault])
      expect(await ask(engine, 'lock_diff', { lock_id: it.lock_id })).toMatchObject({ ok: true })
  })

  test('an agent not seen for long is forgotten with what it kept, but for its trails and numbers', async () => {
    const { engine } = await openShop({ sessionIdleHours: 1 })
    const at = (now: number, name: string, args: Row) => callTool(engine, name, { agent_id: 'dev', ...args }, { now })
    await at(NOW, 'perspective_start', { query: 'refund' })
    await at(NOW, 'lock_create', { scope: 'node', root_nodes: [BANK] })
    await at(NOW, 'trail_save', { label: 'kept' })
    const later = NOW + 2 * 3_600_000
    await at(later, 'health', { agent_id: 'ann' })
    expect(await at(later, 'perspective_list', {})).toMatchObject({ output: { perspectives: [] } })
    expect(await at(later, 'lock_diff', { lock_id: 'lock_dev_001' })).toMatchObject(failure('lock_not_found'))
    expect(await at(later, 'trail_list', {})).toMatchObject({ output: { total_count: 1 } })
    expect(await at(later, 'perspective_start', { query: 'refund' })).toMatchObject({
      output: { perspective_id: 'persp_dev_002' },
    })
  })

  test('memory for handles has an end', async () => {
    const { engine } = await openShop({ handleMemoryMb: 1 })
    const { records } = engine
    records.put('lock', 'state/lock_x_001', { lock_id: 'x' })
    const path_nodes = Array.from(engine.brain.graph.keys, (_, v) =>
      engine.brain.graph.strings.get(engine.brain.graph.keys[v]),
    )
    let refused = null
    for (let i = 0; i < 400 && refused === null; i++) {
      const agent_id = `agent-${i}`
      const made = await ask(engine, 'lock_create', { agent_id, scope: 'path', root_nodes: [BANK], path_nodes })
      if (!made.ok) refused = made
    }
    expect(refused).toMatchObject({
      failure: { code: 'lock_limit', message: expect.stringContaining('locks most of it') },
    })
  })
})
