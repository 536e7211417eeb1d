import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { IngestError } from '#ingest/report'
import { Tree } from '#ingest/tree-for-tests'
import { compareBytes, walk, type WalkOptions } from '#ingest/walk'

const signal = new AbortController().signal

function walked(root: string, options: Partial<WalkOptions> = {}) {
  return walk(root, { includeDotfiles: false, dotfilePatterns: [], ...options }, signal)
}

async function pathsOf(root: string, options: Partial<WalkOptions> = {}): Promise<string[]> {
  return (await walked(root, options)).files.map((it) => it.path)
}

async function refusal(root: string, options: Partial<WalkOptions> = {}): Promise<IngestError> {
  try {
    await walked(root, options)
  } catch (error) {
    if (error instanceof IngestError) return error
    throw error
  }
  throw new Error(`${root} was not refused`)
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the root', () => {
  test('must exist', async () => {
    const error = await refusal(join(new Tree().root, 'nowhere'))

    expect(error.code).toBe('ingest_path_missing')
    expect(error.message).toContain('nowhere')
    expect(error.message).toContain('does not exist')
  })

  test('may not be the whole disk, a home folder or what holds home folders', async () => {
    for (const root of ['/', homedir(), dirname(homedir())]) expect((await refusal(root)).code).toBe('ingest_refused')
  })

  test('may not be a home folder named through a link', async () => {
    const tree = new Tree({ 'home/shop/cart.py': '' }).link('house', 'home')
    const home = tree.path('house')

    expect((await refusal(tree.path('home'), { home })).code).toBe('ingest_refused')
    expect((await refusal(tree.path('house'), { home })).code).toBe('ingest_refused')
    expect((await refusal(tree.root, { home })).code).toBe('ingest_refused')
    expect(await pathsOf(tree.path('home/shop'), { home })).toEqual(['cart.py'])
  })

  test('may be neither a folder of the system nor a repository without files of its own', async () => {
    const tree = new Tree({ 'shop/cart.py': '' })
    execFileSync('git', ['init', '-q', '--bare', tree.path('store.git')])
    const bare = await refusal(tree.path('store.git'))
    expect(bare.code).toBe('ingest_refused')
    expect(bare.hint).toContain('git clone')
    if (existsSync('/proc/self')) expect((await refusal('/proc/self')).code).toBe('ingest_refused')
  })

  test('may be a single file, which is taken whatever the rules say', async () => {
    const tree = new Tree({ 'shop/cart.py': 'x = 1', 'shop/till.py': '', 'shop/.m1ndignore': 'cart.py' })
      .repository()
      .commit('All')
    const { given, root, base, files, repositories } = await walked(tree.path('shop/cart.py'))

    expect(given).toBe(tree.path('shop/cart.py'))
    expect(root).toBe(tree.path('shop'))
    expect(base).toBe(tree.root)
    expect(repositories).toEqual([''])
    expect(files.map(({ path, size, tracked }) => ({ path, size, tracked }))).toEqual([
      { path: 'cart.py', size: 5, tracked: true },
    ])
  })

  test('may be empty', async () => {
    expect(await pathsOf(new Tree().root)).toEqual([])
    expect(await pathsOf(new Tree().repository().root)).toEqual([])
  })

  test('may be a link to a folder; its real path counts', async () => {
    const tree = new Tree({ 'shop/cart.py': '' }).link('current', 'shop')

    expect((await walked(tree.path('current'))).root).toBe(tree.path('shop'))
  })

  test('may not hold more files than the limit, and the largest folders are named', async () => {
    const tree = new Tree({ 'a/1.py': '', 'a/2.py': '', 'a/3.py': '', 'b/1.py': '', 'c.py': '' })
    const error = await refusal(tree.root, { maxFiles: 4 })

    expect(error.code).toBe('ingest_budget')
    expect(error.message).toContain('a/ 3')
    expect(error.hint).toContain('.m1ndignore')
  })
})

