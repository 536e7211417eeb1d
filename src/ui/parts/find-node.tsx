/** A box to find a node by name, path or purpose, with suggestions while one types. */

import { useEffect, useId, useState } from 'preact/hooks'
import type seek from '#tools/seek'
import type { TreeAnswer } from '#views/shapes'
import { useGet, useTool } from '../state/answers.ts'
import { pathOf } from '../state/selection.ts'
import { Path } from './path.tsx'

interface FindNodeProps {
  label: string
  /** Kinds that are suggested; none: all. */
  types?: readonly string[]
  onChoose: (key: string) => void
  box?: { current: HTMLInputElement | null }
}

/** Typing is waited for this long. */
const TYPING_MS = 200
const SUGGESTED = 8
/** Files and folders of that name, which come before what the words may mean. */
const NAMED = 3

export function FindNode({ label, types = [], onChoose, box }: FindNodeProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [asked, setAsked] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(text.trim())
      setAt(0)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  const { value, error, isLoading } = useTool<typeof seek>(
    'seek',
    asked === '' ? null : { query: asked, top_k: SUGGESTED, node_types: [...types] },
  )
  const { value: named } = useGet<TreeAnswer>(asked === '' ? '' : '/api/tree', { name: asked, limit: NAMED })
  const files = (named?.entries ?? [])
    .filter((it) => types.length === 0 || types.includes(it.node_type))
    .map((it) => ({
      node_id: it.id,
      label: it.path.slice(it.path.lastIndexOf('/') + 1),
      type: it.node_type,
      file_path: it.path,
      line_start: 0,
    }))
  const known = new Set(files.map((it) => it.node_id))
  const rows = [...files, ...(value?.results.filter((it) => !known.has(it.node_id)) ?? [])].slice(0, SUGGESTED)
  const isShown = isOpen && asked !== '' && rows.length > 0
  const choose = (key: string | undefined) => {
    if (key === undefined) return
    setText('')
    setAsked('')
    setOpen(false)
    onChoose(key)
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    if (event.key === 'Enter') {
      event.preventDefault()
      choose(rows[at]?.node_id)
    }
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key]
    if (to === undefined || rows.length === 0) return
    event.preventDefault()
    setOpen(true)
    setAt((to + rows.length) % rows.length)
  }
  return (
    <div class="find">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={box}
        type="text"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown ? `${id}-${at}` : undefined}
        placeholder="name, path, purpose"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setOpen(true)
        }}
        onKeyDown={move}
        onBlur={() => setOpen(false)}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={`Suggestions for ${label}`} hidden={!isShown}>
        {rows.map((it, i) => (
          <li
            key={it.node_id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            // the box keeps the focus, so that the list is still there when the button is let go
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(it.node_id)}
          >
            <span class="row-name">{it.label}</span> <span class="row-kind">{it.type}</span>
            <Path path={it.file_path ?? pathOf(it.node_id)} line={it.line_start ?? 0} />
          </li>
        ))}
      </ul>
      <p class="find-note" role="status">
        {error !== null && `${error.message} ${error.hint}`}
        {error === null &&
          asked !== '' &&
          (isLoading ? 'Looking…' : rows.length === 0 ? 'Nothing has such a name.' : '')}
      </p>
    </div>
  )
}
