import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph } from '#graph/build'
import { CLASS, FILE, FUNCTION, type Graph, NONE } from '#graph/graph'
import type { EdgeInput, GraphInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { pageRank } from '#graph/pagerank'
import { patchGraph, type Stretch } from '#graph/patch'
import { graphColumns } from '#graph/snapshot'

/** A shelf is a file with books; books name other books. */
interface Book {
  title: string
  tags: string[]
  excerpt: string
  names: { shelf: number; book: number; relation: string; line: number }[]
}
type Library = Book[][]

const RELATIONS = ['calls', 'references', 'sibling'] as const

const book: fc.Arbitrary<Book> = fc.record({
  title: fc.constantFrom('atlas', 'novel', 'größe', 'poem', 'index'),
  tags: fc.subarray(['old', 'Rare', 'lent', 'atlas']),
  excerpt: fc.constantFrom('', 'first page', 'atlas', '漢字'),
  names: fc.array(
    fc.record({
      shelf: fc.nat(3),
      book: fc.nat(5),
      relation: fc.constantFrom(...RELATIONS),
      line: fc.nat(9),
    }),
    { maxLength: 4 },
  ),
})
const shelf = fc.array(book, { maxLength: 5 })
const library: fc.Arbitrary<Library> = fc.tuple(shelf, shelf, shelf, shelf).map((it) => [...it])

function inputOf(shelves: Library): GraphInput & { starts: number[] } {
  const nodes: NodeInput[] = []
  const starts: number[] = []
  shelves.forEach((books, s) => {
    starts.push(nodes.length)
    nodes.push({
      key: `file::shelf${s}`,
      label: `shelf${s}`,
      type: FILE,
      path: `shelf${s}`,
      namespace: 'code',
      parent: -1,
    })
    const counts = new Map<string, number>()
    for (const { title, tags, excerpt } of books) {
      const n = (counts.get(title) ?? 0) + 1
      counts.set(title, n)
      nodes.push({
        key: `file::shelf${s}::class::${title}${n === 1 ? '' : `#${n}`}`,
        label: title,
        type: n === 1 ? CLASS : FUNCTION,
        tags,
        excerpt,
        path: `shelf${s}`,
        namespace: 'code',
        lineStart: n,
        parent: starts[s],
      })
    }
  })
  const root = nodes.length
  nodes.push({ key: 'dir::./', label: './', type: 1, namespace: 'code' })
  starts.push(root)
  const edges: EdgeInput[] = []
  shelves.forEach((books, s) => {
    books.forEach(({ names }, b) => {
      edges.push({
        source: starts[s],
        target: starts[s] + 1 + b,
        relation: 'contains',
        weight: 1,
        causal: 1,
        bidirectional: true,
      })
      for (const { shelf, book, relation, line } of names) {
        if (book > shelves[shelf].length) continue
        edges.push({
          source: starts[s] + 1 + b,
          target: starts[shelf] + book,
          relation,
          weight: 0.5,
          causal: 0.1,
          line,
        })
      }
    })
  })
  for (let s = 0; s < shelves.length; s++)
    edges.push({ source: root, target: starts[s], relation: 'contains', weight: 0.3, causal: 0.8, bidirectional: true })
  return { nodes, edges, meta: emptyMeta(), starts }
}

/** Replaces the records of the shelves in `fresh`, and the edges of those in `led` too. */
function patched(old: Graph, before: Library, after: Library, fresh: ReadonlySet<number>, led: ReadonlySet<number>) {
  const from = inputOf(before)
  const to = inputOf(after)
  const stretches: Stretch[] = after.map((_, s) =>
    fresh.has(s)
      ? { nodes: to.nodes.slice(to.starts[s], to.starts[s + 1]) }
      : { from: from.starts[s], to: from.starts[s + 1] },
  )
  stretches.push({ nodes: to.nodes.slice(to.starts[4]) })
  const hasNewEdges = new Uint8Array(to.nodes.length)
  for (const s of [...fresh, ...led]) hasNewEdges.fill(1, to.starts[s], to.starts[s + 1])
  const result = patchGraph(old, {
    stretches,
    hasNewEdges,
    edges: to.edges.filter((it) => hasNewEdges[it.source] === 1),
    meta: emptyMeta(),
  })
  if (result !== null) result.graph.pagerank = pageRank(result.graph)
  return result
}

describe('a patched graph', () => {
  test('has the columns of the graph built anew', () => {
    fc.assert(
      fc.property(library, fc.nat(3), shelf, (before, s, books) => {
        const after = before.map((it, i) => (i === s ? books : it))
        const old = buildGraph(inputOf(before))
        // books that are named but gone take those who name them along
        const led = new Set(
          before.flatMap((it, i) => (it.some(({ names }) => names.some((name) => name.shelf === s)) ? [i] : [])),
        )
        const result = patched(old, before, after, new Set([s]), led)
        const whole = buildGraph(inputOf(after))
        expect(result).not.toBeNull()
        if (result === null) return
        expect(graphColumns(result.graph)).toEqual(graphColumns(whole))
        expect(result.graph.nLogical).toBe(whole.nLogical)
        const again = patched(result.graph, after, before, new Set([s]), led)
        expect(again === null ? null : graphColumns(again.graph)).toEqual(graphColumns(old))
      }),
      { numRuns: 300 },
    )
  })

  test('says where its nodes were', () => {
    const atlas: Book = { title: 'atlas', tags: [], excerpt: '', names: [] }
    const novel: Book = { ...atlas, title: 'novel' }
    const before = [[atlas], [novel], [], []]
    const result = patched(
      buildGraph(inputOf(before)),
      before,
      [[novel, atlas], [novel], [], []],
      new Set([0]),
      new Set(),
    )
    expect([...(result?.oldOf ?? [])]).toEqual([0, NONE, 1, 2, 3, 4, 5, 6])
  })

  test('is refused when something kept leads to what is gone', () => {
    const atlas: Book = { title: 'atlas', tags: [], excerpt: '', names: [] }
    const naming: Book = { ...atlas, names: [{ shelf: 0, book: 1, relation: 'calls', line: 1 }] }
    const before = [[atlas], [naming], [], []]
    expect(patched(buildGraph(inputOf(before)), before, [[], [naming], [], []], new Set([0]), new Set())).toBeNull()
  })
})
