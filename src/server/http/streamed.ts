/** Long answers in pieces, so that others are answered in between. */

import { JSON_HEADERS } from '#server/http/failure'

/** Elements of a list that make one piece. */
const ELEMENTS = 500

export function streamOf(pieces: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve))
        const { done, value } = pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    },
    { highWaterMark: 1 },
  )
}

/** The answer as JSON; long lists in it come in several pieces. */
export function longJson(answer: Readonly<Record<string, unknown>>): Response {
  return new Response(streamOf(piecesOf(answer)), { headers: JSON_HEADERS })
}

function* piecesOf(answer: Readonly<Record<string, unknown>>): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    if (!Array.isArray(value)) {
      yield JSON.stringify(value)
      continue
    }
    for (let i = 0; i === 0 || i < value.length; i += ELEMENTS) {
      const piece = JSON.stringify(value.slice(i, i + ELEMENTS)).slice(1, -1)
      yield `${i === 0 ? '[' : ','}${piece}`
    }
    yield ']'
  }
  yield before === '{' ? '{}' : '}'
}
