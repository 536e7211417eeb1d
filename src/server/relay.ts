/**
 * One owner, many clients: the process that owns a project's state answers calls for the others on this machine, over
 * a local socket in the folder of the state. One JSON value a line:
 *
 * - `{ hello, version }` both ways, first
 * - `{ id, call, args }`, a tool or `GET` and the path of a read → any number of `{ id, progress }`, then `{ id, ok, output }` or `{ id, ok, failure }`
 * - `{ watch }` → `{ event }` for whatever happens, but for the calls of the same connection
 * - `{ id, cancel }`, and `{ ping }` → `{ pong }` while something is in work
 *
 * An owner that is stopped keeps its connections and says nothing. Where the system tells, it is given up at once, else
 * when it was silent for longer than its longest step takes.
 */

import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, readFileSync, realpathSync, renameSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine, Progress, Relay, RelayedResult } from '#engine/brain'
import { type EngineEvent, isEvent } from '#engine/events'
import { makeFolder } from '#engine/folders'
import { RelayLost } from '#engine/refusal'
import { FrameReader } from '#server/framing'
import { type CallOptions, callTool, type CallResult } from '#tools/call'

const HELLO = 'm1nd-relay-1'
/** Longest path that all systems take for a socket, with the number of a process behind it. */
const LONGEST_PATH = 92
const GREETING_MS = 2000
/** While a call is in work its owner is asked so often whether it is there. */
const PING_MS = 500
/** One that is silent for so long is looked for among the processes of the system, and has so long altogether. */
const SUSPICIOUS_MS = 1500
const SILENCE_MS = 10_000
/** Bytes that wait for a watcher; while there are so many, events are left out. */
const MOST_WAITING = 1_048_576

