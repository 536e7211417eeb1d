/** Any interleaving of the calls of several agents leaves what a simple model says, also over restarts. */

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { answer, ask, cleanUp, copyOf, engineFor, temporaryFolder } from './support.ts'

afterAll(cleanUp)

const AGENTS = ['ann', 'bob', 'eve'] as const
const BANK = 'file::server/bank.py'
const LIMITS = { maxPerspectivesPerAgent: 3, maxBranchesPerAgent: 1, maxLocksPerAgent: 2, maxCheckpoints: 3 }

interface ModelPerspective {
  agent: string
  /** Foci, the present one last. */
  way: string[]
  version: number
  stamp: number
  isBranch: boolean
  targets: string[]
}

interface ModelLock {
  agent: string
  perspective: string | null
  strategy: string | null
  pending: number
  /** Functions that were in the bank at the baseline. */
  functions: number
}

interface ModelTrail {
  agent: string
  status: string
  source: string | null
}

/** What there should be. */
class Model {
  perspectives = new Map<string, ModelPerspective>()
  locks = new Map<string, ModelLock>()
  trails = new Map<string, ModelTrail>()
  numbers = new Map<string, number>()
  /** The perspective that each agent used last. */
  used = new Map<string, string[]>()
  stamp = 1
  functions = 0

  next(kind: string, agent: string): string {
    const n = (this.numbers.get(`${kind} ${agent}`) ?? 0) + 1
    this.numbers.set(`${kind} ${agent}`, n)
    return `${kind}_${agent}_${String(n).padStart(3, '0')}`
  }

  use(id: string): void {
    const agent = this.perspectives.get(id)?.agent ?? ''
    this.used.set(agent, [...(this.used.get(agent) ?? []).filter((it) => it !== id), id])
  }

  lastUsed(agent: string): string | null {
    return (this.used.get(agent) ?? []).filter((it) => this.perspectives.has(it)).at(-1) ?? null
  }

  /** A look at a perspective renews its routes when the graph is another. */
  open(id: string): ModelPerspective {
    const found = this.perspectives.get(id)
    if (found === undefined) throw new Error(id)
    if (found.stamp !== this.stamp) {
      found.version++
      found.stamp = this.stamp
      this.use(id)
    }
    return found
  }

  ofAgent<T extends { agent: string }>(all: Map<string, T>, agent: string): T[] {
    return [...all.values()].filter((it) => it.agent === agent)
  }
}

interface World {
  engine: Engine
  model: Model
  shop: string
  reopen(): Promise<Engine>
}

type Call = { what: string; agent: string; pick: number }

/** One of the agent's handles, at times one of somebody else; one that never was when there are none. */
function pickOf(handles: ReadonlyMap<string, { agent: string }>, agent: string, pick: number, none: string): string {
  const all = [...handles.keys()]
  const own = all.filter((it) => handles.get(it)?.agent === agent)
  const from = own.length > 0 && pick % 6 !== 0 ? own : all
  return from.length === 0 ? none : from[pick % from.length]
}

const codeOf = (result: Awaited<ReturnType<typeof ask>>) => (result.ok ? 'ok' : result.failure.code)
const targets = (output: Record<string, unknown>) =>
  Array.isArray(output.routes) ? output.routes.map((it) => String(it.target_node)) : []

async function look({ engine, model }: World, agent: string, id: string): Promise<void> {
  const known = model.perspectives.get(id)
  const result = await ask(engine, 'perspective_routes', { agent_id: agent, perspective_id: id })
  if (known?.agent !== agent) return expect(codeOf(result)).toBe('perspective_not_found')
  if (!result.ok) throw new Error(result.failure.message)
  const { version, way } = model.open(id)
  model.use(id)
  expect(result.output).toMatchObject({ focus: way.at(-1), route_set_version: version, page: 1 })
  known.targets = targets(result.output)
}

