/** `GET /api/graph/map` */

import { communityWork } from '#analysis/communities'
import { type Item, mapWork } from '#analysis/map'
import { follow, placesIn } from '#analysis/map-layout'
import { type MapTree, mapTreeWork } from '#analysis/map-tree'
import type { Brain, Engine } from '#engine/brain'
import type { Graph } from '#graph/graph'
import { round, truncated } from '#tools/shapes'
import type { MapAnswer } from '#views/shapes'
import { inSlices } from '#views/slices'

/** Items of one answer. */
export const MOST_ITEMS = 12_000
/** Unknown ids that are told, and characters of each. */
const UNKNOWN_TOLD = 50
const UNKNOWN_CHARACTERS = 200

const trees = new WeakMap<Engine, { graph: Graph; tree: Promise<MapTree> }>()

/** A brain, and its graph as a tree of things. */
export interface Seen {
  brain: Brain
  tree: MapTree
}

/** The brain in place with its tree, worked out once for each graph; what is still there stays where it lay. */
export async function look(engine: Engine): Promise<Seen> {
  for (;;) {
    await engine.settled
    const { brain } = engine
    const before = trees.get(engine)
    const made = before?.graph === brain.graph ? before.tree : makeTree(brain.graph, before?.tree)
    trees.set(engine, { graph: brain.graph, tree: made })
    const tree = await made
    // an ingest may have come meanwhile
    if (engine.brain.graph === tree.graph) return { brain: engine.brain, tree }
  }
}

async function makeTree(graph: Graph, before: Promise<MapTree> | undefined): Promise<MapTree> {
  const communities = await inSlices(communityWork(graph))
  const tree = await inSlices(mapTreeWork(graph, communities))
  if (before !== undefined) follow(tree, placesIn(await before))
  return tree
}

export interface MapQuery {
  open: readonly string[]
  show: readonly string[]
  edges: number
  signal: AbortSignal
}

export async function readMap(
  engine: Engine,
  { open, show, edges, signal }: MapQuery,
): Promise<Omit<MapAnswer, 'served_brain'>> {
  const { tree } = await look(engine)
  const request = { open, show, mostItems: MOST_ITEMS, mostEdges: edges }
  const map = await inSlices(mapWork(tree, request), signal)
  return {
    generation: tree.graph.meta.generation,
    bounds: {
      x: round(map.bounds.x),
      y: round(map.bounds.y),
      width: round(map.bounds.width),
      height: round(map.bounds.height),
    },
    items: map.items.map(rounded),
    edges: map.edges.map((it) => ({ ...it, weight: round(it.weight) })),
    edges_total: map.edgesTotal,
    communities: map.communities,
    aggregated: map.aggregated,
    unknown: map.unknown.slice(0, UNKNOWN_TOLD).map((it) => it.slice(0, UNKNOWN_CHARACTERS)),
    truncated: truncated(
      map.items.length,
      map.items.length + map.notShown,
      `At most ${MOST_ITEMS} items are shown at a time: open one of the closed ones alone.`,
    ),
  }
}

function rounded(item: Item): Item {
  const { x, y, r, recency, pagerank } = item
  return { ...item, x: round(x), y: round(y), r: round(r), recency: round(recency), pagerank: round(pagerank) }
}
