/** Projects and servers for tests that cross folders. */

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Engine, Settings } from '#engine/brain'
import { BrainBuilder } from '#engine/build-brain'
import { openEngine } from '#engine/engine'
import { defaults } from '#engine/settings'
import { fnv1a } from '#std/hash'
import { type CallResult, callTool } from '#tools/call'
import { bundle } from '../scripts/bundle.ts'

/** When the fixtures were last changed, and when tests ask. */
const CHANGED = Date.UTC(2025, 4, 1) / 1000
export const NOW = Date.UTC(2025, 5, 1)

const folders: string[] = []

/** Removes what the tests of a file have made. */
export function cleanUp(): void {
  for (const it of folders.splice(0)) rmSync(it, { recursive: true, force: true })
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'm1nd-')))
  folders.push(folder)
  return folder
}

/** A fixture of its own, outside of any repository, with fixed times. */
export function copyOf(fixture: string): string {
  const folder = join(temporaryFolder(), fixture)
  cpSync(fileURLToPath(new URL(`fixtures/${fixture}`, import.meta.url)), folder, { recursive: true })
  for (const it of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(folder, it), CHANGED, CHANGED)
  return folder
}

/** A project of these files, outside of any repository, with fixed times unless told otherwise (epoch seconds). */
export function projectOf(
  name: string,
  files: Readonly<Record<string, string>>,
  changed: Readonly<Record<string, number>> = {},
): string {
  const folder = join(temporaryFolder(), name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    utimesSync(join(folder, path), changed[path] ?? CHANGED, changed[path] ?? CHANGED)
  }
  return folder
}

/** Makes a repository of a folder; every commit has fixed times. */
export function commit(folder: string, message: string): void {
  const when = '2025-05-01T12:00:00Z'
  const env = { ...process.env, GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when, GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Clerk', '-c', 'user.email=clerk@shop.example', ...args], {
      cwd: folder,
      env,
      stdio: 'ignore',
    })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', message)
}

export function engineFor(project: string, over: Partial<Settings> = {}): Engine {
  const settings: Settings = { ...defaults(), project, ephemeral: true, parallelism: 1, ...over }
  return openEngine(settings, { version: '0.0.0', log: () => {}, cwd: project, builder: new BrainBuilder() })
}

export function ask(engine: Engine, name: string, args: Record<string, unknown>): Promise<CallResult> {
  return callTool(engine, name, { agent_id: 'dev', ...args }, { now: NOW })
}

/** The answer of a call that succeeds. */
export async function answer(
  engine: Engine,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const result = await ask(engine, name, args)
  if (!result.ok) throw new Error(`${name}: ${result.failure.message}`)
  return result.output
}

/** The program as it is shipped, in a folder of its own; test files and checkouts that run at once do not share one. */
const checkout = fnv1a(import.meta.url).toString(36)
const built = `../node_modules/.cache/m1nd-${checkout}-${process.env.VITEST_POOL_ID ?? '0'}/dist/main.js`
export const PROGRAM = fileURLToPath(new URL(built, import.meta.url))

/** Builds it anew from the sources. */
export async function buildProgram(): Promise<void> {
  await bundle(dirname(PROGRAM))
  copyFileSync(new URL('../package.json', import.meta.url), join(dirname(PROGRAM), '..', 'package.json'))
}

/** A server process and a client that speaks to it line by line. */
export class Client {
  readonly process: ChildProcessWithoutNullStreams
  readonly cwd: string
  readonly exited: Promise<{ code: number | null; signal: string | null }>
  stderr = ''
  /** Everything on standard output. */
  stdout = ''
  /** What comes is not taken for lines of messages any more. */
  raw = false
  #nextId = 1
  #line = ''
  readonly #waiting = new Map<number, (message: Record<string, unknown>) => void>()
  readonly notifications: Record<string, unknown>[] = []
  /** Answers to requests of the server, by method. */
  readonly answers: Record<string, unknown> = {}

  /** `shell` is what a shell does in the same place first, for limits. */
  constructor(
    args: readonly string[],
    { cwd, env = {}, shell = '' }: { cwd: string; env?: Record<string, string>; shell?: string },
  ) {
    this.cwd = cwd
    const line = [process.execPath, PROGRAM, ...args]
    const [program, ...rest] = shell === '' ? line : ['/bin/bash', '-c', `${shell} && exec "$@"`, 'bash', ...line]
    this.process = spawn(program, rest, { cwd, env: { ...process.env, ...env } })
    this.exited = new Promise((resolve) => this.process.on('exit', (code, signal) => resolve({ code, signal })))
    this.process.stdin.on('error', () => {})
    this.process.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.process.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.stdout += chunk
      if (this.raw) return
      const lines = (this.#line + chunk).split('\n')
      this.#line = lines.pop() ?? ''
      for (const it of lines) this.#take(JSON.parse(it))
    })
  }

  send(message: Record<string, unknown>): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  request(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = this.#nextId++
    this.send({ id, method, params })
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  /** The result of `tools/call`. */
  async call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolResult> {
    const { result, error } = await this.request('tools/call', {
      name,
      arguments: { agent_id: 'dev', ...args },
      ...(meta && { _meta: meta }),
    })
    if (!isToolResult(result)) throw new Error(`${name}: ${JSON.stringify(error ?? result)}`)
    return result
  }

  async end(): Promise<{ code: number | null; signal: string | null }> {
    this.process.stdin.end()
    return this.exited
  }

  #take(message: Record<string, unknown>): void {
    const { id, method } = message
    if (typeof method === 'string' && id !== undefined) this.send({ id, result: this.answers[method] ?? {} })
    else if (typeof method === 'string') this.notifications.push(message)
    else if (typeof id === 'number') this.#waiting.get(id)?.(message)
  }
}

export interface ToolResult {
  content: { type: string; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content)
}
