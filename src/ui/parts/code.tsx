/** Code to read, at the lines in question. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { SourceFile } from '#engine/source-file'
import { useGet } from '../state/answers.ts'
import { bytes } from '../state/format.ts'
import type { Piece } from './highlight.ts'
import { Path } from './path.tsx'
import { Answered } from './states.tsx'

interface CodeProps {
  path: string
  /** Key of something in the file; several repositories may have one of this path. */
  node: string
  /** First and last line in question, counted from 1; 0 for none. */
  from: number
  to: number
}

/** Lines above and below that are shown at once; the rest follows on demand. */
const AROUND = 40

export function Code({ path, node, from, to }: CodeProps) {
  const answer = useGet<SourceFile>('/api/file', { path, node })
  return (
    <section class="code" aria-label={`Code of ${path}`}>
      <header>
        <Path path={path} line={from} />
      </header>
      <Answered answer={answer} loading="Reading the file">
        {(file) => <Lines key={`${node} ${from}`} file={file} from={from} to={Math.max(from, to)} />}
      </Answered>
    </section>
  )
}

function Lines({ file, from, to }: { file: SourceFile; from: number; to: number }) {
  const { path, content, truncated } = file
  const [lines, setLines] = useState<Piece[][]>(() => content.split('\n').map((text) => [{ text, class: '' }]))
  const [whole, setWhole] = useState(false)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let isCurrent = true
    // colours come when they are there; the text is there before
    void import('./highlight.ts')
      .then(({ highlight }) => highlight(path, content))
      .then((coloured) => {
        if (isCurrent) setLines(coloured)
      })
    return () => {
      isCurrent = false
    }
  }, [path, content])

  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>('.line.meant')
    if (box.current !== null && line != null) box.current.scrollTop = Math.max(0, line.offsetTop - 48)
  }, [path, from])

  const first = whole ? 1 : Math.max(1, from - AROUND)
  const last = whole ? lines.length : Math.min(lines.length, to + AROUND)
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <div class="lines" ref={box} tabIndex={0} role="group" aria-label={`Lines ${first} to ${last}`}>
        <pre>
          {lines.slice(first - 1, last).map((pieces, i) => {
            const n = first + i
            return (
              <span key={n} class={from > 0 && n >= from && n <= to ? 'line meant' : 'line'} data-line={n}>
                {pieces.map((it, k) =>
                  it.class === '' ? (
                    it.text
                  ) : (
                    <span key={k} class={it.class}>
                      {it.text}
                    </span>
                  ),
                )}
                {'\n'}
              </span>
            )
          })}
        </pre>
      </div>
      <footer class="quiet">
        {!whole && (first > 1 || last < lines.length) && (
          <button type="button" class="link" onClick={() => setWhole(true)}>
            All {lines.length} lines
          </button>
        )}
        {truncated && <span>Of {bytes(file.bytes)}, the beginning is shown.</span>}
      </footer>
    </>
  )
}
