import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fileCommits, fileLog, type Repository, repositoryAt } from '#engine/past'

const home = mkdtempSync(join(tmpdir(), 'm1nd-past-'))
const signal = new AbortController().signal

afterAll(() => rmSync(home, { recursive: true, force: true }))

function git(folder: string, args: string[], input = ''): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', input })
}

const linesOf = (i: number) => Array.from({ length: i % 7 }, (_, k) => `entry ${i} ${k}\n`).join('')

/** A repository in which a file changed often, and was called otherwise at first; every object is a file of its own. */
async function ledger(changes: number): Promise<{ folder: string; repository: Repository }> {
  const folder = mkdtempSync(join(home, 'ledger-'))
  git(folder, ['init', '-q', '-b', 'main'])
  const commits = Array.from({ length: changes }, (_, i) => {
    const text = `head\n${'kept\n'.repeat(9)}${linesOf(i)}`
    const name = i < 3 ? 'old.txt' : 'book.txt'
    const renamed = i === 3 ? 'D old.txt\n' : ''
    return `commit refs/heads/main\ncommitter Clerk <clerk@shop.example> ${1700000000 + i} +0000\ndata 1\nc\n${renamed}M 100644 inline ${name}\ndata ${text.length}\n${text}\n`
  })
  git(folder, ['-c', 'fastimport.unpackLimit=10000', 'fast-import', '--quiet'], commits.join(''))
  git(folder, ['reset', '-q', '--hard'])
  const repository = await repositoryAt(folder, '', signal)
  if (repository === null) throw new Error(`${folder} is no repository`)
  return { folder, repository }
}

describe('the commits of a file', () => {
  test('have the lines that git counts, however many there are and under all names', async () => {
    const { folder, repository } = await ledger(260)
    const log = await fileLog(repository, 'book.txt', null)
    expect(log).toMatchObject({ names: ['book.txt', 'old.txt'], isCut: false })
    const told = git(folder, ['log', '-M', '--follow', '--numstat', '--format=', '--', 'book.txt'])
    const counted = told.split('\n').filter((it) => it !== '')
    expect(log.commits.map((it) => `${it.added}\t${it.deleted}`)).toEqual(
      counted.map((it) => it.split('\t').slice(0, 2).join('\t')),
    )
  })

  test('end before those whose lines git cannot tell', async () => {
    const { folder, repository } = await ledger(20)
    const whole = await fileLog(repository, 'book.txt', null)
    const blob = git(folder, ['rev-parse', 'HEAD~8:book.txt']).trim()
    rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    const cut = await fileLog(repository, 'book.txt', null)
    expect(cut).toMatchObject({ names: ['book.txt'], isCut: true })
    expect(cut.commits.length).toBeLessThan(10)
    expect(cut.commits.slice(0, 6)).toEqual(whole.commits.slice(0, 6))
    expect((await fileCommits(repository, 'book.txt', null)).commits).toHaveLength(whole.commits.length)
  })
})
