/** What a plan of changes leaves out: files that will have to change too or may break, and what is not tested. */

import { companions } from '#analysis/companions'
import { partsOf } from '#analysis/impact'
import { predict } from '#analysis/predict'
import { CONTAINMENT, eachInfluence, Kinds, stepName } from '#analysis/steps'
import { fileOf, type Graph, labelOf, NONE, type NodeId, text } from '#graph/graph'
import type { Messages } from '#graph/messages'
import type { CoChange } from '#query/cochange'
import { EXTERNAL_ROLE, GENERATED_ROLE, roleOf } from '#query/corpus'

export const ACTIONS = ['modify', 'create', 'delete', 'rename', 'test'] as const
export type ActionType = (typeof ACTIONS)[number]

export interface Planned {
  /** A file. */
  node: NodeId
  action: ActionType
}

export type Severity = 'critical' | 'warning' | 'info'

export interface Gap {
  node: NodeId
  severity: Severity
  /** 0..1 */
  strength: number
  reason: string
}

export interface Gaps {
  /** By severity, strength, node. */
  gaps: Gap[]
  /** Distinct nodes that depend on what is planned over at most three steps. */
  blast: number
  skipped: { guesses: number; unreachable: number }
  /** The ranking used: the plain one where no commit is known of what is planned. */
  ranking: PlanRanking
}

/**
 * `seed`: strength of a file is the plain formula of `predict` from the nearest planned file, and any direct relation
 * is a warning. `fused`: how likely it is that the file changes along, by history first (`plan.md`).
 */
export type PlanRanking = 'fused' | 'seed'

export interface PlanOptions {
  ranking: PlanRanking
  nowSeconds: number
}

const HOPS = 3
const LIMITS: Record<PlanRanking, { critical: number; warning: number; info: number }> = {
  seed: { critical: 0.8, warning: 0.5, info: 0 },
  fused: { critical: 0.55, warning: 0.35, info: 0.15 },
}
const RANK: Record<Severity, number> = { critical: 0, warning: 1, info: 2 }
/** Written by programs, or not the project's own. */
const NOT_PLANNED =
  /(?:^|\/)(?:target|node_modules|dist|build)\/|(?:^|\/)(?:Cargo\.(?:toml|lock)|package-lock\.json|pnpm-lock\.yaml|yarn\.lock|uv\.lock|poetry\.lock|go\.sum|composer\.lock|Gemfile\.lock)$/

export function findGaps(
  graph: Graph,
  indexes: { cochange: CoChange; messages: Messages },
  planned: readonly Planned[],
  { ranking: wanted, nowSeconds }: PlanOptions,
): Gaps {
  const changed = planned.filter(({ action }) => action !== 'test' && action !== 'create')
  const ranking = changed.some(({ node }) => indexes.messages.files.includes(node)) ? wanted : 'seed'
  const isPlanned = new Set(planned.map((it) => it.node))
  const reach = reachOf(graph, changed)
  const limits = LIMITS[ranking]
  const found = strengths(graph, indexes, changed, { ranking, nowSeconds })
  const gaps: Gap[] = []
  for (const file of new Set([...reach.files.keys(), ...found.keys()])) {
    if (isPlanned.has(file) || isNotPlanned(graph, file)) continue
    const { strength = 0, reason = '' } = found.get(file) ?? {}
    const at = reach.files.get(file)
    // what the plain formula speaks for besides is no gap
    if (at === undefined && (ranking === 'seed' || strength < limits.info)) continue
    const isBroken = at?.hops === 1 && at.isGone
    const isWarning = strength >= limits.warning || (ranking === 'seed' && at !== undefined && at.hops <= 1)
    gaps.push({
      node: file,
      severity: isBroken || strength >= limits.critical ? 'critical' : isWarning ? 'warning' : 'info',
      strength,
      reason: isBroken ? `${at.reason}, which goes` : reason !== '' ? reason : (at?.reason ?? ''),
    })
  }
  gaps.sort((a, b) => RANK[a.severity] - RANK[b.severity] || b.strength - a.strength || a.node - b.node)
  return { gaps, blast: reach.nodes, skipped: reach.skipped, ranking }
}

