/** Text for the command line: columns that line up and fit the terminal. */

import type { Style } from '#tools/tool'

const GAP = '  '

/**
 * Rows with columns as wide as their longest cell, two spaces apart; numbers to the right. A line longer than
 * the terminal loses the start of its last cell, since the end of an id or path tells more.
 */
export function table(rows: readonly (readonly (string | number)[])[], style: Pick<Style, 'width'>): string {
  const cells = rows.map((row) => row.map(String))
  const nColumns = Math.max(0, ...cells.map((row) => row.length))
  const widths = Array.from({ length: nColumns }, (_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)))
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0)
  const left = Math.max(12, style.width - before)
  return rows
    .map((row, r) =>
      cells[r]
        .map((cell, i) => {
          if (i === nColumns - 1) return shorten(cell, left)
          return typeof row[i] === 'number' ? cell.padStart(widths[i]) : cell.padEnd(widths[i])
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** `…the/end/of/it`, at most `width` characters. */
export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`
}

export function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** The lines under an answer: how whole it is and what was cut. */
export function footnotes(
  {
    completeness,
    truncated,
  }: {
    completeness?: { level: string; reasons: string[] }
    truncated?: { shown: number; total: number; how: string } | null
  },
  style: Style,
): string[] {
  const lines: string[] = []
  if (truncated) lines.push(style.dim(`${truncated.shown} of ${truncated.total} shown. ${truncated.how}`))
  if (completeness && completeness.level !== 'exact') {
    const what = completeness.level === 'unknown' ? 'Cannot be told whole' : 'There may be more'
    lines.push(style.dim(`${what}: ${completeness.reasons.join('; ')}.`))
  }
  return lines
}
