/** The server on standard input and output: starts at once, loads behind, and saves before it leaves. */

import type { Engine } from '#engine/brain'
import { delivered } from '#server/delivered'
import { createLog } from '#server/log'

export interface ServeOptions {
  /** Settings from flags, by name. */
  flags: Readonly<Record<string, unknown>>
  /** A configuration file, '' for none. */
  configFile: string
  version: string
}

/** What is in work when the server is told to stop has this long to be answered. */
const GRACE_MS = 5000
const PARENT_CHECK_MS = 2000
const WRONG_SETTINGS = 2

/** Serves until the client or the parent process is gone or a signal comes; returns the exit code. */
export async function serve({ flags, configFile, version }: ServeOptions): Promise<number> {
  const log = createLog()
  const [{ openEngine }, { SettingsError }, { loadSettings }, { serveMcp }, { attachTo, RelayHost }] =
    await Promise.all([
      import('#engine/engine'),
      import('#engine/settings'),
      import('#server/load-settings'),
      import('#server/mcp'),
      import('#server/relay'),
    ])
  const relay = { version, log }
  const host = new RelayHost(() => engine, relay)
  let engine: Engine
  try {
    const { settings, warnings } = loadSettings(flags, configFile)
    for (const it of warnings) log(it)
    engine = openEngine(settings, {
      version,
      log,
      cwd: process.cwd(),
      background: true,
      attach: (folder) => attachTo(folder, relay),
      owns: (folder) => host.follow(folder),
    })
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    log(error.message)
    return WRONG_SETTINGS
  }
  const pipe = serveMcp(engine, process.stdin, process.stdout, { version, log })

  let stopping = false
  const stop = (why: string) => {
    if (stopping) process.exit(130)
    stopping = true
    log(`Stopping: ${why}.`)
    pipe.finish(GRACE_MS)
  }
  process.on('SIGINT', () => stop('interrupted'))
  process.on('SIGTERM', () => stop('asked to terminate'))
  process.on('SIGHUP', () => stop('the terminal is gone'))
  process.on('uncaughtException', (error) => log(`Fault: ${error.stack ?? error.message}`))
  process.on('unhandledRejection', (error) =>
    log(`Fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  )
  const parent = process.ppid
  const watch = setInterval(() => {
    if (parent > 1 && process.ppid !== parent && !stopping) stop('the parent process is gone')
  }, PARENT_CHECK_MS)
  watch.unref()

  await pipe.closed
  try {
    await engine.close()
    await delivered(process.stdout, GRACE_MS)
    return 0
  } catch (error) {
    log(`State could not be saved: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}
