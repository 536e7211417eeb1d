import { PassThrough } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { PipeTransport } from '#server/stdio'

/** A pipe whose other end answers `sum` with the sum of its numbers, `wait` when it is let go, and knows no other method. */
function connect({ outputBuffer = 65_536 } = {}) {
  const input = new PassThrough()
  const output = new PassThrough({ highWaterMark: outputBuffer })
  const pipe = new PipeTransport(input, output, { maxMessage: 10_000, newestVersion: '2025-11-25' })
  const received: JSONRPCMessage[] = []
  const waiting: (() => void)[] = []
  pipe.onmessage = (message) => {
    received.push(message)
    if (!('method' in message) || !('id' in message)) return
    const { id, method, params } = message
    if (method === 'sum') void pipe.send({ jsonrpc: '2.0', id, result: { sum: Number(params?.a) + Number(params?.b) } })
    else if (method === 'wait') waiting.push(() => void pipe.send({ jsonrpc: '2.0', id, result: { done: true } }))
    else if (method === 'tell') {
      void pipe.send({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }, { relatedRequestId: id })
      void pipe.send({ jsonrpc: '2.0', id, result: {} })
    } else if (method === 'initialize') void pipe.send({ jsonrpc: '2.0', id, result: { params } })
    else void pipe.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  }
  void pipe.start()
  return {
    pipe,
    received,
    waiting,
    input,
    output,
    /** Everything written so far, after `text` was sent. */
    async say(text: string): Promise<string> {
      if (text !== '') input.write(text)
      await new Promise((resolve) => setTimeout(resolve, 2))
      const written: unknown = output.read()
      return Buffer.isBuffer(written) ? written.toString() : ''
    },
  }
}

const sum = (id: unknown, more = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'sum', params: { a: 1, b: 2 }, ...more })
const framed = (json: string) => `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
const three = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: { sum: 3 } })

describe('answers', () => {
  test('use the framing of their request, byte for byte', async () => {
    const { say } = connect()
    const answer = '{"jsonrpc":"2.0","id":1,"result":{"sum":3}}'
    expect(await say(`${sum(1)}\n`)).toBe(`${answer}\n`)
    expect(await say(framed(sum(1)))).toBe(`Content-Length: ${answer.length}\r\n\r\n${answer}`)
  })

  test.each([['text'], [7], [0], [null], [-1], ['']])('carry the id %o as it was given', async (id) => {
    expect(await connect().say(`${sum(id)}\n`)).toBe(`${three(id)}\n`)
  })

  test.each(['9007199254740993', '-9223372036854775808', '18446744073709551615'])(
    'carry the id %s to its last digit, alone, in an array, and when it is cancelled',
    async (id) => {
      const ask = (method: string) =>
        `{"jsonrpc":"2.0", "id" : ${id},"method":"${method}","params":{"id":9007199254740992}}`
      expect(await connect().say(`${ask('dance')}\n`)).toContain(`"id":${id},`)
      const both = await connect().say(`[${ask('dance')},{"jsonrpc":"2.0","id":9007199254740992,"method":"dance"}]\n`)
      expect(both).toContain(`"id":${id},`)
      expect(both).toContain('"id":9007199254740992,')
    },
  )

  test('an id beyond all numbers is none', async () => {
    expect(await connect().say('{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n')).toContain(
      'id must be text or a number',
    )
  })

  test('are given to both of two requests with the same id', async () => {
    expect(await connect().say(`${sum(4)}\n${sum(4)}\n`)).toBe(`${three(4)}\n${three(4)}\n`)
  })

  test('name a method that is not known', async () => {
    expect(await connect().say('{"jsonrpc":"2.0","id":1,"method":"dance"}\n')).toContain(
      '"code":-32601,"message":"Method not found: dance"',
    )
  })

  test('a message about a request uses its framing too', async () => {
    const written = await connect().say(framed('{"jsonrpc":"2.0","id":1,"method":"tell"}'))
    expect(written.match(/Content-Length/g)).toHaveLength(2)
  })
})

describe('what a client sends in the wrong type', () => {
  const sumWith = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"sum","params":{"a":1,"b":2,${params}}}\n`

  test.each([
    '"_meta":5',
    '"_meta":null',
    '"_meta":[]',
    '"_meta":{"progressToken":{}}',
    '"_meta":{"progressToken":1.5}',
    '"cursor":5',
  ])('is left out where it is not needed: %s', async (params) => {
    expect(await connect().say(sumWith(params))).toBe(`${three(1)}\n`)
  })

  test('is refused, never swallowed, where the protocol library would drop the request', async () => {
    const written = await connect().say(sumWith('"_meta":{"io.modelcontextprotocol/related-task":5}'))
    expect(JSON.parse(written)).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  test('is told in words, not as the list that the library makes of it', async () => {
    const { pipe, received, say } = connect()
    await say('{"jsonrpc":"2.0","id":9,"method":"wait"}\n')
    const inner = received.flatMap((it) => ('id' in it && it.id !== undefined ? [it.id] : []))[0]
    const message = JSON.stringify([{ code: 'invalid_type', path: ['params', 'name'], message: 'expected text' }])
    void pipe.send({ jsonrpc: '2.0', id: inner, error: { code: -32603, message } })
    expect(JSON.parse(await say(''))).toEqual({
      jsonrpc: '2.0',
      id: 9,
      error: { code: -32602, message: 'Invalid params: params.name: expected text' },
    })
  })
})

