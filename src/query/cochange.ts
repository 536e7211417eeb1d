/**
 * Which nodes change together: a sparse symmetric matrix with at most 100 entries per row and 500,000 in all.
 * History comes first; what is left of the budget is filled from the structure of the graph, marked as such.
 */

import { DEAD_EDGE, type Graph, INHIBITORY, type NodeId, relationOf } from '#graph/graph'
import { type ColumnSet, columnReader, type TypedArray } from '#query/columns'
import { NodeValues } from '#query/node-values'

export const MAX_ENTRIES = 500_000
export const MAX_PER_ROW = 100
/** Strength that one common commit adds, up to 1 in all. */
const PER_COMMIT = 0.1
/** A commit of more files than this is a bulk change: a pair in it gets `PER_COMMIT` · 50 / files. */
const FULL_COMMIT_FILES = 50
const LEAST_STRENGTH = 0.001
/** Beyond so many files a pair of a bulk change falls below the least strength by itself. */
const BULK_FILES = 2000
/** Additions of one pair for one commit; what goes beyond is left out, small commits first in. */
const MAX_ADDITIONS = 20_000_000

const STRUCTURE_HOPS = 3
const STRUCTURE_PER_HOP = 0.95
const STRUCTURE_SHARE = 0.3
/** Slots looked at from one node, and the degree from which a node is a hub that ties nothing together. */
const STRUCTURE_VISITS = 256
const STRUCTURE_HUB = 64

export interface CoChange {
  /** CSR by node: partners, strongest first. */
  offsets: Uint32Array
  nodes: Uint32Array
  /** 0..1 */
  strengths: Float32Array
  /** Commits that touched both, 0 where only structure or feedback says so; 65,535 stands for more. */
  commits: Uint16Array
  /** 1: seen in history or confirmed by feedback. 0: derived from structure. */
  observed: Uint8Array
  /** 1 entry: whether history was too large to be counted whole. */
  truncated: Uint8Array
}

export interface Partner {
  node: NodeId
  strength: number
  observed: boolean
  commits: number
}

/** One undirected entry; parallel lists. */
interface Pairs {
  a: number[]
  b: number[]
  strength: number[]
  commits: number[]
}

/** `groups` has the nodes (files) that each commit touched. */
export function buildCoChange(graph: Graph, groups: readonly Uint32Array[]): CoChange {
  const { pairs, truncated } = pairsFromHistory(graph.nNodes, groups)
  const matrix = new Rows(graph.nNodes)
  matrix.admit(pairs, 1)
  const left = MAX_ENTRIES - matrix.size
  if (left > 1) matrix.admit(pairsFromStructure(graph, left), 0)
  return matrix.toCoChange(truncated)
}
