/** What a user was promised, through the program itself and a client on its pipes. */

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, Client, cleanUp, commit, copyOf, PROGRAM, projectOf, temporaryFolder } from './support.ts'

beforeAll(buildProgram)
afterAll(cleanUp)

type Answer = Record<string, unknown>

interface Setup {
  home?: string
  env?: Record<string, string>
  args?: string[]
}

function start(cwd: string, { home = temporaryFolder(), env = {}, args = [] }: Setup = {}): Client {
  return new Client(args, { cwd, env: { M1ND_HOME: home, M1ND_PROJECT: '', M1ND_PARALLELISM: '1', ...env } })
}

/** The structured answer of a call that succeeds. */
async function ask(client: Client, name: string, args: Answer = {}): Promise<Answer> {
  const { structuredContent, isError, content } = await client.call(name, args)
  if (isError === true || structuredContent === undefined) throw new Error(`${name}: ${content[0]?.text}`)
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  return structuredContent
}

function rows(answer: Answer, list: string): Record<string, unknown>[] {
  const found = answer[list]
  if (!Array.isArray(found)) throw new Error(`no ${list} in ${JSON.stringify(answer).slice(0, 200)}`)
  return found
}

const ids = (answer: Answer, list: string) => rows(answer, list).map((it) => String(it.node_id))

const ranking = async (client: Client, query: string, agent_id = 'dev') =>
  ids(await ask(client, 'activate', { agent_id, query, top_k: 50 }), 'activated')

describe('set up', () => {
  test('with both state variables: ingest, health, first question, and after a restart the learned weights', async () => {
    const shop = copyOf('shop')
    const state = temporaryFolder()
    const env = {
      M1ND_GRAPH_SOURCE: join(state, 'graph_snapshot.json'),
      M1ND_PLASTICITY_STATE: join(state, 'plasticity_state.json'),
    }
    const first = start(shop, { env })
    const before = await ask(first, 'ingest', { path: shop })
    expect(existsSync(env.M1ND_GRAPH_SOURCE)).toBe(true)
    expect(JSON.parse(readFileSync(env.M1ND_GRAPH_SOURCE, 'utf8'))).toMatchObject({ version: 3 })
    await ask(first, 'activate', { query: 'payment' })
    await ask(first, 'learn', { query: 'payment', feedback: 'correct', node_ids: ['payment.py'] })
    const health = await ask(first, 'health')
    expect(health).toMatchObject({ status: 'ok', node_count: before.node_count, queries_processed: 2 })
    expect(health.plasticity_records).toBeGreaterThan(0)
    expect(await first.end()).toMatchObject({ code: 0 })

    const second = start(shop, { env })
    expect(await ask(second, 'health')).toMatchObject({
      node_count: health.node_count,
      edge_count: health.edge_count,
      plasticity_records: health.plasticity_records,
    })
    await second.end()
  })
})

