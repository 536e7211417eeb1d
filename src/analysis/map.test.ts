import { expect, describe, test } from 'vitest'
import { communitiesOf } from '#analysis/communities'
import { type GraphMap, type Item, type MapRequest, mapWork } from '#analysis/map'
import { follow, type Places, placesIn } from '#analysis/map-layout'
import { type MapTree, mapTreeWork } from '#analysis/map-tree'
import { buildGraph } from '#graph/build'
import { DIRECTORY, FILE, FUNCTION, type Graph, REFERENCE } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { emptyMeta } from '#graph/meta'
import { finish } from '#std/work'

type Uses = readonly (readonly [from: string, to: string, relation?: string, more?: Partial<EdgeInput>])[]

/** Files of these paths, `path#name` for a definition in one, and what they use; names without a slash or dot are packages. */
function project(paths: readonly string[], uses: Uses = [], times: Readonly<Record<string, number>> = {}): Graph {
  const nodes: NodeInput[] = [{ key: 'dir::./', label: 'shop', type: DIRECTORY, parent: -1 }]
  const numbers = new Map([['', 0]])
  const folder = (path: string): number => {
    const known = numbers.get(path)
    if (known !== undefined) return known
    const parent = folder(path.split('/').slice(0, -1).join('/'))
    nodes.push({ key: `dir::${path}/`, label: path.split('/').at(-1) ?? '', type: DIRECTORY, path, parent })
    numbers.set(path, nodes.length - 1)
    return nodes.length - 1
  }
  const find = (path: string): number => {
    const known = numbers.get(path)
    if (known !== undefined) return known
    const [file, name] = path.split('#')
    const isPackage = !path.includes('.')
    const parent = isPackage ? -1 : name === undefined ? folder(file.split('/').slice(0, -1).join('/')) : find(file)
    nodes.push({
      key: name === undefined ? `${isPackage ? 'pkg::npm' : 'file'}::${path}` : `file::${file}::fn::${name}`,
      label: name ?? file.split('/').at(-1) ?? '',
      type: isPackage ? REFERENCE : name === undefined ? FILE : FUNCTION,
      path: isPackage ? '' : file,
      lastModified: times[file] ?? 0,
      parent,
    })
    numbers.set(path, nodes.length - 1)
    return nodes.length - 1
  }
  for (const it of [...paths].sort()) find(it)
  const edges: EdgeInput[] = []
  for (let i = 1; i < nodes.length; i++) {
    const source = nodes[i].parent ?? -1
    if (source >= 0)
      edges.push({ source, target: i, relation: 'contains', weight: 1, causal: 0.8, bidirectional: true })
  }
  for (const [from, to, relation = 'imports', more = {}] of uses)
    edges.push({ source: find(from), target: find(to), relation, weight: 0.5, causal: 0.6, ...more })
  return buildGraph({ nodes, edges, meta: emptyMeta() })
}

function map(graph: Graph, request: Partial<MapRequest> = {}, places: Places = new Map()): GraphMap {
  const tree = treeOf(graph)
  follow(tree, places)
  return finish(mapWork(tree, { open: [], show: [], mostItems: 12_000, mostEdges: 4000, ...request }))
}

function treeOf(graph: Graph): MapTree {
  return finish(mapTreeWork(graph, communitiesOf(graph)))
}

const names = (items: readonly Item[]) => items.map((it) => it.name).sort()
const item = ({ items }: GraphMap, name: string) => {
  const found = items.find((it) => it.name === name)
  if (found === undefined) throw new Error(`There is no ${name}.`)
  return found
}
const range = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

const SHOP = [
  'shop/cart.py',
  'shop/cart.py#add',
  'shop/cart.py#total',
  'shop/price.py',
  'tests/test_cart.py',
  'setup.py',
]

