/** Weighs a claim about code: what the graph says for it and against it, and how likely that makes it. */

import { cascade } from '#analysis/cascade'
import { chokePoint } from '#analysis/choke-points'
import type { Claim, ClaimType } from '#analysis/claim'
import { communitiesOf } from '#analysis/communities'
import { sitesNaming } from '#analysis/completeness'
import { byHops, type Factors } from '#analysis/factors'
import { partsOf, wholesOf } from '#analysis/impact'
import { type DirectedPath, type Reach, reach, type ReachOptions } from '#analysis/reach'
import { CONTAINMENT, eachInfluence, Kinds, placeOf, type Skipped, stepName } from '#analysis/steps'
import { why } from '#analysis/why'
import { fileOf, type Graph, FILE, FUNCTION, GUESS, labelOf, type NodeId, NONE, REFERENCE, text } from '#graph/graph'
import { nodesByLabel } from '#graph/lookup'
import { type CoChange, coChangeOf } from '#query/cochange'
import type { Ghost } from '#query/ghosts'

export type EvidenceType =
  | 'path_found'
  | 'no_path'
  | 'ghost_edge'
  | 'community_membership'
  | 'causal_chain'
  | 'counterfactual_impact'
  | 'activation_reach'

export interface Evidence {
  type: EvidenceType
  description: string
  /** Likelihood ratio: above 1 speaks for the claim, below 1 against it. */
  factor: number
  nodes: NodeId[]
  relations: string[]
  weight?: number
}

export interface Hypothesis {
  confidence: number
  evidence: Evidence[]
  /** The pair of nodes that the answer is about; an object of NONE for a claim about one side. */
  subject: NodeId
  object: NodeId
  paths: DirectedPath[]
  /** What the search from the subject reached where it found no path, nearest first, at most 20. */
  partial: { node: NodeId; hops: number }[]
  explored: number
  exhausted: boolean
  /** No path was found among those of `maxHops` hops, and there are longer ways. */
  hasLonger: boolean
  skipped: Skipped
}

export interface Sides {
  subjects: readonly NodeId[]
  /** None for a claim about one side. */
  objects: readonly NodeId[]
  /** 0..1; findings about what is merely named like a side say that much less. */
  likeness: number
}

export interface HypothesisOptions {
  reach: ReachOptions
  factors: Factors
  /** Connections that the dimensions suggest, none where they do not count; asked for where the code states none. */
  ghosts: () => readonly Ghost[]
}

const LEAST = 0.01
const MOST = 0.99
const PARTIAL_SHOWN = 20

/** Every pair of the sides is looked at; the one that decides is the one that the graph connects best. */
export function weigh(
  graph: Graph,
  cochange: CoChange,
  { type, negated }: Pick<Claim, 'type' | 'negated'>,
  { subjects, objects, likeness }: Sides,
  options: HypothesisOptions,
): Hypothesis {
  const pairs = subjects.flatMap((s) => (objects.length === 0 ? [[s, NONE]] : objects.map((o) => [s, o])))
  const judged = pairs.map(([subject, object]) => judge({ graph, cochange, type, subject, object, ...options }))
  const best = judged.reduce((a, b) => (connection({ type }, b) > connection({ type }, a) ? b : a))
  const evidence = best.evidence.map((it) => ({ ...it, factor: (negated ? 1 / it.factor : it.factor) ** likeness }))
  const { open, ...decisive } = best
  return {
    ...decisive,
    evidence,
    partial: nearest(graph, best.subject, open),
    explored: judged.reduce((sum, it) => sum + it.explored, 0),
    confidence: posterior(type, negated, evidence, options.factors),
  }
}

/** How much more likely the findings about a pair make a connection between the two. */
function connection({ type }: Pick<Claim, 'type'>, { evidence, object }: Found): number {
  // what nothing depends on was meant less than what something does
  if (type === 'gateway' && object !== NONE && evidence.every((it) => it.weight === undefined)) return 0
  const all = evidence.reduce((product, it) => product * it.factor, 1)
  return NEGATIVE.has(type) ? 1 / all : all
}

