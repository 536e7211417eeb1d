import * as z from 'zod'
import { isStale, perspectivesOfAgent, readingOf, sizeOf } from '#engine/perspectives'
import { AgentId } from '#tools/shapes'
import { table } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'perspective_list',
  group: 'perspective',
  effect: 'read',
  countsAsQuery: false,
  needsGraph: false,
  summary: 'Your open perspectives.',
  details: ['stale: the graph changed; the next look makes new routes.'],
  input: z.object({ agent_id: AgentId }),
  output: z.looseObject({
    agent_id: z.string(),
    perspectives: z.array(
      z.looseObject({
        perspective_id: z.string(),
        mode: z.string(),
        focus_node: z.string().nullable(),
        focus: z.string().nullable(),
        route_count: z.int(),
        route_set_version: z.int(),
        nav_event_count: z.int(),
        stale: z.boolean(),
        created_at_ms: z.number(),
        last_accessed_ms: z.number(),
      }),
    ),
    total_memory_bytes: z.int(),
  }),
  examples: [
    {
      title: 'Two of them',
      input: { agent_id: 'owner' },
      after: [
        ['perspective_start', { query: 'refund payment' }],
        ['perspective_branch', { perspective_id: 'persp_owner_001', branch_name: 'aside' }],
      ],
    },
  ],

  async run({ engine, agent }) {
    // perspectives are read along with the graph
    await engine.ready
    const own = perspectivesOfAgent(engine.records, agent)
    return {
      agent_id: agent,
      perspectives: own.map((it) => ({
        perspective_id: it.perspective_id,
        mode: it.at.mode,
        focus_node: it.at.focus || null,
        focus: it.at.focus || null,
        query: it.query.slice(0, 200),
        route_count: it.routes.length,
        route_set_version: it.route_set_version,
        nav_event_count: it.history.length,
        stale: isStale(it, engine.brain),
        created_at_ms: it.created_at_ms,
        last_accessed_ms: readingOf(engine.records, it).accessed_at_ms,
        ...(it.parent !== '' && { branch_name: it.branch_name, branch_of: it.parent }),
      })),
      total_memory_bytes: own.reduce((sum, it) => sum + sizeOf(it), 0),
    }
  },

  render({ perspectives }, style) {
    if (perspectives.length === 0) return 'No perspective is open.'
    const rows = perspectives.map((it) => [
      it.perspective_id,
      it.mode,
      it.stale ? 'stale' : 'current',
      it.route_count,
      it.focus_node ?? 'nothing',
    ])
    return table(rows, style)
  },
})
