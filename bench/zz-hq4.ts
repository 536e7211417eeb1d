import { buildGraph } from '#graph/build'
import { buildSemantic } from '#query/semantic'
import { findSeedsSemantic } from '#query/seeds'
import { generateInput } from './generate.ts'
const n = Number(process.argv[2])
const graph = buildGraph(generateInput({ nodes: n, edges: 4*n, seed: 1 }))
const sem = buildSemantic(graph)
const seeds = findSeedsSemantic(graph, sem, 'session pool management', 100)
console.log('relevance', seeds[0].relevance, seeds[99].relevance)
for (const fwd of [true, false]) {
  const { offsets, targets } = fwd ? graph.out : graph.in
  let standing = new Map<number, number>(seeds.map(s => [s.node, s.relevance]))
  for (let hop = 0; hop < 5; hop++) {
    let looks = 0, low = 0, pulses = 0, lowlooks = 0, useless = 0
    const next = new Map<number, number>()
    for (const [v, s] of standing) {
      const d = offsets[v+1]-offsets[v]; looks += d
      if (s < 0.0727) { low++; lowlooks += d }
      let any = 0
      for (let i = offsets[v]; i < offsets[v+1]; i++) { const e = fwd ? i : graph.in.slots[i]; const p = s*graph.weights[e]*.55; if (p >= .04) { pulses++; any++; next.set(targets[i], (next.get(targets[i])??0)+p) } }
      if (!any) useless += d
    }
    console.log(fwd, hop, 'standing', standing.size, 'looks', looks, 'low', low, lowlooks, 'useless', useless, 'pulses', pulses)
    standing = next
  }
}
