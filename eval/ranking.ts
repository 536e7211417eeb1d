/**
 * How well past changes are found: `npm run eval -- ../flask ../hono`. The same as `m1nd eval`, from the sources.
 *
 *     npm run eval -- --changes 120 --parts seek learn -- ../flask
 *     npm run eval -- --write ../flask          keeps the figures for docs/quality.md
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { evaluate, PARTS } from '#evaluation/evaluate'
import { renderResults } from '#evaluation/report'
import { RANKING_FILE, type RankingResults, readRankingResults } from './ranking-results.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changes: { type: 'string', default: '40' },
    parts: { type: 'string', multiple: true, default: [...PARTS] },
    write: { type: 'boolean', default: false },
  },
})
const here = fileURLToPath(new URL('.', import.meta.url))
const wanted = PARTS.filter((it) => values.parts.includes(it))
const count = Number(values.changes)
if (positionals.length === 0 || wanted.length !== values.parts.length || !(count >= 1))
  throw new Error(`name repositories; --changes takes a number, --parts takes ${PARTS.join(', ')}`)

const repositories = await evaluate(
  positionals.map((it) => resolve(it)),
  { parts: wanted, count, version: '0', log: (line) => console.error(line), signal: new AbortController().signal },
)
console.log(renderResults(repositories))
if (values.write) {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: here }).trim()
  // what was not measured this time stays, as long as it was asked alike
  const before = readRankingResults()
  const others = before?.changes === count ? before.repositories : []
  const all = [...others.filter((it) => !repositories.some((own) => own.name === it.name)), ...repositories]
  all.sort((a, b) => (a.name < b.name ? -1 : 1))
  const results: RankingResults = { commit, node: process.versions.node, changes: count, repositories: all }
  mkdirSync(dirname(RANKING_FILE), { recursive: true })
  writeFileSync(RANKING_FILE, `${JSON.stringify(results, null, 1)}\n`)
  console.log('kept; npm run gen writes docs/quality.md')
}
