import * as z from 'zod'
import { completeness } from '#analysis/completeness'
import { OUTSIDE_LINES } from '#analysis/places'
import { riskLevel, traceSuspects, type MappedFrame } from '#analysis/trace'
import { type Graph, keyOf, labelOf, NONE, text } from '#graph/graph'
import { readTrace, type Trace } from '#query/frames'
import {
  AgentId,
  Completeness,
  Freshness,
  freshness,
  MaxTokens,
  NodeRow,
  nodeRow,
  round,
  Truncated,
  topK,
  truncated,
} from '#tools/shapes'
import { footnotes, pathIn, plural, table } from '#tools/table'
import { defineTool, ToolError } from '#tools/tool'

const UNMAPPED_SHOWN = 20
const LANGUAGES = ['python', 'rust', 'typescript', 'javascript', 'go', 'java', 'csharp', 'ruby', 'php', 'cpp'] as const

export default defineTool({
  name: 'trace',
  group: 'exploration',
  effect: 'read',
  summary: 'Which code is probably at fault for a stack trace or error output.',
  details: [
    'Paste the whole output, log lines too: any common language, chained errors, several stacks.',
    'Frames of other packages are set apart. For an error without frames use seek.',
  ],
  input: z.object({
    agent_id: AgentId,
    error_text: z.string().min(1).describe('Full output.'),
    language: z
      .preprocess((it) => (typeof it === 'string' ? it.toLowerCase() : it), z.enum(LANGUAGES))
      .optional()
      .describe('Detected unless given.'),
    window_hours: z.number().positive().default(24).describe('Around the last change of the first suspect.'),
    top_k: topK(10),
    ranking: z.enum(['fused', 'seed']).default('fused').describe('seed: the plain formula.'),
    max_tokens: MaxTokens,
  }),
  output: z.looseObject({
    language_detected: z.string(),
    error_type: z.string(),
    error_message: z.string(),
    frames_parsed: z.int(),
    frames_mapped: z.int(),
    reason: z.string().nullable(),
    suspects: z.array(
      NodeRow.extend({
        suspiciousness: z.number(),
        signals: z.looseObject({
          trace_depth_score: z.number(),
          recency_score: z.number(),
          centrality_score: z.number(),
        }),
        file_path: z.string(),
        line: z.int(),
        line_start: z.int(),
        line_end: z.int(),
        related_callers: z.array(z.string()),
        off_stack: z.string().optional(),
      }),
    ),
    co_change_suspects: z.array(
      z.looseObject({ node_id: z.string(), label: z.string(), modified_at: z.number(), reason: z.string() }),
    ),
    causal_chain: z.array(z.string()),
    fix_scope: z.looseObject({
      files_to_inspect: z.array(z.string()),
      estimated_blast_radius: z.int(),
      risk_level: z.enum(['low', 'medium', 'high', 'critical']),
    }),
    unmapped_frames: z.array(
      z.looseObject({ file: z.string(), line: z.int(), function: z.string(), reason: z.string() }),
    ),
    unmapped_total: z.int(),
    related_test_files: z.array(z.string()),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    {
      title: 'A chained error in Python',
      input: {
        agent_id: 'dev',
        error_text:
          'Traceback (most recent call last):\n  File "/srv/shop/checkout.py", line 12, in confirm\n    charge(card, total)\n' +
          '  File "/srv/shop/payment.py", line 9, in charge\n    bank.open()\n' +
          '  File "/usr/lib/python3.12/ssl.py", line 1103, in do_handshake\n    self._sslobj.do_handshake()\n' +
          'ConnectionResetError: [Errno 104] Connection reset by peer',
      },
    },
    { title: 'Output without a stack', input: { agent_id: 'dev', error_text: 'error: something went wrong' } },
  ],

  run(context, { error_text, language, window_hours, top_k, ranking }) {
    const { graph, indexes, engine } = context
    if (!/[\p{L}\p{N}]/u.test(error_text))
      throw new ToolError(
        'invalid_params',
        'Invalid params for trace: error_text: expected the output of an error, got only white space or signs',
        'Paste the stack trace with the error message.',
        { detail: 'error_text' },
      )
    const trace = readTrace(error_text, language)
    const found = traceSuspects(graph, indexes, trace.frames, {
      ranking,
      windowHours: window_hours,
      topK: top_k,
      nowSeconds: context.now / 1000,
      message: trace.errorMessage,
    })
    const shown = found.suspects.slice(0, top_k)
    const mapped = found.places.filter((it) => it.node !== NONE)
    const unmapped = found.places.filter((it) => it.node === NONE || it.reason === OUTSIDE_LINES)
    const inspect = new Set([...shown.map((it) => it.file), ...found.coChanges.map((it) => it.node)])
    const fresh = freshness(context, [...shown.map((it) => it.node), ...found.tests])
    const lost = unmapped.filter((it) => it.node === NONE && !it.isForeign).length
    const reason = whyEmpty(graph, trace, found.places, (path) => engine.isOnDisk(path))
    const reasons = [
      ...(lost > 0 ? [`${plural(lost, 'frame')} of no indexed file`] : []),
      ...(trace.otherStacks > 0 ? [`${plural(trace.otherStacks, 'further stack')} left out`] : []),
      ...(trace.skippedChars > 0 ? [`${trace.skippedChars} characters in the middle not read`] : []),
    ]
    return {
      language_detected: trace.language,
      error_type: trace.errorType,
      error_message: trace.errorMessage.slice(0, 500),
      frames_parsed: trace.frames.length,
      frames_mapped: mapped.length,
      reason,
      suspects: shown.map((it) => ({
        ...nodeRow(graph, it.node),
        suspiciousness: round(it.score),
        signals: {
          trace_depth_score: round(it.depth),
          recency_score: round(it.recency),
          centrality_score: round(it.centrality),
        },
        file_path: text(graph, graph.paths[it.file]),
        line: it.line,
        line_start: graph.lineStart[it.node],
        line_end: graph.lineEnd[it.node],
        related_callers: it.callers,
        // why a file that is on no frame is named
        ...(it.reason !== '' && { off_stack: it.reason }),
      })),
      co_change_suspects: found.coChanges.map(({ node, reason }) => ({
        node_id: keyOf(graph, node),
        label: labelOf(graph, node),
        modified_at: graph.lastModified[node],
        reason,
      })),
      causal_chain: found.chain.slice(0, 50),
      fix_scope: {
        files_to_inspect: [...inspect].map((v) => text(graph, graph.paths[v])),
        estimated_blast_radius: found.blast,
        risk_level: riskLevel(found.blast, graph.nNodes),
      },
      unmapped_frames: unmapped
        .slice(-UNMAPPED_SHOWN)
        .map(({ frame, reason }) => ({ file: frame.path, line: frame.line, function: frame.function, reason })),
      unmapped_total: unmapped.length,
      related_test_files: found.tests.map((v) => text(graph, graph.paths[v])),
      completeness: completeness(graph, {
        nodes: shown.slice(0, 1).map((it) => it.node),
        asks: 'incoming',
        skipped: { guesses: 0, unreachable: 0 },
        stale: fresh.stale_files,
        reasons,
        ...(reason !== null && { unknown: 'no frame leads to anything indexed' }),
      }),
      truncated: truncated(shown.length, found.suspects.length, 'Raise top_k.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { error_type, error_message, frames_parsed, frames_mapped, suspects, fix_scope, reason } = output
    const error = [error_type, error_message].filter((it) => it !== '').join(': ')
    const lines = [
      reason ??
        `${style.bold(error || 'The trace')}: ${frames_mapped} of ${plural(frames_parsed, 'frame')} in this project, ${plural(suspects.length, 'suspect')}`,
    ]
    if (suspects.length > 0) {
      const rows = suspects.map((it) => [
        it.suspiciousness.toFixed(3),
        it.label,
        it.off_stack === undefined
          ? `${pathIn(it.node_id, it.file_path)}:${it.line}`
          : `${pathIn(it.node_id, it.file_path)}  not on the stack; ${it.off_stack}`,
      ])
      lines.push('', table(rows, style))
      lines.push(
        '',
        `A change of the first may affect ${plural(fix_scope.estimated_blast_radius, 'node')} (${fix_scope.risk_level}).`,
      )
    }
    for (const it of output.co_change_suspects.slice(0, 5)) lines.push(style.dim(`${it.node_id}  ${it.reason}`))
    if (output.related_test_files.length > 0) lines.push(`Tests: ${output.related_test_files.join(', ')}`)
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

/** Which empty it is when no frame leads into the project; null when one does. */
function whyEmpty(
  graph: Graph,
  { frames }: Trace,
  places: readonly MappedFrame[],
  isOnDisk: (path: string) => boolean,
): string | null {
  if (frames.length === 0)
    return 'No line of the text is a stack frame or names a file with a line; ask seek with the message instead.'
  if (places.some((it) => it.node !== NONE)) return null
  const own = places.filter((it) => !it.isForeign && it.frame.path !== '')
  if (own.length === 0)
    return `All ${frames.length} frames are of other packages or the language itself; none leads into this project.`
  const last = own[own.length - 1].frame.path
  if (isOnDisk(last)) return `${last} lies in the project and is not indexed: ingest says why files are left out.`
  const roots = graph.meta.roots.map((it) => it.path).join(', ')
  return `No file of the ${plural(own.length, 'frame')} outside of known packages is indexed under ${roots}: the deepest is ${last}. If it is another project, ingest that one; if names differ, ask seek.`
}
