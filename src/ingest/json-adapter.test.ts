import { describe, expect, test } from 'vitest'
import { CUSTOM, NODE_TYPES } from '#graph/graph'
import { ingestJson } from '#ingest/json-adapter'
import { Tree } from '#ingest/tree-for-tests'

const { signal } = new AbortController()

describe('ingestJson', () => {
  test('reads a descriptor and names what it leaves out', async () => {
    const tree = new Tree({
      'supply.json': JSON.stringify({
        nodes: [{ id: 'a' }, { id: 'b', type: 'Supplier' }, { id: 'a' }],
        edges: [
          { source: 'a', target: 'b', weight: 2 },
          { source: 'a', target: 'x' },
          { source: 'b', target: 'a', relation: 'replaces', inhibitory: true },
        ],
      }),
    })
    const { input, report } = await ingestJson(tree.path('supply.json'), signal, { now: 1000 })

    expect(input.nodes.map(({ key, type }) => [key, type])).toEqual([
      ['a', CUSTOM],
      ['b', NODE_TYPES.indexOf('supplier')],
    ])
    expect(input.edges.map(({ relation, weight, inhibitory }) => [relation, weight, inhibitory ?? false])).toEqual([
      ['relates_to', 2, false],
      ['replaces', 1, true],
    ])
    expect(report).toMatchObject({ label_collisions: 1, nodes_created: 2, edges_created: 2 })
    expect(report.warnings.filter((it) => it.includes('dangling'))).toHaveLength(1)
    expect(input.meta).toMatchObject({
      ingestedAt: 1000,
      roots: [{ path: tree.path('supply.json'), adapter: 'json', prefix: '', base: tree.root }],
    })
  })

  test('refuses what is missing and what is no graph', async () => {
    const tree = new Tree({
      'list.json': '[]',
      'broken.json': '{"nodes": [',
      'nodes.json': '{"nodes": {}, "edges": []}',
    })

    for (const path of [tree.path('gone.json'), tree.root]) {
      await expect(ingestJson(path, signal)).rejects.toMatchObject({ code: 'ingest_path_missing' })
    }
    for (const name of ['list.json', 'broken.json', 'nodes.json']) {
      await expect(ingestJson(tree.path(name), signal)).rejects.toMatchObject({ code: 'serialization' })
    }
    await expect(ingestJson(tree.path('list.json'), AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
  })
})
