/** Shares of a whole as one bar, with what each part is and how many it has as text below. */

import { count } from '../../state/format.ts'

interface Part {
  name: string
  n: number
  /** From surest to least sure. */
  look: 'first' | 'second' | 'third' | 'last'
}

export function PartedBar({ label, total, parts }: { label: string; total: number; parts: readonly Part[] }) {
  const shown = parts.filter((it) => it.n > 0)
  if (total === 0) return null
  return (
    <>
      <div class="shares" aria-hidden="true">
        {shown.map((it) => (
          <span key={it.name} class={it.look} style={{ flexGrow: it.n, flexBasis: 0 }} />
        ))}
      </div>
      <ul class="share-keys" aria-label={label}>
        {shown.map((it) => (
          <li key={it.name}>
            <span class={`key ${it.look}`} aria-hidden="true" />
            {count(it.n)} {it.name} <span class="quiet">{shareOf(it.n, total)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Never 0 or 100 % where that is not so. */
export function shareOf(n: number, total: number): string {
  const share = (100 * n) / total
  if (n > 0 && share < 0.1) return '< 0.1 %'
  if (n < total && share > 99.9) return '> 99.9 %'
  return `${Math.round(share * 10) / 10} %`
}
