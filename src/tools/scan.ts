import * as z from 'zod'
import { completeness } from '#analysis/completeness'
import { builtIn, scan } from '#analysis/scan'
import { DEAD_EDGE, type Graph, keyOf, labelOf, PRIMARY, text, typeName } from '#graph/graph'
import { rootsWith } from '#graph/ingest-roots'
import { type Pattern, PATTERNS } from '#graph/patterns'
import { scopeOf } from '#query/scope'
import {
  AgentId,
  Completeness,
  Freshness,
  freshness,
  MaxTokens,
  round,
  scopeBelow,
  Truncated,
  topK,
  truncated,
} from '#tools/shapes'
import { footnotes, pathIn, plural } from '#tools/table'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

const CUSTOM_SEVERITY = 0.5

export default defineTool({
  name: 'scan',
  group: 'exploration',
  effect: 'read',
  summary: 'Places in the code where a pattern of trouble holds, checked against the graph.',
  details: ['Without pattern all eight built-in ones. For a question in words use seek.'],
  input: z.object({
    agent_id: AgentId,
    pattern: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(`${PATTERNS.map((it) => it.id).join(', ')}; or code, as open($F, ...); or words in names.`),
    scope: z.string().max(500).default('').describe('Path prefix or globs.'),
    severity_min: z.number().min(0).max(1).default(0.3).describe('Least severity.'),
    graph_validate: z.boolean().default(true).describe('false: raw matches.'),
    limit: topK(50),
    matching: z.enum(['syntax', 'seed']).default('syntax').describe('seed: words in names.'),
    max_tokens: MaxTokens,
  }),
  output: z.looseObject({
    pattern: z.string(),
    findings: z.array(
      z.looseObject({
        pattern: z.string(),
        rule: z.string(),
        status: z.enum(['confirmed', 'mitigated', 'false_positive', 'raw']),
        severity: z.number(),
        node_id: z.string(),
        label: z.string(),
        file_path: z.string(),
        line: z.int(),
        code: z.string(),
        message: z.string(),
        graph_context: z.array(z.looseObject({ node_id: z.string(), label: z.string(), relation: z.string() })),
      }),
    ),
    reason: z.string().nullable(),
    files_scanned: z.int(),
    total_matches_raw: z.int(),
    total_matches_validated: z.int(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    { title: 'All patterns', input: { agent_id: 'dev' } },
    {
      title: 'Code without a test, in one folder',
      input: { agent_id: 'dev', pattern: 'test_coverage', scope: 'server/' },
    },
    { title: 'A shape of code', input: { agent_id: 'dev', pattern: 'open($FILE, ...)' } },
  ],

  async run(context, { pattern, scope, severity_min, graph_validate, limit, matching }) {
    const { graph, engine } = context
    const inScope = scopeOf(scopeBelow(graph, scope))
    const known = pattern === undefined ? null : builtIn(pattern)
    const asked = pattern === undefined ? PATTERNS : known === null ? null : [known]
    if (asked === null && pattern !== undefined) refuseMisspelt(pattern)
    const custom = asked === null ? await ownPattern(context, pattern ?? '', inScope) : null
    const found = scan(graph, {
      patterns: asked ?? [custom?.pattern ?? PATTERNS[0]],
      inScope,
      matching: custom?.isWords === true ? 'seed' : matching,
      validate: graph_validate,
      severityMin: severity_min,
      limit,
      ...(custom !== null && !custom.isWords && { found: custom.sites }),
    })
    const unread = [...found.filesUnread].map(([name, files]) => `${plural(files, 'file')} of ${name}`).join(', ')
    const isAllUnread = unread !== '' && [...found.filesUnread.values()].reduce((a, b) => a + b) === found.filesScanned
    // places are kept by path, whichever repository it is a path of
    const shared = found.findings.filter((it) => rootsWith(graph, it.path).length > 1).length
    const fresh = freshness(
      context,
      found.findings.map((it) => it.node),
    )
    const code = engine.linesOf(found.findings)
    return {
      pattern: pattern ?? 'all',
      findings: found.findings.map((it, i) => ({
        pattern: it.pattern,
        rule: it.rule,
        status: it.status,
        severity: round(it.severity),
        node_id: keyOf(graph, it.node),
        label: labelOf(graph, it.node),
        file_path: it.path,
        line: it.line,
        code: it.text || code[i],
        message: it.message,
        graph_context: it.context.map(({ node, relation }) => ({
          node_id: keyOf(graph, node),
          label: labelOf(graph, node),
          relation,
        })),
      })),
      reason: whyEmpty(found, scope, severity_min),
      files_scanned: found.filesScanned,
      total_matches_raw: found.raw,
      total_matches_validated: found.validated,
      ...(pattern === undefined && { patterns: found.counts, graph_summary: summaryOf(graph) }),
      completeness: completeness(graph, {
        nodes: [],
        asks: 'outgoing',
        skipped: { guesses: 0, unreachable: 0 },
        stale: fresh.stale_files,
        reasons: [
          ...(custom?.reasons ?? []),
          ...(unread === '' ? [] : [`no rule reads the syntax of ${unread}`]),
          ...(shared === 0
            ? []
            : [`${plural(shared, 'finding')} at paths that several repositories have may be of another one of them`]),
        ],
        ...(isAllUnread && { unknown: 'no rule reads the language of any file in scope' }),
      }),
      truncated: truncated(found.findings.length, found.total, 'Raise limit, or narrow scope.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { findings, reason, total_matches_raw, total_matches_validated, files_scanned } = output
    const head =
      reason ??
      `${style.bold(plural(total_matches_raw, 'match', 'matches'))} in ${plural(files_scanned, 'file')}, ${total_matches_validated} not ruled out`
    const lines = [head]
    for (const it of findings)
      lines.push(
        '',
        `${it.severity.toFixed(2)} ${it.status} ${style.bold(it.rule)}  ${pathIn(it.node_id, it.file_path)}:${it.line}`,
        `  ${it.code.slice(0, Math.max(20, style.width - 2))}`,
        style.dim(`  ${it.message}`),
      )
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

/** A pattern of the caller's own: code, or words looked for in names. */
async function ownPattern({ engine, signal }: ToolContext, written: string, inScope: (path: string) => boolean) {
  const isWords = /^[\p{L}\p{N}_,\s]+$/u.test(written)
  const keywords = written.split(/[,\s]+/).filter((it) => it !== '')
  const pattern: Pattern = { id: 'custom', severity: CUSTOM_SEVERITY, keywords, remedies: [], testsAnswer: false }
  if (keywords.length === 0 || !/[\p{L}\p{N}_$]/u.test(written))
    throw new ToolError(
      'invalid_params',
      `Invalid params for scan: pattern: expected a built-in, code or words, got ${JSON.stringify(written)}`,
      `Built-in patterns: ${PATTERNS.map((it) => it.id).join(', ')}.`,
      { detail: written },
    )
  if (isWords) return { pattern, isWords, sites: [], reasons: [] }
  const { sites, problem, reasons } = await engine.findCode(written, inScope, signal)
  if (problem !== '')
    throw new ToolError(
      'invalid_params',
      `Invalid params for scan: pattern: ${problem}`,
      'Write one expression or statement; $X stands for one part, ... for any number.',
      {
        detail: written,
      },
    )
  return { pattern, isWords, sites, reasons }
}

/** A word that is almost a built-in pattern is a slip, not a search. */
function refuseMisspelt(pattern: string): void {
  const letters = (it: string) => it.toLowerCase().replace(/[^a-z]/g, '')
  const written = letters(pattern)
  if (!/^[\w-]+$/.test(pattern.trim()) || written.length < 5) return
  const near = PATTERNS.find(({ id }) => isOneSlip(written, letters(id)))
  if (near !== undefined)
    throw new ToolError(
      'invalid_params',
      `Invalid params for scan: pattern: there is none called ${pattern}`,
      `Did you mean ${near.id}? Built-in patterns: ${PATTERNS.map((it) => it.id).join(', ')}.`,
      { detail: pattern },
    )
}

/** Whether two words differ by one letter more, less, other or swapped. */
function isOneSlip(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}

function whyEmpty(
  { findings, filesScanned, raw }: { findings: readonly unknown[]; filesScanned: number; raw: number },
  scope: string,
  severityMin: number,
): string | null {
  if (findings.length > 0) return null
  if (filesScanned === 0) return `No indexed file lies in ${scope}; check the path or globs, or ingest its folder.`
  if (raw > 0) return `${plural(raw, 'place')} found, none as grave as ${severityMin}; lower severity_min to see them.`
  return `Nothing of the kind was found in ${plural(filesScanned, 'file')}.`
}

/** Numbers of nodes and edges by type. */
function summaryOf(graph: Graph) {
  const nodes = new Map<string, number>()
  for (let v = 0; v < graph.nNodes; v++) {
    if (graph.dead[v] === 1) continue
    const type = typeName(graph.types[v])
    nodes.set(type, (nodes.get(type) ?? 0) + 1)
  }
  const relations = new Uint32Array(graph.strings.count)
  // an edge that holds both ways has two slots
  graph.relations.forEach((handle, e) => {
    if ((graph.flags[e] & (PRIMARY | DEAD_EDGE)) === PRIMARY) relations[handle]++
  })
  const edges: [string, number][] = []
  relations.forEach((count, handle) => {
    if (count > 0) edges.push([text(graph, handle), count])
  })
  const byCount = (a: [string, number], b: [string, number]) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)
  return { nodes: Object.fromEntries([...nodes].sort(byCount)), edges: Object.fromEntries(edges.sort(byCount)) }
}
