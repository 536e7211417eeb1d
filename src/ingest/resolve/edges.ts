/** The edges found so far: one per source, target and relation, with the best tier and the first line. */

import type { Tier } from '#graph/graph'
import { causalStrength, ingestWeight } from '#graph/relations'
import type { Program } from '#ingest/resolve/program'
import type { ResolvedEdge } from '#ingest/resolve/project'

/** Better tiers first. */
export const RANK: Record<Tier, number> = { given: 0, exact: 1, typed: 2, unique: 3, observed: 4, guess: 5 }

export interface EdgeDetails {
  tier: Tier
  line: number
  weight?: number
  causal?: number
  unreachable?: boolean
  lifted?: boolean
}

/** A node is the number of a definition, or `nDefs + file`. */
export class EdgeSet {
  readonly #program: Program
  readonly #byRelation = new Map<string, Map<number, ResolvedEdge>>()
  readonly edges: ResolvedEdge[] = []

  constructor(program: Program) {
    this.#program = program
  }

  add(from: number, to: number, relation: string, details: EdgeDetails): void {
    if (from === to) return
    const { nDefs, nFiles } = this.#program
    let known = this.#byRelation.get(relation)
    if (known === undefined) {
      known = new Map()
      this.#byRelation.set(relation, known)
    }
    const key = from * (nDefs + nFiles) + to
    const before = known.get(key)
    const full = details.weight ?? ingestWeight(relation)
    const weight = details.tier === 'guess' ? full / 2 : full
    if (before !== undefined) {
      if (RANK[details.tier] < RANK[before.tier]) before.tier = details.tier
      if (weight > before.weight) before.weight = weight
      if (before.unreachable && !details.unreachable) delete before.unreachable
      if (before.lifted && !details.lifted) delete before.lifted
      return
    }
    const { fileOf, base } = this.#program
    const fromFile = from < nDefs ? fileOf[from] : from - nDefs
    const toFile = to < nDefs ? fileOf[to] : to - nDefs
    const edge: ResolvedEdge = {
      fromFile,
      from: from < nDefs ? from - base[fromFile] : -1,
      toFile,
      to: to < nDefs ? to - base[toFile] : -1,
      relation,
      weight,
      causal: details.causal ?? causalStrength(relation),
      tier: details.tier,
      line: details.line,
    }
    if (details.unreachable) edge.unreachable = true
    if (details.lifted) edge.lifted = true
    known.set(key, edge)
    this.edges.push(edge)
  }
}
