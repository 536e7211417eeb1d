/**
 * `--attach`: a client on standard input and output is served by a server that runs already, over its `/mcp`. This
 * process holds no graph and no state. What the client says is passed on as it comes, in either era of the protocol;
 * what the server says on its own goes to the client. When the server is gone every request is answered with that, and
 * the next one finds it when it is back; sessions that it has forgotten are opened again.
 */

import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, type JSONRPCRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { isInside } from '#engine/project'
import { isRecord } from '#server/json'
import { PipeTransport } from '#server/stdio'

export interface AttachOptions {
  /** Addresses of servers to ask, in this order, without a slash at their ends. Looked for anew whenever one is needed. */
  servers: () => readonly string[]
  /** Take only a server whose project is that of `folder`. */
  mustMatch: boolean
  token: string
  /** Where the client works. */
  folder: string
  maxMessage: number
  version: string
  log: (line: string) => void
}

/** Serves the client until it goes. */
export function attach(input: Readable, output: Writable, options: AttachOptions): PipeTransport {
  const { maxMessage } = options
  const pipe = new PipeTransport(input, output, { maxMessage, newestVersion: SUPPORTED_PROTOCOL_VERSIONS[0] })
  const link = new Link(options, pipe)
  pipe.onmessage = (message) => link.take(message)
  pipe.onclose = () => link.close()
  void pipe.start()
  return pipe
}

const JSON_RPC = '2.0'
/** Of the range that the protocol leaves to servers. */
const UNREACHABLE = -32000
const ERA_FIELD = 'io.modelcontextprotocol/protocolVersion'
/** A server is asked so often whether it is there while it works, and has so long to say so. */
const LOOK_EVERY_MS = 2000
const LOOK_MS = 5000
/** The stream of notifications is opened again after so long, twice as long after every failure. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000

/** A session with the server, as the older era has them. */
interface Session {
  server: string
  id: string
  version: string
}

/** A failure that the client is told of. */
class LinkError extends Error {}

class Link {
  readonly #options: AttachOptions
  readonly #pipe: PipeTransport
  /** How the client introduced itself. */
  #hello: Record<string, unknown> | null = null
  #session: Promise<Session> | null = null
  #current: Session | null = null
  /** Requests in work by id, to be ended. */
  readonly #running = new Map<JSONRPCRequest['id'], AbortController>()
  readonly #ended = new AbortController()
  #look: NodeJS.Timeout | undefined

  constructor(options: AttachOptions, pipe: PipeTransport) {
    this.#options = options
    this.#pipe = pipe
  }

