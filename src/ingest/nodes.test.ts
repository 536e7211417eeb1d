import { describe, expect, test } from 'vitest'
import { CLASS, FILE, FUNCTION, STRUCT, TYPE } from '#graph/graph'
import { type Definition, emptyFacts, type Facts } from '#ingest/facts'
import { codeNodes, type FileEntry } from '#ingest/nodes'

function define(kind: Definition['kind'], name: string, more: Partial<Definition> = {}): Definition {
  return { kind, name, parent: -1, line: 1, endLine: 2, nameLine: 1, tags: [], excerpt: '', ...more }
}

function entry(path: string, definitions: Definition[], facts: Partial<Facts> = {}): FileEntry {
  return {
    path,
    sourcePath: path,
    lastModified: 100,
    changeFrequency: 0.3,
    facts: { ...emptyFacts('python'), lines: 9, definitions, ...facts },
  }
}

function keysOf(...files: FileEntry[]): string[] {
  return codeNodes(files).nodes.map((it) => it.key)
}

describe('keys', () => {
  test('follow the nesting of the source', () => {
    const pool = entry('pool.py', [
      define('class', 'ConnectionPool'),
      define('fn', 'acquire', { parent: 0 }),
      define('fn', 'validate'),
    ])

    expect(keysOf(pool)).toEqual([
      'file::pool.py',
      'file::pool.py::class::ConnectionPool',
      'file::pool.py::class::ConnectionPool::fn::acquire',
      'file::pool.py::fn::validate',
    ])
  })

  test('of repeated definitions are numbered in source order and counted', () => {
    const cart = entry('cart.py', [
      define('class', 'Cart'),
      define('fn', 'total', { parent: 0 }),
      define('fn', 'total', { parent: 0 }),
      define('class', 'Cart'),
      define('fn', 'total', { parent: 3 }),
      define('fn', 'total', { parent: 0 }),
    ])

    expect(keysOf(cart).slice(1)).toEqual([
      'file::cart.py::class::Cart',
      'file::cart.py::class::Cart::fn::total',
      'file::cart.py::class::Cart::fn::total#2',
      'file::cart.py::class::Cart#2',
      'file::cart.py::class::Cart#2::fn::total',
      'file::cart.py::class::Cart::fn::total#3',
    ])
    expect(codeNodes([cart]).collisions).toBe(3)
  })

  test('leave out classes without a name, whose members belong to what is around', () => {
    const cart = entry('Cart.java', [
      define('class', 'Cart'),
      define('fn', 'start', { parent: 0 }),
      define('class', '$1', { parent: 1, tags: ['anonymous'] }),
      define('fn', 'run', { parent: 2 }),
      define('fn', 'stop', { parent: 0 }),
    ])
    const { nodes, definitionNodes, contains } = codeNodes([cart])

    expect(nodes.map((it) => it.key).slice(1)).toEqual([
      'file::Cart.java::class::Cart',
      'file::Cart.java::class::Cart::fn::start',
      'file::Cart.java::class::Cart::fn::start::fn::run',
      'file::Cart.java::class::Cart::fn::stop',
    ])
    expect([...definitionNodes[0]]).toEqual([1, 2, 2, 3, 4])
    expect(contains.map((it) => [it.source, it.target])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [1, 4],
    ])
  })

  test('stay distinct when a name looks like a numbered one', () => {
    const keys = keysOf(entry('notes.md', [define('section', 'a'), define('section', 'a#2'), define('section', 'a')]))

    expect(new Set(keys).size).toBe(4)
  })

  test('escape the separator in paths and names', () => {
    expect(keysOf(entry('a::b.py', [define('fn', 'x::y')]))).toEqual([
      'file::a%3A%3Ab.py',
      'file::a%3A%3Ab.py::fn::x%3A%3Ay',
    ])
    expect(new Set(keysOf(entry('a%3A%3Ab.py', []), entry('a::b.py', []))).size).toBe(2)
  })

  test('put a method under its type when that is in the same file', () => {
    const { nodes, contains } = codeNodes([
      entry('a.rs', [
        define('fn', 'push', { owner: 'Cart<T>' }),
        define('struct', 'Cart'),
        define('fn', 'inner', { parent: 0 }),
      ]),
    ])

    expect(nodes.map((it) => it.key)).toEqual([
      'file::a.rs',
      'file::a.rs::struct::Cart::fn::push',
      'file::a.rs::struct::Cart',
      'file::a.rs::struct::Cart::fn::push::fn::inner',
    ])
    expect(nodes.map((it) => it.parent)).toEqual([-1, 2, 0, 1])
    expect(contains.map(({ source, target }) => [source, target])).toEqual([
      [2, 1],
      [0, 2],
      [1, 3],
    ])
  })

  test('prefer the type in the same scope', () => {
    const definitions = [
      define('struct', 'Cart'),
      define('mod', 'tests'),
      define('struct', 'Cart', { parent: 1 }),
      define('fn', 'add', { parent: 1, owner: 'Cart' }),
    ]

    expect(keysOf(entry('a.rs', definitions))[4]).toBe('file::a.rs::mod::tests::struct::Cart::fn::add')
  })

  test('name the type of a method that stands in another file, contained by its own file', () => {
    const { nodes } = codeNodes([
      entry('a.go', [define('struct', 'Cart'), define('interface', 'Payer')]),
      entry('b.go', [
        define('fn', 'Add', { owner: 'Cart' }),
        define('fn', 'Pay', { owner: 'shop.Payer' }),
        define('fn', 'X', { owner: 'Unknown' }),
      ]),
    ])

    expect(nodes.slice(4).map((it) => [it.key, it.parent])).toEqual([
      ['file::b.go::struct::Cart::fn::Add', 3],
      ['file::b.go::interface::Payer::fn::Pay', 3],
      ['file::b.go::struct::Unknown::fn::X', 3],
    ])
  })

  test('come to an end when a method owns the type that it belongs to', () => {
    const keys = keysOf(
      entry('a.rs', [define('fn', 'make', { owner: 'Cart' }), define('struct', 'Cart', { parent: 0 })]),
    )

    expect(keys).toEqual([
      'file::a.rs',
      'file::a.rs::struct::Cart::fn::make',
      'file::a.rs::struct::Cart::fn::make::struct::Cart',
    ])
  })
})

