import * as z from 'zod'
import { affinity, reasonFor } from '#analysis/affinity'
import { keyOf, labelOf, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { addressed, RouteAddress } from '#tools/perspective-parts'
import { round } from '#tools/shapes'
import { defineTool } from '#tools/tool'

const NOTICE = 'These connections are probable, not verified: the graph has no edge for any of them.'

export default defineTool({
  name: 'perspective_affinity',
  group: 'perspective',
  effect: 'read',
  countsAsQuery: false,
  summary: 'Nodes that the target of a route probably belongs with, though no edge says so.',
  details: ['Likely, not verified.'],
  input: RouteAddress,
  output: z.looseObject({
    route_id: z.string(),
    target_node: z.string(),
    notice: z.string(),
    candidates: z.array(
      z.looseObject({
        node_id: z.string(),
        label: z.string(),
        strength: z.number(),
        reason: z.string(),
        candidate_node: z.string(),
        candidate_label: z.string(),
        kind: z.enum(['hypothesized_latent_edge', 'missing_bridge', 'resonant_neighbor']),
        confidence: z.number(),
        is_hypothetical: z.literal(true),
        proposed_relation: z.null(),
        confidence_breakdown: z.record(z.string(), z.number()),
      }),
    ),
    truncated_by_budget: z.boolean(),
  }),
  examples: [
    {
      title: 'Of the first route of the page',
      input: { agent_id: 'kinsman', perspective_id: 'persp_kinsman_001', route_index: 1, route_set_version: 100 },
      after: [['perspective_start', { query: 'refund payment' }]],
    },
  ],

  run(context, input) {
    const { graph, indexes, engine } = context
    const { route } = addressed(context, 'perspective_affinity', input)
    const target = nodeByKey(graph, route.target)
    const path = route.path.map((it) => nodeByKey(graph, it)).filter((v) => v !== NONE)
    const began = performance.now()
    const isOver = () => performance.now() - began > engine.settings.synthesisMs
    const { found, truncated } = affinity(graph, indexes, target, {
      path,
      most: engine.settings.affinityCandidates,
      isOver,
    })
    return {
      route_id: route.route_id,
      target_node: route.target,
      notice: NOTICE,
      candidates: found.map((it) => {
        const own = { node: keyOf(graph, it.node), label: labelOf(graph, it.node) }
        return {
          node_id: own.node,
          label: own.label,
          strength: round(it.confidence),
          reason: reasonFor(graph, it),
          candidate_node: own.node,
          candidate_label: own.label,
          kind: it.kind,
          confidence: round(it.confidence),
          is_hypothetical: true as const,
          proposed_relation: null,
          confidence_breakdown: Object.fromEntries(
            Object.entries(it.parts).map(([name, value]: [string, number]) => [name, round(value)]),
          ),
        }
      }),
      truncated_by_budget: truncated,
    }
  },

  render: ({ notice, candidates }, style) =>
    candidates.length === 0
      ? 'Nothing seems to be missing there.'
      : [
          style.dim(notice),
          ...candidates.map(
            (it) => `${it.strength.toFixed(2)}  ${style.bold(it.label)}  ${style.dim(it.kind)}  ${it.reason}`,
          ),
        ].join('\n'),
})
