import { existsSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type Commit, changeFrequency, LogParser, readHistory } from '#ingest/history'
import { commitTime, Tree } from '#ingest/tree-for-tests'

const signal = new AbortController().signal

describe('readHistory', () => {
  test('gives time, message and files of each commit, newest first, and the head', async () => {
    const tree = new Tree({ 'cart.py': '1', 'till.py': '1' }).repository().commit('Add cart and till\n\nThe first two.')
    tree.write({ 'cart.py': '2' }).commit('Change the cart').remove('till.py').commit('Drop the till')
    const { commits, head } = await readHistory(tree.root, { repositories: [''] }, signal)

    expect(commits).toEqual([
      { time: commitTime(2), message: 'Drop the till', paths: ['till.py'] },
      { time: commitTime(1), message: 'Change the cart', paths: ['cart.py'] },
      { time: commitTime(0), message: 'Add cart and till\n\nThe first two.', paths: ['cart.py', 'till.py'] },
    ])
    expect(head).toBe(tree.git('', 'rev-parse', 'HEAD').trim())
  })

  test('keeps odd names as they are', async () => {
    const names = ['a b.py', 'it"s.py', '\nline\nfeed.py', 'tab\t.py', 'stra\u00dfe/漢字.py', '\x01abc.py']
    const tree = new Tree(Object.fromEntries(names.map((it) => [it, 'x']))).repository().commit('Odd')
    const { commits } = await readHistory(tree.root, { repositories: [''] }, signal)

    expect(commits.map((it) => it.paths.sort())).toEqual([names.sort()])
  })

  test('of a sub-folder holds its commits alone, with paths relative to it', async () => {
    const tree = new Tree({ 'backend/pool.py': '1', 'frontend/app.ts': '1' }).repository().commit('Both')
    tree.write({ 'frontend/app.ts': '2' }).commit('Front').write({ 'backend/pool.py': '2' }).commit('Back')
    const { commits, head } = await readHistory(tree.path('backend'), { repositories: [''] }, signal)

    expect(commits.map((it) => [it.message, it.paths])).toEqual([
      ['Back', ['pool.py']],
      ['Both', ['pool.py']],
    ])
    expect(head).toBe(tree.git('', 'rev-parse', 'HEAD').trim())
  })

  test('leaves merges out and takes a rename for a removal and an addition', async () => {
    const tree = new Tree({ 'a.py': 'one\ntwo\nthree\n' }).repository().commit('Base')
    tree.git('', 'checkout', '-q', '-b', 'side')
    tree.write({ 'b.py': '' }).commit('Side')
    tree.git('', 'checkout', '-q', 'main')
    tree.write({ 'c.py': '' }).commit('Main')
    tree.git('', 'merge', '-q', '--no-edit', 'side')
    tree.git('', 'mv', 'a.py', 'd.py')
    tree.commit('Move')
    const { commits } = await readHistory(tree.root, { repositories: [''] }, signal)

    expect(commits.map((it) => it.message)).toEqual(['Move', 'Main', 'Side', 'Base'])
    expect(commits[0].paths).toEqual(['a.py', 'd.py'])
  })

  test('joins the repositories of a workspace', async () => {
    const tree = new Tree({ 'till/a.py': '', 'stock/b.py': '' })
      .repository('till')
      .commit('Till', 'till')
      .repository('stock')
    const { commits, head } = await readHistory(tree.root, { repositories: ['stock/', 'till/'] }, signal)

    expect(commits.map((it) => it.paths)).toEqual([['till/a.py']])
    expect(head).toBe(tree.git('till', 'rev-parse', 'HEAD').trim())
  })

  test('is empty without git, without commits and outside of a repository', async () => {
    const nothing = { commits: [], head: '' }
    const tree = new Tree({ 'a.py': '' })

    expect(await readHistory(tree.root, { repositories: [''] }, signal)).toMatchObject(nothing)
    expect(await readHistory(tree.repository().root, { repositories: [''] }, signal)).toMatchObject(nothing)
    tree.commit('All')
    vi.stubEnv('PATH', tree.path('nothing-here'))
    expect(await readHistory(tree.root, { repositories: [''] }, signal)).toMatchObject(nothing)
    vi.unstubAllEnvs()
  })

  test('of a shallow clone is what the clone has', async () => {
    const tree = new Tree({ 'a.py': '1' }).repository().commit('One').write({ 'a.py': '2' }).commit('Two')
    const copy = new Tree()
    copy.git('', 'clone', '-q', '--depth', '1', `file://${tree.root}`, 'copy')

    expect(
      (await readHistory(copy.path('copy'), { repositories: [''] }, signal)).commits.map((it) => it.message),
    ).toEqual(['Two'])
  })

  test('goes on from what is known, and is the same as read anew', async () => {
    const tree = new Tree({ 'a.py': '1' }).repository().commit('One')
    const options = { repositories: [''], maxCommits: 3 }
    let known = await readHistory(tree.root, options, signal)
    expect(await readHistory(tree.root, options, signal, known)).toBe(known)
    const steps = [
      () => tree.write({ 'a.py': '2' }).commit('Two'),
      () => tree.write({ 'b.py': '1' }).commit('Three').write({ 'b.py': '2' }).commit('Four'),
      () => {
        tree.git('', 'checkout', '-q', '-b', 'side', 'HEAD~2')
        tree.write({ 'c.py': '1' }).commit('Aside')
      },
      () => {
        tree.git('', 'checkout', '-q', 'main')
        tree.git('', 'merge', '-q', '--no-ff', '-m', 'Joined', 'side')
      },
      () => tree.git('', 'reset', '-q', '--hard', 'HEAD~1'),
      () => tree.write({ 'd.py': '1' }).commit('Five'),
    ]
    for (const step of steps) {
      step()
      known = await readHistory(tree.root, options, signal, known)
      expect(known).toEqual(await readHistory(tree.root, options, signal))
    }
  })

  test('reads no more commits than asked for', async () => {
    const tree = new Tree().repository()
    for (let i = 0; i < 4; i++) tree.write({ 'a.py': String(i) }).commit(`Change ${i}`)
    const { commits } = await readHistory(tree.root, { repositories: [''], maxCommits: 2 }, signal)

    expect(commits.map((it) => it.message)).toEqual(['Change 3', 'Change 2'])
  })

  test('runs no program of the repository and follows no variable that points elsewhere', async () => {
    const tree = new Tree({ 'a.py': '' }).repository().commit('All')
    writeFileSync(tree.path('evil.sh'), `#!/bin/sh\ntouch ${tree.path('ran')}\n`, { mode: 0o755 })
    for (const name of ['core.pager', 'core.fsmonitor', 'diff.external', 'diff.x.textconv', 'gpg.program']) {
      tree.git('', 'config', name, tree.path('evil.sh'))
    }
    tree.git('', 'config', 'log.showSignature', 'true')
    tree.write({ '.gitattributes': '*.py diff=x\n' })
    const elsewhere = new Tree({ 'b.py': '' }).repository().commit('Elsewhere')
    vi.stubEnv('GIT_DIR', elsewhere.path('.git'))
    const { commits } = await readHistory(tree.root, { repositories: [''] }, signal)
    vi.unstubAllEnvs()

    expect(commits.map((it) => it.message)).toEqual(['All'])
    expect(existsSync(tree.path('ran'))).toBe(false)
  })
})

test('the log means the same however it is cut into pieces', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .filter((it) => !it.includes('\0') && it.normalize('NFC') === it)
  const commit = fc.record<Commit>(
    {
      time: fc.nat(),
      message: fc
        .string({ unit: 'grapheme' })
        .filter((it) => !it.includes('\0'))
        .map((it) => it.trim()),
      paths: fc.array(name, { maxLength: 3 }),
    },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(commit, { maxLength: 4 }), fc.integer({ min: 1, max: 20 }), (commits, size) => {
      const log = commits.map(({ time, message, paths }, i) => {
        const hash = i.toString(16).padStart(40, '0')
        return `\x01${hash}\0${time}\0${message}\n\0${paths.length > 0 ? `\n${paths.map((it) => `${it}\0`).join('')}` : ''}`
      })
      const bytes = Buffer.from(log.join(''))
      const parser = new LogParser('')
      for (let i = 0; i < bytes.length; i += size) parser.add(bytes.subarray(i, i + size))

      expect(parser.commits).toEqual(commits)
    }),
  )
})

test('change frequency grows with commits between its bounds', () => {
  expect([1, 5, 12, 50, 80].map(changeFrequency)).toEqual([0.1, 0.1, 0.24, 1, 1])
})
