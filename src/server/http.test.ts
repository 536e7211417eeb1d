/** The server over HTTP as its clients meet it: a socket that listens. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Engine, Settings } from '#engine/brain'
import { type HttpOptions, type HttpServer, ListenError, serveHttp } from '#server/http'
import { tools } from '#tools/index'
import { answer, cleanUp, copyOf, engineFor, projectOf, temporaryFolder } from '../../test/support.ts'

const open: { http: HttpServer; engine: Engine }[] = []

/** A page as the build leaves it, in small. */
function builtPage(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>m1nd</title>')
  writeFileSync(join(folder, 'assets/page-1.css'), 'body {}')
  writeFileSync(join(folder, 'assets/page-1.js'), 'export {}')
  return folder
}

async function start(
  project: string,
  settings: Partial<Settings> = {},
  options: Partial<HttpOptions> = {},
): Promise<{ http: HttpServer; engine: Engine }> {
  const engine = engineFor(project, { port: 0, ...settings })
  const http = await serveHttp(engine, { version: '0.0.0', log: () => {}, ...options })
  open.push({ http, engine })
  return { http, engine }
}

async function stop({ http, engine }: { http: HttpServer; engine: Engine }): Promise<void> {
  await http.close(1000)
  await engine.close()
}

let shop: { http: HttpServer; engine: Engine }
let project = ''

beforeAll(async () => {
  project = copyOf('shop')
  shop = await start(project, {}, { uiFolder: builtPage() })
  open.length = 0
  await answer(shop.engine, 'ingest', { path: project })
})
afterEach(async () => {
  for (const it of open.splice(0)) await stop(it)
})
afterAll(async () => {
  await stop(shop)
  cleanUp()
})

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore format: one line
  body: Record<string, unknown>
}

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  to?: HttpServer
}

/** One request with exactly these headers; a body that is no text is sent as JSON. */
function ask(path: string, { method = 'GET', headers = {}, body, to = shop.http }: Asked = {}): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const type = text === undefined ? {} : { 'Content-Type': 'application/json' }
  return new Promise((resolve, reject) => {
    const request = send(
      { host: '127.0.0.1', port: to.port, path, method, headers: { ...type, ...headers }, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => {
          const isJson = String(response.headers['content-type']).startsWith('application/json') && text !== ''
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: isJson ? JSON.parse(text) : {},
          })
        })
      },
    )
    request.on('error', reject)
    request.end(text)
  })
}

const post = (path: string, body: unknown, more: Asked = {}) => ask(path, { method: 'POST', body, ...more })
const tool = (name: string, args: object, more: Asked = {}) =>
  post(`/api/tools/${name}`, { agent_id: 'dev', ...args }, more)

describe('health and instances', () => {
  test('health tells how the server is, with counts and who asked', async () => {
    await tool('seek', { query: 'cart total' })
    const { status, body, headers } = await ask('/api/health')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(body).toMatchObject({ status: 'ok', domain: 'code', graph_generation: 1, plasticity_generation: 0 })
    expect(body.node_count).toBeGreaterThan(10)
    expect(body.queries_processed).toBeGreaterThan(0)
    expect(body.agent_sessions).toContainEqual(
      expect.objectContaining({ agent_id: 'dev', query_count: expect.any(Number) }),
    )
  })

  test('a server without a graph is empty', async () => {
    const { http } = await start(temporaryFolder())
    expect((await ask('/api/health', { to: http })).body).toMatchObject({ status: 'empty', node_count: 0 })
  })

  test('the instance names its project, its state and its address, and is the only one listed', async () => {
    const { body } = await ask('/api/instance/self')
    expect(body).toMatchObject({ display_name: 'shop', project_root: project, last_persist_secs_ago: null })
    expect(body.instance).toMatchObject({
      instance_id: expect.stringMatching(/^inst_[0-9a-f]{16}$/),
      port: shop.http.port,
      bind: '127.0.0.1',
      pid: process.pid,
      mode: 'read_write',
      status: 'running',
      stale: false,
      conflicts: [],
      brain_kind: null,
      mailbox_open_count: null,
    })
    expect(body.graph_state).toMatchObject({ finalized: true, cache_generation: 1, ingest_roots: [project] })
    const listed = (await ask('/api/instances')).body.instances
    expect(listed).toEqual([{ ...Object(body.instance), last_heartbeat_ms: expect.any(Number) }])
  })

  test('saving by the bound name or by id says what was saved; an unknown id is not found', async () => {
    const home = temporaryFolder()
    const own = copyOf('shop')
    const { http, engine } = await start(own, { ephemeral: false, home })
    await answer(engine, 'ingest', { path: own })
    const saved = await post('/api/instance/save', {}, { to: http })
    expect(saved.body.result).toMatchObject({ persisted: true, mode: 'file', graph_generation: 1 })
    const self = Object((await ask('/api/instance/self', { to: http })).body.instance)
    expect((await post(`/api/instances/${self.instance_id}/save`, {}, { to: http })).status).toBe(200)
    expect((await post('/api/instances/inst_0/save', {}, { to: http })).body.error).toBe('instance_not_found')

    const refused = await post(`/api/instances/${self.instance_id}/delete-state`, {}, { to: http })
    expect(refused.status).toBe(400)
    expect(refused.body.message).toContain(self.instance_id)
    expect(refused.body.message).toContain(String(process.pid))
    expect((await post('/api/instances/inst_0/delete-state', {}, { to: http })).status).toBe(404)
  })
})

