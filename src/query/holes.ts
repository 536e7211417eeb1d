/**
 * What seems to be missing around a ranking: quiet nodes among active ones, members without what their
 * siblings have, and single points on which the region hangs together.
 */

import {
  DEAD_EDGE,
  DIRECTORY,
  fileOf,
  type Graph,
  keyOf,
  labelOf,
  NONE,
  type NodeId,
  PRIMARY,
  relationOf,
} from '#graph/graph'
import { AGREES_ABOVE, type Ranked } from '#query/blend'
import { communitiesOf, isPlacement, piecesWithout, type Region, regionOf } from '#query/region'

/** Activation from which a neighbour counts unless the caller says otherwise. */
export const MIN_SIBLING_ACTIVATION = 0.3
const LEAST_NEIGHBOURS = 2
const SHOWN_PER_KIND = 10
const LEAST_GROUP = 3
/** Share of a group that must have something before its lack is a gap. */
const COMMON_SHARE = 0.6
const SHARED_RELATIONS = new Set(['imports', 'calls', 'references', 'implements'])
/** A piece of one node that falls off is no loss of connection worth telling. */
const LEAST_PIECE = 2

export interface Hole {
  /**
   * `inactive`: a quiet node among active neighbours. `gap`: a member of a group that lacks what most of the
   * group has. `bridge`: a node whose removal splits the region, or that holds the only link of two parts.
   */
  kind: 'inactive' | 'gap' | 'bridge'
  type: 'structural_hole' | 'fragile_bridge'
  /** The quiet node, the lacking member, the bridge. */
  node: NodeId
  /** Key of the node; `structural_hole_<i>` for a gap, which has no node of its own. */
  id: string
  label: string
  reason: string
  /** Mean activation of the neighbours or siblings that make it a hole. */
  siblingAverage: number
  /** How many there are. */
  adjacent: number
}

/**
 * At most ten holes of each kind and how many were found in all. What can be named comes first: gaps, then bridges,
 * then quiet nodes.
 */
export function findHoles(
  graph: Graph,
  ranked: readonly Ranked[],
  minSibling = MIN_SIBLING_ACTIVATION,
): { holes: Hole[]; total: number } {
  // activation as it is reported: at most 1
  const rows = ranked.map((it) => ({ ...it, score: Math.min(1, it.score) }))
  const active = rows.filter((it) => it.score > minSibling)
  const region = regionOf(graph, rows)
  const found = [gaps(graph, region, active), bridges(graph, region), inactiveNodes(graph, rows, active)]
  return {
    holes: found.flatMap((it) => it.slice(0, SHOWN_PER_KIND)),
    total: found.reduce((acc, it) => acc + it.length, 0),
  }
}

function inactiveNodes(graph: Graph, ranked: readonly Ranked[], active: readonly Ranked[]): Hole[] {
  const shown = new Set(ranked.filter((it) => it.score > AGREES_ABOVE).map((it) => it.node))
  /** Activations of related neighbours, and the strongest among those that only contain it or stand beside it. */
  const around = new Map<NodeId, { related: number[]; placed: number }>()
  for (const { node, score } of active) {
    const related = new Map<NodeId, boolean>()
    eachEdge(graph, node, (u, slot) => {
      if (u === node || shown.has(u) || graph.dead[u] === 1) return
      const isRelated = !isPlacement(relationOf(graph, slot))
      related.set(u, (related.get(u) ?? false) || isRelated)
    })
    for (const [u, isRelated] of related) {
      const known = around.get(u) ?? { related: [], placed: 0 }
      around.set(u, known)
      if (isRelated) known.related.push(score)
      else known.placed = Math.max(known.placed, score)
    }
  }

  const holes: Hole[] = []
  for (const [node, { related, placed }] of around) {
    const scores = placed > 0 ? related.concat(placed) : related
    if (scores.length < LEAST_NEIGHBOURS) continue
    const average = mean(scores)
    const reason = `${scores.length} activated neighbors (avg=${average.toFixed(2)}) but node inactive`
    holes.push({
      kind: 'inactive',
      type: 'structural_hole',
      node,
      id: keyOf(graph, node),
      label: labelOf(graph, node),
      reason,
      siblingAverage: average,
      adjacent: scores.length,
    })
  }
  return holes.sort((a, b) => b.siblingAverage - a.siblingAverage || b.adjacent - a.adjacent || a.node - b.node)
}

