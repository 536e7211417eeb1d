import { describe, expect, test } from 'vitest'
import type { Baseline } from '#engine/brain'
import { type Graph, keyOf } from '#graph/graph'
import drift from '#tools/drift'
import learn from '#tools/learn'
import { NOW, placeOf, shopGraph } from '#tools/learning-for-tests'

const FEEDBACK = { query: 'payment', feedback: 'correct' as const, node_ids: ['payment.py', 'bank.py'] }
const EDGE = 'file::payment.py -> file::bank.py'

function baselineOf(graph: Graph, weights: [string, number][] = []): Baseline {
  const keys = Array.from({ length: graph.nNodes }, (_, v) => keyOf(graph, v))
  return {
    savedAt: NOW - 3_600_000,
    nodeCount: keys.length,
    edgeCount: graph.nLogical,
    keys,
    weights: new Map(weights),
    commit: '',
    files: new Map(),
  }
}

describe('drift', () => {
  test('a graph that learned nothing has none', async () => {
    const answer = await placeOf(shopGraph()).call(drift, {})
    expect(answer).toMatchObject({
      since: 'last_session',
      baseline: 'ingest',
      node_count_delta: 0,
      edge_count_delta: 0,
      new_nodes: [],
      removed_nodes: [],
      total_edges_changed: 0,
      average_weight_change: 0,
      top_weight_drifts: [],
      uptime_seconds: 60,
    })
    expect(answer.note).toContain('No earlier session')
  })

  test('without a saved session weights are compared with the ingest', async () => {
    const place = placeOf(shopGraph())
    await place.call(learn, FEEDBACK)
    const answer = await place.call(drift, {})
    const row = answer.top_weight_drifts.find((it) => it.edge === EDGE)
    expect(row).toMatchObject({ relation: 'imports', old: 0.5, new: 0.7, delta: 0.2 })
    expect(answer.total_edges_changed).toBeGreaterThan(0)
    expect(answer.top_weakened).toEqual([])
    expect(answer.weight_drift).toHaveLength(answer.top_weight_drifts.length)
    expect(answer.queries_processed).toBe(1)
  })

  test('an edge that runs both ways counts once, here as where it was learned and forgotten', async () => {
    const place = placeOf(shopGraph())
    const learned = await place.call(learn, { feedback: 'correct', node_ids: ['payment.py'] })
    expect(learned.edges_strengthened).toBeGreaterThan(3)
    expect(learned.plasticity_records).toBe(learned.edges_strengthened)
    const { total_edges_changed, top_strengthened, top_weight_drifts, weight_drift } = await place.call(drift, {})
    expect(total_edges_changed).toBe(learned.edges_strengthened)
    for (const rows of [top_strengthened, top_weight_drifts]) {
      const pairs = rows.map((it) => `${it.relation} ${it.edge.split(' -> ').sort().join()}`)
      expect(new Set(pairs).size).toBe(pairs.length)
    }
    expect(weight_drift).toHaveLength(Math.min(20, total_edges_changed))
    const reset = await place.call(learn, { feedback: 'reset', scope: 'all' })
    expect(reset).toMatchObject({ edges_adjusted: learned.edges_strengthened, plasticity_records: 0 })
  })

  test('with a saved session only what changed since then is listed; totals still compare with the ingest', async () => {
    const graph = shopGraph()
    const key = `${EDGE}|imports`
    const gone: [string, number] = ['file::bank.py -> file::retry.py|imports', 0.8]
    const place = placeOf(graph, { baseline: baselineOf(graph, [[key, 0.7], gone]) })
    await place.call(learn, { ...FEEDBACK, query: '' })
    const answer = await place.call(drift, {})
    expect(answer.baseline).toBe(new Date(NOW - 3_600_000).toISOString())
    expect(answer.top_weight_drifts.map((it) => it.edge)).not.toContain(EDGE)
    expect(answer.top_weight_drifts).toContainEqual({
      edge: 'file::bank.py -> file::retry.py',
      relation: 'imports',
      old: 0.8,
      new: 0.5,
      delta: -0.3,
    })
    expect(answer.top_strengthened[0].delta).toBeGreaterThan(0)
  })

  test('names nodes that came and went', async () => {
    const graph = shopGraph()
    const baseline = baselineOf(graph)
    baseline.keys = [...baseline.keys.filter((it) => it !== 'file::log.py'), 'file::cellar.py']
    baseline.edgeCount -= 4
    const answer = await placeOf(graph, { baseline }).call(drift, {})
    expect(answer).toMatchObject({
      new_nodes: ['file::log.py'],
      removed_nodes: ['file::cellar.py'],
      node_count_delta: 0,
      edge_count_delta: 4,
    })
  })

  test('a time takes the newest state that was saved by then', async () => {
    const graph = shopGraph()
    const place = placeOf(graph, { baseline: baselineOf(graph) })
    const after = await place.call(drift, { since: String(NOW) })
    expect(after.baseline).toBe(new Date(NOW - 3_600_000).toISOString())
    const before = await place.call(drift, { since: new Date(NOW - 7_200_000).toISOString() })
    expect(before).toMatchObject({ baseline: 'ingest', note: expect.stringContaining('No state that was saved by') })
    const seconds = await place.call(drift, { since: '1767225600' })
    expect(seconds.note).toContain('saved by 1970-01-21T10:53:45.600Z')
    expect((await place.call(drift, { since: '2020' })).note).toContain('saved by 2020-01-01T00:00:00.000Z')
  })

  test.each([
    'yesterday-ish',
    '',
    'abc 1',
    '1 2 3',
    'last sesion 2',
    '01/02/2026',
    '2026-02-30',
    '-5',
    '99999999999999999999',
  ])('"%s" is no time', async (since) => {
    await expect(placeOf(shopGraph()).call(drift, { since })).rejects.toMatchObject({
      code: 'invalid_params',
      message: `Invalid params for drift: since is not a time: ${since}`,
    })
  })

  test('what came and went is cut to fifty names, and the answer says so', async () => {
    const graph = shopGraph()
    const baseline = baselineOf(graph)
    baseline.keys.push(...Array.from({ length: 60 }, (_, i) => `file::old${i}.py`))
    const answer = await placeOf(graph, { baseline }).call(drift, {})
    expect(answer.removed_nodes).toHaveLength(50)
    expect(answer).toMatchObject({ removed_nodes_total: 60, truncated: { shown: 50, total: 60 } })
  })

  test('leaves weight lists out when asked to', async () => {
    const place = placeOf(shopGraph())
    await place.call(learn, FEEDBACK)
    const answer = await place.call(drift, { include_weight_drift: false })
    expect(answer).toMatchObject({ top_weight_drifts: [], top_strengthened: [], weight_drift: [] })
    expect(answer.total_edges_changed).toBeGreaterThan(0)
  })

  test('fastest changing nodes come with their trend', async () => {
    const { top_velocities } = await placeOf(shopGraph()).call(drift, {})
    expect(top_velocities).toHaveLength(10)
    for (const it of top_velocities) expect(it.trend).toBe(it.velocity > 0 ? 'accelerating' : 'decelerating')
  })
})
