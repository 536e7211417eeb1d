import { generateInput } from './generate.ts'
import { buildGraph, toInput } from '#graph/build'
import { encodeSections, decodeSections, graphColumns, graphFromColumns } from '#graph/snapshot'
import { metaToJson } from '#graph/meta'
import { writeJson, readJson } from '#graph/json'
import { carryLearning } from '#graph/carry'
import { nearestKeys, nodeByKey, resolveNode, nodesByLabel, childrenOf } from '#graph/lookup'
import { keyOf, labelOf } from '#graph/graph'
import { readFileSync, writeFileSync } from 'node:fs'
const n = Number(process.argv[2] ?? 100000), m = Number(process.argv[3] ?? 400000)
const time = <T>(name: string, f: () => T): T => { const t = performance.now(); const r = f(); console.log(name.padEnd(22), (performance.now() - t).toFixed(1), 'ms'); return r }
const input = time('generate', () => generateInput({ nodes: n, edges: m, seed: 1 }))
console.log(input.nodes.length, input.edges.length)
let g = time('build', () => buildGraph(input))
if (n <= 200000) { for (let i = 0; i < 3; i++) g = time('build again', () => buildGraph(input)) }
console.log(g.nNodes, g.nEdges, g.nLogical, g.strings.count, g.strings.bytes.length)
const parts = time('encode', () => encodeSections({ meta: metaToJson(g.meta) }, graphColumns(g)))
const total = parts.reduce((s, p) => s + p.length, 0); console.log('MB', total / 1e6)
const all = Buffer.concat(parts); writeFileSync('/tmp/g.bin', all)
const bytes = time('read file', () => readFileSync('/tmp/g.bin'))
const g2 = time('decode', () => { const { header, columns } = decodeSections(bytes); return graphFromColumns(columns, header.meta) })
time('decode again', () => { const { header, columns } = decodeSections(bytes); return graphFromColumns(columns, header.meta) })
time('first key', () => nodeByKey(g2, input.nodes[n - 1].key))
time('first label', () => nodesByLabel(g2, input.nodes[n - 1].label))
time('children', () => childrenOf(g2, 0))
time('resolve miss', () => resolveNode(g2, 'file::nonexistent.py'))
time('resolve base', () => console.log(resolveNode(g2, labelOf(g2, 5))))
time('nearest', () => console.log(nearestKeys(g2, 'order_sesion_12.py', 3)))
time('nearest', () => nearestKeys(g2, 'order_sesion_12.py', 3))
time('all labels', () => { let s = 0; for (let v = 0; v < n; v++) s += labelOf(g2, v).length; return s })
time('all keys', () => { let s = 0; for (let v = 0; v < n; v++) s += keyOf(g2, v).length; return s })
time('toInput', () => toInput(g2))
time('carry none', () => carryLearning(g2, g))
if (n <= 200000) {
for (let e = 0; e < g2.nEdges; e++) g2.strengthened[e] = 1
time('carry all', () => console.log(carryLearning(g2, g)))
let json = ''
time('writeJson', () => { let c = 0; for (const p of writeJson(g)) { c += p.length; json += p } return c })
console.log('json MB', json.length / 1e6)
const v = time('JSON.parse', () => JSON.parse(json))
time('readJson', () => readJson(v))
}
