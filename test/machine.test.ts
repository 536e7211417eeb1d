/** Machines in trouble: full disks, folders that cannot be written, clocks that are set back, owners that sleep. */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, copyOf, PROGRAM, projectOf, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

const environment = (home: string) => ({
  M1ND_HOME: home,
  M1ND_PROJECT: '',
  M1ND_PARALLELISM: '1',
  M1ND_TYPESCRIPT_CHECKER: 'off',
  NO_COLOR: '1',
})

const LESSON = { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] }

interface Place {
  project: string
  home: string
}

const place = (): Place => ({ project: copyOf('shop'), home: temporaryFolder() })

function start({ project, home }: Place, limits = ''): Client {
  return new Client([], { cwd: project, env: environment(home), shell: limits })
}

describe('a disk that is full', { timeout: 60_000 }, () => {
  test('takes away no answer and no earlier state; what is not kept is said, and later it is', async () => {
    const at = place()
    const first = start(at)
    await first.call('ingest', { path: at.project })
    await first.call('learn', LESSON)
    const before = (await first.call('health', {})).structuredContent
    await first.end()
    const functions = Array.from({ length: 3000 }, (_, i) => `export function made${i}() { return ${i} }\n`)
    writeFileSync(join(at.project, 'many.ts'), functions.join(''))

    // no file can become longer than this: a part is written, and then nothing
    const full = start(at, 'ulimit -f 64')
    const ingested = await full.call('ingest', { path: at.project })
    expect(ingested.structuredContent?.node_count).toBeGreaterThan(3000)
    expect(ingested.structuredContent?.notice).toMatch(/^Not saved, .*EFBIG/)
    expect((await full.call('learn', { ...LESSON, query: 'price' })).structuredContent?.notice).toContain('Not saved')
    expect((await full.call('seek', { query: 'cart total' })).structuredContent).not.toHaveProperty('notice')
    expect((await full.call('health', {})).structuredContent?.status).toBe('degraded')
    expect((await full.end()).code).toBe(1)

    const last = start(at)
    const after = (await last.call('health', {})).structuredContent
    expect(after).toMatchObject({ status: 'ok', warnings: [], node_count: before?.node_count })
    expect(after?.plasticity_records).toBe(before?.plasticity_records)
    await last.end()
  })

  test('a change that cannot be kept at all is refused, with what the system said', async () => {
    const at = place()
    const first = start(at)
    await first.call('ingest', { path: at.project })
    await first.end()
    const full = start(at, 'ulimit -f 0')
    const saved = await full.call('trail_save', { label: 'a walk' })
    const text = JSON.stringify(saved.content) + String(saved.structuredContent?.notice)
    expect(text).toMatch(/EFBIG/)
    await full.end()
    const next = start(at)
    expect((await next.call('trail_list', {})).structuredContent).toMatchObject({ trails: [] })
    await next.end()
  })
})

describe('a home that cannot be one', { timeout: 60_000 }, () => {
  test.each([
    ['a folder that the system denies', () => '/proc/m1nd'],
    [
      'below a link to nowhere',
      () => {
        const folder = temporaryFolder()
        symlinkSync('/nowhere/at/all', join(folder, 'link'))
        return join(folder, 'link', 'home')
      },
    ],
    [
      'below a file',
      () => {
        const folder = temporaryFolder()
        writeFileSync(join(folder, 'file'), '')
        return join(folder, 'file', 'home')
      },
    ],
  ])('%s: work goes on in memory, and every change says so', async (_, homeOf) => {
    const project = copyOf('shop')
    const client = new Client([], { cwd: project, env: environment(homeOf()) })
    await client.call('ingest', { path: project })
    expect((await client.call('learn', LESSON)).structuredContent?.notice).toContain('Not saved')
    expect((await client.call('health', {})).structuredContent?.mode).toBe('memory')
    expect((await client.end()).code).toBe(0)
  })

  test('a command whose change is lost with it fails', () => {
    const project = copyOf('shop')
    const run = () =>
      execFileSync(process.execPath, [PROGRAM, 'ingest', '.'], {
        cwd: project,
        env: { ...process.env, ...environment('/proc/m1nd') },
        stdio: 'pipe',
      })
    expect(run).toThrow(/Not saved/)
  })

  test('no home and no working folder are no reason not to start', async () => {
    const folder = join(temporaryFolder(), 'gone')
    mkdirSync(folder)
    const client = new Client(['--ephemeral'], { cwd: folder, env: { HOME: '' }, shell: `rmdir ${folder}` })
    expect((await client.call('health', {})).structuredContent).toMatchObject({ project: '', node_count: 0 })
    const project = copyOf('shop')
    const ingested = await client.call('ingest', { path: project })
    expect(ingested.structuredContent?.node_count).toBeGreaterThan(10)
    await client.end()
    expect(existsSync(folder)).toBe(false)
  })
})

