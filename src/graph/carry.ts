/** What was learned on one graph, brought to the graph that replaces it. */

import { DEAD_EDGE, type Graph, keyOf, NONE } from '#graph/graph'
import { nodeByKey } from '#graph/lookup'

const MIN_WEIGHT = 0.05
const MAX_WEIGHT = 3

/**
 * Writes the learned state of `from` into `to`: weight, counters, runs, marks and the time of last use of
 * every edge that has any, found again by the keys of its ends and its relation. Where the weight at ingest
 * has changed, the learned difference stays (`current += new − old`, within 0.05 … 3). `renamed` says which
 * keys of files have changed, old to new; what is in such a file is found under the new one.
 *
 * Returns how many slots were found again and how many are gone.
 */
export function carryLearning(
  from: Graph,
  to: Graph,
  renamed: ReadonlyMap<string, string> = new Map(),
): { kept: number; lost: number } {
  let kept = 0
  let lost = 0
  const counterparts = new Map<number, number>()
  const counterpart = (v: number): number => {
    const known = counterparts.get(v)
    if (known !== undefined) return known
    const found = from.dead[v] ? NONE : nodeByKey(to, newKey(keyOf(from, v), renamed))
    counterparts.set(v, found)
    return found
  }

  const relations = new Map<number, number>()
  const relationIn = (handle: number): number => {
    let found = relations.get(handle)
    if (found === undefined) {
      found = to.strings.find(from.strings.get(handle))
      relations.set(handle, found)
    }
    return found
  }

  for (let v = 0; v < from.nNodes; v++) {
    let slots: Map<number, number> | null = null
    for (let e = from.out.offsets[v]; e < from.out.offsets[v + 1]; e++) {
      if (from.flags[e] & DEAD_EDGE || !hasLearned(from, e)) continue
      slots ??= slotsOf(to, counterpart(v))
      const target = counterpart(from.out.targets[e])
      const relation = relationIn(from.relations[e])
      const slot = target === NONE || relation === NONE ? undefined : slots.get(target * to.strings.count + relation)
      if (slot === undefined) {
        lost++
        continue
      }
      kept++
      const shift = to.ingestWeights[slot] - from.ingestWeights[e]
      const weight = from.weights[e]
      to.weights[slot] = shift === 0 ? weight : Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, weight + shift))
      to.strengthened[slot] = from.strengthened[e]
      to.weakened[slot] = from.weakened[e]
      to.strengthenRun[slot] = from.strengthenRun[e]
      to.weakenRun[slot] = from.weakenRun[e]
      to.marks[slot] = from.marks[e]
      to.lastUsed[slot] = from.lastUsed[e]
    }
  }
  return { kept, lost }
}

function hasLearned({ weights, ingestWeights, strengthened, weakened, marks, lastUsed }: Graph, e: number): boolean {
  return weights[e] !== ingestWeights[e] || strengthened[e] > 0 || weakened[e] > 0 || marks[e] > 0 || lastUsed[e] > 0
}

/** Slots of a node by target and relation, as `target · number of strings + relation` (below 2^53). */
function slotsOf({ out, relations, strings, flags }: Graph, v: number): Map<number, number> {
  const slots = new Map<number, number>()
  if (v === NONE) return slots
  for (let e = out.offsets[v]; e < out.offsets[v + 1]; e++) {
    if ((flags[e] & DEAD_EDGE) === 0) slots.set(out.targets[e] * strings.count + relations[e], e)
  }
  return slots
}

function newKey(key: string, renamed: ReadonlyMap<string, string>): string {
  if (renamed.size === 0) return key
  const whole = renamed.get(key)
  if (whole !== undefined) return whole
  // `file::path` and what follows it; a prefix of a root stands before `file`
  const at = key.indexOf('file::')
  const end = at < 0 ? -1 : key.indexOf('::', at + 6)
  if (end < 0) return key
  const file = renamed.get(key.slice(0, end))
  return file === undefined ? key : file + key.slice(end)
}
