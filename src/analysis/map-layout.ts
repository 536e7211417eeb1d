/** Where the items of a map lie: the area of each by what is in it, places beside each other by what ties them (`map.md`). */

import { packEnclose } from 'd3-hierarchy'
import { type Circles, placeCircles, type Spot, type Ties } from '#analysis/circles'
import { idOf, type MapTree, TOP } from '#analysis/map-tree'
import { DEAD_EDGE, type Graph, LIFTED, PRIMARY } from '#graph/graph'
import type { Work } from '#std/work'

/** Circles keep this share of their radius between them. */
const GAP = 0.06
/** What is in a circle fills so much of its radius; something single less, or frame and content look the same. */
const FILLED = 0.94
const SINGLE = 0.6
/** The whole is so much wider than high. */
const STRETCH = 1.5
/** Half of the width of the whole. */
export const HALF_WIDTH = 1000
/** Items of which more were not there before are placed anew. */
const MOSTLY_NEW = 0.3
/** Weaker ties than this share of an item's heaviest one do not count. */
const WEAK = 0.125
/** Nodes that are looked at before the work can be put down. */
const PER_STEP = 1024

/** Edges that say where things lie and not what they have to do with each other. */
const PLACEMENT = ['contains', 'sibling']

/** Slots that a map draws: each edge once, at its source, without what only repeats it between files. */
export function drawsEdge(graph: Graph): (slot: number) => boolean {
  const placement = new Set(PLACEMENT.map((it) => graph.strings.find(it)))
  return (e) => (graph.flags[e] & (PRIMARY | DEAD_EDGE | LIFTED)) === PRIMARY && !placement.has(graph.relations[e])
}

interface Layout {
  /** As they are shown. */
  circles: Circles
  /** As they were placed. */
  placed: Circles
}

interface Layouts {
  known: Map<number, Layout>
  earlier: Places
}

/** Where the items in an item lay before they were fitted into it, by their ids; '' is the top. */
export type Places = ReadonlyMap<string, ReadonlyMap<string, Spot>>

const layouts = new WeakMap<MapTree, Layouts>()

/** Lets the items of a new tree stay where they are in one that was worked out before. */
export function follow(tree: MapTree, earlier: Places): void {
  layouts.set(tree, { known: new Map(), earlier })
}

/** Where everything lies that has been looked at so far. */
export function placesIn(tree: MapTree): Places {
  const { known, earlier } = layoutsOf(tree)
  const places = new Map(earlier)
  for (const [item, { placed }] of known) {
    const inside = new Map<string, Spot>()
    itemsIn(tree, item).forEach((it, i) => {
      inside.set(idOf(tree, it), { x: placed[3 * i], y: placed[3 * i + 1] })
    })
    places.set(item === TOP ? '' : idOf(tree, item), inside)
  }
  return places
}

function layoutsOf(tree: MapTree): Layouts {
  const before = layouts.get(tree)
  if (before !== undefined) return before
  follow(tree, new Map())
  return layoutsOf(tree)
}

/**
 * Circles of the items in an item, in their order: x, y and radius, where the item itself is the circle of radius 1
 * around 0. At the `TOP` they are as they are drawn. Depends on these items alone, so that a change in one does not
 * move what is in another.
 */
export function* layoutWork(tree: MapTree, item: number): Work<Circles> {
  const { known, earlier } = layoutsOf(tree)
  const before = known.get(item)
  if (before !== undefined) return before.circles
  const items = itemsIn(tree, item)
  const radii = Float64Array.from(items, (it) => radiusOf(tree.counts[it]) * (1 + GAP))
  const order = Array.from(items, (_, i) => i).sort((a, b) => radii[b] - radii[a] || a - b)
  const place = new Uint32Array(items.length)
  order.forEach((i, at) => {
    place[i] = at
  })
  const ties = yield* tiesAmong(tree, items, place)
  const old = earlier.get(item === TOP ? '' : idOf(tree, item))
  const isNew = order.filter((i) => old?.has(idOf(tree, items[i])) !== true).length > MOSTLY_NEW * items.length
  const inOrder = yield* placeCircles(
    Float64Array.from(order, (i) => radii[i]),
    (at) => ties[at],
    {
      stretch: item === TOP ? STRETCH : 1,
      before: (at) => (isNew ? undefined : old?.get(idOf(tree, items[order[at]]))),
    },
  )
  const placed = new Float64Array(inOrder.length)
  order.forEach((i, at) => placed.set(inOrder.subarray(3 * at, 3 * at + 3), 3 * i))
  const circles = item === TOP ? fitBox(placed) : fitCircle(placed)
  known.set(item, { circles, placed })
  return circles
}

