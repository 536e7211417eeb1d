import { chmodSync, utimesSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGraph } from '#graph/build'
import { decodeSections, encodeSections, graphColumns } from '#graph/snapshot'
import { type Ingested, type IngestSettings, ingest } from '#ingest/ingest'
import type { IngestReport, Progress } from '#ingest/report'
import { storeColumns, storeFromColumns } from '#ingest/store'
import { commitTime, Tree } from '#ingest/tree-for-tests'

const NOW = 1_900_000_000_000

function run(root: string, settings: Partial<IngestSettings> = {}, seen: Progress[] = []): Promise<Ingested> {
  return ingest(
    { root, now: NOW, ...settings },
    { signal: new AbortController().signal, progress: (at) => seen.push(at) },
  )
}

/** Everything that a snapshot of the result would hold. */
function bytesOf({ input }: Ingested): Buffer {
  return Buffer.concat(encodeSections({ meta: input.meta }, graphColumns(buildGraph(input))))
}

function node({ input }: Ingested, key: string) {
  const found = input.nodes.find((it) => it.key === key)
  if (found === undefined) throw new Error(`no ${key} among ${input.nodes.map((it) => it.key).join(' ')}`)
  return found
}

function edgesOf({ input: { nodes, edges } }: Ingested, relation: string): string[] {
  return edges.filter((it) => it.relation === relation).map((it) => `${nodes[it.source].key} > ${nodes[it.target].key}`)
}

function expectBalanced(report: IngestReport): void {
  const { files_scanned, files_parsed, files_skipped, files_failed, files_unchanged } = report
  expect(files_scanned).toBe(files_parsed + files_skipped + files_failed + files_unchanged)
  const { files_skipped_binary, files_skipped_encoding, files_skipped_size, files_skipped_ignored } = report
  expect(files_skipped).toBe(files_skipped_binary + files_skipped_encoding + files_skipped_size + files_skipped_ignored)
}

const SHOP = {
  'backend/pool.py':
    'class ConnectionPool:\n    """Keeps connections."""\n\n    def acquire(self):\n        return 1\n',
  'backend/worker.py': 'from pool import ConnectionPool\n\n\ndef submit():\n    return ConnectionPool().acquire()\n',
  'backend/tests/test_pool.py':
    'from pool import ConnectionPool\n\n\ndef test_acquire():\n    ConnectionPool().acquire()\n',
}

