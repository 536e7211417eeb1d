import * as z from 'zod'
import { completeness } from '#analysis/completeness'
import { ACTIONS, type ActionType, findGaps, type Planned, RISK_LEVELS, riskOf } from '#analysis/plan'
import { testsOf } from '#analysis/tests-of'
import { DIRECTORY, FILE, fileOf, type Graph, keyOf, NONE, type NodeId, text } from '#graph/graph'
import { nearestKeys, resolveNode } from '#graph/lookup'
import { AgentId, Completeness, Freshness, freshness, round, Truncated, truncated } from '#tools/shapes'
import { footnotes, pathIn, plural, table } from '#tools/table'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

const Action = z.object({
  action_type: z.enum(ACTIONS).default('modify'),
  file_path: z.string().min(1).max(2000),
  description: z.string().default(''),
  depends_on: z.array(z.string()).default([]),
})
type Action = z.output<typeof Action>

const SHOWN = 50

export default defineTool({
  name: 'validate_plan',
  group: 'analysis',
  effect: 'read',
  summary: 'What a plan of changes leaves out: files, tests, risk.',
  details: ['Before the first edit. By history and dependence, each file with its reason. One file: predict.'],
  input: z.object({
    agent_id: AgentId,
    actions: z.array(Action).max(500).describe('The plan.'),
    include_test_impact: z.boolean().default(true).describe('Coverage.'),
    include_risk_score: z.boolean().default(true).describe('Risk.'),
    ranking: z.enum(['fused', 'seed']).default('fused').describe('seed: the plain formula.'),
  }),
  output: z.looseObject({
    actions_analyzed: z.int(),
    actions_resolved: z.int(),
    actions_unresolved: z.int(),
    unresolved: z.array(z.string()),
    gaps: z.array(
      z.object({
        file_path: z.string(),
        node_id: z.string(),
        reason: z.string(),
        severity: z.enum(['critical', 'warning', 'info']),
        signal_strength: z.number(),
      }),
    ),
    gap_totals: z.record(z.string(), z.int()),
    risk_score: z.number().nullable(),
    risk_level: z.enum(RISK_LEVELS).nullable(),
    test_coverage: z
      .object({
        modified_files: z.int(),
        tested_files: z.int(),
        untested_files: z.array(z.string()),
        coverage_ratio: z.number(),
      })
      .nullable(),
    suggested_additions: z.array(z.object({ action_type: z.string(), file_path: z.string(), reason: z.string() })),
    blast_radius_total: z.int(),
    notes: z.array(z.string()),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    {
      title: 'Is changing payment alone enough?',
      input: { agent_id: 'dev', actions: [{ action_type: 'modify', file_path: 'server/payment.py' }] },
    },
  ],

  run(context, { actions, include_test_impact, include_risk_score, ranking }) {
    const { graph, indexes } = context
    const { notes, unresolvedDependencies } = orderOf(actions)
    const found = actions.map((it) => ({ ...it, ...fileNamed(graph, it.file_path) }))
    const planned = plannedIn(found)
    // a test may be one that is still to be written
    const missing = found.filter((it) => it.node === null && it.action_type !== 'create' && it.action_type !== 'test')
    for (const { node, action_type, file_path, isFolder, others } of found) {
      if (node !== null && action_type === 'create') notes.push(`${file_path} is to be created and is there already.`)
      if (node !== null && others > 0)
        notes.push(`${file_path} may be ${others + 1} files; ${pathOf(graph, node)} is taken.`)
      if (isFolder) notes.push(`${file_path} is a folder: name the files in it.`)
    }
    for (const { file_path } of missing.filter((it) => !it.isFolder)) notes.push(whyMissing(context, file_path))
    const isUnknown = planned.length === 0 && missing.length > 0

    const {
      gaps,
      blast,
      skipped,
      ranking: used,
    } = findGaps(graph, indexes, planned, { ranking, nowSeconds: context.now / 1000 })
    if (used !== ranking && planned.length > 0)
      notes.push(
        'No commit is known of what is planned, so that structure alone speaks: every direct relation is a warning.',
      )
    const count = (severity: string) => gaps.filter((it) => it.severity === severity).length
    const totals = { critical: count('critical'), warning: count('warning'), info: count('info') }
    const coverage = coverageOf(graph, found)
    const risk = riskOf({ ...totals, coverage: coverage.ratio, blast })
    const shown = gaps.slice(0, SHOWN)
    const fresh = freshness(context, [...planned.map((it) => it.node), ...shown.map((it) => it.node)])
    const isDeleted = new Set(planned.filter((it) => it.action === 'delete').map((it) => pathOf(graph, it.node)))
    const suggestions = [
      ...gaps
        .filter((it) => it.severity !== 'info')
        .map((it) => ({ action_type: 'modify', file_path: pathOf(graph, it.node), reason: it.reason })),
      // what goes needs no test
      ...coverage.untested
        .filter(({ path }) => !isDeleted.has(path))
        .map((it) => ({
          action_type: 'test',
          file_path: it.expected,
          reason: `nothing tests ${it.path}`,
        })),
    ]
    return {
      actions_analyzed: actions.length,
      actions_resolved: actions.length - missing.length,
      actions_unresolved: missing.length,
      unresolved: [...missing.map((it) => it.file_path), ...unresolvedDependencies],
      risk_score: include_risk_score && !isUnknown ? round(risk.score) : null,
      risk_level: include_risk_score && !isUnknown ? risk.level : null,
      gap_totals: totals,
      gaps: shown.map((it) => ({
        file_path: pathOf(graph, it.node),
        node_id: keyOf(graph, it.node),
        reason: it.reason,
        severity: it.severity,
        signal_strength: round(it.strength),
      })),
      test_coverage: include_test_impact
        ? {
            modified_files: coverage.modified,
            tested_files: coverage.modified - coverage.untested.length,
            untested_files: coverage.untested.map((it) => it.path),
            coverage_ratio: round(coverage.ratio),
          }
        : null,
      suggested_additions: suggestions.slice(0, SHOWN),
      blast_radius_total: blast,
      notes,
      completeness: completeness(graph, {
        nodes: planned.map((it) => it.node),
        asks: 'incoming',
        skipped,
        stale: fresh.stale_files,
        reasons: missing.length > 0 ? [`${plural(missing.length, 'planned file')} not in the graph`] : [],
        ...(isUnknown && { unknown: 'nothing of the plan is in the graph' }),
      }),
      truncated: truncated(shown.length, gaps.length, 'These are the strongest; plan some of them and ask again.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { gaps, gap_totals: totals, test_coverage: tests } = output
    const risk = output.risk_level === null ? '' : `; risk ${output.risk_level} (${output.risk_score?.toFixed(2)})`
    const head = `${style.bold(plural(totals.critical + totals.warning, 'file'))} probably missing from the plan, ${totals.info} more in reach${risk}`
    const rows = gaps
      .slice(0, 20)
      .map((it) => [it.severity, it.signal_strength.toFixed(2), it.reason, pathIn(it.node_id, it.file_path)])
    const untested =
      tests === null || tests.untested_files.length === 0 ? [] : [`without a test: ${tests.untested_files.join(', ')}`]
    const unknown = output.unresolved.length > 0 ? [`not in the graph: ${output.unresolved.join(', ')}`] : []
    return [
      head,
      ...(rows.length > 0 ? ['', table(rows, style)] : []),
      ...untested,
      ...unknown,
      ...output.notes,
      ...footnotes(output, style),
    ].join('\n')
  },
})

/** The file that a path of the plan names, null when there is none, and how many others it may mean. */
function fileNamed(graph: Graph, path: string): { node: NodeId | null; others: number; isFolder: boolean } {
  const found = resolveNode(graph, path)
  const none = { node: null, others: 0, isFolder: false }
  if (found === null || found.resolvedFrom === 'label') return none
  if (graph.types[found.node] === DIRECTORY) return { ...none, isFolder: true }
  const file = fileOf(graph, found.node)
  if (file === NONE || graph.types[file] !== FILE) return none
  const files = new Set(found.candidates.map((it) => fileOf(graph, it)))
  return { node: file, others: files.size - 1, isFolder: false }
}

/** Every file once, by what is done to it that matters most. */
function plannedIn(found: readonly { node: NodeId | null; action_type: ActionType }[]): Planned[] {
  const gravity: readonly ActionType[] = ['test', 'create', 'modify', 'rename', 'delete']
  const planned = new Map<NodeId, ActionType>()
  for (const { node, action_type } of found) {
    if (node === null) continue
    const before = planned.get(node)
    if (before === undefined || gravity.indexOf(action_type) > gravity.indexOf(before)) planned.set(node, action_type)
  }
  return [...planned].map(([node, action]) => ({ node, action }))
}

/** What is wrong with a path that leads to no file of the graph, and what to do. */
function whyMissing({ engine, graph }: ToolContext, path: string): string {
  if (engine.isOnDisk(path)) return `${path} is on disk and not in the graph: ingest with incremental: true.`
  const nearest = nearestKeys(graph, path, 3)
  const near = nearest.length > 0 ? ` Nearest ids: ${nearest.join(', ')}.` : ''
  return `${path} is not in the graph.${near}`
}

function pathOf(graph: Graph, v: NodeId): string {
  return text(graph, graph.paths[v])
}

/** Tells of files that actions wait for; a circle of them can never be begun. */
function orderOf(actions: readonly Action[]): { notes: string[]; unresolvedDependencies: string[] } {
  const waits = new Map<string, Set<string>>()
  for (const { file_path } of actions) waits.set(file_path, waits.get(file_path) ?? new Set())
  const unknown = new Set<string>()
  for (const { file_path, depends_on } of actions)
    for (const it of depends_on) {
      if (!waits.has(it)) unknown.add(it)
      else waits.get(file_path)?.add(it)
    }
  // what nothing is left to wait for goes; who is left waits in a circle, or for one
  for (let size = -1; size !== waits.size; ) {
    size = waits.size
    for (const [path, others] of waits) if (![...others].some((it) => waits.has(it))) waits.delete(path)
  }
  const [start] = waits.keys()
  if (start !== undefined) throw circle(waits, start)
  const notes = unknown.size > 0 ? [`depends_on names files that the plan does not: ${[...unknown].join(', ')}`] : []
  return { notes, unresolvedDependencies: [...unknown] }
}

/** Everyone here waits for somebody here. */
function circle(waits: ReadonlyMap<string, ReadonlySet<string>>, start: string): ToolError {
  const way = [start]
  for (;;) {
    const next = [...(waits.get(way[way.length - 1]) ?? [])].find((it) => waits.has(it)) ?? start
    const at = way.indexOf(next)
    way.push(next)
    if (at < 0) continue
    const text = way.slice(at).join(' → ')
    return new ToolError(
      'invalid_params',
      `Invalid params for validate_plan: depends_on goes in a circle: ${text}`,
      'Leave one of these out.',
      { detail: text },
    )
  }
}

/** Of what is changed and was there before: how much is tested, by the graph or by the plan itself. */
function coverageOf(graph: Graph, actions: readonly (Action & { node: NodeId | null })[]) {
  const tests = testsOf(graph)
  const planned = new Set(actions.filter((it) => it.action_type === 'test').map((it) => it.file_path))
  const modified = new Map<NodeId, string>()
  for (const { node, action_type, file_path } of actions)
    if (node !== null && action_type !== 'test' && action_type !== 'create' && tests.isCode(node))
      modified.set(node, file_path)
  const untested = [...modified.keys()]
    .filter((v) => !tests.isTested(v) && !isPlanned(tests.expectedPath(pathOf(graph, v)), planned))
    .map((v) => ({ path: pathOf(graph, v), expected: tests.expectedPath(pathOf(graph, v)) }))
  return { modified: modified.size, untested, ratio: modified.size === 0 ? 1 : 1 - untested.length / modified.size }
}

/** By name: where a test will stand is the planner's choice. */
function isPlanned(expected: string, planned: ReadonlySet<string>): boolean {
  const name = expected.slice(expected.lastIndexOf('/') + 1)
  return [...planned].some((it) => it === expected || it.slice(it.lastIndexOf('/') + 1) === name)
}
