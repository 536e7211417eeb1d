import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Graph, INHIBITORY } from '#graph/graph'
import { arrows, byLabel, graphOf, labelIn, nodeIn } from '#query/graph-for-tests'
import { NodeValues } from '#query/node-values'
import { sendPulses } from '#query/pulses'
import type { Seed } from '#query/seeds'
import { spread } from '#query/spread'
import { filterNoise, findAntiSeeds, sigmoid } from '#query/xlr'

const OPTIONS = { gate: 'seed', hubImmunity: false } as const
const none = (graph: Graph) => new NodeValues(graph.nNodes)

/** A payment, a configuration that everything uses, and two unrelated circles. */
const shop = graphOf(
  ['pay', 'bill', 'inv', 'cfg'],
  arrows(
    'pay>bill pay>cfg bill>inv bill>cfg inv>cfg u1>u2 u2>u3 u3>u4 u4>u1 u5>u6 u6>u7 u7>u8 u8>u5 ' +
      'u1>cfg u2>cfg u3>cfg u4>cfg u5>cfg u6>cfg u7>cfg u8>cfg',
  ),
)
const pay: Seed[] = [{ node: 0, relevance: 1 }]

test('the gate', () => {
  const gate = (raw: number) => sigmoid(6 * raw)
  for (const [raw, expected] of [
    [-1, 0.002473],
    [-0.5, 0.047426],
    [-0.1, 0.354344],
    [0, 0.5],
    [0.03, 0.544879],
    [0.1, 0.645656],
    [0.5, 0.952574],
    [0.73, 0.98763],
    [1, 0.997527],
  ]) {
    expect(gate(raw)).toBeCloseTo(expected, 5)
  }
  expect(sigmoid(-1000)).toBeCloseTo(2.06e-9, 11)
})

describe('a hub that everything uses', () => {
  test('would rank with the nearest node by plain spreading', () => {
    expect(byLabel(shop, spread(shop, pay))).toMatchObject({ cfg: 0.55, bill: 0.55 })
  })

  test('anti-seeds come from elsewhere', () => {
    expect(findAntiSeeds(shop, pay, none(shop)).map((v) => labelIn(shop, v))).toEqual(['u1', 'u2', 'u3'])
  })

  test('pulses of both channels meet at it', () => {
    const { hot, cold, truncated } = sendPulses(shop, pay, [4, 5, 6])
    const cfg = nodeIn(shop, 'cfg')
    expect(hot.value[cfg]).toBeCloseTo(1.018875, 5)
    expect(cold.value[cfg]).toBeCloseTo(3.482129, 5)
    expect(hot.value[0]).toBe(1)
    expect(truncated).toBe(false)
  })

  test('is dropped, and the rest passes by its density', () => {
    const found = filterNoise(shop, pay, { ...OPTIONS, semantic: none(shop) })
    if (found === null) throw new Error('there are anti-seeds')
    const gates = byLabel(shop, found.values)
    expect(Object.keys(gates).sort()).toEqual(['bill', 'inv', 'pay'])
    expect(gates.pay).toBeCloseTo(0.968586, 5)
    expect(gates.bill).toBeCloseTo(0.9442, 4)
    expect(gates.inv).toBeCloseTo(0.738298, 5)
    expect(found).toMatchObject({ fallbackUsed: false, truncated: false })
  })

  test('stays when hubs near the seeds are immune', () => {
    const found = filterNoise(shop, pay, { ...OPTIONS, hubImmunity: true, semantic: none(shop) })
    expect(found && byLabel(shop, found.values)).toHaveProperty('cfg')
  })

  test('the rescaled gate gives 0 where the plain one is undecided', () => {
    const found = filterNoise(shop, pay, { ...OPTIONS, gate: 'rescaled', semantic: none(shop) })
    expect(found && byLabel(shop, found.values).inv).toBeCloseTo(2 * 0.738298 - 1, 5)
  })
})

test('what the question itself names is no anti-seed', () => {
  const semantic = none(shop)
  for (const label of ['u1', 'u2', 'u3', 'u4']) semantic.set(nodeIn(shop, label), 0.5)
  expect(findAntiSeeds(shop, pay, semantic).map((v) => labelIn(shop, v))).toEqual(['u5', 'u6', 'u7'])
})

