/** `GET /api/coverage` */

import { coverageWork, resolvedPercent } from '#analysis/coverage'
import type { Engine } from '#engine/brain'
import { reportsOf } from '#engine/reports'
import { storedFiles } from '#engine/stored'
import { bytesIn, graphStats } from '#engine/views'
import { FILE, type Graph, text } from '#graph/graph'
import type { CoverageAnswer } from '#views/shapes'
import { breathe, inSlices } from '#views/slices'

const SITES_SHOWN = 20
const STALE_SHOWN = 20
/** Files that are looked up on disk, so many at a time. */
const MOST_LOOKED_AT = 20_000
const LOOKED_AT_ONCE = 250

export async function readCoverage(
  engine: Engine,
  { signal }: { signal: AbortSignal },
): Promise<Omit<CoverageAnswer, 'served_brain'>> {
  await engine.settled
  const { graph, indexes } = engine.brain
  const { meta } = graph
  const { coverage } = meta
  const found = await inSlices(coverageWork(graph), signal)
  const reports = reportsOf(engine.records)
  const skipped = Math.max(0, coverage.filesSkipped - found.files.nameOnly)
  const leftOut = reports.flatMap((it) => it.left_out)
  const unexplained = skipped - leftOut.reduce((sum, it) => sum + it.files, 0)
  const stale = await staleIn(engine, graph)
  const status = engine.status()
  const stats = graphStats(graph)
  return {
    ingested_at_ms: meta.ingestedAt || null,
    commit: meta.commit || null,
    files: {
      parsed: found.files.parsed,
      partly: found.files.partly,
      name_only: found.files.nameOnly,
      skipped,
    },
    reasons: joined([
      ...found.reasons,
      ...leftOut,
      // ingests of an earlier version kept no reasons
      ...(unexplained > 0 ? [{ reason: 'not_kept', files: unexplained, sample: [] }] : []),
    ]),
    languages: found.languages.map((it) => ({ ...it, resolved_percent: resolvedPercent(it) })),
    references: {
      resolved: coverage.resolved,
      ambiguous: coverage.ambiguous,
      unresolved: coverage.unresolved,
      external: coverage.external,
    },
    calls_by_tier: found.callsByTier,
    edges_by_tier: found.edgesByTier,
    edges_by_relation: found.edgesByRelation,
    nodes_by_type: found.nodesByType,
    unresolved: { total: coverage.unresolved, sample: coverage.sites.slice(0, SITES_SHOWN) },
    run_time: { total: coverage.boundaries.length, sample: coverage.boundaries.slice(0, SITES_SHOWN) },
    weakest_files: found.weakest.map(({ path, resolvedPercent: resolved_percent, unresolved }) => ({
      path,
      resolved_percent,
      unresolved,
    })),
    phase_ms: reports[0]?.phase_ms ?? {},
    sizes: {
      node_count: stats.node_count,
      edge_count: stats.edge_count,
      graph_bytes: stats.memory_estimate_bytes,
      indexes_bytes: bytesIn(indexes, 3),
      process_bytes: process.memoryUsage.rss(),
      stored: storedFiles(status.stateFolder),
    },
    stale,
    checker: status.checker,
    watcher: status.watcher,
    stopped_by: coverage.truncated,
    warnings: status.warnings,
  }
}

type Reasons = CoverageAnswer['reasons']

/** Several roots may have left out files for the same reason. */
function joined(reasons: Reasons): Reasons {
  const byName = new Map<string, Reasons[number]>()
  for (const { reason, files, sample } of reasons) {
    const same = byName.get(reason)
    byName.set(
      reason,
      same === undefined
        ? { reason, files, sample }
        : { reason, files: same.files + files, sample: [...same.sample, ...sample] },
    )
  }
  return [...byName.values()].sort((a, b) => b.files - a.files || (a.reason < b.reason ? -1 : 1))
}

async function staleIn(engine: Engine, graph: Graph): Promise<CoverageAnswer['stale']> {
  const paths: string[] = []
  for (let v = 0; v < graph.nNodes && paths.length < MOST_LOOKED_AT; v++)
    if (graph.types[v] === FILE && graph.dead[v] === 0) paths.push(text(graph, graph.paths[v]))
  const stale: string[] = []
  for (let i = 0; i < paths.length; i += LOOKED_AT_ONCE) {
    stale.push(...engine.staleFiles(paths.slice(i, i + LOOKED_AT_ONCE)))
    await breathe()
  }
  return { files: stale.length, looked_at: paths.length, sample: stale.slice(0, STALE_SHOWN) }
}
