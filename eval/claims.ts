/**
 * How well `hypothesize` knows what it knows: `npm run eval:claims -- ../hono ../flask` asks it about claims that are
 * known to be true or false.
 *
 *     --checked ../hono         truth from a graph that the compiler has checked (scripts: the checker, Python: SCIP)
 *     --per-side 20             true and false claims per kind and repository
 *     --later 200               last commits that are held out, for what changes together
 *     --samples 10              shows the claims that were answered worst
 *     --write                   keeps the figures for docs/quality.md
 *
 * The question is put to the graph as it is made without any compiler, at the commit before those held out.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask, type Checkout, changes, checkout, engineOver, git } from './checkout.ts'
import { CLAIMS_FILE, type Answer, type ClaimResults, measure, tableOf } from './claim-results.ts'
import { makeClaims } from './claims-made.ts'
import { npmProgram, run } from './projects.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checked: { type: 'string', multiple: true, default: [] },
    'per-side': { type: 'string', default: '20' },
    later: { type: 'string', default: '200' },
    samples: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false },
  },
})
const perSide = Number(values['per-side'])
const isChecked = new Set(values.checked.map((it) => resolve(it)))
const repositories = [...new Set([...values.checked, ...positionals].map((it) => resolve(it)))]
if (repositories.length === 0) throw new Error('name the folders of one or more repositories')

const answers: Answer[] = []
const projects: ClaimResults['projects'] = []
for (const repository of repositories) {
  const { answers: own, project } = await measureRepository(repository)
  answers.push(...own)
  projects.push(project)
  console.log(`${project.name}: ${own.length} claims, Brier score ${measure(own).brier.toFixed(3)}`)
  if (values.write) keep()
}

const results = soFar()
console.log(tableOf(results))
const worst = answers.toSorted(
  (a, b) => Math.abs(b.confidence - Number(b.truth)) - Math.abs(a.confidence - Number(a.truth)),
)
for (const it of worst.slice(0, Number(values.samples)))
  console.log(`${it.confidence.toFixed(2)} for what is ${it.truth}: ${it.project}: ${it.text} (${it.finding})`)
function soFar(): ClaimResults {
  const here = dirname(fileURLToPath(import.meta.url))
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: here }).trim()
  return { commit, node: process.versions.node, projects, ...measure(answers) }
}

/** After each repository, so that a run that is ended keeps what it has. */
function keep(): void {
  mkdirSync(dirname(CLAIMS_FILE), { recursive: true })
  writeFileSync(CLAIMS_FILE, `${JSON.stringify(soFar(), null, 1)}\n`)
}

async function measureRepository(
  repository: string,
): Promise<{ answers: Answer[]; project: ClaimResults['projects'][number] }> {
  const cut =
    git(repository, 'rev-list', '--no-merges', '-n', String(Number(values.later) + 1), 'HEAD')
      .trim()
      .split('\n')
      .at(-1) ?? 'HEAD'
  const at = checkout(repository, cut)
  try {
    const later = changes(repository, `${at.commit}..HEAD`)
    const now = 1000 * Number(git(at.folder, 'log', '-1', '--format=%ct').trim())
    const truth = await truthOver(at, isChecked.has(repository), now)
    const claims = makeClaims(truth.engine.brain.graph, later, perSide, 42)
    await truth.engine.close()

    const engine = await engineOver(at.folder, { now })
    const own: Answer[] = []
    for (const it of claims) {
      const said = await ask(engine, 'hypothesize', { claim: it.text }, now)
      own.push({
        ...it,
        project: at.name,
        confidence: Number(said.confidence),
        verdict: String(said.verdict),
        finding: findingOf(said),
      })
    }
    await engine.close()
    const misread = own.filter((it) => it.finding.startsWith('read as '))
    if (misread.length > 0) throw new Error(`misread: ${misread[0].text} (${misread[0].finding})`)
    return {
      answers: own,
      project: { name: at.name, commit: at.commit, truth: truth.name, later: later.length, claims: own.length },
    }
  } finally {
    at.remove()
  }

  /** What decided, without names. */
  function findingOf({ claim_type, supporting_evidence, contradicting_evidence }: Record<string, unknown>): string {
    const rows: unknown[] = [supporting_evidence, contradicting_evidence].flat()
    const named = rows.map((it) => {
      if (typeof it !== 'object' || it === null || !('type' in it) || !('relations' in it)) return ''
      const hops = Array.isArray(it.relations) ? it.relations.length : 0
      const factor = 'likelihood_factor' in it ? Number(it.likelihood_factor).toFixed(2) : ''
      return `${String(it.type)}${hops > 0 ? ` ${hops}` : ''} ×${factor}`
    })
    return `${String(claim_type)}: ${named.join(' + ')}`
  }
}

/** The graph that claims are made from, and who vouches for it. */
async function truthOver(at: Checkout, checked: boolean, now: number) {
  if (!checked) return { engine: await engineOver(at.folder, { now }), name: 'its edges without guesses' }
  if (readdirSync(at.folder).some((it) => it === 'pyproject.toml' || it === 'setup.py')) {
    const work = mkdtempSync(join(tmpdir(), 'index-'))
    try {
      const scip = pythonIndex(at.folder, work)
      const engine = await engineOver(at.folder, { now, settings: { scipMaxBytes: 2 ** 28 }, ingest: { scip } })
      return { engine, name: 'an index of scip-python' }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }
  const settings = { typescriptChecker: 'auto' } as const
  return {
    engine: await engineOver(at.folder, { now, settings, ingest: { checker: true } }),
    name: "TypeScript's checker",
  }
}

function pythonIndex(folder: string, work: string): string {
  const program = join(npmProgram('@sourcegraph/scip-python', '0.6.6'), 'index.js')
  const packages = join(work, 'packages.json')
  const output = join(work, 'index.scip')
  writeFileSync(packages, '[]')
  const roots = ['src', 'lib', '.'].filter((it) => existsSync(join(folder, it)))
  writeFileSync(join(folder, 'pyrightconfig.json'), JSON.stringify({ extraPaths: roots }))
  run(
    process.execPath,
    [
      program,
      'index',
      '--cwd',
      folder,
      '--output',
      output,
      '--project-name',
      basename(folder),
      '--project-version',
      '0',
      '--environment',
      packages,
      '--quiet',
    ],
    folder,
  )
  rmSync(join(folder, 'pyrightconfig.json'))
  return output
}