test('without anti-seeds there is no filter', () => {
  const pair = graphOf([], arrows('a>b'))
  expect(filterNoise(pair, pay, { ...OPTIONS, semantic: none(pair) })).toBeNull()
  const lonely = graphOf(['a', 'b'])
  expect(filterNoise(lonely, pay, { ...OPTIONS, semantic: none(lonely) })).toBeNull()
})

test('when nothing passes the gate the hot amplitudes come back', () => {
  // a faint seed that stays undecided is cut by the rescaled gate
  const graph = graphOf([], arrows('a>b b>c x>y y>z z>x p>q q>r r>p'))
  const faint = [{ node: nodeIn(graph, 'a'), relevance: 0.003 }]
  const found = filterNoise(graph, faint, { ...OPTIONS, gate: 'rescaled', semantic: none(graph) })
  expect(found).toMatchObject({ fallbackUsed: true })
  const strong = [{ node: nodeIn(graph, 'a'), relevance: 1 }]
  expect(filterNoise(graph, strong, { ...OPTIONS, gate: 'rescaled', semantic: none(graph) })).toMatchObject({
    fallbackUsed: false,
  })
})

test('a flood of pulses stops at the budget and says so', () => {
  const nodes = Array.from({ length: 200 }, (_, i) => `n${i}`)
  const edges = nodes.flatMap((from, i) => nodes.slice(i + 1).map((to) => ({ from, to, weight: 2 })))
  const graph = graphOf(nodes, edges)
  expect(sendPulses(graph, [{ node: 0, relevance: 1 }], [1]).truncated).toBe(true)
})

/** Every pulse on its own: (node, predecessor) per hop. */
function slowAmplitudes(graph: Graph, origins: readonly Seed[]): Float64Array {
  const sums = new Float64Array(graph.nNodes)
  for (const { node, relevance } of origins) sums[node] += relevance
  for (const forward of [true, false]) {
    const { offsets, targets } = forward ? graph.out : graph.in
    let standing = new Map<number, Map<number, number>>()
    for (const { node, relevance } of origins)
      standing.set(node, new Map([[-1, relevance + (standing.get(node)?.get(-1) ?? 0)]]))
    for (let hop = 0; hop < 5; hop++) {
      const next = new Map<number, Map<number, number>>()
      for (const [v, pulses] of standing) {
        for (let i = offsets[v]; i < offsets[v + 1]; i++) {
          const u = targets[i]
          const e = forward ? i : graph.in.slots[i]
          let sum = 0
          for (const [from, amplitude] of pulses) if (from !== u) sum += amplitude
          const passed = sum * graph.weights[e] * 0.55 * ((graph.flags[e] & INHIBITORY) !== 0 ? 0.5 : 1)
          if (passed < 0.04 || u === v) continue
          sums[u] += passed
          const at = next.get(u) ?? new Map<number, number>()
          next.set(u, at.set(v, (at.get(v) ?? 0) + passed))
        }
      }
      standing = next
    }
  }
  return sums
}

test('summed pulses agree with pulses followed one by one', () => {
  const node = fc.integer({ min: 0, max: 9 })
  const edge = fc.record({
    from: node.map((it) => `n${it}`),
    to: node.map((it) => `n${it}`),
    relation: fc.constantFrom('calls', 'replaces'),
    weight: fc.constantFrom(0.3, 0.7, 1, 2),
    bidirectional: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(edge, { maxLength: 25 }),
      fc.uniqueArray(node, { minLength: 1, maxLength: 3 }),
      (edges, origins) => {
        const graph = graphOf(
          Array.from({ length: 10 }, (_, i) => `n${i}`),
          edges.map((it) => ({ ...it, inhibitory: it.relation === 'replaces' })),
        )
        const seeds = origins.map((it, i) => ({ node: it, relevance: 1 - i * 0.2 }))
        const { hot } = sendPulses(graph, seeds, [])
        const slow = slowAmplitudes(graph, seeds)
        for (let v = 0; v < 10; v++) expect(hot.value[v]).toBeCloseTo(slow[v], 6)
      },
    ),
  )
})
