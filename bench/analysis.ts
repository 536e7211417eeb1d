/**
 * How long the analyses of a topic, a node and a claim take on generated projects.
 * Run: npx tsx bench/analysis.ts [repetitions]
 */

import { lookAlikePairs, lookAlikes, probesFor, respond } from '#analysis/fingerprint'
import { PUBLISHED } from '#analysis/factors'
import { weigh } from '#analysis/hypothesis'
import { resonance } from '#analysis/resonance'
import { buildGraph } from '#graph/build'
import { FILE, type NodeId } from '#graph/graph'
import { buildCoChange } from '#query/cochange'
import { findSeedsSemantic } from '#query/seeds'
import { buildSemantic } from '#query/semantic'
import { generateInput } from './generate.ts'

const SIZES = [
  { nodes: 10_000, edges: 40_000 },
  { nodes: 100_000, edges: 400_000 },
]
const TOPICS = ['session', 'payment', 'renderTemplate', 'session pool management', 'validate invoice address']

const repetitions = Number(process.argv[2] ?? 20)

for (const { nodes, edges } of SIZES) {
  process.stdout.write(`${nodes} nodes, ${edges} edges\n`)
  const graph = buildGraph(generateInput({ nodes, edges, seed: 1 }))
  const semantic = buildSemantic(graph)
  const cochange = buildCoChange(graph, [])
  const files: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) if (graph.types[v] === FILE) files.push(v)
  const any = (i: number): NodeId => files[(i * 7919) % files.length]

  measure('resonate, topic', (i) => {
    const seeds = findSeedsSemantic(graph, semantic, TOPICS[i % TOPICS.length], 10)
    resonance(graph, seeds, { nHarmonics: 5, frequencies: [], minAmplitude: 0.01 })
  })
  measure('resonate, topic, far', (i) => {
    const seeds = findSeedsSemantic(graph, semantic, TOPICS[i % TOPICS.length], 10)
    resonance(graph, seeds, { nHarmonics: 5, frequencies: [], minAmplitude: 0.0001 })
  })
  measure('fingerprint, node', (i) => {
    const target = (i * 7919) % graph.nNodes
    const responses = respond(
      graph,
      probesFor(graph, target).map((node) => [{ node, relevance: 1 }]),
    )
    lookAlikes(graph, target, responses, 0.85)
  })
  measure('fingerprint, all', () => {
    const responses = respond(
      graph,
      probesFor(graph, null).map((node) => [{ node, relevance: 1 }]),
    )
    lookAlikePairs(graph, responses, 0.85)
  })
  for (const type of ['depends_on', 'never_calls', 'circular', 'gateway', 'isolated', 'coupling'] as const) {
    measure(`hypothesize, ${type}`, (i) => {
      weigh(
        graph,
        cochange,
        { type, negated: false },
        { subjects: [any(i)], objects: [any(3 * i + 1)], likeness: 1 },
        {
          factors: PUBLISHED,
          ghosts: () => [],
          reach: { maxHops: 5, includeGuesses: false, containment: 'parts', pathBudget: 1000 },
        },
      )
    })
  }
}

/** The first run, which makes what is kept, is told apart from the rest. */
function measure(label: string, work: (i: number) => void): void {
  const times: number[] = []
  for (let i = 0; i <= repetitions; i++) {
    const start = performance.now()
    work(i)
    times.push(performance.now() - start)
  }
  const [first = 0, ...rest] = times
  rest.sort((a, b) => a - b)
  const at = (share: number) => (rest[Math.min(rest.length - 1, Math.floor(rest.length * share))] ?? 0).toFixed(1)
  process.stdout.write(`  ${label.padEnd(28)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, first ${first.toFixed(0)} ms\n`)
}
