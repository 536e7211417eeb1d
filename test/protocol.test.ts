/** The program as its clients meet it: a process with pipes. */

import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client as ReferenceClient } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, commit, copyOf, PROGRAM, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'till', version: '1' } }

function start({
  args = [],
  project = copyOf('shop'),
  home = temporaryFolder(),
  cwd = project,
}: {
  args?: string[]
  project?: string
  home?: string
  cwd?: string
} = {}) {
  const client = new Client(args, { cwd, env: { M1ND_HOME: home, M1ND_PROJECT: '', M1ND_PARALLELISM: '1' } })
  return { client, project, home }
}

/** Standard output, standard error and exit code of a command. */
function run(
  args: string[],
  { cwd, home }: { cwd: string; home: string },
): Promise<{ stdout: string; stderr: string; code: number }> {
  return new Promise((resolve) => {
    const env = { ...process.env, M1ND_HOME: home, M1ND_PROJECT: '', NO_COLOR: '1', M1ND_PARALLELISM: '1' }
    const child = execFile(process.execPath, [PROGRAM, ...args], { cwd, env }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: typeof error?.code === 'number' ? error.code : 0 })
    })
    child.stdin?.end()
  })
}

describe('the handshake', () => {
  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('version %s is answered with %s', async (asked, answered) => {
    const { client } = start({ args: ['--ephemeral'] })
    const { result } = await client.request('initialize', { ...INITIALIZE, protocolVersion: asked })
    expect(result).toMatchObject({
      protocolVersion: answered,
      serverInfo: { name: 'm1nd-mcp' },
      capabilities: { tools: {} },
    })
    expect(JSON.stringify(result).length).toBeLessThan(2500)
    await client.end()
  })

  test('parameters may be left out, and tools may be called before it', async () => {
    const { client } = start({ args: ['--ephemeral'] })
    expect((await client.call('health', {})).structuredContent).toMatchObject({
      status: 'ok',
      node_count: 0,
      mode: 'memory',
    })
    expect(await client.request('initialize')).toHaveProperty('result.protocolVersion', '2025-11-25')
    await client.end()
  })

  test('a client of the stateless era is served without one', async () => {
    const { client } = start({ args: ['--ephemeral'] })
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'till', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    expect(await client.request('server/discover', { _meta })).toHaveProperty('result.supportedVersions', [
      '2026-07-28',
    ])
    const { result } = await client.request('tools/list', { _meta })
    expect(result).toHaveProperty('tools.0.name')
    const health = await client.call('health', {}, _meta)
    expect(health.structuredContent).toHaveProperty('status', 'ok')
    expect(await client.request('resources/list', { _meta })).toMatchObject({ result: { resources: [] } })
    await client.end()
  })

  test.each(['legacy', 'auto'] as const)(
    'the client of the reference implementation is served, in mode %s',
    async (mode) => {
      const project = copyOf('shop')
      const reference = new ReferenceClient({ name: 'till', version: '1' }, { versionNegotiation: { mode } })
      const env = { PATH: process.env.PATH ?? '', M1ND_HOME: temporaryFolder(), M1ND_PARALLELISM: '1' }
      await reference.connect(
        new StdioClientTransport({ command: process.execPath, args: [PROGRAM], cwd: project, env, stderr: 'ignore' }),
      )
      expect(reference.getServerVersion()).toMatchObject({ name: 'm1nd-mcp' })
      expect((await reference.listTools()).tools.length).toBeGreaterThan(20)
      const steps: number[] = []
      const ingest = { name: 'ingest', arguments: { agent_id: 'dev', path: project } }
      await reference.callTool(ingest, { onprogress: ({ progress }) => steps.push(progress) })
      expect(steps.length).toBeGreaterThan(0)
      const stop = new AbortController()
      const unwanted = reference.callTool(ingest, { signal: stop.signal })
      stop.abort()
      await expect(unwanted).rejects.toThrow(/abort/i)
      const impact = { name: 'impact', arguments: { agent_id: 'dev', node_id: 'price.ts' } }
      expect(JSON.stringify((await reference.callTool(impact)).structuredContent)).toContain('cart.ts')
      await reference.close()
    },
  )

  test('lists that are not offered are empty, ping is answered, other methods are not known', async () => {
    const { client } = start({ args: ['--ephemeral'] })
    await client.request('initialize', INITIALIZE)
    expect(await client.request('ping')).toHaveProperty('result', {})
    expect(await client.request('resources/list')).toHaveProperty('result.resources', [])
    expect(await client.request('resources/templates/list')).toHaveProperty('result.resourceTemplates', [])
    expect(await client.request('prompts/list')).toHaveProperty('result.prompts', [])
    expect(await client.request('shop/open')).toHaveProperty('error', {
      code: -32601,
      message: 'Method not found: shop/open',
    })
    await client.end()
  })
})

