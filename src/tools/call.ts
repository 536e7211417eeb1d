/** The one way to call a tool, for every transport: name, arguments, waiting, running, answer, size. */

import type { Engine, Progress } from '#engine/brain'
import type { Source } from '#engine/events'
import { withRealPaths } from '#engine/project'
import { Refusal, RelayLost } from '#engine/refusal'
import { filesByPath } from '#graph/lookup'
import { fitAnswer } from '#tools/fit'
import { expectation, inputSchema, type Parameter } from '#tools/input-schema'
import { Lane } from '#tools/lanes'
import { nearestNames, normaliseName } from '#tools/names'
import { pageOf } from '#tools/page'
import { asToolError } from '#tools/refused'
import { ERROR_CODES, type ErrorCode, type Tool, ToolError } from '#tools/tool'

export interface CallOptions {
  signal?: AbortSignal
  progress?: (at: Progress) => void
  /** Epoch ms. */
  now: number
  /** Lines for the operator, about faults of ours only. */
  log?: (line: string) => void
  /** Where the call comes from, for watchers. */
  source?: Source
  /** The connection that it comes from; it is told to watchers beside the events that follow from the call. */
  origin?: object
  /** The project that the caller named, when it named one. */
  brainRoot?: string
  /** The tools there are; all of them unless a test brings its own. */
  tools?: Readonly<Record<string, Tool>>
}

export interface Failure {
  code: ErrorCode
  tool: string
  message: string
  detail: string
  hint: string
  example: unknown
  suggested_next_step: string
}

export type CallResult =
  | { ok: true; tool: Tool; output: Record<string, unknown>; text: string }
  | { ok: false; failure: Failure }

/** An answer takes about this many tokens at most, at four characters each, unless the caller sets `max_tokens`. */
const MAX_TOKENS = 8000
/** How long a question waits for somebody else's first ingest. */
const FIRST_INGEST_WAIT_MS = 20_000
/** A tool that needs no graph gives a graph that is just being read this long to be there. */
const SHORT_WAIT_MS = 300

/** Never throws: what a caller did wrong and what went wrong in here are both answers. */
export async function callTool(engine: Engine, name: string, args: unknown, options: CallOptions): Promise<CallResult> {
  const result = await answerCall(engine, name, args, options)
  if (engine.events.isWatched) announce(engine, result, args, options)
  return result
}

