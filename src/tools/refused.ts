/** From a request that the engine refuses to the answer of a tool. */

import { Refusal } from '#engine/refusal'
import { ERROR_CODES, type ErrorCode, ToolError } from '#tools/tool'

/** The tool that mends what was refused. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  snapshot_missing: 'persist',
  schema_drift: 'persist',
  trail_not_found: 'trail_list',
  perspective_not_found: 'perspective_list',
  lock_not_found: 'lock_create',
}

/** Throws the error for the caller; what is no refusal is thrown as it is. */
export function refused(error: unknown, detail: string, otherwise: ErrorCode = 'io'): never {
  if (!(error instanceof Refusal)) throw error
  throw asToolError(error, detail, otherwise)
}

/** About `detail`, unless the refusal says itself what it is about. */
export function asToolError({ code, message, hint, detail: own }: Refusal, detail: string, otherwise: ErrorCode) {
  const known = ERROR_CODES.find((it) => it === code) ?? otherwise
  return new ToolError(known, message, hint, { detail: own || detail, suggestedNextStep: NEXT[known] })
}
