import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph, toInput } from '#graph/build'
import { CLASS, DIRECTORY, FILE, FUNCTION, type Graph, keyOf, NODE_TYPES, NONE } from '#graph/graph'
import type { NodeInput } from '#graph/input'
import {
  buildLexical,
  emptyLexical,
  type FileWords,
  findTerm,
  holds,
  type Lexical,
  type LexicalFile,
  lexicalColumns,
  lexicalFromColumns,
  patchLexical,
  rarity,
  scoreDefinitions,
  scoreFiles,
  scorePaths,
} from '#graph/lexical'
import { FIELD_NAMES } from '#graph/lexical/fields'
import { patched } from '#graph/lexical/patch'
import { nodeByKey } from '#graph/lookup'
import { emptyMeta } from '#graph/meta'
import { stem } from '#graph/terms'

type Posting = [owner: number, term: string, field: (typeof FIELD_NAMES)[number], count: number]

function wordsOf(postings: readonly Posting[]): FileWords {
  const terms = Array.from(new Set(postings.map(([, term]) => term)))
  return {
    terms,
    owner: Int32Array.from(postings, ([owner]) => owner),
    term: Uint32Array.from(postings, ([, term]) => terms.indexOf(term)),
    field: Uint8Array.from(postings, ([, , field]) => FIELD_NAMES.indexOf(field)),
    count: Uint16Array.from(postings, ([, , , count]) => count),
  }
}

/** A file with definitions, each inside of the one before it when `nested`. */
interface Shelf {
  postings: Posting[]
  definitions: number
  nested: boolean
}

function shelve(shelves: readonly Shelf[]): { graph: Graph; files: LexicalFile[] } {
  const nodes: NodeInput[] = []
  const files: LexicalFile[] = []
  shelves.forEach(({ postings, definitions, nested }, s) => {
    const node = nodes.length
    nodes.push({ key: `file::shelf${s}`, label: `shelf${s}`, type: FILE, path: `shelf${s}` })
    for (let d = 0; d < definitions; d++) {
      const parent = nested && d > 0 ? nodes.length - 1 : node
      nodes.push({ key: `file::shelf${s}::fn::d${d}`, label: `d${d}`, type: FUNCTION, parent })
    }
    const definitionNodes = Uint32Array.from({ length: definitions }, (_, d) => node + 1 + d)
    files.push({ node, definitionNodes, words: wordsOf(postings) })
  })
  return { graph: buildGraph({ nodes, edges: [], meta: emptyMeta() }), files }
}

const FIELD_WEIGHTS: Record<string, number> = { path: 4, name: 5, signature: 1.5, doc: 1.2, body: 1, literal: 0.8 }
const LENGTH_WEIGHTS: Record<string, number> = {
  path: 0.9,
  name: 0.75,
  signature: 0.75,
  doc: 0.75,
  body: 0.75,
  literal: 0.75,
}

/** BM25F as in the textbook, one document after the other. */
function plainScores(documents: Posting[][], term: string): number[] {
  const lengthOf = (document: Posting[], field: string) =>
    sum(document.filter((it) => it[2] === field).map((it) => it[3]))
  const holding = documents.filter((it) => it.some(([, other]) => other === term)).length
  const idf = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5))
  return documents.map((document) => {
    let frequency = 0
    for (const field of FIELD_NAMES) {
      const lengths = documents.map((it) => lengthOf(it, field)).filter((it) => it > 0)
      const average = 2 ** (Math.round(16 * Math.log2(sum(lengths) / Math.max(1, lengths.length))) / 16)
      const b = LENGTH_WEIGHTS[field]
      const count = sum(document.filter((it) => it[1] === term && it[2] === field).map((it) => it[3]))
      if (count > 0) frequency += (FIELD_WEIGHTS[field] * count) / (1 - b + (b * lengthOf(document, field)) / average)
    }
    return frequency === 0 ? 0 : (idf * 3 * frequency) / (frequency + 2)
  })
}

function sum(values: number[]): number {
  return values.reduce((a, b) => a + b, 0)
}

const posting = (definitions: number) =>
  fc.tuple(
    fc.integer({ min: -1, max: definitions - 1 }),
    fc.constantFrom('cart', 'price', 'tax', 'zebra', 'ähre'),
    fc.constantFrom(...FIELD_NAMES),
    fc.integer({ min: 1, max: 9 }),
  )
const shelf = fc
  .record({ definitions: fc.integer({ min: 0, max: 3 }), nested: fc.boolean() })
  .chain((it) => fc.record({ ...constants(it), postings: fc.array(posting(it.definitions), { maxLength: 12 }) }))

function constants({ definitions, nested }: { definitions: number; nested: boolean }) {
  return { definitions: fc.constant(definitions), nested: fc.constant(nested) }
}

