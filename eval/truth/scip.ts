/** A SCIP index, as indexers of compilers write it, read without a library: protocol buffers of a few messages. */

export interface Occurrence {
  /** Lines and characters from 0. */
  line: number
  start: number
  end: number
  symbol: string
  isDefinition: boolean
  /** Lines of the whole definition from 0, when the indexer tells them. */
  extent: { start: number; startCharacter: number; end: number } | null
}

export interface Document {
  path: string
  occurrences: Occurrence[]
  /** Symbols that a symbol implements or overrides. */
  implements: { symbol: string; base: string }[]
}

const DEFINITION = 1

export function readScip(bytes: Uint8Array): Document[] {
  const documents: Document[] = []
  for (const [field, value] of fields(bytes))
    if (field === 2 && typeof value !== 'number') documents.push(document(value))
  return documents
}

function document(bytes: Uint8Array): Document {
  const found: Document = { path: '', occurrences: [], implements: [] }
  for (const [field, value] of fields(bytes)) {
    if (typeof value === 'number') continue
    if (field === 1) found.path = text(value).replaceAll('\\', '/')
    else if (field === 2) found.occurrences.push(occurrence(value))
    else if (field === 3) found.implements.push(...relationships(value))
  }
  return found
}

function occurrence(bytes: Uint8Array): Occurrence {
  let range: number[] = []
  let whole: number[] = []
  let symbol = ''
  let roles = 0
  for (const [field, value] of fields(bytes)) {
    if (field === 1) range = typeof value === 'number' ? [...range, value] : numbers(value)
    else if (field === 2 && typeof value !== 'number') symbol = text(value)
    else if (field === 3 && typeof value === 'number') roles = value
    else if (field === 7 && typeof value !== 'number') whole = numbers(value)
  }
  return {
    line: range[0],
    start: range[1],
    end: range[range.length - 1],
    symbol,
    isDefinition: (roles & DEFINITION) !== 0,
    extent:
      whole.length < 3
        ? null
        : { start: whole[0], startCharacter: whole[1], end: whole.length === 3 ? whole[0] : whole[2] },
  }
}

function relationships(bytes: Uint8Array): Document['implements'] {
  let symbol = ''
  const bases: string[] = []
  for (const [field, value] of fields(bytes)) {
    if (typeof value === 'number') continue
    if (field === 1) symbol = text(value)
    else if (field === 4) {
      let base = ''
      let isImplementation = false
      for (const [part, it] of fields(value)) {
        if (part === 1 && typeof it !== 'number') base = text(it)
        else if (part === 3 && it === 1) isImplementation = true
      }
      if (isImplementation) bases.push(base)
    }
  }
  return bases.map((base) => ({ symbol, base }))
}

const decoder = new TextDecoder()

function text(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Fields of one message: their numbers with a number or the bytes of a message, text or packed list. */
function* fields(bytes: Uint8Array): Generator<[number, number | Uint8Array]> {
  const reader = { at: 0 }
  while (reader.at < bytes.length) {
    const key = varint(bytes, reader)
    const field = Math.floor(key / 8)
    const kind = key % 8
    if (kind === 0) yield [field, varint(bytes, reader)]
    else if (kind === 2) {
      const length = varint(bytes, reader)
      reader.at += length
      yield [field, bytes.subarray(reader.at - length, reader.at)]
    } else if (kind === 1) reader.at += 8
    else if (kind === 5) reader.at += 4
    else throw new Error(`no SCIP index: wire type ${kind}`)
  }
}

function varint(bytes: Uint8Array, reader: { at: number }): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[reader.at++]
    value += (byte & 127) * factor
    if (byte < 128) return value
  }
}

function numbers(bytes: Uint8Array): number[] {
  const reader = { at: 0 }
  const found: number[] = []
  while (reader.at < bytes.length) found.push(varint(bytes, reader))
  return found
}

/** The last names of a symbol with the kind of each: `src/cart.ts` Cart# total(). → type `Cart`, method `total`. */
export function descriptorsOf(
  symbol: string,
): { name: string; kind: 'namespace' | 'type' | 'term' | 'method' | 'other' }[] {
  // scheme, manager, package and version; a blank inside of one is doubled
  const start = /^(?:(?:[^ ]|  )* ){4}/.exec(symbol)?.[0].length ?? symbol.length
  const found: ReturnType<typeof descriptorsOf> = []
  for (const it of symbol.slice(start).matchAll(/(\(|\[)?(`(?:[^`]|``)*`|[\w+$-]+)(\(\w*\)\.|[/#.:!)\]])?/g)) {
    const name = it[2].startsWith('`') ? it[2].slice(1, -1).replaceAll('``', '`') : it[2]
    const suffix = it[3] ?? ''
    const kind =
      it[1] !== undefined
        ? 'other'
        : suffix === '/'
          ? 'namespace'
          : suffix === '#'
            ? 'type'
            : suffix === '.'
              ? 'term'
              : suffix.startsWith('(')
                ? 'method'
                : 'other'
    found.push({ name, kind })
  }
  return found
}
