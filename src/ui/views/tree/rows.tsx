/** The tree itself: one stop of the Tab key; arrows move, open and close, Enter chooses. */

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { TreeAnswer, TreeEntry } from '#views/shapes'
import { ago, many, percent } from '../../state/format.ts'
import { pointed, select, selected } from '../../state/selection.ts'
import { type Heat, heatOf, HEATS, inOrder, isDefinition } from './heat.ts'
import { nameFilter, open, order, question, setOpen, subjectOf, useGlow, useLevel } from './shown.ts'

/** Id of the entry that Tab comes to, '' for the first. */
const stop = signal('')

const HEAT_NAMES: Record<Heat, string> = { change: 'change', learning: 'learning', activation: 'question' }

export function Tree({ level }: { level: TreeAnswer }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // the entry that was the stop is not there any more
    if (box.current?.querySelector('[role=treeitem][tabindex="0"]') === null) stop.value = ''
  })
  return (
    <div class={question.value === '' ? 'tree-box' : 'tree-box asked-too'}>
      <div class="tree-head" aria-hidden="true">
        <span>name</span>
        {shownHeats().map((it) => (
          <span key={it}>{HEAT_NAMES[it]}</span>
        ))}
        <span class="when">last change</span>
      </div>
      <div role="tree" aria-label="Folders and files" ref={box} onKeyDown={move} onPointerLeave={leave}>
        <Level level={level} depth={1} />
      </div>
    </div>
  )
}

function shownHeats(): readonly Heat[] {
  return question.value === '' ? HEATS.slice(0, 2) : HEATS
}

function leave(): void {
  pointed.value = ''
}

function Level({ level, depth }: { level: TreeAnswer; depth: number }) {
  const glow = useGlow()
  const entries = inOrder(level.entries, order.value, glow)
  return (
    <>
      {entries.map((it, i) => (
        <Entry
          key={it.id}
          entry={it}
          depth={depth}
          place={i + 1}
          of={entries.length}
          isFirst={depth === 1 && i === 0}
        />
      ))}
      {level.truncated !== null && depth > 1 && (
        <Note depth={depth}>
          {`The first ${level.truncated.shown} of ${level.truncated.total}. ${level.truncated.how}`}
        </Note>
      )}
    </>
  )
}

interface EntryProps {
  entry: TreeEntry
  depth: number
  place: number
  of: number
  isFirst: boolean
}

function Entry({ entry, depth, place, of, isFirst }: EntryProps) {
  const glow = useGlow()
  const isFlat = nameFilter.value !== ''
  const hasMore = entry.children > 0 && !isFlat
  const isOpen = hasMore && open.value.has(subjectOf(entry))
  const isChosen = selected.value === entry.id
  const heats = shownHeats().map((it) => [it, heatOf(entry, it, glow)] as const)
  const isStop = stop.value === '' ? isFirst : stop.value === entry.id
  const choose = () => {
    stop.value = entry.id
    select(entry.id)
    if (hasMore && !isDefinition(entry) && entry.node_type === 'directory') setOpen(entry, !isOpen)
  }
  return (
    <>
      <div
        role="treeitem"
        class={`tree-row ${entry.node_type === 'directory' ? 'folder' : 'leaf'}${isChosen ? ' chosen' : ''}`}
        aria-level={depth}
        aria-posinset={place}
        aria-setsize={of}
        aria-expanded={hasMore ? isOpen : undefined}
        aria-selected={isChosen}
        tabIndex={isStop ? 0 : -1}
        style={{ '--depth': depth - 1 }}
        data-id={entry.id}
        onClick={choose}
        onFocus={() => {
          stop.value = entry.id
          pointed.value = entry.id
        }}
        onPointerEnter={() => {
          pointed.value = entry.id
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === ' ') choose()
          else if (event.key === 'ArrowRight' && hasMore && !isOpen) setOpen(entry, true)
          else if (event.key === 'ArrowLeft' && isOpen) setOpen(entry, false)
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      >
        <span class="tree-name">
          <span
            class="sign"
            aria-hidden="true"
            onClick={(event) => {
              if (!hasMore) return
              event.stopPropagation()
              setOpen(entry, !isOpen)
            }}
          >
            {hasMore ? (isOpen ? '▾' : '▸') : ''}
          </span>
          <span class="text">{entry.name}</span>
          <span class="row-kind">{kindOf(entry)}</span>
        </span>
        {heats.map(([heat, share]) => (
          <HeatBar key={heat} heat={heat} share={heat === 'change' && isDefinition(entry) ? null : share} />
        ))}
        <span class="when">
          {entry.last_changed_ms === null || isDefinition(entry) ? '' : ago(entry.last_changed_ms)}
        </span>
      </div>
      {isOpen && <Below entry={entry} depth={depth + 1} />}
    </>
  )
}

function kindOf(entry: TreeEntry): string {
  if (entry.node_type === 'directory') return many(entry.files, 'file')
  return isDefinition(entry) ? `${entry.node_type} :${entry.line}` : ''
}

/** `share` null: nothing is known of it by itself. */
function HeatBar({ heat, share }: { heat: Heat; share: number | null }) {
  if (share === null) return <span />
  const words = `${HEAT_NAMES[heat]} ${percent(share)}`
  return (
    <span class={`heat ${heat}`} title={words}>
      <span style={{ width: `${share * 100}%` }} />
      {share > 0 && <span class="unseen">{words}</span>}
    </span>
  )
}

/** What is in an open entry, which is read when it is first opened. */
function Below({ entry, depth }: { entry: TreeEntry; depth: number }) {
  const { value, error, again } = useLevel(subjectOf(entry))
  if (value !== null) return <Level level={value} depth={depth} />
  if (error === null) return <Note depth={depth}>Reading…</Note>
  return (
    <Note depth={depth} act={again}>
      {`${error.message} Enter tries again.`}
    </Note>
  )
}

interface NoteProps {
  depth: number
  act?: () => void
  children: string
}

/** A row that says something about the rows above it. */
function Note({ depth, act, children }: NoteProps) {
  return (
    <div
      role="treeitem"
      class="tree-row quiet"
      aria-level={depth}
      aria-disabled={act === undefined}
      aria-selected={false}
      tabIndex={-1}
      style={{ '--depth': depth - 1 }}
      onClick={act}
      onKeyDown={(event) => {
        if (event.key === 'Enter') act?.()
      }}
    >
      <span class="tree-name">
        <span class="sign" />
        {children}
      </span>
    </div>
  )
}

/** Arrows between rows; what an entry does with them itself comes first. */
function move(event: KeyboardEvent & { currentTarget: HTMLDivElement }): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')]
  const at = rows.findIndex((it) => it === document.activeElement)
  if (at < 0) return
  const levelOf = (row: HTMLElement | undefined) => Number(row?.getAttribute('aria-level') ?? 0)
  const depth = levelOf(rows[at])
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: rows.length - 1,
    ArrowRight: levelOf(rows[at + 1]) > depth ? at + 1 : at,
    ArrowLeft: depth > 1 ? rows.findLastIndex((it, i) => i < at && levelOf(it) < depth) : at,
  }[event.key]
  if (to === undefined) return
  event.preventDefault()
  rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus()
}
