import { describe, expect, test } from 'vitest'
import { sketch } from '#analysis/sketch'
import counterfactual from '#tools/counterfactual'
import learn from '#tools/learn'
import { placeOf, shopGraph } from '#tools/learning-for-tests'

const shop = placeOf(shopGraph())
const plain = { width: 80, bold: String, dim: String, accent: String, bar: () => '' }

describe('counterfactual', () => {
  test('tells the cascade by depth and the files that are hit', async () => {
    const answer = await shop.call(counterfactual, { node_ids: ['payment.py'] })
    expect(answer).toMatchObject({
      removed_nodes: ['file::payment.py'],
      removed_parts: 3,
      unresolved_nodes: [],
      synergy: null,
      reason: null,
    })
    expect(answer.cascade.reduce((sum, it) => sum + it.affected, 0)).toBe(answer.total_affected)
    expect(answer.affected_files[0]).toEqual({ path: 'checkout.py', depth: 1, relation: 'imported_by' })
    expect(answer.affected_files_total).toBe(answer.affected_files.length)
    expect(answer.pct_activation_lost).toBeLessThanOrEqual(1)
  })

  test('several removals are weighed against the single ones, and unknown names are listed', async () => {
    const answer = await shop.call(counterfactual, {
      node_ids: ['payment.py', 'refund.py', 'warehouse.py'],
      include_cascade: false,
    })
    expect(answer).toMatchObject({ unresolved_nodes: ['warehouse.py'], cascade: [] })
    expect(answer.synergy?.individual_impacts.map((it) => it.node_id)).toEqual(['file::payment.py', 'file::refund.py'])
    expect(answer.synergy?.combined_impact).toBe(answer.pct_activation_lost)
  })

  test('changes nothing', async () => {
    const { weights, ingestWeights, meta } = shop.brain.graph
    const before = { weights: weights.slice(), generation: meta.plasticityGeneration }
    await shop.call(counterfactual, { node_ids: ['log.py', 'db.py'] })
    expect(weights).toEqual(before.weights)
    expect(ingestWeights).toEqual(before.weights)
    expect(meta.plasticityGeneration).toBe(before.generation)
  })

  test('nothing resolvable and an empty list are refused', async () => {
    await expect(shop.call(counterfactual, { node_ids: ['warehouse.py'] })).rejects.toMatchObject({
      code: 'node_not_found',
    })
    expect(counterfactual.input.safeParse({ agent_id: 'ann', node_ids: [] }).success).toBe(false)
  })

  test('a name that fits several nodes is told with what it was taken for', async () => {
    const graph = sketch(
      ['a.ts contains a.run() 1', 'b.ts contains b.run() 1', 'a.run() labelled run', 'b.run() labelled run'].join(
        '\n',
      ) + '\nc.ts calls b.run() 0.4',
    )
    const answer = await placeOf(graph).call(counterfactual, { node_ids: ['run', 'run', 'a.ts'] })
    expect(answer.ambiguous_nodes).toEqual([
      { ref: 'run', node_id: 'b.run()', ambiguous_matches: 2, other_matches: ['a.run()'] },
    ])
    expect(answer.removed_nodes).toEqual(['b.run()', 'a.ts'])
    expect(answer.completeness.reasons).toContain('run fits 2 nodes and was taken for b.run()')
    const learned = await placeOf(graph).call(learn, { feedback: 'correct', node_ids: ['run'] })
    expect(learned.ambiguous_nodes).toEqual(answer.ambiguous_nodes)
    expect(learn.render(learned, plain)).toContain('run was taken for b.run(), one of 2 that fit')
    expect(await placeOf(graph).call(counterfactual, { node_ids: ['a.ts'] })).not.toHaveProperty('ambiguous_nodes')
  })

  test('what names nothing took no part, and what is empty says why', async () => {
    const answer = await shop.call(counterfactual, { node_ids: ['main.py', 'warehouse.py'] })
    expect(answer.completeness.reasons).toContain('1 reference named nothing and took no part')
    expect(answer.total_affected).toBe(0)
    expect(counterfactual.render(answer, plain)).toContain(String(answer.reason))
    expect(answer.reason).toContain('file::main.py')
  })

  test('prints the verdict and then the files', async () => {
    const text = counterfactual.render(await shop.call(counterfactual, { node_ids: ['payment.py'] }), plain)
    expect(text.split('\n')[0]).toMatch(/^Removing file::payment\.py hits \d+ nodes in \d+ files/)
    // a loss of nothing is not mentioned
    expect(text).not.toMatch(/leaves 0 nodes|takes 0\.0 %/)
    expect(text).toContain('checkout.py')
  })
})
