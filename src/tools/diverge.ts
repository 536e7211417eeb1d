import * as z from 'zod'
import { type Divergence, diverge, type DivergeInput, type Earlier, degreesOf, keysOf } from '#analysis/diverge'
import type { Baseline } from '#engine/brain'
import {
  changesSince,
  commitBefore,
  commitOf,
  commitsUpTo,
  filesIn,
  isIndexable,
  isRef,
  type Repository,
  repositoryAt,
  sourcePathOf,
} from '#engine/past'
import { readSnapshot } from '#engine/snapshots'
import { FILE, type Graph, keyOf, NONE, type Root, text } from '#graph/graph'
import { fitsPath } from '#std/glob'
import { parseIsoTime } from '#std/iso-time'
import { refused } from '#tools/refused'
import { shortened } from '#tools/resolve-node'
import { AgentId, round, Truncated, truncatedMost } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

/** Rows per list. */
const SHOWN = 50
const COUPLINGS_SHOWN = 20
const COMMITS = 300
const LAST_SESSION = 'last_session'
/** What is meant as a day or a time of one; less may be the name of a branch. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/

export default defineTool({
  name: 'diverge',
  group: 'analysis',
  effect: 'read',
  summary: 'How far the project moved since a date, commit, snapshot or the last session, and what is odd about it.',
  details: [
    'Names new files without tests, files that grew fast, new couplings, files cut off.',
    'Edge by edge between snapshots: differential. One file: timeline. Learned weights: drift.',
  ],
  input: z.object({
    agent_id: AgentId,
    baseline: z.string().min(1).max(4096).describe('2026-03-01, a git ref, last_session or a .json snapshot.'),
    scope: z.string().max(500).default('').describe('Path prefix or glob; default all.'),
    include_coupling_changes: z.boolean().default(true).describe('From commits.'),
    include_anomalies: z.boolean().default(true).describe('What is odd.'),
  }),
  output: z.looseObject({
    baseline: z.string(),
    scope: z.string(),
    baseline_commit: z.string().nullable(),
    structural_drift: z.number(),
    new_nodes: z.array(z.string()),
    removed_nodes: z.array(z.string()),
    modified_nodes: z.array(z.object({ file: z.string(), delta: z.string(), growth_ratio: z.number() })),
    coupling_changes: z.array(
      z.object({
        pair: z.array(z.string()),
        was: z.number(),
        now: z.number(),
        direction: z.enum(['new_coupling', 'decoupled', 'strengthened', 'weakened']),
      }),
    ),
    anomalies: z.array(
      z.object({
        type: z.string(),
        file: z.string(),
        detail: z.string(),
        severity: z.enum(['info', 'warning', 'critical']),
      }),
    ),
    totals: z.record(z.string(), z.int()),
    summary: z.string(),
    notes: z.array(z.string()),
    truncated: Truncated,
  }),
  examples: [{ title: 'Since the last session', input: { agent_id: 'dev', baseline: LAST_SESSION } }],

  async run(context, { baseline, scope, include_coupling_changes, include_anomalies }) {
    const { graph } = context
    const { root, within, others } = comparedRoot(graph, scope)
    const repository = root === undefined ? null : await repositoryAt(root.base, context.engine.shelf, context.signal)
    const wanted = await stateOf(context, baseline, root, repository)
    const isInScope = (path: string) => within === '' || fitsPath(path, within)
    const isOwn = (key: string) => belongs(root, key)
    const around = await commitsAround(wanted, root, repository, include_coupling_changes)
    const input = { isInScope, isOwn, earlier: wanted.earlier, ...around }
    const notes = [...wanted.notes, ...around.notes]
    if (root !== undefined && others.length > 0)
      notes.push(`Only ${root.path} was compared; scope names another root: ${others.join(', ')}.`)
    const found = diverge(graph, input)
    if (wanted.commit !== null && input.changes === null)
      notes.push('Git could not compare the baseline with now; changes of lines are not known.')
    if (repository?.isShallow === true)
      notes.push(
        'The clone is shallow: commits before its end are not there, and what was changed at its end is not known.',
      )
    if (wanted.earlier.degrees === null && include_anomalies)
      notes.push(
        'The graph of a commit is not kept, so that files which lost all their edges are told for last_session and snapshots only.',
      )
    if (
      scope !== '' &&
      input.earlier.files.size > 0 &&
      ![...input.earlier.files].some(isInScope) &&
      found.newFiles.length === 0
    )
      notes.push(`No file lies in "${scope}".`)
    const anomalies = include_anomalies ? found.anomalies : []
    const couplings = include_coupling_changes ? found.couplings : []
    const totals = {
      new_nodes: found.newFiles.length,
      removed_nodes: found.removed.length,
      modified_nodes: found.modified.length,
      coupling_changes: couplings.length,
      anomalies: anomalies.length,
    }
    return {
      baseline,
      scope: scope === '' ? 'all' : scope,
      baseline_commit: wanted.commit?.slice(0, 8) ?? null,
      structural_drift: round(found.drift),
      summary: summaryOf(found, totals),
      totals,
      anomalies: anomalies.slice(0, SHOWN),
      new_nodes: keysOf(graph, found.newFiles.slice(0, SHOWN)),
      removed_nodes: found.removed.slice(0, SHOWN).map((it) => (root === undefined ? `file::${it}` : keyAt(root, it))),
      modified_nodes: found.modified
        .slice(0, SHOWN)
        .map((it) => ({ file: it.path, delta: `+${it.added}/-${it.deleted}`, growth_ratio: round(it.growth) })),
      coupling_changes: couplings
        .slice(0, COUPLINGS_SHOWN)
        .map((it) => ({ ...it, was: round(it.was), now: round(it.now) })),
      notes,
      truncated: truncatedMost(
        Object.entries(totals).map(([name, total]) => {
          const most = name === 'coupling_changes' ? COUPLINGS_SHOWN : SHOWN
          return { shown: Math.min(total, most), total }
        }),
        'Narrow with scope.',
      ),
    }
  },

  render(output, style) {
    const { baseline, baseline_commit: commit, scope, structural_drift: drift } = output
    const about = scope === 'all' ? '' : ` in ${scope}`
    const rows = (lists: string[][]) => (lists.length > 0 ? ['', table(lists.slice(0, 20), style)] : [])
    return [
      `${style.bold(`since ${baseline}`)}${commit === null ? '' : ` (${commit})`}${about}: ${output.summary} Structural drift ${drift.toFixed(3)}.`,
      ...rows(output.anomalies.map((it) => [it.severity, it.type.replaceAll('_', ' '), it.detail, it.file])),
      ...rows([...output.new_nodes.map((it) => ['new', it]), ...output.removed_nodes.map((it) => ['gone', it])]),
      ...rows(output.modified_nodes.map((it) => [it.delta, `×${it.growth_ratio.toFixed(2)}`, it.file])),
      ...rows(
        output.coupling_changes.map((it) => [
          it.direction.replaceAll('_', ' '),
          `${it.was.toFixed(2)} → ${it.now.toFixed(2)}`,
          it.pair.join(' ↔ '),
        ]),
      ),
      ...output.notes,
      ...footnotes(output, style),
    ].join('\n')
  },
})

/** The root that is compared, what its files are narrowed to, and the prefixes that would choose another one. */
interface Compared {
  root: Root | undefined
  within: string
  others: string[]
}