describe('a project', () => {
  test('becomes nodes that contain each other and edges between files', async () => {
    const tree = new Tree(SHOP).repository().commit('All')
    const got = await run(tree.path('backend'))

    expect(node(got, 'file::pool.py::class::ConnectionPool::fn::acquire')).toMatchObject({
      label: 'acquire',
      path: 'backend/pool.py',
      lineStart: 4,
    })
    expect(node(got, 'file::pool.py')).toMatchObject({ lastModified: commitTime(0), changeFrequency: 0.1 })
    expect(edgesOf(got, 'imports')).toContain('file::worker.py > file::pool.py')
    expect(edgesOf(got, 'contains')).toEqual(
      expect.arrayContaining([
        'dir::./ > dir::tests/',
        'dir::tests/ > file::tests/test_pool.py',
        'file::worker.py > file::worker.py::fn::submit',
      ]),
    )
    expect(got.input.meta).toMatchObject({
      ingestedAt: NOW,
      commit: tree.git('', 'rev-parse', 'HEAD').trim(),
      roots: [{ path: tree.path('backend'), base: tree.root, prefix: '', adapter: 'code' }],
      coverage: { filesParsed: 3, filesPartial: 0 },
    })
    expect(got.words.map((it) => it.node)).toEqual(
      got.input.nodes.flatMap((it, v) => (it.key.split('::').length === 2 && it.key.startsWith('file') ? [v] : [])),
    )
    const graph = buildGraph(got.input)
    expect(graph.nNodes).toBe(got.report.nodes_created)
    expectBalanced(got.report)
    expect(got.report).toMatchObject({ files_parsed: 3, languages: { python: 3 }, problems: [], truncated: '' })
  })

  test('brings its history: ages, messages and files that change together', async () => {
    const tree = new Tree({ 'cart.py': '0', 'till.py': '0', 'notes.md': '' }).repository().commit('Start')
    for (let i = 1; i <= 3; i++) tree.write({ 'cart.py': String(i), 'till.py': String(i) }).commit(`Round ${i}`)
    tree.write({ 'notes.md': 'changed', 'new.py': '' })
    utimesSync(tree.path('notes.md'), 1_650_000_000, 1_650_000_000)
    utimesSync(tree.path('new.py'), 1_650_000_001, 1_650_000_001)
    const got = await run(tree.root)

    expect(node(got, 'file::cart.py')).toMatchObject({ lastModified: commitTime(3), changeFrequency: 0.1 })
    expect(node(got, 'file::notes.md')).toMatchObject({ lastModified: 1_650_000_000, changeFrequency: 0.1 })
    expect(node(got, 'file::new.py')).toMatchObject({ lastModified: 1_650_000_001, changeFrequency: 0.3 })
    expect(edgesOf(got, 'co_changes')).toEqual(['file::cart.py > file::till.py'])
    expect(got.commits.map((it) => [it.message, it.files.length])).toEqual([
      ['Round 3', 2],
      ['Round 2', 2],
      ['Round 1', 2],
      ['Start', 3],
    ])
    expect(got.report.commits).toBe(4)
  })

  test('with line endings that git changes is not taken for modified', async () => {
    const tree = new Tree({ 'cart.py': 'a = 1\r\nb = 2\r\n' }).repository()
    tree.git('', 'config', 'core.autocrlf', 'true')
    tree.commit('All')

    expect(node(await run(tree.root), 'file::cart.py').lastModified).toBe(commitTime(0))
  })

  test('may be a single file', async () => {
    const tree = new Tree(SHOP)
    const got = await run(tree.path('backend/pool.py'))

    expect(got.input.nodes.filter((it) => it.key.startsWith('file')).map((it) => it.key)).toEqual([
      'file::pool.py',
      'file::pool.py::class::ConnectionPool',
      'file::pool.py::class::ConnectionPool::fn::acquire',
    ])
  })

  test('that is empty gives the folder alone and says so', async () => {
    const got = await run(new Tree().root)

    expect(got.input.nodes.map((it) => it.key)).toEqual(['dir::./'])
    expect(got.report.warnings.join()).toContain('No file was found')
    buildGraph(got.input)
  })

  test('reports its progress phase by phase', async () => {
    const seen: Progress[] = []
    await run(new Tree(SHOP).root, {}, seen)

    expect([...new Set(seen.map((it) => it.phase))]).toEqual(['walk', 'extract', 'history', 'resolve', 'build'])
    const read = seen.filter((it) => it.phase === 'extract')
    expect(read.map((it) => it.file).sort()).toEqual(Object.keys(SHOP).sort())
    expect(read[2]).toMatchObject({ done: 3, total: 3 })
    expect(read[2].etaMs).toBeGreaterThanOrEqual(0)
  })
})