/** Prior odds times all factors, as a probability. */
export function posterior(
  type: ClaimType,
  negated: boolean,
  evidence: readonly Pick<Evidence, 'factor'>[],
  { prior, orderMax }: Factors,
): number {
  const before = negated ? 1 - prior[type] : prior[type]
  const odds = evidence.reduce((product, it) => product * it.factor, before / (1 - before))
  const ordered = type === 'always_before'
  const most = ordered && !negated ? Math.min(MOST, orderMax) : MOST
  const least = ordered && negated ? Math.max(LEAST, 1 - orderMax) : LEAST
  return Math.min(most, Math.max(least, odds / (1 + odds)))
}

type Found = Omit<Hypothesis, 'confidence' | 'partial'> & {
  /** Searches of a question to which one of them found no path. */
  open: readonly Reach[]
}

interface Case extends HypothesisOptions {
  graph: Graph
  cochange: CoChange
  type: ClaimType
  subject: NodeId
  object: NodeId
}

const JUDGES: Record<ClaimType, (it: Case) => Found> = {
  depends_on: dependence,
  always_before: dependence,
  never_calls: absence,
  no_dependency: absence,
  circular: circle,
  coupling,
  gateway,
  isolated: isolation,
  unknown: relation,
}

/** Kinds of claims that say that something is not there. */
const NEGATIVE = new Set<ClaimType>(['never_calls', 'no_dependency', 'isolated'])

function judge(it: Case): Found {
  const { graph, subject, object, type, factors } = it
  if (object !== NONE && type !== 'circular' && sameOrWithin(graph, subject, object)) {
    return found(it, [inside(graph, subject, object)])
  }
  const judged = JUDGES[type](it)
  const isConnected = judged.paths.length > 0 || object === NONE || entryBetween(it) !== null
  const ghost = isConnected ? undefined : ghostBetween(it)
  if (ghost === undefined) return judged
  const shared = ghost.shared.join(' and ')
  const evidence: Evidence = {
    type: 'ghost_edge',
    description: `${name(it, subject)} and ${name(it, object)} have no edge, but go together by ${shared}`,
    factor: NEGATIVE.has(type) ? factors.ghost.negative : factors.ghost.positive,
    nodes: [ghost.source, ghost.target],
    relations: [],
    weight: ghost.strength,
  }
  return { ...judged, evidence: [...judged.evidence, evidence] }
}

function sameOrWithin(graph: Graph, a: NodeId, b: NodeId): boolean {
  return a === b || wholesOf(graph, a).includes(b) || wholesOf(graph, b).includes(a)
}

function inside(graph: Graph, subject: NodeId, object: NodeId): Evidence {
  const description =
    subject === object
      ? `both sides mean ${told(graph, subject)}, so that the claim says nothing about two things`
      : `one of ${told(graph, subject)} and ${told(graph, object)} is a part of the other`
  return { type: 'no_path', description, factor: 1, nodes: [subject, object], relations: [] }
}

function ghostBetween({ graph, subject, object, ghosts }: Case): Ghost | undefined {
  const within = (v: NodeId, whole: NodeId) => v === whole || wholesOf(graph, v).includes(whole)
  return ghosts().find(
    ({ source, target }) =>
      (within(source, subject) && within(target, object)) || (within(source, object) && within(target, subject)),
  )
}

