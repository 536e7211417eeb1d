import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph, emptyGraph, removeNodes } from '#graph/build'
import { type Graph, keyOf } from '#graph/graph'
import { libraryInput } from '#graph/library-for-tests'
import { metaFromJson, metaToJson } from '#graph/meta'
import { type Columns, decodeSections, encodeSections, graphColumns, graphFromColumns, readers } from '#graph/snapshot'

function joined(parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, it) => sum + it.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function saved(graph: Graph): Uint8Array {
  return joined(encodeSections({ meta: metaToJson(graph.meta) }, graphColumns(graph)))
}

function loaded(bytes: Uint8Array): Graph {
  const { header, columns } = decodeSections(bytes)
  return graphFromColumns(columns, header.meta)
}

const library = () => buildGraph(libraryInput(300, 900, 5))

describe('sections', () => {
  test('come back as they went in, whatever their types and lengths', () => {
    const columns = fc.dictionary(
      fc.string({ minLength: 1, maxLength: 8 }).filter((it) => it !== '__proto__'),
      fc.oneof(
        fc.uint8Array({ maxLength: 30 }),
        fc.uint16Array({ maxLength: 30 }),
        fc.uint32Array({ maxLength: 30 }),
        fc.int32Array({ maxLength: 30 }),
        fc.float32Array({ maxLength: 30, noNaN: true }),
        fc.float64Array({ maxLength: 30, noNaN: true }),
      ),
    )
    fc.assert(
      fc.property(columns, (it) => {
        const { header, columns: found } = decodeSections(joined(encodeSections({ shop: 'books', floors: 3 }, it)))
        expect(header).toEqual({ shop: 'books', floors: 3 })
        expect({ ...found }).toEqual({ ...it })
      }),
    )
  })

  test('are views on the bytes of the file', () => {
    const bytes = joined(encodeSections({}, { weights: Float32Array.of(0.5, 0.25), ids: Float64Array.of(7) }))
    const { columns } = decodeSections(bytes)
    expect(columns.weights.buffer).toBe(bytes.buffer)
    expect(columns.ids.byteOffset % 8).toBe(0)
  })

  test('can be read from the middle of a buffer', () => {
    const bytes = joined(encodeSections({}, { weights: Float64Array.of(0.5) }))
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 3)
    expect(decodeSections(shifted.subarray(3)).columns.weights).toEqual(Float64Array.of(0.5))
  })

  test('take no room for zeros', () => {
    const size = (column: Uint32Array) => joined(encodeSections({}, { column })).length
    expect(size(new Uint32Array(100_000))).toBeLessThan(200)
    expect(decodeSections(joined(encodeSections({}, { zeros: new Uint32Array(9) }))).columns.zeros).toEqual(
      new Uint32Array(9),
    )
  })

  test('refuse a file of another kind, and say what they expected', () => {
    expect(() => decodeSections(new TextEncoder().encode('{"version":3,"nodes":[]}'))).toThrow(
      'expected it to begin with M1ND, found "{\\"ve"',
    )
    expect(() => decodeSections(new Uint8Array(5))).toThrow('expected at least 16 bytes, found 5')
  })

  test('refuse another version', () => {
    const bytes = joined(encodeSections({}, {}))
    bytes[4] = 9
    expect(() => decodeSections(bytes)).toThrow('snapshot has version 9, expected version 1')
  })

  test('refuse a file that is cut off anywhere', () => {
    const bytes = saved(library())
    for (const length of [16, 40, 500, bytes.length >> 1, bytes.length - 8]) {
      expect(() => decodeSections(bytes.slice(0, length))).toThrow(
        /cut off: expected (at least )?\d+ bytes.*, found \d+/,
      )
    }
  })

  test('notice any changed byte', () => {
    const bytes = joined(
      encodeSections(
        { shop: 'books' },
        {
          ids: Uint32Array.of(1, 2, 3, 4),
          tags: Uint8Array.of(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20),
        },
      ),
    )
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = bytes.slice()
        damaged[at] ^= flip
        expect(() => decodeSections(damaged)).toThrow(/snapshot/)
      }),
    )
    const damaged = bytes.slice()
    damaged[damaged.length - 1] ^= 1
    expect(() => decodeSections(damaged)).toThrow(/checksum of column tags should be [0-9a-f]+, found [0-9a-f]+/)
  })
})

describe('a graph in a snapshot', () => {
  test('comes back the same, with its meta and what it learned', () => {
    const graph = library()
    graph.meta.roots.push({ path: '/srv/library', prefix: '', adapter: 'code', base: '/srv' })
    graph.meta.coverage.sites.push({ path: 'loan.py', line: 4, text: 'member.extend()' })
    graph.meta.generation = 12
    graph.weights[3] = 0.77
    graph.strengthened[3] = 4
    graph.marks[3] = 1
    const copy = loaded(saved(graph))
    expect(graphColumns(copy)).toEqual(graphColumns(graph))
    expect(copy.meta).toEqual(graph.meta)
    expect([copy.nNodes, copy.nEdges, copy.nLogical]).toEqual([graph.nNodes, graph.nEdges, graph.nLogical])
    expect(keyOf(copy, 17)).toBe(keyOf(graph, 17))
    expect(copy.strings.find(keyOf(graph, 17))).toBe(17)
    expect(saved(copy)).toEqual(saved(graph))
  })

  test('keeps paths and texts of unresolved calls once, and reads a list of them as older files have it', () => {
    const { meta } = library()
    const sites = Array.from({ length: 40 }, (_, i) => ({ path: 'loan.py', line: i + 1, text: 'member.extend()' }))
    meta.coverage.sites.push(...sites, { path: 'desk.py', line: 4, text: 'member.extend()' })
    const json = JSON.stringify(metaToJson(meta))
    expect(json.match(/loan\.py/g)).toHaveLength(1)
    expect(metaFromJson(JSON.parse(json))).toEqual(meta)
    const older = { ...JSON.parse(json), coverage: { ...JSON.parse(json).coverage, sites } }
    expect(metaFromJson(older).coverage.sites).toEqual(sites)
  })

  test('comes back the same without nodes, and with removed ones', () => {
    for (const graph of [emptyGraph(), removeNodes(library(), [4, 5, 6])]) {
      const copy = loaded(saved(graph))
      expect(graphColumns(copy)).toEqual(graphColumns(graph))
      expect(copy.nLogical).toBe(graph.nLogical)
    }
  })

  test('shares its file with the columns of others', () => {
    const graph = library()
    const columns: Columns = { ...graphColumns(graph), 'cochange.strength': Float32Array.of(0.5) }
    const { header, columns: found } = decodeSections(
      joined(encodeSections({ meta: metaToJson(graph.meta), learned: [1] }, columns)),
    )
    expect(graphFromColumns(found, header.meta).nNodes).toBe(graph.nNodes)
    expect(header.learned).toEqual([1])
    expect(readers(found).f32('cochange.strength')).toEqual(Float32Array.of(0.5))
  })

  test('needs all of its columns, of their types and lengths', () => {
    const columns = graphColumns(library())
    const { 'graph.weights': weights, ...rest } = columns
    expect(() => graphFromColumns(rest, {})).toThrow('snapshot has no column graph.weights')
    expect(() => graphFromColumns({ ...rest, 'graph.weights': weights.slice(1) }, {})).toThrow(
      `column graph.weights has ${weights.length - 1} elements, expected ${weights.length}`,
    )
    expect(() => graphFromColumns({ ...columns, 'graph.weights': new Uint32Array(weights.length) }, {})).toThrow(
      'column graph.weights has the type u32, expected f32',
    )
  })
})
