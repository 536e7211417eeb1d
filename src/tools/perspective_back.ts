import * as z from 'zod'
import { back, perspectiveOf } from '#engine/perspectives'
import { openPerspective, pageOf, PerspectiveId, renderPage, RoutesPage } from '#tools/perspective-parts'
import { AgentId } from '#tools/shapes'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'perspective_back',
  group: 'perspective',
  effect: 'keep',
  summary: 'Take the last step of a perspective back.',
  details: ['What was visited stays visited.'],
  input: z.object({ agent_id: AgentId, perspective_id: PerspectiveId }),
  output: z.looseObject({
    perspective_id: z.string(),
    restored_focus: z.string().nullable(),
    restored_mode: z.string(),
    ...RoutesPage,
  }),
  examples: [
    {
      title: 'After one step',
      input: { agent_id: 'turner', perspective_id: 'persp_turner_001' },
      after: [
        ['perspective_start', { query: 'refund payment' }],
        ['perspective_follow', { perspective_id: 'persp_turner_001', route_index: 1, route_set_version: 100 }],
      ],
    },
  ],

  run(context, { perspective_id }) {
    const { engine, agent, now } = context
    back(engine, perspectiveOf(engine.records, perspective_id, agent), now)
    const restored = openPerspective(context, perspective_id)
    return {
      perspective_id,
      restored_focus: restored.at.focus || null,
      restored_mode: restored.at.mode,
      ...pageOf(context, restored),
    }
  },

  render: (output, style) =>
    [
      `${style.bold(output.perspective_id)}  back at ${output.restored_focus ?? 'nothing'}`,
      ...renderPage(output, style),
    ].join('\n'),
})