describe('tools', () => {
  test('are listed with their parameters and the stamp of the selector', async () => {
    const { body } = await ask('/api/tools')
    expect(body.rest_brain_selector).toBe(true)
    expect(body.tools).toHaveLength(Object.keys(tools).length)
    expect(body.tools).toContainEqual({
      name: 'impact',
      description: expect.any(String),
      inputSchema: expect.objectContaining({ type: 'object', required: ['agent_id', 'node_id'] }),
    })
  })

  test.each(['impact', 'm1nd.impact', 'm1nd_impact'])('answer under the spelling %s', async (name) => {
    const { status, body } = await tool(name, { node_id: 'price.ts' })
    expect(status).toBe(200)
    expect(body).toEqual({ result: expect.objectContaining({ source: 'file::src/price.ts' }) })
  })

  test('answer as they do elsewhere, with the address where the page shows the same', async () => {
    const { body } = await tool('impact', { node_id: 'price.ts' })
    const same = await answer(shop.engine, 'impact', { node_id: 'price.ts' })
    expect({ ...Object(body.result), elapsed_ms: 0 }).toEqual({ ...same, elapsed_ms: 0 })
    expect(same.url).toBe(`${shop.http.url}/impact/file%3A%3Asrc%2Fprice.ts`)
    expect((await answer(shop.engine, 'seek', { query: 'cart total' })).url).toBe(
      `${shop.http.url}/graph?query=cart%20total`,
    )
    expect((await answer(shop.engine, 'predict', { changed_node: 'price.ts' })).url).toBe(
      `${shop.http.url}/history/src%2Fprice.ts`,
    )
    expect((await answer(shop.engine, 'health', {})).url).toBe(`${shop.http.url}/health`)
  })

  test('every one of them can be called', async () => {
    for (const name of Object.keys(tools)) {
      const { status, body } = await post(`/api/tools/${name}`, {})
      expect([name, status, body.error]).toEqual([name, 400, 'invalid_params'])
      expect(body.message).toContain('agent_id')
      expect(body.detail).toBe(body.message)
    }
  })

  test.each([
    ['unknown_tool', 404, 'imapct', {}],
    ['invalid_params', 400, 'impact', { node_id: 'price.ts', depth: 9 }],
    ['node_not_found', 404, 'impact', { node_id: 'nowhere.ts' }],
    ['ingest_path_missing', 400, 'ingest', { path: '/no/such/folder' }],
    ['unknown_adapter', 400, 'ingest', { path: '.', adapter: 'papyrus' }],
  ])('a failure of kind %s has the status %i and says what to do', async (code, status, name, args) => {
    const failed = await tool(name, args)
    expect(failed.status).toBe(status)
    expect(failed.body).toMatchObject({ error: code, message: expect.any(String), hint: expect.any(String) })
  })

  test('an empty graph and a read-only server say so', async () => {
    const { http } = await start(temporaryFolder(), { readOnly: true })
    const empty = await tool('impact', { node_id: 'a' }, { to: http })
    expect([empty.status, empty.body.error]).toEqual([409, 'graph_empty'])
    expect(empty.body.suggested_next_step).toBe('ingest')
    const refused = await tool('ingest', { path: project }, { to: http })
    expect([refused.status, refused.body.error]).toEqual([403, 'read_only'])
    expect((await post('/api/instance/save', {}, { to: http })).body.error).toBe('read_only')
  })

  test('who names no agent counts as the one of the settings, if there is one', async () => {
    const { http } = await start(temporaryFolder(), { httpAgent: 'http' })
    expect((await post('/api/tools/health', {}, { to: http })).status).toBe(200)
    expect((await ask('/api/health', { to: http })).body.agent_sessions).toMatchObject([{ agent_id: 'http' }])
  })

  test('a call that takes too long is answered, and its end is told to watchers', async () => {
    const own = copyOf('shop')
    const { http, engine } = await start(own, { toolTimeoutMs: 100, parallelism: 1 })
    const seen: string[] = []
    engine.events.subscribe(({ type }) => seen.push(type))
    let goOn = () => {}
    const ingest = engine.ingest.bind(engine)
    engine.ingest = async (...args) => {
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return ingest(...args)
    }
    const late = await tool('ingest', { path: own }, { to: http })
    expect(late.status).toBe(504)
    expect(late.body).toMatchObject({ error: 'timeout', error_type: 'timeout', timeout_secs: 0.1 })
    expect(late.body.hint).toContain('may still finish')
    expect(seen).toContain('tool_timeout')
    goOn()
    await expect.poll(() => seen).toContain('tool_result')
  })
})

