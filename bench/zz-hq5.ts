import { buildGraph } from '#graph/build'
import { ingest } from '#ingest/ingest'
import { buildCoChange, coChangeOf } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'
import { keyOf, tagsOf } from '#graph/graph'
const root = process.argv[2]
const got = await ingest({ root, parallelism: 2 }, { signal: new AbortController().signal, progress: () => {} })
const graph = buildGraph(got.input)
let s = performance.now()
const semantic = buildSemantic(graph); console.log('semantic', performance.now() - s); s = performance.now()
const cochange = buildCoChange(graph, got.groups); console.log('cochange', performance.now() - s, got.groups.length, cochange.nodes.length)
console.log(graph.nNodes, graph.nEdges)
for (const query of process.argv.slice(3)) for (const xlr of [true, false]) {
  s = performance.now()
  const a = activate(graph, { semantic, cochange }, { query, topK: 10, dimensions: DIMENSIONS, xlr, gate: 'seed', hubImmunity: false, ghostEdges: true, holes: true, boosts: new Map(), nowSeconds: Date.now()/1000 })
  console.log('\n##', query, 'xlr', xlr, (performance.now() - s).toFixed(1), 'ms active', a.totalActive, 'skipped', a.xlrSkipped, 'trunc', a.xlrTruncated, a.note)
  console.log('seeds', a.seeds.slice(0, 6).map(x => keyOf(graph, x.node) + ' ' + x.relevance.toFixed(2)).join(' | '))
  for (const r of a.ranked) console.log(r.score.toFixed(3), r.dims.map(x => x.toFixed(2)).join(' '), keyOf(graph, r.node))
  if (xlr) { for (const h of a.holes.slice(0,6)) console.log('hole', h.kind, h.id, h.label, h.reason); for (const g of a.ghosts.slice(0,3)) console.log('ghost', keyOf(graph, g.source), keyOf(graph, g.target), g.shared.join(), g.strength.toFixed(2)) }
}
const v = graph.strings.count; void v; void tagsOf; void coChangeOf
process.exit(0)