function found({ subject, object }: Case, evidence: Evidence[], ...searches: Reach[]): Found {
  const paths = searches.flatMap((it) => it.paths)
  const isOpen = searches.some((it) => it.paths.length === 0)
  return {
    evidence,
    subject,
    object,
    paths,
    open: isOpen ? searches : [],
    explored: searches.reduce((sum, it) => sum + it.explored, 0),
    exhausted: searches.some((it) => it.exhausted && it.paths.length === 0),
    hasLonger: searches.some((it) => it.hasLonger && it.paths.length === 0),
    skipped: {
      guesses: searches.reduce((sum, it) => sum + it.skipped.guesses, 0),
      unreachable: searches.reduce((sum, it) => sum + it.skipped.unreachable, 0),
    },
  }
}

/** What searches reached besides the subject, by the hops of the first that did, then by node. */
function nearest(graph: Graph, subject: NodeId, searches: readonly Reach[]): Hypothesis['partial'] {
  const seen = new Uint8Array(graph.nNodes)
  seen[subject] = 1
  const byHop: NodeId[][] = []
  for (const { reached, reachedIn } of searches) {
    for (let i = 0; i < reached.length; i++) {
      const node = reached[i]
      if (seen[node] === 1 || graph.types[node] === REFERENCE) continue
      seen[node] = 1
      byHop[reachedIn[i]] ??= []
      byHop[reachedIn[i]].push(node)
    }
  }
  const found: Hypothesis['partial'] = []
  for (const [hops, nodes = []] of byHop.entries()) {
    const room = PARTIAL_SHOWN - found.length
    if (room === 0) break
    for (const node of Uint32Array.from(nodes).sort().subarray(0, room)) found.push({ node, hops })
  }
  return found
}

// findings about paths

function dependence(it: Case): Found {
  const { graph, subject, object, type, factors } = it
  const search = reach(graph, subject, object, it.reach)
  const isOrder = type === 'always_before'
  if (search.paths.length > 0) {
    const factor = byHops(factors.path, search.paths[0].relations.length)
    const path = pathEvidence(it, search.paths[0], factor, isOrder ? 'causal_chain' : 'path_found')
    return found(it, isOrder ? [path, ...otherWays(it)] : [path], search)
  }
  if (isOrder) {
    const back = reach(graph, object, subject, it.reach)
    if (back.paths.length > 0)
      return found(it, [pathEvidence(it, back.paths[0], factors.opposite, 'causal_chain')], search, back)
  }
  const open = whatIsOpen(it, search)
  return found(it, [noPath(it, open === '' ? factors.noPath : factors.unsettled, open)], search)
}

/** That a function is reached without the subject, so that the subject does not always run before it. */
function otherWays(it: Case): Evidence[] {
  const { graph, subject, object, factors } = it
  if (graph.types[object] !== FUNCTION) return []
  const { lost, dependents } = losing(it)
  const others = dependents - lost
  if (others === 0) return []
  return [
    {
      type: 'counterfactual_impact',
      description: `${others === 1 ? '1 other node reaches' : `${others} other nodes reach`} ${name(it, object)} without ${name(it, subject)}`,
      factor: factors.otherWays,
      nodes: [subject, object],
      relations: [],
      weight: 1 - lost / dependents,
    },
  ]
}

function absence(it: Case): Found {
  const { graph, subject, object, factors } = it
  const search = reach(graph, subject, object, it.reach)
  if (search.paths.length > 0) {
    const factor = byHops(factors.deniedPath, search.paths[0].relations.length)
    return found(it, [pathEvidence(it, search.paths[0], factor)], search)
  }
  const open = whatIsOpen(it, search)
  return found(it, [noPath(it, open === '' ? factors.deniedNoPath : factors.deniedUnsettled, open)], search)
}

