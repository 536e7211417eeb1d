import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph, removeNodes } from '#graph/build'
import { BIDIRECTIONAL, CLASS, CUSTOM, FILE, type Graph, INHIBITORY, relationOf, TIERS, typeName } from '#graph/graph'
import { readJson, writeJson } from '#graph/json'
import { libraryInput } from '#graph/library-for-tests'
import { emptyMeta } from '#graph/meta'
import { graphColumns } from '#graph/snapshot'

function written(graph: Graph): string {
  return [...writeJson(graph)].join('')
}

function read(text: string): Graph {
  return buildGraph(readJson(JSON.parse(text)).input)
}

const supply = {
  nodes: [{ id: 'a' }, { id: 'b', type: 'Supplier' }, { id: 'a', label: 'again' }],
  edges: [
    { source: 'a', target: 'b', weight: 2 },
    { source: 'a', target: 'x' },
    { source: 'b', target: 'a', relation: 'replaces', inhibitory: true },
  ],
}

describe('writeJson', () => {
  test('writes one record per node and logical edge, with the weight at ingest', () => {
    const graph = buildGraph({
      nodes: [
        {
          key: 'file::pool.py',
          label: 'pool.py',
          type: FILE,
          tags: ['pool'],
          path: 'backend/pool.py',
          namespace: 'code',
          lastModified: 1_700_000_000,
        },
        {
          key: 'file::pool.py::class::Pool',
          label: 'Pool',
          type: CLASS,
          lineStart: 3,
          lineEnd: 40,
          excerpt: 'Keeps "connections".',
        },
        { key: 'env::DEBUG', label: 'DEBUG', type: CUSTOM },
      ],
      edges: [
        { source: 0, target: 1, relation: 'contains', weight: 1, causal: 0.8, bidirectional: true },
        {
          source: 1,
          target: 2,
          relation: 'references',
          weight: 0.3,
          causal: 0.3,
          tier: 'unique',
          line: 12,
          unreachable: true,
        },
      ],
      meta: { ...emptyMeta(), domain: 'code', ingestedAt: 5, commit: 'abc' },
    })
    graph.weights[0] = 0.9
    const { version, meta, nodes, edges } = JSON.parse(written(graph))
    expect(version).toBe(3)
    expect(meta).toMatchObject({ domain: 'code', ingested_at: 5, commit: 'abc', counts: { nodes: 3, edges: 2 } })
    expect(nodes).toEqual([
      {
        external_id: 'file::pool.py',
        label: 'pool.py',
        node_type: 0,
        tags: ['pool'],
        last_modified: 1_700_000_000,
        change_frequency: 0,
        provenance: { source_path: 'backend/pool.py', namespace: 'code', canonical: false },
      },
      {
        external_id: 'file::pool.py::class::Pool',
        label: 'Pool',
        node_type: 3,
        tags: [],
        last_modified: 0,
        change_frequency: 0,
        provenance: { line_start: 3, line_end: 40, excerpt: 'Keeps "connections".', canonical: false },
      },
      { external_id: 'env::DEBUG', label: 'DEBUG', node_type: 100, tags: [], last_modified: 0, change_frequency: 0 },
    ])
    expect(edges).toEqual([
      {
        source_id: 'file::pool.py',
        target_id: 'file::pool.py::class::Pool',
        relation: 'contains',
        weight: 1,
        direction: 1,
        inhibitory: false,
        causal_strength: 0.8,
        confidence: 'given',
        line: 0,
      },
      {
        source_id: 'file::pool.py::class::Pool',
        target_id: 'env::DEBUG',
        relation: 'references',
        weight: 0.3,
        direction: 0,
        inhibitory: false,
        causal_strength: 0.3,
        confidence: 'unique',
        line: 12,
        unreachable: true,
      },
    ])
  })

  test('gives the same text after reading, and the same graph', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.nat(300), fc.nat(), (nodes, edges, seed) => {
        const graph = buildGraph(libraryInput(nodes, edges, seed))
        const text = written(graph)
        expect(graphColumns(read(text))).toEqual(graphColumns(graph))
        expect(written(read(text))).toBe(text)
      }),
      { numRuns: 30 },
    )
  })

  test('is handed on in pieces', () => {
    const pieces = [...writeJson(buildGraph(libraryInput(3000, 9000, 1)))]
    expect(pieces.length).toBeGreaterThan(10)
    expect(Math.max(...pieces.map((it) => it.length))).toBeLessThan(1 << 17)
  })

  test('leaves out removed nodes', () => {
    const graph = removeNodes(buildGraph(libraryInput(40, 90, 1)), [2, 30])
    const { nodes, meta } = JSON.parse(written(graph))
    expect([nodes.length, meta.counts.nodes]).toEqual([38, 38])
  })

  test('refuses a number that is not finite and names its node', () => {
    const graph = buildGraph(libraryInput(40, 90, 1))
    graph.ingestWeights.fill(Number.NaN, graph.out.offsets[7])
    expect(() => written(graph)).toThrow(/^weight of file::shelf.* is NaN; expected a finite number$/)
  })
})

