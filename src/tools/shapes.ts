/**
 * Shapes that tools share, and the small functions that fill them. Input shapes stay plain (no unions, no
 * nullable fields), since some clients refuse a whole list for one of them; output shapes are open, so that
 * a client that checks answers never has to reject one.
 */

import * as z from 'zod'
import { type Graph, keyOf, labelOf, type NodeId, text, typeName } from '#graph/graph'
import type { ToolContext } from '#tools/tool'

// inputs

export const AgentId = z.string().min(1).max(256).describe('Your name.')
/** Not of white space alone. */
export const NodeRef = z
  .string()
  .min(1)
  .max(2000)
  .regex(/\S/u, 'expected more than white space')
  .describe('Id, path, path:line or name.')
export const TopK = topK(20)
export const LockId = z.string().min(1).max(300).describe('Your lock.')
export const IncludeGuesses = z.boolean().default(false).describe('Follow guessed edges.')
export const Detail = z.boolean().default(false).describe('All fields.')
export const MaxTokens = z.int().min(500).max(25_000).default(8000).describe('Size limit.')

/** Number of rows, 1 to 1000, with a default of the tool's own. */
export function topK(byDefault: number) {
  return z.int().min(1).max(1000).default(byDefault).describe('Rows.')
}

// outputs

export const NodeRow = z.looseObject({ node_id: z.string(), label: z.string(), type: z.string() })

export const Provenance = z.looseObject({
  source_path: z.string().nullable(),
  line_start: z.int(),
  line_end: z.int(),
  canonical: z.boolean(),
})

/** How far an answer can be trusted to be whole: `lower_bound` means that there may be more. */
export const Completeness = z.looseObject({
  level: z.enum(['exact', 'lower_bound', 'unknown']),
  reasons: z.array(z.string()),
  unresolved_sites: z.array(z.looseObject({ path: z.string(), line: z.int(), text: z.string() })),
  unresolved_total: z.int(),
})

/** References that fitted several nodes equally well; left out when there are none. */
export const AmbiguousNodes = z
  .array(
    z.looseObject({
      ref: z.string(),
      node_id: z.string(),
      ambiguous_matches: z.int(),
      other_matches: z.array(z.string()),
    }),
  )
  .optional()

/** What was cut and how to get it; null when the answer is whole. */
export const Truncated = z.looseObject({ shown: z.int(), total: z.int(), how: z.string() }).nullable()

/** Of the files behind the answer: how many changed on disk since the ingest. */
export const Freshness = z.looseObject({
  ingested_at: z.string().nullable(),
  stale_files: z.int(),
  stale_sample: z.array(z.string()),
})

/** A generated number as it is sent: six significant decimals, never NaN or infinite. */
export function round(x: number): number {
  if (!Number.isFinite(x)) return 0
  return Math.abs(x) < 1 ? Number(x.toPrecision(6)) : Math.round(x * 1e6) / 1e6
}

export function nodeRow(graph: Graph, v: NodeId): { node_id: string; label: string; type: string } {
  return { node_id: keyOf(graph, v), label: labelOf(graph, v), type: typeName(graph.types[v]) }
}

export function provenance(graph: Graph, v: NodeId): z.input<typeof Provenance> {
  const excerpt = text(graph, graph.excerpts[v])
  const namespace = text(graph, graph.namespaces[v])
  return {
    source_path: text(graph, graph.paths[v]) || null,
    line_start: graph.lineStart[v],
    line_end: graph.lineEnd[v],
    canonical: graph.canonical[v] === 1,
    ...(excerpt && { excerpt }),
    ...(namespace && { namespace }),
  }
}

/** A scope as paths of sources are written: an absolute one without the way to its root. */
export function scopeBelow({ meta }: Graph, scope: string): string {
  const root = meta.roots.find((it) => scope === it.base || scope.startsWith(`${it.base}/`))
  return root === undefined ? scope : scope.slice(root.base.length + 1)
}

export function truncated(shown: number, total: number, how: string): z.input<typeof Truncated> {
  return shown < total ? { shown, total, how } : null
}

/** The same for an answer of several lists: the one that lost most rows stands for all. */
export function truncatedMost(
  lists: readonly { shown: number; total: number }[],
  how: string,
): z.input<typeof Truncated> {
  const lost = ({ shown, total }: { shown: number; total: number }) => total - shown
  const most = lists.reduce((a, b) => (lost(b) > lost(a) ? b : a))
  return truncated(most.shown, most.total, how)
}

/** At most this many files are looked up on disk for one answer. */
const FRESHNESS_FILES = 100

/** Freshness of the files that hold these nodes. */
export function freshness(
  { engine, graph }: Pick<ToolContext, 'engine' | 'graph'>,
  nodes: Iterable<NodeId>,
): z.input<typeof Freshness> {
  const paths = new Set<string>()
  for (const v of nodes) {
    const path = text(graph, graph.paths[v])
    if (path) paths.add(path)
    if (paths.size === FRESHNESS_FILES) break
  }
  const stale = engine.staleFiles([...paths])
  return {
    ingested_at: graph.meta.ingestedAt > 0 ? new Date(graph.meta.ingestedAt).toISOString() : null,
    stale_files: stale.length,
    stale_sample: stale.slice(0, 3),
  }
}
