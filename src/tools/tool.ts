/** What a tool is: one definition from which list, docs, routes, commands and most tests are derived. */

import type * as z from 'zod'
import type { Brain, Engine, Indexes, Progress } from '#engine/brain'
import type { EngineEvent } from '#engine/events'
import type { Graph } from '#graph/graph'

export type Effect = 'read' | 'keep' | 'learn' | 'write'

export const ERROR_CODES = [
  'unknown_tool',
  'invalid_params',
  'node_not_found',
  'graph_empty',
  'graph_not_finalized',
  'ingest_path_missing',
  'ingest_refused',
  'ingest_timeout',
  'ingest_budget',
  'unknown_adapter',
  'perspective_not_found',
  'perspective_limit',
  'route_set_stale',
  'route_not_found',
  'route_selector',
  'nav_at_root',
  'branch_limit',
  'peek_refused',
  'lock_not_found',
  'lock_limit',
  'lock_scope_too_large',
  'watch_strategy',
  'trail_not_found',
  'trail_stale',
  'trail_limit',
  'snapshot_missing',
  'not_a_git_repo',
  'corrupt_state',
  'schema_drift',
  'read_only',
  'busy',
  'cancelled',
  'io',
  'serialization',
  'internal',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** A failure that the caller can mend. The message names the value, the hint says what to do next. */
export class ToolError extends Error {
  readonly code: ErrorCode
  readonly hint: string
  /** The offending value. */
  readonly detail: string
  readonly suggestedNextStep: string

  constructor(
    code: ErrorCode,
    message: string,
    hint: string,
    more: { detail?: string; suggestedNextStep?: string } = {},
  ) {
    super(message)
    this.code = code
    this.hint = hint
    this.detail = more.detail ?? ''
    this.suggestedNextStep = more.suggestedNextStep ?? ''
  }
}

/** All that a tool may touch. */
export interface ToolContext {
  engine: Engine
  brain: Brain
  graph: Graph
  indexes: Indexes
  agent: string
  /** Epoch ms of the call. */
  now: number
  signal: AbortSignal
  progress: (at: Progress) => void
}

export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string
  group: 'query' | 'analysis' | 'memory' | 'exploration' | 'perspective' | 'lifecycle'
  /** `read`: changes nothing. `keep`: what agents keep. `learn`: weights. `write`: structure or files. Queueing and client hints follow. */
  effect: Effect
  /** Whether the call counts as a processed query. */
  countsAsQuery: boolean
  /** Answers on an empty graph, and while the saved graph is still loading. */
  needsGraph: boolean
  /** Whether a picture of the graph is out of date after a call that succeeded. */
  changesGraph: boolean
  summary: string
  /** When to use it, and which neighbour to use instead; with `summary` under 80 words. */
  details: string[]
  input: I
  output: O
  examples: Example<z.input<I>>[]
  run(context: ToolContext, input: z.output<I>): z.input<O> | Promise<z.input<O>>
  /** What watchers are told after a call that succeeded, besides that there was one. */
  announce?(input: z.output<I>, output: z.output<O>): EngineEvent
  /** Text for the command line. */
  render(output: z.output<O>, style: Style): string
}

export interface Example<I> {
  title: string
  input: I
  /** Calls of the same agent that make the handles which the input names. */
  after?: readonly (readonly [tool: string, input: Record<string, unknown>])[]
}

/** Colours and width of the terminal; plain functions when there are none. */
export interface Style {
  width: number
  bold(text: string): string
  dim(text: string): string
  accent(text: string): string
  /** A bar of `cells` characters for parts that sum to at most 1, one colour each. */
  bar(parts: readonly number[], cells: number): string
}

export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: Omit<Tool<I, O>, 'countsAsQuery' | 'needsGraph' | 'changesGraph'> & {
    countsAsQuery?: boolean
    needsGraph?: boolean
    changesGraph?: boolean
  },
): Tool<I, O> {
  return { countsAsQuery: true, needsGraph: true, changesGraph: false, ...tool }
}
