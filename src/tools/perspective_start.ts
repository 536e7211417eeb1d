import * as z from 'zod'
import { FAMILIES, WEIGHT_NAMES } from '#analysis/routes'
import { startPerspective } from '#engine/perspectives'
import { NODE_TYPES, NONE } from '#graph/graph'
import { ensureRoom } from '#tools/handle-room'
import { focusFor, LensInput, lensFrom, pageOf, renderPage, RoutesPage } from '#tools/perspective-parts'
import { nodeOf } from '#tools/resolve-node'
import { AgentId } from '#tools/shapes'
import { defineTool, ToolError } from '#tools/tool'

/** The weights of a ranking must sum to 1 but for this. */
const TOLERANCE = 0.01

export default defineTool({
  name: 'perspective_start',
  group: 'perspective',
  effect: 'keep',
  summary: 'Start to look around: from the best match of a query, or from a node.',
  details: ['Gives routes of several kinds; perspective_follow goes on. For one answer use seek.'],
  input: z.object({
    agent_id: AgentId,
    query: z.string().trim().min(1).max(20_000).describe('What for.'),
    anchor_node: z.string().max(2000).default('').describe('Where to stay near.'),
    lens: LensInput,
  }),
  output: z.looseObject({
    perspective_id: z.string(),
    anchor_node: z.string().nullable(),
    focus_node: z.string().nullable(),
    focus: z.string().nullable(),
    ...RoutesPage,
  }),
  examples: [
    { title: 'By a question', input: { agent_id: 'scout', query: 'refund payment' } },
    {
      title: 'Around a file, callers and dependencies only',
      input: {
        agent_id: 'dev',
        query: 'refund',
        anchor_node: 'server/bank.py',
        lens: { route_families: ['causal'], top_k: 8 },
      },
    },
  ],

  run(context, { query, anchor_node, lens: given }) {
    const { graph, engine, agent, now } = context
    checkLens(given)
    const lens = lensFrom(given, graph.nNodes)
    const anchor = anchor_node === '' ? null : nodeOf(graph, anchor_node)
    ensureRoom(engine, 'perspective_limit')
    const focus = anchor?.node ?? focusFor(context, query, lens)
    const calls = anchor === null ? 1 : 0
    const perspective = startPerspective(
      engine,
      { agent, query, anchor: anchor?.node ?? NONE, focus, lens, calls },
      now,
    )
    return {
      perspective_id: perspective.perspective_id,
      anchor_node: perspective.anchor || null,
      ...anchor?.resolution,
      focus_node: perspective.at.focus || null,
      focus: perspective.at.focus || null,
      ...pageOf(context, perspective),
    }
  },

  render: (output, style) =>
    [
      `${style.bold(output.perspective_id)}  ${output.mode}  at ${output.focus_node ?? 'nothing'}`,
      ...renderPage(output, style),
    ].join('\n'),
})

function checkLens(lens: z.output<typeof LensInput>): void {
  const wrong = (what: string) =>
    new ToolError('invalid_params', `Invalid params for perspective_start: lens.${what}`, 'Leave it out for all.', {
      detail: 'lens',
    })
  const families = new Set<string>(FAMILIES.flatMap((it) => [it.family, it.kind]))
  for (const it of lens?.route_families ?? [])
    if (!families.has(it)) throw wrong(`route_families: there is no ${it}; there are ${[...families].join(', ')}`)
  const types = new Set<string>(NODE_TYPES)
  for (const it of lens?.node_types ?? [])
    if (!types.has(it) && !/^custom\(\d+\)$/.test(it))
      throw wrong(`node_types: there is no ${it}; there are ${[...types].join(', ')}`)
  const weights = lens?.ranking_weights
  if (weights === undefined) return
  const sum = WEIGHT_NAMES.reduce((total, it) => total + weights[it], 0)
  if (Math.abs(sum - 1) > TOLERANCE) throw wrong(`ranking_weights: they must sum to 1, got ${sum}`)
}
