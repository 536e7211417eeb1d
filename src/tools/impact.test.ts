import { describe, expect, test } from 'vitest'
import impact from '#tools/impact'
import { placeOf, shopGraph } from '#tools/learning-for-tests'

const shop = placeOf(shopGraph())
const plain = { width: 80, bold: String, dim: String, accent: String, bar: () => '' }

describe('impact', () => {
  test('lists dependents by signal, with counts first and the source resolved from its name', async () => {
    const answer = await shop.call(impact, { node_id: 'bank.py' })
    expect(answer).toMatchObject({
      source: 'file::bank.py',
      source_label: 'bank.py',
      resolved_from: 'file_prefix',
      reason: null,
    })
    expect(answer.blast_radius[0]).toMatchObject({
      node_id: 'file::payment.py',
      signal_strength: 0.275,
      hop_distance: 1,
      via: 'imported_by',
    })
    expect(answer.total_affected).toBe(answer.blast_radius.length)
    const signals = answer.blast_radius.map((it) => it.signal_strength)
    expect(signals).toEqual([...signals].sort((a, b) => b - a))
    expect(answer.causal_chains[0].relations).toHaveLength(answer.causal_chains[0].path.length - 1)
    expect(answer.completeness).toMatchObject({ level: 'exact', unresolved_total: 0 })
  })

  test('cuts rows where asked and says how to get the rest', async () => {
    const { blast_radius, total_affected, truncated } = await shop.call(impact, { node_id: 'log.py', top_k: 3 })
    expect(blast_radius).toHaveLength(3)
    expect(truncated).toMatchObject({ shown: 3, total: total_affected })
  })

  test('an empty radius says that the node is there and nothing depends on it', async () => {
    const answer = await shop.call(impact, { node_id: 'main.py', include_causal_chains: false })
    expect(answer).toMatchObject({ total_affected: 0, blast_radius: [], causal_chains: [], max_hops_reached: 0 })
    expect(answer.reason).toBe('file::main.py is indexed and has no dependents.')
  })

  test('detail adds the place and the certainty of the edge', async () => {
    const { blast_radius } = await shop.call(impact, { node_id: 'charge_card', detail: true })
    expect(blast_radius[0]).toMatchObject({
      label: 'pay_cart',
      via: 'called_by',
      via_node: 'file::payment.py::fn::charge_card',
      provenance: { source_path: 'checkout.py' },
    })
  })

  test('a name that nothing has is an error with the nearest ids', async () => {
    await expect(shop.call(impact, { node_id: 'paymnt.py' })).rejects.toMatchObject({
      code: 'node_not_found',
      message: 'Node not found: paymnt.py',
      hint: expect.stringContaining('file::payment.py'),
    })
  })

  test('prints the answer first and fits the terminal', async () => {
    const text = impact.render(await shop.call(impact, { node_id: 'bank.py' }), plain)
    const [first, ...rest] = text.split('\n')
    expect(first).toMatch(/^\d+ nodes in \d+ files may be affected by bank\.py$/)
    expect(rest.find((line) => line.startsWith('0.275'))).toContain('file::payment.py')
  })
})
