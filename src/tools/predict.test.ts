import { describe, expect, test } from 'vitest'
import { sketch } from '#analysis/sketch'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import predict from '#tools/predict'

const shop = placeOf(shopGraph())
const plain = { width: 80, bold: String, dim: String, accent: String, bar: () => '' }

describe('predict', () => {
  test('names what history and structure speak for, each node once and never the changed one', async () => {
    const answer = await shop.call(predict, { changed_node: 'payment.py' })
    const ids = answer.predictions.map((it) => it.node_id)
    expect(ids[0]).toBe('file::checkout.py')
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain('file::payment.py')
    expect(answer.predictions[0]).toMatchObject({ reason: 'imports it', coupling_strength: 0.3 })
    expect(answer.co_change_count + answer.structural_fallback_count).toBe(answer.predictions.length)
  })

  test('velocity is left out where it is not wanted', async () => {
    const answer = await shop.call(predict, { changed_node: 'payment.py', include_velocity: false, top_k: 2 })
    expect(answer.velocity).toBeNull()
    expect(answer.predictions.map((it) => it.velocity)).toEqual([null, null])
    expect(answer.truncated).toMatchObject({ shown: 2, total: answer.total_candidates })
  })

  test('the plain formula stays within reach', async () => {
    const { predictions } = await shop.call(predict, {
      changed_node: 'payment.py',
      ranking: 'seed',
      include_velocity: false,
    })
    // three common commits, and a direct import of weight 0.5
    expect(predictions[0]).toMatchObject({
      node_id: 'file::checkout.py',
      confidence: expect.closeTo(1 - (1 - 0.9 * 0.3) * (1 - 0.65), 4),
    })
  })

  test('says when there is no history to speak', async () => {
    const known = await shop.call(predict, { changed_node: 'payment.py' })
    expect(known.completeness.reasons.join()).not.toContain('history')
    const graph = sketch('a.ts imports b.ts 0.5\nalone.ts')
    const reasons = (await placeOf(graph).call(predict, { changed_node: 'b.ts' })).completeness.reasons
    expect(reasons).toContain('no commit of the project is known, so history says nothing')
    const alone = await placeOf(sketch('alone.ts')).call(predict, { changed_node: 'alone.ts' })
    expect(alone).toMatchObject({
      predictions: [],
      reason:
        'alone.ts is indexed and no edge ties it to something else; no commit of the project is known, so history says nothing.',
    })
  })

  test('prints the answer first', async () => {
    const text = predict.render(await shop.call(predict, { changed_node: 'payment.py', top_k: 3 }), plain)
    expect(text.split('\n')[0]).toMatch(/^3 nodes may change with file::payment\.py, \d by history$/)
  })
})
