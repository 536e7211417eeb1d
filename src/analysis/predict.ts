/** Which nodes probably change as well when one does: history, dependence, tests, place and name. */

import { partsOf } from '#analysis/impact'
import { CONTAINMENT, eachInfluence, type InfluenceOptions, Kinds, stepName, TESTS } from '#analysis/steps'
import { DIRECTORY, FILE, fileOf, type Graph, GUESS, labelOf, type NodeId, NONE, REFERENCE } from '#graph/graph'
import { childrenOf } from '#graph/lookup'
import { type CoChange, coChangeOf } from '#query/cochange'
import { type Trend, trendOf, velocities, velocityShare } from '#query/temporal'
import { splitIdentifier } from '#graph/terms'

/**
 * `seed`: history by its strength, which ten common commits saturate. `fused`: history by its confidence (the
 * share of the node's own commits that touched the other as well), structure as a weaker witness, then the
 * same folder and a like name.
 */
export type PredictRanking = 'fused' | 'seed'

/** How much each witness says under either ranking, 0..1. */
interface Shares {
  observed: number
  bootstrapped: number
  /** Of a direct dependent: a fixed part and a part by weight; the same for a dependency. */
  dependent: number
  dependency: number
  byWeight: number
  test: number
  twoHops: number
  configuration: number
  /** Same folder, and at most this for a like name. */
  folder: number
  name: number
}

const SHARES: Record<PredictRanking, Shares> = {
  seed: {
    observed: 0.9,
    bootstrapped: 0.3,
    dependent: 0.5,
    dependency: 0.3,
    byWeight: 0.3,
    test: 0.65,
    twoHops: 0.3,
    configuration: 0.2,
    folder: 0,
    name: 0,
  },
  fused: {
    observed: 0.9,
    bootstrapped: 0.1,
    dependent: 0.1,
    dependency: 0.08,
    byWeight: 0.15,
    test: 0.3,
    twoHops: 0.04,
    configuration: 0.04,
    folder: 0.05,
    name: 0.2,
  },
}

/** Change frequency is commits over this, between its bounds. */
const FREQUENT_COMMITS = 50
const LEAST_FREQUENCY = 0.1
/** Dependents whose own dependents are looked at. */
const EXPANDED = 200
/** Names less alike than this are unlike. */
const ALIKE = 0.5
const NAMED_IN_REASON = 0.3
const VELOCITY_BASE = 0.85
const VELOCITY_SHARE = 0.15

export interface PredictOptions {
  ranking: PredictRanking
  includeVelocity: boolean
}

export interface Prediction {
  node: NodeId
  /** 0..1 */
  confidence: number
  /** 0..1, 0.5 is the mean of its type. */
  velocity: number
  reason: string
  /** Strength of co-change, 0 without. */
  coupling: number
  /** Whether history speaks for it. */
  observed: boolean
}

export interface Predictions {
  /** By confidence, then node. */
  rows: Prediction[]
  velocity: number
  trend: Trend
  /** Guessed edges among the witnesses. */
  guesses: number
}

/** Independent witnesses for one node, each with its strongest statement. */
interface Case {
  witnesses: Map<string, { share: number; reason: string }>
  coupling: number
  observed: boolean
}

/**
 * Confidence is `1 − Π(1 − share)` over the witnesses, times 0.85 + 0.15 · velocity where velocity counts. For
 * a file, what its parts are connected to counts for it, and answers are files; parts and wholes of the node
 * and external packages are no answers.
 */
