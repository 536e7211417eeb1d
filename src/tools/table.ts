/** Text for the command line: columns that line up and fit the terminal. */

import type { Style } from '#tools/tool'

const GAP = '  '
/** A column is never cut below this. */
const FEWEST_CHARACTERS = 20

/**
 * Rows with columns as wide as their longest cell, two spaces apart; numbers to the right. In a line longer than
 * the terminal wide cells in the middle lose their end, then the last one its start: the end of an id or path tells more.
 */
export function table(rows: readonly (readonly (string | number)[])[], style: Pick<Style, 'width'>): string {
  const cells = rows.map((row) => row.map(String))
  const nColumns = Math.max(0, ...cells.map((row) => row.length))
  const widths = Array.from({ length: nColumns }, (_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)))
  // the last cell says where to look, so wide text between gives way first
  let over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - style.width
  for (let i = nColumns - 2; i > 0; i--) {
    const cut = Math.max(0, Math.min(over, widths[i] - FEWEST_CHARACTERS))
    widths[i] -= cut
    over -= cut
  }
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0)
  const left = Math.max(12, style.width - before)
  return rows
    .map((row, r) =>
      cells[r]
        .map((cell, i) => {
          if (i === nColumns - 1) return shorten(cell, left)
          if (typeof row[i] === 'number') return cell.padStart(widths[i])
          return cell.length > widths[i] ? `${cell.slice(0, widths[i] - 1)}…` : cell.padEnd(widths[i])
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** The path of a node for people: among several repositories it begins with the name of the node's own. */
export function pathIn(nodeId: string, path: string): string {
  const at = nodeId.indexOf('::file::')
  return at < 0 ? path : `${nodeId.slice(0, at)}/${path}`
}

/** `…the/end/of/it`, at most `width` characters. */
export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`
}

export function plural(n: number, one: string, more = `${one}s`): string {
  return `${n} ${n === 1 ? one : more}`
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
