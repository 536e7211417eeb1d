import * as z from 'zod'
import { lockOf, rebaseLock } from '#engine/locks'
import { AgentId, LockId } from '#tools/shapes'
import { plural } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'lock_rebase',
  group: 'lifecycle',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Take a locked region as it is now for its baseline.',
  details: ['See what changed first: lock_diff.'],
  input: z.object({ agent_id: AgentId, lock_id: LockId }),
  output: z.looseObject({
    lock_id: z.string(),
    previous_generation: z.int(),
    new_generation: z.int(),
    baseline_nodes: z.int(),
    baseline_edges: z.int(),
    watcher_preserved: z.literal(true),
  }),
  examples: [
    {
      title: 'Start anew',
      input: { agent_id: 'renewer', lock_id: 'lock_renewer_001' },
      after: [['lock_create', { scope: 'node', root_nodes: ['server/bank.py'] }]],
    },
  ],

  run({ engine, agent, now }, { lock_id }) {
    const lock = lockOf(engine.records, lock_id, agent)
    const { generation, baseline } = rebaseLock(engine, lock, now)
    return {
      lock_id,
      previous_generation: lock.generation,
      new_generation: generation,
      baseline_nodes: baseline.nInside,
      baseline_edges: baseline.weights.length,
      watcher_preserved: true as const,
    }
  },

  render: ({ lock_id, baseline_nodes, baseline_edges }, style) =>
    `${style.bold(lock_id)}  ${plural(baseline_nodes, 'node')} and ${plural(baseline_edges, 'edge')} are the baseline now`,
})
