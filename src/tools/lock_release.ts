import * as z from 'zod'
import { lockOf, releaseLock } from '#engine/locks'
import { AgentId, LockId } from '#tools/shapes'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'lock_release',
  group: 'lifecycle',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Give up a lock, with the events noted for it.',
  details: ['perspective_close releases those of a perspective.'],
  input: z.object({ agent_id: AgentId, lock_id: LockId }),
  output: z.looseObject({ lock_id: z.string(), released: z.literal(true) }),
  examples: [
    {
      title: 'When the work is done',
      input: { agent_id: 'leaver', lock_id: 'lock_leaver_001' },
      after: [['lock_create', { scope: 'node', root_nodes: ['server/bank.py'] }]],
    },
  ],

  run({ engine, agent }, { lock_id }) {
    releaseLock(engine.records, lockOf(engine.records, lock_id, agent))
    return { lock_id, released: true as const }
  },

  render: ({ lock_id }, style) => `${style.bold(lock_id)}  released`,
})
