import { describe, expect, test } from 'vitest'
import { buildLexical } from '#graph/lexical'
import { nodeByKey } from '#graph/lookup'
import { fromJson, toJson } from '#plasticity/exchange'
import { coChangeOf } from '#query/cochange'
import activate from '#tools/activate'
import learn from '#tools/learn'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import seek from '#tools/seek'
import warmup from '#tools/warmup'

const QUERY = 'payment'
const RIGHT = ['file::bank.py', 'file::checkout.py::fn::pay_cart']
const WRONG = 'file::payment_legacy.py'

async function ranking(place: ReturnType<typeof placeOf>, query = QUERY, agent = 'ann'): Promise<string[]> {
  const { activated } = await place.call(activate, { query, top_k: 20 }, agent)
  return activated.map((it) => it.node_id)
}

describe('the learning loop', () => {
  test.each(['default', 'literal'] as const)('under %s the right answers rise after feedback', async (plasticity) => {
    const place = placeOf(shopGraph(), { settings: { plasticity } })
    const first = await place.call(activate, { query: QUERY })
    for (let i = 0; i < 3; i++) await place.call(learn, { query: QUERY, feedback: 'correct', node_ids: RIGHT })
    const second = await place.call(activate, { query: QUERY })
    for (const right of RIGHT) {
      const before = first.activated.findIndex((it) => it.node_id === right)
      const after = second.activated.findIndex((it) => it.node_id === right)
      expect(before).toBeGreaterThan(0)
      expect(after).toBeLessThan(before)
    }
  })

  test('one feedback each: right answers rise, the wrong one and its content leave the top five, and so after a restart', async () => {
    const place = placeOf(shopGraph())
    const first = await ranking(place)
    const isWrong = (id: string) => id.startsWith(WRONG)
    expect(first.slice(0, 5).some(isWrong)).toBe(true)
    await place.call(learn, { query: QUERY, feedback: 'correct', node_ids: RIGHT })
    await place.call(learn, { query: QUERY, feedback: 'wrong', node_ids: [WRONG] })

    const second = await ranking(place)
    for (const right of RIGHT) expect(second.indexOf(right)).toBeLessThan(first.indexOf(right))
    expect(second.slice(0, 5).some(isWrong)).toBe(false)

    const again = shopGraph()
    const restarted = placeOf(again)
    restarted.brain.learned = fromJson(JSON.stringify(toJson(place.brain.learned, place.brain.graph)), again).learned
    const third = await ranking(restarted)
    expect(third.slice(0, 5).some(isWrong)).toBe(false)
    for (const right of RIGHT) expect(third.indexOf(right)).toBeLessThan(first.indexOf(right))
  })

  test('the far end of a ghost edge comes up when both ends are confirmed', async () => {
    const place = placeOf(shopGraph())
    const { ghost_edges, activated } = await place.call(activate, { query: 'refund receipt', detail: true })
    const ids = activated.map((it) => it.node_id)
    const ghost = ghost_edges.find((it) => ids.indexOf(it.target) > 5)
    if (ghost === undefined) throw new Error('the shop has no ghost edge to learn from')
    await place.call(learn, { query: 'refund receipt', feedback: 'correct', node_ids: [ghost.source, ghost.target] })
    expect((await ranking(place, 'refund receipt')).indexOf(ghost.target)).toBeLessThan(ids.indexOf(ghost.target))
  })

  test('another agent profits at once, and other topics keep their order', async () => {
    const place = placeOf(shopGraph())
    const first = await ranking(place)
    const other = await ranking(place, 'session pool', 'ben')
    await place.call(learn, { query: QUERY, feedback: 'correct', node_ids: RIGHT }, 'ann')
    await place.call(learn, { query: QUERY, feedback: 'wrong', node_ids: [WRONG] }, 'ann')
    expect((await ranking(place, QUERY, 'ben')).indexOf(RIGHT[0])).toBeLessThan(first.indexOf(RIGHT[0]))
    expect((await ranking(place, 'session pool', 'ben')).slice(0, 10)).toEqual(other.slice(0, 10))
  })

  test('asking the same again and again does not change the order', async () => {
    const place = placeOf(shopGraph())
    const first = await ranking(place)
    for (let i = 0; i < 30; i++) await ranking(place)
    expect((await ranking(place)).slice(0, 10)).toEqual(first.slice(0, 10))
  })
})

