/** What a user was promised, from the first ingest on, through the same calls that a client makes. */

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Engine, Settings } from '#engine/brain'
import { answer, ask, cleanUp, copyOf, engineFor, temporaryFolder } from './support.ts'

const engines: Engine[] = []
afterEach(async () => {
  for (const it of engines.splice(0)) await it.close()
})
afterAll(cleanUp)

function open(project: string, over: Partial<Settings> = {}): Engine {
  const engine = engineFor(project, over)
  engines.push(engine)
  return engine
}

async function openShop(over: Partial<Settings> = {}): Promise<{ engine: Engine; shop: string }> {
  const shop = copyOf('shop')
  const engine = open(shop, over)
  await answer(engine, 'ingest', { path: shop })
  return { engine, shop }
}

/** Ids of the rows of an answer, in order. */
function ids(output: Record<string, unknown>, list: string): string[] {
  const rows = output[list]
  if (!Array.isArray(rows)) throw new Error(`no ${list} in ${JSON.stringify(output).slice(0, 200)}`)
  return rows.map((it: { node_id: string }) => it.node_id)
}

const activated = async (engine: Engine, query: string, agent = 'dev') =>
  ids(await answer(engine, 'activate', { agent_id: agent, query, top_k: 50 }), 'activated')

describe('learning', () => {
  test('what was marked right rises and what was marked wrong sinks, for every agent, also after a restart', async () => {
    const home = temporaryFolder()
    const { engine, shop } = await openShop({ ephemeral: false, home })
    const before = await activated(engine, 'payment')
    const wanted = 'file::server/refund.py'
    const unwanted =
      before.find((it) => it !== wanted && before.indexOf(it) < before.indexOf(wanted) && it.includes('.py')) ??
      before[0]
    for (let i = 0; i < 3; i++) {
      await answer(engine, 'learn', { query: 'payment', feedback: 'correct', node_ids: [wanted] })
      await answer(engine, 'learn', { query: 'payment', feedback: 'wrong', node_ids: [unwanted] })
    }
    const after = await activated(engine, 'payment', 'somebody-else')
    expect(after.indexOf(wanted)).toBeLessThan(before.indexOf(wanted))
    await engine.close()

    const next = open(shop, { ephemeral: false, home })
    const later = await activated(next, 'payment')
    expect(later.indexOf(wanted)).toBeLessThan(before.indexOf(wanted))
  })

  test('survives a full ingest that gives every node another number, and the move of a file', async () => {
    const { engine, shop } = await openShop()
    await answer(engine, 'learn', {
      query: 'cart total',
      feedback: 'correct',
      node_ids: ['file::src/cart.ts', 'file::src/price.ts'],
    })
    const records = (await answer(engine, 'health', {})).plasticity_records
    expect(records).toBeGreaterThan(0)
    writeFileSync(join(shop, 'aisle.ts'), 'export const aisle = 1\n')
    renameSync(join(shop, 'src', 'refund.ts'), join(shop, 'src', 'money-back.ts'))
    await answer(engine, 'ingest', { path: shop })
    expect((await answer(engine, 'health', {})).plasticity_records).toBe(records)
  })

  test('a warm-up of one agent leads the questions of the next', async () => {
    const { engine } = await openShop()
    const before = await activated(engine, 'store')
    await answer(engine, 'warmup', { task_description: 'refund split payments' })
    const after = await activated(engine, 'store', 'next-agent')
    expect(after).toContain('file::server/refund.py::fn::refund')
    expect(after.indexOf('file::server/refund.py::fn::refund')).toBeLessThanOrEqual(
      Math.max(0, before.indexOf('file::server/refund.py::fn::refund')),
    )
  })
})

