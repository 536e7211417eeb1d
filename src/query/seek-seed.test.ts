import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph } from '#graph/build'
import { FILE, FUNCTION, type Graph, keyOf } from '#graph/graph'
import type { NodeInput } from '#graph/input'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { emptyMeta } from '#graph/meta'
import type { SeekOptions } from '#query/seek-options'
import { seekBySeedFormula, seedParts, tokensOf } from '#query/seek-seed'
import { buildSemantic } from '#query/semantic'

function library(names: readonly { file: string; definitions: string[]; tags: string[] }[]): Graph {
  const nodes: NodeInput[] = []
  for (const [i, { file, definitions, tags }] of names.entries()) {
    const path = `lib/shelf${i}/${file}`
    const parent = nodes.length
    nodes.push({ key: `file::${path}`, label: file, type: FILE, path, tags })
    definitions.forEach((label, d) => {
      nodes.push({ key: `file::${path}::fn::${label}#${d}`, label, type: FUNCTION, path, parent })
    })
  }
  const edges = nodes
    .slice(1)
    .map((_, i) => ({ source: i + 1, target: 0, relation: 'imports', weight: 1, causal: 0.6 }))
  return buildGraph({ nodes, edges, meta: emptyMeta() })
}

const DEFAULTS: Omit<SeekOptions, 'query'> = {
  topK: 1000,
  scope: '',
  nodeTypes: new Set(),
  minScore: 0,
  graphRerank: true,
  ranking: 'seed',
  nowSeconds: 0,
}

function ask(graph: Graph, query: string, options: Partial<SeekOptions> = {}) {
  return seekBySeedFormula(
    graph,
    { lexical: buildLexical([], graph), messages: emptyMessages(), semantic: buildSemantic(graph) },
    { ...DEFAULTS, query, ...options },
  ).rows
}

const name = fc.constantFrom(
  'loan',
  'loanBook',
  'book_shelf',
  'Reader',
  'reader.py',
  'return_loan',
  'ISBNReader',
  'go',
  'ähre',
)
const file = fc.constantFrom('reader.py', 'loan.test.ts', 'shelf.go', 'index')
const graphs = fc
  .array(
    fc.record({ file, definitions: fc.array(name, { maxLength: 4 }), tags: fc.subarray(['loan', 'async', 'go']) }),
    { minLength: 1, maxLength: 4 },
  )
  .map(library)
const queries = fc
  .array(fc.oneof(name, fc.constantFrom('the', 'shelf1', 'lib', 'loan reader', 'book?', 'returns')), { maxLength: 4 })
  .map((it) => it.join(' '))

describe('the formula', () => {
  test('gives the same through the index as node by node', () => {
    fc.assert(
      fc.property(graphs, queries, fc.boolean(), (graph, query, graphRerank) => {
        const tokens = tokensOf(query)
        const expected = new Map<number, number>()
        for (let v = 0; v < graph.nNodes; v++) {
          const { keyword, trigram } = seedParts(graph, v, query, tokens)
          if (keyword < 0.01 && trigram < 0.15) continue
          const text = 0.6 * keyword + 0.1 * trigram
          expected.set(v, graphRerank ? text + 0.3 * graph.pagerank[v] : text / 0.7)
        }
        const rows = ask(graph, query, { graphRerank })
        expect(rows.map((it) => it.node).sort((a, b) => a - b)).toEqual(Array.from(expected.keys()))
        for (const { node, score } of rows) expect(score).toBeCloseTo(expected.get(node) ?? -1, 5)
      }),
    )
  })

  const graph = library([
    { file: 'reader.py', definitions: ['loanBook', 'returnBook'], tags: ['library'] },
    { file: 'shelf.py', definitions: ['loan'], tags: [] },
  ])
  const keys = (query: string, options: Partial<SeekOptions> = {}) =>
    ask(graph, query, options).map((it) => keyOf(graph, it.node))

  test('counts an equal name twice, and parts, tags and folders once', () => {
    const parts = (query: string, v: number) => seedParts(graph, v, query, tokensOf(query)).keyword
    expect(parts('loan', 4)).toBe(1)
    expect(parts('loan fines of members', 4)).toBeCloseTo(2 / 4, 6)
    expect(parts('loan fines', 1)).toBeCloseTo(1 / 2, 6)
    expect(parts('library fines', 0)).toBeCloseTo(1 / 2, 6)
    expect(parts('shelf0 fines', 1)).toBeCloseTo(1 / 2, 6)
    expect(parts('reader', 0)).toBe(1)
  })

  test('ranks best first and keeps to scope, types and least score', () => {
    expect(keys('loan')[0]).toBe('file::lib/shelf1/shelf.py::fn::loan#0')
    expect(keys('loan', { scope: 'lib/shelf0' }).every((it) => it.includes('shelf0'))).toBe(true)
    expect(keys('reader', { nodeTypes: new Set([FILE]) })).toEqual(['file::lib/shelf0/reader.py'])
    expect(ask(graph, 'loan', { minScore: 0.5 }).every((it) => it.score >= 0.5)).toBe(true)
    expect(keys('loan', { topK: 1 }).length).toBe(1)
  })
})
