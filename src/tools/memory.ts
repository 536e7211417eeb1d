/** Activation with what is remembered: boosts given beforehand, priming by earlier questions, verdicts on answers. */

import type { NodeId } from '#graph/graph'
import { currentBoosts, mergeBoosts, priming, verdicts } from '#plasticity/priming'
import { type Activation, type ActivateOptions, activate } from '#query/activate'
import { findSeedsSemantic } from '#query/seeds'
import type { ToolContext } from '#tools/tool'

type Wanted = Pick<ActivateOptions, 'query' | 'topK' | 'dimensions' | 'xlr' | 'ghostEdges' | 'holes'> & {
  /** Whether earlier questions and feedback take part. */
  priming: boolean
}

/** Seeds of a question per row that it returns, as `activate` finds them. */
const SEEDS_PER_ROW = 5

/** The answers with memory, and the number of nodes that earlier questions primed. Learns nothing. */
export function activateWithMemory(context: ToolContext, wanted: Wanted): { found: Activation; primed: number } {
  const { graph, brain, engine } = context
  const given = currentBoosts(graph, brain.learned, engine.status().queriesProcessed)
  const { primed, judged } = wanted.priming ? recalled(context, wanted) : NOTHING_RECALLED
  const boosts = mergeBoosts(mergeBoosts(given, primed), judged)
  return { found: activateWith(context, wanted, boosts), primed: primed.size }
}

interface Recalled {
  primed: ReadonlyMap<NodeId, number>
  judged: ReadonlyMap<NodeId, number>
}

const NOTHING_RECALLED: Recalled = { primed: new Map(), judged: new Map() }

/** What earlier questions and feedback say about the answers. */
function recalled({ graph, indexes, brain, engine }: ToolContext, { query, topK }: Wanted): Recalled {
  const { learned } = brain
  if (learned.memory.length === 0 && learned.verdicts.length === 0) return NOTHING_RECALLED
  const found = findSeedsSemantic(graph, indexes.semantic, query, SEEDS_PER_ROW * topK)
  const seeds = found.map(({ node, relevance }) => ({ node, score: relevance }))
  return {
    primed: priming(graph, learned, seeds, engine.settings),
    judged: verdicts(graph, learned, seeds, engine.settings),
  }
}

function activateWith(
  { graph, indexes, engine, now }: ToolContext,
  { query, topK, dimensions, xlr, ghostEdges, holes }: Wanted,
  boosts: ReadonlyMap<NodeId, number>,
): Activation {
  const { settings } = engine
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
    nowSeconds: now / 1000,
  })
}
