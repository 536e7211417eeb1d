/** What two nodes reach: both, only one, only the other; and what they cost together. */

import type counterfactual from '#tools/counterfactual'
import type { ImpactAnswer } from '#views/shapes'
import { Rows } from '../../parts/list.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { Trust } from '../../parts/trust.tsx'
import { useTool } from '../../state/answers.ts'
import { count, many, percent } from '../../state/format.ts'
import { pointed, select } from '../../state/selection.ts'
import { useState } from 'preact/hooks'
import { FileRow, FileRows } from './file-rows.tsx'
import { compare, type ReachedFile, wayTo } from './reach.ts'
import { Synergy } from './removal.tsx'
import { centre, other, row, useReach, withGuesses } from './shown.ts'

export function Comparison() {
  const left = useReach(centre.value)
  const right = useReach(other.value)
  return (
    <Answered answer={left} loading="Following the edges of the first">
      {(a) => (
        <Answered answer={right} loading="Following the edges of the second">
          {(b) => (a.source.id === b.source.id ? <Same /> : <Both left={a} right={b} />)}
        </Answered>
      )}
    </Answered>
  )
}

function Same() {
  return (
    <Empty title="These are the same node.">
      <p>Choose another one to compare it with.</p>
    </Empty>
  )
}

function Both({ left, right }: { left: ImpactAnswer; right: ImpactAnswer }) {
  const { shared, left: onlyLeft, right: onlyRight, overlap } = compare(left, right)
  const [a, b] = [left.source, right.source]
  const isCut = left.truncated !== null || right.truncated !== null
  const most = Math.max(left.affected[0]?.signal ?? 0, right.affected[0]?.signal ?? 0, 1e-9)
  return (
    <>
      <p class="answer">
        <b>{many(shared.length, 'file')}</b> {shared.length === 1 ? 'is' : 'are'} reached from both, {percent(overlap)}{' '}
        of all that either reaches.
      </p>
      <ul class="notes">
        <li>{reachesOther(left, right)}</li>
        <li>{reachesOther(right, left)}</li>
        {isCut && (
          <li>
            Not all rows are here ({cutOf(left)} and {cutOf(right)}), so a file that stands on one side only may be
            reached weakly from the other too.
          </li>
        )}
      </ul>
      <CostTogether />
      <div class="hops">
        <Part title="Both" n={shared.length}>
          {(rows) => (
            <Rows
              items={shared.slice(0, rows)}
              label="Reached from both"
              idOf={(it) => it.id}
              isChosen={(it) => [...it.left.nodes, ...it.right.nodes].some(({ id }) => id === row.value)}
              onPoint={(it) => {
                pointed.value = it?.left.nodes[0].id ?? ''
              }}
              onChoose={(it) => select((sharedNode(it.left, it.right) ?? it.left.nodes[0]).id)}
            >
              {(it) => (
                <>
                  <FileRow file={it.left} most={most} />
                  <span class="row-reason other-hop">
                    {a.label}: {many(it.left.hop, 'hop')} · {b.label}: {many(it.right.hop, 'hop')}
                  </span>
                </>
              )}
            </Rows>
          )}
        </Part>
        <Part title={`Only ${a.label}`} n={onlyLeft.length}>
          {(rows) => <FileRows files={onlyLeft.slice(0, rows)} label={`Reached only from ${a.label}`} most={most} />}
        </Part>
        <Part title={`Only ${b.label}`} n={onlyRight.length}>
          {(rows) => <FileRows files={onlyRight.slice(0, rows)} label={`Reached only from ${b.label}`} most={most} />}
        </Part>
      </div>
      <h2>How whole this is</h2>
      <h3>{a.label}</h3>
      <Trust {...left} />
      <h3>{b.label}</h3>
      <Trust {...right} />
    </>
  )
}

/** The strongest node of a file that is reached from both sides. */
function sharedNode(left: ReachedFile, right: ReachedFile) {
  const others = new Set(right.nodes.map((it) => it.id))
  return left.nodes.find((it) => others.has(it.id))
}

function reachesOther(from: ImpactAnswer, to: ImpactAnswer): string {
  const way = wayTo(to.source.id, from)
  if (way.length > 0) return `${to.source.label} itself is reached from ${from.source.label}.`
  return `${to.source.label} itself is not ${from.truncated === null ? '' : 'among what is shown '}reached from ${from.source.label}.`
}

function cutOf({ truncated, source }: ImpactAnswer): string {
  return truncated === null
    ? `all of ${source.label}`
    : `${count(truncated.shown)} of ${count(truncated.total)} of ${source.label}`
}

/** What the removal of both takes, against one by one. */
function CostTogether() {
  const answer = useTool<typeof counterfactual>('counterfactual', {
    node_ids: [centre.value, other.value],
    include_guesses: withGuesses.value,
  })
  return (
    <section>
      <h2>Removed together</h2>
      <Answered answer={answer} loading="Trying the removal of both">
        {({ synergy }) => <Synergy synergy={synergy} />}
      </Answered>
    </section>
  )
}

const ROWS_FIRST = 12

interface PartProps {
  title: string
  n: number
  /** Makes so many rows. */
  children: (rows: number) => preact.ComponentChildren
}

function Part({ title, n, children }: PartProps) {
  const [rows, setRows] = useState(ROWS_FIRST)
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet">{many(n, 'file')}</p>
      {n > 0 && children(rows)}
      {rows < n && (
        <button type="button" class="link" onClick={() => setRows(n)}>
          {count(n - rows)} more
        </button>
      )}
    </section>
  )
}
