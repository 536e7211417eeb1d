import { describe, expect, test } from 'vitest'
import { sketch } from '#analysis/sketch'
import type { Graph } from '#graph/graph'
import { placeOf, shopGraph } from '#tools/learning-for-tests'
import hypothesize from '#tools/hypothesize'

const plain = { width: 80, bold: String, dim: String, accent: String, bar: () => '' }

describe('hypothesize', () => {
  test('answers a true claim with its paths, and changes nothing', async () => {
    const shop = placeOf(shopGraph())
    const before = shop.brain.graph.weights.slice()
    const answer = await shop.call(hypothesize, { claim: 'checkout.py depends on bank.py' })
    expect(answer).toMatchObject({
      claim_type: 'depends_on',
      subject_nodes: ['file::checkout.py'],
      object_nodes: ['file::bank.py'],
      verdict: 'likely_true',
      leaning: 'true',
      contradicting_evidence: [],
      partial_reach: [],
    })
    expect(answer.confidence).toBeGreaterThanOrEqual(0.7)
    expect(answer.evidence[0]).toMatchObject({ path: ['checkout.py', 'payment.py', 'bank.py'], hops: 2 })
    expect(answer.supporting_evidence[0]).toMatchObject({ type: 'path_found' })
    expect(answer.paths_explored).toBeGreaterThan(0)
    expect(shop.brain.graph.weights).toEqual(before)
    expect(hypothesize.render(answer, plain)).toContain('likely true')
  })

  test('answers a false claim with how far it came', async () => {
    const answer = await placeOf(shopGraph()).call(hypothesize, { claim: 'bank.py depends on checkout.py' })
    expect(answer).toMatchObject({ verdict: 'likely_false', leaning: 'false' })
    expect(answer.contradicting_evidence[0]).toMatchObject({ type: 'no_path', likelihood_factor: 0.15 })
    expect(answer.partial_reach.map((it) => it.node_id)).toContain('file::retry.py')
    expect(answer.partial_reach[0]).toMatchObject({ hops_from_source: 1, activation_at_stop: 0.5 })
    const without = await placeOf(shopGraph()).call(hypothesize, {
      claim: 'bank.py depends on checkout.py',
      include_partial_flow: false,
    })
    expect(without.partial_reach).toEqual([])
  })

  test('does not test a claim about what is not there, and says which words it means', async () => {
    const answer = await placeOf(shopGraph()).call(hypothesize, { claim: 'frobnicator depends on bank.py' })
    expect(answer).toMatchObject({
      verdict: 'inconclusive',
      confidence: 0.5,
      leaning: 'none',
      subject_nodes: [],
      object_nodes: ['file::bank.py'],
    })
    expect([...answer.supporting_evidence, ...answer.contradicting_evidence]).toHaveLength(1)
    expect(answer.contradicting_evidence[0].description).toContain('"frobnicator"')
    expect(answer.note).toContain('backticks')
  })

  test('takes its limits from the settings', async () => {
    const shop = placeOf(shopGraph())
    shop.engine.settings.verdictTrueMin = 0.9
    const answer = await shop.call(hypothesize, { claim: 'checkout.py depends on payment.py' })
    expect(answer).toMatchObject({ verdict: 'inconclusive', leaning: 'true' })
  })

  test('holds a claim about one step to one step', async () => {
    const answer = await placeOf(shopGraph()).call(hypothesize, { claim: 'checkout.py calls bank.py directly' })
    expect(answer).toMatchObject({ verdict: 'likely_false', direct: true })
  })

  test('says how a word was read that names several things', async () => {
    const answer = await placeOf(shopGraph()).call(hypothesize, { claim: 'pool never calls retry' })
    expect(answer.claim_type).toBe('never_calls')
    expect(answer.note).toContain('was taken for')
  })

  test('says of each side what it was taken for, also where both are written alike', async () => {
    const lines = ['lib/app.py imports web/app.py 0.6', 'lib/app.py labelled app.py', 'web/app.py labelled app.py']
    const { note, verdict } = await placeOf(sketch(lines.join('\n'))).call(hypothesize, { claim: 'app.py uses app.py' })
    expect(verdict).toBe('likely_true')
    expect(note).toContain('"app.py" was taken for lib/app.py, one of 2 that fit; "app.py" was taken for web/app.py')
  })

  test.each([
    ['bank.py', 'The claim says nothing about "bank.py"'],
    ['?', 'The claim names nothing to look for'],
    [`\`${'q'.repeat(1500)}\` depends on bank.py`, 'Nothing in the graph is called "qqq'],
  ])('of %s says what is missing, at no great length', async (claim, start) => {
    const { note, verdict } = await placeOf(shopGraph()).call(hypothesize, { claim })
    expect(verdict).toBe('inconclusive')
    expect(note).toContain(start)
    expect(String(note).length).toBeLessThan(600)
  })

  test('that files are not coupled is less than whole where no commit is known', async () => {
    const said = async (graph: Graph, claim: string) =>
      (await placeOf(graph).call(hypothesize, { claim })).completeness.reasons.join()
    const plainGraph = sketch('a.ts imports b.ts 0.5\nc.ts imports d.ts 0.5')
    expect(await said(plainGraph, 'a.ts and c.ts are coupled')).toContain('no commit of the project is known')
    expect(await said(plainGraph, 'a.ts depends on c.ts')).not.toContain('commit')
    expect(await said(shopGraph(), 'bank.py and cart.py are coupled')).not.toContain('commit')
  })

  test('an absence within fewer hops than there are is no whole answer', async () => {
    const shop = placeOf(shopGraph())
    const near = await shop.call(hypothesize, { claim: 'main.py depends on retry.py', max_hops: 2 })
    expect(near.completeness.reasons).toContain('ways of more than 2 hops were not looked at')
    const direct = await shop.call(hypothesize, { claim: 'main.py calls retry.py directly' })
    expect(direct.completeness.reasons.join()).not.toContain('ways of more')
  })
})
