import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph, emptyGraph, mergeInputs, removeNodes, toInput } from '#graph/build'
import {
  BIDIRECTIONAL,
  CLASS,
  CUSTOM,
  DIRECTORY,
  FILE,
  FUNCTION,
  type Graph,
  INHIBITORY,
  keyOf,
  labelOf,
  NONE,
  PRIMARY,
  relationOf,
  TIERS,
  tagsOf,
  UNREACHABLE,
} from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { graphColumns } from '#graph/snapshot'

function node(key: string, more: Partial<NodeInput> = {}): NodeInput {
  return { key, label: key, type: FUNCTION, ...more }
}

function edge(source: number, target: number, relation: string, more: Partial<EdgeInput> = {}): EdgeInput {
  return { source, target, relation, weight: 0.5, causal: 0.5, ...more }
}

function graphOf(nodes: NodeInput[], edges: EdgeInput[]): Graph {
  return buildGraph({ nodes, edges, meta: emptyMeta() })
}

/** All slots as text, `source relation target`. */
function slotsOf(graph: Graph): string[] {
  const slots: string[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      slots.push(`${keyOf(graph, v)} ${relationOf(graph, e)} ${keyOf(graph, graph.out.targets[e])}`)
    }
  }
  return slots
}

const RELATIONS = ['calls', 'imports', 'contains', 'replaces', 'subsection_of']
const edgeInputs = (nNodes: number): fc.Arbitrary<EdgeInput> =>
  fc.record({
    source: fc.nat(nNodes - 1),
    target: fc.nat(nNodes - 1),
    relation: fc.constantFrom(...RELATIONS),
    weight: fc.float({ min: 0, max: 3, noNaN: true }),
    causal: fc.float({ min: 0, max: 1, noNaN: true }),
    bidirectional: fc.boolean(),
    inhibitory: fc.option(fc.boolean(), { nil: undefined }),
    tier: fc.constantFrom(...TIERS),
    line: fc.nat(9),
    lifted: fc.boolean(),
    unreachable: fc.boolean(),
  })
const inputs: fc.Arbitrary<GraphInput> = fc.integer({ min: 1, max: 9 }).chain((nNodes) =>
  fc.record({
    nodes: fc.constant(Array.from({ length: nNodes }, (_, i) => node(`n${i}`, { tags: ['Book', `t${i % 3}`] }))),
    edges: fc.array(edgeInputs(nNodes), { maxLength: 30 }),
    meta: fc.constant(emptyMeta()),
  }),
)

/** What merging must give, told slowly: logical edges by direction, relation and whether either way is bidirectional. */
function mergedSlowly(edges: readonly EdgeInput[]): Map<string, { weight: number; tier: number; both: boolean }> {
  const name = (it: EdgeInput) => `${it.source} ${it.relation} ${it.target}`
  const back = (it: EdgeInput) => `${it.target} ${it.relation} ${it.source}`
  const both = new Set(edges.filter((it) => it.bidirectional).flatMap((it) => [name(it), back(it)]))
  const merged = new Map<string, { weight: number; tier: number; both: boolean }>()
  for (const it of edges) {
    for (const slot of both.has(name(it)) ? [name(it), back(it)] : [name(it)]) {
      const known = merged.get(slot) ?? { weight: 0, tier: 9, both: both.has(slot) }
      known.weight = Math.max(known.weight, Math.fround(it.weight))
      known.tier = Math.min(known.tier, TIERS.indexOf(it.tier ?? 'given'))
      merged.set(slot, known)
    }
  }
  return merged
}