describe('the graph', () => {
  test('has counts, with the name of what answered', async () => {
    const { body } = await ask('/api/graph/stats')
    expect(body).toMatchObject({
      domain: 'code',
      namespaces: expect.any(Array),
      served_brain: { project_root: project, display_name: 'shop' },
    })
    expect(body.memory_estimate_bytes).toBeGreaterThan(1000)
  })

  test('is given as a whole, every edge between nodes that are there', async () => {
    const { body } = await ask('/api/graph/snapshot')
    const { nodes, edges } = Object(body)
    const stats = (await ask('/api/graph/stats')).body
    expect(body).toMatchObject({ version: 1, served_brain: { display_name: 'shop' } })
    expect([nodes.length, edges.length]).toEqual([stats.node_count, stats.edge_count])
    const ids = new Set(nodes.map((it: Record<string, unknown>) => it.external_id))
    for (const it of edges) {
      expect(ids.has(it.source_id) && ids.has(it.target_id)).toBe(true)
      expect([0, 1]).toContain(it.direction)
    }
    expect(nodes.find((it: Record<string, unknown>) => it.external_id === 'file::src/price.ts')).toMatchObject({
      node_type: 0,
      provenance: { source_path: 'src/price.ts', canonical: expect.any(Boolean) },
    })
  })

  test('is given in part, around a question, and nothing is learned by that', async () => {
    const before = (await ask('/api/health')).body.plasticity_generation
    const { status, body } = await ask('/api/graph/subgraph?query=cart+total&top_k=12')
    const { nodes, edges, meta } = Object(body)
    expect(status).toBe(200)
    expect(nodes[0]).toMatchObject({
      activation: expect.any(Number),
      source_path: expect.any(String),
      node_type: expect.any(Number),
    })
    expect(nodes.length).toBeLessThanOrEqual(12)
    expect(meta).toMatchObject({ query: 'cart total', rendered_nodes: nodes.length })
    const ids = new Set(nodes.map((it: Record<string, unknown>) => it.id))
    for (const it of edges) expect(ids.has(it.source) && ids.has(it.target)).toBe(true)
    expect((await ask('/api/health')).body.plasticity_generation).toBe(before)
  })

  test('hops fill up what a narrow question leaves free, nearest first', async () => {
    const sizes: number[] = []
    for (const depth of [0, 1, 4]) {
      const { nodes } = Object((await ask(`/api/graph/subgraph?query=refund&top_k=100&depth=${depth}`)).body)
      sizes.push(nodes.length)
    }
    expect(sizes[0]).toBeLessThanOrEqual(sizes[1])
    expect(sizes[1]).toBeLessThanOrEqual(sizes[2])
    expect(sizes[2]).toBeLessThanOrEqual(100)
  })

  test.each([
    ['top_k=1000&depth=99', 200],
    ['top_k=0', 200],
    ['top_k=many', 400],
    ['depth=1.5', 400],
  ])('takes %s with status %i', async (words, status) => {
    expect((await ask(`/api/graph/subgraph?query=cart&${words}`)).status).toBe(status)
  })

  test('a question without words is refused; one that cannot be answered says why in its answer', async () => {
    for (const it of ['', '?query=', '?query=%20'])
      expect((await ask(`/api/graph/subgraph${it}`)).body).toMatchObject({ error: 'missing_query' })
    const { http } = await start(temporaryFolder())
    const { status, body } = await ask('/api/graph/subgraph?query=cart', { to: http })
    expect(status).toBe(200)
    expect(body).toMatchObject({ nodes: [], edges: [], meta: { error: expect.stringContaining('empty') } })
  })
})

describe('the selector of a project', () => {
  test('is the bound one under every name of its folder', async () => {
    const alias = join(temporaryFolder(), 'alias')
    symlinkSync(project, alias)
    const plain = await ask('/api/graph/stats')
    for (const it of [project, `${project}/`, alias, '']) {
      const { status, text } = await ask(`/api/graph/stats?brain=${encodeURIComponent(it)}`)
      expect([status, text]).toEqual([200, plain.text])
    }
    const { body } = await tool(`health?brain=${encodeURIComponent(project)}`, {})
    expect(body.served_brain).toEqual({ project_root: project, display_name: 'shop' })
  })

  test.each(['/no/such/project', '/', 'shop', 'medulla', '/tmp'])('of %s is not found', async (it) => {
    for (const path of ['/api/graph/stats', '/api/graph/snapshot', '/api/file', '/api/graph/subgraph']) {
      const { status, body } = await ask(`${path}?brain=${encodeURIComponent(it)}`)
      expect([status, body.error]).toEqual([404, 'unknown_brain'])
      expect(body.message).toBe(`no brain for ${it} — the Hall lists what exists`)
    }
    expect((await tool(`health?brain=${encodeURIComponent(it)}`, {})).body.error).toBe('unknown_brain')
  })
})

describe('files', () => {
  test('that the graph knows are shown, cut where they are long', async () => {
    const { status, body } = await ask('/api/file?path=src/price.ts')
    expect(status).toBe(200)
    expect(body).toMatchObject({ path: 'src/price.ts', truncated: false, max_bytes: 262_144 })
    expect(body.bytes).toBe(Buffer.byteLength(String(body.content)))
  })

  test('outside of the project, secret, binary, unknown or gone ones are not', async () => {
    const long = `// é\n${'x = 1 # é\n'.repeat(40_000)}`
    const own = projectOf('till', {
      'till.py': 'x = 1\n',
      'long.py': long,
      'binary.py': 'x = 1\n',
      'out.py': 'x = 1\n',
      'gone.py': 'x = 1\n',
      'id_rsa.py': 'x = 1\n',
    })
    const { http, engine } = await start(own, { maxFileBytes: 10_000_000 })
    await answer(engine, 'ingest', { path: own })
    const { rmSync } = await import('node:fs')
    writeFileSync(join(own, 'binary.py'), Buffer.from([1, 0, 2]))
    rmSync(join(own, 'gone.py'))
    rmSync(join(own, 'out.py'))
    writeFileSync(join(dirname(own), 'elsewhere.py'), 'secret = 1\n')
    symlinkSync(join(dirname(own), 'elsewhere.py'), join(own, 'out.py'))
    mkdirSync(join(own, '.git'), { recursive: true })
    writeFileSync(join(own, '.git/config'), '[core]\n')

    const read = async (path: string) => {
      const { status, body } = await ask(`/api/file?path=${encodeURIComponent(path)}`, { to: http })
      return [status, body.error]
    }
    expect(await read('till.py')).toEqual([200, undefined])
    for (const it of ['/etc/passwd', '../elsewhere.py', 'a/../../x', '', 'till.py\0', 'C:\\x', 'id_rsa.py'])
      expect([it, ...(await read(it))]).toEqual([it, 400, 'path_escape'])
    for (const it of ['out.py', 'gone.py', '.git/config', 'nowhere.py', '.'])
      expect([it, ...(await read(it))]).toEqual([it, 404, 'file_not_found'])
    expect(await read('binary.py')).toEqual([400, 'invalid_params'])
    const cut = (await ask('/api/file?path=long.py', { to: http })).body
    expect(cut).toMatchObject({ truncated: true, bytes: Buffer.byteLength(long) })
    expect(String(cut.content)).not.toContain('�')
    expect(Buffer.byteLength(String(cut.content))).toBeLessThanOrEqual(262_144)
  })
})

