/** Right of the picture: the ranking of the activation, and the selected node. */

import { useEffect, useState } from 'preact/hooks'
import type { ActivationAnswer, ActivationRow, Neighbour, NeighboursAnswer } from '#views/shapes'
import type { Contributions } from '../../parts/bar.tsx'
import { Code } from '../../parts/code.tsx'
import { Rows } from '../../parts/list.tsx'
import { Path } from '../../parts/path.tsx'
import { type RankedRow, Ranking } from '../../parts/ranking.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { many } from '../../state/format.ts'
import { useKey } from '../../state/keys.ts'
import { link, param, setParams } from '../../state/route.ts'
import { pastOf, pointed, select, selected } from '../../state/selection.ts'
import {
  byMeaning,
  isFocused,
  query,
  step,
  stepsOf,
  toggle,
  useActivation,
  useMap,
  useNeighbours,
  xlr,
} from './shown.ts'

export function Meaning() {
  const isAsked = query.value !== ''
  const isChosen = selected.value !== ''
  if (!isAsked && !isChosen)
    return (
      <div class="help">
        <h2>What it means</h2>
        <p>
          Discs are folders and parts of them, ties are imports, calls and shared changes. Click a disc to open it, a
          node to see what it has to do with.
        </p>
        <p>
          <kbd>/</kbd> asks a question: energy starts at the names that match and travels along the ties.
        </p>
      </div>
    )
  return (
    <div class={isAsked && isChosen ? 'split' : ''}>
      {isAsked && <Found />}
      {isChosen && <Chosen />}
    </div>
  )
}

function Found() {
  const answer = useActivation()
  return (
    <section class="found">
      <h2>Activated by “{query.value}”</h2>
      <Answered answer={answer} loading="Spreading activation">
        {(found) =>
          found.rows.length === 0 ? (
            <Empty title="Nothing was activated.">
              <p>{found.note}</p>
            </Empty>
          ) : (
            <Lists found={found} />
          )
        }
      </Answered>
    </section>
  )
}

function Lists({ found }: { found: ActivationAnswer }) {
  const { rows, without_xlr, note, total_active } = found
  const places = new Map(without_xlr?.rows.map((it, i) => [it.id, i + 1]))
  const isBoth = xlr.value === 'both' && without_xlr !== null
  const known = new Set(rows.map((it) => it.id))
  const hubs = without_xlr?.rows.filter((it) => !known.has(it.id)) ?? []
  return (
    <>
      {note !== '' && <p class="quiet">{note}</p>}
      <p class="quiet">
        The first {rows.length} of {many(total_active, 'active node')}
        {step.value < stepsOf(found) - 1 && ', while the energy is still on its way'}
      </p>
      <Ranking
        label="Activated nodes"
        query={query.value}
        rows={rows.map((it, i) => rankedRow(it, isBoth ? placeWithout(places.get(it.id), i + 1) : ''))}
        onEnter={() => setParams({ code: 'yes' })}
      />
      {isBoth && hubs.length > 0 && (
        <>
          <h3>Only without the noise filter</h3>
          <Ranking
            label="Only without the noise filter"
            rows={hubs.map((it) => rankedRow(it, placeWithout(places.get(it.id), 0)))}
          />
        </>
      )}
    </>
  )
}

/** What the filter did to a row, in words; '' when nothing. */
function placeWithout(place: number | undefined, now: number): string {
  if (place === now) return ''
  return place === undefined ? 'further down without the filter' : `place ${place} without the filter`
}

function rankedRow(it: ActivationRow, more: string): RankedRow {
  return {
    node_id: it.id,
    label: it.label,
    type: it.node_type,
    path: it.path ?? '',
    line: it.line,
    score: it.activation,
    parts: it.contributions satisfies Contributions,
    reason: [it.reason, more].filter((text) => text !== '').join('; '),
  }
}

function Chosen() {
  const answer = useNeighbours()
  return (
    <section class="chosen-node">
      <Answered answer={answer} loading="Reading the neighbourhood">
        {(around) => <Node key={around.node.id} around={around} />}
      </Answered>
    </section>
  )
}

