/** The project that the server holds, for the top line and for views that need a graph. */

import type health from '#tools/health'
import type { self } from '#server/http/instance'
import { type Answer, useGet, useTool } from './answers.ts'
import type { Output } from './server.ts'

export type Self = ReturnType<typeof self>

/** This server and the state of its graph. */
export function useSelf(): Answer<Self> {
  return useGet<Self>('/api/instance/self')
}

export type HealthAnswer = Output<typeof health>

/** What the graph holds and how much of the code it could read. */
export function useHealth(): Answer<HealthAnswer> {
  return useTool<typeof health>('health', {})
}
