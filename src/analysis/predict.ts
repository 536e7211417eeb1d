/** Which nodes probably change as well when one does: history, dependence, tests, place and name. */

import { Cases, type Prediction, velocitiesOf } from '#analysis/cases'
import { companions } from '#analysis/companions'
import { partsOf } from '#analysis/impact'
import { CONTAINMENT, eachInfluence, type InfluenceOptions, Kinds, stepName, TESTS } from '#analysis/steps'
import { FILE, fileOf, type Graph, GUESS, labelOf, type NodeId, NONE } from '#graph/graph'
import type { Messages } from '#graph/messages'
import { type CoChange, coChangeOf } from '#query/cochange'
import { type Trend, trendOf, velocityShare } from '#query/temporal'

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
  },
}

/** Change frequency is commits over this, between its bounds. */
const FREQUENT_COMMITS = 50
const LEAST_FREQUENCY = 0.1
/** Dependents whose own dependents are looked at. */
const EXPANDED = 200

export interface PredictOptions {
  ranking: PredictRanking
  includeVelocity: boolean
  nowSeconds: number
}

export interface Predictions {
  /** By confidence, then node. */
  rows: Prediction[]
  velocity: number
  trend: Trend
  /** Guessed edges among the witnesses. */
  guesses: number
}

/**
 * What may change when `changed` does. The fused ranking of files is that of `companions`; for definitions, and for
 * the plain formula, what its parts are connected to counts for the node.
 */
export function predict(
  graph: Graph,
  indexes: { cochange: CoChange; messages: Messages },
  changed: NodeId,
  options: PredictOptions,
): Predictions {
  const z = velocitiesOf(graph)[changed]
  const isFile = graph.types[changed] === FILE
  const found =
    isFile && options.ranking === 'fused'
      ? companions(graph, indexes, changed, options)
      : byWitnesses(graph, indexes.cochange, changed, options)
  return { ...found, velocity: velocityShare(z), trend: trendOf(z) }
}

function byWitnesses(
  graph: Graph,
  cochange: CoChange,
  changed: NodeId,
  { ranking, includeVelocity }: PredictOptions,
): Pick<Predictions, 'rows' | 'guesses'> {
  const shares = SHARES[ranking]
  const parts = partsOf(graph, changed)
  const cases = new Cases(graph, changed, parts)
  fromHistory(graph, cochange, changed, ranking, (v, { share, strength, observed, reason }) => {
    cases.tell(v, 'history', share, reason)
    cases.couple(v, strength)
    if (observed) cases.observe(v)
  })
  const guesses = fromStructure(graph, [changed, ...parts], shares, cases)
  if (graph.types[changed] === FILE) fromConfiguration(graph, [changed, ...parts], shares, cases)
  return { rows: cases.rows(includeVelocity), guesses }
}

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

function fromStructure(graph: Graph, nodes: readonly NodeId[], shares: Shares, cases: Cases): number {
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
      if (isTest) cases.tell(u, 'test', shares.test, 'tests it')
      else cases.tell(u, 'direct', shares.dependent + shares.byWeight * weight, `${name} it`)
    })
    each(v, 'dependencies', (u, slot, _, name) => {
      cases.tell(u, 'direct', shares.dependency + shares.byWeight * Math.min(1, graph.weights[slot]), `${name} it`)
    })
  }
  const strongest = [...dependents].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, EXPANDED)
  for (const [v] of strongest) {
    each(v, 'dependents', (u) => {
      // the longer way to what is connected directly says nothing more
      if (!dependents.has(u) && !cases.has(u, 'direct', 'test'))
        cases.tell(u, 'twoHops', shares.twoHops, 'depends on it over two steps')
    })
  }
  return guesses
}

/** Files that read the same configuration. */
function fromConfiguration(graph: Graph, nodes: readonly NodeId[], shares: Shares, cases: Cases): void {
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
        cases.tell(into.targets[i], 'configuration', shares.configuration, `shares ${labelOf(graph, file)}`)
      }
    }
  }
}
