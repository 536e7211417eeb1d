/** Left of the picture: the question, what is seen of it, and what there is. */

import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type seek from '#tools/seek'
import type { MapAnswer, MapItem } from '#views/shapes'
import { DIMENSIONS } from '../../parts/bar.tsx'
import { Rows } from '../../parts/list.tsx'
import { Path } from '../../parts/path.tsx'
import { Answered, Empty } from '../../parts/states.tsx'
import { css, mixed, readPalette, type Rgb } from '../../picture/colours.ts'
import { COLOURINGS, KIND_PLACES } from '../../picture/look.ts'
import { useTool } from '../../state/answers.ts'
import { percent, short } from '../../state/format.ts'
import { useKey } from '../../state/keys.ts'
import { address, param, setParams } from '../../state/route.ts'
import { pathOf, pointed, select, selected } from '../../state/selection.ts'
import { colours } from '../../state/theme.ts'
import { colouring, isOn, query, toggle, useActivation, useMap, XLR, xlr } from './shown.ts'

export function Ask() {
  return (
    <>
      <Question />
      <Finder />
      <Colouring />
      <OnTheMap />
    </>
  )
}

const XLR_NAMES = { on: 'on', off: 'off', both: 'side by side' }

function Question() {
  const box = useRef<HTMLInputElement>(null)
  const { value: found } = useActivation()
  useKey('/', 'the question', () => box.current?.focus())
  // the box follows the address
  useEffect(() => {
    if (box.current !== null) box.current.value = query.value
  }, [query.value])
  return (
    <form
      role="search"
      class="question"
      onSubmit={(event) => {
        event.preventDefault()
        setParams({ query: box.current?.value.trim() ?? '' }, { replace: false })
      }}
    >
      <label for="question">Activate</label>
      <div class="line-up">
        <input
          id="question"
          ref={box}
          type="search"
          placeholder="words or names"
          autocomplete="off"
          spellcheck={false}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        <button type="submit">Go</button>
      </div>
      {query.value !== '' && (
        <>
          <fieldset>
            <legend>Dimensions</legend>
            {DIMENSIONS.map((it) => (
              <label key={it} class="check">
                <input
                  type="checkbox"
                  checked={isOn(it)}
                  disabled={isOn(it) && DIMENSIONS.filter(isOn).length === 1}
                  onChange={() => {
                    const off = DIMENSIONS.filter((other) => (other === it ? isOn(it) : !isOn(other)))
                    setParams({ without: off })
                  }}
                />
                <span class={`swatch ${it}`} aria-hidden="true" />
                {it}
                <span class="share">{found === null || !isOn(it) ? '' : percent(found.weights[it])}</span>
              </label>
            ))}
          </fieldset>
          <fieldset class="choices">
            <legend>Noise filter</legend>
            {XLR.map((it) => (
              <label key={it} class="check">
                <input
                  type="radio"
                  name="xlr"
                  checked={xlr.value === it}
                  onChange={() => setParams({ xlr: it === 'on' ? '' : it })}
                />
                {XLR_NAMES[it]}
              </label>
            ))}
          </fieldset>
          <button
            type="button"
            class="link"
            onClick={() => setParams({ query: '', xlr: '', without: [] }, { replace: false })}
          >
            End the activation
          </button>
        </>
      )}
    </form>
  )
}

/** Typing is waited for this long. */
const TYPING_MS = 250
const FOUND = 8

function Finder() {
  const text = useSignal('')
  const asked = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => {
      asked.value = text.value.trim()
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text.value])
  const answer = useTool<typeof seek>('seek', asked.value === '' ? null : { query: asked.value, top_k: FOUND })
  return (
    <section class="finder">
      <label for="finder">Find a node</label>
      <input
        id="finder"
        type="search"
        placeholder="name, path, purpose"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
      />
      {asked.value !== '' && (
        <Answered answer={answer} loading="Looking">
          {({ results }) =>
            results.length === 0 ? (
              <Empty title="Nothing has that name.">
                <p>Try fewer words, or activate them: that also finds what is near.</p>
              </Empty>
            ) : (
              <Rows
                items={results}
                label="Found nodes"
                idOf={(it) => it.node_id}
                isChosen={(it) => it.node_id === selected.value}
                onPoint={(it) => {
                  pointed.value = it?.node_id ?? ''
                }}
                onChoose={(it) => select(it.node_id)}
              >
                {(it) => (
                  <>
                    <span class="row-name">{it.label}</span>
                    <span class="row-kind">{it.type}</span>
                    <Path path={pathOf(it.node_id)} />
                  </>
                )}
              </Rows>
            )
          }
        </Answered>
      )}
    </section>
  )
}

