import * as z from 'zod'
import { affinity, reasonFor } from '#analysis/affinity'
import { isReadable } from '#engine/read-source'
import { type Graph, keyOf, labelOf, NONE, type NodeId, typeName } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { addressed, labelOfKey, placeOf, RouteAddress } from '#tools/perspective-parts'
import { round } from '#tools/shapes'
import { defineTool, type ToolContext } from '#tools/tool'

const Share = z.number().nullable()

export default defineTool({
  name: 'perspective_inspect',
  group: 'perspective',
  effect: 'read',
  countsAsQuery: false,
  summary: 'One route in detail: what its score is made of, where it leads, what may be near.',
  details: ['Its source: perspective_peek.'],
  input: RouteAddress,
  output: z.looseObject({
    route_id: z.string(),
    route_index: z.int().nullable(),
    family: z.string(),
    target_node: z.string(),
    target_label: z.string(),
    target_type: z.string(),
    path_preview: z.array(z.string()),
    family_explanation: z.string(),
    score: z.number(),
    score_breakdown: z.object({
      local_activation: z.number(),
      path_coherence: z.number(),
      novelty: z.number(),
      anchor_relevance: Share,
      continuity: Share,
    }),
    provenance: z.looseObject({ source_path: z.string(), provenance_stale: z.boolean() }).nullable(),
    peek_available: z.boolean(),
    affinity_candidates: z.array(
      z.object({ node_id: z.string(), label: z.string(), strength: z.number(), reason: z.string() }),
    ),
    response_chars: z.int(),
  }),
  examples: [
    {
      title: 'The first route of the page',
      input: { agent_id: 'viewer', perspective_id: 'persp_viewer_001', route_index: 1, route_set_version: 100 },
      after: [['perspective_start', { query: 'refund payment' }]],
    },
  ],

  run(context, input) {
    const { graph, engine } = context
    const { route, onPage } = addressed(context, 'perspective_inspect', input)
    const v = nodeByKey(graph, route.target)
    const place = placeOf(graph, v)
    const path = place?.source_path ?? ''
    const { local_activation, path_coherence, novelty, anchor_relevance, continuity } = route.breakdown
    const answer = {
      route_id: route.route_id,
      route_index: onPage || null,
      family: route.family,
      target_node: route.target,
      target_label: labelOfKey(graph, route.target),
      target_type: v === NONE ? 'unknown' : typeName(graph.types[v]),
      path_preview: route.path.map((it) => labelOfKey(graph, it)),
      family_explanation: `${EXPLANATIONS[route.family] ?? ''} ${route.reason}`.trim(),
      score: round(route.score),
      score_breakdown: {
        local_activation: round(local_activation),
        path_coherence: round(path_coherence),
        novelty,
        anchor_relevance: anchor_relevance === null ? null : round(anchor_relevance),
        continuity,
      },
      provenance: place === null ? null : { ...place, provenance_stale: engine.staleFiles([path]).length > 0 },
      peek_available: isReadable(graph.meta.roots, path),
      affinity_candidates: v === NONE ? [] : candidatesOf(context, v, route.path),
    }
    return { ...answer, response_chars: shorten(answer, engine.settings.inspectMaxChars) }
  },

  render({ target_label, family, family_explanation, score, score_breakdown, provenance, affinity_candidates }, style) {
    const parts = Object.entries(score_breakdown).map(
      ([name, value]) => `${name} ${value === null ? '–' : value.toFixed(2)}`,
    )
    return [
      `${style.bold(target_label)}  ${style.dim(family)}  ${score.toFixed(3)}`,
      parts.join('  '),
      family_explanation,
      ...(provenance === null ? [] : [style.dim(provenance.source_path)]),
      ...affinity_candidates.map((it) => `perhaps ${it.label}  ${it.strength.toFixed(2)}  ${style.dim(it.reason)}`),
    ].join('\n')
  },
})

const EXPLANATIONS: Readonly<Record<string, string>> = {
  structural_neighbor: 'An edge leads there:',
  causal_downstream: 'A change of the focus may be felt there:',
  causal_upstream: 'A change there may be felt at the focus:',
  semantic_neighbor: 'It is called alike:',
  co_change: 'It changes along in history:',
  configuration: 'They share configuration:',
  ghost_edge: 'An edge seems to be missing:',
  structural_hole: 'Its surroundings are active, it is not:',
  resonance: 'Waves from the focus move it:',
}

function candidatesOf({ graph, indexes, engine }: ToolContext, target: NodeId, path: readonly string[]) {
  const nodes = path.map((it) => nodeByKey(graph, it)).filter((v) => v !== NONE)
  const { found } = affinity(graph, indexes, target, {
    path: nodes,
    most: engine.settings.affinityCandidates,
    isOver: () => false,
  })
  return found.map((it) => candidateRow(graph, it.node, it.confidence, reasonFor(graph, it)))
}

function candidateRow(graph: Graph, v: NodeId, strength: number, reason: string) {
  return { node_id: keyOf(graph, v), label: labelOf(graph, v), strength: round(strength), reason }
}

/** Leaves out candidates, then the middle of the path, until the answer is short enough; gives its length. */
function shorten(
  answer: { affinity_candidates: unknown[]; path_preview: string[]; family_explanation: string },
  most: number,
): number {
  const length = () => JSON.stringify(answer).length
  while (length() > most && answer.affinity_candidates.length > 0) answer.affinity_candidates.pop()
  while (length() > most && answer.path_preview.length > 2) answer.path_preview.splice(1, 1)
  if (length() > most) answer.family_explanation = `${answer.family_explanation.slice(0, 80)}…`
  return length()
}
