import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Graph, labelOf } from '#graph/graph'
import { type Arrow, arrows, byLabel, graphOf, nodeIn } from '#query/graph-for-tests'
import type { NodeValues } from '#query/node-values'
import type { Seed } from '#query/seeds'
import { SPREAD_DEFAULTS, spread, spreadByHeap, spreadByWavefront, spreadCausal, traceSpread } from '#query/spread'

/** Seeds from a text like `auth 0.9, session 0.85`. */
function seedsIn(graph: Graph, text: string): Seed[] {
  return text.split(', ').map((seed) => {
    const [label, relevance] = seed.split(' ')
    return { node: nodeIn(graph, label), relevance: Number(relevance) }
  })
}

function spreadFrom(graph: Graph, seeds: string): Record<string, number> {
  return byLabel(graph, spread(graph, seedsIn(graph, seeds)))
}

function expectValues(found: Record<string, number>, expected: Record<string, number>): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort())
  for (const [label, value] of Object.entries(expected)) expect(found[label]).toBeCloseTo(value, 5)
}

const SERVICE =
  'main>auth main>routes routes>auth routes>middleware auth>session auth>user auth>database session>database middleware>session user>database'

describe('structural spread', () => {
  test('takes the stronger of both directions', () => {
    const expected = {
      auth: 0.9,
      session: 0.85,
      main: 0.495,
      user: 0.495,
      database: 0.495,
      routes: 0.495,
      middleware: 0.4675,
    }
    expectValues(spreadFrom(graphOf([], arrows(SERVICE)), 'auth 0.9, session 0.85'), expected)
  })

  test('scales with the weight', () => {
    const halved = {
      auth: 0.9,
      session: 0.85,
      main: 0.2475,
      user: 0.2475,
      database: 0.2475,
      routes: 0.2475,
      middleware: 0.23375,
    }
    expectValues(spreadFrom(graphOf([], arrows(SERVICE, { weight: 0.5 })), 'auth 0.9, session 0.85'), halved)
  })

  test('ends after five hops or below the threshold', () => {
    const chain = 'a>b b>c c>d d>e e>f f>g g>h'
    const expected = { a: 1, b: 0.55, c: 0.3025, d: 0.166375, e: 0.09150625, f: 0.0503284 }
    expectValues(spreadFrom(graphOf([], arrows(chain)), 'a 1'), expected)
    expectValues(spreadFrom(graphOf([], arrows(chain, { weight: 0.5 })), 'a 1'), { a: 1, b: 0.275, c: 0.075625 })
  })

  test('an inhibitory edge subtracts half of its signal and gives none', () => {
    const edges = [
      ...arrows('s>a'),
      ...arrows('s>b', { weight: 0.8 }),
      { from: 'a', to: 'b', relation: 'replaces', inhibitory: true },
      { from: 's', to: 'c', relation: 'replaces', inhibitory: true },
    ]
    expectValues(spreadFrom(graphOf([], edges), 's 1'), { s: 1, a: 0.55, b: 0.28875 })
  })

  test('a node fires again when a longer way turns out stronger', () => {
    const edges = [...arrows('s>a', { weight: 0.2 }), ...arrows('s>b b>a a>c')]
    expectValues(spreadFrom(graphOf([], edges), 's 1'), { s: 1, a: 0.3025, b: 0.55, c: 0.166375 })
  })

  test('the cap holds on every hop', () => {
    const edges = [...arrows('s>x', { weight: 3 }), ...arrows('x>y')]
    expectValues(spreadFrom(graphOf([], edges), 's 0.9'), { s: 0.9, x: 1, y: 0.55 })
  })

  test('a repeated seed keeps its larger relevance', () => {
    expectValues(spreadFrom(graphOf([], arrows('s>a')), 's 0.4, s 1'), { s: 1, a: 0.55 })
  })

  test('forward only when nothing is kept against edges', () => {
    const graph = graphOf([], arrows('a>b b>c'))
    const values = spread(graph, seedsIn(graph, 'b 1'), { ...SPREAD_DEFAULTS, reverseFactor: 0 })
    expectValues(byLabel(graph, values), { b: 1, c: 0.55 })
  })

  test('a depth beyond twenty counts as twenty', () => {
    const graph = graphOf([], arrows(Array.from({ length: 30 }, (_, i) => `n${i}>n${i + 1}`).join(' ')))
    const options = { ...SPREAD_DEFAULTS, decay: 1, maxDepth: 100 }
    expect(Object.keys(byLabel(graph, spreadByWavefront(graph, seedsIn(graph, 'n0 1'), options)))).toHaveLength(21)
  })
})

