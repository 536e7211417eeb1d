import { generateInput } from './generate.ts'
import { buildGraph } from '#graph/build'
import { expand, reverse } from '#graph/build/edges'
import { pageRank } from '#graph/pagerank'
import { StringsBuilder } from '#graph/strings'
const input = generateInput({ nodes: 100000, edges: 400000, seed: 1 })
const best = (name: string, f: () => unknown) => { let b = 1e9; for (let i = 0; i < 7; i++) { const t = performance.now(); f(); b = Math.min(b, performance.now() - t) } console.log(name.padEnd(20), b.toFixed(1)) }
best('intern keys', () => { const s = new StringsBuilder(); for (const n of input.nodes) s.intern(n.key) })
best('map keys', () => { const s = new Map<string, number>(); for (const n of input.nodes) s.set(n.key, s.size) })
best('intern labels', () => { const s = new StringsBuilder(); for (const n of input.nodes) s.intern(n.label) })
best('intern paths', () => { const s = new StringsBuilder(); for (const n of input.nodes) s.intern(n.path ?? '') })
best('map paths', () => { const s = new Map<string, number>(); for (const n of input.nodes) { if (s.get(n.path ?? '') === undefined) s.set(n.path ?? '', s.size) } })
best('tags', () => { const s = new Map<string, number>(); for (const n of input.nodes) for (const t of n.tags ?? []) { const l = t.toLowerCase(); if (s.get(l) === undefined) s.set(l, s.size) } })
best('expand', () => expand(input.edges, 100000, new StringsBuilder()))
const g = buildGraph(input)
best('reverse', () => reverse(g.out.offsets, g.out.targets))
best('pagerank', () => pageRank(g))
best('build', () => buildGraph(input))
const ix = (await import('#graph/build/parents'))
best('parents', () => ix.completeParents(new Uint32Array(g.nNodes).fill(0xffffffff), g))
