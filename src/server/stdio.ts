/**
 * The pipe between a client and the protocol library: framing, the rules of JSON-RPC that the library leaves to
 * its transport, and an end of input that waits for what is being worked on.
 */

import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server'
import { FrameReader, type Framing, type Piece } from '#server/framing'
import { isRecord } from '#server/json'
import { completeParams, wrongParams } from '#server/params'

type Id = string | number | bigint | null

/** Members of one array message; its answer is one array. */
interface Batch {
  open: number
  answers: unknown[]
}

interface Pending {
  id: Id
  method: string
  framing: Framing
  batch: Batch | null
}

export interface PipeOptions {
  /** Longest message in bytes. */
  maxMessage: number
  /** The newest version of the protocol, for a client that names none. */
  newestVersion: string
}

export class PipeTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T) => void

  readonly #input: Readable
  readonly #output: Writable
  readonly #newestVersion: string
  readonly #reader: FrameReader
  /** Requests in work, by the id they have inside; a client may use an id twice or use null. */
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #lastFraming: Framing = 'line'
  #ended = false
  #closed = false
  /** Ends when the client has gone, or input has ended, and every request is answered. */
  readonly closed: Promise<void>
  readonly #resolveClosed: () => void

  constructor(input: Readable, output: Writable, { maxMessage, newestVersion }: PipeOptions) {
    this.#input = input
    this.#output = output
    this.#newestVersion = newestVersion
    let resolveClosed = () => {}
    this.closed = new Promise((resolve) => {
      resolveClosed = resolve
    })
    this.#resolveClosed = resolveClosed
    this.#reader = new FrameReader({ maxMessage }, (it) => this.#take(it))
  }

  async start(): Promise<void> {
    this.#output.on('error', () => void this.close())
    this.#output.on('drain', () => {
      if (!this.#closed) this.#input.resume()
    })
    this.#input.on('data', (chunk: Uint8Array) => this.#reader.push(chunk))
    this.#input.on('error', (error) => this.onerror?.(error))
    this.#input.once('end', () => this.#end())
    this.#input.once('close', () => this.#end())
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) {
      const cause = Number(options?.relatedRequestId ?? 0)
      this.#write(message, this.#pending.get(cause)?.framing ?? this.#lastFraming)
      return
    }
    const inner = Number(message.id)
    const request = this.#pending.get(inner)
    if (request === undefined) return
    this.#pending.delete(inner)
    this.#answer(
      { ...message, ...('error' in message && { error: named(message.error, request) }), id: request.id },
      request,
    )
    this.#finishIfDone()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#input.pause()
    this.onclose?.()
    this.#resolveClosed()
  }

  /** Takes no more input; what is in work has `graceMs` to be answered. */
  finish(graceMs: number): void {
    this.#end()
    setTimeout(() => void this.close(), graceMs).unref()
  }

  #end(): void {
    if (this.#ended) return
    this.#reader.end()
    this.#ended = true
    this.#finishIfDone()
  }

  #finishIfDone(): void {
    // the last answer is handed to the library's caller before the connection goes
    if (this.#ended && this.#pending.size === 0) setImmediate(() => void this.close())
  }

  #take(piece: Piece): void {
    const { framing } = piece
    this.#lastFraming = framing
    if (piece.kind === 'fault') return this.#write(failure(null, piece.code, piece.message), framing)
    if (!Array.isArray(piece.value)) return this.#accept(piece.value, framing, null)
    if (piece.value.length === 0) return this.#write(failure(null, -32600, 'Invalid Request: an empty batch'), framing)

    // one more than there are members, so that the answer waits until all of them have been seen
    const batch: Batch = { open: piece.value.length + 1, answers: [] }
    for (const member of piece.value) this.#accept(member, framing, batch)
    this.#settle(batch, framing)
  }

  #accept(value: unknown, framing: Framing, batch: Batch | null): void {
    const refuse = (id: Id, code: number, why: string) => {
      this.#answer(failure(id, code, why), { framing, batch })
    }
    if (!isRecord(value)) return refuse(null, -32600, 'Invalid Request: not an object')
    const { id, method, params } = value
    const known: Id = typeof id === 'string' || typeof id === 'bigint' || isFinite(id) ? id : null
    if (value.jsonrpc !== undefined && value.jsonrpc !== '2.0')
      return refuse(known, -32600, 'Invalid Request: jsonrpc must be "2.0"')
    if (id !== undefined && id !== null && known === null)
      return refuse(null, -32600, 'Invalid Request: id must be text or a number')
    if (method === undefined && (value.result !== undefined || value.error !== undefined)) {
      this.#deliver({
        jsonrpc: '2.0',
        id: known ?? 0,
        ...(value.error === undefined ? { result: value.result } : { error: value.error }),
      })
      return this.#settle(batch, framing)
    }
    if (typeof method !== 'string' || method === '') return refuse(known, -32600, 'Invalid Request: no method')
    if (id === undefined) {
      this.#notify(method, params)
      return this.#settle(batch, framing)
    }
    const wrong = wrongParams(method, params)
    if (wrong !== '') return refuse(known, -32602, `Invalid params: ${wrong}`)
    const inner = ++this.#lastId
    const request = { jsonrpc: '2.0', id: inner, method, params: completeParams(method, params, this.#newestVersion) }
    // what the library takes for no request it drops without a word
    if (!isJSONRPCRequest(request)) return refuse(known, -32602, 'Invalid params: not in the form of the protocol')
    this.#pending.set(inner, { id: known, method, framing, batch })
    this.#deliver(request)
  }

  #notify(method: string, params: unknown): void {
    const given = isRecord(params) ? params : {}
    if (method !== 'notifications/cancelled') return this.#deliver({ jsonrpc: '2.0', method, params: given })
    for (const [inner, request] of this.#pending) {
      const asked = typeof request.id === 'bigint' ? Number(request.id) : request.id
      if (asked !== given.requestId || request.method === 'initialize') continue
      this.#deliver({ jsonrpc: '2.0', method, params: { ...given, requestId: inner } })
      this.#pending.delete(inner)
      this.#settle(request.batch, request.framing)
    }
    this.#finishIfDone()
  }

  /** What is taken from the pipe is checked above, in the form that the library's own type states. */
  #deliver(message: unknown): void {
    if (isMessage(message)) this.onmessage?.(message)
  }

  #answer(message: unknown, { framing, batch }: { framing: Framing; batch: Batch | null }): void {
    if (batch === null) return this.#write(message, framing)
    batch.answers.push(message)
    this.#settle(batch, framing)
  }

  #settle(batch: Batch | null, framing: Framing): void {
    if (batch === null || --batch.open > 0 || batch.answers.length === 0) return
    this.#write(batch.answers, framing)
  }

  #write(message: unknown, framing: Framing): void {
    if (this.#closed) return
    const json = textOf(message)
    const bytes = framing === 'line' ? `${json}\n` : `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
    // a client that does not read is not listened to either, so that answers do not pile up
    if (!this.#output.write(bytes)) this.#input.pause()
  }
}

function isFinite(id: unknown): id is number {
  return Number.isFinite(id)
}

/** An id that is no number of JavaScript is written as it was read. */
function textOf(message: unknown): string {
  if (Array.isArray(message)) return `[${message.map(textOf).join()}]`
  if (!isRecord(message) || typeof message.id !== 'bigint') return JSON.stringify(message)
  const { id, ...rest } = message
  return `{"id":${id},${JSON.stringify(rest).slice(1)}`
}

function failure(id: Id, code: number, message: string): unknown {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** The library does not say which method it does not know, and tells what does not fit as a list in JSON. */
function named<E extends { code: number; message: string }>(error: E, { method }: Pending): E {
  if (error.code === -32601) return { ...error, message: `Method not found: ${method}` }
  const issues = issuesIn(error.message)
  return issues === '' ? error : { ...error, code: -32602, message: `Invalid params: ${issues}` }
}

/** `params.cursor: expected string`, '' when the message is no list of such issues. */
function issuesIn(message: string): string {
  const start = message.indexOf('[')
  if (start < 0 || !/^(Invalid [\w/]+ (request|params): )?$/.test(message.slice(0, start))) return ''
  let list: unknown
  try {
    list = JSON.parse(message.slice(start))
  } catch {
    // an ordinary message that has a bracket in it
    return ''
  }
  const issues = Array.isArray(list) ? list.filter(isRecord) : []
  return issues
    .map(({ path, message }) => `${Array.isArray(path) ? path.join('.') : ''}: ${String(message)}`)
    .join('; ')
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && value.jsonrpc === '2.0'
}