describe('tools', () => {
  test('are listed under plain names, all or the core of them', async () => {
    const names = async (args: string[]) => {
      const { client } = start({ args: ['--ephemeral', ...args] })
      const { result } = await client.request('tools/list', { cursor: 'ignored' })
      await client.end()
      if (typeof result !== 'object' || result === null || !('tools' in result) || !Array.isArray(result.tools))
        throw new Error('no list')
      return result.tools.map((it: { name: string }) => it.name)
    }
    const [all, core] = [await names([]), await names(['--toolset', 'core'])]
    expect(all).toContain('drift')
    expect(core).toContain('impact')
    expect(core).not.toContain('drift')
    expect(all.every((it) => /^[a-z_]+$/.test(it))).toBe(true)
  })

  test('answer in every spelling, with the same data as text and as structure', async () => {
    const { client, project } = start({ args: ['--ephemeral'] })
    const { content, structuredContent, isError } = await client.call('m1nd.ingest', { path: project })
    expect(isError).toBeUndefined()
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    for (const name of ['health', 'm1nd.health', 'm1nd_health']) {
      expect((await client.call(name, {})).structuredContent).toHaveProperty(
        'node_count',
        structuredContent?.node_count,
      )
    }
    await client.end()
  })

  test('that do not exist or cannot answer say so in an error result, not in a protocol error', async () => {
    const { client, project } = start({ args: ['--ephemeral'] })
    const unknown = await client.call('imapct', {})
    expect(unknown.isError).toBe(true)
    expect(unknown.structuredContent).toBeUndefined()
    expect(unknown.content[0].text).toBe('Error: Unknown tool: imapct')
    expect(JSON.parse(unknown.content[1].text)).toMatchObject({ code: 'unknown_tool', hint: 'Did you mean impact?' })
    expect((await client.call('impact', { node_id: 'price.ts' })).content[1].text).toContain('graph_empty')
    await client.call('ingest', { path: project })
    expect((await client.call('impact', { node_id: 'file::nonexistent.py' })).content[0].text).toBe(
      'Error: Node not found: file::nonexistent.py',
    )
    await client.end()
  })

  test('an ingest reports how far it is, always rising, under the token of the client', async () => {
    const { client, project } = start({ args: ['--ephemeral'] })
    await client.call('ingest', { path: project }, { progressToken: 'till-7' })
    const steps = client.notifications.map(({ params }) => params)
    expect(steps.length).toBeGreaterThan(0)
    let last = -1
    for (const it of steps) {
      expect(it).toMatchObject({ progressToken: 'till-7', total: 100 })
      const progress = typeof it === 'object' && it !== null && 'progress' in it ? Number(it.progress) : Number.NaN
      expect(progress).toBeGreaterThan(last)
      last = progress
    }
    await client.end()
  })

  test('a cancelled ingest leaves the graph as it was, and the server goes on', async () => {
    const { client, project } = start({ args: ['--ephemeral'] })
    await client.call('ingest', { path: project })
    client.send({
      id: 'long',
      method: 'tools/call',
      params: { name: 'ingest', arguments: { agent_id: 'dev', path: project } },
    })
    client.send({ method: 'notifications/cancelled', params: { requestId: 'long' } })
    const { structuredContent } = await client.call('health', {})
    expect(structuredContent).toHaveProperty('graph_generation', 1)
    await client.end()
    expect(client.stdout).not.toContain('"long"')
  })

  test('calls sent without waiting are answered in the order that makes sense', async () => {
    const { client, project } = start({ args: ['--ephemeral'] })
    const [ingested, asked] = await Promise.all([
      client.call('ingest', { path: project }),
      client.call('impact', { node_id: 'price.ts' }),
    ])
    expect([ingested.isError, asked.isError]).toEqual([undefined, undefined])
    await client.end()
  })
})

