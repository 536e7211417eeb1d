/** Results of `npm run eval` as a file, and the part of `docs/quality.md` that is made of them. */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RepositoryResult, Row } from '#evaluation/evaluate'
import { markdownRows, meanLearning, meanRows, sentenceOn } from '#evaluation/report'

export interface RankingResults {
  /** Commit of this project that was measured. */
  commit: string
  node: string
  /** Changes asked for per repository. */
  changes: number
  repositories: RepositoryResult[]
}

export const RANKING_FILE = fileURLToPath(new URL('results/ranking.json', import.meta.url))

export function readRankingResults(): RankingResults | null {
  if (!existsSync(RANKING_FILE)) return null
  const results: RankingResults = JSON.parse(readFileSync(RANKING_FILE, 'utf8'))
  return results
}

const SECTIONS: [Row['part'][], string, string][] = [
  [
    ['seek', 'activate'],
    'Files by the message of a change',
    'The question is the message, the answer the source files that the change touched.',
  ],
  [
    ['functions'],
    'Functions by the message of a change',
    'The answer are the functions whose lines it changed; rows of functions only.',
  ],
  [
    ['predict'],
    'Files that change together',
    'Of a change with several source files one is given, the others are the answer.',
  ],
]

export function rankingPart({ commit, node, changes, repositories }: RankingResults): string {
  const rows = meanRows(repositories)
  const learning = meanLearning(repositories)
  const names = repositories.map((it) => `${it.name} (${it.tasks} after ${it.base.slice(0, 12)})`)
  return [
    '## Ranking',
    '',
    `Measured at commit ${commit.slice(0, 12)} with Node ${node}, by \`npm run eval -- --changes ${changes}\` on ${names.join(', ')}.`,
    'Each repository is read as it was before the changes and knows nothing of them; paths, file names and numbers of reports are taken out of the questions.',
    'Acc@k: all right files among the first k, in percent. MRR: of the first right one; once more with tests and what is no code left out of the rankings.',
    'Times are of one run beside whatever else the machine did, the median of the repositories and the worst of their 95th percentiles: they compare rows, not machines. Tokens are of an answer of default length.',
    '',
    ...SECTIONS.flatMap(([parts, title, meaning]) => {
      const own = rows.filter((it) => parts.includes(it.part))
      return own.length === 0 ? [] : [`### ${title}`, '', meaning, '', ...markdownRows(own), '']
    }),
    ...(learning.length === 0
      ? []
      : [
          '### What feedback brings',
          '',
          'After each answer the right files are confirmed; what that adds to later questions is compared with no feedback and with as much on random files.',
          '',
          ...learning.map((it) => `- ${sentenceOn(it)}.`),
          '',
        ]),
    '### By repository',
    '',
    '| | files | nodes | read in s | seek Acc@5 | seek MRR | bm25 + path Acc@5 | MRR |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...repositories.map(
      (it) =>
        `| ${[it.name, it.files, it.nodes, it.seconds, ...brief(it, 'm1nd seek'), ...brief(it, 'bm25 + path')].join(' | ')} |`,
    ),
    '',
  ].join('\n')
}

function brief({ rows }: RepositoryResult, name: string): string[] {
  const row = rows.find((it) => it.name === name)
  return row === undefined ? ['–', '–'] : [(100 * row.all.acc5).toFixed(1), row.all.mrr.toFixed(3)]
}
