/** Graphs that are written to files and compared with later ones. */

import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { answer, ask, cleanUp, copyOf, engineFor, temporaryFolder } from './support.ts'

afterAll(cleanUp)

async function shopWith(over = {}): Promise<{ engine: Engine; shop: string }> {
  const shop = copyOf('shop')
  const engine = engineFor(shop, over)
  await answer(engine, 'ingest', { path: shop })
  return { engine, shop }
}

describe('persist and differential', () => {
  test('what is edited, and what is learned, between a snapshot and now is told', async () => {
    const { engine, shop } = await shopWith()
    const saved = await answer(engine, 'persist', { path: 'before.json' })
    expect(saved).toMatchObject({
      path: join(shop, 'before.json'),
      format: 'json',
      node_count: engine.brain.graph.nNodes,
    })
    writeFileSync(join(shop, 'server/tax.py'), 'from server.pool import Pool\n\ndef tax():\n    return Pool()\n')
    await answer(engine, 'ingest', { path: shop, incremental: true })
    await answer(engine, 'learn', { feedback: 'correct', node_ids: ['server/app.py', 'server/checkout.py'] })
    const found = await answer(engine, 'differential', { snapshot_a: 'before.json', snapshot_b: 'current' })
    expect(found.new_nodes).toEqual(expect.arrayContaining(['file::server/tax.py', 'file::server/tax.py::fn::tax']))
    expect(found.removed_nodes).toEqual([])
    expect(found.new_edges).toContainEqual(
      expect.objectContaining({ source: 'file::server/tax.py', target: 'file::server/pool.py', relation: 'imports' }),
    )
    expect(found.weight_changes).not.toEqual([])

    await answer(engine, 'persist', { path: 'after.json' })
    const again = await answer(engine, 'differential', { snapshot_a: 'after.json', snapshot_b: 'current' })
    // learned weights were written as well
    expect(again.summary).toBe('The two graphs are the same.')
    await engine.close()
  })

  test('a snapshot that was compared with before is read anew once it is another file', async () => {
    const { engine, shop } = await shopWith()
    const path = join(shop, 'before.json')
    const compare = async () => answer(engine, 'differential', { snapshot_a: 'before.json', snapshot_b: 'current' })
    await answer(engine, 'persist', { path: 'before.json' })
    const same = await compare()
    expect(same.summary).toBe('The two graphs are the same.')
    expect(await compare()).toEqual({ ...same, elapsed_ms: expect.any(Number) })
    // as long as before, and in the same place
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('server/pool.py', 'server/pond.py'))
    expect((await compare()).removed_nodes).toContain('file::server/pond.py')
    await answer(engine, 'persist', { path: 'before.json' })
    expect(await compare()).toEqual({ ...same, elapsed_ms: expect.any(Number) })
    writeFileSync(path, 'no graph')
    expect(await ask(engine, 'differential', { snapshot_a: 'before.json', snapshot_b: 'current' })).toMatchObject({
      failure: { code: 'snapshot_missing' },
    })
    await engine.close()
  })

  test('snapshots without a path go to the state folder, and never over the state itself', async () => {
    const home = temporaryFolder()
    const { engine } = await shopWith({ ephemeral: false, home })
    const { stateFolder } = engine.status()
    const saved = await answer(engine, 'persist', { path: 'plasticity_state.json' })
    expect(saved.path).toBe(join(stateFolder, 'snapshots', 'plasticity_state.json'))
    for (const path of [join(stateFolder, 'plasticity_state.json'), '../plasticity_state.json'])
      expect(await ask(engine, 'persist', { path })).toMatchObject({ ok: false, failure: { code: 'invalid_params' } })
    await engine.close()
  })

  test('a graph file of the settings, and what lies beside it, can be compared with', async () => {
    const state = temporaryFolder()
    const shop = copyOf('shop')
    const engine = engineFor(shop, { ephemeral: false, graphSource: join(state, 'graph.json') })
    await answer(engine, 'ingest', { path: shop })
    await engine.persist()
    copyFileSync(join(state, 'graph.json'), join(state, 'before.json'))
    for (const snapshot_a of ['graph.json', 'before.json', join(state, 'before.json')])
      expect(await answer(engine, 'differential', { snapshot_a, snapshot_b: 'current' })).toMatchObject({
        summary: 'The two graphs are the same.',
      })
    // a state is no graph
    expect(await ask(engine, 'differential', { snapshot_a: 'lease.json', snapshot_b: 'current' })).toMatchObject({
      failure: { code: 'snapshot_missing', suggested_next_step: 'persist' },
    })
    expect(await ask(engine, 'persist', { path: join(state, 'before.json') })).toMatchObject({ ok: false })
    await engine.close()
  })

  test('nothing outside of the project is read or written, by whatever way', async () => {
    const { engine, shop } = await shopWith()
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'secret.json'), '{"nodes":[],"edges":[]}')
    symlinkSync(join(outside, 'secret.json'), join(shop, 'linked.json'))
    symlinkSync(join(outside, 'nothing.json'), join(shop, 'dangling.json'))
    symlinkSync(outside, join(shop, 'folder'))
    mkdirSync(join(shop, '.git'))
    for (const path of [
      'linked.json',
      'dangling.json',
      'folder/new.json',
      '../new.json',
      join(outside, 'new.json'),
      '.git/new.json',
    ])
      expect(await ask(engine, 'persist', { path }), path).toMatchObject({ ok: false })
    for (const snapshot_a of ['linked.json', join(outside, 'secret.json'), 'folder/secret.json'])
      expect(await ask(engine, 'differential', { snapshot_a, snapshot_b: 'current' })).toMatchObject({
        ok: false,
        failure: { code: 'invalid_params' },
      })
    expect(existsSync(join(outside, 'new.json'))).toBe(false)
    await engine.close()
  })

  test('a file of the project is never replaced, and a wrong name or file is refused by name', async () => {
    const { engine, shop } = await shopWith()
    const before = readFileSync(join(shop, 'package.json'), 'utf8')
    for (const path of ['package.json', 'server/app.py', 'missing/graph.json'])
      expect(await ask(engine, 'persist', { path })).toMatchObject({ ok: false })
    expect(readFileSync(join(shop, 'package.json'), 'utf8')).toBe(before)
    expect(await ask(engine, 'differential', { snapshot_a: 'package.json', snapshot_b: 'current' })).toMatchObject({
      ok: false,
      failure: { code: 'snapshot_missing', detail: 'package.json' },
    })
    expect(await ask(engine, 'differential', { snapshot_a: 'gone.json', snapshot_b: 'current' })).toMatchObject({
      ok: false,
      failure: { code: 'snapshot_missing', message: 'Snapshot not found: gone.json' },
    })
    expect(
      await ask(engine, 'differential', { snapshot_a: 'current', snapshot_b: 'current', focus_nodes: ['zebra'] }),
    ).toMatchObject({ ok: false, failure: { code: 'node_not_found' } })
    await engine.close()
  })

  test('other programs get their own forms', async () => {
    const { engine, shop } = await shopWith()
    for (const format of ['graphml', 'dot', 'cypher']) {
      const { path } = await answer(engine, 'persist', { path: shop, format })
      expect(path).toBe(join(shop, `m1nd-graph.${format}`))
      expect(readFileSync(String(path), 'utf8')).toContain('file::server/pool.py')
    }
    expect(await ask(engine, 'persist', { path: 'graph.json', format: 'dot' })).toMatchObject({ ok: false })
    await engine.close()
  })
})
