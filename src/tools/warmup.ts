import * as z from 'zod'
import { keyOf, labelOf, type NodeId } from '#graph/graph'
import { addBoosts, FAINT, priming } from '#plasticity/priming'
import { activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'
import { AgentId, round } from '#tools/shapes'
import { defineTool } from '#tools/tool'

/** Nodes that a task activates, and seeds that it is remembered by. */
const ACTIVATED = 50
const SHOWN = 20

export default defineTool({
  name: 'warmup',
  group: 'query',
  effect: 'learn',
  summary: 'Prime the graph for a task, so that the next questions lean towards it.',
  details: [
    'Biases activate, missing, impact and why for all agents, less with each question; nothing is saved.',
    'To get answers now use activate.',
  ],
  input: z.object({
    agent_id: AgentId,
    task_description: z.string().trim().min(1).describe('The task in plain words.'),
    boost_strength: z.number().min(0).max(1).default(0.15).describe('Boost of the best node.'),
  }),
  output: z.looseObject({
    task: z.string(),
    task_description: z.string(),
    primed_nodes: z.int(),
    total_seeds: z.int(),
    total_priming: z.int(),
    top_primed: z.array(z.object({ node_id: z.string(), label: z.string(), boost: z.number() })),
    seeds: z.array(z.object({ node_id: z.string(), relevance: z.number() })),
    priming_nodes: z.array(z.object({ node_id: z.string(), priming_strength: z.number() })),
    note: z.string(),
  }),
  examples: [
    {
      title: 'Before working on refunds',
      input: { agent_id: 'dev', task_description: 'refunds fail for split payments' },
    },
  ],

  run({ graph, indexes, brain, engine, now }, { task_description, boost_strength }) {
    const { settings } = engine
    const found = activate(graph, indexes, {
      query: task_description,
      topK: ACTIVATED,
      dimensions: DIMENSIONS,
      xlr: settings.xlrEnabled,
      gate: settings.xlrGate,
      hubImmunity: settings.xlrHubImmunity,
      ghostEdges: false,
      holes: false,
      boosts: new Map(),
      ranking: 'fused',
      nowSeconds: now / 1000,
    })
    const seeds = found.seeds.slice(0, ACTIVATED).map(({ node, relevance }) => ({ node, score: relevance }))
    const primed = [...priming(graph, brain.learned, seeds, settings, boost_strength)]

    // the stronger of what the task activates and what memory suggests
    const strongest = found.ranked[0]?.score || 1
    const boosts = new Map(
      found.ranked.map((it): [NodeId, number] => [it.node, (boost_strength * it.score) / strongest]),
    )
    for (const [v, boost] of primed) boosts.set(v, Math.max(boost, boosts.get(v) ?? 0))
    const given = [...boosts].filter(([, boost]) => boost >= FAINT).sort((a, b) => b[1] - a[1] || a[0] - b[0])
    addBoosts(graph, brain.learned, given, engine.status().queriesProcessed + 1)

    return {
      task: task_description,
      task_description,
      primed_nodes: given.length,
      total_seeds: seeds.length,
      total_priming: primed.length,
      top_primed: given
        .slice(0, SHOWN)
        .map(([v, boost]) => ({ node_id: keyOf(graph, v), label: labelOf(graph, v), boost: round(boost) })),
      seeds: found.seeds
        .slice(0, SHOWN)
        .map(({ node, relevance }) => ({ node_id: keyOf(graph, node), relevance: round(relevance) })),
      priming_nodes: primed
        .slice(0, SHOWN)
        .map(([v, boost]) => ({ node_id: keyOf(graph, v), priming_strength: round(boost) })),
      note: given.length > 0 ? '' : noteOf(found.note, boosts.size, boost_strength),
    }
  },

  render: ({ primed_nodes, top_primed, note }, style) =>
    [
      `${primed_nodes} nodes primed`,
      ...top_primed.map((it) => `${it.boost.toFixed(3)}  ${style.bold(it.label)}  ${style.dim(it.node_id)}`),
      ...(primed_nodes > top_primed.length ? [style.dim(`${primed_nodes - top_primed.length} more`)] : []),
      ...(note ? [note] : []),
    ].join('\n'),
})

/** Why nothing was primed. */
function noteOf(ofSearch: string, matched: number, strength: number): string {
  if (matched > 0) return `A boost_strength of ${strength} is too small: boosts under ${FAINT} are none.`
  return ofSearch || 'The task matches nothing in the graph; nothing was primed.'
}
