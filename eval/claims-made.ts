/**
 * Claims that are known to be true or false, made from a graph that compilers have checked and from commits that came
 * later. Names are those of the project, wordings those that people use.
 */

import type { ClaimType } from '#analysis/claim'
import {
  CLASS,
  DEAD_EDGE,
  FILE,
  fileOf,
  FUNCTION,
  type Graph,
  GUESS,
  keyOf,
  labelOf,
  LIFTED,
  type NodeId,
  NONE,
  PRIMARY,
  relationOf,
  text,
  UNREACHABLE,
} from '#graph/graph'
import { nodesByLabel } from '#graph/lookup'
import { Random } from '#std/random'
import type { Change } from './checkout.ts'

export type Kind = Exclude<ClaimType, 'unknown'>
export const KINDS: readonly Kind[] = [
  'depends_on',
  'never_calls',
  'no_dependency',
  'coupling',
  'circular',
  'gateway',
  'always_before',
  'isolated',
]

export interface MadeClaim {
  kind: Kind
  text: string
  truth: boolean
}

const WORDINGS: Record<Kind, readonly string[]> = {
  depends_on: ['S depends on O', 'S requires O', 'S relies on O', 'O is used by S'],
  never_calls: ['S never uses O', 'S does not import O', 'S never calls O', 'O is not used by S'],
  no_dependency: [
    'S is independent of O',
    'S has no dependency on O',
    'S is decoupled from O',
    'S does not depend on O',
  ],
  coupling: ['S and O change together', 'S and O are tightly coupled', 'S is coupled to O'],
  circular: [
    'S and O have a circular dependency',
    'there is a cycle between S and O',
    'S has a circular dependency with O',
  ],
  gateway: ['all access to O goes through S', 'S is the gateway to O', 'every use of O goes through S'],
  always_before: ['S always runs before O', 'S is always called before O', 'S precedes O'],
  isolated: ['S is isolated', 'S has no dependencies', 'S is standalone'],
}

const RELATIONS = new Set([
  'imports',
  'calls',
  'references',
  'implements',
  'inherits',
  'implements_trait',
  'reexports',
  'tests',
  'uses',
  'declares_module',
])
/** Commits that must show a coupling, or that either file must have without the other. */
const LEAST_COMMITS = 2
const MOST_FILES = 30

type Links = Map<NodeId, Set<NodeId>>
type Ends = [subject: NodeId, object: NodeId]

/** Up to `perSide` true and as many false claims of each kind; fewer where the project has fewer. */
export function makeClaims(graph: Graph, later: readonly Change[], perSide: number, seed: number): MadeClaim[] {
  const random = new Random(seed)
  const files = sources(graph)
  const uses = linksBetween(graph, (v) => fileOf(graph, v), new Set(files))
  const users = reversed(uses)
  const claims: MadeClaim[] = []
  const add = (kind: Kind, truth: boolean, pairs: readonly Ends[]) => {
    for (const [i, [s, o]] of pairs.slice(0, perSide).entries()) {
      const wording = WORDINGS[kind][i % WORDINGS[kind].length]
      const text = wording
        .replace('S', () => `\`${nameOf(graph, s)}\``)
        .replace(/\bO\b/, () => `\`${nameOf(graph, o)}\``)
      claims.push({ kind, text, truth })
    }
  }

  const pick = () => files[random.below(files.length)]
  const closures = new Map<NodeId, Map<NodeId, number>>()
  const distances = (v: NodeId) => {
    const known = closures.get(v) ?? distancesFrom(uses, v)
    closures.set(v, known)
    return known
  }
  const apart = sample(perSide * 4, () => {
    const [a, b] = [pick(), pick()]
    return a !== b && !distances(a).has(b) && nearEnough(graph, a, b, random) ? [a, b] : null
  })
  const atDistance = (hops: number) =>
    sample(perSide * 2, () => {
      const a = pick()
      const those = [...distances(a)].filter(([, it]) => it === hops).map(([v]) => v)
      return those.length === 0 ? null : [a, those[random.below(those.length)]]
    })
  // six of ten a step apart, three two, one three
  const connected = mixed(perSide, [atDistance(1), 6], [atDistance(2), 3], [atDistance(3), 1])

  add('depends_on', true, connected)
  add('depends_on', false, apart)
  add('never_calls', true, apart.slice(perSide))
  add('never_calls', false, mixed(perSide, [atDistance(1), 7], [atDistance(2), 3]))
  add('no_dependency', true, apart.slice(2 * perSide))
  add('no_dependency', false, mixed(perSide, [atDistance(1), 7], [atDistance(2), 3]))

  const circular = sample(perSide, () => {
    const a = pick()
    const those = [...distances(a)].filter(([b, hops]) => hops <= 3 && (distances(b).get(a) ?? 9) <= 3).map(([v]) => v)
    return those.length === 0 ? null : [a, those[random.below(those.length)]]
  })
  const oneWay = connected.filter(([a, b]) => !distances(b).has(a))
  add('circular', true, circular)
  add('circular', false, mixed(perSide, [oneWay, 1], [apart.slice(3 * perSide), 1]))

  const { together, separate } = coupled(graph, later, random)
  add('coupling', true, together)
  add('coupling', false, separate)

  const { gateways, byways } = gatewaysIn(files, uses, users, random)
  add('gateway', true, gateways)
  add('gateway', false, byways)

  const { ordered, unordered } = ordersIn(graph, random)
  add('always_before', true, ordered)
  add('always_before', false, unordered)

  const degree = (v: NodeId) => (uses.get(v)?.size ?? 0) + (users.get(v)?.size ?? 0)
  const outside = outsideUsers(graph)
  const lonely = shuffled(
    files.filter((v) => degree(v) === 0 && !outside.has(v)),
    random,
  )
  const social = shuffled(
    files.filter((v) => degree(v) > 0),
    random,
  )
  add(
    'isolated',
    true,
    lonely.map((v): Ends => [v, v]),
  )
  add(
    'isolated',
    false,
    social.map((v): Ends => [v, v]),
  )
  return claims
}