for (const [where, prepare] of [
  ['outside of git', (tree: Tree) => tree],
  ['in a repository', (tree: Tree) => tree.repository().commit('All')],
  ['in a repository without commits', (tree: Tree) => tree.repository()],
] as const) {
  describe(where, () => {
    test('files are listed in ascending byte order, with sizes', async () => {
      const tree = prepare(
        new Tree({ 'b/a.py': '12', 'a.py': '1', 'B.py': '', 'é.py': '', 'a/z.py': '', 'a-b.py': '' }),
      )

      expect(await pathsOf(tree.root)).toEqual(['B.py', 'a-b.py', 'a.py', 'a/z.py', 'b/a.py', 'é.py'])
      expect((await walked(tree.root)).files.find((it) => it.path === 'b/a.py')?.size).toBe(2)
    })

    test('ignore files count at every level, negation included', async () => {
      const tree = prepare(
        new Tree({
          '.gitignore': '*.log\n/out/\n!keep.log\n',
          'a.log': '',
          'keep.log': '',
          'out/x.py': '',
          'shop/out/y.py': '',
          'shop/.gitignore': 'draft*\n!draft-1.py\n!b.log\n',
          'shop/draft-1.py': '',
          'shop/draft-2.py': '',
          'shop/b.log': '',
          'shop/c.log': '',
        }),
      )

      expect(await pathsOf(tree.root)).toEqual(['keep.log', 'shop/b.log', 'shop/draft-1.py', 'shop/out/y.py'])
    })

    test('an own ignore file leaves out what is committed', async () => {
      const tree = prepare(
        new Tree({
          '.m1ndignore': 'third_party/\n*.gen.py\n',
          'third_party/lib.py': '',
          'shop/cart.gen.py': '',
          'shop/cart.py': '',
          'shop/.m1ndignore': '!cart.gen.py\nold.py',
          'shop/old.py': '',
        }),
      )

      expect(await pathsOf(tree.root)).toEqual(['shop/cart.gen.py', 'shop/cart.py'])
    })

    test('hidden files and folders are left out unless asked for', async () => {
      const tree = prepare(
        new Tree({
          '.env': '',
          '.github/workflows/test.yml': '',
          '.github/labels.yml': '',
          '.config/a/b.py': '',
          'shop/.hidden.py': '',
          'shop/cart.py': '',
        }),
      )

      expect(await pathsOf(tree.root)).toEqual(['shop/cart.py'])
      expect(await pathsOf(tree.root, { dotfilePatterns: ['.github/*'] })).toEqual([
        '.github/labels.yml',
        'shop/cart.py',
      ])
      expect(await pathsOf(tree.root, { dotfilePatterns: ['.github/**', 'shop/.hidden.py'] })).toEqual([
        '.github/labels.yml',
        '.github/workflows/test.yml',
        'shop/.hidden.py',
        'shop/cart.py',
      ])
      const all = await pathsOf(tree.root, { includeDotfiles: true })
      expect(all).toEqual([
        '.config/a/b.py',
        '.env',
        '.github/labels.yml',
        '.github/workflows/test.yml',
        'shop/.hidden.py',
        'shop/cart.py',
      ])
    })

    test('lock files are left out and counted', async () => {
      const { files, ignored } = await walked(
        prepare(new Tree({ 'package-lock.json': '{}', 'sub/Cargo.lock': '', 'a.py': '' })).root,
      )

      expect(files.map((it) => it.path)).toEqual(['a.py'])
      expect(ignored).toBe(2)
    })

    test('links are not followed: to files, to folders, out of the root, or in a circle', async () => {
      const outside = new Tree({ 'secret.py': 'key = 1' })
      const tree = new Tree({ 'shop/cart.py': '' })
      tree.link('shop/loop', '..').link('shop/self', 'self').link('alias.py', 'shop/cart.py')
      tree.link('stolen', outside.root).link('secret.py', outside.path('secret.py')).link('dangling.py', 'nowhere')
      const { files, warnings } = await walked(prepare(tree).root)

      expect(files.map((it) => it.path)).toEqual(['shop/cart.py'])
      expect(warnings.join()).toContain('symbolic links were not followed')
    })

    test('names with spaces, quotes, line feeds, colons and other scripts are kept', async () => {
      const names = [
        'a b.py',
        'it"s.py',
        "it's.py",
        'line\nfeed.py',
        'tab\t.py',
        '\u00fcber/stra\u00dfe.py',
        '漢字.py',
        '😀.py',
        'a::b.py',
        '-rf.py',
        '\\.py',
        '*.py',
        '[x].py',
      ]
      const tree = prepare(new Tree(Object.fromEntries(names.map((it) => [it, '']))))

      expect(await pathsOf(tree.root)).toEqual([...names].sort(compareBytes))
    })

    test('paths are in one Unicode form, files as on disk', async () => {
      const tree = prepare(new Tree({ 'cafe\u0301.py': '' }))
      const [file] = (await walked(tree.root)).files

      expect(file.path).toBe('caf\u00e9.py')
      expect(existsSync(file.file)).toBe(true)
    })

    test('special files are left out', async () => {
      const tree = new Tree({ 'a.py': '' })
      execFileSync('mkfifo', [tree.path('pipe.py')])

      expect(await pathsOf(prepare(tree).root)).toEqual(['a.py'])
    })

    test('attributes mark generated and vendored files', async () => {
      const tree = prepare(
        new Tree({
          '.gitattributes':
            '*.pb.py linguist-generated\nlib/** linguist-vendored=true\nlib/own.py -linguist-vendored\n',
          'api.pb.py': '',
          'lib/other.py': '',
          'lib/own.py': '',
          'shop/.gitattributes': 'cart.py linguist-generated=true',
          'shop/cart.py': '',
        }),
      )

      expect(Object.fromEntries((await walked(tree.root)).files.map((it) => [it.path, it.tags]))).toEqual({
        'api.pb.py': ['generated'],
        'lib/other.py': ['vendored'],
        'lib/own.py': [],
        'shop/cart.py': ['generated'],
      })
    })

    test('a cancelled walk ends', async () => {
      const tree = prepare(new Tree({ 'a.py': '' }))
      const cancelled = AbortSignal.abort()

      await expect(walk(tree.root, { includeDotfiles: false, dotfilePatterns: [] }, cancelled)).rejects.toMatchObject({
        code: 'cancelled',
      })
    })
  })
}

