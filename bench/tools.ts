/**
 * Every tool, one line each: `npm run bench -- --tools` on a generated graph of 100,000 nodes and 400,000 edges,
 * `npm run bench -- --tools path/to/repository` on a repository, where those that ask git or read files are among them.
 * The first call is the first on a graph that was just loaded; what a graph keeps for later calls is made by it.
 */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Engine } from '#engine/brain'
import { openEngine } from '#engine/engine'
import { encodeStructure, fromImage } from '#engine/image'
import { defaults } from '#engine/settings'
import { buildGraph } from '#graph/build'
import { CLASS, FILE, FUNCTION, type Graph, keyOf, text } from '#graph/graph'
import { buildLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { PATTERNS } from '#graph/patterns'
import { decodeSections } from '#graph/snapshot'
import { buildCoChange } from '#query/cochange'
import { buildSemantic } from '#query/semantic'
import { Random } from '#std/random'
import { callTool } from '#tools/call'
import { tools } from '#tools/index'
import { generateInput } from './generate.ts'

const REPEAT = 20
const SIZE = { nodes: 100_000, edges: 400_000, seed: 7 }
/** Commits of the generated history, files in each, and places of patterns per kind of pattern. */
const COMMITS = 5000
const FILES_PER_COMMIT = 4
const SITES_PER_PATTERN = 4000
const AGENT = 'bench'
/** One rule of each pattern that is found in code. */
const RULES = [
  'swallowed_error',
  'not_closed',
  'endpoint',
  'global_write',
  'blocks_event_loop',
  'secret_literal',
  'no_assertion',
  'environment_read',
]

/** The other of two repositories. */
const top = fileURLToPath(new URL('../src', import.meta.url))

type Answer = Record<string, unknown>
type Ask = (name: string, args: Record<string, unknown>) => Promise<Answer>

/** What is asked: the name of the row, and the call made of it; what must be there before is made by `before`. */
export interface Row {
  tool: string
  what: string
  args: (i: number, given: Answer) => Record<string, unknown>
  before?: (ask: Ask, i: number) => Promise<Answer>
  /** The call can be repeated as often as wanted; else it is asked this often. */
  times?: number
}

/** Nodes to ask about: spread over all, closer together at the top, where the hubs are. */
interface Sample {
  nodes: string[]
  files: string[]
  hub: string
  words: (i: number) => string
  trace: (i: number) => string
}

export async function benchEvery(project: string | null): Promise<void> {
  console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`)
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-bench-')))
  const source = project === null ? generated(home) : await read(project)
  console.log(`\n# ${project ?? 'generated'}: ${source.graph.nNodes} nodes, ${source.graph.nLogical} edges\n`)
  console.log('| tool | question | first | p50 | p95 | cpu, first | cpu, p50 |\n|---|---|---|---|---|---|---|')
  const only = process.argv
    .find((it) => it.startsWith('--only='))
    ?.slice(7)
    .split(',')
  const sample = sampleOf(source.graph)
  const rows = rowsOf(sample, project)
  const left = new Set(Object.keys(tools))
  for (const row of rows) {
    left.delete(row.tool)
    if (only !== undefined && !only.includes(row.tool)) continue
    const engine = await source.engine()
    try {
      await benchRow(engine, row)
    } catch (error) {
      console.log(`| ${row.tool} | ${row.what} | ${error instanceof Error ? error.message.slice(0, 80) : ''} | | | | |`)
    } finally {
      await engine.close()
    }
  }
  if (left.size > 0) console.log(`\nNot asked: ${[...left].join(', ')}.`)
  console.log(`\n${Math.round(process.memoryUsage.rss() / 1_048_576)} MB resident`)
  rmSync(home, { recursive: true, force: true })
}

export async function benchRow(
  engine: Engine,
  { tool, what, args, before, times = Number(process.env.TIMES ?? 2 * REPEAT) }: Row,
): Promise<void> {
  const ask: Ask = async (name, input) => {
    const result = await callTool(engine, name, { agent_id: AGENT, ...input }, { now: Date.now() })
    if (!result.ok) throw new Error(`${name}: ${result.failure.message}`)
    return result.output
  }
  const took: number[] = []
  const busy: number[] = []
  for (let i = 0; i < times; i++) {
    const given = (await before?.(ask, i)) ?? {}
    const began = performance.now()
    const usage = process.cpuUsage()
    await ask(tool, args(i, given))
    took.push(performance.now() - began)
    const { user, system } = process.cpuUsage(usage)
    busy.push((user + system) / 1000)
  }
  // the second half is after the warm-up
  const from = times > 2 ? times >> 1 : 0
  const at = (of: number[], share: number) => {
    const rest = of.slice(from).sort((a, b) => a - b)
    return ms(rest[Math.min(rest.length - 1, Math.floor(rest.length * share))] ?? 0)
  }
  console.log(
    `| ${tool} | ${what} | ${ms(took[0] ?? 0)} | ${at(took, 0.5)} | ${at(took, 0.95)} | ${ms(busy[0] ?? 0)} | ${at(busy, 0.5)} |`,
  )
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

export interface Source {
  graph: Graph
  /** An engine over a graph about which nothing was asked yet. */
  engine: () => Promise<Engine>
}

/** The generated graph, with a history and places of patterns as a project of its size has them. */
export function generated(home: string): Source {
  const graph = buildGraph(generateInput(SIZE))
  graph.meta.roots.push({ path: home, prefix: '', adapter: 'code', base: home })
  const random = new Random(SIZE.seed)
  const files: number[] = []
  const definitions: number[] = []
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] === FILE) files.push(v)
    else if (graph.types[v] === FUNCTION) definitions.push(v)
  }
  const groups = Array.from({ length: COMMITS }, () => {
    const near = random.below(files.length)
    return Uint32Array.from(
      { length: FILES_PER_COMMIT },
      () => files[Math.min(files.length - 1, near + random.below(40))],
    )
  })
  for (const rule of RULES)
    for (let i = 0; i < SITES_PER_PATTERN; i++) {
      const v = definitions[random.below(definitions.length)]
      graph.meta.coverage.patterns.push({
        rule,
        path: text(graph, graph.paths[v]),
        line: graph.lineStart[v] + 1,
        text: 'value = compute(value)',
        remedy: random.below(4) === 0 ? 'it is handled beside it' : '',
      })
    }
  const indexes = {
    semantic: buildSemantic(graph),
    cochange: buildCoChange(graph, groups),
    lexical: buildLexical([], graph),
    messages: emptyMessages(),
  }
  const bytes = Buffer.concat(encodeStructure(graph, indexes, {}))
  return {
    graph,
    engine: async () => {
      const engine = memoryEngine(home)
      await engine.ready
      const loaded = fromImage(decodeSections(Buffer.from(bytes)))
      Object.assign(engine.brain, { graph: loaded.graph, root: home })
      Object.defineProperty(engine.brain, 'indexes', { value: loaded.indexes })
      return engine
    },
  }
}

