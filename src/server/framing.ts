/**
 * Bytes of a client → messages, in both framings of JSON-RPC over a pipe: one message a line, or after a
 * `Content-Length` header. The framing is told anew for every message, so that its answer can use the same one.
 * No input makes the reader fail: what cannot be understood is reported once and skipped.
 */

import { parseMessage } from '#server/json'

export type Framing = 'line' | 'framed'

export type Piece =
  | { kind: 'message'; framing: Framing; value: unknown }
  | { kind: 'fault'; framing: Framing; code: -32700 | -32600; message: string }

export interface FramingLimits {
  /** Longest message, in bytes. */
  maxMessage: number
}

const MAX_HEADER_BYTES = 8192
const MAX_HEADER_LINES = 32
/** A buffer grown beyond this is given back after the message that needed it. */
const KEPT_BUFFER = 1_048_576

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9
const OPEN_BRACE = 123
const OPEN_BRACKET = 91
const BOM = [0xef, 0xbb, 0xbf] as const
const BOM_TEXT = '\xef\xbb\xbf'
const LENGTH_HEADER = 'content-length'
/** The header with its colon; between the two there may be blanks, of which no more than these are waited for. */
const LENGTH_FIELD = /content-length[ \t]{0,16}:/i
const LONGEST_FIELD = LENGTH_HEADER.length + 17

type State =
  /** Between messages: blanks and byte-order marks are skipped. */
  | { at: 'start' }
  /** In a message that ends with its line. */
  | { at: 'line' }
  /** In the header lines of a framed message. */
  | { at: 'header'; lines: number; bytes: number; length: number | null; fault: string }
  /** In the body of a framed message. */
  | { at: 'body'; length: number }
  /** In a body that is too long to be kept. */
  | { at: 'skip'; left: number }
  /** In a line that is too long to be kept. */
  | { at: 'skipLine' }
  /** After a fault, at the start of a line: can a message begin here? */
  | { at: 'lost' }
  /** After a fault, within a line. After a body of the wrong length the next header may stand anywhere in it. */
  | { at: 'lostLine'; afterBody: boolean; looked: boolean }

export class FrameReader {
  readonly #maxMessage: number
  readonly #onPiece: (piece: Piece) => void
  #state: State = { at: 'start' }
  #buffer: Buffer
  /** Unread bytes are `#buffer[#from … #to - 1]`. */
  #from = 0
  #to = 0
  /** Bytes from `#from` that are known to hold no line end. */
  #scanned = 0

  constructor({ maxMessage }: FramingLimits, onPiece: (piece: Piece) => void) {
    this.#maxMessage = maxMessage
    this.#onPiece = onPiece
    this.#buffer = Buffer.allocUnsafe(4096)
  }