describe('learn', () => {
  test('reports what it changed under all its names, and counts up the learning generation', async () => {
    const place = placeOf(shopGraph())
    const answer = await place.call(learn, {
      query: QUERY,
      feedback: 'correct',
      node_ids: ['payment.py', 'bank.py', 'cellar.py'],
    })
    expect(answer).toMatchObject({
      query: QUERY,
      feedback: 'correct',
      learning_type: 'hebbian_ltp',
      nodes_affected: 2,
      nodes_found: 2,
      nodes_expanded: 7,
      plasticity_delta: 0.2,
      strength: 0.2,
      unresolved_nodes: ['cellar.py'],
      plasticity_generation: 1,
    })
    expect(answer.edges_adjusted).toBe(answer.edges_strengthened + answer.edges_weakened)
    expect(answer.edges_modified).toBe(answer.edges_adjusted)
    expect(answer.plasticity_records).toBeGreaterThan(0)
  })

  test('confirmed pairs count as seen to change together', async () => {
    const place = placeOf(shopGraph())
    const { graph, indexes } = place.brain
    const [form, pool] = ['file::payment_form.py', 'file::pool.py'].map((key) => nodeByKey(graph, key))
    const strength = () => coChangeOf(indexes.cochange, form).find((it) => it.node === pool)?.strength ?? 0
    const before = strength()
    await place.call(learn, { query: QUERY, feedback: 'correct', node_ids: ['payment_form.py', 'pool.py'] })
    expect(strength()).toBeCloseTo(before + 0.1, 6)
  })

  test.each([
    [{ node_ids: ['pool.py'] }, true],
    [{ scope: 'agent' as const }, true],
    [{ scope: 'all' as const }, true],
    [{ scope: 'agent' as const, target_agent: 'somebody' }, false],
    [{ node_ids: ['bank.py'] }, false],
  ])('a reset of %o takes confirmed pairs back: %s', async (input, isBack) => {
    const place = placeOf(shopGraph())
    const { graph, indexes } = place.brain
    const [form, pool] = ['file::payment_form.py', 'file::pool.py'].map((key) => nodeByKey(graph, key))
    const strength = () => coChangeOf(indexes.cochange, form).find((it) => it.node === pool)?.strength ?? 0
    const before = strength()
    await place.call(learn, { query: QUERY, feedback: 'correct', node_ids: ['payment_form.py', 'pool.py'] })
    await place.call(learn, { feedback: 'reset', ...input })
    expect(strength()).toBeCloseTo(isBack ? before : before + 0.1, 6)
  })

  test('works without a query', async () => {
    const place = placeOf(shopGraph())
    const answer = await place.call(learn, { feedback: 'correct', node_ids: ['payment.py', 'bank.py'] })
    expect(answer.edges_strengthened).toBeGreaterThan(0)
    expect(place.brain.learned.verdicts).toEqual([])
    expect(answer.note).toContain('Without a query')
  })

  test('a grade scales the strength', async () => {
    const place = placeOf(shopGraph())
    const answer = await place.call(learn, { feedback: 'wrong', node_ids: ['payment.py'], grade: 0.5 })
    expect(answer).toMatchObject({ strength: 0.1, plasticity_delta: 0.1, learning_type: 'hebbian_ltd' })
  })

  test('the least strength is 0.01, and what the answer says of it is what happened', async () => {
    const place = placeOf(shopGraph())
    const input = { feedback: 'correct' as const, node_ids: ['payment.py', 'bank.py'] }
    const least = await place.call(learn, { ...input, strength: 0 })
    expect(least).toMatchObject({ strength: 0.01, plasticity_delta: 0.01 })
    expect(least.mean_weight_change).toBeCloseTo(0.01, 4)
    expect(least.note).not.toContain('only the journal')
    const graded = await place.call(learn, { ...input, grade: 0 })
    expect(graded).toMatchObject({ strength: 0, edges_adjusted: 0, mean_weight_change: 0 })
    expect(graded.note).toContain('only the journal')
  })

  test.each([
    [{ feedback: 'correct' as const, node_ids: [] }, 'invalid_params'],
    [{ feedback: 'reset' as const }, 'invalid_params'],
    [{ feedback: 'wrong' as const, node_ids: ['cellar.py', 'attic.py'] }, 'node_not_found'],
  ])('refuses %o', async (input, code) => {
    await expect(placeOf(shopGraph()).call(learn, input)).rejects.toMatchObject({ code })
  })

  test('refuses another kind of feedback and a strength out of range', () => {
    for (const input of [
      { feedback: 'maybe' },
      { feedback: 'correct', strength: 2 },
      { feedback: 'correct', grade: -1 },
    ]) {
      expect(learn.input.safeParse({ agent_id: 'ann', node_ids: ['a'], ...input }).success).toBe(false)
    }
  })
})

