import * as z from 'zod'
import { certainty } from '#analysis/certainty'
import { resolvedPercent } from '#analysis/coverage'
import type { Indexes, Settings } from '#engine/brain'
import { FILE, type Graph, tagsOf, text } from '#graph/graph'
import { learnedEdges } from '#plasticity/weights'
import { AgentId, scopeBelow } from '#tools/shapes'
import { defineTool } from '#tools/tool'

const Session = z.object({
  agent_id: z.string(),
  last_active: z.string(),
  query_count: z.int(),
  first_seen_secs_ago: z.number(),
  last_seen_secs_ago: z.number(),
})

export default defineTool({
  name: 'health',
  group: 'lifecycle',
  effect: 'read',
  countsAsQuery: false,
  needsGraph: false,
  summary: 'Whether the server is well, what the graph holds and how much of the code it could read.',
  details: ['Call it first: 0 nodes means that ingest comes next.', 'What changed since the last session: drift.'],
  input: z.object({
    agent_id: AgentId,
    path: z.string().optional().describe('Its coverage.'),
  }),
  output: z.looseObject({
    status: z.enum(['ok', 'loading', 'degraded']),
    healthy: z.boolean(),
    node_count: z.int(),
    edge_count: z.int(),
    nodes: z.int(),
    edges: z.int(),
    finalized: z.boolean(),
    project: z.string(),
    roots: z.array(z.string()),
    ingested_at: z.string().nullable(),
    queries_processed: z.int(),
    queries_served: z.int(),
    uptime_seconds: z.number(),
    memory_usage_bytes: z.int(),
    plasticity_state: z.string(),
    plasticity_records: z.int(),
    last_persist_time: z.string().nullable(),
    active_sessions: z.array(Session),
    agents_seen: z.array(z.string()),
    graph_generation: z.int(),
    plasticity_generation: z.int(),
    domain: z.string(),
    version: z.string(),
    mode: z.string(),
    state_folder: z.string(),
    git: z.object({ head: z.string() }).nullable(),
    coverage: z.looseObject({
      files_parsed: z.int(),
      files_partial: z.int(),
      files_skipped: z.int(),
      references_resolved: z.int(),
      references_ambiguous: z.int(),
      references_unresolved: z.int(),
      references_external: z.int(),
      resolved_percent: z.number().nullable(),
    }),
    coverage_by_file: z.array(
      z.looseObject({
        path: z.string(),
        read: z.enum(['whole', 'in_part', 'name_only']),
        resolved_percent: z.number().nullable(),
        unresolved: z.int(),
        run_time_sites: z.int(),
      }),
    ),
    coverage_note: z.string(),
    edges_by_tier: z.record(z.string(), z.int()),
    checked: z
      .record(z.string(), z.object({ files: z.int(), partly: z.int(), edges: z.int() }))
      .describe('Files that a compiler looked at, and edges from them.'),
    checker: z.object({ state: z.string(), done: z.int(), total: z.int(), message: z.string() }),
    watcher: z.object({ state: z.string(), handles: z.int(), message: z.string() }),
    working: z
      .object({ phase: z.string(), done: z.int(), total: z.int(), file: z.string(), eta_ms: z.number() })
      .nullable(),
    features_off: z.array(z.string()).describe('What the size of the graph or a setting has switched off.'),
    warnings: z.array(z.string()),
    next_suggested_tool: z.string(),
  }),
  examples: [
    { title: 'At the start of a session', input: { agent_id: 'dev' } },
    { title: 'How well a folder could be read', input: { agent_id: 'dev', path: 'server' } },
  ],

  run({ engine, graph, brain, indexes, now }, { path }) {
    const status = engine.status()
    const { meta } = graph
    const { coverage } = meta
    const nodes = countLiving(graph.dead)
    return {
      status: status.status,
      healthy: status.status !== 'degraded',
      node_count: nodes,
      edge_count: graph.nLogical,
      nodes,
      edges: graph.nLogical,
      finalized: true,
      project: brain.root,
      roots: meta.roots.map((it) => it.path),
      ingested_at: isoTime(meta.ingestedAt),
      queries_processed: status.queriesProcessed,
      queries_served: status.queriesProcessed,
      uptime_seconds: Math.max(0, now - status.startedAt) / 1000,
      memory_usage_bytes: process.memoryUsage.rss(),
      plasticity_state: 'active',
      plasticity_records: learnedEdges(graph),
      last_persist_time: isoTime(status.lastPersistAt),
      active_sessions: status.sessions.map((it) => ({
        agent_id: it.agent_id,
        last_active: new Date(it.lastSeen).toISOString(),
        query_count: it.queryCount,
        first_seen_secs_ago: Math.max(0, now - it.firstSeen) / 1000,
        last_seen_secs_ago: Math.max(0, now - it.lastSeen) / 1000,
      })),
      agents_seen: status.sessions.map((it) => it.agent_id),
      graph_generation: meta.generation,
      plasticity_generation: meta.plasticityGeneration,
      domain: meta.domain,
      version: status.version,
      mode: status.mode,
      state_folder: status.stateFolder,
      git: meta.commit === '' ? null : { head: meta.commit },
      coverage: {
        files_parsed: coverage.filesParsed,
        files_partial: coverage.filesPartial,
        files_skipped: coverage.filesSkipped,
        references_resolved: coverage.resolved,
        references_ambiguous: coverage.ambiguous,
        references_unresolved: coverage.unresolved,
        references_external: coverage.external,
        resolved_percent: resolvedPercent(coverage),
      },
      ...(path === undefined ? { coverage_by_file: [], coverage_note: '' } : coverageBelow(graph, path)),
      ...certainty(graph),
      checker: status.checker,
      watcher: status.watcher,
      working: status.working === null ? null : { ...pick(status.working), eta_ms: status.working.etaMs },
      features_off: featuresOff(indexes, nodes, engine.settings),
      warnings: status.warnings,
      next_suggested_tool: nodes === 0 ? 'ingest' : 'seek',
    }
  },

  render(out, { bold, dim }) {
    const { coverage, working, checker } = out
    const checked = Object.entries(out.checked).map(([name, it]) => `${it.files} files by ${name}`)
    const lines = [
      `${bold(out.status)}  ${out.node_count} nodes, ${out.edge_count} edges  ${dim(out.project || 'no project')}`,
      `ingested   ${out.ingested_at ?? 'never: run m1nd ingest <path>'}`,
      `coverage   ${coverage.files_parsed} files read, ${coverage.files_partial} in part, ${coverage.files_skipped} skipped; ${coverage.resolved_percent ?? 0} % of references resolved`,
      `learned    ${out.plasticity_records} edges; ${out.queries_processed} queries in this run`,
      `saved      ${out.mode === 'memory' ? 'nothing, in memory only' : `${out.last_persist_time ?? 'not yet'} ${dim(out.state_folder)}`}`,
    ]
    for (const it of out.coverage_by_file)
      lines.push(
        `${String(it.resolved_percent ?? '–').padStart(5)} %  ${it.path}${it.read === 'whole' ? '' : dim(`  read ${it.read}`)}`,
      )
    if (out.coverage_note !== '') lines.push(out.coverage_note)
    if (checked.length > 0) lines.push(`checked    ${checked.join(', ')}`)
    if (checker.state === 'running') lines.push(`checker    ${checker.done} of ${checker.total} files`)
    if (checker.state === 'failed') lines.push(`checker    ${checker.message}`)
    if (working !== null) lines.push(`working    ${working.phase}: ${working.done} of ${working.total}`)
    for (const it of out.warnings) lines.push(`warning    ${it}`)
    return lines.join('\n')
  },
})

