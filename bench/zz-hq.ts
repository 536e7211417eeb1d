import { buildGraph } from '#graph/build'
import { buildSemantic, fastRankings } from '#query/semantic'
import { generateInput } from './generate.ts'
import { matchWords, parseFor, rerank } from '#query/seeds'
import { spread, spreadCausal, spreadByHeap, spreadByWavefront } from '#query/spread'
import { filterNoise, findAntiSeeds, sendPulses } from '#query/xlr'
import { poolOf } from '#query/node-values'
import { blend } from '#query/blend'
const n = Number(process.argv[2])
const graph = buildGraph(generateInput({ nodes: n, edges: 4*n, seed: 1 }))
const semantic = buildSemantic(graph)
const Q = ['session','payment','renderTemplate','session pool management','how does a user cancel a reservation','validate invoice address before sending','errr in conection pool']
const T: Record<string, number[]> = {}
const t = <R>(name: string, f: () => R): R => { const s = performance.now(); const r = f(); (T[name] ??= []).push(performance.now()-s); return r }
for (let r = 0; r < 15; r++) for (const q of Q) {
  const parsed = t('parse', () => parseFor(semantic, q))
  const m = t('match', () => matchWords(graph, semantic, parsed, 300))
  const [a, b] = t('fast', () => fastRankings(graph, semantic, q, [300, 100]))
  const seeds = t('rerank', () => rerank(graph, m, a, 100))
  const pool = poolOf(graph, graph.nNodes)
  const d1 = t('spread', () => spread(graph, seeds))
  const w = t('wavefront', () => spreadByWavefront(graph, seeds))
  const h = t('heap', () => spreadByHeap(graph, seeds))
  const d4 = t('causal', () => spreadCausal(graph, seeds))
  const sem = pool.take(); for (const x of b) sem.set(x.node, x.score)
  const anti = t('anti', () => findAntiSeeds(graph, seeds, sem))
  const p = t('pulses', () => sendPulses(graph, seeds, anti))
  if (r===0) console.log(q, 'matched', m.length, 'seeds', seeds.length, 'd1', d1.count, 'd4', d4.count, 'anti', anti.length, 'hot', p.hot.count, 'cold', p.cold.count, p.truncated)
  pool.give(p.hot, p.cold)
  const f = t('filter', () => filterNoise(graph, seeds, { semantic: sem, gate: 'seed', hubImmunity: false }))
  t('blend', () => blend(graph, [d1, sem, null, d4], { boosts: new Map(), topK: 20 }))
  if (f) pool.give(f.values)
  pool.give(d1, w, d4, sem); if (h) pool.give(h)
}
for (const [k, v] of Object.entries(T)) { v.sort((a,b)=>a-b); console.log(k.padEnd(12), v[Math.floor(v.length*.1)].toFixed(2), v[v.length>>1].toFixed(2), v[Math.floor(v.length*.95)].toFixed(2)) }
import { ngramTop } from '#query/semantic'
import { addSimilar } from '#query/cooccurrence'
for (const q of Q) {
  const ts: number[] = [], cs: number[] = []
  let reach = 0
  for (let r = 0; r < 30; r++) {
    let s = performance.now(); const top = ngramTop(graph, semantic, q, 900); ts.push(performance.now() - s)
    if (semantic.cooccurrence) { s = performance.now(); const pool = poolOf(graph, graph.nNodes); const c = pool.take(); for (const x of top.slice(0,3)) addSimilar(semantic.cooccurrence, x.node, 1, c); reach = c.count; pool.give(c); cs.push(performance.now() - s) }
  }
  ts.sort((a,b)=>a-b); cs.sort((a,b)=>a-b)
  console.log(q, 'ngram', ts[15].toFixed(2), 'cooc', (cs[15]??0).toFixed(2), reach)
}
console.log(semantic.names.text.count, semantic.names.grams.length, semantic.names.postingNames.length)
