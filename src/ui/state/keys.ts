/** Keys that do something from anywhere in the page, and what they do, for who asks with `?`. */

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

interface Binding {
  key: string
  does: string
  run: () => void
}

/** The keys that are there now, in order of their arrival. */
export const bindings = signal<readonly Binding[]>([])
export const keysShown = signal(false)

/** While the component is there, the key does this: `useKey('i', 'impact of what is selected', () => …)`. A later one of the same key comes first. */
export function useKey(key: string, does: string, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const binding = { key, does, run: () => latest.current() }
    bindings.value = [...bindings.peek(), binding]
    return () => {
      bindings.value = bindings.peek().filter((it) => it !== binding)
    }
  }, [key, does])
}

export function listenForKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) && event.key !== 'Escape') return
    const binding = bindings.peek().findLast((it) => it.key === event.key)
    if (binding === undefined) return
    event.preventDefault()
    binding.run()
  })
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select')
  )
}
