/** Several processes on the state of one project: one owns it, the others ask through it, and one of them follows it. */

import { execFile } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, copyOf, PROGRAM, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

interface Place {
  project: string
  home: string
}

const place = (): Place => ({ project: copyOf('shop'), home: temporaryFolder() })

const environment = (home: string) => ({ M1ND_HOME: home, M1ND_PROJECT: '', M1ND_PARALLELISM: '1', NO_COLOR: '1' })

function start({ project, home }: Place, args: string[] = []): Client {
  return new Client(args, { cwd: project, env: environment(home) })
}

function command(args: string[], { project, home }: Place): Promise<{ stdout: string; stderr: string; code: number }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment(home) }
    const child = execFile(process.execPath, [PROGRAM, ...args], { cwd: project, env }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: typeof error?.code === 'number' ? error.code : 0 })
    })
    child.stdin?.end()
  })
}

function stateFolder({ home }: Place): string {
  const [name] = readdirSync(join(home, 'projects'))
  return join(home, 'projects', name)
}

const LESSON = { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] }

async function records(client: Client): Promise<number> {
  const { structuredContent, content } = await client.call('health', {})
  if (structuredContent === undefined) throw new Error(JSON.stringify(content))
  return Number(structuredContent.plasticity_records)
}

describe('two processes on one project', { timeout: 120_000 }, () => {
  test('the second one answers and learns as the first does, through it', async () => {
    const at = place()
    const first = start(at)
    await first.call('ingest', { path: at.project })
    const second = start(at)
    const question = { query: 'cart total', learn: false }
    const answers = await Promise.all([first, second].map((it) => it.call('seek', question)))
    const rows = answers.map((it) => it.structuredContent?.results)
    expect(rows[1]).toEqual(rows[0])
    expect(rows[0]).not.toHaveLength(0)

    expect((await second.call('learn', LESSON)).isError).toBeUndefined()
    expect(await records(first)).toBeGreaterThan(0)
    writeFileSync(
      join(at.project, 'receipt.ts'),
      "import { total } from './cart'\nexport const receipt = () => total()\n",
    )
    expect((await second.call('ingest', { path: at.project, incremental: true })).isError).toBeUndefined()
    expect((await first.call('impact', { node_id: 'cart.ts' })).content[0].text).toContain('receipt')
    expect((await second.call('why', { source: 'nowhere.ts', target: 'cart.ts' })).content[1].text).toContain(
      'node_not_found',
    )
    await second.end()
    await first.end()
  })

  test('a page of the second one reads what the first one holds at the moment', async () => {
    const at = place()
    const first = start(at)
    await first.call('ingest', { path: at.project })
    await first.call('perspective_start', { query: 'cart total' })
    const second = start(at, ['--serve', '--stdio', '--port', '0'])
    await expect.poll(() => second.stderr, { timeout: 20_000 }).toMatch(/MCP at \S+\/mcp/)
    const url = /MCP at (\S+)\/mcp/.exec(second.stderr)?.[1] ?? ''
    const read = async (path: string) => {
      const response = await fetch(url + path)
      return { status: response.status, body: Object(await response.json()) }
    }
    expect((await read('/api/agents')).body.totals).toMatchObject({ perspectives: 1, sessions: 1 })
    await first.call('perspective_start', { query: 'price' })
    expect((await read('/api/agents')).body.totals.perspectives).toBe(2)
    await second.call('learn', LESSON)
    const { body } = await read('/api/learning?limit=1')
    expect(body.taught).toMatchObject([{ query: 'cart total', feedback: 'correct', grade: 1 }])
    expect(body.served_brain.project_root).toBe(at.project)
    expect((await read('/api/graph/map?open=*')).body.items.length).toBeGreaterThan(5)
    expect(await read('/api/graph/neighbours?node=nowhere')).toMatchObject({
      status: 404,
      body: { error: 'node_not_found', hint: expect.any(String) },
    })
    expect((await read('/api/agents?brain=/nowhere')).body.error).toBe('unknown_brain')
    expect((await read('/api/graph/map?edges=x')).body.error).toBe('invalid_params')
    // without the owner the second one takes over, and goes on
    first.process.kill('SIGKILL')
    await first.exited
    expect((await read('/api/agents')).body.totals.perspectives).toBe(2)
    await second.end()
  })

  test('only the user of this machine may reach it, and nothing of it stays', async () => {
    const at = place()
    const first = start(at)
    await first.call('ingest', { path: at.project })
    const folder = stateFolder(at)
    expect(statSync(join(folder, 'owner.sock')).mode & 0o077).toBe(0)
    expect(statSync(folder).mode & 0o077).toBe(0)
    await first.end()
    expect(readdirSync(folder)).not.toContain('owner.sock')
    expect(readdirSync(folder)).not.toContain('lease.json')
  })

  test('a command asks through the server that runs, also to change something', async () => {
    const at = place()
    const server = start(at)
    await server.call('ingest', { path: at.project })
    const { code, stdout } = await command(
      ['learn', '--query', 'cart total', '--feedback', 'correct', '--node-ids', 'cart.ts', '--json'],
      at,
    )
    expect(code, stdout).toBe(0)
    expect(await records(server)).toBeGreaterThan(0)
    const missing = await command(['impact', 'nowhere.ts'], at)
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('nowhere.ts')
    await server.end()
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'when the first ends by %s the second takes over, and nothing is lost',
    async (signal) => {
      const at = place()
      const first = start(at)
      await first.call('ingest', { path: at.project })
      const second = start(at)
      const third = start(at)
      await second.call('learn', LESSON)
      const before = await records(third)
      expect(before).toBeGreaterThan(0)

      first.process.kill(signal)
      await first.exited
      const seen = await Promise.all([second, third].map(records))
      expect(seen).toEqual([before, before])
      const modes = await Promise.all(
        [second, third].map(async (it) => (await it.call('health', {})).structuredContent?.mode),
      )
      expect(modes).toEqual(['file', 'file'])
      expect((await third.call('learn', { ...LESSON, query: 'price' })).isError).toBeUndefined()
      await second.end()
      await third.end()
    },
  )

  test('an answer that an owner took with it is asked again, a change is said to be uncertain', async () => {
    const at = place()
    const first = start(at)
    await first.call('ingest', { path: at.project })
    const second = start(at)
    await second.call('health', {})
    // a stopped process keeps its connections and answers nothing
    first.process.kill('SIGSTOP')
    const asked = [second.call('seek', { query: 'cart total' }), second.call('learn', LESSON)] as const
    await new Promise((resolve) => setTimeout(resolve, 300))
    first.process.kill('SIGKILL')
    const [found, learned] = await Promise.all(asked)
    expect(found.structuredContent?.results).not.toHaveLength(0)
    expect(learned.isError).toBe(true)
    expect(learned.content[0].text).toContain('not known')
    await second.end()
  })

  test('an ingest of another project is the business of the process that was asked', async () => {
    const at = place()
    const other = copyOf('shop')
    writeFileSync(join(other, 'only-here.ts'), 'export function lantern() {}\n')
    const first = start(at)
    await first.call('ingest', { path: at.project })
    const second = start(at)
    await second.call('health', {})
    expect((await second.call('ingest', { path: other })).isError).toBeUndefined()
    expect((await second.call('seek', { query: 'lantern' })).content[0].text).toContain('only-here.ts')
    expect((await first.call('seek', { query: 'lantern' })).structuredContent?.results).toHaveLength(0)
    // and when the owner goes, whoever asked through it has the state that it left
    const third = start(at)
    await third.call('health', {})
    expect((await first.call('ingest', { path: copyOf('shop') })).isError).toBeUndefined()
    expect((await third.call('health', {})).structuredContent).toMatchObject({ project: at.project, mode: 'file' })
    await Promise.all([first, second, third].map((it) => it.end()))
  })
})