describe('the learning loop', () => {
  test('right ones rise, the wrong one leaves the top five, the far end of a ghost edge comes up, also after a restart', async () => {
    const shop = copyOf('shop')
    const home = temporaryFolder()
    const client = start(shop, { home })
    await ask(client, 'ingest', { path: shop })
    const answer = await ask(client, 'activate', { query: 'payment', top_k: 50, detail: true })
    const before = ids(answer, 'activated')
    const place = (list: readonly string[], id: string) => {
      const at = list.indexOf(id)
      return at < 0 ? list.length : at
    }

    const ghost = rows(answer, 'ghost_edges')
      .map((it) => String(it.target))
      .find((it) => place(before, it) >= 5)
    if (ghost === undefined) throw new Error('no ghost edge to confirm')
    const right = [ghost, 'file::server/refund.py::fn::refund']
    const wrong = 'file::src/checkout.ts::interface::Payment'
    expect(place(before, wrong)).toBeLessThan(5)
    await ask(client, 'learn', { query: 'payment', feedback: 'correct', node_ids: right })
    await ask(client, 'learn', { query: 'payment', feedback: 'wrong', node_ids: [wrong] })

    const judge = (after: readonly string[]) => {
      for (const it of right) expect(place(after, it), it).toBeLessThan(place(before, it))
      expect(place(after, wrong)).toBeGreaterThanOrEqual(5)
    }
    judge(await ranking(client, 'payment'))
    await client.end()
    const next = start(shop, { home })
    judge(await ranking(next, 'payment'))
    await next.end()
  })

  test('one agent ranks a module higher right after the feedback of another', async () => {
    const shop = copyOf('shop')
    const client = start(shop, { args: ['--ephemeral'] })
    await ask(client, 'ingest', { path: shop })
    const wanted = 'file::server/bank.py'
    const before = await ranking(client, 'payment', 'till')
    await ask(client, 'learn', { agent_id: 'buyer', query: 'payment', feedback: 'correct', node_ids: [wanted] })
    const after = await ranking(client, 'payment', 'till')
    expect(after.indexOf(wanted)).toBeLessThan(before.indexOf(wanted))
    await client.end()
  })

  test('survives a full ingest that gives every node another number, and the new name of another file', async () => {
    const shop = copyOf('shop')
    const client = start(shop)
    await ask(client, 'ingest', { path: shop })
    await ask(client, 'learn', { query: 'cart total', feedback: 'correct', node_ids: ['cart.ts', 'price.ts'] })
    const { plasticity_records, node_count } = await ask(client, 'health')
    expect(plasticity_records).toBeGreaterThan(0)
    const strongest = rows(await ask(client, 'drift'), 'top_strengthened')
    writeFileSync(join(shop, 'aisle.ts'), 'export const aisle = 1\n')
    renameSync(join(shop, 'src', 'log.ts'), join(shop, 'src', 'zz-log.ts'))
    await ask(client, 'ingest', { path: shop })
    const after = await ask(client, 'health')
    expect(after.node_count).not.toBe(node_count)
    expect(after.plasticity_records).toBe(plasticity_records)
    expect(rows(await ask(client, 'drift'), 'top_strengthened')).toEqual(strongest)
    await client.end()
  })

  test('what was learned in one repository is not taken for knowledge of another, even under the same state file', async () => {
    const files = { 'app.ts': "import { open } from './store'\nexport const run = () => open()\n" }
    const bakery = projectOf('bakery', {
      ...files,
      'store.ts': 'export const open = () => 1\n',
      'oven.ts': '',
      'bread.ts': '',
    })
    const library = projectOf('library', {
      ...files,
      'store.ts': 'export const open = () => 2\n',
      'shelf.ts': '',
      'loan.ts': '',
      'desk.ts': '',
      'member.ts': '',
      'book.ts': '',
    })
    const env = { M1ND_GRAPH_SOURCE: join(temporaryFolder(), 'graph.bin') }
    const client = start(bakery, { env })
    await ask(client, 'ingest', { path: bakery })
    await ask(client, 'learn', { query: 'open store', feedback: 'correct', node_ids: ['app.ts', 'store.ts'] })
    expect((await ask(client, 'health')).plasticity_records).toBeGreaterThan(0)
    const { dropped_roots, warnings } = await ask(client, 'ingest', { path: library })
    expect(dropped_roots).toEqual([bakery])
    expect(JSON.stringify(warnings)).toContain('learned')
    expect((await ask(client, 'health')).plasticity_records).toBe(0)
    await client.end()
  })
})