test('a repository that git cannot be asked about is walked without it, and says so', async () => {
  const tree = new Tree({ 'shop/cart.py': '', 'shop/.gitignore': 'till.py', 'shop/till.py': '' }).repository()
  vi.stubEnv('PATH', '/nowhere')
  const { files, warnings } = await walked(tree.path('shop'))
  expect(files.map((it) => it.path)).toEqual(['cart.py'])
  expect(warnings.join()).toContain('Its history is missing')

  expect((await walked(new Tree({ 'cart.py': '' }).root)).warnings).toEqual([])
})

describe('outside of git only', () => {
  test('folders with names of build output and packages are left out at any depth', async () => {
    const tree = new Tree({
      'node_modules/a.js': '',
      'shop/dist/b.js': '',
      'shop/vendor/c.go': '',
      'shop/d.js': '',
      'target/e.rs': '',
      build: '',
    })

    expect(await pathsOf(tree.root)).toEqual(['build', 'shop/d.js'])
  })

  test('unreadable folders are named', async () => {
    const tree = new Tree({ 'closed/a.py': '', 'b.py': '' })
    chmodSync(tree.path('closed'), 0)
    const { files, problems } = await walked(tree.root)
    chmodSync(tree.path('closed'), 0o700)

    // the superuser may read everything
    if (process.getuid?.() === 0) expect(files.map((it) => it.path)).toEqual(['b.py', 'closed/a.py'])
    else expect(problems).toMatchObject([{ path: 'closed/', message: expect.stringContaining('cannot be read') }])
  })

  test('`.ignore` and `.git/info/exclude` count where git is missing', async () => {
    const tree = new Tree({
      '.ignore': 'notes.md',
      'notes.md': '',
      'a.py': '',
      'b.py': '',
      '.git/info/exclude': 'b.py\n',
    })
    vi.stubEnv('PATH', tree.path('nothing-here'))

    expect(await pathsOf(tree.root)).toEqual(['a.py'])
  })

  test('a folder of repositories lists each through git', async () => {
    const tree = new Tree({
      'till/a.py': '',
      'till/x.log': '',
      'till/.gitignore': '*.log',
      'stock/b.py': '',
      'loose.py': '',
    })
    tree.repository('till').commit('Till', 'till').repository('stock')
    const { files, repositories, base } = await walked(tree.root)

    expect(files.map((it) => [it.path, it.tracked])).toEqual([
      ['loose.py', false],
      ['stock/b.py', false],
      ['till/a.py', true],
    ])
    expect(repositories.sort()).toEqual(['stock/', 'till/'])
    expect(base).toBe(tree.root)
  })
})

