/**
 * What seems to be missing around a ranking: quiet nodes among active ones, members without what their
 * siblings have, and single points on which the region hangs together.
 */

import {
  DEAD_EDGE,
  DIRECTORY,
  FILE,
  fileOf,
  FUNCTION,
  type Graph,
  GUESS,
  keyOf,
  labelOf,
  NONE,
  type NodeId,
  PRIMARY,
  REFERENCE,
  relationOf,
  tagsOf,
} from '#graph/graph'
import { childrenOf } from '#graph/lookup'
import type { Ranked } from '#query/blend'
import { type Quiet, quietNodes } from '#query/quiet'
import { communitiesOf, piecesWithout, type Region, regionOf } from '#query/region'

/** Activation from which a neighbour counts unless the caller says otherwise. */
export const MIN_SIBLING_ACTIVATION = 0.3
const SHOWN_PER_KIND = 10
const LEAST_GROUP = 3
/** Members that must have something before its lack is a gap, however small the group. */
const LEAST_HAVING = 2
/** Share of a group that must have something before its lack is a gap. */
const COMMON_SHARE = 0.6
const SHARED_RELATIONS = new Set(['imports', 'calls', 'references', 'implements', 'names'])
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
  /** What the siblings of a lacking member share; NONE for tests, and where nothing is lacking. */
  end: NodeId
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
  const found = [gaps(graph, region, active), bridges(graph, region)]
  const { quiet, total } = quietNodes(graph, rows, minSibling, SHOWN_PER_KIND)
  return {
    holes: found.flatMap((it) => it.slice(0, SHOWN_PER_KIND)).concat(quiet.map((it) => quietHole(graph, it))),
    total: found.reduce((acc, it) => acc + it.length, total),
  }
}

function quietHole(graph: Graph, { node, average, adjacent, reason }: Quiet): Hole {
  return {
    kind: 'inactive',
    type: 'structural_hole',
    node,
    end: NONE,
    id: keyOf(graph, node),
    label: labelOf(graph, node),
    reason,
    siblingAverage: average,
    adjacent,
  }
}

/** Members of which some lack what most have; only what is active is told. */
interface Group {
  members: readonly Ranked[]
  tells(member: Ranked): boolean
  /** Whether what uses the members counts as well as what they use. */
  withUsers: boolean
}

interface Gap {
  hole: Hole
  relation: string
  /** Members that have it, and all that could. */
  having: number
  of: number
}

/**
 * Gaps among active nodes of one folder or community, and gaps of active nodes against all their siblings, active or
 * not, by what they are worth. One thing that many lack, and one node that lacks many, take fewer of the first places.
 */
function gaps(graph: Graph, region: Region, active: readonly Ranked[]): Hole[] {
  const code = active.filter((it) => !isTest(graph, it.node))
  const wholes = withWholes(graph, code)
  const beside = lackingIn(graph, siblingGroups(graph, wholes))
  const among = lackingIn(
    graph,
    groupsOf(graph, region, code).map((members) => ({ members, tells: () => true, withUsers: false })),
  )
  const scores = new Map(wholes.map((it) => [it.node, it.score]))
  const scoreOf = (v: NodeId) => scores.get(v) ?? (scores.get(graph.parents[v]) ?? 0) / 2
  const rated = toldOnce(graph, [...standingOut(graph, beside, BESIDE), ...standingOut(graph, among, AMONG)])
    .map((it) => ({ ...it, worth: scoreOf(it.hole.node) * it.weight }))
    .sort((a, b) => b.worth - a.worth || a.hole.node - b.hole.node || byLabel(a.hole, b.hole))
  return spreadOut(rated).map(({ hole }, i) => ({ ...hole, id: `structural_hole_${i + 1}` }))
}

/** What stands out less than this is chance; among all siblings more of it is found than among the active ones. */
const BESIDE = 0.27
const AMONG = 0.17