describe('what is refused', () => {
  test.each([
    ['a body that is no JSON', { body: '{oops' }, 400, 'invalid_json'],
    ['a body that nests too deep', { body: '['.repeat(100_000) }, 400, 'invalid_json'],
    ['a body that is no text', { body: 'x', headers: { 'Content-Encoding': 'gzip' } }, 400, 'invalid_json'],
    ['arguments that are no object', { body: '[]' }, 400, 'invalid_params'],
    [
      'another type of content',
      { body: '{}', headers: { 'Content-Type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    ['no type of content', { body: '{}', headers: { 'Content-Type': '' } }, 415, 'unsupported_media_type'],
    ['a long body', { body: `"${'x'.repeat(1_048_576)}"` }, 413, 'body_too_large'],
    [
      'a long body of unknown length',
      { body: `"${'x'.repeat(1_048_576)}"`, headers: { 'Transfer-Encoding': 'chunked' } },
      413,
      'body_too_large',
    ],
    ['a foreign origin', { body: '{}', headers: { Origin: 'https://evil.example' } }, 403, 'forbidden_origin'],
    ['a page without origin', { body: '{}', headers: { Origin: 'null' } }, 403, 'forbidden_origin'],
    ['a look-alike', { body: '{}', headers: { Origin: 'http://localhost.evil.example' } }, 403, 'forbidden_origin'],
    ['a name that was bent to us', { body: '{}', headers: { Host: 'evil.example' } }, 403, 'forbidden_host'],
    ['an address of the network', { body: '{}', headers: { Host: '192.168.1.2:1337' } }, 403, 'forbidden_host'],
    ['a host that hides another', { body: '{}', headers: { Host: 'evil.example#@localhost' } }, 400, 'invalid_request'],
    ['a host that is none', { body: '{}', headers: { Host: 'evil example' } }, 400, 'invalid_request'],
    ['another site', { body: '{}', headers: { 'Sec-Fetch-Site': 'cross-site' } }, 403, 'forbidden_origin'],
  ])('%s', async (_, asked, status, code) => {
    const refused = await post('/api/tools/health', '', asked)
    expect([refused.status, refused.body.error]).toEqual([status, code])
    expect(refused.body.message).toBe(refused.body.detail)
  })

  test('Host, Origin and site are looked at before anything is read or told', async () => {
    for (const path of ['/api/health', '/mcp', '/', '/api/file?path=src/price.ts']) {
      expect((await ask(path, { headers: { Host: 'evil.example' } })).status).toBe(403)
      expect((await ask(path, { headers: { Origin: 'http://evil.example' } })).status).toBe(403)
    }
  })

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '127.8.9.1:1', '[::1]:1337'])(
    'not the host %s',
    async (Host) => {
      expect((await ask('/api/health', { headers: { Host } })).status).toBe(200)
    },
  )

  test.each(['http://localhost:5173', 'http://127.0.0.1:8080', 'https://[::1]:9'])(
    'not the origin %s',
    async (Origin) => {
      const { status, headers } = await ask('/api/health', { headers: { Origin } })
      expect(status).toBe(200)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test('a body may be as long as the limit', async () => {
    const body = JSON.stringify({ agent_id: 'dev', path: 'x'.repeat(1_048_576 - 28) })
    expect(Buffer.byteLength(body)).toBe(1_048_576)
    expect((await post('/api/tools/health', body)).status).toBe(200)
  })

  test('paths that there are not, and methods that a path does not take', async () => {
    for (const it of ['/api', '/api/', '/api/nothing', '/api/graph', '/api/mailbox/x', '/mcp/x'])
      expect((await ask(it)).body).toMatchObject({ error: 'not_found', message: expect.stringContaining(it) })
    for (const [method, path, allow] of [
      ['POST', '/api/health', 'GET'],
      ['GET', '/api/tools/health', 'POST'],
      ['DELETE', '/api/graph/stats', 'GET'],
      ['PUT', '/mcp', 'POST, GET, DELETE'],
      ['POST', '/', 'GET'],
    ]) {
      const { status, body, headers } = await ask(path, { method })
      expect([path, status, body.error, headers.allow]).toEqual([path, 405, 'method_not_allowed', allow])
    }
    expect((await ask('/api/health', { method: 'HEAD' })).status).toBe(200)
  })

  test.each(['GET /api/health HTTP/1.0\r\n\r\n', 'GET /api/health HTTP/1.1\r\nHost:\r\n\r\n'])(
    'no host: %j',
    async (text) => {
      const said = await new Promise<string>((resolve) => {
        let answer = ''
        const socket = connect(shop.http.port, '127.0.0.1', () => socket.end(text))
        socket.setEncoding('utf8').on('data', (chunk) => {
          answer += chunk
        })
        socket.on('close', () => resolve(answer)).on('error', () => {})
      })
      expect(said).toMatch(/^HTTP\/1.1 40[03]/)
      expect(said).toMatch(/forbidden_host|invalid_request/)
    },
  )

  test('a thousand who send half a request keep nobody out', async () => {
    const slow = Array.from({ length: 1000 }, () => {
      const socket = connect(shop.http.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        'POST /api/tools/health HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{',
      )
      return socket
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/api/health')))
    expect(answers.map((it) => it.status)).toEqual(Array.from({ length: 20 }, () => 200))
    for (const it of slow) it.destroy()
    expect((await ask('/api/health')).status).toBe(200)
  })

  test('a body may come in pieces without a length, and is measured as it comes', async () => {
    const chunked = (pieces: string[]) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
        const at = { host: '127.0.0.1', port: shop.http.port, path: '/api/tools/health', method: 'POST', headers }
        const request = send(at, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        request.on('error', reject)
        for (const it of pieces) request.write(it)
        request.end()
      })
    expect(await chunked(['{"agent_', 'id": "dev"', '}'])).toBe(200)
    expect(await chunked(['{"agent_id": "', 'x'.repeat(1_100_000), '"}'])).toBe(413)
  })

  test('HEAD is answered as GET is, without a body', async () => {
    const { status, text } = await ask('/api/health', { method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
  })

  test('what is no HTTP leaves the server as it was', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(shop.http.port, '127.0.0.1', () => socket.write('\x16\x03\x01 hello\r\n\r\n'))
      socket.on('close', () => resolve()).on('error', () => {})
      socket.resume()
    })
    expect((await ask('/api/health')).status).toBe(200)
  })

  test('every answer tells browsers to be careful', async () => {
    for (const path of ['/', '/api/health', '/api/nothing', '/assets/page-1.js']) {
      const { headers } = await ask(path)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['content-security-policy']).not.toContain('unsafe')
    }
  })
})

describe('the address', () => {
  test('that is taken is named', async () => {
    await expect(start(temporaryFolder(), { port: shop.http.port })).rejects.toThrow(
      `Port ${shop.http.port} of 127.0.0.1 is taken`,
    )
  })

  test('beyond this machine needs both a wish and a token', async () => {
    for (const settings of [{}, { allowRemote: true }, { token: 'x' }])
      await expect(start(temporaryFolder(), { bind: '0.0.0.0', ...settings })).rejects.toThrow(ListenError)
    const { http } = await start(temporaryFolder(), { bind: '0.0.0.0', allowRemote: true, token: 'open sesame' })
    const Authorization = 'Bearer open sesame'
    const Host = 'shop.example'
    expect((await ask('/api/health', { to: http, headers: { Host } })).status).toBe(401)
    expect((await ask('/api/health', { to: http, headers: { Host, Authorization } })).status).toBe(200)
    const foreign = { Host, Authorization, Origin: 'http://evil.example' }
    expect((await ask('/api/health', { to: http, headers: foreign })).status).toBe(403)
    const own = { ...foreign, Origin: 'http://shop.example' }
    expect((await ask('/api/health', { to: http, headers: own })).status).toBe(200)
  })

  test.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ])('%s can be asked for where it says', async (bind, url) => {
    const { http, engine } = await start(temporaryFolder(), { bind, allowRemote: true, token: 'x' })
    expect(http.url).toMatch(url)
    expect(engine.page).toBe(http.url)
    const { status } = await fetch(`${http.url}/api/health`, { headers: { Authorization: 'Bearer x' } })
    expect(status).toBe(200)
  })

  test('of another machine cannot be taken', async () => {
    await expect(start(temporaryFolder(), { bind: '203.0.113.7', allowRemote: true, token: 'x' })).rejects.toThrow(
      ListenError,
    )
  })

  test('with a token lets the page be seen and nothing else', async () => {
    const { http } = await start(temporaryFolder(), { token: 'open sesame' }, { uiFolder: builtPage() })
    const status = async (path: string, Authorization?: string) =>
      (await ask(path, { to: http, headers: Authorization === undefined ? {} : { Authorization } })).status
    expect(await status('/')).toBe(200)
    for (const it of ['/api/health', '/api/events', '/api/openapi.json', '/api/nothing', '/mcp']) {
      expect(await status(it)).toBe(401)
      for (const wrong of ['open sesame', 'Basic open sesame', 'Bearer', 'Bearer open sesam', 'Bearer open sesame2'])
        expect(await status(it, wrong)).toBe(401)
    }
    expect(await status('/api/health', 'bearer open sesame')).toBe(200)
    const { headers } = await ask('/api/health', { to: http })
    expect(headers['www-authenticate']).toBe('Bearer')
  })
})