function gaps(graph: Graph, region: Region, active: readonly Ranked[]): Hole[] {
  const found: { hole: Hole; end: NodeId; share: number }[] = []
  for (const group of groupsOf(graph, region, active)) {
    const holders = new Map<string, { relation: string; end: NodeId; members: Set<Ranked> }>()
    for (const member of group) {
      for (const [relation, end] of sharedEnds(graph, member.node)) {
        const name = `${relation} ${end}`
        const known = holders.get(name) ?? { relation, end, members: new Set<Ranked>() }
        holders.set(name, known)
        known.members.add(member)
      }
    }
    const lacking = new Set<string>()
    for (const { relation, end, members } of holders.values()) {
      // who offers the shared thing does not lack it
      const others = group.filter((it) => !isWithin(graph, end, it.node))
      if (others.length < LEAST_GROUP || members.size < Math.max(2, Math.ceil(COMMON_SHARE * others.length))) continue
      const average = mean(Array.from(members, (it) => it.score))
      for (const { node } of others.filter((it) => !members.has(it))) {
        // what is imported and called is lacking once
        if (lacking.has(`${node} ${end}`)) continue
        lacking.add(`${node} ${end}`)
        const what = end === NONE ? 'have tests' : `${VERBS[relation] ?? relation} ${labelOf(graph, end)}`
        const hole: Hole = {
          kind: 'gap',
          type: 'structural_hole',
          node,
          id: '',
          label: end === NONE ? 'tests' : labelOf(graph, end),
          reason: `${members.size} of ${others.length} siblings ${what}, ${labelOf(graph, node)} does not`,
          siblingAverage: average,
          adjacent: members.size,
        }
        found.push({ hole, end, share: members.size / others.length })
      }
    }
  }
  found.sort((a, b) => b.share - a.share || bySiblings(a.hole, b.hole) || (a.hole.label < b.hole.label ? -1 : 1))
  // a file is lacking only where nothing in it is
  const within = new Set(
    found.flatMap(({ hole, end }) => {
      const file = end === NONE ? NONE : fileOf(graph, end)
      return file === end ? [] : [`${hole.node} ${file}`]
    }),
  )
  return found
    .filter(({ hole, end }) => !within.has(`${hole.node} ${end}`))
    .map(({ hole }, i) => ({ ...hole, id: `structural_hole_${i + 1}` }))
}

function isWithin(graph: Graph, v: NodeId, container: NodeId): boolean {
  let u = v
  while (u !== NONE && u !== container) u = graph.parents[u]
  return u === container
}

function bySiblings(a: Hole, b: Hole): number {
  return b.siblingAverage - a.siblingAverage || a.node - b.node
}

const VERBS: Readonly<Record<string, string>> = {
  imports: 'import',
  calls: 'call',
  references: 'reference',
  implements: 'implement',
}

/** Active nodes of one type and folder; where a folder has fewer than three, those of one community. */
function groupsOf(graph: Graph, { rows, links }: Region, active: readonly Ranked[]): Ranked[][] {
  const inFolder = groupBy(active, ({ node }) => `${graph.types[node]} ${folderOf(graph, node)}`)
  const communities = communitiesOf({ rows, links })
  const communityOf = new Map(rows.map((it, i) => [it.node, communities[i]]))
  const few = inFolder.filter((it) => it.length < LEAST_GROUP).flat()
  const inCommunity = groupBy(few, ({ node }) => `${graph.types[node]} ${communityOf.get(node) ?? ''}`)
  return inFolder.concat(inCommunity).filter((it) => it.length >= LEAST_GROUP)
}

