import { describe, expect, test } from 'vitest'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import missing from '#tools/missing'

const plain = { width: 80, bold: String, dim: String, accent: String, bar: () => '' }

describe('missing', () => {
  test('lists holes in every shape that clients know, and learns nothing', async () => {
    const shop = placeOf(shopGraph())
    const before = shop.brain.graph.weights.slice()
    const answer = await shop.call(missing, { query: 'payment', min_sibling_activation: 0.05 })
    expect(answer.holes.length).toBeGreaterThan(0)
    expect(answer.total_holes).toBeGreaterThanOrEqual(answer.holes.length)
    for (const it of answer.holes) {
      expect(['structural_hole', 'fragile_bridge']).toContain(it.type)
      expect(it.region).toBe(it.label)
      expect(it.description).toBe(it.reason)
    }
    const kinds = answer.holes.map((it) => ['gap', 'bridge', 'inactive'].indexOf(it.kind))
    expect(kinds).toEqual([...kinds].sort())
    expect(answer.completeness.level).toBe('lower_bound')
    expect(answer.completeness.reasons.join()).toContain('best matches')
    expect(shop.brain.graph.weights).toEqual(before)
    expect(shop.brain.learned.queryNumber).toBe(0)
    expect(missing.render(answer, plain)).toContain('around payment')
  })

  test('a topic that matches nothing says so', async () => {
    const answer = await placeOf(shopGraph()).call(missing, { query: 'zzyzx' })
    expect(answer).toMatchObject({ holes: [], total_holes: 0 })
    expect(answer.reason).toBe('No name or tag in the graph matches the query.')
  })
})
