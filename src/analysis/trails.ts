/** Investigations put together: what they share, where they contradict each other, and how they touch in the graph. */

import { parseClaim } from '#analysis/claim'
import { DEAD_EDGE, type Graph, labelOf, NONE, type NodeId, PRIMARY, relationOf } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { isPlacement } from '#query/region'

/** Supports that overlap by this share are about the same thing. */
const SAME_SUBJECT = 0.3
const CONFIDENCE_SHARE = 0.7
const RECENCY_SHARE = 0.3
const RECENCY_HALF_LIFE_DAYS = 7
/** Scores closer than this decide nothing. */
const DECISIVE = 0.2
const BRIDGES_SHOWN = 20

/** A hypothesis with where it is from. */
export interface Claim {
  statement: string
  confidence: number
  supporting: readonly string[]
  /** Position of its trail. */
  trail: number
  ageDays: number
}

export interface Conflict {
  /** Positions in the list of claims. */
  a: number
  b: number
  /** Score of `a` less that of `b`. */
  delta: number
  /** Position of the winner, null when the scores are too close. */
  winner: number | null
  /** A node that both rest on. */
  node: string
}

export interface Comparison {
  conflicts: Conflict[]
  /** Pairs that say the same: the later position repeats the earlier one. */
  agreements: { a: number; b: number }[]
}

/**
 * Compares claims of different trails. Same words and polarity: they agree. Otherwise, when their supports overlap by
 * 0.3 of the larger one, they are in conflict, and 0.7 of the confidence plus 0.3 of the recency (half-life 7 days)
 * decides if it differs by 0.2.
 */
export function compareClaims(claims: readonly Claim[]): Comparison {
  const found: Comparison = { conflicts: [], agreements: [] }
  const meanings = claims.map((it) => meaningOf(it.statement))
  for (let a = 0; a < claims.length; a++) {
    for (let b = a + 1; b < claims.length; b++) {
      if (meanings[a] === meanings[b] || claimTheSame(claims[a].statement, claims[b].statement)) {
        found.agreements.push({ a, b })
        continue
      }
      if (claims[a].trail === claims[b].trail) continue
      const shared = overlap(claims[a].supporting, claims[b].supporting)
      if (shared === null || shared.share < SAME_SUBJECT) continue
      const delta = scoreOf(claims[a]) - scoreOf(claims[b])
      const decided = Math.abs(delta) >= DECISIVE
      found.conflicts.push({ a, b, delta, winner: decided ? (delta > 0 ? a : b) : null, node: shared.node })
    }
  }
  return found
}

/** Claims of one kind about the same two sides. */
function claimTheSame(a: string, b: string): boolean {
  const [one, other] = [parseClaim(a), parseClaim(b)]
  if (one.type === 'unknown' || one.type !== other.type || one.negated !== other.negated) return false
  return (
    one.direct === other.direct &&
    meaningOf(one.subject) === meaningOf(other.subject) &&
    meaningOf(one.object) === meaningOf(other.object)
  )
}

function scoreOf({ confidence, ageDays }: Claim): number {
  return CONFIDENCE_SHARE * confidence + RECENCY_SHARE * 0.5 ** (Math.max(0, ageDays) / RECENCY_HALF_LIFE_DAYS)
}

function overlap(a: readonly string[], b: readonly string[]): { share: number; node: string } | null {
  const other = new Set(b)
  const shared = [...new Set(a)].filter((it) => other.has(it))
  if (shared.length === 0) return null
  return { share: shared.length / Math.max(new Set(a).size, other.size), node: shared.sort()[0] }
}

const FILLERS = new Set(
  'a an the this that it its of in on at to for by is are was were be been does do did'.split(' '),
)
const NEGATIONS = new Set("not no never n't cannot without neither nor".split(' '))
const VERBS = new Map(
  Object.entries({
    depend: 'need',
    require: 'need',
    use: 'need',
    import: 'need',
    call: 'need',
    invoke: 'need',
  }),
)

/**
 * What a statement says, so far as words tell: in their order, without fillers and endings, verbs of dependence as one,
 * and whether it is negated. Statements of one meaning agree; others may still mean the same.
 */
