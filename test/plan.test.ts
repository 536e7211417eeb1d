/** Plans, on a project of files. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { answer, ask, cleanUp, copyOf, engineFor, projectOf } from './support.ts'

let engine: Engine

beforeAll(async () => {
  const shop = copyOf('shop')
  engine = engineFor(shop)
  await answer(engine, 'ingest', { path: shop })
})
afterAll(async () => {
  await engine.close()
  cleanUp()
})

const modify = (file_path: string, more = {}) => ({ action_type: 'modify', file_path, ...more })
const plan = (...actions: object[]) => answer(engine, 'validate_plan', { actions })

describe('validate_plan', () => {
  test('counts what is in the graph; a new file is resolved, an unknown one is named', async () => {
    const found = await plan(modify('server/pool.py'), modify('server/none.py'), {
      action_type: 'create',
      file_path: 'server/tax.py',
    })
    expect(found).toMatchObject({
      actions_analyzed: 3,
      actions_resolved: 2,
      actions_unresolved: 1,
      unresolved: ['server/none.py'],
    })
    expect(found.completeness).toMatchObject({
      level: 'lower_bound',
      reasons: expect.arrayContaining(['1 planned file not in the graph']),
    })
  })

  test('of which nothing is known has no risk and says what is wrong with each path', async () => {
    const found = await plan(modify('server/paymnt.py'), modify('server'))
    expect(found).toMatchObject({ actions_resolved: 0, actions_unresolved: 2, risk_score: null, risk_level: null })
    expect(found.completeness).toMatchObject({ level: 'unknown' })
    expect(found.notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^server\/paymnt.py is not in the graph. Nearest ids: .*file::server\/payment.py/),
        'server is a folder: name the files in it.',
      ]),
    )
  })

  test('asks for no test of what is deleted, and for one in the crate of what is changed', async () => {
    const gone = await plan({ action_type: 'delete', file_path: 'src/billing.ts' })
    expect(gone.test_coverage).toMatchObject({ untested_files: ['src/billing.ts'] })
    expect(gone.suggested_additions).not.toContainEqual(expect.objectContaining({ action_type: 'test' }))

    const folder = projectOf('crates', {
      'crates/till/Cargo.toml': '[package]\nname = "till"\n',
      'crates/till/src/pay.rs': 'pub fn pay() -> u32 { 1 }\n',
      'src/main.rs': 'fn main() {}\n',
    })
    const own = engineFor(folder)
    await answer(own, 'ingest', { path: folder })
    const found = await answer(own, 'validate_plan', {
      actions: [modify('crates/till/src/pay.rs'), modify('src/main.rs')],
    })
    expect(found.suggested_additions).toMatchObject([
      { action_type: 'test', file_path: 'crates/till/tests/pay.rs' },
      { action_type: 'test', file_path: 'tests/main.rs' },
    ])
    await own.close()
  })

  test('takes a test that is still to be written, as it suggests itself', async () => {
    const found = await plan(modify('src/billing.ts'), { action_type: 'test', file_path: 'test/billing.test.ts' })
    expect(found).toMatchObject({ actions_resolved: 2, actions_unresolved: 0, unresolved: [] })
  })

  test('that names a file twice is that of naming it once, by what is graver', async () => {
    const remove = { action_type: 'delete', file_path: 'src/price.ts' }
    const once = await plan(remove)
    const twice = await plan(modify('src/price.ts'), remove)
    expect(twice.gaps).toEqual(once.gaps)
    expect(twice.risk_score).toBe(once.risk_score)
  })

  test('says which of several files of one name it took', async () => {
    const folder = projectOf('twins', { 'a/app.py': 'x = 1\n', 'b/app.py': 'y = 1\n' })
    const own = engineFor(folder)
    await answer(own, 'ingest', { path: folder })
    const found = await answer(own, 'validate_plan', { actions: [modify('app.py')] })
    expect(found.notes).toContain('app.py may be 2 files; a/app.py is taken.')
    await own.close()
  })

  test('who uses a deleted file is critical and suggested', async () => {
    const found = await plan({ action_type: 'delete', file_path: 'src/price.ts' })
    expect(found.gaps).toContainEqual(expect.objectContaining({ file_path: 'src/cart.ts', severity: 'critical' }))
    expect(found.suggested_additions).toContainEqual(
      expect.objectContaining({ action_type: 'modify', file_path: 'src/cart.ts' }),
    )
  })

  test('coverage counts changed code; a planned test counts, and a missing one is suggested where tests stand', async () => {
    const bare = await plan(modify('src/cart.ts'), modify('src/billing.ts'))
    expect(bare.test_coverage).toEqual({
      modified_files: 2,
      tested_files: 1,
      untested_files: ['src/billing.ts'],
      coverage_ratio: 0.5,
    })
    expect(bare.suggested_additions).toContainEqual({
      action_type: 'test',
      file_path: 'test/billing.test.ts',
      reason: 'nothing tests src/billing.ts',
    })
    const tested = await plan(modify('src/billing.ts'), { action_type: 'test', file_path: 'test/billing.test.ts' })
    expect(tested.test_coverage).toMatchObject({ coverage_ratio: 1 })
  })

  test('parts can be left out, and an empty plan is no failure', async () => {
    expect(
      await answer(engine, 'validate_plan', {
        actions: [modify('src/cart.ts')],
        include_test_impact: false,
        include_risk_score: false,
      }),
    ).toMatchObject({ test_coverage: null, risk_score: null, risk_level: null })
    expect(await plan()).toMatchObject({
      actions_analyzed: 0,
      gaps: [],
      risk_score: 0,
      risk_level: 'low',
      test_coverage: { coverage_ratio: 1 },
    })
  })

  test('a circle of depends_on is refused, a file that the plan does not have is noted', async () => {
    const actions = [modify('a.py', { depends_on: ['b.py'] }), modify('b.py', { depends_on: ['a.py'] })]
    expect(await ask(engine, 'validate_plan', { actions })).toMatchObject({
      ok: false,
      failure: {
        code: 'invalid_params',
        message: expect.stringContaining('circle: a.py → b.py → a.py'),
      },
    })
    const found = await plan(modify('src/cart.ts', { depends_on: ['src/none.ts'] }))
    expect(found).toMatchObject({
      unresolved: ['src/none.ts'],
      notes: expect.arrayContaining([expect.stringContaining('src/none.ts')]),
    })
  })

  test('a wrong action is refused by name', async () => {
    for (const action of [{ action_type: 'ponder', file_path: 'a.py' }, { action_type: 'modify' }])
      expect(await ask(engine, 'validate_plan', { actions: [action] })).toMatchObject({
        ok: false,
        failure: { code: 'invalid_params' },
      })
  })

  test('many files that wait for each other in every way are looked at once', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `f${i}.py`)
    const actions = names.map((it, i) => modify(it, { depends_on: names.slice(0, i) }))
    expect(await answer(engine, 'validate_plan', { actions })).toMatchObject({ actions_unresolved: 200 })
  }, 5000)
})
