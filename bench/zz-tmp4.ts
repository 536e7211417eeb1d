import { generateInput } from './generate.ts'
import { buildGraph } from '#graph/build'
const input = generateInput({ nodes: 100000, edges: 400000, seed: 1 })
for (let i = 0; i < 12; i++) { const t = performance.now(); buildGraph(input); console.log(performance.now() - t) }
