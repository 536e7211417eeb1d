import * as z from 'zod'
import { completeness } from '#analysis/completeness'
import { predict } from '#analysis/predict'
import { keyOf, labelOf } from '#graph/graph'
import { historyReasons } from '#tools/history-reasons'
import { nodeOf } from '#tools/resolve-node'
import {
  AgentId,
  Completeness,
  Freshness,
  freshness,
  NodeRef,
  NodeRow,
  nodeRow,
  round,
  Truncated,
  topK,
  truncated,
} from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'predict',
  group: 'analysis',
  effect: 'read',
  summary: 'What probably has to change as well when a file or definition changes.',
  details: [
    'From history first, then dependence, tests, folder and name; each row says why.',
    'Use while editing, to not forget a file. For what a change can break use impact.',
  ],
  input: z.object({
    agent_id: AgentId,
    changed_node: NodeRef,
    top_k: topK(10),
    include_velocity: z.boolean().default(true).describe('Favour what changes often.'),
    ranking: z.enum(['fused', 'seed']).default('fused').describe('seed: the plain formula.'),
  }),
  output: z.looseObject({
    changed_node: z.string(),
    total_candidates: z.int(),
    co_change_count: z.int(),
    structural_fallback_count: z.int(),
    predictions: z.array(
      NodeRow.extend({
        confidence: z.number(),
        velocity: z.number().nullable(),
        coupling_strength: z.number(),
        reason: z.string(),
      }),
    ),
    velocity: z.looseObject({ velocity: z.number(), trend: z.string() }).nullable(),
    reason: z.string().nullable(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [{ title: 'What goes with a change of payment', input: { agent_id: 'dev', changed_node: 'payment.py' } }],

  run(context, { changed_node, top_k, include_velocity, ranking }) {
    const { graph, indexes } = context
    const { node, resolution } = nodeOf(graph, changed_node)
    const found = predict(graph, indexes, node, {
      ranking,
      includeVelocity: include_velocity,
      nowSeconds: context.now / 1000,
    })
    const shown = found.rows.slice(0, top_k)
    const observed = shown.filter((it) => it.observed).length
    const [noHistory] = historyReasons(indexes)
    const more = [
      ...historyReasons(indexes),
      ...(found.guesses > 0 ? [`${plural(found.guesses, 'guessed edge')} took part`] : []),
    ]
    const label = labelOf(graph, node)
    const fresh = freshness(context, [node, ...shown.map((it) => it.node)])
    return {
      changed_node: keyOf(graph, node),
      ...resolution,
      total_candidates: found.rows.length,
      co_change_count: observed,
      structural_fallback_count: shown.length - observed,
      reason:
        found.rows.length > 0
          ? null
          : noHistory === undefined
            ? `${label} is indexed, and neither history nor any edge ties it to something else.`
            : `${label} is indexed and no edge ties it to something else; ${noHistory}.`,
      predictions: shown.map((it) => ({
        ...nodeRow(graph, it.node),
        confidence: round(it.confidence),
        velocity: include_velocity ? round(it.velocity) : null,
        coupling_strength: round(it.coupling),
        reason: it.reason,
      })),
      velocity: include_velocity ? { velocity: round(found.velocity), trend: found.trend } : null,
      completeness: completeness(graph, {
        nodes: [node],
        asks: 'both',
        skipped: { guesses: 0, unreachable: 0 },
        stale: fresh.stale_files,
        reasons: more,
      }),
      truncated: truncated(shown.length, found.rows.length, 'Raise top_k.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { predictions, changed_node, co_change_count, reason } = output
    const head =
      reason ??
      `${style.bold(plural(predictions.length, 'node'))} may change with ${style.bold(changed_node)}, ${co_change_count} by history`
    const rows = predictions.map((it) => [it.confidence.toFixed(3), it.label, it.reason, it.node_id])
    return [head, ...(rows.length > 0 ? ['', table(rows, style)] : []), ...footnotes(output, style)].join('\n')
  },
})
