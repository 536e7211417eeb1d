/** The parts of the SCIP index format that say which name means which definition; field numbers are those of its schema. */

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

export const DEFINITION_ROLE = 1
export const IMPORT_ROLE = 2

export const UTF8 = 1
export const UTF32 = 3

export interface ScipMetadata {
  tool: string
  /** An address, `file:///…`. */
  projectRoot: string
}

export interface ScipDocument {
  path: string
  occurrences: ScipOccurrence[]
  /** Types that the types defined here are made of or stand for, by symbol. */
  bases: Map<string, string[]>
  /** The text that was indexed; mostly left out. */
  text: string
  /** `UTF8`, `UTF32`, else UTF-16. */
  encoding: number
}

export interface ScipOccurrence {
  /** Zero-based: start line, start column, end line, end column. */
  range: [number, number, number, number]
  symbol: string
  roles: number
}

/** Throws an `Error` when the bytes are no index. Documents are read one by one, as there may be very many. */
export function* readIndex(bytes: Uint8Array): Generator<ScipMetadata | ScipDocument> {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === 1 && type === WireType.LengthDelimited) yield readMetadata(reader.bytes())
    else if (field === 2 && type === WireType.LengthDelimited) yield readDocument(reader.bytes())
    else reader.skip(type, field)
  }
}

function readMetadata(bytes: Uint8Array): ScipMetadata {
  const metadata = { tool: '', projectRoot: '' }
  eachField(bytes, (field, reader) => {
    if (field === 2) metadata.tool = readTool(reader.bytes())
    else if (field === 3) metadata.projectRoot = reader.string()
    else return false
    return true
  })
  return metadata
}

function readTool(bytes: Uint8Array): string {
  let name = ''
  eachField(bytes, (field, reader) => {
    if (field !== 1) return false
    name = reader.string()
    return true
  })
  return name
}

function readDocument(bytes: Uint8Array): ScipDocument {
  const document: ScipDocument = { path: '', occurrences: [], bases: new Map(), text: '', encoding: 0 }
  eachField(bytes, (field, reader) => {
    if (field === 1) document.path = reader.string()
    else if (field === 2) document.occurrences.push(readOccurrence(reader.bytes()))
    else if (field === 3) readSymbol(reader.bytes(), document.bases)
    else if (field === 5) document.text = reader.string()
    else if (field === 6) document.encoding = reader.int32()
    else return false
    return true
  })
  return document
}

function readOccurrence(bytes: Uint8Array): ScipOccurrence {
  const numbers: number[] = []
  let symbol = ''
  let roles = 0
  eachField(bytes, (field, reader, type) => {
    if (field === 1 && type === WireType.LengthDelimited) {
      const packed = new BinaryReader(reader.bytes())
      while (packed.pos < packed.len) numbers.push(packed.int32())
    } else if (field === 1) numbers.push(reader.int32())
    else if (field === 2) symbol = reader.string()
    else if (field === 3) roles = reader.int32()
    else return false
    return true
  })
  if (numbers.length !== 3 && numbers.length !== 4) throw new Error('an occurrence without a range')
  const [line, from] = numbers
  return { range: [line, from, numbers.length === 4 ? numbers[2] : line, numbers[numbers.length - 1]], symbol, roles }
}

function readSymbol(bytes: Uint8Array, bases: ScipDocument['bases']): void {
  let symbol = ''
  const own: string[] = []
  eachField(bytes, (field, reader) => {
    if (field === 1) symbol = reader.string()
    else if (field === 4) {
      const base = readRelationship(reader.bytes())
      if (base !== '') own.push(base)
    } else return false
    return true
  })
  if (own.length > 0) bases.set(symbol, own)
}

/** The symbol that is implemented, '' for a relationship of another kind. */
function readRelationship(bytes: Uint8Array): string {
  let symbol = ''
  let isImplementation = false
  eachField(bytes, (field, reader) => {
    if (field === 1) symbol = reader.string()
    else if (field === 3) isImplementation = reader.bool()
    else return false
    return true
  })
  return isImplementation ? symbol : ''
}

/** `take` returns false for a field that it left alone. */
function eachField(bytes: Uint8Array, take: (field: number, reader: BinaryReader, type: WireType) => boolean): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (!take(field, reader, type)) reader.skip(type, field)
  }
}
