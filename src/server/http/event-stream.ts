/** Events as they happen, to whoever keeps a stream open. There is no history: a stream starts when it is opened. */

import type { EventList } from '#engine/events'
import { HttpFailure } from '#server/http/failure'

/** Events that wait for a reader; while there are so many, further ones are left out. */
const BUFFER = 64
const KEEP_ALIVE_MS = 15_000

export class EventStreams {
  readonly #events: EventList
  readonly #most: number
  readonly #open = new Set<() => void>()

  constructor(events: EventList, most: number) {
    this.#events = events
    this.#most = most
  }

  /** A stream for one reader, until it goes or `close` is called. */
  open(): Response {
    if (this.#open.size >= this.#most)
      throw new HttpFailure(503, 'busy', `${this.#open.size} streams of events are open already.`, {
        hint: 'Close one of them. The limit is the setting max_event_streams.',
      })
    const encoder = new TextEncoder()
    let end = () => {}
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const send = (text: string) => controller.enqueue(encoder.encode(text))
          let skipped = 0
          const hasRoom = () => (controller.desiredSize ?? 0) > 0
          const unsubscribe = this.#events.subscribe(({ type, ...data }) => {
            if (!hasRoom()) {
              skipped++
              return
            }
            // who was too slow has to look anew at what it shows
            if (skipped > 0) send(frame('skipped', { count: skipped }))
            skipped = 0
            send(frame(type, data))
          })
          const keepAlive = setInterval(() => {
            if (hasRoom()) send(': still here\n\n')
          }, KEEP_ALIVE_MS)
          end = () => {
            unsubscribe()
            clearInterval(keepAlive)
            this.#open.delete(close)
          }
          const close = () => {
            end()
            controller.close()
          }
          this.#open.add(close)
          send(': events of m1nd\n\n')
        },
        cancel: () => end(),
      },
      { highWaterMark: BUFFER },
    )
    return new Response(body, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    })
  }

  close(): void {
    for (const it of this.#open) it()
  }
}

function frame(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
