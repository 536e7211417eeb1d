import * as z from 'zod'
import { communitiesOf } from '#analysis/communities'
import { completeness } from '#analysis/completeness'
import { commonDependents, type Connection, firstPaths, type Path, why } from '#analysis/why'
import { namedAt } from '#analysis/steps'
import { type Graph, keyOf, labelOf, type NodeId, TIERS } from '#graph/graph'
import { currentBoosts } from '#plasticity/priming'
import { nodeOf } from '#tools/resolve-node'
import {
  AgentId,
  Completeness,
  Detail,
  Freshness,
  freshness,
  IncludeGuesses,
  NodeRef,
  round,
  Truncated,
  truncated,
} from '#tools/shapes'
import { footnotes, plural } from '#tools/table'
import { defineTool } from '#tools/tool'

export default defineTool({
  name: 'why',
  group: 'memory',
  effect: 'read',
  summary: 'How two nodes are connected: all paths, strongest first.',
  details: [
    'Tells which depends on the other, if either; what changed together is shown and proves nothing.',
    'For everything around one node use impact.',
  ],
  input: z.object({
    agent_id: AgentId,
    source: NodeRef,
    target: NodeRef,
    max_hops: z.int().min(1).max(20).default(6).describe('Longest path.'),
    include_guesses: IncludeGuesses,
    top_k: z.int().min(1).max(50).default(10).describe('Paths.'),
    detail: Detail,
  }),
  output: z.looseObject({
    source: z.string(),
    target: z.string(),
    found: z.boolean(),
    dependence: z.enum(['source_on_target', 'target_on_source', 'both', 'none']),
    total_paths_found: z.int(),
    paths: z.array(
      z.looseObject({
        nodes: z.array(z.string()),
        node_ids: z.array(z.string()),
        relations: z.array(z.string()),
        cumulative_strength: z.number(),
        hops: z.int(),
        proof: z.boolean(),
        dependence: z.string(),
        named_at: z.array(z.string()).optional(),
      }),
    ),
    same_community: z.boolean(),
    common_dependents: z.array(z.looseObject({ node_id: z.string(), label: z.string(), hops: z.array(z.int()) })),
    search_limited: z.boolean(),
    reason: z.string().nullable(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    {
      title: 'How checkout is connected with the bank',
      input: { agent_id: 'dev', source: 'checkout.py', target: 'bank.py' },
    },
  ],

  run(context, input) {
    const { graph, brain, engine } = context
    const { max_hops, include_guesses, top_k, detail } = input
    const source = nodeOf(graph, input.source)
    const target = nodeOf(graph, input.target)
    const options = {
      maxHops: max_hops,
      includeGuesses: include_guesses,
      boosts: currentBoosts(graph, brain.learned, engine.status().queriesProcessed),
    }
    const found = why(graph, source.node, target.node, options)
    const { paths, total, exhausted, skipped } = found
    const shown = firstPaths(paths, top_k)
    const ends = [source.node, target.node]
    const isFound = total > 0
    const { of } = communitiesOf(graph)
    const fresh = freshness(context, new Set([...ends, ...shown.flatMap((it) => it.nodes)]))
    const common = isFound ? [] : commonDependents(graph, source.node, target.node, include_guesses)

    return {
      source: keyOf(graph, source.node),
      target: keyOf(graph, target.node),
      ...(source.resolution.resolved_from && { source_resolution: source.resolution }),
      ...(target.resolution.resolved_from && { target_resolution: target.resolution }),
      found: isFound,
      dependence: overall(paths),
      total_paths_found: total,
      paths: shown.map((it) => rowOf(graph, it, detail)),
      same_community: of[source.node] === of[target.node],
      common_dependents: common.map(({ node, hops }) => ({
        node_id: keyOf(graph, node),
        label: labelOf(graph, node),
        hops,
      })),
      search_limited: exhausted,
      reason: isFound
        ? null
        : reasonFor(
            graph,
            ends,
            found,
            () => why(graph, source.node, target.node, { ...options, includeGuesses: true }),
            max_hops,
          ),
      completeness: completeness(graph, {
        nodes: ends,
        asks: 'both',
        skipped,
        stale: fresh.stale_files,
        reasons: exhausted ? ['the search ended at its limit; weaker paths may be missing'] : [],
      }),
      truncated: truncated(shown.length, total, top_k < 50 ? 'Raise top_k, at most 50.' : 'Lower max_hops.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { paths, total_paths_found, dependence, reason, common_dependents, same_community } = output
    const from = style.bold(paths[0]?.nodes[0] ?? output.source)
    const to = style.bold(paths[0]?.nodes.at(-1) ?? output.target)
    const verdict = {
      source_on_target: `${from} depends on ${to}`,
      target_on_source: `${to} depends on ${from}`,
      both: `${from} and ${to} depend on each other`,
      none: `${from} and ${to} are related, without proof that one depends on the other`,
    }[dependence]
    const lines = [
      reason ??
        `${verdict} (${plural(total_paths_found, 'path')}, ${same_community ? 'same community' : 'different communities'})`,
    ]
    if (paths.length > 0) lines.push('')
    for (const { nodes, node_ids, relations, cumulative_strength, proof, named_at = [] } of paths) {
      const steps = nodes
        .map((it, i) => (nodes.indexOf(it) === nodes.lastIndexOf(it) ? it : node_ids[i].replace(/^(?:file|dir)::/, '')))
        .map((label, i) => (i === 0 ? label : `${style.dim(`—${relations[i - 1]}→`)} ${label}`))
        .join(' ')
      lines.push(
        `${cumulative_strength.toFixed(3)}  ${steps}${proof ? '' : style.dim('  (no proof)')}${named_at.length > 0 ? style.dim(`  (string at ${named_at.join(', ')})`) : ''}`,
      )
    }
    for (const it of common_dependents) lines.push(`${it.label} depends on both`)
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

function rowOf(graph: Graph, { nodes, relations, slots, strength, proof, dependence }: Path, detail: boolean) {
  const named = slots.flatMap((e) => namedAt(graph, e).named_at ?? [])
  return {
    nodes: nodes.map((v) => labelOf(graph, v)),
    node_ids: nodes.map((v) => keyOf(graph, v)),
    relations,
    cumulative_strength: round(strength),
    hops: nodes.length - 1,
    proof,
    dependence,
    ...(named.length > 0 && { named_at: named }),
    ...(detail && { confidence: slots.map((e) => TIERS[graph.tiers[e]]), lines: slots.map((e) => graph.lines[e]) }),
  }
}

function overall(paths: readonly Path[]): 'source_on_target' | 'target_on_source' | 'both' | 'none' {
  const has = (dependence: Path['dependence']) => paths.some((it) => it.dependence === dependence)
  if (has('source_on_target')) return has('target_on_source') ? 'both' : 'source_on_target'
  return has('target_on_source') ? 'target_on_source' : 'none'
}

function reasonFor(
  graph: Graph,
  [source, target]: NodeId[],
  { skipped }: Connection,
  withGuesses: () => Connection,
  maxHops: number,
): string {
  const pair = `${labelOf(graph, source)} and ${labelOf(graph, target)}`
  if (skipped.guesses > 0 && withGuesses().total > 0)
    return `Only guessed edges connect ${pair}; include_guesses shows them.`
  return `Both are indexed, and no path of at most ${plural(maxHops, 'hop')} connects ${pair}.`
}