function standingOut(graph: Graph, found: readonly Gap[], least: number): (Gap & { weight: number })[] {
  return found
    .map((it) => ({ ...it, weight: obligation(graph, it) * agreement(it) }))
    .filter((it) => it.weight >= least)
}

/** How far a lack stands out: nearly all have it, and hardly any other lacks it. In [0, 1). */
function agreement({ having, of }: Gap): number {
  return having / (of + 1) / Math.sqrt(of - having)
}

/** How far siblings of one kind are bound to have it too: to be tested and listed more than to mention a type. */
function obligation(graph: Graph, { hole, relation }: Gap): number {
  if (hole.end === NONE) return 1
  const own = graph.types[hole.end] === REFERENCE ? 0.5 : 1
  if (ERRORS.test(labelOf(graph, hole.end)) && graph.types[hole.end] !== FILE) return own
  return own * (OBLIGATIONS[relation] ?? 1)
}

const OBLIGATIONS: Readonly<Record<string, number>> = {
  imports: 0.35,
  references: 0.35,
  names: 0.35,
  calls: 0.55,
  implements: 0.55,
  'calls by': 0.55,
  'references by': 0.55,
  'names by': 0.55,
}

/** Names of what raises, wraps or handles errors. */
const ERRORS =
  /(?:^|[^a-z])(?:err|errors?|exceptions?|fail(?:ed|ure)?|panic|abort|throw|raise)(?![a-z])|(?:Err|Error|Exception|Fail(?:ed|ure)?|Panic|Abort|Throw|Raise)s?(?![a-z])/

const AGAIN = 0.6

/** Sorted by worth, where each row before that lacks the same thing, or is of the same node, takes a part of it away. */
function spreadOut<T extends Gap & { worth: number }>(rated: readonly T[]): T[] {
  const rest = [...rated]
  const seen = new Map<string, number>()
  const names = ({ hole }: Gap) => [`node ${hole.node}`, `end ${hole.end === NONE ? 'tests' : hole.label}`]
  const left = (it: T) => it.worth * names(it).reduce((acc, name) => acc * AGAIN ** (seen.get(name) ?? 0), 1)
  const first: T[] = []
  while (first.length < SHOWN_PER_KIND && rest.length > 0) {
    let best = 0
    for (let i = 1; i < rest.length; i++) if (left(rest[i]) > left(rest[best])) best = i
    const [taken] = rest.splice(best, 1)
    for (const name of names(taken)) seen.set(name, (seen.get(name) ?? 0) + 1)
    first.push(taken)
  }
  return first.concat(rest)
}

/** Active nodes, and the classes and files around them, which are as active as the most active in them. */
function withWholes(graph: Graph, active: readonly Ranked[]): Ranked[] {
  const best = new Map(active.map((it) => [it.node, it]))
  for (const it of active) {
    for (let v = graph.parents[it.node]; v !== NONE && graph.types[v] !== DIRECTORY; v = graph.parents[v]) {
      const known = best.get(v)
      if (known === undefined || known.score < it.score) best.set(v, { ...it, node: v })
    }
  }
  return [...best.values()]
}

function lackingIn(graph: Graph, groups: readonly Group[]): Gap[] {
  const lacking = new Set<string>()
  return groups.flatMap((group) => gapsIn(graph, group, lacking))
}