describe('the page', () => {
  test('is there under every address of its own, with its files', async () => {
    const page = await ask('/')
    expect(page.text).toContain('<title>m1nd</title>')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const it of ['/graph?query=x', '/impact/file%3A%3Asrc%2Fprice.ts', '/%00', '/%E0%A4%A', '/nothing.js'])
      expect((await ask(it)).text).toBe(page.text)
    expect((await ask('/assets/page-1.css')).headers['content-type']).toContain('text/css')
    expect((await ask('/assets/page-1.js')).headers['content-type']).toContain('text/javascript')
    expect((await ask('/assets/gone-1234.js')).status).toBe(404)
  })

  test('is all that is served of the disk', async () => {
    const ui = temporaryFolder()
    const outside = temporaryFolder()
    writeFileSync(join(ui, 'index.html'), 'index')
    writeFileSync(join(ui, '.env'), 'treasure')
    mkdirSync(join(ui, 'assets'))
    writeFileSync(join(ui, 'assets/a-1.js'), 'a')
    writeFileSync(join(outside, 'secret.js'), 'treasure')
    symlinkSync(join(outside, 'secret.js'), join(ui, 'assets/link.js'))
    symlinkSync(outside, join(ui, 'assets/folder'))
    const { http } = await start(temporaryFolder(), {}, { uiFolder: ui })
    const hashed = await ask('/assets/a-1.js', { to: http })
    expect([hashed.text, hashed.headers['cache-control']]).toEqual(['a', 'public, max-age=31536000, immutable'])
    for (const it of [
      '/assets/link.js',
      '/assets/folder/secret.js',
      '/.env',
      '/assets/../.env',
      '/%2e%2e/etc/passwd',
      '/..%2f..%2fetc/passwd',
      '//etc/passwd',
      '/assets/..%5c..%5csecret',
      '/assets',
    ])
      expect((await ask(it, { to: http })).text).not.toContain('treasure')
  })

  test('that is being worked on may be read from another server of this machine', async () => {
    const { http } = await start(temporaryFolder(), {}, { dev: true })
    const Origin = 'http://localhost:5173'
    const preflight = await ask('/api/tools/health', { method: 'OPTIONS', to: http, headers: { Origin } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect((await ask('/api/health', { to: http, headers: { Origin } })).headers).toMatchObject({
      'access-control-allow-origin': '*',
    })
    expect((await ask('/api/health', { to: http, headers: { Origin: 'http://evil.example' } })).status).toBe(403)
  })
})

/** Events of a stream until `enough` says so, and the function that ends it. */
async function listen(http: HttpServer, headers: Record<string, string> = {}) {
  const abort = new AbortController()
  const response = await fetch(`${http.url}/api/events`, { signal: abort.signal, headers })
  const events: { event: string; data: Record<string, unknown> }[] = []
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const read = (async () => {
    for (;;) {
      const part = await reader?.read()
      if (part === undefined || part.done) return
      const blocks = (rest + part.value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const it of blocks) {
        const found = /^event: (.*)\ndata: (.*)$/.exec(it)
        if (found !== null) events.push({ event: found[1], data: JSON.parse(found[2]) })
      }
    }
  })().catch(() => undefined)
  return {
    response,
    events,
    names: () => events.map((it) => it.event),
    async end() {
      abort.abort()
      await read
    },
  }
}

describe('events', () => {
  test('tell of calls, of what they changed first, and of ingests as they go', async () => {
    const own = copyOf('shop')
    const { http } = await start(own, { ephemeral: false, home: temporaryFolder() })
    const stream = await listen(http)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    await tool('ingest', { path: own }, { to: http })
    await tool('activate', { query: 'cart total', top_k: 5 }, { to: http })
    await tool('learn', { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] }, { to: http })
    await tool('impact', { node_id: 'nowhere' }, { to: http })
    await expect.poll(() => stream.names().filter((it) => it === 'tool_result').length).toBe(4)
    await stream.end()

    const { events } = stream
    const one = (name: string, more: object = {}) =>
      events.find((it) => it.event === name && Object.entries(more).every(([k, v]) => it.data[k] === v))?.data
    const names = stream.names()
    expect(names).toContain('ingest_progress')
    expect(one('ingest_progress')).toMatchObject({
      phase: expect.any(String),
      done: expect.any(Number),
      total: expect.any(Number),
    })
    expect(one('ingest')).toEqual({
      agent_id: 'dev',
      path: own,
      nodes_added: expect.any(Number),
      edges_added: expect.any(Number),
    })
    expect(one('persist')).toEqual({ generation: 1 })
    expect(one('graph_changed', { event: 'ingest' })).toEqual({
      event: 'ingest',
      agent_id: 'dev',
      source: 'http',
      timestamp_ms: expect.any(Number),
    })
    expect(one('activation')).toMatchObject({ agent_id: 'dev', query: 'cart total', top_k: 5 })
    expect(one('activation')?.activated).toHaveLength(5)
    expect(one('learn')).toEqual({ agent_id: 'dev', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] })
    expect(one('tool_result', { tool: 'impact' })).toMatchObject({
      success: false,
      source: 'http',
      result_preview: 'Node not found: nowhere',
    })
    expect(String(one('tool_result', { tool: 'activate' })?.result_preview)).toHaveLength(500)
    expect(names.indexOf('graph_changed')).toBeLessThan(names.indexOf('ingest'))
    // neither a question nor a failure changes what is drawn
    expect(names.filter((it) => it === 'graph_changed')).toHaveLength(2)
  })

  test('name the project when the caller did', async () => {
    const stream = await listen(shop.http)
    await tool(`learn?brain=${encodeURIComponent(`${project}/`)}`, { feedback: 'correct', node_ids: ['cart.ts'] })
    await expect.poll(stream.names).toContain('tool_result')
    await stream.end()
    for (const it of stream.events.filter((it) => it.event === 'graph_changed' || it.event === 'tool_result'))
      expect(it.data.brain_root).toBe(project)
  })

  test('come to everybody from the moment they listen, and nothing is repeated to who comes back', async () => {
    const [a, b] = [await listen(shop.http), await listen(shop.http)]
    await tool('health', {})
    await expect.poll(a.names).toEqual(['tool_result'])
    await expect.poll(b.names).toEqual(['tool_result'])
    await a.end()
    const again = await listen(shop.http, { 'Last-Event-ID': '0' })
    await tool('health', {})
    await expect.poll(again.names).toEqual(['tool_result'])
    await expect.poll(b.names).toEqual(['tool_result', 'tool_result'])
    await again.end()
    await b.end()
    await expect.poll(() => shop.engine.events.isWatched).toBe(true)
  })

  test('are left out for who does not read, which is told', async () => {
    const { http, engine } = await start(temporaryFolder())
    const socket = connect(http.port, '127.0.0.1')
    socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const long = 'x'.repeat(100_000)
    const tell = () => engine.events.push({ type: 'learn', agent_id: long, feedback: 'correct', node_ids: [] })
    // more than the buffers of both ends of a connection hold
    for (let i = 0; i < 400; i++) {
      tell()
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.resume()
    await expect
      .poll(() => {
        tell()
        return /event: skipped\ndata: \{"count":\d+\}/.test(text.replaceAll(long, ''))
      })
      .toBe(true)
    expect(text.split('event: learn').length).toBeLessThan(400)
    socket.destroy()
  })

  test('are told to so many readers and no more', async () => {
    const { http } = await start(temporaryFolder(), { maxEventStreams: 1 })
    const first = await listen(http)
    const refused = await ask('/api/events', { to: http })
    expect([refused.status, refused.body.error]).toEqual([503, 'busy'])
    await first.end()
    await expect
      .poll(async () => (await fetch(`${http.url}/api/events`, { signal: AbortSignal.timeout(200) })).status)
      .toBe(200)
  })

  test('end with the server', async () => {
    const served = await start(temporaryFolder())
    const stream = await listen(served.http)
    const began = performance.now()
    await stop(open.splice(0)[0])
    expect(performance.now() - began).toBeLessThan(900)
    await stream.end()
    expect(served.engine.page).toBe('')
  })
})

