/** Figures about what really happened, and the part of docs/quality.md that is made of them. */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Company } from './replay-company.ts'
import type { Lack } from './replay-lack.ts'
import type { Removals } from './replay-removal.ts'

interface Project {
  name: string
  commit: string
}

/** What one complete run measured; parts that were measured at different times keep their own commit. */
interface Part<T> {
  commit: string
  node: string
  projects: (Project & T)[]
}

export interface ReplayResults {
  removal?: Part<{ removal: Removals }>
  company?: Part<{ company: Company }>
  lack?: Part<{ lack: Lack[] }>
}

export interface Replayed extends Project {
  removal: Removals | null
  company: Company | null
  lack: Lack[] | null
}

export const REPLAY_FILE = fileURLToPath(new URL('results/replay.json', import.meta.url))

export function readReplayResults(): ReplayResults | null {
  if (!existsSync(REPLAY_FILE)) return null
  const results: ReplayResults = JSON.parse(readFileSync(REPLAY_FILE, 'utf8'))
  return results
}

function share(part: number, of: number): string {
  return of === 0 ? '–' : `${((100 * part) / of).toFixed(0)} % (${part} of ${of})`
}

export function replayTable(projects: readonly Replayed[]): string {
  return projects
    .flatMap(({ name, removal, company, lack }) => [
      name,
      ...(removal === null
        ? []
        : [
            `  removal: ${removal.commits} commits, found ${share(removal.found, removal.needed)}, first step touched ${share(removal.nearTouched, removal.near)}, all ${share(removal.shownTouched, removal.shown)}`,
          ]),
      ...(company === null
        ? []
        : [
            `  company: ${company.commits} commits, found ${share(company.found, company.wanted)}, shown touched ${share(company.found, company.shown)}`,
          ]),
      ...(lack ?? []).map(
        (it) =>
          `  lack of ${it.kind}: named ${share(it.named, it.takings)}, mean place ${it.meanPlace.toFixed(1)}, ${it.before} named before, ${(it.alarms / Math.max(1, it.untouched)).toFixed(1)} gaps per untouched answer`,
      ),
    ])
    .join('\n')
}

function measured({ commit, node, projects }: Part<object>): string {
  return `Measured at commit ${commit.slice(0, 12)} with Node ${node}, by \`npm run eval:replay\`, on ${projects.map((it) => `${it.name} (${it.commit.slice(0, 10)})`).join(', ')}.`
}

export function replayPart({ removal, company, lack }: ReplayResults): string {
  const removals = (removal?.projects ?? []).map((it) => ({ name: it.name, ...it.removal }))
  const companies = (company?.projects ?? []).map((it) => ({ name: it.name, ...it.company }))
  const lacks = (lack?.projects ?? []).flatMap((it) => it.lack.map((row) => ({ name: it.name, ...row })))
  const sum = <T>(list: readonly T[], of: (it: T) => number) => list.reduce((total, it) => total + of(it), 0)
  return [
    '## What really happened',
    '',
    '**Deletions.** Files that a past commit deleted are given to `counterfactual` as the project was before it. A file had to be touched when the commit took a line of code from it that names a deleted file or one of its definitions; recall is how many of these are among `affected_files`. What else it names may well be affected and still need no edit, so the last two columns are a lower bound.',
    ...(removal === undefined ? [] : ['', measured(removal)]),
    '',
    '| project | deletions | recall | touched of those one step away | touched of all shown |',
    '|---|---|---|---|---|',
    ...removals.map(
      (it) =>
        `| ${it.name} | ${it.commits} | ${share(it.found, it.needed)} | ${share(it.nearTouched, it.near)} | ${share(it.shownTouched, it.shown)} |`,
    ),
    `| all | ${sum(removals, (it) => it.commits)} | ${share(
      sum(removals, (it) => it.found),
      sum(removals, (it) => it.needed),
    )} | ${share(
      sum(removals, (it) => it.nearTouched),
      sum(removals, (it) => it.near),
    )} | ${share(
      sum(removals, (it) => it.shownTouched),
      sum(removals, (it) => it.shown),
    )} |`,
    '',
    '**Company.** Of commits with two to ten files that the graph has not seen, one file is given to `predict`; the others are looked for among its first ten.',
    ...(company === undefined ? [] : ['', measured(company)]),
    '',
    '| project | commits | recall | precision |',
    '|---|---|---|---|',
    ...companies.map(
      (it) => `| ${it.name} | ${it.commits} | ${share(it.found, it.wanted)} | ${share(it.found, it.shown)} |`,
    ),
    '',
    '**Lack.** A test, the lines that use a common error handler, or the lines that name a file where its siblings are registered are taken away; `missing` is asked about the words of the path. It counts when the link is gone afterwards and those of all siblings are still there. Named means that the gap is among the first ten; gaps before are those among the first ten of the untouched repository.',
    ...(lack === undefined ? [] : ['', measured(lack)]),
    '',
    '| project | what was taken | named | mean place | gaps before |',
    '|---|---|---|---|---|',
    ...lacks
      .filter((it) => it.takings > 0)
      .map(
        (it) =>
          `| ${it.name} | ${it.kind} | ${share(it.named, it.takings)} | ${it.named === 0 ? '–' : it.meanPlace.toFixed(1)} | ${(it.alarms / Math.max(1, it.untouched)).toFixed(1)} |`,
      ),
    ...(['test', 'error handling', 'registration'] as const).map((kind) => {
      const own = lacks.filter((it) => it.kind === kind)
      return `| all | ${kind} | ${share(
        sum(own, (it) => it.named),
        sum(own, (it) => it.takings),
      )} | | |`
    }),
    '',
  ].join('\n')
}