test('causal spread also costs causal strength, and 0.7 against an edge', () => {
  const graph = graphOf(
    ['n0', 'n1', 'n2', 'n3', 'n4'],
    [
      { from: 'n0', to: 'n1', causal: 0.8 },
      { from: 'n1', to: 'n2', weight: 0.5, causal: 0.6 },
      { from: 'n3', to: 'n0', causal: 0.5 },
      { from: 'n0', to: 'n4', causal: 0 },
    ],
  )
  expectValues(byLabel(graph, spreadCausal(graph, seedsIn(graph, 'n0 1'))), { n0: 1, n1: 0.44, n2: 0.0726, n3: 0.1925 })
})

// random graphs

const N = 12
const arrow = fc.record({
  from: fc.integer({ min: 0, max: N - 1 }).map((it) => `book_${it}`),
  to: fc.integer({ min: 0, max: N - 1 }).map((it) => `book_${it}`),
  relation: fc.constantFrom('calls', 'imports'),
  weight: fc.constantFrom(0.1, 0.3, 0.5, 0.8, 1),
  bidirectional: fc.boolean(),
})
const seed = fc.record({ node: fc.integer({ min: 0, max: N - 1 }), relevance: fc.constantFrom(0.05, 0.3, 0.6, 1) })
const shelf = (edges: readonly Arrow[]) =>
  graphOf(
    Array.from({ length: N }, (_, i) => `book_${i}`),
    edges,
  )
const columnOf = (values: NodeValues | null) => (values === null ? null : Array.from(values.value))

/** The definition itself: the strongest of all walks of at most five hops, forward or backward. */
function strongestWalks(graph: Graph, seeds: readonly Seed[]): Float64Array {
  const { decay, threshold, maxDepth, cap } = SPREAD_DEFAULTS
  const best = new Float64Array(graph.nNodes)
  for (const { offsets, targets, slotOf } of [
    { ...graph.out, slotOf: (i: number) => i },
    { ...graph.in, slotOf: (i: number) => graph.in.slots[i] },
  ]) {
    const pass = new Float64Array(graph.nNodes)
    for (const it of seeds) pass[it.node] = Math.max(pass[it.node], Math.min(cap, it.relevance))
    let atDepth = pass.slice()
    for (let depth = 0; depth < maxDepth; depth++) {
      const next = new Float64Array(graph.nNodes)
      for (let v = 0; v < graph.nNodes; v++) {
        if (atDepth[v] < threshold) continue
        for (let i = offsets[v]; i < offsets[v + 1]; i++) {
          const signal = Math.min(cap, atDepth[v] * graph.weights[slotOf(i)] * decay)
          if (signal >= threshold && targets[i] !== v) next[targets[i]] = Math.max(next[targets[i]], signal)
        }
      }
      for (let v = 0; v < graph.nNodes; v++) pass[v] = Math.max(pass[v], next[v])
      atDepth = next
    }
    for (let v = 0; v < graph.nNodes; v++) best[v] = Math.max(best[v], pass[v])
  }
  return best
}

