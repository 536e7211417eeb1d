/** Reads of the page that one process asks another one for: whoever owns the state answers, as with tools. */

import type { Engine, RelayedResult } from '#engine/brain'
import { RelayLost } from '#engine/refusal'
import { explained, HttpFailure, JSON_HEADERS } from '#server/http/failure'
import { projectReadsOf } from '#server/http/project-reads'
import { readsOf } from '#server/http/reads'
import type { Asked, Route } from '#server/http/routes'
import { isRecord } from '#server/json'

/** How these calls are told from those of tools. */
export const READ = 'GET '

/** The owner's side: the answer to `GET <path>` with the words after the question mark in `args.query`. */
export async function answerRead(
  engine: Engine,
  call: string,
  args: unknown,
  signal: AbortSignal,
): Promise<RelayedResult> {
  const route = [...readsOf(engine), ...projectReadsOf(engine)].find((it) => it.path === call.slice(READ.length))
  const words = isRecord(args) && typeof args.query === 'string' ? args.query : ''
  try {
    if (route === undefined) throw new HttpFailure(404, 'not_found', `There is no ${call}.`)
    await engine.ready
    const request = new Request('http://localhost', { signal })
    const response = await route.run({ request, parts: {}, query: new URLSearchParams(words) })
    return { ok: true, output: Object(await response.json()) }
  } catch (error) {
    const { status, code, message, more } = explained(error)
    return { ok: false, failure: { status, code, message, more } }
  }
}

/** What the owner of the state says; null when this process has to answer. */
export async function askOwner(engine: Engine, { path }: Route, { query, request }: Asked): Promise<Response | null> {
  const owner = await engine.owner()
  if (owner === null) return null
  try {
    const args = { query: query.toString() }
    const answer = await owner.call(READ + path, args, { signal: request.signal, progress: () => {} })
    if (answer.ok) return new Response(JSON.stringify(answer.output), { headers: JSON_HEADERS })
    const { status, code, message, more } = answer.failure
    throw new HttpFailure(Number(status), String(code), String(message), isRecord(more) ? more : {})
  } catch (error) {
    // it is gone; what it saved is read by this process
    if (error instanceof RelayLost) return null
    throw error
  }
}