describe('buildGraph', () => {
  test('gives every edge a slot at its source, a bidirectional one also at its target', () => {
    const graph = graphOf(
      [node('shop'), node('cart'), node('total')],
      [
        edge(0, 1, 'contains', { bidirectional: true }),
        edge(2, 1, 'calls'),
        edge(1, 2, 'contains', { bidirectional: true }),
      ],
    )
    expect(slotsOf(graph)).toEqual([
      'shop contains cart',
      'cart contains shop',
      'cart contains total',
      'total contains cart',
      'total calls cart',
    ])
    expect([graph.nEdges, graph.nLogical]).toEqual([5, 3])
    const primary = Array.from(graph.flags, (flags) => (flags & PRIMARY) !== 0)
    expect(primary).toEqual([true, false, true, false, true])
    expect(Array.from(graph.mirrors)).toEqual([1, 0, 3, 2, NONE])
  })

  test('merges edges of the same ends and relation, keeping the best of each', () => {
    const graph = graphOf(
      [node('cart'), node('total')],
      [
        edge(0, 1, 'calls', { weight: 0.2, causal: 0.9, tier: 'guess', line: 0, unreachable: true }),
        edge(0, 1, 'imports'),
        edge(0, 1, 'calls', { weight: 0.4, causal: 0.1, tier: 'exact', line: 40, inhibitory: true, unreachable: true }),
        edge(0, 1, 'calls', { weight: 0.3, tier: 'unique', line: 12 }),
      ],
    )
    expect(slotsOf(graph)).toEqual(['cart calls total', 'cart imports total'])
    expect(graph.weights[0]).toBeCloseTo(0.4)
    expect(graph.causal[0]).toBeCloseTo(0.9)
    expect(TIERS[graph.tiers[0]]).toBe('exact')
    expect(graph.lines[0]).toBe(12)
    expect(graph.flags[0] & (INHIBITORY | UNREACHABLE | BIDIRECTIONAL)).toBe(INHIBITORY)
  })

  test('takes edges against a bidirectional one into it, and keeps its source', () => {
    const graph = graphOf(
      [node('shelf'), node('book')],
      [
        edge(1, 0, 'contains', { weight: 0.9, line: 7 }),
        edge(0, 1, 'contains', { weight: 0.3, bidirectional: true, line: 3 }),
      ],
    )
    expect(slotsOf(graph)).toEqual(['shelf contains book', 'book contains shelf'])
    expect(Array.from(graph.weights, (it) => Math.round(it * 10))).toEqual([9, 9])
    expect([graph.flags[0] & PRIMARY, graph.lines[0], graph.lines[1]]).toEqual([PRIMARY, 3, 0])
    expect(graph.parents[1]).toBe(0)
  })

  test('has one slot for every source, target and relation, with the strongest weight', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const graph = buildGraph(input)
        const slots = slotsOf(graph)
        const expected = mergedSlowly(input.edges)
        expect(new Set(slots).size).toBe(slots.length)
        expect(slots.length).toBe(expected.size)
        slots.forEach((slot, e) => {
          const it = expected.get(slot.replaceAll(/\bn(\d)/g, '$1'))
          expect({
            weight: graph.weights[e],
            tier: graph.tiers[e],
            both: (graph.flags[e] & BIDIRECTIONAL) !== 0,
          }).toEqual(it)
        })
      }),
    )
  })

  test('finds every slot again from its target, and every mirror from its other half', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { nNodes, nEdges, nLogical, out, in: inEdges, mirrors, flags } = buildGraph(input)
        const seen = new Set<number>()
        for (let v = 0; v < nNodes; v++) {
          for (let i = inEdges.offsets[v]; i < inEdges.offsets[v + 1]; i++) {
            const e = inEdges.slots[i]
            const u = inEdges.targets[i]
            seen.add(e)
            expect(out.targets[e]).toBe(v)
            expect(e >= out.offsets[u] && e < out.offsets[u + 1]).toBe(true)
          }
        }
        expect(seen.size).toBe(nEdges)
        let nPrimary = 0
        for (let e = 0; e < nEdges; e++) {
          if (flags[e] & PRIMARY) nPrimary++
          if (mirrors[e] === NONE) continue
          expect(mirrors[mirrors[e]]).toBe(e)
          expect(flags[e] & PRIMARY).not.toBe(flags[mirrors[e]] & PRIMARY)
        }
        expect(nPrimary).toBe(nLogical)
      }),
    )
  })

  test('built again from what it is made of, is the same in every byte', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const graph = buildGraph(input)
        expect(graphColumns(buildGraph(toInput(graph)))).toEqual(graphColumns(graph))
      }),
    )
  })

  test('has the same slots whatever the order of edges', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const reversed = { ...input, edges: input.edges.toReversed() }
        expect(slotsOf(buildGraph(reversed)).toSorted()).toEqual(slotsOf(buildGraph(input)).toSorted())
      }),
    )
  })

  test('keeps a loop as one slot', () => {
    const graph = graphOf([node('retry')], [edge(0, 0, 'calls', { bidirectional: true })])
    expect([graph.nEdges, graph.nLogical, graph.mirrors[0]]).toEqual([1, 1, NONE])
  })

  test('knows that some relations suppress, unless the edge says otherwise', () => {
    const graph = graphOf(
      [node('v2'), node('v1')],
      [edge(0, 1, 'replaces'), edge(1, 0, 'deprecates', { inhibitory: false })],
    )
    expect(Array.from(graph.flags, (it) => it & INHIBITORY)).toEqual([INHIBITORY, 0])
  })

  test('stores no number that is not one', () => {
    const graph = graphOf(
      [
        node('cart', { lastModified: Number.NaN, changeFrequency: Number.POSITIVE_INFINITY }),
        node('total', { changeFrequency: 7 }),
      ],
      [edge(0, 1, 'calls', { weight: Number.NaN, causal: -1 }), edge(1, 0, 'calls', { weight: 8, causal: 3 })],
    )
    expect(Array.from(graph.weights)).toEqual([0, 3])
    expect(Array.from(graph.causal)).toEqual([0, 1])
    expect([graph.lastModified[0], graph.changeFrequency[0], graph.changeFrequency[1]]).toEqual([0, 0, 1])
  })

  test('writes tags in lower case, each once, in their order', () => {
    const graph = graphOf(
      [node('a', { tags: ['Pool', 'session', 'pool'] }), node('b'), node('c', { tags: ['Session'] })],
      [],
    )
    expect([0, 1, 2].map((v) => tagsOf(graph, v))).toEqual([['pool', 'session'], [], ['session']])
  })

  test('refuses a repeated key, and edges and parents that lead nowhere', () => {
    expect(() => graphOf([node('a'), node('b'), node('a')], [])).toThrow('nodes 0 and 2 have the same key a')
    expect(() => graphOf([node('a')], [edge(0, 1, 'calls')])).toThrow(
      'edge 0 runs from node 0 to node 1, but there are 1 nodes',
    )
    expect(() => graphOf([node('a', { parent: 4 })], [])).toThrow('node 0 has the parent 4')
  })

  test('builds nothing, one node, and a star', () => {
    expect([emptyGraph().nNodes, emptyGraph().nEdges, emptyGraph().strings.count]).toEqual([0, 0, 0])
    expect(graphOf([node('a')], []).pagerank[0]).toBe(1)
    const leaves = Array.from({ length: 100_000 }, (_, i) => edge(0, i + 1, 'contains', { bidirectional: true }))
    const star = graphOf([node('hub'), ...leaves.map((_, i) => node(`leaf${i}`))], leaves)
    expect([star.nEdges, star.out.offsets[1], star.in.offsets[1]]).toEqual([200_000, 100_000, 100_000])
  })
})