describe('scores', () => {
  test('agree with the plain formula for files, for definitions with what they contain, and for what is outside of any', () => {
    fc.assert(
      fc.property(
        fc.array(shelf, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('cart', 'tax', 'ähre'),
        (shelves, term) => {
          const { graph, files } = shelve(shelves)
          const lexical = buildLexical(files, graph)
          const inFiles = plainScores(
            shelves.map((it) => it.postings),
            term,
          )
          scoreFiles(lexical, [{ term, weight: 1 }]).forEach((score, f) => {
            expect(score).toBeCloseTo(inFiles[f], 3)
          })

          const documents = shelves.flatMap(({ postings, definitions, nested }) => {
            const own = postings.filter(([owner, , field]) => owner < 0 && field !== 'path')
            const inside = (d: number) => postings.filter(([owner]) => (nested ? owner >= d : owner === d))
            return [own].concat(Array.from({ length: definitions }, (_, d) => inside(d)))
          })
          const inDefinitions = plainScores(documents, term)
          scoreDefinitions(lexical, [{ term, weight: 1 }]).forEach((score, d) => {
            expect(score).toBeCloseTo(inDefinitions[d], 3)
          })
        },
      ),
    )
  })

  test('add up over terms by weight, and leave out terms that nothing holds', () => {
    const { graph, files } = shelve([
      {
        postings: [
          [-1, 'cart', 'body', 1],
          [-1, 'tax', 'body', 2],
        ],
        definitions: 0,
        nested: false,
      },
      { postings: [[-1, 'price', 'body', 1]], definitions: 0, nested: false },
    ])
    const lexical = buildLexical(files, graph)
    const cart = scoreFiles(lexical, [{ term: 'cart', weight: 1 }])[0]
    const tax = scoreFiles(lexical, [{ term: 'tax', weight: 1 }])[0]
    const both = scoreFiles(lexical, [
      { term: 'cart', weight: 2 },
      { term: 'tax', weight: 0.5 },
      { term: 'ghost', weight: 9 },
    ])
    expect(both[0]).toBeCloseTo(2 * cart + 0.5 * tax, 5)
    expect(both[1]).toBe(0)
  })

  test('of paths alone come from the path only', () => {
    const { graph, files } = shelve([
      {
        postings: [
          [-1, 'cart', 'path', 2],
          [-1, 'tax', 'body', 1],
        ],
        definitions: 0,
        nested: false,
      },
      { postings: [[-1, 'cart', 'body', 5]], definitions: 0, nested: false },
    ])
    const lexical = buildLexical(files, graph)
    expect(Array.from(scorePaths(lexical, [{ term: 'cart', weight: 1 }]), (it) => it > 0)).toEqual([true, false])
    expect(Array.from(scorePaths(lexical, [{ term: 'tax', weight: 1 }]), (it) => it > 0)).toEqual([false, false])
  })
})

describe('the index', () => {
  const { graph, files } = shelve([
    {
      postings: [
        [-1, 'tax', 'body', 1],
        [0, 'cart', 'name', 1],
      ],
      definitions: 2,
      nested: false,
    },
    {
      postings: [
        [-1, 'ähre', 'doc', 1],
        [-1, 'tax', 'doc', 1],
      ],
      definitions: 0,
      nested: false,
    },
  ])
  const lexical = buildLexical(files, graph)

  test('finds its terms and no others', () => {
    for (const term of ['tax', 'cart', 'ähre']) expect(findTerm(lexical, term)).not.toBe(NONE)
    for (const term of ['', 'ta', 'taxi', 'zzz', '税']) expect(findTerm(lexical, term)).toBe(NONE)
    expect(findTerm(emptyLexical(), 'tax')).toBe(NONE)
  })

  test('knows which documents hold a term and how rare it is', () => {
    const tax = findTerm(lexical, 'tax')
    const cart = findTerm(lexical, 'cart')
    expect([holds(lexical.inFiles, 0, tax), holds(lexical.inFiles, 1, tax)]).toEqual([true, true])
    expect([holds(lexical.inFiles, 0, cart), holds(lexical.inFiles, 1, cart)]).toEqual([true, false])
    expect([0, 1, 2].map((doc) => holds(lexical.inDefinitions, doc, cart))).toEqual([false, true, false])
    expect(rarity(lexical.inFiles, 2, cart)).toBeGreaterThan(rarity(lexical.inFiles, 2, tax))
    expect(rarity(lexical.inFiles, 2, NONE)).toBe(0)
  })

  test('comes back from its columns, and a wrong column is named', () => {
    const columns = lexicalColumns(lexical)
    expect(lexicalFromColumns(columns)).toEqual(lexical)
    expect(() => lexicalFromColumns({ ...columns, inFilesDocs: new Uint8Array(1) })).toThrow('inFilesDocs')
    const { termBytes: _, ...rest } = columns
    expect(() => lexicalFromColumns(rest)).toThrow('termBytes')
  })

  test('is the same for the same files', () => {
    expect(lexicalColumns(buildLexical(files, graph))).toEqual(lexicalColumns(lexical))
  })
})

describe('nodes without text', () => {
  const PROCESS = NODE_TYPES.indexOf('process')
  const nodes: NodeInput[] = [
    { key: 'dir::shop/', label: 'shop/', type: DIRECTORY },
    { key: 'file::shop/cart.py', label: 'cart.py', type: FILE, path: 'shop/cart.py', parent: 0 },
    { key: 'file::shop/cart.py::class::Cart', label: 'Cart', type: CLASS, parent: 1, excerpt: 'Holds the items.' },
    { key: 'step::pack', label: 'Pack order', type: PROCESS, tags: ['warehouse'] },
  ]
  const graph = buildGraph({ nodes, edges: [], meta: emptyMeta() })
  const found = (lexical: Lexical, term: string) =>
    Array.from(scoreFiles(lexical, [{ term: stem(term), weight: 1 }]), (score, f) =>
      score > 0 ? lexical.files[f] : NONE,
    ).filter((it) => it !== NONE)

  test('are found by what the graph says of them, all but directories', () => {
    const lexical = buildLexical([], graph)
    expect(Array.from(lexical.files)).toEqual([1, 3])
    expect(found(lexical, 'shop')).toEqual([1])
    expect(found(lexical, 'items')).toEqual([1])
    expect(found(lexical, 'warehouse')).toEqual([3])
    expect(Array.from(scoreDefinitions(lexical, [{ term: stem('items'), weight: 1 }]), (it) => it > 0)).toEqual([
      false,
      true,
      false,
    ])
  })

  test('come after the files with text, which keep their own words', () => {
    const words = wordsOf([[-1, 'basket', 'body', 1]])
    const lexical = buildLexical([{ node: 1, definitionNodes: Uint32Array.of(2), words }], graph)
    expect(Array.from(lexical.files)).toEqual([1, 3])
    expect(found(lexical, 'basket')).toEqual([1])
    expect(found(lexical, 'shop')).toEqual([])
  })
})

describe('an index of which some files changed', () => {
  const posting = fc
    .tuple(
      fc.integer({ min: -1, max: 3 }),
      fc.constantFrom('book', 'shelf', 'lend', 'größe', 'return', 'atlas'),
      fc.constantFrom(...FIELD_NAMES),
      fc.integer({ min: 1, max: 3 }),
    )
    .map((it): Posting => [...it])
  const shelf = fc
    .record({ postings: fc.array(posting, { maxLength: 8 }), definitions: fc.nat(4), nested: fc.boolean() })
    .map((it) => ({ ...it, postings: it.postings.filter(([owner]) => owner < it.definitions) }))
  const room = fc.array(shelf, { minLength: 3, maxLength: 3 })

  /** The same shelves, and a node that has no text. */
  function withPackage(shelves: readonly Shelf[], label: string) {
    const { graph, files } = shelve(shelves)
    const { nodes } = toInput(graph)
    nodes.push({ key: `pkg::${label}`, label, type: FUNCTION })
    return { graph: buildGraph({ nodes, edges: [], meta: emptyMeta() }), files }
  }

  test('is the one built anew', () => {
    fc.assert(
      fc.property(room, room, fc.subarray([0, 1, 2], { minLength: 1 }), (before, instead, changed) => {
        const after = before.map((it, s) => (changed.includes(s) ? instead[s] : it))
        const old = withPackage(before, 'lend')
        const now = withPackage(after, 'return')
        const newOf = Uint32Array.from({ length: old.graph.nNodes }, (_, v) =>
          nodeByKey(now.graph, keyOf(old.graph, v)),
        )
        const whole = buildLexical(now.files, now.graph)
        const patch = {
          nFiles: 3,
          changed,
          before: changed.map((it) => old.files[it]),
          after: changed.map((it) => now.files[it]),
          oldGraph: old.graph,
          graph: now.graph,
          newOf,
        }
        const patched = patchLexical(buildLexical(old.files, old.graph), patch, () => now.files)
        expect(lexicalColumns(patched)).toEqual(lexicalColumns(whole))
      }),
      { numRuns: 500 },
    )
  })

  test('is not built anew as long as the averages stay', () => {
    const shelves: Shelf[] = Array.from({ length: 40 }, (_, s) => ({
      postings: [[-1, `book${s}`, 'body', 20]],
      definitions: 0,
      nested: false,
    }))
    const old = shelve(shelves)
    const now = shelve(shelves.with(3, { ...shelves[3], postings: [[-1, 'atlas', 'body', 21]] }))
    const same = Uint32Array.from(old.graph.keys)
    const index = patched(buildLexical(old.files, old.graph), {
      nFiles: 40,
      changed: [3],
      before: [old.files[3]],
      after: [now.files[3]],
      oldGraph: old.graph,
      graph: now.graph,
      newOf: same,
    })
    expect(index === null ? null : lexicalColumns(index)).toEqual(lexicalColumns(buildLexical(now.files, now.graph)))
  })
})