describe('an owner that sleeps', { timeout: 60_000 }, () => {
  test('is not waited for: what it had saved is served, and changes are refused', async () => {
    const at = place()
    const owner = start(at)
    await owner.call('ingest', { path: at.project })
    const second = start(at)
    await second.call('seek', { query: 'cart total' })
    owner.process.kill('SIGSTOP')
    const began = performance.now()
    const found = await second.call('seek', { query: 'cart total' })
    expect(performance.now() - began).toBeLessThan(6000)
    expect(found.structuredContent?.results).not.toHaveLength(0)
    expect(found.structuredContent?.notice).toContain(`Process ${owner.process.pid} owns the state`)
    const learned = await second.call('learn', LESSON)
    expect(learned.content[1].text).toContain('read_only')

    // one that comes fresh
    const third = start(at)
    const anew = performance.now()
    expect((await third.call('seek', { query: 'cart total' })).structuredContent?.results).not.toHaveLength(0)
    expect(performance.now() - anew).toBeLessThan(6000)

    owner.process.kill('SIGCONT')
    await new Promise((resolve) => setTimeout(resolve, 5500))
    expect((await second.call('learn', LESSON)).structuredContent).not.toHaveProperty('notice')
    await Promise.all([owner, second, third].map((it) => it.end()))
  })

  test('that another one took over asks that one when it wakes, and takes nothing from it', async () => {
    const at = place()
    const sleeper = start(at)
    await sleeper.call('ingest', { path: at.project })
    sleeper.process.kill('SIGSTOP')
    const [name] = readdirSync(join(at.home, 'projects'))
    const folder = join(at.home, 'projects', name)
    // as after half a minute
    utimesSync(join(folder, 'lease.json'), Date.now() / 1000 - 60, Date.now() / 1000 - 60)
    const second = start(at)
    expect((await second.call('learn', LESSON)).isError).toBeUndefined()
    sleeper.process.kill('SIGCONT')
    expect((await sleeper.call('learn', { ...LESSON, query: 'price' })).structuredContent).not.toHaveProperty('notice')
    expect((await sleeper.call('health', {})).structuredContent?.pid ?? second.process.pid).toBe(second.process.pid)
    expect(JSON.parse(readFileSync(join(folder, 'lease.json'), 'utf8')).pid).toBe(second.process.pid)
    // and who comes later finds the new owner
    const third = start(at)
    expect((await third.call('learn', { ...LESSON, query: 'lamp' })).isError).toBeUndefined()
    await sleeper.end()
    const generation = (await second.call('health', {})).structuredContent?.plasticity_generation
    expect(generation).toBe(3)
    await Promise.all([second, third].map((it) => it.end()))
  })
})

