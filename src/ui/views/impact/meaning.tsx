/** Right: why a node is reached, and its code. */

import type { ImpactAnswer } from '#views/shapes'
import { Rows } from '../../parts/list.tsx'
import { NodeCard } from '../../parts/node-card.tsx'
import { Path } from '../../parts/path.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { nameIn, useNode } from '../../state/node.ts'
import { setParams } from '../../state/route.ts'
import { select } from '../../state/selection.ts'
import { filesOf, type Step, wayTo } from './reach.ts'
import { centre, other, row, shown, useReach, words } from './shown.ts'

export function Meaning() {
  const key = row.value || centre.value
  const answer = useNode(key)
  if (key === '')
    return (
      <Empty title="Why it is reached">
        <p>Choose a node first; then a row, and the way to it and its code stand here.</p>
      </Empty>
    )
  return (
    <Answered answer={answer} loading="Reading the node">
      {({ source }) => (
        <NodeCard key={source.id} node={source}>
          {row.value !== '' && <Chosen id={source.id} />}
        </NodeCard>
      )}
    </Answered>
  )
}

function Chosen({ id }: { id: string }) {
  const isPair = other.value !== ''
  return (
    <>
      <p class="card-links">
        {!isPair && (
          <button
            type="button"
            class="link"
            onClick={() => setParams({ with: id, node: '', show: '' }, { replace: false })}
          >
            Compare with it
          </button>
        )}
        <button type="button" class="link" onClick={() => select('')}>
          Deselect
        </button>
      </p>
      <Way from={centre.value} to={id} />
      {isPair && <Way from={other.value} to={id} />}
    </>
  )
}

function Way({ from, to }: { from: string; to: string }) {
  const { value } = useReach(from)
  if (value === null) return null
  const steps = wayTo(to, value)
  return (
    <section class="why">
      <h3>From {value.source.label}</h3>
      {steps.length === 0 ? (
        <p class="quiet">{notReached(value, to)}</p>
      ) : (
        <ol class="way-steps">
          <li>
            <b>{value.source.label}</b>
          </li>
          {steps.map((it) => (
            <StepLine key={it.id} step={it} />
          ))}
        </ol>
      )}
      {from === centre.value && <SameFile answer={value} id={to} />}
    </section>
  )
}

function notReached({ source, truncated }: ImpactAnswer, to: string): string {
  if (source.id === to) return 'This is the node itself.'
  if (shown.value === 'removal')
    return 'No edge of a change leads here within these hops: it is hit by losing what it hangs on.'
  return truncated === null ? 'It is not reached within these hops.' : 'It is not among the rows that are shown.'
}

function StepLine({ step: { label, relation, confidence, site } }: { step: Step }) {
  return (
    <li>
      <span class="relation-word">{words(relation)}</span> <b>{label}</b>
      {confidence === 'guess' && <span class="row-kind"> a guess</span>}
      {site !== null && <Path path={site.path} line={site.line} />}
    </li>
  )
}

/** What else is reached in the file. */
function SameFile({ answer, id }: { answer: ImpactAnswer; id: string }) {
  const file = filesOf(answer).find((it) => it.nodes.some((node) => node.id === id))
  const others = file?.nodes.filter((it) => it.id !== id) ?? []
  if (others.length === 0) return null
  return (
    <>
      <h3>Also reached in {nameIn(file?.id ?? '')}</h3>
      <Rows items={others} label="Also reached in this file" idOf={(it) => it.id} onChoose={(it) => select(it.id)}>
        {(it) => (
          <>
            <span class="row-name">{it.label}</span>
            <span class="row-kind">{it.node_type}</span>
            <span class="row-score">{it.signal.toFixed(2)}</span>
          </>
        )}
      </Rows>
    </>
  )
}
