import { describe, expect, test } from 'vitest'
import { buildGraph } from '#graph/build'
import { FILE, FUNCTION, keyOf } from '#graph/graph'
import { emptyMeta } from '#graph/meta'
import { connectionsOf } from '#query/connections'

const names = ['cart.py', 'total', 'tax_rate', 'pay', 'log'] as const
const graph = buildGraph({
  nodes: names.map((key, i) => ({ key, label: key, type: i === 0 ? FILE : FUNCTION, parent: i === 1 ? 0 : -1 })),
  edges: [
    { source: 0, target: 1, relation: 'contains', weight: 1, causal: 0.8, bidirectional: true },
    { source: 1, target: 2, relation: 'calls', weight: 0.4, causal: 0.5 },
    { source: 3, target: 1, relation: 'calls', weight: 0.6, causal: 0.5 },
    { source: 1, target: 4, relation: 'sibling', weight: 0.9, causal: 0, bidirectional: true },
    { source: 1, target: 2, relation: 'references', weight: 0.3, causal: 0.3 },
  ],
  meta: emptyMeta(),
})
const listed = (v: number, most: number) =>
  connectionsOf(graph, v, most).map((it) => `${it.relation} ${keyOf(graph, it.node)}`)

describe('connections', () => {
  test('are the strongest relations from either side, containment last, each neighbour once', () => {
    expect(listed(1, 5)).toEqual(['called_by pay', 'calls tax_rate', 'contained_in cart.py'])
    expect(listed(0, 5)).toEqual(['contains total'])
  })

  test('are as many as asked for', () => {
    expect(listed(1, 1)).toEqual(['called_by pay'])
    expect(listed(4, 3)).toEqual([])
  })
})
