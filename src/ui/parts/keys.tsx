/** All keys, in a strip at the bottom that covers nothing. */

import { bindings, keysShown, useKey } from '../state/keys.ts'

export function Keys() {
  useKey('?', 'these keys', () => {
    keysShown.value = !keysShown.value
  })
  useKey('Escape', 'close what is open', () => {
    keysShown.value = false
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  })
  if (!keysShown.value) return null
  const named = new Map(bindings.value.map((it) => [it.key, it.does]))
  return (
    <aside class="keys" aria-label="Keys">
      <dl>
        {[...named].map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>move and open in lists</dd>
        </div>
      </dl>
    </aside>
  )
}