export async function read(project: string): Promise<Source> {
  const first = memoryEngine(project)
  const answer = await callTool(first, 'ingest', { agent_id: AGENT, path: project }, { now: Date.now() })
  if (!answer.ok) throw new Error(answer.failure.message)
  await first.settled
  const { graph, indexes, root } = first.brain
  const bytes = Buffer.concat(encodeStructure(graph, indexes, {}))
  await first.close()
  return {
    graph,
    engine: async () => {
      const engine = memoryEngine(project)
      await engine.ready
      const loaded = fromImage(decodeSections(Buffer.from(bytes)))
      Object.assign(engine.brain, { graph: loaded.graph, root })
      Object.defineProperty(engine.brain, 'indexes', { value: loaded.indexes })
      return engine
    },
  }
}

function memoryEngine(folder: string): Engine {
  return openEngine(
    { ...defaults(), project: folder, ephemeral: true, autoPersistInterval: 100_000, watch: false },
    { version: 'bench', log: (it) => console.error(it), cwd: folder },
  )
}

export function sampleOf(graph: Graph): Sample {
  const byRank = Array.from({ length: graph.nNodes }, (_, v) => v).sort(
    (a, b) => graph.pagerank[b] - graph.pagerank[a] || a - b,
  )
  const spread = (of: number[]) =>
    Array.from({ length: REPEAT }, (_, i) => keyOf(graph, of[Math.floor((i / REPEAT) ** 2 * of.length)]))
  const nodes = spread(
    byRank.filter((v) => graph.paths[v] !== 0xffff_ffff && [FILE, CLASS, FUNCTION].includes(graph.types[v])),
  )
  const files = spread(byRank.filter((v) => graph.types[v] === FILE))
  const byDegree = byRank
    .filter((v) => graph.types[v] === FILE)
    .sort((a, b) => graph.in.offsets[b + 1] - graph.in.offsets[b] - (graph.in.offsets[a + 1] - graph.in.offsets[a]))
  const functions = byRank.filter((v) => graph.types[v] === FUNCTION && graph.lineStart[v] > 0)
  const frame = (i: number) => {
    const v = functions[(i * 7919) % functions.length]
    return `  File "/srv/app/${text(graph, graph.paths[v])}", line ${graph.lineStart[v] + 1}, in ${text(graph, graph.labels[v])}\n    run()`
  }
  return {
    nodes,
    files,
    hub: keyOf(graph, byDegree[0]),
    words: (i) => `${wordOf(nodes[i % REPEAT])} ${wordOf(nodes[(i + 1) % REPEAT])}`,
    trace: (i) =>
      `Traceback (most recent call last):\n${[0, 1, 2, 3, 4].map((k) => frame(5 * i + k)).join('\n')}\nValueError: no ${wordOf(nodes[i % REPEAT])}`,
  }
}

