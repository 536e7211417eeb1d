/** A small shop as a graph, and a way to call tools on it without a server. */

import type * as z from 'zod'
import type { Baseline, Brain, Engine, Settings } from '#engine/brain'
import { EventList } from '#engine/events'
import { KeptRecords } from '#engine/records'
import { defaults } from '#engine/settings'
import { buildGraph } from '#graph/build'
import { CLASS, FILE, FUNCTION, type Graph } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { emptyLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { nodeByKey } from '#graph/lookup'
import { emptyMeta } from '#graph/meta'
import { causalStrength, ingestWeight } from '#graph/relations'
import { emptyLearned } from '#plasticity/learned'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import type { Tool } from '#tools/tool'

export const NOW = Date.UTC(2026, 0, 31, 8)

/** Per file: what it imports and what it defines; a definition may stand in a class and call others (by name). */
const SHOP: Record<string, { imports?: string[]; defines?: Record<string, string[]>; tags?: string[] }> = {
  'main.py': { imports: ['routes.py', 'config.py', 'log.py'], defines: { main: ['register_routes'] } },
  'routes.py': {
    imports: ['checkout.py', 'cart.py', 'account.py', 'log.py'],
    defines: { register_routes: ['pay_cart', 'add_item', 'sign_in'] },
  },
  'checkout.py': {
    imports: ['payment.py', 'cart.py', 'receipt.py', 'config.py', 'log.py'],
    defines: {
      pay_cart: ['charge_card', 'cart_total', 'print_receipt'],
      Checkout: [],
      'Checkout.confirm': ['pay_cart'],
    },
  },
  'payment.py': {
    imports: ['bank.py', 'config.py', 'log.py'],
    defines: { Payment: [], 'Payment.authorize': ['open_bank'], charge_card: ['authorize', 'retry'] },
  },
  'payment_form.py': { imports: ['log.py'], defines: { PaymentForm: [], 'PaymentForm.draw': [] } },
  'payment_legacy.py': { imports: ['config.py'], defines: { old_payment: [], payment_slip: [] } },
  'bank.py': { imports: ['retry.py', 'config.py', 'log.py'], defines: { open_bank: ['retry'], settle: [] } },
  'retry.py': { imports: ['log.py'], defines: { retry: [] } },
  'refund.py': { imports: ['bank.py', 'receipt.py', 'log.py'], defines: { refund_order: ['settle', 'print_receipt'] } },
  'cart.py': { imports: ['stock.py', 'log.py'], defines: { Cart: [], add_item: ['reserve'], cart_total: [] } },
  'stock.py': { imports: ['db.py', 'log.py'], defines: { reserve: ['query'], restock: ['query'] } },
  'receipt.py': { imports: ['template.py', 'log.py'], defines: { print_receipt: ['render'] } },
  'template.py': { imports: [], defines: { render: [] } },
  'account.py': { imports: ['session.py', 'db.py', 'log.py'], defines: { sign_in: ['open_session', 'query'] } },
  'session.py': {
    imports: ['pool.py', 'log.py'],
    defines: { Session: [], open_session: ['acquire'], close_session: ['release'] },
    tags: ['auth'],
  },
  'pool.py': {
    imports: ['db.py', 'log.py'],
    defines: { ConnectionPool: [], 'ConnectionPool.acquire': ['query'], 'ConnectionPool.release': [] },
  },
  'db.py': { imports: ['config.py', 'log.py'], defines: { query: [] } },
  'config.py': { imports: [], defines: { load_config: [] } },
  'log.py': { imports: [], defines: { log: [] } },
}

export function shopGraph(): Graph {
  const nodes: NodeInput[] = []
  const edges: EdgeInput[] = []
  const files = new Map<string, number>()
  const named = new Map<string, number>()
  const connect = (source: number, relation: string, target: number, bidirectional = false) => {
    edges.push({
      source,
      target,
      relation,
      weight: ingestWeight(relation),
      causal: causalStrength(relation),
      bidirectional,
    })
  }

  Object.entries(SHOP).forEach(([path, { defines = {}, tags = [] }], i) => {
    const common = {
      path,
      lastModified: NOW / 1000 - i * 86_400,
      changeFrequency: (i % 5) / 10,
      tags: ['python', ...tags],
    }
    const file = nodes.push({ ...common, key: `file::${path}`, label: path, type: FILE, lineEnd: 100 }) - 1
    files.set(path, file)
    Object.keys(defines).forEach((name, line) => {
      const [owner, method] = name.split('.')
      const isClass = method === undefined && /^[A-Z]/.test(name)
      const parent = method === undefined ? file : (named.get(owner) ?? file)
      const key = `${nodes[parent].key}::${isClass ? 'class' : 'fn'}::${method ?? name}`
      const place = { lineStart: line * 10 + 1, lineEnd: line * 10 + 9 }
      const node =
        nodes.push({ ...common, ...place, key, label: method ?? name, type: isClass ? CLASS : FUNCTION, parent }) - 1
      named.set(method ?? name, node)
    })
  })
  nodes.forEach((node, i) => {
    if (node.parent !== undefined) connect(node.parent, 'contains', i, true)
  })
  for (const [path, { imports = [], defines = {} }] of Object.entries(SHOP)) {
    for (const target of imports) connect(files.get(path) ?? 0, 'imports', files.get(target) ?? 0)
    for (const [name, calls] of Object.entries(defines)) {
      const source = named.get(name.split('.').at(-1) ?? name) ?? 0
      for (const called of calls) connect(source, 'calls', named.get(called) ?? 0)
    }
  }
  return buildGraph({ nodes, edges, meta: { ...emptyMeta(), ingestedAt: NOW - 1000 } })
}

export interface Place {
  engine: Engine
  brain: Brain
  /** Runs a tool as `agent` and counts the call, as a server does. */
  call<I extends z.ZodObject, O extends z.ZodObject>(
    tool: Tool<I, O>,
    input: Omit<z.input<I>, 'agent_id'>,
    agent?: string,
  ): Promise<z.output<O>>
}

/** A brain around a graph, with an engine that keeps nothing on disk. */
export function placeOf(
  graph: Graph,
  {
    settings = {},
    baseline = null,
    mode = 'memory',
  }: { settings?: Partial<Settings>; baseline?: Baseline | null; mode?: 'memory' | 'read_only' } = {},
): Place {
  const groups = [
    ['checkout.py', 'payment.py'],
    ['bank.py', 'refund.py'],
  ].map((paths) => Uint32Array.from(paths, (path) => nodeByKey(graph, `file::${path}`)))
  const known = groups.filter((group) => group.every((v) => v < graph.nNodes))
  const indexes = {
    semantic: buildSemantic(graph),
    cochange: buildCoChange(graph, [...known, ...known, ...known]),
    lexical: emptyLexical(),
    messages: emptyMessages(),
  }
  const brain: Brain = { root: '/shop', graph, indexes, learned: emptyLearned() }
  let processed = 0
  const engine: Engine = {
    brain,
    baseline,
    events: new EventList(),
    page: '',
    shelf: '',
    baselineAt: (time) => (baseline !== null && baseline.savedAt <= time ? baseline : null),
    records: new KeptRecords(),
    owner: () => Promise.resolve(null),
    leadsElsewhere: () => false,
    notice: () => '',
    ready: Promise.resolve(),
    settled: Promise.resolve(),
    follow: async () => {},
    settings: { ...defaults(), ...settings },
    status: () => ({
      mode,
      status: 'ok',
      working: null,
      queriesProcessed: processed,
      startedAt: NOW - 60_000,
      lastPersistAt: 0,
      sessions: [],
      warnings: [],
      checker: { state: 'idle', done: 0, total: 0, message: '' },
      watcher: { state: 'off', handles: 0, message: '' },
      stateFolder: '',
      version: '0',
    }),
    ingest: () => Promise.reject(new Error('this shop is only in memory')),
    federate: () => Promise.reject(new Error('this shop is only in memory')),
    record: () => {},
    suggestProject: () => Promise.resolve(),
    touch: () => {},
    persist: () => Promise.resolve(),
    close: () => Promise.resolve(),
    staleFiles: () => [],
    isOnDisk: () => false,
    linesOf: (places) => places.map(() => ''),
    findCode: () => Promise.resolve({ sites: [], problem: '', reasons: [] }),
  }
  return {
    engine,
    brain,
    async call(tool, input, agent = 'ann') {
      const parsed = tool.input.parse({ ...input, agent_id: agent })
      const context = {
        engine,
        brain,
        graph,
        indexes,
        agent,
        now: NOW,
        signal: new AbortController().signal,
        progress: () => {},
      }
      const output = tool.output.parse(await tool.run(context, parsed))
      processed++
      return output
    },
  }
}
