/** The commits as a table, newest first. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { HistoryAnswer } from '#views/shapes'
import { ago, count, many } from '../../state/format.ts'
import { param, setParams } from '../../state/route.ts'
import { dateOf } from './time.ts'

const ROWS_FIRST = 20

export function Commits({ found }: { found: HistoryAnswer }) {
  const { commits, total_commits: total, truncated } = found
  const chosen = param('commit')
  const [isWhole, setWhole] = useState(false)
  const table = useRef<HTMLTableElement>(null)
  const isBelow = commits.findIndex((it) => it.hash === chosen) >= ROWS_FIRST
  const rows = isWhole || isBelow ? commits : commits.slice(0, ROWS_FIRST)
  useEffect(() => {
    table.current?.querySelector('tr.chosen')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <section>
      <h2>Commits</h2>
      <table class="figures commits" ref={table}>
        <caption class="unseen">Commits, newest first</caption>
        <thead>
          <tr>
            <th scope="col">when</th>
            <th scope="col">what</th>
            <th scope="col" class="number">
              lines
            </th>
            <th scope="col" class="number">
              other files
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((it) => (
            <tr key={it.hash} class={it.hash === chosen ? 'chosen' : ''}>
              <td class="date">
                <button
                  type="button"
                  class="link"
                  aria-pressed={it.hash === chosen}
                  title={ago(it.at_ms)}
                  onClick={() => setParams({ commit: it.hash === chosen ? '' : it.hash })}
                >
                  {dateOf(it.at_ms)}
                </button>
              </td>
              <td class="subject">
                {it.subject} <code>{it.hash.slice(0, 8)}</code>
              </td>
              <td class="number">
                +{count(it.added)} −{count(it.removed)}
              </td>
              <td class="number">{count(it.others)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < commits.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {count(commits.length - rows.length)} more
        </button>
      )}
      {truncated !== null && rows.length === commits.length && (
        <p class="quiet">
          The newest {count(commits.length)} of {many(total, 'commit')}. {truncated.how}
        </p>
      )}
    </section>
  )
}
