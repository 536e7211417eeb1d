import * as z from 'zod'
import { addTrail, allTrails, changeTrail, type Trail, trailOf } from '#engine/trails'
import { type Graph, labelOf, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { addBoosts } from '#plasticity/priming'
import { AgentId, round } from '#tools/shapes'
import { plural } from '#tools/table'
import { stateByKey, TrailRow, trailRow } from '#tools/trail-parts'
import { defineTool, ToolError, type ToolContext } from '#tools/tool'

/** A larger share of missing nodes needs `force`, or costs a hypothesis half of its confidence. */
const MOST_MISSING = 0.5
const DOWNGRADED = 0.5
const VISITED_SHOWN = 20

export default defineTool({
  name: 'trail_resume',
  group: 'memory',
  effect: 'keep',
  summary: 'Go on with a saved investigation, your own or that of another agent.',
  details: [
    'Its nodes weigh more in the next questions; what is gone or changed since is told. Find trails with trail_list.',
  ],
  input: z.object({
    agent_id: AgentId,
    trail_id: z.string().min(1).max(300).describe('Id or label.'),
    force: z.boolean().default(false).describe('Even if most is gone.'),
    max_reactivated_nodes: z.int().min(0).max(1000).default(5).describe('Ids shown.'),
    max_resume_hints: z.int().min(0).max(20).default(4).describe('Hints shown.'),
  }),
  output: z.looseObject({
    trail_id: z.string(),
    label: z.string(),
    stale: z.boolean(),
    generations_behind: z.int(),
    missing_nodes: z.array(z.string()),
    stale_nodes: z.int(),
    nodes_reactivated: z.int(),
    hypotheses_downgraded: z.array(z.string()),
    hypotheses_downgraded_count: z.int(),
    hypotheses_restored: z.int(),
    trail: TrailRow,
    hypotheses: z.array(z.looseObject({ statement: z.string(), confidence: z.number(), status: z.string() })),
    conclusions: z.array(z.looseObject({ statement: z.string(), confidence: z.number() })),
    open_questions: z.array(z.string()),
    visited_nodes: z.array(
      z.looseObject({
        node_external_id: z.string(),
        relevance: z.number(),
        state: z.enum(['same', 'changed', 'missing']),
      }),
    ),
    reactivated_node_ids: z.array(z.string()),
    next_focus_node_id: z.string().nullable(),
    next_open_question: z.string().nullable(),
    next_suggested_tool: z.string(),
    resume_hints: z.array(z.string()),
  }),
  examples: [
    {
      title: 'By its label',
      input: { agent_id: 'heir', trail_id: 'heir: refunds' },
      after: [
        [
          'trail_save',
          {
            label: 'heir: refunds',
            hypotheses: [{ statement: 'the bank is opened twice', supporting_nodes: ['server/bank.py'] }],
            visited_nodes: [{ node_external_id: 'server/bank.py', relevance: 0.9, annotation: 'opens' }],
            activation_boosts: { 'server/bank.py': 0.4 },
            open_questions: ['who closes the bank?'],
          },
        ],
      ],
    },
  ],

  run(context, { trail_id, force, max_reactivated_nodes, max_resume_hints }) {
    const { graph, brain, engine } = context
    const trail = trailOf(engine.records, trail_id, context.agent)
    const visited = trail.visited.map((it) => ({ ...it, now: stateByKey(graph, it.node) }))
    const missing = visited.filter((it) => it.now === '').map((it) => it.node)
    const changed = visited.filter((it) => it.now !== '' && it.now !== it.state)
    if (missing.length > MOST_MISSING * visited.length && !force) {
      throw new ToolError(
        'trail_stale',
        `Trail is stale: ${missing.length} of ${visited.length} visited nodes of ${trail.trail_id} are missing.`,
        'Call again with force: true, or start anew with activate.',
        { detail: trail.trail_id, suggestedNextStep: 'trail_resume' },
      )
    }

    const gone = (keys: readonly string[]) => keys.filter((it) => nodeByKey(graph, it) === NONE).length
    const hypotheses = trail.hypotheses.map(({ contradicting_nodes, lost_to, ...it }) => {
      const downgraded = gone(it.supporting_nodes) > MOST_MISSING * it.supporting_nodes.length
      return {
        ...it,
        confidence: downgraded ? it.confidence * DOWNGRADED : it.confidence,
        downgraded,
        ...(contradicting_nodes.length > 0 && { contradicting_nodes }),
        ...(lost_to !== '' && { lost_to }),
      }
    })
    const boosts = trail.boosts.flatMap(([key, share]): [number, number][] => {
      const v = nodeByKey(graph, key)
      return v === NONE || share === 0 ? [] : [[v, Math.min(1, share)]]
    })
    addBoosts(graph, brain.learned, boosts, engine.status().queriesProcessed + 1)

    const stale = missing.length + changed.length > 0
    const mine = take(context, trail, missing.length > MOST_MISSING * visited.length ? 'stale' : 'active')
    const present = visited.filter((it) => it.now !== '').sort((a, b) => b.relevance - a.relevance)
    const reactivated = trail.boosts.map(([key]) => key).filter((it) => nodeByKey(graph, it) !== NONE)
    const focus = present[0]?.node ?? null
    const downgraded = hypotheses.filter((it) => it.downgraded).map((it) => it.statement)
    return {
      trail_id: trail.trail_id,
      label: trail.label,
      ...(mine.trail_id !== trail.trail_id && { copied_to: mine.trail_id }),
      stale,
      generations_behind: Math.max(0, graph.meta.generation - trail.graph_generation),
      missing_nodes: missing,
      stale_nodes: missing.length + changed.length,
      nodes_reactivated: boosts.length,
      hypotheses_downgraded: downgraded,
      hypotheses_downgraded_count: downgraded.length,
      hypotheses_restored: hypotheses.length,
      trail: trailRow(mine),
      hypotheses: hypotheses.map((it) => ({ ...it, confidence: round(it.confidence) })),
      conclusions: trail.conclusions,
      open_questions: trail.open_questions,
      visited_nodes: visited
        .toSorted((a, b) => b.relevance - a.relevance)
        .slice(0, VISITED_SHOWN)
        .map((it) => ({
          node_external_id: it.node,
          relevance: round(it.relevance),
          state: it.now === '' ? ('missing' as const) : it.now === it.state ? ('same' as const) : ('changed' as const),
          ...(it.annotation !== '' && { annotation: it.annotation }),
        })),
      reactivated_node_ids: reactivated.slice(0, max_reactivated_nodes),
      next_focus_node_id: focus,
      next_open_question: trail.open_questions[0] ?? null,
      next_suggested_tool: focus === null ? 'activate' : 'perspective_start',
      resume_hints: hints(graph, trail, { focus, missing, changed: changed.length, downgraded }).slice(
        0,
        max_resume_hints,
      ),
    }
  },

  render({ label, trail, stale, missing_nodes, hypotheses, open_questions, resume_hints }, style) {
    const lines = [`${style.bold(label)}  ${style.dim(trail.trail_id)}${stale ? '  stale' : ''}`]
    for (const it of hypotheses) lines.push(`${it.confidence.toFixed(2)}  ${it.statement}  ${style.dim(it.status)}`)
    for (const it of open_questions) lines.push(`?     ${it}`)
    if (missing_nodes.length > 0) lines.push(`missing: ${missing_nodes.join(', ')}`)
    return [...lines, ...resume_hints.map((it) => style.dim(it))].join('\n')
  },
})

/** The owner's trail changes its status; anybody else goes on with a copy, the same one each time. */
function take({ engine, graph, agent, now }: ToolContext, trail: Trail, status: 'active' | 'stale'): Trail {
  const { records, settings } = engine
  if (trail.agent_id === agent) return changeTrail(records, trail, { status }, now)
  const copy = allTrails(records).find(
    (it) => it.agent_id === agent && it.source_trails.length === 1 && it.source_trails[0] === trail.trail_id,
  )
  if (copy !== undefined) return changeTrail(records, copy, { status }, now)
  const source_trails = [trail.trail_id]
  const own = { ...trail, agent_id: agent, status, source_trails, graph_generation: graph.meta.generation }
  return addTrail(records, own, now, settings)
}

interface Found {
  focus: string | null
  missing: string[]
  changed: number
  downgraded: string[]
}

function hints(graph: Graph, trail: Trail, { focus, missing, changed, downgraded }: Found): string[] {
  const found: string[] = []
  if (trail.open_questions.length > 0) found.push(`Open: ${trail.open_questions[0]}`)
  if (missing.length > 0)
    found.push(`${plural(missing.length, 'visited node')} gone: look for where it moved with seek.`)
  if (changed > 0) found.push(`${plural(changed, 'visited node')} changed since: read again before relying on it.`)
  if (downgraded.length > 0) found.push(`Support is gone for: ${downgraded[0]}`)
  if (focus !== null)
    found.push(`Start at ${labelOf(graph, nodeByKey(graph, focus))}: perspective_start with anchor_node ${focus}.`)
  return found
}