describe('memory', { timeout: 120_000 }, () => {
  test('that does not suffice ends an ingest, not the process, and the graph in place stays', async () => {
    const files: Record<string, string> = { 'till.ts': 'export function till() { return 1 }\n' }
    const project = projectOf('large', files)
    const env = { ...environment(temporaryFolder()), M1ND_INGEST_MEMORY_MB: '64', M1ND_WATCH: 'off' }
    const client = new Client([], { cwd: project, env })
    await client.call('ingest', { path: project })
    for (let f = 0; f < 60; f++)
      writeFileSync(
        join(project, `wide${f}.ts`),
        Array.from(
          { length: 1500 },
          (_, i) => `export function f${f}x${i}() { return f${(f + 1) % 60}x${i}() }\n`,
        ).join(''),
      )
    const answer = await client.call('ingest', { path: project })
    const said = JSON.stringify(answer)
    expect(said).toMatch(/ingest_budget|"truncated":"memory"/)
    expect((await client.call('seek', { query: 'till' })).content[0].text).toContain('till.ts')
    expect((await client.end()).code).toBe(0)
  })
})

describe('work that nobody wants any more', { timeout: 120_000 }, () => {
  const cpuMs = (pid: number | undefined) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) * 10
  }

  test.skipIf(process.platform !== 'linux')('ends with the cancellation of its call', async () => {
    const at = place()
    for (let f = 0; f < 400; f++) {
      const functions = Array.from({ length: 300 }, (_, i) => `export function f${f}x${i}() { return ${i} }\n`)
      writeFileSync(join(at.project, `wide${f}.ts`), functions.join(''))
    }
    const client = start(at)
    await client.call('health', {})
    const params = { name: 'ingest', arguments: { agent_id: 'dev', path: at.project } }
    client.send({ id: 'long', method: 'tools/call', params })
    await expect
      .poll(async () => (await client.call('health', {})).structuredContent?.working, { timeout: 30_000 })
      .not.toBeNull()
    client.send({ method: 'notifications/cancelled', params: { requestId: 'long', reason: 'not wanted' } })
    await expect
      .poll(async () => (await client.call('health', {})).structuredContent?.working, { timeout: 30_000 })
      .toBeNull()
    const before = cpuMs(client.process.pid)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(cpuMs(client.process.pid) - before).toBeLessThan(400)
    expect((await client.call('health', {})).structuredContent).toMatchObject({ graph_generation: 0, node_count: 0 })
    await client.end()
    expect(client.stdout).not.toContain('"long"')
  })
})

describe('a project', { timeout: 60_000 }, () => {
  test.skipIf(process.platform !== 'linux')(
    'with everything that a file system can hold is read to its end, and each trouble is named',
    async () => {
      const at = place()
      const shop = join(at.project, 'src')
      const write = (path: string | Buffer, text: string | Uint8Array) => writeFileSync(path, text)
      execFileSync('mkfifo', [join(shop, 'pipe.ts')])
      const socket = createServer().listen(join(shop, 's.ts'))
      write(join(shop, `${'n'.repeat(250)}.ts`), 'export function longest() {}\n')
      const deep = join(shop, ...Array.from({ length: 200 }, (_, i) => `d${i}`))
      mkdirSync(deep, { recursive: true })
      write(join(deep, 'leaf.ts'), 'export function leaf() {}\n')
      write(
        Buffer.concat([Buffer.from(join(shop, 'bad')), Buffer.from([0xff]), Buffer.from('.ts')]),
        'export function bad() {}\n',
      )
      symlinkSync('loop.ts', join(shop, 'loop.ts'))
      symlinkSync('..', join(shop, 'around'))
      write(join(shop, 'one-line.js'), `const a = "${'x'.repeat(5_000_000)}"`)
      write(join(shop, 'made.ts'), '// @generated\nexport function made() {}\n')
      write(join(shop, 'sparse.ts'), '')
      truncateSync(join(shop, 'sparse.ts'), 5_000_000_000)
      const client = start(at)
      const { structuredContent } = await client.call('ingest', { path: at.project })
      const problems = JSON.stringify(structuredContent?.problems)
      for (const it of ['not valid UTF-8', 'one-line.js', 'sparse.ts']) expect(problems).toContain(it)
      expect(JSON.stringify(structuredContent?.warnings)).toContain('2 symbolic links were not followed')
      for (const it of ['longest', 'leaf']) {
        const found = await client.call('seek', { query: it })
        expect(found.content[0].text, it).toContain(`fn::${it}`)
      }
      expect((await client.end()).code).toBe(0)
      socket.close()
    },
  )
})
