/** The whole query: seeds, four dimensions, noise filter, ranking, and what seems to be missing around it. */

import type { Graph, NodeId } from '#graph/graph'
import type { CoChange } from '#query/cochange'
import type { Dimension, Ranked } from '#query/blend'
import type { Ghost } from '#query/ghosts'
import type { Hole } from '#query/holes'
import type { Semantic } from '#query/semantic'
import type { Seed } from '#query/seeds'

export interface ActivateOptions {
  query: string
  /** Rows to return, 1..1000. */
  topK: number
  /** Dimensions that take part; the others contribute nothing. */
  dimensions: readonly Dimension[]
  /** Whether the noise filter replaces the structural dimension. */
  xlr: boolean
  gate: 'seed' | 'rescaled'
  /** Whether hubs near the seeds are immune to the noise filter too. */
  hubImmunity: boolean
  ghostEdges: boolean
  holes: boolean
  /** Activation from which a neighbour counts for a hole, default 0.3. */
  minSiblingActivation?: number
  /** Extra share per node from warmup, trails and priming. */
  boosts: ReadonlyMap<NodeId, number>
  nowSeconds: number
}

export interface Activation {
  seeds: Seed[]
  ranked: Ranked[]
  /** Nodes that anything reached, before the cut to `topK`. */
  totalActive: number
  ghosts: Ghost[]
  holes: Hole[]
  /** Holes before the cut. */
  holesTotal: number
  xlrFallbackUsed: boolean
  xlrSkipped: boolean
  xlrTruncated: boolean
  /** What the caller should know about the answer, '' when nothing. */
  note: string
}

export declare function activate(
  graph: Graph,
  indexes: { semantic: Semantic; cochange: CoChange },
  options: ActivateOptions,
): Activation
