/** A call that its caller waits for only so long. */

import type { Engine } from '#engine/brain'
import { agentIn, type CallOptions, type CallResult, callTool } from '#tools/call'

/** Null when the call took longer than `timeoutMs`; it goes on, and its end is told to watchers. */
export async function callWithin(
  engine: Engine,
  name: string,
  args: unknown,
  { timeoutMs, ...options }: CallOptions & { timeoutMs: number },
): Promise<CallResult | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  const result = await Promise.race([callTool(engine, name, args, options), late])
  clearTimeout(timer)
  if (result === null) {
    engine.events.push(
      {
        type: 'tool_timeout',
        tool: name.slice(0, 100),
        source: options.source ?? 'http',
        agent_id: agentIn(args),
        timeout_secs: timeoutMs / 1000,
        timestamp_ms: Date.now(),
      },
      options.origin,
    )
  }
  return result
}
