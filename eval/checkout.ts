/** A repository as it was at a commit, in a folder of its own, and engines over it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Engine, Settings } from '#engine/brain'
import { BrainBuilder } from '#engine/build-brain'
import { openEngine } from '#engine/engine'
import { defaults } from '#engine/settings'
import { callTool } from '#tools/call'
import { run } from './projects.ts'

export interface Checkout {
  name: string
  commit: string
  folder: string
  /** Removes the copy. */
  remove(): void
}

/** A copy of the repository at a commit; files that later commits touch are as they were. */
export function checkout(repository: string, commit: string): Checkout {
  const work = mkdtempSync(join(tmpdir(), 'checkout-'))
  const folder = join(work, basename(repository))
  git(work, 'clone', '--quiet', '--shared', '--no-checkout', repository, folder)
  git(folder, 'checkout', '--quiet', '--detach', commit)
  return {
    name: basename(repository),
    commit: git(folder, 'rev-parse', 'HEAD').trim(),
    folder,
    remove: () => rmSync(work, { recursive: true, force: true }),
  }
}

export function git(folder: string, ...args: string[]): string {
  return run('git', args, folder)
}

/** A commit without merges and the files it touched, oldest first. */
export interface Change {
  commit: string
  parent: string
  files: { path: string; status: 'A' | 'M' | 'D' }[]
}

/** Changes of a range, renames told as a removal and an addition. */
export function changes(folder: string, ...range: string[]): Change[] {
  const log = git(
    folder,
    'log',
    '--no-merges',
    '--no-renames',
    '--reverse',
    '--name-status',
    '--format=%x01%H %P',
    ...range,
  )
  return log
    .split('\x01')
    .slice(1)
    .map((entry) => {
      const [head = '', ...lines] = entry.trim().split('\n')
      const [commit = '', parent = ''] = head.split(' ')
      const files = lines.flatMap((line) => {
        const [status = '', path = ''] = line.split('\t')
        return path !== '' && (status === 'A' || status === 'M' || status === 'D') ? [{ status, path } as const] : []
      })
      return { commit, parent, files }
    })
}

/** An engine that keeps everything in memory, with the folder read. */
export async function engineOver(
  folder: string,
  { settings = {}, ingest = {}, now }: { settings?: Partial<Settings>; ingest?: object; now: number },
): Promise<Engine> {
  const all: Settings = {
    ...defaults(),
    ephemeral: true,
    project: folder,
    typescriptChecker: 'off',
    scipMaxBytes: 0,
    ...settings,
  }
  const engine = openEngine(all, { version: '0', log: () => {}, cwd: folder, builder: new BrainBuilder() })
  await ask(engine, 'ingest', { path: folder, ...ingest }, now)
  return engine
}

/** The answer of a call that has to succeed. */
export async function ask(engine: Engine, tool: string, args: object, now: number): Promise<Record<string, unknown>> {
  const result = await callTool(engine, tool, { agent_id: 'eval', ...args }, { now })
  if (!result.ok) throw new Error(`${tool}: ${result.failure.message} ${result.failure.hint}`)
  return result.output
}