describe('parents', () => {
  test('come from the node itself, else from what contains it', () => {
    const graph = graphOf(
      [
        node('dir', { type: DIRECTORY }),
        node('file', { type: FILE }),
        node('class', { type: CLASS }),
        node('method', { parent: 2 }),
      ],
      [
        edge(0, 1, 'contains', { bidirectional: true }),
        edge(1, 2, 'contains', { bidirectional: true }),
        edge(1, 3, 'contains', { bidirectional: true }),
        edge(3, 0, 'calls'),
      ],
    )
    expect(Array.from(graph.parents)).toEqual([NONE, 0, 1, 2])
  })

  test('of a section is what it is a subsection of', () => {
    const graph = graphOf([node('intro'), node('chapter')], [edge(0, 1, 'subsection_of')])
    expect(Array.from(graph.parents)).toEqual([1, NONE])
  })

  test('never run in a circle', () => {
    fc.assert(
      fc.property(
        inputs,
        fc.array(fc.integer({ min: -1, max: 8 }), { minLength: 9, maxLength: 9 }),
        (input, parents) => {
          const nodes = input.nodes.map((it, i) => ({ ...it, parent: Math.min(parents[i], input.nodes.length - 1) }))
          const graph = buildGraph({ ...input, nodes })
          for (let v = 0; v < graph.nNodes; v++) {
            let steps = 0
            for (let u = v; u !== NONE; u = graph.parents[u]) expect(steps++).toBeLessThan(graph.nNodes)
          }
        },
      ),
    )
  })
})

