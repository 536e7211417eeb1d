/** Small projects on disk for tests: files, links and git history in a folder that goes away afterwards. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'

const made: string[] = []

afterEach(() => {
  for (const it of made.splice(0)) rmSync(it, { recursive: true, force: true })
})

export class Tree {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'tree-')))
  private commits = 0

  constructor(files: Record<string, string | Uint8Array> = {}) {
    made.push(this.root)
    this.write(files)
  }

  path(name: string): string {
    return join(this.root, name)
  }

  write(files: Record<string, string | Uint8Array>): this {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true })
      writeFileSync(this.path(name), content)
    }
    return this
  }

  remove(name: string): this {
    rmSync(this.path(name), { recursive: true })
    return this
  }

  link(name: string, target: string): this {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    symlinkSync(target, this.path(name))
    return this
  }

  /** Runs git in a folder of the tree. */
  git(folder: string, ...args: string[]): string {
    const time = `${1_700_000_000 + 3600 * this.commits} +0000`
    const config = {
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_AUTHOR_DATE: time,
      GIT_COMMITTER_DATE: time,
    }
    const settings = [
      '-c',
      'user.name=Shop',
      '-c',
      'user.email=shop@example.org',
      '-c',
      'init.defaultBranch=main',
      '-c',
      'commit.gpgsign=false',
    ]
    return execFileSync('git', [...settings, ...args], {
      cwd: this.path(folder),
      env: { ...process.env, ...config },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  repository(folder = ''): this {
    this.git(folder, 'init', '-q')
    return this
  }

  /** Commits everything in a repository; each commit is an hour later than the one before. */
  commit(message: string, folder = ''): this {
    this.git(folder, 'add', '-A')
    this.git(folder, 'commit', '-q', '--allow-empty', '-m', message)
    this.commits++
    return this
  }
}

/** Epoch seconds of the n-th commit of a tree, counted from 0. */
export function commitTime(n: number): number {
  return 1_700_000_000 + 3600 * n
}
