/** The past of a file: its commits, what changed with it, and what is tied to it by nothing but that. */

import { useRef } from 'preact/hooks'
import type predict from '#tools/predict'
import type { HistoryAnswer, TreeAnswer } from '#views/shapes'
import { FindNode } from '../parts/find-node.tsx'
import { Rows } from '../parts/list.tsx'
import { NodeCard } from '../parts/node-card.tsx'
import { Crumbs, Path } from '../parts/path.tsx'
import { Ranking } from '../parts/ranking.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Trust } from '../parts/trust.tsx'
import { useGet, useTool } from '../state/answers.ts'
import { ago, count, many } from '../state/format.ts'
import { useKey } from '../state/keys.ts'
import { useNode } from '../state/node.ts'
import { address, go, link, param } from '../state/route.ts'
import { pastOf, pathOf, select } from '../state/selection.ts'
import type { View } from '../views.ts'
import { Commits } from './history/commits.tsx'
import { Partners } from './history/partners.tsx'
import { Timeline } from './history/timeline.tsx'
import './history.css'

function about(): string {
  return address.value.view === 'history' ? address.value.about : ''
}

function useHistory() {
  return useGet<HistoryAnswer>(about() === '' ? '' : '/api/history', { path: about(), limit: 500 })
}

function Ask() {
  const box = useRef<HTMLInputElement>(null)
  useKey('/', 'find a file', () => box.current?.focus())
  const toFile = (key: string) => go(link('history', pastOf(key) || key))
  return (
    <>
      <FindNode label="File" box={box} types={['file']} onChoose={toFile} />
      <Hottest />
    </>
  )
}

/** Files that are offered to begin with. */
const OFFERED = 12

/** Files of the same folder by how much they change; of the top, folders lead on. */
function Hottest() {
  const folder = about().split('/').slice(0, -1).join('/')
  const answer = useGet<TreeAnswer>('/api/tree', { path: folder })
  return (
    <Answered answer={answer} loading="Looking for what changes">
      {({ entries }) => {
        const files = entries
          .filter((it) => it.node_type === 'file' && it.heat.change > 0)
          .sort((a, b) => b.heat.change - a.heat.change)
          .slice(0, OFFERED)
        return files.length === 0 ? null : (
          <section>
            <h3>Changed most {folder === '' ? 'at the top' : `in ${folder}/`}</h3>
            <Rows
              items={files}
              label="Files that change most"
              idOf={(it) => it.id}
              isChosen={(it) => pastOf(it.id) === about()}
              onChoose={(it) => go(link('history', pastOf(it.id) || it.path))}
            >
              {(it) => (
                <span class="hottest">
                  <Path path={it.name} />
                  <span class="row-kind">{it.last_changed_ms === null ? '' : ago(it.last_changed_ms)}</span>
                </span>
              )}
            </Rows>
            <a href={link('tree', folder, { sort: 'change' })}>In the tree, by change</a>
          </section>
        )
      }}
    </Answered>
  )
}

function Main() {
  const answer = useHistory()
  if (about() === '')
    return (
      <div class="page-text">
        <h1>History</h1>
        <Empty title="Which file?">
          <p>
            Find a file in the box “File” (key <kbd>/</kbd>). Then you see when it was changed, what was changed with
            it, and what hangs together with it although no import says so.
          </p>
          <a class="button" href={link('tree', '', { sort: 'change' })}>
            What changes most
          </a>
        </Empty>
      </div>
    )
  return (
    <div class="page-text history">
      <Crumbs path={pathOf(about()) || about()} />
      <Answered answer={answer} loading="Reading the history">
        {(found) => <Past key={found.id} found={found} />}
      </Answered>
    </div>
  )
}

function Past({ found }: { found: HistoryAnswer }) {
  const { path, total_commits: total, authors, first_ms: first, last_ms: last, note } = found
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (total === 0)
    return (
      <>
        <h1>{name}</h1>
        <Empty title="It has no history.">
          <p>{note}</p>
          <p>What the code ties it to is still known.</p>
          <a class="button" href={link('impact', found.id)}>
            Its impact
          </a>
        </Empty>
        <Partners found={found} />
      </>
    )
  return (
    <>
      <h1>{name}</h1>
      <p class="answer">
        <b>{many(total, 'commit')}</b> by {many(authors, 'author')}
        {first !== null && last !== null && `, the first ${ago(first)}, the last ${ago(last)}`}.
      </p>
      {note !== '' && <p class="quiet">{note}</p>}
      <Timeline found={found} />
      <Partners found={found} />
      <Commits found={found} />
    </>
  )
}

function Meaning() {
  const answer = useHistory()
  if (about() === '')
    return (
      <Empty title="What goes along">
        <p>With a file, this column says what will probably have to change with it.</p>
      </Empty>
    )
  const partner = param('node')
  return partner === '' ? <Predicted /> : <Chosen id={partner} found={answer.value} />
}

/** A partner that was chosen: what history says of the two, and its code. */
function Chosen({ id, found }: { id: string; found: HistoryAnswer | null }) {
  const answer = useNode(id)
  const partner = found?.partners.find((it) => it.id === id)
  return (
    <Answered answer={answer} loading="Reading the node">
      {({ source }) => (
        <NodeCard node={source}>
          {found !== null && partner !== undefined && (
            <p>
              {partner.together > 0
                ? `Changed together in ${count(partner.together)} of its ${many(Math.max(partner.together, found.counted_commits), 'commit')}${found.counted_commits < found.total_commits ? ' under its present name' : ''}.`
                : 'Tied together by feedback, by no commit.'}{' '}
              {partner.hidden
                ? 'Neither refers to the other as far as the graph knows: what ties them is not in the code.'
                : partner.imported
                  ? 'One of them refers to the other.'
                  : 'Whether one refers to the other is not known: one of them is no code, or only guesses say so.'}
            </p>
          )}
          <p class="card-links">
            {found !== null && <a href={link('impact', found.id, { with: source.id })}>Compare their impact</a>}
            <button type="button" class="link" onClick={() => select('')}>
              What goes along
            </button>
          </p>
        </NodeCard>
      )}
    </Answered>
  )
}

const PREDICTED = 12

function Predicted() {
  const answer = useTool<typeof predict>('predict', { changed_node: about(), top_k: PREDICTED })
  return (
    <section>
      <h2>If it changes now</h2>
      <Answered answer={answer} loading="Weighing what goes along">
        {({ predictions, total_candidates, co_change_count, reason, ...rest }) =>
          predictions.length === 0 ? (
            <Empty title="Nothing is known to go along.">
              <p>{reason}</p>
            </Empty>
          ) : (
            <>
              <p class="quiet">
                {many(total_candidates, 'candidate')}; of the {predictions.length} here, {co_change_count} by history.
                The number is a share of confidence.
              </p>
              <Ranking
                label="What probably changes too"
                rows={predictions.map((it) => ({
                  node_id: it.node_id,
                  label: it.label,
                  type: it.type,
                  path: pathOf(it.node_id),
                  line: 0,
                  score: it.confidence,
                  reason: it.reason,
                }))}
              />
              <Trust {...rest} truncated={null} />
            </>
          )
        }
      </Answered>
    </section>
  )
}

export default { Ask, Main, Meaning } satisfies View
