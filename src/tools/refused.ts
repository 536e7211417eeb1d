/** From a request that the engine refuses to the answer of a tool. */

import { Refusal } from '#engine/refusal'
import { ERROR_CODES, type ErrorCode, ToolError } from '#tools/tool'

/** The tool that mends what was refused. */
const NEXT: Partial<Record<ErrorCode, string>> = { snapshot_missing: 'persist' }

/** Throws the error for the caller; what is no refusal is thrown as it is. */
export function refused(error: unknown, detail: string, otherwise: (typeof ERROR_CODES)[number] = 'io'): never {
  if (!(error instanceof Refusal)) throw error
  const code = ERROR_CODES.find((it) => it === error.code) ?? otherwise
  throw new ToolError(code, error.message, error.hint, { detail, suggestedNextStep: NEXT[code] })
}