const CALLS: Record<string, (world: World, agent: string, pick: number) => Promise<void>> = {
  async start({ engine, model }, agent) {
    const input = { agent_id: agent, query: 'refund', anchor_node: BANK }
    const result = await ask(engine, 'perspective_start', input)
    const isFull = model.ofAgent(model.perspectives, agent).length >= LIMITS.maxPerspectivesPerAgent
    expect(codeOf(result)).toBe(isFull ? 'perspective_limit' : 'ok')
    if (!result.ok) return
    const id = model.next('persp', agent)
    expect(result.output.perspective_id).toBe(id)
    const fresh = {
      agent,
      way: [BANK],
      version: 100,
      stamp: model.stamp,
      isBranch: false,
      targets: targets(result.output),
    }
    model.perspectives.set(id, fresh)
    model.use(id)
  },

  async follow(world, agent, pick) {
    const { engine, model } = world
    const id = pickOf(model.perspectives, agent, pick, 'persp_ann_009')
    const known = model.perspectives.get(id)
    const version = known?.version ?? 100
    const input = { agent_id: agent, perspective_id: id, route_index: 1 + (pick % 3), route_set_version: version }
    const result = await ask(engine, 'perspective_follow', input)
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('perspective_not_found')
    if (known.stamp !== model.stamp) {
      expect(codeOf(result)).toBe('route_set_stale')
      model.open(id)
      return look(world, agent, id)
    }
    const at = known
    const target = at.targets[pick % 3]
    if (target === undefined) return expect(codeOf(result)).toBe('route_not_found')
    if (!result.ok) throw new Error(result.failure.message)
    model.use(id)
    expect(result.output).toMatchObject({
      new_focus: target,
      previous_focus: at.way.at(-1),
      route_set_version: version + 1,
    })
    at.way = [...at.way, target].slice(-LIMITS.maxCheckpoints - 1)
    at.version++
    at.targets = targets(result.output)
  },

  async back({ engine, model }, agent, pick) {
    const id = pickOf(model.perspectives, agent, pick, 'persp_ann_009')
    const known = model.perspectives.get(id)
    const result = await ask(engine, 'perspective_back', { agent_id: agent, perspective_id: id })
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('perspective_not_found')
    if (known.way.length === 1) return expect(codeOf(result)).toBe('nav_at_root')
    if (!result.ok) throw new Error(result.failure.message)
    known.way.pop()
    known.version++
    known.stamp = model.stamp
    known.targets = targets(result.output)
    model.use(id)
    expect(result.output).toMatchObject({ restored_focus: known.way.at(-1), route_set_version: known.version })
  },

  async look(world, agent, pick) {
    await look(world, agent, pickOf(world.model.perspectives, agent, pick, 'persp_ann_009'))
  },

  async branch(world, agent, pick) {
    const { engine, model } = world
    const id = pickOf(model.perspectives, agent, pick, 'persp_ann_009')
    const known = model.perspectives.get(id)
    // so that the model knows the routes
    if (known?.agent === agent) await look(world, agent, id)
    const result = await ask(engine, 'perspective_branch', { agent_id: agent, perspective_id: id })
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('perspective_not_found')
    const own = model.ofAgent(model.perspectives, agent)
    if (own.filter((it) => it.isBranch).length >= LIMITS.maxBranchesPerAgent)
      expect(codeOf(result)).toBe('branch_limit')
    else if (own.length >= LIMITS.maxPerspectivesPerAgent) expect(codeOf(result)).toBe('perspective_limit')
    else {
      if (!result.ok) throw new Error(result.failure.message)
      const child = model.next('persp', agent)
      expect(result.output).toMatchObject({ branch_perspective_id: child, branched_from_focus: known.way.at(-1) })
      model.perspectives.set(child, { ...known, way: [...known.way], targets: [...known.targets], isBranch: true })
      model.use(child)
    }
  },

  async close({ engine, model }, agent, pick) {
    const id = pickOf(model.perspectives, agent, pick, 'persp_ann_009')
    const known = model.perspectives.get(id)
    const result = await ask(engine, 'perspective_close', { agent_id: agent, perspective_id: id })
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('perspective_not_found')
    if (!result.ok) throw new Error(result.failure.message)
    const locks = [...model.locks].filter(([, it]) => it.perspective === id).map(([name]) => name)
    expect(result.output.locks_released).toEqual(expect.arrayContaining(locks))
    expect(result.output.locks_released).toHaveLength(locks.length)
    for (const it of locks) model.locks.delete(it)
    model.perspectives.delete(id)
  },

  async lock({ engine, model }, agent) {
    const input = { agent_id: agent, scope: 'subgraph', root_nodes: [BANK], radius: 1 }
    const result = await ask(engine, 'lock_create', input)
    const isFull = model.ofAgent(model.locks, agent).length >= LIMITS.maxLocksPerAgent
    expect(codeOf(result)).toBe(isFull ? 'lock_limit' : 'ok')
    if (!result.ok) return
    const id = model.next('lock', agent)
    const perspective = model.lastUsed(agent)
    expect(result.output).toMatchObject({ lock_id: id, perspective_id: perspective })
    model.locks.set(id, { agent, perspective, strategy: null, pending: 0, functions: model.functions })
  },

  async watch({ engine, model }, agent, pick) {
    const id = pickOf(model.locks, agent, pick, 'lock_ann_009')
    const known = model.locks.get(id)
    const strategy = ['manual', 'on_ingest', 'on_learn', 'periodic'][pick % 4]
    const result = await ask(engine, 'lock_watch', { agent_id: agent, lock_id: id, strategy })
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('lock_not_found')
    if (strategy === 'periodic') return expect(codeOf(result)).toBe('watch_strategy')
    if (!result.ok) throw new Error(result.failure.message)
    expect(result.output).toMatchObject({ strategy, previous_strategy: known.strategy, pending_count: known.pending })
    known.strategy = strategy
  },

  async diff({ engine, model }, agent, pick) {
    const id = pickOf(model.locks, agent, pick, 'lock_ann_009')
    const known = model.locks.get(id)
    const result = await ask(engine, 'lock_diff', { agent_id: agent, lock_id: id })
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('lock_not_found')
    if (!result.ok) throw new Error(result.failure.message)
    const { new_nodes, structural_changes, watcher_events_drained } = result.output
    expect(new_nodes).toHaveLength(model.functions - known.functions)
    expect({ structural_changes, watcher_events_drained }).toEqual({
      structural_changes: model.functions > known.functions,
      watcher_events_drained: known.pending,
    })
    known.pending = 0
  },

  async rebase({ engine, model }, agent, pick) {
    const id = pickOf(model.locks, agent, pick, 'lock_ann_009')
    const known = model.locks.get(id)
    const result = await ask(engine, 'lock_rebase', { agent_id: agent, lock_id: id })
    if (known?.agent !== agent) return expect(codeOf(result)).toBe('lock_not_found')
    expect(codeOf(result)).toBe('ok')
    known.functions = model.functions
  },

  async release({ engine, model }, agent, pick) {
    const id = pickOf(model.locks, agent, pick, 'lock_ann_009')
    const result = await ask(engine, 'lock_release', { agent_id: agent, lock_id: id })
    const isOwn = model.locks.get(id)?.agent === agent
    expect(codeOf(result)).toBe(isOwn ? 'ok' : 'lock_not_found')
    if (isOwn) model.locks.delete(id)
  },

  async save({ engine, model }, agent) {
    const result = await ask(engine, 'trail_save', {
      agent_id: agent,
      label: 'found',
      visited_nodes: [{ node_external_id: 'src/price.ts' }],
    })
    if (!result.ok) throw new Error(result.failure.message)
    const id = String(result.output.trail_id)
    expect(id.startsWith(`${model.next('trail', agent)}_`)).toBe(true)
    model.trails.set(id, { agent, status: 'saved', source: null })
  },

  async resume({ engine, model }, agent, pick) {
    const id = pickOf(model.trails, agent, pick, 'trail_ann_009_000000')
    const known = model.trails.get(id)
    const result = await ask(engine, 'trail_resume', { agent_id: agent, trail_id: id })
    if (known === undefined) return expect(codeOf(result)).toBe('trail_not_found')
    if (!result.ok) throw new Error(result.failure.message)
    expect(result.output).toMatchObject({
      stale: false,
      missing_nodes: [],
      trail: { agent_id: agent, status: 'active' },
    })
    if (known.agent === agent) {
      known.status = 'active'
      return
    }
    const copies = [...model.trails].filter(([, it]) => it.agent === agent && it.source === id)
    const copy = String(result.output.copied_to)
    if (copies.length > 0) expect(copy).toBe(copies[0][0])
    else expect(copy.startsWith(`${model.next('trail', agent)}_`)).toBe(true)
    model.trails.set(copy, { agent, status: 'active', source: id })
  },

  async merge({ engine, model }, agent, pick) {
    const all = [...model.trails.keys()]
    const trail_ids = all.length === 0 ? ['x', 'y'] : [all[pick % all.length], all[(pick + 1) % all.length]]
    const result = await ask(engine, 'trail_merge', { agent_id: agent, trail_ids })
    if (all.length < 2) return expect(codeOf(result)).toBe(all.length === 0 ? 'trail_not_found' : 'invalid_params')
    if (!result.ok) throw new Error(result.failure.message)
    const id = String(result.output.merged_trail_id)
    expect(id.startsWith(`${model.next('trail', agent)}_`)).toBe(true)
    for (const it of trail_ids) {
      const trail = model.trails.get(it)
      if (trail !== undefined) trail.status = 'merged'
    }
    model.trails.set(id, { agent, status: 'saved', source: null })
  },

  /** A change in the locked region, or elsewhere. */
  async ingest({ engine, model, shop }, agent, pick) {
    const near = pick % 2 === 0
    if (near) {
      appendFileSync(join(shop, 'server', 'bank.py'), `\n\ndef step${++model.functions}(card):\n    return card\n`)
      for (const it of model.locks.values()) if (it.strategy === 'on_ingest') it.pending++
    } else {
      mkdirSync(join(shop, 'far'), { recursive: true })
      writeFileSync(join(shop, 'far', `aisle${model.stamp}.ts`), `export const aisle${model.stamp} = 1\n`)
    }
    await answer(engine, 'ingest', { agent_id: agent, path: shop, incremental: true })
    model.stamp++
  },

  async learn({ engine, model }, agent) {
    await answer(engine, 'learn', { agent_id: agent, feedback: 'correct', node_ids: ['src/price.ts', 'src/config.ts'] })
    model.stamp++
  },

  async ask({ engine }, agent) {
    await answer(engine, 'activate', { agent_id: agent, query: 'price' })
  },

  async restart(world) {
    await world.engine.close()
    world.engine = await world.reopen()
  },
}

