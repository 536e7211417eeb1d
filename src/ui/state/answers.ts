/** Answers of the server that columns and views share: one question is asked once, and again when the graph has changed. */

import { effect, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { version } from './live.ts'
import { addressOf, callTool, get, type Input, type Output, type Query, ServerError, type ToolLike } from './server.ts'

export interface Answer<T> {
  /** The latest value, also while it is asked for again and after that failed; null before the first. */
  value: T | null
  /** Why the last attempt failed. */
  error: ServerError | null
  isLoading: boolean
  again: () => void
}

interface Entry<T> {
  answer: Signal<Answer<T>>
  users: number
  load: () => void
  /** Ends what is under way. */
  stop: () => void
  forget: ReturnType<typeof setTimeout> | undefined
}

/** An answer that nobody shows is kept this long, for who goes back. */
const KEPT_MS = 60_000
/** By key. A key stands for one question, and a question has one type of answer. */
const entries = new Map()
const IDLE: Answer<never> = { value: null, error: null, isLoading: false, again: () => {} }

// what is shown is asked for again, what is not is forgotten
effect(() => {
  if (version.value === 0) return
  for (const [key, entry] of entries) {
    if (entry.users > 0) entry.load()
    else drop(key, entry)
  }
})

/** The answer of `GET path?query`, or nothing yet when `path` is ''. */
export function useGet<T>(path: string, query: Query = {}): Answer<T> {
  const address = path === '' ? '' : addressOf(path, query)
  return useAnswer<T>(address, (signal) => get(address, {}, signal))
}

/** The same, but while another question of its kind is asked, the answer to the one before stays. */
export function useKept<T>(answer: Answer<T>): Answer<T> {
  const kept = useRef<T | null>(null)
  if (answer.value !== null) kept.current = answer.value
  return answer.value === null && kept.current !== null ? { ...answer, value: kept.current } : answer
}

/** The answer of a tool that only reads. `input` null: nothing is asked yet. */
export function useTool<T extends ToolLike>(name: string, input: Input<T> | null): Answer<Output<T>> {
  const key = input === null ? '' : `${name} ${JSON.stringify(input)}`
  return useAnswer<Output<T>>(key, (signal) => {
    if (input === null) throw new Error('nothing is asked')
    return callTool<T>(name, input, signal)
  })
}

/** `key` says the whole question; '' asks nothing. */
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const entry = useMemo(() => (key === '' ? null : entryFor(key, ask)), [key])
  useEffect(() => {
    if (entry === null) return undefined
    clearTimeout(entry.forget)
    entry.users++
    return () => {
      entry.users--
      if (entry.users === 0) entry.forget = setTimeout(() => drop(key, entry), KEPT_MS)
    }
  }, [entry, key])
  if (entry === null) return IDLE
  return entry.answer.value
}

function entryFor<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Entry<T> {
  const known: Entry<T> | undefined = entries.get(key)
  if (known !== undefined) return known
  let running: AbortController | null = null
  const load = () => {
    running?.abort()
    const attempt = new AbortController()
    running = attempt
    answer.value = { ...answer.peek(), isLoading: true }
    ask(attempt.signal).then(
      (value) => {
        if (running === attempt) answer.value = { value, error: null, isLoading: false, again: load }
      },
      (error: unknown) => {
        if (running === attempt) answer.value = { ...answer.peek(), error: asServerError(error), isLoading: false }
      },
    )
  }
  const answer = signal<Answer<T>>({ value: null, error: null, isLoading: true, again: load })
  const entry: Entry<T> = { answer, users: 0, load, stop: () => running?.abort(), forget: undefined }
  entries.set(key, entry)
  load()
  return entry
}

function drop<T>(key: string, entry: Entry<T>): void {
  if (entry.users > 0) return
  clearTimeout(entry.forget)
  entry.stop()
  if (entries.get(key) === entry) entries.delete(key)
}

function asServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error
  const said = error instanceof Error ? error.message : String(error)
  return new ServerError('page', `This page failed: ${said}`, 'Reload it.')
}
