/** Something that cannot be taken back: a button, then, in the same place, what it would do and whether to do it. */

import './confirm.css'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ServerError } from '../state/server.ts'

interface Choice {
  name: string
  /** Does it and says what was done. */
  run: () => Promise<string>
}

interface ConfirmProps {
  /** On the first button. */
  name: string
  /** The first button for who does not see where it stands. */
  label?: string
  /** What it would do. */
  question: string
  choices: readonly Choice[]
  disabled?: boolean
}

type State = 'idle' | 'asking' | 'running' | { said: string; isFailure: boolean }

export function Confirm({ name, label, question, choices, disabled = false }: ConfirmProps) {
  const state = useSignal<State>('idle')
  const keep = useRef<HTMLButtonElement>(null)
  const first = useRef<HTMLButtonElement>(null)
  const wasAsking = useRef(false)
  const isAsking = state.value === 'asking'

  // the focus goes where nothing happens by a second press of the same key, and comes back
  useEffect(() => {
    if (isAsking) keep.current?.focus()
    else if (wasAsking.current && document.activeElement === document.body) first.current?.focus()
    wasAsking.current = isAsking
  }, [isAsking])

  const run = async (choice: Choice) => {
    state.value = 'running'
    try {
      state.value = { said: await choice.run(), isFailure: false }
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      state.value = { said: `${error.message} ${error.hint}`, isFailure: true }
    }
  }

  if (isAsking)
    return (
      <div
        class="confirm"
        role="group"
        aria-label={question}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          state.value = 'idle'
        }}
      >
        <p>{question}</p>
        {choices.map((it) => (
          <button key={it.name} type="button" class="danger" onClick={() => void run(it)}>
            {it.name}
          </button>
        ))}
        <button
          ref={keep}
          type="button"
          onClick={() => {
            state.value = 'idle'
          }}
        >
          Keep it
        </button>
      </div>
    )
  return (
    <>
      <button
        ref={first}
        type="button"
        class="ask-first"
        aria-label={label}
        disabled={disabled || state.value === 'running'}
        onClick={() => {
          state.value = 'asking'
        }}
      >
        {state.value === 'running' ? 'Working…' : name}
      </button>
      {typeof state.value === 'object' && (
        <span class={state.value.isFailure ? 'failed-text' : 'quiet'} role={state.value.isFailure ? 'alert' : 'status'}>
          {' '}
          {state.value.said}
        </span>
      )}
    </>
  )
}