/** Source files: those of a language in which any file is related to another. */
function sources(graph: Graph): NodeId[] {
  const files = nodesWhere(graph, (v) => graph.types[v] === FILE)
  const related = linksBetween(graph, (v) => fileOf(graph, v), new Set(files))
  const endings = new Set([...related].filter(([, to]) => to.size > 0).map(([v]) => endingOf(graph, v)))
  return files.filter((v) => endings.has(endingOf(graph, v)))
}

function nodesWhere(graph: Graph, fits: (v: NodeId) => boolean): NodeId[] {
  const found: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) if (graph.dead[v] === 0 && fits(v)) found.push(v)
  return found
}

function endingOf(graph: Graph, v: NodeId): string {
  return /\.\w+$/.exec(labelOf(graph, v))?.[0] ?? ''
}

/** Files by their path, definitions by file and name. */
function nameOf(graph: Graph, v: NodeId): string {
  if (graph.types[v] === FILE) return text(graph, graph.paths[v])
  const label = labelOf(graph, v)
  return nodesByLabel(graph, label).length === 1 ? label : keyOf(graph, v)
}

/** Which node uses which, with every end taken for the node that `as` makes of it; edges that are guesses are left out. */
function linksBetween(graph: Graph, as: (v: NodeId) => NodeId, among: ReadonlySet<NodeId>): Links {
  const links: Links = new Map()
  for (let v = 0; v < graph.nNodes; v++) {
    const a = as(v)
    if (a === NONE || !among.has(a)) continue
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const b = as(graph.out.targets[e])
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE | UNREACHABLE)) !== PRIMARY || graph.tiers[e] === GUESS) continue
      if (b === NONE || a === b || !among.has(b) || !RELATIONS.has(relationOf(graph, e))) continue
      const known = links.get(a)
      if (known === undefined) links.set(a, new Set([b]))
      else known.add(b)
    }
  }
  return links
}

function reversed(links: Links): Links {
  const back: Links = new Map()
  for (const [a, to] of links) for (const b of to) back.set(b, (back.get(b) ?? new Set()).add(a))
  return back
}

/** Fewest steps to everything that can be reached, without the start. */
function distancesFrom(links: Links, start: NodeId, without = NONE): Map<NodeId, number> {
  const found = new Map<NodeId, number>()
  let layer = [start]
  for (let hop = 1; layer.length > 0; hop++) {
    const next: NodeId[] = []
    for (const v of layer) {
      for (const u of links.get(v) ?? []) {
        if (u === start || u === without || found.has(u)) continue
        found.set(u, hop)
        next.push(u)
      }
    }
    layer = next
  }
  return found
}

/** Half of the pairs that have nothing to do with each other stand in one folder at the top, so that they are not all easy. */
function nearEnough(graph: Graph, a: NodeId, b: NodeId, random: Random): boolean {
  const folder = (v: NodeId) => text(graph, graph.paths[v]).split('/').slice(0, 2).join('/')
  return folder(a) === folder(b) || random.below(4) === 0
}

function coupled(graph: Graph, later: readonly Change[], random: Random): { together: Ends[]; separate: Ends[] } {
  const byPath = new Map(nodesWhere(graph, (v) => graph.types[v] === FILE).map((v) => [text(graph, graph.paths[v]), v]))
  const commits = new Map<NodeId, number>()
  const pairs = new Map<string, number>()
  for (const { files } of later) {
    if (files.length > MOST_FILES) continue
    const nodes = files.flatMap(({ path }) => byPath.get(path) ?? []).sort((a, b) => a - b)
    for (const [i, a] of nodes.entries()) {
      commits.set(a, (commits.get(a) ?? 0) + 1)
      for (const b of nodes.slice(i + 1)) pairs.set(`${a} ${b}`, (pairs.get(`${a} ${b}`) ?? 0) + 1)
    }
  }
  const ends = (name: string): Ends => {
    const [a = 0, b = 0] = name.split(' ').map(Number)
    return [a, b]
  }
  const together = [...pairs].filter(([, count]) => count >= LEAST_COMMITS).map(([name]) => ends(name))
  const often = [...commits]
    .filter(([, count]) => count >= LEAST_COMMITS)
    .map(([v]) => v)
    .sort((a, b) => a - b)
  const separate = often.flatMap((a, i) =>
    often
      .slice(i + 1)
      .filter((b) => !pairs.has(`${a} ${b}`))
      .map((b): Ends => [a, b]),
  )
  return { together: shuffled(together, random), separate: shuffled(separate, random) }
}

