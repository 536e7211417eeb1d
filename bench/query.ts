/**
 * How long the indexes take to build and `activate` to answer, on generated projects.
 * Run: npx tsx bench/query.ts [repetitions per question]
 */

import { buildGraph } from '#graph/build'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { type ActivateOptions, activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { generateInput } from './generate.ts'

const SIZES = [
  { nodes: 10_000, edges: 40_000 },
  { nodes: 20_000, edges: 80_000 },
  { nodes: 100_000, edges: 400_000 },
]
const QUESTIONS = [
  'session',
  'payment',
  'renderTemplate',
  'session pool management',
  'how does a user cancel a reservation',
  'validate invoice address before sending',
  'errr in conection pool',
]

function measure(label: string, work: () => void): void {
  const start = performance.now()
  work()
  process.stdout.write(`  ${label.padEnd(28)} ${(performance.now() - start).toFixed(0)} ms\n`)
}

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2)
}

const repetitions = Number(process.argv[2] ?? 20)

for (const { nodes, edges } of SIZES) {
  process.stdout.write(`${nodes} nodes, ${edges} edges\n`)
  const graph = buildGraph(generateInput({ nodes, edges, seed: 1 }))
  let semantic = buildSemantic(graph)
  measure('build semantic', () => {
    semantic = buildSemantic(graph)
  })
  let cochange = buildCoChange(graph, [])
  measure('build co-change (structure)', () => {
    cochange = buildCoChange(graph, [])
  })

  const lexical = buildLexical([], graph)
  for (const [name, more] of [
    ['all, xlr', {}],
    ['all, xlr, top 40 (200 seeds)', { topK: 40 }],
    ['all, no xlr', { xlr: false }],
    ['all, xlr, ghosts, holes', { ghostEdges: true, holes: true }],
  ] as const) {
    const options: ActivateOptions = {
      query: '',
      topK: 20,
      dimensions: DIMENSIONS,
      xlr: true,
      gate: 'seed',
      hubImmunity: false,
      ghostEdges: false,
      holes: false,
      boosts: new Map(),
      ranking: 'fused',
      nowSeconds: 1_700_000_000,
      ...more,
    }
    const times: number[] = []
    for (let i = 0; i < repetitions; i++) {
      for (const query of QUESTIONS) {
        const start = performance.now()
        activate(graph, { semantic, cochange, lexical, messages: emptyMessages() }, { ...options, query })
        times.push(performance.now() - start)
      }
    }
    times.sort((a, b) => a - b)
    process.stdout.write(`  ${name.padEnd(28)} p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms\n`)
  }
}
