/** What there is to do before anything was read, and the button that does it. */

import { useSignal } from '@preact/signals'
import type ingest from '#tools/ingest'
import { refresh, working } from '../state/live.ts'
import { useSelf } from '../state/project.ts'
import { callTool, ServerError } from '../state/server.ts'
import { Empty, Progress } from './states.tsx'

export function EmptyGraph() {
  const { value: server } = useSelf()
  const path = useSignal<string | null>(null)
  const error = useSignal<ServerError | null>(null)
  const isReading = useSignal(false)
  const written = path.value ?? server?.project_root ?? ''

  const read = async () => {
    isReading.value = true
    error.value = null
    try {
      await callTool<typeof ingest>('ingest', { path: written })
      refresh()
    } catch (failure) {
      if (!(failure instanceof ServerError)) throw failure
      // a large project takes longer than an answer may; events tell how it goes on
      if (failure.code !== 'timeout') error.value = failure
    }
    isReading.value = false
  }

  const isBusy = isReading.value || working.value !== null
  return (
    <Empty title="Nothing has been read yet.">
      <p>
        m1nd reads the source files and the git history of a project into a graph: what imports, calls and changes with
        what. It stays on this machine, and is kept, so this is needed once.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void read()
        }}
      >
        <label>
          Folder of the project{' '}
          <input
            type="text"
            class="long"
            value={written}
            spellcheck={false}
            onInput={(event) => {
              path.value = event.currentTarget.value
            }}
          />
        </label>
        <button type="submit" disabled={isBusy || written === ''}>
          {isBusy ? 'Reading…' : 'Read this project'}
        </button>
      </form>
      {isBusy && <Progress />}
      {error.value !== null && (
        <p class="failed-text" role="alert">
          {error.value.message} {error.value.hint}
        </p>
      )}
      <p class="quiet">
        The same from a terminal: <code>m1nd ingest {written || '<folder>'}</code>
      </p>
    </Empty>
  )
}
