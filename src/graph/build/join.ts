/** Node columns and edge slots → `Graph`. */

import { reverse, type Slots } from '#graph/build/edges'
import type { NodeColumns } from '#graph/build/nodes'
import { completeParents } from '#graph/build/parents'
import type { Graph, GraphMeta } from '#graph/graph'
import { pageRank } from '#graph/pagerank'
import type { Strings } from '#graph/strings'

/** Nothing is learned on it yet. Fills in the parents that containment edges tell, and the PageRank if it is not given. */
export function joined(
  columns: NodeColumns,
  slots: Slots,
  strings: Strings,
  meta: GraphMeta,
  pagerank?: Float32Array,
): Graph {
  const { nLogical, offsets, targets, relations, weights, causal, flags, tiers, lines, mirrors } = slots
  const nEdges = targets.length
  const out = { offsets, targets }
  const inEdges = reverse(offsets, targets)
  completeParents(columns.parents, { out, relations, flags, strings })

  return {
    nNodes: columns.keys.length,
    nEdges,
    nLogical,
    strings,
    ...columns,
    pagerank: pagerank ?? pageRank({ out, in: inEdges, flags, dead: columns.dead }),
    out,
    in: inEdges,
    relations,
    weights,
    ingestWeights: weights.slice(),
    causal,
    flags,
    tiers,
    lines,
    mirrors,
    ...nothingLearned(nEdges),
    meta,
  }
}

/** A graph with the same nodes and edges, as it was before anything was learned on it. */
export function asIngested(graph: Graph, meta: GraphMeta): Graph {
  return { ...graph, weights: graph.ingestWeights.slice(), ...nothingLearned(graph.nEdges), meta }
}

function nothingLearned(nEdges: number) {
  return {
    strengthened: new Uint32Array(nEdges),
    weakened: new Uint32Array(nEdges),
    strengthenRun: new Uint16Array(nEdges),
    weakenRun: new Uint16Array(nEdges),
    marks: new Uint8Array(nEdges),
    lastUsed: new Uint32Array(nEdges),
  }
}
