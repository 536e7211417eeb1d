/** The four dimensions, wherever they are shown. */

export const DIMENSIONS = ['structural', 'semantic', 'temporal', 'causal'] as const
export type Dimension = (typeof DIMENSIONS)[number]
export type Contributions = Readonly<Record<Dimension, number>>

/** One bar of four parts, whose lengths are what each dimension adds; `most` is as long as there is room. */
export function FourBar({ parts, most }: { parts: Contributions; most: number }) {
  const words = DIMENSIONS.filter((it) => parts[it] > 0).map((it) => `${it} ${parts[it].toFixed(2)}`)
  return (
    <span class="bar" role="img" aria-label={words.join(', ') || 'nothing'} title={words.join(' · ')}>
      {DIMENSIONS.map((it) => (
        <span key={it} class={it} style={{ width: `${most > 0 ? (100 * Math.max(0, parts[it])) / most : 0}%` }} />
      ))}
    </span>
  )
}

/** A bar of one colour, for a share of one. */
export function ShareBar({ share, label }: { share: number; label: string }) {
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      <span class="one" style={{ width: `${100 * Math.min(1, Math.max(0, share))}%` }} />
    </span>
  )
}
