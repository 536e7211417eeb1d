import * as z from 'zod'
import type { Indexes, Settings } from '#engine/brain'
import { AgentId } from '#tools/shapes'
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
  details: [
    'Counts, coverage, sessions, and how far a running ingest is. Call it first: 0 nodes means that ingest comes next.',
    'What changed since the last session: drift.',
  ],
  input: z.object({ agent_id: AgentId }),
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
    working: z
      .object({ phase: z.string(), done: z.int(), total: z.int(), file: z.string(), eta_ms: z.number() })
      .nullable(),
    features_off: z.array(z.string()).describe('What the size of the graph or a setting has switched off.'),
    warnings: z.array(z.string()),
    next_suggested_tool: z.string(),
  }),
  examples: [{ title: 'At the start of a session', input: { agent_id: 'dev' } }],

  run({ engine, graph, brain, indexes, now }) {
    const status = engine.status()
    const { meta } = graph
    const { coverage } = meta
    const nodes = countLiving(graph.dead)
    const references = coverage.resolved + coverage.ambiguous + coverage.unresolved
    const learned = countLearned(graph.weights, graph.ingestWeights, graph.strengthened, graph.weakened)
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
      plasticity_records: learned,
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
        resolved_percent: references === 0 ? null : Math.round((1000 * coverage.resolved) / references) / 10,
      },
      working: status.working === null ? null : { ...pick(status.working), eta_ms: status.working.etaMs },
      features_off: featuresOff(indexes, nodes, engine.settings),
      warnings: status.warnings,
      next_suggested_tool: nodes === 0 ? 'ingest' : 'seek',
    }
  },

  render(out, { bold, dim }) {
    const { coverage, working } = out
    const lines = [
      `${bold(out.status)}  ${out.node_count} nodes, ${out.edge_count} edges  ${dim(out.project || 'no project')}`,
      `ingested   ${out.ingested_at ?? 'never: run m1nd ingest <path>'}`,
      `coverage   ${coverage.files_parsed} files read, ${coverage.files_partial} in part, ${coverage.files_skipped} skipped; ${coverage.resolved_percent ?? 0} % of references resolved`,
      `learned    ${out.plasticity_records} edges; ${out.queries_processed} queries in this run`,
      `saved      ${out.mode === 'memory' ? 'nothing, in memory only' : `${out.last_persist_time ?? 'not in this run'} ${dim(out.state_folder)}`}`,
    ]
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

/** Edge slots whose weight or counters differ from what ingest gave them. */
function countLearned(
  weights: Float32Array,
  ingestWeights: Float32Array,
  strengthened: Uint32Array,
  weakened: Uint32Array,
): number {
  let learned = 0
  for (let e = 0; e < weights.length; e++)
    if (weights[e] !== ingestWeights[e] || strengthened[e] + weakened[e] > 0) learned++
  return learned
}
