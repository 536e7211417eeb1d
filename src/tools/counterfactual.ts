import * as z from 'zod'
import type { Hit } from '#analysis/cascade'
import { completeness, emptyReason } from '#analysis/completeness'
import { Baselines, removal, synergy } from '#analysis/counterfactual'
import { namedAt, stepName } from '#analysis/steps'
import { fileOf, type Graph, keyOf, type NodeId, NONE, text } from '#graph/graph'
import { nodesOf, notFound } from '#tools/resolve-node'
import {
  AgentId,
  AmbiguousNodes,
  Completeness,
  Freshness,
  freshness,
  IncludeGuesses,
  NodeRef,
  NodeRow,
  nodeRow,
  round,
  Truncated,
  truncatedMost,
} from '#tools/shapes'
import { footnotes, pathIn, plural, table } from '#tools/table'
import { defineTool } from '#tools/tool'

const FILES_SHOWN = 50
const NODES_SHOWN = 20

export default defineTool({
  name: 'counterfactual',
  group: 'analysis',
  effect: 'read',
  summary: 'What would be lost if nodes were removed (nothing is changed).',
  details: [
    'Use before deleting code: who is hit at which distance, what is orphaned, how much activation is lost, and whether removals add up.',
    'For an edit use impact.',
  ],
  input: z.object({
    agent_id: AgentId,
    node_ids: z.array(NodeRef).min(1).max(50).describe('Removed together.'),
    include_cascade: z.boolean().default(true).describe('List the cascade.'),
    include_guesses: IncludeGuesses,
    include_parts: z.boolean().default(true).describe('What is inside them too.'),
    containment: z.enum(['parts', 'both']).default('parts').describe('both: to siblings too.'),
  }),
  output: z.looseObject({
    removed_nodes: z.array(z.string()),
    unresolved_nodes: z.array(z.string()),
    ambiguous_nodes: AmbiguousNodes,
    total_affected: z.int(),
    orphaned_count: z.int(),
    weakened_count: z.int(),
    pct_activation_lost: z.number(),
    total_impact: z.number(),
    redundancy: z.number(),
    architectural: z.boolean(),
    verdict_confidence: z.number(),
    reachability_before: z.number(),
    reachability_after: z.number(),
    cascade: z.array(z.object({ depth: z.int(), affected: z.int() })),
    affected_files: z.array(
      z.looseObject({
        path: z.string(),
        node_id: z.string().optional(),
        depth: z.int(),
        relation: z.string(),
        named_at: z.string().optional(),
      }),
    ),
    affected_files_total: z.int(),
    orphaned: z.array(NodeRow),
    weakened: z.array(NodeRow.extend({ loss: z.number(), lost: z.boolean() })),
    synergy: z
      .looseObject({
        individual_impacts: z.array(z.object({ node_id: z.string(), pct_activation_lost: z.number() })),
        combined_impact: z.number(),
        synergy_factor: z.number(),
      })
      .nullable(),
    reason: z.string().nullable(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    { title: 'Remove one file', input: { agent_id: 'dev', node_ids: ['payment.py'] } },
    { title: 'Remove two together', input: { agent_id: 'dev', node_ids: ['payment.py', 'refund.py'] } },
  ],

  run(context, { node_ids, include_cascade, include_guesses, include_parts, containment }) {
    const { graph } = context
    const { nodes, unresolved, ambiguous } = nodesOf(graph, node_ids)
    if (nodes.length === 0) throw notFound(graph, unresolved[0])
    const options = { includeGuesses: include_guesses, withParts: include_parts, containment }
    const baselines = new Baselines(graph)
    const found = removal(graph, nodes, options, baselines)
    const files = affectedFiles(graph, found.hits, found.removed)
    const together = nodes.length > 1 ? synergy(graph, nodes, found.activationLost, options, baselines) : null
    baselines.release()
    const fresh = freshness(context, [...nodes, ...found.hits.slice(0, FILES_SHOWN).map((it) => it.node)])
    const whole = completeness(graph, {
      nodes,
      parts: [...found.removed],
      asks: 'incoming',
      skipped: found.skipped,
      stale: fresh.stale_files,
      reasons: [
        ...(unresolved.length > 0 ? [`${plural(unresolved.length, 'reference')} named nothing and took no part`] : []),
        ...ambiguous.map((it) => `${it.ref} fits ${it.ambiguous_matches} nodes and was taken for ${it.node_id}`),
      ],
    })
    return {
      removed_nodes: nodes.map((v) => keyOf(graph, v)),
      removed_parts: found.removed.size - nodes.length,
      unresolved_nodes: unresolved,
      ...(ambiguous.length > 0 && { ambiguous_nodes: ambiguous }),
      total_affected: found.hits.length,
      orphaned_count: found.orphaned.length,
      weakened_count: found.weakened.length,
      pct_activation_lost: round(found.activationLost),
      total_impact: round(found.totalImpact),
      redundancy: round(1 - found.activationLost),
      architectural: found.architectural,
      verdict_confidence: round(found.confidence),
      reachability_before: found.reachableBefore,
      reachability_after: found.reachableAfter,
      trials: found.trials,
      ...(found.hits.length > 0
        ? { reason: null }
        : emptyReason(graph, nodes, 'dependents', whole, found.skipped, fresh.stale_files)),
      cascade: include_cascade ? byDepth(found.hits) : [],
      affected_files: files.shown,
      affected_files_total: files.total,
      orphaned: found.orphaned.slice(0, NODES_SHOWN).map((v) => nodeRow(graph, v)),
      weakened: found.weakened
        .slice(0, NODES_SHOWN)
        .map((it) => ({ ...nodeRow(graph, it.node), loss: round(it.loss), lost: it.lost })),
      synergy: together && {
        individual_impacts: together.individual.map((it) => ({
          node_id: keyOf(graph, it.node),
          pct_activation_lost: round(it.activationLost),
        })),
        combined_impact: round(found.activationLost),
        synergy_factor: round(together.factor),
      },
      completeness: whole,
      truncated: truncatedMost(
        [
          { shown: files.shown.length, total: files.total },
          { shown: Math.min(found.orphaned.length, NODES_SHOWN), total: found.orphaned.length },
          { shown: Math.min(found.weakened.length, NODES_SHOWN), total: found.weakened.length },
        ],
        'Ask impact for the rest of the nodes, or about fewer nodes.',
      ),
      freshness: fresh,
    }
  },

  render(output, style) {
    const {
      removed_nodes,
      total_affected,
      affected_files,
      affected_files_total,
      orphaned_count,
      pct_activation_lost,
      synergy: both,
    } = output
    const lines = [
      `Removing ${style.bold(removed_nodes.join(', '))} hits ${style.bold(plural(total_affected, 'node'))} in ${plural(affected_files_total, 'file')}` +
        (orphaned_count > 0 ? `, leaves ${plural(orphaned_count, 'node')} without any connection` : '') +
        (pct_activation_lost >= 0.001
          ? `, and takes ${(pct_activation_lost * 100).toFixed(1)} % of what spreads elsewhere`
          : ''),
    ]
    if (output.reason !== null) lines.push(output.reason)
    if (output.architectural) lines.push('It carries the architecture; removing it is not advised')
    if (output.unresolved_nodes.length > 0) lines.push(`Not found: ${output.unresolved_nodes.join(', ')}`)
    if (both) lines.push(`Together they cost ${both.synergy_factor.toFixed(2)} times what they cost one by one`)
    if (affected_files.length > 0)
      lines.push(
        '',
        table(
          affected_files.map((it) => [
            it.depth,
            it.relation,
            it.named_at === undefined ? pathIn(it.node_id ?? '', it.path) : `${it.named_at} (string)`,
          ]),
          style,
        ),
      )
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

/** Hits come by depth. */
function byDepth(hits: readonly Hit[]): { depth: number; affected: number }[] {
  const counts: { depth: number; affected: number }[] = []
  for (const { depth } of hits) {
    if (counts.at(-1)?.depth !== depth) counts.push({ depth, affected: 0 })
    counts[counts.length - 1].affected++
  }
  return counts
}

/**
 * How many files have a hit inside, and the first of them: nearest first, then by the weight of the edge. Those that are
 * removed are left out.
 */
function affectedFiles(graph: Graph, hits: readonly Hit[], removed: ReadonlySet<NodeId>) {
  // by file, one more than its best hit
  const bestOf = new Uint32Array(graph.nNodes)
  const files: NodeId[] = []
  const best = (file: NodeId): Hit => hits[bestOf[file] - 1]
  hits.forEach((hit, i) => {
    const file = fileOf(graph, hit.node)
    if (file === NONE || removed.has(file)) return
    const isFirst = bestOf[file] === 0
    if (isFirst) files.push(file)
    if (isFirst || (hit.depth === best(file).depth && hit.weight > best(file).weight)) bestOf[file] = i + 1
  })
  // hits come by depth, and so do files; what is farther away than the last one shown needs no order
  const farthest = files.length < FILES_SHOWN ? 0 : best(files[FILES_SHOWN - 1]).depth
  const near = farthest === 0 ? files : files.filter((it) => best(it).depth <= farthest)
  const shown = near
    .sort((a, b) => best(a).depth - best(b).depth || best(b).weight - best(a).weight || a - b)
    .slice(0, FILES_SHOWN)
    .map((file) => {
      const { depth, slot, along } = best(file)
      const key = keyOf(graph, file)
      const path = text(graph, graph.paths[file]) || key
      // among several repositories a path does not say which file it is
      const node_id = key === `file::${path}` || key === path ? undefined : key
      const relation = stepName(graph, slot, along)
      return { path, ...(node_id !== undefined && { node_id }), depth, relation, ...namedAt(graph, slot) }
    })
  return { shown, total: files.length }
}
