/**
 * Runs git on repositories that nobody vouches for. Never through a shell; the environment loses everything
 * that could point git elsewhere; configuration of the repository that would start programs (monitors, hooks,
 * pagers, signature checks) is overridden, and no transport is allowed, so that nothing is fetched.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'

const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=off',
  'core.pager=cat',
  'core.untrackedCache=false',
  'core.sshCommand=false',
  'diff.external=',
  'log.showSignature=false',
  'i18n.logOutputEncoding=UTF-8',
  'safe.bareRepository=explicit',
]

/** Variables that say where the user's own configuration lies. */
const KEPT = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'])

function environment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (!name.toUpperCase().startsWith('GIT_') || KEPT.has(name)) env[name] = value
  }
  env.GIT_OPTIONAL_LOCKS = '0'
  env.GIT_TERMINAL_PROMPT = '0'
  env.GIT_ALLOW_PROTOCOL = 'none'
  env.GIT_NO_LAZY_FETCH = '1'
  env.LC_ALL = 'C'
  return env
}

/**
 * Starts git in `folder`; its standard output is to be read, its messages are dropped. `objects` is a folder of objects in
 * place of the repository's own, '' for that.
 */
export function startGit(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
  objects = '',
): ChildProcessByStdio<null, Readable, null> {
  return spawn('git', argumentsFor(folder, args), { ...options(objects, signal), stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Has git do something on which nobody waits, not even the end of the process; resolves when it has ended. */
export function leaveGit(
  folder: string,
  args: readonly string[],
  { objects, maxMs }: { objects: string; maxMs: number },
): Promise<void> {
  return new Promise((resolve) => {
    const limits = options(objects, AbortSignal.timeout(maxMs))
    const child = spawn('git', argumentsFor(folder, args), { ...limits, stdio: 'ignore' })
    child.unref()
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
}

function argumentsFor(folder: string, args: readonly string[]): string[] {
  return ['--no-optional-locks', '--no-pager', '-C', folder, ...SETTINGS.flatMap((it) => ['-c', it]), ...args]
}

function options(objects: string, signal: AbortSignal | undefined) {
  return {
    // started elsewhere than in the repository: some systems look for programs in the working directory first
    cwd: dirname(process.execPath),
    env: { ...environment(), ...(objects !== '' && { GIT_OBJECT_DIRECTORY: objects }) },
    windowsHide: true,
    signal,
    killSignal: 'SIGKILL' as const,
  }
}

/** What git prints, or null when git is missing or says no. */
export function readGit(folder: string, args: readonly string[], signal?: AbortSignal): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const child = startGit(folder, args, signal)
    const parts: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => parts.push(part))
    child.on('error', () => resolve(null))
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(parts) : null))
  })
}

/** The pieces of NUL-terminated output. */
export function splitNul(bytes: Buffer): string[] {
  const text = bytes.toString('utf8')
  if (text === '') return []
  return (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0')
}
