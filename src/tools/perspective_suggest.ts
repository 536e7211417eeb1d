import * as z from 'zod'
import { suggest } from '#analysis/suggest'
import { noteReading } from '#engine/perspectives'
import { checkVersion, labelOfKey, openPerspective, PerspectiveId, Version } from '#tools/perspective-parts'
import { AgentId, round } from '#tools/shapes'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'perspective_suggest',
  group: 'perspective',
  effect: 'read',
  countsAsQuery: false,
  summary: 'What to do next in a perspective, from its routes and the way so far.',
  details: ['Prefers what was not visited.'],
  input: z.object({ agent_id: AgentId, perspective_id: PerspectiveId, route_set_version: Version }),
  output: z.looseObject({
    perspective_id: z.string(),
    suggestion: z.looseObject({
      action: z.enum(['follow', 'inspect', 'back', 'branch', 'close']),
      route_id: z.string().nullable(),
      reason: z.string(),
      confidence: z.number(),
      recommended_action: z.string(),
      why: z.string(),
      based_on: z.enum(['navigation_history', 'initial_ranking', 'exhaustion_recovery']),
      alternatives: z.array(z.looseObject({ action: z.string(), confidence: z.number(), why: z.string() })),
    }),
  }),
  examples: [
    {
      title: 'At the start',
      input: { agent_id: 'asker', perspective_id: 'persp_asker_001', route_set_version: 100 },
      after: [['perspective_start', { query: 'refund payment' }]],
    },
  ],

  run(context, { perspective_id, route_set_version }) {
    const { graph, engine, now } = context
    const perspective = openPerspective(context, perspective_id)
    checkVersion(perspective, route_set_version)
    noteReading(engine.records, perspective, now)
    const been = new Set(perspective.visited)
    const routes = perspective.routes.map(({ breakdown, ...it }) => ({ ...it, coherence: breakdown.path_coherence }))
    const { options, basedOn } = suggest(routes, perspective.history, {
      isVisited: (target) => been.has(target),
      canGoBack: perspective.checkpoints.length > 0,
      nameOf: (target) => labelOfKey(graph, target),
    })
    const [best, ...others] = options
    const inWords = ({ action, route_id }: { action: string; route_id: string }) => `${action} ${route_id}`.trim()
    return {
      perspective_id,
      suggestion: {
        action: best.action,
        route_id: best.route_id || null,
        reason: best.reason,
        confidence: round(best.confidence),
        recommended_action: inWords(best),
        why: best.reason,
        based_on: basedOn,
        alternatives: others.slice(0, engine.settings.suggestAlternatives).map((it) => ({
          action: inWords(it),
          confidence: round(it.confidence),
          why: it.reason,
        })),
      },
    }
  },

  render: ({ suggestion }, style) =>
    [
      `${style.bold(suggestion.recommended_action)}  ${suggestion.confidence.toFixed(2)}  ${suggestion.why}`,
      ...suggestion.alternatives.map((it) => style.dim(`${it.action}  ${it.confidence.toFixed(2)}  ${it.why}`)),
    ].join('\n'),
})
