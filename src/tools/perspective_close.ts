import * as z from 'zod'
import { locksOfAgent, releaseLock } from '#engine/locks'
import { closePerspective, perspectiveOf } from '#engine/perspectives'
import { PerspectiveId } from '#tools/perspective-parts'
import { AgentId } from '#tools/shapes'
import { plural } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'perspective_close',
  group: 'perspective',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Close a perspective and release the locks made for it.',
  details: ['Keep what you found with trail_save first.'],
  input: z.object({ agent_id: AgentId, perspective_id: PerspectiveId }),
  output: z.looseObject({
    perspective_id: z.string(),
    closed: z.literal(true),
    locks_released: z.array(z.string()),
  }),
  examples: [
    {
      title: 'With a lock that goes along',
      input: { agent_id: 'closer', perspective_id: 'persp_closer_001' },
      after: [
        ['perspective_start', { query: 'refund payment' }],
        ['lock_create', { scope: 'node', root_nodes: ['server/bank.py'] }],
      ],
    },
  ],

  run({ engine, agent }, { perspective_id }) {
    const { records } = engine
    const perspective = perspectiveOf(records, perspective_id, agent)
    const locks = locksOfAgent(records, agent).filter((it) => it.perspective_id === perspective_id)
    for (const it of locks) releaseLock(records, it)
    closePerspective(records, perspective)
    return { perspective_id, closed: true as const, locks_released: locks.map((it) => it.lock_id) }
  },

  render: ({ perspective_id, locks_released }, style) =>
    `${style.bold(perspective_id)}  closed, ${plural(locks_released.length, 'lock')} released`,
})
