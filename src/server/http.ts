/** The server over HTTP: REST, events, `/mcp` and the page, on one engine. Loaded only by who serves. */

import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Engine } from '#engine/brain'
import { EventStreams } from '#server/http/event-stream'
import { HttpFailure, wrongMethod } from '#server/http/failure'
import { DEV_HEADERS, guard, isLoopback, SECURITY_HEADERS } from '#server/http/guard'
import { serveMcpOverHttp } from '#server/http/mcp'
import { builtPage, pageFile } from '#server/http/page'
import { type Route, routesOf } from '#server/http/routes'

export interface HttpOptions {
  version: string
  log: (line: string) => void
  /** Folder of a page that is being worked on, '' for the built one. */
  uiFolder?: string
  /** Let pages of other servers on this machine read answers. */
  dev?: boolean
}

export interface HttpServer {
  /** Address of the page, without a slash at its end. */
  url: string
  port: number
  /** Takes no more requests; what is in work has `graceMs` to be answered. */
  close(graceMs: number): Promise<void>
}

/** What keeps a server from listening, for the person who started it. */
export class ListenError extends Error {
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

/** Listens. Throws a `ListenError` when the address may not or cannot be taken. */
export async function serveHttp(engine: Engine, options: HttpOptions): Promise<HttpServer> {
  const { bind, port, token, allowRemote } = engine.settings
  const isRemote = !isLoopback(bind)
  if (isRemote && !allowRemote)
    throw new ListenError(
      `${bind} can be reached from other machines.`,
      'Leave --bind out to serve this machine only, or give --allow-remote and a token (M1ND_TOKEN).',
    )
  if (isRemote && token === '')
    throw new ListenError(
      `${bind} can be reached from other machines, and there is no token.`,
      'Set M1ND_TOKEN to a long random text that clients have to send.',
    )
  if (isRemote) options.log(`${bind} can be reached from other machines; whoever has the token can read the project.`)

  const place = { bind, port }
  const streams = new EventStreams(engine.events, engine.settings.maxEventStreams)
  const mcp = serveMcpOverHttp(engine, options)
  const routes = routesOf(engine, { streams, place, version: options.version, log: options.log })
  const app = createApp({ routes, mcp: mcp.serve, token, isRemote, options })

  // the globals of the process stay as they are: what is not HTTP uses them too
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: unreadable })
  const server = createServer((request, response) => void listener(request, response))
  try {
    place.port = await listen(server, bind, port)
  } catch (error) {
    streams.close()
    await mcp.close()
    throw explained(error, bind, port)
  }
  server.on('error', (error) => options.log(`HTTP: ${error.message}`))
  const url = `http://${hostFor(bind)}:${place.port}`
  engine.page = url
  return {
    url,
    port: place.port,
    async close(graceMs) {
      engine.page = ''
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      streams.close()
      await mcp.close()
      const late = setTimeout(() => server.closeAllConnections(), graceMs)
      server.closeIdleConnections()
      await closed
      clearTimeout(late)
    },
  }
}

interface AppParts {
  routes: readonly Route[]
  mcp: (request: Request) => Promise<Response>
  token: string
  isRemote: boolean
  options: HttpOptions
}

const MCP_METHODS = ['POST', 'GET', 'DELETE']

function createApp({ routes, mcp, token, isRemote, options }: AppParts): Hono {
  const app = new Hono()
  const ui = options.uiFolder || builtPage()

  app.use(async (context, next) => {
    await next()
    const { headers } = context.res
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value)
    if (options.dev === true) for (const [name, value] of Object.entries(DEV_HEADERS)) headers.set(name, value)
  })
  app.use(async (context, next) => {
    if (options.dev === true && context.req.method === 'OPTIONS') {
      guard(context.req.raw, '', { token: '', isRemote })
      return context.body(null, 204)
    }
    guard(context.req.raw, context.req.path, { token, isRemote })
    await next()
  })

  for (const route of routes) {
    app.on(route.method, route.path, (context) =>
      route.run({
        request: context.req.raw,
        parts: context.req.param(),
        query: new URL(context.req.url).searchParams,
      }),
    )
  }
  for (const path of new Set(routes.map((it) => it.path))) {
    const allowed = routes.filter((it) => it.path === path).map((it) => it.method)
    app.all(path, ({ req }) => {
      throw wrongMethod(req.method, req.path, allowed)
    })
  }
  app.on(MCP_METHODS, '/mcp', ({ req }) => mcp(req.raw))
  app.all('/mcp', ({ req }) => {
    throw wrongMethod(req.method, req.path, MCP_METHODS)
  })
  for (const path of ['/api', '/api/*', '/mcp/*'])
    app.all(path, ({ req }) => {
      throw new HttpFailure(404, 'not_found', `There is no ${req.path.slice(0, 300)}.`, {
        hint: 'GET /api/openapi.json lists what there is.',
      })
    })
  app.get('*', ({ req }) => pageFile(ui, req.path))
  app.all('*', ({ req }) => {
    throw wrongMethod(req.method, req.path, ['GET'])
  })

  app.onError((error, context) => {
    if (error instanceof HttpFailure) return error.response()
    // who asked has gone, and reads no answer
    if (context.req.raw.signal.aborted)
      return new HttpFailure(400, 'invalid_request', 'The request ended early.').response()
    options.log(`HTTP: ${error.stack ?? error.message}`)
    return new HttpFailure(500, 'internal', 'This is a fault of the server; its log has the details.').response()
  })
  return app
}

/** What to ask for from this machine; an address that means all of them is none. */
function hostFor(bind: string): string {
  if (bind === '0.0.0.0') return '127.0.0.1'
  if (bind === '::') return '[::1]'
  return bind.includes(':') ? `[${bind}]` : bind
}

/** What comes before any route: a request whose address makes no sense. */
function unreadable(): Response {
  const response = new HttpFailure(400, 'invalid_request', 'The address or the Host of the request makes no sense.', {
    hint: 'Ask for localhost or 127.0.0.1.',
  }).response()
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value)
  return response
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function explained(error: unknown, bind: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'EADDRINUSE')
    return new ListenError(
      `Port ${port} of ${bind} is taken by another program.`,
      'If it is m1nd, use that one; else give another port with --port, or --port 0 for a free one.',
    )
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ListenError(
      `Port ${port} of ${bind} cannot be taken (${String(code)}).`,
      'Give another --port or --bind.',
    )
  return error
}
