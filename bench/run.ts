/**
 * Times of everything that a user waits for: `npm run bench`, `npm run bench -- path/to/repository`. Medians and
 * 95th percentiles of repeated calls after a warm-up; state is kept in memory only.
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Engine } from '#engine/brain'
import { openEngine } from '#engine/engine'
import { encodeStructure, fromImage } from '#engine/image'
import { defaults } from '#engine/settings'
import { buildGraph } from '#graph/build'
import { keyOf } from '#graph/graph'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { decodeSections } from '#graph/snapshot'
import { listing } from '#server/mcp'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { callTool } from '#tools/call'
import { tools } from '#tools/index'
import { generateInput } from './generate.ts'
import { benchEvery } from './tools.ts'
import { timeUpdates, writeProject } from './update.ts'

const REPEAT = 20
const SIZES = [
  { nodes: 10_000, edges: 40_000 },
  { nodes: 100_000, edges: 400_000 },
  { nodes: 1_000_000, edges: 5_000_000 },
]
const top = fileURLToPath(new URL('../', import.meta.url))

const args = process.argv.slice(2)
const withLarge = !args.includes('--small')
const project = resolve(args.find((it) => !it.startsWith('--')) ?? join(top, 'node_modules/zod/src'))

if (args.includes('--tools')) {
  const given = args.find((it) => !it.startsWith('--'))
  await benchEvery(given === undefined ? null : resolve(given))
  process.exit(0)
}
console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`)
await benchProject()
await benchUpdates()
for (const size of SIZES) if (size.nodes < 1_000_000 || withLarge) await benchGenerated(size)
if (!withLarge) console.log('\nThe graph of 1,000,000 nodes is left out.')
await benchStart()
benchList()

async function benchProject(): Promise<void> {
  console.log(`\n# ${project}`)
  const engine = memoryEngine(project)
  const ingested = await call(engine, 'ingest', { path: project })
  const seconds = Number(ingested.elapsed_ms) / 1000
  const { node_count, edge_count, files_processed, phase_ms } = ingested
  console.log(
    `ingest ${seconds.toFixed(2)} s: ${files_processed} files, ${node_count} nodes, ${edge_count} edges, ${Math.round(Number(node_count) / seconds)} nodes/s`,
  )
  console.log(`phases ${JSON.stringify(phase_ms)}`)
  const again = await call(engine, 'ingest', { path: project, incremental: true })
  console.log(`incremental, nothing changed ${(Number(again.elapsed_ms) / 1000).toFixed(2)} s`)
  await benchTools(engine)
  await benchMeanwhile(engine)
  console.log(
    `memory ${megabytes(process.memoryUsage.rss())} resident, ${megabytes(process.resourceUsage().maxRSS * 1024)} at most`,
  )
  await engine.close()
}

/** A question asked again and again while the project is read anew, beside the same when nothing else is done. */
async function benchMeanwhile(engine: Engine): Promise<void> {
  const ask = async (times: number[]) => {
    const began = performance.now()
    // who ingests waits for it, others do not
    await call(engine, 'seek', { agent_id: 'other', query: 'where are options parsed and errors reported' })
    times.push(performance.now() - began)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const idle: number[] = []
  for (let i = 0; i < 5 * REPEAT; i++) await ask(idle)
  const busy: number[] = []
  let isReading = true
  const reading = call(engine, 'ingest', { path: project }).finally(() => {
    isReading = false
  })
  while (isReading) await ask(busy)
  await reading
  for (const it of [idle, busy]) it.sort((a, b) => a - b)
  const ratio = (busy[Math.floor(busy.length * 0.95)] ?? 0) / idle[Math.floor(idle.length * 0.95)]
  console.log(`seek, nothing else  ${quantiles(idle)}`)
  console.log(`seek, while reading ${quantiles(busy)}  p95 ${ratio.toFixed(1)} times as long, ${busy.length} questions`)
}

/** One file changed: in a project written for it, and in a copy of the given one. */
async function benchUpdates(): Promise<void> {
  const written = writeProject()
  console.log('\n# one file changed')
  for (const [name, folder] of [
    ['written', written],
    [basename(project), project],
  ]) {
    const { fullMs, updateMs } = await timeUpdates(folder, memoryEngine, (engine) => async (path, incremental) => {
      const began = performance.now()
      await call(engine, 'ingest', { path, incremental })
      return performance.now() - began
    })
    const ratio = fullMs / median(updateMs)
    console.log(`${name.padEnd(16)} ${quantiles(updateMs)}  full ${ms(fullMs)}, ${ratio.toFixed(0)} times as long`)
  }
  rmSync(dirname(written), { recursive: true, force: true })
}

async function benchGenerated({ nodes, edges }: { nodes: number; edges: number }): Promise<void> {
  console.log(`\n# generated: ${nodes.toLocaleString('en')} nodes, ${edges.toLocaleString('en')} edges`)
  const graph = timed('build', () => buildGraph(generateInput({ nodes, edges, seed: 7 })))
  const indexes = timed('index', () => ({
    semantic: buildSemantic(graph),
    cochange: buildCoChange(graph, []),
    lexical: buildLexical([], graph),
    messages: emptyMessages(),
  }))
  const bytes = timed('encode', () => Buffer.concat(encodeStructure(graph, indexes, {})))
  timed('load', () => fromImage(decodeSections(bytes)))
  console.log(`file ${megabytes(bytes.length)}`)
  const engine = memoryEngine(top)
  await engine.ready
  Object.assign(engine.brain, { graph })
  Object.defineProperty(engine.brain, 'indexes', { value: indexes })
  await benchTools(engine)
  console.log(`memory ${megabytes(process.memoryUsage.rss())} resident`)
  await engine.close()
}

/** Twenty different questions per tool: about nodes from the most connected to the least, and words of their names. */
async function benchTools(engine: Engine): Promise<void> {
  const { graph } = engine.brain
  const byRank = Array.from({ length: graph.nNodes }, (_, v) => v).sort(
    (a, b) => graph.pagerank[b] - graph.pagerank[a] || a - b,
  )
  // closer together at the top, where the hubs are
  const sample = Array.from({ length: REPEAT }, (_, i) => byRank[Math.floor((i / REPEAT) ** 2 * byRank.length)])
  const questions = sample.map((v, i): Record<string, Record<string, unknown>> => {
    const node = keyOf(graph, v)
    const other = keyOf(graph, sample[(i + 1) % REPEAT])
    const words = `${wordOf(node)} ${wordOf(other)}`
    return {
      health: {},
      seek: { query: words },
      activate: { query: words },
      impact: { node_id: node },
      why: { source: node, target: other },
      predict: { changed_node: node },
      counterfactual: { node_ids: [node] },
      missing: { query: words },
      warmup: { task_description: words },
      learn: { query: words, feedback: 'correct', node_ids: [node] },
      drift: {},
    }
  })
  for (const name of Object.keys(questions[0])) {
    if (!(name in tools)) continue
    const times: number[] = []
    let tokens = 0
    for (const round of [false, true]) {
      for (const question of questions) {
        const began = performance.now()
        const result = await callTool(engine, name, { agent_id: 'bench', ...question[name] }, { now: Date.now() })
        if (!result.ok) throw new Error(`${name}: ${result.failure.message}`)
        if (round) times.push(performance.now() - began)
        tokens = Math.max(tokens, Math.round(result.text.length / 4))
      }
    }
    console.log(`${name.padEnd(16)} ${quantiles(times)}  ${String(tokens).padStart(6)} tokens at most`)
  }
}

function wordOf(key: string): string {
  return (
    key
      .split(/[:/.]+/)
      .filter((it) => it.length > 2)
      .at(-1) ?? key
  )
}

/** From the start of the process to the answer of `initialize`, against Node doing nothing. */
async function benchStart(): Promise<void> {
  const program = join(top, 'dist/main.js')
  if (!existsSync(program)) return console.log('\nThe start is measured on the bundle: npm run build')
  const home = mkdtempSync(join(tmpdir(), 'm1nd-bench-'))
  const bare: number[] = []
  const served: number[] = []
  for (let i = 0; i < REPEAT; i++) {
    bare.push(await timeOf(['-e', '0'], '', home))
    served.push(await timeOf([program], '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n', home))
  }
  rmSync(home, { recursive: true, force: true })
  console.log('\n# start')
  console.log(`node -e 0        ${quantiles(bare)}`)
  console.log(`initialize       ${quantiles(served)}  ${(median(served) / median(bare)).toFixed(2)} times`)
}

/** Until the first output, or until the end when nothing is said. */
function timeOf(words: string[], input: string, home: string): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, words, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, M1ND_HOME: home },
    cwd: home,
  })
  return new Promise((resolve) => {
    let took = 0
    child.stdout.once('data', () => {
      took = performance.now() - began
      child.stdin.end()
    })
    child.once('exit', () => resolve(took || performance.now() - began))
    if (input !== '') child.stdin.write(input)
  })
}

function benchList(): void {
  const listed = JSON.stringify(Object.values(tools).map(listing))
  console.log(`\n# list of tools\n${Object.keys(tools).length} tools, about ${Math.round(listed.length / 4)} tokens`)
}

function memoryEngine(folder: string): Engine {
  return openEngine(
    { ...defaults(), project: folder, ephemeral: true },
    { version: 'bench', log: (it) => console.error(it), cwd: folder },
  )
}

async function call(engine: Engine, name: string, question: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await callTool(engine, name, { agent_id: 'bench', ...question }, { now: Date.now() })
  if (!result.ok) throw new Error(`${name}: ${result.failure.message}`)
  return result.output
}

function timed<T>(name: string, work: () => T): T {
  const began = performance.now()
  const result = work()
  console.log(`${name.padEnd(16)} ${Math.round(performance.now() - began)} ms`)
  return result
}

function quantiles(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  return `p50 ${ms(median(times))}  p95 ${ms(sorted[Math.floor(sorted.length * 0.95)])}`
}

function median(times: number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1]
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`.padStart(10)
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`
}