function circle(it: Case): Found {
  const { graph, subject, object, factors } = it
  const { both, one, none } = factors.circular
  if (object === NONE || object === subject) {
    const self = { ...it, object: subject }
    const search = reach(graph, subject, subject, it.reach)
    if (search.paths.length > 0) return found(it, [pathEvidence(it, search.paths[0], both, 'causal_chain')], search)
    const open = whatIsOpen(self, search)
    return found(it, [noPath(self, open === '' ? none : factors.unsettled, open)], search)
  }
  const turned = { ...it, subject: object, object: subject }
  const there = reach(graph, subject, object, it.reach)
  const back = reach(graph, object, subject, it.reach)
  const ways = [there, back].filter((way) => way.paths.length > 0)
  if (ways.length === 0) {
    // a circle needs both, so that one way which is surely not there is enough
    const open = whatIsOpen(turned, back) === '' ? '' : whatIsOpen(it, there)
    return found(it, [noPath(it, open === '' ? none : factors.unsettled, open)], there, back)
  }
  if (ways.length === 1) {
    const open = there.paths.length === 0 ? whatIsOpen(it, there) : whatIsOpen(turned, back)
    const evidence = pathEvidence(it, ways[0].paths[0], open === '' ? one : factors.unsettled, 'causal_chain')
    const description = `${evidence.description}, and no path the other way${open === '' ? '' : `, but ${open}`}`
    return found(it, [{ ...evidence, description }], there, back)
  }
  // two findings, one factor
  const half = Math.sqrt(both)
  return found(
    it,
    ways.map((way) => pathEvidence(it, way.paths[0], half, 'causal_chain')),
    there,
    back,
  )
}

function pathEvidence(
  { graph }: Case,
  { nodes, relations, weight, slots }: DirectedPath,
  factor: number,
  type: EvidenceType = 'path_found',
): Evidence {
  const hops = relations.length
  const way = nodes.map((v) => told(graph, v)).join(' → ')
  return {
    type,
    description: `${way} (${hops} ${hops === 1 ? 'hop' : 'hops'}, from ${placeOf(graph, slots[0])})`,
    factor,
    nodes: [...nodes],
    relations: [...relations],
    weight,
  }
}

function noPath(it: Case, factor: number, open: string): Evidence {
  const { graph, subject, object } = it
  const what =
    subject === object
      ? `no circle through ${told(graph, subject)}`
      : `no path from ${told(graph, subject)} to ${told(graph, object)}`
  const limit = `within ${it.reach.maxHops} ${it.reach.maxHops === 1 ? 'hop' : 'hops'}`
  const description = `${what} ${limit}${open === '' ? '' : `, but ${open}`}`
  return { type: 'no_path', description, factor, nodes: [subject, object], relations: [] }
}

/** Why no path is no proof that there is none; '' when nothing known speaks for one. */
function whatIsOpen({ graph, subject, object, reach: options }: Case, search: Reach): string {
  if (search.exhausted) return 'the search ended at its budget'
  const { guesses } = search.skipped
  const guessed = !options.includeGuesses && guesses > 0
  if (
    guessed &&
    reach(graph, subject, object, { ...options, includeGuesses: true, onlyWhether: true }).paths.length > 0
  )
    return 'guessed edges make one'
  const [site] = sitesNaming(graph, subject, object)
  return site === undefined ? '' : `${site.text} at ${site.path}:${site.line} is unresolved and may mean it`
}

function name({ graph }: Case, v: NodeId): string {
  return told(graph, v)
}

/** The label; of a file that is not the only one with it, the path. */
function told(graph: Graph, v: NodeId): string {
  const label = labelOf(graph, v)
  if (graph.types[v] !== FILE || nodesByLabel(graph, label).length < 2) return label
  return text(graph, graph.paths[v]) || label
}

// findings about places

