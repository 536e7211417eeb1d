/**
 * `npm run test:crash [kills] [seed]`: a server is told to learn, to keep trails and locks, and to read changed files,
 * and is killed without warning at any moment. Whatever it has acknowledged must be there after the next start.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Random } from '#std/random'
import { buildProgram, Client, cleanUp, copyOf, temporaryFolder } from '../support.ts'

export interface CrashResult {
  kills: number
  /** Changes that were acknowledged, by kind. */
  acknowledged: Record<string, number>
  /** What was acknowledged and is gone, at most ten of it. */
  lost: string[]
  /** Milliseconds from a start to the first answer from the graph: median and worst. */
  recovery: { median: number; worst: number }
}

/** What the server has said it did. */
interface Acknowledged {
  /** Generation of what was learned. */
  learned: number
  trails: Set<string>
  /** Locks by name; one that was released must be gone. */
  locks: Map<string, 'held' | 'released'>
  /** Names of functions in the files. */
  functions: Set<string>
}

/** The longest that a server lives after its first answer. */
const LIFE_MS = 1500

export async function crash({ kills, seed }: { kills: number; seed: number }): Promise<CrashResult> {
  const random = new Random(seed)
  const project = copyOf('shop')
  const home = temporaryFolder()
  const env = {
    M1ND_HOME: home,
    M1ND_PROJECT: '',
    M1ND_PARALLELISM: '1',
    M1ND_TYPESCRIPT_CHECKER: 'off',
    M1ND_WATCH: 'off',
  }
  const start = () => new Client([], { cwd: project, env })
  const kept: Acknowledged = { learned: 0, trails: new Set(), locks: new Map(), functions: new Set() }
  const result: CrashResult = { kills: 0, acknowledged: {}, lost: [], recovery: { median: 0, worst: 0 } }
  const recoveries: number[] = []

  const first = start()
  await first.call('ingest', { path: project })
  await first.end()
  for (let i = 0; i < kills && result.lost.length < 10; i++) {
    const client = start()
    const began = performance.now()
    await check(client, kept, result)
    recoveries.push(performance.now() - began)
    let alive = true
    const life = setTimeout(() => {
      alive = false
      client.process.kill('SIGKILL')
    }, random.below(LIFE_MS))
    for (let n = 0; alive; n++)
      await Promise.race([change(client, { project, kept, random, turn: `${i}x${n}`, result }), client.exited])
    clearTimeout(life)
    await client.exited
    result.kills++
  }
  const last = start()
  await check(last, kept, result)
  await last.end()
  recoveries.sort((a, b) => a - b)
  result.recovery = {
    median: Math.round(recoveries[recoveries.length >> 1] ?? 0),
    worst: Math.round(recoveries.at(-1) ?? 0),
  }
  return result
}

interface Turn {
  project: string
  kept: Acknowledged
  random: Random
  turn: string
  result: CrashResult
}

/** One change; what is answered for is noted, and nothing else. */
async function change(client: Client, { project, kept, random, turn, result }: Turn): Promise<void> {
  const note = (kind: string) => {
    result.acknowledged[kind] = (result.acknowledged[kind] ?? 0) + 1
  }
  const kind = random.below(5)
  if (kind === 0) {
    const feedback = random.below(2) === 0 ? 'correct' : 'partial'
    const { structuredContent } = await client.call('learn', {
      query: `cart ${turn}`,
      feedback,
      node_ids: ['cart.ts', 'price.ts'],
    })
    if (structuredContent === undefined) return
    kept.learned = Math.max(kept.learned, Number(structuredContent.plasticity_generation))
    note('learn')
  } else if (kind === 1) {
    const { structuredContent } = await client.call('trail_save', {
      label: `trail ${turn}`,
      visited_nodes: [{ node_external_id: 'file::cart.ts' }],
    })
    if (structuredContent === undefined) return
    kept.trails.add(String(structuredContent.trail_id))
    note('trail')
  } else if (kind === 2) {
    const held = [...kept.locks].filter(([, state]) => state === 'held').map(([id]) => id)
    if (held.length > 5) {
      // from the moment that it is asked for, both are right
      kept.locks.delete(held[0])
      const { structuredContent } = await client.call('lock_release', { lock_id: held[0] })
      if (structuredContent === undefined) return
      kept.locks.set(held[0], 'released')
      note('release')
      return
    }
    const { structuredContent } = await client.call('lock_create', { scope: 'node', root_nodes: ['cart.ts'] })
    if (structuredContent === undefined) return
    kept.locks.set(String(structuredContent.lock_id), 'held')
    note('lock')
  } else if (kind === 3) {
    const name = `made${turn}`
    writeFileSync(join(project, `${name}.ts`), `export function ${name}() { return 1 }\n`)
    const { structuredContent } = await client.call('ingest', { path: project, incremental: true })
    if (structuredContent === undefined) return
    kept.functions.add(name)
    note('ingest')
  } else await client.call('activate', { query: 'cart total' })
}

async function check(client: Client, kept: Acknowledged, result: CrashResult): Promise<void> {
  const lose = (what: string) => {
    if (result.lost.length < 10) result.lost.push(`after kill ${result.kills}: ${what}`)
  }
  await client.call('impact', { node_id: 'cart.ts' })
  const { structuredContent: health } = await client.call('health', {})
  if (Number(health?.plasticity_generation) < kept.learned)
    lose(`learned up to ${kept.learned}, now ${String(health?.plasticity_generation)}`)
  const { structuredContent: list } = await client.call('trail_list', {})
  const trails = JSON.stringify(list)
  const isWhole = list?.truncated === undefined || list.truncated === null
  for (const it of kept.trails) if (isWhole && !trails.includes(it)) lose(it)
  for (const [id, state] of kept.locks) {
    const { isError, content } = await client.call('lock_diff', { lock_id: id })
    if ((isError === true) !== (state === 'released')) lose(`${id}, ${state}: ${content[0].text.slice(0, 100)}`)
  }
  // an ingest that was saved behind its answer is read again by the next process, behind its first answers
  const missing = () =>
    Promise.all(
      [...kept.functions].map(
        async (it) =>
          [it, (await client.call('impact', { node_id: `file::${it}.ts::fn::${it}` })).isError === true] as const,
      ),
    )
  for (const end = Date.now() + 10_000; ; ) {
    const gone = (await missing()).filter(([, isGone]) => isGone)
    if (gone.length === 0) break
    if (Date.now() > end) {
      for (const [name] of gone) lose(name)
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  kept.functions.clear()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kills = '100', seed = '1'] = process.argv.slice(2)
  await buildProgram()
  const result = await crash({ kills: Number(kills), seed: Number(seed) })
  console.log(JSON.stringify(result))
  cleanUp()
  process.exit(result.lost.length === 0 ? 0 : 1)
}
