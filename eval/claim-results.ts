/** Figures about claims, and the part of docs/quality.md that is made of them. */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Kind, KINDS, type MadeClaim } from './claims-made.ts'

export interface Answer extends MadeClaim {
  project: string
  confidence: number
  verdict: string
  /** Kinds of evidence, without names. */
  finding: string
}

/** Shares in which every kind, and of every kind both sides, count alike, however many claims could be made of each. */
export interface Measures {
  /** Mean square of confidence less truth: 0 is knowing all, 0.25 is always saying half. */
  brier: number
  byKind: { kind: Kind; right: number; wrong: number; brier: number; decided: number; correct: number }[]
  /** Claims by tenths of confidence: how many, the mean confidence, and the share that is true. */
  reliability: { from: number; claims: number; confidence: number; share: number }[]
}

export interface ClaimResults extends Measures {
  commit: string
  node: string
  projects: { name: string; commit: string; truth: string; later: number; claims: number }[]
}

export const CLAIMS_FILE = fileURLToPath(new URL('results/claims.json', import.meta.url))

export function readClaimResults(): ClaimResults | null {
  if (!existsSync(CLAIMS_FILE)) return null
  const results: ClaimResults = JSON.parse(readFileSync(CLAIMS_FILE, 'utf8'))
  return results
}

const BINS = 10

export function measure(answers: readonly Answer[]): Measures {
  const sizes = new Map<string, number>()
  const side = ({ kind, truth }: Answer) => `${kind} ${truth}`
  for (const it of answers) sizes.set(side(it), (sizes.get(side(it)) ?? 0) + 1)
  const weightOf = (it: Answer) => 1 / (sizes.get(side(it)) ?? 1)
  const mean = (list: readonly Answer[], of: (it: Answer) => number) => {
    const total = list.reduce((sum, it) => sum + weightOf(it), 0)
    return total === 0 ? 0 : list.reduce((sum, it) => sum + weightOf(it) * of(it), 0) / total
  }
  const error = (it: Answer) => (it.confidence - Number(it.truth)) ** 2
  return {
    brier: mean(answers, error),
    byKind: KINDS.map((kind) => {
      const own = answers.filter((it) => it.kind === kind)
      const decided = own.filter((it) => it.verdict !== 'inconclusive')
      return {
        kind,
        right: own.filter((it) => it.truth).length,
        wrong: own.filter((it) => !it.truth).length,
        brier: mean(own, error),
        decided: mean(own, (it) => Number(it.verdict !== 'inconclusive')),
        correct: mean(decided, (it) => Number((it.verdict === 'likely_true') === it.truth)),
      }
    }),
    reliability: Array.from({ length: BINS }, (_, i) => {
      const own = answers.filter((it) => Math.min(BINS - 1, Math.floor(it.confidence * BINS)) === i)
      return {
        from: i / BINS,
        claims: own.length,
        confidence: mean(own, (it) => it.confidence),
        share: mean(own, (it) => Number(it.truth)),
      }
    }).filter((it) => it.claims > 0),
  }
}

export function tableOf({ brier, byKind, reliability }: Measures): string {
  return [
    `Brier score ${brier.toFixed(3)}`,
    ...byKind.map(
      (it) =>
        `${it.kind.padEnd(14)} ${it.right} true, ${it.wrong} false, Brier ${it.brier.toFixed(3)}, decided ${percent(it.decided)}, of these right ${percent(it.correct)}`,
    ),
    ...reliability.map(
      (it) =>
        `${it.from.toFixed(1)}…  ${String(it.claims).padStart(4)} claims, said ${it.confidence.toFixed(2)}, true ${it.share.toFixed(2)}`,
    ),
  ].join('\n')
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

export function claimsPart(results: ClaimResults): string {
  const { commit, node, projects, brier, byKind, reliability } = results
  return [
    '## Claims',
    '',
    `Measured at commit ${commit.slice(0, 12)} with Node ${node}, by \`npm run eval:claims\`.`,
    'Half of the claims are true, half are false; every kind counts alike. They are made from a graph that a compiler has checked, where there is one, and about what changes together from commits that are held out; the question is put to the graph without any compiler, as it was before these commits.',
    '',
    `**Brier score ${brier.toFixed(3)}** (0: knows all, 0.25: always says one half).`,
    '',
    '| kind | true | false | Brier score | decided | of these right |',
    '|---|---|---|---|---|---|',
    ...byKind.map(
      (it) =>
        `| ${[it.kind, it.right, it.wrong, it.brier.toFixed(3), percent(it.decided), percent(it.correct)].join(' | ')} |`,
    ),
    '',
    'Of the claims that are given a confidence, so many are true:',
    '',
    '| confidence | claims | mean | true |',
    '|---|---|---|---|',
    ...reliability.map(
      (it) =>
        `| ${it.from.toFixed(1)} to ${(it.from + 1 / BINS).toFixed(1)} | ${it.claims} | ${it.confidence.toFixed(2)} | ${it.share.toFixed(2)} |`,
    ),
    '',
    'Measured on ' +
      projects
        .map((it) => `${it.name} (${it.commit.slice(0, 10)}; truth: ${it.truth}; ${it.later} later commits)`)
        .join(', ') +
      '.',
    '',
  ].join('\n')
}
