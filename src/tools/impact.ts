import * as z from 'zod'
import { causalChains, type Chain } from '#analysis/chains'
import { completeness, emptyReason } from '#analysis/completeness'
import { type Affected, type ContainmentRule, faintReasons, impact } from '#analysis/impact'
import { namedAt, stepName } from '#analysis/steps'
import { fileOf, type Graph, keyOf, labelOf, type NodeId, NONE, TIERS } from '#graph/graph'
import { currentBoosts } from '#plasticity/priming'
import { nodeOf } from '#tools/resolve-node'
import {
  AgentId,
  Completeness,
  Detail,
  Freshness,
  freshness,
  IncludeGuesses,
  MaxTokens,
  NodeRef,
  NodeRow,
  nodeRow,
  provenance,
  round,
  Truncated,
  topK,
  truncated,
} from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'impact',
  group: 'analysis',
  effect: 'read',
  summary: 'What may break when a node changes.',
  details: [
    'Use before editing; reverse lists what the node relies on.',
    'For what usually changes along use predict, for deletion counterfactual, for one connection why.',
  ],
  input: z.object({
    agent_id: AgentId,
    node_id: NodeRef,
    direction: z.enum(['forward', 'reverse', 'both']).default('forward').describe('forward: dependents.'),
    depth: z.int().min(1).max(5).default(3).describe('Hops.'),
    include_causal_chains: z.boolean().default(true).describe('Strongest chains.'),
    include_guesses: IncludeGuesses,
    containment: z.enum(['parts', 'both']).default('parts').describe('both: to siblings too.'),
    top_k: topK(50),
    detail: Detail,
    max_tokens: MaxTokens,
  }),
  output: z.looseObject({
    source: z.string(),
    source_label: z.string(),
    direction: z.string(),
    total_affected: z.int(),
    files_affected: z.int(),
    total_energy: z.number(),
    max_hops_reached: z.int(),
    blast_radius: z.array(
      NodeRow.extend({
        signal_strength: z.number(),
        hop_distance: z.int(),
        via: z.string(),
        named_at: z.string().optional(),
      }),
    ),
    causal_chains: z.array(
      z.looseObject({ path: z.array(z.string()), relations: z.array(z.string()), cumulative_strength: z.number() }),
    ),
    reason: z.string().nullable(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    { title: 'Who is affected by a change', input: { agent_id: 'dev', node_id: 'payment.py' } },
    { title: 'What a file relies on', input: { agent_id: 'dev', node_id: 'cart.py', direction: 'reverse' } },
  ],

  run(context, input) {
    const { node_id, direction, depth, top_k, detail, include_guesses, containment } = input
    const { graph, brain, engine } = context
    const { node, resolution } = nodeOf(graph, node_id)
    const boosts = currentBoosts(graph, brain.learned, engine.status().queriesProcessed)
    const found = impact(graph, node, { direction, depth, includeGuesses: include_guesses, containment, boosts })
    const shown = found.affected.slice(0, top_k)

    const asks = { forward: 'incoming', reverse: 'outgoing', both: 'both' } as const
    const fresh = freshness(context, [node, ...shown.map((it) => it.node)])
    const { chains, isCut } = chainsOf(graph, node, input)
    const whole = completeness(graph, {
      nodes: [node],
      parts: found.parts,
      asks: asks[direction],
      skipped: found.skipped,
      reasons: [...faintReasons(found), ...(isCut ? ['the search for chains ended at its limit'] : [])],
      stale: fresh.stale_files,
    })
    const what = { forward: 'dependents', reverse: 'dependencies', both: 'dependents or dependencies' }[direction]
    const files = new Set(found.affected.map((it) => fileOf(graph, it.node)))
    files.delete(NONE)

    return {
      source: keyOf(graph, node),
      source_label: labelOf(graph, node),
      ...resolution,
      direction,
      total_affected: found.affected.length,
      files_affected: files.size,
      total_energy: round(found.totalEnergy),
      max_hops_reached: found.maxHops,
      parts_of_source: found.parts.length,
      ...(found.affected.length > 0
        ? { reason: null }
        : emptyReason(graph, [node], what, whole, found.skipped, fresh.stale_files)),
      blast_radius: shown.map((it) => rowOf(graph, it, detail)),
      causal_chains: chains.map(({ nodes, relations, strength }) => ({
        path: nodes.map((v) => labelOf(graph, v)),
        relations,
        cumulative_strength: round(strength),
        ...(detail && { node_ids: nodes.map((v) => keyOf(graph, v)) }),
      })),
      completeness: whole,
      truncated: truncated(shown.length, found.affected.length, 'Raise top_k.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { source_label, direction, total_affected, files_affected, blast_radius, causal_chains, reason } = output
    const verb =
      { forward: 'may be affected by', reverse: 'are what it relies on:', both: 'are connected with' }[direction] ?? ''
    const lines = [
      reason ??
        `${style.bold(plural(total_affected, 'node'))} in ${plural(files_affected, 'file')} ${verb} ${style.bold(source_label)}`,
    ]
    if (blast_radius.length > 0) {
      const rows = blast_radius.map((it) => [
        it.signal_strength.toFixed(3),
        it.hop_distance,
        it.label,
        it.named_at === undefined ? it.via : `${it.via} (string)`,
        it.node_id,
      ])
      lines.push('', table(rows, style))
    }
    if (causal_chains.length > 0) {
      lines.push('', style.bold('Strongest chains'))
      for (const { path, cumulative_strength } of causal_chains)
        lines.push(`${cumulative_strength.toFixed(3)}  ${path.join(' → ')}`)
    }
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

const CHAINS_SHOWN = 10

interface ChainsAsked {
  direction: 'forward' | 'reverse' | 'both'
  include_causal_chains: boolean
  include_guesses: boolean
  containment: ContainmentRule
}

/** The strongest chains in the directions asked for, none unless they are wanted. */
function chainsOf(
  graph: Graph,
  node: NodeId,
  { direction, include_causal_chains, include_guesses, containment }: ChainsAsked,
): { chains: Chain[]; isCut: boolean } {
  const ways = [
    ...(direction === 'reverse' ? [] : (['dependents'] as const)),
    ...(direction === 'forward' ? [] : (['dependencies'] as const)),
  ]
  const found = (include_causal_chains ? ways : []).map((it) =>
    causalChains(graph, node, { direction: it, includeGuesses: include_guesses, containment }),
  )
  const chains = found.flatMap((it) => it.chains).sort((a, b) => b.strength - a.strength)
  return { chains: chains.slice(0, CHAINS_SHOWN), isCut: found.some((it) => it.exhausted) }
}

function rowOf(graph: Graph, { node, signal, hops, from, slot, along }: Affected, detail: boolean) {
  return {
    ...nodeRow(graph, node),
    signal_strength: round(signal),
    hop_distance: hops,
    via: stepName(graph, slot, along),
    ...namedAt(graph, slot),
    ...(detail && {
      via_node: keyOf(graph, from),
      line: graph.lines[slot],
      confidence: TIERS[graph.tiers[slot]],
      provenance: provenance(graph, node),
    }),
  }
}
