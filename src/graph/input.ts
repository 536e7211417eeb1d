/** What goes into the builder: nodes and edges as plain records, in the order in which ids are given out. */

import type { GraphMeta, Tier } from '#graph/graph'

export interface NodeInput {
  key: string
  label: string
  /** Code of `NODE_TYPES`. */
  type: number
  tags?: string[]
  lastModified?: number
  changeFrequency?: number
  path?: string
  lineStart?: number
  lineEnd?: number
  excerpt?: string
  namespace?: string
  canonical?: boolean
  /** Index, in the same list, of the node that contains this one; -1 when none. */
  parent?: number
}

export interface EdgeInput {
  /** Indices into the list of nodes. */
  source: number
  target: number
  relation: string
  weight: number
  causal: number
  bidirectional?: boolean
  inhibitory?: boolean
  tier?: Tier
  line?: number
  lifted?: boolean
  unreachable?: boolean
}

export interface GraphInput {
  nodes: NodeInput[]
  edges: EdgeInput[]
  meta: GraphMeta
}