describe('ranking', () => {
  /** The graph of the example: seven files, edges of weight 1, ages in hours. */
  const IMPORTS =
    'main>auth main>routes routes>auth routes>middleware auth>session auth>user auth>database session>database middleware>session user>database'
  const AGES: Readonly<Record<string, number>> = {
    auth: 8,
    session: 111,
    middleware: 54,
    user: 4000,
    database: 489,
    main: 4000,
    routes: 4000,
  }

  test('of the seven files: both seeds, arrivals against the arrows, and middleware before the database', async () => {
    const now = Math.floor(Date.now() / 1000)
    const id = (name: string) => `file::${name}.py`
    const nodes = Object.entries(AGES).map(([name, hours]) => ({
      id: id(name),
      label: `${name}.py`,
      type: 'file',
      tags: name === 'session' ? ['auth'] : [],
      last_modified: now - hours * 3600,
    }))
    const edges = IMPORTS.split(' ').map((it) => {
      const [source, target] = it.split('>')
      return { source: id(source), target: id(target), relation: 'imports', weight: 1 }
    })
    const folder = projectOf('seven', { 'graph.json': JSON.stringify({ nodes, edges }) })
    const client = start(folder, { args: ['--ephemeral'] })
    await ask(client, 'ingest', { path: join(folder, 'graph.json'), adapter: 'json' })
    const answer = await ask(client, 'activate', { query: 'authentication', xlr: false })
    expect(ids(answer, 'seeds')).toEqual([id('auth'), id('session')])
    const order = ids(answer, 'activated')
    expect(order.slice(0, 2)).toEqual([id('auth'), id('session')])
    expect(order.indexOf(id('middleware'))).toBeLessThan(order.indexOf(id('database')))
    // these only import the seeds: they are reached against the direction of the edges
    for (const name of ['main', 'routes', 'middleware']) {
      const row = rows(answer, 'activated').find((it) => it.node_id === id(name))
      expect(row, name).toHaveProperty('dimensions.structural', expect.closeTo(name === 'middleware' ? 0.32 : 0.35, 1))
    }
    await client.end()
  })

  test('hubs that everything imports leave the top with noise cancellation, and nothing else is lost', async () => {
    const client = start(hubProject(), { args: ['--ephemeral'] })
    await ask(client, 'ingest', { path: client.cwd })
    const names = async (xlr: boolean) => {
      const answer = await ask(client, 'activate', { query: 'payment', top_k: 12, xlr, learn: false })
      if (xlr) expect(answer).toMatchObject({ xlr_skipped: false })
      return ids(answer, 'activated')
    }
    const plain = await names(false)
    const quiet = await names(true)
    const isHub = (it: string) => /^file::(config|logger|database|utils)\.py/.test(it)
    expect(plain.filter(isHub).length).toBeGreaterThan(0)
    expect(quiet.filter(isHub).length).toBeLessThan(plain.filter(isHub).length)
    expect(quiet.length).toBeGreaterThanOrEqual(plain.length)
    for (const it of ['payment', 'billing', 'gateway']) expect(quiet).toContain(`file::${it}.py`)
    await client.end()
  })
})

const HUBS = ['config', 'logger', 'database', 'utils']

/** A payment module and its neighbours, sixty modules of other matters, and four that all of them import. */
function hubProject(): string {
  const files: Record<string, string> = {}
  for (const hub of HUBS) files[`${hub}.py`] = `def ${hub}_get(x):\n    return x\n`
  const module = (name: string, uses: readonly string[]) => {
    const all = [...HUBS, ...uses]
    const calls = uses.map((it) => `    ${it}.${it}_run()\n`).join('')
    files[`${name}.py`] =
      `${all.map((it) => `import ${it}\n`).join('')}\n\ndef ${name}_run():\n${HUBS.map((it) => `    ${it}.${it}_get(1)\n`).join('')}${calls}`
  }
  module('payment', ['billing', 'gateway'])
  module('billing', ['invoice'])
  module('gateway', [])
  module('invoice', [])
  for (let i = 0; i < 60; i++) module(`shelf${i}`, i % 6 === 5 ? [] : [`shelf${i + 1}`])
  return projectOf('till', files)
}

describe('what is missing', () => {
  /** The first hole around a topic in a project of these files. */
  async function firstHole(name: string, files: Record<string, string>, query: string) {
    const client = start(projectOf(name, files), { args: ['--ephemeral'] })
    await ask(client, 'ingest', { path: client.cwd })
    const [first] = rows(await ask(client, 'missing', { query }), 'holes')
    await client.end()
    return first
  }

  test('a handler without the error handling of its siblings is named first', async () => {
    const handler = (name: string, call: string) =>
      `import { Order } from './order'\nimport { onFailure } from './failure'\n\nexport function ${name}Order(order: Order) {\n  ${call}\n  return order\n}\n`
    const files = Object.fromEntries(
      ['pay', 'ship', 'pack', 'cancel'].map((it) => [`handlers/${it}Order.ts`, handler(it, 'onFailure(order)')]),
    )
    const first = await firstHole(
      'orders',
      {
        ...files,
        'handlers/refundOrder.ts': handler('refund', '').replace("import { onFailure } from './failure'\n", ''),
        'handlers/order.ts': 'export interface Order { id: string }\n',
        'handlers/failure.ts': 'export function onFailure(order: object) { return order }\n',
      },
      'order handler',
    )
    expect(first).toMatchObject({ type: 'structural_hole', kind: 'gap', label: 'onFailure' })
    expect(first.reason).toMatch(/^\d of \d siblings .* onFailure, refundOrder/)
    expect(first.member).toContain('refundOrder')
  })

  test('a module without the test that its siblings have is named first', async () => {
    const names = ['loan', 'fine', 'member', 'shelf']
    const files = Object.fromEntries(names.map((it) => [`library/${it}.py`, `def library_${it}():\n    return 1\n`]))
    const tests = Object.fromEntries(
      ['loan', 'fine', 'member'].map((it) => [
        `tests/test_${it}.py`,
        `from library.${it} import library_${it}\n\n\ndef test_${it}():\n    assert library_${it}() == 1\n`,
      ]),
    )
    const first = await firstHole(
      'library',
      { ...files, ...tests, 'library/__init__.py': '' },
      'loan fine member shelf',
    )
    expect(first).toMatchObject({
      kind: 'gap',
      label: 'tests',
      reason: '3 of 4 siblings have tests, shelf.py does not',
    })
    expect(first.member).toBe('file::library/shelf.py')
  })

  test('a route without the validation that its siblings have is named first', async () => {
    const route = (name: string, checked: boolean) =>
      `${checked ? 'from checks import validate\n' : ''}from store import save\n\n\ndef ${name}_route(form):\n${checked ? '    validate(form)\n' : ''}    return save(form)\n`
    const first = await firstHole(
      'routes',
      {
        'routes/signup.py': route('signup', true),
        'routes/checkout.py': route('checkout', true),
        'routes/address.py': route('address', true),
        'routes/review.py': route('review', false),
        'checks.py': 'def validate(form):\n    return form\n',
        'store.py': 'def save(form):\n    return form\n',
      },
      'route',
    )
    expect(first).toMatchObject({ kind: 'gap', label: 'validate' })
    expect(first.member).toMatch(/review/)
  })
})

