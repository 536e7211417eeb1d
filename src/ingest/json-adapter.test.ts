import { describe, expect, test } from 'vitest'
import { CUSTOM, NODE_TYPES } from '#graph/graph'
import { ingestJson } from '#ingest/json-adapter'
import { Tree } from '#ingest/tree-for-tests'

describe('ingestJson', () => {
  test('reads a descriptor and names what it leaves out', () => {
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
    const { input, warnings, collisions } = ingestJson(tree.path('supply.json'), 1000)

    expect(input.nodes.map(({ key, type }) => [key, type])).toEqual([
      ['a', CUSTOM],
      ['b', NODE_TYPES.indexOf('supplier')],
    ])
    expect(input.edges.map(({ relation, weight, inhibitory }) => [relation, weight, inhibitory ?? false])).toEqual([
      ['relates_to', 2, false],
      ['replaces', 1, true],
    ])
    expect(collisions).toBe(1)
    expect(warnings.filter((it) => it.includes('dangling'))).toHaveLength(1)
    expect(input.meta).toMatchObject({
      ingestedAt: 1000,
      roots: [{ path: tree.path('supply.json'), adapter: 'json', prefix: '', base: tree.root }],
    })
  })

  test('refuses what is missing and what is no graph', () => {
    const tree = new Tree({
      'list.json': '[]',
      'broken.json': '{"nodes": [',
      'nodes.json': '{"nodes": {}, "edges": []}',
    })

    expect(() => ingestJson(tree.path('gone.json'), 0)).toThrow(
      expect.objectContaining({ code: 'ingest_path_missing' }),
    )
    expect(() => ingestJson(tree.root, 0)).toThrow(expect.objectContaining({ code: 'ingest_path_missing' }))
    for (const name of ['list.json', 'broken.json', 'nodes.json']) {
      expect(() => ingestJson(tree.path(name), 0)).toThrow(expect.objectContaining({ code: 'serialization' }))
    }
  })
})