describe('readJson', () => {
  test('reads a description of suppliers and names what it leaves out', () => {
    const { input, warnings, collisions, skipped } = readJson(supply)
    const graph = buildGraph(input)
    expect(Array.from(graph.types, typeName)).toEqual(['custom(0)', 'supplier'])
    expect(graph.nLogical).toBe(2)
    expect([collisions, skipped]).toEqual([1, 2])
    expect(warnings.filter((it) => it.includes('dangling'))).toEqual(['edge 1 is dangling: its target "x" is no node'])
    expect(warnings.filter((it) => it.includes('repeats'))).toEqual(['node 2 repeats the id a'])
    expect([relationOf(graph, 0), graph.weights[0], graph.flags[0] & INHIBITORY]).toEqual(['relates_to', 2, 0])
    expect([relationOf(graph, 1), graph.weights[1], graph.flags[1] & INHIBITORY]).toEqual(['replaces', 1, INHIBITORY])
  })

  test('fills in what a description does not say', () => {
    const { input } = readJson({
      nodes: [{ id: 'mixer' }, { id: 'bus', type: 'SYSTEM', label: 'Main bus' }],
      edges: [
        { source: 'mixer', target: 'bus', relation: 'routes_to' },
        { source: 'bus', target: 'mixer', relation: 'contains' },
        { source: 'bus', target: 'mixer', relation: 'depends_on', direction: 'bidirectional', weight: 9 },
        { source: 'bus', target: 'bus', relation: 'contains', direction: 0 },
      ],
    })
    expect(input.meta.domain).toBe('generic')
    expect(input.nodes[0]).toMatchObject({ label: 'mixer', type: CUSTOM, changeFrequency: 0.3, lastModified: 0 })
    expect(input.nodes[1]).toMatchObject({ label: 'Main bus', type: 15 })
    expect(input.edges.map((it) => [it.weight, it.causal, it.bidirectional])).toEqual([
      [1, 0.5, false],
      [1, 0.8, true],
      [3, 0.6, true],
      [1, 0.8, false],
    ])
  })

  test('reads an older snapshot without provenance, confidence and meta', () => {
    const { input } = readJson({
      version: 2,
      nodes: [
        { external_id: 'file::a.py', label: 'a.py', node_type: 0 },
        { external_id: 'file::b.py', label: 'b.py', node_type: 0, shelf: 1 },
      ],
      edges: [
        {
          source_id: 'file::a.py',
          target_id: 'file::b.py',
          relation: 'contains',
          weight: 0.5,
          direction: 1,
          inhibitory: false,
          causal_strength: 0.8,
        },
      ],
    })
    const graph = buildGraph(input)
    expect([graph.types[0], graph.nLogical, graph.flags[0] & BIDIRECTIONAL, TIERS[graph.tiers[0]]]).toEqual([
      FILE,
      1,
      BIDIRECTIONAL,
      'given',
    ])
    expect(input.meta.domain).toBe('code')
  })

  test('refuses a newer version and other shapes, saying what it expected', () => {
    expect(() => readJson({ version: 4, nodes: [], edges: [] })).toThrow(
      'the snapshot has version 4, expected version 3 or older',
    )
    expect(() => readJson({ version: '3', nodes: [], edges: [] })).toThrow('expected version 3')
    expect(() => readJson([])).toThrow('expected a JSON object')
    expect(() => readJson({ nodes: {}, edges: [] })).toThrow('expected nodes to be an array')
    expect(() => readJson({ nodes: [] })).toThrow('expected edges to be an array')
  })

  test('names at most twenty things, and counts all of them', () => {
    const nodes = Array.from({ length: 30 }, () => ({ id: '' }))
    const edges = [
      { source: 'a', target: 'a', weight: -1 },
      { source: 'a', target: 'a', weight: '2' },
      { source: 'a', target: 'a', weight: Number.NaN },
      7,
    ]
    const { input, warnings, skipped } = readJson({ nodes: [{ id: 'a' }, ...nodes], edges })
    expect([input.nodes.length, input.edges.length, warnings.length, skipped]).toEqual([1, 0, 20, 34])
    expect(warnings[0]).toBe('node 1 has no id')
  })

  test('never fails on odd values in places of texts and numbers', () => {
    const record = fc.dictionary(
      fc.constantFrom(
        'id',
        'external_id',
        'label',
        'type',
        'node_type',
        'tags',
        'provenance',
        'source',
        'target',
        'weight',
        'direction',
        'line',
        'confidence',
        'causal_strength',
        'last_modified',
      ),
      fc.anything(),
    )
    fc.assert(
      fc.property(fc.array(record), fc.array(record), (nodes, edges) => {
        const known = [{ id: 'a' }, { id: 'b' }, ...nodes]
        const odd = edges.map((it) => ({ ...it, source: 'a', target: 'b' }))
        const graph = buildGraph(readJson({ nodes: known, edges: odd }).input)
        expect(graph.nNodes).toBeGreaterThanOrEqual(2)
        expect(written(read(written(graph)))).toBe(written(graph))
      }),
    )
  })
})
