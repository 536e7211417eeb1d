/**
 * How much of a real change a plan with half of its files is told: `npm run eval:plan -- ../flask ../hono`. Each
 * repository is read as it was before the changes. `--write` keeps the figures for docs/quality.md.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { findGaps, type Gap, type Planned } from '#analysis/plan'
import type { Engine } from '#engine/brain'
import { openEngine } from '#engine/engine'
import { commitsUpTo, repositoryAt } from '#engine/past'
import { defaults } from '#engine/settings'
import { checkOut, timeOf, windowOf } from '#evaluation/repository'
import { FILE, keyOf, NONE, type NodeId } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { fnv1a } from '#std/hash'
import { callTool } from '#tools/call'
import { PLAN_FILE, type PlanRow, type PlanResults } from './plan-results.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changes: { type: 'string', default: '60' }, write: { type: 'boolean', default: false } },
})
const count = Number(values.changes)
if (positionals.length === 0 || !(count >= 1)) throw new Error('name repositories; --changes takes a number')
const here = fileURLToPath(new URL('.', import.meta.url))
const signal = new AbortController().signal

/** A change of more files is no plan of one thing. */
const MOST_FILES = 20
const SHOWN = 10

const projects: PlanResults['projects'] = []
for (const it of positionals) {
  const folder = mkdtempSync(join(tmpdir(), 'm1nd-plan-'))
  try {
    projects.push(await measure(resolve(it), folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
for (const { name, changes, rows } of projects) {
  console.log(`${name}: ${changes} changes`)
  console.table(rows)
}
if (values.write) {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: here }).trim()
  const results: PlanResults = { commit, node: process.versions.node, projects }
  writeFileSync(PLAN_FILE, `${JSON.stringify(results, null, 1)}\n`)
  console.log('kept; npm run gen writes docs/quality.md')
}

async function measure(repository: string, folder: string): Promise<PlanResults['projects'][number]> {
  const name = basename(repository)
  const { base } = await windowOf(repository, count)
  const tree = join(folder, name)
  await checkOut(repository, base, tree)
  const engine = openEngine(
    { ...defaults(), home: folder, project: tree, ephemeral: true },
    { version: '0', log: () => {}, cwd: tree },
  )
  const read = await callTool(engine, 'ingest', { agent_id: 'eval', path: tree }, { now: Date.now() })
  if (!read.ok) throw new Error(read.failure.message)
  await engine.settled
  const nowSeconds = await timeOf(repository, base)
  const tasks = await tasksOf(engine, repository, base)
  const rows = (['fused', 'seed'] as const).map((ranking) => {
    const answers = tasks.map(({ given, rest }) => {
      const { graph, indexes } = engine.brain
      const { gaps } = findGaps(graph, indexes, given, { ranking, nowSeconds })
      return { gaps, rest }
    })
    return rowOf(ranking, answers)
  })
  await engine.close()
  return { name, base, changes: tasks.length, rows }
}

interface PlanTask {
  given: Planned[]
  rest: Set<NodeId>
}

/** The first changes after the base with two files or more that it has; every second file, in an order of chance, is given. */
async function tasksOf(engine: Engine, path: string, base: string): Promise<PlanTask[]> {
  const { graph } = engine.brain
  const repository = await repositoryAt(path, '', signal)
  if (repository === null) throw new Error(`${path} is no repository`)
  const listed = await commitsUpTo(repository, 'HEAD', base, 20_000)
  const tasks: PlanTask[] = []
  for (const { hash, paths } of listed.reverse()) {
    const files = paths
      .map((it) => nodeByKey(graph, `file::${it}`))
      .filter((v) => v !== NONE && graph.types[v] === FILE)
    if (files.length < 2 || paths.length > MOST_FILES) continue
    const order = files.sort((a, b) => fnv1a(hash + keyOf(graph, a)) - fnv1a(hash + keyOf(graph, b)))
    const half = Math.ceil(order.length / 2)
    tasks.push({
      given: order.slice(0, half).map((node) => ({ node, action: 'modify' })),
      rest: new Set(order.slice(half)),
    })
    if (tasks.length === count) break
  }
  return tasks
}

function rowOf(ranking: string, answers: readonly { gaps: Gap[]; rest: ReadonlySet<NodeId> }[]): PlanRow {
  const right = (gaps: readonly Gap[], rest: ReadonlySet<NodeId>) => gaps.filter((it) => rest.has(it.node)).length
  const sum = (of: (it: (typeof answers)[number]) => number) => answers.reduce((total, it) => total + of(it), 0)
  const total = sum(({ rest }) => rest.size)
  const part = (severities: readonly string[]) => {
    const named = (gaps: readonly Gap[]) => gaps.filter((it) => severities.includes(it.severity))
    const found = sum(({ gaps, rest }) => right(named(gaps), rest))
    const said = sum(({ gaps }) => named(gaps).length)
    return { precision: found / Math.max(1, said), recall: found / total, named: said / answers.length }
  }
  return {
    ranking,
    recall10: sum(({ gaps, rest }) => right(gaps.slice(0, SHOWN), rest)) / total,
    first: sum(({ gaps, rest }) => right(gaps.slice(0, rest.size), rest)) / total,
    recallAll: sum(({ gaps, rest }) => right(gaps.slice(0, 50), rest)) / total,
    critical: part(['critical']),
    warning: part(['critical', 'warning']),
  }
}