export function predict(
  graph: Graph,
  cochange: CoChange,
  changed: NodeId,
  { ranking, includeVelocity }: PredictOptions,
): Predictions {
  const shares = SHARES[ranking]
  const isFile = graph.types[changed] === FILE
  const parts = partsOf(graph, changed)
  const excluded = new Set([changed, ...parts])
  for (let u = graph.parents[changed]; u !== NONE && !excluded.has(u); u = graph.parents[u]) excluded.add(u)

  const cases = new Map<NodeId, Case>()
  const witness = (v: NodeId, kind: string, share: number, reason: string): Case | undefined => {
    const node = isFile ? fileOf(graph, v) : v
    if (share <= 0 || node === NONE || excluded.has(node) || isNoAnswer(graph, node)) return undefined
    let about = cases.get(node)
    if (about === undefined) {
      about = { witnesses: new Map(), coupling: 0, observed: false }
      cases.set(node, about)
    }
    // the longer way to what is connected directly says nothing more
    if (kind === 'twoHops' && (about.witnesses.has('direct') || about.witnesses.has('test'))) return about
    const known = about.witnesses.get(kind)
    if (known === undefined || share > known.share) about.witnesses.set(kind, { share, reason })
    return about
  }

  fromHistory(graph, cochange, changed, ranking, (v, { share, strength, observed, reason }) => {
    const about = witness(v, 'history', share, reason)
    if (about === undefined) return
    about.coupling = Math.max(about.coupling, strength)
    about.observed ||= observed
  })
  const guesses = fromStructure(graph, [changed, ...parts], shares, witness)
  if (isFile) {
    fromConfiguration(graph, [changed, ...parts], shares, witness)
    if (ranking === 'fused') fromPlace(graph, changed, shares, cases, witness)
  }

  const zScores = velocitiesOf(graph)
  const rows = [...cases].map(([node, about]): Prediction => {
    const velocity = velocityShare(zScores[node])
    const confidence = combined([...about.witnesses.values()].map((it) => it.share))
    return {
      node,
      confidence: includeVelocity ? confidence * (VELOCITY_BASE + VELOCITY_SHARE * velocity) : confidence,
      velocity,
      reason: reasonOf(about),
      coupling: about.coupling,
      observed: about.observed,
    }
  })
  rows.sort((a, b) => b.confidence - a.confidence || a.node - b.node)
  return { rows, velocity: velocityShare(zScores[changed]), trend: trendOf(zScores[changed]), guesses }
}

/** External packages and folders are not what one edits. */
function isNoAnswer(graph: Graph, v: NodeId): boolean {
  return graph.dead[v] === 1 || graph.types[v] === REFERENCE || graph.types[v] === DIRECTORY
}

/** Noisy-or: how likely it is that at least one of several independent witnesses is right. */
export function combined(shares: readonly number[]): number {
  return 1 - shares.reduce((wrong, share) => wrong * (1 - share), 1)
}

function reasonOf({ witnesses }: Case): string {
  const [first, second] = [...witnesses.values()].sort((a, b) => b.share - a.share)
  if (second === undefined) return first.reason
  return second.share > NAMED_IN_REASON ? `${first.reason} + ${second.reason}` : first.reason
}

type Witness = (v: NodeId, kind: string, share: number, reason: string) => unknown

interface Common {
  share: number
  strength: number
  observed: boolean
  reason: string
}

function fromHistory(
  graph: Graph,
  cochange: CoChange,
  changed: NodeId,
  ranking: PredictRanking,
  tell: (v: NodeId, common: Common) => void,
): void {
  const { observed: ofObserved, bootstrapped } = SHARES[ranking]
  // history is kept by file; what it says about a definition's file holds for the definition too
  const file = fileOf(graph, changed)
  for (const place of file === changed || file === NONE ? [changed] : [changed, file]) {
    const partners = coChangeOf(cochange, place)
    const commits = commitsOf(graph, place, Math.max(0, ...partners.map((it) => it.commits)))
    for (const { node, strength, observed, commits: together } of partners) {
      if (!observed) {
        tell(node, { share: bootstrapped * strength, strength, observed, reason: 'close in structure' })
        continue
      }
      const share = ofObserved * (ranking === 'seed' || together === 0 ? strength : together / (commits + 1))
      const reason =
        together === 0
          ? 'confirmed together'
          : `changed together in ${together} ${together === 1 ? 'commit' : 'commits'}`
      tell(node, { share, strength, observed, reason })
    }
  }
}

/** Commits of a node, from its change frequency where that is within its bounds; at least those it shared. */
function commitsOf(graph: Graph, v: NodeId, shared: number): number {
  const frequency = graph.changeFrequency[v]
  return frequency > LEAST_FREQUENCY ? Math.max(shared, Math.round(frequency * FREQUENT_COMMITS)) : shared
}

