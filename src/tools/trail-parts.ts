/** What the tools for trails share. */

import * as z from 'zod'
import { stateOf } from '#analysis/node-state'
import type { Trail } from '#engine/trails'
import { type Graph, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'
import { plural } from '#tools/table'

export const TrailRow = z.looseObject({
  trail_id: z.string(),
  agent_id: z.string(),
  label: z.string(),
  status: z.string(),
  created_at_ms: z.number(),
  last_modified_ms: z.number(),
  node_count: z.int(),
  hypothesis_count: z.int(),
  conclusion_count: z.int(),
  open_question_count: z.int(),
  tags: z.array(z.string()),
  summary: z.string(),
})

export function trailRow(trail: Trail): z.input<typeof TrailRow> {
  const { trail_id, agent_id, label, status, created_at_ms, last_modified_ms, tags, summary } = trail
  return {
    trail_id,
    agent_id,
    label,
    status,
    created_at_ms,
    last_modified_ms,
    node_count: trail.visited.length,
    hypothesis_count: trail.hypotheses.length,
    conclusion_count: trail.conclusions.length,
    open_question_count: trail.open_questions.length,
    tags,
    summary,
  }
}

/** The state of a node as it is noted in a trail, '' when there is none of that id. */
export function stateByKey(graph: Graph, key: string): string {
  const v = nodeByKey(graph, key)
  return v === NONE ? '' : stateOf(graph, v)
}

/** One line that says what a trail holds. */
export function summarize(label: string, nodes: number, hypotheses: number, conclusions: number): string {
  const claims = hypotheses === 1 ? '1 hypothesis' : `${hypotheses} hypotheses`
  return `${label}: ${plural(nodes, 'node')}, ${claims}, ${plural(conclusions, 'conclusion')}`
}