/** Everything that can be listed, as the model has it. */
async function compare({ engine, model }: World): Promise<void> {
  for (const agent of AGENTS) {
    const { perspectives } = await answer(engine, 'perspective_list', { agent_id: agent })
    const own = [...model.perspectives].filter(([, it]) => it.agent === agent)
    const expected = own.map(([perspective_id, it]) => ({
      perspective_id,
      focus: it.way.at(-1),
      route_set_version: it.version,
      stale: it.stamp !== model.stamp,
    }))
    const found = Array.isArray(perspectives) ? perspectives : []
    expect(found.toSorted((a, b) => (a.perspective_id < b.perspective_id ? -1 : 1))).toMatchObject(
      expected.toSorted((a, b) => (a.perspective_id < b.perspective_id ? -1 : 1)),
    )
    expect(found).toHaveLength(own.length)
  }
  for (const [lock_id, lock] of model.locks) {
    const { agent, strategy, pending, functions } = lock
    const watched = await answer(engine, 'lock_watch', { agent_id: agent, lock_id })
    expect(watched).toMatchObject({ strategy, pending_count: pending })
    const { new_nodes } = await answer(engine, 'lock_diff', { agent_id: agent, lock_id })
    expect(new_nodes).toHaveLength(model.functions - functions)
    lock.pending = 0
  }
  const { trails } = await answer(engine, 'trail_list', {})
  const states = Array.isArray(trails) ? trails.map((it) => `${it.trail_id} ${it.agent_id} ${it.status}`) : []
  expect(states.sort()).toEqual([...model.trails].map(([id, it]) => `${id} ${it.agent} ${it.status}`).sort())
}