function featuresOff({ semantic }: Indexes, nodes: number, { xlrEnabled }: Settings): string[] {
  const off: string[] = []
  if (nodes > 0 && semantic.cooccurrence === null) off.push('co-occurrence (too many nodes)')
  if (!xlrEnabled) off.push('noise cancellation (setting)')
  return off
}

function pick({ phase, done, total, file }: { phase: string; done: number; total: number; file: string }) {
  return { phase, done, total, file }
}

function isoTime(ms: number): string | null {
  return ms > 0 ? new Date(ms).toISOString() : null
}

function countLiving(dead: Uint8Array): number {
  let living = 0
  for (const it of dead) living += 1 - it
  return living
}

/** Files shown of one folder. */
const FILES_SHOWN = 20

/** The files at or below a path, by the share of their references that is known, lowest first. */
function coverageBelow(graph: Graph, written: string) {
  const path = scopeBelow(graph, written)
    .replace(/^file::|^dir::/, '')
    .replace(/^\.?\//, '')
    .replace(/\/$/, '')
  const runTime = new Map<string, number>()
  for (const it of graph.meta.coverage.boundaries) runTime.set(it.path, (runTime.get(it.path) ?? 0) + 1)
  const states = new Map<string, 'whole' | 'in_part' | 'name_only'>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FILE || graph.dead[v] === 1) continue
    const tags = tagsOf(graph, v)
    const isBare = tags.some((it) => it === 'oversize' || it === 'absent' || it === 'minified' || it === 'parse_failed')
    states.set(text(graph, graph.paths[v]), isBare ? 'name_only' : tags.includes('parse_partial') ? 'in_part' : 'whole')
  }
  const isBelow = (file: string) => path === '' || path === '.' || file === path || file.startsWith(`${path}/`)
  const all = [...graph.meta.coverage.files]
    .filter(([file]) => isBelow(file))
    .map(([file, counts]) => ({
      path: file,
      read: states.get(file) ?? 'whole',
      resolved_percent: resolvedPercent(counts),
      unresolved: counts.unresolved,
      run_time_sites: runTime.get(file) ?? 0,
    }))
    .sort((a, b) => (a.resolved_percent ?? 101) - (b.resolved_percent ?? 101) || (a.path < b.path ? -1 : 1))
  const none = [...states.keys()].some(isBelow)
    ? `No file in ${written} uses anything by name.`
    : `No indexed file lies in ${written}; check the path, or ingest its folder.`
  const cut = all.length > FILES_SHOWN ? `${FILES_SHOWN} of ${all.length} files, those of which least is known.` : ''
  return { coverage_by_file: all.slice(0, FILES_SHOWN), coverage_note: all.length === 0 ? none : cut }
}
