/** The server on standard input and output: starts at once, loads behind, and saves before it leaves. */

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

/** Serves until the client or the parent process is gone or a signal comes; returns the exit code. */
export async function serve({ flags, configFile, version }: ServeOptions): Promise<number> {
  const log = createLog()
  const [{ openEngine }, { loadSettings }] = await Promise.all([
    import('#engine/engine'),
    import('#server/load-settings'),
  ])
  const { settings, warnings } = loadSettings(flags, configFile)
  for (const it of warnings) log(it)

  const engine = openEngine(settings, { version, log, cwd: process.cwd() })
  const { serveMcp } = await import('#server/mcp')
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
    return 0
  } catch (error) {
    log(`State could not be saved: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}
