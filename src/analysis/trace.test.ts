import { describe, expect, test } from 'vitest'
import { lastName, placeOf } from '#analysis/places'
import { riskLevel, type TraceOptions, traceSuspects } from '#analysis/trace'
import { buildGraph } from '#graph/build'
import { FILE, FUNCTION, type Graph, keyOf, MODULE, NONE, REFERENCE, text } from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { emptyLexical } from '#graph/lexical'
import { emptyMessages } from '#graph/messages'
import { emptyMeta } from '#graph/meta'
import { buildCoChange } from '#query/cochange'
import { readTrace } from '#query/frames'

const NOW = 1000 * 3600

/** Files with functions of ten lines each, in order; calls between them by name. */
function project(
  files: Record<string, string[]>,
  calls: [string, string][] = [],
  ages: Record<string, number> = {},
  packages: [file: string, used: string][] = [],
): Graph {
  const nodes: NodeInput[] = []
  const edges: EdgeInput[] = []
  const named = new Map<string, number>()
  for (const [path, functions] of Object.entries(files)) {
    const common = { path, lastModified: NOW - (ages[path] ?? 500) * 3600 }
    const file =
      nodes.push({
        ...common,
        key: `file::${path}`,
        label: path.slice(path.lastIndexOf('/') + 1),
        type: FILE,
        lineEnd: 100,
      }) - 1
    functions.forEach((label, i) => {
      const lines = { lineStart: 10 * i + 1, lineEnd: 10 * i + 9 }
      const v =
        nodes.push({ ...common, ...lines, key: `file::${path}::fn::${label}`, label, type: FUNCTION, parent: file }) - 1
      named.set(label, v)
      edges.push({ source: file, target: v, relation: 'contains', weight: 1, causal: 0.8, bidirectional: true })
    })
  }
  for (const [from, to] of calls)
    edges.push({
      source: named.get(from) ?? 0,
      target: named.get(to) ?? 0,
      relation: 'calls',
      weight: 0.4,
      causal: 0.5,
      tier: 'exact',
    })
  for (const [path, label] of packages) {
    const target = nodes.push({ key: `ref::${label}`, label, type: REFERENCE }) - 1
    const source = nodes.findIndex((it) => it.key === `file::${path}`)
    edges.push({ source, target, relation: 'imports', weight: 0.5, causal: 0.6, tier: 'exact' })
  }
  return buildGraph({
    nodes,
    edges,
    meta: { ...emptyMeta(), roots: [{ path: '/srv/shop', prefix: '', adapter: 'code', base: '/srv/shop' }] },
  })
}

function traced(graph: Graph, output: string, options: Partial<TraceOptions> = {}) {
  return traceSuspects(
    graph,
    { cochange: buildCoChange(graph, []), lexical: emptyLexical(), messages: emptyMessages() },
    readTrace(output).frames,
    {
      ranking: 'seed',
      windowHours: 24,
      topK: 10,
      nowSeconds: NOW,
      message: '',
      ...options,
    },
  )
}

const shop = project(
  {
    'src/app.py': ['handle'],
    'src/cart.py': ['total', 'price'],
    'src/bank.py': ['charge'],
    'tests/test_cart.py': ['test_total'],
  },
  [
    ['handle', 'total'],
    ['total', 'price'],
    ['test_total', 'total'],
  ],
  { 'src/cart.py': 168, 'src/bank.py': 150 },
)
const THREE =
  'Traceback (most recent call last):\n  File "/srv/shop/src/app.py", line 5, in handle\n    total()\n' +
  '  File "/srv/shop/src/cart.py", line 5, in total\n    price()\n  File "/srv/shop/src/cart.py", line 15, in price\n    raise KeyError()\nKeyError'

