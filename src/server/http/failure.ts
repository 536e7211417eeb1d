/** What can go wrong over HTTP, and how it is told. */

import { Refusal } from '#engine/refusal'
import { type ErrorCode, ToolError } from '#tools/tool'
import type { Failure } from '#tools/call'

/** An answer other than 200 that the caller can do something about. */
export class HttpFailure extends Error {
  readonly status: number
  readonly code: string
  /** Further fields of the answer. */
  readonly more: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    status: number,
    code: string,
    message: string,
    more: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.more = more
    this.headers = headers
  }

  /** The answer; `detail` says the same as `message` for clients that read that. */
  response(): Response {
    const body = { error: this.code, message: this.message, detail: this.message, ...this.more }
    return new Response(JSON.stringify(body), { status: this.status, headers: { ...JSON_HEADERS, ...this.headers } })
  }
}

export const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }

export function jsonResponse(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: JSON_HEADERS })
}

/** One status for each code that a tool fails with. */
const STATUS: Record<ErrorCode, number> = {
  unknown_tool: 404,
  invalid_params: 400,
  node_not_found: 404,
  graph_empty: 409,
  graph_not_finalized: 409,
  ingest_path_missing: 400,
  ingest_refused: 400,
  ingest_timeout: 500,
  ingest_budget: 500,
  unknown_adapter: 400,
  perspective_not_found: 404,
  perspective_limit: 409,
  route_set_stale: 409,
  route_not_found: 404,
  route_selector: 400,
  nav_at_root: 409,
  branch_limit: 409,
  peek_refused: 400,
  lock_not_found: 404,
  lock_limit: 409,
  lock_scope_too_large: 409,
  watch_strategy: 400,
  trail_not_found: 404,
  trail_stale: 409,
  trail_limit: 409,
  snapshot_missing: 404,
  not_a_git_repo: 409,
  corrupt_state: 500,
  schema_drift: 500,
  read_only: 403,
  busy: 503,
  cancelled: 409,
  io: 500,
  serialization: 500,
  internal: 500,
}

/** Any error as what is answered. */
export function explained(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error
  if (error instanceof Refusal)
    return new HttpFailure(error.code === 'file_not_found' ? 404 : 400, error.code, error.message, { hint: error.hint })
  if (error instanceof ToolError) return refusedBy(error)
  const message = error instanceof Error ? error.message : String(error)
  return new HttpFailure(500, 'internal', message, { hint: 'This is a fault of the server; its log has the details.' })
}

/** What a question that is no tool was refused with. */
function refusedBy({ code, message, hint, suggestedNextStep }: ToolError): HttpFailure {
  const more = { hint, ...(suggestedNextStep !== '' && { suggested_next_step: suggestedNextStep }) }
  return new HttpFailure(STATUS[code], code, message, more)
}

export function toolFailure({ code, message, tool, hint, example, suggested_next_step }: Failure): HttpFailure {
  const more = {
    tool,
    hint,
    ...(example !== null && { example }),
    ...(suggested_next_step !== '' && { suggested_next_step }),
  }
  return new HttpFailure(STATUS[code], code, message, more)
}

export function timeoutFailure(tool: string, timeoutMs: number): HttpFailure {
  const seconds = timeoutMs / 1000
  return new HttpFailure(504, 'timeout', `${tool} took longer than ${seconds} s.`, {
    error_type: 'timeout',
    timeout_secs: seconds,
    hint: 'The work may still finish: look at health, or ask for less. The limit is the setting tool_timeout_ms.',
  })
}

/** A path that there is, asked for by a method that it does not take. */
export function wrongMethod(method: string, path: string, allowed: readonly string[]): HttpFailure {
  return new HttpFailure(
    405,
    'method_not_allowed',
    `${path} does not take ${method}.`,
    { hint: `It takes ${allowed.join(', ')}.` },
    { Allow: allowed.join(', ') },
  )
}