describe('the map of a project', () => {
  test('begins with what lies in its folder; what is inside is counted', () => {
    const { items, aggregated } = map(project(SHOP))
    expect(names(items)).toEqual(['setup.py', 'shop', 'tests'])
    expect(items.find((it) => it.name === 'shop')).toMatchObject({
      id: 'dir::shop/',
      kind: 'group',
      node_type: 'directory',
      path: 'shop',
      parent: null,
      nodes: 5,
      children: 2,
      open: false,
    })
    expect(aggregated).toEqual({ nodes: 7, groups: 2 })
  })

  test('shows what is in open items, beside what is closed', () => {
    const shown = map(project(SHOP), { open: ['dir::shop/'] })
    expect(names(shown.items)).toEqual(['cart.py', 'price.py', 'setup.py', 'shop', 'tests'])
    expect(item(shown, 'cart.py')).toMatchObject({ parent: 'dir::shop/', kind: 'node', nodes: 3, children: 2 })
    // what lies around an item is opened with it
    const inner = map(project(SHOP), { open: ['file::shop/cart.py'] })
    expect(names(inner.items.filter((it) => it.open))).toEqual(['cart.py', 'shop'])
    expect(names(inner.items.filter((it) => it.parent === 'file::shop/cart.py'))).toEqual(['add', 'total'])
    const seen = map(project(SHOP), { show: ['file::shop/cart.py'] })
    expect(names(seen.items.filter((it) => it.open))).toEqual(['shop'])
  })

  test('nothing overlaps, and what is inside lies inside, wherever it is opened', () => {
    const paths = range(8, (a) => range(9, (b) => range(a + b, (c) => `d${a}/e${b}/f${c}.py#g${c}`))).flat(2)
    const { items, bounds } = map(project(paths), { open: ['*'] })
    const byId = new Map(items.map((it) => [it.id, it]))
    for (const it of items) {
      const { x = 0, y = 0, r = Number.POSITIVE_INFINITY } = byId.get(it.parent ?? '') ?? {}
      expect(Math.hypot(it.x - x, it.y - y) + it.r).toBeLessThan(r)
      for (const other of items) {
        if (other === it || other.parent !== it.parent) continue
        expect(Math.hypot(it.x - other.x, it.y - other.y)).toBeGreaterThan(it.r + other.r)
      }
      expect(it.x - it.r).toBeGreaterThanOrEqual(bounds.x - 1e-6)
      expect(it.y + it.r).toBeLessThanOrEqual(bounds.y + bounds.height + 1e-6)
    }
  })

  test('does not move by what is opened', () => {
    const [closed, opened] = [map(project(SHOP)), map(project(SHOP), { open: ['*'] })]
    for (const { id, x, y, r } of closed.items)
      expect(opened.items.find((it) => it.id === id)).toMatchObject({ x, y, r })
  })

  test('folders that hold nothing but a folder are one with it, under all of their names', () => {
    const java = range(3, (i) => `src/main/java/shop/C${i}.java`)
    const chained = map(project([...java, 'docs/index.md']), { open: ['dir::src/main/'] })
    expect(item(chained, 'src/main/java/shop')).toMatchObject({ id: 'dir::src/main/java/shop/', open: true, nodes: 7 })
    expect(chained.unknown).toEqual([])
    expect(names(chained.items)).toEqual(['C0.java', 'C1.java', 'C2.java', 'docs', 'src/main/java/shop'])
  })

  test('packages lie together', () => {
    const { items } = map(
      project(
        ['shop/cart.py'],
        [
          ['shop/cart.py', 'requests'],
          ['shop/cart.py', 'flask'],
        ],
      ),
      {
        open: ['group::packages'],
      },
    )
    expect(names(items.filter((it) => it.parent === 'group::packages'))).toEqual(['flask', 'requests'])
  })

  test('a large flat folder falls into its communities, called after their strongest files', () => {
    const files = range(80, (i) => `rules/${i % 2 ? 'odd' : 'even'}-${String(i).padStart(2, '0')}.js`)
    const uses: Uses = files.map(
      (it) => [it, it.includes('odd') ? 'rules/odd-01.js' : 'rules/even-00.js', 'imports', { weight: 9 }] as const,
    )
    const shown = map(
      project(
        files,
        uses.filter(([from, to]) => from !== to),
      ),
      { open: ['dir::rules/'] },
    )
    expect(names(shown.items)).toEqual(['around even-00.js', 'around odd-01.js', 'rules'])
    const odd = item(shown, 'around odd-01.js')
    expect(odd).toMatchObject({ id: 'part::file::rules/odd-01.js', nodes: 40, children: 40, path: 'rules' })
    expect(names(map(project(files), { open: ['dir::rules/'] }).items)).toHaveLength(81)
  })

  test('an id that is nowhere, or holds nothing, is told', () => {
    const { unknown, items } = map(project(SHOP), { open: ['file::setup.py', 'dir::\0/', 'nowhere'], show: ['../etc'] })
    expect(unknown).toEqual(['file::setup.py', 'dir::\0/', 'nowhere', '../etc'])
    expect(items).toHaveLength(3)
  })

  test('what finds no room stays closed, and is counted', () => {
    const paths = [...range(30, (i) => `a/f${i}.py`), ...range(5, (i) => `b/f${i}.py`)]
    const cut = map(project(paths), { open: ['*'], mostItems: 10 })
    expect(cut.items.map((it) => [it.name, it.open])).toEqual(
      expect.arrayContaining([
        ['a', false],
        ['b', true],
      ]),
    )
    expect([cut.items.length, cut.notShown]).toEqual([7, 30])
  })

  test('an empty graph has an empty map', () => {
    expect(map(buildGraph({ nodes: [], edges: [], meta: emptyMeta() }), { open: ['*'] })).toMatchObject({
      items: [],
      edges: [],
      bounds: { width: 0, height: 0 },
    })
  })

  test('recency goes from the newest change to the oldest one; a folder has the mean of its files', () => {
    const day = 86_400
    const times = { 'a/new.py': 1000 * day, 'a/old.py': 1 * day, 'b/mid.py': 990 * day, 'c/none.py': 0 }
    const shown = map(project(Object.keys(times), [], times), { open: ['*'] })
    const [fresh, mid, old] = ['new.py', 'mid.py', 'old.py'].map((it) => item(shown, it).recency)
    expect([fresh, old, item(shown, 'none.py').recency]).toEqual([1, 0, 0])
    expect(mid).toBeCloseTo(1 - Math.log(11) / Math.log(1000), 5)
    expect(item(shown, 'a').recency).toBeCloseTo(0.5)
    const same = Object.fromEntries(Object.keys(times).map((it) => [it, day]))
    expect(item(map(project(Object.keys(same), [], same)), 'a').recency).toBe(0)
  })
})

