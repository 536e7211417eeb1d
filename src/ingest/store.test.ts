import { describe, expect, test } from 'vitest'
import { decodeSections, encodeSections } from '#graph/snapshot'
import { emptyFacts } from '#ingest/facts'
import { packFacts, Unpacker } from '#ingest/pack'
import { compactStore, type FactsStore, storeColumns, storeFromColumns, type StoredFile } from '#ingest/store'
import { sitesOf, UpgradeWriter } from '#ingest/upgrade'

function facts(excerpt: string) {
  return { ...emptyFacts('python'), excerpt }
}

function file(path: string, chunk: number, position: number): StoredFile {
  return {
    path,
    size: 5,
    mtimeMs: 1.5,
    ctimeMs: 2.25,
    hash: 'ab',
    normalisedHash: '',
    kind: 'text',
    generated: false,
    chunk,
    position,
  }
}

const store: FactsStore = {
  version: '1 {}',
  takenAt: 1000,
  files: [file('a.py', 0, 0), file('b.py', 1, 2), { ...file('c.png', -1, -1), kind: 'binary' }, file('d.py', 0, 1)],
  chunks: [
    packFacts([facts('Cart.'), facts('Till 漢.')]),
    packFacts([facts('Old.'), facts('Older.'), facts('Stock.')]),
    packFacts([facts('Unused.')]),
  ],
  upgrades: [],
}

const writer = new UpgradeWriter()
writer.add('a.py', 'ab', [
  { line: 3, column: 4, name: 'total', role: 'call', targets: [{ path: 'd.py', line: 1, name: 'total' }] },
  { line: 4, column: 0, name: 'print', role: 'call', targets: [{ path: '', line: 0, name: '' }] },
])
const set = writer.finish({ source: 'scip', origin: 'index.scip', originHash: '7 1', stale: 2 }, () => 'ab')
const upgraded = { ...store, upgrades: [set] }

function excerpts({ files, chunks }: FactsStore): string[] {
  return files.map((it) => (it.chunk === -1 ? '' : new Unpacker(chunks[it.chunk]).facts(it.position).excerpt))
}

describe('a store of facts', () => {
  test('comes back from its columns as it was', () => {
    const { header, columns } = storeColumns(upgraded)
    const bytes = encodeSections(header, columns)
    const read = decodeSections(Buffer.concat(bytes))
    const back = storeFromColumns(read.header, read.columns)

    expect(back).toEqual(upgraded)
    expect(sitesOf({ set: (back?.upgrades ?? [])[0], file: set.files[0] })).toEqual(
      sitesOf({ set, file: set.files[0] }),
    )
  })

  test('is not made of columns that are something else', () => {
    const { header, columns } = storeColumns(store)

    expect(storeFromColumns(null, columns)).toBeNull()
    expect(storeFromColumns(header, {})).toBeNull()
    expect(storeFromColumns({ ...header, files: [['a.py']] }, columns)).toBeNull()
    expect(storeFromColumns(header, { ...columns, ints: columns.ints.subarray(1) })).toBeNull()
  })

  test('drops packages without users and packs those with few anew', () => {
    const compact = compactStore(store)

    expect(excerpts(compact)).toEqual(excerpts(store))
    expect(compact.chunks.map((it) => it.strings)).toEqual(['pythonCart.Till 漢.', 'pythonStock.'])
  })
})