describe('asking', () => {
  test('a change reaches everything that depends on it, through other files too', async () => {
    const { engine } = await openShop()
    const output = await answer(engine, 'impact', { node_id: 'src/config.ts' })
    const reached = ids(output, 'blast_radius')
    for (const it of ['src/price.ts', 'src/billing.ts', 'src/cart.ts', 'src/checkout.ts'])
      expect(reached).toContain(`file::${it}`)
    expect(reached).not.toContain('file::src/validate.ts')
  })

  test('two places are connected by the path that a reader would follow', async () => {
    const { engine } = await openShop()
    const output = await answer(engine, 'why', { source: 'app.py', target: 'bank.py' })
    expect(JSON.stringify(output)).toContain('file::server/checkout.py')
    expect(JSON.stringify(output)).toContain('file::server/payment.py')
  })

  test('a removal changes nothing in the graph', async () => {
    const { engine } = await openShop()
    const { graph } = engine.brain
    const weights = graph.weights.slice()
    await answer(engine, 'counterfactual', { node_ids: ['payment.py'] })
    expect(engine.brain.graph).toBe(graph)
    expect(graph.weights).toEqual(weights)
  })

  test('code is found by what it does', async () => {
    const { engine } = await openShop()
    const output = await answer(engine, 'seek', { query: 'give money back to the customer' })
    expect(JSON.stringify(Object.values(output).find(Array.isArray)?.slice(0, 3))).toContain('refund')
  })

  test('an answer says which of its files have changed since', async () => {
    const { engine, shop } = await openShop()
    const later = join(shop, 'src', 'price.ts')
    writeFileSync(later, 'export function grossPrice(net: number) { return net }\n')
    rmSync(join(shop, 'src', 'billing.ts'))
    const { freshness } = await answer(engine, 'impact', { node_id: 'src/config.ts' })
    expect(freshness).toMatchObject({
      stale_files: 2,
      stale_sample: expect.arrayContaining(['src/price.ts', 'src/billing.ts']),
    })
  })
})

test('twenty agents at once get the answers that one would get alone', async () => {
  const { engine, shop } = await openShop()
  const alone = await answer(engine, 'impact', { node_id: 'payment.py' })
  const calls = Array.from({ length: 20 }, async (_, i) => {
    const agent_id = `agent-${i}`
    const results = [
      await ask(engine, 'impact', { agent_id, node_id: 'payment.py' }),
      await ask(engine, 'activate', { agent_id, query: 'payment' }),
      await ask(engine, 'learn', { agent_id, query: 'payment', feedback: 'correct', node_ids: ['payment.py'] }),
      ...(i % 10 === 0 ? [await ask(engine, 'ingest', { agent_id, path: shop })] : []),
      await ask(engine, 'why', { agent_id, source: 'checkout.py', target: 'bank.py' }),
    ]
    return results
  })
  const results = (await Promise.all(calls)).flat()
  expect(results.filter((it) => !it.ok)).toEqual([])
  const health = await answer(engine, 'health', {})
  expect(health.agents_seen).toHaveLength(21)
  const { blast_radius } = await answer(engine, 'impact', { node_id: 'payment.py' })
  expect(blast_radius).toHaveLength(Array.isArray(alone.blast_radius) ? alone.blast_radius.length : -1)
})

test('every spelling of every example works', async () => {
  const { engine, shop } = await openShop()
  const { tools } = await import('#tools/index')
  // what makes one graph of several repositories comes last
  const order = Object.values(tools).sort((a, b) => Number(a.name === 'federate') - Number(b.name === 'federate'))
  for (const tool of order) {
    for (const [suffix, prefix] of [
      ['', ''],
      ['x', 'm1nd.'],
      ['y', 'm1nd_'],
    ]) {
      const { input, after } = renamed(tool.examples[0], suffix)
      for (const [name, args] of after) await answer(engine, name, { agent_id: input.agent_id, ...args })
      const places = {
        ...('path' in input && { path: shop }),
        ...('repos' in input && { repos: [{ name: 'shop', path: shop }] }),
      }
      const result = await ask(engine, prefix + tool.name, { ...input, ...places })
      expect(result.ok, `${prefix}${tool.name}`).toBe(true)
    }
  }
})

type Example = { input: Record<string, unknown>; after?: readonly (readonly [string, Record<string, unknown>])[] }

/** An example that makes handles of its own, asked by another agent, so that it can be asked again. */
function renamed({ input, after = [] }: Example, suffix: string): Required<Example> {
  if (after.length === 0) return { input, after }
  const agent = String(input.agent_id)
  return JSON.parse(JSON.stringify({ input, after }).replaceAll(agent, `${agent}${suffix}`))
}