describe('removeNodes', () => {
  const shop = () =>
    graphOf(
      [
        node('dir::./', { type: DIRECTORY }),
        node('file::cart.py', { type: FILE, tags: ['cart'] }),
        node('total'),
        node('tax'),
      ],
      [
        edge(0, 1, 'contains', { bidirectional: true }),
        edge(1, 2, 'contains', { bidirectional: true }),
        edge(1, 3, 'contains', { bidirectional: true }),
        edge(2, 3, 'calls'),
      ],
    )

  test('hides a node and its edges and keeps all ids', () => {
    const before = shop()
    before.weights[before.out.offsets[2] + 1] = 0.9
    const graph = removeNodes(before, [1])
    expect(slotsOf(graph)).toEqual(['total calls tax'])
    expect([graph.nNodes, graph.nEdges, graph.nLogical]).toEqual([4, 1, 1])
    expect([labelOf(graph, 1), tagsOf(graph, 1), graph.dead[1], graph.pagerank[1]]).toEqual(['', [], 1, 0])
    expect(graph.weights[0]).toBeCloseTo(0.9)
    expect(Array.from(graph.parents)).toEqual([NONE, NONE, 0, 0])
    expect(before.nEdges).toBe(7)
  })

  test('of nothing is the same graph, and of a node twice the same as once', () => {
    const graph = shop()
    expect(removeNodes(graph, [])).toBe(graph)
    const once = removeNodes(graph, [3])
    expect(removeNodes(once, [3])).toBe(once)
    expect(graphColumns(removeNodes(graph, [3, 3]))).toEqual(graphColumns(once))
  })

  test('then building from what is left is the same as building without the nodes', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const last = input.nodes.length - 1
        const without = {
          ...input,
          nodes: input.nodes.slice(0, last),
          edges: input.edges.filter((it) => it.source !== last && it.target !== last),
        }
        const rebuilt = buildGraph(toInput(removeNodes(buildGraph(input), [last])))
        expect(slotsOf(rebuilt)).toEqual(slotsOf(buildGraph(without)))
        expect(rebuilt.weights).toEqual(buildGraph(without).weights)
      }),
    )
  })

  test('refuses an id that is none', () => {
    expect(() => removeNodes(shop(), [4])).toThrow('node 4 is not one of 4')
  })
})

