import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { Brain, Engine } from '#engine/brain'
import { EventList } from '#engine/events'
import { KeptRecords } from '#engine/records'
import { defaults } from '#engine/settings'
import { buildGraph, emptyGraph } from '#graph/build'
import { FILE } from '#graph/graph'
import { emptyLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { emptyMeta } from '#graph/meta'
import { emptyLearned } from '#plasticity/learned'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { type CallResult, callTool, envelope } from '#tools/call'
import { defineTool, type Tool, ToolError } from '#tools/tool'

const NOW = Date.UTC(2025, 5, 1)

interface FakeEngine extends Engine {
  calls: { agent: string; counted: boolean }[]
}

function engineWith({ nNodes = 1, settings = {}, stale = ['src/till.ts'] } = {}): FakeEngine {
  const file = { key: 'file::src/till.ts', label: 'till.ts', type: FILE, path: 'src/till.ts' }
  const graph = nNodes === 0 ? emptyGraph() : buildGraph({ nodes: [file], edges: [], meta: emptyMeta() })
  graph.meta.ingestedAt = NOW - 1000
  const empty = emptyGraph()
  const indexes = {
    semantic: buildSemantic(empty),
    cochange: buildCoChange(empty, []),
    lexical: emptyLexical(),
    messages: emptyMessages(),
  }
  const brain: Brain = { root: '/shop', graph, indexes, learned: emptyLearned() }
  const calls: FakeEngine['calls'] = []
  return {
    brain,
    calls,
    events: new EventList(),
    page: '',
    shelf: '',
    records: new KeptRecords(),
    owner: () => Promise.resolve(null),
    leadsElsewhere: () => false,
    notice: () => '',
    baseline: null,
    baselineAt: () => null,
    ready: Promise.resolve(),
    settled: Promise.resolve(),
    follow: async () => {},
    settings: { ...defaults(), ...settings },
    status: () => ({
      mode: 'file',
      status: 'ok',
      working: null,
      queriesProcessed: calls.length,
      startedAt: NOW,
      lastPersistAt: 0,
      sessions: [],
      warnings: [],
      checker: { state: 'idle', done: 0, total: 0, message: '' },
      watcher: { state: 'off', handles: 0, message: '' },
      stateFolder: '',
      version: '0',
    }),
    ingest: () => Promise.reject(new Error('this shop has no code')),
    federate: () => Promise.reject(new Error('this shop is only in memory')),
    record: (agent, _now, counted) => void calls.push({ agent, counted }),
    suggestProject() {},
    touch() {},
    persist: async () => {},
    close: async () => {},
    staleFiles: (paths) => paths.filter((it) => stale.includes(it)),
    isOnDisk: (path) => path === 'src/new.ts',
    linesOf: (places) => places.map(() => ''),
    findCode: () => Promise.resolve({ sites: [], problem: '', reasons: [] }),
  }
}

const AgentId = z.string().min(1).max(256).describe('Name of the caller.')

function shelfTool(over: Partial<Tool> = {}): Tool {
  const tool = defineTool({
    name: 'shelf_list',
    group: 'query',
    effect: 'read',
    summary: 'Lists a shelf.',
    details: [],
    input: z.object({
      agent_id: AgentId,
      shelf: z.string().min(1).describe('Name of the shelf.'),
      rows: z.int().min(1).max(1000).default(20).describe('Rows to return.'),
      order: z.enum(['price', 'name']).default('name').describe('Order of the rows.'),
    }),
    output: z.looseObject({ goods: z.array(z.looseObject({})) }),
    examples: [{ title: 'Bread', input: { agent_id: 'clerk', shelf: 'bread' } }],
    run: (_, { rows, shelf }) => ({
      goods: Array.from({ length: rows }, (_, i) => ({ source_path: `src/${shelf}.ts`, price: i })),
    }),
    render: () => '',
  })
  return { ...tool, ...over }
}

function call(engine: Engine, name: string, args: unknown, tools: Tool[], signal?: AbortSignal): Promise<CallResult> {
  return callTool(engine, name, args, { now: NOW, signal, tools: Object.fromEntries(tools.map((it) => [it.name, it])) })
}

async function failureOf(result: Promise<CallResult>) {
  const settled = await result
  if (settled.ok) throw new Error(`expected a failure, got ${settled.text}`)
  return settled.failure
}

async function outputOf(result: Promise<CallResult>): Promise<Record<string, unknown>> {
  const settled = await result
  if (!settled.ok) throw new Error(settled.failure.message)
  return settled.output
}

describe('finding the tool', () => {
  test.each(['shelf_list', 'shelf.list', 'm1nd.shelf.list', 'm1nd_shelf_list', 'm1nd.shelf_list', ' shelf_list '])(
    'accepts the spelling "%s"',
    async (name) => {
      expect((await call(engineWith(), name, { agent_id: 'clerk', shelf: 'till' }, [shelfTool()])).ok).toBe(true)
    },
  )

  test('names the nearest tools for a name that does not exist, and is case-sensitive', async () => {
    const failure = await failureOf(call(engineWith(), 'Shelf_lst', {}, [shelfTool()]))
    expect(failure).toMatchObject({
      code: 'unknown_tool',
      message: 'Unknown tool: Shelf_lst',
      hint: 'Did you mean shelf_list?',
    })
  })

  test('does not give a name of any length back', async () => {
    const failure = await failureOf(call(engineWith(), 'shelf'.repeat(20_000), {}, [shelfTool()]))
    expect(failure.code).toBe('unknown_tool')
    expect(JSON.stringify(failure).length).toBeLessThan(1000)
  })

  test('does not take inherited names for tools', async () => {
    expect((await failureOf(call(engineWith(), 'constructor', {}, [shelfTool()]))).code).toBe('unknown_tool')
  })
})

describe('checking the arguments', () => {
  const wrong = async (args: unknown) =>
    (await failureOf(call(engineWith(), 'shelf_list', args, [shelfTool()]))).message

  test('names tool, parameter and what is expected', async () => {
    expect(await wrong({ agent_id: 'clerk', shelf: 'till', rows: '5' })).toBe(
      'Invalid params for shelf_list: rows: expected a whole number from 1 to 1000, got "5"',
    )
    expect(await wrong({ agent_id: 'clerk', shelf: 'till', order: 'size' })).toContain(
      'order: expected one of "price", "name", got "size"',
    )
    expect(await wrong({ agent_id: 'clerk' })).toContain('shelf: expected text, not empty, which is missing')
    expect(await wrong({ agent_id: '', shelf: 'till' })).toContain(
      'agent_id: expected text of 1 to 256 characters, got ""',
    )
    expect(await wrong({ agent_id: 'x'.repeat(257), shelf: 'till' })).toContain('agent_id')
    expect(await wrong(undefined)).toContain('agent_id')
  })

  test('names the value inside of a list or an object, and the form of a text', async () => {
    const input = z.object({
      agent_id: AgentId,
      shelves: z.array(z.string().min(1)).default([]),
      goods: z.array(z.object({ name: z.string(), price: z.number().positive() })).default([]),
      day: z
        .string()
        .regex(/^\d+d$/, 'expected a number with d')
        .default('1d'),
    })
    const said = async (args: object) =>
      (await failureOf(call(engineWith(), 'shelf_list', { agent_id: 'clerk', ...args }, [shelfTool({ input })])))
        .message
    expect(await said({ shelves: ['a', ''] })).toContain('shelves[1]: expected text, not empty, got ""')
    expect(await said({ shelves: [5] })).toContain('shelves[0]: expected text, not empty, got 5')
    expect(await said({ goods: [{ name: 'tea', price: -1 }] })).toContain(
      'goods[0].price: expected a number above 0, got -1',
    )
    expect(await said({ goods: [{ price: 1 }] })).toContain('goods[0].name: expected text, which is missing')
    expect(await said({ day: 'soon' })).toContain('day: expected a number with d, got "soon"')
  })

  test('says which arguments it does not know, and does nothing with them', async () => {
    const given = { agent_id: 'clerk', shelf: 'bread' }
    const output = await outputOf(call(engineWith(), 'shelf_list', { ...given, row: 3, colour: 'red' }, [shelfTool()]))
    expect(output.ignored_parameters).toEqual(['row (did you mean rows?)', 'colour'])
    expect(output.goods).toHaveLength(20)
    expect(await outputOf(call(engineWith(), 'shelf_list', given, [shelfTool()]))).not.toHaveProperty(
      'ignored_parameters',
    )
  })

  test('gives an example and the list of parameters with the error', async () => {
    const failure = await failureOf(call(engineWith(), 'shelf_list', {}, [shelfTool()]))
    expect(failure).toMatchObject({
      hint: 'shelf_list takes agent_id, shelf and, if wanted, rows, order.',
      example: { agent_id: 'clerk', shelf: 'bread' },
    })
  })
})

describe('the answer', () => {
  test('carries the time it took and how fresh the files are that it names', async () => {
    const output = await outputOf(
      call(engineWith(), 'shelf_list', { agent_id: 'clerk', shelf: 'till', rows: 2 }, [shelfTool()]),
    )
    expect(output.elapsed_ms).toBeTypeOf('number')
    expect(output.freshness).toEqual({
      ingested_at: new Date(NOW - 1000).toISOString(),
      stale_files: 1,
      stale_sample: ['src/till.ts'],
    })
  })

  test('is the same as text and as data', async () => {
    const { content, structuredContent } = envelope(
      await call(engineWith(), 'shelf_list', { agent_id: 'clerk', shelf: 'till' }, [shelfTool()]),
    )
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    expect(content[0].text).not.toContain('\n')
  })

  test('is cut to about 8,000 tokens, and says what is missing', async () => {
    const args = { agent_id: 'clerk', shelf: 'a very long name of a shelf in the back room', rows: 1000 }
    const result = await call(engineWith(), 'shelf_list', args, [shelfTool()])
    if (!result.ok) throw new Error(result.failure.message)
    expect(result.text.length).toBeLessThanOrEqual(32_000)
    expect(result.text.length).toBeGreaterThan(28_000)
    const { goods, truncated } = result.output
    expect(truncated).toMatchObject({ shown: Array.isArray(goods) ? goods.length : -1, total: 1000 })
  })

  test('keeps to max_tokens where a tool has it', async () => {
    const tool = shelfTool({
      input: z.object({ agent_id: AgentId, shelf: z.string(), rows: z.int(), max_tokens: z.int() }),
    })
    const result = await call(
      engineWith(),
      'shelf_list',
      { agent_id: 'clerk', shelf: 'till', rows: 1000, max_tokens: 500 },
      [tool],
    )
    expect(result.ok && result.text.length).toBeLessThanOrEqual(2000)
  })

  test('shows the same rows however long it took', async () => {
    const tool = shelfTool({
      input: z.object({ agent_id: AgentId, shelf: z.string(), rows: z.int(), max_tokens: z.int() }),
    })
    const rowsAfter = async (ms: number, max_tokens: number) => {
      let time = 0
      vi.spyOn(performance, 'now').mockImplementation(() => (time += ms))
      const args = { agent_id: 'clerk', shelf: 'till', rows: 1000, max_tokens }
      const { elapsed_ms, ...rest } = await outputOf(call(engineWith(), 'shelf_list', args, [tool]))
      vi.restoreAllMocks()
      expect(elapsed_ms).toBeGreaterThanOrEqual(ms)
      return rest
    }
    for (let tokens = 500; tokens < 530; tokens++)
      expect(await rowsAfter(12_345.67, tokens)).toEqual(await rowsAfter(1, tokens))
  })

  test('counts the call for the agent, unless the tool is none that counts', async () => {
    const engine = engineWith()
    await call(engine, 'shelf_list', { agent_id: 'clerk', shelf: 'till' }, [shelfTool()])
    await call(engine, 'shelf_list', { agent_id: 'guest', shelf: 'till' }, [shelfTool({ countsAsQuery: false })])
    await call(engine, 'shelf_list', { agent_id: 'guest' }, [shelfTool()])
    expect(engine.calls).toEqual([
      { agent: 'clerk', counted: true },
      { agent: 'guest', counted: false },
    ])
  })
})

describe('failures', () => {
  test('are an error envelope without data, with the details in a second text', async () => {
    const tool = shelfTool({
      run() {
        throw new ToolError('node_not_found', 'Node not found: file::nonexistent.py', 'Look with seek.', {
          detail: 'file::nonexistent.py',
        })
      },
    })
    const { content, isError, structuredContent } = envelope(
      await call(engineWith(), 'shelf_list', { agent_id: 'clerk', shelf: 'till' }, [tool]),
    )
    expect(isError).toBe(true)
    expect(structuredContent).toBeUndefined()
    expect(content[0].text).toBe('Error: Node not found: file::nonexistent.py')
    expect(JSON.parse(content[1].text)).toMatchObject({
      code: 'node_not_found',
      tool: 'shelf_list',
      detail: 'file::nonexistent.py',
      hint: 'Look with seek.',
    })
  })

  test('tell a file that is there but not in the graph from one that is nowhere', async () => {
    const ask = async (ref: string) => {
      const run = () => {
        throw new ToolError('node_not_found', `Node not found: ${ref}`, 'Look with seek.', { detail: ref })
      }
      const args = { agent_id: 'clerk', shelf: 'till' }
      const [, details] = envelope(await call(engineWith(), 'shelf_list', args, [shelfTool({ run })])).content
      return JSON.parse(details.text)
    }
    const unread = await ask('file::src/new.ts')
    expect(unread).toMatchObject({ code: 'node_not_found', suggested_next_step: 'ingest' })
    expect(unread.hint).toContain('not in the graph')
    expect(await ask('src/new.ts:12')).toMatchObject({ suggested_next_step: 'ingest' })
    expect(await ask('src/gone.ts')).toMatchObject({ hint: 'Look with seek.' })
  })

  test('of our own are answered, and logged with where they happened', async () => {
    const tool = shelfTool({
      run() {
        throw new TypeError('the shelf fell down')
      },
    })
    const lines: string[] = []
    const result = await callTool(
      engineWith(),
      'shelf_list',
      { agent_id: 'clerk', shelf: 'till' },
      { now: NOW, log: (it) => lines.push(it), tools: { shelf_list: tool } },
    )
    expect(result).toMatchObject({
      ok: false,
      failure: { code: 'internal', message: 'Internal error in shelf_list: the shelf fell down' },
    })
    expect(lines.join()).toMatch(/the shelf fell down\n.*call\.test\.ts/)
  })

  test('an empty graph is an error that names ingest, except for tools that need none', async () => {
    const engine = engineWith({ nNodes: 0 })
    const args = { agent_id: 'clerk', shelf: 'till' }
    expect(await failureOf(call(engine, 'shelf_list', args, [shelfTool()]))).toMatchObject({
      code: 'graph_empty',
      suggested_next_step: 'ingest',
    })
    expect((await call(engine, 'shelf_list', args, [shelfTool({ needsGraph: false })])).ok).toBe(true)
  })

  test('a server that may only read refuses to write and to learn from feedback, but still answers questions', async () => {
    const engine = engineWith()
    const status = engine.status()
    engine.status = () => ({ ...status, mode: 'read_only' })
    const args = { agent_id: 'clerk', shelf: 'till' }
    for (const over of [
      { effect: 'write', group: 'lifecycle' } as const,
      { effect: 'learn', group: 'memory' } as const,
    ]) {
      expect((await failureOf(call(engine, 'shelf_list', args, [shelfTool(over)]))).code).toBe('read_only')
    }
    expect((await call(engine, 'shelf_list', args, [shelfTool({ effect: 'learn' })])).ok).toBe(true)
  })
})

/** A tool whose calls end when they are let go, in the order of `let`. */
function slowTool(over: Partial<Tool> = {}) {
  const started: string[] = []
  const ends: (() => void)[] = []
  const tool = shelfTool({
    ...over,
    run: (_, { shelf }) => {
      started.push(String(shelf))
      return new Promise((resolve) => ends.push(() => resolve({ goods: [] })))
    },
  })
  return { tool, started, ends }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5))

