/** How much perspectives, locks and trails take together, and whether there is room for more. */

import type { Engine } from '#engine/brain'
import { lockSizes } from '#engine/locks'
import { sizeOfAll } from '#engine/perspectives'
import { allTrails } from '#engine/trails'
import { type ErrorCode, ToolError } from '#tools/tool'

const NODE_BYTES = 40
const EDGE_BYTES = 120
/** Edges over the boundary of a lock are three numbers. */
const CROSSING_BYTES = 24
const EVENT_BYTES = 100
const MEGABYTE = 1_048_576

/** Estimated bytes. */
export function handleBytes({ records }: Pick<Engine, 'records'>): {
  perspectives: number
  locks: number
  trails: number
} {
  const { nodes, edges, crossing, events } = lockSizes(records)
  const trails = allTrails(records).reduce(
    (sum, it) => sum + it.visited.length + it.boosts.length + it.hypotheses.length,
    0,
  )
  return {
    perspectives: sizeOfAll(records),
    locks: NODE_BYTES * nodes + EDGE_BYTES * edges + CROSSING_BYTES * crossing + EVENT_BYTES * events,
    trails: NODE_BYTES * trails,
  }
}

/** Throws when the memory for handles is used up; says what takes most of it. */
export function ensureRoom(engine: Pick<Engine, 'records' | 'settings'>, code: ErrorCode): void {
  const limit = engine.settings.handleMemoryMb
  const bytes = handleBytes(engine)
  const used = (bytes.perspectives + bytes.locks + bytes.trails) / MEGABYTE
  if (used < limit) return
  const [most] = Object.entries(bytes).sort((a, b) => b[1] - a[1])[0]
  const remedy = {
    perspectives: 'Close perspectives with perspective_close.',
    locks: 'Release locks with lock_release.',
  }
  const hint = most === 'perspectives' || most === 'locks' ? remedy[most] : 'Raise handle_memory_mb.'
  throw new ToolError(
    code,
    `Perspectives, locks and trails take ${used.toFixed(1)} MB of at most ${limit} MB, ${most} most of it.`,
    hint,
  )
}
