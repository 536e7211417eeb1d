import * as z from 'zod'
import type { Baseline, Engine } from '#engine/brain'
import { type Graph, keyOf, LTD_APPLIED, LTP_APPLIED, NONE, relationOf } from '#graph/graph'
import { bySize, changesFromIngest, changesSince, edgeName, type WeightChange } from '#plasticity/drift'
import { isSecondHalf } from '#plasticity/weights'
import { trendOf, VELOCITY_LISTED, velocities } from '#query/temporal'
import { parseIsoTime } from '#std/iso-time'
import { shortened } from '#tools/resolve-node'
import { AgentId, round, Truncated, truncatedMost } from '#tools/shapes'
import { footnotes } from '#tools/table'
import { defineTool, ToolError } from '#tools/tool'

const Drift = z.object({ edge: z.string(), relation: z.string(), old: z.number(), new: z.number(), delta: z.number() })

const LAST_SESSION = 'last_session'
const DRIFTS_SHOWN = 20
const SIDE_SHOWN = 10
const NODES_SHOWN = 50
const VELOCITIES_SHOWN = 10

export default defineTool({
  name: 'drift',
  group: 'memory',
  effect: 'read',
  summary: 'What changed since the last session: learned weights, nodes and edges.',
  details: [
    'For getting back into a project. Weights are compared with the last session or a time, totals with the ingest.',
    'How well the graph covers the code: health. Files and commits: diverge.',
  ],
  input: z.object({
    agent_id: AgentId,
    since: z.string().max(100).default(LAST_SESSION).describe('last_session, ISO 8601 or epoch ms.'),
    include_weight_drift: z.boolean().default(true).describe('List changed weights.'),
  }),
  output: z.looseObject({
    since: z.string(),
    baseline: z.string(),
    node_count_delta: z.int(),
    edge_count_delta: z.int(),
    new_nodes: z.array(z.string()),
    removed_nodes: z.array(z.string()),
    new_nodes_total: z.int(),
    removed_nodes_total: z.int(),
    total_edges_changed: z.int(),
    average_weight_change: z.number(),
    normalized_only: z.int(),
    ltp_count: z.int(),
    ltd_count: z.int(),
    top_weight_drifts: z.array(Drift),
    top_strengthened: z.array(Drift),
    top_weakened: z.array(Drift),
    weight_drift: z.array(
      z.object({ edge_idx: z.int(), baseline_weight: z.number(), current_weight: z.number(), delta: z.number() }),
    ),
    top_velocities: z.array(z.object({ node_id: z.string(), velocity: z.number(), trend: z.string() })),
    queries_processed: z.int(),
    uptime_seconds: z.number(),
    note: z.string(),
    truncated: Truncated,
  }),
  examples: [{ title: 'At the start of a session', input: { agent_id: 'dev' } }],

  run({ graph, engine, now }, { since, include_weight_drift }) {
    const baseline = baselineFor(engine, since)
    const status = engine.status()
    const fromIngest = changesFromIngest(graph)
    const sinceBaseline = baseline === null ? fromIngest : changesSince(graph, baseline.weights)
    const [drifts, sides] = include_weight_drift ? [sinceBaseline, fromIngest] : [[], []]
    const top = bySize(drifts).slice(0, DRIFTS_SHOWN)
    const structure = structureSince(graph, baseline)
    const moved = fromIngest.reduce((sum, it) => sum + Math.abs(it.now - it.before), 0)
    return {
      since,
      baseline: baseline === null ? 'ingest' : new Date(baseline.savedAt).toISOString(),
      ...structure,
      total_edges_changed: fromIngest.length,
      average_weight_change: fromIngest.length === 0 ? 0 : round(moved / fromIngest.length),
      normalized_only: fromIngest.filter((it) => graph.strengthened[it.slot] + graph.weakened[it.slot] === 0).length,
      ltp_count: countMarked(graph, LTP_APPLIED),
      ltd_count: countMarked(graph, LTD_APPLIED),
      top_weight_drifts: top.map((it) => row(graph, it)),
      top_strengthened: bySize(sides.filter((it) => it.now > it.before))
        .slice(0, SIDE_SHOWN)
        .map((it) => row(graph, it)),
      top_weakened: bySize(sides.filter((it) => it.now < it.before))
        .slice(0, SIDE_SHOWN)
        .map((it) => row(graph, it)),
      weight_drift: top.map((it) => ({
        edge_idx: it.slot,
        baseline_weight: round(it.before),
        current_weight: round(it.now),
        delta: round(it.now - it.before),
      })),
      top_velocities: fastest(graph),
      queries_processed: status.queriesProcessed,
      uptime_seconds: round(Math.max(0, now - status.startedAt) / 1000),
      note: noteOf(engine.baseline, baseline, since),
      truncated: truncatedMost(
        [
          { shown: structure.new_nodes.length, total: structure.new_nodes_total },
          { shown: structure.removed_nodes.length, total: structure.removed_nodes_total },
          { shown: top.length, total: drifts.length },
        ],
        'These are the first; differential with a snapshot narrows by words and nodes.',
      ),
    }
  },

  render(output, style) {
    const { baseline, node_count_delta, edge_count_delta, total_edges_changed, top_weight_drifts, note } = output
    const sign = (x: number) => (x > 0 ? `+${x}` : String(x))
    const lines = top_weight_drifts.map((it) => `${sign(it.delta)}  ${style.bold(it.edge)}  ${it.old} → ${it.new}`)
    return [
      `since ${baseline}: nodes ${sign(node_count_delta)}, edges ${sign(edge_count_delta)}; ${total_edges_changed} edges differ from ingest`,
      ...lines,
      ...(note ? [note] : []),
      ...footnotes(output, style),
    ].join('\n')
  },
})

