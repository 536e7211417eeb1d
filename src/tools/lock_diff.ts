import * as z from 'zod'
import { diffLock, drainEvents, isBaselineStale, lockOf } from '#engine/locks'
import { AgentId, LockId, round } from '#tools/shapes'
import { defineTool } from '#tools/tool'

const Texts = z.array(z.string())

const NOTHING = {
  newNodes: [],
  removedNodes: [],
  newEdges: [],
  removedEdges: [],
  boundaryAdded: [],
  boundaryRemoved: [],
  weightChanges: [],
}

export default defineTool({
  name: 'lock_diff',
  group: 'lifecycle',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'What changed in a locked region since its baseline: nodes, edges, weights.',
  details: ['Takes noted events off, and nothing else. lock_rebase starts anew from here.'],
  input: z.object({ agent_id: AgentId, lock_id: LockId }),
  output: z.looseObject({
    diff: z.looseObject({
      lock_id: z.string(),
      no_changes: z.boolean(),
      new_nodes: Texts,
      removed_nodes: Texts,
      new_edges: Texts,
      removed_edges: Texts,
      boundary_edges_added: Texts,
      boundary_edges_removed: Texts,
      weight_changes: z.array(z.object({ edge_key: z.string(), old_weight: z.number(), new_weight: z.number() })),
      baseline_stale: z.boolean(),
      elapsed_ms: z.number(),
    }),
    totals: z.record(z.string(), z.int()),
    new_nodes: Texts,
    removed_nodes: Texts,
    weight_change_count: z.int(),
    structural_changes: z.boolean(),
    watcher_events_drained: z.int(),
    rebase_suggested: z.string().nullable(),
  }),
  examples: [
    {
      title: 'After feedback about the region',
      input: { agent_id: 'keeper', lock_id: 'lock_keeper_001' },
      after: [
        ['lock_create', { scope: 'subgraph', root_nodes: ['server/bank.py'], radius: 1 }],
        ['learn', { query: 'bank', feedback: 'correct', node_ids: ['server/bank.py', 'server/refund.py'] }],
      ],
    },
  ],

  run({ engine, brain, agent }, { lock_id }) {
    const began = performance.now()
    const lock = lockOf(engine.records, lock_id, agent)
    const found = diffLock(engine, lock)
    const took = Math.round((performance.now() - began) * 1e4) / 1e4
    const stale = isBaselineStale(lock, brain)
    const all = found ?? NOTHING
    const { lockDiffNodes, lockDiffEdges } = engine.settings
    const totals = {
      new_nodes: all.newNodes.length,
      removed_nodes: all.removedNodes.length,
      new_edges: all.newEdges.length,
      removed_edges: all.removedEdges.length,
      boundary_edges_added: all.boundaryAdded.length,
      boundary_edges_removed: all.boundaryRemoved.length,
      weight_changes: all.weightChanges.length,
    }
    const { weight_changes, ...structure } = totals
    const changes = Object.values(totals).reduce((sum, n) => sum + n, 0)
    const new_nodes = all.newNodes.slice(0, lockDiffNodes)
    const removed_nodes = all.removedNodes.slice(0, lockDiffNodes)
    return {
      diff: {
        lock_id,
        no_changes: changes === 0,
        new_nodes,
        removed_nodes,
        new_edges: all.newEdges.slice(0, lockDiffEdges),
        removed_edges: all.removedEdges.slice(0, lockDiffEdges),
        boundary_edges_added: all.boundaryAdded.slice(0, lockDiffEdges),
        boundary_edges_removed: all.boundaryRemoved.slice(0, lockDiffEdges),
        weight_changes: all.weightChanges
          .slice(0, lockDiffEdges)
          .map((it) => ({ ...it, old_weight: round(it.old_weight), new_weight: round(it.new_weight) })),
        baseline_stale: stale,
        elapsed_ms: took,
      },
      totals,
      new_nodes,
      removed_nodes,
      weight_change_count: weight_changes,
      structural_changes: Object.values(structure).some((n) => n > 0),
      watcher_events_drained: drainEvents(engine.records, lock),
      rebase_suggested: adviceFor(lock_id, changes, stale),
    }
  },

  render({ diff, totals, rebase_suggested }, style) {
    if (diff.no_changes)
      return [`${style.bold(diff.lock_id)}  no changes`, ...(rebase_suggested ? [rebase_suggested] : [])].join('\n')
    const lines = Object.entries(totals)
      .filter(([, n]) => n > 0)
      .map(([what, n]) => `${n} ${what.replaceAll('_', ' ')}`)
    const marked = (sign: string, rows: readonly string[]) => rows.map((it) => `${sign} ${it}`)
    return [
      `${style.bold(diff.lock_id)}  ${lines.join(', ')}`,
      ...marked('+', [...diff.new_nodes, ...diff.new_edges, ...diff.boundary_edges_added]),
      ...marked('-', [...diff.removed_nodes, ...diff.removed_edges, ...diff.boundary_edges_removed]),
      ...diff.weight_changes.map((it) => `~ ${it.edge_key}  ${it.old_weight} → ${it.new_weight}`),
      ...(rebase_suggested ? [style.dim(rebase_suggested)] : []),
    ].join('\n')
  },
})

function adviceFor(id: string, changes: number, stale: boolean): string | null {
  if (changes > 0) return `When these changes are known: lock_rebase on ${id}.`
  return stale ? `The graph changed elsewhere: lock_rebase on ${id} makes the baseline current.` : null
}
