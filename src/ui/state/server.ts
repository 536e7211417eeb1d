/** Asks the server. Every failure is a `ServerError` that says what is the matter and how to go on. */

import { signal } from '@preact/signals'
import type * as z from 'zod'

/** The agent under whose name the page asks. */
export const AGENT = 'gui'
const TOKEN_KEY = 'm1nd-token'

/** What is sent as `Authorization`, for servers that ask for it; kept until the window is closed. */
const token = signal(sessionStorage.getItem(TOKEN_KEY) ?? '')
/** Whether the server wants a token that the page does not have. */
export const needsToken = signal(false)
/** Whether the server answered the last time. Set here and by `live.ts`. */
export const reachable = signal(true)
/** The folder of the project that the first answer came from, '' before. */
let servedProject: string | null = ''

export class ServerError extends Error {
  /** As in `docs/http.md`; `unreachable`, `unreadable` and `other_project` are this page's own. */
  readonly code: string
  readonly hint: string
  readonly status: number

  constructor(code: string, message: string, hint: string, status = 0) {
    super(message)
    this.name = 'ServerError'
    this.code = code
    this.hint = hint
    this.status = status
  }
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** `GET path?query`. The shape of the answer is the server's promise. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return ask(addressOf(path, query), { signal })
}

export function addressOf(path: string, query: Query): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const it of Array.isArray(value) ? value : [value]) words.append(name, String(it))
  }
  const text = words.toString()
  return text === '' ? path : `${path}?${text}`
}

/** What a tool looks like to the page: `import type health from '#tools/health'`, then `ToolLike` fits `typeof health`. */
export interface ToolLike {
  input: z.ZodType
  output: z.ZodType
}
export type Input<T extends ToolLike> = Omit<z.input<T['input']> & object, 'agent_id'>
export type Output<T extends ToolLike> = z.output<T['output']>

/** Calls a tool: `callTool<typeof learn>('learn', { … })`. Nothing is learned by looking: give `learn: false` where a tool learns. */
export async function callTool<T extends ToolLike>(
  name: string,
  input: Input<T>,
  signal?: AbortSignal,
): Promise<Output<T>> {
  const { result } = await ask<{ result: Output<T> }>(`/api/tools/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent_id: AGENT, ...input }),
    signal,
  })
  return result
}

/** The same as `fetch`, with the token. Throws a `ServerError`, or the abort. */
export async function send(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers)
  if (token.peek() !== '') headers.set('Authorization', `Bearer ${token.peek()}`)
  let response: Response
  try {
    response = await fetch(path, { ...options, headers })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    reachable.value = false
    throw new ServerError(
      'unreachable',
      'The server does not answer.',
      'Start it with m1nd serve; this page comes back by itself.',
    )
  }
  reachable.value = true
  needsToken.value = response.status === 401
  if (!response.ok) throw await failureOf(response)
  return response
}

export function giveToken(text: string): void {
  sessionStorage.setItem(TOKEN_KEY, text)
  token.value = text
  needsToken.value = false
}

async function ask<T>(path: string, options: RequestInit): Promise<T> {
  const response = await send(path, options)
  try {
    const body = await response.json()
    checkProject(body)
    return body
  } catch (error) {
    if (error instanceof ServerError || (error instanceof DOMException && error.name === 'AbortError')) throw error
    throw new ServerError('unreadable', `The answer of ${path} cannot be read.`, 'Reload the page.', response.status)
  }
}

/** Throws when an answer is about another project than those before it: what is shown would be mixed. */
function checkProject(body: { served_brain?: { project_root: string | null } }): void {
  if (body.served_brain === undefined) return
  const { project_root: root } = body.served_brain
  if (servedProject === '' || servedProject === null) servedProject = root
  if (root !== servedProject)
    throw new ServerError('other_project', `The server holds another project now: ${root}`, 'Reload the page.')
}

async function failureOf(response: Response): Promise<ServerError> {
  const said = await response.json().catch(() => ({}))
  const { error = 'internal', message = response.statusText, hint = '', suggested_next_step = '' } = said
  return new ServerError(error, message, hint || suggested_next_step, response.status)
}