export function itemsIn(tree: MapTree, item: number): Uint32Array {
  if (item !== TOP) return tree.children.subarray(tree.childOffsets[item], tree.childOffsets[item + 1])
  const tops: number[] = []
  for (let i = 0; i < tree.order.length; i = tree.end[tree.order[i]]) tops.push(tree.order[i])
  return Uint32Array.from(tops)
}

/** Counts are rounded to half steps of doubling: few files more or less change nothing. */
function radiusOf(count: number): number {
  return Math.sqrt(2 ** (Math.round(2 * Math.log2(Math.max(1, count))) / 2))
}

/** For each place its ties to other places, the heaviest first. Weights are those of ingest, rounded to doublings. */
function* tiesAmong(tree: MapTree, items: Uint32Array, place: Uint32Array): Work<Ties[]> {
  const n = items.length
  const ties: [number, number][][] = Array.from({ length: n }, () => [])
  if (n < 3) return ties
  const { graph, order, at, end, standsFor } = tree
  const isDrawn = drawsEdge(graph)
  const start = at[items[0]]
  const stop = end[items[n - 1]]
  const inside = new Int32Array(stop - start)
  for (let i = 0; i < n; i++) inside.fill(place[i], at[items[i]] - start, end[items[i]] - start)
  const sums = new Map<number, number>()
  for (let p = start; p < stop; p++) {
    if (p % PER_STEP === 0) yield
    const v = order[p]
    if (v >= graph.nNodes) continue
    const a = inside[p - start]
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const q = at[standsFor[graph.out.targets[e]]]
      if (q < start || q >= stop || !isDrawn(e)) continue
      const b = inside[q - start]
      if (a === b) continue
      const pair = Math.min(a, b) * n + Math.max(a, b)
      sums.set(pair, (sums.get(pair) ?? 0) + graph.ingestWeights[e])
    }
  }
  yield
  for (const [pair, sum] of sums) {
    const weight = 2 ** Math.round(Math.log2(sum))
    if (weight === 0) continue
    const a = Math.floor(pair / n)
    const b = pair % n
    ties[a].push([b, weight])
    ties[b].push([a, weight])
  }
  yield
  return ties.map((all) => {
    all.sort((a, b) => b[1] - a[1] || a[0] - b[0])
    return all.filter(([, weight]) => weight >= WEAK * all[0][1])
  })
}

function fitCircle(placed: Circles): Circles {
  const n = placed.length / 3
  const list = Array.from({ length: n }, (_, i) => ({ x: placed[3 * i], y: placed[3 * i + 1], r: placed[3 * i + 2] }))
  const { x, y, r } = packEnclose(list)
  return moved(placed, { x, y, scale: (n === 1 ? SINGLE : FILLED) / r })
}

function fitBox(placed: Circles): Circles {
  const { x, y, width, height } = boxOf(placed)
  const scale = width > 0 ? (2 * HALF_WIDTH) / width : 1
  return moved(placed, { x: x + width / 2, y: y + height / 2, scale })
}

/** Moved and scaled, with the gaps between them free. */
function moved(placed: Circles, { x, y, scale }: { x: number; y: number; scale: number }): Circles {
  const circles = new Float64Array(placed.length)
  for (let i = 0; i < circles.length; i += 3) {
    circles[i] = (placed[i] - x) * scale
    circles[i + 1] = (placed[i + 1] - y) * scale
    circles[i + 2] = (placed[i + 2] * scale) / (1 + GAP)
  }
  return circles
}

export function boxOf(circles: Circles): { x: number; y: number; width: number; height: number } {
  let [left, right, top, bottom] = circles.length === 0 ? [0, 0, 0, 0] : [Infinity, -Infinity, Infinity, -Infinity]
  for (let i = 0; i < circles.length; i += 3) {
    const [x, y, r] = circles.subarray(i, i + 3)
    left = Math.min(left, x - r)
    right = Math.max(right, x + r)
    top = Math.min(top, y - r)
    bottom = Math.max(bottom, y + r)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}