describe('without a network', () => {
  test('the program imports nothing that speaks to one, but what listens on this machine', () => {
    const folder = dirname(PROGRAM)
    for (const it of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
      // whether a text is an address is no conversation
      const text = readFileSync(join(folder, it), 'utf8').replace(
        /import\s*\{[\w, ]*\bisIP\w*\s*\}\s*from\s*"(?:node:)?net"/,
        '',
      )
      const speaks =
        /(?:from|import\(|require\()\s*["'](?:node:)?(net|tls|http|https|http2|dgram|dns|inspector)(?:\/promises)?["']/g
      const modules = new Set(Array.from(text.matchAll(speaks), ([, module]) => module))
      // the socket beside the state, and the server that has to be asked for
      if (text.includes('owner.sock')) modules.delete('net')
      if (text.includes('createServer')) for (const name of ['http', 'https', 'http2']) modules.delete(name)
      expect([...modules], it).toEqual([])
    }
  })

  test('everything answers when every way out is blocked', async () => {
    const guard = join(temporaryFolder(), 'no-network.cjs')
    writeFileSync(
      guard,
      `const refuse = (name) => () => { process.stderr.write('NETWORK ' + name + '\\n'); throw new Error('no network: ' + name) }
const net = require('net')
const isPath = (at) => typeof at === 'string' && Number.isNaN(Number(at))
for (const [object, name] of [[net, 'connect'], [net, 'createConnection'], [net.Server.prototype, 'listen']]) {
  const before = object[name]
  object[name] = function (at, ...more) { return isPath(at) ? before.call(this, at, ...more) : refuse('net.' + name)() }
}
for (const [module, names] of Object.entries({ tls: ['connect'], http: ['request', 'get', 'createServer'], https: ['request', 'get'], dns: ['lookup', 'resolve'], dgram: ['createSocket'] }))
  for (const name of names) require(module)[name] = refuse(module + '.' + name)
globalThis.fetch = refuse('fetch')
`,
    )
    const shop = copyOf('shop')
    commit(shop, 'Open the shop')
    const client = start(shop, { env: { NODE_OPTIONS: `--require ${guard}` } })
    await ask(client, 'ingest', { path: shop })
    for (const [name, args] of CALLS) await ask(client, name, args(shop))
    await client.end()
    expect(client.stderr).not.toContain('NETWORK')
  })
})

describe('ends', () => {
  test.each(['SIGINT', 'SIGTERM', 'end of input'] as const)(
    '%s saves what was learned and exits with 0',
    async (how) => {
      const shop = copyOf('shop')
      const home = temporaryFolder()
      const client = start(shop, { home })
      await ask(client, 'ingest', { path: shop })
      await ask(client, 'activate', { query: 'payment' })
      const { plasticity_records } = await ask(client, 'health')
      expect(plasticity_records).toBeGreaterThan(0)
      if (how === 'end of input') client.process.stdin.end()
      else client.process.kill(how)
      expect(await client.exited).toEqual({ code: 0, signal: null })
      const next = start(shop, { home })
      expect(await ask(next, 'health')).toMatchObject({ plasticity_records })
      await next.end()
    },
  )

  test('a kill right after the answer loses neither an ingest nor feedback', async () => {
    const shop = copyOf('shop')
    const home = temporaryFolder()
    const client = start(shop, { home })
    const { node_count } = await ask(client, 'ingest', { path: shop })
    client.process.kill('SIGKILL')
    await client.exited
    const second = start(shop, { home })
    expect(await ask(second, 'health')).toMatchObject({ status: 'ok', node_count, warnings: [] })
    const learned = await ask(second, 'learn', { query: 'payment', feedback: 'correct', node_ids: ['payment.py'] })
    second.process.kill('SIGKILL')
    await second.exited
    const third = start(shop, { home })
    expect(await ask(third, 'health')).toMatchObject({ plasticity_records: learned.plasticity_records })
    await third.end()
  })

  test('a kill in the middle of saving leaves state that can be read', async () => {
    const shop = copyOf('shop')
    const home = temporaryFolder()
    const first = start(shop, { home })
    await ask(first, 'ingest', { path: shop })
    await first.end()
    for (const delay of [0, 9]) {
      const client = start(shop, { home })
      await ask(client, 'health')
      for (let i = 0; i < 30; i++)
        void client.call('learn', { query: 'payment', feedback: 'correct', node_ids: ['payment.py'] }).catch(() => {})
      await ask(client, 'health')
      await new Promise((resolve) => setTimeout(resolve, delay))
      client.process.kill('SIGKILL')
      await client.exited
      const next = start(shop, { home })
      const health = await ask(next, 'health')
      expect(health).toMatchObject({ status: 'ok', warnings: [] })
      expect(health.node_count).toBeGreaterThan(10)
      await next.end()
    }
  })
})

/** One call of every tool on the shop, as the contract writes them, with the fields that it promises. */
const CALLS: [name: string, args: (shop: string) => Answer, fields: string][] = [
  [
    'health',
    () => ({}),
    'status healthy node_count nodes edge_count edges finalized queries_processed queries_served uptime_seconds memory_usage_bytes plasticity_state plasticity_records last_persist_time active_sessions agents_seen graph_generation plasticity_generation domain version git',
  ],
  [
    'ingest',
    (path) => ({ path, incremental: false, adapter: 'code', mode: 'replace' }),
    'files_processed nodes_created edges_created languages mode adapter namespace files_scanned files_parsed node_count edge_count nodes_removed files_unchanged files_skipped warnings',
  ],
  [
    'activate',
    () => ({
      query: 'payment',
      top_k: 20,
      dimensions: ['structural', 'semantic', 'temporal', 'causal'],
      xlr: true,
      include_ghost_edges: true,
      include_structural_holes: true,
    }),
    'query seeds activated ghost_edges structural_holes plasticity xlr_fallback_used',
  ],
  [
    'warmup',
    () => ({ task_description: 'refund a payment', boost_strength: 0.15 }),
    'task task_description primed_nodes top_primed seeds priming_nodes total_seeds total_priming',
  ],
  [
    'impact',
    () => ({ node_id: 'file::src/config.ts', direction: 'forward', include_causal_chains: true }),
    'source source_label direction blast_radius total_energy total_affected max_hops_reached causal_chains completeness truncated freshness',
  ],
  [
    'predict',
    () => ({ changed_node: 'file::server/payment.py', top_k: 10, include_velocity: true }),
    'changed_node predictions co_change_count structural_fallback_count velocity',
  ],
  [
    'counterfactual',
    () => ({ node_ids: ['file::server/payment.py', 'file::server/refund.py'], include_cascade: true }),
    'removed_nodes unresolved_nodes cascade total_affected orphaned_count weakened_count pct_activation_lost total_impact reachability_before reachability_after synergy affected_files',
  ],
  [
    'learn',
    () => ({ query: 'payment', feedback: 'correct', node_ids: ['file::server/payment.py'], strength: 0.2 }),
    'query feedback edges_adjusted nodes_affected plasticity_delta edges_strengthened edges_weakened plasticity_records learning_type nodes_found nodes_expanded edges_modified strength unresolved_nodes',
  ],
  [
    'drift',
    () => ({ since: 'last_session', include_weight_drift: true }),
    'since node_count_delta edge_count_delta new_nodes removed_nodes top_weight_drifts total_edges_changed average_weight_change top_strengthened top_weakened ltp_count ltd_count weight_drift top_velocities queries_processed uptime_seconds',
  ],
  [
    'why',
    () => ({ source: 'file::server/app.py', target: 'file::server/bank.py', max_hops: 6 }),
    'source target paths total_paths_found found same_community reason',
  ],
  [
    'seek',
    () => ({
      query: 'total price of the cart',
      top_k: 20,
      scope: '',
      node_types: ['function', 'class', 'file'],
      min_score: 0.1,
      graph_rerank: true,
      detail: true,
    }),
    'query results total_candidates_scanned embeddings_used',
  ],
  ['missing', () => ({ query: 'payment', min_sibling_activation: 0.3 }), 'query holes total_holes ghost_edges'],
]

/** Fields of the rows, for the lists that may not be empty here. */
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  activate: {
    seeds: 'node_id label relevance',
    activated: 'node_id label type activation score dimensions dimension_scores pagerank tags provenance',
    ghost_edges: 'source target from to shared_dimensions strength confidence',
    structural_holes: 'node_id label region type node_type reason description sibling_avg_activation adjacent_nodes',
  },
  warmup: { top_primed: 'node_id label boost', seeds: 'node_id relevance' },
  impact: {
    blast_radius: 'node_id label type signal_strength hop_distance',
    causal_chains: 'path relations cumulative_strength',
  },
  predict: { predictions: 'node_id label confidence velocity reason coupling_strength' },
  counterfactual: { cascade: 'depth affected', affected_files: 'path depth relation' },
  drift: { top_strengthened: 'edge old new delta' },
  why: { paths: 'nodes node_ids relations cumulative_strength hops' },
  seek: {
    results: 'node_id label type score score_breakdown intent_summary file_path line_start line_end connections',
  },
  health: { active_sessions: 'agent_id last_active query_count first_seen_secs_ago last_seen_secs_ago' },
}

test('every request of the contract works as written, in every spelling, with every field that it promises', async () => {
  const shop = copyOf('shop')
  const client = start(shop, { args: ['--ephemeral'] })
  await ask(client, 'ingest', { path: shop })
  const { result } = await client.request('tools/list')
  expect(result).toHaveProperty(
    'tools',
    expect.arrayContaining(CALLS.map(([name]) => expect.objectContaining({ name }))),
  )
  for (const [name, args, fields] of CALLS) {
    for (const prefix of ['', 'm1nd.', 'm1nd_']) {
      const answer = await ask(client, prefix + name, args(shop))
      expect(Object.keys(answer), name).toEqual(expect.arrayContaining([...fields.split(' '), 'elapsed_ms']))
      for (const [list, wanted] of Object.entries(ROWS[name] ?? {})) {
        const [row] = rows(answer, list)
        expect(Object.keys(row ?? {}), `${name}.${list}`).toEqual(expect.arrayContaining(wanted.split(' ')))
      }
    }
    const unnamed = await client.call(name, { ...args(shop), agent_id: '' })
    expect(unnamed.isError).toBe(true)
    expect(unnamed.content[0].text).toMatch(/^Error: Invalid params for /)
    expect(JSON.parse(unnamed.content[1].text)).toMatchObject({ code: 'invalid_params', tool: name })
  }
  const missing = await client.call('m1nd.impact', { node_id: 'file::nonexistent.py' })
  expect(missing.content[0].text).toBe('Error: Node not found: file::nonexistent.py')
  expect(missing.structuredContent).toBeUndefined()
  await client.end()
})

test('a stranger gets from a clone to an answer that can be acted on, and sees why', async () => {
  const origin = copyOf('shop')
  commit(origin, 'Open the shop')
  const clone = join(temporaryFolder(), 'shop')
  execFileSync('git', ['clone', '-q', origin, clone])
  const env = { ...process.env, M1ND_HOME: temporaryFolder(), M1ND_PROJECT: '', NO_COLOR: '1' }
  const m1nd = (...args: string[]) =>
    execFileSync(process.execPath, [PROGRAM, ...args], { cwd: clone, env, encoding: 'utf8' })
  expect(m1nd('ingest', '.')).toMatch(/\d+ nodes and \d+ edges from \d+ files/)
  const found = m1nd('seek', 'give money back to the customer')
  expect(found).toMatch(/refund\.(py|ts):\d+/)
  const why = m1nd('why', 'refund.py', 'bank.py')
  expect(why).toContain('payment.py')
  expect(m1nd('impact', 'server/payment.py')).toMatch(/refund\.py/)
})
