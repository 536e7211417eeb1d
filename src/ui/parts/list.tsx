/** Lists that are one stop of the Tab key, with arrows inside. */

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface RowsProps<T> {
  items: readonly T[]
  /** What the list is called for who does not see it. */
  label: string
  idOf: (item: T) => string
  /** Content of the row's own button: text and marks, nothing that can be pressed. */
  children: (item: T, index: number) => ComponentChildren
  /** Click or Enter; `byKey` tells them apart. */
  onChoose: (item: T, byKey: boolean) => void
  /** Pointer or focus comes to a row, null when it goes. */
  onPoint?: (item: T | null) => void
  isChosen?: (item: T) => boolean
  /** What can be pressed beside the row. */
  beside?: (item: T, index: number) => ComponentChildren
  ordered?: boolean
}

/** Rows with a button each; up, down, Home and End move between them. */
export function Rows<T>({
  items,
  label,
  idOf,
  children,
  onChoose,
  onPoint,
  isChosen,
  beside,
  ordered = false,
}: RowsProps<T>) {
  const [stop, setStop] = useState('')
  const list = useRef<HTMLElement | null>(null)
  // the row that Tab comes to: where it was last, else what is chosen, else the first
  const chosen = items.find((it) => isChosen?.(it))
  const byDefault = chosen ?? items[0]
  const at = items.some((it) => idOf(it) === stop) || byDefault === undefined ? stop : idOf(byDefault)

  const move = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('.row-main') ?? [])]
    const now = buttons.findIndex((it) => it === document.activeElement)
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: buttons.length - 1 }[event.key]
    if (now < 0 || to === undefined) return
    event.preventDefault()
    buttons[Math.min(buttons.length - 1, Math.max(0, to))]?.focus()
  }

  const List = ordered ? 'ol' : 'ul'
  return (
    <List
      class="rows"
      aria-label={label}
      ref={(it: HTMLElement | null) => {
        list.current = it
      }}
      onKeyDown={move}
      onPointerLeave={() => onPoint?.(null)}
    >
      {items.map((item, index) => {
        const id = idOf(item)
        return (
          <li key={id} class={isChosen?.(item) === true ? 'row chosen' : 'row'} onPointerEnter={() => onPoint?.(item)}>
            <button
              type="button"
              class="row-main"
              tabIndex={id === at ? 0 : -1}
              aria-current={isChosen?.(item) === true ? 'true' : undefined}
              onClick={(event) => onChoose(item, event.detail === 0)}
              onFocus={() => {
                setStop(id)
                onPoint?.(item)
              }}
            >
              {children(item, index)}
            </button>
            {beside?.(item, index)}
          </li>
        )
      })}
    </List>
  )
}
