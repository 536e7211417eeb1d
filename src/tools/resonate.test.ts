import { describe, expect, test } from 'vitest'
import { sketch } from '#analysis/sketch'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import resonate from '#tools/resonate'

describe('resonate', () => {
  test('fills every field for a topic, and changes nothing', async () => {
    const shop = placeOf(shopGraph())
    const before = shop.brain.graph.weights.slice()
    const answer = await shop.call(resonate, { query: 'payment', top_k: 5 })
    expect(answer.seed).toBe('payment')
    expect(answer.harmonics).toHaveLength(5)
    const amplitudes = answer.harmonics.map((it) => it.amplitude)
    expect(amplitudes[0]).toBe(1)
    expect(amplitudes).toEqual(amplitudes.toSorted((a, b) => b - a))
    for (const it of answer.harmonics) expect(it.harmonic_order).toBeGreaterThanOrEqual(1)
    expect(answer.harmonic_groups.map((it) => it.harmonic)).toEqual([1, 2, 3, 4, 5])
    for (const it of answer.harmonic_groups) expect(it.antinodes.length).toBeGreaterThan(0)
    for (const it of answer.sympathetic_pairs) {
      expect(it.coupling).toBeGreaterThan(0)
      expect(it.coupling).toBeLessThanOrEqual(1)
      expect(it.node_a).not.toBe(it.node_b)
    }
    expect(answer.antinode_sets.reduce((sum, it) => sum + it.count, 0)).toBeLessThanOrEqual(
      answer.wave_pattern.antinode_count,
    )
    expect(answer.wave_pattern).toMatchObject({ budget_hit: false })
    expect(answer.truncated).toMatchObject({ shown: 5, total: answer.wave_pattern.antinode_count })
    expect(shop.brain.graph.weights).toEqual(before)
  })

  test('takes a node over a topic, and the most central nodes without either', async () => {
    const shop = placeOf(shopGraph())
    const node = await shop.call(resonate, { query: 'cart', node_id: 'bank.py' })
    expect(node.seed).toBe('file::bank.py')
    expect(node.harmonics[0].node_id).toBe('file::bank.py')
    const whole = await shop.call(resonate, {})
    expect(whole).toMatchObject({ seed: 'global', reason: null })
    expect(whole.seeds).toHaveLength(5)
  })

  test('tests the frequencies and as many harmonics as asked for', async () => {
    const answer = await placeOf(shopGraph()).call(resonate, {
      node_id: 'bank.py',
      frequencies: [2, 4],
      num_harmonics: 2,
    })
    expect(answer.resonant_frequencies.map((it) => it.frequency).sort()).toEqual([2, 4])
    expect(answer.harmonic_groups).toHaveLength(2)
  })

  test('a lower limit reaches farther', async () => {
    const shop = placeOf(shopGraph())
    const near = await shop.call(resonate, { node_id: 'bank.py' })
    const far = await shop.call(resonate, { node_id: 'bank.py', min_amplitude: 0.0005 })
    expect(far.wave_pattern.antinode_count).toBeGreaterThan(near.wave_pattern.antinode_count)
  })

  test('tells of parts that no seed reaches, and seeds them when asked', async () => {
    const shop = placeOf(sketch('a.ts imports b.ts 1\nx.ts imports y.ts 1\ny.ts imports z.ts 1'))
    const near = await shop.call(resonate, { node_id: 'a.ts' })
    expect(near.unchecked_components).toEqual({ count: 1, nodes: 3 })
    expect(near.harmonics.map((it) => it.label).sort()).toEqual(['a.ts', 'b.ts'])
    const all = await shop.call(resonate, { node_id: 'a.ts', probe_disconnected: true })
    expect(all.unchecked_components).toEqual({ count: 0, nodes: 0 })
    expect(all.harmonics.map((it) => it.label)).toContain('y.ts')
  })

  test('a topic that matches nothing, and a node that is not there', async () => {
    const shop = placeOf(shopGraph())
    const answer = await shop.call(resonate, { query: 'zzyzx' })
    expect(answer).toMatchObject({ harmonics: [], sympathetic_pairs: [], resonant_frequencies: [] })
    expect(answer.reason).toContain('"zzyzx"')
    await expect(shop.call(resonate, { node_id: 'nowhere.py' })).rejects.toMatchObject({ code: 'node_not_found' })
  })
})
