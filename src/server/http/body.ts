/** Bodies of requests: only JSON, never longer than is allowed. */

import { HttpFailure } from '#server/http/failure'
import { parseJson } from '#server/json'

/** The bytes of a body. Throws an `HttpFailure` as soon as it is known to be longer than `most`. */
export async function readBody(request: Request, most: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  const chunks: Uint8Array[] = []
  let size = 0
  if (request.body !== null) {
    for await (const chunk of request.body) {
      size += chunk.length
      if (size > most) throw tooLarge(most)
      chunks.push(chunk)
    }
  }
  return Buffer.concat(chunks)
}

/** The value of a body; an empty one is `{}`. */
export async function readJson(request: Request, most: number): Promise<unknown> {
  requireJson(request)
  const bytes = await readBody(request, most)
  if (bytes.length === 0) return {}
  try {
    return parseJson(bytes)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new HttpFailure(400, 'invalid_json', `The body is not JSON: ${why}`, {
      hint: 'Send the arguments of the tool as one JSON object.',
    })
  }
}

/** A type of content that no form of a foreign page can send. */
export function requireJson(request: Request): void {
  const type = request.headers.get('content-type') ?? ''
  if (/^application\/json *(;|$)/i.test(type)) return
  throw new HttpFailure(415, 'unsupported_media_type', `The body is ${JSON.stringify(type)}, not JSON.`, {
    hint: 'Send Content-Type: application/json.',
  })
}

function tooLarge(most: number): HttpFailure {
  return new HttpFailure(413, 'body_too_large', `The body is longer than ${most} bytes.`, {
    hint: 'Send less at a time.',
  })
}