describe('suspects', () => {
  test('have depths of thirds for three frames, deepest first in the chain', () => {
    const { suspects, chain } = traced(shop, THREE)
    const depths = new Map(suspects.map((it) => [keyOf(shop, it.node).split('::').at(-1), it.depth]))
    expect(depths.get('handle')).toBeCloseTo(1 / 3, 6)
    expect(depths.get('total')).toBeCloseTo(2 / 3, 6)
    expect(depths.get('price')).toBe(1)
    expect(chain).toEqual(['cart.py::price', 'cart.py::total', 'app.py::handle'])
  })

  test('by the plain formula weigh depth, recency and centrality', () => {
    const { suspects } = traced(shop, THREE)
    for (const it of suspects)
      expect(it.score).toBeCloseTo(0.4 * it.depth + 0.35 * it.recency + 0.25 * it.centrality, 9)
    // the file of both changed one half-life ago
    expect(suspects.find((it) => keyOf(shop, it.node).endsWith('price'))?.recency).toBeCloseTo(0.5, 6)
    expect(0.4 * 1 + 0.35 * 0.85 + 0.25 * 0.88).toBeCloseTo(0.9175, 9)
    expect(0.4 * 0.67 + 0.35 * 0.72 + 0.25 * 0.65).toBeCloseTo(0.6825, 3)
  })

  test('of another file come before a second place in the same one, and tests last', () => {
    const { suspects } = traced(shop, THREE, { ranking: 'fused' })
    expect(suspects.map((it) => keyOf(shop, it.node).split('::').at(-1))).toEqual(['price', 'handle', 'total'])
  })

  test('name who calls them, the next frame outwards first', () => {
    const price = traced(shop, THREE).suspects.find((it) => keyOf(shop, it.node).endsWith('price'))
    expect(price?.callers).toEqual(['cart.py::total'])
  })

  test('come with files that changed within the window, and with tests', () => {
    const found = traced(shop, THREE)
    expect(found.coChanges.map((it) => keyOf(shop, it.node))).toEqual(['file::src/bank.py'])
    expect(traced(shop, THREE, { windowHours: 2 }).coChanges).toEqual([])
    // without commits a time says when a file was written
    expect(found.coChanges[0].reason).toMatch(/^written within/)
    const withCommits = { ...shop, meta: { ...shop.meta, commit: 'abc' } }
    expect(traced(withCommits, THREE).coChanges[0].reason).toMatch(/^last changed within/)
  })

  test('are one per function however often it is on the stack', () => {
    const deep = `Traceback (most recent call last):\n${'  File "src/cart.py", line 5, in total\n'.repeat(500)}RecursionError: deep`
    expect(traced(shop, deep).suspects.length).toBe(1)
  })

  test('are none where no frame leads into the project', () => {
    expect(traced(shop, '').suspects).toEqual([])
    expect(
      traced(shop, 'Traceback (most recent call last):\n  File "/srv/other/zoo.py", line 1, in f\nKeyError').blast,
    ).toBe(0)
  })
})

describe('files that are on no frame', () => {
  const parts: Record<string, string[]> = {
    'src/app.ts': ['handle'],
    'src/cart.ts': ['total'],
    'src/words.ts': ['parseAmount'],
    'src/reader.ts': ['read'],
    'src/other.ts': ['idle'],
  }
  const output = (message: string, deepest = '') =>
    `TypeError: ${message}\n${deepest}    at total (/srv/shop/src/cart.ts:5:1)\n    at handle (/srv/shop/src/app.ts:5:1)\n`
  const named = (graph: Graph, text: string, options: Partial<TraceOptions> = {}) =>
    traced(graph, text, { ranking: 'fused', ...options }).suspects.map((it) =>
      `${keyOf(graph, it.file).slice(6)} ${it.reason}`.trim(),
    )

  test('are named behind those on the stack when they define what the message names', () => {
    const graph = project(parts)
    const message = 'parseAmount is not a function'
    const files = named(graph, output(message), { message })
    expect(files.slice(0, 2)).toEqual(['src/cart.ts', 'src/app.ts'])
    expect(files[2]).toMatch(/^src\/words\.ts /)
  })

  test('are named when they alone use the package in which the error was raised', () => {
    const graph = project(parts, [], {}, [['src/reader.ts', 'csv-lib']])
    const deepest = '    at parse (/srv/shop/node_modules/csv-lib/index.js:7:1)\n'
    expect(named(graph, output('bad row', deepest))[2]).toBe(
      'src/reader.ts uses csv-lib, in which the error was raised',
    )
    // a package that stands outside of the deepest frame of the project did not raise it
    expect(named(graph, `${output('bad row')}${deepest}`).join()).not.toContain('raised')
  })

  test('are none without a frame of the project, and none under the plain formula', () => {
    const graph = project(parts)
    const message = 'parseAmount is not a function'
    expect(named(graph, `TypeError: ${message}`, { message })).toEqual([])
    expect(traced(graph, output(message), { message, ranking: 'seed' }).suspects).toHaveLength(2)
  })
})

