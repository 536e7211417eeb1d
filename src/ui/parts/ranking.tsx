/** Ranked answers: what was found, why, and whether it was right. */

import { signal } from '@preact/signals'
import type learn from '#tools/learn'
import { useKey } from '../state/keys.ts'
import { pointed, select, selected } from '../state/selection.ts'
import { callTool, ServerError } from '../state/server.ts'
import { type Contributions, FourBar } from './bar.tsx'
import { Rows } from './list.tsx'
import { Path } from './path.tsx'

export interface RankedRow {
  node_id: string
  label: string
  type: string
  /** '' for what lies in no file. */
  path: string
  line: number
  score: number
  /** What each dimension adds to the score; none where the ranking has no dimensions. */
  parts?: Contributions
  reason: string
}

interface RankingProps {
  rows: readonly RankedRow[]
  label: string
  /** What was asked; '' where nothing can be taught. */
  query?: string
  /** What Enter on a row does, besides selecting its node. */
  onEnter?: (row: RankedRow) => void
}

type Verdict = 'correct' | 'wrong'

/** What was said in this window, by query and node. */
const verdicts = signal<Readonly<Record<string, Verdict | 'sending' | ServerError>>>({})

/** A ranked list with bars, reasons and the buttons that teach; `u` and `d` are the buttons of the row that was last pointed at. */
export function Ranking({ rows, label, query = '', onEnter }: RankingProps) {
  const most = Math.max(...rows.map((it) => it.score), 0)
  const say = (verdict: Verdict) => {
    const key = pointed.peek() || selected.peek()
    if (query !== '' && rows.some((it) => it.node_id === key)) void teach(query, key, verdict)
  }
  useKey('u', 'the row is useful', () => say('correct'))
  useKey('d', 'the row is not useful', () => say('wrong'))
  return (
    <Rows
      ordered
      items={rows}
      label={label}
      idOf={(it) => it.node_id}
      isChosen={(it) => it.node_id === selected.value}
      onPoint={(it) => {
        pointed.value = it?.node_id ?? ''
      }}
      onChoose={(it, byKey) => {
        select(it.node_id)
        if (byKey) onEnter?.(it)
      }}
      beside={query === '' ? undefined : (it) => <Teach query={query} row={it} />}
    >
      {(it, index) => (
        <>
          <span class="rank">{index + 1}</span>
          <span class="row-name">{it.label}</span>
          <span class="row-kind">{it.type}</span>
          <span class="row-score">{it.score.toFixed(2)}</span>
          {it.path !== '' && <Path path={it.path} line={it.line} />}
          {it.parts !== undefined && <FourBar parts={it.parts} most={most} />}
          {it.reason !== '' && <span class="row-reason">{it.reason}</span>}
        </>
      )}
    </Rows>
  )
}

function Teach({ query, row }: { query: string; row: RankedRow }) {
  const said = verdicts.value[keyOf(query, row.node_id)]
  const button = (verdict: Verdict, name: string) => (
    <button
      type="button"
      class="teach"
      aria-pressed={said === verdict}
      aria-label={`${row.label} is ${name}`}
      disabled={said === 'sending'}
      onClick={() => void teach(query, row.node_id, verdict)}
    >
      {name}
    </button>
  )
  return (
    <span class="row-beside">
      {button('correct', 'useful')}
      {button('wrong', 'not useful')}
      {said instanceof ServerError && (
        <span class="failed-text" role="alert">
          {said.message}
        </span>
      )}
    </span>
  )
}

async function teach(query: string, node: string, verdict: Verdict): Promise<void> {
  const set = (state: Verdict | 'sending' | ServerError) => {
    verdicts.value = { ...verdicts.peek(), [keyOf(query, node)]: state }
  }
  set('sending')
  try {
    await callTool<typeof learn>('learn', { query, feedback: verdict, node_ids: [node] })
    set(verdict)
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    set(error)
  }
}

function keyOf(query: string, node: string): string {
  return `${query}\n${node}`
}
