/** What would be lost without the node, or without both. */

import type counterfactual from '#tools/counterfactual'
import { ShareBar } from '../../parts/bar.tsx'
import { Rows } from '../../parts/list.tsx'
import { Path } from '../../parts/path.tsx'
import { Answered } from '../../parts/states.tsx'
import { Trust } from '../../parts/trust.tsx'
import { useTool } from '../../state/answers.ts'
import { count, many, percent } from '../../state/format.ts'
import { nameIn } from '../../state/node.ts'
import { pathOf, pointed, select } from '../../state/selection.ts'
import type { Output } from '../../state/server.ts'
import { centre, other, row, withGuesses, words } from './shown.ts'

type Lost = Output<typeof counterfactual>

export function Removal() {
  const answer = useTool<typeof counterfactual>('counterfactual', {
    node_ids: [centre.value, other.value].filter((it) => it !== ''),
    include_guesses: withGuesses.value,
  })
  return (
    <Answered answer={answer} loading="Trying the removal">
      {(lost) => (
        <>
          <Summary lost={lost} />
          <Trust {...lost} truncated={null} />
          {lost.synergy !== null && (
            <section>
              <h2>Together against one by one</h2>
              <Synergy synergy={lost.synergy} />
            </section>
          )}
          <Cascade lost={lost} />
          <Files lost={lost} />
          <Orphans lost={lost} />
          <Weakened lost={lost} />
        </>
      )}
    </Answered>
  )
}

function Summary({ lost }: { lost: Lost }) {
  const { removed_nodes, unresolved_nodes, total_affected, affected_files_total, reason } = lost
  const parts = Number(lost.removed_parts ?? 0)
  return (
    <>
      <p class="answer">
        Without <b>{removed_nodes.map(nameIn).join(' and ')}</b>
        {parts > 0 && ` and ${many(parts, 'part')} in it`},{' '}
        {reason === null ? (
          <>
            <b>{many(total_affected, 'node')}</b> in {many(affected_files_total, 'file')} are hit. Nothing is changed by
            looking.
          </>
        ) : (
          <>nothing that the graph knows of is hit. {reason}</>
        )}
      </p>
      <dl class="facts">
        <dt>Activation lost elsewhere</dt>
        <dd>
          {fine(lost.pct_activation_lost)}
          {Number(lost.trials ?? 0) < 8 && `, from ${many(Number(lost.trials ?? 0), 'trial')} of 8`}
        </dd>
        <dt>Nodes that hang together</dt>
        <dd>
          {count(lost.reachability_before)} before, {count(lost.reachability_after)} after
        </dd>
        <dt>Left alone</dt>
        <dd>{many(lost.orphaned_count, 'node')}</dd>
        <dt>Weakened</dt>
        <dd>{many(lost.weakened_count, 'node')}</dd>
      </dl>
      {lost.architectural && <p class="warned">It carries the architecture: removing it is not advised.</p>}
      {unresolved_nodes.length > 0 && <p class="failed-text">Not in the graph: {unresolved_nodes.join(', ')}</p>}
    </>
  )
}

/** A share that is often small. */
function fine(share: number): string {
  return share > 0 && share < 0.0005 ? 'less than 0.1 %' : `${(share * 100).toFixed(1)} %`
}

/** From which factor on the sum is said to be more or less than its parts. */
const NOTABLE = 0.05

