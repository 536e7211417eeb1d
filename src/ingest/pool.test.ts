import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runJobs } from '#ingest/pool'
import type { Job } from '#ingest/read-batch'
import { TEXT_LIMITS } from '#ingest/text'
import { Tree } from '#ingest/tree-for-tests'

/** Answers every file by its size, except for some that make it fail in different ways. */
const PROGRAM = `
import { parentPort, workerData } from 'node:worker_threads'
const current = new Int32Array(workerData.current)
let spent = false
parentPort.on('message', ({ jobs }) => {
  if (spent) process.exit(4)
  const outcomes = jobs.map(({ path, size }, i) => {
    Atomics.store(current, 0, i)
    if (path.startsWith('hang')) for (;;);
    if (path.startsWith('exit')) process.exit(3)
    if (path.startsWith('throw')) throw new Error('no such thing')
    if (path.startsWith('full')) for (const all = []; ; ) all.push(new Array(100000).fill(path))
    if (path.startsWith('spent')) spent = true
    return { kind: 'binary', hash: String(size), normalisedHash: '', message: '' }
  })
  Atomics.store(current, 0, -1)
  parentPort.postMessage({ outcomes, packed: { strings: '', ints: Int32Array.of(0, 0) }, spent })
})
parentPort.postMessage('ready')
`

function job(path: string, size = 1): Job {
  return { path, file: path, size, hash: '', generated: false }
}

interface Setup {
  program?: string
  workers?: number
  hangMs?: number
  mayContinue?: () => boolean
  signal?: AbortSignal
}

async function run(
  jobs: Job[],
  { program = PROGRAM, workers = 2, hangMs = 700, mayContinue = () => true, signal }: Setup = {},
) {
  const tree = new Tree({ 'worker.mjs': program })
  const results = new Map<number, string>()
  await runJobs(jobs, {
    workers,
    limits: TEXT_LIMITS,
    signal: signal ?? new AbortController().signal,
    hangMs,
    heapMb: 64,
    program: { url: pathToFileURL(tree.path('worker.mjs')), execArgv: [] },
    mayContinue,
    take: (positions, { outcomes }) => {
      positions.forEach((position, i) => {
        if (results.has(position)) throw new Error(`position ${position} came twice`)
        results.set(position, outcomes[i].kind === 'failed' ? outcomes[i].message : outcomes[i].hash)
      })
    },
  })
  return results
}

describe('runJobs', () => {
  test('gives every job its own outcome', async () => {
    const jobs = Array.from({ length: 1000 }, (_, i) => job(`${i}.py`, i * 10))
    const results = await run(jobs)

    expect(results.size).toBe(1000)
    for (let i = 0; i < 1000; i++) expect(results.get(i)).toBe(String(i * 10))
  })

  test('names a file that ends, breaks or stops a worker, and reads all others', async () => {
    const jobs = ['a.py', 'exit.py', 'b.py', 'hang.py', 'throw.py', 'c.py', 'exit2.py', 'd.py'].map((it) => job(it, 7))
    const results = await run(jobs)

    expect(['a', 'b', 'c', 'd'].map((it) => results.get(jobs.findIndex((j) => j.path === `${it}.py`)))).toEqual([
      '7',
      '7',
      '7',
      '7',
    ])
    expect(results.get(1)).toContain('its reader stopped')
    expect(results.get(3)).toContain('more than 0.7 s')
    expect(results.get(4)).toContain('no such thing')
    expect(results.get(6)).toContain('its reader stopped')
  })

  test('outlives a file that fills the memory of a worker', async () => {
    const results = await run([job('a.py'), job('full.py'), job('b.py')], { hangMs: 20_000, workers: 1 })

    expect(results.get(0)).toBe('1')
    expect(results.get(1)).toContain('memory')
    expect(results.get(2)).toBe('1')
  })

  test('reads on the calling thread when no worker starts', async () => {
    const tree = new Tree({ 'a.txt': 'one', 'b.txt': 'two' })
    const jobs = ['a.txt', 'b.txt'].map((it) => ({ ...job(it), file: tree.path(it) }))
    const results = await run(jobs, { program: 'throw new Error("broken")' })

    expect([...results.values()].every((it) => /^[0-9a-f]{40}$/.test(it))).toBe(true)
    expect(results.size).toBe(2)
  })

  test('takes no new files once it may not', async () => {
    const jobs = Array.from({ length: 960 }, (_, i) => job(`${i}.py`))
    let asked = 0
    const results = await run(jobs, { mayContinue: () => ++asked <= 3 })

    expect(results.size).toBe(3 * 96)
  })

  test('ends when it is cancelled, even while a file hangs', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 300)

    await expect(run([job('hang.py')], { hangMs: 60_000, signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    })
  })

  test('replaces a worker that says it is spent, without losing or blaming a file', async () => {
    const jobs = Array.from({ length: 12 }, (_, i) => job(i % 3 === 0 ? `spent${i}` : `file${i}`, 400_000 + i))
    const results = await run(jobs)
    expect([...results.entries()].sort(([a], [b]) => a - b).map(([, hash]) => hash)).toEqual(
      jobs.map((it) => String(it.size)),
    )
  })
})