function groupBy(rows: readonly Ranked[], nameOf: (row: Ranked) => string): Ranked[][] {
  const groups = new Map<string, Ranked[]>()
  for (const row of rows) {
    const name = nameOf(row)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [row])
    else group.push(row)
  }
  return Array.from(groups.values())
}

function folderOf(graph: Graph, v: NodeId): NodeId {
  let u = graph.parents[v]
  while (u !== NONE && graph.types[u] !== DIRECTORY) u = graph.parents[u]
  return u
}

/** What a node uses, and `tests` with the end NONE when something tests it. */
function sharedEnds(graph: Graph, v: NodeId): [relation: string, end: NodeId][] {
  const ends: [string, NodeId][] = []
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    const relation = relationOf(graph, e)
    if (isStated(graph, e) && SHARED_RELATIONS.has(relation)) ends.push([relation, graph.out.targets[e]])
  }
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const e = graph.in.slots[i]
    if (!isStated(graph, e) || relationOf(graph, e) !== 'tests') continue
    ends.push(['tests', NONE])
    break
  }
  return ends
}

/** Whether a slot is alive and runs as its edge was stated. */
function isStated(graph: Graph, slot: number): boolean {
  return (graph.flags[slot] & (PRIMARY | DEAD_EDGE)) === PRIMARY
}

function bridges(graph: Graph, region: Region): Hole[] {
  const { rows, links } = region
  const found: { hole: Hole; lost: number }[] = []
  const told = new Set<number>()
  const tell = (row: number, lost: number, reason: string) => {
    told.add(row)
    const { node } = rows[row]
    const hole: Hole = {
      kind: 'bridge',
      type: 'fragile_bridge',
      node,
      id: keyOf(graph, node),
      label: labelOf(graph, node),
      reason,
      siblingAverage: mean(links[row].map((it) => rows[it].score)),
      adjacent: links[row].length,
    }
    found.push({ hole, lost })
  }

  for (let row = 0; row < rows.length; row++) {
    if (links[row].length < 2) continue
    const pieces = piecesWithout(region, row)
    const rest = pieces.slice(1).reduce((acc, size) => acc + size, 0)
    if (pieces.length < 2 || pieces[1] < LEAST_PIECE) continue
    const whole = pieces[0] + rest + 1
    tell(row, rest, `without it ${rest} of ${whole} connected nodes lose their connection to the rest`)
  }

  // the only link between two communities
  const communities = communitiesOf(region)
  const sizes = new Map<number, number>()
  for (const community of communities) sizes.set(community, (sizes.get(community) ?? 0) + 1)
  const between = new Map<string, [number, number][]>()
  links.forEach((linked, i) => {
    for (const j of linked) {
      const a = communities[i]
      const b = communities[j]
      if (j < i || a === b || Math.min(sizes.get(a) ?? 0, sizes.get(b) ?? 0) < LEAST_GROUP) continue
      const name = `${Math.min(a, b)} ${Math.max(a, b)}`
      between.set(name, (between.get(name) ?? []).concat([[i, j]]))
    }
  })
  for (const [[i, j], ...others] of between.values()) {
    if (others.length > 0 || told.has(i) || told.has(j)) continue
    const lost = Math.min(sizes.get(communities[i]) ?? 0, sizes.get(communities[j]) ?? 0)
    tell(
      i,
      lost,
      `its link to ${labelOf(graph, rows[j].node)} is the only one between two groups of ${sizes.get(communities[i])} and ${sizes.get(communities[j])} nodes`,
    )
  }

  return found.sort((a, b) => b.lost - a.lost || bySiblings(a.hole, b.hole)).map((it) => it.hole)
}

function eachEdge(graph: Graph, v: NodeId, visit: (u: NodeId, slot: number) => void): void {
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    if ((graph.flags[e] & DEAD_EDGE) === 0) visit(graph.out.targets[e], e)
  }
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const e = graph.in.slots[i]
    if ((graph.flags[e] & DEAD_EDGE) === 0) visit(graph.in.targets[i], e)
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((acc, value) => acc + value, 0) / values.length
}