export function Synergy({ synergy }: { synergy: Lost['synergy'] }) {
  if (synergy === null) return <p class="quiet">They cannot be removed together: one of them is not in the graph.</p>
  const { individual_impacts: each, combined_impact: combined, synergy_factor: factor } = synergy
  const most = Math.max(combined, ...each.map((it) => it.pct_activation_lost), 1e-9)
  const rows = [...each.map((it) => [nameIn(it.node_id), it.pct_activation_lost] as const), ['both', combined] as const]
  return (
    <>
      <table class="figures">
        <caption class="unseen">Activation lost elsewhere</caption>
        <tbody>
          {rows.map(([name, share], i) => (
            <tr key={i}>
              <th scope="row">{name}</th>
              <td class="number">{fine(share)}</td>
              <td class="wide">
                <ShareBar share={share / most} label={fine(share)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {combined === 0
          ? 'Neither takes any activation from the rest.'
          : `Together they cost ${factor.toFixed(2)} times the sum of one by one: ${meaningOf(factor)}.`}
      </p>
    </>
  )
}

function meaningOf(factor: number): string {
  if (factor > 1 + NOTABLE) return 'each makes up for the other while it is there'
  if (factor < 1 - NOTABLE) return 'they lie on the same ways, so a part of the loss is the same'
  return 'their losses add up'
}

function Cascade({ lost }: { lost: Lost }) {
  const { cascade } = lost
  if (cascade.length === 0) return null
  const most = Math.max(...cascade.map((it) => it.affected))
  return (
    <section>
      <h2>Hit at each distance</h2>
      <table class="figures">
        <caption class="unseen">Nodes hit at each distance</caption>
        <tbody>
          {cascade.map((it) => (
            <tr key={it.depth}>
              <th scope="row">{many(it.depth, 'hop')}</th>
              <td class="number">{count(it.affected)}</td>
              <td class="wide">
                <ShareBar share={it.affected / most} label={many(it.affected, 'node')} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Files({ lost }: { lost: Lost }) {
  const { affected_files: files, affected_files_total: total } = lost
  if (files.length === 0) return null
  return (
    <section>
      <h2>Files that are hit</h2>
      <p class="quiet">{shareOf(files.length, total, 'file', 'the nearest')}</p>
      <Rows
        items={files}
        label="Files that are hit"
        idOf={(it) => it.path}
        isChosen={(it) => pathOf(row.value) === it.path}
        onChoose={(it) => select(keyOf(it.path))}
      >
        {(it) => (
          <span class="lost-row">
            <span class="number">{it.depth}</span>
            <Path path={it.path} />
            <span class="row-kind">{words(it.relation)}</span>
          </span>
        )}
      </Rows>
    </section>
  )
}

/** What lies in no file is named by its key there. */
function keyOf(path: string): string {
  return path.includes('::') ? path : `file::${path}`
}

function Orphans({ lost }: { lost: Lost }) {
  if (lost.orphaned_count === 0) return null
  return (
    <section>
      <h2>Left without any connection</h2>
      <p class="quiet">{shareOf(lost.orphaned.length, lost.orphaned_count, 'node', 'the first')}</p>
      <Nodes rows={lost.orphaned} label="Left without any connection" />
    </section>
  )
}

function Weakened({ lost }: { lost: Lost }) {
  if (lost.weakened_count === 0) return null
  return (
    <section>
      <h2>Lose more than half of what reaches them</h2>
      <p class="quiet">{shareOf(lost.weakened.length, lost.weakened_count, 'node', 'those that lose most')}</p>
      <Nodes rows={lost.weakened} label="Weakened" />
    </section>
  )
}

interface LostNode {
  node_id: string
  label: string
  type: string
  loss?: number
  lost?: boolean
}

function Nodes({ rows, label }: { rows: readonly LostNode[]; label: string }) {
  return (
    <Rows
      items={rows}
      label={label}
      idOf={(it) => it.node_id}
      isChosen={(it) => it.node_id === row.value}
      onPoint={(it) => {
        pointed.value = it?.node_id ?? ''
      }}
      onChoose={(it) => select(it.node_id)}
    >
      {({ node_id, label, type, loss, lost }) => (
        <span class="lost-row">
          <span class="row-name">{label}</span>
          <Path path={pathOf(node_id)} />
          <span class="row-kind">{loss === undefined ? type : lost === true ? 'all' : percent(loss)}</span>
        </span>
      )}
    </Rows>
  )
}

function shareOf(shown: number, total: number, what: string, which: string): string {
  return shown < total ? `${many(total, what)}, ${which} ${count(shown)} of them here` : many(total, what)
}
