/** What changed together with the file, and which of it no reference explains. */

import { useState } from 'preact/hooks'
import type { HistoryAnswer, HistoryPartner } from '#views/shapes'
import { ShareBar } from '../../parts/bar.tsx'
import { Rows } from '../../parts/list.tsx'
import { Path } from '../../parts/path.tsx'
import { count, many, percent } from '../../state/format.ts'
import { param, setParams } from '../../state/route.ts'
import { pointed, select } from '../../state/selection.ts'

const ROWS_FIRST = 10

export function Partners({ found }: { found: HistoryAnswer }) {
  const { partners, total_partners: total, hidden_partners: hidden } = found
  const [isWhole, setWhole] = useState(false)
  const isOnlyHidden = param('only') === 'hidden'
  const fitting = isOnlyHidden ? partners.filter((it) => it.hidden) : partners
  const rows = isWhole ? fitting : fitting.slice(0, ROWS_FIRST)
  if (total === 0)
    return (
      <section>
        <h2>Changed together</h2>
        <p>No other file changed with it in the commits that were counted.</p>
      </section>
    )
  return (
    <section>
      <h2>Changed together</h2>
      <p>
        <b>{many(total, 'file')}</b> changed with it.{' '}
        {hidden === 0
          ? 'Where both are code, one refers to the other, or may.'
          : `With ${count(hidden)} of them nothing in the code says why: neither refers to the other as far as the graph knows. These hidden ties are what one forgets.`}
      </p>
      {hidden > 0 && (
        <p>
          <button
            type="button"
            aria-pressed={isOnlyHidden}
            onClick={() => setParams({ only: isOnlyHidden ? '' : 'hidden' })}
          >
            Only hidden ties
          </button>
        </p>
      )}
      <Rows
        items={rows}
        label="Files that changed together with it"
        idOf={(it) => it.id}
        isChosen={(it) => it.id === param('node')}
        onPoint={(it) => {
          pointed.value = it?.id ?? ''
        }}
        onChoose={(it) => select(it.id)}
      >
        {(it) => (
          <span class="partner">
            <Path path={it.path} />
            <span class={it.hidden ? 'tie hidden-tie' : 'tie'}>{tieOf(it)}</span>
            <span class="number">{it.together > 0 ? `${count(it.together)}×` : ''}</span>
            <ShareBar share={it.strength} label={`${percent(it.strength)} of its commits`} />
          </span>
        )}
      </Rows>
      {rows.length < fitting.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {count(fitting.length - rows.length)} more
        </button>
      )}
    </section>
  )
}

function tieOf({ hidden, imported }: HistoryPartner): string {
  if (hidden) return 'hidden'
  return imported ? 'in the code' : 'not known'
}
