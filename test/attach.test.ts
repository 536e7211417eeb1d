/** `--attach`: a client on the pipe is served by a server over HTTP that runs already. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, copyOf, temporaryFolder } from './support.ts'

const open = new Set<Client>()

beforeAll(buildProgram)
afterEach(async () => {
  for (const it of open) it.process.kill('SIGKILL')
  await Promise.all([...open].map((it) => it.exited))
  open.clear()
})
afterAll(cleanUp)

interface Place {
  project: string
  home: string
}

const place = (): Place => ({ project: copyOf('shop'), home: temporaryFolder() })

function run(args: string[], { project, home }: Place, env: Record<string, string> = {}): Client {
  const settings = { M1ND_HOME: home, M1ND_PROJECT: '', M1ND_PARALLELISM: '1', M1ND_TYPESCRIPT_CHECKER: 'off' }
  const client = new Client(args, { cwd: project, env: { ...settings, ...env } })
  open.add(client)
  return client
}

/** A server that listens, and where. */
async function serve(at: Place, port = 0, env: Record<string, string> = {}): Promise<{ server: Client; url: string }> {
  const server = run(['serve', '--port', String(port)], at, env)
  await expect.poll(() => server.stderr, { timeout: 20_000 }).toContain('MCP at')
  return { server, url: /at (http:\S+)\/,/.exec(server.stderr)?.[1] ?? '' }
}

async function end(server: Client): Promise<void> {
  server.process.kill('SIGTERM')
  await server.exited
}

