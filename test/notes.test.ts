/** Notes beside the code: what they say leads to the files they mention. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { GUESS, keyOf, tagsOf, typeName } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { answer, ask, cleanUp, copyOf, engineFor, projectOf } from './support.ts'

afterAll(cleanUp)

const NOTE =
  '# Plasticity\n- Decided: cap weights at 3.0 in src/plasticity.ts\n- TODO: add tests\n- 2026-03-12 shipped\n'

function keysOf({ brain: { graph } }: Engine): string[] {
  return Array.from({ length: graph.nNodes }, (_, v) => keyOf(graph, v))
}

describe('the memory adapter', () => {
  test('a daily note becomes six nodes and seven edges', async () => {
    const folder = projectOf('corpus', { 'notes/2026-03-12.md': NOTE, 'notes/logo.png': 'x' })
    const engine = engineFor(folder)
    const report = await answer(engine, 'ingest', { path: folder, adapter: 'memory' })
    expect(report).toMatchObject({
      files_processed: 1,
      nodes_created: 6,
      edges_created: 7,
      node_count: 6,
      edge_count: 7,
    })
    const id = 'notes-2026-03-12-md'
    expect(keysOf(engine)).toEqual([
      `memory::memory::file::${id}`,
      `memory::memory::section::${id}::plasticity-1`,
      `memory::memory::entry::${id}::2::decided-cap-weights-at-3-0-in-src-plasticity-ts`,
      'memory::memory::reference::src-plasticity-ts',
      `memory::memory::entry::${id}::3::todo-add-tests`,
      `memory::memory::entry::${id}::4::2026-03-12-shipped`,
    ])
    const { graph } = engine.brain
    expect(Array.from({ length: 6 }, (_, v) => typeName(graph.types[v]))).toEqual([
      'file',
      'concept',
      'process',
      'reference',
      'process',
      'process',
    ])
    expect(tagsOf(graph, 0)).toEqual(['memory', 'kind:daily-note'])
    expect(tagsOf(graph, 2)).toContain('memory:decision')
    expect([graph.canonical[0], graph.lineStart[2], graph.meta.domain]).toEqual([1, 2, 'memory'])
    await engine.close()
  })

  test('a question about the subject of a note activates the file that it mentions', async () => {
    const shop = copyOf('shop')
    const notes = projectOf('notes', {
      'ideas.md': '# Zeppelins\n- Zeppelin deliveries are priced in src/price.ts\n- they land at noon\n',
    })
    const engine = engineFor(shop)
    await answer(engine, 'ingest', { path: shop })
    const before = engine.brain.graph.nNodes
    const report = await answer(engine, 'ingest', { path: notes, adapter: 'memory', mode: 'merge', namespace: 'Ideas' })
    expect(report).toMatchObject({ nodes_created: 5, dropped_roots: [], namespace: 'Ideas' })
    expect(engine.brain.graph.nNodes).toBe(before + 5)
    expect(nodeByKey(engine.brain.graph, 'memory::ideas::file::ideas-md')).toBeLessThan(before + 5)

    const { activated } = await answer(engine, 'activate', { query: 'zeppelin deliveries', top_k: 8 })
    expect(activated).toContainEqual(expect.objectContaining({ node_id: 'file::src/price.ts' }))
    const way = await answer(engine, 'why', { source: 'ideas.md', target: 'src/price.ts' })
    expect(way).toMatchObject({ found: true })
    const { results } = await answer(engine, 'seek', { query: 'where do zeppelins land' })
    expect(JSON.stringify(results)).toContain('memory::ideas::')
    await engine.close()
  })

  test('mentions find files that come later, and follow their notes when these change', async () => {
    const shop = copyOf('shop')
    const notes = projectOf('notes', { 'a.md': '- tax is in server/tax.py\n' })
    const engine = engineFor(shop)
    await answer(engine, 'ingest', { path: shop })
    await answer(engine, 'ingest', { path: notes, adapter: 'memory', mode: 'merge' })
    const links = () => {
      const { graph } = engine.brain
      const v = nodeByKey(graph, 'memory::memory::reference::server-tax-py')
      return v > graph.nNodes ? null : graph.out.offsets[v + 1] - graph.out.offsets[v]
    }
    expect(links()).toBe(0)
    writeFileSync(join(shop, 'server/tax.py'), 'x = 1\n')
    await answer(engine, 'ingest', { path: shop, incremental: true })
    expect(links()).toBe(1)
    writeFileSync(join(notes, 'a.md'), '- nothing to see\n')
    await answer(engine, 'ingest', { path: notes, adapter: 'memory', mode: 'merge' })
    expect(links()).toBeNull()
    expect(nodeByKey(engine.brain.graph, 'file::server/tax.py')).toBeLessThan(engine.brain.graph.nNodes)
    await engine.close()
  })

  test('notes within the project stand beside its code, and what several files could be meant by is left open', async () => {
    const folder = projectOf('both', {
      'notes/n.md': '- see util.py and a/util.py and x.py and y.py\n',
      'a/util.py': '',
      'b/util.py': '',
      'x.py': '',
      'deep/x.py': '',
      'src/y.py': '',
      'src/old/y.py': '',
    })
    const engine = engineFor(folder)
    await answer(engine, 'ingest', { path: folder })
    await answer(engine, 'ingest', { path: folder, adapter: 'memory', mode: 'merge' })
    const { graph } = engine.brain
    const ends = ['util-py', 'a-util-py', 'x-py', 'y-py'].map((it) => {
      const v = nodeByKey(graph, `memory::memory::reference::${it}`)
      return Array.from(
        graph.out.targets.subarray(graph.out.offsets[v], graph.out.offsets[v + 1]),
        (u, i) => `${graph.tiers[graph.out.offsets[v] + i] === GUESS ? 'guess ' : ''}${keyOf(graph, u)}`,
      )
    })
    expect(ends).toEqual([[], ['file::a/util.py'], ['file::x.py'], ['guess file::src/y.py']])
    expect(graph.meta.roots.map((it) => it.adapter)).toEqual(['code', 'memory'])
    await engine.close()
  })

  test('a graph of JSON has ids below its namespace, also after another root was added', async () => {
    const folder = projectOf('supply', {
      'supply.json': '{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b"}]}',
      'a.md': '- nothing to see\n',
    })
    const engine = engineFor(folder)
    const json = { path: join(folder, 'supply.json'), adapter: 'json', namespace: 'Shop' }
    expect(await answer(engine, 'ingest', json)).toMatchObject({ namespace: 'Shop', node_count: 2 })
    expect(engine.brain.graph.meta.domain).toBe('generic')
    const code = engineFor(folder)
    writeFileSync(join(folder, 'code.json'), '{"nodes": [{"id": "a", "type": "file"}], "edges": []}')
    await answer(code, 'ingest', { path: join(folder, 'code.json'), adapter: 'json' })
    expect(code.brain.graph.meta.domain).toBe('code')
    await code.close()
    await answer(engine, 'ingest', { path: folder, adapter: 'memory', mode: 'merge' })
    expect(keysOf(engine).slice(0, 2)).toEqual(['Shop::a', 'Shop::b'])
    await engine.close()
  })

  test('a folder without notes, and incremental, are refused', async () => {
    const folder = projectOf('none', { 'a.py': 'x = 1\n' })
    const engine = engineFor(folder)
    expect(await ask(engine, 'ingest', { path: folder, adapter: 'memory' })).toMatchObject({
      ok: false,
      failure: { code: 'ingest_refused' },
    })
    expect(await ask(engine, 'ingest', { path: folder, adapter: 'memory', incremental: true })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_params' },
    })
    expect(await ask(engine, 'ingest', { path: folder, adapter: 'wiki' })).toMatchObject({
      ok: false,
      failure: { code: 'unknown_adapter', detail: 'wiki', hint: expect.stringContaining('memory') },
    })
    await engine.close()
  })
})
