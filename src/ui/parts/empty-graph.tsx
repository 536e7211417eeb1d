/** What there is to do before anything was read, and the button that does it. */

import { useSignal } from '@preact/signals'
import { useSelf } from '../state/project.ts'
import { isReading, readingError, readProject } from '../state/reading.ts'
import { Empty, Progress } from './states.tsx'

export function EmptyGraph() {
  const { value: server } = useSelf()
  const path = useSignal<string | null>(null)
  const written = path.value ?? server?.project_root ?? ''

  const isBusy = isReading.value
  return (
    <Empty title="Nothing has been read yet.">
      <p>
        m1nd reads the source files and the git history of a project into a graph: what imports, calls and changes with
        what. It stays on this machine, and is kept, so this is needed once.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void readProject(written)
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
      {readingError.value !== null && (
        <p class="failed-text" role="alert">
          {readingError.value.message} {readingError.value.hint}
        </p>
      )}
      <p class="quiet">
        The same from a terminal: <code>m1nd ingest {written || '<folder>'}</code>
      </p>
    </Empty>
  )
}
