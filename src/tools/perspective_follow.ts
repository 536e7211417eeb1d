import * as z from 'zod'
import { follow } from '#engine/perspectives'
import { addressed, pageOf, renderPage, RouteAddress, RoutesPage } from '#tools/perspective-parts'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'perspective_follow',
  group: 'perspective',
  effect: 'keep',
  summary: 'Go to the target of a route; new routes lead on from there.',
  details: ['perspective_back takes it back.'],
  input: RouteAddress,
  output: z.looseObject({
    perspective_id: z.string(),
    previous_focus: z.string().nullable(),
    new_focus: z.string(),
    ...RoutesPage,
  }),
  examples: [
    {
      title: 'Along the first route of the page',
      input: { agent_id: 'walker', perspective_id: 'persp_walker_001', route_index: 1, route_set_version: 100 },
      after: [['perspective_start', { query: 'refund payment' }]],
    },
  ],

  run(context, input) {
    const { engine, now } = context
    const { perspective, route } = addressed(context, 'perspective_follow', input)
    const moved = follow(engine, perspective, route, now)
    return {
      perspective_id: perspective.perspective_id,
      previous_focus: perspective.at.focus || null,
      new_focus: moved.at.focus,
      ...pageOf(context, moved),
    }
  },

  render: (output, style) =>
    [`${style.bold(output.perspective_id)}  now at ${output.new_focus}`, ...renderPage(output, style)].join('\n'),
})
