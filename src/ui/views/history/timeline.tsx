/** Commits on an axis of time; the table says the same. */

import type { HistoryAnswer } from '#views/shapes'
import { count, many } from '../../state/format.ts'
import { param, setParams } from '../../state/route.ts'
import { dateOf, heightOf, scaleOf, ticksBetween } from './time.ts'

const WIDTH = 900
const HEIGHT = 150
const SIDE = 24
const TOP = 12
const BASE = 112
const TICKS = 8

export function Timeline({ found }: { found: HistoryAnswer }) {
  const { commits, total_commits: total } = found
  const chosen = param('commit')
  const newest = commits[0]?.at_ms ?? 0
  const oldest = commits.at(-1)?.at_ms ?? 0
  const place = scaleOf(oldest, newest)
  const x = (ms: number) => SIDE + place(ms) * (WIDTH - 2 * SIDE)
  const hashOf = (target: EventTarget | null) =>
    target instanceof Element ? (target.getAttribute('data-hash') ?? '') : ''
  return (
    <figure class="timeline">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${many(commits.length, 'commit')} from ${dateOf(oldest)} to ${dateOf(newest)}`}
        onClick={({ target }) => {
          const hash = hashOf(target)
          if (hash !== '') setParams({ commit: hash === chosen ? '' : hash })
        }}
      >
        <line class="axis" x1={0} x2={WIDTH} y1={BASE} y2={BASE} />
        {ticksBetween(oldest, newest, TICKS).map(({ ms, name }) => (
          <g key={ms} class="tick">
            <line x1={x(ms)} x2={x(ms)} y1={BASE} y2={BASE + 6} />
            <text x={x(ms)} y={BASE + 28} text-anchor="middle">
              {name}
            </text>
          </g>
        ))}
        {commits.map(({ hash, at_ms, added, removed, subject }) => {
          const y = BASE - heightOf(added + removed) * (BASE - TOP)
          return (
            <g key={hash} class={hash === chosen ? 'commit lit' : 'commit'}>
              <line x1={x(at_ms)} x2={x(at_ms)} y1={BASE} y2={y} />
              <circle cx={x(at_ms)} cy={y} r={4} />
              <rect data-hash={hash} x={x(at_ms) - 5} y={y - 6} width={10} height={BASE - y + 6}>
                <title>{`${dateOf(at_ms)} +${added} −${removed} ${subject}`}</title>
              </rect>
            </g>
          )
        })}
      </svg>
      <figcaption class="quiet">
        One stroke is a commit, the higher the more lines.
        {commits.length < total && ` The newest ${count(commits.length)} of ${count(total)} are shown.`}
      </figcaption>
    </figure>
  )
}
