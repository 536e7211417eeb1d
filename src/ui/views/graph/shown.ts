/** What the view of the graph shows, from its address: the map with what is open, the activation, the selected node. */

import { computed, effect, signal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { ActivationAnswer, ActivationRow, MapAnswer, MapItem, Neighbour, NeighboursAnswer } from '#views/shapes'
import { DIMENSIONS, type Dimension } from '../../parts/bar.tsx'
import type { Colouring, Look, Trace } from '../../picture/look.ts'
import { COLOURINGS } from '../../picture/look.ts'
import { type Answer, useGet, useKept } from '../../state/answers.ts'
import { address, param, setParams } from '../../state/route.ts'
import { pointed, selected } from '../../state/selection.ts'

export const XLR = ['on', 'off', 'both'] as const

/** Rows of an activation. */
const ROWS = 20
/** Rows whose surroundings are opened, so that they are seen themselves. */
const ROWS_OPENED = ROWS
/** Neighbours of the selected node, each way. */
const NEIGHBOURS = 60
/** Neighbours whose surroundings are opened while the picture is on the neighbourhood. */
const NEIGHBOURS_OPENED = 24
const EDGES = 4000
/** Arrivals of one hop whose ways are drawn. */
const WAYS = 60
const HOP_MS = 120

export const query = computed(() => param('query').trim())
export const xlr = computed(() => oneOf(XLR, param('xlr')))
export const colouring = computed<Colouring>(() => oneOf(COLOURINGS, param('colour')))
/** Whether the picture is on the neighbourhood of the selected node. */
export const isFocused = computed(() => param('focus') !== '' && selected.value !== '')
/** Dimensions that are switched off. */
export const without = computed(() => new Set(address.value.params.getAll('without')))

/** Items that the camera has come close to. They follow from where it stands, which is in the address. */
export const seenClose = signal<readonly string[]>([])

function oneOf<T extends string>(all: readonly [T, ...T[]], text: string): T {
  return all.find((it) => it === text) ?? all[0]
}

export function useActivation(): Answer<ActivationAnswer> {
  const dimensions = DIMENSIONS.filter((it) => !without.value.has(it))
  return useGet<ActivationAnswer>(query.value === '' ? '' : '/api/graph/activation', {
    query: query.value,
    xlr: xlr.value,
    dimensions: dimensions.length === DIMENSIONS.length ? undefined : dimensions.join(','),
    top_k: ROWS,
  })
}

export function useNeighbours(): Answer<NeighboursAnswer> {
  return useGet<NeighboursAnswer>(selected.value === '' ? '' : '/api/graph/neighbours', {
    node: selected.value,
    limit: NEIGHBOURS,
  })
}

interface MapShown extends Answer<MapAnswer> {
  /** Another map is on its way; `value` is the one before it. */
  isBefore: boolean
}

export function useMap(): MapShown {
  const { value: found } = useActivation()
  const { value: around } = useNeighbours()
  const open = new Set([...address.value.params.getAll('open'), ...seenClose.value])
  const show = new Set<string>()
  if (query.value !== '') addIds(show, found?.rows.slice(0, ROWS_OPENED))
  if (query.value !== '' && xlr.value === 'both') addIds(show, found?.without_xlr?.rows.slice(0, ROWS_OPENED))
  if (selected.value !== '') show.add(selected.value)
  if (isFocused.value && around !== null)
    addIds(show, byMeaning([...around.incoming, ...around.outgoing]).slice(0, NEIGHBOURS_OPENED))
  const asked = { open: [...open].sort(), show: [...show].sort(), edges: EDGES }
  const latest = useGet<MapAnswer>('/api/graph/map', asked)
  const answer = useKept(latest)
  // what others ask moves weights a little; that draws nothing anew
  const drawn = useRef<MapAnswer | null>(null)
  if (answer.value !== null && !isDrawn(answer.value, drawn.current)) drawn.current = answer.value
  return { ...answer, value: drawn.current, isBefore: latest.value === null && latest.error === null }
}

/** Whether two maps show the same things in the same places. */
function isDrawn(map: MapAnswer, before: MapAnswer | null): boolean {
  return (
    map === before ||
    (map.generation === before?.generation &&
      map.items.length === before.items.length &&
      map.edges.length === before.edges.length &&
      map.items.every((it, i) => it.id === before.items[i]?.id && it.open === before.items[i].open))
  )
}

function addIds(to: Set<string>, rows: readonly { id: string }[] = []): void {
  for (const it of rows) to.add(it.id)
}

/** Opens a closed item and closes an open one, with all in it. */
export function toggle(item: MapItem, map: MapAnswer): void {
  const open = new Set(address.value.params.getAll('open'))
  if (!item.open) open.add(item.id)
  else {
    open.delete('*')
    const inside = new Map(map.items.map((it) => [it.id, it]))
    for (const id of open) {
      let at = inside.get(id)
      while (at !== undefined && at.id !== item.id) at = at.parent === null ? undefined : inside.get(at.parent)
      if (at !== undefined) open.delete(id)
    }
    seenClose.value = []
  }
  setParams({ open: [...open] }, { replace: false })
}

// steps of an activation: 0 the seeds, then the hops, the last one the ranking

export const step = signal(0)
export const isPlaying = signal(false)
let played = ''

/** How many steps an activation has. */
export function stepsOf({ hops }: ActivationAnswer): number {
  return hops.length + 2
}

/** Plays an activation when it is a new one. */
export function playOnce(answer: ActivationAnswer, isCalm: boolean): void {
  const name = `${answer.query} ${xlr.peek()} ${[...without.peek()].join()}`
  if (name === played) {
    step.value = Math.min(step.peek(), stepsOf(answer) - 1)
    return
  }
  played = name
  step.value = isCalm ? stepsOf(answer) - 1 : 0
  isPlaying.value = !isCalm
  last.value = stepsOf(answer) - 1
}

const last = signal(0)

export function play(answer: ActivationAnswer): void {
  step.value = 0
  last.value = stepsOf(answer) - 1
  isPlaying.value = true
}

export function move(by: number, answer: ActivationAnswer): void {
  isPlaying.value = false
  step.value = Math.min(stepsOf(answer) - 1, Math.max(0, step.peek() + by))
}

effect(() => {
  if (!isPlaying.value) return undefined
  const timer = setInterval(() => {
    if (step.peek() < last.peek()) step.value++
    else isPlaying.value = false
  }, HOP_MS)
  return () => clearInterval(timer)
})

// from nodes to what is seen of them

/** The innermost item of the map that a node is seen in; '' when it is not on the map. */
type Seen = (id: string, within?: readonly string[]) => string

function seenIn({ items }: MapAnswer, places: ReadonlyMap<string, readonly string[]>): Seen {
  const shown = new Set(items.map((it) => it.id))
  return (id, within = places.get(id)) => (shown.has(id) ? id : (within?.findLast((it) => shown.has(it)) ?? ''))
}

const NOBODY: ReadonlySet<string> = new Set()

/** Structure comes after what code does. */
export function byMeaning(rows: readonly Neighbour[]): Neighbour[] {
  return [...rows.filter((it) => !isStructure(it)), ...rows.filter(isStructure)]
}

function isStructure({ relation }: Neighbour): boolean {
  return relation === 'contains' || relation === 'sibling'
}

/** How everything is drawn. `isWithout`: the picture without the noise filter, where both are shown. */
export function useLook(map: MapAnswer, isWithout = false): Look {
  const { value: found } = useActivation()
  const { value: around } = useNeighbours()
  const shownQuery = query.value
  const at = step.value
  const [chosen, over, focus, by] = [selected.value, pointed.value, isFocused.value, colouring.value]
  // what an activation and a neighbourhood are made of changes less often than what is pointed at
  const base = useMemo(() => {
    const activation = shownQuery === '' ? null : found
    const places = new Map<string, readonly string[]>()
    for (const it of activation?.nodes ?? []) places.set(it.id, it.within)
    for (const it of [...(activation?.rows ?? []), ...(activation?.without_xlr?.rows ?? [])])
      places.set(it.id, it.within)
    if (around !== null)
      for (const it of [around.node, ...around.incoming, ...around.outgoing]) places.set(it.id, it.within)
    const seen = seenIn(map, places)
    const lighting = activation === null ? null : lightOf(activation, at, seen, isWithout)
    const traces = lighting?.traces ?? []
    if (around !== null && chosen !== '') traces.push(...tracesOf(around, seen))
    const kept = focus && around !== null ? keptOf(around, seen) : null
    return { seen, lit: kept === null ? (lighting?.lit ?? null) : null, seeds: lighting?.seeds ?? NOBODY, kept, traces }
  }, [map, found, around, shownQuery, at, chosen, focus, isWithout])
  return useMemo(() => {
    const { seen, lit, seeds, kept, traces } = base
    return { colouring: by, selected: seen(chosen), pointed: seen(over), lit, seeds, kept, traces }
  }, [base, chosen, over, by])
}

interface Lighting {
  lit: Map<string, number>
  seeds: Set<string>
  traces: Trace[]
}

function lightOf(answer: ActivationAnswer, at: number, seen: Seen, isWithout: boolean): Lighting {
  const lit = new Map<string, number>()
  const seeds = new Set(answer.seeds.map((it) => it.id).filter((it) => seen(it) === it))
  const traces: Trace[] = []
  const shine = (id: string, energy: number) => {
    const item = seen(id)
    if (item !== '') lit.set(item, Math.max(lit.get(item) ?? 0, Math.min(1, energy)))
  }
  const way = (from: string, to: string) =>
    traces.push({ source: seen(from), target: seen(to), kind: 'path', guess: false })
  const hops = answer.hops.slice(0, at)
  if (at < stepsOf(answer) - 1) {
    for (const it of answer.seeds) shine(it.id, it.relevance)
    for (const { arrivals } of hops) {
      for (const it of arrivals) shine(it.id, it.energy)
      for (const it of arrivals.slice(0, WAYS)) way(it.from, it.id)
    }
    return { lit, seeds, traces: distinct(traces) }
  }
  const rows = isWithout ? (answer.without_xlr?.rows ?? []) : answer.rows
  const most = Math.max(...rows.map((it) => it.activation), 1e-9)
  for (const it of rows) shine(it.id, it.activation / most)
  for (const [from, to] of waysTo(rows, answer)) way(from, to)
  for (const { source, target } of answer.ghost_edges)
    traces.push({ source: seen(source), target: seen(target), kind: 'ghost', guess: true })
  return { lit, seeds, traces: distinct(traces) }
}

/** The ways by which the strongest arrival came to each row, back to the seeds. */
function waysTo(rows: readonly ActivationRow[], { hops }: ActivationAnswer): [string, string][] {
  const from = new Map<string, string>()
  for (const { arrivals } of hops) for (const it of arrivals) if (!from.has(it.id)) from.set(it.id, it.from)
  const ways: [string, string][] = []
  const known = new Set<string>()
  for (const { id } of rows) {
    for (let at = id; !known.has(at); ) {
      known.add(at)
      const before = from.get(at)
      if (before === undefined) break
      ways.push([before, at])
      at = before
    }
  }
  return ways
}

/** Without those that begin or end nowhere, and each way once. */
function distinct(traces: readonly Trace[]): Trace[] {
  const known = new Map<string, Trace>()
  for (const it of traces)
    if (it.source !== '' && it.target !== '' && it.source !== it.target) known.set(`${it.source}\n${it.target}`, it)
  return [...known.values()]
}

function tracesOf({ node, incoming, outgoing }: NeighboursAnswer, seen: Seen): Trace[] {
  const here = seen(node.id, node.within)
  return distinct([
    ...incoming
      .filter((it) => !isStructure(it))
      .map(
        (it) =>
          ({ source: seen(it.id), target: here, kind: 'incoming', guess: it.confidence === 'guess' }) satisfies Trace,
      ),
    ...outgoing
      .filter((it) => !isStructure(it))
      .map(
        (it) =>
          ({ source: here, target: seen(it.id), kind: 'outgoing', guess: it.confidence === 'guess' }) satisfies Trace,
      ),
  ])
}

function keptOf({ node, incoming, outgoing }: NeighboursAnswer, seen: Seen): Set<string> {
  const kept = new Set([node, ...incoming, ...outgoing].map((it) => seen(it.id)))
  kept.delete('')
  return kept
}

export function isOn(dimension: Dimension): boolean {
  return !without.value.has(dimension)
}
