import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { CommitGraph } from '#engine/commit-graph'
import { fileLog, type Repository, repositoryAt } from '#engine/past'

const home = mkdtempSync(join(tmpdir(), 'm1nd-commit-graph-'))
const signal = new AbortController().signal
let count = 0

afterAll(() => rmSync(home, { recursive: true, force: true }))

function git(folder: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  const who = ['-c', 'user.name=Clerk', '-c', 'user.email=clerk@shop.example']
  return execFileSync('git', ['-C', folder, ...who, ...args], { env, encoding: 'utf8' })
}

/** A repository with a branch that was merged, whose two sides changed the same file. */
function shop(): string {
  const folder = mkdtempSync(join(home, 'shop-'))
  git(folder, 'init', '-q', '-b', 'main')
  const commit = (path: string, text: string) => {
    writeFileSync(join(folder, path), text)
    git(folder, 'add', '-A')
    git(folder, 'commit', '-q', '-m', `${path} ${text}`)
  }
  commit('pay.py', 'one')
  commit('bank.py', 'one')
  git(folder, 'checkout', '-q', '-b', 'side')
  commit('pay.py', 'two')
  git(folder, 'checkout', '-q', 'main')
  commit('pay.py', 'two')
  git(folder, 'merge', '-q', '--no-edit', 'side')
  commit('pay.py', 'three')
  return folder
}

async function opened(folder: string, shelf: string): Promise<Repository> {
  const repository = await repositoryAt(folder, shelf, signal)
  if (repository === null) throw new Error(`${folder} is no repository`)
  return repository
}

const shelf = () => mkdtempSync(join(home, `shelf-${count++}-`))

describe('a commit graph on the shelf', () => {
  test('changes nothing that git says, not about commits that came later either', async () => {
    const folder = shop()
    const repository = await opened(folder, shelf())
    const without = await fileLog(await opened(folder, ''), 'pay.py', null)
    expect(without.commits.length).toBeGreaterThan(2)
    expect(repository.commits.objects).toBe('')
    expect(await repository.commits.write(folder)).toBe(true)
    expect(repository.commits.objects).not.toBe('')
    expect(await fileLog(repository, 'pay.py', null)).toEqual(without)

    writeFileSync(join(folder, 'pay.py'), 'four')
    git(folder, 'commit', '-q', '-am', 'later')
    expect(await fileLog(repository, 'pay.py', null)).toEqual(await fileLog(await opened(folder, ''), 'pay.py', null))
  })

  test('leaves the repository as it is and holds no object of it', async () => {
    const folder = shop()
    const own = shelf()
    const before = readdirSync(join(folder, '.git/objects'), { recursive: true }).sort()
    await (await opened(folder, own)).commits.write(folder)
    expect(readdirSync(join(folder, '.git/objects'), { recursive: true }).sort()).toEqual(before)
    const [id] = readdirSync(join(own, 'git'))
    expect(readdirSync(join(own, 'git', id), { recursive: true }).sort()).toEqual([
      'info',
      'info/alternates',
      'info/commit-graph',
    ])
  })

  test('is not made without a shelf, nor for a folder that cannot be borrowed from', async () => {
    const folder = shop()
    expect(await (await opened(folder, '')).commits.write(folder)).toBe(false)
    const own = shelf()
    expect(await new CommitGraph(own, '/with\na line').write(folder)).toBe(false)
    expect(existsSync(join(own, 'git'))).toBe(false)
  })
})