function wordOf(key: string): string {
  const words = key.split(/[:/.]+/).filter((it) => it.length > 2)
  return words.at(-1) ?? key
}

export function rowsOf({ nodes, files, hub, words, trace }: Sample, project: string | null): Row[] {
  const node = (i: number) => nodes[i % REPEAT]
  const next = (i: number) => nodes[(i + 1) % REPEAT]
  const file = (i: number) => files[i % REPEAT]
  const other = (i: number) => files[(i + 7) % REPEAT]
  const path = (i: number) => file(i).replace(/^.*?file::/, '')
  const claim = (what: string, sentence: (i: number) => string): Row => ({
    tool: 'hypothesize',
    what,
    args: (i) => ({ claim: sentence(i) }),
  })
  const perspective = async (ask: Ask, i: number) => ask('perspective_start', { query: words(i), anchor_node: file(i) })
  const route = (_: number, { perspective_id, route_set_version }: Answer) => ({
    perspective_id,
    route_set_version,
    route_index: 1,
  })
  const closing = (before: (ask: Ask, i: number) => Promise<Answer>) => {
    let open: unknown = null
    return async (ask: Ask, i: number) => {
      if (open !== null) await ask('perspective_close', { perspective_id: open })
      const made = await before(ask, i)
      open = made.perspective_id
      return made
    }
  }
  const lock = (ask: Ask, i: number) => ask('lock_create', { scope: 'subgraph', root_nodes: [file(i)], radius: 1 })
  const locked = releasing(lock)
  const trail = (ask: Ask, i: number) =>
    ask('trail_save', {
      label: `trail ${i}`,
      hypotheses: [{ statement: 'it is opened twice', confidence: 0.6, supporting_nodes: [file(i)] }],
      visited_nodes: [file(i), other(i), node(i)].map((it) => ({ node_external_id: it })),
      activation_boosts: { [file(i)]: 0.3 },
    })
  const plan = (i: number) => ({
    actions: Array.from({ length: 5 }, (_, k) => ({ action_type: 'modify', file_path: path(i + k) })),
  })
  const git: Row[] =
    project === null
      ? []
      : [
          { tool: 'timeline', what: '90 days', args: (i) => ({ node: file(i), depth: '90d' }) },
          { tool: 'timeline', what: 'depth all', args: (i) => ({ node: file(i), depth: 'all' }) },
          { tool: 'timeline', what: 'depth all, largest hub', args: () => ({ node: hub, depth: 'all' }) },
          { tool: 'diverge', what: '50 commits ago', args: () => ({ baseline: 'HEAD~50' }) },
          { tool: 'diverge', what: '1000 commits ago', args: () => ({ baseline: 'HEAD~1000' }) },
          { tool: 'diverge', what: '5000 commits ago', args: () => ({ baseline: 'HEAD~5000' }) },
          { tool: 'ingest', what: 'nothing changed', args: () => ({ path: project, incremental: true }), times: 6 },
          {
            tool: 'federate',
            what: 'two, nothing changed',
            args: () => ({
              repos: [
                { name: 'one', path: project },
                { name: 'two', path: top },
              ],
              incremental: true,
            }),
            times: 4,
          },
          { tool: 'scan', what: 'shape of code, all files', args: () => ({ pattern: 'open($F, ...)' }), times: 6 },
          { tool: 'scan', what: 'shape of code, rare', args: () => ({ pattern: 'if $A == $A: ...' }), times: 6 },
        ]
  return [
    { tool: 'health', what: '', args: () => ({}) },
    { tool: 'seek', what: 'two names', args: (i) => ({ query: words(i) }) },
    { tool: 'seek', what: 'seed', args: (i) => ({ query: words(i), ranking: 'seed' }) },
    { tool: 'activate', what: 'two names', args: (i) => ({ query: words(i) }) },
    {
      tool: 'activate',
      what: 'seed, with gaps',
      args: (i) => ({ query: words(i), ranking: 'seed', include_structural_holes: true }),
    },
    { tool: 'warmup', what: 'two names', args: (i) => ({ task_description: words(i) }) },
    { tool: 'missing', what: 'two names', args: (i) => ({ query: words(i) }) },
    { tool: 'impact', what: 'any node', args: (i) => ({ node_id: node(i) }) },
    { tool: 'impact', what: 'largest hub, both, depth 5', args: () => ({ node_id: hub, direction: 'both', depth: 5 }) },
    { tool: 'why', what: 'any two', args: (i) => ({ source: node(i), target: next(i) }) },
    { tool: 'predict', what: 'any node', args: (i) => ({ changed_node: node(i) }) },
    { tool: 'predict', what: 'seed', args: (i) => ({ changed_node: node(i), ranking: 'seed' }) },
    { tool: 'counterfactual', what: 'any node', args: (i) => ({ node_ids: [node(i)] }) },
    {
      tool: 'counterfactual',
      what: 'five files',
      args: (i) => ({ node_ids: [0, 1, 2, 3, 4].map((k) => file(i + k)) }),
    },
    { tool: 'counterfactual', what: 'largest hub', args: () => ({ node_ids: [hub] }) },
    claim('depends on', (i) => `\`${file(i)}\` depends on \`${other(i)}\``),
    claim('depends on, names', (i) => `${wordOf(node(i))} depends on ${wordOf(next(i))}`),
    claim('never calls', (i) => `\`${node(i)}\` never calls \`${next(i)}\``),
    claim('circular', (i) => `\`${file(i)}\` and \`${other(i)}\` form a circular dependency`),
    claim('coupled', (i) => `\`${file(i)}\` and \`${other(i)}\` are coupled`),
    claim('gateway', (i) => `\`${file(i)}\` is a gateway`),
    claim('gateway to', (i) => `\`${file(i)}\` is a gateway to \`${other(i)}\``),
    claim('isolated', (i) => `\`${file(i)}\` is isolated`),
    claim('order', (i) => `\`${node(i)}\` always runs before \`${next(i)}\``),
    claim('unknown kind', (i) => `\`${node(i)}\` frobs \`${next(i)}\``),
    { tool: 'resonate', what: 'topic', args: (i) => ({ query: words(i) }) },
    { tool: 'resonate', what: 'node, far', args: (i) => ({ node_id: node(i), min_amplitude: 0.0001 }) },
    { tool: 'resonate', what: 'whole project', args: () => ({}) },
    { tool: 'fingerprint', what: 'one node', args: (i) => ({ target_node: node(i) }) },
    { tool: 'fingerprint', what: 'all pairs', args: () => ({}) },
    {
      tool: 'fingerprint',
      what: 'own probes',
      args: (i) => ({ target_node: node(i), probe_queries: [words(i), words(i + 1)] }),
    },
    { tool: 'scan', what: 'one pattern', args: (i) => ({ pattern: PATTERNS[i % PATTERNS.length].id }) },
    { tool: 'scan', what: 'all patterns', args: () => ({}) },
    {
      tool: 'scan',
      what: 'one pattern, by words',
      args: (i) => ({ pattern: PATTERNS[i % PATTERNS.length].id, matching: 'seed' }),
    },
    { tool: 'scan', what: 'all patterns, by words', args: () => ({ matching: 'seed' }) },
    { tool: 'scan', what: 'words of its own', args: () => ({ pattern: 'cache' }) },
    { tool: 'validate_plan', what: 'five files', args: plan },
    {
      tool: 'validate_plan',
      what: 'largest hub',
      args: () => ({ actions: [{ action_type: 'modify', file_path: hub.replace(/^.*?file::/, '') }] }),
    },
    { tool: 'trace', what: 'five frames', args: (i) => ({ error_text: trace(i) }) },
    { tool: 'trace', what: 'seed', args: (i) => ({ error_text: trace(i), ranking: 'seed' }) },
    { tool: 'drift', what: '', args: () => ({}) },
    {
      tool: 'differential',
      what: 'current with itself',
      args: () => ({ snapshot_a: 'current', snapshot_b: 'current' }),
    },
    { tool: 'diverge', what: 'last session', args: () => ({ baseline: 'last_session' }) },
    { tool: 'persist', what: 'json', args: () => ({ path: 'before.json' }), times: 6 },
    {
      tool: 'differential',
      what: 'saved graph with now',
      args: () => ({ snapshot_a: 'before.json', snapshot_b: 'current' }),
      before: async (ask, i) => (i === 0 ? ask('persist', { path: 'before.json' }) : {}),
      times: 6,
    },
    {
      tool: 'diverge',
      what: 'saved graph',
      args: () => ({ baseline: 'before.json' }),
      before: async (ask, i) => (i === 0 ? ask('persist', { path: 'before.json' }) : {}),
      times: 6,
    },
    ...git,
    {
      tool: 'learn',
      what: 'two nodes',
      args: (i) => ({ query: words(i), feedback: 'correct', node_ids: [node(i), next(i)] }),
    },
    { tool: 'learn', what: 'reset', args: (i) => ({ feedback: 'reset', node_ids: [node(i)] }) },
    {
      tool: 'trail_save',
      what: '',
      args: (i) => ({ label: `trail ${i}`, visited_nodes: [{ node_external_id: file(i) }] }),
    },
    { tool: 'trail_list', what: '', args: () => ({}), before: trail },
    { tool: 'trail_resume', what: '', args: (_, { trail_id }) => ({ trail_id }), before: trail },
    {
      tool: 'trail_merge',
      what: 'two',
      args: (_, { ids }) => ({ trail_ids: ids }),
      before: async (ask, i) => ({ ids: [(await trail(ask, i)).trail_id, (await trail(ask, i + 1)).trail_id] }),
    },
    {
      tool: 'perspective_start',
      what: 'by query',
      args: (i) => ({ query: words(i) }),
      before: async (ask) => closeAll(ask),
    },
    {
      tool: 'perspective_start',
      what: 'anchored',
      args: (i) => ({ query: words(i), anchor_node: file(i) }),
      before: async (ask) => closeAll(ask),
    },
    {
      tool: 'perspective_routes',
      what: 'page',
      args: (_, { perspective_id }) => ({ perspective_id }),
      before: closing(perspective),
    },
    { tool: 'perspective_inspect', what: '', args: route, before: closing(perspective) },
    { tool: 'perspective_peek', what: '', args: route, before: closing(perspective) },
    { tool: 'perspective_affinity', what: '', args: route, before: closing(perspective) },
    {
      tool: 'perspective_suggest',
      what: '',
      args: (_, { perspective_id, route_set_version }) => ({ perspective_id, route_set_version }),
      before: closing(perspective),
    },
    { tool: 'perspective_follow', what: '', args: route, before: closing(perspective) },
    {
      tool: 'perspective_back',
      what: '',
      args: (_, { perspective_id }) => ({ perspective_id }),
      before: closing(async (ask, i) => {
        const made = await perspective(ask, i)
        await ask('perspective_follow', route(i, made))
        return made
      }),
    },
    {
      tool: 'perspective_branch',
      what: '',
      args: (_, { perspective_id }) => ({ perspective_id }),
      before: async (ask, i) => {
        await closeAll(ask)
        return perspective(ask, i)
      },
    },
    {
      tool: 'perspective_compare',
      what: '',
      args: (_, { a, b }) => ({ perspective_id_a: a, perspective_id_b: b }),
      before: async (ask, i) => {
        await closeAll(ask)
        const [a, b] = [await perspective(ask, i), await perspective(ask, i + 1)]
        return { a: a.perspective_id, b: b.perspective_id }
      },
    },
    { tool: 'perspective_list', what: '', args: () => ({}), before: closing(perspective) },
    { tool: 'perspective_close', what: '', args: (_, { perspective_id }) => ({ perspective_id }), before: perspective },
    {
      tool: 'lock_create',
      what: 'two steps',
      args: (i) => ({ scope: 'subgraph', root_nodes: [node(i)], radius: 1 }),
      times: 8,
    },
    { tool: 'lock_diff', what: '', args: (_, { lock_id }) => ({ lock_id }), before: locked },
    { tool: 'lock_rebase', what: '', args: (_, { lock_id }) => ({ lock_id }), before: locked },
    { tool: 'lock_watch', what: '', args: (_, { lock_id }) => ({ lock_id, strategy: 'on_learn' }), before: locked },
    { tool: 'lock_release', what: '', args: (_, { lock_id }) => ({ lock_id }), before: lock },
  ]
}

async function closeAll(ask: Ask): Promise<Answer> {
  const { perspectives } = await ask('perspective_list', {})
  for (const it of Array.isArray(perspectives) ? perspectives : [])
    await ask('perspective_close', { perspective_id: it.perspective_id })
  return {}
}

function releasing(make: (ask: Ask, i: number) => Promise<Answer>): (ask: Ask, i: number) => Promise<Answer> {
  let open: unknown = null
  return async (ask, i) => {
    if (open !== null) await ask('lock_release', { lock_id: open })
    const made = await make(ask, i)
    open = made.lock_id
    return made
  }
}
