/** The map of a graph: closed things as discs, open ones as frames around what is in them, and edges between what is shown. */

import { TOP, around, idOf, itemOf, type MapTree } from '#analysis/map-tree'
import { boxOf, drawsEdge, itemsIn, layoutWork } from '#analysis/map-layout'
import { DIRECTORY, GUESS, labelOf, text, typeName } from '#graph/graph'
import type { Work } from '#std/work'

export interface MapRequest {
  /** Ids of items; what lies around them is opened too. `*` opens all, from outside to inside. */
  open: readonly string[]
  /** Ids of nodes that shall be seen: what lies around them is opened. */
  show: readonly string[]
  mostItems: number
  mostEdges: number
}

export interface Item {
  id: string
  kind: 'group' | 'node'
  name: string
  parent: string | null
  x: number
  y: number
  r: number
  nodes: number
  children: number
  open: boolean
  node_type: string
  path: string | null
  line: number
  community: number
  recency: number
  pagerank: number
}

export interface Between {
  source: string
  target: string
  weight: number
  count: number
  guesses: number
  relation: string
}

export interface GraphMap {
  bounds: { x: number; y: number; width: number; height: number }
  items: Item[]
  edges: Between[]
  edgesTotal: number
  /** Those of shown items, the largest first. */
  communities: { id: number; name: string; nodes: number }[]
  aggregated: { nodes: number; groups: number }
  unknown: string[]
  /** Items that were asked for and are not shown, for want of room. */
  notShown: number
}

/** Communities that are named. */
const COMMUNITIES_NAMED = 50
/** Kinds of relations whose weights are told apart between two items; a graph has about fifteen. */
const RELATIONS = 32
/** Nodes that are looked at before the work can be put down. */
const PER_STEP = 1024

export function* mapWork(tree: MapTree, request: MapRequest): Work<GraphMap> {
  const { open, unknown, notShown } = toOpen(tree, request)
  const items: Item[] = []
  /** Items as they are shown, by number. */
  const shown: number[] = []
  const top = yield* layoutWork(tree, TOP)
  const frames = [{ item: TOP, x: 0, y: 0, r: 1, id: null as string | null }]
  for (const frame of frames) {
    const inside = itemsIn(tree, frame.item)
    const circles = frame.item === TOP ? top : yield* layoutWork(tree, frame.item)
    for (let i = 0; i < inside.length; i++) {
      const x = frame.x + frame.r * circles[3 * i]
      const y = frame.y + frame.r * circles[3 * i + 1]
      const r = frame.r * circles[3 * i + 2]
      const item = inside[i]
      const isOpen = open.has(item)
      const described = itemAt(tree, item, { x, y, r, parent: frame.id, open: isOpen })
      items.push(described)
      shown.push(item)
      if (isOpen) frames.push({ item, x, y, r, id: described.id })
      if (items.length % PER_STEP === 0) yield
    }
  }
  const { edges, total } = yield* edgesBetween(tree, shown, open, request.mostEdges)
  const closed = items.filter((it) => !it.open && it.children > 0)
  return {
    bounds: boxOf(top),
    items,
    edges,
    edgesTotal: total,
    communities: communitiesIn(tree, shown),
    aggregated: { nodes: closed.reduce((sum, it) => sum + it.nodes, 0), groups: closed.length },
    unknown,
    notShown,
  }
}

/** What is opened, from outside to inside, as long as there is room. */
function toOpen(
  tree: MapTree,
  { open, show, mostItems }: MapRequest,
): { open: Set<number>; unknown: string[]; notShown: number } {
  const unknown: string[] = []
  const wanted = new Set<number>()
  const want = (item: number) => {
    for (const it of around(tree, item)) wanted.add(it)
    if (hasChildren(tree, item)) wanted.add(item)
  }
  for (const id of open) {
    if (id === '*') continue
    const item = itemOf(tree, id)
    if (item === -1 || !hasChildren(tree, item)) unknown.push(id)
    else want(item)
  }
  for (const id of show) {
    const item = itemOf(tree, id)
    if (item === -1) unknown.push(id)
    else for (const it of around(tree, item)) wanted.add(it)
  }
  const all = open.includes('*')
  const opened = new Set<number>()
  let left = mostItems - itemsIn(tree, TOP).length
  let notShown = 0
  // those that were named first; then, level by level, all others
  for (const isWanted of all ? [wanted, null] : [wanted]) {
    const level = [...itemsIn(tree, TOP)]
    for (const item of level) {
      if (!hasChildren(tree, item) || (isWanted !== null && !isWanted.has(item))) continue
      const inside = itemsIn(tree, item)
      if (!opened.has(item)) {
        if (inside.length > left) {
          notShown += inside.length
          continue
        }
        left -= inside.length
        opened.add(item)
      }
      for (const it of inside) level.push(it)
    }
  }
  return { open: opened, unknown, notShown }
}

function hasChildren({ childOffsets }: MapTree, item: number): boolean {
  return childOffsets[item + 1] > childOffsets[item]
}

function itemAt(
  tree: MapTree,
  item: number,
  { x, y, r, parent, open }: Pick<Item, 'x' | 'y' | 'r' | 'parent' | 'open'>,
): Item {
  const { graph, communities, counts, pagerank, recency } = tree
  const isNode = item < graph.nNodes
  const isGroup = !isNode || graph.types[item] === DIRECTORY
  const path = isNode ? text(graph, graph.paths[item]) : tree.made[item - graph.nNodes].path
  return {
    id: idOf(tree, item),
    kind: isGroup ? 'group' : 'node',
    name: nameOf(tree, item),
    parent,
    x,
    y,
    r,
    nodes: counts[item],
    children: tree.childOffsets[item + 1] - tree.childOffsets[item],
    open,
    node_type: isNode ? typeName(graph.types[item]) : 'group',
    path: path || null,
    line: isNode && !isGroup ? graph.lineStart[item] : 0,
    community: communities.of[isNode ? item : itemsIn(tree, item)[0]],
    recency: recency[item],
    pagerank: pagerank[item],
  }
}

