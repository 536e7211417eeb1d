/** The graph: what there is, what a question activates, and what the selected node has to do with. */

import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { ActivationAnswer, MapAnswer } from '#views/shapes'
import { Answered } from '../parts/states.tsx'
import { type Camera, WHOLE } from '../picture/picture.ts'
import { PictureBox } from '../picture/picture-box.tsx'
import { count, many } from '../state/format.ts'
import { useKey } from '../state/keys.ts'
import { param, setParams } from '../state/route.ts'
import { pointed, select, selected } from '../state/selection.ts'
import type { View } from '../views.ts'
import { Ask } from './graph/ask.tsx'
import { Meaning } from './graph/meaning.tsx'
import {
  isFocused,
  isPlaying,
  move,
  play,
  playOnce,
  query,
  seenClose,
  step,
  stepsOf,
  toggle,
  useActivation,
  useLook,
  useMap,
  useNeighbours,
  xlr,
} from './graph/shown.ts'
import './graph.css'

/** A flight to the selected node, by its number. */
const flights = signal(0)

function Main() {
  const map = useMap()
  useKey('f', 'focus on the neighbourhood of the selected node', () => {
    if (selected.value === '') return
    setParams({ focus: isFocused.value ? '' : 'yes' })
    chosenHere.value = ''
    flights.value++
  })
  return (
    <>
      <h1 class="unseen">Graph</h1>
      <Answered answer={map} loading="Drawing the map">
        {(value) => <Pictures map={value} isBefore={map.isBefore} />}
      </Answered>
    </>
  )
}

interface Shown {
  map: MapAnswer
  /** Another map is on its way, and this is the one before it. */
  isBefore: boolean
}

function Pictures({ map, isBefore }: Shown) {
  const { value: found } = useActivation()
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  useEffect(() => {
    if (found !== null) playOnce(found, isCalm)
  }, [found])
  const isDouble = query.value !== '' && xlr.value === 'both'
  return (
    <div class="pictures">
      <div class="pair">
        <One map={map} isBefore={isBefore} title={isDouble ? 'noise filter on' : ''} />
        {isDouble && <One map={map} isBefore={isBefore} title="noise filter off" isWithout />}
      </div>
      <Status map={map} />
    </div>
  )
}

function One({ map, isBefore, title, isWithout = false }: Shown & { title: string; isWithout?: boolean }) {
  const look = useLook(map, isWithout)
  const { value: around } = useNeighbours()
  const at = param('at')
  const camera = useMemo(() => cameraFrom(at), [at])
  // a node that was chosen elsewhere is flown to as soon as what is meant is on the map, not only what it stands in
  const isThere =
    !isBefore && around !== null && around.node.id === selected.value && selected.value !== chosenHere.value
  const flight = useMemo(() => {
    const isReady = isThere && look.selected !== '' && (!isFocused.value || look.kept !== null)
    const name = isReady ? `${look.selected} ${flights.value}` : ''
    return { name, ids: look.kept === null ? [look.selected] : [...look.kept] }
  }, [isThere, look.selected, look.kept, flights.value])
  const events = {
    onChoose: (id: string) => {
      chosenHere.value = id
      select(id)
    },
    onOpen: (id: string) => {
      const item = map.items.find((it) => it.id === id)
      if (item !== undefined) toggle(item, map)
    },
    onPoint: (id: string) => {
      pointed.value = id
    },
    onRest: (to: Camera, large: string[]) => {
      if (large.length > 0) seenClose.value = [...new Set([...seenClose.peek(), ...large])].slice(-CLOSE)
      setParams({ at: cameraText(to) })
    },
  }
  return (
    <figure class="one">
      <PictureBox map={map} look={look} label={described(map)} events={events} camera={camera} flight={flight} />
      {title !== '' && <figcaption>{title}</figcaption>}
    </figure>
  )
}

/** Items opened by coming close. */
const CLOSE = 40
/** The node that was selected in the picture, which is seen already; at the start the one that the camera of the address looks at. */
const chosenHere = signal(param('at') === '' ? '' : selected.peek())

function cameraFrom(text: string): Camera {
  const [x, y, ratio] = text.split(',').map(Number)
  return [x, y, ratio].every(Number.isFinite) && ratio > 0 ? { x, y, ratio } : WHOLE
}

function cameraText({ x, y, ratio }: Camera): string {
  const text = [x, y, ratio].map((it) => Number(it.toPrecision(6))).join(',')
  return text === '0.5,0.5,1' ? '' : text
}

/** What a picture is called for who does not see it; the lists beside have the content. */
function described({ items, edges, aggregated }: MapAnswer): string {
  const groups = items.filter((it) => it.kind === 'group').length
  return `Map of ${many(groups, 'group')} and ${many(items.length - groups, 'node')} with ${many(edges.length, 'tie')}; ${many(aggregated.nodes, 'node')} inside of closed ones`
}

/** What is not shown and how to see it, and the steps of the activation. */
function Status({ map }: { map: MapAnswer }) {
  const { value: found } = useActivation()
  const { aggregated, edges, edges_total, truncated } = map
  return (
    <footer class="status">
      {query.value !== '' && found !== null && <Steps found={found} />}
      <p>
        {aggregated.nodes > 0 &&
          `${count(aggregated.nodes)} nodes are inside of ${many(aggregated.groups, 'closed item')}: click one to see more. `}
        {edges.length < edges_total && `The ${count(edges.length)} strongest of ${count(edges_total)} ties are drawn. `}
        {truncated !== null && `${truncated.how} `}
        {param('at') !== '' && (
          <button type="button" class="link" onClick={() => setParams({ at: '' })}>
            Whole map
          </button>
        )}
      </p>
    </footer>
  )
}

function Steps({ found }: { found: ActivationAnswer }) {
  useKey('[', 'one step of the activation back', () => move(-1, found))
  useKey(']', 'one step of the activation on', () => move(1, found))
  const at = step.value
  const most = stepsOf(found) - 1
  const hop = found.hops[at - 1]
  const words =
    at === 0
      ? many(found.total_seeds, 'seed')
      : hop === undefined
        ? `ranking of ${many(found.total_active, 'active node')}`
        : `hop ${hop.hop}: ${many(hop.total, 'node')} reached`
  return (
    <div class="steps">
      <button type="button" aria-label="Step back" disabled={at === 0} onClick={() => move(-1, found)}>
        ‹
      </button>
      <button type="button" aria-label="Step on" disabled={at >= most} onClick={() => move(1, found)}>
        ›
      </button>
      <button type="button" disabled={isPlaying.value} onClick={() => play(found)}>
        Play
      </button>
      <span role="status">{words}</span>
    </div>
  )
}

export default { Ask, Main, Meaning } satisfies View
