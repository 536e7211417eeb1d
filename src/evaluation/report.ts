/** Results of `evaluate` as tables for people, and means over repositories. */

import type { LearnRow, RepositoryResult, Row } from '#evaluation/evaluate'
import { type Figures, mean, rounded } from '#evaluation/scores'

const HEAD = [
  '',
  'n',
  'Acc@1',
  'Acc@3',
  'Acc@5',
  'Acc@10',
  'Recall@10',
  'MRR',
  'MRR, sources',
  'p50 ms',
  'p95 ms',
  'tokens',
]

/** One row per way of finding, over all repositories: every question counts alike. */
export function meanRows(results: readonly RepositoryResult[]): Row[] {
  const names = new Map<string, Row[]>()
  for (const { rows } of results) {
    for (const row of rows) {
      const key = `${row.part} ${row.name}`
      const list = names.get(key)
      if (list === undefined) names.set(key, [row])
      else list.push(row)
    }
  }
  return [...names.values()].map((rows) => ({
    ...rows[0],
    all: meanFigures(rows.map((it) => it.all)),
    source: meanFigures(rows.map((it) => it.source)),
    // a median of medians and the worst of the worst: times of different graphs do not mix
    p50: rounded(median(rows.map((it) => it.p50)), 2),
    p95: rounded(Math.max(...rows.map((it) => it.p95)), 2),
    tokens: Math.round(mean(rows.map((it) => it.tokens))),
  }))
}

export function meanLearning(results: readonly RepositoryResult[]): LearnRow[] {
  const rows = results.flatMap((it) => it.learning)
  return (['seek', 'activate'] as const).flatMap((tool) => {
    const own = rows.filter((it) => it.tool === tool)
    if (own.length === 0) return []
    const n = own.reduce((sum, it) => sum + it.n, 0)
    const of = (read: (row: LearnRow) => number) => rounded(own.reduce((sum, it) => sum + it.n * read(it), 0) / n)
    return {
      tool,
      n,
      without: of((it) => it.without),
      correct: of((it) => it.correct),
      placebo: of((it) => it.placebo),
      againWithout: of((it) => it.againWithout),
      again: of((it) => it.again),
    }
  })
}

function meanFigures(figures: readonly Figures[]): Figures {
  const n = figures.reduce((sum, it) => sum + it.n, 0)
  const of = (part: keyof Figures) => rounded(figures.reduce((sum, it) => sum + it.n * it[part], 0) / Math.max(1, n))
  return {
    n,
    acc1: of('acc1'),
    acc3: of('acc3'),
    acc5: of('acc5'),
    acc10: of('acc10'),
    recall10: of('recall10'),
    mrr: of('mrr'),
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}

/** Tables for a terminal. */
export function renderResults(results: readonly RepositoryResult[]): string {
  const parts = results.map((it) => [
    `${it.name} at ${it.base.slice(0, 12)}: ${it.tasks} changes`,
    renderTables(it.rows, it.learning),
  ])
  if (results.length > 1) parts.push(['all repositories', renderTables(meanRows(results), meanLearning(results))])
  return parts.map(([head, body]) => `${head}\n\n${body}`).join('\n')
}

function renderTables(rows: readonly Row[], learning: readonly LearnRow[]): string {
  const lines = rows.length === 0 ? [] : [...columns([HEAD, ...rows.map(cells)]), '']
  for (const it of learning) lines.push(sentenceOn(it))
  return `${lines.join('\n')}\n`
}

/** `| … |` for a page. */
export function markdownRows(rows: readonly Row[]): string[] {
  return [HEAD, HEAD.map((_, i) => (i === 0 ? '---' : '--:')), ...rows.map(cells)].map((it) => `| ${it.join(' | ')} |`)
}

export function sentenceOn({ tool, n, without, correct, placebo, againWithout, again }: LearnRow): string {
  return (
    `${tool}: MRR over sources of ${n} later questions ${without.toFixed(3)} without feedback, ` +
    `${signed(correct)} with it, ${signed(placebo)} with feedback on random files; ` +
    `all asked again ${againWithout.toFixed(3)}, ${signed(again)}`
  )
}

function cells({ name, all, source, p50, p95, tokens, isBaseline }: Row): string[] {
  const shares = [all.acc1, all.acc3, all.acc5, all.acc10, all.recall10].map((it) => (100 * it).toFixed(1))
  const size = isBaseline || tokens === 0 ? '' : String(tokens)
  return [
    name,
    String(all.n),
    ...shares,
    all.mrr.toFixed(3),
    source.mrr.toFixed(3),
    p50.toFixed(1),
    p95.toFixed(1),
    size,
  ]
}

function signed(x: number): string {
  return `${x < 0 ? '−' : '+'}${Math.abs(x).toFixed(4)}`
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((it) => it[i].length)))
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd(),
  )
}
