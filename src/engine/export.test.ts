import { expect, test } from 'vitest'
import { type ExportFormat, exportGraph } from '#engine/export'
import { buildGraph } from '#graph/build'
import { FILE, FUNCTION } from '#graph/graph'
import { readJson } from '#graph/json'
import { emptyMeta } from '#graph/meta'

const graph = buildGraph({
  nodes: [
    { key: 'file::a"b.ts', label: 'a"b.ts', type: FILE, path: 'a"b.ts' },
    { key: "file::it's <till>.ts", label: "it's <till>.ts", type: FILE, path: "it's <till>.ts" },
    { key: 'file::a"b.ts::fn::sum', label: 'sum', type: FUNCTION, lineStart: 3, parent: 0 },
  ],
  edges: [
    { source: 0, target: 2, relation: 'contains', weight: 1, causal: 0.8, bidirectional: true },
    { source: 2, target: 1, relation: 'co-changes', weight: 0.5, causal: 0 },
  ],
  meta: emptyMeta(),
})
const text = (format: ExportFormat) => [...exportGraph(graph, format)].join('')

test('JSON is the exchange form of the graph', () => {
  const { input } = readJson(JSON.parse(text('json')))
  expect(input.nodes.map((it) => it.key)).toEqual(['file::a"b.ts', "file::it's <till>.ts", 'file::a"b.ts::fn::sum'])
  expect(input.edges).toHaveLength(2)
})

test.each([
  [
    'graphml',
    '<node id="file::it\'s &lt;till&gt;.ts"><data key="label">it\'s &lt;till&gt;.ts</data>',
    '<edge source="file::a&quot;b.ts" target="file::a&quot;b.ts::fn::sum"><data key="relation">contains</data>',
  ],
  [
    'dot',
    '"file::a\\"b.ts" [label="a\\"b.ts"];',
    '"file::a\\"b.ts::fn::sum" -> "file::it\'s <till>.ts" [label="co-changes", weight=0.5];',
  ],
  [
    'cypher',
    "CREATE (:Node {id: 'file::it\\'s <till>.ts', label: 'it\\'s <till>.ts', type: 'file'",
    'CREATE (a)-[:CO_CHANGES {weight: 0.5',
  ],
] as const)(
  '%s names every node and every edge once, with what is special in its syntax escaped',
  (format, node, edge) => {
    const written = text(format)
    expect(written.split(node)).toHaveLength(2)
    expect(written.split(edge)).toHaveLength(2)
  },
)