describe('mergeInputs', () => {
  const root = (path: string, prefix = '', adapter = 'code') => ({ path, prefix, adapter, base: path })
  const input = (nodes: NodeInput[], edges: EdgeInput[], ...roots: ReturnType<typeof root>[]): GraphInput => ({
    nodes,
    edges,
    meta: { ...emptyMeta(), roots },
  })
  const keys = (it: GraphInput) => it.nodes.map(({ key }) => key)

  test('unites nodes of one key', () => {
    const { nodes } = mergeInputs(
      input(
        [node('pool', { type: CUSTOM, tags: ['db'], lastModified: 5, lineStart: 3, lineEnd: 9, excerpt: 'Keeps.' })],
        [],
      ),
      input(
        [
          node('pool', {
            type: CLASS,
            tags: ['db', 'net'],
            lastModified: 4,
            changeFrequency: 0.5,
            lineStart: 8,
            lineEnd: 20,
            path: 'pool.py',
            canonical: true,
          }),
        ],
        [],
      ),
    )
    expect(nodes).toEqual([
      {
        key: 'pool',
        label: 'pool',
        type: CLASS,
        tags: ['db', 'net'],
        lastModified: 5,
        changeFrequency: 0.5,
        path: 'pool.py',
        lineStart: 3,
        lineEnd: 20,
        excerpt: 'Keeps.',
        namespace: undefined,
        canonical: true,
        parent: -1,
      },
    ])
  })

  test('keeps the type of a node that says what it is', () => {
    const { nodes } = mergeInputs(
      input([node('pool', { type: CLASS })], []),
      input([node('pool', { type: CUSTOM })], []),
    )
    expect(nodes[0].type).toBe(CLASS)
  })

  test('leads edges and parents of both sides to the joined nodes', () => {
    const merged = mergeInputs(
      input([node('shop'), node('cart', { parent: 0 })], [edge(0, 1, 'contains', { weight: 0.4 })]),
      input(
        [node('cart'), node('total', { parent: 0 }), node('shop')],
        [edge(2, 0, 'contains', { weight: 1 }), edge(0, 1, 'contains')],
      ),
    )
    const graph = buildGraph(merged)
    expect(keys(merged)).toEqual(['shop', 'cart', 'total'])
    expect(slotsOf(graph)).toEqual(['shop contains cart', 'cart contains total'])
    expect(graph.weights[0]).toBe(1)
    expect(Array.from(graph.parents)).toEqual([NONE, 0, 1])
  })

  test('gives the second of two roots with the same keys its own name', () => {
    const merged = mergeInputs(
      input([node('file::main.py'), node('pkg::pypi::flask')], [edge(0, 1, 'imports')], root('/srv/backend')),
      input([node('file::main.py'), node('pkg::pypi::flask')], [edge(0, 1, 'imports')], root('/srv/frontend')),
    )
    expect(keys(merged)).toEqual(['file::main.py', 'pkg::pypi::flask', 'frontend::file::main.py'])
    expect(merged.meta.roots.map((it) => it.prefix)).toEqual(['', 'frontend::'])
    const again = mergeInputs(merged, input([node('file::app.py')], [], root('/srv/frontend')))
    expect(keys(again)).toEqual(['file::main.py', 'pkg::pypi::flask', 'frontend::file::app.py'])
  })

  test('leaves apart what is already apart', () => {
    const merged = mergeInputs(
      input([node('file::api.py')], [], root('/srv/backend')),
      input([node('file::page.ts')], [], root('/srv/frontend')),
    )
    expect(keys(merged)).toEqual(['file::api.py', 'file::page.ts'])
  })

  test('a root read again replaces what it had brought', () => {
    const base = input(
      [
        node('file::cart.py', { tags: ['old'], lineEnd: 90 }),
        node('file::tax.py'),
        node('pkg::pypi::money'),
        node('note'),
      ],
      [edge(0, 1, 'imports'), edge(1, 2, 'imports'), edge(3, 0, 'mentions_file'), edge(3, 1, 'mentions_file')],
      root('/srv/shop'),
      root('/srv/notes', '', 'memory'),
    )
    const added = input(
      [node('file::cart.py', { lineEnd: 50 }), node('file::total.py')],
      [edge(0, 1, 'imports')],
      root('/srv/shop'),
    )
    const merged = mergeInputs(base, added)
    expect(keys(merged)).toEqual(['file::cart.py', 'note', 'file::total.py'])
    expect([merged.nodes[0].tags, merged.nodes[0].lineEnd]).toEqual([undefined, 50])
    expect(slotsOf(buildGraph(merged))).toEqual([
      'file::cart.py imports file::total.py',
      'note mentions_file file::cart.py',
    ])
    expect(merged.meta.roots.map((it) => it.path)).toEqual(['/srv/shop', '/srv/notes'])
  })

  test('with nothing is the graph itself', () => {
    fc.assert(
      fc.property(inputs, (it) => {
        const nothing = input([], [])
        const expected = graphColumns(buildGraph(it))
        expect(graphColumns(buildGraph(mergeInputs(it, nothing)))).toEqual(expected)
        expect(graphColumns(buildGraph(mergeInputs(nothing, it)))).toEqual(expected)
        expect(graphColumns(buildGraph(mergeInputs(it, it)))).toEqual(expected)
      }),
    )
  })
})