/** The state to compare with; null = the ingest. */
function baselineFor(engine: Engine, since: string): Baseline | null {
  if (since.trim() === LAST_SESSION) return engine.baseline
  return engine.baselineAt(timeOf(since))
}

/** More digits than a year has, and no more than dates can hold. */
const EPOCH_MS = /^\d{5,15}$/

/** Epoch ms of what the caller wrote. */
function timeOf(since: string): number {
  const text = since.trim()
  const time = EPOCH_MS.test(text) ? Number(text) : parseIsoTime(text)
  if (time !== null) return time
  throw new ToolError(
    'invalid_params',
    `Invalid params for drift: since is not a time: ${shortened(since)}`,
    'Use last_session, an ISO 8601 time such as 2026-01-31T08:00:00Z, or epoch milliseconds.',
    { detail: shortened(since) },
  )
}

function row(graph: Graph, change: WeightChange): z.input<typeof Drift> {
  const { slot, before, now } = change
  return {
    edge: edgeName(graph, change),
    relation: relationOf(graph, slot),
    old: round(before),
    new: round(now),
    delta: round(now - before),
  }
}

function structureSince(graph: Graph, baseline: Baseline | null) {
  if (baseline === null) {
    return {
      node_count_delta: 0,
      edge_count_delta: 0,
      new_nodes: [],
      removed_nodes: [],
      new_nodes_total: 0,
      removed_nodes_total: 0,
    }
  }
  const before = new Set(baseline.keys)
  const added: string[] = []
  let count = 0
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1) continue
    count++
    if (!before.delete(keyOf(graph, v))) added.push(keyOf(graph, v))
  }
  return {
    node_count_delta: count - baseline.nodeCount,
    edge_count_delta: graph.nLogical - baseline.edgeCount,
    new_nodes: added.slice(0, NODES_SHOWN),
    removed_nodes: [...before].slice(0, NODES_SHOWN),
    new_nodes_total: added.length,
    removed_nodes_total: before.size,
  }
}

function countMarked(graph: Graph, mark: number): number {
  const { marks, mirrors, nEdges } = graph
  let count = 0
  for (let slot = 0; slot < nEdges; slot++) {
    const both = mirrors[slot] === NONE ? marks[slot] : marks[slot] | marks[mirrors[slot]]
    if ((both & mark) !== 0 && !isSecondHalf(graph, slot)) count++
  }
  return count
}

function fastest(graph: Graph): { node_id: string; velocity: number; trend: string }[] {
  const z = velocities(graph)
  const nodes = [...z.keys()].filter((v) => graph.dead[v] === 0 && Math.abs(z[v]) > VELOCITY_LISTED)
  nodes.sort((a, b) => Math.abs(z[b]) - Math.abs(z[a]) || a - b)
  return nodes
    .slice(0, VELOCITIES_SHOWN)
    .map((v) => ({ node_id: keyOf(graph, v), velocity: round(z[v]), trend: trendOf(z[v]) }))
}

function noteOf(saved: Baseline | null, used: Baseline | null, since: string): string {
  if (used !== null) return ''
  if (saved === null || since.trim() === LAST_SESSION)
    return 'No earlier session is saved; weights are compared with the ingest, and counts of nodes and edges have nothing to compare with.'
  const time = new Date(timeOf(since)).toISOString()
  return `No state that was saved by ${time} is kept; weights are compared with the ingest.`
}