describe('one question, four ways', () => {
  test('gives the same answer over a pipe, in the other framing, over HTTP, and on the command line', async () => {
    const project = copyOf('shop')
    const home = temporaryFolder()
    expect((await run(['ingest', '.', '--project', project], { cwd: project, home })).code).toBe(0)

    const printed = await run(['impact', 'price.ts', '--json', '--project', project], { cwd: project, home })
    const { client } = start({ args: ['--serve', '--stdio', '--port', '0', '--project', project], home, project })
    const url = await pageOf(client)
    const { structuredContent } = await client.call('impact', { node_id: 'price.ts' })
    const fetched = await fetch(`${url}/api/tools/impact`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'dev', node_id: 'price.ts' }),
    })
    const overHttp: { result: Record<string, unknown> } = JSON.parse(await fetched.text())
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 99,
      method: 'tools/call',
      params: { name: 'impact', arguments: { agent_id: 'dev', node_id: 'price.ts' } },
    })
    const before = client.stdout.length
    client.process.stdout.removeAllListeners('data')
    let framed = ''
    client.process.stdout.on('data', (chunk) => {
      framed += chunk
    })
    client.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    await client.end()
    expect(before).toBeGreaterThan(0)
    const [head, answer] = framed.split('\r\n\r\n')
    expect(head).toBe(`Content-Length: ${Buffer.byteLength(answer)}`)

    const same = { elapsed_ms: 0 }
    expect({ ...overHttp.result, ...same }).toEqual({ ...structuredContent, ...same })
    expect(overHttp.result.url).toBe(`${url}/impact/file%3A%3Asrc%2Fprice.ts`)
    delete structuredContent?.url
    const framedAnswer = JSON.parse(answer).result.structuredContent
    delete framedAnswer.url
    expect({ ...JSON.parse(printed.stdout), ...same }).toEqual({ ...structuredContent, ...same })
    expect({ ...framedAnswer, ...same }).toEqual({ ...structuredContent, ...same })
  })
})

/** The address that a server says it listens at. */
async function pageOf(client: Client): Promise<string> {
  await expect.poll(() => client.stderr).toMatch(/MCP at \S+\/mcp/)
  return /MCP at (\S+)\/mcp/.exec(client.stderr)?.[1] ?? ''
}