  push(chunk: Uint8Array): void {
    this.#append(chunk)
    while (this.#step(false));
  }

  /** A last line without its end is still a message; a body that is not whole is dropped. */
  end(): void {
    while (this.#step(true));
    this.#from = this.#to
  }

  #append(chunk: Uint8Array): void {
    if (this.#from === this.#to) {
      if (this.#buffer.length > KEPT_BUFFER) this.#buffer = Buffer.allocUnsafe(4096)
      this.#from = 0
      this.#to = 0
    }
    const unread = this.#to - this.#from
    if (this.#to + chunk.length > this.#buffer.length) {
      const larger =
        unread + chunk.length > this.#buffer.length ? Buffer.allocUnsafe(2 * (unread + chunk.length)) : this.#buffer
      this.#buffer.copy(larger, 0, this.#from, this.#to)
      this.#buffer = larger
      this.#from = 0
      this.#to = unread
    }
    this.#buffer.set(chunk, this.#to)
    this.#to += chunk.length
  }

  /** One step; false when more bytes are needed. */
  #step(ended: boolean): boolean {
    const state = this.#state
    switch (state.at) {
      case 'start':
        return this.#start(ended)
      case 'line':
        return this.#line(ended)
      case 'header':
        return this.#header(state, ended)
      case 'body':
        return this.#body(state)
      case 'skip':
        return this.#skip(state)
      case 'skipLine':
        return this.#skipLine()
      case 'lost':
        return this.#lost(ended)
      case 'lostLine':
        return this.#lostLine(state)
    }
  }

  #start(ended: boolean): boolean {
    for (;;) {
      while (this.#from < this.#to && isBlank(this.#buffer[this.#from])) this.#take(1)
      const mark = this.#byteOrderMark()
      if (mark === 'partial' && !ended) return false
      if (mark !== 'whole') break
      this.#take(BOM.length)
    }
    if (this.#from === this.#to) return false
    const first = this.#buffer[this.#from]
    this.#state =
      first === OPEN_BRACE || first === OPEN_BRACKET
        ? { at: 'line' }
        : { at: 'header', lines: 0, bytes: 0, length: null, fault: '' }
    return true
  }

  #byteOrderMark(): 'none' | 'partial' | 'whole' {
    const unread = this.#to - this.#from
    for (let i = 0; i < BOM.length; i++) {
      if (i === unread) return unread === 0 ? 'none' : 'partial'
      if (this.#buffer[this.#from + i] !== BOM[i]) return 'none'
    }
    return 'whole'
  }

  #line(ended: boolean): boolean {
    const line = this.#takeLine(ended)
    if (line === null) {
      if (this.#to - this.#from <= this.#maxMessage) return false
      this.#tooLarge('line')
      this.#drop()
      this.#state = { at: 'skipLine' }
      return true
    }
    this.#state = { at: 'start' }
    if (line.length > this.#maxMessage) this.#tooLarge('line')
    else this.#parse(line, 'line')
    return true
  }

  #header(state: State & { at: 'header' }, ended: boolean): boolean {
    const waiting = this.#to - this.#from
    const lineStart = this.#from
    const line = this.#takeLine(ended)
    if (line === null) {
      if (state.bytes + waiting > MAX_HEADER_BYTES) return this.#lose('header is too long')
      return false
    }
    state.bytes += line.length + 1
    state.lines++
    if (state.bytes > MAX_HEADER_BYTES || state.lines > MAX_HEADER_LINES) return this.#lose('header is too long')
    if (line.length > 0) {
      const fault = readHeader(state, line.toString('latin1'))
      if (fault === '') return true
      // what is no header may be the next message
      if (fault === NO_HEADER && state.lines > 1) this.#from = lineStart
      return this.#lose(fault)
    }

    const { length, fault } = state
    if (length !== null && fault !== '') {
      this.#fault('framed', -32700, `Parse error: ${fault}`)
      this.#state = { at: 'skip', left: length }
      return true
    }
    if (length === null) return this.#lose('no Content-Length')
    if (length > this.#maxMessage) {
      this.#tooLarge('framed')
      this.#state = { at: 'skip', left: length }
    } else this.#state = length === 0 ? { at: 'start' } : { at: 'body', length }
    return true
  }

  #body({ length }: { length: number }): boolean {
    if (this.#to - this.#from < length) return false
    const body = this.#buffer.subarray(this.#from, this.#from + length)
    const understood = this.#parse(body, 'framed')
    this.#take(length)
    this.#state = understood ? { at: 'start' } : { at: 'lostLine', afterBody: true, looked: false }
    return true
  }

  #skip(state: State & { at: 'skip' }): boolean {
    const skipped = Math.min(state.left, this.#to - this.#from)
    this.#take(skipped)
    state.left -= skipped
    if (state.left > 0) return false
    this.#state = { at: 'start' }
    return true
  }

  #skipLine(): boolean {
    const end = this.#buffer.subarray(this.#from, this.#to).indexOf(LF)
    if (end < 0) {
      this.#drop()
      return false
    }
    this.#take(end + 1)
    this.#state = { at: 'start' }
    return true
  }

  #lost(ended: boolean): boolean {
    const begins = this.#messageBegins(this.#from)
    if (begins === 'unsure' && !ended) return false
    if (this.#from === this.#to) return false
    this.#state = begins === 'yes' ? { at: 'start' } : { at: 'lostLine', afterBody: false, looked: false }
    return true
  }

  #lostLine(state: State & { at: 'lostLine' }): boolean {
    const unread = this.#buffer.subarray(this.#from, this.#to)
    if (unread.length === 0) return false
    const newline = unread.indexOf(LF)
    if (state.afterBody) {
      const line = newline < 0 ? unread : unread.subarray(0, newline)
      const header = line.toString('latin1').search(LENGTH_FIELD)
      const begins = state.looked ? 'no' : this.#messageBegins(this.#from)
      if (header >= 0 || begins === 'yes') {
        this.#take(Math.max(0, header))
        this.#state = { at: 'start' }
        return true
      }
      if (begins === 'unsure' && newline < 0) return false
    }
    if (newline < 0) {
      // a header may have begun in what is kept
      state.looked = true
      this.#take(Math.max(0, unread.length - (state.afterBody ? LONGEST_FIELD : 0)))
      return false
    }
    this.#take(newline + 1)
    this.#state = { at: 'lost' }
    return true
  }

