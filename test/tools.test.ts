/** What holds for every tool. A tool is tested by being there. */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { toImage } from '#engine/image'
import { CORE, listing } from '#server/mcp'
import { inputSchema } from '#tools/input-schema'
import { tools } from '#tools/index'
import type { Style, Tool } from '#tools/tool'
import { answer, ask, cleanUp, copyOf, engineFor } from './support.ts'

const all: [string, Tool][] = Object.entries(tools)

let shop = ''
let engine: Engine

beforeAll(async () => {
  shop = copyOf('shop')
  engine = engineFor(shop)
  await answer(engine, 'ingest', { path: shop })
})
afterAll(async () => {
  await engine.close()
  cleanUp()
})

/** Times and sizes, which differ between two runs. */
const VARYING =
  /("(?:elapsed_ms|ingested_at|uptime_seconds|memory_usage_bytes|last_active|\w+_secs_ago|last_persist_time|head|walk|extract|history|build|upgrade|resolve|cross_file|finalize|save|ingest_ms|since_ms|saved_at)":|ingested  |files in) .*/g

const PLAIN: Style = {
  width: 100,
  bold: (it) => it,
  dim: (it) => it,
  accent: (it) => it,
  bar: (_parts, cells) => '█'.repeat(cells),
}

async function freshShop(): Promise<{ engine: Engine; shop: string }> {
  const folder = copyOf('shop')
  const fresh = engineFor(folder)
  await answer(fresh, 'ingest', { path: folder })
  return { engine: fresh, shop: folder }
}

/** An example as it is asked of the fixture. */
function onShop(input: Record<string, unknown>, folder = shop): Record<string, unknown> {
  if ('repos' in input) return { ...input, repos: ['src', 'server'].map((path) => ({ path: `${folder}/${path}` })) }
  return 'path' in input ? { ...input, path: folder } : input
}

const prepared = new WeakMap<Engine, Set<unknown>>()

/** The calls that an example rests on, once per engine, by the agent of the example. */
async function prepare(engine: Engine, { input, after = [] }: Tool['examples'][number]): Promise<void> {
  const done = prepared.get(engine) ?? new Set()
  prepared.set(engine, done)
  if (done.has(input)) return
  done.add(input)
  for (const [name, args] of after) await answer(engine, name, { agent_id: input.agent_id, ...args })
}

/** Weights and structure of the graph as one text. */
function checksum(): string {
  const hash = createHash('sha256')
  const { graph, indexes } = engine.brain
  for (const [name, column] of Object.entries(toImage(graph, indexes).columns)) {
    hash.update(name).update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength))
  }
  return hash.digest('hex')
}