describe('serving over HTTP', () => {
  test('beside a client on the pipe shares one graph with it, and ends with it', async () => {
    const { client, project } = start({ args: ['--serve', '--stdio', '--port', '0'] })
    const url = await pageOf(client)
    await client.call('ingest', { path: project })
    const stats: unknown = await (await fetch(`${url}/api/graph/stats`)).json()
    expect(stats).toMatchObject({ served_brain: { project_root: project } })
    expect((await client.call('health', {})).structuredContent).toMatchObject({
      node_count: Object(stats).node_count,
      url: `${url}/health`,
    })
    expect(await client.end()).toEqual({ code: 0, signal: null })
    await expect(fetch(`${url}/api/health`)).rejects.toThrow('fetch failed')
    expect(client.stdout.split('\n').every((it) => it === '' || it.startsWith('{'))).toBe(true)
  })

  test.each([[['serve']], [['--serve']]])(
    'alone (%j) goes on without a client, and a signal ends and saves it',
    async (args) => {
      const { client, project, home } = start({ args: [...args, '--port', '0'] })
      const url = await pageOf(client)
      client.process.stdin.end()
      await fetch(`${url}/api/tools/ingest`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ agent_id: 'dev', path: project }),
      })
      const events = await fetch(`${url}/api/events`)
      client.process.kill('SIGTERM')
      expect(await client.exited).toEqual({ code: 0, signal: null })
      expect(await events.text()).toContain('m1nd')
      expect(client.stdout).toBe('')
      const [folder] = readdirSync(join(home, 'projects'))
      expect(existsSync(join(home, 'projects', folder, 'graph.bin'))).toBe(true)
    },
  )

  test('a port that is taken is named; with a client on the pipe, that one is served', async () => {
    const { client } = start({ args: ['serve', '--ephemeral', '--port', '0'] })
    const { port } = new URL(await pageOf(client))
    const alone = start({ args: ['serve', '--ephemeral', '--port', port] })
    expect((await alone.client.exited).code).toBe(3)
    expect(alone.client.stderr).toContain(`Port ${port} of 127.0.0.1 is taken`)
    const both = start({ args: ['--serve', '--stdio', '--ephemeral', '--port', port] })
    expect((await both.client.call('health', {})).structuredContent).toHaveProperty('status', 'ok')
    await expect.poll(() => both.client.stderr).toContain('Only the client on standard input is served')
    expect((await both.client.end()).code).toBe(0)
    client.process.kill('SIGTERM')
    await client.exited
  })

  test('beyond this machine without a token, or with a wrong value, does not start', async () => {
    const open = start({ args: ['serve', '--ephemeral', '--port', '0', '--bind', '0.0.0.0', '--allow-remote'] })
    expect((await open.client.exited).code).toBe(3)
    expect(open.client.stderr).toContain('M1ND_TOKEN')
    const wrong = start({ args: ['serve', '--ephemeral', '--port', '70000'] })
    expect((await wrong.client.exited).code).toBe(2)
    expect(wrong.client.stderr).toContain('--port')
  })

  test('beside a process that owns the state asks that one, and shows what it has saved', async () => {
    const { client: owner, project, home } = start()
    await owner.call('ingest', { path: project })
    const { client } = start({ args: ['serve', '--port', '0', '--project', project], project, home })
    const url = await pageOf(client)
    const nodes = async () => Object(await (await fetch(`${url}/api/graph/stats`)).json()).node_count
    const before = await nodes()
    expect(before).toBeGreaterThan(10)
    writeFileSync(join(project, 'src/till.ts'), 'export function openTill() {}\n')
    const health = await fetch(`${url}/api/tools/ingest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'dev', path: project }),
    })
    expect(health.status).toBe(200)
    await expect.poll(nodes).toBe(before + 2)

    const events = await fetch(`${url}/api/events`)
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
    let told = ''
    void (async () => {
      for (;;) {
        const part = await reader?.read()
        if (part === undefined || part.done) return
        told += part.value
      }
    })()
    // what the other client does is seen here, and what is done from here is seen once
    await expect
      .poll(async () => {
        await owner.call('learn', { agent_id: 'other', feedback: 'correct', node_ids: ['cart.ts'] })
        return told
      })
      .toContain('event: learn\ndata: {"agent_id":"other"')
    const answer = await fetch(`${url}/api/tools/impact`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'dev', node_id: 'price.ts' }),
    })
    expect(Object(await answer.json()).result.url).toContain(`${url}/impact/`)
    await expect.poll(() => told).toContain('"tool":"impact"')
    expect(told.match(/event: tool_result\ndata: \{"tool":"impact"/g)).toHaveLength(1)
    expect(told).toContain('"source":"http"')
    client.process.kill('SIGTERM')
    await client.exited
    await owner.end()
  })
})

describe('the end', () => {
  test('of input lets requests be answered, saves and exits with 0', async () => {
    const { client, project, home } = start()
    const ingested = client.call('ingest', { path: project })
    client.process.stdin.end()
    expect((await ingested).isError).toBeUndefined()
    expect(await client.exited).toEqual({ code: 0, signal: null })
    const [folder] = readdirSync(join(home, 'projects'))
    expect(readdirSync(join(home, 'projects', folder)).sort()).toEqual([
      'facts.bin',
      'graph.bin',
      'plasticity_state.json',
      'records.json',
    ])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s saves what was learned and exits with 0',
    async (signal) => {
      const { client, project, home } = start()
      await client.call('ingest', { path: project })
      await client.call('activate', { query: 'cart total' })
      client.process.kill(signal)
      expect(await client.exited).toEqual({ code: 0, signal: null })
      const [folder] = readdirSync(join(home, 'projects'))
      const learned = JSON.parse(readFileSync(join(home, 'projects', folder, 'plasticity_state.json'), 'utf8'))
      expect(learned.query_number).toBe(1)
    },
  )

  test('of input comes before the end of the answers, however slowly they are read', async () => {
    const { client } = start({ args: ['--ephemeral'] })
    client.process.stdout.pause()
    for (let i = 0; i < 60; i++) client.send({ id: i, method: 'tools/list' })
    client.process.stdin.end()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    client.process.stdout.resume()
    await new Promise((resolve) => client.process.stdout.once('close', resolve))
    expect(client.stdout.endsWith('\n')).toBe(true)
    expect(client.stdout.split('\n')).toHaveLength(61)
  })

  test('by a client that stops reading is an end too', async () => {
    const { client } = start({ args: ['--ephemeral'] })
    await client.call('health', {})
    client.process.stdout.destroy()
    for (let i = 0; i < 20; i++) client.send({ id: i, method: 'ping' })
    expect((await client.exited).code).toBe(0)
  })

  test('of the parent process ends the server too, although its input stays open', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      spawn(process.execPath, [${JSON.stringify(PROGRAM)}, '--ephemeral'], { stdio: 'inherit' })
      setTimeout(() => process.exit(0), 500)`
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] })
    parent.stdout.resume()
    // closed once the last process that holds it is gone
    await new Promise((resolve) => parent.stdout.once('close', resolve))
    expect(parent.exitCode).toBe(0)
    parent.stdin.destroy()
  })

  test('by kill right after feedback keeps the feedback', async () => {
    const { client, project, home } = start()
    await client.call('ingest', { path: project })
    await client.call('learn', { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] })
    client.process.kill('SIGKILL')
    await client.exited
    const next = start({ project, home })
    expect((await next.client.call('health', {})).structuredContent?.plasticity_records).toBeGreaterThan(0)
    await next.client.end()
  })

  test('by kill leaves state that can be read', async () => {
    const { client, project, home } = start()
    await client.call('ingest', { path: project })
    void client.call('ingest', { path: project })
    await new Promise((resolve) => setTimeout(resolve, 300))
    client.process.kill('SIGKILL')
    await client.exited
    const next = start({ project, home })
    const { structuredContent } = await next.client.call('health', {})
    expect(structuredContent).toMatchObject({ status: 'ok', mode: 'file', warnings: [] })
    expect(structuredContent?.node_count).toBeGreaterThan(10)
    await next.client.end()
  })
})