test('whatever three agents do in whatever order is what the model says', { timeout: 120_000 }, async () => {
  const names = Object.keys(CALLS)
  const often = [
    'start',
    'start',
    'follow',
    'follow',
    'follow',
    'back',
    'back',
    'look',
    'lock',
    'watch',
    'diff',
    'save',
    'resume',
  ]
  const call: fc.Arbitrary<Call> = fc.record({
    what: fc.constantFrom(...names, ...often, ...often),
    agent: fc.constantFrom('ann', ...AGENTS),
    pick: fc.nat(23),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 45 }), async (calls) => {
      const shop = copyOf('shop')
      const home = temporaryFolder()
      const reopen = async () => engineFor(shop, { ...LIMITS, ephemeral: false, home })
      const world: World = { engine: await reopen(), model: new Model(), shop, reopen }
      try {
        await answer(world.engine, 'ingest', { path: shop })
        for (const { what, agent, pick } of calls) await CALLS[what](world, agent, pick)
        await compare(world)
        await CALLS.restart(world, 'ann', 0)
        await compare(world)
      } finally {
        await world.engine.close()
        rmSync(home, { recursive: true, force: true })
      }
    }),
    // every step reads files: a smaller example would take minutes to find
    { numRuns: 12, endOnFailure: true },
  )
})