function Node({ around }: { around: NeighboursAnswer }) {
  const { node, incoming, outgoing, completeness, freshness } = around
  const path = node.path ?? ''
  const isFile = path !== '' && node.node_type !== 'directory'
  const showsCode = param('code') !== ''
  const { value: map } = useMap()
  const item = map?.items.find((it) => it.id === node.id)
  useKey('Enter', 'code of the selected node', () => {
    if (isFile) setParams({ code: showsCode ? '' : 'yes' })
  })
  return (
    <>
      <h2 class="node-name">
        {node.label} <span class="row-kind">{node.node_type}</span>
      </h2>
      {path !== '' && <Path path={path} line={node.line} />}
      <p class="actions">
        <button
          type="button"
          aria-pressed={isFocused.value}
          onClick={() => setParams({ focus: isFocused.value ? '' : 'yes' })}
        >
          Focus
        </button>
        {isFile && (
          <button type="button" aria-pressed={showsCode} onClick={() => setParams({ code: showsCode ? '' : 'yes' })}>
            Code
          </button>
        )}
        {map !== null && item !== undefined && item.children > 0 && (
          <button type="button" aria-pressed={item.open} onClick={() => toggle(item, map)}>
            {item.open ? 'Close' : 'Open'} in place
          </button>
        )}
        <a href={link('impact', node.id)}>Impact</a>
        {isFile && <a href={link('history', pastOf(node.id) || path)}>History</a>}
        <button type="button" class="link" onClick={() => select('')}>
          Deselect
        </button>
      </p>
      {showsCode && isFile && <CodeOf around={around} />}
      {freshness.stale_files > 0 && <p class="stale">The file has changed since it was read.</p>}
      <Neighbours title="Comes from" mark="causal" rows={byMeaning(incoming)} total={around.total_incoming} />
      {completeness.level !== 'exact' && (
        <p class="quiet">
          {completeness.level === 'unknown' ? 'It is not known whether that is all' : 'There may be more'}
          {completeness.reasons.length > 0 && `: ${completeness.reasons.join('; ')}`}
        </p>
      )}
      <Neighbours title="Leads to" mark="structural" rows={byMeaning(outgoing)} total={around.total_outgoing} />
    </>
  )
}

function CodeOf({ around: { node } }: { around: NeighboursAnswer }) {
  const { value: found } = useActivation()
  const row = found?.rows.find((it) => it.id === node.id)
  return <Code path={node.path ?? ''} node={node.id} from={node.line} to={row?.line_end ?? node.line} />
}

/** Neighbours that are shown before one asks for more. */
const FEW = 8

interface NeighboursProps {
  title: string
  /** Colour of their lines in the picture. */
  mark: string
  rows: readonly Neighbour[]
  total: number
}

function Neighbours({ title, mark, rows, total }: NeighboursProps) {
  const [shown, setShown] = useState(FEW)
  useEffect(() => setShown(FEW), [title, total])
  return (
    <section>
      <h3>
        <span class={`swatch ${mark}`} aria-hidden="true" /> {title} <span class="quiet">{total}</span>
      </h3>
      {rows.length === 0 ? (
        <p class="quiet">Nothing that the graph knows of.</p>
      ) : (
        <Rows
          items={rows.slice(0, shown)}
          label={title}
          idOf={(it) => `${it.relation} ${it.id} ${it.site_line}`}
          onPoint={(it) => {
            pointed.value = it?.id ?? ''
          }}
          onChoose={(it) => select(it.id)}
        >
          {(it) => (
            <>
              <span class="relation">{it.relation.replaceAll('_', ' ')}</span>
              <span class="row-name">{it.label}</span>
              <span class={it.confidence === 'guess' ? 'row-kind guess' : 'row-kind'}>{it.confidence}</span>
              <span class="row-score">{it.weight.toFixed(2)}</span>
              {it.path !== null && <Path path={it.path} line={it.line} />}
            </>
          )}
        </Rows>
      )}
      {shown < rows.length && (
        <button type="button" class="link" onClick={() => setShown(rows.length)}>
          {rows.length - shown} more
        </button>
      )}
      {shown >= rows.length && rows.length < total && (
        <p class="quiet">
          The {rows.length} strongest of {total}.
        </p>
      )}
    </section>
  )
}