/** Where the owner of a state folder listens. */
export function relayAddress(folder: string): string {
  const real = realpathSync.native(folder)
  const name = createHash('sha256').update(real).digest('hex').slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\m1nd-${name}`
  const inFolder = join(real, 'owner.sock')
  return Buffer.byteLength(inFolder) <= LONGEST_PATH ? inFolder : join(ownTemporaryFolder(), `${name}.sock`)
}

/** A folder that only this user can look into; somebody else's under the same name is refused. */
function ownTemporaryFolder(): string {
  const user = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `m1nd-${user}`)
  makeFolder(folder)
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== user) throw new Error(`${folder} belongs to somebody else`)
  chmodSync(folder, 0o700)
  return folder
}

export interface RelayOptions {
  version: string
  log: (line: string) => void
}

/** The owner's side. */
export class RelayHost {
  readonly #engine: () => Engine
  readonly #options: RelayOptions
  readonly #sockets = new Set<Socket>()
  #server: Server | null = null
  #folder = ''
  /** Where others find the socket, and which file it is. */
  #address = ''
  #inode = 0

  constructor(engine: () => Engine, options: RelayOptions) {
    this.#engine = engine
    this.#options = options
  }

  /** Listens for the state in this folder, '' for none; who was served for another folder is let go. */
  follow(folder: string): void {
    if (folder === this.#folder) return
    this.close()
    this.#folder = folder
    if (folder === '') return
    try {
      this.#listen(relayAddress(folder))
    } catch (error) {
      this.#options.log(`Other processes cannot attach to this one: ${reason(error)}`)
    }
  }

  /**
   * Under a name of its own first: the system removes that one when the server ends. What is at the address was left by
   * a process that is gone or has lost the state; that one must not remove ours in its turn.
   */
  #listen(address: string): void {
    const own = process.platform === 'win32' ? address : `${address}.${process.pid}`
    if (own !== address && lstatSync(own, { throwIfNoEntry: false }) !== undefined) unlinkSync(own)
    const server = createServer((socket) => this.#serve(socket))
    server.on('error', (error) => this.#options.log(`Other processes cannot attach to this one: ${error.message}`))
    const before = process.umask(0o177)
    server.listen(own)
    process.umask(before)
    server.unref()
    this.#server = server
    if (own === address) return
    renameSync(own, address)
    this.#address = address
    this.#inode = lstatSync(address).ino
  }

  #serve(socket: Socket): void {
    const running = new Map<number, AbortController>()
    this.#sockets.add(socket)
    socket.unref()
    socket.on('error', () => {})
    let unwatch = () => {}
    socket.on('close', () => {
      unwatch()
      this.#sockets.delete(socket)
      for (const it of running.values()) it.abort()
    })
    send(socket, { hello: HELLO, version: this.#options.version, pid: process.pid })
    read(socket, this.#engine().settings.maxMessageBytes, (message) => {
      if (message.ping !== undefined) return send(socket, { pong: message.ping })
      if (message.watch === true) {
        unwatch()
        unwatch = this.#engine().events.subscribe((event, origin) => {
          if (origin !== socket && socket.writableLength < MOST_WAITING) send(socket, { event })
        })
        return
      }
      const id = Number(message.id)
      if (message.cancel === true) return running.get(id)?.abort()
      if (typeof message.call !== 'string') return
      const abort = new AbortController()
      running.set(id, abort)
      const options = {
        signal: abort.signal,
        progress: (progress: Progress) => send(socket, { id, progress }),
        now: Date.now(),
        log: this.#options.log,
        source: 'stdio',
        origin: socket,
      } as const
      void this.#answer(message.call, message.args, options).then((answer) => {
        running.delete(id)
        send(socket, { id, ...answer })
      })
    })
  }

  async #answer(call: string, args: unknown, options: CallOptions & { signal: AbortSignal }): Promise<RelayedResult> {
    if (!call.startsWith('GET ')) return relayed(await callTool(this.#engine(), call, args, options))
    // most owners never hear of a page
    const { answerRead } = await import('#server/http/relayed')
    return answerRead(this.#engine(), call, args, options.signal)
  }

  close(): void {
    this.#folder = ''
    if (this.#address !== '' && lstatSync(this.#address, { throwIfNoEntry: false })?.ino === this.#inode)
      unlinkSync(this.#address)
    this.#address = ''
    this.#server?.close()
    this.#server = null
    for (const it of this.#sockets) it.destroy()
    this.#sockets.clear()
  }
}

function relayed(result: CallResult): RelayedResult {
  return result.ok ? { ok: true, output: result.output } : { ok: false, failure: { ...result.failure } }
}

/**
 * The other side: a connection to whoever owns the state in this folder. `nobody` listens there, yet or any more;
 * `no answer` comes from an owner that is asleep or of another version, which no second try soon after will change.
 */
export async function attachTo(
  folder: string,
  { version, log }: RelayOptions,
): Promise<Relay | 'nobody' | 'no answer'> {
  let socket: Socket | undefined
  try {
    socket = connect(relayAddress(folder))
    const client = new RelayClient(socket)
    const owner = await client.greeted
    if (owner.version === version) return client
    log(
      `The state belongs to m1nd ${owner.version}, and this is ${version}: end that process, or use the same version.`,
    )
    socket.destroy()
    return 'no answer'
  } catch (error) {
    socket?.destroy()
    if (error instanceof RelayLost) return error.wasThere ? 'no answer' : 'nobody'
    log(`The owner of ${folder} cannot be reached: ${reason(error)}`)
    return 'nobody'
  }
}

interface Waiting {
  resolve: (result: RelayedResult) => void
  reject: (error: Error) => void
  progress: (at: Progress) => void
}

class RelayClient implements Relay {
  readonly closed: Promise<void>
  readonly greeted: Promise<{ version: string }>
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  #listener: (event: EngineEvent) => void = () => {}
  #last = 0
  #heardAt = 0
  #owner = 0
  #ping: NodeJS.Timeout | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    let greet: (hello: { version: string }) => void = () => {}
    this.greeted = new Promise((resolve, reject) => {
      greet = resolve
      setTimeout(() => reject(new RelayLost(true)), GREETING_MS).unref()
      socket.once('close', () => reject(new RelayLost(false)))
    })
    // somebody may lose interest before it settles
    this.greeted.catch(() => undefined)
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    socket.on('close', () => this.#lose())
    read(socket, Number.MAX_SAFE_INTEGER, (message) => {
      this.#heardAt = performance.now()
      if (message.hello === HELLO) {
        // from now on it keeps the process only while something is asked
        if (this.#waiting.size === 0) socket.unref()
        this.#owner = Number(message.pid)
        greet({ version: String(message.version) })
      }
      if (isRecord(message.event) && isEvent(message.event)) return this.#listener(message.event)
      const waiting = this.#waiting.get(Number(message.id))
      if (waiting === undefined) return
      if (isProgress(message.progress)) return waiting.progress(message.progress)
      const result = resultOf(message)
      if (result === null) return
      this.#forget(Number(message.id))
      waiting.resolve(result)
    })
  }

  call(
    name: string,
    args: unknown,
    { signal, progress }: { signal: AbortSignal; progress: (at: Progress) => void },
  ): Promise<RelayedResult> {
    if (this.#socket.destroyed)
      return this.closed.then(() => {
        throw new RelayLost(false)
      })
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress })
      signal.addEventListener('abort', () => send(this.#socket, { id, cancel: true }), { once: true })
      this.#watch()
      send(this.#socket, { id, call: name, args })
    })
  }

  watch(listener: (event: EngineEvent) => void): void {
    this.#listener = listener
    send(this.#socket, { watch: true })
  }

  close(): void {
    this.#socket.destroy()
  }

  #watch(): void {
    // the process stays as long as it waits for an answer
    this.#socket.ref()
    if (this.#ping !== undefined) return
    this.#heardAt = performance.now()
    this.#ping = setInterval(() => {
      const silent = performance.now() - this.#heardAt
      if (silent > SILENCE_MS || (silent > SUSPICIOUS_MS && isStopped(this.#owner))) this.#socket.destroy()
      else send(this.#socket, { ping: 1 })
    }, PING_MS)
  }

  #forget(id: number): void {
    this.#waiting.delete(id)
    if (this.#waiting.size > 0) return
    clearInterval(this.#ping)
    this.#ping = undefined
    this.#socket.unref()
  }

  #lose(): void {
    clearInterval(this.#ping)
    for (const it of this.#waiting.values()) it.reject(new RelayLost(false))
    this.#waiting.clear()
  }
}

/** Whether a process was stopped by a signal; false where the system does not tell. */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return /^[Tt]$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0])
  } catch {
    // no such file system, or no such process
    return false
  }
}

function send(socket: Socket, value: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`)
}

function read(socket: Socket, maxMessage: number, take: (message: Record<string, unknown>) => void): void {
  const reader = new FrameReader({ maxMessage }, (piece) => {
    if (piece.kind === 'message' && isRecord(piece.value)) take(piece.value)
    // the two ends are of one version: what cannot be read is not theirs
    else socket.destroy()
  })
  socket.on('data', (chunk: Buffer) => reader.push(chunk))
}

function resultOf({ ok, output, failure }: Record<string, unknown>): RelayedResult | null {
  if (ok === true && isRecord(output)) return { ok, output }
  return ok === false && isRecord(failure) ? { ok, failure } : null
}

function isProgress(value: unknown): value is Progress {
  return isRecord(value) && typeof value.phase === 'string' && typeof value.done === 'number'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