/** One root at a time: the one whose prefix begins the scope, else the first with a file in the scope. Notes are no code. */
function comparedRoot(graph: Graph, scope: string): Compared {
  const roots = graph.meta.roots.filter((it) => it.adapter !== 'memory')
  const named = roots.find((it) => it.prefix !== '' && scope.startsWith(it.prefix))
  const within = named === undefined ? scope : scope.slice(named.prefix.length)
  const holds = (it: Root) => [...linesOf(graph, it).keys()].some((path) => fitsPath(path, within))
  const root = named ?? (roots.length > 1 && scope !== '' ? roots.find(holds) : undefined) ?? roots[0]
  const others = roots.filter((it) => it !== root).map((it) => it.prefix || it.path)
  return { root, within, others }
}

/** Whether a file is of a root, by its key. */
function belongs(root: Root | undefined, key: string): boolean {
  return root === undefined || key.startsWith(root.adapter === 'code' ? `${root.prefix}file::` : root.prefix)
}

/** Key of the file at a source path of a root, '' when it lies outside of the root's folder. */
function keyAt({ path, base, prefix, adapter }: Root, source: string): string {
  const folder = adapter !== 'code' || path === base ? '' : `${path.slice(base.length + 1)}/`
  return source.startsWith(folder) ? `${prefix}file::${source.slice(folder.length)}` : ''
}

/** The state that a baseline names. */
interface State {
  earlier: Earlier
  /** Full hash, null when the state is none of git. */
  commit: string | null
  /** Commit that stood behind the state, for what git says; '' when there is none. */
  at: string
  notes: string[]
}

async function stateOf(
  context: ToolContext,
  baseline: string,
  root: Root | undefined,
  repository: Repository | null,
): Promise<State> {
  const { engine, graph } = context
  if (baseline === LAST_SESSION) {
    if (engine.baseline !== null) return ofSession(engine.baseline, root)
    return {
      earlier: stateOfGraph(graph, root),
      commit: null,
      at: '',
      notes: ['No earlier session is saved, so there is nothing to compare with yet.'],
    }
  }
  if (baseline.endsWith('.json')) {
    try {
      const { graph: old } = readSnapshot(engine, baseline)
      return { earlier: stateOfGraph(old, root), commit: null, at: old.meta.commit, notes: [] }
    } catch (error) {
      return refused(error, baseline)
    }
  }
  const commit = root === undefined || repository === null ? null : await commitFor(repository, baseline)
  if (commit === null || root === undefined || repository === null) throw unresolved(baseline, repository)
  const listed = await filesIn(repository, commit)
  if (listed === null) throw unresolved(baseline, repository)
  const paths = listed.map((it) => sourcePathOf(root, repository, it))
  const known = linesOf(graph, root)
  // what is on disk and not in the graph is not indexed, whatever it was
  const files = paths.filter(
    (it) => it !== '' && keyAt(root, it) !== '' && (known.has(it) || (isIndexable(it) && !engine.isOnDisk(it))),
  )
  return { earlier: { files: new Set(files), degrees: null, lines: new Map() }, commit, at: commit, notes: [] }
}