/** A folder that is one with those around it is called by all of their names. */
export function nameOf({ graph, made, standsFor }: MapTree, item: number): string {
  if (item >= graph.nNodes) return made[item - graph.nNodes].name
  const names = [labelOf(graph, item)]
  for (let v = graph.parents[item]; v < graph.nNodes && standsFor[v] === item; v = graph.parents[v])
    names.unshift(labelOf(graph, v))
  return names.map((it) => it.replace(/\/$/, '')).join('/')
}

/** Edges of the graph between the items that stand for their ends, the heaviest first. */
function* edgesBetween(
  tree: MapTree,
  shown: readonly number[],
  open: ReadonlySet<number>,
  most: number,
): Work<{ edges: Between[]; total: number }> {
  const { graph, order, at, end, standsFor } = tree
  /** By position: the number of the shown item that stands for what is there. */
  const stands = new Int32Array(order.length)
  shown.forEach((item, i) => {
    if (open.has(item)) stands[at[item]] = i
    else stands.fill(i, at[item], end[item])
  })
  yield
  const isDrawn = drawsEdge(graph)
  const n = shown.length
  const pairs = new Pairs(n)
  for (let p = 0; p < order.length; p++) {
    if (p % PER_STEP === 0) yield
    const v = order[p]
    if (v >= graph.nNodes) continue
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const u = standsFor[graph.out.targets[e]]
      if (tree.parents[u] < TOP || !isDrawn(e)) continue
      const a = stands[p]
      const b = stands[at[u]]
      if (a !== b) pairs.add(a, b, { weight: graph.weights[e], relation: graph.relations[e], tier: graph.tiers[e] })
    }
  }
  yield
  const heaviest = pairs.heaviest(most)
  yield
  const edges = heaviest.map((i) => ({
    source: idOf(tree, shown[Math.floor(pairs.keys[i] / n)]),
    target: idOf(tree, shown[pairs.keys[i] % n]),
    weight: pairs.weights[i],
    count: pairs.counts[i],
    guesses: pairs.guesses[i],
    relation: text(graph, pairs.relationOf(i)),
  }))
  return { edges, total: pairs.keys.length }
}

/** What lies between pairs of shown items; columns instead of an object for each, as there may be a hundred thousand. */
class Pairs {
  /** Number of the source, times that of all items, plus that of the target. */
  readonly keys: number[] = []
  readonly weights: number[] = []
  readonly counts: number[] = []
  readonly guesses: number[] = []
  /** Weight of each relation, by pair. */
  readonly #byRelation: number[] = []
  readonly #relations: number[] = []
  readonly #known = new Map<number, number>()
  readonly #nItems: number

  constructor(nItems: number) {
    this.#nItems = nItems
  }

  add(a: number, b: number, { weight, relation, tier }: { weight: number; relation: number; tier: number }): void {
    const key = a * this.#nItems + b
    let pair = this.#known.get(key)
    if (pair === undefined) {
      pair = this.keys.length
      this.#known.set(key, pair)
      this.keys.push(key)
      this.weights.push(0)
      this.counts.push(0)
      this.guesses.push(0)
      for (let i = 0; i < RELATIONS; i++) this.#byRelation.push(0)
    }
    let number = this.#relations.indexOf(relation)
    if (number === -1) number = this.#relations.push(relation) - 1
    this.weights[pair] += weight
    this.counts[pair]++
    if (tier === GUESS) this.guesses[pair]++
    if (number < RELATIONS) this.#byRelation[pair * RELATIONS + number] += weight
  }

  relationOf(pair: number): number {
    let best = 0
    for (let i = 1; i < Math.min(RELATIONS, this.#relations.length); i++)
      if (this.#byRelation[pair * RELATIONS + i] > this.#byRelation[pair * RELATIONS + best]) best = i
    return this.#relations[best]
  }

  /** The first `most` by weight, equal ones by key. */
  heaviest(most: number): number[] {
    const { weights, keys } = this
    const sorted = Float64Array.from(weights).sort()
    const least = most < sorted.length ? sorted[sorted.length - most] : Number.NEGATIVE_INFINITY
    const found: number[] = []
    if (most > 0) weights.forEach((it, i) => it >= least && found.push(i))
    return found.sort((i, j) => weights[j] - weights[i] || keys[i] - keys[j]).slice(0, most)
  }
}

/** Communities of what is shown, called by their strongest file. */
function communitiesIn({ graph, communities: { of, count } }: MapTree, shown: readonly number[]) {
  const isShown = new Uint8Array(count)
  for (const item of shown) if (item < graph.nNodes) isShown[of[item]] = 1
  const nodes = new Uint32Array(count)
  const strongest = new Int32Array(count).fill(-1)
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1) continue
    const community = of[v]
    nodes[community]++
    const best = strongest[community]
    if (graph.types[v] === DIRECTORY) continue
    if (best === -1 || graph.pagerank[v] > graph.pagerank[best]) strongest[community] = v
  }
  return Array.from(nodes, (size, id) => ({
    id,
    name: strongest[id] === -1 ? '' : labelOf(graph, strongest[id]),
    nodes: size,
  }))
    .filter((it) => isShown[it.id] === 1 && it.name !== '')
    .sort((a, b) => b.nodes - a.nodes || a.id - b.id)
    .slice(0, COMMUNITIES_NAMED)
}
