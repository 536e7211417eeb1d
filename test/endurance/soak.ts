/**
 * `npm run test:soak [calls]`: one engine answers mixed calls of several agents for a long time: questions, lessons,
 * trails, locks, perspectives, ingests of changed files, and wrong arguments. Heap, open files and handles at the end
 * must be those of the start.
 */

import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BrainBuilder } from '#engine/build-brain'
import { openEngine } from '#engine/engine'
import { defaults } from '#engine/settings'
import { Random } from '#std/random'
import { callTool } from '#tools/call'
import { tools } from '#tools/index'
import { cleanUp, copyOf, temporaryFolder } from '../support.ts'

export interface Sample {
  calls: number
  /** Bytes of live heap after a full collection. */
  heap: number
  /** Open files of the process, -1 where the system does not tell. */
  files: number
  /** Timers, sockets, watchers. */
  handles: number
}

export interface SoakResult {
  samples: Sample[]
  /** Calls by outcome: `ok`, or the code of the failure. */
  outcomes: Record<string, number>
  /** Growth of the heap from the first quarter's end to the end, in bytes a call. */
  bytesPerCall: number
}

const SAMPLES = 8
/** Files are written and read again once in so many calls. */
const INGEST_EVERY = 500
/** Files that change; what is named after them stays as many. */
const FILES = 5

export async function soak({ calls, seed }: { calls: number; seed: number }): Promise<SoakResult> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const random = new Random(seed)
  const project = copyOf('shop')
  const settings = { ...defaults(), home: temporaryFolder(), project, parallelism: 1, watch: false }
  const engine = openEngine(settings, { version: '0', log: () => {}, cwd: project, builder: new BrainBuilder() })
  const outcomes: Record<string, number> = {}
  const ask = async (name: string, args: Record<string, unknown>, agent = 'dev') => {
    const answer = await callTool(engine, name, { agent_id: agent, ...args }, { now: Date.now() })
    const outcome = answer.ok ? 'ok' : answer.failure.code
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return answer.ok ? answer.output : null
  }
  await ask('ingest', { path: project })

  const list = Object.values(tools)
  const readers = list.filter((it) => it.effect === 'read' || it.name === 'learn')
  const trails: string[] = []
  const locks: string[] = []
  const samples: Sample[] = []
  for (let i = 0; i <= calls; i++) {
    if (i % Math.max(1, Math.floor(calls / SAMPLES)) === 0) {
      await engine.persist()
      collect()
      samples.push({
        calls: i,
        heap: process.memoryUsage().heapUsed,
        files: existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : -1,
        handles: process.getActiveResourcesInfo().length,
      })
    }
    const agent = `agent-${random.below(6)}`
    if (i % INGEST_EVERY === 0) {
      const file = join(project, `made${random.below(FILES)}.ts`)
      writeFileSync(file, `export function made${random.below(FILES)}() { return ${i % 10} }\n`)
      utimesSync(file, i, i)
      await ask('ingest', { path: project, incremental: true }, agent)
    }
    const kind = random.below(10)
    if (kind === 0) {
      const saved = await ask('trail_save', { label: `trail ${i % 50}` }, agent)
      if (saved !== null) trails.push(String(saved.trail_id))
      if (trails.length > 20) await ask('trail_resume', { trail_id: trails.shift() }, agent)
    } else if (kind === 1) {
      const lock = await ask('lock_create', { scope: 'node', root_nodes: ['cart.ts'] }, agent)
      if (lock !== null) locks.push(`${agent} ${String(lock.lock_id)}`)
      const [owner, id] = locks.length > 12 ? (locks.shift() ?? '').split(' ') : []
      if (id !== undefined) await ask('lock_release', { lock_id: id }, owner)
    } else if (kind === 2) await ask(list[random.below(list.length)].name, { nonsense: i, node_id: 'nowhere' }, agent)
    else {
      const tool = readers[random.below(readers.length)]
      const { input } = tool.examples[random.below(tool.examples.length)]
      await ask(tool.name, { ...input, agent_id: agent })
    }
  }
  await engine.close()
  const first = samples[Math.floor(samples.length / 4)]
  const last = samples[samples.length - 1]
  return { samples, outcomes, bytesPerCall: (last.heap - first.heap) / Math.max(1, last.calls - first.calls) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [calls = '20000', seed = '1'] = process.argv.slice(2)
  const result = await soak({ calls: Number(calls), seed: Number(seed) })
  console.log(JSON.stringify(result, null, 1))
  cleanUp()
  process.exit(0)
}
