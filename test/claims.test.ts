/** Claims and removals on real files, through the calls that a client makes. */

import { afterAll, afterEach, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { answer, cleanUp, engineFor, projectOf } from './support.ts'

const engines: Engine[] = []
afterEach(async () => {
  for (const it of engines.splice(0)) await it.close()
})
afterAll(cleanUp)

async function read(name: string, files: Record<string, string>): Promise<Engine> {
  const folder = projectOf(name, files)
  const engine = engineFor(folder)
  engines.push(engine)
  await answer(engine, 'ingest', { path: folder })
  return engine
}

test('a dependency that runs through a helper makes the claim likely true, with the path as evidence', async () => {
  const engine = await read('post', {
    'worker.py': 'from helper import post\n\ndef work(job):\n    return post(job)\n',
    'helper.py': 'import messaging\n\ndef post(job):\n    return messaging.send(job)\n\ndef idle():\n    pass\n',
    'messaging.py': 'def send(job):\n    return job\n',
    'clock.py': 'def now():\n    return 0\n',
  })
  const said = await answer(engine, 'hypothesize', { claim: 'worker depends on messaging at runtime' })
  expect(said).toMatchObject({ claim_type: 'depends_on', verdict: 'likely_true', leaning: 'true' })
  expect(said.confidence).toBeCloseTo(0.717073, 5)
  expect(said.evidence).toContainEqual(
    expect.objectContaining({ path: ['worker.py', 'helper.py', 'messaging.py'], hops: 2 }),
  )
  const opposite = await answer(engine, 'hypothesize', { claim: 'worker is independent of messaging' })
  expect(opposite.verdict).toBe('likely_false')
  const other = await answer(engine, 'hypothesize', { claim: 'worker never calls clock' })
  expect(other.verdict).toBe('likely_true')
})

test('of two modules the one with fewer direct dependents and the larger cascade is told as such', async () => {
  const files: Record<string, string> = { 'wide.py': 'def wide():\n    pass\n', 'deep.py': 'def deep():\n    pass\n' }
  for (let i = 0; i < 3; i++) files[`user${i}.py`] = 'from wide import wide\n\ndef use():\n    wide()\n'
  files['core.py'] = 'from deep import deep\n\ndef core():\n    deep()\n'
  for (let i = 0; i < 6; i++) files[`part${i}.py`] = 'from core import core\n\ndef part():\n    core()\n'
  const engine = await read('parts', files)
  const wide = await answer(engine, 'counterfactual', { node_ids: ['wide.py'] })
  const deep = await answer(engine, 'counterfactual', { node_ids: ['deep.py'] })
  const firstStep = ({ affected_files }: Record<string, unknown>) =>
    Array.isArray(affected_files) ? affected_files.filter((it: { depth: number }) => it.depth === 1).length : 0
  expect(firstStep(deep)).toBeLessThan(firstStep(wide))
  expect(Number(deep.affected_files_total)).toBeGreaterThan(Number(wide.affected_files_total))
  expect(Number(deep.total_affected)).toBeGreaterThan(Number(wide.total_affected))
})

test('a module that its siblings are registered without is named, with what registers them', async () => {
  const files: Record<string, string> = {}
  const names = ['cash', 'card', 'bank', 'voucher', 'points']
  for (const it of names) files[`methods/${it}.py`] = `def pay_${it}(amount):\n    return amount\n`
  const listed = names.filter((it) => it !== 'voucher')
  files['registry.py'] =
    `${listed.map((it) => `from methods.${it} import pay_${it}`).join('\n')}\n\nALL = [${listed.map((it) => `pay_${it}`).join(', ')}]\n`
  const engine = await read('pay', files)
  const { holes } = await answer(engine, 'missing', { query: 'voucher' })
  const gap = Array.isArray(holes)
    ? holes.slice(0, 10).find((it: { label: string }) => it.label === 'registry.py')
    : undefined
  expect(gap).toMatchObject({
    type: 'structural_hole',
    member: 'file::methods/voucher.py',
    reason: '4 of 5 siblings are imported by registry.py, voucher.py is not',
  })
})