function coupling(it: Case): Found {
  const { graph, cochange, subject, object, factors } = it
  const entry = entryBetween(it)
  const evidence: Evidence[] = []
  const paths: DirectedPath[] = []
  const both = [subject, object]
  if (entry !== null) {
    const [from, to] = entry.along ? both : both.toReversed()
    evidence.push({
      type: 'path_found',
      description: `${name(it, from)} ${entry.relation.replaceAll('_', ' ')} ${name(it, to)}`,
      factor: factors.coupling.entry,
      nodes: [from, to],
      relations: [entry.relation],
      weight: entry.weight,
    })
    paths.push({ nodes: [from, to], slots: [entry.slot], relations: [entry.relation], weight: entry.weight })
  }
  const files = both.map((v) => fileOf(graph, v))
  const partner = coChangeOf(cochange, files[0]).find((other) => other.node === files[1] && other.observed)
  if (partner !== undefined) {
    const times =
      partner.commits === 0
        ? 'confirmed together'
        : `changed together in ${partner.commits} ${partner.commits === 1 ? 'commit' : 'commits'}`
    evidence.push({
      type: 'causal_chain',
      description: `${name(it, files[0])} and ${name(it, files[1])} ${times}`,
      factor: 1 + factors.coupling.perStrength * partner.strength,
      nodes: files,
      relations: ['co_changes'],
      weight: partner.strength,
    })
  }
  const { of } = communitiesOf(graph)
  const isSame = of[subject] === of[object]
  if (isSame || entry === null) {
    evidence.push({
      type: 'community_membership',
      description: `${name(it, subject)} and ${name(it, object)} are in ${isSame ? 'the same community' : 'different communities'}${isSame ? '' : ' and nothing connects them directly'}`,
      factor: isSame ? factors.coupling.sameCommunity : factors.coupling.apart,
      nodes: both,
      relations: [],
    })
  }
  return { ...found(it, evidence), paths }
}

/** The heaviest stated edge between two nodes or their parts, in either direction. */
function entryBetween(it: Case): { slot: number; relation: string; weight: number; along: boolean } | null {
  const { graph, subject, object } = it
  const theirs = new Set([object, ...partsOf(graph, object)])
  const slots = edgesOut(it, subject).filter(({ node }) => theirs.has(node))
  if (slots.length === 0) return null
  const { slot, along } = slots.reduce((a, b) => (graph.weights[b.slot] > graph.weights[a.slot] ? b : a))
  return { slot, relation: stepName(graph, slot, true), weight: Math.min(1, graph.weights[slot]), along }
}

/** Stated edges between a node with its parts and what is outside of it; `along` when they run outward. */
function edgesOut(
  { graph, reach: { includeGuesses } }: Case,
  v: NodeId,
): { node: NodeId; slot: number; along: boolean }[] {
  const kinds = new Kinds(graph)
  const own = new Set([v, ...partsOf(graph, v)])
  const skipped = { guesses: 0, unreachable: 0 }
  const edges: { node: NodeId; slot: number; along: boolean }[] = []
  for (const part of own) {
    for (const direction of ['dependencies', 'dependents'] as const) {
      eachInfluence(graph, kinds, part, { direction, includeGuesses }, skipped, (node, slot, kind, along) => {
        if ((kind & CONTAINMENT) === 0 && !own.has(node)) edges.push({ node, slot, along })
      })
    }
  }
  return edges
}

function gateway(it: Case): Found {
  const { graph, subject, object, factors } = it
  if (object === NONE) {
    const { central, cutOff } = chokePoint(graph, subject)
    const description = central
      ? `${name(it, subject)} is among the 1 % of nodes that most leads to`
      : cutOff > 0
        ? `without ${name(it, subject)} ${cutOff} files lose their connection to the rest`
        : `${name(it, subject)} is neither central nor does anything lose its connection without it`
    const factor = central || cutOff > 0 ? factors.choke.central : factors.choke.plain
    const type = cutOff > 0 && !central ? 'counterfactual_impact' : 'activation_reach'
    return found(it, [{ type, description, factor, nodes: [subject], relations: [] }])
  }
  const { lost, dependents } = losing(it)
  const share = dependents === 0 ? 0 : lost / dependents
  const { nearlyAll, half, some, none } = factors.gateway
  const factor = share >= 0.9 ? nearlyAll : share >= 0.5 ? half : share > 0 ? some : none
  const description =
    dependents === 0
      ? `nothing besides ${name(it, subject)} is known to depend on ${name(it, object)}`
      : `without ${name(it, subject)} ${lost} of ${dependents} nodes that depend on ${name(it, object)} lose every path to it`
  return found(it, [
    {
      type: 'counterfactual_impact',
      description,
      factor: dependents === 0 ? 1 : factor,
      nodes: [subject, object],
      relations: [],
      ...(dependents > 0 && { weight: share }),
    },
  ])
}

