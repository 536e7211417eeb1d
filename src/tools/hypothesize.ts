import * as z from 'zod'
import { CLAIM_TYPES, type Claim, parseClaim } from '#analysis/claim'
import { completeness } from '#analysis/completeness'
import { type Evidence, type Hypothesis, weigh } from '#analysis/hypothesis'
import { PUBLISHED } from '#analysis/factors'
import type { DirectedPath } from '#analysis/reach'
import { placeOf } from '#analysis/steps'
import { resolveSide, type Side } from '#analysis/sides'
import { type Graph, keyOf, labelOf, type NodeId, NONE } from '#graph/graph'
import { nearestKeys } from '#graph/lookup'
import type { Ghost } from '#query/ghosts'
import { historyReasons } from '#tools/history-reasons'
import { activateWithMemory } from '#tools/memory'
import { shortened } from '#tools/resolve-node'
import { AgentId, Completeness, Freshness, freshness, IncludeGuesses, round, Truncated, truncated } from '#tools/shapes'
import { footnotes, plural } from '#tools/table'
import { defineTool, type ToolContext } from '#tools/tool'
import { DIMENSIONS } from '#query/blend'

const PATHS_SHOWN = 20
/** Rows of the activation in which hidden connections are looked for. */
const ACTIVATED = 50
const LEANS_TRUE = 0.6
const LEANS_FALSE = 0.4

const EvidenceRow = z.looseObject({
  type: z.enum([
    'path_found',
    'no_path',
    'ghost_edge',
    'community_membership',
    'causal_chain',
    'counterfactual_impact',
    'activation_reach',
  ]),
  description: z.string(),
  likelihood_factor: z.number(),
  nodes: z.array(z.string()),
  relations: z.array(z.string()),
  path_weight: z.number().optional(),
})

