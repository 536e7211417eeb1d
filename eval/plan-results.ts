/** Results of `eval:plan` and their part of docs/quality.md. */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface Set {
  precision: number
  recall: number
  /** Mean number of files. */
  named: number
}

export interface PlanRow {
  ranking: string
  /** Share of the files left out that are among the first ten. */
  recall10: number
  /** The same among as many as were left out, which is precision as well. */
  first: number
  /** The same among the first fifty. */
  recallAll: number
  critical: Set
  /** Critical or warning. */
  warning: Set
}

export interface PlanResults {
  commit: string
  node: string
  projects: { name: string; base: string; changes: number; rows: PlanRow[] }[]
}

export const PLAN_FILE = fileURLToPath(new URL('results/plan.json', import.meta.url))

export function readPlanResults(): PlanResults | null {
  if (!existsSync(PLAN_FILE)) return null
  const results: PlanResults = JSON.parse(readFileSync(PLAN_FILE, 'utf8'))
  return results
}

export function planPart({ commit, node, projects }: PlanResults): string {
  const percent = (it: number) => (100 * it).toFixed(0)
  const set = ({ precision, recall, named }: Set) => `${percent(precision)} / ${percent(recall)} (${named.toFixed(1)})`
  return [
    '## Plans',
    '',
    `Measured at commit ${commit.slice(0, 12)} with Node ${node}, by \`npm run eval:plan\`.`,
    'Changes of 2 to 20 files that came after the state that was read; half of the files of each are given to `validate_plan`, and the rest is to be named among the gaps.',
    'Percent of the files left out that are among as many first gaps as there were files to find, among the first 10 and the first 50; then precision / recall of what is called critical, and of critical and warning together, with the mean number of such files. `seed` is the plain formula.',
    '',
    '| project | changes | ranking | as many | first 10 | first 50 | critical | critical or warning |',
    '|---|---|---|---|---|---|---|---|',
    ...projects.flatMap(({ name, changes, rows }) =>
      rows.map(
        (it) =>
          `| ${[name, changes, it.ranking, percent(it.first), percent(it.recall10), percent(it.recallAll), set(it.critical), set(it.warning)].join(' | ')} |`,
      ),
    ),
    '',
  ].join('\n')
}