describe('in a repository only', () => {
  test('skipped folder names count for untracked files alone', async () => {
    const tree = new Tree({ 'vendor/kept.go': '', 'a.go': '' }).repository().commit('All')
    tree.write({ 'vendor/new.go': '', 'shop/dist/x.js': '', 'b.go': '' })

    expect(await pathsOf(tree.root)).toEqual(['a.go', 'b.go', 'vendor/kept.go'])
  })

  test('tracked files that are gone are left out, ignored ones that are tracked stay', async () => {
    const tree = new Tree({ 'gone.py': '', 'kept.log': '' }).repository().commit('All')
    tree.remove('gone.py').write({ '.gitignore': '*.log', 'new.log': '' })
    const { files, problems } = await walked(tree.root)

    expect(files.map((it) => it.path)).toEqual(['kept.log'])
    expect(problems).toEqual([])
  })

  test('a sub-folder as root gives paths relative to it and knows the top level', async () => {
    const tree = new Tree({
      'backend/pool.py': '',
      'frontend/app.ts': '',
      '.gitignore': 'backend/*.log',
      'backend/x.log': '',
    }).repository()
    tree.write({ '.m1ndignore': 'backend/old.py', 'backend/old.py': '' })
    const { files, root, base, repositories } = await walked(tree.path('backend'))

    expect(files.map((it) => it.path)).toEqual(['pool.py'])
    expect([root, base]).toEqual([tree.path('backend'), tree.root])
    expect(repositories).toEqual([''])
  })

  test('an ignored folder as root is read without git', async () => {
    const tree = new Tree({ '.gitignore': 'node_modules', 'node_modules/lib/index.js': '', 'a.js': '' }).repository()
    const { files, base, repositories } = await walked(tree.path('node_modules/lib'))

    expect(files.map((it) => it.path)).toEqual(['index.js'])
    expect(base).toBe(tree.path('node_modules/lib'))
    expect(repositories).toEqual([])
  })

  test('nested repositories and submodules are listed by their own git', async () => {
    const library = new Tree({ 'lib.py': '', 'x.log': '', '.gitignore': '*.log' }).repository().commit('Library')
    const tree = new Tree({
      'shop.py': '',
      'tools/deep/t.py': '',
      'tools/deep/y.log': '',
      'tools/deep/.gitignore': '*.log',
    }).repository()
    tree.repository('tools/deep').commit('Deep', 'tools/deep').write({ 'tools/deep/new.py': '' })
    tree.git('', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'library')
    tree.commit('All')
    const { files, repositories } = await walked(tree.root)

    expect(files.map((it) => [it.path, it.tracked])).toEqual([
      ['library/lib.py', true],
      ['shop.py', true],
      ['tools/deep/new.py', false],
      ['tools/deep/t.py', true],
    ])
    expect(repositories.sort()).toEqual(['', 'library/', 'tools/deep/'])
  })

  test('a submodule that is not checked out gives no files', async () => {
    const library = new Tree({ 'lib.py': '' }).repository().commit('Library')
    const tree = new Tree({ 'shop.py': '' }).repository()
    tree.git('', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'library')
    tree.commit('All').remove('library')
    mkdirSync(tree.path('library'))

    expect(await pathsOf(tree.root)).toEqual(['shop.py'])
  })

  test('a workspace that ignores the repositories inside it takes them in and says so', async () => {
    const tree = new Tree({
      '.gitignore': '*/',
      'README.md': '',
      'till/a.py': '',
      'stock/b.py': '',
      'plain/c.py': '',
    }).repository()
    tree.repository('till').commit('Till', 'till').repository('stock').commit('Stock', 'stock')
    const isSource = (path: string) => path.endsWith('.py')
    const { files, warnings } = await walked(tree.root, { isSource })

    expect(files.map((it) => it.path)).toEqual(['README.md', 'stock/b.py', 'till/a.py'])
    expect(warnings).toHaveLength(2)
  })

  test('ignored repositories stay out where the outer one has code of its own', async () => {
    const tree = new Tree({ '.gitignore': 'clone/', 'shop.py': '', 'clone/a.py': '' }).repository().repository('clone')

    expect(await pathsOf(tree.root, { isSource: (path) => path.endsWith('.py') })).toEqual(['shop.py'])
  })

  test('a tracked path that now leads through a link is not followed', async () => {
    const outside = new Tree({ 'cart.py': 'secret = 1' })
    const tree = new Tree({ 'shop/cart.py': '', 'a.py': '' }).repository().commit('All')
    tree.remove('shop').link('shop', outside.root)

    expect(await pathsOf(tree.root)).toEqual(['a.py'])
  })

  test('unmerged files are listed once', async () => {
    const tree = new Tree({ 'cart.py': 'a = 1\n' }).repository().commit('Base')
    tree.git('', 'checkout', '-q', '-b', 'other')
    tree.write({ 'cart.py': 'a = 2\n' }).commit('Two')
    tree.git('', 'checkout', '-q', 'main')
    tree.write({ 'cart.py': 'a = 3\n' }).commit('Three')
    expect(() => tree.git('', 'merge', 'other')).toThrow(/merge/)

    expect(await pathsOf(tree.root)).toEqual(['cart.py'])
  })

  test('programs that the configuration of the repository names are not run', async () => {
    const tree = new Tree({ 'cart.py': '' }).repository().commit('All')
    writeFileSync(tree.path('evil.sh'), `#!/bin/sh\ntouch ${tree.path('ran')}\n`, { mode: 0o755 })
    for (const name of ['core.fsmonitor', 'core.pager', 'diff.external', 'core.sshCommand', 'filter.x.clean']) {
      tree.git('', 'config', name, tree.path('evil.sh'))
    }
    tree.write({ '.gitattributes': '*.py filter=x diff=x\n', 'cart.py': 'changed = 1' })
    vi.stubEnv('GIT_DIR', '/nowhere')

    expect(await pathsOf(tree.root)).toEqual(['cart.py', 'evil.sh'])
    expect(existsSync(tree.path('ran'))).toBe(false)
  })
})

test('compareBytes orders as the UTF-8 bytes do', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
})
