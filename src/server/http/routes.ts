/** What there is to ask over REST: one row for a path and a method. Routing, methods that are refused and the description of the interface follow from it. */

import type * as z from 'zod'
import type { Engine } from '#engine/brain'
import { countNodes, graphStats, snapshotForViewers, subgraph } from '#engine/views'
import { readSourceFile } from '#engine/source-file'
import { Refusal } from '#engine/refusal'
import { readJson } from '#server/http/body'
import type { EventStreams } from '#server/http/event-stream'
import { explained, HttpFailure, JSON_HEADERS, jsonResponse, timeoutFailure, toolFailure } from '#server/http/failure'
import {
  entry,
  health,
  type Place,
  refuseOtherBrain,
  refuseOtherInstance,
  save,
  self,
  servedBrain,
} from '#server/http/instance'
import { describeInterface } from '#server/http/openapi'
import { wholeNumber } from '#server/http/params'
import { projectReadsOf } from '#server/http/project-reads'
import { readsOf } from '#server/http/reads'
import { askOwner } from '#server/http/relayed'
import { streamOf } from '#server/http/streamed'
import { isRecord } from '#server/json'
import { callWithin } from '#server/within'
import { tools } from '#tools/index'
import { inputSchema } from '#tools/input-schema'
import { ToolError } from '#tools/tool'

export interface Route {
  method: 'GET' | 'POST'
  /** Parts that begin with a colon stand for any text. */
  path: string
  summary: string
  /** Words after the question mark; those with a star must be there. */
  query?: Readonly<Record<string, string>>
  /** Takes `?brain=`. */
  ofBrain?: boolean
  /** What it answers, where that has a form of its own. */
  answer?: z.ZodType
  run(asked: Asked): Promise<Response> | Response
}

export interface Asked {
  request: Request
  /** Values of the parts of the path. */
  parts: Readonly<Record<string, string>>
  query: URLSearchParams
}

interface RouteOptions {
  streams: EventStreams
  place: Place
  version: string
  log: (line: string) => void
}

/** Longest part of a file that is shown. */
const FILE_BYTES = 262_144
/** The agent that asks for pictures. */
const VIEWER = 'gui-subgraph'
/** A question about the state of the server gives a graph that is just being read this long to be there. */
const SHORT_WAIT_MS = 300