describe('nodes', () => {
  test('carry label, type, place, age and excerpt', () => {
    const { nodes } = codeNodes([
      {
        ...entry('pool.py', [define('class', 'Pool', { line: 3, endLine: 9, excerpt: 'Keeps connections.' })]),
        sourcePath: 'backend/pool.py',
      },
    ])

    expect(nodes[0]).toMatchObject({
      label: 'pool.py',
      type: FILE,
      path: 'backend/pool.py',
      lineStart: 1,
      lineEnd: 9,
      lastModified: 100,
    })
    expect(nodes[1]).toMatchObject({
      label: 'Pool',
      type: CLASS,
      path: 'backend/pool.py',
      lineStart: 3,
      lineEnd: 9,
      excerpt: 'Keeps connections.',
      namespace: 'code',
      changeFrequency: 0.3,
    })
  })

  test('have the type of their kind', () => {
    const { nodes } = codeNodes([
      entry('a.x', [define('fn', 'f'), define('struct', 's'), define('interface', 'i'), define('variant', 'v')]),
    ])

    expect(nodes.slice(1).map((it) => it.type)).toEqual([FUNCTION, STRUCT, TYPE, TYPE])
  })

  test('of files are tagged with language, role and topics, those of symbols with their own words and the best topics', () => {
    const { nodes } = codeNodes([
      entry(
        'pool.py',
        [
          define('class', 'SessionPool', { tags: ['public'] }),
          define('fn', 'get_session', { parent: 0 }),
          define('fn', 'drain', { parent: 0 }),
        ],
        {
          tags: ['entrypoint'],
          excerpt: 'Pool of sessions.',
          imports: [{ kind: 'import', module: 'a', name: 'retry', alias: 'retry', scope: -1, line: 1 }],
        },
      ),
    ])

    // session: 2 definitions x 3; pool: 3 + 2; drain: 3; retry only 2
    expect(nodes[0].tags).toEqual(['python', 'entrypoint', 'session', 'pool', 'drain'])
    expect(nodes[1].tags).toEqual(['python', 'public', 'session', 'pool'])
    expect(nodes[3].tags).toEqual(['python', 'drain', 'session', 'pool'])
  })

  test('contain what is defined inside, both ways and at full weight', () => {
    const [edge] = codeNodes([entry('a.py', [define('fn', 'f')])]).contains

    expect(edge).toMatchObject({
      source: 0,
      target: 1,
      relation: 'contains',
      weight: 1,
      causal: 0.8,
      bidirectional: true,
    })
  })
})