/** What depends on the object, and how many of it no longer would if the subject were gone. */
function losing({ graph, subject, object, reach: { includeGuesses } }: Case): { lost: number; dependents: number } {
  const target = new Set([object, ...partsOf(graph, object)])
  const gone = new Set([subject, ...partsOf(graph, subject)])
  const around = new Set(wholesOf(graph, subject))
  const options = { includeGuesses, containment: 'parts' } as const
  const skipped = { guesses: 0, unreachable: 0 }
  const before = cascade(graph, target, options, skipped).filter((it) => !gone.has(it.node) && !around.has(it.node))
  // what the subject does is also told of its wholes
  const without = new Set([...gone, ...around])
  const stays = new Uint8Array(graph.nNodes)
  for (const it of cascade(graph, target, { ...options, without }, skipped)) stays[it.node] = 1
  return { dependents: before.length, lost: before.filter((it) => stays[it.node] === 0).length }
}

function isolation(it: Case): Found {
  const { subject, object, factors } = it
  if (object !== NONE) return absence({ ...it, type: 'no_dependency' })
  const { neighbours, guesses } = neighboursOf(it)
  const { none, few, more } = factors.isolated
  const isAlone = neighbours.length === 0 && guesses === 0
  const factor = isAlone ? none : neighbours.length <= 2 ? few : more
  const named = neighbours
    .slice(0, 3)
    .map((v) => name(it, v))
    .join(', ')
  const description =
    neighbours.length === 0
      ? `nothing is connected with ${name(it, subject)}${isAlone ? '' : `, but ${guesses === 1 ? '1 guessed edge' : `${guesses} guessed edges`} would be`}`
      : `${name(it, subject)} is connected with ${neighbours.length} other ${neighbours.length === 1 ? 'node' : 'nodes'}, as ${named}`
  const type = neighbours.length === 0 ? 'no_path' : 'path_found'
  return found(it, [{ type, description, factor, nodes: [subject, ...neighbours.slice(0, 3)], relations: [] }])
}

/** What a node or its parts use or are used by, containment and history left out; for a file, files count. And the guesses that do not. */
function neighboursOf(it: Case): { neighbours: NodeId[]; guesses: number } {
  const { graph, subject } = it
  const isFile = fileOf(graph, subject) === subject
  const all = edgesOut({ ...it, reach: { ...it.reach, includeGuesses: true } }, subject)
  const counts = all.filter(({ slot }) => it.reach.includeGuesses || graph.tiers[slot] !== GUESS)
  const neighbours = counts.map(({ node }) => {
    const file = isFile ? fileOf(graph, node) : NONE
    return file === NONE ? node : file
  })
  const sorted = [...new Set(neighbours)].sort((a, b) => graph.pagerank[b] - graph.pagerank[a] || a - b)
  return { neighbours: sorted, guesses: all.length - counts.length }
}

function relation(it: Case): Found {
  const { graph, subject, object, factors, reach: options } = it
  if (object === NONE) return found(it, [])
  const connection = why(graph, subject, object, options)
  const [path] = connection.paths
  const evidence =
    path === undefined
      ? noPath(it, factors.unknown.none, '')
      : pathEvidence(it, { ...path, weight: path.strength }, factors.unknown.path)
  return {
    ...found(it, [evidence]),
    paths: connection.paths.map((way) => ({ ...way, weight: way.strength })),
    explored: connection.explored,
    skipped: connection.skipped,
  }
}
