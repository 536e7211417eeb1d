/** Parameters of requests as clients write them, in the form that the protocol library takes. */

import { isRecord } from '#server/json'

/** All parameters of `initialize` are optional here, and so are the arguments of a tool. */
export function completeParams(method: string, params: unknown, newestVersion: string): Record<string, unknown> {
  const given = usable(isRecord(params) ? params : {})
  if (method === 'initialize') {
    const { protocolVersion, capabilities, clientInfo } = given
    return {
      ...given,
      protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : newestVersion,
      capabilities: isRecord(capabilities) ? capabilities : {},
      clientInfo: isRecord(clientInfo)
        ? { name: 'unknown', version: '0', ...clientInfo }
        : { name: 'unknown', version: '0' },
    }
  }
  if (method === 'tools/call') return { ...given, arguments: given.arguments ?? {} }
  return given
}

/** Leaves out what clients send in the wrong type and can do without: notes about the request, and places in lists. */
function usable({ _meta, cursor, ...params }: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = params
  if (typeof cursor === 'string') kept.cursor = cursor
  if (isRecord(_meta)) {
    const { progressToken, ...notes } = _meta
    const isToken = typeof progressToken === 'string' || Number.isInteger(progressToken)
    kept._meta = isToken ? { ...notes, progressToken } : notes
  }
  return kept
}

/** What is wrong with the parameters of a request, '' for nothing. */
export function wrongParams(method: string, params: unknown): string {
  if (params !== undefined && params !== null && !isRecord(params)) return 'params must be an object'
  if (method !== 'tools/call') return ''
  const { name, arguments: args } = isRecord(params) ? params : {}
  if (typeof name !== 'string') return 'tools/call needs the name of a tool'
  return args === undefined || args === null || isRecord(args) ? '' : 'arguments must be an object'
}