test('a client that does not read is not listened to until it reads', async () => {
  const { say, input, output } = connect({ outputBuffer: 100 })
  const before = output.writableLength
  for (let i = 0; i < 20; i++) input.write(`${sum(i)}\n`)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(before).toBe(0)
  expect(input.isPaused()).toBe(true)
  let written = ''
  while (written.split('\n').length <= 20) written += await say('')
  expect(written).toBe(Array.from({ length: 20 }, (_, i) => `${three(i)}\n`).join(''))
  expect(input.isPaused()).toBe(false)
})

describe('batches', () => {
  test('are answered by one array, in order, without the notifications', async () => {
    const { say } = connect()
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    expect(await say(`[${sum(1)},${note},${sum('b')}]\n`)).toBe(`[${three(1)},${three('b')}]\n`)
    expect(await say(framed(`[${sum(1)}]`))).toContain(`[${three(1)}]`)
  })

  test('of notifications alone are not answered', async () => {
    expect(await connect().say('[{"jsonrpc":"2.0","method":"notifications/initialized"}]\n')).toBe('')
  })

  test('answer what is no request among their members', async () => {
    const written: unknown = JSON.parse(await connect().say(`[1,${sum(2)},{"jsonrpc":"2.0","id":3}]\n`))
    expect(written).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 2, result: { sum: 3 } },
      { id: 3, error: { code: -32600 } },
    ])
  })

  test('wait for all of their members', async () => {
    const { say, waiting } = connect()
    expect(await say(`[{"jsonrpc":"2.0","id":1,"method":"wait"},${sum(2)}]\n`)).toBe('')
    waiting[0]()
    expect(JSON.parse(await say(''))).toHaveLength(2)
  })
})

describe('what is no request', () => {
  test.each([
    ['an empty batch', '[]', null, -32600],
    ['a number', '[3]', null, -32600],
    ['another version', sum(5, { jsonrpc: '1.0' }), 5, -32600],
    ['no method', '{"jsonrpc":"2.0","id":6}', 6, -32600],
    ['an empty method', sum(6, { method: '' }), 6, -32600],
    ['an id that is an object', sum({ a: 1 }), null, -32600],
    ['nothing at all', '{}', null, -32600],
    ['parameters in a list', sum(8, { params: [1] }), 8, -32602],
    ['a tool call without a name', sum(8, { method: 'tools/call' }), 8, -32602],
    ['a tool call with a number for a name', sum(8, { method: 'tools/call', params: { name: 3 } }), 8, -32602],
    [
      'a tool call with a list of arguments',
      sum(8, { method: 'tools/call', params: { name: 'health', arguments: [] } }),
      8,
      -32602,
    ],
    ['no JSON', '{oops', null, -32700],
  ])('%s is refused', async (_, json, id, code) => {
    const answer: unknown = JSON.parse(await connect().say(`${json}\n`))
    expect(Array.isArray(answer) ? answer[0] : answer).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
  })

  test('a missing version is forgiven', async () => {
    expect(await connect().say('{"id":1,"method":"sum","params":{"a":1,"b":2}}\n')).toBe(`${three(1)}\n`)
  })

  test('a notification is never answered, not even when it is wrong', async () => {
    expect(
      await connect().say(
        '{"jsonrpc":"2.0","method":"tools/call","params":{"name":3}}\n{"jsonrpc":"2.0","method":"dance"}\n',
      ),
    ).toBe('')
  })
})

test('initialize may leave everything out', async () => {
  const written = await connect().say('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
  expect(JSON.parse(written).result.params).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'unknown', version: '0' },
  })
})

describe('cancelling', () => {
  test('reaches the request under the id that it has inside, and takes its answer away', async () => {
    const { say, received, waiting } = connect()
    await say('{"jsonrpc":"2.0","id":"slow","method":"wait"}\n')
    const inner = received.flatMap((it) => ('id' in it ? [it.id] : []))[0]
    await say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}\n')
    expect(received.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: inner } })
    waiting[0]()
    expect(await say('')).toBe('')
  })
})

describe('the end of input', () => {
  test('waits for what is in work', async () => {
    const { say, waiting, input, pipe } = connect()
    await say('{"jsonrpc":"2.0","id":1,"method":"wait"}\n')
    input.end()
    let closed = false
    void pipe.closed.then(() => {
      closed = true
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(closed).toBe(false)
    waiting[0]()
    await pipe.closed
    expect(closed).toBe(true)
  })

  test('answers a last line that has no end', async () => {
    const { input, pipe, say } = connect()
    input.end(sum(1))
    await pipe.closed
    expect(await say('')).toBe(`${three(1)}\n`)
  })

  test('told to finish, it waits no longer than it was given', async () => {
    const { say, pipe } = connect()
    await say('{"jsonrpc":"2.0","id":1,"method":"wait"}\n')
    pipe.finish(10)
    await pipe.closed
    expect(await say(`${sum(2)}\n`)).toBe('')
  })
})
