/**
 * `/mcp`: the protocol over streamable HTTP. The stateless era is served by the library's handler; of the stateful
 * one the sessions are kept here, each with a transport and a server of its own over the same engine.
 */

import { randomBytes } from 'node:crypto'
import { isAbsolute } from 'node:path'
import {
  createMcpHandler,
  type EventStore,
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Engine } from '#engine/brain'
import { readBody } from '#server/http/body'
import { HttpFailure } from '#server/http/failure'
import { isInexact, isRecord, parseJson } from '#server/json'
import { createServer, type McpOptions } from '#server/mcp'
import { completeParams, wrongParams } from '#server/params'

export interface McpEndpoint {
  serve(request: Request): Promise<Response>
  close(): Promise<void>
}

interface Session {
  transport: WebStandardStreamableHTTPServerTransport
  /** Of the process's own clock, which no one sets back. */
  usedAt: number
}

/** When there is no room for a new session, one that was silent for so long makes place. */
const IDLE_MS = 600_000
const SESSION_HEADER = 'mcp-session-id'
/** Folder that the client works in, as `encodeURI` writes it. */
const CALLER_HEADER = 'm1nd-caller-root'

export function serveMcpOverHttp(engine: Engine, { version, log }: McpOptions): McpEndpoint {
  const { maxMessageBytes, maxHttpSessions, sessionIdleHours, toolTimeoutMs } = engine.settings
  const connection = { version, log, source: 'mcp_http', timeoutMs: toolTimeoutMs, bindsProject: false } as const
  const stateless = createMcpHandler(() => createServer(engine, { ...connection, emptyLists: false }), {
    legacy: 'reject',
    maxRequestBodySize: maxMessageBytes,
  })
  const sessions = new Map<string, Session>()

  const forget = (olderThan: number) => {
    for (const [id, { usedAt, transport }] of sessions) {
      if (usedAt >= olderThan) continue
      sessions.delete(id)
      void transport.close()
    }
  }
  const sweep = setInterval(() => forget(performance.now() - sessionIdleHours * 3_600_000), IDLE_MS)
  sweep.unref()

  const unsubscribe = engine.events.subscribe((event, origin) => {
    if (event.type !== 'graph_changed') return
    const { type: kind, event: name, brain_root: _, ...at } = event
    const params = { event: name, detail: { ...at, kind } }
    for (const session of sessions.values()) {
      if (session.transport === origin) continue
      void session.transport.send({ jsonrpc: '2.0', method: 'notifications/m1nd/graph_changed', params })
    }
  })

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    if (sessions.size >= maxHttpSessions) forget(performance.now() - IDLE_MS)
    if (sessions.size >= maxHttpSessions)
      throw new HttpFailure(503, 'busy', `${sessions.size} sessions are open already.`, {
        hint: 'End one with DELETE /mcp. The limit is the setting max_http_sessions.',
      })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      eventStore: new RecentEvents(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, usedAt: performance.now() }),
    })
    await createServer(engine, { ...connection, emptyLists: true, origin: transport }).connect(transport)
    return transport
  }

  async function serveStateful(request: Request, message: unknown): Promise<Response> {
    if (isInitializeRequest(message)) {
      bindFor(engine, request.headers.get(CALLER_HEADER) ?? '')
      const transport = await open()
      return wholeAsJson(await transport.handleRequest(request, { parsedBody: message }))
    }
    const id = request.headers.get(SESSION_HEADER)
    if (id === null) return refusal(400, -32600, `Invalid Request: no ${SESSION_HEADER}; initialize gives one`, message)
    const session = sessions.get(id)
    if (session === undefined) return refusal(404, -32001, 'Session not found', message)
    session.usedAt = performance.now()
    if (request.method === 'DELETE') {
      sessions.delete(id)
      await session.transport.close()
      return new Response(null, { status: 204 })
    }
    const response = await session.transport.handleRequest(request, { parsedBody: message })
    return request.method === 'POST' ? wholeAsJson(response) : response
  }

  return {
    async serve(request) {
      let message: unknown
      if (request.method === 'POST') {
        const bytes = await readBody(request, maxMessageBytes)
        try {
          message = complete(parseJson(bytes))
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error)
          return refusal(400, -32700, `Parse error: ${why}`, null)
        }
        if (Array.isArray(message)) return refusal(400, -32700, 'Parse error: batches are not taken over HTTP', null)
        const wrong = wrongRequest(message)
        if (wrong !== null) return refusal(400, wrong.code, wrong.why, message)
      }
      return (await isLegacyRequest(request, message))
        ? serveStateful(request, message)
        : stateless.fetch(request, { parsedBody: message })
    },
    async close() {
      clearInterval(sweep)
      unsubscribe()
      await Promise.all([...sessions.values()].map((it) => it.transport.close()))
      sessions.clear()
      await stateless.close()
    },
  }
}