describe.each(all)('%s', (name, tool) => {
  test('has the name of its file', () => {
    expect(tool.name).toBe(name)
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  test('is described in few words', () => {
    const words = [tool.summary, ...tool.details].join(' ').split(/\s+/)
    expect(words.length).toBeLessThan(80)
    expect(tool.summary).toMatch(/\.$/)
    expect(tool.examples.length).toBeGreaterThan(0)
  })

  test('takes parameters in a form that every client accepts', () => {
    const { type, properties, required } = inputSchema(tool)
    expect(type).toBe('object')
    expect(required).toContain('agent_id')
    for (const it of Object.values(properties)) {
      expect(it.description).toBeTypeOf('string')
      expect(['string', 'number', 'integer', 'boolean', 'array', 'object']).toContain(it.type)
    }
    expect(JSON.stringify({ properties })).not.toMatch(/"(anyOf|oneOf|allOf|\$ref|additionalProperties|\$schema)"/)
  })

  test('refuses a missing, empty or too long agent', async () => {
    const input = onShop(tool.examples[0].input)
    for (const agent_id of [undefined, '', 'x'.repeat(257), 7]) {
      const result = await ask(engine, name, { ...input, agent_id })
      expect(result).toMatchObject({ ok: false, failure: { code: 'invalid_params', tool: name } })
      expect(JSON.stringify(result)).toContain('agent_id')
    }
  })

  test('explains a parameter of the wrong type', async () => {
    const { properties } = inputSchema(tool)
    for (const [field, { type }] of Object.entries(properties)) {
      const wrong = type === 'string' ? { a: 1 } : 'nonsense'
      const result = await ask(engine, name, { ...onShop(tool.examples[0].input), [field]: wrong })
      expect(result).toMatchObject({ ok: false, failure: { code: 'invalid_params' } })
      if (!result.ok)
        expect(result.failure.message).toMatch(new RegExp(`^Invalid params for ${name}: ${field}: expected .*, got `))
    }
  })

  test.each(tool.examples.map((it) => [it.title, it] as const))(
    'answers its example "%s" in the form that it promises',
    async (_, example) => {
      const { input } = example
      await prepare(engine, example)
      const before = checksum()
      const result = await ask(engine, name, onShop(input))
      if (!result.ok) throw new Error(`${result.failure.message} ${result.failure.hint}`)
      expect(tool.output.safeParse(result.output).error).toBeUndefined()
      expect(JSON.parse(result.text)).toEqual(result.output)
      expect(result.text.length).toBeLessThanOrEqual(32_000)
      expect(result.text).not.toMatch(/NaN|Infinity/)
      const text = tool.render(tool.output.parse(result.output), PLAIN)
      expect(text.trim()).not.toBe('')
      expect(text).not.toMatch(/undefined|\[object/)
      if (tool.effect === 'read' || tool.effect === 'keep') expect(checksum()).toBe(before)
    },
  )

  test('answers its examples as before', async () => {
    const fresh = await freshShop()
    const parts: string[] = []
    for (const example of tool.examples) {
      const { title, input } = example
      await prepare(fresh.engine, example)
      const result = await ask(fresh.engine, name, onShop(input, fresh.shop))
      if (!result.ok) throw new Error(result.failure.message)
      const text = tool.render(tool.output.parse(result.output), PLAIN)
      parts.push(`# ${title}\n${JSON.stringify(input)}\n\n${text}\n\n${JSON.stringify(result.output, null, 1)}\n`)
    }
    await fresh.engine.close()
    const answers = parts.join('\n').replaceAll(fresh.shop, '/shop').replace(VARYING, '$1 …')
    await expect(answers).toMatchFileSnapshot(`golden/tools/${name}.txt`)
  })

  test('answers a repeated question alike, if it changes nothing', async () => {
    if (tool.effect !== 'read' || name === 'health') return
    await prepare(engine, tool.examples[0])
    const input = onShop(tool.examples[0].input)
    const [first, second] = [await answer(engine, name, input), await answer(engine, name, input)]
    const counters = { elapsed_ms: 0, queries_processed: 0 }
    expect({ ...second, ...counters }).toEqual({ ...first, ...counters })
  })

  test('on an empty graph names ingest, if it needs a graph', async () => {
    const empty = engineFor(copyOf('shop'))
    const result = await ask(empty, name, onShop(tool.examples[0].input))
    if (tool.needsGraph)
      expect(result).toMatchObject({ ok: false, failure: { code: 'graph_empty', suggested_next_step: 'ingest' } })
    else expect(result.ok).toBe(true)
    await empty.close()
  })
})

test('the core tools are listed in at most 4,000 tokens, with all hints', () => {
  const listed = all.filter(([name]) => CORE.has(name)).map(([, it]) => listing(it))
  expect(JSON.stringify(listed).length / 4).toBeLessThanOrEqual(4000)
  for (const { annotations } of listed) {
    expect(Object.keys(annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ])
  }
})

test('a tool is listed in at most 250 tokens on average, in plain types and without empty words', () => {
  const listed = all.map(([, it]) => JSON.stringify(listing(it)))
  const tokens = listed.reduce((sum, it) => sum + it.length / 4, 0) / listed.length
  expect(tokens).toBeLessThanOrEqual(250)
  for (const it of listed) {
    expect(it).not.toMatch(/"(\$schema|\$ref|anyOf|oneOf|allOf|additionalProperties|minLength|maxLength)"/)
    expect(it).not.toMatch(/"type":\[/)
    expect(it).not.toMatch(/"default":(\[\]|"")/)
  }
})

test('no description sends a client to a tool that there is none of', () => {
  const named = new Set(all.flatMap(([, { details }]) => details.join(' ').match(/[a-z]+_[a-z]+/g) ?? []))
  const parameters = new Set(all.flatMap(([, it]) => Object.keys(inputSchema(it).properties)))
  for (const it of named) expect(parameters.has(it) || it in tools, it).toBe(true)
  const later = ['trace', 'validate_plan', 'hypothesize', 'differential', 'diverge', 'timeline', 'scan'].filter(
    (it) => !(it in tools),
  )
  for (const [, { details }] of all)
    for (const it of later) expect(details.join(' ')).not.toMatch(new RegExp(`\\b${it}\\b`))
})