describe('waiting', () => {
  test('reads overlap up to the limit', async () => {
    const { tool, started, ends } = slowTool()
    const engine = engineWith({ settings: { maxConcurrentReads: 2 } })
    const calls = ['bread', 'milk', 'tea'].map((shelf) =>
      call(engine, 'shelf_list', { agent_id: 'clerk', shelf }, [tool]),
    )
    await settle()
    expect(started).toEqual(['bread', 'milk'])
    ends[1]()
    await calls[1]
    await settle()
    expect(started).toEqual(['bread', 'milk', 'tea'])
    for (const end of ends) end()
    await Promise.all(calls)
  })

  test('calls that learn run one at a time, in order; too many are refused as busy', async () => {
    const { tool, started, ends } = slowTool({ effect: 'learn' })
    const engine = engineWith({ settings: { writeQueueSize: 2 } })
    const calls = ['bread', 'milk', 'tea', 'salt'].map((shelf) =>
      call(engine, 'shelf_list', { agent_id: shelf, shelf }, [tool]),
    )
    expect(await failureOf(calls[3])).toMatchObject({
      code: 'busy',
      message: 'The server is busy: 2 calls are waiting already, the limit is 2.',
    })
    for (let i = 0; i < 3; i++) {
      await settle()
      expect(started).toEqual(['bread', 'milk', 'tea'].slice(0, i + 1))
      ends[i]()
    }
    expect((await Promise.all(calls)).map((it) => it.ok)).toEqual([true, true, true, false])
  })

  test('an agent sees its own writes; others do not wait for them', async () => {
    const { tool: write, ends } = slowTool({ name: 'restock', effect: 'write' })
    const tools = [write, shelfTool()]
    const engine = engineWith()
    const writing = call(engine, 'restock', { agent_id: 'clerk', shelf: 'bread' }, tools)
    await settle()
    let answered = false
    const own = call(engine, 'shelf_list', { agent_id: 'clerk', shelf: 'bread' }, tools).then((it) => {
      answered = true
      return it
    })
    expect((await call(engine, 'shelf_list', { agent_id: 'guest', shelf: 'bread' }, tools)).ok).toBe(true)
    await settle()
    expect(answered).toBe(false)
    ends[0]()
    expect((await own).ok).toBe(true)
    await writing
  })

  test('a question waits for the first ingest of somebody else', async () => {
    const engine = engineWith({ nNodes: 0 })
    const { tool: write, ends } = slowTool({ name: 'restock', effect: 'write', needsGraph: false })
    const tools = [write, shelfTool()]
    const writing = call(engine, 'restock', { agent_id: 'clerk', shelf: 'bread' }, tools)
    await settle()
    const question = call(engine, 'shelf_list', { agent_id: 'guest', shelf: 'bread' }, tools)
    await settle()
    Object.assign(engine.brain.graph, { nNodes: 3 })
    ends[0]()
    expect((await question).ok).toBe(true)
    await writing
  })

  test('a call that is cancelled while it waits does not run', async () => {
    const { tool, started, ends } = slowTool({ effect: 'write' })
    const engine = engineWith()
    const abort = new AbortController()
    const first = call(engine, 'shelf_list', { agent_id: 'clerk', shelf: 'bread' }, [tool])
    const second = call(engine, 'shelf_list', { agent_id: 'guest', shelf: 'milk' }, [tool], abort.signal)
    await settle()
    abort.abort()
    expect((await failureOf(second)).code).toBe('cancelled')
    ends[0]()
    await first
    await settle()
    expect(started).toEqual(['bread'])
  })
})