/** A server without a project takes that of the first client; one that has a project keeps it. */
function bindFor(engine: Engine, caller: string): void {
  if (engine.brain.root !== '' || caller === '') return
  let folder: string
  try {
    folder = decodeURI(caller)
  } catch {
    // no folder is called that
    return
  }
  if (isAbsolute(folder)) engine.suggestProject(Promise.resolve(folder))
}

/** Fills in what clients leave out of the handshake. */
function complete(message: unknown): unknown {
  if (!isRecord(message) || message.method !== 'initialize') return message
  return { ...message, params: completeParams('initialize', message.params, SUPPORTED_PROTOCOL_VERSIONS[0]) }
}

/** What the library would call a fault of the parser. */
function wrongRequest(message: unknown): { code: number; why: string } | null {
  if (!isRecord(message)) return { code: -32600, why: 'Invalid Request: not an object' }
  const { jsonrpc, method, params, result, error } = message
  if (isInexact(message.id)) return { code: -32600, why: 'Invalid Request: the id is beyond 2^53; send it as text' }
  if (jsonrpc !== '2.0') return { code: -32600, why: 'Invalid Request: jsonrpc must be "2.0"' }
  if (method === undefined && (result !== undefined || error !== undefined)) return null
  if (typeof method !== 'string' || method === '') return { code: -32600, why: 'Invalid Request: no method' }
  const why = wrongParams(method, params)
  return why === '' ? null : { code: -32602, why: `Invalid params: ${why}` }
}

function refusal(status: number, code: number, message: string, request: unknown): Response {
  const given = isRecord(request) ? request.id : null
  const id = typeof given === 'string' || typeof given === 'number' ? given : null
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}

/**
 * The library answers every request with a stream. One that holds nothing but the answer becomes plain JSON, which
 * any script can read; as soon as something comes before it (progress, or a sign of life) it is a stream.
 */
async function wholeAsJson(response: Response): Promise<Response> {
  if (response.body === null || !(response.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    return response
  const reader = response.body.getReader()
  const read: Uint8Array[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    read.push(value)
    const text = Buffer.from(value).toString()
    // the first event only carries an id, to come back to
    if (/^id: .*\ndata: \n\n$/.test(text)) continue
    const data = /^data: (.*)$/m.exec(text)?.[1]
    const answer: unknown = data === undefined ? null : JSON.parse(data)
    if (!isRecord(answer) || answer.method !== undefined) break
    await reader.cancel()
    const headers = new Headers(response.headers)
    headers.set('content-type', 'application/json')
    return new Response(data, { status: response.status, headers })
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const it of read) controller.enqueue(it)
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Messages of a session that are kept for a client that comes back, and how many characters they may have together. */
const KEPT_EVENTS = 64
const KEPT_CHARACTERS = 262_144

/** The last messages of a session; ids rise by one. */
class RecentEvents implements EventStore {
  #last = 0
  #kept: { number: number; stream: string; message: JSONRPCMessage; size: number }[] = []
  #size = 0

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const number = ++this.#last
    const size = JSON.stringify(message).length
    this.#kept.push({ number, stream, message, size })
    this.#size += size
    while (this.#kept.length > KEPT_EVENTS || this.#size > KEPT_CHARACTERS) this.#size -= this.#kept.shift()?.size ?? 0
    return String(number)
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#kept.find((it) => String(it.number) === id)?.stream
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = (await this.getStreamIdForEventId(id)) ?? ''
    for (const it of this.#kept)
      if (it.stream === stream && it.number > Number(id) && Object.keys(it.message).length > 0)
        await send(String(it.number), it.message)
    return stream
  }
}