function gapsIn(graph: Graph, { members, tells, withUsers }: Group, lacking: Set<string>): Gap[] {
  const found: Gap[] = []
  for (const { relation, end, members: list } of holdersIn(graph, members, withUsers)) {
    if (list.length < LEAST_HAVING) continue
    const having = new Set(list)
    // who offers the shared thing does not lack it
    const others = members.filter((it) => !isWithin(graph, end, it.node))
    if (others.length < LEAST_GROUP || having.size < Math.ceil(COMMON_SHARE * others.length)) continue
    const scores = Array.from(having, (it) => it.score).filter((it) => it > 0)
    for (const member of others) {
      const { node } = member
      // what is imported and called is lacking once
      if (having.has(member) || !tells(member) || lacking.has(`${node} ${end}`)) continue
      lacking.add(`${node} ${end}`)
      const hole: Hole = {
        kind: 'gap',
        type: 'structural_hole',
        node,
        end,
        id: '',
        label: end === NONE ? 'tests' : labelOf(graph, end),
        reason: reasonOf(graph, relation, end, `${having.size} of ${others.length} siblings`, labelOf(graph, node)),
        siblingAverage: scores.length > 0 ? mean(scores) : member.score,
        adjacent: having.size,
      }
      found.push({ hole, relation, having: having.size, of: others.length })
    }
  }
  return found
}

interface Holders {
  relation: string
  end: NodeId
  /** Each once, in their order. */
  members: Ranked[]
}

/** What members have, and who has it; in the order in which it is met. */
function holdersIn(graph: Graph, members: readonly Ranked[], withUsers: boolean): Iterable<Holders> {
  // by end and relation in one number: most are met once, and a text for each would take most of the time
  const holders = new Map<number, Holders>()
  const codes = new Map<string, number>()
  for (const member of members) {
    for (const [relation, end] of sharedEnds(graph, member.node, withUsers)) {
      const code = codes.get(relation) ?? codes.size
      codes.set(relation, code)
      const name = code * 2 ** 32 + end
      const known = holders.get(name)
      if (known === undefined) holders.set(name, { relation, end, members: [member] })
      else if (known.members.at(-1) !== member) known.members.push(member)
    }
  }
  return holders.values()
}

function reasonOf(graph: Graph, relation: string, end: NodeId, siblings: string, name: string): string {
  if (end === NONE) return `${siblings} have tests, ${name} does not`
  const by = BY[relation]
  if (by !== undefined) return `${siblings} are ${by} ${labelOf(graph, end)}, ${name} is not`
  return `${siblings} ${VERBS[relation] ?? relation} ${labelOf(graph, end)}, ${name} does not`
}

/**
 * What is lacking is told once: as the definition that is not used rather than its file, and of a file as the file that
 * does not use it rather than a place in that file.
 */
function toldOnce<T extends Gap>(graph: Graph, found: readonly T[]): T[] {
  const wholeOf = ({ hole: { end } }: Gap) => (end === NONE ? NONE : fileOf(graph, end))
  const isOfFiles = ({ hole, relation }: Gap) => relation.endsWith(' by') && graph.types[hole.node] === FILE
  const ends = new Set<string>()
  const first = found.filter(({ hole }) => {
    const name = `${hole.node} ${hole.end}`
    return !ends.has(name) && ends.add(name)
  })
  const parts = new Set(found.filter((it) => wholeOf(it) !== it.hole.end).map((it) => `${it.hole.node} ${wholeOf(it)}`))
  return first.filter((it) => {
    const { node, end } = it.hole
    if (isOfFiles(it)) return end === wholeOf(it) || !ends.has(`${node} ${wholeOf(it)}`)
    return !parts.has(`${node} ${end}`)
  })
}

/** More siblings than this are no group of one kind. */
const MOST_SIBLINGS = 60

/**
 * For each active node all that stand beside it: files of its folder and ending, files of its name in the folders
 * beside its own, definitions of its class or file, classes in the files of its folder.
 */
