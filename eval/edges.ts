/**
 * How well edges agree with compilers: `npm run eval:edges`. Without folders, published packages are measured.
 *
 *     npm run eval:edges -- --language python ../flask
 *     npm run eval:edges -- --truth saved.json.gz ../flask     truth that was saved before
 *     npm run eval:edges -- --samples 20 --language go         shows wrong edges with their tiers, and missed calls
 *     npm run eval:edges -- --micro FOLDER                     small cases as JSON files
 *     npm run eval:edges -- --write                            keeps the figures for docs/quality.md
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { failuresOf, writtenCases } from '../test/written.ts'
import { compilerOf, truthOf } from './compilers.ts'
import { graphOf } from './graph-of.ts'
import { runMicro } from './micro.ts'
import { type EvaluatedLanguage, localProject, type Project, publishedProjects } from './projects.ts'
import { EDGES_FILE, type EdgeResults, readEdgeResults } from './results.ts'
import { type Measure, type Rate, type Samples, score, type Score } from './score.ts'
import { readTruth } from './truth-file.ts'
import type { Truth } from './truth.ts'

const LANGUAGES: readonly EvaluatedLanguage[] = ['typescript', 'python', 'go', 'java', 'rust']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: 'string' },
    truth: { type: 'string' },
    micro: { type: 'string' },
    samples: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false },
  },
})
const wanted = LANGUAGES.filter((it) => values.language === undefined || values.language === it)
if (wanted.length === 0)
  throw new Error(`no compiler is asked about ${values.language}; there are ${LANGUAGES.join(', ')}`)

const results: EdgeResults = {
  commit: execFileSync('git', ['rev-parse', 'HEAD'], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  }).trim(),
  node: process.versions.node,
  projects: [],
  cases: [],
  skipped: ['C and C++: no compiler is asked yet'],
}

if (values.micro !== undefined) {
  const found = await runMicro(resolve(values.micro))
  for (const { id, failures } of found) if (failures.length > 0) console.log(`FAIL ${id}\n  ${failures.join('\n  ')}`)
  console.log(`cases of ${values.micro}: ${found.filter((it) => it.failures.length === 0).length} of ${found.length}`)
} else if (values.truth !== undefined) {
  const { truth, about } = readTruth(resolve(values.truth))
  const [folder] = positionals
  if (folder === undefined) throw new Error('name the folder that the truth is about')
  const project = localProject(resolve(folder), LANGUAGES.find((it) => it === about.lang) ?? 'typescript')
  await measure(project, truth, about.tool)
} else {
  await runCases()
  for (const language of wanted) {
    const missing = compilerOf(language).missing()
    if (missing !== '') {
      console.log(`${language}: left out, ${missing}`)
      results.skipped.push(`${language}: ${missing}`)
      continue
    }
    const projects =
      positionals.length > 0
        ? positionals.map((it) => localProject(resolve(it), language))
        : publishedProjects(language)
    for (const project of projects) await measure(project, truthOf(project), compilerOf(language).name)
  }
  for (const it of results.skipped) console.log(`left out  ${it}`)
  if (values.write) {
    // what was not measured this time stays
    const others = readEdgeResults()?.projects.filter((it) => !wanted.some((one) => one === it.language)) ?? []
    results.projects.push(...others)
    results.projects.sort((a, b) => order(a.language) - order(b.language))
    mkdirSync(dirname(EDGES_FILE), { recursive: true })
    writeFileSync(EDGES_FILE, `${JSON.stringify(results, null, 1)}\n`)
    console.log('kept; npm run gen writes docs/quality.md')
  }
}

function order(language: string): number {
  return LANGUAGES.findIndex((it) => it === language)
}

async function runCases(): Promise<void> {
  const counts = new Map<string, { passed: number; of: number }>()
  for (const one of writtenCases()) {
    const { failed } = await failuresOf(one)
    if (failed.length > 0) console.log(`FAIL ${one.language} ${one.title}\n  ${failed.join('\n  ')}`)
    const count = counts.get(one.language) ?? { passed: 0, of: 0 }
    counts.set(one.language, { passed: count.passed + (failed.length === 0 ? 1 : 0), of: count.of + 1 })
  }
  for (const [language, count] of counts) {
    results.cases.push({ language, ...count })
    console.log(`cases  ${language.padEnd(12)} ${count.passed} of ${count.of}`)
  }
}

async function measure(project: Project, truth: Truth, compiler: string): Promise<void> {
  const { nodes, edges, milliseconds } = await graphOf(project.folder)
  const samples: Samples = { wrong: [], missed: [] }
  const found = score(truth, { nodes, edges }, samples)
  const { name, version, language } = project
  results.projects.push({ name, version, language, compiler, score: found, ...milliseconds })
  console.log(`\n${name} ${version}  ${language}, ${compiler}`)
  print(found)
  for (const it of evenly(samples.wrong)) console.log(`  wrong   ${it}`)
  for (const it of evenly(samples.missed)) console.log(`  missed  ${it}`)
  console.log(
    `  resolving ${milliseconds.resolving} ms, reading ${milliseconds.reading} ms, ratio ${(milliseconds.resolving / Math.max(1, milliseconds.reading)).toFixed(2)}`,
  )
}

/** As many as were asked for, from all over the list. */
function evenly(list: readonly string[]): string[] {
  const step = Math.max(1, list.length / Math.max(1, Number(values.samples)))
  return Array.from({ length: Math.min(list.length, Number(values.samples)) }, (_, i) => list[Math.floor(i * step)])
}

function print(found: Score): void {
  const row = (title: string, { precision, recall }: Measure) =>
    console.log(`  ${title.padEnd(20)} P ${shown(precision)}   R ${shown(recall)}`)
  console.log(`  files seen           ${found.files.right} of ${found.files.of}`)
  row('file dependencies', found.dependencies)
  row('definitions', found.definitions)
  row('calls, strict', found.calls.strict)
  row('calls, lenient', found.calls.lenient)
  row('references, lenient', found.references.lenient)
  row('inheritance', found.inherits)
  console.log(
    `  by tier              ${Object.entries(found.tiers)
      .map(([tier, rate]) => `${tier} ${shown(rate)}`)
      .join('   ')}`,
  )
}

function shown({ right, of }: Rate): string {
  return of === 0 ? '–' : `${((100 * right) / of).toFixed(1)} % (${right}/${of})`
}
