import * as z from 'zod'
import { differential } from '#analysis/differential'
import { CURRENT, readSnapshot } from '#engine/snapshots'
import { keyOf } from '#graph/graph'
import { resolveNode } from '#graph/lookup'
import { refused } from '#tools/refused'
import { notFound } from '#tools/resolve-node'
import { AgentId, NodeRef, round, Truncated, truncatedMost } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool } from '#tools/tool'

const Edge = z.object({ source: z.string(), target: z.string(), relation: z.string(), weight: z.number() })

/** Rows per list. */
const SHOWN = 100
const COUPLINGS_SHOWN = 20
const RENDERED = 12

export default defineTool({
  name: 'differential',
  group: 'analysis',
  effect: 'read',
  summary: 'What differs between two saved graphs, or a saved one and now.',
  details: [
    'Save graphs with persist. Compares nodes, edges, weights and coupling.',
    'Against a commit or date: diverge. Learned weights alone: drift.',
  ],
  input: z.object({
    agent_id: AgentId,
    snapshot_a: z.string().min(1).max(4096).describe('Older .json snapshot, or current.'),
    snapshot_b: z.string().min(1).max(4096).describe('Newer one, or current.'),
    question: z.string().max(2000).default('').describe('Its words narrow the lists.'),
    focus_nodes: z.array(NodeRef).max(1000).default([]).describe('Only two steps around these.'),
  }),
  output: z.looseObject({
    snapshot_a: z.string(),
    snapshot_b: z.string(),
    new_edges: z.array(Edge),
    removed_edges: z.array(Edge),
    weight_changes: z.array(
      z.object({
        source: z.string(),
        target: z.string(),
        relation: z.string(),
        old_weight: z.number(),
        new_weight: z.number(),
        delta: z.number(),
      }),
    ),
    new_nodes: z.array(z.string()),
    removed_nodes: z.array(z.string()),
    coupling_deltas: z.array(
      z.object({
        community_a: z.string(),
        community_b: z.string(),
        old_coupling: z.number(),
        new_coupling: z.number(),
        delta: z.number(),
      }),
    ),
    totals: z.record(z.string(), z.int()),
    nodes_in_focus: z.int().nullable(),
    summary: z.string(),
    warnings: z.array(z.string()),
    truncated: Truncated,
  }),
  examples: [
    {
      title: 'Nothing differs from itself',
      input: { agent_id: 'dev', snapshot_a: CURRENT, snapshot_b: CURRENT, question: 'new edges of payment' },
    },
  ],

  run({ engine }, { snapshot_a, snapshot_b, question, focus_nodes }) {
    const read = (name: string) => {
      try {
        return readSnapshot(engine, name)
      } catch (error) {
        return refused(error, name)
      }
    }
    const [a, b] = [read(snapshot_a), read(snapshot_b)]
    const ambiguous: string[] = []
    const focus = focus_nodes.map((ref) => {
      const side = [b.graph, a.graph].find((it) => resolveNode(it, ref) !== null)
      const found = side === undefined ? null : resolveNode(side, ref)
      if (side === undefined || found === null) throw notFound(b.graph, ref)
      const key = keyOf(side, found.node)
      if (found.ambiguousMatches > 1)
        ambiguous.push(`${ref} fits ${found.ambiguousMatches} nodes and was taken for ${key}.`)
      return key
    })
    const found = differential(a.graph, b.graph, { question, focus })
    const totals = {
      new_edges: found.newEdges.length,
      removed_edges: found.removedEdges.length,
      weight_changes: found.weightChanges.length,
      new_nodes: found.newNodes.length,
      removed_nodes: found.removedNodes.length,
      coupling_deltas: found.couplingDeltas.length,
    }
    const edges = (rows: typeof found.newEdges) =>
      rows.slice(0, SHOWN).map((it) => ({ ...it, weight: round(it.weight) }))
    return {
      snapshot_a,
      snapshot_b,
      summary: summaryOf(totals, found.inFocus, focus_nodes.length > 0 || question !== ''),
      totals,
      nodes_in_focus: found.inFocus,
      coupling_deltas: found.couplingDeltas.slice(0, COUPLINGS_SHOWN).map((it) => ({
        community_a: it.a,
        community_b: it.b,
        old_coupling: round(it.before),
        new_coupling: round(it.now),
        delta: round(it.now - it.before),
      })),
      new_edges: edges(found.newEdges),
      removed_edges: edges(found.removedEdges),
      weight_changes: found.weightChanges.slice(0, SHOWN).map(({ before, now, ...it }) => ({
        ...it,
        old_weight: round(before),
        new_weight: round(now),
        delta: round(now - before),
      })),
      new_nodes: found.newNodes.slice(0, SHOWN),
      removed_nodes: found.removedNodes.slice(0, SHOWN),
      warnings: [
        ...ambiguous,
        ...[a, b].flatMap(({ name, skipped, graph }) => [
          ...(skipped > 0 ? [`${plural(skipped, 'record')} of ${name} could not be read and count as missing.`] : []),
          ...(graph.meta.coverage.truncated !== ''
            ? [`The ingest behind ${name} stopped early, so parts may seem to be missing.`]
            : []),
        ]),
      ],
      truncated: truncatedMost(
        Object.entries(totals).map(([name, total]) => {
          const most = name === 'coupling_deltas' ? COUPLINGS_SHOWN : SHOWN
          return { shown: Math.min(total, most), total }
        }),
        'Narrow with question or focus_nodes.',
      ),
    }
  },

  render(output, style) {
    const edges = (sign: string, rows: typeof output.new_edges) =>
      rows.slice(0, RENDERED).map((it) => [sign, it.relation, `${it.source} → ${it.target}`])
    const rows = [
      ...output.new_nodes.slice(0, RENDERED).map((it) => ['+', 'node', it]),
      ...output.removed_nodes.slice(0, RENDERED).map((it) => ['-', 'node', it]),
      ...edges('+', output.new_edges),
      ...edges('-', output.removed_edges),
      ...output.weight_changes
        .slice(0, RENDERED)
        .map((it) => [it.delta > 0 ? '↑' : '↓', `${it.old_weight} → ${it.new_weight}`, `${it.source} → ${it.target}`]),
      ...output.coupling_deltas
        .slice(0, RENDERED)
        .map((it) => ['~', `${it.old_coupling} → ${it.new_coupling}`, `${it.community_a} ↔ ${it.community_b}`]),
    ]
    return [
      style.bold(output.summary),
      ...(rows.length > 0 ? ['', table(rows, style)] : []),
      ...output.warnings,
      ...footnotes(output, style),
    ].join('\n')
  },
})

function summaryOf(totals: Record<string, number>, inFocus: number | null, isNarrowed: boolean): string {
  if (inFocus === 0) return 'No node of either graph is meant by the question, so nothing was compared.'
  const told = Object.entries(totals).filter(([, count]) => count > 0)
  if (told.length === 0) return isNarrowed ? 'Nothing differs in what was asked about.' : 'The two graphs are the same.'
  return told.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', ')
}
