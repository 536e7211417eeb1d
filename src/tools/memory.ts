/** Activation with what is remembered: boosts given beforehand, priming by earlier questions, verdicts on answers. */

import type { NodeId } from '#graph/graph'
import { currentBoosts, mergeBoosts, priming, verdicts } from '#plasticity/priming'
import { recollect } from '#plasticity/recollect'
import { type Activation, type ActivateOptions, activate } from '#query/activate'
import { gistOf } from '#query/gist'
import type { Seed } from '#query/seeds'
import type { ToolContext } from '#tools/tool'

type Wanted = Pick<ActivateOptions, 'query' | 'topK' | 'dimensions' | 'xlr' | 'ghostEdges' | 'holes'> & {
  /** Whether earlier questions and feedback take part. */
  priming: boolean
  ranking?: ActivateOptions['ranking']
}

/** The answers with memory, and the number of nodes that earlier questions primed. Learns nothing. */
export function activateWithMemory(context: ToolContext, wanted: Wanted): { found: Activation; primed: number } {
  const { graph, brain, engine } = context
  const given = currentBoosts(graph, brain.learned, engine.status().queriesProcessed)
  let nPrimed = 0
  const found = activateWith(context, wanted, (seeds) => {
    const { primed, judged } = wanted.priming ? recalled(context, seeds) : NOTHING_RECALLED
    nPrimed = primed.size
    return mergeBoosts(mergeBoosts(given, primed), judged)
  })
  return { found, primed: nPrimed }
}

interface Recalled {
  primed: ReadonlyMap<NodeId, number>
  judged: ReadonlyMap<NodeId, number>
}

const NOTHING_RECALLED: Recalled = { primed: new Map(), judged: new Map() }

/** What earlier questions and feedback say about answers to a question with these seeds. */
function recalled({ graph, brain, engine }: ToolContext, found: readonly Seed[]): Recalled {
  const { learned } = brain
  if (learned.memory.length === 0 && learned.verdicts.length === 0) return NOTHING_RECALLED
  const seeds = found.map(({ node, relevance }) => ({ node, score: relevance }))
  return {
    primed: priming(graph, learned, seeds, engine.settings),
    judged: verdicts(graph, learned, seeds, engine.settings),
  }
}

/** What was said about answers to questions in like words, by node. */
export function saidBefore({ graph, brain, indexes, engine }: ToolContext, query: string): ReadonlyMap<NodeId, number> {
  if (brain.learned.verdicts.length === 0) return NOTHING_RECALLED.judged
  return recollect(graph, brain.learned, gistOf(indexes.lexical, query), engine.settings)
}

function activateWith(
  context: ToolContext,
  { query, topK, dimensions, xlr, ghostEdges, holes, priming, ranking = 'fused' }: Wanted,
  boosts: ActivateOptions['boosts'],
): Activation {
  const { graph, indexes, now } = context
  const { settings } = context.engine
  return activate(graph, indexes, {
    query,
    topK,
    dimensions,
    xlr: xlr && settings.xlrEnabled,
    gate: settings.xlrGate,
    hubImmunity: settings.xlrHubImmunity,
    ghostEdges,
    holes,
    boosts,
    ...(priming && { remembered: saidBefore(context, query) }),
    ranking,
    nowSeconds: now / 1000,
  })
}
