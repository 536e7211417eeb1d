import * as z from 'zod'
import { join, dirname } from 'node:path'
import { timeline } from '#analysis/timeline'
import {
  commitsNamed,
  commitsSince,
  type FileLog,
  fileCommits,
  type Listed,
  placeOf,
  type Repository,
  repositoryAt,
  sourcePathOf,
  withLines,
} from '#engine/past'
import { fileOf, type Graph, keyOf, labelOf, NONE, type NodeId, text } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { nodeOf } from '#tools/resolve-node'
import { AgentId, NodeRef, round, topK, Truncated, truncated } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

const DAY = 86_400
const DAYS: Record<string, number> = { d: 1, w: 7, m: 30 }
const CHANGES_SHOWN = 50
const OTHERS_SHOWN = 10
/** Subjects of commits that a program makes to save whatever there is. */
const AUTOMATIC = /^(?:\[?auto[- ]?(?:sync|save|commit|backup)\b|vault backup\b)/i

export default defineTool({
  name: 'timeline',
  group: 'analysis',
  effect: 'read',
  summary: 'The git history of a file: who changed it when, what changed with it, how it grows.',
  details: ['Follows renames. What to change along with it now: predict. All files against a baseline: diverge.'],
  input: z.object({
    agent_id: AgentId,
    node: NodeRef,
    depth: z
      .string()
      .regex(/^(?:all|[1-9]\d{0,3}[dwm])$/, 'expected 7d, 30d, 90d, all, or a number with d, w or m')
      .default('30d')
      .describe('7d, 30d, 90d or all; also 2w, 6m.'),
    include_co_changes: z.boolean().default(true).describe('Files changed along.'),
    include_churn: z.boolean().default(true).describe('Sum of lines.'),
    top_k: topK(10),
  }),
  output: z.looseObject({
    node: z.string(),
    depth: z.string(),
    vcs: z.enum(['git', 'none']),
    file: z.string(),
    names: z.array(z.string()),
    commit_count_in_window: z.int(),
    velocity: z.enum(['accelerating', 'decelerating', 'stable']),
    pattern: z.enum(['dormant', 'churning', 'stable', 'expanding', 'shrinking']),
    stability_score: z.number(),
    total_churn: z.object({ lines_added: z.int(), lines_deleted: z.int() }).nullable(),
    changes: z.array(
      z.object({
        date: z.string(),
        commit: z.string(),
        author: z.string(),
        subject: z.string(),
        delta: z.string(),
        co_changed: z.array(z.string()),
      }),
    ),
    co_changed_with_total: z.int(),
    co_changed_with: z.array(
      z.looseObject({ file: z.string(), times: z.int(), coupling_degree: z.number(), node_id: z.string().nullable() }),
    ),
    notes: z.array(z.string()),
    truncated: Truncated,
  }),
  examples: [{ title: 'How payment came to be', input: { agent_id: 'dev', node: 'payment.py', depth: '90d' } }],

  async run(context, { node: ref, depth, include_co_changes, include_churn, top_k }) {
    const { graph } = context
    const { node, resolution } = nodeOf(graph, ref)
    const file = fileOf(graph, node)
    const place = file === NONE ? null : placeOf(graph, file)
    if (file === NONE || place === null)
      throw new ToolError(
        'invalid_params',
        `Invalid params for timeline: ${ref} has no file`,
        'Ask for a file, or for something in one.',
        { detail: ref },
      )
    const now = context.now / 1000
    const since = depth === 'all' ? null : now - Number(depth.slice(0, -1)) * DAYS[depth.slice(-1)] * DAY
    const past = await readPast(context, place, since, include_co_changes)
    const path = place.path
    const toSource = (it: string) =>
      past.repository === null ? it : sourcePathOf(place.root, past.repository, it) || it
    const others = othersIn(graph, past, place.root.prefix, toSource)
    const commitsOf = counter(context, past, place.root.prefix, since)
    const changes = past.log.commits.map(({ hash, time, added, deleted, subject }) => ({
      time,
      added,
      deleted,
      others: others.get(hash) ?? [],
      isAutomatic: AUTOMATIC.test(subject),
    }))
    const from = since ?? Math.min(now, ...changes.map((it) => it.time))
    const found = timeline(changes, { from, to: now, commitsOf })
    const rank = new Map(found.partners.map((it, i) => [it.path, i]))
    const shown = past.log.commits.slice(0, CHANGES_SHOWN)
    return {
      node: keyOf(graph, node),
      ...resolution,
      depth,
      vcs: past.repository === null ? ('none' as const) : ('git' as const),
      file: path,
      names: past.log.names.map(toSource),
      commit_count_in_window: changes.length,
      velocity: found.velocity,
      pattern: found.pattern,
      stability_score: round(found.stability),
      total_churn: include_churn ? { lines_added: found.added, lines_deleted: found.deleted } : null,
      changes: shown.map(({ hash, time, author, subject, added, deleted }) => ({
        date: new Date(time * 1000).toISOString().slice(0, 10),
        commit: hash.slice(0, 8),
        author,
        subject,
        delta: `+${added}/-${deleted}`,
        co_changed: (others.get(hash) ?? [])
          .toSorted((a, b) => (rank.get(a) ?? Number.MAX_VALUE) - (rank.get(b) ?? Number.MAX_VALUE) || (a < b ? -1 : 1))
          .slice(0, OTHERS_SHOWN)
          .map(toSource),
      })),
      co_changed_with_total: found.partners.length,
      co_changed_with: found.partners.slice(0, top_k).map((it) => ({
        file: toSource(it.path),
        times: it.times,
        coupling_degree: round(it.degree),
        node_id: idOf(graph, place.root.prefix, toSource(it.path)),
      })),
      notes: notesOf(past, { isPart: file !== node, label: labelOf(graph, file), count: changes.length, depth }),
      truncated: truncated(shown.length, changes.length, 'Ask for a shorter depth.'),
    }
  },

  render(output, style) {
    const { file, depth, commit_count_in_window: count, velocity, pattern, total_churn: churn } = output
    const lines = churn === null ? '' : `, +${churn.lines_added}/-${churn.lines_deleted} lines`
    const changes = output.changes.slice(0, 20).map((it) => [it.date, it.commit, it.delta, it.author, it.subject])
    const partners = output.co_changed_with.map((it) => [`${it.times}×`, it.coupling_degree.toFixed(2), it.file])
    return [
      `${style.bold(file)}: ${plural(count, 'commit')} in ${depth === 'all' ? 'all' : `the last ${depth}`}${lines}; ${pattern}, ${velocity}`,
      ...(changes.length > 0 ? ['', table(changes, style)] : []),
      ...(partners.length > 0
        ? [
            '',
            style.bold(`changed along (${partners.length} of ${output.co_changed_with_total})`),
            table(partners, style),
          ]
        : []),
      ...output.notes,
      ...footnotes(output, style),
    ].join('\n')
  },
})

interface Past {
  repository: Repository | null
  log: FileLog
  /** Commits whose files are known. */
  listed: Listed[]
  isShallow: boolean
}

async function readPast(
  { signal, engine }: ToolContext,
  { root, path }: NonNullable<ReturnType<typeof placeOf>>,
  since: number | null,
  withOthers: boolean,
): Promise<Past> {
  const repository = await repositoryAt(join(root.base, dirname(path)), engine.shelf, signal)
  const nothing = { commits: [], names: [path], isCut: false }
  if (repository === null || repository.head === '') return { repository, log: nothing, listed: [], isShallow: false }
  const inside = join(root.base, path).slice(repository.top.length + 1)
  const window = since === null || !withOthers ? null : commitsSince(repository, since)
  const found = await fileCommits(repository, inside, since)
  const [log, listed] = await Promise.all([
    withLines(repository, found),
    window ??
      (withOthers
        ? commitsNamed(
            repository,
            Array.from(found.commits, (it) => it.hash),
          )
        : []),
  ])
  return { repository, log, listed, isShallow: repository.isShallow }
}

/**
 * What each commit touched besides the file, by hash. What moved along with the file goes by its present name: a path
 * that is gone, and has a file in its place where the file went.
 */
function othersIn(
  graph: Graph,
  { listed, log }: Past,
  prefix: string,
  toSource: (path: string) => string,
): Map<string, string[]> {
  const [folder, ...older] = log.names.map((it) => it.slice(0, it.lastIndexOf('/') + 1))
  const isThere = (path: string) => idOf(graph, prefix, toSource(path)) !== null
  const present = (path: string): string => {
    if (isThere(path)) return path
    const old = older.find((it) => it !== folder && path.startsWith(it) && isThere(folder + path.slice(it.length)))
    return old === undefined ? path : folder + path.slice(old.length)
  }
  const names = new Set(log.names)
  return new Map(
    listed.map(({ hash, paths }) => [hash, [...new Set(paths.filter((it) => !names.has(it)).map(present))]]),
  )
}

/** Commits of other files: all those of a window are listed; for the whole past the index of the graph says it. */
function counter(
  { graph, indexes }: ToolContext,
  { listed, repository }: Past,
  prefix: string,
  since: number | null,
): (path: string) => number {
  const counts = new Map<string, number>()
  if (since !== null) {
    for (const { paths } of listed) for (const it of paths) counts.set(it, (counts.get(it) ?? 0) + 1)
    return (path) => counts.get(path) ?? 0
  }
  for (const v of indexes.messages.files) {
    if (!keyOf(graph, v).startsWith(`${prefix}file::`)) continue
    const path = text(graph, graph.paths[v])
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const base = graph.meta.roots.find((it) => it.prefix === prefix)
  return (path) =>
    base === undefined || repository === null ? 0 : (counts.get(sourcePathOf(base, repository, path)) ?? 0)
}

function idOf(graph: Graph, prefix: string, path: string): string | null {
  const v: NodeId = nodeByKey(graph, `${prefix}file::${path}`)
  return v === NONE ? null : keyOf(graph, v)
}

function notesOf(
  { repository, log, isShallow }: Past,
  about: { isPart: boolean; label: string; count: number; depth: string },
): string[] {
  if (repository === null)
    return ['No git repository holds this file, or git is not installed, so nothing is known about its past.']
  return [
    ...(repository.head === '' ? ['The repository has no commit yet.'] : []),
    ...(about.isPart ? [`This is the history of ${about.label}, which holds it.`] : []),
    ...(about.count === 0 && repository.head !== '' && about.depth !== 'all'
      ? ['No commit in this window; depth all looks at the whole past.']
      : []),
    ...(isShallow
      ? ['The clone is shallow: commits before its end are not there, and what was changed at its end is not known.']
      : []),
    ...(log.isCut ? ['Git stopped before the end, so there may be more commits.'] : []),
    ...(log.names.length > 1 ? [`It was called ${log.names.slice(1).join(', ')} before.`] : []),
  ]
}