  take(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) void this.#request(message)
    else void this.#tell(message).catch((error) => this.#options.log(`Not passed on: ${reason(error)}`))
  }

  close(): void {
    clearInterval(this.#look)
    const session = this.#current
    this.#ended.abort()
    for (const it of this.#running.values()) it.abort(new LinkError('The client is gone.'))
    if (session !== null)
      // the server forgets silent sessions by itself
      fetch(`${session.server}/mcp`, { method: 'DELETE', headers: this.#headers(session) }).catch(() => undefined)
  }

  async #request(request: JSONRPCRequest): Promise<void> {
    const abort = new AbortController()
    this.#running.set(request.id, abort)
    this.#watch()
    try {
      await this.#ask(request, abort.signal)
    } catch (error) {
      const why = abort.signal.aborted ? reason(abort.signal.reason) : reason(error)
      await this.#pipe.send({ jsonrpc: JSON_RPC, id: request.id, error: { code: UNREACHABLE, message: why } })
    } finally {
      this.#running.delete(request.id)
      if (this.#running.size === 0) this.#rest()
    }
  }

  async #ask(request: JSONRPCRequest, signal: AbortSignal): Promise<void> {
    const era = eraOf(request)
    if (era !== '') {
      const server = await this.#server()
      await this.#pass(request, await this.#post(server, request, statelessHeaders(request, era), signal))
      return
    }
    if (request.method === 'initialize') {
      this.#hello = { ...request.params }
      this.#open(request)
      await this.#session
      return
    }
    for (let attempt = 0; ; attempt++) {
      if (this.#session === null) this.#open(this.#introduction())
      const opened = this.#session
      const session = await opened
      if (session === null) throw new LinkError('There is no session.')
      const response = await this.#post(session.server, request, this.#headers(session), signal)
      if (response.status !== 404 || attempt > 0) {
        await this.#pass(request, response)
        return
      }
      // it was started anew and knows nothing of us; the request was not looked at
      await response.body?.cancel()
      if (this.#session === opened) this.#session = null
    }
  }

  /** Opens a session with what the client or, before it has said anything, this process says of itself. */
  #open(request: JSONRPCRequest): void {
    const opening = this.#initialize(request)
    this.#session = opening
    opening.catch(() => {
      if (this.#session === opening) this.#session = null
    })
  }

  async #initialize(request: JSONRPCRequest): Promise<Session> {
    const server = await this.#server()
    const response = await this.#post(server, request, {}, this.#ended.signal)
    const id = response.headers.get('mcp-session-id') ?? ''
    const isOurs = request.id === INTRODUCTION
    const answer = await this.#pass(request, response, isOurs)
    if (!isRecord(answer.result)) throw new LinkError(`${server} opens no session: ${JSON.stringify(answer.error)}`)
    const session = { server, id, version: String(answer.result.protocolVersion) }
    this.#current = session
    if (isOurs) await this.#send(session, { jsonrpc: JSON_RPC, method: 'notifications/initialized' })
    void this.#listen(session)
    return session
  }

  #introduction(): JSONRPCRequest {
    const unknown = {
      protocolVersion: SUPPORTED_PROTOCOL_VERSIONS[0],
      capabilities: {},
      clientInfo: { name: 'm1nd-attach', version: this.#options.version },
    }
    return { jsonrpc: JSON_RPC, id: INTRODUCTION, method: 'initialize', params: this.#hello ?? unknown }
  }

  /** What is no request. In the newer era a call is cancelled by no longer waiting for it. */
  async #tell(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {}
      if (this.#session === null && (typeof requestId === 'number' || typeof requestId === 'string'))
        this.#running.get(requestId)?.abort(new LinkError('cancelled'))
    }
    const session = await this.#session
    if (session !== null) await this.#send(session, message)
  }

  async #send(session: Session, message: JSONRPCMessage): Promise<void> {
    const response = await this.#post(session.server, message, this.#headers(session), this.#ended.signal)
    await response.body?.cancel()
  }

  /** The first server that answers, and that serves the project of the client where that is asked for. */
  async #server(): Promise<string> {
    const { servers, mustMatch, folder, log } = this.#options
    let why = `No m1nd server was found for ${folder}. Start one: m1nd serve --project ${folder}`
    let best = { url: '', project: '' }
    for (const url of servers()) {
      const project = await this.#projectOf(url).catch((error) => {
        why = reason(error)
        return null
      })
      if (project === null) continue
      const isOurs = project !== '' && isInside(folder, project)
      if (!mustMatch) {
        if (!isOurs) log(`${url} serves ${project || 'no project yet'}; this client works in ${folder}.`)
        return url
      }
      if (isOurs && project.length > best.project.length) best = { url, project }
    }
    if (best.url === '') throw new LinkError(why)
    return best.url
  }

  async #projectOf(url: string): Promise<string> {
    const signal = AbortSignal.timeout(LOOK_MS)
    const response = await reached(url, fetch(`${url}/api/instance/self`, { headers: this.#token(), signal }))
    const body: unknown = await response.json().catch(() => null)
    if (response.ok && isRecord(body) && isRecord(body.graph_state))
      return String(body.graph_state.workspace_root ?? '')
    throw new LinkError(`${url} does not serve this client: ${saidIn(body) || response.status}`)
  }

  #post(
    server: string,
    message: JSONRPCMessage,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const all = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'M1nd-Caller-Root': encodeURI(this.#options.folder),
      ...this.#token(),
      ...headers,
    }
    const body = JSON.stringify(message)
    return reached(server, fetch(`${server}/mcp`, { method: 'POST', headers: all, body, signal }))
  }

  #headers({ id, version }: Session): Record<string, string> {
    return { ...(id !== '' && { 'Mcp-Session-Id': id }), 'Mcp-Protocol-Version': version, ...this.#token() }
  }

  #token(): Record<string, string> {
    const { token } = this.#options
    return token === '' ? {} : { Authorization: `Bearer ${token}` }
  }

  /** Gives the client what the server answers, up to the answer itself, which comes back; that one only if wanted. */
  async #pass(request: JSONRPCRequest, response: Response, isOurs = false): Promise<Record<string, unknown>> {
    for await (const message of messagesIn(response)) {
      if (!('method' in message)) {
        if (!isOurs) await this.#pipe.send(asMessage({ ...message, id: request.id }))
        return message
      }
      await this.#pipe.send(asMessage(message), { relatedRequestId: request.id })
    }
    throw new LinkError('The server ended before it answered; whether the call was done is not known.')
  }

  /** Notifications of a session, for as long as it is the one in use. */
  async #listen(session: Session): Promise<void> {
    let wait = FIRST_WAIT_MS
    let lastId = ''
    while (!this.#ended.signal.aborted && this.#current === session) {
      try {
        const headers = {
          ...this.#headers(session),
          Accept: 'text/event-stream',
          ...(lastId && { 'Last-Event-ID': lastId }),
        }
        const response = await fetch(`${session.server}/mcp`, { headers, signal: this.#ended.signal })
        // it has forgotten the session: the next request opens another one
        if (response.status === 404 || response.status === 405) return
        for await (const { id, data } of eventsIn(response)) {
          wait = FIRST_WAIT_MS
          lastId = id || lastId
          if (data !== '') await this.#pipe.send(asMessage(JSON.parse(data)))
        }
      } catch {
        // the server is gone; requests say so
      }
      await new Promise((resolve) => setTimeout(resolve, wait).unref())
      wait = Math.min(LONGEST_WAIT_MS, wait * 2)
    }
  }

  /** A server that is stopped keeps its connections; who waits for it is told. */
  #watch(): void {
    this.#look ??= setInterval(() => {
      const server = this.#current?.server
      if (server === undefined) return
      const signal = AbortSignal.timeout(LOOK_MS)
      fetch(`${server}/api/health`, { headers: this.#token(), signal }).then(
        (response) => response.body?.cancel(),
        () => {
          const why = new LinkError(`${server} does not answer; whether the call was done is not known.`)
          for (const it of this.#running.values()) it.abort(why)
        },
      )
    }, LOOK_EVERY_MS)
  }

  #rest(): void {
    clearInterval(this.#look)
    this.#look = undefined
  }
}

