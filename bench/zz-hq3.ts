import { buildGraph } from '#graph/build'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'
import { generateInput } from './generate.ts'
const n = Number(process.argv[2])
const graph = buildGraph(generateInput({ nodes: n, edges: 4*n, seed: 1 }))
const indexes = { semantic: buildSemantic(graph), cochange: buildCoChange(graph, []) }
const Q = ['session','payment','renderTemplate','session pool management','how does a user cancel a reservation','validate invoice address before sending','errr in conection pool']
const run = (query: string) => activate(graph, indexes, { query, topK: 20, dimensions: DIMENSIONS, xlr: true, gate: 'seed', hubImmunity: false, ghostEdges: true, holes: false, boosts: new Map(), nowSeconds: 1.7e9 })
for (let i = 0; i < 10; i++) for (const q of Q) run(q)
const c = process.cpuUsage()
for (let i = 0; i < 40; i++) for (const q of Q) run(q)
const d = process.cpuUsage(c)
console.log('mean cpu per query', ((d.user + d.system)/1000/280).toFixed(2))
