import * as z from 'zod'
import { type Claim, compareClaims, connectionsOf } from '#analysis/trails'
import { addTrail, changeTrail, type Hypothesis, type Trail, trailOf, type Visited } from '#engine/trails'
import { AgentId, round } from '#tools/shapes'
import { plural } from '#tools/table'
import { summarize } from '#tools/trail-parts'
import { defineTool, ToolError } from '#tools/tool'

const DAY_MS = 86_400_000

export default defineTool({
  name: 'trail_merge',
  group: 'memory',
  effect: 'keep',
  countsAsQuery: false,
  summary: 'Put investigations together: shared nodes, contradictions, links between them.',
  details: ['The sources stay, marked as merged. Find trails with trail_list.'],
  input: z.object({
    agent_id: AgentId,
    trail_ids: z.array(z.string().min(1).max(300)).max(50).describe('Two or more.'),
    label: z.string().trim().max(200).default('').describe('Of the new one.'),
  }),
  output: z.looseObject({
    merged_trail_id: z.string(),
    label: z.string(),
    source_trails: z.array(z.string()),
    nodes_merged: z.int(),
    total_nodes: z.int(),
    shared_nodes: z.int(),
    hypotheses_merged: z.int(),
    conflict_count: z.int(),
    conflicts: z.array(
      z.looseObject({
        hypothesis_a: z.string(),
        hypothesis_b: z.string(),
        resolution: z.enum(['resolved', 'unresolved']),
        score_delta: z.number(),
        node: z.string(),
        trail_a_hypothesis: z.string(),
        trail_b_hypothesis: z.string(),
      }),
    ),
    connections_discovered: z.array(z.looseObject({ type: z.string(), detail: z.string() })),
    note: z.string(),
  }),
  examples: [
    {
      title: 'Two opinions about the bank',
      input: { agent_id: 'lead', trail_ids: ['lead: shared', 'lead: own'] },
      after: [
        ['trail_save', bank('lead: shared', 'the bank is shared', 0.9)],
        ['trail_save', bank('lead: own', 'the bank is opened per refund', 0.4)],
      ],
    },
  ],

  run({ graph, engine, agent, now }, { trail_ids, label }) {
    const { records, settings } = engine
    const sources = [
      ...new Map(trail_ids.map((ref) => trailOf(records, ref, agent)).map((it) => [it.trail_id, it])).values(),
    ]
    if (sources.length < 2) {
      const message = `Invalid params for trail_merge: trail_ids names ${plural(sources.length, 'different trail')}, at least 2 are needed`
      throw new ToolError('invalid_params', message, 'trail_list shows the trails that there are.', {
        detail: 'trail_ids',
      })
    }

    const hypotheses = sources.flatMap((it) => it.hypotheses)
    const claims = sources.flatMap((it, trail) => claimsOf(it, trail, now))
    const { conflicts, agreements } = compareClaims(claims)
    const merged = mergeHypotheses(hypotheses, conflicts, agreements)
    const visited = mergeVisited(sources)
    const boosts = new Map<string, number>()
    for (const it of sources)
      for (const [key, share] of it.boosts) boosts.set(key, Math.max(share, boosts.get(key) ?? 0))
    const connections = connectionsOf(
      graph,
      sources.map((it) => ({
        visited: it.visited.map(({ node }) => node),
        supporting: it.hypotheses.flatMap(({ supporting_nodes }) => supporting_nodes),
      })),
    )
    const name = label || `Merged: ${sources.map((it) => it.label).join(' + ')}`.slice(0, 200)
    const conclusions = sources.flatMap((it) => it.conclusions)
    const trail = addTrail(
      records,
      {
        agent_id: agent,
        label: name,
        status: 'saved',
        visited,
        hypotheses: merged,
        conclusions,
        open_questions: [...new Set(sources.flatMap((it) => it.open_questions))],
        tags: [...new Set(sources.flatMap((it) => it.tags))],
        summary: summarize(name, visited.length, merged.length, conclusions.length),
        boosts: [...boosts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
        graph_generation: Math.min(...sources.map((it) => it.graph_generation)),
        source_trails: sources.map((it) => it.trail_id),
      },
      now,
      settings,
    )
    const again = sources.filter((it) => it.status === 'merged').map((it) => it.trail_id)
    for (const it of sources) changeTrail(records, it, { status: 'merged' }, now)

    return {
      merged_trail_id: trail.trail_id,
      label: name,
      source_trails: trail.source_trails,
      nodes_merged: visited.length,
      total_nodes: visited.length,
      shared_nodes: connections.filter((it) => it.type === 'shared_node').length,
      hypotheses_merged: merged.length,
      hypotheses_combined: hypotheses.length - merged.length,
      conflict_count: conflicts.length,
      conflicts: conflicts.map(({ a, b, delta, winner, node }) => ({
        hypothesis_a: claims[a].statement,
        hypothesis_b: claims[b].statement,
        resolution: winner === null ? ('unresolved' as const) : ('resolved' as const),
        ...(winner !== null && { winner: claims[winner].statement }),
        score_delta: round(Math.abs(delta)),
        node,
        trail_a_hypothesis: claims[a].statement,
        trail_b_hypothesis: claims[b].statement,
      })),
      connections_discovered: connections.map(({ type, detail, from, to, weight }) => ({
        type,
        detail,
        from_node: from,
        ...(to !== '' && { to_node: to }),
        weight: round(weight),
      })),
      note: again.length > 0 ? `Merged once before: ${again.join(', ')}.` : '',
    }
  },

  render({ merged_trail_id, label, nodes_merged, shared_nodes, conflicts, connections_discovered, note }, style) {
    const lines = [
      `${style.bold(merged_trail_id)}  ${label}`,
      `${plural(nodes_merged, 'node')}, ${shared_nodes} of them shared`,
    ]
    for (const it of conflicts)
      lines.push(`conflict, ${it.resolution}: ${it.hypothesis_a} / ${it.hypothesis_b} (${it.score_delta.toFixed(2)})`)
    for (const it of connections_discovered) lines.push(style.dim(it.detail))
    return [...lines, ...(note ? [note] : [])].join('\n')
  },
})

function bank(label: string, statement: string, confidence: number) {
  const supporting_nodes = ['server/bank.py']
  return {
    label,
    hypotheses: [{ statement, confidence, supporting_nodes }],
    visited_nodes: [{ node_external_id: 'server/bank.py', relevance: confidence }],
  }
}

/** The age of a hypothesis is that of the trail it was written down in. */
function claimsOf({ hypotheses, created_at_ms }: Trail, trail: number, now: number): Claim[] {
  return hypotheses.map(({ statement, confidence, supporting_nodes }) => ({
    statement,
    confidence,
    supporting: supporting_nodes,
    trail,
    ageDays: (now - created_at_ms) / DAY_MS,
  }))
}

/** Those that agree become one with the larger confidence and all support; those that lost say to what. */
function mergeHypotheses(
  all: readonly Hypothesis[],
  conflicts: readonly { a: number; b: number; winner: number | null }[],
  agreements: readonly { a: number; b: number }[],
): Hypothesis[] {
  const merged = all.map((it) => ({ ...it }))
  const repeated = new Set<number>()
  for (const { a, b } of agreements) {
    if (repeated.has(a)) continue
    repeated.add(b)
    const union = (x: readonly string[], y: readonly string[]) => [...new Set([...x, ...y])]
    merged[a] = {
      ...merged[a],
      confidence: Math.max(merged[a].confidence, all[b].confidence),
      supporting_nodes: union(merged[a].supporting_nodes, all[b].supporting_nodes),
      contradicting_nodes: union(merged[a].contradicting_nodes, all[b].contradicting_nodes),
    }
  }
  for (const { a, b, winner } of conflicts) {
    if (winner === null) continue
    const loser = winner === a ? b : a
    merged[loser].lost_to = all[winner].statement
  }
  return merged.filter((_, i) => !repeated.has(i))
}

/** Every node once, as the trail has it in which it is most relevant. */
function mergeVisited(sources: readonly Trail[]): Visited[] {
  const nodes = new Map<string, Visited>()
  for (const { visited } of sources) {
    for (const it of visited) if (it.relevance > (nodes.get(it.node)?.relevance ?? -1)) nodes.set(it.node, it)
  }
  return [...nodes.values()]
}
