/**
 * What many agents cost: routes of a perspective, the quick answer of a lock, and memory for twenty agents at work.
 * Run: npx tsx --expose-gc bench/handles.ts [nodes]
 */

import type { Engine } from '#engine/brain'
import { openEngine } from '#engine/engine'
import { diffLock, lockOf } from '#engine/locks'
import { defaults } from '#engine/settings'
import { buildGraph } from '#graph/build'
import { keyOf } from '#graph/graph'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { callTool } from '#tools/call'
import { handleBytes } from '#tools/handle-room'
import { generateInput } from './generate.ts'

const AGENTS = 20
const PERSPECTIVES = 5
const LOCKS = 10
const CYCLES = 10_000
const SAMPLES = 20

const nodes = Number(process.argv[2] ?? 100_000)
const graph = buildGraph(generateInput({ nodes, edges: 4 * nodes, seed: 7 }))
const indexes = {
  semantic: buildSemantic(graph),
  cochange: buildCoChange(graph, []),
  lexical: buildLexical([], graph),
  messages: emptyMessages(),
}
const engine = openEngine(
  { ...defaults(), project: process.cwd(), ephemeral: true, autoPersistInterval: 100_000 },
  { version: 'bench', log: (it) => console.error(it), cwd: process.cwd() },
)
await engine.ready
Object.assign(engine.brain, { graph })
Object.defineProperty(engine.brain, 'indexes', { value: indexes })

async function call(engine: Engine, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await callTool(engine, name, args, { now: Date.now() })
  if (!result.ok) throw new Error(`${name}: ${result.failure.message} ${result.failure.hint}`)
  return result.output
}

function heap(): number {
  if (globalThis.gc === undefined) throw new Error('Run with --expose-gc.')
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1_048_576
}

function quantiles(times: number[], unit: string): string {
  const sorted = times.toSorted((a, b) => a - b)
  return `p50 ${sorted[sorted.length >> 1].toFixed(2)} ${unit}, p95 ${sorted[Math.floor(sorted.length * 0.95)].toFixed(2)} ${unit}`
}

const byRank = Array.from({ length: graph.nNodes }, (_, v) => v).sort((a, b) => graph.pagerank[b] - graph.pagerank[a])
const sample = (i: number) => keyOf(graph, byRank[(i * 997) % byRank.length])

// pages
for (const round of ['warm-up', 'measured']) {
  const times: Record<string, number[]> = { start: [], anchored: [], follow: [], page: [], inspect: [], affinity: [] }
  for (let i = 0; i < SAMPLES; i++) {
    const agent_id = `pager-${i}`
    const timed = async (what: string, name: string, args: Record<string, unknown>) => {
      const began = performance.now()
      const answer = await call(engine, name, { agent_id, ...args })
      times[what].push(performance.now() - began)
      return answer
    }
    const words = sample(i)
      .split(/[:/.]+/)
      .slice(-2)
      .join(' ')
    const { perspective_id: byQuery } = await timed('start', 'perspective_start', { query: words })
    const started = await timed('anchored', 'perspective_start', { query: words, anchor_node: sample(i) })
    const { perspective_id } = started
    let { route_set_version, total_routes } = started
    for (let k = 0; k < 3 && total_routes !== 0; k++) {
      const at = { perspective_id, route_index: 1, route_set_version }
      await timed('inspect', 'perspective_inspect', at)
      await timed('affinity', 'perspective_affinity', at)
      await timed('page', 'perspective_routes', { perspective_id })
      ;({ route_set_version, total_routes } = await timed('follow', 'perspective_follow', at))
    }
    for (const id of [byQuery, perspective_id])
      await call(engine, 'perspective_close', { agent_id, perspective_id: id })
  }
  if (round === 'measured')
    for (const [what, all] of Object.entries(times)) console.log(`${what.padEnd(10)} ${quantiles(all, 'ms')}`)
}

// the quick answer of a lock
const { lock_id } = await call(engine, 'lock_create', { agent_id: 'quick', scope: 'subgraph', root_nodes: [sample(1)] })
const lock = lockOf(engine.records, String(lock_id), 'quick')
const quick: number[] = []
for (let i = 0; i < 200; i++) {
  const began = performance.now()
  for (let k = 0; k < 100; k++) diffLock(engine, lock)
  quick.push(((performance.now() - began) / 100) * 1000)
}
console.log(`lock, nothing changed   ${quantiles(quick, 'µs')}`)
await call(engine, 'lock_release', { agent_id: 'quick', lock_id })

// memory of twenty agents
const before = heap()
let largest = 0
for (let a = 0; a < AGENTS; a++) {
  const agent_id = `agent-${a}`
  for (let p = 0; p < PERSPECTIVES; p++) {
    const at = { anchor_node: sample(a * 7 + p), query: `query ${p}` }
    const { perspective_id, route_set_version, total_routes } = await call(engine, 'perspective_start', {
      agent_id,
      ...at,
    })
    if (total_routes !== 0)
      await call(engine, 'perspective_follow', { agent_id, perspective_id, route_index: 1, route_set_version })
  }
  for (let l = 0; l < LOCKS; l++) {
    // neighbours by number are mostly of the same files
    const first = ((a * LOCKS + l) * 499) % (graph.nNodes - 500)
    const path_nodes = Array.from({ length: 500 }, (_, i) => keyOf(graph, first + i))
    const made = await call(engine, 'lock_create', {
      agent_id,
      scope: 'path',
      root_nodes: path_nodes.slice(0, 1),
      path_nodes,
    })
    largest = Math.max(largest, Number(made.baseline_nodes))
  }
}
await engine.persist()
const after = heap()
const { perspectives, locks } = handleBytes(engine)
console.log(
  `${AGENTS} agents, ${AGENTS * PERSPECTIVES} perspectives, ${AGENTS * LOCKS} locks of up to ${largest} nodes: heap +${(after - before).toFixed(1)} MB, estimated ${((perspectives + locks) / 1_048_576).toFixed(1)} MB`,
)

// nothing is left of what was closed
const first = heap()
for (let i = 0; i < CYCLES; i++) {
  const agent_id = `cycle-${i % 50}`
  const { perspective_id } = await call(engine, 'perspective_start', {
    agent_id,
    query: 'q',
    anchor_node: sample(i),
    // what a step asks is measured above
    lens: { route_families: ['structural_neighbor'] },
  })
  await call(engine, 'lock_create', { agent_id, scope: 'node', root_nodes: [sample(i)] })
  await call(engine, 'perspective_close', { agent_id, perspective_id })
  if (i === CYCLES / 10) await engine.persist()
}
await engine.persist()
console.log(`${CYCLES} times opened and closed: heap ${first.toFixed(1)} MB before, ${heap().toFixed(1)} MB after`)
await engine.close()