function siblingGroups(graph: Graph, active: readonly Ranked[]): Group[] {
  const scores = new Map(active.map((it) => [it.node, it]))
  const seen = new Set<string>()
  const groups: Group[] = []
  const add = (name: string, siblings: () => NodeId[]) => {
    if (seen.has(name)) return
    seen.add(name)
    const all = siblings()
    if (all.length < LEAST_GROUP || all.length > MOST_SIBLINGS) return
    const members = all.map((v) => scores.get(v) ?? partOf(v) ?? inactive(v))
    groups.push({ members, tells: (it) => it.score > 0, withUsers: true })
  }
  /** What stands in an active class or enumeration is half as active. */
  const partOf = (v: NodeId) => {
    const whole = scores.get(graph.parents[v])
    return whole === undefined || graph.types[whole.node] === FILE
      ? null
      : { ...whole, node: v, score: whole.score / 2 }
  }
  for (const { node } of active) {
    if (graph.types[node] !== FILE) {
      const kinds = new Set(Array.from(childrenOf(graph, node), (v) => kindOf(graph, v)))
      for (const kind of kinds)
        add(`${node} ${kind}`, () => Array.from(childrenOf(graph, node)).filter((v) => kindOf(graph, v) === kind))
    }
    const parent = graph.parents[node]
    if (parent === NONE || graph.types[node] === DIRECTORY) continue
    const kind = kindOf(graph, node)
    const like = (folder: NodeId) => fewChildren(graph, folder, (v) => kindOf(graph, v) === kind)
    add(`${parent} ${kind}`, () => like(parent))
    const above = graph.parents[parent]
    if (above === NONE) continue
    // where every class has a file of its own
    if (graph.types[parent] === FILE && graph.types[node] !== FUNCTION)
      add(`in ${above} ${kind}`, () => Array.from(childrenOf(graph, above)).flatMap((file) => like(file)))
    if (graph.types[node] !== FILE) continue
    const label = graph.labels[node]
    add(`${above} ${label}`, () =>
      Array.from(childrenOf(graph, above))
        .filter((v) => graph.types[v] === DIRECTORY)
        .flatMap((folder) => fewChildren(graph, folder, (v) => graph.labels[v] === label && kindOf(graph, v) === kind)),
    )
  }
  return groups
}

/** The children that are wanted; of more than count as siblings only so many that this can be told. */
function fewChildren(graph: Graph, v: NodeId, isWanted: (child: NodeId) => boolean): NodeId[] {
  const few: NodeId[] = []
  for (const child of childrenOf(graph, v)) {
    if (isWanted(child)) few.push(child)
    if (few.length > MOST_SIBLINGS) break
  }
  return few
}

function inactive(node: NodeId): Ranked {
  return { node, score: 0, dims: [0, 0, 0, 0] }
}

/**
 * Type, ending of a file, whether it is a test, and whether it has a place of its own (the entry of a folder, what
 * makes a new object, a name that the language gives): what is not alike in these is not expected to be alike.
 */
function kindOf(graph: Graph, v: NodeId): string {
  const label = labelOf(graph, v)
  const isFile = graph.types[v] === FILE
  const ending = isFile ? /\.[^.]+$/.exec(label)?.[0] : ''
  const parent = graph.parents[v]
  const isApart = isFile
    ? ENTRY.test(label)
    : graph.types[v] === FUNCTION && (GIVEN_NAME.test(label) || (parent !== NONE && label === labelOf(graph, parent)))
  return `${graph.types[v]} ${ending} ${isTest(graph, v)} ${isApart}`
}

/** Files that stand for their folder or for the program. */
const ENTRY = /^(?:__\w+__|index|mod|lib|main|doc|package-info|setup|conftest)\.\w+$/
/** Makers of objects, and names by which a language calls. */
const GIVEN_NAME = /^(?:__\w+__|constructor|initialize|init|new|main)$/

/** By graph: 1 for a node that is no test, 2 for one that is, 0 where nobody has asked. */
const tests = new WeakMap<Graph, Uint8Array>()

function isTest(graph: Graph, v: NodeId): boolean {
  const known = tests.get(graph) ?? new Uint8Array(graph.nNodes)
  tests.set(graph, known)
  if (known[v] === 0) {
    const file = fileOf(graph, v)
    const is = tagsOf(graph, v).includes('test') || (file !== NONE && tagsOf(graph, file).includes('test'))
    known[v] = is ? 2 : 1
  }
  return known[v] === 2
}

