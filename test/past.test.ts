/** Questions about the past, on repositories with a history of their own. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Engine } from '#engine/brain'
import { answer, ask, cleanUp, engineFor, projectOf, temporaryFolder } from './support.ts'

afterAll(cleanUp)

const LINES = Array.from({ length: 30 }, (_, i) => `line_${i} = ${i}`).join('\n')

class Shop {
  readonly folder: string

  constructor(files: Record<string, string>) {
    this.folder = projectOf('shop', files)
    this.git('init', '-q', '-b', 'main')
  }

  git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
    const who = ['-c', 'user.name=Clerk', '-c', 'user.email=clerk@shop.example']
    return execFileSync('git', [...who, ...args], { cwd: this.folder, env, encoding: 'utf8' })
  }

  write(path: string, text: string): this {
    writeFileSync(join(this.folder, path), text)
    return this
  }

  commit(day: string, message: string): this {
    this.git('add', '-A')
    const when = `${day}T12:00:00Z`
    const env = { ...process.env, GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when, GIT_CONFIG_GLOBAL: '/dev/null' }
    const who = ['-c', 'user.name=Clerk', '-c', 'user.email=clerk@shop.example']
    execFileSync('git', [...who, 'commit', '-q', '-m', message], { cwd: this.folder, env })
    return this
  }

  async open(folder = this.folder): Promise<Engine> {
    const engine = engineFor(folder)
    await answer(engine, 'ingest', { path: folder })
    return engine
  }
}

function till(): Shop {
  const shop = new Shop({ 'pay.py': LINES, 'bank.py': 'x = 1\n' }).commit('2025-01-01', 'Open')
  renameSync(join(shop.folder, 'pay.py'), join(shop.folder, 'till.py'))
  shop.commit('2025-02-01', 'A better name')
  for (const day of [20, 22, 24, 26])
    shop
      .write('till.py', `${LINES}\nday = ${day}\n`)
      .write('bank.py', `x = ${day}\n`)
      .commit(`2025-05-${day}`, `Day ${day}`)
  return shop
}

describe('timeline', () => {
  test('tells commits, what changed along, and how fast, within the window', async () => {
    const engine = await till().open()
    const found = await answer(engine, 'timeline', { node: 'till.py' })
    expect(found).toMatchObject({
      vcs: 'git',
      file: 'till.py',
      commit_count_in_window: 4,
      velocity: 'accelerating',
      pattern: 'stable',
      stability_score: 0.714286,
      co_changed_with: [{ file: 'bank.py', times: 4, coupling_degree: 1, node_id: 'file::bank.py' }],
      total_churn: { lines_added: 5, lines_deleted: 4 },
      co_changed_with_total: 1,
      truncated: null,
    })
    expect(found.changes).toHaveLength(4)
    expect(found.changes).toMatchObject([
      { date: '2025-05-26', author: 'Clerk', subject: 'Day 26', delta: '+1/-1', co_changed: ['bank.py'] },
      {},
      {},
      {},
    ])
    await engine.close()
  })

  test('follows a rename, as far back as asked', async () => {
    const engine = await till().open()
    const found = await answer(engine, 'timeline', { node: 'till.py', depth: 'all' })
    expect(found).toMatchObject({ commit_count_in_window: 6, names: ['till.py', 'pay.py'] })
    // names of the past are no files behind the answer that have changed
    expect(found.freshness).toMatchObject({ stale_files: 0 })
    // the rename itself changes no line
    expect(found.changes).toMatchObject([{}, {}, {}, {}, { delta: '+0/-0' }, { delta: '+30/-0', subject: 'Open' }])
    await engine.close()
  })

  test('a part is told by the history of its file, a quiet window is no failure', async () => {
    const shop = new Shop({ 'till.py': 'def pay():\n    return 1\n' }).commit('2025-01-01', 'Open')
    const engine = await shop.open()
    const found = await answer(engine, 'timeline', { node: 'pay', depth: '7d' })
    expect(found).toMatchObject({ pattern: 'dormant', commit_count_in_window: 0, changes: [], stability_score: 1 })
    expect(String(found.notes)).toMatch(/history of till\.py.*No commit in this window/)
    await engine.close()
  })

  test('names in git that look like patterns or have other letters are names', async () => {
    const shop = new Shop({ 'a*.py': 'x = 1\n', 'ab.py': 'x = 1\n', 'größe.py': 'x = 1\n' }).commit(
      '2025-05-20',
      'Open',
    )
    shop
      .write('ab.py', 'x = 2\n')
      .commit('2025-05-21', 'Other')
      .write('größe.py', 'x = 2\n')
      .commit('2025-05-22', 'Size')
    const engine = await shop.open()
    for (const [node, count] of [
      ['a*.py', 1],
      ['größe.py', 2],
    ])
      expect(await answer(engine, 'timeline', { node })).toMatchObject({ commit_count_in_window: count })
    await engine.close()
  })

  test('without a repository there is no history, and a shallow clone says so', async () => {
    const plain = projectOf('plain', { 'till.py': 'x = 1\n' })
    const engine = await till().open(plain)
    expect(await answer(engine, 'timeline', { node: 'till.py' })).toMatchObject({
      vcs: 'none',
      pattern: 'dormant',
      notes: [expect.stringContaining('No git repository')],
    })
    await engine.close()

    const shop = till()
    const shallow = join(temporaryFolder(), 'shallow')
    shop.git('clone', '-q', '--depth', '2', `file://${shop.folder}`, shallow)
    const other = await shop.open(shallow)
    const found = await answer(other, 'timeline', { node: 'till.py', depth: 'all' })
    // at its end git tells the whole tree as added
    expect(found).toMatchObject({ commit_count_in_window: 1, total_churn: { lines_added: 1, lines_deleted: 1 } })
    expect(String(found.notes)).toContain('shallow')
    await other.close()
  })

  test('a window that begins before git counts holds everything', async () => {
    const engine = await till().open()
    const [all, century] = await Promise.all(
      ['all', '9999m'].map((depth) => answer(engine, 'timeline', { node: 'till.py', depth })),
    )
    expect(century.commit_count_in_window).toBe(all.commit_count_in_window)
    await engine.close()
  })

  test('a depth of another form, and a node without a file, are refused', async () => {
    const engine = await till().open()
    for (const depth of ['0d', '30', 'yesterday', '-1d'])
      expect(await ask(engine, 'timeline', { node: 'till.py', depth })).toMatchObject({
        ok: false,
        failure: {
          message: expect.stringContaining(`expected 7d, 30d, 90d, all, or a number with d, w or m, got "${depth}"`),
        },
      })
    expect(await ask(engine, 'timeline', { node: 'dir::./' })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_params', detail: 'dir::./' },
    })
    await engine.close()
  })
})

describe('diverge', () => {
  function shopOfMarch(): Shop {
    const shop = new Shop({ 'pay.py': 'x = 1\n', 'bank.py': 'import pay\n', 'old.py': 'x = 1\n', 'logo.png': '\u0000' })
    shop.commit('2025-03-01', 'Open').git('tag', 'v1')
    return shop
  }

  function later(shop: Shop): Shop {
    shop.git('rm', '-q', 'old.py')
    return shop.write('till.py', LINES).write('pay.py', `${LINES}\n`).commit('2025-04-01', 'Till')
  }

  test.each(['v1', '2025-03-15', 'HEAD~1', '2025-03-01T13:00:00Z'])('names what changed since %s', async (baseline) => {
    const engine = await later(shopOfMarch()).open()
    const found = await answer(engine, 'diverge', { baseline })
    expect(found).toMatchObject({
      baseline,
      baseline_commit: expect.stringMatching(/^[0-9a-f]{8}$/),
      scope: 'all',
      new_nodes: ['file::till.py'],
      removed_nodes: ['file::old.py'],
      modified_nodes: [{ file: 'pay.py', delta: '+30/-1', growth_ratio: 30 }],
      structural_drift: 0.5,
      anomalies: [{ type: 'test_deficit', file: 'till.py' }],
    })
    await engine.close()
  })

  test('changes that are not committed count, and no filter of the repository is run for them', async () => {
    const shop = shopOfMarch()
    const trace = join(temporaryFolder(), 'ran')
    shop.git('config', 'filter.spy.clean', `touch ${trace}; cat`)
    shop.write('.gitattributes', '*.py filter=spy\n').write('pay.py', LINES)
    const engine = await shop.open()
    const found = await answer(engine, 'diverge', { baseline: 'main', scope: '*.py' })
    expect(found.modified_nodes).toMatchObject([{ file: 'pay.py' }])
    expect(existsSync(trace)).toBe(false)
    await engine.close()
  })

  test.each([
    '--output=/tmp/x',
    'nothing',
    'v1..main',
    'HEAD:pay.py',
    '2025-13-45',
    '2025-02-30',
    '2020-01-01',
    '1969-07-20',
    '1900-01-01',
    '-1',
  ])('a baseline like %s cannot be resolved', async (baseline) => {
    const engine = await shopOfMarch().open()
    const result = await ask(engine, 'diverge', { baseline })
    expect(result).toMatchObject({ ok: false, failure: { code: 'invalid_params', detail: baseline } })
    await engine.close()
  })

  test('without git a ref is refused with the reason, and the last session is not', async () => {
    const engine = engineFor(projectOf('plain', { 'till.py': 'x = 1\n' }))
    await answer(engine, 'ingest', { path: engine.settings.project })
    expect(await ask(engine, 'diverge', { baseline: 'main' })).toMatchObject({
      ok: false,
      failure: { code: 'not_a_git_repo', message: expect.stringContaining('in no git repository') },
    })
    const found = await answer(engine, 'diverge', { baseline: 'last_session' })
    expect(found).toMatchObject({ structural_drift: 0, baseline_commit: null, new_nodes: [] })
    await engine.close()
  })

  test('only the folder that was ingested is compared, and notes are no files', async () => {
    const shop = new Shop({ 'readme.md': '# Shop\n' })
    mkdirSync(join(shop.folder, 'till'))
    shop.write('till/pay.py', 'x = 1\n').write('till/old.py', 'x = 1\n').commit('2025-03-01', 'Open')
    shop.git('rm', '-q', 'till/old.py', 'readme.md')
    shop.write('till/bill.py', 'x = 1\n').commit('2025-04-01', 'Bills')
    const engine = await shop.open(join(shop.folder, 'till'))
    const notes = projectOf('notes', { 'pay.md': '# Pay\n\nMoney is counted in pay.py\n' })
    await answer(engine, 'ingest', { path: notes, adapter: 'memory', mode: 'merge' })
    expect(await answer(engine, 'diverge', { baseline: 'HEAD~1' })).toMatchObject({
      new_nodes: ['file::bill.py'],
      removed_nodes: ['file::old.py'],
      structural_drift: 0.666667,
    })
    await engine.close()
  })

  test('of several roots one is compared: the first, or the one that the scope names', async () => {
    const { folder } = later(shopOfMarch())
    const bank = new Shop({ 'pay.py': 'x = 1\n', 'vault.py': 'x = 1\n' }).commit('2025-03-01', 'Open')
    bank.write('safe.py', 'x = 1\n').commit('2025-04-01', 'Safe')
    const engine = engineFor(folder)
    const repos = [
      { name: 'shop', path: folder },
      { name: 'bank', path: bank.folder },
    ]
    await answer(engine, 'federate', { repos })
    const [first, named, found] = await Promise.all(
      ['', 'bank::', 'vault.py'].map((scope) => answer(engine, 'diverge', { baseline: 'HEAD~1', scope })),
    )
    expect(first).toMatchObject({
      new_nodes: ['shop::file::till.py'],
      removed_nodes: ['shop::file::old.py'],
      structural_drift: 0.5,
      notes: expect.arrayContaining([expect.stringContaining('names another root: bank::')]),
    })
    expect(named).toMatchObject({ new_nodes: ['bank::file::safe.py'], removed_nodes: [], structural_drift: 0.333333 })
    expect(found).toMatchObject({ structural_drift: 0, new_nodes: [], totals: { new_nodes: 0 } })
    expect(String(found.notes)).toContain(`Only ${bank.folder} was compared`)
    await engine.close()
  })

  test('couplings that are cut are told to be cut', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `f${i}.py`)
    const shop = new Shop(Object.fromEntries(names.map((it) => [it, 'x = 0\n']))).commit('2025-02-01', 'Open')
    for (const day of [1, 2, 3]) for (const it of names) shop.write(it, `x = ${day}\n`).commit(`2025-03-0${day}`, it)
    for (const day of [1, 2, 3]) {
      for (const it of names) shop.write(it, `y = ${day}\n`)
      shop.commit(`2025-04-0${day}`, 'All')
    }
    const engine = await shop.open()
    const found = await answer(engine, 'diverge', { baseline: 'HEAD~3', include_anomalies: false })
    expect(found).toMatchObject({
      totals: { coupling_changes: 21, modified_nodes: 7 },
      truncated: { shown: 20, total: 21 },
    })
    expect(found.coupling_changes).toHaveLength(20)
    await engine.close()
  })

  test('since a snapshot, with files that lost their edges', async () => {
    const shop = shopOfMarch()
    const engine = await shop.open()
    await answer(engine, 'persist', { path: 'before.json' })
    later(shop.write('bank.py', 'y = 2\n'))
    await answer(engine, 'ingest', { path: shop.folder, incremental: true })
    const found = await answer(engine, 'diverge', { baseline: 'before.json' })
    expect(found.removed_nodes).toEqual(['file::old.py'])
    expect(found.anomalies).toContainEqual(expect.objectContaining({ type: 'isolation', file: 'bank.py' }))
    await engine.close()
  })
})

describe('the last session', () => {
  test('what a process changed is told to the next one, and what that one changes as soon as it does', async () => {
    const home = temporaryFolder()
    const folder = projectOf('shop', { 'till.py': 'import bank\n', 'bank.py': 'x = 1\n' })
    const open = () => engineFor(folder, { ephemeral: false, home })

    const first = open()
    await answer(first, 'ingest', { path: folder })
    expect(await answer(first, 'drift', {})).toMatchObject({ baseline: 'ingest' })
    await first.close()

    const second = open()
    writeFileSync(join(folder, 'vault.py'), 'import bank\n')
    await answer(second, 'ingest', { path: folder, incremental: true })
    expect(await answer(second, 'drift', {})).toMatchObject({ new_nodes: ['file::vault.py'] })
    await second.close()

    const third = open()
    expect(await answer(third, 'drift', {})).toMatchObject({ new_nodes: ['file::vault.py'], top_weight_drifts: [] })
    expect(await answer(third, 'diverge', { baseline: 'last_session' })).toMatchObject({
      new_nodes: ['file::vault.py'],
      structural_drift: 0.333333,
    })
    // the graph was loaded before this was learned
    await answer(third, 'learn', { feedback: 'correct', node_ids: ['till.py', 'bank.py'] })
    const own = await answer(third, 'drift', {})
    expect(own.new_nodes).toEqual([])
    expect(own.top_weight_drifts).toContainEqual(
      expect.objectContaining({ edge: 'file::till.py -> file::bank.py', relation: 'imports', old: 0.6, new: 0.8 }),
    )
    await third.close()

    const fourth = open()
    expect((await answer(fourth, 'drift', {})).top_weight_drifts).toEqual(own.top_weight_drifts)
    await fourth.close()
  })
})
