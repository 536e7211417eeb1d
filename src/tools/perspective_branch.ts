import * as z from 'zod'
import { branch } from '#engine/perspectives'
import { ensureRoom } from '#tools/handle-room'
import { openPerspective, PerspectiveId } from '#tools/perspective-parts'
import { AgentId } from '#tools/shapes'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'perspective_branch',
  group: 'perspective',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Split a perspective, to try another way from the same place.',
  details: ['Both go on by themselves; perspective_compare shows how far they differ.'],
  input: z.object({
    agent_id: AgentId,
    perspective_id: PerspectiveId,
    branch_name: z.string().trim().max(200).default('').describe('Its name.'),
  }),
  output: z.looseObject({
    perspective_id: z.string(),
    branch_perspective_id: z.string(),
    branch_name: z.string(),
    branched_from_focus: z.string().nullable(),
    route_set_version: z.int(),
  }),
  examples: [
    {
      title: 'Another way',
      input: { agent_id: 'forker', perspective_id: 'persp_forker_001', branch_name: 'by the bank' },
      after: [['perspective_start', { query: 'refund payment' }]],
    },
  ],

  run(context, { perspective_id, branch_name }) {
    const { engine, now } = context
    const perspective = openPerspective(context, perspective_id)
    ensureRoom(engine, 'perspective_limit')
    const child = branch(engine, perspective, branch_name, now)
    return {
      perspective_id,
      branch_perspective_id: child.perspective_id,
      branch_name: child.branch_name,
      branched_from_focus: child.at.focus || null,
      route_set_version: child.route_set_version,
    }
  },

  render: ({ branch_perspective_id, branch_name, branched_from_focus }, style) =>
    `${style.bold(branch_perspective_id)}  ${branch_name}  at ${branched_from_focus ?? 'nothing'}`,
})
