import * as z from 'zod'
import { componentsOf } from '#analysis/components'
import { type Resonance, resonance } from '#analysis/resonance'
import { DIRECTORY, type Graph, keyOf, labelOf, type NodeId } from '#graph/graph'
import { findSeedsSemantic, type Seed } from '#query/seeds'
import { nodeOf } from '#tools/resolve-node'
import { AgentId, Freshness, freshness, NodeRef, round, TopK, Truncated, truncated } from '#tools/shapes'
import { footnotes, plural, table } from '#tools/table'
import { defineTool } from '#tools/tool'

/** Matches of the words that send a pulse. */
const SEEDS = 10
const GLOBAL_SEEDS = 5
const ANTINODES_SHOWN = 5
const SETS_SHOWN = 10
/** Components that are probed, largest first. */
const PROBED = 20

const MIN_AMPLITUDE = 0.01

const Antinode = z.object({ node_id: z.string(), amplitude: z.number() })

export default defineTool({
  name: 'resonate',
  group: 'query',
  effect: 'read',
  summary: 'What swings together: standing waves from a topic or node.',
  details: ['Pairs that belong together without an edge; by default around central nodes.', 'To find code use seek.'],
  input: z.object({
    agent_id: AgentId,
    query: z.string().trim().min(1).optional().describe('Topic.'),
    node_id: NodeRef.optional().describe('Wins over query.'),
    top_k: TopK,
    frequencies: z.array(z.number().positive().max(1000)).max(100).default([]).describe('Instead of the sweep.'),
    num_harmonics: z.int().min(1).max(20).default(5).describe('Harmonics.'),
    min_amplitude: z.number().min(0.0001).max(0.5).default(MIN_AMPLITUDE).describe('Lower reaches farther.'),
    probe_disconnected: z.boolean().default(false).describe('Other components too.'),
  }),
  output: z.looseObject({
    seed: z.string(),
    harmonics: z.array(
      z.looseObject({ node_id: z.string(), label: z.string(), amplitude: z.number(), harmonic_order: z.int() }),
    ),
    sympathetic_pairs: z.array(
      z.looseObject({
        a: z.string(),
        b: z.string(),
        node_a: z.string(),
        node_b: z.string(),
        coupling: z.number(),
      }),
    ),
    sympathetic_nodes: z.array(z.looseObject({ node_id: z.string(), label: z.string(), amplitude: z.number() })),
    resonant_frequencies: z.array(z.object({ frequency: z.number(), total_energy: z.number() })),
    wave_pattern: z.looseObject({
      total_energy: z.number(),
      pulses_processed: z.int(),
      antinode_count: z.int(),
      wave_node_count: z.int(),
      budget_hit: z.boolean(),
    }),
    harmonic_groups: z.array(
      z.looseObject({
        harmonic: z.int(),
        frequency: z.number(),
        total_energy: z.number(),
        antinode_count: z.int(),
        antinodes: z.array(Antinode),
      }),
    ),
    antinode_sets: z.array(z.object({ harmonics: z.array(z.int()), count: z.int(), nodes: z.array(z.string()) })),
    unchecked_components: z.object({ count: z.int(), nodes: z.int() }),
    reason: z.string().nullable(),
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    { title: 'What swings with payment', input: { agent_id: 'dev', query: 'payment', top_k: 8 } },
    { title: 'Of the whole project', input: { agent_id: 'dev', top_k: 5 } },
  ],

  run(context, { query, node_id, top_k, frequencies, num_harmonics, min_amplitude, probe_disconnected }) {
    const { graph, indexes } = context
    const start = startOf(context, query, node_id, () => findSeedsSemantic(graph, indexes.semantic, query ?? '', SEEDS))
    const others = start.seeds.length === 0 ? [] : unreached(graph, start.seeds)
    const probes = probe_disconnected ? others.slice(0, PROBED) : []
    const seeds = [...start.seeds, ...probes.map((it) => ({ node: it.top, relevance: 1 }))]
    const found = resonance(graph, seeds, {
      nHarmonics: num_harmonics,
      frequencies,
      minAmplitude: min_amplitude,
    })
    const { antinodes, harmonics, waves } = found
    const strongest = antinodes[0]?.amplitude ?? 1
    const shown = antinodes.slice(0, top_k)
    const left = others.slice(probes.length)
    return {
      seed: start.name,
      ...start.resolution,
      seeds: start.seeds.map(({ node, relevance }) => ({ node_id: keyOf(graph, node), relevance: round(relevance) })),
      harmonics: shown.map(({ node, amplitude, order }) => ({
        node_id: keyOf(graph, node),
        label: labelOf(graph, node),
        amplitude: round(amplitude / strongest),
        harmonic_order: order,
      })),
      sympathetic_pairs: found.pairs.map(({ a, b, coupling }) => ({
        a: labelOf(graph, a),
        b: labelOf(graph, b),
        node_a: keyOf(graph, a),
        node_b: keyOf(graph, b),
        coupling: round(coupling),
      })),
      sympathetic_nodes: found.sympathetic.slice(0, top_k).map(({ node, amplitude }) => ({
        node_id: keyOf(graph, node),
        label: labelOf(graph, node),
        amplitude: round(amplitude / strongest),
      })),
      resonant_frequencies: found.resonant.map((it) => ({
        frequency: round(it.frequency),
        total_energy: round(it.energy),
      })),
      wave_pattern: {
        total_energy: round(harmonics[0].energy),
        pulses_processed: waves.pulses,
        antinode_count: antinodes.length,
        wave_node_count: found.quiet,
        budget_hit: waves.exhausted,
      },
      harmonic_groups: harmonics.map((it) => groupOf(graph, found, it, min_amplitude)),
      antinode_sets: setsOf(graph, found, min_amplitude),
      unchecked_components: { count: left.length, nodes: left.reduce((sum, it) => sum + it.size, 0) },
      reason: start.seeds.length > 0 ? null : `No name or tag in the graph matches "${query}", so nothing swings.`,
      truncated: truncated(shown.length, antinodes.length, 'Raise top_k.'),
      freshness: freshness(
        context,
        [...seeds, ...shown].map((it) => it.node),
      ),
    }
  },

  render(output, style) {
    const { seed, harmonics, sympathetic_pairs, resonant_frequencies, wave_pattern, reason } = output
    if (reason !== null) return reason
    const peak = resonant_frequencies[0]
    const lines = [
      `${style.bold(plural(wave_pattern.antinode_count, 'node'))} swing with ${style.bold(seed)}` +
        (peak === undefined ? '' : `, most at frequency ${peak.frequency.toFixed(2)}`),
      '',
      table(
        harmonics.map((it) => [it.amplitude.toFixed(3), it.harmonic_order, it.label, it.node_id]),
        style,
      ),
    ]
    if (sympathetic_pairs.length > 0) lines.push('', style.bold('Together without an edge'))
    for (const it of sympathetic_pairs) lines.push(`${it.coupling.toFixed(3)}  ${it.a} ~ ${it.b}`)
    if (wave_pattern.budget_hit) lines.push(style.dim('The budget of pulses ended the waves.'))
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

interface Start {
  name: string
  seeds: Seed[]
  resolution: object
}

function startOf(
  { graph }: { graph: Graph },
  query: string | undefined,
  ref: string | undefined,
  matching: () => Seed[],
): Start {
  if (ref !== undefined) {
    const { node, resolution } = nodeOf(graph, ref)
    return { name: keyOf(graph, node), seeds: [{ node, relevance: 1 }], resolution }
  }
  if (query !== undefined) return { name: query, seeds: matching(), resolution: {} }
  const central: NodeId[] = []
  for (let v = 0; v < graph.nNodes; v++) if (graph.dead[v] === 0 && graph.types[v] !== DIRECTORY) central.push(v)
  central.sort((a, b) => graph.pagerank[b] - graph.pagerank[a] || a - b)
  return {
    name: 'global',
    seeds: central.slice(0, GLOBAL_SEEDS).map((node) => ({ node, relevance: 1 })),
    resolution: {},
  }
}

/** Components without a seed, largest first. */
function unreached(graph: Graph, seeds: readonly Seed[]): { size: number; top: NodeId }[] {
  const { of, sizes, tops } = componentsOf(graph)
  const reached = new Set(seeds.map((it) => of[it.node]))
  return sizes
    .map((size, i) => ({ size, top: tops[i], isReached: reached.has(i) }))
    .filter((it) => !it.isReached)
    .sort((a, b) => b.size - a.size || a.top - b.top)
}

function groupOf(
  graph: Graph,
  { antinodes }: Resonance,
  { order, energy, amplitudes }: Resonance['harmonics'][number],
  faintest: number,
) {
  const own = antinodes
    .map(({ node, row }) => ({ node, amplitude: amplitudes[row] }))
    .filter((it) => it.amplitude > faintest)
    .sort((a, b) => b.amplitude - a.amplitude || a.node - b.node)
  return {
    harmonic: order,
    frequency: order,
    total_energy: round(energy),
    antinode_count: own.length,
    antinodes: own
      .slice(0, ANTINODES_SHOWN)
      .map((it) => ({ node_id: keyOf(graph, it.node), amplitude: round(it.amplitude) })),
  }
}

/** Nodes by the harmonics at which they are antinodes; those of one set move alike. */
function setsOf(graph: Graph, { antinodes, harmonics }: Resonance, faintest: number) {
  const sets = new Map<string, { harmonics: number[]; nodes: NodeId[] }>()
  for (const { node, row } of antinodes) {
    const own = harmonics.filter((it) => it.amplitudes[row] > faintest).map((it) => it.order)
    const set = sets.get(own.join()) ?? { harmonics: own, nodes: [] }
    sets.set(own.join(), set)
    set.nodes.push(node)
  }
  return [...sets.values()]
    .sort((a, b) => b.harmonics.length - a.harmonics.length || b.nodes.length - a.nodes.length)
    .slice(0, SETS_SHOWN)
    .map((it) => ({
      harmonics: it.harmonics,
      count: it.nodes.length,
      nodes: it.nodes.slice(0, ANTINODES_SHOWN).map((v) => keyOf(graph, v)),
    }))
}