describe('/mcp', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'till', version: '1' } },
  }
  const ACCEPT = { Accept: 'application/json, text/event-stream' }

  async function session(to: HttpServer = shop.http): Promise<Record<string, string>> {
    const { headers } = await post('/mcp', INITIALIZE, { headers: ACCEPT, to })
    return { ...ACCEPT, 'Mcp-Session-Id': String(headers['mcp-session-id']), 'Mcp-Protocol-Version': '2025-11-25' }
  }

  test('gives a session, which calls tools and ends', async () => {
    const first = await post('/mcp', INITIALIZE, { headers: ACCEPT })
    expect(first.status).toBe(200)
    expect(first.headers['content-type']).toContain('application/json')
    expect(first.headers['mcp-session-id']).toMatch(/^[0-9a-f]{32}$/)
    expect(first.body.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'm1nd-mcp' } })

    const headers = await session()
    const told = await post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers })
    expect([told.status, told.text]).toEqual([202, ''])
    const call = { name: 'health', arguments: { agent_id: 'dev' } }
    const called = await post('/mcp', { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: call }, { headers })
    expect(called.body).toMatchObject({ jsonrpc: '2.0', id: 'x', result: { structuredContent: { status: 'ok' } } })

    expect((await ask('/mcp', { method: 'DELETE', headers })).status).toBe(204)
    expect((await ask('/mcp', { method: 'DELETE', headers })).status).toBe(404)
    const after = await post('/mcp', { jsonrpc: '2.0', id: 2, method: 'ping' }, { headers })
    expect([after.status, Object(after.body.error).code]).toEqual([404, -32001])
  })

  test.each([
    ['no session', { jsonrpc: '2.0', id: 1, method: 'ping' }, 400, -32600],
    ['an array', [INITIALIZE], 400, -32700],
    ['no object', 5, 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
    ['another version of JSON-RPC', { ...INITIALIZE, jsonrpc: '1.0' }, 400, -32600],
    ['no JSON', '{oops', 400, -32700],
    ['deep nesting', '['.repeat(10_000), 400, -32700],
    ['a call without a name', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, 400, -32602],
  ])('refuses %s', async (_, body, status, code) => {
    const refused = await post('/mcp', body, { headers: ACCEPT })
    expect([refused.status, Object(refused.body.error).code]).toEqual([status, code])
    expect(refused.body.jsonrpc).toBe('2.0')
  })

  test('refuses an unknown session, a method that there is not, and a foreign page', async () => {
    const headers = { ...(await session()), 'Mcp-Session-Id': 'f'.repeat(32) }
    expect((await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })).status).toBe(404)
    expect((await ask('/mcp', { headers })).status).toBe(404)
    const unknown = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'shop/open' }, { headers: await session() })
    expect(unknown.body.error).toMatchObject({ code: -32601, message: 'Method not found: shop/open' })
    const foreign = { ...ACCEPT, Origin: 'http://evil.example' }
    expect((await post('/mcp', INITIALIZE, { headers: foreign })).status).toBe(403)
    const form = { ...ACCEPT, 'Content-Type': 'text/plain' }
    expect((await post('/mcp', INITIALIZE, { headers: form })).status).toBe(415)
  })

  test('takes a message longer than REST does, up to its own limit', async () => {
    const { http } = await start(temporaryFolder(), { maxMessageBytes: 3_000_000 })
    const headers = await session(http)
    const call = (length: number) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'health', arguments: { agent_id: 'dev', path: 'x'.repeat(length) } },
    })
    expect((await post('/mcp', call(2_000_000), { headers, to: http })).status).toBe(200)
    expect((await post('/mcp', call(3_000_000), { headers, to: http })).status).toBe(413)
  })

  test('answers a call that takes too long with an error of its own', async () => {
    const own = copyOf('shop')
    const { http, engine } = await start(own, { toolTimeoutMs: 100 })
    engine.ingest = () => new Promise(() => {})
    const params = { name: 'ingest', arguments: { agent_id: 'dev', path: own } }
    const late = await post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { headers: await session(http), to: http },
    )
    expect(late.body.error).toMatchObject({ code: -32000, message: expect.stringContaining('ingest took longer') })
  })

  test('keeps only so many sessions, and lets go of those that were silent', async () => {
    const { http } = await start(temporaryFolder(), { maxHttpSessions: 2 })
    const headers = await session(http)
    await session(http)
    expect((await post('/mcp', INITIALIZE, { headers: ACCEPT, to: http })).status).toBe(503)
    await ask('/mcp', { method: 'DELETE', headers, to: http })
    expect((await post('/mcp', INITIALIZE, { headers: ACCEPT, to: http })).status).toBe(200)
  })

  /** Events of a session's stream. */
  async function follow(headers: Record<string, string>) {
    const abort = new AbortController()
    const response = await fetch(`${shop.http.url}/mcp`, {
      headers: { ...headers, Accept: 'text/event-stream' },
      signal: abort.signal,
    })
    const seen: { id: number; message: Record<string, unknown> }[] = []
    void (async () => {
      let rest = ''
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const it of blocks) {
          const data = /^data: (.+)$/m.exec(it)?.[1]
          if (data !== undefined) seen.push({ id: Number(/^id: (.*)$/m.exec(it)?.[1]), message: JSON.parse(data) })
        }
      }
    })().catch(() => undefined)
    return { seen, status: response.status, end: () => abort.abort() }
  }

  test('tells each session what others have changed, and goes on where it was left', async () => {
    const [mine, other] = [await session(), await session()]
    const learn = (headers: Record<string, string>, agent: string) =>
      post(
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 9,
          method: 'tools/call',
          params: { name: 'learn', arguments: { agent_id: agent, feedback: 'correct', node_ids: ['cart.ts'] } },
        },
        { headers },
      )
    const stream = await follow(mine)
    expect(stream.status).toBe(200)
    await learn(mine, 'myself')
    await learn(other, 'somebody')
    await expect.poll(() => stream.seen).toHaveLength(1)
    const [{ id, message }] = stream.seen
    expect(message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/m1nd/graph_changed',
      params: {
        event: 'learn',
        detail: { agent_id: 'somebody', source: 'mcp_http', timestamp_ms: expect.any(Number), kind: 'graph_changed' },
      },
    })
    stream.end()

    await learn(other, 'meanwhile')
    const again = await follow({ ...mine, 'Last-Event-ID': String(id) })
    await learn(other, 'later')
    await expect.poll(() => again.seen.length).toBe(2)
    expect(again.seen.every((it) => it.id > id)).toBe(true)
    expect(JSON.stringify(again.seen)).toMatch(/meanwhile.*later/)
    again.end()
  })

  test('an ingest with a token tells how far it is, and answers in the same stream', async () => {
    const own = copyOf('shop')
    const { http } = await start(own)
    const params = { name: 'ingest', arguments: { agent_id: 'dev', path: own }, _meta: { progressToken: 7 } }
    const { status, text, headers } = await post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { headers: await session(http), to: http },
    )
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream'])
    const messages = [...text.matchAll(/^data: (.+)$/gm)].map(([, it]) => JSON.parse(it))
    expect(messages[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 7, total: 100 } })
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { mode: 'replace' } } })
  })

  test.each([
    ['the stateful era', 'legacy' as const],
    ['whichever era it finds', 'auto' as const],
  ])('serves the client of the reference implementation in %s', async (_, mode) => {
    const client = new Client({ name: 'till', version: '1' }, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(new URL(`${shop.http.url}/mcp`))
    await client.connect(transport)
    expect(client.getServerVersion()).toMatchObject({ name: 'm1nd-mcp' })
    expect((await client.listTools()).tools.map((it) => it.name).sort()).toEqual(Object.keys(tools).sort())
    const { structuredContent } = await client.callTool({
      name: 'impact',
      arguments: { agent_id: 'dev', node_id: 'price.ts' },
    })
    const same = await answer(shop.engine, 'impact', { node_id: 'price.ts' })
    expect({ ...Object(structuredContent), elapsed_ms: 0 }).toEqual({ ...same, elapsed_ms: 0 })
    const failed = await client.callTool({ name: 'impact', arguments: { agent_id: 'dev', node_id: 'nowhere' } })
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'Error: Node not found: nowhere' }, {}] })
    await client.close()
  })

  test('serves the stateless era without a session', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'till', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const say = (method: string, params: Record<string, unknown> = {}) =>
      post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
        {
          headers: {
            ...ACCEPT,
            'Mcp-Protocol-Version': '2026-07-28',
            'Mcp-Method': method,
            ...(typeof params.name === 'string' && { 'Mcp-Name': params.name }),
          },
        },
      )
    const discovered = await say('server/discover')
    expect(discovered.headers['mcp-session-id']).toBeUndefined()
    expect(discovered.body.result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    const called = await say('tools/call', { name: 'health', arguments: { agent_id: 'dev' } })
    expect(called.body.result).toMatchObject({ structuredContent: { status: 'ok' } })
    const unknown = await say('shop/open')
    expect([unknown.status, Object(unknown.body.error).code]).toEqual([404, -32601])
  })
})