describe('reset', () => {
  test.each([
    { scope: 'all' as const },
    { scope: 'agent' as const },
    { scope: 'agent' as const, target_agent: 'ann' },
    {
      node_ids: [
        'payment.py',
        'bank.py',
        'checkout.py',
        'retry.py',
        'config.py',
        'log.py',
        'routes.py',
        'cart.py',
        'receipt.py',
        'refund.py',
      ],
    },
  ])('with %o gives back the weights of ingest', async (what) => {
    const place = placeOf(shopGraph())
    await place.call(learn, { query: QUERY, feedback: 'correct', node_ids: ['payment.py', 'bank.py'] })
    await place.call(learn, { query: QUERY, feedback: 'wrong', node_ids: ['checkout.py'] })
    const answer = await place.call(learn, { feedback: 'reset', ...what })
    expect(answer).toMatchObject({ feedback: 'reset', plasticity_records: 0, plasticity_generation: 3 })
    expect([...place.brain.graph.weights]).toEqual([...shopGraph().weights])
    expect(place.brain.learned.verdicts).toEqual([])
  })
})

describe('warmup', () => {
  test('biases what another agent asks next and fades with every question', async () => {
    const place = placeOf(shopGraph())
    const plain = placeOf(shopGraph())
    const { primed_nodes, top_primed, task } = await place.call(warmup, {
      task_description: 'stock shelf',
      boost_strength: 1,
    })
    expect(task).toBe('stock shelf')
    expect(primed_nodes).toBeGreaterThan(3)
    expect(top_primed[0]).toMatchObject({ node_id: 'file::stock.py', boost: 1 })

    const score = async (where: typeof place) => {
      const { activated } = await where.call(activate, { query: 'cart', learn: false, detail: true }, 'ben')
      return activated.find((it) => it.node_id === 'file::stock.py')?.raw_score
    }
    const usual = Number(await score(plain))
    expect(await score(place)).toBeCloseTo(usual * 2, 4)
    expect(await score(place)).toBeCloseTo(usual * 1.9, 4)
    expect(await score(place)).toBeCloseTo(usual * 1.81, 4)
  })

  test('changes no weight, remembers no query and is not saved', async () => {
    const place = placeOf(shopGraph())
    await place.call(warmup, { task_description: 'refund a payment' })
    expect([...place.brain.graph.weights]).toEqual([...shopGraph().weights])
    expect(place.brain.learned.memory).toEqual([])
    expect(JSON.stringify(toJson(place.brain.learned, place.brain.graph))).not.toContain('refund')
  })

  test('says why nothing was primed: no match, or boosts too small to count', async () => {
    const answer = await placeOf(shopGraph()).call(warmup, { task_description: 'zzz' })
    expect(answer).toMatchObject({ primed_nodes: 0, top_primed: [], note: expect.stringContaining('matches') })
    for (const boost_strength of [0, 0.005]) {
      const faint = await placeOf(shopGraph()).call(warmup, { task_description: 'stock shelf', boost_strength })
      expect(faint.total_seeds).toBeGreaterThan(0)
      expect(faint).toMatchObject({ primed_nodes: 0, note: expect.stringContaining('too small') })
    }
  })

  test('answers with seeds, boosts and what memory suggests, each with its whole number', async () => {
    const place = placeOf(shopGraph(), { settings: { plasticity: 'literal' } })
    await place.call(activate, { query: 'payment' })
    const answer = await place.call(warmup, { task_description: 'payment', boost_strength: 0.5 })
    expect(answer).toMatchObject({ task: 'payment', task_description: 'payment', note: '' })
    expect(answer.seeds.length).toBe(Math.min(20, answer.total_seeds))
    expect(answer.total_seeds).toBeLessThanOrEqual(50)
    expect(answer.top_primed).toHaveLength(Math.min(20, answer.primed_nodes))
    expect(answer.top_primed[0].boost).toBe(0.5)
    expect(answer.top_primed.map((it) => it.boost)).toEqual(
      answer.top_primed.map((it) => it.boost).sort((a, b) => b - a),
    )
    expect(answer.total_priming).toBeGreaterThan(0)
    expect(answer.priming_nodes).toHaveLength(Math.min(20, answer.total_priming))
    for (const it of answer.priming_nodes) expect(it.priming_strength).toBeLessThanOrEqual(0.5)
  })
})