describe('edges of the map', () => {
  const uses: Uses = [
    ['tests/test_cart.py', 'shop/cart.py#add', 'calls', { weight: 1 }],
    ['tests/test_cart.py', 'shop/cart.py#total', 'calls', { tier: 'guess', weight: 0.25 }],
    ['tests/test_cart.py', 'shop/price.py', 'imports'],
    ['shop/cart.py#total', 'shop/price.py', 'calls'],
    ['shop/cart.py', 'shop/price.py', 'calls', { lifted: true }],
    ['shop/cart.py', 'shop/price.py', 'sibling', { bidirectional: true }],
  ]

  test('sum what lies behind them: weight, number, guesses, and the relation with most weight', () => {
    expect(map(project(SHOP, uses)).edges).toEqual([
      { source: 'dir::tests/', target: 'dir::shop/', weight: 1.75, count: 3, guesses: 1, relation: 'calls' },
    ])
  })

  test('end at what is shown, without placement and what is only lifted', () => {
    const { edges, edgesTotal } = map(project(SHOP, uses), { open: ['file::shop/cart.py'] })
    expect(edges.map((it) => `${it.source} ${it.relation} ${it.target}`)).toEqual([
      'dir::tests/ calls file::shop/cart.py::fn::add',
      'dir::tests/ imports file::shop/price.py',
      'file::shop/cart.py::fn::total calls file::shop/price.py',
      'dir::tests/ calls file::shop/cart.py::fn::total',
    ])
    expect(edgesTotal).toBe(4)
  })

  test('the heaviest are kept', () => {
    const { edges, edgesTotal } = map(project(SHOP, uses), { open: ['*'], mostEdges: 1 })
    expect([edges.length, edges[0].weight, edgesTotal]).toEqual([1, 1, 4])
  })
})

describe('the map of a changed project', () => {
  /** Groups of different size that use each other. */
  const paths = range(14, (a) => range(3 + ((a * 7) % 23), (b) => range(3, (c) => `d${a}/f${b}.py#g${c}`))).flat(2)
  const uses: Uses = range(14, (a) => `d${a}/f0.py`).map((it, a) => [it, `d${(a * 5 + 3) % 14}/f1.py`] as const)
  const request = { open: ['*'], show: [], mostItems: 12_000, mostEdges: 4000 }
  const tree = treeOf(project(paths, uses))
  const before = finish(mapWork(tree, request))

  /** How far the folders at the top move if there is a file more in one of them, as a mean share of the width. */
  function move(folder: string, places?: Places): number {
    const more: Uses = [...uses, [`${folder}/new.py`, 'd3/f0.py']]
    const after = map(project([...paths, `${folder}/new.py`], more), {}, places)
    const others = before.items.filter((it) => it.parent === null && it.name !== folder)
    const moves = others.map((it) => Math.hypot(item(after, it.name).x - it.x, item(after, it.name).y - it.y))
    return moves.reduce((sum, it) => sum + it, 0) / moves.length / before.bounds.width
  }

  test.each(range(14, (a) => `d${a}`))('a file more in %s leaves the other groups where they lay before', (folder) => {
    expect(move(folder, placesIn(tree))).toBeLessThan(0.02)
  })

  test('nothing moves in the folders that did not change', () => {
    const open = ['*']
    const [old, now] = [map(project(paths, uses), { open }), map(project([...paths, 'd5/new.py'], uses), { open })]
    const within = (shown: GraphMap) => {
      const frame = item(shown, 'd7')
      return shown.items
        .filter((it) => it.parent === frame.id)
        .map((it) => [it.name, (it.x - frame.x) / frame.r, (it.y - frame.y) / frame.r].join(' ').slice(0, 30))
    }
    expect(within(now)).toEqual(within(old))
  })

  test('the same graph has the same map', () => {
    expect(map(project(paths, uses), { open: ['*'] })).toEqual(map(project(paths.toReversed(), uses), { open: ['*'] }))
  })
})
