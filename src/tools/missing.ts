import * as z from 'zod'
import { completeness } from '#analysis/completeness'
import { NONE } from '#graph/graph'
import { currentBoosts } from '#plasticity/priming'
import { activate } from '#query/activate'
import { DIMENSIONS } from '#query/blend'
import { HoleRow, holeRow } from '#tools/hole-rows'
import { AgentId, Completeness, Freshness, freshness, Truncated, topK, truncated } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'missing',
  group: 'exploration',
  effect: 'read',
  summary: 'What seems to be missing around a topic: gaps, and fragile bridges.',
  details: [
    'Members that lack what their siblings have (a test, error handling), single points that hold the topic together, quiet nodes among active ones.',
    'Hints to check, no findings. For what is there use activate.',
  ],
  input: z.object({
    agent_id: AgentId,
    query: z.string().trim().min(1).describe('The topic.'),
    min_sibling_activation: z.number().min(0).max(1).default(0.3).describe('From when a neighbour counts.'),
    top_k: topK(50),
  }),
  output: z.looseObject({
    query: z.string(),
    total_holes: z.int(),
    ghost_edges: z.int(),
    holes: z.array(HoleRow),
    note: z.string(),
    reason: z.string().nullable(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [{ title: 'Gaps around payment', input: { agent_id: 'dev', query: 'payment' } }],

  run(context, { query, min_sibling_activation, top_k }) {
    const { graph, indexes, brain, engine, now } = context
    const { settings } = engine
    const found = activate(graph, indexes, {
      query,
      topK: top_k,
      dimensions: DIMENSIONS,
      xlr: settings.xlrEnabled,
      gate: settings.xlrGate,
      hubImmunity: settings.xlrHubImmunity,
      ghostEdges: true,
      holes: true,
      minSiblingActivation: min_sibling_activation,
      boosts: currentBoosts(graph, brain.learned, engine.status().queriesProcessed),
      ranking: 'fused',
      nowSeconds: now / 1000,
    })
    const nodes = found.holes.map((it) => it.node).filter((it) => it !== NONE)
    const fresh = freshness(context, nodes)
    const lacking = found.holes.filter((it) => it.kind === 'gap' && it.node !== NONE).map((it) => it.node)
    return {
      query,
      total_holes: found.holesTotal,
      ghost_edges: found.ghosts.length,
      reason: found.holes.length > 0 ? null : reasonFor(found.note, found.ranked.length),
      note: found.note,
      holes: found.holes.map((it) => holeRow(graph, it)),
      // a call that could not be followed may be the very thing that seems to be missing
      completeness: completeness(graph, {
        nodes: lacking,
        asks: 'both',
        skipped: { guesses: 0, unreachable: 0 },
        stale: fresh.stale_files,
        reasons: found.ranked.length > 0 ? [`judged around the ${found.ranked.length} best matches`] : [],
      }),
      truncated: truncated(
        found.holes.length,
        found.holesTotal,
        'Ask about a narrower topic, or raise min_sibling_activation.',
      ),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { holes, total_holes, query, reason } = output
    const head = reason ?? `${style.bold(plural(total_holes, 'gap'))} around ${style.bold(query)}`
    const rows = holes.map((it) => [it.sibling_avg_activation.toFixed(2), it.label, it.reason])
    return [
      head,
      ...(output.note === '' || reason !== null ? [] : [output.note]),
      ...(rows.length > 0 ? ['', table(rows, style)] : []),
      ...footnotes(output, style),
    ].join('\n')
  },
})

function reasonFor(note: string, activated: number): string {
  if (activated === 0) return note || 'Nothing in the graph matches the topic, so nothing can be missing around it.'
  return `${plural(activated, 'node')} matched the topic, and nothing among or around them stands out as missing.`
}
