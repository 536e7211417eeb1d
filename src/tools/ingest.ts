import * as z from 'zod'
import { certainty } from '#analysis/certainty'
import { refused } from '#tools/refused'
import { AgentId } from '#tools/shapes'
import { defineTool, ToolError } from '#tools/tool'

/** Rows of `problems` and of `warnings` in one answer. */
const PROBLEMS_SHOWN = 20

export default defineTool({
  name: 'ingest',
  group: 'lifecycle',
  effect: 'write',
  countsAsQuery: false,
  needsGraph: false,
  changesGraph: true,
  summary: 'Read a project into the graph, or bring the graph up to date.',
  details: [
    'Once per project, and with incremental: true after files changed; what was learned is kept.',
    'State of the graph: health.',
  ],
  input: z.object({
    agent_id: AgentId,
    path: z.string().min(1).max(4096).describe('Absolute path of a project or file.'),
    incremental: z.boolean().default(false).describe('Changed files only.'),
    adapter: z.string().default('code').describe('code, json for a graph file, memory for notes.'),
    mode: z.enum(['replace', 'merge']).default('replace').describe('merge adds a root.'),
    namespace: z.string().max(100).default('').describe('Prefix of ids not from code.'),
    include_dotfiles: z.boolean().default(false).describe('Hidden files too.'),
    dotfile_patterns: z.array(z.string()).default([]).describe('Which: path, dir/*, dir/**.'),
    scip: z.string().max(4096).default('').describe('SCIP index.'),
    checker: z.boolean().default(false).describe("Wait for TypeScript's checker."),
  }),
  output: z.looseObject({
    roots: z.array(z.string()),
    files_processed: z.int(),
    nodes_created: z.int(),
    edges_created: z.int(),
    nodes_removed: z.int(),
    node_count: z.int(),
    edge_count: z.int(),
    languages: z.record(z.string(), z.int()),
    mode: z.string(),
    adapter: z.string(),
    namespace: z.string(),
    files_scanned: z.int(),
    files_parsed: z.int(),
    files_skipped: z.int(),
    files_unchanged: z.int(),
    files_failed: z.int(),
    references_resolved: z.int(),
    references_ambiguous: z.int(),
    references_unresolved: z.int(),
    references_external: z.int(),
    commits: z.int(),
    truncated: z.string().describe('Why the ingest stopped early, empty when it did not.'),
    dropped_roots: z.array(z.string()),
    warnings: z.array(z.string()),
    problems: z.array(z.object({ path: z.string(), line: z.int(), message: z.string() })),
    problems_total: z.int(),
    edges_by_tier: z.record(z.string(), z.int()),
    checked: z.record(z.string(), z.object({ files: z.int(), partly: z.int(), edges: z.int() })),
    checker: z.object({ state: z.string(), done: z.int(), total: z.int(), message: z.string() }),
    graph_generation: z.int(),
    phase_ms: z.record(z.string(), z.number()),
  }),
  examples: [
    { title: 'A project', input: { agent_id: 'dev', path: '/path/to/shop' } },
    { title: 'After some edits', input: { agent_id: 'dev', path: '/path/to/shop', incremental: true } },
  ],

  async run({ engine, agent, signal, progress }, input) {
    const { path, incremental, adapter, mode, namespace, include_dotfiles, dotfile_patterns, scip, checker } = input
    if (incremental && adapter !== 'code') {
      throw new ToolError(
        'invalid_params',
        `Invalid params for ingest: incremental works with the code adapter, not with ${adapter}`,
        'Leave incremental out.',
        {
          detail: 'incremental',
        },
      )
    }
    const request = {
      path,
      adapter,
      mode,
      incremental,
      namespace,
      includeDotfiles: include_dotfiles,
      dotfilePatterns: dotfile_patterns,
      scip,
      checker,
      agent,
    }
    const report = await engine
      .ingest(request, { signal, progress })
      .catch((error) => refused(error, path, 'ingest_refused'))
    const { warnings, problems, left_out: _, ...counts } = report
    const unused = [
      ...(dotfile_patterns.length > 0 && !include_dotfiles
        ? ['dotfile_patterns has no effect without include_dotfiles.']
        : []),
      ...(namespace !== '' && adapter === 'code' ? ['namespace has no effect on source code.'] : []),
    ]
    return {
      roots: engine.brain.graph.meta.roots.map((it) => it.path),
      files_processed: report.files_parsed + report.files_unchanged,
      ...counts,
      mode,
      adapter,
      namespace: adapter === 'memory' ? namespace || 'memory' : adapter === 'code' ? '' : namespace,
      warnings: [...unused, ...warnings].slice(0, PROBLEMS_SHOWN),
      problems: problems.slice(0, PROBLEMS_SHOWN),
      ...certainty(engine.brain.graph),
      checker: engine.status().checker,
      graph_generation: engine.brain.graph.meta.generation,
    }
  },

  announce: ({ agent_id, path }, { nodes_created, edges_created }) => ({
    type: 'ingest',
    agent_id,
    path,
    nodes_added: nodes_created,
    edges_added: edges_created,
  }),

  render(out) {
    const languages = Object.entries(out.languages)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
    const references = out.references_resolved + out.references_ambiguous + out.references_unresolved
    const seconds = Object.values(out.phase_ms).reduce((sum, it) => sum + it, 0) / 1000
    const lines = [
      `${out.node_count} nodes and ${out.edge_count} edges from ${out.files_processed} files in ${seconds.toFixed(1)} s`,
      `languages   ${languages.join(', ') || 'none'}`,
      `references  ${out.references_resolved} of ${references} resolved, ${out.references_ambiguous} ambiguous, ${out.references_external} to other packages`,
      `history     ${out.commits} commits`,
    ]
    for (const [name, it] of Object.entries(out.checked))
      lines.push(`checked     ${it.files} files by ${name}, ${it.partly} of them in part`)
    if (out.checker.state === 'failed') lines.push(`checker     ${out.checker.message}`)
    if (out.truncated !== '') lines.push(`stopped early: ${out.truncated}`)
    if (out.dropped_roots.length > 0) lines.push(`no longer in the graph: ${out.dropped_roots.join(', ')}`)
    for (const it of out.warnings) lines.push(`warning: ${it}`)
    for (const it of out.problems.slice(0, 5)) lines.push(`problem: ${it.path}:${it.line} ${it.message}`)
    if (out.problems_total > 5) lines.push(`… and ${out.problems_total - 5} more problems (--json shows them)`)
    return lines.join('\n')
  },
})