describe('what search learns', () => {
  const ASKED = 'how is a refund paid back to the bank'
  const open = () => {
    const place = placeOf(shopGraph())
    place.brain.indexes.lexical = buildLexical([], place.brain.graph)
    return place
  }
  const found = async (place: ReturnType<typeof placeOf>, query = ASKED) => {
    const { results } = await place.call(seek, { query, min_score: 0 })
    return results.map((it) => it.file_path)
  }

  test('a confirmed file rises for questions in like words, one that was called wrong falls, others stay', async () => {
    const place = open()
    const before = await found(place)
    const [wrong] = before
    const right = before[4]
    const other = await found(place, 'open a session for the account')
    await place.call(learn, { query: ASKED, feedback: 'correct', node_ids: [`file::${right}`] })
    await place.call(learn, { query: ASKED, feedback: 'wrong', node_ids: [`file::${wrong}`] })
    for (const query of [ASKED, 'pay a refund back']) {
      const after = await found(place, query)
      expect(after.indexOf(right)).toBeLessThan(before.indexOf(right))
      expect(after.indexOf(wrong)).toBeGreaterThan(0)
    }
    expect(await found(place, 'open a session for the account')).toEqual(other)
    const { results } = await place.call(seek, { query: ASKED, detail: true })
    const row = results.find((it) => it.file_path === right)
    expect(row?.reason).toContain('confirmed before')
    expect(row?.score_breakdown?.memory).toBeGreaterThan(0)
  })

  test('a reset takes it back exactly', async () => {
    const place = open()
    const before = await found(place)
    await place.call(learn, { query: ASKED, feedback: 'correct', node_ids: [`file::${before[4]}`] })
    expect(await found(place)).not.toEqual(before)
    await place.call(learn, { feedback: 'reset', scope: 'all' })
    expect(await found(place)).toEqual(before)
  })

  test('a confirmed definition stands for its file, though no word of the question is in it', async () => {
    const place = open()
    const query = 'order more goods'
    const restock = 'file::stock.py::fn::restock'
    expect(await found(place, query)).not.toContain('stock.py')
    await place.call(learn, { query, feedback: 'correct', node_ids: [restock] })
    const { results } = await place.call(seek, { query })
    expect(results.find((it) => it.file_path === 'stock.py')?.node_id).toBe(restock)
  })
})
