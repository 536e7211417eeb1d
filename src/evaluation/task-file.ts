/** Changes that are given as lines of JSON, so that figures can be compared with those of another harness. */

import { readFileSync } from 'node:fs'
import { RepositoryError, timeOf, type Window } from '#evaluation/repository'
import type { Task } from '#evaluation/tasks'

/**
 * Reads lines with `base_commit`, `commit`, `query` and `gold_files`, in the order in which they are asked. All must
 * be about one base.
 */
export async function readTasks(file: string, repository: string): Promise<Window> {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((it) => it.trim() !== '')
    .map((line, i) => readTask(line, `${file}:${i + 1}`))
  if (rows.length === 0) throw new RepositoryError(`${file}: no tasks`)
  const { base } = rows[0]
  if (rows.some((it) => it.base !== base)) throw new RepositoryError(`${file}: tasks of several base commits`)
  return { base, time: await timeOf(repository, base), tasks: rows.map((it) => it.task) }
}

function readTask(line: string, where: string): { base: string; task: Task } {
  const read = parse(line, where)
  if (typeof read === 'object' && read !== null && 'base_commit' in read && 'query' in read && 'gold_files' in read) {
    const { base_commit: base, query, gold_files: gold } = read
    const commit = 'commit' in read && typeof read.commit === 'string' ? read.commit : ''
    if (typeof base === 'string' && typeof query === 'string' && isStrings(gold))
      return { base, task: { id: commit, parent: commit === '' ? '' : `${commit}^`, query, gold } }
  }
  throw new RepositoryError(`${where}: not a task with base_commit, query and gold_files`)
}

function parse(line: string, where: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new RepositoryError(`${where}: not JSON`, { cause: error })
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((it) => typeof it === 'string')
}
