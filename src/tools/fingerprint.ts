import * as z from 'zod'
import { type Equivalent, lookAlikePairs, lookAlikes, type Probe, probesFor, respond } from '#analysis/fingerprint'
import { type Graph, keyOf, labelOf } from '#graph/graph'
import { findSeedsSemantic } from '#query/seeds'
import { nodeOf } from '#tools/resolve-node'
import { AgentId, Freshness, freshness, NodeRef, round, TopK, Truncated, truncated } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool, type ToolContext } from '#tools/tool'

const PAIRS_SHOWN = 20
/** Nodes that one probe text starts from. */
const SEEDS = 10

export default defineTool({
  name: 'fingerprint',
  group: 'analysis',
  effect: 'read',
  summary: 'Which nodes look like a given one: same place, same role.',
  details: ['By structure, not by name; without target_node the most alike pairs.', 'For a purpose use seek.'],
  input: z.object({
    agent_id: AgentId,
    target_node: NodeRef.optional().describe('Node; none: all pairs.'),
    similarity_threshold: z.number().min(0).max(1).default(0.85).describe('Least similarity.'),
    probe_queries: z.array(z.string().trim().min(1).max(2000)).max(16).default([]).describe('Probe texts.'),
    top_k: TopK,
  }),
  output: z.looseObject({
    target: z.string().nullable(),
    fingerprint: z.array(z.number()),
    probes: z.array(z.looseObject({ probe: z.string(), matched: z.int() })),
    equivalents: z.array(
      z.looseObject({
        node_id: z.string(),
        label: z.string(),
        similarity: z.number(),
        cosine_similarity: z.number(),
        directly_connected: z.boolean(),
        reason: z.string(),
      }),
    ),
    total_equivalents: z.int(),
    equivalent_pairs: z.array(
      z.looseObject({
        node_a: z.string(),
        node_b: z.string(),
        similarity: z.number(),
        directly_connected: z.boolean(),
      }),
    ),
    total_pairs: z.int(),
    pairs_compared: z.int(),
    comparisons_limited: z.boolean(),
    reason: z.string().nullable(),
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    {
      title: 'What is built like refund',
      input: { agent_id: 'dev', target_node: 'refund.py', similarity_threshold: 0.7 },
    },
    { title: 'The most alike pairs', input: { agent_id: 'dev' } },
  ],

  run(context, { target_node, similarity_threshold, probe_queries, top_k }) {
    const { graph } = context
    const target = target_node === undefined ? null : nodeOf(graph, target_node)
    const { probes, shown } = probesOf(context, target?.node ?? null, probe_queries)
    const responses = respond(graph, probes)
    const common = { probes: shown }

    if (target === null) {
      const { pairs, total, compared, limited } = lookAlikePairs(graph, responses, similarity_threshold)
      const rows = pairs.slice(0, PAIRS_SHOWN)
      return {
        ...common,
        target: null,
        fingerprint: [],
        equivalents: [],
        total_equivalents: 0,
        equivalent_pairs: rows.map((it) => ({
          node_a: keyOf(graph, it.a),
          node_b: keyOf(graph, it.b),
          similarity: round(it.similarity),
          directly_connected: it.connected,
        })),
        total_pairs: total,
        pairs_compared: compared,
        comparisons_limited: limited,
        reason: total > 0 ? null : emptyReason(compared, similarity_threshold, shown),
        truncated: truncated(rows.length, total, 'Raise similarity_threshold, or name a target_node.'),
        freshness: freshness(
          context,
          rows.flatMap((it) => [it.a, it.b]),
        ),
      }
    }

    const { node, resolution } = target
    const { equivalents, compared, limited } = lookAlikes(graph, node, responses, similarity_threshold)
    const rows = equivalents.slice(0, top_k)
    return {
      ...common,
      target: keyOf(graph, node),
      ...resolution,
      fingerprint: responses.map((it) => round(Math.min(1, it[node]))),
      equivalents: rows.map((it) => rowOf(graph, it)),
      total_equivalents: equivalents.length,
      equivalent_pairs: [],
      total_pairs: 0,
      pairs_compared: compared,
      comparisons_limited: limited,
      reason: equivalents.length > 0 ? null : emptyReason(compared, similarity_threshold, shown),
      truncated: truncated(rows.length, equivalents.length, 'Raise top_k.'),
      freshness: freshness(context, [node, ...rows.map((it) => it.node)]),
    }
  },

  render(output, style) {
    const { target, equivalents, equivalent_pairs, total_equivalents, total_pairs, reason } = output
    if (reason !== null) return reason
    const [head, rows] =
      target === null
        ? [
            style.bold(`${plural(total_pairs, 'pair')} alike`),
            equivalent_pairs.map((it) => [it.similarity.toFixed(3), it.node_a, it.node_b]),
          ]
        : [
            `${style.bold(plural(total_equivalents, 'node'))} like ${style.bold(target)}`,
            equivalents.map((it) => [it.similarity.toFixed(3), it.label, it.reason, it.node_id]),
          ]
    return [head, '', table(rows, style), ...footnotes(output, style)].join('\n')
  },
})

function probesOf(
  { graph, indexes }: ToolContext,
  target: number | null,
  queries: readonly string[],
): { probes: Probe[]; shown: { probe: string; matched: number }[] } {
  if (queries.length === 0) {
    const nodes = probesFor(graph, target)
    return {
      probes: nodes.map((node) => [{ node, relevance: 1 }]),
      shown: nodes.map((v) => ({ probe: keyOf(graph, v), matched: 1 })),
    }
  }
  const probes = queries.map((it) => findSeedsSemantic(graph, indexes.semantic, it, SEEDS))
  return { probes, shown: queries.map((probe, i) => ({ probe, matched: probes[i].length })) }
}

function rowOf(graph: Graph, { node, similarity, sharedNeighbours, connected }: Equivalent) {
  return {
    node_id: keyOf(graph, node),
    label: labelOf(graph, node),
    similarity: round(similarity),
    cosine_similarity: round(similarity),
    directly_connected: connected,
    reason: sharedNeighbours > 0 ? plural(sharedNeighbours, 'shared neighbour') : 'same structural role',
  }
}

function emptyReason(
  compared: number,
  threshold: number,
  probes: readonly { probe: string; matched: number }[],
): string {
  const unmatched = probes.filter((it) => it.matched === 0).map((it) => `"${it.probe}"`)
  const silent = unmatched.length > 0 ? ` Nothing matches the probe ${unmatched.join(', ')}.` : ''
  if (compared > 0) return `None of the ${compared} that were compared is as alike as ${threshold}.${silent}`
  return unmatched.length === probes.length && silent !== ''
    ? `${silent.trim()} So no node answers, and none could be compared.`
    : `There is nothing of the same kind to compare with.${silent}`
}