/** Never the id of a client's request, which are numbers here. */
const INTRODUCTION = 'm1nd-attach'

/** The stateless revision that a request is of, '' for the older era. */
function eraOf({ params }: JSONRPCRequest): string {
  const notes = params?._meta
  return isRecord(notes) && typeof notes[ERA_FIELD] === 'string' ? notes[ERA_FIELD] : ''
}

function statelessHeaders({ method, params }: JSONRPCRequest, era: string): Record<string, string> {
  const name = params?.name ?? params?.uri
  return {
    'Mcp-Protocol-Version': era,
    'Mcp-Method': inHeader(method),
    ...(typeof name === 'string' && { 'Mcp-Name': inHeader(name) }),
  }
}

/** Headers hold ASCII only; the protocol has a form for the rest. */
function inHeader(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

async function reached(server: string, response: Promise<Response>): Promise<Response> {
  try {
    return await response
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = isRecord(cause) && 'code' in cause ? String(cause.code) : reason(cause)
    throw new LinkError(
      code === 'ECONNREFUSED'
        ? `No m1nd server answers at ${server}. Start it: m1nd serve`
        : `The connection to ${server} was lost (${code}); whether the call was done is not known.`,
    )
  }
}

/** Messages of an answer, be it one value or a stream of them. */
async function* messagesIn(response: Response): AsyncGenerator<Record<string, unknown>> {
  if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    for await (const { data } of eventsIn(response)) {
      const message: unknown = data === '' ? null : JSON.parse(data)
      if (isRecord(message)) yield message
    }
    return
  }
  const text = await response.text()
  const message = parsed(text)
  if (isRecord(message) && message.jsonrpc === JSON_RPC) yield message
  else throw new LinkError(`The server answered ${response.status}: ${saidIn(message) || text.slice(0, 200)}`)
}

async function* eventsIn(response: Response): AsyncGenerator<{ id: string; data: string }> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n')
      rest = rest.slice(end + 2)
      const field = (name: string) =>
        lines
          .filter((it) => it.startsWith(`${name}:`))
          .map((it) => it.slice(name.length + 1).trimStart())
          .join('\n')
      yield { id: field('id'), data: field('data') }
    }
  }
}

/** What a refusal over HTTP says. */
function saidIn(body: unknown): string {
  if (!isRecord(body) || typeof body.message !== 'string') return ''
  return typeof body.hint === 'string' ? `${body.message} ${body.hint}` : body.message
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // no m1nd server; the text is shown
    return null
  }
}

function asMessage(value: unknown): JSONRPCMessage {
  if (isMessage(value)) return value
  throw new LinkError('The server said something that is no message of the protocol.')
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && value.jsonrpc === JSON_RPC
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