const COLOURING_NAMES = { group: 'group', kind: 'kind', recency: 'last change' }

function Colouring() {
  return (
    <>
      <label class="line-up">
        Colour by
        <select
          value={colouring.value}
          onChange={({ currentTarget: { value } }) => setParams({ colour: value === 'group' ? '' : value })}
        >
          {COLOURINGS.map((it) => (
            <option key={it} value={it}>
              {COLOURING_NAMES[it]}
            </option>
          ))}
        </select>
      </label>
      {colouring.value !== 'group' && <Legend />}
    </>
  )
}

/** What the colours stand for, where the names in the picture do not say it. */
function Legend() {
  const seen = colours.value
  const { groups, mark, accent } = useMemo(() => readPalette(document.body), [seen])
  const rows: readonly (readonly [string, Rgb])[] =
    colouring.value === 'recency'
      ? [
          ['changed last', accent],
          ['in between', mixed(mark, accent, 0.5)],
          ['long ago, or never', mark],
        ]
      : Object.entries(KIND_PLACES).map(([kind, place]) => [kind, groups[place % groups.length] ?? mark])
  return (
    <ul class="legend" aria-label="Colours">
      {rows.map(([name, colour]) => (
        <li key={name}>
          <span class="swatch" style={{ background: css(colour) }} aria-hidden="true" /> {name}
        </li>
      ))}
    </ul>
  )
}

/** Items in the list of the map at most. */
const LISTED = 120

/** The picture in words: what stands where, and what is open. */
function OnTheMap() {
  const answer = useMap()
  return (
    <section>
      <h2>On the map</h2>
      <Answered answer={answer} loading="Reading the map">
        {(map) => <MapList map={map} />}
      </Answered>
      {address.value.params.has('open') && (
        <button type="button" class="link" onClick={() => setParams({ open: [] }, { replace: false })}>
          Close all
        </button>
      )}
    </section>
  )
}

function MapList({ map }: { map: MapAnswer }) {
  const rows = inOrder(map)
  const { value: found } = useActivation()
  return (
    <>
      <Rows
        items={rows.slice(0, LISTED)}
        label="Items of the map"
        idOf={({ item }) => item.id}
        isChosen={({ item }) => item.id === selected.value}
        onPoint={(it) => {
          pointed.value = it?.item.id ?? ''
        }}
        onChoose={({ item }) => (item.kind === 'group' ? toggle(item, map) : select(item.id))}
      >
        {({ item, depth }) => (
          <span class={`map-row depth-${Math.min(depth, 6)}`}>
            <span class="sign" aria-hidden="true">
              {item.kind === 'group' ? (item.open ? '▾' : '▸') : ''}
            </span>
            <span class="row-name">{item.name}</span>
            {item.kind === 'group' && <span class="unseen">{item.open ? 'open' : 'closed'}</span>}
            <span class="row-score">{item.nodes > 1 ? short(item.nodes) : ''}</span>
          </span>
        )}
      </Rows>
      {rows.length > LISTED && (
        <p class="quiet">
          {short(rows.length - LISTED)} more are on the map.{' '}
          {found === null && param('query') === '' && 'Ask, or find one by its name.'}
        </p>
      )}
    </>
  )
}

interface MapRow {
  item: MapItem
  depth: number
}

/** Parents before what is in them, the largest first. */
function inOrder({ items }: MapAnswer): MapRow[] {
  const below = new Map<string, MapItem[]>()
  for (const it of items) {
    const parent = it.parent ?? ''
    const list = below.get(parent)
    if (list === undefined) below.set(parent, [it])
    else list.push(it)
  }
  const rows: MapRow[] = []
  const add = (parent: string, depth: number) => {
    const list = below.get(parent) ?? []
    for (const item of [...list].sort((a, b) => b.nodes - a.nodes || (a.name < b.name ? -1 : 1))) {
      rows.push({ item, depth })
      add(item.id, depth + 1)
    }
  }
  add('', 0)
  return rows
}
