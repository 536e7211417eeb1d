import { describe, expect, test } from 'vitest'
import { buildLexical } from '#graph/lexical'
import activate from '#tools/activate'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import seek from '#tools/seek'
import { ToolError } from '#tools/tool'

const graph = shopGraph()
const place = placeOf(graph)
place.brain.indexes.lexical = buildLexical([], graph)
const ask = (input: Parameters<typeof place.call<typeof seek.input, typeof seek.output>>[1]) => place.call(seek, input)
const tokensOf = (value: unknown) => JSON.stringify(value).length / 4

describe('seek', () => {
  test('answers with rows that say where, why and how they are connected', async () => {
    const { results, embeddings_used, total_matches } = await ask({ query: 'charge a card' })
    expect(results[0]).toMatchObject({
      node_id: 'file::payment.py::fn::charge_card',
      label: 'charge_card',
      type: 'function',
      score: 1,
      file_path: 'payment.py',
      line_start: 21,
      line_end: 29,
      intent_summary: expect.stringContaining('charge_card'),
    })
    expect(results[0].reason).toContain('card')
    expect(results[0].connections?.[0]).toMatchObject({ label: 'pay_cart', relation: 'called_by' })
    expect(results[0].connections?.length).toBeLessThanOrEqual(3)
    expect(results[0].score_breakdown).toMatchObject({
      embedding_similarity: expect.any(Number),
      graph_activation: expect.any(Number),
      temporal_recency: expect.any(Number),
      keyword_match: expect.any(Number),
      trigram: expect.any(Number),
      text: expect.any(Number),
    })
    expect(embeddings_used).toBe(false)
    expect(total_matches).toBeGreaterThanOrEqual(results.length)
  })

  test('ranks by the plain formula when asked to', async () => {
    const { results } = await ask({ query: 'retry', ranking: 'seed', top_k: 3 })
    const { keyword_match = 0, graph_activation = 0, trigram = 0 } = results[0].score_breakdown ?? {}
    expect(results[0].label).toMatch(/^retry/)
    expect(results[0].score).toBeCloseTo(0.6 * keyword_match + 0.3 * graph_activation + 0.1 * trigram, 1)
    const text = await ask({ query: 'retry', ranking: 'seed', graph_rerank: false, top_k: 1 })
    expect(text.results[0].score_breakdown?.graph_activation).toBe(0)
  })

  test('keeps to the size that is set, compact by default, everything with detail', async () => {
    const compact = await ask({ query: 'payment cart session order config log bank' })
    expect(tokensOf(compact)).toBeLessThanOrEqual(2000)
    expect(compact.results.every((it) => it.intent_summary !== undefined)).toBe(true)
    const small = await ask({ query: 'payment cart session order config log bank', max_tokens: 500 })
    expect(tokensOf(small)).toBeLessThanOrEqual(500)
    expect(small.results.length).toBeGreaterThan(0)
    expect(small.truncated).toMatchObject({ shown: small.results.length, how: expect.stringContaining('max_tokens') })
    const detailed = await ask({ query: 'payment cart session order config log bank', detail: true })
    expect(detailed.results.every((it) => it.connections !== undefined && it.score_breakdown !== undefined)).toBe(true)
  })

  test('says why there is nothing', async () => {
    const { results, reason, truncated } = await ask({ query: 'zebra' })
    expect(results).toEqual([])
    expect(reason).toContain('zebra')
    expect(truncated).toBeNull()
  })

  test('refuses blank queries, unknown types and scores out of range', async () => {
    await expect(ask({ query: '  \n' })).rejects.toThrow(ToolError)
    await expect(ask({ query: 'cart', node_types: ['gadget'] })).rejects.toThrow('gadget')
    expect(seek.input.safeParse({ agent_id: 'ann', query: 'cart', min_score: 2 }).success).toBe(false)
    expect(seek.input.safeParse({ agent_id: 'ann', query: '' }).success).toBe(false)
  })

  test('takes every type of node, also by number', async () => {
    const { results } = await ask({ query: 'payment', node_types: ['Class', 'custom(3)'] })
    expect(results.length).toBeGreaterThan(0)
    expect(results.every((it) => it.type === 'class')).toBe(true)
  })

  test('reads long pastes and binary data quickly', async () => {
    const started = performance.now()
    for (const query of [
      'cart '.repeat(20_000),
      '\u0000\u0001'.repeat(50_000),
      '('.repeat(100_000),
      'a/'.repeat(50_000),
    ]) {
      const { query: shown } = await ask({ query })
      expect(shown.length).toBeLessThan(300)
    }
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  describe('whatever is pasted', () => {
    const noise = (from: number) =>
      Array.from(
        { length: 1000 },
        (_, i) => `00:00:${from + i} INFO /heartbeat/${(i * 7919).toString(16)} is well`,
      ).join('\n')
    const frame = '  File "payment.py", line 22, in charge_card'
    test.each([
      ['an identifier in capitals', 'CHARGE_CARD'],
      ['in another style', 'chargeCard'],
      ['with hyphens', 'charge-card'],
      ['as an expression to match text', '^charge_(card|cash)\\b.*$'],
      ['between words of another script', '在 charge_card 里为什么会失败'],
      ['between signs that are no text', `\u0000\u0001\u0002charge_card${'\u0001'.repeat(500)}`],
      ['as data', '{"error":{"code":500,"at":"charge_card"}}'],
      ['in a log of 100 kB', `${noise(0)}\n${frame}\n${noise(1000)}`],
    ])('finds %s', async (_, query) => {
      const wanted = 'file::payment.py::fn::charge_card'
      expect((await place.call(seek, { query })).results[0]?.node_id).toBe(wanted)
      const { activated } = await place.call(activate, { query, learn: false })
      expect(activated.slice(0, 3).map((it) => it.node_id)).toContain(wanted)
    })

    test.each([
      ['stop words', 'the of and is it', /no words to search for/],
      ['signs', '?!... --- (((', /no words to search for/],
      ['pictures', '🎉🎉🎉', /no words to search for/],
      ['numbers', '12 34', /no words to search for/],
      ['one endless word', 'a'.repeat(5000), /no words to search for/],
      ['another script that is nowhere', 'где считается сумма корзины', /сумма|No name or tag/],
      ['a script without spaces that is nowhere', '购物车的总价在哪里计算', /总价|No name or tag/],
      ['a path that is nowhere', 'src/nowhere/missing.py', /has the path src\/nowhere\/missing.py|No name or tag/],
    ])('says of %s why there is nothing', async (_, query, why) => {
      const found = await place.call(seek, { query })
      expect(found.results).toEqual([])
      expect(found.reason).toMatch(why)
      const spread = await place.call(activate, { query })
      expect(spread.activated).toEqual([])
      expect(spread.note).toMatch(why)
    })
  })

  test('prints a line for each row', async () => {
    const style = { width: 100, bold: String, dim: String, accent: String, bar: () => '' }
    expect(seek.render(await ask({ query: 'charge a card' }), style)).toContain('payment.py:21')
    expect(seek.render(await ask({ query: 'zebra' }), style)).toContain('zebra')
  })
})