export function routesOf(engine: Engine, { streams, place, version, log }: RouteOptions): Route[] {
  const call = (name: string, args: unknown, { request }: Asked, brainRoot?: string) =>
    callWithin(engine, name, args, {
      signal: request.signal,
      now: Date.now(),
      log,
      source: 'http',
      brainRoot,
      timeoutMs: engine.settings.toolTimeoutMs,
    })

  const routes: Route[] = [
    {
      method: 'GET',
      path: '/api/health',
      summary: 'Whether the server is well, and counts.',
      async run() {
        await shortly(engine)
        return jsonResponse(health(engine, Date.now()))
      },
    },
    {
      method: 'GET',
      path: '/api/instance/self',
      summary: 'This server and the state of its graph.',
      async run() {
        await shortly(engine)
        return jsonResponse(self(engine, place, Date.now()))
      },
    },
    {
      method: 'GET',
      path: '/api/instances',
      summary: 'Every project that this server holds.',
      async run() {
        await shortly(engine)
        return jsonResponse({ instances: [entry(engine, place, Date.now())] })
      },
    },
    {
      method: 'POST',
      path: '/api/instance/save',
      summary: 'Save the state of the project.',
      async run({ request }) {
        await readJson(request, engine.settings.maxBodyBytes)
        return jsonResponse({ result: await save(engine) })
      },
    },
    {
      method: 'POST',
      path: '/api/instances/:id/save',
      summary: 'Save the state of a listed project.',
      async run({ request, parts }) {
        await readJson(request, engine.settings.maxBodyBytes)
        refuseOtherInstance(engine, parts.id)
        return jsonResponse({ result: await save(engine) })
      },
    },
    {
      method: 'POST',
      path: '/api/instances/:id/delete-state',
      summary: 'Remove the state of a listed project that is not running.',
      async run({ request, parts }) {
        await readJson(request, engine.settings.maxBodyBytes)
        refuseOtherInstance(engine, parts.id)
        throw new HttpFailure(400, 'instance_running', `Instance ${parts.id} is running as process ${process.pid}.`, {
          hint: 'End it first; what it learned goes with its state.',
        })
      },
    },
    {
      method: 'GET',
      path: '/api/tools',
      summary: 'The tools with their parameters.',
      run: () =>
        jsonResponse({
          tools: Object.values(tools).map((it) => ({
            name: it.name,
            description: [it.summary, ...it.details].join(' '),
            inputSchema: inputSchema(it),
          })),
          rest_brain_selector: true,
        }),
    },
    {
      method: 'POST',
      path: '/api/tools/:name',
      summary: 'Call a tool.',
      ofBrain: true,
      async run(asked) {
        const args = withAgent(await readJson(asked.request, engine.settings.maxBodyBytes), engine.settings.httpAgent)
        const named = asked.query.get('brain') ?? ''
        const result = await call(asked.parts.name, args, asked, named === '' ? undefined : engine.brain.root)
        if (result === null) throw timeoutFailure(asked.parts.name, engine.settings.toolTimeoutMs)
        if (!result.ok) throw toolFailure(result.failure)
        return jsonResponse({ result: result.output, ...(named !== '' && { served_brain: servedBrain(engine) }) })
      },
    },
    {
      method: 'GET',
      path: '/api/graph/stats',
      summary: 'Counts of the graph.',
      ofBrain: true,
      run() {
        return jsonResponse({ ...graphStats(engine.brain.graph), served_brain: servedBrain(engine) })
      },
    },
    {
      method: 'GET',
      path: '/api/graph/subgraph',
      summary: 'What a question activates, with the edges in between.',
      query: {
        'query*': 'words or names',
        top_k: 'nodes at most, 1 to 100, else 30',
        depth: 'hops around what is activated, 0 to 4, else 2',
      },
      ofBrain: true,
      async run(asked) {
        const query = (asked.query.get('query') ?? '').trim()
        if (query === '')
          throw new HttpFailure(400, 'missing_query', 'The query is empty.', { hint: 'Ask with ?query=cart+total.' })
        const most = wholeNumber(asked.query, 'top_k', { byDefault: 30, min: 1, max: 100 })
        const depth = wholeNumber(asked.query, 'depth', { byDefault: 2, min: 0, max: 4 })
        const began = performance.now()
        const args = { agent_id: VIEWER, query, top_k: most, learn: false, detail: true, max_tokens: 25_000 }
        const result = await call(tools.activate.name, args, asked)
        const { graph } = engine.brain
        const meta = { total_nodes: countNodes(graph), rendered_nodes: 0, query, elapsed_ms: performance.now() - began }
        const served_brain = servedBrain(engine)
        if (result === null || !result.ok) {
          const error =
            result === null ? timeoutFailure('activate', engine.settings.toolTimeoutMs).message : result.failure.message
          return jsonResponse({ nodes: [], edges: [], meta: { ...meta, error }, served_brain })
        }
        const { activated, ghost_edges, total_active } = tools.activate.output.parse(result.output)
        const { nodes, edges } = subgraph(graph, activated, { depth, most })
        const shown = new Set(nodes.map((it) => it.id))
        const ghosts = ghost_edges
          .filter(({ source, target }) => shown.has(source) && shown.has(target))
          .map(({ source, target, strength }) => ({ source, target, weight: strength, relation: 'ghost' }))
        return jsonResponse({
          nodes,
          edges: [...edges, ...ghosts],
          meta: { ...meta, rendered_nodes: nodes.length, total_active },
          served_brain,
        })
      },
    },
    {
      method: 'GET',
      path: '/api/graph/snapshot',
      summary: 'The whole graph.',
      ofBrain: true,
      async run() {
        await engine.settled
        const pieces = snapshotForViewers(engine.brain.graph, { served_brain: servedBrain(engine) })
        return new Response(streamOf(pieces), { headers: JSON_HEADERS })
      },
    },
    ...readsOf(engine),
    ...projectReadsOf(engine),
    {
      method: 'GET',
      path: '/api/file',
      summary: 'A file of the project that the graph knows.',
      query: {
        'path*': 'as answers name it, relative to the project',
        node: 'id of something in the file, where several repositories have one of this path',
      },
      ofBrain: true,
      run({ query }) {
        const file = readSourceFile(engine.brain, query.get('path') ?? '', query.get('node') ?? '', FILE_BYTES)
        return jsonResponse({ ...file, max_bytes: FILE_BYTES, served_brain: servedBrain(engine) })
      },
    },
    {
      method: 'GET',
      path: '/api/events',
      summary: 'Events as they happen, as a stream of server-sent events.',
      run() {
        const stream = streams.open()
        // whoever owns the state is watched from now on
        void engine.follow()
        return stream
      },
    },
    {
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'This interface, described in OpenAPI 3.1.',
      run: () => jsonResponse(describeInterface(routes, { version, isProtected: engine.settings.token !== '' })),
    },
  ]
  return routes.map((route) => ({ ...route, run: (asked) => checked(engine, route, asked) }))
}

async function checked(engine: Engine, route: Route, asked: Asked): Promise<Response> {
  if (route.ofBrain === true) {
    const named = asked.query.get('brain') ?? ''
    if (named !== '' || route.method === 'GET') await engine.follow()
    refuseOtherBrain(engine, named)
  }
  try {
    const relayed = route.answer === undefined ? null : await askOwner(engine, route, asked)
    return relayed ?? (await route.run(asked))
  } catch (error) {
    if (error instanceof Refusal || error instanceof ToolError) throw explained(error)
    throw error
  }
}

function shortly(engine: Engine): Promise<unknown> {
  return Promise.race([engine.ready, new Promise((resolve) => setTimeout(resolve, SHORT_WAIT_MS).unref())])
}

function withAgent(args: unknown, byDefault: string): unknown {
  return byDefault !== '' && isRecord(args) && args.agent_id === undefined ? { ...args, agent_id: byDefault } : args
}
