/**
 * The graph as typed arrays. Node columns are indexed by `NodeId`, edge columns by edge slot: the position
 * in forward CSR order. A bidirectional edge has two slots, one from either end, each with its own weight.
 * Structure never changes; only `weights` and the counters below it do, and only `plasticity` writes them.
 */

import type { PatternSite } from '#graph/patterns'
import type { Strings } from '#graph/strings'

/** Dense index, `0 … nNodes - 1`, of one `Graph`. */
export type NodeId = number

/** Marks "no node", "no string", "no slot" in a 32-bit column. */
export const NONE = 0xffff_ffff

/** Node types and their codes in snapshots; `100 + v` is `custom(v)`. */
export const NODE_TYPES = [
  'file',
  'directory',
  'function',
  'class',
  'struct',
  'enum',
  'type',
  'module',
  'reference',
  'concept',
  'material',
  'process',
  'product',
  'supplier',
  'regulatory',
  'system',
  'cost',
] as const
export const CUSTOM = 100

export const FILE = 0
export const DIRECTORY = 1
export const FUNCTION = 2
export const CLASS = 3
export const STRUCT = 4
export const ENUM = 5
export const TYPE = 6
export const MODULE = 7
export const REFERENCE = 8

export function typeName(code: number): string {
  if (code >= CUSTOM) return `custom(${code - CUSTOM})`
  return NODE_TYPES[code] ?? `custom(${code})`
}

/**
 * How sure an edge is, best first. `exact`: import or scope proves it. `typed`: the receiver's or a declared
 * type proves it. `unique`: only one candidate in the project. `observed`: seen in history, no proof of
 * dependence. `guess`: several candidates. `given`: stated by the input itself (descriptor files, structure).
 */
export const TIERS = ['given', 'exact', 'typed', 'unique', 'observed', 'guess'] as const
export type Tier = (typeof TIERS)[number]
export const GIVEN = 0
export const OBSERVED = 4
export const GUESS = 5

/** Bits of `flags`. */
export const INHIBITORY = 1
export const BIDIRECTIONAL = 2
/** Set on the slot that runs as the edge was added; clear on the mirrored slot of a bidirectional edge. */
export const PRIMARY = 4
/** A removed edge: weight 0, invisible everywhere. */
export const DEAD_EDGE = 8
/** Lifted from symbols to their files. */
export const LIFTED = 16
/** Stands in code that cannot run (`if False:`, `#if 0`). */
export const UNREACHABLE = 32

/** Bits of `marks`. */
export const LTP_APPLIED = 1
export const LTD_APPLIED = 2

/** One direction of adjacency: the edges of `v` are `offsets[v] … offsets[v + 1] - 1`. */
export interface Csr {
  /** length nNodes + 1 */
  offsets: Uint32Array
  /** length nEdges; the other end */
  targets: Uint32Array
}

/** In-edges; `slots[i]` is the forward slot of in-edge `i`, under which all edge columns are kept. */
export interface InCsr extends Csr {
  slots: Uint32Array
}

export interface Graph {
  nNodes: number
  /** Number of slots. */
  nEdges: number
  /** Number of logical edges (a bidirectional edge once), without removed ones. */
  nLogical: number

  /** All text of the graph, interned. Columns hold handles into it. */
  strings: Strings

  // node columns, length nNodes
  keys: Uint32Array
  labels: Uint32Array
  /** Codes of `NODE_TYPES`. */
  types: Uint8Array
  /** Epoch seconds, 0 = unknown. */
  lastModified: Float64Array
  /** 0..1 */
  changeFrequency: Float32Array
  /** 0..1, the top node has 1. */
  pagerank: Float32Array
  /** Path of the source file or NONE. */
  paths: Uint32Array
  /** 1-based, 0 = unknown. */
  lineStart: Uint32Array
  lineEnd: Uint32Array
  excerpts: Uint32Array
  namespaces: Uint32Array
  canonical: Uint8Array
  /** 1 = removed. */
  dead: Uint8Array
  /** The node that contains this one, or NONE. Directories contain files, files definitions, classes methods. */
  parents: Uint32Array
  /** Tags of `v`: `tags[tagOffsets[v] … tagOffsets[v + 1] - 1]`. */
  tagOffsets: Uint32Array
  tags: Uint32Array

  out: Csr
  in: InCsr

