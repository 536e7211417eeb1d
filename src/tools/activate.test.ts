import { describe, expect, test } from 'vitest'
import { emptyGraph } from '#graph/build'
import activate from '#tools/activate'
import { placeOf, shopGraph } from '#tools/learning-for-tests'

describe('activate', () => {
  test('gives rows in order with both names of every number, and a reason', async () => {
    const { activated, seeds, query } = await placeOf(shopGraph()).call(activate, { query: 'payment', detail: true })
    expect(query).toBe('payment')
    expect(seeds[0]).toMatchObject({ node_id: 'file::payment.py::class::Payment', label: 'Payment' })
    expect(activated).toHaveLength(20)
    for (const row of activated) {
      expect(row.score).toBe(row.activation)
      expect(row.dimension_scores).toEqual(row.dimensions)
      expect(row.activation).toBeLessThanOrEqual(1)
      expect(row.reason.length).toBeGreaterThan(3)
    }
    const scores = activated.map((it) => it.activation)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  test('reasons name the word, the edge or the common commits', async () => {
    const { activated } = await placeOf(shopGraph()).call(activate, { query: 'payment', top_k: 40 })
    const reasonOf = (id: string) => activated.find((it) => it.node_id === id)?.reason
    expect(reasonOf('file::payment.py')).toBe("is named 'payment'")
    expect(reasonOf('file::payment_form.py')).toBe("matches 'payment'")
    expect(reasonOf('file::bank.py')).toBe('imported by payment.py')
    expect(reasonOf('file::payment.py::fn::charge_card')).toBe('contained in payment.py')
  })

  test('does not give a question of any length back', async () => {
    const { query, seeds } = await placeOf(shopGraph()).call(activate, { query: 'payment '.repeat(10_000) })
    expect(query.length).toBeLessThan(250)
    expect(seeds[0].label).toBe('Payment')
  })

  test('learns from the question and counts what it did', async () => {
    const place = placeOf(shopGraph())
    const first = await place.call(activate, { query: 'payment' })
    expect(first.plasticity).toMatchObject({ priming_nodes: 0, ltd_events: 0 })
    expect(first.plasticity.edges_strengthened).toBeGreaterThan(0)
    expect(place.brain.learned.memory.map((it) => [it.agent, it.text])).toEqual([['ann', 'payment']])
    const second = await place.call(activate, { query: 'payment' })
    expect(second.plasticity.priming_nodes).toBeGreaterThan(0)
    const unprimed = await place.call(activate, { query: 'payment', priming: false })
    expect(unprimed.plasticity.priming_nodes).toBe(0)
  })

  test('with learn off, and on a read-only server, nothing changes and the answer is the same every time', async () => {
    for (const [place, input] of [
      [placeOf(shopGraph()), { learn: false }],
      [placeOf(shopGraph(), { mode: 'read_only' }), {}],
    ] as const) {
      const first = await place.call(activate, { query: 'payment', ...input })
      expect(await place.call(activate, { query: 'payment', ...input })).toEqual(first)
      expect([...place.brain.graph.weights]).toEqual([...shopGraph().weights])
      expect(place.brain.learned.memory).toEqual([])
    }
  })

  test('with one dimension the others are 0', async () => {
    const { activated } = await placeOf(shopGraph()).call(activate, {
      query: 'payment',
      dimensions: ['temporal'],
      detail: true,
    })
    for (const { dimensions } of activated) expect(dimensions).toMatchObject({ structural: 0, semantic: 0, causal: 0 })
    expect(activated.length).toBeGreaterThan(0)
  })

  test('a question that matches nothing is answered with an empty list and a note', async () => {
    const answer = await placeOf(shopGraph()).call(activate, { query: 'xylophone' })
    expect(answer).toMatchObject({ activated: [], seeds: [], total_active: 0 })
    expect(answer.note).not.toBe('')
  })

  test('an empty graph is an error that names ingest', async () => {
    await expect(placeOf(emptyGraph()).call(activate, { query: 'payment' })).rejects.toMatchObject({
      code: 'graph_empty',
      hint: expect.stringContaining('ingest'),
    })
  })

  test('refuses an empty question, an unknown dimension and no rows', () => {
    for (const input of [{ query: ' ' }, { query: 'till', dimensions: ['smell'] }, { query: 'till', top_k: 0 }]) {
      expect(activate.input.safeParse({ agent_id: 'ann', ...input }).success).toBe(false)
    }
  })

  test('compact rows keep the answer small; detail adds excerpt and all tags', async () => {
    const place = placeOf(shopGraph())
    const compact = await place.call(activate, { query: 'payment checkout session' })
    expect(JSON.stringify(compact).length / 4).toBeLessThan(2000)
    expect(compact.activated).toHaveLength(20)
    expect(compact.total_ghost_edges).toBeGreaterThanOrEqual(compact.ghost_edges.length)
    expect(compact.truncated).toMatchObject({ shown: 20, total: compact.total_active })
    const detailed = await place.call(activate, { query: 'payment checkout session', detail: true, learn: false })
    expect(detailed.activated[0].raw_score).toBeGreaterThan(0)
    expect(detailed.seeds.length).toBe(detailed.total_seeds)
  })
})
