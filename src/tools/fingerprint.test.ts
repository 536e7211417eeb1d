import { describe, expect, test } from 'vitest'
import fingerprint from '#tools/fingerprint'
import { placeOf, shopGraph } from '#tools/learning-for-tests'

describe('fingerprint', () => {
  test('gives one number per probe and what is alike, and learns nothing', async () => {
    const shop = placeOf(shopGraph())
    const before = shop.brain.graph.weights.slice()
    const answer = await shop.call(fingerprint, { target_node: 'receipt.py', similarity_threshold: 0.6 })
    expect(answer.target).toBe('file::receipt.py')
    expect(answer.fingerprint).toHaveLength(5)
    expect(answer.probes).toHaveLength(5)
    for (const it of answer.fingerprint) expect(it >= 0 && it <= 1).toBe(true)
    expect(answer.equivalents.length).toBeGreaterThan(0)
    const similarities = answer.equivalents.map((it) => it.similarity)
    expect(similarities).toEqual(similarities.toSorted((a, b) => b - a))
    for (const it of answer.equivalents) {
      expect(it.similarity).toBeGreaterThanOrEqual(0.6)
      expect(it.cosine_similarity).toBe(it.similarity)
      expect(it.node_id).not.toBe('file::receipt.py')
      expect(it.reason).toMatch(/shared neighbour|same structural role/)
    }
    expect(answer).toMatchObject({ equivalent_pairs: [], total_pairs: 0 })
    expect(shop.brain.graph.weights).toEqual(before)
    expect(shop.brain.learned.queryNumber).toBe(0)
  })

  test('uses the probes of the caller, and says which match nothing', async () => {
    const shop = placeOf(shopGraph())
    const answer = await shop.call(fingerprint, { target_node: 'bank.py', probe_queries: ['payment', 'zzyzx'] })
    expect(answer.fingerprint).toHaveLength(2)
    expect(answer.fingerprint[1]).toBe(0)
    expect(answer.probes.map((it) => it.matched > 0)).toEqual([true, false])
    const none = await shop.call(fingerprint, {
      target_node: 'bank.py',
      probe_queries: ['zzyzx'],
      similarity_threshold: 1,
    })
    expect(none.reason).toContain('"zzyzx"')
    const silent = await shop.call(fingerprint, { probe_queries: ['zzyzx', 'qqq'] })
    expect(silent).toMatchObject({ pairs_compared: 0, total_pairs: 0 })
    expect(silent.reason).toBe(
      'Nothing matches the probe "zzyzx", "qqq". So no node answers, and none could be compared.',
    )
  })

  test('without a node lists pairs', async () => {
    const answer = await placeOf(shopGraph()).call(fingerprint, { similarity_threshold: 0.8 })
    expect(answer).toMatchObject({ target: null, fingerprint: [], equivalents: [] })
    expect(answer.equivalent_pairs.length).toBeGreaterThan(0)
    expect(answer.equivalent_pairs.length).toBeLessThanOrEqual(20)
    expect(answer.total_pairs).toBeGreaterThanOrEqual(answer.equivalent_pairs.length)
  })

  test('a node that is not there is an error', async () => {
    const shop = placeOf(shopGraph())
    await expect(shop.call(fingerprint, { target_node: 'nowhere.py' })).rejects.toMatchObject({
      code: 'node_not_found',
    })
  })
})