export default defineTool({
  name: 'hypothesize',
  group: 'analysis',
  effect: 'read',
  summary: 'Test a claim about the code in plain English.',
  details: [
    'As "A depends on B", "A never calls B", "A and B are coupled", "A is a bottleneck": how likely, with evidence.',
    'For all connections use why.',
  ],
  input: z.object({
    agent_id: AgentId,
    claim: z.string().trim().min(1).max(2000).describe('One sentence.'),
    max_hops: z.int().min(1).max(20).default(5).describe('Longest path.'),
    include_ghost_edges: z.boolean().default(true).describe('As weak evidence.'),
    include_partial_flow: z.boolean().default(true).describe('How far the search got.'),
    path_budget: z.int().min(1).max(100_000).default(1000).describe('Paths per pair.'),
    include_guesses: IncludeGuesses,
    containment: z.enum(['parts', 'both']).default('parts').describe('both: a part stands for all.'),
  }),
  output: z.looseObject({
    claim: z.string(),
    claim_type: z.enum(CLAIM_TYPES),
    subject_nodes: z.array(z.string()),
    object_nodes: z.array(z.string()),
    verdict: z.enum(['likely_true', 'likely_false', 'inconclusive']),
    confidence: z.number(),
    leaning: z.enum(['true', 'false', 'none']),
    note: z.string().nullable(),
    supporting_evidence: z.array(EvidenceRow),
    contradicting_evidence: z.array(EvidenceRow),
    evidence: z.array(z.looseObject({ path: z.array(z.string()), hops: z.int() })),
    partial_reach: z.array(
      z.looseObject({
        node_id: z.string(),
        label: z.string(),
        hops_from_source: z.int(),
        activation_at_stop: z.number(),
      }),
    ),
    paths_explored: z.int(),
    completeness: Completeness,
    truncated: Truncated,
    freshness: Freshness,
  }),
  examples: [
    { title: 'A dependency over a helper', input: { agent_id: 'dev', claim: 'checkout.py depends on bank.py' } },
    { title: 'That something is never used', input: { agent_id: 'dev', claim: 'cart.ts never calls refund.py' } },
  ],

  run(context, input) {
    const { graph, indexes, engine } = context
    const claim = parseClaim(input.claim)
    const sides = [claim.subject, claim.object]
      .filter((it) => it !== '')
      .map((it) => resolveSide(graph, indexes.semantic, it))
    const unresolved = sides.find((it) => it.nodes.length === 0)
    const [subject, object] = sides
    if (claim.problem !== '' || unresolved !== undefined || subject === undefined || needsObject(claim, object))
      return unknownSide(context, input.claim, claim, sides, unresolved)

    const found = weigh(
      graph,
      indexes.cochange,
      claim,
      {
        subjects: subject.nodes,
        objects: object?.nodes ?? [],
        likeness: Math.min(subject.likeness, object?.likeness ?? 1),
      },
      {
        factors: PUBLISHED,
        ghosts: input.include_ghost_edges && object !== undefined ? ghostsAround(context, input.claim) : () => [],
        reach: {
          maxHops: claim.direct ? 1 : input.max_hops,
          includeGuesses: input.include_guesses,
          containment: input.containment,
          pathBudget: input.path_budget,
        },
      },
    )
    const ends = [found.subject, ...(found.object === NONE ? [] : [found.object])]
    const shown = found.paths.slice(0, PATHS_SHOWN)
    const fresh = freshness(context, new Set([...ends, ...shown.flatMap((it) => it.nodes)]))
    const confidence = round(found.confidence)
    return {
      claim: input.claim,
      claim_type: claim.type,
      ...(claim.negated && { negated: true }),
      ...(claim.direct && { direct: true }),
      subject_nodes: subject.nodes.map((v) => keyOf(graph, v)),
      object_nodes: (object?.nodes ?? []).map((v) => keyOf(graph, v)),
      verdict: verdictOf(confidence, engine.settings),
      confidence,
      leaning: leaningOf(confidence),
      note: noteOn(graph, found, sides),
      supporting_evidence: rowsOf(
        graph,
        found.evidence.filter((it) => it.factor > 1),
      ),
      contradicting_evidence: rowsOf(
        graph,
        found.evidence.filter((it) => it.factor <= 1),
      ),
      evidence: shown.map((it) => pathRow(graph, it)),
      partial_reach: input.include_partial_flow ? found.partial.map((it) => reachRow(graph, it)) : [],
      paths_explored: found.explored,
      completeness: completeness(graph, {
        nodes: ends,
        asks: 'both',
        skipped: found.skipped,
        stale: fresh.stale_files,
        reasons: [
          ...(claim.type === 'coupling' ? historyReasons(indexes) : []),
          ...reasonsOf(found, sides, claim.direct ? NONE : input.max_hops),
        ],
      }),
      truncated: truncated(shown.length, found.paths.length, 'Ask why for more paths.'),
      freshness: fresh,
    }
  },

  render(output, style) {
    const { verdict, confidence, claim_type, note, supporting_evidence, contradicting_evidence } = output
    const lines = [
      `${style.bold(verdict.replaceAll('_', ' '))} (${Math.round(100 * confidence)} %, read as ${claim_type})`,
      ...(note === null ? [] : [note]),
    ]
    for (const [sign, rows] of [
      ['+', supporting_evidence],
      ['-', contradicting_evidence],
    ] as const) {
      for (const it of rows) lines.push(`${sign} ×${it.likelihood_factor.toFixed(2)}  ${it.description}`)
    }
    if (output.partial_reach.length > 0) {
      const names = output.partial_reach.slice(0, 8).map((it) => it.label)
      lines.push(style.dim(`Reached instead: ${names.join(', ')}`))
    }
    return [...lines, ...footnotes(output, style)].join('\n')
  },
})

function needsObject({ type }: Claim, object: Side | undefined): boolean {
  return object === undefined && !['circular', 'gateway', 'isolated'].includes(type)
}

/** Asked for once, and only if somebody wants to know. */
function ghostsAround(context: ToolContext, claim: string): () => Ghost[] {
  const wanted = {
    query: claim,
    topK: ACTIVATED,
    dimensions: DIMENSIONS,
    xlr: true,
    ghostEdges: true,
    holes: false,
    priming: false,
  }
  let ghosts: Ghost[] | undefined
  return () => (ghosts ??= activateWithMemory(context, wanted).found.ghosts)
}

function verdictOf(
  confidence: number,
  { verdictTrueMin, verdictFalseMax }: { verdictTrueMin: number; verdictFalseMax: number },
): 'likely_true' | 'likely_false' | 'inconclusive' {
  if (confidence >= verdictTrueMin) return 'likely_true'
  return confidence <= verdictFalseMax ? 'likely_false' : 'inconclusive'
}

function leaningOf(confidence: number): 'true' | 'false' | 'none' {
  if (confidence >= LEANS_TRUE) return 'true'
  return confidence <= LEANS_FALSE ? 'false' : 'none'
}

