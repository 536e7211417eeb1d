/** SCIP indexes for tests, written through the library that reads them. */

import { BinaryWriter } from '@bufbuild/protobuf/wire'

export interface IndexedName {
  /** Zero-based. */
  line: number
  from: number
  to: number
  symbol: string
  isDefinition?: boolean
}

export interface IndexedDocument {
  path: string
  names: IndexedName[]
  text?: string
  encoding?: number
  /** Base by type. */
  bases?: Record<string, string>
}

export function writeIndex(documents: readonly IndexedDocument[], projectRoot = 'file:///elsewhere'): Uint8Array {
  const tool = new BinaryWriter().tag(1, 2).string('shop-indexer').finish()
  const metadata = new BinaryWriter().tag(2, 2).bytes(tool).tag(3, 2).string(projectRoot).finish()
  const index = new BinaryWriter().tag(1, 2).bytes(metadata)
  for (const it of documents) index.tag(2, 2).bytes(writeDocument(it))
  return index.finish()
}

function writeDocument({ path, names, text, encoding, bases = {} }: IndexedDocument): Uint8Array {
  const document = new BinaryWriter().tag(4, 2).string('shop').tag(1, 2).string(path)
  for (const { line, from, to, symbol, isDefinition = false } of names) {
    const occurrence = new BinaryWriter()
      .tag(1, 2)
      .bytes(Uint8Array.from([line, from, to]))
      .tag(2, 2)
      .string(symbol)
    if (isDefinition) occurrence.tag(3, 0).int32(1)
    document.tag(2, 2).bytes(occurrence.finish())
  }
  for (const [symbol, base] of Object.entries(bases)) {
    const relationship = new BinaryWriter().tag(1, 2).string(base).tag(3, 0).bool(true).finish()
    document.tag(3, 2).bytes(new BinaryWriter().tag(1, 2).string(symbol).tag(4, 2).bytes(relationship).finish())
  }
  if (text !== undefined) document.tag(5, 2).string(text)
  if (encoding !== undefined) document.tag(6, 0).int32(encoding)
  return document.finish()
}

/** The first place of `word` in `text` at or after `after`, as an occurrence of `symbol`. */
export function nameIn(text: string, word: string, symbol: string, isDefinition = false, after = ''): IndexedName {
  const start = text.indexOf(word, text.indexOf(after))
  const before = text.slice(0, start).split('\n')
  const from = before[before.length - 1].length
  return { line: before.length - 1, from, to: from + word.length, symbol, isDefinition }
}
