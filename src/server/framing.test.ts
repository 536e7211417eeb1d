import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameReader, type Piece } from '#server/framing'

const HELLO = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
const HEALTH = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"health","arguments":{"agent_id":"é"}}}'

const framed = (json: string) => `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`

function read(input: string | Uint8Array, { split = 0, maxMessage = 64 * 1024 * 1024 } = {}): Piece[] {
  const pieces: Piece[] = []
  const reader = new FrameReader({ maxMessage }, (it) => pieces.push(it))
  const bytes = Buffer.from(input)
  const size = split || bytes.length || 1
  for (let i = 0; i < bytes.length; i += size) reader.push(bytes.subarray(i, i + size))
  reader.end()
  return pieces
}

/** `line 1`, `framed 1` for a message with that id, `line -32700` for a fault. */
function summary(input: string | Uint8Array, options = {}): string[] {
  return read(input, options).map((it) => {
    if (it.kind === 'fault') return `${it.framing} ${it.code}`
    const { value } = it
    return `${it.framing} ${typeof value === 'object' && value !== null && 'id' in value ? value.id : JSON.stringify(value)}`
  })
}

describe('telling the framing of a message', () => {
  test('announces 58 and 103 bytes for the two sample messages', () => {
    expect(Buffer.byteLength(HELLO)).toBe(58)
    expect([HEALTH.length, Buffer.byteLength(HEALTH)]).toEqual([102, 103])
  })

  test.each([
    ['a framed message', `Content-Length: 58\r\n\r\n${HELLO}`, ['framed 1']],
    ['a line', `${HELLO}\n`, ['line 1']],
    ['a line that ends with CR LF', `${HELLO}\r\n`, ['line 1']],
    ['a last line without its end', HELLO, ['line 1']],
    ['a lower-case header with bare line ends', `content-length:58\n\n${HELLO}`, ['framed 1']],
    ['an upper-case header with blanks', `CONTENT-LENGTH :   58  \r\n\r\n${HELLO}`, ['framed 1']],
    ['mixed line ends in a header', `Content-Type: x\nContent-Length: 58\r\n\n${HELLO}`, ['framed 1']],
    ['a length in bytes, not characters', framed(HEALTH), ['framed 7']],
    [
      'other headers before and after',
      `A: b\r\nContent-Length: 58\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n${HELLO}`,
      ['framed 1'],
    ],
    ['a batch', '[1,2]\n', ['line [1,2]']],
    ['a byte-order mark', `\ufeff${HELLO}\n`, ['line 1']],
    ['a byte-order mark before a header', `\ufeff${framed(HELLO)}`, ['framed 1']],
    ['blank lines between messages', `\n\r\n  \t${HELLO}\n\n\n${framed(HEALTH)}\n\n`, ['line 1', 'framed 7']],
    [
      'several messages of both kinds',
      `${HELLO}\n${framed(HEALTH)}${framed(HELLO)}${HEALTH}\n`,
      ['line 1', 'framed 7', 'framed 1', 'line 7'],
    ],
    ['two equal lengths', `Content-Length: 58\r\nContent-Length: 58\r\n\r\n${HELLO}`, ['framed 1']],
    ['an empty framed message', `Content-Length: 0\r\n\r\n${HELLO}\n`, ['line 1']],
    ['a framed message larger than the first buffer', framed(`{"id":5,"text":"${'漢'.repeat(5000)}"}`), ['framed 5']],
  ])('reads %s', (_, input, expected) => {
    expect(summary(input)).toEqual(expected)
    expect(summary(input, { split: 1 })).toEqual(expected)
  })
})

