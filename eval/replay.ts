/**
 * What really happened, asked beforehand: `npm run eval:replay -- ../hono ../flask`.
 *
 * Removal: files that a past commit deleted are taken to `counterfactual` as the project was before, and what it names is
 * compared with the files that the commit had to touch: code that lost a line naming a deleted file or its definitions.
 * Company: of past commits with several files one is given to `predict`, the others are looked for among ten.
 * Lack: a test, the use of what handles errors, or a registration is taken away, and `missing` is asked about the topic.
 *
 *     --commits 12      deletions and changes per repository      --removals 10    takings per kind and repository
 *     --parts removal   one part only                             --show           each case
 *     --write           keeps the figures of these parts for docs/quality.md, when all is done
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { changes, checkout, engineOver, git } from './checkout.ts'
import { replayLack } from './replay-lack.ts'
import { replayRemovals } from './replay-removal.ts'
import { replayCompany } from './replay-company.ts'
import { REPLAY_FILE, type Replayed, type ReplayResults, readReplayResults, replayTable } from './replay-results.ts'

const PARTS = ['removal', 'company', 'lack'] as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: '12' },
    removals: { type: 'string', default: '10' },
    parts: { type: 'string', multiple: true, default: [...PARTS] },
    show: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
if (positionals.length === 0) throw new Error('name the folders of one or more repositories')
const show = values.show ? (line: string) => console.log(line) : () => {}
const most = Number(values.commits)

const here = fileURLToPath(new URL('.', import.meta.url))
const started = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: here }).trim()

const projects: Replayed[] = []
for (const repository of positionals.map((it) => resolve(it))) {
  const head = checkout(repository, 'HEAD')
  const now = 1000 * Number(git(head.folder, 'log', '-1', '--format=%ct').trim())
  const has = (part: (typeof PARTS)[number]) => values.parts.includes(part)
  try {
    const engine = await engineOver(head.folder, { now })
    const at = { folder: head.folder, engine, now, show }
    projects.push({
      name: head.name,
      commit: head.commit,
      lack: has('lack') ? await replayLack(at, Number(values.removals)) : null,
      removal: has('removal') ? await replayRemovals(at, changes(head.folder, 'HEAD').reverse(), most) : null,
      company: has('company') ? await replayCompany(at, most) : null,
    })
    await engine.close()
  } finally {
    head.remove()
  }
  console.log(replayTable(projects.slice(-1)))
}
if (values.write) keep()

/** The parts of this run beside those of earlier ones; a run that is ended before keeps nothing. */
function keep(): void {
  const head = { commit: started, node: process.versions.node }
  const partOf = <T>(valueOf: (it: Replayed) => T | null) =>
    projects.flatMap((it) => {
      const value = valueOf(it)
      return value === null ? [] : [{ name: it.name, commit: it.commit, value }]
    })
  const removal = partOf((it) => it.removal).map(({ value, ...it }) => ({ ...it, removal: value }))
  const company = partOf((it) => it.company).map(({ value, ...it }) => ({ ...it, company: value }))
  const lack = partOf((it) => it.lack).map(({ value, ...it }) => ({ ...it, lack: value }))
  const results: ReplayResults = {
    ...readReplayResults(),
    ...(removal.length > 0 && { removal: { ...head, projects: removal } }),
    ...(company.length > 0 && { company: { ...head, projects: company } }),
    ...(lack.length > 0 && { lack: { ...head, projects: lack } }),
  }
  mkdirSync(dirname(REPLAY_FILE), { recursive: true })
  writeFileSync(REPLAY_FILE, `${JSON.stringify(results, null, 1)}\n`)
}
