import * as z from 'zod'
import { CROSS_TYPES } from '#engine/cross-types'
import { refused } from '#tools/refused'
import { AgentId, Truncated, truncated } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool, ToolError } from '#tools/tool'

const Repository = z.object({
  name: z.string().max(100).default('').describe('Begins its ids.'),
  label: z.string().max(100).default('').describe('The same.'),
  path: z.string().min(1).max(4096),
  adapter: z.string().default('code'),
})

const EDGES_SHOWN = 200
const NAME = /^[\w.-]+$/
/** What these tell is in the route or tool, not in the relation. */
const PLAIN = new Set(['calls_api', 'uses_mcp_tool'])

export default defineTool({
  name: 'federate',
  group: 'lifecycle',
  effect: 'write',
  countsAsQuery: false,
  needsGraph: false,
  changesGraph: true,
  summary: 'Read several repositories into one graph, with edges between them.',
  details: [
    'Takes the place of the graph. Edges come from manifests, imports, routes, settings, types, deployment, agent tools.',
    'One repository: ingest.',
  ],
  input: z.object({
    agent_id: AgentId,
    repos: z.array(Repository).min(1).max(100).describe('Folders, each with a name.'),
    detect_cross_repo_edges: z.boolean().default(true).describe('Look for edges between.'),
    incremental: z.boolean().default(false).describe('Only what changed.'),
  }),
  output: z.looseObject({
    repos_ingested: z.array(
      z.object({
        name: z.string(),
        path: z.string(),
        node_count: z.int(),
        edge_count: z.int(),
        from_cache: z.boolean(),
        ingest_ms: z.number(),
      }),
    ),
    total_nodes: z.int(),
    total_edges: z.int(),
    cross_repo_edges: z.array(
      z.object({
        source_repo: z.string(),
        target_repo: z.string(),
        source_node: z.string(),
        target_node: z.string(),
        edge_type: z.string(),
        relation: z.string(),
        detail: z.string(),
        line: z.int(),
        weight: z.number(),
        causal_strength: z.number(),
      }),
    ),
    cross_repo_edge_count: z.int(),
    cross_repo_edges_by_type: z.record(z.string(), z.int()),
    incremental: z.boolean(),
    skipped_repos: z.array(z.string()),
    skipped_reasons: z.record(z.string(), z.string()),
    graph_generation: z.int(),
    truncated: Truncated,
  }),
  examples: [
    {
      title: 'A shop and its bank',
      input: {
        agent_id: 'dev',
        repos: [
          { name: 'shop', path: '/path/to/shop' },
          { name: 'bank', path: '/path/to/bank' },
        ],
      },
    },
  ],

  async run({ engine, signal, progress, agent }, { repos, detect_cross_repo_edges, incremental }) {
    const repositories = withNames(repos)
    const request = { repositories, incremental, crossEdges: detect_cross_repo_edges, agent }
    const report = await engine.federate(request, { signal, progress }).catch((error) => refused(error, repos[0].path))
    const { graph } = engine.brain
    const byType: Record<string, number> = {}
    for (const { type } of report.cross) byType[type] = (byType[type] ?? 0) + 1
    const shown = report.cross.slice(0, EDGES_SHOWN)
    return {
      repos_ingested: report.repositories.map((it) => ({
        name: it.name,
        path: it.path,
        node_count: it.nodes,
        edge_count: it.edges,
        from_cache: it.fromCache,
        ingest_ms: it.ms,
      })),
      total_nodes: graph.nNodes,
      total_edges: graph.nLogical,
      cross_repo_edge_count: report.cross.length,
      cross_repo_edges_by_type: byType,
      skipped_repos: report.skipped.map((it) => it.name),
      skipped_reasons: Object.fromEntries(report.skipped.map((it) => [it.name, it.reason])),
      incremental,
      graph_generation: graph.meta.generation,
      cross_repo_edges: shown.map(({ type, sourceRepo, targetRepo, source, target, detail, line }) => {
        const { relation, weight, causal } = CROSS_TYPES[type]
        return {
          source_repo: sourceRepo,
          target_repo: targetRepo,
          source_node: source,
          target_node: target,
          edge_type: type,
          relation: PLAIN.has(relation) ? relation : `${relation}::${detail}`,
          detail,
          line,
          weight,
          causal_strength: causal,
        }
      }),
      truncated: report.isCut
        ? {
            shown: shown.length,
            total: report.cross.length,
            how: 'There are more than 20,000 edges; fewer repositories at once have fewer.',
          }
        : truncated(shown.length, report.cross.length, 'All are in the graph: ask impact or why about a node.'),
    }
  },

  render(output, style) {
    const repos = output.repos_ingested.map((it) => [
      it.name,
      plural(it.node_count, 'node'),
      plural(it.edge_count, 'edge'),
      it.from_cache ? 'unchanged' : '',
      it.path,
    ])
    const cross = output.cross_repo_edges
      .slice(0, 20)
      .map((it) => [it.edge_type, it.detail, it.source_node, '→', it.target_node])
    const kinds = Object.entries(output.cross_repo_edges_by_type).map(([type, count]) => `${type} ${count}`)
    const skipped = Object.entries(output.skipped_reasons).map(([name, reason]) => `left out: ${name}: ${reason}`)
    return [
      `${style.bold(plural(output.repos_ingested.length, 'repository', 'repositories'))}, ${output.total_nodes} nodes, ${output.total_edges} edges, ${output.cross_repo_edge_count} of them between repositories${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`,
      '',
      table(repos, style),
      ...(cross.length > 0 ? ['', table(cross, style)] : []),
      ...skipped,
      ...footnotes(output, style),
    ].join('\n')
  },
})

/** Names as given; without one, that of the folder, told apart by a number. Throws on one that is given twice. */
function withNames(repos: readonly z.output<typeof Repository>[]): { name: string; path: string; adapter: string }[] {
  const given = repos.map((it) => it.name || it.label)
  const wrong = given.find((it) => it !== '' && !NAME.test(it))
  if (wrong !== undefined)
    throw invalid(`name ${wrong} has other signs than letters, digits, dot, hyphen and underscore`, wrong)
  const twice = given.find((it, i) => it !== '' && given.indexOf(it) !== i)
  if (twice !== undefined) throw invalid(`name ${twice} is given twice`, twice)
  const taken = new Set(given.filter((it) => it !== ''))
  return repos.map(({ path, adapter }, i) => {
    if (given[i] !== '') return { name: given[i], path, adapter }
    const base =
      path
        .split('/')
        .findLast((it) => it !== '')
        ?.replace(/[^\w.-]+/g, '_') || 'repository'
    let name = base
    for (let n = 2; taken.has(name); n++) name = `${base}-${n}`
    taken.add(name)
    return { name, path, adapter }
  })
}

function invalid(what: string, detail: string): ToolError {
  return new ToolError(
    'invalid_params',
    `Invalid params for federate: ${what}`,
    'Give every repository a name of its own.',
    { detail },
  )
}
