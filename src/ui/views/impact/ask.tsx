/** Left: which node, which way, how far, and what it is compared with. */

import { useRef } from 'preact/hooks'
import { FindNode } from '../../parts/find-node.tsx'
import { Rows } from '../../parts/list.tsx'
import { Path } from '../../parts/path.tsx'
import { useKey } from '../../state/keys.ts'
import { nameIn } from '../../state/node.ts'
import { setParams } from '../../state/route.ts'
import { pathOf } from '../../state/selection.ts'
import { filesOf } from './reach.ts'
import { centre, depth, DEPTHS, direction, DIRECTIONS, lookAt, other, useReach, withGuesses } from './shown.ts'

const DIRECTION_NAMES = { forward: 'who depends on it', reverse: 'what it relies on', both: 'both ways' }
/** Neighbours that are offered for comparison. */
const OFFERED = 6

export function Ask() {
  const box = useRef<HTMLInputElement>(null)
  useKey('/', 'find a node', () => box.current?.focus())
  return (
    <>
      <FindNode label="Node" box={box} onChoose={lookAt} />
      {centre.value !== '' && (
        <>
          <Named node={centre.value} />
          <How />
          <Comparison />
        </>
      )}
    </>
  )
}

function Named({ node }: { node: string }) {
  return (
    <p class="named">
      <b>{nameIn(node)}</b>
      {pathOf(node) !== '' && <Path path={pathOf(node)} />}
    </p>
  )
}

function How() {
  return (
    <>
      <fieldset class="options">
        <legend>Which way</legend>
        {DIRECTIONS.map((it) => (
          <label key={it}>
            <input
              type="radio"
              name="direction"
              checked={direction.value === it}
              onChange={() => setParams({ direction: it === 'forward' ? '' : it })}
            />
            {DIRECTION_NAMES[it]}
          </label>
        ))}
      </fieldset>
      <fieldset class="options across">
        <legend>How many hops</legend>
        {DEPTHS.toSorted().map((it) => (
          <label key={it}>
            <input
              type="radio"
              name="depth"
              checked={depth.value === it}
              onChange={() => setParams({ depth: it === '3' ? '' : it })}
            />
            {it}
          </label>
        ))}
      </fieldset>
      <fieldset class="options">
        <legend>How sure</legend>
        <label>
          <input
            type="checkbox"
            checked={withGuesses.value}
            onChange={() => setParams({ guesses: withGuesses.value ? '' : 'yes' })}
          />
          follow guesses too
        </label>
      </fieldset>
    </>
  )
}

function Comparison() {
  const { value } = useReach(centre.value)
  const compareWith = (key: string) => setParams({ with: key, node: '' }, { replace: false })
  if (other.value !== '')
    return (
      <section>
        <h3>Compared with</h3>
        <Named node={other.value} />
        <button type="button" class="link" onClick={() => compareWith('')}>
          Do not compare
        </button>
      </section>
    )
  const near = value === null ? [] : filesOf(value).slice(0, OFFERED)
  return (
    <section>
      <FindNode label="Compare with" onChoose={compareWith} />
      {near.length > 0 && (
        <>
          <h3>Or with what is near</h3>
          <Rows
            items={near}
            label="Near nodes to compare with"
            idOf={(it) => it.id}
            onChoose={(it) => compareWith(it.nodes.find((node) => node.node_type === 'file')?.id ?? it.nodes[0].id)}
          >
            {(it) => <Path path={it.id} />}
          </Rows>
        </>
      )}
    </section>
  )
}