describe('state', () => {
  test('is there after a restart: graph, weights and counters', async () => {
    const project = copyOf('shop')
    commit(project, 'Open the shop')
    const home = temporaryFolder()
    const first = start({ project, home }).client
    await first.call('ingest', { path: project })
    await first.call('learn', { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] })
    const before = (await first.call('health', {})).structuredContent
    await first.end()

    const second = start({ project, home, cwd: join(project, 'src') }).client
    const after = (await second.call('health', {})).structuredContent
    for (const it of [
      'node_count',
      'edge_count',
      'graph_generation',
      'plasticity_generation',
      'plasticity_records',
      'project',
    ]) {
      expect(after?.[it], it).toEqual(before?.[it])
    }
    expect(after?.plasticity_records).toBeGreaterThan(0)
    await second.end()
  })

  test('that cannot be read is set aside, reported, and never overwritten', async () => {
    const { client, project, home } = start()
    await client.call('ingest', { path: project })
    await client.end()
    const [name] = readdirSync(join(home, 'projects'))
    const folder = join(home, 'projects', name)
    writeFileSync(join(folder, 'graph.bin'), 'torn in two')
    const next = start({ project, home }).client
    const { structuredContent } = await next.call('health', {})
    expect(structuredContent).toMatchObject({ status: 'degraded', healthy: false, node_count: 0 })
    await next.call('ingest', { path: project })
    await next.end()
    const aside = readdirSync(folder).filter((it) => it.startsWith('graph.bin.corrupt-'))
    expect(aside.map((it) => readFileSync(join(folder, it), 'utf8'))).toEqual(['torn in two'])
  })

  test('in a named JSON file is written at once, and read again', async () => {
    const project = copyOf('shop')
    const folder = temporaryFolder()
    const graph = join(folder, 'graph_snapshot.json')
    const first = start({ project, args: ['--graph', graph] }).client
    const { structuredContent } = await first.call('ingest', { path: project })
    const snapshot = JSON.parse(readFileSync(graph, 'utf8'))
    expect(snapshot).toMatchObject({ version: 3 })
    expect(snapshot.nodes).toHaveLength(Number(structuredContent?.node_count))
    await first.end()

    // a file that somebody put there instead is what counts
    writeFileSync(
      graph,
      JSON.stringify({
        version: 3,
        nodes: [{ external_id: 'file::till.ts', label: 'till.ts', node_type: 0, tags: [] }],
        edges: [],
      }),
    )
    const second = start({ project, args: ['--graph', graph] }).client
    expect((await second.call('health', {})).structuredContent).toHaveProperty('node_count', 1)
    await second.end()
  })

  test('is never written into the project, nor for a process that was asked nothing', async () => {
    const { client, project, home } = start()
    const before = readdirSync(project)
    await client.request('initialize', INITIALIZE)
    await client.end()
    const other = start({ project }).client
    await other.call('ingest', { path: project })
    await other.end()
    expect(readdirSync(project)).toEqual(before)
    expect(existsSync(join(home, 'projects'))).toBe(false)
  })
})

