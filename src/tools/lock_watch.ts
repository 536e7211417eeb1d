import * as z from 'zod'
import { lockOf, pendingEvents, STRATEGIES, watchLock } from '#engine/locks'
import { AgentId, LockId } from '#tools/shapes'
import { plural } from '#tools/table'
import { defineTool, ToolError } from '#tools/tool'

const SHOWN = 50

export default defineTool({
  name: 'lock_watch',
  group: 'lifecycle',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Note each ingest or learn that touches a locked region, and show those noted.',
  details: ['lock_diff shows what changed, and takes the events off.'],
  input: z.object({
    agent_id: AgentId,
    lock_id: LockId,
    strategy: z
      .string()
      .max(100)
      .default('')
      .describe(`${STRATEGIES.join(', ')}; none only reports.`),
  }),
  output: z.looseObject({
    lock_id: z.string(),
    strategy: z.string().nullable(),
    previous_strategy: z.string().nullable(),
    pending_events: z.array(
      z.object({ kind: z.string(), at_ms: z.number(), agent_id: z.string(), graph_generation: z.int() }),
    ),
    pending_count: z.int(),
  }),
  examples: [
    {
      title: 'Tell when an ingest touches it',
      input: { agent_id: 'warden', lock_id: 'lock_warden_001', strategy: 'on_ingest' },
      after: [['lock_create', { scope: 'node', root_nodes: ['server/bank.py'] }]],
    },
  ],

  run({ engine, agent }, { lock_id, strategy }) {
    const { records } = engine
    const lock = lockOf(records, lock_id, agent)
    if (strategy !== '') {
      const wanted = STRATEGIES.find((it) => it === strategy)
      if (wanted === undefined) throw unsupported(strategy)
      watchLock(records, lock, wanted)
    }
    const pending = pendingEvents(records, lock)
    return {
      lock_id,
      strategy: strategy || lock.strategy || null,
      previous_strategy: lock.strategy || null,
      pending_events: pending
        .slice(-SHOWN)
        .map(({ kind, at_ms, agent_id, graph_generation }) => ({ kind, at_ms, agent_id, graph_generation })),
      pending_count: pending.length,
    }
  },

  render: ({ lock_id, strategy, pending_events, pending_count }, style) =>
    [
      `${style.bold(lock_id)}  ${strategy ?? 'not watched'}, ${plural(pending_count, 'event')} waiting`,
      ...pending_events.map((it) => `${it.kind}  ${it.agent_id}  ${new Date(it.at_ms).toISOString()}`),
    ].join('\n'),
})

function unsupported(strategy: string): ToolError {
  const hint = `There are ${STRATEGIES.join(', ')}.`
  if (strategy === 'periodic')
    return new ToolError('watch_strategy', 'Strategy not supported: periodic', hint, { detail: strategy })
  const message = `Invalid params for lock_watch: strategy: expected one of ${STRATEGIES.join(', ')}, got ${JSON.stringify(strategy)}`
  return new ToolError('invalid_params', message, hint, { detail: 'strategy' })
}
