import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Graph } from '#graph/graph'
import { learnFromQuery } from '#plasticity/cycle'
import { DEFAULT, type EdgeLine, graphOf, LITERAL, scored, slotOf, weightOf } from '#plasticity/graph-for-tests'
import { emptyLearned, type Learned } from '#plasticity/learned'
import type { Rates } from '#plasticity/weights'

function ask(graph: Graph, learned: Learned, ranking: Record<string, number>, rates: Rates) {
  const ranked = scored(graph, ranking)
  return learnFromQuery(
    graph,
    learned,
    { text: 'till', agent: 'ann', time: 0, seeds: ranked.slice(0, 1), ranked },
    rates,
  )
}

function times(n: number, action: () => void): void {
  for (let i = 0; i < n; i++) action()
}

describe('literal policy', () => {
  test('edges between returned nodes grow, idle sources decay, an idle target changes nothing', () => {
    const graph = graphOf([
      ['a', 'imports', 'b', 0.5],
      ['a', 'imports', 'c', 0.4],
      ['d', 'imports', 'b', 0.6],
    ])
    const counts = ask(graph, emptyLearned(), { a: 0.8, b: 0.5 }, LITERAL)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.532, 6)
    expect(weightOf(graph, 'a', 'c')).toBeCloseTo(0.4, 6)
    expect(weightOf(graph, 'd', 'b')).toBeCloseTo(0.597, 6)
    expect(counts).toMatchObject({
      edges_strengthened: 1,
      edges_decayed: 1,
      ltp_events: 0,
      ltd_events: 0,
      homeostatic_rescales: 0,
    })
  })

  test('an edge grows by the product of both activations', () => {
    for (const [a, b, gain] of [
      [0.8, 0.8, 0.0512],
      [0.8, 0.2, 0.0128],
    ]) {
      const graph = graphOf([['a', 'imports', 'b', 0.5]])
      ask(graph, emptyLearned(), { a, b }, LITERAL)
      expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.5 + gain, 6)
    }
  })

  test('decay takes half a percent', () => {
    const graph = graphOf([
      ['a', 'imports', 'b', 3],
      ['a', 'imports', 'c', 0.1],
    ])
    ask(graph, emptyLearned(), { b: 1 }, LITERAL)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(2.985, 6)
    expect(weightOf(graph, 'a', 'c')).toBeCloseTo(0.0995, 6)
  })

  test('the fifth idle query in a row brings the penalty, once', () => {
    const graph = graphOf([['a', 'imports', 'b', 0.5]])
    const learned = emptyLearned()
    times(4, () => ask(graph, learned, { b: 1 }, LITERAL))
    const fifth = ask(graph, learned, { b: 1 }, LITERAL)
    expect(fifth.ltd_events).toBe(1)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.337624, 5)
    times(20, () => expect(ask(graph, learned, { b: 1 }, LITERAL).ltd_events).toBe(0))
  })

  test('the fifth joint activation in a row brings the bonus, once', () => {
    const graph = graphOf([['a', 'imports', 'b', 0.5]])
    const learned = emptyLearned()
    times(4, () => ask(graph, learned, { a: 1, b: 1 }, LITERAL))
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.82, 5)
    expect(ask(graph, learned, { a: 1, b: 1 }, LITERAL).ltp_events).toBe(1)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(1.05, 5)
    times(20, () => expect(ask(graph, learned, { a: 1, b: 1 }, LITERAL).ltp_events).toBe(0))
  })

  test('an opposite event resets the run', () => {
    const graph = graphOf([['a', 'imports', 'b', 0.5]])
    const learned = emptyLearned()
    times(4, () => ask(graph, learned, { a: 1, b: 1 }, LITERAL))
    ask(graph, learned, { b: 1 }, LITERAL)
    times(4, () => expect(ask(graph, learned, { a: 1, b: 1 }, LITERAL).ltp_events).toBe(0))
  })

  test('by decay alone an edge of weight 1 reaches the floor after 598 queries, with the penalty after 565', () => {
    for (const [ltdCountsPassiveDecay, queries] of [
      [false, 598],
      [true, 565],
    ] as const) {
      const graph = graphOf([['a', 'imports', 'b', 1]])
      const learned = emptyLearned()
      const rates = { ...LITERAL, ltdCountsPassiveDecay }
      times(queries - 1, () => ask(graph, learned, { b: 1 }, rates))
      expect(weightOf(graph, 'a', 'b')).toBeGreaterThan(0.05 + 1e-6)
      ask(graph, learned, { b: 1 }, rates)
      expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.05, 6)
    }
  })

  test('in-edges are scaled to a sum of 5, also where nothing grew, and not again', () => {
    const ten = Array.from({ length: 10 }, (_, i): EdgeLine => [`clerk${i}`, 'imports', 'till', 1])
    const graph = graphOf([
      ...ten,
      ['ann', 'imports', 'desk', 2.5],
      ['ben', 'imports', 'desk', 2],
      ['cleo', 'imports', 'desk', 1.5],
    ])
    const learned = emptyLearned()
    const everyone: Record<string, number> = Object.fromEntries([
      ...ten.map(([clerk]) => [clerk, 0]),
      ['ann', 0],
      ['ben', 0],
      ['cleo', 0],
    ])
    expect(ask(graph, learned, everyone, LITERAL).homeostatic_rescales).toBe(2)
    for (const [clerk] of ten) expect(weightOf(graph, clerk, 'till')).toBeCloseTo(0.5, 6)
    expect(weightOf(graph, 'ann', 'desk')).toBeCloseTo(2.083333, 6)
    expect(weightOf(graph, 'ben', 'desk')).toBeCloseTo(1.666667, 6)
    expect(weightOf(graph, 'cleo', 'desk')).toBeCloseTo(1.25, 6)
    expect(ask(graph, learned, everyone, LITERAL).homeostatic_rescales).toBe(0)
  })

  test('agrees with a slow version that applies every step to every edge', () => {
    fc.assert(
      fc.property(
        shops,
        fc.array(rankings, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        (lines, queries, ltdCountsPassiveDecay) => {
          const rates = { ...LITERAL, ltdCountsPassiveDecay }
          const graph = graphOf(lines)
          const slow = slowCopy(graph)
          const learned = emptyLearned()
          for (const ranking of queries) {
            const known = Object.fromEntries(
              Object.entries(ranking).filter(([key]) => lines.some((it) => it[0] === key || it[2] === key)),
            )
            const counts = ask(graph, learned, known, rates)
            expect(counts).toEqual(slowCycle(graph, slow, known, rates))
            graph.weights.forEach((weight, slot) => expect(weight).toBeCloseTo(slow[slot].weight, 5))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('weights stay within bounds and in-edges under their ceiling', () => {
    fc.assert(
      fc.property(
        shops,
        fc.array(rankings, { minLength: 1, maxLength: 40 }),
        fc.constantFrom(LITERAL, DEFAULT),
        (lines, queries, rates) => {
          const graph = graphOf(lines)
          const learned = emptyLearned()
          for (const ranking of queries) {
            const known = Object.fromEntries(
              Object.entries(ranking).filter(([key]) => lines.some((it) => it[0] === key || it[2] === key)),
            )
            ask(graph, learned, known, rates)
          }
          const sums = new Float64Array(graph.nNodes)
          const ingest = new Float64Array(graph.nNodes)
          graph.out.targets.forEach((v, slot) => {
            expect(graph.weights[slot]).toBeGreaterThan(0)
            expect(graph.weights[slot]).toBeLessThanOrEqual(3)
            sums[v] += graph.weights[slot]
            ingest[v] += graph.ingestWeights[slot]
          })
          sums.forEach((sum, v) =>
            expect(sum).toBeLessThanOrEqual((rates === LITERAL ? 5 : Math.max(5, ingest[v] * 1.2)) + 1e-5),
          )
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('default policy', () => {
  test('what no query touches keeps its weight, whatever else is asked', () => {
    const graph = graphOf([
      ['a', 'imports', 'b', 0.5],
      ['c', 'imports', 'd', 0.5],
      ...Array.from({ length: 10 }, (_, i): EdgeLine => [`clerk${i}`, 'imports', 'till', 1]),
    ])
    const before = graph.weights.slice()
    const learned = emptyLearned()
    times(1000, () => ask(graph, learned, { a: 1, b: 1 }, DEFAULT))
    const changed = [...graph.weights.keys()].filter((slot) => graph.weights[slot] !== before[slot])
    expect(changed).toEqual([slotOf(graph, 'a', 'b')])
  })

  test('being shown adds little, and any number of times is less than one feedback', () => {
    const graph = graphOf([['a', 'imports', 'b', 0.5]])
    const learned = emptyLearned()
    ask(graph, learned, { a: 1, b: 1 }, DEFAULT)
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.508, 6)
    times(1000, () => ask(graph, learned, { a: 1, b: 1 }, DEFAULT))
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.525, 6)
  })

  test('what was learned relaxes to half after 1000 idle queries and is forgotten in the end', () => {
    const graph = graphOf([
      ['a', 'imports', 'b', 0.5],
      ['c', 'imports', 'd', 0.5],
    ])
    const learned = emptyLearned()
    graph.weights[slotOf(graph, 'a', 'b')] = 0.7
    graph.weights[slotOf(graph, 'c', 'd')] = 0.3
    times(1000, () => ask(graph, learned, { b: 1 }, DEFAULT))
    expect(weightOf(graph, 'a', 'b')).toBeCloseTo(0.6, 3)
    expect(weightOf(graph, 'c', 'd')).toBeCloseTo(0.4, 3)
    times(8000, () => ask(graph, learned, { b: 1 }, DEFAULT))
    expect(weightOf(graph, 'a', 'b')).toBe(0.5)
    expect(weightOf(graph, 'c', 'd')).toBe(0.5)
  })

  test('what is in use does not relax', () => {
    const graph = graphOf([['a', 'imports', 'b', 0.5]])
    const learned = emptyLearned()
    graph.weights[slotOf(graph, 'a', 'b')] = 0.75
    times(1000, () => ask(graph, learned, { a: 0.4 }, DEFAULT))
    expect(weightOf(graph, 'a', 'b')).toBe(0.75)
  })

  test('being shown does not make up for feedback that lowered an edge', () => {
    const graph = graphOf([['a', 'imports', 'b', 0.5]])
    graph.weights[slotOf(graph, 'a', 'b')] = 0.25
    times(100, () => ask(graph, emptyLearned(), { a: 1, b: 1 }, DEFAULT))
    expect(weightOf(graph, 'a', 'b')).toBe(0.25)
  })

  test('a suppressing edge does not grow by being shown', () => {
    const graph = graphOf([['a', 'replaces', 'b', 0.5]])
    ask(graph, emptyLearned(), { a: 1, b: 1 }, DEFAULT)
    expect(weightOf(graph, 'a', 'b', 'replaces')).toBe(0.5)
  })
})

test('the same queries give the same weights to the bit', () => {
  const run = (rates: Rates) => {
    const graph = graphOf([
      ['a', 'imports', 'b', 0.5],
      ['b', 'calls', 'c', 0.4],
      ['a', 'contains', 'a#Till', 1, true],
    ])
    const learned = emptyLearned()
    times(7, () => ask(graph, learned, { a: 0.9, b: 0.5 }, rates))
    times(3, () => ask(graph, learned, { b: 0.9, c: 0.5 }, rates))
    return graph.weights
  }
  for (const rates of [LITERAL, DEFAULT]) expect(run(rates)).toEqual(run(rates))
})

test('empty rankings and graphs without edges are no problem', () => {
  for (const rates of [LITERAL, DEFAULT]) {
    expect(ask(graphOf([]), emptyLearned(), {}, rates).edges_strengthened).toBe(0)
    const graph = graphOf([['a', 'imports', 'a', 0.5]])
    expect(() => ask(graph, emptyLearned(), { a: 1 }, rates)).not.toThrow()
  }
})

// a slow, obvious version of the literal policy

const people = ['ann', 'ben', 'cleo', 'dora', 'emil']
const shops = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom(...people),
      fc.constantFrom('imports', 'calls'),
      fc.constantFrom(...people),
      fc.integer({ min: 1, max: 30 }),
    )
    .map(([source, relation, target, tenths]): EdgeLine => [source, relation, target, tenths / 10]),
  { minLength: 1, maxLength: 14, selector: ([source, relation, target]) => `${source} ${relation} ${target}` },
)
const rankings = fc.dictionary(
  fc.constantFrom(...people),
  fc.integer({ min: 0, max: 10 }).map((it) => it / 10),
  { maxKeys: 4 },
)

interface SlowEdge {
  source: number
  target: number
  weight: number
  up: number
  down: number
  ltp: boolean
  ltd: boolean
}

function slowCopy(graph: Graph): SlowEdge[] {
  const edges: SlowEdge[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      edges.push({
        source: v,
        target: graph.out.targets[e],
        weight: graph.weights[e],
        up: 0,
        down: 0,
        ltp: false,
        ltd: false,
      })
    }
  }
  return edges
}

function slowCycle(graph: Graph, edges: SlowEdge[], ranking: Record<string, number>, rates: Rates) {
  const active = new Map(scored(graph, ranking).map((it): [number, number] => [it.node, it.score]))
  const counts = { edges_strengthened: 0, edges_decayed: 0, ltp_events: 0, ltd_events: 0, homeostatic_rescales: 0 }
  for (const edge of edges) {
    const source = active.get(edge.source)
    const target = active.get(edge.target)
    if (source === undefined || target === undefined) continue
    edge.weight = Math.min(edge.weight + rates.learningRate * source * target, 3)
    edge.up++
    edge.down = 0
    counts.edges_strengthened++
  }
  for (const edge of edges) {
    if (active.has(edge.source) || edge.weight <= 0.05 + 1e-9) continue
    const before = edge.weight
    edge.weight = Math.max(edge.weight * (1 - rates.decayRate), 0.05)
    if (before - edge.weight <= 1e-6) continue
    edge.up = 0
    if (rates.ltdCountsPassiveDecay) edge.down++
    counts.edges_decayed++
  }
  for (const edge of edges) {
    if (edge.up >= 5 && !edge.ltp) {
      edge.weight = Math.min(edge.weight + 0.15, 3)
      edge.ltp = true
      counts.ltp_events++
    }
    if (edge.down >= 5 && !edge.ltd) {
      edge.weight = Math.max(edge.weight - 0.15, 0.05)
      edge.ltd = true
      counts.ltd_events++
    }
  }
  for (let v = 0; v < graph.nNodes; v++) {
    const incoming = edges.filter((it) => it.target === v)
    const total = incoming.reduce((sum, it) => sum + it.weight, 0)
    if (total <= 5 + 1e-6) continue
    for (const it of incoming) it.weight *= 5 / total
    counts.homeostatic_rescales++
  }
  return counts
}
