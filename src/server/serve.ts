/** The server, on standard input and output, over HTTP, or both: starts at once, loads behind, and saves before it leaves. */

import type { Engine, Settings } from '#engine/brain'
import { workingFolder } from '#engine/folders'
import { delivered } from '#server/delivered'
import type { HttpServer } from '#server/http'
import { createLog } from '#server/log'

export interface ServeOptions {
  /** Settings from flags, by name. */
  flags: Readonly<Record<string, unknown>>
  /** A configuration file, '' for none. */
  configFile: string
  version: string
  /** Listen for HTTP. */
  http?: boolean
  /** Serve the client on standard input and output; only with `http` it can be left out. */
  stdio?: boolean
  /** Show the page in a browser. */
  open?: boolean
  /** Let pages of other servers on this machine read answers. */
  dev?: boolean
  /** Folder of a page that is being worked on. */
  uiFolder?: string
}

/** What is in work when the server is told to stop has this long to be answered. */
const GRACE_MS = 5000
const PARENT_CHECK_MS = 2000
const WRONG_SETTINGS = 2
const CANNOT_LISTEN = 3

/** Serves until the client or the parent process is gone or a signal comes; returns the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const { flags, configFile, version, stdio = true } = options
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
    if (options.http === true && flags.attachUrl !== undefined)
      throw new SettingsError('--attach: a server over HTTP holds a graph of its own; leave one of the two out.')
    if (options.http !== true && settings.attachUrl !== '') return await serveAttached(settings, version, log)
    engine = openEngine(settings, {
      version,
      log,
      cwd: workingFolder(),
      background: true,
      attach: (folder) => attachTo(folder, relay),
      owns: (folder) => host.follow(folder),
    })
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    log(error.message)
    return WRONG_SETTINGS
  }
  const pipe = stdio ? serveMcp(engine, process.stdin, process.stdout, { version, log }) : null
  let told = () => {}
  const done = pipe?.closed ?? new Promise<void>((resolve) => (told = resolve))

  untilTold(
    () => {
      pipe?.finish(GRACE_MS)
      told()
    },
    { log, withParent: stdio },
  )

  const http = options.http === true ? await listen(engine, options, log) : null
  if (pipe === null && http === null) {
    await engine.close()
    return CANNOT_LISTEN
  }
  const stopFiles = await openEventFiles(engine, log)

  await done
  try {
    await http?.close(GRACE_MS)
    await engine.close()
    await stopFiles()
    await delivered(process.stdout, GRACE_MS)
    return 0
  } catch (error) {
    log(`State could not be saved: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

/** Serves the client from a server that runs; nothing is read and nothing kept here. */
async function serveAttached(settings: Settings, version: string, log: (line: string) => void): Promise<number> {
  const [{ attach }, { AUTO, serversFor }] = await Promise.all([import('#server/attach'), import('#server/servers')])
  const pipe = attach(process.stdin, process.stdout, {
    servers: serversFor(settings),
    mustMatch: settings.attachUrl === AUTO,
    token: settings.token,
    folder: settings.project || workingFolder(),
    maxMessage: settings.maxMessageBytes,
    version,
    log,
  })
  untilTold(() => pipe.finish(GRACE_MS), { log, withParent: true })
  await pipe.closed
  await delivered(process.stdout, GRACE_MS)
  return 0
}

/** Calls `stop` once, when the process is told to end or its parent is gone; told twice, it ends at once. */
function untilTold(stop: () => void, { log, withParent }: { log: (line: string) => void; withParent: boolean }): void {
  let stopping = false
  const end = (why: string) => {
    if (stopping) process.exit(130)
    stopping = true
    log(`Stopping: ${why}.`)
    stop()
  }
  process.on('SIGINT', () => end('interrupted'))
  process.on('SIGTERM', () => end('asked to terminate'))
  process.on('SIGHUP', () => end('the terminal is gone'))
  process.on('uncaughtException', (error) => log(`Fault: ${error.stack ?? error.message}`))
  process.on('unhandledRejection', (error) =>
    log(`Fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  )
  const parent = process.ppid
  // without a client on its pipes, a server may outlive who started it
  const watch = setInterval(() => {
    if (withParent && parent > 1 && process.ppid !== parent && !stopping) end('the parent process is gone')
  }, PARENT_CHECK_MS)
  watch.unref()
}

/** Events to and from files, where the settings name some; returns what ends that. */
async function openEventFiles({ events, settings }: Engine, log: (line: string) => void): Promise<() => Promise<void>> {
  const { eventLog, watchEvents } = settings
  if (eventLog === '' && watchEvents === '') return async () => {}
  const { logEvents, followEvents } = await import('#server/event-files')
  const unfollow = watchEvents === '' ? () => {} : followEvents(events, watchEvents, log)
  const unlog = eventLog === '' ? async () => {} : logEvents(events, eventLog, log)
  return async () => {
    unfollow()
    await unlog()
  }
}

/** Null when the address cannot be taken; a client on the pipes is served all the same. */
async function listen(
  engine: Engine,
  { version, open, dev, uiFolder, stdio = true }: ServeOptions,
  log: (line: string) => void,
): Promise<HttpServer | null> {
  const [{ serveHttp, ListenError }, { openBrowser }, { listed }] = await Promise.all([
    import('#server/http'),
    import('#server/browser'),
    import('#server/servers'),
  ])
  try {
    const http = await serveHttp(engine, { version, log, dev, uiFolder })
    log(`Serving ${engine.brain.root || 'no project yet'} at ${http.url}/, MCP at ${http.url}/mcp.`)
    const withdraw = listed(engine, http.url, log)
    if (open === true) openBrowser(http.url, log)
    return {
      ...http,
      close: (graceMs) => {
        withdraw()
        return http.close(graceMs)
      },
    }
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    log(`${error.message} ${error.remedy}${stdio ? ' Only the client on standard input is served.' : ''}`)
    return null
  }
}
