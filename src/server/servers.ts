/** Servers over HTTP that run on this machine, so that others find them: one small file for each, while it runs. */

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, Settings } from '#engine/brain'
import { makeFolder } from '#engine/folders'
import { isRunning } from '#engine/lease'
import { SettingsError } from '#engine/settings'
import { isLoopback } from '#server/http/guard'
import { isRecord } from '#server/json'

/** Value of `attach` for the server of the working folder. */
export const AUTO = 'auto'
const INSTANCES = 'instances'

/** What a file says. */
interface Listed {
  pid: number
  /** Without a slash at its end. */
  url: string
  /** Epoch ms. */
  started_at: number
}

/** Lists a server until the function that is returned is called; one that cannot be listed serves all the same. */
export function listed({ settings }: Engine, url: string, log: (line: string) => void): () => void {
  // one that writes nothing is found by its address alone
  if (settings.ephemeral && settings.registryDir === '') return () => {}
  const folder = instancesIn(settings)
  const file = join(folder, `${process.pid}.json`)
  try {
    makeFolder(folder)
    const temporary = `${file}.tmp`
    const entry: Listed = { pid: process.pid, url, started_at: Date.now() }
    writeFileSync(temporary, JSON.stringify(entry), { mode: 0o600 })
    renameSync(temporary, file)
  } catch (error) {
    log(`Others will not find this server by themselves: ${error instanceof Error ? error.message : String(error)}`)
  }
  return () => rmSync(file, { force: true })
}

/**
 * Gives the addresses that a client is to be attached to. Throws a `SettingsError` when the one that was given is none,
 * or is that of another machine and that was not allowed.
 */
export function serversFor(settings: Settings): () => readonly string[] {
  const { attachUrl, allowRemote } = settings
  if (attachUrl === AUTO) return () => running(instancesIn(settings)).map((it) => it.url)
  const url = URL.canParse(attachUrl) ? new URL(attachUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new SettingsError(
      `attach: ${JSON.stringify(attachUrl)} is not ${AUTO} or an address such as http://127.0.0.1:1337.`,
    )
  if (!isLoopback(url.hostname) && !allowRemote)
    throw new SettingsError(`attach: ${url.hostname} is another machine; give --allow-remote too if that is meant.`)
  const address = url.origin + url.pathname.replace(/\/(mcp\/?)?$/, '')
  return () => [address]
}

function instancesIn({ registryDir, home }: Settings): string {
  return join(registryDir || join(home, 'registry'), INSTANCES)
}

/** Those whose process is there, newest first; files that others left are removed. */
function running(folder: string): Listed[] {
  if (!existsSync(folder)) return []
  const found: Listed[] = []
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) continue
    const entry = read(join(folder, name))
    if (entry !== null && isRunning(entry.pid)) found.push(entry)
    else rmSync(join(folder, name), { force: true })
  }
  return found.sort((a, b) => b.started_at - a.started_at)
}

function read(file: string): Listed | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isRecord(value) || typeof value.pid !== 'number' || typeof value.url !== 'string') return null
    return { pid: value.pid, url: value.url, started_at: Number(value.started_at) }
  } catch {
    // its server has just ended, or it is no such file
    return null
  }
}
