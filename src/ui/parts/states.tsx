/** What a place shows when it has nothing, not yet, or no longer the latest. */

import type { ComponentChildren } from 'preact'
import type { Answer } from '../state/answers.ts'
import { count } from '../state/format.ts'
import { isGone, working } from '../state/live.ts'
import type { ServerError } from '../state/server.ts'

interface EmptyProps {
  title: string
  /** What to do about it; a button that does it comes last. */
  children?: ComponentChildren
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Grey bars where rows will be, and how far an ingest is while one is under way. */
export function Loading({ what }: { what: string }) {
  return (
    <div class="state" role="status">
      <p class="quiet">{what}…</p>
      <Progress />
      <div class="bones" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
    </div>
  )
}

const PHASES: Readonly<Record<string, string>> = {
  walk: 'Listing files',
  extract: 'Reading files',
  history: 'Reading the history',
  resolve: 'Finding what names mean',
  build: 'Building the graph',
  index: 'Indexing',
  save: 'Saving',
  load: 'Loading the graph',
  check: 'Asking the compiler',
}

/** Phase, count and file of the ingest under way, or nothing. */
export function Progress() {
  const now = working.value
  if (now === null) return null
  const { phase, done, total, file, eta_ms } = now
  return (
    <div class="progress">
      <label>
        {PHASES[phase] ?? phase} {total > 0 && `${count(done)} of ${count(total)}`}
        {eta_ms > 1000 && ` · ${Math.ceil(eta_ms / 1000)} s left`}
        <progress max={Math.max(1, total)} value={done} />
      </label>
      <p class="quiet path">{file}</p>
    </div>
  )
}

export function Failed({ error, again }: { error: ServerError; again: () => void }) {
  return (
    <div class="state failed" role="alert">
      <h2>{error.message}</h2>
      {error.hint !== '' && <p>{error.hint}</p>}
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}

/** A line above what is shown when it may be old: it is asked for again, that failed, or the server is gone. */
export function Stale({ answer }: { answer: Answer<unknown> }) {
  if (answer.error !== null)
    return (
      <p class="stale" role="status">
        Not up to date: {answer.error.message}{' '}
        <button type="button" class="link" onClick={answer.again}>
          Try again
        </button>
      </p>
    )
  if (isGone.value) return <p class="stale">As it was when the server was last there.</p>
  return null
}

interface AnsweredProps<T> {
  answer: Answer<T>
  /** What is being done meanwhile: `Reading the history`. */
  loading: string
  children: (value: T) => ComponentChildren
}

/** All states of an answer: loading, failed, stale, and what `children` makes of it (with `Empty` where it is empty). */
export function Answered<T>({ answer, loading, children }: AnsweredProps<T>) {
  const { value, error, again, isLoading } = answer
  if (value === null)
    return error !== null && !isLoading ? <Failed error={error} again={again} /> : <Loading what={loading} />
  return (
    <>
      <Stale answer={answer} />
      {children(value)}
    </>
  )
}