function ofSession({ files, keys, commit, savedAt }: Baseline, root: Root | undefined): State {
  const saved = new Set(keys)
  const own = [...files].filter(([path]) => root?.adapter !== 'code' || saved.has(keyAt(root, path)))
  const degrees = new Map(own.map(([path, it]) => [path, it.degree]))
  const lines = new Map(own.map(([path, it]) => [path, it.lines]))
  const notes = [`The state compared with was saved at ${new Date(savedAt).toISOString()}.`]
  return { earlier: { files: new Set(lines.keys()), degrees, lines }, commit: null, at: commit, notes }
}

function stateOfGraph(graph: Graph, root: Root | undefined): Earlier {
  const lines = linesOf(graph, root)
  return { files: new Set(lines.keys()), degrees: degreesOf(graph), lines }
}

/** Lines of the files of a root, by path. */
function linesOf(graph: Graph, root: Root | undefined): Map<string, number> {
  const lines = new Map<string, number>()
  for (let v = 0; v < graph.nNodes; v++)
    if (graph.types[v] === FILE && graph.dead[v] === 0 && graph.paths[v] !== NONE && belongs(root, keyOf(graph, v)))
      lines.set(text(graph, graph.paths[v]), graph.lineEnd[v])
  return lines
}

function commitFor(repository: Repository, baseline: string): Promise<string | null> {
  if (!DATE.test(baseline)) return commitOf(repository, baseline)
  const time = parseIsoTime(baseline)
  return time === null ? Promise.resolve(null) : commitBefore(repository, time / 1000)
}

function unresolved(baseline: string, repository: Repository | null): ToolError {
  const why =
    repository === null
      ? 'the project is in no git repository, or git is not installed'
      : repository.head === ''
        ? 'the repository has no commit yet'
        : DATE.test(baseline)
          ? 'there is no such day, or no commit before it'
          : isRef(baseline)
            ? 'there is no such commit, branch or tag'
            : 'it is neither a date nor a name that git allows'
  const shallow = repository?.isShallow === true ? ', and the clone is shallow' : ''
  const given = shortened(baseline)
  return new ToolError(
    repository === null ? 'not_a_git_repo' : 'invalid_params',
    `Invalid params for diverge: baseline ${given} cannot be resolved: ${why}${shallow}`,
    'Give a day such as 2026-03-01, a branch, tag or commit, last_session, or a snapshot that persist wrote.',
    { detail: given },
  )
}

/** What git says about the time before and after; nothing where the state has no commit. */
async function commitsAround(
  { at, commit }: State,
  root: Root | undefined,
  repository: Repository | null,
  withGroups: boolean,
): Promise<Pick<DivergeInput, 'changes' | 'groupsBefore' | 'groupsSince'> & { notes: string[] }> {
  const nothing = { changes: null, groupsBefore: [], groupsSince: [], notes: [] }
  if (root === undefined || repository === null || at === '') return nothing
  const known = commit ?? (await commitOf(repository, at))
  if (known === null) return nothing
  const toSource = (it: string) => sourcePathOf(root, repository, it)
  const groups = async (to: string, without: string | null) =>
    withGroups
      ? (await commitsUpTo(repository, to, without, COMMITS)).map((it) =>
          it.paths.map(toSource).filter((path) => path !== '' && keyAt(root, path) !== ''),
        )
      : []
  const [changes, groupsBefore, groupsSince] = await Promise.all([
    changesSince(repository, known),
    groups(known, null),
    groups('HEAD', known),
  ])
  return {
    changes: changes === null ? null : new Map(Array.from(changes.byPath, ([path, it]) => [toSource(path), it])),
    notes:
      changes?.withWorkTree === false
        ? ['Git could not look at the work tree: what is not committed does not count.']
        : [],
    groupsBefore,
    groupsSince,
  }
}

function summaryOf({ anomalies }: Divergence, totals: Record<string, number>): string {
  const parts = [
    totals.new_nodes > 0 ? `${plural(totals.new_nodes, 'new file')}` : '',
    totals.removed_nodes > 0 ? `${totals.removed_nodes} removed` : '',
    totals.modified_nodes > 0 ? `${totals.modified_nodes} modified` : '',
  ].filter((it) => it !== '')
  const sentences = [parts.length === 0 ? 'No file came, went or changed.' : `${parts.join(', ')}.`]
  if (totals.coupling_changes > 0)
    sentences.push(`${plural(totals.coupling_changes, 'pair')} of files changed how they go together.`)
  if (totals.anomalies > 0) {
    const worst = anomalies.filter((it) => it.severity !== 'info').length
    sentences.push(
      `${totals.anomalies === 1 ? '1 anomaly' : `${totals.anomalies} anomalies`}, ${worst} of them more than a remark.`,
    )
  }
  return sentences.join(' ')
}
