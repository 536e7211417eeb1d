/** Events as lines of a file, so that a process without HTTP can be watched through another one that has it. */

import { closeSync, createWriteStream, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { type EngineEvent, type EventList, isEvent } from '#engine/events'
import { isRecord } from '#server/json'

/** Events from a file are not written to one again. */
const FROM_FILE = {}
const LOOK_EVERY_MS = 100
/** Bytes read at one look, which is also the longest line that is understood. */
const PIECE = 1_048_576
/** Bytes that wait to be written; while there are so many, events are left out. */
const MOST_WAITING = 4_194_304

/** Adds `{ event, data }` to the file for each event, until the function that is returned is called. */
export function logEvents(events: EventList, path: string, log: (line: string) => void): () => Promise<void> {
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 })
  let isOpen = true
  file.on('error', (error) => {
    if (isOpen) log(`Events are not written to ${path} any more: ${error.message}`)
    isOpen = false
    unsubscribe()
  })
  const unsubscribe = events.subscribe(({ type, ...data }, origin) => {
    if (origin === FROM_FILE || file.writableLength > MOST_WAITING) return
    file.write(`${JSON.stringify({ event: type, data })}\n`)
  })
  return async () => {
    unsubscribe()
    if (isOpen) await new Promise<void>((resolve) => file.end(() => resolve()))
  }
}

/** Tells on what is added to the file from now on; it need not be there yet. Lines that are no events are left out. */
export function followEvents(events: EventList, path: string, log: (line: string) => void): () => void {
  let at = sizeOf(path)
  let rest = Buffer.alloc(0)
  const look = () => {
    const size = sizeOf(path)
    if (size < at) {
      // it was begun anew
      at = 0
      rest = Buffer.alloc(0)
    }
    if (size === at) return
    const piece = readPiece(path, at)
    at += piece.length
    const bytes = Buffer.concat([rest, piece])
    const end = bytes.lastIndexOf(10) + 1
    rest = bytes.length - end > PIECE ? Buffer.alloc(0) : bytes.subarray(end)
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      const event = eventOf(line)
      if (event !== null) events.push(event, FROM_FILE)
    }
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch (error) {
      clearInterval(timer)
      log(`Events are not read from ${path} any more: ${error instanceof Error ? error.message : String(error)}`)
    }
  }, LOOK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0
  const handle = openSync(path, 'r')
  try {
    return fstatSync(handle).size
  } finally {
    closeSync(handle)
  }
}

function readPiece(path: string, from: number): Buffer {
  const handle = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(PIECE)
    return piece.subarray(0, readSync(handle, piece, 0, PIECE, from))
  } finally {
    closeSync(handle)
  }
}

function eventOf(line: string): EngineEvent | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // somebody else writes there too
    return null
  }
  if (!isRecord(value) || !isRecord(value.data)) return null
  const event = { ...value.data, type: value.event }
  return isEvent(event) ? event : null
}
