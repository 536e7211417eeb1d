/** What happens in the server, as it happens: an event stream that comes back by itself, and when to ask again. */

import { computed, signal } from '@preact/signals'
import type { EngineEvent } from '#engine/events'
import { get, reachable, send, ServerError } from './server.ts'

/** `polling`: the server answers, but has no stream to give. */
export type Connection = 'connecting' | 'live' | 'polling' | 'gone'

export const connection = signal<Connection>('connecting')
/** Epoch ms of the next attempt while the server is gone, else 0. */
export const nextAttempt = signal(0)
/** Grows whenever what is shown has to be asked for again: at once when the stream comes back, else DEBOUNCE_MS after the last change. */
export const version = signal(0)
/** `number` counts what came since the page was opened. */
export type LiveEvent = (EngineEvent | Gap) & { received: number; number: number }
/** Events that nobody told this page about: the line was down since `from` (epoch ms), or `missed` were too many. */
interface Gap {
  type: 'gap'
  from: number
  missed: number
}
/** The latest events, newest first; how far an ingest is, is in `working` alone. */
export const events = signal<readonly LiveEvent[]>([])
/** The ingest that is under way. */
export const working = signal<Extract<EngineEvent, { type: 'ingest_progress' }> | null>(null)

const DEBOUNCE_MS = 500
/** A change that goes on and on is shown at least so often. */
const LONGEST_WAIT_MS = 2000
const POLL_MS = 5000
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 30_000
/** Nothing at all in this time means that the line is dead; the server says something every 15 s. */
const SILENCE_MS = 40_000
export const EVENTS_KEPT = 200
/** A progress that nothing follows is over: the process that read may be another one. */
const PROGRESS_MS = 15_000

type Listener = (event: EngineEvent) => void
const listeners = new Set<Listener>()

/** Calls back at every event until the function that is returned is called. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const isGone = computed(() => connection.value === 'gone')

let firstChange = 0
let changeTimer: ReturnType<typeof setTimeout> | undefined

/** Something that is shown is another now. */
function changed(): void {
  const now = Date.now()
  if (firstChange === 0) firstChange = now
  clearTimeout(changeTimer)
  changeTimer = setTimeout(refresh, Math.max(0, Math.min(DEBOUNCE_MS, firstChange + LONGEST_WAIT_MS - now)))
}

/** Ask for all that is shown again, now. */
export function refresh(): void {
  clearTimeout(changeTimer)
  firstChange = 0
  version.value++
}

let progressTimer: ReturnType<typeof setTimeout> | undefined

function keep(event: EngineEvent | Gap): void {
  const before = events.peek()
  const number = (before[0]?.number ?? 0) + 1
  events.value = [{ ...event, received: Date.now(), number }, ...before.slice(0, EVENTS_KEPT - 1)]
}

function happened(event: EngineEvent): void {
  if (event.type !== 'ingest_progress') keep(event)
  if (event.type === 'graph_changed') changed()
  if (event.type === 'ingest_progress') {
    working.value = event
    clearTimeout(progressTimer)
    progressTimer = setTimeout(() => {
      working.value = null
    }, PROGRESS_MS)
  }
  if (event.type === 'ingest' || (event.type === 'tool_result' && event.tool === 'ingest')) working.value = null
  for (const it of listeners) it(event)
}

let wake = () => {}

/** Tries again now instead of later. */
export function tryNow(): void {
  wake()
}

/** Follows the server for as long as the page is open. */
export async function follow(): Promise<never> {
  let retryMs = FIRST_RETRY_MS
  let wasThere = false
  /** Since when there is no stream, epoch ms; 0 while there is one. */
  let lostAt = 0
  for (;;) {
    try {
      await readStream(() => {
        // what happened in between is not told again
        if (wasThere) {
          keep({ type: 'gap', from: lostAt, missed: 0 })
          refresh()
        }
        wasThere = true
        lostAt = 0
        retryMs = FIRST_RETRY_MS
        connection.value = 'live'
        nextAttempt.value = 0
      })
    } catch (error) {
      if (error instanceof ServerError && error.code === 'busy') {
        await poll()
        continue
      }
    } finally {
      lostAt ||= Date.now()
    }
    working.value = null
    const isThere = await get('/api/health').then(
      () => true,
      (error) => error instanceof ServerError && error.status > 0,
    )
    if (isThere && retryMs === FIRST_RETRY_MS) connection.value = 'connecting'
    else connection.value = isThere ? 'polling' : 'gone'
    nextAttempt.value = Date.now() + retryMs
    await pause(retryMs)
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2)
  }
}

/** Reads events until the stream ends. */
async function readStream(opened: () => void): Promise<void> {
  const stop = new AbortController()
  let silence: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stop.abort(), SILENCE_MS)
  }
  heard()
  try {
    const { body } = await send('/api/events', { signal: stop.signal, headers: { Accept: 'text/event-stream' } })
    if (body === null) return
    opened()
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      const frames = (text + value).split('\n\n')
      text = frames.pop() ?? ''
      for (const it of frames) readFrame(it)
    }
  } finally {
    clearTimeout(silence)
  }
}

function readFrame(frame: string): void {
  const name = /^event: (.*)$/m.exec(frame)?.[1]
  const data = /^data: (.*)$/m.exec(frame)?.[1]
  if (name === undefined || data === undefined) return
  // events that this page was too slow for
  if (name === 'skipped') {
    keep({ type: 'gap', from: 0, missed: JSON.parse(data).count })
    changed()
  } else happened({ type: name, ...JSON.parse(data) })
}

interface Counts {
  graph_generation: number
  plasticity_generation: number
}

/** Looks at the counters for a while, where there is no stream to be had. */
async function poll(): Promise<void> {
  connection.value = 'polling'
  let before = ''
  for (let left = LAST_RETRY_MS; left > 0 && reachable.peek(); left -= POLL_MS) {
    const counts = await get<Counts>('/api/health').catch(() => null)
    if (counts === null) return
    const now = `${counts.graph_generation} ${counts.plasticity_generation}`
    if (before !== '' && before !== now) refresh()
    before = now
    await pause(POLL_MS)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