/** Files that all, or none, of the dependents of another one need to reach it. */
function gatewaysIn(
  files: readonly NodeId[],
  uses: Links,
  users: Links,
  random: Random,
): { gateways: Ends[]; byways: Ends[] } {
  const gateways: Ends[] = []
  const byways: Ends[] = []
  for (const object of shuffled([...files], random)) {
    const dependents = distancesFrom(users, object)
    if (dependents.size < 4) continue
    for (const subject of users.get(object) ?? []) {
      if ((uses.get(subject)?.size ?? 0) === 0 || (users.get(subject)?.size ?? 0) === 0) continue
      const left = distancesFrom(users, object, subject)
      const share = 1 - left.size / (dependents.size - 1)
      if (share >= 0.9) gateways.push([subject, object])
      else if (share <= 0.1) byways.push([subject, object])
    }
    if (gateways.length > 300 && byways.length > 300) break
  }
  return { gateways: shuffled(gateways, random), byways: shuffled(byways, random) }
}

/** A function before the only one that it alone calls; against these the same turned round, and calls that others make too. */
function ordersIn(graph: Graph, random: Random): { ordered: Ends[]; unordered: Ends[] } {
  const calls = linksOfCalls(graph)
  const callers = reversed(calls)
  const ordered: Ends[] = []
  const shared: Ends[] = []
  for (const [callee, by] of callers) {
    const [only] = by
    if (graph.types[callee] !== FUNCTION || only === undefined) continue
    if (by.size === 1 && graph.types[only] === FUNCTION && !(calls.get(callee)?.has(only) ?? false))
      ordered.push([only, callee])
    else if (by.size > 3) shared.push([[...by][random.below(by.size)], callee])
  }
  const turned = shuffled(ordered, random).map(([a, b]): Ends => [b, a])
  const functions = shuffled(
    [...calls.keys()].filter((v) => graph.types[v] === FUNCTION),
    random,
  )
  const strangers = functions
    .slice(1)
    .map((v, i): Ends => [functions[i], v])
    .filter(([a, b]) => !distancesFrom(calls, a).has(b) && !distancesFrom(calls, b).has(a))
  const n = ordered.length
  return {
    ordered: shuffled(ordered, random),
    unordered: mixed(n, [turned, 1], [strangers, 1], [shared.filter(([a]) => graph.types[a] === FUNCTION), 1]),
  }
}

function linksOfCalls(graph: Graph): Links {
  const links: Links = new Map()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.types[v] !== FUNCTION && graph.types[v] !== CLASS && graph.types[v] !== FILE) continue
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const u = graph.out.targets[e]
      if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) !== PRIMARY || graph.tiers[e] === GUESS || u === v) continue
      if (relationOf(graph, e) !== 'calls' || graph.types[u] !== FUNCTION) continue
      // a file's own calls count for what runs when it is loaded, not those lifted from its parts
      if (graph.types[v] === FILE && (graph.flags[e] & LIFTED) !== 0) continue
      links.set(v, (links.get(v) ?? new Set()).add(u))
    }
  }
  return links
}

/** Files that use something outside of the project. */
function outsideUsers(graph: Graph): Set<NodeId> {
  const found = new Set<NodeId>()
  for (let v = 0; v < graph.nNodes; v++) {
    for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
      const u = graph.out.targets[e]
      if (RELATIONS.has(relationOf(graph, e)) && fileOf(graph, u) !== fileOf(graph, v)) found.add(fileOf(graph, v))
    }
  }
  return found
}

/** Distinct pairs, as many as asked for where enough can be drawn. */
function sample(n: number, draw: () => Ends | null): Ends[] {
  const found = new Map<string, Ends>()
  for (let tries = 0; tries < n * 200 && found.size < n; tries++) {
    const ends = draw()
    if (ends !== null) found.set(ends.join(' '), ends)
  }
  return [...found.values()]
}

/** From several lists by their shares, in turns. */
function mixed(n: number, ...lists: (readonly [readonly Ends[], number])[]): Ends[] {
  const found: Ends[] = []
  const at = lists.map(() => 0)
  for (let round = 0; found.length < n; round++) {
    const before = found.length
    for (const [i, [list, share]] of lists.entries()) {
      found.push(...list.slice(at[i], at[i] + share))
      at[i] += share
    }
    if (found.length === before) break
  }
  return found.slice(0, n)
}

function shuffled<T>(list: T[], random: Random): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const it = list[i]
    list[i] = list[j]
    list[j] = it
  }
  return list
}
