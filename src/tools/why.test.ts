import { describe, expect, test } from 'vitest'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import why from '#tools/why'

const shop = placeOf(shopGraph())
const plain = { width: 80, bold: String, dim: String, accent: String, bar: () => '' }

describe('why', () => {
  test('gives paths by strength, with the relations as they are read, and who depends on whom', async () => {
    const answer = await shop.call(why, { source: 'checkout.py', target: 'bank.py' })
    expect(answer).toMatchObject({
      source: 'file::checkout.py',
      target: 'file::bank.py',
      found: true,
      dependence: 'source_on_target',
      reason: null,
    })
    expect(answer.paths[0]).toMatchObject({
      nodes: ['checkout.py', 'payment.py', 'bank.py'],
      relations: ['imports', 'imports'],
      cumulative_strength: 0.25,
      hops: 2,
      proof: true,
    })
    expect(answer.total_paths_found).toBeGreaterThanOrEqual(answer.paths.length)
  })

  test('no path within the hops is a success with its reason', async () => {
    const answer = await shop.call(why, { source: 'refund.py', target: 'session.py', max_hops: 1 })
    expect(answer).toMatchObject({ found: false, paths: [], total_paths_found: 0, dependence: 'none' })
    expect(answer.reason).toBe('Both are indexed, and no path of at most 1 hop connects refund.py and session.py.')
  })

  test('an unknown end is an error', async () => {
    await expect(shop.call(why, { source: 'refund.py', target: 'warehouse.py' })).rejects.toMatchObject({
      code: 'node_not_found',
    })
  })

  test('prints the verdict and then the paths', async () => {
    const text = why.render(await shop.call(why, { source: 'bank.py', target: 'checkout.py' }), plain)
    expect(text).toContain('checkout.py depends on bank.py')
    expect(text).toContain('0.250  bank.py —imported_by→ payment.py —imported_by→ checkout.py')
  })
})
