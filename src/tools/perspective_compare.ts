import * as z from 'zod'
import { anyPerspective, noteReading, notFound, type Perspective } from '#engine/perspectives'
import { NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { DIMENSIONS, type Dimension } from '#query/blend'
import { labelOfKey, PerspectiveId } from '#tools/perspective-parts'
import { activateWithMemory } from '#tools/memory'
import { AgentId, round } from '#tools/shapes'
import { plural } from '#tools/table'
import { defineTool, type ToolContext, ToolError } from '#tools/tool'

/** Results of a query among which visited nodes are looked for. */
const ACTIVATED = 1000

const Texts = z.array(z.string())

export default defineTool({
  name: 'perspective_compare',
  group: 'perspective',
  effect: 'read',
  countsAsQuery: false,
  summary: 'How two perspectives differ: nodes of both and of one, and by dimension.',
  details: ["One may be another agent's, if the settings allow it."],
  input: z.object({
    agent_id: AgentId,
    perspective_id_a: PerspectiveId,
    perspective_id_b: PerspectiveId,
    dimensions: z.array(z.enum(DIMENSIONS)).default([]).describe('None = all.'),
  }),
  output: z.looseObject({
    perspective_id_a: z.string(),
    perspective_id_b: z.string(),
    owner_a: z.string(),
    owner_b: z.string(),
    cross_agent: z.boolean(),
    shared_nodes: Texts,
    unique_to_a: Texts,
    unique_to_b: Texts,
    shared_node_ids: Texts,
    unique_to_a_ids: Texts,
    unique_to_b_ids: Texts,
    totals: z.object({ shared: z.int(), unique_to_a: z.int(), unique_to_b: z.int() }),
    dimension_deltas: z.array(
      z.object({ dimension: z.string(), score_a: z.number(), score_b: z.number(), delta: z.number() }),
    ),
    dimension_delta_map: z.record(z.string(), z.number()),
    response_chars: z.int(),
  }),
  examples: [
    {
      title: 'Two questions',
      input: { agent_id: 'judge', perspective_id_a: 'persp_judge_001', perspective_id_b: 'persp_judge_002' },
      after: [
        ['perspective_start', { query: 'refund payment' }],
        ['perspective_start', { query: 'cart total' }],
      ],
    },
  ],

  run(context, { perspective_id_a, perspective_id_b, dimensions }) {
    const { graph, engine, agent, now } = context
    if (perspective_id_a === perspective_id_b) {
      const message = `Invalid params for perspective_compare: both are ${perspective_id_a}`
      throw new ToolError('invalid_params', message, 'Name two different perspectives.', { detail: 'perspective_id_b' })
    }
    const [a, b] = pair(context, perspective_id_a, perspective_id_b)
    for (const it of [a, b]) if (it.agent === agent) noteReading(engine.records, it, now)

    const [ofA, ofB] = [nodesOf(a), nodesOf(b)]
    const shared = [...ofA].filter((it) => ofB.has(it))
    const onlyA = [...ofA].filter((it) => !ofB.has(it))
    const onlyB = [...ofB].filter((it) => !ofA.has(it))
    const [scoresA, scoresB] = [scoresOf(context, a), scoresOf(context, b)]
    const deltas = DIMENSIONS.filter((it) => dimensions.length === 0 || dimensions.includes(it)).map((dimension) => ({
      dimension,
      score_a: round(scoresA[dimension]),
      score_b: round(scoresB[dimension]),
      delta: round(scoresA[dimension] - scoresB[dimension]),
    }))
    const labels = (keys: readonly string[]) => keys.map((it) => labelOfKey(graph, it))
    const isOtherGraph = a.generation !== b.generation || a.plasticity !== b.plasticity
    const answer = {
      perspective_id_a,
      perspective_id_b,
      owner_a: a.agent,
      owner_b: b.agent,
      cross_agent: a.agent !== b.agent,
      shared_nodes: labels(shared),
      unique_to_a: labels(onlyA),
      unique_to_b: labels(onlyB),
      shared_node_ids: shared,
      unique_to_a_ids: onlyA,
      unique_to_b_ids: onlyB,
      totals: { shared: shared.length, unique_to_a: onlyA.length, unique_to_b: onlyB.length },
      dimension_deltas: deltas,
      dimension_delta_map: Object.fromEntries(deltas.map((it) => [it.dimension, round(Math.abs(it.delta))])),
      ...(isOtherGraph && {
        generation_mismatch_warning: 'Their routes were made of different states of the graph: open both anew first.',
      }),
    }
    return { ...answer, response_chars: shorten(answer, engine.settings.compareMaxChars) }
  },

  render({ totals, shared_nodes, unique_to_a, unique_to_b, dimension_deltas }, style) {
    const row = (title: string, n: number, names: readonly string[]) =>
      `${title.padEnd(8)} ${plural(n, 'node')}  ${style.dim(names.join(', '))}`
    return [
      row('both', totals.shared, shared_nodes),
      row('only a', totals.unique_to_a, unique_to_a),
      row('only b', totals.unique_to_b, unique_to_b),
      ...dimension_deltas.map(
        (it) => `${it.dimension.padEnd(11)} ${it.score_a.toFixed(3)}  ${it.score_b.toFixed(3)}  ${it.delta.toFixed(3)}`,
      ),
    ].join('\n')
  },
})

/** Both perspectives; at least one is the caller's, and the other too unless the settings allow it. */
function pair({ engine, agent }: ToolContext, idA: string, idB: string): [Perspective, Perspective] {
  const { allowCrossAgentCompare } = engine.settings
  const hint = allowCrossAgentCompare
    ? 'perspective_list shows the open ones; one of the two must be your own.'
    : 'perspective_list shows the open ones; allow_cross_agent_compare is off, so both must be your own.'
  const [a, b] = [anyPerspective(engine.records, idA), anyPerspective(engine.records, idB)]
  const isOwn = (it: Perspective | undefined) => it?.agent === agent
  const allowed = allowCrossAgentCompare && (isOwn(a) || isOwn(b))
  if (a === undefined || !(isOwn(a) || allowed)) throw notFound(idA, agent, hint)
  if (b === undefined || !(isOwn(b) || allowed)) throw notFound(idB, agent, hint)
  return [a, b]
}

/** What was visited or offered. */
function nodesOf({ at, visited, routes }: Perspective): Set<string> {
  return new Set([...visited, at.focus, ...routes.map((it) => it.target)].filter((it) => it !== ''))
}

/** Per dimension the mean activation of the visited nodes by the perspective's query. */
function scoresOf(context: ToolContext, { query, lens, visited }: Perspective): Record<Dimension, number> {
  const { graph } = context
  const { found } = activateWithMemory(context, {
    query,
    topK: ACTIVATED,
    dimensions: lens.dimensions.length > 0 ? lens.dimensions : DIMENSIONS,
    xlr: lens.xlr,
    ghostEdges: false,
    holes: false,
    priming: false,
  })
  const nodes = new Set(visited.map((it) => nodeByKey(graph, it)).filter((v) => v !== NONE))
  const sums = { structural: 0, semantic: 0, temporal: 0, causal: 0 }
  for (const { node, dims } of found.ranked) {
    if (!nodes.has(node)) continue
    DIMENSIONS.forEach((dimension, d) => {
      sums[dimension] += dims[d] / nodes.size
    })
  }
  return sums
}

interface Lists {
  shared_nodes: string[]
  unique_to_a: string[]
  unique_to_b: string[]
  shared_node_ids: string[]
  unique_to_a_ids: string[]
  unique_to_b_ids: string[]
}

/** Takes the ends off the longest lists until the answer is short enough; gives its length. */
function shorten(answer: Lists, most: number): number {
  const lists = [
    [answer.shared_nodes, answer.shared_node_ids],
    [answer.unique_to_a, answer.unique_to_a_ids],
    [answer.unique_to_b, answer.unique_to_b_ids],
  ]
  while (JSON.stringify(answer).length > most) {
    const [longest] = lists.toSorted((x, y) => JSON.stringify(y).length - JSON.stringify(x).length)
    if (longest[0].length === 0) break
    for (const it of longest) it.pop()
  }
  return JSON.stringify(answer).length
}
