import { describe, expect, test } from 'vitest'
import { type Graph, keyOf } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { learnFromQuery } from '#plasticity/cycle'
import { fromJson, toJson } from '#plasticity/exchange'
import { learnFromFeedback } from '#plasticity/feedback'
import { DEFAULT, type EdgeLine, graphOf, LITERAL, scored, slotOf, weightOf } from '#plasticity/graph-for-tests'
import { emptyLearned, type Learned, recall } from '#plasticity/learned'

const lines: EdgeLine[] = [
  ['shop', 'imports', 'till', 0.5],
  ['till', 'calls', 'bank', 0.4],
  ['shop', 'contains', 'shop#open', 1, true],
  ['door', 'imports', 'hall', 0.5],
]

function taught(graph: Graph): Learned {
  const learned = emptyLearned()
  const ranked = scored(graph, { shop: 0.9, till: 0.8 })
  learnFromQuery(
    graph,
    learned,
    { text: 'Open the till', agent: 'ann', time: 5, seeds: scored(graph, { till: 1 }), ranked },
    LITERAL,
  )
  const nodes = [nodeByKey(graph, 'shop'), nodeByKey(graph, 'till')]
  const seeds = scored(graph, { till: 1 })
  learnFromFeedback(
    graph,
    learned,
    { kind: 'correct', text: 'till', agent: 'ann', time: 6, nodes, seeds, activated: [], strength: 0.2, grade: 1 },
    DEFAULT,
  )
  return learned
}

function columns(graph: Graph): Map<string, number[]> {
  const byName = new Map<string, number[]>()
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const { weights, ingestWeights, strengthened, weakened, strengthenRun, weakenRun, marks } = graph
      const name = `${keyOf(graph, v)} ${graph.relations[e]} ${keyOf(graph, graph.out.targets[e])}`
      byName.set(name, [
        weights[e],
        ingestWeights[e],
        strengthened[e],
        weakened[e],
        strengthenRun[e],
        weakenRun[e],
        marks[e],
      ])
    }
  }
  return byName
}

test('weights, original weights and counters come back on a graph that was built anew', () => {
  const graph = graphOf(lines)
  const json = JSON.stringify(toJson(taught(graph), graph, 7))
  const again = graphOf(lines)
  const { applied, unmatched, warnings, learned } = fromJson(json, again)
  expect({ applied, unmatched, warnings }).toEqual({ applied: 4, unmatched: 0, warnings: [] })
  expect(columns(again)).toEqual(columns(graph))
  expect(toJson(learned, again, 7)).toEqual(JSON.parse(json))
})

test('query memory survives by key where ids have moved', () => {
  const graph = graphOf(lines)
  const json = toJson(taught(graph), graph)
  const moved = graphOf([['attic', 'imports', 'roof', 0.5], ...lines.toReversed()])
  const { learned } = fromJson(json, moved)
  expect(nodeByKey(moved, 'till')).not.toBe(nodeByKey(graph, 'till'))
  expect(recall(moved, learned, 'open  THE till')).toEqual({
    seeds: scored(moved, { till: 1 }),
    activated: scored(moved, { shop: 0.9, till: 0.8 }),
  })
})

test('only edges that differ from ingest are written', () => {
  const graph = graphOf(lines)
  expect(toJson(emptyLearned(), graph).states).toEqual([])
  const [state] = toJson(taught(graph), graph).states
  expect(state).toMatchObject({
    source_label: 'shop',
    target_label: 'till',
    relation: 'imports',
    original_weight: 0.5,
    strengthen_count: 2,
  })
})

test('records without their edge are counted, a wrong relation is a miss', () => {
  const graph = graphOf(lines)
  const json = toJson(taught(graph), graph)
  const fewer = graphOf([
    ['shop', 'imports', 'till', 0.5],
    ['till', 'references', 'bank', 0.4],
  ])
  const { applied, unmatched, warnings } = fromJson(json, fewer)
  expect({ applied, unmatched }).toEqual({ applied: 1, unmatched: 3 })
  expect(warnings).toHaveLength(1)
  expect(weightOf(fewer, 'till', 'bank', 'references')).toBeCloseTo(0.4, 6)
})

test('a file of another project changes nothing and is warned about', () => {
  const graph = graphOf(lines)
  const json = toJson(taught(graph), graph)
  const other = graphOf([['sea', 'imports', 'ship', 0.5]])
  const { learned, warnings } = fromJson(json, other)
  expect(warnings[0]).toContain('another project')
  expect(learned).toEqual(emptyLearned())
  expect(weightOf(other, 'sea', 'ship')).toBe(0.5)
})

describe('plain arrays of records', () => {
  const record = {
    source_label: 'shop',
    target_label: 'till',
    relation: 'imports',
    original_weight: 0.5,
    current_weight: 0.9,
    strengthen_count: 3,
    weaken_count: 1,
    ltp_applied: true,
    ltd_applied: false,
  }

  test('are read as well', () => {
    const graph = graphOf(lines)
    const { applied } = fromJson([record], graph)
    const slot = slotOf(graph, 'shop', 'till')
    expect(applied).toBe(1)
    expect(graph.weights[slot]).toBeCloseTo(0.9, 6)
    expect([graph.strengthened[slot], graph.weakened[slot], graph.marks[slot]]).toEqual([3, 1, 1])
  })

  test('weights are kept within bounds, and one that is not a number becomes the original', () => {
    for (const [given, wanted] of [
      [9, 3],
      [0.001, 0.05],
      [null, 0.5],
      [Number.NaN, 0.5],
    ]) {
      const graph = graphOf(lines)
      fromJson([{ ...record, current_weight: given }], graph)
      expect(weightOf(graph, 'shop', 'till')).toBeCloseTo(wanted ?? 0, 6)
    }
  })

  test('the original weight is restored, so that drift outlives a restart', () => {
    const graph = graphOf(lines)
    fromJson([{ ...record, original_weight: 0.6 }], graph)
    expect(graph.ingestWeights[slotOf(graph, 'shop', 'till')]).toBeCloseTo(0.6, 6)
  })
})

test.each([
  ['{ "version": 1,', 'not JSON'],
  ['7', 'not an object'],
  ['{"version": 99, "states": []}', 'version 99'],
  ['{"version": 1}', 'states is not a list'],
  ['[{"source_label": "shop"}]', 'states[0].target_label is not a text'],
  ['{"version": 1, "states": [], "query_memory": [{"text": 3}]}', 'query_memory[0]'],
  ['{"version": 1, "states": [], "journal": [{"kind": "rumour"}]}', 'journal[0].kind'],
])('%s is refused with its reason and the graph stays as it is', (json, reason) => {
  const graph = graphOf(lines)
  expect(() => fromJson(json, graph)).toThrow(reason)
  expect([...graph.weights]).toEqual([...graphOf(lines).weights])
})