describe('going on after a message that cannot be read', () => {
  const next = `${HELLO}\n`
  test.each([
    ['no length', 'Content-Type: x\r\n\r\n', ['framed -32700', 'line 1']],
    ['a negative length', 'Content-Length: -5\r\n\r\n', ['framed -32700', 'line 1']],
    ['a length in words', 'Content-Length: five\r\n\r\n', ['framed -32700', 'line 1']],
    ['a hexadecimal length', 'Content-Length: 0x10\r\n\r\n', ['framed -32700', 'line 1']],
    ['an empty length', 'Content-Length:\r\n\r\n', ['framed -32700', 'line 1']],
    ['two different lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\n', ['framed -32700', 'line 1']],
    [
      'another charset',
      'Content-Length: 2\r\nContent-Type: text/json; charset=latin1\r\n\r\n{}',
      ['framed -32700', 'line 1'],
    ],
    ['a garbage line', 'hello\n', ['framed -32700', 'line 1']],
    ['several garbage lines, reported once', 'hello\nhow are you\nwell\n', ['framed -32700', 'line 1']],
    ['a header block that stops before a message', 'Host: here\n', ['framed -32700', 'line 1']],
    ['a line that is not JSON', '{oops\n', ['line -32700', 'line 1']],
    ['a header line without end', `X: ${'a'.repeat(9000)}\n\n`, ['framed -32700', 'line 1']],
    ['too many header lines', `${'X: 1\n'.repeat(40)}\n`, ['framed -32700', 'line 1']],
    ['a body that is no JSON', 'Content-Length: 3\r\n\r\n{a}', ['framed -32700', 'line 1']],
  ])('goes on after %s', (_, bad, expected) => {
    expect(summary(bad + next)).toEqual(expected)
    expect(summary(bad + next, { split: 1 })).toEqual(expected)
  })

  test('goes on after a length that is too short', () => {
    const input = `Content-Length: 50\r\n\r\n${HELLO}${framed(HEALTH)}${framed(HELLO)}`
    expect(summary(input)).toEqual(['framed -32700', 'framed 7', 'framed 1'])
    expect(summary(input, { split: 1 })).toEqual(['framed -32700', 'framed 7', 'framed 1'])
  })

  test('drops a message whose body never comes', () => {
    expect(summary(`Content-Length: 100\r\n\r\n${HELLO}`)).toEqual([])
  })

  test('refuses bytes that are not UTF-8', () => {
    const bad = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')])
    expect(summary(bad)).toEqual(['line -32700'])
    expect(summary(Buffer.concat([Buffer.from(`Content-Length: ${bad.length}\n\n`), bad, Buffer.from(next)]))).toEqual([
      'framed -32700',
      'line 1',
    ])
  })

  test('refuses more than 512 levels of nesting, also where brackets in text do not count', () => {
    const nested = (depth: number) =>
      `{"id":3,"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"text":"[[[\\"["}\n`
    expect(summary(nested(512) + nested(513))).toEqual(['line 3', 'line -32700'])
    expect(summary(`${'['.repeat(200_000)}\n${HELLO}\n`)).toEqual(['line -32700', 'line 1'])
  })
})

describe('after a fault, the next message is found', () => {
  test.each([
    ['in a line', `${HELLO}\n`, 'line 1'],
    ['behind a byte-order mark', `\ufeff${HELLO}\n`, 'line 1'],
    ['behind a header', framed(HELLO), 'framed 1'],
    ['behind a header with blanks before its colon', framed(HELLO).replace(':', ' \t:'), 'framed 1'],
    ['behind another header', `Content-Type: text/plain\r\n${framed(HELLO)}`, 'framed 1'],
  ])('%s', (_, message, expected) => {
    const faults = ['hello\n', 'Content-Length: x\r\n\r\n', framed('{oops}'), `Content-Length: 4\n\n{"a":1}\n`]
    for (const fault of faults)
      for (const split of [0, 1, 5])
        expect(summary(fault + message, { split }), JSON.stringify(fault)).toEqual(['framed -32700', expected])
  })
})

describe('messages that are too long', () => {
  const long = `{"id":9,"text":"${'x'.repeat(3000)}"}`

  test('skips an announced body and goes on with the message after it', () => {
    const input = `${framed(long)}${framed(HELLO)}`
    for (const split of [0, 1, 700])
      expect(summary(input, { split, maxMessage: 1024 })).toEqual(['framed -32600', 'framed 1'])
  })

  test('skips a line to its end', () => {
    for (const split of [0, 1, 700])
      expect(summary(`${long}\n${HELLO}\n`, { split, maxMessage: 1024 })).toEqual(['line -32600', 'line 1'])
  })

  test('announces more than there is memory for without taking it', () => {
    const before = process.memoryUsage().arrayBuffers
    expect(summary(`Content-Length: 999999999999999\r\n\r\n${HELLO}`)).toEqual(['framed -32600'])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  })
})

test('gives the same messages however the bytes are split', () => {
  const message = fc.constantFrom(
    `${HELLO}\n`,
    framed(HEALTH),
    framed('{"id":3]').replace(':', ' :'),
    `\ufeff${framed('{"id":"é漢😀"}')}`,
    '{oops\n',
    'hello\n',
    'Content-Length: x\r\n\r\n',
    `[${HELLO}]\r\n`,
    '\n',
    'Content-Length: 0\n\n',
  )
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 12 }),
      fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 30 }),
      (messages, sizes) => {
        const bytes = Buffer.from(messages.join(''))
        const pieces: Piece[] = []
        const reader = new FrameReader({ maxMessage: 1_000_000 }, (it) => pieces.push(it))
        for (let i = 0, turn = 0; i < bytes.length; turn++) {
          const size = 1 + sizes[turn % sizes.length]
          reader.push(bytes.subarray(i, i + size))
          i += size
        }
        reader.end()
        expect(pieces).toEqual(read(bytes))
      },
    ),
  )
})

test('survives any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const pieces = read(Buffer.concat([bytes, Buffer.from(`\n\n${HELLO}\n`)]), { split: 7, maxMessage: 100 })
      expect(pieces.length).toBeLessThan(bytes.length + 2)
    }),
  )
})