describe('the description of the interface', () => {
  test('holds every route and every tool with its parameters and examples', async () => {
    const { status, body } = await ask('/api/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toBe('3.1.0')
    const paths = Object(body.paths)
    for (const name of Object.keys(tools)) {
      const { requestBody, responses } = paths[`/api/tools/${name}`].post
      const { schema, examples } = requestBody.content['application/json']
      expect(schema.required).toContain('agent_id')
      expect(Object.keys(examples).length).toBeGreaterThan(0)
      expect(responses['200'].content['application/json'].schema.properties.result.type).toBe('object')
    }
    expect(
      Object.keys(paths)
        .filter((it) => !it.startsWith('/api/tools/'))
        .sort(),
    ).toEqual([
      '/api/agents',
      '/api/coverage',
      '/api/events',
      '/api/file',
      '/api/graph/activation',
      '/api/graph/impact',
      '/api/graph/map',
      '/api/graph/neighbours',
      '/api/graph/snapshot',
      '/api/graph/stats',
      '/api/graph/subgraph',
      '/api/health',
      '/api/history',
      '/api/instance/save',
      '/api/instance/self',
      '/api/instances',
      '/api/instances/{id}/delete-state',
      '/api/instances/{id}/save',
      '/api/learning',
      '/api/openapi.json',
      '/api/tools',
      '/api/tree',
    ])
    const ids = Object.values(paths).flatMap((it) => Object.values(Object(it)).map((op) => Object(op).operationId))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('asks for the token where one is asked for', async () => {
    const { http } = await start(temporaryFolder(), { token: 'x' })
    const { body } = await ask('/api/openapi.json', { to: http, headers: { Authorization: 'Bearer x' } })
    expect(body.security).toEqual([{ token: [] }])
  })
})
