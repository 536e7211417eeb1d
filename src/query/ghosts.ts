/** Connections that the dimensions suggest although the graph has no edge for them. They are never stored. */

import { type Graph, type NodeId, OBSERVED } from '#graph/graph'
import { AGREES_ABOVE, BASE_WEIGHTS, DIMENSIONS, type Dimension, type Ranked } from '#query/blend'

/** Rows of the ranking that are paired: 50 gives 1,225 pairs. */
const PAIRED = 50
const SHOWN = 10

export interface Ghost {
  source: NodeId
  target: NodeId
  shared: Dimension[]
  /** 0..1 */
  strength: number
}