describe('a client that is attached', { timeout: 90_000 }, () => {
  test('is answered as by the server itself, in both framings, and leaves no state of its own', async () => {
    const at = place()
    const { server, url } = await serve(at)
    const empty = temporaryFolder()
    const client = run(['--attach', url], { project: at.project, home: empty })
    const { result } = await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'till', version: '1' },
    })
    expect(result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'm1nd-mcp' } })
    client.send({ method: 'notifications/initialized' })
    const steps = await client.call('ingest', { path: at.project }, { progressToken: 'till-1' })
    expect(steps.structuredContent?.node_count).toBeGreaterThan(10)
    expect(client.notifications.map((it) => it.method)).toContain('notifications/progress')
    expect((await client.call('impact', { node_id: 'price.ts' })).content[0].text).toContain('cart.ts')
    expect((await client.call('impact', { node_id: 'nowhere' })).isError).toBe(true)
    expect(await client.request('no/such/method')).toMatchObject({ error: { code: -32601 } })

    const ping = '{"jsonrpc":"2.0","id":"framed","method":"ping"}'
    client.raw = true
    const before = client.stdout.length
    client.process.stdin.write(`Content-Length: ${ping.length}\r\n\r\n${ping}`)
    await expect.poll(() => client.stdout.slice(before)).toMatch(/^Content-Length: \d+\r\n\r\n\{.*"id":"framed"\}$/)
    const batch = '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]'
    client.process.stdin.write(`${batch}\n`)
    await expect.poll(() => client.stdout).toMatch(/\n?\[\{.*"id":"a".*"id":"b".*\]\n$/)
    expect((await client.end()).code).toBe(0)
    expect(readdirSync(empty)).toEqual([])
    await end(server)
  })

  test('hears what others change', async () => {
    const at = place()
    const { server, url } = await serve(at)
    const first = run(['--attach', `${url}/mcp`], at)
    const second = run(['--attach', `${url}/`], at)
    // without a handshake too
    await first.call('ingest', { path: at.project })
    await second.call('health', {})
    await first.call('learn', { feedback: 'correct', node_ids: ['cart.ts'] })
    await expect
      .poll(() => JSON.stringify(second.notifications), { timeout: 10_000 })
      .toMatch(/notifications\/m1nd\/graph_changed.*learn/)
    expect(first.notifications).toEqual([])
    await Promise.all([first.end(), second.end(), end(server)])
  })

  test('of the stateless era is served without a session', async () => {
    const at = place()
    const { server, url } = await serve(at)
    const client = run(['--attach', url], at)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'till', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    expect(await client.request('server/discover', { _meta })).toHaveProperty('result.supportedVersions', [
      '2026-07-28',
    ])
    expect((await client.call('health', {}, _meta)).structuredContent).toHaveProperty('status')
    expect((await client.call('späte Größe', {}, _meta)).content[0].text).toContain('Unknown tool')
    await Promise.all([client.end(), end(server)])
  })

  test('is told for every request that the server is gone, and goes on when it is back', async () => {
    const at = place()
    const { server, url } = await serve(at)
    const client = run(['--attach', url], at)
    await client.call('ingest', { path: at.project })
    await end(server)
    for (let i = 0; i < 2; i++)
      expect(await client.request('tools/call', { name: 'health', arguments: { agent_id: 'dev' } })).toMatchObject({
        error: { code: -32000, message: expect.stringContaining(`No m1nd server answers at ${url}`) },
      })
    const again = await serve(at, Number(new URL(url).port))
    expect((await client.call('seek', { query: 'cart total' })).structuredContent?.results).not.toHaveLength(0)
    await Promise.all([client.end(), end(again.server)])
  })

  test('finds the server of its folder by itself, wherever below it works, and no other', async () => {
    const at = place()
    const { server, url } = await serve(at)
    await run(['--attach', url], at).call('ingest', { path: at.project })
    const other = { project: copyOf('shop'), home: at.home }
    const second = await serve(other)
    mkdirSync(join(at.project, 'deep', 'down'), { recursive: true })
    const inside = run(['--attach', 'auto'], { project: join(at.project, 'deep', 'down'), home: at.home })
    expect((await inside.call('health', {})).structuredContent).toMatchObject({ project: at.project })
    const outside = run([], { project: temporaryFolder(), home: at.home }, { M1ND_ATTACH_URL: 'auto' })
    expect(await outside.request('ping')).toMatchObject({ error: { message: expect.stringContaining('m1nd serve') } })
    await end(server)
    await end(second.server)
    expect(readdirSync(join(at.home, 'registry', 'instances'))).toEqual([])
  })

  test('is not written down by a server that writes nothing', async () => {
    const at = place()
    const server = run(['serve', '--port', '0', '--ephemeral'], at)
    await expect.poll(() => server.stderr, { timeout: 20_000 }).toContain('MCP at')
    await end(server)
    expect(readdirSync(at.home)).toEqual([])
  })

  test('brings the token, and is told when it is missing', async () => {
    const at = place()
    const { server, url } = await serve(at, 0, { M1ND_TOKEN: 'otter' })
    const without = run(['--attach', url], at)
    expect(await without.request('ping')).toMatchObject({ error: { message: expect.stringContaining('token') } })
    // and the environment is stronger than the flag
    const withIt = run(['--attach', 'http://127.0.0.1:1'], at, { M1ND_TOKEN: 'otter', M1ND_ATTACH_URL: url })
    expect((await withIt.call('health', {})).structuredContent).toHaveProperty('status')
    await Promise.all([without.end(), withIt.end(), end(server)])
  })

  test('cancels what it no longer wants', async () => {
    const at = place()
    for (let i = 0; i < 300; i++)
      writeFileSync(join(at.project, `shelf${i}.ts`), `export function shelf${i}() { return ${i} }\n`.repeat(40))
    const { server, url } = await serve(at)
    const client = run(['--attach', url], at)
    await client.call('health', {})
    client.send({
      id: 'long',
      method: 'tools/call',
      params: { name: 'ingest', arguments: { agent_id: 'dev', path: at.project } },
    })
    await new Promise((resolve) => setTimeout(resolve, 150))
    client.send({ method: 'notifications/cancelled', params: { requestId: 'long' } })
    expect((await client.call('health', {})).structuredContent).toMatchObject({ graph_generation: 0 })
    await expect
      .poll(async () => (await client.call('health', {})).structuredContent?.working, { timeout: 5000 })
      .toBeNull()
    expect((await client.call('health', {})).structuredContent).toMatchObject({ graph_generation: 0 })
    await Promise.all([client.end(), end(server)])
    expect(client.stdout).not.toContain('"long"')
  })

  test.each([
    [['--attach', 'somewhere'], 'is not auto or an address'],
    [['--attach', 'file:///etc/passwd'], 'is not auto or an address'],
    [['--attach', 'http://example.com'], 'is another machine'],
    [['serve', '--attach', 'http://127.0.0.1:1337'], 'leave one of the two out'],
  ])('%j is refused', async (args, why) => {
    const client = run(args, place())
    expect((await client.exited).code).toBe(2)
    expect(client.stderr).toContain(why)
  })
})