/** How strongly each file is called for by what is planned, and by which of it most. */
function strengths(
  graph: Graph,
  indexes: { cochange: CoChange; messages: Messages },
  changed: readonly Planned[],
  { ranking, nowSeconds }: PlanOptions,
): Map<NodeId, { strength: number; reason: string }> {
  const found = new Map<NodeId, { strength: number; most: number; reason: string }>()
  for (const { node } of changed) {
    const options = { includeVelocity: false, nowSeconds }
    const { rows } =
      ranking === 'seed'
        ? predict(graph, indexes, node, { ...options, ranking })
        : companions(graph, indexes, node, { ...options, standing: () => 1 })
    const of = changed.length > 1 ? ` (${labelOf(graph, node)})` : ''
    for (const { node: file, confidence, reason } of rows) {
      const known = found.get(file) ?? { strength: 0, most: 0, reason: '' }
      if (confidence > known.most) Object.assign(known, { most: confidence, reason: reason + of })
      // the nearest file alone counts, or all, of which each says a part of the same
      known.strength =
        ranking === 'seed' ? known.most : Math.min(1, known.strength + confidence / Math.sqrt(changed.length))
      found.set(file, known)
    }
  }
  return found
}

function isNotPlanned(graph: Graph, file: NodeId): boolean {
  const role = roleOf(graph, file)
  return role === GENERATED_ROLE || role === EXTERNAL_ROLE || NOT_PLANNED.test(text(graph, graph.paths[file]))
}

interface Reached {
  /** 0: a planned file relies on it. */
  hops: number
  reason: string
  /** What it depends on is deleted or renamed. */
  isGone: boolean
}

/** Who depends on the planned files over at most three steps, by file, and what these rely on directly. */
function reachOf(graph: Graph, changed: readonly Planned[]) {
  const kinds = new Kinds(graph)
  const skipped = { guesses: 0, unreachable: 0 }
  const files = new Map<NodeId, Reached>()
  // by node
  const seen = new Uint8Array(graph.nNodes)
  const gone = new Uint8Array(graph.nNodes)
  const own: NodeId[] = []
  for (const { node, action } of changed) {
    const all = [node, ...partsOf(graph, node)]
    for (const v of all) {
      if (seen[v] === 0) own.push(v)
      seen[v] = 1
      if (action === 'delete' || action === 'rename') gone[v] = 1
    }
  }
  const isOwn = seen.slice()
  let nodes = 0
  let frontier = own
  for (let hops = 1; hops <= HOPS; hops++) {
    const next: NodeId[] = []
    for (const v of frontier) {
      const isGone = gone[v] === 1
      eachInfluence(
        graph,
        kinds,
        v,
        { direction: 'dependents', includeGuesses: false },
        skipped,
        (u, slot, kind, along) => {
          if ((kind & CONTAINMENT) !== 0 || isOwn[u] === 1) return
          const isSeen = seen[u] === 1
          // a file is known from the first of its nodes that was met, and looked at again only for what goes
          if (isSeen && !isGone) return
          const file = fileOf(graph, u)
          if (file !== NONE && isOwn[file] === 0) {
            const known = files.get(file)
            if (known === undefined || (isGone && known.hops === hops && !known.isGone)) {
              const name = stepName(graph, slot, !along).replaceAll('_', ' ')
              const reason = hops === 1 ? `${name} ${labelOf(graph, v)}` : `depends on it over ${hops} steps`
              files.set(file, { hops, reason, isGone })
            }
          }
          if (isSeen) return
          seen[u] = 1
          nodes++
          next.push(u)
        },
      )
    }
    frontier = next
  }
  const uncounted = { guesses: 0, unreachable: 0 }
  for (const v of own) {
    eachInfluence(
      graph,
      kinds,
      v,
      { direction: 'dependencies', includeGuesses: false },
      uncounted,
      (u, slot, kind, along) => {
        const file = fileOf(graph, u)
        if ((kind & CONTAINMENT) !== 0 || file === NONE || isOwn[file] === 1 || files.has(file)) return
        const name = stepName(graph, slot, !along).replaceAll('_', ' ')
        files.set(file, { hops: 0, reason: `${name} ${labelOf(graph, v)}`, isGone: false })
      },
    )
  }
  return { files, nodes, skipped }
}

export interface Risk {
  critical: number
  warning: number
  info: number
  /** Tested over modified files, 0..1. */
  coverage: number
  blast: number
}

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const

/** 0..1, from gaps, missing tests and reach; each saturates, so that no single one decides. */
export function riskOf({ critical, warning, info, coverage, blast }: Risk): {
  score: number
  level: (typeof RISK_LEVELS)[number]
} {
  const gaps = 1 - Math.exp(-(critical + 0.5 * warning + 0.2 * info))
  const score = 0.4 * gaps + 0.3 * (1 - coverage) + 0.3 * Math.min(1, Math.log1p(blast) / Math.log(1001))
  return { score, level: score < 0.3 ? 'low' : score < 0.6 ? 'medium' : score < 0.8 ? 'high' : 'critical' }
}
