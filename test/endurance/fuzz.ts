/**
 * `npm run test:fuzz [messages] [seed]`: a server on a pipe is fed both framings, mixed, split anywhere, with damaged
 * messages between them. Every well-formed request must be answered exactly once, in its own framing, and nothing but
 * protocol may come out.
 */

import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openEngine } from '#engine/engine'
import { defaults } from '#engine/settings'
import { serveMcp } from '#server/mcp'
import { Random } from '#std/random'

type Framing = 'line' | 'framed'

export interface FuzzResult {
  requests: number
  damaged: number
  answered: number
  /** What went wrong, at most ten of it. */
  faults: string[]
}

/** Requests in one stretch of input; after each the answers are counted, so that memory stays small. */
const STRETCH = 400

export async function fuzz({ messages, seed }: { messages: number; seed: number }): Promise<FuzzResult> {
  const source = new Random(seed)
  const random = () => source.float()
  const result: FuzzResult = { requests: 0, damaged: 0, answered: 0, faults: [] }
  const engine = openEngine({ ...defaults(), ephemeral: true, project: '' }, { version: '0', log: () => {}, cwd: '/' })
  for (let sent = 0; sent < messages && result.faults.length < 10; sent += STRETCH) {
    const input = new PassThrough()
    const output = new PassThrough()
    const chunks: Buffer[] = []
    output.on('data', (chunk: Buffer) => chunks.push(chunk))
    const pipe = serveMcp(engine, input, output, { version: '0', log: () => {} })
    const expected = new Map<string, Framing>()
    const bytes: Buffer[] = []
    for (let i = 0; i < Math.min(STRETCH, messages - sent); i++) {
      if (random() < 0.3) {
        bytes.push(damaged(random))
        result.damaged++
      }
      const id = random() < 0.5 ? `k${sent + i}` : sent + i
      const framing: Framing = random() < 0.5 ? 'line' : 'framed'
      expected.set(JSON.stringify(id), framing)
      bytes.push(frame(request(id, random), framing, random))
      result.requests++
    }
    for (const piece of split(Buffer.concat(bytes), random)) {
      input.write(piece)
      if (random() < 0.02) await new Promise((resolve) => setImmediate(resolve))
    }
    input.end()
    await pipe.closed
    count(Buffer.concat(chunks), expected, result)
  }
  await engine.close()
  return result
}

function request(id: string | number, random: () => number): string {
  const methods = ['ping', 'resources/list', 'nothing/here', 'tools/call'] as const
  const method = methods[Math.floor(random() * methods.length)]
  const params =
    method === 'tools/call'
      ? {
          name: random() < 0.5 ? 'health' : 'no_such_tool',
          arguments: { agent_id: pick(['dev', 'é 漢 😀', ' '], random) },
        }
      : { note: pick(['', 'Content-Length: 5\r\n\r\n{}', '{"id":1}\n', '\u2028 "quoted" \\'], random) }
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

function frame(text: string, framing: Framing, random: () => number): Buffer {
  const body = Buffer.from(text)
  if (framing === 'line') return Buffer.concat([body, Buffer.from(pick(['\n', '\r\n', '\n\n  \n'], random))])
  const name = pick(['Content-Length', 'content-length', 'CONTENT-LENGTH'], random)
  const end = pick(['\r\n', '\n'], random)
  const other = random() < 0.3 ? `Content-Type: application/vscode-jsonrpc; charset=utf-8${end}` : ''
  const colon = pick([':', ': ', ' : '], random)
  return Buffer.concat([Buffer.from(`${other}${name}${colon}${body.length}${end}${end}`), body])
}

/** Something that is no message. It ends with its line, so that what follows can be found again. */
function damaged(random: () => number): Buffer {
  const kinds = [
    () => Buffer.from('hello there\n'),
    () => Buffer.from('{oops\n'),
    () => Buffer.from('[1,2\n'),
    () => Buffer.from('Content-Length: -3\r\n\r\n'),
    () => Buffer.from('Content-Length: many\r\n\r\n'),
    () => Buffer.from('Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}\n'),
    () => Buffer.from('Content-Length: 0\r\n\r\n'),
    () => Buffer.from('Content-Length: 3\r\n\r\n{}}\n'),
    () => Buffer.from('Content-Length: 2; charset=utf-16\r\n\r\n{}\n'),
    () => Buffer.from(`X-Long: ${'x'.repeat(9000)}\r\n\r\n`),
    () => Buffer.from('\ufeff\n'),
    () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
    () => Buffer.from([0x00, 0x01, 0x02, 0x0a]),
    () => Buffer.from(`${'['.repeat(600)}${']'.repeat(600)}\n`),
    () => Buffer.from('"text"\n'),
    () => Buffer.from('{"jsonrpc":"1.0","id":"old","method":"ping"}\n'),
    () => Buffer.from('{"jsonrpc":"2.0","method":"notifications/unknown"}\n'),
    () => Buffer.from('[]\n'),
    () => Buffer.from(Array.from({ length: 20 }, () => 128 + Math.floor(random() * 120)).concat(10)),
  ]
  return pick(kinds, random)()
}

function split(bytes: Buffer, random: () => number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = random() < 0.3 ? 1 + Math.floor(random() * 4) : 1 + Math.floor(random() * 600)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

/** Reads the output strictly: a message after the other, each in one of the two framings, nothing between. */
function count(output: Buffer, expected: Map<string, Framing>, result: FuzzResult): void {
  const fault = (text: string) => {
    if (result.faults.length < 10) result.faults.push(text)
  }
  for (let at = 0; at < output.length; ) {
    let framing: Framing = 'line'
    let end = output.indexOf(10, at)
    let next = end + 1
    if (output[at] !== 0x7b && output[at] !== 0x5b) {
      framing = 'framed'
      const header = /^Content-Length: (\d+)\r\n\r\n/.exec(output.toString('latin1', at, at + 60))
      if (header === null) return fault(`no protocol: ${JSON.stringify(output.toString('utf8', at, at + 80))}`)
      at += header[0].length
      end = at + Number(header[1])
      next = end
    }
    if (end < 0 || end > output.length) return fault('the last message is not whole')
    const message: unknown = JSON.parse(output.toString('utf8', at, end))
    at = next
    if (typeof message !== 'object' || message === null || !('id' in message) || message.id === null) continue
    const id = JSON.stringify(message.id)
    // the answer to a request of another version, which names itself
    if (id === '"old"') continue
    const wanted = expected.get(id)
    if (wanted === undefined) fault(`answered twice, or never asked: ${id}`)
    else if (wanted !== framing) fault(`${id} was asked by ${wanted} and answered by ${framing}`)
    else result.answered++
    expected.delete(id)
  }
  for (const id of expected.keys()) fault(`never answered: ${id}`)
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [messages = '100000', seed = '1'] = process.argv.slice(2)
  const began = performance.now()
  const result = await fuzz({ messages: Number(messages), seed: Number(seed) })
  console.log(JSON.stringify({ ...result, seconds: Math.round((performance.now() - began) / 1000) }))
  process.exit(result.faults.length === 0 && result.answered === result.requests ? 0 : 1)
}
