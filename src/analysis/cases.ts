/** Independent witnesses for what may change as well, gathered by node and combined. */

import { DIRECTORY, FILE, fileOf, type Graph, type NodeId, NONE, REFERENCE } from '#graph/graph'
import { velocities, velocityShare } from '#query/temporal'

export interface PredictOptions {
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

/** The strongest statement of each witness about one node. */
interface Case {
  witnesses: Map<string, { share: number; reason: string }>
  coupling: number
  observed: boolean
}

const NAMED_IN_REASON = 0.3
const VELOCITY_BASE = 0.85
const VELOCITY_SHARE = 0.15

/** For a file answers are files; parts and wholes of the node, folders and external packages are no answers. */
export class Cases {
  readonly #graph: Graph
  readonly #cases = new Map<NodeId, Case>()
  readonly #excluded: Set<NodeId>
  readonly #ofFiles: boolean

  constructor(graph: Graph, changed: NodeId, parts: readonly NodeId[]) {
    this.#graph = graph
    this.#ofFiles = graph.types[changed] === FILE
    this.#excluded = new Set([changed, ...parts])
    for (let u = graph.parents[changed]; u !== NONE && !this.#excluded.has(u); u = graph.parents[u])
      this.#excluded.add(u)
  }

  /** Notes what a witness says. */
  tell(v: NodeId, kind: string, share: number, reason: string): void {
    const node = this.#ofFiles ? fileOf(this.#graph, v) : v
    if (share <= 0 || node === NONE || this.#excluded.has(node) || isNoAnswer(this.#graph, node)) return
    let about = this.#cases.get(node)
    if (about === undefined) {
      about = { witnesses: new Map(), coupling: 0, observed: false }
      this.#cases.set(node, about)
    }
    const known = about.witnesses.get(kind)
    if (known === undefined || share > known.share) about.witnesses.set(kind, { share, reason })
  }

  /** Says that history speaks for a node that has a case. */
  observe(v: NodeId): void {
    const about = this.#cases.get(this.#ofFiles ? fileOf(this.#graph, v) : v)
    if (about !== undefined) about.observed = true
  }

  /** Notes the strength of co-change of a node that has a case. */
  couple(v: NodeId, strength: number): void {
    const about = this.#cases.get(this.#ofFiles ? fileOf(this.#graph, v) : v)
    if (about !== undefined) about.coupling = Math.max(about.coupling, strength)
  }

  /** Whether any of these witnesses, or any at all, spoke for the node. */
  has(v: NodeId, ...kinds: string[]): boolean {
    const about = this.#cases.get(this.#ofFiles ? fileOf(this.#graph, v) : v)
    return about !== undefined && (kinds.length === 0 || kinds.some((it) => about.witnesses.has(it)))
  }

  nodes(): NodeId[] {
    return [...this.#cases.keys()]
  }

  /**
   * Confidence is `1 − Π(1 − share)` over the witnesses, times the node's standing, times 0.85 + 0.15 · velocity
   * where velocity counts. By confidence, then node.
   */
  rows(includeVelocity: boolean, standing: (v: NodeId) => number = () => 1): Prediction[] {
    const zScores = velocitiesOf(this.#graph)
    const rows = [...this.#cases].map(([node, about]): Prediction => {
      const velocity = velocityShare(zScores[node])
      const confidence = standing(node) * combined([...about.witnesses.values()].map((it) => it.share))
      return {
        node,
        confidence: includeVelocity ? confidence * (VELOCITY_BASE + VELOCITY_SHARE * velocity) : confidence,
        velocity,
        reason: reasonOf(about),
        coupling: about.coupling,
        observed: about.observed,
      }
    })
    return rows.sort((a, b) => b.confidence - a.confidence || a.node - b.node)
  }
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

const known = new WeakMap<Graph, Float64Array>()

/** Change frequency is fixed at ingest, and so are its z-scores. */
export function velocitiesOf(graph: Graph): Float64Array {
  const before = known.get(graph)
  if (before !== undefined) return before
  const found = velocities(graph)
  known.set(graph, found)
  return found
}
