/** `GET /api/history`: the commits of a file, and what changes together with it. */

import { dirname, join } from 'node:path'
import { partsOf } from '#analysis/impact'
import { CONTAINMENT, FORWARD, isProof, Kinds, REVERSE } from '#analysis/steps'
import type { Engine } from '#engine/brain'
import { commitsNamed, type FileLog, fileLog, MAX_LISTED, placeOf, type Repository, repositoryAt } from '#engine/past'
import { DEAD_EDGE, FILE, fileOf, type Graph, keyOf, NONE, type NodeId, OBSERVED, tagsOf, text } from '#graph/graph'
import { coChangeOf, MAX_PER_ROW } from '#query/cochange'
import { nodeOf } from '#tools/resolve-node'
import { round, truncated } from '#tools/shapes'
import { ToolError } from '#tools/tool'
import type { HistoryAnswer } from '#views/shapes'

export interface HistoryQuery {
  /** Path, or id of a file or of something in it. */
  path: string
  /** Commits. */
  limit: number
  signal: AbortSignal
}

/** Throws a `ToolError` when there is no such file. */
export async function readHistory(
  engine: Engine,
  { path, limit, signal }: HistoryQuery,
): Promise<Omit<HistoryAnswer, 'served_brain'>> {
  await engine.settled
  const { graph, indexes } = engine.brain
  const file = fileOf(graph, nodeOf(graph, path).node)
  const place = file === NONE ? null : placeOf(graph, file)
  if (place === null)
    throw new ToolError('invalid_params', `${path} lies in no file.`, 'Ask for a file, or for something in one.')
  const { root } = place
  const repository = await repositoryAt(join(root.base, dirname(place.path)), engine.shelf, signal)
  const log =
    repository === null || repository.head === ''
      ? { commits: [], names: [place.path], isCut: false }
      : await logOf(graph, repository, join(root.base, place.path).slice(repository.top.length + 1))
  const shown = log.commits.slice(0, Math.min(limit, MAX_LISTED))
  const listed =
    repository === null
      ? []
      : await commitsNamed(
          repository,
          shown.map((it) => it.hash),
        )
  const sizes = new Map(listed.map((it) => [it.hash, it.paths.length]))
  // what changes together is counted by present names
  const counted = log.commits.filter((it) => it.path === log.names[0]).length
  const partners = partnersOf(graph, file, coChangeOf(indexes.cochange, file), counted)
  const times = log.commits.map((it) => it.time * 1000)
  return {
    path: place.path,
    id: keyOf(graph, file),
    commits: shown.map(({ hash, time, subject, added, deleted }) => ({
      hash,
      at_ms: time * 1000,
      subject,
      added,
      removed: deleted,
      others: Math.max(0, (sizes.get(hash) ?? 1) - 1),
    })),
    total_commits: log.commits.length,
    authors: new Set(log.commits.map((it) => it.author)).size,
    first_ms: times.length === 0 ? null : Math.min(...times),
    last_ms: times.length === 0 ? null : Math.max(...times),
    counted_commits: counted,
    partners,
    total_partners: partners.length,
    hidden_partners: partners.filter((it) => it.hidden).length,
    note: [
      ...(repository === null ? ['No git repository holds this file, or git is not installed.'] : []),
      ...(repository?.head === '' ? ['The repository has no commit yet.'] : []),
      ...(repository !== null && repository.head !== '' && log.commits.length === 0
        ? ['No commit holds this file yet.']
        : []),
      ...(repository?.isShallow === true
        ? ['The clone is shallow: commits before its end are not there, and what was changed at its end is not known.']
        : []),
      ...(log.isCut ? ['Git stopped before the end, so there may be more commits.'] : []),
      ...(log.names.length > 1 ? [`It was called ${log.names.slice(1).join(', ')} before.`] : []),
      ...(partners.length >= MAX_PER_ROW ? [`Of what changes with it, the ${MAX_PER_ROW} strongest are kept.`] : []),
    ].join(' '),
    truncated: truncated(shown.length, log.commits.length, 'Older commits: git log.'),
  }
}

/** Of files that were looked at, as long as the graph is in place. */
const logs = new WeakMap<Graph, Map<string, FileLog>>()
const LOGS_KEPT = 100

/** What git says of a file; asked once for each commit that is checked out. */
async function logOf(graph: Graph, repository: Repository, path: string): Promise<FileLog> {
  const kept = logs.get(graph) ?? new Map<string, FileLog>()
  logs.set(graph, kept)
  const name = `${repository.head} ${repository.top} ${path}`
  const log = kept.get(name) ?? (await fileLog(repository, path, null))
  // what was asked for last stays longest; what git could not finish is asked for again
  kept.delete(name)
  if (!log.isCut && !repository.signal.aborted) kept.set(name, log)
  for (const oldest of kept.keys()) {
    if (kept.size <= LOGS_KEPT) break
    kept.delete(oldest)
  }
  return log
}

/** What history ties to a file, most often first; whether the code ties them too. */
function partnersOf(
  graph: Graph,
  file: NodeId,
  found: ReturnType<typeof coChangeOf>,
  commits: number,
): HistoryAnswer['partners'] {
  const ties = tiesOf(graph, file)
  return found
    .filter((it) => it.observed && it.node !== file && graph.types[it.node] === FILE && graph.dead[it.node] === 0)
    .sort((a, b) => b.commits - a.commits || b.strength - a.strength || a.node - b.node)
    .map(({ node, strength, commits: together }) => ({
      id: keyOf(graph, node),
      path: text(graph, graph.paths[node]) || keyOf(graph, node),
      together,
      // what feedback alone has tied together has no commits
      strength: round(together === 0 ? strength : together / (Math.max(together, commits) + 1)),
      imported: ties.get(node) === true,
      // texts refer to nothing, so that it says nothing when they do not
      hidden: !ties.has(node) && isCode(graph, file) && isCode(graph, node),
    }))
}

/** The first tag of a file is its language; what has no grammar is `generic`. */
function isCode(graph: Graph, file: NodeId): boolean {
  return tagsOf(graph, file)[0] !== 'generic'
}

/** Files that refer to something in a file or the other way round: true where the code proves it, false for guesses. */
function tiesOf(graph: Graph, file: NodeId): Map<NodeId, boolean> {
  const { out, in: into, flags, tiers } = graph
  const kinds = new Kinds(graph)
  const ties = new Map<NodeId, boolean>()
  const tie = (u: NodeId, slot: number) => {
    const other = fileOf(graph, u)
    if (other === NONE || other === file || (flags[slot] & DEAD_EDGE) !== 0 || tiers[slot] === OBSERVED) return
    // lying in the same folder is no tie, nor is lying in one another
    const kind = kinds.of(slot)
    if ((kind & (FORWARD | REVERSE)) === 0 || (kind & CONTAINMENT) !== 0) return
    if (isProof(graph, kinds, slot)) ties.set(other, true)
    else if (!ties.has(other)) ties.set(other, false)
  }
  for (const v of [file, ...partsOf(graph, file)]) {
    for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) tie(out.targets[e], e)
    for (let i = into.offsets[v]; i < into.offsets[v + 1]; i++) tie(into.targets[i], into.slots[i])
  }
  return ties
}