describe('the project', () => {
  test('is the folder that the client works in, when the server was started elsewhere', async () => {
    const { client: preparing, project, home } = start()
    await preparing.call('ingest', { path: project })
    await preparing.end()

    const { client } = start({ home, cwd: temporaryFolder() })
    client.answers['roots/list'] = { roots: [{ uri: `file://${project}`, name: 'shop' }] }
    await client.request('initialize', { ...INITIALIZE, capabilities: { roots: {} } })
    client.send({ method: 'notifications/initialized' })
    expect((await client.call('impact', { node_id: 'price.ts' })).isError).toBeUndefined()
    expect((await client.call('health', {})).structuredContent).toHaveProperty('project', project)
    await client.end()
  })

  test('changes with an ingest of another one, and each keeps its own graph', async () => {
    const home = temporaryFolder()
    const { client, project } = start({ home })
    await client.call('ingest', { path: project })
    const other = copyOf('shop')
    mkdirSync(join(other, 'more'))
    writeFileSync(join(other, 'more', 'scale.ts'), 'export function weigh() { return 1 }\n')
    const { structuredContent } = await client.call('ingest', { path: other })
    expect(structuredContent).toMatchObject({ roots: [other], graph_generation: 1 })
    await client.end()
    expect(readdirSync(join(home, 'projects'))).toHaveLength(2)
  })
})