  #messageBegins(at: number): 'yes' | 'no' | 'unsure' {
    const head = this.#buffer.toString('latin1', at, Math.min(this.#to, at + BOM_TEXT.length + LONGEST_FIELD))
    const unmarked = head.startsWith(BOM_TEXT) ? head.slice(BOM_TEXT.length) : head
    if (unmarked[0] === '{' || unmarked[0] === '[' || unmarked.search(LENGTH_FIELD) === 0) return 'yes'
    const name = unmarked.replace(/[ \t]+$/, '').toLowerCase()
    const mayContinue = head.length < BOM_TEXT.length + LONGEST_FIELD && LENGTH_HEADER.startsWith(name)
    return BOM_TEXT.startsWith(head) || mayContinue ? 'unsure' : 'no'
  }

  #lose(why: string): boolean {
    this.#fault('framed', -32700, `Parse error: ${why}`)
    this.#state = { at: 'lost' }
    return true
  }

  #parse(bytes: Buffer, framing: Framing): boolean {
    try {
      this.#onPiece({ kind: 'message', framing, value: parseMessage(bytes) })
      return true
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#fault(framing, -32700, `Parse error: ${why}`)
      return false
    }
  }

  #tooLarge(framing: Framing): void {
    this.#fault(framing, -32600, `Invalid Request: message too large, the limit is ${this.#maxMessage} bytes`)
  }

  #fault(framing: Framing, code: -32700 | -32600, message: string): void {
    this.#onPiece({ kind: 'fault', framing, code, message })
  }

  /** The next line without its end, or null when it is not whole; the rest of the input when it has ended. */
  #takeLine(ended: boolean): Buffer | null {
    const end = this.#buffer.subarray(this.#from + this.#scanned, this.#to).indexOf(LF)
    if (end < 0) {
      this.#scanned = this.#to - this.#from
      if (!ended || this.#scanned === 0) return null
      const rest = this.#buffer.subarray(this.#from, this.#to)
      this.#drop()
      return rest
    }
    const stop = this.#from + this.#scanned + end
    const line = this.#buffer.subarray(this.#from, stop > this.#from && this.#buffer[stop - 1] === CR ? stop - 1 : stop)
    this.#take(stop + 1 - this.#from)
    return line
  }

  #take(n: number): void {
    this.#from += n
    this.#scanned = 0
  }

  #drop(): void {
    this.#take(this.#to - this.#from)
  }
}

const NO_HEADER = 'neither JSON nor a header'
const DIFFERENT_LENGTHS = 'two different Content-Length headers'

/** Takes one header line in; what is wrong with it, or ''. A fault that leaves the length usable is kept for later. */
function readHeader(header: { length: number | null; fault: string }, line: string): string {
  const found = /^([\w!#$%&'*+.^`|~-]+)\s*:(.*)$/.exec(line)
  if (found === null) return NO_HEADER
  const name = found[1].toLowerCase()
  const value = found[2].trim()
  if (name === 'content-length') {
    if (!/^\d{1,15}$/.test(value)) return 'Content-Length is not a number'
    const length = Number(value)
    if (header.length !== null && header.length !== length) return DIFFERENT_LENGTHS
    header.length = length
  }
  if (name === 'content-type') {
    const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(value)?.[1].toLowerCase() ?? 'utf-8'
    if (charset !== 'utf-8' && charset !== 'utf8') header.fault = `charset ${charset} is not utf-8`
  }
  return ''
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR || byte === LF
}
