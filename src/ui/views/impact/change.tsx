/** What a change reaches: rings of files, and the same as a list for every hop. */

import { useState } from 'preact/hooks'
import type { ImpactAnswer } from '#views/shapes'
import { Answered, Empty } from '../../parts/states.tsx'
import { Trust } from '../../parts/trust.tsx'
import { count, many } from '../../state/format.ts'
import { nameIn } from '../../state/node.ts'
import { setParams } from '../../state/route.ts'
import { pointed, select } from '../../state/selection.ts'
import { FileRows } from './file-rows.tsx'
import { filesOf, type Hop, hopsOf, wayTo } from './reach.ts'
import { type Rings, ringsOf } from './rings.ts'
import { centre, direction, row, useReach, withGuesses } from './shown.ts'

const REACHED = {
  forward: 'may be affected by a change',
  reverse: 'are what it relies on',
  both: 'depend on it or are what it relies on',
}

export function Change() {
  const answer = useReach(centre.value)
  return (
    <Answered answer={answer} loading="Following the edges">
      {(value) => (value.total_affected === 0 ? <Nothing answer={value} /> : <Reach answer={value} />)}
    </Answered>
  )
}

function Nothing({ answer }: { answer: ImpactAnswer }) {
  const isCut = answer.completeness.reasons.some((it) => it.includes('guessed edge'))
  return (
    <Empty title="Nothing is reached.">
      <p>{answer.reason}</p>
      <Trust {...answer} />
      {direction.value !== 'both' && (
        <button type="button" onClick={() => setParams({ direction: 'both' })}>
          Look both ways
        </button>
      )}{' '}
      {isCut && !withGuesses.value && (
        <button type="button" onClick={() => setParams({ guesses: 'yes' })}>
          Follow guesses too
        </button>
      )}
    </Empty>
  )
}

function Reach({ answer }: { answer: ImpactAnswer }) {
  const hops = hopsOf(answer)
  const rings = ringsOf(filesOf(answer), hops.length)
  return (
    <>
      <p class="answer">
        <b>{many(answer.total_affected, 'node')}</b> in {many(answer.files_affected, 'file')}{' '}
        {REACHED[answer.direction]}, up to {many(hops.length, 'hop')} away.
        {answer.parts > 0 && ` Uses of its ${many(answer.parts, 'part')} count.`}
      </p>
      <Trust {...answer} />
      <Picture answer={answer} rings={rings} hops={hops} />
      <div class="hops">
        {hops.map((it) => (
          <HopList key={it.hop} hop={it} answer={answer} />
        ))}
      </div>
    </>
  )
}

const ROWS_FIRST = 12

function HopList({ hop, answer }: { hop: Hop; answer: ImpactAnswer }) {
  const [isWhole, setWhole] = useState(false)
  const rows = isWhole ? hop.rows : hop.rows.slice(0, ROWS_FIRST)
  const most = answer.affected[0]?.signal ?? 1
  return (
    <section aria-label={many(hop.hop, 'hop')}>
      <h2>{many(hop.hop, 'hop')}</h2>
      <p class="quiet">
        {many(hop.nodes, 'node')}, {many(hop.files, 'file')} reached first
      </p>
      <FileRows files={rows} label={`Reached in ${many(hop.hop, 'hop')}`} most={most} />
      {rows.length < hop.rows.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {count(hop.rows.length - rows.length)} more
        </button>
      )}
    </section>
  )
}

interface PictureProps {
  answer: ImpactAnswer
  rings: Rings
  hops: readonly Hop[]
}

/** The lists below say the same in words. */
function Picture({ answer, rings, hops }: PictureProps) {
  const { dots, sectors, radii, left } = rings
  const places = new Map(dots.flatMap((dot) => dot.file.nodes.map((it) => [it.id, dot] as const)))
  const way = wayTo(row.value, answer).flatMap((it) => places.get(it.id) ?? [])
  const line = [{ x: 0, y: 0 }, ...way].map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
  const lit = new Set([places.get(row.value), places.get(pointed.value)])
  const dotAt = (target: EventTarget | null) =>
    target instanceof Element ? dots[Number(target.getAttribute('data-dot') ?? -1)] : undefined
  return (
    <figure class="rings">
      <svg
        viewBox="-390 -270 780 540"
        role="img"
        aria-label={`${nameIn(answer.source.id)} in the middle, ${hops.map((it) => `${many(it.files, 'file')} at hop ${it.hop}`).join(', ')}`}
        onClick={({ target }) => {
          const dot = dotAt(target)
          if (dot !== undefined) select(dot.file.nodes[0].id)
        }}
        onPointerOver={({ target }) => {
          pointed.value = dotAt(target)?.file.nodes[0].id ?? ''
        }}
        onPointerLeave={() => {
          pointed.value = ''
        }}
      >
        {radii.map((radius, i) => (
          <g key={radius} class="ring">
            <circle r={radius} />
            <text y={4 - radius} text-anchor="middle">
              {many(i + 1, 'hop')}
            </text>
          </g>
        ))}
        {sectors.map((it) => (
          <text key={it.name} class="sector" x={it.x} y={it.y + 4} text-anchor={it.anchor}>
            {it.name.length > 18 ? `${it.name.slice(0, 17)}…` : it.name}
          </text>
        ))}
        {way.length > 0 && <polyline class="way" points={line} />}
        {dots.map((dot, i) => (
          <circle
            key={dot.file.id}
            class={lit.has(dot) ? 'dot lit' : 'dot'}
            data-dot={i}
            cx={dot.x}
            cy={dot.y}
            r={dot.r}
            fill-opacity={0.3 + 0.7 * Math.sqrt(dot.file.signal / (answer.affected[0]?.signal ?? 1))}
          >
            <title>{dot.file.id}</title>
          </circle>
        ))}
        <circle class="source" r={10} />
      </svg>
      <figcaption class="quiet">
        One dot is a file; the larger, the more of a change arrives. Files of a folder stand side by side.
        {left > 0 && ` The ${count(dots.length)} that it reaches most are drawn, ${count(left)} are not.`}
      </figcaption>
    </figure>
  )
}