describe('names of a hostile project', () => {
  test('cannot command the terminal, and stay whole in what a program reads', async () => {
    const project = temporaryFolder()
    const name = 'till\u001b[31m\u009b2J\u202e.py'
    writeFileSync(join(project, name), 'def weigh():\n    pass\n')
    const home = temporaryFolder()
    const m1nd = (...args: string[]) => run(args, { cwd: project, home })
    await m1nd('ingest', '.')
    const outputs = [await m1nd('seek', 'weigh'), await m1nd('impact', name), await m1nd('impact', `no${name}`)]
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toMatch(/[\u001b\u009b\u202e]/)
    const json = await m1nd('seek', 'weigh', '--json')
    expect(json.stdout).not.toMatch(/[\u001b\u009b\u202e]/)
    expect(JSON.parse(json.stdout).results[0].file_path).toBe(name)
  })
})

describe('the command line', () => {
  const project = copyOf('shop')
  const home = temporaryFolder()
  const m1nd = (...args: string[]) => run(args, { cwd: project, home })

  test('says how to begin, in three lines, before anything is ingested', async () => {
    const { stderr, stdout, code } = await m1nd('impact', 'price.ts', '--project', project)
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr.trimEnd().split('\n')).toEqual([
      'error: impact: graph empty',
      'The graph is empty: nothing has been ingested.',
      'Read the project first: m1nd ingest . (or the path of another project).',
    ])
  })

  test('ingests, answers and finds nothing, each with its exit code', async () => {
    const ingested = await m1nd('ingest', '.')
    expect(ingested.stderr).toBe('')
    expect(ingested.stdout).toMatch(/^\d+ nodes and \d+ edges from 2\d files in /)
    expect(ingested.code).toBe(0)
    expect(await m1nd('impact', 'price.ts', '--no-include-causal-chains')).toMatchObject({ code: 0, stderr: '' })
    expect((await m1nd('impact', 'nonexistent.ts')).code).toBe(1)
    expect(await m1nd('resonate', '--query', 'zzyzx')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('zzyzx'),
    })
    expect(await m1nd('fingerprint', '--target-node', 'price.ts', '--similarity-threshold', '1')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('as alike as 1'),
    })
    expect(await m1nd('counterfactual', 'README.md', 'nonexistent.ts')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Not found: nonexistent.ts'),
    })
    expect((await m1nd('differential', 'gone.json', 'current')).code).toBe(2)
    expect((await m1nd('impact', 'price.ts', '--depth', 'far')).code).toBe(2)
    expect((await m1nd('ingest', './no-such-folder')).code).toBe(2)
  })

  test('explains what the system refuses in three lines', async () => {
    const { stderr, code } = await m1nd('export', '--out', '/no/such/folder/graph.json')
    expect(code).toBe(3)
    expect(stderr.trimEnd().split('\n')).toHaveLength(3)
    expect(stderr).toContain('ENOENT')
  })

  test('explains wrong use in three lines', async () => {
    const wrong = await m1nd('impact', 'price.ts', '--depth', 'far')
    expect(wrong.stderr).toMatch(
      /^error: impact: invalid params\nInvalid params for impact: depth: expected a whole number .*, got "far"\nimpact takes .*\n$/,
    )
    expect((await m1nd('imapct', 'price.ts')).stderr).toContain('Did you mean m1nd impact?')
    expect((await m1nd('impact', '--colour', 'red')).code).toBe(2)
    expect(await m1nd('--domain', 'maths', 'health')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--domain: "maths" is not one of'),
    })
    expect((await m1nd('--config', 'missing.json', 'health')).code).toBe(2)
  })

  test('helps on one screen, with two examples at the end', async () => {
    const { stdout, code } = await m1nd('impact', '--help')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(lines.slice(-2).every((it) => it.startsWith('  m1nd impact'))).toBe(true)
    expect((await m1nd('--help')).stdout).toContain('m1nd ingest .')
    expect((await m1nd('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
