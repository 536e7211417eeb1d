import { describe, expect, test } from 'vitest'
import type { Graph, NodeId } from '#graph/graph'
import { arrows, graphOf } from '#query/graph-for-tests'
import { recordSpread, spreadByWavefront } from '#query/spread'
import { spreadWithout } from '#query/spread-without'
import { Random } from '#std/random'

/** A spread on the graph with weight 0 at every edge of a removed node. */
function spreadAnew(graph: Graph, seed: NodeId, gone: ReadonlySet<NodeId>): Float64Array {
  const weights = graph.weights.slice()
  for (const v of gone) {
    weights.fill(0, graph.out.offsets[v], graph.out.offsets[v + 1])
    for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) weights[graph.in.slots[i]] = 0
  }
  return spreadByWavefront({ ...graph, weights }, [{ node: seed, relevance: 1 }]).value
}

function randomGraph(random: Random, nNodes: number, nEdges: number): Graph {
  const names = Array.from({ length: nNodes }, (_, i) => `n${i}`)
  // few different weights, so that equal arrivals are common; some let a signal grow
  const weights = [0.1, 0.3, 0.3, 0.5, 0.5, 1, 1.9, 3]
  const edges = Array.from({ length: nEdges }, () => ({
    from: names[random.below(nNodes)],
    to: names[random.below(nNodes)],
    weight: weights[random.below(weights.length)],
    bidirectional: random.below(3) === 0,
  }))
  return graphOf(names, edges)
}

describe('what is left of a spread without some nodes', () => {
  test('is what spreads on a graph that never had them', () => {
    const random = new Random(11)
    let compared = 0
    for (let round = 0; round < 300; round++) {
      const nNodes = 5 + random.below(60)
      const graph = randomGraph(random, nNodes, nNodes + random.below(nNodes))
      const seed = random.below(nNodes)
      const gone = new Set(Array.from({ length: 1 + random.below(3) }, () => random.below(nNodes)))
      gone.delete(seed)
      const isGone = new Uint8Array(nNodes)
      for (const v of gone) isGone[v] = 1
      const recorded = recordSpread(graph, seed)
      expect(recorded.values.value).toEqual(spreadByWavefront(graph, [{ node: seed, relevance: 1 }]).value)
      const changed = spreadWithout(graph, recorded, { nodes: gone, isGone })
      if (changed === null) throw new Error('too much changed')
      const anew = spreadAnew(graph, seed, gone)
      for (let v = 0; v < nNodes; v++) {
        if (isGone[v] === 0) expect(changed.get(v) ?? recorded.values.value[v]).toBe(anew[v])
      }
      compared += changed.size > 0 ? 1 : 0
    }
    expect(compared).toBeGreaterThan(100)
  })

  test('is not worked out where most of it changes, or where something inhibits', () => {
    const leaves = Array.from({ length: 12_000 }, (_, i) => `hub>leaf${i}`)
    const star = graphOf([], arrows(`seed>hub ${leaves.join(' ')}`))
    const isGone = Uint8Array.from({ length: star.nNodes }, (_, v) => (v === 1 ? 1 : 0))
    expect(spreadWithout(star, recordSpread(star, 0), { nodes: [1], isGone })).toBeNull()
    const inhibited = graphOf([], [...arrows('a>b'), ...arrows('b>c', { inhibitory: true })])
    const none = { nodes: [1], isGone: Uint8Array.of(0, 1, 0) }
    expect(spreadWithout(inhibited, recordSpread(inhibited, 0), none)).toBeNull()
  })
})