function fromStructure(graph: Graph, nodes: readonly NodeId[], shares: Shares, witness: Witness): number {
  const kinds = new Kinds(graph)
  const skipped = { guesses: 0, unreachable: 0 }
  const own = new Set(nodes)
  const dependents = new Map<NodeId, number>()
  let guesses = 0
  const each = (
    v: NodeId,
    direction: InfluenceOptions['direction'],
    visit: (u: NodeId, slot: number, isTest: boolean, name: string) => void,
  ) =>
    eachInfluence(graph, kinds, v, { direction, includeGuesses: true }, skipped, (u, slot, kind, along) => {
      if ((kind & CONTAINMENT) !== 0 || own.has(u)) return
      if (graph.tiers[slot] === GUESS) guesses++
      // the name is read from the other end
      visit(u, slot, (kind & TESTS) !== 0, stepName(graph, slot, !along).replaceAll('_', ' '))
    })

  for (const v of nodes) {
    each(v, 'dependents', (u, slot, isTest, name) => {
      const weight = Math.min(1, graph.weights[slot])
      dependents.set(u, Math.max(dependents.get(u) ?? 0, weight))
      if (isTest) witness(u, 'test', shares.test, 'tests it')
      else witness(u, 'direct', shares.dependent + shares.byWeight * weight, `${name} it`)
    })
    each(v, 'dependencies', (u, slot, _, name) => {
      witness(u, 'direct', shares.dependency + shares.byWeight * Math.min(1, graph.weights[slot]), `${name} it`)
    })
  }
  const strongest = [...dependents].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, EXPANDED)
  for (const [v] of strongest) {
    each(v, 'dependents', (u) => {
      if (!dependents.has(u)) witness(u, 'twoHops', shares.twoHops, 'depends on it over two steps')
    })
  }
  return guesses
}

/** Files that read the same configuration. */
function fromConfiguration(graph: Graph, nodes: readonly NodeId[], shares: Shares, witness: Witness): void {
  const { out, in: into, tagOffsets, tags } = graph
  const config = graph.strings.find('config')
  if (config === NONE) return
  const isConfig = (v: NodeId) => tags.subarray(tagOffsets[v], tagOffsets[v + 1]).includes(config)
  for (const v of nodes) {
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
      const read = out.targets[e]
      const file = fileOf(graph, read)
      if (file === NONE || file === nodes[0] || !isConfig(file)) continue
      for (let i = into.offsets[read]; i < into.offsets[read + 1]; i++) {
        witness(into.targets[i], 'configuration', shares.configuration, `shares ${labelOf(graph, file)}`)
      }
    }
  }
}

/** Files of the same folder, and among all that have a witness those of a like name. */
function fromPlace(graph: Graph, changed: NodeId, shares: Shares, cases: Map<NodeId, Case>, witness: Witness): void {
  const folder = graph.parents[changed]
  if (folder !== NONE) {
    for (const v of childrenOf(graph, folder))
      if (graph.types[v] === FILE) witness(v, 'folder', shares.folder, 'same folder')
  }
  const own = nameParts(graph, changed)
  for (const v of Array.from(cases.keys())) {
    const likeness = alike(own, nameParts(graph, v))
    if (likeness >= ALIKE) witness(v, 'name', shares.name * likeness, 'named alike')
  }
}

function nameParts(graph: Graph, v: NodeId): Set<string> {
  return new Set(splitIdentifier(labelOf(graph, v).replace(/\.[^.]*$/, '')).map((it) => it.toLowerCase()))
}

/** Shared parts of two names against all their parts, 0..1 (Dice). */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const part of a) if (b.has(part)) shared++
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size)
}

const known = new WeakMap<Graph, Float64Array>()

/** Change frequency is fixed at ingest, and so are its z-scores. */
function velocitiesOf(graph: Graph): Float64Array {
  const before = known.get(graph)
  if (before !== undefined) return before
  const found = velocities(graph)
  known.set(graph, found)
  return found
}