describe('on random graphs', () => {
  const edges = fc.array(arrow, { maxLength: 30 })
  const seeds = fc.array(seed, { minLength: 1, maxLength: 4 })

  test('wavefront, heap and the strongest walks agree', () => {
    fc.assert(
      fc.property(edges, seeds, (it, from) => {
        const graph = shelf(it)
        const expected = strongestWalks(graph, from)
        const wave = spreadByWavefront(graph, from).value
        const heap = spreadByHeap(graph, from)?.value ?? []
        for (let v = 0; v < N; v++) {
          expect(wave[v]).toBeCloseTo(expected[v], 9)
          expect(heap[v]).toBeCloseTo(expected[v], 9)
        }
      }),
    )
  })

  test('the order of edges and seeds does not matter', () => {
    fc.assert(
      fc.property(edges, seeds, fc.array(fc.nat()), (it, from, keys) => {
        const shuffled = it
          .map((edge, i) => ({ edge, key: keys[i % Math.max(1, keys.length)] ?? 0 }))
          .sort((a, b) => a.key - b.key)
        const one = spreadByWavefront(shelf(it), from)
        const other = spreadByWavefront(shelf(shuffled.map((s) => s.edge)), from.slice().reverse())
        expect(columnOf(other)).toEqual(columnOf(one))
      }),
    )
  })

  test('no value falls when a seed or an edge becomes stronger', () => {
    fc.assert(
      fc.property(edges, seeds, fc.nat(), fc.boolean(), (it, from, at, raiseSeed) => {
        const stronger = from.map((s, i) =>
          raiseSeed && i === at % from.length ? { ...s, relevance: s.relevance + 0.2 } : s,
        )
        const heavier = it.map((edge, i) =>
          !raiseSeed && i === at % it.length ? { ...edge, weight: edge.weight + 0.5 } : edge,
        )
        const before = spreadByWavefront(shelf(it), from).value
        const after = spreadByWavefront(shelf(heavier), stronger).value
        for (let v = 0; v < N; v++) expect(after[v]).toBeGreaterThanOrEqual(before[v] - 1e-12)
      }),
    )
  })

  test('edges in a circle with weights up to three stay within the cap', () => {
    fc.assert(
      fc.property(edges, seeds, (it, from) => {
        const values = spreadByWavefront(shelf(it.map((edge) => ({ ...edge, weight: edge.weight * 3 }))), from).value
        for (let v = 0; v < N; v++) expect(values[v]).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('the trace of a spread', () => {
  const edges = fc.array(arrow, { maxLength: 30 })
  const seeds = fc.array(seed, { minLength: 1, maxLength: 4 })

  test('ends with what the spread gives, in both dimensions', () => {
    fc.assert(
      fc.property(edges, seeds, fc.boolean(), (it, from, causal) => {
        const graph = shelf(it)
        const values = (causal ? spreadCausal(graph, from) : spread(graph, from)).value
        const held = new Float64Array(N)
        for (const { node, relevance } of from) held[node] = Math.max(held[node], relevance)
        for (const { node, energy } of traceSpread(graph, from, { causal }).flat()) {
          expect(energy).toBeGreaterThan(held[node])
          held[node] = energy
        }
        for (let v = 0; v < N; v++) expect(held[v]).toBeCloseTo(values[v], 9)
      }),
    )
  })

  test('names for every arrival the edge that gave its energy', () => {
    fc.assert(
      fc.property(edges, seeds, (it, from) => {
        const graph = shelf(it)
        const held = new Map<number, number>()
        for (const { node, relevance } of from) held.set(node, Math.max(held.get(node) ?? 0, relevance))
        for (const hop of traceSpread(graph, from)) {
          for (const { energy, from, slot, against, node } of hop) {
            const source = sourceOf(graph, slot)
            expect(against ? [node, from] : [from, node]).toEqual([source, graph.out.targets[slot]])
            // the other pass may have brought more to where it came from
            expect((held.get(from) ?? 0) * graph.weights[slot] * 0.55).toBeGreaterThanOrEqual(energy - 1e-9)
          }
          for (const { node, energy } of hop) held.set(node, energy)
        }
      }),
    )
  })

  test('goes hop by hop', () => {
    const graph = graphOf([], arrows('a>b b>c d>a'))
    const hops = traceSpread(graph, seedsIn(graph, 'a 1')).map((hop) =>
      hop.map((it) => [labelOf(graph, it.from), labelOf(graph, it.node), it.energy, it.against]),
    )
    expect(hops).toEqual([
      [
        ['a', 'b', 0.55, false],
        ['a', 'd', 0.55, true],
      ],
      [['b', 'c', expect.closeTo(0.3025), false]],
    ])
  })

  test('an inhibitory edge brings nothing', () => {
    const edges = [...arrows('s>a'), { from: 's', to: 'b', relation: 'replaces', inhibitory: true }]
    const graph = graphOf([], edges)
    expect(
      traceSpread(graph, seedsIn(graph, 's 1'))
        .flat()
        .map((it) => labelOf(graph, it.node)),
    ).toEqual(['a'])
  })
})

function sourceOf(graph: Graph, slot: number): number {
  let v = 0
  while (graph.out.offsets[v + 1] <= slot) v++
  return v
}

describe('the heap gives up where it would be wrong', () => {
  test('at a hop that could strengthen a signal', () => {
    const graph = graphOf([], arrows('s>x', { weight: 2 }))
    expect(spreadByHeap(graph, seedsIn(graph, 's 0.5'))).toBeNull()
  })

  test('at an inhibitory edge', () => {
    const graph = graphOf([], [{ from: 's', to: 'x', relation: 'replaces', inhibitory: true }])
    expect(spreadByHeap(graph, seedsIn(graph, 's 0.5'))).toBeNull()
  })
})
