import { buildGraph } from '#graph/build'
import { buildCoChange } from '#query/cochange'
import { buildNames } from '#query/names'
import { buildCooccurrence } from '#query/cooccurrence'
import { generateInput } from './generate.ts'
for (const n of [20000, 100000]) {
  const graph = buildGraph(generateInput({ nodes: n, edges: 4*n, seed: 1 }))
  for (let i = 0; i < 3; i++) {
    let c = process.cpuUsage(); buildCoChange(graph, []); c = process.cpuUsage(c); console.log(n, 'cochange cpu', (c.user/1000).toFixed(0))
    c = process.cpuUsage(); buildNames(graph); c = process.cpuUsage(c); console.log(n, 'names cpu', (c.user/1000).toFixed(0))
    c = process.cpuUsage(); buildCooccurrence(graph); c = process.cpuUsage(c); console.log(n, 'cooc cpu', (c.user/1000).toFixed(0))
  }
}