function isWithin(graph: Graph, v: NodeId, container: NodeId): boolean {
  let u = v
  while (u !== NONE && u !== container) u = graph.parents[u]
  return u === container
}

function byLabel(a: Hole, b: Hole): number {
  return a.label < b.label ? -1 : 1
}

function bySiblings(a: Hole, b: Hole): number {
  return b.siblingAverage - a.siblingAverage || a.node - b.node
}

const VERBS: Readonly<Record<string, string>> = {
  imports: 'import',
  calls: 'call',
  references: 'reference',
  names: 'name',
  implements: 'implement',
}

/** Relations of which being at the other end is common to siblings too: what registers, lists or passes them on. */
const BY: Readonly<Record<string, string>> = {
  'imports by': 'imported by',
  'calls by': 'called by',
  'registers by': 'registered in',
  'reexports by': 're-exported by',
  'declares_module by': 'declared in',
  'routes_to by': 'routed to by',
  'references by': 'referenced by',
  'names by': 'named by',
}

/** Active nodes of one kind and folder; where a folder has fewer than three, those of one community. */
function groupsOf(graph: Graph, { rows, links }: Region, active: readonly Ranked[]): Ranked[][] {
  const inFolder = groupBy(active, ({ node }) => `${kindOf(graph, node)} ${folderOf(graph, node)}`)
  const communities = communitiesOf({ rows, links })
  const communityOf = new Map(rows.map((it, i) => [it.node, communities[i]]))
  const few = inFolder.filter((it) => it.length < LEAST_GROUP).flat()
  const inCommunity = groupBy(few, ({ node }) => `${kindOf(graph, node)} ${communityOf.get(node) ?? ''}`)
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

/**
 * What a node uses and what uses it, and `tests` with the end NONE when something tests it. A file has what its
 * definitions have.
 */
function sharedEnds(graph: Graph, v: NodeId, withUsers: boolean): [relation: string, end: NodeId][] {
  const ends: [string, NodeId][] = []
  const file = graph.types[v] === FILE ? v : NONE
  const isTested = endsOf(graph, v, { withUsers, file }, ends)
  const partsTested =
    file === NONE || !withUsers
      ? []
      : Array.from(childrenOf(graph, v), (part) => endsOf(graph, part, { withUsers, file }, ends))
  if (isTested || partsTested.includes(true)) ends.push(['tests', NONE])
  return ends
}

/** Adds the ends of one node, without those in `file`; whether something tests it. */
function endsOf(
  graph: Graph,
  v: NodeId,
  { withUsers, file }: { withUsers: boolean; file: NodeId },
  ends: [string, NodeId][],
): boolean {
  const isInside = (u: NodeId) => file !== NONE && fileOf(graph, u) === file
  for (let e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; e++) {
    const relation = relationOf(graph, e)
    const end = graph.out.targets[e]
    if (isStated(graph, e) && SHARED_RELATIONS.has(relation) && !isInside(end)) ends.push([relation, end])
  }
  let isTested = false
  for (let i = graph.in.offsets[v]; i < graph.in.offsets[v + 1]; i++) {
    const e = graph.in.slots[i]
    const relation = relationOf(graph, e)
    if (!isStated(graph, e) || graph.tiers[e] === GUESS) continue
    const user = graph.in.targets[i]
    if (relation === 'tests') isTested = true
    else if (withUsers && BY[`${relation} by`] !== undefined && !isTest(graph, user) && !isInside(user)) {
      ends.push([`${relation} by`, user])
      // several parts of one file may list what belongs together
      const whole = fileOf(graph, user)
      if (file !== NONE && whole !== NONE && whole !== user) ends.push([`${relation} by`, whole])
    }
  }
  return isTested
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
      end: NONE,
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

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((acc, value) => acc + value, 0) / values.length
}