describe('troubles', () => {
  test('of single files are named and leave the rest alone', async () => {
    const tree = new Tree({
      'ok.py': 'def fine(): pass\n',
      'big.py': Buffer.alloc(50_000_000, 'x = 1\n'),
      'line.js': `let a = "${'y'.repeat(5_000_000)}"`,
      'deep.js': '[\n'.repeat(20_000) + ']\n'.repeat(20_000),
      'broken.py': Buffer.from('def caf\xe9(): pass\n', 'latin1'),
      'wide.py': Buffer.from('\ufeffdef wide(): pass\n', 'utf16le'),
      'zero.py': 'x = 1\0',
      'noise.py': Buffer.from('\xff\x01\x02\x03', 'latin1'),
      'logo.png': 'not really',
      'empty.py': '',
      'crlf.py': 'def crlf():\r\n    pass\r\n',
      'bundle.min.js': 'function a(){}',
      'odd "name"\n.py': 'def odd(): pass',
      'syntax.py': 'def (:::\n',
    })
    const got = await run(tree.root)
    const keys = new Set(got.input.nodes.map((it) => it.key))

    for (const key of [
      'file::ok.py::fn::fine',
      'file::broken.py::fn::café',
      'file::wide.py::fn::wide',
      'file::crlf.py::fn::crlf',
      'file::odd "name"\n.py::fn::odd',
    ]) {
      expect(keys).toContain(key)
    }
    expect(node(got, 'file::big.py').tags).toContain('oversize')
    expect(node(got, 'file::line.js').tags).toContain('oversize')
    expect(node(got, 'file::bundle.min.js').tags).toContain('minified')
    expect(keys).toContain('file::deep.js')
    for (const key of ['file::zero.py', 'file::noise.py', 'file::logo.png']) expect(keys).not.toContain(key)
    const named = got.report.problems.map(({ path, line }) => `${path}:${line}`)
    for (const it of ['big.py:0', 'line.js:0', 'zero.py:0', 'noise.py:0', 'deep.js:1', 'broken.py:0'])
      expect(named).toContain(it)
    expect(named).not.toContain('bundle.min.js:0')
    expect(got.report).toMatchObject({
      files_skipped_binary: 2,
      files_skipped_encoding: 1,
      files_skipped_size: 3,
      files_failed: 0,
    })
    expect(got.report.problems.map((it) => it.path)).toEqual(expect.arrayContaining(['broken.py', 'deep.js']))
    expectBalanced(got.report)
    buildGraph(got.input)
  }, 60_000)

  test('of unreadable files are counted and named first', async () => {
    const tree = new Tree({ 'a.py': 'def (', 'secret.py': 'x = 1', 'z.py': 'y = 2' })
    chmodSync(tree.path('secret.py'), 0)
    const got = await run(tree.root)

    // the superuser may read everything
    if (process.getuid?.() === 0) expect(got.report.files_failed).toBe(0)
    else expect(got.report.problems[0]).toMatchObject({ path: 'secret.py', message: expect.stringContaining('EACCES') })
    expectBalanced(got.report)
  })

  test('of checkouts that are not whole are told: pointers, sparse ones, short histories', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d7a2146'.repeat(8)}\nsize 12345\n`
    const tree = new Tree({ 'shop/a.py': 'def a(): pass\n', 'store/b.py': 'def b(): pass\n', 'shop/c.py': pointer })
    tree.repository().commit('Open the shop')
    tree.write({ 'shop/a.py': 'def a(): return 1\n' }).commit('A gives one')
    const got = await run(tree.root)
    expect(got.report.problems).toEqual([
      { path: 'shop/c.py', line: 0, message: expect.stringContaining('git lfs pull') },
    ])
    expect(node(got, 'file::shop/c.py').tags).toContain('absent')
    expectBalanced(got.report)

    const part = new Tree({})
    part.git('', 'clone', '-q', '--depth', '1', '--no-checkout', `file://${tree.root}`, '.')
    part.git('', 'sparse-checkout', 'set', 'shop')
    part.git('', 'checkout', '-q')
    const { report } = await run(part.root)
    expect(report.warnings.join('\n')).toMatch(/shallow[^]*\n1 files of the repository are not checked out/)
  })

  test('of files that vanish while others are read are named', async () => {
    const tree = new Tree({ 'a.py': 'x = 1', 'b.py': 'y = 2', 'c.py': 'z = 3' })
    const got = await ingest(
      { root: tree.root },
      {
        signal: new AbortController().signal,
        progress: ({ phase, file }) => {
          if (phase === 'extract' && file === 'a.py') tree.remove('b.py')
        },
      },
    )

    expect(got.report.problems).toEqual([{ path: 'b.py', line: 0, message: 'The file cannot be opened (ENOENT).' }])
    expect(got.report).toMatchObject({ files_parsed: 2, files_failed: 1 })
    expect(got.input.nodes.map((it) => it.key)).not.toContain('file::b.py')
  })

  test('a generated file that the repository names is kept without content', async () => {
    const tree = new Tree({
      '.gitattributes': 'api.py linguist-generated',
      'api.py': 'def call(): pass',
      'cart.py': '# @generated\ndef add(): pass',
    }).repository()
    const got = await run(tree.root)

    expect(node(got, 'file::api.py').tags).toContain('generated')
    expect(node(got, 'file::cart.py').tags).toContain('generated')
    expect(got.input.nodes.map((it) => it.key)).not.toContain('file::api.py::fn::call')
    expect(got.input.nodes.map((it) => it.key)).toContain('file::cart.py::fn::add')
  })

  test('a cancelled ingest ends with that', async () => {
    const controller = new AbortController()
    const tree = new Tree(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.py`, 'x = 1'])))
    const ingesting = ingest(
      { root: tree.root },
      { signal: controller.signal, progress: ({ phase }) => phase === 'extract' && controller.abort() },
    )

    await expect(ingesting).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('budgets', () => {
  const files = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [`f${i}.py`, `def one_${i}(): pass\ndef two_${i}(): one_${i}()\n`]),
  )

  test('of nodes take whole files in order of path and say so', async () => {
    const got = await run(new Tree(files).root, { maxNodes: 10 })

    expect(got.input.nodes.filter((it) => it.type === 0).map((it) => it.label)).toEqual(['f0.py', 'f1.py', 'f2.py'])
    expect(got.report).toMatchObject({ truncated: 'max_nodes', files_parsed: 3 })
    expect(got.report.warnings.join()).toContain('max_nodes')
    expectBalanced(got.report)
    buildGraph(got.input)
  })

  test('of time leave a consistent graph of what was read', async () => {
    const got = await run(new Tree(files).root, { timeoutMs: 0 })

    expect(got.report).toMatchObject({ truncated: 'timeout', files_parsed: 0 })
    buildGraph(got.input)
  })
})

describe('the result is the same', () => {
  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => [
      `p${i % 7}/m${i}.py`,
      `from p${(i + 1) % 7} import m${(i * 3) % 150}\n\n\nclass C${i}:\n    def go(self):\n        return helper_${i % 5}()\n\n\ndef helper_${i % 5}():\n    return C${i}().go()\n`,
    ]),
  )

  test('on the calling thread, in one worker and in several', async () => {
    const tree = new Tree({ ...many, 'package.json': '{"name": "shop"}' }).repository().commit('All')
    const one = await run(tree.root, { parallelism: 1 })
    const three = await run(tree.root, { parallelism: 3 })
    const none = await run(tree.root, { parallelism: 0 })

    expect(bytesOf(three).equals(bytesOf(one))).toBe(true)
    expect(bytesOf(none).equals(bytesOf(one))).toBe(true)
    expect(three.report).toMatchObject({ files_parsed: 151, files_failed: 0 })
  }, 60_000)

  test('with stored facts, of which unchanged files are not read again', async () => {
    const tree = new Tree({ ...SHOP, 'logo.png': '', 'x.min.js': 'a' })
    const first = await run(tree.root)
    const { header, columns } = storeColumns(first.facts)
    const read = decodeSections(Buffer.concat(encodeSections(header, columns)))
    const stored = storeFromColumns(read.header, read.columns)
    if (stored === null) throw new Error('the store did not come back')
    const again = await run(tree.root, { stored })

    expect(bytesOf(again).equals(bytesOf(first))).toBe(true)
    expect(again.report).toMatchObject({
      files_unchanged: 3,
      files_parsed: 0,
      files_skipped_size: 1,
      files_skipped_binary: 1,
    })
    expectBalanced(again.report)
  })

  test('when a file was touched, or changed within the coarseness of time stamps', async () => {
    const tree = new Tree({ 'cart.py': 'def add(): pass\n' })
    const first = await run(tree.root, { now: Date.now() })
    utimesSync(tree.path('cart.py'), 1_650_000_000, 1_650_000_000)
    expect((await run(tree.root, { stored: first.facts })).report).toMatchObject({
      files_unchanged: 1,
      files_parsed: 0,
    })

    writeFileSync(tree.path('cart.py'), 'def sum(): pass\n')
    const changed = await run(tree.root, { stored: first.facts })
    expect(changed.input.nodes.map((it) => it.key)).toContain('file::cart.py::fn::sum')
  })

  test('after any edits, whether facts are stored or not', async () => {
    const name = fc.constantFrom('cart.py', 'till.py', 'tax/rates.py', 'tax/rules.py', 'notes.md', 'x.min.js')
    const content = fc.constantFrom(
      '',
      'def add(): pass\n',
      'from tax.rates import rate\n\n\ndef total():\n    return rate()\n',
      'def rate():\n    return 1\n',
      'class Rate:\n    def of(self):\n        return self.of()\n',
    )
    const edit = fc.record({ name, content: fc.option(content) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          const tree = new Tree({ 'keep.py': 'def kept(): pass\n' })
          let stored = (await run(tree.root)).facts
          for (const round of rounds) {
            for (const { name, content } of round) {
              tree.write({ [name]: content ?? '' })
              if (content === null) tree.remove(name)
            }
            const reused = await run(tree.root, { stored, now: NOW })
            const fresh = await run(tree.root)
            expect(bytesOf(reused).equals(bytesOf(fresh))).toBe(true)
            stored = reused.facts
          }
        },
      ),
      { numRuns: 25 },
    )
  }, 60_000)
})

test('stored facts of another version or other limits are not used', async () => {
  const tree = new Tree(SHOP)
  const { facts } = await run(tree.root)

  expect((await run(tree.root, { stored: { ...facts, version: '0 {}' } })).report.files_unchanged).toBe(0)
  expect((await run(tree.root, { stored: facts, maxLineBytes: 500 })).report.files_unchanged).toBe(0)
})
