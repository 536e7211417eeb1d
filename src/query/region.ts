/** The ranked nodes as a small graph of their own: how they hang together without containment. */

import { DEAD_EDGE, type Graph, INHIBITORY } from '#graph/graph'
import { isContainment } from '#graph/relations'
import type { Ranked } from '#query/blend'

export interface Region {
  rows: readonly Ranked[]
  /** Per row the linked rows, ascending, each once. */
  links: number[][]
}

/** Whether a relation only says where things stand: folders, files, files side by side. */
export function isPlacement(relation: string): boolean {
  return isContainment(relation) || relation === 'sibling'
}

const known = new WeakMap<Graph, ReadonlySet<number>>()

/** String handles of the relations of a graph that say no more than that. */
export function placements(graph: Graph): ReadonlySet<number> {
  let found = known.get(graph)
  if (found === undefined) {
    const handles = [...new Set(graph.relations)]
    found = new Set(handles.filter((it) => isPlacement(graph.strings.get(it))))
    known.set(graph, found)
  }
  return found
}

export function regionOf(graph: Graph, rows: readonly Ranked[]): Region {
  const rowOf = new Map(rows.map((it, i) => [it.node, i]))
  const sets = rows.map(() => new Set<number>())
  const skipped = placements(graph)
  rows.forEach(({ node }, i) => {
    for (let e = graph.out.offsets[node]; e < graph.out.offsets[node + 1]; e++) {
      const j = rowOf.get(graph.out.targets[e])
      if (j === undefined || j === i || (graph.flags[e] & (DEAD_EDGE | INHIBITORY)) !== 0) continue
      if (skipped.has(graph.relations[e])) continue
      sets[i].add(j)
      sets[j].add(i)
    }
  })
  return { rows, links: sets.map((it) => Array.from(it).sort((a, b) => a - b)) }
}

/** Sizes of the pieces into which the rows around `removed` fall without it, largest first. */
export function piecesWithout({ links }: Region, removed: number): number[] {
  const seen = new Set([removed])
  const sizes: number[] = []
  for (const start of links[removed]) {
    if (seen.has(start)) continue
    seen.add(start)
    const queue = [start]
    for (let i = 0; i < queue.length; i++) {
      for (const next of links[queue[i]]) {
        if (seen.has(next)) continue
        seen.add(next)
        queue.push(next)
      }
    }
    sizes.push(queue.length)
  }
  return sizes.sort((a, b) => b - a)
}

const MAX_SWEEPS = 20

/**
 * A community per row (named by one of its rows): every row joins the neighbouring community that raises
 * modularity most, until none moves. Rows are visited in order and ties go to the smaller number.
 */
export function communitiesOf({ links }: Region): number[] {
  const community = links.map((_, i) => i)
  const degrees = links.map((it) => it.length)
  const total = degrees.reduce((acc, degree) => acc + degree, 0)
  const volume = degrees.slice()
  for (let sweep = 0, moved = true; moved && sweep < MAX_SWEEPS; sweep++) {
    moved = false
    for (let i = 0; i < links.length; i++) {
      if (degrees[i] === 0) continue
      const home = community[i]
      volume[home] -= degrees[i]
      const linksTo = new Map([[home, 0]])
      for (const j of links[i]) linksTo.set(community[j], (linksTo.get(community[j]) ?? 0) + 1)
      const gain = (to: number): number => (linksTo.get(to) ?? 0) - (degrees[i] * volume[to]) / total
      let best = home
      for (const to of Array.from(linksTo.keys()).sort((a, b) => a - b)) if (gain(to) > gain(best) + 1e-12) best = to
      if (best !== home) moved = true
      community[i] = best
      volume[best] += degrees[i]
    }
  }
  return community
}
