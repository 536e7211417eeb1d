import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph, removeNodes } from '#graph/build'
import {
  CLASS,
  DIRECTORY,
  FILE,
  FUNCTION,
  type Graph,
  keyOf,
  labelOf,
  NONE,
  REFERENCE,
  type Root,
  STRUCT,
} from '#graph/graph'
import type { EdgeInput, NodeInput } from '#graph/input'
import { libraryInput } from '#graph/library-for-tests'
import { childrenOf, nearestKeys, nodeAtLine, nodeByKey, nodesByLabel, resolveNode } from '#graph/lookup'
import { emptyMeta } from '#graph/meta'

/** Keys as in a file tree; a name with a dot is a file, an entry is `[line, endLine]`. */
type Tree = Record<string, [line: number, endLine: number]>

interface Project {
  roots?: Root[]
  /** Folder between the repository's top level and the root. */
  inside?: string
  calls?: [from: string, to: string][]
}

function project(tree: Tree, { roots = [], inside = '', calls = [] }: Project = {}): Graph {
  const keys = Object.keys(tree)
  const nodes = keys.map((key): NodeInput => {
    const [lineStart, lineEnd] = tree[key]
    const file = key.slice(0, key.indexOf('file::')) + 'file::' + key.slice(key.indexOf('file::') + 6).split('::')[0]
    const path = inside + file.slice(file.indexOf('file::') + 6)
    const place = { key, lineStart, lineEnd }
    if (/(^|::)dir::/.test(key)) {
      const bare = key.slice(key.indexOf('dir::') + 5, -1)
      return { key, label: `${bare.slice(bare.lastIndexOf('/') + 1)}/`, type: DIRECTORY }
    }
    if (key === file)
      return { ...place, label: path.slice(path.lastIndexOf('/') + 1), type: FILE, path, parent: folderOf(keys, key) }
    const at = key.lastIndexOf('::')
    const kind = key.slice(0, at).split('::').at(-1)
    const outer = keys.indexOf(key.slice(0, key.lastIndexOf('::', at - 1)))
    const type = kind === 'class' ? CLASS : kind === 'struct' ? STRUCT : FUNCTION
    return { ...place, label: key.slice(at + 2).replace(/#\d+$/, ''), type, path, parent: outer }
  })
  const edges = calls.map(
    ([from, to]): EdgeInput => ({
      source: keys.indexOf(from),
      target: keys.indexOf(to),
      relation: 'calls',
      weight: 0.4,
      causal: 0.5,
    }),
  )
  return buildGraph({ nodes, edges, meta: { ...emptyMeta(), roots } })
}

function folderOf(keys: string[], file: string): number {
  const path = file.replace(/^(.*?)file::/, '$1dir::')
  return keys.indexOf(path.slice(0, path.lastIndexOf('/') + 1))
}

function root(path: string, { prefix = '', base = path } = {}): Root {
  return { path, prefix, base, adapter: 'code' }
}

/** The key that a reference leads to, how, and among how many. */
function found(graph: Graph, ref: string, options = {}): [key: string, from: string, matches: number] | null {
  const it = resolveNode(graph, ref, options)
  return it === null ? null : [keyOf(graph, it.node), it.resolvedFrom, it.ambiguousMatches]
}

const ACQUIRE = 'file::pool.py::class::ConnectionPool::fn::acquire'

/** A chat server whose root is the folder `backend` of a repository. */
const backend = project(
  {
    'dir::./': [0, 0],
    'file::pool.py': [1, 60],
    'file::pool.py::class::ConnectionPool': [5, 50],
    [ACQUIRE]: [10, 30],
    'file::pool.py::class::ConnectionPool::fn::release': [32, 40],
    'file::handler.py': [1, 90],
    'file::handler.py::class::ChatHandler': [4, 80],
    'file::handler.py::class::ChatHandler::fn::handle_message': [8, 40],
    'file::worker.py': [1, 30],
    'file::worker.py::fn::submit': [3, 9],
    'file::main.py': [1, 9],
    'file::auth_discovery.py': [1, 50],
    'file::auth_discovery.py::fn::validate_credentials': [7, 20],
  },
  { roots: [root('/home/dev/chat/backend', { base: '/home/dev/chat' })], inside: 'backend/' },
)

/** The same server, read from the top of its repository. */
const whole = project(
  {
    'dir::./': [0, 0],
    'dir::backend/': [0, 0],
    'dir::tests/': [0, 0],
    'file::backend/handler.py': [1, 90],
    'file::backend/handler.py::class::ChatHandler': [4, 80],
    'file::backend/handler.py::class::ChatHandler::fn::handle_message': [8, 40],
    'file::backend/pool.py': [1, 60],
    'file::backend/pool.py::class::ConnectionPool': [5, 50],
    'file::backend/pool.py::class::ConnectionPool::fn::acquire': [10, 30],
    'file::tests/test_pool.py': [1, 20],
  },
  { roots: [root('/home/dev/chat')] },
)

describe('nodeByKey', () => {
  test('finds every node by its key and nothing by other texts', () => {
    const graph = buildGraph(libraryInput(200, 0, 3))
    for (let v = 0; v < graph.nNodes; v++) expect(nodeByKey(graph, keyOf(graph, v))).toBe(v)
    expect([nodeByKey(graph, 'calls'), nodeByKey(graph, 'lend_1'), nodeByKey(graph, 'file::none')]).toEqual([
      NONE,
      NONE,
      NONE,
    ])
  })

  test('does not find a removed node', () => {
    const v = nodeByKey(backend, 'file::pool.py')
    expect(nodeByKey(removeNodes(backend, [v]), 'file::pool.py')).toBe(NONE)
  })
})

describe('nodesByLabel', () => {
  test('agrees with looking at all labels', () => {
    const labels = fc.array(fc.constantFrom('Pool', 'pool', 'POOL', 'größe', 'GRÖSSE', 'cart', ''), { maxLength: 30 })
    fc.assert(
      fc.property(labels, (list) => {
        const nodes = list.map((label, i) => ({ key: `n${i}`, label, type: FUNCTION }))
        const graph = buildGraph({ nodes, edges: [], meta: emptyMeta() })
        for (const label of new Set(list)) {
          expect(nodesByLabel(graph, label)).toEqual(list.flatMap((it, v) => (it === label ? [v] : [])))
        }
        expect(nodesByLabel(graph, 'pooL')).toEqual([])
      }),
    )
  })
})

describe('childrenOf', () => {
  test('is the other side of parents', () => {
    const graph = buildGraph(libraryInput(120, 300, 9))
    for (let v = 0; v < graph.nNodes; v++) {
      const expected = Array.from(graph.parents.keys()).filter((u) => graph.parents[u] === v)
      expect(Array.from(childrenOf(graph, v))).toEqual(expected)
    }
  })

  test('names no removed node', () => {
    const file = nodeByKey(backend, 'file::pool.py')
    const graph = removeNodes(backend, [nodeByKey(backend, ACQUIRE)])
    expect(Array.from(childrenOf(graph, file), (v) => labelOf(graph, v))).toEqual(['ConnectionPool'])
    expect(Array.from(childrenOf(graph, childrenOf(graph, file)[0]), (v) => labelOf(graph, v))).toEqual(['release'])
  })
})

describe('nodeAtLine', () => {
  test.each([
    [20, ACQUIRE],
    [31, 'file::pool.py::class::ConnectionPool'],
    [55, 'file::pool.py'],
    [900, 'file::pool.py'],
  ])('finds what holds line %i', (line, key) => {
    expect(keyOf(backend, nodeAtLine(backend, nodeByKey(backend, 'file::pool.py'), line))).toBe(key)
  })
})

describe('resolveNode', () => {
  test.each([
    [ACQUIRE, 'id'],
    ['file::pool.py::ConnectionPool::acquire', 'alias'],
    ['file::pool.py::fn::acquire', 'alias'],
    ['file::pool.py::acquire', 'alias'],
    ['pool.py::acquire', 'alias'],
    ['pool.py::class::ConnectionPool::fn::acquire', 'file_prefix'],
    ['backend/pool.py::ConnectionPool::acquire', 'alias'],
    ['backend/pool.py:20', 'line'],
    ['backend/pool.py:20:7', 'line'],
    ['pool.py:20', 'line'],
    ['/home/dev/chat/backend/pool.py:20', 'line'],
    ['pool.py#L20', 'line'],
    ['backend::file::pool.py::fn::acquire', 'alias'],
    ['acquire', 'label'],
    ['acquire()', 'label'],
    ['ConnectionPool.acquire', 'label'],
    ['ConnectionPool::acquire', 'label'],
    ['pool.ConnectionPool.acquire', 'label'],
    ['backend\\pool.py::acquire', 'alias'],
    ['./backend/pool.py:20', 'line'],
    ['  pool.py::acquire ', 'alias'],
    ['connectionpool.ACQUIRE', 'case_insensitive'],
    ['POOL.py::Acquire', 'case_insensitive'],
  ])('understands %s as the method of a class', (ref, from) => {
    expect(found(backend, ref)).toEqual([ACQUIRE, from, 1])
  })

  test.each([
    ['file::pool.py', 'id'],
    ['pool.py', 'file_prefix'],
    ['./pool.py', 'path'],
    ['file::./pool.py', 'path'],
    ['backend/pool.py', 'path'],
    ['file::backend/pool.py', 'path'],
    ['backend\\pool.py', 'path'],
    ['chat/backend/pool.py', 'path'],
    ['/home/dev/chat/backend/pool.py', 'path'],
    ['Pool.py', 'case_insensitive'],
  ])('understands %s as a file', (ref, from) => {
    expect(found(backend, ref)).toEqual(['file::pool.py', from, 1])
  })

  test.each(['dir::./', 'dir::backend/', 'backend/', 'backend', '/home/dev/chat/backend', '/home/dev/chat/backend/'])(
    'understands %s as the root folder',
    (ref) => {
      expect(found(backend, ref)?.[0]).toBe('dir::./')
    },
  )

  test('knows every form of id, read from the top of the repository and from a folder', () => {
    const forms = [
      'file::backend/handler.py',
      'file::backend/handler.py::ChatHandler',
      'file::backend/handler.py::ChatHandler::handle_message',
      'file::handler.py',
      'file::pool.py::class::ConnectionPool',
      'file::pool.py::fn::acquire',
      'dir::backend/',
      'pool.py::acquire',
      'ref::ConnectionPool',
    ]
    for (const graph of [backend, whole]) {
      for (const form of forms) expect(found(graph, form), form).not.toBeNull()
    }
    expect(found(whole, 'file::tests/test_pool.py')).toEqual(['file::tests/test_pool.py', 'id', 1])
    expect(found(backend, 'file::auth_discovery.py::fn::validate_credentials')?.[1]).toBe('id')
    expect(found(backend, 'backend::file::main.py')).toEqual(['file::main.py', 'path', 1])
    expect(found(backend, 'worker.py::submit')).toEqual(['file::worker.py::fn::submit', 'alias', 1])
    expect(found(backend, 'structural_hole_1')).toBeNull()
  })

  test('takes a package for what is imported under its name', () => {
    const graph = buildGraph({
      nodes: [{ key: 'pkg::npm::react', label: 'react', type: REFERENCE }],
      edges: [],
      meta: emptyMeta(),
    })
    expect(found(graph, 'ref::react')).toEqual(['pkg::npm::react', 'label', 1])
  })

  test('counts the methods of several classes, and takes the one of the highest rank', () => {
    const socket = 'file::pool.py::class::SocketPool::fn::acquire'
    const graph = project(
      {
        'file::pool.py': [1, 90],
        'file::pool.py::class::ConnectionPool': [5, 50],
        [ACQUIRE]: [10, 30],
        'file::pool.py::class::SocketPool': [52, 80],
        [socket]: [60, 70],
        'file::worker.py': [1, 9],
      },
      { calls: [['file::worker.py', socket]] },
    )
    for (const ref of ['file::pool.py::fn::acquire', 'pool.py::acquire', 'acquire']) {
      const it = resolveNode(graph, ref)
      expect(it?.ambiguousMatches).toBe(2)
      expect(it?.candidates.map((v) => keyOf(graph, v))).toEqual([socket, ACQUIRE])
    }
    expect(found(graph, 'ConnectionPool.acquire')).toEqual([ACQUIRE, 'label', 1])
  })

  test('prefers a function of the file to a method, and the first of two of one name', () => {
    const graph = project({
      'file::pool.py': [1, 90],
      'file::pool.py::class::Pool': [2, 9],
      'file::pool.py::class::Pool::fn::open': [3, 5],
      'file::pool.py::fn::open': [10, 20],
      'file::pool.py::fn::open#2': [21, 30],
      'file::pool.py::class::Pool::fn::close': [6, 7],
      'file::pool.py::class::Pool::fn::close#2': [8, 9],
    })
    expect(found(graph, 'file::pool.py::open')).toEqual(['file::pool.py::fn::open', 'alias', 1])
    expect(found(graph, 'pool.py::open#2')).toEqual(['file::pool.py::fn::open#2', 'alias', 1])
    expect(found(graph, 'pool.py::Pool::close')).toEqual(['file::pool.py::class::Pool::fn::close', 'alias', 1])
    expect(found(graph, 'pool.py::Pool::close#2')).toEqual(['file::pool.py::class::Pool::fn::close#2', 'alias', 1])
  })

  test('forgives the wrong kind when nothing else has the name', () => {
    const graph = project({ 'file::a.rs': [1, 9], 'file::a.rs::struct::Cart': [1, 5], 'file::a.rs::fn::class': [6, 7] })
    expect(found(graph, 'file::a.rs::class::Cart')).toEqual(['file::a.rs::struct::Cart', 'alias', 1])
    expect(found(graph, 'a.rs::class')).toEqual(['file::a.rs::fn::class', 'alias', 1])
  })

  test('asks for a longer path where a name occurs twice', () => {
    const graph = project({ 'file::shop/cart.py': [1, 9], 'file::admin/cart.py': [1, 9], 'file::cart.pyi': [1, 2] })
    expect(found(graph, 'cart.py')?.[2]).toBe(2)
    expect(found(graph, './admin/cart.py')).toEqual(['file::admin/cart.py', 'path', 1])
    expect(found(graph, 'art.py')).toBeNull()
  })

  test('takes the file of exactly this path before others that end like it', () => {
    const graph = project({ 'file::a/index.ts': [1, 9], 'file::index.ts': [1, 9] })
    expect(found(graph, './index.ts')).toEqual(['file::index.ts', 'path', 1])
    expect(found(graph, 'index.ts::none')).toBeNull()
  })

  test('prefers a key to what else it may mean', () => {
    const nodes = [
      { key: 'file::a.py', label: 'a.py', type: FILE },
      { key: 'file::a.py::class::Cart::fn::total', label: 'total', type: FUNCTION, parent: 0 },
      { key: 'a.py::total', label: 'note', type: REFERENCE },
    ]
    expect(found(buildGraph({ nodes, edges: [], meta: emptyMeta() }), 'a.py::total')).toEqual(['a.py::total', 'id', 1])
  })

  test('leaves the name of the repository out, and accepts it, where there are several', () => {
    const roots = [root('/srv/backend', { prefix: 'backend::' }), root('/srv/frontend', { prefix: 'frontend::' })]
    const graph = project(
      {
        'backend::dir::./': [0, 0],
        'backend::file::main.py': [1, 9],
        'backend::file::main.py::fn::start': [2, 5],
        'frontend::file::main.ts': [1, 9],
        'frontend::file::src/lib/apiConfig.ts': [1, 9],
        'backend::file::README.md': [1, 2],
        'frontend::file::README.md': [1, 2],
      },
      { roots },
    )
    expect(found(graph, 'frontend::file::src/lib/apiConfig.ts')?.[1]).toBe('id')
    expect(found(graph, 'file::src/lib/apiConfig.ts')).toEqual(['frontend::file::src/lib/apiConfig.ts', 'path', 1])
    expect(found(graph, 'main.py::start')).toEqual(['backend::file::main.py::fn::start', 'alias', 1])
    expect(found(graph, '/srv/frontend/main.ts')).toEqual(['frontend::file::main.ts', 'path', 1])
    expect(found(graph, '/srv/backend/main.ts')).toBeNull()
    expect(found(graph, 'README.md')?.[2]).toBe(2)
    expect(found(graph, 'frontend::README.md')).toEqual(['frontend::file::README.md', 'path', 1])
    expect(found(graph, 'backend')?.[0]).toBe('backend::dir::./')
  })

  test.each(['.', './', 'dir::.', 'dir::./'])('takes "%s" for the whole project', (ref) => {
    const graph = project({ 'dir::./': [0, 0], 'file::main.py': [1, 9] }, { roots: [root('/srv/shop')] })
    expect(found(graph, ref)?.[0]).toBe('dir::./')
  })

  test('reads names with packages and modules before them', () => {
    const gson = 'file::gson/src/main/java/com/google/gson/Gson.java'
    const graph = project({
      [gson]: [1, 90],
      [`${gson}::class::Gson`]: [2, 80],
      [`${gson}::class::Gson::fn::toJson`]: [3, 9],
      'file::mux/router.go': [1, 9],
      'file::mux/router.go::fn::NewRouter': [2, 5],
      'file::app/models/__init__.py': [1, 9],
      'file::app/models/__init__.py::class::User': [2, 5],
    })
    expect(found(graph, 'com.google.gson.Gson.toJson')).toEqual([`${gson}::class::Gson::fn::toJson`, 'label', 1])
    expect(found(graph, 'mux.NewRouter')).toEqual(['file::mux/router.go::fn::NewRouter', 'label', 1])
    expect(found(graph, 'app.models.User')).toEqual(['file::app/models/__init__.py::class::User', 'label', 1])
    expect(found(graph, 'other.models.User')).toBeNull()
  })

  test('finds a file by its source path though its label is another', () => {
    const nodes = [
      { key: 'memory::notes::file::plan', label: 'Plan', type: FILE, path: 'notes/plan.md' },
      { key: 'memory::notes::entry::1', label: 'Buy shelves', type: REFERENCE, path: 'notes/plan.md', parent: 0 },
    ]
    const graph = buildGraph({ nodes, edges: [], meta: emptyMeta() })
    expect(found(graph, 'notes/plan.md')).toEqual(['memory::notes::file::plan', 'path', 1])
    expect(found(graph, 'Buy shelves')).toEqual(['memory::notes::entry::1', 'label', 1])
  })

  test('in another case only when one node fits', () => {
    const graph = project({
      'file::a.py': [1, 9],
      'file::a.py::fn::Open': [1, 2],
      'file::a.py::fn::open_all': [3, 4],
      'file::b.py': [1, 9],
      'file::b.py::fn::OPEN': [1, 2],
    })
    expect(found(graph, 'open')).toBeNull()
    expect(found(graph, 'Open_All')).toEqual(['file::a.py::fn::open_all', 'case_insensitive', 1])
  })

  test('takes a part of a name only when asked to', () => {
    expect(found(backend, 'Connection')).toBeNull()
    expect(found(backend, 'connection', { substring: true })).toEqual([
      'file::pool.py::class::ConnectionPool',
      'substring',
      1,
    ])
    expect(found(backend, 'pool.py::class', { substring: true })?.[1]).toBe('substring')
    expect(found(backend, 'zebra', { substring: true })).toBeNull()
  })

  test('finds every node by its key with the kinds left out', () => {
    for (const graph of [backend, whole]) {
      for (let v = 0; v < graph.nNodes; v++) {
        const short = keyOf(graph, v).replaceAll(/::(class|fn)::/g, '::')
        expect(resolveNode(graph, short)?.node).toBe(v)
      }
    }
  })

  test('never fails on odd references', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '::',
        ':',
        '/',
        '\\',
        '.',
        '#2',
        '()',
        'file',
        'dir',
        'ref',
        'fn',
        'pool.py',
        'acquire',
        '12',
        ' ',
        '~',
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const it = resolveNode(backend, parts.join(''), { substring: true })
        if (it !== null) expect(it.candidates[0]).toBe(it.node)
      }),
    )
    for (const graph of [backend, buildGraph({ nodes: [], edges: [], meta: emptyMeta() })])
      expect(resolveNode(graph, '')).toBeNull()
  })
})

describe('nearestKeys', () => {
  test.each([
    ['file::pol.py', 'file::pool.py'],
    ['ConectionPool', 'file::pool.py::class::ConnectionPool'],
    ['pool.py::aquire', ACQUIRE],
    ['handel_message', 'file::handler.py::class::ChatHandler::fn::handle_message'],
    ['validate_credential', 'file::auth_discovery.py::fn::validate_credentials'],
  ])('of %s begins with what was meant', (ref, key) => {
    expect(nearestKeys(backend, ref, 3)[0]).toBe(key)
  })

  test('names no more than asked for, nothing that is far, and no removed node', () => {
    expect(nearestKeys(backend, 'file::handler.py', 2)).toHaveLength(2)
    expect(nearestKeys(backend, 'zzzz', 3)).toEqual([])
    expect(nearestKeys(backend, 'a', 3)).toEqual([])
    const graph = removeNodes(backend, [nodeByKey(backend, ACQUIRE)])
    expect(nearestKeys(graph, 'acquire', 3)).not.toContain(ACQUIRE)
  })
})