/** The answer when a side names nothing: nothing was tested, and it says which words to change. */
function unknownSide(
  context: ToolContext,
  sentence: string,
  claim: Claim,
  sides: Side[],
  unresolved: Side | undefined,
) {
  const { graph } = context
  const words = unresolved?.text ?? ''
  const nearest = words === '' || claim.problem !== '' ? [] : nearestKeys(graph, words, 3)
  const [named] = sides
  const nothing =
    named === undefined || named.nodes.length === 0
      ? 'The claim names nothing to look for'
      : `The claim says nothing about "${named.text}" that can be tested`
  const isNew = words !== '' && context.engine.isOnDisk(words)
  const missing = isNew
    ? `"${shortened(words)}" is on disk but not in the graph, until ingest reads it`
    : `Nothing in the graph is called "${shortened(words)}"`
  const what = claim.problem || (words === '' ? nothing : missing)
  const hint = nearest.length > 0 ? `; nearest: ${nearest.join(', ')}` : ''
  const nodes = sides.flatMap((it) => it.nodes)
  const fresh = freshness(context, nodes)
  const of = (text: string) => (sides.find((it) => it.text === text)?.nodes ?? []).map((v) => keyOf(graph, v))
  return {
    claim: sentence,
    claim_type: claim.type,
    subject_nodes: of(claim.subject),
    object_nodes: claim.object === '' ? [] : of(claim.object),
    verdict: 'inconclusive' as const,
    confidence: 0.5,
    leaning: 'none' as const,
    note: `${what}${hint}.${claim.problem === '' ? ' Name files or definitions, in backticks if they have spaces.' : ''}`,
    supporting_evidence: [],
    contradicting_evidence: [
      { type: 'no_path' as const, description: `${what}.`, likelihood_factor: 1, nodes: [], relations: [] },
    ],
    evidence: [],
    partial_reach: [],
    paths_explored: 0,
    completeness: completeness(graph, {
      nodes,
      asks: 'both',
      skipped: { guesses: 0, unreachable: 0 },
      stale: fresh.stale_files,
      reasons: ['the claim was not tested'],
    }),
    truncated: null,
    freshness: fresh,
  }
}

function noteOn(graph: Graph, { evidence, subject, object }: Hypothesis, sides: readonly Side[]): string | null {
  const notes = sides
    .map((it, i) => ({ ...it, meant: i === 0 ? subject : object }))
    .filter((it) => it.likeness < 1 || it.matches > 1)
    .map((it) => {
      const meant = it.meant === NONE ? it.nodes[0] : it.meant
      return `"${it.text}" was taken for ${keyOf(graph, meant)}${it.matches > 1 ? `, one of ${it.matches} that fit` : ''}`
    })
  const strongest = evidence.toSorted((a, b) => Math.abs(Math.log(b.factor)) - Math.abs(Math.log(a.factor)))[0]
  if (strongest !== undefined) notes.unshift(strongest.description)
  return notes.length === 0 ? null : `${notes.join('; ')}.`
}

function reasonsOf({ exhausted, hasLonger }: Hypothesis, sides: readonly Side[], maxHops: number): string[] {
  return [
    ...(hasLonger && !exhausted && maxHops !== NONE
      ? [`ways of more than ${plural(maxHops, 'hop')} were not looked at`]
      : []),
    ...(exhausted ? ['the search ended at its budget; raise path_budget'] : []),
    ...sides.filter((it) => it.matches > 1).map((it) => `"${it.text}" names ${plural(it.matches, 'node')}`),
    ...sides.filter((it) => it.likeness < 1).map((it) => `nothing is called "${it.text}"`),
  ]
}

function rowsOf(graph: Graph, evidence: readonly Evidence[]) {
  return evidence.map(({ type, description, factor, nodes, relations, weight }) => ({
    type,
    description,
    likelihood_factor: round(factor),
    nodes: nodes.map((v) => keyOf(graph, v)),
    relations,
    ...(weight !== undefined && { path_weight: round(weight) }),
  }))
}

function pathRow(graph: Graph, { nodes, slots, relations }: DirectedPath) {
  return {
    path: nodes.map((v) => labelOf(graph, v)),
    hops: relations.length,
    relations,
    places: slots.map((slot) => placeOf(graph, slot)),
  }
}

function reachRow(graph: Graph, { node, hops }: { node: NodeId; hops: number }) {
  return {
    node_id: keyOf(graph, node),
    label: labelOf(graph, node),
    hops_from_source: hops,
    activation_at_stop: round(1 / (1 + hops)),
  }
}
