/** Left: a question whose energy shows as heat, a part of a name, the order. */

import { useEffect, useRef } from 'preact/hooks'
import { Stale } from '../../parts/states.tsx'
import { many } from '../../state/format.ts'
import { useKey } from '../../state/keys.ts'
import { link, setParams } from '../../state/route.ts'
import { type Order, ORDERS } from './heat.ts'
import { nameFilter, order, question, useActivation } from './shown.ts'

const ORDER_NAMES: Record<Order, string> = {
  name: 'name',
  change: 'heat of change',
  learning: 'heat of learning',
  activation: 'heat of the question',
}
const TYPING_MS = 200

export function Ask() {
  return (
    <>
      <Question />
      <NameFilter />
      <fieldset class="options">
        <legend>Order in a folder</legend>
        {ORDERS.map((it) => (
          <label key={it}>
            <input
              type="radio"
              name="sort"
              checked={order.value === it}
              disabled={it === 'activation' && question.value === ''}
              onChange={() => setParams({ sort: it === 'name' ? '' : it })}
            />
            {ORDER_NAMES[it]}
          </label>
        ))}
      </fieldset>
      <dl class="heat-key">
        <dt>
          <span class="heat-swatch change" aria-hidden="true" /> Change
        </dt>
        <dd>how lately and how often it was changed</dd>
        <dt>
          <span class="heat-swatch learning" aria-hidden="true" /> Learning
        </dt>
        <dd>how far feedback has moved its edges</dd>
        <dt>
          <span class="heat-swatch activation" aria-hidden="true" /> Question
        </dt>
        <dd>what the question activates</dd>
      </dl>
      <p class="quiet">A folder is as hot as the hottest in it, the hottest of the project has a full bar.</p>
    </>
  )
}

function Question() {
  const box = useRef<HTMLInputElement>(null)
  const answer = useActivation()
  useKey('/', 'the question', () => box.current?.focus())
  useEffect(() => {
    if (box.current !== null) box.current.value = question.value
  }, [question.value])
  return (
    <form
      role="search"
      class="asked"
      onSubmit={(event) => {
        event.preventDefault()
        setParams({ query: box.current?.value.trim() ?? '' }, { replace: false })
      }}
    >
      <label for="tree-question">Heat from a question</label>
      <div class="asked-line">
        <input
          id="tree-question"
          ref={box}
          type="search"
          placeholder="words or names"
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit">Go</button>
      </div>
      {question.value !== '' && (
        <>
          <Stale answer={answer} />
          <p class="find-note" role="status">
            {answer.value === null
              ? answer.error === null && 'Spreading activation…'
              : answer.value.rows.length === 0
                ? answer.value.note
                : `Heat of the first ${answer.value.rows.length} of ${many(answer.value.total_active, 'active node')}`}
          </p>
          <p class="card-links">
            <a href={link('graph', '', { query: question.value })}>Show in graph</a>
            <button
              type="button"
              class="link"
              onClick={() =>
                setParams({ query: '', sort: order.value === 'activation' ? '' : order.value }, { replace: false })
              }
            >
              No question
            </button>
          </p>
        </>
      )}
    </form>
  )
}

function NameFilter() {
  const box = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (box.current !== null && box.current !== document.activeElement) box.current.value = nameFilter.value
  }, [nameFilter.value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div class="asked">
      <label for="tree-name">Names with</label>
      <input
        id="tree-name"
        ref={box}
        type="search"
        placeholder="part of a name"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => setParams({ name: value.trim() }), TYPING_MS)
        }}
      />
    </div>
  )
}