export function meaningOf(statement: string): string {
  const words = statement
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/n['’]t\b/g, ' not')
    .match(/[\p{L}\p{N}_./:]*[\p{L}\p{N}_]/gu)
  const kept: string[] = []
  let negated = false
  for (const word of words ?? []) {
    if (NEGATIONS.has(word)) negated = !negated
    else if (!FILLERS.has(word)) kept.push(stemmed(word))
  }
  return `${negated ? 'not ' : ''}${kept.join(' ')}`
}

function stemmed(word: string): string {
  const stem = word.replace(/(?<=\p{L}{3})(?:ies|es|s|ed|ing)$/u, '').replace(/e$/, '')
  return VERBS.get(stem) ?? VERBS.get(`${stem}e`) ?? stem
}

export interface Connection {
  type: 'shared_node' | 'bridge_edge' | 'cross_support'
  from: string
  /** '' unless it is an edge. */
  to: string
  weight: number
  detail: string
}

/** What ties trails together: nodes seen by several, edges from one to another, nodes that support claims of several. */
export function connectionsOf(
  graph: Graph,
  trails: readonly { visited: readonly string[]; supporting: readonly string[] }[],
): Connection[] {
  const shared = inSeveral(trails.map((it) => it.visited))
  const connections = shared.map(({ key, n }): Connection => {
    const detail = `${nameOf(graph, key)} was visited in ${n} of ${trails.length} trails`
    return { type: 'shared_node', from: key, to: '', weight: n / trails.length, detail }
  })
  const visited = trails.map((it) => new Set(it.visited))
  connections.push(...bridges(graph, visited))
  for (const { key, n } of inSeveral(trails.map((it) => it.supporting))) {
    const detail = `${nameOf(graph, key)} supports hypotheses of ${n} trails`
    connections.push({ type: 'cross_support', from: key, to: '', weight: n / trails.length, detail })
  }
  return connections
}

/** Keys that occur in at least two lists, the most frequent first. */
function inSeveral(lists: readonly (readonly string[])[]): { key: string; n: number }[] {
  const counts = new Map<string, number>()
  for (const list of lists) for (const key of new Set(list)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts]
    .filter(([, n]) => n > 1)
    .map(([key, n]) => ({ key, n }))
    .sort((a, b) => b.n - a.n || (a.key < b.key ? -1 : 1))
}

/** The strongest edges between a node that only one trail visited and a node of another, where they stand aside. */
function bridges(graph: Graph, visited: readonly ReadonlySet<string>[]): Connection[] {
  const trailsOf = new Map<NodeId, Set<number>>()
  visited.forEach((keys, t) => {
    for (const key of keys) {
      const v = nodeByKey(graph, key)
      if (v !== NONE) trailsOf.set(v, (trailsOf.get(v) ?? new Set()).add(t))
    }
  })
  const keys = new Map<NodeId, string>()
  for (const set of visited) for (const key of set) keys.set(nodeByKey(graph, key), key)
  const found: { slot: number; source: NodeId; target: NodeId }[] = []
  for (const [source, own] of trailsOf) {
    for (let slot = graph.out.offsets[source]; slot < graph.out.offsets[source + 1]; slot++) {
      const target = graph.out.targets[slot]
      const others = trailsOf.get(target)
      if (others === undefined || target === source || [...own].some((it) => others.has(it))) continue
      if ((graph.flags[slot] & (PRIMARY | DEAD_EDGE)) !== PRIMARY || isPlacement(relationOf(graph, slot))) continue
      found.push({ slot, source, target })
    }
  }
  const weight = (slot: number) => graph.weights[slot]
  found.sort((a, b) => weight(b.slot) - weight(a.slot) || a.source - b.source || a.target - b.target)
  return found.slice(0, BRIDGES_SHOWN).map(({ slot, source, target }) => ({
    type: 'bridge_edge',
    from: keys.get(source) ?? '',
    to: keys.get(target) ?? '',
    weight: weight(slot),
    detail: `${labelOf(graph, source)} ${relationOf(graph, slot)} ${labelOf(graph, target)}`,
  }))
}

function nameOf(graph: Graph, key: string): string {
  const v = nodeByKey(graph, key)
  return v === NONE ? key : labelOf(graph, v)
}