async function answerCall(engine: Engine, name: string, args: unknown, options: CallOptions): Promise<CallResult> {
  const { log = () => {} } = options
  const started = performance.now()
  const tools = options.tools ?? (await import('#tools/index')).tools
  const tool = find(tools, name)
  try {
    if (tool === undefined) throw unknownTool(tools, name)
    const input = parse(tool, args)
    const elsewhere = leadsElsewhere(engine, tool, input)
    const relayed = elsewhere ? null : await askOwner(engine, tool, args, options)
    if (relayed !== null) return withPage(engine, relayed, input)
    if (!elsewhere) refuseReadOnly(engine, tool)
    const output = await schedule(engine, tool, input, options)
    return succeed(engine, tool, { input, args }, output, started)
  } catch (error) {
    if (error instanceof ToolError) return fail(notIndexed(engine, error) ?? error, tool, name)
    if (error instanceof Refusal) return fail(asToolError(error, '', 'internal'), tool, name)
    if (isOfTheSystem(error)) return fail(systemRefusal(error), tool, name)
    log(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    const message = `Internal error in ${tool?.name ?? name}: ${error instanceof Error ? error.message : String(error)}`
    return fail(
      new ToolError('internal', message, 'This is a fault of the server; its log has the details.'),
      tool,
      name,
    )
  }
}

/** Characters of an answer that watchers are shown. */
const PREVIEW = 500

/** Tells watchers what a call has led to: what is drawn first, then what the tool says, then that there was a call. */
function announce(
  { events }: Engine,
  result: CallResult,
  args: unknown,
  { source = 'cli', origin, brainRoot }: CallOptions,
): void {
  const at = { source, agent_id: agentIn(args), timestamp_ms: Date.now(), ...(brainRoot && { brain_root: brainRoot }) }
  if (result.ok) {
    const { tool, output } = result
    if (tool.changesGraph) events.push({ type: 'graph_changed', event: tool.name, ...at }, origin)
    const own = tool.announce?.(tool.input.parse(args ?? {}), tool.output.parse(output))
    if (own !== undefined) events.push(own, origin)
  }
  const preview = result.ok ? result.text : result.failure.message
  const tool = result.ok ? result.tool.name : result.failure.tool
  events.push(
    { type: 'tool_result', tool, success: result.ok, result_preview: preview.slice(0, PREVIEW), ...at },
    origin,
  )
}

/** Whether a call is made for the sake of what it changes. */
export function changes({ effect, group }: Tool): boolean {
  return effect !== 'read' && group !== 'query'
}

/** What the machine denies: space, permissions, open files. */
const OF_THE_SYSTEM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE'])

function isOfTheSystem(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && OF_THE_SYSTEM.has(String(error.code))
}

function systemRefusal({ message }: Error): ToolError {
  return new ToolError('io', `The system refused: ${message}`, 'Look at permissions and the space that is left.')
}

/** Who calls, as far as the arguments say it. */
export function agentIn(args: unknown): string {
  return typeof args === 'object' && args !== null && 'agent_id' in args && typeof args.agent_id === 'string'
    ? args.agent_id.slice(0, 256)
    : ''
}

/** The result of `tools/call`. A failure carries no structured content: it would not fit what the tool promises. */
export function envelope(result: CallResult): {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
} {
  if (result.ok) return { content: [{ type: 'text', text: result.text }], structuredContent: result.output }
  const { message, ...rest } = result.failure
  return {
    content: [
      { type: 'text', text: `Error: ${message}` },
      { type: 'text', text: JSON.stringify(rest) },
    ],
    isError: true,
  }
}

function find(tools: Readonly<Record<string, Tool>>, name: string): Tool | undefined {
  const wanted = normaliseName(name)
  return Object.hasOwn(tools, wanted) ? tools[wanted] : undefined
}

function unknownTool(tools: Readonly<Record<string, Tool>>, given: string): ToolError {
  // it comes back three times
  const name = given.length > 100 ? `${given.slice(0, 99)}…` : given
  const nearest = nearestNames(normaliseName(name), Object.keys(tools), 3)
  const hint =
    nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : `There are: ${Object.keys(tools).join(', ')}.`
  return new ToolError('unknown_tool', `Unknown tool: ${name}`, hint, {
    detail: name,
    suggestedNextStep: nearest[0] ?? '',
  })
}

function parse(tool: Tool, args: unknown): Record<string, unknown> {
  const parsed = tool.input.safeParse(args ?? {})
  if (parsed.success) return parsed.data
  const { properties } = inputSchema(tool)
  const given: Record<string, unknown> = { ...(typeof args === 'object' ? args : {}) }
  const wrong = new Map<string, string>()
  for (const issue of parsed.error.issues) {
    const [field = '', ...inner] = issue.path.map(String)
    if (wrong.has(field)) continue
    const parameter = inner.length > 0 ? itemAt(properties[field], inner) : properties[field]
    // a form is told in the words of its check
    const expected =
      parameter === undefined || issue.code === 'invalid_format' || issue.code === 'custom'
        ? issue.message
        : `expected ${expectation(parameter)}`
    const at = [field, ...inner].reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`))
    const value = inner.length > 0 ? valueAt(given[field], inner) : given[field]
    const got = value === undefined ? ', which is missing' : `, got ${short(value)}`
    wrong.set(field, field === '' ? issue.message : `${at}: ${expected}${got}`)
  }
  const message = `Invalid params for ${tool.name}: ${[...wrong.values()].join('; ')}`
  throw new ToolError('invalid_params', message, hintFor(tool), { detail: [...wrong.keys()].join(', ') })
}

/** What is expected at a place inside of a parameter: of the rows of a list, of the fields of an object. */
function itemAt(parameter: Parameter | undefined, inner: readonly string[]): Parameter | undefined {
  return inner.reduce((it, name) => it?.properties?.[name] ?? it?.items, parameter)
}

function valueAt(value: unknown, inner: readonly string[]): unknown {
  return inner.reduce((it: unknown, name) => {
    if (typeof it !== 'object' || it === null) return undefined
    const fields: Record<string, unknown> = { ...it }
    return fields[name]
  }, value)
}

/** A file that is there but has no node calls for something else than a name that is nowhere. */
function notIndexed(engine: Engine, { code, message, detail }: ToolError): ToolError | null {
  const path = detail.replace(/^file::/, '').replace(/:\d+$/, '')
  if (code !== 'node_not_found' || !engine.isOnDisk(path)) return null
  const hint = `${path} is on disk but not in the graph: it is new, ignored, or could not be read. Call ingest with incremental: true.`
  return new ToolError(code, message, hint, { detail, suggestedNextStep: 'ingest' })
}

function hintFor(tool: Tool): string {
  const { properties, required } = inputSchema(tool)
  const optional = Object.keys(properties).filter((it) => !required.includes(it))
  return `${tool.name} takes ${required.join(', ')}${optional.length > 0 ? ` and, if wanted, ${optional.join(', ')}` : ''}.`
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

interface Lanes {
  read: Lane
  keep: Lane
  learn: Lane
  write: Lane
  /** Ends of the writes that are not done, by agent. */
  writes: Map<string, Set<Promise<unknown>>>
}

const lanesByEngine = new WeakMap<Engine, Lanes>()

function lanesOf(engine: Engine): Lanes {
  const before = lanesByEngine.get(engine)
  if (before !== undefined) return before
  const { maxConcurrentReads, writeQueueSize } = engine.settings
  const lanes: Lanes = {
    read: new Lane(maxConcurrentReads, Number.POSITIVE_INFINITY),
    keep: new Lane(1, Number.POSITIVE_INFINITY),
    learn: new Lane(1, writeQueueSize),
    write: new Lane(1, writeQueueSize),
    writes: new Map(),
  }
  lanesByEngine.set(engine, lanes)
  return lanes
}

async function schedule(
  engine: Engine,
  tool: Tool,
  input: Record<string, unknown>,
  options: CallOptions,
): Promise<Record<string, unknown>> {
  const { signal = new AbortController().signal, progress = () => {}, now } = options
  const lanes = lanesOf(engine)
  const agent = typeof input.agent_id === 'string' ? input.agent_id : ''

  if (tool.needsGraph) await graphFor(engine, lanes, agent, signal)
  else await Promise.race([engine.ready, late(SHORT_WAIT_MS)])
  const run = async () => {
    if (signal.aborted)
      throw new ToolError('cancelled', 'The call was cancelled before it ran.', 'Call again if it is still wanted.')
    const { brain } = engine
    if (tool.needsGraph && brain.graph.nNodes === 0) throw graphEmpty(engine)
    const context = { engine, brain, graph: brain.graph, indexes: brain.indexes, agent, now, signal, progress }
    const folders = brain.graph.meta.roots.flatMap((it) => [it.path, it.base])
    const output = tool.output.parse(await tool.run(context, withRealPaths(input, folders)))
    engine.record(agent, now, tool.countsAsQuery)
    // feedback that was acknowledged outlives a crash; a save that fails shows in health and is tried again
    if (tool.effect === 'learn' && tool.group === 'memory') await engine.persist().catch(() => undefined)
    return output
  }

  const done = lanes[tool.effect].run(run, signal)
  if (tool.effect !== 'write') return done
  const own = lanes.writes.get(agent) ?? new Set()
  lanes.writes.set(agent, own.add(done))
  try {
    return await done
  } finally {
    own.delete(done)
    if (own.size === 0) lanes.writes.delete(agent)
  }
}

/** An ingest of another project is this process's own business, whoever owns the one before. */
function leadsElsewhere(engine: Engine, tool: Tool, { path, mode, incremental }: Record<string, unknown>): boolean {
  if (tool.name !== 'ingest' || typeof path !== 'string' || engine.settings.readOnly) return false
  return engine.leadsElsewhere(path, {
    mode: mode === 'merge' ? 'merge' : 'replace',
    incremental: incremental === true,
  })
}

/** The owner may have no page, or another one. */
function withPage(engine: Engine, result: CallResult, input: Record<string, unknown>): CallResult {
  if (!result.ok || engine.page === '') return result
  const output = { ...result.output, url: engine.page + pageOf(result.tool, input, engine.brain.graph) }
  return { ...result, output, text: JSON.stringify(output) }
}

/** So many owners may be lost during one call. */
const MOST_OWNERS = 4

/** The answer of the process that owns the state, null when this one has to answer. */
async function askOwner(
  engine: Engine,
  tool: Tool,
  args: unknown,
  { signal = new AbortController().signal, progress = () => {} }: CallOptions,
): Promise<CallResult | null> {
  for (let i = 0; i < MOST_OWNERS; i++) {
    const owner = await engine.owner()
    if (owner === null) return null
    try {
      const answer = await owner.call(tool.name, args, { signal, progress })
      if (answer.ok) return { ok: true, tool, output: answer.output, text: JSON.stringify(answer.output) }
      return fail(failureOf(answer.failure), tool, tool.name)
    } catch (error) {
      if (!(error instanceof RelayLost)) throw error
      // what changes nothing, or comes to the same when done twice, is asked of whoever owns the state now
      if (tool.effect !== 'read' && tool.name !== 'ingest') break
    }
  }
  throw new ToolError(
    'busy',
    `The process that owned the state ended before it answered; whether ${tool.name} was done is not known.`,
    'Look whether it was done, and call again if not; this process or another one has taken over.',
  )
}

function failureOf({ code, message, hint, detail, suggested_next_step }: Record<string, unknown>): ToolError {
  const known = ERROR_CODES.find((it) => it === code) ?? 'internal'
  return new ToolError(known, String(message), String(hint), {
    detail: String(detail),
    suggestedNextStep: String(suggested_next_step),
  })
}

function refuseReadOnly(engine: Engine, tool: Tool): void {
  const { mode } = engine.status()
  // moving around is no change that anybody else would see
  const harmless = tool.effect === 'read' || tool.group === 'query' || tool.group === 'perspective'
  if (mode !== 'read_only' || harmless) return
  const why = engine.settings.readOnly
    ? 'it was started read-only'
    : 'another m1nd process owns the state of this project'
  throw new ToolError(
    'read_only',
    `${tool.name} would change state, and this server may not: ${why}.`,
    'Ask through the process that owns it, end that process, or start with --ephemeral to work on a copy in memory.',
  )
}

/** Waits until there is a graph to ask: the saved one, and what this agent itself is ingesting. */
async function graphFor(engine: Engine, lanes: Lanes, agent: string, signal: AbortSignal): Promise<void> {
  await engine.ready
  await engine.settled
  const own = lanes.writes.get(agent)
  if (own !== undefined) await orAborted(Promise.allSettled(own), signal)
  if (engine.brain.graph.nNodes > 0 || lanes.writes.size === 0) return

  const others = [...lanes.writes.values()].flatMap((it) => [...it])
  const first = await orAborted(Promise.race([Promise.allSettled(others), late(FIRST_INGEST_WAIT_MS)]), signal)
  if (first !== 'late') return
  const { working } = engine.status()
  const at = working === null ? '' : `: ${working.phase}, ${working.done} of ${working.total}`
  throw new ToolError(
    'busy',
    `The first ingest is still running${at}.`,
    'Ask again in some seconds; health shows how far it is.',
    {
      suggestedNextStep: 'health',
    },
  )
}

function late(ms: number): Promise<'late'> {
  return new Promise((resolve) => setTimeout(() => resolve('late'), ms).unref())
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(new ToolError('cancelled', 'The call was cancelled before it ran.', 'Call again if it is still wanted.'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function graphEmpty(engine: Engine): ToolError {
  const root = engine.brain.root || '/path/to/project'
  return new ToolError(
    'graph_empty',
    'The graph is empty: nothing has been ingested.',
    `Call ingest with {"agent_id": "…", "path": "${root}"}.`,
    {
      suggestedNextStep: 'ingest',
    },
  )
}

function succeed(
  engine: Engine,
  tool: Tool,
  { input, args }: { input: Record<string, unknown>; args: unknown },
  output: Record<string, unknown>,
  started: number,
): CallResult {
  const maxTokens = typeof input.max_tokens === 'number' ? input.max_tokens : MAX_TOKENS
  const { graph } = engine.brain
  const { ingestedAt } = graph.meta
  const named = output.freshness === undefined && tool.needsGraph ? [...filesNamed(output, filesByPath(graph))] : []
  const stale = engine.staleFiles(named)
  const notice = engine.notice(changes(tool))
  const ignored = ignoredIn(tool, args)
  const whole = {
    ...output,
    ...(named.length > 0 && {
      freshness: {
        ingested_at: ingestedAt > 0 ? new Date(ingestedAt).toISOString() : null,
        stale_files: stale.length,
        stale_sample: stale.slice(0, 3),
      },
    }),
    ...(engine.page !== '' && { url: engine.page + pageOf(tool, input, engine.brain.graph) }),
    ...(notice !== '' && { notice }),
    ...(ignored.length > 0 && { ignored_parameters: ignored }),
    elapsed_ms: LONGEST_TIME,
  }
  const fitted = fitAnswer(whole, maxTokens, 'max_tokens' in tool.input.shape)
  fitted.elapsed_ms = Math.round((performance.now() - started) * 100) / 100
  return { ok: true, tool, output: fitted, text: JSON.stringify(fitted) }
}

/** Parameters that the tool does not have, each with the one that may be meant: who gave them has to know that they did nothing. */
function ignoredIn(tool: Tool, args: unknown): string[] {
  const known = Object.keys(tool.input.shape)
  return Object.keys(typeof args === 'object' && args !== null ? args : {})
    .filter((it) => !known.includes(it))
    .slice(0, IGNORED_TOLD)
    .map((it) => {
      const [nearest] = nearestNames(it, known, 1)
      return `${it.slice(0, 100)}${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`
    })
}

const IGNORED_TOLD = 5

/** Stands for the time of an answer while that is cut to size, so that its digits decide over no row. */
const LONGEST_TIME = 999_999.99
/** At most this many files are looked up on disk for one answer. */
const FRESHNESS_FILES = 100
/** Fields with the path of a source. */
const PATH_FIELDS = new Set(['source_path', 'file_path', 'path', 'file'])

/** Of files that were read: those of the past, and what a tool has written, cannot be older than the ingest. */
function filesNamed(value: unknown, known: ReadonlyMap<string, unknown>, found = new Set<string>()): Set<string> {
  if (found.size >= FRESHNESS_FILES) return found
  if (Array.isArray(value)) for (const it of value) filesNamed(it, known, found)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, it] of Object.entries(value)) {
      if (typeof it === 'string' && PATH_FIELDS.has(key) && known.has(it)) found.add(it)
      else filesNamed(it, known, found)
    }
  }
  return found
}

function fail(error: ToolError, tool: Tool | undefined, name: string): CallResult {
  const { code, message, detail, hint, suggestedNextStep } = error
  const example = tool?.examples[0]?.input ?? null
  return {
    ok: false,
    failure: {
      code,
      tool: tool?.name ?? name.slice(0, 100),
      message,
      detail,
      hint,
      example,
      suggested_next_step: suggestedNextStep,
    },
  }
}