  // edge columns, length nEdges, indexed by slot
  /** String handle of the relation. */
  relations: Uint32Array
  /** Current, learned weight. */
  weights: Float32Array
  /** Weight at ingest. */
  ingestWeights: Float32Array
  causal: Float32Array
  flags: Uint8Array
  tiers: Uint8Array
  /** Line of the reference in the source node's file, 0 = unknown. */
  lines: Uint32Array
  /** The slot of the other half of a bidirectional edge, else NONE. */
  mirrors: Uint32Array

  // learning, length nEdges, indexed by slot
  strengthened: Uint32Array
  weakened: Uint32Array
  strengthenRun: Uint16Array
  weakenRun: Uint16Array
  marks: Uint8Array
  /** Number of the query that last changed the slot. */
  lastUsed: Uint32Array

  /** What the pipeline knows about the whole: roots, domain, time of ingest, coverage. */
  meta: GraphMeta
}

export interface GraphMeta {
  domain: string
  /** Epoch milliseconds of the ingest, 0 when unknown. */
  ingestedAt: number
  roots: Root[]
  /** Head commit of the first root, '' without git. */
  commit: string
  /** Per file: how well it was read. Filled by ingest. */
  coverage: Coverage
  /** Structure generation and learning generation; never go backwards. */
  generation: number
  plasticityGeneration: number
}

export interface Root {
  /** Absolute real path. */
  path: string
  /** Prefix of node keys of this root (`name::`) or ''. */
  prefix: string
  adapter: string
  /** Absolute path that `source_path`s are relative to (the repository's top level, else `path`). */
  base: string
  /** Commit that was checked out when it was read; none for what lies in no repository, or was read long ago. */
  commit?: string
}

export interface Coverage {
  filesParsed: number
  filesPartial: number
  filesSkipped: number
  /** Reference sites by outcome. */
  resolved: number
  ambiguous: number
  unresolved: number
  external: number
  /** Unresolved call sites, at most `MAX_SITES`, in file order; an answer is whole when none bears the name asked for. */
  sites: Site[]
  /** Sites whose target exists only at run time (`eval`, reflection, computed imports), in file order. */
  boundaries: Site[]
  /** Places at which rules of patterns hold, at most `MAX_SITES`, in file order. */
  patterns: PatternSite[]
  /** Reference sites by outcome, by path of their file. */
  files: Map<string, FileCoverage>
  /** Why the ingest stopped before the last file, '' when it did not. */
  truncated: string
}

export interface Site {
  path: string
  line: number
  text: string
}

export interface FileCoverage {
  resolved: number
  ambiguous: number
  unresolved: number
  external: number
}

/** Unresolved call sites that are kept; some megabytes at most. The rest is only counted. */
export const MAX_SITES = 200_000

export function emptyCoverage(): Coverage {
  return {
    filesParsed: 0,
    filesPartial: 0,
    filesSkipped: 0,
    resolved: 0,
    ambiguous: 0,
    unresolved: 0,
    external: 0,
    sites: [],
    boundaries: [],
    patterns: [],
    files: new Map(),
    truncated: '',
  }
}

/** The text of a handle, '' for NONE. */
export function text(graph: Graph, handle: number): string {
  return handle === NONE ? '' : graph.strings.get(handle)
}

export function keyOf(graph: Graph, v: NodeId): string {
  return graph.strings.get(graph.keys[v])
}

export function labelOf(graph: Graph, v: NodeId): string {
  return text(graph, graph.labels[v])
}

export function tagsOf(graph: Graph, v: NodeId): string[] {
  const tags: string[] = []
  for (let i = graph.tagOffsets[v]; i < graph.tagOffsets[v + 1]; i++) tags.push(graph.strings.get(graph.tags[i]))
  return tags
}

export function relationOf(graph: Graph, slot: number): string {
  return graph.strings.get(graph.relations[slot])
}

/** Out-edges plus in-edges. */
export function degree(graph: Graph, v: NodeId): number {
  return graph.out.offsets[v + 1] - graph.out.offsets[v] + graph.in.offsets[v + 1] - graph.in.offsets[v]
}

/** The file that holds a node: itself, or the nearest file above it; NONE when there is none. */
export function fileOf(graph: Graph, v: NodeId): NodeId {
  for (let u = v; u !== NONE; u = graph.parents[u]) if (graph.types[u] === FILE) return u
  return NONE
}
