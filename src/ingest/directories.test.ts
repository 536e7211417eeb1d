import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DIRECTORY, FILE } from '#graph/graph'
import type { NodeInput } from '#graph/input'
import { directories, folderTree, siblings } from '#ingest/directories'

function withFiles(...paths: string[]) {
  const nodes: NodeInput[] = paths.map((it) => ({ key: `file::${it}`, label: it, type: FILE }))
  const files = paths.map((path, i) => ({ path, lastModified: 10 * (i + 1) }))
  const folders = directories(
    folderTree(files),
    files,
    Uint32Array.from(paths, (_, i) => i),
    { rootName: 'shop', firstNode: paths.length },
  )
  const edges = folders.edgesFrom(() => true)
  nodes.forEach((it, f) => (it.parent = folders.parents[f]))
  nodes.push(...folders.nodes)
  const key = (v: number | undefined) => (v === undefined ? '' : nodes[v].key)
  return { nodes, edges, key }
}

describe('folders', () => {
  test('makes a node for every folder up to the root, with the time of its newest file', () => {
    const { nodes } = withFiles('a.py', 'web/forms/cart.py', 'web/till.py')

    expect(nodes.slice(3).map(({ key, label, type, lastModified }) => [key, label, type, lastModified])).toEqual([
      ['dir::./', 'shop/', DIRECTORY, 30],
      ['dir::web/', 'web/', DIRECTORY, 30],
      ['dir::web/forms/', 'forms/', DIRECTORY, 20],
    ])
  })

  test('makes folders the parents of their files and folders, through weak edges both ways', () => {
    const { nodes, edges, key } = withFiles('a.py', 'web/cart.py')

    expect(nodes.map((it) => [it.key, key(it.parent)])).toEqual([
      ['file::a.py', 'dir::./'],
      ['file::web/cart.py', 'dir::web/'],
      ['dir::./', ''],
      ['dir::web/', 'dir::./'],
    ])
    const contains = edges.filter((it) => it.relation === 'contains')
    expect(contains.map((it) => `${key(it.source)} ${key(it.target)}`).sort()).toEqual([
      'dir::./ dir::web/',
      'dir::./ file::a.py',
      'dir::web/ file::web/cart.py',
    ])
    for (const it of contains) expect(it).toMatchObject({ weight: 0.3, causal: 0.8, bidirectional: true })
  })

  test('joins the files of one folder as siblings, not those of its sub-folders', () => {
    const { edges, key } = withFiles('a.py', 'b.py', 'web/c.py')
    const pairs = edges.filter((it) => it.relation === 'sibling')

    expect(pairs.map((it) => `${key(it.source)} ${key(it.target)}`)).toEqual(['file::a.py file::b.py'])
    expect(pairs[0]).toMatchObject({ weight: 0.1, causal: 0, bidirectional: true })
  })

  test('keeps the root for an empty project', () => {
    expect(withFiles().nodes.map((it) => it.key)).toEqual(['dir::./'])
  })
})

describe('siblings', () => {
  test('of up to eight files are all pairs', () => {
    expect(siblings(['a', 'b', 'c'])).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
    ])
    expect(siblings('abcdefgh'.split(''))).toHaveLength(28)
  })

  test('of more files are those that share most of their name', () => {
    const stems = [
      'cart',
      'cart_item',
      'cart_item_view',
      'order',
      'order_item',
      'order_view',
      'stock',
      'till',
      'user',
      'user-view',
    ]
    const pairs = siblings(stems).map(([a, b]) => `${stems[a]} ${stems[b]}`)

    expect(pairs).toContain('cart_item cart_item_view')
    expect(pairs).toContain('user user-view')
    expect(pairs).toContain('order order_item')
  })

  test('give every file of a large folder at least four, each pair once', () => {
    const stem = fc
      .array(fc.constantFrom('cart', 'item', 'view', 'order', 'x'), { minLength: 1, maxLength: 3 })
      .map((it) => it.join('_'))
    fc.assert(
      fc.property(fc.array(stem, { minLength: 9, maxLength: 40 }), (stems) => {
        const pairs = siblings(stems)
        const degree = stems.map(() => 0)
        for (const [a, b] of pairs) {
          expect(a).toBeLessThan(b)
          degree[a]++
          degree[b]++
        }
        expect(Math.min(...degree)).toBeGreaterThanOrEqual(4)
        expect(new Set(pairs.map(String)).size).toBe(pairs.length)
        expect(pairs.length).toBeLessThanOrEqual(4 * stems.length)
      }),
    )
  })

  test('of thousands of files are found in little time', () => {
    const stems = Array.from({ length: 5000 }, (_, i) => `test_case_${i}`)
    const began = performance.now()

    expect(siblings(stems).length).toBeLessThanOrEqual(20_000)
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})