describe('the place of a frame', () => {
  const many = project({
    'src/shop/cart.py': ['total'],
    'src/zoo/cart.py': ['feed'],
    'shop/utils.py': ['help'],
    'packages/till/src/index.ts': ['open'],
    'server/storage/schema.go': ['Detect'],
    'core/src/main/java/org/shop/Cart.java': ['total', 'lines'],
    'lib/shop/cart.rb': ['total'],
    'main.go': ['main'],
  })
  const at = (line: string, above = '') => {
    const [frame] = readTrace(`${above}\n${line}`).frames
    const place = placeOf(many, frame)
    return place.file === NONE
      ? place.reason
      : `${text(many, many.paths[place.file])} ${keyOf(many, place.node).split('::').at(-1)}`
  }

  test.each([
    ['  File "/usr/lib/python3/site-packages/shop/cart.py", line 5, in total', 'src/shop/cart.py total'],
    [
      '  File "/usr/lib/python3.12/site-packages/other/cart.py", line 5, in total',
      'standard library or another package',
    ],
    ['  File "/usr/lib/python3.12/json/decoder.py", line 5, in decode', 'standard library or another package'],
    ['  File "/home/dev/code/shop/cart.py", line 5, in total', 'src/shop/cart.py total'],
    ['  File "/x/cart.py", line 5, in feed', 'src/zoo/cart.py feed'],
    ['  File "/x/cart.py", line 5, in nothing', '2 files have that name'],
    ['  File "/x/other/utils.py", line 5, in help', 'file not in graph'],
    ['    at open (/app/node_modules/till/dist/index.js:5:3)', 'packages/till/src/index.ts open'],
    ['    at open (/app/node_modules/other/dist/index.js:5:3)', 'standard library or another package'],
    ['    at node:internal/process/task_queues:95:5', 'standard library or another package'],
    ['\tat org.shop.Cart.total(Cart.java:5)', 'core/src/main/java/org/shop/Cart.java total'],
    ['\tat org.other.zoo.Cart.total(Cart.java:5)', 'core/src/main/java/org/shop/Cart.java total'],
    ['\tat java.util.ArrayList.get(ArrayList.java:5)', 'standard library or another package'],
    ["lib/shop/cart.rb:5:in `total'", 'lib/shop/cart.rb total'],
    ["/gems/shop-1.2.0/lib/shop/cart.rb:5:in `total'", 'lib/shop/cart.rb total'],
    ["/gems/other-1.2.0/lib/other/cart.rb:5:in `total'", 'standard library or another package'],
  ])('%s', (line, expected) => {
    expect(at(line)).toBe(expected)
  })

  test('of a package of the workspace lies in its folder', () => {
    const graph = buildGraph({
      nodes: [
        { key: 'file::crates/match/src/lib.rs', path: 'crates/match/src/lib.rs', label: 'lib.rs', type: FILE },
        { key: 'file::crates/print/src/lib.rs', path: 'crates/print/src/lib.rs', label: 'lib.rs', type: FILE },
        { key: 'cargo::shop-match', path: 'crates/match/Cargo.toml', label: 'shop-match', type: MODULE },
        { key: 'npm::@shop/print', path: 'crates/print/package.json', label: '@shop/print', type: MODULE },
      ],
      edges: [],
      meta: emptyMeta(),
    })
    const fileAt = (line: string) => {
      const { file } = placeOf(graph, readTrace(line).frames[0])
      return file === NONE ? '' : text(graph, graph.paths[file])
    }
    expect(fileAt('panicked at /home/dev/.cargo/registry/src/index-1/shop-match-0.1.5/src/lib.rs:13:9:')).toBe(
      'crates/match/src/lib.rs',
    )
    expect(fileAt('panicked at /home/dev/.cargo/registry/src/index-1/other-0.1.5/src/lib.rs:13:9:')).toBe('')
    expect(fileAt('    at f (/app/node_modules/@shop/print/src/lib.rs:1:1)')).toBe('crates/print/src/lib.rs')
  })

  test('of what was compiled is that of its source, and of a module of go of any version that of the module', () => {
    const file = (path: string) => ({ key: `file::${path}`, path, label: path.split('/').at(-1) ?? '', type: FILE })
    const graph = buildGraph({
      nodes: [
        file('src/cart.d.ts'),
        file('src/cart.test.ts'),
        file('src/cart.ts'),
        file('mux.go'),
        { key: 'pkg::npm::till', path: 'package.json', label: 'till', type: MODULE },
        { key: 'pkg::go::shop', path: 'go.mod', label: 'example.org/shop/till/v5', type: MODULE },
      ],
      edges: [],
      meta: emptyMeta(),
    })
    const fileAt = (line: string, above = '') => {
      const { file } = placeOf(graph, readTrace(`${above}\n${line}`).frames[0])
      return file === NONE ? '' : text(graph, graph.paths[file])
    }
    expect(fileAt('    at f (/app/node_modules/till/dist/cart.js:3:1)')).toBe('src/cart.ts')
    expect(fileAt('    at f (/app/node_modules/till/dist/cart.test.js:3:1)')).toBe('src/cart.test.ts')
    for (const version of ['v5@v5.0.12', 'v6@v6.1.0', '@v0.1.0'].map((it) => it.replace(/^(?=v)/, '/')))
      expect(fileAt(`\t/home/dev/go/pkg/mod/example.org/shop/till${version}/mux.go:3 +0x1`, 'till.Mount(...)')).toBe(
        'mux.go',
      )
    expect(fileAt('\t/home/dev/go/pkg/mod/example.org/shop/other/v5@v5.0.12/mux.go:3 +0x1', 'other.Mount(...)')).toBe(
      '',
    )
  })

  test('of go leaves out the module and its version', () => {
    expect(
      at(
        '\tgo.example.org/shop/server/v3/storage/schema.go:5 +0x1',
        'go.example.org/shop/server/v3/storage.Detect(...)',
      ),
    ).toBe('server/storage/schema.go Detect')
    expect(at('\t/usr/local/go/src/runtime/proc.go:250 +0x1', 'runtime.main()')).toBe(
      'standard library or another package',
    )
  })

  test('is the function of that name where lines have moved since', () => {
    expect(at('\tat org.shop.Cart.lines(Cart.java:5)')).toBe('core/src/main/java/org/shop/Cart.java lines')
  })
})

test.each([
  ['shop.(*Cart).Total.func1', 'Total'],
  ['Cart#total', 'total'],
  ['block in total', 'total'],
  ['new Cart', 'Cart'],
  ['shop::cart::total::{{closure}}', 'total'],
  ['org.shop.Cart$Line.lambda$total$0', 'total'],
  ['shop::total(int, char)', 'total'],
])('the name in %s is %s', (called, name) => {
  expect(lastName(called)).toBe(name)
})

test.each([
  [4, 10, 'low'],
  [5, 10_000, 'low'],
  [23, 9767, 'medium'],
  [200, 9767, 'high'],
  [900, 9767, 'critical'],
])('%i of %i nodes is a risk that is %s', (blast, nodes, risk) => {
  expect(riskLevel(blast, nodes)).toBe(risk)
})
